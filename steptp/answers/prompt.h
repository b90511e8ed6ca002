#pragma once

// The questions a model is asked and the answers it is to give: the same bytes in datasets, evaluation and search.

#include <string>
#include <string_view>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/text/profile.h"

namespace steptp {

/// The program of a question in any language, as text.
struct PromptProgram {
  std::string_view name;
  std::string_view language;  ///< as the question calls it: "LEIR", "compact LEIR", "TVM TIR"
  std::string_view text;
  const Signature* signature = nullptr;
};

/// The question: the program's name and text; the known variables with dtype and shape; that these must stay; the task,
/// which is one program or at least `answers` different ones; the format of the answer. No strategy is named.
[[nodiscard]] std::string prompt_for(const PromptProgram& program, int answers = 1);
/// Asks for several steps, one after the other, each as an answer of its own.
[[nodiscard]] std::string steps_prompt_for(const PromptProgram& program);
/// The same for LEIR in one of its profiles.
[[nodiscard]] std::string prompt_for(const Program& program, Profile profile, int answers = 1);

/// One program of an answer, and the strategy that made it.
struct AnswerPart {
  std::string text;
  std::string strategy;
};
/// `{"transformed_IR":...,"applied_strategy":...}`
[[nodiscard]] std::string answer_json(const AnswerPart& part);
/// `[{"idx":1,"transformed_IR":...,"applied_strategy":...},...]`
[[nodiscard]] std::string answers_json(const std::vector<AnswerPart>& parts);

/// `<think>\n{trace}\n</think>\n\n<answer>{json}</answer>`, which is Qwen3's own form; without a trace the answer
/// alone.
[[nodiscard]] std::string chat_completion(std::string_view trace, std::string_view json);

}  // namespace steptp
