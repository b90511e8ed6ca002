// The grade `numeric`, the running error bound under it, and limits on time.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "steptp/base/text.h"
#include "steptp/certify/numeric.h"
#include "steptp/certify/safe.h"
#include "steptp/verify/literals.h"
#include "steptp/verify/verify_pair.h"

namespace steptp::testing {

namespace {

/// `T` stands for the type, in the header and in the text.
std::string in_type(std::string text, const char* dtype) {
  for (std::size_t at = text.find('T'); at != std::string::npos; at = text.find('T')) text.replace(at, 1, dtype);
  return text;
}

Program program_of(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

constexpr const char* kFloats[] = {"f64", "f32", "f16", "bf16"};

Judgement judge(const std::string& header, const std::string& before, const std::string& after) {
  return verify(program_of(header + before + "\n"), program_of(header + after + "\n"));
}

/// What a judgement says that people and rows rely on.
std::string said(const Judgement& judgement) { return to_json("", judgement).dump(); }

TEST(Trials, AnswerAsSeparateJudgementsDo) {
  const std::string header = "@input A f32[8]\n@output D f32[8]\n";
  const std::vector<std::string> texts = {
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=exp(A^{f32,g}_{tx})*exp(A^{f32,g}_{tx});];",
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=exp(A^{f32,g}_{tx}+A^{f32,g}_{tx});];",
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=max(A^{f32,g}_{tx},0)+min(A^{f32,g}_{tx},0);];",
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];",
      "B^{8}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx}+1;];",
      "B^{4}_{tx=0}[D^{f32,g}_{tx}=A^{f32,g}_{tx};];",
  };
  const std::vector<std::uint64_t> seeds = {3, 17, 99};
  for (const std::string& left : texts) {
    const Program before = program_of(header + left + "\n");
    const KnownBefore known = look_at(before);
    for (const std::string& right : texts) {
      const Program after = program_of(header + right + "\n");
      VerifyOptions options;
      options.known = &known;
      const std::vector<Judgement> trials = verify_trials(before, after, options, seeds);
      ASSERT_FALSE(trials.empty());
      for (std::size_t i = 0; i < trials.size(); ++i) {
        VerifyOptions alone;
        alone.seed = seeds[i];
        EXPECT_EQ(said(trials[i]), said(verify(before, after, alone))) << left << " " << right;
      }
      const Judgement& last = trials.back();
      const bool is_good = is_equal(last.verdict) && last.is_safe();
      if (is_good) {
        EXPECT_EQ(trials.size(), last.verdict == Grade::proved ? 1U : seeds.size());
      }
    }
  }
}

TEST(Numeric, LiteralsOfOneValueInTheirType) {
  const std::string header = "@input A f32[4]\n@output D f32[4]\n";
  const auto numeric = [&](const std::string& before, const std::string& after) {
    return judge(header, before, after).verdict == Grade::numeric;
  };
  EXPECT_TRUE(numeric("tx4 D^f32(tx)=A^f32(tx)*0.1;", "tx4 D^f32(tx)=A^f32(tx)*0.10000000149011612;"));
  EXPECT_TRUE(numeric("tx4 D^f32(tx)=A^f32(tx)*0.1;", "tx4 D^f32(tx)=0.1000000014901161*A^f32(tx);"));
  EXPECT_TRUE(numeric("tx4 D^f32(tx)=sqrt(A^f32(tx)*A^f32(tx)+0.00001);",
                      "tx4 D^f32(tx)=sqrt(9.9999997473787516e-06+A^f32(tx)*A^f32(tx));"));
  EXPECT_TRUE(numeric("tx4 D^f32(tx)=max(A^f32(tx),-0.3);", "tx4 D^f32(tx)=max(A^f32(tx),-0.30000001192092896);"));
}

