//! The document that the page reads, and the page around it. `viewer/FORMAT.md` explains every field.

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use glam::{DMat3, DQuat, DVec3};
use serde::Serialize;

use crate::output::Failure;

/// The page without a document, built from `viewer/`.
const PAGE: &str = include_str!("../../assets/viewer.html");

/// The one line of the page that a document replaces.
const PLACE: &str = "<!-- firsttouch-document -->";

pub(crate) type Vec3 = [f64; 3];

#[derive(Debug, Default, Serialize)]
pub(crate) struct Document {
    pub(crate) format: &'static str,
    pub(crate) version: u32,
    pub(crate) title: String,
    pub(crate) command: String,
    pub(crate) tolerance: f64,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) min_separation: f64,
    pub(crate) mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) live: Option<String>,
    pub(crate) buffers: Vec<BufferText>,
    pub(crate) geometries: Vec<Geometry>,
    pub(crate) bodies: Vec<ShownBody>,
    pub(crate) runs: Vec<Run>,
}

/// Whether a number is left out of the JSON.
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[derive(Debug, Serialize)]
pub(crate) struct BufferText {
    encoding: &'static str,
    bytes: usize,
    data: String,
}

/// Numbers inside the buffer.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Numbers {
    buffer: usize,
    offset: usize,
    count: usize,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Geometry {
    Box {
        size: Vec3,
    },
    Sphere {
        radius: f64,
    },
    Capsule {
        radius: f64,
        length: f64,
    },
    Cylinder {
        radius: f64,
        length: f64,
    },
    Cone {
        radius: f64,
        length: f64,
    },
    Ellipsoid {
        semi_axes: Vec3,
    },
    HalfSpace {
        normal: Vec3,
        offset: f64,
    },
    Mesh(Box<MeshGeometry>),
    /// Balls of one radius.
    Points {
        #[serde(flatten)]
        places: Places,
        radius: f64,
    },
    /// Cells of an octree by their centres and their side lengths.
    Boxes {
        #[serde(flatten)]
        places: Places,
        sizes: Numbers,
    },
}

/// Many places, quantised over a box.
#[derive(Debug, Serialize)]
pub(crate) struct Places {
    #[serde(rename = "box")]
    pub(crate) bounds: [Vec3; 2],
    pub(crate) positions: Numbers,
}

#[derive(Debug, Serialize)]
pub(crate) struct MeshGeometry {
    #[serde(rename = "box")]
    pub(crate) bounds: [Vec3; 2],
    pub(crate) positions: Numbers,
    pub(crate) indices: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edges: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) points: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shading: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) frames: Option<Frames>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Frames {
    pub(crate) times: Vec<f64>,
    pub(crate) positions: Vec<Numbers>,
}

#[derive(Debug, Clone, Serialize)]
pub(crate) struct ShownShape {
    pub(crate) geometry: usize,
    #[serde(flatten)]
    pub(crate) place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
}

/// Where something is: nothing is written of what is in its parent's frame.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Vec3>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quaternion: Option<[f64; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<[f64; 9]>,
}

impl Place {
    pub(crate) fn rigid(translation: DVec3, rotation: DQuat) -> Place {
        Place {
            position: (translation != DVec3::ZERO).then(|| plain(translation)),
            quaternion: (rotation != DQuat::IDENTITY).then(|| wxyz(rotation)),
            matrix: None,
        }
    }

    pub(crate) fn affine(matrix: DMat3, center: DVec3) -> Place {
        Place { position: Some(plain(center)), quaternion: None, matrix: Some(rows(matrix)) }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct ShownBody {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) group: Option<String>,
    pub(crate) shapes: Vec<ShownShape>,
    #[serde(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Run {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) duration: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) segments: Option<Vec<f64>>,
    pub(crate) answer: ShownAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pairs: Option<Vec<ShownPair>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) clearance: Option<ShownClearance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contacts: Option<Vec<ShownContact>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) stats: BTreeMap<&'static str, u64>,
    pub(crate) motions: Vec<ShownMotion>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ShownAnswer {
    pub(crate) answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) toi: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) segment: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) free_until: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bodies: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parts: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) features: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) points: Option<[Vec3; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) normal: Option<Vec3>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) marks: Option<[Vec<Vec3>; 2]>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ShownPair {
    #[serde(flatten)]
    pub(crate) answer: ShownAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) overlaps: Option<Vec<ShownOverlap>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ShownOverlap {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) certain: bool,
}

