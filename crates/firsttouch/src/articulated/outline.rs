//! What the sieve sees of a robot and of what is around it: coarse solids, and the pairs of them that may touch.
//!
//! 1. *Groups.* Links that fixed joints hold together move as one: a gripper of a dozen links is one group, in the frame of the
//!    link that the last moving joint carries.
//! 2. *Solids.* Around each part, around each group and around each obstacle lies a [`RoundedHull`] of few corners, in the frame
//!    of its group or of the world. An obstacle that moves or deforms is the box that it never leaves.
//!    The solid of a mesh has halves, those have halves again, and so on: they follow what the convex hull leaves out.
//! 3. *Pairs.* A group and an obstacle, or two groups, are one pair at first. If it cannot be shown to be free as a whole, it is
//!    opened into the pairs of parts that are to be checked. Where these are few, there is no pair of groups.
//! 4. Two parts of one group, and a part that is fixed to the base and an obstacle at rest, never move relative to each other.
//!    How far apart they are is found once, along one direction.
//!
//! Guarantee: every solid contains what it stands for. Corners that were moved into another frame are off by the rounding
//! of the products on the way, which is added to their radius.

use std::collections::HashMap;

use std::ops::Range;

use glam::{DMat3, DVec3};
use smallvec::SmallVec;

use super::culling::PartBox;
use super::robot::{JointKind, Robot};
use crate::broad::Aabb;
use crate::distance::gjk::Gjk;
use crate::distance::rounded_hull::{Ball, RoundedHull};
use crate::motion::{Motion, Pose, PoseAt};
use crate::numerics::rounding::UNIT;
use crate::scene::{Body, BodyKind};
use crate::shape::{Convex, Mesh, Shape};

/// More corners make a pair of solids dearer and the margin smaller. Measured on the shared robots: of 16, 32, 48 and 64 this is
/// the best, and the others are within a tenth.
const MOST_CORNERS: usize = 32;

/// A margin of this part of the solid's size is small enough.
const ACCURACY: f64 = 2e-3;

/// The same for halves, which are smaller themselves.
const HALF_ACCURACY: f64 = 5e-3;

/// Fewer pairs of parts than this are not worth a pair of groups before them.
const FEW_PAIRS: usize = 3;

/// The solids of meshes are halved so often. A link like a bent pipe is not near to what is in its bend then.
const DEEPEST_HALVES: u32 = 5;

/// Those of meshes with more triangles than this only twice: every time takes a look at all the triangles.
const MANY_TRIANGLES: usize = 5_000;

/// A pair of parts that is to be checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Candidate {
    /// A part of the robot and an obstacle.
    Obstacle(usize, usize),
    /// Two parts of the robot.
    Own(usize, usize),
}

/// The coarse solids and their pairs.
#[derive(Debug, Clone)]
pub(super) struct Outline {
    /// First those of parts, groups and obstacles.
    pub(super) solids: Vec<Solid>,
    pub(super) whole_solids: usize,
    /// The pairs to begin with come first.
    pub(super) pairs: Vec<Pair>,
    pub(super) roots: usize,
    /// Those by their solids, the lower one first. Two solids may have several.
    pub(super) roots_of: HashMap<[usize; 2], Vec<usize>>,
    /// Pairs that do not move relative to each other, with a lower bound of their distance; not positive if none was found.
    pub(super) at_rest: Vec<(Candidate, f64)>,
}

/// A coarse solid.
#[derive(Debug, Clone)]
pub(super) struct Solid {
    pub(super) hull: RoundedHull,
    /// The link in whose frame it is; none for the world.
    pub(super) link: Option<usize>,
    /// Two solids that contain everything it contains.
    pub(super) halves: Option<[usize; 2]>,
}

/// Two solids, the second as seen from the first.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub(super) solids: [usize; 2],
    /// What it stands for.
    pub(super) of: Of,
}

#[derive(Debug, Clone)]
pub(super) enum Of {
    /// Groups: these pairs of parts.
    Pairs(Range<usize>),
    /// Two parts.
    Parts(Candidate),
}

/// Two groups, or an obstacle and a group, with the pairs of parts that are to be checked.
struct Root {
    solids: [usize; 2],
    pairs: Vec<Pair>,
}

