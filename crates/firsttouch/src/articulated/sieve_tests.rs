//! The boxes of the sieve against dense sampling.

use glam::{DQuat, DVec3};

use super::*;
use crate::articulated::Checker;
use crate::motion::Pose;
use crate::robot::{Joint, JointKind, LinkPart, Robot};
use crate::shape::{Cuboid, Sphere};

fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(unit(state), unit(state), unit(state))
}

const LINKS: usize = 7;

/// Returns a chain of long boxes and balls, each anywhere in its link's frame, on joints that turn and slide.
fn chain(state: &mut u64) -> Robot {
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    for i in 0..LINKS {
        let half = DVec3::new(0.05, 0.08, 0.3) * (1.0 + 0.5 * unit(state));
        let shape =
            if i % 3 == 2 { Sphere::new(0.1).unwrap().into() } else { Cuboid::new(half).unwrap().into() };
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, unit(state), unit(state), unit(state));
        let pose = if i % 2 == 0 { Pose::IDENTITY } else { Pose::new(0.3 * vector(state), turn).unwrap() };
        links.push((format!("l{i}"), vec![LinkPart { shape, pose }]));
        if i > 0 {
            let axis = vector(state) + DVec3::splat(0.01);
            let kind = if i % 4 == 3 { JointKind::Prismatic { axis } } else { JointKind::Revolute { axis } };
            joints.push(Joint {
                name: format!("j{i}"),
                parent: format!("l{}", i - 1),
                child: format!("l{i}"),
                origin: Pose::from_translation(0.4 * vector(state)).unwrap(),
                kind,
                limits: None,
                mimic: None,
            });
        }
    }
    Robot::new("chain", links, joints).unwrap()
}

/// No corner of a part ever leaves the box of its window. Many boxes are tight.
#[test]
fn parts_stay_in_their_boxes() {
    let state = &mut 19;
    let mut near = 0;
    for round in 0..60 {
        let robot = chain(state);
        let size = [0.05, 0.4, 1.5][round % 3];
        let from: Vec<f64> = robot.zero().iter().map(|_| 3.0 * unit(state)).collect();
        let to: Vec<f64> = from.iter().map(|value| value + size * unit(state)).collect();
        let checker = Checker::new(robot, Pose::IDENTITY, Vec::new()).unwrap();
        let motion = checker.motion(&from, &to).unwrap();
        let mut sieve = Sieve::new(checker.surroundings(), &motion, 0.0);
        for window in [[0.0, 1.0], [0.25, 0.5], [0.75, 1.0]] {
            let (t, half) = instants(window);
            sieve.window += 1;
            for (i, part) in checker.parts().iter().enumerate() {
                let Aabb { low, high } = sieve.swept_box(i, 0, &t, half);
                let (center, half_sides) =
                    checker.robot().links()[part.link].parts()[part.part].shape.bounds();
                let at = motion.part(part.link, part.part);
                let (mut lowest, mut highest) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
                for k in 0..=40 {
                    let pose = crate::motion::RigidMotion::pose_at(
                        &at,
                        window[0] + (window[1] - window[0]) * f64::from(k) / 40.0,
                    );
                    let is_ball = i % 3 == 2;
                    for corner in 0..8_u32 {
                        let sign = |bit: u32| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
                        let signs = DVec3::new(sign(0), sign(1), sign(2));
                        let point = if is_ball {
                            pose.translation + 0.1 * signs.normalize()
                        } else {
                            pose.apply(center + signs * half_sides)
                        };
                        (lowest, highest) = (lowest.min(point), highest.max(point));
                    }
                }
                assert!(low.cmple(lowest).all() && high.cmpge(highest).all(), "round {round}, part {i}");
                let tight = ((high - low) - (highest - lowest)).max_element();
                near += usize::from(tight < 0.3);
            }
        }
    }
    assert!(near > 150, "{near}");
}

/// A ball of radius 0.01 on a rail, 1e15 away from the origin of the world, where places are multiples of an eighth.
/// The box of its window has room for that.
#[test]
fn a_box_has_room_for_the_rounding_of_its_places() {
    let far = 1e15;
    let rail = Joint {
        name: "rail".into(),
        parent: "base".into(),
        child: "ball".into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    let ball = LinkPart { shape: Sphere::new(0.01).unwrap().into(), pose: Pose::IDENTITY };
    let robot = Robot::new("rail", vec![("base".into(), vec![]), ("ball".into(), vec![ball])], vec![rail]);
    let base = Pose::from_translation(DVec3::X * far).unwrap();
    let checker = Checker::new(robot.unwrap(), base, Vec::new()).unwrap();
    for value in [0.3, 0.05, -0.19] {
        let motion = checker.motion(&[value], &[value]).unwrap();
        let mut sieve = Sieve::new(checker.surroundings(), &motion, 0.0);
        let (t, half) = instants([0.0, 1.0]);
        sieve.window += 1;
        let Aabb { low, high } = sieve.swept_box(0, 0, &t, half);
        // Differences of neighbours are exact.
        assert!(low.x - far <= value - 0.01 && high.x - far >= value + 0.01, "{value}: {low} {high}");
    }
}

/// Enlarged boxes are rounded outwards: they contain those whose sides are rounded one by one. A box with unknown
/// bounds overlaps every box.
#[test]
fn enlarged_boxes_are_rounded_outwards() {
    let state = &mut 23;
    let mut larger = 0;
    for round in 0..20_000 {
        let size = 10.0_f64.powi(round % 620 - 320);
        let bounds = Aabb { low: size * vector(state), high: size * vector(state) };
        for distance in [0.0, f64::from_bits(1), 1e-6, size] {
            let (cheap, exact) = (inflated(&bounds, distance), bounds.inflated(distance));
            assert!(cheap.low.cmple(exact.low).all() && cheap.high.cmpge(exact.high).all(), "{bounds:?}");
            larger += usize::from(cheap != exact);
        }
    }
    assert!(larger > 20_000, "{larger}");
    let zero = Aabb { low: DVec3::ZERO, high: DVec3::ZERO };
    assert!(inflated(&zero, 0.0).low.max_element() < 0.0 && inflated(&zero, 0.0).high.min_element() > 0.0);
    for unknown in [f64::NAN, f64::INFINITY] {
        let bounds = inflated(&Aabb { low: DVec3::splat(unknown), high: DVec3::splat(-unknown) }, 1.0);
        assert!(bounds.overlaps(&zero), "{bounds:?}");
    }
}
