#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

using Iteration = std::vector<std::pair<std::string, std::int64_t>>;
using Subscripts = std::vector<std::int64_t>;

void expect_trap(const Trap& trap, TrapKind kind, const std::string& site, const std::string& tensor,
                 const Subscripts& subscripts, const Iteration& iteration) {
  EXPECT_EQ(name_of(trap.kind), name_of(kind)) << trap.message;
  ASSERT_TRUE(trap.site.has_value()) << trap.message;
  EXPECT_EQ(to_text(*trap.site), site) << trap.message;
  EXPECT_EQ(trap.tensor, tensor);
  EXPECT_EQ(trap.subscripts, subscripts);
  EXPECT_EQ(trap.iteration, iteration);
}

TEST(Trap, ReadOutOfRange) {
  const Trap trap = trap_of("@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=1+A^{f32,g}_{tx+1};];");
  expect_trap(trap, TrapKind::out_of_range, "0/0:right.1", "A", {4}, {{"tx", 3}});
  EXPECT_EQ(trap.message, "A[4] is out of range, at 0/0:right.1 where tx=3");
  expect_trap(trap_of("@input A f32[4]\n@output D f32[4]\nL^{4}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a-1};];"),
              TrapKind::out_of_range, "0/0:right", "A", {-1}, {{"a", 0}});
}

TEST(Trap, WriteOutOfRange) {
  expect_trap(trap_of("@output D f32[4]\nL^{2}_{a=0}[L^{3}_{c=0}[D^{f32,g}_{a*2+c}=1;];];"), TrapKind::out_of_range,
              "0/0/0:left", "D", {4}, {{"a", 1}, {"c", 2}});
  expect_trap(trap_of("@output D f32[2]\nL^{2}_{a=0}[E^{f32,g}_{a-1}=1;D^{f32,g}_{a}=E^{f32,g}_{a-1};];"),
              TrapKind::out_of_range, "0/0:left", "E", {-1}, {{"a", 0}});
}

TEST(Trap, SubscriptBeyondAllIntegers) {
  const std::string text =
      "@input A i64[1]\n@input C f32[4]\n@output D f32[1]\n"
      "L^{1}_{a=0}[D^{f32,g}_{a}=C^{f32,g}_{A^{i64,g}_{a}*A^{i64,g}_{a}*A^{i64,g}_{a}*A^{i64,g}_{a}};];";
  const Trap trap = trap_of(text, {{"A", tensor_of<std::int64_t>(DType::i64, {1}, {INT64_MAX})}});
  EXPECT_EQ(trap.kind, TrapKind::out_of_range);
  EXPECT_EQ(trap.tensor, "C");
  const Trap least = trap_of(text, {{"A", tensor_of<std::int64_t>(DType::i64, {1}, {INT64_MIN})}});
  EXPECT_EQ(least.kind, TrapKind::out_of_range);
}

TEST(Trap, UndefinedReads) {
  expect_trap(trap_of("@output D f32[3]\nL^{3}_{a=0}[D^{f32,g}_{a}=D^{f32,g}_{a}*2+1;];"), TrapKind::undefined_read,
              "0/0:right.0.0", "D", {0}, {{"a", 0}});
  expect_trap(trap_of("@output D f32[3]\nL^{2}_{a=0}[E^{f32,g}_{a}=1;];L^{3}_{a=0}[D^{f32,g}_{a}=E^{f32,g}_{a};];"),
              TrapKind::undefined_read, "1/0:right", "E", {2}, {{"a", 2}});
  // Only an accumulation initialises; a recurrence without its guard does not.
  expect_trap(
      trap_of("@output D f32[3]\nL^{3}_{a=0}[E^{f32,g}_{a}=max(E^{f32,g}_{a-1},1);D^{f32,g}_{a}=E^{f32,g}_{a};];"),
      TrapKind::undefined_read, "0/0:right.0", "E", {-1}, {{"a", 0}});
  // A guard that lets nothing through leaves the element undefined.
  expect_trap(
      trap_of("@output D f32[1]\nL^{3}_{a=0}?{a>5}[E^{f32,g}=E^{f32,g}+1;];L^{1}_{a=0}[D^{f32,g}_{a}=E^{f32,g};];"),
      TrapKind::undefined_read, "1/0:right", "E", {}, {{"a", 0}});
  // X twice, X negated, X under a condition: no implicit initialisation.
  for (const char* right : {"E^{f32,g}+E^{f32,g}", "1-E^{f32,g}", "if_then_else(a<1,1,0)*1+exp(E^{f32,g})",
                            "E^{f32,g}+if_then_else(E^{f32,g}>0,1,0)"}) {
    const Trap trap = trap_of(concat("@output D f32[1]\nL^{1}_{a=0}[E^{f32,g}=", right, ";D^{f32,g}_{a}=E^{f32,g};];"));
    EXPECT_EQ(trap.kind, TrapKind::undefined_read) << right;
    EXPECT_EQ(trap.tensor, "E");
  }
}