TEST(Numeric, NeverForARealDifference) {
  struct Case {
    const char* header;
    const char* before;
    const char* after;
  };
  const char* f32 = "@input A f32[4]\n@output D f32[4]\n";
  const char* f16 = "@input A f16[4]\n@output D f16[4]\n";
  const char* rows = "@input A f32[5,6]\n@output D f32[5]\n";
  for (const Case& item : {
           // The next value of the type is another one.
           Case{f32, "tx4 D^f32(tx)=A^f32(tx)*0.1;", "tx4 D^f32(tx)=A^f32(tx)*0.1000000089;"},
           // Dropped, though no half sees it.
           Case{f16, "tx4 D^f16(tx)=1+A^f16(tx)*A^f16(tx)+1e-05;", "tx4 D^f16(tx)=1+A^f16(tx)*A^f16(tx);"},
           Case{f16, "tx4 D^f16(tx)=sqrt(A^f16(tx)*A^f16(tx)+1+1e-05);", "tx4 D^f16(tx)=sqrt(A^f16(tx)*A^f16(tx)+1);"},
           // A factor that is 1 in its type and was not there.
           Case{f16, "tx4 D^f16(tx)=A^f16(tx);", "tx4 D^f16(tx)=A^f16(tx)*1.000001;"},
           // A literal of the same value, and another difference beside it.
           Case{f32, "tx4 D^f32(tx)=A^f32(tx)*0.1+A^f32(tx)*1e-09;", "tx4 D^f32(tx)=A^f32(tx)*0.10000000149011612;"},
           // In f64 the decimals differ.
           Case{"@input A f64[4]\n@output D f64[4]\n", "tx4 D^f64(tx)=A^f64(tx)*0.1;",
                "tx4 D^f64(tx)=A^f64(tx)*0.10000000149011612;"},
           Case{f32, "tx4 D^f32(tx)=A^f32(tx)+exp(-200-A^f32(tx)*A^f32(tx));", "tx4 D^f32(tx)=A^f32(tx);"},
           Case{f32, "tx4 D^f32(tx)=where(A^f32(tx)<0.1,1,0);",
                "tx4 D^f32(tx)=where(A^f32(tx)<0.10000000149011612,2,0);"},
           // What no precision decides, and the two differ wherever it is decided.
           Case{f32, "tx4 D^f32(tx)=where(log(exp(A^f32(tx))*exp(2))==A^f32(tx)+2,1,0);",
                "tx4 D^f32(tx)=where(log(exp(A^f32(tx))*exp(2))==A^f32(tx)+2,2,0);"},
           // Found by mutants: x%x and x//x have no correct digit, and a bound as wide as that holds everything.
           Case{rows, "tx5 a6 E(tx)+=A(tx,a);tx5 a6 D(tx)+=(A(tx,a)-E(tx)/6)*(A(tx,a)-E(tx)/6);",
                "tx5 a6 E(tx)+=A(tx,a);tx5 a6 D(tx)+=(A(tx,a)-E(tx)/6)%(A(tx,a)-E(tx)/6);"},
           Case{rows, "tx5 a6 E(tx)+=A(tx,a);tx5 a6 D(tx)+=(A(tx,a)-E(tx)/6)*(A(tx,a)-E(tx)/6);",
                "tx5 a6 E(tx)+=A(tx,a);tx5 a6 D(tx)+=(A(tx,a)-E(tx)/6)//(A(tx,a)-E(tx)/6);"},
           // Below every precision that is tried.
           Case{f32, "tx4 D(tx)=A(tx);", "tx4 D(tx)=A(tx)+exp(-5000-A(tx)*A(tx));"},
           Case{f32, "tx4 D(tx)=A(tx);", "tx4 D(tx)=A(tx)+exp(-1000000-A(tx)*A(tx));"},
           // At a single point, which no double is, and beyond every draw.
           Case{f32, "tx4 D(tx)=where(A(tx)>0.3,1,0);", "tx4 D(tx)=where(A(tx)>=0.3,1,0);"},
           Case{rows, "tx5 a6 D(tx) max=A(tx,a);", "tx5{D(tx)=-1e30;a6 D(tx) max=A(tx,a);}"},
       }) {
    const Judgement judgement = judge(item.header, item.before, item.after);
    EXPECT_TRUE(judgement.verdict == Grade::differs || judgement.verdict == Grade::undecided)
        << name_of(judgement.verdict) << " " << judgement.reason << "\n"
        << item.before << "\n"
        << item.after;
  }
}

