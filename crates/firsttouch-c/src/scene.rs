//! Scenes: bodies that move, and the first touch among them.

use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::path::Path;

use firsttouch::articulated::RobotStep;
use firsttouch::motion::Affine;
use firsttouch::{Ask, Body, BodyKind, Control, Interrupt, Scene};
use glam::DVec3;

use crate::border::{
    Failure, Outcome, Rows, by_name, by_names, entry, freed, ft_status, given, guarded, hand_out, list, put,
    put_text, text, texts,
};
use crate::deformable::ft_deformable;
use crate::motion::ft_motion;
use crate::report::ft_report;
use crate::robot::ft_robot;
use crate::screw_pair::contact_options;
use crate::shape::ft_shape;
use crate::values::{answered, ft_answer, ft_options, ft_part, ft_pose, options};

/// Bodies of any kind, and the pairs of them that are not checked.
#[derive(Default)]
pub struct ft_scene {
    pub(crate) scene: Scene,
}

/// A flag that ends queries early. Any thread may raise and lower it while others use it.
pub struct ft_interrupt {
    interrupt: Interrupt,
}

/// Creates an empty scene.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_new(out: Option<&mut MaybeUninit<*mut ft_scene>>) -> ft_status {
    guarded(|| {
        hand_out(given("out", out)?, ft_scene::default());
        Ok(())
    })
}

/// Creates a scene from a scene file, and writes the options that the file sets. `file_options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_from_file(
    path: *const c_char,
    file_options: Option<&mut MaybeUninit<ft_options>>,
    out: Option<&mut MaybeUninit<*mut ft_scene>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        // SAFETY: the caller's promise.
        let path = Path::new(unsafe { text("path", path)? });
        let file = firsttouch_io::read_scene(path)?;
        let scene = firsttouch_io::build_scene(&file, path)?;
        put(file_options, ft_options::from(file.options()));
        hand_out(out, ft_scene { scene });
        Ok(())
    })
}

/// Creates a copy. Geometry is shared.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_clone(
    scene: Option<&ft_scene>,
    out: Option<&mut MaybeUninit<*mut ft_scene>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?.scene.clone();
        hand_out(given("out", out)?, ft_scene { scene });
        Ok(())
    })
}

/// Adds a rigid body. `index` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_add(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    shape: Option<&ft_shape>,
    motion: Option<&ft_motion>,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        // SAFETY: the caller's promise.
        let body = unsafe { rigid(name, shape, motion)? };
        put(index, scene.scene.add(body)?);
        Ok(())
    })
}

/// # Safety
/// `name` is NULL or a text that ends with a NUL.
pub(crate) unsafe fn rigid(
    name: *const c_char,
    shape: Option<&ft_shape>,
    motion: Option<&ft_motion>,
) -> Outcome<Body> {
    // SAFETY: the caller's promise.
    let name = unsafe { text("name", name)? };
    Ok(Body::new(name, given("shape", shape)?.shape.clone(), given("motion", motion)?.motion.clone()))
}

/// Adds an ellipsoid that changes its shape: the image of an ellipsoid with semi-axes `a`, `b`, `c` under an affine
/// motion. Its coefficients are given, where entry k is that of t^k: `linear_count` matrices of 9 numbers, row by row;
/// `xyz_count` vectors; `weight_count` numbers. A list without entries stands for the identity, no translation, and the
/// weight 1. `index` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_add_affine(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    a: f64,
    b: f64,
    c: f64,
    linear: *const f64,
    linear_count: usize,
    xyz: *const f64,
    xyz_count: usize,
    weight: *const f64,
    weight_count: usize,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        // SAFETY: the caller's promise.
        let name = unsafe { text("name", name)? };
        // SAFETY: the caller's promise.
        let linear = unsafe { Rows::new("linear", linear, linear_count, 9, 0)? };
        // SAFETY: the caller's promise.
        let xyz = unsafe { Rows::new("xyz", xyz, xyz_count, 3, 0)? };
        // SAFETY: the caller's promise.
        let weight = unsafe { list("weight", weight, weight_count)? };
        let motion =
            Affine::from_power_basis(DVec3::new(a, b, c), &linear.to_arrays(), &xyz.to_arrays(), weight)?;
        put(index, scene.scene.add(Body::affine(name, motion))?);
        Ok(())
    })
}

/// Adds a deforming mesh as it is now. It is also checked against itself. `index` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_add_deforming(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    mesh: Option<&ft_deformable>,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        // SAFETY: the caller's promise.
        let name = unsafe { text("name", name)? };
        put(index, scene.scene.add(Body::deforming(name, given("mesh", mesh)?.mesh.clone()))?);
        Ok(())
    })
}

