// How long a judgement takes: programs against their renamed, split, tiled and inlined forms, wrong ones, and each of
// these as every extent doubles. CPU time of the whole process: evaluation runs on a thread of its own.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "bench/programs.h"
#include "steptp/base/text.h"
#include "steptp/ir/canonical.h"
#include "steptp/verify/verify_pair.h"

namespace {

using namespace steptp;

/// A number in < > is an extent, and is multiplied by the scale.
struct Family {
  std::string_view name;
  std::string_view header;
  std::string_view before;
  std::string_view after;
  Grade expected;
};

constexpr std::string_view kProduct =
    "@input A f32[<1024>,<4096>]\n@input C f32[<4096>,<2048>]\n@output D f32[<1024>,<2048>]\n";
constexpr std::string_view kRows = "@input A f32[<256>,<1024>]\n@output C f32[<256>,<1024>]\n";
constexpr std::string_view kProductText = "tx<1024> a<2048> c<4096> D(tx,a)+=A(tx,c)*C(c,a);";
constexpr std::string_view kSoftmaxText =
    "tx<256> a<1024> D(tx) max=A(tx,a);tx<256> a<1024> E(tx)+=exp(A(tx,a)-D(tx));"
    "tx<256> a<1024> C(tx,a)=exp(A(tx,a)-D(tx))/E(tx);";

/// Two projections and a step behind them that has no normal form in common: only the step is evaluated again and
/// again.
constexpr std::string_view kProjected =
    "@input A f32[<256>,<512>]\n@param F f32[<512>,<512>]\n@param G f32[<512>,<512>]\n@output C f32[<256>,<512>]\n";
constexpr std::string_view kProjections =
    "tx<256> a<512> d<512> W(tx,a)+=A(tx,d)*F(d,a);tx<256> a<512> d<512> X(tx,a)+=W(tx,d)*G(d,a);";
constexpr std::string_view kAttention =
    "@input A f32[<64>,<32>]\n@param F f32[<32>,<32>]\n@param G f32[<32>,<32>]\n@output C f32[<64>,<32>]\n";

constexpr Family kFamilies[] = {
    {"matmul_tiled", kProduct, kProductText,
     "bx<32> by<64> f<128> tx32 ty32 g32 "
     "D(bx*32+tx,by*32+ty)+=A(bx*32+tx,f*32+g)*C(f*32+g,by*32+ty);",
     Grade::proved},
    {"matmul_wrong", kProduct, kProductText,
     "bx<32> by<64> f<128> tx32 ty32 g32 "
     "D(bx*32+tx,by*32+ty)+=A(bx*32+tx,f*32+g)*C(f*32,by*32+ty);",
     Grade::differs},
    {"softmax_split", kRows, kSoftmaxText,
     "tx<256> a<32> c32 D(tx) max=A(tx,c*<32>+a);tx<256> a<32> c32 E(tx)+=exp(A(tx,a*32+c)-D(tx));"
     "tx<256> a<1024> C(tx,a)=exp(A(tx,a)-D(tx))/E(tx);",
     Grade::proved},
    {"softmax_shiftless", kRows, kSoftmaxText,
     "tx<256> a<1024> E(tx)+=exp(A(tx,a));tx<256> a<1024> C(tx,a)=exp(A(tx,a))/E(tx);", Grade::exact},
    {"softmax_wrong", kRows, kSoftmaxText,
     "tx<256> a<1024> D(tx) max=A(tx,a);tx<256> a<1024> E(tx)+=exp(A(tx,a)-D(tx));"
     "tx<256> a<1024> C(tx,a)=exp(A(tx,a))/E(tx);",
     Grade::differs},
    {"layer_norm_inlined",
     "@input A f32[<512>,<4096>]\n@param D f32[<4096>]\n@param E f32[<4096>]\n@output C f32[<512>,<4096>]\n",
     "tx<512> a<4096> F(tx)+=A(tx,a);tx<512> G(tx)=F(tx)/<4096>;tx<512> a<4096> H(tx)+=(A(tx,a)-G(tx))**2;"
     "tx<512> a<4096> C(tx,a)=(A(tx,a)-G(tx))/sqrt(H(tx)/<4096>+1e-05)*D(a)+E(a);",
     "tx<512> a<4096> F(tx)+=A(tx,a);tx<512> a<4096> H(tx)+=(A(tx,a)-F(tx)/<4096>)**2;"
     "tx<512> a<4096> C(tx,a)=(A(tx,a)-F(tx)/<4096>)/sqrt(H(tx)/<4096>+1e-05)*D(a)+E(a);",
     Grade::proved},
    {"convolution_inlined",
     "@input A f32[16,<64>,<56>,<56>]\n@param C f32[<128>,<64>,3,3]\n@output E f32[16,<128>,<56>,<56>]\n",
     "tx16 a<64> c<56>+2 d<56>+2 G(tx,a,c,d)=where(1<=c<=<56>&1<=d<=<56>,A(tx,a,c-1,d-1),0);"
     "tx16 a<128> c<56> d<56> f<64> g3 h3 E(tx,a,c,d)+=G(tx,f,c+g,d+h)*C(a,f,g,h);",
     "tx16 a<128> c<56> d<56> f<64> g3 h3 E(tx,a,c,d)+="
     "where(1<=c+g<=<56>&1<=d+h<=<56>,A(tx,f,c+g-1,d+h-1),0)*C(a,f,g,h);",
     Grade::proved},
    {"projected_log", kProjected, "$tx<256> a<512> C(tx,a)=2*log(X(tx,a)**2+1);",
     "$tx<256> a<512> C(tx,a)=log((X(tx,a)**2+1)**2);", Grade::exact},
    {"projected_log_wrong", kProjected, "$tx<256> a<512> C(tx,a)=2*log(X(tx,a)**2+1);",
     "$tx<256> a<512> C(tx,a)=log(X(tx,a)**2+1);", Grade::differs},
    {"attention_wrong", kAttention,
     "tx<64> a<32> d<32> K(tx,a)+=A(tx,d)*F(d,a);tx<64> a<32> d<32> N(tx,a)+=A(tx,d)*G(d,a);"
     "tx<64> a<64> d<32> Q(tx,a)+=A(tx,d)*K(a,d);tx<64> a<64> M(tx) max=Q(tx,a);"
     "tx<64> a<64> S(tx)+=exp(Q(tx,a)-M(tx));tx<64> a<32> d<64> C(tx,a)+=exp(Q(tx,d)-M(tx))/S(tx)*N(d,a);",
     "tx<64> a<32> d<32> K(tx,a)+=A(tx,d)*F(d,a);tx<64> a<32> d<32> N(tx,a)+=A(tx,d)*G(d,a);"
     "tx<64> a<64> d<32> Q(tx,a)+=A(tx,d)*K(a,d);tx<64> a<64> M(tx) max=Q(tx,a);"
     "tx<64> a<64> S(tx)+=exp(Q(tx,a)-M(tx));tx<64> a<32> d<64> C(tx,a)+=exp(Q(tx,d)-M(tx))/S(tx)*N(d,0);",
     Grade::differs},
};

std::string scaled(std::string_view text, std::int64_t scale) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t digits = i + 1;
    std::size_t end = digits;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (text[i] != '<' || end == digits || end >= text.size() || text[end] != '>') {
      out += text[i++];
      continue;
    }
    std::int64_t extent = std::atoll(std::string(text.substr(digits, end - digits)).c_str()) * scale;
    i = end + 1;
    if (text.substr(i).starts_with("+2 ")) {  // a padded extent
      extent += 2;
      i += 2;
    }
    out += std::to_string(extent);
  }
  return out;
}

