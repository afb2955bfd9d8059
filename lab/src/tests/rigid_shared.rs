//! The shared scenes of two bunnies, both moving and turning, against their reference answers. Without the data the
//! test says so; `rigid_meshes` of the core asserts the same of generated meshes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use firsttouch::motion::{Motion, Pose, RigidMotion};
use firsttouch::shape::{HalfSpace, Mesh, Shape};
use firsttouch::{Answer, Body, Options, Scene};
use glam::{DQuat, DVec3};

/// For every scene the answer is the reference's. A touch is never after the instant at which the surfaces are known to
/// cross. It is before the instant up to which they are known to be free by at most the time that the tolerance takes
/// at the speed of the approach. The gap is within the tolerance.
#[test]
fn bunnies_against_reference_answers() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let Ok(entries) = std::fs::read_dir(data.join("rigid")) else {
        return skipped("bunnies_against_reference_answers");
    };
    let mut scenes: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    scenes.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    scenes.sort();
    let (mut free, mut touching) = (0, 0);
    for path in scenes {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let reference =
            std::fs::read_to_string(data.join("truth/rigid").join(format!("{name}.json"))).unwrap();
        let number = |field: &str| value(&reference, field).parse::<f64>().unwrap();
        let scene = firsttouch_io::build_scene(&firsttouch_io::read_scene(&path).unwrap(), &path).unwrap();
        let options = Options::default();
        match (scene.check(&options).unwrap().answer, value(&reference, "answer")) {
            (Answer::Free, "free") => free += 1,
            (Answer::Touch(touch), "touch") => {
                touching += 1;
                let (lower, upper) = (number("toi_lower"), number("toi_upper"));
                assert!(touch.toi <= upper, "{name}: {} is after {upper}", touch.toi);
                // A gap of 1e-6 closes in less than 1e-5 unless the approach is slower than 0.1; none of these is.
                assert!(touch.toi >= lower - 1e-5, "{name}: {} is long before {lower}", touch.toi);
                assert!(touch.gap <= options.tolerance, "{name}: gap {}", touch.gap);
            }
            (answer, expected) => panic!("{name}: {answer:?} instead of {expected}"),
        }
    }
    assert!(free > 0 && touching > 0, "{free} free and {touching} touching scenes show too little");
}

/// A bunny falls on a floor, upright and lying on each side. Contacts at the touch are all its vertices within the
/// tolerance of the floor, counted one by one.
#[test]
fn a_bunny_on_a_plane() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data/rigid/bunny7k.obj");
    let Ok(mesh) = firsttouch_io::read_mesh(&file) else { return skipped("a_bunny_on_a_plane") };
    let used: BTreeSet<u32> = mesh.triangles.iter().flatten().copied().collect();
    let size = mesh.positions.iter().map(|v| v.length()).fold(0.0, f64::max);
    let bunny: Shape = Mesh::new(mesh.positions.clone(), mesh.triangles.clone()).unwrap().into();
    let floor = HalfSpace::new(DVec3::Z, 0.0).unwrap();
    let mut all = 0;
    for (k, turn) in [0.0, 0.25, 0.5, 0.75, 0.1].into_iter().enumerate() {
        let turn = DQuat::from_rotation_x(turn * std::f64::consts::TAU);
        let at = |z: f64| Pose::new(DVec3::Z * z, turn).unwrap();
        let motion = Motion::linear(at(3.0 * size), at(0.0));
        let mut scene = Scene::default();
        scene.add(Body::new("bunny", bunny.clone(), motion.clone())).unwrap();
        scene.add(Body::new("floor", floor, Motion::AT_REST)).unwrap();
        // Wide enough for a few dozen vertices.
        let options = Options { tolerance: 0.01 * size, ..Options::default() };
        let toi = scene.check(&options).unwrap().answer.touch().expect("it falls onto the floor").toi;
        let pose = motion.pose_at(toi);
        let heights: Vec<f64> = used.iter().map(|&i| pose.apply(mesh.positions[i as usize]).z).collect();
        let expected = heights.iter().filter(|&&z| z <= options.tolerance).count();
        assert!(
            heights.iter().all(|z| (z - options.tolerance).abs() > 1e-12 * size),
            "{k}: too close to tell"
        );
        let contacts = scene.contacts(toi, &options).unwrap();
        assert_eq!(contacts.len(), expected, "{k}");
        for contact in &contacts {
            let [a, b] = contact.points;
            let z = a.z.max(b.z);
            assert!(heights.iter().any(|height| (height - z).abs() < 1e-9 * size), "{k}: {contact:?}");
            assert!((contact.gap - z.max(0.0)).abs() < 1e-9 * size, "{k}: {contact:?}");
        }
        all += expected;
    }
    assert!(all > 20, "{all} contacts show too little");
}

/// Returns the value of a field of a JSON object without nesting.
fn value<'a>(json: &'a str, field: &str) -> &'a str {
    let after = json.split_once(&format!("\"{field}\":")).expect("the field is there").1;
    after.split([',', '\n', '}']).next().unwrap().trim().trim_matches('"')
}

/// Says on standard error that a test had nothing to test. Unlike `println!`, it is seen without any option.
fn skipped(test: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "SKIPPED {test}: there is no ../shared/data beside the checkout");
}
