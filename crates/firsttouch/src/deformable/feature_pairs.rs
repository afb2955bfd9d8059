//! The feature pairs of two leaves that may touch: those whose volumes overlap in the window.
//!
//! The problem: a pair of leaves has hundreds of pairs of features, of which a few overlap. Find these with a few
//! instructions each.
//!
//! 1. A fit stores the swept volumes of vertices. Those of edges and faces are unions of these; they are computed when a leaf is met, which
//!    takes less time than to read them from memory.
//! 2. The faces of the first leaf that do not overlap the volume of the second are dropped, then those of the second that do
//!    not overlap the union of the rest. Vertices and edges belong to faces of their leaf (`hierarchy`), so that only those that
//!    overlap the union of the other leaf's remaining faces matter, and none if no face remains. Where a leaf has loose edges or
//!    points, its own volume takes the place of that union.
//! 3. The remaining features are paired. Whether a test succeeds is hard to predict, so that results are written in
//!    any case and kept by counting them, without a branch.
//! 4. In a fit with a lower layer, pairs whose moving volumes do not overlap before the end of the window are dropped.
//!
//! Guarantee: every pair of features of the two leaves whose swept volumes overlap is visited, and none twice. Unions
//! and comparisons do not round.

use super::fit::Fit;
use super::hierarchy::{MOST_FEATURES, Tree};
use super::volume::{Volume, entry};

/// Buffers for the features of two leaves that may touch.
#[derive(Debug)]
pub(crate) struct FeaturePairs<const N: usize> {
    faces: [Side<N>; 2],
    others: [Side<N>; 2],
    pairs: Pairs,
}

/// The features of one kind of one leaf that overlap the other leaf.
#[derive(Debug)]
struct Side<const N: usize> {
    count: usize,
    volumes: Box<[Volume<N>; MOST_FEATURES]>,
    /// The tree's indices.
    features: [u32; MOST_FEATURES],
}

/// Pairs of features by the tree's indices.
#[derive(Debug)]
struct Pairs {
    count: usize,
    features: Box<[[u32; 2]; MOST_FEATURES * MOST_FEATURES]>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Vertex,
    Edge,
    Face,
}

impl<const N: usize> FeaturePairs<N> {
    pub(crate) fn new() -> FeaturePairs<N> {
        let side = || Side {
            count: 0,
            volumes: Box::new([Volume::EMPTY; MOST_FEATURES]),
            features: [0; MOST_FEATURES],
        };
        let pairs = Pairs { count: 0, features: Box::new([[0; 2]; MOST_FEATURES * MOST_FEATURES]) };
        FeaturePairs { faces: [side(), side()], others: [side(), side()], pairs }
    }

    /// Visits every vertex/face and edge/edge pair of two leaves, or of one leaf with itself, whose volumes overlap
    /// before the time `limit`. Features have the tree's indices; the vertex comes before the face.
    #[inline]
    pub(crate) fn visit<V>(
        &mut self,
        of: (&Tree, &Fit<N>),
        (a, b): (usize, usize),
        limit: f64,
        state: &mut V,
        mut vertex_face: impl FnMut(&mut V, usize, usize),
        mut edge_edge: impl FnMut(&mut V, usize, usize),
    ) {
        let (tree, fit) = of;
        let Some([in_a, in_b]) = self.collect_faces(of, (a, b)) else { return };
        // The limit as a fraction of the window, rounded up, although `entry` already leaves more than enough room.
        let limit = if fit.window > 0.0 { limit / fit.window * (1.0 + f64::EPSILON) } else { 1.0 };
        let moving = !fit.vertex_pairs.is_empty();
        let pair_of = |vertices: &[u32]| {
            let pairs = vertices.iter().map(|&v| &fit.vertex_pairs[v as usize]);
            pairs.fold([Volume::EMPTY; 2], |all, pair| Volume::union_of_pairs(&all, pair))
        };
        let later =
            |x: &[u32], y: &[u32]| moving && entry(&pair_of(x), &pair_of(y)).is_none_or(|t| t > limit);
        let FeaturePairs { faces: [faces_a, faces_b], others: [own, other], pairs } = self;
        own.collect(of, a, Kind::Edge, &in_b);
        pairs.count = 0;
        if a == b {
            pairs.add_within(own);
        } else if own.count > 0 {
            other.collect(of, b, Kind::Edge, &own.union());
            pairs.add(own, other);
        }
        for [i, j] in pairs.iter() {
            if !later(&tree.edges[i].vertices, &tree.edges[j].vertices) {
                edge_edge(state, i, j);
            }
        }
        pairs.count = 0;
        own.collect(of, a, Kind::Vertex, &in_b);
        pairs.add(own, if a == b { faces_a } else { faces_b });
        if a != b {
            other.collect(of, b, Kind::Vertex, &in_a);
            pairs.add(other, faces_a);
        }
        for [v, f] in pairs.iter() {
            if !later(&[v as u32], &tree.faces[f].vertices) {
                vertex_face(state, v, f);
            }
        }
    }

