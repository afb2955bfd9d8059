//! The ratios that README and docs/papers.md state, on counts of instructions:
//! `cargo run --release -p firsttouch-lab --bin ratios`.
//!
//! 1. A [`Group`] prepares one scene, small enough for callgrind, and the engines that decide it.
//! 2. Each engine decides all of its steps twice. The first time builds the parts that are built only on demand; the
//!    second is `counted_region`, the only function that is counted.
//! 3. A [`Ratio`] divides two of these counts. It must be within its band, and it names the text to change if it is
//!    not.
//!
//! Counts of instructions are the same on a busy machine, and for one build from run to run; another compiler changes
//! them by a few percent. The bands are wider than that. They are about these small scenes: the ratios of times of
//! whole scenes are those of `cargo run --release -p firsttouch-lab -- papers`.

mod deforming;
mod pairs;
mod robots;

/// The reason why a group cannot be prepared, or a ratio cannot be taken.
pub type Failure = Box<dyn std::error::Error>;

/// The result type of this module.
pub type Result<T> = std::result::Result<T, Failure>;

/// The work of an engine, for the first and for the second time.
type Work = Box<dyn FnMut() -> Result<()>>;

/// An engine on the steps of its group.
pub struct Engine {
    /// Its name within the group.
    pub name: &'static str,
    work: Work,
}

impl Engine {
    fn new(name: &'static str, work: impl FnMut() -> Result<()> + 'static) -> Engine {
        Engine { name, work: Box::new(work) }
    }
}

/// A scene and the engines that decide it.
pub struct Group {
    /// Its name on the command line.
    pub name: &'static str,
    /// The scene, and how many steps of it.
    pub scene: &'static str,
    prepare: fn() -> Result<Vec<Engine>>,
}

impl Group {
    /// Prepares the scene and lets every engine decide it twice. `report` is called with the name of each engine, in
    /// the order of the counts.
    pub fn run(&self, mut report: impl FnMut(&str)) -> Result<()> {
        for mut engine in (self.prepare)()? {
            (engine.work)()?;
            counted_region(&mut engine.work)?;
            report(engine.name);
        }
        Ok(())
    }
}

/// Runs the work. This is the only function whose instructions are counted.
#[inline(never)]
fn counted_region(work: &mut Work) -> Result<()> {
    work()
}

/// The name by which callgrind finds it. Dumps need the whole name.
pub const COUNTED: &str = "firsttouch_lab::ratios::counted_region";

