#include "steptp/evaluate/judge_answer.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "steptp/base/text.h"
#include "steptp/certify/certify.h"
#include "steptp/documents/lower_document.h"
#include "steptp/documents/run_compiled.h"
#include "steptp/documents/run_document.h"
#include "steptp/ir/canonical.h"
#include "steptp/verify/verify_pair.h"

namespace steptp {

namespace {

using Outcome = AnswerOutcome;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

void end(JudgedProgram& out, Outcome outcome, std::string id, std::string reason) {
  out.outcome = outcome;
  out.reason_id = std::move(id);
  out.reason = std::move(reason);
}

void end(JudgedProgram& out, Outcome outcome, const Diagnostics& diagnostics) {
  const auto at = std::find_if(diagnostics.begin(), diagnostics.end(),
                               [](const Diagnostic& one) { return one.severity == Severity::error; });
  const auto first = at == diagnostics.end() ? diagnostics.begin() : at;
  if (first == diagnostics.end()) return end(out, outcome, "unknown", "no reason was given");
  std::string place = first->line > 0 ? concat("column ", first->column, ": ") : std::string();
  end(out, outcome, first->id, std::move(place) + first->message);
}

/// What a run that gave nothing says of the program. Nothing where it says nothing: the run took too long.
std::optional<Outcome> outcome_of(const CompiledFailure& failure, std::string& machine_problem) {
  const std::string id = failure.diagnostics.empty() ? "" : failure.diagnostics.front().id;
  switch (failure.kind) {
    case CompiledFailure::Kind::errors: return Outcome::invalid;
    case CompiledFailure::Kind::undecided: return Outcome::unchecked;
    case CompiledFailure::Kind::refused: return Outcome::build;
    case CompiledFailure::Kind::trap: return Outcome::trap;
    case CompiledFailure::Kind::too_long: return std::nullopt;
    case CompiledFailure::Kind::machine:
      if (id == "nvrtc" || id == "engine") return Outcome::build;
      if (id == "worker-crashed" || id == "worker-failed" || id == "worker-exited") return Outcome::crash;
      machine_problem =
          failure.diagnostics.empty() ? "a failure without a reason" : failure.diagnostics.front().message;
      return std::nullopt;
  }
  return std::nullopt;
}

/// The element, and its values before and after.
std::string where_it_differs(const Judgement& judgement) {
  if (!judgement.counterexample) return "";
  const certify::Counterexample& found = *judgement.counterexample;
  const std::string index = join(found.index, ",", [](std::int64_t number) { return std::to_string(number); });
  return concat(" at ", found.output, "[", index, "]: ", found.before, " became ", found.after);
}

/// Takes one program along the road, until something is in the way.
class Road {
 public:
  Road(const EvaluationCase& one, const AnswerProgram& program, const JudgeOptions& options,
       std::string& machine_problem)
      : one_(one), program_(program), options_(options), machine_problem_(machine_problem) {}

  JudgedProgram walk() {
    out_.strategies = program_.strategies;
    if (!program_.problem.ok()) {
      end(out_, Outcome::unreadable, program_.problem.id, program_.problem.message);
      return std::move(out_);
    }
    out_.is_different_text = trimmed(program_.text) != trimmed(one_.text);
    Document after = read_program_text("answer", program_.text, one_.before.program.signature);
    if (!after.ok) {
      end(out_, Outcome::unreadable, after.diagnostics);
      return std::move(out_);
    }
    after.program.name = one_.before.program.name;
    out_.canonical = canonical_hash(after.program);
    out_.is_different = !same_up_to_renaming(one_.before.program, after.program);
    if (!out_.is_different) {
      end(out_, Outcome::same, "same",
          "the program is the one in the question, up to the names of loops and intermediates");
      return std::move(out_);
    }
    for (int i = 0; i < std::max(1, options_.trials); ++i) {
      out_.trials.push_back({options_.seed + static_cast<std::uint64_t>(i), std::nullopt, Grade::undecided, false});
    }
    if (builds(after) && runs(after)) judge(std::move(after));
    return std::move(out_);
  }

