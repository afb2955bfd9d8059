//! The cells of two joints, compared with sampled poses: of balls, whose distances are known, and of points of a bent
//! mesh.

use std::sync::Arc;

use glam::DQuat;

use super::*;
use crate::articulated::Checker;
use crate::motion::Pose;
use crate::robot::{Joint, LinkPart, Mimic, Trajectory};
use crate::shape::{Mesh, Shape, Sphere};

fn unit(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn vector(state: &mut u64) -> DVec3 {
    DVec3::new(unit(state), unit(state), unit(state))
}

fn anywhere(state: &mut u64) -> Pose {
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 3.0 * unit(state), unit(state), 3.0 * unit(state));
    Pose::new(0.3 * vector(state), turn).unwrap()
}

fn joint(child: &str, parent: &str, origin: Pose, kind: JointKind) -> Joint {
    let (parent, child) = (parent.to_string(), child.to_string());
    Joint { name: format!("to {child}"), parent, child, origin, kind, limits: None, mimic: None }
}

fn ball(center: DVec3, radius: f64) -> LinkPart {
    let pose = Pose::from_translation(center).unwrap();
    LinkPart { shape: Sphere::new(radius).unwrap().into(), pose }
}

/// Returns a thin strip bent twice, like a U: its hull also fills the space between the arms.
fn bent() -> Shape {
    let outline = [(0.0, 0.6), (0.0, 0.0), (0.6, 0.0), (0.6, 0.6)];
    let vertices =
        outline.into_iter().flat_map(|(x, y)| [-0.05, 0.05].map(|z| DVec3::new(x, y, z))).collect();
    let triangles =
        (0..3).flat_map(|i| [[2 * i, 2 * i + 1, 2 * i + 2], [2 * i + 1, 2 * i + 3, 2 * i + 2]]).collect();
    Mesh::new(vertices, triangles).unwrap().into()
}

/// Returns a robot with two turning joints between the links `a` and `b`: one after the other, or both on one link.
/// Some links are joined by fixed joints.
fn robot(state: &mut u64, round: usize) -> Robot {
    let mut axis = || JointKind::Revolute { axis: vector(state) + DVec3::splat(0.01) };
    let (first, second) = (axis(), axis());
    let parts = |state: &mut u64, side: usize| -> Vec<LinkPart> {
        match (round + side) % 4 {
            0 => vec![LinkPart { shape: bent(), pose: anywhere(state) }],
            1 => (0..3).map(|_| ball(0.4 * vector(state), 0.05)).collect(),
            _ => vec![ball(0.4 * vector(state), 0.1)],
        }
    };
    let links = [("a", parts(state, 0)), ("fixed", vec![]), ("middle", vec![]), ("b", parts(state, 1))];
    let joints = if round.is_multiple_of(3) {
        vec![
            joint("middle", "fixed", anywhere(state), JointKind::Fixed),
            joint("a", "middle", anywhere(state), first),
            joint("b", "fixed", anywhere(state), second),
        ]
    } else {
        vec![
            joint("fixed", "a", anywhere(state), JointKind::Fixed),
            joint("middle", "fixed", anywhere(state), first),
            joint("b", "middle", anywhere(state), second),
        ]
    };
    let links = links.into_iter().map(|(name, parts)| (name.to_string(), parts)).collect();
    Robot::new("two joints", links, joints).unwrap()
}

/// Returns points of the parts of a link in the world, each with a radius.
fn points(checker: &Checker, motion: &RobotMotion<'_>, link: &str, t: f64) -> Vec<(DVec3, f64)> {
    let robot = checker.robot();
    let link = robot.link(link).unwrap();
    let mut points = Vec::new();
    for (i, part) in robot.links()[link].parts().iter().enumerate() {
        let pose = crate::motion::RigidMotion::pose_at(&motion.part(link, i), t);
        match &part.shape {
            Shape::Sphere(ball) => points.push((pose.translation, ball.radius())),
            Shape::Mesh(mesh) => {
                for triangle in mesh.triangles() {
                    let [a, b, c] = triangle.map(|v| pose.apply(mesh.vertices()[v as usize]));
                    for (u, v) in (0..=6)
                        .flat_map(|u| (0..=6 - u).map(move |v| (f64::from(u) / 6.0, f64::from(v) / 6.0)))
                    {
                        points.push((a + (b - a) * u + (c - a) * v, 0.0));
                    }
                }
            }
            _ => unreachable!("there are no other shapes"),
        }
    }
    points
}

