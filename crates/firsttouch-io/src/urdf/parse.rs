//! URDF: from XML to links and joints, each checked by itself.
//!
//! Rotations: `rpy` is R = Rz(yaw) Ry(pitch) Rx(roll) about fixed axes, held as a quaternion. Its rounding (a few units
//! in the last place) is part of the robot's description and not of a bound: the rounded pose defines the robot.

use super::{
    CollisionFile, JointFile, JointKind, JointLimits, LinkFile, MimicFile, RobotFile, RobotWarning, tree,
};
use crate::error::{Fault, Problem, Result, malformed};
use crate::scene::{Pose, ShapeFile};
use crate::source::shown;
use crate::vocabulary::URDF;
use crate::xml::{Named, Xml, read_xml, tag};
use glam::{DQuat, DVec3};
use roxmltree::Node;
use std::collections::BTreeMap;
use std::path::Path;

pub(super) fn robot(bytes: &[u8], path: &Path) -> Result<RobotFile, Fault> {
    read_xml(bytes, "robot", |xml, root| {
        refuse_xacro(xml, root)?;
        let mut doubts = Named { xml, node: root }.check(&URDF)?;
        let read = links_and_joints(xml, root).map_err(|fault| with_hint(fault, &doubts));
        let (links, joints, root_link) = read?;
        doubts.extend(visuals_alone(xml, root));
        let warnings =
            doubts.into_iter().map(|(line, text)| RobotWarning { file: path.to_path_buf(), line, text });
        let warnings = warnings.collect();
        let name = xml.attribute(root, "name")?.unwrap_or_default().to_string();
        let (allowed, zero, scenery) = (Vec::new(), BTreeMap::new(), Vec::new());
        let path = path.to_path_buf();
        Ok(RobotFile { path, name, links, joints, root: root_link, allowed, zero, scenery, warnings })
    })
}

fn links_and_joints(
    xml: &Xml<'_, '_>,
    root: Node<'_, '_>,
) -> Result<(Vec<LinkFile>, Vec<JointFile>, usize), Fault> {
    let links = xml.elements(root, "link").map(|node| link(xml, node)).collect::<Result<Vec<_>, _>>()?;
    let joints = xml.elements(root, "joint").map(|node| joint(xml, node)).collect::<Result<Vec<_>, _>>()?;
    let (joints, root_link) = tree::check(&links, joints)?;
    Ok((links, joints, root_link))
}

/// Adds a hint: an unknown name is often the reason why something else is missing.
fn with_hint(fault: Fault, doubts: &[(usize, String)]) -> Fault {
    match (fault.problem, doubts.first()) {
        (Problem::Malformed(text), Some((line, doubt))) => {
            malformed(format!("{text} (line {line}: {doubt})")).at(fault.place)
        }
        (problem, _) => problem.at(fault.place),
    }
}

/// Returns the links that are visible and touch nothing, in a robot of which other links can touch.
fn visuals_alone(xml: &Xml<'_, '_>, root: Node<'_, '_>) -> Option<(usize, String)> {
    const MOST: usize = 6;
    let has = |link: Node<'_, '_>, name| xml.elements(link, name).next().is_some();
    let touches = xml.elements(root, "link").any(|link| has(link, "collision"));
    let alone: Vec<_> =
        xml.elements(root, "link").filter(|&link| has(link, "visual") && !has(link, "collision")).collect();
    let first = alone.first().filter(|_| touches)?;
    let quoted =
        |link: &Node<'_, '_>| format!("\"{}\"", shown(link.attribute("name").unwrap_or_default().as_bytes()));
    let mut names: Vec<String> = alone.iter().take(MOST).map(quoted).collect();
    if alone.len() > MOST {
        names.push(format!("{} more", alone.len() - MOST));
    }
    let text = format!("visuals without <collision>, so that nothing touches them: {}", names.join(", "));
    Some((xml.line(*first), text))
}

