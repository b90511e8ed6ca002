#include "steptp/base/pending_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "steptp/base/file.h"
#include "steptp/base/process.h"

namespace steptp {
namespace {

namespace fs = std::filesystem;

class PendingFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.file("data"); }
  [[nodiscard]] std::size_t files() const {
    const fs::path parent = fs::path(path()).parent_path();
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(parent), fs::directory_iterator()));
  }
  TemporaryFolder folder_ = TemporaryFolder::make().value();
};

TEST_F(PendingFileTest, HasItsNameOnceItIsCommitted) {
  auto file = PendingFile::create(path(), path() + ".part");
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE(file->write("one ") && file->write("two"));
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_TRUE(file->commit(true));
  EXPECT_EQ(read_file(path()).value(), "one two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(PendingFileTest, WithoutACommitWhatWasThereStays) {
  ASSERT_TRUE(write_file(path(), "before").ok());
  {
    auto file = PendingFile::create(path(), path() + ".part");
    ASSERT_TRUE(file.has_value());
    PendingFile moved = *std::move(file);
    EXPECT_TRUE(moved.write("after"));
  }
  EXPECT_EQ(read_file(path()).value(), "before");
  EXPECT_EQ(files(), 1U);
}

TEST_F(PendingFileTest, AFailureLeavesNothing) {
  EXPECT_FALSE(PendingFile::create(path() + "/none", path() + "/none.part").has_value());
  fs::create_directory(path());
  ASSERT_TRUE(write_file(path() + "/inside", "x").ok());
  {
    auto file = PendingFile::create(path(), path() + ".part");
    ASSERT_TRUE(file.has_value());
    EXPECT_FALSE(file->commit(false));  // a folder has that name
  }
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace steptp
