#include "steptp/dataset/worth_showing.h"

#include <algorithm>
#include <string_view>

#include "steptp/reasoning/effect.h"
#include "steptp/reasoning/teller.h"

namespace steptp::dataset {

bool is_worth_showing(const Strategy& strategy, const Program& before, const Applied& applied) {
  constexpr std::int64_t kManyLaunches = 16;
  if (is_true(applied.facts.values, "same_order")) return false;
  if (strategy.name == std::string_view("cache_read_write")) {
    for (const auto& [key, value] : applied.facts.values) {
      const bool is_scalar = key == "extents" && value.as_array() && value.as_array()->empty();
      if (is_scalar && applied.facts.removed.size() == 1) return false;
    }
  }
  const auto [was, is] = effect_of(before, applied.program).counts[Effect::kLaunches];
  return is <= kManyLaunches * std::max<std::int64_t>(1, was);
}

}  // namespace steptp::dataset
