//! Trains: four that run into each other, and one that falls on a mountain.
//!
//! A train is a chain of cars, a locomotive first, coupled by ball joints; its head floats. A car is a body with
//! pressed panels, a roof, a chassis, eight wheels, two ladders and two couplings; a locomotive has a boiler, a
//! chimney, a dome, a cab and a cowcatcher. The trains move by the physics of `rope.rs`, and collision detection stops
//! them: a step that touches ends shortly before the touch, the two cars bounce, and the next step begins there.
//!
//! Reference: Zhang, Redon, Lee, Kim 2007, Sec. 8.1 and Figure 11. Its 179574 pairs before culling are those of 600
//! parts: 15 for each of 40 cars, as here. The paper's dynamics are not described.

use std::f64::consts::{PI, TAU};

use firsttouch::Part;
use firsttouch::articulated::{JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Mesh;
use firsttouch::{Answer, Body, Options, Result};
use glam::{DQuat, DVec3, dvec3};

use crate::play::{Posture, RobotScenario, joint, part};
use crate::rope::{Rope, World, fly};
use crate::surface::{Surface, cells};

/// The number of triangles of each of the paper's four trains.
pub const TRIANGLES: usize = 23_000;
/// The number of triangles of the paper's falling train.
pub const FALLING_TRIANGLES: usize = 42_000;
/// The number of triangles of the paper's mountain.
pub const MOUNTAIN_TRIANGLES: usize = 29_000;

/// The distance from one coupling to the next.
const LENGTH: f64 = 1.6;
/// The height of a coupling over the rails.
const COUPLING: f64 = 0.2;
/// The time of a step.
const DT: f64 = 1.0 / 30.0;

/// Returns the 15 parts of a car or, for the first of a train, of a locomotive. The front coupling is the origin and
/// the car extends towards -x.
fn car_parts(triangles: f64, locomotive: bool) -> Result<Vec<Mesh>> {
    let mut parts = Vec::new();
    let mut add = |build: &dyn Fn(&mut Surface)| -> Result<()> {
        let mut surface = Surface::default();
        build(&mut surface);
        parts.push(surface.mesh()?);
        Ok(())
    };
    let panels = |share: f64| ((share * triangles / 12.0).sqrt().round()).max(1.0) as u32;
    // A surface of revolution along x instead of z.
    let lying = |surface: Surface| surface.moved(|p| dvec3(p.z, p.x, p.y));
    add(&|s| s.panelled_box(dvec3(-1.46, -0.16, -0.06), dvec3(-0.14, 0.16, 0.02), panels(0.05), 4, 0.02))?;
    for axle in [-0.32, -0.52, -1.08, -1.28] {
        for side in [-0.19, 0.19] {
            add(&|s| {
                let (around, along) = cells(0.035 * triangles, 2.0);
                let mut wheel = Surface::default();
                // A flange, a tread, and a hub in a hollow.
                let profile = [
                    (0.0, -0.02),
                    (0.05, -0.02),
                    (0.09, -0.01),
                    (0.12, -0.02),
                    (0.12, 0.0),
                    (0.1, 0.02),
                    (0.0, 0.02),
                ];
                wheel.revolved(around, along, |_, v| {
                    let at = v * 6.0;
                    let k = (at.floor() as usize).min(5);
                    let (a, b) = (profile[k], profile[k + 1]);
                    (a.0 + (b.0 - a.0) * (at - k as f64), a.1 + (b.1 - a.1) * (at - k as f64))
                });
                // Its axis is across.
                let wheel = wheel.moved(|p| dvec3(axle + p.y, side + p.z, -0.08 + p.x));
                s.add(&wheel, &Pose::IDENTITY);
            })?;
        }
    }
    if locomotive {
        add(&|s| {
            let (around, along) = cells(0.28 * triangles, 1.0);
            let mut boiler = Surface::default();
            boiler.revolved(around, along, |_, v| {
                let bands = 1.0 + 0.06 * (v * 9.0 * PI).cos();
                (0.17 * (1.0 - (2.0 * v - 1.0).powi(12)).max(0.0).sqrt() * bands, -0.95 + 0.85 * v)
            });
            s.add(&lying(boiler).moved(|p| p + DVec3::Z * 0.2), &Pose::IDENTITY);
        })?;
        add(&|s| s.panelled_box(dvec3(-1.46, -0.22, 0.03), dvec3(-0.98, 0.22, 0.55), panels(0.18), 2, 0.04))?;
        for (x, radius, height) in [(-0.25, 0.06, 0.62), (-0.6, 0.08, 0.45)] {
            add(&|s| {
                let (around, along) = cells(0.07 * triangles, 1.0);
                let mut pot = Surface::default();
                pot.revolved(around, along, |_, v| {
                    let r = radius
                        * (0.75 + 0.4 * (v - 0.35).powi(2) * 4.0)
                        * (1.0 - (2.0 * v - 1.0).powi(10)).max(0.0).sqrt();
                    (r, 0.3 + (height - 0.3) * v)
                });
                s.add(&pot.moved(|p| p + DVec3::X * x), &Pose::IDENTITY);
            })?;
        }
        add(&|s| {
            for k in -3..=3 {
                let y = 0.06 * f64::from(k);
                s.bar(dvec3(-0.12, y, 0.02), dvec3(0.04 - 0.3 * y.abs(), 0.6 * y, -0.17), 0.025);
            }
        })?;
    } else {
        add(&|s| {
            s.panelled_box(dvec3(-1.46, -0.24, 0.03), dvec3(-0.14, 0.24, 0.46), panels(0.42), 3, 0.035)
        })?;
        add(&|s| {
            let n = ((0.1 * triangles / 2.0 / 4.0).sqrt().round()).max(1.0) as u32;
            s.grid(4 * n, n, [false, false], |u, v| {
                let angle = PI * (v - 0.5);
                let ribs = 0.01 * (u * 10.0 * TAU).cos().max(0.0);
                dvec3(-0.12 - 1.36 * u, 0.27 * angle.sin(), 0.47 + (0.1 + ribs) * angle.cos())
            });
        })?;
        for (x, y) in [(-0.11, -0.12), (-1.49, 0.12)] {
            add(&|s| {
                for side in [-0.07, 0.07] {
                    s.bar(dvec3(x, y + side, 0.05), dvec3(x, y + side, 0.5), 0.015);
                }
                for rung in 0..5 {
                    let z = 0.1 + 0.09 * f64::from(rung);
                    s.bar(dvec3(x, y - 0.07, z), dvec3(x, y + 0.07, z), 0.012);
                }
            })?;
        }
        add(&|s| s.bar(dvec3(-0.14, 0.0, -0.02), dvec3(-0.01, 0.0, 0.0), 0.04))?;
    }
    add(&|s| s.bar(dvec3(-1.46, 0.0, -0.02), dvec3(-LENGTH + 0.01, 0.0, 0.0), 0.04))?;
    Ok(parts)
}

/// Returns the links of a train and its joints, with names that begin with `name`, hanging on the link "ground".
type LinksAndJoints = (Vec<(String, Vec<LinkPart>)>, Vec<firsttouch::articulated::Joint>);

fn train(name: &str, cars: usize, triangles: usize, in_parts: bool) -> Result<LinksAndJoints> {
    let each = 1.07 * triangles as f64 / cars.max(1) as f64;
    let (mut links, mut joints) = (Vec::new(), Vec::new());
    let mut wagon = None;
    for k in 0..cars {
        let parts = match (k, &wagon) {
            (0, _) => car_parts(each, true)?,
            (_, Some(parts)) => Vec::clone(parts),
            (_, None) => wagon.insert(car_parts(each, false)?).clone(),
        };
        let parts = if in_parts {
            parts.into_iter().map(part).collect()
        } else {
            let mut whole = crate::Frame::default();
            parts.iter().for_each(|mesh| whole.add(mesh, &Pose::IDENTITY));
            vec![part(Mesh::new(whole.positions, whole.triangles)?)]
        };
        let (parent, at) = if k == 0 {
            ("ground".into(), DVec3::ZERO)
        } else {
            (format!("{name} {}", k - 1), DVec3::NEG_X * LENGTH)
        };
        let own = format!("{name} {k}");
        joints.push(joint(&own, &parent, &own, at, JointKind::Floating)?);
        links.push((own, parts));
    }
    Ok((links, joints))
}

fn trains_robot(trains: &[(String, usize, usize)], in_parts: bool) -> Result<Robot> {
    let (mut links, mut joints) = (vec![("ground".to_string(), vec![])], Vec::new());
    for (name, cars, triangles) in trains {
        let (of_train, couplings) = train(name, *cars, *triangles, in_parts)?;
        links.extend(of_train);
        joints.extend(couplings);
    }
    Robot::new("trains", links, joints)
}

/// Four trains of 10 cars, each with about `triangles` triangles, run into each other from four sides and pile up.
///
/// ```
/// let scenario = firsttouch_scenes::trains::four_trains(2_000, 5)?;
/// // 40 cars and the ground they hang on.
/// assert_eq!((scenario.robot.links().len(), scenario.steps.len()), (41, 5));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn four_trains(triangles: usize, steps: usize) -> Result<RobotScenario> {
    let names: Vec<String> = ["north", "east", "south", "west"].map(String::from).into();
    let described: Vec<(String, usize, usize)> =
        names.iter().map(|name| (name.clone(), 10, triangles)).collect();
    let robot = trains_robot(&described, true)?;
    let ropes = (0..4)
        .map(|i| {
            let from = DQuat::from_rotation_z(f64::from(i) * TAU / 4.0) * DVec3::Y;
            let aside = dvec3(from.y, -from.x, 0.0);
            let head = from * (2.6 + 0.5 * f64::from(i)) + aside * (0.35 - 0.2 * f64::from(i));
            let head = head + DVec3::Z * COUPLING;
            // The trains are slightly curved, in alternate directions.
            let bend = if i % 2 == 0 { 0.06 } else { -0.05 };
            Rope::new(head, 10, [LENGTH, 0.26], from * (-5.0 - 0.6 * f64::from(i)), |k| {
                DQuat::from_rotation_z(bend * k as f64) * from
            })
        })
        .collect();
    let ground = |at: DVec3, _radius: f64| DVec3::Z * (COUPLING - at.z).max(0.0);
    let world = World { gravity: DVec3::Z * -9.81, ground: &ground };
    simulate(robot, Vec::new(), &names, ropes, &world, steps)
}

