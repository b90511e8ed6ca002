#include "steptp/machine/direct_subscripts.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "steptp/analysis/interval.h"

namespace steptp::certify {

namespace {

/// Some loop does not follow from the element that is written.
bool has_rounds(const StatementCode& statement) {
  std::vector<bool> is_known(statement.extents.size());
  for (const auto* list : {&statement.left.subscripts, &statement.left.hidden}) {
    for (const IndexCode& subscript : *list) {
      std::vector<LinearPart> parts = subscript.linear;
      if (!subscript.is_linear) continue;
      std::sort(parts.begin(), parts.end(), [](const LinearPart& a, const LinearPart& b) {
        return std::abs(a.coefficient) < std::abs(b.coefficient);
      });
      Wide reached = 0;  // by all parts so far together
      bool are_digits = true;
      for (const LinearPart& part : parts) {
        const Wide weight = std::abs(part.coefficient);
        are_digits = are_digits && weight > reached;
        reached += weight * (statement.extents[part.slot] - 1);
      }
      for (const LinearPart& part : parts) is_known[part.slot] = is_known[part.slot] || are_digits;
    }
  }
  for (std::size_t i = 0; i < is_known.size(); ++i) {
    if (!is_known[i] && statement.extents[i] > 1) return true;
  }
  return false;
}

void add_direct(const IndexCode& subscript, std::uint32_t number, StatementCode& out) {
  std::vector<LinearPart> parts = subscript.linear;
  if (!subscript.is_linear) {
    out.is_direct = false;
  } else if (parts.size() <= 1) {
    out.is_direct = out.is_direct && (parts.empty() || parts[0].coefficient == 1);
    out.direct.push_back({number, parts.empty() ? kNone : parts[0].slot, subscript.constant});
  } else {
    std::sort(parts.begin(), parts.end(),
              [](const LinearPart& a, const LinearPart& b) { return a.coefficient > b.coefficient; });
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_last = i + 1 == parts.size();
      const Wide below = is_last ? 1 : static_cast<Wide>(parts[i + 1].coefficient) * out.extents[parts[i + 1].slot];
      out.is_direct = out.is_direct && parts[i].coefficient == below;
      out.direct.push_back({number, parts[i].slot, subscript.constant, true, parts[i].coefficient,
                            i == 0 ? 0 : out.extents[parts[i].slot]});
    }
  }
}

}  // namespace

void find_direct_subscripts(StatementCode& out) {
  out.is_direct = out.guards.empty();
  std::uint32_t number = 0;
  for (const auto* list : {&out.left.subscripts, &out.left.hidden}) {
    for (const IndexCode& subscript : *list) add_direct(subscript, number++, out);
  }
  out.has_rounds = has_rounds(out);
}

}  // namespace steptp::certify
