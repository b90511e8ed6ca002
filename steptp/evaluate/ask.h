#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/endpoint/chat.h"
#include "steptp/evaluate/answer_log.h"
#include "steptp/evaluate/cases.h"

namespace steptp {

struct AskOptions {
  std::string model;
  double temperature = 0;
  std::uint64_t seed = 1;
  std::int64_t max_tokens = 0;
  bool stream = false;
  int attempts = 1;
  unsigned concurrency = 8;
  RetryOptions retry;
};

/// A question without an answer, after all retries.
struct Unanswered {
  std::size_t of_case = 0;
  std::int64_t attempt = 1;
  ChatFailure failure;
};

struct Asked {
  std::vector<Unanswered> unanswered;  ///< by case and attempt
  /// Why no more was asked; then some questions are neither answered nor among those.
  std::optional<ChatFailure> stopped;
  std::optional<Diagnostic> log_problem;
};

/// The first line of the log of these questions.
[[nodiscard]] Json log_header(const std::vector<EvaluationCase>& cases, const AskOptions& options);

/// Asks every case as often as wanted, but for what `done` has answers to, several at a time, and writes each answer to
/// the log as it comes. It stops where nobody is there, where no question will be answered, and after many questions in
/// a row without an answer. `progress` gets the number of questions that are done with.
[[nodiscard]] Asked ask_all(const std::vector<EvaluationCase>& cases, const std::vector<ModelAnswer>& done,
                            ChatEndpoint& endpoint, const AskOptions& options, AnswerLog& log,
                            const std::function<void(std::size_t)>& progress);

}  // namespace steptp
