#include "steptp/evaluate/judge_answer.h"

#include <gtest/gtest.h>

#include "steptp/answers/prompt.h"
#include "steptp/evaluate/rewards.h"
#include "steptp/evaluate/strategy_match.h"

namespace steptp {
namespace {

const char* const kBefore =
    "@program Line\n@input A f32[8]\n@output D f32[8]\nL^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];\n";

EvaluationCase question(int programs = 1) {
  EvaluationCase out;
  out.id = "line";
  out.before = read_document("line.leir", kBefore);
  out.text = "L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];";
  out.programs = programs;
  return out;
}

JudgedProgram judged(const std::string& text) {
  std::string machine_problem;
  AnswerProgram program;
  program.text = text;
  JudgedProgram out = judge_program(question(), program, {}, machine_problem);
  EXPECT_EQ(machine_problem, "");
  return out;
}

std::string outcome(const std::string& text) { return std::string(name_of(judged(text).outcome)); }

TEST(JudgeAnswer, EveryOutcomeHasItsName) {
  EXPECT_EQ(outcome("L^{4}_{a=0}L^{2}_{c=0}[D^{f32,g}_{a*2+c}=A^{f32,g}_{a*2+c}*2+1;];"), "equal");
  EXPECT_EQ(outcome("a8 D(a)=1+A(a)+A(a);"), "equal");
  EXPECT_EQ(outcome("L^{8}_{c=0}[D^{f32,g}_{c}=A^{f32,g}_{c}*2+1;];"), "same");
  EXPECT_EQ(outcome("L^{8}_{a=0}[D^{f32,g}_{a}="), "unreadable");
  EXPECT_EQ(outcome("L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a+1}*2+1;];"), "invalid");
  EXPECT_EQ(outcome("L^{7}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];"), "invalid");
  EXPECT_EQ(outcome("L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+2;];"), "differs");
}

TEST(JudgeAnswer, TextsMayDifferWhereProgramsDoNot) {
  EXPECT_FALSE(judged("L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2+1;];\n").is_different_text);
  const JudgedProgram renamed = judged("L^{8}_{c=0}[D^{f32,g}_{c}=A^{f32,g}_{c}*2+1;];");
  EXPECT_TRUE(renamed.is_different_text);
  EXPECT_FALSE(renamed.is_different);
}

TEST(JudgeAnswer, AProofHoldsInEveryTrial) {
  const JudgedProgram program = judged("a8 D(a)=1+A(a)*2;");
  ASSERT_EQ(program.trials.size(), 3U);
  EXPECT_TRUE(program.equal_through(3));
  EXPECT_EQ(program.grade(), Grade::proved);
  EXPECT_FALSE(program.executed_through(1)) << "there was nowhere to run";
}

TEST(JudgeAnswer, ADifferenceIsFoundInItsTrial) {
  const JudgedProgram program = judged("a8 D(a)=A(a)*2+2;");
  EXPECT_FALSE(program.equal_through(1));
  EXPECT_EQ(program.reason_id, "differs");
  EXPECT_FALSE(program.reason.empty());
}

JudgedAttempt attempt(const std::vector<AnswerPart>& parts, int programs) {
  std::string machine_problem;
  ModelAnswer answer;
  answer.content = chat_completion("", answers_json(parts));
  return judge_attempt(question(programs), answer, {}, machine_problem);
}

TEST(JudgeAnswer, SeveralProgramsSucceedWhereEnoughAreDifferent) {
  const AnswerPart split = {"L^{4}_{a=0}L^{2}_{c=0}[D^{f32,g}_{a*2+c}=A^{f32,g}_{a*2+c}*2+1;];", "loop_split"};
  const AnswerPart renamed = {"L^{4}_{d=0}L^{2}_{c=0}[D^{f32,g}_{d*2+c}=A^{f32,g}_{d*2+c}*2+1;];", "loop_split"};
  const AnswerPart other = {"a8 D(a)=1+A(a)*2;", "expand_collect"};
  EXPECT_TRUE(attempt({split, other}, 2).is_success);
  EXPECT_FALSE(attempt({split, renamed}, 2).is_success);
  EXPECT_TRUE(attempt({split, renamed, other}, 2).is_success);
  // Of a question for one, the first counts.
  const AnswerPart wrong = {"a8 D(a)=A(a);", "expand_collect"};
  EXPECT_FALSE(attempt({wrong, split}, 1).is_success);
  EXPECT_EQ(attempt({wrong, split}, 1).deviations, std::vector<std::string>{"several-programs"});
}

double worth(Reward reward, const std::string& answer, int programs = 1) {
  const Rewarded out = reward_of(reward, {kBefore, answer, programs}, {});
  EXPECT_EQ(out.problem, "");
  return out.value;
}

TEST(Rewards, AreForWhatTheyAreNamedAfter) {
  const std::string split = chat_completion(
      "Why.", answer_json({"L^{4}_{a=0}L^{2}_{c=0}[D^{f32,g}_{a*2+c}=A^{f32,g}_{a*2+c}*2+1;];", "loop_split"}));
  const std::string same = chat_completion("", answer_json({"a8 D(a)=A(a)*2+1;", "loop_split"}));
  const std::string wrong = chat_completion("", answer_json({"a8 D(a)=A(a)*2+2;", "loop_split"}));
  for (const Reward reward : {Reward::format, Reward::different, Reward::equal, Reward::safe, Reward::strategy_matches})
    EXPECT_EQ(worth(reward, split), 1) << static_cast<int>(reward);
  EXPECT_EQ(worth(Reward::format, same), 1);
  EXPECT_EQ(worth(Reward::different, same), 0);
  EXPECT_EQ(worth(Reward::equal, same), 0) << "repeating the question earns nothing";
  EXPECT_EQ(worth(Reward::different, wrong), 1);
  EXPECT_EQ(worth(Reward::equal, wrong), 0);
  EXPECT_EQ(worth(Reward::strategy_matches, wrong), 0);
  EXPECT_EQ(worth(Reward::format, split + " Done."), 0);
  EXPECT_EQ(worth(Reward::equal, split + " Done."), 1);
  EXPECT_EQ(worth(Reward::equal, split, 2), 0.5);
  for (const Reward reward :
       {Reward::format, Reward::different, Reward::equal, Reward::safe, Reward::strategy_matches}) {
    EXPECT_EQ(worth(reward, std::string("\xff\0<answer>", 10)), 0);
  }
}

/// What the rewards `equal` and `safe` pay for an answer to a question.
std::string paid(const std::string& before, const std::string& after) {
  const std::string head = "@input A f32[8]\n@output D f32[8]\n";
  const std::string answer = chat_completion("", answer_json({after, "loop_split"}));
  std::string out;
  for (const Reward reward : {Reward::equal, Reward::safe}) {
    const Rewarded one = reward_of(reward, {head + before, answer, 1}, {});
    EXPECT_EQ(one.problem, "");
    out += one.value == 1 ? "1" : one.value == 0 ? "0" : "?";
  }
  return out;
}

TEST(Rewards, PayForWhatIsShownAndForNothingElse) {
  EXPECT_EQ(paid("a8 D(a)=A(a)*2+1;", "a8 D(a)=1+A(a)*2;"), "11");
  EXPECT_EQ(paid("a8 D(a)=A(a);", "a8 D(a)=A(a)+1e10-1e10;"), "10") << "equal, and not safe";
  EXPECT_EQ(paid("a8 D(a)=1/(1+exp(-A(a)));", "a8 D(a)=exp(A(a))/(1+exp(A(a)));"), "10") << "equal, and not safe";
  EXPECT_EQ(paid("a8 D(a)=A(a)*0.1;", "a8 D(a)=A(a)*0.10000000149011612;"), "00") << "numeric is evidence";
  EXPECT_EQ(paid("a8 D(a)=where(a<3,inf-inf,A(a));", "a8 D(a)=where(a<3,7,A(a));"), "00")
      << "it fills what has no value";
}

TEST(JudgeAnswer, EvidenceAndFilledElementsAreNotEqual) {
  const auto judged_as = [](const std::string& before, const std::string& after) {
    EvaluationCase one;
    one.before = read_document("line.leir", "@input A f32[8]\n@output D f32[8]\n" + before);
    one.text = before;
    AnswerProgram program;
    program.text = after;
    std::string machine_problem;
    return judge_program(one, program, {}, machine_problem);
  };
  const JudgedProgram numeric = judged_as("a8 D(a)=A(a)*0.1;", "a8 D(a)=A(a)*0.10000000149011612;");
  EXPECT_EQ(numeric.outcome, AnswerOutcome::undecided);
  EXPECT_EQ(numeric.reason_id, "numeric");
  EXPECT_FALSE(numeric.equal_through(1) || numeric.is_safe);
  const JudgedProgram filled = judged_as("a8 D(a)=where(a<3,inf-inf,A(a));", "a8 D(a)=where(a<3,7,A(a));");
  EXPECT_EQ(filled.outcome, AnswerOutcome::undecided);
  EXPECT_EQ(filled.reason_id, "fills-vacuous");
  EXPECT_FALSE(filled.equal_through(1) || filled.is_safe);
  const JudgedProgram wild = judged_as("a8 D(a)=A(a);", "a8 D(a)=A(a)+1e10-1e10;");
  EXPECT_TRUE(wild.is_equal());
  EXPECT_FALSE(wild.is_safe);
}

TEST(Rewards, ABadRowIsToldAndWorthNothing) {
  const Rewarded out = reward_of(Reward::equal, {"nothing", "x", 1}, {});
  EXPECT_EQ(out.value, 0);
  EXPECT_NE(out.problem, "");
}

TEST(StrategyMatch, TriesEveryChoice) {
  const Program before = question().before.program;
  const auto after = [&](const char* text) { return read_program_text("after", text, before.signature).program; };
  const Program split = after("L^{2}_{a=0}L^{4}_{c=0}[D^{f32,g}_{a*4+c}=A^{f32,g}_{a*4+c}*2+1;];");
  EXPECT_EQ(match_strategies(before, split, {"loop_split"}, {}), StrategyMatch::yes);
  EXPECT_EQ(match_strategies(before, split, {"expand_log"}, {}), StrategyMatch::no);
  EXPECT_EQ(match_strategies(before, split, {"magic"}, {}), StrategyMatch::unknown);
  EXPECT_EQ(match_strategies(before, split, {}, {}), StrategyMatch::unknown);
  StrategyMatchLimits none;
  none.applications = 0;
  EXPECT_EQ(match_strategies(before, split, {"loop_split"}, none), StrategyMatch::unknown);
  const Program twice = after("L^{2}_{a=0}L^{2}_{c=0}L^{2}_{d=0}[D^{f32,g}_{a*4+c*2+d}=A^{f32,g}_{a*4+c*2+d}*2+1;];");
  EXPECT_EQ(match_strategies(before, twice, {"loop_split", "loop_split"}, {}), StrategyMatch::yes);
  EXPECT_EQ(match_strategies(before, twice, {"loop_split"}, {}), StrategyMatch::no);
}

}  // namespace
}  // namespace steptp
