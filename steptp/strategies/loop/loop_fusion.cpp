/// loop_fusion: two loops that stand one inside the other become one.
///   L^{2}_{g=0}L^{3}_{a=0}[S(g*3+a)]   -->   L^{6}_{a=0}[S(a)]
///   L^{4}_{a=0}L^{6}_{c=0}[S(a,c)]     -->   L^{24}_{f=0}[S(f//6,f%6)]
/// Safe because f -> (f//6, f%6) is a bijection from [0,24) that keeps the order of execution.
#include <algorithm>
#include <array>

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/strategies/fused_indices.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"keep", Parameter::Kind::word, "whose kind, and axis, the fused loop has: inner or outer"},
};
constexpr Precondition kPublished[] = {
    {Check::loop_axis_count, "axes", "a loop stands directly inside the loop, in the same header"},
    {Check::reduction_axis, "same-role", "every accumulating equation below reduces over both loops or over none"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "kinds",
     "both loops have one kind and kind of axis, or one of them is an L loop; neither is a V loop"},
    {Check::launch, "launch", "a fused bound loop is within the limits of its axis"},
    {Check::scope, "scopes", "data in s and l is shared by the same accesses as before"},
    {Check::order, "races", "iterations that may now run at the same time touch different elements"},
    {Check::size, "extent-fits", "the product of both extents and all subscripts fit in 64 bits"},
};
constexpr const Precondition& kAxesHere = kPublished[0];
constexpr const Precondition& kSameRole = kPublished[1];
constexpr const Precondition& kKinds = kSafety[0];
constexpr const Precondition& kLaunch = kSafety[1];
constexpr const Precondition& kScopes = kSafety[2];
constexpr const Precondition& kRaces = kSafety[3];
constexpr const Precondition& kExtentFits = kSafety[4];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::range_adjustments,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};

struct Fusion {
  PlacedLoop at;
  bool keep_outer = false;

  [[nodiscard]] const Loop& outer() const { return at.loop(); }
  [[nodiscard]] const Loop& inner() const { return at.nest->nest->loops[at.position + 1]; }
  [[nodiscard]] const Loop& kept() const { return keep_outer ? outer() : inner(); }
  /// Loops of two kinds: iterations that ran one after the other may then run at the same time.
  [[nodiscard]] bool is_mixed() const { return outer().kind != inner().kind; }
};

std::optional<Refusal> refuse_kinds(const Fusion& fusion) {
  const Loop& outer = fusion.outer();
  const Loop& inner = fusion.inner();
  const auto refuse_because = [&](std::string why) {
    return Refusal{&kKinds,
                   fusion.at.site(),
                   concat(outer.index, " is a ", code(outer.kind), " loop, ", inner.index, " a ", code(inner.kind),
                          " loop: ", why),
                   {}};
  };
  if (outer.kind == LoopKind::vectorized || inner.kind == LoopKind::vectorized)
    return refuse_because("V stays as it is");
  if (fusion.is_mixed() && outer.kind != LoopKind::serial && inner.kind != LoopKind::serial) {
    return refuse_because("they have no common kind");
  }
  if (fusion.is_mixed() && fusion.kept().kind == LoopKind::serial) return refuse_because("keep the kind that is not L");
  if (!fusion.is_mixed() && outer.kind != LoopKind::bound && fusion.keep_outer) return refuse_because("say \"inner\"");
  if (outer.kind == LoopKind::bound && inner.kind == LoopKind::bound &&
      is_thread_axis(*axis_of(outer.index)) != is_thread_axis(*axis_of(inner.index))) {
    return refuse_because("one is over threads, the other over blocks");
  }
  return std::nullopt;
}

std::optional<Refusal> refuse_launch(const Fusion& fusion, std::int64_t extent) {
  if (fusion.kept().kind != LoopKind::bound) return std::nullopt;
  const Axis axis = *axis_of(fusion.kept().index);
  const Device& device = default_device();
  const std::int64_t limit = is_thread_axis(axis) ? device.block[static_cast<std::size_t>(axis) - 3]
                                                  : device.grid[static_cast<std::size_t>(axis)];
  if (extent <= limit) return std::nullopt;
  return Refusal{&kLaunch,
                 fusion.at.site(),
                 concat(extent, " iterations over ", name_of(axis), ", which has at most ", limit),
                 {{"extent", extent}, {"limit", limit}}};
}

