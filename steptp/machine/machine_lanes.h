#pragma once

// Bodies of Machine: many iterations of an accumulation at once; included only by the file that makes machines.

#include <algorithm>
#include <numeric>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/machine/machine.h"

namespace steptp::certify {

template <typename A>
void Machine<A>::slots_of(const Lanes& lanes, std::size_t lane, Slots& slots) const {
  const std::size_t loops = lanes.statement->extents.size();
  for (std::size_t i = 0; i < loops; ++i) slots[i] = lanes.at(i, lane);
}

/// Cuts the box into pieces of kLanes points. Where every loop that varies runs through its whole extent, the pieces
/// are the same ones each time, and have a number.
template <typename A>
void Machine<A>::fold_lanes_of_box(const StatementCode& statement, const std::vector<Range>& box,
                                   Value& sum) requires(A::kHasLanes) {
  Lanes lanes;
  lanes.statement = &statement;
  std::vector<std::uint32_t> varying;
  std::uint64_t mask = 0;
  bool is_whole = true;
  for (std::uint32_t i = 0; i < box.size(); ++i) {
    lanes.constants[i] = box[i].low;
    if (box[i].is_point()) continue;
    varying.push_back(i);
    mask |= std::uint64_t{1} << i;
    is_whole = is_whole && box[i].low == 0 && box[i].high == statement.extents[i] - 1;
  }
  LaneBlocks blocks(integer_lanes_);
  std::vector<std::int64_t*> values;
  for (const std::uint32_t slot : varying) lanes.slots[slot] = values.emplace_back(blocks.add());
  Slots at = lanes.constants;
  const std::uint32_t innermost = varying.back();
  bool is_left = true;
  for (std::uint64_t piece = 1; is_left; ++piece) {
    lanes.count = 0;
    while (is_left && lanes.count < kLanes) {
      const auto run = static_cast<std::size_t>(std::min<std::int64_t>(
          box[innermost].high - at[innermost] + 1, static_cast<std::int64_t>(kLanes - lanes.count)));
      for (std::size_t k = 0; k + 1 < varying.size(); ++k) {
        std::fill_n(values[k] + lanes.count, run, at[varying[k]]);
      }
      std::iota(values.back() + lanes.count, values.back() + lanes.count + run, at[innermost]);
      lanes.count += run;
      at[innermost] += static_cast<std::int64_t>(run);
      std::size_t k = varying.size() - 1;
      while (at[varying[k]] > box[varying[k]].high) {
        at[varying[k]] = box[varying[k]].low;
        if (k == 0) {
          is_left = false;
          break;
        }
        ++at[varying[--k]];
      }
    }
    lanes.pattern = is_whole && mask <= UINT32_MAX && piece <= UINT32_MAX ? mask << 32 | piece : 0;
    spend(statement.work * lanes.count / kLanesPerOperation + 1);
    fold_lanes(lanes, sum);
  }
}

template <typename A>
void Machine<A>::fold_lanes(const Lanes& lanes, Value& sum) requires(A::kHasLanes) {
  const StatementCode& statement = *lanes.statement;
  for (const FoldTerm& term : statement.terms) {
    if (statement.accumulation == ArithmeticOp::add) {
      fold_term(term.node, term.is_subtracted, lanes, sum);
      continue;
    }
    const typename LanePool<Value>::Borrowed values(value_lanes_);
    lanes_real(term.node, lanes, values.get());
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      arithmetic_.arithmetic(statement.accumulation, sum, sum, values[lane]);
    }
  }
}

template <typename A>
void Machine<A>::fold_term(std::uint32_t number, bool is_subtracted, const Lanes& lanes,
                           Value& sum) requires(A::kHasLanes) {
  const Node& node = code_.nodes[number];
  const typename LanePool<Value>::Borrowed values(value_lanes_);
  if (node.op == Op::real_arithmetic && node.arithmetic == ArithmeticOp::multiply) {
    if (fold_inputs(node, is_subtracted, lanes, sum)) return;
    const typename LanePool<Value>::Borrowed factors(value_lanes_);
    lanes_real(node.first, lanes, values.get());
    lanes_real(node.second, lanes, factors.get());
    return arithmetic_.add_products(sum, values.get(), factors.get(), lanes.count, is_subtracted);
  }
  lanes_real(number, lanes, values.get());
  arithmetic_.add_all(sum, values.get(), lanes.count, is_subtracted);
}

template <typename A>
bool Machine<A>::is_plain_input(const Node& node) const requires(A::kHasLanes) {
  if (node.op != Op::real_read) return false;
  const Access& access = code_.accesses[node.payload];
  return code_.tensors[access.tensor].known && source_.is_plain(input_numbers_[access.tensor]);
}

