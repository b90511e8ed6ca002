#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kAt = R"({"at":"1"})";
constexpr std::string_view kProduct = "B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+A[tx,c]*F[a,c];];";
constexpr std::string_view kSum = "B(tx,8)L(a,6)[D[tx]=D[tx]+C[tx,a];];";

std::string program(std::string_view product, std::string_view sum) {
  return concat("@input A f32[8,4]\n@input F f32[6,4]\n@input G f32[6]\n@output D f32[8]\n", product, sum, "\n");
}

void refused(std::string_view product, std::string_view sum, std::string_view why) {
  expect_refusal("summed_operand", program(product, sum), kAt, why);
}

TEST(SummedOperand, OverColumnsOfAProduct) {
  expect_rewrite("summed_operand", program(kProduct, kSum), kAt,
                 concat(kProduct, "L(d,4)L(a,6)[E[d]=E[d]+F[a,d];];B(tx,8)L(d,4)[D[tx]=D[tx]+A[tx,d]*E[d];];"));
}

TEST(SummedOperand, OverRowsOfABatch) {
  constexpr std::string_view kBatch = "B(tx,3)L(a,8)L(c,6)L(d,4)[C[tx,a,c]=C[tx,a,c]+A[tx,a,d]*F[c,d];];";
  expect_rewrite("summed_operand",
                 concat("@input A f32[3,8,4]\n@input F f32[6,4]\n@output D f32[3,1,6]\n", kBatch,
                        "B(tx,3)L(a,6)L(c,8)[D[tx,0,a]=D[tx,0,a]+C[tx,c,a];];\n"),
                 kAt,
                 concat(kBatch,
                        "B(tx,3)L(d,4)L(c,8)[E[tx,d]=E[tx,d]+A[tx,c,d];];"
                        "B(tx,3)L(a,6)L(d,4)[D[tx,0,a]=D[tx,0,a]+F[a,d]*E[tx,d];];"));
}

// A bias is added up as often as there are columns, and a factor of it that all columns share is taken out, too.
TEST(SummedOperand, WithABias) {
  const std::string_view bias = "B(tx,8)L(a,6)[C[tx,a]=C[tx,a]+G[a];];";
  expect_rewrite("summed_operand", program(concat(kProduct, bias), kSum), R"({"at":"2"})",
                 concat(kProduct, bias,
                        "L(d,4)L(a,6)[E[d]=E[d]+F[a,d];];B(tx,8)L(d,4)[D[tx]=D[tx]+A[tx,d]*E[d];];"
                        "B(tx,8)L(a,6)[D[tx]=D[tx]+G[a];];"));
  const std::string_view scaled = "B(tx,8)L(a,6)[C[tx,a]=C[tx,a]+A[tx,0]*G[a];];";
  expect_rewrite("summed_operand", program(concat(kProduct, scaled), kSum), R"({"at":"2"})",
                 concat(kProduct, scaled,
                        "L(d,4)L(a,6)[E[d]=E[d]+F[a,d];];B(tx,8)L(d,4)[D[tx]=D[tx]+A[tx,d]*E[d];];"
                        "L(a,6)[H[]=H[]+G[a];];B(tx,8)[D[tx]=D[tx]+A[tx,0]*H[];];"));
}

// Of three factors two stay together; the sum over everything has an operand for each of what is left.
TEST(SummedOperand, SeveralFactors) {
  const std::string_view product = "B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+A[tx,c]*F[a,c]*G[a];];";
  expect_rewrite("summed_operand", program(product, kSum), kAt,
                 concat(product, "L(d,4)L(a,6)[E[d]=E[d]+F[a,d]*G[a];];B(tx,8)L(d,4)[D[tx]=D[tx]+A[tx,d]*E[d];];"));
}

TEST(SummedOperand, WantsASumOfAnIntermediate) {
  refused(kProduct, "B(tx,8)L(a,6)[D[tx]=max(D[tx],C[tx,a]);];", "sum");
  refused(kProduct, "B(tx,8)L(a,6)[D[tx]=D[tx]-C[tx,a];];", "sum");
  refused(kProduct, "B(tx,8)L(a,6)[D[tx]=D[tx]+C[tx,a]*C[tx,a];];", "sum");
  refused(kProduct, "B(tx,8)L(a,6)?{a<3}[D[tx]=D[tx]+C[tx,a];];", "sum");
  refused(kProduct, "B(tx,8)[D[tx]=D[tx]+C[tx,2];];", "sum");
  refused(kProduct, "B(tx,8)L(a,4)[D[tx]=D[tx]+A[tx,a];];", "sum");
}

