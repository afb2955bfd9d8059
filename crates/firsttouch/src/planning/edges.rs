//! The local planner: whether the straight way from one configuration to another is free.

use super::refuse_motion;
use crate::answer::Answer;
use crate::articulated::{Checker, Version};
use crate::ask::Ask;
use crate::control::{Control, Interrupt};
use crate::error::Result;
use crate::options::{Mode, Options};

/// A check of edges, for planners. [`ProvenEdges`] is the one with a proof.
pub trait Edges {
    /// Checks the way from one configuration to another, every joint moving at a constant rate. With `from` equal to
    /// `to` it checks the configuration.
    fn check(&mut self, from: &[f64], to: &[f64], mode: Mode) -> Result<Answer>;

    /// Returns the statement of a free edge: in which world, and under which options. A [`Roadmap`](super::Roadmap)
    /// keeps its knowledge of edges only while this statement is the same. `None`, the default, is never the same: then
    /// a roadmap proves its edges again in each query.
    fn statement(&self) -> Option<EdgeStatement> {
        None
    }
}

/// The statement of a free edge: see [`Edges::statement`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeStatement {
    world: Version,
    options: Options,
}

impl EdgeStatement {
    /// Edges among the things of this checker, found free by checks with these options. The mode, `t_max` and the
    /// number of threads do not count.
    pub fn new(checker: &Checker, options: &Options) -> EdgeStatement {
        let Options { mode, t_max, threads, .. } = Options::DEFAULT;
        EdgeStatement { world: checker.version(), options: Options { mode, t_max, threads, ..*options } }
    }
}

/// Edges of a robot among obstacles at rest, proven by a [`Checker`].
#[derive(Debug)]
pub struct ProvenEdges<'a> {
    checker: &'a Checker,
    options: Options,
    interrupt: Option<&'a Interrupt>,
}

impl<'a> ProvenEdges<'a> {
    /// Returns an error if an obstacle moves or deforms: a planner goes through edges in both directions and at any
    /// time.
    pub fn new(
        checker: &'a Checker,
        options: Options,
        interrupt: Option<&'a Interrupt>,
    ) -> Result<ProvenEdges<'a>> {
        refuse_motion(checker)?;
        let edges = ProvenEdges { checker, options, interrupt };
        edges.options(Mode::Any).validate_reporting_start("planning")?;
        Ok(edges)
    }

    pub(super) fn checker(&self) -> &'a Checker {
        self.checker
    }

    pub(super) fn options(&self, mode: Mode) -> Options {
        Options { mode, t_max: 1.0, ..self.options }
    }
}

impl ProvenEdges<'_> {
    /// Like [`Edges::check`], ended by another interrupt.
    pub(super) fn check_with(
        &self,
        from: &[f64],
        to: &[f64],
        mode: Mode,
        interrupt: Option<&Interrupt>,
    ) -> Result<Answer> {
        let (options, control) = (self.options(mode), Control { interrupt, progress: None });
        if from == to {
            return Ok(self.checker.check_state(from, Ask::from(&options).control(&control))?.answer);
        }
        Ok(self.checker.check_step(from, to, Ask::from(&options).control(&control))?.answer)
    }
}

impl Edges for ProvenEdges<'_> {
    fn check(&mut self, from: &[f64], to: &[f64], mode: Mode) -> Result<Answer> {
        self.check_with(from, to, mode, self.interrupt)
    }

    fn statement(&self) -> Option<EdgeStatement> {
        Some(EdgeStatement::new(self.checker, &self.options))
    }
}

/// Edges that are proven free in both directions, each as the last proof of a path does it. So that proof does not
/// refuse any of them.
#[derive(Debug)]
pub(super) struct BothWays<'a>(pub(super) ProvenEdges<'a>);

impl Edges for BothWays<'_> {
    fn check(&mut self, from: &[f64], to: &[f64], mode: Mode) -> Result<Answer> {
        if from == to {
            return self.0.check(from, to, mode);
        }
        let forth = self.0.check(from, to, Mode::First)?;
        if forth != Answer::Free || self.0.check(to, from, Mode::First)? == Answer::Free {
            return Ok(forth);
        }
        // The times of the way back say nothing of the way forth.
        Ok(Answer::Undecided { free_until: 0.0, bodies: [0, 0] })
    }

    // An edge that is free both ways says more than one that is free one way, and one that is not says less. No roadmap
    // outlives these edges.
    fn statement(&self) -> Option<EdgeStatement> {
        None
    }
}
