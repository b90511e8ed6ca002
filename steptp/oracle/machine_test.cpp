#include <cmath>
#include <limits>

#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<float> floats(const Tensors& inputs, const std::string& name) {
  std::vector<float> values;
  for (const double value : numbers(inputs.at(name))) values.push_back(static_cast<float>(value));
  return values;
}

TEST(Machine, MatmulIsTheThreeLoopsInF32) {
  const Program program = program_of(
      "@input A f32[3,7]\n@input C f32[7,5]\n@output D f32[3,5]\n"
      "B^{3}_{tx=0}L^{5}_{a=0}L^{7}_{d=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,d}*C^{f32,g}_{d,a};];");
  const auto inputs = make_inputs(program.signature, 9);
  const auto result = run(program, *inputs);
  ASSERT_TRUE(result.ok());
  const auto a = floats(*inputs, "A");
  const auto c = floats(*inputs, "C");
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < 7; ++k) {
        const float product = a[i * 7 + k] * c[k * 5 + j];
        sum = sum + product;
      }
      EXPECT_EQ(numbers(result->outputs.at("D"))[i * 5 + j], static_cast<double>(sum));
    }
  }
  EXPECT_EQ(result->executions, 105u);
  EXPECT_EQ(result->operations, 315u);
}

TEST(Machine, SoftmaxOverRows) {
  const Program program = program_of(
      "@input A f64[2,3]\n@output C f64[2,3]\n"
      "B^{2}_{tx=0}L^{3}_{a=0}[D^{f64,g}_{tx}=max(D^{f64,g}_{tx},A^{f64,g}_{tx,a});];"
      "B^{2}_{tx=0}L^{3}_{a=0}[E^{f64,g}_{tx}=E^{f64,g}_{tx}+exp(A^{f64,g}_{tx,a}-D^{f64,g}_{tx});];"
      "B^{2}_{tx=0}L^{3}_{a=0}[C^{f64,g}_{tx,a}=exp(A^{f64,g}_{tx,a}-D^{f64,g}_{tx})/E^{f64,g}_{tx};];");
  const Doubles a = {0, 1, 2, -1, -1, -1};
  const RunResult result = run_ok(program, {{"A", tensor_of(DType::f64, {2, 3}, a)}});
  const Doubles c = numbers(result.outputs.at("C"));
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += std::exp(a[i * 3 + j] - (i == 0 ? 2 : -1));
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(c[i * 3 + j], std::exp(a[i * 3 + j] - (i == 0 ? 2 : -1)) / sum, 1e-15);
  }
}

TEST(Machine, ConvolutionWithLazyPadding) {
  const Program program = program_of(
      "@input A f32[2,2,4,4]\n@input D f32[3,2,3,3]\n@output C f32[2,3,2,2]\n"
      "B^{2}_{tx=0}L^{2}_{a=0}L^{6}_{c=0}L^{6}_{d=0}[E^{f32,g}_{tx,a,c,d}=if_then_else(1<=c<5&1<=d<5,A^{f32,g}_{tx,a,c-"
      "1,d-1},0);];"
      "B^{2}_{tx=0}L^{3}_{a=0}L^{2}_{c=0}L^{2}_{d=0}L^{2}_{f=0}L^{3}_{g=0}L^{3}_{h=0}"
      "[C^{f32,g}_{tx,a,c,d}=C^{f32,g}_{tx,a,c,d}+E^{f32,g}_{tx,f,c*2+g,d*2+h}*D^{f32,g}_{a,f,g,h};];");
  const auto inputs = make_inputs(program.signature, 3);
  const auto result = run(program, *inputs);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const auto a = floats(*inputs, "A");
  const auto w = floats(*inputs, "D");
  const Doubles got = numbers(result->outputs.at("C"));
  std::size_t at = 0;
  for (int n = 0; n < 2; ++n) {
    for (int o = 0; o < 3; ++o) {
      for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 2; ++x) {
          float sum = 0;
          for (int i = 0; i < 2; ++i) {
            for (int g = 0; g < 3; ++g) {
              for (int h = 0; h < 3; ++h) {
                const int r = y * 2 + g - 1;
                const int c = x * 2 + h - 1;
                const bool in = r >= 0 && r < 4 && c >= 0 && c < 4;
                const float value = in ? a[static_cast<std::size_t>(((n * 2 + i) * 4 + r) * 4 + c)] : 0.0f;
                sum = sum + value * w[static_cast<std::size_t>(((o * 2 + i) * 3 + g) * 3 + h)];
              }
            }
          }
          EXPECT_EQ(got[at++], static_cast<double>(sum));
        }
      }
    }
  }
}

