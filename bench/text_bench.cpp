// How fast programs are read and printed, in either profile, and JSON records. Bytes are those of the program's text
// (of the whole record for records).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "bench/programs.h"
#include "steptp/base/json.h"
#include "steptp/text/printer.h"
#include "steptp/text/reader.h"

namespace {

using namespace steptp;
using bench::Sample;

const std::string& text_of(const Sample& sample, Profile profile) {
  return profile == Profile::paper ? sample.paper : sample.compact;
}

/// Runs `work` over all samples in every iteration; `bytes_of` gives what each counts for.
template <typename Work, typename Bytes>
void over_samples(benchmark::State& state, Work work, Bytes bytes_of) {
  std::size_t bytes = 0;
  for (const Sample& sample : bench::samples()) bytes += bytes_of(sample);
  for (auto _ : state) {
    for (const Sample& sample : bench::samples()) work(sample);
  }
  const double programs = static_cast<double>(bench::samples().size());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
  state.counters["programs"] = programs;
  state.counters["bytes/program"] = static_cast<double>(bytes) / programs;
}

void read_text(benchmark::State& state, Profile profile) {
  over_samples(
      state, [&](const Sample& sample) { benchmark::DoNotOptimize(steptp::read_text(text_of(sample, profile))); },
      [&](const Sample& sample) { return text_of(sample, profile).size(); });
}

void print_text(benchmark::State& state, Profile profile) {
  over_samples(
      state, [&](const Sample& sample) { benchmark::DoNotOptimize(print(sample.program, profile)); },
      [&](const Sample& sample) { return text_of(sample, profile).size(); });
}

void read_and_print(benchmark::State& state, Profile profile) {
  over_samples(
      state,
      [&](const Sample& sample) {
        Program program;
        program.nests = steptp::read_text(text_of(sample, profile)).nests;
        benchmark::DoNotOptimize(print(program, profile));
      },
      [&](const Sample& sample) { return text_of(sample, profile).size(); });
}

void parse_json_record(benchmark::State& state) {
  over_samples(
      state, [](const Sample& sample) { benchmark::DoNotOptimize(parse_json(sample.record)); },
      [](const Sample& sample) { return sample.record.size(); });
}

void read_record(benchmark::State& state) {
  over_samples(
      state, [](const Sample& sample) { benchmark::DoNotOptimize(read_document("record", sample.record)); },
      [](const Sample& sample) { return sample.record.size(); });
}

BENCHMARK_CAPTURE(read_text, paper, Profile::paper);
BENCHMARK_CAPTURE(read_text, compact, Profile::compact);
BENCHMARK_CAPTURE(print_text, paper, Profile::paper);
BENCHMARK_CAPTURE(print_text, compact, Profile::compact);
BENCHMARK_CAPTURE(read_and_print, paper, Profile::paper);
BENCHMARK_CAPTURE(read_and_print, compact, Profile::compact);
BENCHMARK(parse_json_record);
BENCHMARK(read_record);

}  // namespace

BENCHMARK_MAIN();
