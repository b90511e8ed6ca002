// Rows with unused places behind them, in one dimension: what `tile` makes of staged tiles with a padding.
#include "steptp/analysis/padded_rows.h"

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/text/printer.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

Program program_of(std::string_view body) {
  return shorthand_program(concat("@input A f32[64,48]\n@output D f32[64,48]\n", body), {{"T", "f32"}});
}

std::string first_of(const CheckReport& report) {
  for (const Diagnostic& one : report.diagnostics) {
    if (one.severity != Severity::warning) return concat(one.id, ": ", one.message);
  }
  return "ok";
}

/// How the accesses of E look with rows.
std::vector<std::string> split(std::string_view body) {
  const Program program = program_of(body);
  const AccessTable table = with_rows(collect_accesses(program));
  std::vector<std::string> out;
  for (const Access& access : table.accesses) {
    if (access.ref->tensor == "E") out.push_back(print(*access.ref));
  }
  EXPECT_EQ(table.tensors.at("E").rank, out[0].find(',', out[0].find('_')) == std::string::npos ? 1U : 2U);
  return out;
}

TEST(PaddedRows, AreRowsAndPlaces) {
  EXPECT_EQ(split("B(tx,32)[L(a,4)[E:l[a*9+3]=A[tx,a];];L(a,4)[D[tx,a]=E:l[a*9+3];];];"),
            (std::vector<std::string>{"E^{f32,l}_{a,3}", "E^{f32,l}_{a,3}"}));
  // The longest rows that all accesses fit into; quotients keep their places.
  EXPECT_EQ(split("B(tx,32)[L(a,4)L(c,2)[E:l[a//2*40+a%2*18+c*9]=A[tx,a];];L(a,4)[D[tx,a]=E:l[a*9];];];"),
            (std::vector<std::string>{"E^{f32,l}_{a//2,(a%2)*18+c*9}", "E^{f32,l}_{0,a*9}"}));
  EXPECT_EQ(split("B(tx,32)[L(a,4)L(c,2)[E:l[a//2*40+a%2*20+c*9]=A[tx,a];];L(a,2)[D[tx,a]=E:l[a*20+45];];];"),
            (std::vector<std::string>{"E^{f32,l}_{a//2,(a%2)*20+c*9}", "E^{f32,l}_{1,a*20+5}"}));
}

/// A row that reaches into the next one is none; neither is a tensor in g.
TEST(PaddedRows, AreNotWhatOverlaps) {
  EXPECT_EQ(split("B(tx,32)[L(a,4)L(c,10)[E:l[a*9+c]=A[tx,a];];L(a,4)[D[tx,a]=E:l[a*9];];];"),
            (std::vector<std::string>{"E^{f32,l}_{a*9+c}", "E^{f32,l}_{a*9}"}));
  EXPECT_EQ(split("B(tx,32)L(a,4)[E[tx*9+a]=A[tx,a];];B(tx,32)L(a,4)[D[tx,a]=E[tx*9+a];];"),
            (std::vector<std::string>{"E^{f32,g}_{tx*9+a}", "E^{f32,g}_{tx*9+a}"}));
}

TEST(PaddedRows, WhatIsReadIsThere) {
  constexpr std::string_view kStaged =
      "B(by,4)[U(a,2)B(ty,8)B(tx,16)V(g,4)[E:s[tx%8*144+g*36+a*16+ty*2+tx//8]=A[by*16,g];];"
      "B(ty,8)B(tx,16)L(c,2)U(d,16)[D[by*16+ty,c*16+tx]=D[by*16+ty,c*16+tx]+E:s[(c*16+d)*36+";
  const auto read = [&](std::string_view place) {
    return first_of(check_program(program_of(concat(kStaged, place, "];];];B(tx,64)L(a,48)[D[tx,a]=0;];"))));
  };
  EXPECT_EQ(read("ty*4"), "ok");
  EXPECT_EQ(read("ty*4+3"), "ok");
  // The places behind a row were written by nobody.
  EXPECT_EQ(read("ty*4+4").substr(0, 14), "undefined-read");
  EXPECT_EQ(read("32+ty%4").substr(0, 14), "undefined-read");
}

}  // namespace
}  // namespace steptp::testing
