//! The frame of a screw motion, in which contact conditions are polynomials.
//!
//! **Problem.** Write the motion of one body relative to another at rest so that a point is a rational function of
//! one variable, and bound the deviation from the exact motion.
//!
//! **Method.** The third axis of the frame is the screw axis, and the origin lies on it. A point `(p, q, z)` at the
//! start of a piece of the motion is, with `x = tan(ωτ/2)`,
//! ```text
//! ( (1 − x²) p − 2x q,  2x p + (1 − x²) q,  (1 + x²) (z + σx) ) / (1 + x²)
//! ```
//! because sine and cosine of `ωτ` are `2x / (1 + x²)` and `(1 − x²) / (1 + x²)`, and the paper's shift is
//! `s tan(ωτ/2) / tan(ω/2) = σx`. Here `τ` runs from 0 to 1 over the piece, and `ω`, `s` belong to the piece. Without a
//! rotation the third axis is along the displacement, `x = τ`, and a point is at `(p, q, z + σx)`.
//!
//! **Small angles.** The axis is at a distance of about `|Δ| / ω`, and coordinates of that size have rounding errors
//! in proportion. On the other hand, a rotation by `ω` moves no point of a body of reach `r` farther than
//! `ω (r + |Δ|)` from its position in the straight motion. The form with the smaller of these two errors is used. The
//! worst case, `ω` about `10^-7`, is about `10^-7` of the sizes involved.
//!
//! **Error** ([`Frame::uncertainty`]), with `u` the unit roundoff, `c` the origin, `r` the reach and
//! `M = |p| + r + |c|` for each body:
//! - the pose at the start of the piece, and the formula of the path, are within the motion's `pose_error` of the
//!   exact motion: twice that;
//! - applying the pose, the difference to `c` and the product with the axes: 12 roundings of at most `M`, axes that
//!   are orthonormal up to 8 roundings per entry: less than `64u M`;
//! - `c` solves `(1 − e^{iω}) (c − p) = Δ⊥` up to `16u` of `|Δ| + |c|`, which is the error of a rotation about `c`;
//! - `σ` has a relative error of `48u`.
//!
//! Reference: Redon, Kheddar, Coquillart 2001, Sec. 2 and 4.1.

use glam::{DMat3, DVec3};

use crate::motion::{ContactScrew, PoseAt, PoseError, RigidMotion};
use crate::numerics::bound::{upper_max, upper_or_zero};
use crate::numerics::portable::atan;
use crate::numerics::rounding::UNIT;
use crate::numerics::{Interval, sin_cos_enclosed};

/// The frame of one piece of a contact screw.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// From world directions to those of the frame.
    axes: DMat3,
    origin: DVec3,
    path: Path,
    /// The start time of the piece, and the number of pieces.
    t_start: f64,
    pieces: f64,
    /// The poses of the first body and of the second at that time.
    poses: [PoseAt; 2],
    /// An upper bound of the deviation of both bodies together from their positions in the frame.
    pub uncertainty: f64,
    /// An upper bound of all coordinates of both bodies, at any time.
    pub size: f64,
}

/// The motion of points as a function of the variable `x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Path {
    /// A rotation about the third axis, by twice the arc tangent of `x`, and a translation along it by `rise · x`.
    Turning {
        /// Half the angle of the piece.
        half_angle: f64,
        /// `σ`.
        rise: f64,
    },
    /// A translation along the third axis by `rise · x`.
    Straight {
        /// `σ`.
        rise: f64,
    },
}

impl Path {
    /// Returns `σ`.
    #[inline]
    pub fn rise(&self) -> f64 {
        match *self {
            Path::Turning { rise, .. } | Path::Straight { rise } => rise,
        }
    }
}

/// The properties of a body that the frame needs: the distance of its farthest point from its origin, and the error
/// of its poses.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// The reach.
    pub reach: f64,
    /// The error of evaluated poses.
    pub pose_error: PoseError,
}

