//! Tables 1 and 2 of the 2009 paper, and the figures of its text: the test at rest, the two examples.
//!
//! Each time is the shortest of several runs, which excludes other work on the machine.

use std::hint::black_box;

use firsttouch::advancement::{Limits, Verdict};
use firsttouch::ellipsoid::{
    Directions, Equation, FirstContact, Group, GroupStats, MemberTouch, Overlap, OverlapKind, Plane, Posed,
    Relation, Track,
};
use firsttouch::motion::{AffineInterpolant, Motion, Pose, Rational, RigidMotion};
use firsttouch::shape::Ellipsoid;
use glam::{DMat3, DVec3};

use super::{Bench, Measured, timed};
use crate::error::{Error, Result};
use crate::scenes::ellipsoids::{
    BOXING_FRAMES, CLOSE_COMBAT, MovingEllipsoid, arm, boxers_apart, close_pairs, example_1, example_2,
};
use crate::scenes::wandering::wandering_pairs;

const LIMITS: Limits = Limits::DEFAULT;

/// The conditions of all tables.
const MEASURED: Measured = Measured {
    their_machine: "Core 2 Duo, 2.4 GHz",
    runs: 1,
    shown: "",
    differs: "the boxers, the arm and example 2 are generated, with the paper's numbers and degrees; example 1 is the paper's",
};

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    let mut figures = Vec::new();
    bench.say("at rest");
    at_rest(bench, &mut figures)?;
    boxing(bench, &mut figures)?;
    bench.say("arm");
    robot(bench, &mut figures)?;
    bench.say("examples");
    examples(bench, &mut figures)?;
    bench.table(
        "Single figures",
        &["what", ">theirs: us", ">ours: us", ">at most, us"],
        figures,
        &["At most: the limit for changes to this library, on one core of a desktop machine.".into()],
    );
    bench.measured(Measured { runs: 20, shown: "the least", ..MEASURED });
    Ok(())
}

/// Returns the sum over all items of the shortest time in several runs, in microseconds.
fn least_of_each<T>(runs: usize, items: &[T], mut work: impl FnMut(usize, &T)) -> f64 {
    let mut best = vec![f64::INFINITY; items.len()];
    for _ in 0..runs {
        for (k, (item, best)) in items.iter().zip(&mut best).enumerate() {
            *best = timed(|| work(k, item)).1.min(*best);
        }
    }
    best.iter().sum()
}

/// Returns the shortest time of several runs, in microseconds.
fn least<T>(runs: usize, mut work: impl FnMut() -> T) -> (T, f64) {
    let (mut result, mut best) = timed(&mut work);
    for _ in 1..runs {
        let (next, time) = timed(&mut work);
        best = best.min(time);
        result = black_box(next);
    }
    (result, best)
}

fn figure(what: &str, theirs: &str, ours: f64, most: &str) -> Vec<String> {
    vec![what.into(), theirs.into(), digits(ours), most.into()]
}

/// Formats with three significant digits, or with all digits before the point.
fn digits(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v => format!("{v:.3}"),
    }
}

fn at_rest(bench: &mut Bench, figures: &mut Vec<Vec<String>>) -> Result<()> {
    let pairs = close_pairs(4096)?;
    let (counts, time) = least(20, || {
        let mut counts = [0_u64; 3];
        for [a, b] in black_box(&pairs) {
            counts[Posed::new(&a.0, &a.1).relation(&Posed::new(&b.0, &b.1)) as usize] += 1;
        }
        counts
    });
    counts.iter().for_each(|&count| bench.number(count));
    figures.push(figure(
        "two at rest, close to contact, from their poses",
        "",
        time / pairs.len() as f64,
        "0.1",
    ));
    // The paper's time includes both motion matrices, "of rational degree 4" (Sec. 2.2).
    let moving = moving_to(&pairs)?;
    let (relations, time) = least(20, || {
        let mut counts = [0_u64; 3];
        for [a, b] in black_box(&moving) {
            let [Ok(a), Ok(b)] = [a, b].map(placed_by_matrix) else { continue };
            counts[a.relation(&b) as usize] += 1;
        }
        counts
    });
    relations.iter().for_each(|&count| bench.number(count));
    figures.push(figure(
        "two at rest, with both motion matrices of degree 4",
        "0.7",
        time / pairs.len() as f64,
        "0.3",
    ));
    Ok(())
}

