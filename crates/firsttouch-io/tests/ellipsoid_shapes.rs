//! Bodies made of ellipsoids: listed one by one, as a cover of another shape or of a robot, and on the way from one
//! ellipsoid to another.

use std::path::Path;

use firsttouch::{Answer, Options, Scene};
use firsttouch_io::{build_scene, parse_scene_bytes};

fn scene(text: &str) -> Scene {
    // The meshes lie beside the test scenes.
    let name = Path::new("../../testdata/scenes/here.toml");
    let file = parse_scene_bytes(text.as_bytes(), name).unwrap();
    build_scene(&file, name).unwrap()
}

fn toi(text: &str) -> f64 {
    match scene(text).check(&Options::default()).unwrap().answer {
        Answer::Touch(touch) => touch.toi,
        other => panic!("{other:?}"),
    }
}

/// Returns a ball of radius 1 that falls from z = 10 to z = 0 onto a shape at rest.
fn falling_onto(shape: &str) -> String {
    format!(
        "[[body]]\nname = \"ball\"\nshape = {{ sphere = {{ radius = 1 }} }}\n\
         motion = {{ linear = {{ from = {{ xyz = [0, 0, 10] }}, to = {{ xyz = [0, 0, 0] }} }} }}\n\
         [[body]]\nname = \"below\"\nshape = {shape}\n"
    )
}

/// Two ellipsoids side by side: the ball falls onto the one whose top is at z = 2, so that they touch when its centre
/// is at z = 3.
#[test]
fn several_ellipsoids_as_one_body() {
    let list =
        "{ ellipsoids = [{ semi_axes = [1, 1, 2] }, { semi_axes = [1, 1, 5], pose = { xyz = [9, 0, 0] } }] }";
    let found = toi(&falling_onto(list));
    assert!(found <= 0.7 && found > 0.7 - 1e-6, "{found}");
}

/// A cover contains its shape, so the touch is never later. With more ellipsoids it is closer to the touch of the shape
/// itself.
#[test]
fn a_cover_is_never_late() {
    for shape in ["box = [2, 2, 2]", "mesh = \"octahedron.obj\"", "cylinder = { radius = 1, length = 2 }"] {
        let own = toi(&falling_onto(&format!("{{ {shape} }}")));
        let covers = [1, 4, 32].map(|n| toi(&falling_onto(&format!("{{ {shape}, cover = {n} }}"))));
        assert!(covers.iter().all(|&early| early <= own), "{shape}: {own} {covers:?}");
        assert!(covers[2] > covers[0] - 1e-9 && own - covers[2] < 0.2, "{shape}: {own} {covers:?}");
    }
}

