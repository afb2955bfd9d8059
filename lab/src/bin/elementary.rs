//! Measures vertex/face and edge/edge queries: time per query, the share decided by each stage, and a hash of the
//! answers.
//!
//! `cargo run --release -p firsttouch-lab --bin elementary [FOLDER]` reads the query sets below FOLDER (by default
//! those shared with the checkout), adds generated ones, and ends with the rejection of pairs that never come near.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use firsttouch::elementary::*;
use glam::{DVec3, dvec3};

fn main() {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/queries");
    let root = std::env::args().nth(1).map_or(default, PathBuf::from);
    println!(
        "{:<44} {:>7} {:>7} {:>8} {:>8} {:>9}  {:>6} {:>6} {:>6} {:>6}  hash",
        "set", "queries", "touch", "mean ns", "median", "99.9 %", "axes", "bern", "float", "exact"
    );
    let mut sets: Vec<PathBuf> = std::fs::read_dir(&root)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    sets.sort();
    for set in sets {
        let name = set.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        for kind in ["vertex-face", "edge-edge"] {
            let queries = read_folder(&set.join(kind));
            report(&format!("{name} {kind}"), kind, &queries);
        }
    }
    let made = [
        ("generated crossing", generated(20_000, 2.0)),
        ("generated grid", grid(20_000)),
        ("generated aimed at an edge", aimed(20_000)),
        ("generated nearly flat", changed(20_000, |p, _| p.z *= 1e-15)),
        ("generated flat", changed(20_000, |p, _| p.z = 0.0)),
        ("generated far offset", changed(20_000, |p, _| *p += DVec3::splat(2f64.powi(46)))),
        ("generated wide exponents", changed(2_000, |p, i| *p *= 10f64.powi(-(i as i32) * 9))),
    ];
    for (name, queries) in made {
        for kind in ["vertex-face", "edge-edge"] {
            report(&format!("{name} {kind}"), kind, &queries);
        }
    }
    far_apart();
}

type Query = ([DVec3; 4], [DVec3; 4]);

fn report(name: &str, kind: &str, queries: &[Query]) {
    if queries.is_empty() {
        return;
    }
    if kind == "vertex-face" {
        let q: Vec<VertexFace> = queries.iter().map(|q| VertexFace::new(q.0, q.1).expect("finite")).collect();
        measure(name, &q, vertex_face);
    } else {
        let q: Vec<EdgeEdge> = queries.iter().map(|q| EdgeEdge::new(q.0, q.1).expect("finite")).collect();
        measure(name, &q, edge_edge);
    }
}

fn measure<Q>(name: &str, queries: &[Q], decide: fn(&Q, &Limits) -> Decision) {
    let params = Limits::default();
    // The shortest of many runs over short chunks: a switch to another process disturbs only one run of one chunk.
    let mut total = 0.0;
    for chunk in queries.chunks(128) {
        let mut best = f64::INFINITY;
        for _ in 0..9 {
            let start = Instant::now();
            for q in chunk {
                black_box(decide(black_box(q), &params));
            }
            best = best.min(start.elapsed().as_nanos() as f64);
        }
        total += best;
    }
    let mean = total / queries.len() as f64;
    // One query at a time, the shortest of five runs each, so an interrupt is not counted.
    let mut single: Vec<u128> = queries
        .iter()
        .map(|q| {
            let once = || {
                let start = Instant::now();
                black_box(decide(black_box(q), &params));
                start.elapsed().as_nanos()
            };
            (0..5).map(|_| once()).min().unwrap_or(0)
        })
        .collect();
    single.sort_unstable();
    let mut hasher = DefaultHasher::new();
    let mut stages = [0usize; 5];
    let mut touches = 0;
    for q in queries {
        let decision = decide(q, &params);
        stages[decision.stage as usize] += 1;
        match decision.outcome {
            Verdict::Free => 0u64.hash(&mut hasher),
            Verdict::Touch(c) => {
                touches += 1;
                c.toi.to_bits().hash(&mut hasher);
            }
            Verdict::Undecided { free_until } => free_until.to_bits().hash(&mut hasher),
        }
    }
    let share = |i: usize| 100.0 * stages[i] as f64 / queries.len() as f64;
    println!(
        "{name:<44} {:>7} {touches:>7} {mean:>8.0} {:>8} {:>9}  {:>5.1}% {:>5.1}% {:>5.1}% {:>5.1}%  {:016x}",
        queries.len(),
        single[single.len() / 2],
        single[((single.len() - 1) as f64 * 0.999).ceil() as usize],
        share(0),
        share(1),
        share(2),
        share(3),
        hasher.finish()
    );
}

