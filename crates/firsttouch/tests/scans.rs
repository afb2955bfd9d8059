//! Robots among clouds, octrees and height fields: the same answers as among their pieces.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, HeightField, Octree, OctreeCell, PointCloud, Shape, Sphere};
use firsttouch::{Answer, Body, Options};
use glam::{DVec2, DVec3};

use crate::random::Random;

fn direction(random: &mut Random) -> DVec3 {
    (random.vector(1.0) + DVec3::splat(1e-3)).normalize()
}

/// Two joints and two bones of length 0.5; the second also has a box.
fn arm(random: &mut Random) -> Robot {
    let bone = || LinkPart {
        shape: Capsule::new(0.05, 0.4).unwrap().into(),
        pose: Pose::from_translation(DVec3::Z * 0.25).unwrap(),
    };
    let plate = LinkPart {
        shape: Cuboid::new(DVec3::new(0.2, 0.1, 0.05)).unwrap().into(),
        pose: Pose::from_translation(DVec3::Z * 0.5).unwrap(),
    };
    let joint = |name: &str, parent: &str, child: &str, z: f64, axis: DVec3| Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin: Pose::from_translation(DVec3::Z * z).unwrap(),
        kind: JointKind::Revolute { axis },
        limits: None,
        mimic: None,
    };
    let tilted = DVec3::new(random.range(-0.5, 0.5), 1.0, 0.0);
    let links =
        vec![("base".into(), vec![]), ("upper".into(), vec![bone()]), ("lower".into(), vec![bone(), plate])];
    let joints = vec![
        joint("pan", "base", "upper", 0.0, DVec3::Z + 0.3 * tilted),
        joint("elbow", "upper", "lower", 0.55, tilted),
    ];
    Robot::new("arm", links, joints).unwrap()
}

/// A scan, and its pieces as shapes at their own places.
fn scan(random: &mut Random, kind: usize) -> (Shape, Vec<(Shape, DVec3)>) {
    match kind {
        0 => {
            let radius = random.range(0.01, 0.05);
            // Patches of points at about the reach of the arm.
            let patches: Vec<(DVec3, DVec3)> =
                (0..8).map(|_| (direction(random) * random.range(0.7, 1.5), direction(random))).collect();
            let points: Vec<DVec3> = (0..400)
                .map(|k| {
                    let (center, normal) = patches[k % patches.len()];
                    let (u, v) = normal.any_orthonormal_pair();
                    center + u * random.range(-0.15, 0.15) + v * random.range(-0.15, 0.15)
                })
                .collect();
            let ball: Shape = Sphere::new(radius).unwrap().into();
            let pieces = points.iter().map(|&point| (ball.clone(), point)).collect();
            (PointCloud::new(points, radius).unwrap().into(), pieces)
        }
        1 => {
            let cells: Vec<OctreeCell> = (0..200)
                .map(|_| {
                    let at = direction(random) * random.range(0.7, 1.5) / 0.05;
                    OctreeCell {
                        key: at.to_array().map(|x| x.floor() as i32),
                        level: (random.next() % 2) as u8,
                    }
                })
                .collect();
            let tree = Octree::new(0.05, cells).unwrap();
            let piece = |k: usize| {
                let (center, half) = tree.cell_box(k);
                (Cuboid::new(2.0 * half).unwrap().into(), center)
            };
            let pieces = (0..tree.cells().len()).map(piece).collect();
            (tree.into(), pieces)
        }
        _ => {
            let low = random.range(0.35, 1.0);
            let heights = (0..25 * 25).map(|_| -low + random.range(0.0, 0.2)).collect();
            let field = HeightField::new(25, 25, DVec2::splat(3.0), heights).unwrap();
            let mesh = field.to_mesh().into();
            (field.into(), vec![(mesh, DVec3::ZERO)])
        }
    }
}

