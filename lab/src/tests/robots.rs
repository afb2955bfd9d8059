//! Steps of robots by the methods of `comparison`: boxes of three kinds, and bisection of time, against each other and
//! against the library.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, RobotMotion};

use firsttouch::motion::{Affine, Motion, Pose};
use firsttouch::numerics::{Interval, TaylorModel, Window};
use firsttouch::shape::{Cuboid, Sphere};
use firsttouch::{Answer, Body, Options};
use glam::DVec3;

use super::box_robots::{Problem, box_mesh, each_corner, problem, random_configuration, random_robot};
use super::random::Random;
use crate::comparison::{Bounds, check_step_by_boxes, first_touch_by_bisection, swept_boxes};

const WAYS: [Bounds; 3] = [Bounds::Chord, Bounds::Taylor, Bounds::Interval];

/// Corners of the parts never leave the swept boxes, however these are computed; prints the width of each by depth.
#[test]
fn swept_boxes_contain_the_parts() {
    println!(
        "depth   chord  Taylor  interval   (mean widest side of the last link's box / of its sampled path)"
    );
    for depth in [1_usize, 2, 4, 7, 10, 15, 20] {
        let mut widths = [0.0; 3];
        let count = 30;
        for seed in 0..count {
            let mut random = Random(5_000 + 100 * depth as u64 + seed);
            let described = random_robot(&mut random, depth + 1, 1, false);
            let robot = &described.robot;
            let from = random_configuration(&mut random, robot);
            let to: Vec<f64> = from.iter().map(|q| q + random.range(-0.3, 0.3)).collect();
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![]).unwrap();
            let ways = WAYS.map(|bounds| swept_boxes(&checker, [&from, &to], bounds).unwrap());
            assert_eq!(ways[0], checker.swept_boxes(&from, &to).unwrap());
            each_corner(&described, [&from, &to], 50, |_, link, [_, x]| {
                for boxes in &ways {
                    let bounds = boxes[link].inflated(1e-11);
                    assert!(
                        x.cmpge(bounds.low).all() && x.cmple(bounds.high).all(),
                        "depth {depth} seed {seed}"
                    );
                }
                if link == depth {
                    (low, high) = (low.min(x), high.max(x));
                }
            });
            for (width, boxes) in widths.iter_mut().zip(&ways) {
                *width += (boxes[depth].high - boxes[depth].low).max_element() / (high - low).max_element();
            }
        }
        let [chord, taylor, interval] = widths.map(|width| width / count as f64);
        println!("{depth:5} {chord:7.2} {taylor:7.2} {interval:9.2}");
        assert!(taylor <= 1.6 && (depth < 4 || taylor < interval), "depth {depth}: {taylor} {interval}");
    }
}

/// The boxes of long steps, for every kind of joint, in trees and chains of up to 20 links; and the boxes of windows
/// within the step, which bisection uses.
#[test]
fn swept_boxes_of_long_steps() {
    for seed in 0..60 {
        let mut random = Random(7_000 + seed);
        let links = 2 + (seed % 19) as usize;
        let described = random_robot(&mut random, links, 1 + (seed % 3) as usize, true);
        let robot = &described.robot;
        let (from, to) = (random_configuration(&mut random, robot), random_configuration(&mut random, robot));
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![]).unwrap();
        let ways = WAYS.map(|bounds| swept_boxes(&checker, [&from, &to], bounds).unwrap());
        let motion = RobotMotion::new(robot, Pose::IDENTITY, &from, &to).unwrap();
        let (t0, t1) = (random.range(0.0, 0.5), random.range(0.5, 1.0));
        let window = Window::new(t0, t1).unwrap();
        let taylor = motion.enclosures::<TaylorModel>(window);
        let interval = motion.enclosures::<Interval>(window);
        each_corner(&described, [&from, &to], 24, |t, link, [local, x]| {
            for boxes in &ways {
                let bounds = boxes[link].inflated(1e-10);
                assert!(
                    x.cmpge(bounds.low).all() && x.cmple(bounds.high).all(),
                    "seed {seed} link {link} t {t}"
                );
            }
            if (t0..=t1).contains(&t) {
                let frame = motion.part_frame(link, 0);
                let ranges = [taylor[frame].apply(local).range(), interval[frame].apply(local).range()];
                for (range, x) in ranges.into_iter().flat_map(|r| r.into_iter().zip(x.to_array())) {
                    assert!(range.lo() - 1e-10 <= x && x <= range.hi() + 1e-10, "seed {seed}");
                }
            }
        });
    }
}

