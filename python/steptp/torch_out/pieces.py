"""A graph of operators cut into pieces that follow each other: groups for our kernels, and what stays with eager.

Every node gets a depth, one more than that of what it reads where one of the two is ours and the other is not. Nodes of
one depth and one kind are a piece: an arrow stays inside or leads to a greater depth, so there is no cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from .support import VIEWS, base_name, device_of, has_effects, is_getitem, place_of, operator_of, refusal, tensors_of


@dataclass(frozen=True)
class Place:
    """One operator that stays with eager PyTorch, where it stands in the source, and why."""

    operator: str
    reason: str
    place: str = ""
    times: int = 1


@dataclass
class Piece:
    """Nodes that run together. `device` is None for what stays with eager."""

    nodes: list[Any]
    device: torch.device | None
    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)


def _is_view(node: Any) -> bool:
    return node.op == "call_function" and (base_name(node) in VIEWS or (is_getitem(node) and _is_view(node.args[0])))


def own_views(module: Any) -> None:
    """Views that the graph gives out get nodes of their own, made by eager PyTorch: they share memory there."""
    graph = module.graph
    output = next(node for node in graph.nodes if node.op == "output")
    copies: dict[Any, Any] = {}

    def copied(node: Any) -> Any:
        if not isinstance(node, torch.fx.Node) or not _is_view(node) or _is_alone(node):
            return node
        if node not in copies:
            source = copied(node.args[0])
            with graph.inserting_before(output):
                copies[node] = graph.node_copy(node, lambda used: source if used is node.args[0] else used)
        return copies[node]

    output.args = (torch.fx.map_arg(output.args[0], copied),)
    graph.lint()


def _is_alone(node: Any) -> bool:
    return all(user.op == "output" for user in node.users)


def _eager_views(graph: Any) -> set[Any]:
    """Views that nothing of ours reads."""
    out: set[Any] = set()
    for node in reversed(list(graph.nodes)):
        if _is_view(node) and node.users and all(user.op == "output" or user in out for user in node.users):
            out.add(node)
    return out


def places_of(reasons: dict[Any, str]) -> list[Place]:
    """The same operator for the same reason at the same place once, with its number."""
    counted: dict[tuple[str, str, str], int] = {}
    for node, reason in reasons.items():
        key = (operator_of(node), reason, place_of(node))
        counted[key] = counted.get(key, 0) + 1
    return [Place(operator, reason, place, times) for (operator, reason, place), times in counted.items()]


def cut(module: Any, most: int, banned: dict[Any, str], borders: set[Any]) -> tuple[list[Piece], dict[Any, str]]:
    """The pieces of a graph in the order in which they run, and why what is eager is eager. Views that only share
    memory have no reason. No group has more than `most` operators, and at each of `borders` a new one begins."""
    kinds: dict[Any, torch.device | None] = {}
    depths: dict[Any, int] = {}
    reasons: dict[Any, str] = {}
    views = _eager_views(module.graph)
    buckets: dict[tuple[int, str], list[Any]] = {}
    last_effect = 0  # what draws random numbers or has other effects keeps its order
    for node in module.graph.nodes:
        if node.op != "call_function":
            continue
        if is_getitem(node) and node.args[0] in kinds:
            source = node.args[0]
            kinds[node], depths[node] = kinds[source], depths[source]
            buckets[(depths[node], str(kinds[node]))].append(node)
            continue
        reason = banned.get(node) or (None if node in views else refusal(node))
        if reason:
            reasons[node] = reason
        kind = None if reason or node in views else device_of(node)
        before = [source for source in node.all_input_nodes if source in kinds]
        depth = max((depths[source] + (kinds[source] != kind) for source in before), default=0)
        if reason and has_effects(node):
            depth = last_effect = max(depth, last_effect)
        kinds[node], depths[node] = kind, depth
        buckets.setdefault((depth, str(kind)), []).append(node)
    pieces = []
    for key in sorted(buckets):
        nodes = buckets[key]
        kind = kinds[nodes[0]]
        for part in _parts(nodes, most, borders) if kind is not None else [nodes]:
            pieces.append(Piece(part, kind))
    for piece in pieces:
        _find_ends(piece)
    return [piece for piece in pieces if piece.outputs or piece.device is None], reasons


def _parts(nodes: list[Any], most: int, borders: set[Any]) -> list[list[Any]]:
    """At most so many operators each; what an operator gives stays beside it."""
    parts: list[list[Any]] = [[]]
    for node in nodes:
        count = sum(not is_getitem(other) for other in parts[-1])
        if node in borders or (count >= most and not is_getitem(node)):
            parts.append([])
        parts[-1].append(node)
    # A getitem may come long after its operator, behind a cut.
    home = {node: part for part in parts for node in part}
    for part in list(parts):
        for node in list(part):
            if is_getitem(node) and home[node.args[0]] is not part:
                part.remove(node)
                target = home[node.args[0]]
                target.insert(target.index(node.args[0]) + 1, node)
    return [part for part in parts if part]


def _find_ends(piece: Piece) -> None:
    inside = set(piece.nodes)
    piece.inputs = list(dict.fromkeys(source for node in piece.nodes for source in node.all_input_nodes if source not in inside))
    piece.outputs = [
        node
        for node in piece.nodes
        if any(user not in inside for user in node.users) and not isinstance(node.meta.get("val"), (list, tuple))
    ]


def memory_formats(node: Any) -> tuple[int, ...] | None:
    """The strides that eager PyTorch gives a result, where they are not those of rows; None where they are."""
    value = tensors_of(node.meta["val"])[0]
    return None if value.is_contiguous() else tuple(value.stride())
