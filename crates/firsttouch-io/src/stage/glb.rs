//! Binary glTF 2.0.
//!
//! 1. One mesh and one node per actor, under a root that turns z up into glTF's y up.
//! 2. *Rigid* actors: translation and rotation at the samples, linear in between.
//! 3. *Affine* images of the unit ball, `A y + c`: nine morph targets `y_j e_i` with the weights `A_ij` over a mesh of
//!    zeros, so that the image is exact at the samples, shear included. The translation is `c`.
//! 4. *Deforming* meshes: one morph target, from the first frame to the last, whose weight is the time.
//! 5. The mark has scale zero before the touch and one from there on.

use std::io::Write;

use glam::{DQuat, DVec3};
use serde_json::{Value, json};

use super::{Actor, Animation, Stage};
use crate::error::printable;

/// Component types and targets of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// Base colours, linear, in turn. Red is kept for the mark.
const COLOURS: [[f64; 4]; 5] = [
    [0.12, 0.35, 0.69, 1.0],
    [0.80, 0.48, 0.06, 1.0],
    [0.10, 0.50, 0.32, 1.0],
    [0.45, 0.28, 0.60, 1.0],
    [0.40, 0.40, 0.42, 1.0],
];
const RED: [f64; 4] = [0.80, 0.03, 0.03, 1.0];

/// The largest length of a GLB file: its header has 32 bits for it.
const LONGEST: usize = u32::MAX as usize;

pub(super) fn write(stage: &Stage, out: &mut dyn Write) -> std::io::Result<()> {
    let mut file = File::default();
    for colour in COLOURS.iter().chain([&RED]) {
        let material = json!({ "pbrMetallicRoughness": { "baseColorFactor": colour, "metallicFactor": 0.1, "roughnessFactor": 0.7 },
            "doubleSided": true });
        file.materials.push(material);
    }
    let seconds: Vec<f64> = stage.times.iter().map(|time| time * stage.seconds).collect();
    let times = file.scalars(&seconds);
    for (index, actor) in stage.actors.iter().enumerate() {
        file.actor(actor, index % COLOURS.len(), times, &stage.times);
    }
    if let Some(mark) = stage.mark() {
        file.mark(&mark, stage.touch.unwrap_or_default(), seconds[stage.shown]);
    }
    file.write(out)
}

/// The parts of a glTF file.
#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
}

impl File {
    fn actor(&mut self, actor: &Actor, material: usize, times: usize, values: &[f64]) {
        let positions = &actor.surface.positions;
        let node = self.nodes.len();
        let name = printable(&actor.name);
        match &actor.animation {
            Animation::Rigid(poses) => {
                let mesh = self.mesh(positions, &actor.surface.triangles, material, &[]);
                // The nearer of a quaternion and its negative: linear interpolation goes the way between the numbers.
                let mut rotations: Vec<DQuat> = Vec::with_capacity(poses.len());
                for pose in poses {
                    let q = DQuat::from_mat3(&pose.rotation).normalize();
                    rotations.push(if rotations.last().is_some_and(|last| last.dot(q) < 0.0) {
                        -q
                    } else {
                        q
                    });
                }
                let at = |k: usize| (poses[k].translation.to_array(), rotations[k].to_array());
                let (translation, rotation) = at(0);
                self.nodes.push(
                    json!({ "name": name, "mesh": mesh, "translation": translation, "rotation": rotation }),
                );
                if (1..poses.len()).any(|k| at(k) != at(0)) {
                    let translations: Vec<[f64; 3]> = (0..poses.len()).map(|k| at(k).0).collect();
                    let rotations: Vec<[f64; 4]> = (0..poses.len()).map(|k| at(k).1).collect();
                    let translations = self.floats("VEC3", &translations, None, false);
                    let rotations = self.floats("VEC4", &rotations, None, false);
                    self.animate(node, "translation", times, translations, "LINEAR");
                    self.animate(node, "rotation", times, rotations, "LINEAR");
                }
            }
            Animation::Affine(images) => {
                let axes = DVec3::AXES;
                let target = |k: usize| positions.iter().map(|y| y[k % 3] * axes[k / 3]).collect();
                let targets: Vec<Vec<DVec3>> = (0..9).map(target).collect();
                let zeros = vec![DVec3::ZERO; positions.len()];
                let mesh = self.mesh(&zeros, &actor.surface.triangles, material, &targets);
                let weights = |k: usize| images[k].0.transpose().to_cols_array();
                self.nodes.push(json!({ "name": name, "mesh": mesh, "translation": images[0].1.to_array(), "weights": weights(0) }));
                let all: Vec<f64> = (0..images.len()).flat_map(weights).collect();
                let centers: Vec<[f64; 3]> = images.iter().map(|(_, center)| center.to_array()).collect();
                let (all, centers) = (self.scalars(&all), self.floats("VEC3", &centers, None, false));
                self.animate(node, "weights", times, all, "LINEAR");
                self.animate(node, "translation", times, centers, "LINEAR");
            }
            Animation::Deforming(to) => {
                let target = vec![positions.iter().zip(to).map(|(from, to)| *to - *from).collect()];
                let mesh = self.mesh(positions, &actor.surface.triangles, material, &target);
                self.nodes.push(json!({ "name": name, "mesh": mesh, "weights": [0.0] }));
                let weights = self.scalars(values);
                self.animate(node, "weights", times, weights, "LINEAR");
            }
        }
    }

