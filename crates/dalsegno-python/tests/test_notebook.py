"""The tutorial: it runs, and shows what it showed when it was written.

``DALSEGNO_UPDATE=1 python -m pytest tests/test_notebook.py`` writes its outputs anew; look at the difference.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorial.ipynb"
COMPARED = ("text/plain", "text/latex", "image/svg+xml")
"""Tables in HTML are those of another package, and pictures of plots depend on fonts."""


def shown(cell: Any) -> list[str]:
    """What a cell shows, as far as it is the same everywhere."""
    found: list[str] = []
    for output in cell.outputs:
        if output.output_type == "stream":
            found.append(f"{output.name}: {output.text}")
        elif output.output_type == "error":
            found.append(f"{output.ename}: {output.evalue}")
        else:
            found.extend(f"{kind}: {output.data[kind]}" for kind in COMPARED if kind in output.data)
    return found


def test_the_tutorial_shows_what_it_showed(tmp_path: Path) -> None:
    kept = nbformat.read(TUTORIAL, as_version=4)  # type: ignore[no-untyped-call]
    run = nbformat.from_dict(kept)  # type: ignore[no-untyped-call]
    NotebookClient(run, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    if os.environ.get("DALSEGNO_UPDATE"):
        run.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        for cell in run.cells:
            cell.metadata.pop("execution", None)
        nbformat.write(run, TUTORIAL)  # type: ignore[no-untyped-call]
        return
    compared = 0
    for old, new in zip(kept.cells, run.cells, strict=True):
        if old.cell_type != "code" or "varies" in old.metadata.get("tags", ()):
            continue
        assert shown(new) == shown(old), old.source
        compared += bool(shown(old))
    assert compared > 10
