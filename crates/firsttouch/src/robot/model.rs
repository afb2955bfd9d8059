//! A robot: a tree of links, each with convex or mesh parts, joined by joints.
//!
//! Links are kept in an order in which every parent comes before its children. A configuration is one number per
//! [`Variable`], in the order of [`Robot::variables`]; joints that mimic another have no variable.

use std::collections::{HashMap, HashSet};

use super::few_balls::CachedBalls;
use super::joint::{Joint, JointKind, LinkJoint, Variable};
use crate::answer::{LinkPiece, Part};
use crate::ellipsoid::{CoverOptions, CoverPiece, cover_all};
use crate::error::{Error, Result, bounded, positive};
use crate::motion::Pose;
use crate::shape::Shape;

/// A robot: a tree of links.
///
/// ```
/// use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
/// use firsttouch::motion::{Motion, Pose};
/// use firsttouch::shape::Sphere;
/// use firsttouch::{Body, Options, glam::DVec3};
/// // A slide along x carries a ball of radius 1 from x = 0 to x = 8, towards a ball at x = 6: they touch at x = 4.
/// let slide = Joint {
///     name: "slide".into(),
///     parent: "rail".into(),
///     child: "hand".into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Prismatic { axis: DVec3::X },
///     limits: Some([0.0, 8.0]),
///     mimic: None,
/// };
/// let ball = LinkPart { shape: Sphere::new(1.0)?.into(), pose: Pose::IDENTITY };
/// let robot = Robot::new("crane", vec![("rail".into(), vec![]), ("hand".into(), vec![ball])], vec![slide])?;
/// let post = Body::new("post", Sphere::new(1.0)?, Motion::fixed(Pose::from_translation(DVec3::X * 6.0)?));
/// let checker = Checker::new(robot, Pose::IDENTITY, vec![post])?;
/// let answer = checker.check_step(&[0.0], &[8.0], &Options::default())?.answer;
/// assert!((answer.free_until(1.0) - 0.5).abs() < 1e-6);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Robot {
    name: String,
    pub(super) links: Vec<Link>,
    variables: Vec<Variable>,
    /// Pairs of links that are not checked against each other, lower index first.
    pub(super) allowed: HashSet<[usize; 2]>,
    /// The links and the variables in the order of their names.
    pub(super) links_by_name: Vec<usize>,
    variables_by_name: Vec<usize>,
}

/// A rigid part of a robot.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub(super) name: String,
    pub(super) parts: Vec<LinkPart>,
    /// The joint that connects the link to its parent; `None` for the root.
    pub(super) joint: Option<LinkJoint>,
    /// True if the link is an attached body.
    pub(super) is_attached: bool,
    pub(super) few_balls: CachedBalls,
}

/// A shape fixed to a link.
///
/// ```
/// use firsttouch::articulated::{LinkPart, Robot};
/// use firsttouch::motion::Pose;
/// use firsttouch::shape::Cylinder;
/// use glam::DVec3;
/// // A cylinder that stands on the origin of its link.
/// let can = LinkPart { shape: Cylinder::new(1.0, 2.0)?.into(), pose: Pose::from_translation(DVec3::Z)? };
/// let robot = Robot::new("can", vec![("can".into(), vec![can])], vec![])?;
/// assert_eq!(robot.links()[0].parts().len(), 1);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPart {
    /// The shape of the part.
    pub shape: Shape,
    /// The pose of the part in the link's frame.
    pub pose: Pose,
}

impl LinkPart {
    /// Rejects a shape that has no end.
    pub(super) fn check(&self, link: &str) -> Result<()> {
        if self.shape.is_unbounded() {
            let what = format!("a {} as a part of \"{link}\"", self.shape.kind());
            return Err(Error::Unsupported { what });
        }
        Ok(())
    }
}

