//! CATCH as its paper describes it, stage by stage, as a comparison for the library's own pipeline.
//!
//! 1. *Preprocess.* For each part an oriented box, its convex hull and a tree of convex hulls over its convex patches
//!    ([`HullTree`]).
//! 2. *Dynamic boxes* (Sec. 5). Each joint's transform over the whole step is given by Taylor models of order 3. They
//!    are multiplied along the chain, and applied to the eight corners of each part's oriented box.
//!    [`Arithmetic::Intervals`] does the same with plain intervals.
//! 3. *Dynamic hierarchy* (Sec. 5.2). The boxes are joined bottom-up, neighbours along the chain first, and the
//!    hierarchy is descended together with that of the obstacles. Parts of the robot are compared pair by pair. The
//!    remaining pairs are the potentially colliding ones.
//! 4. *Lower bounds by hulls* (Sec. 7.2). The convex hulls of each pair are advanced until they touch, or to the end.
//! 5. *Temporal culling* (Sec. 7.1). The pairs are sorted by this bound; each is advanced over its hull trees until it
//!    touches, or beyond the earliest known time. The rest of the list is dropped as soon as its bound is beyond that
//!    time.
//! 6. *Motion bound* (Eq. 10), over the whole step: `|v_1 · n| + |n × ω_1| A + B`, with `A` and `B` from the lengths
//!    and rates of the chain.
//!
//! Departures: the paper divides the distance of two models by the bound along the direction of the closest pair. That
//! is sound only for convex models. Here a step is the least `d_ij / μ(n_ij)` over the pairs of pieces and nodes that
//! are not opened, each with its own direction. Pieces are triangles. Two parts of the robot move relative to the last
//! link from which both hang, with bounds of all directions.
//!
//! Guarantee: none. Distances are those of the library and proven, but the rounding of the motion bound is covered only
//! by a factor. It is tested against the library's answers.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 4 to 7 and Algorithm 1.

use std::time::Instant;

use firsttouch::advancement::Approach;
use firsttouch::articulated::{JointKind, Robot, RobotMotion};
use firsttouch::convex::{ConvexPair, Moving};
use firsttouch::motion::{Motion, Pose, PoseAt, RigidMotion, Window};
use firsttouch::numerics::{Enclosure, Interval, TaylorModel};
use firsttouch::shape::{Mesh, Shape};
use firsttouch::tree::composite::Composite;
use firsttouch::{Aabb, Body, Error, Options, Result};
use glam::{DQuat, DVec3};

use super::HullTree;

/// The arithmetic of the dynamic boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// Taylor models of order 3, as in the paper.
    Taylor,
    /// Plain intervals.
    Intervals,
}

/// A robot of meshes among meshes at rest, prepared for the pipeline of the paper.
pub struct Catch<'a> {
    robot: &'a Robot,
    parts: Vec<Piece<'a>>,
    obstacles: Vec<(Piece<'a>, Motion, Aabb)>,
    /// The hierarchy of the obstacles' boxes.
    world: Boxes,
}

struct Piece<'a> {
    link: usize,
    part: usize,
    mesh: &'a Mesh,
    tree: HullTree,
}

/// The work of a step, stage by stage.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CatchStats {
    /// Pairs of parts before culling.
    pub before: u64,
    /// Potentially colliding pairs: their boxes overlap.
    pub spatial: u64,
    /// Of them, pairs of a part and an obstacle.
    pub with_obstacles: u64,
    /// Of all, pairs whose hulls overlap at the start, or that have too many corners: their bound is 0.
    pub hulls_overlap: u64,
    /// Pairs whose hull trees were descended, because their bound was before the earliest known time.
    pub temporal: u64,
    /// Advancement steps over hull trees.
    pub iterations: u64,
    /// Pairs of nodes of hull trees.
    pub node_pairs: u64,
    /// Pairs of triangles.
    pub leaf_pairs: u64,
    /// Seconds: boxes, hierarchy, hulls, trees.
    pub seconds: [f64; 4],
}

