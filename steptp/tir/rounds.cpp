#include "steptp/tir/rounds.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "steptp/lowering/homes.h"

namespace steptp::tir {

namespace {

/// The loops around all of these statements, outermost first.
std::vector<const Loop*> shared_loops(const AccessTable& table, const std::set<std::size_t>& statements) {
  std::vector<const Loop*> shared = table.statements[*statements.begin()].loops;
  for (const std::size_t number : statements) {
    const std::vector<const Loop*>& loops = table.statements[number].loops;
    const auto apart = std::mismatch(shared.begin(), shared.end(), loops.begin(), loops.end());
    shared.erase(apart.first, shared.end());
  }
  return shared;
}

bool has_own_guard(const Statement& writer, const Statement& reader) {
  return writer.guards.size() > reader.guards.size() ||
         !std::equal(writer.guards.begin(), writer.guards.end(), reader.guards.begin());
}

}  // namespace

bool may_live_on(const lowering::Arrangement& arrangement, const lowering::Buffer& buffer) {
  if (buffer.scope == Scope::global || buffer.initial) return false;
  const AccessTable& table = arrangement.table;
  const auto facts = table.tensors.find(buffer.name);
  if (facts == table.tensors.end() || facts->second.writes.empty() || facts->second.reads.empty()) return false;
  std::set<std::size_t> statements;
  for (const auto* list : {&facts->second.reads, &facts->second.writes}) {
    for (const std::size_t access : *list) statements.insert(table.accesses[access].statement);
  }
  const std::vector<const Loop*> shared = shared_loops(table, statements);
  std::set<std::string> rounds;
  for (const Loop* loop : shared) {
    if (loop->kind != LoopKind::bound) rounds.insert(loop->index);
  }
  if (rounds.empty()) return false;
  if (is_private(buffer.scope)) return !lowering::begins_anew(table, buffer);
  // Threads write a tile together, each its part: what is not written in every round is written where a loop around it
  // says where, or under a condition that readers do not have, or after it was read.
  const std::size_t first = *statements.begin();
  for (const std::size_t access : facts->second.writes) {
    const Ref& left = *table.accesses[access].ref;
    bool depends = false;
    for (const Index& subscript : left.subscripts) {
      for_each_variable(subscript, [&](const std::string& name) { depends = depends || rounds.contains(name); });
    }
    if (depends) return true;
  }
  const bool is_written_first =
      std::any_of(facts->second.writes.begin(), facts->second.writes.end(),
                  [&](std::size_t access) { return table.accesses[access].statement == first; }) &&
      std::none_of(facts->second.reads.begin(), facts->second.reads.end(),
                   [&](std::size_t access) { return table.accesses[access].statement == first; });
  return !is_written_first ||
         std::any_of(facts->second.reads.begin(), facts->second.reads.end(), [&](std::size_t read) {
           return has_own_guard(table.statements[first], table.statements[table.accesses[read].statement]);
         });
}

}  // namespace steptp::tir
