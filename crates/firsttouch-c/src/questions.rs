//! More questions: the least distance, all contacts, all times of overlap, and derivatives.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use firsttouch::{
    Clearance, ContactPoint, Degenerate, Gradient, MotionGradient, PoseGradient, VertexGradient,
};

use crate::border::{
    Failure, Out, Outcome, Rows, ft_status, given, guarded, list, list_out, put, put_list, text,
};
use crate::checker::ft_checker;
use crate::report::ft_overlap;
use crate::scene::ft_scene;
use crate::values::{ft_feature, ft_options, ft_part, options};

/// The least distance, bounded from both sides.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ft_clearance {
    /// The distance is never smaller than this. This is proven.
    pub lower: f64,
    /// At `t` the two bodies are at most this far apart. This is proven.
    pub upper: f64,
    /// A time at which the distance is at most `upper`; along a path, in the time of its segment.
    pub t: f64,
    /// 1 if `upper - lower` is at most the tolerance, 0 if the budget was spent first.
    pub is_tight: u64,
    /// The segment of a path, counted from 0.
    pub segment: u64,
    /// The two bodies, as in `ft_answer`.
    pub bodies: [u64; 2],
    /// The parts that are closest.
    pub parts: [ft_part; 2],
    /// The features that are closest.
    pub features: [ft_feature; 2],
    /// The closest point on each side, in world coordinates at `t`.
    pub points: [[f64; 3]; 2],
    /// The unit normal from the first to the second.
    pub normal: [f64; 3],
}

impl ft_clearance {
    fn new(found: &Clearance, segment: usize) -> ft_clearance {
        ft_clearance {
            lower: found.lower,
            upper: found.upper,
            t: found.t,
            is_tight: u64::from(found.is_tight),
            segment: segment as u64,
            bodies: found.bodies.map(|body| body as u64),
            parts: found.parts.map(ft_part::from),
            features: found.features.map(ft_feature::from),
            points: found.points.map(|point| point.to_array()),
            normal: found.normal.to_array(),
        }
    }
}

/// One of all contacts at an instant.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ft_contact_point {
    /// The two bodies, as in `ft_answer`.
    pub bodies: [u64; 2],
    /// The part of each body.
    pub parts: [ft_part; 2],
    /// The feature of each part.
    pub features: [ft_feature; 2],
    /// The point on each side, in world coordinates.
    pub points: [[f64; 3]; 2],
    /// The unit normal from the first to the second.
    pub normal: [f64; 3],
    /// The distance of the two points along the normal; 0 where the two overlap.
    pub gap: f64,
}

impl From<&ContactPoint> for ft_contact_point {
    fn from(contact: &ContactPoint) -> ft_contact_point {
        ft_contact_point {
            bodies: contact.bodies.map(|body| body as u64),
            parts: contact.parts.map(ft_part::from),
            features: contact.features.map(ft_feature::from),
            points: contact.points.map(|point| point.to_array()),
            normal: contact.normal.to_array(),
            gap: contact.gap,
        }
    }
}

/// The reason why there is no derivative: `degenerate` of a gradient.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ft_degenerate {
    /// There is one.
    No = 0,
    /// The two touch at the start.
    AtStart = 1,
    /// The two approach too slowly.
    Grazing = 2,
    /// Several places touch at once, or the features change near the touch.
    SeveralFeatures = 3,
    /// A kind that this version of the header does not name.
    Other = 4,
}

fn degenerate_number(degenerate: Option<Degenerate>) -> u64 {
    let why = match degenerate {
        None => ft_degenerate::No,
        Some(Degenerate::AtStart) => ft_degenerate::AtStart,
        Some(Degenerate::Grazing) => ft_degenerate::Grazing,
        Some(Degenerate::SeveralFeatures) => ft_degenerate::SeveralFeatures,
        Some(_) => ft_degenerate::Other,
    };
    why as u64
}

/// The derivatives by the poses of a rigid body at both ends of its motion.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ft_pose_gradient {
    /// By the position of the body's origin at time 0.
    pub from_xyz: [f64; 3],
    /// By a rotation vector at time 0, in radians, about the body's origin and the axes of the world.
    pub from_rotation: [f64; 3],
    /// By the position at time 1.
    pub to_xyz: [f64; 3],
    /// By a rotation vector at time 1.
    pub to_rotation: [f64; 3],
    /// 1 if the body is rigid and moves linearly, on a screw, or not at all; otherwise 0, and all other fields are 0 as
    /// well.
    pub is_known: u64,
}

