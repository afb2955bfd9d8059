//! COLLADA 1.4 and 1.5 (`.dae`), the part of it that robot descriptions use.
//!
//! 1. Parse the XML (document types, and with them entity bombs, are refused).
//! 2. Walk the nodes of the scene that `<scene>` instances (the first one if it names none; all geometries
//!    without transforms if there is no scene). Transforms are composed in f64 in the order of the elements.
//! 3. Read each `<mesh>`: triangles, polylists, polygons, strips and fans; lines go to the loose edges.
//! 4. Multiply by `<unit meter="...">`: the result is in metres.
//!
//! `<up_axis>` is *not* applied: robot descriptions rely on that, since RViz and MoveIt have always ignored it, and a
//! link's mesh must lie where its author saw it. An axis other than z gives a warning. Refused: skins and other
//! controllers, splines, convex meshes, polygons with holes, geometry in other files.
//!
//! Animations, geometry outside of the scene, unknown elements and attributes give warnings; `elements` has the list.
//!
//! Nodes may instance each other. Depth and number of instances are bounded, so a cycle or a doubling chain ends in an
//! error.
//!
//! This reader uses `roxmltree` instead of `mesh-loader` 0.1, which also uses it: that crate keeps one transform per
//! geometry, so all but the last instance vanish, and it reads f32.

mod elements;

#[cfg(test)]
pub(super) use elements::TABLES;

use super::affine;
use super::polygon::Polygons;
use super::{MAX_INSTANCES, MeshData, room_for};
use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::parts::Doubts;
use crate::source::{finite, integer, shown};
use glam::{DAffine3, DMat3, DMat4, DVec3};
use roxmltree::{Document, Node};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Reads a COLLADA file from memory; `name` is for messages.
///
/// ```
/// let bytes = std::fs::read("../../testdata/dae/two_quads.dae")?;
/// let mesh = firsttouch_io::read_dae(&bytes, "two_quads.dae")?;
/// assert_eq!(mesh.triangles.len(), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_dae(bytes: &[u8], name: impl AsRef<Path>) -> Result<MeshData> {
    read(bytes, name.as_ref(), &Files::default())
}

/// Reads a COLLADA file within limits.
pub(super) fn read(bytes: &[u8], name: &Path, files: &Files) -> Result<MeshData> {
    parse(bytes, files, &Doubts::new(files, name)).map_err(|fault| fault.in_file(name))
}

/// Deeper trees of nodes are refused, which bounds the recursion. (The XML parser does not recurse.)
const DEEPEST: usize = 128;

fn parse(bytes: &[u8], files: &Files, doubts: &Doubts<'_>) -> Result<MeshData, Fault> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| malformed("not UTF-8 text").at(Place::Byte(e.valid_up_to())))?;
    let document = Document::parse(text.trim_start_matches('\u{feff}')).map_err(|e| match e {
        roxmltree::Error::UnclosedRootNode => {
            Problem::Truncated { what: "the root element".into() }.at(Place::Line(text.lines().count()))
        }
        _ => malformed(format!("XML: {e}")).at(Place::Line(e.pos().row as usize)),
    })?;
    let collada = Collada::new(&document)?;
    elements::check(document.root_element(), doubts, &|node| collada.place(node))?;
    collada.check_assets(doubts)?;
    let mut whole = MeshData::default();
    let unit = DAffine3::from_scale(DVec3::splat(collada.unit()?));
    match collada.scene()? {
        Some(scene) => {
            let mut walk = Walk {
                collada: &collada,
                files,
                doubts,
                meshes: HashMap::new(),
                whole: &mut whole,
                instances: 0,
            };
            for node in elements(scene, "node") {
                walk.node(node, unit, 0)?;
            }
            if let Some(other) =
                document.descendants().find(|n| n.has_tag_name("visual_scene") && *n != scene)
            {
                let text = "one scene is read and this is another one, which is left out: give the file one scene with all that counts";
                doubts.warn(collada.place(other), text);
            }
            let read: HashSet<&str> = walk.meshes.keys().copied().collect();
            let geometries = document.descendants().filter(|n| n.has_tag_name("geometry"));
            let mut outside = geometries.filter(|n| !read.contains(n.attribute("id").unwrap_or_default()));
            if let Some(first) = outside.next() {
                let geometries = match outside.count() {
                    0 => "a geometry is not in the scene that is read, and is left out".into(),
                    more => {
                        format!("{} geometries are not in the scene that is read, and are left out", more + 1)
                    }
                };
                let text = format!("{geometries}: give the file one scene with all that counts");
                doubts.warn(collada.place(first), text);
            }
        }
        None => {
            if let Some(node) = document.descendants().find(|n| n.has_tag_name("node")) {
                let text = "the file has nodes but no scene: its geometries are read where they are, without the nodes";
                doubts.warn(collada.place(node), text);
            }
            for geometry in document.descendants().filter(|n| n.has_tag_name("geometry")) {
                let mesh = read_geometry(&collada, geometry, doubts)?;
                let added = room_for(&whole, &mesh, files).and_then(|()| whole.append(&mesh, &unit));
                added.map_err(|e| e.at(collada.place(geometry)))?;
            }
        }
    }
    whole.not_empty()
}

