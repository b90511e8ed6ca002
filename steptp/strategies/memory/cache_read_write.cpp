/// cache_read_write: what a loop's body reads, or makes, goes through a copy in s or l.
///   L^{6}_{a=0}L^{4}_{c=0}[D_{a}=D_{a}+A_{c}*C_{c,a}]   -->
///   L^{4}_{c=0}[E^{l}_{c}=A_{c}];L^{6}_{a=0}L^{4}_{c=0}[..E^{l}_{c}..] L^{4}_{c=0}[D_{a}=D_{a}+f(c)]   -->
///   E^{l}=0;L^{4}_{c=0}[E^{l}=E^{l}+f(c)];D_{a}=E^{l}
/// Safe because the copy holds every element that its uses touch while the loops around the body stand still, nothing
/// changes the source in between, and copy and uses belong to one block or thread.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/strategies/caching.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/promises.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"direction", Parameter::Kind::word, "read: the copy is made before its uses; write: it is written back behind"},
    {"of", Parameter::Kind::word,
     "a tensor, or the address of an if_then_else of one, or of a read that has subscripts of its own"},
    {"scope", Parameter::Kind::word, "where the copy lives: s, or l"},
    {"form", Parameter::Kind::word,
     "plain; fill: the neutral value outside of the source, and guards that this makes needless go; wide: f16 and bf16 "
     "in f32; ahead: two buffers, the next round's data fetched early"},
    {"points", Parameter::Kind::integer,
     "1: the copy goes point by point, with a dimension for each sum of loops that moves, also inside of // and %: "
     "tiles "
     "of fused loops",
     0},
    {"depth", Parameter::Kind::integer,
     "2 to 5, of a copy in s in an L loop: so many rounds of the loop may be in flight (s2 to s5); 1: it is in s", 1},
    {"lanes", Parameter::Kind::integer,
     "32: the threads of the kernel will be units of 32 lanes, which keep so much more in l; 1: they stay threads", 1},
};
constexpr Precondition kSafety[] = {kCacheUses,    kCacheBox,   kCacheUnchanged, kCachePlacement,
                                    kCacheCovered, kCacheWhole, kCacheSize,      kCacheRaces,
                                    kCacheForm,    kCacheDepth, kCacheLanes};
constexpr Component kModifies[] = {Component::expressions, Component::variables};
constexpr NewElement kIntroduces[] = {NewElement::variables, NewElement::expressions};
constexpr std::string_view kForms[] = {"plain", "fill", "wide", "ahead"};
constexpr std::string_view kDirections[] = {"read", "write"};
constexpr std::int64_t kUnitLanes = 32;

Result<CacheStep, Refusal> plan(View& view, const CacheRequest& request, bool read) {
  return read ? plan_cached_read(view, request) : plan_cached_write(view, request);
}

struct Candidate {
  bool read = true;
  std::string of;
};

/// What the body of a loop reads and writes, in the order of the text.
std::vector<Candidate> candidates(View& view, const PlacedLoop& at, bool expressions) {
  std::vector<Candidate> out;
  const auto add = [&](bool read, const std::string& of) {
    const bool known =
        std::any_of(out.begin(), out.end(), [&](const Candidate& c) { return c.read == read && c.of == of; });
    if (!known) out.push_back({read, of});
  };
  for (const Access& access : accesses_below(view, *at.nest)) add(!access.is_write, access.ref->tensor);
  if (!expressions) return out;
  const std::vector<std::size_t> below = statements_below(view, *at.nest);
  // One read by itself is worth a choice where the tensor is read elsewhere with other subscripts.
  const auto is_one_of_several = [&](const Expr& expr) {
    const auto* read = std::get_if<Read>(&expr.node);
    if (!read) return false;
    const std::vector<std::size_t>& reads = view.table().tensors.at(read->ref->tensor).reads;
    return std::any_of(reads.begin(), reads.end(), [&](std::size_t number) {
      const Access& access = view.table().accesses[number];
      return std::find(below.begin(), below.end(), access.statement) != below.end() && !equal(*access.ref, *read->ref);
    });
  };
  std::vector<ExprPtr> seen;
  for (const PlacedExpr& placed : all_expressions(view)) {
    if (!std::holds_alternative<Select>(placed.expr->node) && !is_one_of_several(*placed.expr)) continue;
    if (std::find(below.begin(), below.end(), placed.number) == below.end()) continue;
    if (std::any_of(seen.begin(), seen.end(), [&](const ExprPtr& other) { return equal(*other, *placed.expr); })) {
      continue;
    }
    seen.push_back(placed.expr);
    out.push_back({true, to_text(placed.site)});
  }
  return out;
}

