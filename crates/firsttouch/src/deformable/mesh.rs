//! A mesh whose vertices move on straight lines from one frame to the next.
//!
//! 1. Construction validates the input once, builds the tree (`hierarchy`) and derives the edges.
//! 2. The numbers of the edges (`edges`) are computed on first use, and so are the volumes over the whole step (`fit`)
//!    of a large mesh: a query with an early first touch needs neither.
//! 3. A new pair of frames keeps the tree and computes the volumes again. If the leaves have grown to twice their size
//!    since the tree was built, the tree is rebuilt (lazily). With the first new pair, the tree of a smooth mesh is
//!    built in the order of its surface (`surface_order`).

use glam::DVec3;

use crate::elementary::LARGEST_COORDINATE;
use crate::error::{Error, Result, finite};

use super::advancement::Reach;
use super::derived::Derived;
use super::edges::{EdgeNumbers, number_of};
use super::fit::Fit;
use super::hierarchy::{Topology, Tree, order};
use super::links::Links;
use super::normal_cones::Patches;
use super::query::BEGINNING;
use super::report::Settings;
use super::surface_order::{Distances, distances, is_smooth};
use super::volume::{Bounds, Dop, Frame, Groups};
use crate::parallel::{self, with_threads};

/// Triangles, loose edges and loose points over shared vertices that move linearly from a frame at time 0 to one at
/// time 1.
///
/// One value may hold any number of objects. Each is checked against all others and against itself. Vertices without a
/// triangle, edge or point do not belong to the mesh.
///
/// Vertices and faces are numbered by the user's indices, edges by their position in [`edges`](Deformable::edges). A
/// pair of features that share a vertex is never checked; all other pairs are. A loose point is also an edge of length
/// zero, so that it can touch a loose edge.
///
/// ```
/// use firsttouch::deformable::{Deformable, Start};
/// use firsttouch::{Answer, Options};
/// use glam::dvec3;
/// // A loose point falls from z = 1 to z = −3 through a triangle at rest.
/// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
/// let mesh = Deformable::new(at(1.0), at(-3.0), vec![[0, 1, 2]], vec![], vec![3])?;
/// let Answer::Touch(touch) = mesh.check(&Options::default(), Start::Report)?.answer else { panic!() };
/// assert!((touch.toi - 0.25).abs() < 1e-15);
/// # Ok::<(), firsttouch::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Deformable {
    pub(crate) topology: Topology,
    pub(crate) settings: Settings,
    /// The edges and their numbers. They follow from the triangles, which never change.
    edge_numbers: Derived<EdgeNumbers>,
    /// The order of the features. Any order is valid for any frames.
    pub(crate) tree: Tree,
    /// The frames, in the order of the tree.
    pub(crate) t0: Vec<DVec3>,
    pub(crate) t1: Vec<DVec3>,
    /// The bounds of the vertices that belong to features.
    bounds: Bounds,
    pub(crate) reach: Reach,
    /// The volumes over the whole step, without a separation. Like all volumes they hold for the current frames, and
    /// are cleared with them.
    pub(crate) fitted: Fitted,
    /// The volumes over the beginning of the step, for a mesh whose frames were not replaced.
    pub(crate) beginning: Fitted,
    /// The size of the leaves when the tree was built, in the user's unit. `None` until frames are replaced: then the
    /// volumes of the first step are measured.
    size_when_built: Option<f64>,
    rebuilds: u64,
    /// True if frames were replaced, and the order of the tree was chosen for many steps.
    is_stepped: bool,
    /// The distances along the mesh, if the tree has the order of the surface.
    distances: Option<Distances>,
}

/// The volumes over a time span. Only the volumes with the settings' number of groups of directions ([`Dop::groups`])
/// are ever computed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fitted {
    pub(crate) one: Derived<Fit<1>>,
    pub(crate) three: Derived<Fit<3>>,
    pub(crate) four: Derived<Fit<4>>,
}

impl Fitted {
    /// Returns the state before any volumes are computed.
    fn nothing() -> Fitted {
        Fitted { one: Derived::new(), three: Derived::new(), four: Derived::new() }
    }

    fn bytes(&self) -> usize {
        let Fitted { one, three, four } = self;
        one.known().map_or(0, Fit::bytes)
            + three.known().map_or(0, Fit::bytes)
            + four.known().map_or(0, Fit::bytes)
    }
}

