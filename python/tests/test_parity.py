"""The public names of Rust, Python and C side by side: each is in Python, or stands below with a reason.

A new name of the core or of the header fails here until it is bound, or its absence has a reason.
"""

import re
from pathlib import Path

import pytest

import firsttouch as ft

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "crates" / "firsttouch" / "src"
HEADER = ROOT / "crates" / "firsttouch-c" / "include" / "firsttouch.h"
if not CORE.is_dir():
    pytest.skip("the sources of the core are not here", allow_module_level=True)

KEYWORD = "keywords of each question"
STATS = "a dictionary in `stats`"
TEXT = "a text"
OWN_RUST = "a trait or a type for code in Rust, that Python cannot implement at a bearable speed"
STEP = "a step on the way to an answer, that no caller needs"
AFFINE = "scene files have them, and `Scene.load` reads them"
CONSTANT = "a constant that tells about the method"
PICTURE = "boxes for pictures and broad phases of one's own; `Shape.bounds` has those at rest"

# What stands in Python for a name of Rust: the name in `firsttouch`, or why there is none.
TYPES = {
    "lib.rs": {
        "Aabb": "Shape.bounds", "AffineEllipsoid": AFFINE, "Ask": KEYWORD, "Body": "Scene.add", "BodyKind": "Scene.bodies", "Certificate": "not in Python yet",
        "ContactPoint": "Contact", "ContactTables": "ScrewPair", "ContactTests": STATS, "Control": "Ctrl-C ends every question",
        "Degenerate": "Gradient.degenerate", "Engine": STEP, "Error": "ValueError and OSError", "Feature": TEXT, "GoalChange": "Scene.max_safe_scale",
        "Interrupt": "Ctrl-C ends every question", "LARGEST": CONSTANT, "Limits": STEP, "LinkPiece": TEXT, "Mode": KEYWORD, "OnProgress": "no progress is shown",
        "Options": KEYWORD, "PairReport": "Answer.pairs", "Part": TEXT, "PathClearance": "Clearance.segment", "Progress": "no progress is shown",
        "Reason": "not in Python yet: why an answer is undecided", "Report": "Answer", "Result": "exceptions", "SMALLEST": CONSTANT, "Source": "Certificate.save", "ScrewPairOptions": "ScrewPair",
        "StageSeconds": "a clock for each stage, for the laboratory", "Start": KEYWORD, "Statement": "Certificate.statement", "Stats": STATS, "Touch": "Answer", "TreeStats": STATS, "Verdict": STEP,
        "VertexGradient": "MotionGradient.V0", "glam": "NumPy", "matches_pattern": "a helper for names with * and ?",
    },
    "adaptive/mod.rs": {
        "AssemblyTree": STEP, "Bounding": "a choice of bounds for the laboratory; the default is taken", "ClosePair": STEP, "CullingWork": STATS, "Moved": "Simulated.step",
        "Other": STEP, "StepReport": "Answer", "Updates": STATS, "forest": "Robot.join",
    },
    "articulated/mod.rs": {
        "Grasp": "Scene.attach", "JointKind": "Joint", "LinkMotion": STEP, "LinkPart": "Link", "Mimic": "Joint", "PairFinding": "LinkPair",
        "PathPair": "not in Python yet: every pair along a path", "PathReport": "Answer.segment", "Phase": "not in Python yet: what is held at which waypoints, for a checker; `Scene.attach` has it",
        "RobotMotion": "Robot.link_poses", "RobotPath": "Scene.add_robot_path", "RobotStep": "Scene.add_robot", "SegmentDone": "no progress is shown", "StepReport": "Answer",
        "SurveyOptions": "Robot.survey_pairs", "Variable": "Robot.joint_names", "Version": "`Roadmap` looks at it by itself",
    },
    "deformable/mod.rs": {
        "DeformReport": "Answer", "DeformStats": STATS, "Dop": STEP, "FoundPair": STEP, "MovingBox": STEP, "MovingTree": STEP, "PairFilter": OWN_RUST,
        "Settings": "the defaults are taken", "Start": KEYWORD,
    },
    "elementary/mod.rs": {
        "Columns": "point_triangle_ccd", "Contact": "point_triangle_ccd", "Decision": "point_triangle_ccd", "EdgeEdge": "edge_edge_ccd", "Limits": STEP,
        "LARGEST_COORDINATE": CONSTANT, "RowResult": STEP, "Stage": STATS, "Verdict": STEP, "VertexFace": "point_triangle_ccd", "edge_edge": "edge_edge_ccd", "edge_edge_batch": "edge_edge_ccd",
        "vertex_face": "point_triangle_ccd", "vertex_face_batch": "point_triangle_ccd",
    },
    "ellipsoid/mod.rs": {
        "AffineEllipsoid": AFFINE, "ContactPoint": "ellipsoids.ContactPoint", "CoverOptions": "not in Python yet: a cover of a mesh by ellipsoids",
        "CoverPiece": "not in Python yet: a cover of a mesh by ellipsoids", "Directions": STEP, "EllipsoidMotion": "Scene.overlaps", "Group": "not in Python yet: groups of ellipsoids; a scene has them one by one",
        "GroupStats": STATS, "LOOP_RESOLUTION": CONSTANT, "MemberTouch": "not in Python yet: groups of ellipsoids; a scene has them one by one", "MovingEllipsoid": "ellipsoids.overlap_intervals",
        "OverlapKind": "Overlap.certain", "Plane": STEP, "Posed": "ellipsoids.relation", "RESOLUTION": CONSTANT, "Relation": "ellipsoids.relation", "Separation": STEP,
        "contact_at_time": "ellipsoids.contact_at", "cover": "not in Python yet: a cover of a mesh by ellipsoids", "cover_all": "not in Python yet: a cover of a mesh by ellipsoids",
        "enclosing": "ellipsoids.enclosing", "overlap_intervals": "ellipsoids.overlap_intervals", "overlaps": "Scene.overlaps",
    },
    "motion/mod.rs": {
        "Affine": AFFINE, "AffineInterpolant": AFFINE, "By": "Leg", "CustomMotion": OWN_RUST, "FixedPose": "Fixed", "JointBounds": STEP,
        "JointTrajectory": "Trajectory.polynomials", "LARGEST_GAP": CONSTANT, "PoseAt": "Pose", "PoseError": STEP, "RigidMotion": OWN_RUST, "SPLIT_ANGLE": CONSTANT,
        "ScrewAxis": STEP, "TurningLine": STEP, "Velocity": STEP, "VelocityBounds": STEP, "Window": STEP,
    },
    "planning/mod.rs": {
        "EdgeStatement": OWN_RUST, "Edges": OWN_RUST, "MotionLimits": "Plan.timed", "TimedOutcome": "Plan.timed", "TimedPlan": "Trajectory", "timed": "Plan.timed", "Method": "Checker.plan", "Outcome": "Plan.kind", "PlanControl": "Checker.plan", "PlanOptions": "Checker.plan",
        "PlanStats": STATS, "ProvenEdges": "Checker.check_motion", "Space": "Checker.plan", "plan": "Checker.plan", "plan_in": "Checker.plan", "plan_with": "Roadmap.plan",
    },
    "shape/mod.rs": {
        "Convex": OWN_RUST, "Cuboid": "Box", "CustomShape": OWN_RUST, "EXTENT_ERROR": CONSTANT, "OctreeCell": "Octree.cells", "Placed": "Compound.pieces", "PointCloud": "Points",
        "PointPlace": STEP, "SURFACE_ERROR": CONSTANT, "SolidMesh": "Mesh.is_solid", "Triangle": STEP,
    },
}  # fmt: skip

