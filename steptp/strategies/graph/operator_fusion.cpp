/// operator_fusion: two nests, one behind the other, get their first loops in common.
///   L^{6}_{a=0}[S1(a)];L^{6}_{c=0}[S2(c)]   -->   L^{6}_{a=0}[S1(a);S2(a)]
/// Safe because no iteration of the second touches, before a later iteration of the first does, an element that one of
/// them writes, and none is touched by different values of a common P, V or B loop.
#include <algorithm>
#include <set>

#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"depth", Parameter::Kind::integer, "how many loops, from outside, the two nests get in common"},
    {"next", Parameter::Kind::integer, "which of the nests behind it: 1, which is meant without it, is the next item",
     1},
};
constexpr Precondition kPublished[] = {
    {Check::dependency, "forward",
     "no iteration of the second touches an element before a later iteration of the first does, one of them writing"},
    {Check::loop_nest_consistency, "same-loops",
     "a nest follows, and its first loops have the kinds, extents and axes of the first nest's"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "guards", "a guard keeps loops of its own, or both nests are fused whole and have the same guard"},
    {Check::order, "innermost", "a V loop stays innermost"},
    {Check::scope, "scopes", "data in s and l stays in as many kernels as before"},
    {Check::order, "races", "different values of a common P, V or B loop touch different elements"},
    {Check::order, "between", "what stands between the nests can stand behind the second"},
};
constexpr const Precondition& kForward = kPublished[0];
constexpr const Precondition& kSameLoops = kPublished[1];
constexpr const Precondition& kGuards = kSafety[0];
constexpr const Precondition& kInnermost = kSafety[1];
constexpr const Precondition& kScopes = kSafety[2];
constexpr const Precondition& kRaces = kSafety[3];
constexpr const Precondition& kBetween = kSafety[4];
constexpr std::uint32_t kFarthest = 6;  ///< nests farther behind are not looked at
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::variables};

struct Nests {
  const PlacedNest* first = nullptr;
  const PlacedNest* second = nullptr;

  [[nodiscard]] const std::vector<Loop>& one() const { return first->nest->loops; }
  [[nodiscard]] const std::vector<Loop>& other() const { return second->nest->loops; }
  /// Every loop of both nests.
  [[nodiscard]] bool is_whole(std::size_t depth) const { return depth == one().size() && depth == other().size(); }
};

bool agree(const Loop& a, const Loop& b) {
  return a.kind == b.kind && a.extent == b.extent && axis_of(a.index) == axis_of(b.index);
}

std::size_t common_loops(const Nests& nests) {
  std::size_t depth = 0;
  while (depth < nests.one().size() && depth < nests.other().size() && agree(nests.one()[depth], nests.other()[depth]))
    ++depth;
  return depth;
}

Result<Nests, Refusal> find(View& view, const Site& site, std::int64_t next) {
  const auto first = nest_at(view, site);
  if (!first) return first.error();
  Nests out{*first, nullptr};
  const bool is_near = next >= 1 && next <= kFarthest;
  if (is_near) out.second = view.find_nest(sibling(site.items, static_cast<std::uint32_t>(next)));
  if (!out.second) return Refusal{&kSameLoops, site, "no nest follows", {{"next", next}}};
  return out;
}

/// The second nest moves up to the first, over everything between them.
std::optional<Refusal> refuse_between(View& view, const Nests& nests, std::int64_t next) {
  for (std::int64_t i = 1; i < next; ++i) {
    const auto between = sibling(nests.first->items, static_cast<std::uint32_t>(i));
    if (const auto conflict = exchange_conflict(view, between, nests.second->items)) {
      return refuse(kBetween, item_site(nests.first->items), *conflict);
    }
  }
  return std::nullopt;
}

void collect_loops(const Nest& nest, std::set<std::string>& names) {
  for (const Loop& loop : nest.loops) names.insert(loop.index);
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) collect_loops(**inner, names);
  }
}

/// The second nest in the names of the first: its common loops, and loops further in that would clash with them.
struct Renamed {
  std::vector<Loop> rest;
  ExprPtr guard;
  std::vector<Item> items;
  IndexValues names;
};

std::optional<Renamed> rename(View& view, const Nests& nests, std::size_t depth) {
  std::set<std::string> common;
  for (std::size_t i = 0; i < depth; ++i) common.insert(nests.one()[i].index);
  std::set<std::string> all;
  collect_loops(*nests.second->nest, all);
  for (std::size_t i = 0; i < depth; ++i) all.erase(nests.other()[i].index);
  Renamed out;
  Rewriter rewriter;
  NameSource fresh = view.fresh_indices(nests.first->items[0]);
  std::set<std::string> taken;
  collect_loops(*view.program().nests[nests.second->items[0]], taken);
  for (const std::string& name : taken) fresh.reserve(name);
  for (const std::string& name : all) {
    if (!common.contains(name)) continue;
    const std::string other = fresh.next();
    rewriter.loops.emplace(name, other);
    rewriter.variables.emplace(name, Index::variable(other));
  }
  for (std::size_t i = 0; i < depth; ++i) {
    const std::string& from = nests.other()[i].index;
    const std::string& to = nests.one()[i].index;
    if (from != to) rewriter.variables.insert_or_assign(from, Index::variable(to));
  }
  out.names = rewriter.variables;
  const Nest& other = *nests.second->nest;
  auto renamed = rewrite(Item(stands_for(make_nest(nests.other(), other.guard, other.items), other)), rewriter);
  if (!renamed) return std::nullopt;
  const Nest& nest = *std::get<NestPtr>(*renamed);
  out.rest.assign(nest.loops.begin() + static_cast<std::ptrdiff_t>(depth), nest.loops.end());
  out.guard = nest.guard;
  out.items = nest.items;
  return out;
}

