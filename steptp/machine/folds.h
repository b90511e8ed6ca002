#pragma once

// Accumulations. Executions of one statement that write the same cell, and between which no other statement can write
// it, are neighbours: they are folded in one loop, from the write before the first of them. Which iterations those are
// follows from the subscripts where these are single loops; otherwise the solver finds them, box by box. Inner products
// of inputs, which most long sums are, have loops of their own in some arithmetics. Included only by the files that
// make machines. docs/decisions/0010-certified-evaluation.md, 0040 for what counts as a round of a sum.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/machine/evaluation.h"
#include "steptp/machine/fold_forms.h"

namespace steptp::certify {

/// The accumulation of one statement, as part of an evaluation.
template <typename Arithmetic>
class Folds {
 public:
  using Value = typename Arithmetic::Value;
  using EvaluationFrame = Frame<Value>;

  Folds(Evaluation<Arithmetic>& evaluation, const StatementCode& statement)
      : evaluation_(evaluation), arithmetic_(evaluation.arithmetic), statement_(statement) {}

  /// What an execution leaves in its cell.
  void accumulate(const Instance& instance, Value& out) {
    fold_rounds(instance, out);
    if constexpr (requires { arithmetic_.finish_accumulation(out, DType::f64); }) {
      if (is_sum_of_rounds()) arithmetic_.finish_accumulation(out, statement_.dtype);
    }
  }
  [[nodiscard]] std::int64_t accumulate_integer(const Instance& instance);

  /// What an accumulation starts from: the write before the first of the neighbours, or the identity.
  void start(const Instance& instance, const Cell& cell, Value& out) {
    start_after(statement_.earlier, instance, cell, out);
  }
  void identity(Value& out);
  /// One iteration.
  void fold(const EvaluationFrame& frame, Value& sum);

 private:
  [[nodiscard]] EvaluationFrame frame_of(const Instance& instance) const {
    return {&statement_, instance.slots.data(), nullptr, 0};
  }
  /// The sum is charged in any order (fold_forms.h).
  [[nodiscard]] bool is_sum_of_rounds() const {
    return certify::is_sum_of_rounds(evaluation_.code, statement_, arithmetic_.is_first());
  }
  void start_after(const std::vector<Writer>& writers, const Instance& instance, const Cell& cell, Value& out);
  void fold_rounds(const Instance& instance, Value& out);
  void fold_partly(const Instance& instance, const Cell& cell, Value& out);
  void fold_box(const std::vector<Range>& box, Value& sum);
  /// X=X+a*b over inputs; false where it has another form, or the arithmetic has no such loop.
  [[nodiscard]] bool fold_products(const std::vector<Range>& box, Value& sum);
  [[nodiscard]] bool fold_chosen_products(const std::vector<Range>& box, Value& sum);
  void add_terms(std::uint32_t number, const EvaluationFrame& frame, Value& sum);

