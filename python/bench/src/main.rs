//! The same inputs as `overhead.py`, in Rust: `bar faces FILE`, `bar pairs FILE` (of edges),
//! `bar edges URDF SRDF FILE THREADS`, `bar balls`. Prints the least time of 30 runs (of 15 for edges) in microseconds
//! per call, row or edge.

use std::time::Instant;

use firsttouch::articulated::Checker;
use firsttouch::elementary::{Decision, EdgeEdge, Limits, VertexFace, edge_edge_batch, vertex_face_batch};
use firsttouch::glam::DVec3;
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Shape, Sphere};
use firsttouch::{Body, Mode, Options, first_touch};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["faces", file] => rows(&numbers(file)?, VertexFace::new, vertex_face_batch),
        ["pairs", file] => rows(&numbers(file)?, EdgeEdge::new, edge_edge_batch),
        ["edges", urdf, srdf, file, threads] => edges(urdf, srdf, &numbers(file)?, threads.parse()?),
        ["balls"] => balls(),
        _ => Err("faces FILE, pairs FILE, edges URDF SRDF FILE THREADS, or balls".into()),
    }
}

fn numbers(file: &str) -> Result<Vec<f64>, Failure> {
    let bytes = std::fs::read(file)?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect())
}

fn least(repeats: usize, per: usize, mut work: impl FnMut()) {
    let mut least = f64::INFINITY;
    for _ in 0..repeats {
        let begin = Instant::now();
        work();
        least = least.min(begin.elapsed().as_secs_f64());
    }
    println!("{}", least * 1e6 / per as f64);
}

/// Eight arrays of points, one after the other.
fn rows<Q>(
    numbers: &[f64],
    new: fn([DVec3; 4], [DVec3; 4]) -> firsttouch::Result<Q>,
    decide: fn(&[Q], &Limits, &mut Vec<Decision>),
) -> Result<(), Failure> {
    let points: Vec<DVec3> = numbers.as_chunks::<3>().0.iter().map(|&p| DVec3::from_array(p)).collect();
    let n = points.len() / 8;
    let at = |k: usize, row: usize| points[k * n + row];
    let query = |row| new([0, 1, 2, 3].map(|k| at(k, row)), [4, 5, 6, 7].map(|k| at(k, row)));
    let queries = (0..n).map(query).collect::<Result<Vec<_>, _>>()?;
    let mut decisions = Vec::new();
    least(30, n, || decide(&queries, &Limits::default(), &mut decisions));
    Ok(())
}

/// The first ends of all edges, then the second ones; in the room of `overhead.py`.
fn edges(urdf: &str, srdf: &str, numbers: &[f64], threads: usize) -> Result<(), Failure> {
    let (robot, _) = firsttouch_io::read_robot(urdf.as_ref(), Some(srdf.as_ref()))?;
    let dof = robot.variables().len();
    let at = Pose::from_translation(DVec3::new(0.5, 0.45, 0.6))?;
    let block = Body::new("block", Cuboid::new(DVec3::new(0.3, 0.3, 0.3))?, Motion::fixed(at));
    let checker = Checker::new(robot, Pose::IDENTITY, vec![block])?;
    let n = numbers.len() / (2 * dof);
    let (first, second) = numbers.split_at(n * dof);
    let edges: Vec<[&[f64]; 2]> = first.chunks(dof).zip(second.chunks(dof)).map(|(a, b)| [a, b]).collect();
    let options = Options { mode: Mode::Any, threads, ..Options::default() };
    let mut failed = None;
    least(15, n, || failed = checker.check_motions(&edges, &options).err());
    failed.map_or(Ok(()), |error| Err(error.into()))
}

fn balls() -> Result<(), Failure> {
    let at = |x: f64| Pose::from_translation(DVec3::X * x);
    let ball: Shape = Sphere::new(1.0)?.into();
    let (moving, resting) = (Motion::linear(at(-9.0)?, at(-5.0)?), Motion::AT_REST);
    let options = Options::default();
    let mut free = 0;
    least(30, 2000, || {
        for _ in 0..2000 {
            free += usize::from(first_touch((&ball, &moving), (&ball, &resting), &options).is_ok());
        }
    });
    assert!(free > 0, "the calls are made");
    Ok(())
}