/// Adds a robot on its way from one configuration to another, `dof` numbers each. `base` may be NULL: the identity.
/// `index` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_add_robot(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    robot: Option<&ft_robot>,
    base: Option<&ft_pose>,
    from: *const f64,
    to: *const f64,
    dof: usize,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        // SAFETY: the caller's promise.
        let name = unsafe { text("name", name)? };
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (list("from", from, dof)?, list("to", to, dof)?) };
        let robot = given("robot", robot)?.robot.clone();
        let step = RobotStep::new(robot, base_pose(base)?, from.to_vec(), to.to_vec())?;
        put(index, scene.scene.add(Body::robot(name, step))?);
        Ok(())
    })
}

pub(crate) fn base_pose(base: Option<&ft_pose>) -> Outcome<firsttouch::motion::Pose> {
    base.map_or(Ok(firsttouch::motion::Pose::IDENTITY), ft_pose::read)
}

/// Adds a body that a robot of the scene holds: it moves with a link, at `pose` in the link's frame, and is checked
/// against everything except that link and the `touch_link_count` links named in `touch_links`. `index` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_attach(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    shape: Option<&ft_shape>,
    robot: *const c_char,
    link: *const c_char,
    pose: Option<&ft_pose>,
    touch_links: *const *const c_char,
    touch_link_count: usize,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        // SAFETY: the caller's promise.
        let (name, robot, link) =
            unsafe { (text("name", name)?, text("robot", robot)?, text("link", link)?) };
        // SAFETY: the caller's promise.
        let touch_links = unsafe { texts("touch_links", touch_links, touch_link_count)? };
        let shape = given("shape", shape)?.shape.clone();
        let pose = given("pose", pose)?.read()?;
        put(index, scene.scene.attach(name, shape, robot, link, pose, &touch_links)?);
        Ok(())
    })
}

/// Gives a rigid body another motion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_set_motion(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    motion: Option<&ft_motion>,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe {
        by_name("scene", scene, name, |scene, name| {
            Ok(scene.scene.set_motion(name, given("motion", motion)?.motion.clone())?)
        })
    }
}

/// Puts a rigid body at rest in a pose.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_set_pose(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    pose: Option<&ft_pose>,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe {
        by_name("scene", scene, name, |scene, name| {
            Ok(scene.scene.set_pose(name, given("pose", pose)?.read()?)?)
        })
    }
}

/// Gives a rigid body another shape.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_replace_shape(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    shape: Option<&ft_shape>,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe {
        by_name("scene", scene, name, |scene, name| {
            Ok(scene.scene.replace_shape(name, given("shape", shape)?.shape.clone())?)
        })
    }
}

/// Removes a body from the scene. The indices of the bodies after it decrease by one. Refuses a body that is attached
/// to a robot, and a robot that holds a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_remove(scene: Option<&mut ft_scene>, name: *const c_char) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe { by_name("scene", scene, name, |scene, name| Ok(scene.scene.remove(name).map(drop)?)) }
}

/// Leaves a pair of bodies out of every check; for a body and itself, its own parts are not checked against each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_allow(
    scene: Option<&mut ft_scene>,
    a: *const c_char,
    b: *const c_char,
) -> ft_status {
    let names = [("a", a), ("b", b)];
    // SAFETY: the caller's promise.
    unsafe { by_names("scene", scene, names, |scene, [a, b]| Ok(scene.scene.allow(a, b)?)) }
}

/// Sets the distance below which two bodies, or the parts of one, count as touching, regardless of the options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_keep_apart(
    scene: Option<&mut ft_scene>,
    a: *const c_char,
    b: *const c_char,
    min_separation: f64,
) -> ft_status {
    let names = [("a", a), ("b", b)];
    // SAFETY: the caller's promise.
    unsafe {
        by_names("scene", scene, names, |scene, [a, b]| Ok(scene.scene.keep_apart(a, b, min_separation)?))
    }
}

/// Keeps all other bodies this much farther away from a robot, or from one of its links (`robot/link`), than the
/// separation of their pair. The name may be a pattern. Distances do not change.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_pad(
    scene: Option<&mut ft_scene>,
    name: *const c_char,
    padding: f64,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe { by_name("scene", scene, name, |scene, name| Ok(scene.scene.pad(name, padding)?)) }
}

/// Lets CONTACT decide a pair: a mesh on a contact screw and a mesh at rest. A check returns FT_STATUS_UNSUPPORTED if
/// the two are anything else by then. `leaf_radius` is the radius of the leaf spheres; 0 takes about the size of the
/// smaller triangles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_decide_by_contact(
    scene: Option<&mut ft_scene>,
    a: *const c_char,
    b: *const c_char,
    leaf_radius: f64,
) -> ft_status {
    let (names, options) = ([("a", a), ("b", b)], contact_options(leaf_radius));
    // SAFETY: the caller's promise.
    unsafe {
        by_names("scene", scene, names, |scene, [a, b]| Ok(scene.scene.decide_by_contact(a, b, options)?))
    }
}

