#include "steptp/text/printed_program.h"

#include <gtest/gtest.h>

#include "steptp/text/printer.h"
#include "steptp/text/reader.h"

namespace steptp {
namespace {

Program program_of(std::string_view text) {
  ReadText read = read_text(std::string(text));
  EXPECT_TRUE(read.ok) << text;
  Program out;
  out.nests = std::move(read.nests);
  return out;
}

std::string quote(const PrintedProgram& printed, std::string_view address,
                  std::optional<std::uint32_t> to = std::nullopt) {
  const auto text = printed.quote({*parse_site(address), to});
  return text ? std::string(*text) : "nothing";
}

constexpr std::string_view kText =
    "B^{8}_{tx=0}L^{6}_{a=0}?{tx+a<9}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+(A^{f32,g}_{tx,a}-1)*C^{f32,s}_{a};"
    "V^{2}_{c=0}[E^{f32,g}_{c}=max(E^{f32,g}_{c},exp(A^{f32,g}_{tx,c*2+1}));];];";

TEST(PrintedProgram, PartsOfPaperText) {
  const Program program = program_of(kText);
  const PrintedProgram printed(program, Profile::paper);
  EXPECT_EQ(printed.text(), print(program));
  EXPECT_EQ(quote(printed, "0"), kText);
  EXPECT_EQ(quote(printed, "0:loop[1]"), "L^{6}_{a=0}");
  EXPECT_EQ(quote(printed, "0:loop[0]", 1), "B^{8}_{tx=0}L^{6}_{a=0}");
  EXPECT_EQ(quote(printed, "0:guard"), "tx+a<9");
  EXPECT_EQ(quote(printed, "0/0"), "D^{f32,g}_{tx}=D^{f32,g}_{tx}+(A^{f32,g}_{tx,a}-1)*C^{f32,s}_{a}");
  EXPECT_EQ(quote(printed, "0/0:left"), "D^{f32,g}_{tx}");
  EXPECT_EQ(quote(printed, "0/0:left[0]"), "tx");
  EXPECT_EQ(quote(printed, "0/0:right.1.0"), "A^{f32,g}_{tx,a}-1");
  EXPECT_EQ(quote(printed, "0/0:right.1.0", 1), "(A^{f32,g}_{tx,a}-1)*C^{f32,s}_{a}");
  EXPECT_EQ(quote(printed, "0/1/0:right.1.0[1]"), "c*2+1");
}

TEST(PrintedProgram, WhatCompactTextLeavesOutIsQuotedWithWhatIsAroundIt) {
  const Program program = program_of(kText);
  const PrintedProgram printed(program, Profile::compact);
  EXPECT_EQ(printed.text(), print(program, Profile::compact));
  EXPECT_EQ(quote(printed, "0:loop[0]", 1), "tx8 a6");
  EXPECT_EQ(quote(printed, "0/0"), "D(tx)+=(A(tx,a)-1)*C^s(a)");
  EXPECT_EQ(quote(printed, "0/0:right"), "D(tx)+=(A(tx,a)-1)*C^s(a)");
  EXPECT_EQ(quote(printed, "0/0:right.0"), "D(tx)+=(A(tx,a)-1)*C^s(a)");
  EXPECT_EQ(quote(printed, "0/0:right.1"), "(A(tx,a)-1)*C^s(a)");
  EXPECT_EQ(quote(printed, "0/1/0:right.0"), "E(c) max=exp(A(tx,c*2+1))");
  EXPECT_EQ(quote(printed, "0/1/0:right.1.0"), "A(tx,c*2+1)");
}

TEST(PrintedProgram, NothingWhereThereIsNoPart) {
  const PrintedProgram printed(program_of(kText), Profile::paper);
  for (const char* address :
       {"1", "0:loop[2]", "0/2", "0/0/0", "0/0:right.2", "0/0:left[1]", "0/0:guard", "0/1:guard"}) {
    EXPECT_EQ(quote(printed, address), "nothing") << address;
  }
}

TEST(PrintedProgram, OtherDefaultTypes) {
  const Program program = program_of("B^{4}_{tx=0}[D^{f16,g}_{tx}=A^{f16,g}_{tx}+C^{f32,g}_{tx};];");
  const PrintedProgram printed(program, Profile::compact);
  EXPECT_EQ(printed.text(), print(program, Profile::compact));
  EXPECT_EQ(quote(printed, "0/0:left"), "D(tx)");
  EXPECT_EQ(quote(printed, "0/0:right.1"), "C^f32(tx)");
}

}  // namespace
}  // namespace steptp
