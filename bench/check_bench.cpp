// How long one program takes to check: the whole set per iteration, and median, 90th percentile and worst of single
// programs, in microseconds of CPU time.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

#include "bench/programs.h"
#include "steptp/safety/check.h"

namespace {

using namespace steptp;

double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

/// The fastest of a few runs: the machine's other business is not the program's.
double fastest(const Program& program) {
  constexpr int kRuns = 5;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = cpu_microseconds();
    benchmark::DoNotOptimize(check_program(program));
    const double taken = cpu_microseconds() - begin;
    best = i == 0 ? taken : std::min(best, taken);
  }
  return best;
}

void check_set(benchmark::State& state) {
  const std::vector<bench::Sample>& set = bench::samples();
  for (auto _ : state) {
    for (const bench::Sample& sample : set) benchmark::DoNotOptimize(check_program(sample.program));
  }
  std::vector<double> times;
  double ok = 0;
  for (const bench::Sample& sample : set) {
    times.push_back(fastest(sample.program));
    ok += check_program(sample.program).verdict == CheckReport::Verdict::ok ? 1 : 0;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * set.size()));
  state.counters["median_us"] = bench::quantile(times, 0.5);
  state.counters["p90_us"] = bench::quantile(times, 0.9);
  state.counters["max_us"] = bench::quantile(times, 1);
  state.counters["programs"] = static_cast<double>(set.size());
  state.counters["ok"] = ok;
}

void check_one(benchmark::State& state, const Program& program) {
  for (auto _ : state) benchmark::DoNotOptimize(check_program(program));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::RegisterBenchmark("check_set", check_set)->Unit(benchmark::kMillisecond);
  for (const Document& document : bench::hand_written()) {
    benchmark::RegisterBenchmark(("check/" + document.program.name).c_str(), [document](benchmark::State& state) {
      check_one(state, document.program);
    })->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
