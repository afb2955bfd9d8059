//! The distance of two bodies, remembered from step to step: a *front* of pairs of tree nodes, each with a lower bound
//! of its distance.
//!
//! The nodes of a front cover all pairs of pieces of the two bodies. Each pair of nodes was measured once, at some
//! state: `d`, along some direction. Since then the two bodies have travelled relative to each other by `L` in all
//! (`travel`), so the distance of the nodes is at least `d − L` now, and at least `d − L − μ` throughout a step of
//! travel `μ`. Pairs of nodes for which this is more than the separation that a step must prove need no look in that
//! step. All others are measured again where they are now; if this is not enough either, and the nodes are large
//! compared with `μ`, they are opened. The remaining pairs of nodes are near: the exact stage begins at them, instead
//! of at the roots.
//!
//! So the cost of a step depends on the pairs that are near and move. Two bodies that touch and rest relative to each
//! other have `μ = 0`: nothing is measured again.
//!
//! **What a front states.** The distances of the nodes of two bodies in the current state of the simulation; of the
//! root of a robot among the obstacles that it was made with. They are measured, not decided, so they belong to no
//! options: each step compares them with the separation that it needs.
//!
//! **Guarantee.** Distances are rounded down and travels up. A measured distance is the separation along one direction,
//! by the support functions of both volumes, with the error of the poses and of rounding as in the tree engine (`tree`,
//! "Guarantee"). A front says nothing about times: the exact stage decides the pairs that it lets through.
//!
//! Reference: the paper has nothing of this kind. Fronts of pairs of nodes that are kept from step to step are those of
//! Ehmann and Lin 2001 and of Li and Chen 1998; they are valid for a step here because of the travel.

use glam::{DMat3, DVec3};

use crate::motion::PoseAt;
use crate::narrow::{Pieces, Side};
use crate::numerics::bound::{exceeds, lower_min};
use crate::numerics::rounding::{TINY_LENGTH, UNIT, down, up};
use crate::pair::{NeededGap, ProvenGap};
use crate::tree::composite::{Composite, Volume};

/// A pair of nodes that is opened must be larger than this many times the travel of the step: the parts of smaller
/// nodes are not much farther apart than the nodes themselves.
const WORTH_OPENING: f64 = 4.0;

/// Greatest number of pairs of nodes that are measured for a pair of bodies in a step. The exact stage takes the pairs
/// that are not safe by then.
const MOST_MEASURED: u32 = 96;

/// A larger front begins again at the roots.
const LARGEST: usize = 400;

/// The remembered distances of two bodies.
#[derive(Debug, Clone)]
pub(super) struct Front {
    nodes: Vec<Entry>,
    /// The sum of all travels since the front was created, rounded up.
    travelled: f64,
    /// The least travel that an entry bears.
    least: f64,
}

/// A pair of nodes.
#[derive(Debug, Clone, Copy)]
struct Entry {
    nodes: [u32; 2],
    /// The direction along which it was measured last, in the frame of the first body.
    normal: DVec3,
    /// Its distance is at least this, less [`Front::travelled`]: the travel that it bears.
    bears: f64,
    /// The value of [`Front::travelled`] when it was measured; NaN if it was not.
    measured_at: f64,
}

/// A pair of nodes at which the exact stage begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Near {
    pub(super) nodes: [u32; 2],
    pub(super) normal: DVec3,
}

impl Entry {
    /// The roots of both trees.
    fn root(bears: f64) -> Entry {
        Entry { nodes: [0, 0], normal: DVec3::ZERO, bears, measured_at: f64::NAN }
    }
}

impl Near {
    /// The roots of both trees.
    pub(super) const ROOTS: Near = Near { nodes: [0, 0], normal: DVec3::ZERO };
}

impl Front {
    /// Two bodies about which nothing is known.
    pub(super) fn unknown() -> Front {
        let root = Entry::root(f64::NEG_INFINITY);
        Front { nodes: vec![root], travelled: 0.0, least: f64::NEG_INFINITY }
    }

    /// Returns the gap that is proven between the two bodies now.
    #[inline]
    pub(super) fn proves(&self) -> ProvenGap {
        ProvenGap::at_least(down(self.least - self.travelled))
    }

    /// Returns true if the bodies stay farther apart than `gap` in a step of this travel.
    #[inline]
    pub(super) fn is_safe(&self, travel: f64, gap: NeededGap) -> bool {
        self.proves().covers(gap.before(travel))
    }

    /// The bodies have travelled.
    pub(super) fn travel(&mut self, travel: f64) {
        self.travelled = up(self.travelled + travel);
        if !self.travelled.is_finite() {
            *self = Front::unknown();
        }
    }

    /// Makes one pair of nodes of a front that is far from everything a step needs.
    pub(super) fn collapse(&mut self, far: NeededGap) {
        if self.nodes.len() > 1 && self.is_safe(0.0, far) {
            self.nodes.clear();
            self.nodes.push(Entry::root(self.least));
        }
    }

    /// The bodies are at least this far apart now, as the solids around them tell. If that is more than is known of all
    /// pairs of nodes, it is kept instead of these.
    pub(super) fn are_apart(&mut self, distance: f64) {
        let bears = down(distance + self.travelled);
        if exceeds(bears, self.least) {
            self.nodes.clear();
            self.nodes.push(Entry::root(bears));
            self.least = bears;
        }
    }

