// Which accumulations in `g` begin in registers. Two contributions to one element must be made in the same iteration
// of every loop outside of a reduction (coincidence.h shows which loops an element decides), and whoever else writes
// the element must do so later. Then all contributions to an element are made by one thread in one visit of the loops
// of the reduction, or by one group of threads in one item. Decision 0062.
#include "steptp/lowering/own_sums.h"

#include <algorithm>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/instances.h"
#include "steptp/analysis/written_boxes.h"
#include "steptp/lowering/collectives.h"
#include "steptp/lowering/threads.h"

namespace steptp::lowering {

namespace {

constexpr std::int64_t kHeldElements = 64;

const Access& write_of(const AccessTable& table, std::size_t number) {
  return *std::find_if(table.accesses.begin(), table.accesses.end(),
                       [&](const Access& access) { return access.statement == number && access.is_write; });
}

/// For each loop of a statement, host loops included: whether an element decides its iteration.
std::vector<bool> decided_loops(const AccessTable& table, std::size_t number) {
  const Statement& statement = table.statements[number];
  const Access& write = write_of(table, number);
  std::vector<bool> out;
  for (const Loop* loop : statement.loops) out.push_back(loop->extent == 1);
  for (const LoopPair& pair : coincide(table, write, write, pair_loops(statement, statement, 0)).pairs) {
    if (pair.first == pair.second && pair.equal) out[pair.first] = true;
  }
  return out;
}

/// Whoever else writes an element does so later: it stands behind the statement, and both are in the same iteration of
/// the loops that they share.
bool writes_first(const AccessTable& table, std::size_t number) {
  const Statement& statement = table.statements[number];
  const std::vector<std::size_t>& writes = table.tensors.at(statement.equation->left->tensor).writes;
  return std::all_of(writes.begin(), writes.end(), [&](std::size_t write) {
    const std::size_t other = table.accesses[write].statement;
    if (other <= number) return other == number;
    const Statement& later = table.statements[other];
    const Coincidence found =
        coincide(table, write_of(table, number), table.accesses[write], pair_loops(statement, later, 0));
    return std::all_of(found.pairs.begin(), found.pairs.end(), [&](const LoopPair& pair) {
      const bool is_one_loop = statement.loops[pair.first] == later.loops[pair.second];
      return !is_one_loop || pair.equal || statement.loops[pair.first]->extent == 1;
    });
  });
}

bool occurs_in_left(const Statement& statement, const std::string& loop) {
  bool found = false;
  for (const Index& subscript : statement.equation->left->subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { found = found || name == loop; });
  }
  return found;
}

bool contains(const Node& node, std::size_t statement) {
  if (node.kind == Node::Kind::store) return node.statement == statement;
  return std::any_of(node.body.begin(), node.body.end(),
                     [statement](const Node& inner) { return contains(inner, statement); });
}

/// The item that a statement is in.
const Node* item_of(const std::vector<Node>& nodes, std::size_t statement) {
  for (const Node& node : nodes) {
    if (contains(node, statement)) return is_item(node) ? &node : item_of(node.body, statement);
  }
  return nullptr;
}

std::optional<OwnSum> of_group(const Arrangement& arrangement, const ArrangedKernel& kernel, std::size_t number,
                               const std::vector<bool>& decided) {
  const Node* const item = item_of(kernel.body, number);
  const auto reduction = item ? thread_reduction(arrangement, kernel, *item) : std::nullopt;
  if (!reduction) return std::nullopt;
  // Blocks and rounds have elements of their own, and so have groups and the loops that all threads walk.
  for (std::size_t i = 0; i < decided.size(); ++i) {
    const Loop& loop = *arrangement.table.statements[number].loops[i];
    const auto axis = axis_of_loop(loop);
    const bool is_around = i < reduction->groups.first_loop || (axis && !is_thread_axis(*axis));
    if (is_around && !decided[i]) return std::nullopt;
  }
  OwnSum out;
  out.first_loop = reduction->groups.first_loop;
  return out;
}

}  // namespace

std::optional<OwnSum> own_sum(const Arrangement& arrangement, const ArrangedKernel& kernel, std::size_t number) {
  const AccessTable& table = arrangement.table;
  const Statement& statement = table.statements[number];
  const std::string& name = statement.equation->left->tensor;
  const Buffer& buffer = arrangement.buffers.at(name);
  if (!statement.accumulates || buffer.scope != Scope::global || !buffer.initial) return std::nullopt;
  if (!writes_first(table, number)) return std::nullopt;
  const std::vector<bool> decided = decided_loops(table, number);
  if (!reduced_thread_axes(arrangement, number).empty()) return of_group(arrangement, kernel, number, decided);
  OwnSum out;
  while (out.first_loop < decided.size() && decided[out.first_loop]) ++out.first_loop;
  if (out.first_loop < statement.kernel.host_loops) return std::nullopt;
  for (std::size_t i = out.first_loop; i < decided.size(); ++i) {
    if (statement.loops[i]->kind == LoopKind::bound) return std::nullopt;
    if (!decided[i]) {
      // Its iterations reach several elements, of which each may have several: C_{a//2}.
      if (occurs_in_left(statement, statement.loops[i]->index)) return std::nullopt;
      continue;
    }
    if (statement.loops[i]->extent > kHeldElements / out.elements) return std::nullopt;
    out.elements *= statement.loops[i]->extent;
    out.held.push_back(i);
  }
  // The loop is around nothing else.
  const bool is_alone = std::none_of(table.statements.begin(), table.statements.end(), [&](const Statement& other) {
    return &other != &statement && out.first_loop < statement.loops.size() && out.first_loop < other.loops.size() &&
           other.loops[out.first_loop] == statement.loops[out.first_loop];
  });
  if (!is_alone) return std::nullopt;
  return out;
}

bool needs_fill(const Arrangement& arrangement, const Buffer& buffer) {
  if (buffer.scope != Scope::global || !buffer.initial) return false;
  const auto tensor = arrangement.table.tensors.find(buffer.name);
  if (tensor == arrangement.table.tensors.end()) return true;  // flags
  return std::any_of(tensor->second.reads.begin(), tensor->second.reads.end(), [&](std::size_t number) {
    const Access& read = arrangement.table.accesses[number];
    if (!read.is_accumulator) return false;
    for (const ArrangedKernel& kernel : arrangement.kernels) {
      const auto& statements = kernel.statements;
      if (std::find(statements.begin(), statements.end(), read.statement) == statements.end()) continue;
      if (own_sum(arrangement, kernel, read.statement)) return false;
    }
    // What was written before is not its identity.
    const Statement& reader = arrangement.table.statements[read.statement];
    const bool by_data = std::any_of(read.ref->subscripts.begin(), read.ref->subscripts.end(), reads_tensor);
    return by_data || !boxes_hold(written_before(arrangement.table, tensor->second, reader),
                                  full_subscripts(arrangement.table, read), loop_box(reader));
  });
}

}  // namespace steptp::lowering
