#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/import/pt2_rewrite.h"

namespace steptp::graph::pt2 {

/// One node that is put together out of other operators: its arguments by name, and calls by the order of theirs.
class Composer {
 public:
  Composer(Progress& progress, const ImportedNode& imported) : progress_(progress), imported_(imported) {}

  [[nodiscard]] Value tensor(std::string_view name) const;
  [[nodiscard]] const std::vector<Value>& tensors(std::string_view name) const;
  /// A tensor, or a number as a tensor would take it.
  [[nodiscard]] Argument operand(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name, bool otherwise) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  [[nodiscard]] double real(std::string_view name, double otherwise) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const;

  [[nodiscard]] TensorType type(const Value& value) const { return progress_.builder.type(value); }
  /// By value: the graph grows with every call.
  [[nodiscard]] Shape shape(const Value& value) const { return progress_.builder.shape(value); }
  [[nodiscard]] std::size_t rank(const Value& value) const { return shape(value).size(); }
  /// A dimension counted from the end made plain.
  [[nodiscard]] std::int64_t dimension(std::string_view name, std::int64_t otherwise, const Value& of) const;

  /// "mul.Tensor" with the first arguments of its schema; the others have their default.
  [[nodiscard]] Value call(std::string_view op, const std::vector<Argument>& arguments) const;
  [[nodiscard]] std::vector<Value> call_all(std::string_view op, const std::vector<Argument>& arguments) const;

  /// The commonest ones.
  [[nodiscard]] Value add(const Argument& x, const Argument& y) const { return call("add.Tensor", {x, y}); }
  [[nodiscard]] Value sub(const Argument& x, const Argument& y) const { return call("sub.Tensor", {x, y}); }
  [[nodiscard]] Value mul(const Argument& x, const Argument& y) const { return call("mul.Tensor", {x, y}); }
  [[nodiscard]] Value div(const Argument& x, const Argument& y) const { return call("div.Tensor", {x, y}); }
  [[nodiscard]] Value apply(std::string_view op, const Value& x) const { return call(op, {x}); }
  [[nodiscard]] Value where(const Value& condition, const Argument& yes, const Argument& no) const;
  [[nodiscard]] Value reshape(const Value& x, const Shape& shape) const { return call("reshape.default", {x, shape}); }
  [[nodiscard]] Value transpose(const Value& x, std::int64_t first, std::int64_t second) const {
    return call("transpose.int", {x, first, second});
  }
  /// Mean or sum or all elements, as a loss wants it: 0 none, 1 mean, 2 sum.
  [[nodiscard]] Value reduce(const Value& x, std::int64_t how) const;

  /// Whether a tensor is known to hold 0, step, 2*step, ...
  [[nodiscard]] bool is_range(const Value& value, std::int64_t step) const;
  /// The result lies in the memory of this one.
  void shares(const Value& value) const { progress_.aliases.freeze(value); }
  /// What the archive says of the output.
  [[nodiscard]] const TensorType& output_type() const;
  [[nodiscard]] const ImportedNode& imported() const { return imported_; }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  [[nodiscard]] const Argument* find(std::string_view name) const;

  Progress& progress_;
  const ImportedNode& imported_;
};

/// One operator that the table of operators does not have. Its in-place form is found by itself.
struct CompositeRow {
  std::string_view op;  ///< "hypot.default"
  std::vector<Value> (*make)(const Composer& composer);
};

/// For "aten.hypot.default" and "aten.hypot_.default"; null where there is none.
[[nodiscard]] const CompositeRow* find_composite(std::string_view op);
[[nodiscard]] std::vector<std::string_view> composite_operators();
/// Defines the outputs of the node, or writes where it writes.
void compose(Progress& progress, const ImportedNode& imported, const CompositeRow& row);

/// The families, each in its file.
std::span<const CompositeRow> pointwise_composites();
std::span<const CompositeRow> shape_composites();
std::span<const CompositeRow> layer_composites();

}  // namespace steptp::graph::pt2
