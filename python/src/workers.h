#pragma once

#include <chrono>
#include <string>

#include "steptp/measure/candidate_pool.h"

namespace steptp::python {

/// Lets Python handle signals (Ctrl-C) now and then while the interpreter's lock is released.
class SignalWatch {
 public:
  /// False once a handler has raised; the exception is then pending.
  bool go_on();
  [[nodiscard]] bool raised() const { return raised_; }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  bool raised_ = false;
};

/// The workers of a device (cpu or cuda), kept as long as the interpreter runs.
[[nodiscard]] CandidatePool& pool_for(const std::string& device);

/// Calls on this thread ask `watch` whether to go on, as long as this lives.
class Watched {
 public:
  explicit Watched(SignalWatch& watch);
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched();
};

}  // namespace steptp::python
