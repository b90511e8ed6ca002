// Data in `s` and `l`: who shares it, and whether it can live there.
#include <algorithm>
#include <set>
#include <utility>

#include "steptp/analysis/instances.h"
#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"

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
std::optional<Conflict> axes_conflict(const AccessTable& table, const std::string& name, const TensorFacts& tensor) {
  const bool local = tensor.scope == Scope::local;
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
                                                const IndexValues& was) {
  Rewriter rewriter;
  rewriter.variables = was;
  std::vector<Index> out;
  for (const Index& subscript : hidden_subscripts(table, access)) {
    auto next = rewrite(subscript, rewriter);
    if (!next) return std::nullopt;
    out.push_back(*std::move(next));
  }
  return out;
}

/// Pairs of instances that shared an element before and do not after, or the other way round.
class SharingQuestion {
 public:
  SharingQuestion(View& before, View& after, const IndexValues& was) : before_(before), after_(after), was_(was) {}

  bool may_change(std::size_t first, std::size_t second) {
    IntegerSet set;
    const auto a = add_side(set, first);
    const auto b = a ? add_side(set, second) : std::nullopt;
    if (!b) return true;
    set.dimensions = set.variables();
    for (std::size_t i = a->hidden; i < a->instance.subscripts.size(); ++i) {
      set.require(equals(a->instance.subscripts[i], b->instance.subscripts[i - a->hidden + b->hidden]));
    }
    return has_point(set, a->old, b->old, new_hidden(*a), new_hidden(*b)) ||
           has_point(set, new_hidden(*a), new_hidden(*b), a->old, b->old);
  }

 private:
  struct Side {
    Instance instance;
    std::size_t hidden = 0;
    std::vector<Linear> old;
  };

  [[nodiscard]] static std::vector<Linear> new_hidden(const Side& side) {
    return {side.instance.subscripts.begin(),
            side.instance.subscripts.begin() + static_cast<std::ptrdiff_t>(side.hidden)};
  }

  std::optional<Side> add_side(IntegerSet& set, std::size_t number) {
    const Access& access = after_.table().accesses[number];
    const auto old = hidden_before(before_.table(), before_.table().accesses[number], was_);
    auto instance = old ? add_instance(set, after_.table(), after_.facts(), access, true) : std::nullopt;
    if (!instance) return std::nullopt;
    Side side;
    side.hidden = hidden_subscripts(after_.table(), access).size();
    VariableNumbers names;
    const Statement& statement = after_.table().statements[access.statement];
    for (std::size_t i = 0; i < statement.loops.size(); ++i) names[statement.loops[i]->index] = instance->variables[i];
    for (const Index& subscript : *old) {
      auto sum = set.linear(subscript, names);
      if (!sum) return std::nullopt;
      side.old.push_back(*std::move(sum));
    }
    side.instance = *std::move(instance);
    return side;
  }

  /// Is there a point where all of the first are equal and some of the second differ? Where the numbers of subscripts
  /// do not agree, the sides never share.
  bool has_point(IntegerSet set, const std::vector<Linear>& equal_a, const std::vector<Linear>& equal_b,
                 const std::vector<Linear>& differ_a, const std::vector<Linear>& differ_b) {
    if (equal_a.size() != equal_b.size()) return false;
    for (std::size_t i = 0; i < equal_a.size(); ++i) set.require(equals(equal_a[i], equal_b[i]));
    if (differ_a.size() == differ_b.size()) {
      Formula some;
      for (std::size_t i = 0; i < differ_a.size(); ++i) {
        some.push_back({less(differ_a[i], differ_b[i])});
        some.push_back({less(differ_b[i], differ_a[i])});
      }
      set.require(std::move(some));
    }
    return after_.isl().least_point(set).kind != Presburger::Sample::Kind::empty;
  }

  View& before_;
  View& after_;
  const IndexValues& was_;
};

std::optional<Conflict> sharing_conflict(View& before, View& after, const Reshaped& change, const std::string& name) {
  const TensorFacts& tensor = before.table().tensors.at(name);
  const std::vector<std::size_t> all = accesses_of(tensor);
  const bool same = std::all_of(all.begin(), all.end(), [&](std::size_t number) {
    const auto old = hidden_before(before.table(), before.table().accesses[number], change.was);
    return old && *old == hidden_subscripts(after.table(), after.table().accesses[number]);
  });
  if (same) return std::nullopt;
  SharingQuestion question(before, after, change.was);
  for (const std::size_t write : tensor.writes) {
    for (const std::size_t other : all) {
      if (!question.may_change(write, other)) continue;
      return Conflict{before.table().accesses[write].site, before.table().accesses[other].site,
                      concat(name, " in ", code(tensor.scope), ": accesses would share other elements than before")};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Conflict> scope_conflict(View& before, View& after, const Reshaped& change) {
  if (!blocks_stand_well(*after.program().nests[change.expression], false, true)) {
    const Site place = item_site({change.expression});
    return Conflict{place, place, "a block loop would not enclose all items of its kernel"};
  }
  for (const auto& [name, tensor] : before.table().tensors) {
    if (tensor.scope == Scope::global || tensor.writes.empty()) continue;
    const TensorFacts& now = after.table().tensors.at(name);
    const Access& write = before.table().accesses[tensor.writes[0]];
    if (now.demoted != tensor.demoted) {
      return Conflict{write.site, write.site, concat(name, " in ", code(tensor.scope), ": kernels would change")};
    }
    if (tensor.demoted || before.table().statements[write.statement].items[0] != change.expression) continue;
    if (auto conflict = axes_conflict(after.table(), name, now)) return conflict;
    if (auto conflict = sharing_conflict(before, after, change, name)) return conflict;
  }
  return std::nullopt;
}

}  // namespace steptp
