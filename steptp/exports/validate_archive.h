#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/hash.h"
#include "steptp/base/json.h"
#include "steptp/dataset/entry.h"
#include "steptp/exports/tables.h"
#include "steptp/ir/signature.h"
#include "steptp/verify/verify.h"

namespace steptp::dataset {

/// What was found out about one row of the archive.
struct CheckedRow {
  std::vector<std::string> problems;
  bool is_replayed = false;
  bool is_judged = false;
  Signature signature;
  Hash form = 0;  ///< of the program that the recipe starts from, for the leak checker
  Hash pattern = 0;
};

/// Everything that a row says about itself, made again: hashes, recipe, both profiles, reasoning, answer, counts, and
/// with `judge` the verdict and the lowered texts. `table`: `archive`, or `equal_unsafe` for what is not shown safe.
[[nodiscard]] CheckedRow check_archive_row(const Json& row, const Table& table, Split split,
                                           const std::optional<VerifyOptions>& judge);

}  // namespace steptp::dataset
