// Values and conditions of generated programs.
#include <algorithm>
#include <array>
#include <utility>

#include "testing/generator_context.h"

namespace steptp::testing {

namespace {

DTypeFamily family_of(DType dtype) { return info(dtype).family; }

constexpr std::array kPublishedFunctions = {Function::exp, Function::log, Function::sqrt,
                                            Function::abs, Function::erf, Function::negate};
constexpr std::array kExtensions = {Function::tanh, Function::sin,   Function::cos,  Function::floor,
                                    Function::ceil, Function::round, Function::rsqrt};

ExprPtr negated(ExprPtr expr) { return make_call(Function::negate, std::move(expr)); }
ExprPtr infinity() { return make_expr(Infinity{}); }
ExprPtr extremum(bool is_max, ExprPtr left, ExprPtr right) {
  return make_expr(Extremum{is_max, std::move(left), std::move(right)});
}
CompareOp draw_comparison(Random& random) { return static_cast<CompareOp>(random.below(6)); }
ArithmeticOp draw_additive(Random& random) { return random.chance(1, 2) ? ArithmeticOp::add : ArithmeticOp::subtract; }

}  // namespace

ExprPtr ExpressionGenerator::decimal() {
  static constexpr std::array kUsual = {0.5, 1.5,    2.0,    0.0, 0.044715, 1e-05, 1e10, 0.7978845608028654,
                                        3.0, 1e-300, 6.02e23};
  if (random_.chance(2, 3)) return real_literal(kUsual[random_.below(kUsual.size())]);
  return real_literal(static_cast<double>(random_.below(100000)) /
                      static_cast<double>(std::uint64_t{1} << random_.below(40)));
}

/// Shrinks one integer of any small range into [0, size).
Index ExpressionGenerator::from_one(const Handle& handle, std::int64_t size) {
  const std::int64_t span = handle.high - handle.low + 1;
  const Index zeroed = minus(handle.index, Index::constant(handle.low));
  if (span <= size) {
    const Index shift = Index::constant(random_.between(0, size - span));
    const std::int64_t widest = span > 1 ? (size - 1) / (span - 1) : 1;
    switch (random_.below(8)) {
      case 0: return plus(minus(Index::constant(span - 1), zeroed), shift);
      case 1: return widest > 1 ? times(zeroed, random_.between(2, widest)) : zeroed;
      case 2: return remainder(plus(zeroed, Index::constant(random_.between(1, 3))), size);
      case 3: return plus(zeroed, shift);
      default: return zeroed;
    }
  }
  const std::int64_t divisor = (span + size - 1) / size;
  switch (random_.below(4)) {
    case 0: return remainder(zeroed, size);
    case 1: return remainder(plus(times(zeroed, random_.between(2, 3)), Index::constant(random_.between(0, 4))), size);
    case 2: return minus(Index::constant(size - 1), quotient(zeroed, divisor));
    default: return quotient(zeroed, divisor);
  }
}

Index ExpressionGenerator::from_two(const Handle& first, const Handle& second, std::int64_t size) {
  const std::int64_t span_one = first.high - first.low;
  const std::int64_t span_two = second.high - second.low;
  const Index one = minus(first.index, Index::constant(first.low));
  const Index two = minus(second.index, Index::constant(second.low));
  if (!options_.affine_only && span_one * span_two < size && random_.chance(1, 3)) {
    return Index::multiply(one, two).value();
  }
  if (span_one * (span_two + 1) + span_two < size && random_.chance(1, 2)) {
    return plus(times(one, span_two + 1), two);
  }
  if (span_one + span_two < size) return plus(one, two);
  const std::int64_t divisor = (span_one + span_two + size) / size;
  if (random_.chance(1, 2)) return quotient(plus(one, two), divisor);
  return remainder(random_.chance(1, 2) ? plus(one, two) : plus(times(one, random_.between(2, 4)), two), size);
}

std::optional<Index> ExpressionGenerator::indirect(const Context& context, std::int64_t size, int depth) {
  if (options_.affine_only || depth > 1) return std::nullopt;
  std::vector<Tensor> fitting;
  for (const Tensor& tensor : context.tensors) {
    if (tensor.bound && *tensor.bound <= size && is_integer(tensor.dtype)) fitting.push_back(tensor);
  }
  if (fitting.empty()) return std::nullopt;
  const Tensor& chosen = pick(random_, fitting);
  const Index read = Index::read(element(context, chosen, depth + 1));
  if (random_.chance(1, 5)) return minus(Index::constant(size - 1), read);
  return plus(read, Index::constant(random_.chance(1, 3) ? random_.between(0, size - *chosen.bound) : 0));
}

Index ExpressionGenerator::subscript(const Context& context, std::int64_t size, int depth) {
  if (random_.chance(2, 5)) {
    if (auto found = indirect(context, size, depth)) return *std::move(found);
  }
  if (context.handles.empty() || random_.chance(1, 12)) {
    return Index::constant(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(size))));
  }
  std::vector<Handle> exact;
  for (const Handle& handle : context.handles) {
    if (handle.low == 0 && handle.high == size - 1) exact.push_back(handle);
  }
  if (!exact.empty() && random_.chance(1, 2)) return pick(random_, exact).index;
  const Handle& first = pick(random_, context.handles);
  if (random_.chance(1, 3)) return from_two(first, pick(random_, context.handles), size);
  return from_one(first, size);
}

