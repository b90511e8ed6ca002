// Which rows a cache still has must not depend on where accesses lie in memory: `work` counts the rows that are made
// again, and budgets end evaluations by it.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "steptp/machine/code.h"
#include "steptp/machine/lanes.h"

namespace steptp::certify {
namespace {

/// Asks for rows of several accesses, some of them again and again; true for each row that was made.
std::vector<bool> made_rows(const std::vector<Access>& accesses) {
  LaneCache<std::int64_t> cache;
  std::vector<bool> made;
  for (int round = 0; round < 3; ++round) {
    for (std::int64_t base = 0; base < 300; ++base) {
      for (const Access& access : accesses) {
        bool is_made = false;
        const std::int64_t* row = cache.row({&access, base, 1}, 1, [&](std::int64_t* values) {
          is_made = true;
          values[0] = 1000 * access.number + base;
        });
        EXPECT_EQ(row[0], 1000 * access.number + base);
        made.push_back(is_made);
      }
    }
  }
  return made;
}

std::vector<Access> numbered(std::size_t count) {
  std::vector<Access> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i].number = static_cast<std::uint32_t>(2 * i);
  return out;
}

TEST(LaneCache, RowsAreKeptByNumber) {
  const std::vector<Access> here = numbered(12);
  const std::vector<Access> gap(7);
  const std::vector<Access> elsewhere = numbered(12);
  const std::vector<bool> made = made_rows(here);
  EXPECT_EQ(made, made_rows(elsewhere));
  // More rows than places: some are made again, and some are still there.
  EXPECT_NE(std::count(made.begin() + 3600, made.end(), true), 0);
  EXPECT_NE(std::count(made.begin() + 3600, made.end(), false), 0);
}

}  // namespace
}  // namespace steptp::certify
