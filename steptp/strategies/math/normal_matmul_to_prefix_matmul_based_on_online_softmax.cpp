/// normal_matmul_to_prefix_matmul_based_on_online_softmax: a matmul with an online softmax becomes a recurrence beside
/// those of the softmax.
///   [X_{k};N_{k};];P_{k}=exp(A_{k}-X_{n-1})/N_{n-1};O_{c}=O_{c}+P_{k}*V_{k,c};
///     -->   [X_{k};N_{k};Q_{c,k}=if_then_else(X_{k}==-inf,0,Q_{c,k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k})*V_{k,c});];
///           O_{c}=Q_{c,n-1}/N_{n-1};
/// Safe because Q_{c,k} is the sum of exp(A_{i}-X_{k})*V_{i,c} over the first k+1 elements, and nothing else reads P.
/// Where P is divided by if_then_else(X_{n-1}==-inf,inf-inf,N_{n-1}), so is Q.
#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/online.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::pattern_match, "pattern",
     "the nest is O=O+P*V over the loops of a softmax P=exp(A-X)/N, whose maximum and sum are recurrences in one nest; "
     "all three stand in one body"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "alone", "nothing else reads P"},
    {Check::order, "between", "V is there when the recurrences run, or these can wait until it is"},
    {Check::size, "memory", "the recurrence has at most 2^31 elements"},
};
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

Result<Online, Refusal> plan(View& view, const PlacedNest& nest) {
  const Site site = item_site(nest.items);
  const auto attention = find_attention(view, nest);
  if (!attention) return refuse(kPublished, kSafety, site, attention.error());
  auto online = attention_form(view, *attention);
  if (!online) return refuse(kPublished, kSafety, site, online.error());
  return *std::move(online);
}

/// Blocks are extended, as they are where they come from.
void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const auto attention = find_attention(view, nest);
    const bool blocked = attention && !attention->online.inner.empty();
    if (blocked && !listing.extended) continue;
    if (listing.allows(plan(view, nest))) listing.offer({item_site(nest.items), {}, blocked});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto nest = nest_at(view, choice.at);
  if (!nest) return nest.error();
  auto online = plan(view, **nest);
  if (!online) return online.error();
  Applied out = applied_from(*online);
  out.facts.holds = {
      {&kPublished[0], {{"loop", online->carry}}}, {&kSafety[0], {}}, {&kSafety[1], {}}, {&kSafety[2], {}}};
  out.facts.values = {{"loop", online->carry}, {"tensor", online->tensors[0]}};
  out.facts.because = concat("in each iteration of ", online->carry, " ", online->tensors[0],
                             " holds the sum so far with the weights of the softmax so far, and nothing else needs the "
                             "weights of the whole softmax");
  return out;
}

}  // namespace

const Strategy& normal_matmul_to_prefix_matmul_based_on_online_softmax_strategy() {
  static constexpr Strategy kStrategy = {
      "normal_matmul_to_prefix_matmul_based_on_online_softmax",
      Level::math,
      "a matmul with an online softmax becomes a recurrence beside those of the softmax",
      "[X_{k};N_{k};];P_{k}=exp(A_{k}-X_{n-1})/N_{n-1};O_{c}=O_{c}+P_{k}*V_{k,c};   -->   "
      "[X_{k};N_{k};Q_{c,k}=if_then_else(X_{k}==-inf,0,Q_{c,k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k})*V_{k,c});];"
      "O_{c}=Q_{c,n-1}/N_{n-1};",
      "Q_{c,k} is the sum of exp(A_{i}-X_{k})*V_{i,c} over the first k+1 elements, and nothing else reads P",
      "",
      {"@input A f32[8,6]\n@input C f32[6,3]\n@output G f32[8,3]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}["
       "D^{f32,g}_{tx,a}=max(if_then_else(a-1<0,-inf,D^{f32,g}_{tx,a-1}),A^{f32,g}_{tx,a});"
       "H^{f32,g}_{tx,a}=if_then_else(D^{f32,g}_{tx,a}==-inf,0,if_then_else(a-1<0,0,"
       "H^{f32,g}_{tx,a-1}*exp(D^{f32,g}_{tx,a-1}-D^{f32,g}_{tx,a}))+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx,a}));];"
       "B^{8}_{tx=0}L^{6}_{a=0}[F^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx,5})/H^{f32,g}_{tx,5};];"
       "B^{8}_{tx=0}L^{3}_{c=0}L^{6}_{d=0}"
       "[G^{f32,g}_{tx,c}=G^{f32,g}_{tx,c}+F^{f32,g}_{tx,d}*C^{f32,g}_{d,c};];\n",
       R"({"at":"2"})"},
      {},
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