/// Definitions that xacro leaves behind are ignored. An include, a condition or a macro call is refused, because it
/// stands for missing links.
fn refuse_xacro(xml: &Xml<'_, '_>, root: Node<'_, '_>) -> Result<(), Fault> {
    let mut macro_end = 0;
    for node in root.descendants().filter(Node::is_element) {
        let is_xacro = node.tag_name().namespace().is_some_and(|uri| uri.contains("xacro"));
        if !is_xacro || node == root || node.range().start < macro_end {
            continue;
        }
        match node.tag_name().name() {
            "macro" => macro_end = node.range().end,
            "property" | "arg" => {}
            _ => {
                let text = format!("<xacro:{}> is for xacro: expand the file first", tag(node));
                return Err(malformed(text).at(xml.place(node)));
            }
        }
    }
    Ok(())
}

fn link(xml: &Xml<'_, '_>, node: Node<'_, '_>) -> Result<LinkFile, Fault> {
    let collisions = xml.elements(node, "collision").map(|node| collision(xml, node));
    Ok(LinkFile {
        name: xml.required(node, "name")?.to_string(),
        line: xml.line(node),
        collisions: collisions.collect::<Result<_, _>>()?,
    })
}

/// Returns the visuals of each link, by its name. A visual that cannot be read gives a warning itself.
pub(super) fn visuals(bytes: &[u8]) -> Result<Vec<LinkVisuals>, Fault> {
    read_xml(bytes, "robot", |xml, root| {
        let link = |node| {
            let visuals = xml.elements(node, "visual").map(|node| collision(xml, node)).collect();
            Ok((xml.required(node, "name")?.to_string(), visuals))
        };
        xml.elements(root, "link").map(link).collect()
    })
}

/// The name of a link and its visuals.
pub(super) type LinkVisuals = (String, Vec<Result<CollisionFile, Fault>>);

fn collision(xml: &Xml<'_, '_>, node: Node<'_, '_>) -> Result<CollisionFile, Fault> {
    let fail = |text: &str| malformed(text).at(xml.place(node));
    let missing = || fail(&format!("<{}> has no <geometry>", tag(node)));
    let geometry = xml.element(node, "geometry")?.ok_or_else(missing)?;
    let mut shapes = xml.children(geometry);
    let shape = match (shapes.next(), shapes.next()) {
        (Some(only), None) => only,
        _ => return Err(malformed("<geometry> needs exactly one shape").at(xml.place(geometry))),
    };
    Ok(CollisionFile {
        name: xml.attribute(node, "name")?.filter(|name| !name.is_empty()).map(str::to_string),
        line: xml.line(node),
        origin: origin(xml, node)?,
        geometry: self::geometry(xml, shape)?,
    })
}

fn geometry(xml: &Xml<'_, '_>, node: Node<'_, '_>) -> Result<ShapeFile, Fault> {
    let positive = |name: &str| {
        let [value] = positive(xml, node, name)?;
        Ok(value)
    };
    Ok(match node.tag_name().name() {
        "box" => ShapeFile::Box { sides: DVec3::from_array(self::positive(xml, node, "size")?) },
        "sphere" => ShapeFile::Sphere { radius: positive("radius")? },
        "cylinder" => ShapeFile::Cylinder { radius: positive("radius")?, length: positive("length")? },
        "capsule" => ShapeFile::Capsule { radius: positive("radius")?, length: positive("length")? },
        "mesh" => {
            let path = xml.required(node, "filename")?.trim().into();
            let scale = match xml.numbers(node, "scale")?.as_deref() {
                None => DVec3::ONE,
                Some(&[all]) => DVec3::splat(all),
                Some(&[x, y, z]) => DVec3::new(x, y, z),
                Some(list) => {
                    let text = format!("mesh scale needs 1 or 3 numbers, but has {}", list.len());
                    return Err(malformed(text).at(xml.place(node)));
                }
            };
            if scale.to_array().contains(&0.0) {
                return Err(malformed("mesh scale must not be zero").at(xml.place(node)));
            }
            ShapeFile::Mesh { path, scale }
        }
        _ => {
            let text = format!("<{}> as geometry: use box, sphere, cylinder, capsule or mesh", tag(node));
            return Err(Problem::Unsupported(text).at(xml.place(node)));
        }
    })
}

