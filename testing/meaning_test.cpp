// One row for every rule of the meaning: the expression, what its operands are, what comes out.

#include "testing/meaning.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

Program read(const std::string& text) {
  Document document = read_document("meaning", text);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source) << text;
  return document.program;
}

/// Inputs from {name, position, value}.
struct Given {
  std::string name;
  std::int64_t position;
  double value;
};
MeaningInputs given(const Signature& signature, const std::vector<Given>& list) {
  MeaningInputs inputs;
  for (const Given& one : list) {
    const Variable* variable = signature.find(one.name);
    inputs.set[one.name][one.position] = variable && !is_float(variable->dtype)
                                             ? input_integer(static_cast<std::int64_t>(one.value))
                                             : input_real(one.value);
  }
  return inputs;
}

/// The elements of D as text.
std::string meant(const std::string& text, const std::vector<Given>& list = {}) {
  const Program program = read(text);
  Reals reals;
  MeantArithmetic arithmetic(reals);
  std::string out;
  const auto outputs = evaluate_meaning(program, given(program.signature, list), reals);
  for (const Meant& value : outputs.at("D")) {
    append(out, out.empty() ? "" : " ", arithmetic.text(value));
  }
  return out;
}

/// D = the expression in A (f32, given), C (f32, 2) and I (i8, given as the same number), stored in a dtype.
std::string scalar(const std::string& expression, double a = 0, const std::string& dtype = "f32") {
  return meant(concat("@input A f32[1]\n@input C f32[1]\n@input I i8[1]\n@output D ", dtype, "[1]\n^f32;\na1 D^", dtype,
                      "(a)=", expression, ";\n"),
               {{"A", 0, a}, {"C", 0, 2}, {"I", 0, a}});
}

constexpr double kInf = __builtin_inf();

struct Row {
  const char* expression;
  double a;
  const char* dtype;
  const char* value;
};

class MeaningRow : public ::testing::TestWithParam<Row> {};

TEST_P(MeaningRow, IsWhatThePageSays) {
  const Row& row = GetParam();
  EXPECT_EQ(scalar(row.expression, row.a, row.dtype), row.value)
      << row.expression << " at " << row.a << " in " << row.dtype;
}

