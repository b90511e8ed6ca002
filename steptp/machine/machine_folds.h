#pragma once

// Bodies of Machine: what a write stored, and accumulations; included only by the file that makes machines.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "steptp/arithmetic/open_decisions.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

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
  Memo<Value>& memo = *reals_[instance.statement];
  if (const Value* known = memo.find(key)) {
    out = *known;
    return;
  }
  // What is cheap is not remembered, so it cannot be evaluated in advance, and it is never deep.
  if (!statement.is_cheap) check_stack(instance);
  if constexpr (A::kIsTyped) {
    OpenDecisions::Watch watch(arithmetic_.decisions());
    compute_real(instance, out);
    if (statement.is_given) A::give(out);
    if (watch.take_open()) A::lose(out);
    if constexpr (requires { arithmetic_.settle(out); }) arithmetic_.settle(out);
  } else {
    compute_real(instance, out);
  }
  if (!statement.is_cheap) remember(instance.statement, key, out);
}

template <typename A>
void Machine<A>::compute_real(const Instance& instance, Value& out) {
  const StatementCode& statement = code_.statements[instance.statement];
  if (statement.accumulates) return accumulate_real(instance, out);
  spend(statement.work);
  real(statement.right, Frame{&statement, instance.slots.data(), nullptr, 0}, out);
  if constexpr (A::kIsTyped) arithmetic_.store(statement.dtype, out);
}

template <typename A>
void Machine<A>::remember(std::uint32_t statement, std::uint64_t key, const Value& value) {
  const std::size_t bytes = Memo<Value>::bytes_per_value() + arithmetic_.extra_bytes(value);
  reserve(bytes);
  reals_[statement]->put(key, value, bytes);
}

template <typename A>
std::int64_t Machine<A>::integer_after(const Instance& instance) {
  const std::uint64_t key = key_of(instance);
  IntegerMemo& memo = *integers_[instance.statement];
  const std::int64_t* known = memo.values.find(key);
  const std::int64_t value = known ? *known : compute_integer(instance, key);
  if constexpr (A::kIsTyped) {
    if (memo.open.contains(key)) arithmetic_.decisions().leave_open();
  }
  return value;
}

