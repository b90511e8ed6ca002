// How long it takes to list the choices of all strategies on one program, and to make one step: median, 90th and
// 99th percentile and worst over a set, in microseconds of CPU time; and whether extents play a part. The sets are the
// programs of the zoo at their default shapes, the published ones, and those of bench/programs.h.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "bench/programs.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/recipe/registry.h"
#include "steptp/recipe/selection.h"
#include "steptp/strategies/view.h"

namespace {

using namespace steptp;

double cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

/// The fastest of a few runs: the machine's other business is not the program's.
template <typename Work>
double fastest(const Work& work) {
  constexpr int kRuns = 5;
  double best = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = cpu_microseconds();
    work();
    const double taken = cpu_microseconds() - begin;
    best = i == 0 ? taken : std::min(best, taken);
  }
  return best;
}

void report(benchmark::State& state, const std::vector<double>& times) {
  state.counters["median_us"] = bench::quantile(times, 0.5);
  state.counters["p90_us"] = bench::quantile(times, 0.9);
  state.counters["p99_us"] = bench::quantile(times, 0.99);
  state.counters["max_us"] = bench::quantile(times, 1);
  state.counters["number"] = static_cast<double>(times.size());
}

using Programs = std::vector<Program>;

const Programs& zoo_programs() {
  static const Programs instance = [] {
    Programs out;
    for (const zoo::ProgramType& type : zoo::all_types()) {
      auto made = zoo_program(type.name, {}, DType::f32);
      if (made) out.push_back(std::move(made->program));
    }
    return out;
  }();
  return instance;
}

const Programs& sample_programs() {
  static const Programs instance = [] {
    Programs out;
    for (const bench::Sample& sample : bench::samples()) out.push_back(sample.program);
    return out;
  }();
  return instance;
}

void list_set(benchmark::State& state, const Programs& programs, const std::vector<const Strategy*>& strategies,
              bool extended) {
  std::vector<double> times;
  for (auto _ : state) {
    times.clear();
    for (const Program& program : programs) {
      times.push_back(fastest([&] {
        View view(program);
        benchmark::DoNotOptimize(list_choices(strategies, view, extended));
      }));
    }
  }
  report(state, times);
}

/// One choice of each site of each program, each with a view of its own: what `apply` costs alone.
void apply_set(benchmark::State& state, const Strategy& strategy) {
  std::vector<double> times;
  for (auto _ : state) {
    times.clear();
    for (const Program& program : zoo_programs()) {
      View listing(program);
      for (const ChoiceSite& site : list_choices(strategy, listing, false).sites) {
        const Choice choice = site.choice(site.count() / 2);
        times.push_back(fastest([&] {
          View view(program);
          benchmark::DoNotOptimize(apply(strategy, view, choice));
        }));
      }
    }
  }
  if (!times.empty()) report(state, times);
}

/// Matrix products that differ in their extents only.
void list_matmul(benchmark::State& state) {
  const std::string n = std::to_string(state.range(0));
  const std::string text = "@input A f32[" + n + "," + n + "]\n@input C f32[" + n + "," + n + "]\n@output D f32[" + n +
                           "," + n + "]\nB^{" + n + "}_{tx=0}L^{" + n + "}_{a=0}L^{" + n +
                           "}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];\n";
  const Document document = read_document("matmul", text);
  for (auto _ : state) {
    View view(document.program);
    benchmark::DoNotOptimize(list_choices(all_strategies(), view, true));
  }
}
BENCHMARK(list_matmul)->Arg(16)->Arg(4096)->Arg(1 << 20)->Unit(benchmark::kMicrosecond);

}  // namespace

int main(int argc, char** argv) {
  using Set = const Programs& (*)();
  const auto add_list = [](const std::string& name, Set set, const std::vector<const Strategy*>& strategies,
                           bool extended) {
    benchmark::RegisterBenchmark(
        name.c_str(),
        [set, strategies, extended](benchmark::State& state) { list_set(state, set(), strategies, extended); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  };
  std::vector<const Strategy*> math;
  std::vector<const Strategy*> structural;
  for (const Strategy* strategy : all_strategies()) {
    if (is_published(*strategy)) (strategy->level == Level::math ? math : structural).push_back(strategy);
  }
  const std::pair<std::string, Set> sets[] = {{"zoo", zoo_programs}, {"samples", sample_programs}};
  for (const auto& [name, set] : sets) {
    add_list("list/" + name + "/published", set, all_strategies(), false);
    add_list("list/" + name + "/extended", set, all_strategies(), true);
    add_list("list/" + name + "/math", set, math, false);
    add_list("list/" + name + "/structural", set, structural, false);
  }
  for (const Strategy* strategy : all_strategies()) {
    add_list("list_one/" + std::string(strategy->name), zoo_programs, {strategy}, false);
    const std::string name = "apply/" + std::string(strategy->name);
    benchmark::RegisterBenchmark(name.c_str(), [strategy](benchmark::State& state) { apply_set(state, *strategy); })
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
