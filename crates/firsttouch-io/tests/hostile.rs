//! Hostile bytes: every seed file cut at every byte, seeded random damage, and kept crashers, through the bodies of the
//! fuzz targets. No input may cause a panic or take long.

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)] // it is a library of its own over there
mod targets;

use std::path::{Path, PathBuf};
use targets::TARGETS;

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// Returns the seeds of a target: the files of its folder, or what its own format makes of them.
fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let (folder, extension) = match target {
        "queries" => ("queries/vertex-face", None),
        "check" => ("scene", None),
        "urdf" | "srdf" => ("robots", Some(target)),
        "mjcf" => ("robots", Some("xml")),
        "waypoints" => ("robots", Some("csv")),
        _ => (target, None),
    };
    let entries = std::fs::read_dir(testdata().join(folder)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.is_file() && extension.is_none_or(|e| path.extension().is_some_and(|x| x == e)));
    files.sort();
    let read = |path: PathBuf| {
        let mut bytes = std::fs::read(&path).unwrap();
        if target == "queries" && path.extension().is_some_and(|e| e == "csv") {
            bytes.push(0);
            bytes.extend(std::fs::read(path.with_extension("toi")).unwrap());
        }
        (path, bytes)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn every_target_has_its_file_and_its_seeds() {
    for (name, _) in TARGETS {
        assert!(testdata().join(format!("../fuzz/fuzz_targets/{name}.rs")).exists(), "{name}");
        assert!(seeds(name).len() >= 2 || name == "dae", "{name}");
    }
}

#[test]
fn truncation_at_every_byte() {
    for (name, body) in TARGETS {
        for (_, bytes) in seeds(name) {
            (0..=bytes.len()).for_each(|end| body(&bytes[..end]));
        }
    }
}

#[test]
fn seeded_damage() {
    for (i, (name, body)) in TARGETS.into_iter().enumerate() {
        let seeds = seeds(name);
        let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ i as u64);
        for round in 0..4_000 {
            let mut bytes = seeds[random.below(seeds.len())].1.clone();
            for _ in 0..=random.below(4) {
                damage(&mut bytes, &seeds[round % seeds.len()].1, &mut random);
            }
            body(&bytes);
        }
    }
}

/// Files that once crashed a reader, each through its own target; the file's name tells the story.
#[test]
fn kept_crashers() {
    for (name, body) in TARGETS {
        let Ok(folder) = std::fs::read_dir(testdata().join("crashers").join(name)) else { continue };
        folder.for_each(|entry| body(&std::fs::read(entry.unwrap().path()).unwrap()));
    }
}

/// A reader that takes garbage apart must not be slow: a megabyte of each kind goes through every target.
#[test]
fn a_megabyte_of_garbage() {
    let mut random = Random(7);
    let noise: Vec<u8> = (0..1 << 20).map(|_| random.next() as u8).collect();
    let digits: Vec<u8> = (0..1 << 20).map(|_| b"0123456789 .-e\n"[random.below(15)]).collect();
    for (_, body) in TARGETS {
        for garbage in [&noise, &digits, &vec![0; 1 << 20], &vec![b' '; 1 << 20], &vec![b'<'; 1 << 20]] {
            body(garbage);
            for head in [
                &b"solid\n"[..],
                b"glTF\x02\0\0\0",
                b"ply\nformat ascii 1.0\n",
                b"f ",
                b"{\"asset\":",
                b"<a>",
                b"<robot>",
                b"left\n",
                b"OFF 9 9 9\n",
                b"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nPOINTS 9999999\nDATA binary_compressed\n",
                b"\x93NUMPY\x01\0",
                b"# Octomap OcTree binary file\nres 1\ndata\n",
                b"# Octomap OcTree file\nres 1\ndata\n",
                b"\x89PNG\r\n\x1a\n",
            ] {
                body(&[head, garbage].concat());
            }
        }
    }
    // Nested as deeply as a megabyte allows.
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("<a>", "</a>"), ("a=[", "]"), ("[[a]]\n", "")] {
        let n = 1_000_000 / (open.len() + close.len());
        let nested = open.repeat(n) + &close.repeat(n);
        for (_, body) in TARGETS {
            body(nested.as_bytes());
            body(format!("a = {nested}").as_bytes());
        }
    }
}

