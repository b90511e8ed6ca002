#pragma once

#include <algorithm>
#include <cstdint>

#include "steptp/base/text.h"
#include "steptp/machine/evaluation.h"
#include "steptp/machine/lanes.h"

namespace steptp::certify {

/// Blocks for as many values, or integers, as there are lanes.
template <typename Value>
struct LanePools {
  LanePool<Value> values;
  LanePool<std::int64_t> integers;
};

/// Elements of inputs in many iterations at once. Included only by the files that make machines.
template <typename Arithmetic>
class LaneInputs {
 public:
  using Value = typename Arithmetic::Value;
  using EvaluationFrame = Frame<Value>;

  LaneInputs(Evaluation<Arithmetic>& evaluation, LanePools<Value>& pools)
      : evaluation_(evaluation), arithmetic_(evaluation.arithmetic), code_(evaluation.code), pools_(pools) {}

  /// A read of an input whose values are multiples of 2^-52: of a generic draw only.
  [[nodiscard]] bool is_plain(const Node& node) const;
  /// Such inputs as multiples of 2^-52: a row that was drawn before, or `own`.
  [[nodiscard]] const std::int64_t* mantissas(const Access& access, const Lanes& lanes, std::int64_t* own);
  void values(const Access& access, const Lanes& lanes, Value* out);

 private:
  using BorrowedIntegers = typename LanePool<std::int64_t>::Borrowed;

  void positions(const Access& access, const Lanes& lanes, std::int64_t* out);

  Evaluation<Arithmetic>& evaluation_;
  Arithmetic& arithmetic_;
  const Code& code_;
  LanePools<Value>& pools_;
  LaneCache<std::int64_t> rows_;
};

template <typename A>
bool LaneInputs<A>::is_plain(const Node& node) const {
  if (node.op != Op::real_read) return false;
  const Access& access = code_.accesses[node.payload];
  return code_.tensors[access.tensor].known && evaluation_.inputs.is_plain(evaluation_.input_numbers[access.tensor]);
}

template <typename A>
void LaneInputs<A>::positions(const Access& access, const Lanes& lanes, std::int64_t* out) {
  if (access.is_flat) return lanes.linear(access.flat_constant, access.flat, out);
  if (!access.is_linear) {
    Slots slots{};
    for (std::size_t lane = 0; lane < lanes.count; ++lane) {
      lanes.slots_at(lane, slots);
      out[lane] = evaluation_.position(access, EvaluationFrame{lanes.statement, slots.data(), nullptr, 0});
    }
    return;
  }
  const TensorCode& tensor = code_.tensors[access.tensor];
  const BorrowedIntegers subscript(pools_.integers);
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
const std::int64_t* LaneInputs<A>::mantissas(const Access& access, const Lanes& lanes, std::int64_t* own) {
  const std::size_t input = evaluation_.input_numbers[access.tensor];
  const auto draw = [&](std::int64_t* out) {
    positions(access, lanes, out);
    evaluation_.inputs.mantissas(input, lanes.count, out);
  };
  if (!access.is_flat || lanes.pattern == 0) {
    draw(own);
    return own;
  }
  std::int64_t base = access.flat_constant;
  for (const LinearPart& part : access.flat) {
    if (!lanes.slots[part.slot]) base += part.coefficient * lanes.constants[part.slot];
  }
  return rows_.row({&access, base, lanes.pattern}, lanes.count, draw);
}

template <typename A>
void LaneInputs<A>::values(const Access& access, const Lanes& lanes, Value* out) {
  const std::size_t input = evaluation_.input_numbers[access.tensor];
  const BorrowedIntegers own(pools_.integers);
  if (evaluation_.inputs.is_plain(input)) {
    const std::int64_t* row = mantissas(access, lanes, own.get());
    for (std::size_t lane = 0; lane < lanes.count; ++lane) arithmetic_.input(out[lane], {row[lane], -52});
    return;
  }
  positions(access, lanes, own.get());
  for (std::size_t lane = 0; lane < lanes.count; ++lane)
    arithmetic_.input(out[lane], evaluation_.inputs.real(input, own[lane]));
}

}  // namespace steptp::certify
