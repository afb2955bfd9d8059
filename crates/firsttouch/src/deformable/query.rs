//! The first touch of a deforming mesh, any touch, or the first of every touching pair.
//!
//! The problem: among all vertex/face and edge/edge pairs of the mesh that do not share a vertex, when does the first touch
//! happen, and which pairs touch at all?
//!
//! 1. A pair of leaves of the tree yields candidates (`traversal`), unless both are in the same patch that cannot touch itself
//!    (`normal_cones`, made for the window). A candidate passes a step of local advancement (`advancement`) and then the
//!    exact test ([`crate::elementary`]).
//! 2. **First.** All tests look only at `[0, window]`, where the window ends at the earliest touch known
//!    (`temporal_culling`).
//! 3. **Any** is the same but ends with the first round that finds something. **All** is one round over all leaves; the step
//!    of local advancement is left out, since over the whole time span the first stages of the exact test do as well.
//!
//! Guarantee: no touch is missed and none is late; the set of touching pairs is exact (`min_separation` 0).
//!
//! The same answer for any number of threads: the pieces that are handed out are fixed. A touch found is
//! decided again over the whole step, which makes its time independent of the window in which it was found, and the earliest
//! is the least by (time, features). As a reported time may be 2^-50 before the exact one, the window is kept 2^-49 past the
//! earliest: a pair that could be reported as early is never dropped.
//!
//! Reference: Tang, Kim and Manocha 2010, Sec. VI (global and per-triangle times of contact).

use std::cmp::Ordering;

use glam::DVec3;

use crate::answer::{Answer, Feature, Part, Touch};
use crate::elementary::{self, Contact, EdgeEdge, LARGEST_COORDINATE, Limits, Verdict, VertexFace};
use crate::error::Result;
use crate::options::{Mode, Options};

use super::advancement::Reach;
use super::crossings;
use super::cubic;
use super::fit::Fit;
use super::hierarchy::{Carrier, Topology};
use super::mesh::{Deformable, Fitted};
use super::normal_cones::Patches;
use super::report::{DeformReport, DeformStats, FeatureTest, Start};
use super::temporal_culling;
use super::threads::{self, with_threads};
use super::traversal::{Near, leaves_near};

/// Says whether a pair of features is to be checked: vertex and face, or two edges.
pub type PairFilter<'a> = &'a (dyn Fn([Feature; 2]) -> bool + Sync);

/// A reported time is never more than 2^-50 before the exact one.
pub(super) const EARLY: f64 = 1.0 / (1u64 << 49) as f64;

/// Leaves that one thread works on at a time.
const PIECE: usize = 16;