std::optional<Refusal> refuse_guards(const Nests& nests, std::size_t depth, const Renamed& second) {
  const ExprPtr& guard = nests.first->nest->guard;
  const bool first_free = !guard || depth < nests.one().size();
  const bool second_free = !second.guard || depth < nests.other().size();
  if (first_free && second_free) return std::nullopt;
  if (nests.is_whole(depth) && guard && second.guard && equal(*guard, *second.guard)) return std::nullopt;
  return Refusal{&kGuards, item_site(nests.first->items), "a guard would have no loop of its own to stand on", {}};
}

/// Puts the items of a nest into the common body: as they are where no loop is left, else as a nest of the rest.
void append_rest(std::vector<Item>& items, std::vector<Loop> rest, const ExprPtr& guard, const std::vector<Item>& body,
                 const Nest& old) {
  if (rest.empty())
    items.insert(items.end(), body.begin(), body.end());
  else
    items.emplace_back(stands_for(make_nest(std::move(rest), guard, body), old));
}

struct Planned {
  Program program;
  IndexValues names;
};

Result<Planned, Refusal> build(View& view, const Nests& nests, std::int64_t wanted) {
  const Site place = item_site(nests.first->items);
  const auto most = static_cast<std::int64_t>(common_loops(nests));
  if (wanted < 1 || wanted > most) {
    return Refusal{&kSameLoops,
                   place,
                   concat("the nests have ", most, " loops in common, from outside, not ", wanted),
                   {{"common", most}, {"depth", wanted}}};
  }
  const auto depth = static_cast<std::size_t>(wanted);
  const auto second = rename(view, nests, depth);
  if (!second) return Refusal{&kSameLoops, place, "a subscript would not fit in 64 bits", {}};
  if (auto refusal = refuse_guards(nests, depth, *second)) return *std::move(refusal);
  const std::vector<Loop> common(nests.one().begin(), nests.one().begin() + wanted);
  const std::vector<Loop> rest(nests.one().begin() + wanted, nests.one().end());
  std::vector<Item> items;
  append_rest(items, rest, nests.first->nest->guard, nests.first->nest->items, *nests.first->nest);
  const std::size_t cut = items.size();
  append_rest(items, second->rest, second->guard, second->items, *nests.second->nest);
  const bool has_nests =
      std::any_of(items.begin(), items.end(), [](const Item& item) { return std::holds_alternative<NestPtr>(item); });
  if (has_nests &&
      std::any_of(common.begin(), common.end(), [](const Loop& loop) { return loop.kind == LoopKind::vectorized; })) {
    return Refusal{&kInnermost, place, "a V loop would have nests inside", {}};
  }
  const ExprPtr guard = nests.is_whole(depth) ? nests.first->nest->guard : nullptr;
  Planned out{with_items(view.program(), nests.second->items, {}), second->names};
  NestPtr whole = stands_for(make_nest(common, guard, std::move(items)), *nests.first->nest);
  whole = stands_for(std::move(whole), *nests.second->nest);
  out.program = with_items(out.program, nests.first->items, {std::move(whole)});
  // Fusion is legal where the fission that undoes it is: the same two orders are compared. At the top level, without
  // data in `s` and `l`, the fused nest is enough to decide it.
  View after(out.program);
  const bool alone = nests.first->around.empty() && !view.has_scoped_data();
  Program fused;
  if (alone) fused.nests = {out.program.nests[nests.first->items[0]]};
  View one(fused);
  const PlacedNest& nest = alone ? *one.find_nest(std::vector<std::uint32_t>{0}) : *after.find_nest(nests.first->items);
  if (auto conflict = distribution_conflict(alone ? one : after, nest, cut)) {
    if (alone) conflict->first.items[0] = conflict->second.items[0] = nests.first->items[0];
    return refuse(kForward, place, *conflict);
  }
  if (const auto conflict = scope_conflict(view, after, {*nests.second, out.names})) {
    return refuse(kScopes, place, *conflict);
  }
  if (const auto conflict = race_conflict(view, after, nests.first->items[0])) return refuse(kRaces, place, *conflict);
  return out;
}

