// What forms can be, by the rules of replay/nature.h. A form that is too large, or of a kind that is not followed (a
// remainder of reals), can be anything: then a fact about it is not shown, and the replayer says that it cannot
// tell.
#include "replay/natures.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>

#include "replay/boxes.h"
#include "replay/squares.h"

namespace steptp::replayer {

namespace {

using Kind = Form::Kind;

constexpr std::uint64_t kMostSteps = 400'000;
constexpr int kDeepest = 4000;
constexpr std::size_t kMostKnown = 12;

Nature nature_of(const Variable& variable, const Domain& domain) {
  if (!variable.values.empty()) {
    Nature out = 0;
    for (const double value : variable.values) {
      if (value != value) {
        out |= nature::kNan;
      } else if (value - value != 0) {
        out |= value > 0 ? nature::kPlusInfinity : nature::kMinusInfinity;
      } else {
        out |= nature::of_interval(value, value);
      }
    }
    return out;
  }
  Nature out = nature::kFinite;
  if (!is_float(variable.dtype)) {
    const DTypeInfo& type = info(variable.dtype);
    out = nature::of_interval(static_cast<double>(type.least), static_cast<double>(type.greatest));
  }
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::any: return out;
    case Domain::Kind::positive: return out & nature::kPositive;
    case Domain::Kind::nonzero: return out & ~nature::kZero;
    case Domain::Kind::masked: return out | nature::kMinusInfinity;
    case Domain::Kind::range: {
      Nature inside = nature::of_interval(domain.low, domain.high);
      if (domain.high <= 0) inside &= ~nature::kZero;  // the end is outside
      return out & inside;
    }
  }
  return nature::kAnything;
}

bool has_divisor(const Form& product) {
  return std::any_of(product.parts.begin(), product.parts.end(),
                     [](const FormPtr& part) { return part->kind == Kind::inverse; });
}

/// Of integers, rounded downwards.
Nature whole_quotient(Nature above, Nature below) {
  if (below != nature::kPositive || (above & ~nature::kFinite) != 0) return nature::kFinite;
  return (above & nature::kPositive) != 0 ? static_cast<Nature>(above | nature::kZero) : above;
}

/// A whole exponent that is written as a number.
std::optional<std::int64_t> whole_number(const Form& form) {
  constexpr std::size_t kShort = 4;
  if (form.kind == Kind::sum && form.parts.size() == 1) {
    const auto inside = whole_number(*form.parts[0]);
    return inside && form.negated[0] ? std::optional(-*inside) : inside;
  }
  if (form.kind != Kind::number || form.denominator != "1" || form.numerator.size() > kShort) return std::nullopt;
  return std::strtoll(form.numerator.c_str(), nullptr, 10);
}

}  // namespace

Natures::Natures(const Certificate& certificate) : certificate_(certificate) {
  for (const Variable& variable : certificate.before.signature.variables) {
    if (variable.role != Role::output)
      inputs_[variable.name] = nature_of(variable, certificate.domains.find(variable.name)->second);
  }
}

void Natures::add(const Claim& claim) {
  std::vector<std::pair<std::uint32_t, Range>> ranges;
  for (std::size_t d = 0; d < claim.shape.size(); ++d) {
    ranges.emplace_back(static_cast<std::uint32_t>(d), Range{0, claim.shape[d] - 1});
  }
  Nature out = 0;
  for (const Region& region : claim.regions) out |= of_form(*region.form, ranges);
  values_[claim.number] = out;
}

Nature Natures::of_value(std::int64_t number) const {
  const auto found = values_.find(number);
  return found == values_.end() ? nature::kAnything : found->second;
}

Nature Natures::of_form(const Form& form, const std::vector<std::pair<std::uint32_t, Range>>& ranges) {
  constexpr Range kNowhere{INT64_MIN, INT64_MAX};
  box_.assign(certificate_.names.size(), kNowhere);
  for (const auto& [variable, range] : ranges) box_[variable] = range;
  done_.clear();
  known_.clear();
  steps_ = 0;
  return of(form);
}

Nature Natures::of(const Form& form) {
  if (++steps_ > kMostSteps || depth_ > kDeepest) return nature::kAnything;
  std::pair<const Form*, std::vector<Range>> key{&form, {}};
  const bool is_kept = known_.empty() && !form.reads_self;
  if (is_kept) {
    for (const std::uint32_t variable : form.free) key.second.push_back(box_[variable]);
    if (const auto found = done_.find(key); found != done_.end()) return found->second;
  }
  ++depth_;
  Nature out = written(form);
  --depth_;
  for (const Known& fact : known_) {
    if ((out & ~fact.nature) != 0 && is_same_form(*fact.form, form)) out &= fact.nature;
  }
  if (is_kept) done_.emplace(std::move(key), out);
  return out;
}

