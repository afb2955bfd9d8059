//! 100,000 seeded random pairs of convex solids in motion, every kind against every kind, compared with a referee
//! that shares no code with the library.
#![allow(unreachable_pub)]

mod draw;
mod families;
mod generate;
mod laws;
mod motions;
mod oracle;
mod path;
mod solid;
mod verdict;

use draw::Draw;
use firsttouch::Options;
use generate::{MOTIONS, SOLIDS};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use verdict::Tally;

/// Runs `work(0..n)` on two threads and returns the tallies in order.
fn on_two_threads(n: usize, work: impl Fn(usize) -> Tally + Sync) -> Vec<Tally> {
    let next = AtomicUsize::new(0);
    let tallies = Mutex::new(vec![Tally::default(); n]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= n {
                        break;
                    }
                    let tally = work(i);
                    tallies.lock().unwrap()[i] = tally;
                }
            });
        }
    });
    tallies.into_inner().unwrap()
}

/// Returns the 21 unordered pairs of kinds of solids.
fn kind_pairs() -> Vec<[usize; 2]> {
    (0..6).flat_map(|i| (i..6).map(move |j| [i, j])).collect()
}

#[test]
fn a_hundred_thousand_pairs() {
    const EACH: usize = 530; // times 21 pairs of solids times 9 pairs of motions: 100,170
    let kinds = kind_pairs();
    let combination = |i: usize| (kinds[i / 9], [i % 9 / 3, i % 3]);
    let tallies = on_two_threads(kinds.len() * 9, |i| {
        let (kinds, motions) = combination(i);
        let mut draw = Draw::new(1000 + i as u64);
        let mut tally = Tally::default();
        for _ in 0..EACH {
            let pair = generate::pair(kinds, motions, &mut draw);
            verdict::check(&pair, &Options::default(), 100, &mut tally);
        }
        tally
    });
    let mut all = Tally::default();
    let mut by_kinds = vec![Tally::default(); kinds.len()];
    let mut by_motions = vec![Tally::default(); 9];
    for (i, tally) in tallies.iter().enumerate() {
        all.add(tally);
        by_kinds[i / 9].add(tally);
        by_motions[i % 9].add(tally);
    }
    for (kinds, tally) in kinds.iter().zip(&by_kinds) {
        println!("{:9} {:9} {}", SOLIDS[kinds[0]], SOLIDS[kinds[1]], line(tally));
    }
    for (i, tally) in by_motions.iter().enumerate() {
        println!("{:9} {:9} {}", MOTIONS[i / 3], MOTIONS[i % 3], line(tally));
    }
    println!("{:19} {}", "all", line(&all));
    assert!(all.total() >= 100_000);
    assert!((0.2..0.8).contains(&all.hit_rate()), "{all:?}");
    assert!(tallies.iter().all(|tally| (0.1..0.9).contains(&tally.hit_rate())), "{tallies:?}");
    assert_eq!(all.undecided, 0);
    // The referee itself must nearly always decide.
    assert!(all.unresolved * 100 < all.samples, "{all:?}");
}

fn line(tally: &Tally) -> String {
    format!(
        "{:6} pairs {:5.1} % hit ({:5} at the start) {:2} undecided; {:5.2} steps, at most {}; {} of {} samples open",
        tally.total(),
        100.0 * tally.hit_rate(),
        tally.at_start,
        tally.undecided,
        tally.iterations as f64 / tally.total() as f64,
        tally.most_iterations,
        tally.unresolved,
        tally.samples,
    )
}
