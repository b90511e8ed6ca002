// The order of execution. A step that changes loops is legal if no two accesses to one element, one of them a write,
// change their order. Pairs of accesses are looked at one by one: coincidence.h decides most of them without a
// solver, isl the others. Two updates of one accumulator by the same operator may change places. Everything that
// cannot be decided is a conflict, so the step is refused. Decision 0016.
#include "steptp/strategies/legality.h"

#include <algorithm>
#include <utility>

#include "steptp/analysis/coincidence.h"
#include "steptp/analysis/instances.h"
#include "steptp/analysis/regions.h"
#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"

namespace steptp {

namespace {

bool is_below(const std::vector<std::uint32_t>& nest, const Statement& statement) {
  return nest.size() < statement.items.size() && std::equal(nest.begin(), nest.end(), statement.items.begin());
}

/// Two updates by the same operator, in one equation or in two, may change places.
bool may_commute(const AccessTable& table, const Access& first, const Access& second) {
  const Statement& a = table.statements[first.statement];
  const Statement& b = table.statements[second.statement];
  const auto updates = [](const Access& access) { return access.is_write || access.is_accumulator; };
  return updates(first) && updates(second) && a.accumulates == b.accumulates && is_free_accumulation(a) &&
         is_free_accumulation(b);
}

/// Calls `visit(write, other)` for all pairs of accesses below a nest to a tensor that is written there, each once; an
/// access is paired with itself too. Stops where `visit` answers true, and says so.
template <typename Visit>
bool any_pair(View& view, const PlacedNest& nest, const Visit& visit) {
  const AccessTable& table = view.table();
  const auto below = [&](const std::vector<std::size_t>& numbers) {
    std::vector<const Access*> chosen;
    for (const std::size_t number : numbers) {
      const Access& access = table.accesses[number];
      if (is_below(nest.items, table.statements[access.statement])) chosen.push_back(&access);
    }
    return chosen;
  };
  for (const LocalAccesses& tensor : view.touched(nest.items[0])) {
    if (tensor.writes.empty()) continue;
    const std::vector<const Access*> writes = below(tensor.writes);
    if (writes.empty()) continue;
    const std::vector<const Access*> reads = below(tensor.reads);
    for (std::size_t i = 0; i < writes.size(); ++i) {
      for (std::size_t j = i; j < writes.size(); ++j) {
        if (visit(*writes[i], *writes[j])) return true;
      }
      for (const Access* read : reads) {
        if (visit(*writes[i], *read)) return true;
      }
    }
  }
  return false;
}

Conflict conflict_of(const Access& first, const Access& second, std::string_view why) {
  return {first.site, second.site, concat(first.ref->tensor, ": ", why)};
}

bool uses_variable(const std::vector<Index>& subscripts, const std::string& name) {
  bool found = false;
  for (const Index& subscript : subscripts) {
    for_each_variable(subscript, [&](const std::string& other) { found = found || other == name; });
  }
  return found;
}

bool is_at(const std::vector<std::uint32_t>& item, const Statement& statement) {
  return item.size() <= statement.items.size() && std::equal(item.begin(), item.end(), statement.items.begin());
}

/// The first pair of an access at one item and one at another, to one tensor that one of them writes, that may not
/// change places and is not safe.
template <typename IsSafe>
std::optional<Conflict> split_conflict(View& view, const std::vector<std::uint32_t>& first,
                                       const std::vector<std::uint32_t>& second, const IsSafe& is_safe) {
  const AccessTable& table = view.table();
  const auto in = [&](const std::vector<std::uint32_t>& item, std::size_t number) {
    return is_at(item, table.statements[table.accesses[number].statement]);
  };
  // Both lists are in the order of names, and may be the same.
  const std::vector<LocalAccesses>& others = view.touched(second[0]);
  auto other = others.begin();
  for (const LocalAccesses& one : view.touched(first[0])) {
    while (other != others.end() && *other->tensor < *one.tensor) ++other;
    if (other == others.end() || *other->tensor != *one.tensor) continue;
    if (one.writes.empty() && other->writes.empty()) continue;
    const auto chosen = [&](const std::vector<std::uint32_t>& item, const LocalAccesses& tensor) {
      std::vector<const Access*> out;
      for (const auto* list : {&tensor.writes, &tensor.reads}) {
        for (const std::size_t number : *list) {
          if (in(item, number)) out.push_back(&table.accesses[number]);
        }
      }
      return out;
    };
    const std::vector<const Access*> behind = chosen(second, *other);
    for (const Access* a : chosen(first, one)) {
      for (const Access* b : behind) {
        if ((!a->is_write && !b->is_write) || may_commute(table, *a, *b)) continue;
        if (!is_safe(*a, *b)) return conflict_of(*a, *b, "both touch one element, and one of them writes it");
      }
    }
  }
  return std::nullopt;
}

/// Both instances in a set: they touch one element, and the loops known to be in the same iteration are.
struct Meeting {
  IntegerSet set;
  std::optional<Instance> first;
  std::optional<Instance> second;

