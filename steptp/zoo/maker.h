#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/graph/builder.h"
#include "steptp/zoo/types.h"

namespace steptp::zoo {

using graph::Argument;
using graph::Shape;
using graph::Value;
using Ints = std::vector<std::int64_t>;
using Outputs = std::vector<Value>;

/// What the builders of program types speak: arguments by name, layers with their parameters, operators by short names.
/// Whatever does not fit throws graph::Misuse.
/// More than thirty functions, because it is a vocabulary: each word is one, and most are a line long.
class Maker {
 public:
  Maker(graph::Builder& builder, const Arguments& arguments, DType dtype)
      : builder_(builder), arguments_(arguments), dtype_(dtype) {}

  [[nodiscard]] std::int64_t n(std::string_view name) const;  ///< an integer argument
  [[nodiscard]] double r(std::string_view name) const;        ///< a real argument
  [[nodiscard]] const Shape& shape(const Value& value) const { return builder_.shape(value); }
  [[nodiscard]] DType dtype() const { return dtype_; }
  /// Misuse with this message unless the condition holds.
  void require(bool condition, std::string_view message) const;

  Value input(std::string name, Shape shape, Domain domain = {});
  Value positive(std::string name, Shape shape) {
    return input(std::move(name), std::move(shape), {Domain::Kind::positive, 0, 0});
  }
  Value classes(std::string name, Shape shape, std::int64_t number);
  Value bools(std::string name, Shape shape);
  /// A scalar input whose example is this number.
  Value scalar_input(std::string name, double example);
  Value parameter(std::string path, Shape shape);
  /// A scalar that the module keeps as a tensor.
  Value scalar(std::string path, double number);
  /// True above the diagonal.
  Value causal_mask(Shape shape);

  /// "relu" is aten.relu.default, "mul.Tensor" is aten.mul.Tensor.
  Value op(std::string_view name, std::vector<Argument> arguments);
  std::vector<Value> ops(std::string_view name, std::vector<Argument> arguments);

  /// The calls of `body` as one expression; its value is that of the last.
  template <typename Body>
  Value formula(const Body& body) {
    const std::size_t first = builder_.graph().nodes.size();
    const Value last = body();
    inline_calls(first, last);
    return last;
  }
  /// The call that made the value shares its nest with the next call.
  Value joined(const Value& value);

  Value linear(const Value& x, std::int64_t features, bool bias = true);
  /// A convolution without bias over as many dimensions as the kernel has.
  Value conv(const Value& x, std::int64_t channels, Ints kernel, Ints stride = {1}, Ints padding = {0},
             Ints dilation = {1}, std::int64_t groups = 1);
  /// The same weights once more.
  Value conv_with(const Value& x, const Value& weight, Ints stride, Ints padding, Ints dilation,
                  std::int64_t groups = 1);
  Value batch_norm(const Value& x, double eps = 1e-5, double momentum = 0.1);
  Value instance_norm(const Value& x, double eps = 1e-5, double momentum = 0.1);
  Value group_norm(const Value& x, std::int64_t groups, double eps = 1e-5);

  Value add(const Value& x, const Argument& y) { return op("add.Tensor", {x, y}); }
  Value sub(const Value& x, const Argument& y) { return op("sub.Tensor", {x, y}); }
  Value mul(const Value& x, const Argument& y) { return op("mul.Tensor", {x, y}); }
  Value div(const Value& x, const Argument& y) { return op("div.Tensor", {x, y}); }
  Value matmul(const Value& x, const Value& y) { return op("matmul", {x, y}); }
  Value softmax(const Value& x, std::int64_t dim) { return op("softmax.int", {x, dim}); }
  Value swish(const Value& x) { return mul(x, op("sigmoid", {x})); }
  Value clamp(const Value& x, double low, double high) { return op("clamp", {x, low, high}); }
  Value sum(const Value& x, Ints dims, bool keepdim = false) {
    return op("sum.dim_IntList", {x, std::move(dims), keepdim});
  }
  Value mean(const Value& x, Ints dims, bool keepdim = false) { return op("mean.dim", {x, std::move(dims), keepdim}); }
  Value logsumexp(const Value& x, std::int64_t dim, bool keepdim = true) {
    return op("logsumexp", {x, Ints{dim}, keepdim});
  }
  Value max(const Value& x, std::int64_t dim, bool keepdim = false) { return op("max.dim", {x, dim, keepdim}); }
  Value min(const Value& x, std::int64_t dim, bool keepdim = false) { return op("min.dim", {x, dim, keepdim}); }
  Value unsqueeze(const Value& x, std::int64_t dim) { return op("unsqueeze", {x, dim}); }
  Value squeeze(const Value& x, std::int64_t dim) { return op("squeeze.dim", {x, dim}); }

 private:
  std::string layer_path(std::string_view kind);
  void inline_calls(std::size_t first, const Value& last);

  graph::Builder& builder_;
  const Arguments& arguments_;
  DType dtype_;
  int layers_ = 0;
};

/// One line of a family's table.
struct BuildRow {
  std::string_view name;
  Build build;
};

std::span<const BuildRow> matrix_programs();
std::span<const BuildRow> activation_programs();
std::span<const BuildRow> norm_programs();
std::span<const BuildRow> pooling_programs();
std::span<const BuildRow> reduction_programs();
std::span<const BuildRow> convolution_programs();
std::span<const BuildRow> scan_programs();
std::span<const BuildRow> loss_programs();
std::span<const BuildRow> pair_programs();
std::span<const BuildRow> gemm_chain_programs();
std::span<const BuildRow> conv_chain_programs();
std::span<const BuildRow> attention_programs();
std::span<const BuildRow> state_space_programs();

}  // namespace steptp::zoo
