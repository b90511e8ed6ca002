#pragma once

#include "steptp/safety/check.h"
#include "steptp/text/document.h"

namespace steptp {

/// The verb `check` for a document that was read: its warnings and the findings of the checks, each with its place.
[[nodiscard]] CheckReport check_document(const Document& document, const CheckOptions& options = {});

}  // namespace steptp
