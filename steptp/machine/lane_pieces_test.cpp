// Pieces of a box hold every iteration once, in the order of execution, and have a number where they come again.
#include "steptp/machine/lane_pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace steptp::certify {
namespace {

using Iteration = std::vector<std::int64_t>;

StatementCode statement_of(std::vector<std::int64_t> extents) {
  StatementCode statement;
  statement.extents = std::move(extents);
  return statement;
}

struct Cut {
  std::vector<Iteration> iterations;
  std::vector<std::uint64_t> patterns;
};

Cut cut(const StatementCode& statement, const std::vector<Range>& box) {
  Cut out;
  LanePool<std::int64_t> pool;
  LanePieces pieces(statement, box, pool);
  while (const Lanes* lanes = pieces.next()) {
    EXPECT_GT(lanes->count, 0U);
    EXPECT_LE(lanes->count, kLanes);
    out.patterns.push_back(lanes->pattern);
    for (std::size_t lane = 0; lane < lanes->count; ++lane) {
      Slots slots{};
      lanes->slots_at(lane, slots);
      out.iterations.emplace_back(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(box.size()));
    }
  }
  return out;
}

std::vector<Iteration> all_of(const std::vector<Range>& box) {
  std::vector<Iteration> out;
  Iteration at(box.size());
  each_point(box, at.data(), [&] { out.push_back(at); });
  return out;
}

TEST(LanePieces, HoldEveryIterationInOrder) {
  const StatementCode statement = statement_of({3, 70, 5, 11});
  for (const std::vector<Range>& box : std::vector<std::vector<Range>>{{{0, 2}, {0, 69}, {0, 4}, {0, 10}},
                                                                       {{1, 1}, {3, 60}, {2, 2}, {0, 10}},
                                                                       {{0, 2}, {5, 5}, {0, 4}, {7, 7}},
                                                                       {{2, 2}, {0, 69}, {4, 4}, {10, 10}}}) {
    EXPECT_EQ(cut(statement, box).iterations, all_of(box));
  }
}

TEST(LanePieces, AreNumberedWhereLoopsRunThrough) {
  const StatementCode statement = statement_of({2, 300});
  const Cut first = cut(statement, {{0, 0}, {0, 299}});
  const Cut second = cut(statement, {{1, 1}, {0, 299}});
  EXPECT_EQ(first.patterns, second.patterns);
  for (std::size_t i = 0; i < first.patterns.size(); ++i) {
    EXPECT_NE(first.patterns[i], 0U);
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(first.patterns[i], first.patterns[k]);
  }
  for (const std::uint64_t pattern : cut(statement, {{0, 0}, {0, 298}}).patterns) EXPECT_EQ(pattern, 0U);
  for (const std::uint64_t pattern : cut(statement, {{0, 0}, {1, 299}}).patterns) EXPECT_EQ(pattern, 0U);
}

}  // namespace
}  // namespace steptp::certify
