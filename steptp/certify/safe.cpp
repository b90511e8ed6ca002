#include "steptp/certify/safe.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
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
#include "steptp/certify/sharing.h"
#include "steptp/certify/window.h"

namespace steptp::certify {

namespace {

constexpr DrawKind kDraws[] = {DrawKind::generic, DrawKind::wide,     DrawKind::tiny,    DrawKind::zeros,
                               DrawKind::ties,    DrawKind::positive, DrawKind::negative};
/// What the front of a program may make of inputs.
constexpr DrawKind kWindowDraws[] = {DrawKind::large, DrawKind::rising, DrawKind::falling};
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

/// How much of the programs is run.
enum class Extent : std::uint8_t {
  outputs,  ///< all of both
  goals,    ///< up to where the programs are alike from there on: equally good values stay equally good
  window,   ///< only what is different: what is before it is drawn too
};

class SafetyComparison {
 public:
  SafetyComparison(const Program& before, const Program& after, const CertifyOptions& options, Extent extent)
      : extent_(extent),
        before_(compile(before)),
        after_(compile(after)),
        model_(model_inputs(before, after)),
        window_(extent == Extent::window ? cut_equal(before_, after_, model_, before.signature) : Window{}),
        signature_(extent == Extent::outputs ? before.signature
                   : extent == Extent::goals ? find_goals(before_, after_, before.signature)
                                             : window_.signature),
        points_(choose_points(signature_, options.seed)),
        shared_(find_shared(before_, after_)),
        seed_(options.seed),
        budget_{options.budget_operations, options.budget_bytes, options.stop},
        allowed_(options.budget_operations) {}

  /// Less than the programs as a whole.
  [[nodiscard]] bool has_window() const { return window_.is_cut && window_.is_usable && !points_.empty(); }

  /// Something is looked at on the way to the outputs.
  [[nodiscard]] bool has_goals() const {
    return std::any_of(points_.begin(), points_.end(),
                       [](const OutputElement& point) { return point.output->name.starts_with('#'); });
  }

  SafetyAnswer run() {
    SafetyAnswer answer;
    answer.reason = decide();
    answer.is_safe = answer.reason.empty();
    answer.is_spent = is_spent_;
    answer.work = allowed_ - budget_.operations;
    return answer;
  }

 private:
  using RoundedMachine = Machine<RoundedArithmetic>;
  using RoundedAnswer = Result<RoundedMachine::Answer, Failure>;

  /// Every input in turn as a mask: which of them is one is not known.
  [[nodiscard]] std::vector<Draw> draws() const {
    std::vector<Draw> out;
    const auto seed = [this](DrawKind kind) { return mix(seed_ ^ static_cast<std::uint64_t>(kind)); };
    for (const DrawKind kind : kDraws) out.push_back({kind, seed(kind)});
    if (extent_ == Extent::window) {
      for (const DrawKind kind : kWindowDraws) out.push_back({kind, seed(kind)});
    }
    for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
      if (extent_ == Extent::window && !window_.inputs.contains(model_.inputs[i].variable->name)) continue;
      for (const DrawKind kind : {DrawKind::masked_first, DrawKind::masked}) out.push_back({kind, seed(kind), 0, i});
    }
    return out;
  }

  /// Empty where all is well.
  std::string decide() {
    if (model_.is_empty) return "an input has no legal value";
    const std::vector<Draw> all = draws();
    if (is_too_much(all)) {
      is_spent_ = true;
      return "not shown: the budget of operations is spent";
    }
    for (std::size_t number = 0; number < all.size(); ++number) {
      if (number == 1) drop_points(all.size());
      const Draw& draw = all[number];
      std::string reason = at_draw(draw);
      // Errors of what both programs share may meet in other places: then only those of what differs are compared.
      if (!reason.empty() && !is_spent_) {
        give_shared(true);
        reason = at_draw(draw);
        give_shared(false);
      }
      if (!reason.empty()) return reason;
    }
    return {};
  }

  /// One element at the first draw takes more than the share of a draw: then all of them end in the middle of nothing.
  bool is_too_much(const std::vector<Draw>& all) {
    if (points_.empty()) return false;
    const std::uint64_t share = budget_.operations / all.size();
    Budget budget{share, budget_.bytes, budget_.stop};
    const InputSource source(model_, all.front());
    RoundedArithmetic arithmetic;
    RoundedMachine machine(before_, arithmetic, source, budget);
    const OutputElement& point = points_.back();
    const RoundedAnswer found = machine.output(before_.tensor_numbers.at(point.output->name), point.element);
    budget_.operations -= share - budget.operations;
    return !found && found.error().kind == FailureKind::operations;
  }

  void give_shared(bool is_given) {
    for (std::size_t i = 0; i < shared_.all.size(); ++i) {
      if (shared_.all[i] == kNone) continue;
      after_.statements[i].is_given = is_given;
      before_.statements[shared_.all[i]].is_given = is_given;
    }
  }

