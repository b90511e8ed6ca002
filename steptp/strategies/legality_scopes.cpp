// Data in `s` and `l`: who shares it, and whether it can live there.
#include <algorithm>
#include <set>
#include <utility>

#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/instances.h"
#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"

namespace steptp {

namespace {

std::set<Axis> axes_of(const Statement& statement, bool threads_too) {
  std::set<Axis> axes;
  for (const Loop* loop : statement.loops) {
    const auto axis = axis_of(loop->index);
    if (axis && (threads_too || !is_thread_axis(*axis))) axes.insert(*axis);
  }
  return axes;
}

std::vector<std::size_t> accesses_of(const TensorFacts& tensor) {
  std::vector<std::size_t> all = tensor.writes;
  all.insert(all.end(), tensor.reads.begin(), tensor.reads.end());
  return all;
}

/// A block loop below the kernel's header is fine only where nothing stands beside it on the way down from there.
bool blocks_stand_well(const Nest& nest, bool inside_kernel, bool perfect) {
  for (const Loop& loop : nest.loops) {
    const auto axis = axis_of(loop.index);
    if (!axis) continue;
    if (!inside_kernel) perfect = true;
    inside_kernel = true;
    if (!is_thread_axis(*axis) && !perfect) return false;
  }
  return std::all_of(nest.items.begin(), nest.items.end(), [&](const Item& item) {
    const auto* inner = std::get_if<NestPtr>(&item);
    return !inner || blocks_stand_well(**inner, inside_kernel, perfect && nest.items.size() == 1);
  });
}

/// All accesses to an `l` tensor lie inside the same bound axes, to an `s` tensor inside the same block axes; an item
/// that has no loop over a thread axis of its kernel runs once, and has no `l` of its own.
std::optional<Conflict> axes_conflict(const AccessTable& table, const std::string& name, const TensorFacts& tensor,
                                      Scope scope) {
  const bool local = scope == Scope::local;
  const std::vector<std::size_t> all = accesses_of(tensor);
  const Access& example = table.accesses[all[0]];
  const std::set<Axis> wanted = axes_of(table.statements[example.statement], local);
  for (const std::size_t number : all) {
    const Access& access = table.accesses[number];
    const Statement& statement = table.statements[access.statement];
    if (axes_of(statement, local) != wanted) {
      return Conflict{example.site, access.site, concat(name, ": accesses inside different axes")};
    }
    if (!local || !access.is_write) continue;
    for (const Statement& other : table.statements) {
      if (other.kernel != statement.kernel) continue;
      for (const Axis axis : axes_of(other, true)) {
        if (!is_thread_axis(axis) || wanted.contains(axis)) continue;
        return Conflict{access.site, item_site(other.items),
                        concat(name, ": its item has no loop over ", name_of(axis), ", which the kernel has")};
      }
    }
  }
  return std::nullopt;
}

/// The hidden subscripts of an access before, in terms of the loops after.
std::optional<std::vector<Index>> hidden_before(const AccessTable& table, const Access& access,
                                                const Reshaped& change) {
  const std::vector<std::uint32_t>& nest = change.nest.items;
  const std::vector<std::uint32_t>& items = table.statements[access.statement].items;
  const bool inside = nest.size() < items.size() && std::equal(nest.begin(), nest.end(), items.begin());
  std::vector<Index> out = hidden_subscripts(table, access);
  if (!inside) return out;
  Rewriter rewriter;
  rewriter.variables = change.was;
  for (Index& subscript : out) {
    auto next = rewrite(subscript, rewriter);
    if (!next) return std::nullopt;
    subscript = *std::move(next);
  }
  return out;
}

/// What subscripts show at once, in two programs that differ in scopes only: where two accesses touch one element in
/// the first program, the hidden subscripts that they have in the second are equal, too.
bool share_where(const AccessTable& table, const AccessTable& other, std::size_t first, std::size_t second) {
  const Access& a = table.accesses[first];
  const Access& b = table.accesses[second];
  const Statement& one = table.statements[a.statement];
  const Statement& two = table.statements[b.statement];
  const Coincidence meet = coincide(table, a, b, pair_loops(one, two, 0));
  if (meet.impossible) return true;
  const auto position = [](const Statement& statement, const Index& index) -> std::optional<std::size_t> {
    const auto at = std::find_if(statement.loops.begin(), statement.loops.end(),
                                 [&](const Loop* loop) { return index == Index::variable(loop->index); });
    if (at == statement.loops.end()) return std::nullopt;
    return static_cast<std::size_t>(at - statement.loops.begin());
  };
  const std::vector<Index> x = hidden_subscripts(other, other.accesses[first]);
  const std::vector<Index> y = hidden_subscripts(other, other.accesses[second]);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const Index& p, const Index& q) {
    if (p.is_constant() || q.is_constant()) return p == q;
    const auto i = position(one, p);
    const auto j = position(two, q);
    return i && j && std::any_of(meet.pairs.begin(), meet.pairs.end(), [&](const LoopPair& pair) {
             return pair.equal && pair.first == *i && pair.second == *j;
           });
  });
}

