//! The links of a robot at three instants at once, one in each lane of the vector instructions.
//!
//! The operations and their order are those of one instant (`instants`), and no operation is fused, so the poses have
//! the same bits. The last lane of four is a copy of the third one.

use fearless_simd::Simd;
use glam::{DMat3, DVec3};

use super::joint_motion::JointMotion;
use super::kinematics::{Frame, Kinematics};
use crate::motion::PoseAt;
use crate::numerics::{LANES, sin_cos_lanes};

/// Places some links at three instants. `rows` are the indices in `poses` of the first link at each instant. The
/// parents of the links are among them or already placed. This function is compiled for every level of vector
/// instructions.
#[inline(always)]
pub(super) fn place_lanes<S: Simd>(
    _: S,
    poses: &mut [PoseAt],
    rows: [usize; 3],
    t: [f64; 3],
    links: std::ops::Range<usize>,
    kinematics: &Kinematics,
) {
    let t: Lanes = [t[0], t[1], t[2], t[2]];
    // The parent of most links is the previous link.
    let mut before: Option<(usize, PoseLanes)> = None;
    for i in links {
        let Frame { parent, moves } = &kinematics.frames[i];
        let local = moves_at(moves, &t);
        let placed = match parent {
            None => local,
            Some(parent) => {
                let pose = match &before {
                    Some((known, pose)) if known == parent => *pose,
                    _ => gathered(poses, rows, *parent),
                };
                moved_lanes(&pose, &local)
            }
        };
        for (k, row) in rows.into_iter().enumerate() {
            let column = |c: usize| DVec3::new(placed.0[c][0][k], placed.0[c][1][k], placed.0[c][2][k]);
            let rotation = DMat3::from_cols(column(0), column(1), column(2));
            poses[row + i] = PoseAt { rotation, translation: column(3) };
        }
        before = Some((i, placed));
    }
}

/// A number for each instant.
type Lanes = [f64; LANES];

/// A pose for each instant, coordinate by coordinate: the columns of the rotation, then the translation.
#[derive(Clone, Copy)]
struct PoseLanes([[Lanes; 3]; 4]);

/// Returns the poses of a link, coordinate by coordinate.
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
fn gathered(poses: &[PoseAt], rows: [usize; 3], link: usize) -> PoseLanes {
    let poses = rows.map(|row| &poses[row + link]);
    let mut lanes = PoseLanes([[[0.0; LANES]; 3]; 4]);
    for k in 0..LANES {
        let PoseAt { rotation, translation } = poses[if k < 3 { k } else { 2 }];
        for (c, column) in
            [rotation.x_axis, rotation.y_axis, rotation.z_axis, *translation].into_iter().enumerate()
        {
            for r in 0..3 {
                lanes.0[c][r][k] = column[r];
            }
        }
    }
    lanes
}

/// Returns [`JointMotion::at`] for each instant.
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
fn moves_at(moves: &JointMotion, t: &Lanes) -> PoseLanes {
    let mut lanes = PoseLanes([[[0.0; LANES]; 3]; 4]);
    let columns = |matrix: &DMat3| [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let constant = columns(&moves.constant);
    if moves.rate == 0.0 {
        for c in 0..3 {
            for r in 0..3 {
                lanes.0[c][r] = [constant[c][r]; LANES];
            }
        }
    } else {
        let mut angles = [0.0; LANES];
        for k in 0..LANES {
            angles[k] = moves.angle_at(t[k]);
        }
        let (s, c) = sin_cos_lanes(&angles);
        let (cosine, sine) = (columns(&moves.cosine), columns(&moves.sine));
        for column in 0..3 {
            for r in 0..3 {
                let (constant, cosine, sine) = (constant[column][r], cosine[column][r], sine[column][r]);
                for k in 0..LANES {
                    lanes.0[column][r][k] = (constant + cosine * c[k]) + sine * s[k];
                }
            }
        }
    }
    for r in 0..3 {
        for k in 0..LANES {
            lanes.0[3][r][k] = moves.start[r] + moves.slide[r] * t[k];
        }
    }
    lanes
}

/// Returns a frame in the world, from its parent's and its own motion, for each instant.
#[allow(clippy::needless_range_loop, reason = "the same lane of several arrays")]
#[inline(always)]
fn moved_lanes(parent: &PoseLanes, local: &PoseLanes) -> PoseLanes {
    let mut lanes = PoseLanes([[[0.0; LANES]; 3]; 4]);
    for c in 0..4 {
        for r in 0..3 {
            for k in 0..LANES {
                let [p, q] = [parent, local].map(|pose| &pose.0);
                let turned = (p[0][r][k] * q[c][0][k] + p[1][r][k] * q[c][1][k]) + p[2][r][k] * q[c][2][k];
                lanes.0[c][r][k] = if c == 3 { turned + p[3][r][k] } else { turned };
            }
        }
    }
    lanes
}
