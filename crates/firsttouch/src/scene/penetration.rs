//! The penetration depth of two bodies: an upper bound of the shortest translation that takes them apart.
//!
//! Along any direction `n`, moving the second body by the overlap of their extents along `n` takes them apart. So for
//! every direction the overlap, rounded up, is an upper bound of the penetration depth.
//!
//! # Convex solids
//! The depth is the least overlap of all directions. It is found by branch and bound over the sphere of directions,
//! from the faces of an octahedron. For two points `a`, `b` of the solids, `n · (a − b)` is a lower bound of the
//! overlap along `n`. Let `m` be its least value at the three corners of a triangle of directions. A direction in the
//! triangle is a sum of the corners with weights that add up to 1, divided by the length of the sum. That length is at
//! most 1, so over the triangle the bound is at least `m` if `m` is not negative, and at least `m` divided by the least
//! length otherwise. The two points are the support points along the middle of the triangle. At the depth itself
//! `a − b` is parallel to `n`, so the bound loses quadratically with the size of the triangle there, and few triangles
//! of each size are left.
//!
//! # Others
//! For meshes and compounds the depth of the convex hulls is used: taking these apart is enough, and may be more than
//! needed. There is no lower bound.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::Scene;
use crate::advancement::{Approach, Resting};
use crate::convex::{ConvexPair, Moving};
use crate::error::{Error, Result};
use crate::narrow::Side;
use crate::numerics::bound::{lower_min, lower_or_zero, upper_or_zero};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::shape::Convex;
use crate::tree::composite::{Composite, Volume};
use crate::tree::unbounded::bounded_sides;

/// A translation that takes two bodies apart.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Penetration {
    /// No translation that is shorter than this takes the two apart: a lower bound of the penetration depth. For two
    /// convex solids it is within about a billionth of their size of `upper`, at worst a millionth; otherwise 0.
    pub lower: f64,
    /// Moving the second body by this along `normal` takes the two apart, up to touching. An upper bound of the
    /// penetration depth; 0 if they are apart.
    pub upper: f64,
    /// The unit direction to move the second body in.
    pub normal: DVec3,
}

impl Scene {
    /// Returns the penetration depth of two bodies at the time `t`: bounds from both sides for two convex solids,
    /// otherwise an upper bound. Refuses robots, whose links are many bodies.
    ///
    /// ```
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::{Cuboid, Sphere};
    /// use firsttouch::{Body, Scene};
    /// use glam::DVec3;
    /// // A ball of radius 1 whose centre is 0.75 above a floor is 0.25 deep in it.
    /// let at = |z: f64| Pose::from_translation(DVec3::Z * z);
    /// let mut scene = Scene::default();
    /// scene.add(Body::new("floor", Cuboid::new(DVec3::new(20.0, 20.0, 8.0))?, Motion::fixed(at(-4.0)?)))?;
    /// scene.add(Body::new("ball", Sphere::new(1.0)?, Motion::fixed(at(0.75)?)))?;
    /// let depth = scene.penetration_at("floor", "ball", 0.0)?;
    /// assert!(depth.lower <= 0.25 && depth.lower > 0.25 - 1e-7);
    /// assert!(depth.upper >= 0.25 && depth.upper < 0.25 + 1e-9 && (depth.normal - DVec3::Z).length() < 1e-6);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn penetration_at(&self, a: &str, b: &str, t: f64) -> Result<Penetration> {
        if !(0.0..=1.0).contains(&t) {
            return Err(Error::OutOfRange { what: "t".into(), expected: "from 0 to 1", value: t });
        }
        let side = |name: &str| -> Result<Side<'_>> {
            let place = self.index_of(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
            let subject = self.bodies[place].as_subject();
            let refused = || Error::Unsupported {
                what: format!("the penetration depth of \"{name}\", a part of a robot"),
            };
            Ok(subject.ok_or_else(refused)?.side())
        };
        let [a, b] = bounded_sides([side(a)?, side(b)?], [t, t]);
        let are_solids =
            [&a, &b].iter().all(|side| side.pieces.children(0).is_none() && !side.pieces.is_surface());
        let (separation, normal, lower) = match (a.pieces.hull(), b.pieces.hull()) {
            (Some(hull_a), Some(hull_b)) => {
                let first = Moving { shape: hull_a, motion: a.motion };
                let second = Moving { shape: hull_b, motion: b.motion };
                let mut pair = ConvexPair::new(first, second, f64::INFINITY, 1e-12);
                let found = pair.separation(t);
                if found.lower > 0.0 {
                    (found.lower, found.normal, 0.0)
                } else {
                    let mut best = found.normal;
                    let lower = least_overlap_of_solids([&a, &b], [hull_a, hull_b], t, &mut best);
                    let normal = pair.contact_normal(t, best);
                    let lower = if are_solids { lower } else { 0.0 };
                    (pair.separation_along(normal, t), normal, lower)
                }
            }
            _ => {
                let (separation, normal) = least_overlap([&a, &b], t);
                (separation, normal, 0.0)
            }
        };
        let upper = upper_or_zero(-separation);
        Ok(Penetration { lower: lower_min(lower, upper), upper, normal })
    }
}

/// Triangles that are divided at most.
const MOST_TRIANGLES: usize = 20_000;

/// Directions between three others, and a lower bound of the overlap along all of them.
struct Directions {
    lower: f64,
    corners: [DVec3; 3],
}

