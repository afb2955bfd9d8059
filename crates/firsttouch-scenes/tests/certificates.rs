//! Certificates, from the scene to both verifiers, and the verdict of the verifiers on files that someone has changed.

#[path = "certificates/oracle.rs"]
mod oracle;
#[path = "certificates/python.rs"]
mod python;
#[path = "certificates/tamper.rs"]
mod tamper;

use std::sync::Arc;

use firsttouch::motion::{By, Leg, Motion, Path as MotionPath, Pose, Spline};
use firsttouch::shape::{Cone, Cuboid, Cylinder, Ellipsoid, HalfSpace, Hull, Mesh, Shape, SolidMesh, Sphere};
use firsttouch::{Answer, Body, Options, Scene};
use firsttouch_verify::{Refusal, Verified, verify};
use glam::{DQuat, DVec3, dvec3};

/// Returns the file of a certificate that both verifiers accept.
fn certified(scene: &Scene, options: &Options) -> (String, Verified) {
    let certificate = scene.certify(options).unwrap();
    let mut file = String::new();
    certificate.write(&[], &mut file).unwrap();
    let verified = verify(file.as_bytes()).unwrap();
    assert_eq!(verified.claim.free_until, certificate.free_until());
    assert_eq!(verified.nodes, certificate.nodes());
    assert!(file.contains(&certificate.statement().to_string()));
    (file, verified)
}

/// Demo scenes whose certificates take seconds. Those of the others are in docs/certificates.md.
const QUICK: [&str; 15] = [
    "tumbling_boxes",
    "manipulation",
    "bouncing",
    "capsule_sweep",
    "near_miss",
    "box_pile",
    "door",
    "work_cycle",
    "exercise",
    "pendulum",
    "wooden_men",
    "example_1",
    "example_2",
    "boxers",
    "arm",
];

