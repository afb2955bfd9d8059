//! Checkers: a robot among obstacles, ready for many queries.

use std::ffi::c_char;
use std::mem::MaybeUninit;

use firsttouch::articulated::Checker;
use firsttouch::{Answer, Body, BodyKind, Scene};

use crate::border::{
    Failure, Outcome, Rows, by_name, by_names, freed, ft_status, given, guarded, hand_out, list, list_out,
    put, put_text, text, texts,
};
use crate::deformable::ft_deformable;
use crate::motion::ft_motion;
use crate::robot::ft_robot;
use crate::scene::{base_pose, ft_scene, rigid};
use crate::shape::ft_shape;
use crate::values::{answered, ft_answer, ft_options, ft_part, ft_pose, options};

/// A robot among obstacles. In its answers body 0 is the robot, body 1 + k obstacle k.
pub struct ft_checker {
    pub(crate) checker: Checker,
}

/// The proof for a path.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_path_answer {
    /// The answer of the first segment that is not free, in its own time; free if all are.
    pub answer: ft_answer,
    /// That segment, counted from 0; the number of segments if all are free.
    pub segment: u64,
    /// The number of segments.
    pub segments: u64,
}

/// Creates a checker. `base` may be NULL: the identity. The bodies of `obstacles` are the obstacles, moving or not; it
/// may be NULL, and must not contain robots. Obstacles are not checked against each other, so pairs of them that are
/// allowed to touch make no difference. A scene that keeps some obstacles apart from each other is refused
/// (`FT_STATUS_UNSUPPORTED`), because no query would check that. `ft_checker_from_scene` takes a robot that is in the
/// scene, with the scene's settings for it.
#[unsafe(no_mangle)]
pub extern "C" fn ft_checker_new(
    robot: Option<&ft_robot>,
    base: Option<&ft_pose>,
    obstacles: Option<&ft_scene>,
    out: Option<&mut MaybeUninit<*mut ft_checker>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        let robot = given("robot", robot)?.robot.clone();
        if let Some(scene) = obstacles {
            refuse_separations(&scene.scene)?;
        }
        let obstacles = obstacles.map(|scene| scene.scene.bodies().to_vec()).unwrap_or_default();
        hand_out(out, ft_checker { checker: Checker::new(robot, base_pose(base)?, obstacles)? });
        Ok(())
    })
}

/// Creates a checker for the robot of a scene with this name, and the bodies attached to it; all other bodies are
/// obstacles. Pairs that the scene allows to touch are left out, and its separations hold. Refuses a scene with another
/// robot, and a robot on a path.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_from_scene(
    scene: Option<&ft_scene>,
    robot: *const c_char,
    out: Option<&mut MaybeUninit<*mut ft_checker>>,
) -> ft_status {
    guarded(|| {
        let out = given("out", out)?;
        let scene = &given("scene", scene)?.scene;
        // SAFETY: the caller's promise.
        let name = unsafe { text("robot", robot)? };
        hand_out(out, ft_checker { checker: checker_of(scene, name)? });
        Ok(())
    })
}

fn refuse_separations(scene: &Scene) -> Outcome {
    let Some(([a, b], _)) = scene.separations().first().copied() else { return Ok(()) };
    let [a, b] = [a, b].map(|body| scene.bodies()[body].name());
    let text = format!(
        "not supported: a checker with the separation that the scene keeps between \"{a}\" and \"{b}\""
    );
    Err(Failure::new(ft_status::Unsupported, text))
}

fn checker_of(scene: &Scene, robot: &str) -> Outcome<Checker> {
    let is_rigid = |body: &Body| !matches!(body.kind(), BodyKind::Robot(_) | BodyKind::RobotPath(_));
    if scene.index_of(robot).is_some_and(|place| is_rigid(&scene.bodies()[place])) {
        return Err(Failure::invalid(format!("\"{robot}\" is not a robot")));
    }
    Ok(scene.checker(robot)?)
}

/// Creates a copy that shares all parts that neither of the two changes, so it costs very little.
#[unsafe(no_mangle)]
pub extern "C" fn ft_checker_clone(
    checker: Option<&ft_checker>,
    out: Option<&mut MaybeUninit<*mut ft_checker>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?.checker.clone();
        hand_out(given("out", out)?, ft_checker { checker });
        Ok(())
    })
}

/// Writes the number of values in a configuration.
#[unsafe(no_mangle)]
pub extern "C" fn ft_checker_dof(
    checker: Option<&ft_checker>,
    dof: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        given("dof", dof)?.write(checker.checker.robot().variables().len());
        Ok(())
    })
}

/// Adds a rigid obstacle. `index` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_add_obstacle(
    checker: Option<&mut ft_checker>,
    name: *const c_char,
    shape: Option<&ft_shape>,
    motion: Option<&ft_motion>,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let body = unsafe { rigid(name, shape, motion)? };
        put(index, checker.checker.add_obstacle(body)?);
        Ok(())
    })
}

