//! Reproducible random numbers: SplitMix64. A seed gives the same numbers on every machine.
//!
//! Reference: Steele, Lea, Flood 2014, "Fast splittable pseudorandom number generators", Fig. 18.

pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`: the upper 53 bits.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(super) fn between(&mut self, [low, high]: [f64; 2]) -> f64 {
        // Not `low + (high - low) * unit`, which may overflow.
        let share = self.unit();
        (low * (1.0 - share) + high * share).clamp(low, high)
    }

    /// A uniform orientation, as x, y, z, w: a point of the unit ball in four dimensions, normalised. Uses no function
    /// but the square root, which is exact everywhere.
    pub(super) fn orientation(&mut self) -> [f64; 4] {
        loop {
            let q: [f64; 4] = std::array::from_fn(|_| self.between([-1.0, 1.0]));
            let square: f64 = q.iter().map(|x| x * x).sum();
            if (1e-4..=1.0).contains(&square) {
                return q.map(|x| x / square.sqrt());
            }
        }
    }
}