/// The windows of a robot go down the boxes of a scan. Their proofs must hold for every piece: the pieces as separate
/// obstacles do not take this route.
#[test]
fn a_scan_is_its_pieces() {
    let mut random = Random(31);
    let (mut free, mut touch) = (0, 0);
    for case in 0..240 {
        let robot = arm(&mut random);
        let (shape, pieces) = scan(&mut random, case % 3);
        let there = if case % 2 == 0 { Pose::IDENTITY } else { random.pose(0.2) };
        let at = |offset: DVec3| {
            let pose = there.at();
            Motion::fixed(Pose::new(pose.apply(offset), there.rotation()).unwrap())
        };
        let whole = Body::new("scan", shape, Motion::fixed(there));
        let apart: Vec<Body> = pieces
            .into_iter()
            .enumerate()
            .map(|(k, (shape, offset))| Body::new(format!("piece {k}"), shape, at(offset)))
            .collect();
        let [mut one, mut many] = [vec![whole], apart]
            .map(|obstacles| Checker::new(robot.clone(), Pose::IDENTITY, obstacles).unwrap());
        let padding = if case % 5 == 0 { 0.03 } else { 0.0 };
        one.set_padding(padding).unwrap();
        many.set_padding(padding).unwrap();
        for step in 0..4 {
            let from = [random.range(-3.0, 3.0), random.range(-2.0, 2.0)];
            let by = if step == 0 { 3.0 } else { 0.4 };
            let to = [from[0] + random.range(-by, by), from[1] + random.range(-by, by)];
            let options =
                Options { min_separation: if step == 3 { 0.02 } else { 0.0 }, ..Options::default() };
            let [a, b] =
                [&one, &many].map(|checker| checker.check_step(&from, &to, &options).unwrap().answer);
            match (&a, &b) {
                (Answer::Free, Answer::Free) => free += 1,
                (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => {}
                (Answer::Touch(x), Answer::Touch(y)) => {
                    touch += 1;
                    assert!((x.toi - y.toi).abs() < 1e-4, "{case} {step}: {} {}", x.toi, y.toi);
                }
                _ => panic!("{case} {step}: {a:?} {b:?}"),
            }
            let [a, b] = [&one, &many].map(|checker| checker.check_state(&from, &options).unwrap().answer);
            assert_eq!(a == Answer::Free, b == Answer::Free, "{case} {step}");
        }
    }
    assert!(free >= 300 && touch >= 60, "{free} free, {touch} touch");
}

/// Far from the origin, and with a stray point a million kilometres away, boxes are rounded coarsely. The proofs must
/// have room for that.
#[test]
fn a_scan_far_away_is_its_pieces() {
    let mut random = Random(57);
    let (mut free, mut touch) = (0, 0);
    for case in 0..150 {
        let robot = arm(&mut random);
        let (shape, mut pieces) = scan(&mut random, 0);
        let Shape::PointCloud(cloud) = &shape else { panic!("a cloud") };
        let stray = direction(&mut random) * 1e9;
        let points: Vec<DVec3> = pieces.iter().map(|&(_, point)| point).chain([stray]).collect();
        let with_stray = PointCloud::new(points, cloud.radius()).unwrap();
        pieces.push((Sphere::new(cloud.radius()).unwrap().into(), stray));
        // Powers of two: the places of the pieces are rounded as little as those of the points.
        let offset = DVec3::splat([0.0, 1024.0, 1048576.0][case % 3]);
        let base = Pose::from_translation(offset).unwrap();
        let whole = Body::new("scan", with_stray, Motion::fixed(base));
        let apart = pieces.into_iter().enumerate().map(|(k, (shape, point))| {
            Body::new(
                format!("piece {k}"),
                shape,
                Motion::fixed(Pose::from_translation(offset + point).unwrap()),
            )
        });
        let [one, many] = [vec![whole], apart.collect()]
            .map(|obstacles| Checker::new(robot.clone(), base, obstacles).unwrap());
        for _ in 0..4 {
            let from = [random.range(-3.0, 3.0), random.range(-2.0, 2.0)];
            let to = [from[0] + random.range(-1.0, 1.0), from[1] + random.range(-1.0, 1.0)];
            let options = Options::default();
            let [a, b] =
                [&one, &many].map(|checker| checker.check_step(&from, &to, &options).unwrap().answer);
            match (&a, &b) {
                (Answer::Free, Answer::Free) => free += 1,
                (Answer::TouchingAtStart(_), Answer::TouchingAtStart(_)) => {}
                (Answer::Touch(x), Answer::Touch(y)) => {
                    touch += 1;
                    assert!((x.toi - y.toi).abs() < 1e-4, "{case}: {} {}", x.toi, y.toi);
                }
                _ => panic!("{case}: {a:?} {b:?}"),
            }
        }
    }
    assert!(free >= 60 && touch >= 20, "{free} free, {touch} touch");
}

/// Returns a ball of radius 1 on a rail along an axis, from −5 to 5, past a cloud of one point.
fn ball_past_a_point(axis: DVec3, radius: f64, cloud: Pose, point: DVec3, min_separation: f64) -> Answer {
    let rail = Joint {
        name: "rail".into(),
        parent: "base".into(),
        child: "ball".into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis },
        limits: None,
        mimic: None,
    };
    let ball = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let robot = Robot::new("ball", vec![("base".into(), vec![]), ("ball".into(), vec![ball])], vec![rail]);
    let scan = Body::new("scan", PointCloud::new(vec![point], radius).unwrap(), Motion::fixed(cloud));
    let checker = Checker::new(robot.unwrap(), Pose::IDENTITY, vec![scan]).unwrap();
    let options = Options { min_separation, ..Options::default() };
    checker.check_step(&[-5.0], &[5.0], &options).unwrap().answer
}

