#pragma once

// Expressions in many iterations of a statement at once. Each operation is done for all lanes before the next one, so
// that walking the tree and looking for writes is paid for once. A choice splits the lanes: each evaluates the side
// that it takes, and no other. Rows of what was read are kept where the same lanes come again. Included only by the
// files that make machines. docs/decisions/0013-windows-and-lanes.md.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "steptp/arithmetic/integer_rules.h"
#include "steptp/machine/evaluation.h"
#include "steptp/machine/lane_inputs.h"
#include "steptp/machine/lanes.h"

namespace steptp::certify {

template <typename Arithmetic>
class LaneValues {
 public:
  using Value = typename Arithmetic::Value;
  using EvaluationFrame = Frame<Value>;

  LaneValues(Evaluation<Arithmetic>& evaluation, LanePools<Value>& pools)
      : evaluation_(evaluation),
        arithmetic_(evaluation.arithmetic),
        code_(evaluation.code),
        pools_(pools),
        inputs_(evaluation, pools) {}

  void real(std::uint32_t number, const Lanes& lanes, Value* out);
  [[nodiscard]] LaneInputs<Arithmetic>& inputs() { return inputs_; }

 private:
  using BorrowedValues = typename LanePool<Value>::Borrowed;
  using BorrowedIntegers = typename LanePool<std::int64_t>::Borrowed;

  void integer(std::uint32_t number, const Lanes& lanes, std::int64_t* out);
  void select(const Node& node, const Lanes& lanes, Value* out);
  /// In some of the lanes only; the others stay as they are.
  void some(std::uint32_t number, const Lanes& lanes, const std::vector<std::uint32_t>& which, Value* out);
  void read(const Access& access, const Lanes& lanes, Value* out);
  /// The loops that an access uses and that do not vary, as digits: rows of one number and pattern are the same.
  [[nodiscard]] static std::int64_t row_number(const Access& access, const Lanes& lanes);
  void computed(const Access& access, const Lanes& lanes, Value* out);
  /// Where all that is read is remembered; false otherwise.
  [[nodiscard]] bool known(const Access& access, const Lanes& lanes, Value* out);
  /// False where not every lane sees its origin.
  [[nodiscard]] bool origin(const Access& access, const Lanes& lanes, Value* out);
  /// What iterations of a statement stored: those that are not known are evaluated side by side too.
  void after(std::uint32_t statement, const Lanes& lanes, Value* out);