impl Outline {
    pub(super) fn new(
        robot: &Robot,
        base: Pose,
        parts: &[PartBox],
        own_pairs: &[[usize; 2]],
        obstacles: &[Body],
        obstacle_boxes: &[Aabb],
    ) -> Outline {
        let places = places(robot);
        let mut solids: Vec<Solid> = Vec::new();
        // The balls of each part, in its group's frame, and its solid.
        let mut balls: Vec<Vec<Ball>> = Vec::new();
        for part in parts {
            let described = &robot.links()[part.link].parts()[part.part];
            let place = places[part.link].then(&described.pose);
            let of_part = balls_of(&described.shape, &place);
            solids.push(Solid { hull: rounded(&of_part), link: Some(place.top), halves: None });
            balls.push(of_part);
        }
        // The groups, by their top links, with their parts.
        let mut groups: Vec<(usize, Vec<usize>, usize)> = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            let top = places[part.link].top;
            match groups.iter_mut().find(|group| group.0 == top) {
                Some(group) => group.1.push(i),
                None => groups.push((top, vec![i], i)),
            }
        }
        for (top, members, solid) in &mut groups {
            if members.len() > 1 {
                *solid = solids.len();
                let all: Vec<Ball> = members.iter().flat_map(|&i| balls[i].iter().copied()).collect();
                solids.push(Solid { hull: rounded(&all), link: Some(*top), halves: None });
            }
        }
        let first_obstacle = solids.len();
        for (body, bounds) in obstacles.iter().zip(obstacle_boxes) {
            let of_body = match body.kind() {
                BodyKind::Rigid { shape, motion: Motion::Fixed(pose) } => balls_of(shape, &Place::of(*pose)),
                _ => {
                    corners(0.5 * (bounds.low + bounds.high), 0.5 * (bounds.high - bounds.low), &Place::HERE)
                }
            };
            solids.push(Solid { hull: rounded(&of_body), link: None, halves: None });
        }

        let whole_solids = solids.len();
        for (i, part) in parts.iter().enumerate() {
            let described = &robot.links()[part.link].parts()[part.part];
            if let Shape::Mesh(mesh) = &described.shape {
                halve(&mut solids, i, mesh, &places[part.link].then(&described.pose));
            }
        }
        for (k, body) in obstacles.iter().enumerate() {
            if let BodyKind::Rigid { shape: Shape::Mesh(mesh), motion: Motion::Fixed(pose) } = body.kind() {
                halve(&mut solids, first_obstacle + k, mesh, &Place::of(*pose));
            }
        }

        let mut outline = Outline {
            solids,
            whole_solids,
            pairs: Vec::new(),
            roots: 0,
            roots_of: HashMap::new(),
            at_rest: Vec::new(),
        };
        let mut roots: Vec<Root> = Vec::new();
        for (top, members, solid) in &groups {
            for k in 0..obstacles.len() {
                let obstacle = first_obstacle + k;
                let pair =
                    |&i: &usize| Pair { solids: [obstacle, i], of: Of::Parts(Candidate::Obstacle(i, k)) };
                if *top == 0 {
                    // Fixed to the base: the obstacle is taken into its frame.
                    let in_base = Place::inverse(base.at());
                    for &i in members {
                        let distance = outline.distance([obstacle, i], &in_base);
                        outline.at_rest.push((Candidate::Obstacle(i, k), distance));
                    }
                } else {
                    roots
                        .push(Root { solids: [obstacle, *solid], pairs: members.iter().map(pair).collect() });
                }
            }
        }
        let group_of = |part: usize| groups.iter().position(|group| group.1.contains(&part)).unwrap_or(0);
        let part_groups: Vec<usize> = (0..parts.len()).map(group_of).collect();
        let mut root_of = vec![usize::MAX; groups.len() * groups.len()];
        for &[i, j] in own_pairs {
            let candidate = Candidate::Own(i, j);
            let (a, b) = (part_groups[i], part_groups[j]);
            if a == b {
                let distance = outline.distance([i, j], &Place::HERE);
                outline.at_rest.push((candidate, distance));
                continue;
            }
            let slot = &mut root_of[a * groups.len() + b];
            if *slot == usize::MAX {
                *slot = roots.len();
                roots.push(Root { solids: [groups[a].2, groups[b].2], pairs: Vec::new() });
            }
            roots[*slot].pairs.push(Pair { solids: [i, j], of: Of::Parts(candidate) });
        }

