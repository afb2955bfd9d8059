//! Which steps of a simulation are left to the checker that remembers nothing.
//!
//! The tree gains by what it remembers from step to step, and all of that hangs on the list of near pairs. As long as the list serves, neither volumes nor
//! boxes are computed. Where it has to be made again in each step, the tree does more than the checker, which makes no list. So the choice goes by
//! what happened in the steps before:
//! 1. A list is made with room for [`MARGIN`](super::memory::MARGIN) steps like the present one. If [`IN_VAIN`] steps of the tree in a row had to make it, the next
//!    steps are left to the checker: [`SHORTEST`] at first.
//! 2. After these the tree tries again. Its first step makes a list, because nothing is remembered. If the second step has to make it, too, twice as
//!    many steps are left to the checker as the last time, up to [`LONGEST`]. If the list serves, the tree goes on and all begins at 1.
//! 3. A step with less than half as many moving variables as the step at which the tree gave up is tried by the tree at once: the cost of the tree follows their number, that of the
//!    checker does not. How far they move does not count: bodies that bounce slow down and speed up all the time, and each try costs more than it gains (a variant with a quarter of the travel: wooden men with 20
//!    joints 188 µs a step, checker 139).
//!
//! **Guarantee.** The choice changes no proof, only which of two provers does the work. It depends on the steps of the simulation and on nothing else:
//! there is no clock, so that the same steps take the same way.
//!
//! **What was tuned.** Steps of the three simulations of the 2008 paper, 6 numbers of active joints each, were timed by either way
//! (the steps of Figure 4 in `cargo run --release -p firsttouch-lab -- papers --only adaptive`). In the rows in which the list was made in at most 64 % of the steps the tree
//! took less time than the checker, by 2 to 39 %. In those with 75 % or more the checker took less, by 12 to 55 %, except for one row in which the two took the same time. The
//! times of these steps, put together as this rule would choose, are 2 to 4 % above the better way of each row, in the mean, for [`IN_VAIN`] from 3 to 8, [`SHORTEST`] 8, 16 or
//! 32, and [`LONGEST`] 64 or 256. So the values are not critical on these scenes; no others were tried.
//! Measured in the library by the command above, a step takes at most 9 % more than by the better way in each of the 18 rows (pendulum with 10 joints: 49 µs, checker 45, tree 96; falling man
//! with 15: 139, 201 and 129). [`FEWEST_LINKS`] was not varied.

/// The tree gives up after so many steps in a row that had to make the list. With two, it gives up where a list serves most of the time: falling man with 15 or more
/// joints is 17 to 24 % above the better way.
const IN_VAIN: u32 = 4;

/// The number of steps that are left to the checker the first time. With fewer, more of them follow a try of the tree, which costs up to three times a step.
const SHORTEST: u32 = 16;

/// The most steps that are left to the checker in a row. With more, a simulation that comes to rest slowly finds back to the tree late.
const LONGEST: u32 = 256;

/// How many steps of the tree make a try: one that makes the list, and one that may use it.
const TRY: u32 = 2;

/// Fewer links are left to the tree: there is little to gain or to lose.
const FEWEST_LINKS: usize = 16;

/// The way that steps take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Route {
    is_tree_alone: bool,
    /// The number of the last steps by the tree that made the list of near pairs.
    lists_made: u32,
    /// The number of the next steps that are left to the checker.
    left: u32,
    /// How many steps the tree leaves to the checker when it gives up the next time.
    stretch: u32,
    /// The number of variables that moved in the step at which it gave up.
    moving: usize,
}

impl Route {
    /// No step is left to the checker.
    pub(super) const TREE_ALONE: Route =
        Route { is_tree_alone: true, lists_made: 0, left: 0, stretch: SHORTEST, moving: 0 };

    /// The tree begins.
    pub(super) const BY_HISTORY: Route = Route { is_tree_alone: false, ..Route::TREE_ALONE };

    /// Returns true if the next step, in which this number of variables moves, is left to the checker.
    pub(super) fn is_for_checker(&mut self, links: usize, moving: usize) -> bool {
        if self.is_tree_alone || self.left == 0 || links < FEWEST_LINKS {
            return false;
        }
        self.left -= 1;
        let is_for_checker = 2 * moving >= self.moving;
        if !is_for_checker {
            self.left = 0;
        }
        if self.left == 0 {
            self.lists_made = IN_VAIN - TRY;
        }
        is_for_checker
    }

    /// Records a step by the tree: whether it had to make the list of near pairs.
    pub(super) fn done_by_tree(&mut self, has_made_list: bool, moving: usize) {
        if self.is_tree_alone {
            return;
        }
        if !has_made_list {
            (self.lists_made, self.stretch) = (0, SHORTEST);
            return;
        }
        self.lists_made += 1;
        if self.lists_made >= IN_VAIN {
            self.leave(self.stretch, moving);
            self.stretch = LONGEST.min(2 * self.stretch); // not a bound: a number of steps
        }
    }

    /// Leaves this number of steps to the checker, unless less than half as many variables move.
    pub(super) fn leave(&mut self, steps: u32, moving: usize) {
        (self.lists_made, self.left, self.moving) = (0, steps, moving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the ways of a number of steps, `t` by the tree and `c` by the checker, where a list serves from the step `serves_from` on.
    fn ways(mut route: Route, steps: usize, serves_from: usize, moving: impl Fn(usize) -> usize) -> String {
        let mut has_list = false;
        let way = |step: usize| {
            if route.is_for_checker(30, moving(step)) {
                has_list = false;
                return 'c';
            }
            route.done_by_tree(!has_list || step < serves_from, moving(step));
            has_list = true;
            't'
        };
        (0..steps).map(way).collect()
    }

    /// A list that never serves: four steps by the tree, then stretches of 16, 32, 64, 128, 256 and 256 steps with two steps by the tree in between.
    #[test]
    fn tries_become_rare() {
        let ways = ways(Route::BY_HISTORY, 1000, usize::MAX, |_| 20);
        let stretches: Vec<usize> = ways.split('t').map(str::len).filter(|&len| len > 0).collect();
        assert_eq!(stretches[..6], [16, 32, 64, 128, 256, 256]);
        assert!(ways.starts_with("ttttc") && ways[4..].split('c').all(|tries| [0, 2].contains(&tries.len())));
        assert_eq!(ways.len() - ways.replace('t', "").len(), 4 + 2 * 6);
    }

    /// Where the list serves, the next try finds out, and the tree keeps all further steps.
    #[test]
    fn a_list_that_serves_keeps_the_tree() {
        assert_eq!(
            ways(Route::BY_HISTORY, 40, 10, |_| 20),
            format!("tttt{}{}", "c".repeat(16), "t".repeat(20))
        );
        assert_eq!(ways(Route::BY_HISTORY, 40, 0, |_| 20), "t".repeat(40));
        assert_eq!(ways(Route::TREE_ALONE, 40, 40, |_| 20), "t".repeat(40));
    }

    /// A step with few moving variables is tried by the tree at once.
    #[test]
    fn fewer_variables_are_tried_at_once() {
        let fewer = |step: usize| if step < 6 { 20 } else { 9 };
        assert_eq!(ways(Route::BY_HISTORY, 20, 6, fewer), format!("ttttcc{}", "t".repeat(14)));
    }
}
