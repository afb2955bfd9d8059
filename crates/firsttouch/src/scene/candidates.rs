//! The broad phase of a scene: the pairs of bodies that may touch, each with a lower bound of the time of contact.
//!
//! 1. If few pairs of boxes overlap, all candidates are in one list.
//! 2. Otherwise they come in several lists, each with the pairs of some bodies and all bodies after these, so that
//!    memory is bounded however many pairs there are. A search that finds a touch at the start ends with the first
//!    list.
//!
//! Lists for the first touch go by the names of the bodies and are sorted by lower bounds: they do not depend on the
//! order of the bodies in the scene. Lists for all touches go by the order of the scene.
//!
//! The lists are kept small: 40 bytes for two bodies and 8 for each pair of their parts.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use smallvec::SmallVec;

use super::Scene;
use super::parts::MovingPart;
use super::report::Stats;
use crate::answer::Answer;
use crate::ask::PairFilter;
use crate::body::{Body, BodyKind};
use crate::broad::{Aabb, BoxTree, overlapping_pairs_up_to};
use crate::control::Control;
use crate::narrow::balls;
use crate::numerics::Window;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::options::{Mode, Options};

/// The pairs of parts that fill a list. With two lists of 16 bytes for each pair while it is made, and 48 once it is
/// done, a full list takes 64 MB.
pub(super) const FULL_LIST: usize = 1 << 20;

/// Pairs of bodies that may touch.
pub(super) struct Candidates {
    /// For the first touch: by their lower bounds, then by the names of the bodies. For all touches: by the bodies.
    pub(super) sorted: Vec<Candidate>,
    /// The pairs of parts of all candidates.
    pub(super) part_pairs: Vec<[u32; 2]>,
    /// True if no list comes after this one.
    pub(super) is_last: bool,
}

/// Two bodies that may touch.
pub(super) struct Candidate {
    /// They certainly do not touch before this time.
    pub(super) lower: f64,
    bodies: [u32; 2],
    /// The range of their pairs of parts in the list of all.
    pub(super) parts: [usize; 2],
    /// The answer, if it is known.
    pub(super) settled: Option<Box<Answer>>,
}

impl Candidate {
    /// Returns the two bodies, in the order of the scene.
    pub(super) fn bodies(&self) -> [usize; 2] {
        self.bodies.map(|i| i as usize)
    }

    /// Returns true if it is a body with itself.
    pub(super) fn is_with_itself(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }
}

/// Two bodies, the lower index first, and a part of each.
type Meeting = ([u32; 2], [u32; 2]);

/// The boxes of all parts, and the options of the query.
pub(super) struct BroadPhase<'a> {
    scene: &'a Scene,
    parts: &'a [MovingPart],
    /// The boxes of the parts, inflated by the distance that counts as touching.
    boxes: Vec<Aabb>,
    options: &'a Options,
    filter: Option<PairFilter<'a>>,
    /// The place of each body in the order of the names; computed when two candidates are compared.
    ranks: OnceLock<Vec<u32>>,
    /// All candidates, if they fit into one list.
    whole: Option<Candidates>,
    /// A list ends with the body that fills it up to this many pairs of parts.
    full_list: usize,
}

