//! Input files. Standard input can replace one of them.

use std::path::{Path, PathBuf};

use firsttouch_io::{
    Files, RobotFile, STANDARD_INPUT, SceneFile, Waypoints, parse_scene_bytes, parse_waypoints,
};

/// Returns true if a path stands for standard input. A file of that name is `./-`.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a scene, and returns it with the path used in messages. Paths in a scene from standard input are relative to
/// the current folder.
pub(crate) fn read_scene(files: &Files, path: &Path) -> firsttouch_io::Result<(SceneFile, PathBuf)> {
    if is_standard_input(path) {
        let name = PathBuf::from(STANDARD_INPUT);
        return Ok((parse_scene_bytes(&files.read_standard_input()?, &name)?, name));
    }
    Ok((files.read_scene(path)?, path.to_path_buf()))
}

/// Reads a robot, from URDF or MJCF. If it comes from standard input, its meshes are searched from the current folder
/// upwards.
pub(crate) fn read_robot_file(files: &Files, path: &Path) -> firsttouch_io::Result<RobotFile> {
    if is_standard_input(path) {
        return files.robot_file_from(&files.read_standard_input()?, STANDARD_INPUT);
    }
    files.read_robot_file(path)
}

/// Reads the paths of a robot, and returns them with the file name used in messages.
pub(crate) fn read_waypoints(
    files: &Files,
    path: &Path,
    robot: &RobotFile,
) -> firsttouch_io::Result<(Waypoints, PathBuf)> {
    if is_standard_input(path) {
        let name = PathBuf::from(STANDARD_INPUT);
        return Ok((parse_waypoints(&files.read_standard_input()?, &name, robot)?, name));
    }
    Ok((files.read_waypoints(path, robot)?, path.to_path_buf()))
}
