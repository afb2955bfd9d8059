//! Shapes for display, each written once, and the corners of features.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use firsttouch::deformable::Deformable;
use firsttouch::shape::{Cuboid, Hull, Mesh, Shape};
use firsttouch::{Feature, LinkPiece, Part};
use glam::DVec3;

use super::document::{Frames, Geometry, MeshGeometry, Numbers, Pack, Places, Vec3, plain};
use crate::mesh::MeshData;

/// The geometries of a document. Meshes and hulls that bodies share are written once, and so are equal solids.
#[derive(Debug, Default)]
pub(super) struct Geometries {
    pub(super) list: Vec<Geometry>,
    pub(super) pack: Pack,
    meshes: HashMap<*const Mesh, usize>,
    hulls: HashMap<*const Hull, usize>,
    solids: HashMap<(&'static str, [u64; 3]), usize>,
}

impl Geometries {
    /// Returns the index of a shape.
    pub(super) fn shape(&mut self, shape: &Shape) -> usize {
        match shape {
            Shape::Mesh(mesh) => {
                let key = Arc::as_ptr(mesh);
                if let Some(&known) = self.meshes.get(&key) {
                    return known;
                }
                let index = self.mesh(mesh.vertices(), mesh.triangles());
                self.meshes.insert(key, index);
                index
            }
            Shape::Hull(hull) => {
                let key = Arc::as_ptr(hull);
                if let Some(&known) = self.hulls.get(&key) {
                    return known;
                }
                let index = self.hull(hull);
                self.hulls.insert(key, index);
                index
            }
            Shape::Box(cuboid) => self.cuboid(2.0 * cuboid.half()),
            Shape::Sphere(sphere) => self.sphere(sphere.radius()),
            Shape::Capsule(capsule) => self.capsule(capsule.radius(), capsule.length()),
            Shape::Cylinder(cylinder) => self.cylinder(cylinder.radius(), cylinder.length()),
            Shape::Ellipsoid(ellipsoid) => self.ellipsoid(ellipsoid.semi_axes()),
            Shape::Cone(cone) => {
                let [radius, length] = [cone.radius(), cone.length()];
                self.solid("cone", [radius, length, 0.0], Geometry::Cone { radius, length })
            }
            Shape::HalfSpace(space) => {
                let (normal, offset) = (plain(space.normal()), space.offset());
                self.list.push(Geometry::HalfSpace { normal, offset });
                self.list.len() - 1
            }
            Shape::PointCloud(cloud) => {
                let points: Vec<DVec3> =
                    cloud.points().map(|(_, point)| point).step_by(thinned(cloud.len())).collect();
                let places = self.places(&points);
                self.list.push(Geometry::Points { places, radius: cloud.radius() });
                self.list.len() - 1
            }
            Shape::Octree(tree) => {
                let cells = (0..tree.cells().len()).step_by(thinned(tree.cells().len()));
                let cells: Vec<(DVec3, DVec3)> = cells.map(|cell| tree.cell_box(cell)).collect();
                let centers: Vec<DVec3> = cells.iter().map(|(center, _)| *center).collect();
                let places = self.places(&centers);
                let sizes = self.pack.f32(cells.iter().map(|(_, half)| 2.0 * half.x));
                self.list.push(Geometry::Boxes { places, sizes });
                self.list.len() - 1
            }
            // The others are shown as triangles, or as the box around them if they have no surface.
            other => {
                let MeshData { positions, triangles, .. } = crate::surface(other);
                if triangles.is_empty() {
                    let (center, half) = other.bounds();
                    return self.around(center, half);
                }
                self.mesh(&positions, &triangles)
            }
        }
    }

    pub(super) fn cuboid(&mut self, size: DVec3) -> usize {
        self.solid("box", size.to_array(), Geometry::Box { size: size.to_array() })
    }

    pub(super) fn sphere(&mut self, radius: f64) -> usize {
        self.solid("sphere", [radius, 0.0, 0.0], Geometry::Sphere { radius })
    }