    /// Adds the mark, in the frame of its own centre, about which it is scaled.
    fn mark(&mut self, mark: &crate::MeshData, center: DVec3, time: f64) {
        let around: Vec<DVec3> = mark.positions.iter().map(|&v| v - center).collect();
        let mesh = self.mesh(&around, &mark.triangles, COLOURS.len(), &[]);
        let node = self.nodes.len();
        self.nodes.push(json!({ "name": "touch", "mesh": mesh, "translation": center.to_array() }));
        if time > 0.0 {
            let times = self.scalars(&[0.0, time]);
            let scales = self.floats("VEC3", &[[0.0; 3], [1.0; 3]], None, false);
            self.animate(node, "scale", times, scales, "STEP");
        }
    }

    fn animate(&mut self, node: usize, path: &str, input: usize, output: usize, how: &str) {
        let sampler = self.samplers.len();
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": how }));
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    fn mesh(
        &mut self,
        positions: &[DVec3],
        triangles: &[[u32; 3]],
        material: usize,
        targets: &[Vec<DVec3>],
    ) -> usize {
        let list = |vertices: &[DVec3]| vertices.iter().map(|v| v.to_array()).collect::<Vec<_>>();
        let place = self.floats("VEC3", &list(positions), Some(VERTICES), true);
        let targets: Vec<Value> = targets
            .iter()
            .map(|target| json!({ "POSITION": self.floats("VEC3", &list(target), Some(VERTICES), true) }))
            .collect();
        let indices = self.bytes.len();
        self.bytes.extend(triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
        let indices =
            self.accessor(indices, 3 * triangles.len(), UNSIGNED_INT, "SCALAR", Some(INDICES), None);
        let mut primitive =
            json!({ "attributes": { "POSITION": place }, "indices": indices, "material": material });
        if !targets.is_empty() {
            primitive["targets"] = Value::Array(targets);
        }
        self.meshes.push(json!({ "primitives": [primitive] }));
        self.meshes.len() - 1
    }

    fn scalars(&mut self, values: &[f64]) -> usize {
        let values: Vec<[f64; 1]> = values.iter().map(|&value| [value]).collect();
        // The times of an animation need their bounds.
        self.floats("SCALAR", &values, None, true)
    }

    fn floats<const N: usize>(
        &mut self,
        kind: &str,
        values: &[[f64; N]],
        target: Option<u32>,
        bounded: bool,
    ) -> usize {
        let start = self.bytes.len();
        let (mut least, mut most) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
        for value in values {
            for (axis, &value) in value.iter().enumerate() {
                // A number beyond f32 is drawn at the edge of its range.
                let value = (value as f32).clamp(f32::MIN, f32::MAX);
                (least[axis], most[axis]) = (least[axis].min(value), most[axis].max(value));
                self.bytes.extend(value.to_le_bytes());
            }
        }
        let bounds = (bounded && !values.is_empty()).then(|| (json!(least.to_vec()), json!(most.to_vec())));
        self.accessor(start, values.len(), FLOAT, kind, target, bounds)
    }

    fn accessor(
        &mut self,
        start: usize,
        count: usize,
        component: u32,
        kind: &str,
        target: Option<u32>,
        bounds: Option<(Value, Value)>,
    ) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        let mut accessor = json!({ "bufferView": self.views.len() - 1, "componentType": component, "count": count, "type": kind });
        if let Some((least, most)) = bounds {
            accessor["min"] = least;
            accessor["max"] = most;
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn write(self, out: &mut dyn Write) -> std::io::Result<()> {
        let root = self.nodes.len();
        let children: Vec<usize> = (0..root).collect();
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let mut nodes = self.nodes;
        nodes.push(json!({ "name": "z up", "rotation": [-half, 0.0, 0.0, half], "children": children }));
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "firsttouch" },
            "scene": 0,
            "scenes": [{ "nodes": [root] }],
            "nodes": nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bytes.len() }],
        });
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{ "name": "motion", "channels": self.channels, "samplers": self.samplers }]);
        }
        let mut text = serde_json::to_vec(&document)?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let mut bytes = self.bytes;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let total = 12 + 8 + text.len() + 8 + bytes.len();
        if total > LONGEST {
            return Err(std::io::Error::other("the scene is too large for a GLB file (4 GB)"));
        }
        out.write_all(b"glTF")?;
        for number in [2, total as u32] {
            out.write_all(&number.to_le_bytes())?;
        }
        for (kind, chunk) in [(b"JSON", &text), (b"BIN\0", &bytes)] {
            out.write_all(&(chunk.len() as u32).to_le_bytes())?;
            out.write_all(kind)?;
            out.write_all(chunk)?;
        }
        Ok(())
    }
}
