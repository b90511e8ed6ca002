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

/// A nest that is one equation without guards, over tensors in `g`. Each iteration of the loops in its left subscripts
/// (the output loops) has an element of its own, and it reads its left side at most to accumulate.
struct Operator {
  const PlacedNest* place = nullptr;
  const Statement* statement = nullptr;
  const Nest* nest = nullptr;
  std::vector<Loop> around;      ///< the loops outside, in each iteration of which it works anew
  std::set<std::string> output;  ///< indices of its own loops in the left subscripts
  bool is_first = false;         ///< nothing else writes the left side: it has no value before

  [[nodiscard]] const Ref& left() const { return *statement->equation->left; }
  [[nodiscard]] const ExprPtr& right() const { return statement->equation->right; }
};
/// The text says why the nest is none.
[[nodiscard]] Result<Operator, std::string> find_operator(View& view, const PlacedNest& place);

/// A new tensor that an iteration of the loops around has for itself: indices of theirs that are no subscript yet
/// follow.
[[nodiscard]] RefPtr own_ref(const Operator& op, std::string name, DType dtype, std::vector<Index> subscripts);
/// One of the shape of the result: the left subscripts where these are indices, else the output loops.
[[nodiscard]] RefPtr result_ref(const Operator& op, std::string name);
/// How many elements such a tensor has where one loop has another extent, or more than 2^31.
[[nodiscard]] std::int64_t result_elements(const Operator& op, const std::string& index, std::int64_t extent);
/// An equation under loops; a nest has at least one, so that without any it runs in a launch of one thread, or as it is
/// inside another nest.
[[nodiscard]] Item under_loops(const Operator& op, std::vector<Loop> loops, EquationPtr equation);

/// The equation with another tensor as its result, under loops in which one has another extent.
[[nodiscard]] std::vector<Loop> with_extent(std::vector<Loop> loops, const std::string& index, std::int64_t extent);
[[nodiscard]] std::vector<Loop> output_loops(const Operator& op);

/// The right side with another tensor in place of the left side that it accumulates into.
[[nodiscard]] ExprPtr accumulating(const Operator& op, const RefPtr& result);

/// left=value, or left=left (+) value where the left side may have a value before.
[[nodiscard]] EquationPtr completed(const Operator& op, const RefPtr& left, const ExprPtr& value);
/// a (+) b, where the equation accumulates by (+).
[[nodiscard]] ExprPtr combined(const Operator& op, const ExprPtr& a, const ExprPtr& b);

/// to=from over those of the loops that the subscripts use. A loop stays bound where its index alone is a subscript, so
/// that no two threads write one element. Loops that are only ever added up are one loop: no element is copied twice.
[[nodiscard]] Item copy_nest(View& view, const Operator& op, const RefPtr& target, const RefPtr& source,
                             std::vector<Loop> loops);
/// Whether the nests that stand in place of an operator are well placed and free of races.
[[nodiscard]] std::optional<Conflict> replacement_conflict(View& before, const Program& program, const Operator& op);

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
