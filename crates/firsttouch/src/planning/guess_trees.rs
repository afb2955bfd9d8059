//! Two trees that grow towards each other by guesses.
//!
//! 1. A tree grows towards a random sample, by one step of at most [`REACH`].
//! 2. The other tree grows towards the new configuration, step by step, until it is blocked or arrives.
//! 3. A node from which a step was blocked takes part only for samples within its domain. It lies beside an obstacle,
//!    and most of the samples that it is nearest to are behind that.
//!
//! Departures: a tree with twice the nodes of the other one waits; and here a step is one guess of a motion, where
//! `rrt_connect` asks how far a way is proven free.
//!
//! References: Kuffner, LaValle 2000, "RRT-Connect"; Yershova, Jaillet, Siméon, LaValle 2005, "Dynamic-domain RRTs" for
//! step 3.

use fearless_simd::{Level, Select, Simd, SimdBase, dispatch, f32x8};

use super::{Search, Space};
use crate::error::Result;

/// The length of a step of a tree; the unit is the range of one joint. Longer steps are blocked more often, shorter
/// ones make more nodes.
const REACH: f64 = 0.15;

/// The radius of the domain of a node from which a step was blocked, in the same unit. With a smaller one, trees need
/// more samples; with a larger one, more guesses.
const DOMAIN: f32 = 0.75;

/// After this many samples outside of domains for each that may be used, domains do not count.
const MOST_REFUSED: usize = 30;

const LANES: usize = 8;

/// Configurations with the index of their parent. A root is its own parent.
struct Tree {
    nodes: Vec<(Vec<f64>, usize)>,
    /// The values of each variable in units of its range, eight nodes side by side.
    blocks: Vec<[f32; LANES]>,
    /// The square of the radius of the domain of each node.
    domains: Vec<f32>,
}

/// The factors that turn differences of values into lengths; `None` with orientations, whose distances are none of
/// differences.
type Factors = Option<Vec<f32>>;

impl Tree {
    fn new(root: &[f64], factors: &Factors) -> Tree {
        let mut tree = Tree { nodes: Vec::new(), blocks: Vec::new(), domains: Vec::new() };
        tree.push(root.to_vec(), 0, factors);
        tree
    }

    fn push(&mut self, values: Vec<f64>, parent: usize, factors: &Factors) -> usize {
        let index = self.nodes.len();
        if let Some(factors) = factors {
            if index.is_multiple_of(LANES) {
                // Unused places are infinitely far away.
                self.blocks.extend(std::iter::repeat_n([f32::INFINITY; LANES], factors.len()));
            }
            let first = index / LANES * factors.len();
            for (k, (value, factor)) in values.iter().zip(factors).enumerate() {
                self.blocks[first + k][index % LANES] = *value as f32 * factor;
            }
        }
        self.nodes.push((values, parent));
        self.domains.push(f32::INFINITY);
        index
    }

    /// Returns the nearest node, and the square of its distance.
    fn nearest(&self, space: &Space, target: &[f64], factors: &Factors, level: Level) -> (usize, f32) {
        match factors {
            Some(factors) => {
                let scaled: Vec<f32> =
                    target.iter().zip(factors).map(|(x, factor)| *x as f32 * factor).collect();
                dispatch!(level, simd => nearest_of_blocks(simd, &self.blocks, &scaled))
            }
            None => {
                let distances = self.nodes.iter().map(|(values, _)| space.distance(values, target));
                let nearest = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
                nearest.map_or((0, f32::INFINITY), |(k, distance)| (k, (distance * distance) as f32))
            }
        }
    }

    /// Returns the configurations from a node to the root.
    fn branch(&self, node: usize) -> Vec<Vec<f64>> {
        let parent = |&k: &usize| Some(self.nodes[k].1).filter(|&parent| parent != k);
        std::iter::successors(Some(node), parent).map(|k| self.nodes[k].0.clone()).collect()
    }
}

#[inline(always)]
fn nearest_of_blocks<S: Simd>(simd: S, blocks: &[[f32; LANES]], target: &[f32]) -> (usize, f32) {
    let mut best = f32x8::splat(simd, f32::INFINITY);
    let mut place = f32x8::splat(simd, 0.0);
    for (k, block) in blocks.chunks_exact(target.len()).enumerate() {
        let mut square = f32x8::splat(simd, 0.0);
        for (values, &at) in block.iter().zip(target) {
            let way = f32x8::from_slice(simd, values) - f32x8::splat(simd, at);
            square += way * way;
        }
        let is_nearer = square.simd_lt(best);
        best = is_nearer.select(square, best);
        place = is_nearer.select(f32x8::splat(simd, k as f32), place);
    }
    let mut nearest = (0, f32::INFINITY);
    for lane in 0..LANES {
        let (square, block) = (best.as_slice()[lane], place.as_slice()[lane] as usize);
        let index = block * LANES + lane;
        if square < nearest.1 || (square == nearest.1 && index < nearest.0) {
            nearest = (index, square);
        }
    }
    nearest
}

/// Searches for a path with at most this many samples.
pub(super) fn search(search: &mut Search<'_>, samples: usize) -> Result<Option<Vec<Vec<f64>>>> {
    let (space, level) = (search.space, Level::new());
    let factors = space.factors();
    let mut trees = search.ends.map(|end| Tree::new(end, &factors));
    let last = search.stats.samples.saturating_add(samples);
    let mut refused = 0;
    let mut growing = 1;
    while !search.is_over() && search.stats.samples < last {
        let [own, other] = [growing, 1 - growing].map(|k| trees[k].nodes.len());
        // The trees grow in turn, unless one has more than twice the nodes of the other.
        if 2 * own >= other {
            growing = 1 - growing;
        }
        let target = search.sample();
        let tree = &mut trees[growing];
        let (near, square) = tree.nearest(space, &target, &factors, level);
        // Such a sample costs no guess, and does not count.
        if square > tree.domains[near] && refused < MOST_REFUSED * samples {
            refused += 1;
            search.stats.samples -= 1;
            continue;
        }
        let distance = f64::from(square).sqrt();
        let to = space.between(
            &tree.nodes[near].0,
            &target,
            if distance > REACH { REACH / distance } else { 1.0 },
        );
        if !search.is_free(&tree.nodes[near].0, &to)? {
            tree.domains[near] = DOMAIN * DOMAIN;
            continue;
        }
        let meeting = to.clone();
        let new = tree.push(to, near, &factors);
        // Step 2.
        let tree = &mut trees[1 - growing];
        let (mut near, square) = tree.nearest(space, &meeting, &factors, level);
        let steps = (f64::from(square).sqrt() / REACH).ceil().clamp(1.0, 1e4);
        let from = tree.nodes[near].0.clone();
        let mut is_met = true;
        for step in 1..=steps as usize {
            let to = space.between(&from, &meeting, step as f64 / steps);
            if search.is_stopped() || !search.is_free(&tree.nodes[near].0, &to)? {
                is_met = false;
                break;
            }
            near = tree.push(to, near, &factors);
        }
        search.stats.nodes = trees[0].nodes.len() + trees[1].nodes.len();
        if is_met {
            let [start, goal] = if growing == 0 { [new, near] } else { [near, new] };
            let mut path = trees[0].branch(start);
            path.reverse();
            path.extend(trees[1].branch(goal).into_iter().skip(1));
            return Ok(Some(path));
        }
    }
    Ok(None)
}