impl Robot {
    /// Builds a robot from links and joints. The joints must connect all links to one tree. Links connected by a joint
    /// are not checked against each other.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, Robot};
    /// use firsttouch::motion::Pose;
    /// use glam::DVec3;
    /// let elbow = Joint {
    ///     name: "elbow".into(),
    ///     parent: "upper".into(),
    ///     child: "lower".into(),
    ///     origin: Pose::IDENTITY,
    ///     kind: JointKind::Revolute { axis: DVec3::Z },
    ///     limits: None,
    ///     mimic: None,
    /// };
    /// let arm = Robot::new("arm", vec![("upper".into(), vec![]), ("lower".into(), vec![])], vec![elbow])?;
    /// assert_eq!(arm.variables()[0].name, "elbow");
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn new(
        name: impl Into<String>,
        links: Vec<(String, Vec<LinkPart>)>,
        joints: Vec<Joint>,
    ) -> Result<Robot> {
        if links.is_empty() {
            return Err(Error::Empty { what: "robot".into() });
        }
        let mut position: HashMap<String, usize> = HashMap::new();
        for (i, (name, _)) in links.iter().enumerate() {
            if position.insert(name.clone(), i).is_some() {
                return Err(Error::DuplicateName { name: name.clone() });
            }
        }
        for (name, parts) in &links {
            parts.iter().try_for_each(|part| part.check(name))?;
        }
        let order = parents_first(&links, &joints, &position)?;
        let mut joints: Vec<Option<Joint>> = joints.into_iter().map(Some).collect();
        let mut parts: Vec<Vec<LinkPart>> = links.iter().map(|(_, parts)| parts.clone()).collect();
        let mut place = vec![0; links.len()];
        for (i, &(old, _)) in order.iter().enumerate() {
            place[old] = i;
        }

        let (mut variables, mut first_variable) = (Vec::new(), HashMap::new());
        for (_, joint) in &order {
            let Some(joint) = joint.and_then(|j| joints[j].as_ref()) else { continue };
            if joint.mimic.is_none() {
                first_variable.insert(joint.name.clone(), variables.len());
                variables.extend(joint.variables());
            }
        }
        let mut built = Vec::with_capacity(links.len());
        let mut allowed = HashSet::new();
        for (i, &(old, joint)) in order.iter().enumerate() {
            let joint = match joint.and_then(|j| joints[j].take()) {
                None => None,
                Some(joint) => {
                    let parent = place[position[&joint.parent]];
                    allowed.insert([parent.min(i), parent.max(i)]);
                    Some(joint.resolve(parent, &first_variable, &variables)?)
                }
            };
            let parts = std::mem::take(&mut parts[old]);
            built.push(Link {
                name: links[old].0.clone(),
                parts,
                joint,
                is_attached: false,
                few_balls: CachedBalls::default(),
            });
        }
        let mut links_by_name: Vec<usize> = (0..built.len()).collect();
        links_by_name.sort_by(|&i, &j| built[i].name.cmp(&built[j].name));
        let mut variables_by_name: Vec<usize> = (0..variables.len()).collect();
        variables_by_name.sort_by(|&i, &j| variables[i].name.cmp(&variables[j].name));
        Ok(Robot { name: name.into(), links: built, variables, allowed, links_by_name, variables_by_name })
    }

    /// Returns the name of the robot.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the links, parents before children.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Returns the variables that make up a configuration.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns the index of the link with this name.
    pub fn link(&self, name: &str) -> Option<usize> {
        let at = self.links_by_name.partition_point(|&i| self.links[i].name.as_str() < name);
        self.links_by_name.get(at).copied().filter(|&i| self.links[i].name == name)
    }

    /// Returns the index of the variable with this name.
    pub fn variable(&self, name: &str) -> Option<usize> {
        let at = self.variables_by_name.partition_point(|&i| self.variables[i].name.as_str() < name);
        self.variables_by_name.get(at).copied().filter(|&i| self.variables[i].name == name)
    }

