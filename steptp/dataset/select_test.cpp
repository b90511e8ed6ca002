#include "steptp/dataset/select.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "steptp/base/random.h"
#include "steptp/dataset/sampling.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"

namespace steptp::dataset {
namespace {

/// Entries of a made-up dataset: `each` strategies of every program, drawn with the default preference.
std::vector<Candidate> candidates(std::size_t programs, std::size_t each, Split split = Split::train) {
  std::vector<const Strategy*> weighted;
  for (const Strategy* strategy : all_strategies()) {
    if (!is_published(*strategy)) continue;
    const std::string_view difficulty = strategy->difficulty();
    const int copies = difficulty == "difficult" ? 30 : (difficulty == "medium" ? 6 : 4);
    for (int i = 0; i < copies; ++i) weighted.push_back(strategy);
  }
  Random random(3);
  std::vector<Candidate> out;
  for (std::size_t program = 0; program < programs; ++program) {
    const std::string id = "p" + std::to_string(program);
    for (std::size_t i = 0; i < each; ++i) {
      const Strategy* strategy = weighted[random.below(weighted.size())];
      out.push_back({id + "e" + std::to_string(i), id, id, std::string(strategy->name), split, false});
    }
  }
  return out;
}

struct Counted {
  std::map<std::string, std::uint64_t> single;  ///< by strategy
  std::uint64_t multi = 0;
  std::uint64_t answers = 0;
  std::set<std::string> in_multi;
};

Counted count(const Selection& selection, const std::vector<Candidate>& all, bool filtered) {
  std::map<std::string, std::string> strategies;
  for (const Candidate& one : all) strategies[one.id] = one.strategy;
  Counted out;
  std::set<std::set<std::string>> subsets;
  for (const SelectedRow& row : selection.rows) {
    if (row.is_filtered != filtered) continue;
    if (row.kind == SelectedRow::Kind::single) {
      ++out.single[strategies[row.entries.front()]];
      continue;
    }
    ++out.multi;
    out.answers += row.entries.size();
    for (const std::string& id : row.entries) {
      out.in_multi.insert(strategies[id]);
      EXPECT_EQ(id.substr(0, id.find('e')), row.program);
    }
    const std::set<std::string> subset(row.entries.begin(), row.entries.end());
    EXPECT_EQ(subset.size(), row.entries.size());
    EXPECT_GE(subset.size(), 2U);
    EXPECT_TRUE(subsets.insert(subset).second);
  }
  return out;
}

std::uint64_t entries_of(const std::vector<Candidate>& all, const std::string& strategy) {
  return static_cast<std::uint64_t>(
      std::count_if(all.begin(), all.end(), [&](const Candidate& one) { return one.strategy == strategy; }));
}

TEST(Select, PublishedShape) {
  const Configuration configuration;
  const std::vector<Candidate> all = candidates(3000, 6);
  const Selection selection = select_rows(all, configuration);
  const Counted filtered = count(selection, all, true);
  for (const auto& [strategy, rows] : filtered.single) {
    EXPECT_LE(rows, configuration.single_cap) << strategy;
    // The mix takes medium answers out of multi-answer rows, and loses no row while that is enough.
    if (find_strategy(strategy)->difficulty() == "medium") {
      EXPECT_EQ(rows, std::min<std::uint64_t>(configuration.single_cap, entries_of(all, strategy))) << strategy;
    }
    if (find_strategy(strategy)->difficulty() != "easy") continue;
    EXPECT_LE(rows, is_simplifying(strategy) ? 50U : 10U) << strategy;
    EXPECT_FALSE(filtered.in_multi.contains(strategy)) << strategy;
  }
  EXPECT_TRUE(selection.is_mix_reached);
  const ByDifficulty percent = selection.filtered.percent();
  EXPECT_NEAR(percent.difficult, 87.32, 0.5);
  EXPECT_NEAR(percent.medium, 12.17, 0.5);
  EXPECT_NEAR(percent.easy, 0.51, 0.5);
  EXPECT_NEAR(static_cast<double>(filtered.multi) / 3000, 2.75, 0.15);
  EXPECT_NEAR(static_cast<double>(filtered.answers) / static_cast<double>(filtered.multi), 4.2, 0.1);
  const Counted unfiltered = count(selection, all, false);
  std::uint64_t singles = 0;
  for (const auto& [strategy, rows] : unfiltered.single) singles += rows;
  EXPECT_EQ(singles, all.size());
}

TEST(Select, DoesNotDependOnTheOrderOfEntries) {
  std::vector<Candidate> all = candidates(200, 5);
  const auto rows_of = [](const Selection& selection) {
    std::set<std::string> out;
    for (const SelectedRow& row : selection.rows) {
      if (row.kind == SelectedRow::Kind::single) out.insert(to_json(row).dump());
    }
    return out;
  };
  const auto rows = rows_of(select_rows(all, {}));
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(rows, rows_of(select_rows(all, {})));
}

TEST(Select, SaysThatAMixCannotBeReached) {
  Configuration configuration;
  configuration.mix = {10, 80, 10};
  EXPECT_FALSE(select_rows(candidates(300, 6), configuration).is_mix_reached);
  configuration.mix = {0, 0, 0};
  EXPECT_TRUE(select_rows(candidates(300, 6), configuration).is_mix_reached);
}

TEST(Select, FewRowsComeNearTheMix) {
  // Of some dozen easy entries a share takes all or nothing: a little too many are nearer than none.
  for (const std::size_t programs : {60U, 80U, 150U, 200U}) {
    const Selection selection = select_rows(candidates(programs, 8), {});
    const ByDifficulty percent = selection.filtered.percent();
    EXPECT_TRUE(selection.is_mix_reached) << programs << ": " << percent.difficult << " / " << percent.medium << " / "
                                          << percent.easy << " of " << selection.filtered.sum();
  }
}

TEST(Select, TestSplitsAreKeptWhole) {
  const std::vector<Candidate> all = candidates(100, 12, Split::test_shape);
  Configuration configuration;
  configuration.single_cap = 1;
  std::uint64_t singles = 0;
  for (const SelectedRow& row : select_rows(all, configuration).rows) {
    if (row.kind == SelectedRow::Kind::single && row.is_filtered) ++singles;
  }
  EXPECT_EQ(singles, all.size());
}

TEST(Sampling, EachStrategyOnceBeforeAnyTwice) {
  const auto made = zoo_program("LayerNorm", {}, DType::f32);
  View view(made->program);
  const Choices choices = list_choices(all_strategies(), view, false);
  std::set<std::string_view> feasible;
  for (const StrategySite& site : choices.sites) feasible.insert(site.strategy->name);
  ChoiceSampler sampler(choices, Configuration().weights, 11);
  std::set<std::string_view> first_round;
  std::set<std::string> all;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    const auto choice = sampler.next();
    ASSERT_TRUE(choice);
    EXPECT_TRUE(first_round.insert(choice->strategy->name).second);
    all.insert(to_json("", *choice).dump());
  }
  std::size_t drawn = feasible.size();
  for (; drawn < 200; ++drawn) {
    const auto choice = sampler.next();
    if (!choice) break;
    EXPECT_TRUE(all.insert(to_json("", *choice).dump()).second);
  }
  ChoiceSampler easy_only(choices, {0, 0, 1}, 11);
  while (const auto choice = easy_only.next()) EXPECT_EQ(choice->strategy->difficulty(), "easy");
}

}  // namespace
}  // namespace steptp::dataset
