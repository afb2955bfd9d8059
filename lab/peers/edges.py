"""Edges of a robot among boxes in one run: firsttouch, hpp-core's validations, and samples by Pinocchio and Coal.

The validations of hpp-core are the continuous and the discretized ones.

    lab/peers/run [FOLDER]                                   # installs all of them, and runs this and the others
    python lab/peers/edges.py [--edges N] [--out FOLDER]     # those that are installed

An arm of six joints moves on straight lines in joint space, among boxes; some edges only graze. There is no exact
answer here. An edge that Coal finds touching at one of 4,000 instants, by more than 1e-6, touches: a library that calls
it free has missed it. An edge whose sampled distance never falls below 1e-3 plus the arm's largest motion between two
samples stays apart: a library that calls it touching raises a false alarm. A touch is late if it is reported after the
first touching instant. The time is the processor time of one call per edge, from Python; firsttouch also takes all
edges in one call.
"""

from __future__ import annotations

import argparse
import importlib
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import firsttouch as ft
from table import Row, Table

JOINTS = 6
SAMPLES = 4000
# Centre and sides.
BOXES = [((0.55, 0.2, 0.6), (0.3, 0.2, 0.5)), ((-0.6, 0.45, 0.9), (0.2, 0.5, 0.2)), ((0.1, -0.7, 1.1), (0.4, 0.1, 0.4)), ((0.0, 0.0, 2.15), (0.6, 0.6, 0.04))]