#[test]
fn demo_scenes_have_certificates() {
    let mut files = Vec::new();
    for name in QUICK {
        let scene = firsttouch_scenes::named(name).unwrap().build().unwrap();
        let options = Options::default();
        let until = scene.check(&options).unwrap().answer.free_until(1.0);
        let (file, verified) = certified(&scene, &options);
        assert!(
            verified.claim.free_until >= until * 0.998,
            "{name}: {} of {until}",
            verified.claim.free_until
        );
        assert!(verified.pairs > 0, "{name}");
        files.push(file);
    }
    if let Some(answers) = python::verified(&files) {
        assert!(answers.iter().all(|status| *status == 0), "{answers:?}");
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(dvec3(x, y, z)).unwrap()
}

fn turned(x: f64, y: f64, z: f64, q: [f64; 4]) -> Pose {
    Pose::new(dvec3(x, y, z), DQuat::from_xyzw(q[1], q[2], q[3], q[0])).unwrap()
}

/// A tetrahedron as a mesh.
fn mesh() -> Mesh {
    let vertices =
        vec![dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0), dvec3(0.0, 1.0, 0.0), dvec3(0.0, 0.0, 1.0)];
    Mesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

/// All kinds of shapes and motions, close to each other and free.
fn cabinet() -> Scene {
    let mut scene = Scene::default();
    let mut add =
        |name: &str, shape: Shape, motion: Motion| scene.add(Body::new(name, shape, motion)).unwrap();
    add("floor", HalfSpace::new(DVec3::Z, -1.2).unwrap().into(), Motion::AT_REST);
    let half_turn = turned(2.0, 0.3, 0.2, [0.3, 0.5, -0.2, 0.7]);
    add(
        "box",
        Cuboid::new(dvec3(1.0, 0.6, 0.8)).unwrap().into(),
        Motion::linear(at(-1.0, 0.0, 0.0), half_turn),
    );
    add(
        "ball",
        Sphere::new(0.4).unwrap().into(),
        Motion::screw(at(-1.0, 1.6, 0.0), turned(2.0, 1.9, 0.0, [1.0, 0.0, 0.4, 0.0])),
    );
    let spin = Motion::turn(at(0.0, -1.5, 0.0), DVec3::Z, dvec3(0.2, -1.6, 0.0), 5.0).unwrap();
    add("can", Cylinder::new(0.3, 0.9).unwrap().into(), spin);
    add(
        "hat",
        Cone::new(0.4, 0.8).unwrap().into(),
        Motion::linear(at(0.0, 0.0, 1.7), turned(1.0, 0.0, 1.6, [1.0, 1.0, 0.0, 0.0])),
    );
    add("egg", Ellipsoid::new(dvec3(0.5, 0.3, 0.2)).unwrap().into(), Motion::fixed(at(3.6, 0.0, 0.0)));
    let points: Vec<DVec3> = mesh().vertices().iter().map(|v| *v * 0.7).collect();
    add("hull", Hull::new(&points).unwrap().into(), Motion::fixed(at(-2.6, 0.0, 0.0)));
    add("mesh", mesh().into(), Motion::linear(at(3.0, 1.0, 0.0), at(3.0, 2.0, 0.5)));
    add(
        "solid",
        SolidMesh::new(mesh()).unwrap().into(),
        Motion::linear(at(-2.4, -1.8, 0.0), at(-2.4, -1.1, 0.0)),
    );
    scene
}

#[test]
fn all_kinds_have_certificates() {
    for min_separation in [0.0, 0.01] {
        let options = Options { min_separation, ..Options::default() };
        assert_eq!(cabinet().check(&options).unwrap().answer, Answer::Free);
        let (file, verified) = certified(&cabinet(), &options);
        assert_eq!((verified.parts, verified.pairs, verified.claim.separation), (9, 36, min_separation));
        if let Some(answers) = python::verified(&[file]) {
            assert_eq!(answers, [0]);
        }
    }
}

/// A cube drops into an open frame, where no plane parts it from the frame as a whole. It starts above.
#[test]
fn solids_without_a_plane_are_proven_by_their_surfaces() {
    let board = |low: DVec3, high: DVec3, vertices: &mut Vec<DVec3>, triangles: &mut Vec<[u32; 3]>| {
        let first = vertices.len() as u32;
        vertices.extend((0..8).map(|k: u32| {
            let pick = |bit: u32, axis: usize| if k >> bit & 1 == 0 { low[axis] } else { high[axis] };
            dvec3(pick(0, 0), pick(1, 1), pick(2, 2))
        }));
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        for [a, b, c, d] in sides {
            triangles.extend([[first + a, first + b, first + c], [first + a, first + c, first + d]]);
        }
    };
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for side in [-1.0, 1.0] {
        let (low, high) = (dvec3(2.0 * side - 0.5, -2.5, -1.0), dvec3(2.0 * side + 0.5, 2.5, 1.0));
        board(low, high, &mut vertices, &mut triangles);
    }
    let frame = SolidMesh::new(Mesh::new(vertices, triangles).unwrap()).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::new("frame", frame, Motion::AT_REST)).unwrap();
    let cube = Cuboid::new(DVec3::ONE).unwrap();
    scene.add(Body::new("cube", cube, Motion::linear(at(0.0, 0.0, 3.0), at(0.2, 0.1, 0.0)))).unwrap();
    let (file, verified) = certified(&scene, &Options::default());
    assert_eq!(verified.pairs, 1);
    assert!(file.contains("split_"), "the frame is divided");
    // A body that is inside all the time is refused: by the certifier, and by the verifiers if someone leaves the
    // beginning out.
    scene.set_motion("cube", Motion::linear(at(0.0, 0.0, 0.1), at(0.2, 0.1, 0.0))).unwrap();
    let error = scene.certify(&Options::default()).unwrap_err().to_string();
    assert!(error.contains("cube") && error.contains("inside"), "{error}");
    let without_whole = file.replace("\"solid\":true", "\"solid\":false");
    assert!(verify(without_whole.as_bytes()).is_ok(), "as a surface it is free too");
}

#[test]
fn what_has_no_certificate_is_named() {
    let ball = || Sphere::new(1.0).unwrap();
    let mut scene = Scene::default();
    scene.add(Body::new("here", ball(), Motion::AT_REST)).unwrap();
    scene.add(Body::new("there", ball(), Motion::fixed(at(1.5, 0.0, 0.0)))).unwrap();
    let error = scene.certify(&Options::default()).unwrap_err().to_string();
    assert!(error.contains("at the start"), "{error}");
    // A pass at a distance that rounding hides: the check finds a touch within its tolerance, and asked beyond it
    // there is no proof.
    scene.set_motion("there", Motion::linear(at(-5.0, 2.0, 0.0), at(5.0, 2.0, 0.0))).unwrap();
    let error = scene.certify_until(1.0, &Options::default()).unwrap_err().to_string();
    assert!(error.contains("\"here\"") && error.contains("\"there\"") && error.contains("touch"), "{error}");
    // A spline that turns has no closed form in the file.
    let poses = [(0.0, at(9.0, 0.0, 0.0)), (1.0, turned(9.0, 3.0, 0.0, [1.0, 0.2, 0.0, 0.0]))];
    scene.set_motion("there", Motion::Spline(Arc::new(Spline::new(&poses).unwrap()))).unwrap();
    let error = scene.certify(&Options::default()).unwrap_err().to_string();
    assert!(error.contains("there") && error.contains("spline"), "{error}");
}

