#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "steptp/machine/code.h"

namespace steptp::certify {

/// The value of an expression depends on more than indices.
[[nodiscard]] bool reads_data(const Code& code, std::uint32_t number);

/// The statements that a statement may see the writes of, itself and its own kind included.
[[nodiscard]] std::vector<std::uint32_t> writers_of(const Code& code, const StatementCode& statement);

/// Adds the known variables that a statement reads, at whatever place.
void add_inputs(const Code& code, const StatementCode& statement, std::set<std::string>& out);

/// Whatever real it reads that is infinite, NaN or has no value, what it writes is no finite one: sums, products,
/// quotients by numbers, and choices by position.
[[nodiscard]] bool is_strict_statement(const Code& code, const StatementCode& statement);

}  // namespace steptp::certify
