// The text of CUDA, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "steptp/analysis/shared_layout.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/lowering_support.h"

namespace steptp::testing {
namespace {

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  return document.program;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++found;
  return found;
}

std::string cuda_of(const std::string& text) {
  const auto made = cuda::lower(program_of(text));
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made ? made->text : "";
}

TEST(CudaText, BarriersStandOnlyWhereDataPasses) {
  const std::string own = cuda_of(
      "@input A f32[2,8]\n@output D f32[2,8]\nB^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];"
      "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{tx};];];");
  EXPECT_EQ(count(own, "__syncthreads"), 0U);
  const std::string others = cuda_of(
      "@input A f32[2,8]\n@output D f32[2,8]\nB^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{bx,tx};];"
      "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s}_{7-tx};];];");
  EXPECT_EQ(count(others, "__syncthreads"), 1U);
}

/// Both loops fill a tile in two rounds that do not meet; the loop around them reads it in between.
TEST(CudaText, WhatOnlyTheFirstRoundWaitsForStandsBeforeTheLoop) {
  const std::string text = cuda_of(
      "@input A f32[5,16]\n@output D f32[5,16]\nB^{1}_{bx=0}L^{5}_{a=0}[U^{2}_{c=0}B^{8}_{tx=0}[E^{f32,s}_{c*8+tx}="
      "A^{f32,g}_{a,c*8+tx};];L^{2}_{c=0}B^{8}_{tx=0}[D^{f32,g}_{a,c*8+tx}=E^{f32,s}_{15-(c*8+tx)};];];");
  const auto inside = [&](const std::string& loop) {
    const std::size_t at = text.find(loop);
    EXPECT_NE(at, std::string::npos) << text;
    return text.find("__syncthreads();", at) < text.find("int tx_", at);
  };
  EXPECT_EQ(count(text, "__syncthreads();"), 2U) << text;
  EXPECT_FALSE(inside("for (int c_ = 0")) << text;
  EXPECT_TRUE(inside("for (int a_ = 0")) << text;
}

/// Lanes that were not loaded are zeros: their condition is asked where they are loaded, and not for each of them
/// again.
TEST(CudaText, AFilledTileAsksOnce) {
  const auto text = [](const char* otherwise) {
    return cuda_of(concat(
        "@input A f32[5,16]\n@output D f32[8,16]\nB^{8}_{tx=0}L^{4}_{a=0}V^{4}_{c=0}[D^{f32,g}_{tx,a*4+c}=if_then_else("
        "tx<5,A^{f32,g}_{tx,a*4+c},",
        otherwise, ");];"));
  };
  EXPECT_EQ(count(text("0"), "< 5"), 1U) << text("0");
  EXPECT_EQ(count(text("1"), "< 5"), 2U) << text("1");
}

/// Where a barrier of the second way through a loop takes the place of another one, more is pending at its end.
TEST(CudaText, ARoundBeginsWithAllThatTheRoundBeforeLeaves) {
  const std::string text = cuda_of(
      "@input A f32[3,64]\n@output D "
      "f32[3,64]\nB^{1}_{bx=0}L^{3}_{a=0}[B^{64}_{tx=0}[E^{f32,s}_{tx}=A^{f32,g}_{a,tx};];"
      "B^{64}_{tx=0}[F^{f32,s}_{tx}=A^{f32,g}_{a,tx}*2;];B^{64}_{tx=0}[G^{f32,s}_{tx}=E^{f32,s}_{63-tx};];"
      "B^{64}_{tx=0}[H^{f32,s}_{tx}=E^{f32,s}_{63-tx}+F^{f32,s}_{63-tx};];"
      "B^{64}_{tx=0}[D^{f32,g}_{a,tx}=G^{f32,s}_{63-tx}+F^{f32,s}_{63-tx}+H^{f32,s}_{tx};];];");
  EXPECT_EQ(count(text, "__syncthreads();"), 3U) << text;
  EXPECT_LT(text.find("__syncthreads();"), text.find("E[(tx_)] =")) << text;
}

TEST(CudaText, VectorsOnlyWhereAlignmentIsShown) {
  const auto text = [](const char* subscript) {
    return cuda_of(
        concat("@input A f32[8,20]\n@output D "
               "f32[8,16]\nB^{8}_{tx=0}L^{4}_{a=0}V^{4}_{c=0}[D^{f32,g}_{tx,a*4+c}=A^{f32,g}_{tx,",
               subscript, "};];"));
  };
  EXPECT_NE(text("a*4+c").find("const stp_vector<float, 4> stp_v0 = "), std::string::npos);
  EXPECT_EQ(text("a*4+c+1").find("stp_v0"), std::string::npos);
  EXPECT_EQ(count(text("a*2+c"), "*(const stp_vector<float, 2>*)"), 2U);
  EXPECT_EQ(text("c*4+a").find("stp_v0"), std::string::npos);
}

/// A split that leaves a rest puts a guard into the loop over lanes, which is the same for all of them.
TEST(CudaText, GuardsThatAreTheSameInEveryLaneStandAroundVectors) {
  const auto text = [](const char* guard) {
    return cuda_of(concat("@input A f32[8,16]\n@output D f32[8,16]\nB^{8}_{tx=0}L^{4}_{a=0}V^{4}_{c=0}?{", guard,
                          "}[D^{f32,g}_{tx,a*4+c}=A^{f32,g}_{tx,a*4+c};];"));
  };
  const std::string same = text("tx*4+a<30&a<3");
  EXPECT_EQ(count(same, "*(const stp_vector<float, 4>*)(A"), 1U) << same;
  EXPECT_EQ(count(same, "*(stp_vector<float, 4>*)(D"), 1U) << same;
  EXPECT_LT(same.find("if ("), same.find("stp_v0"));
  EXPECT_EQ(count(text("a*4+c<14"), "stp_v0"), 0U);
}

/// Copies that are filled up at the end of a row load vectors where a row ends between two of them: 60 is a multiple of
/// four and 58 is not.
TEST(CudaText, VectorsUnderConditionsThatAreTheSameInEveryLane) {
  const auto text = [](const char* value) {
    return cuda_of(
        concat("@input A f32[8,60]\n@input C f32[8,60]\n@output D f32[8,64]\nB^{8}_{bx=0}B^{16}_{tx=0}"
               "V^{4}_{c=0}[D^{f32,g}_{bx,tx*4+c}=",
               value, ";];"));
  };
  const std::string kLoad = "= *(const stp_vector<float, 4>*)(A";
  const std::string filled = text("if_then_else(tx*4+c<60,A^{f32,g}_{bx,tx*4+c},0)");
  EXPECT_EQ(count(filled, kLoad), 1U) << filled;
  EXPECT_LT(filled.find("if (((tx_ * 4) < 60))"), filled.find(kLoad)) << filled;
  EXPECT_EQ(count(text("if_then_else(tx*4+c<58,A^{f32,g}_{bx,tx*4+c},0)"), kLoad), 0U);
  EXPECT_EQ(count(text("if_then_else(tx*4+c>=60,0,A^{f32,g}_{bx,tx*4+c})"), kLoad), 0U);
  // One element under two conditions has one name, which would be wrong under one of them.
  EXPECT_EQ(count(text("if_then_else(tx<15,A^{f32,g}_{bx,tx*4+c},0)+if_then_else(tx<14&tx<15,A^{f32,g}_{bx,tx*4+c},0)"),
                  kLoad),
            0U);
  EXPECT_EQ(count(text("if_then_else(tx<15,if_then_else(C^{f32,g}_{bx,0}>0,A^{f32,g}_{bx,tx*4+c},0),0)"), kLoad), 0U);
  EXPECT_EQ(count(text("if_then_else(tx<15,if_then_else(bx<7,A^{f32,g}_{bx,tx*4+c},0),0)"), kLoad), 1U);
}

/// Sums along a row, four elements after four: what a thread reads is one vector although the loop is serial, behind a
/// guard that is the same for the four, alone and among threads that reduce.
TEST(CudaText, ShortSerialLoopsLoadVectors) {
  const auto text = [](const char* loops) {
    return cuda_of(concat("@input A f32[8,64]\n@output D f32[8]\n", loops, "[D^{f32,g}_{bx}=D^{f32,g}_{bx}+",
                          "A^{f32,g}_{bx,a*4+c};];"));
  };
  const std::string kLoad = "*(const stp_vector<float, 4>*)(A";
  EXPECT_EQ(count(text("B^{8}_{bx=0}L^{16}_{a=0}L^{4}_{c=0}"), kLoad), 1U);
  EXPECT_EQ(count(text("B^{8}_{bx=0}L^{16}_{a=0}L^{4}_{c=0}?{a<15}"), kLoad), 1U);
  EXPECT_EQ(count(text("B^{8}_{bx=0}L^{16}_{a=0}L^{4}_{c=0}?{a*4+c<63}"), kLoad), 0U);
  EXPECT_EQ(count(text("B^{8}_{bx=0}L^{16}_{a=0}L^{3}_{c=0}"), kLoad), 0U);
  const std::string among_threads = cuda_of(
      "@input A f32[8,64]\n@output D f32[8]\nB^{8}_{bx=0}[B^{5}_{tx=0}L^{3}_{a=0}L^{4}_{c=0}?{a*5+tx<13}["
      "D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f32,g}_{bx,(a*5+tx)*4+c};];];");
  EXPECT_EQ(count(among_threads, kLoad), 1U) << among_threads;
}

TEST(CudaText, FormsOfReductionsOverThreads) {
  struct Row {
    const char* name;
    const char* text;
    std::size_t turns, shuffles, trees, barriers;
  };
  const Row rows[] = {
      {"one row",
       "@input A f32[256]\n@output D "
       "f32[1]\nB^{1}_{bx=0}[B^{256}_{tx=0}[D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f32,g}_{tx};];"
       "];",
       0, 2, 0, 2},
      {"halves with a wide sum, several rows: as parallel as one row",
       "@input A f16[4,256]\n@output D f32[4]\n"
       "B^{4}_{ty=0}B^{256}_{tx=0}[D^{f32,g}_{ty}=D^{f32,g}_{ty}+A^{f16,g}_{ty,tx};];",
       0, 2, 0, 2},
      {"a narrow sum of what is wide",
       "@input A f32[256]\n@output D f16[1]\n"
       "B^{1}_{bx=0}[B^{256}_{tx=0}[D^{f16,g}_{bx}=D^{f16,g}_{bx}+A^{f32,g}_{tx};];];",
       0, 2, 0, 2},
      {"a warp for each row: nobody waits for others",
       "@input A f16[4,32]\n@output D f32[4]\n"
       "B^{4}_{ty=0}B^{32}_{tx=0}[D^{f32,g}_{ty}=D^{f32,g}_{ty}+A^{f16,g}_{ty,tx};];",
       0, 1, 0, 0},
      {"a part of a warp for each row, guarded",
       "@input A f32[64]\n@output D f32[8]\n"
       "B^{64}_{tx=0}?{tx<50}[D^{f32,g}_{tx//8}=D^{f32,g}_{tx//8}+A^{f32,g}_{tx};];",
       0, 2, 0, 0},
      {"groups of twelve",
       "@input A f32[48]\n@output D f32[4]\nB^{48}_{tx=0}[D^{f32,g}_{tx//12}=D^{f32,g}_{tx//12}+A^{f32,g}_{tx};];", 0,
       0, 1, 3},
      {"several elements",
       "@input A f32[64,4]\n@output D f32[4]\n"
       "B^{64}_{tx=0}U^{4}_{a=0}[D^{f32,g}_{a}=D^{f32,g}_{a}+A^{f32,g}_{tx,a};];",
       0, 2, 0, 2},
      {"elements of two groups",
       "@input A f32[12,3]\n@output D f32[5]\n"
       "B^{12}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx//4+a}=D^{f32,g}_{tx//4+a}+A^{f32,g}_{tx,a};];",
       1, 0, 0, 1},
      {"a group whose threads and elements are mixed",
       "@input A f32[12,3]\n@output D f32[3]\n"
       "B^{12}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{(tx+a)%3}=D^{f32,g}_{(tx+a)%3}+A^{f32,g}_{tx,a};];",
       1, 0, 0, 1},
      {"each step cuts off a fraction",
       "@input A f32[64]\n@output D i32[1]\n"
       "B^{1}_{bx=0}[B^{64}_{tx=0}[D^{i32,g}_{bx}=D^{i32,g}_{bx}+A^{f32,g}_{tx};];];",
       1, 0, 0, 1},
      {"the greatest of wide integers is wrapped",
       "@input A i32[64]\n@output D i8[1]\n"
       "B^{1}_{bx=0}[B^{64}_{tx=0}[D^{i8,g}_{bx}=max(D^{i8,g}_{bx},A^{i32,g}_{tx});];];",
       1, 0, 0, 1},
      {"sums of wide integers wrap in any order",
       "@input A i32[64]\n@output D i8[1]\n"
       "B^{1}_{bx=0}[B^{64}_{tx=0}[D^{i8,g}_{bx}=D^{i8,g}_{bx}+A^{i32,g}_{tx};];];",
       0, 2, 0, 2},
      {"elements that data decides",
       "@input A f32[64]\n@input C i64[64] [0,8)\n@output D f32[8]\n"
       "B^{64}_{tx=0}[D^{f32,g}_{C^{i64,g}_{tx}}=D^{f32,g}_{C^{i64,g}_{tx}}+A^{f32,g}_{tx};];",
       1, 0, 0, 1},
  };
  for (const Row& row : rows) {
    const std::string text = cuda_of(row.text);
    EXPECT_EQ(count(text, "for (int stp_turn_"), row.turns) << row.name << "\n" << text;
    EXPECT_EQ(count(text, "__shfl_down_sync"), row.shuffles) << row.name << "\n" << text;
    EXPECT_EQ(count(text, "const int stp_place_"), row.trees) << row.name << "\n" << text;
    EXPECT_EQ(count(text, "__syncthreads"), row.barriers) << row.name << "\n" << text;
  }
}

// Rows of 11,421 and 17,889 halves: fused with the loop over rows they are one run, and each eight are aligned. A row
// by itself begins at an odd element every other time; rows of 17,890 are read and written by twos.
TEST(CudaText, RowsOfAnyLengthHaveVectors) {
  for (const std::int64_t row : {11421, 17889}) {
    const std::string fused = cuda_of(concat(
        "@input A f16[32,", row, "]\n@input C f16[", row, "]\n@output D f16[32,", row, "]\nB^{", row / 3,
        "}_{bx=0}B^{12}_{tx=0}V^{8}_{c=0}[", "D^{f16,g}_{(bx*96+tx*8+c)//", row, ",(bx*96+tx*8+c)%", row,
        "}=A^{f16,g}_{(bx*96+tx*8+c)//", row, ",(bx*96+tx*8+c)%", row, "}*C^{f16,g}_{(bx*96+tx*8+c)%", row, "};];"));
    EXPECT_NE(
        fused.find("const stp_vector<__half, 8> stp_v0 = *(const stp_vector<__half, 8>*)(A + (bx_ * 96 + tx_ * 8)"),
        std::string::npos)
        << fused;
    EXPECT_NE(fused.find("*(stp_vector<__half, 8>*)(D + (bx_ * 96 + tx_ * 8)) = stp_result;"), std::string::npos);
    EXPECT_EQ(fused.find("stp_v1"), std::string::npos);
  }
  const auto by_row = [](std::int64_t row) {
    return cuda_of(concat("@input A f16[32,", row, "]\n@output D f16[32,", row, "]\nB^{32}_{bx=0}B^{16}_{tx=0}L^{",
                          row / 128, "}_{a=0}V^{8}_{c=0}[D^{f16,g}_{bx,a*128+tx*8+c}=A^{f16,g}_{bx,a*128+tx*8+c};];"));
  };
  EXPECT_EQ(count(by_row(17889), "stp_v0"), 0U);
  EXPECT_EQ(count(by_row(17890), "*(const stp_vector<__half, 2>*)(A"), 4U);
  EXPECT_EQ(count(by_row(17890), "*(stp_vector<__half, 2>*)(D"), 4U);
  EXPECT_NE(by_row(17890).find("stp_result[c_ / 2].at[c_ % 2] = stp_v0[c_ / 2].at[c_ % 2];"), std::string::npos);
}

/// Bytes of shared memory by the table that `check` uses, and by the launch list.
TEST(CudaText, SharedMemoryIsCountedOnce) {
  // E has 160,000 bytes and F 144,000: of both only the larger counts where they are never live together.
  const std::string fill = "B^{64}_{tx=0}L^{625}_{a=0}[E^{f32,s}_{a*64+tx}=A^{f32,g}_{tx};];";
  const std::string use = "B^{64}_{tx=0}[D^{f32,g}_{d,tx}=E^{f32,s}_{39999-tx};];";
  const std::string other = "B^{64}_{tx=0}L^{1125}_{a=0}[F^{f16,s}_{a*64+tx}=A^{f32,g}_{tx};];";
  const std::string use_other = "B^{64}_{tx=0}[H^{f32,g}_{d,tx}=F^{f16,s}_{71999-tx};];";
  const auto program = [](const std::string& body) {
    return concat("@input A f32[64]\n@output D f32[3,64]\n@output H f32[3,64]\nB^{1}_{bx=0}L^{3}_{d=0}[", body, "];");
  };
  const auto bytes_of = [](const Program& made) {
    const AccessTable table = collect_accesses(made);
    return static_cast<std::int64_t>(shared_layout(table, infer_shapes(table), collect_kernels(table)[0]).bytes);
  };
  const Program shared = program_of(program(fill + use + other + use_other));
  EXPECT_EQ(bytes_of(shared), 160000);
  const auto lowered = cuda::lower(shared);
  ASSERT_TRUE(lowered.ok()) << lowered.error().message;
  EXPECT_EQ(lowered->kernels[0].dynamic_shared_bytes, 160000);
  EXPECT_EQ(lowered->kernels[0].static_shared_bytes, 0);
  const CheckOptions h200{find_device("nvidia-h200")};
  EXPECT_EQ(check_program(shared, h200).verdict, CheckReport::Verdict::ok);
  // Both are needed at the same time.
  const Program apart = program_of(program(fill + other + use + use_other));
  EXPECT_EQ(bytes_of(apart), 304000);
  const auto refused = cuda::lower(apart);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("304000 bytes of shared memory"), std::string::npos);
  const CheckReport checked = check_program(apart, h200);
  ASSERT_EQ(checked.verdict, CheckReport::Verdict::errors);
  ASSERT_EQ(checked.diagnostics.size(), 1U);
  EXPECT_EQ(checked.diagnostics[0].id, "shared-memory");
  EXPECT_NE(checked.diagnostics[0].message.find("304000 bytes of shared memory"), std::string::npos);
}