/// Products of two inputs, which are multiples of 2^-52, are added as integers.
template <typename A>
bool Machine<A>::fold_inputs(const Node& product, bool is_subtracted, const Lanes& lanes,
                             Value& sum) requires(A::kHasLanes) {
  const Node& left = code_.nodes[product.first];
  const Node& right = code_.nodes[product.second];
  if (!is_plain_input(left) || !is_plain_input(right)) return false;
  const typename LanePool<std::int64_t>::Borrowed left_own(integer_lanes_);
  const typename LanePool<std::int64_t>::Borrowed right_own(integer_lanes_);
  const std::int64_t* left_row = lanes_mantissas(code_.accesses[left.payload], lanes, left_own.get());
  // The cache may put the second row where the first one is.
  if (left_row != left_own.get()) left_row = std::copy_n(left_row, lanes.count, left_own.get()) - lanes.count;
  const std::int64_t* right_row = lanes_mantissas(code_.accesses[right.payload], lanes, right_own.get());
  arithmetic_.add_input_products(sum, left_row, right_row, lanes.count, is_subtracted);
  return true;
}

/// The inputs as multiples of 2^-52: of a generic draw only.
template <typename A>
const std::int64_t* Machine<A>::lanes_mantissas(const Access& access, const Lanes& lanes,
                                                std::int64_t* own) requires(A::kHasLanes) {
  const std::size_t input = input_numbers_[access.tensor];
  const auto draw = [&](std::int64_t* out) {
    lanes_positions(access, lanes, out);
    source_.mantissas(input, lanes.count, out);
  };
  if (!access.is_flat || lanes.pattern == 0) {
    draw(own);
    return own;
  }
  std::int64_t base = access.flat_constant;
  for (const LinearPart& part : access.flat) {
    if (!lanes.slots[part.slot]) base += part.coefficient * lanes.constants[part.slot];
  }
  return input_rows_.row({&access, base, lanes.pattern}, lanes.count, draw);
}

template <typename A>
void Machine<A>::lanes_positions(const Access& access, const Lanes& lanes, std::int64_t* out) requires(A::kHasLanes) {
  if (access.is_flat) return lanes.linear(access.flat_constant, access.flat, out);
  if (!access.is_linear) {
    Slots slots{};
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      slots_of(lanes, lane, slots);
      out[lane] = position(access, Frame{lanes.statement, slots.data(), nullptr, 0});
    }
    return;
  }
  const TensorCode& tensor = code_.tensors[access.tensor];
  const typename LanePool<std::int64_t>::Borrowed subscript(integer_lanes_);
  std::fill_n(out, lanes.count, 0);
  for (std::size_t d = 0; d < access.subscripts.size(); ++d) {
    lanes.linear(access.subscripts[d].constant, access.subscripts[d].linear, subscript.get());
    bool is_inside = true;
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      is_inside = is_inside && subscript[lane] >= 0 && subscript[lane] < tensor.shape[d];
      out[lane] = out[lane] * tensor.shape[d] + subscript[lane];
    }
    if (!is_inside) fail(FailureKind::out_of_range, concat(tensor.name, " is read outside in ", lanes.statement->text));
  }
}

template <typename A>
void Machine<A>::lanes_input(const Access& access, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  const std::size_t input = input_numbers_[access.tensor];
  const typename LanePool<std::int64_t>::Borrowed own(integer_lanes_);
  if (source_.is_plain(input)) {
    const std::int64_t* row = lanes_mantissas(access, lanes, own.get());
    for (std::size_t lane = 0; lane < lanes.count; ++lane) arithmetic_.input(out[lane], {row[lane], -52});
    return;
  }
  lanes_positions(access, lanes, own.get());
  for (std::size_t lane = 0; lane < lanes.count; ++lane) arithmetic_.input(out[lane], source_.real(input, own[lane]));
}

template <typename A>
void Machine<A>::lanes_read(const Access& access, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  const Access& source = seen(access);
  if (code_.tensors[source.tensor].known) return lanes_input(source, lanes, out);
  const bool is_cheap = source.origin != kNone && code_.statements[source.origin].is_cheap;
  if (access.is_settled && lanes.pattern != 0 && !is_cheap) {
    const Value* row = value_rows_.row({&access, row_number(access, lanes), lanes.pattern}, lanes.count,
                                       [&](Value* values) { lanes_computed(access, lanes, values); });
    std::copy_n(row, lanes.count, out);
    return;
  }
  lanes_computed(access, lanes, out);
}

