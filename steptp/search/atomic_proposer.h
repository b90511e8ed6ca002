#pragma once

#include <optional>

#include "steptp/estimate/rates.h"
#include "steptp/search/roles.h"

namespace steptp::search {

/// Single steps of strategies on the program of the node: drawn at random; or, with rates, the best by what is expected
/// of their ends, of different strategies.
class AtomicProposer : public Proposer {
 public:
  explicit AtomicProposer(std::optional<DeviceRates> rates) : rates_(std::move(rates)) {}
  [[nodiscard]] Result<Proposals, ProposerFailure> propose(const Question& question) override;

 private:
  std::optional<DeviceRates> rates_;
};

}  // namespace steptp::search
