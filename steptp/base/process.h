#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"

namespace steptp {

/// How another program ended.
struct ProcessResult {
  int status = 0;  ///< its exit status; 128 and the number of the signal that ended it
  bool timed_out = false;
  std::string output;  ///< the end of what it wrote, standard output and standard error together
};

/// Runs a program, found on the PATH, with nothing on its standard input. After `seconds` it is ended with all that it
/// started. Error: id `process`, where the program cannot be started.
[[nodiscard]] Result<ProcessResult, Diagnostic> run_process(const std::vector<std::string>& command, double seconds);

/// A program that is asked line by line and answers each line with one. It ends with the object, and with the thread
/// that started it.
class Conversation {
 public:
  /// Found on the PATH; what it writes to standard error is lost. Error: id `process`.
  static Result<Conversation, Diagnostic> start(const std::vector<std::string>& command);
  Conversation(Conversation&& other) noexcept;
  Conversation& operator=(Conversation&&) = delete;
  ~Conversation();

  /// The next line that it writes, without its end; an empty `line` asks nothing. Error: it is gone, or takes too long.
  [[nodiscard]] Result<std::string, Diagnostic> ask(std::string_view line, double seconds);

 private:
  Conversation(pid_t child, int to, int from) : child_(child), to_(to), from_(from) {}
  pid_t child_;
  int to_;
  int from_;
  std::string read_;  ///< what has arrived and is not yet asked for
};

/// A new folder that is removed with everything in it.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder, Diagnostic> make();
  TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace steptp