TEST(Machine, OnlineSoftmaxIsAGuardedRecurrence) {
  const Program program = program_of(
      "@input A f32[2,4]\n@output C f32[2,4]\n"
      "B^{2}_{tx=0}L^{4}_{a=0}[D^{f32,g}_{tx,a}=max(if_then_else(a-1<0,-inf,D^{f32,g}_{tx,a-1}),A^{f32,g}_{tx,a});"
      "F^{f32,g}_{tx,a}=if_then_else(a-1<0,1,F^{f32,g}_{tx,a-1})*exp(if_then_else(a-1<0,-inf,D^{f32,g}_{tx,a-1})-"
      "D^{f32,g}_{tx,a})+exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx,a});];"
      "B^{2}_{tx=0}L^{4}_{a=0}[C^{f32,g}_{tx,a}=exp(A^{f32,g}_{tx,a}-D^{f32,g}_{tx,3})/F^{f32,g}_{tx,3};];");
  const auto inputs = make_inputs(program.signature, 5);
  const Doubles a = numbers(inputs->at("A"));
  const RunResult result = run_ok(program, *inputs);
  const Doubles c = numbers(result.outputs.at("C"));
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += std::exp(a[i * 4 + j]);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(c[i * 4 + j], std::exp(a[i * 4 + j]) / sum, 1e-6);
  }
}

TEST(Machine, IndirectIndexingAtAnyDepth) {
  EXPECT_EQ(output("@input E f64[2,3]\n@input C i64[2]\n@output I f64[2]\n"
                   "B^{2}_{tx=0}[I^{f64,g}_{tx}=-E^{f64,g}_{tx,C^{i64,g}_{tx}};];",
                   "I",
                   {{"E", tensor_of<double>(DType::f64, {2, 3}, {1, 2, 3, 4, 5, 6})},
                    {"C", tensor_of<int>(DType::i64, {2}, {2, 0})}}),
            (Doubles{-3, -4}));
  // A histogram: an intermediate written at subscripts that only the run knows.
  EXPECT_EQ(
      output(
          "@input A i32[5]\n@input C u8[3]\n@output D i32[3]\n"
          "L^{3}_{a=0}[E^{i32,g}_{a*1000}=0;];"
          "L^{5}_{a=0}[E^{i32,g}_{C^{u8,g}_{A^{i32,g}_{a}}*1000}=E^{i32,g}_{C^{u8,g}_{A^{i32,g}_{a}}*1000}+1;];"
          "L^{3}_{a=0}[D^{i32,g}_{a}=E^{i32,g}_{a*1000};];",
          "D",
          {{"A", tensor_of<int>(DType::i32, {5}, {0, 1, 2, 2, 0})}, {"C", tensor_of<int>(DType::u8, {3}, {2, 1, 0})}}),
      (Doubles{2, 1, 2}));
  // Beyond every array: kept in a map.
  EXPECT_EQ(output("@input A i64[2]\n@output D i64[2]\n"
                   "L^{2}_{a=0}[E^{i64,g}_{A^{i64,g}_{a}}=a+5;];L^{2}_{a=0}[D^{i64,g}_{a}=E^{i64,g}_{A^{i64,g}_{a}};];",
                   "D", {{"A", tensor_of<std::int64_t>(DType::i64, {2}, {4000000000000000000, 7})}}),
            (Doubles{5, 6}));
}

