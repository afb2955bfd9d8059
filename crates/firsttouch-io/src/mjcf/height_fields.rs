//! Height fields: an `hfield` asset as collision geometry.
//!
//! MuJoCo fills the space between the heights and a base below them. Here that solid is made of
//! 1. the surface of the heights, a height field of the library, with the same diagonals in its cells;
//! 2. walls from the border of the surface down to `z = 0`, as triangles;
//! 3. the base from `z = 0` down to `−base`, a solid box.
//!
//! Guarantee: nothing gets into MuJoCo's solid without touching one of the three, whose edges meet up to rounding. A
//! thing that starts between the surface and `z = 0`, away from all three, is not noticed, as inside any mesh.
//!
//! Heights go from 0 to `elevation_z`: MuJoCo subtracts the least of the numbers in the file and divides by the range.
//! Rows of the attribute `elevation` and of a picture go from the highest y to the lowest, and those of MuJoCo's own
//! files the other way. MuJoCo reduces a picture of 16 bits to 8; here it keeps its 16 bits.

use super::elements::{Document, Element};
use super::settings::Settings;
use crate::cloud::{HeightData, read_mujoco_heights, read_png_heights, scale_to_unit};
use crate::error::{Problem, Result};
use crate::mesh::extension;
use crate::scene::{Pose, ShapeFile};
use crate::source::{integer, shown};
use glam::{DQuat, DVec2, DVec3};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Reads a file that the model names.
pub(super) type Load<'l> = dyn FnMut(&Path) -> Result<Vec<u8>> + 'l;

/// Returns the height fields among the assets, by their names. Their files are read when a geom names them.
pub(super) fn height_fields<'a>(
    document: &'a Document,
    settings: &Settings,
) -> Result<HashMap<String, &'a Element>> {
    let mut fields = HashMap::new();
    for element in document.sections("asset").flat_map(|asset| &asset.children) {
        if element.tag != "hfield" {
            continue;
        }
        let stem = || {
            let path = settings.mesh_path(element.attribute("file")?);
            path.file_stem().map(|stem| stem.to_string_lossy().into_owned())
        };
        // A geom can only name an asset that has a name.
        let Some(name) = element.name().map(str::to_string).or_else(stem) else { continue };
        if fields.insert(name.clone(), element).is_some() {
            let text = format!("a second height field called \"{}\"", shown(name.as_bytes()));
            return Err(document.malformed(element, text));
        }
    }
    Ok(fields)
}

/// Returns the shapes of a height field, each with its pose in the frame of the geom.
pub(super) fn solid_of(
    document: &Document,
    settings: &Settings,
    element: &Element,
    load: &mut Load<'_>,
) -> Result<Vec<(Pose, ShapeFile)>> {
    let size = element.attribute("size");
    let missing =
        || document.malformed(element, "a height field needs size=\"radius_x radius_y height base\"");
    let sizes: [f64; 4] = document.fixed(element, "size", size.ok_or_else(missing)?)?;
    if !sizes.iter().all(|&size| size > 0.0) {
        return Err(document.malformed(element, "the sizes of a height field must be positive"));
    }
    let [half_x, half_y, height, base] = sizes;
    let sides = DVec2::new(2.0 * half_x, 2.0 * half_y);
    let below = Pose { xyz: DVec3::Z * (-0.5 * base), quat: DQuat::IDENTITY };
    let mut shapes = vec![(below, ShapeFile::Box { sides: sides.extend(base) })];
    // If all heights are the same, the upper face of the base is the surface.
    let Some(mut field) = heights(document, settings, element, load)? else { return Ok(shapes) };
    if field.columns < 2 || field.rows < 2 {
        return Err(document.malformed(element, "a height field needs 2 rows and 2 columns at least"));
    }
    field.values.iter_mut().for_each(|value| *value *= height);
    if let Some(walls) = walls(&field, sides) {
        shapes.push((Pose::IDENTITY, walls));
    }
    let HeightData { columns, rows, values } = field;
    shapes.push((Pose::IDENTITY, ShapeFile::Heights { columns, rows, sides, heights: values.into() }));
    Ok(shapes)
}

