//! C and C++ programs against the library: the same answers as from Rust, bit for bit; wrong arguments; two threads.
//!
//! The programs in `tests/programs` are compiled with the system's compiler and linked with the static library. Without
//! a compiler the tests say so on standard error and check nothing.

use crate::compiling;

use std::fmt::Write as _;

use firsttouch::articulated::Checker;
use firsttouch::deformable::Deformable;
use firsttouch::elementary::{
    Decision, EdgeEdge, Stage, Verdict, VertexFace, edge_edge, edge_edge_batch, vertex_face,
    vertex_face_batch,
};
use firsttouch::ellipsoid::{EllipsoidMotion, Overlap, OverlapKind, Posed, Relation, enclosing, overlaps};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Cylinder, Ellipsoid, Hull, Mesh, Shape, Sphere};
use firsttouch::{
    Answer, Body, BodyKind, Feature, Limits, LinkPiece, Mode, Options, Part, Report, Scene, Touch,
    first_touch,
};
use glam::{DQuat, DVec3};

use compiling::{compiled, output, testdata};
use firsttouch_c::border::ft_status;

#[test]
fn answers_in_c_are_those_of_rust() {
    let Some(program) = compiled("answers.c", "answers_c") else { return };
    compare(&output(&program), &Expected::new().text);
}

#[test]
fn answers_in_cpp_are_those_of_rust() {
    let Some(program) = compiled("answers.cpp", "answers_cpp") else { return };
    compare(&output(&program), &Expected::new().text);
}

#[test]
fn wrong_arguments_are_refused() {
    let Some(program) = compiled("wrong_arguments.c", "wrong_arguments") else { return };
    let text = output(&program);
    assert!(text.ends_with(" wrong calls, 0 not refused as they should be\n"), "{text}");
}

/// The warnings about a mesh file stay with its shape. They used to be dropped.
#[test]
fn shapes_have_the_warnings_about_their_files() {
    use firsttouch_c::shape::{ft_shape_free, ft_shape_mesh_file, ft_shape_warning, ft_shape_warnings};
    use std::mem::MaybeUninit;
    let path = std::ffi::CString::new(testdata().join("gltf/animated.gltf").to_str().unwrap()).unwrap();
    let (mut shape, mut count) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let mut text = [0; 400];
    // SAFETY: the path ends with a zero byte, the room for the text is as large as said, and the shape is freed once.
    let text = unsafe {
        assert_eq!(ft_shape_mesh_file(path.as_ptr(), Some(&mut shape)), ft_status::Ok);
        let shape = shape.assume_init();
        assert_eq!(ft_shape_warnings(shape.as_ref(), Some(&mut count)), ft_status::Ok);
        assert_eq!(count.assume_init(), 2);
        assert_eq!(ft_shape_warning(shape.as_ref(), 0, text.as_mut_ptr(), text.len(), None), ft_status::Ok);
        ft_shape_free(Some(Box::from_raw(shape)));
        std::ffi::CStr::from_ptr(text.as_ptr()).to_str().unwrap()
    };
    assert!(text.contains("animated.gltf: animations: the key \"animations\": an animation moves"), "{text}");
}

#[test]
fn two_threads_use_one_checker() {
    let Some(program) = compiled("two_threads.c", "two_threads") else { return };
    assert!(output(&program).contains("answers of two threads the same"));
}

/// The header's rules for threads hold in Rust: several threads may use shared handles at once, and any thread may free
/// them.
#[test]
fn handles_may_cross_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<firsttouch_c::shape::ft_shape>();
    shared::<firsttouch_c::motion::ft_motion>();
    shared::<firsttouch_c::robot::ft_robot>();
    shared::<firsttouch_c::scene::ft_scene>();
    shared::<firsttouch_c::scene::ft_interrupt>();
    shared::<firsttouch_c::checker::ft_checker>();
    shared::<firsttouch_c::deformable::ft_deformable>();
    shared::<firsttouch_c::report::ft_report>();
}