/// The box that a ball never leaves is compared with the boxes of a cloud. It must be enlarged by the radius of the
/// points and by the separation: the ball passes the point at 1.4, so that 0.1 is between the two. Without either of
/// them the boxes are apart.
#[test]
fn boxes_of_a_cloud_leave_room_for_its_radius_and_the_separation() {
    let answer = |separation: f64| {
        ball_past_a_point(DVec3::X, 0.3, Pose::IDENTITY, DVec3::new(0.0, 1.4, 0.0), separation)
    };
    assert_eq!(answer(0.09), Answer::Free);
    let Answer::Touch(touch) = answer(0.2) else { panic!("they are 0.1 apart halfway") };
    // The centres are 1.5 apart then, and 1.4 across the rail.
    let exact = 0.5 - (1.5_f64 * 1.5 - 1.4 * 1.4).sqrt() / 10.0;
    assert!(touch.toi <= exact && touch.toi > exact - 1e-5, "{touch:?}");
}

/// A cloud that is turned by an eighth of a circle. In its frame the box of a ball that flies along y is as long along
/// x as along y.
#[test]
fn the_box_of_a_part_is_turned_into_the_frame_of_the_cloud() {
    for axis in DVec3::AXES {
        for (about, of) in [(DVec3::X, 0), (DVec3::Y, 1), (DVec3::Z, 2)] {
            if axis[of] != 0.0 {
                continue;
            }
            let turn = glam::DQuat::from_axis_angle(about, 0.25 * std::f64::consts::PI);
            let cloud = Pose::new(DVec3::ZERO, turn).unwrap();
            let point = turn.inverse() * (3.0 * axis);
            let answer = ball_past_a_point(axis, 0.1, cloud, point, 0.0);
            let Answer::Touch(touch) = answer else { panic!("the ball hits the point: {axis} {about}") };
            // The centres are 1.1 apart when the ball is at 1.9.
            assert!(touch.toi <= 0.69 + 1e-12 && touch.toi > 0.69 - 1e-5, "{touch:?}");
        }
    }
}