/// Returns motions with quaternions and translations of degree 2, hence matrices of degree 4, that are at these
/// placements halfway.
fn moving_to(pairs: &[[(Ellipsoid, Pose); 2]]) -> Result<Vec<[(Ellipsoid, Rational); 2]>> {
    let motion = |pose: &Pose, turn: f64| -> Result<Rational> {
        let (q, x) = (pose.rotation(), pose.translation());
        // Adds r t (t − 1/2) to q (1 + t), and s t (t − 1/2) to x.
        let (q, r) = ([q.w, q.x, q.y, q.z], [0.2, -0.3, turn, 0.1]);
        let s = [0.5, turn, -0.25];
        let quat = [q, [0, 1, 2, 3].map(|k| q[k] - 0.5 * r[k]), r];
        let xyz = [x.to_array(), s.map(|s| -0.5 * s), s];
        Ok(Rational::from_power_basis(&quat, &xyz, &[])?)
    };
    let side = |(shape, pose): &(Ellipsoid, Pose), turn: f64| -> Result<(Ellipsoid, Rational)> {
        Ok((*shape, motion(pose, turn)?))
    };
    pairs.iter().map(|[a, b]| Ok([side(a, 0.25)?, side(b, -0.4)?])).collect()
}

/// Returns the ellipsoid halfway, by the matrix of its motion.
fn placed_by_matrix((shape, motion): &(Ellipsoid, Rational)) -> firsttouch::Result<Posed> {
    let at = motion.pose_at(0.5);
    Posed::affine(at.rotation * DMat3::from_diagonal(shape.semi_axes()), at.translation)
}

/// One ellipsoid of a boxer, from one frame to the next.
type EllipsoidStep = (Ellipsoid, Pose, Pose);

/// The query of a setup of Table 1: the first contact of a pair, if there is one.
type Solve<'a> = &'a dyn Fn(&[usize; 3]) -> Option<f64>;