/// Measures pairs that never come near: the usual case in a simulation.
fn far_apart() {
    let mut random = Random(3);
    let queries: Vec<Query> = (0..4096)
        .map(|_| {
            let (near, far) = (random.point(1.0), random.point(1.0) + random.axis() * 4.0);
            let mut at = |_: usize| {
                let mut p = [near, far, far, far].map(|c| c + random.point(0.3));
                p[0] = near + random.point(0.3);
                p
            };
            (at(0), at(1))
        })
        .collect();
    let params = Limits::default();
    let mut out = Vec::new();
    let faces: Vec<VertexFace> = queries.iter().map(|q| VertexFace::new(q.0, q.1).expect("finite")).collect();
    let edges: Vec<EdgeEdge> = queries
        .iter()
        .map(|q| {
            let mut q = *q;
            (q.0[1], q.1[1]) = (q.0[0] + DVec3::splat(0.1), q.1[0] + DVec3::splat(0.1));
            EdgeEdge::new(q.0, q.1).expect("finite")
        })
        .collect();
    let mut time = |name: &str, run: &mut dyn FnMut(&mut Vec<Decision>)| {
        let mut best = f64::INFINITY;
        for _ in 0..200 {
            let start = Instant::now();
            run(&mut out);
            best = best.min(start.elapsed().as_nanos() as f64 / queries.len() as f64);
        }
        let free = out.iter().filter(|d| d.outcome == Verdict::Free).count();
        println!("far apart, {name}: {best:.1} ns a pair, {free} of {} free", queries.len());
    };
    time("vertex/face batch", &mut |out| vertex_face_batch(black_box(&faces), &params, out));
    time("vertex/face one by one", &mut |out| {
        out.clear();
        out.extend(black_box(&faces).iter().map(|q| vertex_face(q, &params)));
    });
    time("edge/edge batch", &mut |out| edge_edge_batch(black_box(&edges), &params, out));
    time("edge/edge one by one", &mut |out| {
        out.clear();
        out.extend(black_box(&edges).iter().map(|q| edge_edge(q, &params)));
    });
}

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / 2f64.powi(53)
    }
    fn axis(&mut self) -> DVec3 {
        DVec3::AXES[(self.unit() * 3.0) as usize]
    }
    fn point(&mut self, size: f64) -> DVec3 {
        dvec3(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * (2.0 * size)
    }
}

/// Returns random points in a box with random motions.
fn generated(n: usize, size: f64) -> Vec<Query> {
    let mut random = Random(1);
    (0..n).map(|_| ([0; 4].map(|_| random.point(size)), [0; 4].map(|_| random.point(size)))).collect()
}

/// Returns random points, each then changed by `change`, which also takes the point's index.
fn changed(n: usize, change: fn(&mut DVec3, usize)) -> Vec<Query> {
    let mut queries = generated(n, 1.0);
    for (t0, t1) in &mut queries {
        t0.iter_mut().chain(t1).enumerate().for_each(|(i, p)| change(p, i));
    }
    queries
}

/// Returns queries whose first point is aimed at the line through the next two, at a random time: contact depends on
/// the last bits.
fn aimed(n: usize) -> Vec<Query> {
    let mut random = Random(4);
    let mut queries = generated(n, 1.0);
    for (t0, t1) in &mut queries {
        let (s, t) = (random.unit(), random.unit());
        let (c, d) = (t0[1].lerp(t1[1], t), t0[2].lerp(t1[2], t));
        t1[0] = t0[0] + (c.lerp(d, s) - t0[0]) / t;
    }
    queries
}

/// Returns points with small integers as coordinates: very degenerate.
fn grid(n: usize) -> Vec<Query> {
    let mut random = Random(2);
    let mut point =
        || dvec3((random.unit() * 4.0).floor(), (random.unit() * 4.0).floor(), (random.unit() * 4.0).floor());
    (0..n).map(|_| ([0; 4].map(|_| point()), [0; 4].map(|_| point()))).collect()
}

fn read_folder(folder: &Path) -> Vec<Query> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "csv"))
        .collect();
    files.sort();
    let mut out = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        let rows: Vec<DVec3> = text
            .lines()
            .filter_map(|line| {
                let n: Vec<f64> = line.split(',').filter_map(|f| f.trim().parse().ok()).collect();
                (n.len() >= 6).then(|| dvec3(n[0] / n[1], n[2] / n[3], n[4] / n[5]))
            })
            .collect();
        out.extend(rows.chunks_exact(8).map(|r| ([r[0], r[1], r[2], r[3]], [r[4], r[5], r[6], r[7]])));
    }
    out
}
