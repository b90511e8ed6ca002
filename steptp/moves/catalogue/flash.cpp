/// flash: attention as one kernel: tiles of keys and values in shared memory, running maximum, sum and output with the
/// threads of each query.
///   S=S+Q*K;..;X=max(X,S);E=E+exp(S-X);P=exp(S-X)/E;O=O+P*V   -->
///   B_{by}B_{bx}[L_{k}[F^{s}=K;G^{s}=V;B_{tx}[S^{l};X^{l};E^{l}=E*exp(Y-X)+..;O^{l}=O*exp(Y-X)+..]];O=O^{l}/E^{l}]
#include <algorithm>

#include "steptp/analysis/device.h"
#include "steptp/base/text.h"
#include "steptp/moves/attention_kernel.h"
#include "steptp/moves/matrix_tiling.h"
#include "steptp/strategies/parameters.h"

namespace steptp {

const Move& flash_move();

namespace {

/// Rounds in flight where nothing is said of them.
constexpr std::int64_t kBuffers = 2;
constexpr Parameter kParameters[] = {
    {"queries", Parameter::Kind::integer, "queries of a block"},
    {"keys", Parameter::Kind::integer, "keys and values that are staged in a round"},
    {"threads", Parameter::Kind::integer,
     "threads of a query, which share its scores and its outputs; 1: one has it all", 1},
    {"rows", Parameter::Kind::integer,
     "queries that a thread has a part of, where several threads have a query; queries of a unit", 1},
    {"scores", Parameter::Kind::word,
     "keys: a thread makes the scores of some keys; head: it makes a part of each score, and the threads of a "
     "query add them up; matrix: the 32 threads of a unit make those of its queries by matrix instructions"},
    {"staged", Parameter::Kind::word,
     "keys: keys and values are staged; queries: the block's queries, too; outputs: also the outputs, where registers "
     "do not hold them"},
    {"following", Parameter::Kind::integer, "how many copies behind it are made by its kernel: heads side by side", 0},
    {"buffers", Parameter::Kind::integer, "1 to 5: rounds of keys and values of units in flight", kBuffers},
};
constexpr Precondition kNeeds[] = {
    kStep,
    kAttention,
    {Check::size, "sizes",
     "queries of a block and keys of a round divide all of them, queries of a thread those of a block, and the "
     "recurrences have at most 2^31 elements"},
    {Check::launch, "threads",
     "a query has 1, 2, 4, 8, 16 or 32 threads, and a block has no more threads than the device"},
    {Check::pattern_match, "form",
     "one thread for a query makes whole scores of one query; several have its queries staged, and its outputs in "
     "registers; units have 32 threads"},
    {Check::size, "shared", "what is staged, and what there is for each query, fits into the shared memory of a block"},
    {Check::size, "registers", "what a thread keeps fits into its registers"},
    {Check::pattern_match, "following", "so many expressions behind it only copy or map the result"},
    kMatrixTypes,
    {Check::size, "tiles",
     "queries of a unit, keys of a round, and what a query and a value have are multiples of the instruction's "
     "dimensions"},
};
constexpr const Precondition& kSizes = kNeeds[2];
constexpr const Precondition& kThreads = kNeeds[3];
constexpr const Precondition& kForm = kNeeds[4];
constexpr const Precondition& kShared = kNeeds[5];
constexpr const Precondition& kRegisters = kNeeds[6];
constexpr const Precondition& kFollowing = kNeeds[7];
constexpr const Precondition& kTiles = kNeeds[9];

constexpr std::string_view kScores[] = {"keys", "head", "matrix"};
constexpr std::int64_t kLanes = 32;
constexpr std::string_view kStaged[] = {"keys", "queries", "outputs"};
constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
constexpr std::int64_t kMostJoined = 64;  ///< scores of a thread that are added up across threads, in registers

std::int64_t parts_of(std::int64_t number, std::int64_t threads) { return (number + threads - 1) / threads; }

/// Elements that a block keeps in `s`.
std::int64_t shared_elements(const AttentionParts& parts, const AttentionLayout& layout) {
  std::int64_t out = layout.keys * (parts.head + parts.values);
  if (layout.has_units) out *= layout.buffers;
  if (layout.has_units) return out + (parts.element_bytes == 8 ? layout.queries * (parts.head + layout.keys) : 0);
  if (layout.queries_in_s) out += layout.queries * parts.head;
  if (layout.outputs_in_s) out += 3 * layout.queries * parts.values;
  if (layout.threads > 1) out += layout.queries * (layout.keys * (layout.shares_head ? 2 : 1) + 6);
  return out;
}

/// Elements that a thread keeps in registers.
std::int64_t local_elements(const AttentionParts& parts, const AttentionLayout& layout) {
  const auto between = static_cast<std::int64_t>(parts.between.size());
  if (layout.threads == 1) {
    const std::int64_t queries = layout.queries_in_s ? 0 : parts.head;
    const std::int64_t outputs = layout.outputs_in_s ? 0 : 3 * parts.values;
    return queries + layout.keys * (between + 2) + outputs + 7;
  }
  const std::int64_t keys = parts_of(layout.keys, layout.threads);
  const std::int64_t scores = layout.shares_head ? parts_of(parts.head, layout.threads) : keys;
  return layout.rows * (scores + keys * between + 2 * parts_of(parts.values, layout.threads));
}

/// Bytes that a lane of a unit keeps: scores and what is made of them, weights, outputs so far and those of a round,
/// six numbers for each query; halves of the queries, too.
std::int64_t lane_bytes(const AttentionParts& parts, const AttentionLayout& layout) {
  const bool is_narrow = parts.element_bytes == 2;
  const std::int64_t wide = std::max<std::int64_t>(parts.element_bytes, 4);
  const auto scores = static_cast<std::int64_t>(parts.between.size() + 1);
  const std::int64_t halves = is_narrow ? 2 * (parts.head + layout.keys) : 0;
  return layout.rows * ((scores * layout.keys + 2 * parts.values + 6) * wide + halves) / kLanes;
}

/// What only matrix instructions ask for.
std::optional<Refusal> refuse_units(const Site& site, const AttentionParts& parts, const AttentionLayout& layout) {
  const DType sum = parts.element_bytes == 2 ? DType::f32 : DType::f64;
  const auto shape = parts.factors ? matrix_shape(*parts.factors, sum) : std::nullopt;
  if (!shape) {
    return Refusal{&kMatrixTypes,
                   site,
                   parts.factors ? concat("there is no instruction for ", code(*parts.factors))
                                 : std::string("the two products have factors of several types"),
                   {}};
  }
  const bool is_narrow = sum == DType::f32;
  const std::int64_t keys = std::max(shape->columns, is_narrow ? shape->inner : shape->columns);
  const bool fits = layout.rows % shape->rows == 0 && layout.keys % keys == 0 && parts.head % shape->inner == 0 &&
                    parts.values % shape->columns == 0;
  if (fits) return std::nullopt;
  return Refusal{&kTiles,
                 site,
                 concat(layout.rows, " queries of a unit, ", layout.keys, " keys, ", parts.head, " and ", parts.values,
                        " elements of a query and of a value: multiples of ", shape->rows, ", ", keys, ", ",
                        shape->inner, " and ", shape->columns),
                 {}};
}

bool are_sizes(const AttentionParts& parts, const AttentionLayout& layout) {
  if (layout.queries < 1 || layout.keys < 1 || layout.rows < 1) return false;
  if (parts.queries % layout.queries != 0 || parts.keys % layout.keys != 0 || layout.queries % layout.rows != 0) {
    return false;
  }
  std::int64_t elements = parts.keys / layout.keys;
  for (const std::int64_t extent : {parts.heads, parts.queries, parts.values}) {
    if (__builtin_mul_overflow(elements, extent, &elements) || elements > kMostElements) return false;
  }
  return true;
}

std::optional<Refusal> refuse_layout(const Site& site, const AttentionParts& parts, const AttentionLayout& layout) {
  const Device& device = default_device();
  if (!are_sizes(parts, layout)) {
    return Refusal{
        &kSizes,
        site,
        concat("blocks of ", layout.queries, " of ", parts.queries, " queries, ", layout.rows,
               " for each thread, rounds of ", layout.keys, " of ", parts.keys, " keys, ", layout.buffers, " buffers"),
        {}};
  }
  const bool is_power = layout.threads >= 1 && layout.threads <= 32 && (layout.threads & (layout.threads - 1)) == 0;
  if (!is_power || layout.queries / layout.rows > device.threads / layout.threads) {
    return Refusal{&kThreads,
                   site,
                   concat(layout.threads, " threads for each of ", layout.queries / layout.rows, " queries; ",
                          device.name, " has ", device.threads),
                   {}};
  }
  const bool fits = layout.threads == 1 ? layout.rows == 1 && !layout.shares_head && !layout.has_units
                                        : layout.queries_in_s && !layout.outputs_in_s &&
                                              (!layout.has_units || layout.threads == kLanes);
  if (!fits) {
    return Refusal{&kForm,
                   site,
                   layout.has_units      ? "units have 32 threads, want their queries staged, and nothing else"
                   : layout.threads == 1 ? "one thread makes whole scores, of one query"
                                         : "several threads for a query want its queries staged, and nothing else",
                   {}};
  }
  const std::int64_t shared = shared_elements(parts, layout) * parts.element_bytes;
  if (shared > device.shared_bytes) {
    return Refusal{&kShared, site, concat(shared, " bytes; ", device.name, " has ", device.shared_bytes), {}};
  }
  if (layout.has_units) {
    if (auto refusal = refuse_units(site, parts, layout)) return refusal;
  }
  const std::int64_t local =
      layout.has_units ? lane_bytes(parts, layout) : local_elements(parts, layout) * parts.element_bytes;
  const bool joins_many = layout.shares_head && layout.rows * layout.keys > kMostJoined;
  if (local > device.local_bytes || joins_many) {
    return Refusal{&kRegisters,
                   site,
                   joins_many ? concat(layout.rows * layout.keys, " scores are added up across threads")
                              : concat(local, " bytes, of which there are ", device.local_bytes),
                   {}};
  }
  return std::nullopt;
}

Result<AttentionLayout, Refusal> layout_of(const Choice& choice) {
  const auto scores = one_of(choice, "scores", kScores);
  if (!scores) return scores.error();
  const auto staged = one_of(choice, "staged", kStaged);
  if (!staged) return staged.error();
  AttentionLayout out;
  out.queries = choice.integer("queries");
  out.keys = choice.integer("keys");
  out.threads = choice.integer("threads");
  out.rows = choice.integer("rows");
  out.shares_head = *scores == 1;
  out.has_units = *scores == 2;
  if (out.has_units) out.buffers = choice.integer("buffers");
  out.queries_in_s = *staged > 0;
  out.outputs_in_s = *staged > 1;
  out.following = choice.integer("following");
  return out;
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  if (auto refusal = refuse_outside(choice, "buffers", 1, kMostDepth)) return refusal;
  const auto layout = layout_of(choice);
  if (!layout) return layout.error();
  const Handle& product = builder.follow(choice.at);
  if (!inline_copies_of_attention(builder, product)) return builder.refusal();
  const auto parts = find_attention_parts(builder.view(), product.only() ? *product.only() : choice.at);
  if (!parts) return parts.error();
  if (auto refusal = refuse_layout(choice.at, *parts, *layout)) return refusal;
  const std::int64_t copies = copies_behind(builder.view(), *parts);
  if (layout->following < 0 || layout->following > copies) {
    return Refusal{&kFollowing, choice.at, concat(copies, " expressions behind it"), {}};
  }
  (void)make_attention_kernel(builder, *parts, *layout);
  return builder.refusal();
}

std::vector<std::int64_t> divisors_up_to(std::int64_t number, std::int64_t most) {
  std::vector<std::int64_t> out;
  for (std::int64_t i = 1; i <= std::min(number, most); ++i) {
    if (number % i == 0) out.push_back(i);
  }
  return out;
}

/// A kind of layout: what is written the same way for all sizes.
struct Kind {
  bool is_group = false;
  std::size_t scores = 0;
  std::size_t staged = 0;
};
constexpr Kind kKinds[] = {{false, 0, 0}, {false, 0, 1}, {false, 0, 2}, {true, 0, 1}, {true, 1, 1}, {true, 2, 1}};

/// One attention at one place, for the listing.
struct Offer {
  Site site;
  AttentionParts parts;
  std::int64_t copies = 0;
};

/// What is said of buffers: without units they play no part, and are what they are where nothing is said.
std::int64_t told_buffers(const AttentionLayout& layout) { return layout.has_units ? layout.buffers : kBuffers; }

Choice choice_of(const Offer& offer, const Kind& kind, const AttentionLayout& layout) {
  return {offer.site,
          {{"queries", layout.queries},
           {"keys", layout.keys},
           {"threads", layout.threads},
           {"rows", layout.rows},
           {"scores", kScores[kind.scores]},
           {"staged", kStaged[kind.staged]},
           {"following", layout.following},
           {"buffers", told_buffers(layout)}}};
}

AttentionLayout first_layout(const Kind& kind) {
  AttentionLayout out;
  out.threads = kind.is_group ? 2 : 1;
  out.shares_head = kind.scores == 1;
  out.has_units = kind.scores == 2;
  if (out.has_units) out.threads = kLanes;
  out.queries_in_s = kind.staged > 0;
  out.outputs_in_s = kind.staged > 1;
  return out;
}

/// The queries of a block with which a layout is legal, where the other sizes are given: a place for each.
void offer_queries(const Offer& offer, const Kind& kind, AttentionLayout layout, Listing& listing) {
  std::vector<std::int64_t> queries;
  const std::int64_t most = default_device().threads / layout.threads * layout.rows;
  for (const std::int64_t number : divisors_up_to(offer.parts.queries, most)) {
    layout.queries = number;
    if (!refuse_layout(offer.site, offer.parts, layout)) queries.push_back(number);
  }
  const auto one = [](std::int64_t value) { return std::vector<std::int64_t>{value}; };
  std::vector<std::int64_t> following;
  for (std::int64_t i = 0; i <= offer.copies; ++i) following.push_back(i);
  if (queries.empty()) return;
  listing.offer({offer.site,
                 {{"queries", queries},
                  {"keys", one(layout.keys)},
                  {"threads", one(layout.threads)},
                  {"rows", one(layout.rows)},
                  {"scores", std::vector<std::string>{std::string(kScores[kind.scores])}},
                  {"staged", std::vector<std::string>{std::string(kStaged[kind.staged])}},
                  {"following", following},
                  {"buffers", one(told_buffers(layout))}},
                 false});
}

/// Units: tiles of whole instructions, and one or two rounds in flight.
void offer_units(const Offer& offer, const Kind& kind, Listing& listing) {
  AttentionLayout layout = first_layout(kind);
  for (const std::int64_t rows : {8, 16, 32}) {
    for (const std::int64_t keys : divisors_up_to(offer.parts.keys, 128)) {
      for (const std::int64_t buffers : {1, 2}) {
        layout.rows = rows;
        layout.keys = keys;
        layout.buffers = buffers;
        offer_queries(offer, kind, layout, listing);
      }
    }
  }
}

void offer_kind(const Offer& offer, const Kind& kind, Listing& listing) {
  if (kind.scores == 2) return offer_units(offer, kind, listing);
  const std::vector<std::int64_t> threads =
      kind.is_group ? std::vector<std::int64_t>{2, 4, 8, 16, 32} : std::vector<std::int64_t>{1};
  const std::vector<std::int64_t> rows =
      kind.is_group ? divisors_up_to(offer.parts.queries, 8) : std::vector<std::int64_t>{1};
  AttentionLayout layout = first_layout(kind);
  for (const std::int64_t of_query : threads) {
    for (const std::int64_t of_thread : rows) {
      for (const std::int64_t keys : divisors_up_to(offer.parts.keys, 128)) {
        layout.threads = of_query;
        layout.rows = of_thread;
        layout.keys = keys;
        offer_queries(offer, kind, layout, listing);
      }
    }
  }
}

/// The steps are made once for each kind of layout: sizes do not decide whether strategies accept them.
bool works(View& view, const Offer& offer, const Kind& kind, Listing& listing) {
  AttentionLayout layout = first_layout(kind);
  layout.keys = divisors_up_to(offer.parts.keys, layout.has_units ? 32 : 8).back();
  if (layout.has_units) {
    layout.rows = offer.parts.element_bytes == 8 ? 8 : 16;
    layout.queries = layout.rows;
  }
  layout.following = offer.copies;
  auto made = apply(flash_move(), view.program(), choice_of(offer, kind, layout), Tracking::off);
  if (made || made.error().refusal.precondition != &kStep) return true;
  listing.refuse(std::move(made.error().refusal));
  return false;
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    const Site site = item_site({i});
    MoveBuilder trial(view.program());
    const Handle& product = trial.follow(site);
    if (!inline_copies_of_attention(trial, product) || !product.only()) continue;
    const auto parts = find_attention_parts(trial.view(), *product.only());
    if (!parts) {
      listing.refuse({&kAttention, site, parts.error().message, {}});
      continue;
    }
    Offer offer = {site, *parts, copies_behind(trial.view(), *parts)};
    while (offer.copies > 0 && !works(view, offer, kKinds[0], listing)) --offer.copies;
    for (const Kind& kind : kKinds) {
      if (works(view, offer, kind, listing)) offer_kind(offer, kind, listing);
    }
  }
}

}  // namespace

