#pragma once

// What an evaluation does where comparisons of reals are not decided: a choice evaluates both its arms, and a condition
// is an unknown (arithmetic/opaque_arithmetic.h). Bools that are made of conditions are followed through tensors, so
// that a mask which is stored and read again stays a condition. Conditions on indices and on drawn integers are decided
// as ever. Included only by the files that make machines. docs/decisions/0012-every-way-at-once.md.

#include <cstdint>
#include <unordered_map>

#include "steptp/base/hash.h"
#include "steptp/machine/evaluation.h"

namespace steptp::certify {

template <typename Opaque>
class OpaqueChoices {
 public:
  using Value = typename Opaque::Value;
  using Decision = typename Opaque::Decision;
  using EvaluationFrame = Frame<Value>;

  explicit OpaqueChoices(Evaluation<Opaque>& evaluation)
      : evaluation_(evaluation), arithmetic_(evaluation.arithmetic) {}

  /// What a bool that was stored says.
  [[nodiscard]] Decision decide_after(const Instance& instance);
  void choose(const Node& select, const EvaluationFrame& frame, Value& out);
  void real_of_bool(const Node& node, const EvaluationFrame& frame, Value& out);
  /// A clamp, an abs, a rounding. A number has been drawn or written, and goes one way; all else goes both.
  void note_fold(const Node& node, const Value& left, const Value& right);

 private:
  using State = typename Decision::State;

  /// The condition that an expression is.
  [[nodiscard]] Decision decide(std::uint32_t number, const EvaluationFrame& frame);
  [[nodiscard]] Decision decide_comparison(const Node& node, const EvaluationFrame& frame);
  [[nodiscard]] Decision decide_conversion(const Node& node, const EvaluationFrame& frame);
  [[nodiscard]] Decision decide_selection(const Node& node, const EvaluationFrame& frame);
  [[nodiscard]] Decision decide_read(const Access& access, const EvaluationFrame& frame);
  /// Both outcomes where it is open.
  void note(std::uint32_t branch, const Decision& decision);
  /// A condition that is decided may have parts that have no value at some inputs, and then it has none itself.
  static void refuse_hazards(const Decision& decision) {
    if (decision.hazards != 0) fail(FailureKind::unsupported, "a condition that is decided and may have no value");
  }