struct Collada<'a, 'i> {
    document: &'a Document<'i>,
    /// Several elements may have one id by mistake.
    by_id: HashMap<&'a str, Vec<Node<'a, 'i>>>,
}

impl<'a, 'i> Collada<'a, 'i> {
    fn new(document: &'a Document<'i>) -> Result<Self, Fault> {
        let root = document.root_element();
        if !root.has_tag_name("COLLADA") {
            let text = format!(
                "not a COLLADA file: the root element is <{}>",
                shown(root.tag_name().name().as_bytes())
            );
            return Err(malformed(text).at(Place::Line(1)));
        }
        let mut by_id: HashMap<&str, Vec<Node<'_, '_>>> = HashMap::new();
        for (id, node) in document.descendants().filter_map(|n| n.attribute("id").map(|id| (id, n))) {
            by_id.entry(id).or_default().push(node);
        }
        Ok(Collada { document, by_id })
    }

    fn place(&self, node: Node<'_, '_>) -> Place {
        Place::Line(self.document.text_pos_at(node.range().start).row as usize)
    }

    fn unit(&self) -> Result<f64, Fault> {
        let asset = element(self.document.root_element(), "asset");
        let Some(unit) = asset.and_then(|a| element(a, "unit")) else { return Ok(1.0) };
        let meter = unit.attribute("meter").unwrap_or("1").trim();
        match finite(meter.as_bytes(), "unit meter") {
            Ok(meter) if meter > 0.0 => Ok(meter),
            Ok(meter) => {
                Err(malformed(format!("unit meter must be positive, but is {meter}")).at(self.place(unit)))
            }
            Err(problem) => Err(problem.at(self.place(unit))),
        }
    }

    /// Warns about an axis, which is not applied, and refuses units on parts of the file, which are not applied either.
    fn check_assets(&self, doubts: &Doubts<'_>) -> Result<(), Fault> {
        let root = self.document.root_element();
        let whole = self.unit()?;
        for asset in root.descendants().filter(|node| node.has_tag_name("asset")) {
            if let Some(axis) = element(asset, "up_axis") {
                let name = axis.text().unwrap_or_default().trim();
                if name != "Z_UP" {
                    let text = format!(
                        "up_axis {} is not applied, as programs for robots do not apply it: coordinates stay as they are in the file; turn \
                         the body by its pose where z should be up",
                        shown(name.as_bytes())
                    );
                    doubts.warn(self.place(axis), text);
                }
            }
            let Some(unit) = element(asset, "unit").filter(|_| asset.parent() != Some(root)) else {
                continue;
            };
            let meter = unit.attribute("meter").unwrap_or("1").trim();
            if meter.parse() != Ok(whole) {
                let what = "a unit of a part of the file: export the file with one unit";
                return Err(Problem::Unsupported(what.into()).at(self.place(unit)));
            }
        }
        Ok(())
    }

