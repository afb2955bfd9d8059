//! A robot among bodies at rest: a scene and a checker give the same answer to every query.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, RobotStep, Trajectory};
use firsttouch::ellipsoid::{Overlap, OverlapKind};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Capsule, Cuboid, Hull, Mesh, Shape, Sphere};
use firsttouch::{
    Answer, Ask, Body, Clearance, ContactPoint, Control, GoalChange, Interrupt, Mode, MotionGradient,
    Options, Scene,
};
use glam::DVec3;

use crate::random::Random;

/// A robot on a motion among bodies, in both interfaces.
struct Doors {
    scene: Scene,
    checker: Checker,
    from: Vec<f64>,
    to: Vec<f64>,
}

fn shape(random: &mut Random, size: f64) -> Shape {
    match random.below(5) {
        0 => Sphere::new(0.6 * size).unwrap().into(),
        1 => Cuboid::new(DVec3::new(1.6, 0.9, 0.7) * size).unwrap().into(),
        2 => Capsule::new(0.4 * size, 1.2 * size).unwrap().into(),
        3 => {
            let points: Vec<DVec3> = (0..10).map(|_| random.vector(size)).collect();
            Hull::new(&points).unwrap().into()
        }
        _ => {
            let corners: Vec<DVec3> = (0..6).map(|_| random.vector(size)).collect();
            let faces = vec![[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5], [0, 4, 5]];
            Mesh::new(corners, faces).unwrap().into()
        }
    }
}

/// Returns an arm of three turning joints and a slide, with one or two shapes on each link.
fn arm(random: &mut Random) -> Robot {
    let names = ["base", "upper", "lower", "hand", "finger"];
    let mut links = vec![(names[0].to_string(), vec![])];
    let mut joints = Vec::new();
    for k in 1..names.len() {
        let parts = (0..1 + random.below(2))
            .map(|_| LinkPart { shape: shape(random, 0.2), pose: random.pose(0.15) })
            .collect();
        links.push((names[k].to_string(), parts));
        let axis = random.vector(1.0) + DVec3::splat(1e-3);
        joints.push(Joint {
            name: format!("joint {k}"),
            parent: names[k - 1].into(),
            child: names[k].into(),
            origin: Pose::from_translation(DVec3::Z * 0.5 + random.vector(0.1)).unwrap(),
            kind: if k == 4 { JointKind::Prismatic { axis } } else { JointKind::Revolute { axis } },
            limits: None,
            mimic: None,
        });
    }
    Robot::new("arm", links, joints).unwrap()
}

impl Doors {
    /// Without rules about pairs.
    fn new(random: &mut Random, obstacles: usize) -> Doors {
        Doors::under(random, obstacles, |_| ())
    }

    /// Under the scene's rules.
    fn under(random: &mut Random, obstacles: usize, tell: impl FnOnce(&mut Scene)) -> Doors {
        let robot = arm(random);
        let mut configuration = || -> Vec<f64> { (0..4).map(|_| random.range(-2.2, 2.2)).collect() };
        let (from, to) = (configuration(), configuration());
        let base = random.pose(0.3);
        let bodies: Vec<Body> = (0..obstacles)
            .map(|k| {
                let at = Motion::fixed(random.pose(0.9));
                // Some names come before that of the robot, some after it.
                let name = format!("{} {k}", if k % 2 == 0 { "box" } else { "post" });
                Body::new(name, shape(random, 0.3), at)
            })
            .collect();
        let mut scene = Scene::default();
        let step = RobotStep::new(robot.clone(), base, from.clone(), to.clone()).unwrap();
        scene.add(Body::robot("arm", step)).unwrap();
        for body in bodies {
            scene.add(body).unwrap();
        }
        scene.leave_out_resting(true);
        tell(&mut scene);
        let checker = scene.checker("arm").unwrap();
        Doors { scene, checker, from, to }
    }
}

fn kind(answer: &Answer) -> &'static str {
    match answer {
        Answer::Free => "free",
        Answer::Touch(_) => "touch",
        Answer::TouchingAtStart(_) => "at start",
        Answer::Undecided { .. } => "undecided",
    }
}

