#include "steptp/evaluate/figures.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"

namespace steptp {
namespace {

EvaluationSummary sample() {
  EvaluationSummary out;
  out.all.programs = 8;
  out.all.different = 6;
  out.all.build = 4;
  out.all.execute = {4, 3};
  out.all.equal = {3, 2};
  out.all.safe = 1;
  out.by_strategy["loop_split"] = out.all;
  out.by_difficulty["difficult"] = out.all;
  out.by_level["operator"] = out.all;
  out.pass_at = {{1, 0.25, 4}, {2, 0.5, 4}};
  out.failures[{"invalid", "race"}] = {3, "case", "why"};
  return out;
}

std::string joined(const std::vector<std::string>& figures) {
  return join(figures, "\n", [](const std::string& figure) { return figure; });
}

TEST(Figures, ShowTheCounts) {
  const auto figures = figures_of(sample(), true);
  EXPECT_EQ(figures.size(), 6U);
  const std::string all = joined(figures);
  for (const char* part : {">75%<", ">50%<", "runs, in all trials", ">37.5%<", ">25%<", ">12.5%<", "k = 2",
                           "loop_split", "invalid: race", "difficult", "operator"}) {
    EXPECT_NE(all.find(part), all.npos) << part;
  }
}

TEST(Figures, SayNothingOfWhatWasNotDone) {
  const std::string all = joined(figures_of(sample(), false));
  EXPECT_NE(all.find("can be lowered"), all.npos);
  EXPECT_EQ(all.find("runs, in all trials"), all.npos);
  EXPECT_TRUE(figures_of(EvaluationSummary(), false).empty());
}

}  // namespace
}  // namespace steptp
