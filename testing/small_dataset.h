#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/dataset/entry.h"

namespace steptp::testing {

/// A finished build of so many programs to train on, and a few others, in this folder; made in this process.
void build_small_dataset(const std::string& folder, std::uint64_t programs);

/// Somebody who changes rows of an export and makes everything else fit: both files, manifest, card and checksums.
void tamper(const std::string& folder, const std::string& table, dataset::Split split,
            const std::function<void(std::vector<Json>& rows)>& change);

/// The row with another value in a column.
[[nodiscard]] Json with_column(const Json& row, std::string_view column, Json value);

/// The rows of a table and split.
[[nodiscard]] std::vector<Json> read_rows(const std::string& folder, const std::string& table, dataset::Split split);

}  // namespace steptp::testing
