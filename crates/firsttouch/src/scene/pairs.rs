//! The pairs of a scene, for the questions besides the check.
//!
//! The sides of a pair are in the order of the names of their bodies, so that no answer depends on the order of the
//! bodies.

use super::Scene;
use super::parts::{MovingPart, Robots, moving_boxes, moving_parts};
use crate::answer::Part;
use crate::ask::PairFilter;
use crate::body::BodyKind;
use crate::broad::{Aabb, overlapping_pairs};
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;
use crate::options::Options;
use crate::questions::Pairs;
use crate::world::part_pairs::PartPair;

/// The pairs of a scene without robots on trajectories.
pub(super) struct ScenePairs<'a> {
    scene: &'a Scene,
    robots: Robots<'a>,
    parts: Vec<MovingPart>,
    /// The place of each body in the order of the names.
    ranks: Vec<u32>,
    filter: Option<PairFilter<'a>>,
    /// True if two bodies at rest count although the scene leaves them out.
    with_resting: bool,
}

/// Two parts whose distance is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScenePair {
    /// In the order of the scene.
    bodies: [usize; 2],
    /// In the order of the names.
    parts: [usize; 2],
    /// True if the two orders differ.
    swapped: bool,
}

impl<'a> ScenePairs<'a> {
    pub(super) fn new(scene: &'a Scene, filter: Option<PairFilter<'a>>) -> ScenePairs<'a> {
        let robots = Robots::of(&scene.bodies, 0..scene.bodies.len());
        let (parts, ranks) = (moving_parts(&scene.bodies), scene.ranks());
        ScenePairs { scene, robots, parts, ranks, filter, with_resting: false }
    }

    /// Returns the same, with pairs of bodies at rest that the scene leaves out.
    pub(super) fn with_resting(self) -> ScenePairs<'a> {
        ScenePairs { with_resting: true, ..self }
    }

    /// Returns the parts of all bodies.
    pub(super) fn parts(&self) -> &[MovingPart] {
        &self.parts
    }

    /// Returns a box for each part that it never leaves in a span of time.
    pub(super) fn boxes(&self, span: [f64; 2]) -> Vec<Aabb> {
        moving_boxes(&self.scene.bodies, Window::between(span[0], span[1]))
    }

    /// Returns the place of a part in an order that does not depend on the order of the bodies.
    pub(super) fn rank(&self, part: usize) -> (u32, Option<[u32; 2]>) {
        let MovingPart { body, of_robot } = self.parts[part];
        (self.ranks[body as usize], of_robot.map(|(_, of)| [of.link, of.shape]))
    }

    /// Returns two parts, or one with itself, as a pair; `None` if they are not checked.
    pub(super) fn checked(&self, [p, q]: [usize; 2]) -> Option<ScenePair> {
        let bodies = self.bodies_of([p, q]);
        let ScenePairs { scene, filter, .. } = self;
        let is_checked = if p == q {
            matches!(scene.bodies[bodies[0]].kind(), BodyKind::Deforming(_))
        } else {
            !scene.parts_are_allowed(&self.parts[p], &self.parts[q])
        };
        let is_checked = is_checked
            && !scene.is_allowed(bodies)
            && (self.with_resting || !scene.both_rest(bodies))
            && filter.is_none_or(|wanted| wanted(&scene.bodies[bodies[0]], &scene.bodies[bodies[1]]));
        is_checked.then(|| self.pair([p, q]))
    }

    fn pair(&self, [p, q]: [usize; 2]) -> ScenePair {
        let bodies = self.bodies_of([p, q]);
        let rank = |part: usize| self.ranks[self.parts[part].body as usize];
        let (p, q) = if p <= q { (p, q) } else { (q, p) };
        let parts = if rank(q) < rank(p) { [q, p] } else { [p, q] };
        ScenePair { bodies, parts, swapped: self.parts[parts[0]].body as usize != bodies[0] }
    }

    /// Returns the bodies of two parts, in the order of the scene.
    fn bodies_of(&self, pair: [usize; 2]) -> [usize; 2] {
        let [p, q] = pair.map(|part| self.parts[part].body as usize);
        if p <= q { [p, q] } else { [q, p] }
    }
}

impl Pairs for ScenePairs<'_> {
    type Pair = ScenePair;

    fn within(&self, span: [f64; 2], distance: f64) -> Vec<ScenePair> {
        let mut close: Vec<[usize; 2]> = if distance < f64::INFINITY {
            // Two boxes that are both this much larger overlap if they are within the distance. Two roundings.
            let half = 0.5 * distance * (1.0 + 8.0 * UNIT);
            let inflated: Vec<Aabb> = self.boxes(span).iter().map(|bounds| bounds.inflated(half)).collect();
            overlapping_pairs(&inflated)
        } else {
            (0..self.parts.len()).flat_map(|p| (p + 1..self.parts.len()).map(move |q| [p, q])).collect()
        };
        close.extend((0..self.parts.len()).map(|p| [p, p]));
        close.sort_unstable();
        let mut pairs: Vec<ScenePair> = close.into_iter().filter_map(|pair| self.checked(pair)).collect();
        // The parts of each body are in its own order; a stable sort keeps it.
        pairs.sort_by_key(|pair| pair.parts.map(|part| self.ranks[self.parts[part].body as usize]));
        pairs
    }

    fn pair_of(&self, bodies: [usize; 2], parts: [Part; 2]) -> Option<(ScenePair, bool)> {
        let is_wanted = |side: usize, part: &MovingPart| {
            part.body as usize == bodies[side]
                && match (self.scene.bodies[bodies[side]].kind(), parts[side], part.of_robot) {
                    (BodyKind::Robot(_), Part::Link { link, shape, .. }, Some((_, of))) => {
                        of.link == link && of.shape == shape
                    }
                    (BodyKind::Robot(_), ..) => false,
                    _ => true,
                }
        };
        let index = |side: usize| self.parts.iter().position(|part| is_wanted(side, part));
        let [p, q] = [index(0)?, index(1)?];
        // Two parts of one robot may be in the other order.
        Some((self.pair([p, q]), bodies[0] == bodies[1] && p > q))
    }

    fn bodies(&self, pair: &ScenePair) -> [usize; 2] {
        pair.bodies
    }

    fn part_pair(&self, pair: &ScenePair, min_separation: f64) -> PartPair<'_> {
        let [a, b] = pair.parts.map(|part| self.parts[part]);
        self.robots.pair([a, b], self.scene.separation_of([&a, &b], min_separation))
    }

    fn is_swapped(&self, pair: &ScenePair) -> bool {
        pair.swapped
    }

    fn is_with_itself(&self, pair: &ScenePair) -> bool {
        pair.parts[0] == pair.parts[1]
    }

    fn largest_separation(&self, options: &Options) -> f64 {
        self.scene.largest_separation(options)
    }
}
