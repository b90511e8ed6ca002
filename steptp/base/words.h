#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace steptp {

/// How users write the values of an enum: one table for each such enum, beside it, in the order of its values from 0
/// on:
///   template <> inline constexpr auto kWords<Colour> = std::to_array<std::string_view>({"red", "blue"});
/// Reading, printing and lists in messages all use this table, so a word that it lacks is an error everywhere.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kWords{};

template <class Enum>
[[nodiscard]] constexpr std::string_view word_of(Enum value) {
  static_assert(!kWords<Enum>.empty(), "this enum has no words");
  return kWords<Enum>.at(static_cast<std::size_t>(value));
}

/// Nothing where no value is written so.
template <class Enum>
[[nodiscard]] constexpr std::optional<Enum> read_word(std::string_view word) {
  static_assert(!kWords<Enum>.empty(), "this enum has no words");
  for (std::size_t i = 0; i < kWords<Enum>.size(); ++i) {
    if (kWords<Enum>[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

/// For messages: "'cuda', 'llvm' and 'tir'".
template <class Enum>
[[nodiscard]] std::string list_of_words() {
  std::string out;
  for (std::size_t i = 0; i < kWords<Enum>.size(); ++i) {
    if (i > 0) out += i + 1 == kWords<Enum>.size() ? " and " : ", ";
    out.append("'").append(kWords<Enum>[i]).append("'");
  }
  return out;
}

}  // namespace steptp
