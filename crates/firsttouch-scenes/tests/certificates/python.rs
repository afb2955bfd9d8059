//! The verifier in Python, where there is a Python.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Verifies all files, and prints a status per line.
const PROGRAM: &str = "
import io, json, sys
from firsttouch_verify import Refused, Unreadable, verify
for line in sys.stdin:
    try:
        verify(io.BytesIO(json.loads(line).encode()))
        print(0)
    except Refused:
        print(1)
    except Unreadable:
        print(2)
";

/// Returns the exit status for each file, or `None` without Python.
pub(crate) fn verified(files: &[String]) -> Option<Vec<i32>> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../python");
    let mut command = Command::new("python3");
    command.arg("-c").arg(PROGRAM).env("PYTHONPATH", package).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut child = match command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn() {
        Ok(child) => child,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED the verifier in Python: {error}");
            return None;
        }
    };
    let mut input = child.stdin.take().unwrap();
    let lines: Vec<String> = files.iter().map(|file| serde_json::to_string(file).unwrap()).collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            writeln!(input, "{line}").unwrap();
        }
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<i32> = text.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(answers.len(), files.len(), "it ended early");
    Some(answers)
}
