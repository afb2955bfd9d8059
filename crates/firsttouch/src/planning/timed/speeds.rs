//! The speeds along the edges of a path and the parabolas at its corners: step 1 of `timed`.
//!
//! Let `d` be the difference of the two ends of an edge. A robot that goes along the edge at the rate `ρ` per second
//! has the velocity `ρ d`. Its largest rate `R` is the least of `v_j / |d_j|` over the joints `j`, its largest change
//! of the rate `A` the least of `a_j / |d_j|`.
//!
//! At a corner the robot comes with the rate `ρ` along `d` and leaves with the rate `ρ'` along `d'`. With a constant
//! acceleration that takes the time `t = max |ρ'_j d'_j - ρ_j d_j| / a_j`, and the parabola takes the share `ρ t / 2`
//! of the edge before it, and `ρ' t / 2` of the edge after it. Rates of `ρ = sqrt(x) R` and `ρ' = sqrt(x) R'` make both
//! shares, and the squares of both rates, multiples of `x`.
//!
//! 1. Each corner has the largest `x <= 1` whose shares are at most the ones allowed.
//! 2. On an edge whose parabolas take the shares `f` and `f'`, the robot must be able to go from the rate `ρ` to `ρ'`:
//!    `ρ² <= ρ'² + 2 A (1 - f - f')`, and the same the other way. Both are linear in the `x` of the two corners. The
//!    `x` of the faster one is made smaller, forth and back along the path, until all hold. At `x = 0` they do.
//! 3. Between the parabolas the robot accelerates by `A`, keeps the rate `R` if it gets there, and brakes by `A`.

use super::MotionLimits;
use super::average::averaged;
use super::rows::{BlendSpan, TimedRow, TimedRows};
use crate::error::{Error, Result};
use crate::numerics::bound::upper_max;

/// Waypoints that a robot leaves for the next after less than this part of the way are left out. The corners of shorter
/// edges take times below [`SHORTEST_PIECE`], and their rates go beyond all numbers. The trajectory is proven as it is,
/// so the guarantee does not depend on it.
const SHORTEST_EDGE: f64 = 1e-6;

/// The pieces of a trajectory take at least this part of its duration. Shorter ones would magnify the roundings of the
/// positions: by 36 / `SHORTEST_PIECE`² roundings in the acceleration.
const SHORTEST_PIECE: f64 = 2e-6;

/// Violations up to this part are left to the check of the limits.
const SLACK: f64 = 1e-12;

/// A path, without the waypoints that it does not need.
pub(super) struct CornerPath {
    waypoints: Vec<Vec<f64>>,
    edges: Vec<PathEdge>,
    corners: Vec<CornerBlend>,
}

/// An edge of the path: from a waypoint to the next.
struct PathEdge {
    along: Vec<f64>,
    /// `R` and `A` of the header.
    rate: f64,
    acceleration: f64,
}

/// A corner of the path: for `x = 1` the squares of the rates before and after it, the shares of the edges, and the
/// time.
#[derive(Clone, Copy)]
struct CornerBlend {
    squares: [f64; 2],
    shares: [f64; 2],
    time: f64,
}

impl CornerPath {
    pub(super) fn new(waypoints: &[Vec<f64>], limits: &MotionLimits) -> Result<CornerPath> {
        let nothing = || Error::Unsupported { what: "a trajectory along a path that does not move".into() };
        let (Some(first), Some(last)) = (waypoints.first(), waypoints.last()) else { return Err(nothing()) };
        let seconds = |a: &[f64], b: &[f64]| {
            let all = a.iter().zip(b).zip(&limits.velocity).map(|((a, b), v)| (b - a).abs() / v);
            all.fold(0.0, upper_max)
        };
        let whole: f64 = waypoints.windows(2).map(|ends| seconds(&ends[0], &ends[1])).sum();
        let shortest = whole * SHORTEST_EDGE;
        let mut used = vec![first.clone()];
        for waypoint in waypoints {
            if used.last().is_some_and(|end| seconds(end, waypoint) > shortest) {
                used.push(waypoint.clone());
            }
        }
        // The last waypoint is the end, whether or not it was left out.
        match used.last_mut() {
            Some(end) if whole > 0.0 => end.clone_from(last),
            _ => return Err(nothing()),
        }
        if used.len() == 1 {
            used.insert(0, first.clone());
        }
        let edges: Vec<PathEdge> =
            used.windows(2).map(|ends| PathEdge::new(&ends[0], &ends[1], limits)).collect();
        if edges.iter().any(|edge| !(edge.rate.is_finite() && edge.acceleration.is_finite())) {
            return Err(nothing());
        }
        let corners = edges.windows(2).map(|pair| CornerBlend::new(&pair[0], &pair[1], limits)).collect();
        Ok(CornerPath { waypoints: used, edges, corners })
    }