fn boxing(bench: &mut Bench, figures: &mut Vec<Vec<String>>) -> Result<()> {
    let count = if bench.quick { BOXING_FRAMES / 10 } else { BOXING_FRAMES };
    let runs = if bench.quick { 3 } else { 10 };
    distances(bench, count)?;
    let placed = (0..=count).map(|k| boxers_apart(k, DISTANCE)).collect::<firsttouch::Result<Vec<_>>>()?;
    // frames[k][side]: the ellipsoids of a boxer between two frames.
    let frames: Vec<[Vec<EllipsoidStep>; 2]> = placed
        .windows(2)
        .map(|w| {
            let legs = |side: usize| w[0][side].iter().zip(&w[1][side]).map(|(p, q)| (p.0, p.1, q.1));
            [legs(0).collect(), legs(1).collect()]
        })
        .collect();
    let motion = |leg: &EllipsoidStep| (leg.0, Motion::rational(leg.1, leg.2));
    let per_frame = |time: f64| time / count as f64;
    let per_pair = |time: f64| time / (400 * count) as f64;

    // Setup 1: a frame is one query of two groups.
    bench.say("boxing, setup 1");
    let groups =
        |frame: &[Vec<EllipsoidStep>; 2]| frame.each_ref().map(|side| Group::new(side.iter().map(motion)));
    let (mut outcomes, mut stats, mut directions) =
        (Vec::new(), GroupStats::default(), Directions::default());
    let frame_time = least_of_each(runs, &frames, |k, frame| {
        if k == 0 {
            (outcomes, stats, directions) = (Vec::new(), GroupStats::default(), Directions::default());
        }
        let [a, b] = groups(frame);
        outcomes.push(a.first_touch(&b, &LIMITS, &mut directions, &mut stats));
    });
    let mut touching = 0;
    for outcome in &outcomes {
        match outcome {
            Verdict::Free => bench.number(0),
            Verdict::Touch(MemberTouch { t, members, .. }) => {
                touching += 1;
                bench.float(*t);
                members.iter().for_each(|&member| bench.number(member as u64));
            }
            Verdict::Undecided { free_until } => bench.float(-free_until),
        }
    }
    let group_time = least_of_each(runs, &frames, |_, frame| drop(black_box(groups(frame))));
    let motion_time = least_of_each(runs, &frames, |_, frame| {
        frame.iter().flatten().for_each(|leg| drop(black_box(motion(leg))));
    });

    // The pairs that balls and directions do not cull, each alone over all of [0, 1].
    bench.say("boxing, setup 2");
    let all = (0..count).flat_map(|k| (0..400).map(move |ij| [k, ij / 20, ij % 20]));
    let legs = |&[k, i, j]: &[usize; 3]| (&frames[k][0][i], &frames[k][1][j]);
    let near: Vec<[usize; 3]> = all
        .clone()
        .filter(|pair| {
            let (a, b) = legs(pair);
            balls_meet(a, b)
        })
        .collect();
    let is_close = |pair: &&[usize; 3]| {
        let (a, b) = legs(pair);
        let (a, b) = (Group::new([motion(a)]), Group::new([motion(b)]));
        let mut stats = GroupStats::default();
        a.first_touch(&b, &LIMITS, &mut Directions::default(), &mut stats);
        stats.equations == 1
    };
    let close: Vec<[usize; 3]> = near.iter().filter(is_close).copied().collect();
    let track = |leg: &EllipsoidStep| Track::new(&leg.0, &Motion::rational(leg.1, leg.2));
    let rigid = |pair: &[usize; 3]| {
        let (a, b) = legs(pair);
        contact(&Equation::new(&track(a)?, &track(b)?))
    };
    let affine = |pair: &[usize; 3]| {
        let (a, b) = legs(pair);
        let seen = AffineInterpolant::between(&b.0, seen_from(a.1, b.1)?, seen_from(a.2, b.2)?).ok()?;
        let rest = Track::new(&a.0, &Motion::fixed(Pose::IDENTITY))?;
        contact(&Equation::new(&rest, &Track::interpolant(&seen)))
    };
    let ((), ball_time) = least(runs, || {
        for pair in all.clone() {
            let (a, b) = legs(&pair);
            black_box(balls_meet(a, b));
        }
    });
    let [close_free, close_free_time, close_hits, close_hit_time, close_worst] = apart(&close, &rigid);
    let close_mean = (close_free_time + close_hit_time) / close.len().max(1) as f64;
    let setup_2 = |solve: Solve<'_>| {
        let [_, free_time, hits, hit_time, worst] = apart(&near, solve);
        let (ball, free) = (per_pair(ball_time), (400 * count) as f64 - hits);
        [
            ball_time + free_time + hit_time,
            ball + free_time / free,
            ball + hit_time / hits.max(1.0),
            ball + worst,
        ]
    };
    let (rigid_2, affine_2) = (setup_2(&rigid), setup_2(&affine));
    let ((), affine_motions) = least(runs, || {
        for pair in &near {
            let (a, b) = legs(pair);
            let ends = [seen_from(a.1, b.1), seen_from(a.2, b.2)];
            if let [Some(from), Some(to)] = ends {
                drop(black_box(AffineInterpolant::between(&b.0, from, to)));
            }
        }
    });

    // The distance of the interpolant from the rigid motion.
    let mut differences = Vec::new();
    let mut same = 0;
    for pair in &near {
        let (r, a) = (rigid(pair), affine(pair));
        same += usize::from(r.is_some() == a.is_some());
        r.iter().chain(&a).for_each(|&t| bench.float(t));
        if let (Some(r), Some(a)) = (r, a)
            && r > 0.0
        {
            differences.push((r - a).abs());
        }
    }
    let n = differences.len().max(1) as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let deviation = (differences.iter().map(|d| (d - mean) * (d - mean)).sum::<f64>() / n).sqrt();
    let largest = differences.iter().fold(0.0_f64, |most, &d| most.max(d));

    let both = |theirs: &str, ours: f64| [theirs.to_string(), digits(ours)];
    let none = || ["-".to_string(), "-".to_string()];
    let frame = per_frame(frame_time);
    let row_2 = |name: &str, [total, free, hit, worst]: [f64; 4], motions: f64, theirs: [&str; 6]| {
        labelled(
            name,
            [
                both(theirs[0], per_frame(total + motions)),
                both(theirs[1], per_frame(motions)),
                both(theirs[2], per_pair(total)),
                both(theirs[3], free),
                both(theirs[4], hit),
                both(theirs[5], worst),
            ],
        )
    };
    let rows = vec![
        labelled(
            "rigid, setup 1, all pairs",
            [
                both("1330", frame),
                both("200", per_frame(motion_time)),
                both("2.8", per_pair(frame_time - motion_time)),
                none(),
                none(),
                none(),
            ],
        ),
        labelled(
            "rigid, setup 1, close pairs",
            [
                none(),
                none(),
                both("55.2", close_mean),
                both("54.7", close_free_time / close_free.max(1.0)),
                both("65.4", close_hit_time / close_hits.max(1.0)),
                both("73.9", close_worst),
            ],
        ),
        row_2(
            "rigid, setup 2, all pairs",
            rigid_2,
            motion_time,
            ["1900", "200", "4.2", "4.0", "13.8", "100.1"],
        ),
        row_2(
            "affine, setup 2, all pairs",
            affine_2,
            affine_motions,
            ["1190", "130", "2.6", "2.5", "6.6", "39.4"],
        ),
    ];
    let share = |part: usize| 100.0 * part as f64 / (400 * count) as f64;
    let notes = [
        format!(
            "In microseconds; theirs on a Core 2 Duo at 2.4 GHz, ours the least of {runs} runs on this machine. {count} frames, 400 pairs each; a touch in {touching}. Setup 1: with balls and separating \
             directions, up to the earliest touch known; a frame is one query of two groups, so there is no time of a single pair. \
             Setup 2: with balls only, over [0, 1]."
        ),
        format!(
            "Removed by balls: theirs 93.8 %, ours {:.1} %. Close pairs, which neither balls nor directions decide: theirs 780 (38 \
             collide), ours {} ({close_hits} collide). Preparing the groups of a frame, motions included, takes {} us of its {} us.",
            100.0 - share(near.len()),
            close.len(),
            digits(per_frame(group_time)),
            digits(frame),
        ),
        format!(
            "The interpolant and the rigid motion agree on {same} of {} pairs; their first contacts differ by (mean, deviation, \
             largest) theirs 0.008, 0.03, 0.49, ours {mean:.3}, {deviation:.3}, {largest:.2}.",
            near.len()
        ),
        format!(
            "Of all pairs of setup 1, balls dismissed {}, directions {}, {} overlapped at the start, {} took an equation, {} came too late to \
             matter.",
            stats.balls_apart, stats.directions, stats.at_start, stats.equations, stats.later
        ),
    ];
    for count in [stats.balls_apart, stats.directions, stats.at_start, stats.equations, stats.later] {
        bench.number(count);
    }
    bench.table(
        "Table 1: two boxers of 20 ellipsoids each",
        &[
            "",
            ">theirs: frame",
            ">ours: frame",
            ">theirs: motions",
            ">ours: motions",
            ">theirs: pair",
            ">ours: pair",
            ">theirs: free pair",
            ">ours: free pair",
            ">theirs: colliding pair",
            ">ours: colliding pair",
            ">theirs: worst pair",
            ">ours: worst pair",
        ],
        rows,
        &notes,
    );
    bench.measured(Measured {
        runs,
        shown: "the least of each frame or pair, the mean over all",
        ..MEASURED
    });
    figures.push(figure("boxing: a frame of 400 pairs", "1330", frame, "60"));
    figures.push(figure("boxing: the motions of a frame", "195", per_frame(motion_time), ""));
    figures.push(figure("boxing: a pair of moving balls", "1.5", per_pair(ball_time), ""));
    figures.push(figure("boxing: a close pair, first contact", "55.2", close_mean, "5"));
    Ok(())
}

