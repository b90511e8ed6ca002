#include "steptp/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace steptp {
namespace {

namespace fs = std::filesystem;

class File : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "steptp_file_XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(File, WritesAndReadsBackAnyBytes) {
  std::string content("a\0b\xff\n", 5);
  content += std::string(300000, 'x');
  ASSERT_TRUE(write_file(path("f"), content).ok());
  EXPECT_EQ(read_file(path("f")).value(), content);
  ASSERT_TRUE(write_file(path("f"), "").ok());
  EXPECT_EQ(read_file(path("f")).value(), "");
  EXPECT_EQ(entries(), 1);
}

TEST_F(File, AMissingFileIsAnErrorWithItsName) {
  const auto read = read_file(path("none"));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().id, "file");
  EXPECT_NE(read.error().message.find("none': No such file"), std::string::npos) << read.error().message;
}

TEST_F(File, AFolderIsNotReadAsAFile) {
  const auto read = read_file(folder_.string());
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().id, "file");
}

TEST_F(File, AFailedWriteLeavesWhatWasThere) {
  ASSERT_TRUE(write_file(path("f"), "old").ok());
  // A limit on the size of files stands for a full disk.
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto written = write_file(path("f"), std::string(100000, 'n'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().id, "write");
  EXPECT_NE(written.error().message.find("File too large"), std::string::npos) << written.error().message;
  EXPECT_EQ(read_file(path("f")).value(), "old");
  EXPECT_EQ(entries(), 1) << "the temporary file was left behind";
}

TEST_F(File, AFailedRenameLeavesNoTemporaryFile) {
  fs::create_directory(folder_ / "taken");
  const auto written = write_file(path("taken"), "text");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().id, "write");
  EXPECT_EQ(entries(), 1);
  EXPECT_FALSE(write_file(path("no/such/folder"), "text").ok());
}

TEST(Gunzip, RestoresTheText) {
  const std::string text = "tokens " + std::string(200000, 'q');
  EXPECT_EQ(gunzip(gzip(text), 1 << 20).value(), text);
  EXPECT_EQ(gunzip(gzip(""), 10).value(), "");
}

TEST(Gunzip, ATruncatedStreamIsAnErrorAtEveryLength) {
  const std::string whole = gzip("B^{4}_{tx=0}[C^{f32,g}_{tx}=A^{f32,g}_{tx};];");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto out = gunzip(whole.substr(0, length), 1 << 20);
    ASSERT_FALSE(out.ok()) << length;
    EXPECT_EQ(out.error().id, "gzip");
  }
}

TEST(Gunzip, ADamagedStreamIsAnError) {
  std::string bytes = gzip(std::string(1000, 'a') + std::string(1000, 'b'));
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 0x55);  // inside the checksum
  EXPECT_FALSE(gunzip(bytes, 1 << 20).ok());
  EXPECT_FALSE(gunzip("not gzip at all", 1 << 20).ok());
}

TEST(Gunzip, StopsAtTheLimit) {
  const auto out = gunzip(gzip(std::string(500000, 'a')), 1000);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().message, "more than 1000 bytes once decompressed");
  EXPECT_TRUE(gunzip(gzip(std::string(1000, 'a')), 1000).ok());
}

}  // namespace
}  // namespace steptp
