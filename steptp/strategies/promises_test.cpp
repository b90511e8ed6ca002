// What steps keep of words that no strategy knows: depths go where their promise goes, and matrix nests stay.
#include "steptp/strategies/promises.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"

namespace steptp {
namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

std::string nests_after(const Program& before, std::string_view strategy, std::string_view choice) {
  View view(before);
  const auto json = parse_json(std::string(choice));
  const auto applied = apply(*find_strategy(strategy), view, choice_from_json(*json).value());
  if (!applied) return concat("refused [", applied.error().precondition->id, "]");
  EXPECT_TRUE(!has_errors(check_program(applied->program).diagnostics));
  return print(applied->program, Profile::compact);
}

constexpr const char* kRounds =
    "@input A f32[8,32]\n@output D f32[32]\nbx1{a8{tx32 E^s3(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}";

TEST(Promises, ADepthStaysWhereItHolds) {
  EXPECT_EQ(nests_after(program_of(kRounds), "loop_split", R"({"at":"0/0:loop[0]","inner":4,"kind":"inner"})"),
            "bx1{c2 a4{tx32 E^s3(tx)=A(c*4+a,tx);tx32 D(tx)+=E(31-tx);}}");
}

TEST(Promises, ADepthGoesWhereItsLoopGoes) {
  EXPECT_EQ(nests_after(program_of(kRounds), "loop_unrolling", R"({"at":"0/0:loop[0]"})"),
            "bx1{Ua8{tx32 E^s(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}");
}

TEST(Promises, DepthsThatDoNotAgreeGo) {
  const Program mixed =
      program_of("@input A f32[8,32]\n@output D f32[32]\nbx1{a8{tx32 E^s3(tx)=A(a,tx);tx32 D(tx)+=E^s(31-tx);}}");
  EXPECT_EQ(print(with_kept_depths(mixed), Profile::compact), "bx1{a8{tx32 E^s(tx)=A(a,tx);tx32 D(tx)+=E(31-tx);}}");
}

constexpr const char* kMatrix =
    "@input A f16[32,32]\n@input C f16[32,32]\n@output D f32[32,32]\n"
    "a32 c32 X^f16(a,c)=A^f16(a,c)*2;"
    "bx1{tx32 c32{F^f16^s(tx,c)=X(tx,c);G^f16^s(tx,c)=C^f16(tx,c);}"
    "wx2 Ta16 Tc32 Td32 E^f(a,c)+=F(wx*16+a,d)*G(d,c);wx2 Ta16 Tc32 D(wx*16+a,c)=E(a,c);}";

TEST(Promises, MatrixNestsStay) {
  const Program program = program_of(kMatrix);
  EXPECT_EQ(nests_after(program, "loop_split", R"({"at":"1/1:loop[1]","inner":8,"kind":"inner"})"),
            "refused [matrix-nests]");
  EXPECT_EQ(nests_after(program, "loop_split", R"({"at":"0:loop[1]","inner":8,"kind":"inner"})").substr(0, 10),
            "^f16;a32 d");
}

/// No strategy offers a step that would change such an expression, and what is offered can be made.
TEST(Promises, ChoicesLeaveMatrixNestsAlone) {
  const Program program = program_of(kMatrix);
  std::size_t made = 0;
  for (const Strategy* strategy : all_strategies()) {
    View view(program);
    for (const ChoiceSite& site : list_choices(*strategy, view, true).sites) {
      View fresh(program);
      const auto applied = apply(*strategy, fresh, site.choice(0));
      ASSERT_TRUE(applied.ok()) << strategy->name << to_text(strategy->name, applied.error());
      EXPECT_TRUE(equal(*program.nests.back(), *applied->program.nests.back())) << strategy->name;
      EXPECT_TRUE(!has_errors(check_program(applied->program).diagnostics)) << strategy->name;
      ++made;
    }
  }
  EXPECT_GT(made, 3u);
}

}  // namespace
}  // namespace steptp
