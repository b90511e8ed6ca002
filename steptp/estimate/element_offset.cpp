// The offset of an access as a function of loops, in a form that is quick to evaluate, and how many bytes it touches
// over a set of loops. A footprint is found by taking the strides from the smallest to the largest: as long as a stride
// is no larger than what is covered without gaps it makes that longer, and otherwise it makes copies of it.
#include "steptp/estimate/element_offset.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace steptp::estimation {

struct ElementOffset::Factor {
  enum class Kind : std::uint8_t { loop, quotient, remainder, data };
  Kind kind = Kind::loop;
  std::size_t loop = 0;
  std::uint64_t loops = 0;
  std::vector<std::shared_ptr<const Sum>> parts;  ///< dividend and divisor; the subscripts of data
};

struct ElementOffset::Term {
  std::int64_t coefficient = 1;
  std::vector<Factor> factors;
};

struct ElementOffset::Sum {
  std::int64_t constant = 0;
  std::vector<Term> terms;
  std::uint64_t loops = 0;
};

namespace {

/// What stands for the range of data whose values nobody knows.
constexpr std::int64_t kAnyData = 1 << 16;

std::int64_t clamped(double value) {
  constexpr double kMost = 4e18;
  return static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

ElementOffset::ElementOffset() : sum_(std::make_shared<const Sum>()) {}

ElementOffset::ElementOffset(const Index& offset, const std::vector<const Loop*>& loops)
    : sum_(sum_of(offset, loops)), loops_(sum_->loops) {}

std::shared_ptr<const ElementOffset::Sum> ElementOffset::sum_of(const Index& index,
                                                                const std::vector<const Loop*>& loops) {
  auto sum = std::make_shared<Sum>();
  sum->constant = index.constant_term();
  for (const IndexTerm& source : index.terms()) {
    Term term;
    term.coefficient = source.coefficient;
    for (const IndexAtom& atom : source.factors) {
      Factor factor;
      if (const auto* variable = std::get_if<LoopVariable>(&atom)) {
        // The innermost loop of a name is the one that is meant.
        factor.loop = loops.size();
        for (std::size_t i = 0; i < loops.size(); ++i) {
          if (loops[i]->index == variable->name) factor.loop = i;
        }
        if (factor.loop < loops.size()) factor.loops = loop_bit(factor.loop);
      } else if (const auto* quotient = std::get_if<FloorQuotient>(&atom)) {
        factor.kind = Factor::Kind::quotient;
        factor.parts = {sum_of(*quotient->dividend, loops), sum_of(*quotient->divisor, loops)};
      } else if (const auto* remainder = std::get_if<FloorRemainder>(&atom)) {
        factor.kind = Factor::Kind::remainder;
        factor.parts = {sum_of(*remainder->dividend, loops), sum_of(*remainder->divisor, loops)};
      } else {
        factor.kind = Factor::Kind::data;
        for (const Index& subscript : std::get<IndirectRead>(atom).ref->subscripts) {
          factor.parts.push_back(sum_of(subscript, loops));
        }
      }
      for (const auto& part : factor.parts) factor.loops |= part->loops;
      sum->loops |= factor.loops;
      term.factors.push_back(std::move(factor));
    }
    sum->terms.push_back(std::move(term));
  }
  return sum;
}

std::int64_t ElementOffset::value_of(const Factor& factor, const std::vector<std::int64_t>& point) {
  switch (factor.kind) {
    case Factor::Kind::loop: return factor.loop < point.size() ? point[factor.loop] : 0;
    case Factor::Kind::quotient:
    case Factor::Kind::remainder: {
      const std::int64_t dividend = value_of(*factor.parts[0], point);
      const std::int64_t divisor = value_of(*factor.parts[1], point);
      if (divisor == 0 || divisor == -1) return 0;
      return factor.kind == Factor::Kind::quotient ? floor_quotient(dividend, divisor)
                                                   : floor_remainder(dividend, divisor);
    }
    case Factor::Kind::data: {
      std::uint64_t state = 0x9e3779b97f4a7c15;
      for (const auto& part : factor.parts) {
        state = (state ^ static_cast<std::uint64_t>(value_of(*part, point))) * 0xbf58476d1ce4e5b9;
        state ^= state >> 29;
      }
      return static_cast<std::int64_t>(state % kAnyData);
    }
  }
  return 0;
}

std::int64_t ElementOffset::value_of(const Sum& sum, const std::vector<std::int64_t>& point) {
  std::int64_t out = sum.constant;
  for (const Term& term : sum.terms) {
    std::int64_t product = term.coefficient;
    for (const Factor& factor : term.factors) product = wrapped_product(product, value_of(factor, point));
    out = wrapped_sum(out, product);
  }
  return out;
}

std::int64_t ElementOffset::at(const std::vector<std::int64_t>& point) const { return value_of(*sum_, point); }

ElementOffset::Span ElementOffset::span_of(const Factor& factor, const std::vector<std::int64_t>& extents) {
  switch (factor.kind) {
    case Factor::Kind::loop:
      return {0, factor.loop < extents.size() ? static_cast<double>(extents[factor.loop] - 1) : 0};
    case Factor::Kind::data: return {0, static_cast<double>(kAnyData - 1)};
    case Factor::Kind::quotient:
    case Factor::Kind::remainder: break;
  }
  const Span dividend = span_of(*factor.parts[0], extents);
  const Span divisor = span_of(*factor.parts[1], extents);
  const double by = std::max(1.0, std::abs(divisor.high));
  if (factor.kind == Factor::Kind::quotient) return {std::floor(dividend.low / by), std::floor(dividend.high / by)};
  return {0, std::min(by - 1, dividend.high - dividend.low)};
}

ElementOffset::Span ElementOffset::span_of(const Sum& sum, const std::vector<std::int64_t>& extents) {
  Span out{static_cast<double>(sum.constant), static_cast<double>(sum.constant)};
  for (const Term& term : sum.terms) {
    Span product{static_cast<double>(term.coefficient), static_cast<double>(term.coefficient)};
    for (const Factor& factor : term.factors) {
      const Span span = span_of(factor, extents);
      const auto corners = {product.low * span.low, product.low * span.high, product.high * span.low,
                            product.high * span.high};
      product = {std::min(corners), std::max(corners)};
    }
    out.low += product.low;
    out.high += product.high;
  }
  return out;
}

std::vector<Stride> ElementOffset::strides(const std::vector<std::int64_t>& extents) const {
  const auto points = [&](std::uint64_t loops) {
    double out = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      if (loops & loop_bit(i)) out *= static_cast<double>(extents[i]);
    }
    return out;
  };
  std::vector<Stride> out;
  for (const Term& term : sum_->terms) {
    std::uint64_t loops = 0;
    Span span{1, 1};
    bool has_data = false;
    for (const Factor& factor : term.factors) {
      loops |= factor.loops;
      has_data = has_data || factor.kind == Factor::Kind::data;
      const Span own = span_of(factor, extents);
      span.low = std::min(span.low * own.low, span.low * own.high);
      span.high *= std::max(std::abs(own.low), std::abs(own.high));
    }
    const bool is_loop = term.factors.size() == 1 && term.factors[0].kind == Factor::Kind::loop;
    const double values = is_loop ? points(loops) : std::min(points(loops), span.high - span.low + 1);
    if (values <= 1) continue;
    const std::int64_t least = has_data ? 64 : 0;  // neighbours in data do not lie side by side
    out.push_back({std::max(std::abs(term.coefficient), least), values});
  }
  return out;
}

std::int64_t ElementOffset::step_of(std::size_t loop, std::size_t loops) const {
  std::vector<std::int64_t> point(loops, 0);
  const std::int64_t first = at(point);
  if (loop < loops) point[loop] = 1;
  return clamped(static_cast<double>(at(point)) - static_cast<double>(first));
}

double footprint(std::vector<Stride> strides, double element_bytes, double granule, double most) {
  std::sort(strides.begin(), strides.end(), [](const Stride& a, const Stride& b) { return a.elements < b.elements; });
  double run = element_bytes;  // bytes without gaps
  double runs = 1;
  double step = 0;   // between copies of the run that lie evenly
  double count = 1;  // of those
  for (const Stride& stride : strides) {
    const double next = static_cast<double>(stride.elements) * element_bytes;
    if (next == 0) continue;
    if (step == 0 && next <= std::max(run, granule)) {
      run += next * (stride.values - 1);
    } else if (step > 0 && next < step * count) {
      // It leads to copies that are there already, but for the last ones: the rows of a window.
      count += std::floor(next / step) * (stride.values - 1);
    } else {
      runs *= count;
      step = next;
      count = stride.values;
    }
  }
  const double moved = runs * count * std::ceil(run / granule) * granule;
  return std::min(moved, std::max(most, granule));
}

}  // namespace steptp::estimation
