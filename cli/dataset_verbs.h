#pragma once

#include "cli/verb.h"

namespace steptp::cli {

/// The parts of the verb `dataset`, each in a file of its own.
VerbMain add_dataset_build(CLI::App& dataset);
VerbMain add_dataset_merge(CLI::App& dataset);
VerbMain add_dataset_export(CLI::App& dataset);
VerbMain add_dataset_stats(CLI::App& dataset);
VerbMain add_dataset_show(CLI::App& dataset);
VerbMain add_dataset_validate(CLI::App& dataset);

}  // namespace steptp::cli
