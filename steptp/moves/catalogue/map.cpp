/// map: one thread for each element, or for each few of them that lie side by side.
///   B^{8}_{tx}L^{96}_{a}[D_{tx,a}=f(A_{tx,a})]   -->   B^{4}_{by}B^{2}_{ty}B^{24}_{tx}V^{4}_{a}[D_{..}=f(A_{..})]
/// The loops that every equation writes by are put outermost, in the order of the last equation's left subscripts. The
/// innermost of them become threads as long as a block has room, x first; what is left of them, and the others, become
/// blocks, the longest on x. Beyond three axes, and whatever else there is, such as reductions, stays inside, each
/// thread for itself. No loops are fused: subscripts stay affine, and need no divisions.
/// With flat 1 the loops that are written by are one instead, cut into blocks, rounds, threads and vectors with a rest:
///   B^{8}_{tx}L^{90}_{a}[D_{tx,a}=f(A_{tx,a})]
///     -->   B^{6}_{bx}L^{2}_{r}B^{16}_{tx}V^{4}_{c}[D_{i//90,i%90}=f(A_{i//90,i%90})], i=((bx*2+r)*16+tx)*4+c
/// Rows of any length then have vectors, and a thread several of them on their way.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/thread_roles.h"
#include "steptp/strategies/caching.h"

namespace steptp {

const Move& map_move();

namespace {

constexpr Parameter kParameters[] = {
    {"threads", Parameter::Kind::integer, "threads that a block has at most"},
    {"width", Parameter::Kind::integer, "neighbours in the last dimension that a thread works on as a vector; 1: none",
     1},
    {"flat", Parameter::Kind::integer, "1: all elements are one row, cut with a rest; 0: each dimension by itself", 0},
    {"rounds", Parameter::Kind::integer, "how many times a thread of a flat row does so, a block further on each time",
     1},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "elements", "the outer loops of the expression are such as every equation in it writes by"},
    {Check::size, "threads", "a block has from 1 to 1024 threads"},
    {Check::size, "width", "a vector is of 1, 2, 4 or 8 neighbours, along a loop that it divides, and of one equation"},
    {Check::pattern_match, "flat",
     "flat is 0, with 1 round, or 1: then the expression is one equation, whose loops are all written by, in their "
     "order, and have an element for every thread and round"},
};
constexpr const Precondition& kElements = kNeeds[1];
constexpr const Precondition& kThreads = kNeeds[2];
constexpr const Precondition& kWidth = kNeeds[3];
constexpr const Precondition& kFlat = kNeeds[4];
constexpr std::int64_t kThreadCounts[] = {32, 64, 128, 256, 512, 1024};
constexpr std::int64_t kWidths[] = {1, 2, 4, 8};
constexpr std::int64_t kRounds[] = {1, 2, 4};

/// The loops of a header by what becomes of them.
struct Header {
  std::vector<Loop> loops;
  std::vector<std::size_t> elements;  ///< written by, outermost dimension first
  bool is_one_equation = false;

