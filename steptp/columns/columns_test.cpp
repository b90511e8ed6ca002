// Rows through both kinds of files and back. That other readers agree is tested with pyarrow and `datasets`
// (python/datasets_tests).
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/columns/jsonl_writer.h"
#include "steptp/columns/parquet_reader.h"
#include "steptp/columns/parquet_writer.h"
#include "steptp/columns/schema.h"

namespace steptp {
namespace {

TableSchema every_kind() {
  return {{"id", ColumnKind::text, "a name", false},
          {"count", ColumnKind::integer, "", true},
          {"share", ColumnKind::real, "", true},
          {"flag", ColumnKind::boolean, "", true},
          {"words", ColumnKind::texts, "", true},
          {"labels", ColumnKind::booleans, "", true},
          {"messages", ColumnKind::messages, "a talk", true},
          {"last", ColumnKind::text, "", true}};
}

Json message(std::string_view role, std::string content) {
  Json out;
  out.set("role", role).set("content", std::move(content));
  return out;
}

Json drawn_row(std::uint64_t number) {
  Random random(number);
  const auto maybe = [&random](Json value) { return random.chance(1, 4) ? Json() : std::move(value); };
  const auto text = [&random] { return std::string(random.below(40), static_cast<char>('a' + random.below(26))); };
  Json::Array words, labels, messages;
  for (std::uint64_t i = random.below(4); i > 0; --i) words.emplace_back(text());
  for (std::uint64_t i = random.below(20); i > 0; --i) labels.emplace_back(random.chance(1, 2));
  for (std::uint64_t i = random.below(3); i > 0; --i) messages.push_back(message("user", text() + "\n\"\\ é"));
  Json row;
  row.set("id", std::to_string(number)).set("count", maybe(static_cast<std::int64_t>(random.next())));
  row.set("share", maybe(static_cast<double>(random.below(1000)) / 7)).set("flag", maybe(random.chance(1, 2)));
  row.set("words", maybe(std::move(words))).set("labels", maybe(std::move(labels)));
  row.set("messages", maybe(std::move(messages))).set("last", maybe(text()));
  return row;
}

class Columns : public ::testing::Test {
 protected:
  Columns() : folder_(std::filesystem::temp_directory_path() / concat("steptp_columns_", ::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Columns() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(Columns, ParquetReadsBackWhatWasWritten) {
  constexpr std::uint64_t kRows = 500;
  auto writer = ParquetWriter::create(path("a.parquet"), every_kind(), 4000);
  ASSERT_TRUE(writer.ok());
  for (std::uint64_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(misfit(drawn_row(i), every_kind()), "");
    ASSERT_FALSE(writer->add(drawn_row(i)));
  }
  const auto written = writer->finish();
  ASSERT_TRUE(written.ok());
  EXPECT_EQ(written->sha256, sha256_hex(*read_file(path("a.parquet"))));
  auto reader = ParquetReader::open(path("a.parquet"), every_kind());
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ(reader->rows(), kRows);
  for (std::uint64_t i = 0; i < kRows; ++i) {
    const auto row = reader->next();
    ASSERT_TRUE(row.ok()) << row.error().message;
    ASSERT_TRUE(row->has_value());
    ASSERT_EQ((*row)->dump(), drawn_row(i).dump());
  }
  EXPECT_FALSE(reader->next()->has_value());
}

TEST_F(Columns, NoRowsIsATableToo) {
  auto writer = ParquetWriter::create(path("none.parquet"), every_kind());
  ASSERT_TRUE(writer->finish().ok());
  auto reader = ParquetReader::open(path("none.parquet"), every_kind());
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader->next()->has_value());
}

TEST_F(Columns, JsonlReadsBackWhatWasWritten) {
  constexpr std::uint64_t kRows = 20000;  // several pieces
  auto writer = JsonlWriter::create(path("a.jsonl.zst"));
  ASSERT_TRUE(writer.ok());
  for (std::uint64_t i = 0; i < kRows; ++i) ASSERT_FALSE(writer->add(drawn_row(i)));
  ASSERT_TRUE(writer->finish().ok());
  auto reader = JsonlReader::open(path("a.jsonl.zst"));
  ASSERT_TRUE(reader.ok());
  for (std::uint64_t i = 0; i < kRows; ++i) {
    const auto line = reader->next();
    ASSERT_TRUE(line.ok()) << line.error().message;
    ASSERT_EQ(line->value(), drawn_row(i).dump());
  }
  EXPECT_FALSE(reader->next()->has_value());
}

TEST_F(Columns, ADamagedFileIsNoticed) {
  auto parquet = ParquetWriter::create(path("a.parquet"), every_kind());
  auto jsonl = JsonlWriter::create(path("a.jsonl.zst"));
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_FALSE(parquet->add(drawn_row(i)) || jsonl->add(drawn_row(i)));
  ASSERT_TRUE(parquet->finish().ok() && jsonl->finish().ok());
  const std::string whole = *read_file(path("a.parquet"));
  const std::string lines = *read_file(path("a.jsonl.zst"));
  ASSERT_TRUE(write_file(path("b.parquet"), whole.substr(0, whole.size() / 2)).ok());
  EXPECT_EQ(ParquetReader::open(path("b.parquet"), every_kind()).error().id, "parquet");
  ASSERT_TRUE(write_file(path("b.jsonl.zst"), lines.substr(0, lines.size() / 2)).ok());
  EXPECT_EQ(JsonlReader::open(path("b.jsonl.zst"))->next().error().id, "zstd");
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    // Whatever is done to it, the reader answers; what it reads has the form of rows.
    std::string damaged = whole;
    damaged[random.below(damaged.size())] = static_cast<char>(random.next());
    if (random.chance(1, 4)) damaged.resize(random.below(damaged.size()));
    ASSERT_TRUE(write_file(path("b.parquet"), damaged).ok());
    auto reader = ParquetReader::open(path("b.parquet"), every_kind());
    while (reader.ok()) {
      const auto row = reader->next();
      if (!row.ok() || !row->has_value()) break;
    }
    // The frame has a checksum of its content: a byte that says something else is always noticed.
    damaged = lines;
    const std::size_t at = random.below(damaged.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    ASSERT_TRUE(write_file(path("b.jsonl.zst"), damaged).ok());
    auto line_reader = JsonlReader::open(path("b.jsonl.zst"));
    bool noticed = false;
    std::size_t same = 0;
    while (!noticed) {
      const auto line = line_reader->next();
      noticed = !line.ok();
      if (!noticed && !line->has_value()) break;
      if (!noticed && **line == drawn_row(same).dump()) ++same;
    }
    EXPECT_TRUE(noticed || same == 100) << "byte " << at;
  }
}

TEST_F(Columns, AnotherSchemaIsRefused) {
  auto writer = ParquetWriter::create(path("a.parquet"), every_kind());
  ASSERT_FALSE(writer->add(drawn_row(1)));
  ASSERT_TRUE(writer->finish().ok());
  TableSchema other = every_kind();
  other[1].kind = ColumnKind::real;
  auto reader = ParquetReader::open(path("a.parquet"), other);
  ASSERT_TRUE(reader.ok());
  EXPECT_NE(reader->next().error().message.find("column count is missing or of another type"), std::string::npos);
  other.pop_back();
  EXPECT_FALSE(ParquetReader::open(path("a.parquet"), other).ok());
}

TEST(Schema, MisfitsAreNamed) {
  const TableSchema schema = every_kind();
  const auto changed = [](std::string_view key, Json value) {
    Json row;
    const Json drawn = drawn_row(3);
    for (const auto& [name, old] : *drawn.as_object()) row.set(name, name == key ? value : old);
    return row;
  };
  EXPECT_EQ(misfit(drawn_row(3), schema), "");
  EXPECT_EQ(misfit(changed("id", Json()), schema), "column 'id' is null, wanted string");
  EXPECT_EQ(misfit(changed("count", 0.5), schema), "column 'count' is a number, wanted int64");
  EXPECT_EQ(misfit(changed("words", Json::Array{1}), schema), "column 'words' is an array, wanted list of strings");
  EXPECT_EQ(misfit(changed("messages", Json::Array{"hello"}), schema),
            "column 'messages' is an array, wanted list of messages");
  Json more = drawn_row(3);
  more.set("extra", 1);
  EXPECT_EQ(misfit(more, schema), "there is no column 'extra'");
  EXPECT_EQ(misfit(Json(), schema), "a row is an object; this is null");
}

TEST_F(Columns, AnUnwritablePathIsAnError) {
  const auto writer = ParquetWriter::create(path("no/such/folder.parquet"), every_kind());
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().id, "write");
  // Half a file never gets the name of a whole one.
  { auto half = JsonlWriter::create(path("half.jsonl.zst")); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace steptp
