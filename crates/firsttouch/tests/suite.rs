//! All tests of the crate that use it from outside, as one program: each file is a module of it.
//!
//! One program is linked once and compiles the shared code of the tests once. Run one file with
//! `cargo test -p firsttouch --test suite checker::`.

#![allow(clippy::disallowed_methods, reason = "only the library gives the same bits everywhere")]

mod adaptive;
mod adaptive_memory;
mod adaptive_paths;
mod any;
mod articulated;
mod at_the_start;
mod attack_batches;
mod attack_clearances;
mod attack_derivatives;
mod attack_history;
mod attack_mixed;
mod attack_paths;
mod attack_planning;
mod attack_rigid;
mod attack_robots;
mod both_doors;
mod box_robots;
mod checker;
mod clearance;
mod clearance_features;
mod contact;
mod contacts;
mod convex_pairs;
mod custom;
mod deformable;
mod elementary_cases;
mod elementary_exact;
mod enclosures;
mod extreme_sizes;
mod features;
mod gap_exact;
mod generator;
mod gradients;
mod hostile_deforming;
mod hostile_ellipsoids;
mod hostile_rigid;
mod interrupts;
mod kinematic_errors;
mod layers;
mod long_lived;
mod mixed;
mod mixed_adversarial;
mod mixed_bodies;
mod motion_laws;
mod motions;
mod nan_safety;
mod oracle;
mod oracle_itself;
mod overlaps;
mod planning;
mod planning_timed;
mod provers;
mod random;
mod resting;
mod resting_meshes;
mod rigid_meshes;
mod robot_adversarial;
mod robot_paths;
mod rules;
mod scans;
mod screw_accelerations;
mod serde;
mod shapes;
mod together;
mod torus;
mod trajectories;
mod two_shapes;
mod what_if;
