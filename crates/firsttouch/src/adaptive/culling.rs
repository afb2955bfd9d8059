//! Finds the pairs of bodies that can touch during a step: volumes on the assembly tree, and the pairs whose volumes
//! overlap.
//!
//! **Method.**
//! 1. Every assembly has a ball, in the frame of its principal handle, that contains it throughout the step: the ball
//!    around that of its upper part and that of its lower part wherever the child-to-parent transform takes it. Balls
//!    do not grow when frames turn, so they can be nested. The balls above a joint that moves, or moved since culling
//!    ran last, are computed again; all others are reused.
//! 2. The tree is tested against itself: the two parts of an assembly with a joint that moves are tested against each
//!    other, and so on inside them. Two assemblies are compared by the boxes around their balls' paths in the world;
//!    the larger one is opened if they overlap. Two assemblies in which nothing moves, and which are carried by the
//!    same joint, belong to one rigid group and need no test. So a rigid group is one body, however many links it has,
//!    and world transforms are only computed on the way to bodies that may touch something.
//! 3. Two links are compared by boxes around each of their parts: the corners of the part's own box, moved by the bound
//!    of its world transform.
//! 4. The tree is tested against a tree of the obstacles' boxes in the same way. A body that is not carried by a joint
//!    that moves cannot touch an obstacle.
//!
//! **Guarantee.** Rigorous: the transforms are bounded over the step (`sweeps`), and balls and boxes are rounded
//! outwards. A volume with NaN or infinite bounds overlaps every other.
//!
//! **Departures from the paper.** The paper bounds the world transforms of all bodies in each step, and compares their
//! boxes. That is linear in the number of bodies, even if little moves.
//!
//! Reference: Kim, Redon, Kim 2008, Sec. 3.1.

use glam::DVec3;

use super::assembly::{Assembly, AssemblyTree};
use super::sweeps::Sweep;
use super::transforms::{JointUpdate, Placed, Transforms, Updates};
use crate::body::Body;
use crate::broad::Aabb;
use crate::error::Result;
use crate::motion::Pose;
use crate::numerics::Window;
use crate::numerics::bound::{high_corner, upper_max};
use crate::numerics::rounding::UNIT;
use crate::robot::{JointMotion, PartBox, Robot};

/// The pairs that are near each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Pairs {
    /// Pairs of parts of the robot, the lower index first.
    pub(super) own: Vec<Found>,
    /// Pairs of a part and an obstacle.
    pub(super) with_obstacles: Vec<Found>,
}

/// A pair whose boxes over the step come within the gap and the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) pair: [usize; 2],
    /// True if they come within the gap: the pair may touch in the step.
    pub(super) is_close: bool,
}

/// The separations of culling: the one that the step needs, and the one that the list of pairs needs in addition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gaps {
    pub(super) gap: f64,
    pub(super) with_margin: f64,
}

/// The work of culling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CullingWork {
    /// The number of balls and boxes that were computed.
    pub volumes: u64,
    /// The number of pairs of boxes that were compared.
    pub comparisons: u64,
}

/// Bounds of a robot's transforms over a step, and volumes with them. Those of joints that rest are kept: they hold for
/// the configuration, and for no other. Those of joints that moved or were suspect hold for one step, and are given
/// again in the next ([`Culler::update`]).
#[derive(Debug, Clone)]
pub(super) struct Culler<T> {
    transforms: Transforms<T>,
    parts: Vec<PartBox>,
    /// For each link the index of its first part, with one entry more at the end.
    first_part: Vec<usize>,
    volumes: Vec<Volume>,
    /// The nodes whose volumes are out of date.
    outdated: Vec<usize>,
    /// The last requests for each node: most nodes are compared many times in a step.
    asked: Vec<Asked>,
    boxes: Vec<Made<Aabb>>,
    part_boxes: Vec<Made<Aabb>>,
    work: CullingWork,
}

/// A volume around an assembly, in the frame of its principal handle.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Volume {
    /// The ball; `None` if there are no parts.
    ball: Option<Ball>,
    /// The update in which it was computed.
    made: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Ball {
    center: DVec3,
    radius: f64,
}

/// The last updates in which a node's group and its box were requested, and the group.
#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    group: (u64, Option<Option<usize>>),
    boxed: u64,
}

/// A value and the update in which it was computed, 0 for never.
#[derive(Debug, Clone, Copy)]
struct Made<V> {
    value: V,
    made: u64,
}