    pub(super) fn capsule(&mut self, radius: f64, length: f64) -> usize {
        self.solid("capsule", [radius, length, 0.0], Geometry::Capsule { radius, length })
    }

    pub(super) fn cylinder(&mut self, radius: f64, length: f64) -> usize {
        self.solid("cylinder", [radius, length, 0.0], Geometry::Cylinder { radius, length })
    }

    pub(super) fn ellipsoid(&mut self, semi_axes: DVec3) -> usize {
        let semi_axes = semi_axes.to_array();
        self.solid("ellipsoid", semi_axes, Geometry::Ellipsoid { semi_axes })
    }

    fn solid(&mut self, kind: &'static str, sizes: [f64; 3], geometry: Geometry) -> usize {
        *self.solids.entry((kind, sizes.map(f64::to_bits))).or_insert_with(|| {
            self.list.push(geometry);
            self.list.len() - 1
        })
    }

    fn places(&mut self, points: &[DVec3]) -> Places {
        let (bounds, positions) = self.vertices(&[points]);
        Places { bounds, positions: positions[0] }
    }

    fn add(&mut self, mesh: MeshGeometry) -> usize {
        self.list.push(Geometry::Mesh(Box::new(mesh)));
        self.list.len() - 1
    }

    fn mesh(&mut self, vertices: &[DVec3], triangles: &[[u32; 3]]) -> usize {
        let (bounds, positions) = self.vertices(&[vertices]);
        let indices = self.pack.indices(triangles.iter().flatten().copied(), vertices.len());
        self.add(MeshGeometry {
            bounds,
            positions: positions[0],
            indices,
            edges: None,
            points: None,
            shading: None,
            frames: None,
        })
    }

    /// Returns the index of a mesh from a file, with the loose edges and points beside its triangles.
    pub(super) fn mesh_data(&mut self, mesh: &MeshData) -> usize {
        self.loose(&[&mesh.positions], &mesh.triangles, &mesh.edges, &mesh.points)
    }

    /// Returns a deforming mesh; its frames are at the times 0 and `over`. Without `over` it rests in the first frame.
    pub(super) fn deforming(&mut self, mesh: &Deformable, over: Option<f64>) -> usize {
        let key = |a: u32, b: u32| (a.min(b), a.max(b));
        let mut of_triangles = HashSet::with_capacity(3 * mesh.triangles().len());
        for &[a, b, c] in mesh.triangles() {
            of_triangles.extend([key(a, b), key(b, c), key(c, a)]);
        }
        let loose = mesh.edges().iter().filter(|[a, b]| !of_triangles.contains(&key(*a, *b)));
        let (points, edges): (Vec<[u32; 2]>, Vec<[u32; 2]>) = loose.partition(|[a, b]| a == b);
        let points: Vec<u32> = points.into_iter().map(|[point, _]| point).collect();
        let frames = [mesh.frame(0), mesh.frame(1)];
        let frames: &[&[DVec3]] = if over.is_some() { &[&frames[0], &frames[1]] } else { &[&frames[0]] };
        let index = self.loose(frames, mesh.triangles(), &edges, &points);
        if let (Geometry::Mesh(mesh), Some(duration)) = (&mut self.list[index], over) {
            mesh.frames.iter_mut().for_each(|frames| frames.times = vec![0.0, duration]);
        }
        index
    }

    fn loose(
        &mut self,
        frames: &[&[DVec3]],
        triangles: &[[u32; 3]],
        edges: &[[u32; 2]],
        points: &[u32],
    ) -> usize {
        let (bounds, positions) = self.vertices(frames);
        let count = frames[0].len();
        let indices = self.pack.indices(triangles.iter().flatten().copied(), count);
        let edges = (!edges.is_empty()).then(|| self.pack.indices(edges.iter().flatten().copied(), count));
        let points = (!points.is_empty()).then(|| self.pack.indices(points.iter().copied(), count));
        self.add(MeshGeometry {
            bounds,
            positions: positions[0],
            indices,
            edges,
            points,
            shading: None,
            frames: (frames.len() > 1).then(|| Frames { times: vec![0.0, 1.0], positions }),
        })
    }

