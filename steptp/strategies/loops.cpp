#include "steptp/strategies/loops.h"

#include <algorithm>
#include <set>
#include <utility>

#include "steptp/analysis/device.h"
#include "steptp/analysis/index_map.h"
#include "steptp/base/text.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

bool has_quotient(const Index& index) {
  for (const IndexTerm& term : index.terms()) {
    for (const IndexAtom& factor : term.factors) {
      if (std::holds_alternative<FloorQuotient>(factor) || std::holds_alternative<FloorRemainder>(factor)) return true;
    }
  }
  return false;
}

/// Conditions stay short: sides that calculate with the new indices are put together like subscripts.
ExprPtr short_comparison(const ExprPtr& expr, const std::set<std::string>& fresh, const std::vector<BoxVariable>& box) {
  const auto* compare = std::get_if<Compare>(&expr->node);
  if (!compare) return expr;
  std::vector<ExprPtr> operands;
  for (const ExprPtr& operand : compare->operands) {
    const auto index = to_index(*operand);
    bool calculates = false;
    if (index) {
      for_each_variable(*index, [&](const std::string& name) { calculates = calculates || fresh.contains(name); });
    }
    operands.push_back(calculates ? to_expr(has_quotient(*index) ? simplified(*index, box) : *index) : operand);
  }
  return with_children(expr, operands);
}

}  // namespace

Result<PlacedLoop, Refusal> find_loop(View& view, const Site& site) {
  const PlacedNest* nest = view.find_nest(site.items);
  if (!nest || site.part != Site::Part::loop || !site.number) {
    return Refusal{&kPlace, site, "there is no loop at this address", {}};
  }
  if (*site.number >= nest->nest->loops.size()) {
    return Refusal{&kPlace,
                   site,
                   concat("the nest has ", nest->nest->loops.size(), " loops, counted from 0"),
                   {{"loops", static_cast<std::int64_t>(nest->nest->loops.size())}}};
  }
  return PlacedLoop{nest, *site.number};
}

Result<const PlacedNest*, Refusal> nest_at(View& view, const Site& site) {
  const PlacedNest* nest = site.part == Site::Part::item ? view.find_nest(site.items) : nullptr;
  if (!nest) return Refusal{&kPlace, site, "there is no nest at this address", {}};
  return nest;
}

Result<const Statement*, Refusal> equation_at(View& view, const Site& site) {
  const Statement* statement = site.part == Site::Part::item ? view.find_statement(site.items) : nullptr;
  if (!statement) return Refusal{&kPlace, site, "there is no equation at this address", {}};
  return statement;
}

Result<std::uint32_t, Refusal> expression_at(View& view, const Site& site) {
  if (site.part != Site::Part::item || site.items.size() != 1 || site.items[0] >= view.program().nests.size()) {
    return Refusal{&kPlace, site, "there is no expression at this address", {}};
  }
  return site.items[0];
}

std::vector<PlacedLoop> all_loops(View& view) {
  std::vector<PlacedLoop> out;
  for (const PlacedNest& nest : view.nests()) {
    for (std::size_t i = 0; i < nest.nest->loops.size(); ++i) out.push_back({&nest, i});
  }
  return out;
}

std::size_t loops_around(const PlacedNest& nest) {
  std::size_t count = 0;
  for (const Nest* outer : nest.around) count += outer->loops.size();
  return count;
}

std::vector<std::size_t> statements_below(View& view, const PlacedNest& nest) {
  std::vector<std::size_t> out;
  const std::vector<Statement>& statements = view.table().statements;
  const auto before = [](const Statement& statement, const std::vector<std::uint32_t>& wanted) {
    return statement.items < wanted;
  };
  auto at = std::lower_bound(statements.begin(), statements.end(), nest.items, before);
  for (; at != statements.end(); ++at) {
    const std::vector<std::uint32_t>& items = at->items;
    if (nest.items.size() >= items.size() || !std::equal(nest.items.begin(), nest.items.end(), items.begin())) break;
    out.push_back(static_cast<std::size_t>(at - statements.begin()));
  }
  return out;
}

std::span<const Access> accesses_below(View& view, const PlacedNest& nest) {
  const std::vector<std::size_t> below = statements_below(view, nest);
  if (below.empty()) return {};
  const std::vector<Access>& all = view.table().accesses;
  // Both stand in the order of the text.
  const auto first_of = [&all](std::size_t statement) {
    return std::lower_bound(all.begin(), all.end(), statement,
                            [](const Access& access, std::size_t wanted) { return access.statement < wanted; });
  };
  return {first_of(below.front()), first_of(below.back() + 1)};
}

Program with_kind(const Program& program, const PlacedLoop& at, LoopKind kind) {
  const Nest& nest = *at.nest->nest;
  std::vector<Loop> loops = nest.loops;
  loops[at.position].kind = kind;
  return with_items(program, at.nest->items, {stands_for(make_nest(std::move(loops), nest.guard, nest.items), nest)});
}

std::optional<Reindexed> reindexed(const PlacedNest& nest, const std::vector<Loop>& loops, Rewriter rewriter) {
  std::vector<BoxVariable> box;
  for (const Nest* outer : nest.around) {
    for (const Loop& loop : outer->loops) box.push_back({loop.index, loop.extent});
  }
  for (const Loop& loop : loops) box.push_back({loop.index, loop.extent});
  rewriter.ref = [&box](const RefPtr& ref) {
    if (std::none_of(ref->subscripts.begin(), ref->subscripts.end(), has_quotient)) return ref;
    std::vector<Index> subscripts;
    for (const Index& subscript : ref->subscripts) {
      subscripts.push_back(has_quotient(subscript) ? simplified(subscript, box) : subscript);
    }
    return make_ref(ref->tensor, ref->dtype, ref->scope, std::move(subscripts));
  };
  std::set<std::string> fresh;
  for (const auto& [name, value] : rewriter.variables) {
    for_each_variable(value, [&fresh](const std::string& other) { fresh.insert(other); });
  }
  rewriter.expr = [&](const ExprPtr& expr) { return short_comparison(expr, fresh, box); };
  Reindexed out;
  auto items = rewrite(nest.nest->items, rewriter);
  if (!items) return std::nullopt;
  out.items = *std::move(items);
  if (nest.nest->guard) {
    out.guard = rewrite(nest.nest->guard, rewriter);
    if (!out.guard) return std::nullopt;
  }
  return out;
}

BoxLoops loops_over(const std::vector<std::int64_t>& extents) {
  BoxLoops out;
  NameSource names(index_name);
  const std::int64_t limit = default_device().block[0];
  bool bound = false;
  for (const std::int64_t extent : extents) {
    const bool threads = !bound && extent <= limit;
    bound = bound || threads;
    const Loop loop{threads ? LoopKind::bound : LoopKind::serial, extent, threads ? "tx" : names.next()};
    out.loops.insert(threads ? out.loops.begin() : out.loops.end(), loop);
    out.indices.push_back(Index::variable(loop.index));
  }
  if (out.loops.empty()) out.loops.push_back({LoopKind::bound, 1, "tx"});
  return out;
}

Refusal refuse_overflow(const Site& place) {
  return {&kSubscriptsFit, place, "a subscript would not fit in 64 bits", {}};
}

}  // namespace steptp
