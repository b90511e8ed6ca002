#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp::dataset {

/// Shares or weights of the three classes.
struct ByDifficulty {
  double difficult = 0;
  double medium = 0;
  double easy = 0;
};

/// Everything that decides the bytes of a dataset: written into it, and read back by `--config`. The defaults give the
/// published shape. Where it is built, by how many processes and how long it may take is no part of it.
struct Configuration {
  std::uint64_t seed = 1;

  // Programs.
  std::uint64_t programs = 6335;            ///< of the split `train`
  std::uint64_t compositions_percent = 25;  ///< of them, random compositions
  std::vector<std::string> types;           ///< of the zoo; empty: all
  std::vector<std::string> dtypes = {"f16", "f32", "f64"};
  double most_gib = 2;                      ///< of one tensor
  std::vector<std::string> exclude_origin;  ///< "kernelbench", "composition", ...
  std::vector<std::string> imports;         ///< names of .pt2 files, taken into `train`
  std::vector<std::string> import_sums;     ///< SHA-256 of each, so that a file that changes is noticed
  std::uint64_t test_shape_programs = 180;
  std::uint64_t test_types = 15;  ///< types of the zoo that are kept out of training
  std::uint64_t test_type_programs = 150;
  std::uint64_t multi_step_programs = 100;  ///< of the published workloads

  // Entries.
  std::uint64_t entries = 35878;  ///< of the split `train`, at least, as far as there are so many
  std::uint64_t test_shape_entries = 2248;
  std::vector<std::string> strategies;  ///< empty: all published ones
  bool extended = false;                ///< with choices beyond the published form of a strategy
  /// Entries of each strategy of a class that are wanted for every hundred programs: what the published rows need.
  ByDifficulty weights = {28, 5, 4};
  /// "useful": numbers that a person would choose come first, and steps that nobody would show are left out;
  /// "published": every choice alike.
  std::string draw = "useful";
  std::uint64_t depth = 0;         ///< entries start from states up to so many steps behind the root
  std::uint64_t deep_states = 2;   ///< states that are walked on from, per program and depth
  std::uint64_t deep_entries = 3;  ///< entries of each such state

  // Judgement.
  std::uint64_t trials = 3;
  std::uint64_t budget = 1'000'000;         ///< operations of one judgement
  std::uint64_t proof_budget = 60'000;      ///< nodes of one proof
  std::uint64_t safety_budget = 1'500'000;  ///< operations of the comparison of rounding errors
  std::uint64_t attempts = 3;               ///< candidates tried for each wanted entry
  std::string compile = "sample";           ///< "sample", "all" or "none"
  std::uint64_t compile_rows = 500;         ///< of the sample

  // Filter.
  std::uint64_t single_cap = 250;  ///< per strategy
  double easy_simplifying = 0.20;  ///< share of such single rows that is kept
  double easy_expanding = 0.04;
  std::uint64_t medium_cap = 2000;  ///< per strategy, in multi-answer rows
  double subsets = 2.75;            ///< per program
  double subset_size = 4.2;         ///< on average
  std::uint64_t subset_least = 2;
  ByDifficulty mix = {87.32, 12.17, 0.51};  ///< percent of strategy occurrences; all 0: as they come
  double mix_tolerance = 0.5;               ///< percentage points
};

[[nodiscard]] Json to_json(const Configuration& configuration);
/// Keys that are left out keep their default; an unknown key or a value of another kind is named. Id `configuration`.
[[nodiscard]] Result<Configuration, Diagnostic> configuration_from_json(const Json& json);
/// One setting, for options and help: "weights", "6/1.5/1".
struct Setting {
  std::string key;
  std::string help;
  std::string fallback;
  bool is_flag = false;
};
[[nodiscard]] std::vector<Setting> all_settings();
/// Sets one from a text: a number, a list with commas, three numbers with slashes. Answers what is wrong.
[[nodiscard]] std::string set_from_text(Configuration& configuration, std::string_view key, const std::string& text);
/// Every count in proportion to the published ones, for a dataset with so many programs in `train`.
void scale_to_programs(Configuration& configuration, std::uint64_t programs);
/// What is wrong with the values; empty where nothing is.
[[nodiscard]] std::string problem_of(const Configuration& configuration);

}  // namespace steptp::dataset
