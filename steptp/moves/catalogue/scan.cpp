/// scan: a fold up to each place (a running sum, product or maximum) goes on from place to place, with its rows on
/// threads; or threads fold parts side by side, and go on from what all parts before theirs make, in a fixed order.
///   L_{r}L_{a}L_{c}[D_{r,a}=D_{r,a}+if_then_else(c<=a,f(r,c),0)]
///     -->   B_{bx}B_{tx}[L_{a}[E^{l}=if_then_else(a-1<0,0,E^{l})+f(r,a);D_{r,a}=E^{l}]]   (running)
///     -->   B_{bx}[B_{tx}[F^{s}_{tx}=sum of its part];B_{tx}[G^{l}=sum of F^{s} before tx];
///                  B_{tx}L_{a}[E^{l}=..;D_{r,tx*K+a}=G^{l}+E^{l}]]   (parts)
#include <algorithm>

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/scan_kernel.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/parameters.h"

namespace steptp {

const Move& scan_move();

namespace {

constexpr Parameter kParameters[] = {
    {"part", Parameter::Kind::integer,
     "places that a thread folds, one after the other; the parts of a row are folded side by side. 0: a thread folds a "
     "whole row"},
    {"rows", Parameter::Kind::integer, "rows that a block has at once"},
    {"keep", Parameter::Kind::integer, "1: what a thread reads of its part stays in its registers; 0: it is read twice",
     0},
};
constexpr std::int64_t kMostKept = 64;  ///< elements of one tensor that a thread keeps
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "prefix",
     "the expression is one equation, folds one loop, and has one if_then_else, which compares that loop with another"},
    {Check::size, "part", "a part has 2 places or more, and there are 2 parts or more"},
    {Check::launch, "rows",
     "a block has 1 row or more, and no more than there are; where a thread folds a whole row, there are several"},
    {Check::launch, "threads", "a block has no more threads than the device"},
    {Check::size, "keep", "only a part is kept, of 64 places at most"},
};
constexpr const Precondition& kPrefix = kNeeds[1];
constexpr const Precondition& kPart = kNeeds[2];
constexpr const Precondition& kRows = kNeeds[3];
constexpr const Precondition& kThreads = kNeeds[4];
constexpr const Precondition& kKeep = kNeeds[5];

/// How large such a fold is.
struct Scanned {
  std::int64_t rows = 1;
  std::int64_t places = 1;
};

Result<Scanned, Refusal> find_scan(View& view, const Site& site) {
  const auto refuse_because = [&](std::string why) { return Refusal{&kPrefix, site, std::move(why), {}}; };
  const bool is_expression = site.part == Site::Part::item && site.items.size() == 1;
  const bool exists = is_expression && site.items[0] < view.program().nests.size();
  const Statement* statement = exists ? only_statement(view, site.items[0]) : nullptr;
  if (!statement || !statement->accumulates) return refuse_because("no expression of one equation that folds");
  const Axes axes = axes_of(*statement);
  if (axes.reduced.size() != 1) return refuse_because(concat(axes.reduced.size(), " loops are folded"));
  std::vector<ExprPtr> choices;
  const auto look = [&](const auto& self, const ExprPtr& expr) -> void {
    if (const auto* select = std::get_if<Select>(&expr->node)) choices.push_back(select->condition);
    for (const ExprPtr* child : children(*expr)) self(self, *child);
  };
  look(look, statement->equation->right);
  Scanned out;
  std::size_t along = 0;
  for (const AxisOf& axis : axes.spatial) {
    const bool compares = std::any_of(choices.begin(), choices.end(), [&](const ExprPtr& condition) {
      return variables_of(*condition) == std::set<std::string>{axis.index, axes.reduced[0].index};
    });
    along += compares ? 1 : 0;
    (compares ? out.places : out.rows) *= axis.extent;
  }
  if (along != 1) return refuse_because(concat("the folded loop is compared with ", along, " others"));
  return out;
}

