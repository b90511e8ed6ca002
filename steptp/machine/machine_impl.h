#pragma once

// Bodies of Machine: subscripts and expressions; included only by the file that makes machines.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "steptp/arithmetic/integer_rules.h"
#include "steptp/base/text.h"
#include "steptp/machine/big_stack.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

/// What definitions may take of the stack; the rest is for the expressions in them. What is too deep for it is
/// evaluated first, on an empty stack, and then the rest with twice as much: it is never far from there to what is
/// known.
inline constexpr std::ptrdiff_t kStackForDefinitions = std::ptrdiff_t{12} << 20;
/// What has to be free, at least, after something was forgotten.
inline constexpr std::uint64_t kRoom = std::uint64_t{8} << 20;
static_assert(2 * kStackForDefinitions < static_cast<std::ptrdiff_t>(kBigStackBytes / 4));

template <typename A>
Machine<A>::Machine(const Code& code, A& arithmetic, const InputValues& source, Budget& budget)
    : code_(code),
      arithmetic_(arithmetic),
      source_(source),
      budget_(budget),
      solver_(budget.operations),
      first_literal_(arithmetic.add_literals(code.literals)),
      memory_(code),
      outcomes_(code.branches.size(), 0) {
  for (const TensorCode& tensor : code.tensors) input_numbers_.push_back(source.number_of(tensor.name));
  for (Memo<Value>& memo : memory_.reals) reals_.push_back(&memo);
  for (IntegerMemo& memo : memory_.integers) integers_.push_back(&memo);
}

template <typename A>
Machine<A>::Machine(const Code& code, Machine& other, const std::vector<std::uint32_t>& same_as)
    : Machine(code, other.arithmetic_, other.source_, other.budget_) {
  for (std::size_t i = 0; i < same_as.size(); ++i) {
    if (same_as[i] == kNone) continue;
    reals_[i] = other.reals_[same_as[i]];
    integers_[i] = other.integers_[same_as[i]];
  }
  others_memory_ = &other.memory_;
  other.others_memory_ = &memory_;
}

template <typename A>
auto Machine<A>::output(std::uint32_t tensor, const std::vector<std::int64_t>& element) -> Result<Answer, Failure> {
  try {
    const Access& access = code_.tensors[tensor].at_end;
    Cell cell;
    for (const std::int64_t subscript : element) cell.at[cell.size++] = subscript;
    Answer answer;
    answer.is_real = is_float(code_.tensors[tensor].dtype);
    in_steps([&] {
      Instance instance;
      if (!last_write(access.writers, cell, nullptr, instance)) undefined(access, cell);
      if (answer.is_real) {
        real_after(instance, answer.real);
      } else {
        answer.integer = integer_after(instance);
      }
    });
    return answer;
  } catch (Failure& failure) {
    return std::move(failure);
  }
}

template <typename A>
template <typename Work>
void Machine<A>::in_steps(const Work& work) {
  constexpr std::size_t kMostSteps = 1'000'000;
  stack_start_ = static_cast<const char*>(__builtin_frame_address(0));
  std::vector<Instance> first;
  stack_limit_ = kStackForDefinitions;
  for (;;) {
    try {
      if (first.empty()) return work();
      const Instance instance = first.back();
      if (is_float(code_.statements[instance.statement].dtype)) {
        Value value;
        real_after(instance, value);
      } else {
        static_cast<void>(integer_after(instance));
      }
      first.pop_back();
      stack_limit_ = 2 * kStackForDefinitions;
    } catch (const TooDeep& deep) {
      if (first.size() == kMostSteps) fail(FailureKind::depth, "a chain of definitions is too long");
      first.push_back(deep.instance);
      stack_limit_ = kStackForDefinitions;
    }
  }
}

template <typename A>
typename A::Value& Machine<A>::take() {
  if (scratch_used_ == scratch_.size()) scratch_.emplace_back();
  return scratch_[scratch_used_++];
}