/// The distance of each boxer of Table 1 from the middle, in metres.
const DISTANCE: f64 = CLOSE_COMBAT;

/// The distances that are compared.
const DISTANCES: [f64; 6] = [0.3, 0.36, 0.42, 0.48, 0.54, 0.6];

/// The effect of the paper's tests on all pairs of all frames, and the pairs that our tests leave.
#[derive(Default)]
struct PairCounts {
    frames: u64,
    /// The pairs that the moving balls leave.
    near: u64,
    /// The part of these that overlaps at the start of the frame.
    at_start: u64,
    /// The part of the others that is separated by one plane that moves with the second ellipsoid.
    by_plane: u64,
    /// The remaining pairs: the close pairs of the paper.
    close: u64,
    /// Of the close pairs, the number with a contact in the frame, and the number with a contact before the earliest
    /// contact known by then.
    colliding: u64,
    colliding_in_time: u64,
    /// The pairs that our directions leave, and those of them with a contact in the frame.
    ours: u64,
    ours_colliding: u64,
    /// Frames with a touch.
    touching: u64,
}

impl PairCounts {
    /// Applies the tests of Section 4.1 to a frame, in their order.
    fn add(&mut self, sides: &[Vec<EllipsoidStep>; 2]) {
        self.frames += 1;
        // The earliest contact known at that point.
        let mut earliest = f64::INFINITY;
        for a in &sides[0] {
            for b in sides[1].iter().filter(|b| balls_meet(a, b)) {
                self.near += 1;
                let posed = [a, b].map(|step| Posed::new(&step.0, &step.1));
                if posed[0].relation(&posed[1]) != Relation::Separate {
                    self.at_start += 1;
                    earliest = 0.0;
                    continue;
                }
                let steps = [a, b].map(|step| (step.0, Motion::rational(step.1, step.2)));
                let [own, other] = steps.each_ref().map(|(shape, motion)| Track::new(shape, motion));
                let first = own.zip(other).and_then(|(own, other)| contact(&Equation::new(&own, &other)));
                let groups = steps.clone().map(|step| Group::new([step]));
                let mut stats = GroupStats::default();
                groups[0].first_touch(&groups[1], &LIMITS, &mut Directions::default(), &mut stats);
                self.ours += stats.equations;
                self.ours_colliding += u64::from(stats.equations == 1 && first.is_some());
                if posed[0].separating_plane(&posed[1]).is_some_and(|plane| stay_separated(&steps, &plane)) {
                    self.by_plane += 1;
                    continue;
                }
                self.close += 1;
                if let Some(first) = first {
                    self.colliding += 1;
                    self.colliding_in_time += u64::from(first < earliest);
                    earliest = earliest.min(first);
                }
            }
        }
        self.touching += u64::from(earliest <= 1.0);
    }
}

