//! Compiles and runs the programs in `tests/programs`.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata")
}

/// Returns the program, or `None` if there is no compiler.
pub(crate) fn compiled(source: &str, name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo puts the libraries that the tests of a package may link beside the tests.
    let library = std::env::current_exe().unwrap().with_file_name("libfirsttouch_c.a");
    assert!(library.exists(), "{} is not there", library.display());
    let (variable, usual, standard) =
        if source.ends_with(".c") { ("CC", "cc", "-std=gnu11") } else { ("CXX", "c++", "-std=c++17") };
    let compiler = std::env::var(variable).unwrap_or_else(|_| usual.into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        // This bypasses the capture of the test runner: the message that no test ran must be visible.
        let text = format!("\nNOT RUN: there is no compiler `{compiler}`, so {source} was not compiled\n");
        std::io::stderr().write_all(text.as_bytes()).unwrap();
        return None;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiling = Command::new(&compiler)
        .args([standard, "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-I"])
        .arg(root.join("include"))
        .arg(root.join("tests/programs").join(source))
        .arg(library)
        .args(if cfg!(target_os = "macos") { &["-lm"][..] } else { &["-lpthread", "-ldl", "-lm"] })
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(compiling.status.success(), "{}", String::from_utf8_lossy(&compiling.stderr));
    Some(program)
}

pub(crate) fn output(program: &Path) -> String {
    let ran = Command::new(program).arg(testdata()).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{}\n{text}\n{}", ran.status, String::from_utf8_lossy(&ran.stderr));
    text
}
