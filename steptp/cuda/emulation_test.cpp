// CUDA text against the oracle, without a GPU: compiled as C++ with an emulation of threads and barriers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/oracle/npz.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/cuda_emulated.h"
#include "testing/lowering_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

/// Lowers, builds and runs all of them, in both orders of threads.
void expect_agreement(const std::string& name, const std::vector<Judged>& programs, double tolerance) {
  Emulated emulated(name);
  std::vector<const Judged*> lowered;
  std::vector<std::string> texts;
  for (const Judged& one : programs) {
    const auto made = cuda::lower(one.program);
    if (!made) {
      EXPECT_NE(made.error().message.find("launches at most"), std::string::npos)
          << one.name << ": " << made.error().message;
      continue;
    }
    emulated.add(made->text);
    texts.push_back(made->text);
    lowered.push_back(&one);
  }
  ASSERT_TRUE(emulated.build());
  std::size_t elements = 0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < lowered.size(); ++i) {
    for (const bool reversed : {false, true}) {
      const Comparison found = compare_outputs(emulated.run(i, *lowered[i], reversed), lowered[i]->outputs, tolerance);
      EXPECT_EQ(found.first, "") << lowered[i]->name << (reversed ? " reversed\n" : "\n") << print(lowered[i]->program)
                                 << "\n"
                                 << texts[i];
      elements += found.elements;
      different += found.different;
      if (::testing::Test::HasFailure()) return;
    }
  }
  std::printf("%s: %zu of %zu programs, %zu of %zu elements differ in a bit\n", name.c_str(), lowered.size(),
              programs.size(), different, elements);
}

/// The main() that compares: its status says whether what came out was expected.
TEST(CudaEmulation, MainComparesWithWhatIsExpected) {
  const Document document = read_document(
      "main",
      "@input A f32[6]\n@input C bf16[6]\n@output D bf16[6]\n@output E i32[6]\n@output F f64[6]\nB^{6}_{tx=0}"
      "[D^{bf16,g}_{tx}=A^{f32,g}_{tx}*C^{bf16,g}_{tx};E^{i32,g}_{tx}=A^{f32,g}_{tx}*9;F^{f64,g}_{tx}=A^{f32,g}_{tx}/"
      "3;];");
  const auto one = judged("main", document.program);
  ASSERT_TRUE(one);
  const auto made = cuda::lower(one->program, {nullptr, true});
  ASSERT_TRUE(made.ok());
  const std::string path = concat(::testing::TempDir(), "/steptp_cuda_main_", static_cast<long long>(getpid()));
  ASSERT_TRUE(write_file(path + ".cpp", made->text).ok());
  ASSERT_EQ(std::system(concat("g++ -std=c++20 -O0 -ffp-contract=off -w -I '", STEPTP_SOURCE_DIR,
                               "/testing/cuda_emulation' -include cuda_runtime.h -o '", path, "' '", path, ".cpp'")
                            .c_str()),
            0);
  ASSERT_TRUE(write_npz(path + ".in.npz", one->inputs).ok());
  ASSERT_TRUE(write_npz(path + ".out.npz", one->outputs).ok());
  Tensors wrong = one->outputs;
  wrong.at("F").data[6] ^= std::byte{0x40};
  ASSERT_TRUE(write_npz(path + ".wrong.npz", wrong).ok());
  const auto status = [&](const std::string& arguments) {
    const int result = std::system(concat("'", path, "' ", arguments, " > '", path, ".log' 2>&1").c_str());
    return WIFEXITED(result) ? WEXITSTATUS(result) : -1;
  };
  const std::string inputs = concat("'", path, ".in.npz' ");
  EXPECT_EQ(status(inputs + "'" + path + ".out.npz' 0 2"), 0) << read_file(path + ".log").value();
  EXPECT_EQ(status(inputs + "'" + path + ".wrong.npz'"), 1) << read_file(path + ".log").value();
  EXPECT_EQ(status(inputs + inputs), 2) << read_file(path + ".log").value();
  EXPECT_EQ(status("no_such.npz"), 2);
  for (const char* end : {"", ".cpp", ".log", ".in.npz", ".out.npz", ".wrong.npz"}) {
    std::filesystem::remove(path + end);
  }
}

TEST(CudaEmulation, WrittenKernels) {
  const std::vector<Judged> programs = written_kernels();
  for (const Judged& one : programs)
    ASSERT_FALSE(one.program.nests.empty()) << one.name << " is not checked or not run";
  expect_agreement("written", programs, 1e-6);
}

/// Without any one of its barriers a kernel whose tensors share bytes computes something else in one of both orders.
TEST(CudaEmulation, EveryBarrierAroundSharedBytesIsNeeded) {
  const std::string barrier = "__syncthreads();";
  Emulated emulated("barriers");
  struct Variant {
    Judged one;
    std::size_t left_out = 0;
  };
  std::vector<Variant> variants;
  for (const Judged& one : written_kernels()) {
    const bool is_meant = one.name == "sharing: tiles of two types, one after the other" ||
                          one.name == "sharing: two tiles in each round of a loop" ||
                          one.name == "sharing: with an accumulator that is set where it begins";
    if (!is_meant) continue;
    const std::string text = cuda::lower(one.program).value().text;
    ASSERT_NE(text.find("unsigned char stp_shared["), std::string::npos) << one.name;
    std::size_t number = 0;
    for (std::size_t at = 0; (at = text.find(barrier, at)) != std::string::npos; at += barrier.size()) {
      std::string without = text;
      without.erase(at, barrier.size());
      emulated.add(without);
      variants.push_back({one, number++});
    }
  }
  ASSERT_GE(variants.size(), 9U);
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < variants.size(); ++i) {
    bool is_missed = false;
    for (const bool reversed : {false, true}) {
      const Judged& one = variants[i].one;
      is_missed = is_missed || compare_outputs(emulated.run(i, one, reversed), one.outputs, 1e-6).first != "";
    }
    EXPECT_TRUE(is_missed) << variants[i].one.name << " without barrier " << variants[i].left_out;
  }
}

TEST(CudaEmulation, Generated) {
  expect_agreement("generated", generated(soak_seed(1), static_cast<std::size_t>(soaked(30))), 1e-6);
}

TEST(CudaEmulation, RecipeStates) {
  const std::vector<Judged> some = recipe_states(8);
  ASSERT_GT(some.size(), 5U);
  expect_agreement("recipes", some, 1e-5);
}

TEST(CudaEmulation, ZooTypes) {
  // A part of the types, another one for each dtype; all of them in a soak.
  const std::size_t part = soaked(1) > 1 ? 1 : 16;
  std::size_t offset = 0;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64}) {
    const std::vector<Judged> all = small_zoo(dtype, part, offset++);
    ASSERT_GT(all.size(), 190 / part);
    const double tolerance = dtype == DType::f64   ? 1e-12
                             : dtype == DType::f32 ? 1e-4
                             : dtype == DType::f16 ? 0.02
                                                   : 0.1;
    expect_agreement(concat("zoo ", code(dtype)), all, tolerance);
  }
}

}  // namespace
}  // namespace steptp::testing
