/// loop_split: one loop becomes an outer and an inner loop.
///   L^{12}_{a=0}[S(a)]   -->   L^{3}_{f=0}L^{4}_{a=0}[S(f*4+a)]
///   L^{14}_{a=0}[S(a)]   -->   L^{3}_{f=0}L^{4}_{a=0}[S(f*4+a)]; L^{2}_{a=0}[S(12+a)]   (extended: kind "rest")
/// Safe because (f, a) -> f*4+a is a bijection onto [0,12) that keeps the order of execution. Where 4 does not divide
/// the extent, a guard leaves out what lies beyond it; or the rest runs in a nest of its own behind the main part,
/// which then has no guard and can be vectorised.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/shared_writes.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"inner", Parameter::Kind::integer, "iterations of the inner loop"},
    {"kind", Parameter::Kind::word,
     "which of the two keeps the loop's kind, inner or outer, the other is L; rest: inner, and what remains where it "
     "does "
     "not divide is a nest of its own behind"},
};
constexpr Precondition kPublished[] = {
    {Check::loop_range_factorization, "divides",
     "the inner extent is between 1 and the extent; where it does not divide, a guard cuts off the tail, or a rest of "
     "its own remains"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "kind",
     "V stays innermost and without a guard on its index, iterations that write the same get no guard either, an L "
     "loop has no kind to pass on, and a rest is one of an L, "
     "P "
     "or U loop"},
    {Check::scope, "scopes",
     "data in s and l is shared by the same accesses as before, and block loops enclose their kernel"},
    {Check::order, "reduced-together",
     "where a rest has equations of its own, no loop around whose iterations run at the same time is reduced over, and "
     "inside of a thread loop no other thread loop either"},
    kSubscriptsFit,
};
constexpr const Precondition& kDivides = kPublished[0];
constexpr const Precondition& kKind = kSafety[0];
constexpr const Precondition& kScopes = kSafety[1];
constexpr const Precondition& kReducedTogether = kSafety[2];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::range_adjustments,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};
constexpr std::string_view kKinds[] = {"inner", "outer", "rest"};

struct Split {
  PlacedLoop at;
  std::int64_t inner = 1;
  bool kind_is_outer = false;
  bool has_rest = false;  ///< what does not divide runs in a nest of its own

  [[nodiscard]] std::int64_t outer() const {
    return has_rest ? at.loop().extent / inner : (at.loop().extent - 1) / inner + 1;
  }
  [[nodiscard]] bool has_guard() const { return !has_rest && at.loop().extent % inner != 0; }
};

bool touches_scoped_data(const Statement& statement) {
  bool scoped = statement.equation->left->scope != Scope::global;
  for_each_ref(*statement.equation->right, [&](const RefPtr& ref) { scoped = scoped || ref->scope != Scope::global; });
  return scoped;
}

/// A guard would tell iterations apart that write the same.
std::optional<Refusal> refuse_guard(View& view, const PlacedLoop& at) {
  if (!written_alike(view, at)) return std::nullopt;
  return Refusal{&kKind,
                 at.site(),
                 concat("iterations of ", at.loop().index,
                        " write the same, and a guard would tell them apart: take a size that divides"),
                 {}};
}

std::optional<Refusal> refuse_kind(View& view, const Split& split) {
  const LoopKind kind = split.at.loop().kind;
  if (kind == LoopKind::serial && split.kind_is_outer) {
    return Refusal{&kKind, split.at.site(), "both loops are L: say \"inner\"", {}};
  }
  if (kind == LoopKind::vectorized && split.kind_is_outer) {
    return Refusal{&kKind, split.at.site(), "a V loop has no loop inside it", {}};
  }
  if (kind == LoopKind::vectorized && split.has_guard()) {
    return Refusal{&kKind, split.at.site(), "the index of a V loop would stand in its guard", {}};
  }
  return split.has_guard() ? refuse_guard(view, split.at) : std::nullopt;
}