    /// Returns the faces of a solid hull, the edges of a flat one, or the point of a hull that is a point.
    fn hull(&mut self, hull: &Hull) -> usize {
        let point: &[u32] = if hull.dimension() == 0 { &[0] } else { &[] };
        let edges = if hull.faces().is_empty() { hull.edges() } else { &[] };
        let index = self.loose(&[hull.vertices()], hull.faces(), edges, point);
        if let Geometry::Mesh(mesh) = &mut self.list[index] {
            mesh.shading = Some("flat");
        }
        index
    }

    fn around(&mut self, center: DVec3, half: DVec3) -> usize {
        let corner = |k: u32| {
            center
                + half * DVec3::from_array([0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 1.0 } else { -1.0 }))
        };
        let corners: Vec<DVec3> = (0..8).map(corner).collect();
        let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles: Vec<[u32; 3]> =
            faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        self.mesh(&corners, &triangles)
    }

    /// Returns vertices as 16-bit integers inside their box, which all frames share.
    fn vertices(&mut self, frames: &[&[DVec3]]) -> ([Vec3; 2], Vec<Numbers>) {
        let all = || frames.iter().flat_map(|frame| frame.iter());
        let low = all().copied().reduce(DVec3::min).unwrap_or_default();
        let high = all().copied().reduce(DVec3::max).unwrap_or_default();
        // Computed in halves: the difference of two large numbers may be infinite.
        let extent = (0.5 * high - 0.5 * low).to_array();
        let quantised = |v: &DVec3| {
            let offset = (0.5 * *v - 0.5 * low).to_array();
            [0, 1, 2]
                .map(|k| if extent[k] > 0.0 { (offset[k] / extent[k] * 65535.0).round() as u16 } else { 0 })
        };
        let views = frames.iter().map(|frame| self.pack.u16(frame.iter().flat_map(quantised))).collect();
        ([plain(low), plain(high)], views)
    }
}

/// Leaves out entries of clouds and octrees with more than 200,000: every n-th one is shown, so a page of them stays
/// below 5 MB.
fn thinned(entries: usize) -> usize {
    entries.div_ceil(200_000).max(1)
}

/// Returns the corners of a feature in the frame of its shape; empty if the feature is curved.
pub(super) fn corners(shape: &Shape, part: &Part, feature: Feature) -> Vec<DVec3> {
    match shape {
        Shape::Box(cuboid) => box_corners(cuboid, feature),
        Shape::Hull(hull) => hull_corners(hull, feature),
        Shape::Mesh(mesh) => {
            let triangle = match part {
                Part::Triangle(index) | Part::Link { piece: LinkPiece::Triangle(index), .. } => *index,
                _ => return Vec::new(),
            };
            mesh_corners(mesh, triangle, feature)
        }
        Shape::SolidMesh(solid) => {
            let triangle = match part {
                Part::Triangle(index) | Part::Link { piece: LinkPiece::Triangle(index), .. } => *index,
                _ => return Vec::new(),
            };
            mesh_corners(solid.mesh(), triangle, feature)
        }
        _ => Vec::new(),
    }
}

/// Numbered as in [`Cuboid`].
fn box_corners(cuboid: &Cuboid, feature: Feature) -> Vec<DVec3> {
    let corner = |k: u32| {
        let side = |axis: u32| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
        cuboid.half() * DVec3::new(side(0), side(1), side(2))
    };
    match feature {
        Feature::Vertex(k) if k < 8 => vec![corner(k)],
        Feature::Edge(k) if k < 12 => {
            let axis = k / 4;
            let others = [[1, 2], [0, 2], [0, 1]][axis as usize];
            let at = (k & 1) << others[0] | (k >> 1 & 1) << others[1];
            vec![corner(at), corner(at | 1 << axis)]
        }
        Feature::Face(k) if k < 6 => {
            let axis = k / 2;
            let [a, b] = [[1, 2], [0, 2], [0, 1]][axis as usize];
            let at = (k & 1) << axis;
            vec![corner(at), corner(at | 1 << a), corner(at | 1 << a | 1 << b), corner(at | 1 << b)]
        }
        _ => Vec::new(),
    }
}

