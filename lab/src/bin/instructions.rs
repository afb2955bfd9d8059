//! Small workloads of every engine, for counts of instructions, which are the same on a busy machine.
//!
//! `cargo run --release -p firsttouch-lab --bin instructions WORKLOAD` runs one workload and prints the hash of its
//! answers. Without a name it lists all of them. Only the work inside `measured` counts:
//!
//! ```text
//! valgrind --tool=callgrind --collect-atstart=no --toggle-collect='*measured*' target/release/instructions boxes
//! ```
//!
//! Robots are read from the shared data beside the checkout; without it, their workloads do nothing. They take a few
//! problems of each robot, or all of them with the argument `all`; then the hash tells if any answer changed. A number
//! as argument is the number of repetitions of the workload, for a profiler that takes samples:
//! `perf record target/release/instructions ur5_any_again 50`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::advancement::{Limits, Verdict};
use firsttouch::articulated::{Checker, RobotStep};
use firsttouch::contact::Tables;
use firsttouch::deformable::{Settings, Start};
use firsttouch::elementary::{self, EdgeEdge, VertexFace};
use firsttouch::ellipsoid::{Directions, Group, GroupStats, MovingEllipsoid, first_touch};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Mesh, Shape, Sphere};
use firsttouch::{Answer, Ask, Body, Mode, Options, Scene};
use firsttouch_io::{build_scene, read_robot, read_scene, read_urdf, read_waypoints};
use firsttouch_lab::benches::growth::CURVES;
use firsttouch_lab::scenes::deforming::{Frames, folded_cloth};
use firsttouch_lab::scenes::ellipsoids::{boxers, close_pairs};
use firsttouch_lab::scenes::machines::{self, MachineProblem};
use firsttouch_lab::scenes::plates::Plates;
use firsttouch_lab::scenes::{crowd::crowd, shapes};
use glam::{DQuat, DVec3, dvec3};

type Failure = Box<dyn std::error::Error>;

/// The counted work, which returns the hash of the answers.
type Work = Box<dyn FnMut(&mut DefaultHasher) -> Result<(), Failure>>;

/// Prepares a workload.
type Prepare = fn() -> Result<Work, Failure>;

const WORKLOADS: [(&str, Prepare); 53] = [
    ("boxes", || small(box_shape, box_shape, Motion::linear, true)),
    ("boxes_known", || small(box_shape, box_shape, Motion::linear, false)),
    ("spheres", || small(sphere, sphere, Motion::linear, false)),
    ("capsule_box", || small(capsule, box_shape, Motion::linear, false)),
    ("capsule_box_rational", || small(capsule, box_shape, Motion::rational, false)),
    ("capsule_box_screw", || small(capsule, box_shape, Motion::screw, false)),
    ("far_pairs", far_pairs),
    ("meshes", meshes),
    ("meshes_again", || repeated(meshes()?)),
    ("mesh_build", mesh_build),
    ("vertex_face", || features(true, 4_000, |_, _| {})),
    ("edge_edge", || features(false, 4_000, |_, _| {})),
    ("vertex_face_aimed", || features(true, 1_000, aim_at_an_edge)),
    ("vertex_face_flat", || features(true, 1_000, flatten)),
    ("edge_edge_flat", || features(false, 1_000, flatten)),
    ("vertex_face_wide", || features(true, 400, widen)),
    ("edge_edge_wide", || features(false, 400, widen)),
    ("panda_any", || robot("panda", Mode::Any)),
    ("panda_any_again", || repeated(robot("panda", Mode::Any)?)),
    ("panda_first", || robot("panda", Mode::First)),
    ("ur5_any", || robot("ur5", Mode::Any)),
    ("ur5_any_again", || repeated(robot("ur5", Mode::Any)?)),
    ("ur5_first", || robot("ur5", Mode::First)),
    ("panda_clearance", || repeated(clearances("panda")?)),
    ("ur5_clearance", || repeated(clearances("ur5")?)),
    ("mobile_any", || machine(machines::mobile_manipulator, Mode::Any)),
    ("mobile_first", || machine(machines::mobile_manipulator, Mode::First)),
    ("humanoid_any", || machine(machines::humanoid, Mode::Any)),
    ("humanoid_first", || machine(machines::humanoid, Mode::First)),
    ("panda_scene_any", || robot_in_scene("panda", Mode::Any)),
    ("panda_scene_first", || robot_in_scene("panda", Mode::First)),
    ("ur5_scene_first", || robot_in_scene("ur5", Mode::First)),
    ("panda_alone_first", || checkers("panda", false)),
    ("panda_shared_first", || checkers("panda", true)),
    ("ur5_alone_first", || checkers("ur5", false)),
    ("ur5_shared_first", || checkers("ur5", true)),
    ("panda_simulated", || simulated("panda")),
    ("panda_build", || robot_build("panda")),
    ("ur5_build", || robot_build("ur5")),
    ("arm_among_50", || arm_among(50)),
    ("arm_among_3200", || arm_among(3_200)),
    ("ellipsoids", ellipsoids),
    ("ellipsoid_groups", ellipsoid_groups),
    ("contact", contact),
    ("cloth", cloth),
    ("deforming_build", || deforming(Part::Build)),
    ("deforming_first", || deforming(Part::First)),
    ("deforming_report", || deforming(Part::Report)),
    ("deforming_all", || deforming(Part::All)),
    ("deforming_step", || deforming(Part::Step)),
    ("crowd_first", || bodies(Mode::First)),
    ("crowd_all", || bodies(Mode::All)),
    ("crowd_again", again),
];

