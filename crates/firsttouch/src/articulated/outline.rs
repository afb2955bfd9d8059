//! The sieve's view of a robot and its surroundings: coarse solids, and the pairs of them that may touch.
//!
//! 1. *Groups.* Links connected by fixed joints move as one: a gripper of a dozen links is one group, in the frame of
//!    the link that the last moving joint carries. Attached bodies form a group of their own in that frame, so that
//!    attaching or releasing one leaves all other groups unchanged.
//! 2. *Solids.* Around each part, around each group and around each obstacle lies a [`CoarseTree`], in the frame of its
//!    group or of the world. An obstacle that moves or deforms is the box that it never leaves.
//! 3. *Pairs.* A group and an obstacle, or two groups, are one pair at first. If it cannot be proven free as a whole,
//!    it is opened into the pairs of parts that must be checked. If these are few, there is no pair of groups.
//! 4. Two parts that hang on one moving joint, and a part that is fixed to the base and an obstacle at rest, never move
//!    relative to each other. Their distance is computed once, along one direction.
//!
//! The outline of a robot and that of each obstacle are shared between clones of a checker. A change rebuilds only the
//! outlines that it affects.
//!
//! Parts come in the order of the depths and names of their links, and obstacles in that of their names. They are
//! processed in this order, so the answer does not depend on the order in which links, obstacles or attached bodies
//! were added.
//!
//! Guarantee: every solid contains the part, group or obstacle that it stands for. Corners that were moved into another
//! frame have the rounding error of the products on the way, which is added to their radius.

use std::sync::{Arc, OnceLock};

use glam::{DMat3, DVec3};

use super::joint_cells::JointCells;
use crate::body::{Body, BodyKind};
use crate::broad::{Aabb, overlapping_pairs};
use crate::distance::coarse::{CoarseTree, Placement, balls_of, box_corners};
use crate::distance::gjk::Gjk;
use crate::distance::rounded_hull::Ball;
use crate::motion::{Motion, Pose, PoseAt};
use crate::numerics::bound::largest_upper;
use crate::numerics::rounding::UNIT;
use crate::pair::{NeededGap, ProvenGap};
use crate::robot::{JointKind, PartBox, Prepared, Robot, part_boxes};
use crate::shape::{Convex, Shape};
use crate::world::PairRule;

/// Fewer pairs of parts than this are not worth a pair of groups before them.
const FEW_PAIRS: usize = 3;

/// Up to this many pairs of parts, the initial pairs, and the distances of those at rest, are listed once. A list of
/// all pairs of 10,000 links would take gigabytes; for such robots the boxes of a query tell which pairs are needed.
const MOST_LISTED: usize = 20_000;

/// A pair of parts that must be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidate {
    /// A part of the robot and an obstacle.
    Obstacle(usize, usize),
    /// Two parts of the robot, the lower index first.
    Own(usize, usize),
}

/// The coarse solids of a robot.
#[derive(Debug, Clone)]
pub(super) struct Outline {
    /// The parts, in the order of the links' depths and names, and of the parts of a link.
    pub(super) parts: Vec<PartBox>,
    /// First the solids of the parts, then those of groups with several members.
    pub(super) solids: Vec<Arc<CoarseTree>>,
    /// The link whose frame each solid is in.
    pub(super) frames: Vec<usize>,
    pub(super) groups: Vec<Group>,
    /// The group of each part, and of each solid of a group.
    pub(super) group_of_part: Vec<usize>,
    pub(super) group_of_solid: Vec<usize>,
    /// The input of each part's solid, to avoid building it again if it did not change.
    sources: Vec<Source>,
    /// The initial pairs of solids of the robot, if they are few enough to be listed.
    pub(super) own_roots: Option<Vec<[u32; 2]>>,
    /// The cells of each of these pairs; built when they are needed. Their bounds hold for this robot and its joint
    /// angles, in all motions and under all options.
    cells: Arc<[OnceLock<Option<JointCells>>]>,
    /// Pairs of parts that do not move relative to each other, if they are few enough.
    resting: Option<Vec<Resting>>,
    /// The number of pairs of parts of the robot that are checked.
    pub(super) own_pairs: u64,
    /// The data that all motions of the robot share.
    pub(super) prepared: Prepared,
}

