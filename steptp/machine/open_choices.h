#pragma once

// Decisions that rounding errors leave open, in arithmetics with a running error bound. Where data is compared so
// closely that exact numbers may decide otherwise, a selection of reals takes what was computed, with a bound that
// holds for the other side as well. An open decision that nobody covers spoils the value that is made of it: its error
// is infinite, and so is that of all that comes of it. Included only by the files that make machines.
// docs/decisions/0035-runs-in-the-order-of-the-text.md.

#include <cstdint>

#include "steptp/arithmetic/open_decisions.h"
#include "steptp/machine/evaluation.h"
#include "steptp/machine/statement_reads.h"

namespace steptp::certify {

/// Choices at one place of an evaluation.
template <typename Arithmetic>
class OpenChoices {
 public:
  using Value = typename Arithmetic::Value;

  OpenChoices(Evaluation<Arithmetic>& evaluation, const Frame<Value>& frame)
      : evaluation_(evaluation), arithmetic_(evaluation.arithmetic), frame_(frame) {}

  /// One side that is sure can decide it, whatever the other one is.
  [[nodiscard]] std::int64_t logic(const Node& node) {
    const Truth left = truth_of(node.first);
    const Truth right = truth_of(node.second);
    const bool is_conjunction = node.logic == LogicOp::conjunction;
    const auto decides = [&](const Truth& side) { return !side.is_open && side.value != is_conjunction; };
    if ((left.is_open || right.is_open) && !decides(left) && !decides(right)) arithmetic_.decisions().leave_open();
    return (is_conjunction ? left.value && right.value : left.value || right.value) ? 1 : 0;
  }

  void select_real(const Node& node, Value& out) {
    const Truth truth = truth_of(node.first);
    evaluation_.log.note(node.branch, truth.value);
    evaluation_.real(truth.value ? node.second : node.third, frame_, out);
    // Both branches have one type: a literal beside an f16 is an f16.
    if constexpr (Arithmetic::kConvertsBranches) arithmetic_.store(node.dtype, out);
    // What data chooses is not the same at all inputs, even where both branches are literals.
    if constexpr (requires { Arithmetic::make_variable(out); }) {
      const bool is_same = Arithmetic::is_same_at_all_inputs(out);
      if (is_same && reads_data(evaluation_.code, node.first)) Arithmetic::make_variable(out);
    }
    if (!truth.is_open) return;
    Scratch<Arithmetic> other(evaluation_.scratch);
    evaluation_.real(truth.value ? node.third : node.second, frame_, *other);
    if constexpr (Arithmetic::kConvertsBranches) arithmetic_.store(node.dtype, *other);
    arithmetic_.cover(out, *other);
  }

  [[nodiscard]] std::int64_t select_integer(const Node& node) {
    const Truth truth = truth_of(node.first);
    evaluation_.log.note(node.branch, truth.value);
    const std::int64_t taken = evaluation_.integer(truth.value ? node.second : node.third, frame_);
    if (truth.is_open && evaluation_.integer(truth.value ? node.third : node.second, frame_) != taken) {
      arithmetic_.decisions().leave_open();
    }
    return taken;
  }

  void bool_as_real(const Node& node, Value& out) {
    if (evaluation_.code.nodes[node.first].dtype != DType::boolean) {
      return arithmetic_.integer(out, evaluation_.integer(node.first, frame_));
    }
    const Truth truth = truth_of(node.first);
    arithmetic_.integer(out, truth.value ? 1 : 0);
    if (truth.is_open) arithmetic_.cover_bool(out);
  }

 private:
  struct Truth {
    bool value = false;
    bool is_open = false;
  };
  [[nodiscard]] Truth truth_of(std::uint32_t number) {
    Truth truth;
    OpenDecisions::Watch watch(arithmetic_.decisions());
    truth.value = evaluation_.integer(number, frame_) != 0;
    truth.is_open = watch.take_open();
    return truth;
  }

  Evaluation<Arithmetic>& evaluation_;
  Arithmetic& arithmetic_;
  const Frame<Value>& frame_;
};

}  // namespace steptp::certify
