//! One motion after another: each piece has its own span of time.
//!
//! **Problem.** Engines need bounds over any window of `[0, 1]`, which may touch several pieces and the kinks between
//! them.
//!
//! **Method.** Piece `k` runs over `[t_k, t_{k+1}]`, with its own time `s = (t − t_k) / w` from 0 to 1, where
//! `w = t_{k+1} − t_k`.
//! 1. A window of time becomes, for every piece that it overlaps, a window of that piece's own time, rounded outwards.
//! 2. Velocities of a piece are divided by `w`, accelerations by `w²`.
//! 3. Over several pieces, the speed is the largest speed of a piece, and the enclosures of velocity and pose are the
//!    hulls of the pieces' enclosures.
//! 4. At a knot where the velocity may jump there is no acceleration. The bound is infinite over a window with such a
//!    knot strictly inside, so the engines' rules of second order prove nothing there. [`Piecewise::jump_after`] names
//!    these knots, and the dispatcher cuts time at them. If the velocity is continuous, the acceleration is the largest
//!    acceleration of a piece.
//!
//! **Guarantee.** Conservative. The stored f64 knots count as exact; consecutive pieces meet exactly. Rounding:
//! - `s` has three roundings, in the difference, in `w` and in the quotient: it is off by at most `4u`, during which
//!   the body moves by at most `4u` times its largest speed. [`PoseError`] has this.
//! - A window's end has the same error, and is moved outwards by `10u` of itself; both ends stay in `[0, 1]`.
//! - The scaled variable of a Taylor model over the window differs from that of the piece's own window. The middle and
//!   the half width are off by at most `2u` in time, `2u / w` in `s` each, and the ends of the window by `16u`:
//!   together less than `32u / w`. A model `P(ξ)` changes by at most `|c_1| + 2|c_2| + 3|c_3|` times the change of `ξ`,
//!   which is the change above over the half width of the piece's own window.

use glam::DVec3;

use super::{PoseAt, PoseError, RigidMotion, TurningLine, Velocity, VelocityBounds, swept};
use crate::error::{Error, Result, finite};
use crate::numerics::bound::{largest_upper, upper_max};
use crate::numerics::rounding::UNIT;
use crate::numerics::{EnclosureMat3, EnclosureVec3, Interval, TaylorModel, TaylorTransform, Window};

/// Pieces of motion with their spans of time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Piecewise<M> {
    /// The knots from 0 to 1, increasing, one more than there are pieces.
    knots: Vec<f64>,
    pieces: Vec<M>,
    /// True if the velocity is continuous at the knots.
    is_smooth: bool,
    pose_error: PoseError,
}

/// Scales the times of knots to `[0, 1]`. Returns an error for times that do not increase, also after rounding.
pub(super) fn unit_knots(times: &[f64]) -> Result<Vec<f64>> {
    let [first, .., last] = times else {
        return Err(Error::Empty { what: "the list of times of a motion".into() });
    };
    for (k, &time) in times.iter().enumerate() {
        finite(|| format!("time {k} of a motion"), time)?;
    }
    let whole = *last - *first;
    // Without this test, times that decrease throughout would become knots that increase.
    let increases = |k: usize| times[k] > times[k - 1];
    let mut knots: Vec<f64> = times.iter().map(|time| (time - first) / whole).collect();
    *knots.last_mut().expect("there are two at least") = 1.0;
    match (1..knots.len()).find(|&k| !(increases(k) && knots[k] > knots[k - 1] && knots[k] <= 1.0)) {
        None => Ok(knots),
        Some(k) => Err(Error::OutOfRange {
            what: format!("time {k} of a motion"),
            expected: "later than the one before, by more than rounding",
            value: times[k],
        }),
    }
}

impl<M: RigidMotion> Piecewise<M> {
    /// Creates a motion from knots of [`unit_knots`] and one piece for each span between two of them.
    pub(super) fn new(knots: Vec<f64>, pieces: Vec<M>, is_smooth: bool) -> Piecewise<M> {
        debug_assert_eq!(knots.len(), pieces.len() + 1);
        let whole = Window::between(0.0, 1.0);
        let errors = pieces.iter().map(|piece| {
            let (error, bounds) = (piece.pose_error(), piece.velocity_bounds(whole));
            let turning = bounds.center.angular.length() + bounds.angular_radius;
            let speed = bounds.center.origin.length() + bounds.origin_radius;
            let later = 4.0 * UNIT * (1.0 + 16.0 * UNIT);
            [error.rotation + later * turning, error.translation + later * speed]
        });
        let errors: Vec<[f64; 2]> = errors.collect();
        let largest = |k: usize| largest_upper(errors.iter().map(|error| error[k])) * (1.0 + 4.0 * UNIT);
        let pose_error = PoseError { rotation: largest(0), translation: largest(1) };
        Piecewise { knots, pieces, is_smooth, pose_error }
    }