TEST(CudaText, SumsBeginInRegistersAndNothingIsFilled) {
  struct Row {
    const char* text;
    std::size_t fills;
  };
  const Row rows[] = {
      // A matrix product and softmax as they come from PyTorch.
      {"@input A f32[8,9]\n@input C f32[9,7]\n@output D f32[8,7]\n"
       "B^{8}_{tx=0}L^{7}_{a=0}L^{9}_{c=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*C^{f32,g}_{c,a};];",
       0},
      {"@input A f16[8,9]\n@output D f16[8,9]\n"
       "B^{8}_{tx=0}L^{9}_{a=0}[E^{f16,g}_{tx}=max(E^{f16,g}_{tx},A^{f16,g}_{tx,a});];"
       "B^{8}_{tx=0}L^{9}_{a=0}[F^{f16,g}_{tx}=F^{f16,g}_{tx}+exp(A^{f16,g}_{tx,a}-E^{f16,g}_{tx});];"
       "B^{8}_{tx=0}L^{9}_{a=0}[D^{f16,g}_{tx,a}=exp(A^{f16,g}_{tx,a}-E^{f16,g}_{tx})/F^{f16,g}_{tx};];",
       0},
      // Rows by blocks and by groups of threads; a loop over rows in a block; a whole tensor.
      {"@input A f16[8,64]\n@output D f32[8]\n"
       "B^{8}_{bx=0}B^{64}_{tx=0}[D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f16,g}_{bx,tx};];",
       0},
      {"@input A f16[11,64]\n@output D f32[11]\n"
       "B^{3}_{bx=0}B^{4}_{ty=0}B^{32}_{tx=0}L^{2}_{a=0}?{bx*4+ty<11}[D^{f32,g}_{bx*4+ty}=D^{f32,g}_{bx*4+ty}+"
       "A^{f16,g}_{bx*4+ty,a*32+tx};];",
       0},
      {"@input A f16[8,64]\n@output D f32[8]\n"
       "B^{2}_{bx=0}L^{4}_{a=0}B^{64}_{tx=0}[D^{f32,g}_{bx*4+a}=D^{f32,g}_{bx*4+a}+A^{f16,g}_{bx*4+a,tx};];",
       0},
      {"@input A f32[64,8]\n@output D f32\nB^{64}_{tx=0}L^{8}_{a=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{tx,a};];", 0},
      // Set by an equation, in a kernel of its own.
      {"@input A f32[8,9]\n@output D f32[8]\nB^{8}_{tx=0}[D^{f32,g}_{tx}=tx;];"
       "L^{9}_{a=0}B^{8}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];",
       0},
      // One launch after another, over blocks or by the host; threads in turn; rounds around a reduction; several
      // equations.
      {"@input A f32[64,8]\n@output D f32[8]\n"
       "B^{64}_{bx=0}B^{8}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{bx,tx};];",
       1},
      {"@input A f32[64,8]\n@output D f32[8]\n"
       "L^{64}_{a=0}B^{8}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{a,tx};];",
       1},
      {"@input A f32[12,3]\n@output D f32[3]\n"
       "B^{12}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{(tx+a)%3}=D^{f32,g}_{(tx+a)%3}+A^{f32,g}_{tx,a};];",
       1},
      {"@input A f32[9,64]\n@output D f32[1]\n"
       "B^{1}_{bx=0}L^{9}_{a=0}B^{64}_{tx=0}[D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f32,g}_{a,tx};];",
       1},
      {"@input A f32[9,64]\n@output D f32[9]\n"
       "B^{9}_{tx=0}[L^{32}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
       "L^{32}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a+32};];];",
       0},
      // What a guard leaves out, and what another round has written, the second equation finds as it was.
      {"@input A f32[9,64]\n@output D f32[9]\n"
       "B^{9}_{tx=0}[L^{32}_{a=0}?{tx<5}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
       "L^{32}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a+32};];];",
       1},
      {"@input A f32[9,2,3]\n@output D f32[9,2]\n"
       "B^{9}_{tx=0}L^{2}_{c=0}[L^{3}_{a=0}[D^{f32,g}_{tx,c}=D^{f32,g}_{tx,c}+A^{f32,g}_{tx,c,a};];"
       "D^{f32,g}_{tx,1-c}=D^{f32,g}_{tx,1-c}+A^{f32,g}_{tx,c,0};];",
       1},
  };
  for (const Row& row : rows) {
    const Program program = program_of(row.text);
    const auto made = cuda::lower(program);
    ASSERT_TRUE(made.ok()) << row.text;
    EXPECT_EQ(made->fills.size(), row.fills) << row.text;
    EXPECT_EQ(count(made->text, "STP_LAUNCH(fill_"), row.fills) << row.text;
  }
}

