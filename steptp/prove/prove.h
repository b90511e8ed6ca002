#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {

struct ProofOptions {
  /// Nodes made and visited; answers do not depend on the machine.
  std::uint64_t work = 3'000'000;
};

/// Whether two programs have one normal form.
struct Proof {
  bool proved = false;
  std::string reason;  ///< where not proved: what stood in the way, of the widest attempt
  std::uint64_t work = 0;
  /// The normal forms of the first output that differs, of the widest attempt that made both.
  std::string before_form;
  std::string after_form;
  /// Known variables that occur in no output's normal form: no output depends on them. Only where proved.
  std::vector<std::string> independent_of;
};

/// Writes every output element of both programs as a function of symbolic indices and compares. Costs do not depend on
/// extents. Both programs have the same signature, and `check` calls both ok; a proof holds for every input.
[[nodiscard]] Proof prove(const Program& before, const Program& after, const ProofOptions& options = {});

}  // namespace steptp
