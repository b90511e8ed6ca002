"""Writes down what a PyTorch module computes, with whatever PyTorch there is.

Run as a program, it reads a file with `Model`, `get_inputs` and `get_init_inputs`:

    python capture.py model.py --out model.zip --report report.json --operators names.txt

It needs PyTorch and the standard library only: neither the rest of this package nor numpy. The archive it writes has
the layout of torch.export's own (models/model.json and raw tensors), so that one reader serves both; parameters have
no values in it, buffers and constants have. The report says what went wrong, in words meant for the user.

More than 400 lines, because the binary carries it as one file.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import ctypes
import functools
import io
import json
import linecache
import os
import sys
import traceback
import types
import warnings
import zipfile
from typing import Any, Iterable, Iterator

#: The operators that stay whole even where a caller names none: PyTorch would take them apart (docs/import.md, "The
#: capture"), and each has a lowering of its own.
KEPT_WHOLE = (
    "einsum matmul linear scaled_dot_product_attention pad lstm gru rnn_tanh rnn_relu roll triu tril cross_entropy_loss "
    "softmax log_softmax batch_norm layer_norm group_norm instance_norm rms_norm"
).split()

#: Operators that PyTorch's own decomposition computes wrongly: labels after the end of the list are counted.
BROKEN_APART = {"multilabel_margin_loss", "multilabel_margin_loss_forward"}

#: Operators that draw random numbers, beside dropout.
RANDOM = set(
    "rand randn randint randperm rand_like randn_like randint_like normal uniform bernoulli multinomial poisson "
    "exponential cauchy log_normal geometric random rrelu_with_noise".split()
)

#: The codes of torch.export's archives.
DTYPE_CODES = {
    "uint8": 1, "int8": 2, "int16": 3, "int32": 4, "int64": 5, "float16": 6, "float32": 7, "float64": 8,
    "complex32": 9, "complex64": 10, "complex128": 11, "bool": 12, "bfloat16": 13,
}  # fmt: skip


class CaptureError(Exception):
    """Why there is no graph. `kind`: no-torch, file, raises, control-flow, export."""

    def __init__(self, kind: str, message: str, hint: str = "", place: str = "") -> None:
        super().__init__(message)
        self.kind, self.message, self.hint, self.place = kind, message, hint, place

    def as_json(self) -> dict[str, str]:
        return {"kind": self.kind, "message": self.message, "hint": self.hint, "place": self.place}


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else ""


def _describe(error: BaseException) -> str:
    line = _first_line(error)
    return f"{type(error).__name__}: {line}" if line else type(error).__name__


def _is_own(path: str) -> bool:
    return path == __file__ or path.startswith("<") or "site-packages" in path or f"{os.sep}torch{os.sep}" in path


def _place_of(error: BaseException, file: str = "") -> str:
    """The innermost frame of the user's code: 'model.py:12, in forward: y = x @ w'."""
    frames = traceback.extract_tb(error.__traceback__)
    chosen = [frame for frame in frames if file and os.path.abspath(frame.filename) == os.path.abspath(file)]
    chosen = chosen or [frame for frame in frames if not _is_own(frame.filename)]
    if not chosen:
        return ""
    frame = chosen[-1]
    return f"{frame.filename}:{frame.lineno}, in {frame.name}: {frame.line}"


def import_torch() -> Any:
    try:
        import torch
        import torch.export
    except ImportError as error:
        raise CaptureError(
            "no-torch",
            f"this Python has no PyTorch with torch.export ({_first_line(error)}): {sys.executable}",
            "install it (pip install torch), or name a Python that has it with --python",
        ) from None
    return torch


# From a file to a module