/// Does the separating-plane test of Section 4.1, at 65 instants in plain f64: a plane between the two at the start
/// moves with the second ellipsoid, and the first must stay on its side.
fn stay_separated([(shape, motion), (_, motion_b)]: &[MovingEllipsoid; 2], plane: &Plane) -> bool {
    let start = motion_b.pose_at(0.0);
    let (normal, point) = (start.direction_to_body(plane.normal), start.to_body(plane.normal * plane.offset));
    (0..=64).all(|k| {
        let t = f64::from(k) / 64.0;
        let (own, other) = (motion.pose_at(t), motion_b.pose_at(t));
        let n = other.rotation * normal;
        let highest = (shape.semi_axes() * own.direction_to_body(n)).length();
        n.dot(own.translation) + highest < n.dot(other.apply(point))
    })
}

/// Measures the effect of the boxers' distance on the counts of Table 1.
fn distances(bench: &mut Bench, count: usize) -> Result<()> {
    let mut rows = Vec::new();
    for distance in DISTANCES {
        bench.say(&format!("boxing, distance {distance}"));
        let mut counts = PairCounts::default();
        for frame in 0..count {
            let ends = [boxers_apart(frame, distance)?, boxers_apart(frame + 1, distance)?];
            counts.add(&[0, 1].map(|side| {
                ends[0][side].iter().zip(&ends[1][side]).map(|(from, to)| (from.0, from.1, to.1)).collect()
            }));
        }
        let PairCounts {
            frames,
            near,
            at_start,
            by_plane,
            close,
            colliding,
            colliding_in_time,
            ours,
            ours_colliding,
            touching,
        } = counts;
        for number in [near, at_start, by_plane, close, colliding, colliding_in_time, ours, ours_colliding] {
            bench.number(number);
        }
        let all = 400 * frames;
        let share = |part: u64, whole: u64| format!("{:.1} %", 100.0 * part as f64 / (whole as f64).max(1.0));
        let per_paper = |part: u64| format!("{:.0}", 400_000.0 * part as f64 / all as f64);
        rows.push(vec![
            format!("{distance} m from the middle{}", if distance == DISTANCE { ", Table 1" } else { "" }),
            "93.8 %".into(),
            share(all - near, all),
            "34.1 %".into(),
            share(at_start, near),
            "62.6 %".into(),
            share(by_plane, near),
            "780".into(),
            per_paper(close),
            "38".into(),
            per_paper(colliding_in_time),
            "4.9 %".into(),
            share(colliding_in_time, close),
            per_paper(colliding),
            share(colliding, close),
            per_paper(ours),
            share(ours_colliding, ours),
            share(touching, frames),
        ]);
    }
    bench.table(
        "A parameter: the distance of the boxers, and which pairs are counted as colliding",
        &[
            "distance",
            ">theirs: removed by balls",
            ">ours: removed by balls",
            ">theirs: of the rest, overlapping at the start",
            ">ours: of the rest, overlapping at the start",
            ">theirs: of the rest, free by a plane",
            ">ours: of the rest, free by a plane",
            ">theirs: close, of 400,000",
            ">ours: close, of 400,000",
            ">theirs: colliding, in time",
            ">ours: colliding, in time",
            ">theirs: share in time",
            ">ours: share in time",
            ">colliding, in the whole frame",
            ">share in the whole frame",
            ">close by our directions",
            ">of these, colliding",
            ">frames with a touch",
        ],
        rows,
        &[
            "Counts, no times; every frame, and the paper's tests in the paper's order (Sec. 4.1): moving balls, the two ellipsoids at the start, one plane that separates \
             them then and moves with one of them (here at 65 instants), and the equation for what is left: the close pairs."
                .into(),
            "The paper's 4.9 % are 38 of 780 close pairs. It keeps the earliest contact known in a frame and looks no further than that, so that in a frame that begins \
             with an overlap no other pair collides. \"colliding, in time\" counts in this way, \"in the whole frame\" counts every close pair with a contact. The closer the \
             boxers stand, the more frames begin with an overlap, and the smaller is the first share; where the balls remove as many pairs as theirs it is about theirs."
                .into(),
            "By our directions, with a bound of second order instead of one plane, fewer pairs are close, and most of those do collide: what is left to the equation is \
             what needs it."
                .into(),
        ],
    );
    Ok(())
}

/// Returns a row of pairs of theirs and ours.
fn labelled(name: &str, pairs: [[String; 2]; 6]) -> Vec<String> {
    std::iter::once(name.to_string()).chain(pairs.into_iter().flatten()).collect()
}

