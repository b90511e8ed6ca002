// Laws about integers that data chooses: the index of a maximum, sums over rounds that data selects, reads by one-hot
// vectors.
#include "testing/law_rows.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kArgmax = "@input A f32[4,33]\n@input M f32[4,33] masked\n@output D i64[4]\n";
constexpr std::string_view kFirst = "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,33);";
constexpr std::string_view kRunning =
    "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}";
constexpr std::string_view kScatter =
    "@input A f32[33]\n@input C f32[12]\n@input I i64[33] [0,12)\n@input J i64[33] [0,13)\n@output D f32[12]\n";
constexpr std::string_view kScattered = "tx12 D(tx)=0;a33 D(I^i64(a))+=A(a);";
constexpr std::string_view kGather =
    "@input A f32[12]\n@input I i64[33] [0,12)\n@input J i64[33] [0,13)\n@output D f32[33]\n";

const std::vector<LawRow> kRows = {
    {.law = "index of a maximum: a running maximum",
     .signature = kArgmax,
     .before = kFirst,
     .after = kRunning,
     .wrong =
         {
             // The last for the first.
             {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst},
             // A start above some numbers.
             {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst},
             // A round less.
             {"tx4{E(tx)=-inf;D^i64(tx)=0;a32{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst},
             // A maximum that is not kept.
             {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=A(tx,a);}}", kFirst},
             // The maximum first.
             {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{E(tx)=max(E(tx),A(tx,a));D(tx)=where(A(tx,a)>E(tx),a,D(tx));}}", kFirst},
             // A number for none that is an index.
             {"tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,20);", kFirst},
             // Another index.
             {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a+1,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
              kFirst},
             // Indices that fall.
             {"tx4{E(tx)=-inf;D^i64(tx)=32;a33{D(tx)=where(A(tx,a)>E(tx),32-a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
              "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),32-a,33);"},
             {"tx4{E(tx)=-inf;D^i64(tx)=32;a33{D(tx)=where(A(tx,a)>E(tx),32-a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
              "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)==E(tx),32-a,1);"},
             // A maximum of other values.
             {"tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)==E(tx),a,33);", kFirst},
             // Strictly above the maximum.
             {"tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>E(tx),a,33);", kFirst},
             // A start that a masked row keeps.
             {"tx4{E(tx)=-inf;D^i64(tx)=7;a33{D(tx)=where(M(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),M(tx,a));}}",
              "tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(M(tx,a)>=E(tx),a,33);"},
             // Another number for none where all may be nan.
             {"tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,40);",
              "tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,33);"},
             // A running maximum of what may be nan.
             {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(sqrt(A(tx,a))>E(tx),a,D(tx));E(tx)=max(E(tx),sqrt(A(tx,a)));}"
              "}",
              "tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,33);"},
         }},
    {.law = "index of a maximum: a running maximum becomes a fold",
     .signature = kArgmax,
     .before = kRunning,
     .after = kFirst,
     .wrong = {{"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "index of a maximum: equal for at least",
     .signature = kArgmax,
     .before = kFirst,
     .after = "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)==E(tx),a,33);",
     .wrong = {{"tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)==E(tx),a,33);",
                "tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,33);"},
               {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "index of a maximum: another number for none",
     .signature = kArgmax,
     .before = kFirst,
     .after = "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,1000);",
     .wrong = {{"tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,20);", kFirst},
               {"tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,40);",
                "tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,33);"},
               {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "index of a maximum: the other branch",
     .signature = kArgmax,
     .before = "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)==E(tx),a,33);",
     .after = "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)<E(tx),33,a);",
     .wrong = {{"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "index of a maximum: a start that the first number replaces",
     .signature = kArgmax,
     .before = kFirst,
     .after = "tx4{E(tx)=-inf;D^i64(tx)=7;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
     .wrong = {{"tx4{E(tx)=-inf;D^i64(tx)=7;a33{D(tx)=where(M(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),M(tx,a));}}",
                "tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(M(tx,a)>=E(tx),a,33);"},
               {"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "index of a maximum: the last one",
     .signature = kArgmax,
     .before = "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) max=where(A(tx,a)>=E(tx),a,-1);",
     .after = "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
     .wrong = {{"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "index of a maximum: the least value",
     .signature = kArgmax,
     .before = "tx4 a33 E(tx) min=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)<=E(tx),a,33);",
     .after = "tx4{E(tx)=inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)<E(tx),a,D(tx));E(tx)=min(E(tx),A(tx,a));}}",
     .wrong = {{"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "index of a maximum: of what may be masked",
     .signature = kArgmax,
     .before = "tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(M(tx,a)>=E(tx),a,33);",
     .after = "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(M(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),M(tx,a));}}",
     .wrong = {{"tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}",
                kFirst},
               {"tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}", kFirst}}},
    {.law = "scattered sum: by choices",
     .signature = kScatter,
     .before = kScattered,
     .after = "tx12 a33 D(tx)+=where(I^i64(a)==tx,A(a),0);",
     .wrong =
         {
             // A write for a sum.
             {"tx12 D(tx)=0;a33 D(I^i64(a))=A(a);", kScattered},
             // A sum for a write.
             {kScattered, "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);"},
             // The last write is not that of the last round.
             {"tx12 D(tx)=where(I^i64(32)==tx,A(32),0);", "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);"},
             // Another element.
             {"tx12 a33 D(tx)+=where(I^i64(a)==tx+1,A(a),0);", kScattered},
             // At most for equal.
             {"tx12 a33 D(tx)+=where(I^i64(a)<=tx,A(a),0);", kScattered},
             // The data of another round.
             {"tx12 a33 D(tx)+=where(I^i64(32-a)==tx,A(a),0);", kScattered},
             // Another number elsewhere.
             {"tx12 a33 D(tx)+=where(I^i64(a)==tx,A(a),1);", kScattered},
             // A round less.
             {"tx12 a32 D(tx)+=where(I^i64(a)==tx,A(a),0);", kScattered},
         },
     .by = By::residues},
    {.law = "scattered sum: choices become writes",
     .signature = kScatter,
     .before = "tx12 a33 D(tx)+=where(I^i64(a)==tx,A(a),0);",
     .after = kScattered,
     .wrong = {{"tx12 D(tx)=0;a33 D(I^i64(a))=A(a);", kScattered}, {kScattered, "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);"}},
     .by = By::residues},
    {.law = "scattered sum: by a product with zero and one",
     .signature = kScatter,
     .before = kScattered,
     .after = "tx12 a33 D(tx)+=where(I^i64(a)==tx,1,0)*A(a);",
     .wrong = {{"tx12 D(tx)=0;a33 D(I^i64(a))=A(a);", kScattered}, {kScattered, "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);"}},
     .by = By::residues},
    {.law = "scattered sum: on top of something",
     .signature = kScatter,
     .before = "tx12 D(tx)=C(tx);a33 D(I^i64(a))+=A(a);",
     .after = "tx12{D(tx)=0;a33 D(tx)+=where(I^i64(a)==tx,A(a),0);D(tx)=D(tx)+C(tx);}",
     .wrong = {{"tx12 D(tx)=0;a33 D(I^i64(a))=A(a);", kScattered}, {kScattered, "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);"}},
     .by = By::residues},
    {.law = "one hot read: by choices",
     .signature = kGather,
     .before = "tx33 D(tx)=A(I^i64(tx));",
     .after = "tx33 a12 D(tx)+=where(I^i64(tx)==a,A(a),0);",
     .wrong =
         {
             // A round less.
             {"tx33 a11 D(tx)+=where(I^i64(tx)==a,A(a),0);", "tx33 D(tx)=A(I^i64(tx));"},
             // Data that may name no round.
             {"tx33 D(tx)=A(J^i64(tx));", "tx33 a12 D(tx)+=where(J^i64(tx)==a,A(a),0);"},
             // The one before.
             {"tx33 a12 D(tx)+=where(I^i64(tx)==a+1,A(a),0);", "tx33 D(tx)=A(I^i64(tx));"},
             // Another number elsewhere.
             {"tx33 a12 D(tx)+=where(I^i64(tx)==a,A(a),1);", "tx33 D(tx)=A(I^i64(tx));"},
             // At most for equal.
             {"tx33 a12 D(tx)+=where(I^i64(tx)<=a,A(a),0);", "tx33 D(tx)=A(I^i64(tx));"},
         }},
    {.law = "one hot read: choices become reads",
     .signature = kGather,
     .before = "tx33 a12 D(tx)+=where(I^i64(tx)==a,A(a),0);",
     .after = "tx33 D(tx)=A(I^i64(tx));",
     .wrong = {{"tx33 a11 D(tx)+=where(I^i64(tx)==a,A(a),0);", "tx33 D(tx)=A(I^i64(tx));"},
               {"tx33 D(tx)=A(J^i64(tx));", "tx33 a12 D(tx)+=where(J^i64(tx)==a,A(a),0);"}}},
    {.law = "one hot read: by a product with zero and one",
     .signature = kGather,
     .before = "tx33 D(tx)=A(I^i64(tx));",
     .after = "tx33 a12 D(tx)+=where(a==I^i64(tx),1,0)*A(a);",
     .wrong = {{"tx33 a11 D(tx)+=where(I^i64(tx)==a,A(a),0);", "tx33 D(tx)=A(I^i64(tx));"},
               {"tx33 D(tx)=A(J^i64(tx));", "tx33 a12 D(tx)+=where(J^i64(tx)==a,A(a),0);"}}},
};

INSTANTIATE_TEST_SUITE_P(DataIndices, Law, ::testing::ValuesIn(kRows), law_name);

}  // namespace
}  // namespace steptp::testing
