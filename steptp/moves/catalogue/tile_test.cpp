#include <gtest/gtest.h>

#include <algorithm>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/moves/parts.h"
#include "steptp/plans/listing.h"
#include "steptp/plans/registry.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"
#include "testing/move_test.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kProduct = R"(
@input A f32[8,4]
@input C f32[4,16]
@output D f32[8,16]
B(tx,8)L(a,16)L(c,4)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)";

TEST(TileMove, MakesBlocksThreadsAndRegisters) {
  expect_move("tile", kProduct,
              R"({"at":"0","thread_rows":2,"thread_columns":2,"rows":2,"columns":4,"depth":2,"vector":2})",
              R"(B(byf,2)B(bxh,2)[
  L(k,2)[
   B(tyf,2)B(txj,2)V(c,2)[F:s[c,tyf*2+txj]=A[byf*4+tyf*2+txj,k*2+c];];
   B(tyf,2)B(txh,2)V(g,4)[G:s[tyf,txh*4+g]=C[k*2+tyf,bxh*8+txh*4+g];];
   B(tyg,2)B(txj,2)U(c,2)[
    V(d,2)[H:l[d]=F:s[c,tyg*2+d];];
    U(i,2)V(a,2)[I:l[i,a]=G:s[c,txj*2+i*4+a];];
    U(d,2)U(i,2)U(a,2)[E:l[d,i,a]=E:l[d,i,a]+H:l[d]*I:l[i,a];];];];
  B(tyg,2)B(txj,2)U(d,2)U(i,2)V(a,2)[D[byf*4+tyg*2+d,bxh*8+i*4+txj*2+a]=E:l[d,i,a];];];)");
}

TEST(TileMove, FillsWhatTilesLeaveOver) {
  expect_move("tile", R"(
@input A f32[7,3]
@input C f32[3,5]
@output D f32[7,5]
B(tx,7)L(a,5)L(c,3)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)",
              R"({"at":"0","thread_rows":2,"thread_columns":2,"rows":2,"columns":2,"depth":2})",
              R"(B(byf,2)B(bxh,2)[
  L(j,2)[
   U(a,2)B(tyh,2)B(txg,2)[F:s[a*2+tyh,txg]=if_then_else(byf*4+a*2+tyh<7&j*2+txg<3,A[byf*4+a*2+tyh,j*2+txg],0);];
   U(f,2)B(tyh,2)B(txg,2)[G:s[f,tyh*2+txg]=if_then_else(j*2+f<3&bxh*4+tyh*2+txg<5,C[j*2+f,bxh*4+tyh*2+txg],0);];
   B(tyg,2)B(txa,2)U(c,2)[
    U(d,2)[H:l[d]=F:s[tyg*2+d,c];];
    U(i,2)[I:l[i]=G:s[c,txa+i*2];];
    U(d,2)U(i,2)[E:l[d,i]=E:l[d,i]+H:l[d]*I:l[i];];];];
  B(tyg,2)B(txa,2)U(d,2)U(i,2)?{byf*4+tyg*2+d<7&bxh*4+i*2+txa<5}[D[byf*4+tyg*2+d,bxh*4+i*2+txa]=E:l[d,i];];];)");
}

/// A linear layer with its bias and what follows: weights by rows, so that a run of them goes along the sum.
std::string linear(std::string_view dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return concat("\n@input A ", dtype, "[", m, ",", k, "]\n@param H ", dtype, "[", n, ",", k, "]\n@param I ", dtype, "[",
                n, "]\n@output F ", dtype, "[", m, ",", n, "]\nB(tx,", m, ")L(a,", n, ")L(c,", k,
                ")[C[tx,a]=C[tx,a]+A[tx,c]*H[a,c];];B(tx,", m, ")L(a,", n, ")[C[tx,a]=C[tx,a]+I[a];];B(tx,", m, ")L(a,",
                n, ")[F[tx,a]=max(C[tx,a],0);];\n");
}

std::string sizes(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t vector,
                  std::int64_t following) {
  return concat(R"({"at":"0","thread_rows":4,"thread_columns":4,"rows":)", rows, R"(,"columns":)", columns,
                R"(,"depth":)", depth, R"(,"vector":)", vector, R"(,"following":)", following, "}");
}

TEST(TileMove, WhatFollowsIsInTheSameKernel) {
  const Program after = after_move("tile", move_program(linear("f32", 16, 24, 8)), sizes(2, 4, 4, 4, 2));
  EXPECT_EQ(after.nests.size(), 1U);
}

