//! Changes of the input that must not change the answer, or change it in a known way.

use super::draw::Draw;
use super::generate;
use super::oracle::{Mover, Referee};
use super::path::{Path, Place};
use super::solid::Solid;
use super::verdict::{self, Tally};
use firsttouch::{Answer, Mode, Options, Scene, Touch};
use glam::{DQuat, DVec3};

fn ask(pair: &[Mover; 2], options: &Options) -> Answer {
    verdict::ask(pair, options).0
}

/// Returns pairs of every kind in turn, from `generate`.
fn some_pairs(count: usize, seed: u64) -> impl Iterator<Item = [Mover; 2]> {
    let mut draw = Draw::new(seed);
    (0..count).map(move |i| generate::pair(super::kind_pairs()[i % 21], [i / 21 % 3, i / 63 % 3], &mut draw))
}

/// Boxes, cylinders and cube-like hulls along the axes: ties, zeros and negative zeros everywhere.
fn aligned_pairs(count: usize, seed: u64) -> impl Iterator<Item = [Mover; 2]> {
    let mut draw = Draw::new(seed);
    (0..count).map(move |i| {
        let solid = |draw: &mut Draw| match draw.below(4) {
            0 => Solid::Box(DVec3::ONE),
            1 => Solid::Cylinder(1.0, 1.0),
            2 => Solid::Sphere(1.0),
            _ => Solid::Capsule(0.5, 1.0),
        };
        let at = |draw: &mut Draw| DVec3::from_array([0; 3].map(|_| draw.below(9) as f64 - 4.0));
        let quarter = |draw: &mut Draw| {
            DQuat::from_axis_angle(
                [DVec3::X, DVec3::Y, DVec3::Z][draw.below(3)],
                [0.0, 0.5, 1.0, 1.5][draw.below(4)] * std::f64::consts::PI,
            )
        };
        let place = |draw: &mut Draw| Place { at: at(draw), turn: quarter(draw) };
        let _ = i;
        [0, 1].map(|_| {
            let (from, to) = (place(&mut draw), place(&mut draw));
            let path = match draw.below(3) {
                0 => Path::Fixed(from),
                1 => Path::Linear(from, to),
                _ => Path::Screw(from, to),
            };
            Mover { solid: solid(&mut draw), path }
        })
    })
}

#[test]
fn aligned_solids() {
    let mut tally = Tally::default();
    for pair in aligned_pairs(4000, 30) {
        verdict::check(&pair, &Options::default(), 32, &mut tally);
    }
    println!("{:32} {}", "along the axes", super::line(&tally));
    assert_eq!(tally.undecided, 0);
    assert!((0.2..0.9).contains(&tally.hit_rate()), "{tally:?}");
}

/// Swapping the two sides yields the same bits, mirrored.
#[test]
fn swapping_sides() {
    let options = Options::default();
    let mut touches = 0;
    for pair in some_pairs(4000, 31).chain(aligned_pairs(2000, 32)) {
        let one = scene(&pair, &[0, 1]).check(&options).unwrap().answer;
        let other = scene(&pair, &[1, 0]).check(&options).unwrap().answer;
        let mirrored = match other {
            Answer::Touch(touch) => Answer::Touch(renumbered(&touch, &[1, 0])),
            Answer::TouchingAtStart(touch) => Answer::TouchingAtStart(renumbered(&touch, &[1, 0])),
            answer => answer,
        };
        assert_eq!(one, mirrored, "{pair:?}");
        if let (Some(x), Some(y)) = (one.touch(), mirrored.touch()) {
            assert_eq!((x.toi.to_bits(), x.gap.to_bits()), (y.toi.to_bits(), y.gap.to_bits()));
            touches += 1;
        }
    }
    assert!(touches > 2000);
}

/// Five to ten bodies that fly about one place.
fn swarm(draw: &mut Draw) -> Vec<Mover> {
    (0..5 + draw.below(6))
        .map(|_| {
            let solid = generate::solid(draw.below(6), draw).scaled(0.6);
            let path = generate::path(draw.below(3), 4.0, draw);
            let shift = draw.direction() * draw.range(0.5, 4.0) - path.at(0.5).at;
            Mover { solid, path: path.shifted(shift) }
        })
        .collect()
}

fn scene(movers: &[Mover], order: &[usize]) -> Scene {
    let mut scene = Scene::default();
    for &i in order {
        scene.add(movers[i].body(&format!("body {i}"))).unwrap();
    }
    scene
}

