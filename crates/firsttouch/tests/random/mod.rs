//! The generator that the seeded tests share.

// The attackers of the laboratory include this file and use a part of it.
#![allow(dead_code)]

use firsttouch::motion::Pose;
use glam::{DQuat, DVec3};

/// A splitmix64 generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.next() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub(crate) fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.range(-size, size), self.range(-size, size), self.range(-size, size))
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        let [x, y, z, w] = [0; 4].map(|_| self.range(-1.0, 1.0));
        DQuat::from_xyzw(x, y, z, w).normalize()
    }

    pub(crate) fn pose(&mut self, size: f64) -> Pose {
        Pose::new(self.vector(size), self.rotation()).unwrap()
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Returns an index into a list of `n`.
    pub(crate) fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }
}
