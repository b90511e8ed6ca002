#pragma once

#include <string>
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
