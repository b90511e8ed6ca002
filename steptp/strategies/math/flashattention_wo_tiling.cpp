/// flashattention_wo_tiling: a softmax and the matmul behind it become recurrences over one loop: online_softmax, then
/// normal_matmul_to_prefix_matmul_based_on_online_softmax.
///   X=max(X,A_{k});E=E+exp(A_{k}-X);P_{k}=exp(A_{k}-X)/E;O_{c}=O_{c}+P_{k}*V_{k,c};
///     -->   [X_{k};N_{k};Q_{c,k}=if_then_else(X_{k}==-inf,0,Q_{c,k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k})*V_{k,c});];
///           O_{c}=Q_{c,n-1}/N_{n-1};
/// Safe because both steps are.
#include <algorithm>
#include <optional>

#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/online.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"loop", Parameter::Kind::word, "the index of the loop, in the sum of the softmax, that carries the recurrences"},
    {"form", Parameter::Kind::word, "\"deferred\", legal also where a row begins with -inf, or \"published\""},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "pattern",
     "the nest is O=O+P*V over the loops of a softmax P=exp(A-X)/E with X=max(X,A) and E=E+exp(A-X), all in one body, "
     "in g and without guards"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "serial", "all loops that are reduced run serially, and no loop is vectorized"},
    {Check::fact, "above", "for the published form: A is more than -inf, and one loop is reduced"},
    {Check::order, "alone", "nothing else reads P"},
    {Check::order, "between", "nothing that is read changes between, and V is there when the recurrences run"},
    {Check::size, "memory", "the recurrences have at most 2^31 elements"},
};
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations,
                                   Component::variables, Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::index_calculations, NewElement::expressions};

struct Found {
  const PlacedNest* matmul = nullptr;
  SoftmaxPair pair;
};

Result<Found, Refusal> find(View& view, const PlacedNest& nest) {
  const Site site = item_site(nest.items);
  const auto sum = find_normal_softmax(view, nest);
  if (!sum) return refuse(kPublished, kSafety, site, sum.error());
  return Found{&nest, *find_pair(view, **sum)};
}

struct Planned {
  Online softmax;
  Online attention;
  std::vector<Part> matched;  ///< in the program before both steps
};

/// The nest that writes the output, after the first step.
const PlacedNest* matmul_in(View& view, const std::string& output) {
  for (const Statement& statement : view.table().statements) {
    if (statement.equation->left->tensor != output) continue;
    return view.find_nest(std::span(statement.items).first(statement.items.size() - 1));
  }
  return nullptr;
}

Result<Planned, Refusal> plan(View& view, const Found& found, const std::string& loop, OnlineForm form) {
  const Site site = item_site(found.matmul->items);
  auto softmax = online_form(view, found.pair, loop, form, false);
  if (!softmax) return refuse(kPublished, kSafety, site, softmax.error());
  Planned out{*std::move(softmax), {}, {}};
  View between(out.softmax.program);
  const std::string& output = std::get<EquationPtr>(found.matmul->nest->items[0])->left->tensor;
  const PlacedNest* matmul = matmul_in(between, output);
  const auto attention = find_attention(between, *matmul);
  if (!attention) return refuse(kPublished, kSafety, site, attention.error());
  auto whole = attention_form(between, *attention);
  if (!whole) return refuse(kPublished, kSafety, site, whole.error());
  out.attention = *std::move(whole);
  out.matched = out.softmax.matched;
  // The quotient and the matmul stand where they stood, but for the nest that the first step took out or put in.
  const std::string& weights = std::get<EquationPtr>(attention->quotient->nest->items[0])->left->tensor;
  out.matched.push_back({"quotient", item_site(matmul_in(view, weights)->items)});
  out.matched.push_back({"matmul", site});
  return out;
}

void choices(View& view, Listing& listing) {
  for (const PlacedNest& nest : view.nests()) {
    const auto found = find(view, nest);
    if (!listing.allows(found)) continue;
    const auto is_allowed = [&](const std::string& loop, OnlineForm form) {
      return listing.allows(plan(view, *found, loop, form));
    };
    offer_forms(nest, found->pair.sum.reduced, is_allowed, listing);
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto nest = nest_at(view, choice.at);
  if (!nest) return nest.error();
  const auto form = form_of(choice);
  if (!form) return form.error();
  const auto found = find(view, **nest);
  if (!found) return found.error();
  auto planned = plan(view, *found, choice.word("loop"), *form);
  if (!planned) return planned.error();
  Applied out;
  out.program = std::move(planned->attention.program);
  out.facts.matched = std::move(planned->matched);
  out.facts.removed = out.facts.matched;
  // Of the uses of the maximum and the sum the quotient is gone.
  for (const Part& part : planned->softmax.removed) {
    const std::vector<std::uint32_t>& quotient = out.facts.matched[2].site.items;
    const bool inside = part.site.items.size() > quotient.size() &&
                        std::equal(quotient.begin(), quotient.end(), part.site.items.begin());
    if (part.role == "use" && !inside) out.facts.removed.push_back(part);
  }
  out.facts.added = std::move(planned->attention.added);
  out.facts.holds = {{&kPublished[0], {{"loop", planned->softmax.carry}}},
                     {&kSafety[0], {}},
                     {&kSafety[2], {}},
                     {&kSafety[3], {}},
                     {&kSafety[4], {}}};
  if (*form == OnlineForm::published) out.facts.holds.push_back({&kSafety[1], {}});
  out.facts.values = {{"loop", planned->softmax.carry},
                      {"form", choice.word("form")},
                      {"sum", planned->softmax.tensors[0]},
                      {"output", planned->attention.tensors[0]}};
  out.facts.because = concat("in each iteration of ", planned->softmax.carry,
                             " sum and output so far refer to the maximum so far; in the last one they are those of "
                             "the whole row");
  return out;
}

}  // namespace

const Strategy& flashattention_wo_tiling_strategy() {
  static constexpr Strategy kStrategy = {
      "flashattention_wo_tiling",
      Level::math,
      "a softmax and the matmul behind it become recurrences over one loop",
      "X=max(X,A_{k});E=E+exp(A_{k}-X);P_{k}=exp(A_{k}-X)/E;O_{c}=O_{c}+P_{k}*V_{k,c};   -->   "
      "[X_{k};N_{k};Q_{c,k}=if_then_else(X_{k}==-inf,0,Q_{c,k-1}*exp(X_{k-1}-X_{k})+exp(A_{k}-X_{k})*V_{k,c});];"
      "O_{c}=Q_{c,n-1}/N_{n-1};",
      "it is online_softmax, then normal_matmul_to_prefix_matmul_based_on_online_softmax, and both are legal",
      "",
      {"@input A f32[8,6]\n@input C f32[6,3]\n@output G f32[8,3]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
       "B^{8}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
       "B^{8}_{tx=0}L^{6}_{a=0}[F^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];"
       "B^{8}_{tx=0}L^{3}_{c=0}L^{6}_{d=0}"
       "[G^{f32,g}_{tx,c}=G^{f32,g}_{tx,c}+F^{f32,g}_{tx,d}*C^{f32,g}_{d,c};];\n",
       R"({"at":"3","loop":"a","form":"deferred"})"},
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
