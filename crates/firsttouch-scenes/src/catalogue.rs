//! The catalogue: every scene by name, as `firsttouch demo` shows it.
//!
//! A scene of a paper is a run of many steps. Here it is the first step of that run with a touch, or its first step if
//! there is none. [`frames`] returns the run itself if it can be computed quickly.

use firsttouch::articulated::RobotStep;
use firsttouch::deformable::{Settings, Start};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Ellipsoid};
use firsttouch::{Answer, Body, Options, Result, Scene};
use glam::DVec3;

use crate::adaptive::{self, AdaptiveScene};
use crate::deforming::{Frames, Sequence};
use crate::exploding::{self, Explosion};
use crate::nbody::{Crowd, Nbody};
use crate::play::RobotScenario;
use crate::{
    Frame, bouncing, chessboard, cloth, construction, crowd, ellipsoids, manipulation, mannequin, planning,
    scan, shapes, solids, trains, workplace,
};

/// A scene of the catalogue.
#[derive(Debug, Clone, Copy)]
pub struct Model {
    /// Its name on the command line.
    pub name: &'static str,
    /// The scene in one sentence.
    pub about: &'static str,
    /// The moving things, in a few words.
    pub moves: &'static str,
    build: fn() -> Result<Scene>,
}

impl Model {
    /// Generates the scene.
    pub fn build(&self) -> Result<Scene> {
        (self.build)()
    }
}

/// Returns the catalogue, in the order in which the demo shows it.
///
/// ```
/// assert!(firsttouch_scenes::all().iter().any(|model| model.name == "tumbling_boxes"));
/// ```
pub fn all() -> &'static [Model] {
    &CATALOGUE
}

/// Returns the scene of the catalogue with this name.
///
/// ```
/// assert_eq!(firsttouch_scenes::named("capsule_sweep").unwrap().build()?.bodies().len(), 4);
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn named(name: &str) -> Option<&'static Model> {
    CATALOGUE.iter().find(|model| model.name == name)
}