# The methods of the classes that both have.
METHODS = {
    "Checker": (["articulated", "scene"], {
        "allow": "allow", "base": "base", "certify_along": "certify_trajectory", "certify_step": "certify_motion", "check_paths": "one after the other", "check_step": "check_motion", "check_trajectories": "one after the other", 
        "distance": "clearance", "distance_along": "not in Python yet", "distance_at": "not in Python yet: `clearance` of a configuration", "index_of": "names are used", "new": "robot", "obstacle": "obstacles",
        "pairs_named": "the names are looked up by `allow`", "phases": "not in Python yet: what is held at which waypoints", "statement_along": "`Certificate.statement`", "statement_of_path": "`Certificate.statement`", "statement_of_step": "`Certificate.statement`", "set_base": "base", "set_obstacles": "not in Python yet",
        "set_padding": "padding", "swept_boxes": PICTURE, "version": "`Roadmap` looks at it by itself",
    }),
    "Scene": (["scene"], {
        "allow_link": "allow", "allowed_pairs": "not in Python yet", "check_all": "check", "certify_until": "certify", "statement": "`Certificate.statement`", "checker": "not in Python yet", "grasp": "attach", "grasps": "bodies", "index_of": "names are used", "names_matching": "pad",
        "pairs_by_contact": "not in Python yet", "pairs_named": "allow", "pose_at": "not in Python yet", "replace_shape": "`RigidBody.shape`", "separations": "not in Python yet", "set_motion": "`RigidBody.motion`",
        "set_pose": "`RigidBody.pose`", "simulated": "not in Python yet",
    }),
    "Simulated": (["adaptive"], {
        "among": "of", "body": "not in Python yet", "checker": "world", "close_pairs": STEP, "configuration": "q", "ends": "q", "new": "of", "obstacles": "world",
        "swept_boxes": PICTURE, "with_bounding": "a choice for the laboratory", "with_order": "a choice for the laboratory",
    }),
    "Roadmap": (["planning"], {}),
    "Trajectory": (["robot"], {
        "at": "__call__", "cubic": "__init__", "linear": "__init__", "new": "polynomials", "on_clock": "times", "part": "not in Python yet", "segment_at": STEP, "segments": "knots", "span": "time", "spline": "__init__",
        "step": STEP, "waypoint": "waypoints",
    }),
    "Robot": (["robot", "articulated"], {
        "allow": "allowed", "common_ancestor": STEP, "covered": STEP, "hold": "`Checker.hold`", "is_allowed": "allowed", "is_attached": STEP, "joint_of": "joints", "limit_velocity": "`Plan.timed` takes limits", "link": "link_names", "new": "__init__",
        "part_path": "`Answer.part_paths`", "release": "`Checker.release`", "set_zero": "not in Python yet", "validate": "each question does it", "variable": "joint_names", "variables": "limits",
    }),
}  # fmt: skip

