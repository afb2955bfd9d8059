//! The methods on the small files of the repository.

use super::*;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata").join(name)
}

fn compared(files: &Files, only: Option<&str>) -> Comparison {
    let comparison = Input::read(files).unwrap().compare(only).unwrap();
    assert_eq!(comparison.disagreements(), 0, "{comparison}");
    comparison
}

fn of(names: &[&str]) -> Files {
    Files { inputs: names.iter().map(|name| path(name)).collect(), ..Files::default() }
}

fn failure(files: &Files, only: Option<&str>) -> String {
    let failed = Input::read(files).and_then(|input| input.compare(only).map(|_| ()));
    failed.expect_err("it is refused").to_string()
}

/// The octahedron comes down on the box, by both engines at the same time. No pair is of ellipsoids.
#[test]
fn contact_on_a_scene() {
    let comparison = compared(&of(&["scenes/mesh.toml"]), None);
    let [row] = &comparison.rows[..] else { panic!("{comparison}") };
    // On a contact screw the octahedron is at the same heights as on a line, at other times: it touches.
    assert!(matches!(row.paper.outcome, Outcome::Touch(t) if t > 0.0 && t < 1.0), "{comparison}");
    let text = comparison.to_string();
    assert!(text.contains("1 of 1 agree") && text.contains("LEFT OUT: ellipsoids"), "{text}");
    assert!(text.contains("replaced by meshes") && text.contains("contact screw"), "{text}");
}

/// The quarter turn of the egg is rational: the equation and the product agree. The times are those of the algebra.
#[test]
fn ellipsoids_on_scenes() {
    for scene in ["scenes/rational.toml", "scenes/affine.toml"] {
        let comparison = compared(&of(&[scene]), Some("ellipsoids"));
        assert_eq!(comparison.rows.len(), 1, "{comparison}");
        assert!(matches!(comparison.rows[0].paper.outcome, Outcome::Touch(_)), "{comparison}");
        assert!(comparison.rows[0].paper.counts.contains("intervals 1"), "{comparison}");
    }
}

/// Both methods for robots on the robot of a box, a cylinder and a tetrahedron, under a ceiling. Some segments touch,
/// and some are free.
#[test]
fn catch_and_the_assembly_tree_on_a_robot() {
    let mut files = of(&["robots/plain.urdf", "robots/plain.csv"]);
    files.srdf = Some(path("robots/plain.srdf"));
    files.scene = Some(path("scenes/ceiling.toml"));
    let comparison = compared(&files, None);
    for method in ["catch", "adaptive"] {
        let rows = || comparison.rows.iter().filter(|row| row.method == method);
        assert_eq!(rows().count(), 3, "{comparison}");
        assert!(rows().any(|row| row.paper.outcome == Outcome::Free), "{comparison}");
        assert!(rows().any(|row| matches!(row.paper.outcome, Outcome::Touch(_))), "{comparison}");
    }
    assert!(comparison.notes.iter().any(|note| note.contains("solids are replaced")), "{comparison}");
}

/// A loose point falls through a triangle at rest, at a quarter of its way. Local advancement and the product agree.
/// The cubic solver, with which the paper compares, takes the point for an edge without length that touches from the
/// start. That is a disagreement, and it is printed as one.
#[test]
fn local_advancement_on_two_frames() {
    let files = of(&["scenes/falling0.obj", "scenes/falling1.obj"]);
    let comparison = Input::read(&files).unwrap().compare(None).unwrap();
    let [first, all, cubic_first, cubic_all] = &comparison.rows[..] else { panic!("{comparison}") };
    assert!(matches!(first.paper.outcome, Outcome::Touch(t) if (t - 0.25).abs() < 1e-9), "{comparison}");
    assert_eq!(all.paper.outcome, Outcome::Touches(1));
    assert_eq!([&first.agreement, &all.agreement], [&Agreement::Agree; 2], "{comparison}");
    for row in [cubic_first, cubic_all] {
        assert!(
            matches!(&row.agreement, Agreement::Differ(why) if why.contains("proves nothing")),
            "{comparison}"
        );
    }
    assert_eq!(comparison.disagreements(), 2);
    let text = comparison.to_string();
    assert_eq!(text.matches("DISAGREEMENT: local-advancement, cubic solver").count(), 2, "{text}");
}

/// Every refusal says how to proceed.
#[test]
fn refusals_name_the_way_out() {
    let no_waypoints = failure(&of(&["robots/plain.urdf"]), None);
    assert!(no_waypoints.contains("WAYPOINTS.csv"), "{no_waypoints}");
    let other_frames = failure(&of(&["scenes/falling0.obj", "scenes/octahedron.obj"]), None);
    assert!(other_frames.contains("the same vertices, triangles"), "{other_frames}");
    let wrong_kind = failure(&of(&["scenes/mesh.toml"]), Some("catch"));
    assert!(wrong_kind.contains("catch takes a robot with waypoints"), "{wrong_kind}");
    let unknown = failure(&of(&["scenes/mesh.toml"]), Some("ctach"));
    assert!(unknown.contains("the methods are contact, ellipsoids"), "{unknown}");
    let none = failure(&of(&["scenes/mesh.toml"]), Some("ellipsoids"));
    assert!(none.contains("no pair of ellipsoids"), "{none}");
    let nothing = failure(&Files::default(), None);
    assert!(nothing.contains("see --help"), "{nothing}");
}

/// A time that the tolerance does not allow is a disagreement, late and early; a difference within it is not.
#[test]
fn a_disagreement_is_seen() {
    // The gap is 1 - t, so that a tolerance of 0.1 allows 0.9 to 1 for a touch at a separation of 0.
    let options = Options { tolerance: 0.1, ..Options::default() };
    let free_until = |options: &Options| Ok((1.0 - options.touching()).max(0.0));
    let said = |paper: Outcome| judge([paper, Outcome::Touch(0.95)], &options, free_until).unwrap();
    assert_eq!(said(Outcome::Touch(0.92)), Agreement::Agree);
    assert!(matches!(said(Outcome::Touch(0.5)), Agreement::Differ(why) if why.contains("paper")));
    assert_eq!(said(Outcome::Undecided(0.2)), Agreement::Undecided);
    let far = |_: &Options| Ok(0.4);
    let late = judge([Outcome::Free, Outcome::Touch(0.4)], &options, far).unwrap();
    assert!(matches!(late, Agreement::Differ(_)));
}