  Evaluation<Opaque>& evaluation_;
  Opaque& arithmetic_;
  std::unordered_map<std::uint64_t, Decision> known_;  ///< what bools were stored, by statement and iteration
};

template <typename Opaque>
auto OpaqueChoices<Opaque>::decide(std::uint32_t number, const EvaluationFrame& frame) -> Decision {
  const Code& code = evaluation_.code;
  const Node& node = code.nodes[number];
  const bool is_bool = node.dtype == DType::boolean;
  if (node.op == Op::compare_reals) return decide_comparison(node, frame);
  if (node.op == Op::logic) {
    const Decision left = decide(node.first, frame);
    return arithmetic_.both(node.logic, left, decide(node.second, frame));
  }
  if (node.op == Op::integer_of_real && is_bool) return decide_conversion(node, frame);
  if (node.op == Op::integer_select && is_bool) return decide_selection(node, frame);
  if (node.op == Op::integer_read && is_bool) {
    const Access& access = code.accesses[node.payload];
    if (!code.tensors[access.tensor].known) return decide_read(access, frame);
  }
  return arithmetic_.decision(evaluation_.integer(number, frame) != 0);
}

template <typename Opaque>
auto OpaqueChoices<Opaque>::decide_comparison(const Node& node, const EvaluationFrame& frame) -> Decision {
  Value left;
  Value right;
  evaluation_.real(node.first, frame, left);
  evaluation_.real(node.second, frame, right);
  const Decision made = arithmetic_.decide(node.comparison, left, right);
  note(node.branch, made);
  return made;
}

template <typename Opaque>
auto OpaqueChoices<Opaque>::decide_conversion(const Node& node, const EvaluationFrame& frame) -> Decision {
  Value value;
  Value zero;
  evaluation_.real(node.first, frame, value);
  arithmetic_.integer(zero, 0);
  const Decision made = arithmetic_.decide(CompareOp::not_equal, value, zero);
  note(node.branch, made);
  return made;
}

template <typename Opaque>
auto OpaqueChoices<Opaque>::decide_selection(const Node& node, const EvaluationFrame& frame) -> Decision {
  const Decision condition = decide(node.first, frame);
  note(node.branch, condition);
  if (condition.state != State::open) {
    refuse_hazards(condition);
    return decide(condition.state == State::holds ? node.second : node.third, frame);
  }
  const Decision if_true = decide(node.second, frame);
  return arithmetic_.chosen(condition, if_true, decide(node.third, frame));
}

template <typename Opaque>
auto OpaqueChoices<Opaque>::decide_read(const Access& access, const EvaluationFrame& frame) -> Decision {
  Cell cell;
  evaluation_.cell_of(access, frame, cell);
  Instance instance;
  if (!evaluation_.writes.last(access.writers, cell, frame.slots, instance)) evaluation_.writes.undefined(access, cell);
  const typename Opaque::Suspension suspension(arithmetic_);
  return decide_after(instance);
}

template <typename Opaque>
auto OpaqueChoices<Opaque>::decide_after(const Instance& instance) -> Decision {
  const StatementCode& statement = evaluation_.code.statements[instance.statement];
  if (statement.accumulates) return arithmetic_.decision(evaluation_.integer_after(instance) != 0);
  const std::uint64_t key = combine(instance.statement, evaluation_.key_of(instance));
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  // Conditions are not evaluated in steps, as numbers are.
  if (evaluation_.stack.is_too_deep()) fail(FailureKind::depth, "a chain of definitions is too long");
  evaluation_.spend(statement.work);
  const Decision made = decide(statement.right, {&statement, instance.slots.data(), nullptr, 0});
  known_.emplace(key, made);
  return made;
}

template <typename Opaque>
void OpaqueChoices<Opaque>::choose(const Node& select, const EvaluationFrame& frame, Value& out) {
  const Decision condition = decide(select.first, frame);
  note(select.branch, condition);
  if (condition.state != State::open) {
    refuse_hazards(condition);
    return evaluation_.real(condition.state == State::holds ? select.second : select.third, frame, out);
  }
  Value if_true;
  {
    const typename Opaque::Assumption assumption(arithmetic_, condition, true);
    evaluation_.real(select.second, frame, if_true);
  }
  Value if_false;
  {
    const typename Opaque::Assumption assumption(arithmetic_, condition, false);
    evaluation_.real(select.third, frame, if_false);
  }
  arithmetic_.choose(out, condition, if_true, if_false);
}

template <typename Opaque>
void OpaqueChoices<Opaque>::note(std::uint32_t branch, const Decision& decision) {
  if (decision.state != State::fails) evaluation_.log.note(branch, true);
  if (decision.state != State::holds) evaluation_.log.note(branch, false);
}

template <typename Opaque>
void OpaqueChoices<Opaque>::note_fold(const Node& node, const Value& left, const Value& right) {
  if (node.op == Op::real_arithmetic && is_extremum(node.arithmetic)) {
    return note(node.branch, arithmetic_.decide(CompareOp::greater_equal, left, right));
  }
  if (Opaque::is_number(left) && Opaque::is_number(right)) return;
  evaluation_.log.note(node.branch, true);
  evaluation_.log.note(node.branch, false);
}

template <typename Opaque>
void OpaqueChoices<Opaque>::real_of_bool(const Node& node, const EvaluationFrame& frame, Value& out) {
  if (evaluation_.code.nodes[node.first].dtype != DType::boolean) {
    return arithmetic_.integer(out, evaluation_.integer(node.first, frame));
  }
  const Decision condition = decide(node.first, frame);
  if (condition.state != State::open) refuse_hazards(condition);
  Value one;
  Value zero;
  arithmetic_.integer(one, 1);
  arithmetic_.integer(zero, 0);
  arithmetic_.choose(out, condition, one, zero);
}

}  // namespace steptp::certify
