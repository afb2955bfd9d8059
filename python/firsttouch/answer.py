"""The answers of queries."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from . import _core
from ._arrays import Floats

if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["free", "touch", "touching_at_start", "undecided"]


class Overlap(NamedTuple):
    """An interval of time in which two bodies touch or overlap."""

    start: tuple[float, float]
    """The start lies between these two times."""
    end: tuple[float, float]
    """The end lies between these two times."""
    certain: bool
    """True if they certainly overlap. Otherwise they pass so closely that rounding hides whether they touch."""


_PLAIN = (
    "kind", "toi", "free_until", "gap", "names", "parts", "part_paths", "features", "points", "normal", "overlaps", "stats", "segment",
)  # fmt: skip


class Answer:
    """A proven statement about the time that was checked.

    There are four kinds, and each has to be handled. So an answer has no truth value: read `is_free` or `kind`.

    ==================== =====================================================================
    kind                 what is proven
    ==================== =====================================================================
    "free"               nothing comes closer than ``min_separation`` anywhere
    "touch"              free before `free_until`; at `toi` the gap is at most
                         ``min_separation + tolerance``
    "touching_at_start"  within the tolerance, or overlapping, at time 0
    "undecided"          the budget ran out; free before `free_until`
    ==================== =====================================================================

    Examples
    --------
    >>> import firsttouch as ft
    >>> ball = ft.Sphere(1)
    >>> flying = ft.Linear(ft.Pose([-9, 0, 0]), ft.Pose([11, 0, 0]))
    >>> answer = ft.first_touch(ball, flying, ball, ft.Fixed())
    >>> answer.kind, round(answer.toi, 5), answer.normal.round(5).tolist()
    ('touch', 0.35, [1.0, -0.0, -0.0])
    >>> bool(answer)
    Traceback (most recent call last):
    ...
    TypeError: an answer has no truth value: use .is_free, or look at .kind
    """

    __slots__ = ("_raw",)
    _raw: _core.Answer

    def __init__(self, raw: _core.Answer) -> None:
        self._raw = raw

    @property
    def kind(self) -> Kind:
        """``"free"``, ``"touch"``, ``"touching_at_start"`` or ``"undecided"``."""
        return self._raw.kind

    @property
    def is_free(self) -> bool:
        """True if it is proven that nothing touches. False if undecided."""
        return self._raw.kind == "free"

    @property
    def toi(self) -> float | None:
        """A time at which the two touch; None if there is none. Never after the first contact, except in the mode
        ``"any"``."""
        return self._raw.toi

    @property
    def free_until(self) -> float:
        """The time before which it is proven that nothing touches; ``t_max`` if free."""
        return self._raw.free_until

    @property
    def gap(self) -> float | None:
        """An upper bound of the distance at `toi`; 0 where they overlap."""
        return self._raw.gap

    @property
    def names(self) -> tuple[str, str] | None:
        """The two bodies; None if free, or if bodies have no names."""
        return self._raw.names

    @property
    def parts(self) -> tuple[str, str] | None:
        """The part of each body that touches: ``"solid"``, ``"tri 7"``, or the name of a link."""
        return self._raw.parts

    @property
    def part_paths(self) -> tuple[str, str] | None:
        """The parts, with the shape and the triangle of a link: ``"hand/shape 1/tri 7"``."""
        return self._raw.part_paths

    @property
    def features(self) -> tuple[str, str] | None:
        """The feature of each part that touches: ``"vertex 12"``, ``"edge 3"``, ``"face 0"``."""
        return self._raw.features

    @property
    def points(self) -> Floats | None:
        """The closest point on each side at `toi`, in world coordinates, of shape (2, 3)."""
        return self._raw.points

    @property
    def normal(self) -> Floats | None:
        """The unit normal from the first body to the second."""
        return self._raw.normal

    @property
    def pairs(self) -> list[Answer]:
        """In the mode ``"all"``, the answer of every pair that is not free."""
        return [Answer(pair) for pair in self._raw.pairs]

    @property
    def overlaps(self) -> list[Overlap] | None:
        """Of a pair of ellipsoids in rational motions: all times at which they touch or overlap."""
        overlaps = self._raw.overlaps
        return None if overlaps is None else [Overlap(*overlap) for overlap in overlaps]

    @property
    def segment(self) -> int | None:
        """Of a path, the first segment that is not free, counted from 0."""
        return self._raw.segment

    @property
    def stats(self) -> dict[str, int]:
        """Counts of the work that the query took."""
        return self._raw.stats

    def __bool__(self) -> NoReturn:
        raise TypeError("an answer has no truth value: use .is_free, or look at .kind")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Answer):
            return NotImplemented
        ours, theirs = _comparable(self), _comparable(other)
        return ours == theirs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        words = [repr(self.kind)]
        if self.segment is not None:
            words.append(f"segment={self.segment}")
        if self.toi is not None:
            words.append(f"toi={self.toi!r}")
        if not self.is_free and self.free_until != self.toi:
            words.append(f"free_until={self.free_until!r}")
        if self.names is not None:
            words.append(f"names={self.names!r}")
        if self.parts is not None:
            words.append(f"parts={self.parts!r}")
        return f"Answer({', '.join(words)})"

    def _repr_html_(self) -> str:
        from ._html import table

        names = [name for name in _PLAIN[1:10] + ("segment",) if getattr(self, name) is not None]
        return table(self.kind, [(name, getattr(self, name)) for name in names])

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_state, (_state(self._raw),))


def _state(raw: Any) -> dict[str, Any]:
    state = {name: getattr(raw, name) for name in _PLAIN}
    state["pairs"] = [_state(pair) for pair in raw.pairs]
    return state


def _from_state(state: dict[str, Any]) -> Answer:
    return Answer(_plain(state))


def _plain(state: dict[str, Any]) -> Any:
    """An answer from a pickle: the same attributes, without the core."""
    pairs = [_plain(pair) for pair in state["pairs"]]
    return SimpleNamespace(**{**state, "pairs": pairs})


def _comparable(answer: Answer) -> list[Any]:
    values: list[Any] = [getattr(answer, name) for name in _PLAIN if name not in ("points", "normal", "stats")]
    for array in (answer.points, answer.normal):
        values.append(None if array is None else array.tolist())
    values.append([_comparable(pair) for pair in answer.pairs])
    return values