static CATALOGUE: [Model; 29] = [
    Model {
        name: "tumbling_boxes",
        about: "Two boxes fly towards each other while both tumble, and meet vertex against face.",
        moves: "2 boxes, linear",
        build: solids::tumbling_boxes,
    },
    Model {
        name: "capsule_sweep",
        about: "An arm swings about the vertical through a row of posts and touches the second one.",
        moves: "1 capsule, screw",
        build: solids::capsule_sweep,
    },
    Model {
        name: "near_miss",
        about: "A cube rolls over a slab and misses it by 1e-4 at mid-turn: proven free, however close.",
        moves: "1 box, linear",
        build: || solids::near_miss(1e-4),
    },
    Model {
        name: "box_pile",
        about: "500 boxes and other solids leave the cells of a grid, tumbling; the broad phase drops most pairs.",
        moves: "500 solids, mixed",
        build: || solids::box_pile(500, 2007),
    },
    Model {
        name: "crowd",
        about: "1000 solids, ellipsoids and meshes drift and tumble among 10 robots that swing their arms.",
        moves: "1000 bodies, 10 robots",
        build: || crowd::crowd(1000, 10, 1.0, 7),
    },
    Model {
        name: "mixture",
        about: "A robot holds a ball, a cloth sinks, a balloon grows and a potato rolls: all kinds in one scene.",
        moves: "robot, cloth, balloon, mesh",
        build: mixture,
    },
    Model {
        name: "scan",
        about: "An arm sweeps through a workshop that was scanned: a million points, each a small ball.",
        moves: "1 robot, 1000000 points",
        build: || scan::workshop(1_000_000),
    },
    Model {
        name: "door",
        about: "A door opens by 90 degrees, slides aside and meets a post; its handle turns on it.",
        moves: "2 bodies, path and parent",
        build: workplace::door,
    },
    Model {
        name: "pick_and_place",
        about: "A gantry carries a part over a fence and leaves it; a pusher comes when the hand is gone.",
        moves: "1 robot of 5 links, path",
        build: workplace::pick_and_place,
    },
    Model {
        name: "work_cycle",
        about: "An arm of six axes goes through a whole cycle on a spline while a box on a belt passes.",
        moves: "1 robot of 7 links, spline",
        build: workplace::work_cycle,
    },
    Model {
        name: "manipulation",
        about: "2001: a teapot follows a recorded path around a potato and into it: the step in which it is stopped.",
        moves: "2 meshes of 4000, screw",
        build: manipulation::teapot_stops,
    },
    Model {
        name: "bouncing",
        about: "2001: a potato of 10000 triangles is thrown on a floor: the flight that ends in its first bounce.",
        moves: "1 mesh of 10000, linear",
        build: bouncing::first_bounce,
    },
    Model {
        name: "walk",
        about: "2007: a mannequin of 15 links walks over a chessboard with 16 chessmen.",
        moves: "1 robot of 15 links",
        build: || {
            first_touching_step(
                &mannequin::walk([mannequin::TRIANGLES, chessboard::TRIANGLES], 500)?,
                "mannequin",
            )
        },
    },
    Model {
        name: "exercise",
        about: "2007: the mannequin exercises and touches itself.",
        moves: "1 robot of 15 links",
        build: || first_touching_step(&mannequin::exercise(mannequin::TRIANGLES, 400)?, "mannequin"),
    },
    Model {
        name: "excavator",
        about: "2007: an excavator travels through a construction site of 0.4 million triangles.",
        moves: "1 robot of 5 links",
        build: || {
            let site = construction::site(construction::SITE_TRIANGLES)?;
            let task = construction::Task::Travel;
            first_touching_step(
                &construction::excavator_scenario(task, construction::EXCAVATOR_TRIANGLES, site, 10)?,
                "excavator",
            )
        },
    },
    Model {
        name: "crane",
        about: "2007: a tower crane lowers its hook in the same site.",
        moves: "1 robot of 5 links",
        build: || {
            let site = construction::site(construction::SITE_TRIANGLES)?;
            let task = construction::Task::Load;
            first_touching_step(
                &construction::crane_scenario(task, construction::CRANE_TRIANGLES, site, 10)?,
                "crane",
            )
        },
    },
    Model {
        name: "four_trains",
        about: "2007: four trains of 10 cars run into each other.",
        moves: "40 links",
        build: || first_touching_step(&trains::four_trains(trains::TRIANGLES, 60)?, "trains"),
    },
    Model {
        name: "falling_train",
        about: "2007: a train of 17 cars falls on a mountain.",
        moves: "17 links",
        build: || {
            first_touching_step(
                &trains::falling_train([trains::FALLING_TRIANGLES, trains::MOUNTAIN_TRIANGLES], 120)?,
                "train",
            )
        },
    },
    Model {
        name: "wooden_men",
        about: "2008: two wooden men of 29 bodies each are pulled together by a spring.",
        moves: "58 links, simulated",
        build: || of_simulation(&adaptive::wooden_men(16_000)?, 29),
    },
    Model {
        name: "pendulum",
        about: "2008: a pendulum of 30 balls swings, folds up and touches itself.",
        moves: "30 links, simulated",
        build: || of_simulation(&adaptive::pendulum(16_400)?, 29),
    },
    Model {
        name: "falling_man",
        about: "2008: a wooden man falls on pots and plates.",
        moves: "29 links, simulated",
        build: || of_simulation(&adaptive::falling_man(16_000, 44_000)?, 29),
    },
    Model {
        name: "example_1",
        about: "2009: two ellipsoids in rational motions of degrees 2 and 3, in contact at one half.",
        moves: "2 ellipsoids, rational",
        build: || of_ellipsoids(ellipsoids::example_1()?),
    },
    Model {
        name: "example_2",
        about: "2009: two ellipsoids that change their shapes, and come together more than once.",
        moves: "2 ellipsoids, affine",
        build: example_2,
    },
    Model {
        name: "boxers",
        about: "2009: two boxers of 20 ellipsoids each, in close combat.",
        moves: "40 ellipsoids, rational",
        build: boxers,
    },
    Model {
        name: "arm",
        about: "2009: an arm of 10 ellipsoids with three rational joints reaches into an I-shaped obstacle of 3.",
        moves: "10 ellipsoids, rational",
        build: arm,
    },
    Model {
        name: "cloth",
        about: "2010: a cloth hangs over a turning ball: what its solver proposes for the next frame.",
        moves: "1 deforming mesh",
        build: || of_steps("cloth", cloth::draped(92_000, 60, 6)?.into_iter().skip(4)),
    },
    Model {
        name: "n_body",
        about: "2010: 145 balls bounce in a basin with posts.",
        moves: "1 deforming mesh",
        build: n_body,
    },
    Model {
        name: "explosion",
        about: "2010: a body like a dragon bursts into fragments, which fly through each other.",
        moves: "1 deforming mesh",
        build: || of_sequence("dragon", &exploding::sequence(Explosion::default(), 4)?),
    },
    Model {
        name: "organs",
        about: "2010: an instrument is led past soft organs and pushes into them.",
        moves: "1 deforming mesh",
        build: || of_sequence("organs", &planning::organs(1.0, 20, 0.4)?),
    },
];

