#pragma once

#include <string>
#include <string_view>

#include "steptp/analysis/box_search.h"
#include "steptp/base/diagnostic.h"

namespace steptp {

/// Collects what the safety checks find.
struct Findings {
  Diagnostics diagnostics;

  void report(std::string_view id, Severity severity, const Site* site, std::string message, std::string hint = {});
};

/// "tx=3, a=0": the values that show a problem; only the loops given.
[[nodiscard]] std::string describe(const Point& point, const std::vector<const Loop*>& loops);
[[nodiscard]] std::string describe(Wide value);

}  // namespace steptp
