#pragma once

#include <cstdint>
#include <vector>

#include "steptp/ir/operation.h"

namespace steptp::certify {

/// One comparison on the way to an element, and how it went.
struct TraceStep {
  enum class Kind : std::uint8_t {
    on_indices,  ///< decided by where the element stands
    reals,       ///< by the sign of a difference
    integers,    ///< by drawn integers, or such as were made of reals
  };
  Kind kind = Kind::reals;
  std::uint32_t branch = 0;  ///< kNone for a maximum of two
  std::uint32_t statement = 0;
  /// The difference up to its sign, or the two integers: equal where the same numbers are compared.
  std::uint64_t identity = 0;
  /// Signs of that difference, as a set of three bits (-, 0, +): for which the outcome is true.
  std::uint8_t signs_of_true = 0;
  bool outcome = false;
  std::uint64_t difference = 0;  ///< of reals, with its sign: a residue of the field that was evaluated in

  /// Of these inputs, or of all: which of them, another trace tells.
  [[nodiscard]] bool is_tie() const { return kind == Kind::reals && difference == 0; }
};

using Trace = std::vector<TraceStep>;

/// The same comparison in the text.
[[nodiscard]] inline bool is_same_place(const TraceStep& a, const TraceStep& b) {
  return a.kind == b.kind && a.branch == b.branch && a.statement == b.statement;
}

struct Traced {
  Trace steps;
  std::uint64_t prime = 0;  ///< of the field
};

inline constexpr std::uint8_t kNegative = 1;
inline constexpr std::uint8_t kZero = 2;
inline constexpr std::uint8_t kPositive = 4;

[[nodiscard]] inline bool is_extremum(ArithmeticOp op) { return op == ArithmeticOp::max || op == ArithmeticOp::min; }

/// The signs of left - right for which a comparison holds.
[[nodiscard]] inline std::uint8_t signs_of(CompareOp op) {
  switch (op) {
    case CompareOp::less: return kNegative;
    case CompareOp::less_equal: return kNegative | kZero;
    case CompareOp::greater: return kPositive;
    case CompareOp::greater_equal: return kPositive | kZero;
    case CompareOp::equal: return kZero;
    case CompareOp::not_equal: return kNegative | kPositive;
  }
  return 0;
}

/// The comparison of right with left that says the same.
[[nodiscard]] inline CompareOp mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::less: return CompareOp::greater;
    case CompareOp::less_equal: return CompareOp::greater_equal;
    case CompareOp::greater: return CompareOp::less;
    case CompareOp::greater_equal: return CompareOp::less_equal;
    case CompareOp::equal:
    case CompareOp::not_equal: return op;
  }
  return op;
}

}  // namespace steptp::certify
