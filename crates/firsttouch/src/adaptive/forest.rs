//! Several robots as one: a forest under a root that does not move.

use crate::error::Result;
use crate::motion::Pose;
use crate::robot::{Joint, JointKind, Mimic, Robot};

/// Combines robots with different names, each with its base at rest at a pose, into one robot. Its root link is
/// `world`; the links, joints and variables of a robot `r` are called `r/...`. The variables of the first robot come
/// first, in their order, and so on.
///
/// ```
/// use firsttouch::adaptive::forest;
/// use firsttouch::articulated::{Joint, JointKind, Robot};
/// use firsttouch::motion::Pose;
/// let elbow = Joint {
///     name: "elbow".into(),
///     parent: "upper".into(),
///     child: "lower".into(),
///     origin: Pose::IDENTITY,
///     kind: JointKind::Revolute { axis: glam::DVec3::Z },
///     limits: None,
///     mimic: None,
/// };
/// let links = vec![("upper".into(), vec![]), ("lower".into(), vec![])];
/// let [left, right] = ["left", "right"].map(|name| Robot::new(name, links.clone(), vec![elbow.clone()]));
/// let beside = Pose::from_translation(glam::DVec3::X)?;
/// let both = forest("both", &[(left?, Pose::IDENTITY), (right?, beside)])?;
/// assert_eq!(both.variables()[1].name, "right/elbow");
/// assert_eq!(both.links().len(), 5);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn forest(name: &str, robots: &[(Robot, Pose)]) -> Result<Robot> {
    let (mut links, mut joints) = (vec![("world".to_string(), Vec::new())], Vec::new());
    for (robot, base) in robots {
        let named = |name: &str| format!("{}/{name}", robot.name());
        for link in robot.links() {
            links.push((named(link.name()), link.parts().to_vec()));
            let child = named(link.name());
            let Some(joint) = link.joint() else {
                joints.push(Joint {
                    name: named("base"),
                    parent: "world".into(),
                    child,
                    origin: *base,
                    kind: JointKind::Fixed,
                    limits: None,
                    mimic: None,
                });
                continue;
            };
            let has_one = matches!(joint.kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. });
            let variable = robot.variables().get(joint.variable).filter(|_| has_one);
            joints.push(Joint {
                name: named(&joint.name),
                parent: named(robot.links()[joint.parent].name()),
                child,
                origin: joint.origin,
                kind: joint.kind,
                limits: variable.and_then(|variable| variable.limits),
                // A joint without a variable of its own name follows the one that has it.
                mimic: variable.filter(|variable| variable.name != joint.name).map(|variable| Mimic {
                    joint: named(&variable.name),
                    multiplier: joint.scale.0,
                    offset: joint.scale.1,
                }),
            });
        }
    }
    let mut all = Robot::new(name, links, joints)?;
    for (robot, _) in robots {
        let named = |link: usize| format!("{}/{}", robot.name(), robot.links()[link].name());
        for [a, b] in robot.allowed() {
            all.allow(&named(a), &named(b))?;
        }
    }
    Ok(all)
}
