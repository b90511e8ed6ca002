"""Runs CUDA text with what PyTorch brings along: NVRTC and the driver, by ctypes. This file is copied as it is into files
of its own kind, so it needs PyTorch and the standard library only.

$STEPTP_CUDA_DRIVER and $STEPTP_NVRTC name other libraries than the usual ones; with an emulated driver, tensors may lie in
the memory of the host.
"""

from __future__ import annotations

import ctypes
import glob
import os
import site
import sys
import threading
from typing import Any

import torch

_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_WITHOUT_ASKING = 48 << 10


def _folders() -> list[str]:
    roots = [*site.getsitepackages(), os.path.dirname(os.path.dirname(torch.__file__)), *sys.path]
    return list(dict.fromkeys(root for root in roots if root and os.path.isdir(root)))


def _nvrtc() -> Any:
    named = os.environ.get("STEPTP_NVRTC")
    found = [named] if named else sorted(path for root in _folders() for path in glob.glob(f"{root}/nvidia/*/lib/libnvrtc.so.*"))
    for path in (*found, "libnvrtc.so"):
        if "builtins" in path:
            continue
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    raise RuntimeError("there is no NVRTC beside PyTorch: pip install nvidia-cuda-nvrtc")


def _headers() -> list[str]:
    return [folder for root in _folders() for folder in glob.glob(f"{root}/nvidia/*/include") if os.path.exists(f"{folder}/cuda_fp16.h")]


def _compiled(text: str, capability: tuple[int, int]) -> bytes:
    """The text as an image for a GPU of this capability."""
    nvrtc = _nvrtc()
    program = ctypes.c_void_p()
    options = [f"--gpu-architecture=sm_{capability[0]}{capability[1]}", "--std=c++17"]
    if "#include <cuda_" in text:
        options += [f"--include-path={folder}" for folder in _headers()[:1]]
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"program.cu", 0, None, None) != 0:
        raise RuntimeError("NVRTC cannot begin")
    words = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), words)
    if status != 0:
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value + 1)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise RuntimeError(f"NVRTC refuses the program: {log.value.decode(errors='replace')[:1500]}")
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return image.raw


class _Ready:
    """Launches with their arguments in memory that stays: what changes from call to call are the pointers in `values`. One for
    each thread, because the driver reads them while it launches."""

    def __init__(self, launches: dict[str, Any], functions: dict[str, Any]) -> None:
        names: list[str] = []
        for kernel in launches["kernels"]:
            names += kernel["buffers"]
        fills = [fill["kernel"].removeprefix("fill_") for fill in launches["fills"]]
        self.index = {name: at for at, name in enumerate(dict.fromkeys([*names, *fills]))}
        self.values = (ctypes.c_void_p * max(len(self.index), 1))()
        self.turns: dict[str, Any] = {}
        self.fills = [
            (functions[fill["kernel"]], fill["blocks"], 1, 1, fill["threads"], 1, 1, 0, self._arguments([name], []))
            for name, fill in zip(fills, launches["fills"])
        ]
        self.kernels = {
            kernel["name"]: (functions[kernel["name"]], *kernel["grid"], *kernel["block"], kernel["dynamic_shared_bytes"],
                             self._arguments(kernel["buffers"], kernel["host_loops"]))
            for kernel in launches["kernels"]
        }  # fmt: skip

    def _arguments(self, names: list[str], loops: list[str]) -> Any:
        first = ctypes.addressof(self.values)
        places = [first + ctypes.sizeof(ctypes.c_void_p) * self.index[name] for name in names]
        places += [ctypes.addressof(self.turns.setdefault(loop, ctypes.c_int())) for loop in loops]
        return (ctypes.c_void_p * max(len(places), 1))(*places)


