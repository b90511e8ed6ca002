#pragma once

#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/ir/program.h"

namespace steptp {

/// The answer of the verb `check`: well-formedness and static safety.
struct CheckReport {
  enum class Verdict : std::uint8_t { ok, errors, unknown };
  Verdict verdict = Verdict::ok;
  bool extended = false;
  std::vector<std::string> assumes;
  /// Errors, unknowns and warnings, each with the address of the part it speaks of.
  Diagnostics diagnostics;
};

[[nodiscard]] CheckReport check_program(const Program& program);

}  // namespace steptp
