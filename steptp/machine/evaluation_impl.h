#pragma once

// Bodies of Evaluation: expressions, and what a write stored. Included only by the files that make machines.

#include <cstddef>
#include <cstdint>

#include "steptp/arithmetic/integer_rules.h"
#include "steptp/arithmetic/open_decisions.h"
#include "steptp/base/text.h"
#include "steptp/machine/evaluation.h"
#include "steptp/machine/folds.h"
#include "steptp/machine/lane_folds.h"
#include "steptp/machine/opaque_choices.h"
#include "steptp/machine/open_choices.h"
#include "steptp/machine/subscripts.h"
#include "steptp/machine/thread_order.h"

namespace steptp::certify {

template <typename A>
Evaluation<A>::Evaluation(const Code& program, A& numbers, const InputValues& values, Budget& allowed)
    : code(program),
      arithmetic(numbers),
      inputs(values),
      budget(allowed),
      store(program, allowed),
      log(program),
      writes(program, allowed,
             [this](const StatementCode& statement, const Cell& cell, const std::int64_t* slots) {
               return writes_cell(statement, cell, slots);
             }),
      lanes(*this),
      choices(*this),
      first_literal_(numbers.add_literals(program.literals)) {
  for (const TensorCode& tensor : program.tensors) input_numbers.push_back(values.number_of(tensor.name));
}

template <typename A>
template <typename Use>
void Evaluation<A>::with_last_write(std::uint32_t tensor, const std::vector<std::int64_t>& element, const Use& use) {
  const Access& access = code.tensors[tensor].at_end;
  Cell cell;
  for (const std::int64_t subscript : element) cell.at[cell.size++] = subscript;
  const auto work = [&] {
    Instance instance;
    if (!writes.last(access.writers, cell, nullptr, instance)) writes.undefined(access, cell);
    use(instance);
  };
  stack.in_steps(work, [&](const Instance& instance) {
    if (is_float(code.statements[instance.statement].dtype)) {
      Value value;
      real_after(instance, value);
    } else {
      static_cast<void>(integer_after(instance));
    }
  });
}

// What a write stored.

template <typename A>
std::uint64_t Evaluation<A>::key_of(const Instance& instance) const {
  std::uint64_t key = 0;
  const std::vector<std::int64_t>& extents = code.statements[instance.statement].extents;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    key = key * static_cast<std::uint64_t>(extents[i]) + static_cast<std::uint64_t>(instance.slots[i]);
  }
  return key;
}

template <typename A>
void Evaluation<A>::real_after(const Instance& instance, Value& out) {
  const StatementCode& statement = code.statements[instance.statement];
  const std::uint64_t key = key_of(instance);
  if (const Value* known = store.find(instance.statement, key)) {
    out = *known;
    return;
  }
  // What is cheap is not remembered, so it cannot be evaluated in advance, and it is never deep.
  if (!statement.is_cheap) stack.check(instance);
  if constexpr (A::kIsTyped) {
    OpenDecisions::Watch watch(arithmetic.decisions());
    compute_real(instance, out);
    if (statement.is_given) A::give(out);
    if (watch.take_open()) A::lose(out);
    if constexpr (requires { arithmetic.settle(out); }) arithmetic.settle(out);
  } else {
    compute_real(instance, out);
  }
  if (!statement.is_cheap) store.put(instance.statement, key, out, arithmetic.extra_bytes(out));
}

template <typename A>
void Evaluation<A>::compute_real(const Instance& instance, Value& out) {
  if constexpr (requires { A::kFollowsThreads; }) {
    const auto fold = thread_folds.find(instance.statement);
    if (fold != thread_folds.end()) return ThreadOrder<A>(*this, fold->second, instance).accumulate(out);
  }
  const StatementCode& statement = code.statements[instance.statement];
  if (statement.accumulates) return Folds<A>(*this, statement).accumulate(instance, out);
  spend(statement.work);
  real(statement.right, {&statement, instance.slots.data(), nullptr, 0}, out);
  if constexpr (A::kIsTyped) arithmetic.store(statement.dtype, out);
}

template <typename A>
std::int64_t Evaluation<A>::integer_after(const Instance& instance) {
  const std::uint64_t key = key_of(instance);
  const std::int64_t* known = store.find_integer(instance.statement, key);
  const std::int64_t value = known ? *known : compute_integer(instance, key);
  if constexpr (A::kIsTyped) {
    if (store.is_open(instance.statement, key)) arithmetic.decisions().leave_open();
  }
  return value;
}