  Evaluation<Arithmetic>& evaluation_;
  Arithmetic& arithmetic_;
  const StatementCode& statement_;
};

template <typename A>
void Folds<A>::identity(Value& out) {
  switch (statement_.accumulation) {
    case ArithmeticOp::multiply: return arithmetic_.integer(out, 1);
    case ArithmeticOp::max: return arithmetic_.infinity(out, -1);
    case ArithmeticOp::min: return arithmetic_.infinity(out, 1);
    case ArithmeticOp::add:
    case ArithmeticOp::subtract:
    case ArithmeticOp::divide:
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
    case ArithmeticOp::power: return arithmetic_.integer(out, 0);
  }
}

template <typename A>
void Folds<A>::fold(const EvaluationFrame& frame, Value& sum) {
  const Code& code = evaluation_.code;
  const Node& node = code.nodes[statement_.right];
  if constexpr (requires { arithmetic_.accumulate(sum, sum, false, DType::f64); }) {
    if (is_sum_of_rounds()) return add_terms(statement_.right, frame, sum);
  }
  Scratch<A> value(evaluation_.scratch);
  // X=X+g, the usual form, adds in place.
  if (node.op == Op::real_arithmetic && code.nodes[node.first].op == Op::real_accumulator) {
    evaluation_.real(node.second, frame, *value);
    if (evaluation_.log.is_traced() && is_extremum(node.arithmetic)) {
      evaluation_.trace_reals(node, CompareOp::greater_equal, frame, sum, *value);
    }
    if constexpr (A::kIsTyped) arithmetic_.set_type(node.dtype);
    arithmetic_.arithmetic(node.arithmetic, sum, sum, *value);
  } else {
    evaluation_.real(statement_.right, frame, *value);
    sum = *value;
  }
  if constexpr (A::kIsTyped) arithmetic_.store(statement_.dtype, sum);
}

/// The summands of one round as they are written: (X+a)+b adds two, X+(a+b) adds one.
template <typename A>
void Folds<A>::add_terms(std::uint32_t number, const EvaluationFrame& frame, Value& sum) {
  const Code& code = evaluation_.code;
  const Node& node = code.nodes[number];
  if (node.op == Op::real_accumulator) return;
  const bool is_sum = node.op == Op::real_arithmetic &&
                      (node.arithmetic == ArithmeticOp::add || node.arithmetic == ArithmeticOp::subtract);
  const bool is_first = is_sum && has_accumulator(code, node.first);
  if (!is_first && !(is_sum && node.arithmetic == ArithmeticOp::add && has_accumulator(code, node.second))) {
    fail(FailureKind::unsupported, "an accumulation of another form");
  }
  add_terms(is_first ? node.first : node.second, frame, sum);
  Value term;
  evaluation_.real(is_first ? node.second : node.first, frame, term);
  arithmetic_.accumulate(sum, term, is_first && node.arithmetic == ArithmeticOp::subtract, statement_.dtype);
}

template <typename A>
void Folds<A>::start_after(const std::vector<Writer>& writers, const Instance& instance, const Cell& cell, Value& out) {
  Instance before;
  if (evaluation_.writes.last(writers, cell, instance.slots.data(), before)) {
    evaluation_.real_after(before, out);
  } else {
    identity(out);
  }
}

template <typename A>
void Folds<A>::fold_rounds(const Instance& instance, Value& out) {
  Cell cell;
  evaluation_.cell_of(statement_.left, frame_of(instance), cell);
  if (instance.is_partial) return fold_partly(instance, cell, out);
  start(instance, cell, out);
  if (statement_.is_direct) return fold_box(neighbours_of(statement_, instance.slots), out);
  evaluation_.writes.each_box(statement_, cell, instance.slots.data(), statement_.private_from,
                              [&](const std::vector<Range>& box) { fold_box(box, out); });
}

/// An accumulation in the middle: one step from the round before where that is known; otherwise from the start, because
/// step by step would be as deep as there are rounds.
template <typename A>
void Folds<A>::fold_partly(const Instance& instance, const Cell& cell, Value& out) {
  Instance before;
  const bool exists = evaluation_.writes.last(statement_.left.writers, cell, instance.slots.data(), before);
  const bool is_own = exists && before.statement == instance.statement;
  if (!is_own || !statement_.is_direct || evaluation_.store.find(before.statement, evaluation_.key_of(before))) {
    if (exists) {
      evaluation_.real_after(before, out);
    } else {
      identity(out);
    }
    evaluation_.spend(statement_.work);
    return fold({&statement_, instance.slots.data(), &out, 0}, out);
  }
  start(instance, cell, out);
  // The rounds up to this one: those that are less in some loop and equal in the loops before it, and this one.
  const std::vector<Range> whole = neighbours_of(statement_, instance.slots);
  for (std::size_t i = 0; i <= whole.size(); ++i) {
    std::vector<Range> box = whole;
    for (std::size_t k = 0; k < i; ++k) box[k] = {instance.slots[k], instance.slots[k]};
    if (i < whole.size()) box[i].high = instance.slots[i] - 1;
    if (i == whole.size() || !box[i].is_empty()) fold_box(box, out);
  }
}

template <typename A>
void Folds<A>::fold_box(const std::vector<Range>& box, Value& sum) {
  if constexpr (A::kHasLanes) {
    // Fewer are not worth the preparation.
    constexpr std::int64_t kLeast = 4;
    std::int64_t points = 1;
    for (const Range& range : box) points *= range.high - range.low + 1;
    // A trace lists every comparison, in order.
    const bool has_lanes = !evaluation_.log.is_traced() && points >= kLeast && !statement_.terms.empty();
    if (has_lanes) return evaluation_.lanes.fold_box(statement_, box, sum);
  }
  if (fold_products(box, sum) || fold_chosen_products(box, sum)) return;
  Slots slots{};
  const EvaluationFrame frame{&statement_, slots.data(), &sum, 0};
  each_point(box, slots.data(), [&] {
    evaluation_.spend(statement_.work);
    fold(frame, sum);
  });
}

template <typename A>
bool Folds<A>::fold_products(const std::vector<Range>& box, Value& sum) {
  if constexpr (requires { arithmetic_.add_product(sum, 0.0, 0.0); }) {
    const auto factors = factors_of_sum(evaluation_.code, statement_);
    if (!factors) return false;
    Slots slots{};
    const EvaluationFrame frame{&statement_, slots.data(), &sum, 0};
    arithmetic_.set_type(statement_.dtype);
    each_point(box, slots.data(), [&] {
      evaluation_.spend(1);
      Value left;
      Value right;
      evaluation_.read_real(*factors->first, frame, left);
      evaluation_.read_real(*factors->second, frame, right);
      arithmetic_.add_product(sum, left.value, right.value);
    });
    return true;
  }
  return false;
}

/// The same of inputs whose values somebody chooses.
template <typename A>
bool Folds<A>::fold_chosen_products(const std::vector<Range>& box, Value& sum) {
  if constexpr (requires { arithmetic_.accumulate_product(sum, 0.0, 0.0, DType::f64); }) {
    const auto factors = factors_of_sum(evaluation_.code, statement_);
    const auto number_of = [&](const Access& access) { return evaluation_.input_numbers[access.tensor]; };
    const auto chosen_of = [&](const Access& access) { return evaluation_.inputs.chosen(number_of(access)); };
    if (!factors || !is_sum_of_rounds() || arithmetic_.tracks_inputs()) return false;
    if (!chosen_of(*factors->first) || !chosen_of(*factors->second)) return false;
    Slots slots{};
    const EvaluationFrame frame{&statement_, slots.data(), &sum, 0};
    const auto value_of = [&](const Access& access) {
      return chosen_of(access)->real(number_of(access), evaluation_.position(access, frame));
    };
    each_point(box, slots.data(), [&] {
      evaluation_.spend(1);
      arithmetic_.accumulate_product(sum, value_of(*factors->first), value_of(*factors->second), statement_.dtype);
    });
    return true;
  }
  return false;
}

template <typename A>
std::int64_t Folds<A>::accumulate_integer(const Instance& instance) {
  Cell cell;
  evaluation_.cell_of(statement_.left, frame_of(instance), cell);
  Instance before;
  const auto& writers = instance.is_partial ? statement_.left.writers : statement_.earlier;
  Slots slots = instance.slots;
  EvaluationFrame frame{&statement_, slots.data(), nullptr, 0};
  frame.integer_accumulator = evaluation_.writes.last(writers, cell, instance.slots.data(), before)
                                  ? evaluation_.integer_after(before)
                                  : integer_identity(statement_);
  if (instance.is_partial) return evaluation_.integer(statement_.right, frame);
  const auto fold_one = [&] {
    evaluation_.spend(statement_.work);
    frame.integer_accumulator = evaluation_.integer(statement_.right, frame);
  };
  evaluation_.writes.each(statement_, cell, instance.slots.data(), statement_.private_from, slots.data(), fold_one);
  return frame.integer_accumulator;
}

}  // namespace steptp::certify
