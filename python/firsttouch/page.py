"""A motion and its answer as one page: the document of ``viewer/FORMAT.md`` inside of the viewer's page."""

from __future__ import annotations

import json
import os
from html import escape
from typing import Any

import numpy as np

from . import _core
from .answer import Answer
from .checker import Checker
from .deformable import Deformable
from .scene import Scene


class View:
    """A page that shows a motion and its answer. A notebook shows it by itself."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        """The document that is shown, in the format of ``viewer/FORMAT.md``."""

    @property
    def html(self) -> str:
        """The page, which needs nothing else: no network, no other file."""
        return _core.page_around(json.dumps(self.document, separators=(",", ":"), allow_nan=False))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)

    def __repr__(self) -> str:
        answers = ", ".join(run["answer"]["answer"] for run in self.document["runs"])
        return f"View({self.document['title']!r}, {len(self.document['bodies'])} bodies, {answers})"

    def _repr_html_(self) -> str:
        style = "width:100%;height:520px;border:0"
        return f'<iframe style="{style}" sandbox="allow-scripts" srcdoc="{escape(self.html, quote=True)}"></iframe>'


def view(what: Any, *motion: Any, answer: Answer | None = None, title: str | None = None, **options: Any) -> View:
    """A page that shows a motion and its answer.

    Parameters
    ----------
    what : Scene, Checker or Deformable
        The object to show.
    *motion
        Of a scene nothing. Of a checker the waypoints ``Q`` of a path, of shape (N, dof). Of a deforming mesh its
        frames ``V0`` and ``V1``.
    answer : Answer, optional
        The answer to show; that of `check`, or `check_path`, if left out.
    title : str, optional
    **options
        Of the check, if there is no answer given.

    Returns
    -------
    View
        It shows itself in a notebook; `View.save` writes the page to a file.

    Examples
    --------
    >>> import firsttouch as ft
    >>> s = ft.Scene()
    >>> s.add("ball", ft.Sphere(1), motion=ft.Linear(ft.Pose([0, 0, 10]), ft.Pose([0, 0, 0])))
    >>> s.add("slab", ft.Box([8, 8, 2]))
    >>> ft.view(s)
    View('scene', 2 bodies, touch)
    >>> ft.view(s).save("scene.html")                           # doctest: +SKIP
    """
    if isinstance(what, Scene) and not motion:
        return _view_scene(what, what.check(**options) if answer is None else answer, title or "scene")
    if isinstance(what, Checker) and len(motion) == 1:
        path = np.ascontiguousarray(motion[0], dtype=np.float64)
        found = what.check_path(path, **options) if answer is None else answer
        return View(json.loads(_core.path_page(what._core, path, found._raw, title or what.robot.name)))
    if isinstance(what, Deformable) and len(motion) == 2:
        scene = Scene()
        _, faces, edges, points = what._arguments
        scene.add_deforming("mesh", *motion, faces, edges=edges, points=points)
        found = what.check(*motion, **options) if answer is None else answer
        return _view_scene(scene, found, title or "deforming mesh")
    raise ValueError("view takes a scene, a checker and waypoints, or a deforming mesh and its two frames")


def _view_scene(scene: Scene, answer: Answer, title: str) -> View:
    return View(json.loads(_core.scene_page(scene._core, answer._raw, scene.duration, title)))
