#include <array>

#include "steptp/zoo/maker.h"

namespace steptp::zoo {

namespace {

Outputs max_pool(Maker& m, std::string_view name, Shape shape) {
  const Value x = m.input("x", std::move(shape));
  return {m.op(name, {x, Ints{m.n("kernel_size")}, Ints{m.n("stride")}, Ints{m.n("padding")}, Ints{m.n("dilation")}})};
}
Outputs max_pool1d(Maker& m) {
  return max_pool(m, "max_pool1d", {m.n("batch_size"), m.n("features"), m.n("sequence_length")});
}
Outputs max_pool2d(Maker& m) {
  return max_pool(m, "max_pool2d", {m.n("batch_size"), m.n("channels"), m.n("height"), m.n("width")});
}
Outputs max_pool3d(Maker& m) {
  return max_pool(m, "max_pool3d", {m.n("batch_size"), m.n("channels"), m.n("dim1"), m.n("dim2"), m.n("dim3")});
}
Outputs avg_pool1d(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("input_length")});
  return {m.op("avg_pool1d", {x, Ints{m.n("kernel_size")}, Ints{m.n("stride")}, Ints{m.n("padding")}})};
}
Outputs avg_pool2d(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("channels"), m.n("height"), m.n("width")});
  return {m.op("avg_pool2d", {x, Ints{m.n("kernel_size")}})};
}
Outputs avg_pool3d(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("channels"), m.n("depth"), m.n("height"), m.n("width")});
  return {m.op("avg_pool3d", {x, Ints{m.n("kernel_size")}, Ints{m.n("stride")}, Ints{m.n("padding")}})};
}

constexpr std::array kPooling = {
    BuildRow{"Max_Pooling_1D", max_pool1d},     BuildRow{"Max_Pooling_2D", max_pool2d},
    BuildRow{"Max_Pooling_3D", max_pool3d},     BuildRow{"Average_Pooling_1D", avg_pool1d},
    BuildRow{"Average_Pooling_2D", avg_pool2d}, BuildRow{"Average_Pooling_3D", avg_pool3d},
};

/// Stride, padding and dilation are single numbers for all dimensions.
Outputs conv(Maker& m, Shape spatial, Ints kernel) {
  Shape shape = {m.n("batch_size"), m.n("in_channels")};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  const Value x = m.input("x", shape);
  return {m.conv(x, m.n("out_channels"), std::move(kernel), {m.n("stride")}, {m.n("padding")}, {m.n("dilation")})};
}
Ints three(Maker& m, std::string_view what) {
  return {m.n(std::string(what) + "_d"), m.n(std::string(what) + "_h"), m.n(std::string(what) + "_w")};
}
Ints two(Maker& m, std::string_view what) { return {m.n(std::string(what) + "_h"), m.n(std::string(what) + "_w")}; }

Outputs conv3d_square(Maker& m) {
  return conv(m, {m.n("depth"), m.n("width"), m.n("height")}, Ints(3, m.n("kernel_size")));
}
Outputs conv2d_square(Maker& m) { return conv(m, {m.n("height"), m.n("width")}, Ints(2, m.n("kernel_size"))); }
Outputs conv2d_high_wide(Maker& m) { return conv(m, {m.n("height"), m.n("width")}, two(m, "kernel_size")); }
Outputs conv2d_wide_high(Maker& m) {
  return conv(m, {m.n("height"), m.n("width")}, {m.n("kernel_size_w"), m.n("kernel_size_h")});
}
Outputs conv3d_flat(Maker& m) {
  return conv(m, {m.n("height"), m.n("width"), m.n("depth")}, {m.n("kernel_size"), m.n("kernel_size"), 1});
}
Outputs conv3d_wide_high_deep(Maker& m) {
  return conv(m, {m.n("width"), m.n("height"), m.n("depth")},
              {m.n("kernel_size_w"), m.n("kernel_size_h"), m.n("kernel_size_d")});
}
Outputs conv3d_full(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("depth"), m.n("height"), m.n("width")});
  return {m.conv(x, m.n("out_channels"), three(m, "kernel_size"), three(m, "stride"), three(m, "padding"),
                 three(m, "dilation"))};
}
Outputs conv1d(Maker& m) { return conv(m, {m.n("length")}, {m.n("kernel_size")}); }
Outputs conv1d_unpadded(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("length")});
  return {m.conv(x, m.n("out_channels"), {m.n("kernel_size")}, {m.n("stride")}, {0}, {m.n("dilation")})};
}
Outputs conv2d_dilated(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("height"), m.n("width")});
  return {
      m.conv(x, m.n("out_channels"), two(m, "kernel_size"), {m.n("stride")}, two(m, "padding"), two(m, "dilation"))};
}

