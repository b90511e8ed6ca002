#include "steptp/documents/run_document.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "steptp/analysis/shapes.h"
#include "steptp/analysis/value_facts.h"
#include "steptp/base/text.h"
#include "steptp/structure/structure.h"

namespace steptp {

namespace {

/// Where index tensors without a domain have to lie: what `check` would state as an assumption.
IndexRanges assumed_ranges(const Program& program) {
  IndexRanges ranges;
  if (has_errors(check_structure(program))) return ranges;
  const AccessTable table = collect_accesses(program);
  for (const UseAsIndex& use : uses_as_index(table, infer_shapes(table), derive_value_facts(table))) {
    const std::pair range(static_cast<std::int64_t>(use.range.low), static_cast<std::int64_t>(use.range.high + 1));
    const auto [at, is_new] = ranges.emplace(use.variable, range);
    if (!is_new) at->second = {std::max(at->second.first, range.first), std::min(at->second.second, range.second)};
  }
  // What indexes two tensors that no value fits is left to fail in the run.
  std::erase_if(ranges, [](const auto& item) { return item.second.first >= item.second.second; });
  return ranges;
}

RunFailure failure(const Document& document, Trap trap) {
  Diagnostic diagnostic = make_error(name_of(trap.kind), trap.message);
  if (trap.site) diagnostic.site = to_text(*trap.site);
  Diagnostics placed = {std::move(diagnostic)};
  place(document, placed);
  return {std::move(trap), std::move(placed[0])};
}

/// What is wrong with the inputs; the ones whose dtype can be had exactly get it.
std::optional<Trap> fit_inputs(const Program& program, Tensors& inputs) {
  for (const Variable& variable : program.signature.variables) {
    const auto given = inputs.find(variable.name);
    if (given == inputs.end() || given->second.dtype == variable.dtype || variable.role == Role::output) continue;
    auto fitted = as_dtype(std::move(given->second), variable.dtype);
    if (!fitted) {
      Trap trap;
      trap.kind = TrapKind::input_mismatch;
      trap.message = concat("the input ", variable.name, ": ", fitted.error().message);
      trap.tensor = variable.name;
      return trap;
    }
    given->second = *std::move(fitted);
  }
  return std::nullopt;
}

Json number_json(const Scalar& value) {
  if (is_float(value.dtype())) return value.as_real();
  if (value.dtype() == DType::boolean) return value.is_true();
  return value.as_integer();
}

}  // namespace

Result<Tensors, Trap> seeded_inputs(const Program& program, std::uint64_t seed) {
  return make_inputs(program.signature, seed, assumed_ranges(program));
}

Result<Tensors, Trap> inputs_of(const Program& program, RunRequest& request) {
  if (!request.inputs) return seeded_inputs(program, request.seed);
  Tensors inputs = *std::move(request.inputs);
  if (auto trap = fit_inputs(program, inputs)) return *std::move(trap);
  return inputs;
}

std::optional<std::string> unknown_element(const Program& program, const std::vector<Element>& elements) {
  const auto text = [](const std::vector<std::int64_t>& numbers) {
    return join(numbers, ",", [](std::int64_t number) { return std::to_string(number); });
  };
  for (const Element& element : elements) {
    const Variable* output = program.signature.find(element.tensor);
    if (!output || output->role != Role::output) return concat(element.tensor, " is no output");
    const std::vector<std::int64_t>& shape = output->shape;
    if (element.subscripts.size() != shape.size()) {
      return concat(element.tensor, " is [", text(shape), "]; ", element.subscripts.size(),
                    element.subscripts.size() == 1 ? " index is" : " indices are", " given");
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (element.subscripts[d] >= 0 && element.subscripts[d] < shape[d]) continue;
      return concat(element.tensor, " is [", text(shape), "]; index ", d, " is ", element.subscripts[d]);
    }
  }
  return std::nullopt;
}

Result<RunResult, RunFailure> run_document(const Document& document, RunRequest request) {
  if (!document.has_signature) {
    return failure(document, Trap{TrapKind::invalid,
                                  "the program has no signature, so nothing says what is given and what is wanted",
                                  {},
                                  {},
                                  {},
                                  {}});
  }
  RunOptions options;
  options.budget = request.budget;
  options.elements = request.elements;
  options.progress = request.progress;
  // Refuse before any input is made: inputs of a huge program are huge too.
  if (const auto work = estimate_work(document.program, request.elements)) {
    if (work->operations > static_cast<double>(request.budget)) {
      auto refused = run(document.program, {}, options);
      if (!refused) return failure(document, refused.error());
    }
  }
  const auto inputs = inputs_of(document.program, request);
  if (!inputs) return failure(document, inputs.error());
  auto result = run(document.program, *inputs, options);
  if (!result) return failure(document, result.error());
  return *std::move(result);
}

std::optional<Element> parse_element(std::string_view text) {
  Element element;
  const std::size_t open = text.find('[');
  element.tensor = text.substr(0, open);
  if (element.tensor.empty()) return std::nullopt;
  if (open == std::string_view::npos) return element;
  if (text.back() != ']') return std::nullopt;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    std::int64_t value = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (parsed.ec != std::errc()) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(parsed.ptr - rest.data()));
    element.subscripts.push_back(value);
    if (rest.empty()) break;
    if (rest.front() != ',' || rest.size() == 1) return std::nullopt;
    rest.remove_prefix(1);
  }
  return element;
}

Json to_json(const RunResult& result, const std::vector<Element>& elements) {
  Json out;
  Json::Array outputs;
  for (const auto& [name, statistics] : result.statistics) {
    const Tensor& tensor = result.outputs.at(name);
    char checksum[24];
    std::snprintf(checksum, sizeof checksum, "%016llx", static_cast<unsigned long long>(statistics.checksum));
    Json entry;
    Json::Array shape;
    for (const std::int64_t dimension : tensor.shape) shape.emplace_back(dimension);
    entry.set("name", name).set("dtype", info(tensor.dtype).torch_name).set("shape", std::move(shape));
    entry.set("checksum", checksum).set("count", statistics.count).set("nan", statistics.nans);
    entry.set("inf", statistics.infinities).set("min", statistics.least).set("max", statistics.greatest);
    entry.set("mean", statistics.mean);
    outputs.push_back(std::move(entry));
  }
  if (elements.empty()) out.set("outputs", std::move(outputs));
  Json::Array chosen;
  for (std::size_t i = 0; i < result.elements.size(); ++i) {
    Json::Array subscripts;
    for (const std::int64_t subscript : elements[i].subscripts) subscripts.emplace_back(subscript);
    Json entry;
    entry.set("name", elements[i].tensor)
        .set("index", std::move(subscripts))
        .set("value", number_json(result.elements[i]));
    chosen.push_back(std::move(entry));
  }
  if (!elements.empty()) out.set("elements", std::move(chosen));
  return out.set("operations", result.operations);
}

}  // namespace steptp
