//! The pairs of a checker, for the questions besides the check.
//!
//! Parts come in the order of the depths and names of their links, obstacles in that of their names. Answers name two
//! links in the order of their indices.

use super::checker::Checker;
use super::outline::Candidate;
use super::query::bodies;
use crate::answer::Part;
use crate::broad::Aabb;
use crate::numerics::Window;
use crate::numerics::rounding::UNIT;
use crate::options::Options;
use crate::questions::Pairs;
use crate::robot::{RobotMotion, swept_boxes};
use crate::world::part_pairs::PartPair;

/// The pairs of a checker while its robot is in a motion.
pub(super) struct CheckerPairs<'a> {
    pub(super) checker: &'a Checker,
    pub(super) motion: RobotMotion<'a>,
}

impl Pairs for CheckerPairs<'_> {
    type Pair = Candidate;

    fn within(&self, [from, to]: [f64; 2], distance: f64) -> Vec<Candidate> {
        // Two boxes that are both this much larger overlap if they are within the distance. Two roundings.
        let half = 0.5 * distance * (1.0 + 8.0 * UNIT);
        let parts = swept_boxes(&self.motion, self.checker.parts(), Window::between(from, to));
        let parts: Vec<Aabb> = parts.iter().map(|bounds| bounds.inflated(half)).collect();
        let obstacles: Vec<Aabb> =
            self.checker.obstacle_data().iter().map(|obstacle| obstacle.bounds().inflated(half)).collect();
        let may_be_close = |pair: &Candidate| match *pair {
            Candidate::Obstacle(i, k) => parts[i].overlaps(&obstacles[k]),
            Candidate::Own(i, j) => parts[i].overlaps(&parts[j]),
        };
        self.checker.measured_pairs().filter(may_be_close).collect()
    }

    fn pair_of(&self, [_, body]: [usize; 2], parts: [Part; 2]) -> Option<(Candidate, bool)> {
        let index = |part: Part| match part {
            Part::Link { link, shape, .. } => self
                .checker
                .parts()
                .iter()
                .position(|known| known.link == link as usize && known.part == shape as usize),
            _ => None,
        };
        let first = index(parts[0])?;
        if let Some(obstacle) = body.checked_sub(1) {
            return Some((Candidate::Obstacle(first, obstacle), false));
        }
        let second = index(parts[1])?;
        let pair = Candidate::Own(first.min(second), first.max(second)); // not a bound: indices
        Some((pair, self.is_swapped(&pair) != (second < first)))
    }

    fn bodies(&self, pair: &Candidate) -> [usize; 2] {
        bodies(pair)
    }

    fn part_pair(&self, pair: &Candidate, min_separation: f64) -> PartPair<'_> {
        self.checker.part_pair(&self.motion, pair, min_separation)
    }

    fn is_swapped(&self, pair: &Candidate) -> bool {
        self.checker.is_swapped(pair)
    }

    fn largest_separation(&self, options: &Options) -> f64 {
        self.checker.largest_separation(options)
    }
}

impl Checker {
    /// Returns every pair that is checked.
    pub(super) fn measured_pairs(&self) -> impl Iterator<Item = Candidate> {
        let parts = self.parts();
        let is_checked = |i: usize, j: usize| {
            let (a, b) = (parts[i].link, parts[j].link);
            a != b && !self.robot().is_allowed(a, b)
        };
        let own = (0..parts.len()).flat_map(move |i| {
            (i + 1..parts.len()).filter(move |&j| is_checked(i, j)).map(move |j| Candidate::Own(i, j))
        });
        self.obstacle_pairs().into_iter().chain(own)
    }

    /// Returns true if answers name the sides of a pair in the other order.
    pub(super) fn is_swapped(&self, pair: &Candidate) -> bool {
        matches!(*pair, Candidate::Own(i, j) if self.parts()[j].link < self.parts()[i].link)
    }

    /// Returns an upper bound of the distance that any pair keeps.
    pub(super) fn largest_separation(&self, options: &Options) -> f64 {
        // A pair that is farther apart than this does not even touch at the start.
        self.needed_gaps(options)[1].value()
    }
}
