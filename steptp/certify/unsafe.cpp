// Runs an input again at which `after` was found unsafe: the values that are written down, one element of an output,
// and the same bounds as in the search (arithmetic/bound_arithmetic.h), but nothing of the search itself.
#include "steptp/certify/unsafe.h"

#include <cmath>
#include <limits>

#include "steptp/base/text.h"
#include "steptp/certify/safety_run.h"
#include "steptp/machine/big_stack.h"

namespace steptp::certify {

namespace {

double value_of(const GivenValue& value) {
  return value.is_integer ? static_cast<double>(value.integer) : to_double(value.real);
}

/// An element that is hidden by a mask, or a number of the type, the domain and the range.
bool is_legal(const InputFacts& facts, double value, const SafeRange& range) {
  if (value == -std::numeric_limits<double>::infinity()) return facts.domain.kind == Domain::Kind::masked;
  return std::isfinite(value) && legal_value(facts, value, range) == value;
}

/// The inputs as the search has them; what nothing is said of is one everywhere. Empty with a reason where a value is
/// none that a good input can have.
std::optional<Candidate> candidate_of(const UnsafeExample& example, const InputModel& model, std::string& reason) {
  Candidate out;
  out.inputs.resize(model.inputs.size());
  for (InputChoice& choice : out.inputs) choice.closeness = kExactlyOne;
  const auto check = [&](std::size_t input, double value) {
    if (is_legal(model.inputs[input], value, example.range)) return true;
    reason = concat("a value of ", model.inputs[input].variable->name, " that no good input has");
    return false;
  };
  for (const auto& [name, value] : example.given.fill) {
    const auto input = model.numbers.find(name);
    if (input == model.numbers.end() || !check(input->second, value_of(value))) return std::nullopt;
    out.inputs[input->second].value = value_of(value);
  }
  for (const auto& [element, value] : example.given.elements) {
    const auto input = model.numbers.find(element.first);
    if (input == model.numbers.end() || !check(input->second, value_of(value))) return std::nullopt;
    const std::vector<std::int64_t>& shape = model.inputs[input->second].variable->shape;
    std::int64_t position = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) position = position * shape[d] + element.second[d];
    out.elements[{input->second, position}] = value_of(value);
  }
  return out;
}

bool is_element(const Signature& signature, const UnsafeExample& example) {
  const Variable* variable = signature.find(example.output);
  if (!variable || variable->role != Role::output || variable->shape.size() != example.index.size()) return false;
  for (std::size_t d = 0; d < example.index.size(); ++d) {
    if (example.index[d] < 0 || example.index[d] >= variable->shape[d]) return false;
  }
  return true;
}

UnsafeRun run_here(const Program& before, const Program& after, const UnsafeExample& example) {
  constexpr std::uint64_t kOperations = 400'000'000;
  UnsafeRun out;
  if (!is_element(before.signature, example)) {
    out.reason = concat(example.output, " has no such element");
    return out;
  }
  const InputModel model = model_inputs(before, after);
  Code codes[2] = {compile(before), compile(after)};
  for (Code& code : codes) {
    // One value has one error, however often it is read.
    for (StatementCode& statement : code.statements) statement.is_cheap = false;
  }
  const auto candidate = candidate_of(example, model, out.reason);
  if (!candidate) return out;
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  Budget budget{kOperations, kBytes, nullptr};
  SafetyRun run(codes[0], codes[1], model, before.signature, example.range, budget);
  run.points = {{example.output, example.index}};
  const SafetyMeasure measure = run.measure(*candidate, {0}, false);
  if (!measure.is_finished) {
    out.reason = concat("not finished: ", measure.unfinished_because);
    return out;
  }
  out.is_good = measure.is_good();
  if (!out.is_good) out.reason = "before itself overflows, has no value or is undecided there";
  if (measure.has_event() || measure.loss > 0) out.what = measure.fault();
  return out;
}

}  // namespace

UnsafeRun run_unsafe(const Program& before, const Program& after, const UnsafeExample& example) {
  UnsafeRun out;
  out.reason = "not finished: no stack";
  const bool ran = run_on_big_stack([&] {
    try {
      out = run_here(before, after, example);
    } catch (const Failure& failure) {
      out = {};
      out.reason = concat("not finished: ", failure.message);
    }
  });
  if (!ran) out.is_good = false;
  return out;
}

}  // namespace steptp::certify
