#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "steptp/base/process.h"
#include "steptp/search/roles.h"
#include "steptp/text/document.h"

namespace steptp::search {

/// The question as JSON, for proposers that are not ours: {"program","signature","leir","wanted","attempt","seed",
/// "depth","samples","seconds","root_seconds","speedup","strategies","parent":{"leir","speedup"} or null,
/// "failures":[{"outcome","reason"}]}
[[nodiscard]] Json question_json(const Question& question, const Document& root);
/// What one of them answered: {"candidates":[{"leir":...} or {"plan":...} or {"step":...}, ...]}. A candidate that
/// cannot be read becomes one with a problem; so does an answer that is none.
[[nodiscard]] Proposals foreign_proposals(std::string_view text);

/// A command of the user's own: a question per line on its standard input, an answer per line on its standard output.
class CommandProposer : public Proposer {
 public:
  /// By the shell. Error: id `process`.
  [[nodiscard]] static Result<std::unique_ptr<CommandProposer>, Diagnostic> start(const std::string& command,
                                                                                  const Document& root);
  [[nodiscard]] Result<Proposals, ProposerFailure> propose(const Question& question) override;

 private:
  CommandProposer(Conversation conversation, const Document& root)
      : conversation_(std::move(conversation)), root_(root) {}
  Conversation conversation_;
  const Document& root_;
};

}  // namespace steptp::search
