//! The frame of a body at an instant for the search for closest points: plain, or in vector registers.
//!
//! Both have the same bits. A product with a matrix is the sum of its columns times the coordinates, in the order `x`,
//! `y`, `z`. A direction in the body's frame is the product with the transposed matrix, whose lanes are the dot
//! products with the columns. No operation is reordered or fused.

use fearless_simd::{Simd, SimdBase, SimdFrom, f64x4};
use glam::{DMat3, DVec3};

use crate::motion::PoseAt;

/// A pose at an instant.
pub(super) trait Frame {
    /// Returns a world direction in the body's frame.
    fn direction_to_body(&self, direction: DVec3) -> DVec3;

    /// Returns the world coordinates of a point of the body.
    fn apply(&self, point: DVec3) -> DVec3;

    /// Returns `base + (R_a a − R_b b)` with the rotations of both frames.
    fn difference(frames: [&Self; 2], base: DVec3, points: &[DVec3; 2]) -> DVec3;
}

impl Frame for PoseAt {
    #[inline(always)]
    fn direction_to_body(&self, direction: DVec3) -> DVec3 {
        PoseAt::direction_to_body(self, direction)
    }

    #[inline(always)]
    fn apply(&self, point: DVec3) -> DVec3 {
        PoseAt::apply(self, point)
    }

    #[inline(always)]
    fn difference([a, b]: [&PoseAt; 2], base: DVec3, points: &[DVec3; 2]) -> DVec3 {
        base + (a.rotation * points[0] - b.rotation * points[1])
    }
}

/// A pose with its three coordinates in the first three of four lanes. The fourth one is never read.
#[derive(Clone, Copy)]
pub(super) struct FrameLanes<S: Simd> {
    simd: S,
    columns: [f64x4<S>; 3],
    /// The columns of the transpose.
    rows: [f64x4<S>; 3],
    translation: f64x4<S>,
}

impl<S: Simd> FrameLanes<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, pose: &PoseAt) -> FrameLanes<S> {
        let DMat3 { x_axis, y_axis, z_axis } = pose.rotation;
        let transpose = pose.rotation.transpose();
        FrameLanes {
            simd,
            columns: [lanes(simd, x_axis), lanes(simd, y_axis), lanes(simd, z_axis)],
            rows: [
                lanes(simd, transpose.x_axis),
                lanes(simd, transpose.y_axis),
                lanes(simd, transpose.z_axis),
            ],
            translation: lanes(simd, pose.translation),
        }
    }

    #[inline(always)]
    fn combined(&self, columns: &[f64x4<S>; 3], v: DVec3) -> f64x4<S> {
        let [x, y, z] = [v.x, v.y, v.z];
        columns[0] * f64x4::splat(self.simd, x)
            + columns[1] * f64x4::splat(self.simd, y)
            + columns[2] * f64x4::splat(self.simd, z)
    }
}

impl<S: Simd> Frame for FrameLanes<S> {
    #[inline(always)]
    fn direction_to_body(&self, direction: DVec3) -> DVec3 {
        vector(self.combined(&self.rows, direction))
    }

    #[inline(always)]
    fn apply(&self, point: DVec3) -> DVec3 {
        vector(self.combined(&self.columns, point) + self.translation)
    }

    #[inline(always)]
    fn difference([a, b]: [&FrameLanes<S>; 2], base: DVec3, points: &[DVec3; 2]) -> DVec3 {
        let [placed_a, placed_b] = [a.combined(&a.columns, points[0]), b.combined(&b.columns, points[1])];
        vector(lanes(a.simd, base) + (placed_a - placed_b))
    }
}

#[inline(always)]
fn lanes<S: Simd>(simd: S, v: DVec3) -> f64x4<S> {
    f64x4::simd_from(simd, [v.x, v.y, v.z, 0.0])
}

#[inline(always)]
fn vector<S: Simd>(lanes: f64x4<S>) -> DVec3 {
    let [x, y, z, _]: [f64; 4] = lanes.into();
    DVec3::new(x, y, z)
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;
    use crate::motion::{Pose, RigidMotion, Screw};

    fn unit(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector_of(state: &mut u64) -> DVec3 {
        // Zeros of both signs and very different sizes.
        let mut number = || match (unit(state) * 8.0) as i32 {
            0 => 0.0_f64.copysign(unit(state)),
            k => unit(state) * 10.0_f64.powi(k),
        };
        DVec3::new(number(), number(), number())
    }

    #[inline(always)]
    fn in_lanes<S: Simd>(simd: S, poses: &[PoseAt; 2], v: DVec3, points: &[DVec3; 2]) -> [DVec3; 3] {
        let [a, b] = [FrameLanes::new(simd, &poses[0]), FrameLanes::new(simd, &poses[1])];
        [a.direction_to_body(v), b.apply(v), FrameLanes::difference([&a, &b], v, points)]
    }

    /// Plain frames and those in lanes, at every level of vector instructions: the same bits.
    #[test]
    fn lanes_change_no_bit() {
        let state = &mut 41;
        for _ in 0..2000 {
            let [a, b] = [0, 1].map(|_| {
                let mut pose = || {
                    let turn = glam::DQuat::from_xyzw(unit(state), unit(state), unit(state), unit(state));
                    Pose::new(vector_of(state), turn).unwrap()
                };
                Screw::new(pose(), pose()).pose_at(0.3)
            });
            let (v, points) = (vector_of(state), [vector_of(state), vector_of(state)]);
            let plain = [
                Frame::direction_to_body(&a, v),
                Frame::apply(&b, v),
                <PoseAt as Frame>::difference([&a, &b], v, &points),
            ];
            let bits = |of: [DVec3; 3]| of.map(|v| v.to_array().map(f64::to_bits));
            let poses = [a, b];
            for found in [
                dispatch!(Level::new(), simd => in_lanes(simd, &poses, v, &points)),
                dispatch!(Level::baseline(), simd => in_lanes(simd, &poses, v, &points)),
            ] {
                assert_eq!(bits(found), bits(plain));
            }
        }
    }
}
