#include "steptp/answers/prompt.h"

#include <cstddef>
#include <cstdint>

#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/ir/dtype.h"
#include "steptp/ir/signature.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

std::string domain_text(const Domain& domain) {
  switch (domain.kind) {
    case Domain::Kind::unstated:
    case Domain::Kind::any: return "";
    case Domain::Kind::positive: return ", values positive";
    case Domain::Kind::nonzero: return ", values not zero";
    case Domain::Kind::masked: return ", values finite or -inf";
    case Domain::Kind::range:
      return concat(", values in [", Json(domain.low).dump(), ", ", Json(domain.high).dump(), ")");
  }
  return "";
}

std::string variable_line(const Variable& variable) {
  const std::string shape = join(variable.shape, ", ", [](std::int64_t extent) { return std::to_string(extent); });
  return concat("- ", variable.name, ": ", name_of(variable.role), ", torch.", info(variable.dtype).torch_name,
                ", shape [", shape, "]", domain_text(variable.domain), "\n");
}

std::string task(std::string_view language, int answers) {
  if (answers == 1) {
    return concat("Task: transform the program into one different program in ", language,
                  " that is numerically equivalent, and name the strategy you applied.\n\n"
                  "Answer in this format:\n"
                  R"(<answer>{"transformed_IR":"...","applied_strategy":"..."}</answer>)");
  }
  return concat("Task: transform the program into at least ", answers, " different programs in ", language,
                ", each numerically equivalent to it and different from the others, and name the strategy you applied "
                "for each.\n\n"
                "Answer in this format:\n"
                R"(<answer>[{"idx":1,"transformed_IR":"...","applied_strategy":"..."},)"
                R"({"idx":2,"transformed_IR":"...","applied_strategy":"..."}]</answer>)");
}

std::string steps_task(std::string_view language) {
  return concat(
      "Task: transform the program in several steps. Each step applies one strategy to the program of the step "
      "before and gives a program in ",
      language,
      " that is numerically equivalent to it. Name the strategy of each step.\n\n"
      "Answer each step in this format:\n"
      R"(<answer>{"transformed_IR":"...","applied_strategy":"..."}</answer>)");
}

std::string with_task(const PromptProgram& program, const std::string& task) {
  std::string out = concat("Program ", program.name.empty() ? "without a name" : program.name, " in ", program.language,
                           ":\n", program.text, "\n\nKnown variables:\n");
  for (const Variable& variable : program.signature->variables) out += variable_line(variable);
  append(out, "\nThe names, shapes and dtypes of the known variables must stay as they are.\n\n", task, "\n");
  return out;
}

void set_part(Json& json, const AnswerPart& part) {
  json.set("transformed_IR", part.text).set("applied_strategy", part.strategy);
}

}  // namespace

std::string prompt_for(const PromptProgram& program, int answers) {
  return with_task(program, task(program.language, answers));
}

std::string steps_prompt_for(const PromptProgram& program) { return with_task(program, steps_task(program.language)); }

std::string prompt_for(const Program& program, Profile profile, int answers) {
  const std::string text = print(program, profile);
  return prompt_for(
      PromptProgram{program.name, profile == Profile::paper ? "LEIR" : "compact LEIR", text, &program.signature},
      answers);
}

std::string answer_json(const AnswerPart& part) {
  Json json{Json::Object{}};
  set_part(json, part);
  return json.dump();
}

std::string answers_json(const std::vector<AnswerPart>& parts) {
  Json list{Json::Array{}};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Json json{Json::Object{}};
    json.set("idx", static_cast<std::int64_t>(i + 1));
    set_part(json, parts[i]);
    list.push(std::move(json));
  }
  return list.dump();
}

std::string chat_completion(std::string_view trace, std::string_view json) {
  if (trace.empty()) return concat("<answer>", json, "</answer>");
  return concat("<think>\n", trace, "\n</think>\n\n<answer>", json, "</answer>");
}

}  // namespace steptp
