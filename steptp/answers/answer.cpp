#include "steptp/answers/answer.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "steptp/answers/json_value.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/text/strategy_names.h"

namespace steptp {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kThink = "<think>";
constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kAnswer = "<answer>";
constexpr std::string_view kAnswerEnd = "</answer>";
constexpr std::string_view kFence = "```";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Whatever stands between fences, without the word behind the first one.
std::string_view without_fences(std::string_view text, bool& was_fenced) {
  text = trimmed(text);
  if (!text.starts_with(kFence)) return text;
  const std::size_t line_end = text.find('\n');
  if (line_end == std::string_view::npos) return text;
  was_fenced = true;
  text.remove_prefix(line_end + 1);
  if (const std::size_t end = text.rfind(kFence); end != std::string_view::npos) text = text.substr(0, end);
  return trimmed(text);
}

class Reader {
 public:
  Answer read(std::string_view text) {
    read_all(text);
    return std::move(out_);
  }

 private:
  void deviate(std::string_view what) {
    if (std::find(out_.deviations.begin(), out_.deviations.end(), what) == out_.deviations.end())
      out_.deviations.emplace_back(what);
  }

  void fail(std::string_view id, std::string message) { out_.problem = {std::string(id), std::move(message)}; }

  void read_all(std::string_view text) {
    if (text.size() > kLongestAnswer) return fail("too-long", concat("the answer has ", text.size(), " bytes"));
    const auto rest = without_thought(text);
    if (!rest) return fail("endless-thought", "the thinking does not end, so that there is no answer behind it");
    if (trimmed(*rest).empty()) return fail("empty", "nothing was answered");
    if (const auto body = body_of(*rest)) read_body(*body);
  }

  /// What is behind the thought. A chat template may have written the beginning of the thought, so that only its end is
  /// there.
  std::optional<std::string_view> without_thought(std::string_view text) {
    const std::size_t end = text.rfind(kThinkEnd);
    const std::size_t last_begin = text.rfind(kThink);
    const bool has_begin = last_begin != std::string_view::npos;
    if (has_begin && (end == std::string_view::npos || last_begin > end)) return std::nullopt;
    if (end == std::string_view::npos) return text;
    std::string_view thought = trimmed(text.substr(0, end));
    if (thought.starts_with(kThink)) thought.remove_prefix(kThink.size());
    out_.thought = trimmed(thought);
    return text.substr(end + kThinkEnd.size());
  }

  /// What is between the tags of the answer, or all of it where there are none.
  std::optional<std::string_view> body_of(std::string_view text) {
    const std::size_t begin = text.find(kAnswer);
    if (begin == std::string_view::npos) {
      if (!begins_json(text)) {
        fail("no-answer", "there is no <answer>, and no JSON either");
        return std::nullopt;
      }
      deviate("no-tags");
      return text;
    }
    if (!trimmed(text.substr(0, begin)).empty()) deviate("leading-text");
    std::string_view body = text.substr(begin + kAnswer.size());
    const std::size_t end = body.find(kAnswerEnd);
    const bool has_end = end != std::string_view::npos;
    const std::string_view behind = has_end ? body.substr(end + kAnswerEnd.size()) : std::string_view();
    body = body.substr(0, end);
    if (body.find(kAnswer) != std::string_view::npos) return several();
    if (!has_end) deviate("no-end-tag");
    if (!is_repeated(body, behind)) return several();
    if (!trimmed(behind).empty()) deviate("trailing-text");
    return body;
  }

  std::optional<std::string_view> several() {
    fail("several-answers", "there are several <answer>s, and they are not alike");
    return std::nullopt;
  }

  /// Whether every further answer, if there is any, says the same.
  static bool is_repeated(std::string_view body, std::string_view behind) {
    while (true) {
      const std::size_t begin = behind.find(kAnswer);
      if (begin == std::string_view::npos) return true;
      behind.remove_prefix(begin + kAnswer.size());
      const std::size_t end = std::min(behind.find(kAnswerEnd), behind.size());
      if (trimmed(behind.substr(0, end)) != trimmed(body)) return false;
      behind.remove_prefix(end);
    }
  }

