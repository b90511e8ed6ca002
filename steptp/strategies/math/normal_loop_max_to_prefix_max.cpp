/// normal_loop_max_to_prefix_max: a maximum becomes a recurrence over one of its loops, and its last value.
///   L_{a}[D=max(D,A_{a});]   -->   L_{a}[E_{a}=max(if_then_else(a-1<0,-inf,E_{a-1}),A_{a});];D=E_{n-1};
/// Safe because E_{a} is the maximum of the first a+1 elements, taken in the order in which the loop runs.
#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/online.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"loop", Parameter::Kind::word, "the index of the loop that carries the recurrence"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "pattern",
     "the nest is one equation X=max(X,A), without a guard and over data in g, nothing else writes X, and the loop is "
     "not in the subscripts of X"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "serial", "all loops that are reduced run serially, and no loop is vectorized"},
    {Check::fact, "identity", "the dtype has a number to begin with"},
    {Check::size, "memory", "the recurrence has at most 2^31 elements"},
};
constexpr Component kModifies[] = {Component::expressions, Component::equations, Component::variables,
                                   Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

Result<Online, Refusal> plan(View& view, const PlacedNest& nest, const std::string& loop) {
  const Site site = item_site(nest.items);
  const auto reduction = find_reduction(view, nest);
  if (!reduction) return refuse(kPublished, kSafety, site, reduction.error());
  if (reduction->op != ArithmeticOp::max) {
    return refuse(kPublished, kSafety, site, Obstacle{"pattern", "it adds up, and takes no maximum"});
  }
  auto online = prefix_form(view, *reduction, loop);
  if (!online) return refuse(kPublished, kSafety, site, online.error());
  return *std::move(online);
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const auto reduction = find_reduction(view, nest);
    const bool is_max = reduction && reduction->op == ArithmeticOp::max;
    if (!is_max) {
      (void)listing.allows(plan(view, nest, ""));
      continue;
    }
    const bool blocked = reduction->reduced.size() > 1;
    if (blocked && !listing.extended) continue;
    std::vector<std::string> loops;
    for (const Loop& loop : reduction->reduced) {
      if (listing.allows(plan(view, nest, loop.index))) loops.push_back(loop.index);
    }
    listing.offer({item_site(nest.items), {{"loop", std::move(loops)}}, blocked});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto nest = nest_at(view, choice.at);
  if (!nest) return nest.error();
  auto online = plan(view, **nest, choice.word("loop"));
  if (!online) return online.error();
  Applied out = applied_from(*online);
  out.facts.holds = {
      {&kPublished[0], {{"loop", online->carry}}}, {&kSafety[0], {}}, {&kSafety[1], {}}, {&kSafety[2], {}}};
  out.facts.values = {{"loop", online->carry}, {"tensor", online->tensors[0]}};
  out.facts.because = concat(online->tensors[0], " holds the maximum of the elements so far in each iteration of ",
                             online->carry, ", and that of all of them in the last");
  return out;
}

}  // namespace

const Strategy& normal_loop_max_to_prefix_max_strategy() {
  static constexpr Strategy kStrategy = {
      "normal_loop_max_to_prefix_max",
      Level::math,
      "a maximum becomes a recurrence over one of its loops, and its last value",
      "L_{a}[D=max(D,A_{a});]   -->   L_{a}[E_{a}=max(if_then_else(a-1<0,-inf,E_{a-1}),A_{a});];D=E_{n-1};",
      "E_{a} is the maximum of the first a+1 elements, taken in the order in which the loop runs",
      "",
      {"@input A f32[8,6]\n@output D f32[8]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];\n",
       R"({"at":"0","loop":"a"})"},
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