/// A rest has its own copies of the equations. Both copies stand inside the same bound loops, so that `s` and `l` data
/// stays whose it was if the kernel stays one; and what runs at the same time must not accumulate by two equations.
std::optional<Refusal> refuse_rest(View& view, const Split& split) {
  const PlacedLoop& at = split.at;
  const auto refuse_because = [&](const Precondition& why, std::string message) {
    return Refusal{&why, at.site(), std::move(message), {{"extent", at.loop().extent}, {"inner", split.inner}}};
  };
  const LoopKind kind = at.loop().kind;
  if (kind == LoopKind::bound || kind == LoopKind::vectorized) {
    return refuse_because(kKind, concat("a ", code(kind), " loop has no rest: make it an L loop first"));
  }
  if (split.inner < 2 || at.loop().extent % split.inner == 0) {
    return refuse_because(kDivides, concat(at.loop().extent, " iterations have no rest beside loops of ", split.inner));
  }
  const std::size_t around = loops_around(*at.nest) + at.position;
  for (const std::size_t number : statements_below(view, *at.nest)) {
    const Statement& statement = view.table().statements[number];
    const auto is_bound = [](const Loop* loop) { return loop->kind == LoopKind::bound; };
    const auto is_block = [](const Loop* loop) {
      const auto axis = axis_of(loop->index);
      return axis && !is_thread_axis(*axis);
    };
    const auto begin = statement.loops.begin();
    const auto here = begin + static_cast<std::ptrdiff_t>(around);
    const bool in_kernel = std::any_of(begin, here, is_bound);
    const bool is_launched_inside = std::any_of(here, statement.loops.end(), is_bound);
    if (in_kernel && std::any_of(here, statement.loops.end(), is_block)) {
      return refuse_because(kScopes, "a block loop inside would not enclose all items of its kernel");
    }
    const bool parts_kernel = !in_kernel && (is_launched_inside || (around == 0 && at.nest->items.size() == 1));
    if (parts_kernel && touches_scoped_data(statement)) {
      return refuse_because(kScopes, "data in s or l would be touched by two kernels");
    }
  }
  if (const Statement* statement = shared_by_one_equation(view, at)) {
    return refuse_because(
        kReducedTogether,
        concat("iterations that run together share what the equation at ", to_text(item_site(statement->items)),
               " writes, which only one equation may: split without a rest, by kind \"inner\""));
  }
  return std::nullopt;
}

Result<Split, Refusal> plan(View& view, const PlacedLoop& at, std::int64_t inner, const std::string& kind) {
  const Loop& loop = at.loop();
  if (inner < 1 || inner > loop.extent) {
    return Refusal{&kDivides,
                   at.site(),
                   concat(loop.extent, " iterations cannot be split into inner loops of ", inner),
                   {{"extent", loop.extent}, {"inner", inner}}};
  }
  const Split split{at, inner, kind == "outer", kind == "rest"};
  if (auto refusal = split.has_rest ? refuse_rest(view, split) : refuse_kind(view, split)) return *std::move(refusal);
  return split;
}

struct Built {
  Program program;
  Loop outer;
  Loop inner;
  Index whole;
  Index of_rest;  ///< what the index was in the rest
};

/// The main part and the rest, in place of the nest: under the loops outside of the one that is split, both have the
/// guard, the loops behind it and all items.
std::optional<std::vector<Item>> main_and_rest(const Split& split, Built& built, const std::vector<Loop>& loops,
                                               Reindexed main) {
  const Loop& loop = split.at.loop();
  const std::int64_t done = split.outer() * split.inner;
  const auto of_rest = Index::add(Index::variable(loop.index), Index::constant(done));
  if (!of_rest) return std::nullopt;
  built.of_rest = *of_rest;
  std::vector<Loop> rest_loops = split.at.nest->nest->loops;
  rest_loops[split.at.position].extent = loop.extent - done;
  Rewriter rewriter;
  rewriter.variables.emplace(loop.index, built.of_rest);
  auto rest = reindexed(*split.at.nest, rest_loops, rewriter);
  if (!rest) return std::nullopt;
  const auto position = static_cast<std::ptrdiff_t>(split.at.position);
  std::vector<Item> items;
  const Nest& nest = *split.at.nest->nest;
  const auto part = [&](const std::vector<Loop>& header, Reindexed body) {
    return stands_for(
        make_nest({header.begin() + position, header.end()}, std::move(body.guard), std::move(body.items)), nest);
  };
  items.emplace_back(part(loops, std::move(main)));
  items.emplace_back(part(rest_loops, *std::move(rest)));
  if (position == 0) return items;
  return std::vector<Item>{
      stands_for(make_nest({loops.begin(), loops.begin() + position}, nullptr, std::move(items)), nest)};
}

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
  if (split.has_rest) {
    auto items = main_and_rest(split, out, loops, *std::move(body));
    if (!items) return std::nullopt;
    out.program = with_items(view.program(), split.at.nest->items, *std::move(items));
    return out;
  }
  ExprPtr guard = split.has_guard() ? conjunction(body->guard, less_than(out.whole, loop.extent)) : body->guard;
  out.program = with_items(view.program(), split.at.nest->items,
                           {stands_for(make_nest(std::move(loops), std::move(guard), std::move(body->items)), nest)});
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
  const std::vector<std::size_t> below = statements_below(view, *at.nest);
  return std::any_of(below.begin(), below.end(),
                     [&](std::size_t number) { return touches_scoped_data(view.table().statements[number]); });
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
    const auto split = plan(view, at, factor, kind);
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
  if (at.loop().kind == LoopKind::vectorized || extent < 3 || !listing.allows(refuse_guard(view, at))) return;
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

