//! Finds the pairs of a robot's parts and obstacles that may touch, and the windows of time in which they may: windows
//! are halved only where that is needed.
//!
//! # The method
//! 1. A window and the pairs of coarse solids (`outline`) that are not known to be free in it. The second solid of a
//!    pair is seen from the frame of the first, which is at rest there: for two links only the joints between them
//!    matter.
//! 2. A pair is free in the window if one of a few directions separates the two solids over all of it: see
//!    `separation`.
//! 3. The directions are tried in this order. First come the axes, with boxes around balls. Then comes the direction
//!    out of the first solid's box towards the second one's centre, or the one that separated them in the window
//!    before. Last comes the direction between the closest points in the middle of the window (GJK).
//!
//!    Before that, two links with two turning joints between them may be known to be apart at all angles of the window
//!    (`joint_cells`).
//! 4. If none separates and the solids are apart in the middle of the window, the window is halved. If they are not, a
//!    pair of groups is opened into pairs of parts, and a pair of parts is handed over, with its window, to the exact
//!    stage.
//!
//! All pairs of a window use the same three instants, and the halves of a window two of them.
//!
//! # Guarantee
//! Rigorous: that of `separation`. A bad direction costs time, not correctness.
//!
//! # Departures
//! The paper encloses whole links over the whole step by Taylor models of order 3, composed along the chain, and boxes
//! along the world's axes. Here the order is the same, the remainder is bounded in closed form, and every pair has its
//! own direction.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 5.

use std::sync::Arc;

use glam::DVec3;

use super::joint_cells::CellQuery;
use super::obstacle_tree::{LazyObstacleTree, ObstacleTree};
use super::outline::{Candidate, Group, Obstacle, Outline};
use super::separation::{Finding, Placed, error, stray, test};
use crate::broad::Aabb;
use crate::control::Watch;
use crate::distance::coarse::CoarseTree;
use crate::distance::rounded_hull::RoundedHull;
use crate::numerics::bound::upper_max;
use crate::numerics::rounding::UNIT;
use crate::robot::{LinkBounds, RobotMotion};
use crate::shape::{Convex, Shape};

/// The largest number of times that a window is halved.
pub(super) const DEEPEST: u32 = 8;

/// A span of time and the pairs that are left to test in it.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub(super) t: [f64; 2],
    pub(super) depth: u32,
    pub(super) items: Vec<Item>,
    /// The number of the window in which the boxes of all items were found to overlap; 0 if they were not compared.
    pub(super) boxed: u32,
}

impl Span {
    /// Returns the number of times that the whole time was halved.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns the same pairs at the beginning of the span.
    pub(super) fn at_start(self) -> Span {
        Span { t: [self.t[0]; 2], depth: DEEPEST, items: self.items, boxed: 0 }
    }
}

/// A pair of solids, each with a node of its tree, and the direction that was found last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    solids: [u32; 2],
    nodes: [u32; 2],
    /// Its index among the initial pairs of the robot, or [`NO_ROOT`].
    root: u32,
    normal: DVec3,
}

/// The root of a pair that is none of the robot's initial pairs.
const NO_ROOT: u32 = u32::MAX;

/// The result of a window: pairs of parts for the exact stage, and the halves with the remaining pairs.
#[derive(Debug, Default)]
pub(super) struct Sieved {
    pub(super) close: Vec<Candidate>,
    pub(super) halves: Option<[Span; 2]>,
}

/// The robot and its obstacles.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) outline: &'a Outline,
    pub(super) obstacles: &'a [Arc<Obstacle>],
    /// The obstacles in the order of their names.
    pub(super) by_name: &'a [u32],
    pub(super) tree: &'a LazyObstacleTree,
}

impl<'a> Surroundings<'a> {
    /// Returns the tree of the obstacles.
    pub(super) fn tree(&self) -> &'a ObstacleTree {
        self.tree.get(self.obstacles, self.by_name)
    }
}

