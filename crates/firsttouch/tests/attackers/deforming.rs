//! Hostile queries for the elementary tests and for deforming meshes, each judged by exact arithmetic.
//!
//! Inputs: motions that graze with double and triple roots, stay in a plane or on a line, coincide, or are aimed at an
//! edge or a corner. They are then scaled by powers of two, moved far from the origin, or changed by single bits. There
//! are separations and tolerances down to 1e-18 of the size, budgets of a few steps, and steps that end early.
//!
//! Checks: yes, no and the time against the oracle. With a separation: the answer is never late and is within the
//! tolerance. The gap against the exact distance; points against their features; `first`, `any` and `all` against each
//! other and against the oracle.

// Other crates may include the file as well.
#![allow(unreachable_pub)]

use std::cmp::Ordering;
use std::ops::ControlFlow;

use dashu_ratio::RBig;
use firsttouch::deformable::{DeformReport, Deformable, FoundPair, Start};
use firsttouch::elementary::{Contact, EdgeEdge, VertexFace, edge_edge, vertex_face};
use firsttouch::pair::{Limits, Verdict};
use firsttouch::{Answer, Control, Feature, Mode, Options, Touch};
use glam::{DVec3, dvec3};

use crate::oracle::polynomial::Dyadic;
use crate::oracle::separation::Separation;
use crate::oracle::{Kind, Query, first_contact};

/// Counts of the outcomes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Elementary queries.
    pub queries: u64,
    /// Queries that touch, with and without a separation.
    pub touches: u64,
    /// Queries that do not touch.
    pub free: u64,
    /// Queries whose budget ran out.
    pub undecided: u64,
    /// Meshes.
    pub meshes: u64,
    /// Meshes that touch at the start, and later.
    pub at_start: u64,
    /// See [`Counts::at_start`].
    pub later: u64,
    /// Touching pairs of meshes whose gap and points were compared with exact ones.
    pub gaps: u64,
    /// The largest part of the room for the rounding of positions that a gap needed, in millionths.
    pub most_room: u64,
}

/// Draws this many hostile queries and meshes, and panics if an answer is wrong.
pub fn run(seed: u64, rounds: usize) -> Counts {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1));
    let mut counts = Counts::default();
    for _ in 0..rounds {
        let kind = if random.below(2) == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
        let size = random.size();
        let query = random.query(kind, size);
        elementary(&mut random, &mut counts, &query, size);
        if random.below(4) == 0 {
            mesh_of_query(&mut random, &mut counts, &query, size);
        }
        if random.below(4) == 0 {
            soup(&mut random, &mut counts);
        }
    }
    counts
}

/// Checks one query with and without a separation.
fn elementary(random: &mut Random, counts: &mut Counts, query: &Query, size: f64) {
    let t_max = if random.below(4) == 0 { random.unit() } else { 1.0 };
    let exact = first_contact(query).filter(|first| first.time.compare(&Dyadic::from_f64(t_max)).is_le());
    let outcome = ask(query, &Options { t_max, ..Options::default() });
    counts.queries += 1;
    match (&outcome, &exact) {
        (Verdict::Free, None) => counts.free += 1,
        (Verdict::Touch(contact), Some(first)) => {
            counts.touches += 1;
            let compare = |t: f64| first.time.compare(&Dyadic::from_f64(t));
            assert!(
                compare(contact.toi).is_ge() && compare(contact.toi_upper).is_le(),
                "{query} {contact:?}"
            );
            assert!(contact.toi_upper - contact.toi <= 1e-15, "{query} {contact:?}");
        }
        _ => panic!("{query} until {t_max}: {outcome:?}"),
    }
    let params = Options {
        t_max,
        min_separation: size * random.power_of_ten(-18, 1),
        tolerance: (size * random.power_of_ten(-18, 0)).max(1e-99),
        max_iterations: random.pick(&[1, 2, 3, 4, 100, 10_000]),
        ..Options::default()
    };
    let first = Separation::new(query, params.min_separation).first();
    let end = Dyadic::from_f64(t_max);
    let first = first.filter(|first| first.compare(&end).is_le());
    let not_late = |t: f64| first.as_ref().is_none_or(|first| first.compare(&Dyadic::from_f64(t)).is_ge());
    counts.queries += 1;
    match ask(query, &params) {
        Verdict::Free => {
            counts.free += 1;
            assert!(first.is_none(), "{query} {params:?}: free");
        }
        Verdict::Touch(contact) => {
            counts.touches += 1;
            assert!(not_late(contact.toi), "{query} {params:?}: late {contact:?}");
            let reach = rational(params.min_separation) + rational(params.tolerance);
            let distance = distance_squared(query, contact.toi);
            assert!(distance <= reach.clone() * reach, "{query} {params:?}: not near at {contact:?}");
        }
        Verdict::Undecided { free_until } => {
            counts.undecided += 1;
            assert!(not_late(free_until), "{query} {params:?}: late {free_until}");
        }
    }
}

