#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "steptp/optimize/optimize.h"
#include "steptp/tlm/shipped.h"

namespace steptp::cli {

/// The fast form by the first plan of a model that is shown equal; the model writes some, and those that are expected
/// to be fastest are judged first. The program as it came, with the reason, where none is.
[[nodiscard]] Optimized optimize_by_model(const Document& document, const OptimizeRequest& request,
                                          const std::string& device, const std::shared_ptr<const tlm::Weights>& weights,
                                          std::uint64_t seed);

}  // namespace steptp::cli
