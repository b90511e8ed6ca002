#include "steptp/exports/validate_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "steptp/answers/prompt.h"
#include "steptp/base/text.h"
#include "steptp/dataset/lowered.h"
#include "steptp/exports/record_texts.h"
#include "steptp/exports/trajectory.h"
#include "steptp/reasoning/trace.h"
#include "steptp/recipe/registry.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "steptp/verify/replay_pair.h"

namespace steptp::dataset {

namespace {

/// The content of the only message of a list, by this role.
std::optional<std::string> only_message(const Json& row, const char* column, std::string_view role, std::size_t at = 0,
                                        std::size_t count = 1) {
  const Json::Array& list = *row.find(column)->as_array();
  if (list.size() != count || text_of(list[at], "role") != role) return std::nullopt;
  return text_of(list[at], "content");
}

std::vector<std::string> texts_of(const Json& row, const char* column) {
  std::vector<std::string> out;
  for (const Json& item : *row.find(column)->as_array()) out.push_back(*item.as_string());
  return out;
}

Language language_of(const Json& row) {
  const std::string& name = text_of(row, "language");
  if (name == name_of(Language::compact)) return Language::compact;
  return name == name_of(Language::tir) ? Language::tir : Language::leir;
}

class RowChecker {
 public:
  RowChecker(const Json& row, const Table& table, Split split, const ArchiveIndex& archive, ChatTokens* tokens)
      : row_(row), name_(table.name), split_(split), archive_(archive), tokens_(tokens) {}

  std::vector<std::string> problems;

  /// The entries that a row names, and what it says of them.
  void check_entries() {
    const std::vector<std::string> ids = texts_of(row_, "entries");
    for (const std::string& id : ids) {
      const IndexedEntry* entry = archive_.find(id);
      if (entry == nullptr) return fail(concat("entry ", id, " is not in the archive"));
      if (entry->split != split_) fail(concat("entry ", id, " belongs to split ", name_of(entry->split)));
      entries_.push_back(entry);
    }
    if (entries_.empty()) return fail("it names no entry");
    expect_each("strategies", &IndexedEntry::strategy);
    expect_each("levels", &IndexedEntry::level);
    expect_each("difficulties", &IndexedEntry::difficulty);
    expect_each("grades", &IndexedEntry::grade);
    check_asked(*entries_.front()->before);
    double useful = 0;
    for (const IndexedEntry* entry : entries_) useful += entry->useful / static_cast<double>(entries_.size());
    const Json* stated = row_.find("usefulness");
    if (stated != nullptr && std::abs(stated->number() - useful) > 0.002) {
      fail("column 'usefulness' is not that of its entries");
    }
  }

  void check_asked(const AskedProgram& program) {
    if (text_of(row_, "program_id") != program.program_id || text_of(row_, "program") != program.name ||
        text_of(row_, "origin") != program.origin) {
      fail("program_id, program or origin is not that of its entries");
    }
    const bool is_kernelbench = program.origin.starts_with("kernelbench");
    if (is_kernelbench && name_ == "no_kernelbench") fail("a program of KernelBench in no_kernelbench");
  }

  void check_chat() {
    const std::string variant = name_.substr(0, name_.rfind('/'));
    const bool has_reasoning = variant.find("nocot") == variant.npos;
    const auto prompt = only_message(row_, "messages", "user", 0, 2);
    const auto completion = only_message(row_, "messages", "assistant", 1, 2);
    if (!prompt || !completion) return fail("the conversation is not one question and one answer");
    const std::string kind = entries_.size() == 1 ? "single" : "multi";
    if (row_.find("kind") != nullptr && text_of(row_, "kind") != kind) fail(concat("kind is not ", kind));
    check_prompt(*prompt);
    check_completion(*completion, has_reasoning);
    check_tir_targets(json_of(*completion));
  }

  void check_tir_targets(const std::string& json) {
    std::vector<std::string> wanted;
    if (language_of(row_) == Language::tir) {
      wanted.emplace_back(tir_target_name(entries_.front()->before->texts[static_cast<std::size_t>(Language::tir)]));
      const auto answer = parse_json(json);
      const Json::Array* list = answer ? answer->as_array() : nullptr;
      if (answer && list == nullptr) wanted.emplace_back(tir_target_name(text_of(*answer, "transformed_IR")));
      for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        wanted.emplace_back(tir_target_name(text_of((*list)[i], "transformed_IR")));
      }
    }
    if (texts_of(row_, "tir_targets") != wanted) fail("column 'tir_targets' is not that of its texts");
  }

