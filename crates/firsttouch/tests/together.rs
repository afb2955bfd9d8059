//! The combinations of features: every feature with every query at every interface, against a closed form.
//!
//! A ball of radius 1 slides along x towards another of radius 1. Their gap is `8 - q(t) - c t`, where `q` is the slide
//! and `c` the speed of the other ball, for every feature: a held ball is in front, and then the other ball is farther
//! away by the same distance. Each cell of the table agrees with that, or is refused by a named error, or the interface
//! does not have the query. The table stands in docs/features.md, and the test compares the two.

use std::fmt::Write as _;
use std::panic::catch_unwind;
use std::path::Path;

use firsttouch::adaptive::{Moved, Simulated};
use firsttouch::articulated::{
    Checker, Grasp, Joint, JointKind, LinkPart, Robot, RobotPath, RobotStep, Trajectory,
};
use firsttouch::deformable::Deformable;
use firsttouch::motion::{JointTrajectory, Motion, Pose};
use firsttouch::shape::Sphere;
use firsttouch::{Answer, Body, Error, GoalChange, Mode, MotionGradient, Options, Scene, Start};
use glam::DVec3;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Feature {
    Plain,
    Padding,
    LinkPadding,
    Allowed,
    Separation,
    Held,
    TouchLinks,
    TakenUp,
    Linear,
    Cubic,
    Spline,
    Polynomial,
    MovingObstacle,
    DeformingObstacle,
    TwoRobots,
    RobotAtRest,
    Adaptive,
    IgnoreStart,
}

use Feature::*;

const FEATURES: &[(Feature, &str)] = &[
    (Plain, "two configurations"),
    (Padding, "padding"),
    (LinkPadding, "padding of a link"),
    (Allowed, "a pair allowed by a pattern"),
    (Separation, "a separation of a pair"),
    (Held, "a held body"),
    (TouchLinks, "touch links by a pattern"),
    (TakenUp, "a body taken up on the way"),
    (Linear, "waypoints on a clock"),
    (Cubic, "cubics"),
    (Spline, "splines"),
    (Polynomial, "polynomials"),
    (MovingObstacle, "an obstacle that moves"),
    (DeformingObstacle, "an obstacle that deforms"),
    (TwoRobots, "two robots that move"),
    (RobotAtRest, "another robot at rest"),
    (Adaptive, "memory from step to step"),
    (IgnoreStart, "contacts at the start left out"),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Question {
    First,
    Any,
    All,
    Clearance,
    DistanceAt,
    Contacts,
    Overlaps,
    Gradient,
    SafeScale,
    State,
}

const QUESTIONS: &[(Question, &str)] = &[
    (Question::First, "first"),
    (Question::Any, "any"),
    (Question::All, "all"),
    (Question::Clearance, "clearance"),
    (Question::DistanceAt, "distance at"),
    (Question::Contacts, "contacts"),
    (Question::Overlaps, "overlaps"),
    (Question::Gradient, "gradient"),
    (Question::SafeScale, "safe scale"),
    (Question::State, "state"),
];

/// The slide ends at the first place with a touch, and at the second without one.
const NEAR: f64 = 12.0;
const FAR: f64 = 4.0;

/// The known values of a feature.
impl Feature {
    /// Returns the way of the slide at `t`, as a part of its whole length.
    fn way(self, t: f64) -> f64 {
        match self {
            Cubic => t * t * (3.0 - 2.0 * t),
            Polynomial => t * t,
            // The natural spline through 0, 1/2 and 1 at the times 0, 1/2 and 1 is a line.
            _ => t,
        }
    }

    fn is_course(self) -> bool {
        matches!(self, Linear | Cubic | Spline | Polynomial | TakenUp | Adaptive)
    }

    /// The speed at which the other ball approaches.
    fn coming(self) -> f64 {
        match self {
            MovingObstacle | DeformingObstacle | TwoRobots => 2.0,
            _ => 0.0,
        }
    }

    /// Returns the distance at which the two count as touching.
    fn needed(self) -> f64 {
        match self {
            Padding | LinkPadding => 0.5,
            Separation => 0.25,
            _ => 0.0,
        }
    }

    /// The distance of the first ball in front of the hand.
    fn in_front(self) -> f64 {
        match self {
            Held | TakenUp => 3.0,
            TouchLinks => 1.0,
            _ => 0.0,
        }
    }

    fn gap(self, end: f64, t: f64) -> f64 {
        8.0 - end * self.way(t) - self.coming() * t
    }

    /// Returns the time at which the gap is the needed distance.
    fn first(self) -> f64 {
        self.when(self.needed())
    }

    /// Returns the time at which the gap on the way to [`NEAR`] is this, by bisection.
    fn when(self, gap: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let t = 0.5 * (low + high);
            if self.gap(NEAR, t) > gap { low = t } else { high = t }
        }
        low
    }
}

