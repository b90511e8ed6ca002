// What lowering costs per program, what LLVM takes to compile it, and how fast it then runs.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "steptp/base/file.h"
#include "steptp/base/process.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/documents/run_document.h"
#include "steptp/execution/llvm_program.h"
#include "steptp/llvm/lower.h"
#include "steptp/recipe/recipe.h"
#include "steptp/text/document.h"

namespace {

using namespace steptp;

constexpr const char* kMatmul =
    "@input A f32[256,256]\n@input C f32[256,256]\n@output D f32[256,256]\n"
    "B^{256}_{tx=0}L^{256}_{c=0}V^{256}_{a=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];";
constexpr const char* kSoftmax =
    "@input A f32[256,1024]\n@output C f32[256,1024]\n"
    "B^{256}_{tx=0}L^{1024}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];"
    "B^{256}_{tx=0}L^{1024}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];"
    "B^{256}_{tx=0}L^{1024}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];";

/// The end state of a recipe in a folder of the repository.
Program end_state(const std::string& folder, const std::string& name) {
  const std::string path = concat(STEPTP_SOURCE_DIR, "/", folder, "/", name);
  const Document document = read_document(name, read_file(path + ".leir").value());
  const auto recipe = recipe_from_json(parse_json(read_file(path + ".json").value()).value());
  return replay(document.program, *recipe).value().program;
}

Program program_of(const char* text) { return read_document("bench", text).program; }

void lower_cuda(benchmark::State& state, const Program& program) {
  for (auto _ : state) benchmark::DoNotOptimize(cuda::lower(program).value().text);
}
void lower_llvm(benchmark::State& state, const Program& program) {
  for (auto _ : state) benchmark::DoNotOptimize(llvm_ir::lower(program).value().text);
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

LlvmProgram compiled(const Program& program) {
  auto made = LlvmProgram::compile(program);
  if (!made) {
    std::cerr << made.error().message << '\n';
    std::exit(1);
  }
  return std::move(made).value();
}

/// Without a cache: everything but the lowering, by kernel.
void compile_llvm(benchmark::State& state, const Program& program) {
  const auto kernels = static_cast<double>(lowering::arrangement_of(program).value().kernels.size());
  std::vector<double> milliseconds;
  for (auto _ : state) {
    const CompileTimes times = compiled(program).times();
    milliseconds.push_back((times.compile_milliseconds + times.load_milliseconds) / kernels);
  }
  state.counters["kernels"] = kernels;
  state.counters["ms/kernel"] = median_of(std::move(milliseconds));
}

/// From the cache: the object is read, checked and linked.
void load_llvm(benchmark::State& state, const Program& program) {
  const auto folder = TemporaryFolder::make();
  const ObjectCache cache(folder.value().file("cache"));
  (void)LlvmProgram::compile(program, cache).value();
  std::vector<double> milliseconds;
  for (auto _ : state) {
    const auto made = LlvmProgram::compile(program, cache);
    if (!made || !made->times().from_cache) {
      state.SkipWithError("not from the cache");
      return;
    }
    milliseconds.push_back(made->times().load_milliseconds);
  }
  state.counters["ms/program"] = median_of(std::move(milliseconds));
}

void run_llvm(benchmark::State& state, const Program& program) {
  const LlvmProgram made = compiled(program);
  const auto inputs = seeded_inputs(program, 1);
  const auto work = estimate_work(program);
  for (auto _ : state) benchmark::DoNotOptimize(made.run(*inputs).value());
  state.counters["operations/s"] = benchmark::Counter(work->operations, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_engine = find_llvm_engine().ok();
  for (const char* name : {"matmul", "softmax", "layer_norm", "conv3x3"}) {
    const Program program = end_state("examples/recipes", name);
    benchmark::RegisterBenchmark(concat("lower_cuda/", name).c_str(), lower_cuda, program)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(concat("lower_llvm/", name).c_str(), lower_llvm, program)
        ->Unit(benchmark::kMillisecond);
    if (!has_engine) continue;
    benchmark::RegisterBenchmark(concat("compile_llvm/", name).c_str(), compile_llvm, program)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark(concat("load_llvm/", name).c_str(), load_llvm, program)->Unit(benchmark::kMillisecond);
  }
  if (has_engine) {
    for (const auto& [name, text] : {std::pair("matmul_256", kMatmul), std::pair("softmax_256x1024", kSoftmax)}) {
      benchmark::RegisterBenchmark(concat("compile_llvm/", name).c_str(), compile_llvm, program_of(text))
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(concat("load_llvm/", name).c_str(), load_llvm, program_of(text))
          ->Unit(benchmark::kMillisecond);
      benchmark::RegisterBenchmark(concat("run_llvm/", name).c_str(), run_llvm, program_of(text))
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