fn raised() -> Interrupt {
    let interrupt = Interrupt::default();
    interrupt.raise();
    interrupt
}

/// Mode "all" finds the first touch of every pair, as a scene does and as a checker of each pair alone does.
#[test]
fn all_touches() {
    let mut random = Random(61);
    let exact = Options { tolerance: 1e-9, ..Options::default() };
    let all = Options { mode: Mode::All, ..exact };
    let (mut touching, mut at_start, mut free) = (0, 0, 0);
    for n in 0..100 {
        let doors = Doors::new(&mut random, 6);
        let Doors { scene, checker, from, to } = &doors;
        let found = checker.check_step(from, to, &all).unwrap();
        let first = checker.check_step(from, to, &exact).unwrap().answer;
        assert_eq!(kind(&found.answer), kind(&first), "{n}");
        assert!((found.answer.free_until(1.0) - first.free_until(1.0)).abs() < 1e-6, "{n}");
        let in_scene = scene.check(&all).unwrap();
        let bodies =
            |pairs: &[firsttouch::PairReport]| pairs.iter().map(|pair| pair.bodies).collect::<Vec<_>>();
        assert_eq!(bodies(&found.by_pair), bodies(&in_scene.pairs), "{n}");
        for (pair, same) in found.by_pair.iter().zip(&in_scene.pairs) {
            assert_eq!(kind(&pair.answer), kind(&same.answer), "{n}: {pair:?} {same:?}");
            assert!(
                (pair.answer.free_until(1.0) - same.answer.free_until(1.0)).abs() < 1e-6,
                "{n}: {pair:?}"
            );
            touching += 1;
            at_start += usize::from(kind(&pair.answer) == "at start");
        }
        for k in 0..6 {
            let mut alone =
                Checker::new(checker.robot().clone(), checker.base(), vec![checker.obstacle(k).clone()])
                    .unwrap();
            alone.allow("arm", "arm").unwrap();
            let expected = alone.check_step(from, to, &exact).unwrap().answer;
            let found = found.by_pair.iter().find(|pair| pair.bodies == [0, k + 1]);
            let found = found.map_or(&Answer::Free, |pair| &pair.answer);
            assert_eq!(kind(found), kind(&expected), "{n} {k}");
            assert!((found.free_until(1.0) - expected.free_until(1.0)).abs() < 1e-6, "{n} {k}");
            free += usize::from(*found == Answer::Free);
        }
        // A state, and a path there and back, whose second half has no pair that the first does not have.
        let state = checker.check_state(from, &all).unwrap();
        let starts = found.by_pair.iter().filter(|pair| kind(&pair.answer) == "at start");
        assert_eq!(bodies(&state.by_pair), starts.map(|pair| pair.bodies).collect::<Vec<_>>(), "{n}");
        let path = checker.check_path(&[from.clone(), to.clone(), from.clone()], &all, |_| ()).unwrap();
        assert_eq!(path.checked, 2);
        let of_path: Vec<_> = path.by_pair.iter().map(|pair| (pair.segment, &pair.report)).collect();
        assert_eq!(of_path, found.by_pair.iter().map(|pair| (0, pair)).collect::<Vec<_>>(), "{n}");
        let points = [from.clone(), to.clone(), from.clone()];
        let way = Trajectory::linear(checker.robot(), &[0.0, 1.0, 2.0], &points).unwrap();
        let along = checker.check_trajectory(&way, &all, |_| ()).unwrap();
        assert_eq!(along.by_pair.len(), path.by_pair.len(), "{n}");
        for (x, y) in along.by_pair.iter().zip(&path.by_pair) {
            assert_eq!((x.segment, x.report.bodies), (y.segment, y.report.bodies), "{n}");
            let [x, y] = [x, y].map(|pair| pair.report.answer.free_until(1.0));
            assert!((x - y).abs() < 1e-6, "{n}: {x} {y}");
        }
        // An interrupt proves nothing, and lists nothing as free.
        let interrupt = raised();
        let control = Control { interrupt: Some(&interrupt), progress: None };
        let ended = checker.check_step(from, to, Ask::from(&all).control(&control)).unwrap();
        assert!(matches!(ended.answer, Answer::Undecided { free_until: 0.0, .. }), "{n}: {:?}", ended.answer);
    }
    println!("{touching} pairs touch, {at_start} at the start, {free} are free");
    assert!(touching > 60 && at_start > 10 && free > 60, "{touching} {at_start} {free}");
}

