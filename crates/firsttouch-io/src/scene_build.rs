//! Builds a scene from a scene file: its keys become checked shapes and motions.
//!
//! [`read_scene`](crate::read_scene) returns the contents of the file. This module loads meshes and robots. Bodies are
//! added in the order of the file, except that attached bodies come after their robot. Every error names the line of
//! its body in the scene file: `pile.toml:12: body "bunny": bunny.obj: No such file or directory`.

mod motions;
mod shapes;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use firsttouch::articulated::{Grasp, Robot, RobotPath, RobotStep, Trajectory};
use firsttouch::deformable::Deformable;
use firsttouch::ellipsoid::CoverOptions;
use firsttouch::motion::{Affine, AffineInterpolant, Motion};
use firsttouch::shape::{Ellipsoid, Shape};
use firsttouch::{Body, Options, Scene, ScrewPairOptions, matches_pattern};

pub use motions::path_legs;
use motions::{build_motion, build_pose};
pub(crate) use shapes::{CLOUD_BYTES_PER_POINT, MESH_BYTES_PER_TRIANGLE, primitive};
use shapes::{build_shape, same_file};

use crate::error::{Error, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::parts::suggestion;
use crate::robot_build::Scenery;
use crate::scene::{
    AttachFile, BodyFile, BodyKind, CourseFile, MotionFile, PairFile, SceneFile, ShapeFile, Warning,
};
use crate::scene_doubts;
use crate::source::shown;
use crate::trajectory_build::build_trajectories;
use crate::urdf::RobotFile;

/// Builds the scene, reading the mesh files that it names; `path` is the scene file, for messages.
///
/// ```
/// let text = "[[body]]\nname = \"cup\"\nshape = { cylinder = { radius = 1, length = 2 } }\npose = { xyz = [0, 0, 5] }\n";
/// let scene = firsttouch_io::build_scene(&firsttouch_io::parse_scene(text, "cup.toml")?, "cup.toml")?;
/// assert_eq!(scene.bodies()[0].kind_name(), "cylinder");
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn build_scene(file: &SceneFile, path: impl AsRef<Path>) -> Result<Scene> {
    build_scene_with_warnings(file, path).map(|(scene, _)| scene)
}

/// Leaves pairs of two bodies at rest out of a scene from a file, unless the whole scene is at rest: then there are no
/// other pairs to check. Returns true if they are left out.
///
/// ```
/// use firsttouch::{Answer, Options};
/// let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ sphere = {{ radius = 1 }} }}\n");
/// let still = body("a") + &body("b");
/// let moving = still.clone() + &body("c") + "motion = { linear = { from = { xyz = [9, 0, 0] }, to = { xyz = [5, 0, 0] } } }\n";
/// for (text, is_free) in [(still, false), (moving, true)] {
///     let mut scene = firsttouch_io::build_scene(&firsttouch_io::parse_scene(&text, "s.toml")?, "s.toml")?;
///     assert_eq!(firsttouch_io::leave_out_resting(&mut scene), is_free);
///     assert_eq!(scene.check(&Options::default()).unwrap().answer == Answer::Free, is_free);
/// }
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn leave_out_resting(scene: &mut Scene) -> bool {
    let rests = |body: &Body| matches!(body.as_rigid(), Some((_, Motion::Fixed(_))));
    let something_moves = !scene.bodies().iter().all(rests);
    scene.leave_out_resting(something_moves);
    something_moves
}

/// Like [`build_scene`]. Also returns warnings: those of the reader, joint values outside their limits, links in an
/// SRDF file that the robot does not have, bodies that begin inside a mesh, and sizes that look like millimetres beside
/// metres.
pub fn build_scene_with_warnings(file: &SceneFile, path: impl AsRef<Path>) -> Result<(Scene, Vec<Error>)> {
    Files::default().build_scene(file, path)
}

impl Files {
    /// Like [`build_scene_with_warnings`].
    pub fn build_scene(&self, file: &SceneFile, path: impl AsRef<Path>) -> Result<(Scene, Vec<Error>)> {
        build(
            &mut Builder {
                files: self,
                shapes: HashMap::new(),
                robots: HashMap::new(),
                frames: HashMap::new(),
            },
            file,
            path.as_ref(),
        )
    }
}

/// The memory that a deforming mesh and its hierarchies take, per triangle, edge and point.
const DEFORMING_BYTES_PER_ELEMENT: u64 = 250;

/// The URDF and SRDF file of a robot, and the number of ellipsoids that replace each link's shapes.
type RobotKey = (PathBuf, Option<PathBuf>, Option<usize>);

/// A robot, its file, and the bodies around it in that file.
type BuiltRobot = (Arc<RobotFile>, Robot, Arc<[Scenery]>);

/// The objects built from files. A file that a scene names several times is built only once.
struct Builder<'a> {
    files: &'a Files,
    /// Shapes by file, by the kind of shape made from it, and by the numbers that change the shape.
    shapes: HashMap<(PathBuf, &'static str, [u64; 4]), Shape>,
    robots: HashMap<RobotKey, BuiltRobot>,
    /// Deforming meshes by the files of the two frames.
    frames: HashMap<[PathBuf; 2], Arc<Deformable>>,
}

fn build(builder: &mut Builder<'_>, file: &SceneFile, path: &Path) -> Result<(Scene, Vec<Error>)> {
    if file.bodies.is_empty() {
        // A failed write leaves an empty file, and its answer would be free.
        return Err(Problem::Empty { what: "bodies" }.at(Place::File).in_file(path));
    }
    let mut scene = Scene::default();
    let doubtful = file.warnings.iter();
    let mut warnings: Vec<Error> = doubtful
        .map(|Warning { line, text }| malformed(text.as_str()).at(Place::Line(*line)).in_file(path))
        .collect();
    let mut frames = Frames { file, motions: HashMap::new() };
    let is_held = |body: &&BodyFile| matches!(body.kind, BodyKind::Attached { .. });
    // A robot must exist before a body is attached to it.
    for body in file.bodies.iter().filter(|body| !is_held(body)).chain(file.bodies.iter().filter(is_held)) {
        let mut notes = Vec::new();
        add(builder, &mut frames, &mut scene, body, &mut notes)
            .map_err(|problem| problem.at(Place::Line(body.line)).in_file(path))?;
        warnings.extend(notes.into_iter().map(|note| match note {
            Note::Here(text) => malformed(text).at(Place::Line(body.line)).in_file(path),
            Note::There(error) => error,
        }));
    }
    let whole = |what: &str, error: firsttouch::Error| {
        malformed(format!("{what}: {error}")).at(Place::File).in_file(path)
    };
    for [a, b] in &file.allow {
        scene.allow(a, b).map_err(|error| whole("allow", error))?;
    }
    for PairFile { bodies: [a, b], min_separation, by_contact } in &file.pairs {
        if let Some(min_separation) = min_separation {
            scene.keep_apart(a, b, *min_separation).map_err(|error| whole("pair", error))?;
        }
        if *by_contact {
            let options = ScrewPairOptions::default();
            scene.decide_by_contact(a, b, options).map_err(|error| whole("pair", error))?;
        }
    }
    warnings.extend(builder.files.take_warnings());
    let doubts = scene_doubts::doubts(file, &scene).into_iter();
    warnings.extend(doubts.map(|(line, text)| malformed(text).at(Place::Line(line)).in_file(path)));
    Ok((scene, warnings))
}

/// A warning about the scene file or another file.
enum Note {
    Here(String),
    There(Error),
}

impl SceneFile {
    /// Returns the options that the file sets; the others have their defaults.
    ///
    /// ```
    /// let file = firsttouch_io::parse_scene("tolerance = 1e-3\n", "empty.toml")?;
    /// assert_eq!((file.options().tolerance, file.options().t_max), (1e-3, 1.0));
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn options(&self) -> Options {
        let default = Options::default();
        Options {
            tolerance: self.tolerance.unwrap_or(default.tolerance),
            min_separation: self.min_separation.unwrap_or(default.min_separation),
            t_max: self.t_max.map_or(default.t_max, |t_max| t_max / self.duration.unwrap_or(1.0)),
            start: self.start.unwrap_or(default.start),
            ..default
        }
    }
}

impl SceneFile {
    /// Returns an error if a body that is attached to a robot names a link that the robot does not have. `name` is that
    /// of the robot in the file, and `path` the scene file, for messages. [`build_scene`] does this for the robots of
    /// the file.
    ///
    /// ```
    /// let text = b"[[body]]\nname = \"cup\"\nshape = { sphere = { radius = 1 } }\n\
    ///     attach = { robot = \"arm\", link = \"hnd\" }\n";
    /// let scene = firsttouch_io::parse_scene_for(text, "cup.toml", "arm")?;
    /// let (robot, _) = firsttouch_io::read_robot("../../testdata/robots/plain.urdf".as_ref(), None)?;
    /// let error = scene.check_links("arm", &robot, "cup.toml").unwrap_err().to_string();
    /// assert_eq!(error, "cup.toml:2: body \"cup\": the robot \"arm\" has no link \"hnd\"; did you mean \"hand\"?");
    /// # Ok::<(), firsttouch_io::Error>(())
    /// ```
    pub fn check_links(&self, name: &str, robot: &Robot, path: impl AsRef<Path>) -> Result<()> {
        self.bodies.iter().try_for_each(|body| match &body.kind {
            BodyKind::Attached { attach, .. } if attach.robot == name => {
                let known = known_links(self, body, attach, robot);
                known.map_err(|problem| problem.at(Place::Line(body.line)).in_file(path.as_ref()))
            }
            _ => Ok(()),
        })
    }
}

/// Checks that the holding link, and the links that may touch, are links of the robot or bodies that it holds.
fn known_links(file: &SceneFile, body: &BodyFile, attach: &AttachFile, robot: &Robot) -> Result<(), Problem> {
    let of_robot = |kind: &BodyKind| matches!(kind, BodyKind::Attached { attach: other, .. } if other.robot == attach.robot);
    let held = file.bodies.iter().filter(|other| of_robot(&other.kind)).map(|other| &other.name[..]);
    let links = || robot.links().iter().map(firsttouch::articulated::Link::name);
    let known: Vec<&str> = links().chain(held).collect();
    let is_link = known.contains(&&attach.link[..]);
    let is_unknown = |name: &&String| !known.iter().any(|link| link == name || matches_pattern(name, link));
    let unknown = if is_link { attach.touch_links.iter().find(is_unknown) } else { Some(&attach.link) };
    let (Some(name), false) = (unknown, robot.links().is_empty()) else { return Ok(()) };
    let advice = suggestion(name, links());
    let name = shown(name.as_bytes());
    let text =
        format!("body \"{}\": the robot \"{}\" has no link \"{name}\"{advice}", body.name, attach.robot);
    Err(malformed(text))
}

/// The motions of the bodies of a scene, each within that of its parent.
struct Frames<'a> {
    file: &'a SceneFile,
    motions: HashMap<&'a str, Motion>,
}

