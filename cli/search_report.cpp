#include "steptp/search/search_report.h"
#include "cli/search_options.h"
#include "steptp/base/text.h"
#include "steptp/optimize/output_folder.h"
#include "steptp/search/folder.h"

namespace steptp::cli {

Status report_searches(const SearchOptions& options) {
  const search::SearchMachinery nothing;
  std::vector<Json> rows;
  std::string lines;
  for (const std::string& path : options.folders) {
    const auto folder = search::read_folder(path);
    if (!folder) {
      print_error(folder.error());
      return Status::bad_input;
    }
    for (std::size_t i = 0; i < folder->programs.size(); ++i) {
      auto searched = search::search_in(*folder, i, nothing, search::Journal::Mode::read);
      if (!searched) {
        print_error(searched.error());
        return Status::bad_input;
      }
      append(lines, searched->row.dump(), "\n");
      rows.push_back(std::move(searched->row));
    }
  }
  const Report report = search::report_of(rows);
  if (!options.output.empty()) {
    const auto written = write_files(
        options.output, {{"rows.jsonl", lines}, {"report.md", to_markdown(report)}, {"report.html", to_html(report)}});
    if (!written) {
      print_error(written.error());
      return Status::failed;
    }
  }
  return write_out(options.json ? lines : to_text(report)) ? Status::yes : Status::failed;
}

}  // namespace steptp::cli