impl Extent {
    fn error(&self) -> f64 {
        self.pose_error.rotation * self.reach + self.pose_error.translation
    }
}

impl Frame {
    /// Creates the frame of piece number `piece` of a motion, relative to a body at rest at `at_rest`.
    pub fn new(motion: &ContactScrew, piece: u32, at_rest: PoseAt, bodies: [Extent; 2]) -> Frame {
        let pieces = f64::from(motion.pace().pieces());
        let t_start = f64::from(piece) / pieces;
        let poses = [motion.pose_at(t_start), at_rest];
        let screw = motion.axis();
        let displacement = motion.displacement().length();
        let common = 2.0 * bodies[0].error() + bodies[1].error();
        let far = upper_max(poses[0].translation.length(), motion.pose_at(0.0).translation.length());
        let sizes = far + poses[1].translation.length() + bodies[0].reach + bodies[1].reach + displacement;

        let straight = {
            let origin = poses[0].translation;
            let size = 2.0 * sizes + origin.length();
            let bent = screw.angle * (bodies[0].reach + displacement) * (1.0 + 8.0 * UNIT);
            let uncertainty = common + bent + 128.0 * UNIT * size;
            let rise = motion.displacement().length();
            let third = motion.displacement().try_normalize().unwrap_or(DVec3::Z);
            Frame {
                axes: rows(third),
                origin,
                path: Path::Straight { rise },
                t_start,
                pieces,
                poses,
                uncertainty,
                size,
            }
        };
        let Some(origin) = screw.point else { return straight };
        let size = 2.0 * sizes + 2.0 * origin.length();
        let uncertainty = common + 128.0 * UNIT * size;
        if pieces == 1.0 && straight.uncertainty <= uncertainty {
            return straight;
        }
        let half_angle = 0.5 * motion.pace().piece_angle();
        let (sine, cosine) = sin_cos_enclosed(half_angle);
        let rise = screw.shift / pieces * cosine.mid() / sine.mid();
        Frame {
            axes: rows(screw.direction),
            origin,
            path: Path::Turning { half_angle, rise },
            t_start,
            pieces,
            poses,
            uncertainty,
            size,
        }
    }

    /// Returns the motion of points.
    #[inline]
    pub fn path(&self) -> Path {
        self.path
    }

    /// Returns the coordinates of a point of the moving body, at the start of the piece.
    #[inline]
    pub fn of_moving(&self, point: DVec3) -> DVec3 {
        self.axes * (self.poses[0].apply(point) - self.origin)
    }

    /// Returns the coordinates of a point of the body at rest.
    #[inline]
    pub fn of_resting(&self, point: DVec3) -> DVec3 {
        self.axes * (self.poses[1].apply(point) - self.origin)
    }

    /// Returns the position of a moving point at `x`.
    #[inline]
    pub fn moved(&self, p: DVec3, x: f64) -> DVec3 {
        match self.path {
            Path::Turning { rise, .. } => {
                let scale = 1.0 / (1.0 + x * x);
                let (s, c) = (2.0 * x * scale, (1.0 - x * x) * scale);
                DVec3::new(c * p.x - s * p.y, s * p.x + c * p.y, p.z + rise * x)
            }
            Path::Straight { rise } => DVec3::new(p.x, p.y, p.z + rise * x),
        }
    }

    /// Returns an upper bound of the speed, per unit of `x`, of a point at distance `radius` from the axis.
    #[inline]
    pub fn speed(&self, radius: f64) -> f64 {
        match self.path {
            Path::Turning { rise, .. } => 2.0 * radius + rise.abs(),
            Path::Straight { rise } => rise.abs(),
        }
    }

    /// Returns an upper bound of `x` at time `t`.
    pub fn x_above(&self, t: f64) -> f64 {
        let since = (Interval::point(t) - self.t_start) * self.pieces;
        match self.path {
            Path::Turning { half_angle, .. } => {
                let (sine, cosine) = (since * half_angle).sin_cos();
                upper_or_zero((sine / cosine).hi())
            }
            Path::Straight { .. } => upper_or_zero(since.hi()),
        }
    }

