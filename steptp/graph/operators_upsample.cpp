#include <algorithm>
#include <array>
#include <cmath>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

/// An output size, or scale factors of which the floor is taken.
Types upsampled(const Call& call) {
  TensorType out = call.tensor(call.op().schema.find("input") ? "input" : "self");
  if (out.shape.size() < 3) call.fail(concat("not for ", to_text(out)));
  const std::size_t rank = out.shape.size() - 2;
  if (call.has("output_size")) {
    const std::vector<std::int64_t>& size = call.integers("output_size");
    if (size.size() != rank) call.fail("'output_size' does not fit");
    std::copy(size.begin(), size.end(), out.shape.begin() + 2);
    return {out};
  }
  const auto* factors = std::get_if<std::vector<double>>(&call.argument("scale_factors"));
  if (!factors || factors->size() != rank) call.fail("'output_size' or 'scale_factors' is wanted");
  for (const double factor : *factors) {
    if (!(factor > 0 && factor < 1e6)) call.fail("a scale factor that is not positive, or far too large");
  }
  for (std::size_t at = 0; at < rank; ++at) {
    out.shape[2 + at] = static_cast<std::int64_t>(std::floor(static_cast<double>(out.shape[2 + at]) * (*factors)[at]));
  }
  return {out};
}

constexpr std::array kRows = {
    OperatorRow{"upsample_nearest1d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
                upsampled},
    OperatorRow{"upsample_nearest2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
                upsampled},
    OperatorRow{"upsample_nearest3d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
                upsampled},
    OperatorRow{"upsample_nearest1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor", upsampled},
    OperatorRow{
        "upsample_nearest2d(Tensor self, int[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
        upsampled},
    OperatorRow{"upsample_bilinear2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? "
                "scales_w=None) -> Tensor",
                upsampled},
    OperatorRow{
        "upsample_linear1d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
        upsampled},
    OperatorRow{"upsample_bilinear2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) "
                "-> Tensor",
                upsampled},
    OperatorRow{"upsample_trilinear3d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? "
                "scale_factors) -> Tensor",
                upsampled},
    OperatorRow{"_upsample_nearest_exact1d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
                upsampled},
    OperatorRow{"_upsample_nearest_exact2d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
                upsampled},
    OperatorRow{"_upsample_nearest_exact3d.vec(Tensor input, int[]? output_size, float[]? scale_factors) -> Tensor",
                upsampled},
    OperatorRow{"upsample_bicubic2d.vec(Tensor input, int[]? output_size, bool align_corners, float[]? scale_factors) "
                "-> Tensor",
                upsampled},
    OperatorRow{"_upsample_nearest_exact1d(Tensor self, int[1] output_size, float? scales=None) -> Tensor", upsampled},
    OperatorRow{"_upsample_nearest_exact2d(Tensor self, int[2] output_size, float? scales_h=None, float? "
                "scales_w=None) -> Tensor",
                upsampled},
    OperatorRow{"upsample_nearest3d(Tensor self, int[3] output_size, float? scales_d=None, float? scales_h=None, "
                "float? scales_w=None) -> Tensor",
                upsampled},
    OperatorRow{"_upsample_nearest_exact3d(Tensor self, int[3] output_size, float? scales_d=None, float? "
                "scales_h=None, float? scales_w=None) -> Tensor",
                upsampled},
    OperatorRow{"upsample_linear1d(Tensor self, int[1] output_size, bool align_corners, float? scales=None) -> Tensor",
                upsampled},
    OperatorRow{"upsample_trilinear3d(Tensor self, int[3] output_size, bool align_corners, float? scales_d=None, "
                "float? scales_h=None, float? scales_w=None) -> Tensor",
                upsampled},
    OperatorRow{"upsample_bicubic2d(Tensor self, int[2] output_size, bool align_corners, float? scales_h=None, float? "
                "scales_w=None) -> Tensor",
                upsampled},
};

}  // namespace

std::span<const OperatorRow> upsample_operators() { return kRows; }

}  // namespace steptp::graph
