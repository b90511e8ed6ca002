/// normal_loop_summation_on_exp_to_prefix_summation_on_exp: a maximum and a sum of exponentials become recurrences over
/// one loop.
///   X=max(X,A_{k});E=E+exp(A_{k}-X);
///     -->   X_{k}=max(X_{k-1},A_{k});N_{k}=if_then_else(X_{k}==-inf,0,N_{k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k}));
///           E=N_{n-1};
/// Safe because N_{k} is the sum of exp(A_{i}-X_{k}) over the first k+1 elements: a step multiplies what was summed
/// before by exp(X_{k-1}-X_{k}). While everything was -inf, nothing is added up.
#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/online.h"

namespace steptp {

namespace {

constexpr std::string_view kSum = "sum";  ///< a sum of anything, which needs no maximum: extended
constexpr Parameter kParameters[] = {
    {"loop", Parameter::Kind::word, "the index of the loop that carries the recurrences"},
    {"form", Parameter::Kind::word,
     "\"deferred\", legal also where a row begins with -inf; \"published\"; \"sum\", of anything, without a maximum"},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "pattern",
     "the nest is E=E+exp(A-X), and X=max(X,A) stands before it in the same body, over the same loops; nothing else "
     "writes E and X, all is in g and without guards"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "serial", "all loops that are reduced run serially, and no loop is vectorized"},
    {Check::fact, "above", "for the published form: A is more than -inf, and one loop is reduced"},
    {Check::order, "between", "nothing that A reads is written between the maximum and the sum"},
    {Check::size, "memory", "the recurrences have at most 2^31 elements"},
};
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

Result<Online, Refusal> plan_sum(View& view, const PlacedNest& nest, const std::string& loop) {
  const Site site = item_site(nest.items);
  const auto reduction = find_reduction(view, nest);
  if (!reduction) return refuse(kPublished, kSafety, site, reduction.error());
  if (reduction->op != ArithmeticOp::add) {
    return refuse(kPublished, kSafety, site, Obstacle{"pattern", "it adds nothing up"});
  }
  auto online = prefix_form(view, *reduction, loop);
  if (!online) return refuse(kPublished, kSafety, site, online.error());
  return *std::move(online);
}

Result<Online, Refusal> plan(View& view, const PlacedNest& nest, const std::string& loop, OnlineForm form) {
  const Site site = item_site(nest.items);
  const auto pair = find_pair(view, nest);
  if (!pair) return refuse(kPublished, kSafety, site, pair.error());
  auto online = online_form(view, *pair, loop, form, true);
  if (!online) return refuse(kPublished, kSafety, site, online.error());
  return *std::move(online);
}

void offer_sum(View& view, const PlacedNest& nest, Listing& listing) {
  const auto reduction = find_reduction(view, nest);
  if (!reduction || reduction->op != ArithmeticOp::add) return;
  std::vector<std::string> loops;
  for (const Loop& loop : reduction->reduced) {
    if (listing.allows(plan_sum(view, nest, loop.index))) loops.push_back(loop.index);
  }
  listing.offer({item_site(nest.items),
                 {{"loop", std::move(loops)}, {"form", std::vector<std::string>{std::string(kSum)}}},
                 true});
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    if (const auto pair = find_pair(view, nest)) {
      const auto is_allowed = [&](const std::string& loop, OnlineForm form) {
        return listing.allows(plan(view, nest, loop, form));
      };
      offer_forms(nest, pair->sum.reduced, is_allowed, listing);
    } else {
      listing.refuse(refuse(kPublished, kSafety, item_site(nest.items), pair.error()));
    }
    if (listing.extended) offer_sum(view, nest, listing);
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto nest = nest_at(view, choice.at);
  if (!nest) return nest.error();
  const bool plain = choice.word("form") == kSum;
  const auto form = plain ? Result<OnlineForm, Refusal>(OnlineForm::deferred) : form_of(choice);
  if (!form) return form.error();
  auto online = plain ? plan_sum(view, **nest, choice.word("loop")) : plan(view, **nest, choice.word("loop"), *form);
  if (!online) return online.error();
  Applied out = applied_from(*online);
  out.facts.holds = {
      {&kPublished[0], {{"loop", online->carry}}}, {&kSafety[0], {}}, {&kSafety[2], {}}, {&kSafety[3], {}}};
  if (!plain && *form == OnlineForm::published) out.facts.holds.push_back({&kSafety[1], {}});
  out.facts.values = {{"loop", online->carry}, {"form", choice.word("form")}, {"tensor", online->tensors[0]}};
  out.facts.because =
      plain ? concat(online->tensors[0], " holds the sum so far in each iteration of ", online->carry)
            : concat("in each iteration of ", online->carry,
                     " the sum so far is multiplied by exp of the difference of the maxima, so that it always refers "
                     "to the maximum so far");
  return out;
}

}  // namespace

const Strategy& normal_loop_summation_on_exp_to_prefix_summation_on_exp_strategy() {
  static constexpr Strategy kStrategy = {
      "normal_loop_summation_on_exp_to_prefix_summation_on_exp",
      Level::math,
      "a maximum and a sum of exponentials become recurrences over one loop",
      "X=max(X,A_{k});E=E+exp(A_{k}-X);   -->   X_{k}=max(X_{k-1},A_{k});"
      "N_{k}=if_then_else(X_{k}==-inf,0,N_{k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k}));E=N_{n-1};",
      "N_{k} is the sum of exp(A_{i}-X_{k}) over the first k+1 elements: a step multiplies what was summed before by "
      "exp(X_{k-1}-X_{k}), and while everything was -inf, nothing is added up",
      "",
      {"@input A f32[8,6]\n@output E f32[8]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
       "B^{8}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];\n",
       R"({"at":"1","loop":"a","form":"deferred"})"},
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
