#pragma once

#include "steptp/text/document.h"

namespace steptp {

/// What keeps strategies from looking at a document: errors of reading and of structure, with their places. Empty where
/// nothing does; warnings are not in it.
[[nodiscard]] Diagnostics find_unusable(const Document& document);

}  // namespace steptp
