//! Attacks the promises of the engines for any length of time.
//!
//! `cargo run --release -p firsttouch-lab --bin attack -- --minutes 10 [--seed 1] [--threads N] [--only rigid,robots]`
//!
//! The attackers are those of the tests (`crates/firsttouch/tests/attackers`): generators of hostile inputs whose
//! answers are judged by exact arithmetic, by construction, or by another engine. They take turns, each with the next
//! seed, on all cores. At the end the counts are printed: an attacker that never hits proves nothing. At the first
//! broken promise the seed and the story are printed, and the exit status is 1. `--seed` with the seed of a story and
//! `--only` with its family tell it again.

use std::panic::{catch_unwind, set_hook};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[path = "../../../../crates/firsttouch/tests/oracle/mod.rs"]
mod oracle;
#[allow(clippy::duplicate_mod)]
#[path = "../../../../crates/firsttouch/tests/random/mod.rs"]
mod random;

#[allow(dead_code)]
mod batches;
#[allow(dead_code)]
mod clearances;
#[allow(dead_code)]
mod deforming;
#[allow(dead_code)]
mod derivatives;
#[allow(dead_code)]
mod ellipsoids;
#[allow(dead_code)]
mod history;
#[allow(dead_code)]
mod mixed;
#[allow(dead_code)]
mod paths;
#[allow(dead_code)]
mod planning;
#[allow(clippy::duplicate_mod)]
mod resting;
#[allow(dead_code, clippy::duplicate_mod)]
mod rigid;
#[allow(dead_code)]
mod robots;

/// The counts of a family, by name.
type Tally = Vec<(&'static str, u64)>;

/// One kind of attacker.
struct Family {
    name: &'static str,
    /// The number of rounds for each seed: about a second of work.
    rounds: usize,
    attack: fn(u64, usize) -> Tally,
}

/// The named fields of a family's counts.
macro_rules! tally {
    ($counts:expr, $($field:ident),*) => {{
        let counts = $counts;
        vec![$((stringify!($field), counts.$field as u64)),*]
    }};
}

const FAMILIES: [Family; 12] = [
    Family {
        name: "rigid",
        rounds: 400,
        attack: |seed, rounds| {
            tally!(
                rigid::attacker::run(seed, rounds),
                free,
                touch,
                at_start,
                undecided,
                refused,
                grazes,
                later,
                judged,
                pairs
            )
        },
    },
    Family {
        name: "resting",
        rounds: 60,
        attack: |seed, rounds| {
            let counts = resting::attacker::run(seed, rounds);
            let mut tally = tally!(counts, free, touch, at_start, undecided, parted, pressed, tight, flush);
            tally.extend([("sheets", counts.sheets[0] as u64), ("through", counts.sheets[1] as u64)]);
            tally.push(("polytopes", counts.polytopes[0] as u64));
            tally
        },
    },
    Family {
        name: "ellipsoids",
        rounds: 20,
        attack: |seed, rounds| {
            let counts = ellipsoids::attacker::run(seed, rounds);
            vec![
                ("separate at rest", counts.at_rest[0]),
                ("touching at rest", counts.at_rest[1]),
                ("overlapping at rest", counts.at_rest[2]),
                ("free", counts.moving[0]),
                ("touch", counts.moving[1]),
                ("undecided", counts.moving[2]),
                ("instants proven apart", counts.certified[0]),
                ("instants proven in touch", counts.certified[1]),
                ("intervals", counts.intervals[0]),
                ("of them grazes", counts.intervals[1]),
                ("scenes", counts.scenes[0]),
                ("enclosed", counts.enclosed[0]),
                ("refused", counts.refused),
                ("affine free", counts.affine[0]),
                ("affine touch", counts.affine[1]),
                ("grazes of order 4", counts.early[1][1]),
                ("of them early", counts.early[1][0]),
                ("grazes of order 6", counts.early[2][1]),
                ("of those early", counts.early[2][0]),
            ]
        },
    },
    Family {
        name: "deforming",
        rounds: 400,
        attack: |seed, rounds| {
            let counts = deforming::attacker::run(seed, rounds);
            tally!(counts, queries, touches, free, undecided, meshes, at_start, later, gaps)
        },
    },
    Family {
        name: "robots",
        rounds: 60,
        attack: |seed, rounds| {
            let counts = robots::attacker::run(seed, rounds);
            tally!(
                counts, robots, free, touch, at_start, undecided, grazes, judged, searched, confirmed, later,
                orders
            )
        },
    },
    Family {
        name: "paths",
        rounds: 60,
        attack: |seed, rounds| {
            let counts = paths::attacker::run(seed, rounds);
            tally!(
                counts, scenes, free, touch, at_start, undecided, judged, grasps, of_load, scans, of_scan,
                smooth, moving, sampled, in_touch, steps, shown
            )
        },
    },
    Family {
        name: "clearances",
        rounds: 60,
        attack: |seed, rounds| {
            let counts = clearances::attacker::run(seed, rounds);
            tally!(counts, pairs, apart, overlapping, tight, instants, inside, touches, robots)
        },
    },
    Family {
        name: "derivatives",
        rounds: 20,
        attack: |seed, rounds| {
            let counts = derivatives::attacker::run(seed, rounds);
            let mut tally = tally!(counts, compared, precise, robots, held, deforming, checkers);
            let of = |both: [usize; 2], k: usize| both[k] as u64;
            tally.extend([
                ("contacts", of(counts.contacts, 0)),
                ("of them flagged", of(counts.flagged_contacts, 0)),
                ("aligned contacts", of(counts.contacts, 1)),
                ("of those flagged", of(counts.flagged_contacts, 1)),
                ("distances", of(counts.distances, 0)),
                ("flagged distances", of(counts.flagged_distances, 0)),
                ("aligned distances", of(counts.distances, 1)),
                ("flagged aligned distances", of(counts.flagged_distances, 1)),
            ]);
            tally
        },
    },
    Family {
        name: "batches",
        rounds: 5,
        attack: |seed, rounds| {
            let counts = batches::attacker::run(seed, rounds);
            tally!(
                counts, motions, free, touch, at_start, undecided, batches, edits, questions, scenes, steps
            )
        },
    },
    Family {
        name: "history",
        rounds: 40,
        attack: |seed, rounds| {
            let counts = history::attacker::run(seed, rounds);
            tally!(
                counts, free, touch, at_start, undecided, other_bits, judged, passes, edits, in_steps, ruled,
                found, refused, frames
            )
        },
    },
    Family {
        name: "planning",
        rounds: 4,
        attack: |seed, rounds| {
            let counts = planning::attacker::run(seed, rounds);
            tally!(counts, found, not_found, end_not_free, straight, narrow, refuted)
        },
    },
    Family {
        name: "mixed",
        rounds: 40,
        attack: |seed, rounds| {
            let counts = mixed::attacker::run(seed, rounds);
            tally!(
                counts,
                scenes,
                free,
                touch,
                at_start,
                undecided,
                pairs,
                judged,
                later,
                undecided_any,
                sampled
            )
        },
    },
];

struct Arguments {
    minutes: f64,
    seed: u64,
    threads: usize,
    families: Vec<&'static Family>,
}

fn arguments() -> Result<Arguments, String> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let mut found = Arguments { minutes: 1.0, seed: 1, threads: cores, families: FAMILIES.iter().collect() };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        let wrong = || format!("{name} cannot be \"{value}\"");
        match name.as_str() {
            "--minutes" => {
                found.minutes = value.parse().ok().filter(|minutes| *minutes > 0.0).ok_or_else(wrong)?;
            }
            "--seed" => found.seed = value.parse().map_err(|_| wrong())?,
            "--threads" => {
                found.threads = value.parse().ok().filter(|threads| *threads > 0).ok_or_else(wrong)?;
            }
            "--only" => {
                let family =
                    |name: &str| FAMILIES.iter().find(|family| family.name == name).ok_or_else(wrong);
                found.families = value.split(',').map(family).collect::<Result<_, _>>()?;
            }
            _ => return Err(format!("unknown option {name}")),
        }
    }
    Ok(found)
}