TEST(Trap, InsideASubscript) {
  expect_trap(trap_of("@input A f32[4]\n@input C i32[2]\n@output D "
                      "f32[3]\nL^{3}_{a=0}[D^{f32,g}_{a}=2*A^{f32,g}_{C^{i32,g}_{a}};];",
                      {{"C", tensor_of<int>(DType::i32, {2}, {0, 3})}}),
              TrapKind::out_of_range, "0/0:right.1[0]", "C", {2}, {{"a", 2}});
  expect_trap(
      trap_of(
          "@input A f32[4]\n@input C i32[2]\n@output D f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{C^{i32,g}_{a}};];",
          {{"C", tensor_of<int>(DType::i32, {2}, {0, 4})}}),
      TrapKind::out_of_range, "0/0:right", "A", {4}, {{"a", 1}});
}

TEST(Trap, DivisionByZero) {
  expect_trap(trap_of("@input A i32[2]\n@output D i32[2]\nL^{2}_{a=0}[D^{i32,g}_{a}=1+5//A^{i32,g}_{a};];",
                      {{"A", tensor_of<int>(DType::i32, {2}, {1, 0})}}),
              TrapKind::integer_division_by_zero, "0/0:right.1", "", {}, {{"a", 1}});
  EXPECT_EQ(trap_of("@output D i64[2]\nL^{2}_{a=0}[D^{i64,g}_{a}=5%(a-1);];").kind, TrapKind::integer_division_by_zero);
  expect_trap(trap_of("@input A i32[9]\n@output D i32[2]\nL^{2}_{a=0}[D^{i32,g}_{a}=A^{i32,g}_{4//(1-a)};];"),
              TrapKind::integer_division_by_zero, "0/0:right", "A", {}, {{"a", 1}});
  EXPECT_EQ(trap_of("@output D i32[2]\nL^{2}_{a=0}?{4%a==0}[D^{i32,g}_{a}=1;];").kind,
            TrapKind::integer_division_by_zero);
  EXPECT_EQ(output("@input A f32[1]\n@output D bool[1]\nL^{1}_{a=0}[D^{bool,g}_{a}=1/A^{f32,g}_{a}==inf;];", "D",
                   {{"A", tensor_of<int>(DType::f32, {1}, {0})}}),
            Doubles{1});
}

TEST(Trap, TheBranchNotTakenIsNotEvaluated) {
  EXPECT_EQ(output("@input A i32[2]\n@input C i32\n@output D i32[3]\n"
                   "L^{3}_{a=0}[D^{i32,g}_{a}=if_then_else(a<2,A^{i32,g}_{a},a)+if_then_else(a<3,1,5//"
                   "C^{i32,g}+D^{i32,g}_{a});];",
                   "D", {{"A", tensor_of<int>(DType::i32, {2}, {7, 8})}, {"C", tensor_of<int>(DType::i32, {}, {0})}}),
            (Doubles{8, 9, 3}));
}

TEST(Trap, ConditionsAreStrict) {
  EXPECT_EQ(
      trap_of("@input A f32[2]\n@output D f32[3]\nL^{3}_{a=0}[D^{f32,g}_{a}=if_then_else(a<2&A^{f32,g}_{a}>0,1,0);];")
          .kind,
      TrapKind::out_of_range);
  EXPECT_EQ(
      trap_of("@input A f32[2]\n@output D f32[3]\nL^{3}_{a=0}[D^{f32,g}_{a}=if_then_else(0<=a|A^{f32,g}_{a}>0,1,0);];")
          .kind,
      TrapKind::out_of_range);
  EXPECT_EQ(
      trap_of("@input A f32[2]\n@output D f32[3]\nL^{3}_{a=0}[D^{f32,g}_{a}=if_then_else(2<a<A^{f32,g}_{a},1,0);];")
          .kind,
      TrapKind::out_of_range);
}

TEST(Trap, OutputNotWritten) {
  const Trap trap = trap_of("@output D f32[2,3]\nL^{2}_{a=0}L^{3}_{c=0}?{a+c!=2}[D^{f32,g}_{a,c}=1;];");
  EXPECT_EQ(trap.kind, TrapKind::not_written);
  EXPECT_EQ(trap.tensor, "D");
  EXPECT_EQ(trap.subscripts, (Subscripts{0, 2}));
  EXPECT_EQ(trap_of("@output D f32[2]\n@output E f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=1;];").kind, TrapKind::not_written);
}

