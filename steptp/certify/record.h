#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/certify/given.h"
#include "steptp/ir/program.h"

namespace steptp::certify {

/// How the values of an input are drawn: its domain, as stated or as its use demands.
struct RecordedInput {
  std::string name;
  std::string draw;  ///< any, positive, nonzero, range, integer, given
  double low = 0;    ///< range
  double high = 0;
  std::int64_t least = 0;  ///< integer
  std::int64_t greatest = 0;
  bool skips_zero = false;
  bool is_bounded = false;  ///< by its use
};
[[nodiscard]] std::vector<RecordedInput> describe_inputs(const Program& before, const Program& after);

/// What an evaluation looked at, for a certificate.
struct EvaluationRecord {
  struct Point {
    std::string output;
    std::vector<std::int64_t> element;
    std::uint64_t seed = 0;   ///< of a generic draw
    std::string by;           ///< field, balls, integers
    std::uint64_t prime = 0;  ///< field
    std::string before;       ///< the residue, or the number
    std::string after;
    std::optional<GivenInputs> given;  ///< other draws that read little: the values themselves
  };
  std::vector<Point> points;
};

}  // namespace steptp::certify
