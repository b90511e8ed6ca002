#pragma once

#include <memory>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/cursor/cursor.h"
#include "steptp/search/roles.h"
#include "steptp/tlm/weights.h"

namespace steptp::search {

/// Whole plans that the tensor language model writes, whatever the node: of those that it draws and that the search has
/// not met the ones come first that are expected to be fastest.
class TlmProposer : public Proposer {
 public:
  /// With the weights of a file, or where its name is empty those that come with the program for the device. The root
  /// outlives it. Errors: weights that are not there or cannot be used.
  [[nodiscard]] static Result<std::unique_ptr<TlmProposer>, Diagnostic> open(const std::string& weights,
                                                                             const Program& root,
                                                                             const DeviceRates& rates);
  [[nodiscard]] Result<Proposals, ProposerFailure> propose(const Question& question) override;

 private:
  TlmProposer(const Program& root, cursor::Target target, std::shared_ptr<const tlm::Weights> weights)
      : root_(root), target_(std::move(target)), weights_(std::move(weights)) {}

  const Program& root_;
  cursor::Target target_;
  std::shared_ptr<const tlm::Weights> weights_;
};

}  // namespace steptp::search
