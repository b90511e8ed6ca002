// On a CPU threads run one after another, so data in `s` and `l` needs a place that outlives one thread. It lives
// inside the outermost bound loops that surround the whole kernel; axes further in are walked several times and get
// storage for each index, unless every iteration writes all of it before it is read. Decision 0022.
#include "steptp/lowering/homes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>

namespace steptp::lowering {

std::vector<Axis> outer_axes(const ArrangedKernel& kernel) {
  std::vector<Axis> out;
  const std::vector<Node>* nodes = &kernel.body;
  while (nodes->size() == 1 && nodes->front().kind == Node::Kind::loop) {
    const Node& node = nodes->front();
    const auto axis = node.loop.kind == LoopKind::bound ? axis_of(node.loop.index) : std::nullopt;
    if (!axis) break;
    out.push_back(*axis);
    nodes = &node.body;
  }
  return out;
}

Home home_of(const ArrangedKernel& kernel, const Buffer& buffer) {
  // Threads have no fragments, and units no `l` data (docs/language.md R20).
  const auto is_hidden = [&](Axis axis) {
    return !is_thread_axis(axis) ||
           (is_private(buffer.scope) && is_unit_axis(axis) == (buffer.scope == Scope::fragment));
  };
  Home home;
  std::vector<Axis> around;
  for (const Axis axis : outer_axes(kernel)) {
    if (!is_hidden(axis)) break;
    around.push_back(axis);
    ++home.depth;
  }
  home.elements = buffer.elements;
  for (std::size_t i = 0; i < kAxes; ++i) {
    const auto axis = static_cast<Axis>(i);
    if (!is_hidden(axis) || kernel.extents[i] == 1) continue;
    if (std::find(around.begin(), around.end(), axis) != around.end()) continue;
    home.expanded.emplace_back(axis, home.elements);
    home.elements *= kernel.extents[i];
  }
  return home;
}

namespace {

/// The loops from `first` on write every element: each subscript is a number whose digits are some of them.
bool writes_all(const Statement& statement, std::size_t first, const Buffer& buffer) {
  std::map<std::string, std::int64_t> unused;
  for (std::size_t i = first; i < statement.loops.size(); ++i) {
    unused.emplace(statement.loops[i]->index, statement.loops[i]->extent);
  }
  const std::vector<Index>& subscripts = statement.equation->left->subscripts;
  for (std::size_t i = 0; i < subscripts.size(); ++i) {
    if (subscripts[i].constant_term() != 0) return false;
    std::vector<std::pair<std::int64_t, std::int64_t>> digits;  // weight, extent
    for (const IndexTerm& term : subscripts[i].terms()) {
      const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
      const auto at = variable ? unused.find(variable->name) : unused.end();
      if (at == unused.end()) return false;
      digits.emplace_back(term.coefficient, at->second);
      unused.erase(at);
    }
    std::sort(digits.begin(), digits.end());
    std::int64_t written = 1;
    for (const auto& [weight, extent] : digits) {
      if (weight != written) return false;
      written *= extent;
    }
    if (written != buffer.shape[i]) return false;
  }
  return true;
}

bool has_axis_from(const Statement& statement, std::size_t first) {
  return std::any_of(statement.loops.begin() + static_cast<std::ptrdiff_t>(first), statement.loops.end(),
                     [](const Loop* loop) { return loop->kind == LoopKind::bound && axis_of(loop->index); });
}

}  // namespace

bool begins_anew(const AccessTable& table, const Buffer& buffer) {
  const auto facts = table.tensors.find(buffer.name);
  if (!is_private(buffer.scope) || buffer.initial || facts == table.tensors.end()) return false;
  if (facts->second.writes.empty()) return false;
  const std::size_t writer = table.accesses[facts->second.writes[0]].statement;
  const Statement& first = table.statements[writer];
  std::set<std::size_t> others;
  for (const auto* list : {&facts->second.reads, &facts->second.writes}) {
    for (const std::size_t access : *list) others.insert(table.accesses[access].statement);
  }
  const bool reads_itself = std::any_of(facts->second.reads.begin(), facts->second.reads.end(),
                                        [&](std::size_t access) { return table.accesses[access].statement == writer; });
  if (reads_itself || *others.begin() != writer) return false;
  std::size_t shared = first.loops.size();
  for (const std::size_t other : others) {
    if (other == writer) continue;
    const Statement& statement = table.statements[other];
    const auto apart =
        std::mismatch(first.loops.begin(), first.loops.end(), statement.loops.begin(), statement.loops.end());
    shared = std::min(shared, static_cast<std::size_t>(apart.first - first.loops.begin()));
    // A condition of its own may leave elements as they were.
    if (first.guards.size() > statement.guards.size() ||
        !std::equal(first.guards.begin(), first.guards.end(), statement.guards.begin())) {
      return false;
    }
  }
  return writes_all(first, shared, buffer) && std::none_of(others.begin(), others.end(), [&](std::size_t other) {
           return has_axis_from(table.statements[other], shared);
         });
}

}  // namespace steptp::lowering
