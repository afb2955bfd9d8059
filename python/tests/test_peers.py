"""The snippets of docs/python-peers.md run as they stand, each by itself; those of packages that are not installed are
skipped."""

import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", (ROOT / "docs" / "python-peers.md").read_text(), re.DOTALL | re.MULTILINE)
PAIRS = {title: re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE) for title, text in SECTIONS}


def test_every_peer_has_a_pair():
    assert len(PAIRS) >= 6
    for title, codes in PAIRS.items():
        assert len(codes) == 2 and "firsttouch" not in codes[0] and "import firsttouch as ft" in codes[1], title


@pytest.mark.parametrize(("title", "k"), [(title, k) for title in PAIRS for k in (0, 1)])
def test_snippet(title, k, tmp_path):
    code = PAIRS[title][k]
    names = re.findall(r"^(?:from (\w+)|import (.+))", code, re.MULTILINE)
    needed = {part.split()[0].split(".")[0] for one, several in names for part in (one or several).split(",")}
    for package in needed:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    shutil.copy(ROOT / "python" / "examples" / "arm.urdf", tmp_path)
    (tmp_path / "snippet.py").write_text(code)
    done = subprocess.run([sys.executable, "snippet.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
