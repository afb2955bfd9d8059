//! Compiler settings and default classes.
//!
//! A class starts as a copy of its parent, as in MuJoCo: later changes of the parent do not change it. An attribute
//! that an element does not have comes from its class. That is the class that it names, or that of the nearest
//! `childclass`, or `main`.

use super::elements::{Document, Element};
use crate::error::Result;
use crate::scene::Pose;
use crate::source::shown;
use glam::{DMat3, DQuat, DVec3};
use std::collections::HashMap;
use std::path::PathBuf;

/// The contents of `<compiler>` and `<default>`.
pub(super) struct Settings {
    /// The factor that converts angles of the file to radians.
    pub(super) radians: f64,
    euler_sequence: [u8; 3],
    pub(super) autolimits: bool,
    /// True if `align="auto"` of a free joint means "true".
    pub(super) align_free: bool,
    /// True if a body is not checked against the one that carries it.
    pub(super) filter_parents: bool,
    /// True if equality constraints hold.
    pub(super) equalities: bool,
    pub(super) mesh_folder: PathBuf,
    pub(super) strip_path: bool,
    classes: HashMap<String, Class>,
}

/// For each tag, the attributes of a class.
type Class = HashMap<String, HashMap<String, String>>;

/// An element with the class that its missing attributes come from.
#[derive(Clone, Copy)]
pub(super) struct Styled<'a> {
    pub(super) element: &'a Element,
    defaults: Option<&'a HashMap<String, String>>,
}

impl<'a> Styled<'a> {
    /// Returns an element of a kind that has no defaults.
    pub(super) fn plain(element: &'a Element) -> Styled<'a> {
        Styled { element, defaults: None }
    }

    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.element.attribute(name).or_else(|| self.default(name))
    }

    /// Returns the value of the class, ignoring the element's own.
    pub(super) fn default(&self, name: &str) -> Option<&'a str> {
        self.defaults.and_then(|defaults| defaults.get(name)).map(String::as_str)
    }
}

/// The name of the class of all elements that name none.
pub(super) const MAIN: &str = "main";

/// Nested classes hold a copy of their inherited attributes. More attributes than this in total are refused.
const MOST_ATTRIBUTES: usize = 1_000_000;

impl Settings {
    pub(super) fn read(document: &Document) -> Result<Settings> {
        let mut settings = Settings {
            radians: std::f64::consts::PI / 180.0,
            euler_sequence: *b"xyz",
            autolimits: true,
            align_free: false,
            filter_parents: true,
            equalities: true,
            mesh_folder: PathBuf::new(),
            strip_path: false,
            classes: HashMap::from([(MAIN.to_string(), Class::new())]),
        };
        let (mut asset_folder, mut mesh_folder) = (None, None);
        for element in document.sections("compiler") {
            settings.compiler(document, element)?;
            asset_folder = element.attribute("assetdir").or(asset_folder);
            mesh_folder = element.attribute("meshdir").or(mesh_folder);
        }
        let (mut equality, mut constraint) = (true, true);
        for flags in document.sections("option").flat_map(|option| &option.children) {
            for (name, flag) in [
                ("filterparent", &mut settings.filter_parents),
                ("equality", &mut equality),
                ("constraint", &mut constraint),
            ] {
                if let Some(choice) = word(document, flags, name, ["disable", "enable"])? {
                    *flag = choice == 1;
                }
            }
        }
        settings.equalities = equality && constraint;
        settings.mesh_folder = mesh_folder.or(asset_folder).unwrap_or_default().into();
        let mut total = 0;
        for element in document.sections("default") {
            settings.class(document, element, None, &mut total)?;
        }
        Ok(settings)
    }