/// The loops that an access uses and that do not vary, as digits: rows of one number and pattern are the same.
template <typename A>
std::int64_t Machine<A>::row_number(const Access& access, const Lanes& lanes) requires(A::kHasLanes) {
  std::uint32_t used = 0;
  for (const auto* list : {&access.subscripts, &access.hidden}) {
    for (const IndexCode& subscript : *list) {
      for (const LinearPart& part : subscript.linear) used |= std::uint32_t{1} << part.slot;
    }
  }
  std::int64_t number = 0;
  for (std::size_t i = 0; i < lanes.statement->extents.size(); ++i) {
    if (((used >> i) & 1) != 0 && !lanes.slots[i]) number = number * lanes.statement->extents[i] + lanes.constants[i];
  }
  return number;
}

template <typename A>
void Machine<A>::lanes_computed(const Access& access, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  const Access& source = seen(access);
  if (source.is_certain && !code_.statements[source.origin].is_cheap && lanes_known(source, lanes, out)) return;
  if (source.origin != kNone && lanes_origin(source, lanes, out)) return;
  Slots slots{};
  for (std::size_t lane = 0; lane < lanes.count; ++lane) {
    slots_of(lanes, lane, slots);
    read_real(access, Frame{lanes.statement, slots.data(), nullptr, 0}, out[lane]);
  }
}

/// Where all that is read is remembered; false otherwise.
template <typename A>
bool Machine<A>::lanes_known(const Access& access, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  const typename LanePool<std::int64_t>::Borrowed keys(integer_lanes_);
  lanes.linear(access.origin_number.constant, access.origin_number.linear, keys.get());
  for (std::size_t lane = 0; lane < lanes.count; ++lane) {
    const Value* known = reals_[access.origin]->find(static_cast<std::uint64_t>(keys[lane]));
    if (!known) return false;
    out[lane] = *known;
  }
  return true;
}

template <typename A>
bool Machine<A>::lanes_origin(const Access& access, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  const StatementCode& writer = code_.statements[access.origin];
  Lanes written;
  written.statement = &writer;
  written.count = lanes.count;
  LaneBlocks blocks(integer_lanes_);
  bool is_inside = true;
  bool is_one = true;
  for (std::size_t i = 0; i < writer.extents.size(); ++i) {
    const IndexCode& loop = access.origin_loops[i];
    const bool varies = std::any_of(loop.linear.begin(), loop.linear.end(),
                                    [&](const LinearPart& part) { return lanes.slots[part.slot] != nullptr; });
    if (!varies) {
      std::int64_t& value = written.constants[i] = loop.constant;
      for (const LinearPart& part : loop.linear) value += part.coefficient * lanes.constants[part.slot];
      is_inside = is_inside && value >= 0 && value < writer.extents[i];
      continue;
    }
    std::int64_t* values = blocks.add();
    lanes.linear(loop.constant, loop.linear, values);
    written.slots[i] = values;
    is_one = false;
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      is_inside = is_inside && values[lane] >= 0 && values[lane] < writer.extents[i];
    }
  }
  if (!is_inside) return false;
  if (is_one) {
    Instance instance;
    instance.statement = access.origin;
    instance.slots = written.constants;
    real_after(instance, out[0]);
    std::fill_n(out + 1, lanes.count - 1, out[0]);
    return true;
  }
  lanes_after(access.origin, written, out);
  return true;
}

/// What iterations of a statement stored: those that are not known are evaluated side by side too.
template <typename A>
void Machine<A>::lanes_after(std::uint32_t statement, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  const StatementCode& code = code_.statements[statement];
  if (code.is_cheap) {
    spend(code.work * lanes.count / kLanesPerOperation + 1);
    return lanes_real(code.right, lanes, out);
  }
  const typename LanePool<std::int64_t>::Borrowed keys(integer_lanes_);
  std::fill_n(keys.get(), lanes.count, 0);
  for (std::size_t i = 0; i < code.extents.size(); ++i) {
    for (std::size_t lane = 0; lane < lanes.count; ++lane)
      keys[lane] = keys[lane] * code.extents[i] + lanes.at(i, lane);
  }
  std::vector<std::uint32_t> unknown;
  for (std::uint32_t lane = 0; lane < lanes.count; ++lane) {
    const Value* known = reals_[statement]->find(static_cast<std::uint64_t>(keys[lane]));
    if (known) {
      out[lane] = *known;
    } else if (code.accumulates) {
      Instance instance;
      instance.statement = statement;
      slots_of(lanes, lane, instance.slots);
      real_after(instance, out[lane]);
    } else {
      unknown.push_back(lane);
    }
  }
  if (unknown.empty()) return;
  spend(code.work * unknown.size() / kLanesPerOperation + 1);
  lanes_some(code.right, lanes, unknown, out);
  for (const std::uint32_t lane : unknown) {
    const auto key = static_cast<std::uint64_t>(keys[lane]);
    if (!reals_[statement]->find(key)) remember(statement, key, out[lane]);
  }
}

