#include "steptp/safety/findings.h"

#include "steptp/base/text.h"

namespace steptp {

void Findings::report(std::string_view id, Severity severity, const Site* site, std::string message, std::string hint) {
  Diagnostic diagnostic;
  diagnostic.id = id;
  diagnostic.severity = severity;
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  if (site) diagnostic.site = to_text(*site);
  diagnostics.push_back(std::move(diagnostic));
}

std::string describe(const Point& point, const std::vector<const Loop*>& loops) {
  std::string out;
  for (const Loop* loop : loops) {
    const auto value = point.find(loop->index);
    if (value == point.end()) continue;
    append(out, out.empty() ? "" : ", ", loop->index, '=', value->second);
  }
  return out.empty() ? "the only iteration" : out;
}

std::string describe(Wide value) {
  if (value >= INT64_MIN && value <= INT64_MAX) return std::to_string(static_cast<std::int64_t>(value));
  return value < 0 ? "below -2^63" : "beyond 2^63";
}

}  // namespace steptp
