// Every type and many draws: lowered, well-formed, safe, and the same twice.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/frontend/lowering_table.h"
#include "steptp/graph/graph_json.h"
#include "steptp/graph/operator.h"
#include "steptp/graph/torch_printer.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/zoo/compose.h"
#include "steptp/zoo/degenerate.h"

namespace steptp {
namespace {

std::uint64_t soak() {
  const char* text = std::getenv("STEPTP_SOAK");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

void expect_sound(const ZooProgram& made) {
  const CheckReport report = check_program(made.program);
  EXPECT_EQ(report.verdict, CheckReport::Verdict::ok)
      << print_document(made.program, Profile::paper)
      << (report.diagnostics.empty() ? "" : report.diagnostics.front().message);
  const Document back = read_document("zoo", print_document(made.program, Profile::paper));
  EXPECT_TRUE(back.ok) << made.program.name;
  EXPECT_TRUE(equal(back.program, made.program)) << print_document(made.program, Profile::paper);
  const std::string text = graph::to_json(made.graph).dump();
  const Result<graph::Graph, Diagnostic> again = graph::parse_graph(text);
  ASSERT_TRUE(again.ok()) << made.program.name << ": " << again.error().message;
  EXPECT_EQ(graph::to_json(*again).dump(), text);
  const Result<frontend::Lowered, Diagnostic> lowered = frontend::lower(*again);
  ASSERT_TRUE(lowered.ok());
  EXPECT_TRUE(equal(lowered->program, made.program)) << made.program.name;
}

TEST(Zoo, EveryTypeAtItsDefaults) {
  int published = 0;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    published += type.level <= 2 ? 1 : 0;
    for (const DType dtype : {DType::f16, DType::f32, DType::f64, DType::bf16}) {
      const Result<ZooProgram, Diagnostic> made = zoo_program(type.name, {}, dtype);
      ASSERT_TRUE(made.ok()) << made.error().message;
      expect_sound(*made);
      EXPECT_FALSE(is_extended(made->program)) << type.name;
    }
  }
  EXPECT_EQ(published, 204);
}

zoo::DrawOptions options(unsigned compositions) {
  zoo::DrawOptions out;
  for (const zoo::ProgramType& type : zoo::all_types()) out.types.push_back(&type);
  out.compositions_percent = compositions;
  return out;
}

TEST(Zoo, DrawsAreSound) {
  for (const unsigned compositions : {0U, 100U}) {
    for (std::uint64_t index = 0; index < 300 * soak(); ++index) {
      const std::optional<ZooDraw> drawn = zoo_draw(11, index, options(compositions));
      ASSERT_TRUE(drawn);
      expect_sound(drawn->program);
    }
  }
}

TEST(Zoo, DrawsAreAddressed) {
  const std::optional<ZooDraw> first = zoo_draw(5, 17, options(50));
  const std::optional<ZooDraw> again = zoo_draw(5, 17, options(50));
  ASSERT_TRUE(first && again);
  EXPECT_EQ(print_document(first->program.program, Profile::paper),
            print_document(again->program.program, Profile::paper));
  EXPECT_EQ(first->structure, again->structure);
  std::set<Hash> structures;
  for (std::uint64_t index = 0; index < 500; ++index) structures.insert(zoo_draw(5, index, options(100))->structure);
  EXPECT_GT(structures.size(), 495U);
}

TEST(Zoo, ArgumentsThatDoNotFit) {
  EXPECT_EQ(zoo_program("ReLu", {}, DType::f32).error().id, "zoo-type");
  EXPECT_EQ(zoo_program("ReLU", {{"rows", 3}}, DType::f32).error().id, "zoo-argument");
  EXPECT_EQ(zoo_program("ReLU", {{"dim", 3.5}}, DType::f32).error().id, "zoo-argument");
  EXPECT_EQ(zoo_program("GroupNorm", {{"num_groups", 7}}, DType::f32).error().id, "zoo-arguments");
  EXPECT_EQ(zoo_program("ReLU", {{"dim", 0}}, DType::f32).error().id, "zoo-arguments");
}

TEST(Zoo, DegenerateOnesAreMarked) {
  const auto degenerate = [](const std::string& name, const zoo::Arguments& arguments) {
    return zoo::is_degenerate(zoo_program(name, arguments, DType::f32)->graph);
  };
  EXPECT_TRUE(degenerate("Conv3d_GroupNorm_Mean", {}));
  EXPECT_TRUE(degenerate("Gemm_Max_Subtract_GELU", {}));
  EXPECT_TRUE(degenerate("Matmul_Mean_Softmax", {}));
  EXPECT_FALSE(degenerate("softmax", {}));
  EXPECT_FALSE(degenerate("Gemm_GroupNorm_Min_BiasAdd", {}));
  EXPECT_FALSE(degenerate("Conv3d_HardSwish_ReLU_Softmax_Mean", {}));
}

}  // namespace
}  // namespace steptp
