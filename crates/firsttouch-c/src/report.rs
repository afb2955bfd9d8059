//! The complete result of a query: the overall answer, and the answer of each pair.

use std::mem::MaybeUninit;

use firsttouch::Report;
use firsttouch::deformable::DeformReport;
use firsttouch::ellipsoid::{Overlap, OverlapKind};

use crate::border::{Failure, entry, freed, ft_status, given, guarded, put, put_list};
use crate::values::ft_answer;

/// The answer of a scene or a deforming mesh with its pairs and statistics. It never changes.
pub struct ft_report {
    answer: ft_answer,
    pairs: Vec<Pair>,
    crossings_at_start: Option<u64>,
    stats: ft_stats,
}

struct Pair {
    answer: ft_answer,
    overlaps: Option<Vec<ft_overlap>>,
}

/// The work of a query of a scene; all zero for a deforming mesh alone.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ft_stats {
    /// All pairs of bodies, and every robot or deforming mesh with itself.
    pub pairs: u64,
    /// Pairs that are allowed to touch.
    pub allowed: u64,
    /// Pairs whose boxes over time stay apart.
    pub boxes_apart: u64,
    /// Pairs that were examined.
    pub advanced: u64,
    /// Pairs dropped because they cannot touch before the first touch.
    pub later: u64,
    /// Steps of advancement of all pairs together.
    pub iterations: u64,
}

/// A time during which two ellipsoids touch or overlap. The start lies between the two numbers of `start`, the end
/// between those of `end`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ft_overlap {
    /// The interval that contains its start.
    pub start: [f64; 2],
    /// The interval that contains its end.
    pub end: [f64; 2],
    /// 1 if they certainly overlap, 0 if rounding hides whether they touch.
    pub certain: u64,
}

impl From<&Overlap> for ft_overlap {
    fn from(overlap: &Overlap) -> ft_overlap {
        let certain = u64::from(overlap.kind == OverlapKind::Overlap);
        ft_overlap { start: overlap.start, end: overlap.end, certain }
    }
}

impl ft_report {
    pub(crate) fn of_scene(report: &Report, t_max: f64) -> ft_report {
        let pairs = report.pairs.iter().map(|pair| Pair {
            answer: ft_answer::new(&pair.answer, t_max),
            overlaps: pair.overlaps.as_ref().map(|all| all.iter().map(ft_overlap::from).collect()),
        });
        ft_report {
            answer: ft_answer::new(&report.answer, t_max),
            pairs: pairs.collect(),
            crossings_at_start: None,
            stats: ft_stats {
                pairs: report.stats.pairs,
                allowed: report.stats.allowed,
                boxes_apart: report.stats.boxes_apart,
                advanced: report.stats.advanced,
                later: report.stats.later,
                iterations: report.stats.iterations,
            },
        }
    }

    pub(crate) fn of_deforming(report: &DeformReport, t_max: f64) -> ft_report {
        let touches = report.touches.iter().map(|touch| {
            let at_start = touch.toi == 0.0;
            let answer =
                if at_start { firsttouch::Answer::TouchingAtStart } else { firsttouch::Answer::Touch };
            Pair { answer: ft_answer::new(&answer(touch.clone()), t_max), overlaps: None }
        });
        ft_report {
            answer: ft_answer::new(&report.answer, t_max),
            pairs: touches.collect(),
            crossings_at_start: report.crossings_at_start,
            stats: ft_stats::default(),
        }
    }
}

/// Writes the overall answer.
#[unsafe(no_mangle)]
pub extern "C" fn ft_report_answer(
    report: Option<&ft_report>,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let report = given("report", report)?;
        given("answer", answer)?.write(report.answer);
        Ok(())
    })
}

/// Writes the work of the query.
#[unsafe(no_mangle)]
pub extern "C" fn ft_report_stats(
    report: Option<&ft_report>,
    stats: Option<&mut MaybeUninit<ft_stats>>,
) -> ft_status {
    guarded(|| {
        let report = given("report", report)?;
        given("stats", stats)?.write(report.stats);
        Ok(())
    })
}

/// Writes the number of pairs that are not free, in mode all: pairs of bodies of a scene, pairs of features of a
/// deforming mesh.
#[unsafe(no_mangle)]
pub extern "C" fn ft_report_pair_count(
    report: Option<&ft_report>,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let report = given("report", report)?;
        given("count", count)?.write(report.pairs.len());
        Ok(())
    })
}

/// Writes the answer of one pair.
#[unsafe(no_mangle)]
pub extern "C" fn ft_report_pair(
    report: Option<&ft_report>,
    index: usize,
    answer: Option<&mut MaybeUninit<ft_answer>>,
) -> ft_status {
    guarded(|| {
        let pair = entry("pair", &given("report", report)?.pairs, index)?;
        given("answer", answer)?.write(pair.answer);
        Ok(())
    })
}

/// Writes all times at which the two ellipsoids of a pair touch or overlap. `FT_STATUS_NOT_FOUND` for pairs for which
/// they are not known. They are known only for ellipsoids in rational motions, without a separation to keep.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ft_report_pair_overlaps(
    report: Option<&ft_report>,
    index: usize,
    overlaps: *mut MaybeUninit<ft_overlap>,
    capacity: usize,
    count: Option<&mut MaybeUninit<usize>>,
) -> ft_status {
    guarded(|| {
        let pair = entry("pair", &given("report", report)?.pairs, index)?;
        let unknown = || Failure::new(ft_status::NotFound, format!("pair {index} has no list of overlaps"));
        let known = pair.overlaps.as_ref().ok_or_else(unknown)?;
        // SAFETY: the caller's promise.
        unsafe { put_list(known.iter().copied(), overlaps, capacity, count) }
    })
}

/// Writes the number of pairs of an edge and a triangle of a deforming mesh that cross at time 0. `FT_STATUS_NOT_FOUND`
/// if they were not counted: in mode any, if contacts at the start are ignored, and in scenes.
#[unsafe(no_mangle)]
pub extern "C" fn ft_report_crossings_at_start(
    report: Option<&ft_report>,
    count: Option<&mut MaybeUninit<u64>>,
) -> ft_status {
    guarded(|| {
        let known = given("report", report)?.crossings_at_start;
        let known = known
            .ok_or_else(|| Failure::new(ft_status::NotFound, "crossings at the start were not counted"))?;
        put(count, known);
        Ok(())
    })
}

/// Frees a report. NULL is left alone.
#[unsafe(no_mangle)]
pub extern "C" fn ft_report_free(report: Option<Box<ft_report>>) {
    freed(report);
}
