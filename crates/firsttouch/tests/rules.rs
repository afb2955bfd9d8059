//! The rules of scenes and checkers about pairs: padding, separations and allowed pairs, by names and by patterns,
//! against exact times.
//!
//! All shapes are balls whose centres move along straight lines at constant speeds. A quadratic equation gives the time
//! at which two of them come within a distance.

use firsttouch::articulated::{Checker, Joint, JointKind, LinkPart, Robot, RobotStep};
use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::{Shape, Sphere};
use firsttouch::{Answer, Body, Options, Scene, matches_pattern};
use glam::DVec3;

struct Draw(u64);

impl Draw {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }
}

const LINKS: [&str; 4] = ["base", "hand", "finger_left", "finger_right"];
const AXES: [DVec3; 3] = [DVec3::X, DVec3::Y, DVec3::Z];
const RADIUS: f64 = 0.2;

fn ball() -> Shape {
    Sphere::new(RADIUS).unwrap().into()
}

fn at(place: DVec3) -> Pose {
    Pose::from_translation(place).unwrap()
}

/// Returns a hand that slides along x, and two fingers that slide along y and z from it. The base has no shape.
fn hand(origins: [DVec3; 3]) -> Robot {
    let part = || vec![LinkPart { shape: ball(), pose: Pose::IDENTITY }];
    let links = LINKS.map(|name| (name.to_string(), if name == "base" { vec![] } else { part() }));
    let joint = |k: usize| Joint {
        name: format!("joint {k}"),
        parent: if k == 0 { "base" } else { "hand" }.into(),
        child: LINKS[k + 1].into(),
        origin: at(origins[k]),
        kind: JointKind::Prismatic { axis: AXES[k] },
        limits: None,
        mimic: None,
    };
    Robot::new("arm", links.to_vec(), (0..3).map(joint).collect()).unwrap()
}

/// A ball: its name as scenes know it, and its centre at both ends.
#[derive(Clone)]
struct Ball {
    name: String,
    centre: [DVec3; 2],
    is_link: bool,
}

