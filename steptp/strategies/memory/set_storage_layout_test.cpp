#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kStrategy = "set_storage_layout";
constexpr std::string_view kTwo = R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;];
B(tx,8)L(a,6)[E[tx,a]=exp(D[tx,a]);];
)";

TEST(SetStorageLayout, EachMap) {
  expect_rewrite(kStrategy, kTwo, R"({"at":"0/0:left","form":"transpose","dimensions":"1,0","number":0})",
                 "B(tx,8)L(a,6)[D[a,tx]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[a,tx]);];");
  expect_rewrite(kStrategy, kTwo, R"({"at":"0/0:left","form":"flatten","dimensions":"1,0","number":0})",
                 "B(tx,8)L(a,6)[D[a*8+tx]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[a*8+tx]);];");
  expect_rewrite(kStrategy, kTwo, R"({"at":"0/0:left","form":"flatten","dimensions":"0,1","number":2})",
                 "B(tx,8)L(a,6)[D[tx*8+a]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[tx*8+a]);];");
  expect_rewrite(kStrategy, kTwo, R"({"at":"0/0:left","form":"split","dimensions":"1","number":3})",
                 "B(tx,8)L(a,6)[D[tx,a//3,a%3]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[tx,a//3,a%3]);];");
  expect_rewrite(kStrategy, kTwo, R"({"at":"0/0:left","form":"split","dimensions":"1","number":4})",
                 "B(tx,8)L(a,6)[D[tx,a//4,a%4]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[tx,a//4,a%4]);];");
  expect_rewrite(kStrategy, kTwo, R"({"at":"0/0:left","form":"rotate","dimensions":"1,0","number":0})",
                 "B(tx,8)L(a,6)[D[tx,(a+tx)%6]=A[tx,a]*2;];B(tx,8)L(a,6)[E[tx,a]=exp(D[tx,(a+tx)%6]);];");
}

// The shape is that of all writes together, and accesses in subscripts and in other equations follow.
TEST(SetStorageLayout, EveryAccess) {
  expect_rewrite(kStrategy, R"(
@input A f32[9,2]
@input J f32[6]
@output E f32[3,2]
L(a,3)[D:i64[a,0]=a*2;];
L(a,3)[D:i64[2-a,1]=a;];
L(a,3)L(c,2)[E[a,c]=A[D:i64[a,0]+D:i64[a,c],c]*J[D:i64[a,0]];];
)",
                 R"({"at":"0/0:left","form":"flatten","dimensions":"1,0","number":0})", R"(
L(a,3)[D:i64[a]=a*2;];
L(a,3)[D:i64[5-a]=a;];
L(a,3)L(c,2)[E[a,c]=A[D:i64[a]+D:i64[c*3+a],c]*J[D:i64[a]];];
)");
}

TEST(SetStorageLayout, MergesTwoOfThree) {
  constexpr std::string_view kThree = R"(
@input A f32[2,3,4]
@output E f32[2,3,4]
B(tx,2)L(a,3)L(c,4)[D[tx,a,c]=A[tx,a,c];];
B(tx,2)L(a,3)L(c,4)[E[tx,a,c]=D[tx,a,c]*2;];
)";
  expect_rewrite(kStrategy, kThree, R"({"at":"0/0:left","form":"merge","dimensions":"2,0","number":0})", R"(
B(tx,2)L(a,3)L(c,4)[D[c*2+tx,a]=A[tx,a,c];];
B(tx,2)L(a,3)L(c,4)[E[tx,a,c]=D[c*2+tx,a]*2;];
)");
}

// Subscripts that a map makes of quotients are resolved again.
TEST(SetStorageLayout, Simplifies) {
  expect_rewrite(kStrategy, R"(
@input A f32[8]
@output E f32[8]
L(a,2)L(c,4)[D[a*4+c]=A[a*4+c];];
L(a,8)[E[a]=D[a];];
)",
                 R"({"at":"0/0:left","form":"split","dimensions":"0","number":4})",
                 "L(a,2)L(c,4)[D[a,c]=A[a*4+c];];L(a,8)[E[a]=D[a//4,a%4];];");
}