# Functions of C, by their prefix, and their counterparts in Python.
C_NAMES = {
    "ft_abi_version": "the module and the package come together", "ft_version": "__version__", "ft_last_error": "exceptions", "ft_options_default": KEYWORD, "ft_pose_identity": "Pose",
    "ft_shape_box": "Box", "ft_shape_sphere": "Sphere", "ft_shape_capsule": "Capsule", "ft_shape_cylinder": "Cylinder", "ft_shape_cone": "Cone", "ft_shape_half_space": "HalfSpace",
    "ft_shape_ellipsoid": "Ellipsoid", "ft_shape_hull": "Hull", "ft_shape_mesh": "Mesh", "ft_shape_mesh_file": "Mesh.load", "ft_shape_solid_mesh": "Mesh.is_solid", "ft_shape_point_cloud": "Points",
    "ft_shape_octree": "Octree", "ft_shape_height_field": "HeightField", "ft_shape_compound": "Compound", "ft_shape_warning": "warnings", "ft_shape_warnings": "warnings",
    "ft_motion_fixed": "Fixed", "ft_motion_linear": "Linear", "ft_motion_screw": "Screw", "ft_motion_contact_screw": "ContactScrew", "ft_motion_rational": "Rational.between",
    "ft_motion_rational_coefficients": "Rational", "ft_motion_turn": "Turn", "ft_motion_path": "Path", "ft_motion_spline": "Spline", "ft_motion_within": "Within",
    "ft_robot_from_urdf_file": "Robot.from_urdf", "ft_robot_from_urdf_text": "a file is read", "ft_robot_allow": "Robot.allowed", "ft_robot_name": "Robot.name", "ft_robot_sizes": "Robot.dof",
    "ft_robot_variable_name": "Robot.joint_names", "ft_robot_variable_limits": "Robot.limits", "ft_robot_link_name": "Robot.link_names", "ft_robot_warning": "warnings",
    "ft_deformable_new": "Deformable", "ft_deformable_check": "Deformable.check", "ft_deformable_report": "Deformable.check", "ft_deformable_set_frames": "Deformable.check",
    "ft_deformable_step_to": "Deformable.check", "ft_deformable_safe_step": "Deformable.compute_collision_free_stepsize",
    "ft_report_": "Answer.pairs", "ft_first_touch": "first_touch", "ft_interrupt_": "Ctrl-C ends every question", "ft_vertex_face": "point_triangle_ccd", "ft_edge_edge": "edge_edge_ccd",
    "ft_ellipsoid_contact_at_time": "ellipsoids.contact_at", "ft_ellipsoid_overlaps": "ellipsoids.overlap_intervals", "ft_ellipsoid_relation": "ellipsoids.relation",
    "ft_ellipsoid_enclosing": "ellipsoids.enclosing", "ft_screw_pair_new": "ScrewPair", "ft_screw_pair_": "ScrewPair",
    "ft_scene_new": "Scene", "ft_scene_add_affine": AFFINE, "ft_scene_from_file": "Scene.load", "ft_scene_clone": "Scene.copy", "ft_scene_set_motion": "Scene.bodies", "ft_scene_set_pose": "Scene.bodies",
    "ft_scene_replace_shape": "Scene.bodies", "ft_scene_body_": "Scene.bodies", "ft_scene_index_of": "names are used", "ft_scene_part_text": "Answer.parts", "ft_scene_report": "Scene.check",
    "ft_checker_new": "Checker", "ft_checker_from_scene": "not in Python yet", "ft_checker_clone": "Checker.copy", "ft_checker_set_base": "Checker.base", "ft_checker_set_padding": "Checker.padding",
    "ft_checker_add_deforming": "Checker.obstacles", "ft_checker_obstacle_count": "Checker.obstacles", "ft_checker_body_name": "Checker.obstacles", "ft_checker_part_text": "Answer.parts",
    "ft_checker_distance": "Checker.clearance",
}  # fmt: skip


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def exported(path):
    """Returns the public items of a module, except those for the laboratory."""
    text = without_comments((CORE / path).read_text())
    found = set(re.findall(r"^pub (?:fn|struct|enum|trait|type|const) (\w+)", text, re.MULTILINE)) if path != "lib.rs" else set()
    for attributes, body in re.findall(r"((?:#\[[^\]]*\]\s*)*)pub use ([^;]+);", text):
        if "internals" in attributes or "hidden" in attributes:
            continue
        several = re.search(r"\{(.*)\}", body, re.DOTALL)
        items = several[1].split(",") if several else [body]
        found |= {re.split(r"::| as ", item.strip())[-1].strip() for item in items if item.strip()}
    return found


