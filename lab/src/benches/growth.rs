//! The growth of work with triangles, bodies, links, obstacles and the length of a step.
//!
//! Each curve runs the same query on larger and larger scenes. Work is counted, so it is the same on every machine; the
//! benchmark `growth` adds times.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Sphere};
use firsttouch::{Answer, Body, Mode, Options, Result, Scene};
use glam::{DQuat, DVec3, dvec3};

use crate::scenes::crowd::crowd;
use crate::scenes::random::Random;
use crate::scenes::shapes;

/// The work of one query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// The size of the scene.
    pub size: f64,
    /// The number of tested pairs of volumes, of solids or of pieces; the curve says which.
    pub work: f64,
    /// The number of queries; the work is the sum over all of them.
    pub questions: usize,
}

/// A query of one size, which can be run any number of times.
pub struct Question {
    ask: Box<dyn Fn() -> Result<Work>>,
}

impl Question {
    /// Runs the query, and returns the work.
    pub fn ask(&self) -> Result<Work> {
        (self.ask)()
    }
}

/// A curve: its sizes, in ascending order.
pub struct Curve {
    /// A word for the curve.
    pub name: &'static str,
    /// The growing quantity, and the counted one.
    pub what: &'static str,
    /// The work must not grow faster than the size to this power.
    pub most: f64,
    /// The sizes, and the query of each.
    pub sizes: &'static [usize],
    /// Makes the query of a size.
    pub question: fn(usize) -> Result<Question>,
}

/// All curves.
pub const CURVES: [Curve; 5] = [
    Curve {
        name: "triangles",
        what: "two turning meshes that touch; pairs of volumes and of triangles",
        most: 0.5,
        sizes: &[1_000, 4_000, 16_000, 64_000],
        question: triangles,
    },
    Curve {
        name: "bodies",
        what: "a crowd of one density in which nothing touches; pairs of parts whose boxes overlap, and of volumes",
        most: 1.35,
        sizes: &[250, 500, 1_000, 2_000],
        question: bodies,
    },
    Curve {
        name: "links",
        what: "an arm that is spread out, as many balls beside it; windows of time and pairs of coarse solids",
        most: 2.0,
        sizes: &[10, 20, 40, 80],
        question: links,
    },
    Curve {
        name: "obstacles",
        what: "an arm of ten links among balls of one density; windows of time and pairs of coarse solids",
        most: 1.1,
        sizes: &[50, 200, 800, 3_200],
        question: obstacles,
    },
    Curve {
        name: "step",
        what: "a longer and longer step of that arm among 200 balls, in hundredths of a radian for each joint; windows of time and pairs of coarse solids",
        most: 2.0,
        sizes: &[2, 4, 8, 16, 32],
        question: step,
    },
];

impl Curve {
    /// Returns the work of each size.
    pub fn work(&self) -> Result<Vec<Work>> {
        self.sizes.iter().map(|&size| (self.question)(size)?.ask()).collect()
    }
}

/// Returns the exponent of the power law that fits best, of `y` by `x`.
///
/// ```
/// use firsttouch_lab::benches::growth::exponent;
/// let square = [1.0, 2.0, 4.0].map(|x: f64| (x, 3.0 * x * x));
/// assert!((exponent(&square) - 2.0).abs() < 1e-12);
/// ```
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / count, sum.1 + y / count));
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in &logs {
        above += (x - mean.0) * (y - mean.1);
        below += (x - mean.0) * (x - mean.0);
    }
    above / below
}

/// Returns the curve for triangles: the same bodies, a potato and a ring that both turn, at finer and finer resolution
/// on the same eight paths.
fn triangles(size: usize) -> Result<Question> {
    let (a, b) = (shapes::potato(size, 1)?, shapes::torus(1.0, 0.35, size)?);
    let root = (a.triangles().len() as f64 * b.triangles().len() as f64).sqrt();
    let pair = ["a", "b"].into_iter().zip([a, b]);
    let pair: Vec<Body> =
        pair.map(|(name, mesh)| Body::new(name, mesh, Motion::fixed(Pose::IDENTITY))).collect();
    let mut scenes = Vec::new();
    for path in 0..8 {
        let mut scene = Scene::default();
        for (body, motion) in pair.iter().zip(crossing_paths(path)?) {
            let (shape, _) = body.as_rigid().expect("both are rigid");
            scene.add(Body::new(body.name(), shape.clone(), motion))?;
        }
        scenes.push(scene);
    }
    let ask = move || {
        let mut work = 0;
        for scene in &scenes {
            let stats = scene.check(&Options::default())?.stats;
            work += stats.volume_pairs + stats.piece_pairs;
        }
        Ok(Work { size: root, work: work as f64, questions: scenes.len() })
    };
    Ok(Question { ask: Box::new(ask) })
}

