//! The work of one thread: the pairs of features of pairs of leaves, decided one by one.
//!
//! 1. A pair of leaves yields candidates (`traversal`).
//! 2. A candidate goes through a step of local advancement (`advancement`) and then the exact test
//!    ([`crate::elementary`]) over the window.
//! 3. A pair that is not free in the window is decided again over the whole step, which makes its time independent of
//!    that window.
//!
//! An interrupt is polled at every pair of leaves.

use glam::DVec3;

use crate::answer::Feature;
use crate::elementary::{self, Contact, EdgeEdge, Limits, Verdict, VertexFace};
use crate::numerics::bound::lower_min;
use crate::options::Mode;

use super::advancement::{Reach, edge_edge_boxes, vertex_face_boxes};
use super::event::{Event, Kind};
use super::feature_pairs::FeaturePairs;
use super::fit::Fit;
use super::normal_cones::Patches;
use super::query::Query;
use super::report::{DeformStats, Start};
use super::traversal::leaves_near;
use super::volume::Volume;

/// The test that decides a pair of features.
#[derive(Debug, Clone, Copy)]
pub(super) enum FeatureTest {
    /// The exact test of [`crate::elementary`].
    Exact,
    /// A test of the laboratory, for comparison. It proves nothing.
    #[cfg(feature = "internals")]
    Foreign(ForeignTest),
}

/// Tests of features other than those of [`crate::elementary`].
#[cfg(feature = "internals")]
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ForeignTest {
    /// The test of a vertex and a face.
    pub vertex_face: fn(&VertexFace, &Limits) -> Verdict<Contact>,
    /// The test of two edges.
    pub edge_edge: fn(&EdgeEdge, &Limits) -> Verdict<Contact>,
}

/// The work of one thread in a round.
pub(super) struct Search<'a, 'q> {
    pub(super) query: &'a Query<'q>,
    pub(super) window: f64,
    pub(super) best: Option<Event>,
    /// The time up to which pairs whose budget ran out are free.
    pub(super) undecided: f64,
    /// True if an interrupt ended the search.
    pub(super) is_cut: bool,
    pub(super) events: Vec<Event>,
    /// The number of pairs that touch at time 0 and are left out.
    pub(super) ignored: u64,
    pub(super) stats: DeformStats,
    reach: Reach,
    /// True if a step of local advancement comes before the exact test.
    advances: bool,
    params: Limits,
}

impl<'a, 'q> Search<'a, 'q> {
    pub(super) fn new(query: &'a Query<'q>, best: Option<Event>) -> Search<'a, 'q> {
        let options = query.options;
        let window = query.window(&best);
        Search {
            query,
            window,
            best,
            undecided: f64::INFINITY,
            is_cut: false,
            events: Vec::new(),
            ignored: 0,
            stats: DeformStats::default(),
            reach: query.mesh.reach.with_separation(query.separation()),
            advances: query.mesh.settings.local_advancement
                && (options.mode != Mode::All
                    || options.min_separation > 0.0
                    || query.mesh.settings.advancement_in_all),
            params: Limits { t_end: window, ..Limits::of_valid(options) },
        }
    }

    /// Tests the pairs of these leaves with themselves and with all later ones.
    pub(super) fn leaves<const N: usize>(
        &mut self,
        near: &mut FeaturePairs<'_, N>,
        fit: &Fit<N>,
        patches: &Patches,
        leaves: &[u32],
    ) {
        for &leaf in leaves {
            if self.window < 0.0 {
                return;
            }
            let leaf = leaf as usize;
            leaves_near(
                fit,
                patches,
                (1, leaf),
                self,
                |search| search.window,
                |search, other| search.pair(near, fit, leaf, other),
            );
        }
    }

    #[inline]
    pub(super) fn pair<const N: usize>(
        &mut self,
        near: &mut FeaturePairs<'_, N>,
        fit: &Fit<N>,
        a: usize,
        b: usize,
    ) {
        if self.query.watch.is_raised() {
            self.is_cut = true;
            self.window = -1.0;
            return;
        }
        self.stats.leaf_pairs += 1;
        let limit = self.window;
        let apart = near.visit(
            (a, b),
            (limit, self.advances),
            self,
            |search, v, f| search.vertex_face(&fit.vertices, v, f),
            |search, i, j| search.edge_edge(&fit.vertices, i, j),
        );
        self.stats.ee_candidates += apart;
    }

    #[inline]
    fn vertex_face<const N: usize>(&mut self, volumes: &[Volume<N>], v: usize, f: usize) {
        let mesh = self.query.mesh;
        let [a, b, c] = mesh.tree.faces[f].vertices;
        self.stats.vf_candidates += 1;
        if self.advances && vertex_face_boxes([v as u32, a, b, c].map(|v| &volumes[v as usize])) {
            return;
        }
        let at = |t: &[DVec3]| [t[v], t[a as usize], t[b as usize], t[c as usize]];
        let t0 = at(&mesh.t0);
        if self.advances && self.reach.vertex_face(&t0, || at(&mesh.t1), self.window) {
            return;
        }
        self.test_vertex_face(v, f, t0);
    }

