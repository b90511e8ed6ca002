#pragma once

#include <chrono>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>

namespace steptp::dataset {

/// DIR/build.log, for people: seconds since this run began, and what happened. No part of the dataset; a log that
/// cannot be written stops nothing.
class BuildLog {
 public:
  explicit BuildLog(const std::string& folder);
  void write(std::string_view line);

 private:
  std::mutex mutex_;
  std::ofstream file_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace steptp::dataset
