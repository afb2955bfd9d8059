//! The configurations of a robot that a planner searches: the range of each joint, a measure of distance, and straight
//! ways.
//!
//! Every range counts as one unit of length, so that metres and radians can be added. An orientation counts as one unit
//! from a quarter turn (chord of its quaternion, scaled). Distances and ways only steer the search; nothing is proven
//! with them.

use std::f64::consts::PI;

use super::random::Random;
use crate::articulated::{JointKind, Robot};
use crate::error::{Error, Result, bounded};

/// The configurations of a robot within the ranges of its joints.
///
/// ```
/// use firsttouch::articulated::{Joint, JointKind, Robot};
/// use firsttouch::motion::Pose;
/// use firsttouch::planning::Space;
/// use glam::DVec3;
/// let slide = Joint {
///     name: "slide".into(),
///     parent: "rail".into(),
///     child: "cart".into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis: DVec3::X },
///     limits: None,
///     mimic: None,
/// };
/// let robot = Robot::new("slider", vec![("rail".into(), vec![]), ("cart".into(), vec![])], vec![slide])?;
/// // A slide without limits needs a range.
/// assert!(Space::new(&robot, [&[0.0], &[1.0]], &[]).is_err());
/// let space = Space::new(&robot, [&[0.0], &[1.0]], &[("slide", [-2.0, 2.0])])?;
/// // One quarter of the range.
/// assert_eq!(space.distance(&[0.0], &[1.0]), 0.25);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    names: Vec<String>,
    /// The range of each variable. Those of orientations are not used.
    ranges: Vec<[f64; 2]>,
    /// The index of the first of the four numbers of each orientation.
    orientations: Vec<usize>,
    /// For each variable, whether it is a part of an orientation.
    is_turned: Vec<bool>,
}

impl Space {
    /// The space of a robot that contains two configurations. A joint's range is the one given for its variable,
    /// otherwise its limits. A turn without limits may go half a turn beyond both configurations. Returns an error for
    /// a slide without limits or range, and for a configuration outside a range.
    pub fn new(robot: &Robot, ends: [&[f64]; 2], ranges: &[(&str, [f64; 2])]) -> Result<Space> {
        ends.iter().try_for_each(|end| robot.validate(end))?;
        let variables = robot.variables();
        let mut given: Vec<Option<[f64; 2]>> = variables.iter().map(|variable| variable.limits).collect();
        for &(name, [low, high]) in ranges {
            let variable = robot.variable(name).ok_or_else(|| Error::UnknownName { name: name.into() })?;
            bounded(|| format!("lower end of the range of \"{name}\""), low)?;
            bounded(|| format!("upper end of the range of \"{name}\""), high)?;
            given[variable] = Some([low, high]);
        }
        let mut is_angle = vec![false; variables.len()];
        let mut is_turned = vec![false; variables.len()];
        let mut orientations = Vec::new();
        for joint in (0..robot.links().len()).filter_map(|link| robot.joint_of(link)) {
            let first = |suffix: &str| robot.variable(&format!("{}{suffix}", joint.name));
            match joint.kind {
                JointKind::Revolute { .. } if joint.mimic.is_none() => {
                    first("").into_iter().for_each(|i| is_angle[i] = true);
                }
                JointKind::Planar { .. } => first("/theta").into_iter().for_each(|i| is_angle[i] = true),
                JointKind::Floating => {
                    if let Some(i) = first("/rot_x") {
                        orientations.push(i);
                        is_turned[i..i + 4].fill(true);
                    }
                }
                _ => {}
            }
        }
        let mut found = Vec::with_capacity(variables.len());
        for (i, variable) in variables.iter().enumerate() {
            let (low, high) = (ends[0][i].min(ends[1][i]), ends[0][i].max(ends[1][i])); // not a bound: where to sample
            found.push(match given[i] {
                _ if is_turned[i] => [-1.0, 1.0],
                Some(range) => range,
                None if is_angle[i] => [low - PI, high + PI],
                None => {
                    return Err(Error::Unsupported {
                        what: format!(
                            "planning with \"{}\", which slides without limits: its range must be given",
                            variable.name
                        ),
                    });
                }
            });
        }
        let names = variables.iter().map(|variable| variable.name.clone()).collect();
        let space = Space { names, ranges: found, orientations, is_turned };
        space.validate(ends)?;
        Ok(space)
    }

    /// Returns the difference from another space in words, or `None` if they are the same.
    pub(super) fn difference(&self, other: &Space) -> Option<String> {
        if self.names.len() != other.names.len() {
            return Some(format!("that has {} variables, this has {}", self.names.len(), other.names.len()));
        }
        for i in 0..self.names.len() {
            let (name, range) = (&self.names[i], self.ranges[i]);
            if other.names[i] != *name {
                return Some(format!("variable {i} is \"{name}\" there, \"{}\" here", other.names[i]));
            }
            if other.is_turned[i] != self.is_turned[i] {
                return Some(format!("\"{name}\" is a part of an orientation in one of the two"));
            }
            if other.ranges[i] != range {
                let ([a, b], [c, d]) = (range, other.ranges[i]);
                return Some(format!("\"{name}\" goes from {a} to {b} there, from {c} to {d} here"));
            }
        }
        (self != other).then(|| "the orientations are others".into())
    }

