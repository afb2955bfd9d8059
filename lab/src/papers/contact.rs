//! Table 1 of the 2001 paper, what labels and hash tables save on two near-parallel plates; and its two applications, by CONTACT and by the
//! general engine.

use firsttouch::contact::{ContactTests, Tables};
use firsttouch::motion::{ContactScrew, Motion, Pose};
use firsttouch::narrow::{Pieces, Side};
use firsttouch::pair::{Limits, TreeStats, Verdict};
use firsttouch::shape::{Mesh, Shape};
use firsttouch::tree;
use firsttouch::{Options, ScrewPair, ScrewPairOptions};

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

/// One step of an application: the moving mesh on a contact screw, and the one at rest.
struct Application {
    name: &'static str,
    moving: Mesh,
    resting: Mesh,
    steps: Vec<[Pose; 2]>,
}

/// Sec. 5.1 and 5.2: every step once by CONTACT and once by the general engine.
fn applications(bench: &mut Bench) -> Result<()> {
    let (size, frames) = if bench.quick { (1_000, 60) } else { (8_000, 300) };
    let steps = |path: &[Pose]| path.windows(2).map(|ends| [ends[0], ends[1]]).collect::<Vec<_>>();
    let thrown = |size: usize| -> Result<Vec<Pose>> {
        let mut run = Bouncing::thrown(&potato(size, 1)?, 2001, Setup::default())?;
        Ok((0..frames)
            .map(|_| {
                run.step();
                run.pose()
            })
            .collect())
    };
    let applications = [
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
            steps: steps(&thrown(size)?),
        },
    ];
    let mut rows = Vec::new();
    for application in &applications {
        bench.say(application.name);
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
            ">tests of spheres",
            ">tests of primitives",
            ">of them ended by t_c",
            ">volume pairs",
            ">largest difference of toi",
        ],
        rows,
        &[
            "Ours only: the paper gives a frame rate above 30 Hz for several thousand triangles on a PC of 2001, and no times. One thread, the \
             least of three runs. Steps go on through the other body, so many begin with a touch."
                .into(),
            "The dispatcher takes the faster engine, the general one; `ScrewPair` always takes CONTACT. Leaf radius: `natural` is the size of \
             the triangles of each mesh; the others are half and twice the size of the moving mesh's triangles, for both meshes."
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

impl Application {
    fn rows(&self, bench: &mut Bench) -> Result<Vec<Vec<String>>> {
        let options = Options::default();
        let shapes = [Shape::from(self.moving.clone()), Shape::from(self.resting.clone())];
        let natural = self.moving.spheres().leaf_radius();
        let mut engines: Vec<(String, Option<ScrewPair>)> = vec![("general".into(), None)];
        for (name, leaf_radius) in
            [("natural", None), ("half", Some(0.5 * natural)), ("twice", Some(2.0 * natural))]
        {
            let settings = ScrewPairOptions { leaf_radius, ..ScrewPairOptions::default() };
            // A floor has too many small spheres.
            if let Ok(pair) = ScrewPair::new(self.moving.clone(), self.resting.clone(), settings) {
                engines.push((format!("CONTACT, {name} leaves"), Some(pair)));
            }
        }
        if let Some(chosen) = bench.contact {
            let pair = ScrewPair::new(self.moving.clone(), self.resting.clone(), chosen)?;
            let leaves = chosen.leaf_radius.map_or("natural leaves".into(), |r| format!("leaves of {r}"));
            let Tables { labels, edge_edge, vertex_face, face_vertex } = chosen.tables;
            let used = [("SS", labels), ("EE", edge_edge), ("VF", vertex_face), ("FV", face_vertex)];
            let used: Vec<&str> = used.iter().filter(|(_, used)| *used).map(|(name, _)| *name).collect();
            let tables = if used.is_empty() { "none".into() } else { used.join("-") };
            engines.push((format!("CONTACT, {leaves}, tables {tables}"), Some(pair)));
        }
        let mut rows = Vec::new();
        let mut first: Option<Vec<(bool, f64)>> = None;
        for (name, pair) in &engines {
            let (mut answers, mut work, mut times) = (Vec::new(), TreeStats::default(), Vec::new());
            for &[from, to] in &self.steps {
                let screw = ContactScrew::new(from, to);
                // Whether it touches, and up to which time it is free.
                let ask = |work: &mut TreeStats| -> firsttouch::Result<(bool, f64)> {
                    let Some(pair) = pair else {
                        let motions = [Motion::ContactScrew(screw), Motion::AT_REST];
                        let sides =
                            [0, 1].map(|k| Side { pieces: Pieces::of(&shapes[k]), motion: &motions[k] });
                        let found = tree::first_touch(&[sides], &Limits::new(&options)?, false, work);
                        return Ok(match found.verdict {
                            Verdict::Free => (false, 1.0),
                            Verdict::Undecided { free_until } => (false, free_until),
                            Verdict::Touch(touch) => (true, touch.t),
                        });
                    };
                    let answer = pair.check_counting(&screw, Pose::IDENTITY, &options, work)?;
                    Ok((answer.touch().is_some(), answer.free_until(1.0)))
                };
                let mut counted = TreeStats::default();
                let (answer, mut micros) = timed(|| ask(&mut counted));
                for _ in 0..2 {
                    micros = micros.min(timed(|| ask(&mut TreeStats::default())).1);
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
            let tests = work.contact;
            rows.push(vec![
                format!("{}: {name}", self.name),
                answers.len().to_string(),
                answers.iter().filter(|answer| answer.0).count().to_string(),
                format!("{:.1}", times.iter().sum::<f64>() / times.len().max(1) as f64),
                format!("{:.0}", times.iter().fold(0.0_f64, |most, &time| most.max(time))),
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

fn table_1(bench: &mut Bench) -> Result<()> {
    let plates = Plates::like_figure_3()?;
    let names = ["no table", "SS", "EE-VF-FV", "four"];
    let tables = [Tables::NONE, Tables::LABELS, Tables::PRIMITIVES, Tables::ALL];
    let mut rows = Vec::new();
    let mut ours_alone = None;
    for ((name, tables), theirs) in names.into_iter().zip(tables).zip(THEIRS) {
        bench.say(name);
        let ((tests, outcomes), micros) = timed(|| plates.follow(tables));
        for outcome in &outcomes {
            match outcome {
                Verdict::Free => bench.number(0),
                Verdict::Touch(touch) => bench.float(touch.t),
                Verdict::Undecided { free_until } => bench.float(*free_until),
            }
        }
        let ours = counts(&tests);
        let alone = *ours_alone.get_or_insert(ours[4]);
        let saved = |count: u64, of: u64| format!("{:.1} %", 100.0 * (1.0 - count as f64 / of as f64));
        let mut row = vec![name.to_string()];
        row.extend((0..5).flat_map(|k| [theirs[k].to_string(), ours[k].to_string()]));
        row.extend([saved(theirs[4], THEIRS[0][4]), saved(ours[4], alone), format!("{:.1}", micros * 1e-3)]);
        rows.push(row);
    }
    let notes = [format!(
        "Two plates of {} triangles, {} steps, one run. The paper does not give its object's dimensions or its path, so the counts are of another \
         scene; what can be compared is what the tables save.",
        plates.plate.triangles().len(),
        plates.path.len() - 1
    )];
    bench.table(
        "Table 1: tests of spheres and primitives, with and without tables",
        &[
            "tables",
            ">theirs: SS",
            ">ours: SS",
            ">theirs: EE",
            ">ours: EE",
            ">theirs: VF",
            ">ours: VF",
            ">theirs: FV",
            ">ours: FV",
            ">theirs: total",
            ">ours: total",
            ">theirs: saved",
            ">ours: saved",
            ">ours: ms",
        ],
        rows,
        &notes,
    );
    bench.measured(Measured {
        their_machine: "",
        runs: 1,
        shown: "counts, and the time of the whole path",
        differs: "the dimensions of the plates and the path, which the paper does not give",
    });
    Ok(())
}

fn counts(tests: &ContactTests) -> [u64; 5] {
    [tests.sphere_sphere, tests.edge_edge, tests.vertex_face, tests.face_vertex, tests.total()]
}
