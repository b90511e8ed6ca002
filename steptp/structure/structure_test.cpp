#include "steptp/structure/structure.h"

#include <gtest/gtest.h>

#include "steptp/structure/catalogue.h"
#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

Program read(const char* text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

std::string first_id(const char* text) {
  const Diagnostics found = check_structure(read(text));
  return found.empty() ? "" : found.front().id;
}

// Places, words and every other id: documents/check_document_test.cpp.
TEST(Structure, NamesRanksAndLoops) {
  EXPECT_EQ(first_id("@input A f32[4]\n@output D f32[4]\na4{E(a)=A(a);D(a)=E(a);}"), "");
  EXPECT_EQ(first_id("@input A f32[4]\n@output D f32[4]\na4{E(a)=A(a);D(a)=E;}"), "rank-conflict");
}

TEST(Structure, WhatItFindsIsExplained) {
  const Diagnostics found = check_structure(read("@input A f32[4]\n@output D f32[4]\na4{E(a)=A(a);D(a)=E;}"));
  ASSERT_FALSE(found.empty());
  EXPECT_FALSE(found.front().site.empty());
  EXPECT_NE(find_explanation(found.front().id), nullptr);
}

}  // namespace
}  // namespace steptp::testing
