#include "steptp/oracle/npz.h"
#include "source_dir.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <limits>

#include "steptp/base/file.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/oracle/scalar.h"

namespace steptp {
namespace {

using Arrays = std::map<std::string, Array>;

template <typename T>
Array make(DType dtype, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  Array array{dtype, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

Arrays samples() {
  return {
      {"A", make<float>(DType::f32, {2, 3}, {0, 0.5, 1, 1.5, 2, 2.5})},
      {"C", make<std::int64_t>(DType::i64, {2}, {INT64_MIN, INT64_MAX})},
      {"D", make<double>(DType::f64, {}, {3.25})},
      {"E", make<std::uint8_t>(DType::boolean, {3}, {1, 0, 1})},
      {"F", make<double>(DType::f64, {0, 3}, {})},
      {"G", make<std::int8_t>(DType::i8, {1, 1, 2}, {-128, 127})},
  };
}

std::string npy(std::string_view header, std::string_view data) {
  return concat("\x93NUMPY", '\x01', '\x00', static_cast<char>(header.size() & 255),
                static_cast<char>(header.size() >> 8), header, data);
}

/// The message, or "ok".
std::string verdict(const std::string& content, std::uint64_t limit = kNpzLimit) {
  const auto result = parse_npz(content, limit);
  return result ? "ok" : result.error().message;
}

std::string verdict_npy(const std::string& content) {
  const auto result = parse_npy(content);
  return result ? "ok" : result.error().message;
}

void expect_contains(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\n  does not contain: " << part;
}

TEST(Npz, RoundTripThroughAFile) {
  const std::string path = concat(::testing::TempDir(), "npz_test_round_trip.npz");
  ASSERT_TRUE(write_npz(path, samples()).ok());
  const auto back = read_npz(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, samples());
  EXPECT_EQ(*format_npz(samples()), *format_npz(samples()));
}

TEST(Npz, ReadsWhatNumpyCompressed) {
  const auto read = read_npz(STEPTP_SOURCE_DIR "/steptp/oracle/golden/numpy_compressed.npz");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->size(), 13U);
  EXPECT_EQ(read->at("f64"),
            make<double>(DType::f64, {4}, {1.5, -0.0, std::numeric_limits<double>::infinity(), 3.141592653589793}));
  EXPECT_EQ(read->at("f32"), samples()["A"]);
  EXPECT_EQ(read->at("f16"), make<std::uint16_t>(DType::f16, {1, 2}, {0x7bff, 0x8001}));
  EXPECT_EQ(read->at("i64"), samples()["C"]);
  EXPECT_EQ(read->at("i32"), make<std::int32_t>(DType::i32, {1, 1, 1}, {-5}));
  EXPECT_EQ(read->at("i16"), make<std::int16_t>(DType::i16, {2}, {-300, 300}));
  EXPECT_EQ(read->at("i8"), make<std::int8_t>(DType::i8, {2}, {-128, 127}));
  EXPECT_EQ(read->at("u8"), make<std::uint8_t>(DType::u8, {2}, {0, 255}));
  EXPECT_EQ(read->at("flag"), samples()["E"]);
  EXPECT_EQ(read->at("scalar"), make<float>(DType::f32, {}, {2.25}));
  EXPECT_EQ(read->at("empty"), samples()["F"]);
  std::vector<std::int32_t> counted(24);
  for (int i = 0; i < 24; ++i) counted[static_cast<std::size_t>(i)] = i;
  EXPECT_EQ(read->at("fortran"), make(DType::i32, {2, 3, 4}, counted));
  EXPECT_EQ(read->at("zeros"), make(DType::f64, {40, 50}, std::vector<double>(2000)));
}

TEST(Npz, ReadsAnArchiveWrittenToAPipe) {
  // Python's zipfile, told that it cannot seek: sizes follow the data, local headers are zip64 and hold none.
  const auto read = read_npz(STEPTP_SOURCE_DIR "/steptp/oracle/golden/streamed.npz");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, (Arrays{{"x", samples()["A"]}, {"y", samples()["A"]}}));
}

TEST(Npz, MoreEntriesThanTheOldFormatCounts) {
  Arrays many;
  for (int i = 0; i < 66000; ++i) many[concat("K", i)] = make<std::int32_t>(DType::i32, {}, {i});
  const auto back = parse_npz(*format_npz(many));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, many);
}

TEST(Npz, BfloatTravelsAsFloat) {
  const Array values = make<std::uint16_t>(DType::bf16, {3}, {0x3f80, 0xc049, 0x0001});
  const auto back = parse_npz(*format_npz({{"A", values}}));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->at("A"), make<std::uint32_t>(DType::f32, {3}, {0x3f800000, 0xc0490000, 0x00010000}));
  EXPECT_EQ(*as_dtype(back->at("A"), DType::bf16), values);
  const auto inexact = as_dtype(make<float>(DType::f32, {2}, {1, 1.001F}), DType::bf16);
  ASSERT_FALSE(inexact.ok());
  expect_contains(inexact.error().message, "element 1");
  EXPECT_EQ(*as_dtype(make<std::uint32_t>(DType::f32, {1}, {0xff800001}), DType::bf16),
            make<std::uint16_t>(DType::bf16, {1}, {0x7fc0}));
  EXPECT_EQ(*as_dtype(values, DType::bf16), values);
  EXPECT_FALSE(as_dtype(samples()["C"], DType::f32).ok());
}

