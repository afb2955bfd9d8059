//! Equal positions get one index, for formats that repeat a vertex in every triangle.
//!
//! Such a reader looks up every corner of every triangle, so this is most of its work:
//! 1. Use a table of indices, at most half full. Each index stands at the place of its position's hash or in the next
//!    free place after it.
//! 2. Compare the positions themselves in the list of the mesh. The table has no copy of them.
//! 3. A product of 128 bits mixes each coordinate into the hash. Its key is drawn for every file, so no file can be
//!    written to make all hashes equal.
//!
//! Only positions that are equal as numbers are merged (so -0 equals 0): no position moves. Indices do not depend on
//! hashes.

use std::hash::{BuildHasher, RandomState};

use glam::DVec3;

use super::index_u32;
use crate::error::Problem;

pub(super) struct Weld {
    key: u64,
    /// The length is a power of two.
    slots: Vec<u32>,
    used: usize,
}

const FREE: u32 = u32::MAX;

impl Default for Weld {
    fn default() -> Weld {
        Weld { key: RandomState::new().hash_one(0_u64), slots: vec![FREE; 64], used: 0 }
    }
}

impl Weld {
    /// Returns the index of a finite position in the list, and adds the position if it is new. No other function may
    /// add to the list.
    #[inline]
    pub(super) fn index(&mut self, position: DVec3, positions: &mut Vec<DVec3>) -> Result<u32, Problem> {
        let mut slot = self.place(position);
        loop {
            match self.slots[slot] {
                FREE => break,
                known if positions[known as usize] == position => return Ok(known),
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
        // One less than the number of values: [`FREE`] is no index.
        let index = index_u32(positions.len() + 1)? - 1;
        positions.push(position);
        self.slots[slot] = index;
        self.used += 1;
        if 2 * self.used > self.slots.len() {
            self.grow(positions);
        }
        Ok(index)
    }

    /// Returns the start of the search for a position.
    #[inline]
    fn place(&self, position: DVec3) -> usize {
        let key = self.key | 1;
        let mut state = self.key.rotate_left(32);
        for coordinate in position.to_array() {
            // Adding zero turns -0 into +0.
            let product = u128::from(state ^ (coordinate + 0.0).to_bits()) * u128::from(key);
            state = (product as u64 ^ (product >> 64) as u64).wrapping_add(key);
        }
        state as usize & (self.slots.len() - 1)
    }

    #[cold]
    fn grow(&mut self, positions: &[DVec3]) {
        let grown = Weld { key: self.key, slots: vec![FREE; 4 * self.slots.len()], used: self.used };
        let indices = std::mem::replace(self, grown).slots;
        for index in indices.into_iter().filter(|index| *index != FREE) {
            let mut slot = self.place(positions[index as usize]);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (self.slots.len() - 1);
            }
            self.slots[slot] = index;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many positions on a grid, most of them repeated: the index of each is that of the first equal position, for any
    /// hashes.
    #[test]
    fn equal_positions_share_an_index() {
        let (mut weld, mut positions, mut expected) = (Weld::default(), Vec::new(), Vec::<DVec3>::new());
        let mut state = 5_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            f64::from((state >> 33) as u32 % 12) - 6.0
        };
        for _ in 0..6000 {
            let position = DVec3::new(number(), number() * 1e-3, -number());
            let index = weld.index(position, &mut positions).unwrap();
            let first = expected.iter().position(|known| *known == position);
            if first.is_none() {
                expected.push(position);
            }
            assert_eq!(index as usize, first.unwrap_or(expected.len() - 1));
        }
        assert_eq!(positions, expected);
        assert!(expected.len() > 1500, "{}", expected.len());
    }
}