/// Returns the first step of a scenario with a touch, as a scene.
fn first_touching_step(scenario: &RobotScenario, name: &str) -> Result<Scene> {
    let checker = scenario.checker()?;
    let touches = |[from, to]: &&[Vec<f64>; 2]| {
        checker
            .check_step(from, to, &Options::default())
            .is_ok_and(|report| matches!(report.answer, Answer::Touch(_)))
    };
    let [from, to] = scenario.steps.iter().find(touches).unwrap_or(&scenario.steps[0]);
    let mut scene = Scene::default();
    let step = RobotStep::new(scenario.robot.clone(), Pose::IDENTITY, from.clone(), to.clone())?;
    scene.add(Body::robot(name, step))?;
    at_rest(&mut scene, &scenario.obstacles)?;
    Ok(scene)
}

/// Adds obstacles. Obstacles at rest are not checked against each other.
fn at_rest(scene: &mut Scene, obstacles: &[Body]) -> Result<()> {
    for obstacle in obstacles {
        scene.add(obstacle.clone())?;
    }
    for (i, a) in obstacles.iter().enumerate() {
        for b in &obstacles[i + 1..] {
            scene.allow(a.name(), b.name())?;
        }
    }
    Ok(())
}

/// Returns the first step of a simulation with a touch, with `active` joints moving.
fn of_simulation(simulated: &AdaptiveScene, active: usize) -> Result<Scene> {
    let mut simulation = simulated.simulation(active)?;
    let mut first_touch = simulated.in_the_loop()?;
    let mut found = None;
    for _ in 0..240 {
        let report = simulation.step(&mut first_touch)?;
        let stops = report.records.iter().find(|record| record.until < 1.0);
        let record = stops.or(report.records.first()).cloned();
        let stopped = stops.is_some();
        found = record.or(found);
        if stopped {
            break;
        }
    }
    let mut scene = Scene::default();
    let robot = simulated.linkage.robot().clone();
    let (from, to) = match found {
        Some(record) => (record.from, record.to),
        None => (simulated.start.clone(), simulated.start.clone()),
    };
    scene.add(Body::robot(simulated.name, RobotStep::new(robot, Pose::IDENTITY, from, to)?))?;
    at_rest(&mut scene, &simulated.obstacles)?;
    Ok(scene)
}

fn of_ellipsoids(moving: impl IntoIterator<Item = (Ellipsoid, Motion)>) -> Result<Scene> {
    let mut scene = Scene::default();
    for (i, (shape, motion)) in moving.into_iter().enumerate() {
        scene.add(Body::new(format!("ellipsoid{i}"), shape, motion))?;
    }
    Ok(scene)
}

fn example_2() -> Result<Scene> {
    let mut scene = Scene::default();
    for (i, motion) in ellipsoids::example_2()?.into_iter().enumerate() {
        scene.add(Body::affine(format!("ellipsoid{i}"), motion))?;
    }
    Ok(scene)
}

/// Returns the first frame of the fight with a touch during the frame and not at its start. Parts of one boxer may
/// overlap.
fn boxers() -> Result<Scene> {
    let mut scene = Scene::default();
    for frame in 0..1000 {
        let [from, to] = [ellipsoids::boxers(frame)?, ellipsoids::boxers(frame + 1)?];
        scene = Scene::default();
        let mut names = [Vec::new(), Vec::new()];
        for (k, (from, to)) in from.into_iter().zip(to).enumerate() {
            for (i, ((shape, start), (_, end))) in from.into_iter().zip(to).enumerate() {
                let name = format!("{}{i:02}", ["red", "blue"][k]);
                scene.add(Body::new(name.clone(), shape, Motion::rational(start, end)))?;
                names[k].push(name);
            }
        }
        for of_one in &names {
            for (i, a) in of_one.iter().enumerate() {
                for b in &of_one[i + 1..] {
                    scene.allow(a, b)?;
                }
            }
        }
        if matches!(scene.check(&Options::default())?.answer, Answer::Touch(_)) {
            break;
        }
    }
    Ok(scene)
}

