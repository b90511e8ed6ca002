// Inputs of the replayer's own, as functions of seed, name and position, so that no tensor has to exist; and the
// judge's draws, as decision 0014 defines them, for points that a certificate lists.
#include "replay/draws.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "steptp/base/random.h"

namespace steptp::replayer {

namespace {

Value of_integer(std::int64_t value) { return {true, value, {}}; }
Value of_real(const Real& value) { return {false, 0, value}; }

std::int64_t within(std::int64_t low, std::int64_t high, bool skips_zero, std::uint64_t bits) {
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  const std::int64_t value = low + static_cast<std::int64_t>(width == 0 ? bits : bits % width);
  if (value != 0 || !skips_zero) return value;
  return high > 0 ? high : low;
}

}  // namespace

std::int64_t position_of(const Variable& variable, const std::vector<std::int64_t>& index) {
  std::int64_t position = 0;
  for (std::size_t d = 0; d < index.size(); ++d) position = position * variable.shape[d] + index[d];
  return position;
}

Draws::Draws(const Certificate& certificate, const Numbers& numbers, Kind kind, std::uint64_t seed, bool assumes)
    : certificate_(certificate), numbers_(numbers), kind_(kind), seed_(seed), assumes_(assumes) {
  for (const Claim& value : certificate.values) claims_[value.number] = &value;
}

Real Draws::real(std::uint64_t bits, std::uint64_t tensor, bool positive, bool nonzero) const {
  if (kind_ == Kind::ties) {
    const double chosen = tie(bits);
    const double value = chosen == 0 && (positive || nonzero) ? 4 : chosen;
    // As a literal, the very decimal that the programs compare with.
    return numbers_.of_literal(positive ? std::fabs(value) : value);
  }
  if (is_round()) {
    constexpr double kValues[] = {0, 1, -1, 0.5, 2, -0.5, 3};
    double value = kValues[bits % 7];
    if (kind_ == Kind::zeros) {
      constexpr std::uint64_t kOneIn[] = {1, 2, 8, 1'000'000'000};
      if ((bits >> 20) % kOneIn[(mix(seed_ ^ tensor) >> 9) % 4] == 0) value = 0;
    }
    if (positive || nonzero) value = value == 0 ? 4 : value;
    return numbers_.of_double(positive ? std::fabs(value) : value);
  }
  constexpr int kBits = 30;
  std::int64_t k = 2 * static_cast<std::int64_t>(bits >> (64 - kBits)) + 1;
  if (!positive && kind_ != Kind::positive) k -= std::int64_t{1} << kBits;
  constexpr int kMagnitudes = 22;
  const int scale = kind_ == Kind::wide ? static_cast<int>(mix(bits) % (kMagnitudes + 1)) - 10 : 0;
  return numbers_.of_dyadic(k, scale - kBits);
}

Value Draws::input(const Variable& variable, const std::vector<std::int64_t>& index) const {
  const std::int64_t position = position_of(variable, index);
  if (!variable.values.empty()) {
    const double given = variable.values[static_cast<std::size_t>(position)];
    return is_float(variable.dtype) ? of_real(numbers_.of_double(given)) : of_integer(static_cast<std::int64_t>(given));
  }
  const std::uint64_t name = hash_text(variable.name);
  const std::uint64_t bits =
      random_at(seed_ ^ name, drawn_place(name, variable.shape, index, static_cast<std::uint64_t>(position)));
  const auto found = certificate_.domains.find(variable.name);
  if (found == certificate_.domains.end()) throw Undefined{"nothing is said of the values of " + variable.name};
  const Domain& domain = assumes_ ? found->second : variable.domain;
  if (!is_float(variable.dtype)) return of_integer(integer(variable.dtype, domain, bits));
  return of_real(of_domain(variable, domain, bits));
}

std::int64_t Draws::integer(DType dtype, const Domain& domain, std::uint64_t bits) const {
  constexpr std::int64_t kWide = std::int64_t{1} << 40;
  const DTypeInfo& type = info(dtype);
  // Up to the ends of the type now and then, where products wrap.
  const bool is_far = kind_ == Kind::wide && (mix(bits ^ 91) & 1) != 0;
  std::int64_t low = is_far ? type.least : std::max(type.least, -kWide);
  std::int64_t high = is_far ? type.greatest : std::min(type.greatest, kWide);
  if (domain.kind == Domain::Kind::positive) low = 1;
  const bool is_bounded = domain.kind == Domain::Kind::range;
  if (is_bounded) {
    const double least = std::ceil(domain.low);
    const double greatest = std::ceil(domain.high) - 1;
    if (least > static_cast<double>(high) || greatest < static_cast<double>(low)) {
      throw Undefined{"an input without legal values"};
    }
    if (least > static_cast<double>(low)) low = static_cast<std::int64_t>(least);
    if (greatest < static_cast<double>(high)) high = static_cast<std::int64_t>(greatest);
    if (low > high) throw Undefined{"an input without legal values"};
  }
  const bool skips_zero = domain.kind == Domain::Kind::nonzero;
  if (kind_ == Kind::ties) {
    // One number, or one of two: ends, small ones and those of the programs.
    const auto chosen = static_cast<std::int64_t>(tie(bits));
    const std::uint64_t which = mix(seed_ ^ 31) % 8;
    const std::int64_t end = which == 0 ? low : which == 1 ? high : std::clamp(chosen, low, high);
    return end == 0 && skips_zero ? high : end;
  }
  if (!is_bounded && kind_ != Kind::mixed && !is_far) {
    const std::int64_t least = low;
    low = std::max<std::int64_t>(low, kind_ == Kind::positive ? 0 : -3);
    high = std::min<std::int64_t>(high, 5);
    if (low > high) low = high = least;
  }
  // Few different ones now and then, so that places are written and read more than once.
  constexpr std::int64_t kFew = 2;
  if (is_bounded && kind_ == Kind::round && (mix(seed_ ^ 57) & 1) != 0) high = std::min(high, low + kFew);
  return within(low, high, skips_zero, mix(bits));
}

/// One of two numbers that the seed chooses, or the same one for all elements of all inputs: a number that the programs
/// compare with or one beside it, a half, which roundings break either way, or a small whole one.
double Draws::tie(std::uint64_t bits) const {
  constexpr double kPlain[] = {0, 1, -1, 0.5, -0.5, 1.5, 2.5, -1.5, 2, 3, 100, -100};
  const auto pick = [&](std::uint64_t source) {
    const std::vector<double>& known = certificate_.numbers;
    const std::uint64_t drawn = mix(source);
    if (known.empty() || drawn % 4 == 0) return kPlain[(drawn >> 8) % std::size(kPlain)];
    const double number = known[(drawn >> 8) % known.size()];
    return (drawn >> 2) % 4 == 0 ? -number : number;
  };
  const bool is_one = (mix(seed_ + 5) & 1) != 0;
  const double chosen = pick(is_one || (bits & 1) != 0 ? seed_ + 7 : seed_ + 11);
  return std::fabs(chosen) <= 0x1p40 ? chosen : 1;
}

/// By the domain of the signature.
Real Draws::of_domain(const Variable& variable, const Domain& domain, std::uint64_t bits) const {
  const std::uint64_t tensor = hash_text(variable.name);
  if (domain.kind == Domain::Kind::range) {
    // Ends and whole numbers are where conditions change.
    const double whole = std::ceil(domain.low) + static_cast<double>(bits % 8);
    const double last = std::nextafter(domain.high, domain.low);
    if (kind_ == Kind::ties) {
      const double chosen = tie(bits);
      const std::uint64_t which = mix(seed_ ^ 31) % 4;
      if (which == 0 || chosen <= domain.low) return numbers_.of_double(domain.low);
      return which == 1 || chosen >= domain.high ? numbers_.of_double(last) : numbers_.of_literal(chosen);
    }
    if (is_round() && bits % 3 == 0) return numbers_.of_double(domain.low);
    if (is_round() && whole < domain.high) return numbers_.of_double(whole);
    const double value = domain.low + (domain.high - domain.low) * static_cast<double>(bits >> 40) * 0x1p-24;
    return numbers_.of_double(value < domain.high ? value : domain.low);
  }
  if (domain.kind == Domain::Kind::masked) {
    // Single elements are hidden, or all of them.
    const bool hides_all = kind_ == Kind::ties && (mix(seed_ ^ tensor) & 1) != 0;
    if (hides_all || (is_special() && (bits >> 62) == 0)) return Numbers::of_class(Class::minus_infinity);
  }
  return real(bits, tensor, domain.kind == Domain::Kind::positive, domain.kind == Domain::Kind::nonzero);
}

Real Draws::cut(std::int64_t number, const std::vector<std::int64_t>& index) const {
  const auto found = claims_.find(number);
  if (found == claims_.end()) throw Undefined{"a value number that the table does not have"};
  const Facts& facts = found->second->facts;
  const std::uint64_t tensor = mix(static_cast<std::uint64_t>(number) + 77);
  std::uint64_t place = tensor;
  for (const std::int64_t subscript : index) place = combine(place, static_cast<std::uint64_t>(subscript));
  place = drawn_place(tensor, found->second->shape, index, place);
  const std::uint64_t bits = random_at(seed_, place);
  if (is_round() && !facts.finite && (bits >> 60) == 0) {
    return Numbers::of_class(facts.nonnegative ? Class::plus_infinity : Class::minus_infinity);
  }
  if (facts.nonnegative && facts.nonpositive) return numbers_.of_integer(0);
  const Real drawn =
      real(bits, static_cast<std::uint64_t>(number), facts.nonnegative || facts.nonpositive, facts.nonzero);
  return facts.nonpositive ? numbers_.negate(drawn) : drawn;
}

std::vector<std::vector<std::int64_t>> Draws::special(std::uint64_t tensor,
                                                      const std::vector<std::int64_t>& shape) const {
  constexpr std::uint64_t kOthers = 6;
  std::vector<std::vector<std::int64_t>> out(2 + kOthers);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    out[0].push_back(0);
    out[1].push_back(shape[d] - 1);
    for (std::uint64_t i = 0; i < kOthers; ++i) {
      const std::uint64_t bits = random_at(combine(seed_, tensor), i * kMostDimensions + d);
      out[2 + i].push_back(static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(shape[d])));
    }
  }
  return out;
}