  void read_body(std::string_view text) {
    bool was_fenced = false;
    const auto found = find_json(without_fences(text, was_fenced));
    if (was_fenced) deviate("code-fence");
    if (!found) {
      const bool cut = begins_json(text);
      fail(cut ? "cut-off" : "not-json", cut ? "the JSON of the answer does not end" : "the answer is not JSON");
      return;
    }
    if (found->has_text_before) deviate("leading-text");
    if (found->has_text_behind) deviate("trailing-text");
    if (found->has_raw_breaks) deviate("line-break-in-string");
    const auto json = parse_json(found->json);
    if (!json) {
      fail("not-json", concat("the answer is not JSON: ", json.error().message));
      return;
    }
    read_value(*json);
  }

  void read_value(const Json& json) {
    const Json::Array* list = json.as_array();
    if (!list) {
      out_.programs.push_back(read_program(json));
      return;
    }
    if (list->empty()) {
      fail("no-program", "the list of programs is empty");
      return;
    }
    for (const Json& one : *list) {
      if (!one.find("idx")) deviate("no-idx");
      out_.programs.push_back(read_program(one));
    }
  }

  AnswerProgram read_program(const Json& json) {
    AnswerProgram program;
    if (!json.as_object()) {
      program.problem = {"no-program", concat("a program of the answer is ", json.kind_name(), " and no object")};
      return program;
    }
    const Json* text = nullptr;
    for (const auto& [key, value] : *json.as_object()) {
      const std::string name = lowered(key);
      if (name == "transformed_ir") {
        if (text && text->dump() != value.dump()) {
          program.problem = {"key-twice", "transformed_IR is given twice, with different texts"};
          return program;
        }
        text = &value;
        if (key != "transformed_IR") deviate("key-spelling");
      } else if (name == "applied_strategy" || name == "applied_strategies") {
        if (key != "applied_strategy" || !value.as_string()) deviate("strategy-form");
        add_strategies(value, program);
      } else if (name != "idx") {
        deviate("other-keys");
      }
    }
    if (!text || !text->as_string()) {
      program.problem = {"no-program", text ? concat("transformed_IR is ", text->kind_name(), " and no string")
                                            : "there is no transformed_IR"};
      return program;
    }
    bool was_fenced = false;
    program.text = without_fences(*text->as_string(), was_fenced);
    if (was_fenced) deviate("code-fence");
    if (program.text.starts_with('@') || program.text.find("\n@") != std::string::npos) deviate("header-lines");
    if (program.text.empty()) program.problem = {"no-program", "transformed_IR is empty"};
    if (program.strategies.empty()) deviate("no-strategy");
    return program;
  }

  void add_strategies(const Json& value, AnswerProgram& program) {
    if (const Json::Array* list = value.as_array()) {
      for (const Json& one : *list) {
        if (one.as_string()) add_strategies(one, program);
      }
      return;
    }
    if (!value.as_string()) return;
    std::string_view rest = *value.as_string();
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find_first_of(",;+>\n"), rest.size());
      std::string name = strategy_spelling(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (name.empty()) continue;
      if (std::find(program.strategies.begin(), program.strategies.end(), name) == program.strategies.end())
        program.strategies.push_back(std::move(name));
    }
    if (program.strategies.size() > 1) deviate("strategy-form");
  }

  Answer out_;
};

}  // namespace

bool is_known_strategy(std::string_view name) {
  const auto& names = strategy_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string strategy_spelling(std::string_view name) {
  while (!name.empty() && (kBlanks.find(name.back()) != std::string_view::npos || name.back() == '-')) {
    name.remove_suffix(1);  // the beginning of an arrow between two of them
  }
  name = trimmed(name);
  std::string ours = lowered(name);
  for (char& c : ours) {
    if (c == ' ' || c == '-') c = '_';
  }
  return is_known_strategy(ours) ? ours : std::string(name);
}

Answer read_answer(std::string_view text) { return Reader().read(text); }

}  // namespace steptp