fn main() -> Result<(), Failure> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for (name, prepare) in WORKLOADS {
        if wanted.is_empty() {
            println!("{name}");
        } else if wanted.iter().any(|w| w == name) {
            let mut work = prepare()?;
            println!("{name} {:016x}", measured(&mut work)?);
            let times = wanted.iter().find_map(|w| w.parse().ok()).unwrap_or(1);
            for _ in 1..times {
                measured(&mut work)?;
            }
        }
    }
    Ok(())
}

#[inline(never)]
fn measured(work: &mut Work) -> Result<u64, Failure> {
    let mut hasher = DefaultHasher::new();
    work(&mut hasher)?;
    Ok(hasher.finish())
}

/// Twenty motions of one arm among many balls, all of them free, after a first one.
fn arm_among(balls: usize) -> Result<Work, Failure> {
    let curve = CURVES.iter().find(|curve| curve.name == "obstacles").ok_or("no curve of obstacles")?;
    let question = (curve.question)(balls)?;
    question.ask()?;
    Ok(Box::new(move |hasher| {
        for _ in 0..20 {
            question.ask()?.work.to_bits().hash(hasher);
        }
        Ok(())
    }))
}

fn hash(answer: &Answer, hasher: &mut DefaultHasher) {
    match answer {
        Answer::Free => 0_u64.hash(hasher),
        Answer::Undecided { free_until, .. } => free_until.to_bits().hash(hasher),
        Answer::Touch(touch) | Answer::TouchingAtStart(touch) => {
            (touch.toi.to_bits(), touch.gap.to_bits()).hash(hasher);
        }
    }
}

fn box_shape() -> firsttouch::Result<Shape> {
    Ok(Cuboid::new(dvec3(0.5, 0.4, 0.3))?.into())
}

fn sphere() -> firsttouch::Result<Shape> {
    Ok(Sphere::new(0.4)?.into())
}

fn capsule() -> firsttouch::Result<Shape> {
    Ok(Capsule::new(0.2, 0.8)?.into())
}

