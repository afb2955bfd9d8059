//! The broad phase of a scene: which pairs of bodies may touch, and not before when.
//!
//! The lists are kept small, because there may be millions of pairs: 40 bytes for two bodies and 8 for each pair of their parts.

use super::Scene;
use super::body::{Body, BodyKind};
use super::parts::MovingPart;
use super::report::Stats;
use crate::answer::Answer;
use crate::broad::{Aabb, overlapping_pairs};
use crate::motion::RigidMotion;
use crate::numerics::Window;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::options::Options;
use crate::shape::Shape;

/// Tells whether a pair of bodies is to be checked.
pub(super) type PairFilter<'a> = &'a dyn Fn(&Body, &Body) -> bool;

/// All pairs of bodies that may meet.
pub(super) struct Candidates {
    /// By their lower bounds, then by the names of the bodies.
    pub(super) sorted: Vec<Candidate>,
    /// The pairs of parts of all candidates.
    pub(super) part_pairs: Vec<[u32; 2]>,
}

/// Two bodies that may meet.
pub(super) struct Candidate {
    /// They certainly do not touch before this time.
    pub(super) lower: f64,
    bodies: [u32; 2],
    /// Where their pairs of parts begin and end in the list of all.
    pub(super) parts: [usize; 2],
    /// The answer, if it is known.
    pub(super) settled: Option<Box<Answer>>,
}

impl Candidate {
    /// The two bodies, in the order of the scene.
    pub(super) fn bodies(&self) -> [usize; 2] {
        self.bodies.map(|i| i as usize)
    }

    /// Whether it is a body with itself.
    pub(super) fn is_with_itself(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }
}