impl std::ops::AddAssign for CatchStats {
    fn add_assign(&mut self, other: CatchStats) {
        self.before += other.before;
        self.spatial += other.spatial;
        self.with_obstacles += other.with_obstacles;
        self.hulls_overlap += other.hulls_overlap;
        self.temporal += other.temporal;
        self.iterations += other.iterations;
        self.node_pairs += other.node_pairs;
        self.leaf_pairs += other.leaf_pairs;
        for (sum, seconds) in self.seconds.iter_mut().zip(other.seconds) {
            *sum += seconds;
        }
    }
}

/// Two parts, or a part and an obstacle.
#[derive(Debug, Clone, Copy)]
enum Candidate {
    Obstacle(usize, usize),
    Own(usize, usize),
}

/// Returns how fast the two sides of a pair can approach along a direction: step 6, summed.
#[derive(Debug, Clone, Copy)]
struct Rate {
    velocity: DVec3,
    turn: DVec3,
    arm: f64,
    rest: f64,
}

impl Rate {
    fn along(&self, n: DVec3) -> f64 {
        let directed = self.velocity.dot(n).abs() + n.cross(self.turn).length() * self.arm;
        (directed + self.rest) * (1.0 + 1e-12)
    }
}

/// The motion of one joint over the step.
#[derive(Debug, Clone, Copy)]
struct JointRate {
    /// The velocity in the parent's frame.
    velocity: DVec3,
    turn: DVec3,
    /// The larger of the distances from the parent's frame at both ends.
    length: f64,
}

