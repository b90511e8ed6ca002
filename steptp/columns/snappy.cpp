// Snappy's block format: the length of the content, then literals and copies of what was there before, each with a tag
// byte whose lowest two bits say which.
#include "steptp/columns/snappy.h"

#include <cstdint>

namespace steptp {

namespace {

/// The bytes of a block, one after the other; `failed` once there are too few.
class Block {
 public:
  explicit Block(std::string_view bytes) : bytes_(bytes) {}

  std::size_t little(unsigned bytes) {
    std::size_t out = 0;
    for (unsigned i = 0; i < bytes; ++i) out |= std::size_t{byte()} << (8 * i);
    return out;
  }
  std::size_t varint() {
    std::size_t out = 0;
    for (unsigned shift = 0; shift < 35 && !failed; shift += 7) {
      const std::uint8_t next = byte();
      out |= std::size_t{next & 0x7fU} << shift;
      if (next < 0x80) return out;
    }
    failed = true;
    return 0;
  }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) failed = true;
    const std::string_view out = bytes_.substr(0, failed ? 0 : size);
    bytes_.remove_prefix(out.size());
    return out;
  }
  [[nodiscard]] bool is_empty() const { return bytes_.empty(); }
  bool failed = false;

 private:
  std::uint8_t byte() {
    const std::string_view one = take(1);
    return one.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(one[0]);
  }
  std::string_view bytes_;
};

}  // namespace

std::optional<std::string> snappy_decompress(std::string_view compressed, std::size_t limit) {
  Block block(compressed);
  const std::size_t size = block.varint();
  if (block.failed || size > limit) return std::nullopt;
  std::string out;
  while (!block.is_empty() && !block.failed && out.size() <= size) {
    const std::size_t tag = block.little(1);
    std::size_t length = tag >> 2;
    std::size_t back = 0;
    switch (tag & 3) {
      case 0:
        if (length >= 60) length = block.little(static_cast<unsigned>(length - 59));
        out += block.take(length + 1);
        continue;
      case 1:
        back = (tag >> 5) << 8;
        back |= block.little(1);
        length = (length & 7) + 4;
        break;
      case 2: back = block.little(2), ++length; break;
      default: back = block.little(4), ++length; break;
    }
    if (block.failed || back == 0 || back > out.size() || out.size() + length > size) return std::nullopt;
    // Byte by byte: a copy may overlap what it makes.
    for (std::size_t i = 0; i < length; ++i) out += out[out.size() - back];
  }
  if (block.failed || out.size() != size) return std::nullopt;
  return out;
}

}  // namespace steptp