    #[inline]
    fn edge_edge<const N: usize>(&mut self, volumes: &[Volume<N>], i: usize, j: usize) {
        let mesh = self.query.mesh;
        let ([a, b], [c, d]) = (mesh.tree.edges[i].vertices, mesh.tree.edges[j].vertices);
        self.stats.ee_candidates += 1;
        if self.advances && edge_edge_boxes([a, b, c, d].map(|v| &volumes[v as usize])) {
            return;
        }
        let at = |t: &[DVec3]| [t[a as usize], t[b as usize], t[c as usize], t[d as usize]];
        let t0 = at(&mesh.t0);
        if self.advances && self.reach.edge_edge(&t0, || at(&mesh.t1), self.window) {
            return;
        }
        self.test_edge_edge(i, j, t0);
    }

    #[inline(never)]
    fn test_vertex_face(&mut self, v: usize, f: usize, t0: [DVec3; 4]) {
        self.stats.vf_tested += 1;
        let mesh = self.query.mesh;
        let tree = &mesh.tree;
        let [a, b, c] = tree.faces[f].vertices.map(|i| mesh.t1[i as usize]);
        let q = VertexFace { t0, t1: [mesh.t1[v], a, b, c] };
        let (vertex, face) = (tree.vertex_id[v], tree.faces[f].id);
        if self.query.filter.is_some_and(|filter| !filter([Feature::Vertex(vertex), Feature::Face(face)])) {
            return;
        }
        let test = self.query.test;
        self.settle(Kind::VertexFace, [[vertex, 0], [face, 0]], [v as u32, f as u32], |p| match test {
            FeatureTest::Exact => elementary::vertex_face(&q, p).outcome,
            #[cfg(feature = "internals")]
            FeatureTest::Foreign(test) => (test.vertex_face)(&q, p),
        });
    }

    #[inline(never)]
    fn test_edge_edge(&mut self, i: usize, j: usize, t0: [DVec3; 4]) {
        self.stats.ee_tested += 1;
        let mesh = self.query.mesh;
        let tree = &mesh.tree;
        let (mut keys, mut own) = ([i, j].map(|edge| tree.ends_of(&tree.edges[edge])), [i as u32, j as u32]);
        let ends = |edge: usize| tree.edges[edge].vertices.map(|i| mesh.t1[i as usize]);
        let ([a, b], [c, d]) = (ends(i), ends(j));
        let mut q = EdgeEdge { t0, t1: [a, b, c, d] };
        // The smaller number comes first, for any order in the tree.
        if keys[0] > keys[1] {
            keys.swap(0, 1);
            own.swap(0, 1);
            let swapped = |p: [DVec3; 4]| [p[2], p[3], p[0], p[1]];
            q = EdgeEdge { t0: swapped(q.t0), t1: swapped(q.t1) };
        }
        let number = |edge: u32| Feature::Edge(mesh.edge_number(edge as usize));
        if self.query.filter.is_some_and(|filter| !filter(own.map(number))) {
            return;
        }
        let test = self.query.test;
        self.settle(Kind::EdgeEdge, keys, own, |p| match test {
            FeatureTest::Exact => elementary::edge_edge(&q, p).outcome,
            #[cfg(feature = "internals")]
            FeatureTest::Foreign(test) => (test.edge_edge)(&q, p),
        });
    }

    fn settle(
        &mut self,
        kind: Kind,
        keys: [[u32; 2]; 2],
        own: [u32; 2],
        test: impl Fn(&Limits) -> Verdict<Contact>,
    ) {
        let t_max = self.query.options.t_max;
        let touch = |contact: Contact| Event { time: contact.toi, contact: Some(contact), kind, keys, own };
        let is_ignored = |outcome: &Verdict<Contact>| {
            let at_start = matches!(outcome, Verdict::Touch(contact) if touch(*contact).at_start());
            self.query.start == Start::Ignore && at_start
        };
        let outcome_of = |limits: &Limits| match test(limits) {
            Verdict::Free => Verdict::Free,
            found if limits.t_end == t_max => found,
            _ => test(&Limits { t_end: t_max, ..*limits }),
        };
        let mut outcome = outcome_of(&self.params);
        if is_ignored(&outcome) && self.params.min_separation > 0.0 {
            // Features that are only within the separation at time 0 may not pass through each other.
            outcome = outcome_of(&Limits { min_separation: 0.0, ..self.params });
        }
        if is_ignored(&outcome) {
            self.ignored += 1;
            return;
        }
        let event = match outcome {
            Verdict::Free => return,
            Verdict::Touch(contact) => touch(contact),
            Verdict::Undecided { free_until } => {
                self.undecided = lower_min(self.undecided, free_until);
                Event { time: free_until, contact: None, kind, keys, own }
            }
        };
        match self.query.options.mode {
            Mode::All => self.events.push(event),
            Mode::First => {
                if self.best.as_ref().is_none_or(|best| event.order(best).is_lt()) {
                    self.best = Some(event);
                    self.window = self.query.window(&self.best);
                    self.params.t_end = self.window;
                }
            }
            Mode::Any => {
                if event.contact.is_some() {
                    self.best = Some(event);
                    self.window = -1.0;
                    self.params.t_end = 0.0;
                } else if self.best.is_none_or(|best| event.order(&best).is_lt()) {
                    self.best = Some(event);
                }
            }
        }
    }
}
