#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "steptp/base/random.h"
#include "steptp/zoo/types.h"

namespace steptp::zoo {

struct DrawOptions {
  std::vector<const ProgramType*> types;  ///< drawn uniformly; empty: no types, compositions only
  std::vector<DType> dtypes = {DType::f16, DType::f32, DType::f64};
  /// How many of a hundred draws are random compositions.
  unsigned compositions_percent = 0;
  std::int64_t most_bytes = std::int64_t{2} << 30;  ///< of one tensor
  /// The last word: false draws again. Launch limits are not known here.
  std::function<bool(const graph::Graph&)> accept;
};

struct Draw {
  const ProgramType* type = nullptr;  ///< null: a composition
  Arguments arguments;
  DType dtype = DType::f32;
  graph::Graph graph;
  std::uint64_t invalid = 0;   ///< draws whose arguments did not fit
  std::uint64_t oversize = 0;  ///< draws with a tensor above the bound
  std::uint64_t refused = 0;   ///< draws that `accept` did not want
};

/// The draw with this number. It depends on (seed, index) and the options only, so that shards need no coordination.
/// Nothing where no draw in a large number of attempts was acceptable.
[[nodiscard]] std::optional<Draw> draw(std::uint64_t seed, std::uint64_t index, const DrawOptions& options);

/// Arguments out of the ranges. Long integer ranges are drawn evenly on a logarithmic scale: on a linear one nearly
/// every tensor of four such dimensions is too large to exist.
[[nodiscard]] Arguments draw_arguments(const ProgramType& type, Random& random);

/// The bytes of the largest tensor of a graph; INT64_MAX where they do not fit.
[[nodiscard]] std::int64_t largest_tensor(const graph::Graph& graph);

}  // namespace steptp::zoo