template <typename A>
void Machine<A>::spend(std::uint64_t operations) {
  if (budget_.operations < operations) fail(FailureKind::operations, "the budget of operations is spent");
  budget_.operations -= operations;
  if (budget_.stop != nullptr && budget_.stop->load(std::memory_order_relaxed)) {
    fail(FailureKind::operations, "stopped from outside");
  }
}

template <typename A>
bool Machine<A>::is_too_deep() const {
  return stack_start_ - static_cast<const char*>(__builtin_frame_address(0)) > stack_limit_;
}

template <typename A>
void Machine<A>::check_stack(const Instance& instance) const {
  if (is_too_deep()) throw TooDeep{instance};
}

template <typename A>
void Machine<A>::reserve(std::size_t bytes) {
  // Room for one value only would be gone at the next one.
  const std::uint64_t wanted = budget_.bytes < bytes ? std::max<std::uint64_t>(bytes, kRoom) : bytes;
  for (const bool everything : {false, true}) {
    if (budget_.bytes >= wanted) break;
    budget_.bytes += memory_.forget(everything);
    if (others_memory_) budget_.bytes += others_memory_->forget(everything);
  }
  if (budget_.bytes < bytes) fail(FailureKind::memory, "the budget of bytes is spent");
  budget_.bytes -= bytes;
}

template <typename A>
void Machine<A>::note(std::uint32_t branch, bool outcome) {
  if (branch == kNone) return;
  outcomes_[branch] |= outcome ? 2 : 1;
  path_ = path_ * 0x9e3779b97f4a7c15ULL + 2 * static_cast<std::uint64_t>(branch) + (outcome ? 2 : 1);
}

template <typename A>
void Machine<A>::note_fold(const Node& node, const Value& left, const Value& right) {
  if (node.arithmetic == ArithmeticOp::max || node.arithmetic == ArithmeticOp::min) {
    return note(node.branch, arithmetic_.compare(CompareOp::greater_equal, left, right));
  }
  // A quotient beyond -1, 0 and 1 is one of at least twice the divisor.
  Scratch twice(*this);
  Scratch magnitude(*this);
  arithmetic_.arithmetic(ArithmeticOp::add, *twice, right, right);
  arithmetic_.function(Function::abs, *twice, *twice);
  arithmetic_.function(Function::abs, *magnitude, left);
  note(node.branch, arithmetic_.compare(CompareOp::greater_equal, *magnitude, *twice));
}

template <typename A>
void Machine<A>::note_fold(const Node& node, const Value& argument) {
  Scratch limit(*this);
  if (node.function == Function::abs) {
    arithmetic_.integer(*limit, 0);
    return note(node.branch, arithmetic_.compare(CompareOp::greater_equal, argument, *limit));
  }
  arithmetic_.integer(*limit, 2);
  const bool above = arithmetic_.compare(CompareOp::greater_equal, argument, *limit);
  arithmetic_.integer(*limit, -2);
  note(node.branch, above || arithmetic_.compare(CompareOp::less_equal, argument, *limit));
}

template <typename A>
void Machine<A>::trace_reals(const Node& node, CompareOp op, const Frame& frame, const Value& left,
                             const Value& right) {
  if constexpr (requires { arithmetic_.differences(left, right); }) {
    // Infinite because of where it stands: no comparison of data.
    if (A::class_of(left) != ValueClass::finite || A::class_of(right) != ValueClass::finite) return;
    const auto [forwards, backwards] = arithmetic_.differences(left, right);
    const auto statement = static_cast<std::uint32_t>(frame.statement - code_.statements.data());
    const bool is_first = forwards < backwards;
    trace_->push_back({TraceStep::Kind::reals, node.branch, statement, is_first ? forwards : backwards,
                       signs_of(is_first ? op : mirrored(op)), arithmetic_.compare(op, left, right), forwards});
  }
}

