//! Tables 1 and 2 of the 2009 paper on ellipsoids, theirs (Core 2 Duo, 2.4 GHz) and ours.

use std::hint::black_box;
use std::time::Instant;

use firsttouch::advancement::Limits;
use firsttouch::ellipsoid::{
    self, Directions, Equation, FirstContact, Group, GroupOutcome, GroupStats, MovingEllipsoid, Posed, Track,
};
use firsttouch::motion::{AffineInterpolant, Motion, Pose, Rational};
use firsttouch::shape::Ellipsoid;
use firsttouch_models::ellipsoids::{BOXING_FRAMES, arm, boxers, example_1, example_2};
use glam::{DQuat, DVec3};

const LIMITS: Limits =
    Limits { t_start: 0.0, t_end: 1.0, min_separation: 0.0, tolerance: 1e-6, max_iterations: 10_000 };

fn main() {
    stationary();
    boxing();
    robot();
    examples();
}

/// A number in `[0, 1)`, the same in every run.
fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// The least time of several runs, in nanoseconds.
fn least_time<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut least = f64::INFINITY;
    let mut result = None;
    for _ in 0..runs {
        let start = Instant::now();
        result = Some(black_box(work()));
        least = least.min(start.elapsed().as_nanos() as f64);
    }
    (least, result.expect("at least one run"))
}

fn stationary() {
    let mut state = 1;
    let mut pairs = Vec::new();
    for _ in 0..4096 {
        let mut one = |center: DVec3| {
            let axes = DVec3::new(0.2 + unit(&mut state), 0.2 + unit(&mut state), 0.2 + unit(&mut state));
            let q = [0; 4].map(|_| unit(&mut state) - 0.5);
            (Ellipsoid::new(axes).unwrap(), Pose::new(center, DQuat::from_array(q)).unwrap())
        };
        let (a, b) = (one(DVec3::ZERO), one(DVec3::X));
        // Close to contact: the balls inside and outside cannot tell.
        let distance = (a.0.semi_axes() + b.0.semi_axes()).element_sum() / 3.0;
        let b = (b.0, Pose::new(DVec3::X * distance, b.1.rotation()).unwrap());
        pairs.push((a, b));
    }
    let (time, counts) = least_time(20, || {
        let mut counts = [0_u32; 3];
        for (a, b) in black_box(&pairs) {
            counts[Posed::new(&a.0, &a.1).relation(&Posed::new(&b.0, &b.1)) as usize] += 1;
        }
        counts
    });
    println!("static test, close pairs: theirs 700 ns, ours {:.0} ns", time / pairs.len() as f64);
    println!("  (separate, touching, overlapping: {counts:?})\n");
}

fn boxing() {
    let frames: Vec<_> = (0..=BOXING_FRAMES).map(|frame| boxers(frame).unwrap()).collect();
    let group = |k: usize, side: usize| {
        Group::new(
            frames[k][side]
                .iter()
                .zip(&frames[k + 1][side])
                .map(|(from, to)| (from.0, Motion::rational(from.1, to.1))),
        )
    };
    let (time, (touching, stats)) = least_time(5, || {
        let (mut directions, mut stats) = (Directions::default(), GroupStats::default());
        let mut touching = 0;
        for k in 0..BOXING_FRAMES {
            let outcome = group(k, 0).first_touch(&group(k, 1), &LIMITS, &mut directions, &mut stats);
            touching += u32::from(matches!(outcome, GroupOutcome::Touch { .. }));
        }
        (touching, stats)
    });
    let frame = time / BOXING_FRAMES as f64;
    let (motions, ()) = least_time(5, || {
        for k in 0..BOXING_FRAMES {
            black_box((group(k, 0), group(k, 1)));
        }
    });

    // Every pair by itself: all that the balls and the directions leave, over all of [0, 1].
    let mut close = Vec::new();
    for k in 0..BOXING_FRAMES {
        for (from_a, to_a) in frames[k][0].iter().zip(&frames[k + 1][0]) {
            for (from_b, to_b) in frames[k][1].iter().zip(&frames[k + 1][1]) {
                let alone = |from: &(Ellipsoid, Pose), to: &(Ellipsoid, Pose)| {
                    Group::new([(from.0, Motion::rational(from.1, to.1))])
                };
                let mut stats = GroupStats::default();
                let (a, b) = (alone(from_a, to_a), alone(from_b, to_b));
                a.first_touch(&b, &LIMITS, &mut Directions::default(), &mut stats);
                if stats.equations == 1 {
                    close.push(((from_a.0, from_a.1, to_a.1), (from_b.0, from_b.1, to_b.1)));
                }
            }
        }
    }
    let (solve, hits) = least_time(20, || {
        close
            .iter()
            .filter(|(a, b)| {
                let track =
                    |m: &(Ellipsoid, Pose, Pose)| Track::new(&m.0, &Motion::rational(m.1, m.2)).unwrap();
                Equation::new(&track(a), &track(b)).first_contact(1.0) != FirstContact::None
            })
            .count()
    });
    let (build, _) = least_time(20, || {
        close
            .iter()
            .map(|(a, b)| {
                let track =
                    |m: &(Ellipsoid, Pose, Pose)| Track::new(&m.0, &Motion::rational(m.1, m.2)).unwrap();
                Equation::new(&track(a), &track(b)).degree()
            })
            .sum::<usize>()
    });
    let interpolants: Vec<_> = close
        .iter()
        .filter_map(|(a, b)| {
            // The second as seen from the first, at both ends.
            let relative = |pa: Pose, pb: Pose| {
                let inverse = pa.rotation().conjugate();
                Pose::new(inverse * (pb.translation() - pa.translation()), inverse * pb.rotation()).ok()
            };
            let moving = AffineInterpolant::between(&b.0, relative(a.1, b.1)?, relative(a.2, b.2)?).ok()?;
            Some((a.0, moving))
        })
        .collect();
    let (affine, affine_hits) = least_time(20, || {
        interpolants
            .iter()
            .filter(|(a, b)| {
                let rest = Track::new(a, &Motion::fixed(Pose::IDENTITY)).unwrap();
                Equation::new(&rest, &Track::interpolant(b)).first_contact(1.0) != FirstContact::None
            })
            .count()
    });
    let each = |time: f64| time / close.len().max(1) as f64 / 1000.0;
    println!("Table 1, two boxers of 20 ellipsoids, {BOXING_FRAMES} frames     theirs      ours");
    println!("  a frame of 400 pairs, motions included         1330 us {:8.1} us", frame / 1000.0);
    println!(
        "    the motions alone                             200 us {:8.1} us",
        motions / 1000.0 / BOXING_FRAMES as f64
    );
    println!("  a pair on average                               2.8 us {:8.3} us", frame / 400_000.0);
    println!("  a close pair, rigid motion                     55.2 us {:8.2} us", each(solve));
    println!("    of which to build tracks and equation                 {:8.2} us", each(build));
    println!("  a close pair, affine interpolant                        {:8.2} us", each(affine));
    println!(
        "  removed by balls                               93.8 %  {:8.1} %",
        percent(stats.balls_apart, stats.pairs)
    );
    println!(
        "  close pairs {} ({hits} touch; {affine_hits} with the interpolant), frames with a touch {touching}",
        close.len()
    );
    println!("  {stats:?}\n");
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole as f64
}

