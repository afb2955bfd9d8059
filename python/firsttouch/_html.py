"""Small pieces of HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape as escape


def table(title: str, rows: Iterable[tuple[str, object]]) -> str:
    """Two columns with a title."""
    body = "".join(f"<tr><th style='text-align:left'>{escape(str(a))}</th><td>{escape(str(b))}</td></tr>" for a, b in rows)
    return f"<table><caption style='text-align:left'><b>{escape(title)}</b></caption>{body}</table>"
