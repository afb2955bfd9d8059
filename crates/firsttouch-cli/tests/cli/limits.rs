//! Limits on time, memory and files; Ctrl-C; untrusted names; written files.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::{Run, command, firsttouch};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli-limits").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn ended(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status.code().expect("the command was not killed"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn started(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub(crate) fn with_input(arguments: &[&str], input: &[u8]) -> Run {
    let mut child = started(arguments);
    child.stdin.take().unwrap().write_all(input).unwrap();
    ended(child)
}

#[test]
fn standard_input() {
    let scene = std::fs::read("../../testdata/scenes/touch.toml").unwrap();
    let from_file = firsttouch(&["check", "touch.toml", "--json"]);
    assert_eq!(with_input(&["check", "-", "--json"], &scene).stdout, from_file.stdout);
    let waypoints = std::fs::read("../../testdata/robots/plain.csv").unwrap();
    let robot = std::fs::read("../../testdata/robots/plain.urdf").unwrap();
    let run = with_input(&["path", "../robots/plain.urdf", "-", "--json"], &waypoints);
    assert_eq!((run.status, &run.json()["segments"]), (0, &json!(3)));
    // The meshes of a robot without a file are searched from the current folder upwards.
    let run = with_input(&["path", "-", "../robots/plain.csv"], &robot);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("<stdin>:") && run.stderr.contains("was not found"), "{}", run.stderr);
    let run = with_input(&["path", "-", "-"], &robot);
    assert!(run.stderr.contains("only one of the files can be standard input"), "{}", run.stderr);
    let run = with_input(&["check", "-", "--json"], b"x = 1\n");
    assert_eq!((&run.json()["file"], &run.json()["line"]), (&json!("<stdin>"), &json!(1)));
}

/// Standard input that never ends keeps the command at work without limit.
#[test]
fn a_time_limit() {
    for arguments in
        [&["check", "-"][..], &["path", "../robots/plain.urdf", "-"], &["path", "-", "../robots/plain.csv"]]
    {
        let mut child = started(&[arguments, &["--timeout", "0.05", "--json"]].concat());
        let kept_open = child.stdin.take();
        let run = ended(child);
        drop(kept_open);
        assert_eq!(run.status, 3, "{}", run.stderr);
        assert_eq!(run.json(), json!({"answer": "undecided", "free_until": 0.0, "stopped": "timeout"}));
    }
    let mut child = started(&["check", "-", "--timeout", "0.05"]);
    let kept_open = child.stdin.take();
    let run = ended(child);
    drop(kept_open);
    assert_eq!(run.stdout, "undecided: free until t = 0, where the work was stopped (timeout)\n");
    // Plenty of time changes nothing.
    assert_eq!(firsttouch(&["check", "touch.toml", "--timeout", "1000"]).status, 1);
    for bad in ["0", "-1", "nan", "soon"] {
        assert_eq!(firsttouch(&["check", "touch.toml", "--timeout", bad]).status, 2);
    }
}

/// Ctrl-C: the current results, exit status 130, and no half-written file.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt() {
    let folder = folder("interrupt");
    let out = folder.to_str().unwrap();
    for arguments in [&["check", "-", "--json"][..], &["demo", "--json", "--out", out]] {
        let mut child = started(arguments);
        let kept_open = child.stdin.take();
        // Without a handler the signal would end it: wait until the system reports one.
        let catches_interrupts = || {
            let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
            let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
            u64::from_str_radix(caught, 16).unwrap() & 2 != 0
        };
        while !catches_interrupts() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let kill = ["-s", "INT", &child.id().to_string()].map(String::from);
        assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
        let run = ended(child);
        drop(kept_open);
        assert_eq!(run.status, 130, "{}", run.stderr);
        assert_eq!(run.json()["stopped"], "interrupted");
    }
    // The scenes that were finished by then are there, each file whole.
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let is_whole = match path.extension().and_then(|extension| extension.to_str()) {
            Some("obj") => firsttouch_io::read_mesh(&path).is_ok(),
            Some("json") => {
                serde_json::from_slice::<serde_json::Value>(&std::fs::read(&path).unwrap()).is_ok()
            }
            _ => false,
        };
        assert!(is_whole, "{} was left behind", path.display());
    }
}

