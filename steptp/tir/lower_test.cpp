// The text of TVMScript, and what is refused.
#include <gtest/gtest.h>

#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/tir/lower.h"
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

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// f64 has libm's functions; narrower types have ours, and the text only those that it calls.

TEST(TirText, DialectsDifferInNamesOnly) {
  for (const Judged& one : written_kernels()) {
    for (const DeviceKind target : {DeviceKind::cuda, DeviceKind::cpu}) {
      const auto published = tir::lower(one.program, tir::Dialect::tvm_0_21, target);
      const auto current = tir::lower(one.program, tir::Dialect::tvm_0_27, target);
      ASSERT_EQ(published.ok(), current.ok());
      if (!published) continue;
      std::string text = *published;
      replace_all(text, "tir as T", "tirx as T");
      replace_all(text, "@T.prim_func", "@T.prim_func(s_tir=True)");
      replace_all(text, "tir.noalias", "tirx.noalias");
      replace_all(text, "T.block(", "T.sblock(");
      replace_all(text, "T.alloc_buffer(", "T.sblock_alloc_buffer(");
      EXPECT_EQ(text, *current);
    }
  }
}

std::string tir_of(const std::string& text) {
  const auto made = tir::lower(program_of(text), tir::Dialect::tvm_0_21, DeviceKind::cuda);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return made ? *made : "";
}

TEST(TirText, MatrixNestsAreLoopsOnACpu) {
  const Program program = program_of(
      "@input A f64[8,4]\n@input C f64[4,8]\n@output D f64[8,8]\n"
      "^f64;bx1{tx8 a4{G^s(tx,a)=A(tx,a);H^s(a,tx)=C(a,tx);}wx1 Ta8 Tc8 Td4 E^f(a,c)+=G(a,d)*H(d,c);"
      "wx1 Ta8 Tc8 D(a,c)=E(a,c);}");
  const auto cpu = tir::lower(program, tir::Dialect::tvm_0_21, DeviceKind::cpu);
  ASSERT_TRUE(cpu.ok()) << cpu.error().message;
  EXPECT_GE(count(*cpu, "range(8)") + count(*cpu, "T.grid("), 2U) << *cpu;
  const auto cuda = tir::lower(program, tir::Dialect::tvm_0_21, DeviceKind::cuda);
  ASSERT_FALSE(cuda.ok());
  EXPECT_EQ(cuda.error().id, "cannot-lower");
  EXPECT_EQ(cuda.error().message, "TVM's script has no matrix nests; --to cuda and --target cpu take T loops");
}

TEST(TirText, InitOnlyWhereTvmAgrees) {
  const std::string plain = tir_of(
      "@input A f32[4,3]\n@output D f32[4]\nB^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];");
  EXPECT_EQ(count(plain, "with T.init()"), 1U);
  EXPECT_EQ(count(plain, "D_init"), 0U);
  // The first iteration may be left out, so what T.init does would be too.
  const std::string guarded = tir_of(
      "@input A f32[4,3]\n@output D f32[4]\n"
      "B^{4}_{tx=0}L^{3}_{a=0}?{a>0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];");
  EXPECT_EQ(count(guarded, "with T.init()"), 0U);
  EXPECT_EQ(count(guarded, "D_init"), 1U);
  // Two equations write it: the second must not begin anew.
  const std::string twice = tir_of(
      "@input A f32[4,3]\n@output D f32[4]\nB^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};];"
      "B^{4}_{tx=0}L^{3}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a}*2;];");
  EXPECT_EQ(count(twice, "with T.init()"), 0U);
  // Two points of the spatial axes meet in one element.
  const std::string meeting = tir_of(
      "@input A f32[4,3]\n@output D "
      "f32[6]\nB^{1}_{tx=0}L^{4}_{a=0}L^{3}_{c=0}[D^{f32,g}_{a+c}=D^{f32,g}_{a+c}+A^{f32,g}_{a,c};];");
  EXPECT_EQ(count(meeting, "with T.init()"), 0U);
}