INSTANTIATE_TEST_SUITE_P(
    Values, MeaningRow,
    ::testing::Values(
        // reals are exact, a literal is the decimal as written, there is one zero
        Row{"A(a)+0.1-0.1", 3, "f32", "3"}, Row{"0.1+0.2-0.3+A(a)", 0, "f32", "0"}, Row{"A(a)/3*3", 1, "f16", "1"},
        Row{"A(a)*1e300*1e300/1e300/1e300", 1, "f32", "1"}, Row{"where(0-A(a)*C(a)==0,1,2)", 0, "f32", "1"},
        Row{"1e-5*A(a)", 1, "f32", "1/100000"}, Row{"where(0.1+0.2==0.3,A(a),5)", 1, "f32", "1"},
        // infinities and NaN
        Row{"inf-inf+A(a)", 1, "f32", "NaN"}, Row{"A(a)*inf", 0, "f32", "NaN"}, Row{"A(a)*inf", -2, "f32", "-inf"},
        Row{"A(a)/inf", 5, "f32", "0"}, Row{"(A(a)*inf)/inf", 1, "f32", "NaN"}, Row{"inf/A(a)", -1, "f32", "-inf"},
        Row{"A(a)-inf", 1e30, "f32", "-inf"},
        // functions at the edges
        Row{"log(A(a))", 0, "f32", "-inf"}, Row{"log(A(a))", -1, "f32", "NaN"}, Row{"log(A(a))", 1, "f32", "0"},
        Row{"sqrt(A(a))", -1, "f32", "NaN"}, Row{"sqrt(A(a))", 2.25, "f32", "3/2"}, Row{"sqrt(A(a))", 0, "f32", "0"},
        Row{"rsqrt(A(a))", 0, "f32", "no value"}, Row{"rsqrt(A(a))", 4, "f32", "1/2"},
        Row{"rsqrt(A(a))", -4, "f32", "NaN"}, Row{"exp(A(a)-inf)", 1, "f32", "0"}, Row{"exp(A(a))", 0, "f32", "1"},
        Row{"tanh(A(a)*inf)", 2, "f32", "1"}, Row{"erf(A(a)*inf)", -2, "f32", "-1"},
        Row{"sin(A(a)*inf)", 1, "f32", "NaN"}, Row{"exp(log(A(a)))", 0, "f32", "0"},
        Row{"max(log(A(a)),-100)", 0, "f32", "-100"}, Row{"max(log(A(a)),-100)", -1, "f32", "-100"},
        // quotients and remainders
        Row{"C(a)/A(a)", 0, "f32", "no value"}, Row{"A(a)/A(a)", 0, "f32", "no value"},
        Row{"inf/A(a)", 0, "f32", "no value"}, Row{"C(a)//A(a)", 0, "f32", "no value"},
        Row{"C(a)%A(a)", 0, "f32", "no value"}, Row{"A(a)//C(a)", -3, "f32", "-2"}, Row{"A(a)%C(a)", -3, "f32", "1"},
        Row{"A(a)%(0-C(a))", 3, "f32", "-1"}, Row{"A(a)/(A(a)-A(a))", 1, "f32", "no value"},
        // powers
        Row{"A(a)**2", -3, "f32", "9"}, Row{"A(a)**0.5", -3, "f32", "NaN"}, Row{"A(a)**0.5", 9, "f32", "3"},
        Row{"A(a)**(-1)", 0, "f32", "no value"}, Row{"A(a)**(-1)", -4, "f32", "-1/4"}, Row{"A(a)**0", 0, "f32", "1"},
        Row{"A(a)**C(a)", 0, "f32", "0"}, Row{"A(a)**3", -2, "f32", "-8"}, Row{"A(a)**(0-C(a))", -2, "f32", "1/4"},
        Row{"A(a)**1.5", -4, "f32", "NaN"}, Row{"A(a)**1.5", 4, "f32", "8"}));

