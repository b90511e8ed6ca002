// Small outputs are shown equal element by element, each with its comparisons left open; the zeros of divisors count as
// hazards, because a single input at which only one program has a value would be a difference.
// docs/decisions/0039-cells-and-hazards.md.
#include "steptp/certify/elements.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "steptp/arithmetic/failure.h"
#include "steptp/base/hash.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/every_way.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/window.h"
#include "steptp/ir/canonical.h"
#include "steptp/machine/big_stack.h"
#include "steptp/machine/choices.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

namespace {

constexpr std::int64_t kMostElements = 4096;
constexpr std::uint64_t kMostTrials = 8;

/// Integers of a draw would stand for all integers, which they do not.
bool draws_integers(const Code& code, const Signature& signature) {
  const bool reads = std::any_of(signature.variables.begin(), signature.variables.end(), [&](const Variable& variable) {
    return variable.role != Role::output && !is_float(variable.dtype) && variable.values.empty() &&
           code.tensor_numbers.contains(variable.name);
  });
  return reads || std::any_of(code.nodes.begin(), code.nodes.end(),
                              [](const Node& node) { return node.op == Op::integer_of_real; });
}

std::vector<OutputPoint> all_elements(const Signature& signature) {
  std::vector<OutputPoint> out;
  for (const Variable& variable : signature.variables) {
    if (variable.role != Role::output) continue;
    const std::int64_t count = element_count(variable.shape).value_or(kMostElements + 1);
    if (count + static_cast<std::int64_t>(out.size()) > kMostElements) return {};
    for (std::int64_t position = 0; position < count; ++position) {
      out.push_back({variable.name, index_at(variable, position)});
    }
  }
  return out;
}

ElementsAnswer show(const Program& before, const Program& after, const CertifyOptions& options) {
  ElementsAnswer answer;
  const std::vector<OutputPoint> points = all_elements(before.signature);
  if (points.empty()) {
    answer.reason = "the outputs have too many elements to show each by itself";
    return answer;
  }
  const Code old_code = compile(before);
  const Code new_code = compile(after);
  if (draws_integers(old_code, before.signature) || draws_integers(new_code, before.signature)) {
    answer.reason = "integers decide, and those of a draw do not stand for all";
    return answer;
  }
  const InputModel model = model_inputs(before, after, Guesses::none);
  if (!model.problem.empty()) {
    answer.reason = model.problem;
    return answer;
  }
  const std::shared_ptr<const Code> old_choices = choices_as_reals(old_code);
  const std::shared_ptr<const Code> new_choices = choices_as_reals(new_code);
  const Pair pair{old_code, new_code, combine(combine(options.seed, hash_of(before)), hash_of(after))};
  Window window;
  window.has_hazards = true;
  Budget budget{options.budget_operations, options.budget_bytes, options.stop};
  std::vector<double> bounds(points.size(), 0.0);
  double chance = 1;
  for (std::uint64_t trial = 0; trial < kMostTrials && chance > std::exp2(options.bound_log2); ++trial) {
    const Draw draw{DrawKind::generic, combine(options.seed, trial)};
    budget.bytes = options.budget_bytes;
    EveryWay ways(pair, old_choices ? *old_choices : old_code, new_choices ? *new_choices : new_code, model, draw,
                  budget, window);
    chance = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const EveryWay::Shown shown = ways.at(points[i]);
      answer.work = options.budget_operations - budget.operations;
      if (!shown.agrees) {
        answer.reason = shown.reason;
        return answer;
      }
      bounds[i] += shown.bound_log2;
      chance += std::exp2(bounds[i]);
    }
  }
  answer.elements = points.size();
  answer.bound_log2 = std::log2(chance);
  answer.agrees = answer.bound_log2 <= options.bound_log2;
  if (!answer.agrees) answer.reason = "the error bound is too weak";
  return answer;
}

}  // namespace

ElementsAnswer show_every_element(const Program& before, const Program& after, const CertifyOptions& options) {
  ElementsAnswer answer;
  answer.reason = "no stack for the evaluation";
  const bool ran = run_on_big_stack([&] {
    try {
      answer = show(before, after, options);
    } catch (const Failure& failure) {
      answer.reason = failure.message;
    }
  });
  if (!ran) answer.agrees = false;
  return answer;
}

}  // namespace steptp::certify
