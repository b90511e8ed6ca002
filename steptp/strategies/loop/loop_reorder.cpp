/// loop_reorder: two loops of a header exchange their places.
///   L^{6}_{a=0}L^{4}_{c=0}[S(a,c)]   -->   L^{4}_{c=0}L^{6}_{a=0}[S(a,c)]
/// Safe because no two iterations that touch one element, one of them writing, change their order; updates by one
/// operator of an accumulation may, up to rounding.
#include <algorithm>
#include <numeric>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"with", Parameter::Kind::integer, "the position of the other loop in the header, further in"},
};
constexpr Precondition kPublished[] = {
    {Check::loop_axis_count, "axes", "the header has both loops"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "order", "accesses to one element, one of them a write, keep their order"},
    {Check::order, "innermost", "a V loop stays innermost"},
    {Check::scope, "scopes", "data in s and l is shared by the same accesses as before"},
    {Check::order, "races", "iterations that may run at the same time touch different elements"},
};
constexpr const Precondition& kAxes = kPublished[0];
constexpr const Precondition& kOrder = kSafety[0];
constexpr const Precondition& kInnermost = kSafety[1];
constexpr const Precondition& kScopes = kSafety[2];
constexpr const Precondition& kRaces = kSafety[3];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::range_adjustments};

struct Exchange {
  PlacedLoop outer;
  std::size_t inner = 0;
};

Program build(View& view, const Exchange& exchange) {
  const Nest& nest = *exchange.outer.nest->nest;
  std::vector<Loop> loops = nest.loops;
  std::swap(loops[exchange.outer.position], loops[exchange.inner]);
  return with_items(view.program(), exchange.outer.nest->items,
                    {stands_for(make_nest(std::move(loops), nest.guard, nest.items), nest)});
}

/// Moving loops that all run one after the other changes neither who shares data nor what runs at the same time.
bool moves_concurrent_loops(const Exchange& exchange) {
  const std::vector<Loop>& loops = exchange.outer.nest->nest->loops;
  for (std::size_t i = exchange.outer.position; i <= exchange.inner; ++i) {
    if (loops[i].kind != LoopKind::serial && loops[i].kind != LoopKind::unrolled) return true;
  }
  return false;
}

/// Iterations that may run at the same time have nothing in common, in whatever order the loops stand.
bool stays_apart(View& view, const PlacedNest& nest) {
  if (!is_flat_launch(view, nest)) return false;
  for (std::size_t i = 0; i < nest.nest->loops.size(); ++i) {
    const LoopKind kind = nest.nest->loops[i].kind;
    const bool concurrent = kind != LoopKind::serial && kind != LoopKind::unrolled;
    if (concurrent && !iterations_stay_apart(view, nest, i)) return false;
  }
  return true;
}

Result<Exchange, Refusal> plan(View& view, const PlacedLoop& outer, std::int64_t with) {
  const std::vector<Loop>& loops = outer.nest->nest->loops;
  if (with <= static_cast<std::int64_t>(outer.position) || with >= static_cast<std::int64_t>(loops.size())) {
    return Refusal{&kAxes,
                   outer.site(),
                   concat("a header of ", loops.size(), " loops has no loop ", with, " further in"),
                   {{"loops", static_cast<std::int64_t>(loops.size())}, {"with", with}}};
  }
  const Exchange exchange{outer, static_cast<std::size_t>(with)};
  if (loops[exchange.inner].kind == LoopKind::vectorized) {
    return Refusal{&kInnermost, outer.site(), concat(loops[exchange.inner].index, " is a V loop"), {}};
  }
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[outer.position], order[exchange.inner]);
  if (const auto conflict = order_conflict(view, *outer.nest, order)) return refuse(kOrder, outer.site(), *conflict);
  if (!moves_concurrent_loops(exchange) || stays_apart(view, *outer.nest)) return exchange;
  const Program program = build(view, exchange);
  View after(program);
  if (const auto conflict = scope_conflict(view, after, {*outer.nest, {}})) {
    return refuse(kScopes, outer.site(), *conflict);
  }
  if (const auto conflict = race_conflict(view, after, outer.expression()))
    return refuse(kRaces, outer.site(), *conflict);
  return exchange;
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& outer : all_loops(view)) {
    const std::size_t count = outer.nest->nest->loops.size();
    if (count == 1) listing.refuse({&kAxes, outer.site(), "one loop", {{"loops", 1}}});
    std::vector<std::int64_t> partners;
    for (std::size_t with = outer.position + 1; with < count; ++with) {
      if (listing.allows(plan(view, outer, static_cast<std::int64_t>(with))))
        partners.push_back(static_cast<std::int64_t>(with));
    }
    listing.offer({outer.site(), {{"with", std::move(partners)}}, false});
  }
}

/// Whether the iterations come in the order that they had: where only loops of one iteration change places.
bool keeps_order(const std::vector<Loop>& loops, std::size_t outer, std::size_t inner) {
  const auto first = loops.begin() + static_cast<std::ptrdiff_t>(outer);
  const auto last = loops.begin() + static_cast<std::ptrdiff_t>(inner);
  const auto is_single = [](const Loop& loop) { return loop.extent == 1; };
  const bool between_are_single = std::all_of(first + 1, last, is_single);
  return (is_single(*first) && is_single(*last)) || ((is_single(*first) || is_single(*last)) && between_are_single);
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto outer = find_loop(view, choice.at);
  if (!outer) return outer.error();
  const auto exchange = plan(view, *outer, choice.integer("with"));
  if (!exchange) return exchange.error();
  Applied out;
  out.program = build(view, *exchange);
  const Site inner = loop_site(outer->nest->items, exchange->inner);
  const std::vector<Loop>& loops = outer->nest->nest->loops;
  out.facts.matched = {{"loop", choice.at}, {"loop", inner}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  out.facts.holds = {{&kAxes, {{"loops", static_cast<std::int64_t>(loops.size())}}}, {&kOrder, {}}};
  out.facts.values = {{"outer", loops[outer->position].index},
                      {"inner", loops[exchange->inner].index},
                      {"same_order", keeps_order(loops, outer->position, exchange->inner)}};
  out.facts.because =
      "no two accesses to one element, one of them a write, change their order, except updates of an "
      "accumulation by one operator";
  return out;
}

}  // namespace

const Strategy& loop_reorder_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_reorder",
      Level::operators,
      "two loops of a header exchange their places",
      "L^{6}_{a=0}L^{4}_{c=0}[S(a,c)]   -->   L^{4}_{c=0}L^{6}_{a=0}[S(a,c)]",
      "no two iterations that touch one element, one of them writing, change their order; updates by one operator of "
      "an "
      "accumulation may, up to rounding",
      "loop_reorder",
      {kMatmulExample, R"({"at":"0:loop[1]","with":2})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
