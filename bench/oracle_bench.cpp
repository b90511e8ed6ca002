// How many operations the oracle does per second. It is slow on purpose; these numbers say how large a program can be.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "steptp/oracle/inputs.h"
#include "steptp/oracle/machine.h"
#include "steptp/text/document.h"

namespace {

using namespace steptp;

constexpr std::string_view kMatmulF32 =
    "@input A f32[48,48]\n@input C f32[48,48]\n@output D f32[48,48]\n"
    "B^{48}_{tx=0}L^{48}_{a=0}L^{48}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];";
constexpr std::string_view kMatmulF16 =
    "@input A f16[48,48]\n@input C f16[48,48]\n@output D f16[48,48]\n"
    "B^{48}_{tx=0}L^{48}_{a=0}L^{48}_{c=0}[D^{f16,g}_{tx,a}=D^{f16,g}_{tx,a}+A^{f16,g}_{tx,c}*C^{f16,g}_{c,a};];";
constexpr std::string_view kExp =
    "@input A f32[64,256]\n@output C f32[64,256]\nB^{64}_{tx=0}L^{256}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a});];";
constexpr std::string_view kPaddedStencil =
    "@input A f32[64,256]\n@output C f32[64,256]\n"
    "B^{64}_{tx=0}L^{256}_{a=0}L^{3}_{c=0}[C^{f32,g}_{tx,a}=C^{f32,g}_{tx,a}"
    "+if_then_else(1<=a+c<257,A^{f32,g}_{tx,a+c-1},0);];";

void run_program(benchmark::State& state, std::string_view text) {
  const Document document = read_document("bench", std::string(text));
  const auto inputs = make_inputs(document.program.signature, 1);
  if (!document.ok || !inputs) {
    std::cerr << render(document.diagnostics, *document.source);
    std::exit(1);
  }
  std::uint64_t operations = 0;
  std::uint64_t executions = 0;
  for (auto _ : state) {
    const auto result = run(document.program, *inputs);
    if (!result) {
      std::cerr << result.error().message << '\n';
      std::exit(1);
    }
    operations = result->operations;
    executions = result->executions;
  }
  const auto per_second = benchmark::Counter::kIsIterationInvariantRate;
  state.counters["operations/s"] = benchmark::Counter(static_cast<double>(operations), per_second);
  state.counters["equations/s"] = benchmark::Counter(static_cast<double>(executions), per_second);
}

BENCHMARK_CAPTURE(run_program, matmul_f32, kMatmulF32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, matmul_f16, kMatmulF16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, exp_f32, kExp)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_program, padded_stencil_f32, kPaddedStencil)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
