#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace steptp {

/// A progress bar on standard error, drawn only where that is a terminal, at most ten times a second.
class Progress {
 public:
  /// `total` 0: the amount of work is not known, and a count is shown instead of a bar.
  Progress(std::string title, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);
  /// The same with a few words behind the bar, the rate and the time left.
  void update(std::uint64_t done, const std::string& note);

 private:
  void draw(std::uint64_t done, const std::string* note) const;
  bool is_due();

  std::string title_;
  std::uint64_t total_;
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace steptp
