#include "steptp/search/search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/base/random.h"
#include "steptp/search/materialise.h"
#include "steptp/search/row.h"
#include "testing/search_fakes.h"

namespace steptp::testing {
namespace {

using search::Algorithm;
using search::Journal;
using search::Outcome;
using search::Stop;

/// Programs 1 to 40: some are refused by the judge, and each has a time of its own.
std::vector<search::Candidate> drawn(const search::Question& question) {
  Random random(question.seed);
  std::vector<search::Candidate> out;
  for (std::size_t i = 0; i < question.wanted; ++i) out.push_back(numbered(1 + random.below(40)));
  return out;
}
double hashed_seconds(std::uint64_t number) { return 1e-3 * static_cast<double>(1 + mix(number) % 1000); }
Outcome some_differ(std::uint64_t number) { return number % 5 == 2 ? Outcome::differs : Outcome::fresh; }

search::SearchSetup setup_of(Algorithm algorithm, unsigned jobs) {
  search::SearchSetup out;
  out.algorithm = algorithm;
  out.budget.samples = 24;
  out.floor_seconds = 1e-4;
  out.jobs = jobs;
  return out;
}

struct Ran {
  std::string row;
  std::vector<std::uint64_t> measured;
  int asked = 0;
  Stop stop = Stop::exhausted;
};

/// One session on a journal; after so many looks at the clock the user interrupts it.
Ran session(const std::string& path, Algorithm algorithm, unsigned jobs, Journal::Mode mode = Journal::Mode::write,
            std::optional<int> looks = {}) {
  const Document root = numbered_root();
  auto journal = Journal::open(path, search::journal_header(root, "test"), mode);
  EXPECT_TRUE(journal.ok()) << journal.error().message;
  ScriptedProposer proposer(drawn);
  ScriptedJudge judge(some_differ);
  ScriptedDevice device(hashed_seconds);
  search::SearchSetup setup = setup_of(algorithm, jobs);
  std::atomic<int> left = looks.value_or(0);
  if (looks) setup.go_on = [&left] { return left-- > 0; };
  const search::SearchResult result = run_search(root, setup, proposer, judge, device, *journal);
  search::SearchSettings settings;
  settings.algorithm = algorithm;
  settings.rates = find_rates("plain-cpu").value();
  return {search::row_of(root, settings, result).dump(), device.numbers, proposer.asked, result.stop};
}

std::string lines_of(const std::string& path, std::size_t count) {
  std::istringstream all(read_file(path).value());
  std::string out;
  std::string line;
  for (std::size_t i = 0; i < count && std::getline(all, line); ++i) append(out, line, "\n");
  return out;
}

std::size_t line_count(const std::string& path) {
  const std::string all = read_file(path).value();
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), '\n'));
}