/// Writes the number of bodies.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_body_count(
    scene: Option<&ft_scene>,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        given("count", count)?.write(scene.scene.bodies().len());
        Ok(())
    })
}

/// Writes the name of a body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_body_name(
    scene: Option<&ft_scene>,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let body = entry("body", given("scene", scene)?.scene.bodies(), index)?;
        // SAFETY: the caller's promise.
        unsafe { put_text(body.name(), text, capacity, length) }
    })
}

/// Writes the index of the body with a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_index_of(
    scene: Option<&ft_scene>,
    name: *const c_char,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        // SAFETY: the caller's promise.
        let name = unsafe { text("name", name)? };
        let unknown = || Failure::from(firsttouch::Error::UnknownName { name: name.into() });
        given("index", index)?.write(scene.scene.index_of(name).ok_or_else(unknown)?);
        Ok(())
    })
}

/// Writes a part of body `body` in words, with the names of links: "hand/tri 12".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_scene_part_text(
    scene: Option<&ft_scene>,
    body: usize,
    part: Option<&ft_part>,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let bodies = given("scene", scene)?.scene.bodies();
        let part = given("part", part)?.read()?;
        let kind = entry("body", bodies, body)?.kind();
        let robot = match kind {
            BodyKind::Attached { robot, .. } => bodies[*robot].kind(),
            _ => kind,
        };
        let words = match robot {
            BodyKind::Robot(step) => step.robot().part_path(&part),
            _ => part.to_string(),
        };
        // SAFETY: the caller's promise.
        unsafe { put_text(&words, text, capacity, length) }
    })
}

/// Checks the scene. `options` may be NULL: the default. In mode all, `ft_scene_report` has the answers of all pairs.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_check(
    scene: Option<&ft_scene>,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let scene = given("scene", scene)?;
        answered(answer, options, |options| Ok(scene.scene.check(options)?.answer))
    })
}

/// Checks the scene and returns the complete result. `options` may be NULL: the default. `interrupt` may be NULL; if
/// another thread raises it, the query ends with the proof up to then.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_report(
    scene: Option<&ft_scene>,
    options: Option<&ft_options>,
    interrupt: Option<&ft_interrupt>,
    out: Option<&mut MaybeUninit<*mut ft_report>>,
) -> ft_status {
    guarded(|| {
        let (scene, out) = (given("scene", scene)?, given("out", out)?);
        let options = self::options(options)?;
        let control = Control { interrupt: interrupt.map(|flag| &flag.interrupt), ..Control::default() };
        let report = scene.scene.check(Ask::from(&options).control(&control))?;
        hand_out(out, ft_report::of_scene(&report, options.t_max));
        Ok(())
    })
}

/// Finds the first touch of two shapes in motion, without a scene: `a` is body 0, `b` body 1. `options` may be NULL:
/// the default.
#[unsafe(no_mangle)]
pub extern "C" fn ft_first_touch(
    shape_a: Option<&ft_shape>,
    motion_a: Option<&ft_motion>,
    shape_b: Option<&ft_shape>,
    motion_b: Option<&ft_motion>,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let a = (&given("shape_a", shape_a)?.shape, &given("motion_a", motion_a)?.motion);
        let b = (&given("shape_b", shape_b)?.shape, &given("motion_b", motion_b)?.motion);
        answered(answer, options, |options| Ok(firsttouch::first_touch(a, b, options)?))
    })
}

/// Frees a scene. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_scene_free(scene: Option<Box<ft_scene>>) {
    freed(scene);
}

/// Creates a flag that is not raised.
#[unsafe(no_mangle)]
pub extern "C" fn ft_interrupt_new(out: Option<&mut MaybeUninit<*mut ft_interrupt>>) -> ft_status {
    guarded(|| {
        hand_out(given("out", out)?, ft_interrupt { interrupt: Interrupt::default() });
        Ok(())
    })
}

/// Soon ends the queries that watch the flag. Safe in a signal handler if the flag is not NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ft_interrupt_raise(interrupt: Option<&ft_interrupt>) -> ft_status {
    guarded(|| {
        given("interrupt", interrupt)?.interrupt.raise();
        Ok(())
    })
}

/// Lowers the flag, for the next query.
#[unsafe(no_mangle)]
pub extern "C" fn ft_interrupt_lower(interrupt: Option<&ft_interrupt>) -> ft_status {
    guarded(|| {
        given("interrupt", interrupt)?.interrupt.lower();
        Ok(())
    })
}

/// Frees a flag, when no query watches it any more. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_interrupt_free(interrupt: Option<Box<ft_interrupt>>) {
    freed(interrupt);
}
