#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "steptp/ir/dtype.h"

namespace steptp {

enum class Role : std::uint8_t { input, constant, param, output };
[[nodiscard]] std::string_view name_of(Role role);
/// `const` is read as `constant`.
[[nodiscard]] std::optional<Role> parse_role(std::string_view text);

/// Which values a known variable may have; without one, any finite ones. `masked`: finite or -inf, as what attention
/// masks add to scores.
struct Domain {
  enum class Kind : std::uint8_t { unstated, any, positive, nonzero, range, masked };
  Kind kind = Kind::unstated;
  double low = 0;  ///< range: [low, high)
  double high = 0;
  bool operator==(const Domain&) const = default;
};

/// A known variable.
struct Variable {
  std::string name;
  Role role = Role::input;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;  ///< empty: a scalar
  Domain domain;
  /// The data of a constant in row-major order, where it is given; integers up to 2^53 and doubles are exact.
  std::vector<double> values;
  bool operator==(const Variable& other) const;  ///< a NaN among the values equals itself
};

/// Inputs, constants, parameters and outputs, in the order given.
struct Signature {
  std::vector<Variable> variables;

  [[nodiscard]] const Variable* find(std::string_view name) const;
  bool operator==(const Signature&) const = default;
};

/// The product of the dimensions; nothing where it does not fit.
[[nodiscard]] std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape);

}  // namespace steptp
