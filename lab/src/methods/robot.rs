//! The pipeline of CATCH and the assembly tree on a robot among obstacles, segment by segment.
//!
//! CATCH takes meshes at rest as obstacles and meshes as links. Boxes, cylinders and other solids are replaced by
//! meshes for the whole comparison: the product checks the same triangles. The assembly tree takes the shapes as they
//! are. Between two segments it keeps the list of near pairs, as in a simulation.
//!
//! References: Zhang, Redon, Lee, Kim 2007; Kim, Redon, Kim 2008.

use std::path::Path;

use firsttouch::adaptive::{Bounding, Moved, Simulated};
use firsttouch::articulated::{Checker, Joint, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::{Body, Options, Start};
use firsttouch_io::{Files, build_scene, configurations, read_scene, read_waypoints};

use super::scene::meshed;
use super::{Comparison, Decided, Outcome, Result, Row, judge, shortest};
use crate::comparison::catch::{Arithmetic, Catch, CatchStats};
use crate::papers::timed;

/// A robot, its obstacles, and its motions.
#[derive(Debug)]
pub struct RobotMotions {
    robot: Robot,
    obstacles: Vec<Body>,
    /// Each motion with its path and its number in the path.
    segments: Vec<(String, [Vec<f64>; 2])>,
    options: Options,
    warnings: Vec<String>,
}

impl RobotMotions {
    /// Reads the files.
    pub fn read(
        robot: &Path,
        waypoints: &Path,
        srdf: Option<&Path>,
        scene: Option<&Path>,
    ) -> Result<RobotMotions> {
        let files = Files::default();
        let file = files.read_robot_file(robot)?;
        let (robot, warnings) = files.robot_of(&file, srdf)?;
        let rows = read_waypoints(waypoints, &file)?;
        if rows.paths.iter().any(|path| path.polynomials.is_some()) {
            let what = "the papers' methods take straight motions between waypoints, and this file gives polynomials";
            return Err(format!("{}: {what}: write its waypoints", waypoints.display()).into());
        }
        let mut segments = Vec::new();
        for (k, path) in configurations(&robot, &rows, waypoints)?.iter().enumerate() {
            let named = |(i, ends): (usize, &[Vec<f64>])| {
                (format!("path {} segment {}", k + 1, i + 1), [ends[0].clone(), ends[1].clone()])
            };
            segments.extend(path.windows(2).enumerate().map(named));
        }
        if segments.is_empty() {
            return Err(format!("{}: a motion needs two waypoints", waypoints.display()).into());
        }
        let (mut obstacles, mut options) = (Vec::new(), Options::default());
        if let Some(path) = scene {
            let scene = read_scene(path)?;
            options = Options { t_max: 1.0, ..scene.options() };
            obstacles = build_scene(&scene, path)?.bodies().to_vec();
            if options.start != Start::Report {
                let what = "the papers' methods report contacts at the start: remove the key `start`";
                return Err(format!("{}: {what}", path.display()).into());
            }
        }
        let warnings = warnings.iter().map(ToString::to_string).collect();
        Ok(RobotMotions { robot, obstacles, segments, options, warnings })
    }

    /// Runs CATCH: dynamic boxes by Taylor models, hull trees, directed bounds.
    pub(super) fn catch(&self, out: &mut Comparison) -> Result<()> {
        let (robot, mut changed) = of_meshes(&self.robot)?;
        let mut obstacles = Vec::new();
        for body in &self.obstacles {
            let Some((shape, motion @ Motion::Fixed(_))) = body.as_rigid() else {
                return Err(format!(
                    "the pipeline takes obstacles at rest, and \"{}\" ({}) is not: remove it from the scene",
                    body.name(),
                    body.kind_name()
                )
                .into());
            };
            let (mesh, is_new) = meshed(body.name(), shape)?;
            changed += usize::from(is_new);
            obstacles.push(Body::new(body.name(), mesh, motion.clone()));
        }
        out.notes.extend(self.warnings.iter().cloned());
        if changed > 0 {
            out.notes.push(format!(
                "catch: {changed} solids are replaced by meshes of their surfaces, for both sides"
            ));
        }
        let paper = Catch::new(&robot, &obstacles)?;
        let product = Checker::new(robot.clone(), Pose::IDENTITY, obstacles.clone())?;
        for (input, [from, to]) in &self.segments {
            let run = || {
                let mut stats = CatchStats::default();
                paper
                    .check(from, to, &self.options, Arithmetic::Taylor, &mut stats)
                    .map(|found| (found, stats))
            };
            let (found, micros) = shortest(run);
            let ((t, touches), stats) = found?;
            let outcome = if touches { Outcome::Touch(t) } else { Outcome::Free };
            let counts = format!(
                "pairs {} > {} > {}, nodes {}, triangles {}",
                stats.before, stats.spatial, stats.temporal, stats.node_pairs, stats.leaf_pairs
            );
            let paper = Decided { outcome, micros, counts };
            out.rows.push(self.row("catch", input, [from, to], paper, &product)?);
        }
        Ok(())
    }

    /// Runs the assembly tree, with intervals.
    pub(super) fn adaptive(&self, out: &mut Comparison) -> Result<()> {
        let (robot, obstacles) = (self.robot.clone(), self.obstacles.clone());
        let start = self.segments[0].1[0].clone();
        let mut paper = Simulated::new(robot.clone(), Pose::IDENTITY, obstacles.clone(), start)?
            .with_bounding(Bounding::Interval)?;
        let product = Checker::new(robot, Pose::IDENTITY, obstacles)?;
        for (input, [from, to]) in &self.segments {
            // Returns the variables that move, and the variables whose value after the last segment is different.
            let state = paper.configuration();
            let differs = |i: &usize| from[*i] != to[*i] || from[*i] != state[*i];
            let moved: Vec<Moved> = (0..from.len())
                .filter(differs)
                .map(|variable| Moved { variable, from: from[variable], to: to[variable] })
                .collect();
            let mut copies = vec![paper.clone(); 2];
            let (found, mut micros) = timed(|| paper.step(&moved, &self.options));
            let found = found?;
            for copy in &mut copies {
                micros = micros.min(timed(|| copy.step(&moved, &self.options)).1);
            }
            paper.accept(1.0)?;
            let counts = format!(
                "joints {}, transforms {}, pairs {} > {}, volumes {}",
                found.joints,
                found.transforms.total(),
                found.near_pairs,
                found.close_pairs,
                found.work.volume_pairs
            );
            let paper = Decided { outcome: Outcome::from(&found.answer), micros, counts };
            out.rows.push(self.row("adaptive", input, [from, to], paper, &product)?);
        }
        Ok(())
    }

    /// Returns the product's answer beside the paper's.
    fn row(
        &self,
        method: &'static str,
        input: &str,
        [from, to]: [&Vec<f64>; 2],
        paper: Decided,
        checker: &Checker,
    ) -> Result<Row> {
        let (report, micros) = shortest(|| checker.check_step(from, to, &self.options));
        let report = report?;
        let outcome = Outcome::from(&report.answer);
        let agreement = judge([paper.outcome, outcome], &self.options, |options| {
            Ok(checker.check_step(from, to, options)?.answer.free_until(1.0))
        })?;
        let counts = format!(
            "pairs {} > {} > {}, volumes {}",
            report.pairs, report.close_pairs, report.work.opened, report.work.volume_pairs
        );
        let product = Decided { outcome, micros, counts };
        Ok(Row { method, input: input.into(), paper, product, agreement })
    }
}

/// Returns the robot with meshes in place of other shapes, and the number of shapes that were replaced.
fn of_meshes(robot: &Robot) -> Result<(Robot, usize)> {
    let mut changed = 0;
    let mut links = Vec::new();
    for link in robot.links() {
        let mut parts = Vec::new();
        for part in link.parts() {
            let (shape, is_new) = meshed(link.name(), &part.shape)?;
            changed += usize::from(is_new);
            parts.push(LinkPart { shape, pose: part.pose });
        }
        links.push((link.name().to_string(), parts));
    }
    if changed == 0 {
        return Ok((robot.clone(), 0));
    }
    let joints: Vec<Joint> = (0..links.len()).filter_map(|link| robot.joint_of(link)).collect();
    let names: Vec<String> = links.iter().map(|(name, _)| name.clone()).collect();
    let mut meshes = Robot::new(robot.name(), links, joints)?;
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate().skip(i + 1) {
            if robot.is_allowed(i, j) {
                meshes.allow(a, b)?;
            }
        }
    }
    // Links come with parents first, so that the variables keep their order.
    if meshes.variables().iter().zip(robot.variables()).any(|(a, b)| a.name != b.name) {
        return Err("the robot with meshes has its variables in another order: please report this".into());
    }
    meshes.set_zero(&robot.zero())?;
    Ok((meshes, changed))
}
