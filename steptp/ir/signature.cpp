#include "steptp/ir/signature.h"

#include <algorithm>
#include <cmath>

namespace steptp {

std::string_view name_of(Role role) {
  switch (role) {
    case Role::input: return "input";
    case Role::constant: return "constant";
    case Role::param: return "param";
    case Role::output: return "output";
  }
  return "input";
}

std::optional<Role> parse_role(std::string_view text) {
  if (text == "input") return Role::input;
  if (text == "constant" || text == "const") return Role::constant;
  if (text == "param") return Role::param;
  if (text == "output") return Role::output;
  return std::nullopt;
}

bool Variable::operator==(const Variable& other) const {
  const auto is_same = [](double one, double two) { return one == two || (std::isnan(one) && std::isnan(two)); };
  return name == other.name && role == other.role && dtype == other.dtype && shape == other.shape &&
         domain == other.domain &&
         std::equal(values.begin(), values.end(), other.values.begin(), other.values.end(), is_same);
}

const Variable* Signature::find(std::string_view name) const {
  for (const Variable& variable : variables) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (__builtin_mul_overflow(count, dimension, &count)) return std::nullopt;
  }
  return count;
}

}  // namespace steptp
