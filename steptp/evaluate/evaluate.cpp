#include "steptp/evaluate/evaluate.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/documents/lower_document.h"
#include "steptp/execution/cuda_device.h"
#include "steptp/execution/cuda_library.h"
#include "steptp/execution/llvm_program.h"

namespace steptp {

namespace {

Result<BuildPlace, Diagnostic> find_cuda() {
  const auto count = CudaDevice::count();
  if (!count) return count.error();
  if (*count == 0) return make_error("no-device", "there is no GPU");
  const auto nvrtc = load_nvrtc();
  if (!nvrtc) return nvrtc.error();
  return BuildPlace{DeviceKind::cuda, concat("NVRTC ", (*nvrtc)->major, ".", (*nvrtc)->minor, ", run on the GPU")};
}

Result<BuildPlace, Diagnostic> find_cpu() {
  if (const auto engine = find_llvm_engine(); !engine) return engine.error();
  return BuildPlace{DeviceKind::cpu, "LLVM, run on this CPU"};
}

std::string message_of(const Diagnostics& diagnostics) {
  return diagnostics.empty() ? "no reason was given" : diagnostics.front().message;
}

JudgedCase judge_case(const EvaluationCase& one, const std::vector<const ModelAnswer*>& answers,
                      const JudgeOptions& options, std::string& machine_problem) {
  JudgedCase out;
  if (const auto failure = find_unlowerable(one.before)) {
    out.problem = concat("the program of the question does not pass check: ", message_of(failure->diagnostics));
    return out;
  }
  for (const ModelAnswer* answer : answers) {
    out.attempts.push_back(judge_attempt(one, *answer, options, machine_problem));
    if (!machine_problem.empty()) break;
  }
  return out;
}

}  // namespace

Result<BuildPlace, Diagnostic> find_build_place(WantedBuild wanted) {
  const BuildPlace none{std::nullopt, "nothing: programs were only lowered, to CUDA and LLVM"};
  switch (wanted) {
    case WantedBuild::none: return none;
    case WantedBuild::cuda: return find_cuda();
    case WantedBuild::cpu: return find_cpu();
    case WantedBuild::automatic: break;
  }
  if (auto found = find_cuda()) return found;
  if (auto found = find_cpu()) return found;
  return none;
}

Evaluation evaluate(const std::vector<EvaluationCase>& cases, const std::vector<ModelAnswer>& answers,
                    const EvaluateOptions& options,
                    const std::function<bool(const EvaluationCase&, const JudgedCase&)>& on_case) {
  std::vector<std::vector<const ModelAnswer*>> by_case(cases.size());
  for (const ModelAnswer& answer : answers) by_case[answer.of_case].push_back(&answer);
  for (auto& of_case : by_case) {
    std::sort(of_case.begin(), of_case.end(),
              [](const ModelAnswer* a, const ModelAnswer* b) { return a->attempt < b->attempt; });
  }
  Evaluation out;
  EvaluationCounter counter(static_cast<std::size_t>(std::max(1, options.judge.trials)), options.k);
  struct Done {
    std::size_t number;
    JudgedCase judged;
    std::string machine_problem;
  };
  OrderedStream<std::size_t, Done> stream(
      options.jobs == 0 ? default_jobs() : options.jobs, 256,
      [&](const std::size_t& number) {
        Done done{number, {}, {}};
        done.judged = judge_case(cases[number], by_case[number], options.judge, done.machine_problem);
        return done;
      },
      [&](Done&& done) {
        if (!done.machine_problem.empty()) {
          out.machine_problem = done.machine_problem;
          return false;
        }
        const EvaluationCase& one = cases[done.number];
        if (done.judged.problem.empty()) {
          counter.add_case(one, done.judged.attempts);
        } else {
          out.unusable.emplace_back(one.id, done.judged.problem);
        }
        return !on_case || on_case(one, done.judged);
      });
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!stream.push(i)) break;
  }
  stream.finish();
  for (const ModelAnswer& answer : answers) counter.add_tokens(answer);
  out.summary = counter.finish();
  return out;
}

Json to_json(const EvaluationCase& one, const JudgedCase& judged) {
  Json attempts{Json::Array{}};
  for (const JudgedAttempt& attempt : judged.attempts) attempts.push(to_json(attempt));
  Json out;
  out.set("id", one.id).set("program", one.before.program.name);
  if (!judged.problem.empty()) out.set("problem", judged.problem);
  return out.set("attempts", std::move(attempts));
}

Json to_json(const Evaluation& evaluation) {
  const auto listed = [](const std::vector<std::pair<std::string, std::string>>& pairs) {
    Json out{Json::Array{}};
    for (const auto& [id, reason] : pairs) {
      Json entry;
      out.push(std::move(entry.set("id", id).set("reason", reason)));
    }
    return out;
  };
  Json summary = to_json(evaluation.summary);
  summary.set("built_with", evaluation.built_with).set("unusable", listed(evaluation.unusable));
  summary.set("unanswered", listed(evaluation.unanswered));
  Json out;
  return out.set("summary", std::move(summary));
}

}  // namespace steptp
