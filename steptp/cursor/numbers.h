#pragma once

// Numbers as words: digits of base 32, the highest first, and a power of two, so that no shape is out of vocabulary.
// 512 is d1 x9, 1000 is d3 d29 x3, -6 is NEG d3 x1, 0.75 is REAL d3 x0 NEG d1 x1.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "steptp/cursor/vocabulary.h"

namespace steptp::cursor {

void write_integer(std::int64_t number, std::vector<Token>& out);
/// Finite numbers only.
void write_real(double number, std::vector<Token>& out);

/// Whether an integer can begin with this token.
[[nodiscard]] bool begins_integer(Token token);
/// Reads one and moves the place behind it. Nothing where there is none, where it does not fit, or where it is not
/// written in the one way that `write_integer` has.
[[nodiscard]] std::optional<std::int64_t> read_integer(std::span<const Token> tokens, std::size_t& place);
[[nodiscard]] std::optional<double> read_real(std::span<const Token> tokens, std::size_t& place);

}  // namespace steptp::cursor
