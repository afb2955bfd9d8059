//! Geoms as collision geometry of links, planes and height fields as scenery, and the mesh assets that geoms name.

use super::{Builder, Plane, Surroundings, compose};
use crate::error::{Error, Problem, Result};
use crate::mjcf::contacts::Carrier;
use crate::mjcf::elements::{Document, Element};
use crate::mjcf::height_fields::solid_of;
use crate::mjcf::settings::{MAIN, Settings, Styled, z_towards};
use crate::scene::{Pose, ShapeFile};
use crate::source::{integer, shown};
use crate::urdf::{CollisionFile, SceneryFile};
use glam::{DQuat, DVec3};
use std::collections::{HashMap, HashSet};

/// A mesh asset: its file and scale, and the pose in which its vertices are given.
pub(super) struct MeshAsset {
    geometry: ShapeFile,
    reference: Pose,
}

/// More planes than any model has. Each has a list of the links that are not checked against it.
const MOST_PLANES: usize = 100;

impl<'a> Builder<'a, '_> {
    pub(super) fn geom(&mut self, element: &'a Element, around: Surroundings<'a>) -> Result<()> {
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
        let filter = [bits("contype")?, bits("conaffinity")?];
        let paired = element.name().filter(|name| self.paired.contains(name));
        if filter == [0, 0] && paired.is_none() {
            return Ok(());
        }
        let shapes = match kind_of(styled) {
            "plane" => {
                if let Some(name) = paired {
                    self.of_paired.insert(name, Carrier::Plane(self.planes.len()));
                }
                return self.plane(styled, around, filter);
            }
            "hfield" => self.height_field(styled, around)?,
            kind => vec![self.geometry(styled, kind)?],
        };
        let [link, body] = match paired {
            None => [around.link, around.body],
            Some(name) => {
                let [link, body] = self.own_link(element, around);
                self.of_paired.insert(name, Carrier::Body(body));
                [link, body]
            }
        };
        self.bodies[body].add(filter);
        for (pose, geometry) in shapes {
            let origin = compose(&around.pose, &pose);
            self.finite(element, &origin)?;
            self.links[link].collisions.push(CollisionFile {
                name: element.name().map(str::to_string),
                line: element.main_line,
                origin,
                geometry,
            });
        }
        Ok(())
    }

    /// Adds a plane. It has no end, whatever its size, and is not part of a link. Everything below it is inside.
    fn plane(&mut self, styled: Styled<'a>, around: Surroundings<'a>, filter: [u32; 2]) -> Result<()> {
        let element = styled.element;
        self.refuse_moving(element, around, "plane")?;
        self.refuse_fitted(styled, "plane")?;
        if self.planes.len() >= MOST_PLANES {
            let problem =
                Problem::TooLarge { what: "the number of planes".into(), limit: MOST_PLANES as u64 };
            return Err(self.document.error(element, problem));
        }
        self.sizes(styled)?;
        let pose = self.settings.pose(self.document, styled)?;
        let origin = compose(&around.link_pose, &compose(&around.pose, &pose));
        self.finite(element, &origin)?;
        let described = SceneryFile {
            name: self.unused(element.name().unwrap_or("plane").to_string()),
            line: element.main_line,
            origin,
            geometry: ShapeFile::HalfSpace { normal: DVec3::Z, offset: 0.0 },
            allowed: Vec::new(),
        };
        self.planes.push(Plane { described, body: around.body, filter });
        Ok(())
    }

    /// Returns the shapes of a height field, and their poses in the body.
    fn height_field(
        &mut self,
        styled: Styled<'a>,
        around: Surroundings<'a>,
    ) -> Result<Vec<(Pose, ShapeFile)>> {
        let (document, element) = (self.document, styled.element);
        self.refuse_moving(element, around, "height field")?;
        let missing = || document.malformed(element, "a geom of type hfield needs hfield=\"...\"");
        let name = styled.attribute("hfield").ok_or_else(missing)?;
        let unknown = || format!("there is no height field \"{}\" among the assets", shown(name.as_bytes()));
        let asset = self.height_fields.get(name).ok_or_else(|| document.malformed(element, unknown()))?;
        let pose = self.settings.pose(document, styled)?;
        if !self.known_fields.contains_key(name) {
            let shapes = solid_of(document, self.settings, asset, self.load)?;
            self.known_fields.insert(name.to_string(), shapes);
        }
        let shapes = self.known_fields[name].iter();
        Ok(shapes.map(|(own, shape)| (compose(&pose, own), shape.clone())).collect())
    }

    /// Refuses a primitive that MuJoCo fits to a mesh.
    fn refuse_fitted(&self, styled: Styled<'_>, kind: &str) -> Result<()> {
        if styled.attribute("mesh").is_none() {
            return Ok(());
        }
        let text = format!("a {} fitted to a mesh", shown(kind.as_bytes()));
        Err(self.document.unsupported(styled.element, text))
    }

    /// Refuses a moving body, as MuJoCo does.
    fn refuse_moving(&self, element: &Element, around: Surroundings<'_>, what: &str) -> Result<()> {
        if self.bodies[around.body].is_static() {
            return Ok(());
        }
        let text =
            format!("a {what} belongs to the world or to a body that is fixed to it, not to one that moves");
        Err(self.document.malformed(element, text))
    }

    /// Returns the shape of a geom, and its pose in the body.
    fn geometry(&self, styled: Styled<'_>, kind: &str) -> Result<(Pose, ShapeFile)> {
        let Builder { document, settings, .. } = self;
        let element = styled.element;
        if kind == "mesh" {
            let missing = || document.malformed(element, "a geom of type mesh needs mesh=\"...\"");
            let name = styled.attribute("mesh").ok_or_else(missing)?;
            let unknown = || format!("there is no mesh \"{}\" among the assets", shown(name.as_bytes()));
            let mesh = self.meshes.get(name).ok_or_else(|| document.malformed(element, unknown()))?;
            let pose = settings.pose(document, styled)?;
            return Ok((compose(&pose, &mesh.reference), mesh.geometry.clone()));
        }
        self.refuse_fitted(styled, kind)?;
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
            ("sdf", _) => {
                return Err(document
                    .unsupported(element, format!("a geom of type {kind} that takes part in contacts")));
            }
            _ => {
                let text = format!(
                    "\"{}\" is not a type of geom: use plane, hfield, sphere, capsule, ellipsoid, cylinder, box or mesh",
                    shown(kind.as_bytes())
                );
                return Err(document.malformed(element, text));
            }
        };
        Ok((pose, shape))
    }

    /// Returns the sizes of a geom. A geom may give fewer sizes than its class; the class gives the others.
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
}

