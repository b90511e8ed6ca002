#include "steptp/ir/typing.h"

#include <gtest/gtest.h>

#include <ostream>
#include <set>

namespace steptp {

void PrintTo(const ValueType& type, std::ostream* out) {
  *out << (type.weak ? "weak " : "") << code(type.dtype) << (type.has_inf ? " with inf" : "");
}

namespace {

constexpr ValueType kBool = typed(DType::boolean);
constexpr ValueType kI8 = typed(DType::i8);
constexpr ValueType kU8 = typed(DType::u8);
constexpr ValueType kI16 = typed(DType::i16);
constexpr ValueType kI64 = typed(DType::i64);
constexpr ValueType kF16 = typed(DType::f16);
constexpr ValueType kBf16 = typed(DType::bf16);
constexpr ValueType kF32 = typed(DType::f32);
constexpr ValueType kF64 = typed(DType::f64);
constexpr std::optional<ValueType> kError = std::nullopt;

struct JoinCase {
  ValueType left;
  ValueType right;
  std::optional<ValueType> sum;       ///< also of - * // % max min and of if_then_else
  std::optional<ValueType> quotient;  ///< also of the real power
};

TEST(Typing, TypesOfSumsAndQuotients) {
  const JoinCase cases[] = {
      {kF32, kF32, kF32, kF32},
      {kF16, kBf16, kF32, kF32},
      {kF16, kF64, kF64, kF64},
      {kF16, kI64, kF16, kF16},
      {kBool, kBf16, kBf16, kBf16},
      {kU8, kI8, kI16, kF32},
      {kI8, kI64, kI64, kF32},
      {kBool, kI8, kI8, kF32},
      {kBool, kBool, kBool, kF32},
      // weak integers take the operand's type, except that bool cannot hold them
      {kF16, kWeakInteger, kF16, kF16},
      {kI8, kWeakInteger, kI8, kF32},
      {kBool, kWeakInteger, kI64, kF32},
      // decimals
      {kBf16, kWeakDecimal, kBf16, kBf16},
      {kI64, kWeakDecimal, kF32, kF32},
      {kBool, kWeakDecimal, kF32, kF32},
      // weak only
      {kWeakInteger, kWeakInteger, kWeakInteger, kWeakDecimal},
      {kWeakInteger, kWeakDecimal, kWeakDecimal, kWeakDecimal},
      {kWeakInteger, kWeakInf, kWeakInf, kWeakInf},
      // inf
      {kF16, kWeakInf, kF16, kF16},
      {kI64, kWeakInf, kError, kF32},
      {kBool, kWeakInf, kError, kF32},
      {kWeakDecimal, kWeakInf, kWeakInf, kWeakInf},
  };
  for (const JoinCase& c : cases) {
    for (const auto& [left, right] : {std::pair{c.left, c.right}, std::pair{c.right, c.left}}) {
      for (const ArithmeticOp op : kAllArithmeticOps) {
        const bool real = op == ArithmeticOp::divide || op == ArithmeticOp::power;
        EXPECT_EQ(binary_type(op, left, right), real ? c.quotient : c.sum)
            << ::testing::PrintToString(left) << text_of(op) << ::testing::PrintToString(right);
      }
      EXPECT_EQ(join_type(left, right), c.sum);
      EXPECT_EQ(comparison_dtype(left, right), c.sum ? std::optional(c.sum->dtype) : std::nullopt);
    }
  }
}

TEST(Typing, PowerIsIntegerOnlyForIntegerBaseAndNaturalLiteral) {
  const auto power = [](ValueType base, ValueType exponent, bool natural) {
    return binary_type(ArithmeticOp::power, base, exponent, natural);
  };
  EXPECT_EQ(power(kI8, kWeakInteger, true), kI8);
  EXPECT_EQ(power(kBool, kWeakInteger, true), kI64);
  EXPECT_EQ(power(kWeakInteger, kWeakInteger, true), kWeakInteger);
  EXPECT_EQ(power(kF16, kWeakInteger, true), kF16);
  EXPECT_EQ(power(kWeakDecimal, kWeakInteger, true), kWeakDecimal);
  EXPECT_EQ(power(kI8, kWeakInteger, false), kF32);
  EXPECT_EQ(power(kI8, kI8, false), kF32);
  EXPECT_EQ(power(kWeakInteger, kI64, false), kF32);
  EXPECT_EQ(power(kWeakInteger, kWeakInteger, false), kWeakDecimal);
}

TEST(Typing, Functions) {
  EXPECT_EQ(unary_type(Function::exp, kF16), kF16);
  EXPECT_EQ(unary_type(Function::exp, kI64), kF32);
  EXPECT_EQ(unary_type(Function::sqrt, kBool), kF32);
  EXPECT_EQ(unary_type(Function::log, kWeakInteger), kWeakDecimal);
  EXPECT_EQ(unary_type(Function::exp, kWeakInf), kWeakDecimal);
  EXPECT_EQ(unary_type(Function::negate, kWeakInf), kWeakInf);
  for (const Function keeps : {Function::negate, Function::abs, Function::floor, Function::ceil, Function::round}) {
    for (const ValueType type : {kU8, kBool, kF64, kWeakInteger, kWeakDecimal})
      EXPECT_EQ(unary_type(keeps, type), type);
  }
}

TEST(Typing, JoinIsCommutativeAndWeakIsI64OrF64) {
  std::vector<ValueType> all = {kWeakInteger, kWeakDecimal, kWeakInf};
  for (const DType dtype : kAllDTypes) all.push_back(typed(dtype));
  for (const ValueType left : all) {
    for (const ValueType right : all) {
      const auto joined = join_type(left, right);
      EXPECT_EQ(joined, join_type(right, left));
      if (!joined) continue;
      EXPECT_EQ(joined->weak, left.weak && right.weak);
      EXPECT_TRUE(!joined->weak || joined->dtype == DType::i64 || joined->dtype == DType::f64);
      EXPECT_EQ(join_type(left, *joined), joined) << ::testing::PrintToString(left) << ::testing::PrintToString(right);
    }
  }
}

TEST(Operation, NamesAreDistinctAndParseBack) {
  std::set<std::string_view> names;
  int extensions = 0;
  for (const Function function : kAllFunctions) {
    EXPECT_TRUE(names.insert(text_of(function)).second);
    extensions += is_extension(function) ? 1 : 0;
    if (function == Function::negate) continue;
    EXPECT_EQ(parse_function(text_of(function)), function);
  }
  EXPECT_EQ(extensions, 7);
  EXPECT_FALSE(is_extension(Function::erf));
  EXPECT_TRUE(is_extension(Function::tanh));
  EXPECT_FALSE(parse_function("-"));
  EXPECT_FALSE(parse_function("max"));
  EXPECT_EQ(text_of(ArithmeticOp::floor_divide), "//");
  EXPECT_EQ(text_of(ArithmeticOp::power), "**");
  EXPECT_EQ(text_of(CompareOp::not_equal), "!=");
}

}  // namespace
}  // namespace steptp