    /// Returns the number of waypoints between the ends.
    pub(super) fn corners(&self) -> usize {
        self.corners.len()
    }

    /// Returns the rows of the fastest trajectory whose parabolas take at most these shares of their edges.
    pub(super) fn rows(&self, shares: &[f64], limits: &MotionLimits) -> Result<TimedRows> {
        let still = CornerBlend { squares: [0.0; 2], shares: [0.0; 2], time: 0.0 };
        let mut turns = vec![still; self.waypoints.len()];
        for ((turn, speed), corner) in
            turns[1..].iter_mut().zip(self.speeds(shares, &still)).zip(&self.corners)
        {
            *turn = corner.slower(speed);
        }
        let window = limits.jerk.as_ref().map_or(0.0, |jerk| {
            limits.acceleration.iter().zip(jerk).map(|(a, j)| 2.0 * a / j).fold(0.0, upper_max)
        });
        let mut time = 0.0;
        let mut spans = Vec::with_capacity(self.corners.len());
        let mut rows = vec![self.row(0, 0, 0.0, 0.0, 0.0)];
        for (k, edge) in self.edges.iter().enumerate() {
            let ([_, enter], [exit, _]) = (turns[k].squares, turns[k + 1].squares);
            let ([_, before], [after, _]) = (turns[k].shares, turns[k + 1].shares);
            let rest = upper_max(1.0 - before - after, 0.0);
            let highest = ((enter + exit) / 2.0 + edge.acceleration * rest).sqrt();
            let highest = if highest < edge.rate { highest } else { edge.rate };
            // The times to accelerate and to brake, and the shares of the edge that they take.
            let [(up, rising), (down, falling)] = [enter, exit].map(|square| {
                let rate = square.sqrt();
                let time = upper_max(highest - rate, 0.0) / edge.acceleration;
                (time, time * (highest + rate) / 2.0)
            });
            time += up;
            rows.push(self.row(k, k, before + rising, highest, time));
            time += upper_max(rest - rising - falling, 0.0) / highest;
            rows.push(self.row(k, k + 1, after + falling, highest, time));
            time += down;
            rows.push(self.row(k, k + 1, after, exit.sqrt(), time));
            let Some(turn) = turns.get(k + 1).filter(|_| k + 1 < self.edges.len()) else { continue };
            let [_, leave] = turn.squares;
            // The average over a window stays on the path only if the robot waits for that long.
            let is_stop = leave == 0.0;
            let takes = if is_stop { window } else { turn.time };
            let share = upper_max(after, turn.shares[1]);
            let span = BlendSpan { start: time, end: time + takes, share, is_stop };
            spans.push(span);
            time += takes;
            rows.push(self.row(k + 1, k + 1, turn.shares[1], leave.sqrt(), time));
        }
        let rows = without_short(rows);
        TimedRows::new(
            if window > 0.0 { without_short(averaged(&rows, window)) } else { rows },
            spans,
            window,
            limits,
        )
    }

    /// The row on an edge at a share of it from one of its ends.
    fn row(&self, edge: usize, end: usize, share: f64, rate: f64, time: f64) -> TimedRow {
        let PathEdge { along, .. } = &self.edges[edge];
        let share = if end > edge { -share } else { share };
        TimedRow {
            time,
            position: self.waypoints[end].iter().zip(along).map(|(q, d)| q + share * d).collect(),
            // No zero has a sign.
            velocity: along.iter().map(|d| rate * d + 0.0).collect(),
        }
    }