impl<'a> Frames<'a> {
    /// Returns the motion of a rigid body in the world. The reader has checked that parents are rigid bodies, that they
    /// are not too many, and that no body is its own ancestor.
    fn motion(&mut self, body: &'a BodyFile, motion: &MotionFile) -> Result<Motion, Problem> {
        let own = build_motion(body, motion, self.file.duration.unwrap_or(1.0))?;
        let Some(parent) = &body.parent else { return Ok(own) };
        if !self.motions.contains_key(&parent[..]) {
            let missing = || malformed(format!("body \"{}\": there is no parent \"{parent}\"", body.name));
            let parent = self.file.bodies.iter().find(|other| other.name == *parent).ok_or_else(missing)?;
            let BodyKind::Rigid { motion, .. } = &parent.kind else { return Err(missing()) };
            let motion = self.motion(parent, motion)?;
            self.motions.insert(&parent.name, motion);
        }
        Ok(own.within(&self.motions[&parent[..]]))
    }
}

fn add<'a>(
    builder: &mut Builder<'_>,
    frames: &mut Frames<'a>,
    scene: &mut Scene,
    body: &'a BodyFile,
    notes: &mut Vec<Note>,
) -> Result<(), Problem> {
    let refused = |error: firsttouch::Error| refused(body, &error);
    if let BodyKind::Attached { attach, .. } = &body.kind {
        let holder = scene.index_of(&attach.robot).map(|index| scene.bodies()[index].kind());
        let robot = match holder {
            Some(firsttouch::BodyKind::Robot(step)) => Some(step.robot()),
            Some(firsttouch::BodyKind::RobotPath(path)) => Some(path.robot()),
            _ => None,
        };
        robot.map_or(Ok(()), |robot| known_links(frames.file, body, attach, robot))?;
    }
    let made = match &body.kind {
        BodyKind::Rigid { shape, motion: MotionFile::Affine { linear, xyz, weight } } => {
            let ShapeFile::Ellipsoid { semi_axes } = shape else {
                return Err(unsupported(body, "an `affine` motion is for ellipsoids only"));
            };
            let xyz: Vec<[f64; 3]> = xyz.iter().map(|v| v.to_array()).collect();
            Body::affine(
                &body.name,
                Affine::from_power_basis(*semi_axes, linear, &xyz, weight).map_err(refused)?,
            )
        }
        BodyKind::Rigid { shape, motion: MotionFile::Interpolant { from, to, semi_axes } } => {
            let ShapeFile::Ellipsoid { semi_axes: at_start } = shape else {
                return Err(unsupported(body, "an `interpolant` is for ellipsoids only"));
            };
            let [from, to] = [build_pose(body, from)?, build_pose(body, to)?];
            let first = Ellipsoid::new(*at_start).map_err(refused)?;
            let last = Ellipsoid::new(semi_axes.unwrap_or(*at_start)).map_err(refused)?;
            let motion = AffineInterpolant::to(&first, from, &last, to).map_err(refused)?;
            Body::interpolant(&body.name, motion).map_err(refused)?
        }
        BodyKind::Rigid { shape, motion } => {
            Body::new(&body.name, build_shape(builder, body, shape)?, frames.motion(body, motion)?)
        }
        BodyKind::Attached { shape, attach: attach @ AttachFile { held: Some(held), .. } } => {
            let is_on_path = |other: &&BodyFile| {
                other.name == attach.robot && matches!(&other.kind, BodyKind::Robot { path: Some(_), .. })
            };
            if !frames.file.bodies.iter().any(|other| is_on_path(&other)) {
                let text = "`at` and `release` count the waypoints of a `path`, and the robot has none";
                return Err(unsupported(body, text));
            }
            let (shape, pose) = (build_shape(builder, body, shape)?, build_pose(body, &attach.pose)?);
            scene.add(Body::new(&body.name, shape, Motion::fixed(pose))).map_err(refused)?;
            let grasp = Grasp {
                body: body.name.clone(),
                link: attach.link.clone(),
                touch_links: attach.touch_links.clone(),
                may_touch: Vec::new(),
                from: held.at,
                until: held.release,
            };
            return scene.grasp(&attach.robot, grasp).map_err(refused);
        }
        BodyKind::Attached { shape, attach } => {
            let touch_links: Vec<&str> = attach.touch_links.iter().map(String::as_str).collect();
            let (shape, pose) = (build_shape(builder, body, shape)?, build_pose(body, &attach.pose)?);
            scene
                .attach(&body.name, shape, &attach.robot, &attach.link, pose, &touch_links)
                .map_err(refused)?;
            return Ok(());
        }
        BodyKind::Deformable { from, to } => {
            Body::deforming(&body.name, build_frames(builder, body, from, to)?)
        }
        BodyKind::Robot { urdf, srdf, cover, base, from, to, path } => {
            let key = (same_file(urdf), srdf.as_deref().map(same_file), *cover);
            let (robot_file, robot, scenery) = match builder.robots.entry(key) {
                Entry::Occupied(known) => known.get().clone(),
                Entry::Vacant(entry) => {
                    let read = builder.files.read_robot_file(urdf).and_then(|file| {
                        let (robot, scenery, warnings) =
                            builder.files.robot_and_scenery(&file, srdf.as_deref())?;
                        Ok((file, robot, scenery, warnings))
                    });
                    let (file, mut robot, scenery, warnings) = read.map_err(|e| in_body(body, e))?;
                    if let Some(most) = *cover {
                        let options = CoverOptions { most, ..CoverOptions::default() };
                        robot = robot.covered(&options).map_err(refused)?;
                    }
                    notes.extend(warnings.into_iter().map(Note::There));
                    entry.insert((Arc::new(file), robot, scenery.into())).clone()
                }
            };
            let base = build_pose(body, base)?;
            if let Some(path) = path {
                let duration = frames.file.duration.unwrap_or(1.0);
                let trajectory = trajectory(builder.files, &robot_file, &robot, path, duration, notes);
                let trajectory = trajectory.map_err(|e| in_body(body, e))?;
                let mut course = RobotPath::new(robot, base, trajectory).map_err(refused)?;
                if path.adaptive {
                    course = course.adaptive().map_err(refused)?;
                }
                scene.add(Body::robot_along(&body.name, course)).map_err(refused)?;
            } else {
                let start = configuration(body, &robot, robot.zero(), from, notes)?;
                let end = configuration(body, &robot, start.clone(), to, notes)?;
                let step = RobotStep::new(robot, base, start, end).map_err(refused)?;
                scene.add(Body::robot(&body.name, step)).map_err(refused)?;
            }
            return add_scenery(scene, &body.name, base, &scenery).map_err(refused);
        }
    };
    scene.add(made).map(drop).map_err(refused)
}

