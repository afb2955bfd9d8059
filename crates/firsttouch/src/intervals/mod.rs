//! All times at which two composites touch, by branch and bound in time and moving witness points.
//!
//! 1. *Free windows.* The search of `clearance` decides if a window is free: either all pairs stay farther apart than
//!    the separation plus half the tolerance, or the search finds an instant and two leaves within the tolerance.
//! 2. *The length of a touch.* From that instant, in both directions, spans are proven to touch (`witness`): each leaf
//!    has a point that moves with it, and the two points stay within the tolerance of each other. Spans grow after a
//!    success and shrink after a failure. Other leaves may still touch after the two part.
//! 3. The rest of the window, before and after the touch, is examined in the same way.
//!
//! # Guarantee
//! All times outside the returned intervals are proven free: no two pieces are closer than the separation. In an
//! interval of kind `Overlap`, the two are within the separation and the tolerance from the second number of its start
//! to the first number of its end. Separations shorter than [`RESOLUTION`] may go unreported. In an interval of kind
//! `Graze`, they touch at some time, or the budget was spent; the rest is not proven.

mod witness;

use smallvec::SmallVec;

use crate::clearance::{Question, SidePair, bounded, least_distance};
use crate::control::Watch;
use crate::ellipsoid::{Overlap, OverlapKind, RESOLUTION};
use crate::motion::jumps;
use crate::numerics::bound::upper_max;
use crate::options::Options;
use crate::pair::TreeStats;
use crate::tree::composite::Composite;

use witness::Witnesses;

/// The distances that count as touching, the time span and the budget.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TouchLimits {
    pub(crate) t_end: f64,
    pub(crate) separation: f64,
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: usize,
    pub(crate) watch: Watch,
}

impl TouchLimits {
    pub(crate) fn new(options: &Options, watch: Watch) -> TouchLimits {
        let &Options { t_max, min_separation, tolerance, max_iterations, .. } = options;
        TouchLimits { t_end: t_max, separation: min_separation, tolerance, max_iterations, watch }
    }
}

/// A span in which the two touch.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Zone {
    span: [f64; 2],
    is_proven: bool,
}

/// Returns all times of touching of any of the pairs, in order. Each pair touches within its own separation; the
/// separation of the limits has no effect.
pub(crate) fn overlap_intervals<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    limits: &TouchLimits,
) -> Vec<Overlap> {
    let bounded = bounded(pairs, [0.0, limits.t_end]);
    let pairs = bounded.as_deref().unwrap_or(pairs);
    let mut separations: Vec<f64> = pairs.iter().map(|pair| pair.separation).collect();
    separations.sort_by(f64::total_cmp);
    separations.dedup();
    let mut zones = Vec::new();
    let mut free = vec![[0.0, limits.t_end]];
    for separation in separations {
        let own: Vec<SidePair<'_, C>> =
            pairs.iter().filter(|pair| pair.separation == separation).copied().collect();
        let (found, of_pairs) = zones_of(&own, &TouchLimits { separation, ..*limits });
        zones.extend(found);
        free = common(&free, &of_pairs);
    }
    merged(zones, &free, limits.t_end)
}

/// Returns the intersections of the windows of both lists.
fn common(first: &[[f64; 2]], second: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let both = |x: &[f64; 2], y: &[f64; 2]| [upper_max(x[0], y[0]), if x[1] < y[1] { x[1] } else { y[1] }];
    let windows = first.iter().flat_map(|x| second.iter().map(move |y| both(x, y)));
    windows.filter(|window| window[0] < window[1]).collect()
}

