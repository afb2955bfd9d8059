//! RRT-Connect: a tree of configurations grows from each end until the two meet.
//!
//! 1. One tree grows towards a random sample, by at most `reach`, as far as the way is proven free.
//! 2. The other tree grows towards the new configuration, as far as the way is proven free. If it arrives there, a path
//!    is found.
//! 3. The trees change their parts.
//!
//! With many joints most samples are far away, and a step of `reach` moves each joint by a small part of its range:
//! there a tree grows all the way to a sample, until it meets an obstacle. The nearest node is then not much nearer
//! than others, so that in step 2 several are tried. And the number of samples that a search takes varies by orders of
//! magnitude: trees that have not met after [`RESTART`] samples are given up, and new ones begin (Wedge and Branicky
//! 2008).
//!
//! Departure: the paper takes many small steps, each of which is checked by itself. Here one continuous check says how
//! far the way is free, and the tree goes to [`SHARE`] of that in one step.
//!
//! Reference: Kuffner, LaValle 2000, "RRT-Connect: an efficient approach to single-query path planning".

use super::Search;
use crate::answer::Answer;
use crate::error::Result;
use crate::options::Mode;

/// Part of the free way that is taken. Next to an obstacle most further ways touch, and checks take long. With 1/2,
/// trees need more steps.
const SHARE: f64 = 0.85;

/// Shorter steps are not taken; a fraction of `reach`. Without it, trees fill up with configurations in front of
/// obstacles.
const SHORTEST: f64 = 0.02;

/// Number of samples after which trees that have not met are given up, with many joints.
const RESTART: usize = 300;

/// Configurations with the index of their parent. A root is its own parent.
#[derive(Default)]
struct Tree {
    nodes: Vec<(Vec<f64>, usize)>,
}

impl Tree {
    /// The configurations from a node to the root.
    fn branch(&self, node: usize) -> Vec<Vec<f64>> {
        let parent = |&k: &usize| Some(self.nodes[k].1).filter(|&parent| parent != k);
        std::iter::successors(Some(node), parent).map(|k| self.nodes[k].0.clone()).collect()
    }
}

/// The result of growing a tree.
enum Grown {
    /// To the target, which is this node.
    Arrived(usize),
    /// To this node on the way.
    Advanced(usize),
    /// Not at all.
    Trapped,
}

pub(super) fn search(search: &mut Search<'_>, ends: [&[f64]; 2]) -> Result<Option<Vec<Vec<f64>>>> {
    let mut trees = ends.map(|end| Tree { nodes: vec![(end.to_vec(), 0)] });
    let mut growing = 0;
    let is_wide = search.space.is_wide();
    let reach = (!is_wide).then_some(search.options.reach);
    let mut begun = search.stats.samples;
    while !search.is_over() {
        if is_wide && search.stats.samples >= begun + RESTART {
            begun = search.stats.samples;
            trees.iter_mut().for_each(|tree| tree.nodes.truncate(1));
        }
        let target = search.sample();
        if let Grown::Arrived(new) | Grown::Advanced(new) = grow(search, &mut trees[growing], &target, reach)?
        {
            let meeting = trees[growing].nodes[new].0.clone();
            let other = 1 - growing;
            let grown = match grow(search, &mut trees[other], &meeting, None)? {
                Grown::Advanced(_) | Grown::Trapped if is_wide => {
                    join(search, &mut trees[other], &meeting)?.map_or(Grown::Trapped, Grown::Arrived)
                }
                grown => grown,
            };
            if let Grown::Arrived(node) = grown {
                let [start, goal] = if growing == 0 { [new, node] } else { [node, new] };
                let mut path = trees[0].branch(start);
                path.reverse();
                path.extend(trees[1].branch(goal).into_iter().skip(1));
                return Ok(Some(path));
            }
        }
        search.stats.nodes = trees[0].nodes.len() + trees[1].nodes.len();
        growing = 1 - growing;
    }
    Ok(None)
}

/// Joins a configuration with one of the nodes next to it but the nearest, which was tried before. Returns its node.
fn join(search: &mut Search<'_>, tree: &mut Tree, target: &[f64]) -> Result<Option<usize>> {
    let distances = tree.nodes.iter().map(|(values, _)| search.space.distance(values, target));
    let mut near: Vec<(f64, usize)> = distances.enumerate().map(|(k, distance)| (distance, k)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    for &(_, k) in near.iter().take(search.options.neighbours).skip(1) {
        if search.is_stopped() {
            break;
        }
        let from = tree.nodes[k].0.clone();
        if search.is_free(&from, target)? {
            tree.nodes.push((target.to_vec(), k));
            return Ok(Some(tree.nodes.len() - 1));
        }
    }
    Ok(None)
}

/// Steps 1 and 2. Without `reach` the whole way is tried, and from where it is blocked once more from the node reached.
fn grow(search: &mut Search<'_>, tree: &mut Tree, target: &[f64], reach: Option<f64>) -> Result<Grown> {
    let space = search.space;
    let distances = tree.nodes.iter().map(|(values, _)| space.distance(values, target));
    let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
    let Some((near, distance)) = nearest else { return Ok(Grown::Trapped) };
    if distance == 0.0 && tree.nodes[near].0 == target {
        return Ok(Grown::Arrived(near));
    }
    let Some((reached, is_target)) = advance(search, &tree.nodes[near].0, target, reach)? else {
        return Ok(Grown::Trapped);
    };
    tree.nodes.push((reached, near));
    let new = tree.nodes.len() - 1;
    Ok(if is_target { Grown::Arrived(new) } else { Grown::Advanced(new) })
}

/// The configuration on the way to a target that is reached by at most `reach`, and whether it is the target. The way
/// to it is proven free. `None` if it is too near.
pub(super) fn advance(
    search: &mut Search<'_>,
    from: &[f64],
    target: &[f64],
    reach: Option<f64>,
) -> Result<Option<(Vec<f64>, bool)>> {
    let space = search.space;
    let distance = space.distance(from, target);
    let share = reach.map_or(1.0, |reach| (reach / distance).min(1.0)); // not a bound: where to try; the edge is checked
    let to = space.between(from, target, share);
    let answer = search.check(from, &to, Mode::First)?;
    if answer == Answer::Free {
        return Ok(Some((to, share >= 1.0)));
    }
    let free = SHARE * answer.free_until(1.0);
    if free * share * distance < SHORTEST * search.options.reach || search.is_stopped() {
        return Ok(None);
    }
    // The configuration in between is rounded, so the way to it is another edge.
    let to = space.between(from, &to, free);
    Ok(search.is_free(from, &to)?.then_some((to, false)))
}
