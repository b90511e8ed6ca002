// How calls of a graph are written down: inside an expression, or in one nest with the next call.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

#include "steptp/base/text.h"
#include "steptp/documents/zoo_program.h"
#include "steptp/frontend/lower.h"
#include "steptp/graph/graph_json.h"
#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"

namespace steptp {
namespace {

std::string call(const std::string& name, const std::string& op, const std::string& arguments,
                 const std::string& written = {}) {
  return concat(R"(,{"kind":"call","name":")", name, R"(","op":"aten.)", op, R"(","args":{)", arguments, "}",
                written.empty() ? "" : concat(R"(,"written":")", written, "\""), "}");
}

/// A graph with the inputs x and y, f32[4,8], and the output z.
Result<frontend::Lowered, Diagnostic> lowered(const std::string& calls) {
  const std::string input = R"("dtype":"f32","shape":[4,8]})";
  const auto graph =
      graph::parse_graph(concat(R"({"name":"g","nodes":[{"kind":"input","name":"x",)", input,
                                R"(,{"kind":"input","name":"y",)", input, calls, R"(],"outputs":["z"]})"));
  if (!graph) return graph.error();
  EXPECT_EQ(graph::to_json(*graph::graph_from_json(graph::to_json(*graph))).dump(), graph::to_json(*graph).dump());
  return frontend::lower(*graph);
}

std::string text_of(const std::string& calls) {
  const auto made = lowered(calls);
  if (!made) return made.error().message;
  EXPECT_EQ(check_program(made->program).verdict, CheckReport::Verdict::ok);
  return print(made->program, Profile::compact);
}

const std::string kProduct = call("p", "mul.Tensor", R"("self":"x","other":"y")", "inlined");

TEST(Writing, InlinedCallsStandInsideTheExpressionsThatReadThem) {
  const std::string alone = text_of(call("p", "mul.Tensor", R"("self":"x","other":"y")") +
                                    call("z", "add.Tensor", R"("self":"p","other":"p")"));
  const std::string inlined = text_of(kProduct + call("z", "add.Tensor", R"("self":"p","other":"p")"));
  EXPECT_EQ(alone, "tx4 a8 D(tx,a)=A(tx,a)*C(tx,a);tx4 a8 E(tx,a)=D(tx,a)+D(tx,a);");
  EXPECT_EQ(inlined, "tx4 a8 E(tx,a)=A(tx,a)*C(tx,a)+A(tx,a)*C(tx,a);");
  EXPECT_EQ(text_of(kProduct + call("z", "sum.dim_IntList", R"("self":"p","dim":[1])")),
            "tx4 a8 E(tx)+=A(tx,a)*C(tx,a);");
}

TEST(Writing, JoinedCallsStandInOneNest) {
  EXPECT_EQ(text_of(call("p", "mul.Tensor", R"("self":"x","other":"y")", "joined") +
                    call("z", "add.Tensor", R"("self":"p","other":"x")")),
            "tx4 a8{D(tx,a)=A(tx,a)*C(tx,a);E(tx,a)=D(tx,a)+A(tx,a);}");
  EXPECT_EQ(text_of(call("low", "amin.default", R"("self":"x","dim":[1])", "joined") +
                    call("high", "amax.default", R"("self":"x","dim":[1])") +
                    call("z", "sub.Tensor", R"("self":"high","other":"low")")),
            "tx4 a8{D(tx) min=A(tx,a);E(tx) max=A(tx,a);}tx4 F(tx)=E(tx)-D(tx);");
}

/// The judge on every drawn composition with written forms, against the same graph operator by operator.
TEST(Writing, ComputesTheSameAsOperatorByOperator) {
  zoo::DrawOptions draws;
  draws.compositions_percent = 100;
  std::set<std::string> met;
  int equal_ones = 0;
  for (std::uint64_t index = 0; index < 150; ++index) {
    const auto drawn = zoo_draw(31, index, draws);
    ASSERT_TRUE(drawn);
    graph::Graph plain = drawn->program.graph;
    for (graph::Node& node : plain.nodes) {
      if (node.writing != graph::Writing::alone) met.insert(std::string(name_of(node.writing)));
      node.writing = graph::Writing::alone;
    }
    const auto alone = frontend::lower(plain);
    ASSERT_TRUE(alone.ok()) << alone.error().message;
    EXPECT_EQ(alone->program.signature, drawn->program.program.signature);
    if (equal(alone->program, drawn->program.program)) continue;
    VerifyOptions options;
    options.budget = 2'000'000;
    options.safety_budget = 0;
    const Judgement judgement = verify(alone->program, drawn->program.program, options);
    EXPECT_TRUE(is_equal_or_numeric(judgement.verdict) || judgement.verdict == Grade::undecided)
        << print(drawn->program.program, Profile::paper);
    equal_ones += is_equal(judgement.verdict) ? 1 : 0;
  }
  EXPECT_EQ(met.size(), 2U);
  EXPECT_GT(equal_ones, 40);
}

void expect_refused(const std::string& calls, const std::string& words) {
  const auto made = lowered(calls);
  ASSERT_FALSE(made.ok()) << print(made->program, Profile::compact);
  EXPECT_NE(made.error().message.find(words), std::string::npos) << made.error().message;
}

TEST(Writing, WhatIsNoExpressionIsNotInlined) {
  expect_refused(call("z", "mul.Tensor", R"("self":"x","other":"y")", "inlined"), "an output has a tensor");
  expect_refused(call("p", "softmax.int", R"("self":"x","dim":1)", "inlined") +
                     call("z", "add.Tensor", R"("self":"p","other":"y")"),
                 "cannot be written inside one");
  expect_refused(
      call("p", "mish.default", R"("self":"x")", "inlined") + call("z", "add.Tensor", R"("self":"p","other":"y")"),
      "cannot be written inside one");
  expect_refused(call("p", "to.dtype", R"("self":"x","dtype":"f16")", "inlined") +
                     call("z", "add.Tensor", R"("self":"p","other":"y")"),
                 "changes the dtype");
  expect_refused(call("p", "relu.default", R"("self":"x")", "somewhere") + call("z", "relu.default", R"("self":"p")"),
                 "wanted alone, inlined or joined");
  std::string doubled;
  for (int i = 0; i < 40; ++i) {
    const std::string before = i == 0 ? "x" : concat("d", i - 1);
    doubled +=
        call(concat("d", i), "add.Tensor", concat(R"("self":")", before, R"(","other":")", before, "\""), "inlined");
  }
  expect_refused(doubled + call("z", "relu.default", R"("self":"d39")"), "too long");
}

