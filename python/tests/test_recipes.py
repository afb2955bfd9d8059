"""The recipes of docs/python.md run as they stand, each by itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "python.md"
SECTIONS = re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", DOCS.read_text(), re.DOTALL | re.MULTILINE)
RECIPES = [(title, code) for title, text in SECTIONS for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]


def test_every_numbered_section_has_a_recipe():
    numbered = [title for title, _ in SECTIONS if title[0].isdigit()]
    assert len(numbered) >= 10 and set(numbered) <= {title for title, _ in RECIPES}


@pytest.mark.parametrize("code", [code for _, code in RECIPES], ids=[title for title, _ in RECIPES])
def test_recipe(code, tmp_path):
    script = tmp_path / "recipe.py"
    # Recipes start processes, which import the script again.
    indented = "".join(f"    {line}" for line in code.splitlines(keepends=True))
    script.write_text(code if '"""' in code else f"if __name__ == '__main__':\n{indented}")
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
