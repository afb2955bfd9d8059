"""Drake: robots from a plant, a collision checker that proves edges, and a constraint for its optimisers.

`planning.CollisionChecker` of Drake has no constructor in Python, and calls of Drake's C++ code to an
``UnimplementedCollisionChecker`` do not come back to Python. So no checker from Python can be given to
``VisibilityGraph`` or the region builders. Python code that queries a checker can be given a `CollisionChecker`, which
has the same methods. Drake's trajectory optimisation queries this library by a `clearance_constraint`, and its result
is proven by `Checker.check_trajectory` of `Trajectory.from_drake`.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from typing import Any, Literal

import numpy as np
from pydrake import geometry as _geometry
from pydrake.math import RigidTransform as _RigidTransform
from pydrake.planning import EdgeMeasure as _EdgeMeasure
from pydrake.solvers import PyFunctionConstraint as _PyFunctionConstraint

from ._arrays import Floats, floats
from ._differentiable import LeastDistance
from ._options import TOLERANCE
from ._types import ArrayLike
from .checker import Checker
from .pose import Pose
from .robot import Joint, Link, Robot
from .shapes import Box, Capsule, Cylinder, Ellipsoid, HalfSpace, Hull, Mesh, Shape, Sphere

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
# The joints that are chains of hinges and slides: their kinds, axes, and places among the positions of the joint, the
# first next to the parent.
_CHAINS: dict[str, tuple[tuple[str, tuple[float, float, float], int], ...]] = {
    "planar": (("prismatic", _X, 0), ("prismatic", _Y, 1), ("revolute", _Z, 2)),
    "universal": (("revolute", _X, 0), ("revolute", _Y, 1)),
    "ball_rpy": (("revolute", _Z, 2), ("revolute", _Y, 1), ("revolute", _X, 0)),
    "rpy_floating": (
        ("prismatic", _X, 3),
        ("prismatic", _Y, 4),
        ("prismatic", _Z, 5),
        ("revolute", _Z, 2),
        ("revolute", _Y, 1),
        ("revolute", _X, 0),
    ),
}
# A floating joint of ours has x, y, z and the quaternion with its real part last. These are the places of its numbers
# in Drake.
_FLOATING = (4, 5, 6, 1, 2, 3, 0)


def robot(plant: Any, scene_graph: Any, *, name: str | None = None, meshes: Literal["hull", "surface"] = "hull") -> Robot:
    """The robot of a finalized ``MultibodyPlant``: all its bodies and their collision geometry, without half-spaces of
    the world.

    Parameters
    ----------
    plant : pydrake.multibody.plant.MultibodyPlant
    scene_graph : pydrake.geometry.SceneGraph
        That of the plant.
    name : str, optional
    meshes : {"hull", "surface"}
        Drake collides the convex hulls of meshes; "surface" takes their triangles as they are.

    The links are called as the scoped names of the bodies, ``"arm::hand"``, and the body of the world is the link
    ``"world"``. Pairs of bodies are checked if Drake collides a pair of their geometries, adjacent ones too.
    `configuration` makes a configuration of the positions of the plant.
    """
    return _Plant(plant, scene_graph, meshes).robot(name)


def checker(
    plant: Any, scene_graph: Any, *, name: str | None = None, meshes: Literal["hull", "surface"] = "hull"
) -> Checker:
    """A checker of a finalized ``MultibodyPlant``: its `robot` among the half-spaces of its world. The arguments are
    those of `robot`.

    Examples
    --------
    >>> import firsttouch as ft
    >>> from pydrake.all import AddMultibodyPlantSceneGraph, CoulombFriction, DiagramBuilder, HalfSpace, RigidTransform
    >>> plant, scene_graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
    >>> floor = plant.RegisterCollisionGeometry(plant.world_body(), RigidTransform(), HalfSpace(), "floor", CoulombFriction())
    >>> plant.Finalize()
    >>> ft.drake.checker(plant, scene_graph)
    Checker(Robot('plant', 1 links, 0 joints: ), 1 obstacles)
    """
    read = _Plant(plant, scene_graph, meshes)
    among = Checker(read.robot(name))
    read.add_half_spaces(among)
    return among


def configuration(plant: Any, q: ArrayLike) -> Floats:
    """The positions of a plant as a configuration of its `robot`, of shape (n,), or (N, n) for many. `positions` goes
    the other way."""
    values = _of_plant(plant, q, "q")
    return np.ascontiguousarray(values[..., _order(plant)])


def positions(plant: Any, q: ArrayLike) -> Floats:
    """A configuration of a `robot` as the positions of its plant: the inverse of `configuration`."""
    values = _of_plant(plant, q, "q")
    found = np.empty_like(values)
    found[..., _order(plant)] = values
    return found


class CollisionChecker:
    """A checker with the methods of ``pydrake.planning.CollisionChecker`` that say whether configurations and edges are
    free.

    An edge is free if it is proven free over its whole length; there is no step size. It is not derived from Drake's
    class, which has no constructor in Python.

    Parameters
    ----------
    checker : Checker
        From `checker`. Its `Checker.padding` is the padding of this one.
    plant : pydrake.multibody.plant.MultibodyPlant
        The methods take its positions.
    """

    def __init__(self, checker: Checker, plant: Any) -> None:
        if checker.dof != plant.num_positions():
            raise ValueError(f"the plant has {plant.num_positions()} positions, but the checker has {checker.dof} joints")
        self._checker, self._plant, self._at = checker, plant, _order(plant)

    def plant(self) -> Any:
        """The plant."""
        return self._plant

    def CheckConfigCollisionFree(self, q: ArrayLike, context_number: int | None = None) -> bool:
        """Returns True if a configuration is proven free."""
        return self._checker.check_state(self._rows(q)).is_free

    def CheckConfigsCollisionFree(self, configs: Sequence[ArrayLike], parallelize: Any = True) -> list[int]:
        """Does the same for many: 1 for each that is free."""
        if len(configs) == 0:
            return []
        return [int(free) for free in self._checker.check_states(self._rows(configs), threads=_threads(parallelize))]

    def CheckEdgeCollisionFree(self, q1: ArrayLike, q2: ArrayLike, context_number: int | None = None) -> bool:
        """Returns True if the straight edge between two configurations is proven free."""
        return self._checker.check_motion(self._rows(q1), self._rows(q2), mode="any").is_free

    def CheckEdgeCollisionFreeParallel(self, q1: ArrayLike, q2: ArrayLike, parallelize: Any = True) -> bool:
        """Does the same: one thread decides one edge."""
        return self.CheckEdgeCollisionFree(q1, q2)

    def CheckEdgesCollisionFree(self, edges: Sequence[tuple[ArrayLike, ArrayLike]], parallelize: Any = True) -> list[int]:
        """Does the same for many: 1 for each that is free."""
        batch = self._batch(edges, "any", parallelize)
        return [] if batch is None else [int(free) for free in batch.is_free]

    def MeasureEdgeCollisionFree(self, q1: ArrayLike, q2: ArrayLike, context_number: int | None = None) -> Any:
        """Returns an ``EdgeMeasure`` with the part of the edge that is proven free."""
        return self.MeasureEdgesCollisionFree([(q1, q2)])[0]

    def MeasureEdgesCollisionFree(self, edges: Sequence[tuple[ArrayLike, ArrayLike]], parallelize: Any = True) -> list[Any]:
        """The same for many."""
        batch = self._batch(edges, "first", parallelize)
        if batch is None:
            return []
        lengths = [self.ComputeConfigurationDistance(a, b) for a, b in edges]
        # Less than nothing is Drake's word for an edge that is not free where it begins.
        parts = np.where(batch.is_free, 1.0, np.where(batch.free_until > 0.0, np.minimum(batch.free_until, np.nextafter(1.0, 0.0)), -1.0))
        return [_EdgeMeasure(length, part) for length, part in zip(lengths, parts.tolist(), strict=True)]

    def ComputeConfigurationDistance(self, q1: ArrayLike, q2: ArrayLike) -> float:
        """The Euclidean distance."""
        return float(np.linalg.norm(floats(q2, "q2") - floats(q1, "q1")))

    def InterpolateBetweenConfigurations(self, q1: ArrayLike, q2: ArrayLike, ratio: float) -> Floats:
        """Returns the configuration on the straight edge that is checked."""
        start, end = floats(q1, "q1"), floats(q2, "q2")
        found: Floats = start + ratio * (end - start)
        return found

    def _rows(self, q: Any) -> Floats:
        return np.ascontiguousarray(_of_plant(self._plant, q, "q")[..., self._at])

    def _batch(self, edges: Any, mode: Literal["first", "any"], parallelize: Any) -> Any:
        if len(edges) == 0:
            return None
        starts, ends = (self._rows([edge[k] for edge in edges]) for k in (0, 1))
        return self._checker.check_motions(starts, ends, mode=mode, threads=_threads(parallelize))


def clearance_constraint(
    checker: Checker, plant: Any, least: float, *, tolerance: float = TOLERANCE, largest: float = np.inf
) -> Any:
    """A constraint of Drake: the distance in a configuration is at least `least`, with the derivatives of
    `Checker.clearance_gradient`.

    ``KinematicTrajectoryOptimization.AddPathPositionConstraint`` takes it, or ``prog.AddConstraint``. It says something
    about one configuration: prove the whole trajectory with
    ``checker.check_trajectory(ft.Trajectory.from_drake(found))``.

    Parameters
    ----------
    checker : Checker
    plant : pydrake.multibody.plant.MultibodyPlant
        Its positions are the variables.
    least : float
    tolerance : float
        Of the distance.
    largest : float
        Distances beyond it count as this one: far away there is nothing to learn, and so no derivative.

    If links overlap, the distance is 0 and has no derivative. Start from a guess that is free, or nearly so, in the
    configurations of the constraint.
    """
    distance = LeastDistance(checker, tolerance=tolerance, nothing=largest)
    order = _order(plant)

    def evaluate(q: Any) -> Any:
        if q.dtype != object:
            return np.minimum(distance.value(np.asarray(q, dtype=np.float64)[order])[None], largest)
        from pydrake.autodiffutils import AutoDiffXd, ExtractGradient, ExtractValue

        at: Any = ExtractValue(q)
        value, by_q, _ = distance.value_and_gradients(at.reshape(-1)[order])
        by_position = np.zeros(len(order))
        by_position[order] = by_q if value < largest else 0.0
        return np.array([AutoDiffXd(min(float(value), largest), by_position @ ExtractGradient(q))])

    lower: Any = [float(least)]
    upper: Any = [np.inf]
    return _PyFunctionConstraint(plant.num_positions(), evaluate, lower, upper, "clearance")


def _threads(parallelize: Any) -> int:
    """Returns the number of threads that Drake's argument requests."""
    if isinstance(parallelize, bool):
        return 0 if parallelize else 1
    return int(parallelize.num_threads())


