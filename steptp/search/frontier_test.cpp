#include <gtest/gtest.h>

#include <map>

#include "testing/search_fakes.h"

namespace steptp::testing {
namespace {

using search::Algorithm;
using search::Outcome;
using search::Stop;

search::SearchSetup published(Algorithm algorithm) {
  search::SearchSetup out;
  out.algorithm = algorithm;
  out.published = true;
  out.budget.samples = 0;
  out.floor_seconds = 1e-3;
  return out;
}

/// Each number is a little faster than the one before it.
double falling(std::uint64_t number) { return 1.0 / static_cast<double>(number + 1); }

struct Ran {
  search::SearchResult result;
  int asked = 0;
};

Ran run(const search::SearchSetup& setup, ScriptedProposer::Script script = always_new,
        ScriptedDevice::Script seconds = falling, ScriptedJudge::Script judge = {}) {
  const Document root = numbered_root();
  EXPECT_TRUE(root.ok);
  ScriptedProposer proposer(std::move(script));
  ScriptedJudge judges = judge ? ScriptedJudge(std::move(judge)) : ScriptedJudge();
  ScriptedDevice device(std::move(seconds));
  search::Journal journal;
  search::SearchResult result = run_search(root, setup, proposer, judges, device, journal);
  return {std::move(result), proposer.asked};
}

/// "0 0 1 1 2 2": the parent of each node but the root.
std::string parents_of(const search::SearchResult& result) {
  std::string out;
  for (const search::Node& node : result.tree.nodes()) {
    if (node.parent) append(out, out.empty() ? "" : " ", *node.parent);
  }
  return out;
}

TEST(Frontier, PublishedSettingsComeToThePublishedMaximaOfSamples) {
  const std::map<Algorithm, std::int64_t> maxima = {{Algorithm::greedy, 41},
                                                    {Algorithm::beam, 118},
                                                    {Algorithm::bfs, 31},
                                                    {Algorithm::dfs, 31},
                                                    {Algorithm::mcts, 21},
                                                    {Algorithm::chain, 21},
                                                    {Algorithm::chain_without_parent, 21}};
  for (const auto& [algorithm, samples] : maxima) {
    const Ran ran = run(published(algorithm));
    EXPECT_EQ(ran.result.samples, samples) << word_of(algorithm);
    EXPECT_EQ(ran.result.stop, Stop::finished) << word_of(algorithm);
  }
}

TEST(Frontier, GreedyGoesToTheBetterOfTwoAndAsPublishedAlsoToASlowerOne) {
  const auto rising = [](std::uint64_t number) { return static_cast<double>(number + 1); };
  search::SearchSetup setup = published(Algorithm::greedy);
  EXPECT_EQ(parents_of(run(setup).result).substr(0, 15), "0 0 2 2 4 4 6 6");
  EXPECT_EQ(parents_of(run(setup, always_new, rising).result).substr(0, 15), "0 0 1 1 3 3 5 5");
  setup.published = false;
  setup.budget.samples = 9;
  const Ran stays = run(setup, always_new, rising);
  // Three asks without anything better, then the best node that nobody was asked about.
  EXPECT_EQ(parents_of(stays.result), "0 0 0 0 0 0 1 1");
  EXPECT_EQ(stays.result.stop, Stop::samples);
  EXPECT_EQ(stays.result.winner, 0U);
}

TEST(Frontier, BeamKeepsTheTwoBestChildren) {
  EXPECT_EQ(parents_of(run(published(Algorithm::beam)).result).substr(0, 17), "0 0 0 3 3 3 2 2 2");
}

TEST(Frontier, TheBeamOfToDayKeepsAtMostTwoOfOneFirstMove) {
  search::SearchSetup setup = published(Algorithm::beam);
  setup.published = false;
  setup.budget.samples = 60;
  const Ran ran = run(setup);
  std::map<std::size_t, std::size_t> asked_of_first;
  for (const search::Node& node : ran.result.tree.nodes()) {
    // Beams are of four; the first two beams are the root, and then its children.
    if (node.depth == 2 && node.asks > 0) ++asked_of_first[ran.result.tree.first_move(node.number)];
  }
  EXPECT_GE(asked_of_first.size(), 2U);
  EXPECT_EQ(ran.result.samples, 60);
}

TEST(Frontier, BreadthAndDepthFirst) {
  EXPECT_EQ(parents_of(run(published(Algorithm::bfs)).result).substr(0, 27), "0 0 1 1 2 2 3 3 4 4 5 5 6 6");
  EXPECT_EQ(parents_of(run(published(Algorithm::dfs)).result).substr(0, 31), "0 0 1 1 3 3 5 5 6 6 4 4 11 11 1");
  for (const Algorithm algorithm : {Algorithm::bfs, Algorithm::dfs}) {
    const Ran ran = run(published(algorithm));
    for (const search::Node& node : ran.result.tree.nodes()) EXPECT_LE(node.depth, 4U);
  }
}

TEST(Frontier, AChainFollowsTheNewestSuccess) {
  // Every third program is refused by the judge.
  const auto third = [](std::uint64_t number) { return number % 3 == 0 ? Outcome::undecided : Outcome::fresh; };
  const Ran ran = run(published(Algorithm::chain), always_new, falling, third);
  EXPECT_EQ(parents_of(ran.result).substr(0, 11), "0 1 1 3 4 4");
  EXPECT_EQ(ran.result.samples, 21);
}

TEST(Frontier, APublishedChainEndsAfterSixRepeats) {
  const auto repeating = [](const search::Question&) { return std::vector{numbered(1)}; };
  const Ran ran = run(published(Algorithm::chain), repeating);
  EXPECT_EQ(ran.result.samples, 2);
  EXPECT_EQ(ran.asked, 7);
  EXPECT_EQ(ran.result.stop, Stop::finished);
  const std::vector<search::Node>& nodes = ran.result.tree.nodes();
  EXPECT_EQ(nodes[1].outcome, Outcome::fresh);
  EXPECT_EQ(nodes[2].outcome, Outcome::same);
  EXPECT_EQ(nodes[2].is, 1U);
}

TEST(Frontier, AChainOfTodayGoesOnFromTheBest) {
  search::SearchSetup setup = published(Algorithm::chain);
  setup.published = false;
  setup.budget.samples = 6;
  // Number 1 is the best; below node 2 nothing is new.
  const auto script = [](const search::Question& question) {
    const std::size_t size = question.tree->nodes().size();
    return std::vector{numbered(question.node == 2 ? 2 : size)};
  };
  const auto seconds = [](std::uint64_t number) { return number == 1 ? 0.1 : 1.0 + static_cast<double>(number); };
  const Ran ran = run(setup, script, seconds);
  EXPECT_EQ(ran.result.samples, 6);
  EXPECT_EQ(ran.result.tree.at(9).parent, 1U);
  EXPECT_EQ(ran.result.winner, 1U);
}

TEST(Frontier, TheQuestionOfAChainWithoutParentShowsNone) {
  for (const Algorithm algorithm : {Algorithm::chain, Algorithm::chain_without_parent}) {
    const auto script = [algorithm](const search::Question& question) {
      EXPECT_EQ(question.shows_parent, algorithm == Algorithm::chain);
      return always_new(question);
    };
    EXPECT_EQ(run(published(algorithm), script).result.samples, 21);
  }
}

TEST(Frontier, TreeSearchGoesBelowWhatIsGoodAndCountsFailures) {
  search::SearchSetup setup = published(Algorithm::mcts);
  setup.published = false;
  setup.budget.samples = 200;
  // Even numbers fail; what descends from node 1 is fast.
  const auto judge = [](std::uint64_t number) { return number % 2 == 0 ? Outcome::differs : Outcome::fresh; };
  const Ran ran = run(setup, always_new, falling, judge);
  std::size_t expanded = 0;
  std::size_t branching = 0;
  for (const search::Node& node : ran.result.tree.nodes()) {
    EXPECT_TRUE(node.is_fresh() || node.asks == 0);
    if (node.asks > 0) ++expanded;
    if (node.children.size() > 1) ++branching;
  }
  EXPECT_GT(branching * 10, expanded * 3) << "more than three in ten of the expanded nodes branch";
}

TEST(Frontier, ASearchWithoutNewProgramsEnds) {
  for (const Algorithm algorithm : {Algorithm::greedy, Algorithm::beam, Algorithm::mcts, Algorithm::chain}) {
    search::SearchSetup setup = published(algorithm);
    setup.published = false;
    const Ran ran = run(setup, [](const search::Question&) { return std::vector<search::Candidate>{}; });
    EXPECT_EQ(ran.result.stop, Stop::no_progress) << word_of(algorithm);
    EXPECT_EQ(ran.result.samples, 1);
    EXPECT_EQ(ran.result.winner, 0U);
  }
}

TEST(Frontier, BudgetsOfDeviceSecondsAndTokensEndASearch) {
  search::SearchSetup setup = published(Algorithm::mcts);
  setup.published = false;
  setup.budget = {0, 3, 0};
  EXPECT_EQ(run(setup).result.stop, Stop::device_seconds);
  EXPECT_EQ(run(setup).result.samples, 6);
  setup.budget = {0, 0, 35};
  EXPECT_EQ(run(setup).result.stop, Stop::tokens);
  EXPECT_EQ(run(setup).result.tokens, 40);
}

}  // namespace
}  // namespace steptp::testing