fn hull_corners(hull: &Hull, feature: Feature) -> Vec<DVec3> {
    let at = |indices: &[u32]| indices.iter().map(|&i| hull.vertices()[i as usize]).collect();
    match feature {
        Feature::Vertex(id) => {
            let known = hull.vertex_ids().iter().position(|&known| known == id);
            known.map(|i| vec![hull.vertices()[i]]).unwrap_or_default()
        }
        Feature::Edge(k) => hull.edges().get(k as usize).map(|edge| at(edge)).unwrap_or_default(),
        Feature::Face(k) => hull.faces().get(k as usize).map(|face| at(face)).unwrap_or_default(),
    }
}

/// Numbered as in [`Triangle`](firsttouch::shape::Triangle).
fn mesh_corners(mesh: &Mesh, triangle: u32, feature: Feature) -> Vec<DVec3> {
    let Some(&ids) = mesh.triangles().get(triangle as usize) else { return Vec::new() };
    let at = |id: u32| mesh.vertices()[id as usize];
    match feature {
        Feature::Vertex(id) => mesh.vertices().get(id as usize).map(|&v| vec![v]).unwrap_or_default(),
        Feature::Edge(k) if k / 3 == triangle => {
            vec![at(ids[k as usize % 3]), at(ids[(k as usize + 1) % 3])]
        }
        Feature::Face(k) if k == triangle => ids.map(at).to_vec(),
        Feature::Edge(_) | Feature::Face(_) => Vec::new(),
    }
}

/// Returns the corners of a feature of a deforming mesh at a time. Edges are numbered as in [`Deformable::edges`].
pub(super) fn deforming_corners(mesh: &Deformable, feature: Feature, t: f64) -> Vec<DVec3> {
    let ids: Vec<u32> = match feature {
        Feature::Vertex(id) => vec![id],
        Feature::Edge(k) => mesh.edges().get(k as usize).map(|edge| edge.to_vec()).unwrap_or_default(),
        Feature::Face(k) => mesh.triangles().get(k as usize).map(|face| face.to_vec()).unwrap_or_default(),
    };
    let [from, to] = [mesh.frame(0), mesh.frame(1)];
    ids.into_iter().filter_map(|id| Some(from.get(id as usize)?.lerp(*to.get(id as usize)?, t))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsttouch::shape::Convex;

    /// The corners of a feature that the library names are found again: their middle lies on that feature.
    #[test]
    fn corners_of_a_box_are_where_its_features_are() {
        let cuboid = Cuboid::new(DVec3::new(2.0, 4.0, 6.0)).unwrap();
        let features =
            (0..8).map(Feature::Vertex).chain((0..12).map(Feature::Edge)).chain((0..6).map(Feature::Face));
        for feature in features {
            let corners = box_corners(&cuboid, feature);
            let middle = corners.iter().copied().sum::<DVec3>() / corners.len() as f64;
            assert_eq!(cuboid.feature(middle, middle), feature);
        }
        assert!(box_corners(&cuboid, Feature::Face(6)).is_empty());
    }

    /// Quantised to a step of 1/65535 of the box; the corners of the box itself are exact.
    #[test]
    fn equal_shapes_are_written_once() {
        let mut geometries = Geometries::default();
        let mesh = Arc::new(Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap());
        let first = geometries.shape(&Shape::Mesh(Arc::clone(&mesh)));
        assert_eq!(geometries.shape(&Shape::Mesh(mesh)), first);
        assert_eq!(geometries.sphere(1.0), geometries.sphere(1.0));
        assert_ne!(geometries.sphere(1.0), geometries.sphere(2.0));
        assert_eq!(geometries.list.len(), 3);
    }
}
