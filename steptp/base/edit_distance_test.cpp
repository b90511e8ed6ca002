#include "steptp/base/edit_distance.h"

#include <gtest/gtest.h>

namespace steptp {
namespace {

TEST(EditDistance, CountsLettersPutInTakenOutAndExchanged) {
  EXPECT_EQ(edit_distance("tile", "tile"), 0U);
  EXPECT_EQ(edit_distance("tiles", "tile"), 1U);
  EXPECT_EQ(edit_distance("tle", "tile"), 1U);
  EXPECT_EQ(edit_distance("tale", "tile"), 1U);
  EXPECT_EQ(edit_distance("", "tile"), 4U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

}  // namespace
}  // namespace steptp