/// Odd and tiny ones among them: each is equal (proved, or exact) and safe, and the oracle, which runs the small ones,
/// agrees.
TEST(TileMove, OfAnyShape) {
  Random random(20261118);
  for (int i = 0; i < 24; ++i) {
    const auto extent = [&] { return static_cast<std::int64_t>(2 + random.below(i < 8 ? 6 : 60)); };
    const std::int64_t m = extent();
    const std::int64_t n = extent();
    const std::int64_t k = extent();
    const std::int64_t vector = std::int64_t{1} << random.below(3);
    const auto rows = static_cast<std::int64_t>(1 + random.below(3));
    const auto following = static_cast<std::int64_t>(random.below(2) * 2);
    const Program before = move_program(linear("f32", m, n, k));
    const Program after = after_move("tile", before, sizes(rows, 4, 4, vector, following));
    const Judgement judgement = verify(before, after);
    EXPECT_TRUE(is_equal(judgement.verdict)) << describe(before, after, judgement);
    EXPECT_TRUE(judgement.is_safe()) << describe(before, after, judgement);
    if (i < 8) {
      const OracleOpinion opinion = ask_oracle(before, after, 2);
      EXPECT_TRUE(opinion.compared);
      EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference << "\n" << print(after);
    }
    if (HasFailure()) return;
  }
}

/// The last part is shorter, and a round may be longer than what is left of a part: both are filled, so that nothing
/// is asked where products are added.
TEST(TileMove, PartsOfSums) {
  Random random(20261119);
  for (int i = 0; i < 8; ++i) {
    const auto extent = [&] { return static_cast<std::int64_t>(5 + random.below(40)); };
    const std::int64_t k = extent();
    const Program before = move_program(linear("f32", extent(), extent(), k));
    const auto length = static_cast<std::int64_t>(2 + random.below(static_cast<std::uint64_t>(k) - 2));
    const Program cut = after_move("parts", before, concat(R"({"at":"0","length":)", length, "}"));
    const Program after = after_move("tile", cut, sizes(2, 4, 4, 4, 0));
    const Judgement judgement = verify(before, after);
    EXPECT_TRUE(is_equal(judgement.verdict)) << describe(before, after, judgement);
    View view(after);
    for (const Statement& statement : view.table().statements) {
      const bool multiplies = find_multiplied(statement).has_value();
      EXPECT_TRUE(!multiplies || statement.guards.empty()) << print(after);
    }
    if (HasFailure()) return;
  }
}

Program read_program(const std::string& path) {
  const auto text = read_file(concat(STEPTP_SOURCE_DIR, "/examples/recipes/", path));
  EXPECT_TRUE(text.ok()) << path;
  return text ? read_document(path, *text).program : Program{};
}

/// The recipe of a folder, which somebody wrote step by step, with some further steps.
Program after_recipe(const std::string& name, Recipe further) {
  const auto text = read_file(concat(STEPTP_SOURCE_DIR, "/examples/recipes/", name, ".json"));
  EXPECT_TRUE(text.ok()) << name;
  auto recipe = recipe_from_json(*parse_json(*text));
  EXPECT_TRUE(recipe.ok()) << name;
  for (Step& step : further) recipe->push_back(std::move(step));
  const auto replayed = replay(read_program(name + ".leir"), *recipe);
  EXPECT_TRUE(replayed.ok()) << name;
  return replayed ? replayed->program : Program{};
}

TEST(TileMove, IsTheRecipeForASquareProduct) {
  const Program after = after_move("tile", read_program("matmul.leir"),
                                   R"({"at":"0","thread_rows":16,"thread_columns":16,"rows":8,"columns":8,"depth":8,)"
                                   R"("vector":4})");
  const Program wanted = after_recipe("matmul", {});
  EXPECT_TRUE(same_up_to_renaming(after, wanted)) << print(after) << "\n" << print(wanted);
}

TEST(TileMove, IsTheRecipeForAnOddProduct) {
  const Program after =
      after_move("tile", read_program("matmul_odd.leir"),
                 R"({"at":"0","thread_rows":16,"thread_columns":16,"rows":4,"columns":4,"depth":32})");
  // The move unrolls the rounds in which tiles are fetched, too.
  const Choice left = {*parse_site("0/0/0:loop[0]"), {}};
  const Choice right = {*parse_site("0/0/1:loop[0]"), {}};
  const Program wanted = after_recipe("matmul_odd", {{"loop_unrolling", left}, {"loop_unrolling", right}});
  EXPECT_TRUE(same_up_to_renaming(after, wanted)) << print(after) << "\n" << print(wanted);
}

TEST(TileMove, NarrowAndWideElements) {
  for (const std::string_view dtype : {"f16", "f64"}) {
    const Program before = shorthand_program(linear(dtype, 9, 24, 14), {{"T", std::string(dtype)}});
    const Program after = after_move("tile", before, sizes(2, 4, 4, 2, 2));
    const OracleOpinion opinion = ask_oracle(before, after, 2);
    EXPECT_FALSE(opinion.difference.has_value()) << *opinion.difference << "\n" << print(after);
  }
}

TEST(TileMove, OtherAxesAreBlocks) {
  (void)after_move("tile", move_program(R"(
@input A f32[3,2,8,6]
@input C f32[3,2,6,10]
@output D f32[3,2,8,10]
B(tx,3)L(a,2)L(c,8)L(d,10)L(f,6)[D[tx,a,c,d]=D[tx,a,c,d]+A[tx,a,c,f]*C[tx,a,f,d];];
)"),
                   sizes(2, 2, 4, 2, 0));
}