TEST(SetStorageLayout, DropsWhatOneIterationUses) {
  expect_rewrite(kStrategy, R"(
@input A f32[8,6]
@output E f32[8,6]
B(tx,8)L(a,6)[D[tx,a]=A[tx,a]*2;E[tx,a]=exp(D[tx,a]);];
)",
                 R"({"at":"0/0:left","form":"drop","dimensions":"1","number":0})",
                 "B(tx,8)L(a,6)[D[tx]=A[tx,a]*2;E[tx,a]=exp(D[tx]);];");
}

// The accumulator has to begin anew in each iteration.
TEST(SetStorageLayout, DropSetsAnAccumulator) {
  expect_rewrite(kStrategy, R"(
@input A f32[8,6,5]
@output E f32[8,6]
B(tx,8)L(a,6)[L(c,5)[D[tx,a]=D[tx,a]+A[tx,a,c];];E[tx,a]=exp(D[tx,a]);];
)",
                 R"({"at":"0/0/0:left","form":"drop","dimensions":"1","number":0})",
                 "B(tx,8)L(a,6)[D[tx]=0;L(c,5)[D[tx]=D[tx]+A[tx,a,c];];E[tx,a]=exp(D[tx]);];");
  expect_rewrite(kStrategy, R"(
@input A f32[2,6,5,3]
@output E f32[2,6,3]
B(tx,2)L(a,6)[L(d,3)L(c,5)[D[d,a,tx]=max(D[d,a,tx],A[tx,a,c,d]);];L(d,3)[E[tx,a,d]=D[d,a,tx];];];
)",
                 R"({"at":"0/0/0:left","form":"drop","dimensions":"1","number":0})", R"(
B(tx,2)L(a,6)[L(d,3)[D[d,tx]=-inf;L(c,5)[D[d,tx]=max(D[d,tx],A[tx,a,c,d]);];];L(d,3)[E[tx,a,d]=D[d,tx];];];
)");
  expect_rewrite(kStrategy, R"(
@input A f32[2,6,5,3]
@output E f32[2,6,3]
B(tx,2)L(a,6)[L(c,5)L(d,3)[D[d,a,tx]=D[d,a,tx]*A[tx,a,c,d];];L(d,3)[E[tx,a,d]=D[d,a,tx];];];
)",
                 R"({"at":"0/0/0:left","form":"drop","dimensions":"1","number":0})", R"(
B(tx,2)L(a,6)[L(d,3)[D[d,tx]=1;];L(c,5)L(d,3)[D[d,tx]=D[d,tx]*A[tx,a,c,d];];L(d,3)[E[tx,a,d]=D[d,tx];];];
)");
}

// One that is set already is left alone; registers have their thread as a hidden subscript.
TEST(SetStorageLayout, DropOfARegister) {
  expect_rewrite(kStrategy, R"(
@input A f32[2,8,5]
@output E f32[2,8]
B(bx,2)[B(tx,8)[D:l[tx]=0;];B(tx,8)L(c,5)[D:l[tx]=D:l[tx]+A[bx,tx,c];];B(tx,8)[E[bx,tx]=D:l[tx];];];
)",
                 R"({"at":"0/0/0:left","form":"drop","dimensions":"0","number":0})",
                 "B(bx,2)[B(tx,8)[D:l[]=0;];B(tx,8)L(c,5)[D:l[]=D:l[]+A[bx,tx,c];];B(tx,8)[E[bx,tx]=D:l[];];];");
}

TEST(SetStorageLayout, DropRefusals) {
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0:left","form":"drop","dimensions":"1","number":0})", "lifetimes");
  // Sequentially fine, but threads would share the place.
  expect_refusal(kStrategy, R"(
@input A f32[8]
@output E f32[8]
B(tx,8)[D[tx]=A[tx]*2;E[tx]=exp(D[tx]);];
)",
                 R"({"at":"0/0:left","form":"drop","dimensions":"0","number":0})", "races");
  // The value of the iteration before is still needed.
  expect_refusal(kStrategy, R"(
@input A f32[8]
@output E f32[8]
L(a,8)[D[a]=A[a]*2;E[a]=if_then_else(a<1,0,D[a-1]);];
)",
                 R"({"at":"0/0:left","form":"drop","dimensions":"0","number":0})", "lifetimes");
  // Partial sums of all elements are needed at the same time.
  expect_refusal(kStrategy, R"(
@input A f32[8,3]
@output E f32[8]
L(q,1)[L(c,3)L(a,8)[D[a]=D[a]+A[a,c];];L(a,8)[E[a]=D[a];];];
)",
                 R"({"at":"0/0/0:left","form":"drop","dimensions":"0","number":0})", "lifetimes");
  // An accumulation that goes on in the next round of a loop cannot be set back.
  expect_refusal(kStrategy, R"(
@input A f32[3,4]
@output E f32[3,4]
L(q,3)[L(a,4)[D[a]=D[a]+A[q,a];E[q,a]=D[a];];];
)",
                 R"({"at":"0/0/0:left","form":"drop","dimensions":"0","number":0})", "lifetimes");
}

