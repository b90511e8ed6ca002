#include "steptp/optimize/optimize.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/optimize/output_folder.h"
#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "steptp/zoo/types.h"
#include "testing/shorthand.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

Program program_of(std::string_view text) { return shorthand_program(text, {{"T", "f32"}}); }

constexpr std::string_view kProduct = R"(
@input A f32[512,512]
@input C f32[512,512]
@input F f32[512]
@output E f32[512,512]
B(tx,512)L(a,512)L(c,512)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,512)L(a,512)[E[tx,a]=max(D[tx,a]+F[a],0);];
)";

Document document_of(const Program& program) {
  return read_document("program.leir", print_document(program, Profile::paper));
}

OptimizeRequest request_for(std::string_view name) {
  OptimizeRequest out;
  out.rates = find_rates(name).value();
  out.target = plan_target(out.rates);
  return out;
}

void expect_verified(const Optimized& optimized, const Document& root, const OptimizeRequest& request) {
  EXPECT_TRUE(is_equal(optimized.judged.verdict)) << optimized.judged.reason;
  EXPECT_FALSE(optimized.judged.is_unsafe());
  EXPECT_EQ(check_program(optimized.program, {request.target.device}).verdict, CheckReport::Verdict::ok);
  if (optimized.expected && optimized.vanilla &&
      check_program(root.program, {request.target.device}).verdict == CheckReport::Verdict::ok) {
    EXPECT_LE(optimized.expected->seconds, optimized.vanilla->seconds);
  }
  const auto again = replay(root.program, optimized.plan);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(print(again->program), print(optimized.program));
}

TEST(Optimize, MakesTilesThatAreProvedForBothKindsOfDevices) {
  const Document root = document_of(program_of(kProduct));
  ASSERT_TRUE(root.ok);
  for (const std::string_view name : {"nvidia-h200", "plain-cpu"}) {
    const OptimizeRequest request = request_for(name);
    const Optimized optimized = optimize(root, request);
    expect_verified(optimized, root, request);
    EXPECT_FALSE(optimized.fallback) << optimized.reason;
    EXPECT_TRUE(optimized.judged.is_safe());
    EXPECT_EQ(optimized.plan.moves.back().move, "tile") << name;
    EXPECT_LT(optimized.expected->seconds, optimized.vanilla->seconds);
    EXPECT_NE(explain(optimized, request).find("proved"), std::string::npos);
    EXPECT_NE(summary(optimized, request).find("proved, safe by proof\nexpected "), std::string::npos);
    const auto files = files_of(root, optimized, request);
    for (const char* file : {"root.leir", "program.leir", "plan.json", "recipe.json", "verdict.json", "plan.txt",
                             "expected.json", "certificates/01.json"}) {
      EXPECT_TRUE(files.contains(file)) << file;
    }
  }
}

TEST(Optimize, IsTheSameForAnyNumberOfThreads) {
  const Document root = document_of(program_of(kProduct));
  OptimizeRequest request = request_for("nvidia-h200");
  const std::string first = to_json(optimize(root, request), request).dump();
  request.jobs = 4;
  EXPECT_EQ(to_json(optimize(root, request), request).dump(), first);
}

/// Each question is asked a little later than it would be: verdicts depend on work and not on time.
TEST(Optimize, IsTheSameOnASlowMachine) {
  const Document root = document_of(program_of(kProduct));
  OptimizeRequest request = request_for("nvidia-h200");
  const std::string first = to_json(optimize(root, request), request).dump();
  request.go_on = request.judging.go_on = [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return true;
  };
  EXPECT_EQ(to_json(optimize(root, request), request).dump(), first);
}

TEST(Optimize, APlanIsForOneProgram) {
  const Document root = document_of(program_of(kProduct));
  const OptimizeRequest request = request_for("nvidia-h200");
  const Optimized optimized = optimize(root, request);
  const auto again = optimize_by(root, optimized.plan, request);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->fallback);
  EXPECT_EQ(print(again->program), print(optimized.program));
  const Document other = document_of(program_of(R"(
@input A f32[8]
@output D f32[8]
B(tx,8)[D[tx]=A[tx]*2;];
)"));
  const auto refused = optimize_by(other, optimized.plan, request);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().find("another program"), std::string::npos);
}