TEST(TileMove, OperandsAnyWayRound) {
  for (const std::string_view product : {"A[c,tx]*C[a,c]", "C[a,c]*A[c,tx]"}) {
    const std::string text = concat("\n@input A f32[12,8]\n@input C f32[16,12]\n@output D f32[8,16]\n",
                                    "B(tx,8)L(a,16)L(c,12)[D[tx,a]=D[tx,a]+", product, ";];\n");
    (void)after_move("tile", move_program(text), sizes(2, 4, 4, 4, 0));
  }
}

TEST(TileMove, Refuses) {
  const auto refuse = [](std::string_view program, std::string_view choice, std::string_view need,
                         std::string_view message) { expect_move_refusal("tile", program, choice, need, message); };
  refuse(R"(
@input A f32[8,6]
@output D f32[8]
B(tx,8)L(a,6)[D[tx]=D[tx]+A[tx,a];];
)",
         sizes(2, 2, 4, 1, 0), "contraction", "it is not D=D+A*C");
  refuse(R"(
@input A f32[8,6]
@input C f32[6]
@output D f32[8]
B(tx,8)L(a,6)[D[tx]=D[tx]+A[tx,a]*C[a];];
)",
         sizes(2, 2, 4, 1, 0), "axes", "`rows` does");
  refuse(R"(
@input A f32[8,8]
@output D f32[8,8]
B(tx,8)L(a,8)L(c,8)[D[tx,a]=D[tx,a]+A[tx,c]*A[c,a];];
)",
         sizes(2, 2, 4, 1, 0), "operands", "both operands are A");
  refuse(R"(
@input A f32[10,6]
@param C f32[4,6,3]
@output D f32[4,8]
B(tx,4)L(a,8)L(c,6)L(d,3)[D[tx,a]=D[tx,a]+A[a+d,c]*C[tx,c,d];];
)",
         sizes(2, 2, 4, 1, 0), "operands", "`window`");
  refuse(kProduct, sizes(2, 2, 4, 1, 1), "following", "there is no expression behind it any more");
  refuse(kProduct, sizes(2, 2, 4, 1, -1), "following", "negative");
  refuse(kProduct, sizes(0, 2, 4, 1, 0), "sizes", "");
  refuse(kProduct,
         R"({"at":"0","thread_rows":2,"thread_columns":2,"rows":2,"columns":2,"depth":4,"vector":1,"padding":-1})",
         "sizes", "padding from 0 to 4096");
  refuse(kProduct, sizes(2, 2, 4, 4, 0), "sizes", "divides");
  refuse(kProduct, R"({"at":"0","thread_rows":64,"thread_columns":32,"rows":1,"columns":1,"depth":4})", "threads",
         "2048 threads");
  refuse(kProduct, R"({"at":"0","thread_rows":32,"thread_columns":32,"rows":4,"columns":4,"depth":256})", "shared",
         "bytes");
  refuse(kProduct, R"({"at":"0","thread_rows":4,"thread_columns":4,"rows":16,"columns":16,"depth":4})", "registers",
         "288 registers");
  refuse(R"(
@input A f32[70000,4]
@input C f32[4,16]
@output D f32[70000,16]
L(g,70000)L(a,16)L(c,4)[D[g,a]=D[g,a]+A[g,c]*C[c,a];];
)",
         R"({"at":"0","thread_rows":1,"thread_columns":4,"rows":1,"columns":1,"depth":4})", "step",
         "loop_binding refused [launch]");
}

/// Rows of doubles behind which two places are free: threads that store one column lie in different banks, and `check`
/// sees that the free places are not read.
TEST(TileMove, PaddedTilesOfDoublesAreDefined) {
  constexpr std::string_view kDoubles =
      "@input A f64[70,30]\n@input C f64[90,30]\n@output D f64[70,90]\n"
      "B(tx,70)L(a,90)L(c,30)[D:f64[tx,a]=D:f64[tx,a]+A:f64[tx,c]*C:f64[a,c];];\n";
  const Program before = shorthand_program(kDoubles, {{"T", "f32"}});
  View view(before);
  const auto pads = [](const ChoiceSite& site) {
    return std::any_of(site.parameters.begin(), site.parameters.end(), [](const ParameterDomain& domain) {
      const auto* values = std::get_if<std::vector<std::int64_t>>(&domain.values);
      return domain.name == "padding" && values && *values == std::vector<std::int64_t>{0, 2};
    });
  };
  const Listing listing = list_choices(*find_move("tile"), view);
  ASSERT_FALSE(listing.sites.empty());
  EXPECT_TRUE(std::all_of(listing.sites.begin(), listing.sites.end(), pads));
  const auto choice = choice_from_json(*parse_json(
      R"({"at":"0","thread_rows":8,"thread_columns":8,"rows":4,"columns":4,"depth":8,"vector":2,"padding":2,"following":0})"));
  EXPECT_TRUE(check_move(*find_move("tile"), before, *choice));
}

}  // namespace
}  // namespace steptp::testing