    /// The `x` of each corner: steps 1 and 2 of the header.
    fn speeds(&self, shares: &[f64], still: &CornerBlend) -> Vec<f64> {
        // The ends of the path come first and last.
        let corner = |k: usize| k.checked_sub(1).and_then(|k| self.corners.get(k)).unwrap_or(still);
        let mut x = vec![0.0; self.edges.len() + 1];
        for (k, &allowed) in shares.iter().enumerate() {
            let [before, after] = self.corners[k].shares;
            let largest = upper_max(before, after);
            x[k + 1] = if allowed >= largest { 1.0 } else { allowed / largest };
        }
        // One way there and back is enough if the squares of rates grow faster than the shares. Otherwise a smaller `x`
        // leaves its neighbour more room. All steps make an `x` smaller, and the number of rounds ends the rest.
        for _ in 0..2 * self.edges.len() + 2 {
            let mut is_done = true;
            for k in (0..self.edges.len()).chain((0..self.edges.len()).rev()) {
                for [i, j] in [[k, k + 1], [k + 1, k]] {
                    let (own, other) = (corner(i), corner(j));
                    // The side of each corner that is on this edge.
                    let [here, there] = if i == k { [1, 0] } else { [0, 1] };
                    let twice = 2.0 * self.edges[k].acceleration;
                    let has = twice + x[j] * (other.squares[there] - twice * other.shares[there]);
                    let needs = own.squares[here] + twice * own.shares[here];
                    if x[i] * needs > has * (1.0 + SLACK) {
                        x[i] = upper_max(has, 0.0) / needs;
                        is_done = false;
                    }
                }
            }
            if is_done {
                break;
            }
        }
        x[1..self.edges.len()].to_vec()
    }
}

impl PathEdge {
    fn new(from: &[f64], to: &[f64], limits: &MotionLimits) -> PathEdge {
        let along: Vec<f64> = from.iter().zip(to).map(|(from, to)| to - from).collect();
        let slowest = |limits: &[f64]| {
            let all = along.iter().zip(limits).map(|(d, limit)| d.abs() / limit);
            1.0 / all.fold(0.0, upper_max)
        };
        let (rate, acceleration) = (slowest(&limits.velocity), slowest(&limits.acceleration));
        PathEdge { along, rate, acceleration }
    }
}

impl CornerBlend {
    fn new(before: &PathEdge, after: &PathEdge, limits: &MotionLimits) -> CornerBlend {
        let changes =
            before.along.iter().zip(&after.along).map(|(b, a)| (after.rate * a - before.rate * b).abs());
        let time =
            changes.zip(&limits.acceleration).map(|(change, limit)| change / limit).fold(0.0, upper_max);
        let rates = [before.rate, after.rate];
        CornerBlend {
            squares: rates.map(|rate| rate * rate),
            shares: rates.map(|rate| rate * time / 2.0),
            time,
        }
    }

    fn slower(&self, x: f64) -> CornerBlend {
        CornerBlend {
            squares: self.squares.map(|s| s * x),
            shares: self.shares.map(|s| s * x),
            time: self.time * x.sqrt(),
        }
    }
}

/// Leaves out rows that follow another too closely; the first and the last stay.
fn without_short(rows: Vec<TimedRow>) -> Vec<TimedRow> {
    let Some(whole) = rows.last().map(|row| row.time) else { return rows };
    let shortest = whole * SHORTEST_PIECE;
    let last = rows.len() - 1;
    let mut used: Vec<TimedRow> = Vec::with_capacity(rows.len());
    for (k, row) in rows.into_iter().enumerate() {
        if used.last().is_some_and(|end| row.time - end.time < shortest) {
            if k < last {
                continue;
            }
            if used.len() > 1 {
                used.pop();
            }
        }
        used.push(row);
    }
    used
}
