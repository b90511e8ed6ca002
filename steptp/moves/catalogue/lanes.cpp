/// lanes: neighbouring expressions over the same rows become one kernel for a CPU, in which each fold has accumulators
/// side by side, one for each lane of a vector, that are combined at the end of a row.
///   B_{tx}L_{a}[D_{tx}=max(D_{tx},A_{tx,a})]; B_{tx}L_{a}[C_{tx,a}=A_{tx,a}-D_{tx}]
///     -->   B_{bx}[L_{d}L_{a}[E^{l}_{a}=max(E^{l}_{a},A_{bx,d*N+a})];L_{a}[F^{l}=max(F^{l},E^{l}_{a})];
///                  L_{d}L_{a}[C_{bx,d*N+a}=A_{bx,d*N+a}-F^{l}]]
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/lane_kernel.h"

namespace steptp {

const Move& lanes_move();

namespace {

constexpr std::string_view kSums[] = {"plain", "wide"};
constexpr Parameter kParameters[] = {
    {"expressions", Parameter::Kind::integer, "how many expressions the kernel is made of, from here on"},
    {"lanes", Parameter::Kind::integer, "elements of a row that are side by side, each with an accumulator of its own"},
    {"sums", Parameter::Kind::word, "plain: accumulators of their own type; wide: f16 and bf16 are folded in f32"},
};
constexpr std::int64_t kMostLanes = 256;
constexpr std::size_t kMostOffered = 8;  // expressions in one kernel
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "chain",
     "so many neighbouring expressions of one equation have the same rows, and one of them folds its rows"},
    {Check::size, "lanes", "there are from 2 to 256 lanes, and fewer than elements in a row"},
};
constexpr const Precondition& kChain = kNeeds[1];
constexpr const Precondition& kLanes = kNeeds[2];

Result<RowChain, Refusal> chain_at(View& view, const Site& site, std::int64_t expressions) {
  RowChain chain;
  if (site.part == Site::Part::item && site.items.size() == 1) chain = find_row_chain(view, site.items[0]);
  const auto longest = static_cast<std::int64_t>(chain.parts.size());
  const bool is_part = expressions >= 1 && expressions <= longest;
  if (is_part) chain.parts.resize(static_cast<std::size_t>(expressions));
  if (!is_part || !chain.reduces() || chain.rows.empty()) {
    return Refusal{&kChain,
                   site,
                   is_part ? std::string("no rows, or none of the expressions folds them")
                           : concat(longest, " expressions from here on have the same rows, not ", expressions),
                   {{"expressions", expressions}, {"longest", longest}}};
  }
  return chain;
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto chain = chain_at(builder.view(), choice.at, choice.integer("expressions"));
  if (!chain) return chain.error();
  const auto sums = one_of(choice, "sums", kSums);
  if (!sums) return sums.error();
  const std::int64_t lanes = choice.integer("lanes");
  if (lanes < 2 || lanes > kMostLanes || lanes >= chain->length()) {
    return Refusal{&kLanes,
                   choice.at,
                   concat(lanes, " lanes, in rows of ", chain->length()),
                   {{"lanes", lanes}, {"length", chain->length()}}};
  }
  (void)make_lane_kernel(builder, *chain, lanes, *sums == 1);
  return builder.refusal();
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    RowChain chain = find_row_chain(view, i);
    const std::size_t most = std::min(chain.parts.size(), kMostOffered);
    const auto found = chain_at(view, item_site({i}), static_cast<std::int64_t>(most));
    if (!found) {
      listing.refuse(found.error());
      continue;
    }
    const auto expressions = static_cast<std::int64_t>(most);
    const Values others = {{"expressions", expressions}, {"sums", "plain"}};
    const ParameterDomain candidates = {"lanes", std::vector<std::int64_t>{32, 4}};
    auto lanes = values_that_work(lanes_move(), view, {item_site({i}), others}, candidates, listing);
    if (lanes.count() == 0) continue;
    listing.offer({item_site({i}),
                   {{"expressions", std::vector<std::int64_t>{expressions}},
                    std::move(lanes),
                    {"sums", std::vector<std::string>{"plain"}}},
                   false});
    i += static_cast<std::uint32_t>(most) - 1;  // its tail is no chain of its own
  }
}

}  // namespace

const Move& lanes_move() {
  static constexpr Move kMove = {
      "lanes",
      "neighbouring expressions over the same rows become one kernel for a CPU, with folds in lanes side by side",
      "B_{tx}L_{a}[D_{tx}=max(D_{tx},A_{tx,a})]; B_{tx}L_{a}[C_{tx,a}=A_{tx,a}-D_{tx}]   -->\n"
      "  B_{bx}[L_{d}L_{a}[E^{l}_{a}=max(E^{l}_{a},A_{bx,d*N+a})];L_{a}[F^{l}=max(F^{l},E^{l}_{a})];"
      "L_{d}L_{a}[C_{bx,d*N+a}=A_{bx,d*N+a}-F^{l}]]",
      {"@input A f32[8,64]\n@output C f32[8,64]\n"
       "B^{8}_{tx=0}L^{64}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
       "B^{8}_{tx=0}L^{64}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}-D^{f32,g}_{tx};];\n",
       R"({"at":"0","expressions":2,"lanes":32,"sums":"plain"})"},
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