std::uint64_t Draws::drawn_place(std::uint64_t tensor, const std::vector<std::int64_t>& shape,
                                 const std::vector<std::int64_t>& index, std::uint64_t place) const {
  if (kind_ != Kind::sparse) return place;
  const auto all = special(tensor, shape);
  return std::find(all.begin(), all.end(), index) != all.end() ? place : UINT64_MAX;
}

namespace {

bool holds(const IndexBox& box, const std::vector<std::int64_t>& index) {
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < box[d].first || index[d] > box[d].second) return false;
  }
  return true;
}

}  // namespace

bool Draws::is_uniform(const Variable& variable, const IndexBox& box) const {
  // What is given has its own values, and what is out of range has none.
  bool is_inside = variable.values.empty() && box.size() == variable.shape.size();
  for (std::size_t d = 0; is_inside && d < box.size(); ++d) {
    is_inside = box[d].first >= 0 && box[d].second < variable.shape[d];
  }
  const auto all = special(hash_text(variable.name), variable.shape);
  return is_inside && std::none_of(all.begin(), all.end(), [&](const auto& index) { return holds(box, index); });
}

bool Draws::is_uniform(std::int64_t number, const IndexBox& box) const {
  const auto found = claims_.find(number);
  if (found == claims_.end() || found->second->shape.size() != box.size()) return false;
  const auto all = special(mix(static_cast<std::uint64_t>(number) + 77), found->second->shape);
  return std::none_of(all.begin(), all.end(), [&](const auto& index) { return holds(box, index); });
}