fn compare(found: &str, expected: &str) {
    for (index, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", index + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
    // Both kinds of answers occur, in every kind of query.
    for label in ["two", "edge", "state", "vf", "ee", "relation"] {
        let all: Vec<&str> = found.lines().filter(|line| line.split(' ').next() == Some(label)).collect();
        let free = all
            .iter()
            .filter(|line| line.split(' ').nth(1).is_some_and(|kind| kind.starts_with('0')))
            .count();
        assert!(free * 20 >= all.len() && free < all.len(), "{label}: {free} of {} are free", all.len());
    }
}

/// Returns the output of the programs, made by Rust alone.
struct Expected {
    random: u64,
    text: String,
}

impl Expected {
    fn new() -> Expected {
        let mut expected = Expected { random: 19, text: String::new() };
        expected.two_shapes();
        expected.scenes();
        expected.robots();
        expected.sheets();
        expected.features();
        expected.ellipsoids();
        expected
    }

    /// splitmix64
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.random = self.random.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^= z >> 31;
        low + (high - low) * ((z >> 11) as f64 * 2f64.powi(-53))
    }

    fn vector(&mut self, low: f64, high: f64) -> DVec3 {
        let [x, y, z] = std::array::from_fn(|_| self.uniform(low, high));
        DVec3::new(x, y, z)
    }

    fn pose(&mut self) -> Pose {
        let xyz = self.vector(-2.0, 2.0);
        let [w, x, y, z] = std::array::from_fn(|_| self.uniform(-1.0, 1.0));
        Pose::new(xyz, DQuat::from_xyzw(x, y, z, w)).unwrap()
    }

    fn shape(&mut self, kind: usize) -> Shape {
        let [a, b, c] = std::array::from_fn(|_| self.uniform(0.2, 0.8));
        let points: Vec<DVec3> = (0..8).map(|_| self.vector(-0.5, 0.5)).collect();
        match kind % 7 {
            0 => Cuboid::new(DVec3::new(a, b, c)).unwrap().into(),
            1 => Sphere::new(a).unwrap().into(),
            2 => Capsule::new(a, b).unwrap().into(),
            3 => Cylinder::new(a, b).unwrap().into(),
            4 => Ellipsoid::new(DVec3::new(a, b, c)).unwrap().into(),
            5 => Hull::new(&points).unwrap().into(),
            _ => Mesh::new(points, vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]).unwrap().into(),
        }
    }

    fn motion(&mut self, kind: usize) -> Motion {
        let (from, to) = (self.pose(), self.pose());
        match kind % 4 {
            0 => Motion::fixed(from),
            1 => Motion::linear(from, to),
            2 => Motion::screw(from, to),
            _ => Motion::rational(from, to),
        }
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        write_numbers(&mut self.text, numbers);
    }

    fn answer(&mut self, label: &str, answer: &Answer, t_max: f64) {
        write_answer(&mut self.text, label, answer, t_max);
    }

    fn overlap(&mut self, overlap: &Overlap) {
        write!(self.text, "overlap {}", u32::from(overlap.kind == OverlapKind::Overlap)).unwrap();
        self.numbers(overlap.start.into_iter().chain(overlap.end));
        self.text.push('\n');
    }

    fn decision(&mut self, label: &str, decision: &Decision) {
        let stage = match decision.stage {
            Stage::Axes => 0,
            Stage::Bernstein => 1,
            Stage::Float => 2,
            Stage::Exact => 3,
            Stage::Advancement => 4,
        };
        let (kind, free_until) = match decision.outcome {
            Verdict::Free => (0, 1.0),
            Verdict::Touch(contact) => (1, contact.toi),
            Verdict::Undecided { free_until } => (3, free_until),
        };
        write!(self.text, "{label} {kind}.{stage}").unwrap();
        match decision.outcome {
            Verdict::Touch(contact) => {
                self.numbers([contact.toi, contact.toi_upper, free_until]);
                self.numbers(contact.point.to_array().into_iter().chain(contact.parameters));
                self.numbers(contact.normal.to_array());
            }
            _ => {
                self.numbers([0.0, 0.0, free_until]);
                self.numbers([0.0; 9]);
            }
        }
        self.text.push('\n');
    }

    fn two_shapes(&mut self) {
        for k in 0..84 {
            let (a, b) = (self.shape(k), self.shape(k / 7));
            let (path_a, path_b) = (self.motion(k / 2), self.motion(k));
            let mode = if k % 2 == 1 { Mode::Any } else { Mode::First };
            let t_max = if k % 3 == 0 { 0.75 } else { 1.0 };
            let options = Options { mode, t_max, ..Options::default() };
            let answer = first_touch((&a, &path_a), (&b, &path_b), &options).unwrap();
            self.answer("two", &answer, t_max);
        }
    }

    fn report(&mut self, report: &Report) {
        self.answer("report", &report.answer, 1.0);
        for pair in &report.pairs {
            self.answer("pair", &pair.answer, 1.0);
            pair.overlaps.iter().flatten().for_each(|overlap| self.overlap(overlap));
        }
    }

    fn scenes(&mut self) {
        let mut scene = Scene::default();
        for k in 0..5 {
            let shape = self.shape(k);
            let motion = self.motion(k + 1);
            scene.add(Body::new(format!("body{k}"), shape, motion)).unwrap();
        }
        for mode in [Mode::First, Mode::Any, Mode::All] {
            let answer = scene.check(&Options { mode, ..Options::default() }).unwrap().answer;
            self.answer("scene", &answer, 1.0);
        }
        self.report(&scene.check(&Options { mode: Mode::All, ..Options::default() }).unwrap());
        let mut copy = scene.clone();
        copy.set_pose("body3", Pose::from_translation(DVec3::X * 50.0).unwrap()).unwrap();
        copy.remove("body1").unwrap();
        copy.allow("body0", "body2").unwrap();
        copy.keep_apart("body2", "body4", 0.5).unwrap();
        for (label, scene) in [("changed", &copy), ("unchanged", &scene)] {
            self.answer(label, &scene.check(&Options::default()).unwrap().answer, 1.0);
        }

        let path = testdata().join("scenes/mixed.toml");
        let file = firsttouch_io::read_scene(&path).unwrap();
        let scene = firsttouch_io::build_scene(&file, &path).unwrap();
        let answer = scene.check(&file.options()).unwrap().answer;
        self.answer("mixed", &answer, 1.0);
        let touch = answer.touch().unwrap();
        for (body, part) in touch.bodies.into_iter().zip(touch.parts) {
            let kind = |body: usize| scene.bodies()[body].kind();
            let robot = match kind(body) {
                BodyKind::Attached { robot, .. } => kind(*robot),
                own => own,
            };
            let words = match robot {
                BodyKind::Robot(step) => step.robot().part_path(&part),
                _ => part.to_string(),
            };
            writeln!(self.text, "{} {words}", scene.bodies()[body].name()).unwrap();
        }
    }

    fn robots(&mut self) {
        let file = |name: &str| testdata().join("robots").join(name);
        let (robot, _) = firsttouch_io::read_robot(&file("plain.urdf"), Some(&file("plain.srdf"))).unwrap();
        let at = |x, y, z| Pose::from_translation(DVec3::new(x, y, z)).unwrap();
        let post = Cuboid::new(DVec3::new(0.3, 0.3, 3.0)).unwrap();
        let post = Body::new("post", post, Motion::fixed(at(0.75, 0.3, 1.2)));
        let mut checker = Checker::new(robot, Pose::IDENTITY, vec![post]).unwrap();
        let copy = checker.clone();
        checker.hold("tool", Capsule::new(0.05, 1.6).unwrap(), "hand", at(0.0, 0.8, 0.0), &["arm"]).unwrap();
        let options = Options::default();
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            for list in [&mut from, &mut to] {
                list.push(vec![self.uniform(-3.0, 3.0), self.uniform(0.1, 0.5)]);
            }
            let (a, b) = (&from[from.len() - 1], &to[to.len() - 1]);
            self.answer("edge", &checker.check_step(a, b, &options).unwrap().answer, 1.0);
            let state = checker.check_state(a, &options).unwrap().answer;
            self.answer("state", &state, 1.0);
            let part = state.touch().map_or(Part::Solid, |touch| touch.parts[0]);
            writeln!(self.text, "{}", checker.robot().part_path(&part)).unwrap();
        }
        let edges: Vec<[&[f64]; 2]> = from.iter().zip(&to).map(|(from, to)| [&from[..], &to[..]]).collect();
        let mut batch = |label: &str, checker: &Checker| {
            for report in checker.check_motions(&edges, &options).unwrap() {
                self.answer(label, &report.answer, 1.0);
            }
        };
        batch("batch", &checker);
        for row in &from {
            self.answer("states", &checker.check_state(row, &options).unwrap().answer, 1.0);
        }
        let path = checker.check_path(&from, &options, |_| ()).unwrap();
        self.answer("path", &path.answer, 1.0);
        writeln!(self.text, "segment {} of {}", path.segment.unwrap_or(path.segments), path.segments)
            .unwrap();
        checker.move_obstacle("post", at(-0.75, 0.3, 1.2)).unwrap();
        let turned = DQuat::from_xyzw(0.0, 0.0, 0.1, 0.9);
        checker.set_base(Pose::new(DVec3::new(0.1, 0.2, 0.0), turned).unwrap());
        let mut batch = |label: &str, checker: &Checker| {
            for report in checker.check_motions(&edges, &options).unwrap() {
                self.answer(label, &report.answer, 1.0);
            }
        };
        batch("moved", &checker);
        checker.release("tool").unwrap();
        batch("released", &checker);
        batch("copy", &copy);
    }

    fn sheets(&mut self) {
        let (mut t0, mut t1, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..8 {
            for j in 0..8 {
                let at = DVec3::new(f64::from(i), f64::from(j), 0.0);
                t0.push(at);
                t1.push(at + self.vector(-0.9, 0.9));
            }
        }
        for i in 0..7 {
            for j in 0..7 {
                let a = 8 * i + j;
                triangles.extend([[a, a + 1, a + 8], [a + 1, a + 9, a + 8]]);
            }
        }
        let mut sheet = Deformable::new(t0.clone(), t1, triangles, vec![], vec![]).unwrap();
        let options = Options::default();
        self.answer("sheet", &sheet.check(&options, options.start).unwrap().answer, 1.0);
        self.text += "step";
        self.numbers([sheet.safe_step(&options, options.start, 0.8).unwrap()]);
        self.text.push('\n');
        let report = sheet.check(&Options { mode: Mode::All, ..options }, options.start).unwrap();
        self.answer("report", &report.answer, 1.0);
        for touch in report.touches {
            let kind: fn(Touch) -> Answer =
                if touch.toi == 0.0 { Answer::TouchingAtStart } else { Answer::Touch };
            self.answer("pair", &kind(touch), 1.0);
        }
        sheet.step_to(&t0).unwrap();
        self.answer("back", &sheet.check(&options, options.start).unwrap().answer, 1.0);
    }

    fn features(&mut self) {
        let mut queries = Vec::new();
        for _ in 0..200 {
            let (mut t0, mut t1) = ([DVec3::ZERO; 4], [DVec3::ZERO; 4]);
            for i in 0..4 {
                for k in 0..3 {
                    t0[i][k] = self.uniform(0.0, 5.0).trunc();
                    t1[i][k] = self.uniform(0.0, 5.0).trunc();
                }
            }
            queries.push((VertexFace::new(t0, t1).unwrap(), EdgeEdge::new(t0, t1).unwrap()));
        }
        let limits = Limits::default();
        let apart = Limits::new(&Options { min_separation: 0.25, ..Options::default() }).unwrap();
        let (vf, ee): (Vec<VertexFace>, Vec<EdgeEdge>) = queries.into_iter().unzip();
        let (mut of_vf, mut of_ee) = (Vec::new(), Vec::new());
        vertex_face_batch(&vf, &limits, &mut of_vf);
        edge_edge_batch(&ee, &limits, &mut of_ee);
        of_vf.iter().for_each(|decision| self.decision("vf", decision));
        of_ee.iter().for_each(|decision| self.decision("ee", decision));
        for k in 0..20 {
            self.decision("vf apart", &vertex_face(&vf[k], &apart));
            self.decision("ee alone", &edge_edge(&ee[k], &limits));
        }
    }

    fn ellipsoids(&mut self) {
        for _ in 0..40 {
            let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
            for i in 0..3 {
                a[i] = self.uniform(0.3, 1.5);
                b[i] = self.uniform(0.3, 1.5);
            }
            let (a, b) = (Ellipsoid::new(a).unwrap(), Ellipsoid::new(b).unwrap());
            let (pose_a, pose_b) = (self.pose(), self.pose());
            let relation = match Posed::new(&a, &pose_a).relation(&Posed::new(&b, &pose_b)) {
                Relation::Separate => 0,
                Relation::Touching => 1,
                Relation::Overlapping => 2,
            };
            writeln!(self.text, "relation {relation}").unwrap();
            let (path_a, path_b) = (Motion::rational(pose_a, self.pose()), Motion::fixed(pose_b));
            let (moving_a, moving_b) =
                (EllipsoidMotion::Rigid(&a, &path_a), EllipsoidMotion::Rigid(&b, &path_b));
            for overlap in overlaps(moving_a, moving_b, &Options::default()).unwrap() {
                self.overlap(&overlap);
            }
            let cloud: Vec<DVec3> = (0..12).map(|_| self.vector(-1.0, 1.0)).collect();
            let (around, pose) = enclosing(&cloud).unwrap();
            self.text += "around";
            self.numbers(around.semi_axes().to_array().into_iter().chain(pose.translation().to_array()));
            self.text.push('\n');
        }
    }
}