    /// Returns the range of a variable, in the order of [`Robot::variables`].
    pub fn range(&self, variable: usize) -> [f64; 2] {
        self.ranges[variable]
    }

    /// Rejects configurations outside the ranges.
    pub(super) fn validate(&self, ends: [&[f64]; 2]) -> Result<()> {
        for (end, which) in ends.into_iter().zip(["start", "goal"]) {
            if end.len() != self.ranges.len() {
                return Err(Error::OutOfRange {
                    what: format!("number of joint values of the {which}"),
                    expected: "one per variable of the robot",
                    value: end.len() as f64,
                });
            }
            for (i, &value) in end.iter().enumerate() {
                let [low, high] = self.ranges[i];
                if !self.is_turned[i] && !(low..=high).contains(&value) {
                    return Err(Error::OutOfRange {
                        what: format!("\"{}\" of the {which} (range {low} to {high})", self.names[i]),
                        expected: "within its range",
                        value,
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns the distance of two configurations. Half an infinite range is still infinite, so nothing here is proven.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut square = 0.0;
        for i in 0..self.ranges.len() {
            let width = self.ranges[i][1] - self.ranges[i][0];
            if !self.is_turned[i] && width > 0.0 {
                let part = (a[i] - b[i]) / width;
                square += part * part;
            }
        }
        for &i in &self.orientations {
            // |q - r|² of unit quaternions is 2 - 2 |q·r|: 2 - √2 for a quarter turn.
            let cosine = dot(&a[i..i + 4], &b[i..i + 4]).abs() / (norm(&a[i..i + 4]) * norm(&b[i..i + 4]));
            square += ((2.0 - 2.0 * cosine) / (2.0 - 2.0_f64.sqrt())).max(0.0); // not a bound: which node is tried
        }
        square.sqrt()
    }

    /// The factors that turn differences of variables into parts of a distance; `None` if there are orientations.
    pub(super) fn factors(&self) -> Option<Vec<f32>> {
        let factor = |[low, high]: &[f64; 2]| if high > low { (1.0 / (high - low)) as f32 } else { 0.0 };
        self.orientations.is_empty().then(|| self.ranges.iter().map(factor).collect())
    }

    /// Returns the length of a path.
    pub fn length(&self, waypoints: &[Vec<f64>]) -> f64 {
        waypoints.windows(2).map(|ends| self.distance(&ends[0], &ends[1])).sum()
    }

    /// Returns the configuration at a share of the way from `a` to `b`: exactly `a` for 0 and exactly `b` for 1.
    /// Orientations in between are near those of the motion, not on it.
    pub fn between(&self, a: &[f64], b: &[f64], share: f64) -> Vec<f64> {
        if share >= 1.0 {
            return b.to_vec();
        }
        if share <= 0.0 {
            return a.to_vec();
        }
        let mut at: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + (b - a) * share).collect();
        for &i in &self.orientations {
            let (from, to) = (&a[i..i + 4], &b[i..i + 4]);
            let sign = if dot(from, to) < 0.0 { -1.0 } else { 1.0 };
            let (from_norm, to_norm) = (norm(from), sign * norm(to));
            let mut mixed: [f64; 4] =
                std::array::from_fn(|k| (1.0 - share) * from[k] / from_norm + share * to[k] / to_norm);
            let length = norm(&mixed);
            mixed.iter_mut().for_each(|x| *x /= length);
            at[i..i + 4].copy_from_slice(&mixed);
        }
        at
    }

    /// A random configuration, uniform in the ranges.
    pub(super) fn sample(&self, random: &mut Random) -> Vec<f64> {
        let mut values: Vec<f64> = self.ranges.iter().map(|&range| random.between(range)).collect();
        for &i in &self.orientations {
            values[i..i + 4].copy_from_slice(&random.orientation());
        }
        values
    }

    /// A random configuration in which some joints are anywhere in their ranges and all others between two given
    /// configurations: few joints are as likely as many.
    ///
    /// If a robot has many joints, a few of them suffice to get it around an obstacle, and a random configuration of
    /// all joints is seldom free.
    pub(super) fn sample_some(&self, random: &mut Random, [a, b]: [&[f64]; 2]) -> Vec<f64> {
        let all = self.sample(random);
        let mut values = self.between(a, b, random.between([0.0, 1.0]));
        let share = random.between([0.0, 1.0]) * random.between([0.0, 1.0]);
        for i in 0..values.len() {
            if !self.is_turned[i] && random.between([0.0, 1.0]) < share {
                values[i] = all[i];
            }
        }
        for &i in &self.orientations {
            if random.between([0.0, 1.0]) < share {
                values[i..i + 4].copy_from_slice(&all[i..i + 4]);
            }
        }
        values
    }

    /// Returns true if random configurations of all joints are seldom of use, because the robot has many joints.
    pub(super) fn is_wide(&self) -> bool {
        self.ranges.len() >= WIDE
    }
}

/// With this number of variables or more, every other sample moves some joints only.
const WIDE: usize = 10;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Quaternions need not have unit length.
fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
