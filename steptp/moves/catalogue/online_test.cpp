#include <gtest/gtest.h>

#include "testing/move_test.h"

namespace steptp::testing {
namespace {

}  // namespace
}  // namespace steptp::testing
