// What an expected time takes: the summary of a program, and the model on that summary, which a cursor asks many times.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench/programs.h"
#include "steptp/estimate/estimate.h"
#include "steptp/estimate/summary.h"

namespace {

using namespace steptp;

void summarise(benchmark::State& state) {
  const std::vector<bench::Sample>& set = bench::samples();
  for (auto _ : state) {
    for (const bench::Sample& sample : set) benchmark::DoNotOptimize(estimation::summary_of(sample.program));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * set.size()));
}

void model(benchmark::State& state, const char* device) {
  const DeviceRates rates = find_rates(device).value();
  std::vector<estimation::ProgramSummary> summaries;
  std::int64_t kernels = 0;
  for (const bench::Sample& sample : bench::samples()) {
    const auto made = estimation::summary_of(sample.program);
    if (!made) continue;
    summaries.push_back(*made);
    kernels += static_cast<std::int64_t>(made->kernels.size());
  }
  for (auto _ : state) {
    for (const estimation::ProgramSummary& summary : summaries) benchmark::DoNotOptimize(estimate_of(summary, rates));
  }
  // One item is a kernel.
  state.SetItemsProcessed(state.iterations() * kernels);
  state.counters["kernels"] = static_cast<double>(kernels);
  state.counters["us_per_kernel"] = benchmark::Counter(static_cast<double>(state.iterations() * kernels) * 1e-6,
                                                       benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

BENCHMARK(summarise)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(model, gpu, "nvidia-h200")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(model, cpu, "plain-cpu")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