impl Deformable {
    /// Creates a mesh. Returns an error for frames of different lengths, coordinates that are not finite or beyond
    /// [`LARGEST_COORDINATE`], indices out of range, and a mesh without any feature.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::DVec3;
    /// assert!(Deformable::new(vec![DVec3::ZERO], vec![], vec![], vec![], vec![0]).is_err());
    /// assert!(Deformable::new(vec![DVec3::ZERO], vec![DVec3::X], vec![[0, 0, 1]], vec![], vec![]).is_err());
    /// assert!(Deformable::new(vec![DVec3::ZERO], vec![DVec3::X], vec![], vec![], vec![]).is_err());
    /// ```
    pub fn new(
        t0: Vec<DVec3>,
        t1: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        loose_edges: Vec<[u32; 2]>,
        loose_points: Vec<u32>,
    ) -> Result<Deformable> {
        Deformable::with_settings(t0, t1, triangles, loose_edges, loose_points, Settings::default())
    }

    /// Like [`new`](Deformable::new), with settings for the hierarchy.
    pub fn with_settings(
        t0: Vec<DVec3>,
        t1: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
        loose_edges: Vec<[u32; 2]>,
        loose_points: Vec<u32>,
        settings: Settings,
    ) -> Result<Deformable> {
        validate_frames(&t0, &t1)?;
        let topology = Topology { vertices: t0.len(), triangles, loose_edges, loose_points };
        validate_indices(&topology)?;
        Ok(with_threads(settings.threads, |parallel| {
            build(topology, settings, [t0, t1], (false, None), parallel)
        }))
    }