fn robot() {
    let arm = arm().unwrap();
    println!(
        "Table 2, arm against obstacle, all intervals    (theirs: 0.12 ms for degree 0 to 3.2 ms for degree 96)"
    );
    println!("  pair  degree  obtain F     solve all   first only   collision intervals");
    let mut total = 0.0;
    for (name, fixed) in ["U", "V", "W"].iter().zip(&arm.obstacle) {
        for (i, link) in arm.links.iter().enumerate() {
            let build = || {
                let track = |m: &(Ellipsoid, Motion)| Track::new(&m.0, &m.1).unwrap();
                Equation::new(&track(link), &track(fixed))
            };
            let (obtain, equation) = least_time(20, build);
            let (solve, overlaps) = least_time(20, || equation.overlap_intervals());
            let (first, _) = least_time(20, || equation.first_contact(1.0));
            total += obtain + solve;
            let intervals: Vec<String> =
                overlaps.iter().map(|o| format!("[{:.3}, {:.3}]", o.start[0], o.end[1])).collect();
            println!(
                "  {name}-{i}   {:5} {:8.1} us {:10.1} us {:9.1} us   {}",
                equation.degree(),
                obtain / 1000.0,
                solve / 1000.0,
                first / 1000.0,
                intervals.join(", ")
            );
        }
    }
    // As high a degree as the paper's, in the form used here: quaternions and translations of degree 10 on both sides.
    let mut state = 3;
    let mut motion = || loop {
        let quat: Vec<[f64; 4]> = (0..=10).map(|_| [0; 4].map(|_| unit(&mut state) - 0.5)).collect();
        let xyz: Vec<[f64; 3]> = (0..=10).map(|_| [0; 3].map(|_| 4.0 * unit(&mut state) - 2.0)).collect();
        if let Ok(motion) = Rational::from_power_basis(&quat, &xyz, &[]) {
            break Motion::from(motion);
        }
    };
    let shape = Ellipsoid::new(DVec3::new(0.3, 0.2, 0.1)).unwrap();
    let (a, b) = (motion(), motion());
    let build = || Equation::new(&Track::new(&shape, &a).unwrap(), &Track::new(&shape, &b).unwrap());
    let (obtain, equation) = least_time(20, build);
    let (first, _) = least_time(20, || equation.first_contact(1.0));
    println!(
        "  degree 10 motions: {:5} {:8.1} us               {:9.1} us",
        equation.degree(),
        obtain / 1e3,
        first / 1e3
    );
    println!("  all 30 pairs: theirs 43.8 ms, ours {:.3} ms\n", total / 1e6);
}

fn examples() {
    let [a, b] = example_1().unwrap();
    let side = |m: &'static (Ellipsoid, Motion)| MovingEllipsoid { shape: &m.0, motion: &m.1 };
    let (a, b): (&'static _, &'static _) = (Box::leak(Box::new(a)), Box::leak(Box::new(b)));
    let (time, overlaps) = least_time(50, || ellipsoid::overlap_intervals(side(a), side(b)).unwrap());
    println!("Example 1, all intervals: theirs 0.7 ms, ours {:.3} ms: {overlaps:?}", time / 1e6);
    let [a, b] = example_2().unwrap();
    let (time, overlaps) =
        least_time(50, || Equation::new(&Track::affine(&a), &Track::affine(&b)).overlap_intervals());
    println!(
        "Example 2, all intervals: theirs 2.7 ms, ours {:.3} ms: {} intervals",
        time / 1e6,
        overlaps.len()
    );
    let (time, _) =
        least_time(50, || Equation::new(&Track::affine(&a), &Track::affine(&b)).first_contact(1.0));
    println!("Example 2, first contact: theirs 0.6 ms, ours {:.3} ms", time / 1e6);
}
