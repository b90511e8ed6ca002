#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "steptp/ir/accumulation.h"
#include "steptp/ir/program.h"
#include "steptp/ir/typing.h"
#include "steptp/machine/code.h"
#include "steptp/machine/compile_access.h"

namespace steptp::certify {

/// Compiles expressions to nodes, with conversions between types as operations of their own, and lists the branches:
/// comparisons, conditions of selections, and folds.
class ExpressionCompiler {
 public:
  ExpressionCompiler(Code& code, AccessCompiler& accesses) : code_(code), accesses_(accesses) {}

  /// A guard of the statement at hand, as a bool; all that follows is under it.
  [[nodiscard]] std::uint32_t guard(const ExprPtr& source);
  /// The right side of the statement at hand, in the type of the left. Reads of `accumulator`, where there is one, are
  /// what was accumulated so far. Ends the statement.
  [[nodiscard]] std::uint32_t right_side(const ExprPtr& source, DType dtype, const Ref* accumulator);

 private:
  struct TypedNode {
    std::uint32_t node = 0;
    ValueType type;
  };
  struct Maker;

  [[nodiscard]] TypedNode expression(const ExprPtr& source);
  [[nodiscard]] std::uint32_t add(Node node);
  void note_features(const Node& node);
  [[nodiscard]] std::uint32_t branch(const ExprPtr& condition, bool is_selection);
  [[nodiscard]] std::uint32_t fold(Fold what);
  [[nodiscard]] bool compares_reals(std::uint32_t number) const;
  /// Float conversions are the identity; those to integer and bool never are.
  [[nodiscard]] std::uint32_t converted(TypedNode value, DType dtype);
  [[nodiscard]] TypedNode binary(ArithmeticOp op, TypedNode left, TypedNode right);

  Code& code_;
  AccessCompiler& accesses_;
  const Ref* accumulator_ = nullptr;  ///< of the statement at hand, where it accumulates
  std::optional<WideProduct> wide_;   ///< likewise
  bool in_guard_ = false;
  std::vector<PathCondition> path_;
};

}  // namespace steptp::certify
