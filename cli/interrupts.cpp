#include "cli/interrupts.h"

#include <atomic>
#include <chrono>
#include <csignal>

namespace steptp::cli {

namespace {

std::atomic<bool> is_interrupted = false;

}  // namespace

std::function<bool()> go_on_until_interrupted(double seconds) {
  using Clock = std::chrono::steady_clock;
  std::signal(SIGINT, [](int) { is_interrupted = true; });
  std::signal(SIGTERM, [](int) { is_interrupted = true; });
  if (seconds == 0) return [] { return !is_interrupted; };
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return [end] { return !is_interrupted && Clock::now() < end; };
}

}  // namespace steptp::cli
