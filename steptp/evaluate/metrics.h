#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/evaluate/judge_answer.h"

namespace steptp {

/// How far programs came: each number counts those that also passed all before it, but for `different_text`.
struct StageCounts {
  std::uint64_t programs = 0;
  std::uint64_t different_text = 0;
  std::uint64_t different = 0;
  std::uint64_t build = 0;
  std::uint64_t not_run = 0;           ///< built, and not run to an end: nowhere to run, or too slow
  std::vector<std::uint64_t> execute;  ///< through the first, the first two, ... trials
  std::vector<std::uint64_t> equal;
  std::uint64_t safe = 0;  ///< of the equal ones

  void add(const JudgedProgram& program, std::size_t trials);
};

/// Why programs failed, by outcome and reason, with the first case that shows it.
struct FailureCount {
  std::uint64_t count = 0;
  std::string example;  ///< id of the case
  std::string reason;
};

struct PassAt {
  std::int64_t k = 1;
  double value = 0;         ///< mean over cases with at least k attempts
  std::uint64_t cases = 0;  ///< how many that are
};

/// All that is counted. Counts by strategy, level and difficulty are of the strategies that answers name; a program
/// that names two counts for both.
struct EvaluationSummary {
  std::size_t trials = 3;
  std::uint64_t cases = 0;
  std::uint64_t answered_cases = 0;
  std::uint64_t attempts = 0;
  std::uint64_t successes = 0;  ///< attempts with as many equal programs as were asked for
  StageCounts all;
  std::map<std::string, StageCounts> by_strategy;  ///< what is no name of ours is "(other)", no name at all "(none)"
  std::map<std::string, StageCounts> by_level;
  std::map<std::string, StageCounts> by_difficulty;
  std::map<std::string, std::uint64_t> grades;  ///< of equal programs
  std::map<std::pair<std::string, std::string>, FailureCount> failures;
  std::map<std::string, std::uint64_t> deviations;
  std::vector<PassAt> pass_at;
  std::int64_t prompt_tokens = 0;
  std::int64_t completion_tokens = 0;

  /// Strategies of the 43 that an equal program names.
  [[nodiscard]] std::uint64_t strategies_used() const;
};

/// 1 - C(n-c, k) / C(n, k): the chance that k of n attempts, of which c succeeded, hold a success.
[[nodiscard]] double pass_at_k(std::int64_t attempts, std::int64_t successes, std::int64_t k);

/// Counts case by case.
class EvaluationCounter {
 public:
  /// `k`: for which numbers of attempts to tell pass@k; empty: 1, 2, 5, 10, 16 and so on, as far as there are attempts.
  EvaluationCounter(std::size_t trials, std::vector<std::int64_t> k) : wanted_k_(std::move(k)) {
    summary_.trials = trials;
  }

  void add_case(const EvaluationCase& one, const std::vector<JudgedAttempt>& attempts);
  void add_tokens(const ModelAnswer& answer);
  [[nodiscard]] EvaluationSummary finish();

 private:
  void add_program(const EvaluationCase& one, const JudgedProgram& program);

  std::vector<std::int64_t> wanted_k_;
  EvaluationSummary summary_;
  std::vector<std::pair<std::int64_t, std::int64_t>> tries_;  ///< attempts and successes of each case
};

[[nodiscard]] Json to_json(const EvaluationSummary& summary);

}  // namespace steptp
