#include "steptp/exports/rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "steptp/answers/prompt.h"
#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/dataset/lowered.h"
#include "steptp/recipe/recipe.h"
#include "steptp/text/signature_text.h"

namespace steptp::dataset {

namespace {

Json message(std::string_view role, const std::string& content) {
  Json out;
  out.set("role", role).set("content", content);
  return out;
}

Json user(const std::string& prompt) { return Json::Array{message("user", prompt)}; }
Json assistant(const std::string& completion) { return Json::Array{message("assistant", completion)}; }
Json conversation(const Exchange& exchange) {
  return Json::Array{message("user", exchange.prompt), message("assistant", exchange.completion)};
}

std::string signature_json(const Signature& signature) {
  Json::Array variables;
  for (const Variable& variable : signature.variables) variables.push_back(to_json(variable));
  return Json(std::move(variables)).dump();
}

void set_program(Json& row, const DatasetProgram& program) {
  row.set("program_id", program.id).set("program", program.name).set("origin", program.origin);
}

template <typename Get>
Json each(const std::vector<const EntryTexts*>& entries, Get get) {
  Json::Array out;
  for (const EntryTexts* entry : entries) out.emplace_back(get(*entry->entry));
  return out;
}

void set_entries(Json& row, const RecordTexts& texts, const std::vector<const EntryTexts*>& entries,
                 Language language) {
  set_program(row, texts.record().program);
  row.set("language", name_of(language));
  row.set("entries", each(entries, [](const Entry& entry) { return entry.id; }));
  row.set("strategies", each(entries, [](const Entry& entry) { return entry.strategy; }));
  row.set("levels", each(entries, [](const Entry& entry) { return entry.level; }));
  row.set("difficulties", each(entries, [](const Entry& entry) { return entry.difficulty; }));
  row.set("grades", each(entries, [](const Entry& entry) { return entry.verdict.grade; }));
}

void set_rest(Json& row, const RecordTexts& texts, const Exchange& exchange, std::int64_t completion_tokens) {
  set_entries(row, texts, exchange.entries, exchange.language);
  row.set("usefulness", exchange.useful());
  row.set("prompt_tokens", exchange.prompt_tokens).set("completion_tokens", completion_tokens);
}

std::string row_id(const std::vector<const EntryTexts*>& entries) {
  if (entries.size() == 1) return entries.front()->entry->id;
  Hash hash = hash_text("multi");
  for (const EntryTexts* entry : entries) hash = combine(hash, hash_text(entry->entry->id));
  return hash_name(hash);
}

std::string question(const RecordTexts& texts, const ProgramTexts& before, Language language, std::size_t answers) {
  const DatasetProgram& program = texts.record().program;
  return prompt_for(PromptProgram{program.name, spoken_name(language), before.in(language), &program.signature},
                    static_cast<int>(answers));
}

AnswerPart part_of(const EntryTexts& entry, Language language) {
  return {entry.after.in(language), entry.entry->strategy};
}

std::string thought_of(const std::vector<const EntryTexts*>& entries, Language language) {
  if (entries.size() == 1) return entries.front()->reasoning_in(language);
  std::vector<std::string> rendered;
  for (const EntryTexts* entry : entries) rendered.push_back(entry->reasoning_in(language));
  return reasoning_of(rendered);
}

std::string json_of(const std::vector<const EntryTexts*>& entries, Language language) {
  if (entries.size() == 1) return answer_json(part_of(*entries.front(), language));
  std::vector<AnswerPart> parts;
  for (const EntryTexts* entry : entries) parts.push_back(part_of(*entry, language));
  return answers_json(parts);
}

Json trials_json(const EntryVerdict& verdict) {
  Json::Array out;
  for (const Trial& trial : verdict.trials) {
    Json one;
    one.set("seed", std::to_string(trial.seed)).set("grade", trial.grade).set("points", trial.points);
    one.set("bound_log2", trial.bound_log2 ? Json(*trial.bound_log2) : Json());
    one.set("agree_bits", trial.agree_bits ? Json(*trial.agree_bits) : Json())
        .set("safe", trial.safe ? Json(*trial.safe) : Json());
    out.push_back(std::move(one));
  }
  return out;
}

void set_tokens(Json& row, const std::string& of, const FormTokens& tokens) {
  const auto count = [](std::uint64_t number) { return Json(static_cast<std::int64_t>(number)); };
  row.set(of + "_leir_tokens", count(tokens.paper)).set(of + "_leir_compact_tokens", count(tokens.compact));
  row.set(of + "_tir_tokens", count(tokens.tir)).set(of + "_cuda_tokens", count(tokens.cuda));
}

void set_verdict(Json& row, const EntryVerdict& verdict) {
  const auto truth = [](std::optional<bool> known) { return known ? Json(*known) : Json(); };
  row.set("grade", verdict.grade).set("safe", truth(verdict.safe)).set("safe_by", verdict.safe_by);
  row.set("safe_range", verdict.safe_range).set("stable", truth(verdict.stable));
  row.set("bound_log2", verdict.bound_log2 ? Json(*verdict.bound_log2) : Json());
  row.set("points", static_cast<std::int64_t>(verdict.points));
  row.set("agree_bits", verdict.agree_bits ? Json(*verdict.agree_bits) : Json());
  row.set("assumes", Json::Array(verdict.assumes.begin(), verdict.assumes.end()));
  row.set("trials", trials_json(verdict).dump());
}

void set_texts(Json& row, const std::string& of, const ProgramTexts& program) {
  row.set(of + "_leir", program.leir).set(of + "_leir_compact", program.compact);
  row.set(of + "_tir", program.tir).set(of + "_tir_target", tir_target_name(program.tir));
  row.set(of + "_cuda", program.cuda);
}

void set_expected(Json& row, const ExpectedTimes& before, const ExpectedTimes& after) {
  const auto number = [](std::optional<double> known) { return known ? Json(*known) : Json(); };
  row.set("expected_gpu_before_us", number(before.gpu)).set("expected_gpu_after_us", number(after.gpu));
  row.set("expected_cpu_before_us", number(before.cpu)).set("expected_cpu_after_us", number(after.cpu));
}

}  // namespace

double Exchange::useful() const {
  double sum = 0;
  for (const EntryTexts* entry : entries) sum += entry->useful();
  return entries.empty() ? 0 : std::round(1000 * sum / static_cast<double>(entries.size())) / 1000;
}

Exchange make_exchange(const RecordTexts& texts, std::vector<const EntryTexts*> entries, Language language,
                       bool with_reasoning, ChatTokens& tokens) {
  Exchange out;
  out.id = row_id(entries);
  out.language = language;
  out.prompt = question(texts, *entries.front()->before, language, entries.size());
  out.completion = chat_completion(with_reasoning ? thought_of(entries, language) : "", json_of(entries, language));
  out.entries = std::move(entries);
  out.prompt_tokens = tokens.of_prompt(out.prompt);
  out.completion_tokens = tokens.of_completion(out.completion);
  return out;
}

Json archive_row(const RecordTexts& texts, const EntryTexts& texts_of_entry) {
  const DatasetProgram& program = texts.record().program;
  const Entry& entry = *texts_of_entry.entry;
  Json row;
  row.set("id", entry.id);
  set_program(row, program);
  row.set("type", program.type).set("arguments", program.arguments.dump()).set("dtype", program.dtype);
  row.set("split", name_of(program.split)).set("structure", program.structure);
  row.set("signature", signature_json(program.signature)).set("torch", program.torch);
  row.set("depth", static_cast<std::int64_t>(entry.depth)).set("parent", entry.parent).set("root_leir", program.leir);
  set_texts(row, "original", *texts_of_entry.before);
  set_texts(row, "transformed", texts_of_entry.after);
  row.set("strategy", entry.strategy).set("level", entry.level).set("difficulty", entry.difficulty);
  row.set("extended", entry.extended).set("choice", entry.choice.dump()).set("recipe", entry.recipe.dump());
  row.set("reasoning", texts_of_entry.reasoning).set("reasoning_compact", texts_of_entry.reasoning_compact);
  row.set("answer", answer_json(part_of(texts_of_entry, Language::leir)));
  row.set("trace", entry.trace.dump()).set("phrasing", std::to_string(entry.phrasing));
  set_verdict(row, entry.verdict);
  row.set("original_hash", entry.before_hash).set("transformed_hash", entry.after_hash);
  set_expected(row, texts_of_entry.before->expected, texts_of_entry.after.expected);
  row.set("compiled", entry.compiled);
  row.set("compilers", Json::Array(entry.compilers.begin(), entry.compilers.end()));
  set_tokens(row, "original", texts_of_entry.before->tokens);
  set_tokens(row, "transformed", entry.tokens);
  return row;
}

Json chat_row(const RecordTexts& texts, const Exchange& exchange) {
  Json row;
  row.set("id", exchange.id).set("messages", conversation(exchange));
  row.set("kind", exchange.entries.size() == 1 ? "single" : "multi");
  Json::Array targets;
  if (exchange.language == Language::tir) {
    targets.emplace_back(tir_target_name(exchange.entries.front()->before->tir));
    for (const EntryTexts* entry : exchange.entries) targets.emplace_back(tir_target_name(entry->after.tir));
  }
  row.set("tir_targets", std::move(targets));
  set_rest(row, texts, exchange, exchange.completion_tokens);
  return row;
}

Json sft_row(const RecordTexts& texts, const Exchange& exchange) {
  Json row;
  row.set("id", exchange.id).set("prompt", user(exchange.prompt)).set("completion", assistant(exchange.completion));
  set_rest(row, texts, exchange, exchange.completion_tokens);
  return row;
}

Json rl_row(const RecordTexts& texts, ChatTokens& tokens) {
  const DatasetProgram& program = texts.record().program;
  const std::string prompt = question(texts, texts.root(), Language::leir, 1);
  std::set<std::string> strategies;
  for (const auto& entry : texts.entries()) {
    if (entry->entry->depth == 0) strategies.insert(entry->entry->strategy);
  }
  Json row;
  row.set("id", program.id).set("prompt", user(prompt));
  set_program(row, program);
  row.set("language", name_of(Language::leir)).set("signature", signature_json(program.signature));
  row.set("before", program.leir).set("strategies", Json::Array(strategies.begin(), strategies.end()));
  row.set("prompt_tokens", tokens.of_prompt(prompt));
  return row;
}

WrongAnswer make_wrong_answer(const Exchange& exchange, const NearMiss& miss, ChatTokens& tokens) {
  const EntryTexts& entry = *exchange.entries.front();
  WrongAnswer out;
  out.miss = &miss;
  // The thought has the slip in it: the right one would be blamed for what it did not lead to.
  out.completion = chat_completion(miss.reasoning, answer_json({miss.leir, entry.entry->strategy}));
  out.completion_tokens = tokens.of_completion(out.completion);
  return out;
}

Json near_miss_row(const RecordTexts& texts, const EntryTexts& entry, const NearMiss& miss) {
  Json row;
  row.set("id", miss.id);
  set_program(row, texts.record().program);
  row.set("entry", entry.entry->id).set("strategy", entry.entry->strategy);
  row.set("signature", signature_json(texts.record().program.signature)).set("original_leir", entry.before->leir);
  row.set("transformed_leir", entry.after.leir).set("wrong_leir", miss.leir).set("change", miss.change);
  row.set("wrong_reasoning", miss.reasoning)
      .set("verdict", miss.verdict)
      .set("reason", miss.reason)
      .set("counterexample", miss.counterexample.dump());
  return row;
}

Json dpo_trl_row(const RecordTexts& texts, const Exchange& exchange, const WrongAnswer& wrong) {
  Json row;
  row.set("id", wrong.miss->id).set("prompt", user(exchange.prompt)).set("chosen", assistant(exchange.completion));
  row.set("rejected", assistant(wrong.completion));
  set_rest(row, texts, exchange, std::max(exchange.completion_tokens, wrong.completion_tokens));
  return row;
}

Json dpo_swift_row(const RecordTexts& texts, const Exchange& exchange, const WrongAnswer& wrong) {
  Json row;
  row.set("id", wrong.miss->id).set("messages", conversation(exchange)).set("rejected_response", wrong.completion);
  set_rest(row, texts, exchange, std::max(exchange.completion_tokens, wrong.completion_tokens));
  return row;
}

Json kto_row(const RecordTexts& texts, const Exchange& exchange, const WrongAnswer* wrong) {
  Json row;
  row.set("id", wrong == nullptr ? exchange.id : wrong->miss->id).set("prompt", user(exchange.prompt));
  row.set("completion", assistant(wrong == nullptr ? exchange.completion : wrong->completion));
  row.set("label", wrong == nullptr);
  set_rest(row, texts, exchange, wrong == nullptr ? exchange.completion_tokens : wrong->completion_tokens);
  return row;
}

Json stepwise_row(const RecordTexts& texts, const Trajectory& trajectory, ChatTokens& tokens) {
  Json::Array completions;
  Json::Array labels;
  Json::Array strategies;
  std::int64_t completion_tokens = 0;
  for (const TrajectoryStep& step : trajectory.steps) {
    const bool is_wrong = trajectory.slip && &step == &trajectory.steps.back();
    std::string words = chat_completion(step.reasoning, answer_json({step.leir, step.strategy}));
    completion_tokens += tokens.of_completion(words);
    completions.emplace_back(std::move(words));
    labels.emplace_back(!is_wrong);
    strategies.emplace_back(step.strategy);
  }
  const DatasetProgram& program = texts.record().program;
  const std::string prompt =
      steps_prompt_for(PromptProgram{program.name, spoken_name(Language::leir), texts.root().leir, &program.signature});
  Json::Array recipe;
  for (const Step& step : trajectory.recipe) recipe.push_back(steptp::to_json(step));
  Json row;
  row.set("id", hash_name(combine(hash_text("steps"), hash_text(program.id)))).set("prompt", prompt);
  row.set("completions", std::move(completions)).set("labels", std::move(labels));
  set_program(row, program);
  row.set("language", name_of(Language::leir)).set("strategies", std::move(strategies));
  row.set("recipe", Json(std::move(recipe)).dump());
  row.set("change", trajectory.slip ? trajectory.slip->change : std::string());
  row.set("reason", trajectory.slip ? trajectory.slip->reason : std::string());
  row.set("prompt_tokens", tokens.of_prompt(prompt)).set("completion_tokens", completion_tokens);
  return row;
}

}  // namespace steptp::dataset
