// Certificates that the judge writes are confirmed by the replayer; those that somebody has touched are not.

#include <gtest/gtest.h>

#include <functional>

#include "replay/replay.h"
#include "source_dir.h"
#include "steptp/arithmetic/rounded_arithmetic.h"
#include "steptp/base/file.h"
#include "steptp/base/hash.h"
#include "steptp/base/text.h"
#include "steptp/verify/certificate.h"
#include "steptp/verify/replay_pair.h"
#include "testing/certificate_support.h"
#include "testing/equal_pairs.h"
#include "testing/judge_support.h"
#include "testing/mutator.h"
#include "testing/soak.h"

namespace steptp::testing {

namespace {

struct Case : CertificateCase {
  /// It takes exp of a difference that is zero at points: such residues depend on who knew that, and are not compared.
  bool has_residues_of_its_own = false;
};

constexpr const char* kVector = "@input A f32[6]\n@input C f32[6]\n@output D f32[6]\n";
constexpr const char* kMatrix = "@input A f32[4,12]\n@input C f32[12,5]\n@output D f32[4,5]\n";
constexpr const char* kRows = "@input A f32[4,12]\n@output D f32[4]\n";

constexpr const char* kMasked = "@input A f32[4,12]\n@constant M bool[4,12]\n@output D f32[4]\n";

constexpr Case kCases[] = {
    {"proved", kVector, "tx6 D(tx)=A(tx)*2+C(tx);", "a6 D(a)=C(a)+2*A(a);"},
    {"proved", kVector, "tx6 D(tx)=(A(tx)+C(tx))*(A(tx)-C(tx));", "tx6 D(tx)=A(tx)*A(tx)-C(tx)*C(tx);"},
    {"proved", kVector, "tx6 D(tx)=A(tx);", "a6 D(a)=A(a);"},
    {"proved", kMatrix, "tx4 a5 c12 D(tx,a)=D(tx,a)+A(tx,c)*C(c,a);",
     "tx4 a5 f3 c4 D(tx,a)=D(tx,a)+A(tx,f*4+c)*C(f*4+c,a);"},
    {"proved", kMatrix, "tx4 a5 c12 D(tx,a)=D(tx,a)+A(tx,c)*C(c,a);tx4 a5 D(tx,a)=max(D(tx,a),0);",
     "tx4 a5 c12 E(tx,a)=E(tx,a)+A(tx,c)*C(c,a);a5 tx4 D(tx,a)=max(E(tx,a),0);"},
    {"proved", kRows, "tx4 a12 E(tx)=max(E(tx),A(tx,a));tx4 a12 D(tx)=D(tx)+exp(A(tx,a)-E(tx));",
     "tx4 a12 F(tx)=max(F(tx),A(tx,a));tx4 a12 E(tx,a)=exp(A(tx,a)-F(tx));tx4 a12 D(tx)=D(tx)+E(tx,a);"},
    {"proved", kVector, "tx6 D(tx)=exp(A(tx))*exp(C(tx));", "tx6 D(tx)=exp(A(tx)+C(tx));"},
    {"proved", "@input A f32[6]\n@output D f32[10]\n", "tx10 D(tx)=where(2<=tx<8,A(tx-2),0);",
     "tx10 D(tx)=0;tx6 D(tx+2)=A(tx);"},
    // Guarded sums of masked rows: of exponentials, and of what does not vanish where the mask hides it, which is
    // no fold.
    {"proved", kMasked,
     "tx4 a12 Y(tx,a)=where(M^bool(tx,a),-inf,A(tx,a));"
     "tx4 a12 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),Y(tx,a));"
     "tx4 a12 N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,0,N(tx,a-1)*exp(X(tx,a-1)-X(tx,a)))+exp(Y(tx,a)-X(tx,a)));"
     "tx4 D(tx)=N(tx,11)*N(tx,11)+N(tx,11);",
     "tx4 a12 Y(tx,a)=where(M^bool(tx,a),-inf,A(tx,a));"
     "tx4 a12 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),Y(tx,a));"
     "tx4 a12 N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,0,N(tx,a-1)*exp(X(tx,a-1)-X(tx,a)))+exp(Y(tx,a)-X(tx,a)));"
     "tx4 D(tx)=N(tx,11)*(N(tx,11)+1);"},
    {"numeric", kMasked,
     "tx4 a12 Y(tx,a)=where(M^bool(tx,a),-inf,A(tx,a));"
     "tx4 a12 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),Y(tx,a));"
     "tx4 a12 N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,0,N(tx,a-1)*exp(X(tx,a-1)-X(tx,a)))+A(tx,a));"
     "tx4 D(tx)=N(tx,11)*N(tx,11)+N(tx,11);",
     "tx4 a12 Y(tx,a)=where(M^bool(tx,a),-inf,A(tx,a));"
     "tx4 a12 X(tx,a)=max(where(a-1<0,-inf,X(tx,a-1)),Y(tx,a));"
     "tx4 a12 N(tx,a)=where(X(tx,a)==-inf,0,where(a-1<0,0,N(tx,a-1)*exp(X(tx,a-1)-X(tx,a)))+A(tx,a));"
     "tx4 D(tx)=N(tx,11)*(N(tx,11)+1);",
     true},
    {"exact", kVector, "tx6 D(tx)=tanh(A(tx)+C(tx));", "tx6 D(tx)=1-2/(exp(2*A(tx)+2*C(tx))+1);"},
    {"proved", kVector, "tx6 D(tx)=log(exp(A(tx))*exp(C(tx))+1);", "tx6 D(tx)=A(tx)+C(tx)+log(1+exp(-A(tx)-C(tx)));"},
    {"exact", kVector, "tx6 D(tx)=where(A(tx)<C(tx),A(tx),C(tx));", "tx6 D(tx)=min(A(tx),C(tx));"},
    {"numeric", "@input A i32[6] [0,100)\n@output D i32[6]\n", "tx6 D^i32(tx)=where(A^i32(tx)<50,A(tx),50);",
     "tx6 D^i32(tx)=min(A^i32(tx),50);"},
    {"differs", kVector, "tx6 D(tx)=A(tx)*2+C(tx);", "tx6 D(tx)=A(tx)*2-C(tx);"},
    {"differs", kVector, "tx6 D(tx)=where(A(tx)<C(tx),1,0);", "tx6 D(tx)=where(A(tx)<=C(tx),1,0);"},
    {"differs", kMatrix, "tx4 a5 c12 D(tx,a)=D(tx,a)+A(tx,c)*C(c,a);", "tx4 a5 c11 D(tx,a)=D(tx,a)+A(tx,c)*C(c,a);"},
};

TEST(Certificate, EveryKindIsConfirmed) {
  for (const Case& item : kCases) {
    SCOPED_TRACE(item.after);
    std::string verdict;
    const std::string text = certificate_of(pair_of(item), &verdict);
    EXPECT_TRUE(verdict.starts_with(item.verdict)) << verdict;
    // Evidence has nothing to confirm.
    if (verdict.starts_with("numeric")) continue;
    for (const std::uint64_t seed : {1, 2, 3}) {
      const replayer::Report report = replayer::replay_certificate(text, {.seed = seed});
      EXPECT_EQ(report.outcome, Outcome::confirmed) << text_of(report) << "\n" << text;
      EXPECT_FALSE(report.reproved.empty() && report.retested.empty());
    }
  }
}

TEST(Certificate, DoesNotChangeTheAnswer) {
  for (const Case& item : kCases) {
    const Pair pair = pair_of(item);
    VerifyOptions options;
    const std::string without = to_json(pair.id, verify_pair(pair, options)).dump();
    options.keep_record = true;
    Judgement with = verify_pair(pair, options);
    const Judgement plain = verify_pair(pair);
    with.work = plain.work;  // writing things down is work
    EXPECT_EQ(to_json(pair.id, with).dump(), without);
  }
}

TEST(Certificate, AProofThatWasTouchedIsRefused) {
  const Case product = {"proved", kMatrix, "tx4 a5 c12 E(tx,a)=E(tx,a)+A(tx,c)*C(c,a);tx4 a5 D(tx,a)=max(E(tx,a),0);",
                        "tx4 a5 f3 c4 F(tx,a)=F(tx,a)+A(tx,f*4+c)*C(f*4+c,a);a5 tx4 D(tx,a)=max(F(tx,a),0);"};
  const std::string text = certificate_of(pair_of(product));
  ASSERT_EQ(replayer::replay_certificate(text).outcome, Outcome::confirmed) << text;
  expect_refused(changed(text, R"("verdict":"proved")", R"("verdict":"exact")"), "another verdict");
  expect_refused(changed(text, R"("verdict":"proved")", R"("verdict":"differs")"), "another verdict");
  expect_refused(changed(text, R"("same":false)", R"("same":true)"), "said to be the same program");
  expect_refused(changed(text, "A[i0,b1.0]", "A[i0,11-b1.0]"), "another subscript");
  expect_refused(changed(text, "A[i0,b1.0]", "A[i1,b1.0]"), "another index");
  expect_refused(changed(text, "A[i0,b1.0]", "D[i0,b1.0]"), "not an input");
  expect_refused(changed(text, "=0..11", "=0..10"), "a shorter range");
  expect_refused(changed(text, "sum{", "product{"), "another fold");
  expect_refused(changed(text, "max(", "min("), "another function");
  expect_refused(changed(text, R"("writers":1)", R"("writers":2)"), "another version");
  expect_refused(changed(text, R"("writers":1)", R"("writers":-1)"), "no version");
  expect_refused(changed(text, R"("writers":1)", R"("writers":9223372036854775807)"), "no version");
  expect_refused(changed(text, R"("tensor":"E")", R"("tensor":"D")"), "another tensor");
  expect_refused(changed(text, R"("tensor":"E")", R"("tensor":"A")"), "an input as a value");
  expect_refused(changed(text, R"("shape":[4,5])", R"("shape":[4,6])"), "another shape");
  expect_refused(changed(text, R"("shape":[4,5])", R"("shape":[4,5,1])"), "another rank");
  expect_refused(changed(text, R"("output":"D")", R"("output":"A")"), "an output that is none");
  expect_refused(changed(text, "max(E^{f32,g}", "min(E^{f32,g}"), "another program under the old hash");
  expect_refused(with_program(text, "before", "max(", "min("), "another before");
  expect_refused(with_program(text, "after", "max(", "min("), "another after");
  expect_refused(with_program(text, "after", "_{f*4+c,a}", "_{11-f*4-c,a}"), "a subscript of after");
  expect_refused(with_program(text, "after", "L^{4}_{c", "L^{3}_{c"), "a loop of after");
  expect_refused(changed(text, "float32", "int32"), "another signature");
  expect_refused(changed(text, R"("format":"steptp-certificate-2")", R"("format":"steptp-certificate-1")"), "a format");
}

TEST(Certificate, LiteralsRegionsAndOutputsMatter) {
  const Case padded = {"proved", "@input A f32[6]\n@output D f32[10]\n@output E f32[6]\n",
                       "tx10 D(tx)=where(2<=tx<8,A(tx-2),0.25);tx6 E(tx)=exp(A(tx)*0.5);",
                       "tx10 D(tx)=0.25;tx6 D(tx+2)=A(tx);tx6 E(tx)=exp(0.5*A(tx));"};
  std::string verdict;
  const std::string text = certificate_of(pair_of(padded), &verdict);
  ASSERT_TRUE(verdict.starts_with("proved")) << verdict;
  ASSERT_EQ(replayer::replay_certificate(text).outcome, Outcome::confirmed)
      << text_of(replayer::replay_certificate(text)) << text;
  expect_refused(changed(text, "1/4", "1/5"), "another literal");
  expect_refused(changed(text, "1/2", "500001/1000000"), "a literal that is a little off");
  const auto json = parse_json(text);
  // The regions of D: one of them left out, a condition changed, all claimed twice.
  const Json* proof = json->find("proof");
  std::string dropped = text;
  bool found = false;
  for (const char* list : {"values", "outputs"}) {
    for (const Json& claim : *proof->find(list)->as_array()) {
      const Json::Array& regions = *claim.find("regions")->as_array();
      if (regions.size() < 2) continue;
      found = true;
      for (const Json& region : regions) {
        for (const std::string& piece : {concat(region.dump(), ","), concat(",", region.dump())}) {
          if (text.find(piece) != std::string::npos) expect_refused(changed(text, piece, ""), "a region left out");
        }
        expect_refused(changed(text, region.dump(), concat(region.dump(), ",", region.dump())), "a region twice");
        const std::string where = *region.find("where")->as_string();
        expect_refused(changed(text, where, "always"), "a region that is everything");
        expect_refused(changed(text, where, "never"), "a region that is nothing");
      }
    }
    for (const Json& claim : *proof->find(list)->as_array()) {
      for (const std::string& piece : {concat(claim.dump(), ","), concat(",", claim.dump())}) {
        if (text.find(piece) != std::string::npos) expect_refused(changed(text, piece, ""), "a claim left out");
      }
    }
  }
  EXPECT_TRUE(found) << text;
}

TEST(Certificate, AnEvaluationThatWasTouchedIsRefused) {
  for (const Case& item : kCases) {
    if (std::string_view(item.verdict) != "exact") continue;
    const std::string text = certificate_of(pair_of(item));
    if (text.find("\"evaluation\":") == std::string::npos) continue;  // shown cell by cell: certificate_cover_test.cpp
    ASSERT_EQ(replayer::replay_certificate(text).outcome, Outcome::confirmed) << text;
    expect_refused(changed(text, R"("verdict":"exact")", R"("verdict":"proved")"), "another verdict");
    expect_refused(changed(text, R"("verdict":"exact")", R"("verdict":"differs")"), "another verdict");
    const auto json = parse_json(text);
    const Json point = (*json->find("evaluation")->find("points")->as_array())[0];
    for (const char* key : {"before", "after"}) {
      const std::string value = *point.find(key)->as_string();
      const std::string written = concat("\"", key, "\":\"", value, "\"");
      std::string other = value;
      other[other.size() / 2] = other[other.size() / 2] == '7' ? '3' : '7';
      expect_refused(changed(text, written, concat("\"", key, "\":\"", other, "\"")), "one value changed");
      if (item.has_residues_of_its_own) continue;
      const std::string both = concat("\"before\":\"", value, "\",\"after\":\"", value, "\"");
      expect_refused(changed(text, both, concat("\"before\":\"", other, "\",\"after\":\"", other, "\"")),
                     "both changed");
    }
    if (!item.has_residues_of_its_own) {
      expect_refused(changed(text, concat("\"seed\":", point.find("seed")->dump()), "\"seed\":12345"), "another seed");
    }
    expect_refused(changed(text, R"("output":"D")", R"("output":"A")"), "not an output");
    expect_refused(changed(text, "\"index\":[0]", "\"index\":[6]"), "not an element");
    if (point.find("prime")) {
      const std::string prime = concat("\"prime\":", point.find("prime")->dump());
      expect_refused(changed(text, prime, "\"prime\":2"), "a small prime");
      expect_refused(changed(text, prime, "\"prime\":2305843009213693953"), "not a prime");
    }
    const std::string points = json->find("evaluation")->find("points")->dump();
    expect_refused(changed(text, points, "[]"), "no points");
    expect_refused(with_program(text, "after", "A^", "2*A^"), "another after");
  }
}

TEST(Certificate, ACounterexampleThatWasTouchedIsRefused) {
  for (const Case& item : kCases) {
    if (std::string_view(item.verdict) != "differs") continue;
    const std::string text = certificate_of(pair_of(item));
    ASSERT_EQ(replayer::replay_certificate(text).outcome, Outcome::confirmed) << text;
    const auto json = parse_json(text);
    const Json& found = *json->find("counterexample");
    for (const char* key : {"before", "after"}) {
      const std::string part = found.dump();
      const std::string value = *found.find(key)->as_string();
      const std::string touched =
          changed(part, concat("\"", key, "\":\"", value, "\""), concat("\"", key, "\":\"", value, "1\""));
      expect_refused(changed(text, part, touched), "another value");
    }
    expect_refused(changed(text, R"("verdict":"differs")", R"("verdict":"proved")"), "another verdict");
    // With the same program on both sides there is nothing to find.
    const std::string before = *json->find("before")->as_string();
    const std::string after = *json->find("after")->as_string();
    std::string same = changed(text, concat("\"after\":", quote_json(after)), concat("\"after\":", quote_json(before)));
    same = changed(same, hexadecimal(hash_text(after)), hexadecimal(hash_text(before)));
    expect_refused(same, "the same program twice");
  }
}

TEST(Certificate, WhateverIsInTheFileNothingBreaks) {
  const std::string text = certificate_of(pair_of(kCases[4]));
  for (std::size_t size = 0; size < text.size(); size += 1 + text.size() / 97) {
    expect_refused(text.substr(0, size), "truncated");
  }
  expect_refused("", "nothing");
  expect_refused("[1,2,3]", "a list");
  expect_refused(std::string(100'000, '['), "brackets");
  expect_refused(changed(text, "sum{", std::string(5000, '(') + "sum{"), "nested too deeply");
  expect_refused(changed(text, "=0..11", "=0..9223372036854775807"), "a range that never ends");
  expect_refused(changed(text, R"("shape":[4,5])", R"("shape":[4611686018427387904,5])"), "a hostile shape");
  expect_refused(changed(text, "b1.0]", "b1.0^999999999999]"), "a hostile exponent");
  // Single bytes: whatever comes out, it is an answer.
  for (std::size_t i = 0; i < text.size(); i += 1 + text.size() / 211) {
    std::string touched = text;
    touched[i] = touched[i] == '1' ? '7' : '1';
    static_cast<void>(replayer::replay_certificate(touched, {.budget = 2'000'000}));
  }
}

Pair pair_of(const Program& before, const Program& after) {
  return make_pair(read_document("before", print_document(before, Profile::paper)),
                   read_document("after", print_document(after, Profile::paper)));
}

/// Every input that is given is a value of its type, and the kept counterexample comes out again.
void check_counterexample(const Pair& pair, const certify::Counterexample& found, Tally& tally) {
  tally.add(!found.given ? "drawn" : !found.is_representable ? "between values" : "in the types");
  const ReplayAnswer answer = replay_pair(read_replay_record("kept", replay_record(pair, found).dump()));
  EXPECT_TRUE(answer.reproduced) << answer.reason << "\n" << replay_record(pair, found).dump();
  if (!found.given || !found.is_representable) return;
  tally.add(found.given->elements.empty()       ? "by fills alone"
            : found.given->elements.size() <= 4 ? "few elements"
                                                : "more");
  const auto check = [&](const std::string& name, const certify::GivenValue& value) {
    const Variable& variable = *pair.before.program.signature.find(name);
    if (!is_float(variable.dtype)) return;
    const double number = certify::to_double(value.real);
    EXPECT_EQ(certify::round_to(variable.dtype, number), number) << name;
  };
  for (const auto& [name, value] : found.given->fill) check(name, value);
  for (const auto& [element, value] : found.given->elements) check(element.first, value);
}

TEST(Counterexample, IsOfTheDeclaredTypesAndComesOutAgain) {
  Tally tally;
  const Random random(83);
  for (std::uint64_t i = 0; i < soaked(250) && !::testing::Test::HasFailure(); ++i) {
    Random draw = random.fork(i);
    const Program before = written_program(draw);
    const auto mutant = mutate(before, draw);
    if (!mutant || !(mutant->program.signature == before.signature)) continue;
    const Pair pair = pair_of(before, mutant->program);
    const Judgement judgement = verify_pair(pair);
    if (judgement.counterexample) check_counterexample(pair, *judgement.counterexample, tally);
  }
  std::printf("%s\n", tally.text().c_str());
  EXPECT_GT(tally.of("in the types"), 9 * (tally.of("between values") + tally.of("drawn")));
}

TEST(Certificate, OnceRefused) {
  // Odd elements have no minimum: the sum begins at zero, not at infinity. The prover did not know.
  const Case parts = {"", "@input A f32[8]\n@output D f32[5]\n",
                      "a3 c3 D(a*2)=min(D(a*2),A(c));a2 c3 D(a*2+1)=D(a*2+1)+A(c);a5 D(a)=D(a)+cos(A(a));",
                      "c3 a3 D(a*2)=min(D(a*2),A(2-c));a2 c3 D(a*2+1)=D(a*2+1)+A(c);a5 D(4-a)=cos(A(4-a))+D(4-a);"};
  std::string verdict;
  const std::string text = certificate_of(pair_of(parts), &verdict);
  EXPECT_TRUE(verdict.starts_with("proved") || verdict.starts_with("exact")) << verdict;
  const replayer::Report report = replayer::replay_certificate(text);
  EXPECT_EQ(report.outcome, Outcome::confirmed) << verdict << ": " << text_of(report) << text;
}

}  // namespace

}  // namespace steptp::testing
