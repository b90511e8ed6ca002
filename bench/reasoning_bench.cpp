// Traces of steps on the zoo: made from the facts, rendered with both programs printed for each, and rendered from
// programs that are printed already.
#include <benchmark/benchmark.h>

#include <vector>

#include "steptp/reasoning/trace.h"
#include "testing/trace_rows.h"

namespace steptp {
namespace {

const std::vector<testing::TraceRow>& rows() {
  static const std::vector<testing::TraceRow> kRows = [] {
    std::vector<testing::TraceRow> out;
    testing::for_each_row({1, 0, 16, 2, 4}, [&](const testing::TraceRow& row) { out.push_back(row); });
    return out;
  }();
  return kRows;
}

void BM_MakeTrace(benchmark::State& state) {
  std::size_t next = 0;
  for (auto _ : state) {
    const testing::TraceRow& row = rows()[next++ % rows().size()];
    benchmark::DoNotOptimize(make_trace(*row.strategy, row.before, row.choice, row.applied, next));
  }
}
BENCHMARK(BM_MakeTrace)->Unit(benchmark::kMicrosecond);

void BM_MakeAndRender(benchmark::State& state) {
  std::size_t next = 0;
  for (auto _ : state) {
    const testing::TraceRow& row = rows()[next++ % rows().size()];
    const Trace trace = make_trace(*row.strategy, row.before, row.choice, row.applied, next);
    benchmark::DoNotOptimize(render(trace, row.before, row.applied.program, Profile::paper));
  }
}
BENCHMARK(BM_MakeAndRender)->Unit(benchmark::kMicrosecond);

void BM_RenderPrinted(benchmark::State& state) {
  const testing::TraceRow& row = rows()[0];
  const Trace trace = make_trace(*row.strategy, row.before, row.choice, row.applied, 1);
  const PrintedProgram before(row.before, Profile::paper);
  const PrintedProgram after(row.applied.program, Profile::paper);
  for (auto _ : state) benchmark::DoNotOptimize(render(trace, before, after));
}
BENCHMARK(BM_RenderPrinted)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace steptp

BENCHMARK_MAIN();