/// Bounds of the least distance at sampled times.
#[derive(Debug, Default, Serialize)]
pub(crate) struct ShownClearance {
    pub(crate) times: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) least: Option<ShownLeast>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ShownLeast {
    pub(crate) time: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bodies: Option<[usize; 2]>,
    pub(crate) points: [Vec3; 2],
}

#[derive(Debug, Serialize)]
pub(crate) struct ShownContact {
    pub(crate) points: [Vec3; 2],
    pub(crate) normal: Vec3,
    pub(crate) gap: f64,
    pub(crate) features: [String; 2],
}

#[derive(Debug, Serialize)]
pub(crate) struct ShownMotion {
    pub(crate) body: usize,
    pub(crate) times: Numbers,
    pub(crate) positions: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) quaternions: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) matrices: Option<Numbers>,
}

/// Collects numbers into one buffer, little-endian.
#[derive(Debug, Default)]
pub(crate) struct Pack {
    bytes: Vec<u8>,
}

impl Pack {
    pub(crate) fn u16(&mut self, values: impl IntoIterator<Item = u16>) -> Numbers {
        self.view("u16", values.into_iter().map(u16::to_le_bytes))
    }

    pub(crate) fn u32(&mut self, values: impl IntoIterator<Item = u32>) -> Numbers {
        self.view("u32", values.into_iter().map(u32::to_le_bytes))
    }

    pub(crate) fn f32(&mut self, values: impl IntoIterator<Item = f64>) -> Numbers {
        self.view("f32", values.into_iter().map(|value| (value as f32).to_le_bytes()))
    }

    pub(crate) fn f64(&mut self, values: impl IntoIterator<Item = f64>) -> Numbers {
        self.view("f64", values.into_iter().map(f64::to_le_bytes))
    }

    /// Indices of vertices, as short as the number of vertices lets them be.
    pub(crate) fn indices(&mut self, values: impl IntoIterator<Item = u32>, vertices: usize) -> Numbers {
        if vertices <= 1 << 16 {
            self.u16(values.into_iter().map(|index| index as u16))
        } else {
            self.u32(values)
        }
    }

    fn view<const N: usize>(&mut self, kind: &'static str, values: impl Iterator<Item = [u8; N]>) -> Numbers {
        let offset = self.bytes.len().next_multiple_of(N);
        self.bytes.resize(offset, 0);
        values.for_each(|value| self.bytes.extend(value));
        Numbers { buffer: 0, offset, count: (self.bytes.len() - offset) / N, kind }
    }

    pub(crate) fn buffers(self) -> Result<Vec<BufferText>, Failure> {
        if self.bytes.is_empty() {
            return Ok(Vec::new());
        }
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        let deflated = zlib.write_all(&self.bytes).and_then(|()| zlib.finish()).map_err(Failure::Output)?;
        let data = BASE64_STANDARD.encode(deflated);
        Ok(vec![BufferText { encoding: "deflate-base64", bytes: self.bytes.len(), data }])
    }
}

impl Document {
    /// The page that shows the document. JSON has `<` inside of strings only, where it can be written in another way; so nothing in
    /// a name can end the script or begin another.
    pub(crate) fn page(&self) -> Result<String, Failure> {
        let json = serde_json::to_string(self).map_err(|error| Failure::Output(error.into()))?;
        let json = json.replace('<', "\\u003c");
        let script = format!("<script type=\"application/json\" id=\"firsttouch-document\">{json}</script>");
        match PAGE.split_once(PLACE) {
            Some((before, after)) if !after.contains(PLACE) => Ok([before, &script, after].concat()),
            _ => Err(Failure::Internal("the page has not one place for a document".into())),
        }
    }
}

/// The coordinates, with a plain zero in place of -0.
pub(crate) fn plain(v: DVec3) -> Vec3 {
    v.to_array().map(|c| c + 0.0)
}

/// A quaternion in the order of scene files.
pub(crate) fn wxyz(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z].map(|c| c + 0.0)
}

/// A matrix row by row.
pub(crate) fn rows(m: DMat3) -> [f64; 9] {
    m.transpose().to_cols_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_aligned() {
        let mut pack = Pack::default();
        pack.u16([1, 2, 3]);
        let view = pack.f64([1.5]);
        assert_eq!((view.offset, view.count, view.kind), (8, 1, "f64"));
        assert_eq!(pack.bytes.len(), 16);
    }

    /// The template has one place for a document, and nothing in a name gets out of it.
    #[test]
    fn hostile_names_stay_text() {
        let document = Document { title: "</script><!-- <script>".into(), ..Document::default() };
        let page = document.page().unwrap();
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count() + 1);
        assert!(!page.contains(PLACE));
        assert!(page.contains("\\u003c/script>"));
    }
}