    /// Measures again the pairs of nodes that may come within `gap` in a step of this travel, and returns those that
    /// still may. Adds the number of measured pairs of nodes to `measured`.
    pub(super) fn near(
        &mut self,
        sides: &[Side<'_>; 2],
        travel: f64,
        gap: NeededGap,
        measured: &mut u64,
    ) -> Vec<Near> {
        let needed = gap.before(travel).value();
        let start = Start::new(sides);
        let mut near = Vec::new();
        let mut kept = Vec::with_capacity(self.nodes.len() + 8);
        let mut open: Vec<Entry> = Vec::new();
        for entry in std::mem::take(&mut self.nodes) {
            if exceeds(down(entry.bears - self.travelled), needed) {
                kept.push(entry);
            } else {
                open.push(entry);
            }
        }
        let mut count = 0;
        while let Some(entry) = open.pop() {
            let entry = if entry.measured_at == self.travelled {
                // Nothing has moved since.
                entry
            } else {
                count += 1;
                let (distance, normal) = start.distance(sides, entry.nodes, entry.normal);
                // A NaN distance bears nothing.
                Entry { bears: down(distance + self.travelled), normal, measured_at: self.travelled, ..entry }
            };
            let is_safe = exceeds(down(entry.bears - self.travelled), needed);
            let children = if is_safe || count >= MOST_MEASURED {
                None
            } else {
                opened(&sides[0].pieces, &sides[1].pieces, entry.nodes, WORTH_OPENING * travel)
            };
            match children {
                Some(children) => {
                    open.extend(children.map(|nodes| Entry { nodes, measured_at: f64::NAN, ..entry }))
                }
                None => {
                    kept.push(entry);
                    if !is_safe {
                        near.push(Near { nodes: entry.nodes, normal: entry.normal });
                    }
                }
            }
        }
        *measured += u64::from(count);
        if kept.len() > LARGEST {
            // The exact stage begins at the roots, as it does with bodies about which nothing is known.
            *self = Front { travelled: self.travelled, ..Front::unknown() };
            return vec![Near::ROOTS];
        }
        self.least = kept.iter().map(|entry| entry.bears).fold(f64::INFINITY, lower_min);
        self.nodes = kept;
        near
    }
}

/// The pairs of nodes that replace a pair: the larger node's children with the other node. `None` for two leaves, and
/// for nodes that are not larger than `worth`.
fn opened(a: &Pieces<'_>, b: &Pieces<'_>, [node_a, node_b]: [u32; 2], worth: f64) -> Option<[[u32; 2]; 2]> {
    // A size that is NaN is not larger.
    let of = |pieces: &Pieces<'_>, node: u32| {
        let sized = |children| (pieces.volume(node).size(), children);
        pieces.children(node).map(sized).filter(|(size, _)| *size > worth)
    };
    match (of(a, node_a), of(b, node_b)) {
        (None, None) => None,
        (Some((size, children)), other) if other.is_none_or(|(other, _)| size >= other) => {
            Some(children.map(|child| [child, node_b]))
        }
        (_, Some((_, children))) => Some(children.map(|child| [node_a, child])),
        (Some((_, children)), None) => Some(children.map(|child| [child, node_b])),
    }
}

/// The start of a step, in the frame of the first body; `tree::step` derives the errors.
struct Start {
    other: PoseAt,
    error_per_reach: [f64; 2],
    error: f64,
}

impl Start {
    fn new([a, b]: &[Side<'_>; 2]) -> Start {
        let [pose_a, pose_b] = [a.motion.pose_at(0.0), b.motion.pose_at(0.0)];
        let [error_a, error_b] = [a.motion.pose_error(), b.motion.pose_error()];
        let to_a: DMat3 = pose_a.rotation.transpose();
        let size = pose_a.translation.abs().max_element() + pose_b.translation.abs().max_element();
        Start {
            other: PoseAt {
                rotation: to_a * pose_b.rotation,
                translation: to_a * (pose_b.translation - pose_a.translation),
            },
            error_per_reach: [
                64.0 * UNIT,
                (error_a.rotation + error_b.rotation) * (1.0 + 16.0 * UNIT) + 64.0 * UNIT,
            ],
            error: error_a.translation
                + error_b.translation
                + (2.0 * error_a.rotation + 128.0 * UNIT) * size
                + 8.0 * TINY_LENGTH,
        }
    }

    /// A lower bound of the distance of two nodes, and the direction along which it was found. Negative if they may
    /// overlap.
    fn distance(&self, [a, b]: &[Side<'_>; 2], [node_a, node_b]: [u32; 2], inherited: DVec3) -> (f64, DVec3) {
        let (a, b, other) = (a.pieces.volume(node_a), b.pieces.volume(node_b), &self.other);
        let error = self.error + self.error_per_reach[0] * a.reach() + self.error_per_reach[1] * b.reach();
        // Half as much again covers the rounding of the sum and of the differences here.
        let error = 1.5 * error;
        let along = |n: DVec3| {
            n.dot(other.translation) - (a.extent(n) + b.extent(other.direction_to_body(-n))) - error
        };
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        let mut look = |n: DVec3| {
            let distance = along(n);
            if distance > best.0 {
                best = (distance, n);
            }
        };
        if inherited != DVec3::ZERO {
            look(inherited);
        }
        let out_of_a = a.way_out(other.apply(b.center()));
        let out_of_b = other.rotation * b.way_out(other.to_body(a.center()));
        [out_of_a, -out_of_b].into_iter().filter_map(DVec3::try_normalize).for_each(&mut look);
        best
    }
}