fn at(x: f64) -> Pose {
    Pose::from_translation(DVec3::X * x).unwrap()
}

fn ball() -> LinkPart {
    LinkPart { shape: Sphere::new(1.0).unwrap().into(), pose: Pose::IDENTITY }
}

/// Returns a rail, a hand with a ball that slides along it, and a finger without a shape that is fixed to the hand.
fn robot(name: &str, along: DVec3) -> Robot {
    let joint = |name: &str, parent: &str, child: &str, kind| Joint {
        name: name.into(),
        parent: parent.into(),
        child: child.into(),
        origin: Pose::IDENTITY,
        kind,
        limits: None,
        mimic: None,
    };
    let joints = vec![
        joint("slide", "rail", "hand", JointKind::Prismatic { axis: along }),
        joint("mount", "hand", "finger", JointKind::Fixed),
    ];
    let links = vec![("rail".into(), vec![]), ("hand".into(), vec![ball()]), ("finger".into(), vec![])];
    Robot::new(name, links, joints).unwrap()
}

/// Returns the other body: a ball, a wall as a deforming mesh, or another robot.
fn other(feature: Feature) -> Option<Body> {
    let x = 10.0 + feature.in_front();
    let coming = feature.coming();
    Some(match feature {
        TwoRobots | RobotAtRest => return None,
        DeformingObstacle => {
            // The front of the ball would be at x - 1.
            let corners = |x: f64| [[-9.0, -9.0], [9.0, -9.0], [0.0, 18.0]].map(|[y, z]| DVec3::new(x, y, z));
            let [from, to] = [x - 1.0, x - 1.0 - coming].map(|x| corners(x).to_vec());
            Body::deforming("post", Deformable::new(from, to, vec![[0, 1, 2]], vec![], vec![]).unwrap())
        }
        MovingObstacle => Body::new("post", Sphere::new(1.0).unwrap(), Motion::linear(at(x), at(x - coming))),
        _ => Body::new("post", Sphere::new(1.0).unwrap(), Motion::fixed(at(x))),
    })
}

fn course(feature: Feature, robot: &Robot, end: f64) -> Trajectory {
    let (times, waypoints) = ([0.0, 0.5, 1.0], [vec![0.0], vec![0.5 * end], vec![end]]);
    match feature {
        Cubic => Trajectory::cubic(robot, &[0.0, 1.0], &[vec![0.0], vec![end]], &[vec![0.0], vec![0.0]]),
        Spline => Trajectory::spline(robot, &times, &waypoints),
        Polynomial => {
            let joint = JointTrajectory::polynomials(&[0.0, 1.0], &[vec![0.0, 0.0, end]]).unwrap();
            Trajectory::new(robot, vec![joint])
        }
        _ => Trajectory::linear(robot, &times, &waypoints),
    }
    .unwrap()
}

fn grasp() -> Grasp {
    Grasp { body: "load".into(), link: "hand".into(), from: 0, ..Grasp::default() }
}

fn scene(feature: Feature, end: f64) -> firsttouch::Result<Scene> {
    let arm = robot("arm", DVec3::X);
    let mut scene = Scene::default();
    if feature.is_course() {
        let mut path = RobotPath::new(arm.clone(), Pose::IDENTITY, course(feature, &arm, end))?;
        if feature == Adaptive {
            path = path.adaptive()?;
        }
        scene.add(Body::robot_along("arm", path))?;
    } else {
        scene.add(Body::robot("arm", RobotStep::new(arm, Pose::IDENTITY, vec![0.0], vec![end])?))?;
    }
    match other(feature) {
        Some(body) => drop(scene.add(body)?),
        None => {
            let step = RobotStep::new(robot("post", -DVec3::X), at(10.0), vec![0.0], vec![feature.coming()])?;
            scene.add(Body::robot("post", step))?;
        }
    }
    match feature {
        Padding => scene.pad("arm", 0.5)?,
        LinkPadding => scene.pad("arm/hand", 0.5)?,
        Allowed => scene.allow("arm/h*", "po*")?,
        Separation => scene.keep_apart("arm", "post", 0.25)?,
        Held => drop(scene.attach("load", Sphere::new(1.0)?, "arm", "hand", at(3.0), &[])?),
        TouchLinks => drop(scene.attach("load", Sphere::new(1.0)?, "arm", "finger", at(1.0), &["ha*"])?),
        TakenUp => {
            scene.add(Body::new("load", Sphere::new(1.0)?, Motion::fixed(at(3.0))))?;
            scene.grasp("arm", grasp())?;
        }
        _ => {}
    }
    Ok(scene)
}

