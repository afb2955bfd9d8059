//! PLY: text, binary little-endian and binary big-endian.
//!
//! Reads the elements `vertex` (`x`, `y`, `z`), `face` and `tristrips` (`vertex_indices` or `vertex_index`), `edge`
//! (`vertex1`, `vertex2`) and `point` (`vertex_index`, written by this crate for loose points), in any order and with
//! any other properties among them. Other elements are skipped by their declared layout. Elements and properties that
//! are not looks give a warning; [`TABLES`] has the list.
//!
//! The header is not trusted: a count is compared with the number of bytes left before memory is reserved, a list ends
//! with the file, and only white space may follow the last element.
//!
//! This reader does not use a crate: `ply-rs-bw` 4.0 builds a map of boxed values per element and
//! allocates by the header's count (an element without properties exhausts the memory).

use super::polygon::Polygons;
use super::{MeshData, index_u32};
use crate::error::{Fault, Place, Problem, Result, malformed};
use crate::files::Files;
use crate::parts::Treatment::{Ignored, Read, Warned};
use crate::parts::{Doubts, Parts};
use crate::source::{Cursor, Lines, shown, words};
use glam::DVec3;
use std::io::Write;
use std::path::Path;

/// Reads a PLY file from memory; `name` is for messages.
///
/// ```
/// let text = b"ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\n\
///     property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n\
///     0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
/// assert_eq!(firsttouch_io::read_ply(text, "a.ply")?.triangles, [[0, 1, 2]]);
/// # Ok::<(), firsttouch_io::Error>(())
/// ```
pub fn read_ply(bytes: &[u8], name: impl AsRef<Path>) -> Result<MeshData> {
    read(bytes, name.as_ref(), &Files::default())
}

/// Reads a PLY file within limits.
pub(crate) fn read(bytes: &[u8], name: &Path, files: &Files) -> Result<MeshData> {
    parse(bytes, &Doubts::new(files, name)).map_err(|fault| fault.in_file(name))
}

/// The elements, and their properties that are read.
pub(super) const TABLES: [Parts; 7] = [
    Parts {
        within: "elements",
        kind: "element",
        list: &[
            (&["vertex", "face", "tristrips", "edge", "point"], Read),
            (&["material", "texture"], Ignored),
            (&["camera"], Warned("where a scanner stood is not applied: coordinates stay as they are")),
            (&["range_grid"], Warned("the mesh of a range image is not made; write it as `face`")),
        ],
    },
    LOOKS,
    Parts {
        within: "`vertex`",
        kind: "property",
        list: &[
            (&["x", "y", "z"], Read),
            (
                &["radius", "scale_*", "rot_*"],
                Warned(
                    "points have no size of their own; the `radius` of a body of points is the same for all",
                ),
            ),
            (&["w"], Warned("coordinates are not divided by it; write x, y and z alone")),
        ],
    },
    Parts { within: "`face`", kind: "property", list: &[(&["vertex_indices", "vertex_index"], Read)] },
    Parts { within: "`tristrips`", kind: "property", list: &[(&["vertex_indices", "vertex_index"], Read)] },
    Parts { within: "`edge`", kind: "property", list: &[(&["vertex1", "vertex2"], Read)] },
    Parts { within: "`point`", kind: "property", list: &[(&["vertex_index"], Read)] },
];

/// Properties that every element may have.
const LOOKS: Parts = Parts {
    within: "every element",
    kind: "property",
    list: &[(
        &[
            "red",
            "green",
            "blue",
            "alpha",
            "r",
            "g",
            "b",
            "a",
            "diffuse_*",
            "ambient_*",
            "specular_*",
            "texcoord",
            "texnumber",
            "texture_*",
            "s",
            "t",
            "u",
            "v",
            "nx",
            "ny",
            "nz",
            "normal_*",
            "quality",
            "value",
            "flags",
            "material_*",
            "label",
            "object_id",
            "f_dc_*",
            "f_rest_*",
            "opacity",
            "scalar_*",
            "confidence",
            "intensity",
            "curvature",
            "reflectance",
            "time",
            "timestamp",
            "crease_tag",
        ],
        Ignored,
    )],
};