/// Parts that move as one and are tested as one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Group {
    /// The link whose frame it is in.
    pub(super) top: usize,
    pub(super) members: Vec<usize>,
    /// Its solid: that of its only member, or one of its own.
    pub(super) solid: usize,
}

/// Two parts that do not move relative to each other, and the proven gap between them. The proof holds for this robot,
/// in all its motions and under all options: each query compares the gap with the one that it needs.
#[derive(Debug, Clone, Copy)]
struct Resting {
    parts: [usize; 2],
    distance: ProvenGap,
}

#[derive(Debug, Clone)]
struct Source {
    shape: Shape,
    place: Place,
}

impl Source {
    /// Returns true if both give the same solid. Shared meshes and hulls are compared by address: comparing their
    /// contents costs too much.
    fn is_same(&self, other: &Source) -> bool {
        let shapes = match (&self.shape, &other.shape) {
            (Shape::Mesh(a), Shape::Mesh(b)) => Arc::ptr_eq(a, b),
            (Shape::Hull(a), Shape::Hull(b)) => Arc::ptr_eq(a, b),
            (Shape::SolidMesh(a), Shape::SolidMesh(b)) => Arc::ptr_eq(a, b),
            (Shape::PointCloud(a), Shape::PointCloud(b)) => Arc::ptr_eq(a, b),
            (Shape::Octree(a), Shape::Octree(b)) => Arc::ptr_eq(a, b),
            (Shape::HeightField(a), Shape::HeightField(b)) => Arc::ptr_eq(a, b),
            (a, b) => a == b,
        };
        shapes && self.place == other.place
    }
}

impl Outline {
    /// Builds the outline of a robot. Parts that are unchanged since the outline `known` are taken from there.
    pub(super) fn new(robot: &Robot, known: Option<&Outline>) -> Outline {
        let places = places(robot);
        let parts = part_boxes(robot);
        let mut solids: Vec<Arc<CoarseTree>> = Vec::with_capacity(parts.len());
        let mut sources: Vec<Source> = Vec::with_capacity(parts.len());
        let mut frames: Vec<usize> = Vec::with_capacity(parts.len());
        for (i, part) in parts.iter().enumerate() {
            let described = &robot.links()[part.link].parts()[part.part];
            let place = places[part.link].then(&described.pose);
            let source = Source { shape: described.shape.clone(), place };
            // Attaching or releasing a body shifts the others by a few places at most.
            let kept = known.and_then(|known| {
                let same = |k: &usize| known.sources.get(*k).is_some_and(|known| known.is_same(&source));
                let k = [i, i.wrapping_sub(1), i + 1].into_iter().find(same)?;
                Some(Arc::clone(&known.solids[k]))
            });
            solids.push(kept.unwrap_or_else(|| placed_tree(&source.shape, &place)));
            frames.push(place.top);
            sources.push(source);
        }
        let groups = groups(robot, &parts, &places);
        let mut group_of_part = vec![0; parts.len()];
        for (g, group) in groups.iter().enumerate() {
            group.members.iter().for_each(|&i| group_of_part[i] = g);
        }
        let mut outline = Outline {
            parts,
            solids,
            frames,
            groups,
            group_of_part,
            group_of_solid: Vec::new(),
            sources,
            own_roots: None,
            cells: Arc::default(),
            resting: None,
            own_pairs: 0,
            prepared: Prepared::new(robot),
        };
        outline.make_group_solids(known);
        outline.count_own_pairs(robot);
        if outline.own_pairs <= MOST_LISTED as u64 {
            let roots = outline.list_own_roots(robot);
            outline.cells = roots.iter().map(|_| OnceLock::new()).collect();
            outline.own_roots = Some(roots);
            let resting = outline.resting_within(robot, f64::INFINITY);
            outline.resting = Some(resting);
        }
        outline
    }

