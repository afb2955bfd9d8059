use super::*;
use crate::body::Body;
use crate::motion::{Motion, Pose};
use crate::shape::{Ellipsoid, Sphere};
use glam::{DQuat, DVec3};

/// Returns balls in a box of a few sizes, some of which touch at the start; the order of adding is drawn too.
fn balls(count: usize, room: f64, seed: u64, shuffle: bool) -> Scene {
    let mut state = seed;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / 2f64.powi(53)
    };
    let mut at = || Pose::from_translation(DVec3::new(unit(), unit(), unit()) * room).unwrap();
    let mut bodies: Vec<Body> = (0..count)
        .map(|i| {
            let shape = Sphere::new(0.2 + 0.01 * (i % 7) as f64).unwrap();
            Body::new(format!("ball {i:03}"), shape, Motion::linear(at(), at()))
        })
        .collect();
    if shuffle {
        bodies.reverse();
        bodies.rotate_left(count / 3);
    }
    let mut scene = Scene::default();
    for body in bodies {
        scene.add(body).unwrap();
    }
    scene
}

/// Returns the report with lists of this size.
fn report(scene: &Scene, options: &Options, full_list: usize) -> Report {
    let mut pairs = Vec::new();
    let mut sink = |pair: PairReport| {
        pairs.push(pair);
        ControlFlow::Continue(())
    };
    let report = scene.check_pairs(&Ask::from(options), full_list, &mut sink).unwrap();
    Report { pairs, ..report }
}

/// Many short lists give the same answers as one long one: the same pairs at the same times for all touches, a touch
/// that is as early for the first, some touch for any. And the answers do not depend on the order of the bodies.
#[test]
fn many_lists_are_as_good_as_one() {
    let (mut at_start, mut later, mut free) = (0, 0, 0);
    for round in 0..60 {
        let room = [2.0, 6.0, 12.0, 25.0][round % 4];
        let scene = balls(30, room, round as u64, false);
        let shuffled = balls(30, room, round as u64, true);
        let name = |scene: &Scene, i: usize| scene.bodies()[i].name().to_string();
        for mode in [Mode::First, Mode::Any, Mode::All] {
            let options = Options { mode, ..Options::default() };
            let whole = report(&scene, &options, FULL_LIST);
            for full_list in [1, 7] {
                let lists = report(&scene, &options, full_list);
                let Stats { pairs, allowed, boxes_apart, advanced, later, .. } = lists.stats;
                assert_eq!(pairs, allowed + boxes_apart + advanced + later);
                let again = report(&shuffled, &options, full_list).answer;
                match (&lists.answer, &again) {
                    (Answer::Touch(a), Answer::Touch(b))
                    | (Answer::TouchingAtStart(a), Answer::TouchingAtStart(b)) => {
                        let mut names =
                            [a.bodies.map(|i| name(&scene, i)), b.bodies.map(|i| name(&shuffled, i))];
                        names.iter_mut().for_each(|pair| pair.sort_unstable());
                        assert_eq!((a.toi, a.free_until, &names[0]), (b.toi, b.free_until, &names[1]));
                    }
                    (a, b) => assert_eq!(a, b),
                }
                match (&whole.answer, &lists.answer, mode) {
                    (Answer::Free, Answer::Free, _) => {}
                    (Answer::TouchingAtStart(a), Answer::TouchingAtStart(b), Mode::First | Mode::All) => {
                        assert_eq!(a, b);
                    }
                    (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_), Mode::Any) => {}
                    (Answer::Touch(a), Answer::Touch(b), Mode::First | Mode::All) => {
                        assert!((a.toi - b.toi).abs() <= options.tolerance, "{a:?} {b:?}");
                    }
                    (Answer::Touch(_), Answer::Touch(b), Mode::Any) => {
                        let first = report(&scene, &Options::default(), FULL_LIST).answer;
                        assert!(b.free_until <= first.free_until(1.0) && b.toi >= first.free_until(1.0));
                    }
                    (a, b, mode) => panic!("{mode:?}: {a:?} {b:?}"),
                }
                if mode == Mode::All {
                    assert_eq!(whole.pairs, lists.pairs);
                    assert_eq!((whole.stats, &whole.answer), (lists.stats, &lists.answer));
                }
            }
            match whole.answer {
                Answer::Free => free += 1,
                Answer::TouchingAtStart(_) => at_start += 1,
                Answer::Touch(_) | Answer::Undecided { .. } => later += 1,
            }
        }
    }
    assert!(at_start > 30 && later > 30 && free > 10, "{at_start} {later} {free}");
}

