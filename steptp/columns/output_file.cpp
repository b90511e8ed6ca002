#include "steptp/columns/output_file.h"

#include <cerrno>
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
  auto file = PendingFile::create(path, path + ".part");
  if (!file) return write_error(path);
  return OutputFile(*std::move(file), path);
}

std::optional<Diagnostic> OutputFile::write(std::string_view bytes) {
  waiting_.append(bytes);
  size_ += bytes.size();
  return waiting_.size() < kBuffer ? std::nullopt : flush();
}

std::optional<Diagnostic> OutputFile::flush() {
  sum_.add(waiting_);
  if (!file_.write(waiting_)) return write_error(path_);
  waiting_.clear();
  return std::nullopt;
}

Result<WrittenFile, Diagnostic> OutputFile::finish() {
  // Not flushed to the disk one by one, which for hundreds of files takes longer than making them: after a power cut
  // the checksums show what is missing, and an export can be made again.
  if (auto problem = flush()) return *std::move(problem);
  if (!file_.commit(false)) return write_error(path_);
  return WrittenFile{size_, sum_.hex()};
}

}  // namespace steptp
