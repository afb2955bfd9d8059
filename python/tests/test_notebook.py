"""The notebook runs from its first cell to its last, and gives pictures."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "python-tour.ipynb"


def test_the_tour(tmp_path):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    outputs = [output.get("data", {}) for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert sum("image/png" in data for data in outputs) >= 4
    # The page of a scene, and nothing on the error stream but what matplotlib says about its fonts.
    assert any("<iframe" in data.get("text/html", "") for data in outputs)
