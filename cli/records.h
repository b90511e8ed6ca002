#pragma once

#include <functional>
#include <string>

#include "cli/status.h"
#include "steptp/text/document.h"

namespace steptp::cli {

/// What a verb says about one record: for standard output and for standard error.
struct Answer {
  Status status = Status::yes;
  std::string out;
  std::string err;
};

/// Feeds every program of a file (`.leir`, `.json`, `.jsonl`, `-`) to `verb`, in parallel, and prints the answers in
/// input order. Memory does not grow with the number of records. A record that cannot be read gets `unreadable`.
[[nodiscard]] Status for_each_record(const std::string& file, unsigned jobs, const std::string& title,
                                     const std::function<Answer(const Document&)>& verb);

/// The same for records that are no programs: every line that is not blank, with its name ("pairs.jsonl:3").
[[nodiscard]] Status for_each_line(const std::string& file, unsigned jobs, const std::string& title,
                                   const std::function<Answer(const std::string& name, const std::string& text)>& verb);

/// Diagnostics as the JSON answers show them.
[[nodiscard]] Json to_json(const Diagnostics& diagnostics);

/// The answer for a record that cannot be read, with --json and without.
[[nodiscard]] Answer unreadable(const Document& document, bool json);

/// Prints one diagnostic that belongs to no program.
void print_error(const Diagnostic& diagnostic);

/// Writes all of it to standard output. False where that fails (a full disk, a closed pipe); the reason is printed.
[[nodiscard]] bool write_out(const std::string& text);

}  // namespace steptp::cli