/// The positions of the loops that an accumulating statement reduces over: those not in its left subscripts. Empty for
/// a statement that does not accumulate.
std::vector<std::size_t> reduction_axes(const Statement& statement) {
  std::vector<std::size_t> axes;
  if (!statement.accumulates) return axes;
  std::set<std::string> used;
  for (const Index& subscript : statement.equation->left->subscripts) {
    for_each_variable(subscript, [&used](const std::string& name) { used.insert(name); });
  }
  for (std::size_t i = 0; i < statement.loops.size(); ++i) {
    if (!used.contains(statement.loops[i]->index)) axes.push_back(i);
  }
  return axes;
}

std::optional<Refusal> refuse_roles(View& view, const Fusion& fusion) {
  const std::size_t outer = loops_around(*fusion.at.nest) + fusion.at.position;
  for (const std::size_t number : statements_below(view, *fusion.at.nest)) {
    const Statement& statement = view.table().statements[number];
    const std::vector<std::size_t> axes = reduction_axes(statement);
    const bool over_outer = std::find(axes.begin(), axes.end(), outer) != axes.end();
    const bool over_inner = std::find(axes.begin(), axes.end(), outer + 1) != axes.end();
    if (over_outer == over_inner) continue;
    return Refusal{&kSameRole,
                   fusion.at.site(),
                   concat("the equation at ", to_text(item_site(statement.items)), " reduces over ",
                          over_outer ? fusion.outer().index : fusion.inner().index, " only"),
                   {{"equation", to_text(item_site(statement.items))}}};
  }
  return std::nullopt;
}

struct Built {
  Program program;
  Loop loop;
  IndexValues was;
  bool divides = false;
};

/// With `any_name` it is only wanted whether all subscripts fit, and how the loop is called plays no part.
std::optional<Built> build(View& view, const Fusion& fusion, std::int64_t extent, bool any_name) {
  const Nest& nest = *fusion.at.nest->nest;
  Built out;
  const auto attempt = [&](const std::string& name) {
    LoopFuser fuser({fusion.outer().index, fusion.inner().index, fusion.inner().extent}, name);
    out.loop = {fusion.kept().kind, extent, name};
    out.was = {{fusion.outer().index, fuser.quotient()}, {fusion.inner().index, fuser.remainder()}};
    std::vector<Loop> loops = nest.loops;
    loops.erase(loops.begin() + static_cast<std::ptrdiff_t>(fusion.at.position));
    loops[fusion.at.position] = out.loop;
    Rewriter rewriter;
    rewriter.index = [&fuser](const Index& index) { return fuser(index); };
    rewriter.value = [&fuser](const Index& index) { return fuser.undo(index); };
    rewriter.variables = out.was;
    auto body = reindexed(*fusion.at.nest, loops, rewriter);
    if (!body || fuser.failed()) return false;
    out.divides = fuser.used_division();
    out.program =
        with_items(view.program(), fusion.at.nest->items,
                   {stands_for(make_nest(std::move(loops), std::move(body->guard), std::move(body->items)), nest)});
    return true;
  };
  // A bound loop is known by its name. A plain one keeps the inner name where the split it undoes has left it.
  if (fusion.kept().kind == LoopKind::bound) return attempt(fusion.kept().index) ? std::optional(out) : std::nullopt;
  const bool inner_is_plain = fusion.inner().kind != LoopKind::bound;
  if (inner_is_plain && !attempt(fusion.inner().index)) return std::nullopt;
  if (inner_is_plain && (any_name || !out.divides)) return out;
  return attempt(view.fresh_indices(fusion.at.expression()).next()) ? std::optional(out) : std::nullopt;
}

constexpr std::string_view kSides[] = {"inner", "outer"};

struct Planned {
  Fusion fusion;
  Built built;
};

