#pragma once

// What a machine does where comparisons of reals are not decided: a choice evaluates both its arms. Included only by
// the file that makes such a machine.

#include "steptp/base/hash.h"
#include "steptp/machine/machine_folds.h"
#include "steptp/machine/machine_impl.h"
#include "steptp/machine/machine_writes.h"

namespace steptp::certify {

template <typename A>
template <typename Opaque>
auto Machine<A>::output_decision(std::uint32_t tensor, const std::vector<std::int64_t>& element)
    -> Result<typename Opaque::Decision, Failure> {
  try {
    const Access& access = code_.tensors[tensor].at_end;
    Cell cell;
    for (const std::int64_t subscript : element) cell.at[cell.size++] = subscript;
    typename Opaque::Decision made;
    in_steps([&] {
      Instance instance;
      if (!last_write(access.writers, cell, nullptr, instance)) undefined(access, cell);
      made = decide_after<Opaque>(instance);
    });
    return made;
  } catch (Failure& failure) {
    return std::move(failure);
  }
}

template <typename A>
template <typename Opaque>
typename Opaque::Decision Machine<A>::decide(std::uint32_t number, const Frame& frame) {
  const Node& node = code_.nodes[number];
  switch (node.op) {
    case Op::compare_reals: {
      Value left;
      Value right;
      real(node.first, frame, left);
      real(node.second, frame, right);
      const auto made = arithmetic_.decide(node.comparison, left, right);
      note_decision<Opaque>(node.branch, made);
      return made;
    }
    case Op::logic: {
      const auto left = decide<Opaque>(node.first, frame);
      return arithmetic_.both(node.logic, left, decide<Opaque>(node.second, frame));
    }
    case Op::integer_of_real:
      if (node.dtype == DType::boolean) {
        Value value;
        Value zero;
        real(node.first, frame, value);
        arithmetic_.integer(zero, 0);
        const auto made = arithmetic_.decide(CompareOp::not_equal, value, zero);
        note_decision<Opaque>(node.branch, made);
        return made;
      }
      break;
    case Op::integer_select:
      if (node.dtype == DType::boolean) {
        const auto condition = decide<Opaque>(node.first, frame);
        note_decision<Opaque>(node.branch, condition);
        if (condition.state != Opaque::Decision::State::open) {
          refuse_hazards<Opaque>(condition);
          const bool holds = condition.state == Opaque::Decision::State::holds;
          return decide<Opaque>(holds ? node.second : node.third, frame);
        }
        const auto if_true = decide<Opaque>(node.second, frame);
        return arithmetic_.chosen(condition, if_true, decide<Opaque>(node.third, frame));
      }
      break;
    case Op::integer_read: {
      const Access& access = code_.accesses[node.payload];
      if (node.dtype == DType::boolean && !code_.tensors[access.tensor].known) {
        Cell cell;
        cell_of(access, frame, cell);
        Instance instance;
        if (!last_write(access.writers, cell, frame.slots, instance)) undefined(access, cell);
        const typename Opaque::Suspension suspension(arithmetic_);
        return decide_after<Opaque>(instance);
      }
      break;
    }
    case Op::integer_literal:
    case Op::integer_slot:
    case Op::integer_index:
    case Op::integer_accumulator:
    case Op::integer_wrap:
    case Op::integer_arithmetic:
    case Op::integer_power:
    case Op::integer_function:
    case Op::compare_integers:
    case Op::real_literal:
    case Op::real_infinity:
    case Op::real_of_integer:
    case Op::real_read:
    case Op::real_accumulator:
    case Op::real_arithmetic:
    case Op::real_function:
    case Op::real_select: break;
  }
  return arithmetic_.decision(integer(number, frame) != 0);
}

/// What a bool that was stored says.
template <typename A>
template <typename Opaque>
typename Opaque::Decision Machine<A>::decide_after(const Instance& instance) {
  const StatementCode& statement = code_.statements[instance.statement];
  if (statement.accumulates) return arithmetic_.decision(integer_after(instance) != 0);
  const std::uint64_t key = combine(instance.statement, key_of(instance));
  if (const auto known = arithmetic_.decisions.find(key); known != arithmetic_.decisions.end()) return known->second;
  // Conditions are not evaluated in steps, as numbers are.
  if (is_too_deep()) fail(FailureKind::depth, "a chain of definitions is too long");
  spend(statement.work);
  const auto made = decide<Opaque>(statement.right, Frame{&statement, instance.slots.data(), nullptr, 0});
  arithmetic_.decisions.emplace(key, made);
  return made;
}

template <typename A>
template <typename Opaque>
void Machine<A>::choose(const Node& select, const Frame& frame, Value& out) {
  const auto condition = decide<Opaque>(select.first, frame);
  note_decision<Opaque>(select.branch, condition);
  if (condition.state != Opaque::Decision::State::open) {
    refuse_hazards<Opaque>(condition);
    const bool holds = condition.state == Opaque::Decision::State::holds;
    return real(holds ? select.second : select.third, frame, out);
  }
  Value if_true;
  {
    const typename Opaque::Assumption assumption(arithmetic_, condition, true);
    real(select.second, frame, if_true);
  }
  Value if_false;
  {
    const typename Opaque::Assumption assumption(arithmetic_, condition, false);
    real(select.third, frame, if_false);
  }
  arithmetic_.choose(out, condition, if_true, if_false);
}

/// A condition that is decided may have parts that have no value at some inputs, and then it has none itself.
template <typename A>
template <typename Opaque>
void Machine<A>::refuse_hazards(const typename Opaque::Decision& decision) {
  if (decision.hazards != 0) fail(FailureKind::unsupported, "a condition that is decided and may have no value");
}

template <typename A>
template <typename Opaque>
void Machine<A>::note_decision(std::uint32_t branch, const typename Opaque::Decision& decision) {
  using State = typename Opaque::Decision::State;
  if (decision.state != State::fails) note(branch, true);
  if (decision.state != State::holds) note(branch, false);
}

/// A clamp, an abs, a rounding. A number has been drawn or written, and goes one way; all else goes both.
template <typename A>
template <typename Opaque>
void Machine<A>::note_open_fold(const Node& node, const Value& left, const Value& right) {
  const bool is_clamp =
      node.op == Op::real_arithmetic && (node.arithmetic == ArithmeticOp::max || node.arithmetic == ArithmeticOp::min);
  if (is_clamp) return note_decision<Opaque>(node.branch, arithmetic_.decide(CompareOp::greater_equal, left, right));
  if (Opaque::is_number(left) && Opaque::is_number(right)) return;
  note(node.branch, true);
  note(node.branch, false);
}

template <typename A>
template <typename Opaque>
void Machine<A>::real_of_bool(const Node& node, const Frame& frame, Value& out) {
  if (code_.nodes[node.first].dtype != DType::boolean) return arithmetic_.integer(out, integer(node.first, frame));
  const auto condition = decide<Opaque>(node.first, frame);
  if (condition.state != Opaque::Decision::State::open) refuse_hazards<Opaque>(condition);
  Value one;
  Value zero;
  arithmetic_.integer(one, 1);
  arithmetic_.integer(zero, 0);
  arithmetic_.choose(out, condition, one, zero);
}

}  // namespace steptp::certify
