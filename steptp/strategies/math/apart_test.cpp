#include <gtest/gtest.h>

#include "testing/strategy_test.h"

namespace steptp::testing {
namespace {

TEST(Apart, Fractions) {
  const auto splits = [](std::string_view right, std::string_view by, std::string_view wanted) {
    expect_rewrite("apart", vector_program(right),
                   R"({"at":"0/0:right","form":"fractions","by":"0/0:right)" + std::string(by) + "\"}",
                   vector_nest(wanted));
  };
  splits("1/(D[tx]*(D[tx]+1))", ".1.0", "1/D[tx]-1/(D[tx]+1)");
  splits("A[tx]/((D[tx]+2)*(D[tx]+1))", ".1.0.0", "A[tx]/(D[tx]+1)-A[tx]/(D[tx]+2)");
  splits("(D[tx]**2+A[tx])/(D[tx]*(D[tx]+1)*F[tx])", ".0.0.0",
         "A[tx]/(D[tx]*F[tx])-(A[tx]+1)/((D[tx]+1)*F[tx])+1/F[tx]");
}

TEST(Apart, Terms) {
  const auto splits = [](std::string_view right, std::string_view by, std::string_view wanted) {
    expect_rewrite("apart", vector_program(right),
                   R"({"at":"0/0:right","form":"terms","by":"0/0:right)" + std::string(by) + "\"}",
                   vector_nest(wanted));
  };
  splits("(A[tx]+1)/D[tx]", ".0", "A[tx]/D[tx]+1/D[tx]");
  splits("(A[tx]-C[tx])/sqrt(D[tx]+1e-05)", ".0", "A[tx]/sqrt(D[tx]+1e-05)-C[tx]/sqrt(D[tx]+1e-05)");
  splits("(A[tx]+3)/6", ".0", "A[tx]/6+3/6");
}

TEST(Apart, Refusals) {
  const auto none = [](std::string_view right, std::string_view why) {
    expect_no_choice("apart", vector_program(right), why);
  };
  none("A[tx]/D[tx]", "matches");
  none("(A[tx]+1)/C[tx]", "non-zero");
  none("1/(A[tx]*(A[tx]+1))", "non-zero");
  // The divisor is positive, which says nothing of its factors one by one that can be derived from bounds.
  none("1/((D[tx]-1)*(D[tx]+1))", "non-zero");
  none("(log(A[tx])+1)/D[tx]", "finite");
  none("floor((A[tx]+1)/D[tx])", "value-only");
  expect_no_choice("apart",
                   "@input A f16[8]\n@input D f32[8] positive\n@output E f32[8]\n"
                   "B(tx,8)[E[tx]=(A:f16[tx]+1)/D[tx];];\n",
                   "one-type");
  expect_no_choice("apart", "@input D f32[8] positive\n@output E f32\nL(a,8)[E[]=E[]*(D[a]+1);];\n", "accumulator");
}

}  // namespace
}  // namespace steptp::testing
