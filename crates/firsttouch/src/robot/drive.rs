//! A joint whose variables are polynomials of time.
//!
//! **Problem.** `joint_motion` describes joints that move at a constant rate. On a smooth trajectory the rates change.
//!
//! **Method.** Let `q(t)` be the angle of a joint, with `|q'| <= w`, `|q''| <= a` and `|q'''| <= j` over the whole
//! time. Its matrix is `O Rot(axis, q) E`, and because `Rot` is `exp(q [axis])`, the derivatives of the matrix are at
//! most `w`, `w² + a` and `w³ + 3 w a + j` in norm. With a parent whose matrix has derivatives of at most `W_p`,
//! `W_p² + B_p` and `W_p³ + C_p`, Leibniz' rule gives for the product
//! ```text
//! W = W_p + w,   W² + B with B = B_p + a,   W³ + C with C = C_p + 3 (B_p w + W a) + j
//! ```
//! and the origin at `x_p + R_p p`, with `|p| <= ℓ` and derivatives of `p` of at most `v`, `v_2` and `v_3`, has
//! derivatives of at most
//! ```text
//! S = S_p + W_p ℓ + v,   A = A_p + (W_p² + B_p) ℓ + 2 W_p v + v_2,
//! J = J_p + (W_p³ + C_p) ℓ + 3 (W_p² + B_p) v + 3 W_p v_2 + v_3.
//! ```
//! At constant rates `a = j = v_2 = v_3 = 0`, and these are the bounds in the header of `kinematics`.
//!
//! Over a window with the middle `m` and the half width `h`, an enclosure takes the line `q(m) + r (t − m)`. The
//! distance of `q` from it, at most `h max |q' − r|`, counts as an error of the orientation or the position.
//!
//! **Guarantee.** Conservative: the bounds are those of the polynomials' Bernstein coefficients, with their errors.

use glam::{DMat3, DVec3};

use super::joint::{JointKind, LinkJoint};
use super::joint_motion::{JointMotion, OUTER_ERROR, Rates, plane_axes};
use super::kinematics::UP;
use crate::error::{Error, Result};
use crate::motion::{JointPiece, PoseAt};
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::numerics::{
    Enclosure, EnclosureMat3, EnclosureTransform, EnclosureVec3, Interval, IntervalVec3, Window, sin_cos,
};

/// The variables of a joint as polynomials of time. The joint's [`JointMotion`] has its origin and its matrices, and
/// turns by one radian per unit of its time, which is the angle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drive {
    turn: Option<JointPiece>,
    /// Directions in the parent's frame, each with the distance along it.
    slides: Vec<(DVec3, JointPiece)>,
}

impl Drive {
    /// Returns the motion of a joint, and its drive if it moves; `pieces` holds the polynomials of all variables of the
    /// robot.
    pub(crate) fn of(joint: &LinkJoint, pieces: &[JointPiece]) -> Result<(JointMotion, Option<Drive>)> {
        let mut moves = JointMotion::at_zero(joint);
        let piece = |k: usize| &pieces[joint.variable + k];
        let scaled = || piece(0).mimic(joint.scale.0, joint.scale.1);
        let (turn, slides) = match joint.kind {
            JointKind::Fixed => return Ok((moves, None)),
            JointKind::Revolute { .. } => {
                moves.turn_by_angle();
                (Some(scaled()?), Vec::new())
            }
            JointKind::Prismatic { axis } => (None, vec![(moves.outer * axis.normalize(), scaled()?)]),
            JointKind::Planar { .. } => {
                let (x, y) = plane_axes(moves.joint_axis);
                moves.turn_by_angle();
                let slides = vec![(moves.outer * x, piece(0).clone()), (moves.outer * y, piece(1).clone())];
                (Some(piece(2).clone()), slides)
            }
            JointKind::Floating | JointKind::Ball => {
                let first = joint.kind.quaternion().unwrap_or(0);
                if (0..4).any(|k| !piece(first + k).is_constant()) {
                    return Err(Error::Unsupported {
                        what: format!(
                            "a smooth trajectory of the orientation of joint \"{}\": interpolate linearly, or keep it",
                            joint.name
                        ),
                    });
                }
                let mut still: Vec<f64> = pieces.iter().map(|piece| piece.at(0.0)).collect();
                let mut slides = Vec::new();
                if joint.kind == JointKind::Floating {
                    still[joint.variable..joint.variable + 3].fill(0.0);
                    let outer = moves.outer;
                    slides = (0..3).map(|k| (outer.col(k), piece(k).clone())).collect();
                }
                moves.set_in_motion(joint, &still, &still)?;
                (None, slides)
            }
        };
        Ok((moves, Some(Drive { turn, slides })))
    }

    /// Returns the transform in the parent's frame.
    pub(super) fn at(&self, moves: &JointMotion, t: f64) -> PoseAt {
        let rotation = match &self.turn {
            None => moves.at(t).rotation,
            Some(turn) => {
                let (s, c) = sin_cos(turn.at(t));
                moves.constant + moves.cosine * c + moves.sine * s
            }
        };
        PoseAt { rotation, translation: self.translation_at(moves, t) }
    }

    pub(super) fn translation_at(&self, moves: &JointMotion, t: f64) -> DVec3 {
        self.slides.iter().fold(moves.start, |at, (along, slide)| at + *along * slide.at(t))
    }

    /// Returns the rate of the turn, and that of the slide in the parent's frame.
    pub(super) fn rates_at(&self, moves: &JointMotion, t: f64) -> (f64, DVec3) {
        let turn = self.turn.as_ref().map_or(moves.rate, |turn| turn.rate_at(t));
        (turn, self.slides.iter().fold(DVec3::ZERO, |sum, (along, slide)| sum + *along * slide.rate_at(t)))
    }

