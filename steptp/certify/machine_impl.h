#pragma once

// The bodies of Machine; included only by the files that make one for an arithmetic.

#include <algorithm>
#include <cstddef>

#include "steptp/base/text.h"
#include "steptp/certify/big_stack.h"
#include "steptp/certify/integer_rules.h"
#include "steptp/certify/machine.h"

namespace steptp::certify {

// The address sanitizer cannot follow an exception out of more than 64 MiB of stack.
#if defined(__SANITIZE_ADDRESS__)
#define STEPTP_SHALLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STEPTP_SHALLOW 1
#endif
#endif
#ifdef STEPTP_SHALLOW
inline constexpr std::ptrdiff_t kStackForDefinitions = std::ptrdiff_t{48} << 20;
#else
/// What definitions may take of the stack; the rest is for the expressions in them.
inline constexpr auto kStackForDefinitions = static_cast<std::ptrdiff_t>(kBigStackBytes / 4 * 3);
#endif

template <typename A>
Machine<A>::Machine(const Code& code, A& arithmetic, const InputSource& source, Budget& budget)
    : code_(code),
      arithmetic_(arithmetic),
      source_(source),
      budget_(budget),
      solver_(budget.operations),
      reals_(code.statements.size()),
      integers_(code.statements.size()),
      outcomes_(code.branches.size(), 0) {
  arithmetic_.set_literals(code.literals);
  for (const TensorCode& tensor : code.tensors) {
    const auto at = source.model().numbers.find(tensor.name);
    input_numbers_.push_back(at == source.model().numbers.end() ? 0 : at->second);
  }
}

template <typename A>
auto Machine<A>::output(std::uint32_t tensor, const std::vector<std::int64_t>& element) -> Result<Answer, Failure> {
  stack_start_ = static_cast<const char*>(__builtin_frame_address(0));
  try {
    const Access& access = code_.tensors[tensor].at_end;
    Cell cell;
    for (const std::int64_t subscript : element) cell.at[cell.size++] = subscript;
    Instance instance;
    Answer answer;
    if (!last_write(access.writers, cell, nullptr, instance)) undefined(access, cell);
    answer.is_real = is_float(code_.tensors[tensor].dtype);
    if (answer.is_real) {
      real_after(instance, answer.real);
    } else {
      answer.integer = integer_after(instance);
    }
    return answer;
  } catch (Failure& failure) {
    return std::move(failure);
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
void Machine<A>::check_stack() const {
  if (stack_start_ - static_cast<const char*>(__builtin_frame_address(0)) > kStackForDefinitions) {
    fail(FailureKind::depth, "a chain of definitions is too long");
  }
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
    case Op::real_literal: return arithmetic_.literal(out, node.payload);
    case Op::real_infinity: return arithmetic_.infinity(out, 1);
    case Op::real_of_integer: return arithmetic_.integer(out, integer(node.first, frame));
    case Op::real_read: return read_real(code_.accesses[node.payload], frame, out);
    case Op::real_accumulator: out = *frame.real_accumulator; return;
    case Op::real_arithmetic: {
      Scratch right(*this);
      real(node.first, frame, out);
      real(node.second, frame, *right);
      if (node.branch != kNone) note_fold(node, out, *right);
      if constexpr (A::kIsTyped) arithmetic_.set_type(node.dtype);
      return arithmetic_.arithmetic(node.arithmetic, out, out, *right);
    }
    case Op::real_function:
      real(node.first, frame, out);
      if constexpr (A::kIsTyped) arithmetic_.set_type(node.dtype);
      return arithmetic_.function(node.function, out, out);
    case Op::real_select: return real(condition(node, frame) ? node.second : node.third, frame, out);
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
      const std::int64_t converted = arithmetic_.to_integer(*value, node.dtype);
      converted_.insert(combine(static_cast<Hash>(node.dtype), A::identity_of(*value)));
      note(node.branch, node.dtype == DType::boolean ? converted != 0 : converted < -1 || converted > 1);
      return converted;
    }
    case Op::integer_wrap: return wrapped(node.dtype, integer(node.first, frame));
    case Op::integer_arithmetic: return integer_arithmetic(node, frame);
    case Op::integer_power:
      return wrapped(node.dtype, wrapped_power(integer(node.first, frame), static_cast<std::uint64_t>(node.integer)));
    case Op::integer_function: return integer_function(node.function, node.dtype, integer(node.first, frame));
    case Op::integer_select: return integer(condition(node, frame) ? node.second : node.third, frame);
    case Op::compare_reals: {
      Scratch left(*this);
      Scratch right(*this);
      real(node.first, frame, *left);
      real(node.second, frame, *right);
      const bool outcome = arithmetic_.compare(node.comparison, *left, *right);
      note(node.branch, outcome);
      return outcome ? 1 : 0;
    }
    case Op::compare_integers: {
      const std::int64_t left = integer(node.first, frame);
      const bool outcome = compare_integers(node.comparison, left, integer(node.second, frame));
      note(node.branch, outcome);
      return outcome ? 1 : 0;
    }
    case Op::logic: {
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
void Machine<A>::read_real(const Access& access, const Frame& frame, Value& out) {
  if (code_.tensors[access.tensor].known) {
    arithmetic_.input(out, source_.real(input_numbers_[access.tensor], position(access, frame)));
    if constexpr (A::kIsTyped) arithmetic_.store_input(code_.tensors[access.tensor].dtype, out);
    return;
  }
  Cell cell;
  cell_of(access, frame, cell);
  Instance instance;
  if (!last_write(access.writers, cell, frame.slots, instance)) undefined(access, cell);
  real_after(instance, out);
}

template <typename A>
std::int64_t Machine<A>::read_integer(const Access& access, const Frame& frame) {
  if (code_.tensors[access.tensor].known) {
    return source_.integer(input_numbers_[access.tensor], position(access, frame));
  }
  Cell cell;
  cell_of(access, frame, cell);
  Instance instance;
  if (!last_write(access.writers, cell, frame.slots, instance)) undefined(access, cell);
  return integer_after(instance);
}

// Which write.

template <typename A>
bool Machine<A>::is_later(const Instance& one, const Instance& other) const {
  for (const Writer& writer : code_.statements[one.statement].left.writers) {
    if (writer.statement != other.statement) continue;
    for (std::uint32_t i = 0; i < writer.shared_loops; ++i) {
      if (one.slots[i] != other.slots[i]) return one.slots[i] > other.slots[i];
    }
    return one.statement > other.statement;
  }
  return one.statement > other.statement;
}

template <typename A>
bool Machine<A>::writes_cell(const StatementCode& statement, const Cell& cell, const std::int64_t* slots) {
  const Frame frame{&statement, slots, nullptr, 0};
  for (const std::uint32_t guard : statement.guards) {
    if (integer(guard, frame) == 0) return false;
  }
  Cell written;
  cell_of(statement.left, frame, written);
  return std::equal(cell.at.begin(), cell.at.begin() + static_cast<std::ptrdiff_t>(cell.size), written.at.begin());
}

/// Of a writer that stands first. Subscripts that are single loops leave nothing to search: the greatest iteration that
/// the shared loops allow, unless that takes a step back in an outer loop, which is the solver's business.
template <typename A>
bool Machine<A>::directly(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found,
                          bool& is_decided) const {
  const StatementCode& statement = code_.statements[writer.statement];
  const std::size_t loops = statement.extents.size();
  for (std::size_t i = 0; i < loops; ++i) found[i] = -1;
  for (const DirectSubscript& subscript : statement.direct) {
    const std::int64_t value = cell.at[subscript.number] - subscript.constant;
    if (subscript.slot == kNone) {
      if (value != 0) return false;
      continue;
    }
    if (value < 0 || value >= statement.extents[subscript.slot]) return false;
    if (found[subscript.slot] >= 0 && found[subscript.slot] != value) return false;
    found[subscript.slot] = value;
  }
  bool is_tight = true;
  bool has_free = false;
  for (std::size_t i = 0; i < loops; ++i) {
    if (i >= writer.shared_loops) is_tight = false;
    if (found[i] < 0) {
      found[i] = is_tight ? now[i] : statement.extents[i] - 1;
      has_free = true;
    } else if (is_tight && found[i] != now[i]) {
      if (found[i] > now[i]) {
        is_decided = !has_free;
        return false;
      }
      is_tight = false;
    }
  }
  return true;
}

template <typename A>
bool Machine<A>::last_write_of(const Writer& writer, const Cell& cell, const std::int64_t* now, Slots& found) {
  const StatementCode& statement = code_.statements[writer.statement];
  if (!writer.stands_first && writer.shared_loops == 0) return false;
  if (statement.is_direct && writer.stands_first) {
    bool is_decided = true;
    const bool exists = directly(writer, cell, now, found, is_decided);
    if (is_decided) return exists;
  }
  const CellQuery query{&statement, &statement.left, cell.at.data(), cell.size};
  const PointCheck check = [&](const std::int64_t* slots) { return writes_cell(statement, cell, slots); };
  return solver_.last_before(query, now, writer.shared_loops, !writer.stands_first, check, found.data());
}

template <typename A>
bool Machine<A>::last_write(const std::vector<Writer>& writers, const Cell& cell, const std::int64_t* now,
                            Instance& found) {
  spend(1);
  Instance candidate;
  for (const Writer& writer : writers) {
    Instance& target = found.statement == kNone ? found : candidate;
    if (!last_write_of(writer, cell, now, target.slots)) continue;
    target.statement = writer.statement;
    target.is_partial = writer.shared_loops > code_.statements[writer.statement].private_from;
    if (&target == &candidate && is_later(candidate, found)) found = candidate;
  }
  return found.statement != kNone;
}

template <typename A>
void Machine<A>::undefined(const Access& access, const Cell& cell) const {
  std::string at;
  for (std::size_t i = 0; i < cell.size; ++i) append(at, i > 0 ? "," : "", cell.at[i]);
  fail(FailureKind::undefined_read, concat(code_.tensors[access.tensor].name, "[", at, "] is not defined when read"));
}

// What a write stored.

template <typename A>
std::uint64_t Machine<A>::key_of(const Instance& instance) const {
  std::uint64_t key = 0;
  const std::vector<std::int64_t>& extents = code_.statements[instance.statement].extents;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    key = key * static_cast<std::uint64_t>(extents[i]) + static_cast<std::uint64_t>(instance.slots[i]);
  }
  return key;
}

template <typename A>
void Machine<A>::real_after(const Instance& instance, Value& out) {
  const StatementCode& statement = code_.statements[instance.statement];
  const std::uint64_t key = key_of(instance);
  Memo<Value>& memo = reals_[instance.statement];
  if (const Value* known = memo.find(key)) {
    out = *known;
    return;
  }
  check_stack();
  if (statement.accumulates) {
    accumulate_real(instance, out);
  } else {
    spend(statement.work);
    real(statement.right, Frame{&statement, instance.slots.data(), nullptr, 0}, out);
    if constexpr (A::kIsTyped) arithmetic_.store(statement.dtype, out);
  }
  if (statement.is_cheap) return;
  const std::size_t bytes = Memo<Value>::bytes_per_value() + arithmetic_.extra_bytes(out);
  if (budget_.bytes < bytes) fail(FailureKind::memory, "the budget of bytes is spent");
  budget_.bytes -= bytes;
  memo.put(key, out);
}

template <typename A>
std::int64_t Machine<A>::integer_after(const Instance& instance) {
  const StatementCode& statement = code_.statements[instance.statement];
  const std::uint64_t key = key_of(instance);
  Memo<std::int64_t>& memo = integers_[instance.statement];
  if (const std::int64_t* known = memo.find(key)) return *known;
  check_stack();
  spend(statement.work);
  const std::int64_t value = statement.accumulates
                                 ? accumulate_integer(instance)
                                 : integer(statement.right, Frame{&statement, instance.slots.data(), nullptr, 0});
  const std::size_t bytes = Memo<std::int64_t>::bytes_per_value();
  if (budget_.bytes < bytes) fail(FailureKind::memory, "the budget of bytes is spent");
  budget_.bytes -= bytes;
  memo.put(key, value);
  return value;
}

template <typename A>
void Machine<A>::identity(const StatementCode& statement, Value& out) {
  switch (statement.accumulation) {
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
std::int64_t Machine<A>::integer_identity(const StatementCode& statement) {
  if (statement.accumulation == ArithmeticOp::multiply) return 1;
  if (statement.accumulation == ArithmeticOp::max) return info(statement.dtype).least;
  if (statement.accumulation == ArithmeticOp::min) return info(statement.dtype).greatest;
  return 0;
}

template <typename A>
void Machine<A>::fold_real(const Frame& frame, Value& sum) {
  const Node& node = code_.nodes[frame.statement->right];
  Scratch value(*this);
  // X=X+g, the usual form, adds in place.
  if (node.op == Op::real_arithmetic && code_.nodes[node.first].op == Op::real_accumulator) {
    real(node.second, frame, *value);
    if constexpr (A::kIsTyped) arithmetic_.set_type(node.dtype);
    arithmetic_.arithmetic(node.arithmetic, sum, sum, *value);
  } else {
    real(frame.statement->right, frame, *value);
    sum = *value;
  }
  if constexpr (A::kIsTyped) arithmetic_.store(frame.statement->dtype, sum);
}

template <typename A>
void Machine<A>::accumulate_real(const Instance& instance, Value& out) {
  const StatementCode& statement = code_.statements[instance.statement];
  Cell cell;
  cell_of(statement.left, Frame{&statement, instance.slots.data(), nullptr, 0}, cell);
  Instance before;
  const auto& writers = instance.is_partial ? statement.left.writers : statement.earlier;
  if (last_write(writers, cell, instance.slots.data(), before)) {
    real_after(before, out);
  } else {
    identity(statement, out);
  }
  Slots slots = instance.slots;
  const Frame frame{&statement, slots.data(), &out, 0};
  if (instance.is_partial) {
    spend(statement.work);
    return fold_real(frame, out);
  }
  const CellQuery query{&statement, &statement.left, cell.at.data(), cell.size};
  const PointCheck check = [&](const std::int64_t* at) { return writes_cell(statement, cell, at); };
  solver_.each(query, instance.slots.data(), statement.private_from, check, slots.data(), [&] {
    spend(statement.work);
    fold_real(frame, out);
  });
}

template <typename A>
std::int64_t Machine<A>::accumulate_integer(const Instance& instance) {
  const StatementCode& statement = code_.statements[instance.statement];
  Cell cell;
  cell_of(statement.left, Frame{&statement, instance.slots.data(), nullptr, 0}, cell);
  Instance before;
  const auto& writers = instance.is_partial ? statement.left.writers : statement.earlier;
  Slots slots = instance.slots;
  Frame frame{&statement, slots.data(), nullptr, 0};
  frame.integer_accumulator =
      last_write(writers, cell, instance.slots.data(), before) ? integer_after(before) : integer_identity(statement);
  if (instance.is_partial) return integer(statement.right, frame);
  const CellQuery query{&statement, &statement.left, cell.at.data(), cell.size};
  const PointCheck check = [&](const std::int64_t* at) { return writes_cell(statement, cell, at); };
  solver_.each(query, instance.slots.data(), statement.private_from, check, slots.data(), [&] {
    spend(statement.work);
    frame.integer_accumulator = integer(statement.right, frame);
  });
  return frame.integer_accumulator;
}

}  // namespace steptp::certify