/// A scene searches its robot from pair to pair, a checker from window to window: the kind of the answer and the
/// touching parts are the same, the time is within the tolerance, and so is the gap.
#[test]
fn first_touches() {
    let mut random = Random(67);
    let (mut kinds, mut same_bits) = ([0; 3], 0);
    for n in 0..400 {
        let Doors { scene, checker, from, to } = &both_worlds(&mut random, n);
        let exact = Options { tolerance: 1e-9, ..Options::default() };
        let [of_scene, of_checker] =
            [scene.check(&exact).unwrap().answer, checker.check_step(from, to, &exact).unwrap().answer];
        assert_eq!(kind(&of_scene), kind(&of_checker), "{n}: {of_scene:?} {of_checker:?}");
        kinds[["free", "touch", "at start"].iter().position(|k| *k == kind(&of_scene)).unwrap()] += 1;
        same_bits += usize::from(of_scene == of_checker);
        let times = [&of_scene, &of_checker].map(|answer| answer.free_until(1.0));
        assert!((times[0] - times[1]).abs() < 1e-6, "{n}: {times:?}");
        if let (Answer::Touch(a), Answer::Touch(b)) = (&of_scene, &of_checker) {
            assert_eq!((a.bodies, a.parts), (b.bodies, b.parts), "{n}");
            assert!((a.gap - b.gap).abs() <= 1e-9, "{n}: {} {}", a.gap, b.gap);
        }
        let any = Options { mode: Mode::Any, ..exact };
        let [of_scene, of_checker] =
            [scene.check(&any).unwrap().answer, checker.check_step(from, to, &any).unwrap().answer];
        assert_eq!(kind(&of_scene), kind(&of_checker), "{n}: {of_scene:?} {of_checker:?}");
    }
    println!("free, touch, at the start: {kinds:?}; the same bits: {same_bits}");
    assert!(kinds.iter().all(|count| *count > 30), "{kinds:?}");
}

/// Rules of every kind, the same for both interfaces.
fn rules(scene: &mut Scene) {
    scene.keep_apart("arm", "box 0", 0.05).unwrap();
    scene.keep_apart("arm/hand", "post *", 0.08).unwrap();
    scene.pad("arm", 0.02).unwrap();
    scene.pad("arm/finger", 0.03).unwrap();
    scene.allow("arm/upper", "box *").unwrap();
}

/// Both without and with rules.
fn both_worlds(random: &mut Random, n: usize) -> Doors {
    if n.is_multiple_of(2) { Doors::new(random, 5) } else { Doors::under(random, 5, rules) }
}

fn intersect(a: &Clearance, b: &Clearance) -> bool {
    a.lower <= b.upper && b.lower <= a.upper
}

#[test]
fn distances() {
    let mut random = Random(62);
    let (mut apart, mut same) = (0, 0);
    for n in 0..60 {
        let Doors { scene, checker, from, to } = both_worlds(&mut random, n);
        let options = Options { tolerance: 1e-7, ..Options::default() };
        let in_scene = scene.clearance(&options).unwrap().unwrap();
        let found = checker.clearance(&[from.clone(), to.clone()], &options).unwrap().unwrap().clearance;
        assert!(intersect(&in_scene, &found), "{n}: {in_scene:?} {found:?}");
        assert!(in_scene.is_tight && found.is_tight, "{n}: {in_scene:?} {found:?}");
        apart += usize::from(found.lower > 0.0);
        same += usize::from(found.bodies == in_scene.bodies);
        for t in [0.0, random.range(0.0, 1.0), 1.0] {
            let in_scene = scene.distance_at(t, &options).unwrap().unwrap();
            let found = checker.distance_at(&from, &to, t, &options).unwrap().unwrap();
            assert!(intersect(&in_scene, &found), "{n} {t}: {in_scene:?} {found:?}");
            assert!(in_scene.is_tight && found.is_tight, "{n} {t}: {in_scene:?} {found:?}");
        }
        assert!(
            checker.distance_at(&from, &to, 1.5, &options).is_err()
                && scene.distance_at(1.5, &options).is_err()
        );
    }
    println!("{apart} keep apart, {same} name the same bodies");
    assert!(apart >= 5 && same >= 30, "{apart} {same}");
}

