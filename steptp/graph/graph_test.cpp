#include "steptp/graph/graph.h"

#include <gtest/gtest.h>

#include "steptp/graph/builder.h"
#include "steptp/graph/graph_json.h"
#include "steptp/graph/index_domains.h"
#include "steptp/graph/operator.h"

namespace steptp::graph {
namespace {

using Ints = std::vector<std::int64_t>;

TEST(Operators, EverySchemaIsRead) {
  EXPECT_GT(all_operators().size(), 200U);
  const Operator* softmax = find_operator("aten.softmax.int");
  ASSERT_NE(softmax, nullptr);
  EXPECT_EQ(softmax->schema.parameters.size(), 3U);
  EXPECT_EQ(find_operator("aten.softmax"), nullptr);
}

TEST(Inference, Promotion) {
  Builder b("promotion");
  const Value half = b.input("half", DType::f16, {4});
  const Value longs = b.input("longs", DType::i64, {4});
  const Value scalar = b.input("scalar", DType::f64, {});
  const Value mask = b.input("mask", DType::boolean, {4});
  EXPECT_EQ(b.type(b.call("aten.mul.Tensor", {half, scalar})).dtype, DType::f16);
  EXPECT_EQ(b.type(b.call("aten.mul.Tensor", {longs, scalar})).dtype, DType::f64);
  EXPECT_EQ(b.type(b.call("aten.mul.Tensor", {longs, 2.5})).dtype, DType::f32);
  EXPECT_EQ(b.type(b.call("aten.mul.Tensor", {half, 2.5})).dtype, DType::f16);
  EXPECT_EQ(b.type(b.call("aten.mul.Tensor", {mask, std::int64_t{2}})).dtype, DType::i64);
  EXPECT_EQ(b.type(b.call("aten.div.Tensor", {longs, longs})).dtype, DType::f32);
  EXPECT_EQ(b.type(b.call("aten.sum.default", {mask})).dtype, DType::i64);
  EXPECT_EQ(b.type(b.call("aten.add.Tensor", {half, longs})).dtype, DType::f16);
}

TEST(Inference, Shapes) {
  Builder b("shapes");
  const Value x = b.input("x", DType::f32, {2, 3, 7, 8});
  EXPECT_EQ(b.shape(b.call("aten.sum.dim_IntList", {x, Ints{-1, 1}, true})), (Shape{2, 1, 7, 1}));
  EXPECT_EQ(b.shape(b.call("aten.view.default", {x, Ints{2, -1, 8}})), (Shape{2, 21, 8}));
  EXPECT_EQ(b.shape(b.call("aten.max_pool2d.default", {x, Ints{2}, Ints{2}, Ints{0}, Ints{1}, true})),
            (Shape{2, 3, 4, 4}));
  EXPECT_EQ(b.shape(b.call("aten.slice.Tensor", {x, std::int64_t{-1}, std::int64_t{-3}})), (Shape{2, 3, 7, 3}));
  const Value weight = b.parameter("conv.weight", DType::f32, {6, 1, 3, 3});
  EXPECT_EQ(b.shape(b.call("aten.conv2d.default", {x, weight, Argument(), Ints{2}, Ints{1}, Ints{1}, std::int64_t{3}})),
            (Shape{2, 6, 4, 4}));
  EXPECT_THROW(b.call("aten.matmul.default", {x, x}), Misuse);
}

TEST(Domains, ArePyTorchs) {
  Builder b("domains");
  const Value table = b.parameter("table", DType::f32, {10, 4});
  const Value rows = b.input("rows", DType::i64, {3});
  const Value query = b.input("query", DType::f32, {1, 5, 4});
  const Value scores_mask = b.input("scores_mask", DType::f32, {5, 5});
  const Value attention_mask = b.input("attention_mask", DType::f32, {5, 5});
  const Value shift = b.input("shift", DType::f32, {5, 5});
  const Value chosen = b.input("chosen", DType::boolean, {5, 5});
  const Value looked_up = b.call("aten.embedding.default", {table, rows});
  const Value mixed = b.call("aten.scaled_dot_product_attention.default", {query, query, query, attention_mask});
  const Value again = b.call("aten.scaled_dot_product_attention.default", {query, query, query, chosen});
  const Value scores =
      b.call("aten.matmul.default", {query, b.call("aten.transpose.int", {query, std::int64_t{-1}, std::int64_t{-2}})});
  const Value masked = b.call("aten.softmax.int", {b.call("aten.add.Tensor", {scores, scores_mask}), std::int64_t{-1}});
  const Value shifted = b.call("aten.softmax.int", {b.call("aten.add.Tensor", {scores, shift}), std::int64_t{-1}});
  Graph graph = std::move(b).finish({looked_up, mixed, again, masked, shifted});
  state_index_domains(graph);
  const auto domain = [&](const Value& value) { return graph.node(value).domain; };
  EXPECT_EQ(domain(rows), (Domain{Domain::Kind::range, 0, 10}));
  EXPECT_EQ(domain(attention_mask).kind, Domain::Kind::masked);
  EXPECT_EQ(domain(scores_mask).kind, Domain::Kind::masked);
  EXPECT_EQ(domain(chosen), Domain{}) << "a bool is true or false";
  EXPECT_EQ(domain(shift), Domain{}) << "nobody calls it a mask";
  EXPECT_EQ(domain(query), Domain{});
}

TEST(Json, RoundTrip) {
  Builder b("pair");
  const Value x = b.input("x", DType::f32, {4, 6}, {Domain::Kind::positive, 0, 0});
  const Value mask = b.constant("mask", DType::boolean, {6, 6}, TensorValue::triangle(1));
  const Value scale = b.constant("scale", DType::f32, {}, TensorValue::splat(0.5));
  const std::vector<Value> halves = b.call_all("aten.chunk.default", {x, std::int64_t{2}, std::int64_t{1}});
  const Value scaled = b.call("aten.mul.Tensor", {halves[1], scale});
  const Value filled =
      b.call("aten.masked_fill.Scalar", {x, b.call("aten.select.int", {mask, std::int64_t{0}, std::int64_t{0}}),
                                         -std::numeric_limits<double>::infinity()});
  const Graph graph = std::move(b).finish({scaled, filled});
  const std::string text = to_json(graph).dump();
  const Result<Graph, Diagnostic> back = parse_graph(text);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(to_json(*back).dump(), text);
}

std::string error_of(std::string_view text) {
  const Result<Graph, Diagnostic> graph = parse_graph(text);
  return graph.ok() ? "" : graph.error().message;
}

TEST(Json, ClearErrors) {
  const std::string head = R"({"nodes":[{"kind":"input","name":"x","dtype":"float32","shape":[4]},)";
  EXPECT_EQ(error_of(head + R"({"kind":"call","name":"y","op":"aten.fold.default","args":{}}],"outputs":["y"]})"),
            "node 'y': the operator aten.fold.default is not supported");
  EXPECT_EQ(
      error_of(head + R"({"kind":"call","name":"y","op":"aten.relu.default","args":{"self":"z"}}],"outputs":["y"]})"),
      "node 'y': 'z' is not defined before");
  EXPECT_EQ(
      error_of(
          head +
          R"({"kind":"call","name":"y","op":"aten.relu.default","args":{"self":"x"},"outputs":[{"dtype":"float32","shape":[5]}]}],"outputs":["y"]})"),
      "node 'y': output 0 is stated as float32[5] and inferred as float32[4]");
  EXPECT_EQ(
      error_of(head + R"({"kind":"call","name":"y","op":"aten.softmax.int","args":{"self":"x"}}],"outputs":["y"]})"),
      "node 'y': aten.softmax.int: 'dim' is missing");
  EXPECT_EQ(error_of(R"({"nodes":[],"outputs":[],"more":1})"), "unknown key \"more\" in the graph");
}

}  // namespace
}  // namespace steptp::graph