    /// Returns a time at which `x` has certainly not been passed.
    pub fn t_below(&self, x: f64) -> f64 {
        let certain = |since: f64| match self.path {
            Path::Turning { half_angle, .. } => {
                let (sine, cosine) = (Interval::point(since) * half_angle).sin_cos();
                sine.hi() <= (cosine * x).lo()
            }
            Path::Straight { .. } => since <= x,
        };
        let guess = match self.path {
            Path::Turning { half_angle, .. } => atan(x) / half_angle,
            Path::Straight { .. } => x,
        };
        // Step back from the guess until the result is proven.
        let mut back = 4.0 * UNIT;
        while back < 1.0 {
            let since = guess * (1.0 - back);
            if certain(since) {
                return (self.t_start + since / self.pieces).next_down().next_down().max(self.t_start); // not a bound: NaN becomes the start
            }
            back *= 4.0;
        }
        self.t_start
    }
}

/// Returns the matrix whose rows are two axes perpendicular to a unit vector and the vector itself.
fn rows(third: DVec3) -> DMat3 {
    let first = third.any_orthonormal_vector();
    let first = (first - third * third.dot(first)).normalize();
    let second = third.cross(first);
    DMat3::from_cols(first, second, third).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{InBetween, Pose};
    use glam::DQuat;

    fn draw(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    #[test]
    fn distances_in_the_frame_are_those_of_the_motion() {
        let mut state = 21;
        let (mut straight, mut turning) = (0, 0);
        for case in 0..400 {
            let mut vector = || DVec3::new(draw(&mut state), draw(&mut state), draw(&mut state));
            let half = [0.0, 1e-14, 1e-9, 1e-8, 1e-7, 1e-5, 0.1, 0.9, 1.2, 1.57][case % 10];
            let v = vector().normalize() * f64::sin(half);
            let turn = DQuat::from_xyzw(v.x, v.y, v.z, f64::cos(half));
            let start = DQuat::from_xyzw(0.3, -0.1, 0.5, 0.8).normalize();
            let from = Pose::new(vector() * 3.0, start).unwrap();
            let to = Pose::new(vector() * 3.0, turn * from.rotation()).unwrap();
            let motion = ContactScrew::new(from, to);
            let resting = Pose::new(vector(), start.conjugate()).unwrap().at();
            let (p, q) = (vector(), vector());
            let bodies = [
                Extent { reach: p.length(), pose_error: motion.pose_error() },
                Extent { reach: q.length(), pose_error: PoseError { rotation: 1e-14, translation: 0.0 } },
            ];
            for piece in 0..motion.pace().pieces() {
                let frame = Frame::new(&motion, piece, resting, bodies);
                match frame.path() {
                    Path::Turning { .. } => turning += 1,
                    Path::Straight { .. } => straight += 1,
                }
                assert!(frame.uncertainty < 4e-6, "{half}: {}", frame.uncertainty);
                assert_eq!(motion.pace().kink().is_some(), motion.pace().pieces() == 2);
                let pieces = f64::from(motion.pace().pieces());
                for k in 0..=10 {
                    let t = (f64::from(piece) + f64::from(k) / 10.0) / pieces;
                    let x = frame.x_above(t);
                    let in_frame = (frame.moved(frame.of_moving(p), x) - frame.of_resting(q)).length();
                    let in_world = (motion.pose_at(t).apply(p) - resting.apply(q)).length();
                    let off = (in_frame - in_world).abs();
                    assert!(off <= frame.uncertainty, "{case}: {off} > {}", frame.uncertainty);
                    let back = frame.t_below(x);
                    assert!((t - back).abs() < 1e-13, "{case}: {t} {back}");
                    assert!(frame.x_above(frame.t_below(0.9 * x)) <= 0.9 * x * (1.0 + 1e-14));
                }
            }
        }
        assert!(straight > 80 && turning > 200);
    }
}