/// Returns the pairs without and with a contact: their number, their total time, and the longest time of all.
fn apart(pairs: &[[usize; 3]], solve: Solve<'_>) -> [f64; 5] {
    let [mut free, mut free_time, mut hits, mut hit_time, mut worst] = [0.0; 5];
    for pair in pairs {
        let (contact, time) = least(5, || solve(pair));
        let (count, total) =
            if contact.is_none() { (&mut free, &mut free_time) } else { (&mut hits, &mut hit_time) };
        *count += 1.0;
        *total += time;
        worst = f64::max(worst, time);
    }
    [free, free_time, hits, hit_time, worst]
}

/// Returns the first contact of an equation.
fn contact(equation: &Equation) -> Option<f64> {
    match equation.first_contact(1.0) {
        FirstContact::None => None,
        FirstContact::At { t, .. } => Some(t),
    }
}

/// Returns a pose as seen from another.
fn seen_from(from: Pose, pose: Pose) -> Option<Pose> {
    let inverse = from.rotation().conjugate();
    Pose::new(inverse * (pose.translation() - from.translation()), inverse * pose.rotation()).ok()
}

/// Does the sphere test of Section 4.1, in plain f64: returns true if the balls around two ellipsoids, on straight
/// lines, meet.
fn balls_meet(a: &EllipsoidStep, b: &EllipsoidStep) -> bool {
    let start = b.1.translation() - a.1.translation();
    let step = b.2.translation() - a.2.translation() - start;
    let reach = a.0.semi_axes().max_element() + b.0.semi_axes().max_element();
    let closest = (-start.dot(step) / step.length_squared()).clamp(0.0, 1.0);
    let closest = if closest.is_nan() { 0.0 } else { closest };
    (start + step * closest).length_squared() <= reach * reach
}

/// Table 2: obtain and solve, in milliseconds, and the degree of the motion and of the equation, by link.
const THEIR_OBTAIN: [f64; 10] = [0.045, 0.272, 0.272, 0.272, 0.813, 0.812, 1.612, 1.676, 1.680, 1.684];
const THEIR_SOLVE: [[f64; 10]; 3] = [
    [0.077, 0.125, 0.130, 0.126, 0.838, 0.256, 1.642, 0.338, 0.356, 1.498],
    [0.076, 0.126, 0.131, 0.125, 0.860, 0.881, 1.591, 0.052, 1.505, 1.545],
    [0.077, 0.127, 0.130, 0.126, 0.859, 0.827, 0.075, 0.085, 1.506, 0.261],
];
const MOTION_DEGREES: [usize; 10] = [0, 2, 2, 2, 4, 4, 6, 6, 6, 6];
const THEIR_INTERVALS: [(&str, &str); 3] =
    [("W-6", "[0.311, 0.677]"), ("W-7", "[0.104, 0.323], [0.778, 0.943]"), ("W-9", "[0.451, 0.538]")];

fn robot(bench: &mut Bench, figures: &mut Vec<Vec<String>>) -> Result<()> {
    let arm = arm()?;
    let (mut rows, mut total) = (Vec::new(), 0.0);
    for (bar, (letter, fixed)) in ["U", "V", "W"].iter().zip(&arm.obstacle).enumerate() {
        for (i, link) in arm.links.iter().enumerate() {
            let name = format!("{letter}-{i}");
            let Some(times) = solved(link, fixed) else { continue };
            let (obtain, solve) = (THEIR_OBTAIN[i] * 1e3, THEIR_SOLVE[bar][i] * 1e3);
            total += times.obtain + times.solve;
            record(bench, &times.overlaps);
            let theirs = THEIR_INTERVALS.iter().find(|(pair, _)| *pair == name).map_or("", |found| found.1);
            rows.push(vec![
                name,
                MOTION_DEGREES[i].to_string(),
                (16 * MOTION_DEGREES[i]).to_string(),
                times.degree.to_string(),
                format!("{obtain:.0}"),
                digits(times.obtain),
                format!("{solve:.0}"),
                digits(times.solve),
                format!("{:.0}", obtain + solve),
                digits(times.obtain + times.solve),
                theirs.into(),
                times.overlaps.iter().map(interval).collect::<Vec<_>>().join(", "),
            ]);
        }
    }
    // The degree is as high as the paper's, in the form used here.
    let pairs = wandering_pairs(if bench.quick { 8 } else { 32 })?;
    let all: Vec<PairSolution> = pairs.iter().filter_map(|[a, b]| solved(a, b)).collect();
    all.iter().for_each(|one| record(bench, &one.overlaps));
    let mean = |of: fn(&PairSolution) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let worst = all.iter().map(|s| s.obtain + s.solve).fold(0.0, f64::max);
    let overlapping = all.iter().filter(|s| !s.overlaps.is_empty()).count();
    let notes = [
        "In microseconds; all intervals of overlap. Theirs on a Core 2 Duo at 2.4 GHz. The arm and the obstacle are ours, with the paper's degrees of motion. \
         The equation used here never multiplies by denominators that all its terms share, so its degree is a quarter of theirs."
            .into(),
        format!(
            "{} pairs whose equation has degree {} here (both wander, quaternions of degree 10), {overlapping} of which overlap: obtain {}, first \
             contact {}, all intervals {}; the worst pair {} in all.",
            all.len(),
            all.first().map_or(0, |s| s.degree),
            digits(mean(|s| s.obtain)),
            digits(mean(|s| s.first)),
            digits(mean(|s| s.solve)),
            digits(worst)
        ),
    ];
    bench.table(
        "Table 2: an arm of 10 ellipsoids against an obstacle of 3",
        &[
            "pair",
            ">motion",
            ">theirs: degree",
            ">ours: degree",
            ">theirs: obtain F",
            ">ours: obtain F",
            ">theirs: solve",
            ">ours: solve",
            ">theirs: total",
            ">ours: total",
            "theirs: overlap",
            "ours: overlap",
        ],
        rows,
        &notes,
    );
    bench.measured(Measured { runs: 50, shown: "the least", ..MEASURED });
    figures.push(figure("arm: all 30 pairs, all intervals", "43800", total, ""));
    figures.push(figure(
        "a pair of degree 96: obtain F and first contact",
        "",
        mean(|s| s.obtain + s.first),
        "200",
    ));
    Ok(())
}

