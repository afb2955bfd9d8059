"""Robotics: a path for a robot from a file, a smooth trajectory through it, and a file that proves it."""

import sys
from pathlib import Path

import numpy as np
from scipy.interpolate import PchipInterpolator

import firsttouch as ft

robot = ft.Robot.from_urdf(Path(__file__).with_name("arm.urdf"))  # srdf="..", or .with_touching_allowed() without one
checker = ft.Checker(robot, padding=0.01)
checker.add_obstacle("floor", ft.HalfSpace([0, 0, 1], -0.02))
checker.add_obstacle("shelf", ft.Box([0.4, 0.9, 0.02]), pose=ft.Pose([0.7, 0, 0.45]))
checker.hold("cup", ft.Cylinder(0.03, 0.1), "hand", ft.Pose([0.1, 0, 0]))

below, above = [0.3, 1.3, 0.8, 0.5], [-0.3, 0.4, 0.9, 0.3]
plan = checker.plan(below, above, seed=1, smooth=1)
print(plan, plan.clearance.lower)

times = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(plan.waypoints, axis=0), axis=1))])
trajectory = ft.Trajectory.from_scipy(PchipInterpolator(times, plan.waypoints))
answer = checker.check_trajectory(trajectory)  # the curve itself, and not samples of it
assert answer.is_free, answer
least = checker.clearance_along(trajectory)
print(f"proven: never closer than {least.lower:.4f} to {least.names[1]}, in segment {least.segment}")
checker.certify_trajectory(trajectory).save(sys.argv[1] if len(sys.argv) > 1 else "arm.ftc")
