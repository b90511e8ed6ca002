// The catalogue of diagnostics and the table of R19 in docs/language.md are one list.
#include "steptp/structure/catalogue.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "source_dir.h"
#include "steptp/base/text.h"

namespace steptp {
namespace {

/// The rows of the table: "| `id` | severity | summary |".
std::vector<std::string> rows_of(const std::string& page) {
  std::vector<std::string> rows;
  std::istringstream lines(page.substr(std::min(page.find("## R19"), page.size())));
  for (std::string line; std::getline(lines, line) && line != "## Limits";) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  return rows;
}

/// What is wrong with the row of an entry; empty where nothing is.
std::string problem_of(const Explanation& entry, const std::string& row) {
  // A limit of a device is a warning, or an error with --device: the column of the severity may say more than one word.
  const std::string begin = concat("| `", entry.id, "` | ", severity_name(entry.severity));
  const std::string end = concat(" | ", entry.summary, " |");
  return row.starts_with(begin) && row.ends_with(end) ? "" : concat("wanted ", begin, end, ", found ", row);
}

TEST(Catalogue, IsTheTableOfTheLanguagePage) {
  std::ifstream file(std::string(STEPTP_SOURCE_DIR) + "/docs/language.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::vector<std::string> rows = rows_of(page.str());
  const auto entries = all_explanations();
  ASSERT_EQ(rows.size(), entries.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(problem_of(entries[i], rows[i]), "");
  // The test can fail.
  EXPECT_NE(problem_of(entries[0], rows[1]), "");
}

}  // namespace
}  // namespace steptp
