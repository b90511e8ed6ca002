#include "steptp/certify/numeric.h"

#include <cmath>
#include <set>

#include "steptp/arithmetic/failure.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/certify/inputs.h"
#include "steptp/machine/big_stack.h"
#include "steptp/machine/code.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

namespace {

constexpr std::uint64_t kTrials = 3;
constexpr int kRandomPoints = 6;

class NumericComparison {
 public:
  NumericComparison(const Program& before, const Program& after, const CertifyOptions& options)
      : before_(compile(before)),
        after_(compile(after)),
        model_(model_inputs(before, after)),
        signature_(before.signature),
        seed_(options.seed),
        budget_{options.budget_operations, options.budget_bytes, options.stop},
        allowed_(options.budget_operations) {}

  NumericAnswer run() {
    if (!model_.problem.empty()) {
      answer_.reason = model_.problem;
      return answer_;
    }
    answer_.is_equal = true;
    for (std::uint64_t trial = 0; answer_.is_equal && trial < kTrials; ++trial) {
      const Draw draw{DrawKind::generic, combine(mix(seed_), trial + 7000)};
      run_trial(draw);
    }
    for (const Variable& variable : signature_.variables) {
      if (variable.role == Role::output && !counted_.contains(variable.name)) {
        fail(concat("before is finite at none of the points tried in ", variable.name));
      }
    }
    answer_.work = allowed_ - budget_.operations;
    return answer_;
  }

 private:
  using RoundedMachine = Machine<RoundedArithmetic>;

  void fail(std::string reason) {
    answer_.is_equal = false;
    if (answer_.reason.empty()) answer_.reason = std::move(reason);
  }

  void run_trial(const Draw& draw) {
    const InputSource source(model_, draw);
    RoundedArithmetic old_arithmetic;
    RoundedArithmetic new_arithmetic;
    RoundedMachine old_machine(before_, old_arithmetic, source, budget_);
    RoundedMachine new_machine(after_, new_arithmetic, source, budget_);
    Random random(draw.seed);
    for (const Variable& variable : signature_.variables) {
      if (variable.role != Role::output) continue;
      for (int i = 0; i < kRandomPoints; ++i) {
        std::vector<std::int64_t> element;
        for (const std::int64_t extent : variable.shape) {
          element.push_back(i == 0 ? 0 : i == 1 ? extent - 1 : random.between(0, extent - 1));
        }
        compare(variable, element, old_machine, new_machine);
      }
    }
    if (old_arithmetic.decisions().is_unsure() || new_arithmetic.decisions().is_unsure()) {
      fail("a comparison or conversion of data lies within the rounding errors");
    }
  }

  void compare(const Variable& output, const std::vector<std::int64_t>& element, RoundedMachine& old_machine,
               RoundedMachine& new_machine) {
    const auto before = old_machine.output(before_.tensor_numbers.at(output.name), element);
    const auto after = new_machine.output(after_.tensor_numbers.at(output.name), element);
    if (!before || !after) return fail(before ? after.error().message : before.error().message);
    if (!before->is_real) {
      if (before->integer != after->integer) fail(concat("integers differ in ", output.name));
      counted_.insert(output.name);
      answer_.points += 1;
      return;
    }
    const RoundedArithmetic::Value& a = before->real;
    const RoundedArithmetic::Value& b = after->real;
    if (!std::isfinite(a.value)) return;
    if (!std::isfinite(b.value) || !std::isfinite(a.error) || !std::isfinite(b.error)) {
      return fail(concat("there is no error bound in ", output.name));
    }
    if (std::fabs(a.value - b.value) > a.error + b.error) {
      return fail(concat("an element of ", output.name, " differs by more than the rounding errors"));
    }
    counted_.insert(output.name);
    answer_.points += 1;
  }

  Code before_;
  Code after_;
  InputModel model_;
  const Signature& signature_;
  std::uint64_t seed_;
  Budget budget_;
  std::uint64_t allowed_;
  NumericAnswer answer_;
  std::set<std::string> counted_;
};

}  // namespace

NumericAnswer compare_numerically(const Program& before, const Program& after, const CertifyOptions& options) {
  NumericAnswer answer;
  const bool ran = run_on_big_stack([&] {
    try {
      answer = NumericComparison(before, after, options).run();
    } catch (const Failure& failure) {
      answer.is_equal = false;
      answer.reason = failure.message;
    }
  });
  if (!ran) answer.reason = "no stack for the evaluation";
  return answer;
}

}  // namespace steptp::certify
