#include "steptp/base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace steptp {
namespace {

std::string round_trip(std::string_view text) {
  auto json = parse_json(text);
  return json ? json->dump() : "error: " + json.error().message;
}

TEST(Json, KeepsTheOrderOfKeys) {
  EXPECT_EQ(round_trip(R"({ "z": 1, "a": {"y":2, "b":[ ] } })"), R"({"z":1,"a":{"y":2,"b":[]}})");
}

TEST(Json, IntegersStayExact) {
  EXPECT_EQ(round_trip("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(round_trip("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(round_trip("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(*parse_json("7")->as_integer(), 7);
  EXPECT_EQ(parse_json("7.0")->as_integer(), nullptr);
  EXPECT_EQ(parse_json("18446744073709551615")->as_integer(), nullptr);
  EXPECT_EQ(parse_json("18446744073709551615")->number(), 18446744073709551615.0);
}

TEST(Json, DoublesAreShortestAndNonFiniteOnesAreStrings) {
  EXPECT_EQ(Json(0.1).dump(), "0.1");
  EXPECT_EQ(round_trip("1e300"), "1e+300");
  EXPECT_EQ(round_trip("-0.0"), "-0.0");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).dump(), R"("inf")");
  EXPECT_EQ(Json(-std::numeric_limits<double>::infinity()).dump(), R"("-inf")");
  EXPECT_EQ(Json(std::nan("")).dump(), R"("nan")");
}

TEST(Json, EscapesWhatMustBeEscaped) {
  EXPECT_EQ(quote_json("a\"b\\c\n\r\t\x01z"), R"("a\"b\\c\n\r\t\u0001z")");
  EXPECT_EQ(quote_json("long \"runs\" between\\escapes\x7f\x1f!"),
            "\"long \\\"runs\\\" between\\\\escapes\x7f\\u001f!\"");
  EXPECT_EQ(round_trip(R"("\u00e9\ud83d\ude00")"), "\"\xc3\xa9\xf0\x9f\x98\x80\"");
}

TEST(Json, BytesThatAreNoTextBecomeTheReplacementCharacter) {
  EXPECT_EQ(quote_json("a\xff\xc3z"), R"("a\ufffd\ufffdz")");
  EXPECT_EQ(quote_json("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate
  EXPECT_EQ(quote_json("\xc0\xaf"), R"("\ufffd\ufffd")");            // an overlong '/'
  EXPECT_EQ(quote_json("\xf4\x8f\xbf\xbf\xf4\x90\x80\x80"), "\"\xf4\x8f\xbf\xbf\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

TEST(Json, FindsOnlyInObjects) {
  auto json = parse_json(R"({"a":true,"b":null})");
  ASSERT_TRUE(json.ok());
  EXPECT_TRUE(*json->find("a")->as_bool());
  EXPECT_TRUE(json->find("b")->is_null());
  EXPECT_EQ(json->find("c"), nullptr);
  EXPECT_EQ(Json(3).find("a"), nullptr);
}

TEST(Json, BuildsFromNull) {
  Json object;
  object.set("n", 1).set("list", Json());
  Json list;
  list.push("x");
  list.push(std::uint32_t{4000000000});
  object.set("more", std::move(list));
  EXPECT_EQ(object.dump(), R"({"n":1,"list":null,"more":["x",4000000000]})");
}

TEST(Json, NamesKindsForMessages) {
  EXPECT_EQ(Json().kind_name(), "null");
  EXPECT_EQ(Json(true).kind_name(), "a boolean");
  EXPECT_EQ(Json(1).kind_name(), "an integer");
  EXPECT_EQ(Json(1.5).kind_name(), "a number");
  EXPECT_EQ(Json("s").kind_name(), "a string");
  EXPECT_EQ(Json(Json::Array()).kind_name(), "an array");
  EXPECT_EQ(Json(Json::Object()).kind_name(), "an object");
}

struct BadText {
  std::string text;
  std::string message_part;
  std::uint32_t offset;
};

TEST(Json, SaysWhereATextIsWrong) {
  const BadText cases[] = {
      {R"({"a":1,})", "object key", 7},
      {"[1,2", "unexpected end of input", 4},
      {R"("abc)", "missing closing quote", 4},
      {"", "unexpected end of input", 0},
      {"1 2", "expected end of input", 2},
      {"nul", "invalid literal", 3},
      {"\"\xff\"", "UTF-8", 1},
  };
  for (const BadText& bad : cases) {
    const auto json = parse_json(bad.text);
    ASSERT_FALSE(json.ok()) << bad.text;
    EXPECT_NE(json.error().message.find(bad.message_part), std::string::npos)
        << bad.text << ": " << json.error().message;
    EXPECT_EQ(json.error().offset, bad.offset) << bad.text << ": " << json.error().message;
    EXPECT_FALSE(json.error().message.starts_with("[json")) << json.error().message;
  }
}

TEST(Json, RefusesAKeyGivenTwice) {
  const auto json = parse_json(R"({"a":1,"b":2,"a":3})");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().message, R"(the key "a" occurs twice in one object)");
}

TEST(Json, RefusesHostileDepth) {
  EXPECT_TRUE(parse_json(std::string(200, '[') + std::string(200, ']')).ok());
  const auto json = parse_json(std::string(2'000'000, '['));
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().message, "nested deeper than 200 levels");
}

}  // namespace
}  // namespace steptp
