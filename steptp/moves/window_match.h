#pragma once

// What `window` finds at a place: a convolution, as a matrix product over several loops for each dimension; or any
// expression that reads windows of a tensor.

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/moves/following.h"
#include "steptp/moves/parts.h"
#include "steptp/moves/tiling.h"
#include "steptp/strategies/strategy.h"

namespace steptp {

inline constexpr Precondition kWindowEquation = {
    Check::pattern_match, "equation",
    "the expression is one equation in one header, without a guard, each of whose left subscripts is a loop"};
inline constexpr Precondition kWindowProduct = {
    Check::pattern_match, "product",
    "D=D+A*C, where an operand may be padded, and where the loops that it sums are in both operands"};
inline constexpr Precondition kWindowAxes = {
    Check::pattern_match, "axes",
    "one operand is read along windows, the other has output channels of its own, and both have what is summed"};
inline constexpr Precondition kWindowReads = {
    Check::pattern_match, "windows",
    "a tensor in global memory is read along windows of two loops or at several places"};
inline constexpr Precondition kWindowFollowing = {
    Check::pattern_match, "following", "each expression behind it has an element for each element of what it reads"};

/// What an expression with windows has, in names: views of the program are gone with the first step. The loops are, by
/// their roles: z0, z1, ... parallel; m0, ... rows of the result; n0, ... its columns; k0, ... what is summed and
/// staged; s0, ... what each thread does; g, whose outer part is parallel, and whose inner part are rows; c, whose
/// outer part is parallel, and whose inner part each thread does for what it has read.
struct WindowKernel {
  std::uint32_t expression = 0;
  std::vector<std::string> roles;
  std::int64_t group = 1;  ///< the inner part of g
  std::string result;
  bool is_narrow = false;
  std::int64_t element_bytes = 4;
  Following behind;
};

/// The convolution as a product: rows are the channels of the weights, columns all pixels of all images.
struct WindowProduct {
  WindowKernel kernel;
  TiledOperand weights;
  TiledOperand image;
  std::uint32_t image_factor = 0;  ///< which of both factors it is
};
[[nodiscard]] Result<WindowProduct, Refusal> find_window_product(View& view, const Site& site, std::int64_t following);

/// A part of the right side that is read along windows: a tensor, or a padded one with its condition.
struct WindowRead {
  std::vector<std::uint32_t> path;
  std::string tensor;
  bool is_padded = false;
};

/// Any expression that reads windows: columns are its innermost axis, rows the one around it.
struct WindowHalo {
  WindowKernel kernel;
  std::vector<WindowRead> reads;
  std::vector<WindowRead> others;  ///< what else is read for each of the channels that are summed
  bool accumulates = false;
  bool has_sum = false;  ///< what is added, and not compared
};
[[nodiscard]] Result<WindowHalo, Refusal> find_window_halo(View& view, const Site& site, std::int64_t following);

}  // namespace steptp
