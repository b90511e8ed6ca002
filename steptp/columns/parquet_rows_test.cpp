// Files that other writers have made (steptp/columns/golden, by pyarrow 26 and polars 2.1) hold the rows of
// rows.jsonl.
#include "steptp/columns/parquet_rows.h"

#include <gtest/gtest.h>

#include <sstream>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/columns/snappy.h"

namespace steptp {
namespace {

std::string golden(std::string_view name) { return concat(STEPTP_SOURCE_DIR, "/steptp/columns/golden/", name); }

/// All rows as text, up to the first problem, which ends the list.
std::vector<std::string> rows_of(const std::string& path) {
  std::vector<std::string> out;
  auto reader = ParquetRows::open(path);
  if (!reader) return {reader.error().message};
  while (true) {
    auto row = reader->next();
    if (!row) {
      out.push_back(row.error().message);
      return out;
    }
    if (!row->has_value()) return out;
    out.push_back((*row)->dump());
  }
}

std::vector<std::string> wanted_rows() {
  std::vector<std::string> out;
  std::istringstream lines(*read_file(golden("rows.jsonl")));
  // Read and written again, so that numbers are spelled as we spell them.
  for (std::string line; std::getline(lines, line);) out.push_back(parse_json(line)->dump());
  return out;
}

TEST(ParquetRows, OfOtherWritersAreRead) {
  const std::vector<std::string> wanted = wanted_rows();
  ASSERT_EQ(wanted.size(), 40U);
  for (const char* file :
       {"snappy.parquet", "zstd_v2.parquet", "gzip_plain.parquet", "uncompressed.parquet", "polars.parquet"}) {
    EXPECT_EQ(rows_of(golden(file)), wanted) << file;
  }
}

TEST(ParquetRows, WhatIsNotReadIsNamed) {
  const std::vector<std::string> rows = rows_of(golden("delta.parquet"));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NE(rows[0].find("column small is encoded in way 5"), std::string::npos) << rows[0];
}

TEST(ParquetRows, ADamagedFileIsAnError) {
  const std::string path = concat(::testing::TempDir(), "damaged.parquet");
  Random random(1);
  for (const char* file : {"snappy.parquet", "zstd_v2.parquet", "polars.parquet"}) {
    const std::string whole = *read_file(golden(file));
    for (int i = 0; i < 150; ++i) {
      std::string damaged = whole;
      for (int bytes = 0; bytes < 3; ++bytes) {
        damaged[random.below(damaged.size())] = static_cast<char>(random.next());
      }
      if (random.chance(1, 5)) damaged.resize(random.below(damaged.size()));
      ASSERT_TRUE(write_file(path, damaged).ok());
      // It answers: rows, or what is wrong.
      EXPECT_LE(rows_of(path).size(), 1000U);
    }
  }
}

TEST(Snappy, LiteralsAndCopies) {
  EXPECT_EQ(snappy_decompress(std::string("\x00", 1), 10), "");
  // "abcd", then six bytes from four back.
  EXPECT_EQ(snappy_decompress("\x0a\x0c"
                              "abcd"
                              "\x09\x04",
                              10),
            "abcdabcdab");
  EXPECT_FALSE(
      snappy_decompress("\x0a\x0c"
                        "abcd"
                        "\x09\x04",
                        9))
      << "more than the limit";
  EXPECT_FALSE(
      snappy_decompress("\x0a\x0c"
                        "abcd"
                        "\x09\x05",
                        10))
      << "from before the beginning";
  EXPECT_FALSE(
      snappy_decompress("\x0a\x0c"
                        "abc",
                        10))
      << "cut short";
  EXPECT_FALSE(snappy_decompress("", 10));
}

}  // namespace
}  // namespace steptp
