// What exact verdicts and differences rest on is in the certificate: the cover, where there is no value, the types that
// lose digits. The replayer confirms it, and refuses it once somebody has touched it.

#include "testing/certificate_support.h"

namespace steptp::testing {

namespace {

constexpr const char* kVector = "@input A f32[6]\n@input C f32[6]\n@output D f32[6]\n";
constexpr const char* kLarge = "@input A f32[7200]\n@input C f32[7200]\n@output D f32[7200]\n";

const CertificateCase kCells = {"exact", kLarge, "a7200 D(a)=where(a<3000,A(a),where(a<3005,A(a)+C(a),C(a)))*A(a);",
                                "a7200 D(a)=where(a<3005,A(a),0)*A(a)+where(a>=3000,C(a)*A(a),0);"};

Json proof_of(const std::string& text) { return *parse_json(text)->find("proof"); }

TEST(Cover, CellsAreInTheCertificateAndMatter) {
  const std::string text = confirmed_certificate(kCells);
  EXPECT_NE(text.find(R"("cover":{"by":"cells")"), std::string::npos) << text;
  const Json proof = proof_of(text);
  const Json::Array& regions = *(*proof.find("outputs")->as_array())[0].find("regions")->as_array();
  ASSERT_GE(regions.size(), 2u) << text;
  for (const Json& region : regions) {
    const std::string all = region.dump();
    for (const std::string& piece : {concat(all, ","), concat(",", all)}) {
      if (text.find(piece) != std::string::npos) expect_refused(changed(text, piece, ""), "a cell left out");
    }
    expect_refused(changed(text, all, concat(all, ",", all)), "a cell twice");
    const std::string where = *region.find("where")->as_string();
    expect_refused(changed(text, where, "always"), "a cell that is everything");
    expect_refused(changed(text, where, "never"), "a cell that is nothing");
    const std::string form = *region.find("form")->as_string();
    expect_refused(changed(text, concat("\"form\":\"", form, "\""), concat("\"form\":\"", form, "+1/1000000\"")),
                   "another form of before");
    if (const Json* after = region.find("after")) {
      const std::string own = *after->as_string();
      expect_refused(changed(text, concat("\"after\":\"", own, "\""), concat("\"after\":\"2*(", own, ")\"")),
                     "another form of after");
      expect_refused(changed(text, concat("\"after\":\"", own, "\""), concat("\"after\":\"", form, "*A[0]\"")),
                     "forms that are not equal");
    }
  }
  // A tree of other conditions is a cover too, but not one on which these forms hold.
  std::string shifted = text;
  std::size_t count = 0;
  for (std::size_t at = shifted.find("-i0+2999"); at != std::string::npos; at = shifted.find("-i0+2999")) {
    shifted.replace(at, 8, "-i0+3000");
    ++count;
  }
  EXPECT_GE(count, 2u) << text;
  expect_refused(shifted, "a bound that is shifted everywhere");
  expect_refused(changed(text, "-i0+2999", "-i0+3000"), "a bound that is shifted once");
  expect_refused(changed(text, "-i0+2999", "-i0+3000", 1), "the other bound that is shifted once");
}

TEST(Cover, ItsCountBoundAndKindMatter) {
  const std::string text = confirmed_certificate(kCells);
  const std::string cover = parse_json(text)->find("cover")->dump();
  expect_refused(changed(text, concat(",\"cover\":", cover), ""), "no cover");
  expect_refused(changed(text, R"("by":"cells")", R"("by":"elements")"), "elements that were not shown");
  expect_refused(changed(text, R"("by":"cells")", R"("by":"faith")"), "another kind");
  const auto count = static_cast<std::uint64_t>(*parse_json(text)->find("cover")->find("count")->as_integer());
  expect_refused(changed(text, concat("\"count\":", count), concat("\"count\":", count + 1)), "another count");
  const std::string bound = concat("\"bound_log2\":", parse_json(text)->find("cover")->find("bound_log2")->dump());
  expect_refused(changed(text, bound, "\"bound_log2\":-12"), "a chance that is too great");
  expect_refused(changed(text, bound, "\"bound_log2\":-500"), "a chance that no residues show");
  expect_refused(changed(text, bound, "\"bound_log2\":null"), "no chance at all");
  const std::string proof = proof_of(text).dump();
  expect_refused(changed(text, concat(",\"proof\":", proof), ""), "no proof");
}

TEST(Cover, WrongProgramsAreRefusedWhateverTheCertificateSays) {
  // The certificate of an equal pair with one element of `after` changed, its forms untouched.
  const std::string text = confirmed_certificate(kCells);
  expect_refused(with_program(text, "after", "<3005", "<3004"), "one element");
  expect_refused(with_program(text, "after", ">=3000", ">3000"), "another element");
  const CertificateCase row = {"proved", "@input A f32[64,64]\n@output D f32[64,64]\n", "tx64 a64 D(tx,a)=A(tx,a)*2;",
                               "tx64 a64 D(tx,a)=2*A(tx,a);"};
  const std::string rows = confirmed_certificate(row);
  expect_refused(with_program(rows, "after", "2*A", "if_then_else(tx==37,3,2)*A"), "one row");
  expect_refused(with_program(rows, "after", "L^{64}_{a", "L^{63}_{a"), "a column that nothing writes");
}

TEST(Cover, EveryElementIsGoneThrough) {
  const CertificateCase item = {"exact", kVector, "tx6 D(tx)=where(A(tx)<C(tx),A(tx),C(tx));",
                                "tx6 D(tx)=min(A(tx),C(tx));"};
  std::string text = confirmed_certificate(item);
  if (text.find(R"("by":"elements")") == std::string::npos) GTEST_SKIP() << "it is shown cell by cell by now";
  expect_refused(changed(text, R"("count":6)", R"("count":5)"), "an element less");
  expect_refused(changed(text, R"("by":"elements")", R"("by":"cells")"), "cells that are not listed");
  expect_refused(with_program(text, "after", "min(", "max("), "another after");
  expect_refused(with_program(text, "after", "min(A^{f32,g}_{tx}", "min(if_then_else(tx==4,2,1)*A^{f32,g}_{tx}"),
                 "one element");
}

TEST(Obligations, WhereThereIsNoValueIsInTheCertificate) {
  const CertificateCase item = {"proved", kVector, "tx6 D(tx)=A(tx)/C(tx);", "tx6 D(tx)=A(tx)*(1/C(tx));"};
  const std::string text = confirmed_certificate(item);
  const Json proof = proof_of(text);
  const Json& region = (*(*proof.find("outputs")->as_array())[0].find("regions")->as_array())[0];
  ASSERT_TRUE(region.find("no_value")) << text;
  const std::string both = region.find("no_value")->dump();
  const std::string before = *region.find("no_value")->find("before")->as_string();
  const std::string after = *region.find("no_value")->find("after")->as_string();
  expect_refused(changed(text, concat(",\"no_value\":", both), ""), "no obligations");
  const auto with = [&](const std::string& one, const std::string& other) {
    Json no_value;
    no_value.set("before", one).set("after", other);
    return changed(text, both, no_value.dump());
  };
  expect_refused(with(before, "0"), "after always has a value");
  expect_refused(with("1", after), "before never has a value");
  expect_refused(with("0", after), "before always has a value");
  expect_refused(with(before, "select(eq(0,A[i0]),1,0)"), "another divisor");
  // A divisor that only after has, hidden by the forms.
  expect_refused(with_program(text, "after", "(1/C^{f32,g}_{tx})", "(1/C^{f32,g}_{tx})*A^{f32,g}_{tx}/A^{f32,g}_{tx}"),
                 "a removable pole");
}

TEST(Obligations, TensorsThatMayHaveNoValue) {
  const CertificateCase item = {"proved", kVector, "tx6 E(tx)=1/A(tx);tx6 D(tx)=E(tx)+C(tx);tx6 D(tx)=D(tx)*2;",
                                "tx6 F(tx)=1/A(tx);tx6 D(tx)=2*(F(tx)+C(tx));"};
  const std::string text = confirmed_certificate(item);
  const Json proof = proof_of(text);
  bool is_touched = false;
  for (const Json& value : *proof.find("values")->as_array()) {
    if (value.find("before")->dump() != "[]") continue;
    is_touched = true;
    for (const Json& region : *value.find("regions")->as_array()) {
      const std::string form = *region.find("form")->as_string();
      expect_refused(changed(text, concat("\"form\":\"", form, "\""), "\"form\":\"0\""), "it has a value everywhere");
      expect_refused(changed(text, concat("\"form\":\"", form, "\""), "\"form\":\"1\""), "it has a value nowhere");
    }
  }
  if (!is_touched) GTEST_SKIP() << "no tensor is named for its hazards: " << text;
}

TEST(Differences, BelowLongDoubles) {
  const std::string text =
      confirmed_certificate({"differs", kVector, "tx6 D(tx)=C(tx);", "tx6 D(tx)=C(tx)*tanh(40+abs(A(tx)));"});
  expect_refused(with_program(text, "after", "tanh(40+abs(A^{f32,g}_{tx}))", "1"), "no difference");
}

TEST(Differences, InputsOutsideOfTheDomainShowNothing) {
  const CertificateCase item = {"differs", "@input A f32[6] positive\n@output D f32[6]\n", "tx6 D(tx)=A(tx);",
                                "tx6 D(tx)=A(tx)*2;"};
  const std::string text = confirmed_certificate(item);
  const std::string given = parse_json(text)->find("counterexample")->find("given")->dump();
  std::string touched = changed(text, given, R"({"fill":{"A":"-1"},"elements":[]})");
  for (const char* key : {"before", "after"}) {
    const Json example = *parse_json(touched)->find("counterexample");
    touched = changed(touched, concat("\"", key, "\":", example.find(key)->dump()),
                      concat("\"", key, "\":\"", std::string_view(key) == "before" ? "-1" : "-2", "\""));
  }
  expect_refused(touched, "a negative input");
}

TEST(Differences, LossOfPrecisionIsReadOffTheTypes) {
  const CertificateCase item = {"differs", "@input A f32[6]\n@output D f32[6]\n", "tx6 D(tx)=A(tx)*2;",
                                "tx6 E^f16(tx)=A(tx);tx6 D(tx)=E^f16(tx)*2;"};
  const std::string text = confirmed_certificate(item);
  expect_refused(changed(text, R"("source":"A")", R"("source":"D")"), "another source");
  expect_refused(changed(text, R"("output":"D","found")", R"("output":"A","found")"), "not an output");
  expect_refused(changed(text, R"("found":[11,15])", R"("found":[24,127])"), "a type that is wide enough");
  expect_refused(changed(text, R"("expected":[24,127])", R"("expected":[11,15])"), "no more was expected");
  expect_refused(with_program(text, "after", "E^{f16,g}", "E^{f32,g}"), "wide enough");
  expect_refused(changed(text, R"("decides":false)", R"("decides":true)"), "another role");
  expect_refused(changed(text, R"("found":[11,15])", R"("found":[8,127])"), "a type that after does not have");
  expect_refused(changed(text, R"("expected":[24,127])", R"("expected":[53,1023])"), "more than before holds");
  const std::string loss = parse_json(text)->find("precision")->dump();
  expect_refused(changed(text, concat(",\"precision\":", loss), ""), "no loss");
}

/// Losses that only the ways of values show, because both programs have the narrow types.
TEST(Differences, LossOfPrecisionIsFollowedAlongItsWay) {
  constexpr const char* kPlain = "@input A f32[6]\n@input C f32[6]\n@output D f32[6]\n";
  const auto certificate_of = [&](const char* before, const char* after) {
    return confirmed_certificate({"differs", kPlain, before, after});
  };
  // In the second program the narrow copy is on every way.
  const std::string every = certificate_of("tx6 E^f16(tx)=A(tx);tx6 D(tx)=A(tx)+E^f16(tx);",
                                           "tx6 E^f16(tx)=A(tx);tx6 D(tx)=E^f16(tx)+E^f16(tx);");
  expect_refused(with_program(every, "before", "=A^{f32,g}_{tx}+E", "=E^{f16,g}_{tx}+E"),
                 "before has it on every way too");
  expect_refused(with_program(every, "after", "=E^{f16,g}_{tx}+E", "=A^{f32,g}_{tx}+E"), "after has a way around it");
  // What a bool is made of decides, and the bool itself loses nothing.
  const std::string decided =
      certificate_of("tx6 F^bool(tx)=A(tx);tx6 D(tx)=where(F^bool(tx),C(tx),2);",
                     "tx6 E^f16(tx)=A(tx);tx6 F^bool(tx)=E^f16(tx);tx6 D(tx)=where(F^bool(tx),C(tx),2);");
  expect_refused(changed(decided, R"("decides":true)", R"("decides":false)"), "another role");
  expect_refused(changed(decided, R"("source":"A")", R"("source":"C")"), "another source");
  // A literal has the type of the operation that first uses it.
  const std::string literal = certificate_of("tx6 D(tx)=A(tx)*0.1;", "tx6 E^f16(tx)=0.1;tx6 D(tx)=A(tx)*E^f16(tx);");
  expect_refused(changed(literal, R"("source":"literal 0.1 in f32")", R"("source":"literal 0.1 in f16")"),
                 "another use");
  expect_refused(changed(literal, R"("source":"literal 0.1 in f32")", R"("source":"literal 0.2 in f32")"),
                 "another literal");
}

/// A sum of millions of terms: the replayer adds it up in blocks, and sees a wrong body, range or factor all the same.
TEST(Differences, SumsOfMillionsAreLookedAt) {
  const std::string text =
      confirmed_certificate({"proved", "@input A f32[2000,3000]\n@output D f32[1]\n",
                             "c1 tx2000 a3000 D(c)+=A(tx,a)**2;", "c1 tx2000 a3000 D(c)+=A(tx,a)*A(tx,a);"});
  expect_refused(with_program(text, "after", "L^{3000}_{a=0}", "L^{2999}_{a=0}"), "a range that is too short");
  expect_refused(with_program(text, "before", "**2", "**3"), "another body");
}

}  // namespace

}  // namespace steptp::testing
