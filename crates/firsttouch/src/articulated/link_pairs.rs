//! Finds the pairs of links of a robot that need no check against each other, and the reason for each.
//!
//! 1. *Adjacent*: a joint connects them. They are meant to touch there.
//! 2. *Rigid*: only fixed joints lie between them. One distance, computed once, tells whether they touch always or
//!    never.
//! 3. *Samples.* All other pairs are checked in seeded random configurations within the limits of the joints: they
//!    touch in all of them, in some, or in none.
//! 4. *Proof.* If a pair touched in none, branch and bound over the joints between the two links tries to prove that it
//!    never touches within the limits.
//!
//! **The proof.** Take a box of joint values with the centre `c`, and the distance `d` of the two links there, rounded
//! down. Seen from their last common ancestor, moving joint `i` by `δ` moves no point of a link behind it by more than
//! `δ ℓ`, where `ℓ` is an upper bound of the point's distance from the joint, the same for all configurations: the sum
//! of the lengths of the joints in between, of the farthest slides, and of the reach of the link's shapes. A slide
//! moves everything by `δ`. So with the half widths `h_i` of the box, the links are apart in all of it if
//! **`d > Σ h_i ℓ_i`**, summed over the joints on both sides. If not, the box is halved along the joint with the
//! largest term.
//!
//! **Guarantee.** "Never, proven" is a proof for all values within the limits of the joints, and all angles of joints
//! without limits. All other findings from samples are observations, not proofs.

use std::collections::HashMap;

use super::checker::Checker;
use crate::answer::Answer;
use crate::error::{Error, Result};
use crate::motion::Pose;
use crate::numerics::bound::upper_max;
use crate::options::Options;
use crate::questions::reach;
use crate::robot::{JointKind, LinkPart, Robot};

/// The finding about a pair of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PairFinding {
    /// A joint connects them.
    Adjacent,
    /// Only fixed joints lie between them, and they touch.
    RigidTouching,
    /// Only fixed joints lie between them, and they are proven apart.
    RigidApart,
    /// They touched in all samples.
    AlwaysSeen,
    /// Proven never to touch within the limits of the joints.
    NeverProven,
    /// They touched in no sample, and no proof was found that they never do.
    NeverSeen,
    /// They touched in some samples, or the search for a proof found a configuration in which they touch.
    Sometimes,
}

/// A pair of links with shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkPair {
    /// The indices of the links, the lower one first.
    pub links: [usize; 2],
    /// The finding about them.
    pub finding: PairFinding,
}

/// The effort of a survey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurveyOptions {
    /// The number of random configurations; at least 1.
    pub samples: usize,
    /// The seed of the random numbers. The same seed gives the same result.
    pub seed: u64,
    /// The number of boxes of joint values that the proof of one pair may examine.
    pub boxes: usize,
}

impl Default for SurveyOptions {
    fn default() -> SurveyOptions {
        SurveyOptions { samples: 1000, seed: 0, boxes: 2000 }
    }
}

impl Robot {
    /// Returns the findings about all pairs of links with shapes, in the order of their indices. They include the pairs
    /// that are allowed to touch.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, LinkPart, PairFinding, Robot, SurveyOptions};
    /// use firsttouch::motion::Pose;
    /// use firsttouch::shape::Sphere;
    /// use glam::DVec3;
    /// // Three balls of radius 0.4 in a row, one apart; the second and the third turn about z by up to a radian.
    /// let ball = || vec![LinkPart { shape: Sphere::new(0.4).unwrap().into(), pose: Pose::IDENTITY }];
    /// let links = ["a", "b", "c"].map(|name| (name.to_string(), ball()));
    /// let joint = |parent: &str, child: &str| Joint {
    ///     name: child.into(),
    ///     parent: parent.into(),
    ///     child: child.into(),
    ///     origin: Pose::from_translation(DVec3::X).unwrap(),
    ///     kind: JointKind::Revolute { axis: DVec3::Z },
    ///     limits: Some([-1.0, 1.0]),
    ///     mimic: None,
    /// };
    /// let robot = Robot::new("row", links.into(), vec![joint("a", "b"), joint("b", "c")])?;
    /// let found: Vec<_> = robot.survey_pairs(&SurveyOptions::default())?.iter().map(|pair| pair.finding).collect();
    /// // The first and the third are at least sqrt(2 + 2 cos 1) = 1.75 apart.
    /// assert_eq!(found, [PairFinding::Adjacent, PairFinding::NeverProven, PairFinding::Adjacent]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn survey_pairs(&self, options: &SurveyOptions) -> Result<Vec<LinkPair>> {
        if options.samples == 0 {
            return Err(Error::OutOfRange {
                what: "number of samples".into(),
                expected: "at least 1",
                value: 0.0,
            });
        }
        let mut draw = Draw(options.seed);
        let samples: Vec<Vec<f64>> = (0..options.samples).map(|_| draw.configuration(self)).collect();
        let solid: Vec<usize> =
            (0..self.links().len()).filter(|&i| !self.links()[i].parts().is_empty()).collect();
        let mut pairs = Vec::new();
        for (n, &a) in solid.iter().enumerate() {
            for &b in &solid[n + 1..] {
                pairs.push(LinkPair { links: [a, b], finding: self.finding(a, b, &samples, options.boxes)? });
            }
        }
        Ok(pairs)
    }

    fn finding(&self, a: usize, b: usize, samples: &[Vec<f64>], boxes: usize) -> Result<PairFinding> {
        let is_child = |child: usize, parent: usize| self.links()[child].parent() == Some(parent);
        if is_child(a, b) || is_child(b, a) {
            return Ok(PairFinding::Adjacent);
        }
        let alone = Alone::new(self, a, b)?;
        let between = Between::new(self, a, b);
        if between.joints.is_empty() {
            let touches = alone.touches(&self.zero())?;
            return Ok(if touches { PairFinding::RigidTouching } else { PairFinding::RigidApart });
        }
        let (mut touched, mut apart) = (false, false);
        for sample in samples {
            if alone.touches(sample)? {
                touched = true;
            } else {
                apart = true;
            }
            if touched && apart {
                return Ok(PairFinding::Sometimes);
            }
        }
        if touched {
            return Ok(PairFinding::AlwaysSeen);
        }
        between.prove(self, &alone, boxes)
    }
}

