//! All maximal intervals of overlap of two moving ellipsoids.
//!
//! Spans of time whose two ends have been classified are processed, the widest first:
//! 1. *Separate at both ends* (a candidate separation interval): Bézier shoots from both ends. If they meet, all is
//!    separate; otherwise the proven parts are removed and the rest is divided in the middle (Algorithm 2).
//! 2. *Separate at one end, overlapping at the other*: shoots from the separate end approach the contact quadratically.
//!    Just beyond the contact, the overlap is proven again (`ContactTime`).
//! 3. *Overlapping at both ends* (a candidate overlap interval): each coefficient of `F` in time is a quartic in `u`;
//!    if all are negative on `[0, 1]`, so is `F`, and there is no loop of separation inside. Otherwise the span is
//!    divided in the middle (Algorithm 3).
//!
//! **Guarantee.** All times outside the returned intervals are proven separate. In an interval of kind `Overlap`, the
//! ellipsoids overlap from the second number of its start to the first number of its end, except that separations
//! shorter than [`LOOP_RESOLUTION`] may go unreported. Spans without either proof are returned as intervals of kind
//! `Graze`, or belong to the start or the end of the overlap next to them. Such spans are shorter than [`RESOLUTION`]
//! at a transversal contact. At a tangential contact, they last while rounding hides the sign: `3e-8` for a contact of
//! second order, `2e-4` for one of fourth order.
//!
//! A spent budget is no proof: the remaining spans then count as unknown, even if the state of their ends is known. The
//! widest span is processed first, so the remaining spans are narrow, and one hard contact does not use up the budget
//! of the others.
//!
//! **Departures.** The paper silently treats tiny spans as overlaps; here they have their own kind. Its test with the
//! derivative by time is not needed: quartics in `u` are tested with a split at their own maximum.
//!
//! Reference: Choi, Chang, Wang, Kim, Elber 2009, Sec. 3.2, Algorithms 1 to 3 and Remark 4.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::characteristic::{Proof, Terms, is_negative};
use super::equation::Equation;
use super::form::Numbers;
use crate::numerics::rounding::{TINY, UNIT};

/// The length below which spans of time are not divided.
pub const RESOLUTION: f64 = 1e-9;

/// The length of the shortest separation that is searched for between two instants of overlap (Remark 4 of the paper):
/// close to a contact, proofs have little margin. The same holds between two instants at which rounding hides the
/// relation.
pub const LOOP_RESOLUTION: f64 = 1e-6;

/// The kind of an interval: a certain overlap, or a possible touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverlapKind {
    /// The ellipsoids overlap.
    Overlap,
    /// The ellipsoids may touch, or come close. Rounding hides which.
    Graze,
}

/// A maximal interval during which two ellipsoids touch or overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Overlap {
    /// The start lies between these. At the second they overlap, if the kind is `Overlap`. They are separate before the
    /// first, or the previous interval ends between the same two times: then it is unknown if they part in between.
    pub start: [f64; 2],
    /// The end lies between these. They are separate after the second, or the next interval starts between the same two
    /// times.
    pub end: [f64; 2],
    /// The kind: the proof for the time between.
    pub kind: OverlapKind,
}

impl Overlap {
    pub(crate) fn between(start: [f64; 2], end: [f64; 2], kind: OverlapKind) -> Overlap {
        Overlap { start, end, kind }
    }
}

/// The state at an instant, or during a whole span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Separate,
    Overlapping,
    Unknown,
}

#[derive(Debug, Clone, Copy)]
struct Span {
    ends: [f64; 2],
    states: [State; 2],
}

impl Span {
    fn width(&self) -> f64 {
        self.ends[1] - self.ends[0]
    }

    /// Returns the length below which a span is not divided.
    fn shortest(&self) -> f64 {
        // Next to a proven separation, shoots approach the contact; elsewhere proofs have little margin.
        if self.states.contains(&State::Separate) || self.states[0] != self.states[1] {
            RESOLUTION
        } else {
            LOOP_RESOLUTION
        }
    }
}

/// By width; of spans of equal width, the earlier one comes first.
impl Ord for Span {
    fn cmp(&self, other: &Span) -> Ordering {
        self.width().total_cmp(&other.width()).then_with(|| other.ends[0].total_cmp(&self.ends[0]))
    }
}