 private:
  bool builds(const Document& after) {
    if (const auto failure = find_unlowerable(after)) {
      const bool undecided = failure->kind == LowerFailure::Kind::undecided;
      end(out_, undecided ? Outcome::unchecked : Outcome::invalid, failure->diagnostics);
      return false;
    }
    if (options_.pool) return true;  // the first run compiles
    for (const Backend to : {Backend::cuda, Backend::llvm}) {
      LowerRequest request;
      request.to = to;
      if (const auto lowered = lower_document(after, request); !lowered) {
        end(out_, Outcome::build, lowered.error().diagnostics);
        return false;
      }
    }
    out_.is_built = true;
    return true;
  }

  bool runs(const Document& after) {
    if (!options_.pool) return true;
    for (AnswerTrial& trial : out_.trials) {
      const auto inputs = seeded_inputs(after.program, trial.seed);
      if (!inputs) {
        machine_problem_ = concat("no inputs can be made: ", inputs.error().message);
        return false;
      }
      const auto ran = options_.pool->run(after.program, *inputs);
      if (ran) {
        out_.is_built = true;
        trial.executed = true;
        continue;
      }
      const CompiledFailure failure = compiled_failure(after, ran.error());
      const auto outcome = outcome_of(failure, machine_problem_);
      if (!machine_problem_.empty()) return false;
      out_.is_built = outcome != Outcome::build && outcome != Outcome::invalid && outcome != Outcome::unchecked;
      if (!outcome) return true;  // what takes too long once is not tried again
      if (out_.is_built) trial.executed = false;
      end(out_, *outcome, failure.diagnostics);
      return false;
    }
    return true;
  }

  void judge(Document after) {
    const Pair pair = make_pair(one_.before, std::move(after));
    bool is_proved = false;
    out_.is_safe = true;
    for (AnswerTrial& trial : out_.trials) {
      trial.is_judged = true;
      if (is_proved) {  // for every input, so for those of every trial
        trial.grade = Grade::proved;
        continue;
      }
      VerifyOptions how;
      how.seed = trial.seed;
      how.budget = options_.budget;
      std::atomic<bool> stop = false;
      const Judgement judgement = verify_in_time(pair, how, options_.seconds, stop);
      trial.grade = judgement.verdict;
      out_.is_safe = out_.is_safe && judgement.is_safe();
      is_proved = judgement.verdict == Grade::proved;
      if (steptp::is_equal(judgement.verdict) && judgement.fills_vacuous) {
        out_.is_safe = false;
        trial.grade = Grade::undecided;
        end(out_, Outcome::undecided, "fills-vacuous", "it fills elements that have no value at any input");
        return;
      }
      if (steptp::is_equal(judgement.verdict)) continue;
      out_.is_safe = false;
      const Outcome outcome = judgement.verdict == Grade::differs   ? Outcome::differs
                              : judgement.verdict == Grade::invalid ? Outcome::invalid
                                                                    : Outcome::undecided;
      if (judgement.unusable) machine_problem_ = concat("the program of the question fails check: ", judgement.reason);
      end(out_, outcome, std::string(name_of(judgement.verdict)),
          concat(judgement.reason, where_it_differs(judgement)));
      return;
    }
    end(out_, Outcome::equal, "", "");
  }

  const EvaluationCase& one_;
  const AnswerProgram& program_;
  const JudgeOptions& options_;
  std::string& machine_problem_;
  JudgedProgram out_;
};

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::equal: return "equal";
    case Outcome::unreadable: return "unreadable";
    case Outcome::same: return "same";
    case Outcome::invalid: return "invalid";
    case Outcome::unchecked: return "unchecked";
    case Outcome::build: return "build";
    case Outcome::trap: return "trap";
    case Outcome::crash: return "crash";
    case Outcome::differs: return "differs";
    case Outcome::undecided: return "undecided";
  }
  return "";
}

