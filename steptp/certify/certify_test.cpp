// Published pairs of equal programs, and pairs that the judge must never call equal.
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <string>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/json.h"
#include "steptp/certify/certify.h"
#include "steptp/text/document.h"
#include "steptp/text/signature_text.h"

namespace steptp::testing {
namespace {

using certify::CertifiedAnswer;
using Verdict = CertifiedAnswer::Verdict;

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal: return "equal";
    case Verdict::differs: return "differs";
    case Verdict::undecided: return "undecided";
  }
  return "undecided";
}

Program program_of(const std::string& header, const std::string& body) {
  Document document = read_document("test", header + body);
  EXPECT_TRUE(document.ok) << render(document.diagnostics, *document.source);
  return document.program;
}

CertifiedAnswer judge(const std::string& header, const std::string& before, const std::string& after) {
  return certify::certify(program_of(header, before), program_of(header, after));
}

/// Everything about an answer that a person wants to see in a failing test.
std::string text_of(const CertifiedAnswer& answer) {
  std::string text = std::string(name_of(answer.verdict)) + ": " + answer.reason;
  if (answer.counterexample) {
    text += " at " + answer.counterexample->output + ", " + answer.counterexample->draw +
            " draw: " + answer.counterexample->before + " and " + answer.counterexample->after;
  }
  return text + ", points " + std::to_string(answer.points) + ", work " + std::to_string(answer.work);
}

void expect(Verdict verdict, const std::string& header, const std::string& before, const std::string& after) {
  const CertifiedAnswer answer = judge(header, before, after);
  EXPECT_EQ(name_of(answer.verdict), name_of(verdict)) << before << "\n" << after << "\n" << text_of(answer);
}

void never_equal(const std::string& header, const std::string& before, const std::string& after) {
  const CertifiedAnswer answer = judge(header, before, after);
  EXPECT_NE(name_of(answer.verdict), "equal") << before << "\n" << after << "\n" << text_of(answer);
  if (answer.verdict != Verdict::differs) std::cout << after.substr(0, 100) << " " << text_of(answer) << "\n";
}

void published(const std::string& file) {
  const auto text = read_file(std::string(STEPTP_SOURCE_DIR) + "/../shared/data/" + file);
  if (!text) GTEST_SKIP() << "no " << file;
  std::map<std::string_view, int> counts;
  double slowest = 0;
  double total = 0;
  std::size_t at = 0;
  while (at < text->size()) {
    const std::size_t end = std::min(text->find('\n', at), text->size());
    const std::string line = text->substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    const auto record = parse_json(line);
    ASSERT_TRUE(record.ok());
    const auto make = [&](const char* key) {
      Json copy;
      copy.set("signature", *record->find("signature"));
      copy.set("leir", *record->find(key));
      return read_document(key, copy.dump()).program;
    };
    const Program before = make("before");
    const Program after = make("after");
    const auto start = std::chrono::steady_clock::now();
    const CertifiedAnswer answer = certify::certify(before, after);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    slowest = std::max(slowest, ms);
    total += ms;
    counts[name_of(answer.verdict)] += 1;
    EXPECT_NE(answer.verdict, Verdict::differs) << line << "\n" << text_of(answer);
    if (answer.verdict != Verdict::equal) std::cout << line.substr(0, 60) << " " << text_of(answer) << "\n";
  }
  for (const auto& [name, count] : counts) std::cout << file << ": " << count << " " << name << "\n";
  std::cout << "  " << total << " ms in all, slowest " << slowest << " ms\n";
}

const std::string kMatrix = "@input A f32[64,640]\n@output C f32[64,640]\n";

std::string pointwise(const std::string& right) {
  return "B^{64}_{tx=0}L^{640}_{a=0}[C^{f32,g}_{tx,a}=" + right + ";];";
}
const std::string kA = "A^{f32,g}_{tx,a}";

