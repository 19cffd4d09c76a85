"""Nets from and to other packages, which are imported when they are used. pm4py is under the AGPL."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._errors import DalsegnoError
from ._model import Model, net
from ._net import Arc, Place, Transition


def from_pm4py(petri_net: Any, marking: Any, *, name: str | None = None) -> Model:
    """A model from a net and an initial marking of pm4py.

    Identifiers are the names of places and transitions there. The label of a transition is its name here, so that
    ``m.fires("pay")`` speaks of the activity ``pay`` where one transition has that label.
    """
    if not all(hasattr(petri_net, part) for part in ("places", "transitions", "arcs")):
        raise TypeError(f"petri_net: expected a net of pm4py, not {type(petri_net).__name__}")
    if not hasattr(marking, "get"):
        raise TypeError(f"marking: expected a marking of pm4py, not {type(marking).__name__}")
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
    places = [Place(place.name, place.name, marking.get(place, 0)) for place in petri_net.places]
    transitions = [Transition(t.name, getattr(t, "label", None) or t.name) for t in petri_net.transitions]
    # pm4py keeps sets: a model should not depend on their order.
    places.sort(key=lambda place: str(place.id))
    transitions.sort(key=lambda transition: str(transition.id))
    arcs.sort(key=lambda arc: (str(arc.source), str(arc.target), arc.kind))
    return net(places, transitions, arcs, name=name or petri_net.name or "net")


def to_pm4py(model: Model) -> tuple[Any, Any]:
    """The net and its initial marking for pm4py; names of transitions are labels. A test arc becomes an arc there and one back."""
    _known(model)
    objects = _package("pm4py.objects.petri_net.obj")
    add_arc = _package("pm4py.objects.petri_net.utils.petri_utils").add_arc_from_to
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
    """The net as a graph of networkx: nodes have a ``kind``, a ``name`` and ``tokens``, edges a ``weight`` and a ``kind``."""
    graph = _package("networkx").MultiDiGraph(name=_known(model).name)
    for place in model.places:
        graph.add_node(place.id, kind="place", name=place.name, tokens=place.tokens)
    for transition in model.transitions:
        graph.add_node(transition.id, kind="transition", name=transition.name)
    for arc in model.arcs:
        graph.add_edge(arc.source, arc.target, weight=arc.weight, kind=arc.kind)
    return graph


def from_networkx(graph: Any, *, name: str | None = None) -> Model:
    """A model from a graph of networkx as ``to_networkx`` makes it; weights are 1 and tokens 0 where they are missing."""
    if not all(hasattr(graph, part) for part in ("nodes", "edges", "graph")):
        raise TypeError(f"graph: expected a graph of networkx, not {type(graph).__name__}")
    if not graph.is_directed():
        raise DalsegnoError("graph: its edges have no direction: a net is a DiGraph or a MultiDiGraph")
    places, transitions = [], []
    for node, data in graph.nodes(data=True):
        kind, called = data.get("kind"), data.get("name", node)
        if kind == "place":
            places.append(Place(node, called, data.get("tokens", 0)))
        elif kind == "transition":
            transitions.append(Transition(node, called))
        else:
            raise DalsegnoError(f"graph: the node {node!r} has no `kind`: it must be 'place' or 'transition'")
    arcs = [Arc(a, b, data.get("weight", 1), data.get("kind", "arc")) for a, b, data in graph.edges(data=True)]
    return net(places, transitions, arcs, name=name or graph.graph.get("name") or "net")


def _known(model: Model) -> Model:
    if not isinstance(model, Model):
        raise TypeError(f"model: expected a Model, not {type(model).__name__}")
    return model


def _package(name: str) -> Any:
    """A module of a package that is not needed otherwise."""
    package = name.split(".", maxsplit=1)[0]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ModuleNotFoundError(f"{package} is not installed: pip install {package}", name=package) from None
    return import_module(name)
