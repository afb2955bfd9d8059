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


def test_an_adapter_without_its_package_says_which_extra_has_it():
    code = (
        "import sys, firsttouch as ft\nsys.modules['ompl'] = None\n"
        "try:\n    ft.ompl\nexcept AttributeError as error:\n    assert '[ompl]' in str(error), error\nelse:\n    raise SystemExit(1)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_errors_say_what_to_write_instead():
    with pytest.raises(ValueError, match=r"ft\.Pose\(\[x, y, z\]\)"):
        ft.Linear([0, 0, 1], [0, 0, 2])
    with pytest.raises(ValueError, match="Mesh.load"):
        ft.Mesh("bunny.obj")


def test_names_that_are_not_there_are_refused():
    assert "ompl" in dir(ft) and "Scene" in dir(ft)
    with pytest.raises(AttributeError, match="last_touch"):
        ft.last_touch