fn checker(feature: Feature) -> firsttouch::Result<Checker> {
    let arm = robot("arm", DVec3::X);
    if matches!(feature, TwoRobots | RobotAtRest) {
        let robots = [(arm, Pose::IDENTITY), (robot("post", -DVec3::X), at(10.0))];
        return Checker::new(firsttouch::adaptive::forest("arm", &robots)?, Pose::IDENTITY, vec![]);
    }
    let mut checker = Checker::new(arm, Pose::IDENTITY, other(feature).into_iter().collect())?;
    match feature {
        Padding => checker.set_padding(0.5)?,
        LinkPadding => checker.set_link_padding("hand", 0.5)?,
        Allowed => checker.allow("arm/h*", "po*")?,
        Separation => checker.keep_apart("arm", "post", 0.25)?,
        Held => checker.hold("load", Sphere::new(1.0)?, "hand", at(3.0), &[])?,
        TouchLinks => checker.hold("load", Sphere::new(1.0)?, "finger", at(1.0), &["ha*"])?,
        TakenUp => {
            let load = Body::new("load", Sphere::new(1.0)?, Motion::fixed(at(3.0)));
            checker.add_obstacle(load)?;
            let course = [vec![0.0], vec![1.0]];
            checker = checker.phases(&course, &[grasp()])?.remove(0).checker;
        }
        _ => {}
    }
    Ok(checker)
}

/// Returns a configuration of the checker's robots at `t`, if the first slides to `end`.
fn ends(feature: Feature, end: f64) -> [Vec<f64>; 2] {
    match feature {
        TwoRobots | RobotAtRest => [vec![0.0, 0.0], vec![end, feature.coming()]],
        _ => [vec![0.0], vec![end]],
    }
}

fn options(feature: Feature, mode: Mode) -> Options {
    let start = if feature == IgnoreStart { Start::Ignore } else { Start::Report };
    Options { mode, start, ..Options::default() }
}

/// The content of a cell of the table.
#[derive(Debug, Clone, PartialEq)]
enum Cell {
    Agrees,
    Refused(String),
    /// The interface has no such query; another one does.
    Absent,
}

fn is_close(found: f64, truth: f64, what: &str) {
    assert!((found - truth).abs() < 1e-4, "{what}: {found}, and not {truth}");
}

/// Judges an answer for the way to [`NEAR`].
fn judge_touch(answer: &Answer, feature: Feature, mode: Mode, what: &str) {
    if feature == Allowed {
        return assert_eq!(*answer, Answer::Free, "{what}");
    }
    let Answer::Touch(touch) = answer else { panic!("{what}: {answer:?}") };
    let first = feature.first();
    assert!(touch.free_until <= first + 1e-9, "{what}: {touch:?}, first at {first}");
    assert!(feature.gap(NEAR, touch.toi) <= feature.needed() + 1e-5, "{what}: {touch:?}");
    if mode != Mode::Any {
        is_close(touch.toi, first, what);
    }
}

fn judge_least(found: Option<[f64; 2]>, truth: f64, feature: Feature, what: &str) {
    if feature == Allowed {
        return assert_eq!(found, None, "{what}");
    }
    let [lower, upper] = found.unwrap_or_else(|| panic!("{what}: nothing to measure"));
    assert!(
        lower <= truth + 1e-9 && truth <= upper + 1e-9 && upper - lower < 1e-4,
        "{what}: {lower} to {upper}, not {truth}"
    );
}

/// Returns the change of the time of the touch with a shift of the first ball along the rail at all times.
fn by_shift(feature: Feature) -> f64 {
    let (t, h) = (feature.first(), 1e-6);
    2.0 * h / (feature.gap(NEAR, t + h) - feature.gap(NEAR, t - h))
}