Nature Natures::written(const Form& form) {
  const auto part = [&](std::size_t i) { return of(*form.parts[i]); };
  switch (form.kind) {
    case Kind::number:
      return form.numerator.find_first_not_of('0') == std::string::npos ? nature::kZero : nature::kPositive;
    case Kind::infinity: return nature::kPlusInfinity;
    case Kind::input: return of_input(form);
    case Kind::value: return of_value(form.number);
    case Kind::sum: return of_sum(form);
    case Kind::product: return of_product(form);
    case Kind::power: return nature::whole_power(part(0), form.number);
    case Kind::call: return nature::function(form.function, part(0));
    case Kind::inverse: return nature::quotient(nature::kPositive, part(0));
    case Kind::max:
    case Kind::min: {
      Nature out = part(0);
      for (std::size_t i = 1; i < form.parts.size(); ++i) {
        out = nature::extremum(form.kind == Kind::max, out, part(i));
      }
      return out;
    }
    case Kind::real_power:
      if (const auto exponent = whole_number(*form.parts[1])) return nature::whole_power(part(0), *exponent);
      return nature::real_power(part(0), part(1));
    case Kind::select: return of_select(form);
    case Kind::fold: return of_fold(form);
    case Kind::quotient:
    case Kind::variable: {
      const auto range = range_on(form, box_);
      if (range) return nature::of_interval(static_cast<double>(range->first), static_cast<double>(range->second));
      return form.kind == Kind::quotient ? whole_quotient(part(0), part(1)) : nature::kFinite;
    }
    case Kind::conversion:
    case Kind::wrapped:
      return form.dtype == DType::boolean ? static_cast<Nature>(nature::kZero | nature::kPositive) : nature::kFinite;
    case Kind::operation: return is_float(form.dtype) ? nature::kAnything : nature::kFinite;
    case Kind::recurrence: return of_recurrence(form);
    case Kind::self: return self_;
    case Kind::truth:
    case Kind::always:
    case Kind::never:
    case Kind::nonnegative:
    case Kind::zero:
    case Kind::less:
    case Kind::less_equal:
    case Kind::equal:
    case Kind::boolean:
    case Kind::negation:
    case Kind::conjunction:
    case Kind::disjunction: return nature::kZero | nature::kPositive;
  }
  return nature::kAnything;
}

Nature Natures::of_sum(const Form& form) {
  if (const auto range = range_on(form, box_)) {
    return nature::of_interval(static_cast<double>(range->first), static_cast<double>(range->second));
  }
  std::vector<Nature> terms;
  for (std::size_t i = 0; i < form.parts.size(); ++i) {
    const Nature term = of(*form.parts[i]);
    terms.push_back(form.negated[i] ? nature::negated(term) : term);
  }
  Nature out = nature::kZero;
  const auto is_finite = [](Nature term) { return (term & ~nature::kFinite) == 0; };
  if (const auto squares = find_sum_of_squares(form); squares && std::all_of(terms.begin(), terms.end(), is_finite)) {
    out = nature::kZero | nature::kPositive;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!squares->taken[i]) out = nature::sum(out, terms[i]);
    }
    return out;
  }
  for (const Nature term : terms) out = nature::sum(out, term);
  return out;
}

Nature Natures::of_input(const Form& form) const {
  const auto found = inputs_.find(form.name);
  return found == inputs_.end() ? nature::kAnything : found->second;
}

/// Divisors come last, as forms are evaluated: 0/0 has no value. Equal factors are a power.
Nature Natures::of_product(const Form& form) {
  std::vector<std::pair<const Form*, std::int64_t>> factors;
  const std::function<void(const Form&)> collect = [&](const Form& product) {
    for (const FormPtr& part : product.parts) {
      if (part->kind == Kind::inverse) continue;
      if (part->kind == Kind::product && !has_divisor(*part)) {
        collect(*part);
        continue;
      }
      const auto same = std::find_if(factors.begin(), factors.end(),
                                     [&](const auto& factor) { return is_same_form(*factor.first, *part); });
      if (same == factors.end()) {
        factors.emplace_back(part.get(), 1);
      } else {
        same->second += 1;
      }
    }
  };
  collect(form);
  Nature out = nature::kPositive;
  for (const auto& [factor, times] : factors) out = nature::product(out, nature::whole_power(of(*factor), times));
  for (const FormPtr& part : form.parts) {
    if (part->kind == Kind::inverse) out = nature::quotient(out, of(*part->parts[0]));
  }
  return out;
}