/// The whole question of a rest does not depend on how large it is.
void offer_rest(View& view, const PlacedLoop& at, Listing& listing) {
  const std::int64_t extent = at.loop().extent;
  if (!listing.extended || extent < 3 || !listing.allows(plan(view, at, extent - 1, "rest"))) return;
  const std::vector<std::int64_t> all = divisors(extent);
  std::vector<std::int64_t> proper(all.begin() + 1, all.end() - 1);
  listing.offer(
      {at.site(),
       {{"inner", IntegerRange{2, extent - 1, std::move(proper)}}, {"kind", std::vector<std::string>{"rest"}}},
       true});
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
    offer_rest(view, at, listing);
  }
}

/// The two loops, and what takes care of those iterations that do not divide: a guard, or the loop of the rest.
std::vector<Part> added_by(const Split& split) {
  const std::vector<std::uint32_t>& items = split.at.nest->items;
  const std::size_t position = split.at.position;
  if (!split.has_rest) {
    std::vector<Part> out = {{"loop", loop_site(items, position)}, {"loop", loop_site(items, position + 1)}};
    if (split.has_guard()) out.push_back({"guard", guard_site(items)});
    return out;
  }
  std::vector<std::uint32_t> main = items;
  if (position > 0) main.push_back(0);
  return {{"loop", loop_site(main, 0)}, {"loop", loop_site(main, 1)}, {"loop", loop_site(sibling(main, 1), 0)}};
}

Facts facts_of(const Split& split, const Built& built) {
  const Loop& loop = split.at.loop();
  const std::vector<std::uint32_t>& items = split.at.nest->items;
  Facts facts;
  facts.matched = {{"loop", split.at.site()}};
  facts.removed = facts.matched;
  facts.added = added_by(split);
  facts.substitutions = {{loop.index, built.whole, item_site(items)}};
  facts.holds = {{&kDivides, {{"extent", loop.extent}, {"inner", split.inner}, {"outer", split.outer()}}},
                 {&kKind, {{"kind", std::string(1, code(loop.kind))}}}};
  facts.values = {{"extent", loop.extent},
                  {"outer", split.outer()},
                  {"inner", split.inner},
                  {"rest", split.has_rest ? loop.extent - split.outer() * split.inner : 0}};
  facts.because = concat(built.outer.index, "*", split.inner, "+", built.inner.index, " takes each value from 0 to ",
                         split.outer() * split.inner - 1, " once, in the same order as ", loop.index);
  if (split.has_guard()) append(facts.because, "; the guard leaves out those from ", loop.extent, " on");
  if (split.has_rest) {
    append(facts.because, "; the rest takes those from ", split.outer() * split.inner,
           " on, which run after them as they did");
    facts.substitutions.push_back({loop.index, built.of_rest, item_site(items)});
  }
  return facts;
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto kind = one_of(choice, "kind", kKinds);
  if (!kind) return kind.error();
  const auto split = plan(view, *at, choice.integer("inner"), choice.word("kind"));
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
      "L^{12}_{a=0}[S(a)]   -->   L^{3}_{f=0}L^{4}_{a=0}[S(f*4+a)]\n"
      "  L^{14}_{a=0}[S(a)]   -->   L^{3}_{f=0}L^{4}_{a=0}[S(f*4+a)];L^{2}_{a=0}[S(12+a)]   (extended)",
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
