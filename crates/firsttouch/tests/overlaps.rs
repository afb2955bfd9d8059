//! All times at which two bodies touch: every kind of body against every other, against sampling; also cases that can
//! be computed by hand.

#[allow(dead_code)]
use crate::mixed_bodies;
use crate::random;

use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Mesh, Sphere};
use firsttouch::{Answer, Body, Options, Scene};
use glam::{DQuat, DVec3};
use mixed_bodies::{KINDS, add, cells, distance};
use random::Random;

#[test]
fn every_kind_against_every_other() {
    let mut random = Random(606);
    let (mut inside, mut outside, mut certain) = (0, 0, 0);
    for (i, &one) in KINDS.iter().enumerate() {
        for &other in &KINDS[i..] {
            for n in 0..3 {
                let mut scene = Scene::default();
                let (start, end) = (DVec3::new(-1.6, 0.0, 0.0), DVec3::new(1.5, 0.0, 0.0));
                add(&mut scene, &mut random, "left", one, start, end);
                let aside = DVec3::Y * random.range(0.0, 0.3);
                add(&mut scene, &mut random, "right", other, -start, -end + aside);
                let [a, b] = ["left", "right"].map(|name| scene.index_of(name).unwrap());
                let min_separation = if n == 2 { 0.1 } else { 0.0 };
                let options = Options { tolerance: 1e-4, min_separation, ..Options::default() };
                let what = format!("{one:?} and {other:?}, {n}");
                let found = scene.overlaps("left", "right", &options).unwrap();
                let samples = 60;
                for k in 0..=samples {
                    let t = f64::from(k) / f64::from(samples);
                    let d = distance(&cells(&scene, a, t), &cells(&scene, b, t)) - min_separation;
                    let is_in = found.iter().any(|overlap| overlap.start[0] <= t && t <= overlap.end[1]);
                    if is_in {
                        inside += 1;
                    } else {
                        assert!(d > 0.0, "{what}: {d} at {t}, outside of {found:?}");
                        outside += 1;
                    }
                    let surely = |overlap: &Overlap| {
                        overlap.kind == OverlapKind::Overlap && overlap.start[1] <= t && t <= overlap.end[0]
                    };
                    if found.iter().any(surely) {
                        assert!(d <= options.tolerance * (1.0 + 1e-6), "{what}: {d} at {t}, in {found:?}");
                    }
                }
                for pair in found.windows(2) {
                    assert!(pair[0].end[1] <= pair[1].start[0], "{what}: {found:?}");
                }
                certain += found.iter().filter(|overlap| overlap.kind == OverlapKind::Overlap).count();
                let unproven = found.iter().find(|overlap| overlap.kind == OverlapKind::Graze);
                assert!(unproven.is_none(), "{what}: {found:?}");
                // The first touch is the beginning of the first interval.
                if let Answer::Touch(touch) = scene.check(&options).unwrap().answer {
                    assert!(
                        found[0].start[0] <= touch.toi + 1e-3 && touch.toi <= found[0].start[1] + 1e-3,
                        "{what}: {touch:?}, {found:?}"
                    );
                }
            }
        }
    }
    println!("{inside} samples inside, {outside} outside; {certain} overlaps");
    assert!(inside >= 800 && outside >= 800 && certain >= 50, "{inside} {outside} {certain}");
}

