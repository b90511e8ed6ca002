#include "cli/records.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/base/line_reader.h"
#include "steptp/base/parallel.h"
#include "steptp/base/progress.h"
#include "steptp/base/text.h"

namespace steptp::cli {

namespace {

constexpr std::size_t kBatchRecords = 4096;
constexpr std::size_t kBatchBytes = std::size_t{8} << 20;

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
      : jobs_(jobs == 0 ? default_jobs() : jobs), verb_(verb), progress_(title, 0) {}

  /// False: stop, the output is gone.
  bool run(const std::vector<Record>& batch) {
    std::vector<Answer> answers(batch.size());
    parallel_for(batch.size(), jobs_, [&](std::size_t i) { answers[i] = verb_(batch[i]); });
    std::string out;
    for (const Answer& answer : answers) {
      status = worse(status, answer.status);
      out += answer.out;
      if (!answer.err.empty()) std::fputs(answer.err.c_str(), stderr);
    }
    done_ += batch.size();
    progress_.update(done_);
    return write_out(out);
  }

  Status status = Status::yes;

 private:
  unsigned jobs_;
  const std::function<Answer(const Record&)>& verb_;
  Progress progress_;
  std::size_t done_ = 0;
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

/// `whole`: a file whose first line is no JSON object is one record.
Status run_records(const std::string& file, unsigned jobs, const std::string& title, bool whole,
                   const std::function<Answer(const Record&)>& verb) {
  auto reader = LineReader::open(file);
  if (!reader) {
    print_error(reader.error());
    return Status::bad_input;
  }
  const std::string name = file == "-" ? "<stdin>" : file;
  RecordRunner runner(jobs, title, verb);
  std::vector<Record> batch;
  std::size_t bytes = 0;
  std::size_t line_number = 0;
  while (true) {
    auto line = reader->next();
    if (!line) {
      print_error(line.error());
      return worse(runner.status, Status::bad_input);
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
      if (!runner.run({{name, text + "\n" + *rest}})) return Status::failed;
      return runner.status;
    }
    if (is_blank(text)) continue;
    bytes += text.size();
    batch.push_back({concat(name, ":", line_number), std::move(text)});
    if (batch.size() < kBatchRecords && bytes < kBatchBytes) continue;
    if (!runner.run(batch)) return Status::failed;
    batch.clear();
    bytes = 0;
  }
  if (line_number == 0) {
    print_error(make_error("file", concat("'", name, "' is empty"),
                           "a program is one or more nests such as B^{16}_{tx=0}[...];"));
    return Status::bad_input;
  }
  return runner.run(batch) ? runner.status : Status::failed;
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
