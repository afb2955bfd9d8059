//! Maps whose keys are indices. They come from the robot, not from outside, so that no one can choose them to collide.

use std::hash::{BuildHasherDefault, Hasher};

/// For maps by index.
pub(super) type ByIndex = BuildHasherDefault<IndexHasher>;

/// Multiplies and turns: a few operations for each index.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct IndexHasher(u64);

impl Hasher for IndexHasher {
    fn finish(&self) -> u64 {
        // Maps take the place from the low bits and a tag from the high ones; a product has its best bits at the top.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }

    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}