TEST(SearchJournal, ASearchEndedAnywhereGoesOnToTheSameRowAndMeasuresNothingTwice) {
  const auto folder = TemporaryFolder::make();
  Random random(7);
  for (const Algorithm algorithm : {Algorithm::mcts, Algorithm::beam, Algorithm::greedy}) {
    const std::string whole = folder->file(concat("whole_", word_of(algorithm)));
    const Ran all = session(whole, algorithm, 1);
    EXPECT_EQ(all.stop, Stop::samples);
    const std::size_t lines = line_count(whole);
    for (int i = 0; i < (algorithm == Algorithm::mcts ? 20 : 5); ++i) {
      // The process is killed after some line, and the next one is torn.
      const std::string path = folder->file(concat("cut_", word_of(algorithm), "_", i));
      const std::size_t kept = 1 + random.below(lines);
      ASSERT_TRUE(write_file(path, lines_of(whole, kept) + R"({"kind":"timed","num)").ok());
      std::size_t timed = 0;
      std::istringstream text(lines_of(whole, kept));
      for (std::string line; std::getline(text, line);) timed += line.find(R"("kind":"timed")") != std::string::npos;
      const Ran rest = session(path, algorithm, i % 2 == 0 ? 1 : 16);
      EXPECT_EQ(rest.row, all.row) << "after line " << kept;
      EXPECT_EQ(rest.measured.size() + timed, all.measured.size()) << "after line " << kept;
      EXPECT_EQ(line_count(path), lines);
    }
  }
}

TEST(SearchJournal, InterruptedSearchesGoOn) {
  const auto folder = TemporaryFolder::make();
  const Ran all = session(folder->file("whole"), Algorithm::mcts, 2);
  const std::string path = folder->file("often");
  std::vector<std::uint64_t> measured;
  Ran last;
  for (int i = 0; i < 100; ++i) {
    last = session(path, Algorithm::mcts, 2, Journal::Mode::write, 5);
    measured.insert(measured.end(), last.measured.begin(), last.measured.end());
    if (last.stop != Stop::interrupted) break;
  }
  EXPECT_EQ(last.row, all.row);
  EXPECT_EQ(measured, all.measured);
}

TEST(SearchJournal, ReplayGivesTheSameBytesWithAnyNumberOfWorkersAndAsksNobody) {
  const auto folder = TemporaryFolder::make();
  const std::string path = folder->file("journal");
  const Ran all = session(path, Algorithm::mcts, 16);
  const std::string before = read_file(path).value();
  for (const unsigned jobs : {1U, 2U, 16U}) {
    // A journal that is only read ends where it ends: it is finished, and so is the search made again from it.
    const Ran again = session(path, Algorithm::mcts, jobs, Journal::Mode::read);
    EXPECT_EQ(again.row, all.row);
    EXPECT_TRUE(again.measured.empty());
    EXPECT_EQ(again.asked, 0);
  }
  EXPECT_EQ(read_file(path).value(), before);
}

TEST(SearchJournal, DamagedAndForeignJournalsAreRefused) {
  const auto folder = TemporaryFolder::make();
  const Document root = numbered_root();
  const Json header = search::journal_header(root, "test");
  const auto open = [&](const std::string& content, const Json& wanted) {
    const std::string path = folder->file("journal");
    EXPECT_TRUE(write_file(path, content).ok());
    auto journal = Journal::open(path, wanted, Journal::Mode::write);
    return journal ? std::string("opened") : journal.error().message;
  };
  const std::string first = header.dump() + "\n";
  EXPECT_EQ(open("", header), "opened");
  EXPECT_EQ(open(first, header), "opened");
  EXPECT_EQ(open(first + R"({"kind":"answer","number":0,"value":{}})" + "\n", header), "opened");
  EXPECT_NE(open(first, search::journal_header(root, "other")).find("of another search"), std::string::npos);
  EXPECT_NE(open("{\"a\":1}\n", header).find("is no journal"), std::string::npos);
  EXPECT_NE(open(first + "no json\n", header).find("line 2"), std::string::npos);
  EXPECT_NE(open(first + "{\"kind\":\"answer\",\"number\":-1,\"value\":1}\n", header).find("line 2"),
            std::string::npos);
}

TEST(SearchJournal, TwoSearchesCannotWriteOneJournal) {
  const auto folder = TemporaryFolder::make();
  const Json header = search::journal_header(numbered_root(), "test");
  const auto one = Journal::open(folder->file("journal"), header, Journal::Mode::write);
  const auto other = Journal::open(folder->file("journal"), header, Journal::Mode::write);
  ASSERT_TRUE(one.ok());
  ASSERT_FALSE(other.ok());
  EXPECT_NE(other.error().message.find("another search is writing"), std::string::npos);
}

TEST(Search, EveryOutcomeOfACandidateIsNamed) {
  const auto script = [](const search::Question&) {
    std::vector<search::Candidate> out = {numbered(0), numbered(1), numbered(1), numbered(2)};
    out.emplace_back().problem = "not-json: nothing that could be read";
    out.emplace_back().leir = "L^{8}_{a=0}[";
    out.emplace_back().leir = "L^{8}_{a=0}[A^{f32,g}_{a}=D^{f32,g}_{a};];";
    out.emplace_back().step = Step{"loop_split", Choice{item_site({5}), {}}};
    return out;
  };
  const Document root = numbered_root();
  ScriptedProposer proposer(script);
  ScriptedJudge judge(some_differ);
  ScriptedDevice device(hashed_seconds);
  Journal journal;
  search::SearchSetup setup = setup_of(Algorithm::bfs, 1);
  setup.published = false;
  // More is answered than was asked for: only as many as wanted are looked at.
  const search::SearchResult three = run_search(root, setup, proposer, judge, device, journal);
  ASSERT_EQ(three.tree.at(0).children.size(), 3U);
  EXPECT_EQ(three.tree.at(1).outcome, Outcome::same);
  EXPECT_EQ(three.tree.at(2).outcome, Outcome::fresh);
  EXPECT_EQ(three.tree.at(3).outcome, Outcome::known);
  std::vector<Outcome> outcomes;
  for (const search::Candidate& candidate : script({}))
    outcomes.push_back(search::materialise(root, "cpu", three.tree, 0, candidate).outcome);
  EXPECT_EQ(outcomes[3], Outcome::fresh);
  EXPECT_EQ(outcomes[4], Outcome::unreadable);
  EXPECT_EQ(outcomes[5], Outcome::unreadable);
  EXPECT_EQ(outcomes[6], Outcome::invalid);
  EXPECT_EQ(outcomes[7], Outcome::refused);
}

/// A device with several places: it fails the test where one of them has two programs at a time.
class ManyPlaces : public search::SearchDevice {
 public:
  explicit ManyPlaces(unsigned places) : places_(places) {}
  [[nodiscard]] unsigned places() const override { return places_; }
  search::Measured measure(const Program& program) override {
    const unsigned now = ++busy_;
    most_ = std::max(most_.load(), now);
    EXPECT_LE(now, places_);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    --busy_;
    search::Measured out;
    out.seconds = hashed_seconds(number_of(program));
    return out;
  }
  [[nodiscard]] unsigned most() const { return most_; }

 private:
  unsigned places_;
  std::atomic<unsigned> busy_ = 0;
  std::atomic<unsigned> most_ = 0;
};

TEST(Search, SeveralDevicesAreUsedAtOnceAndGiveTheSameSearch) {
  const Document root = numbered_root();
  std::string rows[2];
  for (const unsigned places : {1U, 3U}) {
    ScriptedProposer proposer(drawn);
    ScriptedJudge judge;
    ManyPlaces device(places);
    Journal journal;
    const search::SearchResult result =
        run_search(root, setup_of(Algorithm::beam, 4), proposer, judge, device, journal);
    EXPECT_EQ(device.most(), places);
    search::SearchSettings settings;
    settings.rates = find_rates("plain-cpu").value();
    rows[places == 1 ? 0 : 1] = search::row_of(root, settings, result).dump();
  }
  EXPECT_EQ(rows[0], rows[1]);
}

TEST(Search, AWinnerThatDoesNotHoldAgainstTheRootIsNone) {
  class Strict : public ScriptedJudge {
   public:
    search::Verdict judge_winner(const search::Tree&, const search::Node& node) override {
      search::Verdict out;
      out.outcome = number_of(*node.program) == 2 ? Outcome::differs : Outcome::fresh;
      out.verdict = out.outcome == Outcome::fresh ? "exact" : "differs";
      out.safe = Json(true);
      return out;
    }
  };
  const Document root = numbered_root();
  ScriptedProposer proposer(always_new);
  Strict judge;
  // The first one is the fastest of all.
  ScriptedDevice device([](std::uint64_t number) { return number == 0 ? 10.0 : static_cast<double>(number); });
  Journal journal;
  const search::SearchResult result =
      run_search(root, setup_of(Algorithm::greedy, 1), proposer, judge, device, journal);
  EXPECT_EQ(result.winner, 2U);
  EXPECT_EQ(result.verdict, "exact");
  ASSERT_EQ(result.flags.size(), 1U);
  EXPECT_NE(result.flags[0].find("did not hold"), std::string::npos);
}

TEST(Search, ADeviceThatIsGoneEndsTheSearchWithWhatIsKnown) {
  class Dying : public ScriptedDevice {
   public:
    Dying() : ScriptedDevice(hashed_seconds) {}
    search::Measured measure(const Program& program) override {
      search::Measured out = ScriptedDevice::measure(program);
      out.is_gone = numbers.size() > 5;
      out.reason = "it fell off the bus";
      return out;
    }
  };
  const Document root = numbered_root();
  ScriptedProposer proposer(always_new);
  ScriptedJudge judge;
  Dying device;
  Journal journal;
  const search::SearchResult result = run_search(root, setup_of(Algorithm::chain, 1), proposer, judge, device, journal);
  EXPECT_EQ(result.stop, Stop::no_device);
  EXPECT_EQ(result.stop_reason, "it fell off the bus");
  EXPECT_NE(result.winner, 6U);
}

}  // namespace
}  // namespace steptp::testing
