//! Derivatives of times of contact and of least distances, against differences of answers; and degenerate touches,
//! which are flagged.

#[allow(dead_code)]
use crate::mixed_bodies;
use crate::random;

use firsttouch::articulated::{
    Checker, Grasp, Joint, JointKind, LinkPart, Robot, RobotPath, RobotStep, Trajectory,
};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{Affine, Motion, Pose};
use firsttouch::shape::{Cone, Cuboid, Shape, Sphere};
use firsttouch::{Answer, Body, Degenerate, GoalChange, MotionGradient, Options, PoseGradient, Scene};
use glam::{DQuat, DVec3};
use mixed_bodies::{deforming, mesh, robot, solid};
use random::Random;

const EXACT: Options = Options { tolerance: 1e-12, ..Options::DEFAULT };

fn toi(scene: &Scene) -> Option<f64> {
    match scene.check(&EXACT).unwrap().answer {
        Answer::Touch(touch) => Some(touch.toi),
        _ => None,
    }
}

/// Returns the derivative of an answer by a parameter, by differences of fourth order; `None` if an answer is missing,
/// or if differences with half the step show a kink.
fn difference(f: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    let by = |h: f64| Some((8.0 * (f(h)? - f(-h)?) - (f(2.0 * h)? - f(-2.0 * h)?)) / (12.0 * h));
    let (coarse, fine) = (by(2e-3)?, by(1e-3)?);
    ((coarse - fine).abs() <= 1e-7 * (1.0 + fine.abs())).then_some(fine)
}

#[derive(Default)]
struct Count {
    compared: usize,
    skipped: usize,
    flagged: usize,
    worst: f64,
}

impl Count {
    fn compare(&mut self, exact: Option<f64>, found: f64, what: &str) {
        match exact {
            None => self.skipped += 1,
            Some(exact) => {
                let error = (found - exact).abs() / (1.0 + exact.abs());
                assert!(error <= 1e-6, "{what}: {found}, but differences say {exact}");
                self.compared += 1;
                self.worst = self.worst.max(error);
            }
        }
    }
}

/// The two ends of a motion, and the same with one number changed.
#[derive(Clone, Copy)]
struct Ends([(DVec3, DQuat); 2]);

impl Ends {
    fn moved(mut self, parameter: usize, by: f64) -> Ends {
        let (place, rotation) = &mut self.0[parameter / 6];
        match parameter % 6 {
            k @ 0..3 => place[k] += by,
            k => *rotation = DQuat::from_scaled_axis(DVec3::AXES[k - 3] * by) * *rotation,
        }
        self
    }

    fn motion(&self, screw: bool) -> Motion {
        let [from, to] = self.0.map(|(place, rotation)| Pose::new(place, rotation).unwrap());
        if screw { Motion::screw(from, to) } else { Motion::linear(from, to) }
    }
}

#[test]
fn the_time_of_contact_of_rigid_bodies() {
    let mut random = Random(99);
    let mut count = Count::default();
    for n in 0..40 {
        let shapes: [Shape; 2] = [0, 1].map(|_| match random.next() % 3 {
            0 => mesh(&mut random, 0.8).into(),
            _ => solid(&mut random, 0.9),
        });
        let mut end =
            |x: f64| (DVec3::X * x + random.vector(0.3), DQuat::from_scaled_axis(random.vector(0.6)));
        let ends = [Ends([end(-2.5), end(1.0)]), Ends([end(2.5), end(-1.0)])];
        let scene_of = |ends: [Ends; 2]| {
            let mut scene = Scene::default();
            scene.add(Body::new("a", shapes[0].clone(), ends[0].motion(n % 2 == 0))).unwrap();
            scene.add(Body::new("b", shapes[1].clone(), ends[1].motion(false))).unwrap();
            scene
        };
        let scene = scene_of(ends);
        let Answer::Touch(touch) = scene.check(&EXACT).unwrap().answer else { continue };
        let gradient = scene.toi_gradient(&touch, &EXACT).unwrap();
        if gradient.degenerate.is_some() {
            count.flagged += 1;
            continue;
        }
        for side in 0..2 {
            let MotionGradient::Poses { from, to } = &gradient.bodies[side] else { panic!("it is rigid") };
            let found: Vec<f64> = [from.translation, from.rotation, to.translation, to.rotation]
                .iter()
                .flat_map(|v| v.to_array())
                .collect();
            for parameter in (n % 3..12).step_by(3) {
                let exact = difference(|by| {
                    let mut moved = ends;
                    moved[side] = moved[side].moved(parameter, by);
                    toi(&scene_of(moved))
                });
                count.compare(exact, found[parameter], &format!("{n}: side {side}, parameter {parameter}"));
            }
        }
    }
    let Count { compared, skipped, flagged, worst } = count;
    println!("{compared} compared, {skipped} without a difference, {flagged} flagged, worst {worst:.1e}");
    assert!(compared >= 120 && skipped <= compared / 2, "{compared} compared, {skipped} skipped");
}