    fn scene(&self) -> Result<Option<Node<'a, 'i>>, Fault> {
        let root = self.document.root_element();
        let instance = element(root, "scene").and_then(|s| element(s, "instance_visual_scene"));
        if let Some(instance) = instance {
            return self.follow(instance, "url", "visual_scene").map(Some);
        }
        Ok(element(root, "library_visual_scenes").and_then(|l| element(l, "visual_scene")))
    }

    /// Returns the element that an attribute `#id` points to.
    fn follow(&self, node: Node<'a, 'i>, attribute: &str, tag: &str) -> Result<Node<'a, 'i>, Fault> {
        let fail = |problem: Problem| problem.at(self.place(node));
        let url = node.attribute(attribute).unwrap_or_default();
        let Some(id) = url.strip_prefix('#') else {
            let what = format!("{attribute}=\"{}\": only \"#id\" in this file", shown(url.as_bytes()));
            return Err(fail(Problem::Unsupported(what)));
        };
        let mut targets = self.by_id.get(id).into_iter().flatten().filter(|node| node.has_tag_name(tag));
        let shown = shown(id.as_bytes());
        match (targets.next(), targets.next()) {
            (Some(target), None) => Ok(*target),
            (None, _) => Err(fail(malformed(format!("there is no <{tag}> with the id \"{shown}\"")))),
            (Some(_), Some(second)) => {
                let text =
                    format!("a second <{tag}> with the id \"{shown}\": it is not clear which one is meant");
                Err(malformed(text).at(self.place(*second)))
            }
        }
    }

    /// Returns all numbers in an element's text.
    fn numbers(&self, node: Node<'_, '_>) -> Result<Vec<f64>, Fault> {
        let what = node.tag_name().name();
        let words = text_words(node).map(|w| finite(w.as_bytes(), what).map_err(|e| e.at(self.place(node))));
        words.collect()
    }

    fn fixed<const N: usize>(&self, node: Node<'_, '_>) -> Result<[f64; N], Fault> {
        let numbers = self.numbers(node)?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| {
            let text =
                format!("<{}> needs {N} numbers, but has {count}", shown(node.tag_name().name().as_bytes()));
            malformed(text).at(self.place(node))
        })
    }
}

struct Walk<'w, 'a, 'i> {
    collada: &'w Collada<'a, 'i>,
    files: &'w Files,
    doubts: &'w Doubts<'w>,
    meshes: HashMap<&'a str, MeshData>,
    whole: &'w mut MeshData,
    instances: u64,
}

impl<'a, 'i> Walk<'_, 'a, 'i> {
    fn node(&mut self, node: Node<'a, 'i>, parent: DAffine3, depth: usize) -> Result<(), Fault> {
        let collada = self.collada;
        let fail = |problem: Problem| problem.at(collada.place(node));
        self.instances += 1;
        if self.instances > MAX_INSTANCES {
            return Err(fail(Problem::TooLarge { what: "the number of nodes".into(), limit: MAX_INSTANCES }));
        }
        if depth > DEEPEST {
            return Err(fail(malformed(format!(
                "nodes nested more than {DEEPEST} deep (instances in a circle?)"
            ))));
        }
        let transform = parent * self.transform(node)?;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "instance_geometry" => self.geometry(child, &transform)?,
                "instance_controller" => {
                    let what = "a skin or morph controller: apply it and export the mesh without it";
                    return Err(Problem::Unsupported(what.into()).at(collada.place(child)));
                }
                "instance_node" => self.node(collada.follow(child, "url", "node")?, transform, depth + 1)?,
                "node" => self.node(child, transform, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Appends an instance of a geometry; each geometry is parsed once.
    fn geometry(&mut self, instance: Node<'a, 'i>, transform: &DAffine3) -> Result<(), Fault> {
        let geometry = self.collada.follow(instance, "url", "geometry")?;
        let mesh = match self.meshes.entry(geometry.attribute("id").unwrap_or_default()) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(read_geometry(self.collada, geometry, self.doubts)?)
            }
        };
        let added = room_for(self.whole, mesh, self.files).and_then(|()| self.whole.append(mesh, transform));
        added.map_err(|e| e.at(self.collada.place(instance)))
    }

    fn transform(&self, node: Node<'_, '_>) -> Result<DAffine3, Fault> {
        let mut transform = DAffine3::IDENTITY;
        for child in node.children().filter(Node::is_element) {
            transform *= match child.tag_name().name() {
                "matrix" => affine(DMat4::from_cols_array(&self.collada.fixed(child)?).transpose())
                    .map_err(|problem| problem.at(self.collada.place(child)))?,
                "translate" => DAffine3::from_translation(DVec3::from_array(self.collada.fixed(child)?)),
                "scale" => DAffine3::from_scale(DVec3::from_array(self.collada.fixed(child)?)),
                "rotate" => {
                    let [x, y, z, degrees] = self.collada.fixed(child)?;
                    match DVec3::new(x, y, z).try_normalize() {
                        Some(axis) => DAffine3::from_mat3(DMat3::from_axis_angle(axis, degrees.to_radians())),
                        None if degrees == 0.0 => DAffine3::IDENTITY,
                        None => {
                            return Err(malformed("a rotation without an axis").at(self.collada.place(child)));
                        }
                    }
                }
                _ => continue,
            };
        }
        Ok(transform)
    }
}