INSTANTIATE_TEST_SUITE_P(
    ConversionsAndConditions, MeaningRow,
    ::testing::Values(
        // max and min drop NaN, comparisons with NaN are false except !=
        Row{"max(sqrt(A(a)),-5)", -1, "f32", "-5"}, Row{"min(sqrt(A(a)),7)", -1, "f32", "7"},
        Row{"max(sqrt(A(a)),log(A(a)))", -1, "f32", "NaN"}, Row{"where(sqrt(A(a))<1,1,2)", -1, "f32", "2"},
        Row{"where(sqrt(A(a))>=1,1,2)", -1, "f32", "2"}, Row{"where(sqrt(A(a))!=1,1,2)", -1, "f32", "1"},
        Row{"where(sqrt(A(a))==sqrt(A(a)),1,2)", -1, "f32", "2"}, Row{"where(log(A(a))==0-inf,1,2)", 0, "f32", "1"},
        // no value is strict, except in a branch that is not taken
        Row{"max(C(a)/A(a),1)", 0, "f32", "no value"}, Row{"where(C(a)/A(a)>1,1,2)", 0, "f32", "no value"},
        Row{"C(a)/A(a)", 0, "bool", "no value"}, Row{"C(a)/A(a)", 0, "i8", "no value"},
        Row{"where(A(a)==0,5,C(a)/A(a))", 0, "f32", "5"}, Row{"where(A(a)==0|C(a)/A(a)>0,5,6)", 0, "f32", "no value"},
        Row{"0*(C(a)/A(a))", 0, "f32", "no value"}, Row{"C(a)/(C(a)/A(a))", 0, "f32", "no value"},
        // roundings
        Row{"round(A(a))", 2.5, "f32", "2"}, Row{"round(A(a))", 3.5, "f32", "4"}, Row{"round(A(a))", -2.5, "f32", "-2"},
        Row{"round(A(a))", 2.75, "f32", "3"}, Row{"floor(A(a))", -0.5, "f32", "-1"},
        Row{"ceil(A(a))", -0.5, "f32", "0"}, Row{"floor(exp(A(a)))", 1, "f32", "2"},
        Row{"round(exp(A(a)))", 1, "f32", "3"}, Row{"ceil(log(A(a)))", 0, "f32", "-inf"},
        // conversions: to integer cuts off and saturates, NaN is 0; to bool is != 0, NaN is true; integers wrap
        Row{"A(a)", -2.75, "i8", "-2"}, Row{"A(a)", 300, "i8", "127"}, Row{"A(a)", -300, "u8", "0"},
        Row{"A(a)*inf", -1, "i16", "-32768"}, Row{"sqrt(A(a))", -1, "i32", "0"}, Row{"sqrt(A(a))", -1, "bool", "1"},
        Row{"A(a)", 0, "bool", "0"}, Row{"A(a)", 0.001, "bool", "1"}, Row{"log(A(a))", 0, "bool", "1"},
        Row{"I^i8(a)", 5, "bool", "1"}, Row{"I^i8(a)+100", 100, "i8", "-56"}, Row{"I^i8(a)*2", 100, "i64", "-56"},
        Row{"I^i8(a)*2.0", 100, "f32", "200"}, Row{"abs(I^i8(a))", -128, "i8", "-128"},
        Row{"-I^i8(a)", -128, "i8", "-128"}, Row{"I^i8(a)//3", -7, "i8", "-3"}, Row{"I^i8(a)%3", -7, "i8", "2"},
        Row{"I^i8(a)//I(a)", 0, "i8", "no value"}, Row{"I^i8(a)%I(a)", 0, "i8", "no value"},
        Row{"I^i8(a)/4", 6, "f32", "3/2"}, Row{"I^i8(a)**3", 10, "i32", "-24"}, Row{"I^i8(a)+200", 0, "i32", "-56"},
        Row{"max(I^i8(a),3)", -1, "i8", "3"}, Row{"A(a)+a", 1, "f32", "1"},
        // identical expressions of functions are equal, different ones are told apart by enclosures
        Row{"where(exp(A(a))==exp(A(a)),1,2)", 3, "f32", "1"}, Row{"where(exp(A(a))>20,1,2)", 3, "f32", "1"},
        Row{"where(tanh(200+abs(A(a)))<1,1,2)", 3, "f32", "1"}, Row{"where(1+exp(-1000-A(a))>1,1,2)", 3, "f32", "1"},
        Row{"where(log(exp(A(a)))==A(a),1,2)", 3, "f32", "cannot tell"}));

TEST(Meaning, AMaxOverNanAloneIsItsIdentity) {
  EXPECT_EQ(meant("@input A f32[3]\n@output D f32[1]\na3 D(0)=max(D(0),sqrt(A(a)));\n",
                  {{"A", 0, -1}, {"A", 1, -2}, {"A", 2, -3}}),
            "-inf");
  EXPECT_EQ(meant("@input A f32[3]\n@output D f32[1]\na3 D(0)=max(D(0),sqrt(A(a)));\n",
                  {{"A", 0, -1}, {"A", 1, 4}, {"A", 2, -3}}),
            "2");
}

TEST(Meaning, AccumulatorsStartFromTheirIdentity) {
  const std::vector<Given> data = {{"I", 0, 5}, {"I", 1, -7}, {"I", 2, 3}};
  const std::string head = "@input I i8[3]\n@output D i8[1]\n^i8;\na3 ";
  EXPECT_EQ(meant(head + "D(0)=D(0)+I(a);\n", data), "1");
  EXPECT_EQ(meant(head + "D(0)=D(0)*I(a);\n", data), "-105");
  EXPECT_EQ(meant(head + "D(0)=min(D(0),I(a));\n", data), "-7");
  EXPECT_EQ(meant(head + "D(0)=max(I(a),D(0));\n", data), "5");
  EXPECT_EQ(meant(head + "D(0)=D(0)*I(a)+1;\n", data), "no value") << "not of the form, so that D is undefined";
}

