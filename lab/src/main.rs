//! The program of the laboratory: `papers`, every table of the papers beside ours. The benchmarks are programs of their
//! own, in `bin`.

use std::io::IsTerminal;
use std::process::ExitCode;

use firsttouch_lab::papers::program::{HELP, Request};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let asked = match arguments.next().as_deref() {
        Some("papers") => Request::read(arguments),
        Some("--help" | "-h") => Ok(None),
        other => {
            eprintln!(
                "error: there is no program {}; the one here is `papers`",
                other.unwrap_or("without a name")
            );
            return ExitCode::from(2);
        }
    };
    let done = asked.and_then(|request| match request {
        None => {
            print!("{HELP}");
            Ok(())
        }
        Some(request) => request.run(&mut std::io::stdout(), |what| {
            // The name of the current measurement is for people who wait.
            if std::io::stderr().is_terminal() {
                eprintln!("{what} ..");
            }
        }),
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
