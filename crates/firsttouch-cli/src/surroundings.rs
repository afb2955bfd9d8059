//! The surroundings of a robot on a path: obstacles, what the robot holds, and which pairs may touch.

use std::path::Path;
use std::time::Instant;

use clap::{Args, ValueEnum};
use firsttouch::articulated::{Checker, Grasp, Robot};
use firsttouch::motion::Pose;
use firsttouch::shape::Shape;
use firsttouch::{Body, Error, Options};
use firsttouch_io::{
    AttachFile, BodyKind, Files, Interpolation, MotionFile, PairFile, STANDARD_INPUT, SceneFile, Scenery,
    matches_pattern, parse_scene_for,
};

use crate::input::is_standard_input;
use crate::output::{Failure, complain};

/// How a robot moves between waypoints, where it stands, and how far it must stay away from obstacles.
#[derive(Debug, Clone, Args)]
pub(crate) struct CourseArgs {
    /// How the joints move between waypoints; cubic needs columns JOINT/velocity
    #[arg(long, value_enum, default_value_t = InterpolationArg::Linear)]
    pub(crate) interpolation: InterpolationArg,
    #[command(flatten)]
    pub(crate) stance: StanceArgs,
}

/// Where a robot stands, and how far it must stay away from obstacles.
#[derive(Debug, Clone, Args)]
pub(crate) struct StanceArgs {
    /// Keep all obstacles this much farther away than --min-separation, which applies to all pairs
    #[arg(long, value_name = "LENGTH", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) padding: f64,
    /// Keep all obstacles this much farther away from one link; may be given for several
    #[arg(long, value_name = "LINK=LENGTH")]
    pub(crate) link_padding: Vec<String>,
    /// The pose of the robot's base, angles in radians
    #[arg(long, value_name = "X Y Z ROLL PITCH YAW", allow_hyphen_values = true)]
    pub(crate) base: Option<String>,
}

impl CourseArgs {
    /// What was given, as words of a command line; nothing of what is left at its default.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        let interpolation = match self.interpolation {
            InterpolationArg::Linear => None,
            InterpolationArg::Cubic => Some("cubic".to_string()),
            InterpolationArg::Spline => Some("spline".to_string()),
        };
        let StanceArgs { padding, link_padding, base } = &self.stance;
        let padding = (*padding != 0.0).then(|| padding.to_string());
        let base = base.as_ref().map(|base| format!("\"{base}\""));
        let links = link_padding.iter().map(|link| ("--link-padding", Some(link.clone())));
        let given = [("--interpolation", interpolation), ("--padding", padding), ("--base", base)];
        let given = given.into_iter().chain(links).collect::<Vec<_>>().into_iter();
        given.flat_map(|(name, value)| value.into_iter().flat_map(move |value| [name.to_string(), value]))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InterpolationArg {
    /// Every joint at a constant rate
    Linear,
    /// Cubics with the velocities given at the waypoints
    Cubic,
    /// The natural cubic spline of each joint through the waypoints
    Spline,
}

impl From<InterpolationArg> for Interpolation {
    fn from(interpolation: InterpolationArg) -> Interpolation {
        match interpolation {
            InterpolationArg::Linear => Interpolation::Linear,
            InterpolationArg::Cubic => Interpolation::Cubic,
            InterpolationArg::Spline => Interpolation::Spline,
        }
    }
}

/// A robot among everything else.
pub(crate) struct Surroundings {
    pub(crate) checker: Checker,
    pub(crate) grasps: Vec<Grasp>,
    pub(crate) options: Options,
    /// The time at which all motions of the scene end.
    pub(crate) duration: f64,
    /// How many seconds the checker took to build, after all files were read.
    pub(crate) build_seconds: f64,
}