TEST(Machine, SubscriptsFloorAndAreExact) {
  EXPECT_EQ(output("@output D i64[6]\nL^{6}_{a=0}[E^{i64,g}_{(a-6)//4+2,(a-6)%4}=a;];"
                   "L^{6}_{a=0}[D^{i64,g}_{a}=E^{i64,g}_{(a-6)//4+2,(a-6)%4};];",
                   "D"),
            (Doubles{0, 1, 2, 3, 4, 5}));
  // 2^62 * a leaves 64 bits on the way and comes back.
  EXPECT_EQ(output("@output D i64[8]\nL^{8}_{a=0}[D^{i64,g}_{(a*4611686018427387904)//4611686018427387904}=a;];", "D"),
            (Doubles{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(output("@output D i64[6]\nL^{2}_{a=0}L^{3}_{c=0}[D^{i64,g}_{a*3+c}=a*10+c;];", "D"),
            (Doubles{0, 1, 2, 10, 11, 12}));
}

TEST(Machine, ImplicitInitialisationWithEveryOperatorAndDtype) {
  for (const DType dtype : kAllDTypes) {
    const std::string type(code(dtype));
    const auto reduce = [&](const std::string& right) {
      return output(
          "@input A " + type + "[3]\n@output D " + type + "[1]\nL^{3}_{a=0}[D^{" + type + ",g}_{0}=" + right + ";];",
          "D", {{"A", tensor_of<int>(dtype, {3}, {3, 1, 2})}});
    };
    const std::string x = "D^{" + type + ",g}_{0}";
    const std::string a = "A^{" + type + ",g}_{a}";
    const bool boolean = dtype == DType::boolean;
    EXPECT_EQ(reduce(x + "+" + a), Doubles{boolean ? 1.0 : 6.0}) << type;
    EXPECT_EQ(reduce(a + "+" + x), Doubles{boolean ? 1.0 : 6.0}) << type;
    EXPECT_EQ(reduce(x + "*" + a), Doubles{boolean ? 1.0 : 6.0}) << type;
    EXPECT_EQ(reduce("max(" + x + "," + a + ")"), Doubles{boolean ? 1.0 : 3.0}) << type;
    EXPECT_EQ(reduce("min(" + a + "," + x + ")"), Doubles{1.0}) << type;
    EXPECT_EQ(reduce("max(" + a + ",max(" + x + "," + a + "))"), Doubles{boolean ? 1.0 : 3.0}) << type;
    const double difference = dtype == DType::u8 ? 250 : boolean ? 1 : -6;
    EXPECT_EQ(reduce(x + "-" + a), Doubles{difference}) << type;
  }
  // The identity of max is -inf: a row of -inf stays.
  EXPECT_EQ(output("@input A f16[2]\n@output D f16[1]\nL^{2}_{a=0}[D^{f16,g}_{0}=max(D^{f16,g}_{0},A^{f16,g}_{a});];",
                   "D", {{"A", tensor_of<double>(DType::f16, {2}, {-kInf, -kInf})}}),
            Doubles{-kInf});
}

TEST(Machine, EveryDtypeRoundsAndWrapsInItself) {
  // f16: 2048+1 stays 2048, one term at a time; in f64 the sum would be 2051.
  EXPECT_EQ(output("@input A f16[4]\n@output D f16[1]\nL^{4}_{a=0}[D^{f16,g}_{0}=D^{f16,g}_{0}+A^{f16,g}_{a};];", "D",
                   {{"A", tensor_of<int>(DType::f16, {4}, {2048, 1, 1, 1})}}),
            Doubles{2048});
  EXPECT_EQ(output("@input A bf16[4]\n@output D bf16[1]\nL^{4}_{a=0}[D^{bf16,g}_{0}=D^{bf16,g}_{0}+A^{bf16,g}_{a};];",
                   "D", {{"A", tensor_of<int>(DType::bf16, {4}, {256, 1, 1, 1})}}),
            Doubles{256});
  // A chain folds from the left, types too: (f16+f16) is rounded before it meets f32.
  EXPECT_EQ(
      output("@input A f16[1]\n@input C f32[1]\n@output D f32[1]\n"
             "L^{1}_{a=0}[D^{f32,g}_{a}=A^{f16,g}_{a}+1+C^{f32,g}_{a};];",
             "D", {{"A", tensor_of<int>(DType::f16, {1}, {2048})}, {"C", tensor_of<double>(DType::f32, {1}, {0.5})}}),
      Doubles{2048.5});
  EXPECT_EQ(output("@input A i8[2]\n@output D i8[2]\nL^{2}_{a=0}[D^{i8,g}_{a}=A^{i8,g}_{a}*2+1;];", "D",
                   {{"A", tensor_of<int>(DType::i8, {2}, {100, -128})}}),
            (Doubles{-55, 1}));
  // The store converts: truncates and saturates.
  EXPECT_EQ(output("@input A f32[3]\n@output D u8[3]\nL^{3}_{a=0}[D^{u8,g}_{a}=A^{f32,g}_{a};];", "D",
                   {{"A", tensor_of<double>(DType::f32, {3}, {-3.5, 2.9, 300})}}),
            (Doubles{0, 2, 255}));
  EXPECT_EQ(output("@input A i32[2]\n@output D "
                   "f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=A^{i32,g}_{a}/2+A^{i32,g}_{a}//2+A^{i32,g}_{a}%3;];",
                   "D", {{"A", tensor_of<int>(DType::i32, {2}, {7, -7})}}),
            (Doubles{3.5 + 3 + 1, -3.5 - 4 + 2}));
  EXPECT_EQ(output("@input A i8[1]\n@output D i8[1]\nL^{1}_{a=0}[D^{i8,g}_{a}=A^{i8,g}_{a}**3-2**2;];", "D",
                   {{"A", tensor_of<int>(DType::i8, {1}, {5})}}),
            Doubles{121});
  EXPECT_EQ(output("@input A f64[1]\n@output D f64[1]\nL^{1}_{a=0}[D^{f64,g}_{a}=-A^{f64,g}_{a}**2;];", "D",
                   {{"A", tensor_of<int>(DType::f64, {1}, {3})}}),
            Doubles{-9});
  // Weak only: indices are integers, `/` makes f64.
  EXPECT_EQ(output("@output D f64[3]\nL^{3}_{a=0}[D^{f64,g}_{a}=a/2+a//2;];", "D"), (Doubles{0, 0.5, 2}));
}

TEST(Machine, ConditionsAndBooleans) {
  EXPECT_EQ(output("@output D bool[5]\nL^{5}_{a=0}[D^{bool,g}_{a}=0<a<=3&a!=2|a==4;];", "D"), (Doubles{0, 1, 0, 1, 1}));
  EXPECT_EQ(output("@input A f32[3]\n@output D i64[3]\nL^{3}_{a=0}[D^{i64,g}_{a}=if_then_else(A^{f32,g}_{a},10,20);];",
                   "D", {{"A", tensor_of<double>(DType::f32, {3}, {0, 0.5, std::nan("")})}}),
            (Doubles{20, 10, 10}));
  EXPECT_EQ(output("@input A f32[2]\n@output D bool[2]\nL^{2}_{a=0}[D^{bool,g}_{a}=A^{f32,g}_{a}!=A^{f32,g}_{a};];",
                   "D", {{"A", tensor_of<double>(DType::f32, {2}, {1, std::nan("")})}}),
            (Doubles{0, 1}));
}

TEST(Machine, GuardsLetIterationsThrough) {
  EXPECT_EQ(output("@input A f32[7]\n@output D f32[7]\n"
                   "B^{3}_{bxa=0}B^{3}_{tx=0}?{bxa*3+tx<7}[D^{f32,g}_{bxa*3+tx}=A^{f32,g}_{bxa*3+tx}*2;];",
                   "D", {{"A", tensor_of<int>(DType::f32, {7}, {0, 1, 2, 3, 4, 5, 6})}}),
            (Doubles{0, 2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(output("@output D i64[1]\nL^{10}_{a=0}?{a%3==0|a>7&a}[D^{i64,g}_{0}=D^{i64,g}_{0}+a;];", "D"),
            Doubles{0 + 3 + 6 + 9 + 8});
}

TEST(Machine, MissingSemicolonNests) {
  // The second nest runs inside the first one's loop.
  EXPECT_EQ(
      output("@output D i64[2]\nL^{2}_{a=0}[D^{i64,g}_{a}=0;]L^{3}_{c=0}[D^{i64,g}_{a}=D^{i64,g}_{a}+c*(a+1);];", "D"),
      (Doubles{3, 6}));
}

TEST(Machine, ScalarsAndBareEquations) {
  EXPECT_EQ(
      output("@input A f32\n@output D f32\nD^{f32,g}=A^{f32,g}+1;", "D", {{"A", tensor_of<int>(DType::f32, {}, {4})}}),
      Doubles{5});
}

TEST(Machine, ItemsRunInTextualOrderForEachPoint) {
  EXPECT_EQ(output("@output D i64[3]\nL^{3}_{a=0}[E^{i64,g}=a;D^{i64,g}_{a}=E^{i64,g}*10;E^{i64,g}=0;];", "D"),
            (Doubles{0, 10, 20}));
  // Prefix sums: an accumulator that outlives the iteration.
  EXPECT_EQ(output("@output D i64[4]\nL^{4}_{a=0}[E^{i64,g}=E^{i64,g}+a;D^{i64,g}_{a}=E^{i64,g};];", "D"),
            (Doubles{0, 1, 3, 6}));
}

TEST(Machine, ConstantsComeFromTheSignature) {
  Program program = program_of("@constant A f32[2]\n@output D f32[2]\nL^{2}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};];");
  program.signature.variables[0].values = {1.5, -2};
  const auto result = run(program, {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(numbers(result->outputs.at("D")), (Doubles{1.5, -2}));
  EXPECT_EQ(numbers(make_inputs(program.signature, 1)->at("A")), (Doubles{1.5, -2}));
  program.signature.variables[0].values = {1.5};
  EXPECT_EQ(run(program, {}).error().kind, TrapKind::input_mismatch);
}

TEST(Machine, StatisticsOfOutputs) {
  const RunResult result =
      run_ok(program_of("@input A f32[5]\n@output D f32[5]\nL^{5}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};];"),
             {{"A", tensor_of<double>(DType::f32, {5}, {3, -1, kInf, std::nan(""), 1})}});
  const OutputStatistics& statistics = result.statistics.at("D");
  EXPECT_EQ(statistics.count, 5u);
  EXPECT_EQ(statistics.nans, 1u);
  EXPECT_EQ(statistics.infinities, 1u);
  EXPECT_EQ(statistics.least, -1);
  EXPECT_EQ(statistics.greatest, 3);
  EXPECT_EQ(statistics.mean, 1);
  // Written down once: files hold this number.
  EXPECT_EQ(statistics_of(tensor_of<int>(DType::u8, {3}, {1, 2, 3})).checksum,
            combine(combine(hash_text("u8"), 3), 0x030201));
}

}  // namespace
}  // namespace steptp::testing
