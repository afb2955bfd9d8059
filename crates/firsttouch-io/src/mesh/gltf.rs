//! glTF 2.0: `.gltf` with data URIs or buffer files beside it, and `.glb`.
//!
//! 1. Split a GLB into its JSON and binary chunks; parse the JSON into the few structures that carry geometry.
//! 2. Walk the nodes of the default scene (the first scene, or all root nodes, when none is named), each node
//!    once, with its matrix or translation, rotation and scale, composed in f64.
//! 3. Read the positions and indices of each primitive through its accessors, every range checked against the buffer,
//!    and append them transformed. Morph targets are added with their default weights, those of the node or of the
//!    mesh. Triangles, strips and fans become triangles; lines and points go to the loose lists. All meshes of the
//!    scene are merged into one.
//!
//! Coordinates stay as glTF has them: metres, y up. Refused with a message: required extensions that affect more than
//! looks (Draco and meshopt compression, quantisation ...), GPU instancing, skins, buffers on the network or outside
//! the folder of the file. A node that is reached twice is an error, because the format demands a forest. This excludes
//! cycles and an exponential number of instances.
//!
//! Animations, meshes outside of the scene, unknown keys and unknown extensions give warnings; `keys` has the list.
//!
//! This reader does not use a crate: `gltf` 1.4 keeps node transforms in f32, and its accessor
//! iterators leave the check of ranges to the caller.

mod accessors;
mod keys;

#[cfg(test)]
pub(super) use keys::TABLES;

use super::affine;
use super::polygon::Polygons;
use super::{MAX_INSTANCES, MeshData, room_for};
use crate::error::{Error, Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::parts::{Doubts, Treatment};
use crate::source::shown;
use accessors::{FLOAT, Range, U8, U16, U32, elements};
use glam::{DAffine3, DMat4, DQuat, DVec3};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path};
use std::rc::Rc;

/// Reads a glTF or GLB file from memory; `name` is for messages. `load` fetches a buffer file by its name
/// relative to the glTF file.
///
/// ```
/// let error = firsttouch_io::read_gltf(b"{}", "a.gltf", &|_| unreachable!()).unwrap_err();
/// assert!(error.to_string().contains("missing field `asset`"));
/// ```
pub fn read_gltf(bytes: &[u8], name: impl AsRef<Path>, load: Load<'_>) -> Result<MeshData> {
    read(bytes, name.as_ref(), load, &Files::default())
}

/// Reads a glTF or GLB file within limits.
pub(super) fn read(bytes: &[u8], name: &Path, load: Load<'_>, files: &Files) -> Result<MeshData> {
    let fail = |fault: Fault| fault.in_file(name);
    let (json, binary) = chunks(bytes).map_err(fail)?;
    let root: Root = serde_json::from_slice(json)
        .map_err(|e| malformed(format!("glTF JSON: {e}")).at(Place::Line(e.line().max(1))).in_file(name))?;
    root.check_version_and_extensions().map_err(fail)?;
    let doubts = Doubts::new(files, name);
    let length = bytes.get(8..12).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes) as usize;
    if bytes.starts_with(b"glTF") && length < bytes.len() {
        let text = format!("{} more bytes follow the GLB, and are not read", bytes.len() - length);
        doubts.warn(Place::Byte(length), text);
    }
    keys::check(json, &doubts).map_err(fail)?;
    let buffers = root.load_buffers(binary, name, load, files)?;
    assemble(&root, &buffers, files, &doubts).map_err(fail)
}

/// The bytes of a buffer, shared by all buffers that name the same file.
type Buffered<'a> = Rc<Cow<'a, [u8]>>;

/// Fetches a buffer file by its relative name.
type Load<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Root {
    asset: Asset,
    scene: Option<usize>,
    #[serde(default)]
    scenes: Vec<Scene>,
    #[serde(default)]
    nodes: Vec<Node>,
    #[serde(default)]
    meshes: Vec<Mesh>,
    #[serde(default)]
    accessors: Vec<Accessor>,
    #[serde(default)]
    buffer_views: Vec<View>,
    #[serde(default)]
    buffers: Vec<Buffer>,
    #[serde(default)]
    extensions_required: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asset {
    version: String,
    min_version: Option<String>,
}

#[derive(Deserialize)]
struct Scene {
    #[serde(default)]
    nodes: Vec<usize>,
}

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    children: Vec<usize>,
    mesh: Option<usize>,
    skin: Option<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
    /// The weight of each morph target, which replaces the mesh's own weights.
    weights: Option<Vec<f64>>,
}

