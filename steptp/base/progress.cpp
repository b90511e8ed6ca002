#include "steptp/base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace steptp {

namespace {
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr int kWidth = 30;
}  // namespace

Progress::Progress(std::string title, std::uint64_t total)
    : title_(std::move(title)),
      total_(total),
      shown_(::isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()),
      next_(start_ + kInterval) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

bool Progress::is_due() {
  if (!shown_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + kInterval;
  drawn_ = true;
  return true;
}

void Progress::update(std::uint64_t done) {
  if (is_due()) draw(done, nullptr);
}

void Progress::update(std::uint64_t done, const std::string& note) {
  if (is_due()) draw(done, &note);
}

namespace {

/// "12.5/s, 3:20 left": from what was done so far.
std::string pace(std::uint64_t done, std::uint64_t total, double seconds) {
  if (done == 0 || seconds <= 0) return {};
  const double rate = static_cast<double>(done) / seconds;
  const auto left = static_cast<unsigned long long>(static_cast<double>(total - std::min(done, total)) / rate);
  char text[64];
  std::snprintf(text, sizeof text, " %.1f/s, %llu:%02llu left", rate, left / 60, left % 60);
  return text;
}

}  // namespace

void Progress::draw(std::uint64_t done, const std::string* note) const {
  if (total_ == 0) {
    std::fprintf(stderr, "\r%s %llu\x1b[K", title_.c_str(), static_cast<unsigned long long>(done));
  } else {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto filled = static_cast<std::size_t>(share * kWidth);
    const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
    std::string behind;
    if (note) {
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
      behind = pace(done, total_, passed.count()) + (note->empty() ? "" : ", ") + *note;
    }
    std::fprintf(stderr, "\r%s [%s] %3d%%%s\x1b[K", title_.c_str(), bar.c_str(), static_cast<int>(share * 100),
                 behind.c_str());
  }
  std::fflush(stderr);
}

}  // namespace steptp