/// Returns a distance that the two links are not above at some time.
fn distance(checker: &Checker, motion: &RobotMotion<'_>, t: f64) -> f64 {
    let [of_a, of_b] = ["a", "b"].map(|link| points(checker, motion, link, t));
    let pairs = of_a.iter().flat_map(|a| of_b.iter().map(move |b| (a.0 - b.0).length() - a.1 - b.1));
    pairs.fold(f64::INFINITY, f64::min)
}

fn query(checker: &Checker, min_separation: f64) -> CellQuery<'_> {
    CellQuery { robot: checker.robot(), outline: checker.outline(), min_separation }
}

/// Returns the cells of the first of the initial pairs.
fn cells(checker: &Checker) -> &JointCells {
    let outline = checker.outline();
    let solids = outline.own_roots.as_ref().unwrap()[0];
    outline.cells(checker.robot(), 0, solids).expect("two joints turn")
}

/// Returns the angles of the two sides as a configuration.
fn configuration(checker: &Checker, cells: &JointCells, angles: [f64; 2]) -> Vec<f64> {
    let mut values = checker.robot().zero();
    for (side, angle) in cells.sides.iter().zip(angles) {
        values[checker.robot().links()[side.joint].joint().unwrap().variable] = angle;
    }
    values
}

/// No bound of a cell is above the distance at any angles in it, at its ends, or whole turns away. Many bounds are
/// close to the distance.
#[test]
fn no_bound_is_above_a_distance() {
    let state = &mut 61;
    let (mut judged, mut close) = (0, 0);
    for round in 0..120 {
        let checker = Checker::new(robot(state, round), Pose::IDENTITY, Vec::new()).unwrap();
        let cells = cells(&checker);
        for k in 0..8 {
            let level = k % LEVELS;
            let count = (SECTORS << level) as i32;
            let cell = [0, 1].map(|_| (unit(state).abs() * f64::from(count)) as i32);
            let bound = cells.bound(&query(&checker, 0.0), cell, level);
            if bound <= 0.0 {
                continue;
            }
            judged += 1;
            let width = TAU / f64::from(count);
            let mut least = f64::INFINITY;
            for (i, j) in (0..=8).flat_map(|i| (0..=8).map(move |j| (i, j))) {
                let turns = [0.0, 1.0, -3.0][(i + j) % 3];
                let at = [(cell[0], i), (cell[1], j)]
                    .map(|(sector, k)| width * (f64::from(sector) + k as f64 / 8.0) + turns * TAU);
                let values = configuration(&checker, cells, at);
                let motion = checker.motion(&values, &values).unwrap();
                least = least.min(distance(&checker, &motion, 0.0));
            }
            assert!(bound <= least, "round {round}, cell {cell:?}: {bound} of {least}");
            close += usize::from(bound > 0.7 * least);
        }
    }
    assert!(judged > 500 && close > 200, "{judged} {close}");
}

