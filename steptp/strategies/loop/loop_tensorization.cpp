/// loop_tensorization: each thread of a kernel becomes a unit, and what it did is done by the unit's 32 lanes.
///   B_{ty}B_{tz}L_{m}L_{n}L_{c}[E^{l}_{m,n}=E^{l}_{m,n}+F^{s}_{ty*16+m,c}*G^{s}_{c,tz*8+n}]   -->
///   B_{wx}B_{wy}T_{m}T_{n}T_{c}[E^{f}_{m,n}=E^{f}_{m,n}+F^{s}_{wx*16+m,c}*G^{s}_{c,wy*8+n}]
///   B^{2}_{ty=0}L^{32}_{a=0}[F^{s}_{ty*32+a}=A_{ty*32+a}]   -->   B^{64}_{txa=0}[F^{s}_{txa}=A_{txa}]
/// Safe because T loops and units change no value, and the iterations that now run together touch no element in common
/// that one of them writes, but in a reduction. It is one step for a whole kernel: under a loop over units stand only
/// matrix nests, so that there is nothing in between. Decision 0185. More than 400 lines, because one step makes all of
/// it: threads, lanes, tiles and fragments are looked at together.
#include <algorithm>
#include <map>
#include <set>

#include "steptp/analysis/device.h"
#include "steptp/analysis/interval.h"
#include "steptp/analysis/matrix_nests.h"
#include "steptp/base/text.h"
#include "steptp/strategies/lane_nests.h"
#include "steptp/strategies/legality.h"
#include "steptp/strategies/loops.h"
#include "steptp/strategies/origins.h"