fn slide(joints: &RobotStep, end: usize, variable: usize, by: f64) -> RobotStep {
    let mut ends = [joints.from().to_vec(), joints.to().to_vec()];
    ends[end][variable] += by;
    let [from, to] = ends;
    RobotStep::new(joints.robot().clone(), joints.base(), from, to).unwrap()
}

#[test]
fn the_time_of_contact_of_robots_and_deforming_meshes() {
    let mut random = Random(123);
    let (mut joints, mut vertices) = (Count::default(), Count::default());
    for n in 0..16 {
        let ball = Body::new(
            "ball",
            Sphere::new(0.4).unwrap(),
            Motion::fixed(random.pose_near(DVec3::X * 1.5, 0.1)),
        );
        let step = robot(&mut random, DVec3::X * -0.5, DVec3::X * 1.5, false);
        let scene_of = |step: RobotStep| {
            let mut scene = Scene::default();
            scene.add(Body::robot("arm", step)).unwrap();
            scene.allow("arm", "arm").unwrap();
            scene.add(ball.clone()).unwrap();
            scene
        };
        let scene = scene_of(step.clone());
        if let Answer::Touch(touch) = scene.check(&EXACT).unwrap().answer {
            let gradient = scene.toi_gradient(&touch, &EXACT).unwrap();
            let MotionGradient::Joints { from, to } = &gradient.bodies[0] else { panic!("it is a robot") };
            if gradient.degenerate.is_some() {
                joints.flagged += 1;
            } else {
                for variable in [0, 1, 2, 7, 8] {
                    for end in 0..2 {
                        let exact = difference(|by| toi(&scene_of(slide(&step, end, variable, by))));
                        let found = [from, to][end][variable];
                        joints.compare(exact, found, &format!("{n}: joint {variable}, end {end}"));
                    }
                }
                // The checker agrees.
                let checker = Checker::new(step.robot().clone(), step.base(), vec![ball.clone()]).unwrap();
                let same = checker.toi_gradient(step.from(), step.to(), &EXACT).unwrap();
                if let Some(same) = same.filter(|same| (same.toi - touch.toi).abs() < 1e-9) {
                    let apart = same.from.iter().zip(from).chain(same.to.iter().zip(to));
                    assert!(
                        apart.clone().all(|(x, y)| (x - y).abs() < 1e-6 * (1.0 + y.abs())),
                        "{n}: {same:?}"
                    );
                }
            }
        }
        let cloth = deforming(&mut random, DVec3::X * -1.0, DVec3::X * 1.0);
        let frames = [cloth.frame(0), cloth.frame(1)];
        let scene_of = |frames: &[Vec<DVec3>; 2]| {
            let [t0, t1] = frames.clone();
            let mesh = Deformable::new(t0, t1, cloth.triangles().to_vec(), vec![], vec![]).unwrap();
            let mut scene = Scene::default();
            scene.add(Body::deforming("cloth", mesh)).unwrap();
            scene.allow("cloth", "cloth").unwrap();
            scene.add(ball.clone()).unwrap();
            scene
        };
        let scene = scene_of(&frames);
        let Answer::Touch(touch) = scene.check(&EXACT).unwrap().answer else { continue };
        let gradient = scene.toi_gradient(&touch, &EXACT).unwrap();
        if gradient.degenerate.is_some() {
            vertices.flagged += 1;
            continue;
        }
        let MotionGradient::Vertices(found) = &gradient.bodies[0] else { panic!("it deforms") };
        assert_eq!(found.len(), 3);
        for corner in found {
            for (end, part) in [corner.from, corner.to].into_iter().enumerate() {
                for axis in 0..3 {
                    let exact = difference(|by| {
                        let mut moved = frames.clone();
                        moved[end][corner.vertex as usize][axis] += by;
                        toi(&scene_of(&moved))
                    });
                    vertices.compare(exact, part[axis], &format!("{n}: {corner:?}, end {end}, axis {axis}"));
                }
            }
        }
    }
    for (what, count) in [("joints", joints), ("vertices", vertices)] {
        let Count { compared, skipped, flagged, worst } = count;
        println!(
            "{what}: {compared} compared, {skipped} without a difference, {flagged} flagged, worst {worst:.1e}"
        );
        assert!(compared >= 30, "{what}: {compared} compared, {skipped} skipped, {flagged} flagged");
    }
}

