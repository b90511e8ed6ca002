#include "cli/interrupts.h"

#include <atomic>
#include <chrono>
#include <csignal>

#include "steptp/base/duration.h"

namespace steptp::cli {

namespace {

std::atomic<bool> is_interrupted = false;

}  // namespace

void note_interrupts() {
  std::signal(SIGINT, [](int) { is_interrupted = true; });
  std::signal(SIGTERM, [](int) { is_interrupted = true; });
}

std::function<bool()> go_on_until_interrupted(double seconds) {
  using Clock = std::chrono::steady_clock;
  note_interrupts();
  if (seconds == 0) return [] { return !is_interrupted; };
  const auto end = Clock::now() + span_of_seconds(seconds);
  return [end] { return !is_interrupted && Clock::now() < end; };
}

}  // namespace steptp::cli
