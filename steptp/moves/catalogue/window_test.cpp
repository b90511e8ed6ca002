#include <gtest/gtest.h>

namespace steptp::testing {
namespace {

TEST(WindowMove, Stub) {}

}  // namespace
}  // namespace steptp::testing
