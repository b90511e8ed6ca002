// How fast the tokenizer reads: programs (few words, often repeated), prose-like ASCII, mixed scripts, noise that no
// cache helps with, and one endless word.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/tokens/tokenizer.h"
#include "steptp/tokens/unicode.h"

namespace {

using namespace steptp;

constexpr std::size_t kBytes = std::size_t{1} << 20;
constexpr const char* kQwen3 = STEPTP_SOURCE_DIR "/data/qwen3_tokenizer.json.gz";

const Tokenizer& tokenizer() {
  static const Tokenizer instance = [] {
    auto loaded = Tokenizer::load(kQwen3);
    if (!loaded) {
      std::cerr << loaded.error().message << "\n";
      std::exit(1);
    }
    return *loaded;
  }();
  return instance;
}

std::string leir_text(Random random, std::size_t bytes) {
  constexpr std::string_view kIndices[] = {"tx", "a", "c", "d", "f", "h"};
  constexpr std::string_view kTypes[] = {"f32", "f16", "bf16", "i32"};
  const auto index = [&] { return kIndices[random.below(6)]; };
  std::string out;
  const auto access = [&] {
    append(out, static_cast<char>('A' + random.below(12)), "^{", kTypes[random.below(4)], ",g}_{", index(), ",",
           index(), "*", random.below(512), "+", index(), "}");
  };
  while (out.size() < bytes) {
    for (std::uint64_t loops = random.below(4) + 1; loops > 0; --loops) {
      append(out, random.chance(1, 3) ? 'B' : 'L', "^{", std::uint64_t{1} << random.below(14), "}_{", index(), "=0}");
    }
    out += '[';
    access();
    out += "=exp(";
    access();
    out += ")*";
    access();
    out += ";];";
    if (random.chance(1, 4)) out += '\n';
  }
  return out;
}

/// Words of random letters: the cache is of little use.
std::string ascii_noise(Random random, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) {
    for (std::uint64_t letters = random.below(9) + 1; letters > 0; --letters) {
      out += static_cast<char>((random.chance(1, 20) ? 'A' : 'a') + static_cast<int>(random.below(26)));
    }
    out += random.chance(1, 8) ? "\n" : random.chance(1, 6) ? ", " : " ";
  }
  return out;
}

std::string mixed_scripts(Random random, std::size_t bytes) {
  struct Script {
    std::uint32_t first, count;
  };
  constexpr Script kScripts[] = {{0x61, 26},   {0x61, 26},     {0xe0, 30},    {0x430, 32},
                                 {0x3b1, 24},  {0x620, 40},    {0x915, 30},   {0x4e00, 900},
                                 {0x3042, 80}, {0xac00, 2000}, {0x300, 0x30}, {0x1f600, 60}};
  std::string out;
  while (out.size() < bytes) {
    const Script script = kScripts[random.below(std::size(kScripts))];
    for (std::uint64_t letters = random.below(6) + 1; letters > 0; --letters) {
      append_point(out, script.first + static_cast<std::uint32_t>(random.below(script.count)));
    }
    if (random.chance(3, 4)) out += ' ';
  }
  return out;
}

void encode(benchmark::State& state, const std::string& text) {
  const Tokenizer& loaded = tokenizer();  // before the clock starts
  std::size_t ids = 0;
  for (auto _ : state) {
    auto found = loaded.encode(text);
    ids = found.ok() ? found->size() : 0;
    benchmark::DoNotOptimize(found);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["bytes/id"] = ids == 0 ? 0 : static_cast<double>(text.size()) / static_cast<double>(ids);
}

void encode_leir(benchmark::State& state) { encode(state, leir_text(Random(1), kBytes)); }
void encode_short_leir(benchmark::State& state) { encode(state, leir_text(Random(1), 1000)); }
void encode_ascii_noise(benchmark::State& state) { encode(state, ascii_noise(Random(2), kBytes)); }
void encode_mixed_scripts(benchmark::State& state) { encode(state, mixed_scripts(Random(3), kBytes)); }
void encode_one_long_word(benchmark::State& state) {
  std::string text;
  for (Random random(4); text.size() < kBytes;) text += static_cast<char>('a' + static_cast<int>(random.below(26)));
  encode(state, text);
}

/// Many short programs with one cache between them, as a dataset writer does.
void encode_short_leir_cached(benchmark::State& state) {
  const std::string text = leir_text(Random(1), 1000);
  const Tokenizer& loaded = tokenizer();
  WordCache cache;
  for (auto _ : state) benchmark::DoNotOptimize(loaded.encode(text, cache));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void load_qwen3(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Tokenizer::load(kQwen3));
}

BENCHMARK(encode_leir);
BENCHMARK(encode_short_leir);
BENCHMARK(encode_short_leir_cached);
BENCHMARK(encode_ascii_noise);
BENCHMARK(encode_mixed_scripts);
BENCHMARK(encode_one_long_word);
BENCHMARK(load_qwen3)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
