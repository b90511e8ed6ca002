#include "steptp/base/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "steptp/base/text.h"

namespace steptp {

LineReader::LineReader(LineReader&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      at_(other.at_),
      end_(other.end_) {}

LineReader::~LineReader() {
  if (file_ > STDIN_FILENO) ::close(file_);
}

Result<LineReader, Diagnostic> LineReader::open(const std::string& path) {
  if (path == "-") return LineReader(STDIN_FILENO, "standard input");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return make_error("file", concat("cannot open '", path, "': ", std::strerror(errno)));
  return LineReader(file, path);
}

std::optional<Diagnostic> LineReader::fill() {
  buffer_.erase(0, at_);
  at_ = 0;
  constexpr std::size_t kChunk = 1 << 20;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  ssize_t got = -1;
  do {
    got = ::read(file_, buffer_.data() + before, kChunk);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
  if (got < 0) return make_error("file", concat("cannot read '", path_, "': ", std::strerror(errno)));
  end_ = got == 0;
  return std::nullopt;
}

Result<std::optional<std::string>, Diagnostic> LineReader::next() {
  std::size_t searched = at_;
  while (true) {
    const std::size_t newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      std::optional<std::string> line = buffer_.substr(at_, newline - at_);
      at_ = newline + 1;
      return line;
    }
    if (end_) break;
    searched = buffer_.size() - at_;
    if (searched > kMaxLine) return make_error("file", concat("a line of '", path_, "' is longer than 1 GiB"));
    if (auto problem = fill()) return *std::move(problem);
  }
  if (at_ == buffer_.size()) return std::optional<std::string>();
  std::optional<std::string> line = buffer_.substr(at_);
  at_ = buffer_.size();
  return line;
}

Result<std::string, Diagnostic> LineReader::rest() {
  while (!end_) {
    if (auto problem = fill()) return *std::move(problem);
  }
  std::string all = buffer_.substr(at_);
  at_ = buffer_.size();
  return all;
}

}  // namespace steptp