namespace steptp {

namespace {

constexpr Parameter kParameters[] = {
    {"wide", Parameter::Kind::integer,
     "1: what is kept in fragments of f16 and bf16, and is no factor of a contraction, is kept in f32; 0: in its type",
     0},
};
constexpr Precondition kPublished[] = {
    {Check::pattern_match, "threads",
     "the expression is one kernel with loops over ty or tz, and with neither loops over tx nor units"},
};
constexpr Precondition kSafety[] = {
    {Check::scope, "apart", "where one of the kernel's thread loops is around an equation, the other is, too"},
    {Check::fact, "form",
     "each nest of a thread without l data begins with an L loop of 32, the lanes; of the others each equation is "
     "alone "
     "in its header, whose last L and U loops make it a contraction, a reduction over columns, or an equation with all "
     "of them on its left side"},
    {Check::size, "shape",
     "a contraction's rows, columns and inner iterations are multiples of those of the instruction for its types"},
    {Check::scope, "fragments",
     "what these threads keep in l is touched by them alone, by subscripts that fragments have, and fits into "
     "registers"},
    {Check::launch, "launch", "32 threads for each unit are within the device's limit"},
    {Check::order, "races", "what runs together touches no element in common that one of them writes"},
};
constexpr const Precondition& kThreads = kPublished[0];
constexpr const Precondition& kApart = kSafety[0];
constexpr const Precondition& kForm = kSafety[1];
constexpr const Precondition& kShape = kSafety[2];
constexpr const Precondition& kFragments = kSafety[3];
constexpr const Precondition& kLaunch = kSafety[4];
constexpr const Precondition& kRaces = kSafety[5];
constexpr Component kModifies[] = {Component::expressions, Component::loop_axes, Component::variables,
                                   Component::index_segments};
constexpr NewElement kIntroduces[] = {NewElement::index_calculations};
constexpr std::string_view kUnitAxes[] = {"wx", "wy"};

std::set<Axis> thread_axes(const Statement& statement) {
  std::set<Axis> axes;
  for (const Loop* loop : statement.loops) {
    const auto axis = loop->kind == LoopKind::bound ? axis_of(loop->index) : std::nullopt;
    if (axis && is_thread_axis(*axis)) axes.insert(*axis);
  }
  return axes;
}

bool has_subscript(const Ref& ref, const std::string& index) {
  bool found = false;
  for (const Index& subscript : ref.subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { found = found || name == index; });
  }
  return found;
}

/// What is to be done to one kernel.
struct Planned {
  std::uint32_t expression = 0;
  std::set<Axis> axes;  ///< those that become units
  std::vector<LaneNest> lanes;
  std::map<std::size_t, std::size_t> tiles;  ///< of each other statement: how many loops become T loops
  std::set<std::string> fragments;           ///< tensors in l that go into f
  std::set<std::string> wide;                ///< those of them that are kept in f32 from now on
  std::map<std::string, std::string> units;  ///< loops over threads, and what they are called afterwards
  Program program;
};

Refusal refuse_at(const Precondition& why, const Statement& statement, std::string message) {
  return {&why, item_site(statement.items), std::move(message), {}};
}

/// The kernel of an expression, where it is the only one.
Result<const KernelFacts*, Refusal> kernel_of(View& view, std::uint32_t expression) {
  const KernelFacts* found = nullptr;
  const Site site = item_site({expression});
  for (const KernelFacts& kernel : view.kernels()) {
    if (kernel.kernel.root.empty() || kernel.kernel.root[0] != expression) continue;
    if (found) return Refusal{&kThreads, site, "the expression has several kernels: separate them", {}};
    found = &kernel;
  }
  const auto has = [&](Axis axis) { return found->widest[static_cast<std::size_t>(axis)].has_value(); };
  if (!found || (!has(Axis::ty) && !has(Axis::tz))) {
    return Refusal{&kThreads,
                   site,
                   "the kernel has no loop over ty or tz: bind the tiles of units to them, with loop_binding",
                   {}};
  }
  if (has(Axis::wx) || has(Axis::wy) || has(Axis::wz)) {
    return Refusal{&kThreads, site, "the kernel has units already", {}};
  }
  if (has(Axis::tx)) {
    return Refusal{&kThreads,
                   site,
                   "the kernel has loops over tx: bind the tiles of units to ty and tz, and let the lanes be an L loop "
                   "of 32 right inside",
                   {}};
  }
  return found;
}

/// Tensors in l that the kernel's threads touch, and nobody else.
std::optional<Refusal> find_fragments(View& view, Planned& out) {
  for (const Access& access : view.table().accesses) {
    if (out.tiles.contains(access.statement) && access.ref->scope == Scope::local) {
      out.fragments.insert(access.ref->tensor);
    }
  }
  for (const Access& access : view.table().accesses) {
    if (out.tiles.contains(access.statement) || !out.fragments.contains(access.ref->tensor)) continue;
    return Refusal{&kFragments,
                   access.site,
                   concat(access.ref->tensor,
                          " is in l, and is touched here outside of those threads: let it go "
                          "through s"),
                   {}};
  }
  return std::nullopt;
}

/// Which nests are spread over lanes, and which statements units run.
std::optional<Refusal> find_units(View& view, const KernelFacts& kernel, Planned& out) {
  for (const std::size_t number : kernel.statements) out.axes.merge(thread_axes(view.table().statements[number]));
  for (const std::size_t number : kernel.statements) {
    const Statement& statement = view.table().statements[number];
    const std::set<Axis> own = thread_axes(statement);
    if (own.empty()) continue;
    if (own != out.axes) {
      return refuse_at(kApart, statement, "only one of the kernel's loops over ty and tz is around it");
    }
    if (auto lanes = find_lane_nest(view, statement, own.size())) {
      const auto is_known = [&](const LaneNest& other) { return other.nest == lanes->nest; };
      if (std::none_of(out.lanes.begin(), out.lanes.end(), is_known)) out.lanes.push_back(*std::move(lanes));
      continue;
    }
    out.tiles[number] = 0;
    for (const Loop* loop : statement.loops) {
      const auto axis = loop->kind == LoopKind::bound ? axis_of(loop->index) : std::nullopt;
      if (!axis || !out.axes.contains(*axis)) continue;
      const auto place = static_cast<std::size_t>(std::distance(out.axes.begin(), out.axes.find(*axis)));
      out.units[loop->index] = concat(kUnitAxes[place], loop->index.substr(2));
    }
  }
  if (out.tiles.empty()) {
    return Refusal{&kForm, item_site({out.expression}), "all of it would be spread over lanes: it needs no units", {}};
  }
  return find_fragments(view, out);
}

/// How many of the last loops of a header become T loops: all from the first L loop that moves through what will be in
/// fragments; where there is none, all L and U loops at its end that the left side has.
Result<std::size_t, Refusal> tile_loops(const Statement& statement, const std::set<std::string>& fragments) {
  const Nest& own = *statement.nests.back();
  if (own.items.size() != 1) {
    return refuse_at(kForm, statement, "other items stand in the same header: take them apart with loop_fission");
  }
  const std::vector<Loop>& loops = own.loops;
  const auto moves_fragment = [&](const std::string& index) {
    const Equation& equation = *statement.equation;
    bool found = fragments.contains(equation.left->tensor) && has_subscript(*equation.left, index);
    for_each_ref(*equation.right, [&](const RefPtr& ref) {
      found = found || (fragments.contains(ref->tensor) && has_subscript(*ref, index));
    });
    return found;
  };
  std::size_t first = 0;
  while (first < loops.size() && (loops[first].kind != LoopKind::serial || !moves_fragment(loops[first].index)))
    ++first;
  if (first == loops.size()) {
    const auto is_lane = [&](const Loop& loop) {
      return (loop.kind == LoopKind::serial || loop.kind == LoopKind::unrolled) &&
             has_subscript(*statement.equation->left, loop.index);
    };
    while (first > 0 && is_lane(loops[first - 1])) --first;
  }
  if (first == loops.size()) {
    return refuse_at(kForm, statement, "its header ends with no L loop that the left side has: split one off");
  }
  for (std::size_t i = first; i < loops.size(); ++i) {
    if (loops[i].kind == LoopKind::serial || loops[i].kind == LoopKind::unrolled) continue;
    return refuse_at(kForm, statement,
                     concat(loops[i].index, " is a ", code(loops[i].kind), " loop: keep the loops there serial"));
  }
  return loops.size() - first;
}

/// The expression with other names, scopes and kinds of loops; no item changes its place.
bool build(View& view, Planned& planned) {
  planned.program = view.program();
  for (const LaneNest& lanes : planned.lanes) {
    const auto nest = spread_over_lanes(view, lanes);
    if (!nest) return false;
    planned.program = with_items(planned.program, lanes.nest->items, {*nest});
  }
  Rewriter rewriter;
  for (const auto& [from, to] : planned.units) {
    rewriter.variables.emplace(from, Index::variable(to));
    rewriter.loops.emplace(from, to);
  }
  rewriter.ref = [&](const RefPtr& ref) {
    if (!planned.fragments.contains(ref->tensor)) return ref;
    const DType dtype = planned.wide.contains(ref->tensor) ? DType::f32 : ref->dtype;
    return make_ref(ref->tensor, dtype, Scope::fragment, ref->subscripts);
  };
  NestPtr& nest = planned.program.nests[planned.expression];
  const auto rewritten = rewrite(Item(nest), rewriter);
  if (!rewritten) return false;
  nest = std::get<NestPtr>(*rewritten);
  for (const auto& [number, count] : planned.tiles) {
    std::vector<std::uint32_t> at = view.table().statements[number].items;
    at.pop_back();
    const auto own = std::get<NestPtr>(item_at(planned.program, at));
    std::vector<Loop> loops = own->loops;
    for (std::size_t i = loops.size() - count; i < loops.size(); ++i) loops[i].kind = LoopKind::tensorized;
    planned.program = with_items(planned.program, at, {stands_for(make_nest(loops, own->guard, own->items), *own)});
  }
  return true;
}

/// The problem that `check` would report, as a refusal.
Refusal refuse(const MatrixProblem& problem) {
  const Precondition& why = problem.id == "matrix-shape" ? kShape : problem.id == "fragment" ? kFragments : kForm;
  return {&why, problem.site, concat(problem.message, "; ", problem.hint), {}};
}

std::optional<Refusal> refuse_nests(View& after, const Planned& planned) {
  for (const auto& [number, count] : planned.tiles) {
    if (const auto nest = matrix_nest(after.table().statements[number]); !nest) return refuse(nest.error());
  }
  for (const KernelFacts& kernel : after.kernels()) {
    if (kernel.kernel.root[0] != planned.expression) continue;
    if (const auto rows = fragment_rows(after.table(), kernel.statements); !rows) return refuse(rows.error());
  }
  for (const Access& access : after.table().accesses) {
    if (!planned.tiles.contains(access.statement) || access.ref->scope != Scope::local) continue;
    return Refusal{&kFragments, access.site, concat("a subscript reads ", access.ref->tensor, ", which is in l"), {}};
  }
  return std::nullopt;
}

/// Threads of a block, and registers of a lane.
std::optional<Refusal> refuse_size(View& after, const Planned& planned) {
  const Site site = item_site({planned.expression});
  const Device& device = default_device();
  for (const KernelFacts& kernel : after.kernels()) {
    if (kernel.kernel.root[0] != planned.expression) continue;
    const Wide units = static_cast<Wide>(kernel.extents[static_cast<std::size_t>(Axis::wx)]) *
                       kernel.extents[static_cast<std::size_t>(Axis::wy)];
    if (units * kLanesOfUnit > device.threads) {
      return Refusal{&kLaunch,
                     site,
                     concat(static_cast<std::int64_t>(units), " units of ", kLanesOfUnit, " threads; ", device.name,
                            " has ", device.threads, " in a block"),
                     {{"units", static_cast<std::int64_t>(units)}, {"limit", device.threads}}};
    }
  }
  Wide bytes = 0;
  for (const std::string& name : planned.fragments) {
    Wide size = info(after.table().tensors.at(name).dtype).bytes;
    for (const std::int64_t extent : after.shape_of(name).dimensions) size *= extent;
    bytes += size;
  }
  if (bytes <= static_cast<Wide>(device.local_bytes) * kLanesOfUnit) return std::nullopt;
  return Refusal{&kFragments,
                 site,
                 concat("a lane would keep ", static_cast<std::int64_t>(bytes / kLanesOfUnit), " bytes; ", device.name,
                        " has ", device.local_bytes, ": make the tile of a unit smaller"),
                 {{"limit", device.local_bytes}}};
}

/// What an accumulation X=X+F*G multiplies with a tensor in s.
void drop_factors(const Statement& statement, std::set<std::string>& from) {
  const auto* sum = std::get_if<Sum>(&statement.equation->right->node);
  if (statement.accumulates != ArithmeticOp::add || !sum || sum->operands.size() != 2) return;
  const auto* product = std::get_if<Product>(&sum->operands[1]->node);
  if (!product || product->operands.size() != 2) return;
  const auto* first = std::get_if<Read>(&product->operands[0]->node);
  const auto* second = std::get_if<Read>(&product->operands[1]->node);
  if (!first || !second) return;
  if (second->ref->scope == Scope::shared) from.erase(first->ref->tensor);
  if (first->ref->scope == Scope::shared) from.erase(second->ref->tensor);
}

/// Narrow fragments that are no factors.
std::set<std::string> wide_fragments(View& view, const Planned& planned) {
  std::set<std::string> out;
  for (const std::string& name : planned.fragments) {
    const DType dtype = view.table().tensors.at(name).dtype;
    if (dtype == DType::f16 || dtype == DType::bf16) out.insert(name);
  }
  for (const auto& [number, count] : planned.tiles) drop_factors(view.table().statements[number], out);
  return out;
}

Result<Planned, Refusal> plan(View& view, std::uint32_t expression, bool is_wide) {
  Planned out;
  out.expression = expression;
  const auto kernel = kernel_of(view, expression);
  if (!kernel) return kernel.error();
  if (auto refusal = find_units(view, **kernel, out)) return *std::move(refusal);
  for (auto& [number, count] : out.tiles) {
    const auto lanes = tile_loops(view.table().statements[number], out.fragments);
    if (!lanes) return lanes.error();
    count = *lanes;
  }
  if (is_wide) out.wide = wide_fragments(view, out);
  if (!build(view, out)) return refuse_overflow(item_site({expression}));
  View after(out.program);
  if (auto refusal = refuse_nests(after, out)) return *std::move(refusal);
  if (auto refusal = refuse_size(after, out)) return *std::move(refusal);
  for (const std::string& name : out.fragments) {
    if (const auto conflict = placement_conflict(after, name)) {
      return steptp::refuse(kFragments, item_site({expression}), *conflict);
    }
  }
  if (const auto conflict = race_conflict(view, after, expression)) {
    return steptp::refuse(kRaces, item_site({expression}), *conflict);
  }
  return out;
}

void choices(View& view, Listing& listing) {
  if (!listing.extended && !listing.with_refusals) return;
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const auto planned = plan(view, i, false);
    const auto wide = plan(view, i, true);
    std::vector<std::int64_t> words;
    if (listing.allows(planned)) words.push_back(0);
    if (wide && !wide->wide.empty()) words.push_back(1);
    if (!words.empty()) listing.offer({item_site({i}), {{"wide", std::move(words)}}, true});
  }
}