#[derive(Deserialize)]
struct Mesh {
    primitives: Vec<Primitive>,
    weights: Option<Vec<f64>>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: Attributes,
    indices: Option<usize>,
    mode: Option<u32>,
    /// Displacements of the vertices.
    #[serde(default)]
    targets: Vec<Attributes>,
}

#[derive(Deserialize)]
struct Attributes {
    #[serde(rename = "POSITION")]
    position: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    shape: String,
    sparse: Option<Sparse>,
}

/// Elements that replace those of the accessor, or zeros if it has no buffer.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sparse {
    count: usize,
    indices: SparseList,
    values: SparseList,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SparseList {
    buffer_view: usize,
    #[serde(default)]
    byte_offset: usize,
    /// Only indices have this.
    component_type: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Buffer {
    uri: Option<String>,
    byte_length: usize,
}

/// Returns the JSON, and the binary chunk if there is one.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Fault> {
    let Some(rest) = bytes.strip_prefix(b"glTF") else {
        return Ok((bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None));
    };
    let word = |offset: usize, what: &str| {
        let bytes = rest.get(offset - 4..offset).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        bytes.ok_or_else(|| Problem::Truncated { what: what.into() }.at(Place::Byte(offset)))
    };
    let version = word(4, "the GLB header")?;
    if version != 2 {
        return Err(Problem::Unsupported(format!("GLB version {version}")).at(Place::Byte(4)));
    }
    let length = word(8, "the GLB header")? as usize;
    if length > bytes.len() {
        return Err(Problem::Truncated { what: format!("the {length} bytes of the GLB") }.at(Place::Byte(8)));
    }
    let chunk = |offset: usize| -> Result<(u32, &[u8]), Fault> {
        let size = word(offset, "a GLB chunk")? as usize;
        let kind = word(offset + 4, "a GLB chunk")?;
        let content = bytes[..length].get(offset + 8..).and_then(|b| b.get(..size));
        let truncated = || Problem::Truncated { what: "a GLB chunk".into() }.at(Place::Byte(offset));
        Ok((kind, content.ok_or_else(truncated)?))
    };
    let (kind, json) = chunk(12)?;
    if kind != u32::from_le_bytes(*b"JSON") {
        return Err(malformed("the first chunk of a GLB must be JSON").at(Place::Byte(16)));
    }
    let next = (20 + json.len()).next_multiple_of(4);
    let binary = if next + 8 <= length { Some(chunk(next)?) } else { None };
    Ok((json, binary.filter(|(kind, _)| *kind == u32::from_le_bytes(*b"BIN\0")).map(|(_, content)| content)))
}

impl Root {
    fn check_version_and_extensions(&self) -> Result<(), Fault> {
        let least = self.asset.min_version.as_deref().filter(|version| *version != "2.0");
        if let Some(version) =
            least.or((!self.asset.version.starts_with("2.")).then_some(&self.asset.version))
        {
            let what = format!("glTF version {}: export the file as glTF 2.0", shown(version.as_bytes()));
            return Err(Problem::Unsupported(what).at(Place::Item("asset".into())));
        }
        let is_compression = |name: &str| name.ends_with("_compression") || name == "KHR_mesh_quantization";
        let only_looks = |name: &str| {
            !is_compression(name) && keys::EXTENSIONS.treatment(name) == Some(Treatment::Ignored)
        };
        match self.extensions_required.iter().find(|name| !only_looks(name)) {
            None => Ok(()),
            Some(name) => {
                let hint = if is_compression(name) {
                    "; export the mesh uncompressed"
                } else {
                    "; export the mesh without it"
                };
                let what = format!("the required extension {}{hint}", shown(name.as_bytes()));
                Err(Problem::Unsupported(what).at(Place::Item("extensionsRequired".into())))
            }
        }
    }

