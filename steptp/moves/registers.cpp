#include "steptp/moves/registers.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "steptp/moves/parts.h"

namespace steptp {

namespace {

/// The indices in subscripts of data in `l`.
std::set<std::string> indices_of_registers(const Statement& statement) {
  std::set<std::string> out;
  const auto look = [&](const RefPtr& ref) {
    if (ref->scope != Scope::local) return;
    for (const Index& subscript : ref->subscripts) {
      for_each_variable(subscript, [&](const std::string& name) { out.insert(name); });
    }
  };
  look(statement.equation->left);
  for_each_ref(*statement.equation->right, look);
  return out;
}

}  // namespace

void unroll_loops_over_registers(MoveBuilder& builder, std::uint32_t expression) {
  std::vector<Site> found;
  for (const Statement& statement : builder.view().table().statements) {
    if (statement.items[0] != expression) continue;
    const std::set<std::string> indices = indices_of_registers(statement);
    for (const AxisOf& loop : loops_around(statement)) {
      const bool is_new = std::find(found.begin(), found.end(), loop.loop) == found.end();
      if (loop.kind == LoopKind::serial && is_new && indices.contains(loop.index)) found.push_back(loop.loop);
    }
  }
  for (const Site& loop : found) builder.may_step("loop_unrolling", loop);
}

}  // namespace steptp