fn judge_overlaps(found: &[firsttouch::ellipsoid::Overlap], feature: Feature, what: &str) {
    if feature == Allowed {
        // Overlaps are requested by name, so also of a pair that may touch.
        return;
    }
    assert_eq!(found.len(), 1, "{what}: {found:?}");
    let [start, end] = [found[0].start, found[0].end];
    let first = feature.first();
    // Gaps within the tolerance count as touching.
    assert!(start[0] <= first + 1e-9 && start[0] > first - 1e-3, "{what}: {found:?}, {first}");
    // Then they pass through each other: a ball by its diameter through a wall, by two through a ball.
    let through = if feature == DeformingObstacle { 2.0 } else { 4.0 };
    let last = feature.when(-through - feature.needed());
    assert!(end[1] >= last - 1e-9 && end[1] < last + 1e-3, "{what}: {found:?}, {last}");
}

fn judge_scale(scale: f64, feature: Feature, what: &str) {
    let truth = if feature == Allowed { 1.0 } else { (4.0 - feature.coming() - feature.needed()) / 8.0 };
    assert!(scale <= truth + 1e-9 && scale > truth - 1e-3, "{what}: {scale}, not {truth}");
}

fn in_scene(question: Question, feature: Feature, what: &str) -> firsttouch::Result<Option<()>> {
    let (near, far) = (scene(feature, NEAR)?, scene(feature, FAR)?);
    let ask = |mode| options(feature, mode);
    match question {
        Question::First => {
            judge_touch(&near.check(&ask(Mode::First))?.answer, feature, Mode::First, what);
            assert_eq!(far.check(&ask(Mode::First))?.answer, Answer::Free, "{what}");
        }
        Question::Any => {
            judge_touch(&near.check(&ask(Mode::Any))?.answer, feature, Mode::Any, what);
            assert_eq!(far.check(&ask(Mode::Any))?.answer, Answer::Free, "{what}");
        }
        Question::All => {
            let report = near.check(&ask(Mode::All))?;
            // The hand comes after the bodies that it holds.
            assert_eq!(report.pairs.is_empty(), feature == Allowed, "{what}");
            judge_touch(&report.answer, feature, Mode::All, what);
        }
        Question::Clearance => {
            let found = far.clearance(&ask(Mode::First))?.map(|found| [found.lower, found.upper]);
            judge_least(found, feature.gap(FAR, 1.0), feature, what);
        }
        Question::DistanceAt => {
            let found = near.distance_at(0.25, &ask(Mode::First))?.map(|found| [found.lower, found.upper]);
            judge_least(found, feature.gap(NEAR, 0.25), feature, what);
        }
        Question::Contacts => {
            let contacts = near.contacts(feature.first(), &ask(Mode::First))?;
            assert_eq!(contacts.is_empty(), feature == Allowed, "{what}");
        }
        Question::Overlaps => {
            let first = if feature.in_front() > 0.0 { "load" } else { "arm" };
            judge_overlaps(&near.overlaps(first, "post", &ask(Mode::First))?, feature, what);
        }
        Question::Gradient => {
            let Some(touch) = near.check(&ask(Mode::First))?.answer.touch().cloned() else {
                return Ok(Some(()));
            };
            let gradient = near.toi_gradient(&touch, &ask(Mode::First))?;
            assert_eq!(gradient.degenerate, None, "{what}");
            let shift = |of: &MotionGradient| match of {
                MotionGradient::Joints { from, to } => Some(from[0] + to[0]),
                _ => None,
            };
            if let Some(found) = gradient.bodies.iter().find_map(shift) {
                is_close(found, by_shift(feature), what);
            }
        }
        Question::SafeScale => {
            let scale = far.max_safe_scale("arm", &GoalChange::Joints(vec![8.0]), &ask(Mode::First))?;
            judge_scale(scale.scale, feature, what);
        }
        Question::State => {
            // A scene always has an end of its time.
            let at_start = Options { t_max: 1e-6, ..ask(Mode::First) };
            assert_eq!(near.check(&at_start)?.answer, Answer::Free, "{what}");
        }
    }
    Ok(Some(()))
}