TEST(Optimize, APlanIsForOneDeviceOrForAny) {
  const Document root = document_of(program_of(kProduct));
  const OptimizeRequest request = request_for("nvidia-h200");
  Plan plan = optimize(root, request).plan;
  EXPECT_EQ(plan.target, "nvidia-h200");
  for (const char* target : {"", "cuda"}) {
    plan.target = target;
    EXPECT_TRUE(optimize_by(root, plan, request).ok()) << target;
  }
  for (const char* target : {"toaster", "plain-cpu", "cpu", "nvidia-a100"}) {
    plan.target = target;
    const auto refused = optimize_by(root, plan, request);
    ASSERT_FALSE(refused.ok()) << target;
    EXPECT_EQ(refused.error().find(concat("the plan is for ", target, ", and not for nvidia-h200: ")), 0U);
  }
}

TEST(Optimize, FoldersOfProgramsAreNamesWhateverThePrograms) {
  EXPECT_EQ(folder_name("Softmax_2.1-x", "3"), "Softmax_2.1-x-3");
  EXPECT_EQ(folder_name("", "3"), "program-3");
  EXPECT_EQ(folder_name("../../evil", "1"), "_._.._evil-1");
  EXPECT_EQ(folder_name("..", "1"), "_.-1");
  EXPECT_EQ(folder_name("a/b\n\xc3\xa9", "12"), "a_b___-12");
  EXPECT_EQ(folder_name(std::string(300, 'n'), "1"), concat(std::string(100, 'n'), "-1"));
}

TEST(Optimize, LeavesAProgramAsItCameWhereItIsToEndAtOnce) {
  const Document root = document_of(program_of(kProduct));
  OptimizeRequest request = request_for("plain-cpu");
  request.go_on = request.judging.go_on = [] { return false; };
  const Optimized optimized = optimize(root, request);
  EXPECT_TRUE(optimized.fallback);
  EXPECT_TRUE(optimized.interrupted);
  EXPECT_FALSE(optimized.reason.empty());
  EXPECT_TRUE(equal(optimized.program, root.program));
  EXPECT_TRUE(is_equal(optimized.judged.verdict));
}

/// The work that judging may take is counted, and what is not asked for want of it says so, the same every time.
TEST(JudgedPlan, EndsWhereItsWorkIsSpent) {
  const Document root = document_of(program_of(kProduct));
  const OptimizeRequest request = request_for("nvidia-h200");
  PlanMaker maker(root.program, request.target, request.rates, {});
  const auto made = maker.best();
  ASSERT_TRUE(made);
  PlanJudging little;
  little.work = 1;
  const JudgedPlan judged = judge_plan(root, *made, little);
  EXPECT_EQ(judged.verdict, Grade::undecided);
  EXPECT_NE(judged.reason.find("the work that judging may take was spent"), std::string::npos) << judged.reason;
  PlanJudge judge(root, {});
  EXPECT_TRUE(is_equal(judge.judge(*made).verdict));
  EXPECT_GT(judge.spent(), 0U);
  judge.end_by(judge.spent());
  EXPECT_TRUE(is_equal(judge.judge(*made).verdict)) << "what is known is not asked again";
}

/// What the judge says of the end counts, and not who made it.
TEST(JudgedPlan, RefusesAnEndThatIsNotEqual) {
  const Program program = program_of(kProduct);
  const Document root = document_of(program);
  PlanMaker maker(root.program, request_for("nvidia-h200").target, request_for("nvidia-h200").rates, {});
  auto made = maker.best();
  ASSERT_TRUE(made);
  EXPECT_TRUE(is_equal(judge_plan(root, *made, {}).verdict));
  made->moved.program = program_of(R"(
@input A f32[512,512]
@input C f32[512,512]
@input F f32[512]
@output E f32[512,512]
B(tx,512)L(a,512)L(c,511)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];B(tx,512)L(a,512)[E[tx,a]=max(D[tx,a]+F[a],0);];
)");
  EXPECT_EQ(judge_plan(root, *made, {}).verdict, Grade::differs);
}