TEST(Npz, EveryCutIsNoticed) {
  const std::string whole = *format_npz(samples());
  for (std::size_t size = 0; size < whole.size(); ++size) ASSERT_NE(verdict(whole.substr(0, size)), "ok") << size;
}

TEST(Npz, DamageNeverReadsAsSomethingElse) {
  // One byte changed anywhere gives the same arrays (a date, an attribute), another name, or an error; never other
  // data.
  for (const std::string& whole : {*format_npz({{"A", samples()["A"]}}),
                                   *read_file(STEPTP_SOURCE_DIR "/steptp/oracle/golden/numpy_compressed.npz")}) {
    const auto original = parse_npz(whole);
    ASSERT_TRUE(original.ok());
    Random random(5);
    std::size_t harmless = 0;
    for (std::size_t place = 0; place < whole.size(); ++place) {
      std::string damaged = whole;
      damaged[place] = static_cast<char>(damaged[place] ^ static_cast<char>(1 + random.below(255)));
      const auto read = parse_npz(damaged, std::uint64_t{1} << 20);
      if (!read) continue;
      ++harmless;
      ASSERT_EQ(*read, *original) << "byte " << place;
    }
    EXPECT_LT(harmless, whole.size() / 2);
  }
}

TEST(Npz, SaysWhatIsWrong) {
  const std::string good = *format_npz({{"A", samples()["A"]}});
  ASSERT_EQ(verdict(good), "ok");
  expect_contains(verdict(""), "too short");
  expect_contains(verdict(std::string(100, 'x')), "does not begin with PK");
  expect_contains(verdict("PK" + std::string(100, 'x')), "cut off or damaged");
  expect_contains(verdict(good, 10), "limit of 10");

  std::string flipped = good;
  flipped[30 + 5 + 128] = static_cast<char>(flipped[30 + 5 + 128] ^ 1);  // the first byte of the data
  expect_contains(verdict(flipped), "'A.npy': its CRC does not match");

  const std::size_t central = good.find("PK\x01\x02");
  std::string method = good;
  method[central + 10] = 12;
  expect_contains(verdict(method), "compression method 12");
  std::string encrypted = good;
  encrypted[central + 8] = 1;
  expect_contains(verdict(encrypted), "encrypted");
  std::string far = good;
  far[central + 45] = 127;
  expect_contains(verdict(far), "local header");
  std::string longer = good;
  longer[central + 20] = static_cast<char>(230);
  expect_contains(verdict(longer), "beyond the end");
  std::string renamed = good;
  renamed[central + 46] = 'C';
  expect_contains(verdict(renamed), "'C.npy': its local header has another name");
  std::string unlike = good;
  unlike.replace(central + 46, 5, "A.txt");
  expect_contains(verdict(unlike), "lacks .npy");
  std::string fewer = *format_npz({{"A", samples()["A"]}, {"C", samples()["C"]}});
  fewer[fewer.size() - 12] = 1;  // the number of entries in the end record
  expect_contains(verdict(fewer), "more than its 1 entries");
  expect_contains(format_npz({{"A", Array{DType::f32, {2}, {}}}}).error().message, "does not agree");
  EXPECT_EQ(read_npz("/nonexistent/a.npz").error().id, "file");
}

/// An archive with the given central entries, all pointing at one local entry at offset 0.
std::string archive(const std::string& local, const std::vector<std::string>& central) {
  std::string out = local;
  const auto put = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 255));
  };
  for (const std::string& entry : central) out += entry;
  const std::size_t size = out.size() - local.size();
  put(0x06054b50, 4);
  put(0, 4);
  put(central.size(), 2);
  put(central.size(), 2);
  put(size, 4);
  put(local.size(), 4);
  put(0, 2);
  return out;
}

