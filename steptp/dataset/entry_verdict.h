#pragma once

#include <cstdint>

#include "steptp/dataset/entry.h"
#include "steptp/verify/verify.h"

namespace steptp::dataset {

/// What a trial says of an entry, beside what earlier ones have said: the weakest is what the row promises.
void add_trial(const Judgement& judgement, std::uint64_t seed, EntryVerdict& verdict);

}  // namespace steptp::dataset
