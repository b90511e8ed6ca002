#pragma once

#include <cstdint>

namespace steptp::certify {

/// What a step of the judge came to: nothing yet, or the answer.
enum class Progress : std::uint8_t { go_on, decided };

[[nodiscard]] constexpr bool is_decided(Progress progress) { return progress == Progress::decided; }

}  // namespace steptp::certify