/// Adds a deforming obstacle as it is now. `index` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_add_deforming(
    checker: Option<&mut ft_checker>,
    name: *const c_char,
    mesh: Option<&ft_deformable>,
    index: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let name = unsafe { text("name", name)? };
        put(index, checker.checker.add_obstacle(Body::deforming(name, given("mesh", mesh)?.mesh.clone()))?);
        Ok(())
    })
}

/// Moves an obstacle that is at rest to another place. Refuses obstacles that move by themselves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_move_obstacle(
    checker: Option<&mut ft_checker>,
    name: *const c_char,
    pose: Option<&ft_pose>,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe {
        by_name("checker", checker, name, |checker, name| {
            Ok(checker.checker.move_obstacle(name, given("pose", pose)?.read()?)?)
        })
    }
}

/// Removes an obstacle. The indices of the obstacles after it decrease by one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_remove_obstacle(
    checker: Option<&mut ft_checker>,
    name: *const c_char,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe { by_name("checker", checker, name, |checker, name| Ok(checker.checker.remove_obstacle(name)?)) }
}

/// Leaves a pair out of every check: two links, or a link (or the robot, by its name) and an obstacle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_allow(
    checker: Option<&mut ft_checker>,
    a: *const c_char,
    b: *const c_char,
) -> ft_status {
    let names = [("a", a), ("b", b)];
    // SAFETY: the caller's promise.
    unsafe { by_names("checker", checker, names, |checker, [a, b]| Ok(checker.checker.allow(a, b)?)) }
}

/// Sets the distance below which two bodies count as touching, regardless of the options: a link (or the robot, by its
/// name), and an obstacle, a link or the robot itself. Names may be patterns with `*` and `?`; a link is called
/// `robot/link` in them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_keep_apart(
    checker: Option<&mut ft_checker>,
    a: *const c_char,
    b: *const c_char,
    min_separation: f64,
) -> ft_status {
    let names = [("a", a), ("b", b)];
    // SAFETY: the caller's promise.
    unsafe {
        by_names("checker", checker, names, |checker, [a, b]| {
            Ok(checker.checker.keep_apart(a, b, min_separation)?)
        })
    }
}

/// Keeps all obstacles this much farther away from the robot than the separation of their pair. Distances do not
/// change.
#[unsafe(no_mangle)]
pub extern "C" fn ft_checker_set_padding(checker: Option<&mut ft_checker>, padding: f64) -> ft_status {
    guarded(|| Ok(given("checker", checker)?.checker.set_padding(padding)?))
}

/// Does the same for one link, in addition to the padding of the robot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_set_link_padding(
    checker: Option<&mut ft_checker>,
    link: *const c_char,
    padding: f64,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe {
        by_name("checker", checker, link, |checker, link| {
            Ok(checker.checker.set_link_padding(link, padding)?)
        })
    }
}

/// Attaches a shape to a link, at `pose` in the link's frame: the robot holds it from now on. It is a link with this
/// name, checked against everything except the link that holds it and the `touch_link_count` links named in
/// `touch_links`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_hold(
    checker: Option<&mut ft_checker>,
    name: *const c_char,
    shape: Option<&ft_shape>,
    link: *const c_char,
    pose: Option<&ft_pose>,
    touch_links: *const *const c_char,
    touch_link_count: usize,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let (name, link) = unsafe { (text("name", name)?, text("link", link)?) };
        // SAFETY: the caller's promise.
        let touch_links = unsafe { texts("touch_links", touch_links, touch_link_count)? };
        let (shape, pose) = (given("shape", shape)?.shape.clone(), given("pose", pose)?.read()?);
        Ok(checker.checker.hold(name, shape, link, pose, &touch_links)?)
    })
}

/// Removes a body that the robot holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_release(
    checker: Option<&mut ft_checker>,
    name: *const c_char,
) -> ft_status {
    // SAFETY: the caller's promise.
    unsafe { by_name("checker", checker, name, |checker, name| Ok(checker.checker.release(name)?)) }
}

/// Moves the base of the robot to another place.
#[unsafe(no_mangle)]
pub extern "C" fn ft_checker_set_base(checker: Option<&mut ft_checker>, base: Option<&ft_pose>) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        checker.checker.set_base(given("base", base)?.read()?);
        Ok(())
    })
}

/// Finds the first touch on the way from one configuration to another, `dof` numbers each, with every joint moving at a
/// constant rate. `options` may be NULL: the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_check_motion(
    checker: Option<&ft_checker>,
    from: *const f64,
    to: *const f64,
    dof: usize,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let (from, to) = unsafe { (list("from", from, dof)?, list("to", to, dof)?) };
        answered(answer, options, |options| Ok(checker.checker.check_step(from, to, options)?.answer))
    })
}

/// Checks one configuration of `dof` numbers, at time 0 of bodies that move by themselves: free, touching at the start,
/// or undecided. `options` may be NULL: the default.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_check_state(
    checker: Option<&ft_checker>,
    configuration: *const f64,
    dof: usize,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let configuration = unsafe { list("configuration", configuration, dof)? };
        answered(answer, options, |options| Ok(checker.checker.check_state(configuration, options)?.answer))
    })
}

