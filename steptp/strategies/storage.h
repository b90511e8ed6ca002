#pragma once

// What strategies on memory ask of a program: is what is read there, and does it fit.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "steptp/analysis/interval.h"
#include "steptp/analysis/kernels.h"
#include "steptp/strategies/strategy.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// Every subscript of every instance of an access is within the shape of a known variable. An intermediate has the
/// shape that it needs.
[[nodiscard]] bool is_in_range(View& view, const Access& access);

/// Every instance of a read takes an element that has been written before, in the same iteration of the first
/// `same_loops` loops that the read and the write have in common; what is known from the start needs to be in range
/// only. The read is one of the view's table.
[[nodiscard]] bool is_defined(View& view, const Access& read, std::size_t same_loops = 0);

/// Whether boxes show at once that every element of a tensor that subscripts reach, while the loops run over a box, was
/// written before a statement, in the same iteration of at least `same_loops` loops that it shares with the write. The
/// subscripts have the hidden ones in front. False says nothing: is_defined has to look.
[[nodiscard]] bool is_plainly_written(View& view, const TensorFacts& tensor, const Statement& reader,
                                      const std::vector<Index>& subscripts, const Ranges& loops,
                                      std::size_t same_loops = 0);

/// What all data in `s`, or `l`, of a kernel takes.
[[nodiscard]] Wide scoped_bytes(View& view, const KernelFacts& kernel, Scope scope);

/// The kernel of a tensor in `s` or `l` keeps more data there than the default device has room for. With 32 lanes each
/// of its threads will be a unit.
struct Oversize {
  std::int64_t bytes = 0;
  std::int64_t limit = 0;
};
[[nodiscard]] std::optional<Oversize> oversize_of(View& view, const std::string& tensor, std::int64_t lanes = 1);
/// Bytes of it that the default device has for a block (s), or for a thread with so many lanes (l).
[[nodiscard]] std::int64_t scope_limit(Scope scope, std::int64_t lanes);

/// A program with an item more in the body of one loop. The loops inside that one become a nest of their own, unless it
/// is the last of its header; parts of the guard that read only loops outside stay outside.
struct OpenedBody {
  std::vector<Loop> outer;
  ExprPtr guard;            ///< of the outer nest
  std::vector<Item> items;  ///< of the body
};
[[nodiscard]] OpenedBody open_body(const Nest& nest, std::size_t loop);

/// The operands of a conjunction, or the condition itself; none where it is null.
[[nodiscard]] std::vector<ExprPtr> conjuncts(const ExprPtr& condition);
[[nodiscard]] ExprPtr conjunction_of(const std::vector<ExprPtr>& parts);

}  // namespace steptp
