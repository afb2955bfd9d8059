//! Closed meshes with an inside: a point inside one at the start touches it then.
//!
//! # Why the start is enough
//! Let `S(t)` be the surface of a solid mesh and `x(t)` a point of the other side, both continuous in time. The point
//! can enter or leave the inside only at a time at which `x(t)` is on `S(t)`. The reason: in the frame of the mesh the
//! point moves on a continuous path, and two points that a path joins without meeting a closed surface have the same
//! parity and winding number. If the engine for pieces proves that no piece meets the surface before `t`, no point has
//! come inside before `t`, provided that none was inside at the start. So
//!
//! ```text
//! nothing is inside at the start  and  nothing meets the surface in [0, t)   =>   nothing is inside in [0, t)
//! ```
//!
//! - *Several components, compounds, clouds.* The argument is about single points, so the other side may have any
//!   number of components. At the start each must be examined: step 2 below covers every piece.
//! - *Robots, deforming meshes, ellipsoids that change.* Their points also move continuously. The solid itself is rigid
//!   in its frame.
//! - *Two solid meshes.* Each is examined as the containing one. If neither contains a point of the other's surface and
//!   the surfaces do not meet, the solids have no common point. Otherwise a common point in the interior of both could
//!   be moved to the boundary of their intersection, which is on one of the surfaces and inside or on the other.
//! - *A convex solid around a solid mesh* contains its triangles, which the engine for pieces finds.
//! - *Touching surfaces.* If a piece meets the surface at the start, the engine for pieces reports that, for any
//!   decision here. Points are decided up to the error of the poses, `e`, because `x(0)` in the frame of the mesh is
//!   rounded. If the engine proves the pieces free at the start, their computed distance exceeds the same error bound.
//!   So the surface is not between `x(0)` and the rounded point: both are on the same side. Otherwise the engine does
//!   not report `Free`.
//!
//! # The method
//! 1. A node of the other side whose box is apart from the box of the solid is skipped.
//! 2. A node whose ball certainly does not meet the surface is inside as a whole or outside as a whole: one point
//!    decides. Otherwise its children are examined. A leaf is convex and thus connected, so one point of it decides if
//!    it does not meet the surface. If it meets the surface, the engine decides.
//! 3. A point is decided exactly, by `SolidMesh`.
//!
//! # Contacts at the start that are left out
//! With `Start::Ignore`, a piece that is inside at the start, or touches the surface, is undecided: following it would
//! need its depth inside a mesh, which is unknown.

use glam::DVec3;
use smallvec::{SmallVec, smallvec};

use super::LeafTouch;
use super::composite::{AnyPiece, Composite, Volume};
use crate::advancement::Separation;
use crate::motion::PoseAt;
use crate::numerics::bound::{exceeds, largest_upper};
use crate::numerics::rounding::{TINY_LENGTH, UNIT};
use crate::pair::Side;
use crate::pair::piece::Piece;
use crate::shape::{PointPlace, SolidMesh};

/// Returns a touch at `t` if one side is a solid mesh and a point of the other is inside it.
pub(crate) fn contained<C: Composite>(sides: &[Side<'_, C>; 2], t: f64) -> Option<LeafTouch> {
    let [a, b] = sides;
    if let Some(solid) = a.pieces.solid_mesh()
        && let Some(found) = within(solid, a, b, t)
    {
        return Some(found.touch(t, [found.solid_leaf, found.leaf], 1.0));
    }
    if let Some(solid) = b.pieces.solid_mesh()
        && let Some(found) = within(solid, b, a, t)
    {
        return Some(found.touch(t, [found.leaf, found.solid_leaf], -1.0));
    }
    None
}

/// A point inside.
struct Found {
    point: DVec3,
    leaf: u32,
    solid_leaf: u32,
    /// The unit vector that points outwards.
    outwards: DVec3,
}

impl Found {
    fn touch(&self, t: f64, leaves: [u32; 2], sign: f64) -> LeafTouch {
        let separation = Separation {
            lower: f64::NEG_INFINITY,
            upper: 0.0,
            normal: sign * self.outwards,
            points: [self.point; 2],
        };
        LeafTouch { t, free_until: t, leaves, separation, features: None }
    }
}

fn within<C: Composite>(solid: &SolidMesh, side: &Side<'_, C>, other: &Side<'_, C>, t: f64) -> Option<Found> {
    let (frame, pose) = (side.motion.pose_at(t), other.motion.pose_at(t));
    let (errors, pieces) = ([side.motion.pose_error(), other.motion.pose_error()], &other.pieces);
    let sizes = frame.translation.length() + pose.translation.length();
    // From the frame of the other side to that of the solid.
    let to_solid = PoseAt {
        rotation: frame.rotation.transpose() * pose.rotation,
        translation: frame.direction_to_body(pose.translation - frame.translation),
    };
    let (center, half) = solid.mesh().bounds();
    let mut open: SmallVec<[u32; 64]> = smallvec![0];
    while let Some(node) = open.pop() {
        let volume = pieces.volume(node);
        let reach = volume.reach();
        let turned = errors[0].rotation + errors[1].rotation;
        // The errors of the poses and of the support functions, as in the header of `step`, twice.
        let off = 2.0
            * (errors[0].translation
                + errors[1].translation
                + (turned + 128.0 * UNIT) * (reach + sizes + center.length() + half.length())
                + TINY_LENGTH);
        // The extent of the node along both directions of an axis of the solid's frame.
        let along = |axis: DVec3| {
            let shift = axis.dot(to_solid.translation);
            let high = shift + volume.extent_at(to_solid.direction_to_body(axis), t);
            let low = shift - volume.extent_at(to_solid.direction_to_body(-axis), t);
            [low, high]
        };
        let ranges = DVec3::AXES.map(along);
        let is_apart = |k: usize| {
            let [low, high] = ranges[k];
            exceeds(low - (center[k] + half[k]), off) || exceeds(center[k] - half[k] - high, off)
        };
        if (0..3).any(is_apart) {
            continue;
        }
        let middle = DVec3::from_array(ranges.map(|[low, high]| 0.5 * (low + high)));
        let corner =
            largest_upper([DVec3::from_array(ranges.map(|[low, high]| 0.5 * (high - low))).length()]);
        let children = pieces.children(node);
        let is_clear = children.is_some() && solid.is_clear(middle, corner * (1.0 + 8.0 * UNIT) + off);
        if let (Some(children), false) = (children, is_clear) {
            open.extend(children);
            continue;
        }
        // The first leaf of a node that is inside as a whole represents it.
        let mut leaf = node;
        while let Some([left, _]) = pieces.children(leaf) {
            leaf = left;
        }
        let at = some_point(pieces.piece(leaf), t);
        let point = to_solid.apply(at);
        let (place, solid_leaf) = solid.located(point);
        if place != PointPlace::Outside {
            return Some(Found {
                point: frame.apply(point),
                leaf,
                solid_leaf,
                outwards: frame.rotation.x_axis,
            });
        }
    }
    None
}

/// Returns a point of the core of a piece.
fn some_point(mut piece: AnyPiece<'_>, t: f64) -> DVec3 {
    piece.look_at(t);
    let solid = piece.solid();
    // The middle of two points of a convex solid is also a point of it, and is less often on its surface.
    0.5 * (solid.support(DVec3::X) + solid.support(DVec3::NEG_X))
}
