// Searches with everything real: the space of plans, the judge, expected times, and LLVM on this machine's CPU.
#include "steptp/search/session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "built_files.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/optimize/optimize.h"
#include "steptp/planner/plan_space.h"
#include "steptp/safety/check.h"
#include "steptp/search/folder.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

using search::Algorithm;
using search::Journal;
using search::Outcome;
using search::ProposerKind;
using search::Stop;

Document document_of(std::string_view text) {
  const Program program = shorthand_program(std::string(text), {{"T", "f32"}});
  return read_document("program.leir", print_document(program, Profile::paper));
}

Document product() {
  return document_of(R"(
@input A f32[64,96]
@input C f32[96,80]
@input F f32[80]
@output E f32[64,80]
B(tx,64)L(a,80)L(c,96)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,64)L(a,80)[E[tx,a]=max(D[tx,a]+F[a],0);];
)");
}

search::SearchSettings settings_for(const std::string& device, ProposerKind proposer, std::int64_t samples) {
  search::SearchSettings out;
  EXPECT_TRUE(search::take_device(device, "plain-cpu", out).ok());
  out.proposer = proposer;
  out.budget.samples = samples;
  return out;
}

search::SearchResult searched(const Document& root, const search::SearchSettings& settings, unsigned jobs = 2,
                              const std::string& journal = {}) {
  search::SearchMachinery machinery;
  machinery.jobs = jobs;
  machinery.candidates.worker = {STEPTP_BINARY, "worker"};
  auto result = search::search_program(root, settings, machinery, journal, Journal::Mode::write);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return std::move(result).value();
}

void expect_sound(const Document& root, const search::SearchResult& result) {
  EXPECT_TRUE(result.verdict == "proved" || result.verdict == "exact") << result.verdict;
  ASSERT_TRUE(result.safe.as_bool() && *result.safe.as_bool());
  const Judgement judged = verify(root.program, *result.best().program);
  EXPECT_TRUE(is_equal(judged.verdict)) << judged.reason;
  EXPECT_LE(result.best_seconds(), result.root_seconds());
}

TEST(SearchSession, RulesBeginWithThePlanOfOptimizeAndFindNothingWorse) {
  const Document root = product();
  ASSERT_TRUE(root.ok);
  for (const std::string device : {"analytic:nvidia-h200", "analytic:plain-cpu"}) {
    const search::SearchSettings settings = settings_for(device, ProposerKind::rules, 10);
    const search::SearchResult result = searched(root, settings);
    expect_sound(root, result);
    EXPECT_EQ(result.samples, 10);
    OptimizeRequest request;
    request.rates = settings.rates;
    request.target = plan_target(request.rates);
    const Optimized optimized = optimize(root, request);
    ASSERT_TRUE(optimized.expected.has_value());
    EXPECT_LE(result.best_seconds(), optimized.expected->seconds) << device;
    ASSERT_GT(result.tree.nodes().size(), 1U);
    EXPECT_EQ(result.tree.at(1).key, search::program_key(optimized.program)) << device;
  }
}

TEST(SearchSession, EveryProposerOfProgramsIsJudgedAndTimed) {
  const Document root = product();
  for (const ProposerKind proposer : {ProposerKind::random, ProposerKind::random_atomic, ProposerKind::rules_atomic}) {
    search::SearchSettings settings = settings_for("analytic:plain-cpu", proposer, 6);
    settings.algorithm = Algorithm::greedy;
    const search::SearchResult result = searched(root, settings);
    expect_sound(root, result);
    EXPECT_EQ(result.samples, 6) << word_of(proposer);
    const auto successes = std::count_if(result.tree.nodes().begin(), result.tree.nodes().end(),
                                         [](const search::Node& node) { return node.is_fresh(); });
    EXPECT_GE(successes, 2) << word_of(proposer);
  }
}

TEST(SearchSession, TheSameRowFromAnyNumberOfWorkersAndFromTheJournal) {
  const Document root = product();
  const auto folder = TemporaryFolder::make();
  search::SearchFolder one{folder->file("one"), settings_for("analytic:nvidia-h200", ProposerKind::rules, 8), {}};
  one.programs.push_back({root, {}});
  ASSERT_TRUE(search::begin_folder(one).ok());
  search::SearchMachinery machinery;
  const auto first = search::search_in(one, 0, machinery, Journal::Mode::write);
  ASSERT_TRUE(first.ok());
  const auto read = search::read_folder(one.path);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const auto again = search::search_in(*read, 0, machinery, Journal::Mode::read);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->row.dump(), first->row.dump());
  search::SearchFolder many = one;
  many.path = folder->file("many");
  machinery.jobs = 16;
  ASSERT_TRUE(search::begin_folder(many).ok());
  const auto parallel = search::search_in(many, 0, machinery, Journal::Mode::write);
  ASSERT_TRUE(parallel.ok());
  EXPECT_EQ(parallel->row.dump(), first->row.dump());
  // A replayed proposer and recorded times come to the same winner.
  search::SearchSettings settings = one.settings;
  ASSERT_TRUE(search::take_device(concat("recorded:", one.journal_of(0)), "nvidia-h200", settings).ok());
  settings.proposer = ProposerKind::replay;
  settings.proposer_source = one.journal_of(0);
  settings.budget.samples = 6;
  const search::SearchResult replayed = searched(root, settings);
  EXPECT_EQ(replayed.best_seconds(), first->result.best_seconds());
  // Another search is not begun in the folder.
  one.settings.seed = 2;
  EXPECT_FALSE(search::begin_folder(one).ok());
}