    fn make_group_solids(&mut self, known: Option<&Outline>) {
        for g in 0..self.groups.len() {
            let Group { top, members, .. } = &self.groups[g];
            let solid = if let [only] = members[..] {
                only
            } else {
                let is_same = |group: &&Group| {
                    let outline = known.expect("it has a group");
                    group.members.len() == members.len()
                        && group.solid >= outline.parts.len()
                        && members
                            .iter()
                            .zip(&group.members)
                            .all(|(&i, &k)| Arc::ptr_eq(&self.solids[i], &outline.solids[k]))
                };
                let kept = known.and_then(|outline| {
                    Some(Arc::clone(&outline.solids[outline.groups.iter().find(is_same)?.solid]))
                });
                let made = kept.unwrap_or_else(|| {
                    let solids =
                        members.iter().flat_map(|&i| self.solids[i].whole().balls()).collect::<Vec<_>>();
                    let parts =
                        members.iter().flat_map(|&i| self.sources[i].placed_balls()).collect::<Vec<_>>();
                    Arc::new(CoarseTree::around_contents(&solids, &parts))
                });
                self.frames.push(*top);
                self.group_of_solid.push(g);
                self.solids.push(made);
                self.solids.len() - 1
            };
            self.groups[g].solid = solid;
        }
    }

    fn count_own_pairs(&mut self, robot: &Robot) {
        let mut of_link = vec![0_u64; robot.links().len()];
        for part in &self.parts {
            of_link[part.link] += 1;
        }
        let all = self.parts.len() as u64;
        let pairs = |n: u64| n * n.saturating_sub(1) / 2;
        let within: u64 = of_link.iter().map(|&n| pairs(n)).sum();
        let allowed: u64 =
            robot.allowed_pairs().filter(|[a, b]| a != b).map(|&[a, b]| of_link[a] * of_link[b]).sum();
        self.own_pairs = pairs(all) - within - allowed;
    }

    fn list_own_roots(&self, robot: &Robot) -> Vec<[u32; 2]> {
        let mut roots = Vec::new();
        for (a, group) in self.groups.iter().enumerate() {
            for other in self.groups[a + 1..].iter().filter(|other| other.top != group.top) {
                self.push_own_root(robot, group, other, &mut roots);
            }
        }
        roots
    }

    /// Returns the cells of one of the initial pairs.
    pub(super) fn cells(&self, robot: &Robot, root: usize, solids: [u32; 2]) -> Option<&JointCells> {
        self.cells[root].get_or_init(|| JointCells::between(robot, self, solids)).as_ref()
    }

    /// Adds the initial pairs of two groups that move relative to each other.
    pub(super) fn push_own_root(&self, robot: &Robot, a: &Group, b: &Group, roots: &mut Vec<[u32; 2]>) {
        let pairs = self.own_pairs_of(robot, a, b);
        let first = roots.len();
        roots.extend(pairs.take(FEW_PAIRS));
        if roots.len() - first == FEW_PAIRS {
            roots.truncate(first);
            roots.push([a.solid as u32, b.solid as u32]);
        }
    }

    /// Returns the shape that the solid of a part was built from; `None` for that of a group.
    pub(super) fn shape_of(&self, solid: usize) -> Option<&Shape> {
        self.sources.get(solid).map(|source| &source.shape)
    }

