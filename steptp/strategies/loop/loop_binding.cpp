/// loop_binding: a loop runs over a hardware axis.
///   L^{6}_{a=0}[D_{a}=f(A_{a})]   -->   B^{6}_{bxa=0}[D_{bxa}=f(A_{bxa})]
///   L^{6}_{a=0}[D_{a}=f(A_{a})]   -->   B^{8}_{txa=0}?{txa<6}[D_{txa}=f(A_{txa})]
/// Safe because blocks and threads that now run at the same time touch no element in common that one of them writes,
/// but in a collective, and data in s and l stays with the same block or thread.
#include <algorithm>
#include <array>

#include "steptp/analysis/device.h"
#include "steptp/analysis/kernels.h"
#include "steptp/base/text.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr std::array<std::string_view, 6> kAxisNames = {"bx", "by", "bz", "tx", "ty", "tz"};
constexpr std::string_view kNoAxis = "none";

constexpr Parameter kParameters[] = {
    {"axis", Parameter::Kind::word, "bx, by, bz, tx, ty or tz; none makes a bound loop an L loop again"},
    {"multiple", Parameter::Kind::integer,
     "threads are rounded up to a multiple of it, and a guard cuts off the tail; 1, which is meant without it, rounds "
     "nothing",
     1},
};
constexpr Precondition kPublished[] = {
    {Check::reduction_axis, "not-carried",
     "no two iterations touch one element that one of them writes; a reduction that stands alone may (a collective)"},
};
constexpr Precondition kSafety[] = {
    {Check::order, "kind", "the loop is an L loop, or a bound one that goes to another axis or to none"},
    {Check::launch, "tail", "only a loop over threads is rounded up, to a multiple of 1 or more that it is none of"},
    {Check::launch, "axis-free", "no loop around it or inside it is over that axis"},
    {Check::launch, "launch", "blocks and threads of the kernel are within the device's limits"},
    {Check::scope, "scopes", "data in s and l is shared by the same accesses as before, and block loops stand outside"},
    {Check::order, "races", "blocks and threads touch no element in common that one of them writes"},
};
constexpr const Precondition& kNotCarried = kPublished[0];
constexpr const Precondition& kKind = kSafety[0];
constexpr const Precondition& kTail = kSafety[1];
constexpr const Precondition& kAxisFree = kSafety[2];
constexpr const Precondition& kLaunch = kSafety[3];
constexpr const Precondition& kScopes = kSafety[4];
constexpr const Precondition& kRaces = kSafety[5];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::variables,
                                   Component::index_segments};
constexpr std::int64_t kMultiples[] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};

/// What a loop becomes: over which axis, and with how many iterations.
struct Binding {
  PlacedLoop at;
  std::string_view axis;
  std::int64_t extent = 1;

  [[nodiscard]] bool has_tail() const { return extent > at.loop().extent; }
};

bool binds(const Nest& nest, Axis axis, const Loop* except) {
  const auto over = [&](const Loop& loop) { return &loop != except && axis_of(loop.index) == axis; };
  if (std::any_of(nest.loops.begin(), nest.loops.end(), over)) return true;
  return std::any_of(nest.items.begin(), nest.items.end(), [&](const Item& item) {
    const auto* inner = std::get_if<NestPtr>(&item);
    return inner && binds(**inner, axis, except);
  });
}

bool is_taken(const PlacedLoop& at, Axis axis) {
  for (const Nest* outer : at.nest->around) {
    for (const Loop& loop : outer->loops) {
      if (axis_of(loop.index) == axis) return true;
    }
  }
  return binds(*at.nest->nest, axis, &at.loop());
}

/// a on bx is bxa; tx and txa on by are by and bya.
std::string bound_name(const Loop& loop, std::string_view axis) {
  return concat(axis, loop.kind == LoopKind::bound ? loop.index.substr(2) : loop.index);
}

struct Built {
  Program program;
  Loop loop;
};

std::optional<Built> build(View& view, const Binding& binding) {
  const PlacedLoop& at = binding.at;
  const Nest& nest = *at.nest->nest;
  Built out;
  out.loop = {LoopKind::bound, binding.extent, {}};
  if (binding.axis == kNoAxis) {
    out.loop.kind = LoopKind::serial;
    out.loop.index = view.fresh_indices(at.expression()).next();
  } else {
    out.loop.index = bound_name(at.loop(), binding.axis);
  }
  std::vector<Loop> loops = nest.loops;
  loops[at.position] = out.loop;
  Rewriter rewriter;
  rewriter.variables.emplace(at.loop().index, Index::variable(out.loop.index));
  auto body = reindexed(*at.nest, loops, rewriter);
  if (!body) return std::nullopt;
  ExprPtr guard = std::move(body->guard);
  if (binding.has_tail()) guard = conjunction(guard, less_than(Index::variable(out.loop.index), at.loop().extent));
  out.program = with_items(view.program(), at.nest->items,
                           {stands_for(make_nest(std::move(loops), std::move(guard), std::move(body->items)), nest)});
  return out;
}

