#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "steptp/arithmetic/failure.h"
#include "steptp/machine/branch_log.h"
#include "steptp/machine/budget.h"
#include "steptp/machine/code.h"
#include "steptp/machine/definition_stack.h"
#include "steptp/machine/input_values.h"
#include "steptp/machine/instance.h"
#include "steptp/machine/scratch.h"
#include "steptp/machine/thread_fold.h"
#include "steptp/machine/value_store.h"
#include "steptp/machine/write_search.h"

// The inside of a machine; included only by the files that make machines.
//
// A program is evaluated on demand: an element is what its last write stored, a write stores what its expression is,
// and an expression reads elements. `Evaluation` is that loop; it is written once for all arithmetics. What it needs of
// its own are parts with an interface each: values that are remembered (value_store.h), which write a read sees
// (write_search.h), which way branches went (branch_log.h), how deep definitions lead (definition_stack.h). What it
// leaves to others are views of it: subscripts (subscripts.h), accumulations (folds.h), many iterations side by side
// (lane_folds.h, lane_values.h), the order of threads (thread_order.h), comparisons that rounding errors leave open
// (open_choices.h) or that are never decided (opaque_choices.h). docs/decisions/0010-certified-evaluation.md, 0046.

namespace steptp::certify {

template <typename Arithmetic>
class LaneFolds;
template <typename Arithmetic>
class OpaqueChoices;

/// Comparisons of reals are not decided in it (arithmetic/opaque_arithmetic.h).
template <typename Arithmetic>
inline constexpr bool kIsOpaque = requires {
  typename Arithmetic::Decision;
};

/// Of a part that an arithmetic does not need.
struct NoPart {
  template <typename Evaluation>
  explicit NoPart(Evaluation&) {}
};

/// The evaluation of one program. Functions throw Failure where there is no value. There are some thirty of them, one
/// for each kind of expression, because expressions, reads and writes call each other in a circle.
template <typename Arithmetic>
class Evaluation {
 public:
  using Value = typename Arithmetic::Value;
  using EvaluationFrame = Frame<Value>;

  Evaluation(const Code& program, Arithmetic& numbers, const InputValues& values, Budget& allowed);
  Evaluation(const Evaluation&) = delete;
  Evaluation& operator=(const Evaluation&) = delete;
  ~Evaluation() = default;

  /// Evaluates the last write to an element of an output: calls `use` with it, on as much stack as it takes.
  template <typename Use>
  void with_last_write(std::uint32_t tensor, const std::vector<std::int64_t>& element, const Use& use);

  // What a write stored.
  void real_after(const Instance& instance, Value& out);
  [[nodiscard]] std::int64_t integer_after(const Instance& instance);
  /// The number of an iteration, its loops as digits: under which its value is remembered.
  [[nodiscard]] std::uint64_t key_of(const Instance& instance) const;

  // Expressions.
  void real(std::uint32_t number, const EvaluationFrame& frame, Value& out);
  [[nodiscard]] std::int64_t integer(std::uint32_t number, const EvaluationFrame& frame);
  void read_real(const Access& access, const EvaluationFrame& frame, Value& out);
  [[nodiscard]] std::int64_t read_integer(const Access& access, const EvaluationFrame& frame);
  /// What a read is a copy of, where copying does not round.
  [[nodiscard]] static const Access& seen(const Access& access) {
    return !Arithmetic::kIsTyped && access.source ? *access.source : access;
  }

  // Subscripts (subscripts.h).
  [[nodiscard]] std::int64_t position(const Access& access, const EvaluationFrame& frame);
  void cell_of(const Access& access, const EvaluationFrame& frame, Cell& cell);

  // What is known of an operation that is one formula here and another there.
  void note_fold(const Node& node, const Value& left, const Value& right);
  void note_fold(const Node& node, const Value& argument);
  void trace_reals(const Node& node, CompareOp op, const EvaluationFrame& frame, const Value& left, const Value& right);

  void spend(std::uint64_t operations) { budget.spend(operations); }

  const Code& code;
  Arithmetic& arithmetic;
  const InputValues& inputs;
  Budget& budget;
  std::vector<std::size_t> input_numbers;  ///< by tensor
  ValueStore<Value> store;
  BranchLog log;
  WriteSearch writes;
  DefinitionStack stack;
  ScratchPool<Value> scratch;
  ThreadFolds thread_folds;
  std::conditional_t<Arithmetic::kHasLanes, LaneFolds<Arithmetic>, NoPart> lanes;
  std::conditional_t<kIsOpaque<Arithmetic>, OpaqueChoices<Arithmetic>, NoPart> choices;

 private:
  void real_arithmetic(std::uint32_t number, const EvaluationFrame& frame, Value& out);
  void real_function(const Node& node, const EvaluationFrame& frame, Value& out);
  void real_of_integer(const Node& node, const EvaluationFrame& frame, Value& out);
  void real_select(const Node& node, const EvaluationFrame& frame, Value& out);
  [[nodiscard]] std::int64_t integer_of_real(std::uint32_t number, const EvaluationFrame& frame);
  [[nodiscard]] std::int64_t integer_arithmetic(const Node& node, const EvaluationFrame& frame);
  [[nodiscard]] std::int64_t comparison_of_reals(std::uint32_t number, const EvaluationFrame& frame);
  [[nodiscard]] std::int64_t comparison_of_integers(const Node& node, const EvaluationFrame& frame);
  [[nodiscard]] std::int64_t logic(const Node& node, const EvaluationFrame& frame);
  [[nodiscard]] bool condition(const Node& select, const EvaluationFrame& frame);
  void read_input(const Access& access, const EvaluationFrame& frame, Value& out);
  void compute_real(const Instance& instance, Value& out);
  [[nodiscard]] std::int64_t compute_integer(const Instance& instance, std::uint64_t key);
  [[nodiscard]] bool writes_cell(const StatementCode& statement, const Cell& cell, const std::int64_t* slots);

  std::uint32_t first_literal_;
};

}  // namespace steptp::certify