template <typename A>
std::int64_t Evaluation<A>::compute_integer(const Instance& instance, std::uint64_t key) {
  const StatementCode& statement = code.statements[instance.statement];
  stack.check(instance);
  spend(statement.work);
  const auto compute = [&] {
    return statement.accumulates ? Folds<A>(*this, statement).accumulate_integer(instance)
                                 : integer(statement.right, {&statement, instance.slots.data(), nullptr, 0});
  };
  std::int64_t value = 0;
  bool is_open = false;
  if constexpr (A::kIsTyped) {
    OpenDecisions::Watch watch(arithmetic.decisions());
    value = compute();
    is_open = watch.take_open();
  } else {
    value = compute();
  }
  store.put_integer(instance.statement, key, value, is_open);
  return value;
}

template <typename A>
bool Evaluation<A>::writes_cell(const StatementCode& statement, const Cell& cell, const std::int64_t* slots) {
  const EvaluationFrame frame{&statement, slots, nullptr, 0};
  for (const std::uint32_t guard : statement.guards) {
    if (integer(guard, frame) == 0) return false;
  }
  Cell written;
  cell_of(statement.left, frame, written);
  return std::equal(cell.at.begin(), cell.at.begin() + static_cast<std::ptrdiff_t>(cell.size), written.at.begin());
}

// Reads.

template <typename A>
std::int64_t Evaluation<A>::position(const Access& access, const EvaluationFrame& frame) {
  return Subscripts<Evaluation>(*this, frame).position(access);
}

template <typename A>
void Evaluation<A>::cell_of(const Access& access, const EvaluationFrame& frame, Cell& cell) {
  Subscripts<Evaluation>(*this, frame).cell(access, cell);
}

template <typename A>
void Evaluation<A>::read_input(const Access& access, const EvaluationFrame& frame, Value& out) {
  const std::size_t number = input_numbers[access.tensor];
  const std::int64_t place = position(access, frame);
  if constexpr (kIsOpaque<A>) {
    const InputValues::Knowledge& known = inputs.knowledge(number);
    if (known.is_constant) {
      arithmetic.constant(out, inputs.real(number, place));
    } else {
      arithmetic.unknown(out, inputs.bits(number, place), known.domain, known.may_be_nan);
    }
  } else if constexpr (requires { A::input(out, 0.0); }) {
    const ChosenInputs* chosen = inputs.chosen(number);
    if (chosen) {
      A::input(out, chosen->real(number, place));
    } else {
      arithmetic.input(out, inputs.real(number, place));
    }
  } else {
    arithmetic.input(out, inputs.real(number, place));
  }
  if constexpr (A::kIsTyped) arithmetic.store_input(code.tensors[access.tensor].dtype, out);
  // The subscripts are evaluated once more, as the operations that this takes have always been counted.
  if constexpr (requires { arithmetic.name_input(out, number, place); }) {
    arithmetic.name_input(out, number, position(access, frame));
  }
}

template <typename A>
void Evaluation<A>::read_real(const Access& access, const EvaluationFrame& frame, Value& out) {
  const Access& source = seen(access);
  if (code.tensors[source.tensor].known) return read_input(source, frame, out);
  Instance instance;
  if (!writes.original(source, frame.slots, instance)) {
    Cell cell;
    cell_of(access, frame, cell);
    if (!writes.last(access.writers, cell, frame.slots, instance)) writes.undefined(access, cell);
  }
  if constexpr (kIsOpaque<A>) {
    const typename A::Suspension suspension(arithmetic);
    return real_after(instance, out);
  }
  real_after(instance, out);
}

template <typename A>
std::int64_t Evaluation<A>::read_integer(const Access& access, const EvaluationFrame& frame) {
  if (code.tensors[access.tensor].known) {
    return inputs.integer(input_numbers[access.tensor], position(access, frame));
  }
  Instance instance;
  if (writes.original(access, frame.slots, instance)) return integer_after(instance);
  Cell cell;
  cell_of(access, frame, cell);
  if (!writes.last(access.writers, cell, frame.slots, instance)) writes.undefined(access, cell);
  return integer_after(instance);
}

// Reals.

template <typename A>
void Evaluation<A>::real(std::uint32_t number, const EvaluationFrame& frame, Value& out) {
  const Node& node = code.nodes[number];
  switch (node.op) {
    case Op::real_literal: return arithmetic.literal(out, first_literal_ + node.payload);
    case Op::real_infinity: return arithmetic.infinity(out, 1);
    case Op::real_of_integer: return real_of_integer(node, frame, out);
    case Op::real_read: return read_real(code.accesses[node.payload], frame, out);
    case Op::real_accumulator: out = *frame.real_accumulator; return;
    case Op::real_arithmetic: return real_arithmetic(number, frame, out);
    case Op::real_function: return real_function(node, frame, out);
    case Op::real_select: return real_select(node, frame, out);
    case Op::integer_literal:
    case Op::integer_slot:
    case Op::integer_index:
    case Op::integer_read:
    case Op::integer_accumulator:
    case Op::integer_of_real:
    case Op::integer_wrap:
    case Op::integer_arithmetic:
    case Op::integer_power:
    case Op::integer_function:
    case Op::integer_select:
    case Op::compare_reals:
    case Op::compare_integers:
    case Op::logic: break;
  }
  fail(FailureKind::unsupported, "an integer where a real is wanted");
}

