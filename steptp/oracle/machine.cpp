#include "steptp/oracle/machine.h"

#include <new>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/oracle/code.h"
#include "steptp/oracle/executor.h"
#include "steptp/oracle/inputs.h"
#include "steptp/oracle/layout.h"
#include "steptp/oracle/storage.h"

namespace steptp {

namespace {

using oracle::Code;
using oracle::TensorCode;

Trap trap_of(TrapKind kind, std::string message, std::string tensor = {}) {
  Trap trap;
  trap.kind = kind;
  trap.message = std::move(message);
  trap.tensor = std::move(tensor);
  return trap;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return concat('[', join(shape, ",", [](std::int64_t extent) { return std::to_string(extent); }), ']');
}

std::string number_text(double value) {
  if (value < 0x1p63) return std::to_string(static_cast<std::uint64_t>(value));
  return "more than 2^63";
}

/// Beyond the limits: said before any work is done or memory taken.
std::optional<Trap> refusal(const Code& code, const RunOptions& options, bool whole) {
  if (code.work.operations > static_cast<double>(options.budget)) {
    return trap_of(TrapKind::budget, concat("the run takes up to ", number_text(code.work.operations),
                                            " operations; allowed are ", options.budget));
  }
  const double bytes = bytes_of(code, whole);
  if (bytes > static_cast<double>(options.memory)) {
    return trap_of(TrapKind::memory,
                   concat("the tensors take ", number_text(bytes), " bytes; allowed are ", options.memory));
  }
  return std::nullopt;
}

/// Everything a run keeps. Inputs are views of what the caller gave, constants of what was made from the signature.
struct Memory {
  std::vector<Storage> storages;
  std::vector<Storage> copies;
  Tensors constants;

  std::optional<Trap> take(const Code& code, const Tensors& inputs, bool whole) {
    for (const TensorCode& tensor : code.tensors) {
      copies.emplace_back();
      if (tensor.known && tensor.known->role != Role::output) {
        if (auto trap = view(*tensor.known, inputs)) return trap;
        continue;
      }
      storages.push_back(make(tensor, own_axes(tensor), whole));
      if (tensor.demoted) copies.back() = make(tensor, oracle::hidden_axes(tensor.scope), whole);
    }
    return std::nullopt;
  }

 private:
  static Storage make(const TensorCode& tensor, std::size_t hidden, bool whole) {
    oracle::Layout layout = layout_of(tensor, hidden, whole);
    return layout.dense ? Storage::dense(tensor.dtype, std::move(layout.extents))
                        : Storage::sparse(tensor.dtype, std::move(layout.extents));
  }