#[test]
fn a_limit_on_memory() {
    let run = firsttouch(&["check", "mesh.toml", "--json", "--max-memory", "500"]);
    assert_eq!(run.status, 2);
    let json = run.json();
    assert_eq!(json["code"], "out_of_memory");
    assert!(json["error"].as_str().unwrap().ends_with("; --max-memory raises it"), "{json}");
    assert_eq!(firsttouch(&["check", "mesh.toml", "--max-memory", "1.5GiB"]).status, 1);
    let run = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--json", "--max-memory", "50"]);
    assert_eq!(run.json()["code"], "out_of_memory");
    assert_eq!(firsttouch(&["check", "mesh.toml", "--max-memory", "much"]).status, 2);
}

/// A robot of 10,000 links has fifty million pairs of links, and a list of them took 12 GB. No list of all pairs is
/// kept, so the robot is checked within a small part of that: the balls all sit in one place and touch at the start.
#[test]
fn a_robot_of_many_links() {
    let folder = folder("links");
    let mut text = String::from("<robot name=\"r\"><link name=\"l0\"/>");
    for i in 1..10_000 {
        text += &format!(
            "<link name=\"l{i}\"><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>\
             <joint name=\"j{i}\" type=\"continuous\"><parent link=\"l0\"/><child link=\"l{i}\"/></joint>\n"
        );
    }
    let urdf = folder.join("r.urdf");
    std::fs::write(&urdf, text + "</robot>").unwrap();
    std::fs::write(folder.join("w.csv"), "j1\n0\n1\n").unwrap();
    let way = folder.join("w.csv");
    let limit = ["--max-memory", "300MB"];
    let run =
        firsttouch(&["path", urdf.to_str().unwrap(), way.to_str().unwrap(), "--json", limit[0], limit[1]]);
    assert_eq!((run.status, &run.json()["paths"][0]["answer"]), (1, &json!("touching_at_start")));
}

/// Balls in one place: all pairs touch.
fn crowd(count: usize) -> String {
    let body = |i: usize| format!("[[body]]\nname = \"b{i}\"\nshape = {{ sphere = {{ radius = 1 }} }}\n");
    (0..count).map(body).collect()
}

/// All pairs that touch used to be collected before the first was printed: 4,000 bodies in one place took more than a
/// gigabyte. Now they are printed as they are found, up to a number that can be raised, and counted beyond it.
#[test]
fn many_pairs() {
    let path = folder("crowd").join("crowd.toml");
    std::fs::write(&path, crowd(150)).unwrap();
    let path = path.to_str().unwrap();
    let pairs = 150 * 149 / 2;
    let run = firsttouch(&["check", path, "--mode", "all", "--json"]);
    let json = run.json();
    assert_eq!((run.status, &json["answer"]), (1, &json!("touching_at_start")));
    assert_eq!((&json["truncated"], &json["pairs_not_free"]), (&json!(false), &json!(pairs)));
    let listed = json["pairs"].as_array().unwrap();
    assert_eq!(listed.len(), pairs);
    assert_eq!((&listed[0]["bodies"], &listed[1]["bodies"]), (&json!(["b0", "b1"]), &json!(["b0", "b2"])));
    let json = firsttouch(&["check", path, "--mode", "all", "--json", "--max-pairs", "7"]).json();
    assert_eq!((&json["truncated"], &json["pairs_not_free"]), (&json!(true), &json!(pairs)));
    assert_eq!(json["pairs"].as_array().unwrap()[..], listed[..7]);
    // Beyond the first 10,000 pairs overlaps used to be left out in silence.
    let without = |from: usize| listed[from..].iter().all(|pair| pair["overlaps"].is_null());
    assert!(without(10_000) && listed[..10_000].iter().all(|pair| pair["overlaps"].is_array()));
    let run = firsttouch(&["check", path, "--mode", "all", "--json", "--max-overlaps", "7"]);
    let json = run.json();
    assert_eq!(json["pairs_without_overlaps"], json!(pairs - 7));
    let short = firsttouch(&["check", path, "--mode", "all", "--json", "--max-pairs", "7"]).json();
    assert!(short["pairs_without_overlaps"].is_null());
    let run = firsttouch(&["check", path, "--mode", "all", "--max-overlaps", "7"]);
    assert!(run.stdout.contains("the overlaps of 9993 of these pairs are left out"), "{}", run.stdout);
    // As text, no more than anyone reads.
    let run = firsttouch(&["check", path, "--mode", "all"]);
    assert!(
        run.stdout.contains(&format!("and {} more, which --json lists", pairs - 10_000)),
        "{}",
        run.stdout
    );
}

