// Values of the language in their three kinds, and what one kind is in another: integers wrap to their type, reals are
// cut towards zero and kept within it, truths are 1 and 0. Two values are compared by their forms, and apart from that
// by where they have none (docs/decisions/0039).
#include "steptp/prove/values.h"

#include <optional>

#include "steptp/prove/give_up.h"

namespace steptp::forms {

bool is_same(const Value& left, const Value& right) {
  if (left.kind != right.kind) return false;
  switch (left.kind) {
    case Value::Kind::real: return left.real == right.real;
    case Value::Kind::integer: return left.integer == right.integer;
    case Value::Kind::truth: return left.truth == right.truth;
  }
  return false;
}

bool includes_hazards(Arena& arena, const Value& before, const Value& after) {
  if (after.hazard == kHarmless) return true;
  Hazards hazards(arena);
  PolynomialId excused = before.hazard;
  if (before.kind == Value::Kind::real) excused = hazards.united(excused, hazards.of_nan(before.real));
  return hazards.includes(excused, after.hazard);
}

PolynomialId Conversions::to_real(const Value& value) {
  switch (value.kind) {
    case Value::Kind::real: return value.real;
    case Value::Kind::integer: return arena_.polynomials.integer(value.integer);
    case Value::Kind::truth:
      return arena_.choices.select(value.truth, arena_.polynomials.constant(1), arena_.polynomials.constant(0));
  }
  return value.real;
}

Value Conversions::integer_of(PolynomialId polynomial) {
  auto affine = arena_.polynomials.as_affine(polynomial);
  if (!affine) throw GiveUp{"an integer without a normal form"};
  return integer_value(std::move(*affine));
}

Affine Conversions::to_integer(const Value& value, DType dtype) {
  switch (value.kind) {
    case Value::Kind::integer: return arena_.affines.wrapped(value.integer, dtype);
    case Value::Kind::truth: return integer_of(to_real(value)).integer;
    case Value::Kind::real: break;
  }
  if (const auto number = arena_.as_constant(value.real)) {
    mpz_class whole = number->get_num() / number->get_den();  // towards zero
    const DTypeInfo& type = info(dtype);
    if (whole < mpz_class(static_cast<long>(type.least))) whole = static_cast<long>(type.least);
    if (whole > mpz_class(static_cast<long>(type.greatest))) whole = static_cast<long>(type.greatest);
    return Affine::number(whole.get_si());
  }
  if (const auto infinite = arena_.as_infinity(value.real)) {
    return Affine::number(*infinite > 0 ? info(dtype).greatest : info(dtype).least);
  }
  if (const auto affine = arena_.polynomials.as_affine(value.real)) {
    if (Interval{info(dtype).least, info(dtype).greatest}.contains(arena_.known.range(*affine))) return *affine;
  }
  const PolynomialId converted = arena_.polynomials.generator(
      {Generator::Kind::conversion, static_cast<std::uint32_t>(dtype), {value.real}, {}, {}, {}});
  return arena_.affines.atom({Atom::Kind::value, *arena_.as_generator(converted), 0, {}});
}

ConditionId Conversions::to_truth(const Value& value) {
  switch (value.kind) {
    case Value::Kind::truth: return value.truth;
    case Value::Kind::integer: return arena_.conditions.negation(arena_.conditions.zero(value.integer));
    case Value::Kind::real: break;
  }
  return arena_.conditions.compare(CompareOp::not_equal, value.real, arena_.polynomials.constant(0));
}

Value Conversions::convert(const Value& value, DType dtype) {
  if (is_float(dtype)) return real_value(to_real(value));
  if (dtype == DType::boolean) return truth_value(to_truth(value));
  return integer_value(to_integer(value, dtype));
}

Value Conversions::choose(ConditionId condition, const Value& if_true, const Value& if_false, DType dtype) {
  if (is_float(dtype)) return real_value(arena_.choices.select(condition, to_real(if_true), to_real(if_false)));
  if (dtype == DType::boolean) {
    return truth_value(arena_.conditions.disjunction(
        {arena_.conditions.conjunction({condition, to_truth(if_true)}),
         arena_.conditions.conjunction({arena_.conditions.negation(condition), to_truth(if_false)})}));
  }
  const PolynomialId chosen = arena_.choices.select(condition, arena_.polynomials.integer(to_integer(if_true, dtype)),
                                                    arena_.polynomials.integer(to_integer(if_false, dtype)));
  return integer_of(chosen);
}

}  // namespace steptp::forms