template <typename A>
void Evaluation<A>::real_of_integer(const Node& node, const EvaluationFrame& frame, Value& out) {
  if constexpr (kIsOpaque<A>) return choices.real_of_bool(node, frame, out);
  if constexpr (A::kIsTyped) return OpenChoices<A>(*this, frame).bool_as_real(node, out);
  arithmetic.integer(out, integer(node.first, frame));
}

template <typename A>
void Evaluation<A>::real_select(const Node& node, const EvaluationFrame& frame, Value& out) {
  if constexpr (kIsOpaque<A>) return choices.choose(node, frame, out);
  if constexpr (A::kIsTyped) return OpenChoices<A>(*this, frame).select_real(node, out);
  real(condition(node, frame) ? node.second : node.third, frame, out);
}

template <typename A>
void Evaluation<A>::real_arithmetic(std::uint32_t number, const EvaluationFrame& frame, Value& out) {
  const Node& node = code.nodes[number];
  Scratch<A> right(scratch);
  real(node.first, frame, out);
  real(node.second, frame, *right);
  if (node.branch != kNone) {
    if constexpr (kIsOpaque<A>) {
      choices.note_fold(node, out, *right);
    } else if constexpr (!A::kIsTyped) {
      note_fold(node, out, *right);
    }
  }
  if (log.is_traced() && is_extremum(node.arithmetic)) {
    trace_reals(node, CompareOp::greater_equal, frame, out, *right);
  }
  if constexpr (requires { arithmetic.note_comparison(number, out, *right); }) {
    if (is_extremum(node.arithmetic)) arithmetic.note_comparison(number, out, *right);
  }
  if constexpr (A::kIsTyped) arithmetic.set_type(node.dtype);
  arithmetic.arithmetic(node.arithmetic, out, out, *right);
}

template <typename A>
void Evaluation<A>::real_function(const Node& node, const EvaluationFrame& frame, Value& out) {
  real(node.first, frame, out);
  if (log.is_traced() && node.function == Function::abs) {
    Scratch<A> zero(scratch);
    arithmetic.integer(*zero, 0);
    trace_reals(node, CompareOp::greater_equal, frame, out, *zero);
  }
  if (node.branch != kNone) {
    if constexpr (kIsOpaque<A>) {
      choices.note_fold(node, out, out);
    } else if constexpr (!A::kIsTyped) {
      note_fold(node, out);
    }
  }
  if constexpr (A::kIsTyped) arithmetic.set_type(node.dtype);
  arithmetic.function(node.function, out, out);
}

template <typename A>
void Evaluation<A>::note_fold(const Node& node, const Value& left, const Value& right) {
  if (is_extremum(node.arithmetic)) {
    return log.note(node.branch, arithmetic.compare(CompareOp::greater_equal, left, right));
  }
  // A quotient beyond -1, 0 and 1 is one of at least twice the divisor.
  Scratch<A> twice(scratch);
  Scratch<A> magnitude(scratch);
  arithmetic.arithmetic(ArithmeticOp::add, *twice, right, right);
  arithmetic.function(Function::abs, *twice, *twice);
  arithmetic.function(Function::abs, *magnitude, left);
  log.note(node.branch, arithmetic.compare(CompareOp::greater_equal, *magnitude, *twice));
}

template <typename A>
void Evaluation<A>::note_fold(const Node& node, const Value& argument) {
  Scratch<A> limit(scratch);
  if (node.function == Function::abs) {
    arithmetic.integer(*limit, 0);
    return log.note(node.branch, arithmetic.compare(CompareOp::greater_equal, argument, *limit));
  }
  arithmetic.integer(*limit, 2);
  const bool above = arithmetic.compare(CompareOp::greater_equal, argument, *limit);
  arithmetic.integer(*limit, -2);
  log.note(node.branch, above || arithmetic.compare(CompareOp::less_equal, argument, *limit));
}

template <typename A>
void Evaluation<A>::trace_reals(const Node& node, CompareOp op, const EvaluationFrame& frame, const Value& left,
                                const Value& right) {
  if constexpr (requires { arithmetic.differences(left, right); }) {
    // Infinite because of where it stands: no comparison of data.
    if (A::class_of(left) != ValueClass::finite || A::class_of(right) != ValueClass::finite) return;
    const auto [forwards, backwards] = arithmetic.differences(left, right);
    const bool is_first = forwards < backwards;
    log.trace_reals({TraceStep::Kind::reals, node.branch, log.number_of(*frame.statement),
                     is_first ? forwards : backwards, signs_of(is_first ? op : mirrored(op)),
                     arithmetic.compare(op, left, right), forwards});
  }
}

}  // namespace steptp::certify
