//! All tests of the crate that use it from outside, as one program: each file is a module of it.
//! Run one file with `cargo test -p firsttouch-io --test suite scenes::`.

mod clouds;
mod ellipsoid_shapes;
mod hostile;
mod limits;
mod meshes;
mod mjcf;
mod mjcf_ground;
mod parts;
mod query_sets;
mod renamed_parts;
mod robot_names;
mod robots;
mod robots_shared;
mod scene_motions;
mod scenes;
mod shared_data;
mod silent_robots;
mod waypoint_times;
