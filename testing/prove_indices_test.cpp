// Laws about integers that data chooses: the index of a maximum, sums over rounds that data selects, reads by one-hot
// vectors. Each with the pairs next to it that must be refused.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "steptp/base/text.h"
#include "steptp/prove/prove.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

struct Row {
  std::string_view law;
  std::string_view before;
  std::string_view after;
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.law; }

Proof proof_of(std::string_view signature, const Row& row) {
  const auto program_of = [&](std::string_view text) {
    Document document = read_document("row", concat(signature, text));
    EXPECT_TRUE(document.ok) << text;
    return document.program;
  };
  return prove(program_of(row.before), program_of(row.after));
}

constexpr std::string_view kArgmax = "@input A f32[4,33]\n@input M f32[4,33] masked\n@output D i64[4]\n";
constexpr std::string_view kFirst = "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,33);";
constexpr std::string_view kRunning =
    "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}";

class IndexOfMaximum : public ::testing::TestWithParam<Row> {};
TEST_P(IndexOfMaximum, IsProved) { EXPECT_TRUE(proof_of(kArgmax, GetParam()).proved); }
INSTANTIATE_TEST_SUITE_P(
    Laws, IndexOfMaximum,
    ::testing::Values(
        Row{"a running maximum", kFirst, kRunning}, Row{"a running maximum becomes a fold", kRunning, kFirst},
        Row{"equal for at least", kFirst,
            "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)==E(tx),a,33);"},
        Row{"another number for none", kFirst,
            "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,1000);"},
        Row{"the other branch", kFirst, "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)<E(tx),33,a);"},
        Row{"a start that the first number replaces", kFirst,
            "tx4{E(tx)=-inf;D^i64(tx)=7;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}"},
        Row{"the last one", "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) max=where(A(tx,a)>=E(tx),a,-1);",
            "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}"},
        Row{"the least value", "tx4 a33 E(tx) min=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)<=E(tx),a,33);",
            "tx4{E(tx)=inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)<E(tx),a,D(tx));E(tx)=min(E(tx),A(tx,a));}}"},
        Row{"of what may be masked", "tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(M(tx,a)>=E(tx),a,33);",
            "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(M(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),M(tx,a));}}"}));

class IndexOfMaximumMustFail : public ::testing::TestWithParam<Row> {};
TEST_P(IndexOfMaximumMustFail, IsRefused) {
  const Proof proof = proof_of(kArgmax, GetParam());
  EXPECT_FALSE(proof.proved || proof.shown);
}
INSTANTIATE_TEST_SUITE_P(
    Laws, IndexOfMaximumMustFail,
    ::testing::Values(
        Row{"the last for the first", kFirst,
            "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>=E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}"},
        Row{"a start above some numbers", kFirst,
            "tx4{E(tx)=0;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}"},
        Row{"a round less", kFirst,
            "tx4{E(tx)=-inf;D^i64(tx)=0;a32{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),A(tx,a));}}"},
        Row{"a maximum that is not kept", kFirst,
            "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a,D(tx));E(tx)=A(tx,a);}}"},
        Row{"the maximum first", kFirst,
            "tx4{E(tx)=-inf;D^i64(tx)=0;a33{E(tx)=max(E(tx),A(tx,a));D(tx)=where(A(tx,a)>E(tx),a,D(tx));}}"},
        Row{"a number for none that is an index", kFirst,
            "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),a,20);"},
        Row{"another index", kFirst,
            "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(A(tx,a)>E(tx),a+1,D(tx));E(tx)=max(E(tx),A(tx,a));}}"},
        Row{"indices that fall", "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>=E(tx),32-a,33);",
            "tx4{E(tx)=-inf;D^i64(tx)=32;a33{D(tx)=where(A(tx,a)>E(tx),32-a,D(tx));E(tx)=max(E(tx),A(tx,a));}}"},
        Row{"a maximum of other values", kFirst,
            "tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)==E(tx),a,33);"},
        Row{"strictly above the maximum", kFirst,
            "tx4 a33 E(tx) max=A(tx,a);tx4 a33 D^i64(tx) min=where(A(tx,a)>E(tx),a,33);"},
        Row{"a start that a masked row keeps",
            "tx4 a33 E(tx) max=M(tx,a);tx4 a33 D^i64(tx) min=where(M(tx,a)>=E(tx),a,33);",
            "tx4{E(tx)=-inf;D^i64(tx)=7;a33{D(tx)=where(M(tx,a)>E(tx),a,D(tx));E(tx)=max(E(tx),M(tx,a));}}"},
        Row{"another number for none where all may be NaN",
            "tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,33);",
            "tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,40);"},
        Row{"a running maximum of what may be NaN",
            "tx4 a33 E(tx) max=sqrt(A(tx,a));tx4 a33 D^i64(tx) min=where(sqrt(A(tx,a))>=E(tx),a,33);",
            "tx4{E(tx)=-inf;D^i64(tx)=0;a33{D(tx)=where(sqrt(A(tx,a))>E(tx),a,D(tx));E(tx)=max(E(tx),sqrt(A(tx,a)));}"
            "}"}));

