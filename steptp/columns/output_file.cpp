#include "steptp/columns/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "steptp/base/text.h"

namespace steptp {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

Diagnostic write_error(const std::string& path) {
  return make_error("write", concat("cannot write '", path, "': ", std::strerror(errno)),
                    "make room or name another folder, then run it again");
}

}  // namespace

Result<OutputFile, Diagnostic> OutputFile::create(const std::string& path) {
  std::string temporary = path + ".part";
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return write_error(path);
  return OutputFile(file, path, std::move(temporary));
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      waiting_(std::move(other.waiting_)),
      size_(other.size_),
      sum_(other.sum_) {}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  ::close(file_);
  ::unlink(temporary_.c_str());
}

std::optional<Diagnostic> OutputFile::write(std::string_view bytes) {
  waiting_.append(bytes);
  size_ += bytes.size();
  return waiting_.size() < kBuffer ? std::nullopt : flush();
}

std::optional<Diagnostic> OutputFile::flush() {
  sum_.add(waiting_);
  std::string_view rest = waiting_;
  while (!rest.empty()) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return write_error(path_);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  waiting_.clear();
  return std::nullopt;
}

Result<WrittenFile, Diagnostic> OutputFile::finish() {
  // Not flushed to the disk one by one, which for hundreds of files takes longer than making them: after a power cut
  // the checksums show what is missing, and an export can be made again.
  if (auto problem = flush()) return *std::move(problem);
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) return write_error(path_);
  return WrittenFile{size_, sum_.hex()};
}

}  // namespace steptp