impl Surroundings {
    /// Reads what is around a robot. The planes of its model are there without a scene.
    pub(crate) fn read(
        files: &Files,
        (robot, scenery): (Robot, &[Scenery]),
        scene: Option<&Path>,
        stance: &StanceArgs,
    ) -> Result<Surroundings, Failure> {
        let base = stance.base.as_deref().map_or(Ok(Pose::IDENTITY), pose)?;
        let name = robot.name().to_string();
        let mut found = match scene {
            None => {
                let start = Instant::now();
                Surroundings {
                    checker: checker(robot, base, Vec::new(), scenery)?,
                    grasps: Vec::new(),
                    options: Options::default(),
                    duration: 1.0,
                    build_seconds: start.elapsed().as_secs_f64(),
                }
            }
            Some(path) => {
                let (bytes, path) = if is_standard_input(path) {
                    (files.read_standard_input()?, Path::new(STANDARD_INPUT).to_path_buf())
                } else {
                    (files.read_bytes(path)?, path.to_path_buf())
                };
                let file = parse_scene_for(&bytes, &path, &name)?;
                Surroundings::build(files, (robot, scenery), base, file, &path)?
            }
        };
        found.checker.set_padding(stance.padding)?;
        for padding in &stance.link_padding {
            let split = padding.split_once('=').and_then(|(link, by)| Some((link, by.parse::<f64>().ok()?)));
            let (link, by) = split
                .ok_or_else(|| Failure::Other(format!("--link-padding: \"{padding}\" is not LINK=LENGTH")))?;
            found.checker.set_link_padding(link, by)?;
        }
        Ok(found)
    }

    fn build(
        files: &Files,
        (robot, scenery): (Robot, &[Scenery]),
        base: Pose,
        mut file: SceneFile,
        path: &Path,
    ) -> Result<Surroundings, Failure> {
        file.check_links(robot.name(), &robot, path)?;
        // What the robot holds is built as an obstacle first.
        let mut attached: Vec<(String, AttachFile)> = Vec::new();
        for body in &mut file.bodies {
            if let BodyKind::Attached { shape, attach } = &body.kind
                && attach.robot == robot.name()
            {
                attached.push((body.name.clone(), attach.clone()));
                body.kind = BodyKind::Rigid { shape: shape.clone(), motion: MotionFile::Fixed(attach.pose) };
            }
        }
        let (allow, mut pairs) = (std::mem::take(&mut file.allow), std::mem::take(&mut file.pairs));
        let (scene, warnings) = files.build_scene(&file, path)?;
        for warning in warnings {
            complain(&format!("warning: {warning}"));
        }
        let (mut held, mut grasps): (Vec<(Body, AttachFile)>, Vec<Grasp>) = (Vec::new(), Vec::new());
        let mut obstacles = Vec::new();
        for body in scene.bodies() {
            match attached.iter().find(|(name, _)| name == body.name()) {
                Some((_, attach)) if attach.held.is_none() => held.push((body.clone(), attach.clone())),
                Some((name, attach)) => {
                    let times = attach.held.as_ref();
                    grasps.push(Grasp {
                        body: name.clone(),
                        link: attach.link.clone(),
                        touch_links: attach.touch_links.clone(),
                        may_touch: Vec::new(),
                        from: times.map_or(0, |held| held.at),
                        until: times.and_then(|held| held.release),
                    });
                    obstacles.push(body.clone());
                }
                None => obstacles.push(body.clone()),
            }
        }
        let start = Instant::now();
        let mut checker = checker(robot, base, obstacles, scenery)?;
        for (body, attach) in held {
            let Some((shape, _)) = body.as_rigid() else { continue };
            let shape: Shape = shape.clone();
            let touch_links: Vec<&str> = attach.touch_links.iter().map(String::as_str).collect();
            let pose = Pose::new(attach.pose.xyz, attach.pose.quat)?;
            checker.hold(body.name(), shape, &attach.link, pose, &touch_links)?;
        }
        for pair in &allow {
            allow_pair(&mut checker, &mut grasps, pair, path)?;
        }
        // What is said about a link comes after what is said about the whole robot.
        pairs.sort_by_key(|pair| !pair.bodies.iter().any(|body| body == checker.robot().name()));
        for pair in &pairs {
            keep_pair_apart(&mut checker, &grasps, pair, path)?;
        }
        let duration = file.duration.unwrap_or(1.0);
        let build_seconds = start.elapsed().as_secs_f64();
        Ok(Surroundings { checker, grasps, options: file.options(), duration, build_seconds })
    }
}

/// A robot among obstacles and what stands around it, which is called `ROBOT/NAME`.
fn checker(robot: Robot, base: Pose, obstacles: Vec<Body>, scenery: &[Scenery]) -> Result<Checker, Failure> {
    let prefix = if robot.name().is_empty() { String::new() } else { format!("{}/", robot.name()) };
    let mut checker = Checker::new(robot, base, obstacles)?;
    for standing in scenery {
        let name = format!("{prefix}{}", standing.name);
        checker.add_obstacle(standing.body(&name, base)?)?;
        standing.allowed.iter().try_for_each(|link| checker.allow(link, &name))?;
    }
    Ok(checker)
}