impl<'a> Catch<'a> {
    /// Prepares the trees. Returns an error for parts that are not meshes and for obstacles that are not meshes at
    /// rest.
    pub fn new(robot: &'a Robot, obstacles: &'a [Body]) -> Result<Catch<'a>> {
        let unsupported =
            |what: &str| Error::Unsupported { what: format!("the paper's pipeline for {what}") };
        let mut parts = Vec::new();
        for (link, described) in robot.links().iter().enumerate() {
            for (part, placed) in described.parts().iter().enumerate() {
                let Shape::Mesh(mesh) = &placed.shape else {
                    return Err(unsupported("parts that are not meshes"));
                };
                parts.push(Piece { link, part, mesh, tree: HullTree::new(mesh) });
            }
        }
        let mut world = Vec::new();
        for body in obstacles {
            let Some((Shape::Mesh(mesh), motion @ Motion::Fixed(_))) = body.as_rigid() else {
                return Err(unsupported("obstacles that are not meshes at rest"));
            };
            let pose = motion.pose_at(0.0);
            let around = around(mesh.vertices().iter().map(|&v| pose.apply(v)));
            world.push((Piece { link: 0, part: 0, mesh, tree: HullTree::new(mesh) }, motion.clone(), around));
        }
        let boxes = Boxes::new(world.iter().map(|(_, _, bounds)| *bounds).collect());
        Ok(Catch { robot, parts, obstacles: world, world: boxes })
    }

    /// Returns the first touch of a step: the time up to which it is free, and true if it touches then.
    pub fn check(
        &self,
        from: &[f64],
        to: &[f64],
        options: &Options,
        arithmetic: Arithmetic,
        stats: &mut CatchStats,
    ) -> Result<(f64, bool)> {
        let motion = RobotMotion::new(self.robot, Pose::IDENTITY, from, to)?;
        let mut clock = Instant::now();
        let mut lap = |stage: usize, stats: &mut CatchStats| {
            stats.seconds[stage] += clock.elapsed().as_secs_f64();
            clock = Instant::now();
        };
        let boxes = match arithmetic {
            Arithmetic::Taylor => self.boxes::<TaylorModel>(&motion)?,
            Arithmetic::Intervals => self.boxes::<Interval>(&motion)?,
        };
        lap(0, stats);
        let apart = options.min_separation + options.tolerance;
        let grown: Vec<Aabb> = boxes.iter().map(|bounds| bounds.inflated(apart)).collect();
        let candidates = self.potentially_colliding(grown, stats);
        lap(1, stats);

        let rates = self.joint_rates(from, to);
        let mut pairs: Vec<(f64, Pair<'_>)> = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            let pair = self.pair(&motion, &rates, candidate);
            let bound = pair.hull_bound(options, stats);
            pairs.push((bound, pair));
        }
        lap(2, stats);
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut t_min, mut touches) = (1.0, false);
        for (bound, pair) in &pairs {
            if *bound > t_min {
                break;
            }
            stats.temporal += 1;
            let (t, touched) = pair.advance(*bound, t_min, options, stats);
            if touched && t <= t_min {
                (t_min, touches) = (t, true);
            }
        }
        lap(3, stats);
        Ok((t_min, touches))
    }

    fn boxes<E: Enclosure>(&self, motion: &RobotMotion<'_>) -> Result<Vec<Aabb>> {
        let enclosures = motion.enclosures::<E>(Window::new(0.0, 1.0)?);
        let of_part = |piece: &Piece<'_>| {
            let transform = &enclosures[motion.part_frame(piece.link, piece.part)];
            let obb = &piece.mesh.tree().node(0).volume;
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for corner in 0..8 {
                let side = |bit: u32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let at = obb.center + obb.axes * (obb.half * DVec3::new(side(0), side(1), side(2)));
                let [x, y, z] = transform.apply(at).range();
                low = low.min(DVec3::new(x.lo(), y.lo(), z.lo()));
                high = high.max(DVec3::new(x.hi(), y.hi(), z.hi()));
            }
            Aabb { low, high }.inflated(1e-12 * obb.reach)
        };
        Ok(self.parts.iter().map(of_part).collect())
    }

    /// Takes step 3.
    fn potentially_colliding(&self, boxes: Vec<Aabb>, stats: &mut CatchStats) -> Vec<Candidate> {
        stats.before += (self.parts.len() * self.obstacles.len()) as u64;
        let mut found = Vec::new();
        for i in 0..self.parts.len() {
            for j in i + 1..self.parts.len() {
                let [a, b] = [self.parts[i].link, self.parts[j].link];
                if a != b && !self.robot.is_allowed(a, b) {
                    stats.before += 1;
                    if overlap(&boxes[i], &boxes[j]) {
                        found.push(Candidate::Own(i, j));
                    }
                }
            }
        }
        let own = found.len();
        let robot = Boxes::new(boxes);
        robot.meet(&self.world, |i, k| found.push(Candidate::Obstacle(i, k)));
        stats.spatial += found.len() as u64;
        stats.with_obstacles += (found.len() - own) as u64;
        found
    }

    /// Returns, for each link, the joint that carries it.
    fn joint_rates(&self, from: &[f64], to: &[f64]) -> Vec<Option<JointRate>> {
        (0..self.robot.links().len()).map(|link| joint_rate(self.robot, link, from, to)).collect()
    }

    fn pair<'p>(
        &'p self,
        motion: &'p RobotMotion<'p>,
        rates: &[Option<JointRate>],
        candidate: Candidate,
    ) -> Pair<'p> {
        match candidate {
            Candidate::Obstacle(i, k) => {
                let (piece, obstacle) = (&self.parts[i], &self.obstacles[k]);
                let motions: [Box<dyn RigidMotion + 'p>; 2] =
                    [Box::new(motion.part(piece.link, piece.part)), Box::new(obstacle.1.clone())];
                Pair { pieces: [piece, &obstacle.0], motions, rate: self.rate(piece, None, rates, true) }
            }
            Candidate::Own(i, j) => {
                let [a, b] = [&self.parts[i], &self.parts[j]];
                let base = self.robot.common_ancestor(a.link, b.link);
                let [of_a, of_b] = motion.relative((a.link, a.part), (b.link, b.part));
                let [rate_a, rate_b] = [a, b].map(|piece| self.rate(piece, Some(base), rates, false));
                let rate = Rate { rest: rate_a.rest + rate_b.rest, ..rate_a };
                Pair { pieces: [a, b], motions: [Box::new(of_a), Box::new(of_b)], rate }
            }
        }
    }

    /// Takes step 6 for one side, in the frame of `base` or in the world. Without `directed` the first joint counts
    /// like the others.
    fn rate(
        &self,
        piece: &Piece<'_>,
        base: Option<usize>,
        rates: &[Option<JointRate>],
        directed: bool,
    ) -> Rate {
        let mut chain = Vec::new();
        let mut link = Some(piece.link);
        while let Some(at) = link.filter(|&at| Some(at) != base) {
            chain.extend(rates[at]);
            link = self.robot.links()[at].parent();
        }
        // From the tip to the root: the largest distance of the tip from each frame.
        let placed = &self.robot.links()[piece.link].parts()[piece.part].pose;
        let mut arm = placed.translation().length() + piece.mesh.tree().node(0).volume.reach;
        let mut rest = 0.0;
        let mut first = Rate { velocity: DVec3::ZERO, turn: DVec3::ZERO, arm: 0.0, rest: 0.0 };
        for (k, joint) in chain.iter().enumerate() {
            if directed && k + 1 == chain.len() {
                first = Rate { velocity: joint.velocity, turn: joint.turn, arm, rest: 0.0 };
            } else {
                rest += joint.velocity.length() + joint.turn.length() * arm;
            }
            arm += joint.length;
        }
        Rate { rest, ..first }
    }
}

