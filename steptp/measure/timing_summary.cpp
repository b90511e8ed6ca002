#include <algorithm>
#include <cmath>

#include "steptp/measure/time_programs.h"

namespace steptp {

namespace {

using Status = Timing::Status;

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const std::size_t half = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half), values.end());
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(half))) / 2;
}

}  // namespace

std::string_view name_of(Timing::Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::unchecked: return "unchecked";
    case Status::wrong: return "wrong";
    case Status::failed: return "failed";
  }
  return "";
}

void summarise(Timing& timing) {
  timing.median = median_of(timing.samples);
  std::vector<double> distances;
  for (const double sample : timing.samples) distances.push_back(std::fabs(sample - timing.median));
  timing.spread = 1.4826 * median_of(std::move(distances));
  timing.least = timing.samples.empty() ? 0 : *std::min_element(timing.samples.begin(), timing.samples.end());
}

}  // namespace steptp