  /// Empty where all is well at the inputs of one draw.
  std::string at_draw(const Draw& draw) {
    const InputSource source(model_, draw);
    RoundedArithmetic arithmetic;
    RoundedMachine old_machine(before_, arithmetic, source, budget_);
    // What both programs have is computed once.
    RoundedMachine new_machine(after_, old_machine, shared_.all);
    std::vector<RoundedAnswer> old_answers;
    for (const OutputElement& point : points_) {
      old_answers.push_back(old_machine.output(before_.tensor_numbers.at(point.output->name), point.element));
    }
    const RoundedArithmetic::Events old_events = arithmetic.events();
    std::string found;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const OutputElement& point = points_[i];
      const RoundedAnswer after = new_machine.output(after_.tensor_numbers.at(point.output->name), point.element);
      const std::string here = compare(point, draw, old_answers[i], after);
      if (found.empty()) found = here;
    }
    // What happened says more than what came of it; before may meet the same event at another element.
    const std::string event = new_event(old_events, arithmetic.events());
    if (!event.empty()) return concat(event, " at ", name_of(draw.kind), " inputs, which before does not have");
    if (!found.empty()) return found;
    return {};
  }

  /// After the first draw it is known what one costs: fewer elements at every draw say more than all at some of them.
  void drop_points(std::size_t draw_count) {
    const std::uint64_t spent = std::max<std::uint64_t>(1, allowed_ - budget_.operations);
    const std::uint64_t wanted = 2 * spent * draw_count;  // one draw costs more than another
    if (points_.size() < 2 || wanted <= allowed_) return;
    const std::size_t kept = std::max<std::size_t>(1, points_.size() * allowed_ / wanted);
    points_.erase(points_.begin(), points_.end() - static_cast<std::ptrdiff_t>(kept));
  }

  static std::string new_event(const RoundedArithmetic::Events& before, const RoundedArithmetic::Events& after) {
    if (after.overflow && !before.overflow) return "an overflow";
    if (after.invalid && !before.invalid) return "a NaN";
    if (after.zero_divisor && !before.zero_divisor) return "a division by zero";
    // Beside a NaN that before has, digits are nothing.
    if (after.lost_all_digits && !before.lost_all_digits && !before.invalid) return "a divisor without a correct digit";
    return {};
  }

  std::string compare(const OutputElement& point, const Draw& draw, const RoundedAnswer& before,
                      const RoundedAnswer& after) {
    if (!before) {
      const FailureKind kind = before.error().kind;
      // Where before has no value there is nothing to keep; where the budget is spent nothing is known.
      const bool is_limit =
          kind == FailureKind::operations || kind == FailureKind::memory || kind == FailureKind::depth;
      is_spent_ = is_spent_ || kind == FailureKind::operations;
      return is_limit ? concat("not shown: ", before.error().message) : std::string();
    }
    if (!after) {
      is_spent_ = is_spent_ || after.error().kind == FailureKind::operations;
      return concat("not shown: ", after.error().message);
    }
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

  Extent extent_;
  Code before_;
  Code after_;
  InputModel model_;
  Window window_;
  Signature signature_;
  std::vector<OutputElement> points_;
  Sharing shared_;
  std::uint64_t seed_;
  Budget budget_;
  std::uint64_t allowed_;
  bool is_spent_ = false;
};

/// An element of an output may take the whole program; one of a tensor on the way takes less, and what is different
/// takes least.
SafetyAnswer by_stages(const Program& before, const Program& after, const CertifyOptions& options) {
  std::uint64_t spent = 0;
  const auto comparison_of = [&](Extent extent, std::uint64_t share) {
    CertifyOptions part = options;
    part.budget_operations = (options.budget_operations - spent) / share;
    return SafetyComparison(before, after, part, extent);
  };
  const auto run = [&](SafetyComparison& comparison) {
    SafetyAnswer answer = comparison.run();
    answer.work = spent += answer.work;
    return answer;
  };
  // What is good where the programs meet again is good at the outputs; what is not may still be.
  std::optional<SafetyAnswer> first;
  if (SafetyComparison goals = comparison_of(Extent::goals, 8); goals.has_goals()) first = run(goals);
  if (first && first->is_safe) return *first;
  SafetyComparison outputs = comparison_of(Extent::outputs, 4);
  SafetyAnswer answer = run(outputs);
  if (!answer.is_spent) return answer;
  if (first && !first->is_spent) {
    first->work = spent;
    return *first;
  }
  for (const auto& [extent, share] : {std::pair(Extent::goals, 2), {Extent::window, 1}}) {
    SafetyComparison comparison = comparison_of(extent, static_cast<std::uint64_t>(share));
    if (extent == Extent::window && !comparison.has_window()) break;
    answer = run(comparison);
    if (!answer.is_spent) break;
  }
  return answer;
}

}  // namespace

SafetyAnswer compare_safety(const Program& before, const Program& after, const CertifyOptions& options) {
  SafetyAnswer answer;
  answer.reason = "not shown: no stack";
  const bool ran = run_on_big_stack([&] {
    try {
      answer = by_stages(before, after, options);
    } catch (const Failure& failure) {
      answer.reason = concat("not shown: ", failure.message);
    }
  });
  if (!ran) answer.is_safe = false;
  return answer;
}

}  // namespace steptp::certify
