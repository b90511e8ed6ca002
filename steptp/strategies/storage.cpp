#include "steptp/strategies/storage.h"

#include <algorithm>

#include "steptp/analysis/box_search.h"
#include "steptp/analysis/device.h"
#include "steptp/analysis/instances.h"
#include "steptp/analysis/written_boxes.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

bool is_empty(View& view, const IntegerSet& set) {
  return view.isl().least_point(set).kind == Presburger::Sample::Kind::empty;
}

/// Some iteration in which the access is made has a subscript outside of [0,size).
bool may_leave(View& view, const Access& access, std::size_t hidden, std::size_t dimension, std::int64_t size) {
  for (const bool below : {true, false}) {
    IntegerSet set;
    const auto instance = add_instance(set, view.table(), view.facts(), access, true);
    if (!instance) return true;
    set.dimensions = set.variables();
    const Linear& subscript = instance->subscripts[hidden + dimension];
    set.require(below ? less(subscript, Linear::number(0)) : at_most(Linear::number(size), subscript));
    if (!is_empty(view, set)) return true;
  }
  return false;
}

/// Such sums isl can be told of as they are.
bool is_sum_of_loops(const Index& index) {
  return std::all_of(index.terms().begin(), index.terms().end(), [](const IndexTerm& term) {
    return term.factors.size() == 1 && std::holds_alternative<LoopVariable>(term.factors[0]);
  });
}

Wide bytes_of(View& view, const std::string& tensor) {
  const TensorFacts& facts = view.table().tensors.at(tensor);
  Wide bytes = Wide{info(facts.dtype).bytes} * facts.scope.depth;
  for (const std::int64_t extent : view.shape_of(tensor).dimensions) {
    bytes = std::min<Wide>(bytes * extent, kWideLimit >> 64);
  }
  return bytes;
}

}  // namespace

bool is_in_range(View& view, const Access& access) {
  const TensorFacts& tensor = view.table().tensors.at(access.ref->tensor);
  if (!tensor.known) return true;
  const Statement& statement = view.table().statements[access.statement];
  Ranges box;
  for (const Loop* loop : statement.loops) box.variables[loop->index] = {0, static_cast<Wide>(loop->extent) - 1};
  const std::size_t hidden = full_subscripts(view.table(), access).size() - access.ref->subscripts.size();
  for (std::size_t i = 0; i < access.ref->subscripts.size(); ++i) {
    const std::int64_t size = tensor.known->shape[i];
    if (Interval{0, static_cast<Wide>(size) - 1}.contains(range_of(access.ref->subscripts[i], box))) continue;
    if (may_leave(view, access, hidden, i, size)) return false;
  }
  return true;
}

namespace {

bool is_covered(View& view, const Access& read, std::size_t same_loops) {
  const AccessTable& table = view.table();
  const TensorFacts& tensor = table.tensors.at(read.ref->tensor);
  if (tensor.known && tensor.writes.empty()) return is_in_range(view, read);
  const Statement& reader = table.statements[read.statement];
  if (is_plainly_written(view, tensor, reader, full_subscripts(table, read), loop_box(reader), same_loops)) return true;
  IntegerSet whole;
  const auto reading = add_instance(whole, table, view.facts(), read, true);
  if (!reading) return false;
  whole.dimensions = whole.variables();
  std::vector<IntegerSet> parts;
  for (const std::size_t number : tensor.writes) {
    const Access& write = table.accesses[number];
    const Relation relation = relate(table.statements[write.statement], table.statements[read.statement]);
    if (relation.shared_loops < same_loops) continue;
    IntegerSet part;
    const auto a = add_instance(part, table, view.facts(), read, true);
    part.dimensions = part.variables();
    const auto b = add_instance(part, table, view.facts(), write, true);
    if (!a || !b || !b->certain || a->subscripts.size() != b->subscripts.size()) continue;
    require_same_element(part, *a, *b);
    for (std::size_t i = 0; i < same_loops; ++i) {
      part.require(equals(Linear::variable(a->variables[i]), Linear::variable(b->variables[i])));
    }
    part.require(runs_before(table, write, *b, read, *a));
    parts.push_back(std::move(part));
  }
  return view.isl().covered(whole, parts).kind == Presburger::Answer::Kind::covered;
}

}  // namespace

