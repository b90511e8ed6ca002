#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/json.h"
#include "steptp/dataset/entry.h"
#include "steptp/exports/near_miss.h"
#include "steptp/exports/tables.h"
#include "steptp/tokens/tokenizer.h"

namespace steptp::dataset {

/// What rows are made with.
struct RowOptions {
  std::set<std::string, std::less<>> tables;  ///< names of those that are wanted
  std::uint64_t max_tokens = 0;               ///< of prompt and completion together; 0: no limit
  bool only_useful = false;                   ///< no rows of which nothing is expected to be faster
  NearMissOptions near_miss;
  std::set<std::string, std::less<>> near_miss_entries;    ///< ids of entries that get one, where one is found
  std::set<std::string, std::less<>> trajectory_programs;  ///< ids of programs that get a walk, where one is found
};

struct TableRow {
  const Table* table = nullptr;
  Json row;
};

/// All that one record gives to the tables, in order.
struct RecordRows {
  Split split = Split::train;
  std::vector<TableRow> rows;
  std::map<std::string, std::uint64_t> too_long;  ///< rows left out for their tokens, by table
  std::uint64_t near_misses_tried = 0;
  std::uint64_t near_misses_found = 0;
  std::map<std::string, std::uint64_t> near_miss_changes;
  std::optional<Diagnostic> problem;  ///< the store is damaged
};

/// `selected`: the rows of this record's program.
[[nodiscard]] RecordRows rows_of(const ProgramRecord& record, std::span<const SelectedRow> selected,
                                 const Tokenizer& tokenizer, const RowOptions& options);

}  // namespace steptp::dataset