    /// Returns the bytes of every buffer. A file or chunk that several buffers name is loaded once.
    fn load_buffers<'a>(
        &self,
        binary: Option<&'a [u8]>,
        name: &Path,
        load: Load<'_>,
        files: &Files,
    ) -> Result<Vec<Buffered<'a>>> {
        let mut loaded: HashMap<&str, Buffered<'a>> = HashMap::new();
        let mut total = 0;
        let mut all = Vec::with_capacity(self.buffers.len());
        for (i, buffer) in self.buffers.iter().enumerate() {
            let fail = |problem: Problem| problem.at(Place::Item(format!("buffers[{i}]"))).in_file(name);
            let bytes = match (&buffer.uri, binary) {
                (None, Some(binary)) if i == 0 => Rc::new(Cow::Borrowed(binary)),
                (None, _) => return Err(fail(malformed("the buffer has neither a uri nor a binary chunk"))),
                (Some(uri), _) => match loaded.get(&uri[..]) {
                    Some(known) => known.clone(),
                    None => {
                        let bytes: Buffered<'a> = Rc::new(Cow::Owned(buffer_bytes(uri, load).map_err(fail)?));
                        total += bytes.len() as u64;
                        files.fits(total, "the buffers together").map_err(fail)?;
                        loaded.insert(uri, Rc::clone(&bytes));
                        bytes
                    }
                },
            };
            if bytes.len() < buffer.byte_length {
                let what = format!("its {} bytes, of which {} are there", buffer.byte_length, bytes.len());
                return Err(fail(Problem::Truncated { what }));
            }
            all.push(bytes);
        }
        Ok(all)
    }

    fn roots(&self) -> Result<Vec<usize>, Fault> {
        let place = || Place::Item("scenes".into());
        match (self.scene, self.scenes.first()) {
            (Some(i), _) => Ok(get(&self.scenes, i, "scene", place)?.nodes.clone()),
            (None, Some(scene)) => Ok(scene.nodes.clone()),
            (None, None) => {
                let mut is_child = vec![false; self.nodes.len()];
                for &child in self.nodes.iter().flat_map(|n| &n.children) {
                    if let Some(flag) = is_child.get_mut(child) {
                        *flag = true;
                    }
                }
                Ok((0..self.nodes.len()).filter(|&i| !is_child[i]).collect())
            }
        }
    }
}

/// Returns the bytes of a URI: its own data, or a file in the folder of the glTF file or below.
fn buffer_bytes(uri: &str, load: Load<'_>) -> Result<Vec<u8>, Problem> {
    if let Some(data) = uri.strip_prefix("data:") {
        return decode_data(data);
    }
    let file = percent_decoded(uri);
    // The decoded path counts: `%2F` is a slash, and `..` goes up.
    let goes_down = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    if uri.contains("://") || file.starts_with(['/', '\\']) || !Path::new(&file).components().all(goes_down) {
        let what = format!("a buffer outside the folder: \"{}\"", shown(uri.as_bytes()));
        return Err(Problem::Unsupported(what));
    }
    load(&file)
        .map_err(|error: Error| Problem::Named { context: "buffer file ".into(), error: Box::new(error) })
}

fn get<'a, T>(
    list: &'a [T],
    index: usize,
    what: &str,
    place: impl FnOnce() -> Place,
) -> Result<&'a T, Fault> {
    list.get(index).ok_or_else(|| {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        Problem::IndexOutOfRange { what: what.into(), index, len: list.len() }.at(place())
    })
}

