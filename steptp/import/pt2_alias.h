#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/graph/builder.h"
#include "steptp/import/pt2_fields.h"

namespace steptp::graph::pt2 {

/// One step from a tensor to a view of it: a call without its first argument, and which of its outputs.
struct ViewStep {
  std::string op;
  std::string first;  ///< the name of the parameter that takes the tensor
  NamedArguments rest;
  std::int32_t output = 0;
  bool operator==(const ViewStep&) const = default;
};

/// Whether the results of an operator lie in the memory of its first operand. For those that copy only where they must
/// (reshape, contiguous), what is known of the operand and of the result decides.
[[nodiscard]] bool is_view(std::string_view op, const TensorMeta* operand, const TensorMeta* result);

/// Which names of an exported program share memory, so that a write through one of them is seen through the others:
/// the graph that is built has no memory, only values. Each piece of memory has its newest value; a view that is older
/// than the last write is made again when it is read. Throws Refused and Misuse.
class Aliases {
 public:
  explicit Aliases(Builder& builder) : builder_(builder) {}

  /// A tensor in memory of its own.
  void define(const std::string& name, Value value);
  /// Another name of a tensor.
  void same(const std::string& name, const std::string& other);
  void view(const std::string& name, const std::string& of, ViewStep step, Value value);

  [[nodiscard]] bool has(const std::string& name) const { return tensors_.contains(name); }
  [[nodiscard]] Value read(const std::string& name);
  /// `op` writes `value`, which has the type of the tensor, into it; every other view of the memory sees it.
  void write(const std::string& name, Value value, std::string_view op);
  /// Something else lies in the memory of this value that cannot be followed: a later write to it is refused.
  void freeze(const Value& value);
  /// Both names stand for the same part of the same memory, with nothing written in between.
  [[nodiscard]] bool are_same(const std::string& left, const std::string& right) const;
  /// Whether something was written into the memory of this tensor.
  [[nodiscard]] bool is_written(const std::string& name) const;

 private:
  struct Memory {
    Value newest;
    int version = 0;
    bool frozen = false;
  };
  struct Tensor {
    std::size_t memory = 0;
    std::vector<ViewStep> steps;
    int version = 0;
    Value value;
  };
  [[nodiscard]] const Tensor& tensor(const std::string& name) const;
  [[nodiscard]] Value take(const ViewStep& step, Value whole);
  [[nodiscard]] Value scatter(std::string_view op, const ViewStep& step, Value whole, Value part);
  [[nodiscard]] Value put_back(const ViewStep& step, Value whole, Value part, std::string_view op);

  Builder& builder_;
  std::vector<Memory> memories_;
  std::map<std::string, Tensor> tensors_;
};

/// `whole` with the elements from `start` on in a dimension replaced by `part`.
[[nodiscard]] Value replace_slice(Builder& builder, Value whole, Value part, std::size_t dim, std::int64_t start);

}  // namespace steptp::graph::pt2