impl Scene {
    /// The pairs of bodies with parts whose boxes meet, each with a lower bound of its time of contact, in an order that does
    /// not depend on the order of the bodies.
    pub(super) fn candidates(
        &self,
        parts: &[MovingPart],
        mut boxes: Vec<Aabb>,
        options: &Options,
        filter: Option<PairFilter<'_>>,
        stats: &mut Stats,
    ) -> Candidates {
        let n = self.bodies.len();
        let window = Window::between(0.0, options.t_max);
        // Also what is only within the tolerance counts as touching at the start. The largest separation of any pair that a
        // body is in counts for it: half of it on each side is enough for both.
        let mut apart = vec![options.min_separation; n];
        for (pair, &separation) in &self.separations {
            for body in *pair {
                apart[body] = upper_max(apart[body], separation);
            }
        }
        for (part, bounds) in parts.iter().zip(&mut boxes) {
            *bounds = bounds.inflated(0.5 * (apart[part.body as usize] + options.tolerance));
        }
        let with_itself = |body: &Body| matches!(body.kind, BodyKind::Robot(_) | BodyKind::Deforming(_));
        let unwanted = |[i, j]: [usize; 2]| {
            self.allowed.contains(&[i, j])
                || filter.is_some_and(|wanted| !wanted(&self.bodies[i], &self.bodies[j]))
        };
        let selves = (0..n).filter(|&i| with_itself(&self.bodies[i]));
        stats.pairs = (n * n.saturating_sub(1) / 2 + selves.clone().count()) as u64;
        stats.parts = parts.len() as u64;
        stats.allowed = match filter {
            None => {
                let counts = |&&[i, j]: &&[usize; 2]| i != j || with_itself(&self.bodies[i]);
                self.allowed.iter().filter(counts).count() as u64
            }
            Some(_) => {
                let all = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j]));
                all.chain(selves.clone().map(|i| [i, i])).filter(|&pair| unwanted(pair)).count() as u64
            }
        };

        let overlapping = overlapping_pairs(&boxes);
        let mut meeting: Vec<([u32; 2], [u32; 2])> = Vec::with_capacity(overlapping.len());
        for [p, q] in overlapping {
            let (part, other) = (&parts[p], &parts[q]);
            let (i, j) = (part.body, other.body);
            let pair = [i.min(j), i.max(j)];
            if !unwanted(pair.map(|i| i as usize)) && !self.one_robot_allows(part, other) {
                meeting.push((pair, if i <= j { [p as u32, q as u32] } else { [q as u32, p as u32] }));
            }
        }
        for i in selves {
            if let BodyKind::Deforming(_) = self.bodies[i].kind
                && !unwanted([i, i])
                && let Some(part) = parts.iter().position(|part| part.body as usize == i)
            {
                meeting.push(([i as u32; 2], [part as u32; 2]));
            }
        }
        meeting.sort_unstable();
        stats.part_pairs = meeting.len() as u64;

        let groups = || meeting.chunk_by(|a, b| a.0 == b.0);
        let mut candidates: Vec<Candidate> = Vec::with_capacity(groups().count());
        let mut start = 0;
        for group in groups() {
            let bodies = group[0].0;
            let pair = bodies.map(|i| i as usize);
            let lower = self.earliest_contact(pair, self.separation(pair, options), window);
            candidates.push(Candidate { lower, bodies, parts: [start, start + group.len()], settled: None });
            start += group.len();
        }
        let part_pairs: Vec<[u32; 2]> = meeting.into_iter().map(|(_, parts)| parts).collect();
        stats.boxes_apart = stats.pairs.saturating_sub(stats.allowed + candidates.len() as u64);
        let ranks = self.ranks();
        let names = |pair: [u32; 2]| {
            let [a, b] = pair.map(|i| ranks[i as usize]);
            [a.min(b), a.max(b)]
        };
        candidates.sort_unstable_by(|x, y| {
            x.lower.total_cmp(&y.lower).then_with(|| names(x.bodies).cmp(&names(y.bodies)))
        });
        Candidates { sorted: candidates, part_pairs }
    }

    /// The place of each body in the order of the names.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<usize> = (0..self.bodies.len()).collect();
        order.sort_unstable_by_key(|&i| self.bodies[i].name());
        let mut ranks = vec![0; order.len()];
        for (rank, i) in order.into_iter().enumerate() {
            ranks[i] = rank as u32;
        }
        ranks
    }

    /// Whether two parts are of one robot that does not want them checked: of one link, or of links that may touch.
    pub(super) fn one_robot_allows(&self, a: &MovingPart, b: &MovingPart) -> bool {
        let (Some(a), Some(b)) = (a.link, b.link) else { return false };
        if a.robot != b.robot {
            return false;
        }
        let BodyKind::Robot(step) = &self.bodies[a.robot as usize].kind else { return false };
        a.link == b.link || step.robot().is_allowed(a.link as usize, b.link as usize)
    }

    /// A lower bound of the time at which two bodies come within `min_separation`: for rigid ones, when the balls around
    /// their origins do.
    fn earliest_contact(&self, [i, j]: [usize; 2], min_separation: f64, window: Window) -> f64 {
        let (Some(a), Some(b)) = (self.bodies[i].as_rigid(), self.bodies[j].as_rigid()) else { return 0.0 };
        let centers = [a.1.pose_at(0.0).translation, b.1.pose_at(0.0).translation];
        let [reach_a, reach_b] = [reach(a.0), reach(b.0)];
        let errors = a.1.pose_error().translation + b.1.pose_error().translation;
        let size = centers[0].length() + centers[1].length() + (reach_a + reach_b) + min_separation;
        let gap = (centers[1] - centers[0]).length()
            - (reach_a + reach_b)
            - min_separation
            - errors
            - 16.0 * UNIT * size;
        if gap.is_nan() || gap <= 0.0 {
            return 0.0;
        }
        let [v_a, v_b] = [a.1.velocity_bounds(window), b.1.velocity_bounds(window)];
        let speed =
            (v_a.center.origin - v_b.center.origin).length() + (v_a.origin_radius + v_b.origin_radius);
        // Balls at rest relative to each other never meet, and the quotient is infinite. Velocities that overflow tell
        // nothing.
        if speed.is_nan() { 0.0 } else { gap / speed * (1.0 - 16.0 * UNIT) }
    }
}

/// An upper bound of how far from its origin a shape gets.
fn reach(shape: &Shape) -> f64 {
    match shape.as_convex() {
        Some(solid) => solid.reach(),
        None => {
            let (center, half) = shape.bounds();
            (center.length() + half.length()) * (1.0 + 16.0 * UNIT)
        }
    }
}
