// Pairs that end the process which judges them cost only themselves.
#include <gtest/gtest.h>

#include <thread>

#include "built_files.h"
#include "steptp/verify/judge_worker.h"

namespace steptp {
namespace {

Pair pair_with(const std::string& id, const std::string& after = "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];") {
  const std::string header = "@input A f32[3]\n@output D f32[3]\n";
  Pair pair = make_pair(read_document("before", header + "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}+A^{f32,g}_{a};];"),
                        read_document("after", header + after));
  pair.id = id;
  return pair;
}

ApartOptions with_faulty_judge() {
  ApartOptions out;
  out.command = {STEPTP_FAULTY_JUDGE};
  return out;
}

TEST(JudgeWorker, AFailureCostsItsPairOnly) {
  for (const char* id : {"signal", "stack", "memory", "garbage"}) {
    EXPECT_EQ(verify_apart(pair_with("good"), with_faulty_judge()).verdict, Grade::proved);
    const ApartAnswer failed = verify_apart(pair_with(id), with_faulty_judge());
    EXPECT_EQ(failed.verdict, Grade::undecided) << id;
    EXPECT_FALSE(failed.unusable);
    EXPECT_TRUE(failed.reason.starts_with("the judge failed on this pair: ")) << id << ": " << failed.reason;
    ASSERT_NE(failed.answer.find("verdict"), nullptr);
    EXPECT_EQ(*failed.answer.find("verdict")->as_string(), "undecided");
    EXPECT_EQ(*failed.answer.find("id")->as_string(), id);
  }
  EXPECT_EQ(verify_apart(pair_with("good"), with_faulty_judge()).verdict, Grade::proved);
}

TEST(JudgeWorker, ManyThreadsAtOnce) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i] {
      const bool fails = i % 3 == 0;
      const ApartAnswer answer = verify_apart(pair_with(fails ? "signal" : "good"), with_faulty_judge());
      EXPECT_EQ(answer.verdict, fails ? Grade::undecided : Grade::proved);
    });
  }
}

/// What the process says is what the judge says here.
TEST(JudgeWorker, TheAnswerIsThatOfTheJudge) {
  for (const char* after :
       {"L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];", "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{2-a}*2;];",
        "L^{3}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a+1}*2;];", "nonsense"}) {
    const Pair pair = pair_with("pair", after);
    ApartOptions options = with_faulty_judge();
    options.judge.seed = 7;
    options.judge.safe_range = {certify::SafeRange::Kind::given, 0.1, 1e3};
    options.with_certificate = true;
    const ApartAnswer apart = verify_apart(pair, options);
    VerifyOptions how;
    how.seed = 7;
    how.safe_range = options.judge.safe_range;
    how.keep_record = true;
    EXPECT_EQ(apart.answer.dump(), to_json("pair", verify_pair(pair, how)).dump());
    EXPECT_EQ(apart.certificate.empty(), !problem_of(pair).empty());
  }
}

TEST(JudgeWorker, WhoeverWantsNoMoreIsNotKeptWaiting) {
  ApartOptions options = with_faulty_judge();
  options.go_on = [] { return false; };
  const ApartAnswer answer = verify_apart(pair_with("good"), options);
  EXPECT_TRUE(answer.cancelled || answer.verdict == Grade::proved);
}

}  // namespace
}  // namespace steptp
