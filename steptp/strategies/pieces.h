#pragma once

// What strategies share that compute one equation from parts of its operands, or two from operands put together.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/strategies/rewrite.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// A top-level expression that is one equation without guards, over tensors in `g`. Each iteration of the loops in its
/// left subscripts (the output loops) has an element of its own, and it reads its left side at most to accumulate.
struct Operator {
  std::uint32_t expression = 0;
  const Statement* statement = nullptr;
  const Nest* nest = nullptr;
  std::set<std::string> output;  ///< indices in the left subscripts
  bool is_first = false;         ///< nothing else writes the left side: it has no value before

  [[nodiscard]] const Ref& left() const { return *statement->equation->left; }
  [[nodiscard]] const ExprPtr& right() const { return statement->equation->right; }
};
/// The text says why the expression is none.
[[nodiscard]] Result<Operator, std::string> find_operator(View& view, std::uint32_t expression);

/// A tensor of the shape of the result: the left subscripts where these are indices only, else the output loops.
[[nodiscard]] RefPtr result_ref(const Operator& op, std::string name);

/// The equation with another tensor as its result, under loops in which one has another extent.
[[nodiscard]] std::vector<Loop> with_extent(std::vector<Loop> loops, const std::string& index, std::int64_t extent);
[[nodiscard]] std::vector<Loop> output_loops(const Operator& op);

/// The right side with another tensor in place of the left side that it accumulates into.
[[nodiscard]] ExprPtr accumulating(const Operator& op, const RefPtr& result);

/// left=value, or left=left (+) value where the left side may have a value before.
[[nodiscard]] EquationPtr completed(const Operator& op, const RefPtr& left, const ExprPtr& value);
/// a (+) b, where the equation accumulates by (+).
[[nodiscard]] ExprPtr combined(const Operator& op, const ExprPtr& a, const ExprPtr& b);

/// to=from as an expression of its own, over the loops of the operator that the subscripts use. A loop stays bound
/// where its index alone is a subscript, so that no two threads write one element. Loops that are only ever added up
/// are one loop: no element is copied twice.
[[nodiscard]] Item copy_nest(const RefPtr& target, const RefPtr& source, std::vector<Loop> loops);

/// index = coefficient * variable + rest, with the rest free of the variable. Nothing where it has another form.
struct AlongVariable {
  std::int64_t coefficient = 0;
  Index rest;
};
[[nodiscard]] std::optional<AlongVariable> along(const Index& index, const std::string& variable);

[[nodiscard]] bool uses_variable(const Index& index, const std::string& variable);
[[nodiscard]] bool uses_variable(const Ref& ref, const std::string& variable);

/// The reference with the variable moved by an offset; null where a subscript would not fit.
[[nodiscard]] RefPtr moved(const RefPtr& ref, const std::string& variable, std::int64_t offset);

}  // namespace steptp
