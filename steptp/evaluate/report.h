#pragma once

#include <string>
#include <vector>

#include "steptp/evaluate/evaluate.h"

namespace steptp {

/// A report as data, for every way in which it is shown.
struct ReportTable {
  std::string title;
  std::string note;  ///< what the columns mean, where that needs words
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::size_t numbers_from = 1;  ///< columns from here on are aligned to the right
};
struct Report {
  std::string title;
  std::vector<std::string> lines;
  std::vector<ReportTable> tables;
};

/// What an evaluation found. `name`: of the model, or of the file with its answers.
[[nodiscard]] Report report_of(const Evaluation& evaluation, const std::string& name);

[[nodiscard]] std::string to_text(const Report& report);
[[nodiscard]] std::string to_markdown(const Report& report);
/// One file that opens without a network.
[[nodiscard]] std::string to_html(const Report& report);

}  // namespace steptp
