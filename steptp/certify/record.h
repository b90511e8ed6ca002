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
    std::string draw;
    std::uint64_t seed = 0;
    std::string by;           ///< field, balls, integers
    std::uint64_t prime = 0;  ///< field
    std::string before;       ///< the residue, or the number
    std::string after;
    std::optional<GivenInputs> given;  ///< special draws that read little: the values themselves
  };
  struct Branch {
    bool in_before = true;
    std::vector<std::uint32_t> statement;  ///< its address
    ExprPtr condition;                     ///< null where the text has none
    std::string kind;                      ///< indices, data, fold
    std::string when_true;                 ///< seen, or why it need not be
    std::string when_false;
  };
  std::vector<Point> points;
  std::vector<Branch> branches;
};

}  // namespace steptp::certify