TEST(SearchSession, OnTheCpuEveryTimeIsCheckedAndTheWinnerIsMeasuredAgain) {
  ASSERT_TRUE(std::ifstream(STEPTP_BINARY).good()) << "the build makes the binary before this test";
  const Document root = product();
  search::SearchSettings settings = settings_for("cpu", ProposerKind::rules, 3);
  settings.algorithm = Algorithm::greedy;
  const search::SearchResult result = searched(root, settings);
  // A build without LLVM has no engine; one that has it and cannot use it is broken.
  const bool has_engine =
      std::filesystem::exists(std::filesystem::path(STEPTP_BINARY).parent_path() / "libsteptp_llvm.so");
  if (!has_engine && result.stop == Stop::no_device) GTEST_SKIP() << result.stop_reason;
  expect_sound(root, result);
  EXPECT_EQ(result.measured, 3);
  EXPECT_TRUE(result.winner == 0U || result.final_times.has_value());
  for (const search::Node& node : result.tree.nodes()) {
    if (!node.is_fresh()) continue;
    EXPECT_GT(node.seconds, 0);
    EXPECT_LE(node.p10, node.p90);
  }
}

TEST(SearchSession, ACommandProposesAndWhatItBreaksIsAnOutcome) {
  const Document root = product();
  search::SearchSettings settings = settings_for("analytic:plain-cpu", ProposerKind::command, 4);
  settings.algorithm = Algorithm::bfs;
  // One step, a text that is no program, and something that is nothing at all.
  settings.proposer_source =
      R"(while read line; do echo '{"candidates":[{"step":{"strategy":"loop_split","choice":{"at":"0:loop[1]","inner":4,"kind":"inner"}}},{"leir":"no program"},7]}'; done)";
  const search::SearchResult result = searched(root, settings);
  ASSERT_GE(result.tree.nodes().size(), 4U);
  EXPECT_EQ(result.tree.at(1).outcome, Outcome::fresh) << result.tree.at(1).reason;
  EXPECT_EQ(result.tree.at(2).outcome, Outcome::unreadable);
  EXPECT_EQ(result.tree.at(3).outcome, Outcome::unreadable);
  settings.proposer_source = "exit 3";
  EXPECT_EQ(searched(root, settings).stop, Stop::no_proposer);
}

TEST(PlanSpace, EveryEdgeIsAWholePlanThatIsMadeAndFits) {
  const Document root = product();
  for (const std::string_view name : {"nvidia-h200", "plain-cpu"}) {
    const DeviceRates rates = find_rates(name).value();
    const PlanTarget target = plan_target(rates);
    const PlanSpace space(root.program, target, rates, 2);
    const auto edges = space.edges(space.vanilla(), 3, 24);
    ASSERT_GT(edges.size(), 3U);
    for (const PlanEdge& edge : edges) {
      const auto made = made_of(root.program, rates.name, edge.plan);
      ASSERT_TRUE(made.ok()) << made.error();
      EXPECT_NE(check_program(made->moved.program, {target.device}).verdict, CheckReport::Verdict::errors);
      const auto read = whole_plan_from_json(to_json(edge.plan));
      ASSERT_TRUE(read.ok()) << read.error();
      EXPECT_EQ(to_json(*read).dump(), to_json(edge.plan).dump());
    }
    // Another space, asked for other things before, has the same edges.
    const PlanSpace other(root.program, target, rates, 1);
    (void)other.random(5);
    (void)other.edges(edges.front().plan, 9, 8);
    const auto again = other.edges(other.vanilla(), 3, 24);
    ASSERT_EQ(again.size(), edges.size());
    for (std::size_t i = 0; i < edges.size(); ++i)
      EXPECT_EQ(to_json(again[i].plan).dump(), to_json(edges[i].plan).dump());
  }
}

TEST(PlanSpace, DamagedPlansAreNone) {
  for (const std::string_view text :
       {R"({})", R"({"prepared":[]})", R"({"prepared":[],"groups":[{"first":1,"expressions":1,"moves":[]}]})",
        R"({"prepared":[],"groups":[{"first":0,"expressions":0,"moves":[]}]})",
        R"({"prepared":[],"groups":[{"first":0,"expressions":1,"moves":[{"move":"fly","choice":{}}]}]})"}) {
    EXPECT_FALSE(whole_plan_from_json(parse_json(text).value()).ok()) << text;
  }
}

}  // namespace
}  // namespace steptp::testing