/// Small files that describe too much, or lead out of their folder: each is refused at once, with a short message.
#[test]
fn small_files_that_ask_for_too_much() {
    let gltf = |uri: &str, nodes: usize| {
        let list = vec!["{\"mesh\":0}"; nodes].join(",");
        let indices: Vec<String> = (0..nodes).map(|i| i.to_string()).collect();
        format!(
            r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[{}]}}],"nodes":[{list}],
            "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"byteLength":36,"uri":"{uri}"}}]}}"#,
            indices.join(",")
        )
    };
    for uri in ["%2Fetc%2Fpasswd", "../../../../../etc/passwd", "/etc/passwd", "file:///etc/passwd"] {
        let text = gltf(uri, 1);
        targets::gltf(text.as_bytes());
        let read = firsttouch_io::read_gltf(text.as_bytes(), "fuzz.gltf", &|_| panic!("{uri} was opened"));
        assert_eq!(read.unwrap_err().code(), "unsupported");
    }
    targets::gltf(gltf("a.bin", 20_000).as_bytes());
    let body = |shape: &str| format!("[[body]]\nname = \"{}\"\n{shape}\n", "\\u001b".repeat(3000));
    for scene in [
        String::new(),
        "# nothing but a comment".into(),
        format!("allow = {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        body("shape = { box = [1, 1, 1] }").repeat(2),
        body(&format!("deformable = {{ from = \"{0}\", to = \"{0}\" }}", "x/".repeat(3000))),
        body(&format!("motion = {{ rational = {{ weight = [{}] }} }}", "1, ".repeat(5000))),
        body(&format!("shape = {{ sphere = {{ radius = {}.0 }} }}", "9".repeat(300))),
        body(&format!("shape = {{ sphere = {{ radius = -{}.0 }} }}", "9".repeat(300))),
    ] {
        targets::check(scene.as_bytes());
        let refused = firsttouch_io::parse_scene(&scene, "fuzz.toml")
            .and_then(|file| firsttouch_io::build_scene(&file, "fuzz.toml").map(drop));
        let text = refused.unwrap_err().to_string();
        assert!(text.len() < 1000 && !text.contains('\u{1b}'), "{text}");
    }
}

fn damage(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(7) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        2 if at < bytes.len() => {
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'-', b'9', b' ', b'\n'][random.below(9)]
        }
        3 => bytes.insert(at, b"-+.eE0129/#\\<>\"'{}[],:\r\n\t "[random.below(26)]),
        4 => {
            // A piece of another seed.
            let start = random.below(other.len() + 1);
            let piece = &other[start..(start + random.below(64)).min(other.len())];
            bytes.splice(at..at, piece.iter().copied());
        }
        5 => {
            let end = (at + random.below(32)).min(bytes.len());
            bytes.drain(at..end);
        }
        6 => {
            let words: [&[u8]; 8] = [
                b"nan",
                b"1e999",
                b"-1",
                b"4294967295",
                b"18446744073709551615",
                b"99999999999999999999999",
                b"\xff\xff\xff\xff",
                b"0",
            ];
            let word = words[random.below(words.len())];
            let end = (at + word.len() * random.below(2)).min(bytes.len());
            bytes.splice(at..end, word.iter().copied());
        }
        _ => {}
    }
}

/// xorshift64*: small, seeded, the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Comb-shaped and random faces of the greatest length that is still clipped, many times over: a megabyte.
#[test]
fn hostile_polygons_do_not_take_long() {
    let mut random = Random(3);
    let comb = |i: usize| (i as f64, if i.is_multiple_of(2) { 0.0 } else { 1e3 - i as f64 });
    let mut text = String::new();
    for i in 0..512 {
        let (x, y) = comb(i);
        text += &format!("v {x} {y} 0\nv {} {} 0\n", random.below(1000), random.below(1000));
    }
    for first in [1, 2] {
        let ring: String = (0..512).map(|i| format!(" {}", first + 2 * i)).collect();
        text += &format!("f{ring}\n").repeat(250);
    }
    let start = std::time::Instant::now();
    let mesh = firsttouch_io::read_obj(text.as_bytes(), "fuzz.obj").unwrap();
    assert_eq!(mesh.triangles.len(), 500 * 510);
    println!("{} bytes in {:?}", text.len(), start.elapsed());
    assert!(start.elapsed().as_secs() < 20);
}
