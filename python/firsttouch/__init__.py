"""firsttouch finds the first time moving things touch, and proves when they never do.

>>> import firsttouch as ft
>>> s = ft.Scene()
>>> s.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 0])))
>>> s.add("slab", ft.Box([8, 8, 2]))
>>> s.check()
Answer('touch', toi=0.799999..., names=('ball', 'slab'), parts=('solid', 'solid'))

Adapters for other packages are modules of their own, imported when they are used: ``ft.ompl``, ``ft.ipctk``,
``ft.fcl``, ``ft.trimesh``, ``ft.pinocchio``, ``ft.yourdfpy``, ``ft.mujoco``, ``ft.drake``, ``ft.rerun``, ``ft.ray``,
``ft.jax``, ``ft.torch``, ``ft.widget``. Nothing but numpy is needed without them, and ``dir`` lists those whose package
is there.
"""

import typing as _typing

from . import ellipsoids as ellipsoids
from ._core import __version__ as __version__
from .answer import Answer as Answer
from .answer import Overlap as Overlap
from .batch import Batch as Batch
from .batch import BatchAnswer as BatchAnswer
from .certificate import Certificate as Certificate
from .checker import Checker as Checker
from .deformable import Deformable as Deformable
from .elementary import edge_edge_ccd as edge_edge_ccd
from .elementary import point_triangle_ccd as point_triangle_ccd
from .motions import ContactScrew as ContactScrew
from .motions import Fixed as Fixed
from .motions import Leg as Leg
from .motions import Linear as Linear
from .motions import Motion as Motion
from .motions import Path as Path
from .motions import Rational as Rational
from .motions import Screw as Screw
from .motions import Spline as Spline
from .motions import Turn as Turn
from .motions import Within as Within
from .page import View as View
from .page import view as view
from .planning import Plan as Plan
from .planning import Roadmap as Roadmap
from .pose import Pose as Pose
from .questions import Clearance as Clearance
from .questions import Contact as Contact
from .questions import CourseGradient as CourseGradient
from .questions import Gradient as Gradient
from .questions import MotionGradient as MotionGradient
from .questions import Penetration as Penetration
from .questions import PoseGradient as PoseGradient
from .questions import SafeScale as SafeScale
from .questions import StepGradient as StepGradient
from .robot import Joint as Joint
from .robot import Link as Link
from .robot import LinkPair as LinkPair
from .robot import Robot as Robot
from .scene import Scene as Scene
from .screw_pair import ScrewPair as ScrewPair
from .shapes import Box as Box
from .shapes import Capsule as Capsule
from .shapes import Compound as Compound
from .shapes import Cone as Cone
from .shapes import Cylinder as Cylinder
from .shapes import Ellipsoid as Ellipsoid
from .shapes import HalfSpace as HalfSpace
from .shapes import HeightField as HeightField
from .shapes import Hull as Hull
from .shapes import Mesh as Mesh
from .shapes import Octree as Octree
from .shapes import Points as Points
from .shapes import Shape as Shape
from .shapes import Sphere as Sphere
from .simulated import Simulated as Simulated
from .trajectory import Trajectory as Trajectory
from .two_shapes import contacts as contacts
from .two_shapes import distance as distance
from .two_shapes import first_touch as first_touch
from .two_shapes import intersects as intersects

__all__ = [
    "Answer", "Batch", "BatchAnswer", "Box", "Capsule", "Certificate", "Checker", "Clearance", "Compound", "Cone", "Contact", "ContactScrew",
    "CourseGradient", "Cylinder", "Deformable", "Ellipsoid", "Fixed", "Gradient", "HalfSpace", "HeightField", "Hull", "Joint", "Leg",
    "Linear", "Link", "LinkPair", "Mesh", "Motion", "MotionGradient", "Octree", "Overlap", "Path", "Penetration", "Plan", "Points", "Pose",
    "PoseGradient", "Rational", "Roadmap", "Robot", "SafeScale", "Scene", "Screw", "ScrewPair", "Shape", "Simulated", "Sphere", "Spline",
    "StepGradient", "Trajectory", "Turn", "View", "Within", "__version__", "contacts", "distance", "edge_edge_ccd", "ellipsoids",
    "first_touch", "intersects", "point_triangle_ccd", "view",
]  # fmt: skip

if _typing.TYPE_CHECKING:
    from . import drake as drake
    from . import fcl as fcl
    from . import ipctk as ipctk
    from . import jax as jax
    from . import mujoco as mujoco
    from . import ompl as ompl
    from . import pinocchio as pinocchio
    from . import ray as ray
    from . import rerun as rerun
    from . import torch as torch
    from . import trimesh as trimesh
    from . import widget as widget
    from . import yourdfpy as yourdfpy
    from .rerun import to_rerun as to_rerun
else:
    # Each has the name of the package that it needs, with two exceptions. To a type checker this function would allow
    # any name.
    _NAMED = ("fcl", "ipctk", "jax", "mujoco", "ompl", "pinocchio", "ray", "rerun", "torch", "trimesh", "yourdfpy")
    _ADAPTERS = {**{name: name for name in _NAMED}, "drake": "pydrake", "widget": "anywidget"}

    def __getattr__(name):
        if name in _ADAPTERS:
            return _adapter(name)
        if name == "to_rerun":
            return _adapter("rerun").to_rerun
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def _adapter(name):
        import importlib

        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ImportError as error:
            # An AttributeError, because that is what `hasattr` and all that looks at modules expect.
            text = f"{error.msg}: firsttouch.{name} needs it, and the extra [{name}] of firsttouch installs it"
            raise AttributeError(text) from error

    def __dir__():
        from importlib.util import find_spec

        def is_there(package):
            import sys

            # A module that is None in this table cannot be imported.
            return sys.modules.get(package, package) is not None and find_spec(package) is not None

        there = [name for name, package in _ADAPTERS.items() if is_there(package)]
        own = [name for name in globals() if name.startswith("__") and name.endswith("__")]
        return sorted({*own, *__all__, *there, *(["to_rerun"] if "rerun" in there else [])})
