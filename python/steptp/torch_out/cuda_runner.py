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


class CudaRunner:
    """The kernels of one program. `launches` is its launch list, `variables` the names of its inputs and outputs."""

    def __init__(self, text: str, launches: dict[str, Any]) -> None:
        self.text, self.launches = text, launches
        self.workspace_bytes: int = launches["workspace_bytes"]
        self.offsets = {entry["name"]: entry["offset"] for entry in launches["workspace"]}
        self.kernels = {entry["name"]: entry for entry in launches["kernels"]}
        self._functions: dict[Any, dict[str, Any]] = {}
        self._driver = None

    def _check(self, result: int, what: str) -> None:
        if result != 0:
            raise RuntimeError(f"{what}: the CUDA driver answers {result}")

    def _load(self, device: Any) -> dict[str, Any]:
        self._driver = ctypes.CDLL(os.environ.get("STEPTP_CUDA_DRIVER", "libcuda.so.1"))
        capability = torch.cuda.get_device_capability(device) if torch.cuda.is_available() else (9, 0)
        image = _compiled(self.text, capability)
        module = ctypes.c_void_p()
        self._check(self._driver.cuModuleLoadData(ctypes.byref(module), image), "the program cannot be loaded")
        functions = {}
        for name in (*self.kernels, *(fill["kernel"] for fill in self.launches["fills"])):
            function = ctypes.c_void_p()
            self._check(self._driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()), name)
            shared = self.kernels.get(name, {}).get("dynamic_shared_bytes", 0)
            if shared > 0:
                self._check(self._driver.cuFuncSetAttribute(function, _MAX_DYNAMIC_SHARED, shared), f"{name}: {shared} bytes of shared memory")
            functions[name] = function
        return functions

    def run(self, pointers: dict[str, int], device: Any, stream: int) -> None:
        """All launches in order, on memory that the caller holds; `pointers` also has the workspace by its names."""
        functions = self._functions.get(device)
        if functions is None:
            functions = self._functions[device] = self._load(device)
        for fill in self.launches["fills"]:
            values = [ctypes.c_void_p(pointers[fill["kernel"].removeprefix("fill_")])]
            self._launch(functions[fill["kernel"]], (fill["blocks"], 1, 1), (fill["threads"], 1, 1), 0, stream, values)
        self._steps(self.launches["steps"], functions, pointers, stream, {})

    def _steps(self, steps: Any, functions: Any, pointers: dict[str, int], stream: int, loops: dict[str, int]) -> None:
        for step in steps:
            if "loop" in step:
                for turn in range(step["extent"]):
                    self._steps(step["body"], functions, pointers, stream, {**loops, step["loop"]: turn})
                continue
            kernel = self.kernels[step["launch"]]
            values: list[Any] = [ctypes.c_void_p(pointers[name]) for name in kernel["buffers"]]
            values += [ctypes.c_int(loops[name]) for name in kernel["host_loops"]]
            self._launch(functions[step["launch"]], kernel["grid"], kernel["block"], kernel["dynamic_shared_bytes"], stream, values)

    def _launch(self, function: Any, grid: Any, block: Any, shared: int, stream: int, values: list[Any]) -> None:
        parameters = (ctypes.c_void_p * len(values))(*(ctypes.cast(ctypes.pointer(value), ctypes.c_void_p) for value in values))
        assert self._driver is not None
        result = self._driver.cuLaunchKernel(function, *grid, *block, shared, ctypes.c_void_p(stream), parameters, None)
        self._check(result, "a kernel cannot be launched")


class Program:
    """A program with what its tensors are in a module: inputs by their number, parameters by their path."""

    def __init__(self, about: dict[str, Any]) -> None:
        self.about = about
        self.runner = CudaRunner(about["text"], about["launches"])
        self.constants: dict[Any, dict[str, Any]] = {}

    def __call__(self, module: Any, inputs: list[Any]) -> Any:
        device = inputs[0].device if inputs else next(module.parameters()).device
        own = os.environ.get("STEPTP_CUDA_DRIVER") is not None
        if device.type != "cuda" and not own:
            raise RuntimeError(f"these kernels run on CUDA, and the input is on {device}")
        held = []
        pointers: dict[str, int] = {}
        for name, dtype, shape, kind, where in self.about["variables"]:
            if kind == "output":
                tensor = torch.empty(shape, dtype=getattr(torch, dtype), device=device)
            elif kind == "constant":
                tensor = self._constant(name, dtype, shape, where, device)
            else:
                tensor = inputs[where] if kind == "input" else _tensor_at(module, where)
                if list(tensor.shape) != shape or str(tensor.dtype) != f"torch.{dtype}" or tensor.device != device:
                    raise RuntimeError(f"{name} is {dtype} {shape} on {device} in these kernels, and is given {tensor.dtype} {list(tensor.shape)} on {tensor.device}")
                tensor = tensor.detach().contiguous()
                tensor = tensor if tensor.data_ptr() % 16 == 0 else tensor.clone()
            held.append(tensor)
            pointers[name] = tensor.data_ptr()
        workspace = torch.empty(max(self.runner.workspace_bytes, 16), dtype=torch.uint8, device=device)
        for name, offset in self.runner.offsets.items():
            pointers[name] = workspace.data_ptr() + offset
        stream = torch.cuda.current_stream(device).cuda_stream if device.type == "cuda" else 0
        self.runner.run(pointers, device, stream)
        outputs = {entry[0]: tensor for entry, tensor in zip(self.about["variables"], held) if entry[3] == "output"}
        for name, path in self.about["writes"]:
            _tensor_at(module, path).copy_(outputs[name])
        results = [outputs[name] for name in self.about["outputs"]]
        return results[0] if self.about["single"] else tuple(results)

    def _constant(self, name: str, dtype: str, shape: list[int], values: list[Any], device: Any) -> Any:
        kept = self.constants.setdefault(device, {})
        if name not in kept:
            numbers = [float(value) if isinstance(value, str) else value for value in values]
            kept[name] = torch.tensor(numbers, dtype=getattr(torch, dtype)).reshape(shape).to(device)
        return kept[name]


def _tensor_at(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module
