#include "steptp/arithmetic/decimal.h"

#include <array>
#include <charconv>

namespace steptp::certify {

Decimal decimal_of(double literal) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), literal, std::chars_format::scientific);
  Decimal out;
  out.nearest = literal;
  bool after_point = false;
  for (const char* at = buffer.data(); at != end.ptr; ++at) {
    if (*at == '.') {
      after_point = true;
    } else if (*at == 'e') {
      int exponent = 0;
      const char* from = at[1] == '+' ? at + 2 : at + 1;
      std::from_chars(from, end.ptr, exponent);
      out.exponent += exponent;
      break;
    } else {
      out.digits = out.digits * 10 + (*at - '0');
      if (after_point) out.exponent -= 1;
    }
  }
  while (out.digits != 0 && out.digits % 10 == 0) {
    out.digits /= 10;
    out.exponent += 1;
  }
  if (out.digits == 0) out.exponent = 0;
  return out;
}

}  // namespace steptp::certify
