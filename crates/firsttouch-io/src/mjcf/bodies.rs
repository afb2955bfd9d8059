//! From bodies, joints and geoms to links, joints and collision geometry.
//!
//! Let `T` be the pose of a body in its parent, and joint `i` sit at `p_i` in the body's frame. Then MuJoCo's body frame is at
//! `T J_1 J_2 ...` with `J_i = Trans(p_i) M_i Trans(−p_i)`, where `M_i` turns by `q_i − ref_i`, or slides by it. The link of joint `i` has its
//! frame at the anchor: `T J_1 .. J_{i−1} Trans(p_i) M_i`. So the origin of joint `i` is `Trans(p_i − p_{i−1})` (the first one's is
//! `T Trans(p_1)`), turned or shifted by `−ref_i`, and everything in the body is moved by `−p` of the last joint.

use super::contacts::{BodyContacts, allowed_pairs};
use super::elements::{Document, Element};
use super::settings::{MAIN, Settings, Styled, unit, z_towards};
use crate::error::{Error, Problem, Result};
use crate::scene::{Pose, ShapeFile};
use crate::source::{integer, shown};
use crate::urdf::{CollisionFile, JointFile, JointKind, JointLimits, LinkFile, RobotFile, tree};
use glam::{DQuat, DVec3};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The link that carries everything, and the one with the geoms of the world.
const WORLD: &str = "world";
const WORLD_BODY: &str = "worldbody";

pub(super) fn robot(document: &Document, settings: &Settings) -> Result<RobotFile> {
    refuse_sections(document)?;
    let mut builder = Builder {
        document,
        settings,
        meshes: meshes(document, settings)?,
        paired: paired_geoms(document),
        names: given_names(document)?,
        links: Vec::new(),
        joints: Vec::new(),
        zero: BTreeMap::new(),
        bodies: Vec::new(),
    };
    builder.links.push(LinkFile {
        name: WORLD.into(),
        line: document.root.main_line,
        collisions: Vec::new(),
    });
    builder.world()?;
    let Builder { mut links, mut joints, zero, mut bodies, .. } = builder;
    // The world's own geoms are a link only if there are some.
    if links[1].collisions.is_empty() {
        links.remove(1);
        joints.remove(0);
        bodies[0].link = WORLD.into();
    }
    let allowed = allowed_pairs(document, &bodies)?;
    let path = document.path().to_path_buf();
    let (joints, root) = tree::check(&links, joints).map_err(|fault| fault.in_file(&path))?;
    let name = document.root.attribute("model").unwrap_or_default().to_string();
    Ok(RobotFile { path, name, links, joints, root, allowed, zero })
}

/// A mesh asset: its file and scale, and the pose that its vertices are given in.
struct MeshAsset {
    geometry: ShapeFile,
    reference: Pose,
}

struct Builder<'a> {
    document: &'a Document,
    settings: &'a Settings,
    meshes: HashMap<String, MeshAsset>,
    /// The geoms that a `<pair>` names.
    paired: HashSet<&'a str>,
    /// The names that are in use.
    names: HashSet<String>,
    links: Vec<LinkFile>,
    joints: Vec<JointFile>,
    zero: BTreeMap<String, f64>,
    bodies: Vec<BodyContacts>,
}

/// Where the contents of a body or frame are.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    /// The link that holds geoms, and its body, as indices.
    link: usize,
    body: usize,
    /// Bodies are carried by this link: as `link`, but in the world the root.
    carrier: usize,
    /// The pose of what is described in the frame of the link.
    pose: Pose,
    class: &'a str,
}

/// Tags that say nothing about geometry.
const IGNORED: [&str; 7] = ["inertial", "site", "camera", "light", "plugin", "joint", "freejoint"];

impl<'a> Builder<'a> {
    fn world(&mut self) -> Result<()> {
        let name = self.unused(WORLD_BODY.into());
        let line =
            self.document.sections("worldbody").next().map_or(document_line(self.document), |w| w.main_line);
        self.links.push(LinkFile { name: name.clone(), line, collisions: Vec::new() });
        let joint = self.unused(format!("{name}_fixed"));
        self.push_joint(joint, line, JointKind::Fixed, 0, name.clone(), Pose::IDENTITY);
        self.bodies.push(BodyContacts::world(name));
        for section in self.document.sections("worldbody") {
            let class = self.child_class(section, MAIN)?;
            let around = Surroundings { link: 1, body: 0, carrier: 0, pose: Pose::IDENTITY, class };
            self.contents(section, around)?;
        }
        Ok(())
    }