#[test]
fn the_least_distance() {
    let mut random = Random(31);
    let mut count = Count::default();
    for n in 0..20 {
        let shapes = [solid(&mut random, 0.8), solid(&mut random, 0.8)];
        let mut end = |at: DVec3| (at + random.vector(0.2), DQuat::from_scaled_axis(random.vector(0.4)));
        let ends = [
            Ends([end(DVec3::new(-2.0, 0.0, 0.0)), end(DVec3::new(2.0, 0.0, 0.0))]),
            Ends([end(DVec3::new(0.0, 2.5, 0.0)), end(DVec3::new(0.0, 2.2, 0.0))]),
        ];
        let scene_of = |ends: [Ends; 2]| {
            let mut scene = Scene::default();
            scene.add(Body::new("a", shapes[0].clone(), ends[0].motion(false))).unwrap();
            scene.add(Body::new("b", shapes[1].clone(), ends[1].motion(false))).unwrap();
            scene
        };
        let least = |scene: &Scene| scene.clearance(&EXACT).unwrap().filter(|found| found.lower > 0.0);
        let scene = scene_of(ends);
        let Some(clearance) = least(&scene) else { continue };
        let gradient = scene.clearance_gradient(&clearance);
        assert_eq!(gradient.degenerate, None);
        for side in 0..2 {
            let MotionGradient::Poses { from, to } = &gradient.bodies[side] else { panic!("it is rigid") };
            let found =
                [from.translation, from.rotation, to.translation, to.rotation].map(|v| v.to_array()).concat();
            for parameter in (n % 4..12).step_by(4) {
                let exact = difference(|by| {
                    let mut moved = ends;
                    moved[side] = moved[side].moved(parameter, by);
                    least(&scene_of(moved)).map(|found| found.upper)
                });
                count.compare(exact, found[parameter], &format!("{n}: side {side}, parameter {parameter}"));
            }
        }
    }
    let Count { compared, skipped, worst, .. } = count;
    println!("{compared} compared, {skipped} without a difference, worst {worst:.1e}");
    assert!(compared >= 40, "{compared} compared, {skipped} skipped");
}

/// The least distance by both configurations of a robot and by the vertices of a deforming mesh.
#[test]
fn the_least_distance_of_robots_and_deforming_meshes() {
    let mut random = Random(77);
    let (mut joints, mut vertices) = (Count::default(), Count::default());
    let least = |scene: &Scene| scene.clearance(&EXACT).unwrap().filter(|found| found.lower > 0.0);
    for n in 0..16 {
        let place = random.pose_near(DVec3::new(0.5, 2.5, 0.0), 0.1);
        let ball = Body::new("ball", Sphere::new(0.4).unwrap(), Motion::fixed(place));
        let step = robot(&mut random, DVec3::X * -0.5, DVec3::X * 1.5, false);
        let scene_of = |step: RobotStep| {
            let mut scene = Scene::default();
            scene.add(Body::robot("arm", step)).unwrap();
            scene.allow("arm", "arm").unwrap();
            scene.add(ball.clone()).unwrap();
            scene
        };
        let scene = scene_of(step.clone());
        if let Some(found) = least(&scene) {
            let gradient = scene.clearance_gradient(&found);
            let MotionGradient::Joints { from, to } = &gradient.bodies[0] else { panic!("it is a robot") };
            for (variable, end) in
                [0, 1, 2, 7, 8].into_iter().flat_map(|variable| [(variable, 0), (variable, 1)])
            {
                let exact = difference(|by| {
                    least(&scene_of(slide(&step, end, variable, by))).map(|found| found.upper)
                });
                joints.compare(
                    exact,
                    [from, to][end][variable],
                    &format!("{n}: joint {variable}, end {end}"),
                );
            }
        }
        let cloth = deforming(&mut random, DVec3::X * -1.0, DVec3::X * 2.0);
        let frames = [cloth.frame(0), cloth.frame(1)];
        let scene_of = |frames: &[Vec<DVec3>; 2]| {
            let [t0, t1] = frames.clone();
            let mesh = Deformable::new(t0, t1, cloth.triangles().to_vec(), vec![], vec![]).unwrap();
            let mut scene = Scene::default();
            scene.add(Body::deforming("cloth", mesh)).unwrap();
            scene.allow("cloth", "cloth").unwrap();
            scene.add(ball.clone()).unwrap();
            scene
        };
        let scene = scene_of(&frames);
        let Some(found) = least(&scene) else { continue };
        let gradient = scene.clearance_gradient(&found);
        let MotionGradient::Vertices(corners) = &gradient.bodies[0] else { panic!("it deforms") };
        for corner in corners {
            for (end, part) in [corner.from, corner.to].into_iter().enumerate() {
                for axis in 0..3 {
                    let exact = difference(|by| {
                        let mut moved = frames.clone();
                        moved[end][corner.vertex as usize][axis] += by;
                        least(&scene_of(&moved)).map(|found| found.upper)
                    });
                    vertices.compare(exact, part[axis], &format!("{n}: {corner:?}, end {end}, axis {axis}"));
                }
            }
        }
    }
    for (what, count) in [("joints", joints), ("vertices", vertices)] {
        let Count { compared, skipped, worst, .. } = count;
        println!("{what}: {compared} compared, {skipped} without a difference, worst {worst:.1e}");
        assert!(compared >= 30 && skipped <= compared, "{what}: {compared} compared, {skipped} skipped");
    }
}

