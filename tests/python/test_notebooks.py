"""The tutorials run from the first cell to the last."""

import pytest

from conftest import ROOT

FOLDER = ROOT / "docs/tutorials"


def test_there_are_some():
    assert list(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_runs(path, tmp_path):
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    # What it writes is written elsewhere. The first cell that raises is an error here, with its traceback.
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
