// What moves make, as CUDA: emulated and compared with the oracle's outputs of the program that they were made of, and
// taken by the real compiler, where there is one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/moves/move.h"
#include "steptp/plans/registry.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/cuda_emulated.h"
#include "testing/lowering_support.h"
#include "testing/soak.h"
#include "testing/zoo_share.h"

namespace steptp::testing {
namespace {

/// An end with the inputs of the program that it was made of, and what the oracle says comes out.
struct End {
  Judged judged;
  std::string text;
};

/// Products with as many rows, columns and terms as matrix instructions take, which the small zoo has not: two batches,
/// rows that are read across, odd extents, sums in the type of the factors and in a wider one, what follows them.
std::vector<Judged> products() {
  constexpr const char* kProducts[] = {
      "@input A f64[37,21]\n@input C f64[21,42]\n@output D f64[37,42]\n"
      "a37 c42 d21 D^f64(a,c)+=A^f64(a,d)*C^f64(d,c);",
      "@input A f64[2,16,24]\n@input C f64[2,40,24]\n@param H f64[40]\n@output F f64[2,16,40]\n"
      "^f64;g2 a16 c40 d24 D(g,a,c)+=A(g,a,d)*C(g,c,d);g2 a16 c40 F(g,a,c)=max(D(g,a,c)+H(c),0);",
      "@input A f16[64,32]\n@input C f16[32,40]\n@output D f32[64,40]\n"
      "a64 c40 d32 D^f32(a,c)+=A^f16(a,d)*C^f16(d,c);",
      "@input A f16[35,33]\n@input C f16[45,33]\n@output D f16[35,45]\n"
      "^f16;a35 c45 d33 D(a,c)+=A(a,d)*C(c,d);",
      "@input A bf16[2,24,32]\n@input C bf16[32,40]\n@input H f32[40]\n@output F f32[2,24,40]\n"
      "g2 a24 c40 d32 D(g,a,c)+=A^bf16(g,a,d)*C^bf16(d,c);g2 a24 c40 F(g,a,c)=D(g,a,c)*H(c);",
  };
  std::vector<Judged> out;
  for (const char* text : kProducts) {
    const Document document = read_document("product", text);
    EXPECT_TRUE(document.ok) << text;
    auto one = judged(text, document.program);
    EXPECT_TRUE(one.has_value()) << text;
    if (one) out.push_back(*std::move(one));
  }
  return out;
}

/// Drawn choices of a move on small programs of the zoo.
std::vector<End> ends_of(const Move& move) {
  std::vector<End> out;
  Random random(soak_seed(1));
  const ZooShare share = zoo_share(move);
  std::vector<Judged> programs = small_zoo(move.zoo_dtype, share.step, share.first);
  if (move.zoo_dtype != DType::f32) {
    for (Judged& one : products()) programs.push_back(std::move(one));
  }
  for (const Judged& one : programs) {
    View view(one.program);
    const Listing listing = list_choices(move, view);
    if (listing.sites.empty()) continue;
    for (std::uint64_t draw = 0; draw < soaked(2); ++draw) {
      const ChoiceSite& site = listing.sites[random.below(listing.sites.size())];
      const Choice choice = site.choice(random.below(site.count()));
      const auto moved = apply(move, one.program, choice);
      EXPECT_TRUE(moved.ok()) << one.name << " " << choice.to_json().dump();
      if (!moved) continue;
      const auto made = cuda::lower(moved->program);
      EXPECT_TRUE(made.ok()) << one.name << " " << choice.to_json().dump() << ": " << made.error().message;
      if (!made) continue;
      End end{one, made->text};
      end.judged.program = moved->program;
      end.judged.name = concat(one.name, " ", choice.to_json().dump());
      out.push_back(std::move(end));
    }
  }
  return out;
}

/// Two roundings of halves may be one unit in their last place apart; sums in f16 are sums in f32 after the move.
double tolerance(const End& end) {
  const bool is_half = std::any_of(
      end.judged.program.signature.variables.begin(), end.judged.program.signature.variables.end(),
      [](const Variable& variable) { return variable.role == Role::output && variable.dtype == DType::f16; });
  return is_half ? 2e-2 : 1e-4;
}

void expect_compiled(const std::vector<End>& ends) {
  if (std::system("command -v nvcc > /dev/null 2>&1") != 0) {
    std::printf("nvcc is not here: the texts are emulated only\n");
    return;
  }
  std::string all = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_runtime.h>\n#include <stddef.h>\n";
  for (std::size_t i = 0; i < ends.size(); ++i) {
    std::string text = ends[i].text;
    replace_all(text, "extern \"C\" ", "");
    append(all, "namespace p", i, " {\n", text, "}\n");
  }
  const std::string path = concat(::testing::TempDir(), "/steptp_moves_cuda_", static_cast<long long>(getpid()));
  ASSERT_TRUE(write_file(path + ".cu", all).ok());
  const int status = std::system(
      concat("nvcc -std=c++17 -arch=sm_90 -O1 -ptx -o '", path, ".ptx' '", path, ".cu' > '", path, ".log' 2>&1")
          .c_str());
  EXPECT_EQ(status, 0) << read_file(path + ".log").value().substr(0, 4000);
  for (const char* end : {".cu", ".ptx", ".log"}) std::filesystem::remove(path + end);
}

class MovesCuda : public ::testing::TestWithParam<const Move*> {};

TEST_P(MovesCuda, EndsAgreeWithTheOracle) {
  const Move& move = *GetParam();
  const std::vector<End> ends = ends_of(move);
  ASSERT_FALSE(ends.empty());
  Emulated emulated{std::string(move.name)};
  for (const End& end : ends) emulated.add(end.text);
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (const bool reversed : {false, true}) {
      const Comparison found =
          compare_outputs(emulated.run(i, ends[i].judged, reversed), ends[i].judged.outputs, tolerance(ends[i]));
      EXPECT_EQ(found.first, "") << ends[i].judged.name << "\n" << print(ends[i].judged.program);
    }
  }
  std::printf("%.*s: %zu ends\n", static_cast<int>(move.name.size()), move.name.data(), ends.size());
  expect_compiled(ends);
}

INSTANTIATE_TEST_SUITE_P(Moves, MovesCuda, ::testing::ValuesIn(all_moves()),
                         [](const auto& instance) { return std::string(instance.param->name); });

}  // namespace
}  // namespace steptp::testing