/// A bar turns about z and sweeps over a post: one overlap, whose ends can be computed.
#[test]
fn a_bar_sweeps_a_post() {
    let mut scene = Scene::default();
    let turned = |angle: f64| Pose::new(DVec3::ZERO, DQuat::from_rotation_z(angle)).unwrap();
    let bar = Cuboid::new(DVec3::new(4.0, 0.2, 0.2)).unwrap();
    scene.add(Body::new("bar", bar, Motion::linear(turned(0.2), turned(3.0)))).unwrap();
    let post = Motion::fixed(Pose::from_translation(DVec3::new(0.0, 1.5, 0.0)).unwrap());
    scene.add(Body::new("post", Sphere::new(0.1).unwrap(), post)).unwrap();
    let options = Options::default();
    let found = scene.overlaps("bar", "post", &options).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    // The ball touches the bar's side where 1.5 |cos(angle)| = 0.2.
    let half = (0.2_f64 / 1.5).asin();
    let time = |angle: f64| (angle - 0.2) / 2.8;
    let (from, to) = (time(std::f64::consts::FRAC_PI_2 - half), time(std::f64::consts::FRAC_PI_2 + half));
    assert!(found[0].start[0] <= from && found[0].start[1] < from + 1e-6, "{found:?}, {from}");
    assert!(found[0].end[1] >= to && found[0].end[0] > to - 1e-6, "{found:?}, {to}");
    assert_eq!(found[0].kind, OverlapKind::Overlap);
}

/// A triangle flies through two others, one after the other: two overlaps, with a proof that it is free in between.
#[test]
fn through_two_sheets() {
    let sheet = |x: f64| [DVec3::new(x, -3.0, -3.0), DVec3::new(x, 3.0, -3.0), DVec3::new(x, 0.0, 3.0)];
    let sheets: Vec<DVec3> = sheet(0.0).into_iter().chain(sheet(2.0)).collect();
    let flying = Mesh::new(
        vec![DVec3::new(-0.5, 0.0, 0.0), DVec3::new(0.5, 0.0, 0.0), DVec3::new(0.0, 0.2, 0.0)],
        vec![[0, 1, 2]],
    );
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::new("flying", flying.unwrap(), Motion::linear(at(-2.0), at(6.0)))).unwrap();
    let sheets = Mesh::new(sheets, vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    scene.add(Body::new("sheets", sheets, Motion::fixed(Pose::IDENTITY))).unwrap();
    let found = scene.overlaps("flying", "sheets", &Options::default()).unwrap();
    assert_eq!(found.len(), 2, "{found:?}");
    for (overlap, [from, to]) in found.iter().zip([[1.5 / 8.0, 2.5 / 8.0], [3.5 / 8.0, 4.5 / 8.0]]) {
        assert!(
            overlap.start[0] <= from && overlap.start[1] < from + 1e-5 && overlap.start[1] > from - 1e-5,
            "{overlap:?}"
        );
        assert!(
            overlap.end[1] >= to && overlap.end[0] > to - 1e-5 && overlap.end[0] < to + 1e-5,
            "{overlap:?}"
        );
        assert_eq!(overlap.kind, OverlapKind::Overlap);
    }
    assert!(scene.overlaps("flying", "nobody", &Options::default()).is_err());
}

/// A turning box flies through a ball at rest, with a small tolerance. Points in the middle of the overlap were found
/// at each instant and jumped from one to the next, so only very short spans were proven: the budget was spent, and the
/// whole time was a graze.
#[test]
fn a_long_overlap_is_certain_at_a_small_tolerance() {
    let mut scene = Scene::default();
    let turned =
        |x: f64, angle: f64| Pose::new(DVec3::new(x, 0.1, 0.05), DQuat::from_rotation_z(angle)).unwrap();
    let flying = Motion::linear(turned(-3.0, 0.0), turned(3.0, 3.0));
    scene.add(Body::new("box", Cuboid::new(DVec3::ONE).unwrap(), flying)).unwrap();
    let ball = Sphere::new(0.5).unwrap();
    scene.add(Body::new("ball", ball, Motion::fixed(Pose::IDENTITY))).unwrap();
    let options = Options { tolerance: 1e-7, ..Options::default() };
    let found = scene.overlaps("box", "ball", &options).unwrap();
    assert!(found.len() == 1 && found[0].kind == OverlapKind::Overlap, "{found:?}");
    // The box is between 1 and 1.42 wide on the way, and the ball 0.5: they touch for more than a sixth of the time.
    assert!(found[0].end[0] - found[0].start[1] > 1.0 / 6.0, "{found:?}");
}
