#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/verb.h"

namespace steptp::cli {

/// The parts of the verb `tlm`, each in a file of its own.
VerbMain add_tlm_sentences(CLI::App& tlm);
VerbMain add_tlm_tokenize(CLI::App& tlm);
VerbMain add_tlm_replay(CLI::App& tlm);
VerbMain add_tlm_generate(CLI::App& tlm);
VerbMain add_tlm_partition(CLI::App& tlm);
VerbMain add_tlm_measure(CLI::App& tlm);
/// Those that Python answers, by their names.
std::vector<std::pair<std::string, VerbMain>> add_tlm_python(CLI::App& tlm);

}  // namespace steptp::cli
