//! A real certificate, changed in every place: no false claim is accepted, and both verifiers say the same.

use firsttouch::Options;
use firsttouch_verify::{Refusal, verify};

use super::{cabinet, certified, oracle, python};

/// The places of all numbers of a file.
fn numbers(file: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = file.as_bytes();
    let (mut found, mut k, mut in_text) = (Vec::new(), 0, false);
    while k < bytes.len() {
        match bytes[k] {
            b'"' => in_text = !in_text,
            b'-' | b'0'..=b'9' if !in_text => {
                let start = k;
                while matches!(bytes[k], b'-' | b'+' | b'.' | b'e' | b'0'..=b'9') {
                    k += 1;
                }
                found.push(start..k);
                continue;
            }
            _ => {}
        }
        k += 1;
    }
    found
}

/// Returns the changes of a number. Whole numbers stay whole, so that indices are changed as well.
fn changes(text: &str) -> Vec<(&'static str, String)> {
    let value: f64 = text.parse().unwrap();
    let written = |x: f64| if x.fract() == 0.0 { format!("{x:.0}") } else { format!("{x:?}") };
    vec![
        ("one more", written(value + 1.0)),
        ("one less", written(value - 1.0)),
        ("half as large again", written(value * 1.5)),
        ("negated", written(-value)),
        ("zero", "0".into()),
        ("one ulp up", format!("{:?}", value.next_up())),
        ("one ulp down", format!("{:?}", value.next_down())),
        ("dropped", String::new()),
        ("doubled", format!("{text},{text}")),
    ]
}

/// Returns the changes of lines.
fn line_changes(file: &str) -> Vec<(&'static str, String)> {
    let lines: Vec<&str> = file.lines().collect();
    let mut found = Vec::new();
    for k in 0..lines.len() {
        // With a wrong number of lines the file is unreadable; the change comes with the right one.
        let mut push = |what: &'static str, lines: Vec<&str>| {
            let (_, rest) = lines[0].split_once("\"lines\":").unwrap_or(("", ""));
            let old: String = rest.chars().take_while(char::is_ascii_digit).collect();
            let text = lines.join("\n") + "\n";
            found.push((
                what,
                text.replacen(&format!("\"lines\":{old}"), &format!("\"lines\":{}", lines.len()), 1),
            ));
        };
        push("line dropped", [&lines[..k], &lines[k + 1..]].concat());
        push("line doubled", [&lines[..=k], &lines[k..]].concat());
        if k + 1 < lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(k, k + 1);
            push("lines swapped", swapped);
        }
    }
    found
}