fn ask(query: &Query, options: &Options) -> Verdict<Contact> {
    let limits = &Limits::new(options).expect("valid options");
    match query.kind {
        Kind::VertexFace => {
            vertex_face(&VertexFace::new(query.t0, query.t1).expect("in range"), limits).outcome
        }
        Kind::EdgeEdge => edge_edge(&EdgeEdge::new(query.t0, query.t1).expect("in range"), limits).outcome,
    }
}

/// Checks the features of one query as a mesh.
fn mesh_of_query(random: &mut Random, counts: &mut Counts, query: &Query, size: f64) {
    let (t0, t1) = (query.t0.to_vec(), query.t1.to_vec());
    let mesh = match query.kind {
        Kind::VertexFace => Deformable::new(t0, t1, vec![[1, 2, 3]], vec![], vec![0]),
        Kind::EdgeEdge => Deformable::new(t0, t1, vec![], vec![[0, 1], [2, 3]], vec![]),
    };
    modes(random, counts, &mesh.expect("in range"), size);
}

/// Checks a few triangles, edges and points on a coarse grid, so that many of them coincide, cross and slide on each
/// other.
fn soup(random: &mut Random, counts: &mut Counts) {
    let size = random.size();
    let vertices = 6 + random.below(12);
    let grid = 1 + random.below(3) as i32;
    let still = random.below(3) == 0;
    let t0: Vec<DVec3> = (0..vertices).map(|_| random.grid(grid) * size).collect();
    let t1: Vec<DVec3> = t0.iter().map(|p| if still { *p } else { *p + random.grid(grid) * size }).collect();
    let mut corner = || random.below(vertices) as u32;
    let triangles = (0..4).map(|_| [corner(), corner(), corner()]).collect();
    let (edges, points) = ((0..2).map(|_| [corner(), corner()]).collect(), vec![corner(), corner()]);
    let mesh = Deformable::new(t0, t1, triangles, edges, points).expect("in range");
    modes(random, counts, &mesh, size);
}

/// Checks all modes of one mesh.
fn modes(random: &mut Random, counts: &mut Counts, mesh: &Deformable, size: f64) {
    counts.meshes += 1;
    let separate = random.below(3) == 0;
    let options = Options {
        tolerance: (size * random.power_of_ten(-18, 0)).max(1e-90),
        min_separation: if separate { size * random.power_of_ten(-6, 0) } else { 0.0 },
        max_iterations: if separate { random.pick(&[1, 2, 4, 10_000]) } else { 10_000 },
        t_max: if random.below(4) == 0 { 0.125 + 0.875 * random.unit() } else { 1.0 },
        ..Options::default()
    };
    let start = if random.below(4) == 0 { Start::Ignore } else { Start::Report };
    let [first, any, all] = [Mode::First, Mode::Any, Mode::All]
        .map(|mode| mesh.check(&Options { mode, ..options }, start).expect("valid options"));
    let story = || format!("{:?} {:?} {:?} {options:?}", mesh.frame(0), mesh.frame(1), mesh.triangles());
    assert_eq!(first.answer, all.answer, "{}", story());
    let proven = |report: &DeformReport| report.answer.free_until(options.t_max);
    assert!(proven(&any) <= proven(&first), "{}", story());
    match (&first.answer, &any.answer) {
        (Answer::Free, Answer::Free) => {}
        (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => counts.at_start += 1,
        (Answer::Touch(earliest), Answer::Touch(some)) => {
            counts.later += 1;
            assert!(earliest.toi <= some.toi && some.toi <= options.t_max, "{}", story());
        }
        // The budget of one pair ran out before another touches.
        (Answer::Undecided { free_until, .. }, Answer::Touch(some)) => assert!(*free_until <= some.toi),
        (Answer::Undecided { .. }, Answer::Undecided { .. }) => {}
        (first, any) => panic!("first {first:?}, any {any:?}: {}", story()),
    }
    let mut streamed = Vec::new();
    let mut sink = |pair: FoundPair<'_>| {
        streamed.extend(pair.touch());
        ControlFlow::Continue(())
    };
    let report = mesh.check_all(&options, start, &Control::default(), &mut sink).expect("valid");
    assert_eq!(report.answer, all.answer, "{}", story());
    assert_eq!(streamed.len(), all.touches.len());
    let key = |touch: &Touch| format!("{:?}", touch.features);
    streamed.sort_by_key(key);
    let mut listed = all.touches.clone();
    listed.sort_by_key(key);
    assert_eq!(streamed, listed, "{}", story());
    if options.min_separation == 0.0 {
        every_pair(mesh, &all.touches, start, options.t_max, &story);
    }
    for touch in &all.touches {
        counts.gaps += 1;
        check_gap(mesh, touch, &story);
        let room = check_tolerance(mesh, touch, &options, &story);
        counts.most_room = counts.most_room.max(room);
    }
}

