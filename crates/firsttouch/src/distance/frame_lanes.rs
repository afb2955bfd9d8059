//! A pose at an instant, ready for vector instructions: three coordinates in the first three of four lanes.
//!
//! The bits are those of [`PoseAt`]: a product with a matrix is the sum of its columns times the coordinates, in the order `x`, `y`, `z`, and a
//! direction in the body's frame is the same with the transposed matrix, whose lanes are the dot products with the columns. Nothing is
//! reordered or fused. The fourth lane is never read.

use fearless_simd::{Simd, SimdBase, SimdFrom, f64x4};
use glam::{DMat3, DVec3};

use crate::motion::PoseAt;

/// A rotation and its transpose, by columns.
#[derive(Clone, Copy)]
pub(super) struct FrameLanes<S: Simd> {
    columns: [f64x4<S>; 3],
    rows: [f64x4<S>; 3],
}

impl<S: Simd> FrameLanes<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, pose: &PoseAt) -> FrameLanes<S> {
        let DMat3 { x_axis, y_axis, z_axis } = pose.rotation;
        let row = |k: usize| f64x4::simd_from(simd, [x_axis[k], y_axis[k], z_axis[k], 0.0]);
        FrameLanes {
            columns: [lanes(simd, x_axis), lanes(simd, y_axis), lanes(simd, z_axis)],
            rows: [row(0), row(1), row(2)],
        }
    }

    /// Returns the rotated vector, with the bits of `pose.rotation * v`.
    #[inline(always)]
    pub(super) fn rotated(&self, simd: S, v: DVec3) -> f64x4<S> {
        combined(simd, &self.columns, v)
    }

    /// Returns the bits of `pose.direction_to_body(v)`.
    #[inline(always)]
    pub(super) fn to_body(&self, simd: S, v: DVec3) -> DVec3 {
        vector(combined(simd, &self.rows, v))
    }
}

#[inline(always)]
fn combined<S: Simd>(simd: S, columns: &[f64x4<S>; 3], v: DVec3) -> f64x4<S> {
    let splat = |x: f64| f64x4::splat(simd, x);
    columns[0] * splat(v.x) + columns[1] * splat(v.y) + columns[2] * splat(v.z)
}

/// Returns a vector as lanes.
#[inline(always)]
pub(super) fn lanes<S: Simd>(simd: S, v: DVec3) -> f64x4<S> {
    f64x4::simd_from(simd, [v.x, v.y, v.z, 0.0])
}

/// Returns the first three lanes.
#[inline(always)]
pub(super) fn vector<S: Simd>(lanes: f64x4<S>) -> DVec3 {
    let [x, y, z, _]: [f64; 4] = lanes.into();
    DVec3::new(x, y, z)
}
