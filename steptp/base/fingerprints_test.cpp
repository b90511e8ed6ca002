#include "steptp/base/fingerprints.h"

#include <gtest/gtest.h>

#include <set>

#include "steptp/base/random.h"

namespace steptp {
namespace {

TEST(Fingerprints, AgreesWithASetOfTheSame) {
  Fingerprints compact;
  std::set<Hash> plain;
  Random random(1);
  for (int number = 0; number < 50'000; ++number) {
    // Few enough values that many come twice, with 0 and neighbours among them.
    const Hash hash = number % 3 == 0 ? random.next() % 5'000 : mix(random.next() % 20'000);
    EXPECT_EQ(compact.insert(hash), plain.insert(hash).second) << hash;
  }
  EXPECT_EQ(compact.size(), plain.size());
  EXPECT_TRUE(plain.contains(0));
}

}  // namespace
}  // namespace steptp
