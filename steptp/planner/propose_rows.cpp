// Chains over the same rows, and folds of so much that several blocks share one: `rows`, `lanes` and `stages`.
#include <algorithm>

#include "steptp/ir/dtype_facts.h"
#include "steptp/moves/row_chain.h"
#include "steptp/planner/proposals.h"

namespace steptp {

namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostKept = 64;       ///< elements of a row in the registers of a thread
constexpr std::size_t kMostExpressions = 8;  ///< of a chain
constexpr std::int64_t kFewRows = 1024;      ///< fewer than this leave processors without a block
constexpr std::int64_t kLongRow = 2048;      ///< worth the launch of a second kernel
constexpr std::int64_t kPartsOfDevice[] = {2112, 1056, 528, 264, 132};

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    if (__builtin_mul_overflow(product, extent, &product)) return INT64_MAX;
  }
  return product;
}

/// Halves are folded in f32.
std::string_view sums_of(View& view, const RowChain& chain) {
  const bool narrow = std::any_of(chain.parts.begin(), chain.parts.end(), [&](const RowPart& part) {
    return part.kind == RowPart::Kind::reduce && is_narrow_float(view.table().tensors.at(part.tensor).dtype);
  });
  return narrow ? "wide" : "plain";
}

std::int64_t bytes_of(View& view, const RowChain& chain) {
  std::int64_t bytes = 8;
  for (const std::string& tensor : chain.row_data) {
    bytes = std::min<std::int64_t>(bytes, info(view.table().tensors.at(tensor).dtype).bytes);
  }
  return bytes;
}

struct Layout {
  std::int64_t threads;
  std::int64_t rows;
  bool by_column = false;
  std::int64_t vector = 1;
  bool keeps = false;
};

/// Threads that share a row of this length: each of them has from four to some thirty elements.
std::vector<Layout> gpu_layouts(std::int64_t length, std::int64_t rows, std::int64_t bytes) {
  std::vector<Layout> out;
  const std::int64_t lanes = 16 / bytes;
  for (const std::int64_t threads : {128, 256, 512, 1024, 32, 64}) {
    if (threads > 32 && threads * 2 > length) continue;
    if (length / threads > 256 && threads < kMostThreads) continue;
    const bool keeps = (length + threads - 1) / threads <= kMostKept;
    const bool has_lanes = length >= lanes * threads && length % lanes == 0;
    if (keeps && has_lanes) out.push_back({threads, 1, false, lanes, true});
    if (keeps) out.push_back({threads, 1, false, 1, true});
    out.push_back({threads, 1, false, has_lanes ? lanes : 1, false});
  }
  for (const std::int64_t several : {4, 8}) {
    if (length <= 1024 && rows >= several) out.push_back({32, several, false, 1, length <= 32 * kMostKept});
  }
  if (rows >= 32) out.push_back({8, 32, true, 1, false});
  if (rows >= 16) out.push_back({16, 16, true, 1, false});
  if (rows >= 128) out.push_back({1, 128, false, 1, false});
  return out;
}

std::vector<Layout> cpu_layouts(std::int64_t rows) {
  std::vector<Layout> out;
  for (const std::int64_t several : {16, 4, 64}) {
    if (rows >= several) out.push_back({1, several, false, 1, false});
  }
  out.push_back({1024, 1, false, 1, false});
  return out;
}

void add_rows(ProposalList& list, std::uint32_t first, std::size_t count, const Layout& layout, std::string_view sums) {
  list.add("rows", first, static_cast<std::uint32_t>(count),
           {{"expressions", static_cast<std::int64_t>(count)},
            {"threads", layout.threads},
            {"rows", layout.rows},
            {"order", layout.by_column ? "column" : "row"},
            {"vector", layout.vector},
            {"keep", layout.keeps ? 1 : 0},
            {"sums", std::string(sums)}});
}

