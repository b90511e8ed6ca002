#pragma once

#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/dataset/entry.h"
#include "steptp/exports/archive_index.h"
#include "steptp/exports/chat_tokens.h"
#include "steptp/exports/tables.h"

namespace steptp::dataset {

/// Compares a row of any table but the archive with the archive: the question, the answer and what is said about them
/// are made again. `tokens`: null, or counts are made again as well. `replay`: counterexamples are replayed.
/// The row has the table's columns.
[[nodiscard]] std::vector<std::string> check_row(const Json& row, const Table& table, Split split,
                                                 const ArchiveIndex& archive, ChatTokens* tokens, bool replay);

}  // namespace steptp::dataset