/// A box that lands flat, a ball that only just grazes another, and a touch at the start have no derivative.
#[test]
fn degenerate_touches_are_flagged() {
    let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.0, z)).unwrap();
    let floor =
        || Body::new("floor", Cuboid::new(DVec3::new(9.0, 9.0, 1.0)).unwrap(), Motion::fixed(at(0.0, -0.5)));
    let flagged = |body: Body, other: Body| {
        let mut scene = Scene::default();
        scene.add(body).unwrap();
        scene.add(other).unwrap();
        let options = Options::default();
        let answer = scene.check(&options).unwrap().answer;
        scene.toi_gradient(answer.touch().expect("they touch"), &options).unwrap().degenerate
    };
    let cube = |motion: Motion| Body::new("cube", Cuboid::new(DVec3::ONE).unwrap(), motion);
    let ball = |motion: Motion| Body::new("ball", Sphere::new(1.0).unwrap(), motion);
    assert_eq!(
        flagged(cube(Motion::linear(at(0.0, 2.0), at(0.0, 0.0))), floor()),
        Some(Degenerate::SeveralFeatures)
    );
    assert_eq!(flagged(ball(Motion::linear(at(0.0, 4.0), at(0.0, 0.0))), floor()), None);
    assert_eq!(flagged(ball(Motion::linear(at(0.0, 1.0), at(0.0, 4.0))), floor()), Some(Degenerate::AtStart));
    let passing = Motion::linear(at(-4.0, 2.0), at(4.0, 2.0));
    let other = Body::new("other", Sphere::new(1.0).unwrap(), Motion::fixed(Pose::IDENTITY));
    assert_eq!(flagged(ball(passing), other), Some(Degenerate::Grazing));
}

/// Obstacles that lie on each other, and a link that stands on one, made the touch of another link look like several
/// touches at once: all contacts of the scene were counted, also those that a checker does not search.
#[test]
fn contacts_that_are_not_checked_are_no_touch() {
    let part = |x: f64| {
        let pose = Pose::from_translation(DVec3::X * x).unwrap();
        vec![LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose }]
    };
    let slide = Joint {
        name: "slide".into(),
        parent: "foot".into(),
        child: "ball".into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    let links = vec![("foot".to_string(), part(-10.0)), ("ball".to_string(), part(0.0))];
    let robot = Robot::new("slider", links, vec![slide]).unwrap();
    let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0)).unwrap();
    let ball = |name: &str, motion: Motion| Body::new(name, Sphere::new(1.0).unwrap(), motion);
    let obstacles = vec![
        ball("post", Motion::fixed(at(10.0, 0.0))),
        // Under the foot, one on the other, and one that moves along them.
        ball("stone", Motion::fixed(at(-10.0, 1.0))),
        ball("lower", Motion::fixed(at(0.0, 50.0))),
        ball("upper", Motion::fixed(at(1.0, 50.0))),
        ball("beside", Motion::linear(at(0.0, 51.0), at(1.0, 51.0))),
    ];
    let mut checker = Checker::new(robot, Pose::IDENTITY, obstacles).unwrap();
    checker.allow("foot", "stone").unwrap();
    let options = Options::default();
    let found = checker.toi_gradient(&[0.0], &[16.0], &options).unwrap().expect("they touch at x = 8");
    assert_eq!(found.degenerate, None);
    assert!((found.from[0] + 0.5 / 16.0).abs() < 1e-7, "{found:?}");
    let way = Trajectory::linear(checker.robot(), &[0.0, 1.0], &[vec![0.0], vec![16.0]]).unwrap();
    let found = checker.toi_gradient_along(&way, &options).unwrap().expect("they touch at x = 8");
    assert!(found.degenerate.is_none() && (found.shift[0] + 1.0 / 16.0).abs() < 1e-7, "{found:?}");
}

