#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace steptp {

/// SHA-256 of bytes that come in pieces: what `sha256sum` prints of a file.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// The digest of all that was added, in hexadecimal. Nothing may be added afterwards.
  [[nodiscard]] std::string hex();

 private:
  static constexpr std::size_t kBlock = 64;
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, kBlock> waiting_{};
  std::size_t waiting_size_ = 0;
  std::uint64_t total_ = 0;
};

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace steptp