@contextlib.contextmanager
def _user_code(file: str, what: str) -> Iterator[None]:
    try:
        yield
    except (CaptureError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001  whatever the user's code raises, SystemExit included
        place = _place_of(error, file)
        if isinstance(error, SyntaxError) and error.filename:
            place = f"{error.filename}:{error.lineno}"
        raise CaptureError("raises", f"{what} raises {_describe(error)}", place=place) from error


def load_file(file: str) -> types.ModuleType:
    module = types.ModuleType("steptp_captured_file")
    module.__file__ = file
    # dataclasses and typing look a class's module up by its name.
    sys.modules[module.__name__] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    try:
        with open(file, encoding="utf-8") as stream:
            source = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise CaptureError("file", f"cannot read {file}: {_describe(error)}") from None
    linecache.checkcache(file)
    with _user_code(file, "the file"):
        exec(compile(source, file, "exec"), module.__dict__)
    return module


def _model_class(module: types.ModuleType, torch: Any) -> Any:
    found = module.__dict__.get("Model")
    if found is not None:
        return found
    classes = [
        item
        for item in module.__dict__.values()
        if isinstance(item, type) and issubclass(item, torch.nn.Module) and item.__module__ == module.__name__
    ]
    if len(classes) == 1:
        return classes[0]
    others = f", but {', '.join(item.__name__ for item in classes)}" if classes else ""
    raise CaptureError(
        "file",
        f"{module.__file__} defines no class Model{others}",
        "define Model (an nn.Module), get_inputs() and, where its constructor takes arguments, get_init_inputs()",
    )


def _skip_initialisation(torch: Any) -> Any:
    """Parameters need no values here, and filling them is most of the time and all of the memory of a large model."""
    fillers = set("uniform_ normal_ fill_ zero_ copy_ erfinv_ mul_ add_ sub_ div_ clamp_ random_ exponential_ bernoulli_".split())

    class SkipInitialisation(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            # The functions of torch.nn.init come here whole, with their tensor by name.
            fills = getattr(func, "__name__", "") in fillers or getattr(func, "__module__", "") == "torch.nn.init"
            target = args[0] if args else kwargs.get("tensor")
            return target if fills and isinstance(target, torch.nn.Parameter) else func(*args, **kwargs)

    return SkipInitialisation()


def _without_gpu(torch: Any) -> Any:
    """Where there is no GPU, what is meant for one stays on the CPU: the program does not depend on it."""
    if torch.cuda.is_available():
        return contextlib.nullcontext()

    def stays(device: Any) -> Any:
        named = isinstance(device, (str, torch.device)) and str(device).split(":")[0] in ("cuda", "mps", "xpu")
        return torch.device("cpu") if named else device

    class WithoutGpu(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if getattr(func, "__name__", "") in ("cuda", "mps", "xpu") and args and isinstance(args[0], torch.Tensor):
                return args[0]
            if "device" in kwargs:
                kwargs = {**kwargs, "device": stays(kwargs["device"])}
            return func(*(stays(argument) for argument in args), **kwargs)

    return WithoutGpu()


def build_model(module: types.ModuleType, torch: Any, notes: list[str]) -> Any:
    """The module with real buffers and with parameters that nobody has filled."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    file = module.__file__ or ""
    cls = _model_class(module, torch)
    with _user_code(file, "get_init_inputs()"):
        given = module.__dict__.get("get_init_inputs", list)()
    args, kwargs = list(given), {}
    if len(args) == 2 and isinstance(args[0], (list, tuple)) and isinstance(args[1], dict):
        args, kwargs = list(args[0]), args[1]
    elif isinstance(given, dict):
        args, kwargs = [], given
    torch.manual_seed(0)
    try:
        with _user_code(file, f"{cls.__name__}()"), _without_gpu(torch), _skip_initialisation(torch):
            return cls(*args, **kwargs)
    except CaptureError as error:
        if "required positional argument" in error.message and "get_init_inputs" not in module.__dict__:
            error.hint = "define get_init_inputs(): a list of the arguments that the constructor takes"
        if "memory" not in error.message:
            raise
    # Too large for this machine: without values the parameters cost nothing, but neither have the buffers any.
    notes.append("the model does not fit in memory: its buffers are captured without their values")
    with _user_code(file, f"{cls.__name__}()"), FakeTensorMode(allow_non_fake_inputs=True):
        return cls(*args, **kwargs)


def make_inputs(module: types.ModuleType, fake: bool) -> list[Any]:
    from torch._subclasses.fake_tensor import FakeTensorMode

    if "get_inputs" not in module.__dict__:
        raise CaptureError("file", f"{module.__file__} defines no get_inputs()", "define get_inputs(): a list of example tensors")
    import torch

    with _user_code(module.__file__ or "", "get_inputs()"), _without_gpu(torch):
        with FakeTensorMode(allow_non_fake_inputs=True) if fake else contextlib.nullcontext():
            inputs = module.get_inputs()
    return list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]


# From a module to an exported program


def _norms(torch: Any) -> tuple[type, ...]:
    return (torch.nn.modules.batchnorm._NormBase,)


def _own_copy(module: Any, torch: Any, mode: str) -> Any:
    """A copy that shares all tensors: the caller's module keeps its mode and its attributes. Mode "norms": only they
    train."""
    plain = [value for child in module.modules() for value in child.__dict__.values() if isinstance(value, torch.Tensor)]
    shared = {id(tensor): tensor for tensor in (*module.parameters(), *module.buffers(), *plain)}
    try:
        module = copy.deepcopy(module, shared)
    except Exception as error:
        raise CaptureError("export", f"the module cannot be copied: {_describe(error)}") from error
    module.train(mode != "eval")
    for child in module.modules():
        if mode == "norms" and not isinstance(child, _norms(torch)):
            child.training = False
        if isinstance(child, _norms(torch)) and child.momentum is None:
            child.momentum = 0.0  # a mean over all batches reads the counter; updates are not captured anyway
        # A tensor that forward assigns anew must be a buffer for torch.export to follow it.
        for name, value in list(child.__dict__.items()):
            if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter) and name.isidentifier():
                del child.__dict__[name]
                child.register_buffer(name, value, persistent=False)
    return module


#: How many gates the weights of a recurrent operator hold.
_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
_LIBRARY = "steptp_capture"


@functools.lru_cache(maxsize=None)
def _recurrent_operators(torch: Any) -> Any:
    """aten.lstm and its like as operators of our own. PyTorch takes its own apart step by step even to find the shapes of
    their results, which takes minutes for a long sequence."""
    library = torch.library.Library(_LIBRARY, "DEF")
    rest = "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first"

    def shapes(gates: int, input: Any, hx: Any, params: Any, biases: bool, layers: int, dropout: float, train: bool, both: bool, batch_first: bool) -> Any:  # noqa: A002
        ways = 2 if both else 1
        width = params[0].shape[0] // gates
        per_cell = len(params) // (layers * ways)
        hidden = params[per_cell - 1].shape[0] if per_cell % 2 else width  # one weight more is a projection
        batch = input.shape[0 if batch_first else 1]
        states = [input.new_empty(layers * ways, batch, hidden)] + ([input.new_empty(layers * ways, batch, width)] if gates == 4 else [])
        return (input.new_empty(*input.shape[:2], hidden * ways), *states)

    for name, gates in _GATES.items():
        returns, state = ("(Tensor, Tensor, Tensor)", "Tensor[] hx") if name == "lstm" else ("(Tensor, Tensor)", "Tensor hx")
        library.define(f"{name}(Tensor input, {state}, {rest}) -> {returns}")
        library.impl(name, getattr(torch, name), "CompositeExplicitAutograd")
        torch.library.register_fake(f"{_LIBRARY}::{name}", functools.partial(shapes, gates), lib=library)
    return library


@contextlib.contextmanager
def _recurrence_whole(torch: Any) -> Iterator[None]:
    """The layers call our operators. Sequences of several lengths (packed) have another operator, which stays."""
    library = _recurrent_operators(torch)
    functions, table = torch._VF, getattr(torch.nn.modules.rnn, "_rnn_impls", {})
    before = dict(table)

    def ours(name: str) -> Any:
        whole, plain = getattr(getattr(torch.ops, library.ns), name).default, getattr(torch, name)

        def call(*args: Any) -> Any:
            if not isinstance(args[2], (list, tuple)):
                return plain(*args)
            state = list(args[1]) if name == "lstm" else args[1]
            return whole(args[0], state, list(args[2]), *args[3:])

        return call

    try:
        for name in _GATES:
            setattr(functions, name, ours(name))
        for name in table:
            table[name] = ours(name.lower())
        yield
    finally:
        table.update(before)
        for name in _GATES:
            delattr(functions, name)


@contextlib.contextmanager
def _traceable(torch: Any) -> Iterator[None]:
    """What PyTorch's own layers do for speed alone and torch.export cannot follow, switched off."""
    fast_path = getattr(torch.backends, "mha", None)
    layers = getattr(torch.nn.modules, "transformer", None)
    before = fast_path.get_fastpath_enabled() if fast_path else False
    detect = getattr(layers, "_detect_is_causal_mask", None)
    try:
        if fast_path:
            fast_path.set_fastpath_enabled(False)  # one opaque operator in place of an encoder layer
        if detect:
            # It reads the mask to see whether it is causal; the mask itself says the same.
            layers._detect_is_causal_mask = lambda mask, is_causal=None, size=None: is_causal is True
        yield
    finally:
        if fast_path:
            fast_path.set_fastpath_enabled(before)
        if detect:
            layers._detect_is_causal_mask = detect


def _export(torch: Any, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    with _traceable(torch), _recurrence_whole(torch), _without_gpu(torch), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(module, args, kwargs, strict=False)


def _operator_name(target: Any) -> str:
    name = str(target)
    return f"aten.{name.split('.')[1]}.input" if name.startswith(f"{_LIBRARY}.") else name


def _is_known(name: str, known: set[str]) -> bool:
    """An in-place operator counts as its functional form; "aten.copy.*" names every overload."""
    base, _, overload = name.rpartition(".")
    return bool(known & {name, f"{base}.*", f"{base.removesuffix('_')}.{overload}"})


def _operators(program: Any) -> list[str]:
    graphs = [module.graph for module in program.graph_module.modules() if hasattr(module, "graph")]
    return [
        _operator_name(node.target)
        for graph in graphs
        for node in graph.nodes
        if node.op == "call_function" and hasattr(node.target, "_schema")
    ]


def _count_random(program: Any) -> int:
    return sum(name.split(".")[1].removesuffix("_") in RANDOM for name in _operators(program))


def _decompose(torch: Any, program: Any, known: set[str]) -> Any:
    """Takes apart what the caller does not know, as PyTorch itself would, and leaves everything else whole."""
    if all(_is_known(name, known) for name in _operators(program)):
        return program
    table = torch.export.default_decompositions()
    for operator in list(table):
        name = _operator_name(operator)
        if _is_known(name, known) or name.split(".")[1] in {*KEPT_WHOLE, *BROKEN_APART}:
            table.pop(operator, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = program.run_decompositions(table)
    # Where it does not help, the user would rather read the names of the operators that the model calls.
    return parts if all(_is_known(name, known) for name in _operators(parts)) else program


_DATA_DEPENDENT = ("DataDependent", "GuardOnData", "UnsupportedFakeTensor", "DynamicOutputShape", "UserError")


def _export_error(error: BaseException, file: str) -> CaptureError:
    name, text = type(error).__name__, str(error)
    if any(part in name for part in _DATA_DEPENDENT) or "data-dependent" in text or "control flow" in text:
        return CaptureError(
            "control-flow",
            f"what the model computes depends on the values of its inputs, which are not known here ({name})",
            "decide with torch.where or with Python values known before forward runs, not with a tensor's elements",
            _place_of(error, file),
        )
    return CaptureError("export", f"torch.export fails: {_describe(error)}", place=_place_of(error, file))


def export_program(
    module: Any, attempts: Iterable[Any], mode: str, known: set[str], notes: list[str], file: str = ""
) -> Any:
    """`attempts`: functions that give (args, kwargs); the next one is tried where the one before fails. What the user
    should know about the way it was captured goes into `notes`."""
    program = _export_in_mode(module, attempts, mode, known, file)
    random = _count_random(program)
    if mode != "train" or not random:
        return program
    # Stochastic depth and its like are dropout by another name, and like dropout they are nothing outside training.
    calmer = _export_in_mode(module, attempts, "norms", known, file)
    if _count_random(calmer) == random:
        return program
    notes.append("the model draws random numbers in train mode: only its norms are in train mode here, the rest is in eval mode")
    return calmer


def _export_in_mode(module: Any, attempts: Iterable[Any], mode: str, known: set[str], file: str) -> Any:
    torch = import_torch()
    module = _own_copy(module, torch, mode)
    error: BaseException | None = None
    arguments: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})
    for attempt in attempts:
        arguments = attempt()
        try:
            return _decompose(torch, _export(torch, module, *arguments), known)
        except Exception as failure:  # noqa: BLE001  torch.export raises exceptions of every kind
            error = failure
    assert error is not None
    try:
        # Does the model itself fail, without torch.export in between? Then that is what the user wants to read.
        with torch.no_grad():
            module(*arguments[0], **arguments[1])
    except Exception as failure:  # noqa: BLE001
        if "Fake" not in type(failure).__name__:
            raise CaptureError("raises", f"forward raises {_describe(failure)}", place=_place_of(failure, file)) from failure
    raise _export_error(error, file) from error


# From an exported program to an archive


class _Writer:
    """An exported program as torch.export's archives spell it."""

    def __init__(self, torch: Any, program: Any) -> None:
        self.torch, self.program = torch, program
        self.blobs: list[bytes] = []

    def size(self, value: Any) -> dict[str, Any]:
        return {"as_int": value} if isinstance(value, int) else {"as_expr": {"expr_str": str(value)}}

    def meta(self, tensor: Any) -> dict[str, Any]:
        strided = tensor.layout == self.torch.strided
        return {
            "dtype": DTYPE_CODES.get(str(tensor.dtype).removeprefix("torch."), 0),
            "sizes": [self.size(n) for n in tensor.shape],
            "strides": [self.size(n) for n in tensor.stride()] if strided else [],
            "storage_offset": {"as_int": 0},
            "layout": 7 if strided else 0,
        }

    def argument(self, value: Any) -> dict[str, Any]:
        torch, fx = self.torch, self.torch.fx
        if value is None:
            return {"as_none": True}
        if isinstance(value, fx.Node):
            return self.node_argument(value)
        if isinstance(value, bool):
            return {"as_bool": value}
        if isinstance(value, int):
            return {"as_int": value}
        if isinstance(value, float):
            return {"as_float": value if abs(value) < float("inf") else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")}
        if isinstance(value, str):
            return {"as_string": value}
        if isinstance(value, torch.dtype):
            return {"as_scalar_type": DTYPE_CODES.get(str(value).removeprefix("torch."), 0)}
        if isinstance(value, torch.device):
            return {"as_device": {"type": value.type, "index": value.index}}
        if isinstance(value, torch.layout):
            return {"as_layout": 7 if value == torch.strided else 0}
        if isinstance(value, torch.memory_format):
            return {"as_memory_format": 1 if value == torch.contiguous_format else 4}
        if isinstance(value, (list, tuple)):
            return self.list_argument(list(value))
        return {"as_operator": repr(value)}

    def node_argument(self, node: Any) -> dict[str, Any]:
        if node.op == "get_attr":
            owner = node.graph.owning_module
            for part in node.target.split("."):
                owner = getattr(owner, part)
            if hasattr(owner, "graph"):
                return {"as_graph": {"name": node.name, "graph": self.graph(owner)}}
        value = node.meta.get("val")
        if isinstance(value, self.torch.Tensor):
            return {"as_tensor": {"name": node.name}}
        return {"as_sym_int": {"as_name": node.name}}

    def list_argument(self, values: list[Any]) -> dict[str, Any]:
        if all(isinstance(value, bool) for value in values) and values:
            return {"as_bools": values}
        if all(isinstance(value, int) for value in values):
            return {"as_ints": values}
        if all(isinstance(value, (int, float)) for value in values):
            return {"as_floats": [float(value) for value in values]}
        parts = [self.argument(value) for value in values]
        if all("as_tensor" in part for part in parts):
            return {"as_tensors": [part["as_tensor"] for part in parts]}
        if all("as_tensor" in part or "as_none" in part for part in parts):
            return {"as_optional_tensors": parts}
        return {"as_sym_ints": [part.get("as_sym_int", part) for part in parts]}

    def outputs(self, node: Any) -> list[dict[str, Any]]:
        value = node.meta.get("val")
        if value is None:
            return []
        if not isinstance(value, (list, tuple)):
            return [self.node_argument(node)]
        names = {user.args[1]: user.name for user in node.users if user.op == "call_function" and _is_getitem(user)}
        tensors = [{"name": names.get(at, f"{node.name}_unused_{at}")} for at in range(len(value))]
        returns = getattr(getattr(node.target, "_schema", None), "returns", ())
        if len(returns) == 1:
            return [{"as_tensors": tensors}]
        return [{"as_tensor": tensor} for tensor in tensors]

    def node(self, node: Any) -> dict[str, Any]:
        schema = getattr(node.target, "_schema", None)
        if schema is None:
            named = getattr(node.target, "__name__", str(node.target))
            target = f"torch.ops.higher_order.{node.target}" if hasattr(node.target, "namespace") else named
            inputs = [{"name": "", "arg": self.argument(value), "kind": 1} for value in node.args]
        else:
            target = f"torch.ops.{_operator_name(node.target)}"
            names = [argument.name for argument in schema.arguments]
            given = [*zip(names, node.args), *node.kwargs.items()]
            inputs = [{"name": name, "arg": self.argument(value), "kind": 1} for name, value in given]
        trace = node.meta.get("stack_trace") or ""
        return {"target": target, "inputs": inputs, "outputs": self.outputs(node), "name": node.name, "metadata": {"stack_trace": trace}}

    def graph(self, module: Any) -> dict[str, Any]:
        nodes, inputs, outputs, values = [], [], [], {}
        for node in module.graph.nodes:
            value = node.meta.get("val")
            if isinstance(value, self.torch.Tensor):
                values[node.name] = self.meta(value)
            if node.op == "placeholder":
                tensor = isinstance(value, self.torch.Tensor)
                inputs.append({"as_tensor": {"name": node.name}} if tensor else self.argument(value))
            elif node.op == "output":
                outputs = [self.argument(item) for item in node.args[0]]
            elif node.op == "call_function" and not _is_getitem(node):
                nodes.append(self.node(node))
        return {"inputs": inputs, "outputs": outputs, "nodes": nodes, "tensor_values": values}

    def input_spec(self, spec: Any) -> dict[str, Any]:
        kind, name = spec.kind.name, getattr(spec.arg, "name", "")
        if kind == "PARAMETER":
            return {"parameter": {"arg": {"name": name}, "parameter_name": spec.target}}
        if kind == "BUFFER":
            return {"buffer": {"arg": {"name": name}, "buffer_name": spec.target, "persistent": bool(spec.persistent)}}
        if kind == "CONSTANT_TENSOR":
            return {"tensor_constant": {"arg": {"name": name}, "tensor_constant_name": spec.target}}
        if kind == "USER_INPUT" and hasattr(spec.arg, "value"):
            return {"constant_input": {"name": name, "value": self.argument(spec.arg.value)}}
        if kind == "USER_INPUT":
            return {"user_input": {"arg": {"as_tensor": {"name": name}}}}
        return {kind.lower(): {}}

    def output_spec(self, spec: Any) -> dict[str, Any]:
        kind = spec.kind.name.lower()
        if kind in ("user_output", "loss_output"):
            arg = self.argument(spec.arg.value) if hasattr(spec.arg, "value") else {"as_tensor": {"name": spec.arg.name}}
            return {"user_output": {"arg": arg}}
        field = "user_input_name" if kind == "user_input_mutation" else "buffer_name"
        return {kind: {"arg": {"name": spec.arg.name}, field: spec.target or ""}}

    def config(self, tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
        out = {}
        for name, tensor in tensors.items():
            if not isinstance(tensor, self.torch.Tensor) or isinstance(tensor, self.torch.nn.Parameter):
                continue
            if _is_fake(self.torch, tensor):
                continue
            dense = tensor.detach().cpu().contiguous()
            blob = ctypes.string_at(dense.data_ptr(), dense.numel() * dense.element_size()) if dense.numel() else b""
            out[name] = {"path_name": f"{prefix}_{len(self.blobs)}", "is_param": False, "use_pickle": False, "tensor_meta": self.meta(dense)}
            self.blobs.append(blob)
        return {"config": out}

    def archive(self, notes: list[str], domains: Iterable[Any] = ()) -> bytes:
        program = self.program
        signature = program.graph_signature
        model = {
            "graph_module": {
                "graph": self.graph(program.graph_module),
                "signature": {
                    "input_specs": [self.input_spec(spec) for spec in signature.input_specs],
                    "output_specs": [self.output_spec(spec) for spec in signature.output_specs],
                },
            },
            "schema_version": {"major": 8, "minor": 17},
            "torch_version": self.torch.__version__,
            "notes": notes,
            "domains": list(domains),
        }
        tensors = {**program.state_dict, **{name: value for name, value in program.constants.items()}}
        config = self.config(tensors, "tensor")
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("capture/archive_format", "steptp-capture")
            archive.writestr("capture/archive_version", "0")
            archive.writestr("capture/byteorder", sys.byteorder)
            archive.writestr("capture/models/model.json", json.dumps(model))
            archive.writestr("capture/data/constants/model_constants_config.json", json.dumps(config))
            for at, blob in enumerate(self.blobs):
                archive.writestr(f"capture/data/constants/tensor_{at}", blob)
        return out.getvalue()


def _is_getitem(node: Any) -> bool:
    return getattr(node.target, "__name__", "") == "getitem"


def _is_fake(torch: Any, tensor: Any) -> bool:
    from torch._subclasses.fake_tensor import FakeTensor

    return isinstance(tensor, FakeTensor) or tensor.device.type == "meta"


def capture_module(
    module: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    mode: str,
    operators: Iterable[str],
    domains: Iterable[Any] = (),
) -> bytes:
    """The archive of a module that exists already. `domains`: one per tensor among the inputs, as a .leir file states
    them: None, "any", "positive", "nonzero" or [low, high]."""
    torch = import_torch()
    notes: list[str] = []
    program = export_program(module, [lambda: (args, kwargs)], mode, set(operators), notes)
    return _Writer(torch, program).archive(notes, domains)


def capture_file(file: str, mode: str, operators: Iterable[str]) -> bytes:
    """The archive of the Model of a file."""
    torch = import_torch()
    notes: list[str] = []
    source = load_file(file)
    model = build_model(source, torch, notes)
    if not isinstance(model, torch.nn.Module):
        raise CaptureError("file", f"Model() gives {type(model).__name__}, not an nn.Module")
    torch.manual_seed(0)
    attempts = [lambda fake=fake: (tuple(make_inputs(source, fake)), {}) for fake in (True, False)]
    program = export_program(model, attempts, mode, set(operators), notes, file)
    return _Writer(torch, program).archive(notes, getattr(source, "input_domains", ()))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Captures the Model of a file as an archive that steptp reads.")
    parser.add_argument("file")
    parser.add_argument("--out", required=True, help="the archive to write")
    parser.add_argument("--report", required=True, help="a JSON file: {} or the error")
    parser.add_argument("--mode", choices=("train", "eval"), default="train")
    parser.add_argument("--operators", help="a file with the operators to keep whole, one name on a line")
    options = parser.parse_args(arguments)
    operators: list[str] = []
    if options.operators:
        with open(options.operators, encoding="utf-8") as stream:
            operators = stream.read().split()
    report: dict[str, Any] = {}
    try:
        archive = capture_file(options.file, options.mode, operators)
        with open(options.out, "wb") as out:
            out.write(archive)
    except CaptureError as error:
        report = {"error": error.as_json()}
    except MemoryError:
        report = {"error": CaptureError("export", "out of memory while capturing").as_json()}
    with open(options.report, "w", encoding="utf-8") as out:
        json.dump(report, out)
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
