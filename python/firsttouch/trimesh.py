"""A collision manager with the method names of ``trimesh.collision.CollisionManager``, plus
`CollisionManager.first_touch`.

Meshes are surfaces here as there. Two meshes collide when they are within the tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._options import TOLERANCE
from .answer import Answer
from .motions import Fixed, Linear, Motion
from .scene import Scene
from .shapes import shape_of


class CollisionManager:
    """Named meshes at their poses, checked against each other.

    Examples
    --------
    >>> import firsttouch as ft, numpy as np
    >>> manager = ft.trimesh.CollisionManager()
    >>> manager.add_object("a", ft.Sphere(1))
    >>> manager.add_object("b", ft.Sphere(1), np.array([[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]))
    >>> manager.in_collision_internal()
    False
    >>> manager.first_touch({"b": np.eye(4)}).toi.__round__(5)
    0.6
    """

    def __init__(self, tolerance: float = TOLERANCE) -> None:
        self._scene = Scene()
        self._tolerance = tolerance

    def add_object(self, name: str, mesh: Any, transform: Any = None) -> None:
        """Adds a ``trimesh.Trimesh`` or a `Shape`. An object of the same name is replaced."""
        if name in self._scene:
            self._scene.remove(name)
        self._scene.add(name, shape_of(mesh), pose=transform)

    def remove_object(self, name: str) -> None:
        """Removes an object."""
        self._scene.remove(name)

    def set_transform(self, name: str, transform: Any) -> None:
        """Sets the pose of an object."""
        self._scene[name].motion = Fixed(transform)

    def in_collision_single(self, mesh: Any, transform: Any = None, return_names: bool = False) -> Any:
        """Returns True if a mesh collides with any object, and the names of these objects if `return_names`."""
        hits: set[str] = set()
        probe = shape_of(mesh)
        for name in self._scene:
            body = self._scene[name]
            pair = Scene()
            pair.add("probe", probe, pose=transform)
            pair.add("object", body.shape, motion=body.motion)
            if not pair.check(mode="any", tolerance=self._tolerance, t_max=1.0).is_free:
                hits.add(name)
        return (bool(hits), hits) if return_names else bool(hits)

    def in_collision_internal(self, return_names: bool = False) -> Any:
        """Returns True if any two objects collide, and the names of these pairs if `return_names`."""
        if not return_names:
            return not self._scene.check(mode="any", tolerance=self._tolerance).is_free
        pairs = self._scene.check(mode="all", tolerance=self._tolerance).pairs
        names = {tuple(sorted(pair.names)) for pair in pairs if pair.names is not None}
        return bool(names), names

    def in_collision_other(self, other_manager: CollisionManager, return_names: bool = False) -> Any:
        """Returns True if an object of this manager collides with one of another, and the names of these pairs if
        `return_names`."""
        names = set()
        for name in other_manager._scene:
            body = other_manager._scene[name]
            _, hits = self.in_collision_single(body.shape, body.pose, return_names=True)
            names |= {(hit, name) for hit in hits}
        return (bool(names), names) if return_names else bool(names)

    def first_touch(self, motions: Mapping[str, Any], **options: Any) -> Answer:
        """Returns the first touch while objects move from their poses to others.

        Parameters
        ----------
        motions : mapping of names to poses or motions
            A pose is that of the object at time 1; it moves there on a straight line. Objects that are not named rest.
        **options
            As in `firsttouch.Scene.check`.
        """
        moving = self._scene.copy()
        for name, motion in motions.items():
            body = moving[name]
            body.motion = motion if isinstance(motion, Motion) else Linear(body.pose, np.asarray(motion))
        return moving.check(**{"tolerance": self._tolerance, **options})
