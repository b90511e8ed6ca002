#pragma once

// Parts of a program found by what they are: what moves ask of a program before they say where their steps go.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "steptp/strategies/view.h"

namespace steptp {

/// One loop around an equation.
struct AxisOf {
  Site loop;
  std::string index;
  std::int64_t extent = 1;
  LoopKind kind = LoopKind::serial;
};

/// The loops around an equation, outermost first, by what they are for it: in the left subscripts (spatial), folded by
/// an accumulation (reduced), or neither, so that each of their iterations does the same again.
struct Axes {
  std::vector<AxisOf> spatial;
  std::vector<AxisOf> reduced;
  std::vector<AxisOf> repeated;
};
[[nodiscard]] Axes axes_of(const Statement& statement);
/// All of them, in the order in which they stand.
[[nodiscard]] std::vector<AxisOf> loops_around(const Statement& statement);
/// How many iterations loops have together; INT64_MAX where it is more.
[[nodiscard]] std::int64_t iterations(const std::vector<AxisOf>& axes);

/// Each iteration of all loops has an element of its own, which it assigns, with no accumulation and no element of the
/// same tensor on the right.
[[nodiscard]] bool is_elementwise(const Statement& statement);

/// The equations that write (read) a tensor, in order. A read of X in X=X+... alone does not count.
[[nodiscard]] std::vector<const Statement*> writers_of(View& view, const std::string& tensor);
[[nodiscard]] std::vector<const Statement*> readers_of(View& view, const std::string& tensor);
/// The only equation that writes (reads) it; null where there are several, or none.
[[nodiscard]] const Statement* only_writer(View& view, const std::string& tensor);
[[nodiscard]] const Statement* only_reader(View& view, const std::string& tensor);
/// No input and no output: made and used inside.
[[nodiscard]] bool is_intermediate(View& view, const std::string& tensor);

/// The only equation of a top-level expression; null where it has several.
[[nodiscard]] const Statement* only_statement(View& view, std::uint32_t expression);
/// The equation at an address or, where that is a nest, the only one in it; null where there are several.
[[nodiscard]] const Statement* statement_at(View& view, const Site& site);

/// The two reads that D=D+A*C multiplies, with their addresses.
struct Multiplied {
  Site a_site;
  Site b_site;
  RefPtr a;
  RefPtr b;
};
[[nodiscard]] std::optional<Multiplied> find_multiplied(const Statement& statement);

/// D=D+A*C with axes by where they occur: m in A and D, n in C and D, k in A and C only, batch in all three. Windows of
/// a convolution are axes of m whose subscripts in A also have axes of k.
struct Contraction {
  const Statement* statement = nullptr;
  Site a_site;
  Site b_site;
  RefPtr a;
  RefPtr b;
  std::vector<AxisOf> batch;
  std::vector<AxisOf> m;
  std::vector<AxisOf> n;
  std::vector<AxisOf> k;
  /// A subscript of an operand has one of these axes and one of k: those of a window where they are rows or columns of
  /// a tile, parts of a sum where they are not.
  [[nodiscard]] bool has_window(const std::set<std::string>& axes) const;
};
[[nodiscard]] std::optional<Contraction> find_contraction(const Statement& statement);

/// How many elements of each dimension a reference touches while only these loops run: the tile of an operand. Nothing
/// where a subscript is not affine in them.
[[nodiscard]] std::optional<std::vector<std::int64_t>> tile_of(const Statement& statement, const Ref& ref,
                                                               const std::set<std::string>& loops);

}  // namespace steptp
