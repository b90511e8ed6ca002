#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "steptp/ir/program.h"
#include "steptp/prove/prove.h"

namespace steptp {

/// Values of a source that reach an output, or decide what does, through a type that is too narrow. Types are written
/// as their significand bits and greatest binary exponent.
struct PrecisionLoss {
  std::string source;  ///< the name of a known variable, "literal 0.1 in f32" or "index in f32"
  bool decides = false;
  std::string output;
  std::pair<int, int> found;
  std::pair<int, int> expected;
};

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
  std::optional<PrecisionLoss> loss;
};
[[nodiscard]] Precision compare_precision(const Program& before, const Program& after,
                                          const ProofOptions& options = {});

}  // namespace steptp