    /// Returns the configuration in which every variable has its default value.
    pub fn zero(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.zero).collect()
    }

    /// Sets the configuration that [`Robot::zero`] returns: the default values of the joints.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, Robot};
    /// use firsttouch::motion::Pose;
    /// let joint = Joint {
    ///     name: "neck".into(),
    ///     parent: "body".into(),
    ///     child: "head".into(),
    ///     origin: Pose::IDENTITY,
    ///     kind: JointKind::Ball,
    ///     limits: None,
    ///     mimic: None,
    /// };
    /// let mut robot = Robot::new("doll", vec![("body".into(), vec![]), ("head".into(), vec![])], vec![joint])?;
    /// // A quaternion: x, y, z, w.
    /// assert_eq!(robot.zero(), [0.0, 0.0, 0.0, 1.0]);
    /// // The head looks back.
    /// robot.set_zero(&[0.0, 0.0, 1.0, 0.0])?;
    /// assert_eq!(robot.zero(), [0.0, 0.0, 1.0, 0.0]);
    /// assert!(robot.set_zero(&[0.0; 4]).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_zero(&mut self, configuration: &[f64]) -> Result<()> {
        self.validate(configuration)?;
        for (variable, &value) in self.variables.iter_mut().zip(configuration) {
            variable.zero = value;
        }
        Ok(())
    }

    /// Sets the largest speed of a variable, per second, for trajectories within limits such as
    /// [`timed`](crate::planning::timed). Checks of motions do not use it.
    ///
    /// ```
    /// use firsttouch::articulated::{Joint, JointKind, Robot};
    /// use firsttouch::motion::Pose;
    /// use glam::DVec3;
    /// # let elbow = Joint {
    /// #     name: "elbow".into(),
    /// #     parent: "upper".into(),
    /// #     child: "lower".into(),
    /// #     origin: Pose::IDENTITY,
    /// #     kind: JointKind::Revolute { axis: DVec3::Z },
    /// #     limits: None,
    /// #     mimic: None,
    /// # };
    /// let mut arm = Robot::new("arm", vec![("upper".into(), vec![]), ("lower".into(), vec![])], vec![elbow])?;
    /// arm.limit_velocity("elbow", 2.5)?;
    /// assert_eq!(arm.variables()[0].velocity, Some(2.5));
    /// assert!(arm.limit_velocity("elbow", 0.0).is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn limit_velocity(&mut self, variable: &str, largest: f64) -> Result<()> {
        let index = self.variable(variable).ok_or_else(|| Error::UnknownName { name: variable.into() })?;
        positive(|| format!("largest velocity of \"{variable}\""), largest)?;
        self.variables[index].velocity = Some(largest);
        Ok(())
    }

    /// Returns an error if the configuration has the wrong length, if a value is not finite or too large, or if a
    /// floating joint has no orientation.
    pub fn validate(&self, configuration: &[f64]) -> Result<()> {
        if configuration.len() != self.variables.len() {
            return Err(Error::OutOfRange {
                what: "number of joint values in a configuration".into(),
                expected: "one per variable of the robot",
                value: configuration.len() as f64,
            });
        }
        for (variable, &value) in self.variables.iter().zip(configuration) {
            bounded(|| format!("joint \"{}\"", variable.name), value)?;
        }
        for joint in self.links.iter().filter_map(|link| link.joint.as_ref()) {
            match joint.kind {
                JointKind::Floating | JointKind::Ball => joint.placement(configuration).map(|_| ())?,
                JointKind::Revolute { .. } | JointKind::Prismatic { .. } => {
                    let value = joint.value(configuration);
                    bounded(|| format!("value of joint \"{}\"", joint.name), value).map(|_| ())?;
                }
                JointKind::Fixed | JointKind::Planar { .. } => {}
            }
        }
        Ok(())
    }

    /// Excludes a pair of links from every check.
    ///
    /// ```
    /// use firsttouch::articulated::Robot;
    /// let links = ["a", "b"].map(|name| (name.to_string(), vec![]));
    /// let joint = firsttouch::articulated::Joint {
    ///     name: "weld".into(),
    ///     parent: "a".into(),
    ///     child: "b".into(),
    ///     origin: firsttouch::motion::Pose::IDENTITY,
    ///     kind: firsttouch::articulated::JointKind::Fixed,
    ///     limits: None,
    ///     mimic: None,
    /// };
    /// let mut robot = Robot::new("pair", links.into(), vec![joint])?;
    /// assert!(robot.is_allowed(0, 1)); // they are joined
    /// assert!(robot.allow("a", "unknown").is_err());
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn allow(&mut self, a: &str, b: &str) -> Result<()> {
        let index = |name: &str| self.link(name).ok_or_else(|| Error::UnknownName { name: name.into() });
        let links = [index(a)?, index(b)?];
        self.allow_links(links);
        Ok(())
    }

    /// Excludes two links, by their indices, from every check against each other.
    pub(crate) fn allow_links(&mut self, [a, b]: [usize; 2]) {
        self.allowed.insert([a.min(b), a.max(b)]);
    }

    /// Returns `true` if two links are excluded from every check against each other.
    pub fn is_allowed(&self, a: usize, b: usize) -> bool {
        self.allowed.contains(&[a.min(b), a.max(b)])
    }

    /// Returns the pairs of links that are excluded from every check, in order.
    pub(crate) fn allowed(&self) -> Vec<[usize; 2]> {
        let mut pairs: Vec<[usize; 2]> = self.allowed.iter().copied().collect();
        pairs.sort_unstable();
        pairs
    }

    /// Returns the pairs of links that are excluded from every check, in no particular order.
    pub(crate) fn allowed_pairs(&self) -> impl Iterator<Item = &[usize; 2]> {
        self.allowed.iter()
    }

    /// Returns the links, ordered by the number of joints between them and the root, and then by name. This order does
    /// not depend on the order in which the links were described or attached. Inner links come first: outer links are
    /// followed from the frames of inner ones, which gives sharper bounds than the reverse.
    pub(crate) fn links_in_order(&self) -> Vec<usize> {
        let mut depths: Vec<usize> = Vec::with_capacity(self.links.len());
        for link in &self.links {
            depths.push(link.parent().map_or(0, |parent| depths[parent] + 1));
        }
        let mut order = self.links_by_name.clone();
        order.sort_by_key(|&link| depths[link]);
        order
    }

    /// Returns the number of parts that have their own frame, different from the frame of their link.
    pub(crate) fn placed_parts(&self) -> usize {
        let parts = self.links.iter().flat_map(|link| &link.parts);
        parts.filter(|part| part.pose != Pose::IDENTITY).count()
    }

    /// Returns the robot with ellipsoids instead of its shapes: for each link at most the number in the options, or one
    /// for each of its shapes. They contain the shapes, so a touch of the returned robot is never after a touch of the
    /// robot itself.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot};
    /// use firsttouch::ellipsoid::CoverOptions;
    /// use firsttouch::motion::Pose;
    /// use firsttouch::shape::Cylinder;
    /// use glam::DVec3;
    /// let can = LinkPart { shape: Cylinder::new(1.0, 2.0)?.into(), pose: Pose::from_translation(DVec3::Z * 3.0)? };
    /// let robot = Robot::new("can", vec![("base".into(), vec![can])], vec![])?;
    /// let covered = robot.covered(&CoverOptions { most: 1, ..CoverOptions::default() })?;
    /// let part = &covered.links()[0].parts()[0];
    /// assert_eq!((part.shape.kind(), part.pose.translation()), ("ellipsoid", DVec3::Z * 3.0));
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn covered(&self, options: &CoverOptions) -> Result<Robot> {
        let mut covered = self.clone();
        for link in &mut covered.links {
            let pieces = link.ellipsoids(options)?;
            link.few_balls = CachedBalls::default();
            link.parts = match &pieces[..] {
                [] => Vec::new(),
                [CoverPiece { shape, pose, .. }] => vec![LinkPart { shape: (*shape).into(), pose: *pose }],
                pieces => {
                    let placed = |piece: &CoverPiece| {
                        (Shape::from(piece.shape), piece.pose.rotation(), piece.pose.translation())
                    };
                    let shape = Shape::compound_of(&pieces.iter().map(placed).collect::<Vec<_>>())?;
                    vec![LinkPart { shape, pose: Pose::IDENTITY }]
                }
            };
        }
        Ok(covered)
    }

    /// Formats a part of the robot as a path: the name of the link, the shape if the link has several, the triangle if
    /// it is a mesh.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot};
    /// use firsttouch::motion::Pose;
    /// use firsttouch::shape::Sphere;
    /// use firsttouch::{LinkPiece, Part};
    /// let ball = LinkPart { shape: Sphere::new(0.1)?.into(), pose: Pose::IDENTITY };
    /// let robot = Robot::new("r", vec![("hand".into(), vec![ball.clone(), ball])], vec![])?;
    /// let part = Part::Link { link: 0, shape: 1, piece: LinkPiece::Solid };
    /// assert_eq!(robot.part_path(&part), "hand/shape 1");
    /// assert_eq!(robot.part_path(&Part::Triangle(7)), "tri 7");
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn part_path(&self, part: &Part) -> String {
        let Part::Link { link, shape, piece } = *part else { return part.to_string() };
        let Some(described) = self.links.get(link as usize) else { return part.to_string() };
        let mut path = described.name.clone();
        if described.parts.len() > 1 {
            path += &format!("/shape {shape}");
        }
        if let LinkPiece::Triangle(index) = piece {
            path += &format!("/tri {index}");
        }
        path
    }

    /// Returns the last common ancestor of two links, which may be one of the two.
    pub fn common_ancestor(&self, mut a: usize, mut b: usize) -> usize {
        // A parent always has the lower index.
        while a != b {
            let later = if a > b { &mut a } else { &mut b };
            *later = self.links[*later].joint.as_ref().map_or(0, |joint| joint.parent);
        }
        a
    }
}