/// Warns about an element that is not read, and about properties that matter and are not read.
fn doubt(element: &Element, doubts: &Doubts<'_>) -> Result<(), Fault> {
    let name = String::from_utf8_lossy(&element.name);
    if !doubts.meet(&TABLES[0], &name, || Place::Line(element.line))? {
        return Ok(());
    }
    static ALL: [Parts; 7] = TABLES;
    let Some(parts) = ALL.iter().find(|parts| parts.within == format!("`{name}`")) else { return Ok(()) };
    for property in &element.properties {
        let name = String::from_utf8_lossy(&property.name);
        if LOOKS.treatment(&name).is_none() {
            doubts.meet(parts, &name, || Place::Line(property.line))?;
        }
    }
    Ok(())
}

/// The form in which a PLY file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlyEncoding {
    /// Text; the shortest decimals that give the same f64.
    Ascii,
    /// Binary, doubles as they are in memory.
    BinaryLittleEndian,
}

/// Writes a PLY file with positions of type `double`, so that they come back bit for bit.
///
/// ```
/// let mesh = firsttouch_io::read_obj(b"v 0.1 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\np 1\n", "a.obj")?;
/// let mut out = Vec::new();
/// firsttouch_io::write_ply(&mut out, &mesh, firsttouch_io::PlyEncoding::BinaryLittleEndian)?;
/// assert_eq!(firsttouch_io::read_ply(&out, "a.ply")?, mesh);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_ply(out: &mut impl Write, mesh: &MeshData, encoding: PlyEncoding) -> std::io::Result<()> {
    let format = match encoding {
        PlyEncoding::Ascii => "ascii",
        PlyEncoding::BinaryLittleEndian => "binary_little_endian",
    };
    writeln!(out, "ply\nformat {format} 1.0\nelement vertex {}", mesh.positions.len())?;
    writeln!(out, "property double x\nproperty double y\nproperty double z")?;
    writeln!(out, "element face {}\nproperty list uchar uint vertex_indices", mesh.triangles.len())?;
    if !mesh.edges.is_empty() {
        writeln!(out, "element edge {}\nproperty uint vertex1\nproperty uint vertex2", mesh.edges.len())?;
    }
    if !mesh.points.is_empty() {
        writeln!(out, "element point {}\nproperty uint vertex_index", mesh.points.len())?;
    }
    writeln!(out, "end_header")?;
    let text = encoding == PlyEncoding::Ascii;
    for p in &mesh.positions {
        if text {
            writeln!(out, "{:?} {:?} {:?}", p.x, p.y, p.z)?;
        } else {
            p.to_array().iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))?;
        }
    }
    let mut row = |prefix: &[u8], indices: &[u32]| -> std::io::Result<()> {
        if text {
            let numbers = prefix.iter().map(|&n| u32::from(n)).chain(indices.iter().copied());
            let words: Vec<String> = numbers.map(|n| n.to_string()).collect();
            writeln!(out, "{}", words.join(" "))
        } else {
            out.write_all(prefix)?;
            indices.iter().try_for_each(|i| out.write_all(&i.to_le_bytes()))
        }
    };
    mesh.triangles.iter().try_for_each(|t| row(&[3], t))?;
    mesh.edges.iter().try_for_each(|e| row(&[], e))?;
    mesh.points.iter().try_for_each(|&p| row(&[], &[p]))
}

/// The number types of the format, all of which fit an f64 exactly.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Type {
    fn named(word: &[u8]) -> Option<Type> {
        Some(match word {
            b"char" | b"int8" => Type::I8,
            b"uchar" | b"uint8" => Type::U8,
            b"short" | b"int16" => Type::I16,
            b"ushort" | b"uint16" => Type::U16,
            b"int" | b"int32" => Type::I32,
            b"uint" | b"uint32" => Type::U32,
            b"float" | b"float32" => Type::F32,
            b"double" | b"float64" => Type::F64,
            _ => return None,
        })
    }

    fn bytes(self) -> u64 {
        match self {
            Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::F64 => 8,
        }
    }

    fn is_integer(self) -> bool {
        !matches!(self, Type::F32 | Type::F64)
    }
}

struct Property {
    name: Vec<u8>,
    kind: Type,
    /// The type of the count, for a list.
    count: Option<Type>,
    line: usize,
}

