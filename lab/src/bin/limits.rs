//! Huge inputs: the growth of time and memory with them, against the bars.
//!
//! `cargo run --release -p firsttouch-lab --bin limits` prints one row per input. It has the seconds, the part of them
//! in which the program ran (which is less on a busy machine), and the peak memory up to that row, if the system
//! reports it. The rows are in ascending order of memory, so that each shows its own.
//!
//! Bars: 32,000 `Scene::add` in 50 ms; 100,000 bodies read in 1 s; joints of 16,000 links looked up in linear time; no
//! input takes more than 1 GB. The pairs of features of coincident triangles all touch, so that row grows with their
//! number squared; the time per pair is the figure that counts.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::time::Instant;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::deformable::{Deformable, Start};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Cuboid, Sphere};
use firsttouch::{Body, Control, Mode, Options, PairReport, Scene};
use firsttouch_io::{build_robot, build_scene, parse_scene, parse_srdf, parse_urdf, read_robot_meshes};
use glam::{DVec3, dvec3};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    println!("{:<58} {:>10} {:>10} {:>10}  result", "", "s", "running, s", "peak, MB");
    adding_and_removing()?;
    for links in [4_000, 16_000] {
        named_joints(links)?;
    }
    for shapes in [100, 1_000] {
        links_of_many_shapes(shapes)?;
    }
    for triangles in [250, 500, 1_000] {
        coincident_triangles(triangles)?;
    }
    for bodies in [2_000, 4_000, 10_000] {
        overlapping_bodies(bodies)?;
    }
    for bodies in [20_000, 100_000] {
        many_bodies(bodies)?;
    }
    Ok(())
}

fn adding_and_removing() -> Result<(), Failure> {
    const BODIES: usize = 32_000;
    let ball = Sphere::new(0.5)?;
    let body = |i: usize| -> Result<Body, Failure> {
        // Every eighth one touches the next.
        let place = Pose::from_translation(dvec3(
            2.0 * i as f64 + if i.is_multiple_of(8) { 1.5 } else { 0.0 },
            0.0,
            0.0,
        ))?;
        Ok(Body::new(format!("b{i}"), ball, Motion::fixed(place)))
    };
    let bodies: Vec<Body> = (0..BODIES).map(body).collect::<Result<_, Failure>>()?;
    let start = Clock::start();
    let mut scene = Scene::default();
    for body in bodies {
        scene.add(body)?;
    }
    row("32,000 bodies added (bar: 0.05 s)", start, &format!("{} bodies", scene.bodies().len()));
    println!("  {}", hash_of_all_pairs(&scene)?);
    let start = Clock::start();
    for i in 0..1_000 {
        scene.remove(&format!("b{}", 31 * i))?;
    }
    row("1,000 of 32,000 bodies removed", start, &format!("{} bodies", scene.bodies().len()));
    println!("  {}", hash_of_all_pairs(&scene)?);
    for i in 0..30_000 {
        let name = |i: usize| scene.bodies()[i].name().to_string();
        let (a, b) = (name(i), name(i + 1));
        scene.allow(&a, &b)?;
    }
    let start = Clock::start();
    for i in 0..1_000 {
        scene.remove(&format!("b{}", 31 * i + 7))?;
    }
    row(
        "1,000 more removed, of 30,000 pairs that may touch",
        start,
        &format!("{} bodies", scene.bodies().len()),
    );
    println!("  {}", hash_of_all_pairs(&scene)?);
    Ok(())
}

/// Returns the number of touching pairs, and a hash of them by name, in the order of the report.
fn hash_of_all_pairs(scene: &Scene) -> Result<String, Failure> {
    let report = scene.check(&Options { mode: Mode::All, ..Options::default() })?;
    let mut hasher = DefaultHasher::new();
    for pair in &report.pairs {
        pair.bodies.map(|body| scene.bodies()[body].name()).hash(&mut hasher);
        pair.answer.touch().map(|touch| (touch.toi.to_bits(), touch.gap.to_bits())).hash(&mut hasher);
    }
    Ok(format!("{} pairs touch, hash {:016x}", report.pairs.len(), hasher.finish()))
}

/// Returns a robot of many links, its SRDF, and a scene that gives every joint a value.
fn named_joints(links: usize) -> Result<(), Failure> {
    let mut urdf = String::from(
        "<robot name=\"r\"><link name=\"l0\"><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>",
    );
    let mut srdf = String::from("<robot name=\"r\">");
    for i in 1..links {
        write!(
            urdf,
            "<link name=\"l{i}\"/><joint name=\"j{i}\" type=\"continuous\"><parent link=\"l0\"/><child link=\"l{i}\"/></joint>"
        )?;
        write!(srdf, "<disable_collisions link1=\"l{}\" link2=\"l{i}\" reason=\"Adjacent\"/>", i - 1)?;
    }
    (urdf, srdf) = (urdf + "</robot>", srdf + "</robot>");
    let start = Clock::start();
    let file = parse_urdf(urdf.as_bytes(), "r.urdf")?;
    let disabled = parse_srdf(srdf.as_bytes(), "r.srdf", &file)?;
    let robot = build_robot(&file, &read_robot_meshes(&file)?, &disabled)?;
    row(&format!("URDF and SRDF of {links} links"), start, &format!("{} joints", robot.variables().len()));

    let mut scene = String::from("[[body]]\nname = \"arm\"\nrobot = { urdf = \"r.urdf\" }\n[body.from]\n");
    for i in 1..links {
        writeln!(scene, "j{i} = 0.5")?;
    }
    let start = Clock::start();
    let parsed = parse_scene(&scene, "s.toml")?;
    row(&format!("a scene that names {} joints", links - 1), start, &format!("{} body", parsed.bodies.len()));
    Ok(())
}

