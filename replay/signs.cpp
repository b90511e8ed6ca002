#include "replay/signs.h"

#include <algorithm>

namespace steptp::replayer {

void Signs::set(std::uint64_t residue, int sign) {
  const std::uint64_t opposite = Field(kPrime).negate(residue);
  signs_[std::min(residue, opposite)] = residue <= opposite ? sign : -sign;
}

std::optional<int> Signs::of(std::uint64_t residue) const {
  const std::uint64_t opposite = Field(kPrime).negate(residue);
  const auto found = signs_.find(std::min(residue, opposite));
  if (found == signs_.end()) return std::nullopt;
  return residue <= opposite ? found->second : -found->second;
}

Hash Signs::hash() const {
  Hash out = signs_.size();
  for (const auto& [residue, sign] : signs_) out = combine(out, combine(residue, static_cast<std::uint64_t>(sign + 1)));
  return out;
}

bool Signs::holds(CompareOp op, int sign) {
  switch (op) {
    case CompareOp::less: return sign < 0;
    case CompareOp::less_equal: return sign <= 0;
    case CompareOp::greater: return sign > 0;
    case CompareOp::greater_equal: return sign >= 0;
    case CompareOp::equal: return sign == 0;
    case CompareOp::not_equal: return sign != 0;
  }
  return false;
}

std::vector<int> Signs::of_way(const Met::Way& way) {
  const auto all_with = [](const auto& is_meant) {
    std::vector<int> out;
    for (const int sign : {-1, 0, 1}) {
      if (is_meant(sign)) out.push_back(sign);
    }
    return out;
  };
  const Place& place = way.place;
  switch (place.question) {
    case Question::way:
      if (const auto* compare = std::get_if<Compare>(&place.expr->node)) {
        const CompareOp op = compare->operators[place.part];
        return all_with([&](int sign) { return holds(op, sign) == way.is_first; });
      }
      if (std::holds_alternative<Extremum>(place.expr->node) || std::holds_alternative<Call>(place.expr->node)) {
        return all_with([&](int sign) { return (sign > 0) == way.is_first; });
      }
      return {};
    case Question::tie:
    case Question::truth: return all_with([&](int sign) { return (sign == 0) == way.is_first; });
    case Question::pole:
    case Question::divisor:
    case Question::factor:
    case Question::base:
    case Question::exponent: return way.is_first ? std::vector<int>{0} : std::vector<int>();
    case Question::domain:
    case Question::factor_sign:
    case Question::exponent_sign: return way.is_first ? std::vector<int>{-1} : std::vector<int>();
    case Question::range:
    case Question::writer:
    case Question::digits:
    case Question::special:
    case Question::rounding: break;
  }
  return {};
}

}  // namespace steptp::replayer