/// Adds the bodies around a robot, called `ROBOT/NAME`.
fn add_scenery(
    scene: &mut Scene,
    robot: &str,
    base: firsttouch::motion::Pose,
    scenery: &[Scenery],
) -> firsttouch::Result<()> {
    for standing in scenery {
        let name = format!("{robot}/{}", standing.name);
        scene.add(standing.body(&name, base)?)?;
        for link in &standing.allowed {
            scene.allow_link(robot, link, &name)?;
        }
    }
    Ok(())
}

/// Returns the trajectory of a robot on the clock of the scene. With a column `time` the times are those of the scene;
/// without one it takes the whole duration.
fn trajectory(
    files: &Files,
    robot_file: &RobotFile,
    robot: &Robot,
    path: &CourseFile,
    duration: f64,
    notes: &mut Vec<Note>,
) -> Result<Trajectory> {
    let CourseFile { file, interpolation, .. } = path;
    let mut waypoints = files.read_waypoints(file, robot_file)?;
    notes.extend(waypoints.warnings.drain(..).map(Note::There));
    notes.extend(waypoints.unused_velocities(*interpolation, file).map(Note::There));
    let fail = |line: usize, text: String| malformed(text).at(Place::Line(line)).in_file(file);
    if let [_, second, ..] = &waypoints.paths[..] {
        let text = format!(
            "a robot of a scene follows one path, but the file has {}: a blank line starts another one",
            waypoints.paths.len()
        );
        return Err(fail(second.lines[0], text));
    }
    let built = build_trajectories(robot, &waypoints, *interpolation, file)?.pop();
    let (Some(trajectory), Some(path)) = (built, waypoints.paths.first()) else {
        return Err(Problem::Empty { what: "configurations under the joint names" }
            .at(Place::File)
            .in_file(file));
    };
    let Some([first, .., last]) = path.times.as_deref() else { return Ok(trajectory) };
    if !(*first >= 0.0 && *last <= duration) {
        let text = format!(
            "the path takes the time from {first} to {last}, but the scene lasts from 0 to {duration}: set its `duration`"
        );
        return Err(fail(path.lines[0], text));
    }
    let end = if *last == duration { 1.0 } else { last / duration };
    trajectory.on_clock(first / duration, end).map_err(|error| fail(path.lines[0], error.to_string()))
}