TEST(CertifyMustFail, PointwiseSecrets) {
  const std::string identity = pointwise(kA);
  for (const std::string& right : {
           std::string("0"),
           std::string("1"),
           std::string("A^{f32,g}_{tx,639-a}"),
           std::string("if_then_else(a<1,A^{f32,g}_{tx,a},A^{f32,g}_{tx,a-1})"),
           "if_then_else((tx*37+a*101)%9973==5,0," + kA + ")",
           "if_then_else(tx==63&a==639,0," + kA + ")",
           "if_then_else(tx==41&a==317,0," + kA + ")",
           "if_then_else(" + kA + ">1000,0," + kA + ")",
           "if_then_else(" + kA + "==0.25,0," + kA + ")",
           "if_then_else(" + kA + "<-123456,0," + kA + ")",
           kA + "+exp(-200-" + kA + "*" + kA + ")",
           kA + "*1.0000000000000002",
           kA + "+1e-30",
           "max(" + kA + ",-1)",
           "min(max(" + kA + ",-1000),1000)",
           "-" + kA,
           "abs(" + kA + ")",
       }) {
    never_equal(kMatrix, identity, pointwise(right));
  }
}

TEST(CertifyMustFail, ConstantsEqualModuloAPrime) {
  never_equal(kMatrix, pointwise(kA + "*0.5"), pointwise(kA + "*1152921504606846976"));
  never_equal(kMatrix, pointwise("max(" + kA + ",0)"), pointwise("if_then_else(" + kA + "<0,0,2*" + kA + ")"));
  never_equal(kMatrix, pointwise("max(" + kA + ",0)"), pointwise("max(" + kA + ",0.0000001)"));
  never_equal(kMatrix, pointwise("min(max(" + kA + ",-2),2)"), pointwise("min(max(" + kA + ",-2.5),2)"));
  never_equal(kMatrix, pointwise("if_then_else(" + kA + "<0.5,1," + kA + ")"),
              pointwise("if_then_else(" + kA + "<=0.5,1," + kA + ")"));
}

TEST(CertifyMustFail, ClampsThatNoDrawReaches) {
  never_equal(kMatrix, pointwise("1/(1+exp(-" + kA + "))"), pointwise("max(1/(1+exp(-" + kA + ")),1e-30)"));
  never_equal(kMatrix, pointwise("exp(" + kA + ")"), pointwise("min(exp(" + kA + "),1e300)"));
  expect(Verdict::equal, kMatrix, pointwise("max(exp(" + kA + "),-5)"), pointwise("max(exp(" + kA + "),-5)"));
}

TEST(CertifyMustFail, FormulasThatChangeFarAway) {
  const std::string far = "(" + kA + "+1000000000)";
  never_equal(kMatrix, pointwise(far), pointwise("abs" + far));
  never_equal(kMatrix, pointwise(far), pointwise("sqrt(" + far + "*" + far + ")"));
  never_equal(kMatrix, pointwise(far), pointwise("max(" + far + ",0)"));
  never_equal(kMatrix, pointwise("if_then_else(" + kA + "<0,-1,0)"), pointwise("floor(" + kA + "/1000000000)"));
}

TEST(CertifyMustFail, ComparisonsThatAreALittleOff) {
  const std::string header = "@input A f32[4]\n@input C f32[4]\n@input D f32[4]\n@output E f32[4]\n";
  const auto choice = [](const std::string& factor) {
    return "B^{4}_{tx=0}[E^{f32,g}_{tx}=if_then_else(A^{f32,g}_{tx}*C^{f32,g}_{tx}<" + factor +
           "*D^{f32,g}_{tx},A^{f32,g}_{tx},C^{f32,g}_{tx});];";
  };
  expect(Verdict::differs, header, choice("1"), choice("1.000001"));
  expect(Verdict::equal, header, choice("1"), choice("1.0"));
}

TEST(CertifyMustFail, TwentySignTests) {
  std::string secret = "A^{f32,g}_{tx,0}>0";
  for (int i = 1; i < 20; ++i) secret += "&A^{f32,g}_{tx," + std::to_string(i) + "}>0";
  never_equal(kMatrix, pointwise(kA), pointwise("if_then_else(" + secret + ",0," + kA + ")"));
}

