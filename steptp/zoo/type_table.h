#pragma once

#include <span>
#include <string_view>

namespace steptp::zoo {

/// One line of the published table of program types.
struct TypeRow {
  int level;
  int number;
  std::string_view name;
  std::string_view arguments;
};

std::span<const TypeRow> level1_types();
std::span<const TypeRow> level2_types();
/// Types of our own, beyond the published ones.
std::span<const TypeRow> level3_types();

}  // namespace steptp::zoo
