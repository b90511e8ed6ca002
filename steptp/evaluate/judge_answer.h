#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/answers/answer.h"
#include "steptp/base/hash.h"
#include "steptp/evaluate/cases.h"
#include "steptp/measure/candidate_pool.h"
#include "steptp/verify/verify.h"

namespace steptp {

/// What became of one program of an answer: it is equal, or this is the first thing that was in the way.
enum class AnswerOutcome : std::uint8_t {
  equal,
  unreadable,  ///< no answer, no JSON, no LEIR
  same,        ///< not another program
  invalid,     ///< fails `check`, or changes what must stay
  unchecked,   ///< `check` cannot decide
  build,       ///< does not lower or compile
  trap,        ///< stops when it runs, for what the data are
  crash,       ///< its process died
  differs,
  undecided,  ///< the judge cannot decide
};
inline constexpr AnswerOutcome kAllOutcomes[] = {
    AnswerOutcome::equal,     AnswerOutcome::unreadable, AnswerOutcome::same, AnswerOutcome::invalid,
    AnswerOutcome::unchecked, AnswerOutcome::build,      AnswerOutcome::trap, AnswerOutcome::crash,
    AnswerOutcome::differs,   AnswerOutcome::undecided};
[[nodiscard]] std::string_view name_of(AnswerOutcome outcome);

/// One trial: inputs of its own for the run, points of its own for the judge.
struct AnswerTrial {
  std::uint64_t seed = 0;
  std::optional<bool> executed;  ///< nothing: it was not run, or not to its end
  Grade grade = Grade::undecided;
  bool is_judged = false;  ///< false: what came before it decided
};

struct JudgedProgram {
  std::vector<std::string> strategies;
  bool is_different_text = false;
  bool is_different = false;  ///< up to renaming
  bool is_built = false;
  AnswerOutcome outcome = AnswerOutcome::unreadable;
  std::string reason_id;  ///< a word that is counted
  std::string reason;     ///< for people
  bool is_safe = false;
  std::vector<AnswerTrial> trials;
  Hash canonical = 0;  ///< of the program, where it could be read

  [[nodiscard]] bool is_equal() const { return outcome == AnswerOutcome::equal; }
  /// Whether it ran, and was equal, in the first so many trials; each only where all before it was so.
  [[nodiscard]] bool executed_through(std::size_t trials_wanted) const;
  [[nodiscard]] bool equal_through(std::size_t trials_wanted) const;
  /// The weakest grade of its trials.
  [[nodiscard]] Grade grade() const;
};

struct JudgeOptions {
  int trials = 3;
  std::uint64_t seed = 1;
  double seconds = 60;  ///< for one judgement
  std::uint64_t budget = VerifyOptions().budget;
  CandidatePool* pool =
      nullptr;  ///< where programs are compiled and run; null: nowhere, and `build` ends with lowering
};

/// Judges one program of an answer. Never throws for what the answer holds. A machine that cannot (no compiler, no
/// device) is told apart: then `machine_problem` says so, and nothing is said of the program.
[[nodiscard]] JudgedProgram judge_program(const EvaluationCase& one, const AnswerProgram& program,
                                          const JudgeOptions& options, std::string& machine_problem);

/// One attempt: every program of the answer; of a question for one program, the first.
struct JudgedAttempt {
  std::int64_t attempt = 1;
  std::vector<JudgedProgram> programs;  ///< at least one: an answer that cannot be read is one that failed
  std::vector<std::string> deviations;
  /// As many equal programs as were asked for, all different from each other.
  bool is_success = false;
};
[[nodiscard]] JudgedAttempt judge_attempt(const EvaluationCase& one, const ModelAnswer& answer,
                                          const JudgeOptions& options, std::string& machine_problem);

[[nodiscard]] Json to_json(const JudgedProgram& program);
[[nodiscard]] Json to_json(const JudgedAttempt& attempt);

}  // namespace steptp
