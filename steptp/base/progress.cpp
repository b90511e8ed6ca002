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
      next_(std::chrono::steady_clock::now() + kInterval) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!shown_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  draw(done);
  drawn_ = true;
}

void Progress::draw(std::uint64_t done) const {
  if (total_ == 0) {
    std::fprintf(stderr, "\r%s %llu\x1b[K", title_.c_str(), static_cast<unsigned long long>(done));
  } else {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto filled = static_cast<std::size_t>(share * kWidth);
    const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
    std::fprintf(stderr, "\r%s [%s] %3d%%\x1b[K", title_.c_str(), bar.c_str(), static_cast<int>(share * 100));
  }
  std::fflush(stderr);
}

}  // namespace steptp