fn assemble(
    root: &Root,
    buffers: &[Buffered<'_>],
    files: &Files,
    doubts: &Doubts<'_>,
) -> Result<MeshData, Fault> {
    let mut whole = MeshData::default();
    let mut seen = vec![false; root.nodes.len()];
    let mut instances = 0;
    let mut stack: Vec<(usize, DAffine3)> =
        root.roots()?.into_iter().rev().map(|i| (i, DAffine3::IDENTITY)).collect();
    while let Some((i, parent)) = stack.pop() {
        let place = || Place::Item(format!("nodes[{i}]"));
        let node = get(&root.nodes, i, "node", place)?;
        if std::mem::replace(&mut seen[i], true) {
            return Err(malformed("the node is reached twice: nodes must form a forest").at(place()));
        }
        let transform = parent * local_transform(node).map_err(|e| e.at(place()))?;
        if let Some(m) = node.mesh {
            if node.skin.is_some() {
                let what = "a skinned mesh: apply the armature and export the mesh without it";
                return Err(Problem::Unsupported(what.into()).at(place()));
            }
            let mesh = get(&root.meshes, m, "mesh", place)?;
            let weights = node.weights.as_ref().or(mesh.weights.as_ref());
            for (k, primitive) in mesh.primitives.iter().enumerate() {
                let item = format!("meshes[{m}].primitives[{k}]");
                instances += 1;
                if instances > MAX_INSTANCES {
                    let what = "the number of primitives".into();
                    return Err(Problem::TooLarge { what, limit: MAX_INSTANCES }.at(Place::Item(item)));
                }
                let part = read_primitive(root, buffers, primitive, weights, &item, files)?;
                let added = room_for(&whole, &part, files).and_then(|()| whole.append(&part, &transform));
                added.map_err(|e| e.at(Place::Item(item)))?;
            }
        }
        stack.extend(node.children.iter().rev().map(|&child| (child, transform)));
    }
    doubt_what_is_left_out(root, &seen, doubts);
    whole.not_empty()
}

/// Warns about meshes that are not in the scene that is read.
fn doubt_what_is_left_out(root: &Root, seen: &[bool], doubts: &Doubts<'_>) {
    let with_mesh = root.nodes.iter().enumerate().filter(|(_, node)| node.mesh.is_some());
    let mut outside = with_mesh.filter(|(i, _)| !seen[*i]);
    if let Some((first, _)) = outside.next() {
        let nodes = match outside.count() {
            0 => "a node with a mesh is not in the scene that is read, and is left out".into(),
            more => {
                format!("{} nodes with meshes are not in the scene that is read, and are left out", more + 1)
            }
        };
        let text = format!("{nodes}: give the file one scene with all that counts");
        doubts.warn(Place::Item(format!("nodes[{first}]")), text);
    }
    let mut has_node = vec![false; root.meshes.len()];
    for mesh in root.nodes.iter().filter_map(|node| node.mesh) {
        if let Some(flag) = has_node.get_mut(mesh) {
            *flag = true;
        }
    }
    if let Some(first) = has_node.iter().position(|has_node| !has_node) {
        doubts.warn(Place::Item(format!("meshes[{first}]")), "no node has the mesh, and it is left out");
    }
}

fn local_transform(node: &Node) -> Result<DAffine3, Problem> {
    if node.matrix.is_some()
        && (node.translation.is_some() || node.rotation.is_some() || node.scale.is_some())
    {
        return Err(malformed("a node has a matrix, or translation, rotation and scale, not both"));
    }
    let transform = match node.matrix {
        Some(columns) => affine(DMat4::from_cols_array(&columns))?,
        None => {
            // A quaternion of f32 accuracy is brought to unit length; zero has no direction.
            let rotation = DQuat::from_array(node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
            let length = rotation.length();
            if !(length.is_finite() && length > 0.0) {
                return Err(malformed("the rotation is a zero quaternion, or not finite"));
            }
            DAffine3::from_scale_rotation_translation(
                DVec3::from_array(node.scale.unwrap_or([1.0; 3])),
                rotation / length,
                DVec3::from_array(node.translation.unwrap_or([0.0; 3])),
            )
        }
    };
    if transform.is_finite() { Ok(transform) } else { Err(malformed("the transform is not finite")) }
}

fn read_primitive(
    root: &Root,
    buffers: &[Buffered<'_>],
    primitive: &Primitive,
    weights: Option<&Vec<f64>>,
    item: &str,
    files: &Files,
) -> Result<MeshData, Fault> {
    let place = || Place::Item(item.into());
    let mut mesh = MeshData::default();
    let position = primitive.attributes.position.ok_or_else(|| {
        Problem::Unsupported("a primitive without positions (compressed by an extension?)".into()).at(place())
    })?;
    let vector = |range: &Range<'_>, i: usize| {
        DVec3::from_array(std::array::from_fn(|k| {
            f64::from(f32::from_le_bytes(range.bytes(i, 4 * k).try_into().unwrap_or_default()))
        }))
    };
    mesh.positions = elements(root, buffers, position, ("VEC3", &[FLOAT]), vector, files)?;
    if let Some(weights) = weights {
        if weights.len() != primitive.targets.len() {
            let text = format!("{} weights for {} morph targets", weights.len(), primitive.targets.len());
            return Err(malformed(text).at(place()));
        }
        for (target, &weight) in primitive.targets.iter().zip(weights) {
            let Some(accessor) = target.position.filter(|_| weight != 0.0) else { continue };
            let shifts = elements(root, buffers, accessor, ("VEC3", &[FLOAT]), vector, files)?;
            if shifts.len() != mesh.positions.len() {
                let text = format!(
                    "a morph target has {} positions, but the primitive has {}",
                    shifts.len(),
                    mesh.positions.len()
                );
                return Err(malformed(text).at(place()));
            }
            mesh.positions.iter_mut().zip(shifts).for_each(|(position, shift)| *position += weight * shift);
        }
    }
    if let Some(i) = mesh.positions.iter().position(|p| !p.is_finite()) {
        let what = format!("position {i} of accessor {position}");
        return Err(Problem::NotFinite { what, value: mesh.positions[i].to_string() }.at(place()));
    }
    let indices: Vec<u32> = match primitive.indices {
        None => (0..mesh.positions.len() as u32).collect(),
        Some(accessor) => {
            let number = |range: &Range<'_>, i: usize| range.unsigned(i);
            elements(root, buffers, accessor, ("SCALAR", &[U8, U16, U32]), number, files)?
        }
    };
    if let Some(&index) = indices.iter().find(|&&i| i as usize >= mesh.positions.len()) {
        let (index, len) = (i64::from(index), mesh.positions.len());
        return Err(Problem::IndexOutOfRange { what: "vertex index".into(), index, len }.at(place()));
    }
    let incomplete =
        |n: usize| malformed(format!("{} indices do not make groups of {n}", indices.len())).at(place());
    let mut polygons = Polygons::default();
    match primitive.mode.unwrap_or(4) {
        0 => mesh.points = indices,
        1 if !indices.len().is_multiple_of(2) => return Err(incomplete(2)),
        1 => mesh.edges = indices.chunks_exact(2).map(|e| [e[0], e[1]]).collect(),
        mode @ (2 | 3) => {
            mesh.edges = indices.windows(2).map(|e| [e[0], e[1]]).collect();
            if let (2, [first, .., last]) = (mode, &indices[..]) {
                mesh.edges.push([*last, *first]);
            }
        }
        4 if !indices.len().is_multiple_of(3) => return Err(incomplete(3)),
        4 => indices.chunks_exact(3).for_each(|t| polygons.push(t)),
        5 => indices.windows(3).enumerate().for_each(|(k, w)| {
            polygons.push(&if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
        }),
        6 => (2..indices.len()).for_each(|k| polygons.push(&[indices[0], indices[k - 1], indices[k]])),
        mode => return Err(malformed(format!("unknown primitive mode {mode}")).at(place())),
    }
    mesh.triangles = polygons.triangulate(&mesh.positions);
    Ok(mesh)
}

/// Returns the bytes of `[mime][;base64],data`.
fn decode_data(data: &str) -> Result<Vec<u8>, Problem> {
    let (head, body) = data.split_once(',').ok_or_else(|| malformed("a data URI without a comma"))?;
    if !head.ends_with(";base64") {
        return Err(Problem::Unsupported("a data URI that is not base64".into()));
    }
    let mut bytes = Vec::with_capacity(body.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for c in body.trim_end_matches('=').bytes() {
        let digit = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return Err(malformed(format!("\"{}\" is not a base64 digit", shown(&[c])))),
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Ok(bytes)
}

fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail
            .get(..2)
            .and_then(|h| std::str::from_utf8(h).ok())
            .and_then(|h| u8::from_str_radix(h, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
