/// loop_split: one loop becomes an outer and an inner loop.
///   L^{12}_{a=0}[S(a)]   -->   L^{3}_{f=0}L^{4}_{a=0}[S(f*4+a)]
/// Safe because (f, a) -> f*4+a is a bijection onto [0,12) that keeps the order of execution. Where 4 does not divide
/// the extent, a guard leaves out what lies beyond it.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"inner", Parameter::Kind::integer, "iterations of the inner loop"},
    {"kind", Parameter::Kind::word, "which of the two keeps the loop's kind, inner or outer; the other is L"},
};
constexpr Precondition kPublished[] = {
    {Check::loop_range_factorization, "divides",
     "the inner extent is between 1 and the extent; where it does not divide, a guard cuts off the tail"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "kind", "V stays innermost and without a guard on its index, and an L loop has no kind to pass on"},
    {Check::scope, "scopes", "data in s and l is shared by the same accesses as before"},
    kSubscriptsFit,
};
constexpr const Precondition& kDivides = kPublished[0];
constexpr const Precondition& kKind = kSafety[0];
constexpr const Precondition& kScopes = kSafety[1];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::range_adjustments,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};
constexpr std::string_view kKinds[] = {"inner", "outer"};

struct Split {
  PlacedLoop at;
  std::int64_t inner = 1;
  bool kind_is_outer = false;

  [[nodiscard]] std::int64_t outer() const { return (at.loop().extent - 1) / inner + 1; }
  [[nodiscard]] bool has_tail() const { return at.loop().extent % inner != 0; }
};

std::optional<Refusal> refuse_kind(const Split& split) {
  const LoopKind kind = split.at.loop().kind;
  if (kind == LoopKind::serial && split.kind_is_outer) {
    return Refusal{&kKind, split.at.site(), "both loops are L: say \"inner\"", {}};
  }
  if (kind == LoopKind::vectorized && split.kind_is_outer) {
    return Refusal{&kKind, split.at.site(), "a V loop has no loop inside it", {}};
  }
  if (kind == LoopKind::vectorized && split.has_tail()) {
    return Refusal{&kKind, split.at.site(), "the index of a V loop would stand in its guard", {}};
  }
  return std::nullopt;
}

Result<Split, Refusal> plan(const PlacedLoop& at, std::int64_t inner, const std::string& kind) {
  const Loop& loop = at.loop();
  if (inner < 1 || inner > loop.extent) {
    return Refusal{&kDivides,
                   at.site(),
                   concat(loop.extent, " iterations cannot be split into inner loops of ", inner),
                   {{"extent", loop.extent}, {"inner", inner}}};
  }
  const Split split{at, inner, kind == "outer"};
  if (auto refusal = refuse_kind(split)) return *std::move(refusal);
  return split;
}

struct Built {
  Program program;
  Loop outer;
  Loop inner;
  Index whole;
};

std::optional<Built> build(View& view, const Split& split) {
  const Nest& nest = *split.at.nest->nest;
  const Loop& loop = split.at.loop();
  Built out;
  out.outer = {LoopKind::serial, split.outer(), view.fresh_indices(split.at.expression()).next()};
  out.inner = {loop.kind, split.inner, loop.index};
  if (split.kind_is_outer) {
    // A bound loop is known by its name, so the name goes with the kind.
    std::swap(out.outer.kind, out.inner.kind);
    if (loop.kind == LoopKind::bound) std::swap(out.outer.index, out.inner.index);
  }
  const auto whole = scaled_plus(Index::variable(out.outer.index), split.inner, Index::variable(out.inner.index));
  if (!whole) return std::nullopt;
  out.whole = *whole;
  std::vector<Loop> loops = nest.loops;
  const auto at = loops.begin() + static_cast<std::ptrdiff_t>(split.at.position);
  *at = out.inner;
  loops.insert(at, out.outer);
  Rewriter rewriter;
  rewriter.variables.emplace(loop.index, out.whole);
  auto body = reindexed(*split.at.nest, loops, rewriter);
  if (!body) return std::nullopt;
  ExprPtr guard = split.has_tail() ? conjunction(body->guard, less_than(out.whole, loop.extent)) : body->guard;
  out.program = with_items(view.program(), split.at.nest->items,
                           {make_nest(std::move(loops), std::move(guard), std::move(body->items))});
  return out;
}

/// Only a loop over an axis decides whose data is whose; splitting another changes no hidden subscript but by a
/// bijection.
std::optional<Refusal> refuse_scopes(View& view, const Split& split, const Built& built) {
  if (split.at.loop().kind != LoopKind::bound) return std::nullopt;
  View after(built.program);
  const Reshaped change{*split.at.nest, {{split.at.loop().index, built.whole}}};
  const auto conflict = scope_conflict(view, after, change);
  return conflict ? std::optional(refuse(kScopes, split.at.site(), *conflict)) : std::nullopt;
}

bool touches_scoped_data(View& view, const PlacedLoop& at) {
  for (const std::size_t number : statements_below(view, *at.nest)) {
    const Statement& statement = view.table().statements[number];
    bool scoped = statement.equation->left->scope != Scope::global;
    for_each_ref(*statement.equation->right,
                 [&](const RefPtr& ref) { scoped = scoped || ref->scope != Scope::global; });
    if (scoped) return true;
  }
  return false;
}