/// Returns a touch with the bodies numbered as in `order`, the lower one first.
fn renumbered(touch: &Touch, order: &[usize]) -> Touch {
    let mut touch = touch.clone();
    touch.bodies = touch.bodies.map(|i| order[i]);
    if touch.bodies[0] > touch.bodies[1] { touch.swapped() } else { touch }
}

/// Neither the order of the bodies in a scene nor the mode or the number of threads changes anything; and the
/// earliest touch of all is the earliest of the single pairs.
#[test]
fn reordering_bodies_and_threads() {
    let mut draw = Draw::new(33);
    let (mut touches, mut free) = (0, 0);
    for _ in 0..300 {
        let movers = swarm(&mut draw);
        let n = movers.len();
        let mut order: Vec<usize> = (0..n).collect();
        let options = Options::default();
        let one = scene(&movers, &order).check(&options).unwrap();
        for i in (1..n).rev() {
            order.swap(i, draw.below(i + 1));
        }
        let shuffled = scene(&movers, &order);
        for threads in [1, 2, 4] {
            let other = shuffled.check(&Options { threads, ..options }).unwrap();
            match (&one.answer, &other.answer) {
                (Answer::Touch(x), Answer::Touch(y))
                | (Answer::TouchingAtStart(x), Answer::TouchingAtStart(y)) => {
                    assert_eq!(x.toi.to_bits(), y.toi.to_bits(), "{movers:?}");
                    assert_eq!(*x, renumbered(y, &order), "{movers:?}");
                }
                (x, y) => assert_eq!(x, y, "{movers:?}"),
            }
            assert_eq!(one.stats.advanced, other.stats.advanced);
        }
        let all = shuffled.check(&Options { mode: Mode::All, ..options }).unwrap();
        let any = shuffled.check(&Options { mode: Mode::Any, ..options }).unwrap();
        assert_eq!(any.answer.touch().is_some(), one.answer.touch().is_some());
        // The broad phase and the queue against every pair by itself.
        let mut earliest = f64::INFINITY;
        for i in 0..n {
            for j in i + 1..n {
                let alone = ask(&[movers[i].clone(), movers[j].clone()], &options);
                let reported = all.pairs.iter().find(|pair| {
                    let [x, y] = pair.bodies.map(|k| order[k]);
                    [x.min(y), x.max(y)] == [i, j]
                });
                assert_eq!(reported.is_some(), alone != Answer::Free, "{i} {j} {movers:?}");
                if let Some(touch) = alone.touch() {
                    earliest = earliest.min(touch.toi);
                }
            }
        }
        match one.answer.touch() {
            Some(touch) => {
                touches += 1;
                // A pair is checked only until the earliest known touch: shorter windows have tighter bounds, and the
                // steps may land elsewhere within the tolerance.
                assert!((touch.toi - earliest).abs() < 1e-4, "{} {earliest}: {movers:?}", touch.toi);
            }
            None => {
                free += 1;
                assert_eq!(earliest, f64::INFINITY);
            }
        }
    }
    assert!(touches > 100 && free > 10, "{touches} {free}");
}

/// Moving the whole scene rigidly. Both answers are checked by themselves. Beyond that:
/// - a touch may turn into a free pass, or vice versa, only if the two are within the tolerance there: the moved
///   points of the touch, which are at most the tolerance apart, prove it;
/// - if the two approach at a speed `v` along the normal, the times differ by at most about `tolerance / v`.
#[test]
fn moving_the_whole_scene() {
    let mut draw = Draw::new(34);
    let options = Options::default();
    let (mut compared, mut turned) = (0, 0);
    let mut tally = Tally::default();
    for pair in some_pairs(6000, 35) {
        let frame = Place { at: draw.direction() * draw.range(0.0, 10.0), turn: draw.rotation() };
        let moved =
            pair.clone().map(|m| Mover { path: m.path.map(|place| place.moved(&frame)), solid: m.solid });
        let (one, other) = (ask(&pair, &options), verdict::check(&moved, &options, 8, &mut tally));
        match (one.touch(), other.touch()) {
            (Some(x), Some(y)) => {
                let paths = [pair[0].path.sampler(), pair[1].path.sampler()];
                let speed = x
                    .normal
                    .dot(paths[0].velocity(x.points[0], x.toi) - paths[1].velocity(x.points[1], x.toi));
                if x.toi > 0.0 && y.toi > 0.0 && speed > 0.1 {
                    compared += 1;
                    assert!((x.toi - y.toi).abs() <= 2.0 * options.tolerance / speed, "{x:?} {y:?} {pair:?}");
                    if x.gap > 1e-9 && y.gap > 1e-9 {
                        assert!((x.gap - y.gap).abs() <= options.tolerance);
                    }
                }
            }
            (Some(touch), None) | (None, Some(touch)) => {
                turned += 1;
                assert!(touch.gap > 0.0 && touch.gap <= options.tolerance, "{touch:?} {pair:?}");
            }
            (None, None) => {}
        }
    }
    assert!(compared > 1000 && turned < 20, "{compared} {turned}");
}

