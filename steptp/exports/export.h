#pragma once

// A finished build (dataset/store.h) as a Hugging Face dataset repository: tables, card, schema, checksums. Everything
// comes from the store; nothing is built again.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/exports/manifest.h"

namespace steptp::dataset {

struct ExportOptions {
  std::string out;                   ///< a folder; empty: that of the build
  std::vector<std::string> configs;  ///< empty: all
  std::uint64_t max_tokens = 0;      ///< of prompt and completion together; 0: no limit
  std::uint64_t near_misses = 2000;  ///< wrong answers that are looked for, each costs some judgements
  /// Programs that get a walk of several steps, at most one of every four; each costs some seconds.
  std::uint64_t trajectories = 200;
  bool only_useful = false;  ///< leaves out rows of which nothing is expected to be faster
  std::uint64_t seed = 1;    ///< of the wrong answers
  unsigned jobs = 1;
  /// Called with the programs done and their number, by one thread at a time.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
  std::function<bool()> go_on;  ///< asked for each program, by any thread; false stops the export
};

/// Nothing where it was stopped; what it had written is no export then, and the next one begins anew.
/// Errors: `usage` for an unknown config; those of the store; `write`.
[[nodiscard]] Result<std::optional<Manifest>, Diagnostic> export_dataset(const std::string& folder,
                                                                         const ExportOptions& options);

/// What ends a build that is complete: exports it into its own folder, unless a whole export of the build as it is now
/// lies there, whatever its options.
[[nodiscard]] Result<std::optional<Manifest>, Diagnostic> export_where_missing(const std::string& folder,
                                                                               const ExportOptions& options);

}  // namespace steptp::dataset
