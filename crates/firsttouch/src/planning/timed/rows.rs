//! Rows of times, configurations and velocities, and the proof that the cubics through them keep their limits: step 3
//! of `timed`.
//!
//! A cubic from `q0` to `q1` in the time `h`, with the velocities `v0` and `v1`, has a velocity with the Bernstein
//! coefficients `v0`, `w = 3 (q1 - q0) / h - v0 - v1` and `v1`. They bound the velocity. The acceleration is between `2
//! (w - v0) / h` and `2 (v1 - w) / h`, and the jerk is `2 (v1 - 2 w + v0) / h²`. All are computed in intervals.
//!
//! If all times are multiplied by `s`, and all velocities divided by it, then the exact velocity, acceleration and jerk
//! are divided by `s`, `s²` and `s³`.

use super::MotionLimits;
use crate::articulated::{Robot, Trajectory};
use crate::error::{Error, Result};
use crate::numerics::Interval;
use crate::numerics::bound::upper_max;

/// The first times are longer than the computed ones by this part, more than the rounding of most rows.
const FIRST_STRETCH: f64 = 1e-9;

/// The largest number of stretches. The limits are kept after one or two times. Those of a path that is shorter than
/// the roundings of its waypoints are never kept.
const MOST_STRETCHES: usize = 64;

/// A configuration at a time, and its velocity.
pub(super) struct TimedRow {
    pub(super) time: f64,
    pub(super) position: Vec<f64>,
    pub(super) velocity: Vec<f64>,
}

/// The time of a corner's parabola or stop, and the larger of the shares of the two edges that it takes.
pub(super) struct BlendSpan {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) share: f64,
    pub(super) is_stop: bool,
}

/// A trajectory within limits, not yet proven free.
pub(super) struct TimedRows {
    pub(super) times: Vec<f64>,
    pub(super) waypoints: Vec<Vec<f64>>,
    pub(super) velocities: Vec<Vec<f64>>,
    /// The spans of the corners, in order.
    spans: Vec<BlendSpan>,
    /// The time over which positions were averaged.
    window: f64,
}

impl TimedRows {
    /// Stretches the time until the limits are kept.
    pub(super) fn new(
        rows: Vec<TimedRow>,
        spans: Vec<BlendSpan>,
        window: f64,
        limits: &MotionLimits,
    ) -> Result<TimedRows> {
        let mut stretch = 1.0 + FIRST_STRETCH;
        for more in 0..MOST_STRETCHES {
            let times: Vec<f64> = rows.iter().map(|row| row.time * stretch).collect();
            let velocity = |row: &TimedRow| row.velocity.iter().map(|v| v / stretch).collect();
            let velocities: Vec<Vec<f64>> = rows.iter().map(velocity).collect();
            let positions = |k: usize| &rows[k].position[..];
            let pieces = (1..rows.len()).map(|k| {
                let ends = [positions(k - 1), positions(k)];
                excess([times[k - 1], times[k]], ends, [&velocities[k - 1], &velocities[k]], limits)
            });
            let excess = pieces.fold(0.0, upper_max);
            if excess <= 1.0 {
                let spans = spans.into_iter();
                let spans = spans.map(|span| BlendSpan {
                    start: span.start * stretch,
                    end: span.end * stretch,
                    ..span
                });
                return Ok(TimedRows {
                    times,
                    waypoints: rows.into_iter().map(|row| row.position).collect(),
                    velocities,
                    spans: spans.collect(),
                    window: window * stretch,
                });
            }
            stretch *= excess * (1.0 + FIRST_STRETCH * (more + 1) as f64);
        }
        let what = "a path that is too short for its limits to be kept in floating point".into();
        Err(Error::Unsupported { what })
    }

    pub(super) fn trajectory(&self, robot: &Robot) -> Result<Trajectory> {
        Trajectory::cubic(robot, &self.times, &self.waypoints, &self.velocities)
    }

    pub(super) fn pieces(&self) -> usize {
        self.times.len() - 1
    }

    pub(super) fn duration(&self) -> f64 {
        self.times.last().copied().unwrap_or(0.0)
    }

    /// Returns the number of corners at which the robot stops.
    pub(super) fn stops(&self) -> usize {
        self.spans.iter().filter(|span| span.is_stop).count()
    }

    /// Returns the larger share of an edge that a corner takes.
    pub(super) fn share(&self, corner: usize) -> f64 {
        self.spans[corner].share
    }

    /// Returns the time on the trajectory for a time from 0 to 1 of a piece.
    pub(super) fn time_in(&self, piece: usize, t: f64) -> f64 {
        self.times[piece] + (self.times[piece + 1] - self.times[piece]) * t
    }

    /// Returns the corners that a piece cuts.
    pub(super) fn corners_in(&self, piece: usize) -> Vec<usize> {
        let [start, end] = [self.times[piece] - self.window, self.times[piece + 1]];
        let cuts = |span: &BlendSpan| span.share > 0.0 && span.start < end && span.end > start;
        (0..self.spans.len()).filter(|&k| cuts(&self.spans[k])).collect()
    }

    /// Returns the corners that a piece cuts; if there are none, the nearest before it and the nearest after it.
    pub(super) fn corners_near(&self, piece: usize) -> Vec<usize> {
        let own = self.corners_in(piece);
        if !own.is_empty() {
            return own;
        }
        let next = self.spans.partition_point(|span| span.start < self.times[piece]);
        let before = next.checked_sub(1);
        before.into_iter().chain((next < self.spans.len()).then_some(next)).collect()
    }
}

/// Returns 1 or less if the cubic keeps the limits, or else a factor by which to stretch the time.
fn excess([t0, t1]: [f64; 2], [q0, q1]: [&[f64]; 2], [v0, v1]: [&[f64]; 2], limits: &MotionLimits) -> f64 {
    let time = Interval::point(t1) - Interval::point(t0);
    let [two, three] = [2.0, 3.0].map(Interval::point);
    let mut excess = 0.0;
    for k in 0..q0.len() {
        let [q0, q1, v0, v1] = [q0[k], q1[k], v0[k], v1[k]].map(Interval::point);
        let w = three * (q1 - q0) / time - v0 - v1;
        let (first, second) = (w - v0, v1 - w);
        let largest = |values: &[Interval]| values.iter().map(|value| value.mag()).fold(0.0, upper_max);
        // The quotient of a number and a limit is above 1 if the number is above the limit, also when it is rounded.
        let over = |size: f64, limit: f64| if size <= limit { 0.0 } else { (size / limit).next_up() };
        let speed = over(largest(&[v0, w, v1]), limits.velocity[k]);
        let acceleration = over(largest(&[first * two / time, second * two / time]), limits.acceleration[k]);
        excess = upper_max(excess, upper_max(speed, acceleration.sqrt()));
        if let Some(jerk) = &limits.jerk {
            let change = largest(&[(second - first) * two / time / time]);
            // Its cube root is less than this.
            excess = upper_max(excess, over(change, jerk[k]).sqrt());
        }
    }
    excess
}