TEST(Trap, InputsMissingOrWrong) {
  const Program program = program_of("@input A f32[2]\n@output D f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};];");
  EXPECT_EQ(run(program, {}).error().kind, TrapKind::input_missing);
  EXPECT_EQ(run(program, {{"A", tensor_of<int>(DType::f32, {3}, {1, 2, 3})}}).error().kind, TrapKind::input_mismatch);
  EXPECT_EQ(run(program, {{"A", tensor_of<int>(DType::f64, {2}, {1, 2})}}).error().kind, TrapKind::input_mismatch);
  EXPECT_EQ(run(program, {{"A", Tensor{DType::f32, {2}, {}}}}).error().kind, TrapKind::input_mismatch);
  EXPECT_TRUE(run(program, {{"A", tensor_of<int>(DType::f32, {2}, {1, 2})}, {"Z", Tensor{}}}).ok());
}

TEST(Trap, ProgramsWithoutAMeaning) {
  const auto invalid = [](const std::string& text) {
    const Trap trap = trap_of(text);
    EXPECT_EQ(trap.kind, TrapKind::invalid) << text;
    EXPECT_FALSE(trap.message.empty());
  };
  invalid("@input A f32[2]\n@output D f32[2]\nL^{2}_{a=0}[D^{f32,g}_{c}=A^{f32,g}_{a};];");
  invalid("@input A f32[2]\n@output D f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a,a};];");
  invalid("@input A f32[2]\n@output D f32[2]\nL^{2}_{a=0}[A^{f32,g}_{a}=1;D^{f32,g}_{a}=A^{f32,g}_{a};];");
  invalid("@input A f32[2]\n@output D f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=A^{f64,g}_{a};];");
  invalid("@output D f32[2]\nL^{2}_{a=0}[L^{2}_{a=0}[D^{f32,g}_{a}=1;];];");
  invalid("@output D f32[2]\nB^{2}_{tx=0}[B^{2}_{txa=0}[D^{f32,g}_{tx}=1;];];");
  invalid("@input A i32[2]\n@output D i32[2]\nL^{2}_{a=0}[D^{i32,g}_{a}=A^{i32,g}_{a}+inf;];");
  invalid("@output D f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=E^{f32,g}_{a};];");
}

TEST(Trap, BudgetIsRefusedBeforeAnyWork) {
  RunOptions options;
  options.budget = 1000;
  options.progress = [](double, double) {
    ADD_FAILURE() << "work was done";
    return true;
  };
  const std::string text = "@output D f32[1]\nL^{1000000}_{a=0}[D^{f32,g}_{0}=D^{f32,g}_{0}+1;];";
  EXPECT_EQ(trap_of(text, {}, options).kind, TrapKind::budget);
  const auto work = estimate_work(program_of(text));
  ASSERT_TRUE(work.has_value());
  EXPECT_EQ(work->executions, 1e6);
  EXPECT_EQ(work->operations, 2e6);
  EXPECT_EQ(work->bytes, 8);
}

TEST(Trap, AbsurdExtentsAreRefusedAtOnce) {
  const std::string big = "4611686018427387904";
  EXPECT_EQ(trap_of("@output D f32[1]\nL^{" + big + "}_{a=0}L^{" + big + "}_{c=0}L^{" + big +
                    "}_{d=0}[D^{f32,g}_{0}=D^{f32,g}_{0}+1;];")
                .kind,
            TrapKind::budget);
  EXPECT_EQ(trap_of("@output D f32[" + big + "]\nL^{2}_{a=0}[D^{f32,g}_{a}=1;];").kind, TrapKind::memory);
  Program program = program_of("@input A f32[9,9]\n@output D f32[1]\nL^{1}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a,a};];");
  program.signature.variables[0].shape = {std::int64_t{1} << 62, std::int64_t{1} << 62};
  EXPECT_EQ(make_inputs(program.signature, 1).error().kind, TrapKind::memory);
  EXPECT_EQ(run(program, {}).error().kind, TrapKind::memory);
  RunOptions small;
  small.memory = 10000;
  EXPECT_EQ(
      trap_of("@input A i64[1000]\n@output D "
              "f32[1]\nL^{1000}_{a=0}[E^{f32,g}_{A^{i64,g}_{a}*A^{i64,g}_{a}+a*9}=1;];L^{1}_{a=0}[D^{f32,g}_{0}=1;];",
              {}, small)
          .kind,
      TrapKind::memory);
}

TEST(Trap, Cancellation) {
  RunOptions options;
  int calls = 0;
  options.progress = [&calls](double done, double estimated) {
    EXPECT_LE(done, estimated);
    return ++calls < 3;
  };
  EXPECT_EQ(trap_of("@output D f32[1]\nL^{1000000}_{a=0}[D^{f32,g}_{0}=D^{f32,g}_{0}+1;];", {}, options).kind,
            TrapKind::cancelled);
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace steptp::testing
