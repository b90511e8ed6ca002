#include "steptp/documents/run_compiled.h"

#include "steptp/base/text.h"

namespace steptp {

namespace {

using Kind = CompiledFailure::Kind;

CompiledFailure failure(const Document& document, Kind kind, Diagnostic diagnostic) {
  CompiledFailure out;
  out.kind = kind;
  out.diagnostics = {std::move(diagnostic)};
  place(document, out.diagnostics);
  return out;
}

CompiledFailure failure(const Document& document, const Trap& trap) {
  CompiledFailure out = failure(document, Kind::trap, make_error(name_of(trap.kind), trap.message));
  out.trap = trap.kind;
  return out;
}

/// The element, where the outputs have it.
std::optional<Scalar> element_of(const Tensors& outputs, const Element& element) {
  const auto at = outputs.find(element.tensor);
  if (at == outputs.end() || at->second.shape.size() != element.subscripts.size()) return std::nullopt;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < element.subscripts.size(); ++i) {
    if (element.subscripts[i] < 0 || element.subscripts[i] >= at->second.shape[i]) return std::nullopt;
    offset = offset * at->second.shape[i] + element.subscripts[i];
  }
  return load(at->second.dtype, at->second.data.data() + offset * info(at->second.dtype).bytes);
}

}  // namespace

CompiledFailure compiled_failure(const Document& document, const ExecutionFailure& found) {
  if (found.trap) return failure(document, *found.trap);
  const std::string& id = found.diagnostic.id;
  const bool refused = id == "cannot-lower" || id == "device-limit" || id == "root-mismatch";
  const Kind kind = refused ? Kind::refused : id == "worker-timed-out" ? Kind::too_long : Kind::machine;
  return failure(document, kind, found.diagnostic);
}

Result<RunResult, CompiledFailure> run_compiled(const Document& document, RunRequest request, CandidatePool& pool) {
  if (auto unfit = find_unlowerable(document)) {
    const bool undecided = unfit->kind == LowerFailure::Kind::undecided;
    return CompiledFailure{undecided ? Kind::undecided : Kind::errors, {}, std::move(unfit->diagnostics)};
  }
  const auto inputs = inputs_of(document.program, request);
  if (!inputs) return failure(document, inputs.error());
  auto ran = pool.run(document.program, *inputs);
  if (!ran) return compiled_failure(document, ran.error());
  Tensors& outputs = ran->outputs;
  RunResult result;
  for (const Element& element : request.elements) {
    const auto value = element_of(outputs, element);
    if (!value) {
      return failure(document, Trap{TrapKind::out_of_range,
                                    concat("the chosen element of ", element.tensor, " is not in its shape"),
                                    {},
                                    {},
                                    {},
                                    {}});
    }
    result.elements.push_back(*value);
  }
  if (!request.elements.empty()) return result;
  for (const auto& [name, tensor] : outputs) result.statistics.emplace(name, statistics_of(tensor));
  result.outputs = std::move(outputs);
  return result;
}

}  // namespace steptp