/// The inner extents that the scopes allow. Without data in `s` or `l` that is one question, because factors play no
/// part in where loops stand.
std::vector<std::int64_t> allowed(View& view, const PlacedLoop& at, const std::string& kind,
                                  std::vector<std::int64_t> inner, Listing& listing) {
  if (at.loop().kind != LoopKind::bound || inner.empty()) return inner;
  if (is_flat_launch(view, *at.nest)) return inner;
  const bool each = touches_scoped_data(view, at);
  std::vector<std::int64_t> out;
  for (const std::int64_t factor : inner) {
    const auto split = plan(at, factor, kind);
    const auto built = split ? build(view, *split) : std::nullopt;
    if (!built) continue;
    auto refusal = refuse_scopes(view, *split, *built);
    if (refusal)
      listing.refuse(*std::move(refusal));
    else if (each)
      out.push_back(factor);
    else
      return inner;
    if (!each) return {};
  }
  return out;
}

void offer(View& view, const PlacedLoop& at, const std::string& kind, Listing& listing) {
  const std::int64_t extent = at.loop().extent;
  const auto site = [&](ParameterDomain inner, bool extended) {
    listing.offer({at.site(), {std::move(inner), {"kind", std::vector<std::string>{kind}}}, extended});
  };
  std::vector<std::int64_t> proper = divisors(extent);
  proper.erase(proper.begin());
  if (!proper.empty()) proper.pop_back();
  site({"inner", allowed(view, at, kind, proper, listing)}, false);
  if (!listing.extended) return;
  std::vector<std::int64_t> units = {1};
  if (extent > 1) units.push_back(extent);
  site({"inner", allowed(view, at, kind, units, listing)}, true);
  if (at.loop().kind == LoopKind::vectorized || extent < 3) return;
  if (at.loop().kind == LoopKind::bound && touches_scoped_data(view, at)) {
    std::vector<std::int64_t> tails;
    for (std::int64_t inner = 2; inner < extent && inner <= 1024; ++inner) {
      if (extent % inner != 0) tails.push_back(inner);
    }
    site({"inner", allowed(view, at, kind, std::move(tails), listing)}, true);
  } else if (!allowed(view, at, kind, {extent - 1}, listing).empty()) {
    site({"inner", IntegerRange{2, extent - 1, proper}}, true);
  }
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    const LoopKind kind = at.loop().kind;
    if (at.loop().extent < 2 && !listing.extended) {
      listing.refuse({&kDivides, at.site(), "one iteration", {{"extent", at.loop().extent}}});
      continue;
    }
    offer(view, at, "inner", listing);
    if (kind != LoopKind::serial && kind != LoopKind::vectorized) offer(view, at, "outer", listing);
  }
}

Facts facts_of(const Split& split, const Built& built) {
  const Loop& loop = split.at.loop();
  const std::vector<std::uint32_t>& items = split.at.nest->items;
  Facts facts;
  facts.matched = {{"loop", split.at.site()}};
  facts.removed = facts.matched;
  facts.added = {{"loop", split.at.site()}, {"loop", loop_site(items, split.at.position + 1)}};
  if (split.has_tail()) facts.added.push_back({"guard", guard_site(items)});
  facts.substitutions = {{loop.index, built.whole, item_site(items)}};
  facts.holds = {{&kDivides, {{"extent", loop.extent}, {"inner", split.inner}, {"outer", split.outer()}}},
                 {&kKind, {{"kind", std::string(1, code(loop.kind))}}}};
  facts.values = {{"extent", loop.extent}, {"outer", split.outer()}, {"inner", split.inner}};
  facts.because = concat(built.outer.index, "*", split.inner, "+", built.inner.index, " takes each value from 0 to ",
                         split.outer() * split.inner - 1, " once, in the same order as ", loop.index);
  if (split.has_tail()) append(facts.because, "; the guard leaves out those from ", loop.extent, " on");
  return facts;
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto kind = one_of(choice, "kind", kKinds);
  if (!kind) return kind.error();
  const auto split = plan(*at, choice.integer("inner"), choice.word("kind"));
  if (!split) return split.error();
  auto built = build(view, *split);
  if (!built) return refuse_overflow(choice.at);
  if (auto refusal = refuse_scopes(view, *split, *built)) return *std::move(refusal);
  Facts facts = facts_of(*split, *built);
  return Applied{std::move(built->program), std::move(facts)};
}

}  // namespace

const Strategy& loop_split_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_split",
      Level::operators,
      "one loop becomes an outer and an inner loop",
      "L^{12}_{a=0}[S(a)]   -->   L^{3}_{f=0}L^{4}_{a=0}[S(f*4+a)]",
      "(f, a) -> f*4+a is a bijection onto [0,12) that keeps the order of execution",
      "loop_fusion",
      {kMatmulExample, R"({"at":"0:loop[1]","inner":3,"kind":"inner"})"},
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