impl From<&MotionGradient> for ft_pose_gradient {
    fn from(gradient: &MotionGradient) -> ft_pose_gradient {
        let MotionGradient::Poses { from, to } = gradient else { return ft_pose_gradient::default() };
        let split = |pose: &PoseGradient| (pose.translation.to_array(), pose.rotation.to_array());
        let ((from_xyz, from_rotation), (to_xyz, to_rotation)) = (split(from), split(to));
        ft_pose_gradient { from_xyz, from_rotation, to_xyz, to_rotation, is_known: 1 }
    }
}

/// The derivatives by the two places of a vertex of a deforming mesh.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ft_vertex_gradient {
    /// The index of the vertex.
    pub vertex: u64,
    /// By its place at time 0.
    pub from_xyz: [f64; 3],
    /// By its place at time 1.
    pub to_xyz: [f64; 3],
}

impl From<&VertexGradient> for ft_vertex_gradient {
    fn from(gradient: &VertexGradient) -> ft_vertex_gradient {
        ft_vertex_gradient {
            vertex: u64::from(gradient.vertex),
            from_xyz: gradient.from.to_array(),
            to_xyz: gradient.to.to_array(),
        }
    }
}

/// Returns the vertices of one side, and their number.
fn vertex_gradients(gradient: &MotionGradient) -> ([ft_vertex_gradient; 3], u64) {
    let mut all = [ft_vertex_gradient::default(); 3];
    let MotionGradient::Vertices(vertices) = gradient else { return (all, 0) };
    // The touching part is a triangle, an edge or a point: at most three vertices.
    debug_assert!(vertices.len() <= all.len());
    all.iter_mut().zip(vertices).for_each(|(place, vertex)| *place = vertex.into());
    (all, vertices.len() as u64)
}

/// The derivatives of a time of contact, or of a least distance, by the motions of two bodies: rigid ones and deforming
/// meshes. Those of robots are in `ft_checker_toi_gradient` and `ft_checker_clearance_gradient`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ft_gradient {
    /// For each of the two bodies of the answer, if it is rigid.
    pub bodies: [ft_pose_gradient; 2],
    /// For each of the two bodies, if it is a deforming mesh: the vertices of the part that touches. All other vertices
    /// have zero derivatives.
    pub vertices: [[ft_vertex_gradient; 3]; 2],
    /// The number of used entries of `vertices`, for each of the two bodies: 0 if it is not a deforming mesh.
    pub vertex_counts: [u64; 2],
    /// One of `ft_degenerate`.
    pub degenerate: u64,
}

impl From<&Gradient> for ft_gradient {
    fn from(gradient: &Gradient) -> ft_gradient {
        let [a, b] = &gradient.bodies;
        let ((vertices_a, count_a), (vertices_b, count_b)) = (vertex_gradients(a), vertex_gradients(b));
        ft_gradient {
            bodies: [a.into(), b.into()],
            vertices: [vertices_a, vertices_b],
            vertex_counts: [count_a, count_b],
            degenerate: degenerate_number(gradient.degenerate),
        }
    }
}

fn nothing(what: &str) -> Failure {
    Failure::new(ft_status::NotFound, what)
}

fn write_clearance(place: Out<'_, ft_clearance>, found: Option<&Clearance>, segment: usize) -> Outcome {
    let place = given("clearance", place)?;
    let found = found.ok_or_else(|| nothing("there is nothing to measure"))?;
    place.write(ft_clearance::new(found, segment));
    Ok(())
}

/// Finds the least distance of any two bodies over [0, t_max], proven from both sides to the tolerance.
/// `FT_STATUS_NOT_FOUND` if there is no pair. Separations have no effect. `options` may be NULL: the default.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_clearance(
    scene: Option<&ft_scene>,
    options: Option<&ft_options>,
    clearance: Option<&mut MaybeUninit<ft_clearance>>,
) -> ft_status {
    guarded(|| {
        let found = given("scene", scene)?.scene.clearance(&self::options(options)?)?;
        write_clearance(clearance, found.as_ref(), 0)
    })
}

