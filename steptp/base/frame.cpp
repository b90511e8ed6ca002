#include "steptp/base/frame.h"

#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>

namespace steptp {

namespace {

constexpr std::uint64_t kMagic = 0x3157505445545053ULL;  // "SPTETPW1"
/// No message is longer: a length beyond it was never written by us.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;

Hash header_hash(const FrameHeader& header) {
  return combine(combine(combine(mix(header.magic), static_cast<Hash>(header.kind)), header.bytes), header.payload);
}

bool read_all(int from, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = read(from, to, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int to, const char* from, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = write(to, from, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    from += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return true;
}

}  // namespace

FrameHeader frame_header(FrameKind kind, std::string_view payload) {
  FrameHeader header{kMagic, kind, payload.size(), hash_bytes(payload), 0};
  header.header = header_hash(header);
  return header;
}

std::optional<FrameHeader> parse_frame_header(const std::array<char, sizeof(FrameHeader)>& bytes) {
  const auto header = std::bit_cast<FrameHeader>(bytes);
  if (header.magic != kMagic || header.bytes > kMostBytes || header.header != header_hash(header)) return std::nullopt;
  if (header.kind != FrameKind::message && header.kind != FrameKind::failure) return std::nullopt;
  return header;
}

bool is_payload_of(const FrameHeader& header, std::string_view payload) {
  return payload.size() == header.bytes && hash_bytes(payload) == header.payload;
}

std::optional<std::string> read_frame(int from) {
  std::array<char, sizeof(FrameHeader)> bytes;
  if (!read_all(from, bytes.data(), bytes.size())) return std::nullopt;
  const auto header = parse_frame_header(bytes);
  if (!header) return std::nullopt;
  std::string payload(header->bytes, '\0');
  if (!read_all(from, payload.data(), payload.size()) || !is_payload_of(*header, payload)) return std::nullopt;
  return payload;
}

bool write_frame(int to, FrameKind kind, std::string_view payload) {
  const auto header = std::bit_cast<std::array<char, sizeof(FrameHeader)>>(frame_header(kind, payload));
  return write_all(to, header.data(), header.size()) && write_all(to, payload.data(), payload.size());
}

}  // namespace steptp