impl Link {
    /// Returns the name of the link.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the shapes of the link.
    pub fn parts(&self) -> &[LinkPart] {
        &self.parts
    }

    /// Returns ellipsoids that contain all shapes of the link, in the link's frame; an empty list if it has no shapes.
    ///
    /// ```
    /// use firsttouch::articulated::{LinkPart, Robot};
    /// use firsttouch::ellipsoid::CoverOptions;
    /// use firsttouch::motion::Pose;
    /// use firsttouch::shape::Cylinder;
    /// use glam::DVec3;
    /// let pose = Pose::from_translation(DVec3::Z * 3.0)?;
    /// let can = LinkPart { shape: Cylinder::new(1.0, 2.0)?.into(), pose };
    /// let robot = Robot::new("can", vec![("base".into(), vec![can])], vec![])?;
    /// let ellipsoids = robot.links()[0].ellipsoids(&CoverOptions { most: 1, ..CoverOptions::default() })?;
    /// // The smallest around a cylinder has semi-axes of sqrt(3/2) radii and sqrt(3) half lengths.
    /// assert_eq!(ellipsoids[0].pose.translation(), DVec3::Z * 3.0);
    /// assert!((ellipsoids[0].shape.semi_axes().z - 3.0_f64.sqrt()).abs() < 1e-14);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn ellipsoids(&self, options: &CoverOptions) -> Result<Vec<CoverPiece>> {
        cover_all(self.parts.iter().map(|part| (&part.shape, part.pose)), options)
    }

    /// Returns the index of the parent link; `None` for the root.
    pub fn parent(&self) -> Option<usize> {
        self.joint.as_ref().map(|joint| joint.parent)
    }

    pub(crate) fn joint(&self) -> Option<&LinkJoint> {
        self.joint.as_ref()
    }
}

