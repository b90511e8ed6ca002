#include "steptp/answers/prompt.h"

#include <gtest/gtest.h>

#include "steptp/text/document.h"

namespace steptp {
namespace {

const char* const kText =
    "@program Scale\n@input A f32[8]\n@input C i64[] [0,8)\n@output D f32[8]\n"
    "L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];\n";

Program scale() {
  Document document = read_document("scale.leir", kText);
  EXPECT_TRUE(document.ok);
  return document.program;
}

TEST(Prompt, HoldsTheProgramItsVariablesTheTaskAndTheFormatInThisOrder) {
  EXPECT_EQ(prompt_for(scale(), Profile::paper),
            "Program Scale in LEIR:\n"
            "L^{8}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a}*2;];\n\n"
            "Known variables:\n"
            "- A: input, torch.float32, shape [8]\n"
            "- C: input, torch.int64, shape [], values in [0, 8)\n"
            "- D: output, torch.float32, shape [8]\n\n"
            "The names, shapes and dtypes of the known variables must stay as they are.\n\n"
            "Task: transform the program into one different program in LEIR that is numerically equivalent, and name "
            "the strategy you applied.\n\n"
            "Answer in this format:\n"
            "<answer>{\"transformed_IR\":\"...\",\"applied_strategy\":\"...\"}</answer>\n");
}

TEST(Prompt, AsksForSeveralProgramsInTheCompactProfile) {
  const std::string prompt = prompt_for(scale(), Profile::compact, 3);
  EXPECT_TRUE(prompt.starts_with("Program Scale in compact LEIR:\na8 D(a)=A(a)*2;\n\n")) << prompt;
  EXPECT_NE(prompt.find("at least 3 different programs in compact LEIR"), std::string::npos) << prompt;
  EXPECT_NE(prompt.find("<answer>[{\"idx\":1,"), std::string::npos) << prompt;
}

TEST(Prompt, AnswersAreWrittenAsTheGrammarHasThem) {
  EXPECT_EQ(answer_json({"A;", "loop_split"}), R"({"transformed_IR":"A;","applied_strategy":"loop_split"})");
  EXPECT_EQ(answers_json({{"A;", "loop_split"}, {"C;", "expand_log"}}),
            R"([{"idx":1,"transformed_IR":"A;","applied_strategy":"loop_split"},)"
            R"({"idx":2,"transformed_IR":"C;","applied_strategy":"expand_log"}])");
  EXPECT_EQ(chat_completion("Why.", "{}"), "<think>\nWhy.\n</think>\n\n<answer>{}</answer>");
  EXPECT_EQ(chat_completion("", "{}"), "<answer>{}</answer>");
}

}  // namespace
}  // namespace steptp
