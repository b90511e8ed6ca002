#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "steptp/machine/code.h"

namespace steptp::certify {

inline constexpr std::size_t kMaxRank = 40;

/// The values of the loops around a statement.
using Slots = std::array<std::int64_t, kMaxLoops>;

/// One execution of a statement.
struct Instance {
  std::uint32_t statement = kNone;
  bool is_partial = false;  ///< an accumulation of which a part of the neighbours may come later
  Slots slots{};
};

/// A place where a tensor keeps one number: subscripts, then hidden subscripts.
struct Cell {
  std::array<std::int64_t, kMaxRank> at{};
  std::size_t size = 0;
};

/// Where an expression is evaluated: in which execution, and what its accumulator holds.
template <typename Value>
struct Frame {
  const StatementCode* statement = nullptr;
  const std::int64_t* slots = nullptr;
  const Value* real_accumulator = nullptr;
  std::int64_t integer_accumulator = 0;
};

}  // namespace steptp::certify
