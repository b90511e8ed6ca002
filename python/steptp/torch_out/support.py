"""Which operators of a graph run in our kernels, and why the others do not."""

from __future__ import annotations

import json
import os
import types
from collections.abc import Iterable
from typing import Any

import torch

from .. import _steptp, capture
from .._errors import DiagnosticError

_OWN = os.path.dirname(os.path.abspath(__file__))
#: The dtypes that LEIR has.
DTYPES = frozenset(
    (torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64)
)
#: Operators whose result is, or may be, another view of their first argument.
VIEWS = frozenset(
    "alias detach diagonal expand expand_as narrow permute select slice split split_with_sizes squeeze t transpose "
    "unbind unfold unsqueeze view view_as as_strided numpy_T reshape flatten unflatten swapaxes movedim chunk".split()
)
#: Operators that draw random numbers where their arguments say so. The reader of captures takes dropout for the identity,
#: which is right for programs to be studied and wrong for a module that trains.
_RANDOM = frozenset(
    "native_dropout alpha_dropout feature_dropout feature_alpha_dropout rrelu rrelu_with_noise rrelu_with_noise_functional "
    "bernoulli fractional_max_pool2d fractional_max_pool3d".split()
)
_RECURRENT = frozenset(("lstm", "gru", "rnn_tanh", "rnn_relu"))


def is_getitem(node: Any) -> bool:
    return node.op == "call_function" and getattr(node.target, "__name__", "") == "getitem"


def base_name(node: Any) -> str:
    """"aten.add.Tensor" is "add"."""
    schema = getattr(node.target, "_schema", None)
    return schema.name.split("::")[-1] if schema is not None else getattr(node.target, "__name__", str(node.target))


def operator_of(node: Any) -> str:
    return str(node.target) if hasattr(node.target, "_schema") else getattr(node.target, "__name__", str(node.target))


def tensors_of(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in tensors_of(part)]
    return []


def place_of(node: Any) -> str:
    """The line of the user's source that a node comes from: "model.py:12, in forward: y = x @ w"."""
    lines = (node.meta.get("stack_trace") or "").strip().splitlines()
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at].strip()
        if line.startswith("File ") and "site-packages" not in line and _OWN not in line:
            parts = line.split(", ")
            file, number, where = parts[0][6:-1], parts[1].removeprefix("line "), parts[2].removeprefix("in ")
            code = lines[at + 1].strip() if at + 1 < len(lines) and not lines[at + 1].strip().startswith("File ") else ""
            return f"{file}:{number}, in {where}" + (f": {code}" if code else "")
    return ""


def _argument(node: Any, name: str) -> Any:
    """What an operator is given for an argument of its schema."""
    for at, argument in enumerate(node.target._schema.arguments):
        if argument.name == name:
            return node.args[at] if at < len(node.args) else node.kwargs.get(name, argument.default_value)
    return None


def _draws(node: Any) -> bool:
    name = base_name(node)
    if name in capture.RANDOM or name in _RANDOM:
        return True
    if name == "dropout":
        return bool(_argument(node, "train")) and _argument(node, "p") != 0
    if name == "scaled_dot_product_attention":
        return _argument(node, "dropout_p") != 0
    if name in _RECURRENT:
        return bool(_argument(node, "train")) and _argument(node, "dropout") != 0
    return torch.Tag.nondeterministic_seeded in node.target.tags and name not in ("dropout", "scaled_dot_product_attention")


#: Operators that put floats in order. NaN is the greatest number there in PyTorch, and LEIR has no order for it.
_ORDERS = frozenset("argmax argmin sort argsort topk kthvalue median nanmedian mode msort".split())
#: The same where the places are wanted, and not the values alone.
_ORDERS_WITH_PLACES = frozenset("max min cummax cummin".split())


def _orders_floats(node: Any) -> bool:
    name = base_name(node)
    floats = any(value.is_floating_point() for source in node.all_input_nodes for value in tensors_of(source.meta.get("val")))
    if name in _ORDERS:
        return floats
    takes_places = any(is_getitem(user) and user.args[1] == 1 for user in node.users)
    return name in _ORDERS_WITH_PLACES and floats and takes_places


