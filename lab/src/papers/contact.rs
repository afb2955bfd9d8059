//! Table 1 of the 2001 paper, the saving by labels and hash tables on two near-parallel plates; and its two
//! applications, by CONTACT and by the general engine.

use firsttouch::ContactTests;
use firsttouch::contact::{self, ContactPair, Covered, FaceTouch, Tables};
use firsttouch::motion::{ContactScrew, Motion, Pose};
use firsttouch::narrow::{Pieces, Side};
use firsttouch::pair::{Limits, TreeStats, Verdict};
use firsttouch::shape::{Mesh, Shape, SphereTree};
use firsttouch::tree;
use firsttouch::{Options, ScrewPairOptions};

use super::{Bench, Measured, timed};
use crate::error::Result;
use crate::scenes::bouncing::{Bouncing, Setup};
use crate::scenes::manipulation::recorded_path;
use crate::scenes::plates::Plates;
use crate::scenes::shapes::{floor, potato, teapot};

/// SS, EE, VF, FV and their sum, as printed in the paper: no table, SS, EE-VF-FV, all four.
const THEIRS: [[u64; 5]; 4] = [
    [1_213_596, 87_284, 3_963, 3_858, 1_308_701],
    [1_017_112, 61_916, 3_155, 3_098, 1_085_281],
    [1_213_596, 20_717, 2_367, 2_317, 1_238_997],
    [1_017_112, 20_717, 2_367, 2_317, 1_042_513],
];

pub(super) fn run(bench: &mut Bench) -> Result<()> {
    table_1(bench)?;
    applications(bench)
}

/// An application of Sec. 5: the moving mesh, step by step on a contact screw, and the one at rest.
pub(crate) struct Application {
    name: &'static str,
    moving: Mesh,
    resting: Mesh,
    steps: Vec<[Pose; 2]>,
}

/// Returns the two applications of Sec. 5.1 and 5.2, with about `size` triangles in each object and this many frames.
pub(crate) fn both_applications(size: usize, frames: usize) -> Result<[Application; 2]> {
    let steps = |path: &[Pose]| path.windows(2).map(|ends| [ends[0], ends[1]]).collect::<Vec<_>>();
    let mut run = Bouncing::thrown(&potato(size, 1)?, 2001, Setup::default())?;
    let thrown: Vec<Pose> = (0..frames)
        .map(|_| {
            run.step();
            run.pose()
        })
        .collect();
    Ok([
        Application {
            name: "manipulation, teapot and potato",
            moving: teapot(size)?,
            resting: potato(size, 1)?,
            steps: steps(&recorded_path(frames)?),
        },
        Application {
            name: "bouncing potato, floor of 20",
            moving: potato(size, 1)?,
            resting: floor(20.0)?,
            steps: steps(&thrown),
        },
    ])
}

/// The engine that decides the steps of an application.
pub(crate) enum Decider {
    /// The general engine, which the dispatcher takes.
    Trees([Shape; 2]),
    /// CONTACT.
    Spheres([SphereTree; 2], Tables),
}

impl Application {
    /// The general engine.
    pub(crate) fn trees(&self) -> Decider {
        Decider::Trees([Shape::from(self.moving.clone()), Shape::from(self.resting.clone())])
    }

    /// Returns CONTACT as a `ScrewPair` has it, with leaves of one size.
    pub(crate) fn spheres(&self, settings: ScrewPairOptions) -> Result<Decider> {
        let trees = SphereTree::for_both([&self.moving, &self.resting], settings.leaf_radius)?;
        Ok(Decider::Spheres(trees, settings.tables))
    }

    /// Returns CONTACT with leaves of the size of each mesh's own triangles, which departs from the paper's rule.
    pub(crate) fn spheres_of_own_sizes(&self) -> Decider {
        Decider::Spheres([&self.moving, &self.resting].map(|mesh| mesh.spheres().clone()), Tables::ALL)
    }

    /// Checks one step, and returns true if it touches, and the time up to which it is free.
    fn decide(&self, step: usize, decider: &Decider, work: &mut TreeStats) -> Result<(bool, f64)> {
        let [from, to] = self.steps[step];
        let (screw, limits) = (ContactScrew::new(from, to), Limits::new(&Options::default())?);
        let verdict = match decider {
            Decider::Trees(shapes) => {
                let motions = [Motion::ContactScrew(screw), Motion::AT_REST];
                let sides = [0, 1].map(|k| Side { pieces: Pieces::of(&shapes[k]), motion: &motions[k] });
                tree::first_touch(&[sides], &limits, false, work).verdict.map(|touch| touch.t)
            }
            Decider::Spheres(trees, tables) => {
                let moving = Covered { mesh: &self.moving, tree: &trees[0] };
                let resting = Covered { mesh: &self.resting, tree: &trees[1] };
                let pair = ContactPair { moving, motion: &screw, resting, at_rest: Pose::IDENTITY.into() };
                let verdict = contact::first_touch(&pair, &limits, false, *tables, work);
                verdict.map(|FaceTouch { t, .. }| t)
            }
        };
        Ok(match verdict {
            Verdict::Free => (false, 1.0),
            Verdict::Undecided { free_until } => (false, free_until),
            Verdict::Touch(t) => (true, t),
        })
    }

