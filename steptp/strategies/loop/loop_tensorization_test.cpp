#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr std::string_view kCopies =
    "B(ty,2)B(tz,1)L(a,32)L(d,8)[F:f16,s[a,ty*8+d]=A:f16[a,ty*8+d];];"
    "B(ty,2)B(tz,1)L(a,32)V(d,2)[G:f16,s[(ty*32+a)//4,a%4*2+d]=C:f16[(ty*32+a)//4,a%4*2+d];];";
constexpr std::string_view kSum =
    "B(ty,2)B(tz,1)L(m,16)L(n,8)L(c,16)[E:l[m,n]=E:l[m,n]+F:f16,s[ty*16+m,c]*G:f16,s[c,n];];";
constexpr std::string_view kStore = "B(ty,2)B(tz,1)L(m,16)L(n,8)[D[ty*16+m,n]=E:l[m,n];];";

/// A kernel of two threads along ty and one along tz.
std::string kernel(std::string_view copies, std::string_view sum, std::string_view store) {
  return concat("\n@input A f16[32,16]\n@input C f16[16,8]\n@output D f32[32,8]\nB(bx,1)[", copies, sum, store, "];\n");
}

TEST(LoopTensorization, UnitsAndTheirLanes) {
  expect_rewrite("loop_tensorization", kernel(kCopies, kSum, kStore), R"({"at":"0"})",
                 "B(bx,1)[B(tx,64)L(d,8)[F:f16,s[tx%32,tx//32*8+d]=A:f16[tx%32,tx//32*8+d];];"
                 "B(tx,64)V(d,2)[G:f16,s[tx//4,tx%4*2+d]=C:f16[tx//4,tx%4*2+d];];"
                 "B(wx,2)B(wy,1)T(m,16)T(n,8)T(c,16)[E:f[m,n]=E:f[m,n]+F:f16,s[wx*16+m,c]*G:f16,s[c,n];];"
                 "B(wx,2)B(wy,1)T(m,16)T(n,8)[D[wx*16+m,n]=E:f[m,n];];];");
}

void expect_refused(std::string_view copies, std::string_view sum, std::string_view store, std::string_view why) {
  expect_refusal("loop_tensorization", kernel(copies, sum, store), R"({"at":"0"})", why);
}

// A bias is added by all lanes, a maximum of each row is taken over the columns, and the store has a guard.
TEST(LoopTensorization, ElementwiseAndReductions) {
  const std::string threads = "B(ty,2)B(tz,1)";
  const std::string before = concat(
      "\n@input A f16[32,16]\n@input C f16[16,8]\n@input H f32[8]\n@output D f32[30,8]\n@output K f32[32]\nB(bx,1)[",
      kCopies, kSum, threads, "L(m,16)L(n,8)[N:l[m,n]=E:l[m,n]+H[n];];", threads,
      "L(m,16)L(n,8)[M:l[m]=max(M:l[m],N:l[m,n]);];", threads, "L(m,16)L(n,8)?{ty*16+m<30}[D[ty*16+m,n]=N:l[m,n];];",
      threads, "L(m,16)[K[ty*16+m]=M:l[m];];];\n");
  const std::string units = "B(wx,2)B(wy,1)";
  expect_rewrite(
      "loop_tensorization", before, R"({"at":"0"})",
      concat("B(bx,1)[B(tx,64)L(d,8)[F:f16,s[tx%32,tx//32*8+d]=A:f16[tx%32,tx//32*8+d];];"
             "B(tx,64)V(d,2)[G:f16,s[tx//4,tx%4*2+d]=C:f16[tx//4,tx%4*2+d];];",
             units, "T(m,16)T(n,8)T(c,16)[E:f[m,n]=E:f[m,n]+F:f16,s[wx*16+m,c]*G:f16,s[c,n];];", units,
             "T(m,16)T(n,8)[N:f[m,n]=E:f[m,n]+H[n];];", units, "T(m,16)T(n,8)[M:f[m]=max(M:f[m],N:f[m,n]);];", units,
             "T(m,16)T(n,8)?{wx*16+m<30}[D[wx*16+m,n]=N:f[m,n];];", units, "T(m,16)[K[wx*16+m]=M:f[m];];];"));
}