#[test]
fn what_is_refused() {
    for (shape, says) in [
        ("{ box = [1, 1, 1], cover = 0 }", "cover must be at least 1"),
        ("{ ellipsoids = [] }", "ellipsoids has no pieces"),
        ("{ ellipsoids = [{ semi_axes = [1, 0, 1] }] }", "ellipsoid semi-axis must be positive"),
        ("{ cover = 3 }", "a shape is exactly one of"),
    ] {
        let text = falling_onto(shape);
        let error = parse_scene_bytes(text.as_bytes(), "here.toml").unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// The interpolant moves the centre on a straight line, so a ball on it is a ball on a straight line. From radius 1 to
/// radius 2 the inverse square of the radius goes from 1 to 1/4: it is `1 - 3 t / 4`.
#[test]
fn an_interpolant_of_two_ellipsoids() {
    let against_ball = |motion: &str, x: f64, radius: f64| {
        toi(&format!(
            "[[body]]\nname = \"egg\"\nshape = {{ ellipsoid = [1, 1, 1] }}\nmotion = {{ interpolant = {motion} }}\n\
             [[body]]\nname = \"ball\"\nshape = {{ sphere = {{ radius = {radius} }} }}\npose = {{ xyz = [{x}, 0, 0] }}\n"
        ))
    };
    let passing = against_ball("{ from = { xyz = [-10, 0, 0] }, to = { xyz = [10, 0, 0] } }", 5.0, 1.0);
    assert!(passing <= 0.65 && passing > 0.65 - 1e-6, "{passing}");
    let swelling = against_ball("{ from = {}, to = {}, semi_axes = [2, 2, 2] }", 2.0, 0.4);
    assert!(swelling <= 0.8125 && swelling > 0.8125 - 1e-6, "{swelling}");
    // A thin ellipsoid turns by a quarter. Halfway, its extent along x is that of `B = diag(1, 1/16)` turned half and
    // half, sqrt(32 / 17).
    let text = "[[body]]\nname = \"egg\"\nshape = { ellipsoid = [4, 1, 1] }\n\
                motion = { interpolant = { from = { rpy_deg = [0, 0, 90] }, to = {} } }\n\
                [[body]]\nname = \"wall\"\nshape = { box = [1, 20, 20] }\n";
    let halfway = (32.0_f64 / 17.0).sqrt();
    let turning = toi(&format!("{text}pose = {{ xyz = [{}, 0, 0] }}\n", halfway + 0.5));
    assert!(turning <= 0.5 && turning > 0.5 - 1e-6, "{turning}");
}

/// The ellipsoids around a robot's links contain the links: touches come early, never late.
#[test]
fn a_covered_robot_is_never_late() {
    let touch_with = |cover: &str| {
        toi(&format!(
            "[[body]]\nname = \"arm\"\nrobot = {{ urdf = \"cycle/six_axes.urdf\"{cover} }}\nto = {{ lift = 2 }}\n\
             [[body]]\nname = \"table\"\nshape = {{ box = [4, 4, 0.1] }}\npose = {{ xyz = [0, 0, -0.16] }}\n"
        ))
    };
    let own = touch_with("");
    let covers = [1, 3, 9].map(|n| touch_with(&format!(", cover = {n}")));
    assert!(covers.iter().all(|&early| early <= own), "{own} {covers:?}");
    assert!(covers.iter().all(|early| own - early < 0.1), "{own} {covers:?}");
    let file = "[[body]]\nname = \"arm\"\nrobot = { urdf = \"cycle/six_axes.urdf\", cover = 1 }\n";
    let covered = scene(file);
    let robot = covered.bodies()[0].as_robot().unwrap();
    assert!(robot.links().iter().flat_map(|link| link.parts()).all(|part| part.shape.kind() == "ellipsoid"));
}

#[test]
fn what_goes_with_what() {
    for (body, says) in [
        ("robot = { urdf = \"arm.urdf\", cover = 0 }", "cover must be at least 1"),
        ("robot = { urdf = \"arm.urdf\" }\nadaptive = true", "`adaptive` goes with `path`"),
        (
            "robot = { urdf = \"arm.urdf\" }\npath = \"q.csv\"\ninterpolation = \"spline\"\nadaptive = true",
            "`adaptive` goes with linear interpolation only",
        ),
        (
            "shape = { ellipsoid = [1, 1, 1] }\nmotion = { interpolant = { from = {}, to = {}, semi_axes = [1, 0, 1] } }",
            "ellipsoid semi-axis must be positive",
        ),
    ] {
        let text = format!("[[body]]\nname = \"a\"\n{body}\n");
        let error = parse_scene_bytes(text.as_bytes(), "here.toml").unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
    let box_on_the_way = "[[body]]\nname = \"a\"\nshape = { box = [1, 1, 1] }\nmotion = { interpolant = { from = {}, to = {} } }\n";
    let file = parse_scene_bytes(box_on_the_way.as_bytes(), "here.toml").unwrap();
    let error = build_scene(&file, "here.toml").unwrap_err().to_string();
    assert!(error.contains("an `interpolant` is for ellipsoids only"), "{error}");
}
