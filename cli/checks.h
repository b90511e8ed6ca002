#pragma once

// What the values of options may be, with messages that name the value and what was wanted.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace steptp::cli {

/// One of these words.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);
/// A number above zero.
[[nodiscard]] CLI::Validator positive();
/// Zero or a number above it.
[[nodiscard]] CLI::Validator not_negative();
/// A number from `low` to `high`.
[[nodiscard]] CLI::Validator between(double low, double high);

/// Every option of the verb, and of those below it, that counts something takes no minus: the parser would turn -1 into
/// the greatest number there is.
void refuse_negative_counts(CLI::App& verb);

}  // namespace steptp::cli