fn joint_rate(robot: &Robot, link: usize, from: &[f64], to: &[f64]) -> Option<JointRate> {
    let joint = robot.joint_of(link)?;
    let value = |suffix: &str, q: &[f64]| match &joint.mimic {
        Some(mimic) => robot.variable(&mimic.joint).map_or(0.0, |i| mimic.multiplier * q[i] + mimic.offset),
        None => robot.variable(&format!("{}{suffix}", joint.name)).map_or(0.0, |i| q[i]),
    };
    let change = |suffix: &str| value(suffix, to) - value(suffix, from);
    let turned = joint.origin.rotation();
    let place = joint.origin.translation();
    let along = |axis: DVec3| turned * axis.normalize();
    let (velocity, turn, shifts) = match joint.kind {
        JointKind::Revolute { axis } => (DVec3::ZERO, along(axis) * change(""), [DVec3::ZERO; 2]),
        JointKind::Prismatic { axis } => {
            let axis = along(axis);
            (axis * change(""), DVec3::ZERO, [axis * value("", from), axis * value("", to)])
        }
        JointKind::Planar { normal } => {
            // The two directions in the plane are orthonormal: their sum is as long as the pair of numbers.
            let at = |q: &[f64]| DVec3::new(value("/x", q), value("/y", q), 0.0);
            let [a, b] = [from, to].map(at);
            let frame = firsttouch::glam::DQuat::from_rotation_arc(DVec3::Z, normal.normalize());
            (
                turned * (frame * (b - a)),
                along(normal) * change("/theta"),
                [turned * (frame * a), turned * (frame * b)],
            )
        }
        JointKind::Floating => {
            let at = |q: &[f64]| DVec3::new(value("/trans_x", q), value("/trans_y", q), value("/trans_z", q));
            let orientation = |q: &[f64]| {
                DQuat::from_xyzw(
                    value("/rot_x", q),
                    value("/rot_y", q),
                    value("/rot_z", q),
                    value("/rot_w", q),
                )
                .normalize()
            };
            let [p, q] = [from, to].map(orientation);
            let [a, b] = [from, to].map(at);
            let step = q * p.inverse();
            let step = if step.w < 0.0 { -step } else { step };
            let sine = step.xyz().length();
            let angle = 2.0 * sine.atan2(step.w);
            let axis = step.xyz().try_normalize().unwrap_or(DVec3::Z);
            (turned * (b - a), turned * axis * angle, [turned * a, turned * b])
        }
        _ => (DVec3::ZERO, DVec3::ZERO, [DVec3::ZERO; 2]),
    };
    let length = shifts.iter().fold(0.0_f64, |most, shift| most.max((place + *shift).length()));
    Some(JointRate { velocity, turn, length })
}

