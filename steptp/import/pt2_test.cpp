#include "steptp/import/pt2.h"
#include "source_dir.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/base/zip.h"
#include "steptp/graph/operator.h"
#include "steptp/import/pt2_composite.h"

namespace steptp::graph {
namespace {

std::string golden(const std::string& name) {
  auto content = read_file(concat(STEPTP_SOURCE_DIR, "/steptp/import/golden/", name, ".pt2"));
  EXPECT_TRUE(content.ok()) << name;
  return content.ok() ? *content : "";
}

/// One line per call: "relu(linear)"; parameters and constants by their paths.
std::string calls(const Graph& graph) {
  const auto name = [&](const Value& value) {
    const Node& node = graph.node(value);
    return concat(node.kind == NodeKind::call || node.path.empty() ? node.name : node.path,
                  value.output > 0 ? concat(":", value.output) : "");
  };
  std::string out;
  for (const Node& node : graph.nodes) {
    if (node.kind == NodeKind::call) append(out, node.name, "(", join(operands(node), ",", name), ") ");
  }
  return concat(out, "-> ", join(graph.outputs, ",", name));
}

Imported imported(std::string_view content, const Pt2Options& options = {}) {
  auto out = read_pt2(content, options);
  if (out.ok()) return *std::move(out);
  ADD_FAILURE() << out.error().front().id << ": " << out.error().front().message;
  return {};
}

Diagnostic refused(std::string_view content) {
  const auto out = read_pt2(content);
  if (!out.ok()) return out.error().front();
  ADD_FAILURE() << "read: " << calls(out->graph);
  return {};
}

TEST(Pt2, WritesThroughViewsBecomeValues) {
  const Imported model = imported(golden("sample_2.11"));
  EXPECT_EQ(model.graph.name, "sample_2.11");
  EXPECT_EQ(calls(model.graph),
            "linear(x,linear.weight,linear.bias) "
            "batch_norm(linear,norm.weight,norm.bias,norm.running_mean,norm.running_var) relu(batch_norm) "
            "slice(relu) add_1(slice) slice_1(relu) cat(add_1,slice_1) t(cat) select(t) mul(select) t_1(cat) "
            "unsqueeze(mul) slice_3(t_1) cat_1(unsqueeze,slice_3) t_2(cat_1) mul_1(t_2,lifted_tensor_0) "
            "dropout(mul_1) unsqueeze_1(dropout) zeros() zeros_1() "
            "lstm(unsqueeze_1,zeros,zeros_1,lstm.weight_ih_l0,lstm.weight_hh_l0,lstm.bias_ih_l0,lstm.bias_hh_l0) "
            "chunk(mul_1) eq(mask) masked_fill(mul_1,eq) sub(chunk,chunk:1) softmax(masked_fill) sum(columns) "
            "mul_2(x,linear.weight) sum_1(mul_2) max(mul_1) -> lstm,sub,softmax,sum,sum_1,max");
  const std::vector<std::string> notes = {
      "the input scale is a plain value, 0.5, and part of the program",
      "batch norm uses the statistics of the batch; its update of the running statistics is not part of the program",
      "dropout is the identity in the program",
      "the module changes the buffer norm.num_batches_tracked; the change is not part of the program"};
  EXPECT_EQ(model.notes, notes);
}

TEST(Pt2, StridesOffsetsAndTiedWeights) {
  const Imported model = imported(golden("sample_2.11"));
  // arange(12).reshape(3,4).t()[1:], saved as the whole storage of twelve.
  const StoredTensor& columns = model.values.at("columns");
  EXPECT_EQ(columns.type.shape, (Shape{3, 3}));
  std::vector<float> values(9);
  ASSERT_EQ(columns.data.size(), sizeof(float) * values.size());
  std::memcpy(values.data(), columns.data.data(), columns.data.size());
  EXPECT_EQ(values, (std::vector<float>{1, 5, 9, 2, 6, 10, 3, 7, 11}));
  EXPECT_EQ(model.values.at("tied"), model.values.at("linear.weight"));
}

TEST(Pt2, EveryVersionGivesTheSameProgramAndTheSameValues) {
  const Imported wanted = imported(golden("sample_2.11"));
  for (const std::string version : {"2.9", "2.10", "2.12", "2.13", "2.14", "2.15"}) {
    const Imported model = imported(golden(concat("sample_", version)));
    EXPECT_EQ(calls(model.graph), calls(wanted.graph)) << version;
    EXPECT_EQ(model.values, wanted.values) << version;
  }
}

TEST(Pt2, TheDocumentedCompositesAreThoseOfTheTable) {
  const auto text = read_file(STEPTP_SOURCE_DIR "/docs/import.md");
  ASSERT_TRUE(text.ok());
  std::string list = "Put together out of others (aten.):";
  for (const std::string_view op : pt2::composite_operators()) append(list, " `", op, "`");
  EXPECT_NE(text->find(list + "\n"), std::string::npos) << list;
}

TEST(Pt2, TheOtherDialect) {
  const Imported model = imported(golden("sample_2.11_aten"));
  const std::string text = calls(model.graph);
  EXPECT_NE(text.find("-> lstm,sub,softmax,sum,sum_1,max"), std::string::npos) << text;
  EXPECT_EQ(text.find("copy"), std::string::npos);
}

TEST(Pt2, OldArchivesHaveAProgramAndNoValues) {
  for (const std::string name : {"sample_2.6", "sample_2.6_aten", "sample_2.7", "sample_2.8"}) {
    const Imported model = imported(golden(name));
    ASSERT_FALSE(model.notes.empty());
    EXPECT_TRUE(model.values.empty());
    EXPECT_NE(calls(model.graph).find("-> lstm,sub,softmax,sum,sum_1,max"), std::string::npos) << calls(model.graph);
    EXPECT_NE(model.notes.back().find("holds its tensors as pickles"), std::string::npos) << model.notes.back();
    for (const Node& node : model.graph.nodes) {
      if (node.name != "masked_fill") continue;
      EXPECT_EQ(Call(model.graph, node).real("value"), -HUGE_VAL);
    }
  }
}

TEST(Pt2, TheModeOfBatchNorm) {
  for (const bool training : {true, false}) {
    Pt2Options options;
    options.training = training;
    const Imported model = imported(golden("sample_2.11"), options);
    for (const Node& node : model.graph.nodes) {
      if (node.name != "batch_norm") continue;
      EXPECT_EQ(Call(model.graph, node).flag("training"), training);
    }
  }
}

TEST(Pt2, ARandomInitialStateIsAConstant) {
  const Imported model = imported(golden("initial_state"));
  EXPECT_EQ(model.values.at("initial_state_randn").type.shape, (Shape{1, 2, 2}));
  EXPECT_NE(calls(model.graph).find("gru(x,initial_state_randn,"), std::string::npos) << calls(model.graph);
}

TEST(Pt2, WhatIsNotSupportedIsNamedWithItsPlace) {
  const auto out = read_pt2(golden("unsupported"));
  ASSERT_FALSE(out.ok());
  ASSERT_EQ(out.error().size(), 2U);
  EXPECT_EQ(out.error()[0].id, "graph-operator");
  EXPECT_TRUE(out.error()[0].message.starts_with("the operator aten.fft_fft.default is not supported (samples.py:"));
  EXPECT_NE(out.error()[1].message.find("aten.special_bessel_j0.default"), std::string::npos);
  const Diagnostic random = refused(golden("random"));
  EXPECT_EQ(random.id, "pt2-random");
  EXPECT_TRUE(random.message.starts_with("the operator aten.rand_like.default is random (samples.py:"))
      << random.message;
  const Diagnostic dynamic = refused(golden("dynamic"));
  EXPECT_EQ(dynamic.id, "pt2-dynamic");
  EXPECT_TRUE(dynamic.message.starts_with("the tensor \"x\" has the dynamic size s")) << dynamic.message;
  EXPECT_NE(dynamic.hint.find("without dynamic_shapes"), std::string::npos);
}

// Archives made by hand

std::string meta(const std::string& sizes, const std::string& strides, int dtype = 7) {
  const auto list = [](const std::string& items) {
    std::string out;
    std::size_t from = 0;
    while (from < items.size()) {
      const std::size_t end = std::min(items.find(',', from), items.size());
      append(out, out.empty() ? "" : ",", R"({"as_int":)", items.substr(from, end - from), "}");
      from = end + 1;
    }
    return concat("[", out, "]");
  };
  return concat(R"({"dtype":)", dtype, R"(,"sizes":)", list(sizes), R"(,"strides":)", list(strides),
                R"(,"storage_offset":{"as_int":0},"layout":7})");
}

struct HandMade {
  std::string nodes = R"({"target":"torch.ops.aten.relu.default","name":"y","metadata":{},
    "inputs":[{"name":"self","arg":{"as_tensor":{"name":"x"}},"kind":1}],"outputs":[{"as_tensor":{"name":"y"}}]})";
  std::string values = concat(R"("x":)", meta("2,3", "3,1"), R"(,"y":)", meta("2,3", "3,1"));
  std::string inputs = R"({"as_tensor":{"name":"x"}})";
  std::string input_specs = R"({"user_input":{"arg":{"as_tensor":{"name":"x"}}}})";
  std::string output_specs = R"({"user_output":{"arg":{"as_tensor":{"name":"y"}}}})";
  std::string version = R"({"major":8,"minor":17})";
  std::string config = "{}";
  std::string blob = std::string(24, '\0');