fn at(v: DVec3) -> Pose {
    Pose::from_translation(v).unwrap()
}

/// A ball slides at a constant height over a floor. If its end is higher, the start is closest, and the derivative is
/// zero; if it is lower, the end is. Left and right derivative are 1 and 0. The answer was 0 and had no flag.
#[test]
fn a_distance_that_stays_constant_has_no_derivative() {
    let scene = |dz: f64| {
        let way = Motion::linear(at(DVec3::new(-2.0, 0.0, 3.0)), at(DVec3::new(2.0, 0.0, 3.0 + dz)));
        let mut scene = Scene::default();
        scene.add(Body::new("ball", Sphere::new(1.0).unwrap(), way)).unwrap();
        let floor = Cuboid::new(DVec3::new(9.0, 9.0, 1.0)).unwrap();
        scene.add(Body::new("floor", floor, Motion::fixed(Pose::IDENTITY))).unwrap();
        let clearance = scene.clearance(&EXACT).unwrap().unwrap();
        let gradient = scene.clearance_gradient(&clearance);
        (clearance.upper, gradient)
    };
    assert_eq!(scene(0.0).1.degenerate, Some(Degenerate::SeveralFeatures));
    // With a slope there is one time.
    for dz in [-0.1, 0.1] {
        let (_, gradient) = scene(dz);
        assert_eq!(gradient.degenerate, None, "{dz}");
        let MotionGradient::Poses { to, .. } = &gradient.bodies[0] else { panic!("it is rigid") };
        assert!((to.translation.z - if dz < 0.0 { 1.0 } else { 0.0 }).abs() < 1e-9, "{gradient:?}");
    }
}

/// A box above a floor, and a box that stands on an edge: no one point is closest. Two posts at the same distance: the
/// side decides which one is closest.
#[test]
fn closest_points_that_are_not_unique_are_flagged() {
    let flag = |rotation: DQuat, posts: bool| {
        let mut scene = Scene::default();
        let falls = [4.0, 3.0].map(|z| Pose::new(DVec3::Z * z, rotation).unwrap());
        let cube = Cuboid::new(DVec3::splat(2.0)).unwrap();
        scene.add(Body::new("cube", cube, Motion::linear(falls[0], falls[1]))).unwrap();
        if posts {
            for x in [-3.0, 3.0] {
                let ball = Sphere::new(0.5).unwrap();
                scene
                    .add(Body::new(format!("{x}"), ball, Motion::fixed(at(DVec3::new(x, 0.0, 3.0)))))
                    .unwrap();
            }
        } else {
            let floor = Cuboid::new(DVec3::new(9.0, 9.0, 1.0)).unwrap();
            scene.add(Body::new("floor", floor, Motion::fixed(Pose::IDENTITY))).unwrap();
        }
        let clearance = scene.clearance(&EXACT).unwrap().unwrap();
        scene.clearance_gradient(&clearance).degenerate
    };
    let several = Some(Degenerate::SeveralFeatures);
    assert_eq!(flag(DQuat::IDENTITY, false), several);
    assert_eq!(flag(DQuat::from_rotation_x(0.7), false), several);
    assert_eq!(flag(DQuat::from_rotation_x(0.7) * DQuat::from_rotation_y(0.5), false), None);
    assert_eq!(flag(DQuat::IDENTITY, true), several);
}

