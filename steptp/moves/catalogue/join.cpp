/// join: neighbours under one block loop: a whole chain in one kernel, what passes inside it in s or l.
///   L_{a}L_{c}L_{k}[D_{a,c}=D_{a,c}+A_{a,k}*C_{k,c}]; L_{a}L_{c}[E_{a}=max(E_{a},D_{a,c})]   -->
///     B_{bx}[B_{tx}[L_{k}[F^{l}=F^{l}+A_{bx,k}*C_{k,tx}];D^{l}=F^{l}];B_{tx}[G^{s}=max(G^{s},D^{l})];E_{bx}=G^{s}]
/// Unlike `rows` it asks of each expression only that it has the common loops: what is inside of them may differ.
#include <algorithm>

#include "steptp/base/text.h"
#include "steptp/moves/joint_kernel.h"

namespace steptp {

const Move& join_move();

namespace {

constexpr std::string_view kSums[] = {"plain", "wide"};
constexpr Parameter kParameters[] = {
    {"expressions", Parameter::Kind::integer, "how many expressions the kernel is made of, from here on"},
    {"axes", Parameter::Kind::integer, "how many of their common loops become blocks, the first of the last result's"},
    {"rows", Parameter::Kind::integer, "how many iterations of the last of these a block has at once"},
    {"threads", Parameter::Kind::integer, "threads that a block has at most"},
    {"sums", Parameter::Kind::word, "plain: accumulators of their own type; wide: f16 and bf16 are folded in f32"},
};
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "common",
     "there are 2 or more neighbouring expressions with so many loops in common, and each iteration of these needs of "
     "what they make only what it makes itself"},
    {Check::size, "rows", "a block has 1 iteration of the last common loop or more, not more than it has threads"},
    {Check::launch, "threads", "a block has from 32 to 1024 threads"},
};
constexpr const Precondition& kCommon = kNeeds[1];
constexpr const Precondition& kRows = kNeeds[2];
constexpr const Precondition& kThreads = kNeeds[3];
constexpr std::int64_t kFewestThreads = 32;
constexpr std::int64_t kMostThreads = 1024;
constexpr std::size_t kMostOffered = 8;  // expressions in one kernel
constexpr std::size_t kMostAxes = 3;

Result<JointBlocks, Refusal> blocks_at(View& view, const Site& site, std::int64_t expressions, std::int64_t axes) {
  const auto refuse_because = [&](std::string why) {
    return Refusal{&kCommon, site, std::move(why), {{"expressions", expressions}, {"axes", axes}}};
  };
  if (site.part != Site::Part::item || site.items.size() != 1 || expressions < 2 ||
      expressions > static_cast<std::int64_t>(view.program().nests.size())) {
    return refuse_because(concat(expressions, " expressions from here on"));
  }
  auto found = find_joint_blocks(view, site.items[0], static_cast<std::size_t>(expressions));
  if (!found) return refuse_because(found.error());
  const auto most = static_cast<std::int64_t>(std::min(found->extents.size(), kMostAxes));
  if (axes < 1 || axes > most) return refuse_because(concat(most, " common loops that can be blocks, not ", axes));
  keep_axes(*found, static_cast<std::size_t>(axes));
  return *std::move(found);
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto sums = one_of(choice, "sums", kSums);
  if (!sums) return sums.error();
  const auto blocks = blocks_at(builder.view(), choice.at, choice.integer("expressions"), choice.integer("axes"));
  if (!blocks) return blocks.error();
  const JointLayout layout = {choice.integer("rows"), choice.integer("threads"), *sums == 1};
  if (layout.threads < kFewestThreads || layout.threads > kMostThreads) {
    return Refusal{&kThreads, choice.at, concat(layout.threads, " threads"), {{"threads", layout.threads}}};
  }
  if (layout.rows < 1 || layout.rows > std::min(blocks->extents.back(), layout.threads)) {
    return Refusal{&kRows,
                   choice.at,
                   concat(layout.rows, " of ", blocks->extents.back(), " iterations by ", layout.threads, " threads"),
                   {{"rows", layout.rows}, {"extent", blocks->extents.back()}}};
  }
  (void)make_joint_kernel(builder, *blocks, layout);
  return builder.refusal();
}

bool offer(View& view, Listing& listing, const Choice& others, const JointBlocks& blocks) {
  auto threads = values_that_work(join_move(), view, others, {"threads", std::vector<std::int64_t>{128}}, listing);
  if (threads.count() == 0) return false;
  const auto one = [&](std::string_view name) {
    return ParameterDomain{name, std::vector<std::int64_t>{others.integer(name)}};
  };
  listing.offer(
      {item_site({blocks.first}),
       {one("expressions"), one("axes"), one("rows"), std::move(threads), {"sums", std::vector<std::string>{"plain"}}},
       false});
  return true;
}

/// The choices for so many expressions: for each number of common loops that leaves some of the work to threads.
bool offer_run(View& view, Listing& listing, std::uint32_t first, std::size_t count) {
  const auto found = find_joint_blocks(view, first, count);
  if (!found) {
    listing.refuse({&kCommon, item_site({first}), found.error(), {}});
    return false;
  }
  bool any = false;
  for (std::size_t axes = 1; axes <= std::min(found->extents.size(), kMostAxes); ++axes) {
    const Values values = {
        {"expressions", static_cast<std::int64_t>(count)},
        {"axes", static_cast<std::int64_t>(axes)},
        {"rows", std::min<std::int64_t>(axes == found->extents.size() ? 4 : 1, found->extents[axes - 1])},
        {"sums", "plain"}};
    any = offer(view, listing, {item_site({first}), values}, *found) || any;
  }
  return any;
}

void choices(View& view, Listing& listing) {
  const std::size_t all = view.program().nests.size();
  for (std::uint32_t i = 0; i + 1 < all; ++i) {
    std::size_t most = 1;
    while (most < kMostOffered && i + most < all && find_joint_blocks(view, i, most + 1)) ++most;
    if (most == 1) {
      (void)offer_run(view, listing, i, 2);  // for the refusal
      continue;
    }
    // Where the whole run does not fit, the first two may.
    if (offer_run(view, listing, i, most)) {
      i += static_cast<std::uint32_t>(most) - 2;  // its tail is no run of its own
    } else if (most > 2) {
      (void)offer_run(view, listing, i, 2);
    }
  }
}

}  // namespace

const Move& join_move() {
  static constexpr Move kMove = {
      "join",
      "neighbours under one block loop: a whole chain in one kernel, what passes inside it in s or l",
      "L_{a}L_{c}L_{k}[D_{a,c}=D_{a,c}+A_{a,k}*C_{k,c}]; L_{a}L_{c}[E_{a}=max(E_{a},D_{a,c})]   -->\n"
      "  B_{bx}[B_{tx}[L_{k}[F^{l}=F^{l}+A_{bx,k}*C_{k,tx}];D^{l}=F^{l}];B_{tx}[G^{s}=max(G^{s},D^{l})];E_{bx}=G^{s}]",
      {"@input A f32[8,6]\n@input C f32[6,64]\n@output E f32[8]\n"
       "B^{8}_{tx=0}L^{64}_{a=0}L^{6}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];"
       "B^{8}_{tx=0}L^{64}_{a=0}[E^{f32,g}_{tx}=max(E^{f32,g}_{tx},D^{f32,g}_{tx,a});];\n",
       R"({"at":"0","expressions":2,"axes":1,"rows":4,"threads":128,"sums":"plain"})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      150,
  };
  return kMove;
}

}  // namespace steptp
