#pragma once

#include <gmpxx.h>

namespace steptp::forms {

/// The decimal that a literal denotes, exactly: the shortest one that reads back as this double, which is how the
/// printer writes it.
[[nodiscard]] mpq_class exact_decimal(double value);

}  // namespace steptp::forms
