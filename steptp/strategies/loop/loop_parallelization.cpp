/// loop_parallelization: a serial loop whose iterations do not meet becomes a parallel one.
///   L^{6}_{a=0}[D_{a}=f(A_{a})]   -->   P^{6}_{a=0}[D_{a}=f(A_{a})]
/// Safe because no two iterations touch one element that one of them writes, so that their order does not matter.
#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"

namespace steptp {

namespace {

constexpr Precondition kPublished[] = {
    {Check::reduction_axis, "not-carried",
     "no two iterations touch one element that one of them writes: neither a reduction nor a recurrence runs over it"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "serial", "the loop is an L loop"},
};
constexpr const Precondition& kNotCarried = kPublished[0];
constexpr const Precondition& kSerial = kSafety[0];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations};

std::optional<Refusal> refusal_of(View& view, const PlacedLoop& at) {
  if (at.loop().kind != LoopKind::serial) {
    return Refusal{&kSerial, at.site(), concat(at.loop().index, " is a ", code(at.loop().kind), " loop"), {}};
  }
  const auto conflict = carried_conflict(view, *at.nest, at.position, false);
  return conflict ? std::optional(refuse(kNotCarried, at.site(), *conflict)) : std::nullopt;
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    if (listing.allows(refusal_of(view, at))) listing.offer({at.site(), {}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  if (auto refusal = refusal_of(view, *at)) return *std::move(refusal);
  Applied out;
  out.program = with_kind(view.program(), *at, LoopKind::parallel);
  out.facts.matched = {{"loop", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  out.facts.holds = {{&kNotCarried, {{"loop", at->loop().index}}}, {&kSerial, {}}};
  out.facts.values = {{"extent", at->loop().extent}};
  out.facts.because =
      concat("no element that an iteration of ", at->loop().index, " writes is touched by another iteration");
  return out;
}

}  // namespace

const Strategy& loop_parallelization_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_parallelization",
      Level::operators,
      "a serial loop whose iterations do not meet becomes a parallel one",
      "L^{6}_{a=0}[D_{a}=f(A_{a})]   -->   P^{6}_{a=0}[D_{a}=f(A_{a})]",
      "no two iterations touch one element that one of them writes, so that their order does not matter",
      "",
      {kMatmulExample, R"({"at":"0:loop[1]"})"},
      {},
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
