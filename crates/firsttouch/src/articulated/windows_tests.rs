use glam::{DQuat, DVec3};

use super::*;
use crate::distance::gjk::Gjk;
use crate::motion::{Pose, RigidMotion};
use crate::robot::{Joint, JointKind, Robot};
use crate::shape::{Convex, Cuboid};

/// Returns an arm of boxes. Each is beside the axis of its joint, so that all of them sweep through space.
fn arm() -> Robot {
    let part = |k: usize| LinkPart {
        shape: Cuboid::new(DVec3::new(0.3, 0.1, 0.1)).unwrap().into(),
        pose: Pose::new(DVec3::X * 0.2, DQuat::from_rotation_z(0.1 * k as f64)).unwrap(),
    };
    let links = (0..5).map(|k| (format!("link{k}"), vec![part(k)])).collect();
    let joint = |k: usize| Joint {
        name: format!("joint{k}"),
        parent: format!("link{}", k - 1),
        child: format!("link{k}"),
        origin: Pose::from_translation(DVec3::X * 0.4).unwrap(),
        kind: if k == 3 {
            JointKind::Prismatic { axis: DVec3::Y }
        } else {
            JointKind::Revolute { axis: if k.is_multiple_of(2) { DVec3::Z } else { DVec3::Y } }
        },
        limits: None,
        mimic: None,
    };
    Robot::new("arm", links, (1..5).map(joint).collect()).unwrap()
}

/// Numbers in [−1, 1], the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

/// Returns the least of the distances at many instants, by another method than the one under test.
fn least_distance(shapes: [&Shape; 2], poses: impl Fn(f64) -> [PoseAt; 2]) -> f64 {
    let [a, b] = shapes.map(|shape| shape.as_convex().unwrap());
    let (a, b): (&dyn Convex, &dyn Convex) = (a, b);
    (0..=200).fold(f64::INFINITY, |least, k| {
        let found = Gjk::default().closest_points(a, b, &poses(k as f64 / 200.0), |_| 1e-9);
        least.min((found.points[1] - found.points[0]).length())
    })
}

/// Two parts that are said to be apart are so at every instant. And most that are are said to be.
#[test]
fn parts_that_are_apart_are_so_at_every_instant() {
    let robot = arm();
    let mut numbers = Numbers(5);
    let (mut proven, mut apart, mut close) = (0, 0, 0);
    for _ in 0..60 {
        let from: Vec<f64> = (0..4).map(|_| 1.5 * numbers.next()).collect();
        let to: Vec<f64> = from.iter().map(|value| value + numbers.next()).collect();
        let motion = RobotMotion::new(&robot, Pose::IDENTITY, &from, &to).unwrap();
        let box_shape: Shape = Cuboid::new(DVec3::splat(0.3)).unwrap().into();
        let place = DVec3::X * 0.8 + numbers.vector() * DVec3::new(0.8, 0.3, 0.3);
        let there = Pose::from_translation(place).unwrap();
        let at_rest = PlacedSolid::at_rest(&box_shape, there.at()).unwrap();
        let parts: Vec<&LinkPart> = robot.links().iter().map(|link| &link.parts()[0]).collect();
        let solid = |k: usize| PlacedSolid::of_part(&motion, k, parts[k]).unwrap();
        let pose = |k: usize, t: f64| motion.part(k, 0).pose_at(t);
        let min_separation = 0.01 * (1.0 + numbers.next());
        let mut check = |is_apart: bool, distance: f64| {
            assert!(!is_apart || distance > min_separation, "{distance} {min_separation}");
            proven += u32::from(is_apart);
            apart += u32::from(distance > min_separation);
            close += u32::from(distance <= min_separation);
        };
        for i in 0..5 {
            let distance = least_distance([&box_shape, &parts[i].shape], |t| [there.at(), pose(i, t)]);
            check(is_apart(&solid(i), &at_rest, 1.0, min_separation), distance);
            for j in i + 2..5 {
                let distance =
                    least_distance([&parts[i].shape, &parts[j].shape], |t| [pose(i, t), pose(j, t)]);
                check(is_apart(&solid(i), &solid(j), 1.0, min_separation), distance);
            }
        }
    }
    assert!(close > 20 && apart > 300 && 10 * proven > 8 * apart, "{proven} {apart} {close}");
}