  Meeting(View& view, const Access& a, const Access& b, const std::vector<LoopPair>& pairs) {
    first = add_instance(set, view.table(), view.facts(), a, true);
    if (first) second = add_instance(set, view.table(), view.facts(), b, true);
    set.dimensions = set.variables();
    if (!second) return;
    require_same_element(set, *first, *second);
    for (const LoopPair& pair : pairs) {
      if (pair.equal) set.require(equals(at(*first, pair.first), at(*second, pair.second)));
    }
  }
  [[nodiscard]] bool good() const { return first && second; }
  [[nodiscard]] static Linear at(const Instance& instance, std::size_t loop) {
    return Linear::variable(instance.variables[loop]);
  }
};

/// A loop around both, of several iterations, that neither follows.
bool is_free(const AccessTable& table, const Access& a, const Access& b, std::size_t loop) {
  const Loop& shared = *table.statements[a.statement].loops[loop];
  return shared.extent > 1 && !uses_variable(full_subscripts(table, a), shared.index) &&
         !uses_variable(full_subscripts(table, b), shared.index);
}

bool is_empty(View& view, const IntegerSet& set) {
  return view.isl().least_point(set).kind == Presburger::Sample::Kind::empty;
}

/// Instance a comes before b in loops `order` (positions), as an "or" of "and"s.
Formula earlier(const Instance& a, const Instance& b, const std::vector<std::size_t>& order) {
  Formula cases;
  Clause same;
  for (const std::size_t loop : order) {
    cases.push_back(same);
    cases.back().push_back(less(Meeting::at(a, loop), Meeting::at(b, loop)));
    same.push_back(equals(Meeting::at(a, loop), Meeting::at(b, loop)));
  }
  return cases;
}

}  // namespace

Refusal refuse(const Precondition& precondition, const Site& place, const Conflict& conflict) {
  Values values;
  values.emplace_back("first", to_text(conflict.first));
  values.emplace_back("second", to_text(conflict.second));
  std::string message = concat(conflict.why, " (", to_text(conflict.first), " and ", to_text(conflict.second), ")");
  return {&precondition, place, std::move(message), std::move(values)};
}

bool is_free_accumulation(const Statement& statement) {
  if (!statement.accumulates) return false;
  const DType target = statement.equation->left->dtype;
  if (is_float(target)) return true;
  bool exact = true;
  const std::function<void(const Expr&)> look = [&](const Expr& expr) {
    if (const auto* read = std::get_if<Read>(&expr.node)) exact = exact && read->ref->dtype == target;
    if (const auto* call = std::get_if<Call>(&expr.node)) exact = exact && call->function == Function::negate;
    if (const auto* literal = std::get_if<Literal>(&expr.node)) {
      exact = exact && literal->is_integer && target != DType::boolean;
    }
    if (std::holds_alternative<IndexValue>(expr.node)) exact = exact && target != DType::boolean;
    if (std::holds_alternative<Infinity>(expr.node) || std::holds_alternative<Power>(expr.node)) exact = false;
    if (const auto* product = std::get_if<Product>(&expr.node)) {
      for (const ArithmeticOp op : product->operators) exact = exact && op != ArithmeticOp::divide;
    }
    if (std::holds_alternative<Select>(expr.node)) {
      look(*child(expr, 1));
      look(*child(expr, 2));
      return;  // the type of a condition does not reach the value
    }
    for (std::size_t i = 0; i < child_count(expr); ++i) look(*child(expr, i));
  };
  look(*statement.equation->right);
  return exact;
}

namespace {

/// Wherever accesses to one element may not change places, they differ in one loop of the header at most, which decides
/// their order in any order of the loops.
bool find_permutable(View& view, const PlacedNest& nest) {
  const std::size_t base = loops_around(nest);
  const AccessTable& table = view.table();
  return !any_pair(view, nest, [&](const Access& a, const Access& b) {
    if (may_commute(table, a, b)) return false;
    const Statement& first = table.statements[a.statement];
    const Coincidence meet = coincide(table, a, b, pair_loops(first, table.statements[b.statement], base));
    if (meet.impossible) return false;
    std::size_t differ = 0;
    for (std::size_t i = base; i < base + nest.nest->loops.size(); ++i) {
      if (!meet.pairs[i].equal && first.loops[i]->extent > 1) ++differ;
    }
    return differ > 1;
  });
}

bool is_permutable(View& view, const PlacedNest& nest) {
  return view.memos().permutable.get(nest.nest, [&] { return find_permutable(view, nest); });
}

}  // namespace

std::optional<Conflict> order_conflict(View& view, const PlacedNest& nest, const std::vector<std::size_t>& order) {
  if (is_permutable(view, nest)) return std::nullopt;
  std::size_t low = 0;
  std::size_t high = order.size();
  while (low < high && order[low] == low) ++low;
  while (high > low && order[high - 1] == high - 1) --high;
  if (low == high) return std::nullopt;
  const std::size_t base = loops_around(nest);
  std::vector<std::size_t> before;
  std::vector<std::size_t> after;
  for (std::size_t i = low; i < high; ++i) {
    before.push_back(base + i);
    after.push_back(base + order[i]);
  }
  const AccessTable& table = view.table();
  std::optional<Conflict> found;
  (void)any_pair(view, nest, [&](const Access& a, const Access& b) {
    if (may_commute(table, a, b)) return false;
    const Statement& first = table.statements[a.statement];
    const Statement& second = table.statements[b.statement];
    const Coincidence meet = coincide(table, a, b, pair_loops(first, second, base + low));
    if (meet.impossible) return false;
    const auto differ = std::count_if(before.begin(), before.end(), [&](std::size_t loop) {
      return !meet.pairs[loop].equal && first.loops[loop]->extent > 1;
    });
    if (differ < 2) return false;  // one loop decides the order in both
    const Meeting meeting(view, a, b, meet.pairs);
    bool safe = meeting.good();
    if (safe) {
      IntegerSet one = meeting.set;
      one.require(earlier(*meeting.first, *meeting.second, before));
      one.require(earlier(*meeting.second, *meeting.first, after));
      IntegerSet other = meeting.set;
      other.require(earlier(*meeting.second, *meeting.first, before));
      other.require(earlier(*meeting.first, *meeting.second, after));
      safe = is_empty(view, one) && is_empty(view, other);
    }
    if (!safe) found = conflict_of(a, b, "two accesses to one element would change their order");
    return !safe;
  });
  return found;
}

namespace {

std::optional<Conflict> find_carried_conflict(View& view, const PlacedNest& nest, std::size_t loop,
                                              bool free_reductions) {
  const std::size_t position = loops_around(nest) + loop;
  const AccessTable& table = view.table();
  std::optional<Conflict> found;
  (void)any_pair(view, nest, [&](const Access& a, const Access& b) {
    if (free_reductions && a.statement == b.statement && may_commute(table, a, b)) return false;
    const Statement& first = table.statements[a.statement];
    const Statement& second = table.statements[b.statement];
    if (first.loops[position]->extent == 1) return false;
    const Coincidence meet = coincide(table, a, b, pair_loops(first, second, position));
    if (meet.impossible || meet.pairs[position].equal) return false;
    // A write that does not follow the loop: no question, the common case of a reduction.
    bool safe = !(&a == &b || meet_at_origin(table, a, b)) || !is_free(table, a, b, position);
    if (safe) {
      Meeting meeting(view, a, b, meet.pairs);
      safe = meeting.good();
      if (safe) {
        const Linear x = Meeting::at(*meeting.first, position);
        const Linear y = Meeting::at(*meeting.second, position);
        meeting.set.require(Formula{{less(x, y)}, {less(y, x)}});
        safe = is_empty(view, meeting.set);
      }
    }
    if (!safe) {
      found = conflict_of(a, b, concat("iterations of ", first.loops[position]->index, " touch one element"));
    }
    return !safe;
  });
  return found;
}

}  // namespace

std::optional<Conflict> carried_conflict(View& view, const PlacedNest& nest, std::size_t loop, bool free_reductions) {
  return view.memos().carried.get({nest.nest, loop, free_reductions},
                                  [&] { return find_carried_conflict(view, nest, loop, free_reductions); });
}

bool is_flat_launch(View& view, const PlacedNest& nest) {
  return nest.around.empty() && !view.has_scoped_data() &&
         std::all_of(nest.nest->items.begin(), nest.nest->items.end(),
                     [](const Item& item) { return std::holds_alternative<EquationPtr>(item); });
}

bool iterations_stay_apart(View& view, const PlacedNest& nest, std::size_t loop) {
  return view.memos().apart.get({nest.nest, loop}, [&] {
    const std::size_t position = loops_around(nest) + loop;
    const AccessTable& table = view.table();
    return !any_pair(view, nest, [&](const Access& a, const Access& b) {
      const Statement& first = table.statements[a.statement];
      const Statement& second = table.statements[b.statement];
      const Coincidence meet = coincide(table, a, b, pair_loops(first, second, 0));
      return !meet.impossible && !meet.pairs[position].equal;
    });
  });
}

std::optional<Conflict> exchange_conflict(View& view, const std::vector<std::uint32_t>& first,
                                          const std::vector<std::uint32_t>& second) {
  return split_conflict(view, first, second, [&](const Access& a, const Access& b) {
    const AccessTable& table = view.table();
    const Statement& one = table.statements[a.statement];
    const Statement& other = table.statements[b.statement];
    const std::size_t shared = relate(one, other).shared_loops;
    const Coincidence meet = coincide(table, a, b, pair_loops(one, other, shared));
    if (meet.impossible) return true;
    if (meet_at_origin(table, a, b)) return false;
    const Meeting meeting(view, a, b, meet.pairs);
    return meeting.good() && is_empty(view, meeting.set);
  });
}

std::optional<Conflict> distribution_conflict(View& view, const PlacedNest& nest, std::size_t cut) {
  const std::size_t base = loops_around(nest);
  std::vector<std::size_t> header;
  for (std::size_t i = 0; i < nest.nest->loops.size(); ++i) header.push_back(base + i);
  const auto is_safe = [&](const Access& a, const Access& b) {
    const AccessTable& table = view.table();
    const Statement& one = table.statements[a.statement];
    const Statement& other = table.statements[b.statement];
    const Coincidence meet = coincide(table, a, b, pair_loops(one, other, base));
    const bool same = std::all_of(header.begin(), header.end(), [&](std::size_t loop) {
      return meet.pairs[loop].equal || one.loops[loop]->extent == 1;
    });
    if (meet.impossible || same) return true;
    if (meet_at_origin(table, a, b) &&
        std::any_of(header.begin(), header.end(), [&](std::size_t loop) { return is_free(table, a, b, loop); })) {
      return false;  // the second in its first iteration, the first in the next one of that loop
    }
    Meeting meeting(view, a, b, meet.pairs);
    if (!meeting.good()) return false;
    meeting.set.require(earlier(*meeting.second, *meeting.first, header));
    return is_empty(view, meeting.set);
  };
  std::vector<std::uint32_t> first = nest.items;
  first.push_back(0);
  for (std::uint32_t i = 0; i < cut; ++i) {
    for (auto j = static_cast<std::uint32_t>(cut); j < nest.nest->items.size(); ++j) {
      if (auto conflict = split_conflict(view, sibling(first, i), sibling(first, j), is_safe)) return conflict;
    }
  }
  return std::nullopt;
}

}  // namespace steptp