def arm() -> str:
    """Cylinders of 5 cm, joints about z and y."""
    links = ['<link name="l0"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>']
    inertia = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    for k in range(1, JOINTS + 1):
        solid = '<collision><origin xyz="0 0 0.15"/><geometry><cylinder radius="0.05" length="0.26"/></geometry></collision>'
        links.append(f'<link name="l{k}">{inertia}{solid}</link>')
        links.append(
            f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/><origin xyz="0 0 {0.15 if k == 1 else 0.3}"/>'
            f'<axis xyz="{"0 0 1" if k % 3 == 1 else "0 1 0"}"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="arm">{"".join(links)}</robot>'


def srdf() -> str:
    """Returns the SRDF text, which leaves out links next to each other."""
    near = [(i, j) for i in range(JOINTS + 1) for j in range(i + 1, min(i + 3, JOINTS + 1))]
    disabled = [f'<disable_collisions link1="l{i}" link2="l{j}" reason="Adjacent"/>' for i, j in near]
    return f'<robot name="arm">{"".join(disabled)}</robot>'


def boxes() -> str:
    """Returns the obstacles as a robot without joints."""
    solids = [
        f'<collision><origin xyz="{" ".join(map(str, at))}"/><geometry><box size="{" ".join(map(str, sides))}"/></geometry></collision>'
        for at, sides in BOXES
    ]
    return f'<robot name="world"><link name="base">{"".join(solids)}</link></robot>'


@dataclass
class Edge:
    """A straight line in joint space."""

    start: np.ndarray
    end: np.ndarray
    touches_at: float | None
    """The first sampled instant of contact."""
    is_apart: bool


class Sampled:
    """The arm and the boxes in Pinocchio and Coal."""

    def __init__(self, pinocchio: Any) -> None:
        self.pinocchio = pinocchio
        self.model = pinocchio.buildModelFromXML(arm())
        kind = pinocchio.GeometryType.COLLISION
        self.geometry = pinocchio.buildGeomFromUrdfString(self.model, arm(), kind)
        own = len(self.geometry.geometryObjects)
        coal = importlib.import_module("coal")
        for k, (at, sides) in enumerate(BOXES):
            place = pinocchio.SE3(np.eye(3), np.array(at))
            self.geometry.addGeometryObject(pinocchio.GeometryObject(f"box{k}", 0, place, coal.Box(*sides)))
        for i in range(own):
            for j in range(i + 1, len(self.geometry.geometryObjects)):
                if (j < own and j - i > 2) or (j >= own and i > 0):
                    self.geometry.addCollisionPair(pinocchio.CollisionPair(i, j))
        self.data = self.model.createData()
        self.placed = self.geometry.createData()

    def distance(self, q: np.ndarray) -> float:
        """Returns the least distance of all pairs; negative if they overlap."""
        self.pinocchio.updateGeometryPlacements(self.model, self.data, self.geometry, self.placed, q)
        self.pinocchio.computeDistances(self.geometry, self.placed)
        return min(result.min_distance for result in self.placed.distanceResults)

    def touches(self, q: np.ndarray) -> bool:
        """Returns true if any pair touches."""
        return bool(self.pinocchio.computeCollisions(self.model, self.data, self.geometry, self.placed, q, True))


def edges(count: int, sampled: Sampled) -> list[Edge]:
    """Returns edges that start without contact, some of them far from the obstacles and some near."""
    random = np.random.default_rng(6)
    made: list[Edge] = []
    while len(made) < count:
        start = random.uniform(-2, 2, JOINTS)
        end = start + random.uniform(-1, 1, JOINTS) * (1.5 if len(made) % 2 else 0.3)
        if sampled.distance(start) < 1e-3:
            continue
        # No point of the arm is farther than 2 m from an axis of its joints.
        step = 2.0 * np.abs(end - start).sum() / SAMPLES
        touches_at, least, t = None, np.inf, 0.0
        while t <= 1.0:
            distance = sampled.distance(start + t * (end - start))
            least = min(least, distance)
            if distance < -1e-6:
                touches_at = t
                break
            # If it is far away, the next samples cannot touch.
            t += max(1, int(distance / (2 * step))) / SAMPLES
        made.append(Edge(start, end, touches_at, touches_at is None and least > 1e-3 + step))
    return made


Validate = Callable[[Edge], "float | None"]


def row(name: str, validate: Validate, given: list[Edge], note: str = "") -> Row:
    """Returns one line of the table."""
    try:
        begin = time.process_time()
        found = [validate(edge) for edge in given]
        spent = time.process_time() - begin
    except Exception as error:
        return Row(name, None, None, None, None, f"{type(error).__name__}: {error}")
    return counted(name, found, given, spent, note)


def counted(name: str, found: list[float | None], given: list[Edge], spent: float, note: str = "") -> Row:
    """Returns one line of the table, from the time until which each edge was called free; `None` for all of it."""
    misses = sum(edge.touches_at is not None and t is None for edge, t in zip(given, found))
    alarms = sum(edge.is_apart and t is not None for edge, t in zip(given, found))
    late = sum(edge.touches_at is not None and t is not None and t > edge.touches_at + 1e-9 for edge, t in zip(given, found))
    return Row(name, misses, alarms, late, spent / len(given) * 1e6, note)


def firsttouch_rows(given: list[Edge]) -> list[Row]:
    """Returns the rows of one edge at a time, and of all in one call."""
    with tempfile.TemporaryDirectory() as folder:
        urdf, semantic = Path(folder) / "arm.urdf", Path(folder) / "arm.srdf"
        urdf.write_text(arm())
        semantic.write_text(srdf())
        robot = ft.Robot.from_urdf(urdf, semantic)
    checker = ft.Checker(robot)
    for k, (at, sides) in enumerate(BOXES):
        checker.add_obstacle(f"box{k}", ft.Box(sides), pose=ft.Pose(at))
        checker.allow("l0", f"box{k}")

    def one(edge: Edge) -> float | None:
        answer = checker.check_motion(edge.start, edge.end)
        return None if answer.is_free else answer.free_until

    rows = [row("firsttouch, one call per edge", one, given)]
    starts, ends = (np.array([getattr(edge, side) for edge in given]) for side in ("start", "end"))
    begin = time.process_time()
    batch = checker.check_motions(starts, ends, threads=1)
    spent = time.process_time() - begin
    found = [None if free else until for free, until in zip(batch.is_free, batch.free_until)]
    return [*rows, counted("firsttouch, one call for all", found, given, spent)]


def hpp_rows(given: list[Edge], pinocchio: Any) -> list[Row]:
    """Returns the rows of progressive and dichotomic continuous validation, and of samples.

    The libraries of hpp find each other by `LD_LIBRARY_PATH`, which `run` sets."""
    core = importlib.import_module("pyhpp.core")
    device = importlib.import_module("pyhpp.pinocchio").Device("arm")
    urdf = importlib.import_module("pyhpp.pinocchio.urdf")
    here = pinocchio.SE3.Identity()
    urdf.loadModelFromString(device, 0, "", "anchor", arm(), srdf(), here)
    urdf.loadModelFromString(device, 0, "world/", "anchor", boxes(), '<robot name="world"/>', here)
    problem = core.Problem(device)

    def by(validation: Any) -> Validate:
        def validate(edge: Edge) -> float | None:
            path = problem.directPath(edge.start, edge.end, False)[1]
            valid, part, _ = validation.validate(path, False)
            return None if valid else float(part.length() / path.length())

        return validate

    rows = []
    for name, make in (
        ("hpp-core, Progressive, 1e-3", lambda: core.Progressive(device, 1e-3)),
        ("hpp-core, Dichotomy", lambda: core.Dichotomy(device, 0.0)),
        ("hpp-core, DiscretizedCollision, 0.05", lambda: core.DiscretizedCollision(device, 0.05)),
    ):
        try:
            rows.append(row(name, by(make()), given))
        except Exception as error:
            rows.append(Row(name, None, None, None, None, f"{type(error).__name__}: {error}"))
    return rows


def sampled_row(step: float, sampled: Sampled, given: list[Edge]) -> Row:
    """Returns the rows of samples at most `step` apart in joint space, as planners take them."""

    def validate(edge: Edge) -> float | None:
        count = max(1, int(np.ceil(np.linalg.norm(edge.end - edge.start) / step)))
        for k in range(count + 1):
            if sampled.touches(edge.start + (edge.end - edge.start) * (k / count)):
                return k / count
        return None

    return row(f"pinocchio and coal, samples of {step} rad", validate, given)


def main() -> None:
    """Prints the table, and writes it to the requested folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=500)
    parser.add_argument("--out", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        pinocchio = importlib.import_module("pinocchio")
        sampled = Sampled(pinocchio)
    except ImportError as error:
        # They decide which edges touch, so there is no comparison without them.
        missing = Row("pinocchio and coal", None, None, None, None, f"cannot be imported, so no edge has a known answer: {error}")
        table = Table("edges", "edges of an arm among boxes", [missing])
        print(table.markdown())
        if arguments.out:
            table.write(arguments.out)
        return
    given = edges(arguments.edges, sampled)
    touching = sum(edge.touches_at is not None for edge in given)
    rows = firsttouch_rows(given)
    try:
        rows += hpp_rows(given, pinocchio)
    except ImportError as error:
        rows.append(Row("hpp-core", None, None, None, None, f"cannot be imported: {error}"))
    rows += [sampled_row(step, sampled, given) for step in (0.1, 0.01)]
    table = Table("edges", f"{len(given)} edges of an arm among boxes, {touching} touch", rows)
    print(table.markdown())
    if arguments.out:
        table.write(arguments.out)


if __name__ == "__main__":
    main()