/// A group that cannot be shown is left out, and what is left is a plan that replays to its bytes.
TEST(JudgedPlan, KeepsTheGroupsThatAreShown) {
  const Program program = program_of(R"(
@input A f32[64,96]
@input G f32[5000]
@output E f32[64]
@output F f32[5000]
B(tx,64)L(a,96)[E[tx]=E[tx]+A[tx,a];];B(tx,5000)[F[tx]=G[tx]*2;];
)");
  const Document root = document_of(program);
  const OptimizeRequest request = request_for("nvidia-h200");
  PlanMaker maker(root.program, request.target, request.rates, {});
  const auto made = maker.best();
  ASSERT_TRUE(made);
  ASSERT_EQ(made->groups.size(), 2U);
  const JudgedPlan chain = PlanJudge(root, {}).judge(*made, true);
  EXPECT_EQ(chain.verdict, Grade::proved);
  EXPECT_TRUE(chain.is_safe());
  ASSERT_EQ(chain.links.size(), 2U);
  EXPECT_NE(chain.links[0].what.find("by itself"), std::string::npos);
  for (const std::size_t left : {0U, 1U}) {
    const MadePlan part = plan_without(root.program, *made, {left});
    EXPECT_TRUE(part.groups[left].moves.empty());
    EXPECT_TRUE(equal_nests(replay(root.program, part.plan)->program, part.moved.program));
    // The other group is as it was made, and the one that was left out as it came.
    EXPECT_FALSE(equal_nests(part.moved.program, root.program));
    PlanJudge judge(root, {});
    JudgedPlan judged = judge.judge_part(part, judge.judge(part, true));
    EXPECT_EQ(judged.verdict, Grade::proved);
    EXPECT_TRUE(judged.is_safe());
  }
  // With no work nothing is shown, and nothing is said to be.
  PlanJudging hurried;
  hurried.work = 0;
  const JudgedPlan none = PlanJudge(root, hurried).judge(*made, true);
  EXPECT_FALSE(is_equal(none.verdict));
  EXPECT_EQ(none.culprits.size(), 2U);
  EXPECT_FALSE(none.has_shown_part);
}

TEST(Optimize, AProgramThatIsExpectedToBeFastestAsItIsStaysSo) {
  // Its one sum has nothing to share between threads that would pay for a second pass.
  const Document root = document_of(program_of(R"(
@input A f32[8]
@output D f32[]
L(a,8)[D[]=D[]+A[a];];
)"));
  ASSERT_TRUE(root.ok);
  const OptimizeRequest request = request_for("plain-cpu");
  const Optimized optimized = optimize(root, request);
  expect_verified(optimized, root, request);
  ASSERT_TRUE(optimized.fallback);
  EXPECT_EQ(optimized.reason, "nothing is expected to be faster than the program as it is");
}

/// Types of the zoo at their default shapes: one in forty, because some take seconds; all with STEPTP_SOAK.
class OptimizeHouse : public ::testing::TestWithParam<std::string_view> {};

TEST_P(OptimizeHouse, ProgramsOfTheZooPassCheckAndAreShownEqual) {
  const OptimizeRequest request = request_for(GetParam());
  const std::size_t step = soaked(1) > 1 ? 1 : 40;
  std::size_t number = request.rates.is_gpu() ? 3 : 28;
  std::size_t fallbacks = 0;
  std::size_t made = 0;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (number++ % step != 0) continue;
    const auto program = zoo_program(type.name, {}, DType::f32);
    ASSERT_TRUE(program.ok()) << type.name;
    const Document root = document_of(program->program);
    const Optimized optimized = optimize(root, request);
    SCOPED_TRACE(type.name);
    expect_verified(optimized, root, request);
    if (HasFailure()) return;
    ++made;
    fallbacks += optimized.fallback ? 1 : 0;
    if (optimized.fallback) std::cout << type.name << " stays as it came: " << optimized.reason << "\n";
  }
  EXPECT_LE(fallbacks * 4, made);
}

INSTANTIATE_TEST_SUITE_P(Devices, OptimizeHouse, ::testing::Values("nvidia-h200", "plain-cpu"),
                         [](const auto& instance) {
                           std::string name(instance.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace steptp::testing
