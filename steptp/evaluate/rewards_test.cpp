// Rewards against answers that try to be paid for nothing. The rows are data, so that each trick that was ever found to
// work can be kept: testing/data/reward_rows.jsonl.
#include "steptp/evaluate/rewards.h"

#include <gtest/gtest.h>

#include <string>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/ir/forms.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

constexpr std::string_view kKnown =
    "@input A f32[16,32]\n@input C f32[32,8]\n@input F f32[16,8] positive\n@output D f32[16,8]\n";

std::string answer(const Json& row) {
  Json out;
  out.set("transformed_IR", *row.find("after")).set("applied_strategy", *row.find("strategy"));
  return concat("<answer>", out.dump(), "</answer>");
}

double worth(Reward reward, const std::string& before, const std::string& said, double seconds = 20) {
  RewardOptions options;
  options.seed = 5;
  options.seconds = seconds;
  const Rewarded rewarded = reward_of(reward, {before, said, 1}, options);
  EXPECT_EQ(rewarded.problem, "") << before;
  return rewarded.value;
}

TEST(Rewards, CheapTricksEarnNothingAndStepsEarnAll) {
  const auto text = read_file(concat(STEPTP_SOURCE_DIR, "/testing/data/reward_rows.jsonl"));
  ASSERT_TRUE(text.ok());
  int tricks = 0;
  int steps = 0;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = text->find('\n', begin);
    const auto row = parse_json(std::string_view(*text).substr(begin, end - begin));
    ASSERT_TRUE(row.ok()) << text->substr(begin, end - begin);
    begin = end + 1;
    const double wanted = static_cast<double>(*row->find("worth")->as_integer());
    const Json* signature = row->find("signature");
    const std::string before =
        concat(signature ? std::string_view(*signature->as_string()) : kKnown, *row->find("before")->as_string());
    EXPECT_EQ(worth(Reward::step, before, answer(*row)), wanted) << row->dump();
    // What is worth nothing is not faster either, but where a real gain has the wrong name or company.
    const Json* faster = row->find("faster");
    if (wanted == 0 && !faster) {
      EXPECT_EQ(worth(Reward::faster, before, answer(*row)), 0) << row->dump();
    }
    (wanted > 0 ? steps : tricks) += 1;
  }
  EXPECT_GE(tricks, 100);
  EXPECT_GE(steps, 20);
}

TEST(Rewards, FasterIsTheShareOfTheExpectedTimeThatIsSaved) {
  const std::string before = concat(kKnown, "tx16 a8 E(tx,a)=F(tx,a)*2;tx16 a8 D(tx,a)=E(tx,a)+1;");
  const auto said = [](const std::string& after) {
    Json row;
    row.set("after", after).set("strategy", "compute_inline");
    return answer(row);
  };
  const double inlined = worth(Reward::faster, before, said("tx16 a8 D(tx,a)=F(tx,a)*2+1;"));
  EXPECT_GT(inlined, 0.2);
  EXPECT_LT(inlined, 0.9);
  const std::string slower = "tx16 a8 E(tx,a)=F(tx,a)*2;tx16 a8 G(tx,a)=E(tx,a)+1;tx16 a8 D(tx,a)=G(tx,a);";
  EXPECT_EQ(worth(Reward::faster, before, said(slower)), 0);
  EXPECT_EQ(worth(Reward::faster, before, said("tx16 a8 D(tx,a)=F(tx,a)*2+2;")), 0);            // faster and wrong
  EXPECT_EQ(worth(Reward::faster, before, said("tx16 a8 D(tx,a)=F(tx,a)*2+1e10-1e10+1;")), 0);  // faster and unsafe
  // More threads than a block can have: no such launch.
  EXPECT_EQ(worth(Reward::faster, before, said("tx16 ty128 a8 D(tx,a)=F(tx,a)*2+1;")), 0);
  RewardOptions options;
  options.device = "no-such-device";
  const Rewarded unknown = reward_of(Reward::faster, {before, said("tx16 a8 D(tx,a)=F(tx,a)*2+1;"), 1}, options);
  EXPECT_EQ(unknown.value, 0);
  EXPECT_NE(unknown.problem.find("no-such-device"), std::string::npos);
}

TEST(Rewards, ALargeDomainIsSearchedByTheNumbersOfTheAnswer) {
  const std::string before = "@input A f32[1000000]\n@output D f32[1000000]\na1000000 D(a)=A(a)*2;";
  Json row;
  row.set("after", "c500 a2000 D(c*2000+a)=A(c*2000+a)*2;").set("strategy", "loop_split");
  EXPECT_EQ(worth(Reward::step, before, answer(row)), 1);
  Json other;
  other.set("after", "a1000000 D(a)=A(a)+A(a);").set("strategy", "loop_split");
  EXPECT_EQ(worth(Reward::step, before, answer(other), 2), 0);
}

Hash plain(std::string_view nests) {
  const Document document = read_document("p", concat(kKnown, nests));
  EXPECT_TRUE(document.ok) << nests;
  return plain_form_of(document.program);
}

TEST(PlainForm, KeepsWhatMatters) {
  const Hash form = plain("tx16 a8 D(tx,a)=F(tx,a)*2+1;");
  for (const char* same :
       {"tx16 c8 D(tx,c)=F(tx,c)*2+1;", "tx16 a8 D(tx,a)=1+2*F(tx,a);", "tx16 a8 D(tx,a)=F(tx,a)*4/2+1-0;",
        "tx16 a8 E(tx,a)=F(tx,a);tx16 a8 D(tx,a)=F(tx,a)*2+1;", "tx16 g1 a8 D(tx,a+g)=F(tx,a)*2+1;"}) {
    EXPECT_EQ(plain(same), form) << same;
  }
  for (const char* other :
       {"tx16 a8 D(tx,a)=F(tx,a)*2+2;", "tx16 a8 D(tx,a)=F(tx,a)*2-1;", "a8 tx16 D(tx,a)=F(tx,a)*2+1;",
        "tx16 a8 D(tx,a)=F(tx,a)/2+1;", "tx16 a4 c2 D(tx,a*2+c)=F(tx,a*2+c)*2+1;", "tx16 a8 D(tx,a)=(F(tx,a)+1)*2;",
        "tx16 U(a,8) D(tx,a)=F(tx,a)*2+1;", "tx16 a8 E(tx,a)=F(tx,a)*2;tx16 a8 D(tx,a)=E(tx,a)+1;",
        "tx16 a8 D(tx,a)=max(F(tx,a)*2,1);", "tx16 a8 D(tx,a)=F(tx,7-a)*2+1;"}) {
    const Document document = read_document("p", concat(kKnown, other));
    if (!document.ok) continue;
    EXPECT_NE(plain_form_of(document.program), form) << other;
  }
}

}  // namespace
}  // namespace steptp
