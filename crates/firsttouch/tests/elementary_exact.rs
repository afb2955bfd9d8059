//! The elementary tests against the exact oracle: more than 10^6 seeded queries of each kind.
//!
//! For every query, exactly:
//! - no false negative, no false positive, and nothing undecided;
//! - `toi` in `[0, t_max]` and never after the first contact; before it by at most 1e-9, and by at most 8 ulps
//!   of 1 where the time is a simple root; `toi_upper` never before it;
//! - the contact point on both features at `toi` and at the returned parameters, up to rounding and to the
//!   distance travelled in that time; the normal of unit length;
//! - the batch form gives the same bits as the scalar one;
//! - for a part of the queries, the same for steps that end early: at a random time and within a few f64s of the
//!   contact itself, on both sides of it.
//!
//! With a minimum separation the library guarantees bounds instead; these are also checked exactly.
//!
//! A failing query is printed as Rust code, to be pasted into `regressions`.

use crate::generator;
use crate::oracle;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use firsttouch::Options;
use firsttouch::elementary::{
    Contact, Decision, EdgeEdge, Limits, Verdict, VertexFace, edge_edge, edge_edge_batch, vertex_face,
    vertex_face_batch,
};
use glam::{DVec3, dvec3};

use generator::{FAMILIES, Family, Random};
use oracle::polynomial::Dyadic;
use oracle::root::Root;
use oracle::separation::Separation;
use oracle::{FirstContact, Kind, Query, first_contact};

/// The largest earliness of a `toi` if the contact is a simple root: 8 ulps of 1.
const SIMPLE_EARLY: f64 = 8.0 * f64::EPSILON;
/// The largest earliness of a `toi` in any case.
const ANY_EARLY: f64 = 1e-9;
/// The upper ends of the statistics' classes of earliness.
const EARLY_CLASSES: [f64; 7] = [
    0.0,
    f64::EPSILON / 2.0,
    f64::EPSILON,
    2.0 * f64::EPSILON,
    SIMPLE_EARLY,
    1024.0 * f64::EPSILON,
    ANY_EARLY,
];

#[test]
fn vertex_face_is_exact() {
    all_families(Kind::VertexFace);
}

#[test]
fn edge_edge_is_exact() {
    all_families(Kind::EdgeEdge);
}

fn all_families(kind: Kind) {
    let total: usize = FAMILIES.iter().map(|family| family.count).sum();
    assert!(total >= 1_000_000, "only {total} queries");
    let tallies = in_parallel(
        |family| family.count,
        |family, random, count, tally| {
            let queries = family.draw_many(kind, random, count);
            let params = Limits::default();
            let batch = decide_all(&queries, &params);
            for (i, (query, in_batch)) in queries.iter().zip(&batch).enumerate() {
                let exact = first_contact(query);
                let decision = decide(query, &params);
                tally.queries += 1;
                tally.hits += usize::from(exact.is_some());
                if bits(&decision) != bits(in_batch) {
                    tally.fail(query, &params, "the batch differs from the scalar", in_batch);
                }
                judge(query, &params, &decision, exact.as_ref(), tally);
                if i % 8 == 0 {
                    early_ends(query, &decision, exact.as_ref(), random, tally);
                }
            }
        },
    );
    for (family, tally) in &tallies {
        let (low, high) = family.hit_rate;
        let rate = tally.hits as f64 / tally.queries as f64;
        assert!((low..=high).contains(&rate), "{}: {:.1} % touch", family.name, 100.0 * rate);
    }
    report(&format!("{kind:?}"), tallies);
}