/// Checks the touching pairs of a small mesh against the oracle.
fn every_pair(mesh: &Deformable, touches: &[Touch], start: Start, t_max: f64, story: &dyn Fn() -> String) {
    let (vertices, faces, edges) =
        (mesh.vertices() as u32, mesh.triangles().len() as u32, mesh.edges().len() as u32);
    let used = |v: u32| {
        mesh.triangles().iter().any(|t| t.contains(&v)) || mesh.edges().iter().any(|e| e.contains(&v))
    };
    let vertex_face = (0..vertices)
        .filter(|v| used(*v))
        .flat_map(|v| (0..faces).map(move |f| [Feature::Vertex(v), Feature::Face(f)]));
    let edge_edge =
        (0..edges).flat_map(|i| (i + 1..edges).map(move |j| [Feature::Edge(i), Feature::Edge(j)]));
    for features in vertex_face.chain(edge_edge) {
        let Some(query) = query_of(mesh, features) else { continue };
        let exact = first_contact(&query)
            .filter(|first| first.time.compare(&Dyadic::from_f64(t_max)).is_le())
            .filter(|first| start == Start::Report || first.time.compare(&Dyadic::zero()).is_gt());
        let found = touches.iter().find(|touch| touch.features == features);
        match (exact, found) {
            (None, None) => {}
            (Some(first), Some(touch)) => {
                assert_ne!(first.time.compare(&Dyadic::from_f64(touch.toi)), Ordering::Less, "{}", story());
            }
            (exact, found) => panic!("{features:?} {exact:?} {found:?}: {}", story()),
        }
    }
}

/// Returns the moving points of two features; `None` if they share a vertex.
fn query_of(mesh: &Deformable, features: [Feature; 2]) -> Option<Query> {
    let corners = |feature: Feature| match feature {
        Feature::Vertex(v) => vec![v],
        Feature::Edge(e) => mesh.edges()[e as usize].to_vec(),
        Feature::Face(f) => mesh.triangles()[f as usize].to_vec(),
    };
    let [a, b] = features.map(corners);
    if a.iter().any(|v| b.contains(v)) {
        return None;
    }
    let kind = if a.len() == 1 { Kind::VertexFace } else { Kind::EdgeEdge };
    let all = [a, b].concat();
    let [t0, t1] = [0, 1].map(|end| {
        let frame = mesh.frame(end);
        std::array::from_fn(|i| frame[all[i] as usize])
    });
    Some(Query { kind, t0, t1 })
}

/// Checks that the gap is an upper bound of the exact distance at `toi`, and that both points lie on their features
/// up to rounding.
pub fn check_gap(mesh: &Deformable, touch: &Touch, story: &dyn Fn() -> String) {
    let Some(query) = query_of(mesh, touch.features) else { panic!("{touch:?}: {}", story()) };
    let gap = rational(touch.gap);
    let distance = distance_squared(&query, touch.toi);
    assert!(distance <= gap.clone() * gap, "gap {:e} at {}: {query} {}", touch.gap, touch.toi, story());
    let largest = query.t0.iter().chain(&query.t1).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    // 64 units in the last place of the coordinates.
    let near = rational(largest * 64.0 * f64::EPSILON + 1e-300);
    let near = near.clone() * near;
    let p = positions(&query, touch.toi);
    let (first, second) = match query.kind {
        Kind::VertexFace => (to_segment(&point(touch.points[0]), &p[0], &p[0]), {
            to_triangle(&point(touch.points[1]), [&p[1], &p[2], &p[3]])
        }),
        Kind::EdgeEdge => (
            to_segment(&point(touch.points[0]), &p[0], &p[1]),
            to_segment(&point(touch.points[1]), &p[2], &p[3]),
        ),
    };
    assert!(first <= near && second <= near, "{touch:?}: {query} {}", story());
}