fn positive<const N: usize>(xml: &Xml<'_, '_>, node: Node<'_, '_>, name: &str) -> Result<[f64; N], Fault> {
    xml.required(node, name)?;
    let values = xml.fixed(node, name)?.unwrap_or([0.0; N]);
    match values.iter().find(|&&value| value <= 0.0) {
        None => Ok(values),
        Some(value) => {
            Err(malformed(format!("{} {name} must be positive, but is {value}", tag(node)))
                .at(xml.place(node)))
        }
    }
}

/// Returns the pose that a collision or a joint has.
fn origin(xml: &Xml<'_, '_>, node: Node<'_, '_>) -> Result<Pose, Fault> {
    let Some(node) = xml.element(node, "origin")? else { return Ok(Pose::IDENTITY) };
    let fail = |text: &str| malformed(text).at(xml.place(node));
    let quat = match (xml.fixed(node, "rpy")?, xml.fixed(node, "quat_xyzw")?) {
        (Some(_), Some(_)) => return Err(fail("<origin> has rpy or quat_xyzw, not both")),
        (None, Some(xyzw)) => {
            let quat = DQuat::from_array(xyzw);
            // Outside this range the square over- or underflows, and the value cannot be normalised.
            if !(1e-150..=1e150).contains(&quat.length()) {
                return Err(fail("quat_xyzw is zero, or too large or too small to be normalised"));
            }
            quat
        }
        (rpy, None) => {
            let [roll, pitch, yaw] = rpy.unwrap_or([0.0; 3]);
            DQuat::from_rotation_z(yaw) * DQuat::from_rotation_y(pitch) * DQuat::from_rotation_x(roll)
        }
    };
    Ok(Pose { xyz: DVec3::from_array(xml.fixed(node, "xyz")?.unwrap_or([0.0; 3])), quat })
}

fn joint(xml: &Xml<'_, '_>, node: Node<'_, '_>) -> Result<JointFile, Fault> {
    let name = xml.required(node, "name")?.to_string();
    let kind = kind(xml, node)?;
    let end = |element: &'static str| match xml.element(node, element)? {
        Some(end) => Ok(xml.required(end, "link")?.to_string()),
        None => {
            let text = format!("joint \"{}\" has no <{element}>", shown(name.as_bytes()));
            Err(malformed(text).at(xml.place(node)))
        }
    };
    Ok(JointFile {
        line: xml.line(node),
        kind,
        parent: end("parent")?,
        child: end("child")?,
        origin: origin(xml, node)?,
        axis: axis(xml, node, kind, &name)?,
        limits: limits(xml, node, kind, &name)?,
        velocity: velocity(xml, node, kind)?,
        mimic: mimic(xml, node, kind, &name)?,
        name,
    })
}

fn kind(xml: &Xml<'_, '_>, node: Node<'_, '_>) -> Result<JointKind, Fault> {
    const ALL: [JointKind; 6] = [
        JointKind::Revolute,
        JointKind::Continuous,
        JointKind::Prismatic,
        JointKind::Fixed,
        JointKind::Planar,
        JointKind::Floating,
    ];
    let word = xml.required(node, "type")?.trim();
    ALL.into_iter().find(|kind| word.eq_ignore_ascii_case(kind.name())).ok_or_else(|| {
        let text = format!(
            "\"{}\" is not a type of joint: use {}",
            shown(word.as_bytes()),
            ALL.map(JointKind::name).join(", ")
        );
        malformed(text).at(xml.place(node))
    })
}

/// Shorter axes are rounding errors of a zero, and their direction means nothing.
const SHORTEST_AXIS: f64 = 1e-6;
/// Longer ones have a square that overflows.
const LONGEST_AXIS: f64 = 1e150;

