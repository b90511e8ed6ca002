/// bounds: a calculation that a triangular condition makes needless is guarded, and rounds of its loop are skipped as a
/// whole where none of them is needed.
///   D_{a}=D_{a}+if_then_else(c<=a,A_{c},0)   -->   L_{k}?{k*16<=a}[L_{c}?{k*16+c<=a}[D_{a}=D_{a}+A_{k*16+c}]]
///   D_{a,c}=f(a,c); E_{a,c}=if_then_else(c<=a,D_{a,c},0)   -->   ?{c<=a}[D_{a,c}=f(a,c)]; E_{a,c}=..
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/moves/parts.h"
#include "steptp/strategies/expressions.h"

namespace steptp {

const Move& bounds_move();

namespace {

constexpr std::string_view kForms[] = {"needed", "neutral"};
constexpr Parameter kParameters[] = {
    {"form", Parameter::Kind::word,
     "needed: at an equation whose tensor is read under a condition on indices only; neutral: at an accumulation that "
     "takes its neutral value where such a condition fails"},
    {"inner", Parameter::Kind::integer,
     "iterations of a round of the last L loop that the condition compares; 0: it stays as it is", 0},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::size, "inner", "inner is 0, or smaller than the last L loop that the condition compares, and 2 or more"},
};
constexpr const Precondition& kInner = kNeeds[1];
constexpr std::int64_t kRounds[] = {16, 64};

/// The last L loop of the header around an equation that its guard reads; nothing where it reads none.
std::optional<AxisOf> compared_loop(View& view, const std::vector<std::uint32_t>& equation) {
  const Statement* statement = view.find_statement(equation);
  std::optional<AxisOf> out;
  if (!statement || !statement->nests.back()->guard) return out;
  const std::set<std::string> names = variables_of(*statement->nests.back()->guard);
  for (const AxisOf& loop : loops_around(*statement)) {
    const bool in_header = loop.loop.items.size() + 1 == equation.size();
    if (in_header && loop.kind == LoopKind::serial && names.contains(loop.index)) out = loop;
  }
  return out;
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto form = one_of(choice, "form", kForms);
  if (!form) return form.error();
  const std::int64_t inner = choice.integer("inner");
  const Handle& equation = builder.follow(choice.at);
  if (!builder.step("range_cut", choice.at, {{"form", std::string(kForms[*form])}})) return builder.refusal();
  if (inner == 0) return builder.refusal();
  const auto loop = compared_loop(builder.view(), equation.only()->items);
  if (!loop || inner < 2 || inner >= loop->extent) {
    return Refusal{&kInner,
                   choice.at,
                   loop ? concat("rounds of ", inner, " of ", loop->extent, " iterations of ", loop->index)
                        : std::string("the condition compares no L loop"),
                   {{"inner", inner}}};
  }
  if (builder.step("loop_split", loop->loop, {{"inner", inner}, {"kind", "inner"}})) {
    (void)builder.step("range_cut", loop->loop, {{"form", "blocks"}});
  }
  return builder.refusal();
}

void choices(View& view, Listing& listing) {
  for (const Statement& statement : view.table().statements) {
    const Site site = item_site(statement.items);
    for (const std::string_view form : kForms) {
      const Values whole = {{"form", std::string(form)}};
      auto inner = values_that_work(bounds_move(), view, {site, whole}, {"inner", std::vector<std::int64_t>{0}}, listing);
      if (inner.count() == 0) continue;
      std::vector<std::int64_t> rounds(std::begin(kRounds), std::end(kRounds));
      const auto more = values_that_work(bounds_move(), view, {site, whole}, {"inner", std::move(rounds)}, listing);
      auto& values = std::get<std::vector<std::int64_t>>(inner.values);
      const auto& found = std::get<std::vector<std::int64_t>>(more.values);
      values.insert(values.end(), found.begin(), found.end());
      listing.offer({site, {{"form", std::vector<std::string>{std::string(form)}}, std::move(inner)}, false});
    }
  }
}

}  // namespace

const Move& bounds_move() {
  static constexpr Move kMove = {
      "bounds",
      "what a triangular condition makes needless is guarded, and rounds that are not needed are skipped as a whole",
      "D_{a}=D_{a}+if_then_else(c<=a,A_{c},0)   -->   L_{k}?{k*16<=a}[L_{c}?{k*16+c<=a}[D_{a}=D_{a}+A_{k*16+c}]]",
      {"@input A f32[4,64]\n@output D f32[4,64]\n"
       "B^{4}_{by=0}B^{64}_{tx=0}L^{64}_{c=0}"
       "[D^{f32,g}_{by,tx}=D^{f32,g}_{by,tx}+if_then_else(c<=tx,A^{f32,g}_{by,c},0);];\n",
       R"({"at":"0/0","form":"neutral","inner":16})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      3,
  };
  return kMove;
}

}  // namespace steptp