  [[nodiscard]] const Loop& last() const { return loops[elements.back()]; }
  /// Iterations of the loops that are written by, the last one's in vectors.
  [[nodiscard]] std::vector<std::int64_t> extents(std::int64_t width) const {
    std::vector<std::int64_t> out;
    for (const std::size_t at : elements) out.push_back(loops[at].extent);
    out.back() /= width;
    return out;
  }
};

bool is_serial(const Loop& loop) { return loop.kind == LoopKind::serial || loop.kind == LoopKind::bound; }

Result<Header, Refusal> find_header(View& view, const Site& site) {
  const auto refuse_because = [&](std::string why) { return Refusal{&kElements, site, std::move(why), {}}; };
  const PlacedNest* nest =
      site.part == Site::Part::item && site.items.size() == 1 ? view.find_nest(site.items) : nullptr;
  if (!nest) return refuse_because("there is no expression at this address");
  Header out{nest->nest->loops, {}, false};
  const Statement* last = nullptr;
  std::size_t statements = 0;
  std::vector<bool> written(out.loops.size(), true);
  for (const Statement& statement : view.table().statements) {
    if (statement.items[0] != site.items[0]) continue;
    ++statements;
    last = &statement;
    const Axes axes = axes_of(statement);
    for (std::size_t i = 0; i < out.loops.size(); ++i) {
      written[i] = written[i] && std::any_of(axes.spatial.begin(), axes.spatial.end(),
                                             [&](const AxisOf& axis) { return axis.index == out.loops[i].index; });
    }
  }
  out.is_one_equation = statements == 1 && last->items.size() == 2;
  // In the order of the last equation's dimensions, so that neighbours are neighbours in memory.
  for (const Index& subscript : last->equation->left->subscripts) {
    for_each_variable(subscript, [&](const std::string& name) {
      for (std::size_t i = 0; i < out.loops.size(); ++i) {
        const bool known = std::find(out.elements.begin(), out.elements.end(), i) != out.elements.end();
        if (out.loops[i].index == name && written[i] && !known) out.elements.push_back(i);
      }
    });
  }
  if (out.elements.empty()) return refuse_because("no loop of its header is one that every equation writes by");
  if (nest->nest->guard) return refuse_because("the expression has a guard");
  if (!std::all_of(out.loops.begin(), out.loops.end(), is_serial)) {
    return refuse_because("a loop of its header is neither an L loop nor a bound one");
  }
  return out;
}

std::optional<Refusal> refuse_width(const Header& header, const Site& site, std::int64_t width, bool is_flat) {
  const bool known = std::find(std::begin(kWidths), std::end(kWidths), width) != std::end(kWidths);
  const bool divides = is_flat || header.last().extent % width == 0;
  const bool fits = known && divides && (width == 1 || header.is_one_equation);
  if (fits) return std::nullopt;
  return Refusal{&kWidth,
                 site,
                 concat("vectors of ", width, " along ", header.last().extent, " iterations of ", header.last().index),
                 {{"width", width}, {"extent", header.last().extent}}};
}

/// What a flat row is cut into.
struct FlatRow {
  std::int64_t threads = 1;
  std::int64_t width = 1;
  std::int64_t rounds = 1;
};

std::optional<Refusal> refuse_flat(const Header& header, const Site& site, const FlatRow& row) {
  std::int64_t elements = 1;
  bool fits = header.is_one_equation && header.elements.size() == header.loops.size() && row.threads > 1;
  for (std::size_t i = 0; fits && i < header.elements.size(); ++i) {
    // Of more elements than this it is certain that they are enough.
    constexpr std::int64_t kEnough = std::int64_t{1} << 30;
    fits = header.elements[i] == i;
    elements = std::min(kEnough, elements * std::min(kEnough, header.loops[i].extent));
  }
  fits = fits && std::find(std::begin(kRounds), std::end(kRounds), row.rounds) != std::end(kRounds);
  if (fits && elements >= row.threads * row.width * row.rounds) return std::nullopt;
  return Refusal{&kFlat,
                 site,
                 concat("a flat row by ", row.rounds, " rounds of ", row.threads, " threads"),
                 {{"rounds", row.rounds}, {"threads", row.threads}}};
}

/// The loops to be in this order, one exchange after the other.
bool arrange(MoveBuilder& builder, const Handle& nest, std::vector<std::size_t> order) {
  std::vector<std::size_t> stands(order.size());  // which of the old loops stands at a place
  for (std::size_t i = 0; i < stands.size(); ++i) stands[i] = i;
  for (std::size_t want = 0; want < order.size(); ++want) {
    const auto from = static_cast<std::size_t>(std::find(stands.begin(), stands.end(), order[want]) - stands.begin());
    for (std::size_t at = from; at > want; --at) {  // by neighbours, so that the others keep their order
      const Site place = loop_site(nest.only()->items, at - 1);
      if (!builder.step("loop_reorder", place, {{"with", static_cast<std::int64_t>(at)}})) return false;
      std::swap(stands[at - 1], stands[at]);
    }
  }
  return true;
}

/// Loops from one place up to before another on the axes of a kind, x for the last.
bool bind(MoveBuilder& builder, const Handle& nest, std::size_t from, std::size_t to, char kind) {
  for (std::size_t at = to; at-- > from;) {
    const std::string axis = {kind, "xyz"[to - 1 - at]};
    const Site place = loop_site(nest.only()->items, at);
    if (!builder.step("loop_binding", place, {{"axis", axis}, {"multiple", 1}})) return false;
  }
  return true;
}

bool unbind(MoveBuilder& builder, const Handle& nest, const Header& header) {
  for (std::size_t i = 0; i < header.loops.size(); ++i) {
    if (header.loops[i].kind != LoopKind::bound) continue;
    const Site loop = loop_site(nest.only()->items, i);
    if (!builder.step("loop_binding", loop, {{"axis", "none"}, {"multiple", 1}})) return false;
  }
  return true;
}

/// All serial, and those that are written by outermost; with vectors, their loop innermost.
bool prepare(MoveBuilder& builder, const Handle& nest, const Header& header, std::int64_t width) {
  const auto loop = [&nest](std::size_t at) { return loop_site(nest.only()->items, at); };
  if (!unbind(builder, nest, header)) return false;
  std::vector<std::size_t> order = header.elements;
  for (std::size_t i = 0; i < header.loops.size(); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  }
  if (!arrange(builder, nest, order)) return false;
  if (width == 1) return true;
  const std::size_t last = header.elements.size() - 1;
  if (!builder.step("loop_split", loop(last), {{"inner", width}, {"kind", "inner"}})) return false;
  std::vector<std::size_t> inside;
  for (std::size_t i = 0; i < header.loops.size() + 1; ++i) {
    if (i != last + 1) inside.push_back(i);
  }
  inside.push_back(last + 1);
  if (!arrange(builder, nest, inside)) return false;
  return builder.step("loop_vectorization", loop(header.loops.size()));
}

/// All loops become one, which is cut from the inside: vectors, threads, rounds, blocks.
bool make_flat(MoveBuilder& builder, const Handle& nest, const Header& header, const FlatRow& row) {
  const auto loop = [&nest](std::size_t at) { return loop_site(nest.only()->items, at); };
  const auto split = [&](std::int64_t inner) {
    return builder.step("loop_split", loop(0), {{"inner", inner}, {"kind", "inner"}});
  };
  if (!unbind(builder, nest, header)) return false;
  for (std::size_t i = 1; i < header.loops.size(); ++i) {
    if (!builder.step("loop_fusion", loop(0), {{"keep", "inner"}})) return false;
  }
  if (row.width > 1 && !split(row.width)) return false;
  if (!split(row.threads)) return false;
  if (row.rounds > 1 && !split(row.rounds)) return false;
  const std::size_t threads = row.rounds > 1 ? 2 : 1;
  if (!builder.step("loop_binding", loop(0), {{"axis", "bx"}, {"multiple", 1}})) return false;
  if (!builder.step("loop_binding", loop(threads), {{"axis", "tx"}, {"multiple", 1}})) return false;
  if (row.width == 1) return true;
  const Site lanes = loop(threads + 1);
  return builder.may_step("loop_vectorization", lanes, {{"rest", 0}}) ||
         builder.step("loop_vectorization", lanes, {{"rest", 1}});
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const std::int64_t threads = choice.integer("threads");
  const std::int64_t width = choice.integer("width");
  const std::int64_t flat = choice.integer("flat");
  const FlatRow row{threads, width, choice.integer("rounds")};
  const auto found = find_header(builder.view(), choice.at);
  if (!found) return found.error();
  const Header header = *found;
  if (threads < 1 || threads > kThreadCounts[5]) {
    return Refusal{&kThreads, choice.at, concat(threads, " threads"), {{"threads", threads}}};
  }
  if (auto refusal = refuse_width(header, choice.at, width, flat == 1)) return refusal;
  if (flat != 0 || row.rounds != 1) {
    if (flat != 1) {
      return Refusal{&kFlat, choice.at, concat("flat ", flat, " with ", row.rounds, " rounds"), {{"flat", flat}}};
    }
    if (auto refusal = refuse_flat(header, choice.at, row)) return refusal;
  }
  const Handle& nest = builder.follow(choice.at);
  if (flat == 1) {
    (void)make_flat(builder, nest, header, row);
    return builder.refusal();
  }
  if (!prepare(builder, nest, header, width)) return builder.refusal();
  const std::vector<Dimension> dimensions = dimensions_of(header.extents(width), threads);
  for (std::size_t i = dimensions.size(); i-- > 0;) {  // from the last, so that places before it stay
    if (!dimensions[i].is_split()) continue;
    const Site place = loop_site(nest.only()->items, i);
    if (!builder.step("loop_split", place, {{"inner", dimensions[i].threads}, {"kind", "inner"}})) {
      return builder.refusal();
    }
  }
  const std::vector<ThreadRole> roles = roles_of(dimensions);
  if (!arrange(builder, nest, order_of(roles))) return builder.refusal();
  const std::size_t blocks = count_of(roles, ThreadRole::Kind::block);
  const std::size_t end = blocks + count_of(roles, ThreadRole::Kind::thread);
  if (!bind(builder, nest, 0, blocks, 'b')) return builder.refusal();
  (void)bind(builder, nest, blocks, end, 't');
  return builder.refusal();
}

/// Numbers of threads, in ascending order, with what decides besides their size whether strategies accept the steps:
/// which loops are cut, and whether a guard is needed. Of those that agree in this the one with the fewest threads has
/// the most blocks on each axis, so that it is made for all of them.
using Sized = std::vector<std::pair<std::string, std::int64_t>>;

ParameterDomain threads_that_work(View& view, const Choice& others, const Sized& candidates, Listing& listing) {
  std::map<std::string, bool> works;
  std::vector<std::int64_t> out;
  for (const auto& [kind, threads] : candidates) {
    const auto known = works.find(kind);
    const std::vector<std::int64_t> one = {threads};
    const bool accepted = known != works.end()
                              ? known->second
                              : values_that_work(map_move(), view, others, {"threads", one}, listing).count() > 0;
    works.emplace(kind, accepted);
    if (accepted) out.push_back(threads);
  }
  return {"threads", std::move(out)};
}

void offer(View& view, const Site& site, const Header& header, std::int64_t width, Listing& listing) {
  // Numbers of threads that make the same blocks are one choice.
  Sized candidates;
  std::vector<std::vector<std::int64_t>> seen;
  for (const std::int64_t threads : kThreadCounts) {
    std::vector<std::int64_t> shape;
    std::string kind;
    for (const Dimension& one : dimensions_of(header.extents(width), threads)) {
      shape.push_back(one.threads);
      kind += !one.is_split() ? (one.threads > 1 ? 't' : 'b') : one.extent % one.threads == 0 ? 's' : 'g';
    }
    if (std::find(seen.begin(), seen.end(), shape) != seen.end()) continue;
    seen.push_back(std::move(shape));
    candidates.emplace_back(std::move(kind), threads);
  }
  ParameterDomain threads = threads_that_work(view, {site, {{"width", width}}}, candidates, listing);
  listing.offer({site,
                 {std::move(threads),
                  {"width", std::vector<std::int64_t>{width}},
                  {"flat", std::vector<std::int64_t>{0}},
                  {"rounds", std::vector<std::int64_t>{1}}},
                 false});
}

/// Whether a flat row is cut without a rest; nothing where it is too long to say.
std::optional<bool> divides(const Header& header, const FlatRow& row) {
  std::int64_t elements = 1;
  for (const Loop& loop : header.loops) {
    if (__builtin_mul_overflow(elements, loop.extent, &elements)) return std::nullopt;
  }
  return elements % (row.threads * row.width * row.rounds) == 0;
}

/// Flat rows of as many threads and rounds as there are elements for.
void offer_flat(View& view, const Site& site, const Header& header, std::int64_t width, Listing& listing) {
  for (const std::int64_t rounds : kRounds) {
    Sized candidates;
    for (const std::int64_t threads : kThreadCounts) {
      const FlatRow row = {threads, width, rounds};
      if (!listing.allows(refuse_flat(header, site, row))) continue;
      const auto whole = divides(header, row);
      candidates.emplace_back(whole ? (*whole ? "whole" : "rest") : std::to_string(threads), threads);
    }
    if (candidates.empty()) continue;
    const Values others = {{"width", width}, {"flat", std::int64_t{1}}, {"rounds", rounds}};
    ParameterDomain threads = threads_that_work(view, {site, others}, candidates, listing);
    listing.offer({site,
                   {std::move(threads),
                    {"width", std::vector<std::int64_t>{width}},
                    {"flat", std::vector<std::int64_t>{1}},
                    {"rounds", std::vector<std::int64_t>{rounds}}},
                   false});
  }
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    const auto header = find_header(view, site);
    if (!listing.allows(header)) continue;
    // Without data in `s` and `l` no other expression plays a part, and steps on one alone cost a fraction.
    const bool alone = !view.has_scoped_data();
    const Program expression = alone ? only_expressions(view.program(), {i}) : Program();
    View one(alone ? expression : view.program());
    for (const std::int64_t width : kWidths) {
      if (listing.allows(refuse_width(*header, site, width, false))) offer(one, site, *header, width, listing);
      if (listing.allows(refuse_width(*header, site, width, true))) offer_flat(one, site, *header, width, listing);
    }
  }
}

}  // namespace

const Move& map_move() {
  static constexpr Move kMove = {
      "map",
      "one thread for each element, or for each few of them that lie side by side",
      "B^{8}_{tx=0}L^{96}_{a=0}[D_{tx,a}=f(A_{tx,a})]   -->   "
      "B^{4}_{bx=0}B^{2}_{ty=0}B^{24}_{tx=0}V^{4}_{a=0}[D_{..}=f(A_{..})]",
      {"@input A f32[8,96]\n@output D f32[8,96]\n"
       "B^{8}_{tx=0}L^{96}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*2;];\n",
       R"({"at":"0","threads":64,"width":4})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      190,
  };
  return kMove;
}

}  // namespace steptp