Value picture(Maker& m) { return m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("height"), m.n("width")}); }

Outputs depthwise(Maker& m) {
  const Value x = picture(m);
  return {m.conv(x, m.n("in_channels"), Ints(2, m.n("kernel_size")), {m.n("stride")}, {m.n("padding")}, {1},
                 m.n("in_channels"))};
}
Outputs depthwise_column(Maker& m) {
  const Value x = picture(m);
  return {m.conv(x, m.n("in_channels"), {m.n("kernel_size"), 1}, {m.n("stride")}, {m.n("padding")}, {m.n("dilation")},
                 m.n("in_channels"))};
}
Outputs depthwise_multiplied(Maker& m) {
  const Value x = m.input("x", {m.n("batch_size"), m.n("in_channels"), m.n("height_in"), m.n("width_in")});
  return {m.conv(x, m.n("out_channels"), Ints(2, m.n("kernel_size")), {m.n("stride")}, {m.n("padding")}, {1},
                 m.n("in_channels"))};
}
Outputs depthwise_full(Maker& m) {
  const Value x = picture(m);
  return {m.conv(x, m.n("out_channels"), two(m, "kernel_size"), two(m, "stride"), two(m, "padding"), two(m, "dilation"),
                 m.n("in_channels"))};
}
Outputs separable(Maker& m) {
  const Value x = picture(m);
  const Value deep = m.conv(x, m.n("in_channels"), Ints(2, m.n("kernel_size")), {m.n("stride")}, {m.n("padding")},
                            {m.n("dilation")}, m.n("in_channels"));
  return {m.conv(deep, m.n("out_channels"), {1, 1})};
}
Outputs pointwise(Maker& m) { return {m.conv(picture(m), m.n("out_channels"), {1, 1})}; }

constexpr std::array kConvolutions = {
    BuildRow{"conv_standard_3D__square_input__square_kernel", conv3d_square},
    BuildRow{"conv_standard_2D__asymmetric_input__square_kernel", conv2d_square},
    BuildRow{"conv_standard_2D__asymmetric_input__asymmetric_kernel", conv2d_high_wide},
    BuildRow{"conv_standard_3D__asymmetric_input__square_kernel", conv3d_flat},
    BuildRow{"conv_standard_3D__square_input__asymmetric_kernel", conv3d_wide_high_deep},
    BuildRow{"conv_standard_2D__square_input__asymmetric_kernel", conv2d_wide_high},
    BuildRow{"conv_standard_2D__square_input__square_kernel", conv2d_square},
    BuildRow{"conv_standard_3D__asymmetric_input__asymmetric_kernel", conv3d_full},
    BuildRow{"conv_standard_1D", conv1d},
    BuildRow{"conv_standard_1D_dilated_strided", conv1d_unpadded},
    BuildRow{"conv_standard_2D_square_input_asymmetric_kernel___dilated____padded", conv2d_dilated},
    BuildRow{"conv_depthwise_2D_square_input_square_kernel", depthwise},
    BuildRow{"conv_depthwise_2D_square_input_asymmetric_kernel", depthwise_column},
    BuildRow{"conv_depthwise_2D_asymmetric_input_square_kernel", depthwise_multiplied},
    BuildRow{"conv_depthwise_2D_asymmetric_input_asymmetric_kernel", depthwise_full},
    BuildRow{"conv_depthwise_separable_2D", separable},
    BuildRow{"conv_pointwise_2D", pointwise},
};

}  // namespace

std::span<const BuildRow> pooling_programs() { return kPooling; }
std::span<const BuildRow> convolution_programs() { return kConvolutions; }

}  // namespace steptp::zoo
