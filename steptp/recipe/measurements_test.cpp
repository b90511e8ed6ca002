// The table of docs/strategies.md: what it shows was measured, of every strategy, and is what this tree would measure.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/recipe/page.h"
#include "steptp/recipe/registry.h"
#include "testing/strategy_listing.h"

namespace steptp::testing {
namespace {

constexpr const char* kRenew = "run: make strategy-table (with PROGRAMS=0 the grades stay as they are)";

/// The first line that differs, by its number; empty where none does. The whole of a page is too long to be shown.
std::string first_difference(const std::string& file, const std::string& wanted) {
  std::istringstream one(file);
  std::istringstream other(wanted);
  for (int number = 1;; ++number) {
    std::string line;
    std::string wanted_line;
    const bool has_line = static_cast<bool>(std::getline(one, line));
    const bool is_wanted = static_cast<bool>(std::getline(other, wanted_line));
    if (!has_line && !is_wanted) return file == wanted ? "" : "they differ in how the last line ends";
    if (has_line && is_wanted && line == wanted_line) continue;
    return concat("line ", number, " of the file: ", has_line ? line : "(none)",
                  "\n  wanted: ", is_wanted ? wanted_line : "(none)");
  }
}

TEST(StrategyMeasurements, ThePageIsPrintedFromThem) {
  const auto page = read_file(concat(STEPTP_SOURCE_DIR, "/docs/strategies.md"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(first_difference(*page, strategies_page(measured_strategies())), "")
      << "run: steptp strategies --markdown > docs/strategies.md";
}

TEST(StrategyMeasurements, OneLineIsShownOfPagesThatDiffer) {
  EXPECT_EQ(first_difference("a\nc\n", "a\nc\n"), "");
  EXPECT_EQ(first_difference("a\nc\n", "a\nd\ne\n"), "line 2 of the file: c\n  wanted: d");
  EXPECT_EQ(first_difference("a\n", "a\nd\n"), "line 2 of the file: (none)\n  wanted: d");
  EXPECT_NE(first_difference("a\n", "a"), "");
}

TEST(StrategyMeasurements, TheBinaryCarriesTheFile) {
  const auto file = read_file(concat(STEPTP_SOURCE_DIR, "/data/strategy_measurements.json"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(first_difference(*file, to_text(measured_strategies())), "");
}

/// Every strategy applies somewhere real (docs/strategies-howto.md S10), and was never wrong; of what is seldom offered
/// a short run may have judged nothing.
TEST(StrategyMeasurements, EveryStrategyWasMeasured) {
  const StrategyMeasurements& measured = measured_strategies();
  const std::set<std::string> zoo(measured.zoo.begin(), measured.zoo.end());
  EXPECT_EQ(measured.strategies.size(), all_strategies().size());
  std::size_t judged = 0;
  for (const Strategy* strategy : all_strategies()) {
    const StrategyMeasurement* entry = measured.find(strategy->name);
    ASSERT_NE(entry, nullptr) << strategy->name << ": " << kRenew;
    EXPECT_EQ(entry->judged.wrong, 0U) << strategy->name;
    EXPECT_LE(entry->judged.unsafe, entry->judged.equal()) << strategy->name;
    for (const std::string& name : entry->types) EXPECT_TRUE(zoo.contains(name)) << name;
    for (const std::string& name : entry->reached) EXPECT_TRUE(zoo.contains(name)) << name;
    if (!is_published(*strategy)) continue;
    judged += entry->judged.all() > 0 ? 1 : 0;
    EXPECT_GT(entry->types.size() + entry->reached.size(), 0U) << strategy->name;
  }
  EXPECT_GT(judged, 38U) << kRenew;
}

/// What the strategies offer on the zoo is cheap to list, so that a change which offers less is seen at once.
TEST(StrategyMeasurements, TheZooOffersWhatTheTableSays) {
  const StrategyMeasurements now = list_on_zoo();
  const StrategyMeasurements& then = measured_strategies();
  EXPECT_EQ(now.zoo, then.zoo) << kRenew;
  for (const StrategyMeasurement& entry : now.strategies) {
    const StrategyMeasurement* old = then.find(entry.name);
    ASSERT_NE(old, nullptr) << entry.name << ": " << kRenew;
    EXPECT_EQ(entry.types, old->types) << entry.name << ": " << kRenew;
    EXPECT_EQ(entry.choices_median, old->choices_median) << entry.name << ": " << kRenew;
    EXPECT_EQ(entry.choices_mean, old->choices_mean) << entry.name << ": " << kRenew;
  }
}

TEST(StrategyMeasurements, BrokenFilesAreRefused) {
  const auto message = [](std::string_view text) {
    const auto read = measurements_from_text(text);
    return read ? std::string() : read.error();
  };
  const std::string good = to_text({1, 2, {"GELU"}, {{"factorization", {"GELU"}, {}, 1, 1, {1, 0, 0, 0, 0, 0}}}});
  EXPECT_EQ(message(good), "");
  EXPECT_NE(message(good.substr(0, good.size() / 2)).find("no JSON"), std::string::npos);
  EXPECT_NE(message("{}").find("are wanted"), std::string::npos);
  for (const std::string key : {"name", "types", "reached", "choices_median", "choices_mean", "judged", "proved"}) {
    std::string broken = good;
    broken.replace(broken.find(concat("\"", key, "\"")), key.size() + 2, "\"other\"");
    EXPECT_NE(message(broken).find("strategy 1 of"), std::string::npos) << key;
  }
}

}  // namespace
}  // namespace steptp::testing
