#pragma once

#include <vector>

#include "steptp/frontend/call_lowering.h"

namespace steptp::frontend {

/// The dimensions of a tensor, divided into those that stay and those that are folded.
struct Division {
  std::vector<bool> reduced;
  Shape shape;

  [[nodiscard]] Shape kept_extents() const { return pick(false); }
  [[nodiscard]] Shape reduced_extents() const { return pick(true); }
  /// How many elements are folded into one.
  [[nodiscard]] std::int64_t elements() const { return graph::count(reduced_extents()); }
  /// The subscripts of the tensor out of those of both parts.
  [[nodiscard]] Subscripts merge(const Subscripts& kept, const Subscripts& inner) const;
  /// The subscripts of what is left, out of those of the tensor.
  [[nodiscard]] Subscripts outer(const Subscripts& all) const;

 private:
  [[nodiscard]] Shape pick(bool which) const;
};

/// The division by the parameter "dim", where the operator has it; otherwise everything is folded.
[[nodiscard]] Division division_of(const CallLowering& call, const Shape& shape);
/// One dimension is folded.
[[nodiscard]] Division division_at(const Shape& shape, std::size_t dimension);

/// One nest: loops over what stays, then over what is folded. `target` has the kept dimensions, or all of them with
/// extent 1 where they are folded.
void fold_dimensions(const CallLowering& call, Fold how, const Tensor& target, const Division& division,
                     const Body& body);

/// Sum and quotient: two nests.
void mean_dimensions(const CallLowering& call, const Tensor& target, const Division& division, const Body& body);

/// Maximum and sum of exponentials over one dimension, the first two nests of every softmax; both without it.
struct Exponentials {
  Tensor largest;
  Tensor sum;
};
[[nodiscard]] Exponentials exponentials(const CallLowering& call, const Tensor& source, DType dtype,
                                        const Division& division);

/// All three nests of softmax, or of its logarithm.
void softmax(const CallLowering& call, const Tensor& source, const Tensor& target, std::size_t dimension,
             bool logarithm);

}  // namespace steptp::frontend