/// A train of 17 cars falls on a mountain. `triangles` has the numbers of triangles of the train and of the mountain.
///
/// ```
/// let scenario = firsttouch_scenes::trains::falling_train([4_000, 2_000], 5)?;
/// assert_eq!((scenario.robot.links().len(), scenario.obstacles.len()), (18, 1));
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn falling_train(triangles: [usize; 2], steps: usize) -> Result<RobotScenario> {
    let names = vec!["train".to_string()];
    let robot = trains_robot(&[("train".into(), 17, triangles[0])], false)?;
    let mountain = Body::new("mountain", mountain(triangles[1])?, Motion::fixed(Pose::IDENTITY));
    let rope = Rope::new(dvec3(9.0, -2.5, 9.5), 17, [LENGTH, 0.26], dvec3(3.0, 1.0, -2.0), |k| {
        dvec3(-1.0, 0.35 * (k as f64 * 0.6).sin(), 0.12 * (k as f64 * 0.9).cos())
    });
    let ground = |at: DVec3, radius: f64| {
        let h = 0.01;
        let z = height(at.x, at.y);
        let slope = dvec3((height(at.x + h, at.y) - z) / h, (height(at.x, at.y + h) - z) / h, 0.0);
        let normal = (DVec3::Z - slope).normalize();
        normal * (radius - (at.z - z) * normal.z).max(0.0)
    };
    let world = World { gravity: DVec3::Z * -9.81, ground: &ground };
    simulate(robot, vec![mountain], &names, vec![rope], &world, steps)
}