TEST(SetStorageLayout, Expands) {
  constexpr std::string_view kTemporary = R"(
@input A f32[8]
@output D f32[8]
L(a,8)[G[]=A[a];D[a]=G[]*2;];
)";
  expect_rewrite(kStrategy, kTemporary, R"({"at":"0/0:left","form":"expand","dimensions":"a","number":0})",
                 "L(a,8)[G[a]=A[a];D[a]=G[a]*2;];");
  expect_refusal(kStrategy, kTemporary, R"({"at":"0/0:left","form":"expand","dimensions":"c","number":0})",
                 "own-iteration");
  expect_refusal(kStrategy, R"(
@input A f32[8]
@output D f32[8]
L(a,8)[G[]=G[]+A[a];D[a]=G[]*2;];
)",
                 R"({"at":"0/0:left","form":"expand","dimensions":"a","number":0})", "own-iteration");
}

constexpr std::string_view kPrefix = R"(
@input A f32[4,6]
@output E f32[4,6]
B(tx,4)L(a,6)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);];
B(tx,4)L(a,6)[E[tx,a]=exp(A[tx,a]-D[tx,5]);];
)";

TEST(SetStorageLayout, RollsARecurrence) {
  expect_rewrite(kStrategy, kPrefix, R"({"at":"0/0:left","form":"rolling","dimensions":"1","number":0})", R"(
B(tx,4)[D[tx]=-inf;L(a,6)[F[tx]=D[tx];D[tx]=max(F[tx],A[tx,a]);];];
B(tx,4)L(a,6)[E[tx,a]=exp(A[tx,a]-D[tx]);];
)");
}

// A guard that is more than its first value stays; loops inside the recurrence get their own copies.
TEST(SetStorageLayout, RollsUnderAGuard) {
  expect_rewrite(kStrategy, R"(
@input A f32[4,6,3]
@input C f32[4,6]
@output E f32[4,3]
B(tx,4)L(a,6)L(c,3)[D[tx,c,a]=if_then_else(a-1<0,0,D[tx,c,a-1]*C[tx,a])+A[tx,a,c];];
B(tx,4)L(c,3)[E[tx,c]=D[tx,c,5];];
)",
                 R"({"at":"0/0:left","form":"rolling","dimensions":"2","number":0})", R"(
B(tx,4)[L(c,3)[D[tx,c]=0;];L(a,6)[L(c,3)[F[tx,c]=D[tx,c];];L(c,3)[D[tx,c]=if_then_else(a-1<0,0,F[tx,c]*C[tx,a])+A[tx,a,c];];];];
B(tx,4)L(c,3)[E[tx,c]=D[tx,c];];
)");
}

TEST(SetStorageLayout, RollsARegister) {
  expect_rewrite(kStrategy, R"(
@input A f32[4,6]
@output E f32[4]
B(tx,4)[L(a,6)[D:l[a]=max(if_then_else(a-1<0,-inf,D:l[a-1]),A[tx,a]);];E[tx]=D:l[5];];
)",
                 R"({"at":"0/0/0:left","form":"rolling","dimensions":"0","number":0})",
                 "B(tx,4)[D:l[]=-inf;L(a,6)[F:l[]=D:l[];D:l[]=max(F:l[],A[tx,a]);];E[tx]=D:l[];];");
}