/// Returns two bodies that cross near the middle of the time, each turning by up to half a turn.
fn crossing(seed: usize, motion: fn(Pose, Pose) -> Motion) -> firsttouch::Result<[Motion; 2]> {
    let angle = seed as f64 * 2.4;
    let from = dvec3(angle.cos(), angle.sin(), 0.5 * (2.0 * angle).cos()) * 3.0;
    let aside = dvec3(-angle.sin(), angle.cos(), 0.3) * (0.25 * (seed % 8) as f64);
    let turn = |axis: DVec3, by: f64| DQuat::from_axis_angle(axis.normalize(), by);
    let (axis_a, axis_b) = (dvec3(1.0, angle.sin(), 0.2), dvec3(0.3, 1.0, angle.cos()));
    Ok([
        motion(
            Pose::new(DVec3::ZERO, turn(axis_a, angle))?,
            Pose::new(DVec3::ZERO, turn(axis_a, angle + 2.5))?,
        ),
        motion(Pose::new(from, turn(axis_b, -angle))?, Pose::new(aside - from, turn(axis_b, 2.0 - angle))?),
    ])
}

fn scene_of(shapes: [&Shape; 2], [a, b]: [Motion; 2]) -> firsttouch::Result<Scene> {
    let mut scene = Scene::default();
    scene.add(Body::new("a", shapes[0].clone(), a))?;
    scene.add(Body::new("b", shapes[1].clone(), b))?;
    Ok(scene)
}

fn small(
    a: fn() -> firsttouch::Result<Shape>,
    b: fn() -> firsttouch::Result<Shape>,
    motion: fn(Pose, Pose) -> Motion,
    is_built_each_time: bool,
) -> Result<Work, Failure> {
    let (a, b) = (a()?, b()?);
    let motions: Vec<[Motion; 2]> = (0..500).map(|seed| crossing(seed, motion)).collect::<Result<_, _>>()?;
    let scenes: Vec<Scene> =
        motions.iter().map(|pair| scene_of([&a, &b], pair.clone())).collect::<Result<_, _>>()?;
    Ok(Box::new(move |hasher| {
        for (pair, known) in motions.iter().zip(&scenes) {
            let report = if is_built_each_time {
                scene_of([&a, &b], pair.clone())?.check(&Options::default())?
            } else {
                known.check(&Options::default())?
            };
            hash(&report.answer, hasher);
        }
        Ok(())
    }))
}

/// Measures two bodies that never come near each other, without a scene.
fn far_pairs() -> Result<Work, Failure> {
    let shapes = [box_shape()?, capsule()?, shapes::potato(4_000, 1)?.into()];
    let pairs: Vec<[Motion; 2]> =
        (0..1_000).map(|seed| crossing(seed, Motion::linear)).collect::<Result<_, _>>()?;
    let away = Pose::from_translation(dvec3(50.0, 0.0, 0.0))?;
    Ok(Box::new(move |hasher| {
        for (seed, [a, _]) in pairs.iter().enumerate() {
            let (shape_a, shape_b) = (&shapes[seed % 3], &shapes[seed / 3 % 3]);
            let b = Motion::fixed(away);
            hash(&firsttouch::first_touch((shape_a, a), (shape_b, &b), &Options::default())?, hasher);
        }
        Ok(())
    }))
}

fn meshes() -> Result<Work, Failure> {
    let (a, b): (Shape, Shape) = (shapes::potato(4_000, 1)?.into(), shapes::torus(1.0, 0.35, 4_000)?.into());
    let scenes: Vec<Scene> = (0..24)
        .map(|seed| scene_of([&a, &b], crossing(seed, Motion::linear)?))
        .collect::<firsttouch::Result<_>>()?;
    Ok(Box::new(move |hasher| {
        for scene in &scenes {
            hash(&scene.check(&Options::default())?.answer, hasher);
        }
        Ok(())
    }))
}

fn mesh_build() -> Result<Work, Failure> {
    let potato = shapes::potato(4_000, 1)?;
    let (vertices, triangles) = (potato.vertices().to_vec(), potato.triangles().to_vec());
    Ok(Box::new(move |hasher| {
        let mesh = Mesh::new(vertices.clone(), triangles.clone())?;
        // Includes the parts that queries build when they need them.
        mesh.tree().build_all(false);
        mesh.triangles().len().hash(hasher);
        Ok(())
    }))
}

