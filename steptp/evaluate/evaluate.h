#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "steptp/evaluate/cases.h"
#include "steptp/evaluate/judge_answer.h"
#include "steptp/evaluate/metrics.h"
#include "steptp/lowering/target.h"

namespace steptp {

/// Where answers are to be compiled and run; `automatic`: on a GPU with NVRTC, otherwise with LLVM, otherwise nowhere.
enum class WantedBuild : std::uint8_t { automatic, cuda, cpu, none };
template <>
inline constexpr auto kWords<WantedBuild> = std::to_array<std::string_view>({"auto", "cuda", "cpu", "none"});

/// Where answers are compiled and run.
struct BuildPlace {
  std::optional<DeviceKind> device;  ///< nothing: they are only lowered
  std::string description;           ///< "NVRTC 12.8, run on NVIDIA H200"
};
/// What this machine has. The diagnostic says why a device that was named is not there.
[[nodiscard]] Result<BuildPlace, Diagnostic> find_build_place(WantedBuild wanted);

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
  bool is_run = false;  ///< whether programs were compiled and run, not lowered only
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
