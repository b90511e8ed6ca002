// Programs are measured by turns, each round beginning with another one, until the medians are known well enough or
// the budget is spent. Each repetition starts with poisoned outputs and ends with a comparison of certified
// elements. A time below what the machine can possibly do is measured once more by a new worker. Decision 0027.
#include "steptp/measure/time_programs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "steptp/base/text.h"
#include "steptp/measure/comparisons.h"
#include "steptp/text/document.h"
#include "steptp/text/signature_text.h"

namespace steptp {

namespace {

using Status = Timing::Status;

/// The share of a budget that one turn may take, and what it takes at most.
constexpr double kTurnSeconds = 0.2;
constexpr std::int64_t kTurnSamples = 40;
constexpr double kWarmUpSeconds = 0.05;
constexpr double kFirstRunSeconds = 0.005;
/// Asking the machine is no candidate's fault, however short its time.
constexpr double kMachineSeconds = 120;
/// Medians below this share of the least possible time are not believed: peaks are known to a few percent.
constexpr double kPlausible = 0.9;

/// The standard error of a median, from the spread.
double uncertainty(const Timing& timing) {
  if (timing.samples.empty() || timing.median <= 0) return 1;
  return 1.2533 * timing.spread / std::sqrt(static_cast<double>(timing.samples.size())) / timing.median;
}

std::map<DType, double> flops_from(const Json* json) {
  std::map<DType, double> out;
  if (!json || !json->as_object()) return out;
  for (const auto& [name, count] : *json->as_object()) {
    if (const auto dtype = parse_dtype(name)) out[*dtype] = count.number();
  }
  return out;
}

double number_at(const Json& head, std::string_view key) {
  const Json* value = head.find(key);
  return value && value->is_number() ? value->number() : 0;
}

/// Adds the seconds of its life.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Measurement {
 public:
  Measurement(CandidatePool& pool, const TimeRequest& request)
      : pool_(pool),
        request_(request),
        comparisons_(request, pool.options().device == DeviceKind::cpu ? RunOrder::text : RunOrder::threads) {
    answer_.timings.resize(request.programs.size());
    answer_.rivals.resize(request.rivals.size());
    prepared_.resize(request.programs.size(), false);
    was_right_.resize(request.programs.size(), false);
    for (const Program* program : request.programs) records_.push_back(to_json(*program, Profile::paper));
  }