        // The roots first, then what they open into.
        let mut opened = Vec::new();
        for Root { solids, pairs } in roots {
            if pairs.len() < FEW_PAIRS {
                outline.pairs.extend(pairs);
            } else {
                opened.push((outline.pairs.len(), pairs));
                outline.pairs.push(Pair { solids, of: Of::Pairs(0..0) });
            }
        }
        outline.roots = outline.pairs.len();
        for (root, pair) in outline.pairs.iter().enumerate() {
            let [a, b] = pair.solids;
            outline.roots_of.entry([a.min(b), a.max(b)]).or_default().push(root);
        }
        for (root, pairs) in opened {
            let first = outline.pairs.len();
            outline.pairs.extend(pairs);
            outline.pairs[root].of = Of::Pairs(first..outline.pairs.len());
        }
        outline
    }

    /// A lower bound of the distance of two solids that do not move relative to each other, the first placed in the frame of
    /// the second.
    fn distance(&self, [a, b]: [usize; 2], place: &Place) -> f64 {
        let (hull_a, hull_b) = (&self.solids[a].hull, &self.solids[b].hull);
        let here = PoseAt { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };
        let poses = [place.pose, here];
        let n = Gjk::default().closest_points(hull_a, hull_b, &poses, |distance| 1e-3 * distance).normal;
        let apart = -hull_b.extent(-n)
            - hull_a.extent(place.pose.direction_to_body(n))
            - n.dot(place.pose.translation);
        // As in `convex_convex`: 64 roundings of the sizes involved, and those of the place.
        let size = hull_a.reach() + hull_b.reach() + place.pose.translation.length();
        apart - 64.0 * UNIT * size - place.error(hull_a.reach())
    }
}

/// Gives the solid of a mesh its halves, those theirs, and so on: the triangles are cut in the middle of their box, across its
/// longest side. (Halves of a tree over whole triangles would overlap: a machine part has long ones.)
fn halve(solids: &mut Vec<Solid>, solid: usize, mesh: &Mesh, place: &Place) {
    // A closed surface has half as many corners as triangles. If most are those of the hull, there is little that it leaves
    // out.
    if mesh.hull().vertices().len() * 8 > mesh.triangles().len() * 3 {
        return;
    }
    let deepest = if mesh.triangles().len() > MANY_TRIANGLES { 2 } else { DEEPEST_HALVES };
    let corners = |triangle: &[u32; 3]| triangle.map(|v| mesh.vertices()[v as usize]).into_iter().collect();
    let whole: Vec<Polygon> = mesh.triangles().iter().map(corners).collect();
    let reach = mesh.vertices().iter().fold(0.0_f64, |reach, v| reach.max(v.length()));
    let mut open = vec![(solid, 0, whole)];
    while let Some((solid, depth, polygons)) = open.pop() {
        let (low, high) = box_of(polygons.iter().flatten());
        let sides = high - low;
        let axis = (1..3).fold(0, |best, axis| if sides[axis] > sides[best] { axis } else { best });
        let middle = 0.5 * (low[axis] + high[axis]);
        if depth == deepest || !(low[axis] < middle && middle < high[axis]) {
            continue;
        }
        let first = solids.len();
        solids[solid].halves = Some([first, first + 1]);
        let link = solids[solid].link;
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            let half: Vec<Polygon> =
                polygons.iter().map(|p| cut(p, axis, middle, sign)).filter(|p| !p.is_empty()).collect();
            let mut points: Vec<DVec3> = half.iter().flatten().copied().collect();
            points.sort_unstable_by(|p, q| {
                p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
            });
            points.dedup();
            // Every cut adds at most 16 roundings to where the new corners are.
            let off = place.error(reach) + 32.0 * UNIT * f64::from(depth + 1) * reach;
            let ball = |point: &DVec3| Ball { center: place.pose.apply(*point), radius: off };
            let balls: Vec<Ball> = points.iter().map(ball).collect();
            let hull = RoundedHull::new(&balls, MOST_CORNERS, HALF_ACCURACY * sides.length());
            solids.push(Solid { hull, link, halves: None });
            open.push((first + k, depth + 1, half));
        }
    }
}

/// A triangle, or what was cut from one.
type Polygon = SmallVec<[DVec3; 5]>;

