//! Pages: a scene, or a robot on a path, with an answer.
//!
//! The answer comes as an object with the attributes of `_core.Answer`, so that one from a pickle can be shown too. Its
//! times are those of the scene, and its bodies are found by their names: the scene may have changed since.

use firsttouch::articulated::Robot;
use firsttouch::glam::DVec3;
use firsttouch::{Body, BodyKind, Scene, Touch};
use firsttouch_io::RobotVisuals;
use firsttouch_io::page::{self, Caption, PathPage, PathRun, ScenePage, Told, ToldPair, ToldSpan};
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::answer::{OverlapTuple, RawAnswer};
use super::checker::RawChecker;
use super::convert::refused;
use super::scene::RawScene;

/// The document of a scene, as JSON.
#[pyfunction]
pub(crate) fn scene_page(
    py: Python<'_>,
    scene: &RawScene,
    answer: &Bound<'_, PyAny>,
    duration: f64,
    title: &str,
) -> PyResult<String> {
    let scene = scene.shared();
    let place = |name: &str, part: &str| place_in(&scene, name, part);
    let name_of = |index: usize| scene.bodies().get(index).map(Body::name);
    let is_of = |touch: &Touch, names: Option<&[String; 2]>| match names {
        Some(names) => [0, 1].iter().all(|&k| name_of(touch.bodies[k]) == Some(&names[k][..])),
        // A mesh with itself.
        None => touch.bodies == [0, 0] && scene.bodies().len() == 1,
    };
    let told = |answer: &Bound<'_, PyAny>| told(answer, duration, &place, &is_of);
    let mut found = told(answer)?;
    if found.touch.as_ref().is_some_and(|touch| touch.bodies == [0, 0]) {
        found.bodies = Some([0, 0]);
    }
    let pair =
        |pair: Bound<'_, PyAny>| Ok(ToldPair { answer: told(&pair)?, overlaps: spans(&pair, duration)? });
    let pairs = answer.getattr("pairs")?.try_iter()?.map(|one| pair(one?)).collect::<PyResult<Vec<_>>>()?;
    let page = ScenePage {
        duration,
        pairs: (!pairs.is_empty()).then_some(pairs),
        stats: answer.getattr("stats")?.extract()?,
        ..ScenePage::new(&scene, found)
    };
    Ok(py.detach(|| page.document(&Caption { title, ..Caption::default() }).json()))
}

/// The document of a robot on a path, as JSON.
#[pyfunction]
pub(crate) fn path_page(
    py: Python<'_>,
    checker: &RawChecker,
    path: PyReadonlyArray2<'_, f64>,
    answer: &Bound<'_, PyAny>,
    title: &str,
) -> PyResult<String> {
    let checker = checker.shared();
    let path: Vec<Vec<f64>> = path.as_array().rows().into_iter().map(|row| row.to_vec()).collect();
    let segment: Option<usize> = answer.getattr("segment")?.extract()?;
    let robot = checker.robot();
    let place = |name: &str, part: &str| match checker.index_of(name) {
        Some(obstacle) => Some((obstacle + 1, None)),
        None => (name == robot.name()).then(|| (0, robot.link(part))),
    };
    let is_of = |touch: &Touch, names: Option<&[String; 2]>| {
        let is_side = |k: usize, name: &str| place(name, "").is_some_and(|(body, _)| body == touch.bodies[k]);
        names.is_some_and(|[a, b]| is_side(0, a) && is_side(1, b))
    };
    let told = told(answer, 1.0, &place, &is_of)?;
    let run = PathRun { stats: answer.getattr("stats")?.extract()?, ..PathRun::new(&path, told, segment) };
    let visuals = RobotVisuals::default();
    let page = PathPage { checker: &checker, visuals: &visuals, runs: vec![run] };
    let document = py.detach(|| page.document(&Caption { title, ..Caption::default() }));
    Ok(document.map_err(refused)?.json())
}