    /// Returns the answers of all steps, and the work that they take.
    #[cfg(test)]
    pub(crate) fn answers(&self, decider: &Decider) -> Result<(Vec<(bool, f64)>, TreeStats)> {
        let mut work = TreeStats::default();
        let answers = (0..self.steps.len()).map(|step| self.decide(step, decider, &mut work));
        Ok((answers.collect::<Result<_>>()?, work))
    }

    fn rows(&self, bench: &mut Bench) -> Result<Vec<Vec<String>>> {
        let mut deciders = vec![("general".to_string(), self.trees())];
        let default = self.spheres(ScrewPairOptions::default())?;
        let Decider::Spheres(trees, _) = &default else { unreachable!("it was just made") };
        let chosen = trees[0].leaf_radius();
        deciders.push((format!("CONTACT, leaves of {chosen:.3} (the default)"), default));
        for (name, factor) in [("a quarter", 0.25), ("half", 0.5), ("twice", 2.0)] {
            let settings = ScrewPairOptions { leaf_radius: Some(factor * chosen), ..Default::default() };
            deciders.push((format!("CONTACT, {name} of it"), self.spheres(settings)?));
        }
        deciders.push(("CONTACT, leaves of two sizes".into(), self.spheres_of_own_sizes()));
        if let Some(asked) = bench.contact {
            let leaves = asked.leaf_radius.map_or("default leaves".into(), |r| format!("leaves of {r}"));
            let Tables { labels, edge_edge, vertex_face, face_vertex } = asked.tables;
            let used = [("SS", labels), ("EE", edge_edge), ("VF", vertex_face), ("FV", face_vertex)];
            let used: Vec<&str> = used.iter().filter(|(_, used)| *used).map(|(name, _)| *name).collect();
            let tables = if used.is_empty() { "none".into() } else { used.join("-") };
            deciders.push((format!("CONTACT, {leaves}, tables {tables}"), self.spheres(asked)?));
        }
        let mut rows = Vec::new();
        let mut first: Option<Vec<(bool, f64)>> = None;
        for (name, decider) in &deciders {
            bench.say(&format!("{}: {name}", self.name));
            let (mut answers, mut work, mut times) = (Vec::new(), TreeStats::default(), Vec::new());
            for step in 0..self.steps.len() {
                let mut counted = TreeStats::default();
                let (answer, mut micros) = timed(|| self.decide(step, decider, &mut counted));
                // If a step seems long, other work on the machine may have stopped it, or it may have built shared
                // parts.
                for _ in 0..if micros < 2_000.0 { 2 } else { 1 } {
                    micros = micros.min(timed(|| self.decide(step, decider, &mut TreeStats::default())).1);
                }
                let answer = answer?;
                bench.number(u64::from(answer.0));
                bench.float(answer.1);
                work += counted;
                times.push(micros);
                answers.push(answer);
            }
            let apart = first.as_ref().map_or(0.0, |first| {
                first.iter().zip(&answers).fold(0.0_f64, |most, (a, b)| most.max((a.1 - b.1).abs()))
            });
            let nodes = match decider {
                Decider::Trees(_) => String::new(),
                Decider::Spheres(trees, _) => {
                    trees.iter().map(|tree| tree.nodes().len()).sum::<usize>().to_string()
                }
            };
            let tests = work.contact;
            rows.push(vec![
                format!("{}: {name}", self.name),
                answers.len().to_string(),
                answers.iter().filter(|answer| answer.0).count().to_string(),
                format!("{:.1}", times.iter().sum::<f64>() / times.len().max(1) as f64),
                format!("{:.0}", times.iter().fold(0.0_f64, |most, &time| most.max(time))),
                nodes,
                tests.sphere_sphere.to_string(),
                (tests.total() - tests.sphere_sphere).to_string(),
                tests.too_late.to_string(),
                work.volume_pairs.to_string(),
                format!("{apart:.1e}"),
            ]);
            first.get_or_insert(answers);
        }
        Ok(rows)
    }
}

/// Measures Sec. 5.1 and 5.2: every step by CONTACT and by the general engine.
fn applications(bench: &mut Bench) -> Result<()> {
    let (size, frames) = if bench.quick { (1_000, 60) } else { (8_000, 300) };
    let mut rows = Vec::new();
    for application in &both_applications(size, frames)? {
        rows.extend(application.rows(bench)?);
    }
    bench.table(
        "Sections 5.1 and 5.2: the applications on contact screws, by both engines",
        &[
            "application and engine",
            ">steps",
            ">touching",
            ">mean, us",
            ">worst, us",
            ">nodes",
            ">tests of spheres",
            ">tests of primitives",
            ">of them ended by t_c",
            ">volume pairs",
            ">largest difference of toi",
        ],
        rows,
        &[
            "Ours only: the paper gives a frame rate above 30 Hz for several thousand triangles on a PC of 2001, and no times. One thread; the \
             least of three runs of a step, of two where the first takes more than 2 ms. The poses are taken after the response, so no step of the bouncing potato touches."
                .into(),
            "The dispatcher takes the faster engine, the general one; `ScrewPair` takes CONTACT. The leaves of both meshes have one size, as the paper \
             wants (Sec. 4.4); the last row of each application breaks this rule: leaves of the size of each mesh's own triangles."
                .into(),
        ],
    );
    bench.measured(Measured {
        their_machine: "",
        runs: 3,
        shown: "the least of each step, the mean over the steps",
        differs: "nothing; both engines are ours",
    });
    Ok(())
}

