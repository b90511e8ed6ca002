// Values as they are written: every operation of floats is a generator of its own, with the type in which it is
// rounded, so that two programs with one form do the same roundings (docs/decisions/0040-safe.md). What is exact for
// all inputs leaves no trace: copies, signs, max and min, x+0, x*1, a conversion to a type that holds the value.
// Only accumulations may come in another order and in parts, because their error bound does not depend on it.
#include "steptp/prove/flow.h"

#include <algorithm>
#include <variant>

#include "steptp/prove/give_up.h"
#include "steptp/prove/written_operations.h"
#include "steptp/structure/types.h"

namespace steptp::forms {

namespace {

bool holds(DType wide, DType narrow) {
  return info(wide).precision >= info(narrow).precision && info(wide).max_exponent >= info(narrow).max_exponent;
}

/// A number of the type, exactly. Subnormal numbers have fewer digits.
bool is_number_of(DType dtype, const mpq_class& value) {
  if (value == 0) return true;
  const DTypeInfo& type = info(dtype);
  const mpz_class& denominator = value.get_den();
  const auto shift = static_cast<long>(mpz_scan1(denominator.get_mpz_t(), 0));
  if (denominator != mpz_class(1) << static_cast<unsigned long>(shift)) return false;
  const mpz_class numerator = abs(value.get_num());
  const auto zeros = static_cast<long>(mpz_scan1(numerator.get_mpz_t(), 0));
  const auto bits = static_cast<long>(mpz_sizeinbase(numerator.get_mpz_t(), 2));
  const long least = 2 - type.max_exponent - type.precision;  // of the last place of a subnormal number
  return bits - zeros <= type.precision && bits - 1 - shift <= type.max_exponent && zeros - shift >= least;
}

bool fits_accumulator(const ValueType& term, DType accumulator) {
  return term.weak || !is_float(term.dtype) || holds(accumulator, term.dtype);
}

}  // namespace

PolynomialId WrittenValues::kept_in(const TypedValue& value, DType dtype) {
  const PolynomialId real = to_real(value.value);
  const auto rounded = [&] {
    return arena_.polynomials.generator(
        {Generator::Kind::operation, operation_tag(WrittenOperation::Kind::rounding, dtype), {real}, {}, {}, {}});
  };
  if (const auto number = arena_.as_constant(real)) {
    // A literal that was computed with, or is kept in a tensor, has been rounded where it was.
    return is_number_of(dtype, *number) ? real : rounded();
  }
  if (real == arena_.functions.infinity() || real == arena_.polynomials.negate(arena_.functions.infinity()))
    return real;
  if (is_float(value.type.dtype)) return holds(dtype, value.type.dtype) ? real : rounded();
  if (value.value.kind != Value::Kind::integer) return real;
  const Interval range = arena_.known.range(value.value.integer);
  const Wide limit = Wide{1} << std::min(info(dtype).precision, 62);
  return range.low >= -limit && range.high <= limit ? real : rounded();
}

PolynomialId WrittenValues::written(ArithmeticOp op, const TypedValue& left, const TypedValue& right, DType dtype) {
  PolynomialId a = kept_in(left, dtype);
  PolynomialId b = kept_in(right, dtype);
  const PolynomialId zero = arena_.polynomials.constant(0);
  const PolynomialId one = arena_.polynomials.constant(1);
  const auto made = [&](ArithmeticOp kind) {
    return arena_.polynomials.generator({Generator::Kind::operation, operation_tag(kind, dtype), {a, b}, {}, {}, {}});
  };
  // (-x)*y = -(x*y) and (-x)/y = -(x/y), exactly: signs stand outside of products and quotients.
  const auto take_sign = [&](PolynomialId& value) {
    const Polynomial& node = arena_.polynomial(value);
    if (node.terms.size() != 1 || sgn(node.terms[0].second) >= 0) return false;
    value = arena_.polynomials.negate(value);
    return true;
  };
  switch (op) {
    case ArithmeticOp::subtract:
    case ArithmeticOp::add:
      if (op == ArithmeticOp::subtract) b = arena_.polynomials.negate(b);
      // x+0 = x, exactly.
      if (a == zero) return b;
      if (b == zero) return a;
      if (const auto sum = joined(a, b, dtype)) return *sum;
      return made(ArithmeticOp::add);
    case ArithmeticOp::multiply:
    case ArithmeticOp::divide: {
      const bool is_left_negative = take_sign(a);
      const bool is_negative = take_sign(b) != is_left_negative;
      PolynomialId result = 0;
      // x*1 = x and x/1 = x, exactly.
      if (b == one) {
        result = a;
      } else if (a == one && op == ArithmeticOp::multiply) {
        result = b;
      } else {
        result = made(op);
      }
      return is_negative ? arena_.polynomials.negate(result) : result;
    }
    case ArithmeticOp::floor_divide:
    case ArithmeticOp::modulo:
    case ArithmeticOp::power: return made(op);
    case ArithmeticOp::max: return arena_.choices.extremum(true, {a, b});
    case ArithmeticOp::min: return arena_.choices.extremum(false, {a, b});
  }
  throw GiveUp{"an operation that is not known"};
}

PolynomialId WrittenValues::written(Function function, const TypedValue& argument, DType dtype) {
  const PolynomialId a = kept_in(argument, dtype);
  switch (function) {
    case Function::negate: return arena_.polynomials.negate(a);
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: return arena_.functions.call(function, a);
    default: break;
  }
  return arena_.polynomials.generator({Generator::Kind::operation, operation_tag(function, dtype), {a}, {}, {}, {}});
}

bool WrittenValues::is_of_terms(PolynomialId value, DType dtype) {
  const Polynomial& node = arena_.polynomial(value);
  return std::all_of(node.terms.begin(), node.terms.end(), [&](const auto& term) {
    const auto& factors = arena_.monomial(term.first).factors;
    if (factors.size() != 1 || factors[0].second != 1) return false;
    const Generator& inside = arena_.generator(factors[0].first);
    const auto all_inside = [&] {
      return std::all_of(inside.polynomials.begin(), inside.polynomials.end(),
                         [&](PolynomialId part) { return is_of_terms(part, dtype); });
    };
    switch (inside.kind) {
      case Generator::Kind::operation: return inside.tag == operation_tag(WrittenOperation::Kind::term, dtype);
      case Generator::Kind::reduction:
        return inside.tag == static_cast<std::uint32_t>(ArithmeticOp::add) && all_inside();
      case Generator::Kind::select: return all_inside();
      default: return false;
    }
  });
}

std::optional<PolynomialId> WrittenValues::joined(PolynomialId left, PolynomialId right, DType dtype) {
  const bool is_left = is_of_terms(left, dtype);
  const bool is_right = is_of_terms(right, dtype);
  if (parts_.options.overestimates_sums ? !is_left && !is_right : !is_left || !is_right) return std::nullopt;
  return arena_.polynomials.add(as_term(left, dtype), as_term(right, dtype));
}

PolynomialId WrittenValues::as_term(PolynomialId value, DType dtype) {
  const Polynomial node = arena_.polynomial(value);
  if (node.terms.empty()) return value;
  if (is_of_terms(value, dtype)) return value;
  if (const auto chosen = arena_.as_generator(value)) {
    const Generator inside = arena_.generator(*chosen);
    if (inside.kind == Generator::Kind::select && arena_.is_index_condition(inside.conditions[0])) {
      return arena_.choices.select(inside.conditions[0], as_term(inside.polynomials[0], dtype),
                                   as_term(inside.polynomials[1], dtype));
    }
  }
  const bool is_negative = node.terms.size() == 1 && sgn(node.terms[0].second) < 0;
  const PolynomialId inside = is_negative ? arena_.polynomials.negate(value) : value;
  const PolynomialId term = arena_.polynomials.generator(
      {Generator::Kind::operation, operation_tag(WrittenOperation::Kind::term, dtype), {inside}, {}, {}, {}});
  return is_negative ? arena_.polynomials.negate(term) : term;
}

void WrittenValues::collect_terms(const Expr& expr, const Frame& frame, bool is_negated,
                                  std::vector<PolynomialId>& out) {
  const Ref& left = *table_.statements[frame.statement].equation->left;
  const auto is_own = [&](const Expr& part) {
    const auto* read = std::get_if<Read>(&part.node);
    return read && read->ref->tensor == left.tensor;
  };
  const auto has_own = [&](const ExprPtr& part) {
    bool found = false;
    for_each_ref(*part, [&](const RefPtr& ref) { found = found || ref->tensor == left.tensor; });
    return found;
  };
  if (is_own(expr)) return;
  const auto* sum = std::get_if<Sum>(&expr.node);
  if (!sum || is_negated) throw GiveUp{"an accumulation of another form"};
  const auto at = std::find_if(sum->operands.begin(), sum->operands.end(), has_own);
  if (at == sum->operands.end()) throw GiveUp{"an accumulation of another form"};
  const auto place = static_cast<std::size_t>(at - sum->operands.begin());
  const auto add = [&](const TypedValue& term, bool is_subtracted) {
    // The sum is rounded in the wider type, and the term is not rounded before.
    if (!fits_accumulator(term.type, left.dtype)) throw GiveUp{"a term of a wider type than its accumulator"};
    const PolynomialId value = as_term(kept_in(term, left.dtype), left.dtype);
    out.push_back(is_subtracted ? arena_.polynomials.negate(value) : value);
  };
  if (place > 0) {
    // What stands before the accumulator is summed up first.
    std::vector<ExprPtr> operands(sum->operands.begin(), at);
    std::vector<ArithmeticOp> operators(sum->operators.begin(),
                                        sum->operators.begin() + static_cast<std::ptrdiff_t>(place) - 1);
    add(parts_.evaluator.fold(operands, operators, frame), false);
  }
  collect_terms(**at, frame, place > 0 && sum->operators[place - 1] == ArithmeticOp::subtract, out);
  for (std::size_t i = place + 1; i < sum->operands.size(); ++i) {
    add(parts_.evaluator.evaluate(*sum->operands[i], frame), sum->operators[i - 1] == ArithmeticOp::subtract);
  }
}

PolynomialId WrittenValues::written_rounds(std::size_t statement, const Piece& piece, ConditionId where) {
  std::vector<PolynomialId> terms;
  {
    // What the summands cannot bear is known from the right side as a whole.
    const Evaluator::HazardsAside aside(parts_.evaluator);
    const Assumption assumed(arena_, where);
    collect_terms(*table_.statements[statement].equation->right, Frame{statement, piece.loops, true}, false, terms);
  }
  PolynomialId total = arena_.polynomials.constant(0);
  for (const PolynomialId term : terms) {
    // A partial accumulation of several terms is taken in term by term.
    for (const auto& part : Polynomial(arena_.polynomial(term)).terms) {
      const auto& factors = arena_.monomial(part.first).factors;
      if (factors.size() != 1 || factors[0].second != 1) throw GiveUp{"an accumulation of another form"};
      const PolynomialId body = arena_.polynomials.generator(Generator(arena_.generator(factors[0].first)));
      total = arena_.polynomials.add(
          total, arena_.polynomials.scale(arena_.reductions.reduce(ArithmeticOp::add, piece.free, {where}, body),
                                          part.second));
    }
  }
  return total;
}

PolynomialId WrittenValues::written_once(std::size_t statement, const Piece& piece, ConditionId where,
                                         std::optional<PolynomialId> earlier) {
  const DType dtype = table_.statements[statement].equation->left->dtype;
  if (earlier) earlier = without_terms(*earlier, dtype);
  PolynomialId result = 0;
  {
    // What the round cannot bear is known already.
    const Evaluator::HazardsAside aside(parts_.evaluator);
    const Assumption assumed(arena_, where);
    result = to_real(right_side(statement, piece.loops, true, earlier));
  }
  return arena_.choices.select(where, result, earlier.value_or(arena_.polynomials.constant(0)));
}

/// D=D*x or D=x*D: one product a round, rounded in the type of D.
bool WrittenValues::is_one_product(const Equation& equation) {
  const auto* product = std::get_if<Product>(&equation.right->node);
  if (!product || product->operands.size() != 2 || product->operators[0] != ArithmeticOp::multiply) return false;
  const auto is_own = [&](const Expr& part) {
    const auto* read = std::get_if<Read>(&part.node);
    return read && read->ref->tensor == equation.left->tensor;
  };
  const bool is_first = is_own(*product->operands[0]);
  if (is_first == is_own(*product->operands[1])) return false;
  const auto type = type_of(*product->operands[is_first ? 1 : 0]);
  return type && fits_accumulator(*type, equation.left->dtype);
}

PolynomialId WrittenValues::in_order(PolynomialId factor, std::size_t statement, const Piece& piece) {
  const Statement& code = table_.statements[statement];
  if (!is_one_product(*code.equation)) throw GiveUp{"a round of several products"};
  Affine round = Affine::number(0);
  for (std::size_t i = 0; i < piece.loops.size(); ++i) {
    const auto& used = arena_.traits_of_affine(arena_.intern(piece.loops[i])).variables;
    const bool is_own = std::any_of(piece.free.begin(), piece.free.end(),
                                    [&](VariableId id) { return std::binary_search(used.begin(), used.end(), id); });
    if (is_own) round = Affine::sum(Affine::scaled(round, code.loops[i]->extent), piece.loops[i]);
  }
  const std::uint32_t tag = operation_tag(WrittenOperation::Kind::term, code.equation->left->dtype);
  return arena_.polynomials.generator(
      {Generator::Kind::operation, tag, {factor, arena_.polynomials.integer(round)}, {}, {}, {}});
}

PolynomialId WrittenValues::without_terms(PolynomialId total, DType dtype) {
  const Polynomial node = arena_.polynomial(total);
  constexpr std::size_t kMost = 2;
  if (node.terms.empty() || node.terms.size() > kMost) return total;
  const std::uint32_t tag = operation_tag(WrittenOperation::Kind::term, dtype);
  std::vector<PolynomialId> values;
  for (const auto& [monomial, coefficient] : node.terms) {
    const auto& factors = arena_.monomial(monomial).factors;
    if (factors.size() != 1 || factors[0].second != 1 || abs(coefficient) != 1) return total;
    const Generator& inside = arena_.generator(factors[0].first);
    if (inside.kind != Generator::Kind::operation || inside.tag != tag) return total;
    values.push_back(arena_.polynomials.scale(inside.polynomials[0], coefficient));
  }
  if (values.size() == 1) return values[0];
  return arena_.polynomials.generator(
      {Generator::Kind::operation, operation_tag(ArithmeticOp::add, dtype), values, {}, {}, {}});
}

}  // namespace steptp::forms
