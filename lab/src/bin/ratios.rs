//! The ratios that README and docs/papers.md state, counted in instructions. See [`HELP`].

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use firsttouch_lab::ratios::{COUNTED, Failure, GROUPS, Group, RATIOS, Result};

const HELP: &str = "\
Counts the instructions of small workloads with callgrind and compares their ratios with what README and docs/papers.md state.

ratios [GROUP..]         all groups, or these. Needs valgrind. Exit status: 0 if every ratio is within its band, 1 if one is not, 2 if something fails
ratios --list            the groups and their ratios
ratios --run GROUP       lets the engines of a group work, without counting
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

fn run() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--help" | "-h"] => {
            print!("{HELP}");
            return Ok(ExitCode::SUCCESS);
        }
        ["--list"] => {
            for group in &GROUPS {
                println!("{}: {}", group.name, group.scene);
                for ratio in RATIOS.iter().filter(|ratio| ratio.group == group.name) {
                    let [a, b] = ratio.engines;
                    println!("    {a} / {b}: {} to {}; {}", ratio.band[0], ratio.band[1], ratio.stated);
                }
            }
            return Ok(ExitCode::SUCCESS);
        }
        ["--run", name] => {
            group(name)?.run(|engine| println!("{engine}"))?;
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let groups: Vec<&Group> = match &arguments[..] {
        [] => GROUPS.iter().collect(),
        names => names.iter().map(|name| group(name)).collect::<Result<_>>()?,
    };
    println!("| scene | counts | ratio | allowed | in seconds |\n|---|---|---|---|---|");
    let mut broken = Vec::new();
    for group in groups {
        let start = Instant::now();
        let counts = counted(group)?;
        let mut seconds = format!("{:.0}", start.elapsed().as_secs_f64());
        for ratio in RATIOS.iter().filter(|ratio| ratio.group == group.name) {
            let of = |engine: &str| {
                let found = counts.iter().find(|(name, _)| name == engine);
                found
                    .map(|(_, count)| *count as f64)
                    .ok_or(format!("{}: there is no engine \"{engine}\"", group.name))
            };
            let [a, b] = ratio.engines;
            let (value, [low, high]) = (of(a)? / of(b)?, ratio.band);
            println!("| {} | {a} / {b} | {value:.2} | {low} to {high} | {seconds} |", group.scene);
            seconds.clear();
            if !(low..=high).contains(&value) {
                broken.push(format!(
                    "{}: {a} / {b} is {value:.2}, not {low} to {high}. Change what states it, then the band in lab/src/ratios: {}",
                    group.name, ratio.stated
                ));
            }
        }
    }
    broken.iter().for_each(|line| eprintln!("BROKEN: {line}"));
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn group(name: &str) -> Result<&'static Group> {
    GROUPS.iter().find(|group| group.name == name).ok_or_else(|| {
        let names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
        format!("there is no group \"{name}\"; the groups are {}", names.join(", ")).into()
    })
}

/// Returns the instructions of each engine of a group, by callgrind.
fn counted(group: &Group) -> Result<Vec<(String, u64)>> {
    let folder = std::env::temp_dir().join(format!("firsttouch-ratios-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let found = counted_in(group, &folder);
    std::fs::remove_dir_all(&folder)?;
    found
}

fn counted_in(group: &Group, folder: &Path) -> Result<Vec<(String, u64)>> {
    let out = folder.join("out");
    // A dump whenever the counted function ends sets the counts back to zero.
    let ran = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--compress-strings=yes"])
        .arg(format!("--toggle-collect={COUNTED}"))
        .arg(format!("--dump-after={COUNTED}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe()?)
        .args(["--run", group.name])
        .output()
        .map_err(|error| {
            format!(
                "valgrind cannot be started ({error}): install it, for example with apt-get install valgrind"
            )
        })?;
    if !ran.status.success() {
        return Err(format!("{}: {}", group.name, String::from_utf8_lossy(&ran.stderr)).into());
    }
    let names = String::from_utf8(ran.stdout)?;
    let count = |(k, name): (usize, &str)| -> Result<(String, u64)> {
        let dump = folder.join(format!("out.{}", k + 1));
        let text = std::fs::read_to_string(&dump).map_err(|error| format!("{}: {error}", dump.display()))?;
        let total =
            text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
        let total = total.ok_or_else(|| Failure::from("a dump of callgrind has no totals"))?;
        Ok((name.to_string(), total.trim().parse()?))
    };
    names.lines().enumerate().map(count).collect()
}