/// The arm's links overlap at their joints, and so do the bars of the obstacle.
fn arm() -> Result<Scene> {
    let ellipsoids::Arm { links, obstacle } = ellipsoids::arm()?;
    let mut scene = Scene::default();
    for (kind, moving) in [("link", &links), ("bar", &obstacle)] {
        for (i, (shape, motion)) in moving.iter().enumerate() {
            scene.add(Body::new(format!("{kind}{i}"), *shape, motion.clone()))?;
        }
        for i in 0..moving.len() {
            for j in i + 1..moving.len() {
                scene.allow(&format!("{kind}{i}"), &format!("{kind}{j}"))?;
            }
        }
    }
    Ok(scene)
}

/// Returns the first step of a deforming mesh in which it touches itself during the step and not at its start.
fn of_steps(name: &str, steps: impl IntoIterator<Item = Frames>) -> Result<Scene> {
    let mut mesh = None;
    for step in steps {
        let built = step.build(Settings::default())?;
        let touches = matches!(built.check(&Options::default(), Start::Report)?.answer, Answer::Touch(_));
        if touches || mesh.is_none() {
            mesh = Some(built);
        }
        if touches {
            break;
        }
    }
    let mut scene = Scene::default();
    if let Some(mesh) = mesh {
        scene.add(Body::deforming(name, mesh))?;
    }
    Ok(scene)
}

fn of_sequence(name: &str, sequence: &Sequence) -> Result<Scene> {
    of_steps(name, (0..sequence.steps()).filter_map(|k| sequence.step(k)))
}

fn n_body() -> Result<Scene> {
    let mut crowd = Nbody::new(Crowd::default())?;
    let mut steps = Vec::new();
    for _ in 0..12 {
        crowd.advance();
    }
    for _ in 0..4 {
        steps.push(crowd.step());
        crowd.advance();
    }
    of_steps("balls", steps)
}

/// Returns a scene with all kinds of bodies. The cloth sinks onto the robot while it swings a ball towards a growing
/// balloon.
fn mixture() -> Result<Scene> {
    use firsttouch::articulated::{Joint, JointKind, LinkPart, Robot};
    use firsttouch::deformable::Deformable;
    use firsttouch::motion::Affine;
    use firsttouch::shape::Sphere;

    let mut scene = Scene::default();
    let part = |size: DVec3, at: DVec3| -> Result<Vec<LinkPart>> {
        Ok(vec![LinkPart { shape: Cuboid::new(size)?.into(), pose: Pose::from_translation(at)? }])
    };
    let links = vec![
        ("foot".to_string(), part(DVec3::new(0.6, 0.6, 0.2), DVec3::Z * 0.1)?),
        ("upper".to_string(), part(DVec3::new(0.15, 0.15, 0.8), DVec3::Z * 0.45)?),
        ("lower".to_string(), part(DVec3::new(0.7, 0.1, 0.1), DVec3::X * 0.45)?),
    ];
    let joint = |name: &str, parent: &str, child: &str, at: f64, axis: DVec3| -> Result<Joint> {
        Ok(Joint {
            name: name.into(),
            parent: parent.into(),
            child: child.into(),
            origin: Pose::from_translation(DVec3::Z * at)?,
            kind: JointKind::Revolute { axis },
            limits: None,
            mimic: None,
        })
    };
    let joints = vec![
        joint("turn", "foot", "upper", 0.25, DVec3::Z)?,
        joint("bend", "upper", "lower", 0.95, DVec3::Y)?,
    ];
    let robot = Robot::new("arm", links, joints)?;
    scene.add(Body::robot("arm", RobotStep::new(robot, Pose::IDENTITY, vec![0.0, 0.1], vec![2.6, -0.1])?))?;
    let hand = Pose::from_translation(DVec3::X * 0.95)?;
    scene.attach("ball", Sphere::new(0.15)?, "arm", "lower", hand, &[])?;

    // A cloth of 40 by 40 squares, waved, sinking.
    let n = 40_u32;
    let at = |sink: f64| -> Vec<DVec3> {
        (0..(n + 1) * (n + 1))
            .map(|i| {
                let (x, y) = (f64::from(i % (n + 1)) / 10.0 - 2.0, f64::from(i / (n + 1)) / 10.0 - 2.0);
                DVec3::new(
                    x,
                    y,
                    2.2 - sink + 0.1 * (3.0 * x).sin() * (2.0 * y).cos() - 0.3 * sink * (x * x + y * y) / 4.0,
                )
            })
            .collect()
    };
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let k = i * (n + 1) + j;
            triangles.extend([[k, k + 1, k + n + 2], [k, k + n + 2, k + n + 1]]);
        }
    }
    scene.add(Body::deforming("cloth", Deformable::new(at(0.0), at(0.7), triangles, vec![], vec![])?))?;

    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let place = [-1.1, -0.3, 1.1];
    scene.add(Body::affine(
        "balloon",
        Affine::from_power_basis(DVec3::new(0.2, 0.25, 0.3), &[unit, unit.map(|x| 0.8 * x)], &[place], &[])?,
    ))?;
    let roll = |x: f64, angle: f64| Pose::new(DVec3::new(x, 1.6, 0.55), glam::DQuat::from_rotation_y(angle));
    scene.add(Body::new(
        "potato",
        scaled(&shapes::potato(2_000, 4)?, 0.4)?,
        Motion::linear(roll(-1.5, 0.0)?, roll(0.9, 2.6)?),
    ))?;
    let floor = Motion::fixed(Pose::from_translation(DVec3::Z * -0.26)?);
    scene.add(Body::new("floor", Cuboid::new(DVec3::new(8.0, 8.0, 0.5))?, floor))?;
    Ok(scene)
}

