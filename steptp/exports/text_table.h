#pragma once

#include <string>
#include <vector>

#include "steptp/exports/statistics.h"

namespace steptp::dataset {

/// A table with a title; the first column is words, the others are numbers or words.
struct TextTable {
  std::string title;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};
[[nodiscard]] std::string to_text(const TextTable& table);

/// All tables of the statistics, in the order in which they are shown.
[[nodiscard]] std::vector<TextTable> all_text_tables(const Statistics& statistics);

}  // namespace steptp::dataset
