#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"
#include "steptp/strategies/strategy.h"

namespace steptp::cli {

/// The strategies of these names, all where there is none; null where one is unknown, which is then reported.
[[nodiscard]] std::vector<const Strategy*> strategies_named(const std::vector<std::string>& names);

/// An answer where strategies cannot look at the document; `yes` where they can.
[[nodiscard]] Answer unusable(const Document& document, bool json);

/// A program as an answer: a document, or the text alone where the program came in a record.
[[nodiscard]] std::string program_text(const Document& document, const Program& program,
                                       Profile profile = Profile::paper);

/// Each line as a comment, so that a program may stand behind it.
[[nodiscard]] std::string as_comments(std::string_view text);

/// What --choice says: the choice alone; the line that `steptp choices` prints, with the name of the strategy or move
/// before it; or an object with both, as with --json.
struct NamedChoice {
  std::string name;  ///< empty where it is the choice alone
  Json choice;
};
[[nodiscard]] Result<NamedChoice, Diagnostic> read_choice(const std::string& text);

/// Prints what is wrong with the words of a call.
[[nodiscard]] Status bad_input(const Diagnostic& diagnostic);

/// The JSON in an option: the text itself, or the content of a file after @.
[[nodiscard]] Result<Json, Diagnostic> read_json_option(const std::string& option, const std::string& text);

/// Where a step is refused: a wrong choice is bad input, anything else a "no".
[[nodiscard]] Status status_of(const Refusal& refusal);

}  // namespace steptp::cli
