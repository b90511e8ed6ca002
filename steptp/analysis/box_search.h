#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/analysis/interval.h"

namespace steptp {

/// A point of an iteration space.
using Point = std::map<std::string, std::int64_t, std::less<>>;

/// Is there a point of the box at which all conditions hold and the target lies outside (or inside) an interval?
/// Decided by interval reasoning with splitting: complete, because a point is decided, and fast, because most boxes are
/// decided whole.
struct SearchAnswer {
  enum class Kind : std::uint8_t { none, found, possible, gave_up };
  Kind kind = Kind::none;
  Point point;     ///< found, possible
  Wide value = 0;  ///< found: the target's value there
};

struct SearchProblem {
  Ranges ranges;  ///< the box, and what indirect reads can give
  std::vector<PathCondition> conditions;
  const Index* target = nullptr;
  Interval interval;
};

/// `found` is certain: the conditions are on indices and hold there, and the target reads no tensor. `possible` means
/// that data decides. `budget` counts boxes looked at.
[[nodiscard]] SearchAnswer find_outside(const SearchProblem& problem, std::uint64_t budget);
[[nodiscard]] SearchAnswer find_inside(const SearchProblem& problem, std::uint64_t budget);

/// The tightest interval around the values the target takes under the conditions; nothing where the budget ran out or
/// no point satisfies the conditions. Exact unless tensors are read.
[[nodiscard]] std::optional<Interval> exact_range(const SearchProblem& problem, std::uint64_t budget);

/// The box of a statement's loops.
[[nodiscard]] Ranges loop_box(const Statement& statement);
/// The guards of a statement and the conditions of an access, together.
[[nodiscard]] std::vector<PathCondition> path_conditions(const Statement& statement, const Access& access);

}  // namespace steptp