std::optional<Refusal> misfit_of(const Scanned& scan, const ScanLayout& layout, const Site& site) {
  if (layout.part != 0 && (layout.part < 2 || layout.part >= scan.places)) {
    return Refusal{&kPart, site, concat("parts of ", layout.part, " of ", scan.places, " places"), {}};
  }
  if (layout.rows < 1 || layout.rows > scan.rows || (!layout.has_parts() && scan.rows < 2)) {
    return Refusal{&kRows, site, concat(layout.rows, " rows of ", scan.rows), {{"rows", scan.rows}}};
  }
  const std::int64_t parts = layout.has_parts() ? (scan.places - 1) / layout.part + 1 : 1;
  const std::int64_t most = default_device().threads;
  if (layout.rows > most / parts) {
    return Refusal{&kThreads, site, concat(parts, " threads for each of ", layout.rows, " rows"), {}};
  }
  if (layout.keeps && (!layout.has_parts() || layout.part > kMostKept)) {
    return Refusal{&kKeep, site, concat("parts of ", layout.part, " places"), {}};
  }
  return std::nullopt;
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  if (auto refusal = refuse_outside(choice, "keep", 0, 1)) return refusal;
  const auto scan = find_scan(builder.view(), choice.at);
  if (!scan) return scan.error();
  const ScanLayout layout = {choice.integer("part"), choice.integer("rows"), choice.integer("keep") != 0};
  if (auto refusal = misfit_of(*scan, layout, choice.at)) return refusal;
  (void)make_scan_kernel(builder, choice.at.items[0], layout);
  return builder.refusal();
}

/// Sizes worth offering; whether strategies accept the steps does not depend on them but for whether a part divides.
constexpr std::int64_t kRowsOfBlock[] = {1, 2, 4, 8, 32, 128};

void offer_parts(View& view, Listing& listing, const Site& site, const Scanned& scan, std::int64_t part) {
  std::vector<std::int64_t> rows;
  for (const std::int64_t number : kRowsOfBlock) {
    if (!misfit_of(scan, {part, number, false}, site)) rows.push_back(number);
  }
  for (const std::int64_t keep : {std::int64_t{0}, std::int64_t{1}}) {
    if (rows.empty() || (keep == 1 && misfit_of(scan, {part, rows[0], true}, site))) continue;
    const Values others = {{"part", part}, {"keep", keep}};
    auto domain = values_that_work(scan_move(), view, {site, others}, {"rows", rows}, listing);
    if (domain.count() == 0) continue;
    listing.offer(
        {site,
         {{"part", std::vector<std::int64_t>{part}}, std::move(domain), {"keep", std::vector<std::int64_t>{keep}}},
         false});
  }
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    const auto scan = find_scan(view, site);
    if (!listing.allows(scan)) continue;
    for (const std::int64_t part : {0, 4, 5, 8, 15, 16, 32}) offer_parts(view, listing, site, *scan, part);
  }
}

}  // namespace

const Move& scan_move() {
  static constexpr Move kMove = {
      "scan",
      "a fold up to each place goes on from place to place with rows on threads, or from part to part with parts on "
      "threads",
      "L_{r}L_{a}L_{c}[D_{r,a}=D_{r,a}+if_then_else(c<=a,f(r,c),0)]   -->\n"
      "  B_{bx}[B_{tx}[F^{s}_{tx}=sum of its part];B_{tx}[G^{l}=sum of F^{s} before tx];"
      "B_{tx}L_{a}[E^{l}=if_then_else(a-1<0,0,E^{l})+f(r,tx*K+a);D_{r,tx*K+a}=G^{l}+E^{l}]]",
      {"@input A f32[8,64]\n@output D f32[8,64]\n"
       "B^{8}_{tx=0}L^{64}_{a=0}L^{64}_{c=0}"
       "[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+if_then_else(c<=a,A^{f32,g}_{tx,c},0);];\n",
       R"({"at":"0","part":8,"rows":2,"keep":1})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      7,
  };
  return kMove;
}

}  // namespace steptp
