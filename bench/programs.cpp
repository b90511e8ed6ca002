#include "bench/programs.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "steptp/base/line_reader.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/text/printer.h"
#include "testing/generator.h"

namespace steptp::bench {

namespace {

constexpr std::uint64_t kGenerated = 200;

constexpr std::string_view kHandWritten[] = {
    R"(@program Matmul
@input A f32[1024,4096]
@input C f32[4096,2048]
@output D f32[1024,2048]
B^{1024}_{tx=0}L^{2048}_{a=0}L^{4096}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];
)",
    R"(@program TiledMatmul
@input A f32[1000,512]
@input C f32[512,700]
@output D f32[1000,700]
B^{32}_{bx=0}B^{22}_{by=0}[L^{16}_{a=0}[B^{32}_{tx=0}B^{32}_{ty=0}[)"
    R"(E^{f32,s}_{tx,ty}=if_then_else(bx*32+tx<1000,A^{f32,g}_{bx*32+tx,a*32+ty},0);)"
    R"(F^{f32,s}_{tx,ty}=if_then_else(by*32+ty<700,C^{f32,g}_{a*32+tx,by*32+ty},0);];)"
    R"(B^{32}_{tx=0}B^{32}_{ty=0}?{bx*32+tx<1000&by*32+ty<700}[L^{32}_{c=0}[)"
    R"(D^{f32,g}_{bx*32+tx,by*32+ty}=D^{f32,g}_{bx*32+tx,by*32+ty}+E^{f32,s}_{tx,c}*F^{f32,s}_{c,ty};];];];];
)",
    R"(@program Softmax
@input A f32[256,16384]
@output C f32[256,16384]
B^{256}_{tx=0}L^{16384}_{a=0}[D^{f32,g}_{tx}=max(D^{f32,g}_{tx},A^{f32,g}_{tx,a});];)"
    R"(B^{256}_{tx=0}L^{16384}_{a=0}[E^{f32,g}_{tx}=E^{f32,g}_{tx}+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx});];)"
    R"(B^{256}_{tx=0}L^{16384}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx})/E^{f32,g}_{tx};];
)",
    R"(@program PaddedConv2d
@input A f32[16,64,56,56]
@param C f32[128,64,3,3]
@param D f32[128]
@output F f32[16,128,56,56]
B^{16}_{tx=0}L^{64}_{a=0}L^{58}_{c=0}L^{58}_{d=0}[G^{f32,g}_{tx,a,c,d}=)"
    R"(if_then_else(1<=c<57&1<=d<57,A^{f32,g}_{tx,a,c-1,d-1},0);];)"
    R"(B^{16}_{tx=0}L^{128}_{a=0}L^{56}_{c=0}L^{56}_{d=0}L^{64}_{f=0}L^{3}_{g=0}L^{3}_{h=0}[)"
    R"(E^{f32,g}_{tx,a,c,d}=E^{f32,g}_{tx,a,c,d}+G^{f32,g}_{tx,f,c+g,d+h}*C^{f32,g}_{a,f,g,h};];)"
    R"(B^{16}_{tx=0}L^{128}_{a=0}L^{56}_{c=0}L^{56}_{d=0}[)"
    R"(F^{f32,g}_{tx,a,c,d}=max(E^{f32,g}_{tx,a,c,d}+D^{f32,g}_{a},0);];
)",
    R"(@program MaxPool2d
@input A f32[16,64,112,112]
@output C f32[16,64,56,56]
B^{16}_{tx=0}L^{64}_{a=0}L^{56}_{c=0}L^{56}_{d=0}L^{3}_{f=0}L^{3}_{g=0}[C^{f32,g}_{tx,a,c,d}=)"
    R"(max(C^{f32,g}_{tx,a,c,d},if_then_else(1<=c*2+f<113&1<=d*2+g<113,A^{f32,g}_{tx,a,c*2+f-1,d*2+g-1},-inf));];
)",
    R"(@program LayerNorm
@input A f32[2048,4096]
@param D f32[4096]
@param E f32[4096]
@output C f32[2048,4096]
B^{2048}_{tx=0}L^{4096}_{a=0}[F^{f32,g}_{tx}=F^{f32,g}_{tx}+A^{f32,g}_{tx,a};];)"
    R"(B^{2048}_{tx=0}[G^{f32,g}_{tx}=F^{f32,g}_{tx}/4096;];)"
    R"(B^{2048}_{tx=0}L^{4096}_{a=0}[H^{f32,g}_{tx}=H^{f32,g}_{tx}+(A^{f32,g}_{tx,a}-G^{f32,g}_{tx})**2;];)"
    R"(B^{2048}_{tx=0}L^{4096}_{a=0}[C^{f32,g}_{tx,a}=)"
    R"((A^{f32,g}_{tx,a}-G^{f32,g}_{tx})/sqrt(H^{f32,g}_{tx}/4096+1e-05)*D^{f32,g}_{a}+E^{f32,g}_{a};];
)",
    R"(@program Attention