    /// Returns the pairs of parts of two groups that are checked.
    pub(super) fn own_pairs_of<'a>(
        &'a self,
        robot: &'a Robot,
        a: &'a Group,
        b: &'a Group,
    ) -> impl Iterator<Item = [u32; 2]> + 'a {
        a.members.iter().flat_map(move |&i| {
            let checked = move |&&j: &&usize| self.is_checked(robot, i, j);
            b.members.iter().filter(checked).map(move |&j| [i as u32, j as u32])
        })
    }

    fn is_checked(&self, robot: &Robot, i: usize, j: usize) -> bool {
        let (a, b) = (self.parts[i].link, self.parts[j].link);
        a != b && !robot.is_allowed(a, b)
    }

    /// Returns true if a group's pairs with one obstacle are few.
    pub(super) fn is_opened_at_once(group: &Group) -> bool {
        group.members.len() < FEW_PAIRS
    }

    /// Returns the pairs of parts of the robot that do not move relative to each other and may be within `apart`.
    pub(super) fn own_at_rest(&self, robot: &Robot, apart: f64) -> Vec<Candidate> {
        let candidate = |resting: &Resting| Candidate::Own(resting.parts[0], resting.parts[1]);
        let is_close = |resting: &&Resting| !resting.distance.covers(NeededGap::of(apart));
        match &self.resting {
            Some(resting) => resting.iter().filter(is_close).map(candidate).collect(),
            None => self.resting_within(robot, apart).iter().filter(is_close).map(candidate).collect(),
        }
    }

    /// Returns the pairs of parts in one frame whose boxes there are within `apart`, with their distances.
    fn resting_within(&self, robot: &Robot, apart: f64) -> Vec<Resting> {
        let mut by_frame: Vec<usize> = (0..self.parts.len()).collect();
        by_frame.sort_by_key(|&i| (self.frames[i], i));
        let mut found = Vec::new();
        for members in by_frame.chunk_by(|&i, &j| self.frames[i] == self.frames[j]) {
            let mut push = |i: usize, j: usize| {
                if self.is_checked(robot, i, j) {
                    let [a, b] = [i, j].map(|i| self.solids[i].as_ref());
                    let distance = ProvenGap::at_least(distance(a, b, &Place::HERE));
                    found.push(Resting { parts: [i, j], distance });
                }
            };
            if apart.is_finite() {
                let around = |&i: &usize| {
                    let (center, half) = self.solids[i].whole().bounds();
                    Aabb { low: center - half, high: center + half }.inflated(apart)
                };
                let boxes: Vec<Aabb> = members.iter().map(around).collect();
                for [k, l] in overlapping_pairs(&boxes) {
                    push(members[k], members[l]);
                }
            } else {
                for (k, &i) in members.iter().enumerate() {
                    members[k + 1..].iter().for_each(|&j| push(i, j));
                }
            }
        }
        found
    }
}

/// An obstacle and its coarse solid.
#[derive(Debug, Clone)]
pub(super) struct Obstacle {
    pub(super) body: Body,
    /// The solid in the world.
    pub(super) solid: CoarseTree,
    /// The solid in its own frame, if the obstacle is rigid and at rest.
    own: Option<Arc<CoarseTree>>,
    /// The rule for the robot and the obstacle. The links of the robot are on the first side.
    pub(super) rule: PairRule,
    /// The proven gaps between the obstacle and the parts that are fixed to the base. They hold for the present poses
    /// of this obstacle and the base, under all options.
    at_rest: Vec<(usize, ProvenGap)>,
}

impl Obstacle {
    /// Creates an obstacle from a body that is neither a robot nor attached to one.
    pub(super) fn new(body: Body, outline: &Outline, base: Pose) -> Obstacle {
        let (own, solid) = match body.kind() {
            BodyKind::Rigid { shape, motion: Motion::Fixed(_) } => {
                let own = CoarseTree::of_shape(shape);
                (Some(Arc::clone(&own)), own.as_ref().clone())
            }
            _ => {
                let whole = crate::numerics::Window::between(0.0, 1.0);
                let Aabb { low, high } =
                    body.swept_box(whole).unwrap_or(Aabb { low: DVec3::ZERO, high: DVec3::ZERO });
                (None, CoarseTree::around(&box_corners(0.5 * (low + high), 0.5 * (high - low))))
            }
        };
        let mut obstacle = Obstacle { body, solid, own, rule: PairRule::default(), at_rest: Vec::new() };
        obstacle.place(outline, base);
        obstacle
    }

