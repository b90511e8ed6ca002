/// operator_fission: a nest is cut into two with the same loops.
///   L^{6}_{a=0}[S1(a);S2(a)]   -->   L^{6}_{a=0}[S1(a)];L^{6}_{a=0}[S2(a)]
/// Safe because no iteration of the second part has to run before a later iteration of the first.
#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"cut", Parameter::Kind::integer, "how many items stay in the first nest"},
};
constexpr Precondition kPublished[] = {
    {Check::dependency, "forward",
     "no iteration of the second part touches an element before a later iteration of the first does, one of them "
     "writing"},
    {Check::equation_count, "items", "the nest has items on both sides of the cut"},
};
constexpr Precondition kSafety[] = {
    {Check::scope, "scopes", "data in s and l stays in one kernel, and block loops enclose all items of theirs"},
};
constexpr const Precondition& kForward = kPublished[0];
constexpr const Precondition& kItems = kPublished[1];
constexpr const Precondition& kScopes = kSafety[0];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes};

/// The loops of a nest around some items. A single nest among them joins its loops to these, as it was before a fusion
/// put it there.
Item part(const Nest& nest, std::vector<Item> items) {
  const auto* only = items.size() == 1 && !nest.guard ? std::get_if<NestPtr>(&items[0]) : nullptr;
  if (!only) return stands_for(make_nest(nest.loops, nest.guard, std::move(items)), nest);
  std::vector<Loop> loops = nest.loops;
  loops.insert(loops.end(), (*only)->loops.begin(), (*only)->loops.end());
  return stands_for(stands_for(make_nest(std::move(loops), (*only)->guard, (*only)->items), nest), **only);
}

Program build(View& view, const PlacedNest& nest, std::int64_t cut) {
  const auto middle = nest.nest->items.begin() + static_cast<std::ptrdiff_t>(cut);
  const Item first = part(*nest.nest, {nest.nest->items.begin(), middle});
  const Item second = part(*nest.nest, {middle, nest.nest->items.end()});
  return with_items(view.program(), nest.items, {first, second});
}

Result<Program, Refusal> plan(View& view, const PlacedNest& nest, std::int64_t cut) {
  const Site place = item_site(nest.items);
  const auto count = static_cast<std::int64_t>(nest.nest->items.size());
  if (cut < 1 || cut >= count) {
    return Refusal{&kItems, place, concat(count, " items, cut behind ", cut), {{"items", count}, {"cut", cut}}};
  }
  if (const auto conflict = distribution_conflict(view, nest, static_cast<std::size_t>(cut))) {
    return refuse(kForward, place, *conflict);
  }
  Program program = build(view, nest, cut);
  View after(program);
  if (const auto conflict = scope_conflict(view, after, {nest, {}})) return refuse(kScopes, place, *conflict);
  return program;
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const auto count = static_cast<std::int64_t>(nest.nest->items.size());
    if (count == 1) listing.refuse({&kItems, item_site(nest.items), "one item", {{"items", count}}});
    std::vector<std::int64_t> cuts;
    for (std::int64_t cut = 1; cut < count; ++cut) {
      if (listing.allows(plan(view, nest, cut))) cuts.push_back(cut);
    }
    listing.offer({item_site(nest.items), {{"cut", std::move(cuts)}}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto found = nest_at(view, choice.at);
  if (!found) return found.error();
  const PlacedNest* nest = *found;
  const std::int64_t cut = choice.integer("cut");
  auto program = plan(view, *nest, cut);
  if (!program) return program.error();
  Applied out;
  out.program = std::move(program).value();
  out.facts.matched = {{"expression", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = {{"expression", choice.at}, {"expression", item_site(sibling(nest->items, 1))}};
  out.facts.holds = {{&kForward, {}},
                     {&kItems, {{"items", static_cast<std::int64_t>(nest->nest->items.size())}, {"cut", cut}}},
                     {&kScopes, {}}};
  out.facts.values = {{"cut", cut}};
  out.facts.because =
      "what the second part needs of the first is made in the same or an earlier iteration, and the first "
      "needs nothing of an earlier iteration of the second";
  return out;
}

}  // namespace

const Strategy& operator_fission_strategy() {
  static constexpr Strategy kStrategy = {
      "operator_fission",
      Level::graph,
      "a nest is cut into two with the same loops",
      "L^{6}_{a=0}[S1(a);S2(a)]   -->   L^{6}_{a=0}[S1(a)];L^{6}_{a=0}[S2(a)]",
      "no iteration of the second part has to run before a later iteration of the first",
      "operator_fusion",
      {"@input A f32[8]\n@output E f32[8]\n"
       "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}*2;E^{f32,g}_{tx}=exp(D^{f32,g}_{tx});];\n",
       R"({"at":"0","cut":1})"},
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