bool JudgedProgram::executed_through(std::size_t trials_wanted) const {
  return is_built && trials.size() >= trials_wanted &&
         std::all_of(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(trials_wanted),
                     [](const AnswerTrial& trial) { return trial.executed == true; });
}

bool JudgedProgram::equal_through(std::size_t trials_wanted) const {
  return is_built && trials.size() >= trials_wanted &&
         std::all_of(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(trials_wanted),
                     [](const AnswerTrial& trial) { return trial.executed != false && steptp::is_equal(trial.grade); });
}

Grade JudgedProgram::grade() const {
  Grade out = Grade::proved;
  for (const AnswerTrial& trial : trials) out = std::max(out, trial.grade);
  return trials.empty() ? Grade::undecided : out;
}

JudgedProgram judge_program(const EvaluationCase& one, const AnswerProgram& program, const JudgeOptions& options,
                            std::string& machine_problem) {
  return Road(one, program, options, machine_problem).walk();
}

JudgedAttempt judge_attempt(const EvaluationCase& one, const ModelAnswer& answer, const JudgeOptions& options,
                            std::string& machine_problem) {
  JudgedAttempt out;
  out.attempt = answer.attempt;
  Answer read = read_answer(answer.content);
  out.deviations = std::move(read.deviations);
  if (!read.problem.ok()) {
    if (answer.finish_reason == "length") read.problem.message += " (it was cut at the limit of tokens)";
    read.programs = {AnswerProgram{"", {}, read.problem}};
  }
  if (one.programs == 1 && read.programs.size() > 1) {
    read.programs.resize(1);
    out.deviations.emplace_back("several-programs");
  }
  std::set<Hash> equal_ones;
  for (const AnswerProgram& program : read.programs) {
    out.programs.push_back(judge_program(one, program, options, machine_problem));
    if (out.programs.back().is_equal()) equal_ones.insert(out.programs.back().canonical);
  }
  out.is_success = equal_ones.size() >= static_cast<std::size_t>(one.programs);
  return out;
}

Json to_json(const JudgedProgram& program) {
  Json strategies{Json::Array{}};
  for (const std::string& name : program.strategies) strategies.push(name);
  Json trials{Json::Array{}};
  for (const AnswerTrial& trial : program.trials) {
    Json entry;
    entry.set("seed", trial.seed).set("executed", trial.executed ? Json(*trial.executed) : Json());
    trials.push(std::move(entry.set("grade", trial.is_judged ? Json(name_of(trial.grade)) : Json())));
  }
  const std::size_t all = program.trials.size();
  const bool was_run = std::any_of(program.trials.begin(), program.trials.end(),
                                   [](const AnswerTrial& trial) { return trial.executed.has_value(); });
  Json out;
  out.set("strategies", std::move(strategies)).set("different_text", program.is_different_text);
  out.set("different", program.is_different).set("build", program.is_built);
  out.set("execute", was_run ? Json(program.executed_through(all)) : Json()).set("equal", program.is_equal());
  out.set("safe", program.is_safe).set("outcome", name_of(program.outcome));
  out.set("grade", program.is_equal() ? Json(name_of(program.grade())) : Json());
  out.set("reason_id", program.reason_id).set("reason", program.reason);
  return out.set("trials", std::move(trials));
}

Json to_json(const JudgedAttempt& attempt) {
  Json programs{Json::Array{}};
  for (const JudgedProgram& program : attempt.programs) programs.push(to_json(program));
  Json deviations{Json::Array{}};
  for (const std::string& deviation : attempt.deviations) deviations.push(deviation);
  Json out;
  out.set("attempt", attempt.attempt).set("success", attempt.is_success).set("deviations", std::move(deviations));
  return out.set("programs", std::move(programs));
}

}  // namespace steptp