/// Queries worth keeping, each the smallest of its kind, and queries that failed once.
#[test]
fn regressions() {
    let (x, y, z, o) = (DVec3::X, DVec3::Y, DVec3::Z, DVec3::ZERO);
    let resting = |kind, points| Query { kind, t0: points, t1: points };
    let cases = [
        // Everything in one point; a resting vertex on a corner, and a resting end on an end.
        resting(Kind::VertexFace, [o; 4]),
        resting(Kind::EdgeEdge, [o; 4]),
        resting(Kind::VertexFace, [x, x, y, z]),
        resting(Kind::EdgeEdge, [o, x, x, y]),
        // One ulp away: no contact.
        resting(Kind::VertexFace, [x * 1f64.next_up(), x, y, z]),
        resting(Kind::EdgeEdge, [o, x, x * 1f64.next_up(), y]),
        // The face turns inside out through a segment while the vertex waits beyond its end.
        Query { kind: Kind::VertexFace, t0: [x * 3.0, o, x, y], t1: [x * 3.0, o, x, -y] },
        // The edges pass through the same line end to end, apart by 2^-1074.
        Query { kind: Kind::EdgeEdge, t0: [-x, o, z + x, x * 5e-324], t1: [-x, o, x - z, x * 5e-324] },
        // The first contact is at t = 1.1e-162: no interval of a fixed width distinguishes it from t = 0.
        Query {
            kind: Kind::EdgeEdge,
            t0: [dvec3(-3.0, 3.0, 0.0), dvec3(-5e-324, 0.0, 0.0), dvec3(3.0, -9.0, 0.0), o],
            t1: [dvec3(-6.0, 3.0, -9.0), o, dvec3(-4.0, 6.0, 0.0), dvec3(-4.0, 12.0, 0.0)],
        },
    ];
    let mut tally = Tally::default();
    for query in &cases {
        let params = Limits::default();
        let exact = first_contact(query);
        let decision = decide(query, &params);
        judge(query, &params, &decision, exact.as_ref(), &mut tally);
        early_ends(query, &decision, exact.as_ref(), &mut Random::new(1), &mut tally);
    }
    assert_eq!(tally.failures, 0, "{}", tally.examples.join("\n"));
}

/// Checks the same query for steps that end at a random time and at the f64s around the contact.
fn early_ends(
    query: &Query,
    decision: &Decision,
    exact: Option<&FirstContact>,
    random: &mut Random,
    tally: &mut Tally,
) {
    let mut ends = vec![random.float(0.0, 1.0), 0.5];
    if let Verdict::Touch(contact) = &decision.outcome {
        let mut end = contact.toi.next_down().next_down();
        for _ in 0..8 {
            ends.push(end);
            end = end.next_up();
        }
    }
    for t_max in ends.into_iter().filter(|&t| t > 0.0 && t <= 1.0) {
        let params = Limits::default().within(0.0, t_max).unwrap();
        let in_time = exact.filter(|first| first.time.compare(&Dyadic::from_f64(t_max)).is_le());
        judge(query, &params, &decide(query, &params), in_time, tally);
        tally.early_ends += 1;
    }
}

/// Checks one decision against the exact first contact in `[0, t_max]`.
fn judge(
    query: &Query,
    params: &Limits,
    decision: &Decision,
    exact: Option<&FirstContact>,
    tally: &mut Tally,
) {
    match (&decision.outcome, exact) {
        (Verdict::Free, None) => {}
        (Verdict::Free, Some(_)) => tally.fail(query, params, "FALSE NEGATIVE", decision),
        (Verdict::Touch(_), None) => tally.fail(query, params, "FALSE POSITIVE", decision),
        (Verdict::Undecided { .. }, _) => tally.fail(query, params, "undecided", decision),
        (Verdict::Touch(contact), Some(first)) => {
            if let Err(what) = judge_contact(query, params, contact, first, tally) {
                tally.fail(query, params, &what, decision);
            }
        }
    }
}

fn judge_contact(
    query: &Query,
    params: &Limits,
    contact: &Contact,
    first: &FirstContact,
    tally: &mut Tally,
) -> Result<(), String> {
    let toi = contact.toi;
    if !(toi >= 0.0 && toi <= params.t_end()) {
        return Err(format!("toi {toi:?} is out of range"));
    }
    if !contact.toi_upper.is_finite() || first.time.compare(&Dyadic::from_f64(contact.toi_upper)).is_gt() {
        return Err(format!("toi_upper {:?} is before the contact", contact.toi_upper));
    }
    let start = Dyadic::from_f64(toi);
    if first.time.compare(&start).is_lt() {
        return Err(format!("LATE: toi {toi:?} is after the contact"));
    }
    let early_by_at_most = |by: &f64| first.time.compare(&start.add(&Dyadic::from_f64(*by))).is_le();
    let Some(class) = EARLY_CLASSES.iter().position(early_by_at_most) else {
        return Err(format!("toi {toi:?} is early by more than {ANY_EARLY:e}"));
    };
    if first.simple && EARLY_CLASSES[class] > SIMPLE_EARLY {
        return Err(format!("toi {toi:?} is early by more than 8 ulps of 1 at a simple root"));
    }
    tally.early[usize::from(!first.simple)][class] += 1;
    let widest = &mut tally.widest[usize::from(!first.simple)];
    *widest = widest.max(contact.toi_upper - toi);
    if !is_unit(contact.normal) {
        return Err(format!("the normal {:?} is not of unit length", contact.normal));
    }
    contact_is_on_both(query, contact)
}