struct Element {
    name: Vec<u8>,
    count: u64,
    properties: Vec<Property>,
    line: usize,
}

enum Layout {
    Text,
    Binary { big_endian: bool },
}

/// The purpose of an element, with the places of the properties that matter.
enum Role {
    Vertex([usize; 3]),
    Face(usize),
    Strips(usize),
    Edge([usize; 2]),
    Point(usize),
    Other,
}

fn parse(bytes: &[u8], doubts: &Doubts<'_>) -> Result<MeshData, Fault> {
    let mut lines = Lines::new(bytes);
    let (layout, elements) = header(&mut lines)?;
    let mut values = match layout {
        Layout::Text => Values::Text { lines, row: &[] },
        Layout::Binary { big_endian } => {
            Values::Binary { cursor: Cursor::new(bytes, bytes.len() - lines.rest().len()), big_endian }
        }
    };
    let mut mesh = MeshData::default();
    let mut polygons = Polygons::default();
    let mut largest: Option<(u32, Place)> = None;
    let mut scalars: Vec<f64> = Vec::new();
    let mut list: Vec<f64> = Vec::new();
    for element in &elements {
        let role = role(element)?;
        doubt(element, doubts)?;
        values.check_count(element)?;
        let wanted_list = match role {
            Role::Face(i) | Role::Strips(i) => Some(i),
            _ => None,
        };
        let plain = values.plain_rows(element, &role, &mut mesh, &mut polygons, &mut largest);
        for _ in plain..element.count {
            values.start_row(element)?;
            let place = values.place();
            scalars.clear();
            list.clear();
            for (i, property) in element.properties.iter().enumerate() {
                match property.count {
                    None => scalars.push(values.next(property.kind)?),
                    Some(count) => {
                        scalars.push(0.0);
                        let length = values.next(count)?;
                        if length < 0.0 {
                            return Err(malformed(format!("a list has the length {length}")).at(place));
                        }
                        for _ in 0..length as u64 {
                            let value = values.next(property.kind)?;
                            if wanted_list == Some(i) {
                                list.push(value);
                            }
                        }
                    }
                }
            }
            values.end_row()?;
            let mut index = |value: f64| -> Result<u32, Fault> {
                if value < 0.0 {
                    let text = format!("vertex index {value} is negative");
                    return Err(malformed(text).at(place.clone()));
                }
                let index = value as u32;
                if largest.as_ref().is_none_or(|(most, _)| index > *most) {
                    largest = Some((index, place.clone()));
                }
                Ok(index)
            };
            match role {
                Role::Vertex(xyz) => {
                    let p = DVec3::from_array(xyz.map(|i| scalars[i]));
                    if !p.is_finite() {
                        let what = format!("vertex {}", mesh.positions.len());
                        return Err(Problem::NotFinite { what, value: p.to_string() }.at(place));
                    }
                    index_u32(mesh.positions.len()).map_err(|e| e.at(place))?;
                    mesh.positions.push(p);
                }
                Role::Face(_) => {
                    let corners = list.iter().map(|&v| index(v)).collect::<Result<Vec<u32>, _>>()?;
                    if corners.len() < 3 {
                        let text = format!("a face needs three corners, not {}", corners.len());
                        return Err(malformed(text).at(place));
                    }
                    polygons.push(&corners);
                }
                Role::Strips(_) => {
                    // -1 ends a strip; every second triangle is turned round.
                    for strip in list.split(|&v| v == -1.0) {
                        let strip = strip.iter().map(|&v| index(v)).collect::<Result<Vec<u32>, _>>()?;
                        for (k, w) in strip.windows(3).enumerate() {
                            polygons.push(&if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] });
                        }
                    }
                }
                Role::Edge(ends) => mesh.edges.push([index(scalars[ends[0]])?, index(scalars[ends[1]])?]),
                Role::Point(i) => mesh.points.push(index(scalars[i])?),
                Role::Other => {}
            }
        }
    }
    values.finish()?;
    match largest {
        Some((index, place)) if index as usize >= mesh.positions.len() => {
            let (index, len) = (i64::from(index), mesh.positions.len());
            return Err(Problem::IndexOutOfRange { what: "vertex index".into(), index, len }.at(place));
        }
        _ => {}
    }
    mesh.triangles = polygons.triangulate(&mesh.positions);
    mesh.not_empty()
}

