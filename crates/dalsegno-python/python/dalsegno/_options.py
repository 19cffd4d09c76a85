"""Options of questions, their defaults, and what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

Engine = Literal["auto", "explicit", "symbolic"]
Kind = Literal["tgba", "ba", "ta", "tgta"]
DeadEnds = Literal["stutter", "finite", "ignore"]


@dataclass(frozen=True)
class Progress:
    """What a question has looked at so far."""

    method: str | None
    """The method that is at work."""
    states: int
    """States that were seen."""
    transitions: int
    """Transitions that were seen."""
    nodes: int
    """Nodes of decision diagrams; 0 if there are none."""
    answered: int
    """Questions that are answered."""


class CheckOptions(TypedDict, total=False):
    """Options of ``Model.check``, ``Model.ask`` and ``Model.check_file``."""

    engine: Engine
    automaton: Kind | None
    propositions: Literal["raw", "boolean"]
    dead_ends: DeadEnds | None
    fair: str | Iterable[str]
    evidence: bool
    shortest: bool
    lasso: bool
    details: bool
    threads: int
    timeout: float | None
    max_states: int | None
    memory: int | None
    progress: Callable[[Progress], object] | None
    errors: Literal["raise", "return"]


DEFAULTS: dict[str, Any] = {
    "engine": "auto",
    "automaton": None,
    "propositions": "boolean",
    "dead_ends": None,
    "fair": (),
    "evidence": True,
    "shortest": False,
    "lasso": False,
    "details": False,
    "threads": 1,
    "timeout": None,
    "max_states": None,
    "memory": None,
    "progress": None,
    "errors": "raise",
}


def default_memory() -> int | None:
    """Three quarters of the memory of the machine, if it tells how much it has."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    except (AttributeError, OSError, ValueError):
        return None


def number(name: str, value: object, least: int = 0, most: int = 2**64 - 1) -> int:
    """The value of an argument that must be an integer."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected an integer, not {type(value).__name__}")
    found = int(value.__index__())
    if not least <= found <= most:
        raise ValueError(f"{name}: {found} is not from {least} to {most}")
    return found


def text(name: str, value: object) -> str:
    """The value of an argument that must be a text."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a text, not {type(value).__name__}")
    return value


def file(value: Any) -> Path:
    """The value of an argument that must name a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"path: expected a path, not {type(value).__name__}")
    return Path(value)


def iterable(name: str, value: Any) -> Iterable[Any]:
    """The value of an argument that must be a list or the like, and not one text."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError(f"{name}: expected a list, not {type(value).__name__}")
    return value


def limits(timeout: object, max_states: object, memory: object) -> tuple[float | None, int | None, int | None]:
    """The limits of a computation."""
    seconds: float | None = None
    if timeout is not None:
        if isinstance(timeout, bool) or not (hasattr(timeout, "__float__") or hasattr(timeout, "__index__")):
            raise TypeError(f"timeout: expected seconds, not {type(timeout).__name__}")
        seconds = float(timeout)  # type: ignore[arg-type]
    return (
        seconds,
        None if max_states is None else number("max_states", max_states),
        default_memory() if memory is None else number("memory", memory),
    )


def wishes(options: dict[str, Any]) -> dict[str, Any]:
    """All options, with defaults for those that were not given."""
    for name in options:
        if name not in DEFAULTS:
            known = ", ".join(DEFAULTS)
            raise TypeError(f"unknown option {name!r}: there are {known}")
    made = {**DEFAULTS, **options}
    fair = made["fair"]
    made["fair"] = [fair] if isinstance(fair, str) else [text("fair", wish) for wish in iterable("fair", fair)]
    for name in ("engine", "propositions", "errors", *(n for n in ("automaton", "dead_ends") if made[n] is not None)):
        text(name, made[name])
    for name in ("evidence", "shortest", "lasso", "details"):
        made[name] = bool(made[name])
    made["threads"] = number("threads", made["threads"], least=1, most=1024)
    if made["errors"] not in ("raise", "return"):
        raise ValueError(f"errors: unknown way {made['errors']!r}: there are raise and return")
    if made["progress"] is not None and not callable(made["progress"]):
        raise TypeError(f"progress: expected a function, not {type(made['progress']).__name__}")
    made["timeout"], made["max_states"], made["memory"] = limits(made["timeout"], made["max_states"], made["memory"])
    return made


def listener(progress: Callable[[Progress], object] | None) -> Callable[..., None] | None:
    """What the Rust part calls to tell of progress."""
    if progress is None:
        return None

    def hear(*values: Any) -> None:
        progress(Progress(*values))

    return hear
