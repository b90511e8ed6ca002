// Constants whose entries a rule says: one value where a sum of coordinates is at least zero, another one elsewhere.
// Rules with one coordinate and with two are tried, and a rule counts only if it holds at every entry.
#include "steptp/prove/tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace steptp::forms {

namespace {

constexpr double kMostExact = 256;  // bf16 holds every integer up to here

bool is_held_by_every_type(double value) {
  return std::isinf(value) || (std::fabs(value) <= kMostExact && value == std::trunc(value));
}

/// Walks the entries in row-major order with their coordinates.
template <typename Visit>
void for_each_entry(const Variable& table, Visit visit) {
  std::vector<std::int64_t> at(table.shape.size(), 0);
  for (const double value : table.values) {
    visit(at, value);
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < table.shape[axis]) break;
      at[axis] = 0;
    }
  }
}

std::int64_t place(const TwoValuedTable& rule, const std::vector<std::int64_t>& at) {
  std::int64_t sum = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) sum += rule.coefficients[axis] * at[axis];
  return sum;
}

/// Sets the constant so that exactly the entries of `inside` are inside, if that is possible.
bool fits(const Variable& table, TwoValuedTable& rule) {
  std::int64_t least_inside = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest_outside = std::numeric_limits<std::int64_t>::min();
  for_each_entry(table, [&](const std::vector<std::int64_t>& at, double value) {
    const std::int64_t sum = place(rule, at);
    if (value == rule.inside) {
      least_inside = std::min(least_inside, sum);
    } else {
      greatest_outside = std::max(greatest_outside, sum);
    }
  });
  rule.constant = -least_inside;
  return greatest_outside < least_inside;
}

}  // namespace

std::optional<TwoValuedTable> two_valued(const Variable& table) {
  if (table.values.empty() || !std::all_of(table.values.begin(), table.values.end(), is_held_by_every_type)) {
    return std::nullopt;
  }
  TwoValuedTable rule;
  rule.inside = rule.outside = table.values[0];
  for (const double value : table.values) {
    if (value == rule.inside || value == rule.outside) continue;
    if (rule.outside != rule.inside) return std::nullopt;
    rule.outside = value;
  }
  const std::size_t axes = table.shape.size();
  rule.coefficients.assign(axes, 0);
  if (rule.inside == rule.outside) return rule;
  // One coordinate against a number, or one coordinate against another one.
  for (std::size_t one = 0; one < axes; ++one) {
    if (table.shape[one] == 1) continue;
    for (const std::int64_t sign : {1, -1}) {
      rule.coefficients.assign(axes, 0);
      rule.coefficients[one] = sign;
      if (fits(table, rule)) return rule;
      for (std::size_t other = one + 1; other < axes; ++other) {
        if (table.shape[other] == 1) continue;
        for (const std::int64_t second : {1, -1}) {
          rule.coefficients[other] = second;
          if (fits(table, rule)) return rule;
        }
        rule.coefficients[other] = 0;
      }
    }
  }
  return std::nullopt;
}

}  // namespace steptp::forms