template <typename A>
void Machine<A>::trace_integers(const Node& node, const Frame& frame, std::int64_t left, std::int64_t right,
                                bool outcome) {
  const auto statement = static_cast<std::uint32_t>(frame.statement - code_.statements.data());
  const bool on_indices = node.branch != kNone && code_.branches[node.branch].on_indices;
  const std::uint64_t identity =
      combine(combine(static_cast<Hash>(node.comparison), static_cast<Hash>(left)), static_cast<Hash>(right));
  trace_->push_back({on_indices ? TraceStep::Kind::on_indices : TraceStep::Kind::integers, node.branch, statement,
                     identity, 0, outcome, 0});
}

// Subscripts.

template <typename A>
std::int64_t Machine<A>::index(const IndexCode& code, const Frame& frame) {
  std::int64_t total = code.constant;
  if (code.is_linear) {
    for (const LinearPart& part : code.linear) total += part.coefficient * frame.slots[part.slot];
    return total;
  }
  for (const IndexProduct& product : code.terms) {
    std::int64_t value = product.coefficient;
    for (const IndexAtom& factor : product.factors) value = wrapped_multiply(value, atom(factor, frame));
    total = wrapped_add(total, value);
  }
  return total;
}

template <typename A>
std::int64_t Machine<A>::atom(const IndexAtom& atom, const Frame& frame) {
  switch (atom.kind) {
    case IndexAtom::Kind::slot: return frame.slots[atom.slot];
    case IndexAtom::Kind::read: return read_integer(*atom.read, frame);
    case IndexAtom::Kind::quotient:
    case IndexAtom::Kind::remainder: break;
  }
  const std::int64_t dividend = index(*atom.dividend, frame);
  const std::int64_t divisor = index(*atom.divisor, frame);
  if (divisor == 0) fail(FailureKind::integer_division_by_zero, "a subscript is divided by zero");
  return atom.kind == IndexAtom::Kind::quotient ? safe_quotient(dividend, divisor) : safe_remainder(dividend, divisor);
}

template <typename A>
std::int64_t Machine<A>::position(const Access& access, const Frame& frame) {
  if (access.is_flat) {
    std::int64_t total = access.flat_constant;
    for (const LinearPart& part : access.flat) total += part.coefficient * frame.slots[part.slot];
    return total;
  }
  const TensorCode& tensor = code_.tensors[access.tensor];
  std::int64_t total = 0;
  for (std::size_t d = 0; d < access.subscripts.size(); ++d) {
    const std::int64_t value = index(access.subscripts[d], frame);
    if (value < 0 || value >= tensor.shape[d]) {
      fail(FailureKind::out_of_range, concat(tensor.name, " is read at ", value, " along dimension ", d, " of size ",
                                             tensor.shape[d], " in ", frame.statement->text));
    }
    total = total * tensor.shape[d] + value;
  }
  return total;
}

template <typename A>
void Machine<A>::cell_of(const Access& access, const Frame& frame, Cell& cell) {
  if (access.subscripts.size() + access.hidden.size() > kMaxRank) fail(FailureKind::unsupported, "too many subscripts");
  cell.size = 0;
  for (const IndexCode& subscript : access.subscripts) cell.at[cell.size++] = index(subscript, frame);
  for (const IndexCode& hidden : access.hidden) cell.at[cell.size++] = index(hidden, frame);
}

// Expressions.

