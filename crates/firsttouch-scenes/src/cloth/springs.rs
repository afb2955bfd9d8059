//! The springs of a cloth, satisfied one after the other: extended position-based dynamics.
//!
//! Consider a spring with compliance α (1 / stiffness) between two vertices of unit mass, and a time step h. Let λ be
//! its pull up to now in the step, and C its length less its rest length. Then another Δλ = (−C − α/h² λ) / (2 + α/h²)
//! is due, and both ends move by Δλ along it. Stiff springs (α = 0) are constraints.
//!
//! Reference: Macklin, Müller, Chentanez 2016, "XPBD", Eq. 18.

use glam::DVec3;

#[derive(Debug, Clone, Copy)]
pub(super) struct Spring {
    pub(super) ends: [u32; 2],
    pub(super) rest: f64,
    /// In metres per newton, for vertices of unit mass; 0 is stiff.
    pub(super) compliance: f64,
}

/// Returns springs along the sides and both diagonals of all cells, and across two cells.
pub(super) fn springs(side: usize, spacing: f64) -> Vec<Spring> {
    // A vertex has unit mass and springs are the same at every resolution: a finer cloth is a thinner one.
    let kinds =
        [([1, 0], 0.0), ([0, 1], 0.0), ([1, 1], 1e-5), ([1, -1], 1e-5), ([2, 0], 1e-2), ([0, 2], 1e-2)];
    let mut out = Vec::new();
    for v in 0..side * side {
        for ([down, right], compliance) in kinds {
            let (i, j) = ((v / side) as i64 + down, (v % side) as i64 + right);
            if (0..side as i64).contains(&i) && (0..side as i64).contains(&j) {
                let rest = spacing * ((down * down + right * right) as f64).sqrt();
                out.push(Spring { ends: [v as u32, (i * side as i64 + j) as u32], rest, compliance });
            }
        }
    }
    out
}

/// Does one round over the springs, from either end in turn.
pub(super) fn pull(springs: &[Spring], end: &mut [DVec3], pulls: &mut [f64], round: usize, dt: f64) {
    let mut one = |k: usize| {
        let Spring { ends: [a, b], rest, compliance } = springs[k];
        let between = end[a as usize] - end[b as usize];
        let length = between.length();
        if length == 0.0 {
            return;
        }
        let soft = compliance / (dt * dt);
        let change = (rest - length - soft * pulls[k]) / (2.0 + soft);
        pulls[k] += change;
        let shift = between * (change / length);
        end[a as usize] += shift;
        end[b as usize] -= shift;
    };
    let count = springs.len();
    if round.is_multiple_of(2) { (0..count).for_each(&mut one) } else { (0..count).rev().for_each(&mut one) }
}
