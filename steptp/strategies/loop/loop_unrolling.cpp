/// loop_unrolling: a serial loop becomes an unrolled one.
///   L^{4}_{c=0}[S(c)]   -->   U^{4}_{c=0}[S(c)]
/// Safe because the kind of a loop changes no value: U only tells a back end to repeat the body.
#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/strategies/loops.h"

namespace steptp {

namespace {

constexpr Precondition kSafety[] = {
    {Check::order, "serial", "the loop is an L loop"},
    {Check::size, "budget",
     "the equations, repeated by all unrolled loops around them, stay within the device's limit"},
};
constexpr const Precondition& kSerial = kSafety[0];
constexpr const Precondition& kBudget = kSafety[1];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations};

/// How many equations a body has once U loops are repeated, with one more loop counted as such; saturates.
std::int64_t unrolled_size(const Nest& nest, const Loop* also, std::int64_t limit) {
  std::int64_t times = 1;
  for (const Loop& loop : nest.loops) {
    if (loop.kind != LoopKind::unrolled && &loop != also) continue;
    if (loop.extent > limit / times) return limit + 1;
    times *= loop.extent;
  }
  std::int64_t size = 0;
  for (const Item& item : nest.items) {
    const auto* inner = std::get_if<NestPtr>(&item);
    size += inner ? unrolled_size(**inner, also, limit) : 1;
    if (size > limit) return limit + 1;
  }
  return size > limit / times ? limit + 1 : size * times;
}

struct Unrolling {
  PlacedLoop at;
  std::int64_t size = 0;
};

Result<Unrolling, Refusal> plan(View& view, const PlacedLoop& at) {
  if (at.loop().kind != LoopKind::serial) {
    return Refusal{&kSerial, at.site(), concat(at.loop().index, " is a ", code(at.loop().kind), " loop"), {}};
  }
  const std::int64_t limit = default_device().unrolled_iterations;
  const std::int64_t size = unrolled_size(*view.program().nests[at.expression()], &at.loop(), limit);
  if (size <= limit) return Unrolling{at, size};
  return Refusal{&kBudget,
                 at.site(),
                 concat("the expression would have more than ", limit, " equations"),
                 {{"extent", at.loop().extent}, {"limit", limit}}};
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    if (listing.allows(plan(view, at))) listing.offer({at.site(), {}, false});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto planned = plan(view, *at);
  if (!planned) return planned.error();
  Applied out;
  out.program = with_kind(view.program(), *at, LoopKind::unrolled);
  out.facts.matched = {{"loop", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  out.facts.holds = {{&kSerial, {}},
                     {&kBudget, {{"equations", planned->size}, {"limit", default_device().unrolled_iterations}}}};
  out.facts.values = {{"extent", at->loop().extent}, {"equations", planned->size}};
  out.facts.because = concat("an unrolled loop runs its ", at->loop().extent, " iterations in the same order");
  return out;
}

}  // namespace

const Strategy& loop_unrolling_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_unrolling",
      Level::operators,
      "a serial loop becomes an unrolled one",
      "L^{4}_{c=0}[S(c)]   -->   U^{4}_{c=0}[S(c)]",
      "the kind of a loop changes no value: U only tells a back end to repeat the body",
      "",
      {kMatmulExample, R"({"at":"0:loop[2]"})"},
      {},
      {},
      kSafety,
      kModifies,
      {},
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