struct Pair<'p> {
    pieces: [&'p Piece<'p>; 2],
    motions: [Box<dyn RigidMotion + 'p>; 2],
    rate: Rate,
}

/// The largest number of advancement steps of a pair.
const MOST_STEPS: u32 = 10_000;

impl Pair<'_> {
    /// Takes step 4: the time at which the convex hulls touch; 0 if they do at the start, infinite if never.
    fn hull_bound(&self, options: &Options, stats: &mut CatchStats) -> f64 {
        let [Some(a), Some(b)] = self.pieces.map(|piece| Composite::hull(piece.mesh)) else {
            stats.hulls_overlap += 1;
            return 0.0;
        };
        let mut hulls = ConvexPair::new(
            Moving { shape: a, motion: &*self.motions[0] },
            Moving { shape: b, motion: &*self.motions[1] },
            options.min_separation,
            options.tolerance,
        );
        let mut t = 0.0;
        for _ in 0..MOST_STEPS {
            let found = hulls.separation(t);
            let free = found.lower - options.min_separation;
            if found.upper <= options.min_separation + options.tolerance || free <= 0.0 {
                stats.hulls_overlap += u64::from(t == 0.0);
                return t;
            }
            let rate = self.rate.along(found.normal);
            t += free / rate;
            if rate == 0.0 || t > 1.0 {
                return f64::INFINITY;
            }
        }
        t
    }

    /// Takes step 5 for one pair, from a time on: the time of the touch, or a time later than `t_min`.
    fn advance(&self, start: f64, t_min: f64, options: &Options, stats: &mut CatchStats) -> (f64, bool) {
        let mut t = start;
        for _ in 0..MOST_STEPS {
            stats.iterations += 1;
            match self.step(t, t_min - t, options, stats) {
                Some(step) if t + step >= t_min => return (t_min, false),
                Some(step) => t += step,
                None => return (t, true),
            }
        }
        (t, true)
    }

    /// Returns how far the pair may be advanced from `t`, at most `most`; `None` if it touches.
    fn step(&self, t: f64, most: f64, options: &Options, stats: &mut CatchStats) -> Option<f64> {
        let poses = [0, 1].map(|k| self.motions[k].pose_at(t));
        let [a, b] = self.pieces;
        let mut least = most.max(0.0);
        let mut open = vec![([0_u32, 0_u32], DVec3::X)];
        while let Some(([i, j], guess)) = open.pop() {
            let (node_a, node_b) = (a.tree.node(i), b.tree.node(j));
            let (children_a, children_b) = (node_a.children(), node_b.children());
            if children_a.is_none() && children_b.is_none() {
                stats.leaf_pairs += 1;
                let triangles = [a.mesh.triangle(node_a.triangle()), b.mesh.triangle(node_b.triangle())];
                let mut leaves = ConvexPair::new(
                    Moving { shape: &triangles[0], motion: &*self.motions[0] },
                    Moving { shape: &triangles[1], motion: &*self.motions[1] },
                    options.min_separation,
                    options.tolerance,
                );
                let found = leaves.separation(t);
                if found.upper <= options.min_separation + options.tolerance {
                    return None;
                }
                let free = (found.lower - options.min_separation).max(0.0);
                least = least.min(free / self.rate.along(found.normal).max(f64::MIN_POSITIVE));
                continue;
            }
            stats.node_pairs += 1;
            // The parent's direction, and the directions out of each box towards the other's centre.
            let [center_a, center_b] =
                [poses[0].apply(node_a.bounds.center), poses[1].apply(node_b.bounds.center)];
            let out_a = poses[0].rotation * node_a.bounds.way_out(poses[0].to_body(center_b));
            let out_b = poses[1].rotation * -node_b.bounds.way_out(poses[1].to_body(center_a));
            let mut best = (0.0, guess);
            for n in [guess, out_a, out_b] {
                let Some(n) = n.try_normalize() else { continue };
                let free = separation([a, b], [i, j], &poses, n) - options.min_separation;
                let step = free / self.rate.along(n).max(f64::MIN_POSITIVE);
                if step > best.0 {
                    best = (step, n);
                }
            }
            if best.0 >= least {
                continue;
            }
            let first = children_b.is_none()
                || (children_a.is_some() && node_a.bounds.half.x >= node_b.bounds.half.x);
            let next = if first { children_a } else { children_b };
            for child in next.into_iter().flatten() {
                open.push((if first { [child, j] } else { [i, child] }, best.1));
            }
        }
        Some(least)
    }
}

