#pragma once

// From raw entries to rows: difficulty, caps, subsets and mix (docs/dataset.md). Global, and by hashes of the seed and
// of ids alone, so that it does not matter who made which entry.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/dataset/configuration.h"
#include "steptp/dataset/entry.h"

namespace steptp::dataset {

/// What the filter sees of an entry.
struct Candidate {
  std::string id;
  std::string program;
  std::string state;  ///< the parent, or the program: entries with one state have one `before`
  std::string strategy;
  Split split = Split::train;
  bool is_deep = false;
};

/// Strategy occurrences by class.
struct DifficultyCounts {
  std::uint64_t difficult = 0;
  std::uint64_t medium = 0;
  std::uint64_t easy = 0;

  [[nodiscard]] std::uint64_t sum() const { return difficult + medium + easy; }
  void add(std::string_view difficulty);
  [[nodiscard]] ByDifficulty percent() const;
};

struct Selection {
  std::vector<SelectedRow> rows;
  DifficultyCounts raw;       ///< of the entries of `train` that start from roots
  DifficultyCounts filtered;  ///< occurrences in their filtered rows
  bool is_mix_reached = true;
};

/// `candidates` in the order of the store.
[[nodiscard]] Selection select_rows(const std::vector<Candidate>& candidates, const Configuration& configuration);

/// Easy strategies that make an expression simpler; the other easy ones are their inverses.
[[nodiscard]] bool is_simplifying(std::string_view strategy);

}  // namespace steptp::dataset
