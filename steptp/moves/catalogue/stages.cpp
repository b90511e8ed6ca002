/// stages: a reduction over so much that one block for each element is too little work at a time becomes two kernels:
/// blocks fold parts of it, then one block folds what they made, in a fixed order.
///   L_{a}[D=D+A_{a}]
///     -->   B_{bx}[B_{tx}L_{c}[F^{s}=F^{s}+A_{bx*K+c*T+tx}];E_{bx}=F^{s}]; B_{bx}[B_{tx}[G^{s}=G^{s}+E_{tx}];D=G^{s}]
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/row_kernel.h"

namespace steptp {

const Move& stages_move();

namespace {

constexpr std::string_view kSums[] = {"plain", "wide"};
constexpr Parameter kParameters[] = {
    {"parts", Parameter::Kind::integer, "into how many parts the reduction is cut, each of as many iterations"},
    {"threads", Parameter::Kind::integer, "threads of a block of the first kernel, and at most of the second"},
    {"sums", Parameter::Kind::word, "plain: accumulators of their own type; wide: f16 and bf16 are folded in f32"},
    {"vector", Parameter::Kind::integer, "neighbours that a thread of the first kernel folds one after the other", 1},
};
constexpr std::int64_t kMostThreads = 1024;
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "reduction", "the expression is one equation that folds all of its innermost loops"},
    {Check::loop_range_factorization, "divides", "there are at least 2 parts of at least 2 iterations, all as long"},
    {Check::launch, "threads", "a block has from 2 to 1024 threads"},
    {Check::size, "vector", "1, 2, 4 or 8 neighbours, which divide a part, and of which it has several"},
};
constexpr const Precondition& kReduction = kNeeds[1];
constexpr const Precondition& kDivides = kNeeds[2];
constexpr const Precondition& kThreads = kNeeds[3];
constexpr const Precondition& kVector = kNeeds[4];
constexpr std::int64_t kVectors[] = {1, 2, 4, 8};

/// The expression as a chain of its own, if it folds rows.
Result<RowChain, Refusal> reduction_at(View& view, const Site& site) {
  RowChain chain;
  if (site.part == Site::Part::item && site.items.size() == 1) chain = find_row_chain(view, site.items[0]);
  if (chain.parts.empty() || chain.parts[0].kind != RowPart::Kind::reduce) {
    return Refusal{&kReduction, site, "there is no expression here that folds rows", {}};
  }
  chain.parts.resize(1);
  return chain;
}

std::optional<Refusal> misfit_of(const RowChain& chain, const Choice& choice) {
  const std::int64_t parts = choice.integer("parts");
  const std::int64_t threads = choice.integer("threads");
  const std::int64_t length = chain.parts[0].length;
  if (parts < 2 || parts > length / 2 || length % parts != 0) {
    return Refusal{&kDivides,
                   choice.at,
                   concat(length, " iterations in ", parts, " parts"),
                   {{"parts", parts}, {"length", length}}};
  }
  if (threads < 2 || threads > kMostThreads) {
    return Refusal{&kThreads, choice.at, concat(threads, " threads"), {{"threads", threads}}};
  }
  const std::int64_t vector = choice.integer("vector");
  const bool is_known = std::find(std::begin(kVectors), std::end(kVectors), vector) != std::end(kVectors);
  const std::int64_t part = length / parts;
  if (!is_known || part % vector != 0 || part / vector < 2) {
    return Refusal{
        &kVector, choice.at, concat(vector, " neighbours of parts of ", part), {{"vector", vector}, {"part", part}}};
  }
  return std::nullopt;
}

/// What only uses the result of the second kernel, once for each row, becomes part of it.
RowChain with_what_follows(View& view, std::uint32_t first) {
  RowChain chain = find_row_chain(view, first);
  const auto other = std::find_if(chain.parts.begin() + 1, chain.parts.end(),
                                  [](const RowPart& part) { return part.kind != RowPart::Kind::once; });
  chain.parts.erase(other, chain.parts.end());
  return chain;
}

/// The parts of a reduction, with a loop of their own behind those over rows.
bool cut(MoveBuilder& builder, const RowChain& chain, std::int64_t parts) {
  const RowPart& part = chain.parts[0];
  const std::size_t along = chain.rows.size();
  if (!unbind_loops(builder, chain.first, part.loops)) return false;
  if (!fuse_loops(builder, chain.first, along, part.loops.size() - along)) return false;
  const Site loop = loop_site({chain.first}, along);
  return builder.step("loop_split", loop, {{"inner", part.length / parts}, {"kind", "inner"}}) &&
         builder.step("reduction_factorization", loop, {{"form", "rfactor"}, {"cut", 0}});
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto sums = one_of(choice, "sums", kSums);
  if (!sums) return sums.error();
  const auto found = reduction_at(builder.view(), choice.at);
  if (!found) return found.error();
  if (auto refusal = misfit_of(*found, choice)) return refusal;
  const std::uint32_t first = found->first;
  if (!cut(builder, *found, choice.integer("parts"))) return builder.refusal();
  RowLayout layout;
  layout.threads = choice.integer("threads");
  layout.is_wide = *sums == 1;
  // The second first: what stands behind it keeps its place.
  const RowChain fold = with_what_follows(builder.view(), first + 1);
  layout.base = fold.rows.size() > 1 ? 1 : 0;
  if (!make_row_kernel(builder, fold, layout)) return builder.refusal();
  RowChain folds = find_row_chain(builder.view(), first);
  folds.parts.resize(1);
  layout.vector = choice.integer("vector");
  layout.base = folds.rows.size() > 1 ? 1 : 0;
  (void)make_row_kernel(builder, folds, layout);
  return builder.refusal();
}

/// So many parts as a device has blocks at once, or a few less.
std::vector<std::int64_t> worth_trying(std::int64_t length) {
  constexpr std::int64_t kMostParts = 2048;
  std::vector<std::int64_t> out;
  for (const std::int64_t parts : divisors(length)) {
    if (parts >= 2 && parts <= kMostParts && parts <= length / 2) out.push_back(parts);
  }
  if (out.size() > 2) out.erase(out.begin(), out.end() - 2);
  return out;
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const auto chain = reduction_at(view, item_site({i}));
    if (!listing.allows(chain)) continue;
    const Values others = {{"threads", 256}, {"sums", "plain"}, {"vector", 1}};
    auto parts = values_that_work(stages_move(), view, {item_site({i}), others},
                                  {"parts", worth_trying(chain->parts[0].length)}, listing);
    if (parts.count() == 0) continue;
    listing.offer({item_site({i}),
                   {std::move(parts),
                    {"threads", std::vector<std::int64_t>{256}},
                    {"sums", std::vector<std::string>{"plain"}},
                    {"vector", std::vector<std::int64_t>{1}}},
                   false});
  }
}

}  // namespace

const Move& stages_move() {
  static constexpr Move kMove = {
      "stages",
      "a reduction becomes two kernels: blocks fold parts of it, then a block folds what they made, in a fixed order",
      "L_{a}[D=D+A_{a}]   -->\n"
      "  B_{bx}[B_{tx}L_{c}[F^{s}=F^{s}+A_{bx*K+c*T+tx}];E_{bx}=F^{s}]; B_{bx}[B_{tx}[G^{s}=G^{s}+E_{tx}];D=G^{s}]",
      {"@input A f32[4096]\n@output D f32[]\n"
       "L^{4096}_{a=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{a};];\n",
       R"({"at":"0","parts":2048,"threads":256,"sums":"plain"})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      60,
  };
  return kMove;
}

}  // namespace steptp
