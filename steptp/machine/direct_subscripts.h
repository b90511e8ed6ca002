#pragma once

#include "steptp/machine/code.h"

namespace steptp::certify {

/// Finds what the subscripts of a statement's left side say of its loops: `direct`, `is_direct`, `has_rounds`. Extents,
/// guards and the left side are there.
void find_direct_subscripts(StatementCode& out);

}  // namespace steptp::certify