    /// Returns the knots, from 0 to 1.
    pub(super) fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Returns the pieces, each in its own time from 0 to 1.
    pub(super) fn pieces(&self) -> &[M] {
        &self.pieces
    }

    /// Returns the index of the piece that contains `t`; at a knot, the piece after it.
    fn index(&self, t: f64) -> usize {
        let inner = &self.knots[1..self.pieces.len()];
        inner.partition_point(|&knot| knot <= t)
    }

    /// Returns the pieces that a window overlaps for more than an instant, or one if it is an instant.
    fn touched(&self, window: Window) -> std::ops::RangeInclusive<usize> {
        let first = self.index(window.t0());
        let inner = &self.knots[1..self.pieces.len()];
        let last = inner.partition_point(|&knot| knot < window.t1());
        first..=if last > first { last } else { first }
    }

    fn width(&self, k: usize) -> f64 {
        self.knots[k + 1] - self.knots[k]
    }

    /// Returns a time in the piece's own time, up to `4u`.
    fn own_time(&self, k: usize, t: f64) -> f64 {
        ((t - self.knots[k]) / self.width(k)).clamp(0.0, 1.0)
    }

    /// Returns a window in the piece's own time, rounded outwards.
    fn own_window(&self, k: usize, window: Window) -> Window {
        let s0 = self.own_time(k, window.t0()) * (1.0 - 10.0 * UNIT);
        let s1 = self.own_time(k, window.t1()) * (1.0 + 10.0 * UNIT);
        Window::between(s0, if s1 < 1.0 { s1 } else { 1.0 })
    }

    /// Returns the bounds of one piece by the whole motion's time, not by the piece's own time.
    fn piece_bounds(&self, k: usize, window: Window) -> VelocityBounds {
        let VelocityBounds { center, origin_radius, angular_radius } =
            self.pieces[k].velocity_bounds(self.own_window(k, window));
        let width = self.width(k);
        let (origin, angular) = (center.origin / width, center.angular / width);
        // Two roundings each: the width and the quotient.
        let radius = |radius: f64, size: f64| (radius / width + 4.0 * UNIT * size) * (1.0 + 8.0 * UNIT);
        VelocityBounds {
            center: Velocity { origin, angular },
            origin_radius: radius(origin_radius, origin.length()),
            angular_radius: radius(angular_radius, angular.length()),
        }
    }

    /// Returns an enclosure of one piece, in the scaled variable of the window.
    fn piece_enclosure(&self, k: usize, window: Window) -> TaylorTransform {
        let own = self.own_window(k, window);
        let TaylorTransform { rotation, translation } = self.pieces[k].enclosure(own);
        let shift = 32.0 * UNIT / self.width(k);
        let shifted = |model: TaylorModel| {
            let [_, c1, c2, c3] = model.coefficients();
            let slope = c1.abs() + 2.0 * c2.abs() + 3.0 * c3.abs();
            let off = if slope == 0.0 { 0.0 } else { slope / own.half_width() * shift * (1.0 + 8.0 * UNIT) };
            if off == 0.0 { model } else { model + TaylorModel::constant(Interval::symmetric(off)) }
        };
        TaylorTransform {
            rotation: EnclosureMat3(rotation.0.map(|row| row.map(shifted))),
            translation: EnclosureVec3(translation.0.map(shifted)),
        }
    }
}

impl<M: RigidMotion> RigidMotion for Piecewise<M> {
    fn pose_at(&self, t: f64) -> PoseAt {
        let k = self.index(t);
        self.pieces[k].pose_at(self.own_time(k, t))
    }

    fn pose_error(&self) -> PoseError {
        self.pose_error
    }

    fn velocity_at(&self, t: f64) -> Velocity {
        let k = self.index(t);
        let Velocity { origin, angular } = self.pieces[k].velocity_at(self.own_time(k, t));
        Velocity { origin: origin / self.width(k), angular: angular / self.width(k) }
    }