constexpr std::string_view kScatter =
    "@input A f32[33]\n@input C f32[12]\n@input I i64[33] [0,12)\n@input J i64[33] [0,13)\n@output D f32[12]\n";
constexpr std::string_view kScattered = "tx12 D(tx)=0;a33 D(I^i64(a))+=A(a);";

class ScatteredSum : public ::testing::TestWithParam<Row> {};
TEST_P(ScatteredSum, IsShown) {
  const Proof proof = proof_of(kScatter, GetParam());
  EXPECT_TRUE(proof.proved || proof.shown) << proof.reason;
}
INSTANTIATE_TEST_SUITE_P(
    Laws, ScatteredSum,
    ::testing::Values(Row{"by choices", kScattered, "tx12 a33 D(tx)+=where(I^i64(a)==tx,A(a),0);"},
                      Row{"choices become writes", "tx12 a33 D(tx)+=where(I^i64(a)==tx,A(a),0);", kScattered},
                      Row{"by a product with zero and one", kScattered,
                          "tx12 a33 D(tx)+=where(I^i64(a)==tx,1,0)*A(a);"},
                      Row{"on top of something", "tx12 D(tx)=C(tx);a33 D(I^i64(a))+=A(a);",
                          "tx12{D(tx)=0;a33 D(tx)+=where(I^i64(a)==tx,A(a),0);D(tx)=D(tx)+C(tx);}"}));

class ScatteredSumMustFail : public ::testing::TestWithParam<Row> {};
TEST_P(ScatteredSumMustFail, IsRefused) {
  const Proof proof = proof_of(kScatter, GetParam());
  EXPECT_FALSE(proof.proved || proof.shown);
}
INSTANTIATE_TEST_SUITE_P(
    Laws, ScatteredSumMustFail,
    ::testing::Values(Row{"a write for a sum", kScattered, "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);"},
                      Row{"a sum for a write", "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);", kScattered},
                      Row{"the last write is not that of the last round", "tx12 D(tx)=0;a33 D(I^i64(a))=A(a);",
                          "tx12 D(tx)=where(I^i64(32)==tx,A(32),0);"},
                      Row{"another element", kScattered, "tx12 a33 D(tx)+=where(I^i64(a)==tx+1,A(a),0);"},
                      Row{"at most for equal", kScattered, "tx12 a33 D(tx)+=where(I^i64(a)<=tx,A(a),0);"},
                      Row{"the data of another round", kScattered, "tx12 a33 D(tx)+=where(I^i64(32-a)==tx,A(a),0);"},
                      Row{"another number elsewhere", kScattered, "tx12 a33 D(tx)+=where(I^i64(a)==tx,A(a),1);"},
                      Row{"a round less", kScattered, "tx12 a32 D(tx)+=where(I^i64(a)==tx,A(a),0);"}));

constexpr std::string_view kGather =
    "@input A f32[12]\n@input I i64[33] [0,12)\n@input J i64[33] [0,13)\n@output D f32[33]\n";

class OneHotRead : public ::testing::TestWithParam<Row> {};
TEST_P(OneHotRead, IsProved) { EXPECT_TRUE(proof_of(kGather, GetParam()).proved); }
INSTANTIATE_TEST_SUITE_P(Laws, OneHotRead,
                         ::testing::Values(Row{"by choices", "tx33 D(tx)=A(I^i64(tx));",
                                               "tx33 a12 D(tx)+=where(I^i64(tx)==a,A(a),0);"},
                                           Row{"choices become reads", "tx33 a12 D(tx)+=where(I^i64(tx)==a,A(a),0);",
                                               "tx33 D(tx)=A(I^i64(tx));"},
                                           Row{"by a product with zero and one", "tx33 D(tx)=A(I^i64(tx));",
                                               "tx33 a12 D(tx)+=where(a==I^i64(tx),1,0)*A(a);"}));

class OneHotReadMustFail : public ::testing::TestWithParam<Row> {};
TEST_P(OneHotReadMustFail, IsRefused) {
  const Proof proof = proof_of(kGather, GetParam());
  EXPECT_FALSE(proof.proved || proof.shown);
}
INSTANTIATE_TEST_SUITE_P(
    Laws, OneHotReadMustFail,
    ::testing::Values(
        Row{"a round less", "tx33 D(tx)=A(I^i64(tx));", "tx33 a11 D(tx)+=where(I^i64(tx)==a,A(a),0);"},
        Row{"data that may name no round", "tx33 a12 D(tx)+=where(J^i64(tx)==a,A(a),0);", "tx33 D(tx)=A(J^i64(tx));"},
        Row{"the one before", "tx33 D(tx)=A(I^i64(tx));", "tx33 a12 D(tx)+=where(I^i64(tx)==a+1,A(a),0);"},
        Row{"another number elsewhere", "tx33 D(tx)=A(I^i64(tx));", "tx33 a12 D(tx)+=where(I^i64(tx)==a,A(a),1);"},
        Row{"at most for equal", "tx33 D(tx)=A(I^i64(tx));", "tx33 a12 D(tx)+=where(I^i64(tx)<=a,A(a),0);"}));

}  // namespace
}  // namespace steptp
