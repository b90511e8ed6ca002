#include "steptp/verify/judge_worker.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "steptp/base/duration.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/verify/certificate.h"

namespace steptp {

namespace {

constexpr double kNoLimit = 1e7;

/// One pool for each command of this process; a copy of the process that fork has made starts its own.
WorkerPool& judges(const WorkerPool::Command& command) {
  static std::mutex mutex;
  static std::map<std::pair<pid_t, WorkerPool::Command>, WorkerPool*> pools;
  const std::lock_guard lock(mutex);
  // Those of another process are left as they are: to end them would end its workers.
  WorkerPool*& pool = pools[{getpid(), command}];
  if (pool == nullptr) pool = new WorkerPool(std::vector<WorkerPool::Command>(default_jobs(), command));
  return *pool;
}

std::uint64_t natural(const Json* value) {
  const std::string digits = value ? value->dump() : std::string();
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// A new option has to travel too: below, and in answer_judge_request.
static_assert(sizeof(VerifyOptions) == 10 * sizeof(std::uint64_t));

std::string request_of(const Pair& pair, const ApartOptions& options) {
  const Json before = to_json(pair.before.program, Profile::paper);
  const Json after = to_json(pair.after.program, Profile::paper);
  Json out;
  out.set("id", pair.id).set("seed", options.judge.seed).set("budget", options.judge.budget);
  out.set("proof_work", options.judge.proof_work).set("safety_budget", options.judge.safety_budget);
  const certify::SafeRange& range = options.judge.safe_range;
  out.set("range", static_cast<int>(range.kind)).set("low", range.low).set("high", range.high);
  out.set("seconds", countable_seconds(options.seconds)).set("certificate", options.with_certificate);
  out.set("equal_by_steps", options.judge.equal_by_steps);
  out.set("before", before).set("after", after);
  return out.dump();
}

certify::SafeRange range_of(const Json& request) {
  const auto number = [&](const char* key) {
    const Json* value = request.find(key);
    return value ? value->number() : 0.0;
  };
  return {static_cast<certify::SafeRange::Kind>(natural(request.find("range"))), number("low"), number("high")};
}

Json packed(const Pair& pair, const Judgement& judgement, bool with_certificate) {
  Json out;
  out.set("verdict", static_cast<int>(judgement.verdict)).set("unusable", judgement.unusable);
  out.set("reason", judgement.reason).set("answer", to_json(pair.id, judgement));
  if (with_certificate && problem_of(pair).empty()) out.set("certificate", certificate(pair, judgement).dump());
  return out;
}

ApartAnswer unpacked(const Json& json) {
  ApartAnswer out;
  if (const Json* verdict = json.find("verdict"); verdict && verdict->as_integer()) {
    out.verdict = static_cast<Grade>(*verdict->as_integer());
  }
  if (const Json* unusable = json.find("unusable"); unusable && unusable->as_bool()) {
    out.unusable = *unusable->as_bool();
  }
  if (const Json* reason = json.find("reason"); reason && reason->as_string()) out.reason = *reason->as_string();
  if (const Json* answer = json.find("answer")) out.answer = *answer;
  const Json* fills = out.answer.find("fills_vacuous");
  out.fills_vacuous = fills && fills->as_bool() && *fills->as_bool();
  if (const Json* text = json.find("certificate"); text && text->as_string()) out.certificate = *text->as_string();
  return out;
}

Pair pair_of(const Json& request) {
  const auto document = [&](const char* key) {
    const Json* program = request.find(key);
    return read_document(key, program ? program->dump() : std::string());
  };
  Pair pair = make_pair(document("before"), document("after"));
  if (const Json* id = request.find("id"); id && id->as_string()) pair.id = *id->as_string();
  return pair;
}

ApartAnswer judged_here(const Pair& pair, const ApartOptions& options) {
  std::atomic<bool> stop = false;
  VerifyOptions how = options.judge;
  how.keep_record = options.with_certificate;
  const Judgement judgement = verify_in_time(pair, how, options.seconds, stop);
  return unpacked(packed(pair, judgement, options.with_certificate));
}

}  // namespace

Judgement failed_judgement(std::string_view why) {
  Judgement judgement;
  judgement.reason = concat("the judge failed on this pair: ", why);
  return judgement;
}

ApartAnswer verify_apart(const Pair& pair, const ApartOptions& options) {
  // What cannot be compared is not judged, and cannot be sent.
  if (!problem_of(pair).empty() || options.command.empty()) return judged_here(pair, options);
  WorkerCall call;
  call.seconds = options.seconds > 0 ? options.seconds + options.grace : kNoLimit;
  call.go_on = options.go_on;
  const WorkerOutcome outcome = judges(options.command).call(request_of(pair, options), call);
  if (outcome.kind == WorkerOutcome::Kind::not_started) return judged_here(pair, options);
  ApartAnswer out;
  const auto answer = outcome.ok() ? parse_json(outcome.answer) : Result<Json, JsonError>(JsonError{});
  if (answer) {
    out = unpacked(*answer);
  } else {
    const std::string why = outcome.ok() ? std::string("its answer cannot be read") : outcome.reason;
    out = unpacked(packed(pair, failed_judgement(why), false));
  }
  out.cancelled = outcome.kind == WorkerOutcome::Kind::cancelled;
  return out;
}

std::string answer_judge_request(const std::string& request) {
  const auto parsed = parse_json(request);
  if (!parsed) return packed({}, failed_judgement("the request cannot be read"), false).dump();
  const Pair pair = pair_of(*parsed);
  const Json* wants = parsed->find("certificate");
  const Json* seconds = parsed->find("seconds");
  const bool with_certificate = wants && wants->as_bool() && *wants->as_bool();
  VerifyOptions how;
  how.seed = natural(parsed->find("seed"));
  how.budget = natural(parsed->find("budget"));
  how.proof_work = natural(parsed->find("proof_work"));
  how.safety_budget = natural(parsed->find("safety_budget"));
  how.safe_range = range_of(*parsed);
  how.keep_record = with_certificate;
  const Json* by_steps = parsed->find("equal_by_steps");
  how.equal_by_steps = by_steps && by_steps->as_bool() && *by_steps->as_bool();
  std::atomic<bool> stop = false;
  const Judgement judgement = verify_in_time(pair, how, seconds ? seconds->number() : 0, stop);
  return packed(pair, judgement, with_certificate).dump();
}

int run_judge_worker(int descriptor) { return serve_requests(descriptor, {kJudgeMemory, true}, answer_judge_request); }

}  // namespace steptp