/// Checks that the gap is at most `min_separation + tolerance` and the rounding of positions at `toi`:
/// [`ROUNDING_OF_POSITIONS`] times the largest coordinate of the two features at the start and at the end. Returns the
/// used part of this room, in millionths.
fn check_tolerance(mesh: &Deformable, touch: &Touch, options: &Options, story: &dyn Fn() -> String) -> u64 {
    let Some(query) = query_of(mesh, touch.features) else { panic!("{touch:?}: {}", story()) };
    let largest = query.t0.iter().chain(&query.t1).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    let beyond = rational(touch.gap) - rational(options.min_separation) - rational(options.tolerance);
    let room = rational(ROUNDING_OF_POSITIONS) * rational(largest);
    assert!(beyond <= room, "gap {:e} at {}: {query} {}", touch.gap, touch.toi, story());
    let share = if room > RBig::ZERO { (beyond / room).to_f64().value() } else { 0.0 };
    (share.max(0.0) * 1e6) as u64
}

/// The root is in `[toi, toi + 1e-15]`, so it is off by at most 9 units in the last place of 1. No point changes its
/// place relative to another by more than 4 sqrt(3) times the largest coordinate in a step. The coordinates of the
/// points are also rounded. The sum is less than `2^-46`.
const ROUNDING_OF_POSITIONS: f64 = 1.0 / (1_u64 << 46) as f64;

type Point = [RBig; 3];

fn rational(x: f64) -> RBig {
    RBig::try_from(x).expect("finite")
}

fn point(p: DVec3) -> Point {
    p.to_array().map(rational)
}

/// Returns the exact positions of the four points.
fn positions(query: &Query, t: f64) -> [Point; 4] {
    let t = rational(t);
    std::array::from_fn(|i| {
        std::array::from_fn(|k| {
            let (x, y) = (rational(query.t0[i][k]), rational(query.t1[i][k]));
            x.clone() + (y - x) * t.clone()
        })
    })
}

/// Returns the exact squared distance of the two features at a time.
pub fn distance_squared(query: &Query, t: f64) -> RBig {
    let [a, b, c, d] = &positions(query, t);
    match query.kind {
        Kind::VertexFace => to_triangle(a, [b, c, d]),
        Kind::EdgeEdge => between_segments([a, b], [c, d]),
    }
}

fn minus(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| a[k].clone() - b[k].clone())
}

fn dot(a: &Point, b: &Point) -> RBig {
    (0..3).map(|k| a[k].clone() * b[k].clone()).fold(RBig::ZERO, |sum, x| sum + x)
}

fn cross(a: &Point, b: &Point) -> Point {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i].clone() * b[j].clone() - a[j].clone() * b[i].clone()
    })
}

/// Returns the squared distance of a point from a segment.
fn to_segment(p: &Point, a: &Point, b: &Point) -> RBig {
    let (along, from) = (minus(b, a), minus(p, a));
    let length = dot(&along, &along);
    if length == RBig::ZERO {
        return dot(&from, &from);
    }
    let s = (dot(&along, &from) / length).clamp(RBig::ZERO, RBig::ONE);
    let off: Point = std::array::from_fn(|k| from[k].clone() - along[k].clone() * s.clone());
    dot(&off, &off)
}

/// Returns the squared distance of a point from a triangle.
pub fn to_triangle(p: &Point, [a, b, c]: [&Point; 3]) -> RBig {
    let normal = cross(&minus(b, a), &minus(c, a));
    let square = dot(&normal, &normal);
    let inside = |q: &Point, r: &Point| dot(&cross(&minus(r, q), &minus(p, q)), &normal) >= RBig::ZERO;
    if square != RBig::ZERO && inside(a, b) && inside(b, c) && inside(c, a) {
        let height = dot(&normal, &minus(p, a));
        return height.clone() * height / square;
    }
    to_segment(p, a, b).min(to_segment(p, b, c)).min(to_segment(p, c, a))
}