fn read_geometry(
    collada: &Collada<'_, '_>,
    geometry: Node<'_, '_>,
    doubts: &Doubts<'_>,
) -> Result<MeshData, Fault> {
    let Some(mesh) = element(geometry, "mesh") else {
        let what = "a geometry that is not a <mesh>".into();
        return Err(Problem::Unsupported(what).at(collada.place(geometry)));
    };
    let mut data = MeshData::default();
    let mut polygons = Polygons::default();
    // The start of each source's positions: one mesh may use several sources.
    let mut bases: HashMap<String, (usize, usize)> = HashMap::new();
    for primitive in mesh.children().filter(Node::is_element) {
        let kind = primitive.tag_name().name();
        if !matches!(
            kind,
            "triangles" | "polylist" | "polygons" | "tristrips" | "trifans" | "lines" | "linestrips"
        ) {
            continue;
        }
        let fail = |problem: Problem| problem.at(collada.place(primitive));
        let Some((source, offset, stride)) = position_input(collada, primitive)? else {
            if elements(primitive, "p").next().is_none() {
                continue;
            }
            return Err(fail(malformed("the primitive has no input VERTEX")));
        };
        let id = source.attribute("id").unwrap_or_default().to_string();
        let (base, count) = match bases.get(&id) {
            Some(&known) => known,
            None => {
                let base = data.positions.len();
                read_source(collada, source, doubts, &mut data.positions)?;
                bases.insert(id, (base, data.positions.len() - base));
                (base, data.positions.len() - base)
            }
        };
        let mut lists = Vec::new();
        for p in elements(primitive, "p") {
            lists.push(position_indices(p, offset, stride, base, count).map_err(|e| e.at(collada.place(p)))?);
        }
        let count = match kind {
            "triangles" | "lines" => {
                let n = if kind == "lines" { 2 } else { 3 };
                let all = lists.concat();
                if !all.len().is_multiple_of(n) {
                    return Err(fail(malformed(format!("{} indices do not make groups of {n}", all.len()))));
                }
                if n == 3 {
                    all.chunks_exact(3).for_each(|t| polygons.push(t));
                } else {
                    data.edges.extend(all.chunks_exact(2).map(|e| [e[0], e[1]]));
                }
                all.len() / n
            }
            "polylist" => split_polylist(primitive, &lists.concat(), &mut polygons).map_err(fail)?,
            "polygons" => {
                for list in &lists {
                    if list.len() < 3 {
                        let text = format!("a polygon needs three corners, not {}", list.len());
                        return Err(fail(malformed(text)));
                    }
                    polygons.push(list);
                }
                lists.len()
            }
            "tristrips" => {
                for (k, w) in lists.iter().flat_map(|list| list.windows(3).enumerate()) {
                    polygons.push(&if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
                }
                lists.len()
            }
            "trifans" => {
                for list in &lists {
                    (2..list.len()).for_each(|k| polygons.push(&[list[0], list[k - 1], list[k]]));
                }
                lists.len()
            }
            _ => {
                data.edges.extend(lists.iter().flat_map(|list| list.windows(2)).map(|e| [e[0], e[1]]));
                lists.len()
            }
        };
        if let Some(said) = primitive.attribute("count").filter(|said| said.trim().parse() != Ok(count)) {
            let text = format!("<{kind}> has count=\"{}\", but there are {count}", shown(said.as_bytes()));
            doubts.warn(collada.place(primitive), text);
        }
    }
    data.triangles = polygons.triangulate(&data.positions);
    Ok(data)
}

/// Returns the source of the positions of a primitive, the offset of its indices, and how many indices a corner has.
fn position_input<'a, 'i>(
    collada: &Collada<'a, 'i>,
    primitive: Node<'a, 'i>,
) -> Result<Option<(Node<'a, 'i>, usize, usize)>, Fault> {
    let mut stride = 1;
    let mut vertex = None;
    for input in elements(primitive, "input") {
        let offset = input.attribute("offset").map_or(Ok(0), |o| o.trim().parse::<u16>());
        let offset = usize::from(offset.map_err(|_| malformed("bad offset").at(collada.place(input)))?);
        stride = stride.max(offset + 1);
        if input.attribute("semantic") == Some("VERTEX") && vertex.replace((input, offset)).is_some() {
            return Err(malformed("a second input VERTEX").at(collada.place(input)));
        }
    }
    let Some((input, offset)) = vertex else { return Ok(None) };
    let vertices = collada.follow(input, "source", "vertices")?;
    let mut positions = elements(vertices, "input").filter(|i| i.attribute("semantic") == Some("POSITION"));
    let position = positions.next();
    if let Some(second) = positions.next() {
        return Err(malformed("a second input POSITION").at(collada.place(second)));
    }
    match position {
        Some(position) => Ok(Some((collada.follow(position, "source", "source")?, offset, stride))),
        None => Err(malformed("<vertices> has no input POSITION").at(collada.place(vertices))),
    }
}

fn read_source(
    collada: &Collada<'_, '_>,
    source: Node<'_, '_>,
    doubts: &Doubts<'_>,
    positions: &mut Vec<DVec3>,
) -> Result<(), Fault> {
    let fail = |text: &str| malformed(text).at(collada.place(source));
    let accessor = element(source, "technique_common").and_then(|t| element(t, "accessor"));
    // The array that the accessor names, or the one of the source.
    let array = match accessor.filter(|a| a.has_attribute("source")) {
        Some(accessor) => collada.follow(accessor, "source", "float_array")?,
        None => element(source, "float_array").ok_or_else(|| fail("the source has no <float_array>"))?,
    };
    let numbers = collada.numbers(array)?;
    if let Some(count) = array.attribute("count")
        && count.trim().parse() != Ok(numbers.len())
    {
        let text = format!("count=\"{}\", but there are {} numbers", shown(count.as_bytes()), numbers.len());
        return Err(malformed(text).at(collada.place(array)));
    }
    let attribute = |name: &str, otherwise: usize| {
        let text = accessor.and_then(|a| a.attribute(name));
        text.map_or(Ok(otherwise), |t| t.trim().parse::<usize>()).map_err(|_| fail("bad accessor"))
    };
    let axes = accessor.map_or(Ok([0, 1, 2]), |accessor| axes_of(collada, accessor, doubts))?;
    let (stride, offset) = (attribute("stride", 3)?, attribute("offset", 0)?);
    let numbers = numbers.get(offset..).ok_or_else(|| fail("the accessor's offset is past the end"))?;
    let last = axes.into_iter().max().unwrap_or_default();
    if stride <= last {
        return Err(fail(&format!("positions need a stride of at least {}, but it is {stride}", last + 1)));
    }
    let rows = numbers.len().checked_sub(last + 1).map_or(0, |rest| rest / stride + 1);
    let count = attribute("count", rows)?;
    if count > rows {
        return Err(Problem::CountTooLarge {
            what: "positions".into(),
            count: count as u64,
            at_most: rows as u64,
        }
        .at(collada.place(source)));
    }
    positions.extend(numbers.chunks(stride).take(count).map(|row| DVec3::from_array(axes.map(|k| row[k]))));
    Ok(())
}

/// Returns the numbers of a row that are x, y and z. As the format says, a parameter without a name is skipped. An
/// accessor without parameters, or with no name at all, has x, y and z first.
fn axes_of(
    collada: &Collada<'_, '_>,
    accessor: Node<'_, '_>,
    doubts: &Doubts<'_>,
) -> Result<[usize; 3], Fault> {
    let names: Vec<&str> =
        elements(accessor, "param").map(|param| param.attribute("name").unwrap_or_default()).collect();
    let named: Vec<usize> = (0..names.len()).filter(|&k| !names[k].is_empty()).collect();
    let at = ["X", "Y", "Z"].map(|axis| names.iter().position(|name| name.eq_ignore_ascii_case(axis)));
    match (at, &named[..]) {
        ([Some(x), Some(y), Some(z)], _) => Ok([x, y, z]),
        (_, []) => Ok([0, 1, 2]),
        (_, &[x, y, z, ..]) => {
            let text =
                "the parameters of the positions are not called X, Y and Z; they are taken in their order";
            doubts.warn(collada.place(accessor), text);
            Ok([x, y, z])
        }
        _ => {
            let text = "positions need parameters called X, Y and Z";
            Err(malformed(text).at(collada.place(accessor)))
        }
    }
}

/// Returns every `stride`-th index from `offset` on, checked and shifted to the start of the source's positions.
fn position_indices(
    p: Node<'_, '_>,
    offset: usize,
    stride: usize,
    base: usize,
    count: usize,
) -> Result<Vec<u32>, Problem> {
    let words: Vec<&str> = text_words(p).collect();
    if !words.len().is_multiple_of(stride) {
        return Err(malformed(format!("{} indices do not make corners of {stride}", words.len())));
    }
    let index = |word: &&str| {
        let bad = || malformed(format!("\"{}\" is not a vertex index", shown(word.as_bytes())));
        let index = integer(word.as_bytes()).ok_or_else(bad)?;
        match usize::try_from(index) {
            Ok(i) if i < count => super::index_u32(base + i),
            _ => Err(Problem::IndexOutOfRange { what: "vertex index".into(), index, len: count }),
        }
    };
    words.iter().skip(offset).step_by(stride).map(index).collect()
}

/// Returns the number of polygons.
fn split_polylist(
    primitive: Node<'_, '_>,
    corners: &[u32],
    polygons: &mut Polygons,
) -> Result<usize, Problem> {
    let (mut rest, mut polygon_count) = (corners, 0);
    for word in element(primitive, "vcount").into_iter().flat_map(text_words) {
        let count = word.parse::<usize>().ok().filter(|&n| n >= 3);
        let count = count.ok_or_else(|| malformed(format!("vcount has \"{}\"", shown(word.as_bytes()))))?;
        let (polygon, after) = rest
            .split_at_checked(count)
            .ok_or_else(|| malformed("vcount asks for more corners than <p> has"))?;
        polygons.push(polygon);
        rest = after;
        polygon_count += 1;
    }
    if rest.is_empty() {
        Ok(polygon_count)
    } else {
        Err(malformed(format!("<p> has {} more corners than vcount asks for", rest.len())))
    }
}

fn elements<'a, 'i>(node: Node<'a, 'i>, name: &str) -> impl Iterator<Item = Node<'a, 'i>> {
    let name = name.to_string();
    node.children().filter(move |child| child.has_tag_name(name.as_str()))
}

fn element<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    elements(node, name).next()
}

/// Returns the words of an element's text, without comments.
fn text_words<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    node.children().filter(Node::is_text).filter_map(|t| t.text()).flat_map(str::split_ascii_whitespace)
}
