//! The surroundings of a robot on a path: obstacles, what the robot holds, and which pairs may touch.

use std::path::Path;
use std::time::Instant;

use clap::{Args, ValueEnum};
use firsttouch::articulated::{Checker, Grasp, Robot};
use firsttouch::motion::Pose;
use firsttouch::shape::Shape;
use firsttouch::{Body, Options};
use firsttouch_io::{
    AttachFile, BodyKind, Files, Interpolation, MotionFile, STANDARD_INPUT, SceneFile, Scenery,
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
        let allow = std::mem::take(&mut file.allow);
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

/// What a name in `allow` stands for.
#[derive(Clone, PartialEq)]
enum Named {
    Link(String),
    Obstacle(String),
}

/// Allows all pairs that two names or patterns stand for. Two obstacles are not checked against each other anyway, unless the robot takes
/// one up.
fn allow_pair(
    checker: &mut Checker,
    grasps: &mut [Grasp],
    pair: &[String; 2],
    path: &Path,
) -> Result<(), Failure> {
    let [first, second] = pair.each_ref().map(|name| named(checker, name));
    for (name, found) in pair.iter().zip([&first, &second]) {
        if found.is_empty() {
            let text = format!("{}: allow: nothing is called \"{name}\"", path.display());
            return Err(Failure::Other(text));
        }
    }
    for a in &first {
        for b in second.iter().filter(|b| *b != a) {
            match (a, b) {
                (Named::Obstacle(a), Named::Obstacle(b)) => {
                    for grasp in grasps.iter_mut() {
                        for (body, other) in [(a, b), (b, a)] {
                            if grasp.body == *body {
                                grasp.may_touch.push(other.clone());
                            }
                        }
                    }
                }
                (Named::Link(a) | Named::Obstacle(a), Named::Link(b) | Named::Obstacle(b)) => {
                    checker.allow(a, b)?
                }
            }
        }
    }
    Ok(())
}

fn named(checker: &Checker, name: &str) -> Vec<Named> {
    let robot = checker.robot();
    let mut found = Vec::new();
    for link in robot.links().iter().map(firsttouch::articulated::Link::name) {
        let of_robot = format!("{}/{link}", robot.name());
        let is_held = robot.link(link).is_some_and(|index| robot.is_attached(index));
        if name == robot.name()
            || matches_pattern(name, &of_robot)
            || (is_held && matches_pattern(name, link))
        {
            found.push(Named::Link(link.into()));
        }
    }
    let obstacles = checker.obstacles().map(Body::name).filter(|obstacle| matches_pattern(name, obstacle));
    found.extend(obstacles.map(|obstacle| Named::Obstacle(obstacle.into())));
    found
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