/// Prints numbers by their bits.
pub(crate) fn write_numbers(text: &mut String, numbers: impl IntoIterator<Item = f64>) {
    numbers.into_iter().for_each(|number| write!(text, " {:016x}", number.to_bits()).unwrap());
}

/// Prints an answer as `print_answer` prints it.
pub(crate) fn write_answer(text: &mut String, label: &str, answer: &Answer, t_max: f64) {
    let kind = match answer {
        Answer::Free => 0,
        Answer::Touch(_) => 1,
        Answer::TouchingAtStart(_) => 2,
        Answer::Undecided { .. } => 3,
    };
    let undecided = match answer {
        Answer::Undecided { bodies, .. } => *bodies,
        _ => [0, 0],
    };
    let touch = answer.touch();
    write!(text, "{label} {kind}").unwrap();
    write_numbers(
        text,
        [
            touch.map_or(0.0, |touch| touch.toi),
            answer.free_until(t_max),
            touch.map_or(0.0, |touch| touch.gap),
        ],
    );
    for (side, undecided) in undecided.into_iter().enumerate() {
        let body = touch.map_or(undecided, |touch| touch.bodies[side]);
        let part = touch.map_or("0.0.0.0.0".into(), |touch| part_numbers(touch.parts[side]));
        let feature = touch.map_or("0.0".into(), |touch| match touch.features[side] {
            Feature::Vertex(index) => format!("0.{index}"),
            Feature::Edge(index) => format!("1.{index}"),
            Feature::Face(index) => format!("2.{index}"),
        });
        write!(text, " {body}/{part}/{feature}").unwrap();
        write_numbers(text, touch.map_or(DVec3::ZERO, |touch| touch.points[side]).to_array());
    }
    write_numbers(text, touch.map_or(DVec3::ZERO, |touch| touch.normal).to_array());
    text.push('\n');
}

fn part_numbers(part: Part) -> String {
    match part {
        Part::Solid => "0.0.0.0.0".into(),
        Part::Triangle(index) => format!("1.{index}.0.0.0"),
        Part::Piece(index) => format!("2.{index}.0.0.0"),
        Part::Link { link, shape, piece: LinkPiece::Solid } => format!("3.0.{link}.{shape}.0"),
        Part::Link { link, shape, piece: LinkPiece::Triangle(index) } => {
            format!("3.{index}.{link}.{shape}.1")
        }
        Part::LooseEdge(index) => format!("4.{index}.0.0.0"),
        Part::LoosePoint(index) => format!("5.{index}.0.0.0"),
        other => panic!("{other} has no number"),
    }
}