TEST(Writing, WhatIsNotTheSameInOneNestIsNotJoined) {
  const std::string words = "cannot stand in one nest";
  // Other loops.
  expect_refused(call("p", "relu.default", R"("self":"x")", "joined") + call("q", "t.default", R"("self":"y")") +
                     call("z", "matmul.default", R"("self":"p","other":"q")"),
                 words);
  // The maximum is read in iterations of its own reduction.
  expect_refused(call("p", "amax.default", R"("self":"x","dim":[1],"keepdim":true)", "joined") +
                     call("z", "add.Tensor", R"("self":"y","other":"p")"),
                 words);
  // The maximum is complete only after the last iteration.
  expect_refused(call("p", "amax.default", R"("self":"x","dim":[1],"keepdim":true)", "joined") +
                     call("q", "sub.Tensor", R"("self":"x","other":"p")", "inlined") +
                     call("z", "sum.dim_IntList", R"("self":"q","dim":[1],"keepdim":true)"),
                 words);
  // Elements of other iterations.
  expect_refused(
      call("p", "relu.default", R"("self":"x")", "joined") + call("z", "flip.default", R"("self":"p","dims":[1])"),
      words);
  expect_refused(call("z", "relu.default", R"("self":"x")", "joined"), "no call follows");
}

}  // namespace
}  // namespace steptp
