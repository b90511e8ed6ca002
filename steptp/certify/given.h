#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "steptp/arithmetic/fraction.h"
#include "steptp/ir/dtype.h"

namespace steptp::certify {

/// A value of an input, exactly.
struct GivenValue {
  bool is_integer = false;
  std::int64_t integer = 0;
  Fraction real;
  bool operator==(const GivenValue&) const = default;
};
/// The shortest decimal where the value is a double; otherwise 123p-56, which is 123*2^-56, or 3/10; -inf for an
/// element that is hidden by a mask.
[[nodiscard]] std::string to_text(const GivenValue& value);
/// Nothing where the text is no value of the type.
[[nodiscard]] std::optional<GivenValue> parse_given(DType dtype, std::string_view text);

/// Inputs that are written out: some elements one by one, all others of an input by one number.
struct GivenInputs {
  using Element = std::pair<std::string, std::vector<std::int64_t>>;
  std::map<std::string, GivenValue, std::less<>> fill;
  std::map<Element, GivenValue> elements;
  bool operator==(const GivenInputs&) const = default;
};

}  // namespace steptp::certify