impl Deformable {
    /// Answers the question of `options.mode` over `[0, options.t_max]`. Fails only for options out of range.
    ///
    /// With `min_separation` 0 the answer is exact and the tolerance plays no part in it.
    ///
    /// ```
    /// use firsttouch::deformable::{Deformable, Start};
    /// use firsttouch::{Mode, Options};
    /// use glam::dvec3;
    /// // One edge falls onto two others, at times 1/4 and 3/4.
    /// let at = |z| vec![
    ///     dvec3(-1.0, 0.0, z), dvec3(1.0, 0.0, z),
    ///     dvec3(0.0, -1.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, -1.0, -2.0), dvec3(0.0, 1.0, -2.0),
    /// ];
    /// let mesh = Deformable::new(at(1.0), at(-3.0), vec![], vec![[0, 1], [2, 3], [4, 5]], vec![])?;
    /// let report = mesh.check(&Options { mode: Mode::All, ..Default::default() }, Start::Report)?;
    /// let times: Vec<f64> = report.touches.iter().map(|touch| touch.toi).collect();
    /// assert!((times[0] - 0.25).abs() < 1e-15 && (times[1] - 0.75).abs() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn check(&self, options: &Options, start: Start) -> Result<DeformReport> {
        self.check_filtered(options, start, &|_| true)
    }

    /// Like [`check`](Deformable::check), for the pairs of features that the filter lets through. Crossings at the start
    /// are asked about as an edge and a face.
    pub fn check_filtered(
        &self,
        options: &Options,
        start: Start,
        filter: PairFilter<'_>,
    ) -> Result<DeformReport> {
        options.validate()?;
        Ok(with_threads(options.threads, |parallel| match &self.fitted {
            Fitted::One(fit) => Query { mesh: self, options, start, filter, parallel }.run(fit),
            Fitted::Three(fit) => Query { mesh: self, options, start, filter, parallel }.run(fit),
            Fitted::Four(fit) => Query { mesh: self, options, start, filter, parallel }.run(fit),
        }))
    }

    /// Calls `visit` for every pair of features that do not share a vertex and whose volumes meet during the step: what a
    /// simulator with tests of its own needs. Vertex and face, or two edges; each pair once.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::dvec3;
    /// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
    /// let mesh = Deformable::new(at(1.0), at(-1.0), vec![[0, 1, 2]], vec![], vec![3])?;
    /// let mut pairs = vec![];
    /// mesh.candidates(|pair| pairs.push(pair.map(|feature| feature.to_string())));
    /// assert_eq!(pairs[0], ["vertex 3", "face 0"]);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn candidates(&self, visit: impl FnMut([Feature; 2])) {
        match &self.fitted {
            Fitted::One(fit) => self.candidates_of(fit, visit),
            Fitted::Three(fit) => self.candidates_of(fit, visit),
            Fitted::Four(fit) => self.candidates_of(fit, visit),
        }
    }

    /// Like [`candidates`](Deformable::candidates), for features that may come within `separation` of each other: what is
    /// needed for repulsion between things that are near.
    ///
    /// ```
    /// use firsttouch::deformable::Deformable;
    /// use glam::dvec3;
    /// // A point rests half a unit above a triangle.
    /// let at = vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, 0.5)];
    /// let mesh = Deformable::new(at.clone(), at, vec![[0, 1, 2]], vec![], vec![3])?;
    /// let count = |separation: f64| {
    ///     let mut count = 0;
    ///     mesh.candidates_within(separation, |_| count += 1);
    ///     count
    /// };
    /// assert!(count(0.1) == 0 && count(0.6) > 0);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn candidates_within(&self, separation: f64, visit: impl FnMut([Feature; 2])) {
        let separation = if separation > 0.0 { separation.min(LARGEST_COORDINATE) } else { 0.0 };
        match &self.fitted {
            Fitted::One(_) => self.candidates_of(&self.fit::<1>(1.0, separation, false), visit),
            Fitted::Three(_) => self.candidates_of(&self.fit::<3>(1.0, separation, false), visit),
            Fitted::Four(_) => self.candidates_of(&self.fit::<4>(1.0, separation, false), visit),
        }
    }

    fn candidates_of<const N: usize>(&self, fit: &Fit<N>, mut visit: impl FnMut([Feature; 2])) {
        let tree = &self.tree;
        let mut near = Near::<N>::new();
        for a in 0..tree.leaves {
            leaves_near(
                fit,
                &Patches::none(),
                (1, a),
                &mut visit,
                |_| 1.0,
                |visit, b| {
                    near.pairs(
                        (tree, fit),
                        (a, b),
                        1.0,
                        visit,
                        |visit, v, f| {
                            if !tree.faces[f].vertices.contains(&(v as u32)) {
                                visit([Feature::Vertex(tree.vertex_id[v]), Feature::Face(tree.faces[f].id)]);
                            }
                        },
                        |visit, i, j| {
                            let (a, b) = (&tree.edges[i], &tree.edges[j]);
                            if !a.vertices.iter().any(|v| b.vertices.contains(v)) {
                                visit([Feature::Edge(a.id), Feature::Edge(b.id)]);
                            }
                        },
                    );
                },
            );
        }
    }

    /// How far a simulator may go: the largest time proven free, times `factor` (in `(0, 1]`, taken as the nearest of these)
    /// where something touches after it. Always below the first touch when `factor` is below 1; 0 when something touches at the
    /// start, `t_max` when nothing does at all.
    ///
    /// ```
    /// use firsttouch::Options;
    /// use firsttouch::deformable::{Deformable, Start};
    /// use glam::dvec3;
    /// let at = |z| vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.25, 0.25, z)];
    /// let mesh = Deformable::new(at(1.0), at(-1.0), vec![[0, 1, 2]], vec![], vec![3])?;
    /// let step = mesh.safe_step(&Options::default(), Start::Ignore, 0.8)?;
    /// assert!((step - 0.4).abs() < 1e-15);
    /// # Ok::<(), firsttouch::Error>(())
    /// ```
    pub fn safe_step(&self, options: &Options, start: Start, factor: f64) -> Result<f64> {
        let options = Options { mode: Mode::First, ..*options };
        let factor = if factor > 0.0 { factor.min(1.0) } else { 0.0 };
        Ok(match self.check(&options, start)?.answer {
            Answer::Free => options.t_max,
            answer => answer.free_until(options.t_max) * factor,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    VertexFace,
    EdgeEdge,
}

/// A touch, or a budget that ran out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) time: f64,
    /// None: undecided.
    pub(super) contact: Option<Contact>,
    kind: Kind,
    /// The user's numbers.
    ids: [u32; 2],
    /// The tree's numbers, in the same order.
    own: [u32; 2],
}

impl Event {
    pub(super) fn order(&self, other: &Event) -> Ordering {
        let key = |e: &Event| (e.contact.is_none(), e.kind, e.ids);
        self.time.total_cmp(&other.time).then_with(|| key(self).cmp(&key(other)))
    }

    fn features(&self) -> [Feature; 2] {
        match self.kind {
            Kind::VertexFace => [Feature::Vertex(self.ids[0]), Feature::Face(self.ids[1])],
            Kind::EdgeEdge => self.ids.map(Feature::Edge),
        }
    }
}

pub(super) struct Query<'a> {
    pub(super) mesh: &'a Deformable,
    pub(super) options: &'a Options,
    start: Start,
    filter: PairFilter<'a>,
    pub(super) parallel: bool,
}

