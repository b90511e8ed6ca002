#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace steptp {

/// The content of one block that was compressed by snappy; nothing where it is damaged or holds more than `limit`.
[[nodiscard]] std::optional<std::string> snappy_decompress(std::string_view compressed, std::size_t limit);

}  // namespace steptp