    fn compiler(&mut self, document: &Document, element: &Element) -> Result<()> {
        let word = |name: &str, allowed: [&'static str; 2]| word(document, element, name, allowed);
        match word("angle", ["degree", "radian"])? {
            Some(0) => self.radians = std::f64::consts::PI / 180.0,
            Some(_) => self.radians = 1.0,
            None => {}
        }
        if word("coordinate", ["local", "global"])? == Some(1) {
            return Err(document.unsupported(element, "global coordinates, which MuJoCo no longer has"));
        }
        if let Some(choice) = word("autolimits", ["false", "true"])? {
            self.autolimits = choice == 1;
        }
        if let Some(choice) = word("alignfree", ["false", "true"])? {
            self.align_free = choice == 1;
        }
        if let Some(choice) = word("strippath", ["false", "true"])? {
            self.strip_path = choice == 1;
        }
        if let Some(sequence) = element.attribute("eulerseq") {
            let letters: Option<[u8; 3]> = sequence.as_bytes().try_into().ok();
            let known = letters.filter(|letters| letters.iter().all(|letter| b"xyzXYZ".contains(letter)));
            self.euler_sequence = known.ok_or_else(|| {
                let sequence = shown(sequence.as_bytes());
                document
                    .malformed(element, format!("eulerseq has three letters of xyzXYZ, not \"{sequence}\""))
            })?;
        }
        Ok(())
    }

    /// Reads a class and those inside it.
    fn class(
        &mut self,
        document: &Document,
        element: &Element,
        parent: Option<&str>,
        total: &mut usize,
    ) -> Result<()> {
        let name = match (element.attribute("class"), parent) {
            (Some(name), _) if !name.is_empty() => name,
            (_, None) => MAIN,
            (_, Some(_)) => return Err(document.malformed(element, "a nested <default> needs class=\"...\"")),
        };
        // A class of the outermost level other than `main` inherits from `main`.
        let mut class = match parent {
            None => self.classes.get(name).or(self.classes.get(MAIN)).cloned().unwrap_or_default(),
            Some(_) if self.classes.contains_key(name) => {
                let name = shown(name.as_bytes());
                return Err(document.malformed(element, format!("a second class called \"{name}\"")));
            }
            Some(parent) => self.classes[parent].clone(),
        };
        for child in element.children.iter().filter(|child| child.tag != "default") {
            let attributes = class.entry(child.tag.clone()).or_default();
            // An element that gives its place or orientation in one way replaces the way of its parent.
            for (key, value) in child.attributes() {
                if ORIENTATIONS.contains(&&key[..]) {
                    attributes.retain(|known, _| !ORIENTATIONS.contains(&&known[..]));
                }
                attributes.insert(key.clone(), value.clone());
            }
        }
        *total += class.values().map(HashMap::len).sum::<usize>();
        if *total > MOST_ATTRIBUTES {
            return Err(document.malformed(element, "the default classes have too many attributes"));
        }
        self.classes.insert(name.to_string(), class);
        for child in element.children.iter().filter(|child| child.tag == "default") {
            self.class(document, child, Some(name), total)?;
        }
        Ok(())
    }

    /// Returns an element with its class; `inherited` is that of the nearest `childclass`.
    pub(super) fn styled<'a>(
        &'a self,
        document: &Document,
        element: &'a Element,
        inherited: &str,
    ) -> Result<Styled<'a>> {
        self.styled_as(document, element, &element.tag, inherited)
    }

    /// Like [`Self::styled`], for an element whose defaults have another tag.
    pub(super) fn styled_as<'a>(
        &'a self,
        document: &Document,
        element: &'a Element,
        tag: &str,
        inherited: &str,
    ) -> Result<Styled<'a>> {
        let name = element.attribute("class").unwrap_or(inherited);
        let class = self.classes.get(name).ok_or_else(|| {
            document.malformed(element, format!("there is no class \"{}\"", shown(name.as_bytes())))
        })?;
        Ok(Styled { element, defaults: class.get(tag) })
    }

    /// Returns the pose of an element in the frame of its parent. The class gives the attributes that the element does
    /// not have.
    pub(super) fn pose(&self, document: &Document, styled: Styled<'_>) -> Result<Pose> {
        let xyz = match styled.attribute("pos") {
            Some(value) => DVec3::from_array(document.fixed(styled.element, "pos", value)?),
            None => DVec3::ZERO,
        };
        Ok(Pose { xyz, quat: self.orientation(document, styled)? })
    }

    fn orientation(&self, document: &Document, styled: Styled<'_>) -> Result<DQuat> {
        let element = styled.element;
        let own: Vec<&str> =
            ORIENTATIONS.into_iter().filter(|name| element.attribute(name).is_some()).collect();
        if own.len() > 1 {
            let text = format!(
                "<{}> has {}: one orientation is enough",
                shown(element.tag.as_bytes()),
                own.join(" and ")
            );
            return Err(document.malformed(element, text));
        }
        let inherited = || ORIENTATIONS.into_iter().find(|name| styled.default(name).is_some());
        let Some(name) = own.first().copied().or_else(inherited) else { return Ok(DQuat::IDENTITY) };
        let value = styled.attribute(name).unwrap_or_default();
        let zero = |what: &str| document.malformed(element, format!("{what} is zero, or nearly"));
        Ok(match name {
            "quat" => {
                let [w, x, y, z] = document.fixed(element, name, value)?;
                let quat = DQuat::from_xyzw(x, y, z, w);
                if !(1e-150..=1e150).contains(&quat.length()) {
                    return Err(zero("quat"));
                }
                quat.normalize()
            }
            "axisangle" => {
                let [x, y, z, angle] = document.fixed(element, name, value)?;
                let axis = unit(DVec3::new(x, y, z)).ok_or_else(|| zero("the axis of axisangle"))?;
                DQuat::from_axis_angle(axis, angle * self.radians)
            }
            "euler" => {
                let angles: [f64; 3] = document.fixed(element, name, value)?;
                let mut quat = DQuat::IDENTITY;
                for (letter, angle) in self.euler_sequence.into_iter().zip(angles) {
                    let axis = DVec3::AXES[usize::from(letter.to_ascii_lowercase() - b'x')];
                    let turn = DQuat::from_axis_angle(axis, angle * self.radians);
                    // Lower-case axes turn with the frame, upper-case ones stay.
                    quat = if letter.is_ascii_lowercase() { quat * turn } else { turn * quat };
                }
                quat
            }
            "xyaxes" => {
                let [a, b, c, d, e, f] = document.fixed(element, name, value)?;
                let x = unit(DVec3::new(a, b, c)).ok_or_else(|| zero("the first axis of xyaxes"))?;
                let y = DVec3::new(d, e, f);
                let y = unit(y - x * x.dot(y))
                    .ok_or_else(|| zero("the second axis of xyaxes, across the first,"))?;
                DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
            }
            _ => {
                let axis: [f64; 3] = document.fixed(element, name, value)?;
                z_towards(DVec3::from_array(axis)).ok_or_else(|| zero("zaxis"))?
            }
        })
    }

    /// Returns the path of a mesh file that is given by name.
    pub(super) fn mesh_path(&self, written: &str) -> PathBuf {
        let plain = written.trim().replace('\\', "/");
        let file = match plain.rsplit_once('/') {
            Some((_, last)) if self.strip_path => last,
            _ => &plain,
        };
        self.mesh_folder.join(file)
    }

    /// Refuses a class that is not known.
    pub(super) fn known_class<'a>(
        &self,
        document: &Document,
        element: &'a Element,
        name: &'a str,
    ) -> Result<&'a str> {
        if self.classes.contains_key(name) {
            return Ok(name);
        }
        Err(document.malformed(element, format!("there is no class \"{}\"", shown(name.as_bytes()))))
    }
}

