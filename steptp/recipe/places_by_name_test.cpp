#include "steptp/recipe/places_by_name.h"

#include <gtest/gtest.h>

#include "steptp/ir/site.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

Program staged() {
  return read_document("staged",
                       "@input A f32[32,64]\n@output D f32[32,64]\n"
                       "bx32{tx64 E^s(tx)=A(bx,tx);tx64 D(bx,tx)=E(tx)-E(63-tx);}tx32 a64 D(tx,a)=D(tx,a)*2;")
      .program;
}

std::string address(std::string_view place) {
  const auto found = place_by_name(staged(), place);
  return found ? *found : found.error().message;
}

TEST(PlacesByName, AreTheNestsAndEquationsThatWriteATensor) {
  EXPECT_EQ(address("E"), "0/0");
  EXPECT_EQ(address("E:loop[0]"), "0/0:loop[0]");
  EXPECT_EQ(address("D:right.1"), "0/1/0:right.1");
  EXPECT_EQ(address("D#2:loop[1]"), "1:loop[1]");
  EXPECT_EQ(address("D#2:left[0]"), "1/0:left[0]");
  for (const char* place : {"E", "E:loop[0]", "D:right.1", "D#2:loop[1]", "D#2:left[0]"}) {
    const auto site = parse_site(address(place));
    ASSERT_TRUE(site.has_value()) << place;
    EXPECT_FALSE(std::holds_alternative<std::monostate>(resolve(staged().nests, *site))) << place;
  }
}

TEST(PlacesByName, AddressesStayAsTheyAre) {
  EXPECT_EQ(address("0:loop[1]"), "0:loop[1]");
  EXPECT_EQ(address("17"), "17");
  EXPECT_EQ(address(""), "");
}

TEST(PlacesByName, SayWhyThereIsNone) {
  EXPECT_EQ(address("A"), "there is no place 'A': no equation writes A");
  EXPECT_EQ(address("D#3"), "there is no place 'D#3': only 2 equations write D");
  EXPECT_EQ(address("D#0"), "'D#0': behind # stands a number from 1");
  EXPECT_EQ(address("D#x"), "'D#x': behind # stands a number from 1");
  EXPECT_EQ(place_by_name(staged(), "F").error().hint, "a place is an address, or a tensor that is written: D E");
}

TEST(PlacesByName, AChoiceGetsItsAddress) {
  const auto choice = with_address(staged(), *parse_json(R"({"at":"E:loop[0]","inner":4})"));
  ASSERT_TRUE(choice.ok());
  EXPECT_EQ(choice->dump(), R"({"at":"0/0:loop[0]","inner":4})");
  EXPECT_EQ(with_address(staged(), *parse_json("[1]"))->dump(), "[1]");
}

}  // namespace
}  // namespace steptp