/// Finds the spans in which pairs of one separation touch, and the windows in which they are proven free.
fn zones_of<C: Composite + Copy>(
    pairs: &[SidePair<'_, C>],
    limits: &TouchLimits,
) -> (Vec<Zone>, Vec<[f64; 2]>) {
    let mut search = IntervalSearch { pairs, limits, steps: 0 };
    let (mut zones, mut free) = (Vec::new(), Vec::new());
    // Velocities jump only at these times.
    let motions = pairs.iter().flat_map(|pair| pair.sides.iter().map(|side| side.motion));
    let mut cuts: SmallVec<[f64; 4]> = motions.flat_map(jumps).collect();
    cuts.retain(|t| 0.0 < *t && *t < limits.t_end);
    cuts.push(limits.t_end);
    cuts.sort_by(f64::total_cmp);
    cuts.dedup();
    let mut from = 0.0;
    for to in cuts {
        let mut open = vec![[from, to]];
        while let Some(window) = open.pop() {
            match search.decide(window) {
                Decided::Free => free.push(window),
                Decided::Unknown => zones.push(Zone { span: window, is_proven: false }),
                Decided::Touches(t, touching) => {
                    let zone = search.around(t, touching, window);
                    let [before, after] = [zone.span[0] - RESOLUTION, zone.span[1] + RESOLUTION];
                    if before > window[0] {
                        open.push([window[0], before]);
                    }
                    if after < window[1] {
                        open.push([after, window[1]]);
                    }
                    zones.push(zone);
                }
            }
        }
        from = to;
    }
    (zones, free)
}

/// Joins zones without a proven free time between them, and finds the brackets of their ends.
fn merged(mut zones: Vec<Zone>, free: &[[f64; 2]], t_end: f64) -> Vec<Overlap> {
    zones.sort_by(|x, y| x.span[0].total_cmp(&y.span[0]));
    let is_apart = |from: f64, to: f64| free.iter().any(|window| window[0] >= from && window[1] <= to);
    let mut joined: Vec<Zone> = Vec::new();
    for zone in zones {
        match joined.last_mut() {
            Some(last) if !is_apart(last.span[1], zone.span[0]) => {
                last.span[1] = upper_max(last.span[1], zone.span[1]);
                last.is_proven &= zone.is_proven;
            }
            _ => joined.push(zone),
        }
    }
    let bracket = |zone: &Zone| {
        let [from, to] = zone.span;
        let before = free.iter().map(|window| window[1]).filter(|end| *end <= from);
        let after = free.iter().map(|window| window[0]).filter(|start| *start >= to);
        let start = before.fold(0.0, upper_max);
        let end = after.fold(t_end, |least, start| if start < least { start } else { least });
        let kind = if zone.is_proven { OverlapKind::Overlap } else { OverlapKind::Graze };
        Overlap::between([start, from], [to, end], kind)
    };
    joined.iter().map(bracket).collect()
}

enum Decided {
    Free,
    /// The time at which two leaves of a pair are within the tolerance.
    Touches(f64, Touching),
    Unknown,
}

/// Two leaves that touch.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Touching {
    pair: usize,
    leaves: [u32; 2],
}

struct IntervalSearch<'a, C> {
    pairs: &'a [SidePair<'a, C>],
    limits: &'a TouchLimits,
    /// The number of spans tried.
    steps: usize,
}

impl<C: Composite + Copy> IntervalSearch<'_, C> {
    fn within(&self) -> f64 {
        self.limits.separation + self.limits.tolerance
    }

    fn is_spent(&self) -> bool {
        self.steps >= self.limits.max_iterations || self.limits.watch.is_raised()
    }

    fn decide(&mut self, span: [f64; 2]) -> Decided {
        if self.is_spent() {
            return Decided::Unknown;
        }
        self.steps += 1;
        let within = self.within();
        let question = Question {
            span,
            tolerance: 0.5 * self.limits.tolerance,
            known_upper: within,
            max_iterations: self.limits.max_iterations,
            least_budget: 0,
            watch: self.limits.watch,
            is_any_enough: true,
        };
        let found = least_distance(self.pairs, &question, &mut TreeStats::default());
        match found.nearest {
            Some((pair, touch)) => Decided::Touches(touch.t, Touching { pair, leaves: touch.leaves }),
            None if found.lower > self.limits.separation => Decided::Free,
            None => Decided::Unknown,
        }
    }

    /// Returns the span around an instant of touching, within a window.
    fn around(&mut self, t: f64, touching: Touching, window: [f64; 2]) -> Zone {
        let to = self.lasting(t, touching, window[1]);
        let from = self.lasting(t, touching, window[0]);
        Zone { span: [from, to], is_proven: true }
    }

    /// Returns the end of the proven touch towards a time.
    fn lasting(&mut self, mut t: f64, mut touching: Touching, end: f64) -> f64 {
        let mut step = 1e-2_f64;
        let direction = if end > t { 1.0 } else { -1.0 };
        let mut witnesses = Witnesses::new(&self.pairs[touching.pair], touching.leaves);
        while t != end && !self.is_spent() {
            self.steps += 1;
            let next = if (end - t).abs() <= step { end } else { t + direction * step };
            // The term added to the distance grows with the square of the step, or with the step if a point jumps.
            let room = witnesses.stay([t, next], self.within());
            let factor = 0.9 * room.sqrt();
            if room >= 1.0 {
                (t, step) = (next, step * if factor < 4.0 { factor } else { 4.0 });
                continue;
            }
            if step > RESOLUTION {
                step *= if factor > 0.25 { factor } else { 0.25 };
                step = if step > RESOLUTION { step } else { RESOLUTION };
                continue;
            }
            // These leaves part here. Others may still touch.
            let Decided::Touches(_, other) = self.decide([next, next]) else { break };
            if other == touching {
                break;
            }
            witnesses = Witnesses::new(&self.pairs[other.pair], other.leaves);
            if witnesses.stay([t, next], self.within()) < 1.0 {
                break;
            }
            (t, touching) = (next, other);
        }
        t
    }
}