/// Allows all pairs that two names or patterns of a scene stand for. Two obstacles are not checked against each other anyway, unless the robot
/// takes one up.
fn allow_pair(
    checker: &mut Checker,
    grasps: &mut [Grasp],
    pair: &[String; 2],
    path: &Path,
) -> Result<(), Failure> {
    let standing: Vec<&str> = checker.obstacles().map(Body::name).collect();
    let matching = |name: &str| -> Vec<String> {
        standing.iter().filter(|body| matches_pattern(name, body)).map(|body| body.to_string()).collect()
    };
    let found = pair.each_ref().map(|name| matching(name));
    for [i, j] in [[0, 1], [1, 0]] {
        for grasp in grasps.iter_mut().filter(|grasp| found[i].contains(&grasp.body)) {
            grasp.may_touch.extend(found[j].iter().filter(|other| **other != grasp.body).cloned());
        }
    }
    let [a, b] = names_of_scene(checker, pair).map_err(|name| unknown("allow", &name, path))?;
    match checker.allow(&a, &b) {
        Err(Error::UnknownName { name }) => Err(unknown("allow", &name, path)),
        Err(Error::Unsupported { .. }) if found.iter().all(|found| !found.is_empty()) => Ok(()),
        done => Ok(done?),
    }
}

/// Keeps the two bodies of a `[[pair]]` of a scene apart. Two obstacles are not checked against each other.
fn keep_pair_apart(
    checker: &mut Checker,
    grasps: &[Grasp],
    PairFile { bodies, min_separation, by_contact }: &PairFile,
    path: &Path,
) -> Result<(), Failure> {
    let [first, second] = bodies;
    if *by_contact {
        let path = path.display();
        complain(&format!(
            "warning: {path}: pair: \"{first}\" and \"{second}\": a path is not decided by `method`"
        ));
    }
    let Some(min_separation) = min_separation else { return Ok(()) };
    let stands = |name: &str| checker.obstacles().any(|body| matches_pattern(name, body.name()));
    let is_taken_up = |name: &str| grasps.iter().any(|grasp| matches_pattern(name, &grasp.body));
    if let Some(name) = bodies.iter().find(|name| is_taken_up(name)) {
        let (path, text) =
            (path.display(), "is taken up on the way: give `--min-separation` for all pairs instead");
        return Err(Failure::Other(format!("{path}: pair: \"{name}\" {text}")));
    }
    let both_stand = stands(first) && stands(second);
    let [a, b] = names_of_scene(checker, bodies).map_err(|name| unknown("pair", &name, path))?;
    match checker.keep_apart(&a, &b, *min_separation) {
        Err(Error::UnknownName { name }) => Err(unknown("pair", &name, path)),
        Err(Error::Unsupported { .. }) if both_stand => Ok(()),
        done => Ok(done?),
    }
}

fn unknown(what: &str, name: &str, path: &Path) -> Failure {
    Failure::Other(format!("{}: {what}: nothing is called \"{name}\"", path.display()))
}

/// Two names of a scene as the checker understands them. In a scene the name of the robot is never that of one of its links, and a link without
/// its robot is nothing: an error with its name.
fn names_of_scene(checker: &Checker, names: &[String; 2]) -> Result<[String; 2], String> {
    let robot = checker.robot();
    let is_own_link = |name: &str| robot.link(name).is_some_and(|link| !robot.is_attached(link));
    let stands = |name: &str| checker.obstacles().any(|body| body.name() == name);
    if let Some(name) = names.iter().find(|name| *name != robot.name() && is_own_link(name) && !stands(name))
    {
        return Err(name.clone());
    }
    let whole = |name: &String| {
        if name == robot.name() && is_own_link(name) { format!("{name}/*") } else { name.clone() }
    };
    Ok(names.each_ref().map(whole))
}

/// A pose from six numbers.
fn pose(text: &str) -> Result<Pose, Failure> {
    let wrong = || Failure::Other(format!("--base: \"{text}\" is not six numbers: x y z roll pitch yaw"));
    let numbers: Option<Vec<f64>> =
        text.split([' ', ',']).filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect();
    let [x, y, z, roll, pitch, yaw]: [f64; 6] = numbers.and_then(|n| n.try_into().ok()).ok_or_else(wrong)?;
    let turn = glam::DQuat::from_rotation_z(yaw)
        * glam::DQuat::from_rotation_y(pitch)
        * glam::DQuat::from_rotation_x(roll);
    Ok(Pose::new(glam::DVec3::new(x, y, z), turn)?)
}
