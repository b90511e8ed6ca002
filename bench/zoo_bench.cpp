// Programs per second on one core: drawn, built, lowered and checked, and the parts alone.
#include <benchmark/benchmark.h>

#include "steptp/documents/zoo_program.h"
#include "steptp/safety/check.h"

namespace {

using namespace steptp;

zoo::DrawOptions options(unsigned compositions) {
  zoo::DrawOptions out;
  for (const zoo::ProgramType& type : zoo::all_types()) out.types.push_back(&type);
  out.compositions_percent = compositions;
  return out;
}

void draw(benchmark::State& state, unsigned compositions, bool checks) {
  const zoo::DrawOptions chosen = options(compositions);
  std::uint64_t index = 0;
  for (auto _ : state) {
    const std::optional<ZooDraw> drawn = zoo_draw(3, index++, chosen);
    if (drawn && checks) benchmark::DoNotOptimize(check_program(drawn->program.program));
    benchmark::DoNotOptimize(drawn);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

BENCHMARK_CAPTURE(draw, types, 0, false);
BENCHMARK_CAPTURE(draw, compositions, 100, false);
BENCHMARK_CAPTURE(draw, types_checked, 0, true);
BENCHMARK_CAPTURE(draw, compositions_checked, 100, true);

}  // namespace

BENCHMARK_MAIN();
