#pragma once

#include <string>
#include <vector>

#include "steptp/text/document.h"

namespace steptp::bench {

/// What is measured: the programs of the file that the environment variable STEPTP_CORPUS names (one JSON record per
/// line), or, without it, hand-written programs at real shapes and generated ones, the same in every run.
struct Sample {
  std::string record;  ///< the JSON record
  std::string paper;   ///< the program's text without a signature, in either profile
  std::string compact;
  Program program;
};
[[nodiscard]] const std::vector<Sample>& samples();

/// Programs as people write them, with their signatures, at the shapes of real models.
[[nodiscard]] std::vector<Document> hand_written();

/// The value below which the part `p` of the numbers lies.
[[nodiscard]] double quantile(std::vector<double> numbers, double p);

}  // namespace steptp::bench