    /// The geoms and bodies in a body, in the world, or in a frame in one of these.
    fn contents(&mut self, element: &'a Element, around: Surroundings<'a>) -> Result<()> {
        for child in &element.children {
            match &child.tag[..] {
                "geom" => self.geom(child, around)?,
                "body" => self.body(child, around)?,
                "frame" => {
                    let (pose, class) = self.frame(child, around.pose, around.class)?;
                    self.contents(child, Surroundings { pose, class, ..around })?;
                }
                tag if IGNORED.contains(&tag) => {}
                tag => {
                    let text = format!("<{}> in a body: it may contain geometry", shown(tag.as_bytes()));
                    return Err(self.document.unsupported(child, text));
                }
            }
        }
        Ok(())
    }

    /// The pose and the class of a frame's contents.
    fn frame(&self, frame: &'a Element, pose: Pose, class: &'a str) -> Result<(Pose, &'a str)> {
        let own = self.settings.pose(self.document, Styled::plain(frame))?;
        Ok((compose(&pose, &own), self.child_class(frame, class)?))
    }

    fn child_class(&self, element: &'a Element, class: &'a str) -> Result<&'a str> {
        match element.attribute("childclass") {
            Some(name) => self.settings.known_class(self.document, element, name),
            None => Ok(class),
        }
    }

    fn body(&mut self, element: &'a Element, around: Surroundings<'a>) -> Result<()> {
        let own = self.settings.pose(self.document, Styled::plain(element))?;
        let pose = compose(&around.pose, &own);
        let class = self.child_class(element, around.class)?;
        let name = match element.name() {
            Some(name) => name.to_string(),
            None => self.unused(format!("body{}", self.bodies.len())),
        };
        let mut joints = Vec::new();
        self.joints_in(element, Pose::IDENTITY, class, &mut joints)?;
        let body = self.bodies.len();
        let parent = around.body;
        self.bodies.push(BodyContacts::child(name.clone(), parent, joints.is_empty(), &self.bodies));
        self.finite(element, &pose)?;
        let line = element.main_line;
        let mut offset = pose;
        let mut carrier = around.carrier;
        let is_fixed = joints.is_empty();
        let count = joints.len();
        if !is_fixed && parent != 0 && self.bodies[parent].is_static() {
            // MuJoCo collides a body with a parent that is fixed to the world. Links that a joint joins are never checked, so there is a link
            // without shapes between the two.
            let mount = self.unused(format!("{name}_mount"));
            let joint = self.unused(format!("{name}_mounted"));
            self.push_joint(joint, line, JointKind::Fixed, carrier, mount.clone(), Pose::IDENTITY);
            self.links.push(LinkFile { name: mount, line, collisions: Vec::new() });
            carrier = self.links.len() - 1;
        }
        for (i, joint) in joints.into_iter().enumerate() {
            let joint_name = joint.name.unwrap_or_else(|| self.unused(format!("{name}_joint{i}")));
            let link =
                if i + 1 == count { name.clone() } else { self.unused(format!("{name}/{joint_name}")) };
            if joint.kind == JointKind::Floating {
                if carrier != 0 || count > 1 {
                    let text = "a free joint must be the only one of a body that is directly in the world";
                    return Err(self.document.malformed(joint.element, text));
                }
                // The coordinates are those of the body in the world.
                self.free_at(&joint_name, &pose);
                offset = Pose::IDENTITY;
                self.push_joint(
                    joint_name,
                    joint.element.main_line,
                    joint.kind,
                    carrier,
                    link.clone(),
                    offset,
                );
            } else {
                let mut origin = compose(&offset, &Pose { xyz: joint.anchor, quat: DQuat::IDENTITY });
                match joint.kind {
                    JointKind::Revolute | JointKind::Continuous if joint.reference != 0.0 => {
                        let back = DQuat::from_axis_angle(joint.axis, -joint.reference);
                        origin.quat = (origin.quat * back).normalize();
                    }
                    JointKind::Prismatic => origin.xyz -= origin.quat * joint.axis * joint.reference,
                    _ => {}
                }
                if joint.reference != 0.0 {
                    self.zero.insert(joint_name.clone(), joint.reference);
                }
                self.finite(joint.element, &origin)?;
                offset = Pose { xyz: -joint.anchor, quat: DQuat::IDENTITY };
                self.push_joint(
                    joint_name,
                    joint.element.main_line,
                    joint.kind,
                    carrier,
                    link.clone(),
                    origin,
                );
            }
            if let Some(last) = self.joints.last_mut() {
                (last.axis, last.limits) = (joint.axis, joint.limits);
            }
            self.links.push(LinkFile { name: link, line, collisions: Vec::new() });
            carrier = self.links.len() - 1;
        }
        if is_fixed {
            let joint = self.unused(format!("{name}_fixed"));
            self.push_joint(joint, line, JointKind::Fixed, carrier, name.clone(), pose);
            self.links.push(LinkFile { name, line, collisions: Vec::new() });
            carrier = self.links.len() - 1;
            offset = Pose::IDENTITY;
        }
        self.contents(element, Surroundings { link: carrier, body, carrier, pose: offset, class })
    }

    fn push_joint(
        &mut self,
        name: String,
        line: usize,
        kind: JointKind,
        parent: usize,
        child: String,
        origin: Pose,
    ) {
        let parent = self.links[parent].name.clone();
        let axis = DVec3::X;
        self.joints.push(JointFile {
            name,
            line,
            kind,
            parent,
            child,
            origin,
            axis,
            limits: None,
            mimic: None,
        });
    }

    fn free_at(&mut self, joint: &str, pose: &Pose) {
        let (p, q) = (pose.xyz, pose.quat);
        let values = [p.x, p.y, p.z, q.x, q.y, q.z, q.w];
        let names = ["trans_x", "trans_y", "trans_z", "rot_x", "rot_y", "rot_z", "rot_w"];
        self.zero
            .extend(names.into_iter().zip(values).map(|(name, value)| (format!("{joint}/{name}"), value)));
    }

    /// The joints of a body, also those in frames of it, in the order of the file.
    fn joints_in(
        &self,
        element: &'a Element,
        pose: Pose,
        class: &'a str,
        joints: &mut Vec<BodyJoint<'a>>,
    ) -> Result<()> {
        for child in &element.children {
            match &child.tag[..] {
                "frame" => {
                    let (pose, class) = self.frame(child, pose, class)?;
                    self.joints_in(child, pose, class, joints)?;
                }
                "freejoint" => joints.push(BodyJoint::free(child)),
                "joint" => {
                    let styled = self.settings.styled(self.document, child, class)?;
                    joints.push(self.joint(styled, &pose)?);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn joint(&self, styled: Styled<'a>, pose: &Pose) -> Result<BodyJoint<'a>> {
        let Builder { document, settings, .. } = self;
        let element = styled.element;
        let three = |name: &str, otherwise: DVec3| match styled.attribute(name) {
            Some(value) => document.fixed(element, name, value).map(DVec3::from_array),
            None => Ok(otherwise),
        };
        let kind = match styled.attribute("type").unwrap_or("hinge") {
            "hinge" => JointKind::Continuous,
            "slide" => JointKind::Prismatic,
            "ball" => JointKind::Ball,
            "free" => return Ok(BodyJoint::free(element)),
            other => {
                let text = format!(
                    "\"{}\" is not a type of joint: use hinge, slide, ball or free",
                    shown(other.as_bytes())
                );
                return Err(document.malformed(element, text));
            }
        };
        let unit_of = if kind == JointKind::Continuous { settings.radians } else { 1.0 };
        let axis = unit(three("axis", DVec3::Z)?)
            .ok_or_else(|| document.malformed(element, "the axis of a joint is zero, or nearly"))?;
        let reference = match styled.attribute("ref") {
            Some(value) if kind != JointKind::Ball => {
                let [value]: [f64; 1] = document.fixed(element, "ref", value)?;
                value * unit_of
            }
            _ => 0.0,
        };
        let limits = if kind == JointKind::Ball { None } else { self.limits(styled, unit_of)? };
        Ok(BodyJoint {
            element,
            name: element.name().map(str::to_string),
            kind: if kind == JointKind::Continuous && limits.is_some() { JointKind::Revolute } else { kind },
            anchor: pose.xyz + pose.quat * three("pos", DVec3::ZERO)?,
            axis: pose.quat * axis,
            reference,
            limits,
        })
    }

    fn limits(&self, styled: Styled<'_>, unit_of: f64) -> Result<Option<JointLimits>> {
        let (document, element) = (self.document, styled.element);
        let range = match styled.attribute("range") {
            Some(value) => Some(document.fixed::<2>(element, "range", value)?),
            None => None,
        };
        let is_limited = match styled.attribute("limited").unwrap_or("auto") {
            "true" => true,
            "false" => false,
            "auto" => self.settings.autolimits && range.is_some_and(|range| range != [0.0, 0.0]),
            other => {
                let text =
                    format!("joint limited is true, false or auto, not \"{}\"", shown(other.as_bytes()));
                return Err(document.malformed(element, text));
            }
        };
        if !is_limited {
            return Ok(None);
        }
        let [lower, upper] = range.unwrap_or([0.0; 2]).map(|end| end * unit_of);
        if lower >= upper {
            let text = format!("the lower limit {lower} of a joint is not below the upper {upper}");
            return Err(document.malformed(element, text));
        }
        Ok(Some(JointLimits { lower, upper }))
    }

    fn geom(&mut self, element: &'a Element, around: Surroundings<'a>) -> Result<()> {
        let document = self.document;
        let styled = self.settings.styled(document, element, around.class)?;
        let bits = |name: &str| match styled.attribute(name) {
            None => Ok(1),
            Some(value) => {
                let bits = integer(value.trim().as_bytes());
                let not = || format!("geom {name} is not an integer: \"{}\"", shown(value.as_bytes()));
                bits.map(|bits| bits as u32).ok_or_else(|| document.malformed(element, not()))
            }
        };
        let mut filter = [bits("contype")?, bits("conaffinity")?];
        if element.name().is_some_and(|name| self.paired.contains(name)) {
            filter = [u32::MAX; 2];
        }
        if filter == [0, 0] {
            return Ok(());
        }
        let (pose, geometry) = self.geometry(styled)?;
        let origin = compose(&around.pose, &pose);
        self.finite(element, &origin)?;
        self.bodies[around.body].add(filter);
        self.links[around.link].collisions.push(CollisionFile {
            name: element.name().map(str::to_string),
            line: element.main_line,
            origin,
            geometry,
        });
        Ok(())
    }

    /// The shape of a geom, and its pose in the body.
    fn geometry(&self, styled: Styled<'_>) -> Result<(Pose, ShapeFile)> {
        let Builder { document, settings, .. } = self;
        let element = styled.element;
        let kind = styled.attribute("type").unwrap_or(if styled.attribute("mesh").is_some() {
            "mesh"
        } else {
            "sphere"
        });
        if kind == "mesh" {
            let missing = || document.malformed(element, "a geom of type mesh needs mesh=\"...\"");
            let name = styled.attribute("mesh").ok_or_else(missing)?;
            let unknown = || format!("there is no mesh \"{}\" among the assets", shown(name.as_bytes()));
            let mesh = self.meshes.get(name).ok_or_else(|| document.malformed(element, unknown()))?;
            let pose = settings.pose(document, styled)?;
            return Ok((compose(&pose, &mesh.reference), mesh.geometry.clone()));
        }
        if styled.attribute("mesh").is_some() {
            let text = format!("a {} fitted to a mesh", shown(kind.as_bytes()));
            return Err(document.unsupported(element, text));
        }
        let sizes = self.sizes(styled)?;
        let ends = match styled.attribute("fromto") {
            Some(value) if ["capsule", "cylinder", "box", "ellipsoid"].contains(&kind) => {
                Some(document.fixed::<6>(element, "fromto", value)?)
            }
            _ => None,
        };
        let need = |count: usize| match sizes.get(..count) {
            Some(sizes) if sizes.iter().all(|&size| size > 0.0) => Ok(()),
            Some(_) => Err(document.malformed(element, format!("the size of a {kind} must be positive"))),
            None => {
                let text = format!("a {kind} needs {count} numbers as size, but has {}", sizes.len());
                Err(document.malformed(element, text))
            }
        };
        let (pose, half) = match ends {
            None => (settings.pose(document, styled)?, None),
            Some([a, b, c, d, e, f]) => {
                let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
                let close = || document.malformed(element, "the ends of fromto are too close");
                let quat = z_towards(from - to).ok_or_else(close)?;
                (Pose { xyz: (from + to) * 0.5, quat }, Some((from - to).length() * 0.5))
            }
        };
        let shape = match (kind, half) {
            ("sphere", _) => {
                need(1)?;
                ShapeFile::Sphere { radius: sizes[0] }
            }
            ("capsule" | "cylinder", _) => {
                need(if half.is_some() { 1 } else { 2 })?;
                let (radius, length) = (sizes[0], 2.0 * half.unwrap_or_else(|| sizes[1]));
                if kind == "capsule" {
                    ShapeFile::Capsule { radius, length }
                } else {
                    ShapeFile::Cylinder { radius, length }
                }
            }
            ("box" | "ellipsoid", _) => {
                need(if half.is_some() { 1 } else { 3 })?;
                let halves = match half {
                    Some(half) => DVec3::new(sizes[0], sizes[0], half),
                    None => DVec3::new(sizes[0], sizes[1], sizes[2]),
                };
                if kind == "box" {
                    ShapeFile::Box { sides: halves * 2.0 }
                } else {
                    ShapeFile::Ellipsoid { semi_axes: halves }
                }
            }
            ("plane", _) => {
                let text =
                    "a plane that takes part in contacts: give it as a half_space of the scene instead";
                return Err(document.unsupported(element, text));
            }
            ("hfield", _) => {
                let text = "a height field that takes part in contacts: give it as a height_field of the scene instead";
                return Err(document.unsupported(element, text));
            }
            ("sdf", _) => {
                return Err(document
                    .unsupported(element, format!("a geom of type {kind} that takes part in contacts")));
            }
            _ => {
                let text = format!(
                    "\"{}\" is not a type of geom: use sphere, capsule, ellipsoid, cylinder, box or mesh",
                    shown(kind.as_bytes())
                );
                return Err(document.malformed(element, text));
            }
        };
        Ok((pose, shape))
    }

    /// The sizes of a geom. If it gives fewer than its class, the others are those of the class.
    fn sizes(&self, styled: Styled<'_>) -> Result<Vec<f64>> {
        let numbers = |value: Option<&str>| match value {
            Some(value) => self.document.numbers(styled.element, "size", value),
            None => Ok(Vec::new()),
        };
        let mut sizes = numbers(styled.default("size"))?;
        let own = numbers(styled.element.attribute("size"))?;
        if own.len() > 3 {
            return Err(self.document.malformed(styled.element, "geom size has more than 3 numbers"));
        }
        sizes.resize(sizes.len().max(own.len()), 0.0);
        sizes[..own.len()].copy_from_slice(&own);
        Ok(sizes)
    }

    /// Refuses a pose that overflowed.
    fn finite(&self, element: &Element, pose: &Pose) -> Result<()> {
        if pose.xyz.is_finite() && pose.quat.is_finite() {
            return Ok(());
        }
        let problem =
            Problem::NotFinite { what: "the pose that results here".into(), value: pose.xyz.to_string() };
        Err(self.document.error(element, problem))
    }

    /// A name that nothing else has.
    fn unused(&mut self, wish: String) -> String {
        let mut name = wish.clone();
        let mut n = 2;
        while !self.names.insert(name.clone()) {
            name = format!("{wish}_{n}");
            n += 1;
        }
        name
    }
}

/// A joint of a body.
struct BodyJoint<'a> {
    element: &'a Element,
    name: Option<String>,
    kind: JointKind,
    /// In the frame of the body.
    anchor: DVec3,
    axis: DVec3,
    reference: f64,
    limits: Option<JointLimits>,
}

impl<'a> BodyJoint<'a> {
    fn free(element: &'a Element) -> BodyJoint<'a> {
        BodyJoint {
            element,
            name: element.name().map(str::to_string),
            kind: JointKind::Floating,
            anchor: DVec3::ZERO,
            axis: DVec3::X,
            reference: 0.0,
            limits: None,
        }
    }
}

fn document_line(document: &Document) -> usize {
    document.root.main_line
}

/// The names that bodies and joints give themselves. Two bodies, or two joints, of one name are refused.
fn given_names(document: &Document) -> Result<HashSet<String>> {
    let mut names = HashSet::from([WORLD.to_string()]);
    let mut seen: HashSet<(bool, &str)> = HashSet::from([(true, WORLD)]);
    let mut open: Vec<&Element> = document.sections("worldbody").collect();
    while let Some(element) = open.pop() {
        open.extend(&element.children);
        let is_body = element.tag == "body";
        if !is_body && !["joint", "freejoint"].contains(&&element.tag[..]) {
            continue;
        }
        let Some(name) = element.name() else { continue };
        if !seen.insert((is_body, name)) {
            let what = if is_body { "body" } else { "joint" };
            let text = format!("a second {what} called \"{}\"", shown(name.as_bytes()));
            return Err(document.malformed(element, text));
        }
        names.insert(name.to_string());
    }
    Ok(names)
}

/// Sections that put geometry into the model in ways that are not read.
fn refuse_sections(document: &Document) -> Result<()> {
    for section in &document.root.children {
        let is_filled = section.tag == "deformable" && !section.children.is_empty();
        if is_filled {
            return Err(document.unsupported(section, "<deformable>: flexes and skins"));
        }
    }
    Ok(())
}

/// The geoms that some `<pair>` of `<contact>` names.
fn paired_geoms(document: &Document) -> HashSet<&str> {
    let pairs = document.sections("contact").flat_map(|contact| &contact.children);
    let pairs = pairs.filter(|element| element.tag == "pair");
    pairs.flat_map(|pair| ["geom1", "geom2"].into_iter().filter_map(|name| pair.attribute(name))).collect()
}

fn meshes(document: &Document, settings: &Settings) -> Result<HashMap<String, MeshAsset>> {
    let mut meshes = HashMap::new();
    for element in document.sections("asset").flat_map(|asset| &asset.children) {
        if element.tag != "mesh" {
            continue;
        }
        let styled = settings.styled(document, element, MAIN)?;
        let Some(file) = styled.attribute("file") else {
            let text = "a mesh without a file: inline vertices and built-in meshes";
            return Err(document.unsupported(element, text));
        };
        let path = settings.mesh_path(file);
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let name = match (element.name(), stem) {
            (Some(name), _) => name.to_string(),
            (None, Some(stem)) => stem,
            (None, None) => return Err(document.malformed(element, "the file of a mesh has no name")),
        };
        let three = |key: &str, otherwise: DVec3| -> Result<DVec3, Error> {
            styled
                .attribute(key)
                .map_or(Ok(otherwise), |value| document.fixed(element, key, value).map(DVec3::from_array))
        };
        let scale = three("scale", DVec3::ONE)?;
        if scale.to_array().contains(&0.0) {
            return Err(document.malformed(element, "mesh scale must not be zero"));
        }
        let place = three("refpos", DVec3::ZERO)?;
        let turn = match styled.attribute("refquat") {
            None => DQuat::IDENTITY,
            Some(value) => {
                let [w, x, y, z] = document.fixed(element, "refquat", value)?;
                let quat = DQuat::from_xyzw(x, y, z, w);
                if !(1e-150..=1e150).contains(&quat.length()) {
                    return Err(document.malformed(element, "refquat is zero, or nearly"));
                }
                quat.normalize().inverse()
            }
        };
        // MuJoCo moves, then turns, then scales. A turn can be taken after the scale if that is the same along all axes.
        if turn != DQuat::IDENTITY && (scale.x != scale.y || scale.y != scale.z) {
            return Err(
                document.unsupported(element, "a mesh with refquat and different scales along the axes")
            );
        }
        let reference = Pose { xyz: -(scale * (turn * place)), quat: turn };
        let asset = MeshAsset { geometry: ShapeFile::Hull { path, scale }, reference };
        if meshes.insert(name.clone(), asset).is_some() {
            let text = format!("a second mesh called \"{}\"", shown(name.as_bytes()));
            return Err(document.malformed(element, text));
        }
    }
    Ok(meshes)
}

/// A pose in the frame of another.
fn compose(outer: &Pose, inner: &Pose) -> Pose {
    if *outer == Pose::IDENTITY {
        return *inner;
    }
    let quat = if inner.quat == DQuat::IDENTITY { outer.quat } else { (outer.quat * inner.quat).normalize() };
    Pose { xyz: outer.xyz + outer.quat * inner.xyz, quat }
}
