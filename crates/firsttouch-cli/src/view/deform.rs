//! Two frames of a deforming mesh as a document: what `firsttouch deform` answers, shown.

use std::collections::BTreeMap;
use std::path::Path;

use firsttouch::deformable::{Deformable, Settings};
use firsttouch::{Answer, Body, Mode, Options, Part, Scene};
use firsttouch_io::{Files, MeshData};

use super::cast::{Cast, Shown};
use super::document::{Place, Run, ShownBody, ShownPair, ShownShape};
use super::geometry::deforming_corners;
use super::questions::{scene_clearance, shown_contacts};
use super::{Made, document};
use crate::answer::OneBody;
use crate::args::{QuestionArgs, ViewArgs};
use crate::output::{Failure, complain};

/// More pairs of features than these are not listed; the totals count them all.
const MOST_PAIRS: usize = 200;

/// The document of two frames.
pub(crate) fn of_files(
    files: &Files,
    [from, to]: [&Path; 2],
    args: &ViewArgs,
    options: &Options,
    title: &str,
    command: &str,
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

    let mut cast = Cast::new(1.0);
    let geometry = cast.geometries.deforming(&mesh, Some(1.0));
    let shapes = vec![ShownShape { geometry, place: Place::default(), role: None }];
    let name = super::scene::name_of(from);
    cast.bodies.push(ShownBody { name, kind: "deforming", group: None, shapes, place: Place::default() });
    cast.shown.push(Shown::One(0));
    let corners = |_body: usize, _part: &Part, feature, t| deforming_corners(&mesh, feature, t);
    let answer = cast.answer(&report.answer, None, &OneBody, corners);
    let pairs = (options.mode == Mode::All).then(|| {
        let mut touches: Vec<_> = report.touches.iter().collect();
        touches.sort_by(|a, b| a.toi.total_cmp(&b.toi));
        let pair = |touch: &firsttouch::Touch| ShownPair {
            answer: cast.answer(&Answer::Touch(touch.clone()), None, &OneBody, corners),
            overlaps: None,
        };
        touches.into_iter().take(MOST_PAIRS).map(pair).collect()
    });
    let mut stats = BTreeMap::from([
        ("vf_candidates", report.stats.vf_candidates),
        ("ee_candidates", report.stats.ee_candidates),
        ("vf_tested", report.stats.vf_tested),
        ("ee_tested", report.stats.ee_tested),
    ]);
    if options.mode == Mode::All {
        stats.extend([("vf_touching", report.vf_touching), ("ee_touching", report.ee_touching)]);
    }
    stats.extend(report.crossings_at_start.map(|count| ("crossings_at_start", count)));
    let mut run = Run { duration: options.t_max, answer, pairs, stats, ..Run::default() };
    let QuestionArgs { clearance, contacts, .. } = args.questions;
    if clearance || contacts {
        let mut scene = Scene::default();
        scene.add(Body::deforming("mesh", mesh.clone()))?;
        if clearance {
            run.clearance = scene_clearance(&scene, &cast, options)?;
        }
        if let (true, Some(touch)) = (contacts, report.answer.touch()) {
            run.contacts = Some(shown_contacts(&scene.contacts(touch.toi, options)?));
        }
    }
    let answers = vec![report.answer];
    Ok(Made { document: document(cast, vec![run], options, title, command)?, watched, answers })
}