def _of_plant(plant: Any, q: Any, what: str) -> Floats:
    values = floats(q, what)
    if values.ndim not in (1, 2) or values.shape[-1] != plant.num_positions():
        count = plant.num_positions()
        raise ValueError(f"{what} must have the shape ({count},) or (N, {count}), but has {values.shape}")
    return values


def _order(plant: Any) -> list[int]:
    """For each number of a configuration, its place among the positions of the plant."""
    found = []
    for joint in _joints(plant):
        begin, kind = int(joint.position_start()), joint.type_name()
        if kind == "quaternion_floating":
            found += [begin + k for k in _FLOATING]
        elif kind in _CHAINS:
            found += [begin + k for _, _, k in _CHAINS[kind]]
        else:
            found += range(begin, begin + int(joint.num_positions()))
    return found


def _joints(plant: Any) -> list[Any]:
    """Parents first, in the order of a robot's configuration."""
    children: dict[int, list[Any]] = {}
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        children.setdefault(int(joint.parent_body().index()), []).append(joint)
    order = []
    waiting = children.get(0, [])[::-1]
    while waiting:
        joint = waiting.pop()
        order.append(joint)
        waiting += children.get(int(joint.child_body().index()), [])[::-1]
    return order


class _Plant:
    """A plant that is being read."""

    def __init__(self, plant: Any, scene_graph: Any, meshes: str) -> None:
        if not plant.is_finalized():
            raise ValueError("the plant must be finalized")
        if meshes not in ("hull", "surface"):
            raise ValueError(f"meshes must be \"hull\" or \"surface\", not {meshes!r}")
        self.plant, self.inspector, self.meshes = plant, scene_graph.model_inspector(), meshes
        self.bodies = [plant.get_body(index) for index in plant.GetBodyIndices(plant.world_body().model_instance())]
        for instance in range(1, plant.num_model_instances()):
            self.bodies += [plant.get_body(index) for index in plant.GetBodyIndices(_instance(instance))]
        self.geometries = {int(body.index()): list(plant.GetCollisionGeometriesForBody(body)) for body in self.bodies}
        self.half_spaces = [g for g in self.geometries[0] if isinstance(self.inspector.GetShape(g), _geometry.HalfSpace)]
        self.geometries[0] = [g for g in self.geometries[0] if g not in self.half_spaces]
        known = {g for own in self.geometries.values() for g in own} | set(self.half_spaces)
        roled = self.inspector.GetAllGeometryIds(_geometry.Role.kProximity)
        others = [self.inspector.GetName(g) for g in roled if g not in known]
        if others:
            warnings.warn(f"geometry that belongs to no body of the plant is left out: {', '.join(others)}", stacklevel=4)

    def robot(self, name: str | None) -> Robot:
        links = [Link(self.called(body), [self.placed(g) for g in self.geometries[int(body.index())]]) for body in self.bodies]
        joints: list[Joint] = []
        reached = {0}
        for joint in _joints(self.plant):
            reached.add(int(joint.child_body().index()))
            self.add_joint(joint, links, joints)
        lost = [self.called(body) for body in self.bodies if int(body.index()) not in reached]
        if lost:
            raise ValueError(f"there is no way by joints from the world to {', '.join(lost)}")
        constraints = self.plant.num_constraints()
        if constraints:
            warnings.warn(f"the plant has {constraints} constraints, which need not hold between two configurations", stacklevel=4)
        return Robot(self.plant.get_name() or "plant" if name is None else name, links, joints, allow=self.allowed())

    def add_joint(self, joint: Any, links: list[Link], joints: list[Joint]) -> None:
        """A link without shapes stands between the two bodies: links that a joint joins are never checked, but Drake
        may collide these."""
        kind, called = joint.type_name(), f"{_scope(self.plant, joint)}{joint.name()}"
        parent, child = self.called(joint.parent_body()), self.called(joint.child_body())
        at = joint.frame_on_parent().GetFixedPoseInBodyFrame().GetAsMatrix4()
        if kind == "quaternion_floating":
            moves: Any = (("floating", _Z, None),)
        elif kind in _CHAINS:
            moves = _CHAINS[kind]
        elif kind == "revolute":
            moves = (("revolute", tuple(joint.revolute_axis().tolist()), 0),)
        elif kind == "prismatic":
            moves = (("prismatic", tuple(joint.translation_axis().tolist()), 0),)
        elif kind == "weld":
            moves = ()
            at = at @ joint.X_FM().GetAsMatrix4()
        else:
            raise ValueError(f"joint \"{called}\" is a {kind} joint, which is not supported")
        lower, upper = joint.position_lower_limits(), joint.position_upper_limits()
        for step, (own, axis, place) in enumerate(moves):
            frame = f"{called}: frame {step + 1}"
            links.append(Link(frame))
            limits = None if place is None else (float(lower[place]), float(upper[place]))
            named = called if len(moves) == 1 else f"{called}/{step}"
            limits = limits if limits is not None and np.all(np.isfinite(limits)) else None
            joints.append(Joint(named, parent, frame, own, axis, at, limits))
            parent, at = frame, np.eye(4)
        if not moves:
            links.append(Link(f"{called}: frame"))
            joints.append(Joint(called, parent, f"{called}: frame", "fixed", origin=at))
            parent, at = f"{called}: frame", np.eye(4)
        inverse = joint.frame_on_child().GetFixedPoseInBodyFrame().inverse().GetAsMatrix4()
        joints.append(Joint(f"{called}: end", parent, child, "fixed", origin=inverse))

    def add_half_spaces(self, among: Checker) -> None:
        for g in self.half_spaces:
            at = Pose.of(self.inspector.GetPoseInFrame(g).GetAsMatrix4())
            normal, called = at.matrix[:3, 2], self.inspector.GetName(g)
            among.add_obstacle(called, HalfSpace(normal, float(normal @ at.xyz)))
            for body in self.bodies:
                own = self.geometries[int(body.index())]
                if own and all(self.inspector.CollisionFiltered(g, h) for h in own):
                    among.allow(self.called(body), called)

    def allowed(self) -> list[tuple[str, str]]:
        """Pairs of bodies none of whose geometries Drake collides."""
        found = []
        shaped = [body for body in self.bodies if self.geometries[int(body.index())]]
        for k, a in enumerate(shaped):
            for b in shaped[k + 1 :]:
                pairs = ((g, h) for g in self.geometries[int(a.index())] for h in self.geometries[int(b.index())])
                if all(self.inspector.CollisionFiltered(g, h) for g, h in pairs):
                    found.append((self.called(a), self.called(b)))
        return found

    def called(self, body: Any) -> str:
        return "world" if int(body.index()) == 0 else f"{_scope(self.plant, body)}{body.name()}"

    def placed(self, g: Any) -> tuple[Shape, Any]:
        return _shape(self.inspector, g, self.meshes), self.inspector.GetPoseInFrame(g).GetAsMatrix4()


