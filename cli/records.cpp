#include "cli/records.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/line_reader.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/progress.h"
#include "steptp/base/readable.h"
#include "steptp/base/text.h"

namespace steptp::cli {

namespace {

/// Bytes of records that are read ahead of the answer that comes next: enough that one slow record does not idle the
/// others. A record weighs its text and what comes with it.
constexpr std::size_t kAheadBytes = std::size_t{8} << 20;
constexpr std::size_t kRecordBytes = 1024;

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\r") == std::string::npos; }

/// Records are the lines of the file; without a hint from the name, a first line that is a whole object decides.
bool holds_lines(const std::string& file, const std::string& first_line) {
  if (file.ends_with(".jsonl")) return true;
  const std::size_t first = first_line.find_first_not_of(" \t\r");
  if (first == std::string::npos || first_line[first] != '{') return false;
  return parse_json(first_line).ok();
}

struct Record {
  std::string name;
  std::string content;
};

class RecordRunner {
 public:
  RecordRunner(unsigned jobs, const std::string& title, const std::function<Answer(const Record&)>& verb)
      : progress_(title, 0), stream_(jobs == 0 ? default_jobs() : jobs, kAheadBytes, verb, [this](Answer&& answer) {
          return print(answer);
        }) {}

  /// False: stop, the output is gone.
  bool run(Record record) {
    const std::size_t weight = record.content.size() + kRecordBytes;
    return stream_.push(std::move(record), weight);
  }

  /// After the last record; `failed` where the output is gone.
  Status finish() { return stream_.finish() ? status_ : Status::failed; }

 private:
  bool print(const Answer& answer) {
    status_ = worse(status_, answer.status);
    if (!answer.err.empty()) std::fputs(readable(answer.err).c_str(), stderr);
    progress_.update(++done_);
    return write_out(answer.out);
  }

  Progress progress_;
  Status status_ = Status::yes;
  std::size_t done_ = 0;
  OrderedStream<Record, Answer> stream_;  // last: its threads use the rest
};

}  // namespace

bool write_out(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      // A reader that has seen enough (head) closes the pipe: that needs no message.
      if (errno != EPIPE)
        print_error(make_error("write", concat("cannot write to standard output: ", std::strerror(errno))));
      return false;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void print_error(const Diagnostic& diagnostic) { std::fputs(render(diagnostic, Source("steptp", "")).c_str(), stderr); }

namespace {

/// `whole`: a file whose first line is not a JSON object is one record.
Status run_records(const std::string& file, unsigned jobs, const std::string& title, bool whole,
                   const std::function<Answer(const Record&)>& verb) {
  auto reader = LineReader::open(file);
  if (!reader) {
    print_error(reader.error());
    return Status::bad_input;
  }
  const std::string name = file == "-" ? "<stdin>" : file;
  RecordRunner runner(jobs, title, verb);
  std::size_t line_number = 0;
  while (true) {
    auto line = reader->next();
    if (!line) {
      const Status status = runner.finish();
      print_error(line.error());
      return worse(status, Status::bad_input);
    }
    if (!line->has_value()) break;
    ++line_number;
    std::string& text = **line;
    if (whole && line_number == 1 && !holds_lines(file, text)) {
      auto rest = reader->rest();
      if (!rest) {
        print_error(rest.error());
        return Status::bad_input;
      }
      runner.run({name, text + "\n" + *rest});
      return runner.finish();
    }
    if (is_blank(text)) continue;
    if (!runner.run({concat(name, ":", line_number), std::move(text)})) break;
  }
  if (line_number == 0) {
    print_error(make_error("file", concat("'", name, "' is empty"),
                           "a program is one or more nests such as B^{16}_{tx=0}[...];"));
    return Status::bad_input;
  }
  return runner.finish();
}

}  // namespace

Status for_each_record(const std::string& file, unsigned jobs, const std::string& title,
                       const std::function<Answer(const Document&)>& verb) {
  return run_records(file, jobs, title, true,
                     [&](const Record& record) { return verb(read_document(record.name, record.content)); });
}

Status for_each_line(const std::string& file, unsigned jobs, const std::string& title,
                     const std::function<Answer(const std::string& name, const std::string& text)>& verb) {
  return run_records(file, jobs, title, false, [&](const Record& record) { return verb(record.name, record.content); });
}

Json to_json(const Diagnostics& diagnostics) {
  Json::Array out;
  for (const Diagnostic& item : diagnostics) {
    Json entry;
    entry.set("id", item.id).set("severity", severity_name(item.severity)).set("message", item.message);
    entry.set("line", item.line).set("column", item.column).set("length", item.length);
    if (!item.site.empty()) entry.set("site", item.site);
    if (!item.hint.empty()) entry.set("hint", item.hint);
    out.push_back(std::move(entry));
  }
  return out;
}

Answer unreadable(const Document& document, bool json) {
  Answer answer;
  answer.status = Status::bad_input;
  answer.err = render(document.diagnostics, *document.source);
  if (json) {
    Json out;
    out.set("error", "unreadable").set("diagnostics", to_json(document.diagnostics));
    answer.out = out.dump() + "\n";
  }
  return answer;
}

}  // namespace steptp::cli
