// The table of the prover's numbers against a map of the standard library, with hashes that meet.
#include "steptp/prove/number_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "steptp/base/random.h"

namespace steptp::forms {
namespace {

TEST(NumberTable, AgreesWithAMapThroughAddingAndRemoving) {
  Random random(3);
  NumberTable table;
  std::multimap<Hash, std::uint32_t> expected;
  for (std::uint32_t step = 0; step < 3000; ++step) {
    // Few different hashes, which also begin at neighbouring places.
    const Hash hash = random.chance(1, 2) ? random.below(40) : random.below(3000) << 50;
    if (random.chance(1, 4) && !expected.empty()) {
      const auto removed = std::next(
          expected.begin(), static_cast<std::ptrdiff_t>(random.below(std::min<std::size_t>(expected.size(), 50))));
      table.remove(removed->first, removed->second);
      expected.erase(removed);
    } else {
      table.add(hash, step);
      expected.emplace(hash, step);
    }
    const auto [first, last] = expected.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      EXPECT_EQ(table.find(hash, [&](std::uint32_t number) { return number == it->second; }), it->second);
    }
    std::size_t seen = 0;
    EXPECT_FALSE(table.find(hash, [&](std::uint32_t) { return ++seen == 0; }));
    EXPECT_EQ(seen, static_cast<std::size_t>(std::distance(first, last))) << "numbers of other hashes, or too few";
  }
}

TEST(NumberTable, AnEmptyTableHasNothing) {
  NumberTable table;
  table.remove(7, 0);
  EXPECT_FALSE(table.find(7, [](std::uint32_t) { return true; }));
}

}  // namespace
}  // namespace steptp::forms
