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

TEST_F(ShownRows, OfNoneTheAnswerNamesTrain) {
  write("train", 0);
  const auto found = row("");
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("train.jsonl.zst has 0 rows"), std::string::npos);
}

}  // namespace

}  // namespace steptp::dataset