TEST(Meaning, AnElementWithoutAValueHarmsOnlyWhoEvaluatesIt) {
  const std::string text = "@input A f32[3]\n@output D f32[3]\na3 E(a)=1/A(a);a3 D(a)=where(a==1,7,E(a));\n";
  EXPECT_EQ(meant(text, {{"A", 0, 2}, {"A", 1, 0}, {"A", 2, 0}}), "1/2 7 no value");
}

TEST(Meaning, TheLastWriterCounts) {
  EXPECT_EQ(meant("@input A f32[4]\n@output D f32[4]\na4 D(a)=A(a);a2 D(a+1)=D(a)*10;\n",
                  {{"A", 0, 1}, {"A", 1, 2}, {"A", 2, 3}, {"A", 3, 4}}),
            "1 10 100 4");
  EXPECT_EQ(meant("@input A f32[6]\n@output D f32[2]\na6 D(a//3)=A(a);\n", {{"A", 2, 1}, {"A", 5, 2}}), "1 2");
  EXPECT_EQ(
      meant("@input A f32[6]\n@output D f32[3]\na2 c3 D(2-c)=A(a*3+c);\n", {{"A", 3, 1}, {"A", 4, 2}, {"A", 5, 3}}),
      "3 2 1");
}

TEST(Meaning, AnAccessOutOfRangeHasNoValue) {
  const std::string text = "@input A f32[3]\n@input I i64[2]\n@output D f32[2]\na2 D(a)=A(I^i64(a));\n";
  EXPECT_EQ(meant(text, {{"A", 2, 5}, {"I", 0, 2}, {"I", 1, 3}}), "5 no value");
  EXPECT_EQ(meant(text, {{"A", 2, 5}, {"I", 0, 2}, {"I", 1, -1}}), "5 no value");
}

TEST(Meaning, AWriteOutOfRangeLeavesNoElementAValue) {
  const std::string text = "@input A f32[3]\n@input I i64[3]\n@output D f32[2]\na2 D(a)=0;a3 D(I^i64(a))+=A(a);\n";
  const std::vector<Given> data = {{"A", 0, 1}, {"A", 1, 2}, {"A", 2, 4}, {"I", 0, 1}, {"I", 1, 0}};
  auto good = data;
  good.push_back({"I", 2, 1});
  EXPECT_EQ(meant(text, good), "2 5");
  auto bad = data;
  bad.push_back({"I", 2, 2});
  EXPECT_EQ(meant(text, bad), "no value no value");
}

TEST(Meaning, ScopesHaveHiddenSubscripts) {
  // E is per thread: each thread starts its own sum.
  EXPECT_EQ(meant("@input A f32[2,2]\n@output D f32[2]\ntx2{a2 E^l+=A(tx,a);D(tx)=E;}\n",
                  {{"A", 0, 1}, {"A", 1, 2}, {"A", 2, 3}, {"A", 3, 4}}),
            "3 7");
  EXPECT_EQ(meant("@input A f32[2,2]\n@output D f32[2]\ntx2{a2 E^g+=A(tx,a);D(tx)=E;}\n",
                  {{"A", 0, 1}, {"A", 1, 2}, {"A", 2, 3}, {"A", 3, 4}}),
            "3 10");
  // E is per block; the second nest over tx is the same threads.
  EXPECT_EQ(meant("@input A f32[2,2]\n@output D f32[2,2]\nbx2{tx2 E^s(tx)=A(bx,tx);tx2 D(bx,tx)=E(1-tx);}\n",
                  {{"A", 0, 1}, {"A", 1, 2}, {"A", 2, 3}, {"A", 3, 4}}),
            "2 1 4 3");
  // Each launch under a host loop starts with E undefined, so that the sum starts anew.
  EXPECT_EQ(meant("@input A f32[2,2]\n@output D f32[2]\na2 tx1{c2 E^l+=A(a,c);D(a)=E;}\n",
                  {{"A", 0, 1}, {"A", 1, 2}, {"A", 2, 3}, {"A", 3, 4}}),
            "3 7");
}

