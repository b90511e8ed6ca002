#include "steptp/evaluate/answer_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"

namespace steptp {

namespace {

Diagnostic cannot_write(const std::string& path) {
  return make_error("write", concat("cannot write '", path, "': ", std::strerror(errno)),
                    "what was answered before is in it; the same command goes on from there");
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// What is wrong with a log that is there; nothing where it can be continued.
std::optional<Diagnostic> compare(const std::string& path, std::string_view content, const Json& header) {
  const auto found = parse_json(content.substr(0, content.find('\n')));
  if (!found || !is_log_header(*found)) {
    return make_error("log", concat("'", path, "' is not the log of an evaluation"), "give --log another name");
  }
  for (const auto& [key, value] : *header.as_object()) {
    const Json* theirs = found->find(key);
    if (theirs && theirs->dump() == value.dump()) continue;
    return make_error("log",
                      concat("'", path, "' is the log of another evaluation: ", key, " is ",
                             theirs ? theirs->dump() : "not there", ", and now ", value.dump()),
                      "give --log another name, or ask as before");
  }
  return std::nullopt;
}

}  // namespace

bool is_log_header(const Json& row) {
  const Json* format = row.find("format");
  return format && format->as_string() && *format->as_string() == kLogFormat;
}

Result<AnswerLog, Diagnostic> AnswerLog::open(const std::string& path, const Json& header) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return cannot_write(path);
  AnswerLog log(file, path);
  struct stat kind = {};
  if (::fstat(file, &kind) != 0 || !S_ISREG(kind.st_mode)) {
    return make_error("log", concat("'", path, "' is not a plain file"), "give --log another name");
  }
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    return make_error("log", concat("another evaluation is writing '", path, "'"),
                      "wait for it, or give another --log");
  }
  auto content = read_file(path);
  if (!content) return content.error();
  // Nobody was told of a line that has no end.
  const std::size_t whole = content->rfind('\n') == std::string::npos ? 0 : content->rfind('\n') + 1;
  if (whole > 0) {
    if (auto problem = compare(path, *content, header)) return *std::move(problem);
  } else if (!content->empty() && !concat(header.dump(), "\n").starts_with(*content)) {
    return make_error("log", concat("'", path, "' is not the log of an evaluation"), "give --log another name");
  }
  if (whole < content->size() && ::ftruncate(file, static_cast<off_t>(whole)) != 0) return cannot_write(path);
  if (whole == 0) {
    if (auto problem = log.append(header)) return *std::move(problem);
  }
  return log;
}

AnswerLog::AnswerLog(AnswerLog&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

AnswerLog::~AnswerLog() {
  if (file_ >= 0) ::close(file_);
}

std::optional<Diagnostic> AnswerLog::append(const Json& row) {
  const std::string line = row.dump() + "\n";
  const std::lock_guard lock(mutex_);
  // Behind half a line nothing may follow.
  if (is_broken_) return make_error("write", concat("'", path_, "' could not be written before"));
  is_broken_ = !write_all(file_, line) || ::fdatasync(file_) != 0;
  return is_broken_ ? std::optional(cannot_write(path_)) : std::nullopt;
}

}  // namespace steptp
