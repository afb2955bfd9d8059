//! The document that the page reads, and the page around it. `viewer/FORMAT.md` explains every field.
//!
//! Fields that do not apply are left out. A document has one buffer: all long lists, deflated.

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use glam::{DMat3, DQuat, DVec3};
use serde::Serialize;

/// The page without a document, built from `viewer/`.
const PAGE: &str = include_str!("../../assets/viewer.html");

/// The one line of the page that a document replaces.
const PLACE: &str = "<!-- firsttouch-document -->";

pub(super) type Vec3 = [f64; 3];

/// The content of a page: bodies, their motions and answers. It serializes to the JSON that `viewer/FORMAT.md`
/// describes.
#[derive(Debug, Default, Serialize)]
pub struct Document {
    pub(super) format: &'static str,
    pub(super) version: u32,
    pub(super) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tolerance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_separation: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) live: Option<String>,
    pub(super) buffers: Vec<BufferText>,
    pub(super) geometries: Vec<Geometry>,
    pub(super) bodies: Vec<ShownBody>,
    pub(super) runs: Vec<Run>,
}

#[derive(Debug, Serialize)]
pub(super) struct BufferText {
    encoding: &'static str,
    bytes: usize,
    data: String,
}

/// Numbers inside the buffer.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Numbers {
    buffer: usize,
    offset: usize,
    count: usize,
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Geometry {
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

/// Many places, quantised to a box.
#[derive(Debug, Serialize)]
pub(super) struct Places {
    #[serde(rename = "box")]
    pub(super) bounds: [Vec3; 2],
    pub(super) positions: Numbers,
}

#[derive(Debug, Serialize)]
pub(super) struct MeshGeometry {
    #[serde(rename = "box")]
    pub(super) bounds: [Vec3; 2],
    pub(super) positions: Numbers,
    pub(super) indices: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) edges: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) points: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) shading: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) frames: Option<Frames>,
}

#[derive(Debug, Serialize)]
pub(super) struct Frames {
    pub(super) times: Vec<f64>,
    pub(super) positions: Vec<Numbers>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ShownShape {
    pub(super) geometry: usize,
    #[serde(flatten)]
    pub(super) place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) role: Option<&'static str>,
}

/// The place of something in the frame of its parent. A zero or an identity is not written.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Place {
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<Vec3>,
    #[serde(skip_serializing_if = "Option::is_none")]
    quaternion: Option<[f64; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matrix: Option<[f64; 9]>,
}

impl Place {
    pub(super) fn rigid(translation: DVec3, rotation: DQuat) -> Place {
        Place {
            position: (translation != DVec3::ZERO).then(|| plain(translation)),
            quaternion: (rotation != DQuat::IDENTITY).then(|| wxyz(rotation)),
            matrix: None,
        }
    }

    pub(super) fn affine(matrix: DMat3, center: DVec3) -> Place {
        Place { position: Some(plain(center)), quaternion: None, matrix: Some(rows(matrix)) }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct ShownBody {
    pub(super) name: String,
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<String>,
    pub(super) shapes: Vec<ShownShape>,
    #[serde(flatten)]
    pub(super) place: Place,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Run {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) duration: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) segments: Option<Vec<f64>>,
    pub(super) answer: ShownAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pairs: Option<Vec<ShownPair>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) clearance: Option<ShownClearance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) contacts: Option<Vec<ShownContact>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) stats: BTreeMap<String, u64>,
    pub(super) motions: Vec<ShownMotion>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct ShownAnswer {
    pub(super) answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) toi: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) segment: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) free_until: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gap: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bodies: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parts: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) features: Option<[String; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) points: Option<[Vec3; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) normal: Option<Vec3>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) marks: Option<[Vec<Vec3>; 2]>,
}

#[derive(Debug, Serialize)]
pub(super) struct ShownPair {
    #[serde(flatten)]
    pub(super) answer: ShownAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) overlaps: Option<Vec<ShownOverlap>>,
}

#[derive(Debug, Serialize)]
pub(super) struct ShownOverlap {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) certain: bool,
}