/// Finds the least distance of any two bodies at the time `t`, as exact as rounding allows. `FT_STATUS_NOT_FOUND` if
/// there is no pair.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_distance_at(
    scene: Option<&ft_scene>,
    t: f64,
    options: Option<&ft_options>,
    clearance: Option<&mut MaybeUninit<ft_clearance>>,
) -> ft_status {
    guarded(|| {
        let found = given("scene", scene)?.scene.distance_at(t, &self::options(options)?)?;
        write_clearance(clearance, found.as_ref(), 0)
    })
}

/// Finds all contacts at the time `t` within `min_separation + tolerance`; their number is written to `count`. If there
/// is too little room for them, the status is `FT_STATUS_TOO_SMALL`, and only the number is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_contacts(
    scene: Option<&ft_scene>,
    t: f64,
    options: Option<&ft_options>,
    contacts: *mut MaybeUninit<ft_contact_point>,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let found = given("scene", scene)?.scene.contacts(t, &self::options(options)?)?;
        // SAFETY: the caller's promise.
        unsafe { put_list(found.iter().map(ft_contact_point::from), contacts, capacity, count) }
    })
}

/// Finds all times at which two bodies touch, for every kind of pair; their number is written to `count`. All other
/// times are proven free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_overlaps(
    scene: Option<&ft_scene>,
    a: *const c_char,
    b: *const c_char,
    options: Option<&ft_options>,
    overlaps: *mut MaybeUninit<ft_overlap>,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        // SAFETY: the caller's promise.
        let (a, b) = unsafe { (text("a", a)?, text("b", b)?) };
        let found = scene.scene.overlaps(a, b, &self::options(options)?)?;
        // SAFETY: the caller's promise.
        unsafe { put_list(found.iter().map(ft_overlap::from), overlaps, capacity, count) }
    })
}

/// Computes the derivatives of the time of the first touch by the motions of its two bodies. `FT_STATUS_NOT_FOUND` if
/// there is no touch. `toi` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_toi_gradient(
    scene: Option<&ft_scene>,
    options: Option<&ft_options>,
    toi: Option<&mut MaybeUninit<f64>>,
    gradient: Option<&mut MaybeUninit<ft_gradient>>,
) -> ft_status {
    guarded(|| {
        let (scene, gradient) = (&given("scene", scene)?.scene, given("gradient", gradient)?);
        let options = self::options(options)?;
        let answer = scene.check(&options)?.answer;
        let touch = answer.touch().ok_or_else(|| nothing("nothing touches"))?;
        gradient.write(ft_gradient::from(&scene.toi_gradient(touch, &options)?));
        put(toi, touch.toi);
        Ok(())
    })
}

/// Computes the derivatives of the least distance by the motions of its two bodies. `FT_STATUS_NOT_FOUND` if there is
/// no pair. `clearance` may be NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_clearance_gradient(
    scene: Option<&ft_scene>,
    options: Option<&ft_options>,
    clearance: Option<&mut MaybeUninit<ft_clearance>>,
    gradient: Option<&mut MaybeUninit<ft_gradient>>,
) -> ft_status {
    guarded(|| {
        let (scene, gradient) = (&given("scene", scene)?.scene, given("gradient", gradient)?);
        let found = scene.clearance(&self::options(options)?)?;
        let found = found.ok_or_else(|| nothing("there is nothing to measure"))?;
        gradient.write(ft_gradient::from(&scene.clearance_gradient(&found)));
        put(clearance, ft_clearance::new(&found, 0));
        Ok(())
    })
}

/// Finds the least distance along a path through `count` waypoints of `dof` numbers, `stride` bytes apart (0: 8 dof),
/// proven from both sides to the tolerance. `FT_STATUS_NOT_FOUND` if there is no segment, or no distance to measure.
/// `options` may be NULL: the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_clearance(
    checker: Option<&ft_checker>,
    waypoints: *const f64,
    count: usize,
    dof: usize,
    stride: usize,
    options: Option<&ft_options>,
    clearance: Option<&mut MaybeUninit<ft_clearance>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let waypoints = unsafe { Rows::new("waypoints", waypoints, count, dof, stride)? };
        let waypoints: Vec<Vec<f64>> = waypoints.iter().map(<[f64]>::to_vec).collect();
        let found = checker.checker.clearance(&waypoints, &self::options(options)?)?;
        let segment = found.as_ref().map_or(0, |found| found.segment);
        write_clearance(clearance, found.as_ref().map(|found| &found.clearance), segment)
    })
}