/// The sieve for one motion.
///
/// Solids are numbered: those of the outline (parts first, then groups), then those of the obstacles that the motion
/// may meet.
pub(super) struct Sieve<'a> {
    pub(super) around: Surroundings<'a>,
    pub(super) motion: &'a RobotMotion<'a>,
    /// Pairs that are farther apart than this are free. It may be made smaller from one window to the next.
    pub(super) min_separation: f64,
    /// The same for two parts of the robot, which are not padded: at most as large.
    pub(super) own_separation: f64,
    /// Close pairs are handed over in windows that were halved at least the first number of times, and all others in
    /// those that were halved the second number of times.
    pub(super) depths: [u32; 2],
    pub(super) solids: Vec<&'a CoarseTree>,
    /// If there are very many obstacles: for each of them one more than the number of its solid, or 0 if it has none
    /// yet. A motion meets few of them, and the others cost nothing: a motion among 3,200 takes 0.23 million
    /// instructions, and 0.39 million if all solids are numbered (`arm_among_3200` of `instructions`). Otherwise all
    /// solids are numbered in the order of the obstacles, and both lists are empty.
    numbers: Vec<u32>,
    /// The obstacles whose solids are numbered, in this order.
    numbered: Vec<u32>,
    /// True if an obstacle is a cloud, an octree or a height field; see `scans`.
    has_scans: bool,
    /// For each link its index in `placed`; [`NOWHERE`] if it was not placed yet.
    place_of: Vec<u32>,
    /// The placements of links in the world, and the last window of each.
    placed: Vec<(u32, Placed)>,
    /// For each solid the window of its box, the box that it does not leave then, and the same box enlarged by the
    /// separation. [`ALWAYS`] is the window of a solid at rest. The halves of solids are not tested often enough to
    /// cache theirs.
    boxed_in: Vec<u32>,
    pub(super) boxes: Vec<Aabb>,
    inflated: Vec<Aabb>,
    /// The last placement of a link as seen from another one: the window, the two links, and the placement.
    relative: ((u32, [usize; 2]), Placed),
    /// The bounds of links as seen from others; they are the same in all windows.
    between: Vec<([usize; 2], LinkBounds)>,
    /// The number of the current window.
    pub(super) window: u32,
    /// The number of tests so far.
    pub(super) tests: u64,
    /// Ends a window early.
    pub(super) watch: Watch,
    /// A pair of parts that is not tested.
    pub(super) left_out: Option<Candidate>,
}

const ALWAYS: u32 = u32::MAX;

const NOWHERE: u32 = u32::MAX;

/// The box of a solid that has none yet.
const NOTHING: Aabb = Aabb { low: DVec3::ZERO, high: DVec3::ZERO };

/// The initial capacity of a list of links.
const FIRST_PLACES: usize = 16;

/// The number of cached bounds of links as seen from others. Beyond it, a search of the cache takes longer than the
/// computation.
const MOST_BETWEEN: usize = 24;

impl Item {
    pub(super) fn new(solids: [u32; 2]) -> Item {
        Item { solids, nodes: [0, 0], root: NO_ROOT, normal: DVec3::ZERO }
    }

    /// Returns one of the initial pairs of the robot.
    pub(super) fn of_root(solids: [u32; 2], root: usize) -> Item {
        Item { root: root as u32, ..Item::new(solids) }
    }
}

