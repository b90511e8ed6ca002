// Every certificate that the judge writes is confirmed: over all kinds of pairs that the tests judge. "Cannot tell" is
// a failure like any other.

#include <gtest/gtest.h>

#include <filesystem>

#include "source_dir.h"
#include "steptp/base/text.h"
#include "testing/certificate_sweep.h"
#include "testing/soak.h"

namespace steptp::testing {

namespace {

void expect_all(const Sweep& sweep, std::uint64_t least) {
  std::printf("%s\n", sweep.text().c_str());
  EXPECT_TRUE(sweep.not_confirmed.empty()) << sweep.text();
  EXPECT_GE(sweep.confirmed(), least);
}

std::string data(const std::string& name) { return concat(STEPTP_SOURCE_DIR "/testing/", name); }

TEST(CertificateSweep, StrategyExamplesAndDerivations) {
  Sweep sweep;
  for_each_pair_of_file(data("data/strategy_examples.jsonl"), 1, 0, sweep.visitor());
  for_each_pair_of_file(data("data/derivation_targets.jsonl"), 1, 0, sweep.visitor());
  expect_all(sweep, 50);
}

TEST(CertificateSweep, AttackFiles) {
  Sweep sweep;
  for (const auto& entry : std::filesystem::directory_iterator(data("attacks"))) {
    if (entry.path().extension() == ".jsonl") for_each_pair_of_file(entry.path().string(), 1, 0, sweep.visitor());
  }
  expect_all(sweep, 600);
}

TEST(CertificateSweep, FrozenSteps) {
  Sweep sweep;
  const std::uint64_t every = std::max<std::uint64_t>(1, 800 / soaked(1));
  for_each_pair_of_file(data("data/frozen/steps.jsonl.zst"), every, soak_seed(7), sweep.visitor());
  expect_all(sweep, 15);
}

TEST(CertificateSweep, EqualPairs) {
  Sweep sweep;
  for_each_equal_pair(soak_seed(81), soaked(300), sweep.visitor());
  expect_all(sweep, soaked(300) * 8 / 10);
}

TEST(CertificateSweep, Mutants) {
  Sweep sweep;
  for_each_mutant(soak_seed(82), soaked(250), sweep.visitor());
  expect_all(sweep, soaked(250) / 3);
}

TEST(CertificateSweep, Attacks) {
  Sweep sweep;
  for_each_attack(soak_seed(83), soaked(300), sweep.visitor());
  expect_all(sweep, soaked(300) / 2);
}

}  // namespace

}  // namespace steptp::testing
