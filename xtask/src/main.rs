//! Chores of the repository.
//!
//! `cargo xtask install-c --prefix P [--profile NAME]` builds the C library and puts it below `P`:
//!
//! ```text
//! include/firsttouch.h, firsttouch.hpp, firsttouch_ompl.hpp
//! lib/libfirsttouch_c.a, libfirsttouch_c.so.1, libfirsttouch_c.so     (.dylib on macOS)
//! lib/cmake/firsttouch/firsttouchConfig.cmake, firsttouchConfigVersion.cmake
//! lib/pkgconfig/firsttouch.pc
//! ```

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The outcome of a chore; the error is a text for the user.
type Outcome<T = ()> = Result<T, String>;

const USAGE: &str = "usage: cargo xtask install-c --prefix FOLDER [--profile NAME]";

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::from(2)
        }
    }
}

fn run(mut arguments: impl Iterator<Item = OsString>) -> Outcome {
    if arguments.next().is_none_or(|chore| chore != "install-c") {
        return Err(USAGE.into());
    }
    let (mut prefix, mut profile) = (None, OsString::from("release"));
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match argument.to_str() {
            Some("--prefix") => prefix = Some(PathBuf::from(value)),
            Some("--profile") => profile = value,
            _ => return Err(USAGE.into()),
        }
    }
    let prefix = std::path::absolute(prefix.ok_or(USAGE)?).map_err(|error| error.to_string())?;
    install(&prefix, profile.to_str().ok_or(USAGE)?)
}

fn install(prefix: &Path, profile: &str) -> Outcome {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the checkout has no root")?;
    let c = root.join("crates/firsttouch-c");
    let abi = abi_version(&c.join("src/version.rs"))?;
    let built = build(root, profile, &abi)?;

    let (include, lib) = (prefix.join("include"), prefix.join("lib"));
    for header in ["firsttouch.h", "firsttouch.hpp", "firsttouch_ompl.hpp"] {
        copy(&c.join("include").join(header), &include.join(header))?;
    }
    copy(&built.join("libfirsttouch_c.a"), &lib.join("libfirsttouch_c.a"))?;
    let shared = if cfg!(target_os = "macos") {
        copy(&built.join("libfirsttouch_c.dylib"), &lib.join("libfirsttouch_c.dylib"))?;
        "libfirsttouch_c.dylib".to_owned()
    } else {
        let name = format!("libfirsttouch_c.so.{abi}");
        copy(&built.join("libfirsttouch_c.so"), &lib.join(&name))?;
        link(&name, &lib.join("libfirsttouch_c.so"))?;
        name
    };
    let templates = [
        ("firsttouchConfig.cmake.in", "cmake/firsttouch/firsttouchConfig.cmake"),
        ("firsttouchConfigVersion.cmake.in", "cmake/firsttouch/firsttouchConfigVersion.cmake"),
        ("firsttouch.pc.in", "pkgconfig/firsttouch.pc"),
    ];
    for (template, name) in templates {
        let text = read(&c.join("install").join(template))?
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
            .replace("@SHARED@", &shared)
            .replace("@NATIVE_LIBRARIES@", native_libraries());
        write(&lib.join(name), &text)?;
    }
    println!(
        "installed firsttouch {} (interface {abi}) below {}",
        env!("CARGO_PKG_VERSION"),
        prefix.display()
    );
    Ok(())
}

/// Builds the library and returns its folder.
fn build(root: &Path, profile: &str, abi: &str) -> Outcome<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["rustc", "--package", "firsttouch-c", "--lib", "--profile", profile]);
    if cfg!(target_os = "linux") {
        // Programs look for the library under the name that has the version of the interface.
        command.args(["--", "-C", &format!("link-arg=-Wl,-soname,libfirsttouch_c.so.{abi}")]);
    }
    let status = command.status().map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !status.success() {
        return Err(format!("the library was not built: cargo ended with {status}"));
    }
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join(if profile == "dev" { "debug" } else { profile }))
}

/// Returns the libraries that programs need in addition to the static library.
fn native_libraries() -> &'static str {
    if cfg!(target_os = "macos") { "-lSystem -lc -lm" } else { "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc" }
}

fn abi_version(source: &Path) -> Outcome<String> {
    let text = read(source)?;
    let number = text.split("FT_ABI_VERSION: u32 = ").nth(1).and_then(|rest| rest.split(';').next());
    number.map(str::to_owned).ok_or_else(|| format!("{}: no FT_ABI_VERSION", source.display()))
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    prepare(path)?;
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    prepare(to)?;
    // A library that programs have open is replaced, not overwritten.
    let _ = std::fs::remove_file(to);
    std::fs::copy(from, to).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))?;
    Ok(())
}

fn prepare(path: &Path) -> Outcome {
    let folder = path.parent().ok_or_else(|| format!("{} has no folder", path.display()))?;
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

#[cfg(unix)]
fn link(name: &str, at: &Path) -> Outcome {
    let _ = std::fs::remove_file(at);
    std::os::unix::fs::symlink(name, at).map_err(|error| format!("{}: {error}", at.display()))
}

#[cfg(not(unix))]
fn link(_name: &str, at: &Path) -> Outcome {
    Err(format!("{}: links need a Unix system", at.display()))
}
