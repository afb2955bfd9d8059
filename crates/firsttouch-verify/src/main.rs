//! The command `firsttouch-verify FILE [--json]`: exit status 0 if the file proves its claim, 1 if not, 2 if it
//! cannot be read.

use std::fs::File;
use std::io::{BufReader, Write};
use std::process::ExitCode;

use firsttouch_verify::{Claim, Refusal, Verified, verify};

const USAGE: &str = "usage: firsttouch-verify FILE [--json]

Checks a certificate of firsttouch, which proves that nothing touches.
Exit status: 0 verified, 1 refused, 2 unreadable.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (options, files): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|one| one.starts_with("--"));
    let as_json = options.iter().any(|option| *option == "--json");
    let ([file], true) = (&files[..], options.iter().all(|option| *option == "--json")) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let opened = File::open(file).map_err(|error| Refusal::Unreadable(0, error.to_string()));
    let (status, output) = match opened.and_then(|file| verify(BufReader::new(file))) {
        Ok(verified) if as_json => (0, json(&verified)),
        Ok(verified) => (0, text(&verified)),
        Err(refusal) => {
            let (status, answer, line, why) = match refusal {
                Refusal::Refused(line, why) => (1, "refused", line, why),
                Refusal::Unreadable(line, why) => (2, "unreadable", Some(line), why),
            };
            let place = line.map_or("null".into(), |line| line.to_string());
            (
                status,
                match as_json {
                    true => format!(r#"{{"answer": "{answer}", "line": {place}, "why": {}}}"#, quoted(&why)),
                    false => format!("{answer}, line {place}: {why}").replace(", line null", ""),
                },
            )
        }
    };
    // That nobody reads it changes no status.
    let _ = writeln!(std::io::stdout(), "{output}");
    ExitCode::from(status)
}

fn text(Verified { claim, parts, pairs, unchecked, nodes }: &Verified) -> String {
    let Claim { free_until, separation } = claim;
    let mut text = format!("verified: until {free_until}, {pairs} pairs of {parts} parts are apart");
    if *separation > 0.0 {
        text += &format!(" by more than {separation}");
    }
    text += &format!(" ({nodes} nodes)");
    for (why, count) in unchecked {
        text += &format!("\nnot checked: {count} pairs, {why}");
    }
    text
}

fn json(Verified { claim, parts, pairs, unchecked, nodes }: &Verified) -> String {
    let Claim { free_until, separation } = claim;
    let reason = |(why, count): &(String, usize)| format!(r#"{{"why": {}, "pairs": {count}}}"#, quoted(why));
    let unchecked = unchecked.iter().map(reason).collect::<Vec<_>>().join(", ");
    format!(
        r#"{{"answer": "verified", "free_until": {free_until:?}, "separation": {separation:?}, "parts": {parts}, "pairs": {pairs}, "unchecked": [{unchecked}], "nodes": {nodes}}}"#
    )
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted += &format!("\\u{:04x}", c as u32),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