/// A query of a deforming mesh continued without limit after its time was over, and the part of its list printed by
/// then was not JSON.
#[test]
fn a_long_deformation_is_stopped() {
    let folder = folder("coincident");
    let paths = ["from.obj", "to.obj"].map(|name| folder.join(name));
    for (path, height) in paths.iter().zip([0, 1]) {
        let triangle = format!("v 0 0 {height}\nv 1 0 {height}\nv 0 1 {height}\nf -3 -2 -1\n");
        std::fs::write(path, triangle.repeat(4000)).unwrap();
    }
    let [from, to] = paths.each_ref().map(|path| path.to_str().unwrap());
    for (start, mode) in [("ignore", "first"), ("ignore", "all"), ("report", "all"), ("report", "first")] {
        let query = ["deform", from, to, "--start", start, "--mode", mode, "--json", "--timeout", "0.2"];
        let run = firsttouch(&query);
        let json = run.json();
        if start == "report" {
            // This result is known after a moment.
            assert_eq!((run.status, &json["answer"]), (1, &json!("touching_at_start")));
        }
        if json["answer"] == "undecided" {
            assert_eq!((run.status, &json["stopped"]), (3, &json!("timeout")));
        }
        assert_eq!(json["pairs"].is_array(), mode == "all");
    }
}

/// A refused allocation used to end the program at once, without any message for another program.
#[cfg(target_os = "linux")]
#[test]
fn refused_memory() {
    let path = folder("refused").join("crowd.toml");
    let body = |i: usize| {
        format!(
            "[[body]]\nname = \"b{i}\"\nshape = {{ box = [1, 1, 1] }}\npose = {{ xyz = [{}, 0, 0] }}\n",
            2 * i
        )
    };
    std::fs::write(&path, (0..100_000).map(body).collect::<String>()).unwrap();
    let limited = |path: &str| {
        let script = "ulimit -v 170000; exec \"$0\" check \"$1\" --json";
        let arguments = ["-c", script, env!("CARGO_BIN_EXE_firsttouch"), path];
        let mut shell = std::process::Command::new("sh");
        shell.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        ended(shell.spawn().unwrap())
    };
    let run = limited(path.to_str().unwrap());
    assert_eq!((run.status, &run.json()["code"]), (2, &json!("out_of_memory")), "{}", run.stderr);
    // With enough memory for the request, nothing is different.
    let small = path.with_file_name("small.toml");
    std::fs::write(&small, crowd(2)).unwrap();
    let small = small.to_str().unwrap();
    assert_eq!(limited(small).stdout, firsttouch(&["check", small, "--json"]).stdout);
}