  [[nodiscard]] std::string model() const {
    return concat(R"({"graph_module":{"graph":{"inputs":[)", inputs, R"(],"outputs":[],"nodes":[)", nodes,
                  R"(],"tensor_values":{)", values, R"(}},"signature":{"input_specs":[)", input_specs,
                  R"(],"output_specs":[)", output_specs, R"(]}},"schema_version":)", version, "}");
  }
  [[nodiscard]] std::string archive() const {
    ZipWriter zip;
    const auto add = [&](std::string_view name, std::string_view data) { EXPECT_TRUE(zip.add(name, data).ok()); };
    add("m/models/model.json", model());
    add("m/data/weights/model_weights_config.json", concat(R"({"config":)", config, "}"));
    add("m/data/weights/weight_0", blob);
    add("m/byteorder", "little");
    return zip.finish();
  }
  /// A parameter W in place of the input.
  void use_weight(const std::string& stored, const std::string& path = "weight_0", const std::string& more = "") {
    input_specs = R"({"parameter":{"arg":{"name":"x"},"parameter_name":"W"}})";
    config = concat(R"({"W":{"path_name":)", quote_json(path), R"(,"is_param":true)", more, R"(,"tensor_meta":)",
                    stored, "}}");
  }
};

TEST(Pt2, HandMadeIsRead) {
  EXPECT_EQ(calls(imported(HandMade().archive()).graph), "relu(x) -> relu");
  HandMade weight;
  weight.use_weight(meta("2,3", "1,2"));
  EXPECT_EQ(calls(imported(weight.archive()).graph), "relu(W) -> relu");
}

