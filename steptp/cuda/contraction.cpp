// X=X+F*G of a unit. In each step along k the operands of all instructions of the unit are loaded, then multiplied.
// Where eight neighbours in a row, a column or along k lie side by side and begin at a multiple of 16 bytes, `ldmatrix`
// loads them; other tensors are read element by element. A left factor in `f` is there already.
#include "steptp/base/text.h"
#include "steptp/cuda/matrix_nest.h"
#include "steptp/lowering/offsets.h"

namespace steptp::cuda {

namespace {

/// Longer loops along k stay loops.
constexpr std::int64_t kUnrolledSteps = 16;

std::string place(const std::string& name, const std::string& row, const std::string& column) {
  return concat(name, "[", row, "][", column, "]");
}

}  // namespace

/// Whether eight neighbours along these loops may be loaded as a row of a matrix.
bool MatrixNestWriter::has_runs_of_eight(const Ref& ref, const Loops& along) {
  constexpr std::int64_t kRun = 8;
  if (along.empty() || along.back().extent % kRun != 0) return false;
  const std::int64_t alignment = lowering::run_alignment(speller_.offset(ref), along.back().index);
  return alignment != 0 && alignment % kRun == 0;
}

void MatrixNestWriter::each(const std::string& index, std::int64_t count) {
  out_.line("#pragma unroll");
  out_.open("for (int ", index, " = 0; ", index, " < ", count, "; ++", index, ")");
}

void MatrixNestWriter::declare(const std::string& flat, const std::string& value, const Loops& loops) {
  out_.line("const int ", flat, " = ", value, ";");
  declare_indices(loops, flat);
}

/// Words of neighbours along k, element by element. `fixed` is the other index: a row of F or a column of G.
void MatrixNestWriter::gather_halves(const Ref& ref, const std::string& words, std::int64_t count,
                                     const std::string& fixed, const Loops& fixed_loops, const std::string& k) {
  each("stp_w", count);
  declare("stp_fixed", fixed, fixed_loops);
  each("stp_e", 2);
  declare("stp_inner", concat("stp_k + ", k, " + stp_lane % 4 * 2 + stp_e"), inner_);
  out_.line("stp_set_half(", words, "[stp_w], stp_e, ", speller_.element(ref), ");");
  out_.close();
  out_.close();
}

void MatrixNestWriter::load_left() {
  const Ref& left = *nest_.first;
  const std::int64_t tiles = product_of(rows_) / 16;
  out_.line("unsigned stp_a[", tiles, "][4] = {};");
  each("stp_i", tiles);
  if (left.scope == Scope::fragment) {
    each("stp_w", 4);
    out_.line("stp_a[stp_i][stp_w] = ",
              place(left.tensor, tile_of(left, true, "stp_i * 2 + stp_w % 2", 8),
                    tile_of(left, false, "stp_k / 8 + stp_w / 2", 8)),
              ";");
    out_.close();
  } else if (has_runs_of_eight(left, inner_)) {
    declare("stp_row", "stp_i * 16 + stp_lane % 16", rows_);
    declare("stp_inner", "stp_k + stp_lane / 16 * 8", inner_);
    out_.line("stp_ldmatrix(stp_a[stp_i], &", speller_.element(left), ");");
  } else if (has_runs_of_eight(left, rows_)) {
    declare("stp_row", "stp_i * 16 + stp_lane / 8 % 2 * 8", rows_);
    declare("stp_inner", "stp_k + stp_lane / 16 * 8 + stp_lane % 8", inner_);
    out_.line("stp_ldmatrix_transposed(stp_a[stp_i], &", speller_.element(left), ");");
  } else {
    gather_halves(left, "stp_a[stp_i]", 4, "stp_i * 16 + stp_w % 2 * 8 + stp_lane / 4", rows_, "stp_w / 2 * 8");
  }
  out_.close();
}

/// Two tiles of columns at once; the last one of an odd number by itself.
void MatrixNestWriter::load_right_matrices(bool is_transposed) {
  const Ref& right = *nest_.second;
  const char* instruction = is_transposed ? "stp_ldmatrix_transposed(" : "stp_ldmatrix(";
  const std::int64_t tiles = product_of(columns_) / 8;
  const auto declare_place = [&](const std::string& first) {
    declare("stp_column", concat(first, is_transposed ? "" : " + stp_lane % 8"), columns_);
    declare("stp_inner", is_transposed ? "stp_k + stp_lane % 16" : "stp_k + stp_lane / 8 % 2 * 8", inner_);
  };
  if (tiles > 1) {
    each("stp_j", tiles / 2);
    declare_place("stp_j * 16 + stp_lane / 16 * 8");
    out_.line("unsigned stp_four[4];");
    out_.line(instruction, "stp_four, &", speller_.element(right), ");");
    each("stp_w", 4);
    out_.line("stp_b[stp_j * 2 + stp_w / 2][stp_w % 2] = stp_four[stp_w];");
    out_.close();
    out_.close();
  }
  if (tiles % 2 == 0) return;
  out_.open();
  declare_place(concat((tiles - 1) * 8));
  out_.line(instruction, "stp_b[", tiles - 1, "], &", speller_.element(right), ");");
  out_.close();
}

void MatrixNestWriter::load_right() {
  const Ref& right = *nest_.second;
  const std::int64_t tiles = product_of(columns_) / 8;
  out_.line("unsigned stp_b[", tiles, "][2] = {};");
  const bool along_columns = has_runs_of_eight(right, columns_);
  if (along_columns || has_runs_of_eight(right, inner_)) return load_right_matrices(along_columns);
  each("stp_j", tiles);
  gather_halves(right, "stp_b[stp_j]", 2, "stp_j * 8 + stp_lane / 4", columns_, "stp_w * 8");
  out_.close();
}

void MatrixNestWriter::multiply_halves() {
  const Ref& sum = *store_->target;
  const std::string above = tile_of(sum, true, "stp_i * 2", 8);
  const std::string below = tile_of(sum, true, "stp_i * 2 + 1", 8);
  const std::string column = tile_of(sum, false, "stp_j", 8);
  const std::string first = place(sum.tensor, above, column);
  const std::string second = place(sum.tensor, below, column);
  each("stp_i", product_of(rows_) / 16);
  each("stp_j", product_of(columns_) / 8);
  const std::string_view factor = code(nest_.first->dtype);
  if (sum.dtype == DType::f16) {
    out_.line("unsigned stp_d[2] = {", first, ", ", second, "};");
    out_.line("stp_mma_f16_f16(stp_d, stp_a[stp_i], stp_b[stp_j]);");
    out_.line(first, " = stp_d[0];");
    out_.line(second, " = stp_d[1];");
  } else {
    out_.line("float stp_d[4] = {", first, "[0], ", first, "[1], ", second, "[0], ", second, "[1]};");
    out_.line("stp_mma_", factor, "_f32(stp_d, stp_a[stp_i], stp_b[stp_j]);");
    each("stp_e", 2);
    out_.line(first, "[stp_e] = stp_d[stp_e];");
    out_.line(second, "[stp_e] = stp_d[2 + stp_e];");
    out_.close();
  }
  out_.close();
  out_.close();
}

/// Doubles are read one by one: there is no ldmatrix for them.
void MatrixNestWriter::multiply_doubles(bool is_large) {
  const Ref& sum = *store_->target;
  const std::int64_t rows = is_large ? 16 : 8;
  const std::int64_t lefts = is_large ? 8 : 1;
  const std::int64_t rights = is_large ? 4 : 1;
  out_.line("double stp_a[", product_of(rows_) / rows, "][", lefts, "];");
  each("stp_i", product_of(rows_) / rows);
  each("stp_w", lefts);
  declare("stp_row", concat("stp_i * ", rows, " + stp_lane / 4", is_large ? " + stp_w % 2 * 8" : ""), rows_);
  declare("stp_inner", concat("stp_k + stp_lane % 4", is_large ? " + stp_w / 2 * 4" : ""), inner_);
  out_.line("stp_a[stp_i][stp_w] = ", speller_.element(*nest_.first), ";");
  out_.close();
  out_.close();
  each("stp_j", product_of(columns_) / 8);
  out_.line("double stp_b[", rights, "];");
  each("stp_w", rights);
  declare("stp_column", "stp_j * 8 + stp_lane / 4", columns_);
  declare("stp_inner", "stp_k + stp_lane % 4 + stp_w * 4", inner_);
  out_.line("stp_b[stp_w] = ", speller_.element(*nest_.second), ";");
  out_.close();
  each("stp_i", product_of(rows_) / rows);
  const std::string column = tile_of(sum, false, "stp_j", 8);
  const std::string first = place(sum.tensor, tile_of(sum, true, is_large ? "stp_i * 2" : "stp_i", 8), column);
  if (is_large) {
    const std::string second = place(sum.tensor, tile_of(sum, true, "stp_i * 2 + 1", 8), column);
    out_.line("double stp_d[4] = {", first, "[0], ", first, "[1], ", second, "[0], ", second, "[1]};");
    out_.line("stp_mma_f64_16x8x16(stp_d, stp_a[stp_i], stp_b);");
    each("stp_e", 2);
    out_.line(first, "[stp_e] = stp_d[stp_e];");
    out_.line(second, "[stp_e] = stp_d[2 + stp_e];");
    out_.close();
  } else {
    out_.line("stp_mma_f64_8x8x4(", first, "[0], ", first, "[1], stp_a[stp_i][0], stp_b[0]);");
  }
  out_.close();
  out_.close();
}

/// Four units at once: the instruction reads both factors where they lie, for 64 rows and all columns.
void MatrixNestWriter::write_group(const GroupProduct& product) {
  const auto at = [&](const Ref& ref, const std::string& first) {
    return concat(speller_.name(ref.tensor), " + (", first, ") * 64");
  };
  const std::string left = at(*product.left, concat(speller_.index(product.unit), " / 4 * 64"));
  const std::string right = at(*product.right, speller_.index(product.column));
  out_.line("stp_group_begin();");
  out_.line("#pragma unroll");
  out_.open("for (int stp_k = 0; stp_k < 64; stp_k += 16)");
  out_.line("stp_group_", code(product.left->dtype), "_", product.columns,
            product.is_right_along_inner ? "_along(" : "(", store_->target->tensor, ", ", left, ", ", right,
            ", stp_k);");
  out_.close();
  out_.line("stp_group_end();");
}

void MatrixNestWriter::write_contraction() {
  if (const auto group = groups_.find(store_->statement); group != groups_.end()) return write_group(group->second);
  const std::int64_t inner = product_of(inner_);
  const bool is_double = nest_.first->dtype == DType::f64;
  const bool is_large = is_double && product_of(rows_) % 16 == 0 && inner % 16 == 0;
  const std::int64_t step = is_double && !is_large ? 4 : 16;
  if (inner / step <= kUnrolledSteps || nest_.first->scope == Scope::fragment) out_.line("#pragma unroll");
  out_.open("for (int stp_k = 0; stp_k < ", inner, "; stp_k += ", step, ")");
  if (is_double) {
    multiply_doubles(is_large);
  } else {
    load_left();
    load_right();
    multiply_halves();
  }
  out_.close();
}

}  // namespace steptp::cuda
