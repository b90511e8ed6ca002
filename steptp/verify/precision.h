#pragma once

#include <cstdint>
#include <string>

#include "steptp/ir/program.h"

namespace steptp {

/// The precision rule of docs/verification.md: as real functions the programs may agree, but digits or range are thrown
/// away where `after` stores a value that reaches an output, or decides what reaches one, in a float type that cannot
/// hold what `before` holds there. Wider is allowed.
struct Precision {
  enum class Verdict : std::uint8_t {
    kept,
    lost,
    /// `before` has ways of several widths, and it was not shown that those of `after` are as wide each.
    unclear,
  };
  Verdict verdict = Verdict::kept;
  std::string reason;
};
[[nodiscard]] Precision compare_precision(const Program& before, const Program& after);

}  // namespace steptp
