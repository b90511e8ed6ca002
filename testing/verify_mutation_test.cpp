// Mutants through the judge: whatever the oracle shows to be different may never be called equal.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <string>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "testing/equal_pairs.h"
#include "testing/generator.h"
#include "testing/judge_support.h"
#include "testing/mutator.h"
#include "testing/shrink.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

/// Judges pairs and keeps the score.
class MutantCourt {
 public:
  explicit MutantCourt(std::string name) : name_(std::move(name)) {}
  MutantCourt(const MutantCourt&) = delete;
  MutantCourt& operator=(const MutantCourt&) = delete;
  ~MutantCourt() {
    std::cout << name_ << ": " << tally_.text() << "; " << wrong_ << " wrong; slowest " << slowest_ << " ms\n";
  }

  /// False where the pair says nothing: it never reaches the comparison.
  bool judge(const Program& before, const Mutant& mutant) {
    if (!(before.signature == mutant.program.signature)) return false;
    if (check_program(mutant.program).verdict != CheckReport::Verdict::ok) return false;
    const auto start = std::chrono::steady_clock::now();
    const Judgement judgement = verify(before, mutant.program, without_safety());
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (ms > slowest_) slowest_ = ms;
    if (ms > 2000) std::cout << "slow, " << ms << " ms: " << describe(before, mutant.program, judgement) << "\n";
    tally_.add(name_of(judgement.verdict));
    if (!is_equal(judgement.verdict)) return true;
    const OracleOpinion opinion = ask_oracle(before, mutant.program, 4, judgement.assumes);
    if (!opinion.difference) return true;
    ++wrong_;
    ADD_FAILURE() << mutant.label << "\noracle: " << *opinion.difference << "\n"
                  << describe(before, mutant.program, judgement);
    return true;
  }
  [[nodiscard]] std::uint64_t judged() const { return tally_.total(); }
  [[nodiscard]] std::uint64_t wrong() const { return wrong_; }

 private:
  std::string name_;
  Tally tally_;
  std::uint64_t wrong_ = 0;
  double slowest_ = 0;
};

/// Enough to see what is wrong; more would drown it.
constexpr std::uint64_t kMostFailures = 5;

TEST(VerifyMutants, OfGeneratedPrograms) {
  MutantCourt court("generated");
  const Random random(soak_seed(101));
  const auto wanted = soaked(500);
  for (std::uint64_t i = 0; court.judged() < wanted && court.wrong() < kMostFailures; ++i) {
    Random draw = random.fork(i);
    GeneratorOptions options;
    options.max_operations = 4000;
    const Program program = generate_program(draw, options);
    if (check_program(program).verdict != CheckReport::Verdict::ok) continue;
    for (int k = 0; k < 8; ++k) {
      if (const auto mutant = mutate(program, draw)) court.judge(program, *mutant);
    }
  }
}

TEST(VerifyMutants, OfWrittenPrograms) {
  MutantCourt court("written");
  const Random random(soak_seed(102));
  const auto wanted = soaked(700);
  for (std::uint64_t i = 0; court.judged() < wanted && court.wrong() < kMostFailures; ++i) {
    Random draw = random.fork(i);
    const Program program = written_program(i % written_kinds(), draw);
    for (int k = 0; k < 8; ++k) {
      if (const auto mutant = mutate(program, draw)) court.judge(program, *mutant);
    }
  }
}

/// A right step with a slip in it: closer to right than any mutant of the program itself.
TEST(VerifyMutants, NearMisses) {
  MutantCourt court("near misses");
  const Random random(soak_seed(103));
  const auto wanted = soaked(600);
  for (std::uint64_t i = 0; court.judged() < wanted && court.wrong() < kMostFailures; ++i) {
    Random draw = random.fork(i);
    const EqualPair pair = make_equal_pair(draw, {.one_generated_in = 8});
    if (check_program(pair.before).verdict != CheckReport::Verdict::ok) continue;
    for (int k = 0; k < 3; ++k) {
      if (const auto mutant = mutate(pair.after, draw)) court.judge(pair.before, *mutant);
    }
  }
}

/// Published programs at small extents: numbers above a few are brought down alike wherever they stand, and what check
/// does not call ok any more is left out.
TEST(VerifyMutants, OfPublishedPrograms) {
  const auto text = read_file(std::string(STEPTP_SOURCE_DIR) + "/../shared/data/leir_corpus.jsonl");
  if (!text) GTEST_SKIP() << "no corpus";
  MutantCourt court("published");
  const Random random(soak_seed(104));
  std::uint64_t programs = 0;
  std::uint64_t shrunk = 0;
  for (std::size_t at = 0; at < text->size() && court.wrong() < kMostFailures;) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    Random draw = random.fork(programs++);
    const auto small = shrink(read_document("corpus", line).program);
    if (!small) continue;
    ++shrunk;
    for (std::uint64_t k = 0; k < soaked(3); ++k) {
      if (const auto mutant = mutate(*small, draw)) court.judge(*small, *mutant);
    }
  }
  std::cout << shrunk << " of " << programs << " programs could be made small\n";
}

}  // namespace
}  // namespace steptp::testing
