/// loop_vectorization: an innermost serial loop becomes the lanes of vector instructions.
///   L^{4}_{c=0}[D_{a,c}=f(A_{a,c})]   -->   V^{4}_{c=0}[D_{a,c}=f(A_{a,c})]
///   L^{4}_{c=0}[D_{(f*4+c)//5,(f*4+c)%5}=g(C_{(f*4+c)%5})]   -->   V^{4}_{c=0}[...]   (extended)
///   L^{4}_{c=0}?{f*4+c<9}[D_{f*4+c}=..]   -->
///   V^{4}_{c=0}?{f*4+3<9}[D_{f*4+c}=..];L^{4}_{c=0}?{f*4+3>=9&f*4+c<9}[D_{f*4+c}=..]   (extended: rest 1)
/// Safe because no two iterations touch one element that one of them writes. It pays because every access goes along
/// its last dimension in steps of one or does not move; or (extended) because the element that is written does so,
/// counted row by row through its tensor: then loops that were fused over rows of any length have vectors, and what is
/// read otherwise is read lane by lane.
#include <algorithm>

#include "steptp/analysis/linear_offset.h"
#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"
#include "steptp/strategies/shared_writes.h"
#include "steptp/strategies/storage.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"rest", Parameter::Kind::integer,
     "1: a guard cuts off some lanes; where it holds for all of them they are a vector, elsewhere a loop behind takes "
     "those for which it holds",
     0},
};
constexpr Precondition kPublished[] = {
    {Check::reduction_axis, "not-carried",
     "no two iterations touch one element that one of them writes: neither a reduction nor a recurrence runs over it"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "serial", "the loop is an L loop"},
    {Check::order, "innermost", "only equations stand inside, and its index is not in the guard (extended: rest)"},
    {Check::launch, "width",
     "the lanes are a power of two, from 2 to 16 bytes of every tensor that moves with them (extended: of one of "
     "them)"},
    {Check::fact, "unit-stride",
     "the index is the last subscript with coefficient 1, or does not occur, in each access (extended: the element "
     "written, counted row by row through its tensor, moves in steps of one)"},
    {Check::order, "rest",
     "with rest 1 one comparison of the guard, linear in the index, cuts off lanes; a loop stands outside, and no B or "
     "P "
     "loop outside is reduced over"},
};
constexpr const Precondition& kNotCarried = kPublished[0];
constexpr const Precondition& kSerial = kSafety[0];
constexpr const Precondition& kInnermost = kSafety[1];
constexpr const Precondition& kWidth = kSafety[2];
constexpr const Precondition& kUnitStride = kSafety[3];
constexpr const Precondition& kRest = kSafety[4];
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

/// How an access moves with the lanes.
enum class Stride : std::uint8_t {
  none,    ///< all lanes touch one element
  last,    ///< the index is the last subscript with coefficient 1: the published form
  offset,  ///< its element moves in steps of one, counted row by row
  other,   ///< each lane for itself
};

Stride stride_by_offset(View& view, const Access& access, const std::string& name) {
  const Statement& statement = view.table().statements[access.statement];
  std::vector<BoxVariable> box;
  for (const Loop* loop : statement.loops) box.push_back({loop->index, loop->extent});
  const auto strides = row_major_strides(view.shape_of(access.ref->tensor).dimensions);
  if (!strides || strides->size() != access.ref->subscripts.size()) return Stride::other;
  const auto offset = linear_offset(access.ref->subscripts, *strides, box);
  if (!offset) return Stride::other;
  if (!uses(*offset, name)) return Stride::none;
  return is_unit_stride(*offset, name) ? Stride::offset : Stride::other;
}

Stride stride_of(View& view, const Access& access, const std::string& name, bool by_offset) {
  const std::vector<Index>& subscripts = access.ref->subscripts;
  const auto moving = std::count_if(subscripts.begin(), subscripts.end(),
                                    [&](const Index& subscript) { return uses(subscript, name); });
  if (moving == 0) return Stride::none;
  if (moving == 1 && is_unit_stride(subscripts.back(), name)) return Stride::last;
  return by_offset ? stride_by_offset(view, access, name) : Stride::other;
}