impl<'a> BroadPhase<'a> {
    pub(super) fn new(
        scene: &'a Scene,
        parts: &'a [MovingPart],
        mut boxes: Vec<Aabb>,
        options: &'a Options,
        filter: Option<PairFilter<'a>>,
        full_list: usize,
        stats: &mut Stats,
    ) -> BroadPhase<'a> {
        let n = scene.bodies.len();
        // Parts within the tolerance count as touching at the start. A body is inflated by half of the largest
        // separation of its pairs: the two halves of a pair cover its separation.
        let mut apart: SmallVec<[f64; 8]> = SmallVec::from_elem(options.min_separation, n);
        for (pair, separation) in scene.largest_separations(options) {
            for body in pair {
                apart[body] = upper_max(apart[body], separation);
            }
        }
        for (part, bounds) in parts.iter().zip(&mut boxes) {
            let half = 0.5 * (apart[part.body as usize] + options.tolerance);
            let padding = scene.largest_padding(part);
            // A padded part covers its whole padding, and the few roundings of the sums.
            let half = if padding == 0.0 { half } else { (half + padding) * (1.0 + 16.0 * UNIT) };
            *bounds = bounds.inflated(half);
        }
        let ranks = OnceLock::new();
        let mut broad = BroadPhase { scene, parts, boxes, options, filter, ranks, whole: None, full_list };
        broad.count(stats);
        broad.whole = overlapping_pairs_up_to(&broad.boxes, full_list).map(|overlapping| {
            let mut meeting: Vec<Meeting> = Vec::with_capacity(overlapping.len());
            for [p, q] in overlapping {
                meeting.extend(broad.meeting(p, q));
            }
            meeting.extend((0..parts.len()).filter_map(|p| broad.with_itself(p)));
            broad.list(meeting, true)
        });
        broad
    }

    /// Returns the names of two bodies as a key that does not depend on the order of the bodies.
    pub(super) fn names(&self, [i, j]: [usize; 2]) -> [u32; 2] {
        let ranks = self.ranks();
        let [a, b] = [ranks[i], ranks[j]];
        if a < b { [a, b] } else { [b, a] }
    }

    fn ranks(&self) -> &[u32] {
        self.ranks.get_or_init(|| self.scene.ranks())
    }

    /// Calls `work` for one list after the other until it breaks, and returns its value then. The lists are the same
    /// each time, and if there is only one, changes to it are kept. An interrupt breaks with `interrupted`.
    pub(super) fn each_list<R>(
        &mut self,
        control: &Control<'_>,
        interrupted: impl FnOnce() -> R,
        mut work: impl FnMut(&BroadPhase<'a>, &mut Candidates) -> ControlFlow<R>,
    ) -> Option<R> {
        if let Some(mut whole) = self.whole.take() {
            let done = work(self, &mut whole);
            self.whole = Some(whole);
            return done.break_value();
        }
        let n = self.scene.bodies.len();
        let mut order: Vec<usize> = (0..n).collect();
        let mut places: Vec<u32> = (0..n as u32).collect();
        if self.options.mode != Mode::All {
            let ranks = self.ranks();
            order.sort_unstable_by_key(|&i| ranks[i]);
            places.copy_from_slice(ranks);
        }
        let mut parts_of: Vec<Vec<u32>> = vec![Vec::new(); n];
        for (part, p) in self.parts.iter().zip(0..) {
            parts_of[part.body as usize].push(p);
        }
        let tree = BoxTree::new(&self.boxes);
        let mut meeting: Vec<Meeting> = Vec::new();
        for (place, &i) in order.iter().enumerate() {
            if control.is_interrupted() {
                return Some(interrupted());
            }
            for &p in &parts_of[i] {
                tree.overlapping(&self.boxes, &self.boxes[p as usize], |q| {
                    let j = self.parts[q].body as usize;
                    let is_later = if i == j { q > p as usize } else { places[j] as usize > place };
                    meeting.extend(if is_later { self.meeting(p as usize, q) } else { None });
                });
                meeting.extend(self.with_itself(p as usize));
            }
            let is_last = place + 1 == n;
            if meeting.len() >= self.full_list || is_last {
                let mut list = self.list(std::mem::take(&mut meeting), is_last);
                if let ControlFlow::Break(value) = work(self, &mut list) {
                    return Some(value);
                }
            }
        }
        None
    }

    fn is_unwanted(&self, pair: [usize; 2]) -> bool {
        self.scene.both_rest(pair) || self.is_excluded(pair)
    }

    /// Returns true if a pair is allowed to touch or filtered out.
    fn is_excluded(&self, [i, j]: [usize; 2]) -> bool {
        let bodies = &self.scene.bodies;
        self.scene.is_allowed([i, j]) || self.filter.is_some_and(|wanted| !wanted(&bodies[i], &bodies[j]))
    }

    /// Returns two parts whose boxes overlap, unless they are not to be checked.
    fn meeting(&self, p: usize, q: usize) -> Option<Meeting> {
        let (part, other) = (&self.parts[p], &self.parts[q]);
        let (i, j) = (part.body, other.body);
        let pair = if i <= j { [i, j] } else { [j, i] };
        if self.is_unwanted(pair.map(|i| i as usize)) || self.scene.parts_are_allowed(part, other) {
            return None;
        }
        // Half-spaces surround a scene, and are not checked against each other; see `HalfSpace`.
        if pair[0] != pair[1] && pair.iter().all(|&i| self.scene.bodies[i as usize].is_unbounded()) {
            return None;
        }
        let in_order = if i == j { p <= q } else { i < j };
        Some((pair, if in_order { [p as u32, q as u32] } else { [q as u32, p as u32] }))
    }

    /// Returns a deforming mesh with itself, if this part is one and is to be checked.
    fn with_itself(&self, p: usize) -> Option<Meeting> {
        let body = self.parts[p].body;
        let i = body as usize;
        let is_checked =
            matches!(self.scene.bodies[i].kind(), BodyKind::Deforming(_)) && !self.is_unwanted([i, i]);
        is_checked.then_some(([body; 2], [p as u32; 2]))
    }

    /// Counts pairs and parts.
    fn count(&self, stats: &mut Stats) {
        let Scene { bodies, rules, .. } = self.scene;
        let n = bodies.len();
        let with_itself = |body: &Body| matches!(body.kind(), BodyKind::Robot(_) | BodyKind::Deforming(_));
        let selves = (0..n).filter(|&i| with_itself(&bodies[i]));
        stats.pairs = (n * n.saturating_sub(1) / 2 + selves.clone().count()) as u64;
        stats.parts = self.parts.len() as u64;
        stats.allowed = match self.filter {
            None => {
                let allowed_selves = selves.filter(|&i| self.scene.is_allowed([i, i])).count();
                (rules.allowed_between_two() + allowed_selves) as u64
            }
            Some(_) => {
                let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
                all.chain(selves.map(|i| [i, i])).filter(|&pair| self.is_excluded(pair)).count() as u64
            }
        };
        if self.scene.leaves_out_resting {
            let resting: Vec<usize> = (0..n).filter(|&i| bodies[i].is_at_rest()).collect();
            stats.resting = match self.filter {
                None => {
                    let all = resting.len() * resting.len().saturating_sub(1) / 2;
                    let rest =
                        |&[i, j]: &[usize; 2]| i != j && bodies[i].is_at_rest() && bodies[j].is_at_rest();
                    let allowed = self.scene.allowed_pairs().iter().filter(|pair| rest(pair)).count();
                    let kept = self.scene.separations().into_iter().map(|(pair, _)| pair);
                    let kept = kept.filter(|pair| rest(pair) && !self.scene.is_allowed(*pair)).count();
                    (all - allowed - kept) as u64
                }
                Some(_) => {
                    let pairs = resting.iter().enumerate();
                    let pairs = pairs.flat_map(|(k, &i)| resting[k + 1..].iter().map(move |&j| [i, j]));
                    let left_out =
                        |pair: &[usize; 2]| self.scene.both_rest(*pair) && !self.is_excluded(*pair);
                    pairs.filter(left_out).count() as u64
                }
            };
        }
    }

    /// Returns the candidates of some pairs of parts, each pair of bodies with a lower bound of its time of contact.
    fn list(&self, mut meeting: Vec<Meeting>, is_last: bool) -> Candidates {
        let window = Window::between(0.0, self.options.t_max);
        meeting.sort_unstable();
        let groups = || meeting.chunk_by(|a, b| a.0 == b.0);
        let mut sorted: Vec<Candidate> = Vec::with_capacity(groups().count());
        let mut start = 0;
        for group in groups() {
            let bodies = group[0].0;
            let pair = bodies.map(|i| i as usize);
            // Within the tolerance two bodies touch at the start.
            let separation = self.scene.separation(pair, self.options) + self.options.tolerance;
            let lower = match pair.map(|i| self.scene.bodies[i].as_rigid()) {
                [Some(a), Some(b)] => balls::earliest_contact(a, b, separation, window),
                _ => 0.0,
            };
            sorted.push(Candidate { lower, bodies, parts: [start, start + group.len()], settled: None });
            start += group.len();
        }
        let part_pairs: Vec<[u32; 2]> = meeting.into_iter().map(|(_, parts)| parts).collect();
        if self.options.mode != Mode::All {
            sorted.sort_unstable_by(|x, y| {
                x.lower.total_cmp(&y.lower).then_with(|| self.names(x.bodies()).cmp(&self.names(y.bodies())))
            });
        }
        Candidates { sorted, part_pairs, is_last }
    }
}

impl Scene {
    /// Returns the place of each body in the order of the names.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.sort_unstable_by_key(|&i| self.bodies[i].name());
        let mut ranks = vec![0; order.len()];
        for (rank, i) in order.into_iter().enumerate() {
            ranks[i] = rank as u32;
        }
        ranks
    }
}