/// The rules about a pair, in the order in which they are given.
#[derive(Clone, Debug)]
enum Rule {
    Allow(String, String),
    KeepApart(String, String, f64),
    Pad(Option<&'static str>, f64),
}

/// Returns true if a name stands for a ball, and true if it is that of a whole robot.
fn stands_for(name: &str, ball: &Ball) -> Option<bool> {
    if name == "arm" {
        return ball.is_link.then_some(true);
    }
    matches_pattern(name, &ball.name).then_some(false)
}

/// Returns the distance that two balls must keep; `None` if they may touch. The names of single links come before those
/// of the robot.
fn needed(rules: &[Rule], [a, b]: [&Ball; 2], min_separation: f64) -> Option<f64> {
    if a.is_link && b.is_link && (a.name == "arm/hand" || b.name == "arm/hand") {
        return None;
    }
    let (mut separation, mut best, mut padding) = (min_separation, 0, [0.0; 2]);
    for rule in rules {
        let about = |x: &str, y: &str| {
            let ordered = |p: &Ball, q: &Ball| Some([stands_for(x, p)?, stands_for(y, q)?]);
            ordered(a, b).or(ordered(b, a))
        };
        match rule {
            Rule::Allow(x, y) => {
                if about(x, y).is_some() {
                    return None;
                }
            }
            Rule::KeepApart(x, y, value) => {
                if let Some(whole) = about(x, y) {
                    let links = usize::from(a.is_link) + usize::from(b.is_link);
                    let rank = 1 + links - whole.iter().filter(|whole| **whole).count();
                    if rank >= best {
                        (separation, best) = (*value, rank);
                    }
                }
            }
            Rule::Pad(link, value) if a.is_link != b.is_link => {
                let of = if a.is_link { a } else { b };
                match link {
                    None => padding[0] = *value,
                    Some(link) if of.name == format!("arm/{link}") => padding[1] = *value,
                    Some(_) => {}
                }
            }
            Rule::Pad(..) => {}
        }
    }
    Some(separation + padding[0] + padding[1])
}

/// Returns the time at which two balls first come within a distance of each other.
fn first_within([a, b]: [&Ball; 2], separation: f64) -> Option<f64> {
    let reach = 2.0 * RADIUS + separation;
    let from = a.centre[0] - b.centre[0];
    let by = a.centre[1] - b.centre[1] - from;
    if from.length() <= reach {
        return Some(0.0);
    }
    let (p, q, r) = (by.length_squared(), from.dot(by), from.length_squared() - reach * reach);
    let root = q * q - p * r;
    let t = (-q - root.sqrt()) / p;
    (root >= 0.0 && (0.0..=1.0).contains(&t)).then_some(t)
}

fn least_distance([a, b]: [&Ball; 2]) -> f64 {
    let from = a.centre[0] - b.centre[0];
    let by = a.centre[1] - b.centre[1] - from;
    let t = if by == DVec3::ZERO { 0.0 } else { (-from.dot(by) / by.length_squared()).clamp(0.0, 1.0) };
    (from + by * t).length() - 2.0 * RADIUS
}

/// Rules with the names that both interfaces know.
fn rules(draw: &mut Draw, separations_are_small: bool) -> Vec<Rule> {
    const OF_ROBOT: [&str; 5] = ["arm", "arm/hand", "arm/finger_*", "arm/finger_left", "arm/*"];
    const OTHERS: [&str; 4] = ["post", "stone a", "stone ?", "*o*t*"];
    let size = if separations_are_small { 0.05 } else { 0.3 };
    let mut said = Vec::new();
    for _ in 0..1 + draw.below(5) {
        let (x, y) = (OF_ROBOT[draw.below(5)].to_string(), OTHERS[draw.below(4)].to_string());
        said.push(match draw.below(9) {
            0 => Rule::Allow(x, y),
            1 => Rule::Allow(y, "arm/hand".into()),
            2 => Rule::KeepApart("arm/finger_left".into(), "arm/finger_r*".into(), size * draw.unit()),
            3 => Rule::Pad(None, size * draw.unit()),
            4 => Rule::Pad(Some(LINKS[1 + draw.below(3)]), size * draw.unit()),
            _ if draw.below(2) == 0 => Rule::KeepApart(y, x, size * draw.unit()),
            _ => Rule::KeepApart(x, y, size * draw.unit()),
        });
    }
    // A pattern for several kinds of bodies means the same in both interfaces only if it names no robot and no link.
    said.retain(|rule| !matches!(rule, Rule::KeepApart(x, y, _) | Rule::Allow(x, y) if x.starts_with("*o") && y.starts_with("*o")));
    said
}

/// Returns the time of an answer; `None` if it is free.
fn time(answer: &Answer) -> Option<f64> {
    match answer {
        Answer::Free => None,
        Answer::Touch(touch) => Some(touch.toi),
        Answer::TouchingAtStart(_) => Some(0.0),
        other => panic!("{other:?}"),
    }
}

/// Scenes, checkers and checkers of scenes obey the same rules, and the exact times confirm it.
#[test]
fn both_doors_obey_the_same_rules() {
    let mut draw = Draw(2026);
    let options = Options::default();
    let (mut frees, mut touches, mut changed) = (0, 0, 0);
    for _ in 0..600 {
        let origins = [draw.vector(), 1.5 * draw.vector(), 1.5 * draw.vector()];
        let robot = hand(origins);
        let q: [Vec<f64>; 2] = [0, 1].map(|_| (0..3).map(|_| 1.5 * draw.signed()).collect());
        let centre = |k: usize, q: &[f64]| {
            let hand = origins[0] + AXES[0] * q[0];
            if k == 0 { hand } else { hand + origins[k] + AXES[k] * q[k] }
        };
        let mut balls: Vec<Ball> = (0..3)
            .map(|k| Ball {
                name: format!("arm/{}", LINKS[k + 1]),
                centre: [centre(k, &q[0]), centre(k, &q[1])],
                is_link: true,
            })
            .collect();
        for name in ["post", "stone a", "stone b"] {
            let from = 1.4 * draw.vector();
            let to = if draw.below(3) == 0 { 1.4 * draw.vector() } else { from };
            balls.push(Ball { name: name.into(), centre: [from, to], is_link: false });
        }
        let said = rules(&mut draw, false);

        let bodies: Vec<Body> = balls[3..]
            .iter()
            .map(|ball| {
                let [from, to] = ball.centre.map(at);
                let motion = if from == to { Motion::fixed(from) } else { Motion::linear(from, to) };
                Body::new(&ball.name, Sphere::new(RADIUS).unwrap(), motion)
            })
            .collect();
        let mut checker = Checker::new(robot.clone(), Pose::IDENTITY, bodies.clone()).unwrap();
        let mut scene = Scene::default();
        let step = RobotStep::new(robot.clone(), Pose::IDENTITY, q[0].clone(), q[1].clone()).unwrap();
        scene.add(Body::robot("arm", step)).unwrap();
        for body in &bodies {
            scene.add(body.clone()).unwrap();
        }
        // A scene checks moving bodies against others; a checker does not.
        for (a, b) in [("post", "stone a"), ("post", "stone b"), ("stone a", "stone b")] {
            scene.allow(a, b).unwrap();
        }
        for rule in &said {
            match rule {
                Rule::Allow(a, b) => {
                    checker.allow(a, b).unwrap();
                    scene.allow(a, b).unwrap();
                }
                Rule::KeepApart(a, b, value) => {
                    checker.keep_apart(a, b, *value).unwrap();
                    scene.keep_apart(a, b, *value).unwrap();
                }
                Rule::Pad(None, value) => {
                    checker.set_padding(*value).unwrap();
                    scene.pad("arm", *value).unwrap();
                }
                Rule::Pad(Some(link), value) => {
                    checker.set_link_padding(link, *value).unwrap();
                    scene.pad(&format!("arm/{link}"), *value).unwrap();
                }
            }
        }

        let (mut exact, mut slack): (Option<f64>, f64) = (None, f64::INFINITY);
        let mut without: Option<f64> = None;
        for i in 0..balls.len() {
            for j in i + 1..balls.len() {
                if !balls[i].is_link {
                    continue;
                }
                let pair = [&balls[i], &balls[j]];
                let earlier = |known: Option<f64>, t: Option<f64>| match (known, t) {
                    (Some(x), Some(y)) => Some(x.min(y)),
                    (x, y) => x.or(y),
                };
                if let Some(separation) = needed(&said, pair, options.min_separation) {
                    exact = earlier(exact, first_within(pair, separation));
                    slack = slack.min((least_distance(pair) - separation).abs());
                }
                if let Some(separation) = needed(&[], pair, options.min_separation) {
                    without = earlier(without, first_within(pair, separation));
                }
            }
        }
        if slack < 1e-4 {
            continue;
        }
        changed += usize::from(exact != without);
        let of_scene = scene.checker("arm").unwrap();
        let answers = [
            scene.check(&options).unwrap().answer,
            checker.check_step(&q[0], &q[1], &options).unwrap().answer,
            of_scene.check_step(&q[0], &q[1], &options).unwrap().answer,
        ];
        let context = format!("{said:?}: {exact:?}, but {answers:?}");
        assert_eq!(answers[1], answers[2], "{context}");
        for answer in &answers {
            match (time(answer), exact) {
                (None, None) => frees += 1,
                (Some(found), Some(exact)) => {
                    touches += 1;
                    assert!(found <= exact + 1e-12 && found > exact - 1e-3, "{found} in {context}");
                }
                _ => panic!("{context}"),
            }
        }
    }
    assert!(frees > 150 && touches > 400 && changed > 100, "{frees} {touches} {changed}");
}

/// The meanings of names, and invalid names.
#[test]
fn names_and_patterns() {
    let robot = hand([DVec3::ZERO, DVec3::X, -DVec3::X]);
    let body = |name: &str| Body::new(name, Sphere::new(RADIUS).unwrap(), Motion::AT_REST);
    let mut checker = Checker::new(robot.clone(), Pose::IDENTITY, vec![body("post"), body("hand")]).unwrap();
    let pair = |a: &str, b: &str| [a.to_string(), b.to_string()];
    assert_eq!(checker.pairs_named("arm", "post").unwrap(), [pair("arm", "post")]);
    let fingers = [pair("finger_left", "post"), pair("finger_right", "post")];
    assert_eq!(checker.pairs_named("arm/fing*", "po?t").unwrap(), fingers);
    assert_eq!(checker.pairs_named("arm/hand", "hand*").unwrap(), [pair("arm/hand", "hand")]);
    // Two bodies have this name, so it is ambiguous.
    let error = checker.allow("hand", "post").unwrap_err().to_string();
    assert!(error.contains("write \"arm/hand\" for the link"), "{error}");
    assert!(checker.allow("nail*", "post").is_err() && checker.allow("post", "hand*").is_err());
    assert!(checker.keep_apart("finger_left", "finger_left", 0.1).is_err());
    assert!(checker.keep_apart("finger_left", "post", -0.1).is_err());

    // Held bodies are named without the robot, and `touch_links` takes patterns.
    checker.hold("cup", Sphere::new(0.1).unwrap(), "hand", Pose::IDENTITY, &["fing*"]).unwrap();
    assert_eq!(checker.pairs_named("cu*", "post").unwrap(), [pair("cup", "post")]);
    let held = checker.robot().link("cup").unwrap();
    let may_touch = |link: &str| checker.robot().is_allowed(held, checker.robot().link(link).unwrap());
    assert!(may_touch("finger_left") && may_touch("finger_right") && !may_touch("base"));
    assert!(checker.hold("saucer", Sphere::new(0.1).unwrap(), "hand", Pose::IDENTITY, &["nail*"]).is_err());

    let step = RobotStep::new(robot, Pose::IDENTITY, vec![0.0; 3], vec![0.0; 3]).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::robot("arm", step)).unwrap();
    scene.add(body("post")).unwrap();
    let fingers = [pair("arm/finger_left", "post"), pair("arm/finger_right", "post")];
    assert_eq!(scene.pairs_named("arm/fing*", "po?t").unwrap(), fingers);
    assert_eq!(scene.pairs_named("post", "*").unwrap(), [pair("post", "arm")]);
    assert_eq!(scene.names_matching("*").unwrap(), ["arm", "post"]);
    // One body is not a pair, and a stone has no padding.
    for result in [scene.allow("po*", "po*"), scene.allow("nail", "post"), scene.pad("post", 0.1)] {
        assert!(result.is_err());
    }
}

