//! A second process for the work, where the system limits the memory of a process (`ulimit -v`).
//!
//! An allocation that is refused ends a process at once, without running any code of it. A program that reads the JSON
//! output would get nothing, and an exit status without meaning. So the work is done in a second process of the same
//! program, and the first one reports its end: as the same exit status, or as an error if the system ended it. Without
//! such a limit an allocation is almost never refused: the work stops at `--max-memory` long before, and a second
//! process would only cost time.
//!
//! 1. Both processes have the same standard input and outputs.
//! 2. Ctrl-C in a terminal reaches both. The first one forwards a Ctrl-C that reaches it alone, and the second treats
//!    two within half a second as one.
//! 3. If the first one is killed, the second ends itself.

use std::process::{Command, ExitCode};

use crate::output::Failure;

/// Set for the second process: the id of the first.
const FIRST_PROCESS: &str = "FIRSTTOUCH_FIRST_PROCESS";

/// The end of the second process.
pub(crate) enum Ended {
    /// By itself, with this exit status.
    Status(ExitCode),
    /// The system ended it.
    Failed(Failure),
}

/// Does the work in a second process, if the system limits memory and this is the first one.
pub(crate) fn run() -> Option<Ended> {
    if first_process().is_some() || !is_memory_limited() {
        return None;
    }
    let program = std::env::current_exe().ok()?;
    let mut child = Command::new(program)
        .args(std::env::args_os().skip(1))
        .env(FIRST_PROCESS, std::process::id().to_string())
        .spawn()
        .ok()?;
    pass_interrupts_on(child.id());
    let status = child.wait().ok()?;
    Some(match status.code() {
        Some(code) => Ended::Status(ExitCode::from(code as u8)),
        None => Ended::Failed(failure(status)),
    })
}

/// Returns true if this is the second process and the first one is gone.
pub(crate) fn is_orphan() -> bool {
    #[cfg(unix)]
    return first_process().is_some_and(|first| std::os::unix::process::parent_id() != first);
    #[cfg(not(unix))]
    false
}

/// Returns true if this is the second process.
pub(crate) fn is_second() -> bool {
    first_process().is_some()
}

fn first_process() -> Option<u32> {
    std::env::var(FIRST_PROCESS).ok()?.parse().ok()
}

/// Returns true if the address space of this process has a limit. Only Linux reports it.
fn is_memory_limited() -> bool {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"));
    line.and_then(|line| line.split_whitespace().next()).is_some_and(|soft| soft != "unlimited")
}

#[cfg(unix)]
fn pass_interrupts_on(id: u32) {
    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;
    if let Ok(id) = i32::try_from(id) {
        // If it has ended, its status is reported.
        let _ = ctrlc::set_handler(move || {
            let _ = kill(Pid::from_raw(id), Signal::SIGINT);
        });
    }
}

#[cfg(not(unix))]
fn pass_interrupts_on(_id: u32) {}

/// Returns the failure: the reason why the system ended the work.
#[cfg(unix)]
fn failure(status: std::process::ExitStatus) -> Failure {
    use std::os::unix::process::ExitStatusExt;
    const ABORT: i32 = 6;
    const KILL: i32 = 9;
    match status.signal() {
        // Rust's reaction to a refused allocation.
        Some(ABORT) => Failure::Refused,
        // Linux's reaction when no memory is left.
        Some(KILL) => Failure::Refused,
        other => Failure::Internal(format!("the work was ended by signal {}", other.unwrap_or_default())),
    }
}

#[cfg(not(unix))]
fn failure(_status: std::process::ExitStatus) -> Failure {
    Failure::Refused
}
