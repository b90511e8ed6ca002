// Rule R12 of docs/language.md: indices fit in 64 bits, or are refused.
#include "steptp/safety/index_sizes.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

int index_sizes_in(std::string_view text) {
  const Document document = read_document(
      "<test>", concat("@input A f32[6]\n@input I i64[6] [0,6)\n@input J i64[6]\n@output D f32[6]\n", text));
  EXPECT_TRUE(document.ok) << text;
  int count = 0;
  for (const Diagnostic& item : check_program(document.program).diagnostics) count += item.id == "index-size";
  return count;
}

TEST(IndexSizes, WhatCouldLeaveSixtyFourBitsIsRefused) {
  for (const char* text : {
           "a6 D(a)=A(a);a6 ?(a*4611686018427387904>9223372036854775807) D(a)=0;",
           "a6 D(a)=A(a);a6 ?(9223372036854775807+a>9223372036854775807) D(a)=0;",
           "a6 D(a)=A(a);a6 ?(a*a*4611686018427387904>9223372036854775807) D(a)=0;",
           "a6 D(a)=A(a);a4000000000 ?(a*a>9223372036854775807) D(0)=0;",
           "a6 D(a)=A((a*4611686018427387904)%5);",
           "a6 D(a)=A(a*4611686018427387904//4611686018427387904);",
           "a6 D(a)=A(a);a6 ?(a*4611686018427387904//4611686018427387904==a) D(a)=0;",
           "a6 D(a)=A(a);a6 ?(a*3074457345618258603>9223372036854775806) D(a)=0;",
           "a6 ?(a*4611686018427387904<=9223372036854775807) D(a)=A(a);",
           "a6 D(a)=where(a*4611686018427387904>9223372036854775806,0,A(a));",
           "a6 D(a)=where(max(a*4611686018427387904,0)>5,0,A(a));",
           // a difference of large parts: in another order of adding they would not fit
           "a6 ?(a*4611686018427387904-a*4611686018427387900+a*4611686018427387000>7) D(a)=A(a);",
           // in a subscript of a subscript
           "a6 D(a)=A(I^i64(a*4611686018427387904%5));",
       }) {
    EXPECT_GE(index_sizes_in(text), 1) << text;
  }
}

TEST(IndexSizes, WhatFitsIsAllowed) {
  for (const char* text : {
           "a6 D(a)=A(a);a6 ?(a>9223372036854775807) D(a)=0;",
           "a6 D(a)=A(a*922337203685477580//922337203685477580);",
           "a6 D(a)=where(A(a)>9223372036854775807,0,A(a));",
           "a6 D(a)=A(I^i64(a));",
           "a6 D(a)=A(J^i64(a));",
           "a6 D(a)=A(J^i64(a)*1000//1000);",
           "a6 D(a)=a*4611686018427387904;",  // a value, which wraps
           "a6 ?(a*768614336404564650<3843071682022823250) D(a)=A(a);",
       }) {
    EXPECT_EQ(index_sizes_in(text), 0) << text;
  }
}

}  // namespace
}  // namespace steptp
