#pragma once

#include <optional>
#include <set>

#include "steptp/lowering/arrangement.h"

namespace steptp::tir {

/// What TVM would build for CUDA into something else without a word, or not at all. `inits`: statements whose
/// initialisation is T.init.
[[nodiscard]] std::optional<Diagnostic> find_unfit_for_cuda(const lowering::Arrangement& arrangement,
                                                            const std::set<std::size_t>& inits);

/// Whether a buffer begins with a value that T.init does not give it.
[[nodiscard]] bool needs_fill(const lowering::Arrangement& arrangement, const std::set<std::size_t>& inits,
                              const lowering::Buffer& buffer);

}  // namespace steptp::tir
