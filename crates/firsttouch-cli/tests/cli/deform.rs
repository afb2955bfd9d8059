//! `firsttouch deform`.

use crate::firsttouch;

#[test]
fn a_point_falls_through_a_triangle() {
    let run = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--json"]);
    assert_eq!(run.status, 1, "{}", run.stderr);
    let json = run.json();
    assert_eq!(json["answer"], "touch");
    // z goes from 1 to −3.
    assert!((json["toi"].as_f64().unwrap() - 0.25).abs() < 1e-15);
    assert_eq!(json["free_until"], json["toi"]);
    assert_eq!(json["features"][0], "vertex 3");
    assert_eq!(json["features"][1], "face 0");
    assert_eq!(json["parts"][0], "loose point 0");
    assert_eq!(json["crossings_at_start"], 0);
    assert_eq!(json["stats"]["vf_candidates"], 1);
    assert!(json["seconds"]["build"].as_f64().unwrap() >= 0.0 && json["vf_touching"].is_null());
    let text = firsttouch(&["deform", "falling0.obj", "falling1.obj"]).stdout;
    assert!(text.starts_with("touch at t = 0.25\n") || text.starts_with("touch at t = 0.2499"), "{text}");
}

#[test]
fn modes_starts_and_the_way_back() {
    let all = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--mode", "all", "--json"]).json();
    assert_eq!((&all["vf_touching"], &all["ee_touching"]), (&1.into(), &0.into()));
    // It is below, and stays there.
    let free = firsttouch(&["deform", "falling1.obj", "falling1.obj", "--json"]);
    assert_eq!((free.status, &free.json()["answer"]), (0, &"free".into()));
    let ignore = firsttouch(&["deform", "falling1.obj", "falling0.obj", "--start", "ignore", "--json"]);
    assert_eq!(ignore.status, 1);
    assert!((ignore.json()["toi"].as_f64().unwrap() - 0.75).abs() < 1e-15);
    assert!(ignore.json()["crossings_at_start"].is_null());
    // The left out pairs are named, and counted if all pairs are tested.
    assert_eq!(ignore.json()["left_out"], "pairs of features that touch at time 0, for all time");
    assert!(free.json()["left_out"].is_null() && ignore.json()["ignored_at_start"].is_null());
    let way_back = ["deform", "falling1.obj", "falling0.obj", "--start", "ignore", "--mode", "all"];
    assert_eq!(firsttouch(&[&way_back[..], &["--json"]].concat()).json()["ignored_at_start"], 0);
    let text = firsttouch(&way_back).stdout;
    assert!(text.contains("left out 0 pairs of features that touch at time 0, for all time"), "{text}");
    let near = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--min-separation", "1"]);
    assert!(near.stdout.starts_with("touching at the start"), "{}", near.stdout);
    let any = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--mode", "any"]);
    assert!(any.status == 1 && any.stdout.starts_with("touch at"), "{}", any.stdout);
}

#[test]
fn what_is_not_two_frames_of_one_mesh_is_refused() {
    for (to, complaint) in [
        ("../obj/tetrahedron.obj", "4 triangles, but falling0.obj has 1"),
        ("missing.ply", "missing.ply"),
        ("falling2.obj", "triangle 0 has the vertices [0, 2, 1]"),
    ] {
        let run = firsttouch(&["deform", "falling0.obj", to, "--json"]);
        assert_eq!(run.status, 2, "{}", run.stdout);
        assert!(run.json()["error"].as_str().unwrap().contains(complaint), "{}", run.stdout);
    }
    let bare = firsttouch(&["deform", "bare.obj", "bare.obj"]);
    assert_eq!(bare.status, 2);
    assert!(bare.stderr.contains("bare.obj"), "{}", bare.stderr);
}

/// `--mode all` lists every touching pair, and says if the list is cut short; the counts include all pairs.
#[test]
fn every_touching_pair_is_listed() {
    let all = |more: &[&str]| {
        let run = firsttouch(
            &[&["deform", "falling0.obj", "falling1.obj", "--mode", "all", "--json"], more].concat(),
        );
        assert_eq!(run.status, 1, "{}", run.stderr);
        run.json()
    };
    let full = all(&[]);
    let pairs = full["pairs"].as_array().unwrap();
    assert_eq!(
        pairs.len() as u64,
        full["vf_touching"].as_u64().unwrap() + full["ee_touching"].as_u64().unwrap()
    );
    assert_eq!((&pairs[0]["answer"], &pairs[0]["features"][0]), (&"touch".into(), &"vertex 3".into()));
    assert_eq!((&full["answer"], &full["truncated"]), (&"touch".into(), &false.into()));
    let none = all(&["--max-touches", "0"]);
    assert_eq!((none["pairs"].as_array().unwrap().len(), &none["truncated"]), (0, &true.into()));
    assert_eq!(none["vf_touching"], full["vf_touching"]);
    let first = firsttouch(&["deform", "falling0.obj", "falling1.obj", "--json"]).json();
    assert!(first["pairs"].is_null() && first["truncated"].is_null());
}
