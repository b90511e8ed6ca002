#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steptp/base/diagnostic.h"
#include "steptp/base/result.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/plan.h"

namespace steptp::dataset {

/// A dataset as users ask for it.
struct RequestedDataset {
  std::string config;                           ///< JSON: settings, or the build.json of a dataset; empty: none
  std::map<std::string, std::string> settings;  ///< by key, as texts
  ImportPaths imports;                          ///< files to take in
};

/// Defaults, then `config`, then single settings and files; `programs` alone brings the other counts with it.
/// Diagnostics: `configuration`, `usage`, `file`.
[[nodiscard]] Result<Configuration, Diagnostic> configuration_of(const RequestedDataset& requested);

/// The .pt2 files that are named, and those in folders that are named. Diagnostics: `usage`, `file`.
[[nodiscard]] Result<ImportPaths, Diagnostic> find_imports(const std::vector<std::string>& places);

}  // namespace steptp::dataset