/// A hand that turns by 81 degrees takes up a ball at (2, 0), and carries it towards a post at (0, 5), or leaves it and
/// goes on.
fn carried(x: f64, y: f64, until: Option<usize>) -> Scene {
    let turn = Joint {
        name: "turn".into(),
        parent: "base".into(),
        child: "hand".into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Revolute { axis: DVec3::Z },
        limits: None,
        mimic: None,
    };
    let robot = Robot::new("r", vec![("base".into(), vec![]), ("hand".into(), vec![])], vec![turn]).unwrap();
    let goal = 0.9 * std::f64::consts::FRAC_PI_2;
    let values = [0.0, 0.0, goal, goal].map(|angle| vec![angle]);
    let count = if until.is_some() { 4 } else { 3 };
    let way = Trajectory::linear(&robot, &[0.0, 1.0, 2.0, 3.0][..count], &values[..count]).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::robot_along("arm", RobotPath::new(robot, Pose::IDENTITY, way).unwrap())).unwrap();
    let place = Motion::fixed(at(DVec3::new(2.0 + x, y, 0.0)));
    scene.add(Body::new("load", Sphere::new(0.5).unwrap(), place)).unwrap();
    // While it lies there again, another body passes by.
    let post = if until.is_some() {
        Motion::linear(at(DVec3::new(0.0, 9.0, 0.0)), at(DVec3::new(0.0, 4.0, 0.0)))
    } else {
        Motion::fixed(at(DVec3::Y * 5.0))
    };
    scene.add(Body::new("post", Sphere::new(0.5).unwrap(), post)).unwrap();
    scene
        .grasp("arm", Grasp { body: "load".into(), link: "hand".into(), from: 1, until, ..Grasp::default() })
        .unwrap();
    scene
}

/// The derivative by the place of the load before it was taken up was that of a body that stays there: (0.103, -0.995)
/// instead of (-0.966, -0.257). The same held for the place where it is left.
#[test]
fn a_load_counts_where_it_is_carried() {
    for until in [None, Some(2)] {
        let least = |x: f64, y: f64| carried(x, y, until).clearance(&EXACT).unwrap().unwrap();
        let difference = |x: f64, y: f64| (least(x, y).upper - least(-x, -y).upper) / 2e-6;
        let found = least(0.0, 0.0);
        let gradient = carried(0.0, 0.0, until).clearance_gradient(&found);
        let (by, shift) = match &gradient.bodies[0] {
            MotionGradient::Held { shift, pose: PoseGradient { translation, .. } } => {
                (*translation, Some(shift[0]))
            }
            MotionGradient::Poses { from, to } => (from.translation + to.translation, None),
            other => panic!("{other:?}"),
        };
        assert_eq!((gradient.degenerate, shift.is_some()), (None, until.is_none()));
        let exact = DVec3::new(difference(1e-6, 0.0), difference(0.0, 1e-6), 0.0);
        assert!((by - exact).length() < 1e-5, "{by}, but {exact}");
        if let Some(shift) = shift {
            // A turn of the hand at the end moves the load by 2 along the circle. The post lies beyond, in the
            // direction of 90 degrees.
            let load = DVec3::new(found.points[0].x, found.points[0].y, 0.0);
            let along = DVec3::Z.cross(load);
            assert!((shift + found.normal.dot(along)).abs() < 1e-9, "{shift}");
        }
    }
    // The same for a time of contact: a post that comes towards the load while it is carried.
    let scene = |x: f64, y: f64| {
        let mut scene = carried(x, y, None);
        scene.remove("post").unwrap();
        scene
            .add(Body::new("post", Sphere::new(0.5).unwrap(), Motion::fixed(at(DVec3::new(1.2, 1.9, 0.0)))))
            .unwrap();
        scene
    };
    let difference = |x: f64, y: f64| (toi(&scene(x, y)).unwrap() - toi(&scene(-x, -y)).unwrap()) / 2e-6;
    let answer = scene(0.0, 0.0).check(&EXACT).unwrap().answer;
    let gradient = scene(0.0, 0.0).toi_gradient(answer.touch().unwrap(), &EXACT).unwrap();
    let MotionGradient::Held { pose, .. } = &gradient.bodies[0] else { panic!("{gradient:?}") };
    let exact = DVec3::new(difference(1e-6, 0.0), difference(0.0, 1e-6), 0.0);
    assert_eq!(gradient.degenerate, None);
    assert!((pose.translation - exact).length() < 1e-4, "{pose:?}, but {exact}");
    // Its goal cannot be changed alone.
    let change = GoalChange::Twist { translation: DVec3::X, rotation: DVec3::ZERO };
    assert!(carried(0.0, 0.0, None).max_safe_scale("load", &change, &EXACT).is_err());
}

