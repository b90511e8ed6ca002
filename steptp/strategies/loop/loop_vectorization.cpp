/// loop_vectorization: an innermost serial loop becomes the lanes of vector instructions.
///   L^{4}_{c=0}[D_{a,c}=f(A_{a,c})]   -->   V^{4}_{c=0}[D_{a,c}=f(A_{a,c})]
/// Safe because no two iterations touch one element that one of them writes; every access goes along its last dimension
/// in steps of one or does not move, and the lanes are a width the device has.
#include <algorithm>

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
    {Check::order, "innermost", "only equations stand inside, and its index is not in the guard"},
    {Check::launch, "width", "the lanes are a power of two, from 2 to 16 bytes of every tensor that moves with them"},
    {Check::fact, "unit-stride",
     "the index is the last subscript with coefficient 1, or does not occur, in each access"},
};
constexpr const Precondition& kNotCarried = kPublished[0];
constexpr const Precondition& kSerial = kSafety[0];
constexpr const Precondition& kInnermost = kSafety[1];
constexpr const Precondition& kWidth = kSafety[2];
constexpr const Precondition& kUnitStride = kSafety[3];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::equations};
constexpr std::int64_t kVectorBytes = 16;

bool uses(const Index& index, const std::string& name) {
  bool found = false;
  for_each_variable(index, [&](const std::string& other) { found = found || other == name; });
  return found;
}

/// name + what does not use it.
bool is_unit_stride(const Index& index, const std::string& name) {
  const auto rest = Index::subtract(index, Index::variable(name));
  return rest && !uses(*rest, name);
}

/// The first reference of the body that does not fit lanes of this loop.
std::optional<Refusal> refuse_access(View& view, const PlacedLoop& at) {
  const Loop& loop = at.loop();
  for (const Access& access : view.table().accesses) {
    const std::vector<std::uint32_t>& items = view.table().statements[access.statement].items;
    if (items.size() <= at.nest->items.size() ||
        !std::equal(at.nest->items.begin(), at.nest->items.end(), items.begin()))
      continue;
    const std::vector<Index>& subscripts = access.ref->subscripts;
    const auto moving = std::count_if(subscripts.begin(), subscripts.end(),
                                      [&](const Index& subscript) { return uses(subscript, loop.index); });
    if (moving == 0) continue;
    if (moving > 1 || !is_unit_stride(subscripts.back(), loop.index)) {
      return Refusal{&kUnitStride,
                     at.site(),
                     concat("an access to ", access.ref->tensor, " at ", to_text(access.site), " does not follow ",
                            loop.index, " in steps of one"),
                     {{"tensor", access.ref->tensor}, {"access", to_text(access.site)}}};
    }
    const std::int64_t bytes = info(access.ref->dtype).bytes;
    if (loop.extent > kVectorBytes / bytes) {
      return Refusal{&kWidth,
                     at.site(),
                     concat(loop.extent, " lanes of ", bytes, " bytes for ", access.ref->tensor),
                     {{"lanes", loop.extent}, {"bytes", bytes}}};
    }
  }
  return std::nullopt;
}

std::optional<Refusal> refusal_of(View& view, const PlacedLoop& at) {
  const Nest& nest = *at.nest->nest;
  const Loop& loop = at.loop();
  if (loop.kind != LoopKind::serial) {
    return Refusal{&kSerial, at.site(), concat(loop.index, " is a ", code(loop.kind), " loop"), {}};
  }
  const bool has_nests = std::any_of(nest.items.begin(), nest.items.end(),
                                     [](const Item& item) { return std::holds_alternative<NestPtr>(item); });
  if (at.position + 1 < nest.loops.size() || has_nests) {
    return Refusal{&kInnermost, at.site(), concat("other loops stand inside ", loop.index), {}};
  }
  bool guarded = false;
  if (nest.guard) {
    for_each_variable(*nest.guard, [&](const std::string& name) { guarded = guarded || name == loop.index; });
  }
  if (guarded) return Refusal{&kInnermost, at.site(), concat("the guard reads ", loop.index), {}};
  if (loop.extent < 2 || loop.extent > kVectorBytes || (loop.extent & (loop.extent - 1)) != 0) {
    return Refusal{&kWidth, at.site(), concat(loop.extent, " lanes"), {{"lanes", loop.extent}}};
  }
  if (auto refusal = refuse_access(view, at)) return refusal;
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
  out.program = with_kind(view.program(), *at, LoopKind::vectorized);
  out.facts.matched = {{"loop", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  out.facts.holds = {{&kNotCarried, {{"loop", at->loop().index}}},
                     {&kSerial, {}},
                     {&kInnermost, {}},
                     {&kWidth, {{"lanes", at->loop().extent}}},
                     {&kUnitStride, {{"loop", at->loop().index}}}};
  out.facts.values = {{"lanes", at->loop().extent}};
  out.facts.because =
      concat("no element that an iteration of ", at->loop().index,
             " writes is touched by another, and every access follows it in steps of one or not at all");
  return out;
}

}  // namespace

const Strategy& loop_vectorization_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_vectorization",
      Level::operators,
      "an innermost serial loop becomes the lanes of vector instructions",
      "L^{4}_{c=0}[D_{a,c}=f(A_{a,c})]   -->   V^{4}_{c=0}[D_{a,c}=f(A_{a,c})]",
      "no two iterations touch one element that one of them writes; every access goes along its last dimension in "
      "steps "
      "of one or does not move, and the lanes are a width the device has",
      "",
      {"@input A f32[8,4]\n@output D f32[8,4]\nB^{8}_{tx=0}L^{4}_{c=0}[D^{f32,g}_{tx,c}=A^{f32,g}_{tx,c}*2;];\n",
       R"({"at":"0:loop[1]"})"},
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
