#include "steptp/cursor/cursor.h"

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/cursor/space.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/verify/verify.h"
#include "testing/shorthand.h"
#include "testing/soak.h"

namespace steptp::cursor {
namespace {

using testing::soak_seed;
using testing::soaked;

constexpr std::string_view kSoftmax = R"(
@input A f32[48,64]
@output C f32[48,64]
B(tx,48)L(a,64)[D[tx]=max(D[tx],A[tx,a]);];B(tx,48)L(a,64)[E[tx]=E[tx]+exp(A[tx,a]-D[tx]);];
B(tx,48)L(a,64)[C[tx,a]=exp(A[tx,a]-D[tx])/E[tx];];
)";
constexpr std::string_view kMatmul = R"(
@input A f32[40,24]
@input C f32[24,36]
@output D f32[40,36]
B(tx,40)L(a,36)L(c,24)[E[tx,a]=E[tx,a]+A[tx,c]*C[c,a];];B(tx,40)L(a,36)[D[tx,a]=max(E[tx,a],0);];
)";
constexpr std::string_view kSum = R"(
@input A f32[3,2048]
@output D f32[3]
B(tx,3)L(a,2048)[D[tx]=D[tx]+A[tx,a];];
)";

Program program_of(std::string_view text) { return testing::shorthand_program(text, {{"T", "f32"}}); }

SpacePtr space_of(const Program& program, std::string_view device = "nvidia-h200") {
  const auto target = find_target(device);
  EXPECT_TRUE(target.ok());
  auto space = open_space(program, *target);
  EXPECT_TRUE(space.ok()) << (space ? "" : space.error());
  return *space;
}

/// The decisions with these values; the first that is not legal ends it.
Result<Cursor, std::string> decided(const SpacePtr& space, const std::vector<const char*>& values) {
  Cursor out(space);
  for (const char* value : values) {
    if (auto done = out.put(token_of(value)); !done) return done.error();
  }
  return out;
}

TEST(Cursor, DecidesConsumersFirst) {
  const SpacePtr space = space_of(program_of(kSoftmax));
  Cursor cursor(space);
  EXPECT_EQ(word_of_token(cursor.next().opcode), "op:group");
  EXPECT_EQ(word_of_token(cursor.next().object), "e2");
  ASSERT_TRUE(cursor.put(token_of("v3")).ok());
  EXPECT_EQ(word_of_token(cursor.next().opcode), "op:structure");
  EXPECT_EQ(word_of_token(cursor.next().object), "e0");
  ASSERT_TRUE(cursor.put(token_of("rows")).ok());
  const Cursor fork = cursor.fork();
  ASSERT_TRUE(cursor.put(token_of("v32")).ok());
  EXPECT_EQ(cursor.text(), "group e2=v3 structure e0=rows threads e0=v32");
  EXPECT_EQ(fork.text(), "group e2=v3 structure e0=rows");
  EXPECT_FALSE(cursor.is_complete());
  EXPECT_FALSE(cursor.finish().ok());
}

TEST(Cursor, RefusesWhatIsNotLegalAndStaysAsItWas) {
  Cursor cursor(space_of(program_of(kSoftmax)));
  const auto done = cursor.put(token_of("v4"));
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error(), "v4 is no legal value of op:group e2; legal are v1 v2 v3");
  EXPECT_FALSE(cursor.put(60000).ok());
  EXPECT_TRUE(cursor.decisions().empty());
  const Cursor whole = drawn_cursor(cursor.space_ptr(), 1, 1);
  Cursor complete = whole;
  EXPECT_FALSE(complete.put(token_of("v1")).ok());
  EXPECT_TRUE(complete.legal().empty());
}

TEST(Cursor, MakesTheKernelThatAPersonWouldChoose) {
  const Program program = program_of(kMatmul);
  const auto cursor = decided(space_of(program), {"v2", "tile", "v8", "v8", "v4", "v4", "v8", "v4", "v0"});
  ASSERT_TRUE(cursor.ok()) << cursor.error();
  const auto finished = cursor->finish();
  ASSERT_TRUE(finished.ok()) << finished.error();
  EXPECT_EQ(finished->plan.moves.back().move, "tile");
  EXPECT_EQ(finished->moved.program.nests.size(), 1U);
  const auto again = replay(program, finished->plan, Tracking::off);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(print_document(again->program, Profile::paper), print_document(finished->moved.program, Profile::paper));
  const auto recipe = replay(program, finished->moved.recipe);
  ASSERT_TRUE(recipe.ok());
  EXPECT_EQ(print_document(recipe->program, Profile::paper), print_document(finished->moved.program, Profile::paper));
}

TEST(Cursor, RefusesProgramsAndTargetsItCannotServe) {
  const auto unknown = find_target("toaster");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().find("nvidia-h200"), std::string::npos);
  const Program racy = program_of("@input A f32[8]\n@output C f32[8]\nB(tx,8)[C[0]=A[tx];];\n");
  const auto target = find_target("nvidia-h200");
  ASSERT_TRUE(target.ok());
  EXPECT_FALSE(open_space(racy, *target).ok());
  EXPECT_FALSE(open_space(Program(), *target).ok());
}