/// Everything twice, or a 1024th, as large, including the tolerance: the same times to the last bit.
#[test]
fn scaling_by_powers_of_two() {
    for pair in some_pairs(2000, 36) {
        let options = Options { min_separation: 0.125, ..Options::default() };
        let one = ask(&pair, &options);
        for factor in [2.0, 1.0 / 1024.0] {
            let scaled = pair.clone().map(|m| Mover {
                solid: m.solid.scaled(factor),
                path: m.path.map(|place| Place { at: place.at * factor, turn: place.turn }),
            });
            let other = ask(
                &scaled,
                &Options {
                    tolerance: factor * options.tolerance,
                    min_separation: factor * options.min_separation,
                    ..options
                },
            );
            match (one.touch(), other.touch()) {
                (Some(x), Some(y)) => {
                    assert_eq!(x.toi.to_bits(), y.toi.to_bits(), "{pair:?}");
                    assert_eq!((factor * x.gap).to_bits(), y.gap.to_bits(), "{pair:?}");
                }
                (x, y) => assert!(x.is_none() && y.is_none(), "{pair:?}"),
            }
        }
    }
}

/// In reversed time, bodies that overlap at some time still overlap, and free pairs stay free, up to the tolerance.
#[test]
fn reversing_time() {
    let options = Options::default();
    let (mut overlapping, mut free) = (0, 0);
    for pair in some_pairs(3000, 37) {
        let back = pair.clone().map(|m| Mover { path: m.path.reversed(), solid: m.solid });
        let (one, other) = (ask(&pair, &options), ask(&back, &options));
        let mut referee = Referee::new(&pair[0], &pair[1]);
        // Half a turn may go in the other direction; those paths are not each other's reverse.
        let last =
            (0..=64).rev().map(|i| f64::from(i) / 64.0).find(|t| referee.distance(*t, 1e-9).high < 1e-9);
        match (last, other.touch()) {
            (Some(last), Some(touch)) => {
                overlapping += 1;
                assert!(touch.toi <= 1.0 - last + 1e-9, "{touch:?} {last} {pair:?}");
            }
            (Some(last), None) => panic!("free, but they overlap at {last}: {other:?} {pair:?}"),
            (None, Some(touch)) if one == Answer::Free => assert!(touch.gap > 0.0, "{pair:?}"),
            _ => free += 1,
        }
    }
    assert!(overlapping > 1000 && free > 1000, "{overlapping} {free}");
}

/// Keeping balls and capsules `s` apart is the same as making each of them `s / 2` thicker.
#[test]
fn separation_is_inflation() {
    let mut draw = Draw::new(38);
    let mut touches = 0;
    for i in 0..2000 {
        let pair = generate::pair([1 + i % 2, 1 + i / 2 % 2], [1 + i % 2, 1 + i / 2 % 2], &mut draw);
        let separation = draw.magnitude(1e-3, 0.5);
        let thicker = pair.clone().map(|m| {
            let solid = match m.solid {
                Solid::Sphere(r) => Solid::Sphere(r + 0.5 * separation),
                Solid::Capsule(r, h) => Solid::Capsule(r + 0.5 * separation, h),
                other => other,
            };
            Mover { solid, path: m.path }
        });
        let one = ask(&pair, &Options { min_separation: separation, ..Options::default() });
        let other = ask(&thicker, &Options::default());
        match (one.touch(), other.touch()) {
            (Some(x), Some(y)) => {
                touches += 1;
                let paths = [pair[0].path.sampler(), pair[1].path.sampler()];
                let speed = x
                    .normal
                    .dot(paths[0].velocity(x.points[0], x.toi) - paths[1].velocity(x.points[1], x.toi));
                if speed > 0.1 {
                    assert!((x.toi - y.toi).abs() <= 3e-6 / speed, "{x:?} {y:?} {pair:?}");
                }
            }
            (Some(touch), None) => assert!(touch.gap > separation, "{touch:?} {pair:?}"),
            (None, Some(touch)) => assert!(touch.gap > 0.0, "{touch:?} {pair:?}"),
            (None, None) => {}
        }
    }
    assert!(touches > 500);
}
