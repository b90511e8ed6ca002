#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steptp {

/// Why an answer, or one program of it, cannot be used: a word that is counted, and a sentence for people.
struct AnswerProblem {
  std::string id;  ///< "no-answer", "not-json", ...; empty where there is no problem
  std::string message;

  [[nodiscard]] bool ok() const { return id.empty(); }
};

/// One program of an answer. Its text was not read as a program yet.
struct AnswerProgram {
  std::string text;
  /// The strategies named for it, spelled as ours where they are ours.
  std::vector<std::string> strategies;
  AnswerProblem problem;  ///< then there is no text
};

/// What a model said, taken apart.
struct Answer {
  std::string thought;
  std::vector<AnswerProgram> programs;
  AnswerProblem problem;  ///< then there are no programs
  /// What is not as the question asks for it, and harmless: "code-fence", "trailing-text", "one-in-a-list", ...
  std::vector<std::string> deviations;
};

/// Takes any bytes apart; never throws.
///
/// Read are: text with a thought `<think>...</think>` before it, or only its end, or none; `<answer>` without its end
/// where the JSON is complete; JSON alone; code fences; text behind the JSON; line breaks inside of a string; one
/// object where a list was wanted, and a list of one where an object was; `applied_strategies` for `applied_strategy`,
/// a string, several in one string, or a list; keys that were not asked for; header lines before a program. All but the
/// thought are deviations.
///
/// Not read, because one would have to guess what is meant: a thought without an end, several different answers, JSON
/// that is none, a key given twice with different values, a program that is no string.
[[nodiscard]] Answer read_answer(std::string_view text);

/// A strategy as it is written in an answer: one of the 43 where blanks, hyphens and capitals are the only difference.
[[nodiscard]] std::string strategy_spelling(std::string_view name);
[[nodiscard]] bool is_known_strategy(std::string_view name);

/// More than this is no answer.
inline constexpr std::size_t kLongestAnswer = std::size_t{16} << 20;

}  // namespace steptp
