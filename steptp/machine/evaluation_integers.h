#pragma once

// Bodies of Evaluation: integers, bools and comparisons. Included only by the files that make machines.

#include <cstdint>

#include "steptp/arithmetic/integer_rules.h"
#include "steptp/base/text.h"
#include "steptp/machine/evaluation.h"
#include "steptp/machine/open_choices.h"
#include "steptp/machine/subscripts.h"

namespace steptp::certify {

template <typename A>
bool Evaluation<A>::condition(const Node& select, const EvaluationFrame& frame) {
  const bool outcome = integer(select.first, frame) != 0;
  log.note(select.branch, outcome);
  return outcome;
}

template <typename A>
std::int64_t Evaluation<A>::integer(std::uint32_t number, const EvaluationFrame& frame) {
  const Node& node = code.nodes[number];
  switch (node.op) {
    case Op::integer_literal: return node.integer;
    case Op::integer_slot: return frame.slots[node.payload];
    case Op::integer_index: return Subscripts<Evaluation>(*this, frame).value(code.indices[node.payload]);
    case Op::integer_read: return read_integer(code.accesses[node.payload], frame);
    case Op::integer_accumulator: return frame.integer_accumulator;
    case Op::integer_of_real: return integer_of_real(number, frame);
    case Op::integer_wrap: return wrapped(node.dtype, integer(node.first, frame));
    case Op::integer_arithmetic: return integer_arithmetic(node, frame);
    case Op::integer_power:
      return wrapped(node.dtype, wrapped_power(integer(node.first, frame), static_cast<std::uint64_t>(node.integer)));
    case Op::integer_function: return integer_function(node.function, node.dtype, integer(node.first, frame));
    case Op::integer_select:
      if constexpr (A::kIsTyped) return OpenChoices<A>(*this, frame).select_integer(node);
      return integer(condition(node, frame) ? node.second : node.third, frame);
    case Op::compare_reals: return comparison_of_reals(number, frame);
    case Op::compare_integers: return comparison_of_integers(node, frame);
    case Op::logic: return logic(node, frame);
    case Op::real_literal:
    case Op::real_infinity:
    case Op::real_of_integer:
    case Op::real_read:
    case Op::real_accumulator:
    case Op::real_arithmetic:
    case Op::real_function:
    case Op::real_select: break;
  }
  fail(FailureKind::unsupported, "a real where an integer is wanted");
}

template <typename A>
std::int64_t Evaluation<A>::integer_of_real(std::uint32_t number, const EvaluationFrame& frame) {
  const Node& node = code.nodes[number];
  Scratch<A> value(scratch);
  real(node.first, frame, *value);
  if (log.is_traced() && node.dtype == DType::boolean) {
    Scratch<A> zero(scratch);
    arithmetic.integer(*zero, 0);
    trace_reals(node, CompareOp::not_equal, frame, *value, *zero);
  }
  const auto convert = [&] {
    // The result of a statement is judged by the value before the conversion.
    if constexpr (requires { arithmetic.to_integer(*value, node.dtype, true); }) {
      return arithmetic.to_integer(*value, node.dtype, number == frame.statement->right);
    } else {
      return arithmetic.to_integer(*value, node.dtype);
    }
  };
  const std::int64_t converted = convert();
  log.note_conversion(node.dtype, A::identity_of(*value));
  log.note(node.branch, node.dtype == DType::boolean ? converted != 0 : converted < -1 || converted > 1);
  return converted;
}

template <typename A>
std::int64_t Evaluation<A>::integer_arithmetic(const Node& node, const EvaluationFrame& frame) {
  const std::int64_t left = integer(node.first, frame);
  const std::int64_t right = integer(node.second, frame);
  if (right == 0 && (node.arithmetic == ArithmeticOp::floor_divide || node.arithmetic == ArithmeticOp::modulo)) {
    fail(FailureKind::integer_division_by_zero, concat("an integer is divided by zero in ", frame.statement->text));
  }
  return integer_operation(node.arithmetic, node.dtype, left, right);
}

template <typename A>
std::int64_t Evaluation<A>::comparison_of_reals(std::uint32_t number, const EvaluationFrame& frame) {
  const Node& node = code.nodes[number];
  Scratch<A> left(scratch);
  Scratch<A> right(scratch);
  real(node.first, frame, *left);
  real(node.second, frame, *right);
  const bool outcome = arithmetic.compare(node.comparison, *left, *right);
  if constexpr (requires { arithmetic.note_comparison(number, *left, *right); }) {
    arithmetic.note_comparison(number, *left, *right);
  }
  log.note(node.branch, outcome);
  if (log.is_traced()) trace_reals(node, node.comparison, frame, *left, *right);
  return outcome ? 1 : 0;
}

template <typename A>
std::int64_t Evaluation<A>::comparison_of_integers(const Node& node, const EvaluationFrame& frame) {
  const std::int64_t left = integer(node.first, frame);
  const std::int64_t right = integer(node.second, frame);
  const bool outcome = compare_integers(node.comparison, left, right);
  log.note(node.branch, outcome);
  if (log.is_traced()) log.trace_integers(node, *frame.statement, left, right, outcome);
  return outcome ? 1 : 0;
}

template <typename A>
std::int64_t Evaluation<A>::logic(const Node& node, const EvaluationFrame& frame) {
  if constexpr (A::kIsTyped) return OpenChoices<A>(*this, frame).logic(node);
  // Both operands are evaluated, whatever the first one says.
  const bool left = integer(node.first, frame) != 0;
  const bool right = integer(node.second, frame) != 0;
  return (node.logic == LogicOp::conjunction ? left && right : left || right) ? 1 : 0;
}

}  // namespace steptp::certify