fn main() -> ExitCode {
    let Arguments { minutes, seed, threads, families } = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            eprintln!("{message}\nattack --minutes N [--seed S] [--threads N] [--only {}]", names.join(","));
            return ExitCode::from(2);
        }
    };
    // The story is the message of the panic; it is printed below, with the seed.
    set_hook(Box::new(|_| {}));
    let (begin, limit) = (Instant::now(), Duration::from_secs_f64(60.0 * minutes));
    let (next, is_broken) = (AtomicU64::new(0), AtomicBool::new(false));
    let totals: Mutex<Vec<Tally>> = Mutex::new(vec![Vec::new(); families.len()]);
    let stories: Mutex<Vec<String>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while begin.elapsed() < limit && !is_broken.load(Ordering::Relaxed) {
                    let turn = next.fetch_add(1, Ordering::Relaxed);
                    let which = (turn % families.len() as u64) as usize;
                    let (family, seed) = (families[which], seed + turn / families.len() as u64);
                    match catch_unwind(|| (family.attack)(seed, family.rounds)) {
                        Ok(tally) => {
                            let mut totals = totals.lock().expect("no thread panics while it adds");
                            let total = &mut totals[which];
                            total.resize(tally.len(), ("", 0));
                            for ((name, sum), (of, count)) in total.iter_mut().zip(tally) {
                                (*name, *sum) = (of, *sum + count);
                            }
                        }
                        Err(panic) => {
                            let text = panic.downcast_ref::<String>().cloned();
                            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
                            let story = text.unwrap_or_else(|| "no message".into());
                            let line = format!("{}, --seed {seed}: {story}", family.name);
                            stories.lock().expect("no thread panics while it adds").push(line);
                            is_broken.store(true, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    println!("{:.0} s on {threads} threads", begin.elapsed().as_secs_f64());
    for (family, tally) in families.iter().zip(totals.into_inner().expect("all threads are done")) {
        let counts: Vec<String> = tally.iter().map(|(name, count)| format!("{name} {count}")).collect();
        println!("{:>10}: {}", family.name, counts.join(", "));
    }
    let stories = stories.into_inner().expect("all threads are done");
    if stories.is_empty() {
        println!("no promise was broken");
        return ExitCode::SUCCESS;
    }
    for story in stories {
        println!("broken: {story}");
    }
    ExitCode::FAILURE
}
