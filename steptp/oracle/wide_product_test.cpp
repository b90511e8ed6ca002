// Rule R22 of docs/language.md: the product of an accumulation of halves is computed in the type of the sum.
#include "steptp/ir/accumulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "testing/oracle_support.h"

namespace steptp {
namespace {

using testing::Doubles;
using testing::output;
using testing::program_of;
using testing::tensor_of;

/// D of one equation, with A and C of one type that hold one value each.
double result(const std::string& loops, const std::string& right, DType halves, double a, double c,
              const std::string& sum = "f32") {
  const std::string type(code(halves));
  // In a compact text the first occurrence of a name says its type.
  std::string marked = concat(loops, " D(a)=", right, ";");
  const std::pair<std::string, std::string> marks[] = {{"A(", type}, {"C(", type}, {"D(", sum}};
  for (const auto& [name, mark] : marks) {
    for (std::size_t at = marked.find(name); at != std::string::npos; at = marked.find(name, at + mark.size())) {
      marked.insert(at + 1, "^" + mark);
    }
  }
  const std::string text =
      concat("@input A ", type, "[1]\n@input C ", type, "[1]\n@output D ", sum, "[1]\n", marked, "\n");
  return output(text, "D", {{"A", tensor_of<double>(halves, {1}, {a})}, {"C", tensor_of<double>(halves, {1}, {c})}})
      .at(0);
}

TEST(WideProduct, DoesNotOverflow) {
  // 300*300 is beyond the greatest half, 65504.
  for (const char* loops : {"a1", "tx1 a1", "Pa1", "Va1", "Ua1"}) {
    EXPECT_EQ(result(loops, "D(a)+A(a)*C(a)", DType::f16, 300, 300), 90000) << loops;
  }
  EXPECT_EQ(result("a1", "A(a)*C(a)+D(a)", DType::f16, 300, 300), 90000);
  EXPECT_EQ(result("a1", "D(a)+A(a)*C(a)", DType::f16, 300, 300, "f64"), 90000);
  EXPECT_EQ(result("a1", "D(a)+where(a<1,A(a),0)*C(a)", DType::f16, 300, 300), 90000);
}

TEST(WideProduct, DoesNotRound) {
  const double f16 = 1 + 1.0 / 1024;
  EXPECT_EQ(result("a1", "D(a)+A(a)*C(a)", DType::f16, f16, f16), f16 * f16);
  const double bf16 = 1 + 1.0 / 128;
  EXPECT_EQ(result("a1", "D(a)+A(a)*C(a)", DType::bf16, bf16, bf16), bf16 * bf16);
}

TEST(WideProduct, OthersAreComputedInTheTypeOfTheirOperands) {
  const double f16 = 1 + 1.0 / 1024;
  const double rounded = 1 + 2.0 / 1024;
  // no accumulation; no product of two factors; a difference; factors that are computed
  EXPECT_EQ(result("a1", "A(a)*C(a)", DType::f16, f16, f16), rounded);
  EXPECT_EQ(result("a1", "D(a)+A(a)*C(a)*1", DType::f16, f16, f16), rounded);
  EXPECT_EQ(result("a1", "D(a)-A(a)*C(a)", DType::f16, f16, f16), -rounded);
  EXPECT_EQ(result("a1", "D(a)+A(a)**2", DType::f16, f16, f16), rounded);
  EXPECT_EQ(result("a1", "D(a)+(A(a)+0)*C(a)", DType::f16, f16, f16), rounded);
}

TEST(WideProduct, SaysWhereItApplies) {
  const auto of = [](const std::string& text) {
    std::optional<DType> out;
    const Program program = program_of(text);
    for_each_equation(program, [&](const Equation& equation, const std::vector<const Nest*>&) {
      if (const auto wide = wide_product(*equation.left, equation.right)) out = wide->dtype;
    });
    return out;
  };
  const std::string head = "@input A f16[4]\n@input C bf16[4]\n@input E f32[4]\n@output D f32[4]\n@output F f16[4]\n";
  const std::string rest = "a4 D(a)=0;a4 F^f16(a)=C^bf16(a)*E(a)*A^f16(a);";
  EXPECT_EQ(of(head + rest + "a4 D(a)+=A(a)*A(a);"), DType::f32);
  EXPECT_EQ(of(head + rest + "a4 D(a)+=A(a)*C(a);"), std::nullopt);  // these make f32 already
  EXPECT_EQ(of(head + rest + "a4 D(a)+=A(a)*E(a);"), std::nullopt);
  EXPECT_EQ(of(head + rest + "a4 F(a)+=A(a)*A(a);"), std::nullopt);  // the sum is no wider
  EXPECT_EQ(of(head + rest + "a4 D(a)=max(D(a),A(a)*A(a));"), std::nullopt);
  EXPECT_EQ(of(head + rest + "a4 D(a)=D(a)*A(a)*A(a);"), std::nullopt);
}

}  // namespace
}  // namespace steptp