Value recorded_input(const Numbers& numbers, const InputRule& rule, const Variable& variable, std::int64_t position,
                     std::uint64_t seed) {
  if (!variable.values.empty()) {
    const double given = variable.values[static_cast<std::size_t>(position)];
    return is_float(variable.dtype) ? of_real(numbers.of_double(given)) : of_integer(static_cast<std::int64_t>(given));
  }
  const std::uint64_t bits = random_at(seed ^ mix(hash_text(variable.name)), static_cast<std::uint64_t>(position));
  if (rule.draw == "integer") {
    std::int64_t low = rule.least;
    std::int64_t high = rule.greatest;
    if (!rule.is_bounded && (mix(seed) & 1) != 0) {
      low = std::clamp<std::int64_t>(-8, rule.least, rule.greatest);
      high = std::clamp<std::int64_t>(8, rule.least, rule.greatest);
    }
    return of_integer(within(low, high, rule.skips_zero, mix(bits)));
  }
  const auto k = static_cast<std::int64_t>(bits >> 11);
  if (rule.draw == "positive") return of_real(numbers.of_dyadic(k + 1, -52));
  const std::int64_t centred = k - (std::int64_t{1} << 52);
  if (rule.draw != "range") return of_real(numbers.of_dyadic(centred == 0 ? 1 : centred, -52));
  const double unit = static_cast<double>(k) * 0x1p-53;
  const double wanted = 2 * unit - 1;
  if (wanted >= rule.low && wanted < rule.high) return of_real(numbers.of_double(wanted));
  const double mapped = rule.low + (rule.high - rule.low) * unit;
  return of_real(numbers.of_double(mapped >= rule.low && mapped < rule.high ? mapped : rule.low));
}

