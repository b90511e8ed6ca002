#include "steptp/reasoning/worth_showing.h"

#include <gtest/gtest.h>

#include <string>

#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

bool is_worth(const std::string& text, const char* strategy, const std::string& choice) {
  const Document document = read_document("p", text);
  EXPECT_TRUE(document.ok) << text;
  View view(document.program);
  const Choice made = choice_from_json(parse_json(choice).value()).value();
  const auto applied = apply(*find_strategy(strategy), view, made);
  EXPECT_TRUE(applied.ok()) << (applied ? "" : to_text(strategy, applied.error()));
  return applied.ok() && is_worth_showing(*find_strategy(strategy), document.program, made, *applied);
}

TEST(WorthShowing, NoCopyOfOneElementThatIsUsedOnce) {
  const std::string known = "@input A f32[8,4]\n@input C f32[4]\n@output D f32[8,4]\n";
  const std::string choice = R"({"at":"0:loop[1]","direction":"read","of":"A","scope":"l","form":"plain"})";
  EXPECT_FALSE(is_worth(known + "tx8 a4 D(tx,a)=A(tx,a)*C(a);", "cache_read_write", choice));
  EXPECT_TRUE(is_worth(known + "tx8 a4 D(tx,a)=A(tx,a)*A(tx,a);", "cache_read_write", choice));
  const std::string row = R"({"at":"0:loop[0]","direction":"read","of":"A","scope":"l","form":"plain"})";
  EXPECT_TRUE(is_worth(known + "tx8 a4 D(tx,a)=A(tx,a)*C(a);", "cache_read_write", row));
}

TEST(WorthShowing, NoLayoutOrHeaderInWhichAllIsInTheSameOrder) {
  const std::string known = "@input A f32[8,6]\n@output D f32[8,6]\n";
  const std::string two = known + "tx8 a6 C(tx,a)=A(tx,a)*2; tx8 a6 D(tx,a)=C(tx,a)+1;";
  const auto layout = [&](const char* strategy, const std::string& rest) {
    const std::string at =
        strategy == std::string("set_storage_layout") ? R"("at":"0/0:left")" : R"("at":"1","tensor":"C")";
    return is_worth(two, strategy, "{" + at + "," + rest + "}");
  };
  for (const char* strategy : {"set_storage_layout", "layout_transformation"}) {
    EXPECT_FALSE(layout(strategy, R"("form":"flatten","dimensions":"0,1","number":0)"));
    EXPECT_FALSE(layout(strategy, R"("form":"split","dimensions":"1","number":3)"));
    EXPECT_TRUE(layout(strategy, R"("form":"flatten","dimensions":"1,0","number":0)"));
    EXPECT_TRUE(layout(strategy, R"("form":"flatten","dimensions":"0,1","number":2)"));
    EXPECT_TRUE(layout(strategy, R"("form":"split","dimensions":"1","number":4)"));
    EXPECT_TRUE(layout(strategy, R"("form":"transpose","dimensions":"1,0","number":0)"));
  }
  const std::string line = "@input A f32[8,1,4]\n@output D f32[8,1,4]\n";
  const std::string swap = R"({"at":"0:loop[1]","with":2})";
  EXPECT_FALSE(is_worth(line + "tx8 a1 c4 D(tx,a,c)=A(tx,a,c);", "loop_reorder", swap));
  EXPECT_TRUE(is_worth(line + "a1 tx8 c4 D(tx,a,c)=A(tx,a,c);", "loop_reorder", swap));
}

TEST(WorthShowing, NoAxisWithAnotherNameAndNoMaskedThreads) {
  const auto bound = [](int extent, const std::string& loop, const std::string& choice) {
    const std::string n = std::to_string(extent);
    const std::string text =
        "@input A f32[" + n + "]\n@output D f32[" + n + "]\n" + loop + n + " D(" + loop + ")=A(" + loop + ")*2;";
    return is_worth(text, "loop_binding", R"({"at":"0:loop[0]",)" + choice + "}");
  };
  EXPECT_TRUE(bound(100, "a", R"("axis":"tx","multiple":1)"));
  EXPECT_TRUE(bound(100, "a", R"("axis":"tx","multiple":32)"));
  EXPECT_FALSE(bound(100, "a", R"("axis":"tx","multiple":1024)"));
  EXPECT_FALSE(bound(10, "a", R"("axis":"tx","multiple":32)"));
  EXPECT_FALSE(bound(100, "tx", R"("axis":"ty","multiple":1)"));
  EXPECT_FALSE(bound(100, "tx", R"("axis":"bx","multiple":1)"));
  EXPECT_FALSE(bound(100, "tx", R"("axis":"none","multiple":1)"));
}

TEST(WorthShowing, NoPiecesThatLeaveMuchUnused) {
  const std::string text = "@input A f32[100,30]\n@output D f32[100,30]\ntx100 a30 D(tx,a)=A(tx,a)*2;";
  const auto split = [&](const std::string& inner, const std::string& kind) {
    return is_worth(text, "loop_split", R"({"at":"0:loop[0]","inner":)" + inner + R"(,"kind":")" + kind + "\"}");
  };
  EXPECT_TRUE(split("20", "inner"));
  EXPECT_TRUE(split("32", "inner"));
  EXPECT_FALSE(split("60", "inner"));
  EXPECT_FALSE(split("7", "inner"));
  EXPECT_FALSE(split("99", "inner"));
  const std::string serial = "@input A f32[100,30]\n@output D f32[100,30]\nc100 a30 D(c,a)=A(c,a)*2;";
  const auto tiled = [&](const std::string& first, const std::string& second) {
    return is_worth(serial, "loop_tiling", R"({"at":"0:loop[0]","first":)" + first + R"(,"second":)" + second + "}");
  };
  EXPECT_TRUE(tiled("10", "15"));
  EXPECT_TRUE(tiled("32", "8"));
  EXPECT_FALSE(tiled("10", "7"));
  EXPECT_FALSE(tiled("7", "10"));
}

TEST(WorthShowing, NoStepThatKeepsThePlainForm) {
  EXPECT_FALSE(is_worth("@input A f32[16,1]\n@output D f32[16,1]\ntx16 a1 D(tx,a)=A(tx,a)*2;", "loop_fusion",
                        R"({"at":"0:loop[0]","keep":"outer"})"));
  EXPECT_FALSE(is_worth("@input A f32[4]\n@output D f32[4]\ntx4 D(tx)=exp(A(tx));", "multiplicative_split",
                        R"({"at":"0/0:right.0","with":"two"})"));
  EXPECT_FALSE(is_worth("@input A f32[8]\n@output C f32[8]\n@output D f32[8]\ntx8 C(tx)=A(tx)*2;tx8 D(tx)=A(tx)+1;",
                        "expression_reorder", R"({"at":"0"})"));
  EXPECT_TRUE(is_worth("@input A f32[8]\n@output D f32[8]\ntx8 C(tx)=A(tx)*2;tx8 D(tx)=A(tx)+1;",
                       "dead_code_elimination", R"({"at":"0/0"})"));
}

TEST(WorthShowing, NoStepThatMakesManyLaunchesOfOne) {
  const auto swapped = [](int extent) {
    const std::string n = std::to_string(extent);
    return is_worth("@input A f32[8," + n + "]\n@output D f32[8," + n + "]\ntx8 a" + n + " D(tx,a)=A(tx,a)*2;",
                    "loop_reorder", R"({"at":"0:loop[0]","with":1})");
  };
  EXPECT_TRUE(swapped(4));
  EXPECT_FALSE(swapped(1000));
}

}  // namespace
}  // namespace steptp