fn of_checker(question: Question, feature: Feature, what: &str) -> firsttouch::Result<Option<()>> {
    let checker = checker(feature)?;
    let ask = |mode| options(feature, mode);
    let ([from, near], [_, far]) = (ends(feature, NEAR), ends(feature, FAR));
    // The body taken up is held in this phase.
    let is_course = feature.is_course() && feature != TakenUp;
    let of = |end: f64| course(feature, checker.robot(), end);
    match question {
        Question::First | Question::Any | Question::All => {
            let mode = match question {
                Question::First => Mode::First,
                Question::Any => Mode::Any,
                _ => Mode::All,
            };
            let answer = |end: f64, to: &[f64]| -> firsttouch::Result<Answer> {
                if !is_course {
                    return Ok(checker.check_step(&from, to, &ask(mode))?.answer);
                }
                let whole = of(end);
                let report = checker.check_trajectory(&whole, &ask(mode), |_| ())?;
                let Some(segment) = report.segment else { return Ok(report.answer) };
                let [start, stop] = whole.span(segment);
                Ok(match report.answer {
                    Answer::Touch(mut touch) => {
                        touch.toi = start + (stop - start) * touch.toi;
                        touch.free_until = start + (stop - start) * touch.free_until;
                        Answer::Touch(touch)
                    }
                    other => other,
                })
            };
            judge_touch(&answer(NEAR, &near)?, feature, mode, what);
            assert_eq!(answer(FAR, &far)?, Answer::Free, "{what}");
        }
        Question::Clearance => {
            let found = match is_course {
                true => checker.clearance_along(&of(FAR), &ask(Mode::First))?,
                false => checker.clearance(&[from, far], &ask(Mode::First))?,
            };
            let found = found.map(|found| [found.clearance.lower, found.clearance.upper]);
            judge_least(found, feature.gap(FAR, 1.0), feature, what);
        }
        Question::DistanceAt => {
            if is_course {
                return Ok(None);
            }
            let found = checker.distance_at(&from, &near, 0.25, &ask(Mode::First))?;
            judge_least(
                found.map(|found| [found.lower, found.upper]),
                feature.gap(NEAR, 0.25),
                feature,
                what,
            );
        }
        Question::Contacts => {
            let first = feature.first();
            let contacts = match is_course {
                true => {
                    let whole = of(NEAR);
                    let segment = whole.segment_at(first);
                    let [start, stop] = whole.span(segment);
                    let t = (first - start) / (stop - start);
                    checker.contacts_along(&whole, segment, t, &ask(Mode::First))?
                }
                false => checker.contacts(&from, &near, first, &ask(Mode::First))?,
            };
            assert_eq!(contacts.is_empty(), feature == Allowed, "{what}");
        }
        Question::Overlaps => {
            let obstacle = checker.index_of("post");
            let whole = match is_course {
                true => of(NEAR),
                false => Trajectory::linear(checker.robot(), &[0.0, 1.0], &[from, near])?,
            };
            judge_overlaps(&checker.overlaps_along(&whole, obstacle, &ask(Mode::First))?, feature, what);
        }
        Question::Gradient => {
            if is_course {
                let found = checker.toi_gradient_along(&of(NEAR), &ask(Mode::First))?;
                let found = found.unwrap_or_else(|| panic!("{what}: it touches"));
                assert_eq!(found.degenerate, None, "{what}");
                let whole = of(NEAR);
                let [start, stop] = whole.span(found.segment);
                is_close(found.shift[0] * (stop - start), by_shift(feature), what);
            } else if let Some(found) = checker.toi_gradient(&from, &near, &ask(Mode::First))? {
                assert_eq!(found.degenerate, None, "{what}");
                is_close(found.from[0] + found.to[0], by_shift(feature), what);
            } else {
                assert_eq!(feature, Allowed);
            }
        }
        Question::SafeScale => {
            if is_course {
                return Ok(None);
            }
            let mut change = vec![0.0; far.len()];
            change[0] = 8.0;
            let scale = checker.max_safe_scale(&from, &far, &change, &ask(Mode::First))?;
            judge_scale(scale.scale, feature, what);
        }
        Question::State => {
            assert_eq!(checker.check_state(&from, &ask(Mode::First))?.answer, Answer::Free, "{what}");
            // The other body is at its start.
            let mut overlapping = from.clone();
            overlapping[0] = 8.5;
            let is_free = checker.check_state(&overlapping, &ask(Mode::First))?.answer == Answer::Free;
            assert_eq!(is_free, feature == Allowed, "{what}");
        }
    }
    Ok(Some(()))
}

