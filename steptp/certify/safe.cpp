#include "steptp/certify/safe.h"

#include <cmath>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/certify/big_stack.h"
#include "steptp/certify/code.h"
#include "steptp/certify/comparison.h"
#include "steptp/certify/failure.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/machine.h"
#include "steptp/certify/rounded_arithmetic.h"

namespace steptp::certify {

namespace {

constexpr DrawKind kDraws[] = {DrawKind::generic, DrawKind::wide,     DrawKind::tiny,    DrawKind::zeros,
                               DrawKind::ties,    DrawKind::positive, DrawKind::negative};
constexpr int kRandomPoints = 2;
/// A running bound that is this many times the old one is a loss.
constexpr double kFactor = 8;
constexpr double kUnits = 4;

struct OutputElement {
  const Variable* output = nullptr;
  std::vector<std::int64_t> element;
};

std::vector<OutputElement> choose_points(const Signature& signature, std::uint64_t seed) {
  Random random(seed);
  std::vector<OutputElement> points;
  for (const Variable& variable : signature.variables) {
    if (variable.role != Role::output || !is_float(variable.dtype)) continue;
    OutputElement first{&variable, {}};
    OutputElement last{&variable, {}};
    for (const std::int64_t extent : variable.shape) {
      first.element.push_back(0);
      last.element.push_back(extent - 1);
    }
    points.push_back(std::move(first));
    points.push_back(std::move(last));
    for (int i = 0; i < kRandomPoints; ++i) {
      OutputElement drawn{&variable, {}};
      for (const std::int64_t extent : variable.shape) {
        drawn.element.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(extent))));
      }
      points.push_back(std::move(drawn));
    }
  }
  return points;
}

class SafetyComparison {
 public:
  SafetyComparison(const Program& before, const Program& after, const CertifyOptions& options)
      : before_(compile(before)),
        after_(compile(after)),
        model_(model_inputs(before, after)),
        points_(choose_points(before.signature, options.seed)),
        seed_(options.seed),
        budget_{options.budget_operations, options.budget_bytes, options.stop},
        allowed_(options.budget_operations) {}

  SafetyAnswer run() {
    SafetyAnswer answer;
    answer.reason = decide();
    answer.is_safe = answer.reason.empty();
    answer.work = allowed_ - budget_.operations;
    return answer;
  }

 private:
  using RoundedMachine = Machine<RoundedArithmetic>;

  /// Every input in turn as a mask: which of them is one is not known.
  [[nodiscard]] std::vector<Draw> draws() const {
    std::vector<Draw> out;
    const auto seed = [this](DrawKind kind) { return mix(seed_ ^ static_cast<std::uint64_t>(kind)); };
    for (const DrawKind kind : kDraws) out.push_back({kind, seed(kind)});
    for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
      for (const DrawKind kind : {DrawKind::masked_first, DrawKind::masked}) out.push_back({kind, seed(kind), 0, i});
    }
    return out;
  }

  /// Empty where all is well.
  std::string decide() {
    if (model_.is_empty) return "an input has no legal value";
    for (const Draw& draw : draws()) {
      const DrawKind kind = draw.kind;
      const InputSource source(model_, draw);
      RoundedArithmetic old_arithmetic;
      RoundedArithmetic new_arithmetic;
      RoundedMachine old_machine(before_, old_arithmetic, source, budget_);
      RoundedMachine new_machine(after_, new_arithmetic, source, budget_);
      std::string found;
      for (const OutputElement& point : points_) {
        const std::string here = compare(point, draw, old_machine, new_machine);
        if (found.empty()) found = here;
      }
      // What happened says more than what came of it; before may meet the same event at another element.
      const std::string event = new_event(old_arithmetic.events(), new_arithmetic.events());
      if (!event.empty()) return concat(event, " at ", name_of(kind), " inputs, which before does not have");
      if (!found.empty()) return found;
    }
    return {};
  }

  static std::string new_event(const RoundedArithmetic::Events& before, const RoundedArithmetic::Events& after) {
    if (after.overflow && !before.overflow) return "an overflow";
    if (after.invalid && !before.invalid) return "a NaN";
    if (after.zero_divisor && !before.zero_divisor) return "a division by zero";
    if (after.lost_all_digits && !before.lost_all_digits) return "a divisor without a correct digit";
    return {};
  }

  std::string compare(const OutputElement& point, Draw draw, RoundedMachine& old_machine, RoundedMachine& new_machine) {
    const auto before = old_machine.output(before_.tensor_numbers.at(point.output->name), point.element);
    const auto after = new_machine.output(after_.tensor_numbers.at(point.output->name), point.element);
    if (!before) {
      const FailureKind kind = before.error().kind;
      // Where before has no value there is nothing to keep; where the budget is spent nothing is known.
      const bool is_limit =
          kind == FailureKind::operations || kind == FailureKind::memory || kind == FailureKind::depth;
      return is_limit ? concat("not shown: ", before.error().message) : std::string();
    }
    if (!after) return concat("not shown: ", after.error().message);
    const RoundedArithmetic::Value& old_value = before->real;
    const RoundedArithmetic::Value& new_value = after->real;
    if (!std::isfinite(old_value.value) || std::isinf(old_value.error)) return {};
    const DType dtype = point.output->dtype;
    const double allowed = kFactor * old_value.error + kUnits * unit_in_last_place(dtype, std::fabs(old_value.value));
    if (!std::isfinite(new_value.value) || new_value.error > allowed) {
      return concat("at ", name_of(draw.kind), " inputs the error of an element of ", point.output->name, " may be ",
                    std::to_string(new_value.error / unit_in_last_place(dtype, old_value.value)),
                    " units in the last place, before it was ",
                    std::to_string(old_value.error / unit_in_last_place(dtype, old_value.value)));
    }
    return {};
  }

  Code before_;
  Code after_;
  InputModel model_;
  std::vector<OutputElement> points_;
  std::uint64_t seed_;
  Budget budget_;
  std::uint64_t allowed_;
};

}  // namespace

SafetyAnswer compare_safety(const Program& before, const Program& after, const CertifyOptions& options) {
  SafetyAnswer answer;
  answer.reason = "not shown: no stack";
  const bool ran = run_on_big_stack([&] {
    try {
      answer = SafetyComparison(before, after, options).run();
    } catch (const Failure& failure) {
      answer.reason = concat("not shown: ", failure.message);
    }
  });
  if (!ran) answer.is_safe = false;
  return answer;
}

}  // namespace steptp::certify