    /// Visits every edge/face pair of two leaves, or of one leaf with itself, whose swept volumes overlap; the edge
    /// comes first.
    pub(crate) fn edge_face_pairs(
        &mut self,
        of: (&Tree, &Fit<N>),
        (a, b): (usize, usize),
        mut edge_face: impl FnMut(usize, usize),
    ) {
        let Some([in_a, in_b]) = self.collect_faces(of, (a, b)) else { return };
        let FeaturePairs { faces: [faces_a, faces_b], others: [own, other], pairs } = self;
        pairs.count = 0;
        own.collect(of, a, Kind::Edge, &in_b);
        pairs.add(own, if a == b { faces_a } else { faces_b });
        if a != b {
            other.collect(of, b, Kind::Edge, &in_a);
            pairs.add(other, faces_a);
        }
        pairs.iter().for_each(|[e, f]| edge_face(e, f));
    }

    /// Step 2 of the header. Returns what is left of the two leaves: volumes that every other feature must overlap to matter, or
    /// `None` if none does. For a leaf and itself, the faces are those of the first side.
    #[inline]
    fn collect_faces(&mut self, of: (&Tree, &Fit<N>), (a, b): (usize, usize)) -> Option<[Volume<N>; 2]> {
        let (tree, fit) = of;
        let [first, second] = &mut self.faces;
        let leaf = |i: usize| fit.nodes[fit.nodes.len() / 2 + i];
        let left = |side: &Side<N>, i: usize| if tree.has_loose(i) { leaf(i) } else { side.union() };
        first.collect(of, a, Kind::Face, &leaf(b));
        let in_a = left(first, a);
        if a == b {
            return Some([in_a; 2]);
        }
        second.collect(of, b, Kind::Face, &in_a);
        let in_b = left(second, b);
        in_a.overlaps(&in_b).then_some([in_a, in_b])
    }
}

impl<const N: usize> Side<N> {
    /// Collects the features of a leaf that overlap a volume.
    #[inline]
    fn collect(&mut self, (tree, fit): (&Tree, &Fit<N>), leaf: usize, kind: Kind, other: &Volume<N>) {
        let range = |start: &[u32]| start[leaf] as usize..start[leaf + 1] as usize;
        let at = |v: u32| &fit.vertices[v as usize];
        match kind {
            Kind::Vertex => {
                let range = range(&tree.vertex_start);
                self.keep(range.start, fit.vertices[range].iter().copied(), other);
            }
            Kind::Edge => {
                let volume = |[a, b]: [&Volume<N>; 2]| a.union(b);
                let range = range(&tree.edge_start);
                let (start, edges) = (range.start, &tree.edges[range]);
                self.keep(start, edges.iter().map(|edge| volume(edge.vertices.map(at))), other);
            }
            Kind::Face => {
                let volume = |[a, b, c]: [&Volume<N>; 3]| a.union(b).union(c);
                let range = range(&tree.face_start);
                let (start, faces) = (range.start, &tree.faces[range]);
                self.keep(start, faces.iter().map(|face| volume(face.vertices.map(at))), other);
            }
        }
    }

    /// Keeps the features, from this one on, whose volumes overlap another one.
    #[inline(always)]
    fn keep(&mut self, start: usize, volumes: impl Iterator<Item = Volume<N>>, other: &Volume<N>) {
        let mut count = 0;
        for (volume, feature) in volumes.zip(start as u32..) {
            // The remainder changes nothing, and lets the compiler see that the place exists.
            let next = count % MOST_FEATURES;
            self.volumes[next] = volume;
            self.features[next] = feature;
            count += volume.overlaps(other) as usize;
        }
        self.count = count;
    }

    fn kept(&self) -> (&[Volume<N>], &[u32]) {
        (&self.volumes[..self.count], &self.features[..self.count])
    }

    fn union(&self) -> Volume<N> {
        self.kept().0.iter().fold(Volume::EMPTY, |all, volume| all.union(volume))
    }
}

impl Pairs {
    /// Adds the pairs of features of two sides that overlap.
    #[inline]
    fn add<const N: usize>(&mut self, first: &Side<N>, second: &Side<N>) {
        for (volume, feature) in std::iter::zip(first.kept().0, first.kept().1) {
            self.add_with((volume, *feature), second.kept());
        }
    }

    /// Adds the pairs of features of one side that overlap, each once.
    #[inline]
    fn add_within<const N: usize>(&mut self, side: &Side<N>) {
        let (volumes, features) = side.kept();
        for i in 0..volumes.len() {
            self.add_with((&volumes[i], features[i]), (&volumes[i + 1..], &features[i + 1..]));
        }
    }

    #[inline(always)]
    fn add_with<const N: usize>(
        &mut self,
        (volume, feature): (&Volume<N>, u32),
        (others, features): (&[Volume<N>], &[u32]),
    ) {
        let mut count = self.count;
        for (other, other_feature) in std::iter::zip(others, features) {
            // As above.
            self.features[count % (MOST_FEATURES * MOST_FEATURES)] = [feature, *other_feature];
            count += volume.overlaps(other) as usize;
        }
        self.count = count;
    }

    fn iter(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.features[..self.count].iter().map(|pair| pair.map(|i| i as usize))
    }
}
