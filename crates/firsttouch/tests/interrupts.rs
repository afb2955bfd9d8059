//! Queries that end early: by a flag that is raised before or while they run, or by a sink that has seen enough. The
//! proof up to then is true.

use std::ops::ControlFlow;

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot};
use firsttouch::deformable::{Deformable, FoundPair, Start};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Sphere;
use firsttouch::{Answer, Ask, Body, Control, Interrupt, Mode, Options, Scene};
use glam::{DVec3, dvec3};

/// Returns a sheet of `2 n²` triangles at a height.
fn sheet(n: usize, z: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let at = |i: usize| dvec3((i % (n + 1)) as f64 + 0.3 * z, (i / (n + 1)) as f64 + 0.2 * z, z);
    let points = (0..(n + 1) * (n + 1)).map(at).collect();
    let corner = |x: usize, y: usize| (y * (n + 1) + x) as u32;
    let cells = (0..n * n).map(|cell| (cell % n, cell / n));
    let triangles = cells.flat_map(|(x, y)| {
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
        [[a, b, c], [b, d, c]]
    });
    (points, triangles.collect())
}

/// Returns a sheet that falls onto another, from a height of 1 to -1: they touch at time 1/2.
fn falling(n: usize) -> Deformable {
    falling_between(n, [1.0, -1.0])
}

fn falling_between(n: usize, [from, to]: [f64; 2]) -> Deformable {
    let (below, triangles) = sheet(n, 0.0);
    let count = below.len() as u32;
    let both = |z: f64| [below.clone(), sheet(n, z).0].concat();
    let other = triangles.iter().map(|triangle| triangle.map(|vertex| vertex + count));
    let triangles = triangles.iter().copied().chain(other).collect();
    Deformable::new(both(from), both(to), triangles, vec![], vec![]).unwrap()
}

fn raised() -> Interrupt {
    let interrupt = Interrupt::default();
    interrupt.raise();
    interrupt
}

/// A flag used to be checked only between pairs of bodies: a mesh with itself, and a step of a robot, continued to the
/// end.
#[test]
fn a_flag_raised_before() {
    let interrupt = raised();
    let control = Control { interrupt: Some(&interrupt), progress: None };
    let mesh = falling(12);
    for mode in [Mode::First, Mode::Any, Mode::All] {
        let options = Options { mode, ..Options::default() };
        for start in [Start::Report, Start::Ignore] {
            let report = mesh.check_with(&options, start, &control).unwrap();
            assert!(
                matches!(report.answer, Answer::Undecided { free_until: 0.0, .. }),
                "{:?}",
                report.answer
            );
            assert!(report.touches.is_empty() && report.crossings_at_start.is_none());
        }
        // In a scene, the mesh is a body.
        let mut scene = Scene::default();
        scene.add(Body::deforming("mesh", falling(3))).unwrap();
        let answer = scene.check(Ask::from(&options).control(&control)).unwrap().answer;
        assert!(matches!(answer, Answer::Undecided { .. }), "{answer:?}");
    }
    let checker = slider();
    for mode in [Mode::First, Mode::Any] {
        let options = Options { mode, ..Options::default() };
        let answer =
            checker.check_step(&[0.0], &[16.0], Ask::from(&options).control(&control)).unwrap().answer;
        assert!(matches!(answer, Answer::Undecided { free_until: 0.0, .. }), "{answer:?}");
        let paths = [[vec![0.0], vec![1.0], vec![16.0]]];
        let done = |_: firsttouch::articulated::SegmentDone<'_>| panic!("no segment was begun");
        let reports = checker.check_paths(&paths, Ask::from(&options).control(&control), done).unwrap();
        assert!(matches!(reports[0].answer, Answer::Undecided { free_until: 0.0, .. }));
        assert_eq!(reports[0].segment, Some(0));
    }
}

