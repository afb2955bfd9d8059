//! `firsttouch statement`, and `--certificate` of `check` and `path`.

use std::path::PathBuf;

use firsttouch_verify::verify;

use super::{Run, firsttouch};

/// A file of this test's own.
fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("certificates");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// Runs a command with `--certificate`, and returns the run and the certificate.
fn certified(name: &str, arguments: &[&str]) -> (Run, String) {
    let target = file(name);
    let target = target.to_str().unwrap();
    let run = firsttouch(&[arguments, &["--certificate", target]].concat());
    let text = std::fs::read_to_string(target).unwrap_or_default();
    (run, text)
}

#[test]
fn a_free_scene_has_a_certificate() {
    let (run, text) = certified("free.ftc", &["check", "free.toml", "--json"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let json = run.json();
    assert_eq!(json["certificate"]["free_until"], 1.0);
    assert_eq!(json["certificate"]["bytes"], text.len());
    let verified = verify(text.as_bytes()).unwrap();
    assert_eq!(verified.claim.free_until, 1.0);
    // The scene file entered with its hash, and the statement is what `statement` prints.
    assert!(
        text.lines().next().unwrap().contains("\"sources\":[{\"file\":\"free.toml\",\"sha256\":\""),
        "{text}"
    );
    let statement = firsttouch(&["statement", "free.toml"]);
    assert_eq!(statement.status, 0, "{}", statement.stderr);
    assert!(text.contains(&statement.stdout));
    let json = firsttouch(&["statement", "free.toml", "--json"]).json();
    assert_eq!(json["statement"].as_array().unwrap().len(), statement.stdout.lines().count());
}

#[test]
fn the_time_before_a_touch_has_a_certificate() {
    let (run, text) = certified("touch.ftc", &["check", "touch.toml", "--json"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let toi = run.json()["toi"].as_f64().unwrap();
    let until = verify(text.as_bytes()).unwrap().claim.free_until;
    assert!(until <= toi && until > 0.998 * toi, "{until} of {toi}");
    let shown = certified("touch.ftc", &["check", "touch.toml"]).0;
    assert!(shown.stdout.contains("certificate: "), "{}", shown.stdout);
}

#[test]
fn a_path_has_a_certificate() {
    let way = file("way.csv");
    std::fs::write(&way, "turn,lift\n0,0.1\n1,0.5\n0.2,0.4\n").unwrap();
    let inputs = ["../robots/plain.urdf", way.to_str().unwrap()];
    let (run, text) = certified("path.ftc", &["path", inputs[0], inputs[1], "--json"]);
    assert_eq!(run.status, 0, "{} {}", run.stdout, run.stderr);
    assert_eq!(run.json()["certificate"]["free_until"], 1.0);
    let verified = verify(text.as_bytes()).unwrap();
    assert!(verified.parts > 1 && verified.pairs + verified.unchecked.len() > 0);
    let statement = firsttouch(&["statement", inputs[0], inputs[1]]);
    assert!(statement.status == 0 && text.contains(&statement.stdout), "{}", statement.stderr);
    // A certificate is about one path.
    let (run, text) = certified("paths.ftc", &["path", "../robots/plain.urdf", "../robots/plain.csv"]);
    assert!(run.status == 2 && text.is_empty() && run.stderr.contains("one path"), "{}", run.stderr);
}

#[test]
fn without_a_proof_there_is_no_file() {
    // A certificate of that name from before does not stay.
    std::fs::write(file("none.ftc"), "old").unwrap();
    let (run, text) = certified("none.ftc", &["check", "interpolant.toml"]);
    assert!(run.status == 2 && text.is_empty() && run.stderr.contains("interpolant"), "{}", run.stderr);
    std::fs::write(file("start.ftc"), "old").unwrap();
    let (run, text) = certified("start.ftc", &["check", "start.toml"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("certificate"), "{}", run.stderr);
    assert!(!file("start.ftc").exists() && text.is_empty());
}