/// Returns the height of the mountain.
fn height(x: f64, y: f64) -> f64 {
    let from_peak = (x * x + 1.4 * y * y).sqrt();
    let peak = 7.0 * (-(from_peak / 7.0).powi(2)).exp();
    let ridges =
        0.6 * (0.9 * x + 0.4 * y).sin() * (0.7 * y - 0.2 * x).cos() + 0.2 * (2.3 * x).sin() * (1.9 * y).cos();
    peak + ridges * (0.4 + 0.6 * peak / 7.0)
}

/// Returns the mountain, 44 by 44 and about 7 high, with about `triangles` triangles: a sheet.
fn mountain(triangles: usize) -> Result<Mesh> {
    let n = ((triangles as f64 / 2.0).sqrt().round()).max(1.0) as u32;
    let mut surface = Surface::default();
    surface.grid(n, n, [false, false], |u, v| {
        let (x, y) = (44.0 * u - 22.0, 44.0 * v - 22.0);
        dvec3(x, y, height(x, y))
    });
    surface.mesh()
}

/// Lets the ropes fly, with the cars on them, for a number of steps.
fn simulate(
    robot: Robot,
    obstacles: Vec<Body>,
    names: &[String],
    mut ropes: Vec<Rope>,
    world: &World<'_>,
    steps: usize,
) -> Result<RobotScenario> {
    let mut scenario = RobotScenario { robot, obstacles, steps: Vec::with_capacity(steps) };
    let checker = scenario.checker()?;
    let mut from = configuration(&scenario.robot, names, &ropes);
    for _ in 0..steps {
        let wanted = fly(&ropes, world, DT);
        let to = configuration(&scenario.robot, names, &wanted);
        // The cars are stopped a little before they touch, so that the next step does not begin with a touch.
        let mut answer = Answer::Free;
        for apart in [8e-3, 4e-3, 2e-3] {
            let options = Options { min_separation: apart, tolerance: 1e-3, ..Options::default() };
            answer = checker.check_step(&from, &to, &options)?.answer;
            if !matches!(answer, Answer::TouchingAtStart(_)) {
                break;
            }
        }
        scenario.steps.push([from.clone(), to]);
        let t = match answer {
            Answer::Free => 1.0,
            _ => (answer.free_until(1.0) - 0.02).max(0.0),
        };
        ropes = ropes.iter().zip(&wanted).map(|(rope, wanted)| stopped_at(rope, wanted, t)).collect();
        if let Some(touch) = answer.touch() {
            let cars = touch.parts.map(|part| match part {
                Part::Link { link, .. } => car_of(scenario.robot.links()[link as usize].name(), names),
                _ => None,
            });
            bounce(&mut ropes, cars, touch.normal);
        }
        from = configuration(&scenario.robot, names, &ropes);
    }
    Ok(scenario)
}