impl Query<'_> {
    fn run<const N: usize>(&self, fit: &Fit<N>) -> DeformReport {
        let Options { mode, t_max, min_separation, .. } = *self.options;
        let mut report = DeformReport {
            answer: Answer::Free,
            crossings_at_start: None,
            touches: vec![],
            undecided: vec![],
            stats: DeformStats::default(),
        };
        if self.start == Start::Report {
            let (count, first) = crossings::at_start::<N>(self.mesh, self.filter, self.parallel);
            report.crossings_at_start = Some(count);
            if let Some(touch) = first {
                report.answer = Answer::TouchingAtStart(touch);
                if mode != Mode::All {
                    return report;
                }
            }
        }
        if mode == Mode::Any
            && let Some(answer) = self.touching_at_start::<N>(&mut report.stats)
        {
            report.answer = answer;
            return report;
        }
        let own;
        let fit = if t_max == 1.0 && min_separation == 0.0 {
            fit
        } else {
            own = self.mesh.fit(t_max, self.separation(), self.parallel);
            &own
        };
        let first = match mode {
            Mode::First | Mode::Any => temporal_culling::first(self, fit, &mut report.stats),
            Mode::All => self.all(fit, &mut report),
        };
        if report.answer == Answer::Free {
            report.answer = first.map_or(Answer::Free, |event| self.answer(&event));
        }
        report
    }

    /// With any touch wanted, those at the start are looked at first: what the test for crossings does not see, loose edges and
    /// points and features within `min_separation`.
    fn touching_at_start<const N: usize>(&self, stats: &mut DeformStats) -> Option<Answer> {
        let Topology { loose_edges, loose_points, .. } = &self.mesh.topology;
        let is_covered =
            self.options.min_separation == 0.0 && loose_edges.is_empty() && loose_points.is_empty();
        if self.start == Start::Ignore || is_covered {
            return None;
        }
        let options = Options { mode: Mode::First, t_max: self.options.t_max.min(EARLY), ..*self.options };
        let query = Query { options: &options, ..*self };
        let fit = self.mesh.fit::<N>(options.t_max, self.separation(), self.parallel);
        let event = temporal_culling::first(&query, &fit, stats)?;
        let is_at_start = event.contact.is_some_and(|contact| self.at_start(&contact));
        is_at_start.then(|| query.answer(&event))
    }

    fn all<const N: usize>(&self, fit: &Fit<N>, report: &mut DeformReport) -> Option<Event> {
        let patches = self.patches(self.options.t_max, &mut report.stats);
        let leaves: Vec<u32> = (0..self.mesh.tree.leaves as u32).collect();
        let pieces: Vec<&[u32]> = leaves.chunks(PIECE).collect();
        let found = threads::map(self.parallel, &pieces, |leaves| {
            let mut search = Search::new(self, None);
            search.leaves(fit, &patches, leaves);
            (search.events, search.stats)
        });
        let mut events = Vec::new();
        for (found, work) in found {
            report.stats += work;
            events.extend(found);
        }
        // Keys are sorted, not events, which are many times as large.
        let mut order: Vec<(Kind, [u32; 2], u32)> =
            events.iter().zip(0..).map(|(event, place)| (event.kind, event.ids, place)).collect();
        order.sort_unstable();
        let event = |&(_, _, place): &(Kind, [u32; 2], u32)| &events[place as usize];
        let undecided = order.iter().map(event).filter(|event| event.contact.is_none());
        report.undecided = undecided.map(|event| (event.features(), event.time)).collect();
        if !report.undecided.is_empty() {
            order.retain(|key| event(key).contact.is_some());
        }
        report.touches = threads::map(self.parallel, &order, |key| self.touch(event(key)));
        events.iter().min_by(|a, b| a.order(b)).copied()
    }

    /// The patches that cannot touch themselves in the window. With a separation to keep, nothing is known of any.
    pub(super) fn patches(&self, window: f64, stats: &mut DeformStats) -> Patches {
        if self.options.min_separation > 0.0 {
            return Patches::none();
        }
        let patches = self.mesh.patches(window, self.parallel);
        stats.patch_leaves = patches.leaves();
        patches
    }

    /// The end of the span that is still of interest.
    pub(super) fn window(&self, best: &Option<Event>) -> f64 {
        let t_max = self.options.t_max;
        match best {
            Some(event) if self.options.mode == Mode::First => (event.time + EARLY).min(t_max),
            _ => t_max,
        }
    }

    /// What must be between two features for the pair to be dropped: what the elementary test may call a touch.
    pub(super) fn separation(&self) -> f64 {
        let Options { min_separation, tolerance, .. } = *self.options;
        if min_separation > 0.0 { min_separation + tolerance } else { 0.0 }
    }

    fn answer(&self, event: &Event) -> Answer {
        match event.contact {
            None => Answer::Undecided { free_until: event.time, bodies: [0, 0] },
            Some(contact) => {
                let mut touch = self.touch(event);
                if self.options.mode == Mode::Any {
                    // The search ended with what it found first: nothing is proven of the rest.
                    touch.free_until = 0.0;
                }
                if self.at_start(&contact) { Answer::TouchingAtStart(touch) } else { Answer::Touch(touch) }
            }
        }
    }

    /// Whether the pair touches at time 0. A time of 0 may be rounded, its upper bound is not: it is 0 only if exact.
    fn at_start(&self, contact: &Contact) -> bool {
        contact.toi_upper == 0.0
    }

    fn touch(&self, event: &Event) -> Touch {
        let mesh = self.mesh;
        let contact = event.contact.unwrap_or(Contact {
            toi: event.time,
            toi_upper: event.time,
            point: DVec3::ZERO,
            parameters: [0.0; 3],
            normal: DVec3::Z,
        });
        let at = |v: u32| {
            let (p, q) = (mesh.t0[v as usize], mesh.t1[v as usize]);
            if contact.toi == 1.0 { q } else { p + (q - p) * contact.toi }
        };
        let [s, r, w] = contact.parameters;
        let [i, j] = event.own.map(|i| i as usize);
        let tree = &mesh.tree;
        let on_edge = |edge: usize, s: f64| {
            let [a, b] = tree.edges[edge].vertices.map(at);
            a + (b - a) * s
        };
        let (points, carriers) = match event.kind {
            Kind::VertexFace => {
                let face = &tree.faces[j];
                let [a, b, c] = face.vertices.map(at);
                ([at(i as u32), a * s + b * r + c * w], [tree.vertex_carrier[i], face.id])
            }
            Kind::EdgeEdge => ([on_edge(i, s), on_edge(j, r)], [tree.edge_carrier[i], tree.edge_carrier[j]]),
        };
        let size = points[0].abs().max(points[1].abs()).max_element();
        let part = |carrier: u32| match mesh.topology.carrier(carrier) {
            Carrier::Triangle(i) => Part::Triangle(i),
            Carrier::Edge(i) => Part::LooseEdge(i),
            Carrier::Point(i) => Part::LoosePoint(i),
        };
        Touch {
            toi: contact.toi,
            free_until: contact.toi,
            // The points are rounded positions: a few units in the last place of the coordinates, 16 to be generous.
            gap: points[0].distance(points[1]) * (1.0 + 1e-15) + 16.0 * f64::EPSILON * size,
            bodies: [0, 0],
            parts: carriers.map(part),
            features: event.features(),
            points,
            normal: contact.normal,
        }
    }
}