template <typename A>
void Machine<A>::lanes_real(std::uint32_t number, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  const Node& node = code_.nodes[number];
  switch (node.op) {
    case Op::real_read: return lanes_read(code_.accesses[node.payload], lanes, out);
    case Op::real_select: return lanes_select(node, lanes, out);
    case Op::real_of_integer: {
      const typename LanePool<std::int64_t>::Borrowed values(integer_lanes_);
      lanes_integer(node.first, lanes, values.get());
      for (std::size_t lane = 0; lane < lanes.count; ++lane) arithmetic_.integer(out[lane], values[lane]);
      return;
    }
    case Op::real_arithmetic: {
      const typename LanePool<Value>::Borrowed right(value_lanes_);
      lanes_real(node.first, lanes, out);
      lanes_real(node.second, lanes, right.get());
      for (std::size_t lane = 0; lane < lanes.count; ++lane) {
        if (node.branch != kNone) note_fold(node, out[lane], right[lane]);
        arithmetic_.arithmetic(node.arithmetic, out[lane], out[lane], right[lane]);
      }
      return;
    }
    case Op::real_function:
      lanes_real(node.first, lanes, out);
      for (std::size_t lane = 0; lane < lanes.count; ++lane) {
        if (node.branch != kNone) note_fold(node, out[lane]);
        arithmetic_.function(node.function, out[lane], out[lane]);
      }
      return;
    case Op::real_literal:
    case Op::real_infinity: {
      Value value;
      real(number, Frame{}, value);
      std::fill_n(out, lanes.count, value);
      return;
    }
    case Op::real_accumulator:
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
void Machine<A>::lanes_integer(std::uint32_t number, const Lanes& lanes, std::int64_t* out) requires(A::kHasLanes) {
  const Node& node = code_.nodes[number];
  if (node.op == Op::integer_literal) {
    std::fill_n(out, lanes.count, node.integer);
    return;
  }
  if (node.op == Op::integer_index && code_.indices[node.payload].is_linear) {
    return lanes.linear(code_.indices[node.payload].constant, code_.indices[node.payload].linear, out);
  }
  if (node.op == Op::compare_integers || node.op == Op::logic) {
    const typename LanePool<std::int64_t>::Borrowed right(integer_lanes_);
    lanes_integer(node.first, lanes, out);
    lanes_integer(node.second, lanes, right.get());
    const bool is_logic = node.op == Op::logic;
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      if (is_logic) {
        const bool left = out[lane] != 0;
        out[lane] = (node.logic == LogicOp::conjunction ? left && right[lane] != 0 : left || right[lane] != 0) ? 1 : 0;
      } else {
        const bool outcome = compare_integers(node.comparison, out[lane], right[lane]);
        note(node.branch, outcome);
        out[lane] = outcome ? 1 : 0;
      }
    }
    return;
  }
  Slots slots{};
  for (std::size_t lane = 0; lane < lanes.count; ++lane) {
    slots_of(lanes, lane, slots);
    out[lane] = integer(number, Frame{lanes.statement, slots.data(), nullptr, 0});
  }
}

/// Each lane evaluates the side that it takes, and no other.
template <typename A>
void Machine<A>::lanes_select(const Node& node, const Lanes& lanes, Value* out) requires(A::kHasLanes) {
  std::vector<std::uint32_t> taken;
  std::vector<std::uint32_t> left;
  {
    const typename LanePool<std::int64_t>::Borrowed outcomes(integer_lanes_);
    lanes_integer(node.first, lanes, outcomes.get());
    for (std::uint32_t lane = 0; lane < lanes.count; ++lane) {
      note(node.branch, outcomes[lane] != 0);
      (outcomes[lane] != 0 ? taken : left).push_back(lane);
    }
  }
  if (left.empty()) return lanes_real(node.second, lanes, out);
  if (taken.empty()) return lanes_real(node.third, lanes, out);
  lanes_some(node.second, lanes, taken, out);
  lanes_some(node.third, lanes, left, out);
}

template <typename A>
void Machine<A>::lanes_some(std::uint32_t number, const Lanes& lanes, const std::vector<std::uint32_t>& which,
                            Value* out) requires(A::kHasLanes) {
  LaneBlocks blocks(integer_lanes_);
  Lanes some = lanes;
  some.pattern = 0;
  some.count = which.size();
  for (std::size_t i = 0; i < lanes.statement->extents.size(); ++i) {
    if (!lanes.slots[i]) continue;
    std::int64_t* values = blocks.add();
    for (std::size_t k = 0; k < which.size(); ++k) values[k] = lanes.slots[i][which[k]];
    some.slots[i] = values;
  }
  const typename LanePool<Value>::Borrowed values(value_lanes_);
  lanes_real(number, some, values.get());
  for (std::size_t k = 0; k < which.size(); ++k) out[which[k]] = values[k];
}

}  // namespace steptp::certify