/// The speed at which the points of a growing ellipsoid move was left out: a ball in its way was hit at a derivative
/// that was infinite, or wrong.
#[test]
fn a_growing_ellipsoid_closes_in() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let growing = Affine::from_power_basis(DVec3::ONE, &[unit, unit.map(|x| 4.0 * x)], &[], &[]).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::affine("balloon", growing)).unwrap();
    let ball = Motion::linear(at(DVec3::X * 6.0), at(DVec3::X * 4.0));
    scene.add(Body::new("ball", Sphere::new(1.0).unwrap(), ball)).unwrap();
    // 1 + 4 t = 5 - 2 t at t = 2/3. A shift of the ball by 1 changes the time by 1/6.
    let answer = scene.check(&EXACT).unwrap().answer;
    let gradient = scene.toi_gradient(answer.touch().unwrap(), &EXACT).unwrap();
    let MotionGradient::Poses { from, to } = &gradient.bodies[1] else { panic!("it is rigid") };
    assert_eq!(gradient.degenerate, None);
    assert!((from.translation.x - 1.0 / 18.0).abs() < 1e-7 && (to.translation.x - 1.0 / 9.0).abs() < 1e-7);
}

/// The tip of a cone comes over the edge of a box, at a slope of 1 to 4, and lands on the face 0.00009 behind it. Of
/// the two instants before the contact from which the derivative is extrapolated, the tip was over the face at one and
/// a little outside at the other: the normals differed by 0.008, and the derivative was wrong by 3 %.
#[test]
fn a_tip_that_lands_just_behind_an_edge() {
    let behind = 3.992 * 2.0 * 1e-5 * 1.25_f64.sqrt();
    let scene = |z: f64| {
        let down = DQuat::from_rotation_x(std::f64::consts::PI);
        // The tip is half the height below the origin.
        let pose = |x: f64, tip: f64| Pose::new(DVec3::new(x - behind, 0.0, tip + 0.5 + z), down).unwrap();
        let way = Motion::linear(pose(2.0, 0.5), pose(-2.0, -0.5));
        let mut scene = Scene::default();
        scene.add(Body::new("cone", Cone::new(0.5, 1.0).unwrap(), way)).unwrap();
        let place = Motion::fixed(at(DVec3::new(-1.0, 0.0, -0.5)));
        scene.add(Body::new("box", Cuboid::new(DVec3::new(2.0, 2.0, 1.0)).unwrap(), place)).unwrap();
        scene
    };
    let answer = scene(0.0).check(&EXACT).unwrap().answer;
    let gradient = scene(0.0).toi_gradient(answer.touch().unwrap(), &EXACT).unwrap();
    let exact = (toi(&scene(1e-7)).unwrap() - toi(&scene(-1e-7)).unwrap()) / 2e-7;
    assert!((exact - 1.0).abs() < 1e-4, "{exact}");
    let MotionGradient::Poses { from, to } = &gradient.bodies[0] else { panic!("it is rigid") };
    assert_eq!(gradient.degenerate, None);
    assert!((from.translation.z + to.translation.z - 1.0).abs() < 1e-6, "{gradient:?}");
}

/// Half a turn goes one way or the other.
#[test]
fn half_a_turn_is_flagged() {
    for (angle, is_flagged) in [(std::f64::consts::PI, true), (3.13, false)] {
        let place = |x: f64, angle: f64| {
            Pose::new(DVec3::X * x, DQuat::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), angle)).unwrap()
        };
        let mut scene = Scene::default();
        let way = Motion::linear(place(-4.0, 0.0), place(0.0, angle));
        scene.add(Body::new("box", Cuboid::new(DVec3::new(1.0, 0.7, 0.4)).unwrap(), way)).unwrap();
        let ball = Sphere::new(0.5).unwrap();
        scene.add(Body::new("ball", ball, Motion::fixed(at(DVec3::new(0.3, 0.2, 0.1))))).unwrap();
        let answer = scene.check(&EXACT).unwrap().answer;
        let flag = scene.toi_gradient(answer.touch().unwrap(), &EXACT).unwrap().degenerate;
        assert_eq!(flag, is_flagged.then_some(Degenerate::HalfTurn), "{angle}");
    }
}
