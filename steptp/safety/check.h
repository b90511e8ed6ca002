#pragma once

#include <string>
#include <vector>

#include "steptp/analysis/device.h"
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

struct CheckOptions {
  /// Launch limits of this device are errors; where it is null, those of the default device are warnings.
  const Device* device = nullptr;
};

[[nodiscard]] CheckReport check_program(const Program& program, const CheckOptions& options = {});

}  // namespace steptp
