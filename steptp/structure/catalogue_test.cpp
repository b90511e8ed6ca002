// The catalogue of diagnostics and the table of R19 in docs/language.md are one list, and no id is missing in it.
#include "steptp/structure/catalogue.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
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

/// The ids that a source gives to a diagnostic: make_error("id", and the like.
std::set<std::string> ids_in(const std::string& source) {
  std::set<std::string> ids;
  for (const std::string_view call : {"make_error(", "refuse(", "report(", "error("}) {
    for (std::size_t at = source.find(call); at != std::string::npos; at = source.find(call, at + 1)) {
      const std::size_t quote = source.find_first_not_of(" \n", at + call.size());
      if (quote == std::string::npos || source[quote] != '"') continue;
      const std::size_t end = source.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", quote + 1);
      if (source.compare(end, 2, "\",") == 0) ids.insert(source.substr(quote + 1, end - quote - 1));
    }
  }
  return ids;
}

TEST(Catalogue, HasEveryIdOfTheSources) {
  EXPECT_EQ(ids_in("make_error(\n    \"one-a\", x); refuse(\"two\", y); make_error(\"text\"); report(id, z);"),
            (std::set<std::string>{"one-a", "two"}));
  std::size_t found = 0;
  for (const char* folder : {"/steptp", "/cli"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(STEPTP_SOURCE_DIR + std::string(folder))) {
      const std::string path = entry.path().string();
      if (!(path.ends_with(".cpp") || path.ends_with(".h")) || path.ends_with("_test.cpp")) continue;
      std::ifstream file(path);
      std::stringstream source;
      source << file.rdbuf();
      for (const std::string& id : ids_in(source.str())) {
        found += 1;
        EXPECT_NE(find_explanation(id), nullptr) << id << " in " << path;
      }
    }
  }
  EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace steptp
