#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steptp {

/// One code point read from UTF-8 that is known to be valid.
struct DecodedPoint {
  std::uint32_t point;
  std::uint32_t length;
};

[[nodiscard]] inline DecodedPoint decode_point(const char* at) {
  const auto byte = [at](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xe0) return {(first & 0x1f) << 6 | (byte(1) & 0x3f), 2};
  if (first < 0xf0) return {(first & 0xf) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
  return {(first & 7) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 | (byte(3) & 0x3f), 4};
}

void append_point(std::string& out, std::uint32_t point);

/// The offset of the first byte that does not begin or continue a code point; nothing where the text is valid UTF-8
/// (no surrogates, no longer form than needed, nothing above U+10FFFF).
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Invalid parts become U+FFFD, one for each longest start of a code point, as the Unicode standard advises.
[[nodiscard]] std::string replace_invalid_utf8(std::string_view text);

/// What the tokenizer needs to know of a code point.
using CharacterClass = std::uint8_t;
constexpr CharacterClass kLetter = 1;
constexpr CharacterClass kNumber = 2;
constexpr CharacterClass kSpace = 4;
constexpr CharacterClass kNewline = 8;  // carriage return and line feed; these are spaces, too
constexpr CharacterClass kWordCharacter = 16;
constexpr CharacterClass kNormalizing = 32;

/// Immutable tables, equal to those of the Python package (see tools/make_unicode_tables.py), made at first use.
class UnicodeTables {
 public:
  [[nodiscard]] static const UnicodeTables& get();

  [[nodiscard]] CharacterClass class_of(std::uint32_t point) const { return classes_[point]; }

  /// Appends the canonical composition (NFC) of a valid text.
  void append_nfc(std::string_view text, std::string& out) const;
  /// True where NFC cannot change the text: most texts, found out without building anything.
  [[nodiscard]] bool is_surely_nfc(std::string_view text) const;

 private:
  UnicodeTables();
  [[nodiscard]] std::uint8_t combining_class(std::uint32_t point) const;
  [[nodiscard]] std::uint32_t compose(std::uint32_t first, std::uint32_t second) const;
  void decompose(std::uint32_t point, std::vector<std::uint32_t>& out) const;
  void append_composed(std::vector<std::uint32_t>& points, std::string& out) const;

  // One byte for every code point: a megabyte, of which a text touches the few lines of its own scripts.
  std::vector<CharacterClass> classes_;
};

}  // namespace steptp
