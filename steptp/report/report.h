#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steptp {

/// A table as data, for every way in which it is shown.
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
  std::vector<std::string> figures = {};  ///< by plots.h; pages in HTML show them before the tables
};

[[nodiscard]] std::string to_text(const Report& report);
[[nodiscard]] std::string to_markdown(const Report& report);
/// One file that opens without a network.
[[nodiscard]] std::string to_html(const Report& report);

/// How lines of cells are set in a terminal.
struct Spacing {
  std::string_view before = "";     ///< every line
  std::string_view between = "  ";  ///< two columns
};
/// Lines of cells, with columns as wide as their widest cell; from `numbers_from` on they are flush right. Lines may
/// have fewer cells than others, and end without blanks.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from,
                                  const Spacing& spacing);

/// Text that may stand between tags.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace steptp