// With one axis and doubles; loops that stay serial around a matrix nest.
TEST(LoopTensorization, DoublesInRounds) {
  expect_rewrite("loop_tensorization", R"(
@input A f64[16,8]
@input C f64[8,8]
@output D f64[16,8]
B(bx,1)[L(k,2)[B(ty,2)L(a,32)[F:f64,s[ty*8+a//4,a%4]=A:f64[ty*8+a//4,k*4+a%4];];
B(ty,1)L(a,32)[G:f64,s[a//8,a%8]=C:f64[k*4+a//8,a%8];];
B(ty,2)L(m,8)L(n,8)L(c,4)[E:f64,l[m,n]=E:f64,l[m,n]+F:f64,s[ty*8+m,c]*G:f64,s[c,n];];];
B(ty,2)L(m,8)L(n,8)[D:f64[ty*8+m,n]=E:f64,l[m,n];];];
)",
                 R"({"at":"0"})",
                 "B(bx,1)[L(k,2)[B(tx,64)[F:f64,s[tx//4,tx%4]=A:f64[tx//4,k*4+tx%4];];"
                 "B(tx,32)[G:f64,s[tx//8,tx%8]=C:f64[k*4+tx//8,tx%8];];"
                 "B(wx,2)T(m,8)T(n,8)T(c,4)[E:f64,f[m,n]=E:f64,f[m,n]+F:f64,s[wx*8+m,c]*G:f64,s[c,n];];];"
                 "B(wx,2)T(m,8)T(n,8)[D:f64[wx*8+m,n]=E:f64,f[m,n];];];");
}

// Halves that are summed, and what is made of them, are kept in f32; a factor stays as it is.
TEST(LoopTensorization, WideFragments) {
  const std::string threads = "B(ty,2)B(tz,1)";
  const std::string units = "B(wx,2)B(wy,1)";
  const std::string_view loaded = "T(m,16)T(c,16)[H:f16,f[m,c]=F:f16,s[wx*16+m,c];];";
  expect_rewrite(
      "loop_tensorization",
      concat("\n@input A f16[32,16]\n@input C f16[16,8]\n@output D f16[32,8]\nB(bx,1)[", kCopies, threads,
             "L(m,16)L(c,16)[H:f16,l[m,c]=F:f16,s[ty*16+m,c];];", threads,
             "L(m,16)L(n,8)L(c,16)[E:f16,l[m,n]=E:f16,l[m,n]+H:f16,l[m,c]*G:f16,s[c,n];];", threads,
             "L(m,16)L(n,8)[N:f16,l[m,n]=exp(E:f16,l[m,n]);];", threads,
             "L(m,16)L(n,8)[D:f16[ty*16+m,n]=N:f16,l[m,n];];];\n"),
      R"({"at":"0","wide":1})",
      concat("B(bx,1)[B(tx,64)L(d,8)[F:f16,s[tx%32,tx//32*8+d]=A:f16[tx%32,tx//32*8+d];];"
             "B(tx,64)V(d,2)[G:f16,s[tx//4,tx%4*2+d]=C:f16[tx//4,tx%4*2+d];];",
             units, loaded, units, "T(m,16)T(n,8)T(c,16)[E:f[m,n]=E:f[m,n]+H:f16,f[m,c]*G:f16,s[c,n];];", units,
             "T(m,16)T(n,8)[N:f[m,n]=exp(E:f[m,n]);];", units, "T(m,16)T(n,8)[D:f16[wx*16+m,n]=N:f[m,n];];];"));
  expect_refusal("loop_tensorization", kernel(kCopies, kSum, kStore), R"({"at":"0","wide":2})", "form");
}

TEST(LoopTensorization, WantsThreadsThatAreNoUnitsYet) {
  expect_refusal("loop_tensorization", "\n@input A f32[8]\n@output D f32[8]\nB(tx,8)[D[tx]=A[tx]*2;];\n",
                 R"({"at":"0"})", "threads");
  expect_refused("B(tx,32)L(d,16)[F:f16,s[tx,d]=A:f16[tx,d];];B(tx,16)L(d,8)[G:f16,s[tx,d]=C:f16[tx,d];];", kSum,
                 kStore, "threads");
}

TEST(LoopTensorization, WantsAllThreadLoopsAroundATile) {
  expect_refused(
      "B(tz,1)L(a,32)L(d,16)[F:f16,s[a,d]=A:f16[a,d];];B(ty,2)B(tz,1)L(a,32)V(d,2)"
      "[G:f16,s[(ty*32+a)//4,a%4*2+d]=C:f16[(ty*32+a)//4,a%4*2+d];];",
      kSum, kStore, "apart");
}

TEST(LoopTensorization, WantsTheFormsOfMatrixNests) {
  // A recurrence along the rows is none.
  expect_refused(kCopies, kSum, "B(ty,2)B(tz,1)L(m,16)V(n,8)[D[ty*16+m,n]=E:l[m,n];];", "form");
  expect_refused(kCopies, "B(ty,2)B(tz,1)L(m,16)L(n,8)[E:l[m,n]=0;E:l[m,n]=E:l[m,n]+F:f16,s[ty*16+m,n]*2;];", kStore,
                 "form");
  // Nothing but copies.
  expect_refusal("loop_tensorization",
                 "\n@input A f32[64]\n@output D f32[64]\nB(ty,2)L(a,32)[D[ty*32+a]=A[ty*32+a];];\n", R"({"at":"0"})",
                 "form");
}

// A guard cuts off rows of the sum: what is beyond has to be filled before.
TEST(LoopTensorization, WantsSumsWithoutGuards) {
  expect_refused(kCopies,
                 "B(ty,2)B(tz,1)L(m,16)L(n,8)L(c,16)?{ty*16+m<30}[E:l[m,n]=E:l[m,n]+F:f16,s[ty*16+m,c]*G:f16,s[c,n];];",
                 kStore, "form");
}

// Two rows of a tile are stored in one place.
TEST(LoopTensorization, RefusesRowsThatMeet) {
  expect_refused(kCopies, kSum, "B(ty,2)B(tz,1)L(m,16)L(n,8)[D[ty*16+m//2,n]=E:l[m,n];];", "races");
}

TEST(LoopTensorization, WantsWholeInstructions) {
  expect_refused(kCopies, "B(ty,2)B(tz,1)L(c,16)L(m,16)L(n,8)[E:l[m,n]=E:l[m,n]+F:f16,s[ty*16+m,c]*G:f16,s[c,n];];",
                 kStore, "shape");
  // f32 has no instruction: the refusal names `tile`.
  expect_refusal("loop_tensorization", R"(
@input A f32[16,16]
@input C f32[16,8]
@output D f32[16,8]
B(bx,1)[B(ty,1)L(a,32)L(d,8)[F:s[a//2,a%2*8+d]=A[a//2,a%2*8+d];];B(ty,1)L(a,32)L(d,4)[G:s[a//2,a%2*4+d]=C[a//2,a%2*4+d];];
B(ty,1)L(m,16)L(n,8)L(c,16)[E:l[m,n]=E:l[m,n]+F:s[m,c]*G:s[c,n];];B(ty,1)L(m,16)L(n,8)[D[m,n]=E:l[m,n];];];
)",
                 R"({"at":"0"})", "shape");
}

TEST(LoopTensorization, WantsFragments) {
  // Rows and columns change places on the way out.
  expect_refused(kCopies, kSum, "B(ty,2)B(tz,1)L(n,8)L(m,16)[D[ty*16+m,n]=E:l[m,n];];", "fragments");
  expect_refused(kCopies, kSum, "B(ty,2)B(tz,1)L(m,16)L(n,8)[D[ty*16+m,n]=E:l[m,n//2];];", "fragments");
}

TEST(LoopTensorization, WantsRoomForTheLanes) {
  expect_refusal("loop_tensorization", R"(
@input A f16[16,16]
@output D f16[640,16]
B(ty,40)L(m,16)L(n,16)[D:f16[ty*16+m,n]=A:f16[m,n];];
)",
                 R"({"at":"0"})", "launch");
}

TEST(LoopTensorization, RefusesLanesThatMeet) {
  // Each lane takes what the one before it left.
  expect_refused(
      "B(ty,2)B(tz,1)L(a,32)L(d,8)[F:f16,s[a,ty*8+d]=A:f16[a,ty*8+d];];"
      "B(ty,2)B(tz,1)L(a,32)[G:f16,s[0,ty]=A:f16[a,ty];];",
      kSum, kStore, "races");
}

}  // namespace
}  // namespace steptp::testing