/// Returns the index of an attribute among two words.
fn word(
    document: &Document,
    element: &Element,
    name: &str,
    allowed: [&'static str; 2],
) -> Result<Option<usize>> {
    let Some(value) = element.attribute(name) else { return Ok(None) };
    let found = allowed.iter().position(|word| *word == value);
    found.map(Some).ok_or_else(|| {
        let [first, second] = allowed;
        let (tag, value) = (shown(element.tag.as_bytes()), shown(value.as_bytes()));
        document.malformed(element, format!("{tag} {name} is {first} or {second}, but not \"{value}\""))
    })
}

/// The ways to give an orientation.
const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// Returns the vector with length 1, unless it is too short or too long for that.
pub(super) fn unit(vector: DVec3) -> Option<DVec3> {
    (1e-14..1e150).contains(&vector.length()).then(|| vector.normalize())
}

/// Returns the smallest rotation that takes z to a direction.
pub(super) fn z_towards(direction: DVec3) -> Option<DQuat> {
    let direction = unit(direction)?;
    let across = DVec3::Z.cross(direction);
    let sine = across.length();
    // Opposite to z, any axis perpendicular to z will do; MuJoCo takes x.
    let axis = if sine < 1e-10 { DVec3::X } else { across / sine };
    Some(DQuat::from_axis_angle(axis, sine.atan2(direction.z)))
}
