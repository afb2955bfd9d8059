"""The three tasks of ``examples/``: each script runs, is short, and its result can be verified."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
NEEDS = {"robotics": ["scipy"], "simulation": ["mujoco"], "optimisation": ["jax"]}


def test_every_script_is_run():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NEEDS)


@pytest.mark.parametrize("name", NEEDS)
def test_example(name, tmp_path):
    for package in NEEDS[name]:
        pytest.importorskip(package)
    script = EXAMPLES / f"{name}.py"
    assert len([line for line in script.read_text().splitlines() if line.strip()]) < 30
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    if name == "robotics":
        verified = subprocess.run([sys.executable, "-m", "firsttouch_verify", "arm.ftc"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert verified.returncode == 0 and verified.stdout.startswith("verified: until 1.0"), verified.stdout + verified.stderr