/// The motions that are not in the cabinet, each beside something that it nearly touches.
#[test]
fn all_motions_have_certificates() {
    let far = turned(3.0, 0.4, 0.1, [0.6, 0.1, 0.2, 0.5]);
    let line: Vec<(f64, Pose)> =
        (0..4).map(|k| (f64::from(k), at(f64::from(k), f64::from(k % 2), 0.0))).collect();
    let legs = [
        Leg { until: 1.0, by: By::Screw(turned(1.0, 0.5, 0.0, [1.0, 0.0, 0.5, 0.0])) },
        Leg { until: 2.0, by: By::Turn { axis: DVec3::Z, point: DVec3::ZERO, angle: 2.5 } },
        Leg { until: 2.5, by: By::Hold },
    ];
    let door = Motion::turn(at(0.0, 0.0, 0.0), DVec3::Z, DVec3::ZERO, 1.5).unwrap();
    let motions = [
        Motion::contact_screw(at(-1.0, 0.0, 0.0), far),
        Motion::contact_screw(at(-1.0, 0.0, 0.0), turned(3.0, 0.4, 1.0, [-0.1, 0.1, 0.2, 0.9])),
        Motion::contact_screw(at(-1.0, 0.0, 0.0), at(2.0, 0.0, 0.0)),
        Motion::Spline(Arc::new(Spline::new(&line).unwrap())),
        Motion::Path(Arc::new(MotionPath::new(at(0.0, 0.0, 0.0), &legs, 3.0).unwrap())),
        Motion::linear(at(1.0, 0.0, 0.0), far).within(&door),
        Motion::rational(at(-1.0, 0.0, 0.0), far),
    ];
    let mut files = Vec::new();
    for (k, motion) in motions.into_iter().enumerate() {
        let mut scene = Scene::default();
        scene.add(Body::new("moving", Cuboid::new(dvec3(0.5, 0.4, 0.3)).unwrap(), motion)).unwrap();
        for (j, y) in [-4.0, 4.0].into_iter().enumerate() {
            scene
                .add(Body::new(
                    format!("wall {j}"),
                    Cuboid::new(dvec3(20.0, 1.0, 5.0)).unwrap(),
                    Motion::fixed(at(0.0, y, 0.0)),
                ))
                .unwrap();
        }
        assert_eq!(scene.check(&Options::default()).unwrap().answer, Answer::Free, "motion {k}");
        let (file, verified) = certified(&scene, &Options::default());
        assert_eq!(verified.pairs, 3);
        // Half of the walls' distance is not the claim.
        assert!(verify(file.replace("\"separation\":0}", "\"separation\":4}").as_bytes()).is_err());
        files.push(file);
    }
    if let Some(answers) = python::verified(&files) {
        assert!(answers.iter().all(|status| *status == 0), "{answers:?}");
    }
}

#[test]
fn hostile_files_are_unreadable() {
    let (file, _) = certified(&cabinet(), &Options::default());
    let first = file.lines().next().unwrap();
    let with = |old: &str, new: &str| file.replacen(old, new, 1);
    let deep = format!("{}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    let files: Vec<String> = vec![
        String::new(),
        "\n".into(),
        "{}\n".into(),
        deep.clone(),
        format!("{first}\n{deep}"),
        with("\"sphere\":0.4", "\"sphere\":NaN"),
        with("\"sphere\":0.4", "\"sphere\":Infinity"),
        with("\"sphere\":0.4", "\"sphere\":1e999"),
        with("\"sphere\":0.4", "\"sphere\":0.4,\"sphere\":0.3"),
        with("\"sphere\":0.4", "\"sphere\":0.4,\"color\":3"),
        with("\"sphere\":0.4", "\"sphere\":.4"),
        with("\"sphere\":0.4", "\"sphere\":0.4}{"),
        with("\"sphere\":0.4", "\"sphere\":-0.4"),
        with("\"name\":\"\"", "\"name\":\"\\ud800\""),
        with("\"part\":0", "\"part\":0.0"),
        with("\"version\":1", "\"version\":2"),
        file.trim_end().into(),
        file[..file.len() / 2].into(),
        file.clone() + &file,
        format!("{}{}", "9".repeat(1 << 20), "\n"),
    ];
    let unreadable = |file: &String| matches!(verify(file.as_bytes()), Err(Refusal::Unreadable(..)));
    for (k, file) in files.iter().enumerate() {
        assert!(unreadable(file), "file {k}: {:?}", verify(file.as_bytes()));
    }
    if let Some(answers) = python::verified(&files) {
        assert!(answers.iter().all(|status| *status == 2), "{answers:?}");
    }
}