/// The columns of Table 2 for a pair.
struct PairSolution {
    degree: usize,
    obtain: f64,
    solve: f64,
    first: f64,
    overlaps: Vec<Overlap>,
}

fn solved(a: &MovingEllipsoid, b: &MovingEllipsoid) -> Option<PairSolution> {
    let track = |moving: &MovingEllipsoid| Track::new(&moving.0, &moving.1);
    let (equation, obtain) = least(20, || Some(Equation::new(&track(a)?, &track(b)?)));
    let equation = equation?;
    let (overlaps, solve) = least(20, || equation.overlap_intervals());
    let (_, first) = least(20, || equation.first_contact(1.0));
    Some(PairSolution { degree: equation.degree(), obtain, solve, first, overlaps })
}

fn interval(overlap: &Overlap) -> String {
    let graze = if overlap.kind == OverlapKind::Graze { " (touch)" } else { "" };
    format!("[{:.3}, {:.3}]{graze}", overlap.start[0], overlap.end[1])
}

fn record(bench: &mut Bench, overlaps: &[Overlap]) {
    bench.number(overlaps.len() as u64);
    for overlap in overlaps {
        overlap.start.iter().chain(&overlap.end).for_each(|&t| bench.float(t));
    }
}

fn examples(bench: &mut Bench, figures: &mut Vec<Vec<String>>) -> Result<()> {
    let [a, b] = example_1()?;
    let one = solved(&a, &b).ok_or_else(|| Error::Other("example 1 is not rational".into()))?;
    record(bench, &one.overlaps);
    let sampled = sampled_overlaps()?;
    sampled.iter().flatten().for_each(|&t| bench.float(t));
    let shown: Vec<String> = sampled.iter().map(|[from, to]| format!("[{from:.5}, {to:.5}]")).collect();
    let what = format!(
        "example 1, all intervals: {} (the paper says two; its printed matrices at {SAMPLES} instants overlap in {})",
        intervals(&one.overlaps),
        shown.join(", ")
    );
    figures.push(figure(&what, "700", one.obtain + one.solve, ""));

    let [a, b] = example_2()?;
    let equation = || Equation::new(&Track::affine(&a), &Track::affine(&b));
    let (overlaps, all) = least(50, || equation().overlap_intervals());
    let (first, once) = least(50, || contact(&equation()));
    record(bench, &overlaps);
    first.iter().for_each(|&t| bench.float(t));
    let what = format!("example 2, all intervals: {}", intervals(&overlaps));
    figures.push(figure(&what, "2700", all, ""));
    figures.push(figure("example 2, first contact", "600", once, ""));
    Ok(())
}

/// The number of sampled instants of example 1, besides the start.
const SAMPLES: u32 = 4_000;

