#include "steptp/search/devices.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <utility>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/search/search.h"

namespace steptp::search {

namespace {

constexpr std::uint32_t kFinalRounds = 50;
constexpr Arithmetic kArithmetic = Arithmetic::fast;
/// What takes so many times as long as the fastest so far is not measured more than once.
constexpr double kSlow = 3;

Measured not_measured(Outcome outcome, std::string reason) {
  Measured out;
  out.outcome = outcome;
  out.reason = std::move(reason);
  out.runs = 0;
  return out;
}

/// What a program that gave no time became of.
Measured failed(const Timing& timing) {
  const Diagnostic& why = timing.failure.diagnostic;
  if (timing.status == Timing::Status::wrong || why.id == "wrong-result")
    return not_measured(Outcome::crash, why.message);
  if (timing.failure.trap) return not_measured(Outcome::launch, why.message);
  if (why.id == "worker-timed-out") return not_measured(Outcome::timeout, why.message);
  if (why.id.starts_with("worker")) return not_measured(Outcome::crash, why.message);
  return not_measured(Outcome::build, why.message);
}

Measured measured_of(const Timing& timing) {
  if (timing.samples.empty()) return failed(timing);
  Measured out = summary_of(timing.samples);
  out.unchecked = timing.status == Timing::Status::unchecked;
  return out;
}

bool is_no_device(const std::string& id) {
  return id == "no-device" || id == "no-engine" || id == "no-nvrtc" || id == "engine" || id == "worker";
}

}  // namespace

Measured summary_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(samples.size() - 1);
    const auto low = static_cast<std::size_t>(place);
    const std::size_t high = std::min(low + 1, samples.size() - 1);
    return samples[low] + (samples[high] - samples[low]) * (place - static_cast<double>(low));
  };
  Measured out;
  out.runs = static_cast<std::int64_t>(samples.size());
  out.seconds = at(0.5);
  out.p10 = at(0.1);
  out.p90 = at(0.9);
  return out;
}

Measured AnalyticDevice::measure(const Program& program) {
  const auto expected = estimate(program, rates_);
  if (!expected) return not_measured(Outcome::build, expected.error());
  return summary_of({expected->seconds});
}

Result<std::unique_ptr<RecordedDevice>, Diagnostic> RecordedDevice::read(const std::string& path) {
  const auto content = read_file(path);
  if (!content) return content.error();
  auto out = std::make_unique<RecordedDevice>();
  std::istringstream lines(*content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    auto row = parse_json(line);
    if (!row) {
      return make_error("recording", concat(path, ":", number, ": ", row.error().message),
                        "a recording has one JSON object per line, with \"key\" and \"seconds\"");
    }
    const Json* value = row->find("value");
    const Json& entry = value && value->as_object() ? *value : *row;
    const Json* key = entry.find("key");
    const Json* seconds = entry.find("seconds");
    if (!key || !key->as_string() || !seconds || !seconds->is_number()) continue;
    Measured measured = measured_from_json(entry);
    if (!entry.find("outcome")) measured.outcome = Outcome::fresh;
    if (measured.outcome == Outcome::fresh && !(measured.seconds > 0 && std::isfinite(measured.seconds))) {
      return make_error("recording", concat(path, ":", number, ": \"seconds\" is no time"));
    }
    measured.device_seconds = 0;
    out->times_.try_emplace(*key->as_string(), std::move(measured));
  }
  if (out->times_.empty())
    return make_error("recording", concat(path, ": there is no line with \"key\" and \"seconds\""));
  return out;
}

Measured RecordedDevice::measure(const Program& program) {
  const auto at = times_.find(program_key(program));
  if (at == times_.end()) return not_measured(Outcome::launch, "the recording has no time of this program");
  return at->second;
}

MeasuringDevice::MeasuringDevice(const Document& root, CandidateOptions candidates, MeasuringOptions options)
    : root_(root),
      candidates_(std::move(candidates)),
      options_(options),
      places_(usual_places(candidates_.device, 1)),
      pool_(candidates_, places_) {
  if (options_.compilers == 0) return;
  CandidateOptions compiling = candidates_;
  compiling.compiles_only = true;
  compilers_.emplace(std::move(compiling), options_.compilers);
}

void MeasuringDevice::get_ready(const Program& program) {
  if (compilers_) compilers_->compile(program, kArithmetic);
}

const RootElements* MeasuringDevice::elements() {
  const std::lock_guard lock(mutex_);
  if (!has_asked_) {
    has_asked_ = true;
    auto made = root_elements(root_, options_.seed, options_.check_operations, pool_);
    if (made) elements_.emplace(std::move(made).value());
  }
  return elements_ ? &*elements_ : nullptr;
}

TimeRequest MeasuringDevice::request(double seconds) {
  TimeRequest out;
  out.root = elements();
  out.seed = options_.seed;
  out.budget_seconds = seconds;
  out.cold = !options_.warm;
  out.arithmetic = kArithmetic;
  out.as_graph = candidates_.device == DeviceKind::cuda;
  return out;
}

Measured MeasuringDevice::measure(const Program& program) {
  TimeRequest how = request(options_.budget_seconds);
  how.programs = {&program};
  {
    const std::lock_guard lock(mutex_);
    how.slow_seconds = kSlow * least_seconds_;
  }
  const auto begun = std::chrono::steady_clock::now();
  const auto answer = time_programs(pool_, how);
  if (!answer) {
    Measured out = not_measured(Outcome::launch, answer.error().diagnostic.message);
    out.is_gone = true;
    return out;
  }
  const Timing& timing = answer->timings.front();
  Measured out = measured_of(timing);
  out.is_gone = timing.samples.empty() && is_no_device(timing.failure.diagnostic.id);
  out.device_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  if (out.outcome == Outcome::fresh) {
    const std::lock_guard lock(mutex_);
    least_seconds_ = least_seconds_ > 0 ? std::min(least_seconds_, out.seconds) : out.seconds;
  }
  return out;
}

std::optional<FinalTimes> MeasuringDevice::measure_again(const Program* root, const Program& winner) {
  TimeRequest how = request(options_.final_seconds);
  if (root) how.programs.push_back(root);
  how.programs.push_back(&winner);
  how.least_samples = kFinalRounds;
  // Processes of their own, which have run nothing else.
  CandidatePool pool(candidates_, 1);
  const auto answer = time_programs(pool, how);
  if (!answer) return std::nullopt;
  FinalTimes out;
  if (root) out.root = measured_of(answer->timings.front());
  out.winner = measured_of(answer->timings.back());
  return out;
}

}  // namespace steptp::search
