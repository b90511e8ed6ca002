#pragma once

// What a run of testing/strategy_soak has measured of the strategies, as data/strategy_measurements.json keeps it: the
// binary carries the file, and docs/strategies.md is printed from it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp {

/// How many judged steps of a strategy had which answer.
struct JudgedSteps {
  std::uint64_t proved = 0;
  std::uint64_t exact = 0;
  std::uint64_t numeric = 0;
  std::uint64_t undecided = 0;
  std::uint64_t wrong = 0;   ///< the programs differ, the result is invalid, or a listed choice was refused
  std::uint64_t unsafe = 0;  ///< of those that are equal: numerically worse than before

  [[nodiscard]] std::uint64_t equal() const { return proved + exact; }
  [[nodiscard]] std::uint64_t all() const { return equal() + numeric + undecided + wrong; }
};

struct StrategyMeasurement {
  std::string name;
  std::vector<std::string> types;    ///< of the zoo, at default shapes: their programs offer a published choice
  std::vector<std::string> reached;  ///< other types: states that steps on their programs lead to offer a choice
  double choices_median = 0;         ///< over the programs of `types`
  double choices_mean = 0;
  JudgedSteps judged;
};

struct StrategyMeasurements {
  std::uint64_t seed = 0;
  std::uint64_t programs = 0;    ///< drawn, whose steps were judged
  std::vector<std::string> zoo;  ///< all its types
  std::vector<StrategyMeasurement> strategies;

  /// Null where there is none of that name.
  [[nodiscard]] const StrategyMeasurement* find(std::string_view name) const;
};

/// The text of the file, one strategy a line.
[[nodiscard]] std::string to_text(const StrategyMeasurements& measurements);
/// What was written so; the text says what is wrong with another.
[[nodiscard]] Result<StrategyMeasurements, std::string> measurements_from_text(std::string_view text);
/// Those that the binary carries.
[[nodiscard]] const StrategyMeasurements& measured_strategies();

}  // namespace steptp