/// Whether the accesses of the body are those of the published form; or why they do not fit lanes of this loop. With
/// `extended` forms beyond the published one are wanted too.
Result<bool, Refusal> is_published_form(View& view, const PlacedLoop& at, bool extended) {
  const Loop& loop = at.loop();
  std::int64_t narrowest = INT64_MAX;
  std::optional<Refusal> unpublished;
  for (const Access& access : accesses_below(view, *at.nest)) {
    const Stride stride = stride_of(view, access, loop.index, extended);
    if (stride == Stride::none) continue;
    const std::int64_t bytes = info(access.ref->dtype).bytes;
    std::optional<Refusal> here;
    if (stride != Stride::last) {
      here = Refusal{&kUnitStride,
                     at.site(),
                     concat("an access to ", access.ref->tensor, " at ", to_text(access.site), " does not follow ",
                            loop.index, " in steps of one"),
                     {{"tensor", access.ref->tensor}, {"access", to_text(access.site)}}};
    } else if (loop.extent > kVectorBytes / bytes) {
      here = Refusal{&kWidth,
                     at.site(),
                     concat(loop.extent, " lanes of ", bytes, " bytes for ", access.ref->tensor,
                            "; a vector has 2, 4, 8 or 16 lanes and at most ", kVectorBytes, " bytes"),
                     {{"lanes", loop.extent}, {"bytes", bytes}}};
    }
    if (here && (!extended || (stride == Stride::other && access.is_write))) return *std::move(here);
    if (stride != Stride::other) narrowest = std::min(narrowest, bytes);
    if (here && !unpublished) unpublished = std::move(here);
  }
  // The write moves with the lanes, or nothing that is read has to: then no vector would come of it.
  if (unpublished && (narrowest == INT64_MAX || loop.extent > kVectorBytes / narrowest)) return *std::move(unpublished);
  return !unpublished;
}

bool reads_index(const Expr& condition, const std::string& name) { return variables_of(condition).contains(name); }

/// What a guard says of the lanes.
struct LaneGuard {
  std::vector<ExprPtr> others;  ///< conditions without the index
  ExprPtr each;                 ///< the one that cuts off lanes
  ExprPtr all;                  ///< holds where it holds for every lane
  ExprPtr not_all;
};

CompareOp opposite(CompareOp op) {
  switch (op) {
    case CompareOp::less: return CompareOp::greater_equal;
    case CompareOp::less_equal: return CompareOp::greater;
    case CompareOp::greater: return CompareOp::less_equal;
    case CompareOp::greater_equal: return CompareOp::less;
    case CompareOp::equal: return CompareOp::not_equal;
    case CompareOp::not_equal: return CompareOp::equal;
  }
  return op;
}

/// The lane for which a comparison left < right, or the like, is the hardest: their difference runs one way over the
/// lanes. Nothing where it does not.
std::optional<std::int64_t> hardest_lane(const Compare& compare, const Loop& loop) {
  const CompareOp op = compare.operators[0];
  if (compare.operators.size() != 1 || op == CompareOp::equal || op == CompareOp::not_equal) return std::nullopt;
  const auto left = to_index(*compare.operands[0]);
  const auto right = to_index(*compare.operands[1]);
  const auto difference = left && right ? Index::subtract(*left, *right) : std::nullopt;
  if (!difference) return std::nullopt;
  for (const IndexTerm& term : difference->terms()) {
    const auto* variable = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
    if (!variable || variable->name != loop.index) continue;
    const auto part = Index::multiply(Index::variable(loop.index), Index::constant(term.coefficient));
    const auto rest = part ? Index::subtract(*difference, *part) : std::nullopt;
    if (!rest || uses(*rest, loop.index)) return std::nullopt;
    const bool is_upper_bound = op == CompareOp::less || op == CompareOp::less_equal;
    return is_upper_bound == (term.coefficient > 0) ? loop.extent - 1 : 0;
  }
  return std::nullopt;
}

/// Nothing where the guard is not of that kind.
std::optional<LaneGuard> lane_guard(const Nest& nest, const Loop& loop) {
  LaneGuard out;
  for (const ExprPtr& condition : conjuncts(nest.guard)) {
    if (!reads_index(*condition, loop.index)) {
      out.others.push_back(condition);
      continue;
    }
    const auto* compare = std::get_if<Compare>(&condition->node);
    const auto lane = compare && !out.each ? hardest_lane(*compare, loop) : std::nullopt;
    if (!lane) return std::nullopt;
    Rewriter rewriter;
    rewriter.variables = {{loop.index, Index::constant(*lane)}};
    out.each = condition;
    out.all = rewrite(condition, rewriter);
    const auto* at_lane = out.all ? std::get_if<Compare>(&out.all->node) : nullptr;
    if (!at_lane) return std::nullopt;
    out.not_all = make_expr(Compare{at_lane->operands, {opposite(at_lane->operators[0])}});
  }
  return out.each ? std::optional(std::move(out)) : std::nullopt;
}

/// A step that can be made.
struct Lanes {
  bool published = true;
  std::optional<LaneGuard> guard;  ///< set: with a rest
};

Result<std::optional<LaneGuard>, Refusal> guard_of_lanes(View& view, const PlacedLoop& at, bool rest) {
  const Nest& nest = *at.nest->nest;
  const Loop& loop = at.loop();
  const bool guarded = nest.guard && reads_index(*nest.guard, loop.index);
  if (!rest) {
    if (guarded) return Refusal{&kInnermost, at.site(), concat("the guard reads ", loop.index), {}};
    return std::optional<LaneGuard>();
  }
  auto guard = nest.guard ? lane_guard(nest, loop) : std::nullopt;
  if (!guard) {
    return Refusal{&kRest, at.site(), concat("no single comparison of the guard cuts off values of ", loop.index), {}};
  }
  if (at.position == 0) return Refusal{&kRest, at.site(), "no loop of the header stands outside", {}};
  if (const Statement* statement = shared_by_one_equation(view, at)) {
    return Refusal{&kRest,
                   at.site(),
                   concat("iterations that run together share what the equation at ",
                          to_text(item_site(statement->items)), " writes, which only one equation may"),
                   {}};
  }
  return guard;
}

