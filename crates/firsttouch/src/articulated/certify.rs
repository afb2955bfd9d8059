//! Certificates of a robot among obstacles.

use super::Checker;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::body::{Body, BodyKind};
use crate::certificate::{Certificate, StatedBody, Statement, StatementBuilder};
use crate::error::{Error, Result};
use crate::robot::{RobotPath, RobotStep, Trajectory};
use crate::world::padded;

impl Checker {
    /// Checks a motion from one configuration to another, and proves that nothing touches until the time that is
    /// found. The proof can be written, and verified without this library; see docs/certificates.md. Obstacles are
    /// not checked against each other, and the statement says so.
    ///
    /// Returns an error that names the pair if there is no such proof: the pair touches at the start, passes within
    /// rounding, or has no closed form.
    ///
    /// ```
    /// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
    /// use firsttouch::motion::{Motion, Pose};
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{Body, Options};
    /// use glam::DVec3;
    /// // A ball of radius 1 on a rail along x, and another one at x = 10.
    /// let ball = || Sphere::new(1.0);
    /// let rail = Joint {
    ///     name: "rail".into(), parent: "base".into(), child: "car".into(), origin: Pose::IDENTITY,
    ///     kind: JointKind::Prismatic { axis: DVec3::X }, limits: None, mimic: None,
    /// };
    /// let car = LinkPart { shape: ball()?.into(), pose: Pose::IDENTITY };
    /// let robot = Robot::new("train", vec![("base".into(), vec![]), ("car".into(), vec![car])], vec![rail])?;
    /// let end = Body::new("end", ball()?, Motion::fixed(Pose::from_translation(DVec3::X * 10.0)?));
    /// let checker = Checker::new(robot, Pose::IDENTITY, vec![end])?;
    /// assert_eq!(checker.certify_step(&[0.0], &[7.5], &Options::default())?.free_until(), 1.0);
    /// assert_eq!(checker.certify_path(&[vec![0.0], vec![4.0], vec![-3.0]], &Options::default())?.free_until(), 1.0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn certify_step<'a>(&self, from: &[f64], to: &[f64], ask: impl Into<Ask<'a>>) -> Result<Certificate> {
        let ask: Ask<'_> = ask.into();
        let answer = self.check_step(from, to, ask)?.answer;
        let statement = self.statement_of_step(from, to, ask)?;
        Certificate::before(statement, answer.free_until(ask.options.t_max), &ask)
    }

    /// Does the same for a path through waypoints. All of its segments must be free. Each takes the same part of the
    /// time from 0 to 1. Refuses obstacles that move if there are several segments: each segment has a clock of its
    /// own.
    pub fn certify_path<'a>(&self, waypoints: &[Vec<f64>], ask: impl Into<Ask<'a>>) -> Result<Certificate> {
        let ask: Ask<'_> = ask.into();
        for (segment, pair) in waypoints.windows(2).enumerate() {
            if self.check_step(&pair[0], &pair[1], ask)?.answer != Answer::Free {
                let what = format!("a certificate of a path whose segment {segment} is not free");
                return Err(Error::Unsupported { what });
            }
        }
        let statement = self.statement_of_path(waypoints, ask)?;
        Certificate::before(statement, 1.0, &ask)
    }

    /// Does the same along a trajectory. Obstacles move on its clock. The certificate ends before the first touch.
    pub fn certify_along<'a>(&self, trajectory: &Trajectory, ask: impl Into<Ask<'a>>) -> Result<Certificate> {
        let ask: Ask<'_> = ask.into();
        let report = self.check_trajectory(trajectory, ask, |_| ())?;
        let until = report.segment.map_or(1.0, |segment| {
            let [start, end] = trajectory.span(segment);
            // Three roundings of numbers up to 1.
            start + (end - start) * report.answer.free_until(1.0) - 4.0 * f64::EPSILON
        });
        let statement = self.statement_along(trajectory, ask)?;
        Certificate::before(statement, until, &ask)
    }

    /// Returns the statement that a certificate of a trajectory proves; see [`Checker::certify_along`].
    pub fn statement_along<'a>(&self, trajectory: &Trajectory, ask: impl Into<Ask<'a>>) -> Result<Statement> {
        let path = RobotPath::new(self.shared_robot().clone(), self.base(), trajectory.clone())?;
        self.statement_of(Body::robot_along(self.robot().name(), path), &ask.into())
    }

    /// Returns the statement that a certificate of a motion proves; see [`Scene::statement`](crate::Scene::statement).
    pub fn statement_of_step<'a>(
        &self,
        from: &[f64],
        to: &[f64],
        ask: impl Into<Ask<'a>>,
    ) -> Result<Statement> {
        let step = RobotStep::new(self.shared_robot().clone(), self.base(), from.to_vec(), to.to_vec())?;
        self.statement_of(Body::robot(self.robot().name(), step), &ask.into())
    }

    /// Returns the statement that a certificate of a path proves; see [`Checker::certify_path`].
    pub fn statement_of_path<'a>(
        &self,
        waypoints: &[Vec<f64>],
        ask: impl Into<Ask<'a>>,
    ) -> Result<Statement> {
        let moves = |body: &&Body| !body.is_at_rest();
        if let Some(body) = self.obstacles().find(moves).filter(|_| waypoints.len() > 2) {
            let what = format!(
                "a certificate of a path of several segments beside \"{}\", which moves",
                body.name()
            );
            return Err(Error::Unsupported { what });
        }
        let times: Vec<f64> = (0..waypoints.len()).map(|k| k as f64).collect();
        let trajectory = Trajectory::linear(self.robot(), &times, waypoints)?;
        self.statement_along(&trajectory, ask)
    }

    fn statement_of(&self, robot: Body, ask: &Ask<'_>) -> Result<Statement> {
        let (checker, ask) = self.asked(*ask, "a certificate of a robot")?;
        ask.options.validate()?;
        let mut builder = StatementBuilder::default();
        let StatedBody::Robot(own) = builder.add(&robot)? else {
            return Err(Error::Unsupported { what: "a certificate of a robot that is none".into() });
        };
        let mut obstacles = Vec::new();
        for body in checker.obstacles() {
            match builder.add(body)? {
                StatedBody::Whole(part) => obstacles.push(part),
                StatedBody::Robot(_) | StatedBody::Attached => {
                    let what = format!("a certificate with \"{}\" as an obstacle", body.name());
                    return Err(Error::Unsupported { what });
                }
            }
        }
        let model = checker.robot();
        let reasons = [
            "parts of one link",
            "links joined by a joint",
            "allowed to touch",
            "obstacles are not checked against each other",
        ];
        let mut unchecked = reasons.map(|why| (String::from(why), Vec::new()));
        let mut separations = Vec::new();
        let mut note = |pair: [usize; 2], separation: f64| {
            if separation != ask.options.min_separation {
                separations.push((pair, separation));
            }
        };
        for (k, ([link, _], part)) in own.iter().enumerate() {
            for ([other, _], second) in &own[k + 1..] {
                let pair = [*part, *second];
                let parent = |link: usize| model.links()[link].parent();
                let reason = match () {
                    () if link == other => Some(0),
                    () if parent(*link) == Some(*other) || parent(*other) == Some(*link) => Some(1),
                    () if model.is_allowed(*link, *other) => Some(2),
                    () => None,
                };
                let links = [Some(*link as u32), Some(*other as u32)];
                match reason {
                    Some(reason) => unchecked[reason].1.push(pair),
                    None => {
                        let kept = checker.own_rule().separation_within(links);
                        note(pair, kept.unwrap_or(ask.options.min_separation));
                    }
                }
            }
            for (index, obstacle) in obstacles.iter().enumerate() {
                let (pair, links) = ([*part, *obstacle], [Some(*link as u32), None]);
                let rule = checker.rule_of(index);
                if rule.allows(links) {
                    unchecked[2].1.push(pair);
                } else {
                    let kept = rule.separation(links).unwrap_or(ask.options.min_separation);
                    note(pair, padded(kept, checker.padding().of_link(*link as u32)));
                }
            }
        }
        for (k, body) in checker.obstacles().enumerate() {
            let first = k + usize::from(!matches!(body.kind(), BodyKind::Deforming(_)));
            unchecked[3].1.extend(obstacles[first..].iter().map(|other| [obstacles[k], *other]));
        }
        Ok(builder.end(ask.options.min_separation, separations, unchecked.into()))
    }
}