/// Bounds of the least distance at sampled times.
#[derive(Debug, Default, Serialize)]
pub(super) struct ShownClearance {
    pub(super) times: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) least: Option<ShownLeast>,
}

#[derive(Debug, Serialize)]
pub(super) struct ShownLeast {
    pub(super) time: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bodies: Option<[usize; 2]>,
    pub(super) points: [Vec3; 2],
}

#[derive(Debug, Serialize)]
pub(super) struct ShownContact {
    pub(super) points: [Vec3; 2],
    pub(super) normal: Vec3,
    pub(super) gap: f64,
    pub(super) features: [String; 2],
}

#[derive(Debug, Serialize)]
pub(super) struct ShownMotion {
    pub(super) body: usize,
    pub(super) times: Numbers,
    pub(super) positions: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) quaternions: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) matrices: Option<Numbers>,
}

/// Collects numbers into one buffer, little-endian.
#[derive(Debug, Default)]
pub(super) struct Pack {
    bytes: Vec<u8>,
}

impl Pack {
    pub(super) fn u16(&mut self, values: impl IntoIterator<Item = u16>) -> Numbers {
        self.view("u16", values.into_iter().map(u16::to_le_bytes))
    }

    pub(super) fn u32(&mut self, values: impl IntoIterator<Item = u32>) -> Numbers {
        self.view("u32", values.into_iter().map(u32::to_le_bytes))
    }

    pub(super) fn f32(&mut self, values: impl IntoIterator<Item = f64>) -> Numbers {
        self.view("f32", values.into_iter().map(|value| (value as f32).to_le_bytes()))
    }

    pub(super) fn f64(&mut self, values: impl IntoIterator<Item = f64>) -> Numbers {
        self.view("f64", values.into_iter().map(f64::to_le_bytes))
    }

    /// Returns indices of vertices, in the smallest type that the number of vertices allows.
    pub(super) fn indices(&mut self, values: impl IntoIterator<Item = u32>, vertices: usize) -> Numbers {
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

    pub(super) fn buffers(self) -> Vec<BufferText> {
        if self.bytes.is_empty() {
            return Vec::new();
        }
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        let deflated = zlib.write_all(&self.bytes).and_then(|()| zlib.finish());
        let data = BASE64_STANDARD.encode(deflated.expect("memory can be written"));
        vec![BufferText { encoding: "deflate-base64", bytes: self.bytes.len(), data }]
    }
}

impl Document {
    /// Returns the document with an address of server-sent events; at each event the page reads itself again.
    #[must_use]
    pub fn live(self, address: String) -> Document {
        Document { live: Some(address), ..self }
    }

    /// Returns the document as JSON.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("every key of a document is a string")
    }

    /// Returns the page that shows the document: one file that needs nothing else.
    pub fn page(&self) -> String {
        around(&self.json())
    }
}

/// Returns the page that shows a document, given as JSON. In JSON, `<` appears only inside strings, where it can be
/// written in another way. So no name can end the script or begin another.
pub fn around(json: &str) -> String {
    let json = json.replace('<', "\\u003c");
    let script = format!("<script type=\"application/json\" id=\"firsttouch-document\">{json}</script>");
    let (before, after) = PAGE.split_once(PLACE).expect("the page has a place for a document");
    [before, &script, after].concat()
}

/// Returns the coordinates, with a plain zero in place of -0.
pub(super) fn plain(v: DVec3) -> Vec3 {
    v.to_array().map(|c| c + 0.0)
}

/// Returns a quaternion in the order of scene files.
pub(super) fn wxyz(q: DQuat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z].map(|c| c + 0.0)
}

/// Returns a matrix row by row.
pub(super) fn rows(m: DMat3) -> [f64; 9] {
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

    /// The template has one place for a document, and no name gets out of it.
    #[test]
    fn hostile_names_stay_text() {
        assert_eq!(PAGE.matches(PLACE).count(), 1);
        let document = Document { title: "</script><!-- <script>".into(), ..Document::default() };
        let page = document.page();
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count() + 1);
        assert!(!page.contains(PLACE));
        assert!(page.contains("\\u003c/script>"));
    }
}