/// Pairs of instances that shared an element before and do not after, or the other way round.
class SharingQuestion {
 public:
  SharingQuestion(View& before, View& after, const Reshaped& change)
      : before_(before), after_(after), change_(change) {}

  bool may_change(std::size_t first, std::size_t second) {
    IntegerSet set;
    const auto a = add_side(set, first);
    const auto b = a ? add_side(set, second) : std::nullopt;
    if (!b || a->old.size() != b->old.size() || a->now.size() != b->now.size()) return true;
    set.dimensions = set.variables();
    for (std::size_t i = a->now.size(); i < a->instance.subscripts.size(); ++i) {
      set.require(equals(a->instance.subscripts[i], b->instance.subscripts[i]));
    }
    return has_point(set, {*a, a->old}, {*b, b->old}, a->now, b->now) ||
           has_point(set, {*a, a->now}, {*b, b->now}, a->old, b->old);
  }

 private:
  struct Side {
    Instance instance;
    VariableNumbers names;
    std::vector<Index> old;  ///< hidden subscripts
    std::vector<Index> now;
  };
  struct Hidden {
    const Side& side;
    const std::vector<Index>& subscripts;
  };

  std::optional<Side> add_side(IntegerSet& set, std::size_t number) {
    const Access& access = after_.table().accesses[number];
    auto old = hidden_before(before_.table(), before_.table().accesses[number], change_);
    auto instance = old ? add_instance(set, after_.table(), after_.facts(), access, true) : std::nullopt;
    if (!instance) return std::nullopt;
    Side side{*std::move(instance), {}, *std::move(old), hidden_subscripts(after_.table(), access)};
    const Statement& statement = after_.table().statements[access.statement];
    for (std::size_t i = 0; i < statement.loops.size(); ++i) {
      side.names[statement.loops[i]->index] = side.instance.variables[i];
    }
    return side;
  }

  /// Is there a point where all of the first are equal and one of the others differs?
  bool has_point(IntegerSet set, const Hidden& a, const Hidden& b, const std::vector<Index>& differ_a,
                 const std::vector<Index>& differ_b) {
    for (std::size_t i = 0; i < a.subscripts.size(); ++i) {
      const auto x = set.linear(a.subscripts[i], a.side.names);
      const auto y = set.linear(b.subscripts[i], b.side.names);
      if (!x || !y) return true;
      set.require(equals(*x, *y));
    }
    for (std::size_t i = 0; i < differ_a.size(); ++i) {
      if (is_implied(a.subscripts, b.subscripts, differ_a[i], differ_b[i])) continue;
      IntegerSet one = set;
      const auto x = one.linear(differ_a[i], a.side.names);
      const auto y = one.linear(differ_b[i], b.side.names);
      if (!x || !y) return true;
      one.require(Formula{{less(*x, *y)}, {less(*y, *x)}});
      if (after_.isl().least_point(one).kind != Presburger::Sample::Kind::empty) return true;
    }
    return false;
  }

