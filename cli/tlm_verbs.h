#pragma once

#include "cli/verb.h"

namespace steptp::cli {

/// The parts of the verb `tlm`, each in a file of its own.
VerbMain add_tlm_sentences(CLI::App& tlm);
VerbMain add_tlm_tokenize(CLI::App& tlm);
VerbMain add_tlm_replay(CLI::App& tlm);

}  // namespace steptp::cli