    /// Returns upper bounds over the whole time.
    pub(super) fn rates(&self, moves: &JointMotion) -> Rates {
        let size = |piece: &JointPiece, derivative: usize| {
            let [low, high] = piece.range(derivative, 0.0, 1.0);
            upper_max(low.abs(), high.abs())
        };
        // Without a turn the orientation stays, up to the rounding of a turn from it to itself.
        let still = moves.rates_bounds();
        let [angle, rate, rate_change, rate_jerk] = self
            .turn
            .as_ref()
            .map_or([0.0, still.rate, 0.0, 0.0], |turn| [0, 1, 2, 3].map(|d| size(turn, d)));
        let [angle_error, rate_error] =
            self.turn.as_ref().map_or([0.0, still.rate_error], JointPiece::errors);
        let (mut slide, mut slide_errors) = ([0.0; 4], [0.0; 2]);
        for (_, piece) in &self.slides {
            // The direction has the length 1 up to `160u`, see `JointMotion::shift`; the products and sums have 16
            // roundings.
            let sizes = [0, 1, 2, 3].map(|d| size(piece, d) * (1.0 + 256.0 * UNIT));
            let [value_error, own_rate_error] = piece.errors();
            slide = [0, 1, 2, 3].map(|d| (slide[d] + sizes[d]) * UP);
            slide_errors[0] += (value_error + 256.0 * UNIT * sizes[0]) * UP;
            slide_errors[1] += (own_rate_error + 256.0 * UNIT * sizes[1]) * UP;
        }
        let length = match &self.slides[..] {
            [(along, piece)] => {
                // The norm of a line is largest at one of its ends.
                let ends = piece.range(0, 0.0, 1.0).map(|value| (moves.start + *along * value).length());
                upper_max(ends[0], ends[1])
            }
            _ => moves.start.length() + slide[0],
        };
        // With a turn, the matrices are those of `at_zero`; without one, `moves` is at rest and has its error.
        let rotation_error = match self.turn {
            Some(_) => moves.rotation_error() + 8.0 * UNIT * angle + angle_error,
            None => moves.rotation_error(),
        };
        Rates {
            length: (length + slide_errors[0]) * UP,
            rate: rate * UP,
            rate_change: rate_change * UP,
            rate_jerk: rate_jerk * UP,
            slide: slide[1],
            slide_change: slide[2],
            slide_jerk: slide[3],
            rotation_error,
            slide_error: slide_errors[0] + moves.slide_error + 8.0 * UNIT * (moves.start.length() + slide[0]),
            rate_error: rate_error + 4.0 * UNIT * rate,
            slide_rate_error: slide_errors[1],
        }
    }

    pub(super) fn enclosure<E: Enclosure>(
        &self,
        moves: &JointMotion,
        window: Window,
    ) -> EnclosureTransform<E> {
        let around = |matrix: &DMat3, error: f64| {
            let entry = |row: usize, column: usize| {
                E::constant(Interval::point(matrix.col(column)[row]) + Interval::symmetric(error))
            };
            EnclosureMat3([0, 1, 2].map(|row| [0, 1, 2].map(|column| entry(row, column))))
        };
        let rotation = match &self.turn {
            None => moves.enclosure(window).rotation,
            Some(turn) => {
                let axis = IntervalVec3::unit(moves.joint_axis).expect("the axis is normalised");
                let Line { start, rate, stray } = Line::of(turn, window);
                let turned = EnclosureMat3::rotation(axis, start, Interval::point(rate), &window);
                // An error of the angle counts as an error of the orientation at the start.
                around(&moves.outer, OUTER_ERROR) * turned * around(&moves.inner, OUTER_ERROR + stray)
            }
        };
        let mut start = [0, 1, 2].map(|k| Interval::point(moves.start[k]));
        let mut rate = [Interval::point(0.0); 3];
        let mut size = moves.start.length();
        for (along, slide) in &self.slides {
            let line = Line::of(slide, window);
            let [low, high] = slide.range(0, 0.0, 1.0);
            size += upper_max(low.abs(), high.abs());
            for k in 0..3 {
                // The direction's error of `160u` acts on both terms.
                let along = Interval::point(along[k]) + Interval::symmetric(256.0 * UNIT);
                start[k] = start[k] + along * (line.start + Interval::symmetric(line.stray));
                rate[k] = rate[k] + along * Interval::point(line.rate);
            }
        }
        let off = Interval::symmetric(256.0 * UNIT * size + moves.slide_error);
        let path = |k: usize| E::affine(start[k] + off, rate[k], &window);
        EnclosureTransform { rotation, translation: EnclosureVec3([path(0), path(1), path(2)]) }
    }
}

/// A line `start + rate · t` that a polynomial strays from by at most `stray` in a window.
struct Line {
    start: Interval,
    rate: f64,
    stray: f64,
}

impl Line {
    fn of(piece: &JointPiece, window: Window) -> Line {
        let middle = window.mid();
        let [low, high] = piece.range(1, window.t0(), window.t1());
        let rate = piece.rate_at(middle);
        let [value_error, _] = piece.errors();
        let value = Interval::point(piece.at(middle)) + Interval::symmetric(value_error);
        // The middle is off by one rounding of the time.
        let time = window.half_width() + 2.0 * UNIT;
        let stray = upper_max((high - rate).abs(), (low - rate).abs()) * time * (1.0 + 8.0 * UNIT);
        Line { start: value - Interval::point(rate) * Interval::point(middle), rate, stray }
    }
}
