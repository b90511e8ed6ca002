// What the proposers of searches find in so many samples, by expected times: programs of the zoo at the sizes that are
// drawn, the device is the analytic model, and whatever passes `check` counts as equal, since moves and strategies are
// shown equal elsewhere. One row of JSON for each program, proposer and seed.
// Usage: search_compare PROGRAMS.jsonl [SEEDS [FIRST]] > rows.jsonl
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/search/atomic_proposer.h"
#include "steptp/search/devices.h"
#include "steptp/search/plan_proposer.h"
#include "steptp/search/search.h"

namespace steptp::testing {
namespace {

class Checks : public search::CandidateJudge {
 public:
  explicit Checks(const Device* device) : device_(device) {}
  search::Verdict judge(const search::Tree&, const search::Node& node) override {
    search::Verdict out;
    const bool fits = check_program(*node.program, {device_}).verdict == CheckReport::Verdict::ok;
    out.outcome = fits ? search::Outcome::fresh : search::Outcome::invalid;
    out.verdict = fits ? "proved" : "invalid";
    out.safe = Json(fits);
    return out;
  }
  search::Verdict judge_winner(const search::Tree& tree, const search::Node& node) override {
    return judge(tree, node);
  }

 private:
  const Device* device_;
};

struct Way {
  std::string name;
  search::Algorithm algorithm = search::Algorithm::mcts;
  std::int64_t samples = 32;
};

std::unique_ptr<search::Proposer> proposer_of(const Way& way, const PlanSpace& space) {
  if (way.name == "rules") return std::make_unique<search::RulesProposer>(space);
  if (way.name == "random") return std::make_unique<search::RandomProposer>(space);
  return std::make_unique<search::AtomicProposer>(std::nullopt);
}

std::string rows_of(const Document& root, const DeviceRates& rates, std::uint64_t seeds, std::uint64_t first) {
  const PlanTarget target = plan_target(rates);
  const auto begun = std::chrono::steady_clock::now();
  const PlanSpace space(root.program, target, rates, 1);
  std::string out;
  for (const Way& way : {Way{"rules"}, Way{"random", search::Algorithm::bfs, 128}, Way{"random-atomic"}}) {
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
      const auto proposer = proposer_of(way, space);
      Checks judge(target.device);
      search::AnalyticDevice device(rates);
      auto journal = search::Journal::open("", Json(), search::Journal::Mode::write);
      search::SearchSetup setup;
      setup.algorithm = way.algorithm;
      setup.seed = seed;
      setup.budget.samples = way.samples;
      setup.target = rates.name;
      setup.floor_seconds = floor_seconds(root.program, rates);
      const auto found = search::run_search(root, setup, *proposer, judge, device, *journal);
      Json row;
      row.set("program", root.program.name).set("proposer", way.name).set("samples", way.samples);
      row.set("seed", static_cast<std::int64_t>(seed)).set("stop", word_of(found.stop)).set("taken", found.samples);
      row.set("root", found.root_seconds()).set("best", found.best_seconds()).set("floor", setup.floor_seconds);
      row.set("clock", std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
      append(out, row.dump(), "\n");
    }
  }
  return out;
}

int run(int count, char** arguments) {
  if (count < 2) {
    std::fputs("usage: search_compare PROGRAMS.jsonl [SEEDS [FIRST]] > rows.jsonl\n", stderr);
    return 2;
  }
  const auto rates = find_rates("nvidia-h200");
  std::ifstream lines(arguments[1]);
  const std::uint64_t seeds = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 3;
  const std::uint64_t first = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  OrderedStream<std::string, std::string> stream(
      default_jobs(), 64,
      [&](const std::string& line) {
        const Document root = read_document(arguments[1], line);
        return root.ok ? rows_of(root, *rates, seeds, first)
                       : std::string("{\"error\":\"a program cannot be read\"}\n");
      },
      [](std::string&& rows) {
        std::fputs(rows.c_str(), stdout);
        return std::fflush(stdout) == 0;
      });
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !stream.push(line)) break;
  }
  return stream.finish() ? 0 : 1;
}

}  // namespace
}  // namespace steptp::testing

int main(int count, char** arguments) { return steptp::testing::run(count, arguments); }