/// Returns a number in [−1, 1], the same every time.
fn number(k: usize) -> f64 {
    let mut z = (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Moves the first point to meet the line through the next two, at some time: contact depends on the last bits.
fn aim_at_an_edge([t0, t1]: &mut [[DVec3; 4]; 2], k: usize) {
    let (s, t) = (0.5 + 0.5 * number(2 * k), 0.5 + 0.5 * number(2 * k + 1));
    let (c, d) = (t0[1].lerp(t1[1], t), t0[2].lerp(t1[2], t));
    t1[0] = t0[0] + (c.lerp(d, s) - t0[0]) / t;
}

/// Moves all points to one plane.
fn flatten(ends: &mut [[DVec3; 4]; 2], _: usize) {
    ends.as_flattened_mut().iter_mut().for_each(|point| point.z = 0.0);
}

/// Scales the points to numbers of very different exponents.
fn widen(ends: &mut [[DVec3; 4]; 2], _: usize) {
    for (i, point) in ends.as_flattened_mut().iter_mut().enumerate() {
        *point *= 10_f64.powi(-9 * i as i32);
    }
}

/// Measures random features, each query then changed by `change`, which also takes its index.
fn features(
    is_vertex_face: bool,
    count: usize,
    change: fn(&mut [[DVec3; 4]; 2], usize),
) -> Result<Work, Failure> {
    let point = |k: usize| dvec3(number(3 * k), number(3 * k + 1), number(3 * k + 2));
    let query = |k: usize| {
        let mut ends = [0, 1].map(|end| [0, 1, 2, 3].map(|i| point(8 * k + 4 * end + i)));
        change(&mut ends, k);
        ends
    };
    let queries: Vec<[[DVec3; 4]; 2]> = (0..count).map(query).collect();
    Ok(Box::new(move |hasher| {
        let limits = elementary::Limits::default();
        for [t0, t1] in &queries {
            let decision = if is_vertex_face {
                elementary::vertex_face(&VertexFace::new(*t0, *t1)?, &limits)
            } else {
                elementary::edge_edge(&EdgeEdge::new(*t0, *t1)?, &limits)
            };
            let toi = match decision.outcome {
                elementary::Verdict::Free => 2.0,
                elementary::Verdict::Touch(touch) => touch.toi,
                elementary::Verdict::Undecided { free_until } => -free_until,
            };
            toi.to_bits().hash(hasher);
        }
        Ok(())
    }))
}

/// The bodies and segments of a few problems of a robot.
type Problem = (Vec<Body>, Vec<[Vec<f64>; 2]>);

fn problems(robot: &str) -> Result<Option<(firsttouch::articulated::Robot, Vec<Problem>)>, Failure> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/robots").join(robot);
    if !data.is_dir() {
        println!("no shared data beside the checkout: nothing is counted");
        return Ok(None);
    }
    let urdf = data.join(format!("{robot}.urdf"));
    let (described, _) = read_robot(&urdf, Some(&data.join(format!("{robot}.srdf"))))?;
    let file = read_urdf(&urdf)?;
    let mut files = Vec::new();
    for folder in std::fs::read_dir(&data)? {
        let folder = folder?.path();
        if folder.is_dir() {
            for file in std::fs::read_dir(folder)? {
                let file = file?.path();
                if file.extension().is_some_and(|extension| extension == "csv") {
                    files.push(file);
                }
            }
        }
    }
    files.sort();
    // A few problems from everywhere.
    let is_all = std::env::args().any(|argument| argument == "all");
    let every = if is_all { 1 } else { (files.len() / 4).max(1) };
    let mut problems = Vec::new();
    for path in files.iter().step_by(every) {
        let scene = path.with_extension("toml");
        let obstacles = build_scene(&read_scene(&scene)?, &scene)?.bodies().to_vec();
        let waypoints = read_waypoints(path, &file)?;
        let columns: Vec<Option<usize>> =
            waypoints.joints.iter().map(|joint| described.variable(joint)).collect();
        let configuration = |row: &Vec<f64>| {
            let mut values = described.zero();
            for (column, value) in columns.iter().zip(row) {
                if let Some(column) = column {
                    values[*column] = *value;
                }
            }
            values
        };
        let mut segments = Vec::new();
        for path in &waypoints.paths {
            let rows: Vec<Vec<f64>> = path.rows.iter().map(configuration).collect();
            segments.extend(rows.windows(2).map(|ends| [ends[0].clone(), ends[1].clone()]));
        }
        problems.push((obstacles, segments));
    }
    Ok(Some((described, problems)))
}

fn robot(name: &str, mode: Mode) -> Result<Work, Failure> {
    let Some((robot, problems)) = problems(name)? else { return Ok(Box::new(|_| Ok(()))) };
    let mut checkers = Vec::new();
    let mut count = 0;
    for (obstacles, segments) in problems {
        count += segments.len();
        checkers.push((Checker::new(robot.clone(), Pose::IDENTITY, obstacles)?, segments));
    }
    println!("{count} segments");
    let options = Options { mode, ..Options::default() };
    Ok(Box::new(move |hasher| {
        for (checker, segments) in &checkers {
            for [from, to] in segments {
                hash(&checker.check_step(from, to, &options)?.answer, hasher);
            }
        }
        Ok(())
    }))
}

/// Measures the least distance on the segments of a robot. The bounds that are hashed may change by less than the
/// tolerance when the search does.
fn clearances(name: &str) -> Result<Work, Failure> {
    let Some((robot, problems)) = problems(name)? else { return Ok(Box::new(|_| Ok(()))) };
    let mut checkers = Vec::new();
    for (obstacles, segments) in problems {
        checkers.push((Checker::new(robot.clone(), Pose::IDENTITY, obstacles)?, segments));
    }
    let options = Options::default();
    Ok(Box::new(move |hasher| {
        for (checker, segments) in &checkers {
            for segment in segments {
                let found = checker.clearance(segment, &options)?;
                let upper = found.map_or(f64::INFINITY, |found| found.clearance.upper);
                upper.to_bits().hash(hasher);
            }
        }
        Ok(())
    }))
}

/// Returns the same workload after one run: then the parts that are built only on demand exist.
fn repeated(mut work: Work) -> Result<Work, Failure> {
    work(&mut DefaultHasher::new())?;
    Ok(work)
}

/// Measures segments of a generated robot, in two passes: the first one builds the parts that are built only on demand.
fn machine(problem: fn(usize) -> firsttouch::Result<MachineProblem>, mode: Mode) -> Result<Work, Failure> {
    let MachineProblem { checker, segments } = problem(100)?;
    println!("{} segments, twice", segments.len());
    let options = Options { mode, ..Options::default() };
    Ok(Box::new(move |hasher| {
        for [from, to] in segments.iter().chain(&segments) {
            hash(&checker.check_step(from, to, &options)?.answer, hasher);
        }
        Ok(())
    }))
}

/// Measures the same segments, each with the robot as a body of a scene.
fn robot_in_scene(name: &str, mode: Mode) -> Result<Work, Failure> {
    let Some((robot, problems)) = problems(name)? else { return Ok(Box::new(|_| Ok(()))) };
    let robot = Arc::new(robot);
    let mut scenes = Vec::new();
    for (obstacles, segments) in problems {
        // Obstacles that overlap each other are not part of the measurement.
        for [from, to] in segments {
            let mut scene = Scene::default();
            scene.add(Body::robot("robot", RobotStep::new(Arc::clone(&robot), Pose::IDENTITY, from, to)?))?;
            for body in &obstacles {
                scene.add(body.clone())?;
            }
            scenes.push(scene);
        }
    }
    println!("{} segments", scenes.len());
    let options = Options { mode, ..Options::default() };
    Ok(Box::new(move |hasher| {
        for scene in &scenes {
            let is_queried = |a: &Body, b: &Body| a.name() == "robot" || b.name() == "robot";
            hash(&scene.check(Ask::from(&options).filter(&is_queried))?.answer, hasher);
        }
        Ok(())
    }))
}

/// Measures the same segments, each by its own checker among the same obstacles: built from the robot, or a clone of a
/// checker that knows the robot.
fn checkers(name: &str, is_shared: bool) -> Result<Work, Failure> {
    let Some((robot, problems)) = problems(name)? else { return Ok(Box::new(|_| Ok(()))) };
    let robot = Arc::new(robot);
    let known = Checker::new(Arc::clone(&robot), Pose::IDENTITY, vec![])?;
    Ok(Box::new(move |hasher| {
        for (obstacles, segments) in &problems {
            for [from, to] in segments {
                let checker = if is_shared {
                    let mut clone = known.clone();
                    clone.set_obstacles(obstacles.clone())?;
                    clone
                } else {
                    Checker::new(Arc::clone(&robot), Pose::IDENTITY, obstacles.clone())?
                };
                hash(&checker.check_step(from, to, &Options::default())?.answer, hasher);
            }
        }
        Ok(())
    }))
}

/// Measures the same segments as steps of a simulation, one after the other.
fn simulated(name: &str) -> Result<Work, Failure> {
    let Some((robot, problems)) = problems(name)? else { return Ok(Box::new(|_| Ok(()))) };
    let mut runs = Vec::new();
    let mut count = 0;
    for (obstacles, segments) in problems {
        let start = robot.zero();
        count += segments.len();
        runs.push((Simulated::new(robot.clone(), Pose::IDENTITY, obstacles, start)?, segments));
    }
    println!("{count} segments");
    Ok(Box::new(move |hasher| {
        for (simulated, segments) in &mut runs {
            for [from, to] in &*segments {
                let ends = from.iter().zip(to).enumerate();
                let moved: Vec<Moved> =
                    ends.map(|(variable, (&from, &to))| Moved { variable, from, to }).collect();
                hash(&simulated.step(&moved, &Options::default())?.answer, hasher);
                simulated.accept(1.0)?;
            }
        }
        Ok(())
    }))
}

fn robot_build(name: &str) -> Result<Work, Failure> {
    let Some((robot, problems)) = problems(name)? else { return Ok(Box::new(|_| Ok(()))) };
    let obstacles = problems[0].0.clone();
    Ok(Box::new(move |hasher| {
        let checker = Checker::new(robot.clone(), Pose::IDENTITY, obstacles.clone())?;
        checker.robot().links().len().hash(hasher);
        Ok(())
    }))
}

fn ellipsoids() -> Result<Work, Failure> {
    let pairs: Vec<[(firsttouch::shape::Ellipsoid, Motion); 2]> = close_pairs(200)?
        .into_iter()
        .enumerate()
        .map(|(k, pair)| {
            let [a, b] = crossing(k, Motion::rational)?;
            Ok([(pair[0].0, a), (pair[1].0, b)])
        })
        .collect::<firsttouch::Result<_>>()?;
    Ok(Box::new(move |hasher| {
        for [a, b] in &pairs {
            let [a, b] = [a, b].map(|(shape, motion)| MovingEllipsoid { shape, motion });
            let t = match first_touch(a, b, &Limits::DEFAULT, &mut 0) {
                Verdict::Free => 2.0,
                Verdict::Touch(touch) => touch.t,
                Verdict::Undecided { free_until } => -free_until,
            };
            t.to_bits().hash(hasher);
        }
        Ok(())
    }))
}

fn ellipsoid_groups() -> Result<Work, Failure> {
    let placed = (0..=20).map(boxers).collect::<firsttouch::Result<Vec<_>>>()?;
    Ok(Box::new(move |hasher| {
        let (mut directions, mut stats) = (Directions::default(), GroupStats::default());
        for w in placed.windows(2) {
            let [a, b] = [0, 1].map(|side: usize| {
                let legs = w[0][side].iter().zip(&w[1][side]);
                Group::new(legs.map(|(p, q)| (p.0, Motion::rational(p.1, q.1))))
            });
            let t = match a.first_touch(&b, &Limits::DEFAULT, &mut directions, &mut stats) {
                Verdict::Free => 2.0,
                Verdict::Touch(touch) => touch.t,
                Verdict::Undecided { free_until } => -free_until,
            };
            t.to_bits().hash(hasher);
        }
        Ok(())
    }))
}

fn contact() -> Result<Work, Failure> {
    let plates = Plates::like_figure_3()?;
    Ok(Box::new(move |hasher| {
        let (_, outcomes) = plates.follow(Tables::ALL);
        outcomes.len().hash(hasher);
        Ok(())
    }))
}

fn cloth() -> Result<Work, Failure> {
    let frames = folded_cloth(40, 3.0);
    Ok(Box::new(move |hasher| {
        let mesh = frames.build(Settings { threads: 1, ..Settings::default() })?;
        for mode in [Mode::First, Mode::All] {
            let options = Options { mode, threads: 1, ..Options::default() };
            hash(&mesh.check(&options, Start::Ignore)?.answer, hasher);
        }
        Ok(())
    }))
}

/// The counted part of the work on a deforming mesh.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Build,
    First,
    /// The first touch, and the crossings at the start.
    Report,
    All,
    /// New frames for an existing mesh, and its first touch: cloth of 100,000 triangles in layers that wave without
    /// touching.
    Step,
}