/// A rule about the whole robot holds for bodies that it takes up later only if the rule keeps bodies apart.
#[test]
fn what_is_held_later() {
    let options = Options::default();
    let post = Body::new("post", Sphere::new(RADIUS).unwrap(), Motion::fixed(at(DVec3::X)));
    let mut checker =
        Checker::new(hand([DVec3::ZERO, DVec3::Y, -DVec3::Y]), Pose::IDENTITY, vec![post]).unwrap();
    let q = [0.0; 3];
    let free = |checker: &Checker| checker.check_state(&q, &options).unwrap().answer == Answer::Free;
    checker.keep_apart("arm", "post", 0.5).unwrap();
    assert!(free(&checker));
    let cup = |checker: &mut Checker| {
        checker.hold("cup", Sphere::new(0.1).unwrap(), "hand", at(DVec3::X * 0.3), &["hand"]).unwrap();
    };
    cup(&mut checker);
    assert!(!free(&checker), "0.4 is less than 0.5");
    checker.release("cup").unwrap();
    checker.allow("arm", "post").unwrap();
    cup(&mut checker);
    assert!(!free(&checker));
    checker.allow("cup", "post").unwrap();
    assert!(free(&checker));
    checker.release("cup").unwrap();
    cup(&mut checker);
    assert!(!free(&checker), "another cup");
}