def _instance(k: int) -> Any:
    from pydrake.multibody.tree import ModelInstanceIndex

    return ModelInstanceIndex(k)


def _scope(plant: Any, element: Any) -> str:
    """Returns the name of its model and two colons, if the model was added."""
    instance = element.model_instance()
    return f"{plant.GetModelInstanceName(instance)}::" if int(instance) >= 2 else ""


def _shape(inspector: Any, g: Any, meshes: str) -> Shape:
    shape = inspector.GetShape(g)
    kind = type(shape).__name__
    if kind == "Sphere":
        return Sphere(shape.radius())
    if kind == "Box":
        return Box(shape.size())
    if kind == "Capsule":
        return Capsule(shape.radius(), shape.length())
    if kind == "Cylinder":
        return Cylinder(shape.radius(), shape.length())
    if kind == "Ellipsoid":
        return Ellipsoid([shape.a(), shape.b(), shape.c()])
    if kind == "Convex" or (kind == "Mesh" and meshes == "hull"):
        hull = shape.GetConvexHull()
        return Hull([hull.vertex(v) for v in range(hull.num_vertices())])
    if kind == "Mesh":
        if not shape.source().is_path():
            raise ValueError(f"geometry \"{inspector.GetName(g)}\" is a mesh in memory: meshes=\"hull\" takes its hull")
        return Mesh.load(shape.source().path(), shape.scale3())
    hint = ", except on the body of the world" if kind == "HalfSpace" else ""
    raise ValueError(f"geometry \"{inspector.GetName(g)}\" is a {kind}, which is not supported{hint}")
