#include "cli/import_report.h"

#include <cstdio>

#include "cli/records.h"

namespace steptp::cli {

namespace {

Status status_of_import(ImportFailure::Kind kind) {
  switch (kind) {
    case ImportFailure::Kind::refused: return Status::no;
    case ImportFailure::Kind::file: return Status::bad_input;
    case ImportFailure::Kind::time: return Status::undecided;
    case ImportFailure::Kind::machine: return Status::failed;
  }
  return Status::bad_input;
}

}  // namespace

Status report_import(const ImportFailure& failure, const std::string& file, bool json) {
  const Source source(file, "");
  std::fputs(render(failure.diagnostics, source).c_str(), stderr);
  if (json) {
    Json out;
    out.set("error", failure.diagnostics.front().id).set("diagnostics", to_json(failure.diagnostics));
    if (!write_out(out.dump() + "\n")) return Status::failed;
  }
  return status_of_import(failure.kind);
}

}  // namespace steptp::cli
