// A matrix instruction reads eight rows of 16 bytes at one column, or four rows of 32 in doubles. Rows of a power of
// two begin in the same bank, so that they would be read one after another.
#include "steptp/cuda/swizzle.h"

#include <algorithm>
#include <bit>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/cuda/groups.h"

namespace steptp::cuda {

namespace {

constexpr std::int64_t kBankBytes = 128;  ///< of all banks together

std::optional<Swizzle> swizzle_of(const lowering::Buffer& buffer) {
  if (buffer.shape.size() < 2) return std::nullopt;
  const std::int64_t bytes = info(buffer.dtype).bytes;
  const std::int64_t run = bytes == 8 ? 32 : 16;
  const std::int64_t row = buffer.shape.back() * bytes;
  if (!std::has_single_bit(static_cast<std::uint64_t>(row)) || row < 2 * run) return std::nullopt;
  const auto log2 = [](std::int64_t value) { return std::countr_zero(static_cast<std::uint64_t>(value)); };
  const std::int64_t together = std::min(row, kBankBytes) / run;
  return Swizzle{log2(together), log2(std::max(row, kBankBytes) / bytes), log2(run / bytes)};
}

}  // namespace

std::map<std::string, Swizzle> swizzles_of(const lowering::Arrangement& arrangement,
                                           const lowering::ArrangedKernel& kernel) {
  std::map<std::string, Swizzle> out;
  for (const std::size_t number : kernel.statements) {
    const Statement& statement = arrangement.table.statements[number];
    if (!has_matrix_loops(statement)) continue;
    const auto nest = matrix_nest(statement);
    if (!nest || nest->form != MatrixForm::contraction) continue;
    for (const RefPtr& factor : {nest->first, nest->second}) {
      const lowering::Buffer& buffer = arrangement.buffers.at(factor->tensor);
      const auto made = buffer.scope == Scope::shared ? swizzle_of(buffer) : std::nullopt;
      if (made) out.emplace(factor->tensor, *made);
    }
  }
  // A group reads 64 columns side by side, whatever a row has.
  for (const auto& [number, product] : group_products(arrangement, kernel)) {
    const std::int64_t row = arrangement.buffers.at(product.right->tensor).shape.back();
    if (product.is_right_along_inner || row == 64) continue;
    out[product.right->tensor] = {3, 6, 3, std::countr_zero(static_cast<std::uint64_t>(row))};
  }
  return out;
}

}  // namespace steptp::cuda
