#include "steptp/dataset/entry.h"

#include <gtest/gtest.h>

#include "steptp/base/sha256.h"
#include "steptp/columns/compression.h"
#include "steptp/dataset/configuration.h"
#include "steptp/dataset/store.h"

namespace steptp::dataset {
namespace {

ProgramRecord sample_record() {
  ProgramRecord out;
  out.program.id = hash_name(0x12ab);
  out.program.number = 7;
  out.program.name = "ReLU_1";
  out.program.type = "ReLU";
  out.program.arguments = Json(Json::Object{{"dim", Json(3)}});
  out.program.dtype = "float32";
  out.program.origin = "kernelbench/level1/19";
  out.program.split = Split::test_shape;
  out.program.signature.variables.push_back({"A", Role::input, DType::f32, {2, 3}, {}, {}});
  out.program.leir = "...";
  out.program.tir = "root tir";
  out.program.cuda = "root cuda";
  out.program.structure = hash_name(9);
  out.program.tokens = {1, 2, 3, 4};
  Entry first;
  first.id = "a";
  first.program = out.program.id;
  first.recipe = Json(Json::Array());
  first.choice = Json(Json::Object{{"at", Json("0")}});
  first.trace = Json(Json::Array());
  first.phrasing = UINT64_MAX;
  first.verdict.grade = "exact";
  first.verdict.agree_bits = 150;
  first.verdict.trials = {{UINT64_MAX - 1, "exact", 12, {}, 150, true}};
  first.verdict.inputs_drawn = true;
  first.tir = "first tir";
  first.cuda = "first cuda";
  first.compiled = "none";
  Entry second = first;
  second.id = "b";
  second.parent = "a";
  second.depth = 1;
  out.entries = {first, second};
  out.dropped["same"] = 2;
  return out;
}

TEST(Entry, RecordsSurviveJson) {
  const ProgramRecord record = sample_record();
  const auto parsed = parse_json(to_json(record).dump());
  ASSERT_TRUE(parsed.ok());
  const auto read = record_from_json(*parsed);
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(*read, record);
}

TEST(Entry, EveryFieldIsAskedFor) {
  const Json whole = *parse_json(to_json(sample_record()).dump());
  for (const auto& [left_out, unused] : *whole.find("program")->as_object()) {
    Json program;
    for (const auto& [key, value] : *whole.find("program")->as_object()) {
      if (key != left_out) program.set(key, value);
    }
    Json record;
    for (const auto& [key, value] : *whole.as_object()) record.set(key, key == "program" ? program : value);
    const auto read = record_from_json(record);
    ASSERT_FALSE(read.ok()) << left_out;
    EXPECT_NE(read.error().find(left_out), std::string::npos) << read.error();
  }
}

TEST(Entry, RowsSurviveJson) {
  const SelectedRow row{SelectedRow::Kind::multi, false, true, Split::multi_step, "p", {"a", "b"}};
  const auto read = selected_row_from_json(to_json(row));
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(*read, row);
  EXPECT_FALSE(
      selected_row_from_json(to_json(SelectedRow{SelectedRow::Kind::multi, true, false, Split::train, "p", {"a"}}))
          .ok());
}

TEST(Store, PartsHaveTheirChecksumAndNoMoreBytesThanNeeded) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * i) + ",";
  text += "\n";
  const std::string bytes = part_bytes(text);
  EXPECT_LT(bytes.size(), text.size());
  EXPECT_EQ(bytes, part_bytes(text));
  const std::string stored = zstd_decompress(bytes, 2 * text.size()).value();
  EXPECT_TRUE(stored.starts_with(text));
  EXPECT_NE(stored.find(sha256_hex(text)), std::string::npos);
  EXPECT_FALSE(zstd_decompress(std::string_view(bytes).substr(0, bytes.size() - 1), 2 * text.size()).ok());
  EXPECT_FALSE(zstd_decompress(bytes + "x", 2 * text.size()).ok());
}

TEST(Configuration, SurvivesJsonAndNamesWhatIsWrong) {
  Configuration changed;
  changed.seed = 5;
  changed.mix = {70, 20, 10};
  changed.strategies = {"loop_split"};
  const auto read = configuration_from_json(*parse_json(to_json(changed).dump()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json(*read).dump(), to_json(changed).dump());
  for (const auto& [text, word] :
       std::vector<std::pair<std::string, std::string>>{{R"({"sead":1})", "sead"},
                                                        {R"({"programs":-1})", "programs"},
                                                        {R"({"strategies":["loop_splt"]})", "loop_split"},
                                                        {R"({"compile":"some"})", "some"},
                                                        {R"({"mix":[1,2,3]})", "mix"},
                                                        {R"({"subset_least":1})", "subset_least"}}) {
    const auto refused = configuration_from_json(*parse_json(text));
    ASSERT_FALSE(refused.ok()) << text;
    EXPECT_NE(refused.error().message.find(word), std::string::npos) << refused.error().message;
  }
}

TEST(Configuration, SettingsComeFromText) {
  Configuration configuration;
  for (const Setting& setting : all_settings()) {
    EXPECT_EQ(set_from_text(configuration, setting.key, setting.fallback), "") << setting.key;
    EXPECT_FALSE(setting.help.empty());
  }
  EXPECT_EQ(to_json(configuration).dump(), to_json(Configuration()).dump());
  EXPECT_NE(set_from_text(configuration, "mix", "1/2"), "");
  EXPECT_NE(set_from_text(configuration, "programs", "12x"), "");
  EXPECT_NE(set_from_text(configuration, "nothing", "1"), "");
  scale_to_programs(configuration, 6335);
  EXPECT_EQ(to_json(configuration).dump(), to_json(Configuration()).dump());
}

}  // namespace
}  // namespace steptp::dataset
