//! A triangle soup: a surface that need not be closed, oriented or connected.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use glam::DVec3;

use super::convex::bounds_of;
use super::hull::Hull;
use super::obb_tree::{self, ObbTree, OpenTree};
use super::sphere_tree::SphereTree;
use super::triangle::Triangle;
use crate::error::{Error, Result, bounded_vector};
use crate::parallel::with_threads;

/// With more triangles, the numbers of the tree's nodes might not fit their type: there are up to five for each
/// triangle.
const MOST_TRIANGLES: usize = 1 << 29;

/// Triangles over shared vertices. Degenerate triangles are kept: they are segments or points of the surface.
///
/// ```
/// use firsttouch::shape::Mesh;
/// use glam::DVec3;
/// let mesh = Mesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// assert_eq!(mesh.triangles().len(), 1);
/// assert!(Mesh::new(vec![DVec3::ZERO], vec![[0, 0, 1]]).is_err());
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    bounds: (DVec3, DVec3),
    tree: ObbTree,
    /// The convex hull, computed on first use. Like all cached values here, it follows from the triangles, which never
    /// change.
    hull: OnceLock<Hull>,
    /// Computed on first use.
    spheres: OnceLock<SphereTree>,
    /// Computed on first use.
    derived: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// The statement of the mesh in certificates.
    stated: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Mesh {
    /// Creates a mesh. Returns an error for an empty mesh, coordinates that are not finite and indices out of range.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Mesh> {
        Mesh::with_threads(vertices, triangles, 1)
    }

    /// Returns the same mesh, prepared with this number of threads: 0 for one per core. Several threads need the
    /// feature `parallel`, and build the whole hierarchy over the triangles of a large mesh at once. With one thread,
    /// the first query that needs a part of the hierarchy builds that part.
    ///
    /// ```
    /// use firsttouch::shape::Mesh;
    /// use glam::DVec3;
    /// let triangle = || (vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]);
    /// let (vertices, triangles) = triangle();
    /// let mesh = Mesh::with_threads(vertices, triangles, 2)?;
    /// let (vertices, triangles) = triangle();
    /// assert_eq!(mesh, Mesh::new(vertices, triangles)?);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn with_threads(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>, threads: usize) -> Result<Mesh> {
        if triangles.is_empty() {
            return Err(Error::Empty { what: "mesh".into() });
        }
        if triangles.len() > MOST_TRIANGLES {
            return Err(Error::OutOfRange {
                what: "number of triangles of a mesh".into(),
                expected: "at most 2^29",
                value: triangles.len() as f64,
            });
        }
        for (i, vertex) in vertices.iter().enumerate() {
            bounded_vector(|| format!("mesh vertex {i}"), *vertex)?;
        }
        let mut is_used = vec![false; vertices.len()];
        for (i, &corner) in triangles.as_flattened().iter().enumerate() {
            let Some(is_used) = is_used.get_mut(corner as usize) else {
                return Err(Error::IndexOutOfRange {
                    what: format!("mesh triangle {} vertex", i / 3),
                    index: corner as usize,
                    len: vertices.len(),
                });
            };
            *is_used = true;
        }
        let tree = ObbTree::new(triangles.len());
        if threads != 1 && triangles.len() >= obb_tree::FEW {
            with_threads(threads, |parallel| {
                if parallel {
                    tree.over(&vertices, &triangles).build_all(true);
                }
            });
        }
        // Vertices that no triangle uses do not belong to the surface.
        let used = vertices.iter().zip(&is_used).filter(|(_, is_used)| **is_used);
        let bounds = bounds_of(used.map(|(vertex, _)| vertex));
        let (hull, spheres) = (OnceLock::new(), OnceLock::new());
        let (derived, stated) = (OnceLock::new(), OnceLock::new());
        Ok(Mesh { vertices, triangles, bounds, tree, hull, spheres, derived, stated })
    }

    /// Returns the vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Returns the triangles, as indices of vertices.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns one triangle as a convex piece.
    #[inline]
    pub fn triangle(&self, index: u32) -> Triangle {
        let ids = self.triangles[index as usize];
        Triangle::new(ids.map(|v| self.vertices[v as usize]), ids, index)
    }

    /// Returns the hierarchy over the triangles.
    #[inline]
    #[doc(hidden)]
    pub fn tree(&self) -> OpenTree<'_> {
        self.tree.over(&self.vertices, &self.triangles)
    }

    /// Returns the convex hull of the triangles.
    pub fn hull(&self) -> &Hull {
        self.hull.get_or_init(|| {
            // Each vertex once: triangles share them, and sorting repeated corners takes longer than all other steps.
            let mut is_known = vec![false; self.vertices.len()];
            let is_new = |v: &&u32| !std::mem::replace(&mut is_known[**v as usize], true);
            let corners = self.triangles.iter().flatten().filter(is_new);
            let corners: Vec<DVec3> = corners.map(|&v| self.vertices[v as usize]).collect();
            Hull::new(&corners).expect("there is a triangle, and its corners are finite")
        })
    }

    /// Returns the tree of spheres with leaves of about the size of the triangles. The first call builds it.
    #[doc(hidden)]
    pub fn spheres(&self) -> &SphereTree {
        self.spheres.get_or_init(|| SphereTree::natural(&self.vertices, &self.triangles))
    }

    /// Returns data that another module derives from the mesh, computed once and kept with it. There is room for one
    /// type; data of another type is computed each time.
    pub(crate) fn derived<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let kept = Arc::clone(self.derived.get_or_init(|| Arc::new(make())));
        kept.downcast().unwrap_or_else(|_| Arc::new(make()))
    }

    /// Returns the statement of the mesh in certificates, made once and kept with it.
    pub(crate) fn stated<T: Any + Send + Sync>(&self, make: impl Fn() -> T) -> Arc<T> {
        let kept = Arc::clone(self.stated.get_or_init(|| Arc::new(make())));
        kept.downcast().unwrap_or_else(|_| Arc::new(make()))
    }

    /// Returns the centre of the box around the triangles and half its side lengths, rounded up.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        self.bounds
    }
}

/// Two meshes are equal if their vertices and triangles are: all other data follow from these.
impl PartialEq for Mesh {
    fn eq(&self, other: &Mesh) -> bool {
        self.vertices == other.vertices && self.triangles == other.triangles
    }
}