fn header(lines: &mut Lines<'_>) -> Result<(Layout, Vec<Element>), Fault> {
    if lines.next().map(<[u8]>::trim_ascii_end) != Some(b"ply") {
        return Err(malformed("not a PLY file: the first line must be \"ply\"").at(lines.place()));
    }
    let mut layout = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let Some(line) = lines.next() else {
            return Err(Problem::Truncated { what: "the PLY header".into() }.at(lines.place()));
        };
        let fail = |text: String| malformed(text).at(Place::Line(lines.number));
        let line_words: Vec<&[u8]> = words(line).collect();
        match line_words[..] {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", format, b"1.0"] => {
                layout = Some(match format {
                    b"ascii" => Layout::Text,
                    b"binary_little_endian" => Layout::Binary { big_endian: false },
                    b"binary_big_endian" => Layout::Binary { big_endian: true },
                    _ => return Err(fail(format!("unknown PLY format \"{}\"", shown(format)))),
                });
            }
            [b"element", name, count] => {
                let count = std::str::from_utf8(count).ok().and_then(|c| c.parse().ok());
                let count =
                    count.ok_or_else(|| fail("the count of an element must be a whole number".into()))?;
                if elements.iter().any(|e| e.name == name) {
                    return Err(fail(format!("a second element \"{}\"", shown(name))));
                }
                elements.push(Element {
                    name: name.to_vec(),
                    count,
                    properties: Vec::new(),
                    line: lines.number,
                });
            }
            [b"property", ref rest @ ..] => {
                let property = match *rest {
                    [b"list", count, kind, name] => {
                        let count = Type::named(count).filter(|t| t.is_integer());
                        count.and_then(|count| property(name, kind, Some(count)))
                    }
                    [kind, name] => property(name, kind, None),
                    _ => None,
                };
                let mut property =
                    property.ok_or_else(|| fail(format!("bad property \"{}\"", shown(line))))?;
                property.line = lines.number;
                let element =
                    elements.last_mut().ok_or_else(|| fail("a property before any element".into()))?;
                if element.properties.iter().any(|known| known.name == property.name) {
                    return Err(fail(format!("a second property \"{}\"", shown(&property.name))));
                }
                element.properties.push(property);
            }
            [b"end_header"] => break,
            _ => return Err(fail(format!("\"{}\" does not belong in a PLY header", shown(line)))),
        }
    }
    match layout {
        Some(layout) => Ok((layout, elements)),
        None => Err(malformed("the header names no format").at(lines.place())),
    }
}

fn property(name: &[u8], kind: &[u8], count: Option<Type>) -> Option<Property> {
    Some(Property { name: name.to_vec(), kind: Type::named(kind)?, count, line: 0 })
}

fn role(element: &Element) -> Result<Role, Fault> {
    let find = |names: &[&[u8]], list: bool, integer: bool| {
        let fits = |p: &Property| {
            names.contains(&&p.name[..]) && p.count.is_some() == list && (!integer || p.kind.is_integer())
        };
        element.properties.iter().position(fits).ok_or_else(|| {
            let (name, wanted) = (shown(&element.name), shown(names[0]));
            let kind = match (list, integer) {
                (true, _) => "list of integers",
                (false, true) => "integer",
                (false, false) => "number",
            };
            malformed(format!("the element \"{name}\" needs a {kind} \"{wanted}\""))
                .at(Place::Line(element.line))
        })
    };
    let indices: [&[u8]; 2] = [b"vertex_indices", b"vertex_index"];
    Ok(match &element.name[..] {
        b"vertex" => Role::Vertex([
            find(&[b"x"], false, false)?,
            find(&[b"y"], false, false)?,
            find(&[b"z"], false, false)?,
        ]),
        b"face" => Role::Face(find(&indices, true, true)?),
        b"tristrips" => Role::Strips(find(&indices, true, true)?),
        b"edge" => Role::Edge([find(&[b"vertex1"], false, true)?, find(&[b"vertex2"], false, true)?]),
        b"point" => Role::Point(find(&[b"vertex_index"], false, true)?),
        _ => Role::Other,
    })
}

