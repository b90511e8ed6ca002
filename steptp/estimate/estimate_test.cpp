#include "steptp/estimate/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/estimate/summary.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

Program program_of(const std::string& text) {
  Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

const char* const kCopyHead = "@program Copy\n@input A f32[4096,1024]\n@output C f32[4096,1024]\n";

/// A copy in which neighbouring threads take neighbouring columns, or neighbouring rows.
Program copy(bool by_columns) {
  return program_of(std::string(kCopyHead) + (by_columns
                                                  ? "B^{4096}_{bx=0}B^{256}_{tx=0}L^{4}_{a=0}[C^{f32,g}_{bx,a*256+tx}="
                                                    "A^{f32,g}_{bx,a*256+tx};];"
                                                  : "B^{16}_{bx=0}B^{256}_{tx=0}L^{1024}_{a=0}[C^{f32,g}_{bx*256+tx,a}="
                                                    "A^{f32,g}_{bx*256+tx,a};];"));
}

double seconds(const Program& program, std::string_view device = "nvidia-h200") {
  return estimate(program, *find_rates(device))->seconds;
}

double part(const KernelEstimate& kernel, std::string_view name) {
  const auto found =
      std::find_if(kernel.parts.begin(), kernel.parts.end(), [&](const EstimatePart& one) { return one.name == name; });
  return found == kernel.parts.end() ? -1 : found->seconds;
}

TEST(Estimate, CountsTheBytesOfACopy) {
  const Estimate made = *estimate(copy(true), *find_rates("nvidia-h200"));
  ASSERT_EQ(made.kernels.size(), 1U);
  EXPECT_EQ(made.kernels[0].memory_bytes, 2.0 * 4096 * 1024 * 4);
  EXPECT_EQ(made.kernels[0].limited_by, "memory");
  EXPECT_EQ(made.kernels[0].blocks, 4096);
  EXPECT_EQ(made.kernels[0].threads, 256);
}

TEST(Estimate, SeesThatThreadsGoToDifferentLines) {
  EXPECT_LT(seconds(copy(true)) * 3, seconds(copy(false)));
  const auto summary = estimation::summary_of(copy(false));
  for (const auto& access : summary->kernels[0].statements[0].accesses) {
    EXPECT_EQ(access.sectors, 32);
    EXPECT_EQ(access.lines, 32);
  }
}

TEST(Estimate, CountsRoundsThroughBanks) {
  const Program program = program_of(
      "@program Turn\n@input A f32[32,32]\n@output C f32[32,32]\n"
      "B^{1}_{bx=0}[B^{32}_{tx=0}L^{32}_{a=0}[S^{f32,s}_{a,tx}=A^{f32,g}_{a,tx};];"
      "B^{32}_{tx=0}L^{32}_{a=0}[C^{f32,g}_{a,tx}=S^{f32,s}_{tx,a};];];");
  const auto summary = estimation::summary_of(program);
  const auto& statements = summary->kernels[0].statements;
  EXPECT_EQ(statements[0].accesses[1].conflicts, 1);
  EXPECT_EQ(statements[1].accesses[0].conflicts, 32);
  EXPECT_EQ(summary->kernels[0].barriers, 1);
  EXPECT_EQ(summary->kernels[0].shared_bytes, 4096);
}

TEST(Estimate, FindsWhatThreadsShareInTheCache) {
  // Each block reads all of B, which fits into the cache: memory gives it once.
  const Program program = program_of(
      "@program Rows\n@input A f32[1024,1024]\n@input D f32[1024]\n@output C f32[1024,1024]\n"
      "B^{1024}_{bx=0}B^{256}_{tx=0}L^{4}_{a=0}[C^{f32,g}_{bx,a*256+tx}=A^{f32,g}_{bx,a*256+tx}*D^{f32,g}_{a*256+tx};]"
      ";");
  const Estimate made = *estimate(program, *find_rates("nvidia-h200"));
  EXPECT_EQ(made.kernels[0].memory_bytes, 2.0 * 1024 * 1024 * 4 + 4096);
  EXPECT_GT(made.kernels[0].cache_bytes, made.kernels[0].memory_bytes);
}

TEST(Estimate, GuardsTakeTheirShare) {
  const Program program = program_of(
      "@program Triangle\n@input A f32[512,512]\n@output C f32[512,512]\n"
      "B^{512}_{bx=0}B^{512}_{tx=0}?{tx<=bx}[C^{f32,g}_{bx,tx}=A^{f32,g}_{bx,tx};];"
      "B^{512}_{bx=0}B^{512}_{tx=0}?{tx>bx}[C^{f32,g}_{bx,tx}=0;];");
  const auto summary = estimation::summary_of(program);
  ASSERT_TRUE(summary.ok());
  EXPECT_NEAR(summary->kernels[0].statements[0].share, 0.5, 0.08);
  EXPECT_NEAR(summary->kernels[0].statements[0].share + summary->kernels[1].statements[0].share, 1, 1e-9);
}

/// Threads that a guard masks do nothing for the others, and a condition that always holds is no gain.
TEST(Estimate, MaskedThreadsAndKnownConditionsGainNothing) {
  const std::string head = "@program P\n@input A f32[32,1024]\n@output C f32[32,1024]\n";
  const double plain = seconds(program_of(head + "tx32 a1024 C(tx,a)=A(tx,a)*2+1;"));
  for (const char* masked :
       {"tx1024 a1024 ?(tx<32) C(tx,a)=A(tx,a)*2+1;", "ty1024 a1024 ?(ty<32) C(ty,a)=A(ty,a)*2+1;",
        "tx64 a1024 ?(tx<32) C(tx,a)=A(tx,a)*2+1;", "tx32 c2 a1000 ?(c*1000+a<1024) C(tx,c*1000+a)=A(tx,c*1000+a)*2+1;",
        "tx32 a1024 C(tx,a)=where(a<1024,A(tx,a)*2+1,0);", "tx32 c205 a5 ?(c*5+a<1024) C(tx,c*5+a)=A(tx,c*5+a)*2+1;"}) {
    EXPECT_GT(seconds(program_of(head + masked)), 0.98 * plain) << masked;
    EXPECT_LT(seconds(program_of(head + masked)), 1.1 * plain) << masked;
  }
  const std::string few = "@program P\n@input A f32[4,8944]\n@output C f32[4]\n";
  EXPECT_GT(seconds(program_of(few + "tx1024 a8944 ?(tx<4) C(tx)+=A(tx,a)**2;")),
            0.98 * seconds(program_of(few + "tx4 a8944 C(tx)+=A(tx,a)**2;")));
}

TEST(Estimate, TheSameTwice) {
  EXPECT_EQ(to_json(*estimate(copy(true), *find_rates("nvidia-h200"))).dump(),
            to_json(*estimate(copy(true), *find_rates("nvidia-h200"))).dump());
}

TEST(Estimate, PartsAreVisible) {
  const Estimate made = *estimate(copy(true), *find_rates("nvidia-h200"));
  EXPECT_GT(part(made.kernels[0], "memory"), 0);
  EXPECT_EQ(part(made.kernels[0], "scattered"), -1);
  EXPECT_GT(part(made.kernels[0], "accesses"), 0);
  EXPECT_GT(part(estimate(copy(false), *find_rates("nvidia-h200"))->kernels[0], "scattered"), 0);
  const std::string text = to_text(made);
  EXPECT_NE(text.find("limited by memory"), std::string::npos) << text;
  EXPECT_NE(text.find("33.6 MB from and to memory"), std::string::npos) << text;
}

TEST(Estimate, OnACpuVectorsAndThreadsPay) {
  const auto sum = [](const char* nest) {
    return program_of(
        std::string("@program P\n@input A f32[256,256]\n@input D f32[256,256]\n@output C f32[256,256]\n") + nest);
  };
  const Program scalar = sum(
      "B^{256}_{tx=0}L^{256}_{a=0}L^{256}_{c=0}[C^{f32,g}_{tx,a}=C^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*D^{f32,g}_{c,a};];");
  const Program vectors = sum(
      "B^{256}_{tx=0}L^{256}_{c=0}V^{256}_{a=0}[C^{f32,g}_{tx,a}=C^{f32,g}_{tx,a}+A^{f32,g}_{tx,c}*D^{f32,g}_{c,a};];");
  EXPECT_LT(seconds(vectors, "plain-cpu") * 2, seconds(scalar, "plain-cpu"));
  const Program one =
      program_of(std::string(kCopyHead) + "L^{4096}_{a=0}V^{1024}_{c=0}[C^{f32,g}_{a,c}=exp(A^{f32,g}_{a,c});];");
  const Program two =
      program_of(std::string(kCopyHead) + "B^{4096}_{tx=0}V^{1024}_{c=0}[C^{f32,g}_{tx,c}=exp(A^{f32,g}_{tx,c});];");
  EXPECT_LT(seconds(two, "plain-cpu") * 1.5, seconds(one, "plain-cpu"));
}

/// Programs with matrix nests that were measured on an H200 (bench/matrix): each is expected within a factor of two.
TEST(Estimate, MatrixNestsWithinAFactorOfTwo) {
  const std::string folder = std::string(STEPTP_SOURCE_DIR) + "/bench/matrix/";
  const auto rows = read_file(folder + "rows.jsonl");
  ASSERT_TRUE(rows.ok());
  std::istringstream lines(*rows);
  std::size_t compared = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto row = parse_json(line);
    ASSERT_TRUE(row.ok());
    const Json& timed = row->find("programs")->as_array()->front();
    const auto text = read_file(folder + *timed.find("file")->as_string());
    ASSERT_TRUE(text.ok());
    const double measured = timed.find("median_s")->number();
    const double expected = seconds(program_of(*text));
    EXPECT_LT(expected, 2 * measured) << *timed.find("file")->as_string();
    EXPECT_GT(expected, 0.5 * measured) << *timed.find("file")->as_string();
    EXPECT_LT(floor_seconds(program_of(*text), *find_rates("nvidia-h200")), measured);
    ++compared;
  }
  EXPECT_EQ(compared, 10U);
}

