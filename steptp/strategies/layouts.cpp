// A layout is a map from subscripts to other subscripts that is one to one on the shape of a tensor: a transpose, a
// flattening (with padding or without), a merge, a split or a rotation. A choice names it by its form, its
// dimensions and a number; `layout_of` reads them.
#include "steptp/strategies/layouts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <set>

#include "steptp/base/text.h"
#include "steptp/strategies/expressions.h"
#include "steptp/strategies/rewrite.h"

namespace steptp {

namespace {

constexpr std::array<std::string_view, 5> kForms = {"transpose", "flatten", "merge", "split", "rotate"};
constexpr std::size_t kMaxPermuted = 4;  ///< of more dimensions, two change places
constexpr std::int64_t kMaxPadding = 32;

using Dimensions = std::vector<std::size_t>;

std::string text_of(const Dimensions& dimensions) {
  std::string out;
  for (const std::size_t dimension : dimensions) append(out, out.empty() ? "" : ",", dimension);
  return out;
}

Dimensions in_order(std::size_t rank) {
  Dimensions out(rank);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

std::vector<Dimensions> permutations(std::size_t rank) {
  std::vector<Dimensions> out;
  Dimensions order = in_order(rank);
  if (rank <= kMaxPermuted) {
    while (std::next_permutation(order.begin(), order.end())) out.push_back(order);
    return out;
  }
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = i + 1; j < rank; ++j) {
      order = in_order(rank);
      std::swap(order[i], order[j]);
      out.push_back(order);
    }
  }
  return out;
}

std::vector<std::string> pairs(std::size_t rank) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = 0; j < rank; ++j) {
      if (i != j) out.push_back(text_of({i, j}));
    }
  }
  return out;
}

/// Everything but what a number says: wrong words, and dimensions that are not as many as the form wants.
Result<Layout, std::string> parse(const Choice& choice, std::size_t rank) {
  const std::string& form = choice.word("form");
  const auto known = std::find(kForms.begin(), kForms.end(), form);
  if (known == kForms.end()) return concat("there is no form \"", form, "\"");
  Layout out;
  out.form = static_cast<Layout::Form>(known - kForms.begin());
  out.number = choice.integer("number");
  auto dimensions = parse_dimensions(choice.word("dimensions"), rank);
  const bool all = out.form == Layout::Form::transpose || out.form == Layout::Form::flatten;
  const std::size_t wanted = all ? rank : out.form == Layout::Form::split ? 1 : 2;
  if (!dimensions || dimensions->size() != wanted) {
    return concat("\"", choice.word("dimensions"), "\" does not name ", wanted, " of ", rank, " dimensions");
  }
  out.dimensions = *std::move(dimensions);
  return out;
}

std::string problem_with(const Layout& layout, const std::vector<std::int64_t>& shape) {
  const std::size_t rank = shape.size();
  switch (layout.form) {
    case Layout::Form::transpose:
      if (layout.dimensions == in_order(rank)) return "the dimensions have this order";
      break;
    case Layout::Form::flatten: {
      std::vector<std::int64_t> places = shape;
      if (rank < 2) return concat(rank, " dimensions");
      if (layout.number < 0 || layout.number > kMaxPadding) return concat("a padding of ", layout.number);
      places[layout.dimensions.back()] += layout.number;
      if (elements_of(places, kMaxTensorElements) > kMaxTensorElements) return "more than 2^31 places";
      return {};
    }
    case Layout::Form::merge:
      if (rank < 3) return concat(rank, " dimensions: say \"flatten\"");
      if (elements_of(shape, kMaxTensorElements) > kMaxTensorElements) return "more than 2^31 places";
      break;
    case Layout::Form::split: {
      const std::int64_t extent = shape[layout.dimensions[0]];
      if (layout.number < 2 || layout.number >= extent) return concat(extent, " elements divided by ", layout.number);
      return {};
    }
    case Layout::Form::rotate:
      if (shape[layout.dimensions[0]] < 2 || shape[layout.dimensions[1]] < 2) return "a dimension of one element";
      break;
  }
  return layout.number == 0 ? std::string() : concat("\"number\" is ", layout.number, ", not 0");
}

}  // namespace