/// Nothing goes into `s` below a thread loop; the steps say so, too, where somebody wants to know why.
bool is_inside_threads(const PlacedLoop& at) {
  const auto is_thread_loop = [](const Loop& loop) {
    const auto axis = axis_of(loop.index);
    return axis && is_thread_axis(*axis);
  };
  const std::vector<Loop>& header = at.nest->nest->loops;
  const auto end = header.begin() + static_cast<std::ptrdiff_t>(at.position) + 1;
  return std::any_of(header.begin(), end, is_thread_loop) ||
         std::any_of(at.nest->around.begin(), at.nest->around.end(), [&](const Nest* nest) {
           return std::any_of(nest->loops.begin(), nest->loops.end(), is_thread_loop);
         });
}

/// A copy with a depth has the promise that the depth makes.
std::optional<Refusal> refuse_depth(const CacheRequest& request, bool read) {
  const int depth = request.scope.depth;
  if (depth == 1) return std::nullopt;
  const auto refuse = [&](std::string message) {
    return Refusal{&kCacheDepth, request.site(), std::move(message), {{"depth", depth}}};
  };
  if (!read || request.scope != Scope::shared) return refuse("only what is read through s has a depth");
  if (request.form != CacheForm::plain && request.form != CacheForm::fill) {
    return refuse(concat("a copy of the form ", kForms[static_cast<std::size_t>(request.form)], " has no depth"));
  }
  if (request.at.loop().kind == LoopKind::serial) return std::nullopt;
  return refuse(concat(request.at.loop().index, " is a ", code(request.at.loop().kind), " loop"));
}

/// The step with a depth; the promise is looked at in the program that it makes.
Result<CacheStep, Refusal> plan_deep(View& view, CacheRequest request, bool read) {
  if (auto refusal = refuse_depth(request, read)) return *std::move(refusal);
  if (request.scope.depth == 1) return plan(view, request, read);
  request.purpose = CachePurpose::make;
  auto step = plan(view, request, read);
  if (!step) return step;
  const Program kept = with_kept_depths(step->program);
  bool is_kept = false;
  for_each_equation(kept, [&](const Equation& equation, const std::vector<const Nest*>&) {
    is_kept = is_kept || (equation.left->tensor == step->cache && equation.left->scope == request.scope);
  });
  if (is_kept) return step;
  return Refusal{&kCacheDepth,
                 request.site(),
                 concat("the rounds of ", request.at.loop().index, " are not those of an L loop around all of ",
                        step->cache, " in its kernel, or do not make it anew"),
                 {{"depth", request.scope.depth}}};
}

ParameterDomain domain(std::string_view name, std::string value) {
  return {name, std::vector<std::string>{std::move(value)}};
}

/// Threads along tx are lanes already.
std::optional<Refusal> refuse_lanes(View& view, const CacheRequest& request) {
  if (request.lanes == 1) return std::nullopt;
  bool has_units = false;
  bool has_lanes = false;
  for (const KernelFacts& kernel : view.kernels()) {
    if (kernel.kernel.root.empty() || kernel.kernel.root[0] != request.at.expression()) continue;
    const auto has = [&](Axis axis) { return kernel.widest[static_cast<std::size_t>(axis)].has_value(); };
    has_units = has_units || has(Axis::ty) || has(Axis::tz);
    has_lanes = has_lanes || has(Axis::tx);
  }
  if (request.lanes == kUnitLanes && has_units && !has_lanes) return std::nullopt;
  return Refusal{&kCacheLanes,
                 request.site(),
                 concat(request.lanes, " lanes in a kernel ",
                        has_lanes ? "with loops over tx" : "whose threads cannot become units"),
                 {{"lanes", request.lanes}}};
}

/// All depths for which there is room.
void offer_depths(View& view, const CacheRequest& request, const Candidate& candidate, Listing& listing) {
  if (!listing.extended || request.scope != Scope::shared || !candidate.read) return;
  for (std::uint8_t deepest = kMostDepth; deepest > 1; --deepest) {
    CacheRequest deep = request;
    deep.scope.depth = deepest;
    const auto step = plan_deep(view, deep, candidate.read);
    if (!step) {
      listing.refuse(step.error());
      if (step.error().precondition->id == kCacheDepth.id) return;
      continue;
    }
    std::vector<std::int64_t> depths;
    for (std::int64_t depth = 2; depth <= deepest; ++depth) depths.push_back(depth);
    listing.offer({request.site(),
                   {domain("direction", std::string(kDirections[0])),
                    domain("of", candidate.of),
                    domain("scope", std::string(1, code(Scope::shared))),
                    domain("form", std::string(kForms[static_cast<std::size_t>(request.form)])),
                    {"depth", std::move(depths)}},
                   true});
    return;
  }
}