  Result<TimeAnswer, ExecutionFailure> run() {
    // Before a worker is taken: others may use it meanwhile.
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const Stopwatch watch(answer_.timings[i].cost.certified_values);
      comparisons_.evaluate(i);
    }
    if (auto failure = ask_machine()) return *std::move(failure);
    for (std::size_t i = 0; i < records_.size(); ++i) begin(i);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (auto note = comparisons_.difference_from_first(i)) {
        answer_.timings[i].is_another_function = true;
        answer_.timings[i].notes.push_back(*std::move(note));
      }
    }
    spent_.assign(records_.size() + request_.rivals.size(), 0);
    for (std::size_t i = 0; i < records_.size(); ++i) warm_up(i);
    for (std::size_t i = 0; i < request_.rivals.size(); ++i) rival_turn(i, kWarmUpSeconds, 3, false);
    for (std::size_t round = 0; take_turns(round); ++round) {
    }
    for (std::size_t i = 0; i < records_.size(); ++i) finish(i);
    rate();
    for (std::size_t i = 0; i < records_.size(); ++i) measure_again(i);
    answer_.load = load_.load();
    return std::move(answer_);
  }

 private:
  [[nodiscard]] bool is_active(std::size_t i) const { return prepared_[i]; }
  /// One request to the worker that has the programs; a new worker where there is none.
  Result<Json, ExecutionFailure> ask(const Json& head, double least_seconds = 0) {
    if (!lease_) {
      auto taken = pool_.workers().take();
      if (!taken) return ExecutionFailure{std::nullopt, taken.error()};
      lease_.emplace(std::move(taken).value());
    }
    WorkerCall how = pool_.call_options();
    how.seconds = std::max(how.seconds, least_seconds);
    const WorkerOutcome outcome = (*lease_)->call(pack({head, {}}), how);
    if (!outcome.ok()) {
      lease_.reset();
      return failure_of(outcome);
    }
    auto answer = unpack(outcome.answer);
    if (!answer) return ExecutionFailure{std::nullopt, make_error("worker-garbled", "the worker: no answer")};
    if (auto failure = failure_in(answer->head)) return *std::move(failure);
    return std::move(answer->head);
  }

  Result<Json, ExecutionFailure> timed(double& sum, const Json& head) {
    const Stopwatch watch(sum);
    return ask(head);
  }

  std::optional<ExecutionFailure> ask_machine() {
    auto said = pool_.machine();
    if (!said) {
      Json head;
      head.set("op", "machine").set("device", word_of(pool_.options().device)).set("threads", pool_.options().threads);
      head.set("cache", pool_.options().cache);
      auto asked = ask(head, kMachineSeconds);
      if (!asked) return asked.error();
      pool_.remember_machine(*asked);
      said = std::move(asked).value();
    }
    answer_.machine.name = *said->find("name")->as_string();
    answer_.machine.source = *said->find("source")->as_string();
    answer_.machine.bytes_per_second = number_at(*said, "bytes_per_second");
    answer_.machine.flops = flops_from(said->find("flops"));
    return std::nullopt;
  }

  void give_up(std::size_t i, ExecutionFailure failure) {
    Timing& timing = answer_.timings[i];
    if (failure.diagnostic.id == "wrong-result" && is_right_by_own_values(i)) {
      timing.notes.emplace_back("was compared with certified values of its own, which agree with those of the root");
      return;
    }
    timing.status = failure.diagnostic.id == "wrong-result" ? Status::wrong : Status::failed;
    timing.failure = std::move(failure);
    timing.samples.clear();
    prepared_[i] = false;
    // A worker that is gone has taken the others with it; they begin anew, with the samples they have.
    if (lease_) return;
    for (std::size_t other = 0; other < records_.size(); ++other) {
      if (is_active(other)) prepare(other);
    }
  }

  /// A second opinion on the first run of a program, where that did not meet the elements of its root: the very outputs
  /// that did not. What was right once and is wrong later has no order: it races, and nobody's bounds are to blame.
  bool is_right_by_own_values(std::size_t i) {
    if (was_right_[i]) return false;
    const Stopwatch watch(answer_.timings[i].cost.certified_values);
    if (!comparisons_.take_own(i)) return false;
    Json head;
    head.set("op", "expect").set("id", static_cast<std::int64_t>(i));
    head.set("expected", to_json(comparisons_.of(i)));
    was_right_[i] = ask(head).ok();
    return was_right_[i];
  }

  void begin(std::size_t i) {
    if (!request_.root || have_same_variables(request_.root->root(), *request_.programs[i])) return prepare(i);
    const auto compared = [](Signature signature) {
      for (Variable& variable : signature.variables) variable.domain = {}, variable.values.clear();
      return signature;
    };
    const std::string what = signature_difference(compared(request_.root->root().signature),
                                                  compared(request_.programs[i]->signature), "the root", "the program");
    give_up(i, {std::nullopt,
                make_error("root-mismatch", concat("the program has other known variables than its root: ", what))});
  }

  void prepare(std::size_t i) {
    const Stopwatch watch(answer_.timings[i].cost.preparing);
    Json head;
    head.set("op", "prepare").set("id", static_cast<std::int64_t>(i)).set("device", word_of(pool_.options().device));
    head.set("threads", pool_.options().threads).set("cache", pool_.options().cache);
    head.set("seed", static_cast<std::int64_t>(comparisons_.seed())).set("program", records_[i]);
    head.set("inputs_of", to_json(comparisons_.drawn_for(i), Profile::paper));
    head.set("expected", to_json(comparisons_.of(i)));
    head.set("graph", request_.as_graph).set("arithmetic", word_of(request_.arithmetic));
    prepared_[i] = true;
    const auto said = ask(head);
    if (!said) return give_up(i, said.error());
    Timing& timing = answer_.timings[i];
    const Json& times = *said->find("times");
    timing.compile_milliseconds = number_at(times, "lower") + number_at(times, "compile") + number_at(times, "load");
    timing.from_cache = *times.find("cached")->as_bool();
    timing.work.bytes = number_at(times, "bytes");
    timing.work.certain_bytes = number_at(times, "certain_bytes");
    timing.work.flops = flops_from(times.find("flops"));
    timing.work.certain_flops = flops_from(times.find("certain_flops"));
    timing.checked_elements = comparisons_.of(i).elements.size();
    pool_.note_cache_problem(times);
    timing.status = timing.checked_elements > 0 ? Status::ok : Status::unchecked;
  }

  /// The first of the samples; 0 where there is none.
  double turn(std::size_t i, double seconds, std::int64_t most, bool counts) {
    if (!is_active(i)) return 0;
    Json head;
    head.set("op", "measure").set("id", static_cast<std::int64_t>(i)).set("seconds", seconds).set("most", most);
    head.set("cold", request_.cold);
    const auto said = timed(answer_.timings[i].cost.running, head);
    if (!said) {
      give_up(i, said.error());
      return 0;
    }
    was_right_[i] = true;
    const Json::Array& samples = *said->find("samples")->as_array();
    if (counts) {
      Timing& timing = answer_.timings[i];
      for (const Json& sample : samples) timing.samples.push_back(sample.number());
      summarise(timing);
    }
    return samples.empty() ? 0 : samples.front().number();
  }

  /// The first run by itself: whether that one was right decides what a wrong one later means.
  void warm_up(std::size_t i) {
    // A first run may wait for code that is loaded on the way.
    const double first = turn(i, kWarmUpSeconds, 1, false);
    if (is_slow(first, kFirstRunSeconds)) return keep_one(i, first);
    const double second = turn(i, kWarmUpSeconds, 2, false);
    if (is_slow(second, 0)) keep_one(i, second);
  }

  [[nodiscard]] bool is_slow(double seconds, double allowed) const {
    return request_.slow_seconds > 0 && seconds > request_.slow_seconds + allowed;
  }

  void keep_one(std::size_t i, double seconds) {
    Timing& timing = answer_.timings[i];
    timing.samples.push_back(seconds);
    summarise(timing);
    spent_[i] = request_.budget_seconds;
  }

  void rival_turn(std::size_t i, double seconds, std::int64_t most, bool counts) {
    Timing& timing = answer_.rivals[i];
    if (!timing.failure.diagnostic.id.empty()) return;
    auto said = request_.rivals[i]->measure(seconds, most);
    if (!said) {
      timing.status = Status::failed;
      timing.failure.diagnostic = said.error();
      timing.samples.clear();
      return;
    }
    if (!counts) return;
    timing.status = Status::unchecked;
    timing.samples.insert(timing.samples.end(), said->begin(), said->end());
    summarise(timing);
  }

  [[nodiscard]] bool is_settled(const Timing& timing) const {
    return timing.samples.size() >= request_.least_samples && uncertainty(timing) <= request_.wanted_spread / 2;
  }

  /// Every program that is not settled has its turn, each time another one first. False where all are done.
  bool take_turns(std::size_t round) {
    bool any = false;
    const std::size_t count = records_.size() + request_.rivals.size();
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = (k + round) % count;
      const bool is_rival = i >= records_.size();
      const Timing& timing = is_rival ? answer_.rivals[i - records_.size()] : answer_.timings[i];
      const bool is_out = is_rival ? !timing.failure.diagnostic.id.empty() : !is_active(i);
      if (is_out || spent_[i] >= request_.budget_seconds || is_settled(timing)) continue;
      any = true;
      load_.look();
      const auto start = std::chrono::steady_clock::now();
      const double seconds = std::min(kTurnSeconds, request_.budget_seconds / 5);
      if (is_rival) {
        rival_turn(i - records_.size(), seconds, kTurnSamples, true);
      } else {
        turn(i, seconds, kTurnSamples, true);
      }
      spent_[i] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    return any;
  }

  void finish(std::size_t i) {
    if (!is_active(i)) return;
    Json head;
    head.set("op", "finish").set("id", static_cast<std::int64_t>(i));
    const auto said = timed(answer_.timings[i].cost.ending, head);
    if (!said) return give_up(i, said.error());
    prepared_[i] = false;
    Timing& timing = answer_.timings[i];
    if (!*said->find("inputs_whole")->as_bool()) {
      timing.status = Status::wrong;
      timing.failure.diagnostic = make_error("wrong-result", "the program has changed its inputs");
      timing.samples.clear();
      return;
    }
    if (const std::string& problem = comparisons_.of(i).problem; !problem.empty()) {
      timing.notes.push_back(concat("not all elements were compared: ", problem));
    }
    if (uncertainty(timing) > request_.wanted_spread / 2) {
      timing.notes.emplace_back("the budget ended before the median was settled");
    }
  }

  /// The share of the machine, by the least work among the programs that are compared.
  void rate() {
    for (std::size_t i = 0; i < records_.size(); ++i) {
      Timing& timing = answer_.timings[i];
      if (timing.samples.empty()) continue;
      const Work* least = &timing.work;
      for (std::size_t other = 0; other < records_.size(); ++other) {
        const Timing& candidate = answer_.timings[other];
        if (candidate.samples.empty() || &comparisons_.drawn_for(other) != &comparisons_.drawn_for(i)) continue;
        if (candidate.work.all_flops() < least->all_flops()) least = &candidate.work;
      }
      timing.roofline_seconds = roofline_seconds(timing.work.bytes, least->flops, answer_.machine);
      if (timing.median > 0) timing.roofline_share = timing.roofline_seconds / timing.median;
    }
    for (Timing& rival : answer_.rivals) {
      if (rival.samples.empty() || answer_.timings.empty()) continue;
      rival.work = answer_.timings.front().work;
      rival.roofline_seconds = answer_.timings.front().roofline_seconds;
      if (rival.median > 0) rival.roofline_share = rival.roofline_seconds / rival.median;
    }
  }

  [[nodiscard]] bool is_plausible(const Timing& timing) const {
    const double least =
        roofline_seconds(request_.cold ? timing.work.certain_bytes : 0, timing.work.certain_flops, answer_.machine);
    return timing.median > 0 && timing.median >= kPlausible * least;
  }

  /// What is too good to be true is measured once more, by a new worker.
  void measure_again(std::size_t i) {
    Timing& timing = answer_.timings[i];
    if (timing.samples.empty() || is_plausible(timing)) return;
    if (lease_) lease_->end();
    lease_.reset();
    timing.samples.clear();
    prepare(i);
    turn(i, kWarmUpSeconds, 3, false);
    turn(i, kTurnSeconds, kTurnSamples, true);
    turn(i, kTurnSeconds, kTurnSamples, true);
    if (timing.samples.empty()) return;
    finish(i);
    rate();
    timing.implausible = !is_plausible(timing);
    timing.notes.emplace_back(
        timing.implausible ? "implausible: faster than the machine's peaks allow, twice"
                           : "the first measurement was faster than the machine's peaks allow, and was repeated");
  }

  CandidatePool& pool_;
  const TimeRequest& request_;
  std::vector<Json> records_;
  Comparisons comparisons_;
  LoadWatch load_;
  std::optional<WorkerPool::Lease> lease_;
  std::vector<bool> prepared_;
  std::vector<bool> was_right_;  ///< some run had all that is expected
  std::vector<double> spent_;
  TimeAnswer answer_;
};

}  // namespace

Result<TimeAnswer, ExecutionFailure> time_programs(CandidatePool& pool, const TimeRequest& request) {
  return Measurement(pool, request).run();
}

}  // namespace steptp