    /// Returns the same body at rest at another pose; `None` if it is not at rest.
    pub(super) fn moved(&self, pose: Pose, outline: &Outline, base: Pose) -> Option<Obstacle> {
        let (shape, _) = self.body.as_rigid()?;
        let own = Arc::clone(self.own.as_ref()?);
        let body = Body::new(self.body.name(), shape.clone(), Motion::fixed(pose));
        let rule = self.rule.clone();
        let solid = CoarseTree::clone(&own);
        let mut moved = Obstacle { body, solid, own: Some(own), rule, at_rest: Vec::new() };
        moved.place(outline, base);
        Some(moved)
    }

    /// Moves the solid to the pose of the body.
    fn place(&mut self, outline: &Outline, base: Pose) {
        if let (Some(own), Some((_, Motion::Fixed(pose)))) = (&self.own, self.body.as_rigid()) {
            let place = Place::of(pose.at());
            self.solid = own.placed(place.placement());
        }
        self.rest(outline, base);
    }

    /// Computes the distances from the parts that are fixed to the base.
    pub(super) fn rest(&mut self, outline: &Outline, base: Pose) {
        // The obstacle is taken into the frame of the base.
        let in_base = Place::inverse(base.at());
        let fixed = outline.groups.iter().filter(|group| group.top == 0).flat_map(|group| &group.members);
        let (is_scan, base) = (self.is_scan(), base.at());
        let distance = |&i: &usize| {
            let known = distance(&self.solid, &outline.solids[i], &in_base);
            let of_scan = || self.distance_of_scan(outline.solids[i].whole(), &base);
            let distance = if is_scan { of_scan().unwrap_or(known) } else { known };
            (i, ProvenGap::at_least(if known > distance { known } else { distance }))
        };
        self.at_rest = fixed.map(distance).collect();
    }

    /// Returns the parts fixed to the base that may be within `apart` of it and are checked.
    pub(super) fn at_rest<'a>(
        &'a self,
        outline: &'a Outline,
        apart: f64,
    ) -> impl Iterator<Item = usize> + 'a {
        let is_close = move |(i, distance): &&(usize, ProvenGap)| {
            !distance.covers(NeededGap::of(apart)) && self.is_checked(outline, *i)
        };
        self.at_rest.iter().filter(is_close).map(|(i, _)| *i)
    }

    /// Returns the least of the proven gaps to the parts that are fixed to the base; `None` without such a part.
    pub(super) fn nearest_at_rest(&self) -> Option<ProvenGap> {
        self.at_rest.iter().map(|(_, distance)| *distance).reduce(ProvenGap::lesser)
    }

    /// Returns the shape that its solid was built from; `None` if the solid is a box that it never leaves.
    pub(super) fn shape(&self) -> Option<&Shape> {
        self.own.as_ref().and_then(|_| self.body.as_rigid()).map(|(shape, _)| shape)
    }

    /// Returns the box in the world that its solid never leaves.
    pub(super) fn bounds(&self) -> Aabb {
        let (center, half) = self.solid.whole().bounds();
        Aabb { low: center - half, high: center + half }
    }

    /// Returns true if it has very many pieces under boxes of its own.
    pub(super) fn is_scan(&self) -> bool {
        self.shape().is_some_and(|shape| shape.as_hierarchy().is_some())
    }

    /// Returns true if it is checked against a part.
    #[inline]
    pub(super) fn is_checked(&self, outline: &Outline, part: usize) -> bool {
        !self.rule.allows([Some(outline.parts[part].link as u32), None])
    }
}

/// Returns a lower bound of the distance of two solids that do not move relative to each other, the first placed in the
/// frame of the second.
fn distance(a: &CoarseTree, b: &CoarseTree, place: &Place) -> f64 {
    let (hull_a, hull_b) = (a.whole(), b.whole());
    let here = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };
    let poses = [place.pose, here];
    let n = Gjk::default().closest_points(hull_a, hull_b, &poses, |distance| 1e-3 * distance).normal;
    let apart =
        -hull_b.extent(-n) - hull_a.extent(place.pose.direction_to_body(n)) - n.dot(place.pose.translation);
    // As in `convex_convex`: 64 roundings of the sizes involved, and those of the place.
    let size = hull_a.reach() + hull_b.reach() + place.pose.translation.length();
    apart - 64.0 * UNIT * size - place.error(hull_a.reach())
}

