#pragma once

#include <string>
#include <string_view>

namespace steptp {

/// Text for people that may quote anything: control bytes but ends of lines, and bytes that are no UTF-8, would disturb
/// a terminal; one dot stands for each.
[[nodiscard]] std::string readable(std::string_view text);

}  // namespace steptp
