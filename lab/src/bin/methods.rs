//! Each paper's own method on your own files, beside the product's answers. See [`HELP`].

use std::process::ExitCode;

use firsttouch_lab::methods::{Failure, Files, Input, METHODS};

const HELP: &str = "\
Each paper's own method on your files, beside the product: answers, times and work, and whether the answers agree within the tolerance.

methods SCENE.toml                                                     CONTACT (2001) and the algebra of ellipsoids (2009)
methods ROBOT.urdf WAYPOINTS.csv [--srdf R.srdf] [--scene S.toml]      CATCH (2007) and the assembly tree (2008)
methods FROM.obj TO.obj                                                local advancement and the cubic solver (2010)

  --only METHOD    one method
  --srdf FILE      the pairs of links that are not checked
  --scene FILE     the obstacles of a robot, and the tolerance

Times are in microseconds, the shortest of a few runs. Exit status: 0 if all rows agree, 1 if an answer is not within what the tolerance allows,
2 if the input cannot be read or no method applies.

Methods:
";

fn main() -> ExitCode {
    match run() {
        Ok(status) => status,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, Failure> {
    let mut files = Files::default();
    let mut only = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value; see --help"));
        match &*argument {
            "--help" | "-h" => {
                print!("{HELP}");
                METHODS.iter().for_each(|(name, takes)| println!("  {name:<18} {takes}"));
                return Ok(ExitCode::SUCCESS);
            }
            "--only" => only = Some(value()?),
            "--srdf" => files.srdf = Some(value()?.into()),
            "--scene" => files.scene = Some(value()?.into()),
            option if option.starts_with('-') => {
                return Err(format!("there is no option {option}; see --help").into());
            }
            path => files.inputs.push(path.into()),
        }
    }
    let comparison = Input::read(&files)?.compare(only.as_deref())?;
    print!("{comparison}");
    match comparison.disagreements() {
        0 => Ok(ExitCode::SUCCESS),
        count => {
            eprintln!("error: {count} of {} rows disagree", comparison.rows.len());
            Ok(ExitCode::FAILURE)
        }
    }
}