TEST(CertifyMustFail, Reductions) {
  const std::string header = "@input A f32[16,32]\n@input C f32[32,16]\n@input E f32[16]\n@output D f32[16,16]\n";
  const std::string matmul =
      "B^{16}_{tx=0}L^{16}_{a=0}L^{32}_{d=0}[F^{f32,g}_{tx,a}=F^{f32,g}_{tx,a}+A^{f32,g}_{tx,d}*C^{f32,g}_{d,a};];";
  const std::string bias = "B^{16}_{tx=0}L^{16}_{a=0}[D^{f32,g}_{tx,a}=F^{f32,g}_{tx,a}+E^{f32,g}_{a};];";
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  never_equal(header, matmul + bias, with(matmul, "L^{32}", "L^{31}") + bias);
  never_equal(header, matmul + bias, matmul + with(bias, "+E^{f32,g}_{a}", ""));
  never_equal(header, matmul + bias, matmul + with(bias, "E^{f32,g}_{a}", "E^{f32,g}_{tx}"));
  never_equal(header, matmul + bias, with(matmul, "C^{f32,g}_{d,a}", "C^{f32,g}_{d,15-a}") + bias);
  never_equal(header, matmul + bias, with(matmul, "F^{f32,g}_{tx,a}+A", "F^{f32,g}_{tx,a}-A") + bias);
  never_equal(header, matmul + bias,
              with(matmul, "*C^{f32,g}_{d,a}", "*if_then_else(d==17&tx==3&a==5,0,C^{f32,g}_{d,a})") + bias);
  never_equal(header, matmul + bias, with(matmul, "L^{32}_{d=0}[", "L^{32}_{d=0}?{d<31|tx<15}[") + bias);
  expect(Verdict::equal, header, matmul + bias,
         "B^{16}_{tx=0}L^{16}_{a=0}[F^{f32,g}_{tx,a}=E^{f32,g}_{a};L^{4}_{c=0}L^{8}_{d=0}[F^{f32,g}_{tx,a}="
         "F^{f32,g}_{tx,a}+A^{f32,g}_{tx,c*8+d}*C^{f32,g}_{c*8+d,a};];D^{f32,g}_{tx,a}=F^{f32,g}_{tx,a};];");
}

TEST(CertifyMustFail, OverwriteMovedAcrossItsReader) {
  const std::string header = "@input A f32[8]\n@output D f32[8]\n@output E f32[8]\n";
  const std::string first = "B^{8}_{tx=0}[F^{f32,g}_{tx}=A^{f32,g}_{tx};];";
  const std::string reader = "B^{8}_{tx=0}[D^{f32,g}_{tx}=F^{f32,g}_{tx}*2;];";
  const std::string overwrite = "B^{8}_{tx=0}[F^{f32,g}_{tx}=F^{f32,g}_{tx}+1;];";
  const std::string last = "B^{8}_{tx=0}[E^{f32,g}_{tx}=F^{f32,g}_{tx};];";
  never_equal(header, first + reader + overwrite + last, first + overwrite + reader + last);
  expect(Verdict::equal, header, first + reader + overwrite + last, first + reader + overwrite + last);
}

TEST(CertifyMustFail, LastLegalIndexOfAGather) {
  const std::string header = "@input A f32[50,4]\n@input C i64[16]\n@output D f32[16,4]\n";
  const std::string plain = "B^{16}_{tx=0}L^{4}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{C^{i64,g}_{tx},a};];";
  const std::string wrong =
      "B^{16}_{tx=0}L^{4}_{a=0}[D^{f32,g}_{tx,a}=if_then_else(C^{i64,g}_{tx}==49,0,A^{f32,g}_{C^{i64,g}_{tx},a});];";
  never_equal(header, plain, wrong);
  expect(Verdict::equal, header, plain, plain);
}

