//! Links and joints with masses: their poses, velocities, momenta and energy.
//!
//! # Configurations and speeds
//! A configuration is one of the [`Robot`]. Speeds have one number for a joint that turns or slides, and six for a
//! floating one: the spatial velocity of its link, whose derivative is the spatial acceleration.
//!
//! Reference: Featherstone 2008, "Rigid Body Dynamics Algorithms", chapters 3 and 4.

use firsttouch::articulated::{Joint, JointKind, Robot};
use firsttouch::motion::{Linear, Pose, PoseAt, RigidMotion};
use firsttouch::shape::Shape;
use firsttouch::{Error, Result};
use glam::{DMat3, DQuat, DVec3};

use super::articulated_body::Factored;
use super::spatial::{Inertia, Twist, Wrench};
use crate::Frame;
use crate::mass::MassProperties;

/// A robot with masses.
#[derive(Debug, Clone)]
pub struct Linkage {
    robot: Robot,
    nodes: Vec<Node>,
    speeds: usize,
}

/// A link with the joint that carries it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Node {
    pub(super) parent: Option<usize>,
    origin: PoseAt,
    pub(super) freedom: Freedom,
    /// The first of its variables, and of its speeds.
    pub(super) variable: usize,
    pub(super) speed: usize,
    mass: f64,
    center: DVec3,
    /// The inertia about the centre of mass, in the link's axes.
    inertia: DMat3,
    pub(super) law: JointLaw,
}

/// The freedom of a link relative to its parent. Axes have unit length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Freedom {
    Fixed,
    Turn(DVec3),
    Slide(DVec3),
    Floating,
}

/// The torque of a joint, or its force if it slides: `−damping q' − stiffness (q − rest)`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLaw {
    /// The torque per speed, against the speed.
    pub damping: f64,
    /// The torque per distance, towards the rest position.
    pub stiffness: f64,
    /// The rest position.
    pub rest: f64,
}

