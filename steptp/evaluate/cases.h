#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/endpoint/chat.h"
#include "steptp/text/document.h"

namespace steptp {

/// A question, and the program that it is about.
struct EvaluationCase {
  std::string id;
  Document before;
  std::string text;  ///< the program as the question shows it
  int programs = 1;  ///< asked for
  std::vector<ChatMessage> messages;
};

/// How questions are made of plain programs.
struct QuestionOptions {
  Profile profile = Profile::paper;
  int programs = 1;
  std::size_t limit = 0;  ///< only so many cases; 0: all
  std::string system;     ///< stands before each question that has no system prompt of its own; empty: none
};

/// Reads questions: rows of a dataset (`messages` or `prompt`, with `signature` and the program in `before` or `leir`),
/// plain programs as .jsonl, or one program. Of `messages`, what the assistant says is left out. A row without a
/// question gets ours. Diagnostic: the first row that cannot be used, and why; a question that cannot be judged would
/// be a wrong number in the end.
[[nodiscard]] Result<std::vector<EvaluationCase>, Diagnostic> read_cases(const std::string& path,
                                                                         const QuestionOptions& options);

/// One question as a row that `read_cases` reads: for asking elsewhere.
[[nodiscard]] Json to_json(const EvaluationCase& one);

/// What a model said to one question, one time.
struct ModelAnswer {
  std::size_t of_case = 0;  ///< its place among the cases
  std::int64_t attempt = 1;
  std::string content;
  std::string finish_reason;
  std::optional<std::int64_t> prompt_tokens;
  std::optional<std::int64_t> completion_tokens;
};

/// Reads answers, each row with the `id` of its question (or `custom_id`), and its text in `content`, `answer`,
/// `completion`, `response`, `output` or `text`, as a string or as messages; or several in `answers` or `completions`,
/// or the `choices` of a server. Several rows with one id are several attempts. Where no row has an id, rows are taken
/// in the order of the questions. The log of a live evaluation is such a file.
/// With `may_have_others`, answers to questions that are not among the cases are passed over.
[[nodiscard]] Result<std::vector<ModelAnswer>, Diagnostic> read_answers(const std::string& path,
                                                                        const std::vector<EvaluationCase>& cases,
                                                                        bool may_have_others = false);

/// The places of cases by their ids.
[[nodiscard]] std::map<std::string, std::size_t, std::less<>> places_of(const std::vector<EvaluationCase>& cases);

}  // namespace steptp