/// Returns true if the length is 1 up to rounding, and false for NaN.
fn is_unit(normal: DVec3) -> bool {
    (1.0 - 1e-12..=1.0 + 1e-12).contains(&normal.length())
}

/// Checks the point against both features at `toi`, in f64.
///
/// Coordinates are at most `scale`, so velocities are at most 2 scale. Within the 1e-9 that `toi` may be early, a point
/// moves by less than 4e-9 scale, so 1e-8 scale leaves room for both sides and for rounding.
fn contact_is_on_both(query: &Query, contact: &Contact) -> Result<(), String> {
    let scale = query.t0.iter().chain(&query.t1).map(|p| p.abs().max_element()).fold(0.0, f64::max);
    if !contact.point.is_finite() || !contact.parameters.iter().all(|p| p.is_finite()) {
        return Err(format!("{contact:?} is not finite"));
    }
    // Beyond this size the products in this check itself overflow.
    if scale > 1e150 {
        return Ok(());
    }
    let p: [DVec3; 4] = std::array::from_fn(|i| query.t0[i] + (query.t1[i] - query.t0[i]) * contact.toi);
    let [b0, b1, b2] = contact.parameters;
    let (points, inside) = match query.kind {
        // Barycentric coordinates of f0, f1, f2.
        Kind::VertexFace => {
            let weights_are_right = (b0 + b1 + b2 - 1.0).abs() <= 1e-9 && b0.min(b1).min(b2) >= -1e-9;
            ([p[0], p[1] * b0 + p[2] * b1 + p[3] * b2], weights_are_right)
        }
        // The positions on the first edge and on the second, from 0 at ea0 and eb0 to 1 at ea1 and eb1.
        Kind::EdgeEdge => {
            let points = [p[0] + (p[1] - p[0]) * b0, p[2] + (p[3] - p[2]) * b1];
            (points, b0.min(b1) >= -1e-9 && b0.max(b1) <= 1.0 + 1e-9)
        }
    };
    if !inside {
        return Err(format!("the parameters {:?} are outside", contact.parameters));
    }
    for on_feature in points {
        // Both sides scaled down first: the square of a large distance overflows, that of a small one vanishes.
        let off = ((contact.point - on_feature) / scale.max(f64::MIN_POSITIVE)).length();
        if !(0.0..=1e-8).contains(&off) {
            return Err(format!("the point is off its feature by {off:e} of the largest coordinate"));
        }
    }
    Ok(())
}

#[test]
fn vertex_face_keeps_the_separation() {
    separated_families(Kind::VertexFace);
}

#[test]
fn edge_edge_keeps_the_separation() {
    separated_families(Kind::EdgeEdge);
}