/// Returns two bodies that pass through each other near the middle of the time, each turning by up to half a turn.
pub fn crossing_paths(seed: usize) -> Result<[Motion; 2]> {
    let angle = seed as f64 * 2.4;
    let from = dvec3(angle.cos(), angle.sin(), 0.5 * (2.0 * angle).cos()) * 3.0;
    let aside = dvec3(-angle.sin(), angle.cos(), 0.3) * (0.15 * (seed % 4) as f64);
    let turn = |axis: DVec3, by: f64| DQuat::from_axis_angle(axis.normalize(), by);
    Ok([
        Motion::linear(
            Pose::new(DVec3::ZERO, turn(dvec3(1.0, angle.sin(), 0.2), angle))?,
            Pose::new(DVec3::ZERO, turn(dvec3(1.0, angle.sin(), 0.2), angle + 2.5))?,
        ),
        Motion::linear(
            Pose::new(from, turn(dvec3(0.3, 1.0, angle.cos()), -angle))?,
            Pose::new(aside - from, turn(dvec3(0.3, 1.0, angle.cos()), 2.0 - angle))?,
        ),
    ])
}

fn bodies(size: usize) -> Result<Question> {
    let scene = crowd(size, size / 100, 1.6, 7)?;
    let ask = move || {
        let stats = scene.check(&Options { mode: Mode::All, ..Options::default() })?.stats;
        let work = stats.part_pairs + stats.volume_pairs + stats.piece_pairs;
        Ok(Work { size: size as f64, work: work as f64, questions: 1 })
    };
    Ok(Question { ask: Box::new(ask) })
}

fn links(size: usize) -> Result<Question> {
    let balls = (0..size).map(|i| ball(i, DVec3::new(0.3 * i as f64, 0.0, 0.2))).collect::<Result<_>>()?;
    // The tip of a longer arm would move farther.
    edge(chain(size)?, balls, size, 4.0 / size as f64)
}

fn obstacles(size: usize) -> Result<Question> {
    edge(chain(10)?, scattered(size)?, size, 0.4)
}

fn step(size: usize) -> Result<Question> {
    edge(chain(10)?, scattered(200)?, size, 0.01 * size as f64)
}

/// Returns a step of an arm, whose joints bend by this angle in alternating directions, so that it stays spread out.
fn edge(robot: Robot, around: Vec<Body>, size: usize, by: f64) -> Result<Question> {
    let joints = robot.zero().len();
    let checker = Checker::new(robot, Pose::IDENTITY, around)?;
    let bend =
        move |size: f64| -> Vec<f64> { (0..joints).map(|i| if i % 2 == 0 { size } else { -size }).collect() };
    let ask = move || {
        let options = Options { mode: Mode::Any, ..Options::default() };
        let report = checker.check_step(&bend(0.1), &bend(0.1 + by), &options)?;
        assert_eq!(report.answer, Answer::Free, "the arm stays away from everything");
        Ok(Work {
            size: size as f64,
            work: (report.windows[0] + report.windows[1] + report.close_pairs) as f64,
            questions: 1,
        })
    };
    Ok(Question { ask: Box::new(ask) })
}

/// Returns an arm of capsules in a row, each turning about an axis across it.
fn chain(links: usize) -> Result<Robot> {
    let along_x = DQuat::from_rotation_y(0.5 * std::f64::consts::PI);
    let part = || -> Result<LinkPart> {
        let pose = Pose::new(DVec3::X * 0.15, along_x)?;
        Ok(LinkPart { shape: Capsule::new(0.03, 0.2)?.into(), pose })
    };
    let (mut described, mut joints) = (Vec::new(), Vec::new());
    for i in 0..links {
        described.push((format!("link{i}"), vec![part()?]));
        if i > 0 {
            joints.push(Joint {
                name: format!("joint{i}"),
                parent: format!("link{}", i - 1),
                child: format!("link{i}"),
                origin: Pose::from_translation(DVec3::X * 0.3)?,
                kind: JointKind::Revolute { axis: DVec3::Z },
                limits: None,
                mimic: None,
            });
        }
    }
    Robot::new("chain", described, joints)
}

fn ball(number: usize, at: DVec3) -> Result<Body> {
    Ok(Body::new(format!("ball{number}"), Sphere::new(0.1)?, Motion::fixed(Pose::from_translation(at)?)))
}

/// Balls of one density in a cube around the arm. No ball is within a centimetre of its links, which stay in one plane.
fn scattered(count: usize) -> Result<Vec<Body>> {
    let mut random = Random::new(11);
    // The arm is 3 long: from some hundred balls on it is surrounded.
    let half = 0.5 * (count as f64 / 32.0).cbrt();
    let mut coordinate = || random.between(-half, half);
    (0..count)
        .map(|i| {
            let (x, y, z) = (coordinate(), coordinate(), coordinate());
            ball(i, DVec3::new(1.5 + x, y, z + 0.16 * z.signum()))
        })
        .collect()
}
