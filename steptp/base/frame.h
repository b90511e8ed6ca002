#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "steptp/base/hash.h"

namespace steptp {

/// Messages between a process and its workers: a header of fixed size, then the payload. Both ends are one program on
/// one machine, so numbers stand as the machine has them. Whatever else arrives on the line is noticed: header and
/// payload have their hashes.
enum class FrameKind : std::uint64_t {
  message = 1,
  failure = 2,  ///< from a worker that goes on no longer: the payload is the reason
};

struct FrameHeader {
  std::uint64_t magic = 0;
  FrameKind kind = FrameKind::message;
  std::uint64_t bytes = 0;  ///< of the payload
  Hash payload = 0;
  Hash header = 0;  ///< of the fields before
};
static_assert(sizeof(FrameHeader) == 40);

[[nodiscard]] FrameHeader frame_header(FrameKind kind, std::string_view payload);
/// The header, where it is one.
[[nodiscard]] std::optional<FrameHeader> parse_frame_header(const std::array<char, sizeof(FrameHeader)>& bytes);
[[nodiscard]] bool is_payload_of(const FrameHeader& header, std::string_view payload);

/// Blocking, for the worker's end. Reading: nothing where the other end is closed or sends what is no frame.
[[nodiscard]] std::optional<std::string> read_frame(int from);
[[nodiscard]] bool write_frame(int to, FrameKind kind, std::string_view payload);

}  // namespace steptp