impl PartialEq for Directions {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Directions {}

impl PartialOrd for Directions {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

// The heap is a max-heap: the least bound must compare as the largest.
impl Ord for Directions {
    fn cmp(&self, other: &Self) -> Ordering {
        other.lower.total_cmp(&self.lower)
    }
}

/// Returns a lower bound of the overlap of two convex solids along any direction. Makes `best` the direction with the
/// least overlap that was found.
fn least_overlap_of_solids(
    [a, b]: [&Side<'_>; 2],
    [solid_a, solid_b]: [&dyn Convex; 2],
    t: f64,
    best: &mut DVec3,
) -> f64 {
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let reach = [solid_a.reach(), solid_b.reach()];
    let size = reach[0] + reach[1] + poses[0].translation.length() + poses[1].translation.length();
    // As in the header of `convex`, with the error of points on the surface. The corners of a triangle have a length of
    // 1 up to `4u`.
    let error =
        [a, b].iter().zip(reach).fold(256.0 * UNIT * size + 8.0 * TINY_LENGTH, |sum, (side, reach)| {
            let off = side.motion.pose_error();
            sum + off.rotation * reach + off.translation
        });
    let margins = solid_a.margin() + solid_b.margin();
    // The difference of the support points of the cores.
    let core = |n: DVec3| {
        let on_a = poses[0].apply(solid_a.support(poses[0].direction_to_body(n)));
        let on_b = poses[1].apply(solid_b.support(poses[1].direction_to_body(-n)));
        on_a - on_b
    };
    let overlap = |n: DVec3| n.dot(core(n)) + margins;
    let mut least = overlap(*best);
    let mut bounded = |corners: [DVec3; 3]| {
        let middle = (corners[0] + corners[1] + corners[2]).normalize_or_zero();
        let between = core(middle);
        let here = middle.dot(between) + margins;
        if here < least {
            (least, *best) = (here, middle);
        }
        let lowest = corners.iter().fold(f64::INFINITY, |lowest, n| lower_min(lowest, n.dot(between)));
        // A weighted sum of the corners is at least as long as its part along the middle.
        let shortest = corners.iter().fold(f64::INFINITY, |least, n| lower_min(least, n.dot(middle)));
        let lowest = if lowest < 0.0 { lowest / (shortest * (1.0 - 16.0 * UNIT)) } else { lowest };
        (Directions { lower: lowest + margins - error * (1.0 + 8.0 * UNIT), corners }, least)
    };
    let mut open = BinaryHeap::new();
    for k in 0..8_u32 {
        let side = |bit: u32| if k >> bit & 1 == 0 { 1.0 } else { -1.0 };
        open.push(bounded([DVec3::X * side(0), DVec3::Y * side(1), DVec3::Z * side(2)]).0);
    }
    let enough = 1e-10 * size + 2.0 * error;
    for _ in 0..MOST_TRIANGLES {
        let Some(Directions { lower, corners: [p, q, r] }) = open.pop() else { break };
        let middle = |x: DVec3, y: DVec3| (x + y).normalize_or_zero();
        let (pq, qr, rp) = (middle(p, q), middle(q, r), middle(r, p));
        let mut least = f64::INFINITY;
        for corners in [[p, pq, rp], [pq, q, qr], [rp, qr, r], [pq, qr, rp]] {
            let (part, known) = bounded(corners);
            least = known;
            // A bound over the whole triangle also holds for a part of it.
            open.push(Directions { lower: if part.lower > lower { part.lower } else { lower }, ..part });
        }
        if least - open.peek().map_or(lower, |next| next.lower) <= enough {
            break;
        }
    }
    lower_or_zero(open.peek().map_or(0.0, |next| next.lower))
}

/// Returns the separation along the best of some directions, by the volumes around both.
fn least_overlap([a, b]: [&Side<'_>; 2], t: f64) -> (f64, DVec3) {
    let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
    let volumes = [a.pieces.volume(0), b.pieces.volume(0)];
    let reach = volumes.map(|volume| volume.reach());
    // As in the header of `convex`.
    let error = [a, b].iter().zip(reach).zip(&poses).fold(8.0 * TINY_LENGTH, |sum, ((side, reach), pose)| {
        let off = side.motion.pose_error();
        sum + (off.rotation + 64.0 * UNIT) * reach
            + off.translation
            + 128.0 * UNIT * pose.translation.length()
    });
    let centers = [0, 1].map(|k| poses[k].apply(volumes[k].center_at(t)));
    let frames =
        poses.iter().flat_map(|pose| [pose.rotation.x_axis, pose.rotation.y_axis, pose.rotation.z_axis]);
    let directions = frames.chain(DVec3::AXES).flat_map(|n| [n, -n]).chain([centers[1] - centers[0]]);
    let mut best = (f64::NEG_INFINITY, DVec3::Z);
    for n in directions.filter_map(DVec3::try_normalize) {
        let h_a = volumes[0].extent_at(poses[0].direction_to_body(n), t);
        let h_b = volumes[1].extent_at(poses[1].direction_to_body(-n), t);
        let separation =
            n.dot(poses[1].translation - poses[0].translation) - (h_a + h_b) - error * (1.0 + 8.0 * UNIT);
        if separation > best.0 {
            best = (separation, n);
        }
    }
    best
}