#[test]
fn no_change_makes_a_false_claim_pass() {
    let (file, _) = certified(&cabinet(), &Options::default());
    assert_eq!(oracle::counterexample(&file), None);
    let mut changed: Vec<(&'static str, String)> = line_changes(&file);
    for place in numbers(&file) {
        for (what, new) in changes(&file[place.clone()]) {
            changed.push((what, format!("{}{new}{}", &file[..place.start], &file[place.end..])));
        }
    }
    for (old, new) in [
        ("split_a", "split_b"),
        ("split_b", "split_a"),
        ("\"sphere\"", "\"cube\""),
        ("\"box\"", "\"ellipsoid\""),
        ("\"cylinder\"", "\"capsule\""),
        ("\"cone\"", "\"cylinder\""),
        ("\"ellipsoid\"", "\"box\""),
        ("\"solid\":true", "\"solid\":false"),
        ("\"hull\"", "\"vertices\""),
        ("\"turn\"", "\"along\""),
        ("\"slide\"", "\"quat\""),
        ("null", "0"),
        ("apart", "part"),
    ] {
        let places: Vec<usize> = file.match_indices(old).map(|(place, _)| place).collect();
        changed.extend(
            places
                .into_iter()
                .map(|place| ("kind", format!("{}{new}{}", &file[..place], &file[place + old.len()..]))),
        );
    }
    // [accepted, refused, unreadable] for each kind of change.
    let mut table: Vec<(&str, [usize; 3])> = Vec::new();
    let mut statuses = Vec::new();
    for (what, text) in &changed {
        let status = match verify(text.as_bytes()) {
            Ok(_) => 0,
            Err(Refusal::Refused(..)) => 1,
            Err(Refusal::Unreadable(..)) => 2,
        };
        if status == 0 && *text != file {
            assert_eq!(oracle::counterexample(text), None, "{what}: {}", difference(&file, text));
        }
        statuses.push(status as i32);
        match table.iter_mut().find(|(known, _)| known == what) {
            Some((_, counts)) => counts[status] += 1,
            None => {
                table.push((what, [0; 3]));
                table.last_mut().unwrap().1[status] += 1;
            }
        }
    }
    println!("{} changes: accepted, refused, unreadable", changed.len());
    for (what, counts) in &table {
        println!("{what:24}{counts:?}");
    }
    let of = |what: &str| table.iter().find(|(known, _)| *known == what).unwrap().1;
    // A claim that is still true may pass; most coarse changes do not.
    for what in ["half as large again", "negated"] {
        let [accepted, refused, unreadable] = of(what);
        assert!(refused + unreadable > accepted / 4, "{what}: {:?}", of(what));
    }
    assert_eq!(of("dropped")[0], 0, "a number that is missing is noticed");
    // Every twentieth goes to Python as well.
    let some: Vec<usize> = (0..changed.len()).step_by(20).collect();
    let files: Vec<String> = some.iter().map(|&k| changed[k].1.clone()).collect();
    if let Some(answers) = python::verified(&files) {
        for (&k, answer) in some.iter().zip(answers) {
            let (what, text) = &changed[k];
            assert_eq!(
                answer,
                statuses[k],
                "{what}: {}: {:?}",
                difference(&file, text),
                verify(text.as_bytes())
            );
        }
    }
}

/// Returns the surroundings of the first difference of two files.
fn difference(a: &str, b: &str) -> String {
    let place = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let around = |text: &str| text[place.saturating_sub(60)..text.len().min(place + 40)].to_string();
    format!("{} became {}", around(a), around(b))
}

/// The attacks that someone would try: each makes the claim false or the proof incomplete, and each is refused.
#[test]
fn attacks_are_refused() {
    let (file, verified) = certified(&cabinet(), &Options::default());
    let lines: Vec<&str> = file.lines().collect();
    let refused = |what: &str, text: String| {
        let count = text.lines().count();
        let text = text.replacen(&format!("\"lines\":{}", lines.len()), &format!("\"lines\":{count}"), 1);
        assert!(verify(text.as_bytes()).is_err(), "{what} is accepted");
    };
    let without = |k: usize| {
        let kept: Vec<&str> =
            lines.iter().enumerate().filter(|(other, _)| *other != k).map(|(_, line)| *line).collect();
        kept.join("\n") + "\n"
    };
    // A pair left out: any line of the proof.
    let proofs: Vec<usize> = (0..lines.len()).filter(|&k| lines[k].starts_with("{\"proof\"")).collect();
    assert!(proofs.len() > 4);
    for &k in &proofs {
        refused("a proof left out", without(k));
    }
    // A window or a piece missing: any node.
    let mut nodes = 0;
    for &k in &proofs {
        let (head, list) = lines[k].split_once("\"nodes\":[").unwrap();
        let list = list.strip_suffix("]}").unwrap();
        let list: Vec<&str> = list.split("},").map(|node| node.trim_end_matches('}')).collect();
        nodes += list.len();
        for n in 0..list.len() {
            let mut kept: Vec<String> = list.iter().map(|node| format!("{node}}}")).collect();
            let own = kept.remove(n);
            let line = format!("{head}\"nodes\":[{}]}}", kept.join(","));
            refused("a node left out", file.replacen(lines[k], &line, 1));
            if own.starts_with("{\"apart\":[") && own != "{\"apart\":[]}" {
                // A direction turned around, and a claim of apartness instead of a split.
                let numbers = own.trim_start_matches("{\"apart\":[").trim_end_matches("]}");
                let turned: Vec<String> =
                    numbers.split(',').map(|x| format!("{}", -x.parse::<f64>().unwrap())).collect();
                kept.insert(n, format!("{{\"apart\":[{}]}}", turned.join(",")));
                let line = format!("{head}\"nodes\":[{}]}}", kept.join(","));
                refused("a direction turned around", file.replacen(lines[k], &line, 1));
            }
        }
    }
    assert_eq!(nodes, verified.nodes);
    // A shape moved into another's way.
    refused("the ball in the way", file.replacen("[-1,1.6,0", "[-1,0.3,0", 1).replacen("1.6", "0.3", 1));
    refused("a longer box", file.replacen("\"box\":[0.5,0.3,0.4]", "\"box\":[5,0.3,0.4]", 1));
    refused("a larger claim", file.replacen("\"separation\":0}", "\"separation\":0.5}", 1));
    refused("a part more", {
        let part = lines.iter().position(|line| line.starts_with("{\"part\":8")).unwrap();
        let more = lines[part].replacen("\"part\":8", "\"part\":9", 1);
        file.replacen(lines[part], &format!("{}\n{more}", lines[part]), 1)
    });
}
