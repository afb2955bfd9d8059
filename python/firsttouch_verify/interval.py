"""Intervals of real numbers, rounded outwards, and vectors and matrices of them.

Each operation of IEEE 754 returns the double next to the exact result, so the exact result is between the neighbours of
that double. An interval is a pair ``(low, high)``. One with a bound that is no number is the whole line, which proves
nothing.
"""

from __future__ import annotations

from math import inf, isnan, nan, nextafter, pi, sqrt

Interval = tuple[float, float]
Vector = tuple[Interval, Interval, Interval]
Matrix = tuple[Vector, Vector, Vector]

LINE: Interval = (-inf, inf)
ZERO: Interval = (0.0, 0.0)
ONE: Interval = (1.0, 1.0)
IDENTITY: Matrix = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def up(x: float) -> float:
    """A double that is larger than the exact result whose rounding is ``x``."""
    return nextafter(x, inf)


def outwards(low: float, high: float) -> Interval:
    if low != low or high != high:
        return LINE
    return nextafter(low, -inf), nextafter(high, inf)


def exact(numbers) -> tuple[Interval, ...]:
    return tuple((x, x) for x in numbers)


def add(a: Interval, b: Interval) -> Interval:
    return outwards(a[0] + b[0], a[1] + b[1])


def neg(a: Interval) -> Interval:
    return -a[1], -a[0]


def sub(a: Interval, b: Interval) -> Interval:
    return outwards(a[0] - b[1], a[1] - b[0])


def mul(a: Interval, b: Interval) -> Interval:
    products = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    if any(x != x for x in products):
        return LINE
    return nextafter(min(products), -inf), nextafter(max(products), inf)


def div(a: Interval, b: Interval) -> Interval:
    """The quotient. It is the whole line if the divisor is not positive."""
    if not b[0] > 0.0:
        return LINE
    return outwards(a[0] / (b[0] if a[0] < 0.0 else b[1]), a[1] / (b[1] if a[1] < 0.0 else b[0]))


def root(a: Interval) -> Interval:
    """The square root of the part that is not negative."""
    low, high = sqrt(max(a[0], 0.0)), sqrt(max(a[1], 0.0))
    return max(nextafter(low, -inf), 0.0), nextafter(high, inf)


def size(a: Interval) -> float:
    """The largest size of a number in it."""
    return max(a[1], -a[0])


def center(a: Interval) -> tuple[float, float]:
    """A number in it, and an upper bound of the distance to any other."""
    middle = 0.5 * a[0] + 0.5 * a[1]
    return middle, up(max(a[1] - middle, middle - a[0]))


HALF_PI = pi / 2  # the double below the exact number


def sin_cos(a: Interval) -> tuple[Interval, Interval]:
    """Sine and cosine, by their series after the nearest multiple of a quarter turn is subtracted; see the verifier in
    Rust."""
    middle, radius = center(a)
    if isnan(middle) or abs(middle) > 1e6:
        return (-1.0, 1.0), (-1.0, 1.0)
    quotient = middle / HALF_PI
    k = int(quotient + 0.5) if quotient >= 0.0 else -int(-quotient + 0.5)
    r = sub((middle, middle), mul((float(k), float(k)), (HALF_PI, up(HALF_PI))))
    square = mul(r, r)

    def series(first: int) -> Interval:
        bracket: Interval = (0.0, 1.0)
        for n in range(10, -1, -1):
            divisor = float((2 * n + first) * (2 * n + first + 1))
            bracket = sub(ONE, mul(div(square, (divisor, divisor)), bracket))
        return bracket

    sine, cosine = mul(r, series(2)), series(1)
    turned = ((sine, cosine), (cosine, neg(sine)), (neg(sine), neg(cosine)), (neg(cosine), sine))[k % 4]
    return add(turned[0], (-radius, radius)), add(turned[1], (-radius, radius))


def dot(a, b) -> Interval:
    total = ZERO
    for x, y in zip(a, b):
        total = add(total, mul(x, y))
    return total


def length(a) -> Interval:
    return root(dot(a, a))


def longest(a) -> float:
    return length(a)[1]


def plus(a, b) -> Vector:
    return add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])


def column(m: Matrix, k: int) -> Vector:
    return m[0][k], m[1][k], m[2][k]


def times(m: Matrix, v: Vector) -> Vector:
    return dot(m[0], v), dot(m[1], v), dot(m[2], v)


def transposed_times(m: Matrix, v: Vector) -> Vector:
    return dot(column(m, 0), v), dot(column(m, 1), v), dot(column(m, 2), v)


def product(a: Matrix, b: Matrix) -> Matrix:
    columns = [column(b, k) for k in range(3)]
    return tuple(tuple(dot(row, one) for one in columns) for row in a)  # type: ignore[return-value]


def unit(direction) -> Vector:
    """The unit vector along a direction that is not zero."""
    largest = max(abs(x) for x in direction)
    scaled = [div((x, x), (largest, largest)) for x in direction]
    long = length(scaled)
    if not long[0] > 0.5:
        raise ValueError("a direction is zero")
    return tuple(div(x, long) for x in scaled)  # type: ignore[return-value]


def rotation(q) -> Matrix:
    """The rotation by a quaternion ``w, x, y, z`` of any length."""
    w, x, y, z = q
    two, square = (2.0, 2.0), dot(q, q)

    def across(a: Interval, b: Interval) -> Interval:
        return sub(ONE, div(mul(two, add(mul(a, a), mul(b, b))), square))

    def mixed(a: Interval, b: Interval, c: Interval) -> Interval:
        return div(mul(two, add(mul(a, b), mul(w, c))), square)

    return (
        (across(y, z), mixed(x, y, neg(z)), mixed(x, z, y)),
        (mixed(x, y, z), across(x, z), mixed(y, z, neg(x))),
        (mixed(x, z, neg(y)), mixed(y, z, x), across(x, y)),
    )


def turn(u: Vector, angle: Interval) -> Matrix:
    """The rotation about a unit vector: ``cos I + sin [u] + (1 - cos) u u'``."""
    s, c = sin_cos(angle)
    rest = sub(ONE, c)
    cross = ((ZERO, neg(u[2]), u[1]), (u[2], ZERO, neg(u[0])), (neg(u[1]), u[0], ZERO))
    return tuple(
        tuple(
            add(add(c if i == k else ZERO, mul(s, cross[i][k])), mul(mul(rest, u[i]), u[k])) for k in range(3)
        )
        for i in range(3)
    )  # type: ignore[return-value]


def larger(a: float, b: float) -> float:
    """The larger number; NaN if one of them is none."""
    return a if a != a or a > b else b


def sum_up(*products) -> float:
    """An upper bound of a sum of products of numbers that are not negative. A NaN in any factor makes it NaN."""
    total = 0.0
    for factors in products:
        if 0.0 in factors:
            if all(factor == factor for factor in factors):
                continue
            return nan
        value = 1.0
        for factor in factors:
            value = up(value * factor)
        total = up(total + value)
    return total
