/// online_softmax: the maximum and the sum of a softmax, or a log-softmax, become recurrences over one loop.
///   X=max(X,A_{k});E=E+exp(A_{k}-X);F_{k}=exp(A_{k}-X)/E;
///     -->   X_{k}=max(X_{k-1},A_{k});N_{k}=if_then_else(X_{k}==-inf,0,N_{k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k}));
///           F_{k}=exp(A_{k}-X_{n-1})/N_{n-1};
/// Safe because X_{n-1} and N_{n-1} are X and E. Where A may be -inf, F_{k} is divided by
/// if_then_else(X_{n-1}==-inf,inf-inf,N_{n-1}): of a row of nothing but -inf the sum is NaN as it was, not zero.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/online.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"loop", Parameter::Kind::word, "the index of the loop that carries the recurrences"},
    {"form", Parameter::Kind::word, "\"deferred\", legal also where a row begins with -inf, or \"published\""},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "pattern",
     "the nest is E=E+exp(A-X), X=max(X,A) stands before it in the same body, over the same loops, and exp(A-X)/E or "
     "A-X-log(E) behind it; nothing else writes E and X, all is in g and without guards"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "serial", "all loops that are reduced run serially, and no loop is vectorized"},
    {Check::fact, "above", "for the published form: A is more than -inf, and one loop is reduced"},
    {Check::order, "between", "nothing that A reads is written between the maximum and the sum"},
    {Check::size, "memory", "the recurrences have at most 2^31 elements"},
};
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations};

/// The pair, where its sum is the divisor of a softmax.
Result<SoftmaxPair, Refusal> find(View& view, const PlacedNest& nest) {
  const Site site = item_site(nest.items);
  auto pair = find_pair(view, nest);
  if (!pair) return refuse(kPublished, kSafety, site, pair.error());
  const std::vector<Statement>& statements = view.table().statements;
  const bool is_used = std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return &statement != pair->sum.statement && is_softmax_use(view, *pair, statement);
  });
  if (!is_used) {
    return refuse(kPublished, kSafety, site,
                  Obstacle{"pattern", concat(pair->sum.left()->tensor, " is the sum of no softmax")});
  }
  return *std::move(pair);
}

Result<Online, Refusal> plan(View& view, const PlacedNest& nest, const std::string& loop, OnlineForm form) {
  const auto pair = find(view, nest);
  if (!pair) return pair.error();
  auto online = online_form(view, *pair, loop, form, false);
  if (!online) return refuse(kPublished, kSafety, item_site(nest.items), online.error());
  return *std::move(online);
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const auto pair = find(view, nest);
    if (!listing.allows(pair)) continue;
    const auto is_allowed = [&](const std::string& loop, OnlineForm form) {
      return listing.allows(plan(view, nest, loop, form));
    };
    offer_forms(nest, pair->sum.reduced, is_allowed, listing);
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto nest = nest_at(view, choice.at);
  if (!nest) return nest.error();
  const auto form = form_of(choice);
  if (!form) return form.error();
  auto online = plan(view, **nest, choice.word("loop"), *form);
  if (!online) return online.error();
  Applied out = applied_from(*online);
  out.facts.holds = {
      {&kPublished[0], {{"loop", online->carry}}}, {&kSafety[0], {}}, {&kSafety[2], {}}, {&kSafety[3], {}}};
  if (*form == OnlineForm::published) out.facts.holds.push_back({&kSafety[1], {}});
  out.facts.values = {{"loop", online->carry}, {"form", choice.word("form")}, {"tensor", online->tensors[0]}};
  out.facts.because = concat("in the last iteration of ", online->carry,
                             " the recurrences have seen every element: they are the maximum and the sum");
  return out;
}

}  // namespace

const Strategy& online_softmax_strategy() {
  static constexpr Strategy kStrategy = {
      "online_softmax",
      Level::math,
      "the maximum and the sum of a softmax become recurrences over one loop",
      "X=max(X,A_{k});E=E+exp(A_{k}-X);F_{k}=exp(A_{k}-X)/E;   -->   X_{k}=max(X_{k-1},A_{k});"
      "N_{k}=if_then_else(X_{k}==-inf,0,N_{k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k}));"
      "F_{k}=exp(A_{k}-X_{n-1})/N_{n-1};",
      "X_{n-1} and N_{n-1} are X and E; where A may be -inf, if_then_else(X_{n-1}==-inf,inf-inf,N_{n-1}) is divided "
      "by, "
      "so that a row of nothing but -inf is NaN as it was",
      "",
      {"@input A f32[8,6]\n@output F f32[8,6]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
       "B^{8}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
       "B^{8}_{tx=0}L^{6}_{a=0}[F^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];\n",
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