impl<T: Sweep> Culler<T> {
    pub(super) fn new(
        robot: &Robot,
        tree: &AssemblyTree,
        base: Pose,
        joint: impl Fn(usize) -> Result<JointMotion>,
    ) -> Result<Culler<T>> {
        let window = Window::between(0.0, 1.0);
        let base = T::of(&JointMotion::still(base), window);
        let transforms = Transforms::new(tree, base, |link| Ok(T::of(&joint(link)?, window)))?;
        let (mut parts, mut first_part) = (Vec::new(), vec![0]);
        for link in 0..robot.links().len() {
            parts.extend(PartBox::of_link(robot, link));
            first_part.push(parts.len());
        }
        let nowhere = Made { value: Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY }, made: 0 };
        let mut culler = Culler {
            transforms,
            part_boxes: vec![nowhere; parts.len()],
            parts,
            first_part,
            volumes: vec![Volume { ball: None, made: 0 }; tree.len()],
            outdated: Vec::new(),
            asked: vec![Asked::default(); tree.len()],
            boxes: vec![nowhere; tree.len()],
            work: CullingWork::default(),
        };
        for node in 0..tree.len() {
            culler.remake_volume(tree, node);
        }
        Ok(culler)
    }

    pub(super) fn parts(&self) -> &[PartBox] {
        &self.parts
    }

    /// The number of transforms that were computed so far.
    pub(super) fn counts(&self) -> Updates {
        self.transforms.counts()
    }

    /// The work since the step began.
    pub(super) fn work(&self) -> CullingWork {
        self.work
    }

    /// The mean radius of the parts, a length to compare others with.
    pub(super) fn typical_radius(&self) -> f64 {
        self.parts.iter().map(|part| part.half.length()).sum::<f64>() / self.parts.len().max(1) as f64 // not a bound: a count
    }

    /// The distance that the parts of a link reach from its origin.
    pub(super) fn reach_of(&self, link: usize) -> f64 {
        let parts = &self.parts[self.first_part[link]..self.first_part[link + 1]];
        let reach = |part: &PartBox| {
            let ball = Ball::of(part);
            (ball.center.length() + ball.radius) * (1.0 + 8.0 * UNIT)
        };
        parts.iter().map(reach).fold(0.0, upper_max)
    }

    /// The pose of a link at the start of the step, and the last joint on the way from the base that moves.
    pub(super) fn start_of(&mut self, tree: &AssemblyTree, link: usize) -> (Placed, Option<usize>) {
        let (world, carrier) = self.transforms.world(tree, tree.leaf(link));
        (world.start(), carrier)
    }

    /// Begins a step in which these joints have these motions; all others are at rest.
    pub(super) fn update(
        &mut self,
        tree: &AssemblyTree,
        joints: &[(usize, JointMotion, bool)],
        window: Window,
    ) {
        let given = |&(joint, ref motion, moves): &(usize, JointMotion, bool)| JointUpdate {
            joint,
            transform: T::of(motion, window),
            moves,
        };
        let joints: Vec<JointUpdate<T>> = joints.iter().map(given).collect();
        self.transforms.update(tree, &joints);
        self.work = CullingWork::default();
        self.outdated.extend_from_slice(self.transforms.touched());
    }

    fn remake_volume(&mut self, tree: &AssemblyTree, node: usize) {
        let ball = match tree.assembly(node) {
            Assembly::Body { copy: true, .. } => None,
            Assembly::Body { link, .. } => {
                let parts = &self.parts[self.first_part[*link]..self.first_part[link + 1]];
                parts.iter().map(Ball::of).fold(None, Ball::around)
            }
            Assembly::Joined { upper, lower, .. } => {
                let (upper, lower) = (self.volumes[*upper], self.volumes[*lower]);
                let moves = self.transforms.child_to_parent(node);
                match lower.ball.map(|ball| ball.moved(moves)) {
                    None => upper.ball,
                    Some(ball) => Ball::around(upper.ball, ball),
                }
            }
        };
        self.work.volumes += 1;
        self.volumes[node] = Volume { ball, made: self.transforms.updates() };
    }

    /// The pairs that may come within the gap and the margin of each other in the current step.
    pub(super) fn pairs(
        &mut self,
        robot: &Robot,
        tree: &AssemblyTree,
        obstacles: &ObstacleTree,
        gaps: Gaps,
    ) -> Pairs {
        // Children have lower indices than their parents.
        let mut outdated = std::mem::take(&mut self.outdated);
        outdated.sort_unstable();
        outdated.dedup();
        outdated.drain(..).for_each(|node| self.remake_volume(tree, node));
        self.outdated = outdated;
        let mut pairs = Pairs::default();
        self.with_itself(robot, tree, gaps, &mut pairs.own);
        self.with_obstacles(tree, obstacles, gaps, &mut pairs.with_obstacles);
        // This order does not depend on that of the tree.
        pairs.own.sort_unstable();
        pairs.with_obstacles.sort_unstable();
        pairs
    }

    /// Rule 2 of the header.
    fn with_itself(&mut self, robot: &Robot, tree: &AssemblyTree, gaps: Gaps, found: &mut Vec<Found>) {
        let mut within = vec![tree.root()];
        let mut between = Vec::new();
        while let Some(node) = within.pop() {
            if let Assembly::Joined { upper, lower, .. } = tree.assembly(node)
                && self.transforms.moves_inside(node)
            {
                within.extend([*upper, *lower]);
                between.push([*upper, *lower]);
            }
        }
        while let Some([a, b]) = between.pop() {
            let (Some(ball_a), Some(ball_b)) = (self.volumes[a].ball, self.volumes[b].ball) else { continue };
            let (group_a, group_b) = (self.group(tree, a), self.group(tree, b));
            if group_a.is_some() && group_a == group_b {
                continue;
            }
            self.work.comparisons += 1;
            self.node_box(tree, a);
            self.node_box(tree, b);
            if are_apart(&self.boxes[a].value, &self.boxes[b].value, gaps.with_margin) {
                continue;
            }
            match (tree.assembly(a), tree.assembly(b)) {
                (Assembly::Body { link: link_a, .. }, Assembly::Body { link: link_b, .. }) => {
                    if !robot.is_allowed(*link_a, *link_b) {
                        self.pairs_of_parts(tree, [*link_a, *link_b], gaps, found);
                    }
                }
                (Assembly::Joined { upper, lower, .. }, other) => {
                    // An assembly that is not rigid is opened first, because its parts may belong to the other's group;
                    // then the larger one.
                    let opens_a = match other {
                        Assembly::Body { .. } => true,
                        Assembly::Joined { .. } if group_a.is_some() != group_b.is_some() => {
                            group_a.is_none()
                        }
                        Assembly::Joined { .. } => ball_a.radius >= ball_b.radius,
                    };
                    match other {
                        Assembly::Joined { upper, lower, .. } if !opens_a => {
                            between.extend([[a, *upper], [a, *lower]]);
                        }
                        _ => between.extend([[*upper, b], [*lower, b]]),
                    }
                }
                (Assembly::Body { .. }, Assembly::Joined { upper, lower, .. }) => {
                    between.extend([[a, *upper], [a, *lower]]);
                }
            }
        }
    }

    fn pairs_of_parts(&mut self, tree: &AssemblyTree, links: [usize; 2], gaps: Gaps, found: &mut Vec<Found>) {
        let [of_a, of_b] = links.map(|link| self.first_part[link]..self.first_part[link + 1]);
        for i in of_a {
            for j in of_b.clone() {
                self.work.comparisons += 1;
                let boxes = [self.part_box(tree, i), self.part_box(tree, j)];
                found.extend(gaps.found([i.min(j), i.max(j)], boxes));
            }
        }
    }

    /// Rule 4 of the header.
    fn with_obstacles(
        &mut self,
        tree: &AssemblyTree,
        obstacles: &ObstacleTree,
        gaps: Gaps,
        found: &mut Vec<Found>,
    ) {
        let mut open = vec![];
        if let Some(root) = obstacles.nodes.len().checked_sub(1) {
            open.push([tree.root(), root]);
        }
        while let Some([node, other]) = open.pop() {
            let Some(ball) = self.volumes[node].ball else { continue };
            let group = self.group(tree, node);
            if group == Some(None) {
                continue;
            }
            let obstacle = &obstacles.nodes[other];
            self.work.comparisons += 1;
            if are_apart(self.node_box(tree, node), &obstacle.bounds, gaps.with_margin) {
                continue;
            }
            match (tree.assembly(node), &obstacle.content) {
                (Assembly::Body { link, .. }, Obstacles::One(k)) => {
                    for i in self.first_part[*link]..self.first_part[link + 1] {
                        self.work.comparisons += 1;
                        found.extend(gaps.found([i, *k], [self.part_box(tree, i), obstacle.bounds]));
                    }
                }
                (Assembly::Body { .. }, Obstacles::Two(parts)) => {
                    open.extend(parts.map(|part| [node, part]));
                }
                (Assembly::Joined { upper, lower, .. }, Obstacles::One(_)) => {
                    open.extend([[*upper, other], [*lower, other]]);
                }
                (Assembly::Joined { upper, lower, .. }, Obstacles::Two(parts)) => {
                    let size = (obstacle.bounds.high - obstacle.bounds.low).max_element();
                    if group.is_none() || 2.0 * ball.radius >= size {
                        open.extend([[*upper, other], [*lower, other]]);
                    } else {
                        open.extend(parts.map(|part| [node, part]));
                    }
                }
            }
        }
    }

    /// The carrier of a rigid node; `None` if something moves in it.
    fn group(&mut self, tree: &AssemblyTree, node: usize) -> Option<Option<usize>> {
        let (asked, group) = self.asked[node].group;
        if asked == self.transforms.updates() {
            return group;
        }
        let group =
            if self.transforms.moves_inside(node) { None } else { Some(self.transforms.world(tree, node).1) };
        self.asked[node].group = (self.transforms.updates(), group);
        group
    }

    /// The box around the path of a node's ball in the world.
    fn node_box(&mut self, tree: &AssemblyTree, node: usize) -> &Aabb {
        // The volumes do not change between two questions in one step.
        if self.asked[node].boxed == self.transforms.updates() {
            return &self.boxes[node].value;
        }
        self.asked[node].boxed = self.transforms.updates();
        let volume = self.volumes[node];
        let made = self.transforms.world_made(tree, node).max(volume.made); // not a bound: counts
        if self.boxes[node].made < made
            && let Some(ball) = volume.ball
        {
            let (world, _) = self.transforms.world(tree, node);
            let value = world.path(ball.center).inflated(ball.radius);
            self.boxes[node] = Made { value, made: self.transforms.updates() };
            self.work.volumes += 1;
        }
        &self.boxes[node].value
    }

    /// The bound of a part's transform in the world.
    pub(super) fn part_sweep(&mut self, tree: &AssemblyTree, part: usize) -> T {
        let PartBox { link, pose, .. } = self.parts[part];
        let (world, _) = self.transforms.world(tree, tree.leaf(link));
        if pose == Pose::IDENTITY {
            *world
        } else {
            world.compose(&T::of(&JointMotion::still(pose), Window::between(0.0, 1.0)))
        }
    }

    /// The box that a part never leaves during the step.
    pub(super) fn part_box(&mut self, tree: &AssemblyTree, part: usize) -> Aabb {
        let PartBox { link, center, half, pose, .. } = self.parts[part];
        let leaf = tree.leaf(link);
        if self.part_boxes[part].made < self.transforms.world_made(tree, leaf) {
            let (world, _) = self.transforms.world(tree, leaf);
            let value = if pose == Pose::IDENTITY {
                world.swept_box(center, half)
            } else {
                let own = T::of(&JointMotion::still(pose), Window::between(0.0, 1.0));
                world.compose(&own).swept_box(center, half)
            };
            self.part_boxes[part] = Made { value, made: self.transforms.updates() };
            self.work.volumes += 1;
        }
        self.part_boxes[part].value
    }
}