def methods(kind, folders):
    found = set()
    for path in (path for folder in folders for path in (CORE / folder).rglob("*.rs")):
        current, is_hidden = None, False
        for line in path.read_text().splitlines():
            begun = re.match(r"impl(?:<[^>]*>)? (\w+)(?:<[^>]*>)? \{", line)
            current = begun[1] if begun else None if line.startswith("}") else current
            is_hidden = is_hidden or ("cfg(feature" in line and "internals" in line) or "doc(hidden)" in line
            function = re.match(r"    pub (?:const )?fn (\w+)", line)
            if function:
                if current == kind and not is_hidden:
                    found.add(function[1])
                is_hidden = False
    return found


def is_there(path):
    here = ft
    for name in path.split("."):
        fields = getattr(here, "__dataclass_fields__", {})
        if not hasattr(here, name) and name not in fields:
            return False
        here = getattr(here, name, None)
    return True


def is_answered(told):
    """A name in Python must be there; a reason is a sentence."""
    return is_there(told) if re.fullmatch(r"[A-Za-z_][\w.]*", told) and told not in ("warnings", "exceptions", "NumPy") else True


@pytest.mark.parametrize("path", TYPES)
def test_types_and_functions_of_rust(path):
    public, told = exported(path), TYPES[path]
    assert len(public) > 5
    missing = {name for name in public if name not in told and not is_there(name)}
    assert not missing, f"neither in Python nor among the exceptions: {sorted(missing)}"
    stale = {name for name in told if name not in public}
    assert not stale, f"exceptions for what Rust does not have: {sorted(stale)}"
    assert not {name: text for name, text in told.items() if not is_answered(text)}


@pytest.mark.parametrize("kind", METHODS)
def test_methods_of_rust(kind):
    folders, told = METHODS[kind]
    public = methods(kind, folders)
    assert len(public) >= 3
    ours = getattr(ft, kind)
    missing = {name for name in public if name not in told and not is_there(f"{kind}.{name}")}
    assert not missing, f"neither in Python nor among the exceptions: {sorted(missing)}"
    assert not {name for name in told if name not in public}
    wrong = {name: text for name, text in told.items() if re.fullmatch(r"\w+", text) and not is_there(f"{kind}.{text}") and not hasattr(ours, text)}
    fields = {"times", "waypoints"}
    assert not {name: text for name, text in wrong.items() if text not in fields}


def test_functions_of_c():
    functions = set(re.findall(r"\b(ft_\w+)\(", HEADER.read_text()))
    assert len(functions) > 100
    missing = set()
    for name in functions:
        if name.endswith("_free"):
            continue  # Python does it.
        told = next((C_NAMES[start] for start in sorted(C_NAMES, key=len, reverse=True) if name.startswith(start)), None)
        if told is None:
            kind, _, method = name.removeprefix("ft_").partition("_")
            told = f"{kind.capitalize()}.{method}"
            if not is_there(told):
                missing.add(name)
        elif not is_answered(told):
            missing.add(name)
    assert not missing, f"neither in Python nor among the exceptions: {sorted(missing)}"
