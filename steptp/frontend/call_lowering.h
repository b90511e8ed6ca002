#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/frontend/expression.h"
#include "steptp/graph/call.h"
#include "steptp/graph/operator.h"
#include "steptp/ir/program.h"

namespace steptp::frontend {

using graph::Shape;

/// A tensor of the program being written.
struct Tensor {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  /// The element as an expression, of a value that has no tensor (graph::Writing::inlined).
  std::function<Value(const Subscripts&)> formula = nullptr;

  /// The element; a tensor with fewer dimensions, or with an extent of 1, is broadcast.
  [[nodiscard]] Value at(const Subscripts& subscripts) const;
  /// The element with exactly these subscripts.
  [[nodiscard]] Value exactly(Subscripts subscripts) const;
  /// The element as a subscript of another tensor.
  [[nodiscard]] Subscript as_subscript(const Subscripts& subscripts) const;
};

/// What accumulates in a reduction.
enum class Fold : std::uint8_t { sum, product, max, min };

/// One top-level nest being written: the first loop is bound to tx, the others are serial.
class NestWriter {
 public:
  /// `taken` index letters belong to loops around this nest.
  explicit NestWriter(std::uint64_t taken = 0) : letters_(taken) {}
  Subscript loop(std::int64_t extent);
  Subscripts loops(const Shape& extents);
  void set(const Tensor& target, const Subscripts& subscripts, const Value& value);
  void fold(Fold how, const Tensor& target, const Subscripts& subscripts, const Value& value);
  [[nodiscard]] NestPtr finish();

 private:
  std::vector<Loop> loops_;
  std::vector<Item> items_;
  std::uint64_t letters_;
};

/// A serial loop on the host around kernels: `outer` is its index, and each `map` or `fold` appends one kernel whose
/// target has the subscripts `lead` before those of the kernel's own loops.
class LoopWriter {
 public:
  using MapBody = std::function<Value(const Subscripts&)>;
  using InnerBody = std::function<Value(const Subscripts& kept, const Subscripts& reduced)>;

  Subscript outer(std::int64_t extent);
  void map(const Tensor& target, const Subscripts& lead, const Shape& extents, const MapBody& body);
  void fold(Fold how, const Tensor& target, const Subscripts& lead, const Shape& extents, const Shape& reduced,
            const InnerBody& body);
  [[nodiscard]] NestPtr finish();

 private:
  std::vector<Loop> loops_;
  std::vector<Item> items_;
};

using Body = std::function<Value(const Subscripts&)>;
using FoldBody = std::function<Value(const Subscripts& kept, const Subscripts& reduced)>;

class Lowering;

/// An element of a call's result, asked for as an expression.
struct Capture {
  const Subscripts& at;
  std::optional<Value> value;
};

/// One call of the graph while it is lowered: its arguments, its results, and the nests it appends.
class CallLowering : public graph::Call {
 public:
  /// With `capture` nothing is appended: the expression of an element goes there.
  CallLowering(Lowering& lowering, const graph::Node& node, std::int32_t number, Capture* capture = nullptr);

  [[nodiscard]] Tensor in(std::string_view name) const { return of(value(name)); }
  [[nodiscard]] Tensor of(const graph::Value& value) const;
  /// The result; whether anybody reads it.
  [[nodiscard]] Tensor out(std::int32_t number = 0) const;
  [[nodiscard]] bool wanted(std::int32_t number) const;
  [[nodiscard]] std::size_t outputs() const { return node_.outputs.size(); }
  [[nodiscard]] const graph::TensorType& output_type(std::int32_t number) const {
    return node_.outputs[static_cast<std::size_t>(number)];
  }
  /// A name of the naming rule that stands before the results: batch norm's mean and variance.
  [[nodiscard]] Tensor extra(std::size_t number, DType dtype, Shape shape) const;
  [[nodiscard]] Tensor temporary(DType dtype, Shape shape) const;
  /// A name that is passed over, to keep the published numbering.
  void skip_name() const;

  /// A tensor or a number as an operand.
  [[nodiscard]] Value operand(std::string_view name, const Subscripts& subscripts) const;

  void append(NestWriter& nest) const;
  void append(LoopWriter& loop) const;
  /// One nest over the dimensions of the target: target[i] = body(i).
  void map(const Tensor& target, const Body& body) const;
  /// One nest over the dimensions of the target and then over `reduced`.
  void fold(Fold how, const Tensor& target, const Shape& reduced, const FoldBody& body) const;
  /// target = a copy of source, converted.
  void copy(const Tensor& source, const Tensor& target) const;

  [[noreturn]] void unsupported(std::string message) const { fail(std::move(message)); }

 private:
  void append(NestPtr nest) const;

  Lowering& lowering_;
  const graph::Node& node_;
  std::int32_t number_;
  Capture* capture_;
};

}  // namespace steptp::frontend