  void check_sft() {
    const auto prompt = only_message(row_, "prompt", "user");
    const auto completion = only_message(row_, "completion", "assistant");
    if (!prompt || !completion) return fail("prompt or completion is not one message");
    check_prompt(*prompt);
    check_completion(*completion, true);
  }

  void check_preference(const std::optional<std::string>& prompt, const std::optional<std::string>& chosen,
                        const std::optional<std::string>& rejected) {
    if (!prompt || !chosen || !rejected) return fail("a prompt or an answer is not one message");
    check_prompt(*prompt);
    check_right(*chosen, true);
    check_wrong(*rejected);
    if (tokens_ != nullptr) {
      expect_completion_tokens(std::max(tokens_->of_completion(*chosen), tokens_->of_completion(*rejected)));
    }
  }

  void check_kto() {
    const auto prompt = only_message(row_, "prompt", "user");
    const auto completion = only_message(row_, "completion", "assistant");
    if (!prompt || !completion) return fail("prompt or completion is not one message");
    check_prompt(*prompt);
    if (*row_.find("label")->as_bool()) {
      check_completion(*completion, true);
    } else {
      check_wrong(*completion);
      if (tokens_ != nullptr) expect_completion_tokens(tokens_->of_completion(*completion));
    }
  }

  /// Every right step is replayed, with its words; the wrong one is the last and another program.
  void check_stepwise() {
    const AskedProgram* program = archive_.find_program(text_of(row_, "program_id"));
    if (program == nullptr) return fail("its program is not in the archive");
    check_asked(*program);
    const std::vector<std::string> completions = texts_of(row_, "completions");
    const std::vector<std::string> strategies = texts_of(row_, "strategies");
    const Json::Array& labels = *row_.find("labels")->as_array();
    const auto json = parse_json(text_of(row_, "recipe"));
    const auto recipe = json ? recipe_from_json(*json) : Result<Recipe, std::string>(json.error().message);
    if (!recipe) return fail(concat("the recipe cannot be read: ", recipe.error()));
    if (completions.size() != labels.size() || strategies.size() != labels.size() || recipe->size() != labels.size()) {
      return fail("steps, labels, strategies and recipe are not as many");
    }
    if (labels.size() < kLeastSteps || labels.size() > kMostSteps) fail("there are not three to eight steps");
    auto state = read_leir(program->name, program->texts[0], program->signature);
    if (!state) return fail(concat("the program cannot be read: ", state.error()));
    for (std::size_t i = 0; i < labels.size() && problems.empty(); ++i) {
      const bool is_right = *labels[i].as_bool();
      if (!is_right && i + 1 < labels.size()) fail("a wrong step is not the last");
      check_step((*recipe)[i], completions[i], strategies[i], i, is_right, *state);
    }
    const PromptProgram asked{program->name, spoken_name(Language::leir), program->texts[0], &program->signature};
    if (text_of(row_, "prompt") != steps_prompt_for(asked)) fail("the question is not that of its program");
    if (tokens_ != nullptr) expect_prompt_tokens(text_of(row_, "prompt"));
  }

  void check_step(const Step& step, const std::string& completion, const std::string& named, std::size_t number,
                  bool is_right, Program& state) {
    const Strategy* strategy = find_strategy(step.strategy);
    if (strategy == nullptr || step.strategy != named) return fail("the recipe names another strategy");
    View view(state);
    const auto applied = apply(*strategy, view, step.choice);
    if (!applied) return fail(concat("step ", number + 1, " cannot be made"));
    const std::string wanted_json = answer_json({print(applied->program), named});
    if (!is_right) {
      if (json_of(completion) == wanted_json) fail("the wrong step is the right one");
      return;
    }
    const Trace trace =
        make_trace(*strategy, state, step.choice, *applied, phrasing_of_step(text_of(row_, "program_id"), number));
    const std::string thought = render(trace, state, applied->program, Profile::paper);
    if (completion != chat_completion(thought, wanted_json)) fail(concat("step ", number + 1, " is not its recipe's"));
    state = applied->program;
  }

  void check_rl() {
    const AskedProgram* program = archive_.find_program(text_of(row_, "program_id"));
    if (program == nullptr) return fail("its program is not in the archive");
    check_asked(*program);
    const auto prompt = only_message(row_, "prompt", "user");
    const std::string wanted = question(*program, Language::leir, 1);
    if (!prompt || *prompt != wanted) fail("the question is not that of its program");
    if (text_of(row_, "before") != program->texts[0]) fail("`before` is not its program");
    if (tokens_ != nullptr) expect_prompt_tokens(wanted);
  }