/// Returns heights from 0 to 1, from low y to high y; `None` if they are all the same.
fn heights(
    document: &Document,
    settings: &Settings,
    element: &Element,
    load: &mut Load<'_>,
) -> Result<Option<HeightData>> {
    let count = |name: &str| match element.attribute(name) {
        None => Ok(0),
        Some(value) => {
            let not = || format!("hfield {name} is not a count: \"{}\"", shown(value.as_bytes()));
            let count = integer(value.trim().as_bytes()).and_then(|count| usize::try_from(count).ok());
            count.ok_or_else(|| document.malformed(element, not()))
        }
    };
    let (rows, columns) = (count("nrow")?, count("ncol")?);
    let mut data = match element.attribute("file").filter(|file| !file.is_empty()) {
        Some(_) if rows != 0 || columns != 0 => {
            return Err(document.malformed(element, "a height field with a file has no nrow and ncol"));
        }
        Some(written) => {
            let folder = document.path().parent().unwrap_or(Path::new(""));
            let path = folder.join(settings.mesh_path(written));
            let is_picture = match element.attribute("content_type") {
                None => extension(&path) == "png",
                Some("image/png") => true,
                Some("image/vnd.mujoco.hfield") => false,
                Some(other) => {
                    let text = format!("height fields as \"{}\"", shown(other.as_bytes()));
                    return Err(document.unsupported(element, text));
                }
            };
            let read = if is_picture { read_png_heights } else { read_mujoco_heights };
            load(&path).and_then(|bytes| read(&bytes, path.clone())).map_err(|error| {
                document.error(element, Problem::Named { context: String::new(), error: Box::new(error) })
            })?
        }
        None if rows == 0 || columns == 0 => {
            let text = "a height field needs a file, or nrow and ncol";
            return Err(document.malformed(element, text));
        }
        None => {
            let Some(written) = element.attribute("elevation") else { return Ok(None) };
            let numbers = document.numbers(element, "elevation", written)?;
            if rows.checked_mul(columns) != Some(numbers.len()) {
                let text =
                    format!("hfield elevation needs {rows} x {columns} numbers, but has {}", numbers.len());
                return Err(document.malformed(element, text));
            }
            let values = numbers.chunks_exact(columns).rev().flatten().copied().collect();
            HeightData { columns, rows, values }
        }
    };
    match scale_to_unit(&mut data.values) {
        Some(true) => Ok(Some(data)),
        Some(false) => Ok(None),
        None => Err(document.malformed(element, "the elevations of a height field are too far apart")),
    }
}

/// Returns the walls from the border of a surface down to `z = 0`, or `None` if the border is already there.
fn walls(field: &HeightData, sides: DVec2) -> Option<ShapeFile> {
    let HeightData { columns, rows, values } = field;
    let step = sides / DVec2::new(*columns as f64 - 1.0, *rows as f64 - 1.0);
    let point = |i: usize, j: usize| {
        let at = -0.5 * sides + step * DVec2::new(i as f64, j as f64);
        at.extend(values[j * columns + i])
    };
    let (right, top) = (columns - 1, rows - 1);
    // The border is closed: its last point is the first.
    let around = (0..right).map(|i| (i, 0));
    let around = around.chain((0..top).map(|j| (right, j))).chain((1..=right).rev().map(|i| (i, top)));
    let around: Vec<DVec3> =
        around.chain((0..=top).rev().map(|j| (0, j))).map(|(i, j)| point(i, j)).collect();
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for pair in around.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let floor = |p: DVec3| DVec3::new(p.x, p.y, 0.0);
        let first = positions.len() as u32;
        positions.extend([floor(a), floor(b), b, a]);
        // A corner at z = 0 equals the one below it.
        if b.z > 0.0 {
            triangles.push([first, first + 1, first + 2]);
        }
        if a.z > 0.0 {
            triangles.push([first, first + 2, first + 3]);
        }
    }
    let (positions, triangles): (Arc<[DVec3]>, Arc<[[u32; 3]]>) = (positions.into(), triangles.into());
    (!triangles.is_empty()).then_some(ShapeFile::Triangles { positions, triangles })
}