/// Checks a simulation, which makes steps; every other query goes to its world.
fn of_simulation(question: Question, feature: Feature, what: &str) -> firsttouch::Result<Option<()>> {
    if !matches!(question, Question::First | Question::Any | Question::All) {
        let checker = checker(feature)?;
        let start = ends(feature, 0.0)[0].clone();
        assert_eq!(Simulated::among(checker.clone(), start)?.checker()?.robot(), checker.robot());
        return of_checker(question, feature, what);
    }
    if matches!(feature, Cubic | Spline | Polynomial) {
        // Its joints move at constant rates.
        return Ok(None);
    }
    let mode = match question {
        Question::First => Mode::First,
        Question::Any => Mode::Any,
        _ => Mode::All,
    };
    for end in [FAR, NEAR] {
        let [from, to] = ends(feature, end);
        let mut simulated = Simulated::among(checker(feature)?, from.clone())?;
        let moved: Vec<Moved> =
            (0..from.len()).map(|k| Moved { variable: k, from: from[k], to: to[k] }).collect();
        let answer = simulated.step(&moved, &options(feature, mode))?.answer;
        match end == FAR {
            true => assert_eq!(answer, Answer::Free, "{what}"),
            false => judge_touch(&answer, feature, mode, what),
        }
    }
    Ok(Some(()))
}

fn cell(found: firsttouch::Result<Option<()>>, what: &str) -> Cell {
    match found {
        Ok(Some(())) => Cell::Agrees,
        Ok(None) => Cell::Absent,
        Err(error @ (Error::Unsupported { .. } | Error::OutOfRange { .. })) => {
            Cell::Refused(error.to_string())
        }
        Err(error) => panic!("{what}: {error}"),
    }
}

/// Set FIRSTTOUCH_WRITE_FEATURES to write the table again.
#[test]
fn every_feature_with_every_question() {
    let mut reasons: Vec<String> = Vec::new();
    let mut text = String::new();
    let mut counts = [0; 3];
    let mut broken = Vec::new();
    type Asked = fn(Question, Feature, &str) -> firsttouch::Result<Option<()>>;
    let doors: [(&str, Asked); 3] =
        [("Scene", in_scene), ("Checker", of_checker), ("Simulated", of_simulation)];
    for (door, ask) in doors {
        writeln!(text, "\n## `{door}`\n").unwrap();
        let names: Vec<&str> = QUESTIONS.iter().map(|(_, name)| *name).collect();
        writeln!(text, "| | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len())).unwrap();
        for (feature, name) in FEATURES {
            write!(text, "| {name} |").unwrap();
            for (question, of_question) in QUESTIONS {
                let what = format!("{door}, {name}, {of_question}");
                let asked = catch_unwind(|| cell(ask(*question, *feature, &what), &what));
                let Ok(asked) = asked else {
                    broken.push(what);
                    continue;
                };
                let mark = match asked {
                    Cell::Agrees => {
                        counts[0] += 1;
                        "yes".to_string()
                    }
                    Cell::Absent => {
                        counts[1] += 1;
                        "–".to_string()
                    }
                    Cell::Refused(reason) => {
                        counts[2] += 1;
                        let known = reasons.iter().position(|known| *known == reason);
                        let place = known.unwrap_or_else(|| {
                            reasons.push(reason);
                            reasons.len() - 1
                        });
                        format!("[{}]", place + 1)
                    }
                };
                write!(text, " {mark} |").unwrap();
            }
            text.push('\n');
        }
    }
    text.push_str("\n## What the refusals say\n\n");
    for (place, reason) in reasons.iter().enumerate() {
        writeln!(text, "{}. {reason}", place + 1).unwrap();
    }
    println!("{counts:?} agree, absent, refused\n{text}");
    assert!(broken.is_empty(), "{broken:#?}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/features.md");
    let Ok(page) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} is not part of this package", path.display());
        return;
    };
    let (head, _) = page.split_once("\n## `Scene`").expect("the table has a head");
    let written = format!("{head}{text}");
    if std::env::var_os("FIRSTTOUCH_WRITE_FEATURES").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    assert_eq!(
        page, written,
        "docs/features.md: FIRSTTOUCH_WRITE_FEATURES=1 cargo test --workspace together:: writes it"
    );
    assert!(counts[0] > 300, "{counts:?}");
}
