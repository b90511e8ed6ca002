#pragma once

#include <string_view>
#include <vector>

namespace steptp::cuda {

/// Functions that go together; a part is taken where one of its words occurs behind it.
struct Part {
  std::vector<std::string_view> words;
  std::string_view text;
};

/// The matrix instructions, the loads of their operands, copies that run ahead, and arithmetic on pairs of halves.
[[nodiscard]] const std::vector<Part>& matrix_parts();

/// The products that groups of four units make.
[[nodiscard]] const std::vector<Part>& group_parts();

}  // namespace steptp::cuda
