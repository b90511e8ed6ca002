// The cursor over plans: random masked sentences (10,000 per second and core are wanted), and what a finished plan
// takes (a median below 10 ms is wanted), on programs of the zoo at their default shapes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "steptp/cursor/cursor.h"
#include "steptp/cursor/sentence.h"
#include "steptp/documents/zoo_program.h"

namespace {

using namespace steptp;

constexpr const char* kTypes[] = {"Matmul3D",
                                  "Matmul_with_transposed_A",
                                  "softmax",
                                  "LayerNorm",
                                  "HardSigmoid",
                                  "Gemm_Sigmoid_Scaling_ResidualAdd",
                                  "KLDivLoss",
                                  "Average_Pooling_3D",
                                  "conv_standard_1D_dilated_strided",
                                  "abs_abs",
                                  "Matmul_Swish_Sum_GroupNorm"};
constexpr std::uint64_t kPlans = 64;

/// Spaces whose structures have all been tried, as they are after the first sentences.
const std::vector<cursor::SpacePtr>& spaces() {
  static const std::vector<cursor::SpacePtr> kSpaces = [] {
    std::vector<cursor::SpacePtr> out;
    const auto target = cursor::find_target("nvidia-h200");
    for (const char* type : kTypes) {
      const auto program = zoo_program(type, {}, DType::f32);
      auto space = cursor::open_space(program->program, *target);
      for (std::uint64_t i = 0; i < kPlans; ++i) (void)cursor::drawn_cursor(*space, 1, i);
      out.push_back(*std::move(space));
    }
    return out;
  }();
  return kSpaces;
}

void sentences(benchmark::State& state) {
  (void)spaces();
  std::uint64_t number = 0;
  std::int64_t made = 0;
  std::int64_t words = 0;
  for (auto _ : state) {
    for (const cursor::SpacePtr& space : spaces()) {
      const auto sentence = cursor::sentence_of(cursor::drawn_cursor(space, 1, number % kPlans));
      words += sentence ? static_cast<std::int64_t>(sentence->size()) : 0;
      ++made;
    }
    ++number;
  }
  state.SetItemsProcessed(made);  // one item is a sentence
  state.counters["words"] = static_cast<double>(words) / static_cast<double>(made);
}

void decisions(benchmark::State& state) {
  (void)spaces();
  std::uint64_t number = 0;
  std::int64_t made = 0;
  for (auto _ : state) {
    for (const cursor::SpacePtr& space : spaces()) {
      made += static_cast<std::int64_t>(cursor::drawn_cursor(space, 1, number % kPlans).decisions().size());
    }
    ++number;
  }
  state.SetItemsProcessed(made);  // one item is `legal` and `put`
}

/// What each of some plans takes; the median and the 99th of a hundred in milliseconds.
template <class Work>
void each_plan(benchmark::State& state, const Work& work) {
  (void)spaces();
  std::vector<double> all;
  for (auto _ : state) {
    for (const cursor::SpacePtr& space : spaces()) {
      for (std::uint64_t i = 0; i < kPlans; ++i) {
        const cursor::Cursor drawn = cursor::drawn_cursor(space, 1, i);
        const auto begin = std::chrono::steady_clock::now();
        work(drawn);
        all.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
      }
    }
  }
  std::sort(all.begin(), all.end());
  state.SetItemsProcessed(static_cast<std::int64_t>(all.size()));
  state.counters["median_ms"] = all[all.size() / 2];
  state.counters["p99_ms"] = all[all.size() * 99 / 100];
}

void finish(benchmark::State& state) {
  each_plan(state, [](const cursor::Cursor& drawn) { benchmark::DoNotOptimize(drawn.finish()); });
}
void facts(benchmark::State& state) {
  each_plan(state, [](const cursor::Cursor& drawn) { benchmark::DoNotOptimize(drawn.facts()); });
}

BENCHMARK(sentences)->Unit(benchmark::kMicrosecond);
BENCHMARK(decisions)->Unit(benchmark::kMicrosecond);
BENCHMARK(finish)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(facts)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