/// Finds the first touch along a path through `count` waypoints of `dof` numbers, `stride` bytes apart (0: 8 dof).
/// `options` may be NULL: the default; its time is that of each segment.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_check_path(
    checker: Option<&ft_checker>,
    waypoints: *const f64,
    count: usize,
    dof: usize,
    stride: usize,
    options: Option<&ft_options>,
    answer: Option<&mut MaybeUninit<ft_path_answer>>,
) -> ft_status {
    guarded(|| {
        let (checker, answer) = (given("checker", checker)?, given("answer", answer)?);
        // SAFETY: the caller's promise.
        let waypoints = unsafe { Rows::new("waypoints", waypoints, count, dof, stride)? };
        if count == 0 {
            return Err(Failure::invalid("a path without waypoints"));
        }
        let options = self::options(options)?;
        let waypoints: Vec<Vec<f64>> = waypoints.iter().map(<[f64]>::to_vec).collect();
        let report = checker.checker.check_path(&waypoints, &options, |_| ())?;
        answer.write(ft_path_answer {
            answer: ft_answer::new(&report.answer, options.t_max),
            segment: report.segment.unwrap_or(report.segments) as u64,
            segments: report.segments as u64,
        });
        Ok(())
    })
}

/// Checks many edges at once, on `options->threads` threads: `count` rows of `dof` numbers at `from` and at `to`,
/// `stride` bytes apart (0: 8 dof); `count` answers are written. `options` may be NULL: the default. If one row is
/// refused, nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_check_motions(
    checker: Option<&ft_checker>,
    from: *const f64,
    to: *const f64,
    count: usize,
    dof: usize,
    stride: usize,
    options: Option<&ft_options>,
    answers: *mut MaybeUninit<ft_answer>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let from = unsafe { Rows::new("from", from, count, dof, stride)? };
        // SAFETY: the caller's promise.
        let to = unsafe { Rows::new("to", to, count, dof, stride)? };
        // SAFETY: the caller's promise.
        let answers = unsafe { list_out("answers", answers, count)? };
        let options = self::options(options)?;
        let edges: Vec<[&[f64]; 2]> = from.iter().zip(to.iter()).map(|(from, to)| [from, to]).collect();
        let reports = checker.checker.check_motions(&edges, &options)?;
        write_answers(answers, reports.iter().map(|report| &report.answer), options.t_max);
        Ok(())
    })
}

/// Checks many configurations, one after the other: `count` rows of `dof` numbers, `stride` bytes apart (0: 8 dof);
/// `count` answers are written. `options` may be NULL: the default. If one row is refused, nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_check_states(
    checker: Option<&ft_checker>,
    configurations: *const f64,
    count: usize,
    dof: usize,
    stride: usize,
    options: Option<&ft_options>,
    answers: *mut MaybeUninit<ft_answer>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        // SAFETY: the caller's promise.
        let rows = unsafe { Rows::new("configurations", configurations, count, dof, stride)? };
        // SAFETY: the caller's promise.
        let answers = unsafe { list_out("answers", answers, count)? };
        let options = self::options(options)?;
        let check = |row: &[f64]| Ok(checker.checker.check_state(row, &options)?.answer);
        let found = rows.iter().map(check).collect::<Result<Vec<Answer>, Failure>>()?;
        write_answers(answers, found.iter(), options.t_max);
        Ok(())
    })
}

fn write_answers<'a>(
    places: &mut [MaybeUninit<ft_answer>],
    answers: impl Iterator<Item = &'a Answer>,
    t_max: f64,
) {
    places.iter_mut().zip(answers).for_each(|(place, answer)| {
        place.write(ft_answer::new(answer, t_max));
    });
}

/// Writes the number of obstacles.
#[unsafe(no_mangle)]
pub extern "C" fn ft_checker_obstacle_count(
    checker: Option<&ft_checker>,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        given("count", count)?.write(checker.checker.obstacles().len());
        Ok(())
    })
}

/// Writes the name of a body of an answer: 0 is the robot, 1 + k obstacle k.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_body_name(
    checker: Option<&ft_checker>,
    index: usize,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let checker = &given("checker", checker)?.checker;
        let obstacles = checker.obstacles().len();
        if index > obstacles {
            let text = format!("body {index} is out of range: there are only {}", obstacles + 1);
            return Err(Failure::new(ft_status::NotFound, text));
        }
        let name = if index == 0 { checker.robot().name() } else { checker.obstacle(index - 1).name() };
        // SAFETY: the caller's promise.
        unsafe { put_text(name, text, capacity, length) }
    })
}

/// Writes a part of an answer in words, with the names of links: "hand/tri 12".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_checker_part_text(
    checker: Option<&ft_checker>,
    part: Option<&ft_part>,
    text: *mut c_char,
    capacity: usize,
    length: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let checker = given("checker", checker)?;
        let words = checker.checker.robot().part_path(&given("part", part)?.read()?);
        // SAFETY: the caller's promise.
        unsafe { put_text(&words, text, capacity, length) }
    })
}

/// Frees a checker. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_checker_free(checker: Option<Box<ft_checker>>) {
    freed(checker);
}