TEST(Pt2, FilesThatAreNoArchives) {
  EXPECT_EQ(refused("").id, "zip");
  EXPECT_EQ(refused("hello, this is not an archive at all").message, "not a zip archive: it does not begin with PK");
  const std::string whole = golden("sample_2.11");
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{100}}) {
    EXPECT_EQ(refused(std::string_view(whole).substr(0, size)).id, "zip") << size;
  }
  std::string damaged = whole;
  damaged[damaged.find("\"graph_module\"") + 3] ^= 1;
  EXPECT_NE(refused(damaged).message.find("CRC"), std::string::npos) << refused(damaged).message;
}

TEST(Pt2, ArchivesWithOtherThings) {
  const auto zipped = [](std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
    ZipWriter zip;
    for (const auto& [name, data] : entries) EXPECT_TRUE(zip.add(name, data).ok());
    return zip.finish();
  };
  EXPECT_NE(refused(zipped({{"a.npy", "x"}})).message.find("no exported program"), std::string::npos);
  EXPECT_NE(refused(zipped({{"m/models/a.json", "{}"}, {"m/models/b.json", "{}"}})).message.find("several programs"),
            std::string::npos);
  EXPECT_NE(refused(zipped({{"m/models/model.json", "{"}})).message.find("is not JSON"), std::string::npos);
  EXPECT_NE(refused(zipped({{"m/models/model.json", "{}"}})).message.find("has no \"schema_version\""),
            std::string::npos);
  EXPECT_NE(refused(zipped({{"../models/model.json", "{}"}})).message.find("leaves the archive"), std::string::npos);
  EXPECT_NE(refused(zipped({{"/models/model.json", "{}"}})).message.find("leaves the archive"), std::string::npos);
  EXPECT_NE(
      refused(zipped({{"m/models/model.json", "{}"}, {"m/models/model.json", "{}"}})).message.find("occurs twice"),
      std::string::npos);
  EXPECT_NE(refused(zipped({{"m/models/model.json", "{}"}, {"m/byteorder", "big"}})).message.find("byte order"),
            std::string::npos);
}