/// A search for the first touch once made a list of all pairs whose boxes overlap before it checked one of them.
#[test]
fn a_touch_at_the_start_ends_the_search_with_the_first_list() {
    let mut scene = Scene::default();
    for i in 0..200 {
        let body = Body::new(format!("{i:03}"), Sphere::new(1.0).unwrap(), Motion::fixed(Pose::IDENTITY));
        scene.add(body).unwrap();
    }
    for mode in [Mode::First, Mode::Any] {
        let report = report(&scene, &Options { mode, ..Options::default() }, 300);
        assert!(matches!(&report.answer, Answer::TouchingAtStart(touch) if touch.bodies == [0, 1]));
        // The bodies with the first two names, and all others.
        assert_eq!(report.stats.part_pairs, 199 + 198);
    }
}

/// A sink that has seen enough ends the search. The remaining pairs of a list bound the answer.
#[test]
fn a_sink_that_breaks() {
    let options = Options { mode: Mode::All, ..Options::default() };
    let drawn = (0..100).map(|seed| balls(30, 6.0, seed, false));
    let mut checked = drawn.map(|scene| (report(&scene, &options, FULL_LIST), scene));
    let touches_later = |(all, _): &(Report, Scene)| matches!(all.answer, Answer::Touch(_));
    let (all, scene) = checked.find(touches_later).expect("not all of them touch at the start");
    assert!(all.pairs.len() > 5, "{}", all.pairs.len());
    for full_list in [7, FULL_LIST] {
        let mut seen = Vec::new();
        let mut sink = |pair: PairReport| {
            seen.push(pair);
            if seen.len() < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let report = scene.check_pairs(&Ask::from(&options), full_list, &mut sink).unwrap();
        assert_eq!(seen, all.pairs[..5]);
        let Answer::Undecided { free_until, .. } = report.answer else { panic!("{:?}", report.answer) };
        assert!(free_until <= all.answer.free_until(1.0));
    }
}

/// Returns ellipsoids in rational motions, at rest, and on straight lines.
fn eggs(count: usize, seed: u64) -> Scene {
    let mut state = seed;
    let mut unit = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / 2f64.powi(53)
    };
    let mut scene = Scene::default();
    for i in 0..count {
        let shape =
            Ellipsoid::new(DVec3::new(0.1 + 0.3 * unit(), 0.1 + 0.3 * unit(), 0.1 + 0.3 * unit())).unwrap();
        let mut at = || {
            let turn = DQuat::from_scaled_axis(DVec3::new(unit(), unit(), unit()));
            Pose::new(DVec3::new(unit(), unit(), unit()) * 4.0, turn).unwrap()
        };
        let motion = match i % 4 {
            0 => Motion::fixed(at()),
            1 => Motion::linear(at(), at()),
            _ => Motion::rational(at(), at()),
        };
        scene.add(Body::new(format!("egg {i:02}"), shape, motion)).unwrap();
    }
    scene
}

/// The data that the ellipsoids of a scene keep during a query changes no bit: each pair has the answer that it has
/// alone.
#[test]
fn ellipsoids_among_many_answer_as_alone() {
    let (mut touching, mut pairs) = (0, 0);
    for seed in 0..12 {
        let scene = eggs(14, seed);
        let options = Options { mode: Mode::All, ..Options::default() };
        let all = scene.check(&options).unwrap();
        for i in 0..scene.bodies().len() {
            for j in i + 1..scene.bodies().len() {
                let mut alone = Scene::default();
                for k in [i, j] {
                    alone.add(scene.bodies()[k].clone()).unwrap();
                }
                let found = all.pairs.iter().find(|pair| pair.bodies == [i, j]);
                let expected = alone.check(&options).unwrap().answer;
                pairs += 1;
                match (found.map(|pair| pair.answer.clone()), expected) {
                    (None, Answer::Free) => {}
                    (Some(found), expected) => {
                        touching += 1;
                        assert_eq!(found.free_until(1.0).to_bits(), expected.free_until(1.0).to_bits());
                        let touches = [&found, &expected].map(|answer| answer.touch().unwrap().points);
                        assert_eq!(touches[0], touches[1]);
                    }
                    (None, expected) => panic!("{i}, {j}: {expected:?}"),
                }
            }
        }
    }
    assert!(touching > 50 && touching < pairs - 100, "{touching} of {pairs}");
}