/// Every type of the zoo as it comes from PyTorch.
TEST(CudaText, VanillaProgramsFillNothing) {
  std::size_t programs = 0;
  std::size_t fills = 0;
  for (const Judged& one : small_zoo(DType::f32)) {
    const auto made = cuda::lower(one.program);
    if (!made) continue;
    ++programs;
    fills += made->fills.size();
    if (!made->fills.empty()) std::printf("%s fills %zu\n", one.name.c_str(), made->fills.size());
  }
  EXPECT_GT(programs, 190U);
  EXPECT_EQ(fills, 0U);
}

// What a condition computes of loops it computes as subscripts do; numbers that could come near 64 bits wrap as i64.
TEST(CudaText, ConditionsOnIndicesAreNarrow) {
  const auto text = [](const char* condition) {
    return cuda_of(
        concat("@input A f32[8,6]\n@output D f32[8,6]\nB^{8}_{tx=0}L^{6}_{a=0}[D^{f32,g}_{tx,a}=if_then_else(",
               condition, ",A^{f32,g}_{tx,a},0);];"));
  };
  const std::string narrow = text("1<=(tx*6+a)//7%3+a<4");
  EXPECT_NE(narrow.find("((tx_ * 6 + a_) / 7) % 3"), std::string::npos) << narrow;
  EXPECT_EQ(narrow.find("long long>"), std::string::npos) << narrow;
  EXPECT_NE(text("(tx*1099511627776+a)//7%3<2").find("long long>"), std::string::npos);
  EXPECT_NE(text("(tx*6-a)//7<2").find("stp_floor_div<int>"), std::string::npos);
}

