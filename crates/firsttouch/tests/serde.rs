//! Poses, options and answers as JSON, and refused input.

#![cfg(feature = "serde")]

use firsttouch::motion::{Motion, Pose};
use firsttouch::shape::Sphere;
use firsttouch::{Answer, Feature, Mode, Options, Part, first_touch};
use glam::{DQuat, DVec3};

#[test]
fn poses_go_through_their_constructor() {
    let pose: Pose = serde_json::from_str(r#"{"translation": [1, 2, 3], "rotation": [0, 0, 2, 0]}"#).unwrap();
    assert_eq!(pose, Pose::new(DVec3::new(1.0, 2.0, 3.0), DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0)).unwrap());
    let text = serde_json::to_string(&pose).unwrap();
    assert_eq!(text, r#"{"translation":[1.0,2.0,3.0],"rotation":[0.0,0.0,1.0,0.0]}"#);
    assert_eq!(serde_json::from_str::<Pose>(&text).unwrap(), pose);
    assert_eq!(serde_json::from_str::<Pose>("{}").unwrap(), Pose::IDENTITY);
    // A rotation without a direction, a coordinate beyond all bounds, a field that does not exist.
    for wrong in
        [r#"{"rotation": [0, 0, 0, 0]}"#, r#"{"translation": [1e200, 0, 0]}"#, r#"{"place": [0, 0, 0]}"#]
    {
        assert!(serde_json::from_str::<Pose>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn options_are_validated() {
    let options: Options = serde_json::from_str(r#"{"mode": "all", "tolerance": 1e-3}"#).unwrap();
    assert_eq!(options, Options { mode: Mode::All, tolerance: 1e-3, ..Options::default() });
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(serde_json::from_str::<Options>(&text).unwrap(), options);
    for wrong in [r#"{"tolerance": -1}"#, r#"{"t_max": 2}"#, r#"{"mode": "some"}"#, r#"{"tolerence": 1}"#] {
        assert!(serde_json::from_str::<Options>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn answers_are_written_and_read() {
    let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
    let ball = Sphere::new(1.0).unwrap().into();
    let flying = Motion::linear(at(-9.0), at(11.0));
    let touch = first_touch((&ball, &flying), (&ball, &Motion::AT_REST), &Options::default()).unwrap();
    assert!(touch.touch().is_some());
    for answer in [touch, Answer::Free, Answer::Undecided { free_until: 0.25, bodies: [0, 3] }] {
        let text = serde_json::to_string(&answer).unwrap();
        assert_eq!(serde_json::from_str::<Answer>(&text).unwrap(), answer, "{text}");
    }
    assert_eq!(serde_json::to_string(&Answer::Free).unwrap(), r#"{"answer":"free"}"#);
    let parts = [Part::Solid, Part::Triangle(7)];
    assert_eq!(serde_json::to_string(&parts).unwrap(), r#"["solid",{"triangle":7}]"#);
    assert_eq!(serde_json::to_string(&Feature::Edge(3)).unwrap(), r#"{"edge":3}"#);
}
