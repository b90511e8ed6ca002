#include "steptp/tlm/partition.h"

#include <optional>
#include <set>

#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/moves/parts.h"
#include "steptp/planner/prepare.h"
#include "steptp/planner/section.h"

namespace steptp::tlm {

namespace {

/// Whether an expression reads a tensor that one of [first, expression) writes.
bool reads_from(View& view, std::uint32_t first, std::uint32_t expression) {
  const AccessTable& table = view.table();
  std::set<std::string> made;
  for (const Access& access : table.accesses) {
    const std::uint32_t at = table.statements[access.statement].items[0];
    if (access.is_write && at >= first && at < expression) made.insert(access.ref->tensor);
  }
  for (const Access& access : table.accesses) {
    const std::uint32_t at = table.statements[access.statement].items[0];
    if (!access.is_write && at == expression && made.contains(access.ref->tensor)) return true;
  }
  return false;
}

bool is_contraction(View& view, std::uint32_t expression) {
  const Statement* statement = only_statement(view, expression);
  return statement != nullptr && find_contraction(*statement).has_value();
}

}  // namespace

Result<std::vector<Program>, std::string> parts_of(const Program& network) {
  const Program program = prepared_forms(network).back().program;
  View view(program);
  Sections sections(view);
  std::vector<Program> out;
  const auto end = static_cast<std::uint32_t>(program.nests.size());
  for (std::uint32_t first = 0; first < end;) {
    std::optional<Program> part;
    std::uint32_t taken = 0;
    for (std::uint32_t count = 1; count <= kMostExpressions && first + count <= end; ++count) {
      const std::uint32_t last = first + count - 1;
      // What has no meaning by itself takes in whatever follows; what has one ends where nothing of it is read.
      if (part && (is_contraction(view, last) || !reads_from(view, first, last))) break;
      auto section = sections.section(first, count);
      if (!section) continue;
      part = std::move(section);
      taken = count;
    }
    if (!part) return concat("expression ", first, " belongs together with more than ", kMostExpressions, " others");
    out.push_back(canonical(*part));
    first += taken;
  }
  return out;
}

}  // namespace steptp::tlm
