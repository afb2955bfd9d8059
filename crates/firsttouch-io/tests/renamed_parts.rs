//! Every name in a valid file is misspelt: a key, an element, an attribute, a property, a keyword. The result must come
//! with a warning or be an error, because a misspelt name removes something from the file. The names that may be
//! misspelt in silence are listed with the reason.

use crate::parts::{Reading, bytes_of, reading, testdata};
use firsttouch_io::{Files, parse_scene, parse_waypoints, read_npy, read_scene, read_urdf};

/// The place of a name in a file, and the places where the same name ends.
struct Name {
    places: Vec<usize>,
    text: String,
}

impl Name {
    fn at(place: usize, text: &[u8]) -> Name {
        Name { places: vec![place], text: String::from_utf8_lossy(text).into_owned() }
    }

    /// Returns the file with this name misspelt: a letter more, two letters swapped, the first in the other case.
    fn misspelt(&self, file: &[u8], ignores_case: bool) -> Vec<Vec<u8>> {
        let name = self.text.as_bytes();
        let mut swapped = name.to_vec();
        if let Some(k) = (1..name.len()).find(|&k| name[k] != name[k - 1]) {
            swapped.swap(k - 1, k);
        }
        let mut other_case = name.to_vec();
        other_case[0] ^= 0x20;
        let forms = [[name, b"q"].concat(), swapped, other_case];
        let changed = forms
            .into_iter()
            .filter(|form| form != name && !(ignores_case && form.eq_ignore_ascii_case(name)));
        let write = |form: Vec<u8>| {
            let mut text = Vec::new();
            let mut from = 0;
            for &place in &self.places {
                text.extend(&file[from..place]);
                text.extend(&form);
                from = place + name.len();
            }
            text.extend(&file[from..]);
            text
        };
        changed.map(write).collect()
    }
}

/// Returns the words of lines, with their places.
fn words(text: &[u8]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut at = 0;
    for word in text.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'')) {
        if word.first().is_some_and(u8::is_ascii_alphabetic) {
            found.push(Name::at(at, word));
        }
        at += word.len() + 1;
    }
    found
}

/// Returns the words of the lines that `is_wanted` chooses.
fn words_of_lines(text: &[u8], is_wanted: impl Fn(&str) -> bool) -> Vec<Name> {
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        if is_wanted(&String::from_utf8_lossy(line)) {
            found.extend(
                words(line).into_iter().map(|name| Name { places: vec![name.places[0] + at], ..name }),
            );
        }
        at += line.len();
    }
    found
}

/// Returns true if a name is the first of its line.
fn is_first(text: &[u8], name: &Name) -> bool {
    let before = &text[..name.places[0]];
    let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
    before[start..].trim_ascii().is_empty()
}

/// Returns the keys of a JSON text.
fn json_keys(text: &[u8]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(|&b| b == b'"').map(|start| at + start + 1) {
        let end = start + text[start..].iter().position(|&b| b == b'"').unwrap();
        at = end + 1;
        if text[at..].trim_ascii_start().starts_with(b":") && end > start {
            found.push(Name::at(start, &text[start..end]));
        }
    }
    found
}

