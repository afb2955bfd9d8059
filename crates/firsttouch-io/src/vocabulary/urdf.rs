//! The elements of URDF files. Reference: <http://wiki.ros.org/urdf/XML>, and `urdfdom` for what came later.

use super::{Format, Row, Use, index};
use std::sync::LazyLock;

pub(crate) static URDF: Format =
    Format { name: "URDF", rows: ROWS, refuses_misplaced: false, index: LazyLock::new(|| index(ROWS)) };

const ROWS: &[Row] = &[
    Row::read("robot", "", "name").and_ignores("version"),
    Row::read("link", "robot", "name").and_ignores("type"),
    Row::read("collision", "link", "name").note("a `<geometry>` with exactly one shape is required"),
    Row::read("origin", "collision joint", "xyz rpy quat_xyzw"),
    Row::read("geometry", "collision", ""),
    Row::read("box", "geometry", "size"),
    Row::read("sphere", "geometry", "radius"),
    Row::read("cylinder capsule", "geometry", "radius length"),
    Row::read("mesh", "geometry", "filename scale"),
    Row::read("joint", "robot", "name type").and_ignores("dont_collapse"),
    Row::read("parent child", "joint", "link"),
    Row::read("axis", "joint", "xyz").note("not for fixed and floating joints"),
    Row::read("limit", "joint", "lower upper velocity")
        .and_ignores("effort acceleration deceleration jerk command_effort current gear_velocity")
        .note("for revolute and prismatic joints; a coordinate outside is a warning; `velocity`, of continuous joints too, is for `plan --timed`"),
    Row::read("mimic", "joint", "joint multiplier offset").note("not for fixed joints"),
    Row::ignored("calibration", "joint", "rising falling reference_position"),
    Row::ignored(
        "dynamics",
        "joint",
        "damping friction armature spring_reference spring_stiffness rolling_friction D K mu_coulomb mu_viscous",
    ),
    Row::ignored("safety_controller", "joint", "soft_lower_limit soft_upper_limit k_position k_velocity"),
    Row::ignored("joint_properties", "joint", "damping friction"),
    Row::new(
        "loop_joint",
        "robot",
        Use::Refused(
            "a closed loop, but a robot is a tree here: remove it, and give the coordinates of all joints of the loop",
        ),
    ),
    Row::new(
        "self_collision_checking",
        "link",
        Use::Warned(
            "its geometry is not read, the <collision> elements are checked against the robot itself, too",
        ),
    ),
    Row::new("collision_checking", "link", Use::Warned("it is not read: use <collision>")),
    Row::ignored("visual", "link", "name"),
    Row::ignored("geometry", "visual", ""),
    Row::ignored("origin", "visual inertial", "xyz rpy quat_xyzw"),
    Row::ignored("material", "robot visual", "name"),
    Row::ignored("color", "material", "rgba"),
    Row::ignored("texture", "material", "filename"),
    Row::ignored("inertial", "link", ""),
    Row::ignored("mass", "inertial", "value"),
    Row::ignored("inertia", "inertial", "ixx ixy ixz iyy iyz izz"),
    Row::ignored("material contact_coefficients", "collision", "name mu resitution restitution k1 kd"),
    Row::ignored("verbose", "collision", "value"),
    Row::new("contact self_filter kinematic gravity", "link", Use::Foreign),
    Row::new("sensor gazebo", "link joint", Use::Foreign),
    Row::new("gazebo transmission ros2_control mujoco sensor plugin model_state", "robot", Use::Foreign),
    Row::new("xacro:macro xacro:property xacro:arg", "*", Use::Foreign),
];