#[test]
fn a_folder_that_is_not_left() {
    assert_eq!(firsttouch(&["check", "mesh.toml", "--root", "."]).status, 1);
    let run = firsttouch(&["check", "mesh.toml", "--root", "../robots", "--json"]);
    assert_eq!((run.status, &run.json()["code"]), (2, &json!("outside_root")));
    let run = firsttouch(&["deform", "falling0.obj", "../obj/tetrahedron.obj", "--root", ".", "--json"]);
    assert_eq!(
        (&run.json()["code"], &run.json()["file"]),
        (&json!("outside_root"), &json!("../obj/tetrahedron.obj"))
    );
    let run = firsttouch(&["path", "../robots/plain.urdf", "../robots/plain.csv", "--root", "../robots"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert_eq!(firsttouch(&["check", "mesh.toml", "--root", "nowhere"]).status, 2);
}

/// A name with control sequences used to clear the screen, and one with a newline forged a line of the answer.
#[test]
fn names_are_shown_escaped() {
    let path = folder("names").join("names.toml");
    let name = "\\u001b[2J\\nfree: nothing touches in [0, 1]\\n";
    let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nshape = {{ ellipsoid = [1, 1, 1] }}\n");
    std::fs::write(&path, body(name) + &body("b")).unwrap();
    for mode in ["first", "any", "all"] {
        let run = firsttouch(&["check", path.to_str().unwrap(), "--mode", mode]);
        assert_eq!(run.status, 1);
        assert!(!run.stdout.contains('\u{1b}') && !run.stdout.contains("\nfree"), "{}", run.stdout);
        assert!(run.stdout.contains("\\u{1b}[2J\\nfree: nothing"), "{}", run.stdout);
    }
    // A program reads the name as it is.
    let json = firsttouch(&["check", path.to_str().unwrap(), "--json"]).json();
    assert_eq!(json["bodies"][0], "\u{1b}[2J\nfree: nothing touches in [0, 1]\n");
    let run = firsttouch(&["check", "no\u{1b}[2J\nsuch.toml"]);
    assert!(run.stderr.starts_with("error: no\\u{1b}[2J\\nsuch.toml: "), "{}", run.stderr);
}

/// A value that is too large for the robot used to be an error without a file and a line.
#[test]
fn a_waypoint_that_is_too_large() {
    let path = folder("large").join("w.csv");
    for (text, line) in [("turn,lift\n0,0.2\n1e300,0.2\n", 3), ("turn,lift\n1e300,0.2\n0,0.2\n", 2)] {
        std::fs::write(&path, text).unwrap();
        let run = firsttouch(&["path", "../robots/plain.urdf", path.to_str().unwrap(), "--json"]);
        let json = run.json();
        assert_eq!(
            (run.status, &json["line"], &json["file"]),
            (2, &json!(line), &json!(path.to_str().unwrap()))
        );
        assert!(json["error"].as_str().unwrap().ends_with("but is 1e300"), "{json}");
    }
}

#[test]
fn errors_for_programs() {
    for (arguments, code, file, line) in [
        (&["check", "nan.toml"][..], "not_finite", json!("nan.toml"), json!(4)),
        (&["check", "no_such_file.toml"], "not_found", json!("no_such_file.toml"), json!(null)),
        (&["check", "missing_mesh.toml"], "not_found", json!("missing_mesh.toml"), json!(2)),
        (&["check", "/dev/zero"], "not_a_regular_file", json!("/dev/zero"), json!(null)),
        (&["check", "touch.toml", "--tolerance", "0"], "invalid", json!(null), json!(null)),
        (&["check", "touch.toml", "--mode", "some"], "usage", json!(null), json!(null)),
        (&["demo", "nothing"], "invalid", json!(null), json!(null)),
    ] {
        let run = firsttouch(&[arguments, &["--json"]].concat());
        let json = run.json();
        assert_eq!((run.status, &json["code"]), (2, &json!(code)), "{json}");
        assert_eq!((&json["file"], &json["line"]), (&file, &line), "{json}");
    }
}

/// Threads that cannot be started used to be a panic. No system has a stack of 64 TiB to give.
#[cfg(target_os = "linux")]
#[test]
fn no_threads_to_be_had() {
    let path = folder("threads").join("q.csv");
    let set = std::fs::read_to_string("../../testdata/queries/vertex-face/two.csv").unwrap();
    std::fs::write(&path, set.repeat(2_000)).unwrap();
    let without_threads = |arguments: &[&str]| {
        let child = command(arguments)
            .env("RUST_MIN_STACK", (1u64 << 46).to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        ended(child.unwrap())
    };
    let run =
        without_threads(&["queries", path.to_str().unwrap(), "--kind", "vf", "--threads", "256", "--json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert_eq!(run.json()["queries"], 4000);
    let scene = ["check", "many.toml", "--mode", "all", "--json", "--threads", "4"];
    assert_eq!(without_threads(&scene).stdout, firsttouch(&scene).stdout);
}

/// A bad folder used to be noticed after the run, a link was followed, and an existing file was emptied first.
#[cfg(unix)]
#[test]
fn files_that_are_written() {
    let folder = folder("out");
    std::fs::write(folder.join("file"), "no folder").unwrap();
    let bad = folder.join("file/sub");
    let run = firsttouch(&["demo", "--out", bad.to_str().unwrap(), "--json"]);
    assert_eq!((run.status, &run.json()["code"]), (2, &json!("io")));
    let run = firsttouch(&["demo", "--out", folder.join("file").to_str().unwrap(), "--json"]);
    assert_eq!(run.status, 2, "{}", run.stdout);

    let out = folder.join("shown");
    std::fs::create_dir_all(&out).unwrap();
    let elsewhere = folder.join("elsewhere.txt");
    std::fs::write(&elsewhere, "untouched").unwrap();
    std::os::unix::fs::symlink(&elsewhere, out.join("near_miss.json")).unwrap();
    // Several processes at once: the last one wins, and every file is whole.
    let runs: Vec<Child> =
        (0..3).map(|_| started(&["demo", "near_miss", "--out", out.to_str().unwrap()])).collect();
    assert!(runs.into_iter().all(|run| ended(run).status == 0));
    assert_eq!(std::fs::read_to_string(&elsewhere).unwrap(), "untouched");
    let answer = std::fs::read_to_string(out.join("near_miss.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&answer).unwrap()["answer"], "free");
    assert!(firsttouch_io::read_mesh(&out.join("near_miss.obj")).is_ok());
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 2);
}
