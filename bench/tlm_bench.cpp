// How many sentences the model writes per second on one core: the sizes `default` (11 M parameters, bf16) and `medium`
// (3 M, which ships), 16 sentences at a time behind one prompt of 300 tokens. The weights are drawn, because the time
// does not depend on them.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "steptp/base/random.h"
#include "steptp/base/sha256.h"
#include "steptp/base/text.h"
#include "steptp/tlm/network.h"

namespace {

using namespace steptp;
using tlm::Continuations;

constexpr std::size_t kSentences = 16;
constexpr std::size_t kPrompt = 300;
constexpr std::size_t kVocabulary = 453;

std::shared_ptr<const tlm::Weights> drawn_model(const tlm::ModelShape& shape) {
  std::string bytes =
      concat("steptp-tlm-weights 1\n{\"layers\":", shape.layers, ",\"width\":", shape.width, ",\"heads\":", shape.heads,
             ",\"positions\":", shape.positions, ",\"vocabulary\":", kVocabulary,
             ",\"storage\":\"bf16\",\"vocabulary_sha256\":\"", std::string(64, '0'), "\"}\n");
  Random random(1);
  for (std::size_t i = 0; i < shape.parameters(); ++i) {
    // Numbers from 0.0078 to 0.03, half of them negative.
    const auto number = static_cast<unsigned>(0x3c00 + random.below(256) + (random.below(2) << 15));
    bytes += static_cast<char>(number & 0xff);
    bytes += static_cast<char>(number >> 8);
  }
  bytes += sha256_hex(bytes) + "\n";
  auto weights = tlm::parse_weights(bytes, "drawn");
  if (!weights) {
    std::cerr << weights.error().message << "\n";
    std::exit(1);
  }
  return std::make_shared<const tlm::Weights>(std::move(weights).value());
}

using Model = std::shared_ptr<const tlm::Weights>;

const Model& default_model() {
  static const Model kModel = drawn_model({6, 384, 6, 1024, kVocabulary});
  return kModel;
}
const Model& medium_model() {
  static const Model kModel = drawn_model({5, 224, 7, 1024, kVocabulary});
  return kModel;
}

/// `decisions` steps in which every sentence reads `tokens` tokens and gives its opinion about the next one.
void write_sentences(benchmark::State& state, const Model& model, std::size_t decisions, std::size_t tokens) {
  const Continuations fresh(model, std::vector<tlm::Token>(kPrompt, 9), kSentences);
  std::int64_t written = 0;
  for (auto _ : state) {
    Continuations sentences = fresh;
    for (std::size_t i = 0; i < decisions; ++i) {
      std::vector<Continuations::Feed> feeds;
      for (std::size_t s = 0; s < kSentences; ++s) feeds.push_back({s, std::vector<tlm::Token>(tokens, 100)});
      benchmark::DoNotOptimize(sentences.feed(feeds));
    }
    written += kSentences;
  }
  state.counters["sentences"] = benchmark::Counter(static_cast<double>(written), benchmark::Counter::kIsRate);
}

void hundred_decisions_of_one_token(benchmark::State& state) { write_sentences(state, default_model(), 100, 1); }
/// As sentences are: opcode, object and value.
void hundred_decisions_of_three_tokens(benchmark::State& state) { write_sentences(state, default_model(), 100, 3); }
void twelve_decisions_of_three_tokens(benchmark::State& state) { write_sentences(state, default_model(), 12, 3); }
void medium_hundred_decisions_of_three_tokens(benchmark::State& state) {
  write_sentences(state, medium_model(), 100, 3);
}
void medium_twelve_decisions_of_three_tokens(benchmark::State& state) { write_sentences(state, medium_model(), 12, 3); }

void read_prompt(benchmark::State& state) {
  for (auto _ : state) {
    const Continuations fresh(default_model(), std::vector<tlm::Token>(kPrompt, 9), 1);
    benchmark::DoNotOptimize(fresh.first_logits());
  }
}

BENCHMARK(hundred_decisions_of_one_token)->Unit(benchmark::kMillisecond);
BENCHMARK(hundred_decisions_of_three_tokens)->Unit(benchmark::kMillisecond);
BENCHMARK(twelve_decisions_of_three_tokens)->Unit(benchmark::kMillisecond);
BENCHMARK(medium_hundred_decisions_of_three_tokens)->Unit(benchmark::kMillisecond);
BENCHMARK(medium_twelve_decisions_of_three_tokens)->Unit(benchmark::kMillisecond);
BENCHMARK(read_prompt)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
