"""firsttouch, python-fcl, IPC Toolkit, Coal, Tesseract and MuJoCo on the same pairs of boxes, in one run.

    lab/peers/run [FOLDER]                                   # installs all of them, and runs this and the others
    python lab/peers/boxes.py [--pairs N] [--out FOLDER]     # those that are installed

Boxes with sides along the axes fly past each other on straight lines, some fast, some grazing. The time of their first
touch is known exactly: each axis gives an interval of time, in fractions. The table has a row for each library and way
to call it. Misses are pairs that touch and are reported as free. False alarms are pairs that stay apart by more than
1e-3 and are reported as touching. Late pairs are reported more than 1e-6 after the contact. The time is the processor
time of a query, including the call from Python. Each library gets the boxes as solids and, where it takes them, as
meshes of twelve triangles. For a library that is not installed, its row says so.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import firsttouch as ft
from table import Row, Table

Query = Callable[["Pair"], "float | None"]


@dataclass
class Pair:
    """Two boxes, the first of which moves."""

    sides: np.ndarray
    start: np.ndarray
    end: np.ndarray
    other: np.ndarray
    toi: float | None
    """The exact first contact, rounded."""
    near: bool
    """True if they come within 1e-3 of each other."""


def first_contact(sides: np.ndarray, start: np.ndarray, end: np.ndarray, other: np.ndarray, margin: float = 0.0) -> Fraction | None:
    """Returns the exact time, by the interval of overlap along each axis."""
    low, high = Fraction(0), Fraction(1)
    for k in range(3):
        reach = (Fraction(float(sides[k])) + Fraction(float(other[k]))) / 2 + Fraction(margin)
        x0, x1 = Fraction(float(start[k])), Fraction(float(end[k]))
        if x0 == x1:
            if abs(x0) > reach:
                return None
            continue
        times = sorted([(reach - x0) / (x1 - x0), (-reach - x0) / (x1 - x0)])
        low, high = max(low, times[0]), min(high, times[1])
    return low if low <= high else None


def pairs(count: int) -> list[Pair]:
    """Returns pairs: half of them have thin boxes, and half fly past at about the distance of a touch."""
    random = np.random.default_rng(20)
    made = []
    while len(made) < count:
        sides, other = random.uniform(0.05, 1, 3), random.uniform(0.05, 1, 3)
        start, end = random.uniform(-4, 4, 3), random.uniform(-4, 4, 3)
        if len(made) % 2:
            # The line goes through a point near the surface of the other box.
            near = random.uniform(-1, 1, 3) * (sides + other) / 2
            end = near + (near - start)
        if first_contact(sides, start, start, other) is not None:
            continue
        toi = first_contact(sides, start, end, other)
        near_too = first_contact(sides, start, end, other, 1e-3) is not None
        made.append(Pair(sides, start, end, other, None if toi is None else float(toi), near_too))
    return made


CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
FACES = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])


def firsttouch_queries() -> Iterator[tuple[str, Query]]:
    """Yields queries of solids and of meshes."""

    def by(shape: Callable[[np.ndarray], ft.Shape]) -> Query:
        def query(pair: Pair) -> float | None:
            moving = ft.Linear(ft.Pose(pair.start), ft.Pose(pair.end))
            answer = ft.first_touch(shape(pair.sides), moving, shape(pair.other), ft.Fixed())
            return None if answer.is_free else answer.free_until

        return query

    yield "firsttouch", by(ft.Box)
    yield "firsttouch, meshes", by(lambda sides: ft.Mesh(CORNERS * sides, FACES))


def fcl_queries(fcl: Any) -> Iterator[tuple[str, Query]]:
    """Yields queries with the default settings, with samples, and by conservative advancement."""

    def mesh(sides: np.ndarray) -> Any:
        model = fcl.BVHModel()
        model.beginModel(len(FACES), len(CORNERS))
        model.addSubModel(CORNERS * sides, FACES)
        model.endModel()
        return model

    def by(shape: Callable[[np.ndarray], Any], **settings: Any) -> Query:
        request = fcl.ContinuousCollisionRequest(**settings)

        def query(pair: Pair) -> float | None:
            a = fcl.CollisionObject(shape(pair.sides), fcl.Transform(pair.start))
            b = fcl.CollisionObject(shape(pair.other), fcl.Transform())
            result = fcl.ContinuousCollisionResult()
            fcl.continuousCollide(a, fcl.Transform(pair.end), b, fcl.Transform(), request, result)
            return result.time_of_contact if result.is_collide else None

        return query

    def box(sides: np.ndarray) -> Any:
        return fcl.Box(*sides)

    naive = fcl.CCDSolverType.CCDC_NAIVE
    advancement = fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT
    yield "python-fcl, as it comes", by(box)
    yield "python-fcl, 10 samples", by(box, ccd_solver_type=naive)
    yield "python-fcl, 100 samples", by(box, num_max_iterations=100, ccd_solver_type=naive)
    yield "python-fcl, meshes, as it comes", by(mesh)
    yield "python-fcl, meshes, advancement", by(mesh, ccd_solver_type=advancement)


def ipctk_queries(ipctk: Any) -> Iterator[tuple[str, Query]]:
    """Yields queries of meshes whose vertices move."""
    both = np.concatenate([FACES, FACES + 8])
    edges = ipctk.edges(both)
    # Its default of 10^7 iterations takes minutes for one pair of parallel edges.
    narrow = ipctk.TightInclusionCCD(max_iterations=10_000)

    def query(pair: Pair) -> float | None:
        a, b = CORNERS * pair.sides, CORNERS * pair.other
        frames = [np.asfortranarray(np.concatenate([a + at, b])) for at in (pair.start, pair.end)]
        mesh = ipctk.CollisionMesh(frames[0], edges, both)
        step = ipctk.compute_collision_free_stepsize(mesh, *frames, narrow_phase_ccd=narrow)
        return None if step == 1.0 else step

    yield "ipctk, Tight-Inclusion, 10^4 steps", query

    def ours(pair: Pair) -> float | None:
        a, b = CORNERS * pair.sides, CORNERS * pair.other
        frames = [np.concatenate([a + at, b]) for at in (pair.start, pair.end)]
        step = ft.Deformable(frames[0], both).compute_collision_free_stepsize(*frames)
        return None if step == 1.0 else step

    yield "firsttouch, vertices that move", ours


def coal_queries(coal: Any) -> Iterator[tuple[str, Query]]:
    """It has no continuous collision: samples of the time."""

    def by(samples: int) -> Query:
        def query(pair: Pair) -> float | None:
            a, b = coal.Box(*pair.sides), coal.Box(*pair.other)
            request, still = coal.CollisionRequest(), coal.Transform3s()
            for t in np.linspace(0, 1, samples):
                at = coal.Transform3s(np.eye(3), pair.start + t * (pair.end - pair.start))
                if coal.collide(a, at, b, still, request, coal.CollisionResult()):
                    return float(t)
            return None

        return query

    yield "coal (hpp-fcl), 10 samples", by(10)
    yield "coal (hpp-fcl), 100 samples", by(100)


def tesseract_queries(collision: Any) -> Iterator[tuple[str, Query]]:
    """Yields queries of the hull of a shape at both ends of its motion, by Bullet, which only guesses the time."""
    common = importlib.import_module("tesseract_robotics.tesseract_common")
    geometry = importlib.import_module("tesseract_robotics.tesseract_geometry")
    plugin = "BulletCastBVHManager"
    libraries = "search_libraries: [tesseract_collision_bullet_factories]"
    plugins = f"continuous_plugins: {{default: {plugin}, plugins: {{{plugin}: {{class: {plugin}Factory}}}}}}"
    made = collision.ContactManagersPluginFactory(
        f"contact_manager_plugins: {{{libraries}, {plugins}}}", common.GeneralResourceLocator()
    )

    def at(place: np.ndarray) -> Any:
        matrix = np.eye(4)
        matrix[:3, 3] = place
        return common.Isometry3d(matrix)

    def query(pair: Pair) -> float | None:
        manager = made.createContinuousContactManager(plugin)
        for name, sides in (("a", pair.sides), ("b", pair.other)):
            shapes, poses = geometry.GeometriesConst(), common.VectorIsometry3d()
            shapes.append(geometry.Box(*sides))
            poses.append(at(np.zeros(3)))
            manager.addCollisionObject(name, 0, shapes, poses, True)
        manager.setActiveCollisionObjects(["a"])
        manager.setDefaultCollisionMarginData(0.0)
        manager.setCollisionObjectsTransform("b", at(np.zeros(3)))
        manager.setCollisionObjectsTransform("a", at(pair.start), at(pair.end))
        found, flat = collision.ContactResultMap(), collision.ContactResultVector()
        manager.contactTest(found, collision.ContactRequest(collision.ContactTestType_FIRST))
        found.flattenMoveResults(flat)
        return 0.0 if len(flat) else None

    yield "tesseract (Bullet), hull of both ends", query


def mujoco_queries(mujoco: Any) -> Iterator[tuple[str, Query]]:
    """It has no continuous collision: samples of the time."""

    def by(samples: int) -> Query:
        def query(pair: Pair) -> float | None:
            a, b = (" ".join(map(str, sides / 2)) for sides in (pair.sides, pair.other))
            model = mujoco.MjModel.from_xml_string(
                f'<mujoco><worldbody><body mocap="true"><geom type="box" size="{a}"/></body><geom type="box" size="{b}"/></worldbody></mujoco>'
            )
            data = mujoco.MjData(model)
            for t in np.linspace(0, 1, samples):
                data.mocap_pos[0] = pair.start + t * (pair.end - pair.start)
                mujoco.mj_kinematics(model, data)
                if mujoco.mj_geomDistance(model, data, 0, 1, 1.0, None) <= 0.0:
                    return float(t)
            return None

        return query

    yield "mujoco, 100 samples", by(100)


PEERS: dict[str, Callable[[Any], Iterator[tuple[str, Query]]]] = {
    "fcl": fcl_queries,
    "ipctk": ipctk_queries,
    "coal": coal_queries,
    "tesseract_robotics.tesseract_collision": tesseract_queries,
    "mujoco": mujoco_queries,
}
YES_OR_NO = {"tesseract (Bullet), hull of both ends"}


def row(name: str, query: Query, given: list[Pair]) -> Row:
    """Returns one line of the table, including queries that raise."""
    try:
        begin = time.process_time()
        found = [query(pair) for pair in given]
        spent = time.process_time() - begin
    except Exception as error:
        return Row(name, None, None, None, None, f"{type(error).__name__}: {error}")
    misses = sum(p.toi is not None and t is None for p, t in zip(given, found))
    alarms = sum(not p.near and t is not None for p, t in zip(given, found))
    late = sum(p.toi is not None and t is not None and t > p.toi + 1e-6 for p, t in zip(given, found))
    is_timed = name not in YES_OR_NO
    note = "" if is_timed else "says yes or no"
    return Row(name, misses, alarms, late if is_timed else None, spent / len(given) * 1e6, note)


def main() -> None:
    """Prints the table, and writes it to the requested folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--out", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    given = pairs(arguments.pairs)
    touching = sum(pair.toi is not None for pair in given)
    rows = [row(name, query, given) for name, query in firsttouch_queries()]
    for module, of_peer in PEERS.items():
        try:
            peer = importlib.import_module(module)
        except ImportError:
            rows.append(Row(module, None, None, None, None, "not installed"))
            continue
        rows += [row(name, query, given) for name, query in of_peer(peer)]
    rows.append(Row("warp", None, None, None, None, "queries of points, rays and boxes against meshes at rest; none of two moving shapes"))
    table = Table("boxes", f"{len(given)} pairs of boxes on straight lines, {touching} touch", rows)
    print(table.markdown())
    if arguments.out:
        table.write(arguments.out)


if __name__ == "__main__":
    main()
