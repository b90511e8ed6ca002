#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/worker.h"
#include "steptp/verify/verify_pair.h"

namespace steptp {

// Pairs judged in other processes: one on which the judge crashes or runs out of memory costs only itself.

/// What a process that judges may use: a pair of legal size needs a small part of it.
inline constexpr std::uint64_t kJudgeMemory = std::uint64_t{8} << 30;

/// The answer where the process that judged is gone: undecided, and why.
[[nodiscard]] Judgement failed_judgement(std::string_view why);

/// What a judgement says, as far as it comes back from another process.
struct ApartAnswer {
  Grade verdict = Grade::undecided;
  bool unusable = false;
  bool fills_vacuous = false;
  std::string reason;
  Json answer;              ///< the JSON answer of `verify`
  std::string certificate;  ///< JSON, where it was wanted and there is one
  bool cancelled = false;   ///< `go_on` said no

  /// Whether a key of the answer is true.
  [[nodiscard]] bool says(std::string_view key) const {
    const Json* value = answer.find(key);
    return value && value->as_bool() && *value->as_bool();
  }
};

struct ApartOptions {
  /// How processes that judge are started: a program that calls `run_judge_worker`. Empty: the pair is judged here,
  /// since a program that was started again and does something else would start itself without end.
  std::vector<std::string> command;
  VerifyOptions judge;
  double seconds = 0;  ///< on the wall clock; 0: no limit
  /// Whoever sets a limit gets an answer from the judge itself, a little later; so many seconds after the limit one
  /// that does not listen is given up.
  double grace = 30;
  bool with_certificate = false;
  std::function<bool()> go_on;  ///< asked now and then
};

/// The judge on texts, in another process of this program's own pool. Where none can be started the pair is judged
/// here.
[[nodiscard]] ApartAnswer verify_apart(const Pair& pair, const ApartOptions& options);

/// The side of the process that judges: one request of `verify_apart`, answered.
[[nodiscard]] std::string answer_judge_request(const std::string& request);
/// Answers requests until nobody asks any more; comes back with an exit status.
[[nodiscard]] int run_judge_worker(int descriptor);

}  // namespace steptp