/// Returns the type of a geom.
fn kind_of(styled: Styled<'_>) -> &str {
    let otherwise = if styled.attribute("mesh").is_some() { "mesh" } else { "sphere" };
    styled.attribute("type").unwrap_or(otherwise)
}

/// Returns the geoms that some `<pair>` of `<contact>` names.
pub(super) fn paired_geoms(document: &Document) -> HashSet<&str> {
    let pairs = document.sections("contact").flat_map(|contact| &contact.children);
    let pairs = pairs.filter(|element| element.tag == "pair");
    pairs.flat_map(|pair| ["geom1", "geom2"].into_iter().filter_map(|name| pair.attribute(name))).collect()
}

pub(super) fn meshes(document: &Document, settings: &Settings) -> Result<HashMap<String, MeshAsset>> {
    let mut meshes = HashMap::new();
    for element in document.sections("asset").flat_map(|asset| &asset.children) {
        if element.tag != "mesh" {
            continue;
        }
        let styled = settings.styled(document, element, MAIN)?;
        let is_inline = ["vertex", "builtin"].into_iter().any(|name| styled.attribute(name).is_some());
        let Some(file) = styled.attribute("file").filter(|_| !is_inline) else {
            let text = "a mesh without a file: inline vertices and built-in meshes; write them to an OBJ or STL file";
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
        // MuJoCo translates, then rotates, then scales. A rotation can be applied after the scale if the scale is the
        // same along all axes.
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
