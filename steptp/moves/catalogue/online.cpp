/// online: reductions that wait for each other, or a reduction and what is made of it, run in one pass along their
/// loop: a maximum, a sum, the maximum and the sum of a softmax, an attention without tiles. A thread has a row, and
/// what goes on from round to round are its registers.
///   L_{r}L_{a}[X_{r}=max(X_{r},A_{r,a})]; L_{r}L_{a}[E_{r}=E_{r}+exp(A_{r,a}-X_{r})]; L_{r}L_{a}[C=exp(A-X)/E]
///     -->   B_{bx}B_{tx}[X^{l}=-inf;L_{a}[Y^{l}=X^{l};X^{l}=max(Y^{l},A);E^{l}=E^{l}*exp(Y^{l}-X^{l})+exp(A-X^{l})];
///                        L_{a}[C=exp(A-X^{l})/E^{l}]]
#include <algorithm>

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/moves/online_kernel.h"
#include "steptp/moves/parts.h"

namespace steptp {

const Move& online_move();

namespace {

/// What is made online; attention is the only one that is found at what it ends with.
enum class Kind : std::uint8_t { maximum, sum, exponentials, softmax, attention };
constexpr std::string_view kKinds[] = {"maximum", "sum", "exponentials", "softmax", "attention"};
constexpr std::string_view kStrategies[] = {
    "normal_loop_max_to_prefix_max", "normal_loop_summation_on_exp_to_prefix_summation_on_exp",
    "normal_loop_summation_on_exp_to_prefix_summation_on_exp", "online_softmax", "flashattention_wo_tiling"};
constexpr Parameter kParameters[] = {
    {"kind", Parameter::Kind::word,
     "maximum, sum: what the expression folds; exponentials: E=E+exp(A-X), with the maximum before it; softmax: the "
     "same, and exp(A-X)/E behind it; attention: O=O+P*V, with the softmax before it"},
    {"rows", Parameter::Kind::integer, "rows of a block, each with a thread"},
    {"following", Parameter::Kind::integer,
     "how many of the expressions behind it have its rows and go into its kernel", 0},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "reduction",
     "the expression is one equation that folds one loop, of several iterations, and has rows"},
    {Check::pattern_match, "kind", "max and + are what is folded, and the weights of an attention have a sum"},
    {Check::launch, "rows", "a block has 1 row or more, no more than there are and than a block has threads"},
    {Check::pattern_match, "following", "so many expressions behind it have loops over the same rows"},
};
constexpr const Precondition& kReduction = kNeeds[1];
constexpr const Precondition& kKind = kNeeds[2];
constexpr const Precondition& kRows = kNeeds[3];
constexpr const Precondition& kFollowing = kNeeds[4];

/// A reduction that may become a recurrence.
struct Folded {
  const Statement* statement = nullptr;
  std::string loop;  ///< that is folded
  std::int64_t rows = 1;
};

Result<Folded, Refusal> find_folded(View& view, const Site& site) {
  const auto refuse_because = [&](std::string why) { return Refusal{&kReduction, site, std::move(why), {}}; };
  const bool is_expression = site.part == Site::Part::item && site.items.size() == 1;
  const bool exists = is_expression && site.items[0] < view.program().nests.size();
  const Statement* statement = exists ? only_statement(view, site.items[0]) : nullptr;
  if (!statement || !statement->accumulates) return refuse_because("no expression of one equation that folds");
  const Axes axes = axes_of(*statement);
  if (axes.reduced.size() != 1 || axes.reduced[0].extent < 2) {
    return refuse_because(concat(axes.reduced.size(), " loops are folded"));
  }
  if (axes.spatial.empty()) return refuse_because("it has no rows");
  return Folded{statement, axes.reduced[0].index, iterations(axes.spatial)};
}

/// The loop that the sum of a softmax folds, where its weights are a factor of what is folded here.
std::optional<std::string> loop_of_weights(View& view, const Statement& product) {
  std::optional<std::string> out;
  for_each_ref(*product.equation->right, [&](const RefPtr& factor) {
    const Statement* weights = only_writer(view, factor->tensor);
    if (!weights || weights->accumulates) return;
    for_each_ref(*weights->equation->right, [&](const RefPtr& ref) {
      const Statement* sum = only_writer(view, ref->tensor);
      if (!sum || sum->accumulates != ArithmeticOp::add) return;
      const Axes axes = axes_of(*sum);
      if (axes.reduced.size() == 1) out = axes.reduced[0].index;
    });
  });
  return out;
}

Result<OnlineStep, Refusal> step_of(View& view, const Folded& folded, Kind kind, const Site& site) {
  const ArithmeticOp wanted = kind == Kind::maximum ? ArithmeticOp::max : ArithmeticOp::add;
  if (folded.statement->accumulates != wanted) {
    return Refusal{&kKind, site, concat("it folds by ", text_of(*folded.statement->accumulates)), {}};
  }
  OnlineStep out = {kStrategies[static_cast<std::size_t>(kind)], {{"loop", folded.loop}}};
  if (kind == Kind::attention) {
    const auto loop = loop_of_weights(view, *folded.statement);
    if (!loop) return Refusal{&kKind, site, "no factor of it is divided by a sum", {}};
    out.values[0].second = *loop;
  }
  if (kind != Kind::maximum) out.values.emplace_back("form", kind == Kind::sum ? "sum" : "deferred");
  return out;
}

std::optional<Refusal> misfit_of(const Folded& folded, const OnlineLayout& layout, const Site& site) {
  if (layout.rows < 1 || layout.rows > std::min<std::int64_t>(folded.rows, default_device().threads)) {
    return Refusal{&kRows, site, concat(layout.rows, " rows of ", folded.rows), {{"rows", folded.rows}}};
  }
  if (layout.following < 0) return Refusal{&kFollowing, site, concat(layout.following, " expressions"), {}};
  return std::nullopt;
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto kind = one_of(choice, "kind", kKinds);
  if (!kind) return kind.error();
  const auto folded = find_folded(builder.view(), choice.at);
  if (!folded) return folded.error();
  const auto step = step_of(builder.view(), *folded, static_cast<Kind>(*kind), choice.at);
  if (!step) return step.error();
  const OnlineLayout layout = {choice.integer("rows"), choice.integer("following")};
  if (auto refusal = misfit_of(*folded, layout, choice.at)) return refusal;
  if (!make_online_kernel(builder, choice.at, *step, layout) && !builder.refusal()) {
    return Refusal{&kFollowing, choice.at, concat(layout.following, " expressions behind it"), {}};
  }
  return builder.refusal();
}

/// Rows of a block worth offering. Whether strategies accept the steps depends on them only as they divide all rows or
/// not, so that one of each is made.
std::vector<std::int64_t> rows_that_work(View& view, Listing& listing, const Site& site, const Folded& folded,
                                         const Values& others) {
  std::vector<std::int64_t> out;
  for (const bool divides : {true, false}) {
    std::vector<std::int64_t> rows;
    for (const std::int64_t number : {4, 32, 128}) {
      if ((folded.rows % number == 0) == divides && !misfit_of(folded, {number, 0}, site)) rows.push_back(number);
    }
    if (rows.empty()) continue;
    const ParameterDomain one = {"rows", std::vector<std::int64_t>{rows.back()}};
    if (values_that_work(online_move(), view, {site, others}, one, listing).count() == 0) continue;
    out.insert(out.end(), rows.begin(), rows.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void offer(View& view, Listing& listing, const Site& site, const Folded& folded, Kind kind) {
  if (!listing.allows(step_of(view, folded, kind, site))) return;
  const std::string word(kKinds[static_cast<std::size_t>(kind)]);
  for (const std::int64_t following : {0, 1}) {
    const Values others = {{"kind", word}, {"following", following}};
    auto rows = rows_that_work(view, listing, site, folded, others);
    if (rows.empty()) return;
    listing.offer({site,
                   {{"kind", std::vector<std::string>{word}},
                    {"rows", std::move(rows)},
                    {"following", std::vector<std::int64_t>{following}}},
                   false});
  }
}

/// A running sum of products is no use: what is wanted of a contraction is not in its rounds.
bool is_worthwhile(const Folded& folded, Kind kind) { return kind != Kind::sum || !find_multiplied(*folded.statement); }

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    const auto folded = find_folded(view, site);
    if (!listing.allows(folded)) continue;
    for (const Kind kind : {Kind::maximum, Kind::sum, Kind::exponentials, Kind::softmax, Kind::attention}) {
      if (is_worthwhile(*folded, kind)) offer(view, listing, site, *folded, kind);
    }
  }
}

}  // namespace

const Move& online_move() {
  static constexpr Move kMove = {
      "online",
      "reductions become recurrences that run in one pass, with a thread for each row and registers for what goes on",
      "L_{r}L_{a}[X_{r}=max(X_{r},A_{r,a})]; L_{r}L_{a}[E_{r}=E_{r}+exp(A_{r,a}-X_{r})]; L_{r}L_{a}[C=exp(A-X)/E]   "
      "-->\n"
      "  B_{bx}B_{tx}[X^{l}=-inf;L_{a}[Y^{l}=X^{l};X^{l}=max(Y^{l},A);E^{l}=E^{l}*exp(Y^{l}-X^{l})+exp(A-X^{l})];"
      "L_{a}[C=exp(A-X^{l})/E^{l}]]",
      {"@input A f32[64,6]\n@output F f32[64,6]\n"
       "B^{64}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
       "B^{64}_{tx=0}L^{6}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
       "B^{64}_{tx=0}L^{6}_{a=0}[F^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];\n",
       R"({"at":"1","kind":"softmax","rows":32,"following":1})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      50,
  };
  return kMove;
}

}  // namespace steptp
