//! The joints of a robot as they were described, for callers that export the robot or build it again.

use super::model::{Joint, JointKind, Mimic, Robot};

impl Robot {
    /// Returns the joint that carries a link, in the form that [`Robot::new`] takes; `None` for the root. The limits of a joint that mimics
    /// another are those of the other. [`Robot::new`] with the links and joints of a robot, in their order, builds the same robot again,
    /// except for its attached bodies and its allowed pairs.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, Mimic, Robot};
    /// use firsttouch::motion::Pose;
    /// use glam::DVec3;
    /// let finger = |name: &str, mimic: Option<Mimic>| Joint {
    ///     name: format!("{name}_joint"),
    ///     parent: "hand".into(),
    ///     child: name.into(),
    ///     origin: Pose::IDENTITY,
    ///     kind: JointKind::Prismatic { axis: DVec3::Y },
    ///     limits: Some([0.0, 0.04]),
    ///     mimic,
    /// };
    /// let follows = Mimic { joint: "left_joint".into(), multiplier: -1.0, offset: 0.0 };
    /// let joints = vec![finger("left", None), finger("right", Some(follows))];
    /// let links = ["hand", "left", "right"].map(|name| (name.to_string(), vec![]));
    /// let robot = Robot::new("gripper", links.into(), joints.clone())?;
    /// assert_eq!(robot.joint_of(0), None);
    /// assert_eq!(robot.joint_of(1).as_ref(), Some(&joints[0]));
    /// assert_eq!(robot.joint_of(2).as_ref(), Some(&joints[1]));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn joint_of(&self, link: usize) -> Option<Joint> {
        let child = self.links().get(link)?;
        let joint = child.joint()?;
        let has_one_variable = matches!(joint.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
        let variable = if has_one_variable { self.variables().get(joint.variable) } else { None };
        let leader = variable.filter(|variable| variable.name != joint.name);
        let (multiplier, offset) = joint.scale;
        Some(Joint {
            name: joint.name.clone(),
            parent: self.links()[joint.parent].name().into(),
            child: child.name().into(),
            origin: joint.origin,
            kind: joint.kind,
            limits: variable.and_then(|variable| variable.limits),
            mimic: leader.map(|leader| Mimic { joint: leader.name.clone(), multiplier, offset }),
        })
    }
}
