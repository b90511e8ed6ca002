#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/ir/expr.h"
#include "steptp/ir/typing.h"

namespace steptp {

/// What is wrong with the types of an expression, and where in it (child numbers).
struct TypeProblem {
  std::vector<std::uint32_t> path;
  std::string message;
  std::string hint;
};

/// The first type error, in textual order; nothing where there is none.
[[nodiscard]] std::optional<TypeProblem> type_problem(const Expr& expr);

/// The type of an expression without errors.
[[nodiscard]] std::optional<ValueType> type_of(const Expr& expr);

/// Why a condition cannot guard a nest: it reads a tensor, or computes with something else than integers. Empty where
/// nothing is wrong.
[[nodiscard]] std::string guard_problem(const Expr& guard);

}  // namespace steptp
