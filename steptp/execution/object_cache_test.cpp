// The cache of compiled code: what is damaged, foreign or half written is as if it were not there.
#include "steptp/execution/object_cache.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "built_files.h"
#include "steptp/base/file.h"
#include "steptp/base/process.h"

namespace steptp::testing {
namespace {

namespace fs = std::filesystem;

class ObjectCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TemporaryFolder::make();
    ASSERT_TRUE(made.ok());
    folder_.emplace(std::move(made).value());
  }
  [[nodiscard]] std::string folder() const { return folder_->file("cache"); }

  std::optional<TemporaryFolder> folder_;
};

TEST_F(ObjectCacheTest, WhatIsPutIsFoundByItsKeyOnly) {
  const ObjectCache cache(folder());
  const CacheKey key = cache_key({"text", "engine"});
  EXPECT_FALSE(cache.find(key).has_value());
  cache.put(key, "object");
  EXPECT_EQ(cache.find(key), "object");
  EXPECT_FALSE(cache.find(cache_key({"text", "another engine"})).has_value());
  EXPECT_FALSE(cache.find(cache_key({"text ", "engine"})).has_value());
  // Where one part ends and the next begins counts.
  EXPECT_FALSE(cache_key({"ab", "c"}) == cache_key({"a", "bc"}));
  EXPECT_EQ(cache.problem(), "");
  // Another process, later.
  EXPECT_EQ(ObjectCache(folder()).find(key), "object");
}

TEST_F(ObjectCacheTest, DamagedEntriesAreNotThere) {
  const ObjectCache cache(folder());
  const CacheKey key = cache_key({"text"});
  const std::string object(5000, 'o');
  cache.put(key, object);
  const std::string whole = read_file(cache.path_of(key)).value();
  ASSERT_GT(whole.size(), object.size());
  // Every kind of byte: magic, key, length, hash, content.
  for (std::size_t at = 0; at < whole.size(); at += at < 64 ? 1 : 977) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(write_file(cache.path_of(key), damaged).ok());
    EXPECT_FALSE(cache.find(key).has_value()) << "byte " << at;
    EXPECT_FALSE(fs::exists(cache.path_of(key))) << "a damaged entry stays";
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{47}, whole.size() - 1}) {
    ASSERT_TRUE(write_file(cache.path_of(key), whole.substr(0, length)).ok());
    EXPECT_FALSE(cache.find(key).has_value()) << length << " bytes";
  }
  ASSERT_TRUE(write_file(cache.path_of(key), whole + "x").ok());
  EXPECT_FALSE(cache.find(key).has_value());
  cache.put(key, object);
  EXPECT_EQ(cache.find(key), object);
}

/// An entry under another's name has the other's key: it is not taken for it.
TEST_F(ObjectCacheTest, AnEntryUnderAnotherNameIsNotTaken) {
  const ObjectCache cache(folder());
  const CacheKey one = cache_key({"one"});
  const CacheKey two = cache_key({"two"});
  cache.put(one, "object of one");
  cache.put(two, "object of two");
  fs::copy_file(cache.path_of(one), cache.path_of(two), fs::copy_options::overwrite_existing);
  EXPECT_FALSE(cache.find(two).has_value());
  EXPECT_EQ(cache.find(one), "object of one");
}

TEST_F(ObjectCacheTest, AFolderThatCannotBeWrittenIsANote) {
  ASSERT_TRUE(write_file(folder_->file("file"), "no folder").ok());
  const ObjectCache cache(folder_->file("file"));
  const CacheKey key = cache_key({"text"});
  cache.put(key, "object");
  EXPECT_FALSE(cache.find(key).has_value());
  EXPECT_NE(cache.problem().find("file"), std::string::npos) << cache.problem();
}

/// A limit on the size of files stands for a full disk: the write fails half way.
TEST_F(ObjectCacheTest, AFullDiskLeavesNothingBehind) {
  const auto ran = run_process(
      {"bash", "-c", R"(ulimit -f 8; trap '' XFSZ; exec "$0" "$@")", STEPTP_CACHE_WRITER, folder(), "100000"}, 60);
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ran->status, 0) << ran->output;
  EXPECT_NE(ran->output.find("cannot write"), std::string::npos) << ran->output;
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder())) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 0U);
}

TEST_F(ObjectCacheTest, WithoutAFolderNothingIsKept) {
  const ObjectCache cache;
  cache.put(cache_key({"text"}), "object");
  EXPECT_FALSE(cache.find(cache_key({"text"})).has_value());
  EXPECT_EQ(cache.problem(), "");
}

/// Many write and read the same entries at once: what is read is always whole.
TEST_F(ObjectCacheTest, ManyAtOnceReadWholeEntries) {
  std::atomic<int> wrong = 0;
  std::atomic<int> found = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&, t] {
        const ObjectCache cache(folder());
        for (int i = 0; i < 200; ++i) {
          const int which = (i * 7 + t) % 5;
          const CacheKey key = cache_key({"text " + std::to_string(which)});
          const std::string object(static_cast<std::size_t>(20'000 + which), static_cast<char>('a' + which));
          if (const auto got = cache.find(key)) {
            ++found;
            if (*got != object) ++wrong;
          }
          if (i % 3 == 0) cache.put(key, object);
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 500);
}

TEST_F(ObjectCacheTest, TheOldestGoWhereThereIsTooMuch) {
  const ObjectCache cache(folder(), 100'000);
  const std::string object(10'000, 'o');
  for (int i = 0; i < 20; ++i) {
    const CacheKey key = cache_key({"text " + std::to_string(i)});
    cache.put(key, object);
    if (!fs::exists(cache.path_of(key))) continue;
    fs::last_write_time(cache.path_of(key), fs::file_time_type::clock::now() - std::chrono::hours(100 - i));
  }
  cache.prune();
  EXPECT_FALSE(cache.find(cache_key({"text 0"})).has_value());
  EXPECT_TRUE(cache.find(cache_key({"text 19"})).has_value());
  std::uintmax_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder()))
    sum += entry.is_regular_file() ? entry.file_size() : 0;
  EXPECT_LE(sum, 100'000U);
}

}  // namespace
}  // namespace steptp::testing
