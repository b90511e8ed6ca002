#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "steptp/ir/program.h"

namespace steptp {
struct Element;
}

namespace steptp::oracle {

/// A set of integers as disjoint intervals [first, second], ascending and not touching.
using Selection = std::vector<std::pair<std::int64_t, std::int64_t>>;

void insert(Selection& into, std::int64_t low, std::int64_t high);
void insert(Selection& into, const Selection& more);
[[nodiscard]] double size_of(const Selection& selection);

/// Which iterations of each top-level nest can matter for some elements of the outputs.
struct Slice {
  struct NestSlice {
    bool left_out = false;
    /// By position in the nest's header: the iterations to run. Loops that are not here run all of theirs.
    std::map<std::size_t, Selection> loops;
  };
  std::vector<NestSlice> nests;
};

/// Walks the nests backwards with what is wanted of each tensor: a set of values per dimension. A nest that writes
/// nothing wanted is left out. A loop of a nest's header runs only the wanted values v where iteration v touches, of
/// everything the nest writes, only elements with v in one fixed dimension (or storage that is fresh in each
/// iteration): then no iteration sees another's writes, and one whose elements nobody wants changes nothing.
/// Everything the remaining iterations may read is wanted of the nests before. Iterations keep their order, so the
/// values are the same bits. The program has no structural errors.
[[nodiscard]] Slice slice_for(const Program& program, const std::vector<Element>& elements);

}  // namespace steptp::oracle
