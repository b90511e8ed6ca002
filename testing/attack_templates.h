#pragma once

#include <string_view>
#include <vector>

namespace steptp::testing {

/// A pair written out, with $ names of numbers (attack_text.h). `set` gives special values of inputs; `element` is
/// where the difference shows ("D@R,K"), empty: everywhere is looked. `$T` is the type of what has no other.
struct AttackTemplate {
  std::string_view group;
  std::string_view signature;
  std::string_view before;
  std::string_view after;
  std::string_view set = {};
  std::string_view element = {};
  bool by_precision = false;
};
[[nodiscard]] const std::vector<AttackTemplate>& region_templates();    // attack_regions.cpp
[[nodiscard]] const std::vector<AttackTemplate>& store_templates();     // attack_stores.cpp
[[nodiscard]] const std::vector<AttackTemplate>& operator_templates();  // attack_operators.cpp

}  // namespace steptp::testing