  void check_near_miss(bool replay) {
    const IndexedEntry* entry = archive_.find(text_of(row_, "entry"));
    if (entry == nullptr) return fail(concat("entry ", text_of(row_, "entry"), " is not in the archive"));
    if (entry->split != split_) fail(concat("its entry belongs to split ", name_of(entry->split)));
    check_asked(*entry->before);
    if (text_of(row_, "original_leir") != entry->before->texts[0]) fail("original_leir is not that of its entry");
    if (hash_bytes(text_of(row_, "transformed_leir")) != entry->after_in(Language::leir)) {
      fail("transformed_leir is not that of its entry");
    }
    if (text_of(row_, "wrong_reasoning") == entry->reasoning) fail("the wrong answer has the right thought");
    if (!replay) return;
    if (text_of(row_, "verdict") == "invalid") return check_invalid(*entry->before);
    const std::string record =
        concat(R"({"id":)", quote_json(text_of(row_, "id")), R"(,"signature":)", text_of(row_, "signature"),
               R"(,"before":)", quote_json(text_of(row_, "original_leir")), R"(,"after":)",
               quote_json(text_of(row_, "wrong_leir")), R"(,"counterexample":)", text_of(row_, "counterexample"), "}");
    const ReplayAnswer answer = replay_pair(read_replay_record(text_of(row_, "id"), record));
    if (!answer.reproduced) fail(concat("the counterexample shows no difference: ", answer.reason));
  }

 private:
  void fail(std::string_view what) { problems.emplace_back(what); }

  void expect_each(const char* column, std::string IndexedEntry::*member) {
    const std::vector<std::string> stated = texts_of(row_, column);
    bool is_right = stated.size() == entries_.size();
    for (std::size_t i = 0; is_right && i < stated.size(); ++i) is_right = stated[i] == entries_[i]->*member;
    if (!is_right) fail(concat("column '", std::string_view(column), "' is not that of its entries"));
  }

  [[nodiscard]] static std::string question(const AskedProgram& program, Language language, std::size_t answers) {
    const std::string& text = program.texts[static_cast<std::size_t>(language)];
    return prompt_for(PromptProgram{program.name, spoken_name(language), text, &program.signature},
                      static_cast<int>(answers));
  }

  void check_prompt(const std::string& prompt, std::size_t answers = 0) {
    if (entries_.empty()) return;
    const std::size_t wanted = answers == 0 ? entries_.size() : answers;
    if (prompt != question(*entries_.front()->before, language_of(row_), wanted)) {
      fail("the question is not that of its program");
    }
    if (tokens_ != nullptr) expect_prompt_tokens(prompt);
  }

  void check_completion(const std::string& completion, bool has_reasoning) {
    check_right(completion, has_reasoning);
    if (tokens_ != nullptr) expect_completion_tokens(tokens_->of_completion(completion));
  }

  /// Thought and answer as they should be, byte by byte: written again from what is known, they are the same.
  void check_right(const std::string& completion, bool has_reasoning) {
    if (entries_.empty()) return;
    const std::string json = json_of(completion);
    if (completion != chat_completion(has_reasoning ? thought() : "", json))
      return fail("the thought is not the reasoning of its entries");
    check_parts(json, entries_, true);
  }

  void check_wrong(const std::string& completion) {
    if (entries_.size() != 1) return fail("a wrong answer to several questions");
    const std::string json = json_of(completion);
    if (completion == chat_completion(thought(), json)) return fail("the wrong answer has the right thought");
    const std::string thinks = thought_in(completion);
    if (completion != chat_completion(thinks, json)) fail("the wrong answer is not spelled as answers are");
    const auto miss = archive_.near_misses.find(text_of(row_, "id"));
    if (miss != archive_.near_misses.end() && miss->second.thought != hash_bytes(thinks)) {
      fail("the thought of the wrong answer is not that of near_miss");
    }
    check_parts(json, entries_, false);
  }

  [[nodiscard]] static std::string thought_in(const std::string& completion) {
    constexpr std::string_view kOpen = "<think>\n";
    const std::size_t end = completion.rfind("\n</think>");
    if (!completion.starts_with(kOpen) || end == completion.npos || end < kOpen.size()) return {};
    return completion.substr(kOpen.size(), end - kOpen.size());
  }

  void check_invalid(const AskedProgram& before) {
    const auto wrong = read_leir(before.name, text_of(row_, "wrong_leir"), before.signature);
    if (wrong && check_program(*wrong).verdict != CheckReport::Verdict::errors) fail("`wrong_leir` is valid");
    if (text_of(row_, "counterexample") != "null") fail("an invalid program has a counterexample");
  }

