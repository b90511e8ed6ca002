#include "steptp/frontend/lowering_table.h"

#include <algorithm>
#include <array>

namespace steptp::frontend {

namespace {

bool by_name(const LoweringRow& left, const LoweringRow& right) { return left.op < right.op; }

const std::vector<LoweringRow>& table() {
  static const std::vector<LoweringRow> kTable = [] {
    constexpr std::array kFamilies = {
        pointwise_lowerings,   activation_lowerings, reduction_lowerings, view_lowerings,     creation_lowerings,
        index_lowerings,       scatter_lowerings,    order_lowerings,     upsample_lowerings, matrix_lowerings,
        convolution_lowerings, pooling_lowerings,    norm_lowerings,      loss_lowerings,     sequence_lowerings};
    std::vector<LoweringRow> rows;
    for (const auto family : kFamilies) {
      const std::span<const LoweringRow> part = family();
      rows.insert(rows.end(), part.begin(), part.end());
    }
    std::sort(rows.begin(), rows.end(), by_name);
    return rows;
  }();
  return kTable;
}

}  // namespace

const LoweringRow* find_lowering(std::string_view op) {
  const std::vector<LoweringRow>& rows = table();
  const auto found = std::lower_bound(rows.begin(), rows.end(), LoweringRow{op, nullptr}, by_name);
  return found != rows.end() && found->op == op ? &*found : nullptr;
}

std::vector<std::string_view> lowered_operators() {
  std::vector<std::string_view> out;
  for (const LoweringRow& row : table()) out.push_back(row.op);
  return out;
}

}  // namespace steptp::frontend
