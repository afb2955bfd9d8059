//! The motion and the place of a robot, as given on the command line, and its surroundings from a scene file.

use std::path::Path;
use std::time::Instant;

use clap::{Args, ValueEnum};
use firsttouch::Options;
use firsttouch::articulated::{Checker, Grasp, Robot};
use firsttouch::motion::Pose;
use firsttouch_io::{Files, Interpolation, RobotFile, STANDARD_INPUT, Scenery, parse_scene_for};

use crate::input::is_standard_input;
use crate::output::{Failure, complain};

/// The motion of a robot between waypoints, its place, and its distance from obstacles.
#[derive(Debug, Clone, Args)]
pub(crate) struct CourseArgs {
    /// How the joints move between waypoints; cubic needs columns JOINT/velocity
    #[arg(long, value_enum, default_value_t = InterpolationArg::Linear)]
    pub(crate) interpolation: InterpolationArg,
    #[command(flatten)]
    pub(crate) stance: StanceArgs,
}

/// The place of a robot, and its distance from obstacles.
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
    /// Returns the given options as words of a command line, without those at their defaults.
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

/// A robot among its surroundings.
pub(crate) struct Surroundings {
    pub(crate) checker: Checker,
    pub(crate) grasps: Vec<Grasp>,
    pub(crate) options: Options,
    /// The time at which all motions of the scene end.
    pub(crate) duration: f64,
    /// The seconds for building the checker, after all files were read.
    pub(crate) build_seconds: f64,
}

impl Surroundings {
    /// Reads the surroundings of a robot. The planes of its model are there even without a scene.
    pub(crate) fn read(
        files: &Files,
        file: &RobotFile,
        (robot, scenery): (Robot, &[Scenery]),
        scene: Option<&Path>,
        stance: &StanceArgs,
    ) -> Result<Surroundings, Failure> {
        let base = stance.base.as_deref().map_or(Ok(Pose::IDENTITY), pose)?;
        let around = match scene {
            None => firsttouch_io::Surroundings::empty(&file.path),
            Some(path) => {
                let (bytes, path) = if is_standard_input(path) {
                    (files.read_standard_input()?, Path::new(STANDARD_INPUT))
                } else {
                    (files.read_bytes(path)?, path)
                };
                files.surroundings(&robot, parse_scene_for(&bytes, path, robot.name())?, path)?
            }
        };
        for warning in &around.warnings {
            complain(&format!("warning: {warning}"));
        }
        let (options, duration, start) = (around.options, around.duration, Instant::now());
        let (mut checker, grasps) = around.checker(robot, base, scenery)?;
        let build_seconds = start.elapsed().as_secs_f64();
        checker.set_padding(stance.padding)?;
        for padding in &stance.link_padding {
            let split = padding.split_once('=').and_then(|(link, by)| Some((link, by.parse::<f64>().ok()?)));
            let (link, by) = split
                .ok_or_else(|| Failure::Other(format!("--link-padding: \"{padding}\" is not LINK=LENGTH")))?;
            checker.set_link_padding(link, by)?;
        }
        Ok(Surroundings { checker, grasps, options, duration, build_seconds })
    }
}

/// Returns a pose from six numbers.
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
