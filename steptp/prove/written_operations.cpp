#include "steptp/prove/written_operations.h"

#include <algorithm>

#include "steptp/prove/arena.h"

namespace steptp::forms {

namespace {

// Codes of operations: first those of ArithmeticOp, then those of Function.
constexpr std::uint32_t kTypes = 16;
constexpr std::uint32_t kFirstFunction = 16;
constexpr std::uint32_t kRounding = 48;
constexpr std::uint32_t kTerm = 49;

std::uint32_t tag_of(std::uint32_t code, DType dtype) { return code * kTypes + static_cast<std::uint32_t>(dtype); }

}  // namespace

std::uint32_t operation_tag(ArithmeticOp op, DType dtype) { return tag_of(static_cast<std::uint32_t>(op), dtype); }

std::uint32_t operation_tag(Function function, DType dtype) {
  return tag_of(kFirstFunction + static_cast<std::uint32_t>(function), dtype);
}

std::uint32_t operation_tag(WrittenOperation::Kind kind, DType dtype) {
  return tag_of(kind == WrittenOperation::Kind::term ? kTerm : kRounding, dtype);
}

WrittenOperation operation_of(std::uint32_t tag) {
  WrittenOperation out;
  out.dtype = static_cast<DType>(tag % kTypes);
  const std::uint32_t code = tag / kTypes;
  if (code == kTerm || code == kRounding) {
    out.kind = code == kTerm ? WrittenOperation::Kind::term : WrittenOperation::Kind::rounding;
  } else if (code >= kFirstFunction) {
    out.kind = WrittenOperation::Kind::function;
    out.function = static_cast<Function>(code - kFirstFunction);
  } else {
    out.op = static_cast<ArithmeticOp>(code);
  }
  return out;
}

bool is_commutative(const Generator& node) {
  if (node.kind != Generator::Kind::operation || node.polynomials.size() != 2) return false;
  const WrittenOperation operation = operation_of(node.tag);
  return operation.kind == WrittenOperation::Kind::arithmetic &&
         (operation.op == ArithmeticOp::add || operation.op == ArithmeticOp::multiply);
}

/// x**3: as finite as x.
bool Arena::is_natural_power(const Generator& node) const {
  if (operation_of(node.tag).op != ArithmeticOp::power) return false;
  const auto exponent = as_constant(node.polynomials[1]);
  return exponent && exponent->get_den() == 1 && sgn(*exponent) >= 0;
}

/// What the operands can be is in the traits already.
void Arena::set_operation_traits(const Generator& node, Traits& traits) {
  const WrittenOperation operation = operation_of(node.tag);
  traits.is_integer = !is_float(operation.dtype);
  if (traits.is_integer) {
    traits.may_be_infinite = traits.may_be_nan = false;
    return;
  }
  const auto set_wild = [&] { traits.may_be_infinite = traits.may_be_nan = true; };
  switch (operation.kind) {
    case WrittenOperation::Kind::rounding:
    case WrittenOperation::Kind::term: return;
    case WrittenOperation::Kind::arithmetic:
      if (operation.op == ArithmeticOp::add || operation.op == ArithmeticOp::multiply || is_natural_power(node)) {
        traits.may_be_nan |= traits.may_be_infinite;
      } else if (operation.op != ArithmeticOp::divide || traits.is_wild() || !sign(node.polynomials[1]).nonzero) {
        set_wild();
      }
      return;
    case WrittenOperation::Kind::function: break;
  }
  const Sign argument = sign(node.polynomials[0]);
  switch (operation.function) {
    case Function::exp:
      if (is_below_infinity(node.polynomials[0])) traits.may_be_infinite = false;
      return;
    case Function::erf:
    case Function::tanh: return;
    case Function::sqrt: traits.may_be_nan |= !argument.nonnegative; return;
    case Function::log:
    case Function::rsqrt:
      traits.may_be_nan |= !argument.nonnegative;
      traits.may_be_infinite |= !(argument.nonnegative && argument.nonzero);
      return;
    case Function::sin:
    case Function::cos: traits.may_be_nan |= traits.may_be_infinite; return;
    case Function::negate:
    case Function::abs:
    case Function::floor:
    case Function::ceil:
    case Function::round: set_wild(); return;
  }
}

/// Of the exact value: roundings do not count.
Sign Arena::sign_of_operation(const Generator& node) {
  const WrittenOperation operation = operation_of(node.tag);
  if (!is_float(operation.dtype)) return {};
  const auto of = [&](std::size_t operand) { return sign(node.polynomials[operand]); };
  switch (operation.kind) {
    case WrittenOperation::Kind::rounding:
    case WrittenOperation::Kind::term: return of(0);
    case WrittenOperation::Kind::function:
      if (operation.function == Function::exp) return {true, false, !traits(node.polynomials[0]).is_wild()};
      if (operation.function == Function::sqrt) {
        return {true, false, !traits(node.polynomials[0]).is_wild() && of(0).nonzero};
      }
      return {};
    case WrittenOperation::Kind::arithmetic: break;
  }
  const Sign a = of(0);
  const Sign b = of(1);
  switch (operation.op) {
    case ArithmeticOp::add:
      return {a.nonnegative && b.nonnegative, a.nonpositive && b.nonpositive,
              a.nonnegative && b.nonnegative && (a.nonzero || b.nonzero)};
    case ArithmeticOp::multiply:
      return {(a.nonnegative && b.nonnegative) || node.polynomials[0] == node.polynomials[1], false,
              a.nonzero && b.nonzero};
    case ArithmeticOp::divide: return {a.nonnegative && b.nonnegative, false, a.nonzero && b.nonzero};
    case ArithmeticOp::power: {
      const auto exponent = as_constant(node.polynomials[1]);
      const bool is_even = exponent && exponent->get_den() == 1 && mpz_even_p(exponent->get_num_mpz_t()) != 0;
      return {a.nonnegative || is_even, false, false};
    }
    default: return {};
  }
}

}  // namespace steptp::forms