TEST(Npz, BombsStaySmall) {
  const std::string good = *format_npz({{"A", make(DType::f64, {1000}, std::vector<double>(1000))}});
  const std::size_t central = good.find("PK\x01\x02");
  const std::string entry = good.substr(central, 46 + 5);
  const std::string local = good.substr(0, central);
  ASSERT_EQ(verdict(archive(local, {entry})), "ok");
  expect_contains(verdict(archive(local, {entry, entry})), "overlap");

  // Deflated zeros announced as less, and as more, than they are.
  const std::string content = format_npy(make(DType::f64, {1000}, std::vector<double>(1000)));
  std::string packed(content.size(), '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string input = content;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  const auto with_size = [&](std::uint32_t announced) {
    std::string header = entry;
    header[10] = 8;
    const auto packed_size = static_cast<std::uint32_t>(packed.size());
    std::memcpy(header.data() + 20, &packed_size, 4);
    std::memcpy(header.data() + 24, &announced, 4);
    return archive(good.substr(0, 30 + 5) + packed, {header});
  };
  EXPECT_EQ(verdict(with_size(static_cast<std::uint32_t>(content.size()))), "ok");
  expect_contains(verdict(with_size(100)), "more than the 100 bytes");
  expect_contains(verdict(with_size(4000000000U)), "4000000000 were announced");
}

TEST(Npy, HeadersThatAreWrong) {
  const std::string four(4, '\0');
  const auto header = [](std::string_view shape) {
    return concat("{'descr': '<f4', 'fortran_order': False, 'shape': ", shape, ", }\n");
  };
  EXPECT_EQ(verdict_npy(npy(header("()"), four)), "ok");
  EXPECT_EQ(verdict_npy(npy(header("(1,)"), four)), "ok");
  EXPECT_EQ(verdict_npy(npy("{\"shape\":(1,1),\"fortran_order\":True,\"descr\":\"<f4\"}", four)), "ok");
  EXPECT_EQ(verdict_npy(npy("{'descr': '<u1', 'fortran_order': False, 'shape': (4,)}", four)), "ok");
  expect_contains(verdict_npy("PK"), "\\x93NUMPY");
  expect_contains(verdict_npy("\x93NUMPY"), "cut off");
  expect_contains(verdict_npy(npy(header("(2,)"), four)), "needs 8 bytes, 4 are there");
  expect_contains(verdict_npy(npy(header("(0,)"), four)), "needs 0 bytes");
  expect_contains(verdict_npy(npy(header("(4611686018427387904,4)"), four)), "too large");
  expect_contains(verdict_npy(npy(header("(4611686018427387904,0,4)"), "")), "too large");
  expect_contains(verdict_npy(npy(header("(99999999999999999999,)"), four)), "extent below 2^63");
  expect_contains(verdict_npy(npy(header("(-1,)"), four)), "extent");
  expect_contains(verdict_npy(npy(header("1"), four)), "'('");
  expect_contains(verdict_npy(npy("[1, 2]", four)), "a dict");
  expect_contains(verdict_npy(npy("{'descr': '<f4'}", four)), "lacks");
  expect_contains(verdict_npy(npy("{'descr': '<f4', 'descr': '<f4'}", four)), "once");
  expect_contains(verdict_npy(npy("{'descr': '<f4', 'evil': 1}", four)), "once");
  expect_contains(verdict_npy(npy(header("()") + "x", four)), "nothing after");
  expect_contains(verdict_npy(npy("{'descr': '<f4", four)), "end of a string");
  for (const std::string_view descr : {"'>f4'", "'|O'", "'<c8'", "'|V2'", "'<u2'", "''"}) {
    expect_contains(verdict_npy(npy(concat("{'descr': ", descr, ", 'fortran_order': False, 'shape': ()}"), four)),
                    "is not read");
  }
  expect_contains(verdict_npy(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", four)), "a string");
  std::string version = npy(header("()"), four);
  version[6] = 9;
  expect_contains(verdict_npy(version), "version 9");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  expect_contains(verdict_npy(npy(header(many + ")"), four)), "at most 64");
}

TEST(Npy, BoolBytesAreNormalised) {
  const auto array =
      parse_npy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string("\x02\x00\xff", 3)));
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(*array, samples()["E"]);
}

}  // namespace
}  // namespace steptp
