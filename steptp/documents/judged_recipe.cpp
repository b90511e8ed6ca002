#include "steptp/documents/judged_recipe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "steptp/base/text.h"
#include "steptp/text/printer.h"

namespace steptp {

namespace {

/// A program that was made here, as the judge takes its texts.
Document document_of(const Document& root, const Program& program) {
  Document out;
  out.program = program;
  out.profile = Profile::paper;
  out.ok = out.has_signature = true;
  out.source = root.source;
  return out;
}

int badness(Grade grade) {
  switch (grade) {
    case Grade::proved: return 0;
    case Grade::exact: return 1;
    case Grade::numeric: return 2;
    case Grade::undecided: return 3;
    case Grade::differs: return 4;
    case Grade::invalid: return 5;
  }
  return 5;
}

const Json& value_of(const ApartAnswer& answer, std::string_view key) {
  static const Json kNone;
  const Json* value = answer.answer.find(key);
  return value ? *value : kNone;
}

}  // namespace

Grade worse_of(Grade one, Grade other) { return badness(other) > badness(one) ? other : one; }

Grade grade_of_chain(Grade steps, Grade end) {
  if (end == Grade::differs || end == Grade::invalid) return end;
  return badness(steps) < badness(end) ? steps : end;
}

ApartAnswer judge_programs(const Document& root, const Program& before, const Program& after, std::string id,
                           const ApartOptions& how) {
  Pair pair = make_pair(document_of(root, before), document_of(root, after));
  pair.id = std::move(id);
  return verify_apart(pair, how);
}

std::optional<double> bound_of(const ApartAnswer& answer) {
  const Json* bound = answer.answer.find("bound_log2");
  return bound && bound->is_number() ? std::optional(bound->number()) : std::nullopt;
}

std::string safety_text(const ApartAnswer& answer) {
  const bool* safe = value_of(answer, "safe").as_bool();
  if (!safe) return "safety not decided";
  if (!*safe) return "not safe";
  const std::string* by = value_of(answer, "safe_by").as_string();
  return by && *by == "proof" ? "safe by proof" : "safe as far as a search can tell";
}

std::string chance_text(std::optional<double> bound_log2) {
  if (!bound_log2) return {};
  return concat(", chance of error at most 2^", static_cast<std::int64_t>(*bound_log2));
}

Grade JudgedRecipe::verdict() const { return grade_of_chain(worst, end.verdict); }

std::optional<double> sum_of_chances(const std::vector<double>& logarithms) {
  if (logarithms.empty()) return std::nullopt;
  if (logarithms.size() == 1) return logarithms[0];
  const double greatest = *std::max_element(logarithms.begin(), logarithms.end());
  double sum = 0;  // in units of the greatest
  for (const double logarithm : logarithms) sum += std::exp2(logarithm - greatest);
  // Far more than what the sum and its logarithm lose: a bound that is stated one too high is still a bound.
  constexpr double kTolerance = 1e-9;
  return std::ceil(greatest + std::log2(sum) + kTolerance);
}

Result<JudgedRecipe, Stopped> judge_recipe(const Document& root, const Recipe& recipe, ApartOptions how) {
  JudgedRecipe out;
  out.program = root.program;
  std::vector<double> chances;
  for (std::size_t i = 0; i < recipe.size(); ++i) {
    auto replayed = replay(out.program, Recipe{recipe[i]});
    if (!replayed) return Stopped{i + 1, recipe[i].strategy, replayed.error().refusal};
    ApartAnswer answer =
        judge_programs(root, out.program, replayed->program, concat(root.program.name, " step ", i + 1), how);
    out.worst = worse_of(out.worst, answer.verdict);
    if (const auto bound = bound_of(answer)) chances.push_back(*bound);
    out.program = std::move(replayed->program);
    out.end.cancelled = answer.cancelled;
    out.steps.push_back({recipe[i], std::move(answer)});
    if (out.end.cancelled) return out;
  }
  out.bound_log2 = sum_of_chances(chances);
  how.judge.equal_by_steps = is_equal(out.worst);
  out.end = judge_programs(root, root.program, out.program, root.program.name, how);
  return out;
}

Json to_json(const JudgedRecipe& judged) {
  static constexpr std::array kKeys = {"verdict", "bound_log2", "safe", "safe_by", "seed", "reason"};
  Json::Array steps;
  for (const JudgedStep& entry : judged.steps) {
    Json step;
    step.set("step", steps.size() + 1).set("strategy", entry.step.strategy);
    step.set("choice", entry.step.choice.to_json());
    for (const char* key : kKeys) step.set(key, value_of(entry.answer, key));
    steps.push_back(std::move(step));
  }
  Json out;
  out.set("leir", print(judged.program)).set("steps", steps.size()).set("judged", std::move(steps));
  out.set("worst", name_of(judged.worst)).set("bound_log2", judged.bound_log2 ? Json(*judged.bound_log2) : Json());
  out.set("verdict", name_of(judged.verdict())).set("safe", value_of(judged.end, "safe"));
  return out.set("end", judged.end.answer);
}

std::string to_text(const JudgedRecipe& judged) {
  std::string out;
  for (std::size_t i = 0; i < judged.steps.size(); ++i) {
    const JudgedStep& entry = judged.steps[i];
    append(out, "step ", i + 1, " of ", judged.steps.size(), ", ", entry.step.strategy, " ",
           entry.step.choice.to_json().dump(), ": ", name_of(entry.answer.verdict));
    if (is_equal(entry.answer.verdict))
      append(out, ", ", safety_text(entry.answer), chance_text(bound_of(entry.answer)));
    append(out, "\n");
    if (!entry.answer.reason.empty()) append(out, "  ", entry.answer.reason, "\n");
  }
  append(out, "all steps: ", name_of(judged.worst), chance_text(judged.bound_log2), "\n");
  append(out, "end against root: ", name_of(judged.end.verdict), chance_text(bound_of(judged.end)), "\n");
  if (!judged.end.reason.empty()) append(out, "  ", judged.end.reason, "\n");
  append(out, "verdict: ", name_of(judged.verdict()));
  if (is_equal(judged.verdict())) append(out, ", ", safety_text(judged.end));
  return out + "\n";
}

}  // namespace steptp