/// The robot with the shapes of two links only, which are checked against each other.
struct Alone(Checker);

impl Alone {
    fn new(robot: &Robot, a: usize, b: usize) -> Result<Alone> {
        let keep = |i: usize| i == a || i == b;
        let links = robot.links().iter().enumerate().map(|(i, link)| {
            let parts: Vec<LinkPart> = if keep(i) { link.parts().to_vec() } else { Vec::new() };
            (link.name().to_string(), parts)
        });
        let joints = (0..robot.links().len()).filter_map(|link| robot.joint_of(link)).collect();
        let stripped = Robot::new(robot.name(), links.collect(), joints)?;
        Ok(Alone(Checker::new(stripped, Pose::IDENTITY, Vec::new())?))
    }

    /// Returns true if the two links touch, or are within the tolerance. An undecided answer counts as a touch.
    fn touches(&self, configuration: &[f64]) -> Result<bool> {
        Ok(self.0.check_state(configuration, &Options::default())?.answer != Answer::Free)
    }

    /// Returns a lower bound of their distance.
    fn distance(&self, configuration: &[f64]) -> Result<f64> {
        let found = self.0.distance(configuration, &Options::default())?;
        // Without a pair to measure nothing is known.
        Ok(found.map_or(0.0, |found| found.lower))
    }
}

/// A joint between two links, as the proof sees it.
struct MovingJoint {
    variable: usize,
    /// An upper bound of the way of a point of the link, per unit of the variable; infinite if there is no bound.
    lever: f64,
}

/// The joints between two links.
struct Between {
    joints: Vec<MovingJoint>,
    /// The ranges of the variables of these joints; `None` if one has no range that can be searched.
    ranges: Option<HashMap<usize, [f64; 2]>>,
}

impl Between {
    fn new(robot: &Robot, a: usize, b: usize) -> Between {
        let top = robot.common_ancestor(a, b);
        let mut between = Between { joints: Vec::new(), ranges: Some(HashMap::new()) };
        for end in [a, b] {
            let parts = robot.links()[end].parts();
            let far = parts.iter().map(|part| part.pose.translation().length() + reach(&part.shape));
            // The distance of the farthest point of the link from the current joint.
            let mut lever = far.fold(0.0, upper_max);
            let mut link = end;
            while link != top {
                let Some(joint) = robot.links()[link].joint() else { break };
                let (factor, offset) = joint.scale;
                let range = between.range(robot, link, joint.variable, &joint.kind);
                let slide = match (joint.kind, range) {
                    (JointKind::Fixed, _) => 0.0,
                    (JointKind::Revolute { .. }, _) => {
                        let lever = lever * factor.abs();
                        between.joints.push(MovingJoint { variable: joint.variable, lever });
                        0.0
                    }
                    (JointKind::Prismatic { .. }, Some([low, high])) => {
                        let lever = factor.abs();
                        between.joints.push(MovingJoint { variable: joint.variable, lever });
                        upper_max(low.abs(), high.abs()) * factor.abs() + offset.abs()
                    }
                    (_, _) => {
                        between.ranges = None;
                        between.joints.push(MovingJoint { variable: joint.variable, lever: f64::INFINITY });
                        f64::INFINITY
                    }
                };
                // Rounded up generously: these are a dozen operations.
                lever = (lever + joint.origin.translation().length() + slide) * (1.0 + 1e-12);
                link = joint.parent;
            }
        }
        between
    }

