#include "steptp/exports/show.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"

namespace steptp::dataset {

namespace {

class ShownRows : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / concat("steptp_show_", ::getpid());
    std::filesystem::create_directories(folder_ / "data/archive");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& split, int rows) const {
    auto writer = JsonlWriter::create((folder_ / concat("data/archive/", split, ".jsonl.zst")).string());
    ASSERT_TRUE(writer);
    for (int i = 0; i < rows; ++i) ASSERT_FALSE(writer->add(Json(Json::Object{}).set("split", split)));
    ASSERT_TRUE(writer->finish());
  }
  [[nodiscard]] Result<std::string, Diagnostic> row(const std::string& split) const {
    return read_row(folder_.string(), "archive", split, 0);
  }

  std::filesystem::path folder_;
};

TEST_F(ShownRows, WithoutASplitItIsTrain) {
  write("train", 1);
  write("test_type", 1);
  EXPECT_EQ(row("").value(), R"({"split":"train"})");
  EXPECT_EQ(row("test_type").value(), R"({"split":"test_type"})");
}

TEST_F(ShownRows, OrTheOnlyOneThatHasRows) {
  write("train", 0);
  write("test_shape", 0);
  write("test_type", 2);
  EXPECT_EQ(row("").value(), R"({"split":"test_type"})");
  EXPECT_FALSE(row("train"));
}

TEST_F(ShownRows, OfSeveralOneMustBeNamed) {
  write("test_shape", 1);
  write("test_type", 1);
  const auto found = row("");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("test_shape, test_type"), std::string::npos);
}

TEST_F(ShownRows, OnlyThoseThatAreWantedAreCounted) {
  auto writer = JsonlWriter::create((folder_ / "data/archive/train.jsonl.zst").string());
  ASSERT_TRUE(writer);
  for (const auto& [tokens, usefulness] : {std::pair(900, 0.5), std::pair(300, 0.0), std::pair(300, 0.4)}) {
    Json line;
    line.set("prompt_tokens", tokens).set("completion_tokens", 100).set("usefulness", usefulness);
    ASSERT_FALSE(writer->add(line.set("strategy", "loop_split")));
  }
  ASSERT_TRUE(writer->finish());
  const auto found = [&](const WantedRow& wanted, std::uint64_t number = 0) {
    const auto line = read_row(folder_.string(), "archive", "", number, wanted);
    return line ? parse_json(*line)->dump() : std::string("none");
  };
  EXPECT_EQ(found({"", "", 400, 0.3}).find(R"({"prompt_tokens":300,"completion_tokens":100,"usefulness":0.4)"), 0U);
  EXPECT_EQ(found({"", "", 400, 0.3}, 1), "none");
  EXPECT_NE(found({"loop_split", "", 400, 0}, 1), "none");
  EXPECT_EQ(found({"loop_tiling", "", 0, 0}), "none");
}

TEST_F(ShownRows, OfNoneTheAnswerNamesTrain) {
  write("train", 0);
  const auto found = row("");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("train.jsonl.zst has 0 rows"), std::string::npos);
}

}  // namespace

}  // namespace steptp::dataset
