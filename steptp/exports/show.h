#pragma once

#include <cstdint>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp::dataset {

/// One row of an exported table as it stands in its file, counted from 0. An empty split stands for train, or for the
/// only split that has rows. Diagnostics: those of reading; `usage` where there are fewer rows, or several splits to
/// choose from. Only rows with all that is wanted are counted: a strategy, a difficulty of one of its answers,
/// an end to its tokens, a share of the time that it saves.
struct WantedRow {
  std::string strategy;
  std::string difficulty;
  std::uint64_t most_tokens = 0;  ///< of question and answer together; 0: no end
  double least_usefulness = 0;
  [[nodiscard]] bool is_any() const {
    return strategy.empty() && difficulty.empty() && most_tokens == 0 && least_usefulness == 0;
  }
};
[[nodiscard]] Result<std::string, Diagnostic> read_row(const std::string& folder, const std::string& table,
                                                       const std::string& split, std::uint64_t number,
                                                       const WantedRow& wanted = {});

}  // namespace steptp::dataset
