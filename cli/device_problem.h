#pragma once

#include <string>

#include "steptp/base/diagnostic.h"

namespace steptp::cli {

/// What is wrong with the name of a device whose rates are wanted, and what to name instead. `before` stands before the
/// message, such as "--device: "; `said` is what the table of rates says.
[[nodiscard]] Diagnostic device_problem(const std::string& id, const std::string& before, const std::string& name,
                                        const std::string& said);

/// The same where launch limits are wanted, which a device has by its name.
[[nodiscard]] Diagnostic no_such_device(const std::string& name);

}  // namespace steptp::cli