/// Returns the contacts in an order that is independent of the interfaces.
fn sorted(mut contacts: Vec<ContactPoint>) -> Vec<ContactPoint> {
    contacts.sort_by(|x, y| {
        let key = |contact: &ContactPoint| contact.points[1].to_array();
        let places = key(x)
            .into_iter()
            .zip(key(y))
            .map(|(x, y)| if (x - y).abs() < 1e-9 { std::cmp::Ordering::Equal } else { x.total_cmp(&y) });
        x.bodies.cmp(&y.bodies).then(places.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then))
    });
    contacts
}

#[test]
fn contacts() {
    let mut random = Random(63);
    let (mut count, mut own) = (0, 0);
    for n in 0..60 {
        let Doors { scene, checker, from, to } = both_worlds(&mut random, n);
        let options = Options { tolerance: 1e-3, ..Options::default() };
        let t = scene.check(&options).unwrap().answer.free_until(1.0);
        let in_scene = sorted(scene.contacts(t, &options).unwrap());
        let found = sorted(checker.contacts(&from, &to, t, &options).unwrap());
        assert_eq!(in_scene.len(), found.len(), "{n}");
        for (x, y) in in_scene.iter().zip(&found) {
            assert_eq!((x.bodies, x.parts), (y.bodies, y.parts), "{n}");
            assert!(
                (x.gap - y.gap).abs() < 1e-6 && x.points[0].distance(y.points[0]) < 1e-3,
                "{n}: {x:?} {y:?}"
            );
            count += 1;
            own += usize::from(x.bodies == [0, 0]);
        }
    }
    println!("{count} contacts, {own} of the robot with itself");
    assert!(count > 40 && own > 3, "{count} {own}");
}

#[test]
fn overlaps() {
    let mut random = Random(64);
    let options = Options { tolerance: 1e-5, ..Options::default() };
    let (mut count, mut own) = (0, 0);
    for n in 0..100 {
        let Doors { scene, checker, from, to } = both_worlds(&mut random, n);
        for obstacle in std::iter::once(None).chain((0..5).map(Some)) {
            let other = obstacle.map_or("arm", |k| scene.bodies()[k + 1].name());
            let in_scene = scene.overlaps("arm", other, &options).unwrap();
            let found = checker.overlaps(&from, &to, obstacle, &options).unwrap();
            let ends = |found: &[Overlap]| {
                found.iter().flat_map(|found| [found.start[0], found.end[1]]).collect::<Vec<_>>()
            };
            let (x, y) = (ends(&in_scene), ends(&found));
            // A graze may be one interval or none.
            if in_scene.iter().chain(&found).any(|found| found.kind == OverlapKind::Graze) {
                continue;
            }
            assert_eq!(x.len(), y.len(), "{n} {obstacle:?}: {in_scene:?} {found:?}");
            assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-3), "{n} {obstacle:?}: {x:?} {y:?}");
            count += found.len();
            own += usize::from(obstacle.is_none()) * found.len();
        }
        assert!(checker.overlaps(&from, &to, Some(5), &options).is_err());
    }
    println!("{count} overlaps, {own} of the robot with itself");
    assert!(count > 40 && own > 0, "{count} {own}");
}

fn are_close(x: &[f64], y: &[f64]) -> bool {
    let most = x.iter().chain(y).fold(1.0_f64, |most, x| most.max(x.abs()));
    x.len() == y.len() && x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-4 * most)
}

