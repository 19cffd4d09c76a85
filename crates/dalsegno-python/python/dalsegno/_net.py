"""Parts of nets, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Union

from ._options import iterable, number

MOST_TOKENS = 2**32 - 1


@dataclass(frozen=True)
class Place:
    """A place of a net."""

    id: str
    name: str
    tokens: int | None
    """In the beginning; ``None`` for a coloured net."""


@dataclass(frozen=True)
class Transition:
    """A transition of a net, or a group of steps of a program."""

    id: str
    name: str


@dataclass(frozen=True)
class Arc:
    """An arc of a net."""

    source: str
    target: str
    weight: int = 1
    kind: str = "arc"
    """``arc``, ``test`` (the tokens stay) or ``inhibitor`` (there must be fewer)."""


PlaceLike = Union[Place, str, tuple[str, int]]
"""A place, its name, or its name and its tokens in the beginning."""

TransitionLike = Union[Transition, str]
"""A transition or its name."""

ArcLike = Union[Arc, tuple[str, str], tuple[str, str, int], tuple[str, str, int, str]]
"""An arc, or its source and target, maybe with its weight and kind."""


def listed_places(places: Mapping[str, int] | Iterable[PlaceLike]) -> list[tuple[str, str, int]]:
    """Identifiers, names and tokens of places."""
    made: list[tuple[str, str, int]] = []
    for entry in places.items() if isinstance(places, Mapping) else iterable("places", places):
        if isinstance(entry, Place):
            id_, name, tokens = entry.id, entry.name, entry.tokens
        elif isinstance(entry, str):
            id_, name, tokens = entry, entry, 0
        elif isinstance(entry, (tuple, list)) and len(entry) == 2:
            id_, name, tokens = entry[0], entry[0], entry[1]
        else:
            raise TypeError(f"places: expected a name, or a name and its tokens, not {entry!r}")
        name_of("places", id_)
        made.append((id_, name_of("places", name), number(f"places: tokens of {id_!r}", tokens, most=MOST_TOKENS)))
    return made


def listed_transitions(transitions: Iterable[TransitionLike]) -> list[tuple[str, str]]:
    """Identifiers and names of transitions."""
    made: list[tuple[str, str]] = []
    for entry in iterable("transitions", transitions):
        id_, name = (entry.id, entry.name) if isinstance(entry, Transition) else (entry, entry)
        made.append((name_of("transitions", id_), name_of("transitions", name)))
    return made


def listed_arcs(arcs: Iterable[ArcLike]) -> list[tuple[str, str, int, str]]:
    """Sources, targets, weights and kinds of arcs."""
    made: list[tuple[str, str, int, str]] = []
    for arc in iterable("arcs", arcs):
        parts: list[Any] = []
        if isinstance(arc, Arc):
            parts = [arc.source, arc.target, arc.weight, arc.kind]
        elif isinstance(arc, (tuple, list)) and 2 <= len(arc) <= 4:
            parts = [*arc, *(1, "arc")[len(arc) - 2 :]]
        else:
            raise TypeError(f"arcs: expected (source, target), maybe with weight and kind, not {arc!r}")
        source, target = name_of("arcs", parts[0]), name_of("arcs", parts[1])
        if not isinstance(parts[3], str):
            raise TypeError(f"arcs: the kind of the arc from {source!r} to {target!r} is no text")
        what = f"arcs: the weight of the arc from {source!r} to {target!r}"
        made.append((source, target, number(what, parts[2], most=MOST_TOKENS), parts[3]))
    return made


def name_of(what: str, value: object) -> str:
    """The value of an argument that must be a name."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected a name, not {value!r}")
    return value