    /// Replaces both frames, in the order of the vertices at construction. The tree is kept unless it has degraded.
    /// With the first new frames, the tree of a large and smooth mesh is built again, in an order that suits many
    /// steps; [`rebuilds`](Deformable::rebuilds) does not count this. Returns an error in the same cases as
    /// [`new`](Deformable::new); the mesh is then unchanged.
    ///
    /// ```
    /// use firsttouch::deformable::{Deformable, Start};
    /// use firsttouch::{Answer, Options};
    /// use glam::dvec3;
    /// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
    /// let mut mesh = Deformable::new(at(3.0), at(2.0), vec![[0, 1, 2]], vec![], vec![3])?;
    /// assert_eq!(mesh.check(&Options::default(), Start::Report)?.answer, Answer::Free);
    /// mesh.set_frames(&at(2.0), &at(1.0))?;
    /// assert_eq!(mesh.check(&Options::default(), Start::Report)?.answer, Answer::Free);
    /// assert_eq!(mesh.rebuilds(), 0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn set_frames(&mut self, t0: &[DVec3], t1: &[DVec3]) -> Result<()> {
        for (what, frame) in [("frame 0", t0), ("frame 1", t1)] {
            if frame.len() != self.topology.vertices {
                return Err(different_lengths(what, frame.len(), self.topology.vertices));
            }
        }
        validate_frames(t0, t1)?;
        let threads = self.settings.threads;
        with_threads(threads, |parallel| {
            if !std::mem::replace(&mut self.is_stepped, true) && is_smooth(&self.tree, &self.t0) {
                self.distances = Some(distances(self.topology.vertices, self.edges()));
                self.build_again(t0, t1, parallel);
                return;
            }
            let size_when_built = self.size_when_built.unwrap_or_else(|| self.size(parallel));
            self.size_when_built = Some(size_when_built);
            for (own, user) in [(&mut self.t0, t0), (&mut self.t1, t1)] {
                own.clear();
                own.extend(self.tree.vertex_id.iter().map(|&v| user[v as usize]));
            }
            let used = self.tree.used_vertices();
            let (t0_used, t1_used) = (&self.t0[..used], &self.t1[..used]);
            self.bounds = Bounds::new(t0_used, t1_used);
            self.reach = Reach::new(t0_used, t1_used, self.bounds.high - self.bounds.low);
            (self.fitted, self.beginning) = (Fitted::nothing(), Fitted::nothing());
            if self.size(parallel) > 2.0 * size_when_built {
                self.build_again(t0, t1, parallel);
                self.rebuilds += 1;
            }
        });
        Ok(())
    }

    /// Makes the frame at time 1 the one at time 0, and `t1` the next.
    pub fn step_to(&mut self, t1: &[DVec3]) -> Result<()> {
        self.set_frames(&self.frame(1), t1)
    }

    /// Returns the distinct edges of all triangles and the loose edges, smaller vertex first, in lexicographic order.
    /// Loose points are edges from a vertex to itself.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edge_numbers().edges
    }

    /// Returns the numbers of all edges.
    pub(crate) fn edge_numbers(&self) -> &EdgeNumbers {
        self.edge_numbers.get(|| EdgeNumbers::new(&self.tree))
    }

    /// Returns the number of an edge of the tree: its position in [`edges`](Deformable::edges).
    pub(crate) fn edge_number(&self, edge: usize) -> u32 {
        match self.edge_numbers.known() {
            Some(known) => known.number[edge],
            None => number_of(&self.tree, &self.tree.edges[edge]),
        }
    }

    /// Returns the triangles, as given.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.topology.triangles
    }

    /// Returns the frame at time 0 if `end` is 0, otherwise the one at time 1, in the order of the vertices at
    /// construction.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::DVec3;
    /// let mesh = Deformable::new(vec![DVec3::ZERO], vec![DVec3::X], vec![], vec![], vec![0])?;
    /// assert_eq!(mesh.frame(1), [DVec3::X]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn frame(&self, end: usize) -> Vec<DVec3> {
        let mut positions = vec![DVec3::ZERO; self.topology.vertices];
        for (position, &v) in (if end == 0 { &self.t0 } else { &self.t1 }).iter().zip(&self.tree.vertex_id) {
            positions[v as usize] = *position;
        }
        positions
    }

    /// Returns the place of a vertex, by the user's index, in a frame.
    pub(crate) fn frame_vertex(&self, end: usize, vertex: u32) -> DVec3 {
        let place = self.tree.vertex_id.iter().position(|&v| v == vertex);
        place.map_or(DVec3::ZERO, |place| if end == 0 { self.t0[place] } else { self.t1[place] })
    }

    /// Returns the vertices of a loose edge.
    pub(crate) fn loose_edge(&self, index: u32) -> [u32; 2] {
        self.topology.loose_edges[index as usize]
    }

    /// Returns the vertex of a loose point.
    pub(crate) fn loose_point(&self, index: u32) -> u32 {
        self.topology.loose_points[index as usize]
    }

    /// Returns the number of vertices of a frame.
    pub fn vertices(&self) -> usize {
        self.topology.vertices
    }

    /// Returns the number of times that [`set_frames`](Deformable::set_frames) has rebuilt the tree because it had
    /// degraded.
    pub fn rebuilds(&self) -> u64 {
        self.rebuilds
    }

    /// Returns the memory used by the mesh, its frames and its hierarchy, in bytes.
    pub fn bytes(&self) -> usize {
        let numbers = |known: &EdgeNumbers| known.edges.capacity() * 8 + known.number.capacity() * 4;
        self.fitted.bytes()
            + self.beginning.bytes()
            + self.tree.bytes()
            + self.edge_numbers.known().map_or(0, numbers)
            + (self.t0.capacity() + self.t1.capacity()) * size_of::<DVec3>()
            + self.topology.triangles.capacity() * 12
            + self.topology.loose_edges.capacity() * 8
            + self.topology.loose_points.capacity() * 4
            + self.distances.as_ref().map_or(0, |distances| distances.capacity() * 12)
    }

    pub(crate) fn dop_frame<const N: usize>(&self, separation: f64) -> Frame<N> {
        Frame::new(&self.bounds, separation, self.settings.dop)
    }

    /// Computes the volumes for a window and a separation.
    pub(crate) fn fit<const N: usize>(&self, window: f64, separation: f64, parallel: bool) -> Fit<N> {
        // In a shorter window than this, features move little.
        let height = if window > 0.02 { self.settings.switch_height } else { 0 };
        Fit::new(&self.tree, (&self.t0, &self.t1), &self.dop_frame(separation), window, height, parallel)
    }

    /// Computes the patches that cannot touch themselves in `[0, window]`; empty if the settings disable them.
    pub(crate) fn patches(&self, window: f64, parallel: bool) -> Patches {
        if !self.settings.normal_cones {
            return Patches::none();
        }
        Patches::new(&self.tree, (&self.t0, &self.t1), window, parallel)
    }

    /// Returns the volumes over `[0, 1]`; `known` is a field of [`Deformable::fitted`].
    pub(crate) fn whole_step<'a, const N: usize>(
        &self,
        known: &'a Derived<Fit<N>>,
        parallel: bool,
    ) -> &'a Fit<N> {
        known.get(|| self.fit(1.0, 0.0, parallel))
    }

    /// Returns true if queries search the beginning of the step first.
    pub(crate) fn looks_early(&self) -> bool {
        looks_early(&self.tree, self.is_stepped)
    }

    /// Returns the volumes over the beginning of the step; `known` is a field of [`Deformable::beginning`].
    pub(crate) fn beginning_of_step<'a, const N: usize>(
        &self,
        known: &'a Derived<Fit<N>>,
        parallel: bool,
    ) -> &'a Fit<N> {
        known.get(|| self.fit(BEGINNING, 0.0, parallel))
    }

    /// Returns the size of the leaves, in the user's unit.
    fn size(&self, parallel: bool) -> f64 {
        let Fitted { one, three, four } = &self.fitted;
        let size = match self.settings.dop.groups() {
            Groups::One => self.whole_step(one, parallel).size(),
            Groups::Three => self.whole_step(three, parallel).size(),
            Groups::Four => self.whole_step(four, parallel).size(),
        };
        size / self.dop_frame::<1>(0.0).map().1
    }

    fn build_again(&mut self, t0: &[DVec3], t1: &[DVec3], parallel: bool) {
        let empty = Topology { vertices: 0, triangles: vec![], loose_edges: vec![], loose_points: vec![] };
        let topology = std::mem::replace(&mut self.topology, empty);
        let rebuilds = self.rebuilds;
        let frames = [t0.to_vec(), t1.to_vec()];
        *self = build(topology, self.settings, frames, (true, self.distances.take()), parallel);
        self.rebuilds = rebuilds;
    }
}

