#include "steptp/dataset/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "steptp/dataset/origin.h"
#include "steptp/dataset/workloads.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/ir/forms.h"
#include "steptp/text/document.h"

namespace steptp::dataset {
namespace {

Program read(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  return document.program;
}

constexpr const char* kHeader = "@input A f32[4,8]\n@input C f32[4,8]\n@output D f32[4,8]\n";

TEST(Forms, NamesAndTheOrderOfIndependentExpressionsDoNotCount) {
  const std::string first = "B^{4}_{tx=0}L^{8}_{a=0}[E^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a});];";
  const std::string second = "B^{4}_{tx=0}L^{8}_{a=0}[F^{f32,g}_{tx,a}=C^{f32,g}_{tx,a}+1;];";
  const std::string sum = "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx,a}=E^{f32,g}_{tx,a}+F^{f32,g}_{tx,a};];";
  const Program one = read(kHeader + first + second + sum);
  const Program other = read(kHeader + second + first + sum);
  EXPECT_EQ(form_of(one), form_of(other));
  const Program renamed =
      read(kHeader + std::string("B^{4}_{tx=0}L^{8}_{c=0}[G^{f32,g}_{tx,c}=exp(A^{f32,g}_{tx,c});];") + second +
           "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx,a}=G^{f32,g}_{tx,a}+F^{f32,g}_{tx,a};];");
  EXPECT_EQ(form_of(one), form_of(renamed));
  const Program swapped =
      read(kHeader + first + second + "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx,a}=F^{f32,g}_{tx,a}+E^{f32,g}_{tx,a};];");
  EXPECT_NE(form_of(one), form_of(swapped));
}

TEST(Forms, AnOrderThatMattersCounts) {
  const std::string write = "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];";
  const std::string change = "B^{4}_{tx=0}L^{8}_{a=0}[D^{f32,g}_{tx,a}=C^{f32,g}_{tx,a};];";
  EXPECT_NE(form_of(read(kHeader + write + change)), form_of(read(kHeader + change + write)));
}

TEST(Forms, PatternsLeaveOutShapesDtypesAndNumbers) {
  const auto small =
      zoo_program("LayerNorm", {{"batch_size", 2}, {"features", 4}, {"dim1", 8}, {"dim2", 3}}, DType::f32);
  const auto large =
      zoo_program("LayerNorm", {{"batch_size", 9}, {"features", 5}, {"dim1", 7}, {"dim2", 6}}, DType::f16);
  const auto other = zoo_program("softmax", {}, DType::f32);
  EXPECT_NE(form_of(small->program), form_of(large->program));
  EXPECT_EQ(pattern_of(small->program), pattern_of(large->program));
  EXPECT_NE(pattern_of(small->program), pattern_of(other->program));
}

Configuration small_configuration() {
  Configuration out;
  scale_to_programs(out, 250);
  out.test_types = 5;
  return out;
}

TEST(Plan, SplitsKeepTheirRules) {
  const Configuration configuration = small_configuration();
  const auto plan = make_plan(configuration, {});
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  std::map<Split, std::set<std::string>> types;
  std::map<Split, std::uint64_t> programs;
  std::map<Split, std::uint64_t> spares;
  std::set<Hash> forms;
  std::uint64_t entries = 0;
  for (const PlannedProgram& planned : plan->programs) {
    EXPECT_TRUE(forms.insert(planned.form).second) << planned.name;
    if (planned.is_spare) {
      ++spares[planned.split];
      continue;
    }
    EXPECT_EQ(spares[planned.split], 0U) << planned.name << " stands behind one to spare";
    types[planned.split].insert(planned.type);
    ++programs[planned.split];
    if (planned.split == Split::train) entries += planned.entries;
  }
  EXPECT_EQ(programs[Split::train], configuration.programs);
  EXPECT_EQ(programs[Split::test_shape], configuration.test_shape_programs);
  EXPECT_EQ(programs[Split::test_type], configuration.test_type_programs);
  EXPECT_EQ(programs[Split::multi_step], configuration.multi_step_programs);
  EXPECT_EQ(plan->wanted, programs);
  EXPECT_GE(spares[Split::train], configuration.programs / 50);
  EXPECT_GT(spares[Split::test_shape], 0U);
  EXPECT_GT(spares[Split::test_type], 0U);
  EXPECT_EQ(spares[Split::multi_step], 0U);
  EXPECT_GE(entries, configuration.entries);
  for (const std::string& type : types[Split::test_shape]) EXPECT_TRUE(types[Split::train].contains(type)) << type;
  for (const std::string& type : plan->held_out) EXPECT_FALSE(types[Split::train].contains(type)) << type;
  EXPECT_EQ(plan->held_out.size(), 5U);
}

TEST(Plan, IsTheSameTwiceAndItsProgramsCanBeMade) {
  Configuration configuration = small_configuration();
  configuration.programs = 40;
  const auto plan = make_plan(configuration, {});
  const auto again = make_plan(configuration, {});
  ASSERT_TRUE(plan.ok() && again.ok());
  ASSERT_EQ(plan->programs.size(), again->programs.size());
  for (std::size_t i = 0; i < plan->programs.size(); ++i) {
    const Json json = to_json(plan->programs[i]);
    EXPECT_EQ(json.dump(), to_json(again->programs[i]).dump());
    const auto read_back = planned_from_json(*parse_json(json.dump()));
    ASSERT_TRUE(read_back.ok()) << read_back.error();
    const auto made = make_program(*read_back, configuration, {});
    ASSERT_TRUE(made.ok()) << made.error().message;
    EXPECT_EQ(form_of(made->program), plan->programs[i].form) << plan->programs[i].name;
  }
}

TEST(Plan, OriginsCanBeLeftOut) {
  Configuration configuration = small_configuration();
  configuration.programs = 60;
  configuration.exclude_origin = {"kernelbench", "composition"};
  const auto plan = make_plan(configuration, {});
  ASSERT_TRUE(plan.ok());
  for (const PlannedProgram& planned : plan->programs) EXPECT_EQ(planned.origin, "zoo") << planned.name;
}

TEST(Plan, LeaksAreFound) {
  const SplitMember train{Split::train, "ReLU_1", 1, 10};
  EXPECT_TRUE(find_leaks({train, {Split::test_shape, "ReLU_2", 2, 10}, {Split::test_type, "X_1", 3, 11}}).empty());
  EXPECT_EQ(find_leaks({train, {Split::test_shape, "ReLU_2", 1, 10}}).size(), 1U);
  EXPECT_EQ(find_leaks({train, {Split::multi_step, "ReLU_2", 1, 10}}).size(), 1U);
  EXPECT_EQ(find_leaks({train, {Split::test_type, "X_1", 3, 10}}).size(), 1U);
}

TEST(Origin, TasksOfKernelBench) {
  EXPECT_EQ(origin_of("ReLU"), "kernelbench/level1/19");
  EXPECT_EQ(origin_of("Gemm_Max_Subtract_GELU"), "kernelbench/level2/80");
  EXPECT_EQ(origin_of("MQA_sum"), "zoo");
  EXPECT_TRUE(is_excluded("kernelbench/level1/19", {"kernelbench/level1"}));
  EXPECT_FALSE(is_excluded("kernelbench/level1/19", {"kernelbench/level"}));
  EXPECT_EQ(published_workloads().size(), 100U);
  for (const Workload& workload : published_workloads()) EXPECT_NE(zoo::find_type(workload.type), nullptr);
}

}  // namespace
}  // namespace steptp::dataset
