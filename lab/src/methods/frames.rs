//! Local advancement and the cubic solver on two frames of a mesh.
//!
//! The method of the paper is the product's engine with the paper's choices: moving volumes, local advancement of
//! features in all modes, and no normal cones, which the paper does not have. The cubic solver is the method that the
//! paper compares with. It proves nothing; see [`comparison::cubic`].
//!
//! Reference: Tang, Kim, Manocha 2010.

use std::collections::HashSet;
use std::path::Path;

use firsttouch::deformable::{DeformReport, Deformable, Settings, Start};
use firsttouch::{Feature, Mode, Options};
use firsttouch_io::{MeshData, read_mesh};

use super::{Agreement, Comparison, Decided, Outcome, Result, Row, judge, shortest};
use crate::comparison;

/// Two frames of one mesh.
#[derive(Debug)]
pub struct FramePair {
    start: MeshData,
    end: MeshData,
}

/// The paper's choices.
const PAPER: Settings = Settings {
    dop: firsttouch::deformable::Dop::Eight,
    switch_height: 3,
    local_advancement: true,
    advancement_in_all: true,
    normal_cones: false,
    threads: 1,
};

/// Swept volumes and a last test.
const CUBIC: Settings = Settings { switch_height: 0, local_advancement: false, ..PAPER };

type Check = fn(&Deformable, &Options, Start) -> firsttouch::Result<DeformReport>;

impl FramePair {
    /// Reads the frames. Returns an error if they are not frames of one mesh.
    pub fn read(from: &Path, to: &Path) -> Result<FramePair> {
        let (start, end) = (read_mesh(from)?, read_mesh(to)?);
        let (counts, triangles) = (
            [&start, &end].map(|mesh| mesh.positions.len()),
            [&start, &end].map(|mesh| mesh.triangles.len()),
        );
        let is_same = counts[0] == counts[1]
            && start.triangles == end.triangles
            && start.edges == end.edges
            && start.points == end.points;
        if !is_same {
            return Err(format!(
                "{} has {} vertices and {} triangles, {} has {} and {}: both frames need the same vertices, triangles, loose edges and loose points, in \
                 the same order. For two rigid meshes write a scene, and give that",
                from.display(),
                counts[0],
                triangles[0],
                to.display(),
                counts[1],
                triangles[1]
            )
            .into());
        }
        Ok(FramePair { start, end })
    }

    fn build(&self, settings: Settings) -> firsttouch::Result<Deformable> {
        let MeshData { positions, triangles, edges, points } = self.start.clone();
        Deformable::with_settings(positions, self.end.positions.clone(), triangles, edges, points, settings)
    }

    /// Compares the first touch and all touches.
    pub(super) fn local_advancement(&self, out: &mut Comparison) -> Result<()> {
        let product = self.build(Settings::default())?;
        out.notes
            .push(format!("{} triangles; contacts at the start are left out", self.start.triangles.len()));
        let methods: [(&str, Settings, Check); 2] =
            [("local advancement", PAPER, Deformable::check), ("cubic solver", CUBIC, comparison::cubic)];
        for (name, settings, check) in methods {
            let paper = self.build(settings)?;
            for (question, mode) in [("first touch", Mode::First), ("all touches", Mode::All)] {
                let options = Options { mode, ..Options::default() };
                let (found, micros) = shortest(|| check(&paper, &options, Start::Ignore));
                let found = found?;
                let (own, own_micros) = shortest(|| product.check(&options, Start::Ignore));
                let own = own?;
                let outcome = |report: &DeformReport| match mode {
                    Mode::All => Outcome::Touches(report.touches.len()),
                    _ => Outcome::from(&report.answer),
                };
                let outcomes = [outcome(&found), outcome(&own)];
                let mut agreement = match mode {
                    Mode::All => same_pairs(&found, &own),
                    _ => judge(outcomes, &options, |options| {
                        Ok(product.check(options, Start::Ignore)?.answer.free_until(options.t_max))
                    })?,
                };
                if let (Agreement::Differ(why), "cubic solver") = (&mut agreement, name) {
                    why.push_str(". The cubic solver proves nothing: the product's answer is the proven one");
                }
                out.rows.push(Row {
                    method: "local-advancement",
                    input: format!("{name}, {question}"),
                    paper: Decided { outcome: outcomes[0], micros, counts: counts(&found) },
                    product: Decided { outcome: outcomes[1], micros: own_micros, counts: counts(&own) },
                    agreement,
                });
            }
        }
        Ok(())
    }
}

fn counts(report: &DeformReport) -> String {
    format!("{} last tests", report.stats.vf_tested + report.stats.ee_tested)
}

/// Returns true if the same pairs of features touch.
fn same_pairs(paper: &DeformReport, product: &DeformReport) -> Agreement {
    let pairs = |report: &DeformReport| -> HashSet<[Feature; 2]> {
        report.touches.iter().map(|touch| touch.features).collect()
    };
    let (paper, product) = (pairs(paper), pairs(product));
    let (missed, extra) = (product.difference(&paper).count(), paper.difference(&product).count());
    let example = product.symmetric_difference(&paper).next();
    match example {
        None => Agreement::Agree,
        Some([a, b]) => Agreement::Differ(format!(
            "the paper's method misses {missed} pairs and has {extra} that do not touch, for example {a:?} and {b:?}"
        )),
    }
}
