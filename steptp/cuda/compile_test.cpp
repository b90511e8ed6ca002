// CUDA text through the real compiler, where there is one; no GPU is needed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/recipe/recipe.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"
#include "testing/matrix_kernels.h"
#include "testing/matrix_programs.h"

namespace steptp::testing {
namespace {

/// The compiler on the path, or where the toolkit is usually installed; empty where there is none.
std::string compiler() {
  for (const char* name : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    if (std::system(concat("command -v ", name, " > /dev/null 2>&1").c_str()) == 0) return name;
  }
  return {};
}

class CudaCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    if (compiler().empty()) GTEST_SKIP() << "there is no nvcc on this machine";
    folder_ = concat(::testing::TempDir(), "/steptp_nvcc_", static_cast<long long>(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  /// What the compiler says; a failure where it refuses.
  std::string compile(const std::string& text, const std::string& flags) {
    const std::string path = concat(folder_, "/program");
    EXPECT_TRUE(write_file(path + ".cu", text).ok());
    const std::string target = flags.find("-gencode") == std::string::npos ? " -arch=sm_90 " : " ";
    const int status = std::system(
        concat(compiler(), " -std=c++17", target, flags, " -o '", path, ".out' '", path, ".cu' > '", path, ".log' 2>&1")
            .c_str());
    const auto log = read_file(path + ".log");
    EXPECT_EQ(status, 0) << log.value().substr(0, 4000);
    return log.value();
  }

 private:
  std::string folder_;
};

Program end_state(const std::string& name) {
  const std::string path = concat(STEPTP_SOURCE_DIR, "/examples/recipes/", name);
  const Document document = read_document(name, read_file(path + ".leir").value());
  const auto recipe = recipe_from_json(parse_json(read_file(path + ".json").value()).value());
  return replay(document.program, *recipe).value().program;
}

/// Registers cannot be indexed: what a recipe keeps in `l` stays in registers only where all loops over it are
/// unrolled.
TEST_F(CudaCompiler, EndStatesOfRecipesDoNotSpill) {
  for (const char* name :
       {"matmul", "matmul_odd", "softmax", "layer_norm", "conv3x3", "conv_product", "conv_product_odd"}) {
    const auto made = cuda::lower(end_state(name), {nullptr, true});
    ASSERT_TRUE(made.ok()) << made.error().message;
    const std::string log = compile(made->text, "-O3 -cubin -Xptxas -v");
    EXPECT_EQ(log.find("warning"), std::string::npos) << log;
    std::size_t functions = 0;
    for (std::size_t at = 0; (at = log.find("bytes stack frame", at)) != std::string::npos; ++at) ++functions;
    std::size_t clean = 0;
    const std::string wanted = "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads";
    for (std::size_t at = 0; (at = log.find(wanted, at)) != std::string::npos; ++at) ++clean;
    EXPECT_GT(functions, 0U) << log;
    EXPECT_EQ(clean, functions) << name << "\n" << log;
  }
}

/// The newest set of instructions of Hopper has a target of its own, which NVRTC is not asked for.
TEST_F(CudaCompiler, TakesMatrixInstructions) {
  std::string all = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_runtime.h>\n#include <stddef.h>\n";
  std::size_t number = 0;
  for (const MatrixKernel kind : kMatrixKernels) {
    std::string text = matrix_kernel(kind);
    text.erase(text.find("#ifndef __CUDACC_RTC__"));
    append(all, "namespace p", static_cast<int>(kind), " {\n", text, "}\n");
  }
  for (const Judged& one : matrix_programs()) {
    const auto made = cuda::lower(one.program);
    ASSERT_TRUE(made.ok()) << one.name << ": " << made.error().message;
    std::string text = made->text;
    for (std::size_t at = 0; (at = text.find("extern \"C\" ", at)) != std::string::npos;) text.erase(at, 11);
    append(all, "namespace n", std::to_string(number++), " {\n", text, "}\n");
  }
  for (const char* target : {"80", "90", "90a"}) {
    (void)compile(all, concat("-O3 -cubin -gencode=arch=compute_", target, ",code=sm_", target));
  }
}

/// All programs in one file, each in a namespace: the compiler starts once.
TEST_F(CudaCompiler, TakesEveryConstruct) {
  std::vector<Judged> programs = written_kernels();
  for (Judged& one : small_zoo(DType::f16, 16, 5)) programs.push_back(std::move(one));
  for (Judged& one : small_zoo(DType::bf16, 16, 9)) programs.push_back(std::move(one));
  for (Judged& one : generated(7, 10)) programs.push_back(std::move(one));
  std::string all = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuda_runtime.h>\n#include <stddef.h>\n";
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto made = cuda::lower(programs[i].program);
    ASSERT_TRUE(made.ok()) << programs[i].name << ": " << made.error().message;
    std::string text = made->text;
    for (std::size_t at = 0; (at = text.find("extern \"C\" ", at)) != std::string::npos;) text.erase(at, 11);
    append(all, "namespace p", i, " {\n", text, "}\n");
  }
  (void)compile(all, "-O1 -ptx");
}

}  // namespace
}  // namespace steptp::testing