/// Returns a ball on a rail, and a post that it touches at x = 8.
fn slider() -> Checker {
    let slide = Joint {
        name: "slide".into(),
        parent: "rail".into(),
        child: "ball".into(),
        origin: Pose::IDENTITY,
        kind: JointKind::Prismatic { axis: DVec3::X },
        limits: None,
        mimic: None,
    };
    let ball = LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY };
    let links = vec![("rail".into(), vec![]), ("ball".into(), vec![ball])];
    let robot = Robot::new("slider", links, vec![slide]).unwrap();
    let there = Pose::from_translation(DVec3::X * 10.0).unwrap();
    let post = Body::new("post", Sphere::new(1.0).unwrap(), Motion::fixed(there));
    Checker::new(robot, Pose::IDENTITY, vec![post]).unwrap()
}

/// Another thread raises the flag at some moment: the answer is the right one, or the proof up to then.
#[test]
fn a_flag_raised_during_a_query() {
    let mesh = falling(40);
    let checker = slider();
    let mut undecided = 0;
    for round in 0..40_u64 {
        for mode in [Mode::First, Mode::Any, Mode::All] {
            let options = Options { mode, ..Options::default() };
            let interrupt = Interrupt::default();
            let elsewhere = interrupt.clone();
            let raiser = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_micros(50 * round));
                elsewhere.raise();
            });
            let control = Control { interrupt: Some(&interrupt), progress: None };
            let answer = mesh.check_with(&options, Start::Report, &control).unwrap().answer;
            let step = checker.check_step(
                &[0.0],
                &[16.0],
                Ask::from(&Options { mode: Mode::First, ..options }).control(&control),
            );
            raiser.join().unwrap();
            assert!(answer != Answer::Free && answer.free_until(1.0) <= 0.5, "{mode:?}: {answer:?}");
            let step = step.unwrap().answer;
            assert!(step != Answer::Free && step.free_until(1.0) <= 0.5, "{step:?}");
            undecided += usize::from(matches!(answer, Answer::Undecided { .. }));
        }
    }
    println!("{undecided} of 120 queries of the mesh were undecided");
    // The first rounds raise the flag at once.
    assert!(undecided > 0);
}

/// After an interrupt all touches found up to then used to be described, which took a fifth of the time of finding
/// them. A flag that is raised when all are found must not leave an answer that looks complete beside a list that is
/// not.
#[test]
fn an_ended_check_of_all_lists_no_touches() {
    let mesh = falling(60);
    let options = Options { mode: Mode::All, ..Options::default() };
    let whole = mesh.check(&options, Start::Report).unwrap();
    let (mut ended, mut complete) = (0, 0);
    for round in 0..60_u64 {
        let interrupt = Interrupt::default();
        let elsewhere = interrupt.clone();
        let raiser = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_micros(round * round * 40));
            elsewhere.raise();
        });
        let control = Control { interrupt: Some(&interrupt), progress: None };
        let report = mesh.check_with(&options, Start::Report, &control).unwrap();
        raiser.join().unwrap();
        if let Answer::Undecided { free_until, .. } = report.answer {
            assert!(report.touches.is_empty() && free_until <= 0.5);
            ended += 1;
        } else {
            assert_eq!((report.touches.len(), &report.answer), (whole.touches.len(), &whole.answer));
            complete += 1;
        }
    }
    println!("{ended} ended, {complete} complete");
    assert!(ended > 0);
}

/// A scene of two sheets in each other, and a robot that holds one of them, have many contacts. The search for them
/// could not be ended.
#[test]
fn contacts_end() {
    let (points, triangles) = sheet(12, 0.0);
    let mesh = firsttouch::shape::Mesh::new(points, triangles).unwrap();
    let options = Options::default();
    let interrupt = raised();
    let control = Control { interrupt: Some(&interrupt), progress: None };
    let mut scene = Scene::default();
    for name in ["a", "b"] {
        scene.add(Body::new(name, mesh.clone(), Motion::AT_REST)).unwrap();
    }
    let all = scene.contacts(0.0, &options).unwrap();
    assert!(all.len() > 100, "{}", all.len());
    assert_eq!(scene.contacts(0.0, Ask::from(&options).control(&Control::default())).unwrap(), all);
    assert_eq!(scene.contacts(0.0, Ask::from(&options).control(&control)).unwrap(), []);
    let checker = slider();
    assert_eq!(checker.contacts(&[0.0], &[16.0], 0.5, &options).unwrap().len(), 1);
    assert_eq!(checker.contacts(&[0.0], &[16.0], 0.5, Ask::from(&options).control(&control)).unwrap(), []);
}