namespace {

/// Inputs outside of the domain show nothing.
Value checked(const Value& value, const Variable& variable) {
  const long double number = value.is_integer ? static_cast<long double>(value.integer) : value.real.value;
  const bool is_finite = value.is_integer || value.real.is_finite();
  const Domain& domain = variable.domain;
  const bool is_legal = domain.kind == Domain::Kind::positive  ? is_finite && number > 0
                        : domain.kind == Domain::Kind::nonzero ? is_finite && number != 0
                        : domain.kind == Domain::Kind::range ? is_finite && number >= domain.low && number < domain.high
                        : domain.kind == Domain::Kind::masked ? is_finite || value.real.kind == Class::minus_infinity
                                                              : is_finite;
  if (!is_legal) throw Undefined{"a value of " + variable.name + " that its domain does not have"};
  return value;
}

}  // namespace

std::optional<Value> given_input(const Numbers& numbers, const GivenInputs& given, const Variable& variable,
                                 const std::vector<std::int64_t>& index) {
  if (!variable.values.empty()) return std::nullopt;  // the signature gives them
  const auto element = given.elements.find({variable.name, index});
  const auto fill = given.fill.find(variable.name);
  if (element == given.elements.end() && fill == given.fill.end()) return std::nullopt;
  const std::string& text = element != given.elements.end() ? element->second : fill->second;
  char* end = nullptr;
  errno = 0;
  if (is_float(variable.dtype)) {
    if (const std::size_t mark = text.find('p'); mark != std::string::npos) {
      // 123p-56 is 123*2^-56: what does not fit into a double.
      const std::int64_t mantissa = std::strtoll(text.c_str(), &end, 10);
      const bool is_whole = end == text.c_str() + mark && mark > 0 && errno == 0;
      const std::int64_t exponent = std::strtoll(text.c_str() + mark + 1, &end, 10);
      if (!is_whole || *end != '\0' || exponent < -2000 || exponent > 2000)
        throw Undefined{"'" + text + "' is not a number"};
      return checked(of_real(numbers.of_dyadic(mantissa, static_cast<int>(exponent))), variable);
    }
    if (const std::size_t mark = text.find('/'); mark != std::string::npos) {
      const std::int64_t above = std::strtoll(text.c_str(), &end, 10);
      const bool is_whole = end == text.c_str() + mark && mark > 0;
      const std::int64_t below = std::strtoll(text.c_str() + mark + 1, &end, 10);
      if (!is_whole || *end != '\0' || errno != 0 || below <= 0) throw Undefined{"'" + text + "' is not a number"};
      return checked(of_real(numbers.of_quotient(above, below)), variable);
    }
    // Shortest decimals of doubles: reading one back gives the double.
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') throw Undefined{"'" + text + "' is not a number"};
    return checked(of_real(numbers.of_double(value)), variable);
  }
  const std::int64_t value = std::strtoll(text.c_str(), &end, 10);
  const DTypeInfo& type = info(variable.dtype);
  if (text.empty() || *end != '\0' || errno != 0 || value < type.least || value > type.greatest) {
    throw Undefined{"'" + text + "' is not a value of its type"};
  }
  return checked(of_integer(value), variable);
}

}  // namespace steptp::replayer
