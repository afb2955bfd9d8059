//! Reproducible random numbers: SplitMix64, so that a seed gives the same scene on every machine.
//!
//! Reference: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", Fig. 18.

use glam::{DQuat, DVec3};

/// A source of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates a source whose numbers depend only on the seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number that is uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        // The upper 53 bits, times 2^-53: every value is exact.
        let unit = (self.next() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        low + (high - low) * unit
    }

    /// Returns a number that is uniform in `0..n`, up to a bias of `n / 2^64`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Returns a vector with each coordinate uniform in `[-size, size)`.
    pub fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| self.between(-size, size)))
    }

    /// Returns a random orientation: a vector of the cube `[-1, 1)^4`, to be normalised.
    pub fn orientation(&mut self) -> DQuat {
        let [x, y, z, w] = std::array::from_fn(|_| self.between(-1.0, 1.0));
        // Never zero, for any seed.
        DQuat::from_xyzw(x, y, z, if w == 0.0 { 1.0 } else { w })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first three outputs for seed 0, as every implementation of SplitMix64 gives them.
    #[test]
    fn known_sequence() {
        let mut random = Random::new(0);
        let first: [u64; 3] = std::array::from_fn(|_| random.next());
        assert_eq!(first, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }
}
