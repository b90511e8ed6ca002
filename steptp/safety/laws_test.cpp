// One row for each rule of `check`: a program that it lets pass, and the nearest ones that it must not. The rules on
// races have rows of their own (race_rules_test.cpp). tools/break_laws breaks each rule and expects its row to go red.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"

namespace steptp::testing {
namespace {

struct SafetyRow {
  std::string_view law;
  std::string_view id;  ///< of the finding, or of the unknown one
  std::string_view right;
  std::vector<std::string_view> wrong;
};

std::ostream& operator<<(std::ostream& out, const SafetyRow& row) { return out << row.law; }

constexpr std::string_view kSignature =
    "@input A f32[8]\n@input C f32[8]\n@input J i64[8] [0,8)\n@input N i64[8] nonzero\n@output D f32[8]\n";

/// Whether the finding is there; limits of launches are those of a device.
bool finds(std::string_view text, std::string_view id) {
  const Document document = read_document("row", concat(kSignature, text));
  EXPECT_TRUE(document.ok) << text << "\n" << render(document.diagnostics, *document.source);
  const CheckReport report = check_program(document.program, {.device = find_device("nvidia-h200")});
  return std::any_of(report.diagnostics.begin(), report.diagnostics.end(), [&](const Diagnostic& diagnostic) {
    return diagnostic.id == id || diagnostic.id == concat(id, "-unknown");
  });
}

class SafetyLaw : public ::testing::TestWithParam<SafetyRow> {};

TEST_P(SafetyLaw, HoldsAndItsNeighboursDoNot) {
  const SafetyRow& row = GetParam();
  EXPECT_FALSE(finds(row.right, row.id)) << row.right;
  EXPECT_FALSE(row.wrong.empty());
  for (const std::string_view text : row.wrong) EXPECT_TRUE(finds(text, row.id)) << text;
}

const std::vector<SafetyRow> kRows = {
    {.law = "safety: a loop within a tensor",
     .id = "out-of-range",
     .right = "a8 E(a)=A(a);a8 D(a)=E(a);",
     .wrong = {"a9 E(a)=A(a);a8 D(a)=E(a);", "a8 E(a)=A(a+1);a8 D(a)=E(a);"}},
    {.law = "safety: an index within a tensor",
     .id = "out-of-range",
     .right = "a8 D(a)=A(7-a);",
     .wrong = {"a8 D(a)=A(8-a);", "a8 D(a)=A(6-a);"}},
    {.law = "safety: a condition keeps a read inside",
     .id = "out-of-range",
     .right = "a8 D(a)=where(a<7,A(a+1),0);",
     .wrong = {"a8 D(a)=where(a<8,A(a+1),0);", "a8 D(a)=where(a>0,A(a+1),0);"}},
    {.law = "safety: data within its domain",
     .id = "out-of-range",
     .right = "a8 D(a)=A(J^i64(a));",
     .wrong = {"a8 D(a)=A(J^i64(a)+1);", "a8 D(a)=A(J^i64(a)-1);"}},
    {.law = "safety: a write is not negative",
     .id = "out-of-range",
     .right = "a8 E(a+1)=A(a);a8 D(a)=E(a+1);",
     .wrong = {"a8 E(a-1)=A(a);a7 E(a+1)=A(a);a8 D(a)=where(a<7,E(a),0);"}},
    {.law = "safety: what is read is written",
     .id = "undefined-read",
     .right = "a8 E(a)=A(a);a8 D(a)=E(a);",
     .wrong = {"a7 E(a)=A(a);a8 D(a)=E(a);", "a8 E(J^i64(a))=A(a);a8 D(a)=E(a);"}},
    {.law = "safety: a condition keeps a read to what is written",
     .id = "undefined-read",
     .right = "a7 E(a)=A(a);a8 D(a)=where(a<7,E(a),0);",
     .wrong = {"a7 E(a)=A(a);a8 D(a)=where(a<=7,E(a),0);", "a7 E(a)=A(a);a8 D(a)=where(a>0,E(a),0);"}},
    {.law = "safety: a write comes before its read",
     .id = "undefined-read",
     .right = "a8{E(a)=A(a);D(a)=where(a>0,E(a-1),0);}",
     .wrong = {"a8{D(a)=where(a<7,E(a+1),0);E(a)=A(a);}", "a8{D(a)=E(a);E(a)=A(a);}"}},
    {.law = "safety: an output is written",
     .id = "not-written",
     .right = "a8 D(a)=A(a);",
     .wrong = {"a7 D(a)=A(a);", "a7 D(a+1)=A(a);"}},
    {.law = "safety: an output is written in steps",
     .id = "not-written",
     .right = "a4{D(2*a)=A(a);D(2*a+1)=C(a);}",
     .wrong = {"a4{D(2*a)=A(a);D(2*a)=C(a);}", "a3{D(2*a)=A(a);D(2*a+1)=C(a);}a1 D(a+7)=A(a);"}},
    {.law = "safety: a divisor is not zero",
     .id = "division-by-zero",
     .right = "a8 D(a)=12//(a+1);",
     .wrong = {"a8 D(a)=12//a;", "a8 D(a)=12%(a-3);"}},
    {.law = "safety: a divisor in a subscript is not zero",
     .id = "division-by-zero",
     .right = "a8 D(a)=A(7//(a+1));",
     .wrong = {"a8 D(a)=where(a<9,A(7%(a-3)),0);", "a8 D(a)=A(0//a);"}},
    {.law = "safety: a condition keeps a divisor from zero",
     .id = "division-by-zero",
     .right = "a8 D(a)=where(a>0,12//a,0);",
     .wrong = {"a8 D(a)=where(a>=0,12//a,0);", "a8 D(a)=where(a<5,12//a,0);"}},
    {.law = "safety: a divisor that its domain keeps from zero",
     .id = "division-by-zero",
     .right = "a8 D(a)=12//N^i64(a);",
     .wrong = {"a8 D(a)=12//J^i64(a);"}},
    {.law = "safety: local data within the same axes",
     .id = "scope-axes",
     .right = "tx8{E^l=A(tx);D(tx)=E;}",
     .wrong = {"bx1{tx8 E^l=A(tx);ty8 D(ty)=E;}"}},
    {.law = "safety: local data belongs to a thread",
     .id = "scope-axes",
     .right = "bx1{tx8{E^l=A(0);D(tx)=E+A(tx);}}",
     .wrong = {"bx1{E^l=A(0);tx8 D(tx)=A(tx);}"}},
    {.law = "safety: blocks enclose their kernel",
     .id = "block-placement",
     .right = "bx2 tx4 D(bx*4+tx)=A(tx);",
     .wrong = {"tx4{E(tx)=A(tx);bx2 D(bx*4+tx)=A(tx);}"}},
    {.law = "safety: shared data of one kernel",
     .id = "scope-demoted",
     .right = "bx1{tx8 E^s(tx)=A(tx);tx8 D(tx)=E(7-tx);}",
     .wrong = {"tx8 E^s(tx)=A(tx);tx8 D(tx)=E(tx);"}},
    {.law = "safety: a demoted tensor means one thing",
     .id = "scope-ambiguous",
     .right = "bx2 tx8{E^s(tx)=A(tx);G(bx,tx)=E(tx);}a8 D(a)=E^s(a)+G(0,a);",
     .wrong =
         {"bx2 tx8{E^s(tx)=A(tx)+bx;}bx2 tx8{G(bx,tx)=where(bx>0,E^s(tx),0);E(tx)=C(tx)*bx;}a8 D(a)=E^s(a)+G(0,a);"}},
    {.law = "safety: threads along an axis",
     .id = "launch-limit",
     .right = "tx1024 E(tx)=A(tx%8);a8 D(a)=E(a);",
     .wrong = {"tx1025 E(tx)=A(tx%8);a8 D(a)=E(a);", "tz65 E(tz)=A(tz%8);a8 D(a)=E(a);"}},
    {.law = "safety: threads of a block",
     .id = "launch-limit",
     .right = "tx32 ty32 E(tx,ty)=A(tx%8);a8 D(a)=E(a,0);",
     .wrong = {"tx32 ty33 E(tx,ty)=A(tx%8);a8 D(a)=E(a,0);"}},
    {.law = "safety: shared memory of a block",
     .id = "shared-memory",
     .right = "bx1{tx8 a7264 E^s(tx,a)=A(tx);tx8 D(tx)=E(tx,0);}",
     .wrong = {"bx1{tx8 a7265 E^s(tx,a)=A(tx);tx8 D(tx)=E(tx,0);}"}},
    {.law = "safety: registers of a thread",
     .id = "l-spills",
     .right = "tx8{a256 E^l(a)=A(tx);D(tx)=E(0);}",
     .wrong = {"tx8{a257 E^l(a)=A(tx);D(tx)=E(0);}"}},
    {.law = "safety: registers have no computed subscripts",
     .id = "l-spills",
     .right = "tx8{a8 E^l(a)=A(tx);D(tx)=E(0);}",
     .wrong = {"tx8{a8 E^l(a)=A(tx);D(tx)=E(J^i64(tx));}", "tx8{a8 E^l(a)=A(tx);D(tx)=E(tx);}"}},
};

INSTANTIATE_TEST_SUITE_P(Rules, SafetyLaw, ::testing::ValuesIn(kRows), [](const auto& row) {
  std::string out;
  for (const char c : row.param.law) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
});

}  // namespace
}  // namespace steptp::testing
