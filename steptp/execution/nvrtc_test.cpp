// CUDA text through the real NVRTC for several generations of GPUs, where there is one: a toolkit's, or that of the
// Python package (tools/run_torch_tests.sh). No GPU is needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/execution/cuda_library.h"
#include "steptp/execution/cuda_program.h"
#include "steptp/recipe/recipe.h"
#include "steptp/text/document.h"
#include "testing/lowering_support.h"
#include "testing/matrix_kernels.h"
#include "testing/matrix_programs.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

class Nvrtc : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto found = load_nvrtc();
    if (!found) GTEST_SKIP() << found.error().message;
    nvrtc_ = *found;
    std::printf("NVRTC %d.%d at %s\n", nvrtc_->major, nvrtc_->minor, nvrtc_->path.c_str());
  }

  /// sm_80, sm_90 and the newest that this NVRTC knows.
  [[nodiscard]] std::vector<int> architectures() const {
    int count = 0;
    EXPECT_EQ(nvrtc_->api.arch_count(&count), 0);
    std::vector<int> known(static_cast<std::size_t>(count));
    EXPECT_EQ(nvrtc_->api.archs(known.data()), 0);
    EXPECT_FALSE(known.empty());
    std::vector<int> out;
    for (const int arch : {80, 90, known.empty() ? 0 : *std::max_element(known.begin(), known.end())}) {
      EXPECT_NE(std::find(known.begin(), known.end(), arch), known.end()) << "sm_" << arch;
      if (out.empty() || arch != out.back()) out.push_back(arch);
    }
    return out;
  }

  [[nodiscard]] Result<std::string, Diagnostic> compile(const std::string& text, int architecture) const {
    bool from_cache = false;
    return compile_cuda(text, architecture, *nvrtc_, ObjectCache(), from_cache);
  }

  /// A cubin, which is an ELF file; PTX would be text.
  void expect_machine_code(const std::string& name, const std::string& text, int architecture) const {
    const auto image = compile(text, architecture);
    ASSERT_TRUE(image.ok()) << name << " for sm_" << architecture << ": " << image.error().message;
    EXPECT_EQ(image->substr(0, 4),
              "\x7f"
              "ELF")
        << name << " for sm_" << architecture;
  }

  const NvrtcLibrary* nvrtc_ = nullptr;
};

/// All programs in one text, each in a namespace: headers are read once.
TEST_F(Nvrtc, EveryConstruct) {
  std::vector<Judged> programs = written_kernels();
  std::size_t first = 3;
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
    for (Judged& one : small_zoo(dtype, 64, first++)) programs.push_back(std::move(one));
  }
  for (Judged& one : generated(11, 10)) programs.push_back(std::move(one));
  // A part for each architecture; all for each in long runs.
  const std::vector<int> targets = architectures();
  std::vector<std::string> texts(targets.size(), "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const auto made = cuda::lower(programs[i].program);
    ASSERT_TRUE(made.ok()) << programs[i].name << ": " << made.error().message;
    std::string text = made->text;
    for (std::size_t at = 0; (at = text.find("extern \"C\" ", at)) != std::string::npos;) text.erase(at, 11);
    for (std::size_t part = 0; part < texts.size(); ++part) {
      if (i % texts.size() == part || soaked(1) > 1) append(texts[part], "namespace p", i, " {\n", text, "}\n");
    }
  }
  for (std::size_t part = 0; part < texts.size(); ++part) expect_machine_code("constructs", texts[part], targets[part]);
}

TEST_F(Nvrtc, MatrixInstructions) {
  for (const MatrixKernel kind : kMatrixKernels) {
    for (const int architecture : architectures()) {
      expect_machine_code(concat("matrix kernel ", static_cast<int>(kind)), matrix_kernel(kind), architecture);
    }
  }
}

TEST_F(Nvrtc, MatrixNests) {
  std::string all = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n";
  std::size_t number = 0;
  for (const Judged& one : matrix_programs()) {
    const auto made = cuda::lower(one.program);
    ASSERT_TRUE(made.ok()) << one.name << ": " << made.error().message;
    std::string text = made->text;
    for (std::size_t at = 0; (at = text.find("extern \"C\" ", at)) != std::string::npos;) text.erase(at, 11);
    append(all, "namespace p", number++, " {\n", text, "}\n");
  }
  for (const int architecture : architectures()) expect_machine_code("matrix nests", all, architecture);
}

TEST_F(Nvrtc, EndStatesOfRecipes) {
  for (const char* name : {"matmul", "matmul_odd", "softmax", "layer_norm", "conv3x3", "conv_product",
                           "conv_product_odd", "conv3d_product", "attention"}) {
    const std::string path = concat(STEPTP_SOURCE_DIR, "/examples/recipes/", name);
    const Document document = read_document(name, read_file(path + ".leir").value());
    const auto recipe = recipe_from_json(parse_json(read_file(path + ".json").value()).value());
    const auto made = cuda::lower(replay(document.program, *recipe).value().program);
    ASSERT_TRUE(made.ok()) << made.error().message;
    for (const int architecture : architectures()) expect_machine_code(name, made->text, architecture);
  }
}

TEST_F(Nvrtc, SaysWhatIsWrong) {
  const auto image = compile("extern \"C\" __global__ void k(float* a) { a[0] = nowhere; }\n", 90);
  ASSERT_FALSE(image.ok());
  EXPECT_EQ(image.error().id, "nvrtc");
  EXPECT_NE(image.error().message.find("nowhere"), std::string::npos) << image.error().message;
  const auto old = compile("extern \"C\" __global__ void k() {}\n", 10);
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.error().id, "no-nvrtc");
}

}  // namespace
}  // namespace steptp::testing
