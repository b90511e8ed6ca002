#pragma once

// The words of sentences: a fixed list, none of it taken from data. A word's number is its place in
// data/tlm_vocabulary.txt, and never changes: weights and claims depend on it. docs/cursor.md explains the groups.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steptp::cursor {

using Token = std::uint16_t;

/// A new version is a new file; what was written with another one is refused by name.
inline constexpr int kVocabularyVersion = 1;

/// All words by number.
[[nodiscard]] const std::vector<std::string>& vocabulary();
/// Nothing where there is no such word.
[[nodiscard]] std::optional<Token> find_token(std::string_view word);
/// A word that has to be there: one of this code's own.
[[nodiscard]] Token token_of(std::string_view word);
/// The word of a token; "?" for a number that has none.
[[nodiscard]] std::string_view word_of_token(Token token);

/// The file: a line with the version, then a word in each line.
[[nodiscard]] std::string vocabulary_text();
/// SHA-256 of the file.
[[nodiscard]] const std::string& vocabulary_hash();

/// Words with numbers in a run: slots of tensors T0.., loops j0.., expressions e0.., digits d0.., powers of two x0..
inline constexpr std::int64_t kTensorSlots = 64;
inline constexpr std::int64_t kLoopSlots = 32;
inline constexpr std::int64_t kExpressionSlots = 32;
inline constexpr std::int64_t kDigits = 32;
inline constexpr std::int64_t kExponents = 64;

/// The numbers that a decision can take: 0, 34 fixed sizes.
[[nodiscard]] const std::vector<std::int64_t>& decision_numbers();
/// The word of one of them: 16 is "v16". Nothing for other numbers.
[[nodiscard]] std::optional<Token> number_token(std::int64_t number);
/// The number of such a word.
[[nodiscard]] std::optional<std::int64_t> number_of_token(Token token);

}  // namespace steptp::cursor
