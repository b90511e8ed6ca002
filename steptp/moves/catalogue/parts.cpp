/// parts: a sum (or product, maximum, minimum) is made in parts of a given length, all of them at once, which a second
/// expression folds in their order: more blocks for a contraction whose result is small.
///   L_{m}L_{n}L_{k}[D=D+A*C]   -->   L_{p}L_{m}L_{n}L_{k}[E_{p}=E_{p}+A*C]; L_{m}L_{n}L_{p}[D=D+E_{p}]
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/builder.h"
#include "steptp/moves/loop_header.h"
#include "steptp/moves/parts.h"

namespace steptp {

const Move& parts_move();

namespace {

constexpr Parameter kParameters[] = {
    {"length", Parameter::Kind::integer,
     "iterations of a part, of the longest loop that is folded; the last part is shorter where it does not divide"},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "reduction", "the expression is one equation in one header, which folds a loop"},
    {Check::size, "length", "there are at least two parts"},
};
constexpr const Precondition& kReduction = kNeeds[1];
constexpr const Precondition& kLength = kNeeds[2];

/// The loops of a reduction by what they are: results are o0, o1, ..., what else is folded r0, r1, ..., and the longest
/// loop that is folded, the innermost of those, is "k".
struct Folded {
  std::vector<std::string> roles;
  std::int64_t extent = 0;
};

Result<Folded, Refusal> folded_at(View& view, const Site& site) {
  const Refusal none = {&kReduction, site, "there is no expression here that is one equation that folds a loop", {}};
  const Statement* statement = statement_at(view, site);
  if (!statement || site.items.size() != 1 || statement->items.size() != 2 || !statement->accumulates) return none;
  const Axes axes = axes_of(*statement);
  Folded out;
  std::string longest;
  for (const AxisOf& axis : axes.reduced) {
    if (axis.extent < out.extent) continue;
    out.extent = axis.extent;
    longest = axis.index;
  }
  if (out.extent < 2) return none;
  for (const AxisOf& axis : loops_around(*statement)) {
    const bool is_folded = std::any_of(axes.reduced.begin(), axes.reduced.end(),
                                       [&](const AxisOf& other) { return other.index == axis.index; });
    const std::string number = concat(out.roles.size());
    out.roles.push_back(axis.index == longest ? "k" : concat(is_folded ? "r" : "o", number));
  }
  return out;
}

/// The parts are what is outermost: in the loops, and in the tensor that holds them, so that each is a result as before.
bool make_parts(MoveBuilder& builder, const Site& site, const Folded& what, std::int64_t length) {
  LoopHeader terms(builder, site.items, what.roles);
  if (!terms.unbind_all() || !terms.split("k", length, "part", "k")) return false;
  std::vector<std::string> order = what.roles;
  order.insert(order.begin(), "part");
  if (!terms.arrange(order)) return false;
  const Values parts = {{"form", "rfactor"}, {"cut", 0}};
  if (!builder.step("reduction_factorization", loop_site(site.items, 0), parts)) return false;
  std::vector<std::string> folding = order;
  std::erase_if(folding, [](const std::string& role) { return role[0] == 'k' || role[0] == 'r'; });
  LoopHeader fold(builder, {site.items[0] + 1}, folding);
  std::rotate(folding.begin(), folding.begin() + 1, folding.end());
  if (!fold.arrange(folding)) return false;
  Site left = site;
  left.items.push_back(0);
  const std::size_t rank = statement_at(builder.view(), item_site(left.items))->equation->left->subscripts.size();
  if (rank < 2) return true;
  left.part = Site::Part::left;
  std::string dimensions = concat(rank - 1);
  for (std::size_t i = 0; i + 1 < rank; ++i) append(dimensions, ",", i);
  return builder.step("set_storage_layout", left,
                      {{"form", "transpose"}, {"dimensions", std::move(dimensions)}, {"number", 0}});
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto found = folded_at(builder.view(), choice.at);
  if (!found) return found.error();
  const std::int64_t length = choice.integer("length");
  if (length < 1 || length >= found->extent) {
    return Refusal{&kLength,
                   choice.at,
                   concat("parts of ", length, " of ", found->extent, " iterations"),
                   {{"length", length}, {"iterations", found->extent}}};
  }
  (void)make_parts(builder, choice.at, *found, length);
  return builder.refusal();
}

/// Lengths for 2, 4 and 8 parts: whole tiles of 16, where it is long enough.
std::vector<std::int64_t> worth_trying(std::int64_t extent) {
  constexpr std::int64_t kTile = 16;
  std::vector<std::int64_t> out;
  for (const std::int64_t parts : {2, 4, 8}) {
    std::int64_t length = (extent + parts - 1) / parts;
    if (length > kTile) length = (length + kTile - 1) / kTile * kTile;
    const bool is_new = std::find(out.begin(), out.end(), length) == out.end();
    if (is_new && length < extent) out.push_back(length);
  }
  return out;
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    const auto found = folded_at(view, site);
    if (!listing.allows(found)) continue;
    const ParameterDomain candidates{"length", worth_trying(found->extent)};
    auto lengths = values_that_work(parts_move(), view, {site, {}}, candidates, listing);
    if (lengths.count() > 0) listing.offer({site, {std::move(lengths)}, false});
  }
}

}  // namespace

const Move& parts_move() {
  static constexpr Move kMove = {
      "parts",
      "a sum is made in parts of a given length, which a second expression folds in their order",
      "L_{m}L_{n}L_{k}[D=D+A*C]   -->   L_{p}L_{m}L_{n}L_{k}[E_{p}=E_{p}+A*C]; L_{m}L_{n}L_{p}[D=D+E_{p}]",
      {"@input A f32[8,96]\n@input C f32[96,6]\n@output D f32[8,6]\n"
       "B^{8}_{tx=0}L^{6}_{a=0}L^{96}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];\n",
       R"({"at":"0","length":32})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      100,
  };
  return kMove;
}

}  // namespace steptp