/// Builds a mesh from validated input.
fn build(
    topology: Topology,
    settings: Settings,
    [mut t0, mut t1]: [Vec<DVec3>; 2],
    (is_stepped, distances): (bool, Option<Distances>),
    parallel: bool,
) -> Deformable {
    let bounds = bounds_of_features(&topology, (&t0, &t1), parallel);
    let map = Frame::<1>::new(&bounds, 0.0, settings.dop).map();
    let (carriers, leaves) = order(&topology, (&t0, &t1), map, distances.as_ref(), parallel);
    let (mut tree, own_vertex) = Tree::new(&topology, &carriers, leaves, parallel);
    // The volumes, which do not need the edges, are computed in parallel with them.
    let (fitted, beginning) = (Fitted::nothing(), Fitted::nothing());
    let (links, reach) = parallel::join(
        parallel,
        || Links::new((&topology, &tree), &carriers, &own_vertex),
        || {
            let ids = &tree.vertex_id;
            parallel::join(parallel, || permute(&mut t0, ids), || permute(&mut t1, ids));
            let used = tree.used_vertices();
            if tree.is_of_triangles() {
                let (volumes, window, height) = if looks_early(&tree, is_stepped) {
                    (&beginning, BEGINNING, 0)
                } else {
                    (&fitted, 1.0, settings.switch_height)
                };
                let Fitted { one, three, four } = volumes;
                let (about, directions) = ((&tree, (&t0[..], &t1[..])), (&bounds, settings.dop));
                match settings.dop.groups() {
                    Groups::One => fit_first(one, about, directions, (window, height), parallel),
                    Groups::Three => fit_first(three, about, directions, (window, height), parallel),
                    Groups::Four => fit_first(four, about, directions, (window, height), parallel),
                }
            }
            Reach::new(&t0[..used], &t1[..used], bounds.high - bounds.low)
        },
    );
    tree.link(links);
    Deformable {
        topology,
        settings,
        edge_numbers: Derived::new(),
        tree,
        t0,
        t1,
        bounds,
        reach,
        fitted,
        beginning,
        size_when_built: None,
        rebuilds: 0,
        is_stepped,
        distances,
    }
}

/// Returns true if queries search the beginning of the step first, with its own volumes. If many features touch, the
/// first touch is early, and then the volumes over the whole step, with their lower layer, are never computed. A mesh
/// that continues from step to step has them in any case, and in a small mesh they cost little.
fn looks_early(tree: &Tree, is_stepped: bool) -> bool {
    const FEWEST_LEAVES: usize = 4096;
    tree.leaves >= FEWEST_LEAVES && !is_stepped
}