template <typename A>
std::int64_t Machine<A>::compute_integer(const Instance& instance, std::uint64_t key) {
  const StatementCode& statement = code_.statements[instance.statement];
  check_stack(instance);
  spend(statement.work);
  const auto compute = [&] {
    return statement.accumulates ? accumulate_integer(instance)
                                 : integer(statement.right, Frame{&statement, instance.slots.data(), nullptr, 0});
  };
  std::int64_t value = 0;
  bool is_open = false;
  if constexpr (A::kIsTyped) {
    OpenDecisions::Watch watch(arithmetic_.decisions());
    value = compute();
    is_open = watch.take_open();
  } else {
    value = compute();
  }
  reserve(Memo<std::int64_t>::bytes_per_value());
  IntegerMemo& memo = *integers_[instance.statement];
  memo.values.put(key, value, Memo<std::int64_t>::bytes_per_value());
  if (is_open) memo.open.insert(key);
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

[[nodiscard]] inline bool has_accumulator(const Code& code, std::uint32_t number) {
  if (number == kNone) return false;
  const Node& node = code.nodes[number];
  if (node.op == Op::real_accumulator) return true;
  if (node.op != Op::real_arithmetic) return false;
  return has_accumulator(code, node.first) || has_accumulator(code, node.second);
}

/// What is charged in any order. A sum that is done once for an element is one round of it in the first program, unless
/// it is done in a wider type, and an operation as it is written in the second.
template <typename A>
[[nodiscard]] bool is_sum_of_rounds(const A& arithmetic, const Code& code, const StatementCode& statement) {
  if (statement.accumulation != ArithmeticOp::add) return false;
  if (statement.has_rounds) return true;
  return arithmetic.is_first() && code.nodes[statement.right].dtype == statement.dtype;
}

template <typename A>
void Machine<A>::fold_real(const Frame& frame, Value& sum) {
  const Node& node = code_.nodes[frame.statement->right];
  if constexpr (A::kIsTyped && requires { arithmetic_.accumulate(sum, sum, false, DType::f64); }) {
    if (is_sum_of_rounds(arithmetic_, code_, *frame.statement)) return add_terms(frame.statement->right, frame, sum);
  }
  Scratch value(*this);
  // X=X+g, the usual form, adds in place.
  if (node.op == Op::real_arithmetic && code_.nodes[node.first].op == Op::real_accumulator) {
    real(node.second, frame, *value);
    if (trace_ && is_extremum(node.arithmetic)) trace_reals(node, CompareOp::greater_equal, frame, sum, *value);
    if constexpr (A::kIsTyped) arithmetic_.set_type(node.dtype);
    arithmetic_.arithmetic(node.arithmetic, sum, sum, *value);
  } else {
    real(frame.statement->right, frame, *value);
    sum = *value;
  }
  if constexpr (A::kIsTyped) arithmetic_.store(frame.statement->dtype, sum);
}

/// The summands of one round as they are written: (X+a)+b adds two, X+(a+b) adds one.
template <typename A>
void Machine<A>::add_terms(std::uint32_t number, const Frame& frame, Value& sum) {
  if constexpr (requires { arithmetic_.accumulate(sum, sum, false, DType::f64); }) {
    const Node& node = code_.nodes[number];
    if (node.op == Op::real_accumulator) return;
    const bool is_sum = node.op == Op::real_arithmetic &&
                        (node.arithmetic == ArithmeticOp::add || node.arithmetic == ArithmeticOp::subtract);
    const bool is_first = is_sum && has_accumulator(code_, node.first);
    if (!is_first && !(is_sum && node.arithmetic == ArithmeticOp::add && has_accumulator(code_, node.second))) {
      fail(FailureKind::unsupported, "an accumulation of another form");
    }
    add_terms(is_first ? node.first : node.second, frame, sum);
    Value term;
    real(is_first ? node.second : node.first, frame, term);
    arithmetic_.accumulate(sum, term, is_first && node.arithmetic == ArithmeticOp::subtract, frame.statement->dtype);
  }
}

template <typename A>
void Machine<A>::accumulate_real(const Instance& instance, Value& out) {
  fold_rounds(instance, out);
  const StatementCode& statement = code_.statements[instance.statement];
  if constexpr (requires { arithmetic_.finish_accumulation(out, DType::f64); }) {
    if (is_sum_of_rounds(arithmetic_, code_, statement)) arithmetic_.finish_accumulation(out, statement.dtype);
  }
}

template <typename A>
void Machine<A>::fold_rounds(const Instance& instance, Value& out) {
  const StatementCode& statement = code_.statements[instance.statement];
  Cell cell;
  cell_of(statement.left, Frame{&statement, instance.slots.data(), nullptr, 0}, cell);
  if (instance.is_partial) return accumulate_partly(instance, cell, out);
  start_of(instance, cell, out);
  if (statement.is_direct) return fold_box(statement, box_of(statement, instance.slots), out);
  const CellQuery query{&statement, &statement.left, cell.at.data(), cell.size};
  const PointCheck check = [&](const std::int64_t* at) { return writes_cell(statement, cell, at); };
  solver_.each_box(query, instance.slots.data(), statement.private_from, check,
                   [&](const std::vector<Range>& box) { fold_box(statement, box, out); });
}

/// What an accumulation starts from: the write before the first of the neighbours, or the identity.
template <typename A>
void Machine<A>::start_of(const Instance& instance, const Cell& cell, Value& out) {
  const StatementCode& statement = code_.statements[instance.statement];
  Instance before;
  if (last_write(statement.earlier, cell, instance.slots.data(), before)) {
    real_after(before, out);
  } else {
    identity(statement, out);
  }
}

/// An accumulation in the middle: one step from the round before where that is known; otherwise from the start, because
/// step by step would be as deep as there are rounds.
template <typename A>
void Machine<A>::accumulate_partly(const Instance& instance, const Cell& cell, Value& out) {
  const StatementCode& statement = code_.statements[instance.statement];
  Instance before;
  const bool exists = last_write(statement.left.writers, cell, instance.slots.data(), before);
  const bool is_own = exists && before.statement == instance.statement;
  if (!is_own || !statement.is_direct || reals_[before.statement]->find(key_of(before))) {
    if (exists) {
      real_after(before, out);
    } else {
      identity(statement, out);
    }
    spend(statement.work);
    return fold_real(Frame{&statement, instance.slots.data(), &out, 0}, out);
  }
  start_of(instance, cell, out);
  // The rounds up to this one: those that are less in some loop and equal in the loops before it, and this one.
  const std::vector<Range> whole = box_of(statement, instance.slots);
  for (std::size_t i = 0; i <= whole.size(); ++i) {
    std::vector<Range> box = whole;
    for (std::size_t k = 0; k < i; ++k) box[k] = {instance.slots[k], instance.slots[k]};
    if (i < whole.size()) box[i].high = instance.slots[i] - 1;
    if (i == whole.size() || !box[i].is_empty()) fold_box(statement, box, out);
  }
}

/// Subscripts that are single loops leave nothing to search: the others run, from the first private one on.
template <typename A>
std::vector<Range> Machine<A>::box_of(const StatementCode& statement, const Slots& slots) const {
  std::vector<Range> box(statement.extents.size());
  for (std::size_t i = 0; i < box.size(); ++i) {
    box[i] = i < statement.private_from ? Range{slots[i], slots[i]} : Range{0, statement.extents[i] - 1};
  }
  for (const DirectSubscript& subscript : statement.direct) {
    if (subscript.slot != kNone) box[subscript.slot] = {slots[subscript.slot], slots[subscript.slot]};
  }
  return box;
}

/// The factors of X=X+a*b with inputs of the type of X, which is what most long sums are made of.
inline std::optional<std::pair<std::uint32_t, std::uint32_t>> factors_of_sum(const Code& code,
                                                                             const StatementCode& statement) {
  const Node& sum = code.nodes[statement.right];
  const auto is = [&](const Node& node, ArithmeticOp op) {
    return node.op == Op::real_arithmetic && node.arithmetic == op && node.dtype == statement.dtype;
  };
  if (!is(sum, ArithmeticOp::add) || code.nodes[sum.first].op != Op::real_accumulator) return std::nullopt;
  const Node& product = code.nodes[sum.second];
  if (!is(product, ArithmeticOp::multiply)) return std::nullopt;
  const auto is_input = [&](const Node& node) {
    return node.op == Op::real_read && code.tensors[code.accesses[node.payload].tensor].known &&
           code.tensors[code.accesses[node.payload].tensor].dtype == statement.dtype;
  };
  const Node& left = code.nodes[product.first];
  const Node& right = code.nodes[product.second];
  if (!is_input(left) || !is_input(right)) return std::nullopt;
  return std::pair(left.payload, right.payload);
}

template <typename A>
void Machine<A>::fold_box(const StatementCode& statement, const std::vector<Range>& box, Value& sum) {
  if constexpr (A::kHasLanes) {
    // Fewer are not worth the preparation.
    constexpr std::int64_t kLeast = 4;
    std::int64_t points = 1;
    for (const Range& range : box) points *= range.high - range.low + 1;
    // A trace lists every comparison, in order.
    if (!trace_ && points >= kLeast && !statement.terms.empty()) return fold_lanes_of_box(statement, box, sum);
  }
  Slots slots{};
  const Frame frame{&statement, slots.data(), &sum, 0};
  if constexpr (requires { arithmetic_.add_product(sum, 0.0, 0.0); }) {
    if (const auto factors = factors_of_sum(code_, statement)) {
      arithmetic_.set_type(statement.dtype);
      return each_point(box, slots.data(), [&] {
        spend(1);
        Value left;
        Value right;
        read_real(code_.accesses[factors->first], frame, left);
        read_real(code_.accesses[factors->second], frame, right);
        arithmetic_.add_product(sum, left.value, right.value);
      });
    }
  }
  if constexpr (requires { arithmetic_.accumulate_product(sum, 0.0, 0.0, DType::f64); }) {
    const auto factors = factors_of_sum(code_, statement);
    const auto chosen_of = [&](std::uint32_t access) {
      return source_.chosen(input_numbers_[code_.accesses[access].tensor]);
    };
    if (factors && is_sum_of_rounds(arithmetic_, code_, statement) && !arithmetic_.tracks_inputs() && chosen_of(factors->first) &&
        chosen_of(factors->second)) {
      const auto value_of = [&](std::uint32_t number) {
        const Access& access = code_.accesses[number];
        return chosen_of(number)->real(input_numbers_[access.tensor], position(access, frame));
      };
      return each_point(box, slots.data(), [&] {
        spend(1);
        arithmetic_.accumulate_product(sum, value_of(factors->first), value_of(factors->second), statement.dtype);
      });
    }
  }
  each_point(box, slots.data(), [&] {
    spend(statement.work);
    fold_real(frame, sum);
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