TEST(CudaText, NothingIsPromisedBesideConditionalReadsOfWhatIsWritten) {
  const auto text = [](const char* value) {
    return cuda_of(
        concat("@input A f32[8]\n@output D f32[8]\nB^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*2;D^{f32,g}_{tx}=", value,
               ";];"));
  };
  EXPECT_NE(text("E^{f32,g}_{tx}+A^{f32,g}_{7-tx}").find("const float* __restrict__ A"), std::string::npos);
  // nvcc reads either address through the cache of read-only data.
  const std::string chosen = text("if_then_else(E^{f32,g}_{tx}<1,E^{f32,g}_{tx},A^{f32,g}_{7-tx})");
  EXPECT_NE(chosen.find("const float* A"), std::string::npos);
  EXPECT_EQ(chosen.find("__restrict__ A"), std::string::npos);
  const std::string guarded = cuda_of(
      "@input A f32[8]\n@output D f32[8]\nB^{8}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx}*2;"
      "L^{1}_{a=0}?{tx<4}[D^{f32,g}_{tx}=E^{f32,g}_{tx};];L^{1}_{a=0}?{tx>=4}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];];");
  EXPECT_EQ(guarded.find("__restrict__ A"), std::string::npos);
}

TEST(CudaText, SquaresAndCubesAreProductsInEveryType) {
  for (const char* dtype : {"f16", "bf16", "f32", "f64"}) {
    const auto text = [dtype](const char* exponent) {
      return cuda_of(concat("@input A ", dtype, "[8]\n@output D ", dtype, "[8]\nB^{8}_{tx=0}[D^{", dtype,
                            ",g}_{tx}=A^{", dtype, ",g}_{tx}**", exponent, ";];"));
    };
    for (const char* exponent : {"2", "2.0"}) {
      EXPECT_EQ(count(text(exponent), "D[tx_] = stp_square<"), 1U) << dtype;
      EXPECT_EQ(count(text(exponent), "stp_pow"), 0U) << dtype;
    }
    EXPECT_EQ(count(text("3"), "D[tx_] = stp_cube<"), 1U) << dtype;
    EXPECT_GT(count(text("2.5"), "stp_pow"), 0U) << dtype;
  }
}

