#pragma once

#include <optional>
#include <utility>

#include "steptp/ir/dtype.h"

namespace steptp::certify {

/// Which magnitudes the elements of inputs have, besides zero: the range over which `safe` is asked.
struct SafeRange {
  enum class Kind : std::uint8_t {
    middle,  ///< the middle half of the exponents of the type
    full,    ///< every normal number
    given,   ///< from `low` to `high`
  };
  Kind kind = Kind::middle;
  double low = 0;
  double high = 0;
  bool operator==(const SafeRange&) const = default;

  struct Exponents {
    int low = 0;
    int high = 0;
  };
  /// Magnitudes lie in [2^low, 2^high]; of a given range these are the exponents that it meets.
  [[nodiscard]] Exponents exponents(DType dtype) const;
  [[nodiscard]] double least(DType dtype) const;
  [[nodiscard]] double greatest(DType dtype) const;
};

}  // namespace steptp::certify
