#include "steptp/base/text.h"

#include <charconv>

namespace steptp::detail {

namespace {

template <typename Integer>
void append_digits(std::string& out, Integer part) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
  out.append(digits, end);
}

}  // namespace

void append_integer(std::string& out, std::int64_t part) { append_digits(out, part); }
void append_integer(std::string& out, std::uint64_t part) { append_digits(out, part); }

}  // namespace steptp::detail
