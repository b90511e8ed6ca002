#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "steptp/evaluate/cases.h"
#include "steptp/evaluate/judge_answer.h"
#include "steptp/evaluate/metrics.h"

namespace steptp {

/// Where answers are compiled and run.
struct BuildPlace {
  std::string device;       ///< "cuda", "cpu", or "none"
  std::string description;  ///< "NVRTC 12.8, run on NVIDIA H200"
};
/// What this machine has: a GPU with NVRTC, otherwise LLVM, otherwise nothing. `wanted` is "auto" or one of them; the
/// diagnostic says why that one is not there.
[[nodiscard]] Result<BuildPlace, Diagnostic> find_build_place(const std::string& wanted);

struct EvaluateOptions {
  JudgeOptions judge;
  unsigned jobs = 0;
  std::vector<std::int64_t> k;
};

/// One case with all its attempts; `problem` says why it cannot be judged, where its own program is at fault.
struct JudgedCase {
  std::vector<JudgedAttempt> attempts;
  std::string problem;
};

struct Evaluation {
  std::string built_with;
  EvaluationSummary summary;
  std::vector<std::pair<std::string, std::string>> unusable;    ///< cases, and why
  std::vector<std::pair<std::string, std::string>> unanswered;  ///< cases of a live endpoint, and why
  std::string machine_problem;  ///< why it was not carried through; then the numbers mean nothing
};

/// Judges all answers, several cases at a time; `on_case` gets them in order, and answers false to stop.
[[nodiscard]] Evaluation evaluate(const std::vector<EvaluationCase>& cases, const std::vector<ModelAnswer>& answers,
                                  const EvaluateOptions& options,
                                  const std::function<bool(const EvaluationCase&, const JudgedCase&)>& on_case);

[[nodiscard]] Json to_json(const EvaluationCase& one, const JudgedCase& judged);
[[nodiscard]] Json to_json(const Evaluation& evaluation);

}  // namespace steptp