std::optional<std::vector<std::size_t>> parse_dimensions(std::string_view text, std::size_t rank) {
  Dimensions out;
  for (const char* at = text.data(); at <= text.data() + text.size();) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), number);
    if (error != std::errc() || number >= rank || std::find(out.begin(), out.end(), number) != out.end()) {
      return std::nullopt;
    }
    out.push_back(number);
    if (end == text.data() + text.size()) return out;
    if (*end != ',') return std::nullopt;
    at = end + 1;
  }
  return std::nullopt;
}

bool keeps_order(const Choice& choice, const std::vector<std::int64_t>& shape) {
  const auto parsed = parse(choice, shape.size());
  if (!parsed || !problem_with(*parsed, shape).empty()) return false;
  const Layout& layout = *parsed;
  if (layout.form == Layout::Form::rotate) return false;
  Dimensions order = layout.dimensions;
  if (layout.form == Layout::Form::split) order = in_order(shape.size());
  if (layout.form == Layout::Form::merge) {
    order = in_order(shape.size());
    const std::size_t at = std::min(layout.dimensions[0], layout.dimensions[1]);
    std::erase_if(order, [&](std::size_t one) { return one == layout.dimensions[0] || one == layout.dimensions[1]; });
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), layout.dimensions.begin(), layout.dimensions.end());
  }
  const std::size_t padded = layout.form == Layout::Form::split ? layout.dimensions[0] : order.back();
  const bool is_padded = layout.form == Layout::Form::split     ? shape[padded] % layout.number != 0
                         : layout.form == Layout::Form::flatten ? layout.number > 0
                                                                : false;
  // A dimension of one element has no order; unused places behind all elements come between none.
  for (const std::size_t one : order) {
    if (one == padded) break;
    if (is_padded && shape[one] > 1) return false;
  }
  std::erase_if(order, [&](std::size_t one) { return shape[one] == 1; });
  return std::is_sorted(order.begin(), order.end());
}

std::int64_t elements_of(const std::vector<std::int64_t>& shape, std::int64_t limit) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) {
    if (extent > limit / product) return limit + 1;
    product *= extent;
  }
  return product;
}

void offer_layouts(const Site& at, const std::vector<ParameterDomain>& first, const std::vector<std::int64_t>& shape,
                   const std::function<bool(const Layout&)>& changes, Listing& listing, bool may_pad) {
  const std::size_t rank = shape.size();
  const auto offer = [&](std::string_view form, std::vector<std::string> dimensions,
                         decltype(ParameterDomain::values) numbers, bool extended) {
    std::vector<ParameterDomain> parameters = first;
    parameters.push_back({"form", std::vector<std::string>{std::string(form)}});
    parameters.push_back({"dimensions", std::move(dimensions)});
    parameters.push_back({"number", std::move(numbers)});
    listing.offer({at, std::move(parameters), extended});
  };
  const std::vector<std::int64_t> none = {0};
  std::vector<std::string> transposes;
  for (const Dimensions& order : permutations(rank)) {
    if (changes({Layout::Form::transpose, order, 0})) transposes.push_back(text_of(order));
  }
  offer("transpose", std::move(transposes), none, false);
  const bool fits =
      elements_of(shape, kMaxTensorElements / (kMaxPadding + 1)) <= kMaxTensorElements / (kMaxPadding + 1);
  Dimensions order = in_order(rank);
  std::vector<std::string> orders = {text_of(order)};
  std::reverse(order.begin(), order.end());
  orders.push_back(text_of(order));
  if (rank > 1 && elements_of(shape, kMaxTensorElements) <= kMaxTensorElements) {
    offer("flatten", orders, none, false);
    if (rank > 2) offer("merge", pairs(rank), none, false);
  }
  for (std::size_t i = 0; i < rank; ++i) {
    std::vector<std::int64_t> factors = divisors(shape[i]);
    factors.erase(factors.begin());
    if (!factors.empty()) factors.pop_back();
    offer("split", {text_of({i})}, factors, false);
    if (shape[i] > 2 && may_pad) offer("split", {text_of({i})}, IntegerRange{2, shape[i] - 1, factors}, true);
  }
  if (!listing.extended) return;
  if (rank > 1 && fits && may_pad) offer("flatten", orders, IntegerRange{1, kMaxPadding, {}}, true);
  for (std::size_t i = 0; i < rank; ++i) {
    std::vector<std::string> turned;
    for (std::size_t j = 0; j < rank; ++j) {
      if (i == j || shape[i] < 2 || shape[j] < 2) continue;
      if (changes({Layout::Form::rotate, {i, j}, 0})) turned.push_back(text_of({i, j}));
    }
    offer("rotate", std::move(turned), none, true);
  }
}

