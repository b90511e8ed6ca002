#include "steptp/prove/literal.h"

#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace steptp::forms {

mpq_class exact_decimal(double value) {
  std::array<char, 64> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t mark = text.find('e');
  std::string digits;
  long exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  bool after_point = false;
  for (const char c : text.substr(0, mark)) {
    if (c == '.') {
      after_point = true;
    } else {
      digits += c;
      if (after_point) --exponent;
    }
  }
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, static_cast<unsigned long>(exponent < 0 ? -exponent : exponent));
  mpq_class result(mpz_class(digits, 10));
  if (exponent < 0) {
    result /= power;
  } else {
    result *= power;
  }
  result.canonicalize();
  return result;
}

}  // namespace steptp::forms
