/// hoist: what is independent of a loop is computed once before it.
///   L^{4}_{c=0}[D_{a,c}=exp(A_{a})*C_{c}]   -->   E^{l}=exp(A_{a});L^{4}_{c=0}[D_{a,c}=E^{l}*C_{c}]
/// Safe because no iteration of the loop changes what the expression reads, all that it reads exists before the loop,
/// and each thread keeps the value for itself. Not one of the published strategies.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/caching.h"
#include "steptp/strategies/expressions.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"of", Parameter::Kind::word, "the address of an expression in the body of the loop"},
};
constexpr Precondition kPublished[] = {
    {Check::dependency, "independent",
     "the expression computes something from a tensor, and neither the loop nor one inside, threads aside, occurs in "
     "it"},
};
constexpr Precondition kSafety[] = {
    {Check::scope, "outside", "another loop stands outside, in whose body the value is kept in l"},
    kCacheUnchanged,
    kCachePlacement,
    kCacheCovered,
    kCacheRaces,
};
constexpr const Precondition& kIndependent = kPublished[0];
constexpr const Precondition& kOutside = kSafety[0];
constexpr Component kModifies[] = {Component::expressions, Component::equations};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::expressions};

/// The loop directly outside: before it in the header, or the last of the nest around.
std::optional<PlacedLoop> loop_outside(View& view, const PlacedLoop& at) {
  if (at.position > 0) return PlacedLoop{at.nest, at.position - 1};
  if (at.nest->around.empty()) return std::nullopt;
  const std::vector<std::uint32_t>& items = at.nest->items;
  const PlacedNest* around = view.find_nest(std::span(items).first(items.size() - 1));
  if (!around || around->nest->loops.empty()) return std::nullopt;
  return PlacedLoop{around, around->nest->loops.size() - 1};
}

bool is_below(const PlacedExpr& placed, const PlacedLoop& at) {
  const std::vector<std::uint32_t>& nest = at.nest->items;
  const std::vector<std::uint32_t>& items = placed.statement->items;
  return nest.size() < items.size() && std::equal(nest.begin(), nest.end(), items.begin());
}

/// It computes something from tensors, and only loops outside of this one, or threads, occur in it.
bool is_independent(const PlacedExpr& placed, const PlacedLoop& at) {
  if (is_leaf(*placed.expr) || tensors_of(*placed.expr).empty()) return false;
  const std::set<std::string> used = variables_of(*placed.expr);
  const std::vector<const Loop*>& loops = placed.statement->loops;
  for (std::size_t i = loops_around(*at.nest) + at.position; i < loops.size(); ++i) {
    const auto axis = axis_of(loops[i]->index);
    const bool is_thread = i > loops_around(*at.nest) + at.position && axis && is_thread_axis(*axis);
    if (!is_thread && used.contains(loops[i]->index)) return false;
  }
  return true;
}

Result<CacheStep, Refusal> plan(View& view, const PlacedLoop& at, const PlacedExpr& placed, CachePurpose purpose) {
  if (!is_below(placed, at) || !is_independent(placed, at)) {
    return Refusal{
        &kIndependent,
        at.site(),
        concat("the expression at ", to_text(placed.site), " is not a calculation independent of ", at.loop().index),
        {{"expression", to_text(placed.site)}, {"loop", at.loop().index}}};
  }
  const auto level = loop_outside(view, at);
  if (!level) return Refusal{&kOutside, at.site(), concat(at.loop().index, " is the outermost loop"), {}};
  const CacheRequest request = {*level, to_text(placed.site), Scope::local, CacheForm::plain, purpose, false, true};
  auto step = plan_cached_read(view, request);
  if (!step) return step.error();
  return step;
}

/// Of expressions inside each other only the largest is offered.
bool is_part_of(const Site& inner, const Site& outer) {
  return inner.items == outer.items && inner.part == outer.part && inner.path.size() >= outer.path.size() &&
         std::equal(outer.path.begin(), outer.path.end(), inner.path.begin());
}

void choices(View& view, Listing& listing) {
  const std::vector<PlacedExpr> expressions = all_expressions(view);
  for (const PlacedLoop& at : all_loops(view)) {
    std::vector<std::string> found;
    std::vector<Site> taken;
    for (const PlacedExpr& placed : expressions) {
      const bool is_inside =
          std::any_of(taken.begin(), taken.end(), [&](const Site& outer) { return is_part_of(placed.site, outer); });
      if (is_inside || !is_below(placed, at)) continue;
      if (!listing.allows(plan(view, at, placed, CachePurpose::ask))) continue;
      taken.push_back(placed.site);
      found.push_back(to_text(placed.site));
    }
    if (!found.empty()) listing.offer({at.site(), {{"of", std::move(found)}}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto site = parse_site(choice.word("of"));
  if (!site) return Refusal{&kChoice, choice.at, concat("\"", choice.word("of"), "\" is not an address"), {}};
  const auto placed = find_expression(view, *site);
  if (!placed) return placed.error();
  auto step = plan(view, *at, *placed, CachePurpose::make);
  if (!step) return step.error();
  Applied out;
  out.program = std::move(step->program);
  out.facts.matched = {{"loop", choice.at}};
  out.facts.matched.insert(out.facts.matched.end(), step->uses.begin(), step->uses.end());
  out.facts.removed = step->uses;
  out.facts.added = step->added;
  out.facts.holds = {{&kIndependent, {{"loop", at->loop().index}}},
                     {&kOutside, {}},
                     {&kCacheUnchanged, {}},
                     {&kCachePlacement, {{"scope", std::string("l")}}},
                     {&kCacheCovered, {}}};
  out.facts.values = {{"cache", step->cache}, {"uses", static_cast<std::int64_t>(step->uses.size())}};
  out.facts.because = concat("nothing that the value depends on changes while ", at->loop().index, " runs");
  return out;
}

}  // namespace

const Strategy& hoist_strategy() {
  static constexpr Strategy kStrategy = {
      "hoist",
      Level::memory,
      "what is independent of a loop is computed once before it",
      "L^{4}_{c=0}[D_{a,c}=exp(A_{a})*C_{c}]   -->   E^{l}=exp(A_{a});L^{4}_{c=0}[D_{a,c}=E^{l}*C_{c}]",
      "no iteration of the loop changes what the expression reads, all that it reads exists before the loop, and each "
      "thread keeps the value for itself",
      "compute_inline",
      {"@input A f32[8]\n@input C f32[4]\n@output D f32[8,4]\n"
       "B^{8}_{tx=0}L^{4}_{c=0}[D^{f32,g}_{tx,c}=exp(A^{f32,g}_{tx})*C^{f32,g}_{c};];\n",
       R"({"at":"0:loop[1]","of":"0/0:right.0"})"},
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
