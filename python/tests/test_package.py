"""The package as a whole."""

import subprocess
import sys

import pytest

import firsttouch as ft

PEERS = {"fcl", "ipctk", "mujoco", "ompl", "pinocchio", "pyarrow", "ray", "rerun", "scipy", "trimesh", "yourdfpy"}


def test_importing_it_needs_numpy_alone():
    code = f"import sys, firsttouch; found = {PEERS!r} & set(sys.modules); assert not found, found"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_names_that_are_not_there_are_refused():
    assert "ompl" in dir(ft) and "Scene" in dir(ft)
    with pytest.raises(AttributeError, match="last_touch"):
        ft.last_touch
