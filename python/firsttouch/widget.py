"""A widget for notebooks: drag a joint of a robot, and it stops where it touches. Needs ``anywidget``."""

from __future__ import annotations

from typing import Any

import anywidget
import numpy as np
import traitlets

from . import _picture
from ._types import ArrayLike
from .checker import Checker

_CODE = """
function render({ model, el }) {
  const picture = document.createElement("img");
  picture.style.cssText = "display:block;max-width:100%;cursor:grab;user-select:none";
  picture.draggable = false;
  const told = document.createElement("div");
  told.style.cssText = "font-family:monospace;margin:4px 0";
  const rows = document.createElement("div");
  const sliders = model.get("joints").map((name, k) => {
    const row = document.createElement("label");
    row.style.cssText = "display:flex;gap:8px;align-items:center";
    const text = document.createElement("span");
    text.style.cssText = "width:16em;overflow:hidden;text-overflow:ellipsis;font-family:monospace";
    text.textContent = name;
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = model.get("lower")[k];
    slider.max = model.get("upper")[k];
    slider.step = "any";
    slider.value = model.get("q")[k];
    slider.style.flex = "1";
    slider.addEventListener("input", () => {
      model.set("goal", sliders.map((one) => Number(one.value)));
      model.save_changes();
    });
    // What was not reached springs back.
    slider.addEventListener("change", () => sliders.forEach((one, i) => { one.value = model.get("q")[i]; }));
    row.append(text, slider);
    rows.append(row);
    return slider;
  });
  picture.addEventListener("pointerdown", (down) => {
    const [turn, tilt] = model.get("eye");
    const move = (at) => {
      const up = Math.max(-1.5, Math.min(1.5, tilt + (at.clientY - down.clientY) / 150));
      model.set("eye", [turn - (at.clientX - down.clientX) / 150, up]);
      model.save_changes();
    };
    const end = () => {
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", end);
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", end);
  });
  const show = () => {
    picture.src = model.get("picture");
    told.textContent = model.get("told");
    told.style.color = model.get("touches") ? "#c02020" : "inherit";
  };
  model.on("change:picture", show);
  model.on("change:told", show);
  show();
  el.append(picture, told, rows);
}
export default { render };
"""


class Drag(anywidget.AnyWidget):  # type: ignore[misc]
    """Sliders for the joints of a robot, and a picture. The robot follows the sliders, but not farther than to the
    first touch.

    Parameters
    ----------
    checker : Checker
        As it is now; later changes of it are not seen.
    q : array_like of shape (dof,), optional
        The configuration at the start; zeros if left out.
    **options
        As in `Checker.check_motion`: ``tolerance``, ``min_separation``, ``max_iterations``.

    Examples
    --------
    >>> import firsttouch as ft
    >>> slide = ft.Joint("slide", "rail", "ball", "prismatic", axis=(1, 0, 0), limits=(0, 20))
    >>> robot = ft.Robot("slider", [ft.Link("rail"), ft.Link("ball", [(ft.Sphere(1), None)])], [slide])
    >>> c = ft.Checker(robot)
    >>> c.add_obstacle("post", ft.Sphere(1), pose=ft.Pose([10, 0, 0]))
    >>> drag = ft.widget.Drag(c)                                # in a notebook, this shows it
    >>> drag.goal = [16.0]                                      # what dragging a slider does
    >>> [round(x, 4) for x in drag.q], drag.told
    ([8.0], 'ball touches post')
    """

    _esm = _CODE
    joints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    lower = traitlets.List(traitlets.Float()).tag(sync=True)
    upper = traitlets.List(traitlets.Float()).tag(sync=True)
    goal = traitlets.List(traitlets.Float()).tag(sync=True)
    """The values of the sliders."""
    q = traitlets.List(traitlets.Float()).tag(sync=True)
    """The configuration of the robot. The motion to it is proven free."""
    eye = traitlets.List(traitlets.Float(), default_value=[-0.9, 0.45]).tag(sync=True)
    picture = traitlets.Unicode("").tag(sync=True)
    told = traitlets.Unicode("").tag(sync=True)
    """The answer in words, with the touch that stopped the robot, if there is one."""
    touches = traitlets.Bool(False).tag(sync=True)

    def __init__(self, checker: Checker, q: ArrayLike | None = None, **options: Any) -> None:
        start = checker._robot._configuration(np.zeros(checker.dof) if q is None else q, "q")
        limits = checker.robot.limits
        self._checker, self._options = checker.copy(), options
        self._marks: Any = None
        self._still = _picture.parts_of_scene(checker._obstacles, len(checker.robot.links))
        lower = [low if np.isfinite(low) else at - np.pi for (low, _), at in zip(limits.tolist(), start, strict=True)]
        upper = [high if np.isfinite(high) else at + np.pi for (_, high), at in zip(limits.tolist(), start, strict=True)]
        super().__init__(joints=checker.joint_names, lower=lower, upper=upper, goal=start, q=start)
        state = self._checker.check_state(start, **options)
        self._tell(state)
        self._draw()
        self.observe(self._moved, "goal")
        self.observe(lambda change: self._draw(), "eye")

    def _moved(self, change: Any) -> None:
        start = np.array(self.q)
        goal = self._checker._robot._configuration(change["new"], "goal")
        answer = self._checker.check_motion(start, goal, **self._options)
        # A robot that touches at the start may be dragged out: it then goes to the goal, and tells the touch there.
        is_stuck = answer.kind == "touching_at_start"
        reached = 1.0 if answer.is_free or is_stuck else answer.free_until
        self.q = (start + reached * (np.array(goal) - start)).tolist()
        self._tell(self._checker.check_state(self.q, **self._options) if is_stuck else answer)
        self._draw()

    def _tell(self, answer: Any) -> None:
        self._marks = answer.points
        self.touches = not answer.is_free
        if answer.is_free:
            self.told = "free"
        elif answer.names is None:
            self.told = "undecided"
        else:
            robot = self._checker.robot.name
            a, b = (part if name == robot else name for name, part in zip(answer.names, answer.parts, strict=True))
            self.told = f"{a} touches {b}" if answer.kind != "undecided" else f"{a} and {b}: undecided"

    def _draw(self) -> None:
        poses = self._checker.robot.link_poses(self.q, base=self._checker.base)
        parts = _picture.parts_of_robot(self._checker.robot, poses) + self._still
        for shape, link, at, _ in self._checker._held.values():
            placed = poses[link].matrix @ at.matrix
            parts.append((_picture.triangles_of(shape) @ placed[:3, :3].T + placed[:3, 3], _picture.MARK - 1))
        if self._marks is not None and parts:
            corners = np.concatenate([part.reshape(-1, 3) for part, _ in parts])
            parts += _picture.marks(self._marks, 0.012 * float(np.linalg.norm(np.ptp(corners, axis=0))))
        self.picture = _picture.data_url(parts, *self.eye[:2]) or ""