/// The pose of a part in its link's frame; `None` if its frame is the link's.
pub(super) fn placed_in_link(part: &PartBox) -> Option<Placed> {
    (part.pose != Pose::IDENTITY).then(|| Placed::from(part.pose))
}

impl Ball {
    /// A ball around a part in its link's frame.
    fn of(part: &PartBox) -> Ball {
        let center = part.pose.at().apply(part.center);
        // The matrix has an error of 40 units, and the product and the sum have four roundings per coordinate.
        let off = 64.0 * UNIT * (part.center.length() + part.pose.translation().length());
        Ball { center, radius: (part.half.length() + off) * (1.0 + 16.0 * UNIT) }
    }

    /// A ball that contains everything, for values that are not finite.
    const EVERYTHING: Ball = Ball { center: DVec3::ZERO, radius: f64::INFINITY };

    /// The ball that contains this one wherever the transform takes it.
    fn moved(self, moves: &impl Sweep) -> Ball {
        let path = moves.path(self.center);
        let center = 0.5 * path.low + 0.5 * path.high;
        let spread = high_corner(path.high - center, center - path.low).length();
        // The differences and the length have a few roundings, relative to the coordinates and to the results.
        let size = high_corner(path.low.abs(), path.high.abs()).max_element();
        let radius = (spread + self.radius + 4.0 * UNIT * size) * (1.0 + 16.0 * UNIT);
        if center.is_finite() && radius.is_finite() { Ball { center, radius } } else { Ball::EVERYTHING }
    }