/// Elements of a row side by side, on a CPU: whole vectors of every kind, and no rest where that can be had.
std::vector<std::int64_t> lanes_for(std::int64_t length) {
  constexpr std::int64_t kUsual[] = {32, 64, 48, 16};
  constexpr std::int64_t kFewest = 24;
  constexpr std::int64_t kMost = 64;
  std::vector<std::int64_t> out;
  for (const std::int64_t lanes : kUsual) {
    if (out.empty() && lanes < length && length % lanes == 0) out.push_back(lanes);
  }
  const std::vector<std::int64_t> possible = divisors(length);
  for (auto it = possible.rbegin(); it != possible.rend() && out.empty(); ++it) {
    if (*it >= kFewest && *it <= kMost && *it < length) out.push_back(*it);
  }
  if (out.empty() && length > kMost) out.push_back(kMost);
  return out;
}

void propose_lanes(ProposalList& list, std::uint32_t first, std::size_t count, std::int64_t length,
                   std::string_view sums) {
  for (const std::int64_t lanes : lanes_for(length)) {
    list.add("lanes", first, static_cast<std::uint32_t>(count),
             {{"expressions", static_cast<std::int64_t>(count)}, {"lanes", lanes}, {"sums", std::string(sums)}});
  }
}

}  // namespace

void propose_rows(View& view, std::uint32_t expression, ProposalList& list) {
  const RowChain chain = find_row_chain(view, expression);
  if (chain.parts.empty() || (!chain.reduces() && chain.parts.size() < 2)) return;
  const std::size_t most = std::min(chain.parts.size(), kMostExpressions);
  const std::int64_t rows = chain.rows.empty() ? 1 : chain.rows.back();
  for (std::size_t count = most; count >= 1; --count) {
    RowChain head = chain;
    head.parts.resize(count);
    if (!head.reduces()) continue;
    const std::vector<Layout> layouts =
        list.target().is_cpu() ? cpu_layouts(rows) : gpu_layouts(head.length(), rows, bytes_of(view, head));
    if (list.target().is_cpu() && !chain.rows.empty()) {
      propose_lanes(list, expression, count, head.length(), sums_of(view, head));
    }
    std::size_t offered = 0;
    for (const Layout& layout : layouts) {
      add_rows(list, expression, count, layout, sums_of(view, head));
      // A shorter chain is for where the whole does not fit together.
      if (++offered >= 4 && count < most) break;
    }
  }
}

void propose_stages(View& view, std::uint32_t expression, ProposalList& list) {
  if (list.target().is_cpu()) return;
  RowChain chain = find_row_chain(view, expression);
  if (chain.parts.empty() || chain.parts[0].kind != RowPart::Kind::reduce) return;
  chain.parts.resize(1);
  const std::int64_t length = chain.parts[0].length;
  const std::int64_t rows = product_of(chain.rows);
  if (rows >= kFewRows || length < kLongRow) return;
  const std::vector<std::int64_t> possible = divisors(length);
  std::vector<std::int64_t> parts;
  for (const std::int64_t blocks : kPartsOfDevice) {
    const std::int64_t wanted = std::min(std::max<std::int64_t>(2, blocks / rows), length / 64);
    const auto above = std::upper_bound(possible.begin(), possible.end(), wanted);
    if (above == possible.begin()) continue;
    const std::int64_t some = *(above - 1);
    if (some >= 2 && std::find(parts.begin(), parts.end(), some) == parts.end()) parts.push_back(some);
  }
  const std::int64_t lanes = 16 / bytes_of(view, chain);
  for (const std::int64_t some : parts) {
    for (const std::int64_t vector : {lanes, std::int64_t{1}}) {
      if ((length / some) % vector != 0 || length / some / vector < 2) continue;
      list.add("stages", expression, 1,
               {{"parts", some}, {"threads", 256}, {"sums", std::string(sums_of(view, chain))}, {"vector", vector}});
    }
  }
}

}  // namespace steptp