Nature Natures::of_select(const Form& form) {
  const Truth truth = truth_on(*form.parts[0], box_);
  const auto branch = [&](bool holds) {
    const std::size_t before = known_.size();
    if (before < kMostKnown) assume(*form.parts[0], holds);
    const Nature out = of(*form.parts[holds ? 1 : 2]);
    known_.resize(before);
    return out;
  };
  Nature out = 0;
  if (truth != Truth::never) out |= branch(true);
  if (truth != Truth::always) out |= branch(false);
  return out;
}

void Natures::assume(const Form& condition, bool holds) {
  switch (condition.kind) {
    case Kind::negation: assume(*condition.parts[0], !holds); return;
    case Kind::conjunction:
    case Kind::disjunction:
      if (holds != (condition.kind == Kind::conjunction)) return;
      for (const FormPtr& part : condition.parts) assume(*part, holds);
      return;
    case Kind::less:
    case Kind::less_equal:
    case Kind::equal: assume_order(condition, holds); return;
    default: return;
  }
}

void Natures::assume_order(const Form& condition, bool holds) {
  const Form& left = *condition.parts[0];
  const Form& right = *condition.parts[1];
  const Nature a = of(left);
  const Nature b = of(right);
  if (condition.kind == Kind::equal) {
    if (holds) {
      know(left, a & b & nature::kOrdered);
      know(right, a & b & nature::kOrdered);
      return;
    }
    // An infinity and zero are single numbers: what is not equal to one of them is something else.
    constexpr Nature kSingleNumbers[] = {nature::kMinusInfinity, nature::kZero, nature::kPlusInfinity};
    for (const Nature single : kSingleNumbers) {
      if (b == single) know(left, a & ~single);
      if (a == single) know(right, b & ~single);
    }
    return;
  }
  const bool or_equal = condition.kind == Kind::less_equal;
  if (holds) {
    know(left, nature::where_less(a, b, or_equal));
    know(right, nature::where_greater(b, a, or_equal));
    return;
  }
  // The other way round, or one of them is NaN.
  if ((b & nature::kNan) == 0) know(left, nature::where_greater(a, b, !or_equal) | (a & nature::kNan));
  if ((a & nature::kNan) == 0) know(right, nature::where_less(b, a, !or_equal) | (b & nature::kNan));
}

/// Whether some round of a fold is made whatever the free variables are: the first or the last along every variable.
bool Natures::has_a_round(const Form& fold) {
  if (fold.parts.size() == 1) return true;
  for (const bool is_first : {true, false}) {
    IndexBox round = box_;
    for (const Form::Bound& bound : fold.bound) {
      round[bound.variable] = is_first ? Range{bound.low, bound.low} : Range{bound.high, bound.high};
    }
    const bool holds = std::all_of(fold.parts.begin() + 1, fold.parts.end(), [&](const FormPtr& condition) {
      return truth_on(*condition, round) == Truth::always;
    });
    if (holds) return true;
  }
  return false;
}

/// By induction over the rounds: what a round can be if those before it can be nothing but this.
Nature Natures::of_recurrence(const Form& form) {
  if (form.struck) return nature::kZero | nature::kPositive;
  constexpr Nature kAssumed[] = {nature::kPositive, nature::kZero | nature::kPositive, nature::kFinite,
                                 nature::kFinite | nature::kMinusInfinity, nature::kFinite | nature::kPlusInfinity};
  constexpr Range kNowhere{INT64_MIN, INT64_MAX};
  IndexBox saved = box_;
  for (const Form::Bound& bound : form.bound) box_[bound.variable] = kNowhere;
  // What is known of forms outside may speak of variables of the same names.
  std::vector<Known> outside;
  outside.swap(known_);
  const Nature self = self_;
  Nature out = nature::kAnything;
  for (const Nature assumed : kAssumed) {
    self_ = assumed;
    const Nature found = of(*form.parts[0]);
    if ((found & ~assumed) != 0) continue;
    out = found;
    break;
  }
  self_ = self;
  outside.swap(known_);
  box_ = std::move(saved);
  return out;
}

Nature Natures::of_fold(const Form& form) {
  IndexBox saved = box_;
  bool may_be_empty = !has_a_round(form);
  for (const Form::Bound& bound : form.bound) {
    box_[bound.variable] = {bound.low, bound.high};
    may_be_empty |= bound.low > bound.high;
  }
  const std::size_t before = known_.size();
  // What is known of forms outside may speak of variables of the same names.
  std::vector<Known> outside;
  outside.swap(known_);
  for (std::size_t i = 1; i < form.parts.size(); ++i) assume(*form.parts[i], true);
  const Nature term = of(*form.parts[0]);
  outside.swap(known_);
  known_.resize(before);
  box_ = std::move(saved);
  return nature::fold(form.op, term, may_be_empty);
}

}  // namespace steptp::replayer
