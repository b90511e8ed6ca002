#include "steptp/tokens/unicode.h"

#include <gtest/gtest.h>

#include <string>

namespace steptp {
namespace {

std::string nfc(std::string_view text) {
  std::string out;
  UnicodeTables::get().append_nfc(text, out);
  return out;
}

TEST(Unicode, every_code_point_survives_utf8) {
  for (std::uint32_t point = 0; point < 0x110000; ++point) {
    std::string text;
    append_point(text, point);
    const bool surrogate = point >= 0xd800 && point < 0xe000;
    ASSERT_EQ(find_invalid_utf8(text).has_value(), surrogate) << point;
    const auto decoded = decode_point(text.data());
    ASSERT_EQ(decoded.point, point);
    ASSERT_EQ(decoded.length, text.size());
  }
}

TEST(Unicode, every_start_of_a_code_point_is_one_replacement) {
  EXPECT_EQ(replace_invalid_utf8("a\xe4\xb8z"), "a\ufffdz");
  EXPECT_EQ(replace_invalid_utf8("\xf0\x9f\x98\xe4\xb8\xad"), "\ufffd\u4e2d");
  EXPECT_EQ(replace_invalid_utf8("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(replace_invalid_utf8("\xc0\xff"), "\ufffd\ufffd");
  EXPECT_EQ(replace_invalid_utf8("\xf4"), "\ufffd");
}

TEST(Unicode, composes) {
  EXPECT_EQ(nfc(""), "");
  EXPECT_EQ(nfc("plain"), "plain");
  EXPECT_EQ(nfc("e\u0301"), "\u00e9");
  EXPECT_EQ(nfc("\u0301e"), "\u0301e");
  EXPECT_EQ(nfc("xe\u0301\u0323y"), "x\u1eb9\u0301y");
  EXPECT_EQ(nfc("\u1e9b\u0323"), "\u1e9b\u0323");
  EXPECT_EQ(nfc("\u212b"), "\u00c5");
  EXPECT_EQ(nfc("\u0958"), "\u0915\u093c");  // excluded from composition
  EXPECT_EQ(nfc("\u1100\u1161\u11a8"), "\uac01");
  EXPECT_EQ(nfc("\uac00\u11a8"), "\uac01");
  EXPECT_EQ(nfc("\uac01\u11a8"), "\uac01\u11a8");
  EXPECT_EQ(nfc("\u1100\u1161\u11a7"), "\uac00\u11a7");
}

TEST(Unicode, composes_like_the_package_whose_tables_are_older) {
  EXPECT_EQ(nfc("\U00011935\U00011930"), "\U00011935\U00011930");  // one letter since Unicode 13
  EXPECT_EQ(nfc("a\u1ac1\u0334"), "a\u1ac1\u0334");                // a mark since Unicode 14
}

TEST(Unicode, nfc_twice_is_nfc_once_and_the_quick_answer_is_honest) {
  // Nothing above these planes has a decomposition or a class.
  const auto& tables = UnicodeTables::get();
  for (std::uint32_t point = 0; point < 0x30000; ++point) {
    if (point >= 0xd800 && point < 0xe000) continue;
    for (const std::string_view before : {"", "e", "\u1100", "\u0345"}) {
      std::string text(before);
      append_point(text, point);
      text += "\u0301";
      const std::string once = nfc(text);
      ASSERT_EQ(nfc(once), once) << point;
      text.resize(text.size() - 2);
      if (tables.is_surely_nfc(text)) {
        ASSERT_EQ(nfc(text), text) << point;
      }
    }
  }
}

TEST(Unicode, classes) {
  const auto is = [](std::uint32_t point, CharacterClass flag) {
    return (UnicodeTables::get().class_of(point) & flag) != 0;
  };
  EXPECT_TRUE(is('a', kLetter) && is('a', kWordCharacter) && !is('a', kNumber));
  EXPECT_TRUE(is('_', kWordCharacter) && !is('_', kLetter));
  EXPECT_TRUE(is(0x661, kNumber) && is(0xbd, kNumber) && is(0x2160, kNumber));
  EXPECT_TRUE(is('\n', kNewline) && is('\n', kSpace) && is('\r', kNewline) && !is(0x85, kNewline) && is(0x85, kSpace));
  EXPECT_TRUE(is(0x3000, kSpace) && !is(0x200b, kSpace));
  EXPECT_TRUE(is(0x13460, kLetter));  // since Unicode 16
  EXPECT_FALSE(is(0x10ffff, kLetter | kNumber | kSpace | kWordCharacter | kNormalizing));
}

}  // namespace
}  // namespace steptp