def has_effects(node: Any) -> bool:
    """Whether it matters when it runs: random numbers, writes, assertions, calls of Python."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return not is_getitem(node)
    return node.target._schema.is_mutable or _draws(node) or not tensors_of(node.meta.get("val"))


def _plain_problem(value: Any) -> str | None:
    """Why a tensor cannot be one of ours."""
    if value.layout != torch.strided:
        return f"a tensor of layout {value.layout}"
    if value.dtype not in DTYPES:
        return f"a tensor of dtype {str(value.dtype).removeprefix('torch.')}, which LEIR does not have"
    if any(not isinstance(size, int) for size in value.shape):
        return "a size that is not fixed"
    if value.numel() == 0:
        return "a tensor without elements"
    if value.is_conj() or value.is_neg():
        return "a tensor that is conjugated or negated when it is read"
    return None


def used_results(node: Any) -> list[Any]:
    """What an operator gives, without those results of several that nobody takes."""
    value = node.meta.get("val")
    if not isinstance(value, (list, tuple)):
        return tensors_of(value)
    return [item for user in node.users if is_getitem(user) for item in tensors_of(user.meta.get("val"))]


def device_of(node: Any) -> torch.device | None:
    """The device of everything that the operator reads and writes; None where there are several or none of ours."""
    values = used_results(node)
    for given in node.all_input_nodes:
        values += tensors_of(given.meta.get("val"))
    # A scalar of the CPU beside tensors of a GPU is allowed in PyTorch; here it would be memory that the GPU cannot read.
    devices = {value.device for value in values}
    return devices.pop() if len(devices) == 1 else None


def _short(value: Any) -> str:
    if isinstance(value, torch.fx.Node):
        return repr([(tuple(item.shape), item.dtype) for item in tensors_of(value.meta.get("val"))])
    if isinstance(value, (list, tuple)):
        return f"[{','.join(_short(item) for item in value)}]"
    return repr(value)


def _signature(node: Any) -> str:
    return f"{node.target}({_short(node.args)},{[(key, _short(value)) for key, value in node.kwargs.items()]})"


_answers: dict[str, str | None] = {}


def refusal(node: Any) -> str | None:
    """Why a call of an operator cannot run in our kernels; None where it can."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return "a call of Python or of a higher-order operator"
    if node.target._schema.is_mutable:
        return "an operator that writes to its argument"
    if _draws(node):
        return "an operator that draws random numbers"
    if _orders_floats(node):
        return "an operator that puts floats in order, where NaN would have another place"
    given = [value for source in node.all_input_nodes for value in tensors_of(source.meta.get("val"))]
    made = used_results(node)
    if not made or any(source.meta.get("val") is None or not tensors_of(source.meta["val"]) for source in node.all_input_nodes):
        return "an operator with values that are no tensors"
    for value in (*given, *made):
        if problem := _plain_problem(value):
            return problem
    device = device_of(node)
    if device is None:
        return "tensors on several devices"
    if device.type not in ("cpu", "cuda"):
        return f"a tensor on the device {device}"
    key = _signature(node) + repr(sorted(user.args[1] for user in node.users if is_getitem(user)))
    if key not in _answers:
        _answers[key] = _reader_refusal(node)
    return _answers[key]


def _reader_refusal(node: Any) -> str | None:
    """What the reader of captures says to a graph of this one operator."""
    nodes = [node, *(user for user in node.users if is_getitem(user))]
    outputs = nodes[1:] if isinstance(node.meta.get("val"), (list, tuple)) else [node]
    if not outputs:
        return "an operator whose results nobody uses"
    try:
        read_graph(cut_out(nodes, list(dict.fromkeys(node.all_input_nodes)), outputs, {}))
    except DiagnosticError as error:
        diagnostic = error.diagnostics[0]
        return diagnostic.message
    return None


def cut_out(nodes: Iterable[Any], inputs: list[Any], outputs: list[Any], constants: dict[Any, torch.Tensor]) -> Any:
    """A graph of its own out of some nodes of another, with everything that they read from outside as inputs. What is
    among `constants` is known with its values."""
    graph = torch.fx.Graph()
    copies: dict[Any, Any] = {}
    inner = list(nodes)
    for number, node in enumerate(inputs):
        # The reader takes floats called a mask that are added to what a softmax takes for finite or -inf, and nothing
        # else changes by the name. Nobody knows here whether a tensor is a mask, so each may be one.
        copy = graph.placeholder(f"mask_{number}")
        copy.meta = {"val": node.meta["val"]}
        copies[node] = copy
    for node in inner:
        copies[node] = graph.node_copy(node, lambda used: copies[used])
        copies[node].meta = dict(node.meta)
    graph.output(tuple(copies[node] for node in outputs))
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    kinds = [
        types.SimpleNamespace(
            kind=types.SimpleNamespace(name="CONSTANT_TENSOR" if node in constants else "USER_INPUT"),
            arg=types.SimpleNamespace(name=placeholder.name),
            target=placeholder.name,
        )
        for node, placeholder in zip(inputs, placeholders)
    ]
    results = [
        types.SimpleNamespace(
            kind=types.SimpleNamespace(name="USER_OUTPUT"), arg=types.SimpleNamespace(name=copies[node].name), target=None
        )
        for node in outputs
    ]
    return types.SimpleNamespace(
        graph_module=module,
        graph_signature=types.SimpleNamespace(input_specs=kinds, output_specs=results),
        state_dict={},
        constants={placeholder.name: constants[node] for node, placeholder in zip(inputs, placeholders) if node in constants},
    )


def read_graph(exported: Any) -> tuple[Any, dict[str, Any]]:
    """The program of a graph, and which tensor of it is which. Raises DiagnosticError."""
    archive = capture._Writer(torch, exported).archive([])
    program, names, _, _ = _steptp.import_archive(archive, "group", None)
    return program, json.loads(names)