/// Returns the links with the joint that carries each, every parent before its children. Returns an error if they do
/// not form one tree.
fn parents_first(
    links: &[(String, Vec<LinkPart>)],
    joints: &[Joint],
    position: &HashMap<String, usize>,
) -> Result<Vec<(usize, Option<usize>)>> {
    let mut names = HashSet::new();
    let mut carried_by = vec![None; links.len()];
    let mut children = vec![Vec::new(); links.len()];
    for (j, joint) in joints.iter().enumerate() {
        if !names.insert(&joint.name) {
            return Err(Error::DuplicateName { name: joint.name.clone() });
        }
        let link =
            |name: &str| position.get(name).copied().ok_or_else(|| Error::UnknownName { name: name.into() });
        let (parent, child) = (link(&joint.parent)?, link(&joint.child)?);
        if let Some(other) = carried_by[child] {
            let other: &Joint = &joints[other];
            return Err(Error::Unsupported {
                what: format!(
                    "kinematic loops: link \"{}\" is carried by joints \"{}\" and \"{}\"",
                    joint.child, other.name, joint.name
                ),
            });
        }
        carried_by[child] = Some(j);
        children[parent].push(child);
    }
    let roots: Vec<usize> = (0..links.len()).filter(|&i| carried_by[i].is_none()).collect();
    if let [first, second, ..] = roots[..] {
        return Err(Error::Unsupported {
            what: format!("more than one root link: \"{}\" and \"{}\"", links[first].0, links[second].0),
        });
    }
    let mut order = Vec::with_capacity(links.len());
    let mut open = roots;
    while let Some(link) = open.pop() {
        order.push((link, carried_by[link]));
        open.extend(children[link].iter().rev());
    }
    if order.len() < links.len() {
        let lost = (0..links.len()).find(|i| order.iter().all(|(link, _)| link != i)).unwrap_or(0);
        return Err(Error::Unsupported {
            what: format!("a loop of joints that contains link \"{}\"", links[lost].0),
        });
    }
    Ok(order)
}
