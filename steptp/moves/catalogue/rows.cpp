/// rows: neighbouring expressions over the same rows become one kernel, in which a row is done by a thread, or by
/// several threads that reduce together.
///   B_{tx}L_{a}[D_{tx}=max(D_{tx},A_{tx,a})]; B_{tx}L_{a}[C_{tx,a}=A_{tx,a}-D_{tx}]
///     -->
///     B_{bx}[B_{tx}L_{c}[F^{l}_{c}=A_{bx,c*T+tx}];B_{tx}L_{c}[D^{s}=max(D^{s},F^{l}_{c})];B_{tx}L_{c}[C=F^{l}_{c}-D^{s}]]
#include <algorithm>
#include <optional>
#include <span>

#include "steptp/base/text.h"
#include "steptp/moves/row_kernel.h"
#include "steptp/strategies/parameters.h"

namespace steptp {

const Move& rows_move();

namespace {

constexpr std::string_view kOrders[] = {"row", "column"};
constexpr std::string_view kSums[] = {"plain", "wide"};
constexpr Parameter kParameters[] = {
    {"expressions", Parameter::Kind::integer, "how many expressions the kernel is made of, from here on"},
    {"threads", Parameter::Kind::integer, "threads that share a row; 1: each thread has rows of its own"},
    {"rows", Parameter::Kind::integer, "rows that a block has at once: of the innermost loop over rows"},
    {"order", Parameter::Kind::word,
     "which threads of a block are neighbours: row: those of a row, column: those with one place in different rows"},
    {"vector", Parameter::Kind::integer, "elements of a row that a thread reads and writes by one vector; 1: none"},
    {"keep", Parameter::Kind::integer,
     "1: what is read of a row stays in registers of its threads; 0: it is read again"},
    {"sums", Parameter::Kind::word, "plain: accumulators of their own type; wide: f16 and bf16 are folded in f32"},
};
constexpr std::int64_t kMostThreads = 1024;
constexpr std::size_t kMostOffered = 8;  // expressions in one kernel
constexpr std::int64_t kMostKept = 64;   // elements of a row in the registers of a thread
constexpr Precondition kNeeds[] = {
    kStep,
    {Check::pattern_match, "chain", "so many neighbouring expressions of one equation have the same rows, and no rest"},
    {Check::launch, "threads", "a block has from 2 to 1024 threads, and no more rows than there are"},
    {Check::size, "vector", "a vector has 2, 4 or 8 elements, and a row has one for every thread"},
    {Check::size, "keep", "rows are read, and a thread keeps at most 64 elements of one"},
};
constexpr const Precondition& kChain = kNeeds[1];
constexpr const Precondition& kThreads = kNeeds[2];
constexpr const Precondition& kVector = kNeeds[3];
constexpr const Precondition& kKeep = kNeeds[4];

Result<RowLayout, Refusal> layout_of(const RowChain& chain, const Choice& choice) {
  if (auto refusal = refuse_outside(choice, "keep", 0, 1)) return *std::move(refusal);
  RowLayout out;
  const auto order = one_of(choice, "order", kOrders);
  if (!order) return order.error();
  const auto sums = one_of(choice, "sums", kSums);
  if (!sums) return sums.error();
  out.threads = choice.integer("threads");
  out.rows = choice.integer("rows");
  out.by_column = *order == 1;
  out.vector = choice.integer("vector");
  out.keeps = choice.integer("keep") != 0;
  out.is_wide = *sums == 1;
  out.base = chain.rows.size() > 1 ? 1 : 0;
  const std::int64_t rows = chain.rows.empty() ? 1 : chain.rows.back();
  const bool fits = out.threads >= 1 && out.rows >= 1 && out.threads <= kMostThreads && out.rows <= rows &&
                    out.rows <= kMostThreads / out.threads && out.threads * out.rows > 1;
  if (!fits) {
    return Refusal{&kThreads,
                   choice.at,
                   concat(out.threads, " threads for each of ", out.rows, " rows, of ", rows),
                   {{"threads", out.threads}, {"rows", out.rows}}};
  }
  const bool has_vectors = out.vector == 2 || out.vector == 4 || out.vector == 8;
  if (out.vector != 1 && (!has_vectors || !out.shares_rows() || chain.length() < out.vector * out.threads)) {
    return Refusal{
        &kVector,
        choice.at,
        concat("vectors of ", out.vector, " for each of ", out.threads, " threads, in rows of ", chain.length()),
        {{"vector", out.vector}, {"length", chain.length()}}};
  }
  const std::int64_t kept = (chain.length() + out.threads - 1) / out.threads;
  if (out.keeps && (chain.row_data.empty() || kept > kMostKept)) {
    return Refusal{&kKeep,
                   choice.at,
                   concat(chain.row_data.size(), " tensors with rows, of which a thread has ", kept, " elements"),
                   {{"elements", kept}}};
  }
  return out;
}

Result<RowChain, Refusal> chain_at(View& view, const Site& site, std::int64_t expressions) {
  RowChain chain;
  if (site.part == Site::Part::item && site.items.size() == 1) chain = find_row_chain(view, site.items[0]);
  const auto longest = static_cast<std::int64_t>(chain.parts.size());
  if (expressions < 1 || expressions > longest) {
    return Refusal{&kChain,
                   site,
                   concat(longest, " expressions from here on have the same rows, not ", expressions),
                   {{"expressions", expressions}, {"longest", longest}}};
  }
  chain.parts.resize(static_cast<std::size_t>(expressions));
  return chain;
}

std::optional<Refusal> make(MoveBuilder& builder, const Choice& choice) {
  const auto found = chain_at(builder.view(), choice.at, choice.integer("expressions"));
  if (!found) return found.error();
  const RowChain& chain = *found;
  const auto layout = layout_of(chain, choice);
  if (!layout) return layout.error();
  (void)make_row_kernel(builder, chain, *layout);
  return builder.refusal();
}

/// Forms worth offering: a row by a block, by a warp that keeps it, several rows by warps, by threads in a column, by
/// one thread each. Where not even the first can be made, the expressions do not fit together.
struct Form {
  std::int64_t threads;
  std::int64_t rows;
  std::string_view order;
  std::int64_t keep;
};
constexpr Form kForms[] = {
    {256, 1, "row", 0}, {32, 1, "row", 1}, {32, 4, "row", 0}, {8, 32, "column", 0}, {1, 128, "row", 0}};

bool offer(View& view, Listing& listing, const RowChain& chain, const Form& form) {
  const Site site = item_site({chain.first});
  const auto expressions = static_cast<std::int64_t>(chain.parts.size());
  const Values others = {
      {"expressions", expressions}, {"rows", form.rows}, {"order", std::string(form.order)}, {"vector", 1},
      {"keep", form.keep},          {"sums", "plain"}};
  const ParameterDomain candidate = {"threads", std::vector<std::int64_t>{form.threads}};
  auto threads = values_that_work(rows_move(), view, {site, others}, candidate, listing);
  if (threads.count() == 0) return false;
  listing.offer({site,
                 {{"expressions", std::vector<std::int64_t>{expressions}},
                  std::move(threads),
                  {"rows", std::vector<std::int64_t>{form.rows}},
                  {"order", std::vector<std::string>{std::string(form.order)}},
                  {"vector", std::vector<std::int64_t>{1}},
                  {"keep", std::vector<std::int64_t>{form.keep}},
                  {"sums", std::vector<std::string>{"plain"}}},
                 false});
  return true;
}

void choices(View& view, Listing& listing) {
  for (std::uint32_t i = 0; i < view.program().nests.size(); ++i) {
    RowChain chain = find_row_chain(view, i);
    if (chain.parts.empty()) {
      listing.refuse({&kChain, item_site({i}), "there are no rows", {}});
      continue;
    }
    chain.parts.resize(std::min(chain.parts.size(), kMostOffered));
    if (!offer(view, listing, chain, kForms[0])) continue;
    for (const Form& form : std::span(kForms).subspan(1)) (void)offer(view, listing, chain, form);
    i += static_cast<std::uint32_t>(chain.parts.size()) - 1;  // its tail is no chain of its own
  }
}

}  // namespace

const Move& rows_move() {
  static constexpr Move kMove = {
      "rows",
      "neighbouring expressions over the same rows become one kernel, with a row for each thread, warp or block",
      "B_{tx}L_{a}[D_{tx}=max(D_{tx},A_{tx,a})]; B_{tx}L_{a}[C_{tx,a}=A_{tx,a}-D_{tx}]   -->\n"
      "  B_{bx}[B_{tx}L_{c}[F^{l}_{c}=A_{bx,c*T+tx}];B_{tx}L_{c}[D^{s}=max(D^{s},F^{l}_{c})];"
      "B_{tx}L_{c}[C_{bx,c*T+tx}=F^{l}_{c}-D^{s}]]",
      {"@input A f32[8,64]\n@output C f32[8,64]\n"
       "B^{8}_{tx=0}L^{64}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
       "B^{8}_{tx=0}L^{64}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}-D^{f32,g}_{tx};];\n",
       R"({"at":"0","expressions":2,"threads":32,"rows":1,"order":"row","vector":1,"keep":1,"sums":"plain"})"},
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
