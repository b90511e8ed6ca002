#pragma once

// Expressions that work on the same rows, as `rows` and `stages` see them: leading loops say which row, the loops
// behind them walk along it.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "steptp/moves/parts.h"

namespace steptp {

class MoveBuilder;

/// One expression of a chain. It has the loops over rows, and behind them its own.
struct RowPart {
  enum class Kind : std::uint8_t {
    reduce,  ///< folds a row to one value
    map,     ///< has a value for each element of a row
    once,    ///< has a value for each row
  };
  Kind kind = Kind::map;
  std::vector<AxisOf> loops;  ///< all of them, from outside
  std::int64_t length = 1;    ///< iterations of the loops along the row
  std::string tensor;         ///< what it writes
};

/// Neighbouring top-level expressions of one equation each over the same rows.
struct RowChain {
  std::uint32_t first = 0;
  std::vector<std::int64_t> rows;  ///< extents of the loops over rows; empty where everything is one row
  std::vector<RowPart> parts;
  std::set<std::string> row_data;  ///< read with loops of both sorts, and not written by the chain

  /// Of the longest part.
  [[nodiscard]] std::int64_t length() const;
  [[nodiscard]] bool reduces() const;
};

/// The longest chain that begins with this expression: what reduces has the same rows as the first that does; without
/// any, rows are the outermost loop. It has no parts where there is none.
[[nodiscard]] RowChain find_row_chain(View& view, std::uint32_t first);

/// Loops in turn that become one, at the position of the first.
[[nodiscard]] bool fuse_loops(MoveBuilder& builder, std::uint32_t expression, std::size_t position, std::size_t loops);
/// Loops over hardware axes become serial ones.
[[nodiscard]] bool unbind_loops(MoveBuilder& builder, std::uint32_t expression, const std::vector<AxisOf>& loops);

}  // namespace steptp