  /// Most subscripts stay as they are: one that is among those known to be equal needs no question.
  static bool is_implied(const std::vector<Index>& a, const std::vector<Index>& b, const Index& x, const Index& y) {
    if (x.is_constant() && x == y) return true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] == x && b[i] == y) return true;
    }
    return false;
  }

  View& before_;
  View& after_;
  const Reshaped& change_;
};

/// Every element that an iteration of the nest's header reads, that iteration has written before.
bool makes_all(View& view, const PlacedNest& nest, const TensorFacts& tensor) {
  const AccessTable& table = view.table();
  // Where every write is an update, the first one reads what nobody has written.
  if (std::all_of(tensor.writes.begin(), tensor.writes.end(), [&](std::size_t number) {
        return table.statements[table.accesses[number].statement].accumulates.has_value();
      })) {
    return false;
  }
  const std::size_t header = loops_around(nest) + nest.nest->loops.size();
  const auto below = [&](std::size_t number) {
    const std::vector<std::uint32_t>& items = table.statements[table.accesses[number].statement].items;
    return nest.items.size() < items.size() && std::equal(nest.items.begin(), nest.items.end(), items.begin());
  };
  const std::vector<std::size_t> all = accesses_of(tensor);
  if (!std::all_of(all.begin(), all.end(), below)) return false;
  return std::all_of(tensor.reads.begin(), tensor.reads.end(), [&](std::size_t number) {
    const Access& read = table.accesses[number];
    IntegerSet whole;
    const auto reading = add_instance(whole, table, view.facts(), read, true);
    if (!reading) return false;
    whole.dimensions = whole.variables();
    std::vector<IntegerSet> parts;
    for (const std::size_t other : tensor.writes) {
      const Access& write = table.accesses[other];
      IntegerSet part;
      const auto a = add_instance(part, table, view.facts(), read, true);
      part.dimensions = part.variables();
      const auto b = add_instance(part, table, view.facts(), write, true);
      if (!a || !b || !b->certain) continue;
      require_same_element(part, *a, *b);
      for (std::size_t i = 0; i < header; ++i) {
        part.require(equals(Linear::variable(a->variables[i]), Linear::variable(b->variables[i])));
      }
      part.require(runs_before(table, write, *b, read, *a));
      parts.push_back(std::move(part));
    }
    return view.isl().covered(whole, parts).kind == Presburger::Answer::Kind::covered;
  });
}

bool is_private(View& view, const PlacedNest& nest, const std::string& name) {
  return view.memos().private_data.get({nest.nest, name},
                                       [&] { return makes_all(view, nest, view.table().tensors.at(name)); });
}

/// Some write and some other access share an element before and not after, or the other way round.
std::optional<Conflict> pairs_conflict(View& before, View& after, const Reshaped& change, const std::string& name) {
  const TensorFacts& tensor = before.table().tensors.at(name);
  SharingQuestion question(before, after, change);
  for (const std::size_t write : tensor.writes) {
    for (const std::size_t other : accesses_of(tensor)) {
      if (!question.may_change(write, other)) continue;
      const Scope scope = after.table().tensors.at(name).scope;
      return Conflict{before.table().accesses[write].site, before.table().accesses[other].site,
                      concat(name, " in ", code(scope), ": accesses would share other elements than before")};
    }
  }
  return std::nullopt;
}

std::optional<Conflict> sharing_conflict(View& before, View& after, const Reshaped& change, const std::string& name) {
  const TensorFacts& tensor = before.table().tensors.at(name);
  const std::vector<std::size_t> all = accesses_of(tensor);
  const bool same = std::all_of(all.begin(), all.end(), [&](std::size_t number) {
    const auto old = hidden_before(before.table(), before.table().accesses[number], change);
    return old && *old == hidden_subscripts(after.table(), after.table().accesses[number]);
  });
  if (same) return std::nullopt;
  if (is_private(before, change.nest, name)) return race_conflict(before, after, change.nest.items[0]);
  return pairs_conflict(before, after, change, name);
}

}  // namespace

