// What keeps every rounding as it is written, so that a pair is safe by proof; most of what is refused here is equal.
#include "testing/law_rows.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kRow =
    "@input A f32[8,60]\n@input C f32[8,60]\n@input E f32[8]\n@input H f16[8]\n@input G bf16[8]\n@output D f32[8]\n";
constexpr std::string_view kHalf = "@input A f32[8,60]\n@input K f16[8,60]\n@input H f16[8]\n@output D f16[8]\n";
constexpr std::string_view kBrain = "@input G bf16[8]\n@output D bf16[8]\n";

const std::vector<LawRow> kRows = {
    {.law = "operands change places",
     .before = "A+C*E",
     .after = "E*C+A",
     .wrong = {{"C/A", "A/C"}, {"A+(C+E)", "(A+C)+E"}, {"A*(C*E)", "(A*C)*E"}, {"A*C+A*E", "A*(C+E)"}},
     .by = By::as_written},
    {.law = "nothing is added",
     .before = "(A+0)*1",
     .after = "A",
     .wrong = {{"A", "A+1"}, {"A", "A*2"}, {"A", "A*3/3"}},
     .by = By::as_written},
    {.law = "signs are exact",
     .before = "-A*C",
     .after = "A*-C",
     .wrong = {{"A*C", "A*-C"}, {"A-C", "A+C"}},
     .by = By::as_written},
    {.law = "functions stay as they are",
     .before = "exp(A)*C",
     .after = "C*exp(A)",
     .wrong = {{"A", "log(exp(A))"}, {"exp(A+C)", "exp(A)*exp(C)"}, {"1/sqrt(F)", "rsqrt(F)"}},
     .by = By::as_written},
    {.law = "what is never zero may be rounded to it",
     .before = "if_then_else(exp(A)==0,E,C)",
     .after = "if_then_else(exp(A)!=0,C,E)",
     .wrong = {{"C", "if_then_else(exp(A)==0,E,C)"}},
     .by = By::as_written},
    {.law = "a type that holds more",
     .signature = kRow,
     .before = "tx8 D(tx)=H^f16(tx)*1.5;",
     .after = "tx8{S^f16(tx)=H^f16(tx);D(tx)=S^f16(tx)*1.5;}",
     .wrong = {{"tx8{S^f16(tx)=E(tx);D(tx)=S^f16(tx);}", "tx8 D(tx)=E(tx);"},
               {"tx8{S(tx)=H^f16(tx);D(tx)=S(tx)*1.5;}"}},
     .by = By::as_written},
    {.law = "a type with fewer digits",
     .signature = kHalf,
     .before = "tx8 D^f16(tx)=H^f16(tx);",
     .after = "tx8{S^f16(tx)=H^f16(tx);D^f16(tx)=S^f16(tx);}",
     .wrong = {{"tx8{S^bf16(tx)=H^f16(tx);D^f16(tx)=S^bf16(tx);}"}},
     .by = By::as_written},
    {.law = "a type with smaller exponents",
     .signature = kBrain,
     .before = "tx8 D^bf16(tx)=G^bf16(tx);",
     .after = "tx8{S^bf16(tx)=G^bf16(tx);D^bf16(tx)=S^bf16(tx);}",
     .wrong = {{"tx8{S^f16(tx)=G^bf16(tx);D^bf16(tx)=S^f16(tx);}"}},
     .by = By::as_written},
    {.law = "a number of its type",
     .signature = kRow,
     .before = "tx8 D(tx)=E(tx)*0.5;",
     .after = "tx8{S^f16(tx)=0.5;D(tx)=E(tx)*S^f16(tx);}",
     .wrong = {{"tx8{S^f16(tx)=0.1;D(tx)=E(tx)*S^f16(tx);}", "tx8 D(tx)=E(tx)*0.1;"},
               {"tx8{S^f16(tx)=2049.0;D(tx)=E(tx)*S^f16(tx);}", "tx8 D(tx)=E(tx)*2049.0;"}},
     .by = By::as_written},
    {.law = "rounds of a sum in any order",
     .signature = kRow,
     .before = "tx8 a60 D(tx)+=A(tx,a);",
     .after = "tx8 o10 i6 D(tx)+=A(tx,59-6*o-i);",
     .wrong = {{"tx8{S(tx)=0;a60 S(tx)+=A(tx,a)*2;D(tx)=S(tx)/2;}"},
               {"tx8{D(tx)=E(tx);a60 D(tx)+=A(tx,a);D(tx)=D(tx)-E(tx);}"}},
     .by = By::as_written},
    {.law = "parts of a sum",
     .signature = kRow,
     .before = "tx8 a60 D(tx)+=A(tx,a);",
     .after = "tx8{S(tx)=0;a30 S(tx)+=A(tx,a);R(tx)=0;a30 R(tx)+=A(tx,a+30);D(tx)=S(tx)+R(tx);}",
     .wrong = {{"tx8 D(tx)=0;", "tx8{S(tx)=0;a60 S(tx)+=A(tx,a);D(tx)=S(tx)-S(tx);}"}},
     .by = By::as_written},
    {.law = "a term of a wider type",
     .signature = kHalf,
     .before = "tx8 a6 c10 D^f16(tx)+=K^f16(tx,10*a+c);",
     .after = "tx8 a60 D^f16(tx)+=K^f16(tx,a);",
     .wrong = {{"tx8 a60{S^f16(tx,a)=A^f32(tx,a);}tx8 a60 D^f16(tx)+=S^f16(tx,a);", "tx8 a60 D^f16(tx)+=A^f32(tx,a);"}},
     .by = By::as_written},
    {.law = "factors of a product in order",
     .signature = kRow,
     .before = "tx8 a60 D(tx)=D(tx)*A(tx,a);",
     .after = "tx8 a60 D(tx)=A(tx,a)*D(tx);",
     .wrong = {{"tx8 a60 D(tx)=D(tx)*A(tx,59-a);"}},
     .by = By::as_written},
};

INSTANTIATE_TEST_SUITE_P(Roundings, Law, ::testing::ValuesIn(kRows), law_name);

}  // namespace
}  // namespace steptp::testing