#[test]
fn derivatives() {
    let mut random = Random(65);
    let options = Options { tolerance: 1e-10, ..Options::default() };
    let (mut touches, mut distances) = (0, 0);
    for n in 0..80 {
        let Doors { scene, checker, from, to } = both_worlds(&mut random, n);
        let answer = scene.check(&options).unwrap().answer;
        let found = checker.toi_gradient(&from, &to, &options).unwrap();
        assert_eq!(answer.touch().is_some(), found.is_some(), "{n}");
        if let (Some(touch), Some(found)) = (answer.touch(), found) {
            let gradient = scene.toi_gradient(touch, &options).unwrap();
            let MotionGradient::Joints { from: x, to: y } = &gradient.bodies[0] else {
                panic!("{n}: {gradient:?}")
            };
            if gradient.degenerate.is_none() && found.degenerate.is_none() {
                assert!(are_close(x, &found.from) && are_close(y, &found.to), "{n}: {gradient:?} {found:?}");
                touches += 1;
            }
        }
        let exact = Options { tolerance: 1e-12, ..Options::default() };
        let least = scene.clearance(&exact).unwrap().unwrap();
        let same = checker.clearance(&[from.clone(), to.clone()], &exact).unwrap().unwrap().clearance;
        let of_scene = scene.clearance_gradient(&least);
        let of_checker = checker.clearance_gradient(&from, &to, &same).unwrap();
        if of_scene.degenerate.is_some() || of_checker.degenerate.is_some() {
            continue;
        }
        let (MotionGradient::Joints { from: x, to: y }, MotionGradient::Joints { from: p, to: q }) =
            (&of_scene.bodies[0], &of_checker.bodies[0])
        else {
            panic!("{n}: {of_scene:?} {of_checker:?}")
        };
        assert!(are_close(x, p) && are_close(y, q), "{n}: {of_scene:?} {of_checker:?}");
        distances += 1;
    }
    println!("{touches} derivatives of touches, {distances} of distances");
    assert!(touches > 10 && distances > 3, "{touches} {distances}");
}

/// No motion up to the safe scale touches, for all separations of the pairs.
#[test]
fn safe_scales() {
    let mut random = Random(66);
    let (mut safe, mut stopped) = (0, 0);
    for n in 0..80 {
        let Doors { scene, checker, from, to } = both_worlds(&mut random, n);
        let options =
            Options { tolerance: 1e-4, min_separation: 0.01 * (n % 3) as f64, ..Options::default() };
        let change: Vec<f64> = (0..4).map(|_| random.range(-1.0, 1.0)).collect();
        let in_scene = scene.max_safe_scale("arm", &GoalChange::Joints(change.clone()), &options).unwrap();
        let found = checker.max_safe_scale(&from, &to, &change, &options).unwrap();
        assert_eq!(in_scene.is_free, found.is_free, "{n}");
        assert!((in_scene.scale - found.scale).abs() < 0.05, "{n}: {in_scene:?} {found:?}");
        // Within the tolerance, a check may report a touch.
        let exact = Options { tolerance: 1e-9, ..options };
        let first = checker.check_step(&from, &to, &exact).unwrap().answer;
        assert!(!found.is_free || first == Answer::Free, "{n}");
        if !found.is_free {
            continue;
        }
        safe += 1;
        stopped += usize::from(found.scale < 1.0);
        for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let goal: Vec<f64> = to.iter().zip(&change).map(|(q, by)| q + part * found.scale * by).collect();
            let answer = checker.check_step(&from, &goal, &exact).unwrap().answer;
            assert_eq!(answer, Answer::Free, "{n} {part}: {found:?}");
        }
    }
    println!("{safe} are free, {stopped} stop before the end");
    assert!(safe >= 5 && stopped >= 2, "{safe} {stopped}");
    let Doors { scene, .. } = Doors::new(&mut random, 1);
    let options = Options::default();
    for change in
        [GoalChange::Joints(vec![1.0]), GoalChange::Joints(vec![f64::NAN; 4]), GoalChange::Vertices(vec![])]
    {
        assert!(scene.max_safe_scale("arm", &change, &options).is_err());
    }
}

