#pragma once

#include <string>

#include "steptp/exports/manifest.h"

namespace steptp::dataset {

/// README.md of an export: what Hugging Face reads (configs, features, exact counts), and what people read.
[[nodiscard]] std::string card(const Manifest& manifest);

}  // namespace steptp::dataset
