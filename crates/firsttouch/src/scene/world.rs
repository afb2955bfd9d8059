//! A scene as the world of a question.

use std::borrow::Cow;

use super::Scene;
use super::pairs::ScenePairs;
use crate::answer::Touch;
use crate::ask::{Ask, PairFilter};
use crate::body::Body;
use crate::control::Control;
use crate::error::Result;
use crate::manifold::ContactPoint;
use crate::options::Options;
use crate::questions::{Level, Near, World};

/// A scene, or a span of time of it, and the pairs of it that a question is about.
pub(super) struct SceneWorld<'a> {
    pub(super) scene: Cow<'a, Scene>,
    pub(super) filter: Option<PairFilter<'a>>,
}

impl<'a> SceneWorld<'a> {
    pub(super) fn new(scene: &'a Scene, filter: Option<PairFilter<'a>>) -> SceneWorld<'a> {
        SceneWorld { scene: Cow::Borrowed(scene), filter }
    }
}

impl World for SceneWorld<'_> {
    type Pairs<'b>
        = ScenePairs<'b>
    where
        Self: 'b;

    fn pairs(&self) -> ScenePairs<'_> {
        ScenePairs::new(&self.scene, self.filter)
    }

    fn body(&self, index: usize) -> &Body {
        &self.scene.bodies[index]
    }

    fn separation_of_touch(&self, touch: &Touch, options: &Options) -> f64 {
        self.scene.separation_of_touch(touch, options)
    }

    fn span_before(&self, t: f64) -> Result<Option<([f64; 2], Self)>> {
        if !self.scene.has_paths() {
            return Ok(None);
        }
        let (times, scene) = self.scene.span_before(t)?;
        Ok(Some((times, SceneWorld { scene: Cow::Owned(scene), filter: self.filter })))
    }

    fn has_cut(&self, span: [f64; 2]) -> bool {
        self.scene.has_cut(span)
    }

    fn near(
        &self,
        span: [f64; 2],
        level: &Level<'_>,
        resolution: f64,
        control: &Control<'_>,
    ) -> Result<Near> {
        self.scene.near(span, level, resolution, self.filter, control)
    }

    fn contacts(&self, t: f64, options: &Options, control: &Control<'_>) -> Result<Vec<ContactPoint>> {
        let ask = Ask { filter: self.filter, ..Ask::from(options).control(control) };
        self.scene.contacts(t, ask)
    }
}

impl Scene {
    /// Returns everything that comes within a level in a span of time; see [`near`](crate::questions::near).
    pub(super) fn near(
        &self,
        span: [f64; 2],
        level: &Level<'_>,
        resolution: f64,
        filter: Option<PairFilter<'_>>,
        control: &Control<'_>,
    ) -> Result<Near> {
        if self.has_paths() {
            return self.near_of_spans(span, level, resolution, filter, control);
        }
        Ok(crate::questions::near(&ScenePairs::new(self, filter), span, level, resolution, control))
    }
}
