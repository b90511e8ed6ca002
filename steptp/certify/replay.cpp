#include "steptp/certify/replay.h"

#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "steptp/arithmetic/failure.h"
#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/inputs.h"
#include "steptp/machine/big_stack.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

namespace {

/// Takes `kind` and a space off the name, if it begins with them.
bool begins_with(std::string_view& name, DrawKind kind) {
  const std::string start = concat(name_of(kind), " ");
  if (!name.starts_with(start)) return false;
  name.remove_prefix(start.size());
  return true;
}

/// The draw as a counterexample names it: its kind, on a line where, and which pattern of which input.
std::optional<Draw> draw_named(std::string_view name, std::uint64_t seed) {
  if (name == name_of(DrawKind::generic)) return Draw{DrawKind::generic, seed};
  for (const DrawKind kind : kSpecialDraws) {
    if (name == name_of(kind)) return Draw{kind, seed};
  }
  Draw draw{DrawKind::line, seed};
  if (begins_with(name, DrawKind::pattern)) {
    draw.kind = DrawKind::pattern;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), draw.input);
    if (error != std::errc() || end == name.data() + name.size() || *end != ' ') return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end + 1 - name.data()));
  } else if (!begins_with(name, DrawKind::line)) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), draw.step);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && draw.step >= 0 && draw.step <= kLineSteps ? std::optional(draw) : std::nullopt;
}

bool is_of_an_input(const Draw& draw, const InputModel& model) {
  if (draw.kind != DrawKind::pattern) return true;
  if (draw.input >= model.inputs.size()) return false;
  const Variable& variable = *model.inputs[draw.input].variable;
  const bool has_axis = draw.step / kPatterns < static_cast<std::int64_t>(variable.shape.size());
  return variable.dtype == DType::boolean && (has_axis || draw.step == kAllTrue || draw.step == kAllFalse);
}

/// Where the inputs are written out, the draw is only where they were found.
std::optional<Draw> draw_of(const Counterexample& example) {
  if (!example.given) return draw_named(example.draw, example.seed);
  bool is_named = false;
  for (const DrawKind kind : {DrawKind::peak, DrawKind::dip, DrawKind::solved}) {
    is_named = is_named || example.draw == name_of(kind);
  }
  if (!is_named && !draw_named(example.draw, example.seed)) return std::nullopt;
  return Draw{DrawKind::generic, example.seed, 0, 0, -1, std::make_shared<const GivenInputs>(*example.given)};
}

bool is_element(const Signature& signature, const Counterexample& example) {
  const Variable* variable = signature.find(example.output);
  if (!variable || variable->role != Role::output || variable->shape.size() != example.index.size()) return false;
  for (std::size_t d = 0; d < example.index.size(); ++d) {
    if (example.index[d] < 0 || example.index[d] >= variable->shape[d]) return false;
  }
  return true;
}

Replayed evaluate(const Program& before, const Program& after, const Counterexample& example, const Draw& draw,
                  const CertifyOptions& options) {
  Replayed out;
  const Code old_code = compile(before);
  const Code new_code = compile(after);
  const InputModel model = model_inputs(before, after);
  if (!model.problem.empty()) {
    out.reason = model.problem;
    return out;
  }
  if (!is_of_an_input(draw, model)) {
    out.reason = concat("there is no draw '", example.draw, "' of these inputs");
    return out;
  }
  // Primes need not be those of the search: they decide what is equal, never the values that are shown.
  const Pair pair{old_code, new_code, combine(hash_of(before), hash_of(after))};
  Budget budget{options.budget_operations, options.budget_bytes};
  Comparison comparison(pair, model, draw, options, budget);
  const PointAnswer found = comparison.at({example.output, example.index});
  out.differs = found.kind == PointAnswer::Kind::differs || found.kind == PointAnswer::Kind::undefined;
  out.before = found.before;
  out.after = found.after;
  out.reason = found.reason;
  return out;
}

}  // namespace

Replayed replay(const Program& before, const Program& after, const Counterexample& example,
                const CertifyOptions& options) {
  Replayed out;
  const auto draw = draw_of(example);
  if (!draw) {
    out.reason = concat("there is no draw '", example.draw, "'");
    return out;
  }
  if (!is_element(before.signature, example)) {
    out.reason = concat("the index is that of no element of an output '", example.output, "'");
    return out;
  }
  const bool ran = run_on_big_stack([&] {
    try {
      out = evaluate(before, after, example, *draw, options);
    } catch (const Failure& failure) {
      out.reason = failure.message;
    }
  });
  if (!ran) out.reason = "no stack for the evaluation";
  return out;
}

}  // namespace steptp::certify