/// Robots of boxes among boxes: the same touches whatever boxes cull, and the same as in windows of time.
#[test]
fn all_boxes_find_the_same_touches() {
    for seed in 0..600 {
        let Problem { from, to, checker, .. } = problem(seed);
        let options = Options::default();
        let answer = checker.check_step(&from, &to, &options).unwrap().answer;
        // All pairs are advanced from time 0, whatever boxes are used. Windows start and end elsewhere, which moves
        // the time within the tolerance.
        let by =
            |bounds: Bounds| check_step_by_boxes(&checker, [&from, &to], &options, bounds).unwrap().answer;
        let by_chords = by(Bounds::Chord);
        for bounds in [Bounds::Taylor, Bounds::Interval] {
            assert_eq!(by(bounds).free_until(1.0), by_chords.free_until(1.0), "seed {seed} {bounds:?}");
        }
        assert_eq!(by_chords == Answer::Free, answer == Answer::Free, "seed {seed}");
        let apart = by_chords.free_until(1.0) - answer.free_until(1.0);
        assert!(apart.abs() < 1e-3, "seed {seed}: {apart}");
    }
}

/// Plain intervals and bisection of time find the same touches: the robots of the test above, with the same answers
/// within the tolerance. As far as the two can check each other, no touch is missed or late.
#[test]
fn bisection_agrees_with_advancement() {
    let (mut touches, mut own, mut at_start, mut grazing, count) = (0, 0, 0, 0, 300);
    let options = Options { tolerance: 1e-4, ..Options::default() };
    for seed in 0..count {
        let mut random = Random(30_000 + seed);
        let links = 2 + (seed % 6) as usize;
        let mut described = random_robot(&mut random, links, 1 + (seed % 2) as usize, true);
        if seed % 2 == 0 {
            let parts = (0..links).map(|i| {
                let part = LinkPart { shape: box_mesh(described.half[i]), pose: described.offset[i] };
                (format!("link{i}"), vec![part])
            });
            described.robot = Robot::new("surfaces", parts.collect(), described.joints.clone()).unwrap();
        }
        let robot = &described.robot;
        let from = random_configuration(&mut random, robot);
        let to: Vec<f64> = from.iter().map(|q| q + random.range(-0.8, 0.8)).collect();
        let bodies = (0..3).map(|k| {
            let shape = Cuboid::new(DVec3::splat(random.range(0.6, 1.0))).unwrap();
            let (start, end) = (random.pose(2.5), random.pose(2.5));
            let motion = if k == 0 { Motion::linear(start, end) } else { Motion::fixed(start) };
            Body::new(format!("obstacle{k}"), shape, motion)
        });
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies.collect()).unwrap();
        let quick = checker.check_step(&from, &to, &options).unwrap().answer;
        let slow = first_touch_by_bisection(&checker, &from, &to, &options).unwrap();
        // Only pairs that culling did not remove need windows.
        assert_eq!(slow.work.iterations > 0, slow.close_pairs > 0);
        let (t_quick, t_slow) = (quick.free_until(1.0), slow.answer.free_until(1.0));
        match (&quick, &slow.answer) {
            (Answer::Free, Answer::Free) => {}
            (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => at_start += 1,
            (Answer::Touch(a), Answer::Touch(b)) => {
                touches += 1;
                own += usize::from(b.bodies == [0, 0]);
                assert!(a.gap <= options.tolerance && b.gap <= options.tolerance);
                // Each is free until the time it reports, and the other one is within the tolerance at its own time.
                // If the approach is slower than a hundredth of a unit per unit of time, the times may differ by a
                // hundredth.
                grazing += usize::from((t_quick - t_slow).abs() > 1e-3);
                assert!((t_quick - t_slow).abs() < 1e-2, "seed {seed}: {t_quick} {t_slow}");
            }
            _ => panic!("seed {seed}: {quick:?} and {:?}", slow.answer),
        }
    }
    let rate = touches as f64 / count as f64;
    assert!(
        (0.1..0.8).contains(&rate) && own > 5,
        "hit rate {rate}, {own} with itself, {at_start} at the start"
    );
    assert!(grazing <= 3, "{grazing}");
}