bool is_plainly_written(View& view, const TensorFacts& tensor, const Statement& reader,
                        const std::vector<Index>& subscripts, const Ranges& loops, std::size_t same_loops) {
  constexpr std::size_t kMaxLoops = 24;
  const AccessTable& table = view.table();
  // What is guarded, or no plain sum, is left to the one who knows all about it: nothing is decided here that is
  // unknown there.
  const auto is_plain = [&](std::size_t number) {
    const Statement& writer = table.statements[table.accesses[number].statement];
    return writer.guards.empty() && writer.loops.size() <= kMaxLoops;
  };
  if (loops.variables.size() > kMaxLoops || !std::all_of(subscripts.begin(), subscripts.end(), is_sum_of_loops) ||
      !std::all_of(tensor.writes.begin(), tensor.writes.end(), is_plain)) {
    return false;
  }
  std::vector<WrittenBoxes> written = written_before(table, tensor, reader, same_loops);
  std::erase_if(written, [](const WrittenBoxes& group) {
    return !std::all_of(group.bases.begin(), group.bases.end(), is_sum_of_loops);
  });
  return boxes_hold(written, subscripts, loops);
}

bool is_defined(View& view, const Access& read, std::size_t same_loops) {
  const auto number = static_cast<std::size_t>(&read - view.table().accesses.data());
  return view.memos().defined.get({number, same_loops}, [&] { return is_covered(view, read, same_loops); });
}

Wide scoped_bytes(View& view, const KernelFacts& kernel, Scope scope) {
  Wide bytes = 0;
  for (const std::string& name : scope == Scope::shared ? kernel.shared : kernel.local) bytes += bytes_of(view, name);
  return bytes;
}

std::int64_t scope_limit(Scope scope, std::int64_t lanes) {
  const Device& device = default_device();
  return scope == Scope::shared ? device.shared_bytes : device.local_bytes * lanes;
}

std::optional<Oversize> oversize_of(View& view, const std::string& tensor, std::int64_t lanes) {
  const Scope scope = view.table().tensors.at(tensor).scope;
  if (scope == Scope::global) return std::nullopt;
  const std::int64_t limit = scope_limit(scope, lanes);
  for (const KernelFacts& kernel : view.kernels()) {
    const std::vector<std::string>& names = scope == Scope::shared ? kernel.shared : kernel.local;
    if (std::find(names.begin(), names.end(), tensor) == names.end()) continue;
    const Wide bytes = scoped_bytes(view, kernel, scope);
    if (bytes > limit) return Oversize{static_cast<std::int64_t>(std::min<Wide>(bytes, INT64_MAX)), limit};
  }
  return std::nullopt;
}

std::vector<ExprPtr> conjuncts(const ExprPtr& condition) {
  if (!condition) return {};
  const auto* logic = std::get_if<Logic>(&condition->node);
  return logic && logic->op == LogicOp::conjunction ? logic->operands : std::vector<ExprPtr>{condition};
}

ExprPtr conjunction_of(const std::vector<ExprPtr>& parts) {
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) return parts[0];
  return make_expr(Logic{LogicOp::conjunction, parts});
}

OpenedBody open_body(const Nest& nest, std::size_t loop) {
  if (loop + 1 == nest.loops.size()) return {nest.loops, nest.guard, nest.items};
  const auto cut = nest.loops.begin() + static_cast<std::ptrdiff_t>(loop) + 1;
  const std::vector<Loop> inner(cut, nest.loops.end());
  std::vector<ExprPtr> stays;
  std::vector<ExprPtr> goes;
  for (const ExprPtr& part : conjuncts(nest.guard)) {
    const std::set<std::string> used = variables_of(*part);
    const bool inside =
        std::any_of(inner.begin(), inner.end(), [&](const Loop& other) { return used.contains(other.index); });
    (inside ? goes : stays).push_back(part);
  }
  OpenedBody out{{nest.loops.begin(), cut}, conjunction_of(stays), {}};
  out.items.emplace_back(stands_for(make_nest(inner, conjunction_of(goes), nest.items), nest));
  return out;
}

}  // namespace steptp
