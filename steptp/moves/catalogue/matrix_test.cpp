#include <gtest/gtest.h>

#include <string>

#include "steptp/analysis/device.h"
#include "steptp/analysis/matrix_nests.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/plans/registry.h"
#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"
#include "testing/move_test.h"

namespace steptp::testing {
namespace {

/// A product with weights by rows, its bias and what follows.
std::string linear(std::string_view dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return concat("\n@input A ", dtype, "[", m, ",", k, "]\n@param H ", dtype, "[", n, ",", k, "]\n@param I ", dtype, "[",
                n, "]\n@output F ", dtype, "[", m, ",", n, "]\nB(tx,", m, ")L(a,", n, ")L(c,", k, ")[C:", dtype,
                "[tx,a]=C:", dtype, "[tx,a]+A:", dtype, "[tx,c]*H:", dtype, "[a,c];];B(tx,", m, ")L(a,", n,
                ")[C:", dtype, "[tx,a]=C:", dtype, "[tx,a]+I:", dtype, "[a];];B(tx,", m, ")L(a,", n, ")[F:", dtype,
                "[tx,a]=max(C:", dtype, "[tx,a],0);];\n");
}

std::string product(std::string_view dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return concat("\n@input A ", dtype, "[", m, ",", k, "]\n@input C ", dtype, "[", k, ",", n, "]\n@output D ", dtype,
                "[", m, ",", n, "]\nL(a,", m, ")L(c,", n, ")L(d,", k, ")[D:", dtype, "[a,c]=D:", dtype,
                "[a,c]+A:", dtype, "[a,d]*C:", dtype, "[d,c];];\n");
}

std::string choice(std::int64_t unit_rows, std::int64_t unit_columns, std::int64_t rows, std::int64_t columns,
                   std::int64_t depth, std::int64_t buffers, std::int64_t group = 1, std::int64_t following = 0) {
  return concat(R"({"at":"0","unit_rows":)", unit_rows, R"(,"unit_columns":)", unit_columns, R"(,"rows":)", rows,
                R"(,"columns":)", columns, R"(,"depth":)", depth, R"(,"buffers":)", buffers, R"(,"group":)", group,
                R"(,"following":)", following, "}");
}

TEST(MatrixMove, StagesUnitsAndStores) {
  expect_move("matrix", product("f64", 40, 32, 16), choice(2, 1, 8, 16, 8, 2),
              R"(B(by,3)B(bx,2)[
  L(k,2)[
   B(tx,64)V(d,2)[F:f64,s2[tx//4,tx%4*2+d]=if_then_else(by*16+tx//4<40,A:f64[by*16+tx//4,k*8+tx%4*2+d],0);];
   B(tx,64)V(d,2)[G:f64,s2[tx//8,tx%8*2+d]=C:f64[k*8+tx//8,bx*16+tx%8*2+d];];
   B(wx,2)B(wy,1)T(m,8)T(n,16)T(c,8)[E:f64,f[m,n]=E:f64,f[m,n]+F:f64,s2[wx*8+m,c]*G:f64,s2[c,wy*16+n];];];
  B(wx,2)B(wy,1)T(m,8)T(n,16)?{by*16+wx*8+m<40}[D:f64[by*16+wx*8+m,bx*16+wy*16+n]=E:f64,f[m,n];];];)");
}

/// Made, accepted by the device, and shown equal.
void expect_good(const std::string& text, const std::string& how) {
  const Program before = move_program(text);
  const Program after = after_move("matrix", before, how);
  CheckOptions options;
  options.device = find_device("nvidia-h200");
  const CheckReport report = check_program(after, options);
  EXPECT_EQ(report.verdict, CheckReport::Verdict::ok) << print(after);
  const Judgement judgement = verify(before, after, without_safety());
  EXPECT_TRUE(is_equal(judgement.verdict)) << describe(before, after, judgement);
}

TEST(MatrixMove, AtFullSize) {
  expect_good(product("f16", 4096, 4096, 4096), choice(2, 2, 64, 64, 64, 3, 8));
  expect_good(product("bf16", 4096, 4096, 4096), choice(2, 2, 64, 64, 32, 4, 8));
  expect_good(product("f64", 4096, 4096, 4096), choice(2, 2, 32, 32, 16, 4, 8));
  expect_good(product("f16", 1017, 987, 642), choice(4, 2, 32, 32, 32, 2));
  expect_good(product("f64", 1017, 987, 642), choice(2, 2, 32, 32, 16, 3, 8));
}

TEST(MatrixMove, ABatchWithWhatFollows) {
  expect_good(R"(
@input A f16[64,256,256]
@input C f16[64,256,256]
@input H f16[256]
@output F f16[64,256,256]
L(c,64)L(m,256)L(n,256)L(k,256)[D:f16[c,m,n]=D:f16[c,m,n]+A:f16[c,m,k]*C:f16[c,k,n];];
L(c,64)L(m,256)L(n,256)[D:f16[c,m,n]=D:f16[c,m,n]+H:f16[n];];
L(c,64)L(m,256)L(n,256)[F:f16[c,m,n]=max(D:f16[c,m,n],0);];
)",
              choice(2, 2, 32, 32, 64, 2, 1, 2));
}

/// Odd extents and all types, with depths, groups and what follows: the oracle runs them, too.
TEST(MatrixMove, OfAnyShape) {
  Random random(20261119);
  const auto up_to = [&](std::uint64_t most) { return static_cast<std::int64_t>(1 + random.below(most)); };
  for (int i = 0; i < 9; ++i) {
    const std::string_view dtype = i % 3 == 0 ? "f16" : i % 3 == 1 ? "bf16" : "f64";
    const MatrixShape shape = i % 3 == 2 ? MatrixShape{8, 8, 4} : MatrixShape{16, 8, 16};
    const std::int64_t unit_rows = up_to(2);
    const std::int64_t unit_columns = up_to(3);
    const std::int64_t rows = shape.rows;
    const std::int64_t columns = shape.columns * up_to(2);
    const std::int64_t depth = shape.inner * up_to(2);
    const std::string text =
        linear(dtype, unit_rows * rows - 1 + up_to(9), unit_columns * columns - 1 + up_to(9), depth - 1 + up_to(9));
    const std::string how = choice(unit_rows, unit_columns, rows, columns, depth, up_to(4), up_to(4), up_to(3) - 1);
    const Program before = move_program(text);
    const Program after = after_move("matrix", before, how);
    const OracleOpinion opinion = ask_oracle(before, after, 2);
    EXPECT_TRUE(opinion.compared);
    EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference << "\n" << print(after);
    const Judgement judgement = verify(before, after, without_safety());
    EXPECT_TRUE(is_equal(judgement.verdict)) << how << describe(before, after, judgement);
    if (HasFailure()) return;
  }
}

TEST(MatrixMove, Refuses) {
  expect_move_refusal("matrix", product("f32", 64, 64, 64), choice(1, 1, 16, 16, 16, 1), "types", "tile");
  expect_move_refusal("matrix", product("i32", 64, 64, 64), choice(1, 1, 16, 16, 16, 1), "types", "tile");
  const std::string halves = product("f16", 64, 64, 64);
  expect_move_refusal("matrix", halves, choice(1, 1, 8, 16, 16, 1), "sizes", "16 x 8 x 16");
  expect_move_refusal("matrix", halves, choice(1, 1, 16, 16, 8, 1), "sizes");
  expect_move_refusal("matrix", halves, choice(1, 1, 16, 16, 16, 6), "sizes");
  expect_move_refusal("matrix", halves, choice(8, 1, 16, 16, 16, 1), "sizes", "64 x 64 x 64");
  const std::string large = product("f16", 2048, 2048, 2048);
  expect_move_refusal("matrix", large, choice(8, 8, 16, 16, 16, 1), "units");
  expect_move_refusal("matrix", large, choice(4, 4, 64, 64, 64, 5), "shared");
  expect_move_refusal("matrix", large, choice(1, 1, 128, 128, 16, 1), "registers");
  // More blocks along by than there are.
  expect_move_refusal("matrix", product("f64", 600000, 16, 8), choice(1, 1, 8, 16, 8, 1), "step",
                      "loop_binding refused [launch]");
  expect_move_refusal("matrix", halves, choice(1, 1, 16, 16, 16, 1, 1, 1), "following");
  expect_move_refusal("matrix", halves, choice(1, 1, 16, 16, 16, 1, 1, -1), "following");
  expect_move_refusal("matrix",
                      "\n@input A f16[64,64]\n@output D f16[64,64]\nL(a,64)L(c,64)[D:f16[a,c]=A:f16[a,c]*2;];\n",
                      choice(1, 1, 16, 16, 16, 1), "contraction");
}

}  // namespace
}  // namespace steptp::testing
