//! Jacobi's method for eight symmetric matrices at once, one in each lane of vector registers.
//!
//! Every lane takes the steps of `obb::eigenvectors`, in the same order and without fused operations, so it gives the
//! bits of each matrix alone. The method is a chain of quotients and square roots, each of which waits for the one
//! before; eight chains take about as long as one. A lane whose matrix is diagonal keeps its values while the others
//! continue.
//!
//! Reference: Golub, Van Loan, *Matrix Computations*, Sec. 8.5.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdMask, f64x8, mask64x8};

/// The matrices and the products of the rotations so far.
struct Lanes<S: Simd> {
    /// The upper half of each matrix: xx, xy, xz, yy, yz, zz.
    m: [f64x8<S>; 6],
    /// The eigenvectors, by column and coordinate.
    axes: [[f64x8<S>; 3]; 3],
    /// The matrices that are not diagonal yet.
    open: mask64x8<S>,
}

/// Returns the first two eigenvectors of eight symmetric matrices, which are given as xx, xy, xz, yy, yz, zz, by
/// coordinate.
#[inline(always)]
pub(super) fn eigenvectors<S: Simd>(simd: S, m: [f64x8<S>; 6]) -> [[f64x8<S>; 3]; 2] {
    let (zero, one) = (f64x8::splat(simd, 0.0), f64x8::splat(simd, 1.0));
    let mut lanes = Lanes {
        m,
        axes: [[one, zero, zero], [zero, one, zero], [zero, zero, one]],
        open: zero.simd_eq(zero),
    };
    for _ in 0..12 {
        let [xx, xy, xz, yy, yz, zz] = lanes.m;
        let off = xy.abs() + xz.abs() + yz.abs();
        let is_diagonal = off.simd_le(f64x8::splat(simd, 1e-14) * (xx + yy + zz));
        lanes.open &= !is_diagonal;
        if !lanes.open.any_true() {
            break;
        }
        lanes.rotate::<0, 1>(simd);
        lanes.rotate::<0, 2>(simd);
        lanes.rotate::<1, 2>(simd);
    }
    [lanes.axes[0], lanes.axes[1]]
}

/// Returns the place of an entry of the upper half.
const fn entry(i: usize, j: usize) -> usize {
    let (row, column) = if i < j { (i, j) } else { (j, i) };
    [0, 3, 5][row] + column - row
}

impl<S: Simd> Lanes<S> {
    /// Makes the entry `(P, Q)` of the open matrices zero.
    #[inline(always)]
    fn rotate<const P: usize, const Q: usize>(&mut self, simd: S) {
        let r = 3 - P - Q;
        let (zero, one) = (f64x8::splat(simd, 0.0), f64x8::splat(simd, 1.0));
        let (mpp, mqq, mpq) = (self.m[entry(P, P)], self.m[entry(Q, Q)], self.m[entry(P, Q)]);
        let (mrp, mrq) = (self.m[entry(r, P)], self.m[entry(r, Q)]);
        let theta = (mqq - mpp) / (f64x8::splat(simd, 2.0) * mpq);
        let t = one.copysign(theta) / (theta.abs() + (theta * theta + one).sqrt());
        let c = one / (t * t + one).sqrt();
        let s = t * c;
        let turns = self.open & !mpq.simd_eq(zero);
        self.m[entry(P, P)] = turns.select(mpp - t * mpq, mpp);
        self.m[entry(Q, Q)] = turns.select(mqq + t * mpq, mqq);
        self.m[entry(P, Q)] = turns.select(zero, mpq);
        self.m[entry(r, P)] = turns.select(c * mrp - s * mrq, mrp);
        self.m[entry(r, Q)] = turns.select(s * mrp + c * mrq, mrq);
        for k in 0..3 {
            let (ap, aq) = (self.axes[P][k], self.axes[Q][k]);
            self.axes[P][k] = turns.select(ap * c - aq * s, ap);
            self.axes[Q][k] = turns.select(ap * s + aq * c, aq);
        }
    }
}