TEST(SetStorageLayout, RollingRefusals) {
  constexpr std::string_view kChoice = R"({"at":"0/0:left","form":"rolling","dimensions":"1","number":0})";
  expect_refusal(kStrategy, kTwo, kChoice, "recurrence");
  // Another than the last value is needed behind the loop.
  expect_refusal(kStrategy, R"(
@input A f32[4,6]
@output E f32[4,6]
B(tx,4)L(a,6)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),A[tx,a]);];
B(tx,4)L(a,6)[E[tx,a]=D[tx,a];];
)",
                 kChoice, "recurrence");
  // Two steps back.
  expect_refusal(kStrategy, R"(
@input A f32[4,6]
@output E f32[4]
B(tx,4)L(a,6)[D[tx,a]=max(if_then_else(a-2<0,-inf,D[tx,a-2]),A[tx,a]);];
B(tx,4)[E[tx]=D[tx,5];];
)",
                 kChoice, "recurrence");
  // The recurrence of another run.
  expect_refusal(kStrategy, R"(
@input A f32[4,6]
@output E f32[4]
L(c,4)L(a,6)[D[c,a]=if_then_else(a-1<0|c-1<0,0,D[c-1,a-1])+A[c,a];];
L(c,4)[E[c]=D[c,5];];
)",
                 kChoice, "recurrence");
  // A block loop inside the recurrence would stand beside the copy.
  expect_refusal(kStrategy, R"(
@input A f32[4,6,2]
@output E f32[4,2]
B(tx,4)L(a,6)B(bx,2)[D[tx,a,bx]=max(if_then_else(a-1<0,-inf,D[tx,a-1,bx]),A[tx,a,bx]);];
B(tx,4)B(bx,2)[E[tx,bx]=D[tx,5,bx];];
)",
                 kChoice, "scopes");
}

TEST(SetStorageLayout, NotMoreThanTheDeviceHas) {
  // 64*896*4 bytes are 224 KiB; a place more in each row is 2 KiB too much, and so is one such tile per iteration.
  constexpr std::string_view kTile = R"(
@input A f32[2,64,1792]
@output E f32[2,64,1792]
B(bx,2)L(c,2)[B(tx,64)L(a,896)[D:f32,s[tx,a]=A[bx,tx,c*896+a];];B(tx,64)L(a,896)[E[bx,63-tx,c*896+a]=D:f32,s[63-tx,a];];];
)";
  expect_refusal(kStrategy, kTile, R"({"at":"0/0/0:left","form":"flatten","dimensions":"0,1","number":16})", "fits");
  expect_refusal(kStrategy, kTile, R"({"at":"0/0/0:left","form":"expand","dimensions":"c","number":0})", "fits");
  // What is refused is not offered.
  for (const std::string& choice : listed(kStrategy, kTile, true, 3)) {
    EXPECT_EQ(choice.find("\"number\":1"), std::string::npos) << choice;
  }
  expect_rewrite(kStrategy, kTile, R"({"at":"0/0/0:left","form":"flatten","dimensions":"0,1","number":0})", R"(
B(bx,2)L(c,2)[B(tx,64)L(a,896)[D:f32,s[tx*896+a]=A[bx,tx,c*896+a];];
B(tx,64)L(a,896)[E[bx,63-tx,c*896+a]=D:f32,s[(63-tx)*896+a];];];
)");
}

TEST(SetStorageLayout, Refusals) {
  constexpr std::string_view kFlat = R"({"at":"0/0:left","form":"flatten","dimensions":"1,0","number":0})";
  expect_refusal(kStrategy, "@input A f32[8]\n@output D f32[8]\nB(tx,8)[D[tx]=A[tx];];\n", kFlat, "intermediate");
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0:left","form":"merge","dimensions":"1,0","number":0})", "fits");
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0:left","form":"split","dimensions":"1","number":6})", "fits");
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0:left","form":"transpose","dimensions":"0,1","number":0})", "fits");
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0:left","form":"transpose","dimensions":"0,0","number":0})", "choice");
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0:left","form":"turn","dimensions":"0,1","number":0})", "choice");
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0:left","form":"drop","dimensions":"0","number":1})", "choice");
  expect_refusal(kStrategy, kTwo, R"({"at":"0/0","form":"drop","dimensions":"0","number":0})", "place");
  // The second write of a tensor is not its place.
  expect_refusal(kStrategy, R"(
@input A f32[2]
@output E f32[2]
L(a,1)[D[a]=A[a];];
L(a,1)[D[a+1]=A[a+1];];
L(a,2)[E[a]=D[a];];
)",
                 R"({"at":"1/0:left","form":"split","dimensions":"0","number":2})", "intermediate");
}

}  // namespace
}  // namespace steptp::testing
