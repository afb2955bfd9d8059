"""One table for every comparison: the misses, false alarms, late touches and times of each library."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from html import escape
from pathlib import Path


@dataclass
class Row:
    """One library, called in one way."""

    library: str
    misses: int | None
    """Touches that were reported as free."""
    false_alarms: int | None
    """Motions that stay well apart and were reported as touching."""
    late: int | None
    """Touches reported after the contact; `None` if a library says only yes or no."""
    microseconds: float | None
    note: str = ""
    """The limits of the library, or the reason why there are no figures."""

    def cells(self) -> list[str]:
        """Returns the row as text."""
        counts = ["" if value is None else str(value) for value in (self.misses, self.false_alarms, self.late)]
        return [self.library, *counts, "" if self.microseconds is None else f"{self.microseconds:.1f}", self.note]


# The processor time of all threads does not depend on other programs on the machine.
COLUMNS = ["library", "misses", "false alarms", "late", "us of processor time a query", "note"]


@dataclass
class Table:
    """The rows of one comparison on the same inputs."""

    name: str
    title: str
    rows: list[Row]

    def markdown(self) -> str:
        """Returns the table as Markdown, with the title above it."""
        lines = [self.title, "", f"| {' | '.join(COLUMNS)} |", "|---|---:|---:|---:|---:|---|"]
        lines += [f"| {' | '.join(row.cells())} |" for row in self.rows]
        return "\n".join(lines) + "\n"

    def svg(self) -> str:
        """Draws a bar for each library, as long as the logarithm of its time; red if it missed touches."""
        timed = [row for row in self.rows if row.microseconds]
        if not timed:
            return f'<svg xmlns="http://www.w3.org/2000/svg"><text y="18">{escape(self.title)}: nothing was timed</text></svg>\n'
        low = math.floor(math.log10(min(row.microseconds or 1.0 for row in timed)))
        high = math.ceil(math.log10(max(row.microseconds or 1.0 for row in timed)))
        left, width, line = 300, 420, 22
        bottom = 40 + line * len(timed)

        def x(us: float) -> float:
            return left + width * (math.log10(us) - low) / max(high - low, 1)

        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 130} {bottom + 30}" font-family="sans-serif" font-size="12">',
            f'<text x="8" y="18" font-size="14">{escape(self.title)}</text>',
        ]
        for power in range(low, high + 1):
            at = x(10.0**power)
            parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="30" y2="{bottom}" stroke="#ddd"/>')
            parts.append(f'<text x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{10.0**power:g} us</text>')
        for k, row in enumerate(timed):
            y, us = 36 + line * k, row.microseconds or 1.0
            color = "#c0392b" if row.misses else "#2e7d32"
            said = f"{row.misses} missed" if row.misses else "none missed"
            parts.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(row.library)}</text>')
            parts.append(f'<rect x="{left}" y="{y}" width="{max(x(us) - left, 2):.1f}" height="{line - 6}" fill="{color}"/>')
            parts.append(f'<text x="{x(us) + 6:.1f}" y="{y + 13}">{us:.3g} us, {said}</text>')
        return "\n".join([*parts, "</svg>"]) + "\n"

    def write(self, folder: Path) -> None:
        """Writes the table as Markdown, CSV and a plot."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.md").write_text(self.markdown())
        (folder / f"{self.name}.svg").write_text(self.svg())
        with (folder / f"{self.name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *(row.cells() for row in self.rows)])