    /// A ball around both, nearly the smallest. Any centre is valid: the radius is measured from there.
    fn around(one: Option<Ball>, other: Ball) -> Option<Ball> {
        let Some(one) = one else { return Some(other) };
        let between = other.center - one.center;
        let distance = between.length();
        // From the first centre to that of the smallest ball; 0 or 1 if one is inside of the other.
        let share = ((distance + other.radius - one.radius) / (2.0 * distance)).clamp(0.0, 1.0);
        let center = if distance > 0.0 { one.center + between * share } else { one.center };
        let size = center.length() + one.center.length() + other.center.length();
        let reach = |ball: Ball| (ball.center - center).length() + ball.radius;
        let radius = (upper_max(reach(one), reach(other)) + 8.0 * UNIT * size) * (1.0 + 8.0 * UNIT);
        Some(if center.is_finite() && radius.is_finite() {
            Ball { center, radius }
        } else {
            Ball::EVERYTHING
        })
    }
}

impl Gaps {
    /// The pair with these boxes, if it is found.
    fn found(&self, pair: [usize; 2], [a, b]: [Aabb; 2]) -> Option<Found> {
        let is_near = !are_apart(&a, &b, self.with_margin);
        is_near.then(|| Found { pair, is_close: !are_apart(&a, &b, self.gap) })
    }
}

