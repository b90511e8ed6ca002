// Every choice of the strategies on scalar algebra, on random equations full of what they look for: repeated factors,
// quotients, exponentials, roots and logarithms over values with and without a sign, under max, min and conditions that
// would take a number where a NaN has gone astray.
#include <gtest/gtest.h>

#include <iostream>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/recipe/registry.h"
#include "steptp/strategies/view.h"
#include "steptp/text/printer.h"
#include "testing/soak.h"
#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

constexpr const char* kStrategies[] = {
    "factorization",     "expand_factorization", "cancellation",  "expand_cancellation", "apart",   "together",
    "powsimp",           "expand_powsimp",       "logsimp",       "expand_log",          "collect", "expand_collect",
    "exponential_split", "multiplicative_split", "additive_split"};

/// The text of an expression over inputs of every kind of domain and two intermediates, one of which may be -inf.
class EquationMaker {
 public:
  explicit EquationMaker(std::uint64_t seed) : random_(seed) {}

  std::string make(int depth) {
    if (depth == 0) return leaf();
    const auto part = [&] { return make(depth - 1); };
    const auto bracketed = [&] { return concat("(", make(depth - 1), ")"); };
    switch (random_.below(16)) {
      case 0:
      case 1: return leaf();
      case 2:
      case 3: return concat(part(), "+", bracketed());
      case 4: return concat(part(), "-", bracketed());
      case 5:
      case 6: return concat(bracketed(), "*", bracketed());
      case 7:
      case 8: return concat(bracketed(), "/", bracketed());
      case 9: return concat(bracketed(), random_.chance(1, 4) ? "**3" : "**2");
      case 10: return concat("exp(", part(), ")");
      case 11: return concat("log(", part(), ")");
      case 12: return concat("sqrt(", part(), ")");
      case 13: return concat(random_.chance(1, 2) ? "max(" : "min(", part(), ",", part(), ")");
      case 14: {
        const std::string subject = leaf();
        constexpr const char* kTests[] = {">0", "!=0", "<0", "<=1", ">=0.5", "==0"};
        return concat("if_then_else(", subject, kTests[random_.below(6)], ",", part(), ",", part(), ")");
      }
      default: {
        // One factor in several places.
        const std::string common = make(depth - 1);
        if (random_.chance(1, 2)) return concat("(", common, ")*", leaf(), "+", leaf(), "*(", common, ")");
        return concat(leaf(), "*(", common, ")/((", common, ")*", leaf(), ")");
      }
    }
  }

 private:
  std::string leaf() {
    // What a law looks for, with the facts it needs or without.
    constexpr const char* kPatterns[] = {"log(C[tx]*G[tx]/2)",        "(log(C[tx])-2*log(G[tx]))",
                                         "log(F[tx]*F[tx])",          "(log(A[tx])+log(F[tx]))",
                                         "exp(D[tx]-D[tx]*0.5)",      "exp(A[tx])*exp(H[tx])",
                                         "exp(H[tx])/exp(A[tx+1])",   "sqrt(C[tx]*G[tx])",
                                         "sqrt(C[tx])*sqrt(G[tx])",   "sqrt(F[tx]**2)",
                                         "((C[tx]+A[tx])/G[tx])",     "1/(C[tx]*(C[tx]+1))",
                                         "A[tx]/F[tx]*F[tx]",         "A[tx]*D[tx]/D[tx]",
                                         "(H[tx]*C[tx]-H[tx]*F[tx])", "(A[tx]*C[tx]+A[tx]*D[tx])",
                                         "log(exp(A[tx])/G[tx])"};
    if (random_.chance(1, 5)) return kPatterns[random_.below(std::size(kPatterns))];
    constexpr const char* kLeaves[] = {"A[tx]", "A[tx+1]", "C[tx]", "C[tx]", "D[tx]", "F[tx]", "F[tx]",
                                       "G[tx]", "H[tx]",   "1",     "2",     "0.5",   "tx"};
    return kLeaves[random_.below(std::size(kLeaves))];
  }

  Random random_;
};

constexpr std::string_view kHead =
    "@input A f64[5]\n@input C f64[4] positive\n@input D f64[4] [-3,2)\n@input F f64[4] nonzero\n@output E f64[4]\n"
    "B(tx,4)[G:f64[tx]=C:f64[tx]*C:f64[tx]+exp(D:f64[tx]);];"
    "B(tx,4)[H:f64[tx]=if_then_else(A:f64[tx]<0,-inf,A:f64[tx]);];";

std::string typed(std::string text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out.push_back(text[i]);
    if (text[i] >= 'A' && text[i] <= 'Z' && i + 1 < text.size() && text[i + 1] == '[') append(out, ":f64");
  }
  return out;
}

TEST(ScalarStrategies, EveryChoiceOnRandomEquations) {
  std::map<std::string_view, std::uint64_t> judged;
  std::uint64_t undecided = 0;
  for (std::uint64_t seed = 0; seed < soaked(800); ++seed) {
    EquationMaker maker(seed);
    const bool sums = seed % 4 == 0;
    const std::string right = maker.make(seed % 3 == 0 ? 3 : 2);
    const std::string equation =
        sums ? concat("B(tx,1)L(a,4)[E[a]=E[a]+(", right, ");];") : concat("B(tx,4)[E[tx]=", right, ";];");
    const Program program = strategy_program(concat(kHead, typed(equation)));
    for (const char* name : kStrategies) {
      const Strategy& strategy = *find_strategy(name);
      View view(program);
      const Listing listing = list_choices(strategy, view, true, true);
      for (const Refusal& refusal : listing.refusals) note_refusal(name, refusal);
      // Splits have choices everywhere, and each is like the others.
      const bool splits = std::string_view(name).ends_with("_split") || std::string_view(name) == "expand_cancellation";
      std::uint64_t left = splits ? 1 : 5;
      for (const ChoiceSite& site : listing.sites) {
        if (site.at.items[0] != 2 || left == 0) continue;
        --left;
        ++judged[name];
        if (check_application(strategy, program, site.choice(0)) == HouseResult::undecided) ++undecided;
        if (HasFailure()) return;
      }
    }
  }
  for (const char* name : kStrategies) {
    std::cout << name << " " << judged[name] << ", ";
    EXPECT_GT(judged[name], 0U) << name;
  }
  std::cout << undecided << " undecided\n";
}

}  // namespace
}  // namespace steptp::testing