/// The numbers of the body, in order.
enum Values<'a> {
    Text { lines: Lines<'a>, row: &'a [u8] },
    Binary { cursor: Cursor<'a>, big_endian: bool },
}

impl Values<'_> {
    fn place(&self) -> Place {
        match self {
            Values::Text { lines, .. } => lines.place(),
            Values::Binary { cursor, .. } => Place::Byte(cursor.offset),
        }
    }

    /// Refuses a count that the rest of the file cannot hold.
    fn check_count(&self, element: &Element) -> Result<(), Fault> {
        let (left, row) = match self {
            // A digit and a separator per property; the last separator may be missing.
            Values::Text { lines, .. } => {
                (lines.rest().len() as u64 + 1, 2 * element.properties.len() as u64)
            }
            Values::Binary { cursor, .. } => {
                let sizes = element.properties.iter().map(|p| p.count.unwrap_or(p.kind).bytes());
                (cursor.left().len() as u64, sizes.sum())
            }
        };
        let at_most = left.checked_div(row).unwrap_or(0);
        if element.count > at_most {
            let what = format!("\"{}\" elements", shown(&element.name));
            let place = Place::Line(element.line);
            return Err(Problem::CountTooLarge { what, count: element.count, at_most }.at(place));
        }
        Ok(())
    }

    /// Reads the first rows of an element, up to the first unusual one. Usual are finite coordinates in a binary file,
    /// and triangles with 32-bit indices in lists that are alone in their row. Returns the number of rows. The general
    /// loop reads the other rows and reports their errors.
    fn plain_rows(
        &mut self,
        element: &Element,
        role: &Role,
        mesh: &mut MeshData,
        polygons: &mut Polygons,
        largest: &mut Option<(u32, Place)>,
    ) -> u64 {
        let Values::Binary { cursor, big_endian } = self else { return 0 };
        let properties = &element.properties[..];
        match (role, properties) {
            (Role::Vertex(xyz), _) if properties.iter().all(|p| p.count.is_none()) => {
                let before = |i: usize| properties[..i].iter().map(|p| p.kind.bytes() as usize).sum();
                let (row, offsets) = (before(properties.len()), xyz.map(before));
                let kinds = xyz.map(|i| properties[i].kind);
                let all = |kind: Type| kinds.iter().all(|k| *k == kind);
                if all(Type::F32) {
                    let number = if *big_endian { f32::from_be_bytes } else { f32::from_le_bytes };
                    plain_vertices(cursor, element, row, offsets, mesh, |bytes| f64::from(number(bytes)))
                } else if all(Type::F64) {
                    let number = if *big_endian { f64::from_be_bytes } else { f64::from_le_bytes };
                    plain_vertices(cursor, element, row, offsets, mesh, number)
                } else {
                    0
                }
            }
            (
                Role::Face(_),
                [Property { kind: Type::I32 | Type::U32, count: Some(Type::I8 | Type::U8), .. }],
            ) => {
                // A negative index of the signed type is left to the general loop.
                let most = if properties[0].kind == Type::I32 { i32::MAX as u32 } else { u32::MAX };
                if *big_endian {
                    plain_triangles(cursor, element, most, polygons, largest, u32::from_be_bytes)
                } else {
                    plain_triangles(cursor, element, most, polygons, largest, u32::from_le_bytes)
                }
            }
            _ => 0,
        }
    }

    fn start_row(&mut self, element: &Element) -> Result<(), Fault> {
        if let Values::Text { lines, row } = self {
            *row = lines.find(|line| !line.trim_ascii().is_empty()).ok_or_else(|| {
                let what = format!("its \"{}\" elements", shown(&element.name));
                Problem::Truncated { what }.at(Place::Line(lines.number))
            })?;
        }
        Ok(())
    }

    fn next(&mut self, kind: Type) -> Result<f64, Fault> {
        match self {
            Values::Text { lines, row } => {
                *row = row.trim_ascii_start();
                if row.is_empty() {
                    return Err(malformed("the line has too few numbers").at(lines.place()));
                }
                let end = row.iter().position(u8::is_ascii_whitespace).unwrap_or(row.len());
                let word = std::str::from_utf8(&row[..end]).ok();
                let value = word.and_then(|w| w.parse::<f64>().ok()).ok_or_else(|| {
                    malformed(format!("\"{}\" cannot be read as a number", shown(&row[..end])))
                        .at(lines.place())
                })?;
                let sound = match kind {
                    Type::F32 | Type::F64 => true,
                    Type::I8 | Type::I16 | Type::I32 => value == f64::from(value as i32),
                    Type::U8 | Type::U16 | Type::U32 => value == f64::from(value as u32),
                };
                if !sound {
                    let text = format!("\"{}\" does not fit its integer type", shown(&row[..end]));
                    return Err(malformed(text).at(lines.place()));
                }
                *row = &row[end..];
                Ok(value)
            }
            Values::Binary { cursor, big_endian } => {
                macro_rules! number {
                    ($type:ty) => {{
                        let bytes = cursor.take("an element")?;
                        f64::from(if *big_endian {
                            <$type>::from_be_bytes(bytes)
                        } else {
                            <$type>::from_le_bytes(bytes)
                        })
                    }};
                }
                Ok(match kind {
                    Type::I8 => number!(i8),
                    Type::U8 => number!(u8),
                    Type::I16 => number!(i16),
                    Type::U16 => number!(u16),
                    Type::I32 => number!(i32),
                    Type::U32 => number!(u32),
                    Type::F32 => number!(f32),
                    Type::F64 => number!(f64),
                })
            }
        }
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        match self {
            Values::Text { lines, row } if !row.trim_ascii().is_empty() => {
                Err(malformed("the line has too many numbers").at(lines.place()))
            }
            _ => Ok(()),
        }
    }

    fn finish(&self) -> Result<(), Fault> {
        let left = match self {
            Values::Text { lines, .. } => lines.rest(),
            Values::Binary { cursor, .. } => cursor.left(),
        };
        if left.trim_ascii().is_empty() {
            Ok(())
        } else {
            let text = format!("{} more bytes follow the last element", left.len());
            Err(malformed(text).at(self.place()))
        }
    }
}

