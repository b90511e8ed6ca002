#pragma once

#include "steptp/ir/program.h"
#include "steptp/prove/record.h"

namespace steptp {

/// A proof without what nothing asks for: facts about signs of tensors of which nothing divides, takes roots, compares
/// or converts; side conditions about those, about numbers, or stated twice; parts of forms to which nothing refers.
/// The replayer refuses a certificate that says more than it needs.
[[nodiscard]] ProofRecord what_is_needed(ProofRecord proof, const Program& before, const Program& after);

}  // namespace steptp