const Move& flash_move() {
  static constexpr Move kMove = {
      "flash",
      "attention as one kernel: tiles of keys and values in shared memory, running maximum, sum and output with the "
      "threads of each query",
      "S=S+Q*K;..;X=max(X,S);E=E+exp(S-X);P=exp(S-X)/E;O=O+P*V   -->\n"
      "  "
      "B_{by}B_{bx}[L_{k}[F^{s}=K;G^{s}=V;B_{tx}[S^{l};X^{l};E^{l}=E*exp(Y-X)+..;O^{l}=O*exp(Y-X)+..]];O=O^{l}/E^{l}]",
      {"@input A f32[2,4,6]\n@input C f32[2,8,6]\n@input D f32[2,8,6]\n@output E f32[2,4,6]\n"
       "B^{2}_{tx=0}L^{4}_{a=0}L^{8}_{c=0}L^{6}_{d=0}"
       "[F^{f32,g}_{tx,a,c}=F^{f32,g}_{tx,a,c}+A^{f32,g}_{tx,a,d}*C^{f32,g}_{tx,c,d};];"
       "B^{2}_{tx=0}L^{4}_{a=0}L^{8}_{c=0}[G^{f32,g}_{tx,a,c}=if_then_else(c<=a*2,F^{f32,g}_{tx,a,c}*0.5,-inf);];"
       "B^{2}_{tx=0}L^{4}_{a=0}L^{8}_{c=0}[H^{f32,g}_{tx,a}=max(H^{f32,g}_{tx,a},G^{f32,g}_{tx,a,c});];"
       "B^{2}_{tx=0}L^{4}_{a=0}L^{8}_{c=0}"
       "[I^{f32,g}_{tx,a}=I^{f32,g}_{tx,a}+exp(G^{f32,g}_{tx,a,c}-H^{f32,g}_{tx,a});];"
       "B^{2}_{tx=0}L^{4}_{a=0}L^{8}_{c=0}"
       "[J^{f32,g}_{tx,a,c}=exp(G^{f32,g}_{tx,a,c}-H^{f32,g}_{tx,a})/I^{f32,g}_{tx,a};];"
       "B^{2}_{tx=0}L^{4}_{a=0}L^{6}_{d=0}L^{8}_{c=0}"
       "[E^{f32,g}_{tx,a,d}=E^{f32,g}_{tx,a,d}+J^{f32,g}_{tx,a,c}*D^{f32,g}_{tx,c,d};];\n",
       R"({"at":"5","queries":4,"keys":4,"threads":2,"rows":2,"scores":"keys","staged":"queries","following":0})"},
      kParameters,
      kNeeds,
      choices,
      make,
      false,
      30,
  };
  return kMove;
}

}  // namespace steptp