/// Returns the squared distance of two segments.
fn between_segments([a, b]: [&Point; 2], [c, d]: [&Point; 2]) -> RBig {
    let (e, f, w) = (minus(b, a), minus(d, c), minus(c, a));
    let normal = cross(&e, &f);
    let square = dot(&normal, &normal);
    let range = RBig::ZERO..=square.clone();
    if square != RBig::ZERO
        && range.contains(&dot(&cross(&w, &f), &normal))
        && range.contains(&dot(&cross(&w, &e), &normal))
    {
        let height = dot(&normal, &w);
        return height.clone() * height / square;
    }
    let ends = [to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b)];
    ends.into_iter().min().expect("four")
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 33);
        x.wrapping_mul(0xFF51_AFD7_ED55_8CCD) >> 7
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() & ((1 << 53) - 1)) as f64 / (1u64 << 53) as f64
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn power_of_ten(&mut self, low: i32, high: i32) -> f64 {
        10f64.powi(low + self.below((high - low + 1) as usize) as i32)
    }

    /// Returns a power of two: mostly 1, otherwise down to 2^-330 and up to the largest coordinate with room to
    /// spare.
    fn size(&mut self) -> f64 {
        match self.below(3) {
            0 => 2f64.powi(self.below(480) as i32 - 330),
            _ => 1.0,
        }
    }

    fn grid(&mut self, n: i32) -> DVec3 {
        let mut axis = || (self.below(2 * n as usize + 1) as i32 - n) as f64;
        dvec3(axis(), axis(), axis())
    }

    fn vector(&mut self) -> DVec3 {
        if self.below(2) == 0 {
            self.grid(4)
        } else {
            dvec3(self.unit(), self.unit(), self.unit()) * 2.0 - DVec3::ONE
        }
    }

    /// Returns four moving points of this size.
    fn query(&mut self, kind: Kind, size: f64) -> Query {
        let mut t0 = [0; 4].map(|_| self.vector());
        let mut t1 = [0; 4].map(|_| self.vector());
        match self.below(7) {
            // Arbitrary points.
            0 => {}
            // Aimed at a point of an edge or a corner.
            1 => {
                let (s, t) =
                    (if self.below(3) == 0 { 0.0 } else { self.unit() }, 0.125 + 0.875 * self.unit());
                let at = |i: usize| t0[i] + (t1[i] - t0[i]) * t;
                let target = at(2) + (at(3) - at(2)) * s;
                t1[0] = t0[0] + (target - t0[0]) / t;
            }
            // A double or a triple root of coplanarity: two or three points pass the first at the same time.
            2 => {
                let (when, triple) = (self.below(9) as f64 / 8.0, self.below(2) == 0);
                let meeting = if triple { 1..4 } else { 2..4 };
                for i in meeting {
                    let velocity = self.grid(4);
                    t0[i] = t0[0] - velocity * when;
                    t1[i] = t1[0] + velocity * (1.0 - when);
                }
            }
            // In one plane all the time; the plane may rotate.
            3 => {
                let (u, v) = ([self.grid(2), self.grid(2)], [self.grid(2), self.grid(2)]);
                for i in 0..4 {
                    let (x, y) = (self.grid(3), self.grid(3));
                    t0[i] = u[0] * x.x + v[0] * x.y;
                    t1[i] = u[1] * y.x + v[1] * y.y;
                }
            }
            // On one line all the time.
            4 => {
                let along = self.grid(2);
                for p in t0.iter_mut().chain(&mut t1) {
                    *p = along * (self.below(9) as f64 - 4.0);
                }
            }
            // At rest, or all with the same translation.
            5 => {
                let shift = if self.below(2) == 0 { DVec3::ZERO } else { self.vector() };
                t1 = t0.map(|p| p + shift);
            }
            // Points that coincide.
            _ => {
                let (i, j) = (self.below(4), self.below(4));
                (t0[i], t1[i]) = (t0[j], t1[j]);
                t0[self.below(4)] = t0[self.below(4)];
            }
        }
        let offset = match self.below(4) {
            0 => self.grid(1) * self.power_of_ten(0, 8),
            _ => DVec3::ZERO,
        };
        for p in t0.iter_mut().chain(&mut t1) {
            *p = (*p + offset) * size;
        }
        if self.below(4) == 0 {
            // One bit more or less.
            let (i, k, up) = (self.below(4), self.below(3), self.below(2) == 0);
            let x = &mut if self.below(2) == 0 { &mut t0 } else { &mut t1 }[i][k];
            *x = if up { x.next_up() } else { x.next_down() };
        }
        Query { kind, t0, t1 }
    }
}