TEST(Numeric, LiteralsAreRoundedInTheTypeOfTheirOperation) {
  const Program program = program_of(
      "@input A f16[4]\n@input C f32[4]\n@output D f32[4]\ntx4 D^f32(tx)=A^f16(tx)*0.1+C^f32(tx)*0.1+2*0.1;\n");
  const Program rounded = with_rounded_literals(program);
  const std::string text = print_document(rounded, Profile::paper);
  EXPECT_NE(text.find("0.0999755859375"), std::string::npos) << text;      // f16
  EXPECT_NE(text.find("0.10000000149011612"), std::string::npos) << text;  // f32
  EXPECT_NE(text.find("2*0.1;"), std::string::npos) << text;               // weak: f64
}

std::string sum_of(int terms, bool reversed, int dropped) {
  return concat("tx8 a", terms - dropped, " D^T(tx)=D^T(tx)+A^T(tx,", reversed ? concat(terms - 1, "-a") : "a", ");\n");
}

TEST(ErrorBound, ADroppedTermIsRejectedByTheBoundAlone) {
  struct Case {
    const char* dtype;
    int terms;
  };
  for (const Case& item : {Case{"bf16", 16}, Case{"f16", 48}, Case{"f32", 4096}}) {
    for (int terms = 2; terms <= item.terms; terms = terms < 64 ? terms + 1 : terms * 2) {
      const std::string header = concat("@input A ", item.dtype, "[8,", terms, "]\n@output D ", item.dtype, "[8]\n");
      const Program before = program_of(header + in_type(sum_of(terms, false, 0), item.dtype));
      const Program after = program_of(header + in_type(sum_of(terms, false, 1), item.dtype));
      for (const std::uint64_t seed : {1, 2, 3}) {
        certify::CertifyOptions options;
        options.seed = seed;
        EXPECT_FALSE(certify::compare_numerically(before, after, options).is_equal) << item.dtype << " " << terms;
      }
    }
  }
}

TEST(ErrorBound, NoCorrectReorderingIsRejected) {
  struct Case {
    const char* header;
    const char* before;
    const char* after;
  };
  const Case cases[] = {
      {"@input A T[4,24]\n@output D T[4]\n", "tx4 a24 D^T(tx)=D^T(tx)+A^T(tx,a);",
       "tx4 a24 D^T(tx)=D^T(tx)+A^T(tx,23-a);"},
      {"@input A T[4,24]\n@output D T[4]\n", "tx4 a24 D^T(tx)=D^T(tx)+A^T(tx,a);",
       "tx4 a4 c6 E^T(tx,a)=E^T(tx,a)+A^T(tx,a*6+c);tx4 a4 D^T(tx)=D^T(tx)+E^T(tx,a);"},
      {"@input A T[4,24]\n@input C T[24,5]\n@output D T[4,5]\n", "tx4 a5 c24 D^T(tx,a)=D^T(tx,a)+A^T(tx,c)*C^T(c,a);",
       "tx4 a5 f4 c6 D^T(tx,a)=D^T(tx,a)+A^T(tx,c*4+f)*C^T(c*4+f,a);"},
      {"@input A T[4,24]\n@output D T[4,24]\n",
       "tx4 a24 E^T(tx)=max(E^T(tx),A^T(tx,a));tx4 a24 F^T(tx)=F^T(tx)+exp(A^T(tx,a)-E^T(tx));"
       "tx4 a24 D^T(tx,a)=exp(A^T(tx,a)-E^T(tx))/F^T(tx);",
       "tx4 a24 E^T(tx)=max(E^T(tx),A^T(tx,23-a));tx4 a24 F^T(tx)=F^T(tx)+exp(A^T(tx,23-a)-E^T(tx));"
       "tx4 a24 D^T(tx,a)=exp(A^T(tx,a)-E^T(tx))/F^T(tx);"},
      {"@input A T[4,24]\n@output D T[4]\n", "tx4 a24 D^T(tx)=D^T(tx)*(1+A^T(tx,a)*A^T(tx,a));",
       "tx4 a24 D^T(tx)=D^T(tx)*(1+A^T(tx,23-a)*A^T(tx,23-a));"},
  };
  for (const Case& item : cases) {
    for (const char* dtype : kFloats) {
      const Program before = program_of(in_type(concat(item.header, item.before, "\n"), dtype));
      const Program after = program_of(in_type(concat(item.header, item.after, "\n"), dtype));
      for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
        certify::CertifyOptions options;
        options.seed = seed;
        const certify::NumericAnswer answer = certify::compare_numerically(before, after, options);
        EXPECT_TRUE(answer.is_equal) << dtype << " " << item.after << ": " << answer.reason;
        const certify::SafetyAnswer safety = certify::compare_safety(before, after, options);
        EXPECT_TRUE(safety.is_safe) << dtype << " " << item.after << ": " << safety.reason;
      }
    }
  }
}

