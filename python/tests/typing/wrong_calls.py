"""Wrong calls, one in each line that ends in ``# wrong``. A type checker finds them all, and nothing else. See
tests/test_namespace.py."""

import numpy as np

import firsttouch as ft

slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0))
robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
room = ft.Scene()
room.add("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
c = ft.Checker(robot, obstacles=room)
q = np.zeros(1)
way = ft.Trajectory([[0], [1]])

# Right calls stay right.
c.check_motion([0], [16])
c.check_motion(q, np.zeros(1, dtype=np.float32))
c.check_motions([[0], [0]], np.ones((2, 1)))
c.check_path([q, q])
c.add_obstacle("box", ft.Box([1, 1, 1]), pose=np.eye(4))
c.padding = 0.1
c.base = ft.Pose.from_rpy([0, 0, 1], [0, 0, 0])
(ft.Pose() @ np.eye(4)).inverse()
way(0.5)[0]
room["post"].pose = ft.Pose([1, 0, 0])
ft.first_touch(ft.Sphere(1), np.eye(4), ft.Sphere(1), ft.Fixed())

c.check_motion("hello", [1])  # wrong
c.check_motion([0], None)  # wrong
c.check_motion([0], [1], mode="all")  # wrong
c.check_motion([0], [1], tolerence=1e-3)  # wrong
c.check_motion([0])  # wrong
c.check_motions("a", "b")  # wrong
c.check_motions([[0]], [[1]], threads="all")  # wrong
c.check_state({"slide": 0.0})  # wrong
c.check_path("path.csv")  # wrong
c.add_obstacle("a", "box")  # wrong
c.add_obstacle(3, ft.Sphere(1))  # wrong
c.add_obstacle("a", ft.Sphere(1), pose=[0, 0, 1])  # wrong
c.add_obstacle("a", ft.Sphere(1), motion=ft.Pose())  # wrong
c.move_obstacle("post")  # wrong
c.hold("tool", ft.Sphere(1), ft.Link("ball"))  # wrong
c.allow("ball")  # wrong
c.paddding = 3  # wrong
c.padding = "wide"  # wrong
c.check_edges([[0]], [[1]])  # wrong
c.plan([0], [1], method="rrt")  # wrong
c.plan([0], [1], seed="a")  # wrong
c.plan([0], [1]).path  # wrong
c.check_trajectory([[0], [1]])  # wrong
c.clearance("Q")  # wrong
ft.Checker("panda.urdf")  # wrong
ft.Checker([robot, robot])  # wrong
ft.Checker(robot, obstacles=[ft.Sphere(1)])  # wrong
ft.Simulated(robot, q="zero")  # wrong
ft.Roadmap(robot)  # wrong
ft.Robot.join("left", "right")  # wrong
ft.Joint("a", "b", "c", "hinge")  # wrong
ft.Sphere("big")  # wrong
ft.Box("1 2 3")  # wrong
ft.Pose([0, 0, 0], quat=[1, 0, 0, 0])  # wrong
ft.Pose("here")  # wrong
ft.Linear([0, 0, 0], [1, 1, 1])  # wrong
ft.Trajectory("path.csv")  # wrong
ft.Trajectory([[0], [1]], interpolation="quintic")  # wrong
ft.first_touch("ball", ft.Fixed(), ft.Sphere(1), ft.Fixed())  # wrong
ft.last_touch(ft.Sphere(1), ft.Fixed(), ft.Sphere(1), ft.Fixed())  # wrong
room.durations = 2  # wrong
room.add("a", ft.Sphere(1), poze=ft.Pose())  # wrong
room.check(mode="some")  # wrong
room.check().is_fre  # wrong
way.velocities_at(0.5)  # wrong
ft.jax.toy(c)  # wrong
c.certify_motion("hello", None)  # wrong
c.clearance_gradient([0.0], min_separation=1.0)  # wrong
room.certify(mode="all")  # wrong
room.certify().save(3.5)  # wrong
