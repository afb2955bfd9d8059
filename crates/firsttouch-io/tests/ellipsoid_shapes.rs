//! Bodies made of ellipsoids: listed one by one, and as a cover of another shape.

use std::path::Path;

use firsttouch::{Answer, Options, Scene};
use firsttouch_io::{build_scene, parse_scene_bytes};

fn scene(text: &str) -> Scene {
    // Beside the test scenes, which have a mesh.
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

/// A ball of radius 1 falls from z = 10 to z = 0 onto a shape at rest.
fn falling_onto(shape: &str) -> String {
    format!(
        "[[body]]\nname = \"ball\"\nshape = {{ sphere = {{ radius = 1 }} }}\n\
         motion = {{ linear = {{ from = {{ xyz = [0, 0, 10] }}, to = {{ xyz = [0, 0, 0] }} }} }}\n\
         [[body]]\nname = \"below\"\nshape = {shape}\n"
    )
}

/// Two ellipsoids side by side: the ball falls onto the one whose top is at z = 2, so that they touch when its centre is at z = 3.
#[test]
fn several_ellipsoids_as_one_body() {
    let list =
        "{ ellipsoids = [{ semi_axes = [1, 1, 2] }, { semi_axes = [1, 1, 5], pose = { xyz = [9, 0, 0] } }] }";
    let found = toi(&falling_onto(list));
    assert!(found <= 0.7 && found > 0.7 - 1e-6, "{found}");
}

/// A cover contains its shape: the touch is never later. With more ellipsoids it is closer to the shape's own.
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
