#pragma once

// Bodies of Machine: decisions that rounding errors leave open, in arithmetics with a running error bound. Where data
// is compared so closely that exact numbers may decide otherwise, a selection of reals takes what was computed, with a
// bound that holds for the other side as well. An open decision that nobody covers spoils the value that is made of it:
// its error is infinite, and so is that of all that comes of it. Included only by the file that makes machines.

#include "steptp/arithmetic/open_decisions.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

template <typename A>
auto Machine<A>::truth_of(std::uint32_t number, const Frame& frame) -> Truth {
  Truth truth;
  if constexpr (A::kIsTyped) {
    OpenDecisions::Watch watch(arithmetic_.decisions());
    truth.value = integer(number, frame) != 0;
    truth.is_open = watch.take_open();
  }
  return truth;
}

/// One side that is sure can decide it, whatever the other one is.
template <typename A>
std::int64_t Machine<A>::logic_of_open(const Node& node, const Frame& frame) {
  const Truth left = truth_of(node.first, frame);
  const Truth right = truth_of(node.second, frame);
  const bool is_conjunction = node.logic == LogicOp::conjunction;
  const auto decides = [&](const Truth& side) { return !side.is_open && side.value != is_conjunction; };
  if constexpr (A::kIsTyped) {
    if ((left.is_open || right.is_open) && !decides(left) && !decides(right)) arithmetic_.decisions().leave_open();
  }
  return (is_conjunction ? left.value && right.value : left.value || right.value) ? 1 : 0;
}

/// The condition depends on more than indices.
[[nodiscard]] inline bool reads_data(const Code& code, std::uint32_t number) {
  if (number == kNone) return false;
  const Node& node = code.nodes[number];
  switch (node.op) {
    case Op::real_read:
    case Op::integer_read:
    case Op::real_accumulator:
    case Op::integer_accumulator: return true;
    case Op::integer_index: return code.indices[node.payload].reads_data;
    default: break;
  }
  return reads_data(code, node.first) || reads_data(code, node.second) || reads_data(code, node.third);
}

template <typename A>
void Machine<A>::select_real(const Node& node, const Frame& frame, Value& out) {
  const Truth truth = truth_of(node.first, frame);
  note(node.branch, truth.value);
  real(truth.value ? node.second : node.third, frame, out);
  if constexpr (A::kIsTyped) {
    // Both branches have one type: a literal beside an f16 is an f16.
    if constexpr (A::kConvertsBranches) arithmetic_.store(node.dtype, out);
    // What data chooses is not the same at all inputs, even where both branches are literals.
    if constexpr (requires { A::make_variable(out); }) {
      if (A::is_same_at_all_inputs(out) && reads_data(code_, node.first)) A::make_variable(out);
    }
    if (!truth.is_open) return;
    Scratch other(*this);
    real(truth.value ? node.third : node.second, frame, *other);
    if constexpr (A::kConvertsBranches) arithmetic_.store(node.dtype, *other);
    arithmetic_.cover(out, *other);
  }
}

template <typename A>
std::int64_t Machine<A>::select_integer(const Node& node, const Frame& frame) {
  const Truth truth = truth_of(node.first, frame);
  note(node.branch, truth.value);
  const std::int64_t taken = integer(truth.value ? node.second : node.third, frame);
  if constexpr (A::kIsTyped) {
    if (truth.is_open && integer(truth.value ? node.third : node.second, frame) != taken)
      arithmetic_.decisions().leave_open();
  }
  return taken;
}

template <typename A>
void Machine<A>::bool_as_real(const Node& node, const Frame& frame, Value& out) {
  if constexpr (A::kIsTyped) {
    if (code_.nodes[node.first].dtype != DType::boolean) return arithmetic_.integer(out, integer(node.first, frame));
    const Truth truth = truth_of(node.first, frame);
    arithmetic_.integer(out, truth.value ? 1 : 0);
    if (truth.is_open) arithmetic_.cover_bool(out);
  }
}

}  // namespace steptp::certify
