//! Advice on links that touch each other at the start: most robots have such pairs, and an SRDF file lists them.

use std::sync::OnceLock;

use firsttouch::{Answer, Options, Part};

use super::PathProgress;
use crate::args::PathArgs;
use crate::output::{Failure, complain};

impl PathProgress {
    /// Says which pairs of links touch at the start, and which command writes a file that allows them.
    pub(super) fn advise(&self, args: &PathArgs, options: &Options) -> Result<(), Failure> {
        let at_start = |answers: &Vec<OnceLock<Option<Answer>>>| matches!(answers.first().and_then(OnceLock::get), Some(Some(Answer::TouchingAtStart(touch))) if touch.bodies == [0, 0]);
        let Some(path) = self.answers.iter().position(at_start) else { return Ok(()) };
        let checker = self.checker_of(path, 0);
        let start = &self.paths[path][0];
        // All pairs of links are measured: for very many links that takes more memory than the query.
        const MOST_LINKS: usize = 300;
        if checker.robot().links().len() > MOST_LINKS {
            return Ok(());
        }
        let found = checker.contacts(start, start, 0.0, options)?;
        let name = |part: &Part| part.link().map(|link| checker.robot().links()[link].name());
        let mut pairs: Vec<[&str; 2]> = found
            .iter()
            .filter(|contact| contact.bodies == [0, 0])
            .filter_map(|contact| Some([name(&contact.parts[0])?, name(&contact.parts[1])?]))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        const MOST: usize = 10;
        let shown: Vec<String> = pairs.iter().take(MOST).map(|[a, b]| format!("{a} and {b}")).collect();
        let more =
            if pairs.len() > MOST { format!(", and {} more", pairs.len() - MOST) } else { String::new() };
        let robot = args.robot.display();
        let beside = args.robot.with_extension("srdf");
        if beside.exists() {
            complain(&format!(
                "note: these pairs of links touch at the start of path {path}: {}{more}; --srdf {} may say which pairs need no check",
                shown.join(", "),
                beside.display()
            ));
            return Ok(());
        }
        let out = beside;
        complain(&format!(
            "note: these pairs of links touch at the start of path {path}: {}{more}; `firsttouch srdf {robot} --out {}` writes which \
             pairs need no check, for --srdf",
            shown.join(", "),
            out.display()
        ));
        Ok(())
    }
}