Result<Lanes, Refusal> plan(View& view, const PlacedLoop& at, bool extended, bool rest) {
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
  auto guard = guard_of_lanes(view, at, rest);
  if (!guard) return guard.error();
  if (loop.extent < 2 || loop.extent > kVectorBytes || (loop.extent & (loop.extent - 1)) != 0) {
    return Refusal{&kWidth,
                   at.site(),
                   concat(loop.extent, " lanes; a vector has a power of two of them, from 2 to ", kVectorBytes,
                          " divided by the bytes of an element"),
                   {{"lanes", loop.extent}}};
  }
  const auto published = is_published_form(view, at, extended);
  if (!published) return published.error();
  if (const auto conflict = carried_conflict(view, *at.nest, at.position, false)) {
    return refuse(kNotCarried, at.site(), *conflict);
  }
  return Lanes{*published, *std::move(guard)};
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    const auto lanes = plan(view, at, listing.extended, false);
    if (listing.allows(lanes)) {
      listing.offer({at.site(), {}, !lanes->published});
    } else if (listing.extended && plan(view, at, true, true)) {
      listing.offer({at.site(), {{"rest", std::vector<std::int64_t>{1}}}, true});
    }
  }
}

/// The vector where all lanes run, and behind it the loop where some do.
Program with_rest(View& view, const PlacedLoop& at, const LaneGuard& guard) {
  const Nest& nest = *at.nest->nest;
  Loop lanes = at.loop();
  lanes.kind = LoopKind::vectorized;
  const Item vector = stands_for(make_nest({lanes}, guard.all, nest.items), nest);
  const Item rest = stands_for(make_nest({at.loop()}, conjunction_of({guard.not_all, guard.each}), nest.items), nest);
  const std::vector<Loop> outer(nest.loops.begin(), nest.loops.end() - 1);
  NestPtr both = stands_for(make_nest(outer, conjunction_of(guard.others), {vector, rest}), nest);
  return with_items(view.program(), at.nest->items, {std::move(both)});
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const std::int64_t rest = choice.integer("rest");
  if (rest != 0 && rest != 1) return Refusal{&kChoice, choice.at, concat("rest is 0 or 1, not ", rest), {}};
  const auto planned = plan(view, *at, true, rest == 1);
  if (!planned) return planned.error();
  Applied out;
  out.program =
      planned->guard ? with_rest(view, *at, *planned->guard) : with_kind(view.program(), *at, LoopKind::vectorized);
  out.facts.matched = {{"loop", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  const std::string& index = at->loop().index;
  const bool by_offset = !planned->published;
  out.facts.holds = {{&kNotCarried, {{"loop", index}}},
                     {&kSerial, {}},
                     {&kInnermost, {{"rest", rest}}},
                     {&kWidth, {{"lanes", at->loop().extent}}},
                     {&kUnitStride, {{"loop", index}, {"by_offset", by_offset}}}};
  if (planned->guard) {
    std::vector<std::uint32_t> items = at->nest->items;
    items.push_back(0);
    out.facts.added = {{"loop", loop_site(items, 0)}, {"loop", loop_site(sibling(items, 1), 0)}};
    out.facts.holds.push_back({&kRest, {{"loop", index}}});
  }
  out.facts.values = {{"lanes", at->loop().extent}, {"by_offset", by_offset}, {"rest", rest}};
  out.facts.because = concat("no element that an iteration of ", index, " writes is touched by another, and ",
                             by_offset ? "what is written follows it in steps of one, counted row by row"
                                       : "every access follows it in steps of one or not at all");
  if (planned->guard) append(out.facts.because, "; where the guard cuts off a lane, the loop behind runs instead");
  return out;
}

}  // namespace

const Strategy& loop_vectorization_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_vectorization",
      Level::operators,
      "an innermost serial loop becomes the lanes of vector instructions",
      "L^{4}_{c=0}[D_{a,c}=f(A_{a,c})]   -->   V^{4}_{c=0}[D_{a,c}=f(A_{a,c})]\n"
      "  L^{4}_{c=0}[D_{(f*4+c)//5,(f*4+c)%5}=g(C_{(f*4+c)%5})]   -->   V^{4}_{c=0}[...]   (extended)",
      "no two iterations touch one element that one of them writes; every access goes along its last dimension in "
      "steps "
      "of one or does not move, and the lanes are a width the device has",
      "",
      {"@input A f32[8,4]\n@output D f32[8,4]\nB^{8}_{tx=0}L^{4}_{c=0}[D^{f32,g}_{tx,c}=A^{f32,g}_{tx,c}*2;];\n",
       R"({"at":"0:loop[1]"})"},
      kParameters,
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