  Evaluation<Arithmetic>& evaluation_;
  Arithmetic& arithmetic_;
  const Code& code_;
  LanePools<Value>& pools_;
  LaneInputs<Arithmetic> inputs_;
  LaneCache<Value> rows_;
};

template <typename A>
void LaneValues<A>::real(std::uint32_t number, const Lanes& lanes, Value* out) {
  const Node& node = code_.nodes[number];
  switch (node.op) {
    case Op::real_read: return read(code_.accesses[node.payload], lanes, out);
    case Op::real_select: return select(node, lanes, out);
    case Op::real_of_integer: {
      const BorrowedIntegers values(pools_.integers);
      integer(node.first, lanes, values.get());
      for (std::size_t lane = 0; lane < lanes.count; ++lane) arithmetic_.integer(out[lane], values[lane]);
      return;
    }
    case Op::real_arithmetic: {
      const BorrowedValues right(pools_.values);
      real(node.first, lanes, out);
      real(node.second, lanes, right.get());
      for (std::size_t lane = 0; lane < lanes.count; ++lane) {
        if (node.branch != kNone) evaluation_.note_fold(node, out[lane], right[lane]);
        arithmetic_.arithmetic(node.arithmetic, out[lane], out[lane], right[lane]);
      }
      return;
    }
    case Op::real_function:
      real(node.first, lanes, out);
      for (std::size_t lane = 0; lane < lanes.count; ++lane) {
        if (node.branch != kNone) evaluation_.note_fold(node, out[lane]);
        arithmetic_.function(node.function, out[lane], out[lane]);
      }
      return;
    case Op::real_literal:
    case Op::real_infinity: {
      Value value;
      evaluation_.real(number, EvaluationFrame{}, value);
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
void LaneValues<A>::integer(std::uint32_t number, const Lanes& lanes, std::int64_t* out) {
  const Node& node = code_.nodes[number];
  if (node.op == Op::integer_literal) {
    std::fill_n(out, lanes.count, node.integer);
    return;
  }
  if (node.op == Op::integer_index && code_.indices[node.payload].is_linear) {
    return lanes.linear(code_.indices[node.payload].constant, code_.indices[node.payload].linear, out);
  }
  if (node.op == Op::compare_integers || node.op == Op::logic) {
    const BorrowedIntegers right(pools_.integers);
    integer(node.first, lanes, out);
    integer(node.second, lanes, right.get());
    const bool is_logic = node.op == Op::logic;
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      if (is_logic) {
        const bool left = out[lane] != 0;
        out[lane] = (node.logic == LogicOp::conjunction ? left && right[lane] != 0 : left || right[lane] != 0) ? 1 : 0;
      } else {
        const bool outcome = compare_integers(node.comparison, out[lane], right[lane]);
        evaluation_.log.note(node.branch, outcome);
        out[lane] = outcome ? 1 : 0;
      }
    }
    return;
  }
  Slots slots{};
  for (std::size_t lane = 0; lane < lanes.count; ++lane) {
    lanes.slots_at(lane, slots);
    out[lane] = evaluation_.integer(number, EvaluationFrame{lanes.statement, slots.data(), nullptr, 0});
  }
}

template <typename A>
void LaneValues<A>::select(const Node& node, const Lanes& lanes, Value* out) {
  std::vector<std::uint32_t> taken;
  std::vector<std::uint32_t> left;
  {
    const BorrowedIntegers outcomes(pools_.integers);
    integer(node.first, lanes, outcomes.get());
    for (std::uint32_t lane = 0; lane < lanes.count; ++lane) {
      evaluation_.log.note(node.branch, outcomes[lane] != 0);
      (outcomes[lane] != 0 ? taken : left).push_back(lane);
    }
  }
  if (left.empty()) return real(node.second, lanes, out);
  if (taken.empty()) return real(node.third, lanes, out);
  some(node.second, lanes, taken, out);
  some(node.third, lanes, left, out);
}

template <typename A>
void LaneValues<A>::some(std::uint32_t number, const Lanes& lanes, const std::vector<std::uint32_t>& which,
                         Value* out) {
  LaneBlocks blocks(pools_.integers);
  Lanes chosen = lanes;
  chosen.pattern = 0;
  chosen.count = which.size();
  for (std::size_t i = 0; i < lanes.statement->extents.size(); ++i) {
    if (!lanes.slots[i]) continue;
    std::int64_t* values = blocks.add();
    for (std::size_t k = 0; k < which.size(); ++k) values[k] = lanes.slots[i][which[k]];
    chosen.slots[i] = values;
  }
  const BorrowedValues values(pools_.values);
  real(number, chosen, values.get());
  for (std::size_t k = 0; k < which.size(); ++k) out[which[k]] = values[k];
}

template <typename A>
void LaneValues<A>::read(const Access& access, const Lanes& lanes, Value* out) {
  const Access& source = Evaluation<A>::seen(access);
  if (code_.tensors[source.tensor].known) return inputs_.values(source, lanes, out);
  const bool is_cheap = source.origin != kNone && code_.statements[source.origin].is_cheap;
  if (access.is_settled && lanes.pattern != 0 && !is_cheap) {
    const Value* row = rows_.row({&access, row_number(access, lanes), lanes.pattern}, lanes.count,
                                 [&](Value* values) { computed(access, lanes, values); });
    std::copy_n(row, lanes.count, out);
    return;
  }
  computed(access, lanes, out);
}

template <typename A>
std::int64_t LaneValues<A>::row_number(const Access& access, const Lanes& lanes) {
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
void LaneValues<A>::computed(const Access& access, const Lanes& lanes, Value* out) {
  const Access& source = Evaluation<A>::seen(access);
  if (source.is_certain && !code_.statements[source.origin].is_cheap && known(source, lanes, out)) return;
  if (source.origin != kNone && origin(source, lanes, out)) return;
  Slots slots{};
  for (std::size_t lane = 0; lane < lanes.count; ++lane) {
    lanes.slots_at(lane, slots);
    evaluation_.read_real(access, EvaluationFrame{lanes.statement, slots.data(), nullptr, 0}, out[lane]);
  }
}

template <typename A>
bool LaneValues<A>::known(const Access& access, const Lanes& lanes, Value* out) {
  const BorrowedIntegers keys(pools_.integers);
  lanes.linear(access.origin_number.constant, access.origin_number.linear, keys.get());
  for (std::size_t lane = 0; lane < lanes.count; ++lane) {
    const Value* value = evaluation_.store.find(access.origin, static_cast<std::uint64_t>(keys[lane]));
    if (!value) return false;
    out[lane] = *value;
  }
  return true;
}

template <typename A>
bool LaneValues<A>::origin(const Access& access, const Lanes& lanes, Value* out) {
  const StatementCode& writer = code_.statements[access.origin];
  Lanes written;
  written.statement = &writer;
  written.count = lanes.count;
  LaneBlocks blocks(pools_.integers);
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
    evaluation_.real_after(instance, out[0]);
    std::fill_n(out + 1, lanes.count - 1, out[0]);
    return true;
  }
  after(access.origin, written, out);
  return true;
}

template <typename A>
void LaneValues<A>::after(std::uint32_t statement, const Lanes& lanes, Value* out) {
  const StatementCode& writer = code_.statements[statement];
  if (writer.is_cheap) {
    evaluation_.spend(writer.work * lanes.count / kLanesPerOperation + 1);
    return real(writer.right, lanes, out);
  }
  const BorrowedIntegers keys(pools_.integers);
  std::fill_n(keys.get(), lanes.count, 0);
  for (std::size_t i = 0; i < writer.extents.size(); ++i) {
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      keys[lane] = keys[lane] * writer.extents[i] + lanes.at(i, lane);
    }
  }
  std::vector<std::uint32_t> unknown;
  for (std::uint32_t lane = 0; lane < lanes.count; ++lane) {
    const Value* value = evaluation_.store.find(statement, static_cast<std::uint64_t>(keys[lane]));
    if (value) {
      out[lane] = *value;
    } else if (writer.accumulates) {
      Instance instance;
      instance.statement = statement;
      lanes.slots_at(lane, instance.slots);
      evaluation_.real_after(instance, out[lane]);
    } else {
      unknown.push_back(lane);
    }
  }
  if (unknown.empty()) return;
  evaluation_.spend(writer.work * unknown.size() / kLanesPerOperation + 1);
  some(writer.right, lanes, unknown, out);
  for (const std::uint32_t lane : unknown) {
    const auto key = static_cast<std::uint64_t>(keys[lane]);
    if (evaluation_.store.find(statement, key)) continue;
    evaluation_.store.put(statement, key, out[lane], arithmetic_.extra_bytes(out[lane]));
  }
}

}  // namespace steptp::certify