/// Nests are tried at several depths, so a refusal says at which.
Result<Planned, Refusal> plan(View& view, const Nests& nests, std::int64_t depth) {
  auto planned = build(view, nests, depth);
  if (planned) return planned;
  Refusal refusal = planned.error();
  const bool says_depth = std::any_of(refusal.values.begin(), refusal.values.end(),
                                      [](const auto& value) { return value.first == "depth"; });
  if (!says_depth) {
    refusal.message = concat("with ", depth, depth == 1 ? " loop" : " loops", " in common: ", refusal.message);
    refusal.values.emplace_back("depth", depth);
  }
  return refusal;
}

/// The same where other items stand between them: the second nest moves up first, so that what is compared stands in
/// the same order before and after.
Result<Planned, Refusal> plan_over(View& view, const Nests& nests, std::int64_t depth, std::int64_t next) {
  if (next == 1) return plan(view, nests, depth);
  const Item first = item_at(view.program(), nests.first->items);
  const Item second = item_at(view.program(), nests.second->items);
  Program moved = with_items(view.program(), nests.second->items, {});
  moved = with_items(moved, nests.first->items, {first, second});
  View neighbours(moved);
  const auto near = find(neighbours, item_site(nests.first->items), 1);
  return near ? plan(neighbours, *near, depth) : near.error();
}

/// Nests that do not follow at once; extended.
void offer_farther(View& view, const Site& site, Listing& listing) {
  for (std::int64_t next = 2; next <= kFarthest; ++next) {
    const auto nests = find(view, site, next);
    const std::size_t most = nests ? common_loops(*nests) : 0;
    if (most == 0) continue;
    if (auto refusal = refuse_between(view, *nests, next)) {
      listing.refuse(*std::move(refusal));
      continue;
    }
    std::vector<std::int64_t> depths;
    for (std::size_t depth = 1; depth <= most; ++depth) {
      const auto wanted = static_cast<std::int64_t>(depth);
      if (listing.allows(plan_over(view, *nests, wanted, next))) depths.push_back(wanted);
    }
    listing.offer({site, {{"depth", std::move(depths)}, {"next", std::vector<std::int64_t>{next}}}, true});
  }
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& first : view.nests()) {
    const Site site = item_site(first.items);
    const auto nests = find(view, site, 1);
    if (!listing.allows(nests)) {
      if (listing.extended) offer_farther(view, site, listing);
      continue;
    }
    const std::size_t most = common_loops(*nests);
    if (most == 0) listing.refuse({&kSameLoops, site, "their first loops differ", {{"common", 0}}});
    std::vector<std::int64_t> whole;
    std::vector<std::int64_t> partly;
    for (std::size_t depth = 1; depth <= most; ++depth) {
      if (!nests->is_whole(depth) && !listing.extended) continue;
      if (listing.allows(plan(view, *nests, static_cast<std::int64_t>(depth))))
        (nests->is_whole(depth) ? whole : partly).push_back(static_cast<std::int64_t>(depth));
    }
    listing.offer({site, {{"depth", std::move(whole)}}, false});
    listing.offer({site, {{"depth", std::move(partly)}}, true});
    if (listing.extended) offer_farther(view, site, listing);
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const std::int64_t next = choice.integer("next");
  const auto nests = find(view, choice.at, next);
  if (!nests) return nests.error();
  if (auto refusal = refuse_between(view, *nests, next)) return *std::move(refusal);
  auto planned = plan_over(view, *nests, choice.integer("depth"), next);
  if (!planned) return planned.error();
  Applied out;
  out.program = std::move(planned->program);
  const Site second = item_site(nests->second->items);
  out.facts.matched = {{"expression", choice.at}, {"expression", second}};
  out.facts.removed = out.facts.matched;
  out.facts.added = {{"expression", choice.at}};
  for (const auto& [from, to] : planned->names) {
    out.facts.renamings.push_back({"index", from, *to.as_variable(), second});
  }
  out.facts.holds = {{&kForward, {}},
                     {&kSameLoops, {{"depth", choice.integer("depth")}}},
                     {&kScopes, {}},
                     {&kRaces, {}},
                     {&kBetween, {{"items", next - 1}}}};
  out.facts.values = {{"depth", choice.integer("depth")}, {"next", next}};
  out.facts.because =
      "what the second nest needs of the first is made in the same or an earlier iteration of the common "
      "loops, and no element passes between different values of a P, V or B loop among them";
  return out;
}

}  // namespace

const Strategy& operator_fusion_strategy() {
  static constexpr Strategy kStrategy = {
      "operator_fusion",
      Level::graph,
      "two nests, one behind the other, get their first loops in common",
      "L^{6}_{a=0}[S1(a)];L^{6}_{c=0}[S2(c)]   -->   L^{6}_{a=0}[S1(a);S2(a)]",
      "no iteration of the second touches, before a later iteration of the first does, an element that one of them "
      "writes, and none is touched by different values of a common P, V or B loop",
      "operator_fission",
      {"@input A f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;];B^{8}_{tx=0}[E^{f32,g}_{tx}=exp(D^{f32,g}_{tx});];\n",
       R"({"at":"0","depth":1})"},
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