/// Robots of many parts, whose boxes are swept instead of compared all with all: the remaining pairs are the same.
#[test]
fn many_parts_are_swept() {
    let (mut left, mut possible) = (0, 0);
    for seed in 0..6 {
        let mut random = Random(9_000 + seed);
        let joint = |i: usize, origin: Pose| Joint {
            name: format!("joint{i}"),
            parent: "ground".into(),
            child: format!("link{i}"),
            origin,
            kind: JointKind::Revolute { axis: DVec3::new(1.0, 2.0, 3.0) },
            limits: None,
            mimic: None,
        };
        let links = (0..40).map(|i| {
            let part = |random: &mut Random| LinkPart {
                shape: Cuboid::new(DVec3::splat(random.range(0.1, 0.4))).unwrap().into(),
                pose: random.pose(0.4),
            };
            (format!("link{i}"), vec![part(&mut random), part(&mut random)])
        });
        let links: Vec<_> = [("ground".to_string(), vec![])].into_iter().chain(links).collect();
        let joints = (0..40).map(|i| joint(i, random.pose(3.0))).collect();
        let mut robot = Robot::new("many", links, joints).unwrap();
        robot.allow("link3", "link4").unwrap();
        let obstacles = (0..5).map(|k| {
            let shape = Cuboid::new(DVec3::splat(random.range(0.4, 1.2))).unwrap();
            Body::new(format!("obstacle{k}"), shape, Motion::fixed(random.pose(3.0)))
        });
        let obstacles: Vec<Body> = obstacles.collect();
        let checker = Checker::new(robot, Pose::IDENTITY, obstacles.clone()).unwrap();
        let from = random_configuration(&mut random, checker.robot());
        let to: Vec<f64> = from.iter().map(|q| q + random.range(-0.3, 0.3)).collect();
        let report = check_step_by_boxes(&checker, [&from, &to], &Options::default(), Bounds::Chord).unwrap();
        assert!(report.pairs > 2_000, "{}: too few to be swept", report.pairs);

        let boxes: Vec<_> =
            checker.swept_boxes(&from, &to).unwrap().iter().map(|b| b.inflated(0.0)).collect();
        let whole = Window::new(0.0, 1.0).unwrap();
        let around: Vec<_> = obstacles.iter().map(|body| body.swept_box(whole).unwrap()).collect();
        let link_of: Vec<usize> = (0..boxes.len()).map(|i| 1 + i / 2).collect();
        let mut expected = 0;
        for (i, swept) in boxes.iter().enumerate() {
            expected += around.iter().filter(|other| swept.overlaps(other)).count();
            expected += (0..i)
                .filter(|&j| link_of[i] != link_of[j] && !checker.robot().is_allowed(link_of[i], link_of[j]))
                .filter(|&j| swept.overlaps(&boxes[j]))
                .count();
        }
        assert_eq!(report.close_pairs, expected as u64, "seed {seed}");
        left += report.close_pairs;
        possible += report.pairs;
    }
    let rate = left as f64 / possible as f64;
    assert!((0.001..0.2).contains(&rate), "{rate}");
}

/// The bisection that is kept for comparison once used a growing ball as it is at time 0: free, although it touches.
#[test]
fn bisection_rejects_deforming_bodies() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let growing = Affine::from_power_basis(DVec3::ONE, &[unit, unit.map(|x| 4.0 * x)], &[], &[]).unwrap();
    let slide = Joint {
        name: "slide".into(),
        parent: "rail".into(),
        child: "hand".into(),
        origin: Pose::from_translation(DVec3::X * 4.0).unwrap(),
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    let hand = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let robot =
        Robot::new("r", vec![("rail".into(), vec![]), ("hand".into(), vec![hand])], vec![slide]).unwrap();
    let checker = Checker::new(robot, Pose::IDENTITY, vec![Body::affine("balloon", growing)]).unwrap();
    let options = Options::default();
    // The ball has radius 1 + 4 t, the hand is at 4 + t / 2: they touch at t = 4 / 7.
    let toi = checker.check_step(&[0.0], &[0.5], &options).unwrap().answer.touch().unwrap().toi;
    assert!(toi <= 4.0 / 7.0 && toi > 4.0 / 7.0 - 1e-6);
    let refused = first_touch_by_bisection(&checker, &[0.0], &[0.5], &options);
    assert!(refused.unwrap_err().to_string().contains("balloon"));
}
