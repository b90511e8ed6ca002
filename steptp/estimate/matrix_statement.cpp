// Matrix nests: what a unit does, and what a lane's part of it is.
#include <algorithm>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/estimate/statement_reader.h"
#include "steptp/lowering/units.h"

namespace steptp::estimation {

namespace {

/// The lanes of a unit hold 8 rows of 8 columns at a time, two columns each, side by side.
void set_tile_requests(AccessSummary& access) {
  constexpr double kRows = 8;
  access.lanes = access.element_bytes < 8 ? 2 : 1;
  access.lines = kRows;
  access.sectors = kRows * std::max(1.0, 8 * access.element_bytes / 32);
  access.conflicts = access.sectors * 32 / 128;
}

}  // namespace

StatementSummary StatementReader::read_matrix(const std::array<std::int64_t, 3>& block) {
  const auto nest = matrix_nest(statement_);
  MatrixSummary matrix;
  matrix.units = block[0] / lowering::kUnitLanes;
  MatrixShape extents{1, 1, 1};
  double elements = 1;
  if (nest) {
    for (std::size_t i = 0; i < nest->roles.size(); ++i) {
      const std::int64_t extent = statement_.loops[nest->first_loop + i]->extent;
      if (nest->roles[i] != MatrixRole::inner) elements *= static_cast<double>(extent);
      if (nest->roles[i] == MatrixRole::row) extents.rows *= extent;
      if (nest->roles[i] == MatrixRole::column) extents.columns *= extent;
      if (nest->roles[i] == MatrixRole::inner) extents.inner *= extent;
    }
  }
  matrix.per_lane = std::max(1.0, elements / lowering::kUnitLanes);
  if (!nest || nest->form != MatrixForm::contraction) {
    (void)value(*store_.value, 1, false);
    add_write();
    for (AccessSummary& access : out_.accesses) {
      access.loops = repeating(access.loops);
      set_tile_requests(access);
    }
    for (OperationSummary& operation : out_.operations) operation.loops = repeating(operation.loops);
    out_.matrix = matrix;
    return std::move(out_);
  }
  const double bytes = info(nest->first->dtype).bytes;
  const double left = nest->first->scope == Scope::shared ? static_cast<double>(extents.rows) : 0;
  matrix.factors = nest->first->dtype;
  matrix.products = elements * static_cast<double>(extents.inner);
  matrix.factor_bytes = (left + static_cast<double>(extents.columns)) * static_cast<double>(extents.inner) * bytes;
  // Products of one instruction, and bytes that one load of factors brings to the lanes.
  const bool is_wide = nest->first->dtype == DType::f64;
  const bool is_small = is_wide && (extents.rows % 16 != 0 || extents.inner % 16 != 0);
  matrix.instructions = matrix.products / (is_small ? 256 : 2048) + matrix.factor_bytes / (is_wide ? 256 : 512);
  out_.matrix = matrix;
  return std::move(out_);
}

}  // namespace steptp::estimation