fn scaled(mesh: &firsttouch::shape::Mesh, factor: f64) -> Result<firsttouch::shape::Mesh> {
    firsttouch::shape::Mesh::new(
        mesh.vertices().iter().map(|v| *v * factor).collect(),
        mesh.triangles().to_vec(),
    )
}

/// Returns the frames of the run from which a scene of the catalogue is taken, or `None` if there is no run.
///
/// ```
/// let frames = firsttouch_scenes::frames("manipulation").unwrap()?;
/// // Along a path of 60 placements the teapot is stopped in the last third.
/// assert!(frames.len() > 40 && frames.len() < 60);
/// assert!(firsttouch_scenes::frames("near_miss").is_none());
/// # Ok::<(), firsttouch::Error>(())
/// ```
pub fn frames(name: &str) -> Option<Result<Vec<Frame>>> {
    match name {
        "manipulation" => Some(manipulation::teapot_frames()),
        "bouncing" => Some(bouncing::frames()),
        _ => None,
    }
}

/// A run of an adaptive simulation with the engine of the 2008 paper in the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The number of joints that were active at a time, and the number of all joints.
    pub active: [usize; 2],
    /// The number of frames.
    pub frames: usize,
    /// The number of steps that were checked: one per frame, and one more for every touch in it.
    pub steps: usize,
    /// The number of touches that were answered with impulses.
    pub touches: usize,
    /// Transforms per step.
    pub transforms: f64,
    /// Pairs that were left to the exact stage, per step.
    pub close_pairs: f64,
    /// The energy that was lost, in joules; it never grows.
    pub lost: f64,
}

/// Runs the simulation behind a scene of the catalogue, if there is one, once with a quarter of all joints active and
/// once with all of them.
///
/// ```
/// assert!(firsttouch_scenes::runs("near_miss").is_none());
/// ```
pub fn runs(name: &str) -> Option<Result<Vec<Run>>> {
    let scene = match name {
        "wooden_men" => adaptive::wooden_men(16_000),
        "pendulum" => adaptive::pendulum(16_400),
        "falling_man" => adaptive::falling_man(16_000, 44_000),
        _ => return None,
    };
    Some(scene.and_then(|scene| [1, 7, usize::MAX].into_iter().map(|active| run(&scene, active)).collect()))
}

/// Two seconds of a simulation.
fn run(scene: &AdaptiveScene, active: usize) -> Result<Run> {
    let (mut simulation, mut engine) = (scene.simulation(active)?, scene.in_the_loop()?);
    let (before, joints) = (simulation.energy(), simulation.linkage().joints().len());
    let (frames, mut touches) = (120, 0);
    for _ in 0..frames {
        touches += simulation.step(&mut engine)?.touches;
    }
    let steps = engine.steps.max(1) as f64;
    Ok(Run {
        active: [active.min(joints), joints],
        frames,
        steps: engine.steps,
        touches,
        transforms: engine.transforms as f64 / steps,
        close_pairs: engine.close_pairs as f64 / steps,
        lost: before - simulation.energy(),
    })
}
