//! Two frames of a deforming mesh as a document: the answer of `firsttouch deform` as a page.

use std::path::Path;

use firsttouch::deformable::{Deformable, Settings};
use firsttouch::{Answer, Body, Mode, Options, Scene, Touch};
use firsttouch_io::page::{ClearanceCurve, OneBody, ScenePage, Told, ToldPair};
use firsttouch_io::{Files, MeshData};

use super::{Heading, Made};
use crate::args::ViewArgs;
use crate::output::{Failure, complain};

/// More pairs of features than these are not listed; the totals count them all.
const MOST_PAIRS: usize = 200;

/// Returns the document of two frames.
pub(super) fn of_files(
    files: &Files,
    [from, to]: [&Path; 2],
    args: &ViewArgs,
    options: &Options,
    heading: &Heading,
) -> Result<Made, Failure> {
    options.validate()?;
    let watched = vec![from.to_path_buf(), to.to_path_buf()];
    let [before, after] = files.read_frames(from, to)?;
    files.take_warnings().iter().for_each(|warning| complain(&format!("warning: {warning}")));
    let settings = Settings { threads: options.threads, ..Settings::default() };
    let MeshData { positions, triangles, edges, points, .. } = before;
    let mesh = Deformable::with_settings(positions, after.positions, triangles, edges, points, settings)
        .map_err(|error| Failure::Other(format!("{}: {error}", from.display())))?;
    let report = mesh.check(options, args.start.into())?;
    // The page shows a scene with this single body.
    let mut scene = Scene::default();
    scene.add(Body::deforming(super::scene::name_of(from), mesh))?;

    let pairs = (options.mode == Mode::All).then(|| {
        let mut touches: Vec<&Touch> = report.touches.iter().collect();
        touches.sort_by(|a, b| a.toi.total_cmp(&b.toi));
        let pair = |touch: &Touch| ToldPair {
            answer: Told::new(&Answer::Touch(touch.clone()), &OneBody),
            overlaps: None,
        };
        touches.into_iter().take(MOST_PAIRS).map(pair).collect()
    });
    let mut stats = vec![
        ("vf_candidates", report.stats.vf_candidates),
        ("ee_candidates", report.stats.ee_candidates),
        ("vf_tested", report.stats.vf_tested),
        ("ee_tested", report.stats.ee_tested),
    ];
    if options.mode == Mode::All {
        stats.extend([("vf_touching", report.vf_touching), ("ee_touching", report.ee_touching)]);
    }
    stats.extend(report.crossings_at_start.map(|count| ("crossings_at_start", count)));
    let clearance = args.questions.clearance.then(|| ClearanceCurve::of_scene(&scene, options));
    let touch = report.answer.touch().filter(|_| args.questions.contacts);
    let contacts = touch.map(|touch| scene.contacts(touch.toi, options));
    let page = ScenePage {
        t_max: options.t_max,
        pairs,
        clearance: clearance.transpose()?.flatten(),
        contacts: contacts.transpose()?,
        stats: stats.into_iter().map(|(name, count)| (name.to_string(), count)).collect(),
        ..ScenePage::new(&scene, Told::new(&report.answer, &OneBody))
    };
    let document = page.document(&heading.caption(options));
    Ok(Made { document, watched, answers: vec![report.answer] })
}
