#include "steptp/execution/kernel_set.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <mutex>

#include "python/src/bindings.h"
#include "steptp/cuda/lower.h"
#include "steptp/cuda/nan_stays.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// The GPU of that number, opened once. Never closed: a process may end after its driver has.
std::shared_ptr<CudaDevice> gpu(int ordinal) {
  static std::mutex mutex;
  static auto* const devices = new std::map<int, std::shared_ptr<CudaDevice>>;
  const std::lock_guard lock(mutex);
  std::shared_ptr<CudaDevice>& device = (*devices)[ordinal];
  if (!device) {
    auto opened = CudaDevice::open(ordinal);
    if (!opened) throw_one(opened.error(), "cuda");
    device = std::move(opened).value();
  }
  return device;
}

/// `gpu_number` -1: the CPU.
std::unique_ptr<KernelSet> compile_kernels(const Program& program, int gpu_number, const std::string& arithmetic) {
  // As PyTorch: what is lost in a network shows in its results.
  const FloatRules how(value_of<Arithmetic>("arithmetic", arithmetic), true);
  const nb::gil_scoped_release release;
  const ObjectCache cache(ObjectCache::default_folder());
  auto made =
      gpu_number < 0 ? compile_for_cpu(program, cache, how) : compile_for_gpu(program, gpu(gpu_number), cache, how);
  if (!made) throw_one(made.error(), program.name);
  return std::move(made).value();
}

void call_kernels(KernelSet& kernels, const std::vector<std::uintptr_t>& tensors, std::uintptr_t workspace,
                  std::uintptr_t stream, unsigned threads) {
  if (tensors.size() != kernels.program().signature.variables.size()) {
    throw nb::value_error("another number of tensors than the program has variables");
  }
  std::vector<void*> pointers;
  pointers.reserve(tensors.size());
  for (const std::uintptr_t tensor : tensors) {
    if (tensor % kKernelAlignment != 0) throw nb::value_error("the memory of a tensor is not aligned to 16 bytes");
    pointers.push_back(reinterpret_cast<void*>(tensor));
  }
  std::optional<ExecutionFailure> failure;
  {
    const nb::gil_scoped_release release;
    failure = kernels.call(
        {pointers, reinterpret_cast<void*>(workspace), reinterpret_cast<void*>(stream), std::max(threads, 1U)});
  }
  if (!failure) return;
  if (failure->trap && failure->trap->kind == TrapKind::out_of_range) {
    throw nb::index_error(failure->diagnostic.message.c_str());
  }
  throw_one(std::move(failure->diagnostic), kernels.program().name);
}

/// CUDA text with its launch list as JSON, for files that run without this package.
nb::tuple cuda_text(const Program& program) {
  auto lowered = cuda::lower(program);
  if (!lowered) throw_one(lowered.error(), program.name);
  return nb::make_tuple(text_object(cuda::with_nan_kept(lowered->text)), text_object(lowered->launches.dump()));
}

}  // namespace

void bind_kernel_set(nb::module_& module) {
  // PyTorch keeps compiled graphs, and with them kernels, until the process is gone: that is no leak.
  nb::set_leak_warnings(false);
  nb::class_<KernelSet>(module, "KernelSet")
      .def("call", &call_kernels, nb::arg("tensors"), nb::arg("workspace"), nb::arg("stream"), nb::arg("threads"))
      .def_prop_ro("program", &KernelSet::program, nb::rv_policy::reference_internal)
      .def_prop_ro("workspace_bytes", &KernelSet::workspace_bytes)
      .def_prop_ro("kernels", &KernelSet::kernels)
      .def_prop_ro("from_cache", [](const KernelSet& kernels) { return kernels.times().from_cache; })
      .def_prop_ro("compile_milliseconds", [](const KernelSet& kernels) { return kernels.times().sum(); });
  module.def("cuda_text", &cuda_text, nb::arg("program"));
  module.def("compile_kernels", &compile_kernels, nb::arg("program"), nb::arg("gpu"), nb::arg("arithmetic"));
}

}  // namespace steptp::python