/// A rule of a scene counts in its safe scales: a ball that rests 4 above a floor and keeps 1 from it may be let down
/// by 2.
#[test]
fn safe_scales_keep_separations() {
    let at = |z: f64| Pose::from_translation(DVec3::Z * z).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::new("ball", Sphere::new(1.0).unwrap(), Motion::fixed(at(4.0)))).unwrap();
    scene
        .add(Body::new("floor", Cuboid::new(DVec3::new(9.0, 9.0, 1.0)).unwrap(), Motion::fixed(at(-0.5))))
        .unwrap();
    scene.keep_apart("ball", "floor", 1.0).unwrap();
    let down = GoalChange::Twist { translation: DVec3::Z * -4.0, rotation: DVec3::ZERO };
    let safe = scene.max_safe_scale("ball", &down, &Options::default()).unwrap();
    assert!(safe.is_free && safe.scale <= 0.5 && safe.scale > 0.5 - 1e-6, "{safe:?}");
}

/// A filter leaves out bodies, or the robot with itself, in every query of both interfaces.
#[test]
fn filters() {
    let mut random = Random(67);
    let (mut differ, mut count) = (0, 0);
    for n in 0..90 {
        let Doors { scene, checker, from, to } = both_worlds(&mut random, n);
        let options = Options { tolerance: 1e-7, ..Options::default() };
        let wanted = |a: &Body, b: &Body| match n % 3 {
            0 => a.name() != b.name(),
            1 => a.name() == b.name(),
            _ => !b.name().starts_with("box"),
        };
        let ask = Ask::from(&options).filter(&wanted);
        let motion = [from.clone(), to.clone()];
        let found = checker.check_step(&from, &to, ask).unwrap().answer;
        let in_scene = scene.check(ask).unwrap().answer;
        assert_eq!(kind(&found), kind(&in_scene), "{n}");
        assert!(
            (found.free_until(1.0) - in_scene.free_until(1.0)).abs() < 1e-4,
            "{n}: {found:?} {in_scene:?}"
        );
        differ += usize::from(found != checker.check_step(&from, &to, &options).unwrap().answer);
        let path = checker.check_path(&motion, ask, |_| ()).unwrap();
        assert_eq!(path.answer, found, "{n}");
        assert_eq!(checker.check_motions(&[[&from, &to]], ask).unwrap()[0].answer, found, "{n}");
        let state = checker.check_state(&from, ask).unwrap().answer;
        assert_eq!(kind(&state) == "free", kind(&found) != "at start", "{n}");
        let all = Options { mode: Mode::All, ..options };
        let all = Ask::from(&all).filter(&wanted);
        for pair in checker.check_step(&from, &to, all).unwrap().by_pair {
            let [a, b] = pair.bodies.map(|i| &scene.bodies()[i]);
            assert!(wanted(a, b), "{n}: {pair:?}");
            count += 1;
        }
        let (x, y) = (scene.clearance(ask).unwrap(), checker.clearance(&motion, ask).unwrap());
        assert!(intersect(&x.unwrap(), &y.unwrap().clearance), "{n}");
        let (x, y) =
            (scene.distance_at(0.5, ask).unwrap(), checker.distance_at(&from, &to, 0.5, ask).unwrap());
        assert!(intersect(&x.unwrap(), &y.unwrap()), "{n}");
        let t = found.free_until(1.0);
        let of_wanted = |contacts: Vec<ContactPoint>| {
            contacts.iter().all(|contact| {
                let [a, b] = contact.bodies.map(|i| &scene.bodies()[i]);
                wanted(a, b)
            })
        };
        assert!(
            of_wanted(scene.contacts(t, ask).unwrap())
                && of_wanted(checker.contacts(&from, &to, t, ask).unwrap())
        );
        for obstacle in std::iter::once(None).chain((0..5).map(Some)) {
            let other = &scene.bodies()[obstacle.map_or(0, |k| k + 1)];
            let in_scene = scene.overlaps("arm", other.name(), ask).unwrap();
            let found = checker.overlaps(&from, &to, obstacle, ask).unwrap();
            assert_eq!(in_scene.is_empty(), found.is_empty(), "{n} {obstacle:?}");
            assert!(found.is_empty() || wanted(&scene.bodies()[0], other), "{n} {obstacle:?}");
        }
        let gradient = checker.toi_gradient(&from, &to, ask).unwrap();
        assert_eq!(gradient.is_some(), found.touch().is_some(), "{n}");
        let change = [0.1; 4];
        let safe = checker.max_safe_scale(&from, &to, &change, ask).unwrap();
        let in_scene = scene.max_safe_scale("arm", &GoalChange::Joints(change.to_vec()), ask).unwrap();
        assert_eq!(safe.is_free, in_scene.is_free, "{n}");
    }
    println!("{differ} answers change with the filter, {count} pairs");
    assert!(differ > 5 && count > 20, "{differ} {count}");
}