/// Measures two links with this number of small balls each, which turn past each other.
fn links_of_many_shapes(shapes: usize) -> Result<(), Failure> {
    let mut random = Random(7);
    let mut link = |name: &str| -> Result<(String, Vec<LinkPart>), Failure> {
        let part = |_| {
            let pose = Pose::from_translation(random.point())?;
            Ok(LinkPart { shape: Sphere::new(0.001)?.into(), pose })
        };
        Ok((name.into(), (0..shapes).map(part).collect::<Result<_, Failure>>()?))
    };
    let joint = |child: &str| Joint {
        name: format!("turn {child}"),
        parent: "base".into(),
        child: child.into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Revolute { axis: DVec3::Z },
        limits: None,
        mimic: None,
    };
    let links = vec![("base".into(), vec![]), link("a")?, link("b")?];
    let robot = Robot::new("wheels", links, vec![joint("a"), joint("b")])?;
    let checker = Checker::new(robot, Pose::IDENTITY, vec![])?;
    for mode in [Mode::First, Mode::Any] {
        let start = Clock::start();
        let report = checker.check_step(&[0.0, 0.0], &[0.0, 0.3], &Options { mode, ..Options::default() })?;
        let free_until = report.answer.free_until(1.0);
        let what = format!("a step of two links of {shapes} shapes, {mode:?}");
        row(&what, start, &format!("free until {free_until:.6}"));
    }
    Ok(())
}

/// Triangles in one place, which rise together: all their pairs touch all the time.
fn coincident_triangles(count: u32) -> Result<(), Failure> {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let at = |z: f64| (0..count).flat_map(|_| face.map(|corner| corner + DVec3::Z * z)).collect::<Vec<_>>();
    let triangles = (0..count).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Deformable::new(at(0.0), at(1.0), triangles, vec![], vec![])?;
    let start = Clock::start();
    let mut sink = |_: firsttouch::deformable::FoundPair<'_>| ControlFlow::Continue(());
    let report = mesh.check_all(&Options::default(), Start::Report, &Control::default(), &mut sink)?;
    let pairs = report.vf_touching + report.ee_touching;
    let each = start.seconds() * 1e9 / pairs as f64;
    row(
        &format!("{count} coincident triangles, all touches"),
        start,
        &format!("{pairs} pairs, {each:.0} ns each"),
    );
    Ok(())
}

/// Boxes that all overlap.
fn overlapping_bodies(count: usize) -> Result<(), Failure> {
    let mut scene = Scene::default();
    for i in 0..count {
        let place = Pose::from_translation(DVec3::X * (1e-5 * i as f64))?;
        scene.add(Body::new(format!("b{i}"), Cuboid::new(DVec3::splat(0.5))?, Motion::fixed(place)))?;
    }
    for mode in [Mode::First, Mode::Any] {
        let start = Clock::start();
        let report = scene.check(&Options { mode, ..Options::default() })?;
        let looked_at = format!("{} of {} pairs", report.stats.advanced, report.stats.pairs);
        row(&format!("{count} overlapping bodies, {mode:?}"), start, &looked_at);
    }
    if count <= 4_000 {
        let start = Clock::start();
        let mut pairs = 0_u64;
        let mut sink = |_: PairReport| {
            pairs += 1;
            ControlFlow::Continue(())
        };
        scene.check_all(&Options::default(), &mut sink)?;
        row(&format!("{count} overlapping bodies, All"), start, &format!("{pairs} pairs"));
    }
    Ok(())
}

/// Returns a scene file of bodies in a row.
fn many_bodies(count: usize) -> Result<(), Failure> {
    let mut text = String::new();
    for i in 0..count {
        let x = 2 * i;
        writeln!(
            text,
            "[[body]]\nname = \"b{i}\"\nshape = {{ box = [1, 1, 1] }}\npose = {{ xyz = [{x}, 0, 0] }}"
        )?;
    }
    let start = Clock::start();
    let scene = build_scene(&parse_scene(&text, "s.toml")?, "s.toml")?;
    let bar = if count == 100_000 { " (bar: 1 s)" } else { "" };
    row(&format!("{count} bodies read{bar}"), start, &format!("{} bodies", scene.bodies().len()));
    let start = Clock::start();
    let report = scene.check(&Options::default())?;
    row(&format!("{count} bodies checked"), start, &format!("{} pairs close", report.stats.part_pairs));
    Ok(())
}

fn row(what: &str, start: Clock, result: &str) {
    let seconds = start.seconds();
    let running = running_seconds().zip(start.running).map(|(now, then)| now - then);
    let running = running.map_or_else(|| "?".into(), |seconds| format!("{seconds:.3}"));
    let peak = peak_memory().map_or_else(|| "?".into(), |bytes| (bytes / 1_000_000).to_string());
    println!("{what:<58} {seconds:>10.3} {running:>10} {peak:>10}  {result}");
}

/// The start of a row.
struct Clock {
    wall: Instant,
    running: Option<f64>,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: Instant::now(), running: running_seconds() }
    }

    fn seconds(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }
}

/// Returns the seconds for which this thread has run, if the system reports them.
fn running_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(stat.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// Returns the peak memory of this process in bytes, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / 2f64.powi(53)
    }

    /// Returns a point of the cube from -1 to 1.
    fn point(&mut self) -> DVec3 {
        dvec3(self.unit(), self.unit(), self.unit()) * 2.0 - DVec3::ONE
    }
}
