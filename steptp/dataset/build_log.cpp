#include "steptp/dataset/build_log.h"

#include <array>
#include <cstdio>

namespace steptp::dataset {

BuildLog::BuildLog(const std::string& folder)
    : file_(folder + "/build.log", std::ios::app), start_(std::chrono::steady_clock::now()) {}

void BuildLog::write(std::string_view line) {
  const std::lock_guard lock(mutex_);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  std::array<char, 32> time{};
  std::snprintf(time.data(), time.size(), "%9.1f s  ", passed.count());
  file_ << time.data() << line << "\n" << std::flush;
}

}  // namespace steptp::dataset
