#include "steptp/base/pending_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace steptp {

std::optional<PendingFile> PendingFile::create(std::string path, std::string temporary, mode_t mode) {
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
  if (file < 0) return std::nullopt;
  return PendingFile(file, std::move(path), std::move(temporary));
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, std::string())) {}

PendingFile::~PendingFile() {
  const int reason = errno;
  if (file_ >= 0) ::close(file_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  errno = reason;
}

bool PendingFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool PendingFile::commit(bool is_flushed) {
  if (is_flushed && ::fsync(file_) != 0) return false;
  if (::close(std::exchange(file_, -1)) != 0) return false;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return false;
  temporary_.clear();
  return true;
}

}  // namespace steptp