  std::optional<Trap> view(const Variable& variable, const Tensors& inputs) {
    auto at = inputs.find(variable.name);
    if (at == inputs.end()) {
      if (variable.values.empty()) {
        return trap_of(TrapKind::input_missing,
                       concat("there is no data for the ", name_of(variable.role), ' ', variable.name), variable.name);
      }
      auto made = constant_tensor(variable);
      if (!made) return std::move(made).error();
      at = constants.emplace(variable.name, std::move(made).value()).first;
    }
    const Tensor& tensor = at->second;
    if (tensor.dtype != variable.dtype || tensor.shape != variable.shape || !is_consistent(tensor)) {
      return trap_of(TrapKind::input_mismatch,
                     concat(variable.name, " is ", code(tensor.dtype), shape_text(tensor.shape),
                            "; the signature says ", code(variable.dtype), shape_text(variable.shape)),
                     variable.name);
    }
    storages.push_back(Storage::view(tensor.dtype, tensor.shape, tensor.data.data()));
    return std::nullopt;
  }
};

Trap not_written(const std::string& tensor, std::vector<std::int64_t> subscripts) {
  Trap trap = trap_of(TrapKind::not_written, concat(tensor, shape_text(subscripts), " is never written"), tensor);
  trap.subscripts = std::move(subscripts);
  return trap;
}

std::vector<std::int64_t> subscripts_of(std::size_t element, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> subscripts(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    subscripts[i] = static_cast<std::int64_t>(element % static_cast<std::size_t>(shape[i]));
    element /= static_cast<std::size_t>(shape[i]);
  }
  return subscripts;
}

std::optional<Trap> collect_outputs(const Code& code, Memory& memory, RunResult& result) {
  for (std::size_t number = 0; number < code.tensors.size(); ++number) {
    const TensorCode& tensor = code.tensors[number];
    if (!tensor.known || tensor.known->role != Role::output) continue;
    Storage& storage = memory.storages[number];
    for (std::size_t i = 0; i < storage.element_count(); ++i) {
      if (storage.written(static_cast<std::int64_t>(i)) == 0) {
        return not_written(tensor.name, subscripts_of(i, tensor.known->shape));
      }
    }
    Tensor output{tensor.dtype, tensor.known->shape, storage.take_bytes()};
    result.statistics.emplace(tensor.name, statistics_of(output));
    result.outputs.emplace(tensor.name, std::move(output));
  }
  return std::nullopt;
}

std::optional<Trap> collect_elements(const Code& code, const Memory& memory, const std::vector<Element>& elements,
                                     RunResult& result) {
  for (const Element& element : elements) {
    for (std::size_t number = 0; number < code.tensors.size(); ++number) {
      if (code.tensors[number].name != element.tensor) continue;
      const Storage& storage = memory.storages[number];
      const std::int64_t at = storage.find(element.subscripts);
      if (at == Storage::kNone || storage.written(at) == 0) return not_written(element.tensor, element.subscripts);
      result.elements.push_back(storage.read(at));
    }
  }
  return std::nullopt;
}

}  // namespace

namespace {

struct TrapInfo {
  std::string_view name;
  TrapFamily family;
};

constexpr TrapInfo info(TrapKind kind) {
  switch (kind) {
    case TrapKind::invalid: return {"invalid", TrapFamily::program};
    case TrapKind::scope_axes: return {"scope-axes", TrapFamily::program};
    case TrapKind::scope_ambiguous: return {"scope-ambiguous", TrapFamily::program};
    case TrapKind::out_of_range: return {"out-of-range", TrapFamily::program};
    case TrapKind::undefined_read: return {"undefined-read", TrapFamily::program};
    case TrapKind::integer_division_by_zero: return {"division-by-zero", TrapFamily::program};
    case TrapKind::not_written: return {"not-written", TrapFamily::program};
    case TrapKind::input_missing: return {"input-missing", TrapFamily::input};
    case TrapKind::input_mismatch: return {"input-mismatch", TrapFamily::input};
    case TrapKind::budget: return {"budget", TrapFamily::limit};
    case TrapKind::memory: return {"memory", TrapFamily::limit};
    case TrapKind::cancelled: return {"cancelled", TrapFamily::cancelled};
  }
  return {"invalid", TrapFamily::program};
}

}  // namespace

std::string_view name_of(TrapKind kind) { return info(kind).name; }
TrapFamily family_of(TrapKind kind) { return info(kind).family; }

std::optional<WorkEstimate> estimate_work(const Program& program, const std::vector<Element>& elements) {
  const auto code = oracle::resolve_program(program, elements);
  if (!code) return std::nullopt;
  WorkEstimate work = code->work;
  work.bytes = bytes_of(*code, elements.empty());
  return work;
}

Result<RunResult, Trap> run(const Program& program, const Tensors& inputs, const RunOptions& options) {
  const auto resolved = oracle::resolve_program(program, options.elements);
  if (!resolved) return resolved.error();
  const Code& code = *resolved;
  const bool whole = options.elements.empty();
  if (auto trap = refusal(code, options, whole)) return std::move(*trap);

  Memory memory;
  // The limit may be more than the machine has; that is an answer like any other.
  try {
    if (auto trap = memory.take(code, inputs, whole)) return std::move(*trap);
  } catch (const std::bad_alloc&) {
    return trap_of(TrapKind::memory, concat("the machine has less than the ", number_text(bytes_of(code, whole)),
                                            " bytes the tensors take"));
  }
  oracle::Executor executor(code, options, memory.storages, memory.copies);
  if (auto trap = executor.run()) return std::move(*trap);

  RunResult result;
  result.executions = executor.executions();
  result.operations = static_cast<std::uint64_t>(executor.operations());
  auto trap = whole ? collect_outputs(code, memory, result) : collect_elements(code, memory, options.elements, result);
  if (trap) return std::move(*trap);
  return result;
}

}  // namespace steptp