fn placed_tree(shape: &Shape, place: &Place) -> Arc<CoarseTree> {
    let own = CoarseTree::of_shape(shape);
    // Without a transform there is no rounding.
    if place.transforms == 0.0 {
        return own;
    }
    Arc::new(own.placed(place.placement()))
}

impl Source {
    fn placed_balls(&self) -> Vec<Ball> {
        let balls = balls_of(&self.shape);
        let reach = largest_upper(balls.iter().map(|ball| ball.center.length()));
        let off = self.place.error(reach) * (1.0 + 8.0 * UNIT);
        let placed =
            |ball: &Ball| Ball { center: self.place.pose.apply(ball.center), radius: ball.radius + off };
        balls.iter().map(placed).collect()
    }
}

/// Returns the parts that move as one, in the order of their first members. Attached bodies are kept apart from the
/// others.
fn groups(robot: &Robot, parts: &[PartBox], places: &[Place]) -> Vec<Group> {
    let mut group_of = vec![usize::MAX; robot.links().len()];
    let mut groups: Vec<Group> = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let top = places[part.link].top;
        let slot = &mut group_of[if robot.is_attached(part.link) { part.link } else { top }];
        if *slot == usize::MAX {
            *slot = groups.len();
            groups.push(Group { top, members: Vec::new(), solid: 0 });
        }
        groups[*slot].members.push(i);
    }
    groups
}

/// A place in the frame of a link or of the world, reached by a few fixed transforms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    top: usize,
    pose: PoseAt,
    /// The number of these transforms, and the sum of the lengths of their translations.
    transforms: f64,
    length: f64,
}

impl Place {
    const HERE: Place = Place {
        top: 0,
        pose: PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO },
        transforms: 0.0,
        length: 0.0,
    };

    pub(super) fn of(pose: PoseAt) -> Place {
        Place { top: 0, pose, transforms: 1.0, length: pose.translation.length() }
    }

    fn inverse(pose: PoseAt) -> Place {
        let there = PoseAt {
            rotation: pose.rotation.transpose(),
            translation: -pose.direction_to_body(pose.translation),
        };
        // One more for the product in the translation.
        Place { transforms: 2.0, ..Place::of(there) }
    }

    fn then(&self, pose: &Pose) -> Place {
        if *pose == Pose::IDENTITY {
            return *self;
        }
        let PoseAt { rotation, translation } = pose.at();
        Place {
            top: self.top,
            pose: PoseAt {
                rotation: self.pose.rotation * rotation,
                translation: self.pose.apply(translation),
            },
            transforms: self.transforms + 1.0,
            length: self.length + translation.length(),
        }
    }

    /// Returns a bound of the error of a point that was placed, from a distance of `reach` from the origin. A matrix
    /// has an error of `40u` (see `motion::turn`) and multiplying it onto the others adds `9u`; the translation has
    /// `6u` of the product and a sum, relative to the lengths so far. That is below `64u` of `reach + length` for every
    /// transform.
    fn error(&self, reach: f64) -> f64 {
        64.0 * UNIT * (self.transforms + 1.0) * (reach + self.length) * (1.0 + 64.0 * UNIT)
    }

    /// Returns the same error, in the form that solids take.
    pub(super) fn placement(&self) -> Placement {
        let relative = 64.0 * UNIT * (self.transforms + 1.0);
        Placement { pose: self.pose, relative, length: self.length }
    }
}

/// Returns, for every link, the group that it belongs to and its place there.
fn places(robot: &Robot) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::with_capacity(robot.links().len());
    for (i, link) in robot.links().iter().enumerate() {
        let place = match link.joint() {
            Some(joint) if joint.kind == JointKind::Fixed => places[joint.parent].then(&joint.origin),
            _ => Place { top: i, ..Place::HERE },
        };
        places.push(place);
    }
    places
}