/// One piece of a round.
pub(super) struct Search<'a, 'q> {
    pub(super) query: &'a Query<'q>,
    pub(super) window: f64,
    pub(super) best: Option<Event>,
    events: Vec<Event>,
    pub(super) stats: DeformStats,
    reach: Reach,
    /// Whether a step of local advancement comes before the exact test.
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
            events: Vec::new(),
            stats: DeformStats::default(),
            reach: query.mesh.reach.with_separation(query.separation()),
            advances: query.mesh.settings.local_advancement
                && (options.mode != Mode::All || options.min_separation > 0.0),
            params: Limits { t_end: window, ..Limits::of_valid(options) },
        }
    }

    /// The pairs of these leaves with themselves and with all later ones.
    pub(super) fn leaves<const N: usize>(&mut self, fit: &Fit<N>, patches: &Patches, leaves: &[u32]) {
        let mut near = Near::<N>::new();
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
                |search, other| search.pair(&mut near, fit, leaf, other),
            );
        }
    }

    #[inline]
    pub(super) fn pair<const N: usize>(&mut self, near: &mut Near<N>, fit: &Fit<N>, a: usize, b: usize) {
        self.stats.leaf_pairs += 1;
        let (limit, tree) = (self.window, &self.query.mesh.tree);
        near.pairs((tree, fit), (a, b), limit, self, Search::vertex_face, Search::edge_edge);
    }

    #[inline]
    fn vertex_face(&mut self, v: usize, f: usize) {
        let mesh = self.query.mesh;
        let [a, b, c] = mesh.tree.faces[f].vertices;
        let vertex = v as u32;
        if a == vertex || b == vertex || c == vertex {
            return;
        }
        self.stats.vf_candidates += 1;
        let at = |t: &[DVec3]| [t[v], t[a as usize], t[b as usize], t[c as usize]];
        let t0 = at(&mesh.t0);
        if self.advances && self.reach.vertex_face(&t0, || at(&mesh.t1), self.window) {
            return;
        }
        self.test_vertex_face(v, f, t0);
    }

    #[inline]
    fn edge_edge(&mut self, i: usize, j: usize) {
        let mesh = self.query.mesh;
        let ([a, b], [c, d]) = (mesh.tree.edges[i].vertices, mesh.tree.edges[j].vertices);
        if a == c || a == d || b == c || b == d {
            return;
        }
        self.stats.ee_candidates += 1;
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
        let ids = [tree.vertex_id[v], tree.faces[f].id];
        if !(self.query.filter)([Feature::Vertex(ids[0]), Feature::Face(ids[1])]) {
            return;
        }
        self.settle(Kind::VertexFace, ids, [v as u32, f as u32], |p| match mesh.settings.test {
            FeatureTest::Exact => elementary::vertex_face(&q, p).outcome,
            FeatureTest::Cubic => cubic::vertex_face(&q, p),
        });
    }

    #[inline(never)]
    fn test_edge_edge(&mut self, i: usize, j: usize, t0: [DVec3; 4]) {
        self.stats.ee_tested += 1;
        let mesh = self.query.mesh;
        let tree = &mesh.tree;
        let (mut ids, mut own) = ([tree.edges[i].id, tree.edges[j].id], [i as u32, j as u32]);
        let ends = |edge: usize| tree.edges[edge].vertices.map(|i| mesh.t1[i as usize]);
        let ([a, b], [c, d]) = (ends(i), ends(j));
        let mut q = EdgeEdge { t0, t1: [a, b, c, d] };
        // The smaller number first, whatever the tree.
        if ids[0] > ids[1] {
            ids.swap(0, 1);
            own.swap(0, 1);
            let swapped = |p: [DVec3; 4]| [p[2], p[3], p[0], p[1]];
            q = EdgeEdge { t0: swapped(q.t0), t1: swapped(q.t1) };
        }
        if !(self.query.filter)(ids.map(Feature::Edge)) {
            return;
        }
        self.settle(Kind::EdgeEdge, ids, own, |p| match mesh.settings.test {
            FeatureTest::Exact => elementary::edge_edge(&q, p).outcome,
            FeatureTest::Cubic => cubic::edge_edge(&q, p),
        });
    }

    fn settle(
        &mut self,
        kind: Kind,
        ids: [u32; 2],
        own: [u32; 2],
        test: impl Fn(&Limits) -> Verdict<Contact>,
    ) {
        let mut outcome = test(&self.params);
        let t_max = self.query.options.t_max;
        if outcome != Verdict::Free && self.params.t_end != t_max {
            outcome = test(&Limits { t_end: t_max, ..self.params });
        }
        let event = match outcome {
            Verdict::Free => return,
            Verdict::Touch(contact) => {
                if self.query.start == Start::Ignore && self.query.at_start(&contact) {
                    return;
                }
                Event { time: contact.toi, contact: Some(contact), kind, ids, own }
            }
            Verdict::Undecided { free_until } => Event { time: free_until, contact: None, kind, ids, own },
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