/// Measures the frames of cloth-ball, or of generated cloth with the same number of triangles.
fn deforming(part: Part) -> Result<Work, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/scenes/cloth-ball");
    let read = |name: &str| firsttouch_io::read_mesh(&root.join(name)).ok();
    let frames = match (read("cloth_ball92.ply"), read("cloth_ball93.ply")) {
        _ if part == Part::Step => folded_cloth(224, 0.3),
        (Some(a), Some(b)) => Frames { t0: a.positions, t1: b.positions, triangles: a.triangles },
        _ => folded_cloth(216, 3.0),
    };
    let mut mesh = frames.build(Settings::default())?;
    if part == Part::Step {
        // The first new frames choose the order of the tree.
        mesh.set_frames(&frames.t0, &frames.t1)?;
    }
    Ok(Box::new(move |hasher| {
        if part == Part::Build {
            mesh = frames.build(Settings::default())?;
            mesh.edges().len().hash(hasher);
            return Ok(());
        }
        if part == Part::Step {
            mesh.set_frames(&frames.t0, &frames.t1)?;
        }
        let mode = if part == Part::All { Mode::All } else { Mode::First };
        let start = if part == Part::Report { Start::Report } else { Start::Ignore };
        hash(&mesh.check(&Options { mode, threads: 1, ..Options::default() }, start)?.answer, hasher);
        Ok(())
    }))
}

fn bodies(mode: Mode) -> Result<Work, Failure> {
    let scene = crowd(1_000, 10, 1.0, 7)?;
    Ok(Box::new(move |hasher| {
        let options = Options { mode, threads: 1, ..Options::default() };
        hash(&scene.check(&options)?.answer, hasher);
        Ok(())
    }))
}

/// Measures ten queries of one scene, between which one of its thousand bodies gets another motion.
fn again() -> Result<Work, Failure> {
    let mut scene = crowd(1_000, 10, 1.0, 7)?;
    let names: Vec<String> = scene.bodies().iter().map(|body| body.name().into()).collect();
    Ok(Box::new(move |hasher| {
        for (k, name) in names.iter().take(10).enumerate() {
            let from = Pose::from_translation(dvec3(number(k), number(k + 10), number(k + 20)) * 5.0)?;
            let to = Pose::from_translation(dvec3(number(k + 30), number(k + 40), number(k + 50)) * 5.0)?;
            if scene.bodies()[k].as_rigid().is_some() {
                scene.set_motion(name, Motion::linear(from, to))?;
            }
            hash(&scene.check(&Options { threads: 1, ..Options::default() })?.answer, hasher);
        }
        Ok(())
    }))
}