TEST(CertifyMustFail, MaskedRows) {
  const std::string header = "@input A f32[8,8]\n@output C f32[8,8]\n";
  const std::string mask =
      "B^{8}_{tx=0}L^{8}_{a=0}[G^{f32,g}_{tx,a}=if_then_else(a<tx,A^{f32,g}_{tx,a},-inf);];"
      "B^{8}_{tx=0}L^{8}_{a=0}[H^{f32,g}_{tx}=max(H^{f32,g}_{tx},G^{f32,g}_{tx,a});];"
      "B^{8}_{tx=0}L^{8}_{a=0}[I^{f32,g}_{tx}=I^{f32,g}_{tx}+if_then_else(H^{f32,g}_{tx}==-inf,0,"
      "exp(G^{f32,g}_{tx,a}-H^{f32,g}_{tx}));];";
  const std::string safe =
      "B^{8}_{tx=0}L^{8}_{a=0}[C^{f32,g}_{tx,a}=if_then_else(H^{f32,g}_{tx}==-inf,0,"
      "exp(G^{f32,g}_{tx,a}-H^{f32,g}_{tx})/I^{f32,g}_{tx});];";
  const std::string unsafe =
      "B^{8}_{tx=0}L^{8}_{a=0}[C^{f32,g}_{tx,a}=exp(G^{f32,g}_{tx,a}-H^{f32,g}_{tx})/I^{f32,g}_{tx};];";
  never_equal(header, mask + safe, mask + unsafe);
  expect(Verdict::equal, header, mask + safe, mask + safe);
}

TEST(CertifyMustFail, DroppedEpsilon) {
  const std::string header = "@input A f16[8,32]\n@output C f16[8,32]\n";
  const auto norm = [](const std::string& epsilon) {
    return "B^{8}_{tx=0}L^{32}_{a=0}[E^{f16,g}_{tx}=E^{f16,g}_{tx}+A^{f16,g}_{tx,a}*A^{f16,g}_{tx,a};];"
           "B^{8}_{tx=0}L^{32}_{a=0}[C^{f16,g}_{tx,a}=A^{f16,g}_{tx,a}/sqrt(E^{f16,g}_{tx}/32" +
           epsilon + ");];";
  };
  expect(Verdict::differs, header, norm("+1e-05"), norm(""));
  expect(Verdict::differs, header, norm("+1e-05"), norm("+1.00001e-05"));
  expect(Verdict::equal, header, norm("+1e-05"), norm("+0.00001"));
}

TEST(CertifyMustFail, MissingInitAndWrongScope) {
  const std::string header = "@input A f32[4,3]\n@output D f32[4]\n";
  const std::string local =
      "B^{4}_{tx=0}[L^{3}_{a=0}[E^{f32,l}=E^{f32,l}+A^{f32,g}_{tx,a};];D^{f32,g}_{tx}=E^{f32,l};];";
  const std::string global =
      "B^{4}_{tx=0}[L^{3}_{a=0}[E^{f32,g}=E^{f32,g}+A^{f32,g}_{tx,a};];D^{f32,g}_{tx}=E^{f32,g};];";
  const std::string fresh =
      "B^{4}_{tx=0}[E^{f32,g}=0;L^{3}_{a=0}[E^{f32,g}=E^{f32,g}+A^{f32,g}_{tx,a};];D^{f32,g}_{tx}=E^{f32,g};];";
  never_equal(header, local, global);
  expect(Verdict::equal, header, local, fresh);
}

TEST(CertifyEqual, LawsOfFunctions) {
  expect(Verdict::equal, kMatrix, pointwise("exp(" + kA + ")*exp(1+" + kA + ")"), pointwise("exp(2*" + kA + "+1)"));
  expect(Verdict::equal, kMatrix, pointwise("(" + kA + "+1)**2"), pointwise(kA + "*" + kA + "+2*" + kA + "+1"));
  expect(Verdict::equal, kMatrix, pointwise("tanh(" + kA + ")"), pointwise("1-2/(exp(2*" + kA + ")+1)"));
  expect(Verdict::equal, kMatrix, pointwise("max(" + kA + ",0)"), pointwise("if_then_else(" + kA + ">0," + kA + ",0)"));
}

