//! Files that someone has made to break the verifier: verified, refused or unreadable, without a panic, within bounded
//! memory, and as the verifier in Python says.

#[path = "../../../fuzz/src/verifier.rs"]
#[allow(unreachable_pub)] // it is a module of a fuzz target over there
mod verifier;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use verifier::status;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/certificates")
}

fn base() -> Vec<u8> {
    std::fs::read(folder().join("everything.ftc")).unwrap()
}

/// The bytes that are meant by a column of the table.
fn unescaped(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'x') => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            Some(other) => other,
        });
    }
    bytes
}

/// The cases of `hostile.tsv`, which the verifier in Python reads as well: name, status and file.
fn table() -> Vec<(String, i32, Vec<u8>)> {
    let (table, base) = (std::fs::read_to_string(folder().join("hostile.tsv")).unwrap(), base());
    let case = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [wanted, name, kind, arguments @ ..] = &columns[..] else { panic!("{line}") };
        let bytes: Vec<Vec<u8>> = arguments.iter().map(|one| unescaped(one)).collect();
        let count = |k: usize| arguments[k].parse::<usize>().unwrap();
        let file = match *kind {
            "text" => [bytes[0].repeat(count(1)), bytes[2].clone()].concat(),
            "replace" => {
                let old = &bytes[0];
                let place = base.windows(old.len()).position(|some| some == old).expect(name);
                [&base[..place], &bytes[1].repeat(count(2)), &base[place + old.len()..]].concat()
            }
            "cut" => {
                let end: isize = arguments[0].parse().unwrap();
                base[..end.rem_euclid(base.len() as isize) as usize].to_vec()
            }
            _ => panic!("{line}"),
        };
        ((*name).to_string(), wanted.parse().unwrap(), file)
    };
    table.lines().filter(|line| !line.starts_with('#')).map(case).collect()
}

#[test]
fn the_table_has_the_statuses_that_it_says() {
    let cases = table();
    assert!(cases.len() > 140);
    for (name, wanted, file) in cases {
        assert_eq!(status(&file), wanted, "{name}");
    }
}

#[test]
fn truncation_is_unreadable() {
    let base = base();
    for end in (0..base.len()).step_by(13).chain(base.len() - 100..base.len()) {
        assert_eq!(status(&base[..end]), 2, "{end} bytes");
    }
}

/// A generator of numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

const NUMBERS: [&str; 7] = ["0", "1", "-1", "0.5", "7", "1e100", "1e-320"];

const TOKENS: &str = "1e999 NaN [ ] { } \" \\ null -1 0 1e100 1e-320 , \n \"apart\": 0.5 7";

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let (place, length) = (random.below(bytes.len()), 1 + random.below(30));
    let end = bytes.len().min(place + length);
    let tokens: Vec<&str> = TOKENS.split(' ').collect();
    let token = tokens[random.below(tokens.len())];
    match random.below(10) {
        0 => bytes[place] = random.below(256) as u8,
        1 => drop(bytes.drain(place..end)),
        2 => {
            let copy = bytes[place..end].to_vec();
            bytes.splice(place..place, copy);
        }
        3 => drop(bytes.splice(place..end, token.bytes())),
        _ => {
            // A number, so that the file often stays readable.
            let digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
            let Some(start) = bytes[place..].iter().position(digit).map(|k| place + k) else { return };
            let end = bytes[start..].iter().position(|byte| !digit(byte)).map_or(bytes.len(), |k| start + k);
            bytes.splice(start..end, NUMBERS[random.below(NUMBERS.len())].bytes());
        }
    }
}

#[test]
fn seeded_damage_is_noticed_or_harmless_and_both_verifiers_say_the_same() {
    let (base, mut random) = (base(), Random(0x9e37_79b9_7f4a_7c15));
    let mut counts = [0; 3];
    let mut some = Vec::new();
    for round in 0..5_000 {
        let mut bytes = base.clone();
        for _ in 0..=random.below(2) {
            damage(&mut bytes, &mut random);
        }
        let status = status(&bytes);
        counts[status as usize] += 1;
        if round % 25 == 0 {
            some.push((status, bytes));
        }
    }
    assert!(counts[0] > 100 && counts[1] > 500 && counts[2] > 2_000, "{counts:?}");
    same_in_python(&some);
}

/// Verifies the files in a folder, and prints a status for each.
const PROGRAM: &str = "
import io, sys
from firsttouch_verify import Refused, Unreadable, verify
for k in range(int(sys.argv[2])):
    with open(f'{sys.argv[1]}/{k}', 'rb') as file:
        try:
            verify(file)
            print(0)
        except Refused:
            print(1)
        except Unreadable:
            print(2)
";

fn same_in_python(files: &[(i32, Vec<u8>)]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged");
    std::fs::create_dir_all(&folder).unwrap();
    for (k, (_, bytes)) in files.iter().enumerate() {
        std::fs::write(folder.join(k.to_string()), bytes).unwrap();
    }
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    let mut python = Command::new("python3");
    python.arg("-c").arg(PROGRAM).arg(&folder).arg(files.len().to_string());
    let output = match python.env("PYTHONPATH", package).env("PYTHONDONTWRITEBYTECODE", "1").output() {
        Ok(output) => output,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED the verifier in Python: {error}");
            return;
        }
    };
    let answers: Vec<i32> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    for (k, (status, _)) in files.iter().enumerate() {
        let place = folder.join(k.to_string());
        assert_eq!(
            answers.get(k),
            Some(status),
            "{}: {}",
            place.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// The command itself, where the system can limit its memory: it ends with 1 or 2, and is not killed.
#[cfg(unix)]
#[test]
fn memory_is_bounded() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large");
    std::fs::create_dir_all(&folder).unwrap();
    // Eight megabytes each. A list of numbers takes the most room: two bytes become one value.
    let head = b"{\"format\":\"firsttouch-certificate\",\"version\":1,\"lines\":9,\"claim\":";
    let files: [(&str, Vec<u8>); 6] = [
        ("zeros", b"0,".repeat(4 << 20)),
        ("numbers", [&head[..], b"[", &b"0,".repeat(4 << 20), b"0]}\n"].concat()),
        ("brackets", b"[".repeat(8 << 20)),
        ("lists", [&b"["[..], &b"[],".repeat(2 << 20), b"[]]\n"].concat()),
        ("text", [&b"\""[..], &b"a\\\"".repeat(2 << 20)].concat()),
        ("lines", b"{}\n".repeat(2 << 20)),
    ];
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let limited = "ulimit -v 700000 2> /dev/null; exec \"$0\" \"$1\"";
        let output = Command::new("sh")
            .args(["-c", limited, env!("CARGO_BIN_EXE_firsttouch-verify")])
            .arg(&path)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}