TEST(Estimate, MatrixNestsWantRates) {
  DeviceRates rates = *find_rates("nvidia-h200");
  rates.matrix_half_per_cycle = 0;
  const Program program = program_of(
      "@input A f16[16,16]\n@output D f16[16,16]\nB^{1}_{wx=0}T^{16}_{a=0}T^{16}_{c=0}[D^{f16,g}_{a,c}="
      "A^{f16,g}_{a,c};];");
  EXPECT_GT(seconds(program), 0);
  const auto made = estimate(program, rates);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().find("mma_f16_per_cycle"), std::string::npos) << made.error();
  EXPECT_FALSE(estimate(program, *find_rates("plain-cpu")).ok());
}

/// A guard that says the same for all lanes does not keep them from moving together: the CUDA text asks it once.
TEST(Estimate, SeesVectorsUnderGuards) {
  const auto flat = [](std::string_view guard) {
    return program_of(std::string(kCopyHead) + "B^{8192}_{bx=0}B^{128}_{tx=0}V^{4}_{a=0}" + std::string(guard) +
                      "[C^{f32,g}_{(bx*128+tx)//256,((bx*128+tx)%256)*4+a}="
                      "A^{f32,g}_{(bx*128+tx)//256,((bx*128+tx)%256)*4+a};];");
  };
  const auto summary = estimation::summary_of(flat("?{bx*128+tx<1048575}"));
  for (const auto& access : summary->kernels[0].statements[0].accesses) EXPECT_EQ(access.lanes, 4);
  EXPECT_NEAR(seconds(flat("?{bx*128+tx<1048575}")), seconds(flat("")), 0.05 * seconds(flat("")));
}

TEST(Estimate, TheFloorIsBelowEveryForm) {
  for (const char* device : {"nvidia-h200", "nvidia-a100", "plain-cpu"}) {
    const double floor = floor_seconds(copy(false), *find_rates(device));
    EXPECT_GT(floor, 0);
    EXPECT_LE(floor, seconds(copy(true), device)) << device;
    EXPECT_LE(floor, seconds(copy(false), device)) << device;
  }
}

}  // namespace
}  // namespace steptp