TEST(Meaning, GuardsLeaveOutIterations) {
  EXPECT_EQ(meant("@input A f32[5]\n@output D f32[1]\na2 c3 ?(a*3+c<5) D(0)=D(0)+A(a*3+c);\n",
                  {{"A", 0, 1}, {"A", 1, 1}, {"A", 2, 1}, {"A", 3, 1}, {"A", 4, 10}}),
            "14");
  EXPECT_EQ(meant("@input A f32[5]\n@output D f32[2]\na2 D(a)=max(D(a),A(a)-inf);\n"), "-inf -inf");
}

TEST(Meaning, OneElementOfAHugeTensorCostsOnlyWhatItIsMadeOf) {
  const Program program =
      read("@input A f32[1000000,64]\n@output D f32[1000000]\nbx1000000 a64 E(bx)+=A(bx,a);bx1000000 D(bx)=E(bx)*2;\n");
  MeaningInputs inputs;
  for (std::int64_t i = 0; i < 64; ++i) inputs.set["A"][777777 * 64 + i] = input_real(1);
  Reals reals;
  Meaning meaning(program, inputs, reals);
  EXPECT_EQ(meaning.arithmetic().text(meaning.element("D", {777777})), "128");
}

TEST(Meaning, LongRecurrencesDoNotOverflowTheStack) {
  const Program program = read("@input A f32[100000]\n@output D f32[100000]\na100000 D(a)=where(a==0,1,D(a-1))*1+1;\n");
  Reals reals;
  Meaning meaning(program, {}, reals);
  EXPECT_EQ(meaning.arithmetic().text(meaning.element("D", {99999})), "100001");
}

struct Pair {
  const char* before;
  const char* after;
  double a;
  const char* difference;  ///< empty: none
};

TEST(Meaning, TheRelationIsAPreorder) {
  const Pair pairs[] = {
      {"A(a)", "A(a)+0", 1, ""},
      {"A(a)", "A(a)+1", 1, "1 | 2"},
      {"A(a)", "A(a)*A(a)/A(a)", 0, "0 | no value"},
      {"A(a)*A(a)/A(a)", "A(a)", 0, ""},
      {"sqrt(A(a))", "sqrt(max(A(a),0))", -1, ""},
      {"sqrt(max(A(a),0))", "sqrt(A(a))", -1, "0 | NaN"},
      {"log(A(a))", "where(A(a)==0,5,log(A(a)))", 0, "-inf | 5"},
      {"log(A(a))", "log(A(a))", 0, ""},
      {"where(A(a)<0,1,2)", "where(A(a)<=0,1,2)", 0, "2 | 1"},
      {"log(exp(A(a)))", "A(a)", 3, ""},
      {"C(a)", "C(a)*tanh(200+abs(A(a)))", 3, "2 | 2.0000000000000000000"},
  };
  for (const Pair& pair : pairs) {
    const std::string head = "@input A f32[1]\n@input C f32[1]\n@output D f32[1]\na1 D(a)=";
    const Program before = read(head + pair.before + ";\n");
    const Program after = read(head + pair.after + ";\n");
    const auto found = first_difference(before, after, given(before.signature, {{"A", 0, pair.a}, {"C", 0, 2}}));
    EXPECT_EQ(found ? found->before + " | " + found->after : "", pair.difference) << pair.before << " " << pair.after;
  }
}

TEST(Meaning, InputsSurviveJson) {
  const Signature signature = read("@input A f32[9]\n@input I i64[9]\n@output D f32[1]\na1 D(a)=A(0);\n").signature;
  MeaningInputs inputs = given(signature, {{"A", 3, 0.5}, {"A", 4, -kInf}, {"A", 5, 2}, {"I", 8, 123456789}});
  inputs.seed = 7;
  const MeaningInputs back = inputs_from_json(to_json(inputs), signature);
  EXPECT_EQ(back.seed, 7u);
  EXPECT_EQ(back.set, inputs.set);
}

}  // namespace
}  // namespace steptp::testing