Result<Planned, Refusal> plan(View& view, const PlacedLoop& at, std::string_view keep, bool any_name) {
  if (at.position + 1 == at.nest->nest->loops.size()) {
    return Refusal{&kAxesHere, at.site(), concat(at.loop().index, " is the last loop of its header"), {}};
  }
  const Fusion fusion{at, keep == "outer"};
  if (auto refusal = refuse_kinds(fusion)) return *std::move(refusal);
  if (auto refusal = refuse_roles(view, fusion)) return *std::move(refusal);
  const std::int64_t m = fusion.inner().extent;
  if (fusion.outer().extent > INT64_MAX / m) {
    return Refusal{&kExtentFits, at.site(), concat(fusion.outer().extent, " times ", m, " iterations"), {}};
  }
  const std::int64_t extent = fusion.outer().extent * m;
  if (auto refusal = refuse_launch(fusion, extent)) return *std::move(refusal);
  auto built = build(view, fusion, extent, any_name);
  if (!built) return Refusal{&kExtentFits, at.site(), "a subscript would not fit in 64 bits", {}};
  const bool bound = fusion.outer().kind == LoopKind::bound || fusion.inner().kind == LoopKind::bound;
  if (bound || fusion.is_mixed()) {
    View after(built->program);
    if (const auto conflict = scope_conflict(view, after, {*at.nest, built->was})) {
      return refuse(kScopes, at.site(), *conflict);
    }
    if (const auto conflict = race_conflict(view, after, at.expression())) return refuse(kRaces, at.site(), *conflict);
  }
  return Planned{fusion, *std::move(built)};
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    const bool last = at.position + 1 == at.nest->nest->loops.size();
    if (!listing.extended && !last && Fusion{at}.is_mixed()) continue;
    std::vector<std::string> keep;
    bool mixed = false;
    for (const std::string_view side : kSides) {
      const auto planned = plan(view, at, side, true);
      if (listing.allows(planned)) keep.emplace_back(side);
      mixed = planned && planned->fusion.is_mixed();
      if (planned && mixed) break;
    }
    listing.offer({at.site(), {{"keep", std::move(keep)}}, mixed});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto keep = one_of(choice, "keep", kSides);
  if (!keep) return keep.error();
  auto planned = plan(view, *at, choice.word("keep"), false);
  if (!planned) return planned.error();
  const Fusion& fusion = planned->fusion;
  Applied out;
  out.program = std::move(planned->built.program);
  const std::vector<std::uint32_t>& items = at->nest->items;
  out.facts.matched = {{"loop", choice.at}, {"loop", loop_site(items, at->position + 1)}};
  out.facts.removed = out.facts.matched;
  out.facts.added = {{"loop", choice.at}};
  for (const auto& [index, value] : planned->built.was) {
    out.facts.substitutions.push_back({index, value, item_site(items)});
  }
  const Loop& fused = planned->built.loop;
  out.facts.holds = {{&kAxesHere, {{"outer", fusion.outer().index}, {"inner", fusion.inner().index}}},
                     {&kSameRole, {}},
                     {&kKinds, {{"kind", std::string(1, code(fused.kind))}}}};
  out.facts.values = {{"outer", fusion.outer().extent},
                      {"inner", fusion.inner().extent},
                      {"extent", fused.extent},
                      {"index", fused.index},
                      {"divides", planned->built.divides}};
  out.facts.because =
      concat("(", fused.index, "//", fusion.inner().extent, ", ", fused.index, "%", fusion.inner().extent,
             ") takes each pair (", fusion.outer().index, ", ", fusion.inner().index, ") once, in the same order");
  return out;
}

}  // namespace

const Strategy& loop_fusion_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_fusion",
      Level::operators,
      "two loops that stand one inside the other become one",
      "L^{2}_{g=0}L^{3}_{a=0}[S(g*3+a)]   -->   L^{6}_{a=0}[S(a)]\n"
      "  L^{4}_{a=0}L^{6}_{c=0}[S(a,c)]   -->   L^{24}_{f=0}[S(f//6,f%6)]",
      "f -> (f//6, f%6) is a bijection from [0,24) that keeps the order of execution",
      "loop_split",
      {"@input A f32[4,6]\n@output D f32[4,6]\nL^{4}_{a=0}L^{6}_{c=0}[D^{f32,g}_{a,c}=A^{f32,g}_{a,c}*2;];\n",
       R"({"at":"0:loop[0]","keep":"inner"})"},
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
