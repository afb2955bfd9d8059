//! Bounds how much closer two bodies can come in a step: the travel of each joint that moves.
//!
//! Let `x` and `y` be points of two links. Seen from the last link that both hang on, the velocity of `x` is the sum of
//! the contributions of the joints on its way. Let `ω` and `v` be the angular velocity of a joint and the velocity of
//! its frame's origin `o`, both in the frame before the joint. Its contribution is `v + ω × (x − o)`, at most
//! `|v| + |ω| ρ` with `ρ` the *reach* of everything that the joint carries, measured from `o`. The same holds for `y`.
//! So in a step the distance of `x` and `y` changes by at most the sum of the *travels* `|v| + |ω| ρ` of the joints
//! between the two links; joints that both hang on do not count.
//!
//! The reach of a joint is the largest of its own link's parts and, for every joint on that link, the length of the way
//! to that joint's frame and the reach from there. Only joints that slide change such a length. The largest length
//! until now is kept, and doubled when it is exceeded: then the reaches before it are computed again, which happens
//! once in a while.
//!
//! So a reach holds for every configuration so far, and for all options.
//!
//! All numbers are rounded up. A bound that overflows or is NaN makes a travel from which nothing follows.

use crate::numerics::bound::upper_max;
use crate::numerics::rounding::{UNIT, up};
use crate::robot::{JointMotion, Robot};

/// Products and sums of a few terms are rounded up by this factor.
const UP: f64 = 1.0 + 16.0 * UNIT;

/// The reaches of a robot's joints, by the links that they carry.
#[derive(Debug, Clone)]
pub(super) struct Reaches {
    /// Of the link's own parts, from the link's origin.
    own: Vec<f64>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// An upper bound of the distance of the link's origin from its parent's.
    lengths: Vec<f64>,
    /// Of the link and everything behind it, from the link's origin.
    reach: Vec<f64>,
}

impl Reaches {
    /// `own` are the reaches of the links' own parts, and `joint` are the joints where they are now.
    pub(super) fn new(robot: &Robot, own: Vec<f64>, joint: impl Fn(usize) -> f64) -> Reaches {
        let parents: Vec<Option<usize>> = robot.links().iter().map(|link| link.parent()).collect();
        let mut children = vec![Vec::new(); parents.len()];
        for (link, parent) in parents.iter().enumerate() {
            if let Some(parent) = parent {
                children[*parent].push(link);
            }
        }
        let lengths: Vec<f64> = (0..parents.len()).map(joint).collect();
        let mut reaches = Reaches { reach: own.clone(), own, parents, children, lengths };
        // Parents come before their children.
        for link in (0..reaches.own.len()).rev() {
            reaches.reach[link] = reaches.reach_of(link);
        }
        reaches
    }

    fn reach_of(&self, link: usize) -> f64 {
        let behind = |&child: &usize| up(self.lengths[child] + self.reach[child]);
        self.children[link].iter().map(behind).fold(self.own[link], upper_max)
    }

    /// Makes the reaches valid for a joint with this motion.
    pub(super) fn cover(&mut self, link: usize, moves: &JointMotion) {
        let length = moves.length();
        if length <= self.lengths[link] {
            return;
        }
        self.lengths[link] = 2.0 * length;
        let mut next = self.parents[link];
        while let Some(link) = next {
            self.reach[link] = self.reach_of(link);
            next = self.parents[link];
        }
    }

    /// The reach of everything that a joint carries.
    pub(super) fn behind(&self, link: usize) -> f64 {
        self.reach[link]
    }

    /// The travel of a joint that moves in a step. It includes the errors of the joint's rates, so it is not 0 if these
    /// are computed as 0.
    pub(super) fn travel(&self, link: usize, moves: &JointMotion) -> f64 {
        let (turning, speed) = moves.rates();
        (speed + turning * self.reach[link]) * UP
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Pose;
    use crate::robot::{Joint, JointKind};
    use glam::DVec3;

    /// Three links on a line, the last of which slides: the reach of the first joint covers the farthest place of the
    /// slide.
    #[test]
    fn a_reach_follows_a_slide() {
        let joint = |i: usize, kind: JointKind| Joint {
            name: format!("joint{i}"),
            parent: format!("link{}", i - 1),
            child: format!("link{i}"),
            origin: Pose::from_translation(DVec3::X).unwrap(),
            kind,
            limits: None,
            mimic: None,
        };
        let links = (0..3).map(|i| (format!("link{i}"), vec![])).collect();
        let joints = vec![
            joint(1, JointKind::Revolute { axis: DVec3::Z }),
            joint(2, JointKind::Prismatic { axis: DVec3::X }),
        ];
        let robot = Robot::new("crane", links, joints).unwrap();
        let motion = |link: usize, from: &[f64], to: &[f64]| match robot.links()[link].joint() {
            None => JointMotion::still(Pose::IDENTITY),
            Some(joint) => JointMotion::of(joint, from, to).unwrap(),
        };
        let zero = [0.0, 0.0];
        let mut reaches = Reaches::new(&robot, vec![0.5; 3], |link| motion(link, &zero, &zero).length());
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(reaches.behind(2), 0.5) && near(reaches.behind(1), 1.5) && near(reaches.behind(0), 2.5));
        // A quarter of a radian about the first joint moves the last link by at most 0.25 · 1.5.
        assert!(near(reaches.travel(1, &motion(1, &zero, &[0.25, 0.0])), 0.375));
        assert!(near(reaches.travel(2, &motion(2, &zero, &zero)), 0.0));
        // The slide goes out by 3: 4 from joint to joint, kept as 8.
        let out = motion(2, &zero, &[0.0, 3.0]);
        reaches.cover(2, &out);
        assert!(near(reaches.travel(2, &out), 3.0));
        assert!(near(reaches.behind(1), 8.5) && near(reaches.behind(0), 9.5));
    }
    /// A free body that turns by the last bit of its quaternion. The quotient of the two orientations is computed as no
    /// turn at all, but many such steps add up to a turn: each must count.
    #[test]
    fn a_turn_that_is_computed_as_none_is_a_travel() {
        let joint = Joint {
            name: "free".into(),
            parent: "world".into(),
            child: "body".into(),
            origin: Pose::IDENTITY,
            kind: JointKind::Floating,
            limits: None,
            mimic: None,
        };
        let links = vec![("world".into(), vec![]), ("body".into(), vec![])];
        let robot = Robot::new("free", links, vec![joint]).unwrap();
        let joint = robot.links()[1].joint().unwrap();
        let reaches = Reaches::new(&robot, vec![1.0; 2], |_| 0.0);
        let mut lost = 0;
        for k in 0..2000 {
            let x = 0.01 + f64::from(k) * 1e-5;
            let at = |x: f64| [0.0, 0.0, 0.0, x, 0.57, 0.57, 0.57];
            let (from, to) = (at(x), at(x.next_up()));
            let moves = JointMotion::of(joint, &from, &to).unwrap();
            // The part of the turn about x alone: twice the change of a quaternion of length 0.99.
            let turn = 1.9 * (x.next_up() - x);
            assert!(reaches.travel(1, &moves) > turn, "{x}");
            lost += usize::from(moves.is_computed_at_rest());
        }
        assert!(lost > 10, "{lost}");
    }
}