TEST(Safe, MaskedRows) {
  // Scores are masked by adding a large negative number; the shifted form survives a row without any score, the other
  // one divides by zero there.
  const std::string header = "@input A f32[4,8]\n@input C f32[4,8]\n@output D f32[4,8]\n";
  const std::string shifted =
      "tx4 a8 E^f32(tx)=max(E^f32(tx),A^f32(tx,a)+C^f32(tx,a));"
      "tx4 a8 F^f32(tx)=F^f32(tx)+exp(A^f32(tx,a)+C^f32(tx,a)-E^f32(tx));"
      "tx4 a8 D^f32(tx,a)=exp(A^f32(tx,a)+C^f32(tx,a)-E^f32(tx))/F^f32(tx);\n";
  // Shifted by the first element of the row instead: equal, and it overflows where that one is hidden.
  const std::string by_first =
      "tx4 a8 F^f32(tx)=F^f32(tx)+exp(A^f32(tx,a)+C^f32(tx,a)-A^f32(tx,0)-C^f32(tx,0));"
      "tx4 a8 D^f32(tx,a)=exp(A^f32(tx,a)+C^f32(tx,a)-A^f32(tx,0)-C^f32(tx,0))/F^f32(tx);\n";
  const Program before = program_of(header + shifted);
  const Program after = program_of(header + by_first);
  EXPECT_TRUE(certify::compare_safety(before, before, {}).is_safe);
  const certify::SafetyAnswer answer = certify::compare_safety(before, after, {});
  EXPECT_FALSE(answer.is_safe);
  EXPECT_FALSE(answer.reason.empty());
}

TEST(Timeout, AnswersThatWereCutShortSaySo) {
  // Equal, not proved, and seconds of evaluation.
  const std::string header = "@input A f32[4,4194304]\n@output D f32[4]\n";
  const auto read = [&](const char* name, const std::string& text) { return read_document(name, header + text); };
  const Pair pair = make_pair(read("before", "tx4 a4194304 D^f32(tx)=D^f32(tx)+tanh(A^f32(tx,a));\n"),
                              read("after", "tx4 a4194304 D^f32(tx)=D^f32(tx)+1-2/(exp(2*A^f32(tx,a))+1);\n"));
  VerifyOptions options;
  options.budget = UINT64_MAX / 2;
  std::atomic<bool> stop = false;
  const auto start = std::chrono::steady_clock::now();
  const Judgement judgement = verify_in_time(pair, options, 0.05, stop);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 20);
  EXPECT_EQ(judgement.verdict, Grade::undecided);
  EXPECT_NE(judgement.reason.find("wall-clock limit of 0.05 s"), std::string::npos) << judgement.reason;
}

TEST(Timeout, NoLimitChangesNothing) {
  const std::string header = "@input A f32[4]\n@output D f32[4]\n";
  const Pair pair = make_pair(read_document("before", header + "tx4 D^f32(tx)=A^f32(tx)*2;\n"),
                              read_document("after", header + "tx4 D^f32(tx)=A^f32(tx)*3;\n"));
  std::atomic<bool> stop = false;
  const std::string plain = to_json("x", verify_pair(pair)).dump();
  EXPECT_EQ(to_json("x", verify_in_time(pair, {}, 0, stop)).dump(), plain);
  EXPECT_EQ(to_json("x", verify_in_time(pair, {}, 1000, stop)).dump(), plain);
}

}  // namespace

}  // namespace steptp::testing
