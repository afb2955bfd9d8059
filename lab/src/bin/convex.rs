//! Measures two convex solids, both moving and turning: time per query, beside parry3d-f64's `cast_shapes_nonlinear` on
//! the same pairs in the same run.
//!
//! ```text
//! cargo run --release -p firsttouch-lab --features peers --bin convex [PAIRS] [NAME|all] [alone]
//! ```
//!
//! With `alone` parry is left out, for a profiler. Each query runs several times in both libraries, and the shortest
//! time counts; a first pass over all pairs warms the caches. The hash covers every answer, bit for bit, so a faster
//! wrong answer is noticed. A hit of parry counts as late, and an answer without a hit as a miss, if parry's own
//! intersection test finds the two overlapping earlier, at one of 400 sampled times.

use std::hint::black_box;
use std::time::Instant;

use firsttouch::motion::{Motion, Pose};
use firsttouch::narrow::{Subject, first_touch};
use firsttouch::pair::Limits;
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Shape, Sphere};
use firsttouch::tree::TreeStats;
use firsttouch::{Answer, Body};
use glam::{DQuat, DVec3};
use parry3d_f64::math as parry_math;
use parry3d_f64::query::{NonlinearRigidMotion, cast_shapes_nonlinear, intersection_test};
use parry3d_f64::shape as parry_shape;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let pairs = arguments.next().map_or(2000, |n| n.parse().expect("the number of pairs"));
    let only = arguments.next().filter(|name| name != "all");
    let alone = arguments.next().is_some();
    println!(
        "{:22} {:5} {:>6} {:>8} {:>8} {:>6} {:>10} {:>7} {:>6} {:>5}  hash",
        "pair", "", "pairs", "mean ns", "median", "steps", "parry mean", "ratio", "misses", "late"
    );
    for (name, a, b) in SCENES {
        if only.as_ref().is_none_or(|only| *only == name) {
            run(name, [a, b], pairs, alone);
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Box,
    Sphere,
    Capsule,
    Cylinder,
    Ellipsoid,
    Hull(usize),
}

const SCENES: [(&str, Kind, Kind); 8] = [
    ("box/box", Kind::Box, Kind::Box),
    ("capsule/capsule", Kind::Capsule, Kind::Capsule),
    ("sphere/sphere", Kind::Sphere, Kind::Sphere),
    ("box/capsule", Kind::Box, Kind::Capsule),
    ("cylinder/cylinder", Kind::Cylinder, Kind::Cylinder),
    ("cylinder/ellipsoid", Kind::Cylinder, Kind::Ellipsoid),
    ("hull 32/hull 32", Kind::Hull(32), Kind::Hull(32)),
    ("hull 128/hull 128", Kind::Hull(128), Kind::Hull(128)),
];

/// One solid in motion, for both libraries. Parry has no ellipsoid.
struct MovingSolid {
    body: Body,
    parry: Option<(parry_shape::SharedShape, NonlinearRigidMotion)>,
}

fn run(name: &str, kinds: [Kind; 2], pairs: usize, alone: bool) {
    let mut draw = SplitMix64(7);
    let pairs: Vec<[MovingSolid; 2]> = (0..pairs).map(|_| pair(kinds, &mut draw)).collect();
    let ask = |[a, b]: &[MovingSolid; 2], iterations: &mut u64| {
        let mut work = TreeStats::default();
        let pair = [a, b].map(|mover| {
            let (shape, motion) = mover.body.as_rigid().expect("all of them are rigid");
            Subject::Rigid { shape, motion }
        });
        let found = first_touch(&[pair], &Limits::DEFAULT, false, &mut work);
        *iterations += work.iterations;
        found.verdict.answer([0, 1])
    };
    let answers: Vec<Answer> = pairs.iter().map(|pair| ask(pair, &mut 0)).collect();
    // Hits and misses separately.
    for (label, hit) in [("hit", true), ("free", false)] {
        let chosen: Vec<(&[MovingSolid; 2], &Answer)> =
            pairs.iter().zip(&answers).filter(|(_, answer)| answer.touch().is_some() == hit).collect();
        let mut iterations = 0;
        let mut times: Vec<f64> = chosen
            .iter()
            .map(|(pair, _)| {
                // The shortest of three times: other work on the machine only adds time.
                (0..3)
                    .map(|_| {
                        let start = Instant::now();
                        for _ in 0..REPEAT {
                            black_box(ask(black_box(pair), &mut iterations));
                        }
                        start.elapsed().as_nanos() as f64 / f64::from(REPEAT)
                    })
                    .fold(f64::INFINITY, f64::min)
            })
            .collect();
        let steps = iterations as f64 / f64::from(3 * REPEAT) / times.len() as f64;
        let (mut misses, mut late) = (0, 0);
        let parry: Vec<f64> = chosen
            .iter()
            .filter(|_| !alone)
            .filter_map(|(pair, _)| time_parry(pair, &mut misses, &mut late))
            .collect();
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        times.sort_by(f64::total_cmp);
        let median = times[times.len() / 2];
        let hash = chosen.iter().fold(0, |hash, (_, answer)| mix(hash, answer));
        print!("{name:22} {label:5} {:6} {mean:8.0} {median:8.0} {steps:6.2} ", chosen.len());
        if parry.is_empty() {
            print!("{:>10} {:>7} {:>6} {:>5}", "-", "-", "-", "-");
        } else {
            let theirs = parry.iter().sum::<f64>() / parry.len() as f64;
            print!("{theirs:10.0} {:7.1} {misses:6} {late:5}", theirs / mean);
        }
        println!("  {hash:016x}");
    }
}

/// The number of queries of a pair that make one measured time.
const REPEAT: u32 = 4;

/// Returns parry's time in nanoseconds, the shortest of three. Counts its misses and late hits.
fn time_parry([a, b]: &[MovingSolid; 2], misses: &mut u32, late: &mut u32) -> Option<f64> {
    let ((shape_a, motion_a), (shape_b, motion_b)) = (a.parry.as_ref()?, b.parry.as_ref()?);
    let ask = || cast_shapes_nonlinear(motion_a, &**shape_a, motion_b, &**shape_b, 0.0, 1.0, true);
    let hit = black_box(ask()).ok()?;
    let time = (0..3)
        .map(|_| {
            let start = Instant::now();
            let _ = black_box(ask());
            start.elapsed().as_nanos() as f64
        })
        .fold(f64::INFINITY, f64::min);
    let end = hit.map_or(1.0, |hit| hit.time_of_impact - 1e-6);
    let overlap = end > 0.0
        && (0..400).any(|i| {
            let t = end * f64::from(i) / 400.0;
            let (at_a, at_b) = (motion_a.position_at_time(t), motion_b.position_at_time(t));
            intersection_test(&at_a, &**shape_a, &at_b, &**shape_b).is_ok_and(|found| found.intersecting)
        });
    *misses += u32::from(overlap && hit.is_none());
    *late += u32::from(overlap && hit.is_some());
    Some(time)
}

/// Sizes go from 0.1 to 1; the two fly past each other at up to 1.3 times the sum of their radii, and turn by up to
/// half a turn.
fn pair(kinds: [Kind; 2], draw: &mut SplitMix64) -> [MovingSolid; 2] {
    let solids = kinds.map(|kind| solid(kind, draw));
    let radii = solids.each_ref().map(|(shape, _)| shape.bounds().1.length());
    let when = draw.range(0.2, 1.0);
    let apart = draw.direction() * (radii[0] + radii[1]) * draw.range(0.0, 1.3);
    let mut meeting = [DVec3::ZERO, apart].into_iter();
    solids.map(|(shape, parry)| {
        let velocity = draw.direction() * draw.range(1.0, 4.0);
        let from = meeting.next().unwrap_or_default() - velocity * when;
        let turn = DQuat::from_axis_angle(draw.direction(), draw.range(0.0, 3.0));
        let spin = draw.direction() * draw.range(0.1, 3.0);
        let to = DQuat::from_scaled_axis(spin) * turn;
        let poses = [(from, turn), (from + velocity, to)];
        let [start, end] = poses.map(|(at, turn)| Pose::new(at, turn).expect("finite"));
        let parry = parry.map(|(shape, local)| {
            let rotation = turn * local;
            let vector = |v: DVec3| parry_math::Vector::new(v.x, v.y, v.z);
            let start = parry_math::Pose::from_parts(
                vector(from),
                parry_math::Rotation::from_xyzw(rotation.x, rotation.y, rotation.z, rotation.w),
            );
            (
                shape,
                NonlinearRigidMotion::new(start, parry_math::Vector::ZERO, vector(velocity), vector(spin)),
            )
        });
        MovingSolid { body: Body::new("", shape, Motion::linear(start, end)), parry }
    })
}

/// Returns a solid of a kind, in both libraries, with the rotation that takes parry's axis to ours.
fn solid(kind: Kind, draw: &mut SplitMix64) -> (Shape, Option<(parry_shape::SharedShape, DQuat)>) {
    let mut size = || 10.0_f64.powf(draw.range(-1.0, 0.0));
    const VALID: &str = "sizes are positive";
    use parry_shape::SharedShape as Parry;
    match kind {
        Kind::Box => {
            let half = DVec3::new(size(), size(), size());
            let parry = Parry::cuboid(half.x, half.y, half.z);
            (Cuboid::new(2.0 * half).expect(VALID).into(), Some((parry, DQuat::IDENTITY)))
        }
        Kind::Sphere => {
            let radius = size();
            (Sphere::new(radius).expect(VALID).into(), Some((Parry::ball(radius), DQuat::IDENTITY)))
        }
        Kind::Capsule => {
            let (radius, half) = (size(), size());
            let parry = Parry::capsule_z(half, radius);
            (Capsule::new(radius, 2.0 * half).expect(VALID).into(), Some((parry, DQuat::IDENTITY)))
        }
        Kind::Cylinder => {
            let (radius, half) = (size(), size());
            let y_to_z = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
            let parry = Parry::cylinder(half, radius);
            (Cylinder::new(radius, 2.0 * half).expect(VALID).into(), Some((parry, y_to_z)))
        }
        Kind::Ellipsoid => (Ellipsoid::new(DVec3::new(size(), size(), size())).expect(VALID).into(), None),
        Kind::Hull(count) => {
            let stretch = DVec3::new(size(), size(), size());
            let points: Vec<DVec3> = (0..count).map(|_| draw.direction() * stretch).collect();
            let theirs: Vec<_> = points.iter().map(|p| parry_math::Vector::new(p.x, p.y, p.z)).collect();
            let parry = Parry::convex_hull(&theirs).map(|shape| (shape, DQuat::IDENTITY));
            (Hull::new(&points).expect(VALID).into(), parry)
        }
    }
}

/// Adds an answer to a hash (FNV-1a over its bits).
fn mix(mut hash: u64, answer: &Answer) -> u64 {
    let (kind, values) = match answer {
        Answer::Free => (0, [0.0; 2]),
        Answer::Touch(touch) => (1, [touch.toi, touch.gap]),
        Answer::TouchingAtStart(touch) => (2, [touch.toi, touch.gap]),
        Answer::Undecided { free_until, .. } => (3, [*free_until, 0.0]),
    };
    for word in [kind, values[0].to_bits(), values[1].to_bits()] {
        hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// SplitMix64.
struct SplitMix64(u64);

impl SplitMix64 {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * (((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }
}
