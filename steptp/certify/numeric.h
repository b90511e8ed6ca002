#pragma once

#include <cstdint>
#include <string>

#include "steptp/certify/certify.h"
#include "steptp/ir/program.h"

namespace steptp::certify {

struct NumericAnswer {
  bool is_equal = false;
  std::string reason;        ///< why not
  std::uint64_t points = 0;  ///< elements compared, over all trials
  std::uint64_t work = 0;
};

/// Whether the outputs agree within their running error bounds when both programs are run in their declared types, over
/// three seeded trials. Says nothing where a comparison or a conversion of data lies within the errors of its operands:
/// then the programs may go other ways in exact arithmetic. Never a tolerance.
[[nodiscard]] NumericAnswer compare_numerically(const Program& before, const Program& after,
                                                const CertifyOptions& options);

}  // namespace steptp::certify