TEST(Pt2, Versions) {
  HandMade model;
  model.version = R"({"major":7,"minor":1})";
  EXPECT_NE(refused(model.archive()).message.find("version 7.1"), std::string::npos);
  model.version = R"({"major":8,"minor":99})";
  EXPECT_NE(imported(model.archive()).notes.at(0).find("newer than 8.20"), std::string::npos);
}

TEST(Pt2, WeightsThatAreNotThere) {
  const auto message = [](const std::string& stored, const std::string& path, const std::string& more = "") {
    HandMade model;
    model.use_weight(stored, path, more);
    const Diagnostic diagnostic = refused(model.archive());
    return concat(diagnostic.id, ": ", diagnostic.message);
  };
  const std::string fine = meta("2,3", "3,1");
  EXPECT_EQ(message(fine, "weight_9"),
            "pt2-weights: the tensor \"W\": the archive has no entry \"m/data/weights/weight_9\"");
  EXPECT_EQ(message(fine, "../../x"), "pt2: the tensor \"W\" has the path \"../../x\"");
  EXPECT_EQ(message(fine, "weight_0", R"(,"use_pickle":true)"),
            "pt2-weights: the tensor \"W\" is stored as a pickle, which is not read");
  EXPECT_EQ(message(meta("2,3", "4,1"), "weight_0"),
            "pt2-weights: the tensor \"W\" (float32[2,3]) is longer than the 24 bytes stored for it");
  EXPECT_EQ(message(meta("2,3", "-1,1"), "weight_0"),
            "pt2-weights: the tensor \"W\" (float32[2,3]) is longer than the 24 bytes stored for it");
  EXPECT_EQ(message(meta("2,3", "9223372036854775807,1"), "weight_0"),
            "pt2-weights: the tensor \"W\" (float32[2,3]) is longer than the 24 bytes stored for it");
  EXPECT_EQ(message(meta("2,4", "4,1"), "weight_0"),
            "pt2: the tensor \"W\" is float32[2,4] where it is stored and float32[2,3] in the program");
  HandMade absent;
  absent.use_weight(fine);
  absent.config = "{}";
  EXPECT_EQ(refused(absent.archive()).message, "the tensor \"W\" has no values in the archive");
}

