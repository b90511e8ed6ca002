#include "steptp/dataset/worth_showing.h"

#include <gtest/gtest.h>

#include <string>

#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"

namespace steptp::dataset {
namespace {

bool is_worth(const std::string& text, const char* strategy, const std::string& choice) {
  const Document document = read_document("p", text);
  EXPECT_TRUE(document.ok) << text;
  View view(document.program);
  const auto applied = apply(*find_strategy(strategy), view, choice_from_json(parse_json(choice).value()).value());
  EXPECT_TRUE(applied.ok()) << (applied ? "" : to_text(strategy, applied.error()));
  return applied.ok() && is_worth_showing(*find_strategy(strategy), document.program, *applied);
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
}  // namespace steptp::dataset
