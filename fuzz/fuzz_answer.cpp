// Any bytes as a model's answer: they are taken apart without a word, every program has a text or a reason, and what
// was read reads the same when it is written as the question asks for it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/round_trip.h"
#include "steptp/answers/answer.h"
#include "steptp/answers/prompt.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const steptp::Answer answer = steptp::read_answer(text);
  if (answer.problem.ok() == answer.programs.empty()) {
    steptp::fuzz::fail("programs or a reason", text, answer.problem.message);
  }
  for (const steptp::AnswerProgram& program : answer.programs) {
    if (program.problem.ok() == program.text.empty()) {
      steptp::fuzz::fail("a text or a reason", text, program.problem.message);
    }
    if (!program.problem.ok()) continue;
    const std::string written = steptp::chat_completion("", steptp::answer_json({program.text, "loop_split"}));
    const steptp::Answer again = steptp::read_answer(written);
    // A text that holds tags or fences itself cannot be written so.
    if (program.text.find_first_of("<`") != std::string::npos) continue;
    if (again.programs.size() != 1 || again.programs[0].text != program.text || !again.deviations.empty()) {
      steptp::fuzz::fail("the same program again", text, written);
    }
  }
  return 0;
}
