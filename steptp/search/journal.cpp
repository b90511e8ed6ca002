#include "steptp/search/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "steptp/base/file.h"
#include "steptp/base/text.h"

namespace steptp::search {

namespace {

Diagnostic cannot_write(const std::string& path) {
  return make_error("write", concat("cannot write '", path, "': ", std::strerror(errno)),
                    "what was measured before is in it; steptp search resume goes on from there");
}

Diagnostic damaged(const std::string& path, std::size_t line, std::string_view what) {
  return make_error("journal", concat("'", path, "', line ", line, ": ", what),
                    "a journal is only added to; begin anew with another --journal, or restore the file");
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

}  // namespace

Journal::Journal(Journal&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      mode_(other.mode_),
      known_(std::move(other.known_)),
      problem_(std::move(other.problem_)) {}

Journal::~Journal() {
  if (file_ >= 0) ::close(file_);
}

std::optional<Diagnostic> Journal::read(std::string_view content, const Json& header) {
  for (std::size_t line = 1; !content.empty(); ++line) {
    const std::size_t end = content.find('\n');
    auto row = parse_json(content.substr(0, end));
    content.remove_prefix(end + 1);
    if (!row || !row->as_object()) return damaged(path_, line, "this is no line of a journal");
    if (line == 1) {
      if (row->dump() == header.dump()) continue;
      const Json* format = row->find("format");
      const bool is_one = format && format->as_string() && *format->as_string() == kJournalFormat;
      return make_error("journal",
                        concat("'", path_, is_one ? "' is the journal of another search" : "' is no journal"),
                        "give --journal another name; steptp search resume goes on with the search that is there");
    }
    const Json* kind = row->find("kind");
    const Json* number = row->find("number");
    const Json* value = row->find("value");
    if (!kind || !kind->as_string() || !number || !number->as_integer() || *number->as_integer() < 0 || !value)
      return damaged(path_, line, "a line has \"kind\", \"number\" and \"value\"");
    known_.try_emplace({*kind->as_string(), static_cast<std::size_t>(*number->as_integer())}, *value);
  }
  return std::nullopt;
}

Result<Journal, Diagnostic> Journal::open(const std::string& path, const Json& header, Mode mode) {
  Journal out;
  out.path_ = path;
  out.mode_ = mode;
  if (path.empty()) return out;
  const int flags = mode == Mode::read ? O_RDONLY : O_RDWR | O_CREAT | O_APPEND;
  out.file_ = ::open(path.c_str(), flags | O_CLOEXEC, 0644);
  if (out.file_ < 0) {
    if (mode == Mode::write) return cannot_write(path);
    return make_error("journal", concat("cannot read '", path, "': ", std::strerror(errno)));
  }
  if (mode == Mode::write && ::flock(out.file_, LOCK_EX | LOCK_NB) != 0) {
    return make_error("journal", concat("another search is writing '", path, "'"),
                      "wait for it, or give another --journal");
  }
  auto content = read_file(path);
  if (!content) return content.error();
  const std::size_t last = content->rfind('\n');
  const std::size_t whole = last == std::string::npos ? 0 : last + 1;
  if (auto problem = out.read(std::string_view(*content).substr(0, whole), header)) return *std::move(problem);
  if (mode == Mode::read) return out;
  if (whole < content->size() && ::ftruncate(out.file_, static_cast<off_t>(whole)) != 0) return cannot_write(path);
  if (whole == 0 && !write_all(out.file_, header.dump() + "\n")) return cannot_write(path);
  return out;
}

const Json* Journal::find(std::string_view kind, std::size_t number) const {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(std::pair<std::string, std::size_t>(kind, number));
  return at == known_.end() ? nullptr : &at->second;
}

bool Journal::append(std::string_view kind, std::size_t number, Json value) {
  Json row;
  row.set("kind", kind).set("number", static_cast<std::int64_t>(number)).set("value", value);
  const std::lock_guard lock(mutex_);
  if (problem_ || mode_ == Mode::read) return false;
  known_.try_emplace({std::string(kind), number}, std::move(value));
  if (file_ < 0) return true;
  // Behind half a line nothing may follow.
  if (!write_all(file_, row.dump() + "\n") || ::fdatasync(file_) != 0) problem_ = cannot_write(path_);
  return !problem_;
}

}  // namespace steptp::search