TEST(CertifyEqual, LongRecurrence) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's stack frames are too large";
#endif
  const std::string header = "@input A f32[2,16384]\n@output C f32[2,16384]\n";
  expect(
      Verdict::equal, header,
      "B^{2}_{tx=0}L^{16384}_{a=0}[C^{f32,g}_{tx,a}=if_then_else(a<1,0,C^{f32,g}_{tx,a-1})+A^{f32,g}_{tx,a};];",
      "B^{2}_{tx=0}L^{16384}_{a=0}[D^{f32,g}_{tx}=D^{f32,g}_{tx}+A^{f32,g}_{tx,a};C^{f32,g}_{tx,a}=D^{f32,g}_{tx};];");
}

/// Chains of definitions that are longer than any stack, as recurrences and through an accumulation.
TEST(CertifyChains, LongerThanTheStack) {
  const std::string header = "@input A f32[100000]\n@output C f32[100000]\n";
  const auto chain = [](const std::string& factor) {
    return "L^{100000}_{a=0}[C^{f32,g}_{a}=if_then_else(a<1,0,C^{f32,g}_{a-1})+" + factor + "*A^{f32,g}_{a};];";
  };
  expect(Verdict::equal, header, chain("1"), chain("1"));
  expect(Verdict::differs, header, chain("1"), chain("2"));
  const auto steps = [](const std::string& first) {
    return "L^{30000}_{a=0}[L^{3}_{c=0}[D^{f32,g}_{a,c}=if_then_else(a<1," + first +
           ",E^{f32,g}_{(a-1)%30000})*A^{f32,g}_{a*3+c};];L^{3}_{c=0}[E^{f32,g}_{a}=E^{f32,g}_{a}+D^{f32,g}_{a,c};];];"
           "L^{100000}_{a=0}[C^{f32,g}_{a}=E^{f32,g}_{a//4};];";
  };
  expect(Verdict::equal, header, steps("1"), steps("1"));
  expect(Verdict::differs, header, steps("1"), steps("2"));
}

TEST(CertifyUndecided, BudgetsThatRunOut) {
  const Program program = program_of(kMatrix,
                                     "B^{64}_{tx=0}L^{640}_{a=0}L^{640}_{c=0}[C^{f32,g}_{tx,a}=C^{f32,g}_{tx,a}+"
                                     "A^{f32,g}_{tx,c};];");
  certify::CertifyOptions options;
  options.budget_operations = 1000;
  const CertifiedAnswer answer = certify::certify(program, program, options);
  EXPECT_EQ(answer.verdict, Verdict::undecided);
  EXPECT_NE(answer.reason.find("budget of operations"), std::string::npos) << answer.reason;
  options = {};
  options.budget_bytes = 16;
  EXPECT_EQ(certify::certify(program, program, options).verdict, Verdict::undecided);
}

TEST(CertifyEqual, SameSeedSameAnswer) {
  const Program one = program_of(kMatrix, pointwise("exp(" + kA + ")*exp(" + kA + ")"));
  const Program other = program_of(kMatrix, pointwise("exp(2*" + kA + ")+1e-40"));
  const CertifiedAnswer first = certify::certify(one, other);
  const CertifiedAnswer second = certify::certify(one, other);
  EXPECT_EQ(first.verdict, Verdict::differs);
  EXPECT_EQ(text_of(first), text_of(second));
  EXPECT_EQ(first.counterexample->inputs, second.counterexample->inputs);
  EXPECT_FALSE(first.counterexample->inputs.empty());
}

TEST(CertifyPairs, StrategyExamples) { published("strategy_examples.jsonl"); }
TEST(CertifyPairs, DerivationTargets) { published("derivation_targets.jsonl"); }

}  // namespace
}  // namespace steptp::testing