/// Finds the least distance in one configuration of `dof` numbers, as exact as rounding allows. `FT_STATUS_NOT_FOUND`
/// if there is no distance to measure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_distance(
    checker: Option<&ft_checker>,
    configuration: *const f64,
    dof: usize,
    options: Option<&ft_options>,
    clearance: Option<&mut MaybeUninit<ft_clearance>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let configuration = unsafe { list("configuration", configuration, dof)? };
        let found = checker.checker.distance(configuration, &self::options(options)?)?;
        write_clearance(clearance, found.as_ref(), 0)
    })
}

/// Finds all contacts at the time `t` on the way from one configuration to another; see `ft_scene_contacts`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_contacts(
    checker: Option<&ft_checker>,
    from: *const f64,
    to: *const f64,
    dof: usize,
    t: f64,
    options: Option<&ft_options>,
    contacts: *mut MaybeUninit<ft_contact_point>,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (list("from", from, dof)?, list("to", to, dof)?) };
        let found = checker.checker.contacts(from, to, t, &self::options(options)?)?;
        // SAFETY: the caller's promise.
        unsafe { put_list(found.iter().map(ft_contact_point::from), contacts, capacity, count) }
    })
}

/// Computes the derivatives of the time of the first touch by both configurations: `dof` numbers each are written to
/// `by_from` and `by_to`. `FT_STATUS_NOT_FOUND` if there is no touch. `toi` may be NULL. `degenerate` is one of
/// `ft_degenerate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_toi_gradient(
    checker: Option<&ft_checker>,
    from: *const f64,
    to: *const f64,
    dof: usize,
    options: Option<&ft_options>,
    by_from: *mut MaybeUninit<f64>,
    by_to: *mut MaybeUninit<f64>,
    toi: Option<&mut MaybeUninit<f64>>,
    degenerate: Option<&mut MaybeUninit<u64>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (list("from", from, dof)?, list("to", to, dof)?) };
        // SAFETY: the caller's promise.
        let (by_from, by_to) =
            unsafe { (list_out("by_from", by_from, dof)?, list_out("by_to", by_to, dof)?) };
        let degenerate = given("degenerate", degenerate)?;
        let found = checker.checker.toi_gradient(from, to, &self::options(options)?)?;
        let found = found.ok_or_else(|| nothing("nothing touches"))?;
        write_numbers(by_from, &found.from);
        write_numbers(by_to, &found.to);
        put(toi, found.toi);
        degenerate.write(degenerate_number(found.degenerate));
        Ok(())
    })
}

/// Computes the derivatives of the least distance on the way from one configuration to another by both: `dof` numbers
/// each are written to `by_from` and `by_to`. `FT_STATUS_NOT_FOUND` if there is no distance to measure. `clearance` may
/// be NULL. `degenerate` is one of `ft_degenerate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_clearance_gradient(
    checker: Option<&ft_checker>,
    from: *const f64,
    to: *const f64,
    dof: usize,
    options: Option<&ft_options>,
    by_from: *mut MaybeUninit<f64>,
    by_to: *mut MaybeUninit<f64>,
    clearance: Option<&mut MaybeUninit<ft_clearance>>,
    degenerate: Option<&mut MaybeUninit<u64>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (list("from", from, dof)?, list("to", to, dof)?) };
        // SAFETY: the caller's promise.
        let (by_from, by_to) =
            unsafe { (list_out("by_from", by_from, dof)?, list_out("by_to", by_to, dof)?) };
        let degenerate = given("degenerate", degenerate)?;
        let found = checker.checker.clearance(&[from.to_vec(), to.to_vec()], &self::options(options)?)?;
        let found = found.ok_or_else(|| nothing("there is nothing to measure"))?.clearance;
        let gradient = checker.checker.clearance_gradient(from, to, &found)?;
        let [MotionGradient::Joints { from, to }, _] = &gradient.bodies else {
            return Err(nothing("the robot has no derivatives"));
        };
        write_numbers(by_from, from);
        write_numbers(by_to, to);
        put(clearance, ft_clearance::new(&found, 0));
        degenerate.write(degenerate_number(gradient.degenerate));
        Ok(())
    })
}

fn write_numbers(places: &mut [MaybeUninit<f64>], numbers: &[f64]) {
    places.iter_mut().zip(numbers).for_each(|(place, number)| {
        place.write(*number);
    });
}
