//! The elements of SRDF files. Reference: <http://wiki.ros.org/srdf>, and `srdfdom` for what MoveIt 2 added.

use super::{Format, Row, Use, index};
use std::sync::LazyLock;

pub(crate) static SRDF: Format =
    Format { name: "SRDF", rows: ROWS, refuses_misplaced: false, index: LazyLock::new(|| index(ROWS)) };

const ROWS: &[Row] = &[
    Row::read("robot", "", "name").and_ignores("version").note("another name than the URDF's: **warning**"),
    Row::read("disable_collisions", "robot", "link1 link2")
        .and_ignores("reason")
        .note("a link that the robot does not have: **warning**"),
    Row {
        ignored: "link",
        ..Row::new(
            "disable_default_collisions",
            "robot",
            Use::Warned("its pairs are checked; name them with <disable_collisions>"),
        )
    },
    Row::ignored("enable_collisions", "robot", "link1 link2 reason")
        .note("its pairs are checked in any case, unless `disable_collisions` names them, as in MoveIt"),
    Row::ignored("group", "robot group", "name"),
    Row::ignored("link joint", "group", "name"),
    Row::ignored("chain", "group", "base_link tip_link"),
    Row::ignored("group_state", "robot", "name group"),
    Row::ignored("joint", "group_state", "name value"),
    Row::ignored("end_effector", "robot", "name parent_link group parent_group component_name"),
    Row::ignored("virtual_joint", "robot", "name type parent_frame child_link")
        .note("the base stands where `--base` or the scene says"),
    Row::ignored("passive_joint", "robot", "name"),
    Row::ignored("joint_property", "robot", "joint_name property_name value"),
    Row::ignored("link_sphere_approximation", "robot", "link").note("the geometry is that of the URDF"),
    Row::ignored("sphere", "link_sphere_approximation", "center radius"),
    Row::ignored("rotor_params", "robot", ""),
    Row::ignored("joint", "rotor_params", "name mass gear_ratio"),
    Row::new("gripper handle", "robot", Use::Foreign),
    Row::new("xacro:macro xacro:property xacro:arg", "*", Use::Foreign),
];