/// Computes the volumes that queries use first.
fn fit_first<const N: usize>(
    known: &Derived<Fit<N>>,
    (tree, frames): (&Tree, (&[DVec3], &[DVec3])),
    (bounds, dop): (&Bounds, Dop),
    (window, height): (f64, u32),
    parallel: bool,
) {
    known.get(|| Fit::new(tree, frames, &Frame::new(bounds, 0.0, dop), window, height, parallel));
}

/// Brings a frame into the order of the tree without further memory: place i gets the vertex at `ids[i]`, cycle by
/// cycle.
fn permute(frame: &mut [DVec3], ids: &[u32]) {
    let mut is_done = vec![false; frame.len()];
    for start in 0..frame.len() {
        let (mut place, first) = (start, frame[start]);
        while !is_done[place] {
            is_done[place] = true;
            let from = ids[place] as usize;
            frame[place] = if from == start { first } else { frame[from] };
            place = from;
        }
    }
}

/// Returns the bounds of the vertices that belong to a triangle, an edge or a point. Other vertices are ignored.
fn bounds_of_features(topology: &Topology, (t0, t1): (&[DVec3], &[DVec3]), parallel: bool) -> Bounds {
    let mark = || {
        let mut used = vec![false; topology.vertices];
        let corners = topology.triangles.iter().flatten();
        for &v in corners.chain(topology.loose_edges.iter().flatten()).chain(&topology.loose_points) {
            used[v as usize] = true;
        }
        used
    };
    let (used, all) = parallel::join(parallel, mark, || Bounds::new(t0, t1));
    if used.iter().all(|used| *used) {
        return all;
    }
    let only = |frame: &[DVec3]| -> Vec<DVec3> {
        frame.iter().zip(&used).filter(|(_, used)| **used).map(|(position, _)| *position).collect()
    };
    Bounds::new(&only(t0), &only(t1))
}

/// Returns an error for frames of different lengths and coordinates out of range.
fn validate_frames(t0: &[DVec3], t1: &[DVec3]) -> Result<()> {
    if t0.len() != t1.len() {
        return Err(different_lengths("frame 1", t1.len(), t0.len()));
    }
    for (time, frame) in [(0, t0), (1, t1)] {
        for (i, position) in frame.iter().enumerate() {
            if position.is_nan() || position.abs().max_element() > LARGEST_COORDINATE {
                return Err(refused(time, i, *position));
            }
        }
    }
    Ok(())
}

fn refused(time: usize, vertex: usize, position: DVec3) -> Error {
    for (axis, value) in ["x", "y", "z"].into_iter().zip(position.to_array()) {
        let what = || format!("vertex {vertex} {axis} at time {time}");
        if let Err(error) = finite(what, value) {
            return error;
        }
        if value.abs() > LARGEST_COORDINATE {
            return Error::OutOfRange { what: what(), expected: "at most 1e60 in magnitude", value };
        }
    }
    Error::NotFinite { what: format!("vertex {vertex} at time {time}"), value: f64::NAN }
}

fn different_lengths(what: &str, len: usize, expected: usize) -> Error {
    Error::Unsupported { what: format!("{what} has {len} vertices where {expected} are expected") }
}

fn validate_indices(topology: &Topology) -> Result<()> {
    let len = topology.vertices;
    let check = |what: &str, index: usize, corners: &[u32]| match corners.iter().find(|&&v| v as usize >= len)
    {
        None => Ok(()),
        Some(&v) => {
            Err(Error::IndexOutOfRange { what: format!("{what} {index} vertex"), index: v as usize, len })
        }
    };
    for (i, corners) in topology.triangles.iter().enumerate() {
        check("triangle", i, corners)?;
    }
    for (i, ends) in topology.loose_edges.iter().enumerate() {
        check("loose edge", i, ends)?;
    }
    for (i, &point) in topology.loose_points.iter().enumerate() {
        check("loose point", i, &[point])?;
    }
    // Indices of sides and of tree nodes have 32 bits.
    let sides = 3 * topology.triangles.len() + topology.loose_edges.len() + topology.loose_points.len();
    if sides == 0 {
        return Err(Error::Empty { what: "the deforming mesh, without triangles, edges and points,".into() });
    }
    if sides >= u32::MAX as usize / 2 || len >= u32::MAX as usize / 2 {
        return Err(Error::Unsupported { what: format!("{sides} sides of triangles in one deforming mesh") });
    }
    Ok(())
}
