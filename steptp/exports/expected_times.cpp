#include "steptp/exports/expected_times.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "steptp/estimate/estimate.h"
#include "steptp/estimate/rates.h"
#include "steptp/estimate/summary.h"

namespace steptp::dataset {

namespace {

const DeviceRates* shipped(std::string_view name) {
  for (const DeviceRates& rates : shipped_rates()) {
    if (rates.name == name) return &rates;
  }
  return nullptr;
}

/// Three digits, so that no machine's last bit shows.
double rounded(double value) {
  const double scale = std::pow(10.0, 2 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

std::optional<double> microseconds(const estimation::ProgramSummary& summary, const DeviceRates* device) {
  if (!device) return std::nullopt;
  const double seconds = estimate_of(summary, *device).seconds;
  if (!(seconds > 0) || !std::isfinite(seconds)) return std::nullopt;
  return rounded(seconds * 1e6);
}

}  // namespace

ExpectedTimes expected_times(const Program& program) {
  static const DeviceRates* const gpu = shipped("nvidia-h200");
  static const DeviceRates* const cpu = shipped("plain-cpu");
  const auto summary = estimation::summary_of(program);
  if (!summary) return {};
  return {microseconds(*summary, gpu), microseconds(*summary, cpu)};
}

double usefulness(const ExpectedTimes& before, const ExpectedTimes& after) {
  const auto saved = [](std::optional<double> was, std::optional<double> is) {
    return was && is ? std::max(0.0, 1 - *is / *was) : 0.0;
  };
  const double most = std::max(saved(before.gpu, after.gpu), saved(before.cpu, after.cpu));
  return std::round(most * 1000) / 1000;
}

}  // namespace steptp::dataset
