#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/analysis/accesses.h"
#include "steptp/base/result.h"

namespace steptp {

/// The forms that an equation under T loops may have (docs/language.md R20).
enum class MatrixForm : std::uint8_t { contraction, reduction, elementwise };

/// What a T loop is in its nest: m, n and k of a contraction. In a reduction the loops of the left side are rows and
/// the others columns. In an elementwise nest fragment_rows says how many of the loops are rows.
enum class MatrixRole : std::uint8_t { row, column, inner, any };

/// Of what the extents of rows, columns and inner loops, multiplied over the loops of a role, are multiples.
struct MatrixShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
};

/// One equation that a unit runs together.
struct MatrixNest {
  MatrixForm form = MatrixForm::elementwise;
  std::size_t first_loop = 0;     ///< the position of the first T loop among the loops of the statement
  std::vector<MatrixRole> roles;  ///< of the T loops, in the order of the header
  RefPtr first;                   ///< contraction: F and G of X=X+F*G
  RefPtr second;
  MatrixShape shape;  ///< contraction
};

/// Why a statement is no matrix nest, as a diagnostic of `check`.
struct MatrixProblem {
  std::string_view id;
  Site site;
  std::string message;
  std::string hint;
};

[[nodiscard]] bool has_matrix_loops(const Statement& statement);

/// The matrix nest that a statement with T loops is.
[[nodiscard]] Result<MatrixNest, MatrixProblem> matrix_nest(const Statement& statement);

/// For each tensor in `f` of a kernel, how many of its subscripts, from the left, are rows; the others are columns.
/// Contractions and reductions decide; what neither touches has one. The statements are those of the kernel.
[[nodiscard]] Result<std::map<std::string, std::size_t>, MatrixProblem> fragment_rows(
    const AccessTable& table, const std::vector<std::size_t>& statements);

/// The instruction for such factors and such a sum; nothing where there is none.
[[nodiscard]] std::optional<MatrixShape> matrix_shape(DType factors, DType sum);

}  // namespace steptp