    /// Returns the range of a joint's variable, which is kept for the search.
    fn range(&mut self, robot: &Robot, link: usize, variable: usize, kind: &JointKind) -> Option<[f64; 2]> {
        let of_variable = match kind {
            JointKind::Revolute { .. } | JointKind::Prismatic { .. } => robot.variables()[variable].limits,
            JointKind::Fixed => return None,
            JointKind::Planar { .. } | JointKind::Floating | JointKind::Ball => {
                self.ranges = None;
                return None;
            }
        };
        let is_own = robot.joint_of(link).is_some_and(|joint| joint.mimic.is_none());
        let range = match of_variable.filter(|range| range.iter().all(|end| end.is_finite())) {
            // Limits that are far wider than a turn are as good as none.
            Some(range) => Some(range),
            // All angles of a joint that follows none.
            None if is_own && matches!(kind, JointKind::Revolute { .. }) => {
                let half = std::f64::consts::PI.next_up();
                Some([-half, half])
            }
            None => None,
        };
        match (range, &mut self.ranges) {
            (Some(range), Some(ranges)) => {
                ranges.insert(variable, range);
            }
            (None, _) => self.ranges = None,
            (Some(_), None) => {}
        }
        range
    }

    fn prove(&self, robot: &Robot, alone: &Alone, boxes: usize) -> Result<PairFinding> {
        let Some(ranges) = &self.ranges else { return Ok(PairFinding::NeverSeen) };
        let mut variables: Vec<usize> = ranges.keys().copied().collect();
        variables.sort_unstable();
        // Movement of the two links towards each other, per unit of each variable.
        let levers: Vec<f64> = variables
            .iter()
            .map(|&v| self.joints.iter().filter(|joint| joint.variable == v).map(|joint| joint.lever).sum())
            .collect();
        let mut configuration = robot.zero();
        let mut open: Vec<Vec<[f64; 2]>> = vec![variables.iter().map(|v| ranges[v]).collect()];
        let mut seen = 0;
        while let Some(values) = open.pop() {
            seen += 1;
            if seen > boxes {
                return Ok(PairFinding::NeverSeen);
            }
            let mut moved = 0.0;
            let mut widest = (0, f64::NEG_INFINITY);
            for (k, &[low, high]) in values.iter().enumerate() {
                let middle = 0.5 * (low + high);
                configuration[variables[k]] = middle;
                // The half width, from the rounded middle to the farther end.
                let half = upper_max(high - middle, middle - low) * (1.0 + 1e-12);
                let by = half * levers[k];
                moved += by;
                if by > widest.1 {
                    widest = (k, by);
                }
            }
            let distance = alone.distance(&configuration)?;
            if distance > moved * (1.0 + 1e-12) {
                continue;
            }
            if distance <= 0.0 && alone.touches(&configuration)? {
                return Ok(PairFinding::Sometimes);
            }
            let [low, high] = values[widest.0];
            let middle = 0.5 * (low + high);
            if middle.is_nan() || middle <= low || middle >= high {
                return Ok(PairFinding::NeverSeen);
            }
            for half in [[low, middle], [middle, high]] {
                let mut values = values.clone();
                values[widest.0] = half;
                open.push(values);
            }
        }
        Ok(PairFinding::NeverProven)
    }
}

/// Random numbers that are the same everywhere.
struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        // SplitMix64: every seed is a good one.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a configuration within the limits. Angles without limits are in one turn, other values without limits
    /// within 1 of zero.
    fn configuration(&mut self, robot: &Robot) -> Vec<f64> {
        let mut values = robot.zero();
        for link in robot.links() {
            let Some(joint) = link.joint() else { continue };
            let first = joint.variable;
            match joint.kind {
                JointKind::Fixed => {}
                JointKind::Revolute { .. } | JointKind::Prismatic { .. } => {
                    let turns = matches!(joint.kind, JointKind::Revolute { .. });
                    let widest = if turns { std::f64::consts::PI } else { 1.0 };
                    let limits = robot.variables()[first].limits.unwrap_or([-widest, widest]);
                    let [low, high] = [limits[0], limits[1]].map(|end| end.clamp(-1e3, 1e3));
                    values[first] = low + (high - low) * self.unit();
                }
                JointKind::Planar { .. } => {
                    values[first] = 2.0 * self.unit() - 1.0;
                    values[first + 1] = 2.0 * self.unit() - 1.0;
                    values[first + 2] = std::f64::consts::PI * (2.0 * self.unit() - 1.0);
                }
                JointKind::Floating | JointKind::Ball => {
                    let quaternion = joint.kind.quaternion().unwrap_or(0);
                    for k in 0..quaternion {
                        values[first + k] += 2.0 * self.unit() - 1.0;
                    }
                    // Uniform in the cube, away from zero.
                    for k in quaternion..quaternion + 4 {
                        values[first + k] = 2.0 * self.unit() - 1.0 + 1e-9;
                    }
                }
            }
        }
        values
    }
}