    fn velocity_bounds(&self, window: Window) -> VelocityBounds {
        let touched = self.touched(window);
        if touched.start() == touched.end() {
            return self.piece_bounds(*touched.start(), window);
        }
        let pieces: Vec<VelocityBounds> = touched.map(|k| self.piece_bounds(k, window)).collect();
        let (origin, origin_radius) = ball_around(pieces.iter().map(|b| (b.center.origin, b.origin_radius)));
        let (angular, angular_radius) =
            ball_around(pieces.iter().map(|b| (b.center.angular, b.angular_radius)));
        VelocityBounds { center: Velocity { origin, angular }, origin_radius, angular_radius }
    }

    fn speed_along(&self, n: DVec3, reach: f64, window: Window) -> f64 {
        let speed = |k: usize| {
            let speed = self.pieces[k].speed_along(n, reach, self.own_window(k, window)) / self.width(k);
            speed + 4.0 * UNIT * speed.abs()
        };
        self.touched(window).map(speed).reduce(upper_max).unwrap_or(f64::INFINITY)
    }

    fn acceleration(&self, reach: f64, window: Window) -> f64 {
        let touched = self.touched(window);
        if !self.is_smooth && touched.start() != touched.end() {
            return f64::INFINITY;
        }
        largest_upper(touched.map(|k| {
            let width = self.width(k);
            self.pieces[k].acceleration(reach, self.own_window(k, window)) / (width * width)
        })) * (1.0 + 8.0 * UNIT)
    }

    fn turning_line(&self, window: Window) -> Option<TurningLine> {
        let touched = self.touched(window);
        let k = *touched.start();
        if k != *touched.end() {
            return None;
        }
        self.pieces[k].turning_line(self.own_window(k, window))
    }

    fn jump_after(&self, t: f64) -> Option<f64> {
        // A jump inside of a piece comes before the knot at its end. Its time is rounded to the nearest number, which
        // is good enough.
        let within = |k: usize, t: f64| {
            let jump = self.pieces[k].jump_after(self.own_time(k, t))?;
            let jump = self.knots[k] + jump * self.width(k);
            (jump > t && jump < self.knots[k + 1]).then_some(jump)
        };
        let first = self.index(t);
        (first..self.pieces.len()).find_map(|k| {
            let start = self.knots[k];
            let knot = !self.is_smooth && k > first;
            if knot { Some(start) } else { within(k, if t > start { t } else { start }) }
        })
    }

    fn enclosure(&self, window: Window) -> TaylorTransform {
        let touched = self.touched(window);
        let (first, last) = (*touched.start(), *touched.end());
        let hull = |of: &dyn Fn(usize) -> TaylorTransform| {
            let mut all = of(first);
            for k in first + 1..=last {
                let next = of(k);
                for (entry, next) in all.rotation.0.iter_mut().flatten().zip(next.rotation.0.iter().flatten())
                {
                    *entry = TaylorModel::constant(entry.range().hull(next.range()));
                }
                for (entry, next) in all.translation.0.iter_mut().zip(next.translation.0) {
                    *entry = TaylorModel::constant(entry.range().hull(next.range()));
                }
            }
            all
        };
        if first == last {
            self.piece_enclosure(first, window)
        } else {
            hull(&|k| self.pieces[k].enclosure(self.own_window(k, window)))
        }
    }
}

/// Returns a ball that contains balls, about the middle of the box of their centres.
fn ball_around(balls: impl Iterator<Item = (DVec3, f64)> + Clone) -> (DVec3, f64) {
    let low = balls.clone().fold(DVec3::INFINITY, |low, (center, _)| low.min(center)); // not a bound: any centre will do
    let high = balls.clone().fold(DVec3::NEG_INFINITY, |high, (center, _)| high.max(center)); // not a bound: any centre will do
    let center = (low + high) * 0.5;
    let center = if center.is_finite() { center } else { DVec3::ZERO };
    let radius = balls.map(|(other, radius)| {
        let away = (other - center).length();
        away * (1.0 + 8.0 * UNIT) + radius + 4.0 * UNIT * (other.length() + center.length())
    });
    (center, largest_upper(radius) * (1.0 + 8.0 * UNIT))
}

/// Returns the largest speed of the origin and the largest rate of rotation over a window.
pub(super) fn largest_rates(bounds: &VelocityBounds) -> [f64; 2] {
    let largest = |center: DVec3, radius: f64| (center.length() + radius) * (1.0 + 8.0 * UNIT);
    [
        largest(bounds.center.origin, bounds.origin_radius),
        largest(bounds.center.angular, bounds.angular_radius),
    ]
}

/// Returns an upper bound of the change in half a window at a rate.
pub(super) fn in_half(rate: f64, window: Window) -> f64 {
    // The middle of the window is rounded.
    swept(rate, window.half_width() + UNIT) * (1.0 + 4.0 * UNIT)
}