TEST(Pt2, TensorsMuchLargerThanTheirBytes) {
  HandMade model;
  const std::string huge = meta("1099511627776", "0");
  model.values = concat(R"("x":)", huge, R"(,"y":)", huge);
  model.use_weight(huge);
  EXPECT_NE(refused(model.archive()).message.find("much larger than the file"), std::string::npos);
}

TEST(Pt2, GraphsThatMakeNoSense) {
  const auto diagnostic = [](const std::function<void(HandMade&)>& change) {
    HandMade model;
    change(model);
    return refused(model.archive());
  };
  const auto message = [&](const std::function<void(HandMade&)>& change) { return diagnostic(change).message; };
  const auto replace = [](std::string& text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(message([&](HandMade& m) { replace(m.nodes, "\"x\"", "\"z\""); }),
            "the tensor \"z\" is used before it is computed");
  EXPECT_EQ(message([&](HandMade& m) { m.nodes = concat(m.nodes, ",", m.nodes); }),
            "the tensor \"y\" is computed twice");
  EXPECT_EQ(message([&](HandMade& m) { replace(m.nodes, "as_tensor", "as_other"); }),
            "'self' of aten.relu.default is as_other, which is not supported");
  EXPECT_EQ(message([&](HandMade& m) { m.values = concat(R"("x":)", meta("2,3", "3,1", 10)); }),
            "the tensor \"x\" has the dtype complex64 (code 10)");
  EXPECT_EQ(
      message([&](HandMade& m) { m.values = concat(R"("x":)", meta("2,3", "3,1"), R"(,"y":)", meta("2,4", "4,1")); }),
      "aten.relu.default gives float32[2,3] here, and float32[2,4] in PyTorch");
  EXPECT_EQ(message([&](HandMade& m) { m.values = concat(R"("x":)", meta("-2,3", "3,1")); }),
            "the tensor \"x\" has the size -2");
  EXPECT_EQ(message([&](HandMade& m) { m.inputs = ""; }), "the graph has not the inputs of its signature");
  EXPECT_EQ(message([&](HandMade& m) { m.output_specs = ""; }), "the model gives back no tensor");
  EXPECT_EQ(message([&](HandMade& m) { replace(m.nodes, "aten.relu.default", "higher_order.cond"); }),
            "higher_order.cond makes the program depend on the values of its inputs");
  EXPECT_EQ(diagnostic([&](HandMade& m) { replace(m.nodes, "aten.relu.default", "higher_order.cond"); }).id,
            "pt2-control-flow");
  EXPECT_EQ(diagnostic([&](HandMade& m) { m.values = concat(R"("x":)", meta("2,3", "3,1", 10)); }).id, "pt2-dtype");
  EXPECT_EQ(message([&](HandMade& m) { replace(m.nodes, "relu", "unsqueeze_"); }),
            "the operator aten.unsqueeze_.default is not supported");
}

TEST(Pt2, InPlaceThroughWhatCannotBeUndone) {
  HandMade model;
  model.nodes = R"({"target":"torch.ops.aten.expand.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"x"}}},
    {"name":"size","arg":{"as_ints":[4,2,3]}}],"outputs":[{"as_tensor":{"name":"e"}}]},
    {"target":"torch.ops.aten.relu_.default","inputs":[{"name":"self","arg":{"as_tensor":{"name":"e"}}}],
    "outputs":[{"as_tensor":{"name":"y"}}]})";
  model.values = concat(R"("x":)", meta("2,3", "3,1"), R"(,"e":)", meta("4,2,3", "0,3,1"));
  const Diagnostic diagnostic = refused(model.archive());
  EXPECT_EQ(diagnostic.id, "pt2-in-place");
  EXPECT_EQ(diagnostic.message, "aten.relu_.default writes through aten.expand.default, which is not supported");
}

}  // namespace
}  // namespace steptp::graph