/// Returns the configuration `values`, overridden by the joints that the file names.
fn configuration(
    body: &BodyFile,
    robot: &Robot,
    mut values: Vec<f64>,
    named: &BTreeMap<String, f64>,
    notes: &mut Vec<Note>,
) -> Result<Vec<f64>, Problem> {
    for (joint, &value) in named {
        let missing =
            || malformed(format!("body \"{}\": \"{joint}\" is not a joint that can move", body.name));
        let index = robot.variable(joint).ok_or_else(missing)?;
        if let Some([lower, upper]) = robot.variables()[index].limits
            && !(lower..=upper).contains(&value)
        {
            let name = &body.name;
            notes.push(Note::Here(format!(
                "body \"{name}\": {joint} = {value} is outside its limits {lower} to {upper}"
            )));
        }
        values[index] = value;
    }
    Ok(values)
}

fn build_frames(
    builder: &mut Builder<'_>,
    body: &BodyFile,
    from: &Path,
    to: &Path,
) -> Result<Arc<Deformable>, Problem> {
    let key = [same_file(from), same_file(to)];
    // Every body has its own hierarchy, even if it shares its frames.
    let keep = |mesh: &Deformable| {
        let elements = mesh.triangles().len() + mesh.edges().len() + mesh.vertices();
        let bytes = elements as u64 * DEFORMING_BYTES_PER_ELEMENT;
        builder.files.keep(bytes, &format!("body \"{}\"", shown(body.name.as_bytes())))
    };
    if let Some(known) = builder.frames.get(&key) {
        keep(known)?;
        return Ok(Arc::clone(known));
    }
    let [a, b] = builder.files.read_frames(from, to).map_err(|e| in_body(body, e))?;
    let mesh = Deformable::new(a.positions, b.positions, a.triangles, a.edges, a.points);
    let mesh = mesh.map_err(|error| {
        let name = shown(body.name.as_bytes());
        malformed(format!("body \"{name}\": {} and {}: {error}", from.display(), to.display()))
    })?;
    let mesh = Arc::new(mesh);
    keep(&mesh)?;
    builder.frames.insert(key, Arc::clone(&mesh));
    Ok(mesh)
}