/// What loops are called now.
void tell_names(View& view, const Planned& planned, Facts& facts) {
  for (const auto& [number, count] : planned.tiles) {
    std::vector<std::uint32_t> below = view.table().statements[number].items;
    below.pop_back();
    for (const auto& [from, to] : planned.units) facts.renamings.push_back({"index", from, to, item_site(below)});
  }
}

Result<Applied, Refusal> apply(View& view, const Choice& choice) {
  const auto expression = expression_at(view, choice.at);
  if (!expression) return expression.error();
  const std::int64_t wide = choice.integer("wide");
  if (wide < 0 || wide > 1) return Refusal{&kForm, choice.at, "wide is 0 or 1", {{"wide", wide}}};
  auto planned = plan(view, *expression, wide == 1);
  if (!planned) return planned.error();
  Applied out;
  // What is quoted: the equation whose header has the most T loops, with its header; a contraction, if there is one.
  const auto most = std::max_element(planned->tiles.begin(), planned->tiles.end(),
                                     [](const auto& left, const auto& right) { return left.second < right.second; });
  std::vector<std::uint32_t> quoted = view.table().statements[most->first].items;
  quoted.pop_back();
  out.facts.matched = {{"nest", item_site(quoted)}};
  out.facts.removed = out.facts.matched;
  out.facts.added = out.facts.matched;
  tell_names(view, *planned, out.facts);
  const auto nests = static_cast<std::int64_t>(planned->tiles.size());
  const std::string fragments = join(planned->fragments, ", ", [](const std::string& name) { return name; });
  out.facts.holds = {{&kThreads, {}}, {&kApart, {}}, {&kForm, {{"nests", nests}}}, {&kShape, {}}, {&kFragments, {}},
                     {&kLaunch, {}},  {&kRaces, {}}};
  out.facts.values = {{"nests", nests}, {"fragments", fragments}};
  if (!planned->wide.empty()) {
    out.facts.values.emplace_back("wide", join(planned->wide, ", ", [](const std::string& name) { return name; }));
  }
  out.facts.because =
      "T loops and units change no value, and no two iterations that run together touch an element that "
      "one of them writes, but in a reduction";
  out.program = std::move(planned->program);
  return out;
}

}  // namespace

