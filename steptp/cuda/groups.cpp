#include "steptp/cuda/groups.h"

#include <algorithm>
#include <bit>

#include "steptp/analysis/matrix_nests.h"
#include "steptp/lowering/offsets.h"
#include "steptp/lowering/units.h"

namespace steptp::cuda {

namespace {

constexpr std::int64_t kUnits = 4;      ///< of a group
constexpr std::int64_t kUnitRows = 16;  ///< of one of them
constexpr std::int64_t kInner = 64;     ///< halves of a row of 128 bytes
constexpr std::int64_t kMostColumns = 256;
constexpr std::int64_t kAlignment = 1024;  ///< bytes of eight rows, at which the hardware begins to count them

class Matcher {
 public:
  Matcher(const lowering::Arrangement& arrangement, const lowering::ArrangedKernel& kernel, const Statement& statement)
      : arrangement_(arrangement), kernel_(kernel), statement_(statement) {}

  [[nodiscard]] std::optional<GroupProduct> match() {
    auto nest = matrix_nest(statement_);
    if (!nest || nest->form != MatrixForm::contraction || !statement_.guards.empty()) return std::nullopt;
    nest_ = *std::move(nest);
    if (!has_loops() || !has_units() || !is_sum()) return std::nullopt;
    if (!is_left(*nest_.first) || !is_right(*nest_.second)) return std::nullopt;
    out_.left = nest_.first;
    out_.right = nest_.second;
    return out_;
  }

 private:
  /// One loop for each role, with the extents of the instruction.
  bool has_loops() {
    for (std::size_t i = 0; i < nest_.roles.size(); ++i) {
      const Loop& loop = *statement_.loops[nest_.first_loop + i];
      const Loop** place = nest_.roles[i] == MatrixRole::row      ? &row_
                           : nest_.roles[i] == MatrixRole::column ? &column_
                                                                  : &inner_;
      if (*place) return false;
      *place = &loop;
    }
    if (!row_ || !column_ || !inner_) return false;
    out_.columns = column_->extent;
    return row_->extent == kUnitRows && inner_->extent == kInner && column_->extent % kInner == 0 &&
           column_->extent <= kMostColumns;
  }

  /// All units run it, and along wx, which counts fastest, they come in fours.
  bool has_units() {
    const std::int64_t all = kernel_.extents[static_cast<std::size_t>(Axis::wx)];
    for (const Loop* loop : statement_.loops) {
      const auto axis = lowering::axis_of_loop(*loop);
      if (!axis) continue;
      if (is_unit_axis(*axis) && loop->extent != kernel_.extents[static_cast<std::size_t>(*axis)]) return false;
      if (*axis == Axis::wx) unit_ = loop;
    }
    if (!unit_ || all % kUnits != 0) return false;
    out_.unit = Index::variable(unit_->index);
    return true;
  }

  static bool is_unit_axis(Axis axis) { return axis == Axis::wx || axis == Axis::wy || axis == Axis::wz; }

  bool is_sum() const {
    const Ref& sum = *statement_.equation->left;
    const DType factors = nest_.first->dtype;
    const bool are_halves = factors == DType::f16 || factors == DType::bf16;
    if (!are_halves || sum.dtype != DType::f32 || sum.subscripts.size() != 2) return false;
    const lowering::Buffer& buffer = arrangement_.buffers.at(sum.tensor);
    return buffer.shape == std::vector<std::int64_t>{row_->extent, column_->extent} &&
           sum.subscripts[0] == Index::variable(row_->index) && sum.subscripts[1] == Index::variable(column_->index);
  }

  /// Its bytes begin where the hardware counts rows anew.
  bool is_placed(const lowering::Buffer& buffer) const {
    const auto place = kernel_.layout.places.find(buffer.name);
    return buffer.scope == Scope::shared && buffer.shape.size() == 2 && place != kernel_.layout.places.end() &&
           place->second.offset % kAlignment == 0 && buffer.bytes % kAlignment == 0;
  }

  bool is_left(const Ref& left) const {
    const lowering::Buffer& buffer = arrangement_.buffers.at(left.tensor);
    if (!is_placed(buffer) || buffer.shape[1] != kInner || left.subscripts.size() != 2) return false;
    const auto first = Index::multiply(out_.unit, Index::constant(kUnitRows));
    const auto row = first ? Index::add(*first, Index::variable(row_->index)) : std::nullopt;
    return row && left.subscripts[0] == *row && left.subscripts[1] == Index::variable(inner_->index);
  }

  bool is_right(const Ref& right) {
    const lowering::Buffer& buffer = arrangement_.buffers.at(right.tensor);
    if (!is_placed(buffer) || right.subscripts.size() != 2) return false;
    out_.is_right_along_inner = right.subscripts[1] == Index::variable(inner_->index);
    const Index& along = right.subscripts[out_.is_right_along_inner ? 0 : 1];
    const Index& inner = right.subscripts[out_.is_right_along_inner ? 1 : 0];
    const std::int64_t extent = buffer.shape[out_.is_right_along_inner ? 0 : 1];
    const auto first = lowering::at_zero(along, column_->index);
    if (!first || !(inner == Index::variable(inner_->index)) || lowering::mentions(*first, unit_->index)) return false;
    if (lowering::run_alignment(along, column_->index) % kInner != 0 ||
        lowering::run_alignment(along, column_->index) == 0) {
      return false;
    }
    out_.column = *first;
    const bool has_panels = std::has_single_bit(static_cast<std::uint64_t>(extent)) && extent % kInner == 0;
    return buffer.shape[out_.is_right_along_inner ? 1 : 0] == kInner && has_panels;
  }

  const lowering::Arrangement& arrangement_;
  const lowering::ArrangedKernel& kernel_;
  const Statement& statement_;
  MatrixNest nest_;
  const Loop* row_ = nullptr;
  const Loop* column_ = nullptr;
  const Loop* inner_ = nullptr;
  const Loop* unit_ = nullptr;
  GroupProduct out_;
};

}  // namespace

std::map<std::size_t, GroupProduct> group_products(const lowering::Arrangement& arrangement,
                                                   const lowering::ArrangedKernel& kernel) {
  std::map<std::size_t, GroupProduct> out;
  for (const std::size_t number : kernel.statements) {
    const Statement& statement = arrangement.table.statements[number];
    if (!has_matrix_loops(statement)) continue;
    if (auto found = Matcher(arrangement, kernel, statement).match()) out.emplace(number, *std::move(found));
  }
  return out;
}

}  // namespace steptp::cuda