/// Returns the configuration of trains on ropes.
fn configuration(robot: &Robot, names: &[String], ropes: &[Rope]) -> Vec<f64> {
    let mut posture = Posture::new(robot);
    for (name, rope) in names.iter().zip(ropes) {
        for (k, turn) in rope.turns.iter().enumerate() {
            let joint = format!("{name} {k}");
            if k == 0 {
                posture.place(&joint, rope.points[0], *turn);
            } else {
                posture.turn(&joint, rope.turns[k - 1].inverse() * *turn);
            }
        }
    }
    posture.values
}

/// Returns a rope that is stopped on its way at `t`: every joint turns at a constant rate.
fn stopped_at(from: &Rope, to: &Rope, t: f64) -> Rope {
    let relative = |rope: &Rope, k: usize| match k {
        0 => rope.turns[0],
        _ => rope.turns[k - 1].inverse() * rope.turns[k],
    };
    let mut turns: Vec<DQuat> = Vec::new();
    for k in 0..from.turns.len() {
        let local = relative(from, k).slerp(relative(to, k), t);
        turns.push(turns.last().map_or(local, |before| *before * local).normalize());
    }
    let mut rope = from.straightened(from.points[0].lerp(to.points[0], t), turns);
    let kept = if t < 1.0 { 0.95 } else { 1.0 };
    rope.velocities = to.velocities.iter().map(|v| *v * kept).collect();
    rope
}

/// Returns the rope of a link, and its rod in that rope.
fn car_of(link: &str, names: &[String]) -> Option<(usize, usize)> {
    let (name, car) = link.rsplit_once(' ')?;
    Some((names.iter().position(|other| other == name)?, car.parse().ok()?))
}

/// Removes the closing velocity of the two cars along the normal, and another third of it. A body that is not a car
/// does not move.
fn bounce(ropes: &mut [Rope], cars: [Option<(usize, usize)>; 2], normal: DVec3) {
    let velocity = |ropes: &[Rope], car: Option<(usize, usize)>| {
        car.map_or(DVec3::ZERO, |(r, k)| 0.5 * (ropes[r].velocities[k] + ropes[r].velocities[k + 1]))
    };
    let closing = (velocity(ropes, cars[0]) - velocity(ropes, cars[1])).dot(normal).max(0.8);
    let share = if cars.iter().all(Option::is_some) { 0.5 } else { 1.0 };
    for (car, side) in cars.into_iter().zip([-1.0, 1.0]) {
        if let Some((r, k)) = car {
            for point in [k, k + 1] {
                ropes[r].velocities[point] += normal * (side * share * 1.33 * closing);
            }
            ropes[r].keep_off(k);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_sizes() {
        let four: Vec<(String, usize, usize)> =
            (0..4).map(|i| (format!("train {i}"), 10, TRIANGLES)).collect();
        let scenario = RobotScenario::key_framed(trains_robot(&four, true).unwrap(), vec![], &[]);
        let [triangles, _] = scenario.triangles();
        assert!((89_000..95_000).contains(&triangles), "{triangles}");
        assert!(scenario.robot.links().iter().skip(1).all(|link| link.parts().len() == 15));
        let scenario = falling_train([FALLING_TRIANGLES, MOUNTAIN_TRIANGLES], 0).unwrap();
        let [train, mountain] = scenario.triangles();
        assert!((40_400..43_600).contains(&train), "{train}");
        assert!((28_100..29_900).contains(&mountain), "{mountain}");
    }

    /// The trains do collide, no step begins with a touch, and most are free.
    #[test]
    fn steps_begin_free_and_some_end_in_a_touch() {
        let options = Options { tolerance: 1e-3, ..Options::default() };
        for (name, scenario) in [
            ("four trains", four_trains(3_000, 60).unwrap()),
            ("falling train", falling_train([6_000, 3_000], 90).unwrap()),
        ] {
            let reports = scenario.check(&options).unwrap();
            let touching = reports.iter().filter(|report| matches!(report.answer, Answer::Touch(_))).count();
            let free = reports.iter().filter(|report| report.answer == Answer::Free).count();
            assert_eq!(touching + free, reports.len(), "{name}");
            assert!(touching > 2 && free > reports.len() / 3, "{name}: {touching} of {}", reports.len());
        }
    }
}