impl Linkage {
    /// Creates a linkage from a robot whose links are as heavy as their parts: meshes, filled with a material of the
    /// given density. The joints are those from which the robot was built. Links without parts have no mass. Joints
    /// that mimic another, planar joints, and floating ones on a link that moves are refused.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot};
    /// use firsttouch::motion::Pose;
    /// use firsttouch_scenes::{dynamics::Linkage, shapes::box_surface};
    /// use glam::{dvec3, DVec3};
    /// // A rod of length 1 that hangs, at an angle of 0.3, on a pivot: q'' = -(3 g / 2) sin q for a thin one.
    /// let rod = box_surface(dvec3(1e-3, 1e-3, 1.0))?;
    /// let part = LinkPart { shape: rod.into(), pose: Pose::from_translation(DVec3::Z * -0.5)? };
    /// let pivot = Joint {
    ///     name: "pivot".into(), parent: "wall".into(), child: "rod".into(), origin: Pose::IDENTITY,
    ///     kind: JointKind::Revolute { axis: DVec3::Y }, limits: None, mimic: None,
    /// };
    /// let links = vec![("wall".into(), vec![]), ("rod".into(), vec![part])];
    /// let robot = Robot::new("pendulum", links, vec![pivot.clone()])?;
    /// let rod = Linkage::new(robot, &[pivot], 1.0)?;
    /// let acceleration = rod.accelerations(&[0.3], &[0.0], DVec3::Z * -10.0)?[0];
    /// assert!((acceleration + 15.0 * 0.3_f64.sin()).abs() < 1e-4);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(robot: Robot, joints: &[Joint], density: f64) -> Result<Linkage> {
        let mut nodes: Vec<Node> = Vec::with_capacity(robot.links().len());
        let mut speeds = 0;
        for link in robot.links() {
            let (mass, center, inertia) = mass_of(link.parts(), density)?;
            let mut node = Node {
                parent: link.parent(),
                origin: Pose::IDENTITY.at(),
                freedom: Freedom::Fixed,
                variable: 0,
                speed: speeds,
                mass,
                center,
                inertia,
                law: JointLaw::default(),
            };
            if let Some(parent) = link.parent() {
                let unknown =
                    || Error::UnknownName { name: format!("the joint that carries {}", link.name()) };
                let joint = joints.iter().find(|joint| joint.child == link.name()).ok_or_else(unknown)?;
                node.origin = joint.origin.at();
                let refused = |what: &str| {
                    Err(Error::Unsupported { what: format!("{what} (\"{}\") in dynamics", joint.name) })
                };
                if joint.mimic.is_some() {
                    return refused("joints that mimic another");
                }
                let variable = |suffix: &str| {
                    let name = format!("{}{suffix}", joint.name);
                    robot.variable(&name).ok_or(Error::UnknownName { name })
                };
                let moves = |node: &Node| node.freedom != Freedom::Fixed;
                match joint.kind {
                    JointKind::Fixed => {}
                    JointKind::Revolute { axis } => {
                        (node.freedom, node.variable) = (Freedom::Turn(axis.normalize()), variable("")?);
                        speeds += 1;
                    }
                    JointKind::Prismatic { axis } => {
                        (node.freedom, node.variable) = (Freedom::Slide(axis.normalize()), variable("")?);
                        speeds += 1;
                    }
                    JointKind::Floating => {
                        if ancestors(&nodes, parent).any(|i| moves(&nodes[i])) {
                            return refused("floating joints on a link that moves");
                        }
                        (node.freedom, node.variable) = (Freedom::Floating, variable("/trans_x")?);
                        speeds += 6;
                    }
                    JointKind::Planar { .. } => return refused("planar joints"),
                    _ => return refused("joints of this kind"),
                }
            }
            nodes.push(node);
        }
        Ok(Linkage { robot, nodes, speeds })
    }

    /// Returns the robot.
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// Returns the mass of all links together.
    pub fn mass(&self) -> f64 {
        self.nodes.iter().map(|node| node.mass).sum()
    }

    /// Returns the number of speeds.
    pub fn speeds(&self) -> usize {
        self.speeds
    }

    /// Returns the joints that can be active or rigid, as indices of the links they carry.
    pub fn joints(&self) -> Vec<usize> {
        (0..self.nodes.len()).filter(|&i| self.nodes[i].is_joint()).collect()
    }

    /// Sets the law of all revolute and prismatic joints. Refuses negative and infinite numbers.
    pub fn set_law(&mut self, law: JointLaw) -> Result<()> {
        for (what, value) in [("damping", law.damping), ("stiffness", law.stiffness)] {
            if !(0.0..1e100).contains(&value) {
                return Err(Error::OutOfRange {
                    what: format!("joint {what}"),
                    expected: "zero or more",
                    value,
                });
            }
        }
        self.nodes.iter_mut().for_each(|node| node.law = law);
        Ok(())
    }

    /// Makes a configuration the rest position of all joints.
    pub fn rest_at(&mut self, configuration: &[f64]) -> Result<()> {
        self.refuse_wrong_length(configuration.len(), self.robot.variables().len(), "joint values")?;
        for node in self.nodes.iter_mut().filter(|node| node.is_joint()) {
            node.law.rest = configuration[node.variable];
        }
        Ok(())
    }

    /// Returns the accelerations of all joints under gravity and their own laws.
    pub fn accelerations(&self, configuration: &[f64], speeds: &[f64], gravity: DVec3) -> Result<Vec<f64>> {
        self.refuse_wrong_length(configuration.len(), self.robot.variables().len(), "joint values")?;
        self.refuse_wrong_length(speeds.len(), self.speeds, "speeds")?;
        let placed = self.place(configuration);
        let forces: Vec<Wrench> = (0..self.nodes.len()).map(|i| self.weight(&placed, i, gravity)).collect();
        let mut torques = self.joint_torques(configuration);
        for node in self.nodes.iter().filter(|node| node.is_joint()) {
            torques[node.speed] -= node.law.damping * speeds[node.speed];
        }
        let active = vec![true; self.nodes.len()];
        let factored = Factored::new(self, &placed, &active, |_| 0.0);
        Ok(factored.forward(speeds, &forces, &torques))
    }

    /// Returns the poses of the links.
    ///
    /// ```
    /// let chain = firsttouch_scenes::adaptive::pendulum(500)?.linkage;
    /// // Straight down: the frame of the last of 30 balls is on the centre of the one before, 29 spacings of 0.1 below.
    /// let poses = chain.link_poses(&chain.robot().zero())?;
    /// assert!((poses[30].translation.z + 2.9).abs() < 1e-12);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn link_poses(&self, configuration: &[f64]) -> Result<Vec<PoseAt>> {
        self.refuse_wrong_length(configuration.len(), self.robot.variables().len(), "joint values")?;
        Ok(self.place(configuration).poses)
    }

    /// Returns all meshes in a configuration.
    pub fn frame(&self, configuration: &[f64]) -> Result<Frame> {
        let mut frame = Frame::default();
        for (link, pose) in self.robot.links().iter().zip(self.link_poses(configuration)?) {
            for part in link.parts() {
                if let Shape::Mesh(mesh) = &part.shape {
                    let placed = compose(&pose, &part.pose.at());
                    frame.add(mesh, &Pose::new(placed.translation, DQuat::from_mat3(&placed.rotation))?);
                }
            }
        }
        Ok(frame)
    }

    /// Returns the configuration at `t` on the way from one to another, by the robot's own motion: joints at constant
    /// rates, floating ones on a straight line and turning the shorter way.
    pub fn between(&self, from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
        if t <= 0.0 || t >= 1.0 {
            return if t <= 0.0 { from.to_vec() } else { to.to_vec() };
        }
        let mut at: Vec<f64> = from.iter().zip(to).map(|(from, to)| from + (to - from) * t).collect();
        for node in self.nodes.iter().filter(|node| node.freedom == Freedom::Floating) {
            let quaternion = node.variable + 3..node.variable + 7;
            if from[quaternion.clone()] != to[quaternion.clone()] {
                let [start, end] = [from, to].map(|values| turned(&values[quaternion.clone()]));
                let turned = DQuat::from_mat3(&Linear::new(start, end).pose_at(t).rotation).normalize();
                at[quaternion].copy_from_slice(&turned.to_array());
            }
        }
        at
    }

    /// Returns the differences of two configurations: `(variable, from, to)`, with all variables of a joint that moves.
    pub(super) fn moved(&self, from: &[f64], to: &[f64]) -> Vec<(usize, f64, f64)> {
        let mut moved = Vec::new();
        for node in self.nodes.iter().filter(|node| node.freedom != Freedom::Fixed) {
            let variables = node.variable..node.variable + node.variables();
            if from[variables.clone()] != to[variables.clone()] {
                moved.extend(variables.map(|i| (i, from[i], to[i])));
            }
        }
        moved
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns frames, axes and inertias in the world.
    pub(super) fn place(&self, configuration: &[f64]) -> PlacedLinks {
        let mut placed = PlacedLinks::default();
        for node in &self.nodes {
            let parent = node.parent.map_or(Pose::IDENTITY.at(), |parent| placed.poses[parent]);
            let joint = compose(&parent, &node.origin);
            let value = configuration.get(node.variable).copied().unwrap_or(0.0);
            let (pose, axis) = match node.freedom {
                Freedom::Fixed => (joint, Twist::default()),
                Freedom::Turn(axis) => {
                    let turned = joint.rotation * DMat3::from_axis_angle(axis, value);
                    let axis = Twist::about(joint.rotation * axis, joint.translation);
                    (PoseAt { rotation: turned, ..joint }, axis)
                }
                Freedom::Slide(axis) => {
                    let along = joint.rotation * axis;
                    (PoseAt { translation: joint.translation + along * value, ..joint }, Twist::along(along))
                }
                Freedom::Floating => {
                    let values = &configuration[node.variable..node.variable + 7];
                    let rotation = DMat3::from_quat(DQuat::from_slice(&values[3..]).normalize());
                    let local = PoseAt { rotation, translation: DVec3::from_slice(values) };
                    (compose(&joint, &local), Twist::default())
                }
            };
            let center = pose.apply(node.center);
            let turned = pose.rotation * node.inertia * pose.rotation.transpose();
            placed.poses.push(pose);
            placed.axes.push(axis);
            placed.centers.push(center);
            placed.inertias.push(Inertia::rigid(node.mass, center, turned));
        }
        placed
    }

    /// Returns the rates of the variables at these speeds.
    pub(super) fn rates(&self, placed: &PlacedLinks, configuration: &[f64], speeds: &[f64]) -> Vec<f64> {
        let mut rates = vec![0.0; configuration.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            match node.freedom {
                Freedom::Fixed => {}
                Freedom::Turn(_) | Freedom::Slide(_) => rates[node.variable] = speeds[node.speed],
                Freedom::Floating => {
                    let velocity = Twist::from_slice(&speeds[node.speed..]);
                    let parent = node.parent.map_or(Pose::IDENTITY.at(), |parent| placed.poses[parent]);
                    let joint = compose(&parent, &node.origin);
                    let linear = joint.direction_to_body(velocity.at(placed.poses[i].translation));
                    let angular = joint.direction_to_body(velocity.angular);
                    let turn = DQuat::from_slice(&configuration[node.variable + 3..]);
                    let rate = DQuat::from_xyzw(angular.x, angular.y, angular.z, 0.0) * turn * 0.5;
                    rates[node.variable..node.variable + 3].copy_from_slice(&linear.to_array());
                    rates[node.variable + 3..node.variable + 7].copy_from_slice(&rate.to_array());
                }
            }
        }
        rates
    }

    /// Normalises the quaternions of floating joints.
    pub(super) fn normalize(&self, configuration: &mut [f64]) {
        for node in self.nodes.iter().filter(|node| node.freedom == Freedom::Floating) {
            let quaternion = &mut configuration[node.variable + 3..node.variable + 7];
            let unit = DQuat::from_slice(quaternion).normalize();
            quaternion.copy_from_slice(&unit.to_array());
        }
    }

    /// Returns the velocities of the links.
    pub(super) fn velocities(&self, placed: &PlacedLinks, speeds: &[f64]) -> Vec<Twist> {
        let mut velocities: Vec<Twist> = Vec::with_capacity(self.nodes.len());
        for (i, node) in self.nodes.iter().enumerate() {
            let parent = node.parent.map_or(Twist::default(), |parent| velocities[parent]);
            velocities.push(match node.freedom {
                Freedom::Fixed => parent,
                Freedom::Turn(_) | Freedom::Slide(_) => parent + placed.axes[i] * speeds[node.speed],
                Freedom::Floating => Twist::from_slice(&speeds[node.speed..]),
            });
        }
        velocities
    }

    /// Returns the generalised momenta `M q'`.
    pub(super) fn momenta(&self, placed: &PlacedLinks, speeds: &[f64]) -> Vec<f64> {
        let velocities = self.velocities(placed, speeds);
        let mut carried: Vec<Wrench> =
            velocities.iter().zip(&placed.inertias).map(|(&velocity, &inertia)| inertia * velocity).collect();
        let mut momenta = vec![0.0; self.speeds];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            match node.freedom {
                Freedom::Floating => {
                    let Wrench { moment, force } = carried[i];
                    momenta[node.speed..node.speed + 3].copy_from_slice(&moment.to_array());
                    momenta[node.speed + 3..node.speed + 6].copy_from_slice(&force.to_array());
                }
                Freedom::Turn(_) | Freedom::Slide(_) => momenta[node.speed] = placed.axes[i].dot(carried[i]),
                Freedom::Fixed => {}
            }
            if let Some(parent) = node.parent {
                let inwards = carried[i];
                carried[parent] += inwards;
            }
        }
        momenta
    }

    /// Returns, for each joint, the inertia about its axis of everything that it carries.
    pub(super) fn carried_inertia(&self, placed: &PlacedLinks) -> Vec<f64> {
        let mut carried = placed.inertias.clone();
        let mut about = vec![0.0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            about[i] = placed.axes[i].dot(carried[i] * placed.axes[i]);
            if let Some(parent) = node.parent {
                let inwards = carried[i];
                carried[parent] += inwards;
            }
        }
        about
    }

    pub(super) fn kinetic_energy(&self, placed: &PlacedLinks, speeds: &[f64]) -> f64 {
        let velocities = self.velocities(placed, speeds);
        velocities.iter().zip(&placed.inertias).map(|(&v, &inertia)| 0.5 * v.dot(inertia * v)).sum()
    }

    /// Returns the energy of gravity and of the joints' springs.
    pub(super) fn potential_energy(
        &self,
        placed: &PlacedLinks,
        configuration: &[f64],
        gravity: DVec3,
    ) -> f64 {
        let of_weight: f64 = self
            .nodes
            .iter()
            .zip(&placed.centers)
            .map(|(node, center)| -node.mass * gravity.dot(*center))
            .sum();
        let of_joints: f64 = self
            .nodes
            .iter()
            .filter(|node| node.is_joint())
            .map(|node| 0.5 * node.law.stiffness * (configuration[node.variable] - node.law.rest).powi(2))
            .sum();
        of_weight + of_joints
    }

    pub(super) fn weight(&self, placed: &PlacedLinks, link: usize, gravity: DVec3) -> Wrench {
        Wrench::at(gravity * self.nodes[link].mass, placed.centers[link])
    }

    /// Returns the torques of the joints' springs, one for each speed.
    pub(super) fn joint_torques(&self, configuration: &[f64]) -> Vec<f64> {
        let mut torques = vec![0.0; self.speeds];
        for node in self.nodes.iter().filter(|node| node.is_joint()) {
            torques[node.speed] = -node.law.stiffness * (configuration[node.variable] - node.law.rest);
        }
        torques
    }

    fn refuse_wrong_length(&self, length: usize, expected: usize, what: &str) -> Result<()> {
        if length == expected {
            return Ok(());
        }
        let what = format!("number of {what}");
        Err(Error::OutOfRange { what, expected: "what the linkage has", value: length as f64 })
    }
}