/// The page that shows a document.
#[pyfunction]
pub(crate) fn page_around(document: &str) -> String {
    page::around(document)
}

/// The index of a body, and the link that a part of it is.
fn place_in(scene: &Scene, name: &str, part: &str) -> Option<(usize, Option<usize>)> {
    let index = scene.index_of(name)?;
    let body = &scene.bodies()[index];
    let link = match body.kind() {
        BodyKind::Attached { link, .. } => Some(*link),
        _ => body.as_robot().and_then(|robot: &Robot| robot.link(part)),
    };
    Some((index, link))
}

type Place<'a> = dyn Fn(&str, &str) -> Option<(usize, Option<usize>)> + 'a;

/// An answer in the time from 0 to 1. `is_of` says whether a touch of the core is one of the bodies with these names,
/// or of the only body.
fn told(
    answer: &Bound<'_, PyAny>,
    duration: f64,
    place: &Place<'_>,
    is_of: &dyn Fn(&Touch, Option<&[String; 2]>) -> bool,
) -> PyResult<Told> {
    let number = |name: &str| answer.getattr(name)?.extract::<Option<f64>>();
    let pair = |name: &str| answer.getattr(name)?.extract::<Option<[String; 2]>>();
    let unit = |t: f64| (t / duration).clamp(0.0, 1.0);
    let kind: String = answer.getattr("kind")?.extract()?;
    let word = ["free", "touch", "touching_at_start", "undecided"].into_iter().find(|word| *word == kind);
    let word = word.ok_or_else(|| PyValueError::new_err(format!("there is no answer \"{kind}\"")))?;
    let (names, parts) = (pair("names")?, pair("parts")?);
    let (toi, free_until) = (number("toi")?, number("free_until")?);
    let side = |k: usize| {
        let part = parts.as_ref().map_or("", |parts| &parts[k]);
        place(&names.as_ref()?[k], part)
    };
    let sides = [side(0), side(1)];
    let links = sides.map(|side| side.and_then(|(_, link)| link));
    let within = |k: usize, path: &str, part: &str| match links[k] {
        Some(_) => page::within_link(path, part),
        None => path.to_string(),
    };
    let paths = pair("part_paths")?;
    let core = answer.cast::<RawAnswer>().ok().and_then(|raw| raw.get().touch().cloned());
    let touch = core.filter(|touch| is_of(touch, names.as_ref())).map(|mut touch| {
        touch.toi = unit(touch.toi);
        touch
    });
    Ok(Told {
        word,
        toi: toi.map(unit),
        free_until: free_until
            .filter(|free| match toi {
                Some(toi) => *free < toi,
                None => word == "undecided",
            })
            .map(unit),
        gap: number("gap")?,
        bodies: sides[0].zip(sides[1]).map(|((a, _), (b, _))| [a, b]),
        links,
        parts: parts.zip(paths).map(|(parts, paths)| [0, 1].map(|k| within(k, &paths[k], &parts[k]))),
        features: pair("features")?,
        points: vectors(&answer.getattr("points")?)?,
        normal: answer.getattr("normal")?.extract::<Option<[f64; 3]>>()?.map(DVec3::from_array),
        touch,
    })
}

fn vectors(points: &Bound<'_, PyAny>) -> PyResult<Option<[DVec3; 2]>> {
    Ok(points.extract::<Option<[[f64; 3]; 2]>>()?.map(|points| points.map(DVec3::from_array)))
}

/// The times at which a pair touches, in the time from 0 to 1.
fn spans(pair: &Bound<'_, PyAny>, duration: f64) -> PyResult<Option<Vec<ToldSpan>>> {
    let overlaps: Option<Vec<OverlapTuple>> = pair.getattr("overlaps")?.extract()?;
    let span = |(start, end, certain): OverlapTuple| ToldSpan {
        from: start.0 / duration,
        to: end.1 / duration,
        certain,
    };
    Ok(overlaps.map(|overlaps| overlaps.into_iter().map(span).collect()))
}