/// The plates over which Table 1 is taken: the squares along a side, and the radius of the leaves.
pub(crate) const PLATES: [(u32, f64); 12] = [
    (1, 0.2),
    (1, 0.14),
    (1, 0.1),
    (1, 0.07),
    (2, 0.2),
    (2, 0.14),
    (2, 0.1),
    (2, 0.07),
    (4, 0.2),
    (4, 0.14),
    (4, 0.1),
    (4, 0.07),
];

/// Measures Table 1 on plates of several parameters: the paper gives neither its object's dimensions nor its path, and
/// the saving by tables depends on them.
fn table_1(bench: &mut Bench) -> Result<()> {
    let saved = |count: u64, of: u64| format!("{:.1} %", 100.0 * (1.0 - count as f64 / of as f64));
    let row = |name: String, totals: [[u64; 5]; 4]| {
        let mut row = vec![name];
        row.extend(totals[0].iter().map(u64::to_string));
        row.extend((1..4).map(|k| saved(totals[k][4], totals[0][4])));
        row
    };
    let mut rows = vec![row("the paper".into(), THEIRS)];
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    let plates = if bench.quick { &PLATES[4..8] } else { &PLATES[..] };
    for &(cells, leaf_radius) in plates {
        bench.say(&format!("plates of {cells} by {cells} squares, leaves of {leaf_radius}"));
        let plates = Plates::new(cells, leaf_radius, 60)?;
        let totals = [Tables::NONE, Tables::LABELS, Tables::PRIMITIVES, Tables::ALL].map(|tables| {
            let (tests, outcomes) = plates.follow(tables);
            for outcome in &outcomes {
                match outcome {
                    Verdict::Free => bench.number(0),
                    Verdict::Touch(touch) => bench.float(touch.t),
                    Verdict::Undecided { free_until } => bench.float(*free_until),
                }
            }
            counts(&tests)
        });
        let by_all = 1.0 - totals[3][4] as f64 / totals[0][4] as f64;
        range = [range[0].min(by_all), range[1].max(by_all)];
        rows.push(row(format!("ours, {cells} by {cells} squares, leaves of {leaf_radius}"), totals));
    }
    let notes = [format!(
        "Two near-parallel plates of 2 by 2 by 0.1, 60 steps. The paper gives neither its object's dimensions nor its path, and the share that tables save depends on \
         them: all four save 20.3 % in the paper, and {:.1} to {:.1} % of all tests on our plates, by their squares and leaves.",
        100.0 * range[0],
        100.0 * range[1]
    )];
    bench.table(
        "Table 1: tests of spheres and primitives without tables, and the share of all tests that tables save",
        &[
            "plates",
            ">SS",
            ">EE",
            ">VF",
            ">FV",
            ">all tests",
            ">saved by SS",
            ">saved by EE-VF-FV",
            ">saved by all four",
        ],
        rows,
        &notes,
    );
    bench.measured(Measured {
        their_machine: "",
        runs: 1,
        shown: "counts",
        differs: "the dimensions of the plates and the path, which the paper does not give",
    });
    Ok(())
}

fn counts(tests: &ContactTests) -> [u64; 5] {
    [tests.sphere_sphere, tests.edge_edge, tests.vertex_face, tests.face_vertex, tests.total()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements of docs/papers.md about CONTACT, in counts of work: they do not vary, so none of them can become
    /// false unnoticed.
    #[test]
    fn the_stated_ratios_hold() {
        for application in &both_applications(2_000, 90).unwrap() {
            let (general, work) = application.answers(&application.trees()).unwrap();
            let default = application.spheres(ScrewPairOptions::default()).unwrap();
            let (answers, tests) = application.answers(&default).unwrap();
            // The same answers, within the tolerance.
            for ((a, t), (b, u)) in general.iter().zip(&answers) {
                assert!(a == b && (t - u).abs() < 1e-3, "{}: {t} {u}", application.name);
            }
            let own = application.spheres_of_own_sizes();
            let (_, before) = application.answers(&own).unwrap();
            let (tests, before) = (tests.contact.total(), before.contact.total());
            println!(
                "{}: {} volume pairs, {tests} tests, {before} before",
                application.name, work.volume_pairs
            );
            // The dispatcher's engine does less work, which is the reason for its choice.
            assert!(work.volume_pairs < tests, "{}: {} {tests}", application.name, work.volume_pairs);
            // Leaves of one size: never much more work, and on the floor at most a tenth.
            let most = if application.name.contains("floor") { before / 10 } else { before + before / 4 };
            assert!(tests <= most, "{}: {tests} tests, {before} with leaves of two sizes", application.name);
        }
    }
}