TEST(SummedOperand, WantsThatItIsMadeBySums) {
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=max(C[tx,a],A[tx,c]*F[a,c]);];", kSum, "made");
  refused("B(tx,8)L(a,6)[C[tx,a]=A[tx,0]*F[a,0];];", kSum, "made");
  refused("B(tx,8)L(a,6)L(c,4)?{c<3}[C[tx,a]=C[tx,a]+A[tx,c]*F[a,c];];", kSum, "made");
  // The last column has only its bias.
  refused(concat("B(tx,8)L(a,5)L(c,4)[C[tx,a]=C[tx,a]+A[tx,c]*F[a,c];];", "B(tx,8)L(a,6)[C[tx,a]=C[tx,a]+G[a];];"),
          "B(tx,8)L(a,6)[D[tx]=D[tx]+C[tx,a];];", "sum");
  expect_refusal(
      "summed_operand",
      program("B(tx,8)L(a,5)L(c,4)[C[tx,a]=C[tx,a]+A[tx,c]*F[a,c];];B(tx,8)L(a,6)[C[tx,a]=C[tx,a]+G[a];];", kSum),
      R"({"at":"2"})", "made");
  // The diagonal.
  expect_refusal("summed_operand",
                 "@input A f32[8,4]\n@input F f32[8,4]\n@output D f32[8]\n"
                 "B(tx,8)L(a,8)[C[tx,a]=C[tx,a]+A[tx,0]*F[a,0];];"
                 "B(tx,8)L(c,4)[C[tx,tx]=C[tx,tx]+A[tx,c]*F[tx,c];];B(tx,8)L(a,8)[D[tx]=D[tx]+C[tx,a];];\n",
                 R"({"at":"2"})", "made");
}

// What a term reads is other data by the time of the sum.
TEST(SummedOperand, WantsOperandsThatStay) {
  expect_refusal("summed_operand",
                 program("B(tx,8)L(a,4)[H[tx,a]=A[tx,a]*2;];B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+H[tx,c]*F[a,c];];"
                         "B(tx,8)L(a,4)[H[tx,a]=A[tx,a]*3;];",
                         "B(tx,8)L(a,6)[D[tx]=D[tx]+C[tx,a];];B(tx,8)L(a,4)[D[tx]=D[tx]+H[tx,a];];"),
                 R"({"at":"3"})", "made");
}

TEST(SummedOperand, WantsThatWhatIsAddedUpIsWrittenBefore) {
  refused(kProduct, concat(kSum, "B(tx,8)L(a,6)[C[tx,a]=C[tx,a]+G[a];];B(tx,8)L(a,6)[D[tx]=D[tx]+C[tx,a];];"), "made");
}

TEST(SummedOperand, WantsAFactorThatStays) {
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+A[tx,c]+F[a,c];];", kSum, "made");
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+(A[tx,c]+F[a,c]);];", kSum, "product");
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+exp(A[tx,c])/F[a,c];];", kSum, "product");
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+F[a,c]*2;];", kSum, "product");
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+A[tx,c]*2;];", kSum, "product");
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+(A[tx,c]+F[a,c])*F[a,c];];", kSum, "product");
}

TEST(SummedOperand, WantsFiniteFactorsOfOneType) {
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+log(A[tx,c])*F[a,c];];", kSum, "finite");
  refused("B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+A[tx,c]*if_then_else(a<3,F[a,c],-inf);];", kSum, "finite");
  expect_refusal("summed_operand",
                 "@input A f16[8,4]\n@input F f16[6,4]\n@output D f32[8]\n"
                 "B(tx,8)L(a,6)L(c,4)[C[tx,a]=C[tx,a]+A:f16[tx,c]*F:f16[a,c];];B(tx,8)L(a,6)[D[tx]=D[tx]+C[tx,a];];\n",
                 kAt, "types");
}

TEST(SummedOperand, Sizes) {
  expect_refusal("summed_operand",
                 "@input A f32[60000,60000]\n@input F f32[2,60000,60000]\n@output D f32[60000]\n"
                 "B(tx,60000)L(a,2)L(c,60000)[C[tx,a]=C[tx,a]+A[tx,c]*F[a,tx,c];];"
                 "B(tx,60000)L(a,2)[D[tx]=D[tx]+C[tx,a];];\n",
                 kAt, "memory");
}

}  // namespace
}  // namespace steptp::testing