impl<'a> Sieve<'a> {
    pub(super) fn new(
        around: Surroundings<'a>,
        motion: &'a RobotMotion<'a>,
        min_separation: f64,
    ) -> Sieve<'a> {
        let is_sparse = !around.has_few_roots();
        let at_first = if is_sparse { &[] } else { around.obstacles };
        let own = around.outline.solids.iter().map(Arc::as_ref);
        let solids: Vec<&CoarseTree> = own.chain(at_first.iter().map(|obstacle| &obstacle.solid)).collect();
        Sieve {
            around,
            motion,
            min_separation,
            own_separation: min_separation,
            depths: [0, DEEPEST],
            place_of: vec![NOWHERE; motion.robot().links().len()],
            placed: Vec::new(),
            boxed_in: vec![0; solids.len()],
            boxes: vec![NOTHING; solids.len()],
            inflated: vec![NOTHING; solids.len()],
            numbers: vec![0; if is_sparse { around.obstacles.len() } else { 0 }],
            numbered: Vec::new(),
            has_scans: around.tree.facts(around.obstacles).has_scans,
            solids,
            relative: ((0, [0, 0]), Placed::nowhere(LinkBounds::AT_REST)),
            between: Vec::new(),
            window: 0,
            tests: 0,
            watch: Watch::NONE,
            left_out: None,
        }
    }

    /// Returns the number of the solid of an obstacle. It gets one if it has none.
    pub(super) fn number(&mut self, obstacle: usize) -> u32 {
        let Some(number) = self.numbers.get_mut(obstacle) else {
            return (self.around.outline.solids.len() + obstacle) as u32;
        };
        if *number == 0 {
            self.numbered.push(obstacle as u32);
            self.solids.push(&self.around.obstacles[obstacle].solid);
            self.boxed_in.push(0);
            self.boxes.push(NOTHING);
            self.inflated.push(NOTHING);
            *number = self.solids.len() as u32;
        }
        *number - 1
    }

    /// Returns the obstacle of a solid; `None` for a solid of the robot.
    #[inline]
    pub(super) fn obstacle_of(&self, solid: usize) -> Option<usize> {
        let place = solid.checked_sub(self.around.outline.solids.len())?;
        Some(self.numbered.get(place).map_or(place, |obstacle| *obstacle as usize))
    }

    /// Searches a window. If the solids of two parts overlap in the middle of it, the parts are `tried` there at once.
    /// If that settles everything, or at an interrupt, the remaining pairs are not tested and are left to the halves.
    pub(super) fn sift(&mut self, span: Span, mut tried: impl FnMut(Candidate, f64) -> bool) -> Sieved {
        let (t, half) = instants(span.t);
        let is_boxed = span.boxed == self.window && span.boxed != 0;
        self.window += u32::from(!is_boxed);
        let mut found = Sieved::default();
        let mut left: Vec<Item> = Vec::new();
        let mut open = span.items;
        // This many items at the bottom of the stack have boxes that are known to overlap.
        let mut boxed = if is_boxed { open.len() } else { 0 };
        while let Some(item) = open.pop() {
            if self.watch.is_raised() {
                left.push(item);
                left.append(&mut open);
                break;
            }
            if self.left_out.is_some() && self.candidate(item.solids) == self.left_out {
                if open.len() < boxed {
                    boxed = open.len();
                }
                continue;
            }
            if open.len() < boxed {
                boxed = open.len();
            } else {
                self.tests += 1;
                // Most pairs end here.
                if !self.boxes_meet(&item, &t, half) {
                    continue;
                }
            }
            if self.is_apart_in_cells(&item, span.t) {
                continue;
            }
            match self.test(&item, half) {
                Finding::Free => {}
                Finding::Apart(normal) if span.depth < self.depths[1] => left.push(Item { normal, ..item }),
                Finding::Close
                    if span.depth < self.depths[0]
                        && self.candidate(item.solids).is_some()
                        && !self.has_boxes(&item) =>
                {
                    let is_settled = self.candidate(item.solids).is_some_and(|pair| tried(pair, t[1]));
                    left.push(item);
                    if is_settled {
                        left.append(&mut open);
                        break;
                    }
                }
                finding => {
                    let is_close = matches!(finding, Finding::Close);
                    if let Some(candidate) = self.open(item, is_close, &mut open, &mut found.close)
                        && tried(candidate, t[1])
                    {
                        left.append(&mut open);
                        break;
                    }
                }
            }
        }
        if !left.is_empty() {
            let depth = span.depth + 1;
            let early = Span { t: [t[0], t[1]], depth, items: left.clone(), boxed: 0 };
            found.halves = Some([early, Span { t: [t[1], t[2]], depth, items: left, boxed: 0 }]);
        }
        found
    }

    /// Returns the group of a solid; `None` if the solid is that of a part or an obstacle.
    fn group_of(&self, solid: u32) -> Option<&'a Group> {
        let outline = self.around.outline;
        let is_group = (outline.parts.len()..outline.solids.len()).contains(&(solid as usize));
        is_group.then(|| &outline.groups[outline.group_of_solid[solid as usize - outline.parts.len()]])
    }

    /// Returns true if one of the solids stands for very many pieces and has further boxes. These are opened before
    /// anything else is tried: a scan that surrounds the robot is close to it as a whole, which tells nothing.
    fn has_boxes(&self, item: &Item) -> bool {
        let is_opened = |k: usize| {
            let is_many = self.shape(item.solids[k]).is_some_and(|shape| shape.as_hierarchy().is_some());
            is_many && self.halves(item, k).is_some()
        };
        is_opened(0) || is_opened(1)
    }

    /// Returns the pair of parts that two solids stand for; `None` if one of them is a group.
    fn candidate(&self, [first, second]: [u32; 2]) -> Option<Candidate> {
        if self.group_of(first).is_some() || self.group_of(second).is_some() {
            return None;
        }
        Some(match self.obstacle_of(first as usize) {
            Some(k) => Candidate::Obstacle(second as usize, k),
            None => Candidate::Own(first.min(second) as usize, first.max(second) as usize), // not a bound: indices
        })
    }

    /// Rule 4 of the header. Returns two parts that likely touch in the middle of the window: a part and an obstacle
    /// that are close, even if their halves are not; two parts of the robot only if their halves, too, are close.
    fn open(
        &self,
        item: Item,
        is_close: bool,
        open: &mut Vec<Item>,
        close: &mut Vec<Candidate>,
    ) -> Option<Candidate> {
        let outline = self.around.outline;
        let [first, second] = item.solids;
        let obstacle = self.obstacle_of(first as usize);
        let candidate = match (obstacle, self.group_of(first), self.group_of(second)) {
            (Some(k), _, Some(group)) => {
                open.extend(self.parts_with_obstacle(group, k, first).map(Item::new));
                return None;
            }
            (Some(k), _, None) => Candidate::Obstacle(second as usize, k),
            (None, None, None) => Candidate::Own(first.min(second) as usize, first.max(second) as usize), // not a bound: indices
            (None, a, b) => {
                let only = |solid: u32| &outline.groups[outline.group_of_part[solid as usize]];
                let (a, b) = (a.unwrap_or_else(|| only(first)), b.unwrap_or_else(|| only(second)));
                open.extend(outline.own_pairs_of(self.motion.robot(), a, b).map(Item::new));
                return None;
            }
        };
        // One pair of halves is enough to hand the parts over. The halves of a pair come one after the other, so if the
        // pair was handed over, it is the last one in the list.
        if close.last() == Some(&candidate) {
            return None;
        }
        let halves = [0, 1].map(|k| self.halves(&item, k));
        let radii = [0, 1].map(|k| self.hull(item.solids[k], item.nodes[k]).radius());
        let larger = halves[1].is_none() || radii[0] >= radii[1];
        let k = if halves[0].is_some() && larger { 0 } else { 1 };
        let is_whole = item.nodes == [0, 0];
        let is_obstacle = obstacle.is_some();
        let has_boxes = self.has_boxes(&item);
        match halves[k] {
            // In the shortest window, solids that are apart or too blurred to tell are not divided further.
            Some(first) if is_close || has_boxes => {
                open.extend([first, first + 1].map(|half| {
                    let mut nodes = item.nodes;
                    nodes[k] = half;
                    Item { nodes, normal: DVec3::ZERO, ..item }
                }));
                (is_whole && is_obstacle && !has_boxes).then_some(candidate)
            }
            _ => {
                close.push(candidate);
                (is_close && (is_whole || !is_obstacle)).then_some(candidate)
            }
        }
    }

    /// Returns a solid, or one around a half of it.
    #[inline]
    fn hull(&self, solid: u32, node: u32) -> &'a RoundedHull {
        let tree = self.solids[solid as usize];
        if node == 0 { tree.whole() } else { tree.hull(self.shape(solid), node) }
    }

    /// Returns the first of the two halves of a solid of a pair.
    fn halves(&self, item: &Item, k: usize) -> Option<u32> {
        let solid = item.solids[k];
        self.solids[solid as usize].halves(self.shape(solid), item.nodes[k])
    }

    /// Returns the shape that a solid was built from; `None` for that of a group, and for the box around an obstacle
    /// that moves.
    fn shape(&self, solid: u32) -> Option<&'a Shape> {
        let Surroundings { outline, obstacles, .. } = self.around;
        match self.obstacle_of(solid as usize) {
            None => outline.shape_of(solid as usize),
            Some(k) => obstacles[k].shape(),
        }
    }

    /// Returns the link whose frame a solid is in; `None` for the world.
    #[inline]
    pub(super) fn frame(&self, solid: u32) -> Option<usize> {
        self.around.outline.frames.get(solid as usize).copied()
    }

    /// Returns true if the boxes of two solids overlap in the window. Also places their links.
    #[inline]
    pub(super) fn boxes_meet(&mut self, item: &Item, t: &[f64; 3], half: f64) -> bool {
        let [first, second] = item.solids.map(|solid| solid as usize);
        if item.nodes != [0, 0] {
            let box_a = self.swept_box(first, item.nodes[0], t, half);
            let box_b = self.swept_box(second, item.nodes[1], t, half);
            return inflated(&box_a, self.min_separation).overlaps(&box_b);
        }
        self.bound(first, t, half);
        self.bound(second, t, half);
        self.bounds_meet(first, second, half)
    }

    /// Computes the box of a solid, unless it is known.
    #[inline]
    pub(super) fn bound(&mut self, solid: usize, t: &[f64; 3], half: f64) {
        // The number of a box is never more than that of the window, unless the solid is at rest.
        if self.boxed_in[solid] < self.window {
            self.swept_box(solid, 0, t, half);
        }
    }

    /// Returns true if the boxes of two solids overlap. Both must be known.
    #[inline]
    pub(super) fn bounds_meet(&self, first: usize, second: usize, half: f64) -> bool {
        self.inflated[first].overlaps(&self.boxes[second])
            && !(self.has_scans && self.is_clear_of_scan(first, second, half))
    }

    /// Returns a link in the world, in the window. It must be placed.
    #[inline]
    pub(super) fn placed(&self, link: usize) -> &Placed {
        &self.placed[self.place_of[link] as usize].1
    }

    /// Places a link in the window.
    #[inline]
    fn place(&mut self, link: usize, t: &[f64; 3]) {
        let mut place = self.place_of[link] as usize;
        if place == NOWHERE as usize {
            if self.placed.is_empty() {
                self.placed.reserve(self.place_of.len().min(FIRST_PLACES)); // not a bound: a size
            }
            place = self.placed.len();
            self.place_of[link] = place as u32;
            // No window has this number.
            self.placed.push((0, Placed::nowhere(self.motion.link_bounds(link, None))));
        }
        let (window, placed) = &mut self.placed[place];
        if *window != self.window {
            *window = self.window;
            self.motion.place(t, link, &mut placed.poses);
            placed.measure();
        }
    }

    /// Rules 2 and 3 of the header, after the boxes.
    fn test(&mut self, item: &Item, half: f64) -> Finding {
        let Item { solids: [first, second], nodes, normal: inherited, .. } = *item;
        let [a, b] = [self.hull(first, nodes[0]), self.hull(second, nodes[1])];
        let link_b = self.frame(second).unwrap_or(0);
        let own_separation = self.own_separation;
        let (placed, min_separation) = match self.frame(first) {
            None => (self.placed(link_b), self.min_separation),
            Some(link) => (self.relative(link, link_b), own_separation),
        };
        test([a, b], placed, half, min_separation, inherited)
    }

    /// Returns true if one of the robot's initial pairs is proven apart by the cells of its joints.
    #[inline]
    fn is_apart_in_cells(&self, item: &Item, t: [f64; 2]) -> bool {
        if item.root == NO_ROOT || item.nodes != [0, 0] {
            return false;
        }
        let (outline, robot, min_separation) =
            (self.around.outline, self.motion.robot(), self.own_separation);
        let cells = outline.cells(robot, item.root as usize, item.solids);
        cells.is_some_and(|cells| {
            cells.is_apart(&CellQuery { robot, outline, min_separation }, self.motion, t)
        })
    }

    /// Returns the second link as seen from the first in the window. Both must be placed.
    fn relative(&mut self, first: usize, second: usize) -> &Placed {
        // Halves of the same parts come one after the other.
        if self.relative.0 == (self.window, [first, second]) {
            return &self.relative.1;
        }
        let known = self.between.iter().find(|(links, _)| *links == [first, second]);
        let link_bounds = match known {
            Some((_, link_bounds)) => *link_bounds,
            None => {
                let link_bounds = self.motion.link_bounds(second, Some(first));
                if self.between.len() < MOST_BETWEEN {
                    self.between.push(([first, second], link_bounds));
                }
                link_bounds
            }
        };
        let [of_a, of_b] = [first, second].map(|link| &self.placed[self.place_of[link] as usize].1.poses);
        let (key, relative) = &mut self.relative;
        *key = (self.window, [first, second]);
        relative.link_bounds = link_bounds;
        for (pose, (pose_a, pose_b)) in relative.poses.iter_mut().zip(of_a.iter().zip(of_b)) {
            pose.rotation = pose_a.rotation.transpose() * pose_b.rotation;
            pose.translation = pose_a.to_body(pose_b.translation);
        }
        relative.measure();
        relative
    }

    /// Returns a box in the world that a solid does not leave during the window: the box around a ball around it. Also
    /// places its link.
    pub(super) fn swept_box(&mut self, solid: usize, node: u32, t: &[f64; 3], half: f64) -> Aabb {
        if node == 0 && self.boxed_in[solid] >= self.window {
            return self.boxes[solid];
        }
        let hull = self.hull(solid as u32, node);
        let (bounds, window) = match self.frame(solid as u32) {
            None => {
                let (center, half_sides) = hull.bounds();
                (Aabb { low: center - half_sides, high: center + half_sides }, ALWAYS)
            }
            Some(link) => {
                self.place(link, t);
                (moving_box(hull, self.placed(link), half), self.window)
            }
        };
        // The rounding of a box here is less than the error of the heights, which is included twice. The box of a solid
        // at rest is rounded outwards where it is used.
        if node == 0 {
            self.boxed_in[solid] = window;
            self.boxes[solid] = bounds;
            self.inflated[solid] = inflated(&bounds, self.min_separation);
        }
        bounds
    }
}