RefPtr ExpressionGenerator::element(const Context& context, const Tensor& tensor, int depth) {
  std::vector<Index> subscripts;
  for (const std::int64_t size : tensor.shape) subscripts.push_back(subscript(context, size, depth));
  return make_ref(tensor.name, tensor.dtype, tensor.scope, std::move(subscripts));
}

/// An element of some tensor of the family, or null.
ExprPtr ExpressionGenerator::leaf_of(const Context& context, DTypeFamily family) {
  std::vector<RefPtr> cells;
  for (const RefPtr& cell : context.cells) {
    if (family_of(cell->dtype) == family) cells.push_back(cell);
  }
  if (!cells.empty() && random_.chance(1, 2)) return read_expr(pick(random_, cells));
  std::vector<Tensor> fitting;
  for (const Tensor& tensor : context.tensors) {
    if (family_of(tensor.dtype) != family) continue;
    // Shared and local tensors are few and need their readers.
    for (int copies = tensor.scope == Scope::global ? 1 : 4; copies > 0; --copies) fitting.push_back(tensor);
  }
  if (fitting.empty()) return cells.empty() ? nullptr : read_expr(pick(random_, cells));
  return read_expr(element(context, pick(random_, fitting)));
}

ExprPtr ExpressionGenerator::real_leaf(const Context& context) {
  if (random_.chance(5, 6)) {
    if (ExprPtr leaf = leaf_of(context, DTypeFamily::floating)) return leaf;
  }
  if (random_.chance(1, 4)) return make_product(integer_leaf(context), ArithmeticOp::multiply, decimal());
  return decimal();
}

/// Of a float type because a float tensor takes part: only beside such a value is `inf` clear of integers further out.
ExprPtr ExpressionGenerator::strong_real(const Context& context, int depth) {
  ExprPtr leaf = leaf_of(context, DTypeFamily::floating);
  if (!leaf || depth <= 0 || random_.chance(1, 2)) return leaf;
  return make_sum(leaf, draw_additive(random_), real(context, depth - 1));
}

ExprPtr ExpressionGenerator::integer_leaf(const Context& context) {
  if (random_.chance(1, 2)) {
    if (ExprPtr leaf = leaf_of(context, DTypeFamily::integer)) return leaf;
  }
  if (!context.loops.empty() && random_.chance(1, 2)) {
    return make_expr(IndexValue{pick(random_, context.loops).index});
  }
  return integer_literal(random_.between(0, random_.chance(1, 8) ? 100 : 9));
}

/// Never zero: a literal, or max(abs(x),1).
ExprPtr ExpressionGenerator::integer_divisor(const Context& context, int depth) {
  if (random_.chance(2, 3)) return integer_literal(random_.between(1, 9));
  return extremum(true, make_call(Function::abs, integer(context, depth - 1)), integer_literal(1));
}

ExprPtr ExpressionGenerator::integer(const Context& context, int depth) {
  if (depth <= 0) return integer_leaf(context);
  const auto next = [&] { return integer(context, depth - 1); };
  switch (random_.below(11)) {
    case 0:
    case 1: return make_sum(next(), draw_additive(random_), next());
    case 2: return make_product(next(), ArithmeticOp::multiply, next());
    case 3: return make_product(next(), ArithmeticOp::floor_divide, integer_divisor(context, depth));
    case 4: return make_product(next(), ArithmeticOp::modulo, integer_divisor(context, depth));
    case 5: return extremum(random_.chance(1, 2), next(), next());
    case 6: return make_call(random_.chance(1, 2) ? Function::abs : Function::negate, next());
    case 7: return make_expr(Power{next(), integer_literal(random_.between(0, 3))});
    case 8: return select(condition(context, depth - 1), next(), next());
    default: return integer_leaf(context);
  }
}

