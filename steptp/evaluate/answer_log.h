#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"

namespace steptp {

/// The answers of a live evaluation, one line each, written before they are used: whoever is stopped goes on from here.
/// The first line says what was asked of whom; a log of other questions is not continued.
class AnswerLog {
 public:
  /// Opens or begins a log. A last line without an end is dropped. Diagnostics: `log` for a file that is no log or one
  /// of other questions, `write` where it cannot be written.
  [[nodiscard]] static Result<AnswerLog, Diagnostic> open(const std::string& path, const Json& header);

  AnswerLog(AnswerLog&& other) noexcept;
  AnswerLog& operator=(AnswerLog&&) = delete;
  AnswerLog(const AnswerLog&) = delete;
  AnswerLog& operator=(const AnswerLog&) = delete;
  ~AnswerLog();

  /// One row in one piece; from many threads at a time.
  [[nodiscard]] std::optional<Diagnostic> append(const Json& row);

 private:
  AnswerLog(int file, std::string path) : file_(file), path_(std::move(path)) {}

  int file_;
  std::string path_;
  std::mutex mutex_;
  bool is_broken_ = false;
};

/// Whether a row is the first line of a log.
[[nodiscard]] bool is_log_header(const Json& row);
inline constexpr std::string_view kLogFormat = "evaluate-log-1";

}  // namespace steptp