/// What is too large for a thread, where a unit has room for it.
void offer_lanes(View& view, const CacheRequest& thread, const Refusal& why, const Candidate& candidate,
                 Listing& listing) {
  CacheRequest unit = thread;
  unit.lanes = kUnitLanes;
  unit.purpose = CachePurpose::ask;
  const bool is_too_large = why.precondition->id == kCacheSize.id && thread.scope == Scope::local;
  if (!listing.extended || !is_too_large || refuse_lanes(view, unit) || !plan(view, unit, candidate.read)) return;
  listing.offer({thread.site(),
                 {domain("direction", std::string(kDirections[candidate.read ? 0 : 1])),
                  domain("of", candidate.of),
                  domain("scope", std::string(1, code(thread.scope.scope))),
                  domain("form", std::string(kForms[static_cast<std::size_t>(thread.form)])),
                  {"lanes", std::vector<std::int64_t>{kUnitLanes}}},
                 true});
}

void offer(View& view, const PlacedLoop& at, const Candidate& candidate, Listing& listing) {
  const bool is_expression = parse_site(candidate.of).has_value();
  // Copies with a guard are extended choices.
  const bool any = listing.extended || listing.with_refusals;
  const CachePurpose purpose = any ? CachePurpose::ask : CachePurpose::ask_unguarded;
  for (const Scope scope : {Scope::shared, Scope::local}) {
    if (!any && scope == Scope::shared && is_inside_threads(at)) continue;
    for (std::size_t form = 0; form < std::size(kForms); ++form) {
      if (form > 0 && (!listing.extended || is_expression)) break;
      const CacheRequest request{at, candidate.of, scope, static_cast<CacheForm>(form), purpose};
      const auto step = plan(view, request, candidate.read);
      if (!step) {
        listing.refuse(step.error());
        offer_lanes(view, request, step.error(), candidate, listing);
        if (form == 0 && step.error().precondition->id != kCacheCovered.id) break;
        continue;
      }
      const bool extended = form > 0 || is_expression || step->has_guard;
      if (extended && !listing.extended) continue;
      listing.offer({at.site(),
                     {domain("direction", std::string(kDirections[candidate.read ? 0 : 1])), domain("of", candidate.of),
                      domain("scope", std::string(1, code(scope))), domain("form", std::string(kForms[form]))},
                     extended});
      offer_depths(view, {at, candidate.of, scope, static_cast<CacheForm>(form), CachePurpose::make}, candidate,
                   listing);
    }
  }
}

/// Somewhere in what is copied an index divides what moves: a copy by subscripts would be the box of all that they
/// reach.
bool divides_inside(View& view, const PlacedLoop& at, const Candidate& candidate) {
  const std::optional<Site> site = parse_site(candidate.of);
  const auto placed = site ? std::optional(find_expression(view, *site)) : std::nullopt;
  const std::set<std::string> tensors =
      placed && placed->ok() ? tensors_of(*(*placed)->expr) : std::set<std::string>{candidate.of};
  for (const Access& access : accesses_below(view, *at.nest)) {
    if (!tensors.contains(access.ref->tensor)) continue;
    const std::vector<const Loop*>& loops = view.table().statements[access.statement].loops;
    std::set<std::string> still;
    for (std::size_t i = 0; i < loops_around(*at.nest) + at.position + 1; ++i) still.insert(loops[i]->index);
    const std::vector<Index>& subscripts = access.ref->subscripts;
    if (std::any_of(subscripts.begin(), subscripts.end(),
                    [&](const Index& subscript) { return divides_what_moves(subscript, still); })) {
      return true;
    }
  }
  return false;
}

