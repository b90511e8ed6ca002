#pragma once

#include <string>

#include "cli/verb.h"
#include "steptp/exports/manifest.h"

namespace steptp::cli {

/// The parts of the verb `dataset`, each in a file of its own.
VerbMain add_dataset_build(CLI::App& dataset);
VerbMain add_dataset_merge(CLI::App& dataset);
VerbMain add_dataset_export(CLI::App& dataset);
VerbMain add_dataset_stats(CLI::App& dataset);
VerbMain add_dataset_show(CLI::App& dataset);
VerbMain add_dataset_validate(CLI::App& dataset);

/// What an export holds, a line for each table.
[[nodiscard]] std::string export_text(const dataset::Manifest& manifest, const std::string& folder);

}  // namespace steptp::cli
