/// loop_tiling: two loops that stand one inside the other become four, tiles outside.
///   L^{6}_{a=0}L^{4}_{c=0}[S(a,c)]   -->   L^{2}_{g=0}L^{2}_{h=0}L^{3}_{a=0}L^{2}_{c=0}[S(g*3+a,h*2+c)]
/// Safe because both splits keep the order, and the only iterations that then change places are such as an exchange of
/// the two loops would exchange too, which is legal here.
#include <numeric>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/shared_writes.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"first", Parameter::Kind::integer, "iterations that the outer of the two keeps in a tile"},
    {"second", Parameter::Kind::integer, "iterations that the inner of the two keeps in a tile"},
};
constexpr Precondition kPublished[] = {
    {Check::loop_axis_count, "axes", "a loop stands directly inside the loop, in the same header"},
    {Check::loop_range_factorization, "divides",
     "a tile has between 2 and all but one of the iterations; where it does not divide, a guard cuts off the rest"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "order", "accesses to one element, one of them a write, keep their order"},
    {Check::order, "innermost",
     "the index of a V loop does not stand in a guard, nor that of iterations that write the same"},
    {Check::scope, "scopes", "data in s and l is shared by the same accesses as before"},
    kSubscriptsFit,
};
constexpr const Precondition& kAxes = kPublished[0];
constexpr const Precondition& kDivides = kPublished[1];
constexpr const Precondition& kOrder = kSafety[0];
constexpr const Precondition& kInnermost = kSafety[1];
constexpr const Precondition& kScopes = kSafety[2];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::range_adjustments,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};

/// The two loops: `at` and the one inside it.
struct Pair {
  PlacedLoop at;

  [[nodiscard]] const Loop& outer() const { return at.loop(); }
  [[nodiscard]] const Loop& inner() const { return at.nest->nest->loops[at.position + 1]; }
};

/// What does not depend on the sizes of the tiles.
Result<Pair, Refusal> plan(View& view, const PlacedLoop& at) {
  const std::vector<Loop>& loops = at.nest->nest->loops;
  if (at.position + 1 == loops.size()) {
    return Refusal{&kAxes, at.site(), concat(at.loop().index, " is the last loop of its header"), {}};
  }
  std::vector<std::size_t> order(loops.size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[at.position], order[at.position + 1]);
  if (const auto conflict = order_conflict(view, *at.nest, order)) return refuse(kOrder, at.site(), *conflict);
  return Pair{at};
}

struct Tiles {
  std::int64_t first = 1;
  std::int64_t second = 1;
};

