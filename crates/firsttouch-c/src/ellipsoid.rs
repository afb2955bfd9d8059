//! Ellipsoids by algebra.

use std::mem::MaybeUninit;

use firsttouch::ellipsoid::{
    ContactPoint, EllipsoidMotion, MovingEllipsoid, Posed, Relation, contact_at_time, enclosing, overlaps,
};
use firsttouch::motion::Pose;
use firsttouch::shape::Ellipsoid;
use glam::DVec3;

use crate::border::{Failure, Outcome, Rows, ft_status, given, guarded, put_list};
use crate::motion::ft_motion;
use crate::report::ft_overlap;
use crate::values::{ft_options, ft_pose, options};

/// A solid ellipsoid at its place.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_ellipsoid {
    /// The semi-axes, along x, y and z of its frame.
    pub semi_axes: [f64; 3],
    /// The pose.
    pub pose: ft_pose,
}

/// The position of two solid ellipsoids relative to each other.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_relation {
    /// No point in common.
    Separate = 0,
    /// Points of the surfaces in common, but no inner ones.
    Touching = 1,
    /// Inner points in common.
    Overlapping = 2,
}

/// The point in which two ellipsoids touch, or would touch if both were scaled about their centres.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_ellipsoid_contact {
    /// The point.
    pub point: [f64; 3],
    /// The unit normal from the first to the second.
    pub normal: [f64; 3],
    /// The factor of scaling: below 1 if the two overlap, above 1 if they are separate.
    pub ratio: f64,
}

fn ellipsoid(semi_axes: [f64; 3]) -> Outcome<Ellipsoid> {
    Ok(Ellipsoid::new(DVec3::from_array(semi_axes))?)
}

impl ft_ellipsoid {
    /// Returns the shape and its place. The caller puts them together: a [`Posed`] has 300 bytes, which a `Result`
    /// would copy.
    #[inline]
    fn read(&self) -> Outcome<(Ellipsoid, Pose)> {
        Ok((ellipsoid(self.semi_axes)?, self.pose.read()?))
    }
}

/// Writes the position of two ellipsoids relative to each other, decided exactly: one of `ft_relation`.
#[unsafe(no_mangle)]
pub extern "C" fn ft_ellipsoid_relation(
    a: Option<&ft_ellipsoid>,
    b: Option<&ft_ellipsoid>,
    relation: Option<&mut MaybeUninit<u32>>,
) -> ft_status {
    guarded(|| {
        let ((a, pose_a), (b, pose_b)) = (given("a", a)?.read()?, given("b", b)?.read()?);
        let found = match Posed::new(&a, &pose_a).relation(&Posed::new(&b, &pose_b)) {
            Relation::Separate => ft_relation::Separate,
            Relation::Touching => ft_relation::Touching,
            Relation::Overlapping => ft_relation::Overlapping,
        };
        given("relation", relation)?.write(found as u32);
        Ok(())
    })
}

/// Finds all times up to `t_max` at which two ellipsoids touch or overlap, in order; between them they are proven
/// separate. The motions, which must be fixed or rational, give the places of `a` and `b`; their poses are not used.
/// `options` may be NULL: the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_ellipsoid_overlaps(
    a: Option<&ft_ellipsoid>,
    motion_a: Option<&ft_motion>,
    b: Option<&ft_ellipsoid>,
    motion_b: Option<&ft_motion>,
    options: Option<&ft_options>,
    overlaps: *mut MaybeUninit<ft_overlap>,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let (shape_a, shape_b) = (ellipsoid(given("a", a)?.semi_axes)?, ellipsoid(given("b", b)?.semi_axes)?);
        let (motion_a, motion_b) = (given("motion_a", motion_a)?, given("motion_b", motion_b)?);
        let (a, b) = (
            EllipsoidMotion::Rigid(&shape_a, &motion_a.motion),
            EllipsoidMotion::Rigid(&shape_b, &motion_b.motion),
        );
        let found = self::overlaps(a, b, &self::options(options)?)?;
        // SAFETY: the caller's promise.
        unsafe { put_list(found.iter().map(ft_overlap::from), overlaps, capacity, count) }
    })
}

/// Computes the point and the normal of the contact at a time of contact in [0, 1], in plain floating point. The poses
/// of `a` and `b` are not used. `FT_STATUS_NOT_FOUND` if the centres coincide.
#[unsafe(no_mangle)]
pub extern "C" fn ft_ellipsoid_contact_at_time(
    a: Option<&ft_ellipsoid>,
    motion_a: Option<&ft_motion>,
    b: Option<&ft_ellipsoid>,
    motion_b: Option<&ft_motion>,
    t: f64,
    contact: Option<&mut MaybeUninit<ft_ellipsoid_contact>>,
) -> ft_status {
    guarded(|| {
        let (shape_a, shape_b) = (ellipsoid(given("a", a)?.semi_axes)?, ellipsoid(given("b", b)?.semi_axes)?);
        let (motion_a, motion_b) = (given("motion_a", motion_a)?, given("motion_b", motion_b)?);
        let contact = given("contact", contact)?;
        if !(0.0..=1.0).contains(&t) {
            return Err(Failure::invalid(format!("t must be from 0 to 1, but is {t}")));
        }
        let a = MovingEllipsoid { shape: &shape_a, motion: &motion_a.motion };
        let b = MovingEllipsoid { shape: &shape_b, motion: &motion_b.motion };
        let none =
            || Failure::new(ft_status::NotFound, "the centres coincide, so there is no point of contact");
        let ContactPoint { point, normal, ratio } = contact_at_time(a, b, t).ok_or_else(none)?;
        contact.write(ft_ellipsoid_contact { point: point.to_array(), normal: normal.to_array(), ratio });
        Ok(())
    })
}

/// Computes an ellipsoid around `count` points of three numbers, `stride` bytes apart (0: 24), as small as can be found
/// quickly.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_ellipsoid_enclosing(
    points: *const f64,
    count: usize,
    stride: usize,
    out: Option<&mut MaybeUninit<ft_ellipsoid>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        // SAFETY: the caller's promise.
        let points = unsafe { Rows::new("points", points, count, 3, stride)? };
        let (shape, pose) = enclosing(&points.to_points())?;
        out.write(ft_ellipsoid { semi_axes: shape.semi_axes().to_array(), pose: pose.into() });
        Ok(())
    })
}