void offer_points(View& view, const PlacedLoop& at, const Candidate& candidate, Listing& listing) {
  if (!listing.extended || !divides_inside(view, at, candidate)) return;
  for (const Scope scope : {Scope::shared, Scope::local}) {
    if (scope == Scope::shared && is_inside_threads(at)) continue;
    for (std::size_t form = 0; form < std::size(kForms); ++form) {
      const CacheRequest request = {at, candidate.of, scope, static_cast<CacheForm>(form), CachePurpose::ask, true};
      const auto step = plan(view, request, candidate.read);
      if (step) {
        listing.offer({at.site(),
                       {domain("direction", std::string(kDirections[candidate.read ? 0 : 1])),
                        domain("of", candidate.of),
                        domain("scope", std::string(1, code(scope))),
                        domain("form", std::string(kForms[form])),
                        {"points", std::vector<std::int64_t>{1}}},
                       true});
        continue;
      }
      listing.refuse(step.error());
      if (form == 0 && step.error().precondition->id != kCacheCovered.id) break;
    }
  }
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    for (const Candidate& candidate : candidates(view, at, listing.extended)) {
      offer(view, at, candidate, listing);
      offer_points(view, at, candidate, listing);
    }
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto refuse_word = [&](std::string_view name) {
    return Refusal{&kChoice, choice.at, concat("there is no ", name, " \"", choice.word(name), "\""), {}};
  };
  const auto scope = parse_scope(choice.word("scope"));
  if (!scope || *scope == Scope::global) return refuse_word("scope");
  const auto form = std::find(std::begin(kForms), std::end(kForms), choice.word("form"));
  if (form == std::end(kForms)) return refuse_word("form");
  const bool read = choice.word("direction") == kDirections[0];
  if (!read && choice.word("direction") != kDirections[1]) return refuse_word("direction");
  const auto number = static_cast<CacheForm>(form - std::begin(kForms));
  const std::int64_t points = choice.integer("points");
  if (points != 0 && points != 1) return Refusal{&kChoice, choice.at, concat("points is 0 or 1, not ", points), {}};
  const std::int64_t depth = choice.integer("depth");
  if (depth < 1 || depth > kMostDepth) return Refusal{&kCacheDepth, choice.at, concat("depth ", depth), {}};
  CacheRequest request{*at, choice.word("of"), Placement(*scope, static_cast<std::uint8_t>(depth)), number};
  request.points = points == 1;
  request.lanes = choice.integer("lanes");
  if (auto refusal = refuse_lanes(view, request)) return *std::move(refusal);
  auto step = plan_deep(view, request, read);
  if (!step) return step.error();
  Applied out;
  out.program = std::move(step->program);
  out.facts.matched = {{"loop", choice.at}};
  out.facts.matched.insert(out.facts.matched.end(), step->uses.begin(), step->uses.end());
  out.facts.removed = step->uses;
  out.facts.added = step->added;
  if (!parse_site(step->source)) {
    out.facts.renamings = {{"tensor", step->source, step->cache, item_site(at->nest->items)}};
  }
  Json::Array extents;
  for (const std::int64_t extent : step->extents) extents.emplace_back(extent);
  out.facts.holds = {{&kCacheUses, {{"of", step->source}, {"uses", static_cast<std::int64_t>(step->uses.size())}}},
                     {&kCacheBox, {{"extents", extents}}},
                     {&kCachePlacement, {{"scope", choice.word("scope")}}},
                     {&kCacheSize, {}},
                     {&kCacheRaces, {}}};
  out.facts.holds.push_back(read ? Holds{&kCacheUnchanged, {}} : Holds{&kCacheWhole, {}});
  if (depth > 1) out.facts.holds.push_back({&kCacheDepth, {{"depth", depth}}});
  if (request.lanes > 1) out.facts.holds.push_back({&kCacheLanes, {{"lanes", request.lanes}}});
  out.facts.values = {{"of", step->source},
                      {"cache", step->cache},
                      {"scope", choice.word("scope")},
                      {"extents", extents},
                      {"guarded", step->has_guard},
                      {"initialised", step->is_initialised},
                      {"points", points},
                      {"guards_dropped", static_cast<std::int64_t>(step->dropped)}};
  out.facts.because = read ? concat(step->cache, " holds all of ", step->source, " that is read in one round of ",
                                    at->loop().index, ", and nothing in that round changes it")
                           : concat("in one round of ", at->loop().index, " all that is made of ", step->source,
                                    " is made in ", step->cache, " and then written back");
  return out;
}

}  // namespace

const Strategy& cache_read_write_strategy() {
  static constexpr Strategy kStrategy = {
      "cache_read_write",
      Level::memory,
      "what a loop's body reads, or makes, goes through a copy in s or l",
      "L^{6}_{a=0}L^{4}_{c=0}[D_{a}=D_{a}+A_{c}*C_{c,a}]   -->   "
      "L^{4}_{c=0}[E^{l}_{c}=A_{c}];L^{6}_{a=0}L^{4}_{c=0}[D_{a}=D_{a}+E^{l}_{c}*C_{c,a}]\n"
      "  L^{4}_{c=0}[D_{a}=D_{a}+f(c)]   -->   E^{l}=0;L^{4}_{c=0}[E^{l}=E^{l}+f(c)];D_{a}=E^{l}",
      "the copy holds every element that its uses touch while the loops around the body stand still, nothing changes "
      "the source in between, and copy and uses belong to one block or thread",
      "compute_inline",
      {kMatmulExample, R"({"at":"0:loop[0]","direction":"read","of":"A","scope":"l","form":"plain"})"},
      kParameters,
      {},
      kSafety,
      kModifies,
      kIntroduces,
      choices,
      apply,
  };
  return kStrategy;
}

}  // namespace steptp