  [[nodiscard]] std::string thought() const {
    const bool is_compact = language_of(row_) == Language::compact;
    std::vector<std::string> rendered;
    for (const IndexedEntry* entry : entries_)
      rendered.push_back(is_compact ? entry->reasoning_compact : entry->reasoning);
    return rendered.size() == 1 ? rendered.front() : reasoning_of(rendered);
  }

  [[nodiscard]] static std::string json_of(const std::string& completion) {
    constexpr std::string_view kOpen = "<answer>";
    constexpr std::string_view kClose = "</answer>";
    const std::size_t begin = completion.rfind(kOpen);
    if (begin == completion.npos || !completion.ends_with(kClose)) return {};
    return completion.substr(begin + kOpen.size(), completion.size() - kClose.size() - begin - kOpen.size());
  }

  /// The programs of an answer against those of the archive, or against the near miss of this row. How an answer is
  /// spelled is known, so that it is enough to look at what it must hold.
  void check_parts(const std::string& json, const std::vector<const IndexedEntry*>& entries, bool is_right) {
    const auto answer = parse_json(json);
    if (!answer) return fail(concat("the answer is not JSON: ", answer.error().message));
    const bool is_list = answer->as_array() != nullptr;
    const Json::Array programs = is_list ? *answer->as_array() : Json::Array{*answer};
    if (programs.size() != entries.size()) return fail("the answer has another number of programs");
    std::vector<AnswerPart> parts;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      parts.push_back({text_of(programs[i], "transformed_IR"), text_of(programs[i], "applied_strategy")});
      check_part(parts.back(), *entries[i], is_right);
    }
    const std::string again = parts.size() == 1 ? answer_json(parts.front()) : answers_json(parts);
    if (again != json) fail("the answer is not spelled as answers are");
  }

  void check_part(const AnswerPart& part, const IndexedEntry& entry, bool is_right) {
    if (part.strategy != entry.strategy) fail("the answer names another strategy");
    const Hash hash = hash_bytes(part.text);
    const bool is_archived = hash == entry.after_in(language_of(row_));
    if (is_right && !is_archived) fail("the answer is not the transformed program of its entry");
    if (is_right) return;
    const auto miss = archive_.near_misses.find(text_of(row_, "id"));
    if (is_archived) fail("the wrong answer is the right one");
    if (!archive_.near_misses.empty() && (miss == archive_.near_misses.end() || miss->second.program != hash)) {
      fail("the wrong answer is not that of near_miss");
    }
  }

  void expect_prompt_tokens(const std::string& prompt) {
    if (*row_.find("prompt_tokens")->as_integer() != tokens_->of_prompt(prompt)) fail("prompt_tokens is not the count");
  }
  void expect_completion_tokens(std::int64_t wanted) {
    if (*row_.find("completion_tokens")->as_integer() != wanted) fail("completion_tokens is not the count");
  }

  const Json& row_;
  const std::string& name_;
  Split split_;
  const ArchiveIndex& archive_;
  ChatTokens* tokens_;
  std::vector<const IndexedEntry*> entries_;
};

}  // namespace

std::vector<std::string> check_row(const Json& row, const Table& table, Split split, const ArchiveIndex& archive,
                                   ChatTokens* tokens, bool replay) {
  RowChecker checker(row, table, split, archive, tokens);
  const std::string& name = table.name;
  if (name == "near_miss") {
    checker.check_near_miss(replay);
    return std::move(checker.problems);
  }
  if (name == "rl") {
    checker.check_rl();
    return std::move(checker.problems);
  }
  if (name == "stepwise") {
    checker.check_stepwise();
    return std::move(checker.problems);
  }
  checker.check_entries();
  if (!checker.problems.empty()) return std::move(checker.problems);
  if (name == "sft_trl") {
    checker.check_sft();
  } else if (name == "dpo_trl") {
    checker.check_preference(only_message(row, "prompt", "user"), only_message(row, "chosen", "assistant"),
                             only_message(row, "rejected", "assistant"));
  } else if (name == "dpo_swift") {
    checker.check_preference(only_message(row, "messages", "user", 0, 2),
                             only_message(row, "messages", "assistant", 1, 2), text_of(row, "rejected_response"));
  } else if (name == "kto_trl") {
    checker.check_kto();
  } else {
    checker.check_chat();
  }
  return std::move(checker.problems);
}

}  // namespace steptp::dataset