/// Only what the new loop has to do with: published programs have launches that are too large elsewhere.
std::optional<Refusal> refuse_launch(View& view, const Binding& binding, Axis axis) {
  const PlacedLoop& at = binding.at;
  const Device& device = default_device();
  const auto number = static_cast<std::size_t>(axis);
  const std::int64_t extent = binding.extent;
  const std::int64_t limit = is_thread_axis(axis) ? device.block[number - 3] : device.grid[number];
  if (extent > limit) {
    return Refusal{&kLaunch,
                   at.site(),
                   concat(extent, " iterations over ", name_of(axis), ", which has at most ", limit),
                   {{"extent", extent}, {"limit", limit}}};
  }
  if (!is_thread_axis(axis)) return std::nullopt;
  for (const KernelFacts& kernel : view.kernels()) {
    if (kernel.kernel.root[0] != at.expression()) continue;
    std::int64_t threads = 1;
    for (std::size_t i = 3; i < kAxisNames.size(); ++i) {
      // A loop that leaves its axis may leave other loops there.
      const bool leaves = at.loop().kind == LoopKind::bound && kernel.widest[i] == at.site();
      const std::int64_t here = leaves ? 1 : kernel.extents[i];
      const std::int64_t now = i == number ? std::max(here, extent) : here;
      threads = now > device.threads / threads ? device.threads + 1 : threads * now;
      if (threads > device.threads) break;
    }
    if (threads <= device.threads) continue;
    return Refusal{&kLaunch,
                   at.site(),
                   concat("the kernel would have more than ", device.threads, " threads in a block"),
                   {{"limit", device.threads}}};
  }
  return std::nullopt;
}

/// The iterations of a loop that is rounded up.
Result<Binding, Refusal> round_up(const PlacedLoop& at, std::string_view axis, std::int64_t multiple) {
  const std::int64_t extent = at.loop().extent;
  if (multiple == 1) return Binding{at, axis, extent};
  const bool threads = axis != kNoAxis && axis[0] == 't';
  if (!threads || multiple < 1 || multiple > default_device().threads || extent % multiple == 0) {
    return Refusal{&kTail,
                   at.site(),
                   concat(extent, " iterations over ", axis, " are not rounded up to a multiple of ", multiple),
                   {{"extent", extent}, {"multiple", multiple}}};
  }
  return Binding{at, axis, (extent / multiple + 1) * multiple};
}

struct Planned {
  Built built;
  bool collective = false;
};

/// What is known before an axis is looked at.
struct Known {
  bool alike = false;   ///< a flat launch: what is true of one axis of blocks, or of threads, is true of the others
  bool apart = false;   ///< and no element is touched by two iterations: there is nothing to look for in the result
  bool proven = false;  ///< another axis of the same kind has been looked at: there is nothing to build
};
Known known_of(View& view, const PlacedLoop& at) {
  Known out;
  out.alike = is_flat_launch(view, *at.nest);
  out.apart = out.alike && iterations_stay_apart(view, *at.nest, at.position);
  return out;
}

Result<Planned, Refusal> plan(View& view, const Binding& binding, const Known& looked) {
  const PlacedLoop& at = binding.at;
  const std::string_view axis_name = binding.axis;
  const Loop& loop = at.loop();
  const auto known = std::find(kAxisNames.begin(), kAxisNames.end(), axis_name);
  const bool unbind = axis_name == kNoAxis;
  if (known == kAxisNames.end() && !unbind) {
    return Refusal{&kChoice, at.site(), concat("there is no axis \"", axis_name, "\""), {}};
  }
  const bool bound = loop.kind == LoopKind::bound;
  if ((loop.kind != LoopKind::serial && !bound) || (unbind && !bound)) {
    return Refusal{&kKind, at.site(), concat(loop.index, " is a ", code(loop.kind), " loop"), {}};
  }
  const auto axis = static_cast<Axis>(known - kAxisNames.begin());
  if (!unbind && bound && axis_of(loop.index) == axis) {
    return Refusal{&kKind, at.site(), concat(loop.index, " is over ", axis_name, " already"), {}};
  }
  if (!unbind && is_taken(at, axis)) {
    return Refusal{&kAxisFree, at.site(), concat("another loop is over ", axis_name), {{"axis", axis_name}}};
  }
  bool collective = false;
  if (!unbind && !looked.apart) {
    if (const auto conflict = carried_conflict(view, *at.nest, at.position, false)) {
      if (carried_conflict(view, *at.nest, at.position, true)) return refuse(kNotCarried, at.site(), *conflict);
      collective = true;
    }
  }
  if (!unbind) {
    if (auto refusal = refuse_launch(view, binding, axis)) return *std::move(refusal);
  }
  if (looked.proven) return Planned{{}, collective};
  auto built = build(view, binding);
  if (!built) return refuse_overflow(at.site());
  if (looked.apart && !unbind) return Planned{*std::move(built), collective};
  View after(built->program);
  const Reshaped change{*at.nest, {{loop.index, Index::variable(built->loop.index)}}};
  if (const auto conflict = scope_conflict(view, after, change)) return refuse(kScopes, at.site(), *conflict);
  if (const auto conflict = race_conflict(view, after, at.expression())) {
    return refuse(collective ? kNotCarried : kRaces, at.site(), *conflict);
  }
  return Planned{*std::move(built), collective};
}

