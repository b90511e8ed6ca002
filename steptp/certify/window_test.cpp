// The changed window of two programs: what is cut off, what becomes of it, and what it must not hide. Every pair is
// large enough for the judge to try windows before whole programs.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "steptp/certify/certify.h"
#include "steptp/certify/inputs.h"
#include "steptp/certify/window.h"
#include "steptp/machine/code.h"
#include "steptp/machine/sharing.h"
#include "testing/shorthand.h"

namespace steptp::testing {
namespace {

using certify::CertifiedAnswer;
using Verdict = CertifiedAnswer::Verdict;

const ShorthandValues kValues = {{"T", "f32"}, {"M", "8"}, {"N", "96"}};
constexpr std::string_view kHeader =
    "@input A $T[$M,$N]\n@param F $T[$N,$N]\n@param G $T[$N,$N]\n@constant K bool[$M,$N]\n@output C $T[$M,$N]\n";
/// Two products, so that an element of X costs 96 times 96.
constexpr std::string_view kPrefix =
    "B(tx,$M)L(a,$N)L(d,$N)[W[tx,a]=W[tx,a]+A[tx,d]*F[d,a];];B(tx,$M)L(a,$N)L(d,$N)[X[tx,a]=X[tx,a]+W[tx,d]*G[d,a];];";

Program program_of(std::string_view body) {
  return shorthand_program(std::string(kHeader) + std::string(body), kValues);
}

CertifiedAnswer judge(const std::string& before, const std::string& after) {
  return certify::certify(program_of(before), program_of(after));
}

void expect(Verdict verdict, const std::string& before, const std::string& after) {
  const CertifiedAnswer answer = judge(before, after);
  EXPECT_EQ(answer.verdict, verdict) << before << "\n" << after << "\n" << answer.reason << ", work " << answer.work;
}

void never_equal(const std::string& before, const std::string& after) {
  const CertifiedAnswer answer = judge(before, after);
  EXPECT_NE(answer.verdict, Verdict::equal) << before << "\n" << after << ", work " << answer.work;
}

std::string prefixed(std::string_view rest) { return std::string(kPrefix) + std::string(rest); }

struct Windows {
  Windows(const std::string& before_text, const std::string& after_text, int kept)
      : before_program(program_of(before_text)),
        after_program(program_of(after_text)),
        before(certify::compile(before_program)),
        after(certify::compile(after_program)),
        model(certify::model_inputs(before_program, after_program)),
        window(certify::cut_window(before, after, model, before_program.signature, {}, kept)) {}
  Program before_program;
  Program after_program;
  certify::Code before;
  certify::Code after;
  certify::InputModel model;
  certify::Window window;
};

TEST(Sharing, UpToNamesOrderAndDeadCode) {
  const auto shared = [](std::string_view before, std::string_view after) {
    const Program one = program_of(before);
    const Program other = program_of(after);
    return certify::find_shared(certify::compile(one), certify::compile(other)).all;
  };
  const std::string one = "B(tx,$M)L(a,$N)[E[tx,a]=A[tx,a]*2;];";
  const std::string two = "B(tx,$M)L(a,$N)[H[tx,a]=A[tx,a]*3;];";
  const std::string last = "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]+H[tx,a];];";
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(shared(one + two + last, two + one + last), (List{1, 0, 2}));
  EXPECT_EQ(shared(one + two + last, "B(tx,$M)L(a,$N)[Q[tx,a]=A[tx,a]*7;];" + one + two + last),
            (List{certify::kNone, 0, 1, 2}));
  EXPECT_EQ(shared(one + two + last,
                   "B(tx,$M)L(a,$N)[R[tx,a]=A[tx,a]*2;];B(tx,$M)L(a,$N)[S[tx,a]=A[tx,a]*3;];"
                   "B(tx,$M)L(a,$N)[C[tx,a]=R[tx,a]+S[tx,a];];"),
            (List{0, 1, 2}));
  // Known variables are never renamed.
  EXPECT_EQ(shared("B(tx,$M)L(a,$N)[C[tx,a]=F[tx,a];];", "B(tx,$M)L(a,$N)[C[tx,a]=G[tx,a];];"), (List{certify::kNone}));
  // The same text before and after an overwrite reads different values; what is written is the same.
  const std::string use = "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a];];";
  const std::string change = "B(tx,$M)L(a,$N)[E[tx,a]=E[tx,a]*2;];";
  EXPECT_EQ(shared(one + use + change, one + change + use), (List{0, 2, certify::kNone}));
}

TEST(Window, CutsWhatIsSharedAndFollowsAlike) {
  const std::string rest = "B(tx,$M)L(a,$N)L(d,$N)[C[tx,a]=C[tx,a]+exp(Y[tx,d])*G[d,a];];";
  const Windows made(prefixed("B(tx,$M)L(a,$N)[Y[tx,a]=X[tx,a]*(X[tx,a]+1);];" + rest),
                     prefixed("B(tx,$M)L(a,$N)[Y[tx,a]=X[tx,a]*X[tx,a]+X[tx,a];];" + rest), 0);
  EXPECT_TRUE(made.window.is_cut);
  EXPECT_TRUE(made.window.is_usable);
  EXPECT_EQ(made.window.variables.size(), 1u) << "X only, not W";
  ASSERT_EQ(made.window.signature.variables.size(), 1u);
  EXPECT_EQ(made.window.signature.variables[0].name, "#goal0") << "Y, not C";
}

TEST(Window, CostDoesNotGrowWithWhatIsShared) {
  const auto work = [](std::string_view rest_before, std::string_view rest_after) {
    const CertifiedAnswer answer = judge(prefixed(rest_before), prefixed(rest_after));
    EXPECT_EQ(answer.verdict, Verdict::equal) << answer.reason;
    return answer.work;
  };
  // A few looks at whole programs; those that equality takes would be millions.
  EXPECT_LT(
      work("B(tx,$M)L(a,$N)[C[tx,a]=exp(X[tx,a])*exp(A[tx,a]);];", "B(tx,$M)L(a,$N)[C[tx,a]=exp(X[tx,a]+A[tx,a]);];"),
      300'000u);
}

/// A difference under free values may be spurious: the step used a fact about them, and the window widens.
TEST(Window, FactsAboutCutValues) {
  // The mean and the sum of squares hang together.
  const std::string mean = "B(tx,$M)L(a,$N)[D[tx]=D[tx]+X[tx,a];];";
  expect(Verdict::equal,
         prefixed(mean + "B(tx,$M)L(a,$N)[E[tx]=E[tx]+(X[tx,a]-D[tx]/$N)**2;];B(tx,$M)L(a,$N)[C[tx,a]=E[tx];];"),
         prefixed(mean + "B(tx,$M)L(a,$N)[E[tx]=E[tx]+X[tx,a]**2;];B(tx,$M)L(a,$N)[C[tx,a]=E[tx]-D[tx]**2/$N;];"));
  // Two names for one value.
  const std::string both = "B(tx,$M)L(a,$N)[D[tx]=D[tx]+exp(X[tx,a]);];B(tx,$M)L(a,$N)[E[tx]=E[tx]+2*exp(X[tx,a]);];";
  expect(Verdict::equal, prefixed(both + "B(tx,$M)L(a,$N)[C[tx,a]=D[tx]*A[tx,a];];"),
         prefixed(both + "B(tx,$M)L(a,$N)[C[tx,a]=E[tx]*A[tx,a]/2;];"));
  // Positive because of what it is.
  const std::string positive = "B(tx,$M)L(a,$N)[D[tx]=D[tx]+exp(X[tx,a]);];";
  expect(Verdict::equal, prefixed(positive + "B(tx,$M)L(a,$N)[C[tx,a]=D[tx];];"),
         prefixed(positive + "B(tx,$M)L(a,$N)[C[tx,a]=sqrt(D[tx])*sqrt(D[tx]);];"));
}

/// Softmax of masked scores and its online form: not finite where a whole row is masked, a division that may be by zero
/// in both, and a recurrence.
constexpr std::string_view kMasked = "B(tx,$M)L(a,$N)[Y[tx,a]=if_then_else(K:bool[tx,a],-inf,X[tx,a]);];";
constexpr std::string_view kSoftmax =
    "B(tx,$M)L(a,$N)[D[tx]=max(D[tx],Y[tx,a]);];B(tx,$M)L(a,$N)[E[tx]=E[tx]+exp(Y[tx,a]-D[tx]);];"
    "B(tx,$M)L(a,$N)[Z[tx,a]=exp(Y[tx,a]-D[tx])/E[tx];];";
std::string online(const std::string& scale) {
  return std::string(kMasked) + "B(tx,$M)L(a,$N)[D[tx,a]=max(if_then_else(a-1<0,-inf,D[tx,a-1]),Y[tx,a]);" +
         "E[tx,a]=if_then_else(D[tx,a]==-inf,0,if_then_else(a-1<0,0,E[tx,a-1]*exp(" + scale +
         "))+exp(Y[tx,a]-D[tx,a]));];B(tx,$M)L(a,$N)[Z[tx,a]=exp(Y[tx,a]-D[tx,$N-1])/E[tx,$N-1];];";
}
constexpr std::string_view kRight = "D[tx,a-1]-D[tx,a]";

TEST(Window, OnlineFormsOfMaskedRows) {
  const std::string product = "B(tx,$M)L(a,$N)L(d,$N)[C[tx,a]=C[tx,a]+Z[tx,d]*G[d,a];];";
  const std::string whole = std::string(kMasked) + std::string(kSoftmax) + product;
  const CertifiedAnswer answer = judge(prefixed(whole), prefixed(online(std::string(kRight)) + product));
  EXPECT_EQ(answer.verdict, Verdict::equal) << answer.reason;
  EXPECT_TRUE(answer.in_every_way);
  EXPECT_LT(answer.work, 20'000'000u) << "the product behind it is left out";
  // The sum of several tensors in place: what comes later has written nothing yet.
  const std::string in_place = "B(tx,$M)L(a,$N)[X[tx,a]=X[tx,a]+F[0,a];];";
  expect(Verdict::equal, prefixed(in_place + whole), prefixed(in_place + online(std::string(kRight)) + product));
  for (const std::string wrong : {"D[tx,a]-D[tx,a-1]", "D[tx,a-1]-D[tx,a]*1.0001", "D[tx,0]-D[tx,a]"}) {
    never_equal(prefixed(whole), prefixed(online(wrong) + product));
  }
}

TEST(WindowMustFail, OverwrittenInPlace) {
  const std::string use = "B(tx,$M)L(a,$N)[Y[tx,a]=X[tx,a]+1;];";
  const std::string change = "B(tx,$M)L(a,$N)[X[tx,a]=X[tx,a]*2;];";
  const std::string last = "B(tx,$M)L(a,$N)[C[tx,a]=Y[tx,a]*X[tx,a];];";
  expect(Verdict::differs, prefixed(use + change + last), prefixed(change + use + last));
  expect(Verdict::differs, prefixed(use + change + last), prefixed(use + change + change + last));
  expect(Verdict::differs, prefixed(use + change + last), prefixed(use + last));
  // Only the last row keeps the old value.
  expect(Verdict::differs, prefixed(use + change + last), prefixed(use + "B(tx,7)L(a,$N)[X[tx,a]=X[tx,a]*2;];" + last));
}

TEST(WindowMustFail, DeadCodeWithTheSameFormula) {
  const std::string decoy = "B(tx,$M)L(a,$N)[Z[tx,a]=exp(X[tx,a]);];";
  expect(Verdict::differs, prefixed(decoy + "B(tx,$M)L(a,$N)[C[tx,a]=exp(X[tx,a])+1;];"),
         prefixed(decoy + "B(tx,$M)L(a,$N)[C[tx,a]=exp(W[tx,a])+1;];"));
  expect(
      Verdict::differs, prefixed("B(tx,$M)L(a,$N)[C[tx,a]=X[tx,a]*A[tx,a];];"),
      prefixed("B(tx,$M)L(a,$N)L(d,$N)[Z[tx,a]=Z[tx,a]+W[tx,d]*F[d,a];];B(tx,$M)L(a,$N)[C[tx,a]=Z[tx,a]*A[tx,a];];"));
}

TEST(WindowMustFail, ValuesThatACutTensorCanHave) {
  // -inf, where a whole row is masked.
  const std::string masked =
      "B(tx,$M)L(a,$N)[Y[tx,a]=if_then_else(K:bool[tx,a],-inf,X[tx,a]);];B(tx,$M)L(a,$N)[D[tx]=max(D[tx],Y[tx,a]);];";
  never_equal(prefixed(masked + "B(tx,$M)L(a,$N)[C[tx,a]=exp(D[tx]);];"),
              prefixed(masked + "B(tx,$M)L(a,$N)[C[tx,a]=exp(D[tx])+if_then_else(D[tx]<-1000000,1,0);];"));
  // Zero, half of the time.
  const std::string cut_off = "B(tx,$M)L(a,$N)[D[tx,a]=max(X[tx,a],0);];";
  never_equal(prefixed(cut_off + "B(tx,$M)L(a,$N)[C[tx,a]=D[tx,a]*A[tx,a];];"),
              prefixed(cut_off + "B(tx,$M)L(a,$N)[C[tx,a]=D[tx,a]*D[tx,a]*A[tx,a]/D[tx,a];];"));
  // Always zero, although it does not look like it.
  const std::string zero = "B(tx,$M)L(a,$N)[D[tx]=D[tx]+exp(X[tx,a]);];B(tx,$M)L(a,$N)[E[tx]=E[tx]+2*exp(X[tx,a]);];";
  never_equal(prefixed(zero + "B(tx,$M)L(a,$N)[C[tx,a]=(E[tx]-2*D[tx])*A[tx,a];];"),
              prefixed(zero + "B(tx,$M)L(a,$N)[C[tx,a]=(E[tx]-2*D[tx])**2*A[tx,a]/(E[tx]-2*D[tx]);];"));
}

TEST(WindowMustFail, DomainsThatOnlyOneProgramLeaves) {
  // Zero whatever the inputs are, and drawn as if it were not.
  const std::string zero =
      "B(tx,$M)L(a,$N)[D[tx]=D[tx]+(X[tx,a]-X[tx,a])*A[tx,a];];B(tx,$M)L(a,$N)[E[tx,a]=E[tx,a]+X[tx,a]*A[tx,a];];";
  never_equal(prefixed(zero + "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a];];"),
              prefixed(zero + "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]*D[tx]/D[tx];];"));
  never_equal(prefixed(zero + "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]/(1+abs(E[tx,a]));];"),
              prefixed(zero + "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]*D[tx]/((1+abs(E[tx,a]))*D[tx]);];"));
  // In one row a number that no draw has.
  const std::string constant =
      "B(tx,$M)L(a,$N)[D[tx]=D[tx]+if_then_else(tx==5,0.7,X[tx,a]);];B(tx,$M)L(a,$N)[E[tx,a]=E[tx,a]+X[tx,a]*A[tx,a];]"
      ";";
  never_equal(prefixed(constant + "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a];];"),
              prefixed(constant + "B(tx,$M)L(a,$N)[C[tx,a]=E[tx,a]*(D[tx]-0.7*$N)/(D[tx]-0.7*$N);];"));
  never_equal(prefixed(constant + "B(tx,$M)L(a,$N)[C[tx,a]=abs(E[tx,a]);];"),
              prefixed(constant + "B(tx,$M)L(a,$N)[C[tx,a]=abs(E[tx,a]*(D[tx]-0.7*$N)/(D[tx]-0.7*$N));];"));
  // Never positive.
  const std::string negative = "B(tx,$M)L(a,$N)[D[tx]=D[tx]-X[tx,a]*X[tx,a];];";
  never_equal(prefixed(negative + "B(tx,$M)L(a,$N)[C[tx,a]=D[tx]*A[tx,a];];"),
              prefixed(negative + "B(tx,$M)L(a,$N)[C[tx,a]=exp(log(D[tx]))*A[tx,a];];"));
  never_equal(prefixed(negative + "B(tx,$M)L(a,$N)[C[tx,a]=D[tx]*A[tx,a];];"),
              prefixed(negative + "B(tx,$M)L(a,$N)[C[tx,a]=sqrt(D[tx])**2*A[tx,a];];"));
}

TEST(WindowMustFail, NumbersMadeOfWhatIsNone) {
  // Roots of negative numbers and rows that are masked whole: equal where they are finite, and read in a way that
  // makes a number of the rest.
  const auto root = [](const std::string& inside, const std::string& reader) {
    return prefixed("B(tx,$M)L(a,$N)[Y[tx,a]=sqrt(" + inside + ");];B(tx,$M)L(a,$N)[C[tx,a]=" + reader + ";];");
  };
  for (const std::string reader : {"max(0,Y[tx,a])", "if_then_else(Y[tx,a]>=0,Y[tx,a],0)", "min(1,Y[tx,a])"}) {
    never_equal(root("X[tx,a]", reader), root("abs(X[tx,a])", reader));
  }
  const std::string whole = std::string(kMasked) + std::string(kSoftmax);
  const std::string zero =
      std::string(kMasked) +
      "B(tx,$M)L(a,$N)[D[tx]=max(D[tx],Y[tx,a]);];B(tx,$M)L(a,$N)[E[tx]=E[tx]+exp(Y[tx,a]-D[tx]);];"
      "B(tx,$M)L(a,$N)[Z[tx,a]=if_then_else(D[tx]==-inf,0,exp(Y[tx,a]-D[tx])/E[tx]);];";
  for (const std::string reader : {"max(-1,Z[tx,a])", "if_then_else(Z[tx,a]>=0,Z[tx,a],5)"}) {
    const std::string last = "B(tx,$M)L(a,$N)[C[tx,a]=" + reader + ";];";
    never_equal(prefixed(whole + last), prefixed(zero + last));
  }
  const std::string sum = "B(tx,$M)L(a,$N)[C[tx,a]=2*Z[tx,a]-A[tx,a];];";
  expect(Verdict::equal, prefixed(whole + sum), prefixed(zero + sum));
}

/// The first tensor that differs stands for the output only if it is all that readers see of it.
TEST(WindowMustFail, GoalsBehindWhichSomethingHides) {
  // Not finite where a reader makes a number of it again.
  const auto masked = [](const std::string& instead) {
    return prefixed("B(tx,$M)L(a,$N)[Y[tx,a]=if_then_else(K:bool[tx,a]," + instead +
                    ",X[tx,a]);];B(tx,$M)L(a,$N)L(d,$N)[C[tx,a]=C[tx,a]+exp(Y[tx,d])*G[d,a];];");
  };
  expect(Verdict::differs, masked("-inf"), masked("0"));
  never_equal(masked("-inf"), masked("-30"));
  // A single element that is wrong.
  const auto at = [](const std::string& condition) {
    return prefixed("B(tx,$M)L(a,$N)[Y[tx,a]=X[tx,a]*if_then_else(" + condition +
                    ",2,1);];B(tx,$M)L(a,$N)L(d,$N)[C[tx,a]=C[tx,a]+exp(Y[tx,d])*G[d,a];];");
  };
  expect(Verdict::differs, at("tx*$N+a==9999"), at("tx*$N+a==333"));
  expect(Verdict::equal, at("tx*$N+a==333"), at("a==45&tx==3"));
  // One maximum that omits an element.
  const auto most = [](const std::string& condition) {
    return prefixed("B(tx,$M)L(a,$N)[D[tx]=max(D[tx],if_then_else(" + condition +
                    ",X[tx,a],-1000));];B(tx,$M)L(a,$N)[C[tx,a]=D[tx]*A[tx,a];];");
  };
  never_equal(most("a<1000"), most("a!=41"));
  never_equal(most("a<1000"), most("a!=77"));
  never_equal(most("a<1000"), most("a<95"));
}

}  // namespace
}  // namespace steptp::testing
