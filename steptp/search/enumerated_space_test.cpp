// Tree search on a space that is known whole: five decisions of a few values each, 5,000 programs. What one decision
// brings depends a little on the others, so that the best program is not found one decision at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "steptp/base/random.h"
#include "testing/search_fakes.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

using search::Algorithm;

constexpr std::array<std::uint64_t, 5> kValues = {5, 10, 10, 5, 2};
constexpr std::uint64_t kPrograms = 5000;

using Decisions = std::array<std::uint64_t, 5>;

Decisions decisions_of(std::uint64_t number) {
  Decisions out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = number % kValues[i];
    number /= kValues[i];
  }
  return out;
}

std::uint64_t number_with(const Decisions& decisions) {
  std::uint64_t out = 0;
  for (std::size_t i = decisions.size(); i-- > 0;) out = out * kValues[i] + decisions[i];
  return out;
}

/// Between 0 and 1, fixed by its arguments.
double noise(std::uint64_t space, std::uint64_t what) {
  return static_cast<double>(random_at(space, what) >> 11) / 9007199254740992.0;
}

/// Every value of a decision has a factor of its own, and every pair of neighbouring values a smaller one.
double seconds_of(std::uint64_t space, std::uint64_t number) {
  const Decisions decisions = decisions_of(number);
  double out = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    out += decisions[i] == 0 ? 1 : noise(space, i * 100 + decisions[i]);
    const std::size_t next = (i + 1) % decisions.size();
    out += 0.2 * noise(space, 10000 + i * 1000 + decisions[i] * 20 + decisions[next]);
  }
  return 1e-3 * std::exp(out);
}

std::uint64_t best_of(std::uint64_t space) {
  std::uint64_t out = 0;
  for (std::uint64_t number = 1; number < kPrograms; ++number) {
    if (seconds_of(space, number) < seconds_of(space, out)) out = number;
  }
  return out;
}

/// One other value for one decision, none that was tried for the node before.
std::vector<search::Candidate> neighbour(const search::Question& question) {
  const std::uint64_t own = number_of(*question.about().program);
  std::vector<std::uint64_t> near;
  for (std::size_t i = 0; i < kValues.size(); ++i) {
    Decisions changed = decisions_of(own);
    for (std::uint64_t value = 0; value < kValues[i]; ++value) {
      changed[i] = value;
      const std::uint64_t number = number_with(changed);
      const Document other = read_document("p", concat("@input A f32[8]\n@output D f32[8]\n", numbered_text(number)));
      if (!question.tree->find(search::program_key(other.program))) near.push_back(number);
    }
  }
  if (near.empty()) return {};
  Random random(question.seed);
  return {numbered(near[random.below(near.size())])};
}

/// Samples until the best program was found.
std::int64_t samples_to_best(std::uint64_t seed) {
  const std::uint64_t best = best_of(seed);
  const Document root = numbered_root();
  ScriptedProposer proposer(neighbour);
  ScriptedJudge judge;
  ScriptedDevice device([&](std::uint64_t number) { return seconds_of(seed, number); });
  search::Journal journal;
  search::SearchSetup setup;
  setup.seed = seed;
  setup.budget.samples = 2500;
  setup.floor_seconds = seconds_of(seed, best) / 1.5;
  bool is_found = false;
  setup.go_on = [&] {
    is_found = is_found || (!device.numbers.empty() && device.numbers.back() == best);
    return !is_found;
  };
  return run_search(root, setup, proposer, judge, device, journal).samples;
}

TEST(EnumeratedSpace, TreeSearchFindsTheOptimumWithAQuarterOfTheSamplesOfDrawing) {
  // Drawing without repetition meets one program of n after (n+1)/2 samples on average.
  constexpr double kRandom = (kPrograms + 1) / 2.0;
  const std::uint64_t seeds = soaked(10);
  std::vector<std::int64_t> samples;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) samples.push_back(samples_to_best(seed));
  const double mean = static_cast<double>(std::accumulate(samples.begin(), samples.end(), std::int64_t{0})) /
                      static_cast<double>(seeds);
  EXPECT_LE(mean, kRandom / 4) << "over " << seeds << " seeds";
  if (seeds > 100)
    std::printf("mean of %d seeds: %.1f samples, a quarter of drawing is %.1f\n", static_cast<int>(seeds), mean,
                kRandom / 4);
}

}  // namespace
}  // namespace steptp::testing