impl Node {
    pub(super) fn is_joint(&self) -> bool {
        matches!(self.freedom, Freedom::Turn(_) | Freedom::Slide(_))
    }

    pub(super) fn variables(&self) -> usize {
        match self.freedom {
            Freedom::Fixed => 0,
            Freedom::Turn(_) | Freedom::Slide(_) => 1,
            Freedom::Floating => 7,
        }
    }
}

/// A configuration in the world, link by link.
#[derive(Debug, Clone, Default)]
pub(super) struct PlacedLinks {
    pub(super) poses: Vec<PoseAt>,
    /// `S`; unused for floating and fixed joints.
    pub(super) axes: Vec<Twist>,
    pub(super) inertias: Vec<Inertia>,
    centers: Vec<DVec3>,
}

/// Returns the mass, the centre of mass and the inertia about it of a link, in its frame.
fn mass_of(parts: &[firsttouch::articulated::LinkPart], density: f64) -> Result<(f64, DVec3, DMat3)> {
    let mut placed = Vec::with_capacity(parts.len());
    for part in parts {
        let Shape::Mesh(mesh) = &part.shape else {
            let what = format!("{} as a part of a link in dynamics: a mesh is needed", part.shape.kind());
            return Err(Error::Unsupported { what });
        };
        let MassProperties { mass, center, inertia } = MassProperties::new(mesh, density)?;
        let pose = part.pose.at();
        placed.push((mass, pose.apply(center), pose.rotation * inertia * pose.rotation.transpose()));
    }
    let mass: f64 = placed.iter().map(|part| part.0).sum();
    if mass == 0.0 {
        return Ok((0.0, DVec3::ZERO, DMat3::ZERO));
    }
    let center = placed.iter().map(|&(mass, center, _)| center * mass).sum::<DVec3>() / mass;
    let mut inertia = DMat3::ZERO;
    for (mass, part_center, about_center) in placed {
        // Steiner's theorem: m (|a|² 1 − a aᵀ) for a part at a distance a from the centre.
        let arm = part_center - center;
        let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        inertia += about_center + (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * mass;
    }
    Ok((mass, center, inertia))
}

/// Returns a link and its ancestors.
fn ancestors(nodes: &[Node], link: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(link), |&i| nodes[i].parent)
}

/// Returns the pose at the origin with the rotation of four numbers.
fn turned(quaternion: &[f64]) -> Pose {
    Pose::new(DVec3::ZERO, DQuat::from_slice(quaternion)).unwrap_or(Pose::IDENTITY)
}

fn compose(outer: &PoseAt, inner: &PoseAt) -> PoseAt {
    PoseAt { rotation: outer.rotation * inner.rotation, translation: outer.apply(inner.translation) }
}