@input A f32[8,16,512,64]
@input C f32[8,16,512,64]
@input D f32[8,16,512,64]
@output E f32[8,16,512,64]
B^{8}_{tx=0}L^{16}_{a=0}L^{512}_{c=0}L^{512}_{d=0}L^{64}_{f=0}[F^{f32,g}_{tx,a,c,d}=)"
    R"(F^{f32,g}_{tx,a,c,d}+A^{f32,g}_{tx,a,c,f}*C^{f32,g}_{tx,a,d,f};];)"
    R"(B^{8}_{tx=0}L^{16}_{a=0}L^{512}_{c=0}L^{512}_{d=0}[)"
    R"(G^{f32,g}_{tx,a,c,d}=if_then_else(d<=c,F^{f32,g}_{tx,a,c,d}/8,-inf);];)"
    R"(B^{8}_{tx=0}L^{16}_{a=0}L^{512}_{c=0}L^{512}_{d=0}[)"
    R"(H^{f32,g}_{tx,a,c}=max(H^{f32,g}_{tx,a,c},G^{f32,g}_{tx,a,c,d});];)"
    R"(B^{8}_{tx=0}L^{16}_{a=0}L^{512}_{c=0}L^{512}_{d=0}[)"
    R"(I^{f32,g}_{tx,a,c}=I^{f32,g}_{tx,a,c}+exp(G^{f32,g}_{tx,a,c,d}-H^{f32,g}_{tx,a,c});];)"
    R"(B^{8}_{tx=0}L^{16}_{a=0}L^{512}_{c=0}L^{512}_{d=0}[)"
    R"(J^{f32,g}_{tx,a,c,d}=exp(G^{f32,g}_{tx,a,c,d}-H^{f32,g}_{tx,a,c})/I^{f32,g}_{tx,a,c};];)"
    R"(B^{8}_{tx=0}L^{16}_{a=0}L^{512}_{c=0}L^{64}_{d=0}L^{512}_{f=0}[E^{f32,g}_{tx,a,c,d}=)"
    R"(E^{f32,g}_{tx,a,c,d}+J^{f32,g}_{tx,a,c,f}*D^{f32,g}_{tx,a,f,d};];
)",
    R"(@program Scan
@input A f32[128,4000]
@output C f32[128,4000]
B^{128}_{tx=0}L^{4000}_{a=0}[C^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}+if_then_else(a<1,0,C^{f32,g}_{tx,a-1});];
)",
    R"(@program ReversedGather
@input A f32[1000,256]
@input C i64[512] [0,1000)
@output D f32[512,256]
B^{512}_{tx=0}L^{256}_{a=0}[D^{f32,g}_{tx,255-a}=A^{f32,g}_{C^{i64,g}_{511-tx},a};];
)"};

[[noreturn]] void give_up(std::string_view message) {
  std::cerr << "bench: " << message << '\n';
  std::exit(1);
}

Sample make_sample(std::string record, Program program) {
  Sample sample;
  sample.record = std::move(record);
  sample.paper = print(program, Profile::paper);
  sample.compact = print(program, Profile::compact);
  sample.program = std::move(program);
  return sample;
}

std::vector<Sample> read_corpus(const std::string& path) {
  auto reader = LineReader::open(path);
  if (!reader) give_up(reader.error().message);
  std::vector<Sample> out;
  while (true) {
    auto line = reader->next();
    if (!line) give_up(line.error().message);
    if (!line->has_value()) break;
    if ((*line)->empty()) continue;
    Document document = read_document("corpus", **line);
    if (!document.ok) give_up("a record of STEPTP_CORPUS cannot be read");
    out.push_back(make_sample(**std::move(line), std::move(document.program)));
  }
  if (out.empty()) give_up("STEPTP_CORPUS names an empty file");
  return out;
}

std::vector<Sample> built_in() {
  std::vector<Sample> out;
  for (const Document& document : hand_written()) {
    out.push_back(make_sample(to_json(document.program, Profile::paper).dump(), document.program));
  }
  for (std::uint64_t seed = 0; seed < kGenerated; ++seed) {
    Random random(seed);
    testing::GeneratorOptions options;
    options.affine_only = true;
    Program program = testing::generate_program(random, options);
    program.name = concat("generated_", seed);
    out.push_back(make_sample(to_json(program, Profile::paper).dump(), program));
  }
  return out;
}

}  // namespace

std::vector<Document> hand_written() {
  std::vector<Document> out;
  for (const std::string_view text : kHandWritten) {
    Document document = read_document("hand-written", std::string(text));
    if (!document.ok) give_up(render(document.diagnostics, *document.source));
    out.push_back(std::move(document));
  }
  return out;
}

const std::vector<Sample>& samples() {
  static const std::vector<Sample> instance = [] {
    const char* corpus = std::getenv("STEPTP_CORPUS");
    return corpus ? read_corpus(corpus) : built_in();
  }();
  return instance;
}

double quantile(std::vector<double> numbers, double p) {
  if (numbers.empty()) return 0;
  const auto rank = static_cast<std::size_t>(p * static_cast<double>(numbers.size() - 1) + 0.5);
  std::nth_element(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(rank), numbers.end());
  return numbers[rank];
}

}  // namespace steptp::bench
