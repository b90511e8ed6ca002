// Operators of graphs and their lowerings.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/graph_json.h"
#include "steptp/graph/operator.h"
#include "steptp/graph/torch_printer.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/zoo/compose.h"
#include "steptp/zoo/degenerate.h"

namespace steptp {
namespace {

TEST(Frontend, EveryOperatorOfTheTableHasALowering) {
  std::set<std::string_view> lowered;
  for (const std::string_view name : frontend::lowered_operators()) {
    EXPECT_NE(graph::find_operator(name), nullptr) << name;
    EXPECT_TRUE(lowered.insert(name).second) << name;
  }
  for (const graph::Operator& op : graph::all_operators())
    EXPECT_TRUE(lowered.contains(op.schema.name)) << op.schema.name;
}

/// Not calls of a functional graph: tuples are indexed, checks are dropped, operators in place are replaced by whoever
/// reads an archive, and what is random is refused.
bool is_for_readers(const std::string& name) {
  const std::size_t stem = name.find('.', 5);
  return !name.starts_with("aten.") || (stem != std::string::npos && name[stem - 1] == '_') ||
         name == "aten._assert_tensor_metadata.default" || name == "aten.randn.default";
}

TEST(Frontend, OperatorsOfKernelBench) {
  const auto file = read_file(STEPTP_SOURCE_DIR "/../shared/data/kernelbench_operators.jsonl");
  if (!file) GTEST_SKIP() << "no ../shared/data";
  std::istringstream lines(*file);
  std::set<std::string> missing;
  const auto look = [&](const std::string& name) {
    if (!is_for_readers(name) && !graph::find_operator(name)) missing.insert(name);
  };
  for (std::string line; std::getline(lines, line);) {
    const auto record = parse_json(line);
    ASSERT_TRUE(record.ok());
    if (const Json* kept = record->find("kept"); kept && kept->as_object()) {
      for (const auto& [name, uses] : *kept->as_object()) look(name);
    }
    if (const Json* raw = record->find("raw"); raw && raw->as_array()) {
      for (const Json& name : *raw->as_array()) look(*name.as_string());
    }
  }
  EXPECT_TRUE(missing.empty()) << join(missing, " ", [](const std::string& name) { return name; });
}

/// The table of operators in docs/frontend.md is what this prints.
std::string operator_table() {
  std::map<std::string_view, std::vector<std::string>> families;
  for (const graph::Operator& op : graph::all_operators()) families[op.family].push_back(op.schema.name.substr(5));
  std::string out = "| family | operators (aten.) |\n|---|---|\n";
  for (const auto& [family, names] : families) {
    append(out, "| ", family, " | ", join(names, " ", [](const std::string& name) { return concat("`", name, "`"); }),
           " |\n");
  }
  return out;
}

TEST(Frontend, TheDocumentedOperatorsAreThoseOfTheTable) {
  const auto docs = read_file(STEPTP_SOURCE_DIR "/docs/frontend.md");
  ASSERT_TRUE(docs.ok());
  EXPECT_NE(docs->find(operator_table()), std::string::npos) << "put this into docs/frontend.md:\n" << operator_table();
}

}  // namespace
}  // namespace steptp
