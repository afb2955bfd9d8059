//! Which steps of a simulation are left to the checker that remembers nothing.
//!
//! The tree pays off where few of many joints move, or where joints move little. Where a good part of all joints moves, and all together farther than
//! bodies are large, its list of near pairs does not outlive a step, and distances that it remembers are of no use in the next one: the checker
//! costs less then.
//!
//! The choice changes no proof, only which of two provers does the work.

/// A step in which at least one in so many joints moves may be left to the checker. With more, steps are left to it that cost less by the tree; with
/// fewer, the tree does steps that cost less by the checker.
const ONE_IN: usize = 8;

/// It is if the joints move everything that they carry by more than this part of the size of a body, all together. The list of near pairs is made
/// with a margin of four travels, which must be less than the size of a body.
const FARTHEST: f64 = 0.25;

/// After a step by the checker the tree begins from nothing, which costs more than several steps by either. So it does only if the next step moves less than this part
/// of what would otherwise be left to the checker.
const AGAIN: f64 = 0.5;

/// Fewer links are left to the tree: there is little to gain or to lose.
const FEWEST_LINKS: usize = 16;

/// The way that steps take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Route {
    is_tree_alone: bool,
    /// Whether the last step was left to the checker.
    was_for_checker: bool,
}

impl Route {
    /// No step is left to the checker.
    pub(super) const TREE_ALONE: Route = Route { is_tree_alone: true, was_for_checker: false };

    /// Whether a step is left to the checker in which so many joints move, with this sum of their travels in sizes of a body.
    pub(super) fn is_for_checker(
        &mut self,
        moving: usize,
        links: usize,
        travel: impl FnOnce() -> f64,
    ) -> bool {
        let farthest = if self.was_for_checker { AGAIN * FARTHEST } else { FARTHEST };
        let is_for_checker =
            !self.is_tree_alone && links >= FEWEST_LINKS && moving * ONE_IN >= links && travel() > farthest;
        self.was_for_checker = is_for_checker;
        is_for_checker
    }
}