/// The part of a convex polygon on one side of a plane across an axis: below `middle` for the sign 1, above it for -1. What is
/// on either side is decided exactly; where an edge crosses, the corner is rounded.
fn cut(polygon: &Polygon, axis: usize, middle: f64, sign: f64) -> Polygon {
    let is_inside = |p: &DVec3| sign * p[axis] <= sign * middle;
    let mut part = Polygon::new();
    for (i, p) in polygon.iter().enumerate() {
        let q = &polygon[(i + 1) % polygon.len()];
        if is_inside(p) {
            part.push(*p);
        }
        if is_inside(p) != is_inside(q) {
            let mut crossing = *p + (*q - *p) * ((middle - p[axis]) / (q[axis] - p[axis])).clamp(0.0, 1.0);
            crossing[axis] = middle;
            part.push(crossing);
        }
    }
    part
}

fn box_of<'a>(points: impl Iterator<Item = &'a DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)))
}

fn rounded(balls: &[Ball]) -> RoundedHull {
    let (low, high) = box_of(balls.iter().map(|ball| &ball.center));
    RoundedHull::new(balls, MOST_CORNERS, ACCURACY * (high - low).length())
}

/// A place in the frame of a link or of the world, reached by a few fixed transforms.
#[derive(Debug, Clone, Copy)]
struct Place {
    top: usize,
    pose: PoseAt,
    /// How many transforms there were, and the sum of the lengths of their translations.
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

    fn of(pose: PoseAt) -> Place {
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

    /// How far a point may be off that was placed, from a distance of `reach` from the origin. A matrix is off by `40u` (see
    /// `motion::turn`) and multiplying it onto the others adds `9u`; the translation has `6u` of the product and a sum, relative
    /// to what was gone through so far. That is below `64u` of `reach + length` for every transform.
    fn error(&self, reach: f64) -> f64 {
        64.0 * UNIT * (self.transforms + 1.0) * (reach + self.length) * (1.0 + 64.0 * UNIT)
    }
}

/// For every link the group it belongs to and its place there.
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

/// Balls that together contain a shape, placed.
fn balls_of(shape: &Shape, place: &Place) -> Vec<Ball> {
    let placed = |points: &[DVec3], radius: f64| -> Vec<Ball> {
        let reach = points.iter().fold(0.0_f64, |reach, point| reach.max(point.length()));
        let radius = radius + place.error(reach) * (1.0 + 8.0 * UNIT);
        let ball = |point: &DVec3| Ball { center: place.pose.apply(*point), radius };
        points.iter().map(ball).collect()
    };
    match shape {
        Shape::Mesh(mesh) => placed(mesh.hull().vertices(), 0.0),
        Shape::Hull(hull) => placed(hull.vertices(), 0.0),
        Shape::Sphere(ball) => placed(&[DVec3::ZERO], ball.radius()),
        Shape::Capsule(capsule) => {
            let end = DVec3::Z * (0.5 * capsule.length());
            placed(&[-end, end], capsule.radius())
        }
        Shape::Cylinder(cylinder) => {
            // A prism of twelve sides around it: its corners are at the radius over the cosine of 15 degrees, which is
            // 1.03527618041..., and the last digit covers the roundings here.
            let (radius, half) = (cylinder.radius() * 1.035_276_181, 0.5 * cylinder.length());
            let (long, short) = (0.5 * 3.0_f64.sqrt(), 0.5);
            let quarter = [(1.0, 0.0), (long, short), (short, long)];
            let turned = |(x, y): (f64, f64)| [(x, y), (-y, x), (-x, -y), (y, -x)];
            let around = quarter.into_iter().flat_map(turned);
            let ends = around.flat_map(|(x, y)| [-half, half].map(|z| DVec3::new(radius * x, radius * y, z)));
            placed(&ends.collect::<Vec<_>>(), 0.0)
        }
        Shape::Box(_) | Shape::Ellipsoid(_) => {
            let (center, half) = shape.bounds();
            corners(center, half, place)
        }
    }
}

/// The corners of a box, placed.
fn corners(center: DVec3, half: DVec3, place: &Place) -> Vec<Ball> {
    let error = place.error(center.length() + half.length()) * (1.0 + 8.0 * UNIT);
    (0..8)
        .map(|k| {
            let side = |bit: u32| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = center + half * DVec3::new(side(0), side(1), side(2));
            Ball { center: place.pose.apply(corner), radius: error }
        })
        .collect()
}