// What is declared of a device decides: no block has more threads than it, no tile more shared memory or registers.
TEST(Cursor, KeepsWithinDeclaredLimits) {
  const SpacePtr space = space_of(program_of(R"(
@input A f32[512,512]
@input C f32[512,512]
@output D f32[512,512]
B(tx,512)L(a,512)L(c,512)[D[tx,a]=D[tx,a]+A[tx,c]*C[c,a];];
)"));
  Cursor cursor(space);
  for (const char* value : {"v1", "tile", "v32"}) ASSERT_TRUE(cursor.put(token_of(value)).ok());
  std::set<std::string_view> columns;
  for (const Token token : cursor.legal()) columns.insert(word_of_token(token));
  EXPECT_TRUE(columns.contains("v32"));   // 1024 threads
  EXPECT_FALSE(columns.contains("v40"));  // 1280
  ASSERT_TRUE(cursor.put(token_of("v32")).ok());
  // 64 registers for each of 1024 threads: of a column and rows, 2 * rows + 1.
  EXPECT_EQ(cursor.legal().back(), token_of("v16"));
  ASSERT_TRUE(cursor.put(token_of("v16")).ok());
  for (const Token token : cursor.legal()) EXPECT_LE(*number_of_token(token), 2);
}

/// All numbers that two summaries of kernels have.
std::string text_of(const std::vector<estimation::KernelSummary>& kernels) {
  std::string out;
  const auto add = [&out](const auto&... values) { ((out += std::to_string(values) + " "), ...); };
  for (const estimation::KernelSummary& kernel : kernels) {
    add(kernel.launches, kernel.grid[0], kernel.grid[1], kernel.grid[2], kernel.block[0], kernel.block[1],
        kernel.block[2], kernel.shared_bytes, kernel.registers, kernel.spilled_bytes, kernel.barriers);
    for (const estimation::StatementSummary& statement : kernel.statements) {
      add(statement.loops.size(), statement.share, statement.operations.size());
      for (const estimation::AccessSummary& access : statement.accesses) {
        add(access.tensor_bytes, access.loops, access.share, access.lanes, access.sectors, access.lines,
            access.conflicts);
      }
    }
    out += "\n";
  }
  return out;
}

/// The facts of the groups are those of the whole program, kernel by kernel.
void expect_same_facts(const Cursor& cursor, const Program& made) {
  const auto facts = cursor.facts();
  if (!facts) return;  // an expression that cannot be cut out
  std::vector<estimation::KernelSummary> kernels;
  for (const GroupFacts& group : *facts) {
    kernels.insert(kernels.end(), group.summary.kernels.begin(), group.summary.kernels.end());
  }
  const auto whole = estimation::summary_of(made);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(text_of(kernels), text_of(whole->kernels)) << cursor.text();
}

struct Drawn {
  std::size_t plans = 0;
  std::size_t undecided = 0;
};

/// A drawn plan finishes, passes `check` for the device, has the facts that were said, and does not differ.
void expect_good(const SpacePtr& space, std::uint64_t number, bool is_judged, Drawn& drawn) {
  const Cursor cursor = drawn_cursor(space, soak_seed(3), number);
  const Program& root = space->root();
  const std::string about = concat(cursor.text(), " of\n", print_document(root, Profile::paper));
  const auto finished = cursor.finish();
  ASSERT_TRUE(finished.ok()) << finished.error() << "\n" << about;
  const Program& made = finished->moved.program;
  const CheckReport report = check_program(made, {space->target().limits.device});
  EXPECT_EQ(report.verdict, CheckReport::Verdict::ok)
      << (report.diagnostics.empty() ? "" : report.diagnostics[0].message) << "\n"
      << about;
  expect_same_facts(cursor, made);
  ++drawn.plans;
  if (!is_judged) return;
  VerifyOptions options;
  options.safety_budget = 0;
  options.budget = 20'000'000;
  const Judgement judgement = verify(root, made, options);
  EXPECT_NE(judgement.verdict, Grade::differs) << about;
  EXPECT_NE(judgement.verdict, Grade::invalid) << about;
  if (is_equal(judgement.verdict)) return;
  ++drawn.undecided;
  std::cout << "undecided: " << judgement.reason << ": " << cursor.text() << "\n";
}

TEST(Cursor, DrawnPlansOfSmallProgramsAreEqual) {
  Drawn drawn;
  for (const char* device : {"nvidia-h200", "plain-cpu"}) {
    for (const std::string_view text : {kSoftmax, kMatmul, kSum}) {
      const SpacePtr space = space_of(program_of(text), device);
      for (std::uint64_t i = 0; i < soaked(12); ++i) expect_good(space, i, true, drawn);
    }
  }
  EXPECT_EQ(drawn.undecided, 0U) << "of " << drawn.plans;
}

/// One type of the zoo in so many, at its default shape; all of them with STEPTP_SOAK.
TEST(Cursor, DrawnPlansOfTheZooFinishAndCheck) {
  const std::size_t step = soaked(1) > 1 ? 1 : 32;
  std::size_t number = 0;
  Drawn drawn;
  for (const zoo::ProgramType& type : zoo::all_types()) {
    if (++number % step != 0) continue;
    const auto program = zoo_program(type.name, {}, DType::f32);
    ASSERT_TRUE(program.ok()) << type.name;
    const auto target = find_target(number % 3 == 0 ? "plain-cpu" : "nvidia-h200");
    ASSERT_TRUE(target.ok());
    const auto space = open_space(program->program, *target);
    ASSERT_TRUE(space.ok()) << type.name << ": " << space.error();
    for (std::uint64_t i = 0; i < soaked(2); ++i) expect_good(*space, i, soaked(1) > 1, drawn);
  }
  EXPECT_LE(drawn.undecided * 20, drawn.plans) << drawn.undecided << " of " << drawn.plans;
}

}  // namespace
}  // namespace steptp::cursor
