#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/search/roles.h"
#include "steptp/text/document.h"

namespace steptp::search {

/// What another search of the same root proposed, in the order of its journal: whole plans and programs.
class ReplayProposer : public Proposer {
 public:
  /// A journal. Errors: id `file`, `journal`.
  [[nodiscard]] static Result<std::unique_ptr<ReplayProposer>, Diagnostic> read(const std::string& path,
                                                                                const Document& root);
  [[nodiscard]] Result<Proposals, ProposerFailure> propose(const Question& question) override;

 private:
  std::vector<Candidate> candidates_;
};

}  // namespace steptp::search
