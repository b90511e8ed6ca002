#include "testing/judge_support.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/documents/run_document.h"
#include "steptp/oracle/inputs.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/printer.h"
#include "testing/tree_editor.h"

namespace steptp::testing {

Program widened(const Program& program) {
  const auto wide = [](DType dtype) { return is_float(dtype) ? DType::f64 : dtype; };
  TreeHooks hooks;
  hooks.ref = [&](const RefPtr& ref, bool) {
    return wide(ref->dtype) == ref->dtype ? ref : make_ref(ref->tensor, wide(ref->dtype), ref->scope, ref->subscripts);
  };
  Program result = edit(program, hooks);
  for (Variable& variable : result.signature.variables) variable.dtype = wide(variable.dtype);
  return result;
}

namespace {

/// f32 still occurs where a decimal meets an integer tensor, so the tolerance is that of f32. Differences below it are
/// for the must-fail pairs, which are made by hand.
constexpr double kTolerance = 1e-5;
/// Beyond this a value may have lost its digits, or an intermediate may have run over.
constexpr double kHuge = 1e12;

/// Numbers that conditions may turn on: the literals of a program, and the classical ones.
std::vector<double> thresholds(const Program& before, const Program& after) {
  std::vector<double> found = {0, 0, 0, 1, -1, 0.5, -0.5, 2};
  TreeHooks hooks;
  hooks.expr = [&](const ExprPtr& expr) {
    if (const auto* literal = std::get_if<Literal>(&expr->node); literal && std::abs(literal->real) < 1e6) {
      found.push_back(literal->real);
      found.push_back(-literal->real);
    }
    return expr;
  };
  (void)edit(before, hooks);
  (void)edit(after, hooks);
  return found;
}

bool in_domain(const Domain& domain, double value) {
  switch (domain.kind) {
    case Domain::Kind::positive: return value > 0;
    case Domain::Kind::nonzero: return value != 0;
    case Domain::Kind::range: return domain.low <= value && value < domain.high;
    default: return true;
  }
}

/// Floats are replaced by thresholds: all of them, or every other one so that a tie stands beside a generic value.
void make_special(const Signature& signature, Tensors& inputs, const std::vector<double>& values, Random& random) {
  const bool all = random.chance(1, 2);
  for (const Variable& variable : signature.variables) {
    const auto at = inputs.find(variable.name);
    if (at == inputs.end() || variable.dtype != DType::f64 || !variable.values.empty()) continue;
    for (std::size_t byte = 0; byte < at->second.data.size(); byte += sizeof(double)) {
      const double value = values[random.below(values.size())];
      if ((all || random.chance(1, 2)) && in_domain(variable.domain, value)) {
        store(Scalar::real(DType::f64, value), at->second.data.data() + byte);
      }
    }
  }
}

double element(const Tensor& tensor, std::size_t at) {
  const auto width = static_cast<std::size_t>(info(tensor.dtype).bytes);
  return convert(load(tensor.dtype, tensor.data.data() + at * width), DType::f64).as_real();
}

struct Draw {
  std::string name;
  Tensors inputs;
  bool special = false;
};

void compare_outputs(const Draw& draw, const RunResult& before, const RunResult& after, OracleOpinion& opinion) {
  for (const auto& [name, tensor] : before.outputs) {
    const Tensor& other = after.outputs.at(name);
    const std::size_t count = tensor.data.size() / static_cast<std::size_t>(info(tensor.dtype).bytes);
    for (std::size_t i = 0; i < count; ++i) {
      const double a = element(tensor, i);
      const double b = element(other, i);
      if (!std::isfinite(a) || std::abs(a) > kHuge) continue;
      if (std::isinf(b) || (std::isnan(b) && draw.special)) continue;
      opinion.compared = true;
      if (std::abs(a - b) <= kTolerance * (1 + std::abs(a))) continue;
      opinion.difference =
          concat(draw.name, ": ", name, "[", i, "] is ", std::to_string(a), " and ", std::to_string(b));
      return;
    }
  }
}

/// With the domains that the judge has taken from the use of inputs: "D is positive, under a root". Those of indices
/// are found by whoever draws.
Program assuming(Program program, const std::vector<std::string>& assumes) {
  for (Variable& variable : program.signature.variables) {
    for (const std::string& one : assumes) {
      if (one.starts_with(variable.name + " is positive,")) variable.domain.kind = Domain::Kind::positive;
      if (one.starts_with(variable.name + " is not zero,")) variable.domain.kind = Domain::Kind::nonzero;
    }
  }
  return program;
}

}  // namespace

OracleOpinion ask_oracle(const Program& before, const Program& after, std::uint64_t seeds,
                         const std::vector<std::string>& assumes) {
  OracleOpinion opinion;
  const Program left = assuming(widened(before), assumes);
  const Program right = assuming(widened(after), assumes);
  const std::vector<double> values = thresholds(left, right);
  Random random(41);
  for (std::uint64_t seed = 0; seed < 2 * seeds && !opinion.difference; ++seed) {
    auto inputs = seeded_inputs(left, seed);
    if (!inputs) return opinion;
    Draw draw{concat(seed < seeds ? "generic draw " : "special draw ", seed), std::move(*inputs), seed >= seeds};
    if (draw.special) make_special(left.signature, draw.inputs, values, random);
    const auto old_run = run(left, draw.inputs);
    if (!old_run) continue;
    const auto new_run = run(right, draw.inputs);
    if (!new_run) {
      opinion.difference = concat(draw.name, ": after traps, ", new_run.error().message);
      return opinion;
    }
    compare_outputs(draw, *old_run, *new_run, opinion);
  }
  return opinion;
}

VerifyOptions without_safety() {
  VerifyOptions options;
  options.safety_budget = 0;
  return options;
}

std::string describe(const Program& before, const Program& after, const Judgement& judgement) {
  std::string text = concat("judged ", name_of(judgement.verdict), ": ", judgement.reason);
  if (judgement.counterexample) {
    append(text, " at ", judgement.counterexample->output, ", ", judgement.counterexample->draw,
           " draw: ", judgement.counterexample->before, " and ", judgement.counterexample->after);
  }
  return concat(text, "\nbefore\n", print_document(before, Profile::paper), "after\n",
                print_document(after, Profile::paper));
}

std::uint64_t Tally::of(std::string_view name) const {
  const auto at = counts_.find(std::string(name));
  return at == counts_.end() ? 0 : at->second;
}

std::uint64_t Tally::total() const {
  std::uint64_t sum = 0;
  for (const auto& [name, count] : counts_) sum += count;
  return sum;
}

std::string Tally::text() const {
  return join(counts_, ", ", [](const auto& entry) { return concat(entry.second, " ", entry.first); });
}

}  // namespace steptp::testing