TEST(TirText, LiteralsBeyondTheirTypeAreInfinite) {
  const std::string halves = tir_of(
      "@input A f16[4]\n@output D f16[4]\n"
      "B^{4}_{tx=0}[D^{f16,g}_{tx}=A^{f16,g}_{tx}/65519+A^{f16,g}_{tx}/65520+A^{f16,g}_{tx}/129710.0;];");
  EXPECT_EQ(count(halves, "T.float16(65519)"), 1U) << halves;
  EXPECT_EQ(count(halves, "T.float16(\"inf\")"), 2U) << halves;
}

TEST(TirText, ErfOfHalvesForCpusIsOfFloats) {
  const std::string text = "@input A f16[4]\n@output D f16[4]\nB^{4}_{tx=0}[D^{f16,g}_{tx}=erf(A^{f16,g}_{tx});];";
  EXPECT_EQ(count(tir_of(text), "= T.erf(A[v_tx])"), 1U);
  const auto serial = tir::lower(program_of(text), tir::Dialect::tvm_0_21, DeviceKind::cpu);
  ASSERT_TRUE(serial.ok());
  EXPECT_EQ(count(*serial, "T.Cast(\"float16\", T.erf(T.Cast(\"float32\", A[v_tx])))"), 1U) << *serial;
}

void expect_tir_refuses(const std::string& text, const std::string& reason) {
  const auto made = tir::lower(program_of(text), tir::Dialect::tvm_0_27, DeviceKind::cuda);
  ASSERT_FALSE(made.ok()) << *made;
  EXPECT_NE(made.error().message.find(reason), std::string::npos) << made.error().message;
  EXPECT_FALSE(made.error().site.empty());
}

TEST(TirRefuses, WhatTvmGivesAnotherMeaning) {
  expect_tir_refuses("@input A f32[4]\n@output D f32[4]\nL^{4}_{a=0}[D^{f32,g}_{a}=A^{f32,g}_{a};];",
                     "without a bound loop");
  expect_tir_refuses(
      "@input A f32[4,8]\n@output D f32\nB^{4}_{bx=0}B^{8}_{tx=0}[D^{f32,g}=D^{f32,g}+A^{f32,g}_{bx,tx};];",
      "no reduction over blocks");
  expect_tir_refuses(
      "@input A f32[2,8]\n@output D f32[2,8]\n@output E "
      "f32[2,8]\nB^{2}_{bx=0}[B^{8}_{tx=0}[E^{f32,g}_{bx,tx}=A^{f32,g}_{bx,tx};];"
      "B^{8}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,g}_{bx,7-tx};];];",
      "no barrier");
  expect_tir_refuses(
      "@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[E^{f32,g}_{tx}=A^{f32,g}_{tx};D^{f32,g}_{tx}=E^{f32,g}_{tx};];",
      "one kernel alone");
  expect_tir_refuses(
      "@input A f32[3,8]\n@output D f32[3]\nB^{3}_{bx=0}[B^{8}_{tx=0}[E^{f32,s}=max(E^{f32,s},A^{f32,g}_{bx,tx});];"
      "D^{f32,g}_{bx}=E^{f32,s};];",
      "other identities");
  expect_tir_refuses(
      "@input A f32[12,20]\n@output D f32[20]\n"
      "B^{12}_{ty=0}B^{20}_{tx=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{ty,tx};];",
      "only in the innermost of the bound loops");
  expect_tir_refuses(
      "@input A f32[2,4]\n@output D f32[2,4]\nB^{2}_{bx=0}[L^{4}_{a=0}[E^{f32,s}=E^{f32,s}+A^{f32,g}_{bx,a};];"
      "B^{4}_{tx=0}[D^{f32,g}_{bx,tx}=E^{f32,s};];];",
      "inside the condition");
  expect_tir_refuses("@input A f32[4]\n@output D i32[4]\nB^{4}_{tx=0}[D^{i32,g}_{tx}=A^{f32,g}_{tx};];", "saturate");
  expect_tir_refuses("@input A f32[4]\n@output D f32[4]\nB^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}//2;];",
                     "of floats");
  expect_tir_refuses("@input A u8[4]\n@output D u8[4]\nB^{4}_{tx=0}[D^{u8,g}_{tx}=A^{u8,g}_{tx}-2;];", "u8");
  expect_tir_refuses("@input A i32[4]\n@output D i32[4]\nB^{4}_{tx=0}[D^{i32,g}_{tx}=A^{i32,g}_{tx}**9;];",
                     "integer power");
}

}  // namespace
}  // namespace steptp::testing