TEST(CudaText, WideIndicesOnlyWhereNeeded) {
  const std::string narrow = cuda_of(
      "@input A f32[1024,4096]\n@output D "
      "f32[1024,4096]\nB^{1024}_{tx=0}L^{4096}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];");
  EXPECT_EQ(narrow.find("(long long)tx_"), std::string::npos);
  const std::string wide = cuda_of(
      "@input A f32[1024,4194304]\n@output D "
      "f32[1024,5]\nB^{1024}_{tx=0}L^{5}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx,a};];");
  EXPECT_NE(wide.find("A[((long long)tx_ * 4194304LL"), std::string::npos);
  EXPECT_EQ(wide.find("D[((long long)"), std::string::npos);
}

/// Blocks that accumulate into one element are launched in turn: a test on a CPU, where they run so anyway, does not
/// see whether they are.
TEST(CudaText, BlocksThatReduceRunInTurn) {
  const auto kernel = [](const std::string& text) {
    const auto made = cuda::lower(program_of(text));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made->launches.find("kernels")->as_array()->back();
  };
  const Json sum = kernel(
      "@input A f32[4,3]\n@output D "
      "f32[3]\nB^{4}_{bx=0}B^{3}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{bx,tx};];");
  EXPECT_EQ(sum.find("in_turn")->dump(), "[\"bx\"]");
  EXPECT_EQ(sum.find("grid")->dump(), "[1,1,1]");
  const Json scattered = kernel(
      "@input A f32[4]\n@input C i32[4]\n@output D f32[4]\nB^{4}_{bx=0}[D^{f32,g}_{bx}=0;];"
      "B^{4}_{bx=0}[D^{f32,g}_{C^{i32,g}_{bx}}=D^{f32,g}_{C^{i32,g}_{bx}}+A^{f32,g}_{bx};];");
  EXPECT_EQ(scattered.find("in_turn")->dump(), "[\"bx\"]");
  const Json own = kernel(
      "@input A f32[4,3]\n@output D f32[4]\nB^{4}_{bx=0}L^{3}_{a=0}[D^{f32,g}_{bx}=D^{f32,g}_{bx}+A^{f32,g}_{bx,a};];");
  EXPECT_EQ(own.find("in_turn")->dump(), "[]");
  EXPECT_EQ(own.find("grid")->dump(), "[4,1,1]");
}