/// Multiples that a loop over a thread axis can be rounded up to. What threads touch is the same for all of them.
void offer_tails(View& view, const PlacedLoop& at, std::string_view axis, Listing& listing) {
  std::vector<std::int64_t> multiples;
  for (const std::int64_t multiple : kMultiples) {
    const auto binding = round_up(at, axis, multiple);
    if (!binding) continue;
    if (multiples.empty() ? !plan(view, *binding, known_of(view, at))
                          : refuse_launch(view, *binding, *axis_of(axis)).has_value())
      continue;
    multiples.push_back(multiple);
  }
  listing.offer({at.site(), {{"axis", std::vector<std::string>{std::string(axis)}}, {"multiple", multiples}}, true});
}

/// Where one axis of a kind is refused for what iterations do, so are the others.
void offer(View& view, const PlacedLoop& at, Listing& listing) {
  // A collective, if anything: an extended choice.
  const bool published_only = !listing.extended && !listing.with_refusals;
  if (published_only && carried_conflict(view, *at.nest, at.position, false)) return;
  std::vector<std::string> published;
  std::vector<std::string> extended;
  const bool bound = at.loop().kind == LoopKind::bound;
  const Known looked = known_of(view, at);
  const bool alike = looked.alike;
  bool open[2] = {true, true};  // blocks, threads
  bool proven[2] = {looked.apart, looked.apart};
  for (const std::string_view axis : kAxisNames) {
    const std::size_t kind = axis[0] == 'b' ? 0 : 1;
    if (!open[kind]) continue;
    const auto planned = plan(view, {at, axis, at.loop().extent}, {alike, looked.apart, proven[kind]});
    if (planned) {
      (bound || planned->collective ? extended : published).emplace_back(axis);
      proven[kind] = alike;
      if (listing.extended && kind == 1) offer_tails(view, at, axis, listing);
      continue;
    }
    const Precondition* why = planned.error().precondition;
    open[kind] = why != &kNotCarried && (!alike || (why != &kRaces && why != &kScopes));
    listing.refuse(planned.error());
  }
  if (bound && listing.extended && plan(view, {at, kNoAxis, at.loop().extent}, looked)) extended.emplace_back(kNoAxis);
  const ParameterDomain whole{"multiple", std::vector<std::int64_t>{1}};
  listing.offer({at.site(), {{"axis", std::move(published)}, whole}, false});
  listing.offer({at.site(), {{"axis", std::move(extended)}, whole}, true});
}

void choices(View& view, Listing& listing) {
  for (const PlacedLoop& at : all_loops(view)) {
    const LoopKind kind = at.loop().kind;
    if (kind == LoopKind::bound && !listing.extended) continue;
    if (kind != LoopKind::serial && kind != LoopKind::bound) {
      listing.refuse({&kKind, at.site(), concat(at.loop().index, " is a ", code(kind), " loop"), {}});
      continue;
    }
    offer(view, at, listing);
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto at = find_loop(view, choice.at);
  if (!at) return at.error();
  const auto binding = round_up(*at, choice.word("axis"), choice.integer("multiple"));
  if (!binding) return binding.error();
  auto planned = plan(view, *binding, known_of(view, *at));
  if (!planned) return planned.error();
  Applied out;
  out.program = std::move(planned->built.program);
  const Loop& now = planned->built.loop;
  out.facts.matched = {{"loop", choice.at}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  if (binding->has_tail()) out.facts.added.push_back({"guard", guard_site(at->nest->items)});
  out.facts.renamings = {{"index", at->loop().index, now.index, item_site(at->nest->items)}};
  out.facts.holds = {{&kNotCarried, {{"loop", at->loop().index}, {"collective", planned->collective}}},
                     {&kTail, {{"multiple", choice.integer("multiple")}}},
                     {&kAxisFree, {{"axis", choice.word("axis")}}},
                     {&kLaunch, {{"extent", now.extent}}},
                     {&kScopes, {}},
                     {&kRaces, {}}};
  out.facts.values = {{"axis", choice.word("axis")}, {"extent", now.extent}};
  out.facts.because = planned->collective
                          ? concat("the equation stands alone and accumulates over ", now.index, ": a collective")
                          : concat("no element that one value of ", now.index, " writes is touched by another");
  return out;
}

}  // namespace

const Strategy& loop_binding_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_binding",
      Level::operators,
      "a loop runs over a hardware axis",
      "L^{6}_{a=0}[D_{a}=f(A_{a})]   -->   B^{6}_{bxa=0}[D_{bxa}=f(A_{bxa})]\n"
      "  L^{6}_{a=0}[D_{a}=f(A_{a})]   -->   B^{8}_{txa=0}?{txa<6}[D_{txa}=f(A_{txa})]",
      "blocks and threads that now run at the same time touch no element in common that one of them writes, but in a "
      "collective, and data in s and l stays with the same block or thread",
      "loop_binding",
      {kMatmulExample, R"({"at":"0:loop[1]","axis":"bx","multiple":1})"},
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