/// Returns the keys of a TOML text: bare words before an equals sign, and those of headers.
fn toml_keys(text: &[u8]) -> Vec<Name> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (mut found, mut at) = (Vec::new(), 0);
    let (mut in_string, mut in_comment) = (false, false);
    while at < text.len() {
        match text[at] {
            b'\n' => in_comment = false,
            b'#' if !in_string => in_comment = true,
            b'"' if !in_comment => in_string = !in_string,
            byte if is_part(byte) && !in_string && !in_comment => {
                let end = at + text[at..].iter().position(|&b| !is_part(b)).unwrap_or(text.len() - at);
                let after = text[end..].trim_ascii_start();
                if after.starts_with(b"=") || after.starts_with(b"]]") && text[..at].ends_with(b"[[") {
                    found.push(Name::at(at, &text[at..end]));
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Returns the elements, with the places of their end, and the attributes of an XML text.
fn xml_names(text: &[u8]) -> Vec<Name> {
    let (mut found, mut open): (Vec<Name>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(|&b| b == b'<').map(|start| at + start + 1) {
        let close = if text[start..].starts_with(b"!--") { &b"-->"[..] } else { b">" };
        let end = start + text[start..].windows(close.len()).position(|window| window == close).unwrap();
        at = end + 1;
        let tag = &text[start..end];
        if tag.starts_with(b"?") || tag.starts_with(b"!") {
            continue;
        }
        if tag.starts_with(b"/") {
            let index = open.pop().unwrap();
            found[index].places.push(start + 1);
            continue;
        }
        let name_end = tag.iter().position(|b| b.is_ascii_whitespace() || *b == b'/').unwrap_or(tag.len());
        found.push(Name::at(start, &tag[..name_end]));
        if !tag.ends_with(b"/") {
            open.push(found.len() - 1);
        }
        for (k, _) in tag.iter().enumerate().filter(|(_, b)| **b == b'=') {
            let name = tag[..k].iter().rposition(|b| b.is_ascii_whitespace()).map_or(0, |space| space + 1);
            if !tag[..k].iter().filter(|b| **b == b'"').count().is_multiple_of(2) {
                continue;
            }
            found.push(Name::at(start + name, &tag[name..k]));
        }
    }
    found
}

/// Names that may be misspelt in silence: the file, the names, and why.
const SILENT: [(&str, &[&str], &str); 5] = [
    ("gltf/animated.gltf", &ANIMATED, "inside of `animations`, which are not read and give a warning"),
    ("ply/text.ply", &["stuff", "id"], "properties of an element that changes nothing"),
    ("ply/little.ply", &["stuff", "id"], "properties of an element that changes nothing"),
    ("ply/big.ply", &["stuff", "id"], "properties of an element that changes nothing"),
    ("xyz/named.csv", &["intensity"], "columns other than x, y and z are not read"),
];

const ANIMATED: [&str; 8] = ["channels", "sampler", "target", "node", "path", "samplers", "input", "output"];

/// Returns true for formats in which upper and lower case are the same.
fn ignores_case(file: &str) -> bool {
    file.starts_with("stl/") || file.starts_with("xyz/")
}

/// The outcomes of reading the misspelt files.
#[derive(Default)]
struct Tally {
    warned: usize,
    refused: usize,
    silent: Vec<String>,
}

impl Tally {
    /// Reads all misspelt forms of the names of a file.
    fn take(&mut self, file: &str, good: &[u8], names: &[Name], read: &dyn Fn(&[u8]) -> Reading) {
        let (plain, before) = read(good);
        let plain = plain.unwrap_or_else(|e| panic!("{e}"));
        assert!(!names.is_empty(), "{file}");
        for name in names {
            for bytes in name.misspelt(good, ignores_case(file)) {
                match read(&bytes) {
                    (Err(_), _) => self.refused += 1,
                    (Ok(_), warnings) if warnings.iter().any(|text| !before.contains(text)) => {
                        self.warned += 1
                    }
                    (Ok(found), _) => {
                        if !SILENT.iter().any(|(of, known, _)| *of == file && known.contains(&&name.text[..]))
                        {
                            let place = name.places[0];
                            let line = 1 + good[..place].iter().filter(|b| **b == b'\n').count();
                            let same = if found == plain { "the same" } else { "another" };
                            self.silent.push(format!("{file}:{line}: {} misspelt: {same} result", name.text));
                        }
                    }
                }
            }
        }
    }

    fn check(self, least_warned: usize, least_refused: usize) {
        assert!(self.silent.is_empty(), "{} in silence:\n{}", self.silent.len(), self.silent.join("\n"));
        assert!(
            self.warned >= least_warned && self.refused >= least_refused,
            "{} {}",
            self.warned,
            self.refused
        );
    }
}

#[test]
fn names_in_meshes_and_clouds() {
    let mut tally = Tally::default();
    let json = ["gltf/still.gltf", "gltf/animated.gltf", "gltf/embedded.gltf", "gltf/sparse.gltf"];
    let xml = ["dae/still.dae", "dae/two_quads.dae"];
    let header = [
        "ply/plain.ply",
        "ply/text.ply",
        "ply/little.ply",
        "ply/big.ply",
        "pcd/points.pcd",
        "pcd/corner_binary.pcd",
    ];
    let others = [
        "obj/everything.obj",
        "obj/tetrahedron.obj",
        "stl/cube_corner.stl",
        "off/quad.off",
        "xyz/named.csv",
        "xyz/points.xyz",
    ];
    let maps = ["octomap/cells.bt", "octomap/cells.ot", "npy/points.npy"];
    for file in json.iter().chain(&xml).chain(&header).chain(&others).chain(&maps) {
        let good = bytes_of(file);
        let end_of = |end: &[u8]| {
            good.windows(end.len()).position(|w| w == end).map_or(good.len(), |at| at + end.len())
        };
        let names = match file.rsplit('.').next().unwrap() {
            "gltf" => json_keys(&good),
            "dae" => xml_names(&good),
            "ply" => words_of_lines(&good[..end_of(b"end_header")], |line| {
                !line.starts_with("comment") && !line.starts_with("obj_info")
            }),
            "pcd" => words_of_lines(&good[..end_of(b"DATA binary").min(end_of(b"DATA ascii"))], |line| {
                !line.starts_with(['#', 'V'])
            }),
            // The keyword is followed by a name or numbers.
            "obj" | "stl" => words_of_lines(&good, |line| !line.starts_with('#'))
                .into_iter()
                .filter(|name| is_first(&good, name))
                .collect(),
            "bt" | "ot" => words_of_lines(&good[..end_of(b"data\n")], |line| !line.starts_with('#')),
            "npy" => words(&good[10..70])
                .into_iter()
                .map(|name| Name { places: vec![name.places[0] + 10], ..name })
                .collect(),
            _ => words_of_lines(&good, |line| !line.starts_with('#')),
        };
        let name = file.rsplit('/').next().unwrap();
        let as_read = if matches!(*file, "xyz/named.csv" | "pcd/corner_binary.pcd") {
            format!("points_{name}")
        } else {
            name.into()
        };
        tally.take(file, &good, &names, &|bytes| reading(&as_read, bytes));
    }
    tally.check(150, 300);
}

/// All scenes of the examples that can be built.
#[test]
fn keys_in_scene_files() {
    let mut tally = Tally::default();
    let mut paths: Vec<_> =
        std::fs::read_dir(testdata("scenes")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.extend(["scenes/cycle/cell.toml", "scenes/pick_and_place/cycle.toml"].map(testdata));
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml" || e == "json"));
    paths.sort();
    let mut count = 0;
    for path in paths {
        let read = |bytes: &[u8]| {
            let files = Files::default();
            let text = String::from_utf8(bytes.to_vec()).unwrap();
            let built = parse_scene(&text, &path)
                .and_then(|file| files.build_scene(&file, &path).map(|built| (file, built)));
            match built {
                Ok((file, (_, warnings))) => {
                    (Ok(format!("{file:?}")), warnings.iter().map(ToString::to_string).collect())
                }
                Err(error) => (Err(error.to_string()), Vec::new()),
            }
        };
        let good = std::fs::read(&path).unwrap();
        if read_scene(&path).is_err() || read(&good).0.is_err() {
            continue;
        }
        count += 1;
        let is_json = path.extension().is_some_and(|e| e == "json");
        let names = if is_json { json_keys(&good) } else { toml_keys(&good) };
        tally.take(&path.file_name().unwrap().to_string_lossy(), &good, &names, &read);
    }
    assert!(count >= 15, "{count}");
    tally.check(0, 800);
}

#[test]
fn columns_of_waypoint_files() {
    let mut tally = Tally::default();
    for (file, urdf) in
        [("plain.csv", "plain.urdf"), ("untidy.csv", "untidy.urdf"), ("timed.csv", "untidy.urdf")]
    {
        let robot = read_urdf(&testdata("robots").join(urdf)).unwrap();
        let good = std::fs::read(testdata("robots").join(file)).unwrap();
        let first = String::from_utf8_lossy(&good)
            .lines()
            .find(|l| !l.trim().is_empty() && !l.trim_matches(['\u{feff}', ' ']).starts_with('#'))
            .unwrap()
            .to_string();
        let names = words_of_lines(&good, |line| line.trim_end() == first.trim_end());
        tally.take(file, &good, &names, &|bytes| match parse_waypoints(bytes, "q.csv", &robot) {
            Ok(found) => {
                (Ok(format!("{:?}", found.paths)), found.warnings.iter().map(ToString::to_string).collect())
            }
            Err(error) => (Err(error.to_string()), Vec::new()),
        });
    }
    tally.check(0, 15);
    // The keys of a numpy header are searched by name.
    assert!(read_npy(&bytes_of("npy/points.npy"), "a.npy").is_ok());
}