/// Returns an error in another file. Its text includes the place in that file.
fn in_body(body: &BodyFile, error: Error) -> Problem {
    Problem::Named { context: format!("body \"{}\": ", shown(body.name.as_bytes())), error: Box::new(error) }
}

fn unsupported(body: &BodyFile, what: &str) -> Problem {
    Problem::Unsupported(format!("body \"{}\": {what}", shown(body.name.as_bytes())))
}

fn refused(body: &BodyFile, error: &firsttouch::Error) -> Problem {
    malformed(format!("body \"{}\": {error}", shown(body.name.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::parse_scene;

    fn error_of(body: &str) -> String {
        let text = format!("[[body]]\nname = \"odd\"\n{body}\n");
        build_scene(&parse_scene(&text, "s.toml").unwrap(), "s.toml").unwrap_err().to_string()
    }

    #[test]
    fn every_solid_and_motion() {
        let ends = "{ from = { xyz = [0, 0, 0] }, to = { xyz = [1, 0, 0], rpy = [0, 0, 1] } }";
        let body = |name: &str, shape: &str, motion: &str| {
            format!("[[body]]\nname = \"{name}\"\nshape = {{ {shape} }}\nmotion = {{ {motion} }}\n")
        };
        let text = [
            "allow = [[\"box\", \"ball\"]]\nt_max = 0.5\n".to_string(),
            body("box", "box = [1, 2, 3]", &format!("linear = {ends}")),
            body("ball", "sphere = { radius = 1 }", &format!("screw = {ends}")),
            body("pill", "capsule = { radius = 1, length = 2 }", "fixed = { xyz = [1, 2, 3] }"),
            body("egg", "ellipsoid = [1, 2, 3]", "fixed = {}"),
            body("hull", "hull = \"octahedron.obj\", scale = 2", "fixed = {}"),
            body("mesh", "mesh = \"octahedron.obj\", scale = [1, 2, 3]", "fixed = { xyz = [0, 0, 9] }"),
        ]
        .concat();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/scenes/all.toml");
        let file = parse_scene(&text, path).unwrap();
        let scene = build_scene(&file, path).unwrap();
        let kinds: Vec<_> =
            scene.bodies().iter().map(|b| (b.kind_name(), b.as_rigid().unwrap().1.kind())).collect();
        assert_eq!(
            kinds,
            [
                ("box", "linear"),
                ("sphere", "screw"),
                ("capsule", "fixed"),
                ("ellipsoid", "fixed"),
                ("hull", "fixed"),
                ("mesh", "fixed")
            ]
        );
        assert_eq!(scene.check(&file.options()).unwrap().stats.allowed, 1);
        assert_eq!(file.options().t_max, 0.5);
    }

    #[test]
    fn what_does_not_work_is_refused_by_name() {
        let error = error_of("shape = { box = [1, 1, 1] }\nmotion = { affine = {} }");
        assert!(error.starts_with("s.toml:2: not supported: body \"odd\": "), "{error}");
        assert!(error.contains("for ellipsoids only"), "{error}");
    }

    #[test]
    fn errors_name_the_body_and_both_files() {
        let error = error_of("shape = { hull = \"nowhere.obj\" }");
        assert!(error.starts_with("s.toml:2: body \"odd\": nowhere.obj: "), "{error}");
        let error = error_of("shape = { box = [1, 1e200, 1] }");
        assert!(error.starts_with("s.toml:2: body \"odd\": box side y must be"), "{error}");
    }
}