/// Returns Sec. 4.3, Example 1, as printed: `R_A`, `R_B`, `T_A`, `T_B`.
fn printed(t: f64) -> [(DMat3, DVec3); 2] {
    let (u, r) = (2.0 * t - 1.0, 2.0_f64.sqrt());
    let rows = |rows: [[f64; 3]; 3], over: f64| DMat3::from_cols_array_2d(&rows).transpose() * (1.0 / over);
    let cubic = |c: [f64; 4]| ((c[0] * t + c[1]) * t + c[2]) * t + c[3];
    let rotation_a = rows(
        [
            [-(8.0 * t * t - 8.0 * t + 1.0), -2.0 * u, 2.0 * u],
            [2.0 * u, 1.0, 2.0 * u * u],
            [-2.0 * u, 2.0 * u * u, 1.0],
        ],
        8.0 * t * t - 8.0 * t + 3.0,
    );
    let s = t - 1.0;
    let rotation_b = rows(
        [
            [r * s * (3.0 * t - 1.0), 2.0 * t * u, r * s * s],
            [r * u, -2.0 * t * s, r * u * u],
            [-r * t * (3.0 * t - 2.0), 2.0 * u * s, r * t * t],
        ],
        -2.0 * (3.0 * t * t - 3.0 * t + 1.0),
    );
    let translation_a = DVec3::new(
        cubic([-8.0, 24.0, -6.0, -2.0]),
        cubic([-24.0, 24.0, 6.0, -6.0]),
        cubic([-32.0, 48.0, -12.0, -2.0]),
    );
    let translation_b = DVec3::new(
        cubic([72.0 - 24.0 * r, -156.0 + 72.0 * r, 114.0 - 72.0 * r, -27.0 + 24.0 * r]),
        12.0 * t - 6.0,
        cubic([88.0 - 24.0 * r, -168.0 + 72.0 * r, 114.0 - 72.0 * r, -26.0 + 24.0 * r]),
    );
    [(rotation_a, translation_a), (rotation_b, translation_b)]
}

/// Returns the spans in which consecutive samples of the printed matrices are not separate, without using any motion of
/// ours.
fn sampled_overlaps() -> Result<Vec<[f64; 2]>> {
    let axes = [DVec3::new(2.0, 4.0, 2.0), DVec3::new(1.0, 3.0, 4.0)];
    let mut spans: Vec<[f64; 2]> = Vec::new();
    let mut was_apart = true;
    for k in 0..=SAMPLES {
        let t = f64::from(k) / f64::from(SAMPLES);
        let placed = printed(t);
        let posed = |k: usize| Posed::affine(placed[k].0 * DMat3::from_diagonal(axes[k]), placed[k].1);
        let is_apart = posed(0)?.relation(&posed(1)?) == Relation::Separate;
        match spans.last_mut() {
            Some(last) if !is_apart && !was_apart => last[1] = t,
            _ if !is_apart => spans.push([t, t]),
            _ => {}
        }
        was_apart = is_apart;
    }
    Ok(spans)
}

fn intervals(overlaps: &[Overlap]) -> String {
    overlaps.iter().map(interval).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's "two" intervals of example 1 are one: in its printed matrices, without any of our motions, and by
    /// algebra.
    #[test]
    fn example_1_has_one_interval() {
        for t in [0.0, 0.3, 0.5, 0.77, 1.0] {
            let [a, b] = example_1().unwrap();
            for ((rotation, translation), (_, motion)) in printed(t).into_iter().zip([&a, &b]) {
                let at = motion.pose_at(t);
                assert!((at.translation - translation).length() < 1e-12 * (1.0 + translation.length()));
                let apart = (at.rotation - rotation).to_cols_array();
                assert!(apart.into_iter().all(|x| x.abs() < 1e-12), "{t}: {apart:?}");
            }
        }
        let sampled = sampled_overlaps().unwrap();
        assert_eq!(sampled.len(), 1, "{sampled:?}");
        let [a, b] = example_1().unwrap();
        let overlaps = solved(&a, &b).unwrap().overlaps;
        // At 1/2 they touch, which rounding may call separate.
        let step = 1.01 / f64::from(SAMPLES);
        let [from, to] = sampled[0];
        let (first, last) = (overlaps[0].start[0], overlaps[overlaps.len() - 1].end[1]);
        assert!((from - first).abs() <= step && (to - last).abs() <= step, "{sampled:?} {first} {last}");
        assert!(overlaps.windows(2).all(|w| w[1].start[0] - w[0].end[1] < 1e-6), "one interval");
    }

    /// The matrices of degree 4 place the ellipsoids where their poses do.
    #[test]
    fn motion_matrices_place_the_same() {
        let pairs = close_pairs(256).unwrap();
        let moving = moving_to(&pairs).unwrap();
        let (mut same, mut separate) = (0, 0);
        for ([a, b], [c, d]) in pairs.iter().zip(&moving) {
            let known = Posed::new(&a.0, &a.1).relation(&Posed::new(&b.0, &b.1));
            let [c, d] = [c, d].map(|side| placed_by_matrix(side).unwrap());
            same += usize::from(c.relation(&d) == known);
            separate += usize::from(known == Relation::Separate);
        }
        assert!(same == 256 && (60..200).contains(&separate), "{same} {separate}");
    }
}
