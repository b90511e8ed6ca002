// The search for iterations against all iterations, one after the other.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/machine/code.h"
#include "steptp/machine/solver.h"
#include "steptp/text/document.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

using Iteration = std::vector<std::int64_t>;

std::string number(std::int64_t value) { return std::to_string(value); }

/// A subscript of loops a, c, d: sums, quotients, remainders.
std::string random_subscript(Random& random) {
  const char* loops[] = {"a", "c", "d"};
  const auto loop = [&] { return std::string(loops[random.below(3)]); };
  switch (random.below(6)) {
    case 0: return loop();
    case 1: return loop() + "*" + number(random.between(1, 4)) + "+" + loop();
    case 2:
      return "(" + loop() + "*" + number(random.between(1, 5)) + "+" + loop() + ")//" + number(random.between(1, 4));
    case 3:
      return "(" + loop() + "*" + number(random.between(1, 5)) + "+" + loop() + "+2)%" + number(random.between(1, 5));
    case 4: return number(random.between(3, 9)) + "-" + loop();
    default: return loop() + "*" + loop();
  }
}

std::string random_guard(Random& random) {
  const char* comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
  if (random.chance(1, 2)) return {};
  std::string guard = random_subscript(random) + comparisons[random.below(6)] + number(random.between(0, 6));
  if (random.chance(1, 3)) guard += (random.chance(1, 2) ? "&" : "|") + random_subscript(random) + "<5";
  return "?{" + guard + "}";
}

/// What the solver is asked, found by looking at every iteration.
struct BruteForce {
  const certify::StatementCode& statement;

  std::vector<Iteration> matches(const std::vector<std::int64_t>& cell, const certify::PointCheck& check) const {
    std::vector<Iteration> found;
    Iteration at(statement.extents.size(), 0);
    while (true) {
      if (touches(at, cell) && check(at.data())) found.push_back(at);
      std::size_t i = at.size();
      while (i > 0 && ++at[i - 1] == statement.extents[i - 1]) at[--i] = 0;
      if (i == 0) return found;
    }
  }

  bool touches(const Iteration& at, const std::vector<std::int64_t>& cell) const {
    std::vector<certify::Range> point;
    for (const std::int64_t value : at) point.push_back({value, value});
    for (std::size_t d = 0; d < cell.size(); ++d) {
      if (certify::range_of(statement.left.subscripts[d], point) != certify::Range{cell[d], cell[d]}) return false;
    }
    for (const certify::Bound& bound : statement.guard_bounds) {
      const certify::Range range = certify::range_of(bound.target, point);
      if (range.low < bound.low || range.high > bound.high) return false;
    }
    return true;
  }
};

TEST(CertifySolver, AgreesWithAllIterations) {
  std::size_t questions = 0;
  for (std::uint64_t seed = 0; seed < soaked(3000); ++seed) {
    Random random(seed);
    const std::string text = "@input A f32[1]\n@output C f32[9]\nL^{" + number(random.between(1, 5)) + "}_{a=0}L^{" +
                             number(random.between(1, 5)) + "}_{c=0}L^{" + number(random.between(1, 5)) + "}_{d=0}" +
                             random_guard(random) + "[D^{f32,g}_{" + random_subscript(random) + "," +
                             random_subscript(random) + "}=A^{f32,g}_{0};];L^{9}_{a=0}[C^{f32,g}_{a}=0;];";
    const Document document = read_document("test", text);
    ASSERT_TRUE(document.ok) << text;
    const certify::Code code = certify::compile(document.program);
    const certify::StatementCode& statement = code.statements[0];
    const std::vector<std::int64_t> cell = {random.between(0, 6), random.between(0, 6)};
    // Stands for the part of a guard that is no bound: the same for both sides.
    const certify::PointCheck check = [&](const std::int64_t* at) {
      return statement.guards_are_bounds || (at[0] * 7 + at[1] * 3 + at[2]) % 3 != 0;
    };
    const auto expected = BruteForce{statement}.matches(cell, check);
    const certify::CellQuery query{&statement, &statement.left, cell.data(), cell.size()};
    std::uint64_t steps = 1'000'000;
    certify::Solver solver(steps);

    std::vector<Iteration> visited;
    Iteration at(3);
    solver.each(query, at.data(), 0, check, at.data(), [&] { visited.push_back(at); });
    EXPECT_EQ(visited, expected) << text;

    const Iteration limit = {random.between(0, 4), random.between(0, 4), random.between(0, 4)};
    for (std::uint32_t shared = 0; shared <= 3; ++shared) {
      for (const bool strictly : {false, true}) {
        std::optional<Iteration> last;
        for (const Iteration& one : expected) {
          const Iteration head(one.begin(), one.begin() + shared);
          const Iteration bound(limit.begin(), limit.begin() + shared);
          if (strictly ? head < bound : head <= bound) last = one;
        }
        Iteration found(3);
        const bool exists = solver.last_before(query, limit.data(), shared, strictly, check, found.data());
        EXPECT_EQ(exists, last.has_value()) << text;
        if (exists && last) {
          EXPECT_EQ(found, *last) << text;
        }
        ++questions;
      }
    }
  }
  EXPECT_GE(questions, 24000u);
}

}  // namespace
}  // namespace steptp::testing