template <typename A>
void Machine<A>::real(std::uint32_t number, const Frame& frame, Value& out) {
  const Node& node = code_.nodes[number];
  switch (node.op) {
    case Op::real_literal: return arithmetic_.literal(out, first_literal_ + node.payload);
    case Op::real_infinity: return arithmetic_.infinity(out, 1);
    case Op::real_of_integer:
      if constexpr (kIsOpaque) return real_of_bool<A>(node, frame, out);
      if constexpr (A::kIsTyped) return bool_as_real(node, frame, out);
      return arithmetic_.integer(out, integer(node.first, frame));
    case Op::real_read: return read_real(code_.accesses[node.payload], frame, out);
    case Op::real_accumulator: out = *frame.real_accumulator; return;
    case Op::real_arithmetic: {
      Scratch right(*this);
      real(node.first, frame, out);
      real(node.second, frame, *right);
      if (node.branch != kNone) {
        if constexpr (kIsOpaque) {
          note_open_fold<A>(node, out, *right);
        } else if constexpr (!A::kIsTyped) {
          note_fold(node, out, *right);
        }
      }
      if (trace_ && is_extremum(node.arithmetic)) trace_reals(node, CompareOp::greater_equal, frame, out, *right);
      if constexpr (requires { arithmetic_.note_comparison(number, out, *right); }) {
        if (is_extremum(node.arithmetic)) arithmetic_.note_comparison(number, out, *right);
      }
      if constexpr (A::kIsTyped) arithmetic_.set_type(node.dtype);
      return arithmetic_.arithmetic(node.arithmetic, out, out, *right);
    }
    case Op::real_function:
      real(node.first, frame, out);
      if (trace_ && node.function == Function::abs) {
        Scratch zero(*this);
        arithmetic_.integer(*zero, 0);
        trace_reals(node, CompareOp::greater_equal, frame, out, *zero);
      }
      if (node.branch != kNone) {
        if constexpr (kIsOpaque) {
          note_open_fold<A>(node, out, out);
        } else if constexpr (!A::kIsTyped) {
          note_fold(node, out);
        }
      }
      if constexpr (A::kIsTyped) arithmetic_.set_type(node.dtype);
      return arithmetic_.function(node.function, out, out);
    case Op::real_select:
      if constexpr (kIsOpaque) return choose<A>(node, frame, out);
      if constexpr (A::kIsTyped) return select_real(node, frame, out);
      return real(condition(node, frame) ? node.second : node.third, frame, out);
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
bool Machine<A>::condition(const Node& select, const Frame& frame) {
  const bool outcome = integer(select.first, frame) != 0;
  note(select.branch, outcome);
  return outcome;
}

template <typename A>
std::int64_t Machine<A>::integer(std::uint32_t number, const Frame& frame) {
  const Node& node = code_.nodes[number];
  switch (node.op) {
    case Op::integer_literal: return node.integer;
    case Op::integer_slot: return frame.slots[node.payload];
    case Op::integer_index: return index(code_.indices[node.payload], frame);
    case Op::integer_read: return read_integer(code_.accesses[node.payload], frame);
    case Op::integer_accumulator: return frame.integer_accumulator;
    case Op::integer_of_real: {
      Scratch value(*this);
      real(node.first, frame, *value);
      if (trace_ && node.dtype == DType::boolean) {
        Scratch zero(*this);
        arithmetic_.integer(*zero, 0);
        trace_reals(node, CompareOp::not_equal, frame, *value, *zero);
      }
      const auto convert = [&] {
        // The result of a statement is judged by the value before the conversion.
        if constexpr (requires { arithmetic_.to_integer(*value, node.dtype, true); }) {
          return arithmetic_.to_integer(*value, node.dtype, number == frame.statement->right);
        } else {
          return arithmetic_.to_integer(*value, node.dtype);
        }
      };
      const std::int64_t converted = convert();
      converted_.insert(combine(static_cast<Hash>(node.dtype), A::identity_of(*value)));
      note(node.branch, node.dtype == DType::boolean ? converted != 0 : converted < -1 || converted > 1);
      return converted;
    }
    case Op::integer_wrap: return wrapped(node.dtype, integer(node.first, frame));
    case Op::integer_arithmetic: return integer_arithmetic(node, frame);
    case Op::integer_power:
      return wrapped(node.dtype, wrapped_power(integer(node.first, frame), static_cast<std::uint64_t>(node.integer)));
    case Op::integer_function: return integer_function(node.function, node.dtype, integer(node.first, frame));
    case Op::integer_select:
      if constexpr (A::kIsTyped) return select_integer(node, frame);
      return integer(condition(node, frame) ? node.second : node.third, frame);
    case Op::compare_reals: {
      Scratch left(*this);
      Scratch right(*this);
      real(node.first, frame, *left);
      real(node.second, frame, *right);
      const bool outcome = arithmetic_.compare(node.comparison, *left, *right);
      if constexpr (requires { arithmetic_.note_comparison(number, *left, *right); }) {
        arithmetic_.note_comparison(number, *left, *right);
      }
      note(node.branch, outcome);
      if (trace_) trace_reals(node, node.comparison, frame, *left, *right);
      return outcome ? 1 : 0;
    }
    case Op::compare_integers: {
      const std::int64_t left = integer(node.first, frame);
      const std::int64_t right = integer(node.second, frame);
      const bool outcome = compare_integers(node.comparison, left, right);
      note(node.branch, outcome);
      if (trace_) trace_integers(node, frame, left, right, outcome);
      return outcome ? 1 : 0;
    }
    case Op::logic: {
      if constexpr (A::kIsTyped) return logic_of_open(node, frame);
      // Both operands are evaluated, whatever the first one says.
      const bool left = integer(node.first, frame) != 0;
      const bool right = integer(node.second, frame) != 0;
      return (node.logic == LogicOp::conjunction ? left && right : left || right) ? 1 : 0;
    }
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
std::int64_t Machine<A>::integer_arithmetic(const Node& node, const Frame& frame) {
  const std::int64_t left = integer(node.first, frame);
  const std::int64_t right = integer(node.second, frame);
  if (right == 0 && (node.arithmetic == ArithmeticOp::floor_divide || node.arithmetic == ArithmeticOp::modulo)) {
    fail(FailureKind::integer_division_by_zero, concat("an integer is divided by zero in ", frame.statement->text));
  }
  return integer_operation(node.arithmetic, node.dtype, left, right);
}

template <typename A>
const Access& Machine<A>::seen(const Access& access) {
  return !A::kIsTyped && access.source ? *access.source : access;
}

template <typename A>
void Machine<A>::read_real(const Access& access, const Frame& frame, Value& out) {
  const Access& source = seen(access);
  if (code_.tensors[source.tensor].known) {
    const std::size_t number = input_numbers_[source.tensor];
    if constexpr (kIsOpaque) {
      const InputValues::Knowledge& known = source_.knowledge(number);
      const std::int64_t place = position(source, frame);
      if (known.is_constant) {
        arithmetic_.constant(out, source_.real(number, place));
      } else {
        arithmetic_.unknown(out, source_.bits(number, place), known.domain, known.may_be_nan);
      }
    } else if constexpr (requires { A::input(out, 0.0); }) {
      const ChosenInputs* chosen = source_.chosen(number);
      const std::int64_t place = position(source, frame);
      if (chosen) {
        A::input(out, chosen->real(number, place));
      } else {
        arithmetic_.input(out, source_.real(number, place));
      }
    } else {
      arithmetic_.input(out, source_.real(number, position(source, frame)));
    }
    if constexpr (A::kIsTyped) arithmetic_.store_input(code_.tensors[source.tensor].dtype, out);
    if constexpr (requires { arithmetic_.name_input(out, number, std::int64_t{0}); }) {
      arithmetic_.name_input(out, number, position(source, frame));
    }
    return;
  }
  Instance instance;
  if (!original(source, frame.slots, instance)) {
    Cell cell;
    cell_of(access, frame, cell);
    if (!last_write(access.writers, cell, frame.slots, instance)) undefined(access, cell);
  }
  if constexpr (kIsOpaque) {
    const typename A::Suspension suspension(arithmetic_);
    return real_after(instance, out);
  }
  real_after(instance, out);
}

template <typename A>
std::int64_t Machine<A>::read_integer(const Access& access, const Frame& frame) {
  if (code_.tensors[access.tensor].known) {
    return source_.integer(input_numbers_[access.tensor], position(access, frame));
  }
  Instance instance;
  if (original(access, frame.slots, instance)) return integer_after(instance);
  Cell cell;
  cell_of(access, frame, cell);
  if (!last_write(access.writers, cell, frame.slots, instance)) undefined(access, cell);
  return integer_after(instance);
}

}  // namespace steptp::certify
