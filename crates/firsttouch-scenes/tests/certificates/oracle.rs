//! Searches for a time at which the claim of a certificate is false: evaluates the statement in plain f64 at many
//! times, and measures its pairs there.
//!
//! It uses no code of the certifier or the verifiers: the file is read as JSON, poses are computed by glam, and each
//! pair is checked as two bodies at rest.

use std::sync::Arc;

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{
    Capsule, Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Mesh, Shape, SolidMesh, Sphere,
};
use firsttouch::{Answer, Options, first_touch};
use glam::{DQuat, DVec3};
use serde_json::Value;

const TIMES: usize = 48;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().map(|item| item.as_f64().unwrap()).collect(),
        one => vec![one.as_f64().unwrap()],
    }
}

fn vectors(value: &Value) -> Vec<DVec3> {
    numbers(value).chunks(3).map(DVec3::from_slice).collect()
}

/// The value of a Bernstein polynomial with coefficients of `width` numbers.
fn course(value: &Value, width: usize, s: f64) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = numbers(value).chunks(width).map(<[f64]>::to_vec).collect();
    while rows.len() > 1 {
        rows = rows
            .windows(2)
            .map(|w| w[0].iter().zip(&w[1]).map(|(x, y)| x * (1.0 - s) + y * s).collect())
            .collect();
    }
    rows.swap_remove(0)
}

type Placed = (DQuat, DVec3);

fn step(value: &Value, s: f64) -> Placed {
    let field = |name: &str| value.get(name);
    if let Some(pose) = field("pose") {
        let n = numbers(pose);
        return (DQuat::from_xyzw(n[4], n[5], n[6], n[3]).normalize(), DVec3::from_slice(&n));
    }
    if let Some(axis) = field("turn") {
        let angle = course(&value["angle"], 1, s)[0];
        return (DQuat::from_axis_angle(vectors(axis)[0].normalize(), angle), DVec3::ZERO);
    }
    if let Some(axis) = field("along") {
        return (DQuat::IDENTITY, vectors(axis)[0].normalize() * course(&value["distance"], 1, s)[0]);
    }
    (DQuat::IDENTITY, DVec3::from_slice(&course(&value["slide"], 3, s)))
}

fn shape(value: &Value) -> Shape {
    let field = |name: &str| value.get(name).map(numbers);
    if let Some(n) = field("box") {
        return Cuboid::new(2.0 * DVec3::from_slice(&n)).unwrap().into();
    }
    if let Some(n) = field("ellipsoid") {
        return Ellipsoid::new(DVec3::from_slice(&n)).unwrap().into();
    }
    if let Some(n) = field("sphere") {
        return Sphere::new(n[0]).unwrap().into();
    }
    if let Some(n) = field("capsule") {
        return Capsule::new(n[0], 2.0 * n[1]).unwrap().into();
    }
    if let Some(n) = field("cylinder") {
        return Cylinder::new(n[0], 2.0 * n[1]).unwrap().into();
    }
    if let Some(n) = field("cone") {
        return Cone::new(n[0], 2.0 * n[1]).unwrap().into();
    }
    if let Some(n) = field("half_space") {
        let normal = DVec3::from_slice(&n);
        return HalfSpace::new(normal, n[3] / normal.length()).unwrap().into();
    }
    if let Some(points) = value.get("hull") {
        return Hull::new(&vectors(points)).unwrap().into();
    }
    let corners = numbers(&value["triangles"]);
    let triangles = corners.chunks(3).map(|t| [t[0] as u32, t[1] as u32, t[2] as u32]).collect();
    let mesh = Mesh::new(vectors(&value["vertices"]), triangles).unwrap();
    if value.get("solid") == Some(&Value::Bool(true)) {
        // A mesh that is not closed encloses nothing.
        if let Ok(solid) = SolidMesh::new(mesh.clone()) {
            return Shape::SolidMesh(Arc::new(solid));
        }
    }
    mesh.into()
}

/// Returns a pair and a time at which the claim is false, if one is found.
pub(crate) fn counterexample(file: &str) -> Option<(usize, usize, f64)> {
    let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let claim = &lines[0]["claim"];
    let until = claim["free_until"].as_f64().unwrap();
    let of = |kind: &'static str| lines.iter().filter(move |line| line.get(kind).is_some());
    let shapes: Vec<Shape> = of("shape").filter(|line| line.get("part").is_none()).map(shape).collect();
    let frames: Vec<&Value> = of("frame").filter(|line| line.get("moves").is_some()).collect();
    let parts: Vec<&Value> = of("part").collect();
    let place = |frame: &Value, t: f64| -> Placed {
        let (mut all, mut at) = ((DQuat::IDENTITY, DVec3::ZERO), frame.as_u64());
        while let Some(frame) = at {
            let frame = frames[frame as usize];
            let (mut start, mut inner) = (0.0, (DQuat::IDENTITY, DVec3::ZERO));
            for leg in frame["moves"].as_array().unwrap() {
                let end = leg["until"].as_f64().unwrap();
                if t <= end {
                    for value in leg["by"].as_array().unwrap() {
                        let (q, p) = step(value, (t - start) / (end - start));
                        inner = (inner.0 * q, inner.0 * p + inner.1);
                    }
                    break;
                }
                start = end;
            }
            all = (inner.0 * all.0, inner.0 * all.1 + inner.1);
            at = frame["in"].as_u64();
        }
        all
    };
    for k in 0..=TIMES {
        let t = until * k as f64 / TIMES as f64;
        let places: Vec<Motion> = parts
            .iter()
            .map(|part| {
                let (q, p) = place(&part["frame"], t);
                Motion::fixed(Pose::new(p, q).unwrap())
            })
            .collect();
        for p in 0..parts.len() {
            for q in p + 1..parts.len() {
                let listed = |line: &&Value, name: &str| {
                    line[name].as_array().unwrap().iter().any(|pair| numbers(pair) == [p as f64, q as f64])
                };
                if of("unchecked").any(|line| listed(&line, "unchecked")) {
                    continue;
                }
                let own = of("separation").find(|line| line.get("pairs").is_some() && listed(line, "pairs"));
                let separation =
                    own.map_or(&claim["separation"], |line| &line["separation"]).as_f64().unwrap();
                // A pair that is closer by less than the rounding of this oracle is no counterexample.
                let options = Options {
                    min_separation: f64::max(separation - 1e-9, 0.0),
                    tolerance: 1e-12,
                    ..Options::default()
                };
                let [a, b] = [p, q]
                    .map(|part| (&shapes[parts[part]["shape"].as_u64().unwrap() as usize], &places[part]));
                match first_touch(a, b, &options) {
                    Ok(Answer::Free) | Err(_) => {}
                    Ok(_) => return Some((p, q, t)),
                }
            }
        }
    }
    None
}