/// Returns true if two boxes are certainly farther apart than `gap` along some axis.
fn are_apart(a: &Aabb, b: &Aabb, gap: f64) -> bool {
    // The next number, or the one after it, if the sum is rounded at all: a sum too small for that is exact. NaN is not
    // beyond anything.
    let beyond = |high: DVec3| (high + gap) + (high + gap).abs() * (2.0 * UNIT);
    a.low.cmpgt(beyond(b.high)).any() || b.low.cmpgt(beyond(a.high)).any()
}

/// The obstacles' boxes under a binary tree, children before parents; the last node is the root.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ObstacleTree {
    nodes: Vec<ObstacleNode>,
}

#[derive(Debug, Clone, PartialEq)]
struct ObstacleNode {
    bounds: Aabb,
    content: Obstacles,
}

#[derive(Debug, Clone, PartialEq)]
enum Obstacles {
    One(usize),
    Two([usize; 2]),
}

impl ObstacleTree {
    /// Builds the tree for obstacles at rest.
    pub(super) fn new(obstacles: &[Body]) -> ObstacleTree {
        let window = Window::between(0.0, 1.0);
        let boxes: Vec<Aabb> = obstacles.iter().filter_map(|body| body.swept_box(window)).collect();
        let mut tree = ObstacleTree::default();
        let mut all: Vec<usize> = (0..boxes.len()).collect();
        if !all.is_empty() {
            tree.split(&boxes, &mut all);
        }
        tree
    }

    /// Builds a node that is halved along the longest side.
    fn split(&mut self, boxes: &[Aabb], some: &mut [usize]) -> usize {
        let whole = some.iter().map(|&i| boxes[i]).reduce(|a, b| a.union(&b));
        let content = match some {
            [one] => Obstacles::One(*one),
            _ => {
                let sides = whole.map_or(DVec3::ZERO, |bounds| bounds.high - bounds.low);
                let axis = (1..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best });
                let middle = |i: usize| boxes[i].low[axis] + boxes[i].high[axis];
                some.sort_by(|&i, &j| middle(i).total_cmp(&middle(j)).then(i.cmp(&j)));
                let (left, right) = some.split_at_mut(some.len() / 2);
                Obstacles::Two([self.split(boxes, left), self.split(boxes, right)])
            }
        };
        let bounds = whole.unwrap_or(Aabb { low: DVec3::ZERO, high: DVec3::ZERO });
        self.nodes.push(ObstacleNode { bounds, content });
        self.nodes.len() - 1
    }
}
