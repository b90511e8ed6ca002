#include <array>

#include "steptp/base/text.h"
#include "steptp/graph/operator.h"
#include "steptp/graph/windows.h"

namespace steptp::graph {

namespace {

using Types = std::vector<TensorType>;

Types convolution(const Call& call) {
  const TensorType& input = call.tensor("input");
  const TensorType& weight = call.tensor("weight");
  const Windows windows = convolution_windows(call);
  if (input.dtype != weight.dtype) call.fail(concat("the dtypes differ: ", to_text(input), " and ", to_text(weight)));
  if (input.shape.size() != windows.rank() + 2 && input.shape.size() != windows.rank() + 1) {
    call.fail(concat("an input of ", to_text(input.shape), " for a weight of ", to_text(weight.shape)));
  }
  const std::size_t channel = input.shape.size() - windows.rank() - 1;
  const std::int64_t groups = call.integer("groups");
  if (groups < 1 || weight.shape[0] % groups != 0 || input.shape[channel] % groups != 0) {
    call.fail(concat(groups, " groups do not divide the channels"));
  }
  const std::int64_t in_channels = windows.transposed ? weight.shape[0] : weight.shape[1] * groups;
  const std::int64_t out_channels = windows.transposed ? weight.shape[1] * groups : weight.shape[0];
  if (input.shape[channel] != in_channels) {
    call.fail(concat("the input has ", input.shape[channel], " channels, the weight wants ", in_channels));
  }
  if (call.has("bias") && call.shape("bias") != Shape{out_channels}) call.fail("'bias' does not fit");
  TensorType out = input;
  out.shape[channel] = out_channels;
  for (std::size_t at = 0; at < windows.rank(); ++at) {
    out.shape[channel + 1 + at] = windows.extent(call, at, input.shape[channel + 1 + at]);
  }
  return {out};
}

constexpr std::array kRows = {
    OperatorRow{"conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] "
                "dilation=1, int groups=1) -> Tensor",
                convolution, "F.conv1d"},
    OperatorRow{"conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] "
                "dilation=1, int groups=1) -> Tensor",
                convolution, "F.conv2d"},
    OperatorRow{"conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] "
                "dilation=1, int groups=1) -> Tensor",
                convolution, "F.conv3d"},
    OperatorRow{"conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, str padding='valid', "
                "int[1] dilation=1, int groups=1) -> Tensor",
                convolution, "F.conv1d"},
    OperatorRow{"conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, str padding='valid', "
                "int[2] dilation=1, int groups=1) -> Tensor",
                convolution, "F.conv2d"},
    OperatorRow{"conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, str padding='valid', "
                "int[3] dilation=1, int groups=1) -> Tensor",
                convolution, "F.conv3d"},
    OperatorRow{"convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
                "bool transposed, int[] output_padding, int groups) -> Tensor",
                convolution, "torch.convolution"},
    OperatorRow{"conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, "
                "int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor",
                convolution, "F.conv_transpose1d"},
    OperatorRow{"conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] "
                "padding=0, int[2] output_padding=0, int groups=1, int[2] dilation=1) -> Tensor",
                convolution, "F.conv_transpose2d"},
    OperatorRow{"conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] "
                "padding=0, int[3] output_padding=0, int groups=1, int[3] dilation=1) -> Tensor",
                convolution, "F.conv_transpose3d"},
};

}  // namespace

std::span<const OperatorRow> convolution_operators() { return kRows; }

}  // namespace steptp::graph
