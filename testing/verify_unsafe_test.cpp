// A pair that is equal and not safe comes with inputs that show it, which can be kept and run again without the search.

#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/certify/safe.h"
#include "steptp/text/document.h"
#include "steptp/verify/replay_pair.h"
#include "testing/certificate_support.h"

namespace steptp::testing {

namespace {

constexpr const char* kVector = "@input A f32[6]\n@output D f32[6]\n";
constexpr const char* kDomain = "@input A f32[6] [1,100)\n@output D f32[6]\n";
constexpr const char* kMasked = "@input A f32[4,12] masked\n@output D f32[4]\n";

struct Row {
  const char* header;
  const char* before;
  const char* after;
  const char* what;  ///< how the fault begins
};

constexpr Row kRows[] = {
    {kVector, "tx6 D(tx)=1/(1+exp(-A(tx)));", "tx6 D(tx)=exp(A(tx))/(1+exp(A(tx)));", "an overflow"},
    {kVector, "tx6 D(tx)=A(tx);", "tx6 D(tx)=A(tx)+A((tx+1)%6)-A((tx+1)%6);", "an error bound of "},
    {kVector, "tx6 D(tx)=A(tx);", "tx6 D(tx)=A(tx)+1e10-1e10;", "an error bound of "},
    {kDomain, "tx6 D(tx)=A(tx);", "tx6 D(tx)=A(tx)+1e8-1e8;", "an error bound of "},
    // What is positive but for rounding may be negative.
    {kVector, "tx6 D(tx)=1;", "tx6 D(tx)=sqrt(A(tx)+1-A(tx));", "a possible NaN ("},
    {kMasked, "tx4 a12 X(tx)=max(X(tx),A(tx,a));tx4 a12 N(tx)=N(tx)+exp(A(tx,a)-X(tx));tx4 D(tx)=log(N(tx))+X(tx);",
     "tx4 a12 N(tx)=N(tx)+exp(A(tx,a));tx4 D(tx)=log(N(tx));", "an overflow"},
};

Pair pair_for(const Row& row) {
  return make_pair(read_document("before", concat(row.header, row.before, "\n")),
                   read_document("after", concat(row.header, row.after, "\n")));
}

ReplayAnswer again(const Json& record) { return replay_pair(read_replay_record("kept", record.dump())); }

TEST(Unsafe, IsKeptAndRunAgain) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.after);
    const Pair pair = pair_for(row);
    const Judgement judgement = verify_pair(pair);
    ASSERT_EQ(judgement.safe, Shown::no) << judgement.reason;
    ASSERT_TRUE(judgement.unsafe) << judgement.reason;
    EXPECT_TRUE(judgement.unsafe->what.starts_with(row.what)) << judgement.unsafe->what;
    const Json record = replay_record(pair, *judgement.unsafe);
    const ReplayAnswer answer = again(record);
    EXPECT_TRUE(answer.reproduced) << answer.reason << "\n" << record.dump();
    EXPECT_EQ(answer.what, judgement.unsafe->what);
    // The same program on both sides has nothing to show, and neither has another fault.
    const ReplayAnswer nothing = again(with_field(record, "after", *record.find("before")));
    EXPECT_FALSE(nothing.reproduced);
    EXPECT_EQ(nothing.reason, "nothing goes wrong there");
    const Json other = with_field(*record.find("unsafe"), "what", "a division by zero");
    EXPECT_FALSE(again(with_field(record, "unsafe", other)).reproduced);
  }
}

TEST(Unsafe, InputsThatNoGoodInputHasShowNothing) {
  const Pair pair = pair_for(kRows[3]);
  const Judgement judgement = verify_pair(pair);
  ASSERT_TRUE(judgement.unsafe) << judgement.reason;
  const auto with_values = [&](double value) {
    certify::UnsafeExample example = *judgement.unsafe;
    for (auto& [element, given] : example.given.elements) given.real = certify::fraction_of(value);
    return again(replay_record(pair, example));
  };
  EXPECT_TRUE(with_values(1.0078125).what.starts_with("an error bound of ")) << with_values(1.0078125).reason;
  for (const double outside : {0.5, 100.0, 1e30, -2.0}) {
    const ReplayAnswer answer = with_values(outside);
    EXPECT_FALSE(answer.reproduced) << outside;
    EXPECT_EQ(answer.reason, "a value of A that no good input has");
  }
}

TEST(Unsafe, RecordsThatCannotBeUsed) {
  const Pair pair = pair_for(kRows[0]);
  const Judgement judgement = verify_pair(pair);
  ASSERT_TRUE(judgement.unsafe);
  const Json record = replay_record(pair, *judgement.unsafe);
  for (const char* key : {"output", "index", "what", "safe_range", "given"}) {
    const Json touched = with_field(record, "unsafe", with_field(*record.find("unsafe"), key, 5));
    EXPECT_TRUE(again(touched).unusable) << key;
  }
  const Json far = with_field(*record.find("unsafe"), "index", Json::Array{Json(6)});
  const ReplayAnswer answer = again(with_field(record, "unsafe", far));
  EXPECT_FALSE(answer.reproduced);
  EXPECT_EQ(answer.reason, "D has no such element");
}

}  // namespace

}  // namespace steptp::testing
