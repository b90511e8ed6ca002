#pragma once

// Sentences: BOS <LEIR> <target> [quality] PPT <decisions> EOS. A decision is three tokens: opcode, object, value.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/cursor/cursor.h"

namespace steptp::cursor {

/// Longer ones are refused.
inline constexpr std::size_t kMostTokens = 512;
/// Deciles of latency, the best first; nothing: the sentence has no quality.
using Quality = std::optional<int>;
inline constexpr int kNoQuality = -1;  ///< the word `q:none`
inline constexpr int kQualities = 10;  ///< `q:0` to `q:9`

/// The program in canonical form: tensors and loops by slots. The error says what has no words.
[[nodiscard]] Result<std::vector<Token>, std::string> encode_program(const Program& program);
/// The program with generated names. Whatever the tokens are: a program that encodes to the same, or an error with the
/// place and the reason.
[[nodiscard]] Result<Program, std::string> decode_program(std::span<const Token> tokens);

/// Kind, processors, shared memory, registers, and buckets of bandwidth and rate.
[[nodiscard]] std::vector<Token> encode_target(const Target& target);
/// The device of the table with these figures.
[[nodiscard]] Result<Target, std::string> decode_target(std::span<const Token> tokens);

/// BOS <LEIR> <target> [quality] PPT: what a model is given.
[[nodiscard]] Result<std::vector<Token>, std::string> prompt_of(const Space& space, Quality quality = std::nullopt);
/// The sentence of a complete cursor.
[[nodiscard]] Result<std::vector<Token>, std::string> sentence_of(const Cursor& cursor, Quality quality = std::nullopt);

/// The same of any cursor, without EOS.
[[nodiscard]] Result<std::vector<Token>, std::string> sentence_so_far(const Cursor& cursor,
                                                                      Quality quality = std::nullopt);

/// The parts of a sentence.
struct SentenceParts {
  std::vector<Token> program;
  std::vector<Token> target;
  Quality quality;
  std::vector<Decision> decisions;
};
/// Takes a sentence apart. The error names the first token that cannot stand where it does.
[[nodiscard]] Result<SentenceParts, std::string> split_sentence(std::span<const Token> tokens);

/// The complete cursor of a sentence, on the program and for the target that the sentence itself says.
[[nodiscard]] Result<Cursor, std::string> replay_sentence(std::span<const Token> tokens);
/// The same on a space that is open already; the sentence has to be for its program and target.
[[nodiscard]] Result<Cursor, std::string> replay_sentence(const SpacePtr& space, std::span<const Token> tokens);

/// A space of what these words say.
[[nodiscard]] Result<SpacePtr, std::string> space_of_words(std::span<const Token> program,
                                                           std::span<const Token> target);

/// Words with blanks between them.
[[nodiscard]] std::string sentence_text(std::span<const Token> tokens);
[[nodiscard]] Result<std::vector<Token>, std::string> tokens_of_text(std::string_view text);

}  // namespace steptp::cursor
