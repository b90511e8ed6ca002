// The operators that the problems of KernelBench need (levels 1 to 3), as a list beside the clone has them: both as the
// models are exported and after a decomposition that leaves the known operators whole.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/operator.h"
#include "steptp/import/pt2_rewrite.h"

namespace steptp {
namespace {

bool is_imported(const std::string& op) {
  using namespace graph;
  if (op.find("getitem") != op.npos || pt2::is_assertion(op) || pt2::is_rewritten(op)) return true;
  if (op == "aten.randn.default") return true;  // a random initial state is a constant
  return find_operator(pt2::functional_name(op)) != nullptr;
}

bool is_lowered(const std::string& op) {
  using namespace graph;
  if (!find_operator(pt2::functional_name(op))) return true;  // it never gets as far as a graph
  return frontend::find_lowering(pt2::functional_name(op)) != nullptr;
}

TEST(KernelBench, EveryOperatorIsSupported) {
  const std::string path = STEPTP_SOURCE_DIR "/../shared/data/kernelbench_operators.jsonl";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
  const auto content = read_file(path);
  ASSERT_TRUE(content.ok());
  std::map<std::string, std::set<std::string>> missing;
  std::size_t problems = 0;
  for (std::size_t from = 0; from < content->size();) {
    const std::size_t end = std::min(content->find('\n', from), content->size());
    const auto record = parse_json(std::string_view(*content).substr(from, end - from));
    from = end + 1;
    ASSERT_TRUE(record.ok());
    ++problems;
    std::vector<std::string> ops;
    if (const Json* raw = record->find("raw"); raw && raw->as_array()) {
      for (const Json& op : *raw->as_array()) ops.push_back(*op.as_string());
    }
    if (const Json* kept = record->find("kept"); kept && kept->as_object()) {
      for (const auto& [op, count] : *kept->as_object()) ops.push_back(op);
    }
    for (const std::string& op : ops) {
      if (!is_imported(op)) missing[op + " (not imported)"].insert(*record->find("name")->as_string());
      if (!is_lowered(op)) missing[op + " (not lowered)"].insert(*record->find("name")->as_string());
    }
  }
  EXPECT_EQ(problems, 250U);
  for (const auto& [op, names] : missing)
    ADD_FAILURE() << op << ": " << *names.begin() << " and " << names.size() - 1 << " more";
}

}  // namespace
}  // namespace steptp