/// A sink could not end a search: a caller that wants the first hundred pairs waited for all of them.
#[test]
fn a_sink_that_breaks() {
    let mesh = falling(12);
    let all = mesh.check(&Options { mode: Mode::All, ..Options::default() }, Start::Report).unwrap();
    assert!(all.touches.len() > 1000, "{}", all.touches.len());
    for threads in [1, 2] {
        let options = Options { threads, ..Options::default() };
        let mut seen = 0;
        let mut sink = |_: FoundPair<'_>| {
            seen += 1;
            if seen < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let report = mesh.check_all(&options, Start::Report, &Control::default(), &mut sink).unwrap();
        assert_eq!((seen, report.vf_touching + report.ee_touching), (100, 100));
        assert!(matches!(report.answer, Answer::Undecided { free_until: 0.0, .. }));
        // A sink that raises the flag instead sees the pairs found up to then, and not all of them.
        let (interrupt, mut seen) = (Interrupt::default(), 0);
        let control = Control { interrupt: Some(&interrupt), progress: None };
        let mut sink = |_: FoundPair<'_>| {
            seen += 1;
            interrupt.raise();
            ControlFlow::Continue(())
        };
        let report = mesh.check_all(&options, Start::Report, &control, &mut sink).unwrap();
        assert_eq!(report.vf_touching + report.ee_touching, seen);
    }
}

/// The answer to "any" proved nothing about the time before the touch. If the touching parts of a mesh are far apart at
/// the start, the bounds of the search prove more, and never more than is true.
#[test]
fn any_touch_of_a_mesh_proves_a_time_free() {
    // Small enough that no sample of leaves is searched first. In the middle of the step the sheets are far apart, in
    // different nodes of the tree. They touch at time 3/4.
    let mesh = falling_between(12, [60.0, -20.0]);
    let any = Options { mode: Mode::Any, ..Options::default() };
    let Answer::Touch(touch) = mesh.check(&any, Start::Report).unwrap().answer else { panic!("they touch") };
    println!("free until {}, touch at {}", touch.free_until, touch.toi);
    assert!(touch.toi >= 0.75 - 1e-12 && touch.free_until <= 0.75);
    assert!(touch.free_until > 0.7, "{}", touch.free_until);
}

/// Batches of edges, and least distances along paths, used to continue to their end.
#[test]
fn batches_and_clearances_of_a_robot() {
    let interrupt = raised();
    let control = Control { interrupt: Some(&interrupt), progress: None };
    let checker = slider();
    let edges: [[&[f64]; 2]; 3] = [[&[0.0], &[4.0]], [&[0.0], &[16.0]], [&[4.0], &[5.0]]];
    let reports = checker.check_motions(&edges, Ask::from(&Options::default()).control(&control)).unwrap();
    assert_eq!(reports.len(), 3);
    assert!(reports.iter().all(|report| matches!(report.answer, Answer::Undecided { free_until: 0.0, .. })));
    let path = [vec![0.0], vec![4.0], vec![6.0], vec![2.0]];
    if let Some(found) = checker.clearance(&path, Ask::from(&Options::default()).control(&control)).unwrap() {
        assert!(found.clearance.lower <= 2.0 && found.clearance.upper >= 2.0, "{found:?}");
    }
    interrupt.lower();
    let found = checker.clearance(&path, Ask::from(&Options::default()).control(&control)).unwrap().unwrap();
    assert!(found.clearance.is_tight && found.clearance.lower <= 2.0 && found.clearance.upper >= 2.0);
    let answers = checker.check_motions(&edges, Ask::from(&Options::default()).control(&control)).unwrap();
    assert_eq!(answers, checker.check_motions(&edges, &Options::default()).unwrap());
}
