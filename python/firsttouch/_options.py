"""The options of a query, in the order in which the core takes them."""

from __future__ import annotations

import operator
from typing import Literal, TypeAlias

from ._errors import WrongType

Mode: TypeAlias = Literal["first", "any", "all"]
StepMode: TypeAlias = Literal["first", "any"]
Start: TypeAlias = Literal["report", "ignore"]
OptionValues: TypeAlias = tuple[str, float, float, float, int, int, str]

TOLERANCE = 1e-6
MAX_ITERATIONS = 10_000


def pack(
    mode: str,
    tolerance: float,
    min_separation: float,
    t_max: float,
    max_iterations: int,
    threads: int,
    start: str = "report",
) -> OptionValues:
    """Refuses values of a type that the core cannot take. The core checks the values themselves."""
    try:
        max_iterations, threads = operator.index(max_iterations), operator.index(threads)
        numbers = float(tolerance), float(min_separation), float(t_max)
    except TypeError as error:
        raise WrongType(f"options must be numbers: {error}") from None
    if max_iterations < 1 or threads < 0:
        raise ValueError(f"max_iterations must be at least 1 and threads at least 0, not {max_iterations} and {threads}")
    if not isinstance(mode, str) or not isinstance(start, str):
        raise WrongType("mode and start must be strings")
    return (mode, *numbers, min(max_iterations, 2**62), min(threads, 1024), start)


def one_touch(mode: str) -> str:
    """Returns the mode of a query whose answer is one touch. It refuses "all", whose answer would look as if there were
    no other touch."""
    if mode == "all":
        raise ValueError("mode must be \"first\" or \"any\" here; for every pair, check(mode=\"all\") of a scene with the robot in it")
    return mode
