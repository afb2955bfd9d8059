"""The package as people look at it: with `dir`, `help`, mocks and type checkers."""

import ast
import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

import firsttouch as ft

ADAPTERS = ["drake", "fcl", "ipctk", "jax", "mujoco", "ompl", "pinocchio", "ray", "rerun", "torch", "trimesh", "widget", "yourdfpy"]
PACKAGES = [{"drake": "pydrake", "widget": "anywidget"}.get(name, name) for name in ADAPTERS]
WRONG = Path(__file__).parent / "typing" / "wrong_calls.py"


def alone(code):
    """Runs code in a Python in which no adapter has its package."""
    hidden = f"import sys\nfor name in {PACKAGES!r}: sys.modules[name] = None\n"
    done = subprocess.run([sys.executable, "-c", hidden + code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_names_are_those_of_the_package():
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", ft.__version__)
    shown = set(dir(ft))
    assert set(ft.__all__) <= shown and len(ft.__all__) == len(set(ft.__all__)) > 50
    assert not shown & {"Any", "TYPE_CHECKING", "importlib", "annotations", "answer", "two_shapes", "page"}
    assert {name for name in shown if not name.startswith("__")} <= {*ft.__all__, *ADAPTERS, "to_rerun"}
    for name in ft.__all__:
        assert inspect.getdoc(getattr(ft, name)), name
    space = {}
    exec("from firsttouch import *", space)
    assert set(ft.__all__) <= set(space) and not set(space) & {"Any", "importlib", "_typing"}
    assert ft.__all__ == sorted(ft.__all__)


def test_what_looks_at_the_package_works_with_numpy_alone():
    alone(
        "import inspect, pydoc, firsttouch as ft\n"
        "from unittest import mock\n"
        "assert not hasattr(ft, 'jax') and getattr(ft, 'ompl', None) is None\n"
        "assert not {'jax', 'ompl', 'to_rerun'} & set(dir(ft))\n"
        "assert 'Checker' in dict(inspect.getmembers(ft))\n"
        "assert 'check_motion' in pydoc.render_doc(ft)\n"
        "copy = mock.create_autospec(ft)\n"
        "assert copy.Checker and not hasattr(copy, 'Chekcer')\n"
        "from firsttouch import *\n"
    )


def test_what_looks_at_the_package_works_with_what_is_there():
    assert "check_motion" in pydoc.render_doc(ft) and dict(inspect.getmembers(ft))["Checker"] is ft.Checker
    assert mock.create_autospec(ft.Checker).check_motion([0], [1]) is not None
    for name in ADAPTERS:
        assert (name in dir(ft)) == hasattr(ft, name), name


def wrong_lines():
    lines = WRONG.read_text().splitlines()
    found = {k for k, line in enumerate(lines, 1) if line.endswith("# wrong")}
    assert len(found) >= 40
    ast.parse(WRONG.read_text())
    return found


def test_mypy_finds_every_wrong_call():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", "--no-incremental", "--follow-imports=silent", "--ignore-missing-imports", str(WRONG)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=WRONG.parents[2])
    errors = {int(line) for line in re.findall(r"wrong_calls\.py:(\d+): error", done.stdout)}
    assert errors == wrong_lines(), done.stdout + done.stderr


def test_pyright_finds_every_wrong_call():
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(WRONG)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=WRONG.parents[2])
    if "summary" not in done.stdout and "error" not in done.stdout:
        pytest.skip(f"pyright cannot fetch what it runs on: {done.stderr[-200:]}")
    errors = {int(line) for line in re.findall(r"wrong_calls\.py:(\d+):\d+ - error", done.stdout)}
    assert errors == wrong_lines(), done.stdout + done.stderr
