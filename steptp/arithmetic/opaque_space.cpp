// Differences that are compared with zero stand for one another where one is a known multiple of the other: d and k*d
// have one sign, for k among the numbers of both programs. Places where a value may be missing are kept as sets with
// numbers. docs/decisions/0012-every-way-at-once.md.
#include "steptp/arithmetic/opaque_space.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "steptp/arithmetic/failure.h"
#include "steptp/base/hash.h"

namespace steptp::certify {

namespace {

constexpr std::size_t kMostConstants = 96;
constexpr std::size_t kMostBases = 4'000'000;
constexpr std::size_t kMostHazards = 512;
constexpr std::uint64_t kAbove = 0x61626f7665;
constexpr std::uint64_t kZero = 0x7a65726f;

}  // namespace

OpaqueSpace::OpaqueSpace(std::uint64_t seed, const WrittenNumbers& before, const WrittenNumbers& after) : field(seed) {
  static_cast<void>(number_of({}));  // the empty set is 0
  add_constant(field.one(), true);
  add_constant(field.of_integer(2), true);
  add_constants(before);
  add_constants(after);
}

void OpaqueSpace::add_constant(Twin value, bool is_positive) {
  if (value.p == 0 || value.q == 0 || constants_.size() >= kMostConstants) return;
  const auto same = [&](const Constant& constant) { return constant.value == value; };
  if (std::any_of(constants_.begin(), constants_.end(), same)) return;
  const Twin inverse = field.inverse(value);
  constants_.push_back({value, inverse, is_positive});
  constants_.push_back({field.negate(value), field.negate(inverse), !is_positive});
  if (inverse != value) add_constant(inverse, is_positive);
}

/// The numbers that occur, and how far they are from one: a slope of 0.01 on one side makes a step of 0.99.
void OpaqueSpace::add_constants(const WrittenNumbers& numbers) {
  const Twin one = field.one();
  for (const Decimal& literal : numbers.decimals) {
    const Twin value = field.of_decimal(literal);
    add_constant(value, literal.nearest > 0);
    add_constant(field.subtract(one, value), literal.nearest < 1);
    add_constant(field.add(one, value), literal.nearest > -1);
  }
  constexpr std::int64_t kLarge = 1 << 20;
  for (const std::int64_t integer : numbers.integers) {
    if (std::abs(integer) < kLarge && integer != 0) add_constant(field.of_integer(integer), integer > 0);
  }
}

OpaqueSpace::Difference OpaqueSpace::difference(Twin d) {
  const auto found = [&](Twin base, const Constant& constant) {
    const std::uint64_t key = base.p;
    return Difference{constant.is_positive, field.unknown(combine(kAbove, key)), field.unknown(combine(kZero, key))};
  };
  for (const Constant& constant : constants_) {
    const Twin base = field.multiply(d, constant.inverse);
    if (bases_.contains(base.p)) return found(base, constant);
  }
  if (bases_.size() >= kMostBases) fail(FailureKind::memory, "too many comparisons to tell apart");
  bases_.insert(d.p);
  return found(d, constants_[0]);
}

int OpaqueSpace::sign_of_ratio(Twin w, Twin d) const {
  for (const Constant& constant : constants_) {
    if (field.multiply(d, constant.value) == w) return constant.is_positive ? 1 : -1;
  }
  return 0;
}

std::uint32_t OpaqueSpace::hazard(std::uint64_t place) { return number_of({place}); }

std::uint32_t OpaqueSpace::number_of(Places places) {
  const auto [at, added] = hazard_numbers_.try_emplace(std::move(places), static_cast<std::uint32_t>(hazards_.size()));
  if (added) hazards_.push_back(&at->first);
  return at->second;
}

std::uint32_t OpaqueSpace::united_hazards(std::uint32_t a, std::uint32_t b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  Places all;
  std::set_union(hazards_[a]->begin(), hazards_[a]->end(), hazards_[b]->begin(), hazards_[b]->end(),
                 std::back_inserter(all));
  if (all.size() > kMostHazards) fail(FailureKind::unsupported, "too many functions that may leave their domain");
  return number_of(std::move(all));
}

std::uint64_t OpaqueSpace::hash_of_hazards(std::uint32_t set) const {
  Hash hash = 0;
  for (const std::uint64_t place : *hazards_[set]) hash = combine(hash, place);
  return hash;
}

bool OpaqueSpace::includes_hazards(std::uint32_t all, std::uint32_t some) const {
  return std::includes(hazards_[all]->begin(), hazards_[all]->end(), hazards_[some]->begin(), hazards_[some]->end());
}

}  // namespace steptp::certify