/// With a minimum separation d, 50,000 queries of each kind:
/// - free means never closer than d; `toi` and `free_until` are not after the first time of being closer;
/// - at `toi` the distance is at most d and the tolerance.
///
/// A pair that only grazes the distance d exactly may get either answer, so a contradiction to "within d" is checked
/// again with the oracle as "within d (1 - 2^-45)". The gap may exceed d and the tolerance by the rounding of the
/// positions.
fn separated_families(kind: Kind) {
    let quota = |family: &Family| if family.of_moderate_scale() { 4_200 } else { 0 };
    let tallies = in_parallel(quota, |family, random, count, tally| {
        // In units of 2^-10: short numbers keep the oracle fast.
        let small = ["simulation steps"].contains(&family.name);
        let distances = if small { [0.125, 1.0, 2.0] } else { [1.0, 128.0, 512.0] };
        for query in family.draw_many(kind, random, count) {
            let min_separation = random.pick(&distances) / 1024.0;
            let tolerance = random.pick(&[1e-6, 1e-6, 1e-4]);
            let params = Limits::new(&Options { min_separation, tolerance, ..Options::default() }).unwrap();
            let decision = decide(&query, &params);
            let closer = Separation::new(&query, min_separation).first();
            tally.queries += 1;
            tally.hits += usize::from(closer.is_some());
            // Free up to this time; always for the answer `Free`.
            let proven = match &decision.outcome {
                Verdict::Free => f64::INFINITY,
                Verdict::Touch(contact) => contact.toi,
                Verdict::Undecided { free_until } => *free_until,
            };
            let violates =
                |first: &Root| proven == f64::INFINITY || first.compare(&Dyadic::from_f64(proven)).is_lt();
            if closer.as_ref().is_some_and(violates) {
                let really_closer = Separation::new(&query, min_separation * (1.0 - 2f64.powi(-45)));
                if really_closer.first().as_ref().is_some_and(violates) {
                    tally.fail(&query, &params, "FALSE NEGATIVE or LATE", &decision);
                }
            }
            match &decision.outcome {
                Verdict::Free => {}
                Verdict::Undecided { .. } => tally.undecided += 1,
                Verdict::Touch(contact) if !(contact.toi >= 0.0 && contact.toi <= params.t_end()) => {
                    tally.fail(&query, &params, "toi is out of range", &decision);
                }
                Verdict::Touch(contact) => {
                    let scale = query.t0.iter().chain(&query.t1).map(|p| p.abs().max_element());
                    let rounding = 1e-13 * scale.fold(0.0, f64::max);
                    let gap = (min_separation + tolerance) * (1.0 + 1e-12) + rounding;
                    if !Separation::new(&query, gap).within(&Dyadic::from_f64(contact.toi)) {
                        tally.fail(&query, &params, "the gap at toi is too large", &decision);
                    }
                    if !is_unit(contact.normal) {
                        tally.fail(&query, &params, "the normal is not of unit length", &decision);
                    }
                }
            }
        }
    });
    let all = report(&format!("{kind:?} with a separation"), tallies);
    assert!(all.undecided * 100 <= all.queries, "{} of {} are undecided", all.undecided, all.queries);
    let rate = all.hits as f64 / all.queries as f64;
    assert!((0.2..=0.8).contains(&rate), "{:.1} % closer", 100.0 * rate);
}

fn decide(query: &Query, params: &Limits) -> Decision {
    match query.kind {
        Kind::VertexFace => vertex_face(&as_vertex_face(query), params),
        Kind::EdgeEdge => edge_edge(&as_edge_edge(query), params),
    }
}

/// Runs queries of one kind through the batch form.
fn decide_all(queries: &[Query], params: &Limits) -> Vec<Decision> {
    let mut decisions = Vec::new();
    match queries[0].kind {
        Kind::VertexFace => {
            vertex_face_batch(
                &queries.iter().map(as_vertex_face).collect::<Vec<_>>(),
                params,
                &mut decisions,
            );
        }
        Kind::EdgeEdge => {
            edge_edge_batch(&queries.iter().map(as_edge_edge).collect::<Vec<_>>(), params, &mut decisions);
        }
    }
    assert_eq!(decisions.len(), queries.len());
    decisions
}

fn as_vertex_face(query: &Query) -> VertexFace {
    VertexFace::new(query.t0, query.t1).expect("finite coordinates")
}

fn as_edge_edge(query: &Query) -> EdgeEdge {
    EdgeEdge::new(query.t0, query.t1).expect("finite coordinates")
}

/// Returns the outcome as numbers that are equal only if it is the same to the last bit.
fn bits(decision: &Decision) -> Vec<u64> {
    match &decision.outcome {
        Verdict::Free => vec![0],
        Verdict::Undecided { free_until } => vec![1, free_until.to_bits()],
        Verdict::Touch(c) => {
            let numbers = [c.toi, c.toi_upper].into_iter().chain(c.parameters);
            numbers.chain(c.point.to_array()).chain(c.normal.to_array()).map(f64::to_bits).collect()
        }
    }
}

