#include "steptp/evaluate/metrics.h"

#include <algorithm>

#include "steptp/answers/answer.h"
#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/text/strategy_names.h"

namespace steptp {

namespace {

constexpr std::int64_t kUsualK[] = {1, 2, 5, 10, 16, 32, 64, 100};
constexpr std::size_t kQuotedReason = 300;

StageCounts& counts_at(std::map<std::string, StageCounts>& table, std::string_view name) {
  return table[std::string(name)];
}

Json list(const std::vector<std::uint64_t>& counts) {
  Json out{Json::Array{}};
  for (const std::uint64_t count : counts) out.push(count);
  return out;
}

Json to_json(const StageCounts& counts) {
  Json out;
  out.set("programs", counts.programs).set("different_text", counts.different_text);
  out.set("different", counts.different).set("build", counts.build).set("execute", list(counts.execute));
  return out.set("not_run", counts.not_run).set("equal", list(counts.equal)).set("safe", counts.safe);
}

Json to_json(const std::map<std::string, StageCounts>& table) {
  Json out{Json::Object{}};
  for (const auto& [name, counts] : table) out.set(name, to_json(counts));
  return out;
}

Json to_json(const std::map<std::string, std::uint64_t>& table) {
  Json out{Json::Object{}};
  for (const auto& [name, count] : table) out.set(name, count);
  return out;
}

}  // namespace

void StageCounts::add(const JudgedProgram& program, std::size_t trials) {
  execute.resize(trials);
  equal.resize(trials);
  ++programs;
  different_text += program.is_different_text ? 1 : 0;
  if (!program.is_different) return;
  ++different;
  if (!program.is_built) return;
  ++build;
  const auto is_open = [](const AnswerTrial& trial) { return !trial.executed; };
  const bool has_failed = std::any_of(program.trials.begin(), program.trials.end(),
                                      [](const AnswerTrial& trial) { return trial.executed == false; });
  if (!has_failed && std::any_of(program.trials.begin(), program.trials.end(), is_open)) ++not_run;
  for (std::size_t i = 0; i < trials; ++i) {
    execute[i] += program.executed_through(i + 1) ? 1 : 0;
    equal[i] += program.equal_through(i + 1) ? 1 : 0;
  }
  safe += program.is_equal() && program.is_safe ? 1 : 0;
}

std::uint64_t EvaluationSummary::strategies_used() const {
  std::uint64_t out = 0;
  for (const std::string& name : strategy_names()) {
    const auto at = by_strategy.find(name);
    if (at != by_strategy.end() && !at->second.equal.empty() && at->second.equal.back() > 0) ++out;
  }
  return out;
}

double pass_at_k(std::int64_t attempts, std::int64_t successes, std::int64_t k) {
  if (k > attempts - successes) return 1;
  double all_fail = 1;
  for (std::int64_t i = attempts - successes + 1; i <= attempts; ++i) {
    all_fail *= 1 - static_cast<double>(k) / static_cast<double>(i);
  }
  return 1 - all_fail;
}

void EvaluationCounter::add_program(const EvaluationCase& one, const JudgedProgram& program) {
  summary_.all.add(program, summary_.trials);
  std::map<std::string, bool> levels;
  std::map<std::string, bool> difficulties;
  std::map<std::string, bool> names;
  for (const std::string& name : program.strategies) {
    const Strategy* strategy = is_known_strategy(name) ? find_strategy(name) : nullptr;
    names[strategy ? name : "(other)"] = true;
    if (!strategy) continue;
    levels[std::string(name_of(strategy->level))] = true;
    difficulties[std::string(strategy->difficulty())] = true;
  }
  if (names.empty()) names["(none)"] = true;
  for (const auto& [name, _] : names) counts_at(summary_.by_strategy, name).add(program, summary_.trials);
  for (const auto& [name, _] : levels) counts_at(summary_.by_level, name).add(program, summary_.trials);
  for (const auto& [name, _] : difficulties) counts_at(summary_.by_difficulty, name).add(program, summary_.trials);
  if (program.is_equal()) {
    ++summary_.grades[std::string(name_of(program.grade()))];
    return;
  }
  FailureCount& failure = summary_.failures[{std::string(name_of(program.outcome)), program.reason_id}];
  if (failure.count++ == 0) {
    failure.example = one.id;
    failure.reason = program.reason.substr(0, kQuotedReason);
  }
}

void EvaluationCounter::add_case(const EvaluationCase& one, const std::vector<JudgedAttempt>& attempts) {
  ++summary_.cases;
  if (attempts.empty()) return;
  ++summary_.answered_cases;
  std::int64_t successes = 0;
  for (const JudgedAttempt& attempt : attempts) {
    ++summary_.attempts;
    successes += attempt.is_success ? 1 : 0;
    for (const std::string& deviation : attempt.deviations) ++summary_.deviations[deviation];
    for (const JudgedProgram& program : attempt.programs) add_program(one, program);
  }
  summary_.successes += static_cast<std::uint64_t>(successes);
  tries_.emplace_back(static_cast<std::int64_t>(attempts.size()), successes);
}

void EvaluationCounter::add_tokens(const ModelAnswer& answer) {
  summary_.prompt_tokens += answer.prompt_tokens.value_or(0);
  summary_.completion_tokens += answer.completion_tokens.value_or(0);
}

EvaluationSummary EvaluationCounter::finish() {
  summary_.all.execute.resize(summary_.trials);
  summary_.all.equal.resize(summary_.trials);
  std::int64_t most = 0;
  for (const auto& [attempts, successes] : tries_) most = std::max(most, attempts);
  std::vector<std::int64_t> numbers = wanted_k_;
  if (numbers.empty()) {
    std::copy_if(std::begin(kUsualK), std::end(kUsualK), std::back_inserter(numbers),
                 [most](std::int64_t k) { return k <= most; });
    if (most > 0 && (numbers.empty() || numbers.back() != most)) numbers.push_back(most);
  }
  for (const std::int64_t k : numbers) {
    PassAt one{k, 0, 0};
    for (const auto& [attempts, successes] : tries_) {
      if (attempts < k) continue;
      ++one.cases;
      one.value += pass_at_k(attempts, successes, k);
    }
    if (one.cases == 0) continue;
    one.value /= static_cast<double>(one.cases);
    summary_.pass_at.push_back(one);
  }
  return std::move(summary_);
}

Json to_json(const EvaluationSummary& summary) {
  Json failures{Json::Array{}};
  for (const auto& [key, failure] : summary.failures) {
    Json entry;
    entry.set("outcome", key.first).set("reason_id", key.second).set("count", failure.count);
    failures.push(std::move(entry.set("example", failure.example).set("reason", failure.reason)));
  }
  Json pass{Json::Array{}};
  for (const PassAt& one : summary.pass_at) {
    Json entry;
    pass.push(std::move(entry.set("k", one.k).set("value", one.value).set("cases", one.cases)));
  }
  Json out;
  out.set("cases", summary.cases).set("answered_cases", summary.answered_cases).set("attempts", summary.attempts);
  out.set("successes", summary.successes).set("trials", static_cast<std::uint64_t>(summary.trials));
  out.set("all", to_json(summary.all)).set("pass_at", std::move(pass));
  out.set("strategies_used", summary.strategies_used()).set("grades", to_json(summary.grades));
  out.set("by_level", to_json(summary.by_level)).set("by_difficulty", to_json(summary.by_difficulty));
  out.set("by_strategy", to_json(summary.by_strategy)).set("failures", std::move(failures));
  out.set("deviations", to_json(summary.deviations)).set("prompt_tokens", summary.prompt_tokens);
  return out.set("completion_tokens", summary.completion_tokens);
}

}  // namespace steptp