const Strategy& loop_tensorization_strategy() {
  static constexpr Strategy kStrategy = {
      "loop_tensorization",
      Level::operators,
      "each thread of a kernel becomes a unit, and what it did is done by the unit's 32 lanes, by matrix nests and "
      "copies",
      "B_{ty}B_{tz}L_{m}L_{n}L_{c}[E^{l}_{m,n}=E^{l}_{m,n}+F^{s}_{ty*16+m,c}*G^{s}_{c,tz*8+n}]   -->   "
      "B_{wx}B_{wy}T_{m}T_{n}T_{c}[E^{f}_{m,n}=E^{f}_{m,n}+F^{s}_{wx*16+m,c}*G^{s}_{c,wy*8+n}]\n"
      "  B^{2}_{ty=0}L^{32}_{a=0}[F^{s}_{ty*32+a}=A_{ty*32+a}]   -->   B^{64}_{txa=0}[F^{s}_{txa}=A_{txa}]",
      "T loops and units change no value, and no two iterations that run together touch an element that one of them "
      "writes, but in a reduction",
      "",
      {"@input A f16[32,16]\n@input C f16[16,8]\n@output D f32[32,8]\n"
       "B^{1}_{bx=0}[B^{2}_{ty=0}L^{32}_{a=0}L^{8}_{d=0}[F^{f16,s}_{a,ty*8+d}=A^{f16,g}_{a,ty*8+d};];"
       "B^{2}_{ty=0}L^{32}_{a=0}L^{2}_{d=0}[G^{f16,s}_{ty*8+a//4,a%4*2+d}=C^{f16,g}_{ty*8+a//4,a%4*2+d};];"
       "B^{2}_{ty=0}L^{16}_{m=0}L^{8}_{n=0}L^{16}_{c=0}[E^{f32,l}_{m,n}=E^{f32,l}_{m,n}+F^{f16,s}_{ty*16+m,c}*"
       "G^{f16,s}_{c,n};];"
       "B^{2}_{ty=0}L^{16}_{m=0}L^{8}_{n=0}[D^{f32,g}_{ty*16+m,n}=E^{f32,l}_{m,n};];];\n",
       R"({"at":"0","wide":0})"},
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