/// The count of one engine by that of another.
pub struct Ratio {
    /// The group of both.
    pub group: &'static str,
    /// The engine whose count is divided, and the one by which.
    pub engines: [&'static str; 2],
    /// The least and the largest value that the text allows.
    pub band: [f64; 2],
    /// The text that states it, to be changed when the ratio leaves the band.
    pub stated: &'static str,
}

/// All groups.
pub const GROUPS: [Group; 17] = [
    Group {
        name: "explosion",
        scene: "252,000 triangles that fly apart, 1 step",
        prepare: deforming::explosion,
    },
    Group { name: "crowd", scene: "145 balls of 980 triangles, 1 step", prepare: deforming::crowd },
    Group { name: "cloth", scene: "cloth of 10,000 triangles on a ball, 2 steps", prepare: deforming::cloth },
    Group { name: "bar", scene: "bar and spheres, free, 10 steps", prepare: deforming::bar },
    Group { name: "organs", scene: "organs of 4,900 triangles, free, 5 steps", prepare: deforming::organs },
    Group { name: "walk", scene: "walking mannequin, 10 steps", prepare: robots::walk },
    Group { name: "exercise", scene: "exercising mannequin, 10 steps", prepare: robots::exercise },
    Group { name: "four_trains", scene: "four trains, 2 steps", prepare: robots::four_trains },
    Group { name: "falling_train", scene: "falling train, 1 step", prepare: robots::falling_train },
    Group { name: "wooden_men_1", scene: "wooden men, 1 joint, 30 steps", prepare: || robots::wooden_men(1) },
    Group { name: "pendulum_1", scene: "pendulum, 1 joint, 30 steps", prepare: || robots::pendulum(1) },
    Group {
        name: "falling_man_1",
        scene: "falling man, 1 joint, 30 steps",
        prepare: || robots::falling_man(1),
    },
    Group {
        name: "wooden_men_29",
        scene: "wooden men, 29 joints, 15 steps",
        prepare: || robots::wooden_men(29),
    },
    Group { name: "pendulum_29", scene: "pendulum, 29 joints, 15 steps", prepare: || robots::pendulum(29) },
    Group {
        name: "falling_man_29",
        scene: "falling man, 29 joints, 15 steps",
        prepare: || robots::falling_man(29),
    },
    Group {
        name: "contact",
        scene: "potato of 1,000 triangles on a floor of two, 3 steps",
        prepare: pairs::contact,
    },
    Group { name: "ellipsoids", scene: "200 equations of two ellipsoids", prepare: pairs::ellipsoids },
];

/// All ratios, group by group.
pub const RATIOS: [Ratio; 41] = [
    Ratio {
        group: "explosion",
        engines: ["cubic, all", "ours, all"],
        band: [1.4, 2.8],
        stated: "docs/papers.md, Local advancement, the table of ratios; README, local advancement 2010: the ratio of all touches",
    },
    Ratio {
        group: "explosion",
        engines: ["cubic, first", "ours, first"],
        band: [0.9, 1.35],
        stated: "docs/papers.md, Local advancement, the table of ratios",
    },
    Ratio {
        group: "crowd",
        engines: ["cubic, all", "ours, all"],
        band: [1.15, 1.9],
        stated: "docs/papers.md, Local advancement, the table of ratios",
    },
    Ratio {
        group: "crowd",
        engines: ["cubic, first", "ours, first"],
        band: [0.9, 1.7],
        stated: "docs/papers.md, Local advancement, the table of ratios",
    },
    Ratio {
        group: "cloth",
        engines: ["cubic, all", "ours, all"],
        band: [0.9, 2.6],
        stated: "docs/papers.md, Local advancement, the table of ratios",
    },
    Ratio {
        group: "cloth",
        engines: ["cubic, first", "ours, first"],
        band: [0.85, 1.4],
        stated: "docs/papers.md, Local advancement, the table of ratios",
    },
    Ratio {
        group: "bar",
        engines: ["cubic, any", "ours, any"],
        band: [0.8, 1.6],
        stated: "docs/papers.md, Local advancement, the table of paths and the paragraph under it",
    },
    Ratio {
        group: "bar",
        engines: ["cubic, first", "ours, first"],
        band: [0.9, 1.7],
        stated: "docs/papers.md, Local advancement, the table of paths and the paragraph under it",
    },
    Ratio {
        group: "bar",
        engines: ["without moving volumes, any", "ours, any"],
        band: [0.8, 1.6],
        stated: "docs/papers.md, Local advancement, the table of paths and the paragraph under it: what moving volumes save",
    },
    Ratio {
        group: "bar",
        engines: ["ours, any", "ours, first"],
        band: [0.7, 1.15],
        stated: "docs/papers.md, Ratios counted in instructions: mode Any on free steps",
    },
    Ratio {
        group: "organs",
        engines: ["cubic, any", "ours, any"],
        band: [1.2, 2.6],
        stated: "docs/papers.md, Local advancement, the table of paths and the paragraph under it",
    },
    Ratio {
        group: "organs",
        engines: ["cubic, first", "ours, first"],
        band: [1.2, 2.6],
        stated: "docs/papers.md, Local advancement, the table of paths and the paragraph under it",
    },
    Ratio {
        group: "organs",
        engines: ["without moving volumes, any", "ours, any"],
        band: [1.2, 2.4],
        stated: "docs/papers.md, Local advancement, the table of paths and the paragraph under it: what moving volumes save",
    },
    Ratio {
        group: "organs",
        engines: ["ours, any", "ours, first"],
        band: [0.7, 1.15],
        stated: "docs/papers.md, Ratios counted in instructions: mode Any on free steps",
    },
    Ratio {
        group: "walk",
        engines: ["pipeline, Taylor", "product"],
        band: [3.5, 7.0],
        stated: "docs/papers.md, Ratios counted in instructions: the pipeline of CATCH by the product",
    },
    Ratio {
        group: "walk",
        engines: ["pipeline, Taylor", "pipeline, intervals"],
        band: [1.05, 1.7],
        stated: "docs/papers.md, Ratios counted in instructions: Taylor models by intervals",
    },
    Ratio {
        group: "walk",
        engines: ["free, any", "free, first"],
        band: [0.7, 1.05],
        stated: "docs/papers.md, Ratios counted in instructions: mode Any on free steps",
    },
    Ratio {
        group: "exercise",
        engines: ["pipeline, Taylor", "product"],
        band: [7.0, 14.0],
        stated: "docs/papers.md, Ratios counted in instructions: the pipeline of CATCH by the product",
    },
    Ratio {
        group: "exercise",
        engines: ["pipeline, Taylor", "pipeline, intervals"],
        band: [1.1, 1.9],
        stated: "docs/papers.md, Ratios counted in instructions: Taylor models by intervals",
    },
    Ratio {
        group: "exercise",
        engines: ["free, any", "free, first"],
        band: [0.7, 1.05],
        stated: "docs/papers.md, Ratios counted in instructions: mode Any on free steps",
    },
    Ratio {
        group: "four_trains",
        engines: ["pipeline, Taylor", "product"],
        band: [15.0, 30.0],
        stated: "docs/papers.md, Ratios counted in instructions: the pipeline of CATCH by the product",
    },
    Ratio {
        group: "four_trains",
        engines: ["pipeline, Taylor", "pipeline, intervals"],
        band: [0.75, 1.1],
        stated: "docs/papers.md, Ratios counted in instructions: Taylor models by intervals",
    },
    Ratio {
        group: "four_trains",
        engines: ["free, any", "free, first"],
        band: [0.7, 1.05],
        stated: "docs/papers.md, Ratios counted in instructions: mode Any on free steps",
    },
    Ratio {
        group: "falling_train",
        engines: ["pipeline, Taylor", "product"],
        band: [250.0, 600.0],
        stated: "docs/papers.md, Ratios counted in instructions: the pipeline of CATCH by the product",
    },
    Ratio {
        group: "falling_train",
        engines: ["pipeline, Taylor", "pipeline, intervals"],
        band: [0.9, 1.15],
        stated: "docs/papers.md, Ratios counted in instructions: Taylor models by intervals",
    },
    Ratio {
        group: "falling_train",
        engines: ["free, any", "free, first"],
        band: [0.7, 1.05],
        stated: "docs/papers.md, Ratios counted in instructions: mode Any on free steps",
    },
    Ratio {
        group: "wooden_men_1",
        engines: ["Simulated, intervals", "Simulated"],
        band: [1.3, 2.2],
        stated: "docs/papers.md, Ratios counted in instructions: intervals by chords in the assembly tree",
    },
    Ratio {
        group: "wooden_men_1",
        engines: ["Simulated", "stateless"],
        band: [0.55, 0.95],
        stated: "docs/papers.md, Assembly tree, the table of Figure 4 and the sentence under it",
    },
    Ratio {
        group: "pendulum_1",
        engines: ["Simulated, intervals", "Simulated"],
        band: [1.1, 2.0],
        stated: "docs/papers.md, Ratios counted in instructions: intervals by chords in the assembly tree",
    },
    Ratio {
        group: "pendulum_1",
        engines: ["Simulated", "stateless"],
        band: [0.4, 0.75],
        stated: "docs/papers.md, Assembly tree, the table of Figure 4 and the sentence under it",
    },
    Ratio {
        group: "falling_man_1",
        engines: ["Simulated, intervals", "Simulated"],
        band: [1.3, 2.2],
        stated: "docs/papers.md, Ratios counted in instructions: intervals by chords in the assembly tree",
    },
    Ratio {
        group: "falling_man_1",
        engines: ["Simulated", "stateless"],
        band: [0.45, 0.85],
        stated: "docs/papers.md, Assembly tree, the table of Figure 4 and the sentence under it; README, assembly tree 2008",
    },
    Ratio {
        group: "wooden_men_29",
        engines: ["Simulated, intervals", "Simulated"],
        band: [2.5, 4.5],
        stated: "docs/papers.md, Ratios counted in instructions: intervals by chords in the assembly tree",
    },
    Ratio {
        group: "wooden_men_29",
        engines: ["Simulated", "stateless"],
        band: [0.85, 1.25],
        stated: "docs/papers.md, Assembly tree, the table of Figure 4 and the sentence under it",
    },
    Ratio {
        group: "pendulum_29",
        engines: ["Simulated, intervals", "Simulated"],
        band: [2.4, 4.3],
        stated: "docs/papers.md, Ratios counted in instructions: intervals by chords in the assembly tree",
    },
    Ratio {
        group: "pendulum_29",
        engines: ["Simulated", "stateless"],
        band: [1.7, 3.0],
        stated: "docs/papers.md, Assembly tree, the table of Figure 4 and the sentence under it",
    },
    Ratio {
        group: "falling_man_29",
        engines: ["Simulated, intervals", "Simulated"],
        band: [1.3, 2.3],
        stated: "docs/papers.md, Ratios counted in instructions: intervals by chords in the assembly tree",
    },
    Ratio {
        group: "falling_man_29",
        engines: ["Simulated", "stateless"],
        band: [0.75, 1.25],
        stated: "docs/papers.md, Assembly tree, the table of Figure 4 and the sentence under it",
    },
    Ratio {
        group: "contact",
        engines: ["leaves of two sizes", "leaves of one size"],
        band: [30.0, 400.0],
        stated: "docs/papers.md, CONTACT, the table of leaves of one size",
    },
    Ratio {
        group: "contact",
        engines: ["leaves of one size", "general engine"],
        band: [10.0, 60.0],
        stated: "docs/papers.md, CONTACT, the table of leaves of one size",
    },
    Ratio {
        group: "ellipsoids",
        engines: ["rigid", "interpolant"],
        band: [1.4, 6.0],
        stated: "docs/papers.md, Ellipsoids, the sentence about the interpolant",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Every group has a ratio, every ratio has a group and a band, and every text that it names exists.
    #[test]
    fn every_ratio_has_a_group_a_band_and_a_text() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        let (papers, readme) = (read("docs/papers.md"), read("README.md"));
        for ratio in &RATIOS {
            assert!(GROUPS.iter().any(|group| group.name == ratio.group), "{}", ratio.group);
            let [low, high] = ratio.band;
            assert!(0.0 < low && low < high && high.is_finite(), "{}: {low} to {high}", ratio.group);
            for place in ratio.stated.split("; ") {
                let mut parts = place.split(", ");
                let (file, heading) = (parts.next().unwrap(), parts.next().unwrap());
                let heading = heading.split(':').next().unwrap();
                let is_there = match file {
                    "docs/papers.md" => papers.lines().any(|line| line.starts_with(&format!("## {heading}"))),
                    "README" => readme.contains(heading),
                    other => panic!("{other} is no text with ratios"),
                };
                assert!(is_there, "{place} is not there");
            }
        }
        for group in &GROUPS {
            assert!(RATIOS.iter().any(|ratio| ratio.group == group.name), "{} has no ratio", group.name);
        }
    }

    /// The engines of the smallest groups work twice, in the order of their names.
    #[test]
    fn a_group_works() {
        for (name, engines) in [("ellipsoids", 2), ("contact", 3), ("bar", 5)] {
            let group = GROUPS.iter().find(|group| group.name == name).unwrap();
            let mut names = Vec::new();
            group.run(|engine| names.push(engine.to_string())).unwrap();
            assert_eq!(names.len(), engines, "{names:?}");
            let of_group = RATIOS.iter().filter(|ratio| ratio.group == name);
            for engine in of_group.flat_map(|ratio| ratio.engines) {
                assert!(names.iter().any(|name| name == engine), "{name}: there is no \"{engine}\"");
            }
        }
    }
}