/// A ball that goes around one axis, and one on the other axis, which does not move: the distance to the arc is known.
/// The bound is not above it where the nearest point is between the middle of the arc and an end, and it is rounded
/// down. The tangents are no farther out than two percent of the radius.
#[test]
fn arcs_stay_within_their_tangents() {
    let state = &mut 5;
    let (mut proven, mut unproven) = (0, 0);
    for round in 0..800 {
        let (radius, gap) = if round % 4 == 0 { (0.0, 1.5 + unit(state)) } else { (1.0, 0.03 * unit(state)) };
        let angle = TAU * unit(state);
        let far = DVec3::new(angle.cos(), angle.sin(), 0.0) * (radius + 0.1 + gap);
        let axis = JointKind::Revolute { axis: DVec3::Z };
        let links = vec![
            ("a".to_string(), vec![ball(DVec3::X * radius, 0.05)]),
            ("middle".to_string(), vec![]),
            ("b".to_string(), vec![ball(DVec3::ZERO, 0.05)]),
        ];
        let joints = vec![
            joint("middle", "a", Pose::IDENTITY, axis),
            joint("b", "middle", Pose::from_translation(far).unwrap(), axis),
        ];
        let robot = Robot::new("arc", links, joints).unwrap();
        let checker = Checker::new(robot, Pose::IDENTITY, Vec::new()).unwrap();
        // In the frame of the middle, the first ball is at minus the angle of its joint.
        let sector = (-angle / TAU * SECTORS as f64).floor() as i32;
        let bound = cells(&checker).bound(&query(&checker, 0.0), [sector, 3], 0);
        let least = (far.length() - radius) - 0.1;
        assert!(bound <= least, "{round}: {bound} of {least}");
        assert!(bound > 0.0 || least < 0.021, "{round}: nothing of {least}");
        proven += usize::from(bound > 0.0);
        unproven += usize::from(bound < 0.0 && least < 0.0);
    }
    assert!(proven > 250 && unproven > 250, "{proven} {unproven}");
}

/// All through a step that is proven apart, the distance is more than the requested one. Many steps are proven, and
/// many are not.
#[test]
fn steps_that_are_proven_apart_are_apart() {
    let state = &mut 71;
    let (mut apart, mut near, mut touching) = (0, 0, 0);
    for round in 0..150 {
        let checker = Checker::new(robot(state, round), Pose::IDENTITY, Vec::new()).unwrap();
        let cells = cells(&checker);
        for k in 0..12 {
            let size = [0.0, 0.1, 1.0, 3.0][k % 4];
            let from = [0, 1].map(|_| 10.0 * unit(state));
            let to = from.map(|angle| angle + size * unit(state));
            let [from, to] = [from, to].map(|angles| configuration(&checker, cells, angles));
            let motion = checker.motion(&from, &to).unwrap();
            let span = [[0.0, 1.0], [0.25, 0.5]][k % 2];
            let min_separation = [0.0, 0.05][k / 2 % 2];
            let at = |i: i32| span[0] + (span[1] - span[0]) * f64::from(i) / 60.0;
            let least = (0..=60).map(|i| distance(&checker, &motion, at(i))).fold(f64::INFINITY, f64::min);
            touching += usize::from(least <= min_separation);
            if cells.is_apart(&query(&checker, min_separation), &motion, span) {
                assert!(least > min_separation, "round {round}: {least}");
                apart += 1;
                near += usize::from(least < min_separation + 0.1);
            }
        }
    }
    assert!(apart > 800 && near > 60 && touching > 150, "{apart} {near} {touching}");
}

/// A joint that follows another with a factor that cancels an offset: its angle is not known well enough. Nor are cells
/// used where polynomials drive a joint: there the angles are not on a line.
#[test]
fn angles_that_are_not_known_prove_nothing() {
    let axis = JointKind::Revolute { axis: DVec3::Z };
    let build = |mimic: Option<Mimic>| {
        let links = vec![
            ("a".to_string(), vec![ball(DVec3::ZERO, 0.1)]),
            ("middle".to_string(), vec![]),
            ("b".to_string(), vec![ball(DVec3::ZERO, 0.1)]),
        ];
        let far = Pose::from_translation(DVec3::X).unwrap();
        let mut joints = vec![joint("middle", "a", far, axis), joint("b", "middle", far, axis)];
        joints[1].mimic = mimic;
        Checker::new(Robot::new("follows", links, joints).unwrap(), Pose::IDENTITY, Vec::new()).unwrap()
    };
    let follows =
        |multiplier: f64, offset: f64| Some(Mimic { joint: "to middle".into(), multiplier, offset });
    for (mimic, is_known) in [(follows(2.0, 0.5), true), (follows(1e12, -1e12), false)] {
        let checker = build(mimic);
        let motion = checker.motion(&[1.0], &[1.0]).unwrap();
        let is_apart = cells(&checker).is_apart(&query(&checker, 0.0), &motion, [0.0, 1.0]);
        assert_eq!(is_apart, is_known);
    }
    let checker = build(None);
    let course = Trajectory::spline(checker.robot(), &[0.0, 1.0], &[vec![0.0, 0.0], vec![1.0, 2.0]]).unwrap();
    let course = course.segment(0);
    let motion = RobotMotion::along(checker.robot(), checker.prepared(), Pose::IDENTITY, &course).unwrap();
    assert!(!cells(&checker).is_apart(&query(&checker, 0.0), &motion, [0.0, 1.0]));
    let steady = checker.motion(&[0.0, 0.0], &[1.0, 2.0]).unwrap();
    assert!(cells(&checker).is_apart(&query(&checker, 0.0), &steady, [0.0, 1.0]));
}

