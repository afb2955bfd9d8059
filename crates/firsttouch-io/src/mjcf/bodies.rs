//! From bodies, joints and geoms to links, joints and collision geometry.
//!
//! Let `T` be the pose of a body in its parent, and let joint `i` sit at `p_i` in the body's frame. Then MuJoCo's body
//! frame is at `T J_1 J_2 ...` with `J_i = Trans(p_i) M_i Trans(−p_i)`, where `M_i` turns by `q_i − ref_i`, or slides
//! by it. The link of joint `i` has its frame at the anchor: `T J_1 .. J_{i−1} Trans(p_i) M_i`. So the origin of joint
//! `i` is `Trans(p_i − p_{i−1})` (the first one's is `T Trans(p_1)`), turned or shifted by `−ref_i`, and everything in
//! the body is moved by `−p` of the last joint.

mod geoms;
mod joints;

use super::contacts::{BodyContacts, Carrier, Rules, excluded_pairs, required_pairs};
use super::elements::{Document, Element};
use super::equalities::tie;
use super::height_fields::{Load, height_fields};
use super::settings::{MAIN, Settings, Styled};
use crate::error::{Problem, Result};
use crate::scene::{Pose, ShapeFile};
use crate::source::shown;
use crate::urdf::{JointFile, JointKind, LinkFile, RobotFile, SceneryFile, tree};
use geoms::{MeshAsset, meshes, paired_geoms};
use glam::{DQuat, DVec3};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The link that carries everything, and the one with the geoms of the world.
const WORLD: &str = "world";
const WORLD_BODY: &str = "worldbody";

pub(super) fn robot(document: &Document, settings: &Settings, load: &mut Load<'_>) -> Result<RobotFile> {
    let mut builder = Builder {
        document,
        settings,
        load,
        meshes: meshes(document, settings)?,
        height_fields: height_fields(document, settings)?,
        known_fields: HashMap::new(),
        paired: paired_geoms(document),
        of_paired: HashMap::new(),
        body_count: 0,
        names: given_names(document)?,
        links: Vec::new(),
        joints: Vec::new(),
        zero: BTreeMap::new(),
        bodies: Vec::new(),
        planes: Vec::new(),
    };
    builder.links.push(LinkFile {
        name: WORLD.into(),
        line: document.root.main_line,
        collisions: Vec::new(),
    });
    builder.world()?;
    let Builder { mut links, mut joints, mut zero, mut bodies, planes, of_paired, .. } = builder;
    tie(document, settings, &mut joints, &mut zero)?;
    // The world's own geoms become a link only if there are some.
    if links[1].collisions.is_empty() {
        links.remove(1);
        joints.remove(0);
        bodies[0].link = WORLD.into();
    }
    let rules = Rules {
        bodies: &bodies,
        filter_parents: settings.filter_parents,
        excluded: excluded_pairs(document, &bodies)?,
        required: required_pairs(document, &of_paired)?,
    };
    let allowed = rules.allowed_pairs(document)?;
    let scenery = planes.into_iter().enumerate().map(|(i, Plane { described, body, filter })| {
        let allowed = rules.links_left_out(i, body, filter);
        SceneryFile { allowed, ..described }
    });
    let scenery = scenery.collect();
    let path = document.path().to_path_buf();
    let (joints, root) = tree::check(&links, joints).map_err(|fault| fault.in_file(&path))?;
    let name = document.root.attribute("model").unwrap_or_default().to_string();
    Ok(RobotFile { path, name, links, joints, root, allowed, zero, scenery, warnings: Vec::new() })
}

/// A plane, the body that it belongs to, and its `contype` and `conaffinity`.
struct Plane {
    described: SceneryFile,
    body: usize,
    filter: [u32; 2],
}

struct Builder<'a, 'l> {
    document: &'a Document,
    settings: &'a Settings,
    load: &'a mut Load<'l>,
    meshes: HashMap<String, MeshAsset>,
    height_fields: HashMap<String, &'a Element>,
    /// The shapes of the mesh assets that geoms have named.
    known_fields: HashMap<String, Vec<(Pose, ShapeFile)>>,
    /// The geoms that a `<pair>` names, and their places.
    paired: HashSet<&'a str>,
    of_paired: HashMap<&'a str, Carrier>,
    /// The bodies read up to now, the world among them. `bodies` has links of single geoms as well.
    body_count: usize,
    /// The names that are in use.
    names: HashSet<String>,
    links: Vec<LinkFile>,
    joints: Vec<JointFile>,
    zero: BTreeMap<String, f64>,
    bodies: Vec<BodyContacts>,
    planes: Vec<Plane>,
}

/// The place of the contents of a body or frame.
#[derive(Clone, Copy)]
struct Surroundings<'a> {
    /// The link that holds geoms, and its body, as indices.
    link: usize,
    body: usize,
    /// The link that carries bodies: equal to `link`, except that in the world it is the root.
    carrier: usize,
    /// The pose of the described contents in the frame of the link.
    pose: Pose,
    /// The pose of the link in the world, if the link is fixed to it.
    link_pose: Pose,
    class: &'a str,
}