Pair pair_of(const Family& family, std::int64_t scale) {
  const auto read = [&](std::string_view text) {
    const bool is_projected = text.starts_with('$');
    const std::string body = is_projected ? concat(kProjections, text.substr(1)) : std::string(text);
    return read_document(std::string(family.name), scaled(concat(family.header, body, "\n"), scale));
  };
  Pair pair = make_pair(read(family.before), read(family.after));
  const std::string problem = problem_of(pair);
  if (!problem.empty()) {
    std::cerr << "bench: " << family.name << ": " << problem << '\n';
    std::exit(1);
  }
  return pair;
}

void judge_family(benchmark::State& state, const Family& family) {
  const Pair pair = pair_of(family, state.range(0));
  Judgement judgement;
  for (auto _ : state) judgement = verify(pair.before.program, pair.after.program);
  state.counters["work"] = static_cast<double>(judgement.work);
  state.SetLabel(std::string(name_of(judgement.verdict)));
  if (judgement.verdict != family.expected) state.SkipWithError(judgement.reason.c_str());
}

void judge_renamed(benchmark::State& state, const Program& program) {
  const Program other = canonical(program);
  Judgement judgement;
  for (auto _ : state) judgement = verify(program, other);
  state.counters["same"] = judgement.same ? 1 : 0;
  state.SetLabel(std::string(name_of(judgement.verdict)));
}

}  // namespace

int main(int argc, char** argv) {
  for (const Document& document : bench::hand_written()) {
    benchmark::RegisterBenchmark(concat("verify_renamed/", document.program.name).c_str(),
                                 [document](benchmark::State& state) { judge_renamed(state, document.program); })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  }
  for (const Family& family : kFamilies) {
    benchmark::RegisterBenchmark(concat("verify/", family.name).c_str(),
                                 [&family](benchmark::State& state) { judge_family(state, family); })
        ->RangeMultiplier(2)
        ->Range(1, 16)
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
