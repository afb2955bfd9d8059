//! The pairs of parts that a question is about, in one motion of everything.
//!
//! A world says which of its pairs may be close and gives each as a [`PartPair`]: two sides in motion, with their
//! labels and with the distance that they keep, paddings included. Everything else is the business of the questions.

use crate::answer::{Part, Touch};
use crate::clearance::SidePair;
use crate::narrow::Pieces;
use crate::options::Options;
use crate::pair::PairTouch;
use crate::world::part_pairs::PartPair;

/// The pairs of parts of a world in motion.
pub(crate) trait Pairs {
    /// Two parts, or one part with itself.
    type Pair: Copy;

    /// Returns the pairs that are checked and may be within a distance at some time of a span, in an order that does
    /// not depend on that of the bodies.
    fn within(&self, span: [f64; 2], distance: f64) -> Vec<Self::Pair>;

    /// Returns the pair of two parts of bodies, as an answer names them, and whether an answer names them in the other
    /// order; `None` if there are no such parts.
    fn pair_of(&self, bodies: [usize; 2], parts: [Part; 2]) -> Option<(Self::Pair, bool)>;

    /// Returns the bodies of a pair, lower index first.
    fn bodies(&self, pair: &Self::Pair) -> [usize; 2];

    /// Returns the two sides of a pair. `min_separation` is the distance that pairs without a rule keep.
    fn part_pair(&self, pair: &Self::Pair, min_separation: f64) -> PartPair<'_>;

    /// Returns true if an answer names the sides of a pair in the other order.
    fn is_swapped(&self, pair: &Self::Pair) -> bool;

    /// Returns true if both sides of a pair are the same deforming mesh.
    fn is_with_itself(&self, _pair: &Self::Pair) -> bool {
        false
    }

    /// Returns the largest distance that any pair keeps, rounded up.
    fn largest_separation(&self, options: &Options) -> f64;
}

/// Some pairs with their sides.
pub(crate) struct Measured<'a, P: Pairs> {
    world: &'a P,
    pairs: Vec<P::Pair>,
    built: Vec<PartPair<'a>>,
}

impl<'a, P: Pairs> Measured<'a, P> {
    /// Builds the sides of pairs. `min_separation` is the distance that pairs without a rule keep.
    pub(crate) fn new(world: &'a P, pairs: Vec<P::Pair>, min_separation: f64) -> Measured<'a, P> {
        let built = pairs.iter().map(|pair| world.part_pair(pair, min_separation)).collect();
        Measured { world, pairs, built }
    }

    /// Returns the pairs in the form that measurements take.
    pub(crate) fn sides(&self) -> Vec<SidePair<'_, Pieces<'_>>> {
        let both = self.built.iter().zip(&self.pairs);
        both.map(|(built, pair)| SidePair {
            with_itself: self.world.is_with_itself(pair),
            ..built.side_pair()
        })
        .collect()
    }

    /// Returns a pair as its world knows it.
    pub(crate) fn pair(&self, pair: usize) -> &P::Pair {
        &self.pairs[pair]
    }

    /// Returns the bodies of a pair.
    pub(crate) fn bodies(&self, pair: usize) -> [usize; 2] {
        self.world.bodies(&self.pairs[pair])
    }

    /// Returns the sides of a pair.
    pub(crate) fn built(&self, pair: usize) -> &PartPair<'a> {
        &self.built[pair]
    }

    /// Names the parts of a touch, takes it to the world, and puts its sides in the order of an answer.
    pub(crate) fn described(&self, pair: usize, mut touch: PairTouch) -> PairTouch {
        self.built[pair].describe(&mut touch);
        if self.world.is_swapped(&self.pairs[pair]) { touch.swapped() } else { touch }
    }

    /// Returns the same, between the bodies.
    pub(crate) fn touch(&self, pair: usize, touch: PairTouch) -> Touch {
        self.described(pair, touch).between(self.bodies(pair))
    }
}