/// Every query ends with a raised interrupt, and proves no more than before. A clock is refused if no stage is timed.
#[test]
fn interrupts_and_clocks() {
    let mut random = Random(68);
    let interrupt = raised();
    let control = Control { interrupt: Some(&interrupt), progress: None };
    let options = Options::default();
    let ask = Ask::from(&options).control(&control);
    let clock = || 0.0;
    let timed = Ask::from(&options).clock(&clock);
    let mut ended = [0, 0];
    for n in 0..20 {
        let Doors { scene, checker, from, to } = both_worlds(&mut random, n);
        let motion = [from.clone(), to.clone()];
        // Both bounds hold. A search may end before it checks the interrupt.
        let holds = |found: Option<Clearance>, whole: Option<Clearance>| {
            let (found, whole) = (found.unwrap(), whole.unwrap());
            assert!(intersect(&found, &whole), "{n}: {found:?} {whole:?}");
            usize::from(!found.is_tight)
        };
        let of_motion = |ask| checker.clearance(&motion, ask).unwrap().map(|found| found.clearance);
        ended[0] += holds(scene.clearance(ask).unwrap(), scene.clearance(&options).unwrap());
        ended[1] += holds(of_motion(ask), of_motion(Ask::from(&options)));
        holds(scene.distance_at(0.5, ask).unwrap(), scene.distance_at(0.5, &options).unwrap());
        holds(
            checker.distance_at(&from, &to, 0.5, ask).unwrap(),
            checker.distance_at(&from, &to, 0.5, &options).unwrap(),
        );
        assert!(scene.contacts(0.5, ask).unwrap().is_empty());
        assert!(checker.contacts(&from, &to, 0.5, ask).unwrap().is_empty());
        let found = checker.overlaps(&from, &to, None, ask).unwrap();
        for found in scene.overlaps("arm", "arm", ask).unwrap().into_iter().chain(found) {
            assert_eq!((found.kind, found.start[0], found.end[1]), (OverlapKind::Graze, 0.0, 1.0), "{n}");
        }
        assert_eq!(checker.toi_gradient(&from, &to, ask).unwrap(), None);
        if let Some(touch) = scene.check(&options).unwrap().answer.touch() {
            assert!(scene.toi_gradient(touch, ask).unwrap().degenerate.is_some(), "{n}");
        }
        let change = [0.1; 4];
        let joints = GoalChange::Joints(change.to_vec());
        let safe = checker.max_safe_scale(&from, &to, &change, ask).unwrap();
        for safe in [scene.max_safe_scale("arm", &joints, ask).unwrap(), safe] {
            assert_eq!((safe.scale, safe.is_free), (0.0, false), "{n}");
        }
        let errors = [
            scene.clearance(timed).is_err(),
            scene.distance_at(0.5, timed).is_err(),
            scene.contacts(0.5, timed).is_err(),
            scene.overlaps("arm", "arm", timed).is_err(),
            scene.max_safe_scale("arm", &joints, timed).is_err(),
            checker.check_step(&from, &to, timed).is_err(),
            checker.check_state(&from, timed).is_err(),
            checker.clearance(&motion, timed).is_err(),
            checker.distance_at(&from, &to, 0.5, timed).is_err(),
            checker.contacts(&from, &to, 0.5, timed).is_err(),
            checker.overlaps(&from, &to, None, timed).is_err(),
            checker.toi_gradient(&from, &to, timed).is_err(),
            checker.max_safe_scale(&from, &to, &change, timed).is_err(),
        ];
        assert_eq!(errors, [true; 13]);
    }
    println!("{ended:?} of 20 searches ended early");
    assert!(ended.iter().all(|ended| *ended >= 5), "{ended:?}");
}
