// Subscripts that are read from tables which the program itself has written.
#include <gtest/gtest.h>

#include <string>

#include "steptp/safety/check.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

/// "ok", or the id of the first finding.
std::string verdict(std::string_view body) {
  const std::string text = "@input A f32[6,4]\n@output C f32[6,4]\n" + std::string(body);
  const CheckReport report = check_program(shorthand_program(text, {{"T", "f32"}}));
  for (const Severity severity : {Severity::error, Severity::unknown}) {
    for (const Diagnostic& diagnostic : report.diagnostics) {
      if (diagnostic.severity == severity) return diagnostic.id;
    }
  }
  return "ok";
}

constexpr std::string_view kSparse = "B(tx,6)L(a,4)[D[tx*10+a]=A[tx,a];];";

TEST(Tables, ContentsAreKnown) {
  const std::string sparse(kSparse);
  EXPECT_EQ(verdict(sparse + "B(tx,6)L(a,4)[H:i64[tx,a]=tx*10+a;];B(tx,6)L(a,4)[C[tx,a]=D[H:i64[tx,a]];];"), "ok");
  EXPECT_EQ(verdict(sparse + "B(tx,6)L(a,4)[H:i64[a,tx]=tx*10+a;];B(tx,6)L(a,4)[C[tx,a]=D[H:i64[3-a,5-tx]];];"), "ok");
  // A table of a table, and a quotient.
  EXPECT_EQ(verdict(sparse + "B(tx,24)[H:i32[tx]=tx//4*10+tx%4;];B(tx,6)L(a,4)[I:i64[tx,a]=tx*4+a;];"
                             "B(tx,6)L(a,4)[C[tx,a]=D[H:i32[I:i64[tx,a]]];];"),
            "ok");
  // Written through a table: no race, and everything is written.
  EXPECT_EQ(verdict("B(tx,6)[H:i64[tx]=5-tx;];B(tx,6)L(a,4)[C[H:i64[tx],a]=A[tx,a];];"), "ok");
}

TEST(Tables, WrongContentsAreFound) {
  const std::string sparse(kSparse);
  EXPECT_EQ(verdict(sparse + "B(tx,6)L(a,4)[H:i64[tx,a]=tx*10+a+1;];B(tx,6)L(a,4)[C[tx,a]=D[H:i64[tx,a]];];"),
            "undefined-read");
  EXPECT_EQ(verdict("B(tx,6)L(a,4)[C[tx,a]=0;];B(tx,6)[H:i64[tx]=5-tx//2;];B(tx,6)L(a,4)[C[H:i64[tx],a]=A[tx,a];];"),
            "race");
}

TEST(Tables, UnknownStaysUnknown) {
  const std::string sparse(kSparse);
  // Wrapped, written twice, only partly, or later.
  EXPECT_NE(verdict(sparse + "B(tx,6)L(a,4)[H:i8[tx,a]=tx*100+a;];B(tx,6)L(a,4)[C[tx,a]=D[H:i8[tx,a]%54];];"), "ok");
  EXPECT_NE(verdict(sparse + "B(tx,6)L(a,4)[H:i64[tx,a]=tx*10+a;];B(tx,2)L(a,2)[H:i64[tx,a]=9;];"
                             "B(tx,6)L(a,4)[C[tx,a]=D[H:i64[tx,a]];];"),
            "ok");
  EXPECT_EQ(verdict(sparse + "B(tx,5)L(a,4)[H:i64[tx,a]=tx*10+a;];B(tx,6)L(a,4)[C[tx,a]=D[H:i64[tx,a]];];"),
            "undefined-read");
  EXPECT_NE(verdict(sparse + "B(tx,6)L(a,4)[C[tx,a]=D[H:i64[tx,a]];];B(tx,6)L(a,4)[H:i64[tx,a]=tx*10+a;];"), "ok");
}

}  // namespace
}  // namespace steptp::testing