/// The results for one family.
#[derive(Default)]
struct Tally {
    queries: usize,
    hits: usize,
    early_ends: usize,
    undecided: usize,
    /// Contacts by how early `toi` is, at simple roots and at others.
    early: [[usize; EARLY_CLASSES.len()]; 2],
    /// The largest `toi_upper - toi`, at simple roots and at others.
    widest: [f64; 2],
    failures: usize,
    /// The first few failures in words.
    examples: Vec<String>,
}

impl Tally {
    fn fail(&mut self, query: &Query, params: &Limits, what: &str, decision: &Decision) {
        self.failures += 1;
        if self.examples.len() < 2 {
            self.examples.push(format!("{what} ({params:?}):\n    {query}\n    {:?}", decision.outcome));
        }
    }

    fn add(&mut self, other: Tally) {
        self.queries += other.queries;
        self.hits += other.hits;
        self.early_ends += other.early_ends;
        self.undecided += other.undecided;
        for (mine, theirs) in self.early.as_flattened_mut().iter_mut().zip(other.early.as_flattened()) {
            *mine += theirs;
        }
        for (mine, theirs) in self.widest.iter_mut().zip(other.widest) {
            *mine = mine.max(theirs);
        }
        self.failures += other.failures;
        self.examples.extend(other.examples);
    }
}

/// Does the work of all families in chunks, each with its own seed, so that the queries do not depend on the number
/// of threads.
fn in_parallel(
    quota: impl Fn(&Family) -> usize,
    work: impl Fn(&Family, &mut Random, usize, &mut Tally) + Sync,
) -> Vec<(&'static Family, Tally)> {
    const CHUNK: usize = 500;
    let chunks: Vec<(usize, usize, usize)> = FAMILIES
        .iter()
        .enumerate()
        .flat_map(|(f, family)| {
            let quota = quota(family);
            (0..quota.div_ceil(CHUNK)).map(move |c| (f, c, CHUNK.min(quota - c * CHUNK)))
        })
        .collect();
    let tallies: Vec<Mutex<Tally>> = FAMILIES.iter().map(|_| Mutex::default()).collect();
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(&(f, chunk, count)) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut random = Random::new(((f as u64) << 32) + chunk as u64);
                    let mut tally = Tally::default();
                    work(&FAMILIES[f], &mut random, count, &mut tally);
                    tallies[f].lock().expect("no panic in a worker").add(tally);
                }
            });
        }
    });
    FAMILIES
        .iter()
        .zip(tallies.into_iter().map(|tally| tally.into_inner().expect("no panic in a worker")))
        .filter(|(_, tally)| tally.queries > 0)
        .collect()
}

/// Prints the statistics, asserts that nothing failed, and returns the sum.
fn report(title: &str, tallies: Vec<(&'static Family, Tally)>) -> Tally {
    println!("{title}");
    for (family, tally) in &tallies {
        let rate = tally.hits as f64 / tally.queries as f64;
        println!(
            "  {:28} {:7} queries, {:4.1} % touch, {:6} early ends, {} undecided, {} failures",
            family.name,
            tally.queries,
            100.0 * rate,
            tally.early_ends,
            tally.undecided,
            tally.failures
        );
    }
    let mut all = Tally::default();
    for (family, mut tally) in tallies {
        tally.examples = tally.examples.iter().take(3).map(|e| format!("{}: {e}", family.name)).collect();
        all.add(tally);
    }
    for (name, early, widest) in
        [("simple roots", all.early[0], all.widest[0]), ("other contacts", all.early[1], all.widest[1])]
    {
        if early.iter().sum::<usize>() > 0 {
            let classes: Vec<_> =
                EARLY_CLASSES.iter().zip(early).map(|(class, n)| format!("<= {class:.1e}: {n}")).collect();
            println!("  {name}: early by {}; toi_upper - toi <= {widest:.1e}", classes.join(", "));
        }
    }
    assert!(
        all.failures == 0,
        "{title}: {} failures in {} queries\n{}",
        all.failures,
        all.queries,
        all.examples.join("\n")
    );
    all
}
