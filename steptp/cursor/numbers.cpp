#include "steptp/cursor/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace steptp::cursor {

namespace {

struct Words {
  Token negative = token_of("NEG");
  Token real = token_of("REAL");
  Token digit = token_of("d0");
  Token exponent = token_of("x0");
};
const Words& words() {
  static const Words kWords;
  return kWords;
}

bool is_digit(Token token) { return token >= words().digit && token < words().digit + kDigits; }
bool is_exponent(Token token) { return token >= words().exponent && token < words().exponent + kExponents; }

/// Without a sign.
void write_magnitude(std::uint64_t number, std::vector<Token>& out) {
  const int exponent = number == 0 ? 0 : std::countr_zero(number);
  number >>= exponent;
  std::vector<Token> digits;
  do {
    digits.push_back(static_cast<Token>(words().digit + number % kDigits));
    number /= kDigits;
  } while (number > 0);
  out.insert(out.end(), digits.rbegin(), digits.rend());
  out.push_back(static_cast<Token>(words().exponent + exponent));
}

std::optional<std::uint64_t> read_magnitude(std::span<const Token> tokens, std::size_t& place) {
  const std::size_t begin = place;
  std::uint64_t number = 0;
  while (place < tokens.size() && is_digit(tokens[place])) {
    const auto digit = static_cast<std::uint64_t>(tokens[place] - words().digit);
    if (number >> 59U != 0) return std::nullopt;
    number = number * kDigits + digit;
    ++place;
  }
  if (place == begin || place == tokens.size() || !is_exponent(tokens[place])) return std::nullopt;
  const int exponent = tokens[place] - words().exponent;
  ++place;
  if (number != 0 && exponent > std::countl_zero(number)) return std::nullopt;
  number <<= exponent;
  std::vector<Token> canonical;
  write_magnitude(number, canonical);
  if (!std::equal(canonical.begin(), canonical.end(), tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                  tokens.begin() + static_cast<std::ptrdiff_t>(place))) {
    return std::nullopt;
  }
  return number;
}

bool read_sign(std::span<const Token> tokens, std::size_t& place) {
  const bool is_negative = place < tokens.size() && tokens[place] == words().negative;
  place += is_negative ? 1 : 0;
  return is_negative;
}

}  // namespace

void write_integer(std::int64_t number, std::vector<Token>& out) {
  if (number < 0) out.push_back(words().negative);
  const auto bits = static_cast<std::uint64_t>(number);
  write_magnitude(number < 0 ? 0 - bits : bits, out);
}

void write_real(double number, std::vector<Token>& out) {
  constexpr int kMantissaBits = 53;
  int exponent = 0;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(std::fabs(number), &exponent), kMantissaBits));
  exponent -= kMantissaBits;
  if (mantissa == 0) exponent = 0;
  while (mantissa != 0 && mantissa % 2 == 0) {
    mantissa /= 2;
    ++exponent;
  }
  out.push_back(words().real);
  if (std::signbit(number)) out.push_back(words().negative);
  write_magnitude(static_cast<std::uint64_t>(mantissa), out);
  write_integer(exponent, out);
}

bool begins_integer(Token token) { return token == words().negative || is_digit(token); }

std::optional<std::int64_t> read_integer(std::span<const Token> tokens, std::size_t& place) {
  const bool is_negative = read_sign(tokens, place);
  const auto number = read_magnitude(tokens, place);
  if (!number || (is_negative && *number == 0)) return std::nullopt;
  constexpr std::uint64_t kGreatest = INT64_MAX;
  if (*number > kGreatest + (is_negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(is_negative ? 0 - *number : *number);
}

std::optional<double> read_real(std::span<const Token> tokens, std::size_t& place) {
  const std::size_t begin = place;
  if (place == tokens.size() || tokens[place] != words().real) return std::nullopt;
  ++place;
  const bool is_negative = read_sign(tokens, place);
  const auto mantissa = read_magnitude(tokens, place);
  if (!mantissa) return std::nullopt;
  const auto exponent = read_integer(tokens, place);
  constexpr std::int64_t kMostExponent = 2000;
  if (!exponent || *exponent > kMostExponent || *exponent < -kMostExponent) return std::nullopt;
  const double size = std::ldexp(static_cast<double>(*mantissa), static_cast<int>(*exponent));
  if (!std::isfinite(size)) return std::nullopt;
  const double number = is_negative ? -size : size;
  std::vector<Token> canonical;
  write_real(number, canonical);
  if (!std::equal(canonical.begin(), canonical.end(), tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                  tokens.begin() + static_cast<std::ptrdiff_t>(place))) {
    return std::nullopt;
  }
  return number;
}

}  // namespace steptp::cursor