/// Returns the separation of two nodes along a unit vector of the motions' frame, less its rounding.
fn separation([a, b]: [&Piece<'_>; 2], [i, j]: [u32; 2], poses: &[PoseAt; 2], n: DVec3) -> f64 {
    let back = |pose: &PoseAt, n: DVec3| pose.rotation.transpose() * n;
    let high = n.dot(poses[0].translation) + a.tree.extent(i, back(&poses[0], n));
    let low = n.dot(poses[1].translation) - b.tree.extent(j, back(&poses[1], -n));
    let size = poses[0].translation.length()
        + poses[1].translation.length()
        + a.tree.node(i).bounds.reach
        + b.tree.node(j).bounds.reach;
    low - high - 1e-13 * size
}

fn around(points: impl Iterator<Item = DVec3>) -> Aabb {
    let empty = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    points.fold(empty, |bounds, p| Aabb { low: bounds.low.min(p), high: bounds.high.max(p) }).inflated(1e-12)
}

fn overlap(a: &Aabb, b: &Aabb) -> bool {
    !(a.low.cmpgt(b.high).any() || b.low.cmpgt(a.high).any())
}

/// A hierarchy of boxes, joined bottom-up: neighbours in the list first.
struct Boxes {
    /// Leaves first; then each node after its children.
    nodes: Vec<(Aabb, Option<[usize; 2]>)>,
}

impl Boxes {
    fn new(leaves: Vec<Aabb>) -> Boxes {
        let mut nodes: Vec<(Aabb, Option<[usize; 2]>)> =
            leaves.into_iter().map(|leaf| (leaf, None)).collect();
        let mut level: Vec<usize> = (0..nodes.len()).collect();
        while level.len() > 1 {
            let mut above = Vec::with_capacity(level.len().div_ceil(2));
            for pair in level.chunks(2) {
                match *pair {
                    [a, b] => {
                        nodes.push((nodes[a].0.union(&nodes[b].0), Some([a, b])));
                        above.push(nodes.len() - 1);
                    }
                    _ => above.extend(pair),
                }
            }
            level = above;
        }
        Boxes { nodes }
    }

    /// Calls `found` for every two leaves that overlap.
    fn meet(&self, other: &Boxes, mut found: impl FnMut(usize, usize)) {
        let (Some(root), Some(top)) = (self.nodes.len().checked_sub(1), other.nodes.len().checked_sub(1))
        else {
            return;
        };
        let mut open = vec![(root, top)];
        while let Some((i, j)) = open.pop() {
            if !overlap(&self.nodes[i].0, &other.nodes[j].0) {
                continue;
            }
            match (self.nodes[i].1, other.nodes[j].1) {
                (None, None) => found(i, j),
                (Some(children), _) => open.extend(children.map(|child| (child, j))),
                (None, Some(children)) => open.extend(children.map(|child| (i, child))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes::{mannequin, trains};
    use firsttouch::Answer;

    /// The paper's pipeline and the library agree on which steps are free, and on the times, within the tolerance.
    #[test]
    fn the_same_answers_as_the_library() {
        let options = Options { tolerance: 1e-3, ..Options::default() };
        let scenarios = [
            mannequin::walk([1_000, 4_000], 30).unwrap(),
            mannequin::exercise(1_000, 30).unwrap(),
            trains::falling_train([1_500, 1_000], 20).unwrap(),
        ];
        let mut kinds = [0; 3];
        for scenario in &scenarios {
            let (catch, checker) =
                (Catch::new(&scenario.robot, &scenario.obstacles).unwrap(), scenario.checker().unwrap());
            for [from, to] in &scenario.steps {
                let answer = checker.check_step(from, to, &options).unwrap().answer;
                for arithmetic in [Arithmetic::Taylor, Arithmetic::Intervals] {
                    let mut stats = CatchStats::default();
                    let (t, touches) = catch.check(from, to, &options, arithmetic, &mut stats).unwrap();
                    assert!(stats.spatial <= stats.before && stats.temporal <= stats.spatial);
                    match &answer {
                        Answer::Free => {
                            kinds[0] += 1;
                            // A pass within the tolerance may be reported as a touch by one of them.
                            assert!(!touches || t > 0.0, "{t}");
                        }
                        Answer::TouchingAtStart(_) => {
                            kinds[1] += 1;
                            assert!(touches && t == 0.0, "{t}");
                        }
                        Answer::Touch(touch) => {
                            kinds[2] += 1;
                            // Never late. A pass within the tolerance may be free for one of them.
                            let t_max = if touches { t.max(1e-9) } else { 1.0 };
                            let tight = Options { t_max, tolerance: 1e-9, ..options };
                            let before = checker.check_step(from, to, &tight).unwrap().answer;
                            assert_eq!(before, Answer::Free, "{t} {}", touch.toi);
                        }
                        Answer::Undecided { .. } => panic!("undecided"),
                    }
                }
            }
        }
        assert!(kinds.iter().all(|&count| count > 4), "{kinds:?}");
    }

    /// Eq. 10: the speed of every vertex along every direction, sampled, is at most the bound.
    #[test]
    fn the_motion_bound_holds() {
        let scenario = mannequin::exercise(1_000, 12).unwrap();
        let catch = Catch::new(&scenario.robot, &[]).unwrap();
        let mut tightest = f64::INFINITY;
        for [from, to] in &scenario.steps {
            let motion = RobotMotion::new(&scenario.robot, Pose::IDENTITY, from, to).unwrap();
            let rates = catch.joint_rates(from, to);
            for piece in &catch.parts {
                let rate = catch.rate(piece, None, &rates, true);
                let moves = motion.part(piece.link, piece.part);
                for k in 0..8 {
                    let t = f64::from(k) / 8.0;
                    let [p, q] = [t, t + 1e-4].map(|t| moves.pose_at(t));
                    for (i, &v) in piece.mesh.vertices().iter().enumerate().step_by(7) {
                        let n = DVec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 * i as f64).sin())
                            .normalize();
                        let speed = (q.apply(v) - p.apply(v)).dot(n).abs() * 1e4;
                        assert!(speed <= rate.along(n) * (1.0 + 1e-6) + 1e-9, "{speed} {}", rate.along(n));
                        if speed > 1e-3 {
                            tightest = tightest.min(rate.along(n) / speed);
                        }
                    }
                }
            }
        }
        assert!(tightest < 2.0, "{tightest}: the bound is never near the speed");
    }
}