impl<'a> Builder<'a, '_> {
    fn world(&mut self) -> Result<()> {
        let name = self.unused(WORLD_BODY.into());
        let line =
            self.document.sections("worldbody").next().map_or(document_line(self.document), |w| w.main_line);
        self.links.push(LinkFile { name: name.clone(), line, collisions: Vec::new() });
        let joint = self.unused(format!("{name}_fixed"));
        self.push_joint(joint, line, JointKind::Fixed, 0, name.clone(), Pose::IDENTITY);
        self.bodies.push(BodyContacts::world(name));
        self.body_count = 1;
        for section in self.document.sections("worldbody") {
            let class = self.child_class(section, MAIN)?;
            let (pose, link_pose) = (Pose::IDENTITY, Pose::IDENTITY);
            let around = Surroundings { link: 1, body: 0, carrier: 0, pose, link_pose, class };
            self.contents(section, around)?;
        }
        Ok(())
    }

    /// Reads the geoms and bodies in a body, in the world, or in a frame in one of these.
    fn contents(&mut self, element: &'a Element, around: Surroundings<'a>) -> Result<()> {
        for child in &element.children {
            match &child.tag[..] {
                "geom" => self.geom(child, around)?,
                "body" => self.body(child, around)?,
                "frame" => {
                    let (pose, class) = self.frame(child, around.pose, around.class)?;
                    self.contents(child, Surroundings { pose, class, ..around })?;
                }
                "joint" | "freejoint" if around.body == 0 => {
                    return Err(self.document.malformed(child, "the world has no joints"));
                }
                // The table of the format has no other tags with geometry.
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the pose and the class of a frame's contents.
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
            None => self.unused(format!("body{}", self.body_count)),
        };
        self.body_count += 1;
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
        let is_checked = self.bodies[parent].is_static() || !self.settings.filter_parents;
        if !is_fixed && parent != 0 && is_checked {
            // MuJoCo does collide a body with a parent that is fixed to the world; with a flag it collides all bodies
            // with their parents. Links that a joint connects are never checked, so a link without shapes is put
            // between the two.
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
                self.refuse_aligned(joint.element, element)?;
                // The coordinates are the pose of the body in the world.
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
        let link_pose = compose(&around.link_pose, &pose);
        self.contents(element, Surroundings { link: carrier, body, carrier, pose: offset, link_pose, class })
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
            velocity: None,
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

    /// Adds a link of a single geom, fixed to the link of its body. Returns its index and the index of its contacts.
    fn own_link(&mut self, geom: &'a Element, around: Surroundings<'a>) -> [usize; 2] {
        let body = &self.bodies[around.body].link;
        let name = self.unused(format!("{body}/{}", geom.name().unwrap_or_default()));
        let (joint, line) = (self.unused(format!("{name}_fixed")), geom.main_line);
        self.push_joint(joint, line, JointKind::Fixed, around.carrier, name.clone(), Pose::IDENTITY);
        self.links.push(LinkFile { name: name.clone(), line, collisions: Vec::new() });
        self.bodies.push(BodyContacts::part(name, around.body, &self.bodies));
        [self.links.len() - 1, self.bodies.len() - 1]
    }

    /// Refuses `align`: MuJoCo then moves the frame of a body without children to the frame of its inertia, and the
    /// coordinates with it.
    fn refuse_aligned(&self, joint: &Element, body: &Element) -> Result<()> {
        let is_aligned = match joint.attribute("align") {
            Some("true") => true,
            Some("false") => false,
            None | Some("auto") => self.settings.align_free,
            Some(other) => {
                let text = format!("align is true, false or auto, not \"{}\"", shown(other.as_bytes()));
                return Err(self.document.malformed(joint, text));
            }
        };
        if !is_aligned || has_bodies(body) {
            return Ok(());
        }
        let text = "a free joint that is aligned with the inertia of its body, which is not computed here: set align=\"false\", and give the \
                    pose of the body's own frame";
        Err(self.document.unsupported(joint, text))
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

    /// Returns a name that is not in use.
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

fn document_line(document: &Document) -> usize {
    document.root.main_line
}

/// Returns the names that bodies and joints give themselves. Two bodies, joints or geoms of one name are refused.
fn given_names(document: &Document) -> Result<HashSet<String>> {
    let mut names = HashSet::from([WORLD.to_string()]);
    let mut seen: HashSet<(&str, &str)> = HashSet::from([("body", WORLD)]);
    let mut open: Vec<&Element> = document.sections("worldbody").collect();
    while let Some(element) = open.pop() {
        open.extend(&element.children);
        let what = match &element.tag[..] {
            "freejoint" => "joint",
            tag @ ("body" | "joint" | "geom") => tag,
            _ => continue,
        };
        let Some(name) = element.name() else { continue };
        if !seen.insert((what, name)) {
            let text = format!("a second {what} called \"{}\"", shown(name.as_bytes()));
            return Err(document.malformed(element, text));
        }
        // Geoms are not links.
        if what != "geom" {
            names.insert(name.to_string());
        }
    }
    Ok(names)
}

/// Returns true if a body carries others.
fn has_bodies(element: &Element) -> bool {
    element.children.iter().any(|child| child.tag == "body" || (child.tag == "frame" && has_bodies(child)))
}

/// Returns a pose in the frame of another.
fn compose(outer: &Pose, inner: &Pose) -> Pose {
    if *outer == Pose::IDENTITY {
        return *inner;
    }
    let quat = if inner.quat == DQuat::IDENTITY { outer.quat } else { (outer.quat * inner.quat).normalize() };
    Pose { xyz: outer.xyz + outer.quat * inner.xyz, quat }
}
