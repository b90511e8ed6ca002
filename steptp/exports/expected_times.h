#pragma once

// What programs are expected to take, by the model of `estimate`: columns of the rows.

#include <optional>

#include "steptp/ir/program.h"

namespace steptp::dataset {

/// In microseconds, to three digits; nothing where nobody can tell.
struct ExpectedTimes {
  std::optional<double> gpu;  ///< nvidia-h200
  std::optional<double> cpu;  ///< the plain CPU that is shipped
};
[[nodiscard]] ExpectedTimes expected_times(const Program& program);

/// The largest share of the expected time that a step saves on one of the two: from 0, nothing, to 1.
[[nodiscard]] double usefulness(const ExpectedTimes& before, const ExpectedTimes& after);

}  // namespace steptp::dataset