/// A guard would tell iterations apart that write the same.
std::optional<Refusal> refuse_guard(View& view, const Pair& pair) {
  for (const std::size_t inside : {std::size_t{0}, std::size_t{1}}) {
    const PlacedLoop at{pair.at.nest, pair.at.position + inside};
    if (!written_alike(view, at)) continue;
    return Refusal{&kInnermost,
                   pair.at.site(),
                   concat("iterations of ", at.loop().index,
                          " write the same, and a guard would tell them apart: take tiles that divide"),
                   {}};
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_tiles(View& view, const Pair& pair, const Tiles& tiles) {
  const auto misfit = [&](const Loop& loop, std::int64_t tile) -> std::optional<Refusal> {
    if (tile > 1 && tile < loop.extent) return std::nullopt;
    return Refusal{&kDivides,
                   pair.at.site(),
                   concat(loop.index, " has ", loop.extent, " iterations, which cannot be cut into tiles of ", tile),
                   {{"extent", loop.extent}, {"tile", tile}}};
  };
  if (auto refusal = misfit(pair.outer(), tiles.first)) return refusal;
  if (auto refusal = misfit(pair.inner(), tiles.second)) return refusal;
  if (pair.inner().kind == LoopKind::vectorized && pair.inner().extent % tiles.second != 0) {
    return Refusal{&kInnermost, pair.at.site(), concat("the V loop ", pair.inner().index, " would be guarded"), {}};
  }
  const bool has_guard = pair.outer().extent % tiles.first != 0 || pair.inner().extent % tiles.second != 0;
  return has_guard ? refuse_guard(view, pair) : std::nullopt;
}

struct Built {
  Program program;
  Index first;
  Index second;
};

std::optional<Built> build(View& view, const Pair& pair, const Tiles& tiles) {
  const Nest& nest = *pair.at.nest->nest;
  NameSource names = view.fresh_indices(pair.at.expression());
  const Loop& p = pair.outer();
  const Loop& q = pair.inner();
  const Loop outer_p{LoopKind::serial, (p.extent - 1) / tiles.first + 1, names.next()};
  const Loop outer_q{LoopKind::serial, (q.extent - 1) / tiles.second + 1, names.next()};
  const auto first = scaled_plus(Index::variable(outer_p.index), tiles.first, Index::variable(p.index));
  const auto second = scaled_plus(Index::variable(outer_q.index), tiles.second, Index::variable(q.index));
  if (!first || !second) return std::nullopt;
  std::vector<Loop> loops = nest.loops;
  const auto at = loops.begin() + static_cast<std::ptrdiff_t>(pair.at.position);
  at->extent = tiles.first;
  (at + 1)->extent = tiles.second;
  loops.insert(at, {outer_p, outer_q});
  Rewriter rewriter;
  rewriter.variables = {{p.index, *first}, {q.index, *second}};
  auto body = reindexed(*pair.at.nest, loops, rewriter);
  if (!body) return std::nullopt;
  ExprPtr guard = body->guard;
  if (p.extent % tiles.first != 0) guard = conjunction(guard, less_than(*first, p.extent));
  if (q.extent % tiles.second != 0) guard = conjunction(guard, less_than(*second, q.extent));
  return Built{with_items(view.program(), pair.at.nest->items,
                          {stands_for(make_nest(std::move(loops), std::move(guard), std::move(body->items)), nest)}),
               *first, *second};
}

/// The tiles stand outside: a loop over an axis inside them may have been the outermost one.
std::optional<Refusal> refuse_scopes(View& view, const Pair& pair, const Built& built) {
  if (pair.outer().kind != LoopKind::bound && pair.inner().kind != LoopKind::bound) return std::nullopt;
  View after(built.program);
  const Reshaped change{*pair.at.nest, {{pair.outer().index, built.first}, {pair.inner().index, built.second}}};
  const auto conflict = scope_conflict(view, after, change);
  return conflict ? std::optional(refuse(kScopes, pair.at.site(), *conflict)) : std::nullopt;
}

struct Sizes {
  std::vector<std::int64_t> dividing;
  IntegerRange others;

  explicit Sizes(std::int64_t extent) : dividing(divisors(extent)), others{2, extent - 1, {}} {
    dividing.erase(dividing.begin());
    if (!dividing.empty()) dividing.pop_back();
    others.except = dividing;
  }
};

/// Whether scopes allow tiles; sizes play a part only in where data in `s` and `l` is shared, so one try stands for all
/// where both extents have a proper divisor or a rest.
bool scopes_allow(View& view, const Pair& pair, const Tiles& tiles, Listing& listing) {
  const auto built = build(view, pair, tiles);
  if (!built) return false;
  return listing.allows(refuse_scopes(view, pair, *built));
}

void offer(View& view, const Pair& pair, Listing& listing) {
  if (pair.outer().extent < 3 || pair.inner().extent < 3) {
    const std::int64_t extent = std::min(pair.outer().extent, pair.inner().extent);
    listing.refuse({&kDivides, pair.at.site(), concat(extent, " iterations have no tiles"), {{"extent", extent}}});
    return;
  }
  const Sizes first(pair.outer().extent);
  const Sizes second(pair.inner().extent);
  if (!scopes_allow(view, pair, {2, 2}, listing)) return;
  listing.offer({pair.at.site(), {{"first", first.dividing}, {"second", second.dividing}}, false});
  if (!listing.extended || !listing.allows(refuse_guard(view, pair))) return;
  listing.offer({pair.at.site(), {{"first", first.others}, {"second", second.dividing}}, true});
  if (pair.inner().kind == LoopKind::vectorized) return;
  listing.offer({pair.at.site(), {{"first", first.dividing}, {"second", second.others}}, true});
  listing.offer({pair.at.site(), {{"first", first.others}, {"second", second.others}}, true});
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    const auto pair = plan(view, at);
    if (listing.allows(pair)) offer(view, *pair, listing);
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto pair = plan(view, *at);
  if (!pair) return pair.error();
  const Tiles tiles{choice.integer("first"), choice.integer("second")};
  if (auto refusal = refuse_tiles(view, *pair, tiles)) return *std::move(refusal);
  auto built = build(view, *pair, tiles);
  if (!built) return refuse_overflow(choice.at);
  if (auto refusal = refuse_scopes(view, *pair, *built)) return *std::move(refusal);
  Applied out;
  out.program = std::move(built->program);
  const std::vector<std::uint32_t>& items = at->nest->items;
  out.facts.matched = {{"loop", choice.at}, {"loop", loop_site(items, at->position + 1)}};
  out.facts.removed = out.facts.matched;
  for (std::size_t i = 0; i < 4; ++i) out.facts.added.push_back({"loop", loop_site(items, at->position + i)});
  const bool guarded = pair->outer().extent % tiles.first != 0 || pair->inner().extent % tiles.second != 0;
  if (guarded) out.facts.added.push_back({"guard", guard_site(items)});
  out.facts.substitutions = {{pair->outer().index, built->first, item_site(items)},
                             {pair->inner().index, built->second, item_site(items)}};
  out.facts.holds = {{&kAxes, {{"outer", pair->outer().index}, {"inner", pair->inner().index}}},
                     {&kDivides,
                      {{"extent", pair->outer().extent},
                       {"tile", tiles.first},
                       {"inner_extent", pair->inner().extent},
                       {"inner_tile", tiles.second}}},
                     {&kOrder, {}}};
  out.facts.values = {{"first", tiles.first}, {"second", tiles.second}};
  out.facts.because = concat(pair->outer().index, " and ", pair->inner().index,
                             " may change places: no two accesses to one element, one of them a write, would then "
                             "change their order");
  return out;
}

}  // namespace

const Strategy& loop_tiling_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_tiling",
      Level::operators,
      "two loops that stand one inside the other become four, tiles outside",
      "L^{6}_{a=0}L^{4}_{c=0}[S(a,c)]   -->   L^{2}_{g=0}L^{2}_{h=0}L^{3}_{a=0}L^{2}_{c=0}[S(g*3+a,h*2+c)]",
      "both splits keep the order, and the only iterations that then change places are such as an exchange of the two "
      "loops would exchange too, which is legal here",
      "loop_fusion",
      {kMatmulExample, R"({"at":"0:loop[1]","first":3,"second":2})"},
      kParameters,
      kPublished,
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