std::vector<Layout> most_padded(const std::vector<std::int64_t>& shape) {
  std::vector<Layout> out;
  Dimensions order = in_order(shape.size());
  if (shape.size() > 1) out.push_back({Layout::Form::flatten, order, kMaxPadding});
  std::reverse(order.begin(), order.end());
  if (shape.size() > 1) out.push_back({Layout::Form::flatten, order, kMaxPadding});
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > 2) out.push_back({Layout::Form::split, {i}, shape[i] - 1});
  }
  return out;
}

Result<Layout, Refusal> layout_of(const Choice& choice, const std::vector<std::int64_t>& shape,
                                  const Precondition& fits) {
  auto layout = parse(choice, shape.size());
  if (!layout) return Refusal{&kChoice, choice.at, layout.error(), {}};
  std::string problem = problem_with(*layout, shape);
  if (!problem.empty()) return Refusal{&fits, choice.at, std::move(problem), {}};
  return *std::move(layout);
}

std::optional<std::vector<Index>> mapped(const Layout& layout, const std::vector<std::int64_t>& shape,
                                         const std::vector<Index>& subscripts) {
  const Dimensions& dimensions = layout.dimensions;
  std::vector<Index> out;
  if (layout.form == Layout::Form::transpose) {
    for (const std::size_t dimension : dimensions) out.push_back(subscripts[dimension]);
    return out;
  }
  std::optional<Index> value = subscripts[dimensions[0]];
  if (layout.form == Layout::Form::flatten) {
    for (std::size_t i = 1; i < dimensions.size() && value; ++i) {
      const std::int64_t padding = i + 1 == dimensions.size() ? layout.number : 0;
      value = scaled_plus(*value, shape[dimensions[i]] + padding, subscripts[dimensions[i]]);
    }
    return value ? std::optional(std::vector<Index>{*value}) : std::nullopt;
  }
  out = subscripts;
  const auto at = [&out](std::size_t dimension) { return out.begin() + static_cast<std::ptrdiff_t>(dimension); };
  const Index number = Index::constant(layout.number);
  if (layout.form == Layout::Form::split) {
    const auto quotient = Index::floor_divide(*value, number);
    const auto remainder = Index::modulo(*value, number);
    if (!quotient || !remainder) return std::nullopt;
    *at(dimensions[0]) = *remainder;
    out.insert(at(dimensions[0]), *quotient);
    return out;
  }
  if (layout.form == Layout::Form::merge) {
    value = scaled_plus(*value, shape[dimensions[1]], subscripts[dimensions[1]]);
    if (!value) return std::nullopt;
    *at(std::min(dimensions[0], dimensions[1])) = *value;
    out.erase(at(std::max(dimensions[0], dimensions[1])));
    return out;
  }
  const auto sum = Index::add(*value, subscripts[dimensions[1]]);
  value = sum ? Index::modulo(*sum, Index::constant(shape[dimensions[0]])) : std::nullopt;
  if (!value) return std::nullopt;
  *at(dimensions[0]) = *value;
  return out;
}

}  // namespace steptp