/// Reads the vertices up to the first that is not finite. Their coordinates are K bytes each, at these offsets in a
/// row.
fn plain_vertices<const K: usize>(
    cursor: &mut Cursor<'_>,
    element: &Element,
    row: usize,
    offsets: [usize; 3],
    mesh: &mut MeshData,
    number: impl Fn([u8; K]) -> f64,
) -> u64 {
    // The count was compared with the number of bytes left.
    let count = (element.count as usize).min(u32::MAX as usize - mesh.positions.len());
    mesh.positions.reserve(count);
    let mut done = 0;
    for bytes in cursor.left().chunks_exact(row).take(count) {
        let [x, y, z] = offsets.map(|at| bytes[at..].first_chunk().map_or(f64::NAN, |bytes| number(*bytes)));
        let position = DVec3::new(x, y, z);
        if !position.is_finite() {
            break;
        }
        mesh.positions.push(position);
        done += 1;
    }
    cursor.offset += done * row;
    done as u64
}

/// Reads the triangles up to the first face with another number of corners, or with an index above `most`. A row is a
/// count of one byte, followed by the corners.
fn plain_triangles(
    cursor: &mut Cursor<'_>,
    element: &Element,
    most: u32,
    polygons: &mut Polygons,
    largest: &mut Option<(u32, Place)>,
    number: impl Fn([u8; 4]) -> u32,
) -> u64 {
    const ROW: usize = 13;
    let start = cursor.offset;
    let (rows, _) = cursor.left().as_chunks::<ROW>();
    // The count was compared with the number of bytes left, of which every row takes at least one.
    polygons.reserve_triangles(rows.len().min(element.count as usize));
    let (mut found, mut done) = (largest.take(), 0);
    for row in rows.iter().take(element.count as usize) {
        let corner = |at: usize| number([row[at], row[at + 1], row[at + 2], row[at + 3]]);
        let corners = [corner(1), corner(5), corner(9)];
        let highest = corners[0].max(corners[1]).max(corners[2]);
        if row[0] != 3 || highest > most {
            break;
        }
        if found.as_ref().is_none_or(|(largest, _)| highest > *largest) {
            found = Some((highest, Place::Byte(start + done * ROW)));
        }
        polygons.push(&corners);
        done += 1;
    }
    *largest = found;
    cursor.offset += done * ROW;
    done as u64
}
