#include "steptp/exports/show.h"

#include <utility>

#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"

namespace steptp::dataset {

Result<std::string, Diagnostic> read_row(const std::string& folder, const std::string& table, const std::string& split,
                                         std::uint64_t number) {
  const std::string path = concat(folder, "/data/", table, "/", split, ".jsonl.zst");
  auto reader = JsonlReader::open(path);
  if (!reader) {
    Diagnostic reason = reader.error();
    reason.hint = "tables are the folders below data/ of an export, such as archive or chat/full/single";
    return reason;
  }
  for (std::uint64_t passed = 0;; ++passed) {
    auto line = reader->next();
    if (!line) return line.error();
    if (!*line) return make_error("usage", concat(path, " has ", passed, " rows, counted from 0"));
    if (passed == number) return **std::move(line);
  }
}

}  // namespace steptp::dataset
