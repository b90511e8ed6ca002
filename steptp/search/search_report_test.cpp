#include "steptp/search/search_report.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"

namespace steptp::testing {
namespace {

Json row(std::string_view device, double speedup, std::string_view stop, std::string_view flag = "") {
  const std::string flags = flag.empty() ? "[]" : concat("[\"", flag, "\"]");
  return parse_json(
             concat(
                 R"({"program":"Softmax<1>","dtype":"float32","class":"none","algorithm":"greedy","published":false,)",
                 R"("proposer":"rules","device":")", device, R"(","stop":")", stop, R"(","verdict":"proved",)",
                 R"("safe":true,"samples":20,"strategies":["rows","join"],"flags":)", flags,
                 R"(,"curve":[[1,0.001],[4,0.0001]],"times":{"vanilla":{"median":0.001},"ours":{"median":0.0001},)",
                 R"("floor":0.00005},"ratios":{"eager":{"value":0.5},"best_of_four":0.5},"floor_share":0.5,)",
                 R"("speedup_over_vanilla":)", Json(speedup).dump(), "}"))
      .value();
}

const ReportTable* find_table(const Report& report, std::string_view title) {
  for (const ReportTable& table : report.tables) {
    if (table.title.starts_with(title)) return &table;
  }
  return nullptr;
}

TEST(SearchReport, PutsTogetherOnlyWhatIsAlike) {
  const Report report =
      search::report_of({row("cpu", 2, "samples"), row("cpu", 8, "finished"), row("analytic:plain-cpu", 100, "samples"),
                         row("cpu", 50, "interrupted"), row("cpu", 70, "samples", "below-floor"),
                         row("cpu", 90, "no-device"), row("cpu", 1, "no-progress")});
  const ReportTable* all = find_table(report, "Each search");
  ASSERT_NE(all, nullptr);
  EXPECT_EQ(all->rows.size(), 7U);
  const ReportTable* algorithms = find_table(report, "Per algorithm");
  ASSERT_NE(algorithms, nullptr);
  // Two devices, and seven published rows. Of the cpu: 2, 8 and the one that found nothing.
  ASSERT_EQ(algorithms->rows.size(), 9U);
  const std::vector<std::string> analytic = {
      "greedy | rules | analytic:plain-cpu", "1", "100", "100", "100", "100", "20", "20", "2", "2", "5"};
  EXPECT_EQ(algorithms->rows[0], analytic);
  const std::vector<std::string> cpu = {
      "greedy | rules | cpu", "3", "3.67", "2", "8", "2.52", "20", "20", "2", "2", "0.183"};
  EXPECT_EQ(algorithms->rows[1], cpu);
  EXPECT_NE(report.lines[0].find("7 searches, of which 4"), std::string::npos) << report.lines[0];
  const ReportTable* others = find_table(report, "Over PyTorch");
  ASSERT_NE(others, nullptr);
  EXPECT_EQ(others->rows[2][1], "eager");
  EXPECT_EQ(others->rows[2].back(), "0 of 3");
}

TEST(SearchReport, ThePageHasACurveForEveryProgramAndDevice) {
  const Report report =
      search::report_of({row("cpu", 2, "samples"), row("cpu", 3, "samples"), row("cuda", 3, "samples")});
  EXPECT_EQ(report.figures.size(), 2U);
  const std::string page = to_html(report);
  EXPECT_NE(page.find("Softmax&lt;1&gt; on cpu"), std::string::npos);
  EXPECT_EQ(page.find("Softmax<1>"), std::string::npos);
  EXPECT_NE(page.find("<path d=\"M"), std::string::npos);
  EXPECT_NE(page.find("floor, 50 us"), std::string::npos) << page;
}

TEST(SearchReport, OfNothingIsEmpty) {
  const Report report = search::report_of({});
  EXPECT_NE(report.lines[0].find("0 searches"), std::string::npos);
  EXPECT_TRUE(report.figures.empty());
}

}  // namespace
}  // namespace steptp::testing