fn axis(xml: &Xml<'_, '_>, node: Node<'_, '_>, kind: JointKind, joint: &str) -> Result<DVec3, Fault> {
    // Ignored values may be invalid: fixed joints in use have the axis "0 0 0".
    if matches!(kind, JointKind::Fixed | JointKind::Floating) {
        return Ok(DVec3::X);
    }
    let Some(node) = xml.element(node, "axis")? else { return Ok(DVec3::X) };
    let Some(xyz) = xml.fixed(node, "xyz")? else { return Ok(DVec3::X) };
    let axis = DVec3::from_array(xyz);
    let length = axis.length();
    if (SHORTEST_AXIS..=LONGEST_AXIS).contains(&length) {
        return Ok(axis / length);
    }
    let what = if length < SHORTEST_AXIS { "zero, or nearly" } else { "too long to be normalised" };
    Err(malformed(format!("the axis of joint \"{}\" is {what}", shown(joint.as_bytes()))).at(xml.place(node)))
}

fn limits(
    xml: &Xml<'_, '_>,
    node: Node<'_, '_>,
    kind: JointKind,
    joint: &str,
) -> Result<Option<JointLimits>, Fault> {
    if !matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
        return Ok(None);
    }
    let Some(node) = xml.element(node, "limit")? else { return Ok(None) };
    let fail = |text: String| malformed(text).at(xml.place(node));
    let end = |name: &str| match xml.attribute(node, name)?.map(str::trim) {
        None => Ok(None),
        Some(word) => match word.parse::<f64>() {
            Ok(value) if !value.is_nan() => Ok(Some(value)),
            _ => {
                Err(fail(format!("limit {name} cannot be read as a number: \"{}\"", shown(word.as_bytes()))))
            }
        },
    };
    let (lower, upper) = match (end("lower")?, end("upper")?) {
        (None, None) => return Ok(None),
        (lower, upper) => (lower.unwrap_or(0.0), upper.unwrap_or(0.0)),
    };
    if lower > upper {
        let joint = shown(joint.as_bytes());
        return Err(fail(format!("joint \"{joint}\": the lower limit {lower} is above the upper {upper}")));
    }
    Ok(Some(JointLimits { lower, upper }))
}

/// The largest speed. A number that is not positive and finite says that there is no limit, as exporters write it where
/// they know of none. Checks do not use it, so a text that is not a number is no error here: `plan --timed` says that
/// the limit is missing.
fn velocity(xml: &Xml<'_, '_>, node: Node<'_, '_>, kind: JointKind) -> Result<Option<f64>, Fault> {
    if !matches!(kind, JointKind::Revolute | JointKind::Continuous | JointKind::Prismatic) {
        return Ok(None);
    }
    let word = xml.element(node, "limit")?.and_then(|limit| limit.attribute("velocity"));
    let value = word.and_then(|word| word.trim().parse::<f64>().ok());
    Ok(value.filter(|&value| value > 0.0 && value.is_finite()))
}

fn mimic(
    xml: &Xml<'_, '_>,
    node: Node<'_, '_>,
    kind: JointKind,
    joint: &str,
) -> Result<Option<MimicFile>, Fault> {
    if kind == JointKind::Fixed {
        return Ok(None);
    }
    let Some(node) = xml.element(node, "mimic")? else { return Ok(None) };
    if !kind.has_one_coordinate() {
        let text =
            format!("joint \"{}\" is {}: such joints cannot mimic", shown(joint.as_bytes()), kind.name());
        return Err(malformed(text).at(xml.place(node)));
    }
    let number = |name: &str, otherwise: f64| {
        let [value] = xml.fixed(node, name)?.unwrap_or([otherwise]);
        Ok(value)
    };
    Ok(Some(MimicFile {
        joint: xml.required(node, "joint")?.to_string(),
        multiplier: number("multiplier", 1.0)?,
        offset: number("offset", 0.0)?,
    }))
}