/// Returns the box around a ball around a solid whose link is placed in the window.
#[inline]
fn moving_box(hull: &RoundedHull, placed: &Placed, half: f64) -> Aabb {
    let (center, _) = hull.bounds();
    let Placed { poses, link_bounds, .. } = placed;
    let (f_0, f_1, f_2) = (poses[0].apply(center), poses[1].apply(center), poses[2].apply(center));
    let bend = ((f_0 + f_2) - (f_1 + f_1)) * 0.125;
    // The middle of a box may be farther from the origin than any of its contents: of three points that are
    // permutations of (2, 1, 1), for example, by 6 percent.
    let away = center.length() * (1.0 + 8.0 * UNIT);
    let off =
        hull.radius() + stray(link_bounds, away, half) + 2.0 * error(placed, upper_max(hull.reach(), away));
    // Minima and maxima drop NaN; this is NaN where `bend` is not finite, and 0 otherwise.
    let unknown = bend * 0.0;
    Aabb {
        low: f_0.min(f_1).min(f_2) - bend.max(DVec3::ZERO) - off + unknown, // not a bound: `unknown` keeps NaN
        high: f_0.max(f_1).max(f_2) - bend.min(DVec3::ZERO) + off + unknown, // not a bound: `unknown` keeps NaN
    }
}

/// [`Aabb::inflated`], in fewer instructions: a side is moved outwards once more by at least its last bit. That is at
/// most `2u` of the side, and less than the smallest normal number where `2u` of it might underflow.
#[inline]
fn inflated(bounds: &Aabb, distance: f64) -> Aabb {
    let (low, high) = (bounds.low - distance, bounds.high + distance);
    let more = |side: DVec3| side.abs() * (2.0 * UNIT) + f64::MIN_POSITIVE;
    Aabb { low: low - more(low), high: high + more(high) }
}

/// Returns the beginning, the middle and the end of a window, and half its length. That is rounded up: the halves may
/// differ in the last bit.
pub(super) fn instants([t_0, t_2]: [f64; 2]) -> ([f64; 3], f64) {
    ([t_0, 0.5 * (t_0 + t_2), t_2], 0.5 * (t_2 - t_0) * (1.0 + 8.0 * UNIT))
}

#[cfg(test)]
#[path = "sieve_tests.rs"]
mod tests;