TEST(CudaText, IsTheSameTwice) {
  for (const Judged& one : generated(3, 10)) {
    EXPECT_EQ(cuda::lower(one.program).value().text, cuda::lower(one.program).value().text);
  }
}

void expect_cuda_refuses(const std::string& text, const std::string& reason) {
  const auto made = cuda::lower(program_of(text));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().id, "cannot-lower");
  EXPECT_NE(made.error().message.find(reason), std::string::npos) << made.error().message;
  EXPECT_FALSE(made.error().site.empty());
}

TEST(CudaRefuses, LaunchesBeyondTheDevice) {
  expect_cuda_refuses("@output D f32[2048]\nB^{2048}_{tx=0}[D^{f32,g}_{tx}=0;];", "2048 threads along tx");
  expect_cuda_refuses("@output D f32[64,64]\nB^{64}_{tx=0}B^{64}_{ty=0}[D^{f32,g}_{tx,ty}=0;];",
                      "4096 threads in a block");
  expect_cuda_refuses("@output D f32[70000]\nB^{70000}_{by=0}[D^{f32,g}_{by}=0;];", "70000 blocks along by");
}

TEST(CudaRefuses, LoopsThatAnIntDoesNotCount) {
  expect_cuda_refuses(
      "@input A f32[4]\n@output D "
      "f32[4]\nB^{4}_{tx=0}L^{3000000000}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx};];",
      "3000000000 iterations");
}

TEST(CudaRefuses, SharedMemoryBeyondTheDevice) {
  expect_cuda_refuses(
      "@input A f64[32768]\n@output D "
      "f64[32768]\nB^{1}_{bx=0}[B^{64}_{tx=0}L^{512}_{a=0}[E^{f64,s}_{a*64+tx}=A^{f64,g}_{a*64+tx};];"
      "B^{64}_{tx=0}L^{512}_{a=0}[D^{f64,g}_{a*64+tx}=E^{f64,s}_{32767-(a*64+tx)};];];",
      "262144 bytes of shared memory");
}

TEST(CudaRefuses, CollectivesBesideOtherEquations) {
  expect_cuda_refuses(
      "@input A f32[8]\n@output D f32\n@output E f32[8]\nB^{1}_{bx=0}[B^{8}_{tx=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{tx};"
      "E^{f32,g}_{tx}=A^{f32,g}_{tx};];];",
      "with other equations");
}

}  // namespace
}  // namespace steptp::testing
