#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "python/src/bindings.h"
#include "python/src/workers.h"
#include "steptp/answers/prompt.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/evaluate/evaluate.h"
#include "steptp/evaluate/rewards.h"

namespace nb = nanobind;

namespace steptp::python {

namespace {

/// (program of the question, answer, programs asked for)
using Scored = std::tuple<nb::bytes, nb::bytes, int>;

/// The rewards of many answers, and what is wrong with rows, each once.
std::pair<std::vector<double>, std::vector<std::string>> rewards(const std::string& name,
                                                                 const std::vector<Scored>& answers, double seconds,
                                                                 std::optional<std::uint64_t> seed, unsigned jobs,
                                                                 const std::string& device) {
  const auto reward = parse_reward(name);
  if (!reward) throw nb::value_error("no such reward");
  std::vector<RewardRequest> requests;
  for (const auto& [before, answer, programs] : answers) {
    requests.push_back(
        {std::string(before.c_str(), before.size()), std::string(answer.c_str(), answer.size()), programs});
  }
  RewardOptions options;
  options.judge_command = worker_command(WorkerKind::judge);
  options.seconds = seconds;
  options.seed = seed;
  options.device = device;
  std::pair<std::vector<double>, std::vector<std::string>> out;
  const nb::gil_scoped_release release;
  OrderedStream<const RewardRequest*, Rewarded> stream(
      jobs == 0 ? default_jobs() : jobs, requests.size() + 1,
      [&](const RewardRequest* const& request) { return reward_of(*reward, *request, options); },
      [&](Rewarded&& rewarded) {
        out.first.push_back(rewarded.value);
        const bool is_new = std::find(out.second.begin(), out.second.end(), rewarded.problem) == out.second.end();
        if (!rewarded.problem.empty() && is_new) out.second.push_back(rewarded.problem);
        return true;
      });
  for (const RewardRequest& request : requests) stream.push(&request);
  stream.finish();
  return out;
}

struct EvaluateArguments {
  std::string prompts;
  std::string answers;
  WantedBuild device = WantedBuild::none;
  QuestionOptions questions;
  EvaluateOptions options;
};

/// The objects that `steptp evaluate --json` prints, the summary last. Called without the interpreter's lock.
std::vector<std::string> evaluate_files(const EvaluateArguments& arguments, const std::atomic<bool>& stop) {
  const auto cases = read_cases(arguments.prompts, arguments.questions);
  if (!cases) throw_one(cases.error(), arguments.prompts);
  const auto answers = read_answers(arguments.answers, *cases);
  if (!answers) throw_one(answers.error(), arguments.answers);
  const auto place = find_build_place(arguments.device);
  if (!place) throw_one(place.error(), "steptp");
  EvaluateOptions options = arguments.options;
  if (place->device) options.judge.pool = &pool_for(*place->device);
  std::vector<std::string> out;
  Evaluation evaluation = evaluate(*cases, *answers, options, [&](const EvaluationCase& one, const JudgedCase& judged) {
    out.push_back(to_json(one, judged).dump());
    return !stop;
  });
  if (!evaluation.machine_problem.empty()) throw_one(make_error("build", evaluation.machine_problem), "steptp");
  evaluation.built_with = place->description;
  evaluation.is_run = place->device.has_value();
  out.push_back(to_json(evaluation).dump());
  return out;
}

/// On a thread of its own, so that this one can let Python handle signals (Ctrl-C) now and then.
std::vector<std::string> evaluate_verb(const std::string& prompts, const std::string& answers,
                                       const std::string& device, int trials, std::uint64_t seed, double judge_seconds,
                                       int programs, const std::string& profile, const std::vector<std::int64_t>& k,
                                       unsigned jobs) {
  EvaluateArguments arguments{prompts, answers, value_of<WantedBuild>("device", device), {}, {}};
  arguments.questions.profile = profile_named(profile);
  arguments.questions.programs = programs;
  arguments.options.judge.trials = trials;
  arguments.options.judge.seed = seed;
  arguments.options.judge.seconds = judge_seconds;
  arguments.options.k = k;
  arguments.options.jobs = jobs;
  std::atomic<bool> stop = false;
  bool is_interrupted = false;
  std::vector<std::string> out;
  {
    const nb::gil_scoped_release release;
    std::future<std::vector<std::string>> result =
        std::async(std::launch::async, [&] { return evaluate_files(arguments, stop); });
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (is_interrupted) continue;
      const nb::gil_scoped_acquire acquire;
      is_interrupted = PyErr_CheckSignals() != 0;
      stop = is_interrupted;
    }
    if (!is_interrupted) out = result.get();
  }
  if (is_interrupted) throw nb::python_error();
  return out;
}

nb::object prompt_verb(const Document& document, const std::string& profile, int programs) {
  return text_object(prompt_for(document.program, profile_named(profile), programs));
}

}  // namespace

void bind_evaluate(nb::module_& module) {
  module.def("rewards", &rewards, nb::arg("name"), nb::arg("answers"), nb::arg("seconds"), nb::arg("seed").none(),
             nb::arg("jobs"), nb::arg("device"));
  module.def("evaluate", &evaluate_verb, nb::arg("prompts"), nb::arg("answers"), nb::arg("device"), nb::arg("trials"),
             nb::arg("seed"), nb::arg("judge_seconds"), nb::arg("programs"), nb::arg("profile"), nb::arg("k"),
             nb::arg("jobs"));
  module.def("prompt", &prompt_verb, nb::arg("document"), nb::arg("profile"), nb::arg("programs"));
}

}  // namespace steptp::python