ExprPtr ExpressionGenerator::call(const Context& context, int depth) {
  // Weak values are f64 once a function is applied, so a bare index is a fine argument of a real function.
  const bool bare_index = !context.loops.empty() && random_.chance(1, 10);
  ExprPtr argument = bare_index ? make_expr(IndexValue{pick(random_, context.loops).index}) : real(context, depth - 1);
  const Function function = !options_.published_only && random_.chance(1, 2)
                                ? kExtensions[random_.below(kExtensions.size())]
                                : kPublishedFunctions[random_.below(kPublishedFunctions.size())];
  const bool keeps_integers = function == Function::abs || function == Function::negate ||
                              function == Function::floor || function == Function::ceil || function == Function::round;
  if (bare_index && keeps_integers) argument = make_product(argument, ArithmeticOp::multiply, decimal());
  return make_call(function, std::move(argument));
}

ExprPtr ExpressionGenerator::padded(const Context& context, int depth) {
  std::vector<Tensor> fitting;
  for (const Tensor& tensor : context.tensors) {
    if (is_float(tensor.dtype) && !tensor.shape.empty()) fitting.push_back(tensor);
  }
  if (fitting.empty() || context.handles.empty()) return real_leaf(context);
  const Tensor& tensor = pick(random_, fitting);
  const RefPtr inside = element(context, tensor);
  std::vector<Index> subscripts = inside->subscripts;
  std::vector<ExprPtr> conditions;
  const bool outside = random_.chance(1, 4);  // written the other way round: where it is out of range
  const std::size_t padded_dimensions = tensor.shape.size() > 1 && random_.chance(1, 3) ? 2 : 1;
  const std::size_t first = random_.below(tensor.shape.size() - padded_dimensions + 1);
  for (std::size_t d = first; d < first + padded_dimensions; ++d) {
    const Handle& handle = pick(random_, context.handles);
    const std::int64_t shift = random_.between(-2, 2);
    const std::int64_t size = tensor.shape[d];
    // subscript = handle - shift, in range where shift <= handle < size + shift
    const Index moved = minus(handle.index, Index::constant(shift));
    subscripts[d] = moved;
    const ExprPtr plain = value_of(shift >= 0 ? handle.index : moved);
    const std::int64_t low = shift >= 0 ? shift : 0;
    const std::int64_t high = shift >= 0 ? size + shift : size;
    if (outside) {
      conditions.push_back(compare_two(plain, CompareOp::less, integer_literal(low)));
      conditions.push_back(compare_two(plain, CompareOp::greater_equal, integer_literal(high)));
    } else if (random_.chance(1, 2)) {
      conditions.push_back(compare_chain(low, plain, high));
    } else {
      conditions.push_back(compare_two(value_of(moved), CompareOp::greater_equal, integer_literal(0)));
      conditions.push_back(compare_two(plain, CompareOp::less, integer_literal(high)));
    }
  }
  const ExprPtr read = read_expr(make_ref(tensor.name, tensor.dtype, tensor.scope, std::move(subscripts)));
  ExprPtr filler = random_.chance(1, 3)   ? real(context, depth - 1)
                   : random_.chance(1, 3) ? negated(infinity())
                                          : integer_literal(0);
  if (outside) return select(logic(LogicOp::disjunction, conditions), std::move(filler), read);
  return select(logic(LogicOp::conjunction, conditions), read, std::move(filler));
}

/// if_then_else(0<=I_{..}<n, A_{I_{..}}, other): the value of I alone decides whether A is read.
ExprPtr ExpressionGenerator::guarded_by_data(const Context& context, int depth) {
  std::vector<Tensor> integers;
  std::vector<Tensor> reals;
  for (const Tensor& tensor : context.tensors) {
    if (is_integer(tensor.dtype)) integers.push_back(tensor);
    if (is_float(tensor.dtype) && !tensor.shape.empty()) reals.push_back(tensor);
  }
  if (options_.affine_only || integers.empty() || reals.empty()) return padded(context, depth);
  const RefPtr selector = element(context, pick(random_, integers));
  const Tensor& tensor = pick(random_, reals);
  const RefPtr inside = element(context, tensor);
  std::vector<Index> subscripts = inside->subscripts;
  const std::size_t d = random_.below(subscripts.size());
  subscripts[d] = Index::read(selector);
  return select(compare_chain(0, read_expr(selector), tensor.shape[d]),
                read_expr(make_ref(tensor.name, tensor.dtype, tensor.scope, std::move(subscripts))),
                real(context, depth - 1));
}

