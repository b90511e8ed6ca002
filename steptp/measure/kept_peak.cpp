#include "steptp/measure/kept_peak.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "steptp/base/json.h"
#include "steptp/base/ordered_stream.h"
#include "steptp/base/text.h"
#include "steptp/execution/object_cache.h"
#include "steptp/measure/cpu_peak.h"
#include "steptp/measure/machine_load.h"

namespace steptp {

namespace {

constexpr std::int64_t kMostMeasurements = 3;

struct KeptPeak {
  MachinePeak peak;
  std::int64_t measurements = 0;  ///< while others wanted the cores; kMostMeasurements once it was quiet
};

std::optional<KeptPeak> read_kept(const std::string& text) {
  const auto entry = parse_json(text);
  if (!entry || !entry->as_object()) return std::nullopt;
  KeptPeak out;
  for (const auto& [key, into] : {std::pair("f32", DType::f32), std::pair("f64", DType::f64)}) {
    const Json* flops = entry->find(key);
    if (!flops || !flops->is_number() || !(flops->number() > 0)) return std::nullopt;
    out.peak.flops[into] = flops->number();
  }
  const Json* bytes = entry->find("bytes_per_second");
  const Json* measurements = entry->find("measurements");
  if (!bytes || !bytes->is_number() || !measurements || !measurements->as_integer()) return std::nullopt;
  out.peak.bytes_per_second = bytes->number();
  out.measurements = *measurements->as_integer();
  return out;
}

std::string text_of(const KeptPeak& kept) {
  Json out;
  out.set("f32", kept.peak.flops.at(DType::f32)).set("f64", kept.peak.flops.at(DType::f64));
  out.set("bytes_per_second", kept.peak.bytes_per_second).set("measurements", kept.measurements);
  return out.dump();
}

}  // namespace

MachinePeak kept_cpu_peak(unsigned threads, const std::string& cache) {
  const unsigned wanted = threads == 0 ? default_jobs() : threads;
  const std::string name = concat(processor_name(), ", ", wanted, " threads");
  const ObjectCache folder(cache);
  const CacheKey key = cache_key({"peak of a CPU", name});
  const auto stored = folder.find(key);
  auto kept = stored ? read_kept(*stored) : std::nullopt;
  if (kept && kept->measurements >= kMostMeasurements) {
    kept->peak.name = name;
    kept->peak.source = "measured once and kept";
    return std::move(kept->peak);
  }
  LoadWatch watch;
  watch.look();
  KeptPeak now{measure_cpu_peak(wanted), kept ? kept->measurements + 1 : 1};
  if (!watch.load().disturbs(wanted)) now.measurements = kMostMeasurements;
  if (kept) {
    now.peak.bytes_per_second = std::max(now.peak.bytes_per_second, kept->peak.bytes_per_second);
    for (auto& [dtype, flops] : now.peak.flops) flops = std::max(flops, kept->peak.flops[dtype]);
  }
  folder.put(key, text_of(now));
  return std::move(now.peak);
}

}  // namespace steptp