class CudaRunner:
    """The kernels of one program. `launches` is its launch list, `variables` the names of its inputs and outputs."""

    def __init__(self, text: str, launches: dict[str, Any]) -> None:
        self.text, self.launches = text, launches
        self.workspace_bytes: int = launches["workspace_bytes"]
        self.offsets = {entry["name"]: entry["offset"] for entry in launches["workspace"]}
        self._functions: dict[Any, dict[str, Any]] = {}
        self._driver: Any = None
        self._own = threading.local()
        self._lock = threading.Lock()

    def _check(self, result: int, what: str) -> None:
        if result != 0:
            raise RuntimeError(f"{what}: the CUDA driver answers {result}")

    def _load(self, device: Any) -> dict[str, Any]:
        driver = ctypes.CDLL(os.environ.get("STEPTP_CUDA_DRIVER", "libcuda.so.1"))
        driver.cuLaunchKernel.argtypes = [ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3]
        capability = torch.cuda.get_device_capability(device) if torch.cuda.is_available() else (9, 0)
        image = _compiled(self.text, capability)
        module = ctypes.c_void_p()
        self._check(driver.cuModuleLoadData(ctypes.byref(module), image), "the program cannot be loaded")
        functions = {}
        shared = {kernel["name"]: kernel["dynamic_shared_bytes"] for kernel in self.launches["kernels"]}
        for name in (*shared, *(fill["kernel"] for fill in self.launches["fills"])):
            function = ctypes.c_void_p()
            self._check(driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), name)
            wanted = shared.get(name, 0)
            if wanted > 0:
                self._check(driver.cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED, wanted), f"{name}: {wanted} bytes of shared memory")
            functions[name] = function
        self._driver = driver
        return functions

    def _ready(self, device: Any) -> _Ready:
        kept = self._own.__dict__
        if device not in kept:
            with self._lock:
                if device not in self._functions:
                    self._functions[device] = self._load(device)
            kept[device] = _Ready(self.launches, self._functions[device])
        return kept[device]

    def run(self, pointers: dict[str, int], device: Any, stream: int) -> None:
        """All launches in order, on memory that the caller holds; `pointers` also has the workspace by its names."""
        ready = self._ready(device)
        for name, at in ready.index.items():
            ready.values[at] = pointers[name]
        for launch in ready.fills:
            self._launch(launch, stream)
        self._steps(self.launches["steps"], ready, stream)

    def _steps(self, steps: Any, ready: _Ready, stream: int) -> None:
        for step in steps:
            if "loop" in step:
                turn = ready.turns.setdefault(step["loop"], ctypes.c_int())
                for number in range(step["extent"]):
                    turn.value = number
                    self._steps(step["body"], ready, stream)
            else:
                self._launch(ready.kernels[step["launch"]], stream)

    def _launch(self, launch: Any, stream: int) -> None:
        *what, arguments = launch
        self._check(self._driver.cuLaunchKernel(*what, stream, arguments, None), "a kernel cannot be launched")


def program_for(programs: dict[str, Program], module: Any, inputs: list[Any]) -> Program:
    """The one for the precision of the inputs, or of the parameters where no input is a float. Where there is none, the first
    says what it was made for."""
    for value in (*inputs, *module.parameters()):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return programs.get(str(value.dtype).removeprefix("torch."), next(iter(programs.values())))
    return next(iter(programs.values()))


class Program:
    """A program with what its tensors are in a module: inputs by their number, parameters by their path."""

    def __init__(self, about: dict[str, Any]) -> None:
        self.about = about
        self.runner = CudaRunner(about["text"], about["launches"])
        self.constants: dict[Any, dict[str, Any]] = {}
        #: Name, dtype, shape, what it is, and where in the module or among the inputs.
        self.variables = [(name, getattr(torch, dtype), torch.Size(shape), kind, where) for name, dtype, shape, kind, where in about["variables"]]

    def __call__(self, module: Any, inputs: list[Any]) -> Any:
        device = inputs[0].device if inputs else next(module.parameters()).device
        if device.type != "cuda" and os.environ.get("STEPTP_CUDA_DRIVER") is None:
            raise RuntimeError(f"these kernels run on CUDA, and the input is on {device}")
        held = []
        pointers: dict[str, int] = {}
        outputs: dict[str, torch.Tensor] = {}
        for name, dtype, shape, kind, where in self.variables:
            if kind == "output":
                tensor = outputs[name] = torch.empty(shape, dtype=dtype, device=device)
            elif kind == "constant":
                tensor = self._constant(name, dtype, shape, where, device)
            else:
                tensor = inputs[where] if kind == "input" else _tensor_at(module, where)
                if tensor.shape != shape or tensor.dtype != dtype or tensor.device != device:
                    raise RuntimeError(f"{name} is {dtype} {list(shape)} on {device} in these kernels, and is given {tensor.dtype} {list(tensor.shape)} on {tensor.device}")
                if not tensor.is_contiguous() or tensor.is_neg() or tensor.data_ptr() % 16:
                    tensor = tensor.detach().resolve_neg().clone(memory_format=torch.contiguous_format)
            held.append(tensor)  # alive until the kernels are launched
            pointers[name] = tensor.data_ptr()
        workspace = torch.empty(max(self.runner.workspace_bytes, 16), dtype=torch.uint8, device=device)
        first = workspace.data_ptr()
        for name, offset in self.runner.offsets.items():
            pointers[name] = first + offset
        stream = torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0
        self.runner.run(pointers, device, stream)
        for name, path in self.about["writes"]:
            _tensor_at(module, path).copy_(outputs[name])
        results = [outputs[name] for name in self.about["outputs"]]
        return results[0] if self.about["single"] else tuple(results)

    def _constant(self, name: str, dtype: Any, shape: Any, values: list[Any], device: Any) -> Any:
        kept = self.constants.setdefault(device, {})
        if name not in kept:
            numbers = [float(value) if isinstance(value, str) else value for value in values]
            kept[name] = torch.tensor(numbers, dtype=dtype).reshape(shape).to(device)
        return kept[name]


def _tensor_at(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module