ExprPtr ExpressionGenerator::real(const Context& context, int depth) {
  if (depth <= 0) return real_leaf(context);
  const auto next = [&] { return real(context, depth - 1); };
  const auto other = [&] { return random_.chance(1, 4) ? integer(context, depth - 1) : real(context, depth - 1); };
  switch (random_.below(17)) {
    case 0:
    case 1: return make_sum(next(), draw_additive(random_), other());
    case 2: return make_sum(other(), draw_additive(random_), next());
    case 3:
    case 4: return make_product(next(), ArithmeticOp::multiply, other());
    case 5: return make_product(other(), ArithmeticOp::divide, next());
    case 6:
      return make_product(next(), random_.chance(1, 2) ? ArithmeticOp::floor_divide : ArithmeticOp::modulo, next());
    case 7: return extremum(random_.chance(1, 2), next(), other());
    case 8: {
      const bool is_max = random_.chance(1, 2);
      const ExprPtr typed = strong_real(context, depth - 1);
      return typed ? extremum(is_max, is_max ? negated(infinity()) : infinity(), typed) : real_leaf(context);
    }
    case 9:
    case 10: return call(context, depth);
    case 11: {
      ExprPtr exponent = random_.chance(1, 2) ? integer_literal(random_.between(0, 3)) : next();
      return make_expr(Power{next(), random_.chance(1, 4) ? negated(exponent) : exponent});
    }
    case 12: {
      const ExprPtr typed = random_.chance(1, 5) ? strong_real(context, depth - 1) : nullptr;
      if (typed) return select(condition(context, depth - 1), negated(infinity()), typed);
      return select(condition(context, depth - 1), next(), next());
    }
    case 13: return padded(context, depth);
    case 14: return guarded_by_data(context, depth);
    case 15:
      if (ExprPtr flag = leaf_of(context, DTypeFamily::boolean)) {
        return make_product(flag, ArithmeticOp::multiply, next());
      }
      return real_leaf(context);
    default: return real_leaf(context);
  }
}

ExprPtr ExpressionGenerator::index_condition(const Context& context) {
  if (context.handles.empty()) return compare_two(integer_literal(0), CompareOp::less, integer_literal(1));
  const Handle& first = pick(random_, context.handles);
  const ExprPtr value = value_of(first.index);
  const std::int64_t limit = random_.between(first.low, first.high + 1);
  switch (random_.below(5)) {
    case 0: {
      const ExprPtr remaining = make_product(value, ArithmeticOp::modulo, integer_literal(random_.between(2, 3)));
      return compare_two(remaining, draw_comparison(random_), integer_literal(random_.between(0, 2)));
    }
    case 1: return compare_chain(random_.between(0, 2), value, std::max<std::int64_t>(limit, 0));
    case 2: {
      const Handle& second = pick(random_, context.handles);
      return compare_two(value, draw_comparison(random_),
                         value_of(plus(second.index, Index::constant(random_.between(-1, 1)))));
    }
    default: return compare_two(value, draw_comparison(random_), integer_literal(std::max<std::int64_t>(limit, 0)));
  }
}

ExprPtr ExpressionGenerator::condition(const Context& context, int depth) {
  if (depth > 0 && random_.chance(1, 3)) {
    std::vector<ExprPtr> operands;
    for (std::int64_t count = random_.between(2, 3); count > 0; --count)
      operands.push_back(condition(context, depth - 1));
    return logic(random_.chance(1, 2) ? LogicOp::conjunction : LogicOp::disjunction, operands);
  }
  switch (random_.below(6)) {
    case 0:
      if (ExprPtr flag = leaf_of(context, DTypeFamily::boolean)) return flag;
      [[fallthrough]];
    case 1: return compare_two(real(context, depth - 1), draw_comparison(random_), real_leaf(context));
    case 2: return compare_two(integer(context, depth - 1), draw_comparison(random_), integer_leaf(context));
    case 3: {
      ExprPtr value = leaf_of(context, DTypeFamily::floating);
      if (!value) return index_condition(context);
      return make_expr(Compare{{negated(infinity()), value, infinity()}, {CompareOp::less, CompareOp::less}});
    }
    default: return index_condition(context);
  }
}

ExprPtr ExpressionGenerator::bounded(const Context& context, std::int64_t bound) {
  if (!context.handles.empty() && random_.chance(2, 3)) {
    const Handle& handle = pick(random_, context.handles);
    const ExprPtr sum =
        random_.chance(1, 2)
            ? value_of(handle.index)
            : value_of(plus(times(handle.index, random_.between(1, 3)), Index::constant(random_.between(0, 5))));
    return make_product(sum, ArithmeticOp::modulo, integer_literal(bound));
  }
  // A remainder may be wider than its operands' range, so it is cut from both sides in the operands' own type.
  return extremum(false, extremum(true, integer_leaf(context), integer_literal(0)), integer_literal(bound - 1));
}

ExprPtr ExpressionGenerator::right_side(const Context& context, DType dtype, int depth) {
  switch (info(dtype).family) {
    case DTypeFamily::boolean: return random_.chance(5, 6) ? condition(context, depth) : real(context, depth);
    case DTypeFamily::integer: return random_.chance(4, 5) ? integer(context, depth) : real(context, depth);
    case DTypeFamily::floating: break;
  }
  return random_.chance(9, 10) ? real(context, depth) : integer(context, depth);
}

}  // namespace steptp::testing
