//! Files with oversized contents, and files that are not regular files: the error comes early.

use std::path::{Path, PathBuf};

use firsttouch_io::{Files, build_scene, parse_scene, parse_urdf, read_mesh, read_scene, save};

/// Returns a new folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("limits").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn grid(n: usize) -> String {
    let mut text = String::new();
    for i in 0..n * n {
        text += &format!("v {} {} 0\n", i / n, i % n);
    }
    for i in 0..(n - 1) * n - 1 {
        text += &format!("f {} {} {}\n", i + 1, i + 2, i + n + 1);
    }
    text
}

/// glTF with a mesh of 1,000 points that `nodes` nodes show, in `buffers` buffers that all are one file.
fn gltf(nodes: usize, buffers: usize, uri: &str) -> String {
    let list: Vec<String> = (0..nodes).map(|i| i.to_string()).collect();
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[{}]}}],"nodes":[{}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":5}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":1000,"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":12000}}],
        "buffers":[{}]}}"#,
        list.join(","),
        vec![r#"{"mesh":0}"#; nodes].join(","),
        vec![format!(r#"{{"byteLength":12000,"uri":"{uri}"}}"#); buffers].join(",")
    )
}

/// 137 kB of JSON described 4 GB: a mesh shown by many nodes, and a file named by many buffers, which was loaded every
/// time.
#[test]
fn instances_and_buffers_of_gltf() {
    let folder = folder("gltf");
    std::fs::write(folder.join("b.bin"), vec![0; 1 << 20]).unwrap();
    let path = folder.join("many.gltf");
    std::fs::write(&path, gltf(1, 4000, "b.bin")).unwrap();
    // One file of a megabyte, not 4,000 of them.
    let files = Files::default().with_max_memory(4_000_000);
    assert_eq!(files.read_mesh(&path).unwrap().positions.len(), 1000);
    std::fs::write(&path, gltf(2000, 1, "b.bin")).unwrap();
    let error = Files::default().with_max_memory(10_000_000).read_mesh(&path).unwrap_err();
    assert_eq!(error.code(), "out_of_memory");
    assert!(error.to_string().contains("the mesh with all its instances needs more memory"), "{error}");
    assert_eq!(read_mesh(&path).unwrap().positions.len(), 2_000_000);
}

/// `%2F` is a slash, and `..` leaves the folder: both used to pass the check for an absolute path.
#[test]
fn buffers_outside_the_folder_of_gltf() {
    let folder = folder("outside/inside");
    std::fs::write(folder.join("../secret.bin"), vec![0; 12000]).unwrap();
    std::fs::write(folder.join("own file.bin"), vec![0; 12000]).unwrap();
    let path = folder.join("a.gltf");
    let outside = folder.join("../secret.bin").display().to_string().replace('/', "%2f");
    for uri in [
        "../secret.bin",
        "%2e%2e/secret.bin",
        "..%2Fsecret.bin",
        "x/../../secret.bin",
        "\\\\\\\\host\\\\a.bin",
        &outside,
    ] {
        std::fs::write(&path, gltf(1, 1, uri)).unwrap();
        let error = read_mesh(&path).unwrap_err();
        assert_eq!(error.code(), "unsupported", "{uri}");
        assert!(error.to_string().contains("a buffer outside the folder"), "{error}");
    }
    for uri in ["own%20file.bin", "./own file.bin"] {
        std::fs::write(&path, gltf(1, 1, uri)).unwrap();
        assert!(read_mesh(&path).is_ok(), "{uri}");
    }
}

/// A scene that names one mesh file 400 times used to load it 400 times.
#[test]
fn a_mesh_file_is_loaded_once() {
    let folder = folder("once");
    std::fs::write(folder.join("grid.obj"), grid(40)).unwrap();
    let bodies = |count: usize| -> String {
        let body = |i: usize| {
            format!(
                "[[body]]\nname = \"{i}\"\nshape = {{ mesh = \"./grid.obj\" }}\npose = {{ xyz = [0, 0, {i}] }}\n"
            )
        };
        (0..count).map(body).collect()
    };
    let path = folder.join("scene.toml");
    // Enough for two of them, and for 400 that are the same.
    let build = |text: &str, bytes: u64| {
        Files::default().with_max_memory(bytes).build_scene(&parse_scene(text, &path).unwrap(), &path)
    };
    assert_eq!(build(&bodies(400), 2_500_000).unwrap().0.bodies().len(), 400);
    // Other scales are other meshes.
    let scaled = bodies(1)
        + &bodies(400)
            .replace("\"./grid.obj\"", "\"grid.obj\", scale = 2")
            .replace("name = \"", "name = \"x");
    assert!(build(&scaled, 2_500_000).is_ok());
    let thrice = scaled
        + &bodies(1).replace("\"./grid.obj\"", "\"grid.obj\", scale = 3").replace("name = \"", "name = \"y");
    let error = build(&thrice, 2_500_000).unwrap_err();
    assert_eq!((error.code(), error.line()), ("out_of_memory", Some(1606)), "{error}");
}

/// The line of every value was found by counting newlines from the start: 20,000 bodies took 33 s. A regression would
/// raise the time of this test from an instant to minutes.
#[test]
fn many_bodies_and_many_keys() {
    let body = |i: usize| format!("[[body]]\nname = \"b{i}\"\nshape = {{ sphere = {{ radius = 1 }} }}\n");
    let scene = parse_scene(&(0..50_000).map(body).collect::<String>(), "s.toml").unwrap();
    assert_eq!((scene.bodies.len(), scene.bodies[49_999].line), (50_000, 149_999));
    assert_eq!(build_scene(&scene, "s.toml").unwrap().bodies().len(), 50_000);
    let keys: String = (0..50_000).map(|i| format!("j{i} = 0\n")).collect();
    let text =
        format!("[[body]]\nname = \"arm\"\nrobot = {{ urdf = \"a.urdf\" }}\n[body.from]\n{keys}last = inf\n");
    let error = parse_scene(&text, "s.toml").unwrap_err();
    assert_eq!(error.line(), Some(50_005), "{error}");
}

/// Each joint used to follow its chain to the end and to search the list for every joint of the chain.
#[test]
fn long_chains_of_mimics() {
    let n = 4000;
    let mut text = String::from(
        "<robot name=\"r\"><link name=\"l0\"><collision><geometry><sphere radius=\"1\"/></geometry></collision></link>",
    );
    for i in 1..n {
        let mimic = if i == 1 {
            String::new()
        } else {
            format!("<mimic joint=\"j{}\" multiplier=\"-1\" offset=\"1\"/>", i - 1)
        };
        text += &format!(
            "<link name=\"l{i}\"/><joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{}\"/><child link=\"l{i}\"/>{mimic}</joint>\n",
            i - 1
        );
    }
    text += "</robot>";
    let build = |text: &str| {
        let file = parse_urdf(text.as_bytes(), "r.urdf").unwrap();
        let meshes = firsttouch_io::read_robot_meshes(&file).unwrap();
        firsttouch_io::build_robot(&file, &meshes, &firsttouch_io::SrdfFile::default())
    };
    // All of them follow the first.
    assert_eq!(build(&text).unwrap().variables().len(), 1);
    let error = build(&text.replace("\"-1\"", "\"10\"")).unwrap_err();
    assert!(error.to_string().contains("too large together"), "{error}");
    assert!(error.line().is_some());
}

/// A polynomial of a degree in the thousands used to take forever.
#[test]
fn polynomials_of_high_degree() {
    let text = |n: usize| {
        let weight = vec!["1"; n].join(", ");
        format!(
            "[[body]]\nname = \"a\"\nshape = {{ box = [1, 1, 1] }}\nmotion = {{ rational = {{ weight = [{weight}] }} }}\n"
        )
    };
    assert!(parse_scene(&text(33), "s.toml").is_ok());
    let error = parse_scene(&text(34), "s.toml").unwrap_err();
    assert_eq!(error.to_string(), "s.toml:4: weight has 34 coefficients, but at most 33 are allowed");
}

/// The parser reports that a text is nested too deeply, but not where.
#[test]
fn nesting_has_a_line() {
    let text = format!("tolerance = 1\n\n\nallow = {}{}\n", "[".repeat(500), "]".repeat(500));
    assert_eq!(parse_scene(&text, "s.toml").unwrap_err().line(), Some(4));
}

#[test]
fn numbers_and_names_in_messages() {
    let text = "[[body]]\nname = \"a\"\nshape = { sphere = { radius = -1e300 } }\n";
    assert_eq!(
        parse_scene(text, "s.toml").unwrap_err().to_string(),
        "s.toml:3: sphere radius must be positive, but is -1e300"
    );
    let name = "\\u001b[2J\\nfree: nothing touches\\u202e";
    let body = format!("[[body]]\nname = \"{name}\"\nshape = {{ box = [1, 1, 1] }}\n");
    let error = parse_scene(&body.repeat(2), "s.toml").unwrap_err().to_string();
    assert!(error.contains("\\u{1b}[2J\\nfree: nothing touches\\u{202e}"), "{error}");
    let error = read_mesh(Path::new("no\nsuch\x1b.obj")).unwrap_err().to_string();
    assert!(error.starts_with("no\\nsuch\\u{1b}.obj: "), "{error}");
}

/// A file whose writing failed is empty, and no motion touches it.
#[test]
fn a_scene_without_bodies() {
    let error = build_scene(&parse_scene("tolerance = 1e-3\n", "s.toml").unwrap(), "s.toml").unwrap_err();
    assert_eq!((error.to_string().as_str(), error.code()), ("s.toml: there are no bodies", "empty"));
}

/// The reader used to wait for a pipe without end, and to read a device up to four gigabytes.
#[cfg(unix)]
#[test]
fn what_is_not_a_regular_file() {
    let folder = folder("special");
    for (path, what) in [("/dev/zero", "a device"), ("/dev/null", "a device")] {
        let error = read_scene(Path::new(path)).unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: not a regular file: {what}"));
        assert_eq!(error.code(), "not_a_regular_file");
    }
    let pipe = folder.join("pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(read_scene(&pipe).unwrap_err().code(), "not_a_regular_file");
    assert_eq!(read_scene(&folder).unwrap_err().code(), "io");
    assert_eq!(save(&pipe, |_| Ok(())).unwrap_err().code(), "not_a_regular_file");
}

/// All files that a scene names, and all files that these name in turn, lie in the folder or are refused.
#[cfg(unix)]
#[test]
fn reading_is_kept_to_a_folder() {
    let outside = folder("root");
    let inside = outside.join("inside");
    std::fs::create_dir_all(inside.join("sub")).unwrap();
    std::fs::write(outside.join("grid.obj"), grid(3)).unwrap();
    std::fs::write(inside.join("own.obj"), grid(3)).unwrap();
    std::os::unix::fs::symlink(outside.join("grid.obj"), inside.join("link.obj")).unwrap();
    std::os::unix::fs::symlink(inside.join("own.obj"), inside.join("sub/link.obj")).unwrap();
    let robot = |mesh: &str| {
        format!(
            "<robot name=\"r\"><link name=\"l\"><collision><geometry><mesh filename=\"{mesh}\"/></geometry></collision></link></robot>"
        )
    };
    let far = outside.join("grid.obj").display().to_string();
    for (mesh, allowed) in [
        ("own.obj", true),
        ("sub/../own.obj", true),
        ("sub/link.obj", true),
        ("link.obj", false),
        ("../grid.obj", false),
        ("sub/../../inside/own.obj", true),
        (&far, false),
        ("/dev/null", false),
    ] {
        let files = || Files::default().within(&inside).unwrap();
        assert_eq!(files().read_mesh(&inside.join(mesh)).is_ok(), allowed, "{mesh}");
        let text = format!("[[body]]\nname = \"a\"\nshape = {{ mesh = \"{mesh}\" }}\n");
        std::fs::write(inside.join("scene.toml"), &text).unwrap();
        let scene = files().read_scene(&inside.join("scene.toml")).unwrap();
        assert_eq!(files().build_scene(&scene, inside.join("scene.toml")).is_ok(), allowed, "{mesh}");
        std::fs::write(inside.join("r.urdf"), robot(mesh)).unwrap();
        assert_eq!(files().read_robot(&inside.join("r.urdf"), None).is_ok(), allowed, "{mesh}");
    }
    // The search for `grid.obj` goes up to the folder and not beyond.
    std::fs::write(inside.join("sub/r.urdf"), robot("package://p/own.obj")).unwrap();
    assert!(Files::default().within(&inside).unwrap().read_robot(&inside.join("sub/r.urdf"), None).is_ok());
    std::fs::write(inside.join("sub/r.urdf"), robot("package://p/grid.obj")).unwrap();
    assert!(Files::default().within(&inside).unwrap().read_robot(&inside.join("sub/r.urdf"), None).is_err());
    assert!(firsttouch_io::read_robot(&inside.join("sub/r.urdf"), None).is_ok());
    assert_eq!(Files::default().within(&inside.join("own.obj")).unwrap_err().code(), "io");
}

/// Meshes used to be searched in every folder up to the root of the disk.
#[test]
fn the_search_for_meshes_does_not_go_far() {
    let top = folder("climb");
    std::fs::write(top.join("grid.obj"), grid(3)).unwrap();
    let text = "<robot name=\"r\"><link name=\"l\"><collision><geometry><mesh filename=\"package://p/grid.obj\"/></geometry></collision></link></robot>";
    let found = |below: &str| {
        let path = top.join(below);
        std::fs::create_dir_all(&path).unwrap();
        std::fs::write(path.join("r.urdf"), text).unwrap();
        firsttouch_io::read_robot(&path.join("r.urdf"), None).is_ok()
    };
    assert!(found("1/2/3/4/5/6"));
    assert!(!found("1/2/3/4/5/6/7"));
    // Packages lie side by side; folders above the one that holds them are not searched.
    std::fs::create_dir_all(top.join("package/urdf")).unwrap();
    std::fs::write(top.join("package/package.xml"), "<package/>").unwrap();
    assert!(found("package/urdf"));
    std::fs::create_dir_all(top.join("1/package/urdf")).unwrap();
    std::fs::write(top.join("1/package/package.xml"), "<package/>").unwrap();
    assert!(!found("1/package/urdf"));
}

/// A file used to be emptied before the first byte was written, and a link was followed.
#[cfg(unix)]
#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let folder = folder("save");
    let path = folder.join("kept.txt");
    save(&path, |out| out.write_all(b"old")).unwrap();
    save(&path, |out| out.write_all(b"half").and(Err(std::io::Error::other("full")))).unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
    let target = folder.join("target.txt");
    std::fs::write(&target, "untouched").unwrap();
    std::os::unix::fs::symlink(&target, folder.join("link.txt")).unwrap();
    save(&folder.join("link.txt"), |out| out.write_all(b"new")).unwrap();
    assert_eq!(std::fs::read(&target).unwrap(), b"untouched");
    assert_eq!(std::fs::read(folder.join("link.txt")).unwrap(), b"new");
    assert_eq!(save(&folder, |_| Ok(())).unwrap_err().code(), "io");
    assert_eq!(save(&folder.join("no/such.txt"), |_| Ok(())).unwrap_err().code(), "not_found");
    // Two threads at once: one of them is last, and its file is whole.
    std::thread::scope(|scope| {
        for byte in [b'a', b'b'] {
            let path = &path;
            scope.spawn(move || {
                for _ in 0..50 {
                    save(path, |out| (0..1000).try_for_each(|_| out.write_all(&[byte]))).unwrap();
                }
            });
        }
        for _ in 0..200 {
            let seen = std::fs::read(&path).unwrap();
            assert!(seen == b"old" || seen.len() == 1000 && seen.iter().all(|&byte| byte == seen[0]));
        }
    });
    // No other file is left over.
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["kept.txt", "link.txt", "target.txt"]);
}
