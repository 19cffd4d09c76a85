"""Pictures."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ._options import file


@dataclass(frozen=True)
class Picture:
    """A picture, which notebooks show."""

    svg: str
    """The text of an ``<svg>`` element."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the picture to a file."""
        file(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture of {len(self.svg)} characters>"
