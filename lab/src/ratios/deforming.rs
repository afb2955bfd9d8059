//! Local advancement, 2010: swept volumes and a cubic solver beside the product.

use firsttouch::deformable::{Deformable, Settings, Start};
use firsttouch::{Mode, Options};

use super::{Engine, Result};
use crate::comparison;
use crate::scenes::cloth;
use crate::scenes::deforming::Frames;
use crate::scenes::exploding::{self, Explosion};
use crate::scenes::nbody::{Crowd, Nbody};
use crate::scenes::planning;

/// The last test of a pair.
#[derive(Clone, Copy)]
enum LastTest {
    Exact,
    Cubic,
}

/// Returns an engine with the product's settings.
fn ours(steps: &[Frames], name: &'static str, mode: Mode) -> Result<Engine> {
    engine(steps, name, mode, Settings::default(), LastTest::Exact)
}

/// Returns the engine with which the paper compares: swept volumes alone, and a cubic solver.
fn cubic(steps: &[Frames], name: &'static str, mode: Mode) -> Result<Engine> {
    engine(steps, name, mode, swept(), LastTest::Cubic)
}

/// Returns settings without moving volumes and without local advancement.
fn swept() -> Settings {
    Settings { switch_height: 0, local_advancement: false, ..Settings::default() }
}

fn engine(
    steps: &[Frames],
    name: &'static str,
    mode: Mode,
    settings: Settings,
    last: LastTest,
) -> Result<Engine> {
    let meshes: Vec<Deformable> =
        steps.iter().map(|step| step.build(settings)).collect::<firsttouch::Result<_>>()?;
    let options = Options { mode, ..Options::default() };
    Ok(Engine::new(name, move || {
        for mesh in &meshes {
            match last {
                LastTest::Exact => mesh.check(&options, Start::Ignore)?,
                LastTest::Cubic => comparison::cubic(mesh, &options, Start::Ignore)?,
            };
        }
        Ok(())
    }))
}

/// Returns the engines for the queries of Table I.
fn table_1(steps: &[Frames]) -> Result<Vec<Engine>> {
    Ok(vec![
        cubic(steps, "cubic, all", Mode::All)?,
        ours(steps, "ours, all", Mode::All)?,
        cubic(steps, "cubic, first", Mode::First)?,
        ours(steps, "ours, first", Mode::First)?,
    ])
}

/// Returns the engines for the queries of Table II, with and without moving volumes.
fn table_2(steps: &[Frames]) -> Result<Vec<Engine>> {
    let without = Settings { switch_height: 0, ..Settings::default() };
    Ok(vec![
        cubic(steps, "cubic, any", Mode::Any)?,
        cubic(steps, "cubic, first", Mode::First)?,
        ours(steps, "ours, any", Mode::Any)?,
        ours(steps, "ours, first", Mode::First)?,
        engine(steps, "without moving volumes, any", Mode::Any, without, LastTest::Exact)?,
    ])
}

pub(super) fn explosion() -> Result<Vec<Engine>> {
    let frames = exploding::sequence(Explosion::default(), 13)?;
    let steps: Vec<Frames> = frames.step(8).into_iter().collect();
    table_1(&steps)
}

pub(super) fn crowd() -> Result<Vec<Engine>> {
    let mut crowd = Nbody::new(Crowd::default())?;
    for _ in 0..8 {
        crowd.advance();
    }
    table_1(&[crowd.step()])
}

pub(super) fn cloth() -> Result<Vec<Engine>> {
    let steps = cloth::draped(10_000, 45, 7)?;
    table_1(&steps[steps.len() - 2..])
}

pub(super) fn bar() -> Result<Vec<Engine>> {
    let path = planning::bar_and_spheres(20, 1.0)?;
    let steps: Vec<Frames> = (0..20).step_by(2).filter_map(|k| path.step(k)).collect();
    table_2(&steps)
}

pub(super) fn organs() -> Result<Vec<Engine>> {
    let path = planning::organs(0.6, 10, 1.0)?;
    let steps: Vec<Frames> = (0..path.steps()).step_by(4).filter_map(|k| path.step(k)).take(5).collect();
    table_2(&steps)
}
