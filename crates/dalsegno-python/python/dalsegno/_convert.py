"""Nets from and to other packages, which are imported when they are used. pm4py is under the AGPL."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._errors import DalsegnoError
from ._model import Arc, Model, net


def from_pm4py(petri_net: Any, marking: Any, *, name: str | None = None) -> Model:
    """A model from a net and a marking of pm4py. Places and transitions keep their names; labels are not used."""
    arcs: list[Arc] = []
    for arc in petri_net.arcs:
        kind = (getattr(arc, "properties", None) or {}).get("arctype") or "arc"
        if type(arc).__name__ == "InhibitorArc":
            kind = "inhibitor"
        elif type(arc).__name__ == "ResetArc":
            kind = "reset"
        if kind not in ("arc", "inhibitor"):
            raise DalsegnoError(f"the {kind} arc from {arc.source.name!r} to {arc.target.name!r}: dalsegno has no such arcs")
        arcs.append(Arc(arc.source.name, arc.target.name, arc.weight, kind))
    arcs.sort(key=lambda arc: (arc.source, arc.target, arc.kind))
    return net(
        sorted((place.name, marking.get(place, 0)) for place in petri_net.places),
        sorted(transition.name for transition in petri_net.transitions),
        arcs,
        name=name or petri_net.name or "net",
    )


def to_pm4py(model: Model) -> tuple[Any, Any]:
    """The net and its marking for pm4py. A test arc becomes an arc there and one back."""
    objects = import_module("pm4py.objects.petri_net.obj")
    add_arc = import_module("pm4py.objects.petri_net.utils.petri_utils").add_arc_from_to
    inhibited = any(arc.kind == "inhibitor" for arc in model.arcs)
    made = (objects.InhibitorNet if inhibited else objects.PetriNet)(model.name)
    nodes: dict[str, Any] = {}
    marking = objects.Marking()
    for place in model.places:
        nodes[place.id] = objects.PetriNet.Place(place.id)
        made.places.add(nodes[place.id])
        if place.tokens:
            marking[nodes[place.id]] = place.tokens
    for transition in model.transitions:
        nodes[transition.id] = objects.PetriNet.Transition(transition.id, transition.name)
        made.transitions.add(nodes[transition.id])
    for arc in model.arcs:
        if arc.kind == "inhibitor":
            if arc.weight != 1:
                raise DalsegnoError(f"the inhibitor arc from {arc.source!r} to {arc.target!r} has a weight: pm4py has none")
            add_arc(nodes[arc.source], nodes[arc.target], made, type="inhibitor")
            continue
        add_arc(nodes[arc.source], nodes[arc.target], made, weight=arc.weight)
        if arc.kind == "test":
            add_arc(nodes[arc.target], nodes[arc.source], made, weight=arc.weight)
    return made, marking


def to_networkx(model: Model) -> Any:
    """The net as a graph of networkx: nodes have a ``kind`` and ``tokens``, edges a ``weight`` and a ``kind``."""
    graph = import_module("networkx").MultiDiGraph(name=model.name)
    for place in model.places:
        graph.add_node(place.id, kind="place", tokens=place.tokens)
    for transition in model.transitions:
        graph.add_node(transition.id, kind="transition")
    for arc in model.arcs:
        graph.add_edge(arc.source, arc.target, weight=arc.weight, kind=arc.kind)
    return graph


def from_networkx(graph: Any, *, name: str | None = None) -> Model:
    """A model from a graph of networkx as ``to_networkx`` makes it; weights are 1 and tokens 0 where they are missing."""
    places, transitions = [], []
    for node, data in graph.nodes(data=True):
        kind = data.get("kind")
        if kind == "place":
            places.append((node, data.get("tokens", 0)))
        elif kind == "transition":
            transitions.append(node)
        else:
            raise DalsegnoError(f"the node {node!r} has no `kind`: it must be 'place' or 'transition'")
    arcs = [Arc(a, b, data.get("weight", 1), data.get("kind", "arc")) for a, b, data in graph.edges(data=True)]
    return net(places, transitions, arcs, name=name or graph.graph.get("name") or "net")