/// Bounds do not depend on the order in which they are measured, nor on threads.
#[test]
fn the_order_of_measuring_does_not_matter() {
    let state = &mut 83;
    for round in 0..12 {
        let robot = Arc::new(robot(state, round));
        let checkers =
            [0, 1, 2].map(|_| Checker::new(Arc::clone(&robot), Pose::IDENTITY, Vec::new()).unwrap());
        let all: Vec<[i32; 2]> = (0..40).map(|k| [k * 7 % 16, k * 5 % 16]).collect();
        let measured = |checker: &Checker, cell: &[i32; 2]| {
            cells(checker).bound(&query(checker, 0.0), *cell, 0).to_bits()
        };
        let forwards: Vec<u64> = all.iter().map(|cell| measured(&checkers[0], cell)).collect();
        let mut backwards: Vec<u64> = all.iter().rev().map(|cell| measured(&checkers[1], cell)).collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
        std::thread::scope(|scope| {
            let found = [0, 1].map(|_| {
                scope.spawn(|| all.iter().map(|cell| measured(&checkers[2], cell)).collect::<Vec<_>>())
            });
            found.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), forwards));
        });
    }
}

/// Cells, some of which are marked as close at random. If a line is proven apart, no point of it is in such cells of
/// all levels. Most lines that avoid all of them are proven apart.
#[test]
fn lines_visit_all_their_cells() {
    let state = &mut 97;
    let (mut apart, mut avoiding, mut all) = (0, 0, 0);
    for round in 0..30 {
        let checker = Checker::new(robot(state, round), Pose::IDENTITY, Vec::new()).unwrap();
        let cells = cells(&checker);
        for (level, close) in [0.1, 0.4].into_iter().enumerate() {
            for bound in &cells.level(level).bounds {
                let value = if unit(state).abs() < close { NOTHING } else { 1.0 };
                bound.store(value.to_bits(), Ordering::Relaxed);
            }
        }
        for k in 0..60 {
            let size = [0.0, 0.3, 1.0, 3.0][k % 4];
            let from = [0, 1].map(|_| 10.0 * unit(state));
            let to = from.map(|angle| angle + size * unit(state));
            let [from, to] = [from, to].map(|angles| configuration(&checker, cells, angles));
            let motion = checker.motion(&from, &to).unwrap();
            let is_avoiding = |t: f64| {
                let [a, b] = cells.sides.each_ref().map(|side| motion.turn(side.joint, [t, t]).unwrap().0[0]);
                (0..LEVELS).any(|level| {
                    let count = (SECTORS << level) as f64;
                    let cell = [a, b].map(|angle| (angle / TAU * count).floor() as i32);
                    cells.bound(&query(&checker, 0.0), cell, level) > 0.0
                })
            };
            let is_clear = (0..=1000).all(|i| is_avoiding(f64::from(i) / 1000.0));
            let is_apart = cells.is_apart(&query(&checker, 0.0), &motion, [0.0, 1.0]);
            assert!(is_clear || !is_apart, "round {round}, {from:?} to {to:?}");
            apart += usize::from(is_apart);
            avoiding += usize::from(is_clear);
            all += 1;
        }
    }
    assert!(apart > 1200 && avoiding - apart < 180 && all - avoiding > 200, "{apart} {avoiding} {all}");
}