impl PartialOrd for Span {
    fn partial_cmp(&self, other: &Span) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Span {
    fn eq(&self, other: &Span) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Span {}

/// The most spans, far more than for any equation of a degree in the hundreds. Spans beyond that number count as
/// unknown.
const MAX_SPANS: usize = 20_000;

impl Equation {
    /// Returns all intervals of overlap in `[0, 1]`, in the order of time. See
    /// [`overlap_intervals`](super::overlap_intervals).
    pub fn overlap_intervals(&self) -> Vec<Overlap> {
        let mut findings: Vec<(f64, f64, State)> = Vec::new();
        let mut spans = BinaryHeap::from([self.span(0.0, 1.0)]);
        let mut processed = 0;
        while let Some(span) = spans.pop() {
            processed += 1;
            let [t1, t2] = span.ends;
            if span.width() <= span.shortest() {
                let is_overlap = span.states == [State::Overlapping; 2];
                findings.push((t1, t2, if is_overlap { State::Overlapping } else { State::Unknown }));
                continue;
            }
            if processed > MAX_SPANS {
                findings.push((t1, t2, State::Unknown));
                continue;
            }
            match span.states {
                [State::Overlapping, State::Overlapping] => {
                    if self.is_overlapping(t1, t2) {
                        findings.push((t1, t2, State::Overlapping));
                    } else {
                        self.divide(t1, self.between_depths(t1, t2), t2, &mut spans);
                    }
                }
                [first, last] => {
                    let after = if first == State::Separate { self.shoot_on(t1, t2) } else { t1 };
                    if after >= t2 {
                        findings.push((t1, t2, State::Separate));
                        continue;
                    }
                    let before = if last == State::Separate { self.shoot_on(t2, t1) } else { t2 };
                    if after >= before {
                        findings.push((t1, t2, State::Separate));
                        continue;
                    }
                    self.divide_rest(after, before, &mut spans, &mut findings);
                    if after > t1 {
                        findings.push((t1, after, State::Separate));
                    }
                    if before < t2 {
                        findings.push((before, t2, State::Separate));
                    }
                }
            }
        }
        findings.sort_by(|x, y| x.0.total_cmp(&y.0));
        merge(&findings)
    }

    fn span(&self, t1: f64, t2: f64) -> Span {
        Span { ends: [t1, t2], states: [self.state_at(t1), self.state_at(t2)] }
    }

    fn state_at(&self, t: f64) -> State {
        match self.state(t, 0.5) {
            Proof::Positive(_) => State::Separate,
            Proof::Negative(_) => State::Overlapping,
            Proof::Unknown(_) => State::Unknown,
        }
    }

    /// Returns the time at which to divide a span of overlap. The depth, `1 − f` of `characteristic`, grows like the
    /// time `δ` since the contact at its end. The loss of the proof over a width `w` grows like `w²`, so a first part
    /// of `sqrt(δ w)` can be proven and ends at a deep overlap. A few parts reach from a contact to the middle; halving
    /// takes thirty.
    fn between_depths(&self, t1: f64, t2: f64) -> f64 {
        let [near, far] = [t1, t2].map(|t| {
            let (_, _, terms) = self.at(t);
            (1.0 - terms.ratio(terms.best_u(0.5))).max(0.0).sqrt() // not a bound: where to divide
        });
        // A guess: a NaN depth reads as zero, and 0 / 0 halves the span.
        let part = near / (near + far);
        t1 + (t2 - t1) * if part.is_nan() { 0.5 } else { part.clamp(1e-4, 1.0 - 1e-4) }
    }

    fn divide(&self, t1: f64, middle: f64, t2: f64, spans: &mut BinaryHeap<Span>) {
        let later = self.span(middle, t2);
        spans.push(later);
        spans.push(self.span(t1, middle));
    }

    /// Divides the part that shoots from both ends left over. Next to an end of unknown state, most likely a contact, a
    /// short piece is given up as unknown. The rest, whose ends are decided, is divided in the middle.
    fn divide_rest(
        &self,
        t1: f64,
        t2: f64,
        spans: &mut BinaryHeap<Span>,
        findings: &mut Vec<(f64, f64, State)>,
    ) {
        let quarter = 0.25 * (t2 - t1);
        let step_off = |end: f64, other: f64| {
            let is_stuck = match self.state(end, 0.5) {
                Proof::Positive(u) => (self.shoot(u, end, other) - end).abs() < RESOLUTION,
                Proof::Negative(_) => false,
                Proof::Unknown(_) => true,
            };
            let sign = if other > end { 1.0 } else { -1.0 };
            let (mut step, mut t) = (0.25 * RESOLUTION, end);
            while step < quarter && is_stuck && (t == end || self.state_at(t) == State::Unknown) {
                t = end + sign * step;
                step *= 4.0;
            }
            t
        };
        let (near, far) = (step_off(t1, t2), step_off(t2, t1));
        if near > t1 {
            findings.push((t1, near, State::Unknown));
        }
        if far < t2 {
            findings.push((far, t2, State::Unknown));
        }
        let middle = 0.5 * (near + far);
        spans.push(self.span(middle, far));
        spans.push(self.span(near, middle));
    }

    /// Returns the time that shoots from `from` towards `to` reach.
    fn shoot_on(&self, from: f64, to: f64) -> f64 {
        let (mut t, mut u) = (from, 0.5);
        for _ in 0..16 {
            match self.state(t, u) {
                Proof::Positive(best) => u = best,
                _ => break,
            }
            let next = self.shoot(u, t, to);
            if next == to || (next - t).abs() <= 4.0 * f64::EPSILON {
                return next;
            }
            t = next;
        }
        t
    }

    /// Returns true if `F` is proven negative for all `u` from `t1` to `t2`.
    fn is_overlapping(&self, t1: f64, t2: f64) -> bool {
        let n = self.degree;
        let mut rows = self.rows.clone();
        let mut inner = self.inner.clone();
        let mut errors = self.errors;
        for row in rows.iter_mut().chain(inner.iter_mut()) {
            restrict(row, t1, t2);
        }
        for (error, size) in errors.iter_mut().zip(self.sizes) {
            // Two cuts with 5 roundings at each level.
            *error = (*error + 1.01 * UNIT * (10 * n) as f64 * size) * (1.0 + 64.0 * UNIT) + TINY;
        }
        // Neighbours have their maxima close to each other.
        let mut u = 0.5;
        (0..=n).all(|j| {
            let c = rows.each_ref().map(|row| row[j]);
            is_negative(&c, &errors, u) || {
                u = Terms::from_coefficients(&c, inner[0][j], inner[1][j]).best_u(u);
                is_negative(&c, &errors, u)
            }
        })
    }
}

/// Restricts a polynomial from `[0, 1]` to `[a, b]`, as `Line::restrict` does.
fn restrict(numbers: &mut Numbers, a: f64, b: f64) {
    let after = |numbers: &mut [f64], near: f64, far: f64| super::shoot::cut(numbers, near, far);
    let before = |numbers: &mut [f64], near: f64, far: f64| {
        numbers.reverse();
        super::shoot::cut(numbers, far, near);
        numbers.reverse();
    };
    if a <= 0.5 {
        after(numbers, 1.0 - a, a);
        before(numbers, (1.0 - b) / (1.0 - a), (b - a) / (1.0 - a));
    } else {
        before(numbers, 1.0 - b, b);
        after(numbers, (b - a) / b, a / b);
    }
}

/// Returns the overlaps and grazes of findings that are in the order of time and cover the whole time.
fn merge(findings: &[(f64, f64, State)]) -> Vec<Overlap> {
    let mut overlaps = Vec::new();
    for run in findings.split(|finding| finding.2 == State::Separate) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
        // The proven parts of the run. Two parts are joined if the unknown part between them is too short to be
        // reported.
        let mut proven: Vec<[f64; 2]> = Vec::new();
        for &(begin, end, _) in run.iter().filter(|finding| finding.2 == State::Overlapping) {
            match proven.last_mut() {
                Some(part) if begin - part[1] <= LOOP_RESOLUTION => part[1] = end,
                _ => proven.push([begin, end]),
            }
        }
        if proven.is_empty() {
            let both = [first.0, last.1];
            overlaps.push(Overlap { start: both, end: both, kind: OverlapKind::Graze });
        }
        for (i, part) in proven.iter().enumerate() {
            let before = if i == 0 { first.0 } else { proven[i - 1][1] };
            let after = proven.get(i + 1).map_or(last.1, |next| next[0]);
            overlaps.push(Overlap {
                start: [before, part[0]],
                end: [part[1], after],
                kind: OverlapKind::Overlap,
            });
        }
    }
    overlaps
}
