#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/process.h"
#include "steptp/base/result.h"
#include "steptp/measure/time_programs.h"

namespace steptp {

/// Another program that measures what it has prepared when it is asked, so that it takes turns with ours. Its first
/// line is {"columns":[{"name":...},...]}, a column that cannot be had with "error" beside its name, or {"error":...}.
/// Then it answers each line `COLUMN SECONDS MOST` with {"samples":[seconds of single runs]} or {"error":...}.
class RivalSession {
 public:
  /// Keeps `folder` for as long as it lives. Diagnostic `rival`: the program does not start, or has nothing.
  static Result<std::unique_ptr<RivalSession>, Diagnostic> start(const std::vector<std::string>& command,
                                                                 double timeout_seconds,
                                                                 std::optional<TemporaryFolder> folder = {});
  RivalSession(const RivalSession&) = delete;
  RivalSession& operator=(const RivalSession&) = delete;
  ~RivalSession();

  /// By column; one that cannot be had fails when it is measured.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::vector<Rival*> rivals() const;

 private:
  class Column;
  RivalSession(Conversation other, double timeout_seconds, std::optional<TemporaryFolder> folder);
  std::optional<TemporaryFolder> folder_;
  Conversation other_;
  double timeout_seconds_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace steptp