std::optional<Conflict> placement_conflict(View& view) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    if (blocks_stand_well(*view.program().nests[i])) continue;
    return Conflict{item_site({i}), item_site({i}), "a block loop would not enclose all items of its kernel"};
  }
  for (const auto& [name, tensor] : view.table().tensors) {
    if (tensor.scope == Scope::global || tensor.writes.empty() || tensor.demoted) continue;
    if (auto conflict = axes_conflict(view.table(), name, tensor, tensor.scope)) return conflict;
  }
  return std::nullopt;
}

bool blocks_stand_well(const Nest& expression) { return blocks_stand_well(expression, false, true); }

std::optional<Conflict> placement_conflict(View& view, const std::string& tensor) {
  return placement_conflict(view, tensor, view.table().tensors.at(tensor).scope);
}

std::optional<Conflict> placement_conflict(View& view, const std::string& tensor, Scope scope) {
  if (scope == Scope::global) return std::nullopt;
  const TensorFacts& facts = view.table().tensors.at(tensor);
  const Access& first = view.table().accesses[accesses_of(facts)[0]];
  if (facts.kernels.size() > 1) {
    return Conflict{first.site, first.site, concat(tensor, ": several kernels touch it")};
  }
  const std::uint32_t expression = view.table().statements[first.statement].items[0];
  if (!blocks_stand_well(*view.program().nests[expression])) {
    return Conflict{first.site, first.site, "a block loop would not enclose all items of its kernel"};
  }
  return axes_conflict(view.table(), tensor, facts, scope);
}

std::optional<Conflict> ownership_conflict(View& before, View& after, const std::string& tensor) {
  const TensorFacts& facts = before.table().tensors.at(tensor);
  const std::vector<std::size_t> all = accesses_of(facts);
  const auto shared_alike = [&](std::size_t write) {
    return std::all_of(all.begin(), all.end(), [&](std::size_t other) {
      return share_where(before.table(), after.table(), write, other) &&
             share_where(after.table(), before.table(), write, other);
    });
  };
  if (std::all_of(facts.writes.begin(), facts.writes.end(), shared_alike)) return std::nullopt;
  // No index is replaced, so that any nest will do.
  return pairs_conflict(before, after, {before.nests()[0], {}}, tensor);
}

std::optional<Conflict> scope_conflict(View& before, View& after, const Reshaped& change) {
  for (std::uint32_t i = 0; i < after.program().nests.size(); ++i) {
    const bool same = i < before.program().nests.size() && after.program().nests[i] == before.program().nests[i];
    if (same || blocks_stand_well(*after.program().nests[i])) continue;
    const Site place = item_site({change.nest.items[0]});
    return Conflict{place, place, "a block loop would not enclose all items of its kernel"};
  }
  if (!before.has_scoped_data()) return std::nullopt;
  for (const auto& [name, tensor] : before.table().tensors) {
    if (tensor.scope == Scope::global || tensor.writes.empty()) continue;
    const TensorFacts& now = after.table().tensors.at(name);
    // Accesses are compared by their numbers: a step that changes their order has to make them neighbours first.
    if (accesses_of(now) != accesses_of(tensor)) {
      const Site& place = before.table().accesses[tensor.writes[0]].site;
      return Conflict{place, place, concat(name, ": its accesses would stand in another order")};
    }
    const Access& write = before.table().accesses[tensor.writes[0]];
    if (now.demoted != tensor.demoted) {
      return Conflict{write.site, write.site, concat(name, " in ", code(tensor.scope), ": kernels would change")};
    }
    if (tensor.demoted) continue;
    if (auto conflict = axes_conflict(after.table(), name, now, now.scope)) return conflict;
    if (auto conflict = sharing_conflict(before, after, change, name)) return conflict;
  }
  return std::nullopt;
}

}  // namespace steptp
