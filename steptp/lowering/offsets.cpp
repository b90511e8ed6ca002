// The position of an element in its buffer as one index, simplified over the ranges of the loops; how large its
// parts can get, which decides between 32 and 64 bits; and whether a run of elements starts at an aligned address.
#include "steptp/lowering/offsets.h"

#include <algorithm>
#include <numeric>

#include "steptp/analysis/linear_offset.h"

namespace steptp::lowering {

namespace {

/// A multiple of every vector there is.
constexpr std::int64_t kAnyAlignment = static_cast<std::int64_t>(1) << 62;

Wide absolute(Wide value) { return value < 0 ? -value : value; }

Wide limited_product(Wide a, Wide b) {
  if (a != 0 && b > kWideLimit / a) return kWideLimit;
  return a * b;
}

/// How large a part of an index gets, and how large whatever is computed on the way to it.
struct Size {
  Wide value = 0;
  Wide inside = 0;
};

Wide farthest(const Interval& interval) { return std::max(absolute(interval.low), absolute(interval.high)); }

Size size_of(const IndexAtom& atom, const Ranges& ranges) {
  struct Visitor {
    const Ranges& ranges;
    Size operator()(const LoopVariable& variable) const {
      const auto at = ranges.variables.find(variable.name);
      const Wide size = at == ranges.variables.end() ? kWideLimit : farthest(at->second);
      return {size, size};
    }
    Size operator()(const FloorQuotient& node) const { return divided(*node.dividend, *node.divisor, floor_quotient); }
    Size operator()(const FloorRemainder& node) const {
      return divided(*node.dividend, *node.divisor, floor_remainder);
    }
    Size operator()(const IndirectRead&) const {
      constexpr Wide kAny = static_cast<Wide>(1) << 31;
      return {kAny, kAny};
    }
    using Divide = Interval (*)(const Interval&, const Interval&);
    [[nodiscard]] Size divided(const Index& dividend, const Index& divisor, Divide divide) const {
      const Wide parts = std::max(magnitude(dividend, ranges), magnitude(divisor, ranges));
      const Wide result = farthest(divide(range_of(dividend, ranges), range_of(divisor, ranges)));
      return {std::min(result, parts + 1), std::max(parts, std::min(result, parts + 1))};
    }
  };
  return std::visit(Visitor{ranges}, atom);
}

bool mentions(const IndexAtom& atom, const std::string& name) {
  bool found = false;
  const auto note = [&](const std::string& other) { found = found || other == name; };
  struct Visitor {
    const std::function<void(const std::string&)>& note;
    void operator()(const LoopVariable& variable) const { note(variable.name); }
    void operator()(const FloorQuotient& node) const {
      for_each_variable(*node.dividend, note);
      for_each_variable(*node.divisor, note);
    }
    void operator()(const FloorRemainder& node) const {
      for_each_variable(*node.dividend, note);
      for_each_variable(*node.divisor, note);
    }
    void operator()(const IndirectRead& node) const {
      for (const Index& subscript : node.ref->subscripts) for_each_variable(subscript, note);
    }
  };
  const std::function<void(const std::string&)> visit = note;
  std::visit(Visitor{visit}, atom);
  return found;
}

}  // namespace

std::optional<Index> offset_of(const Buffer& buffer, const std::vector<Index>& subscripts,
                               const std::vector<BoxVariable>& box) {
  return linear_offset(subscripts, buffer.strides, box);
}

Wide magnitude(const Index& index, const Ranges& ranges) {
  Wide sum = absolute(index.constant_term());
  Wide inside = 0;  // a dividend is computed before it is divided, and may be larger than all that is added up
  for (const IndexTerm& term : index.terms()) {
    Wide product = absolute(term.coefficient);
    for (const IndexAtom& factor : term.factors) {
      const Size size = size_of(factor, ranges);
      product = limited_product(product, size.value);
      inside = std::max({inside, size.inside, product});
    }
    for (const IndexAtom& factor : term.factors) product = std::max(product, size_of(factor, ranges).value);
    sum = std::min(sum + product, kWideLimit);
  }
  return std::max(sum, inside);
}

Ranges ranges_of(const std::vector<BoxVariable>& box) {
  Ranges ranges;
  for (const BoxVariable& variable : box) ranges.variables[variable.name] = {0, static_cast<Wide>(variable.extent) - 1};
  return ranges;
}

std::int64_t run_alignment(const Index& offset, const std::string& variable) {
  bool found = false;
  std::int64_t divisor = 0;
  const auto divide = [&divisor](std::int64_t by) { divisor = by == INT64_MIN ? 1 : std::gcd(divisor, by); };
  divide(offset.constant_term());
  for (const IndexTerm& term : offset.terms()) {
    const auto* loop = term.factors.size() == 1 ? std::get_if<LoopVariable>(&term.factors[0]) : nullptr;
    if (loop && loop->name == variable) {
      if (term.coefficient != 1) return 0;
      found = true;
      continue;
    }
    for (const IndexAtom& factor : term.factors) {
      if (mentions(factor, variable)) return 0;
    }
    divide(term.coefficient);
  }
  if (!found) return 0;
  return divisor == 0 ? kAnyAlignment : divisor;
}

bool mentions(const Index& index, const std::string& name) {
  bool found = false;
  for_each_variable(index, [&](const std::string& other) { found = found || other == name; });
  return found;
}

std::optional<Index> at_zero(const Index& index, const std::string& variable) {
  IndexRewriter rewriter;
  rewriter.variable = [&](const std::string& name) -> std::optional<Index> {
    if (name != variable) return std::nullopt;
    return Index();
  };
  return rewrite(index, rewriter);
}

}  // namespace steptp::lowering
