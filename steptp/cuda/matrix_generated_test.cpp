// Drawn contractions as CUDA text against the oracle: types, tiles, layouts, paddings, depths, edges and starts.
#include <gtest/gtest.h>

#include <cstdio>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/cuda/lower.h"
#include "steptp/text/document.h"
#include "testing/cuda_emulated.h"
#include "testing/lowering_support.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

struct Types {
  const char* factor;
  const char* sum;
  std::int64_t rows, columns, inner;
};
constexpr Types kTypes[] = {
    {"f16", "f32", 16, 8, 16}, {"f16", "f16", 16, 8, 16}, {"bf16", "f32", 16, 8, 16}, {"f64", "f64", 8, 8, 4}};

/// One contraction of a block, in rounds along k; then a store with guards where the edges are odd, and row statistics.
class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : random_(seed), types_(pick(kTypes)) {
    rows_ = types_.rows * random_.between(1, 2);
    columns_ = types_.columns * random_.between(1, 4);
    inner_ = types_.inner * random_.between(1, 2);
    rounds_ = random_.between(1, 3);
    constexpr const char* kDepths[] = {"s", "s2", "s3", "s5"};
    scope_ = rounds_ == 1 ? "s" : pick(kDepths);
    constexpr std::int64_t kThreads[] = {32, 48, 64, 100};
    threads_ = pick(kThreads);
    lacking_rows_ = random_.between(0, 2) * 2;
    lacking_columns_ = random_.between(0, 1) * 3;
  }

  [[nodiscard]] std::string text() {
    const std::int64_t units = random_.between(1, 2);
    const std::int64_t beside = random_.between(1, 2);
    const std::int64_t all_rows = units * rows_ - lacking_rows_;
    const std::int64_t all_columns = beside * columns_ - lacking_columns_;
    const bool is_left_turned = random_.between(0, 1) == 1;
    const bool is_right_turned = random_.between(0, 1) == 1;
    const std::string left_at = concat("wx*", rows_, "+m");
    const std::string right_at = concat("wy*", columns_, "+n");
    const std::string unit = concat("B^{", units, "}_{wx=0}B^{", beside, "}_{wy=0}");
    const std::string tile = concat("T^{", rows_, "}_{m=0}T^{", columns_, "}_{n=0}");
    const std::string sum = concat("E^{", types_.sum, ",f}_{m,n}");
    const std::string statistic = concat("R^{", types_.sum, ",f}_{m}");
    std::string out =
        concat("@input A ", types_.factor, "[", all_rows, ",", rounds_ * inner_, "]\n@input C ", types_.factor, "[",
               rounds_ * inner_, ",", all_columns, "]\n@output D ", types_.sum, "[", all_rows, ",", all_columns,
               "]\n@output I ", types_.sum, "[", all_rows, "]\nB^{1}_{bx=0}[");
    if (random_.between(0, 1) == 1) append(out, unit, "[", tile, "[", sum, "=m-n;];];");
    append(out, "L^{", rounds_, "}_{k=0}[", staged("F", "A", units * rows_, all_rows, is_left_turned, true),
           staged("G", "C", beside * columns_, all_columns, !is_right_turned, false), unit, "[", tile, "T^{", inner_,
           "}_{c=0}[", sum, "=", sum, "+", factor("F", left_at, is_left_turned), "*",
           factor("G", right_at, !is_right_turned), ";];];];");
    append(out, unit, "[", tile, "?{", left_at, "<", all_rows, "&", right_at, "<", all_columns, "}[D^{", types_.sum,
           ",g}_{", left_at, ",", right_at, "}=", sum, "*2-1;];];");
    const bool is_maximum = random_.between(0, 1) == 1;
    append(out, unit, "[", tile, "[", statistic, "=",
           is_maximum ? concat("max(", statistic, ",", sum, ")") : concat(statistic, "+", sum), ";];];");
    append(out, unit, "[T^{", rows_, "}_{m=0}?{", left_at, "<", all_rows, "&wy<1}[I^{", types_.sum, ",g}_{", left_at,
           "}=", statistic, ";];];];");
    return out;
  }

 private:
  template <typename T, std::size_t kCount>
  const T& pick(const T (&from)[kCount]) {
    return from[static_cast<std::size_t>(random_.between(0, static_cast<std::int64_t>(kCount) - 1))];
  }

  [[nodiscard]] std::string factor(const char* name, const std::string& at, bool is_inner_first) const {
    const std::string subscripts = is_inner_first ? concat("c,", at) : concat(at, ",c");
    return concat(name, "^{", types_.factor, ",", scope_, "}_{", subscripts, "}");
  }

  /// A tile, copied element by element, with rows that may be longer than what is used of them.
  [[nodiscard]] std::string staged(const char* name, const char* from, std::int64_t extent, std::int64_t all,
                                   bool is_inner_first, bool is_left) {
    constexpr std::int64_t kPaddings[] = {0, 0, 0, 1, 8};
    const std::int64_t used = is_inner_first ? extent : inner_;
    const std::int64_t row = used + pick(kPaddings);
    const std::int64_t total = (is_inner_first ? inner_ : extent) * row;
    const std::int64_t iterations = (total + threads_ - 1) / threads_;
    const std::string number = concat("(a*", threads_, "+tx)");
    const std::string first = concat("(", number, "//", row, ")");
    const std::string second = concat("(", number, "%", row, ")");
    const std::string inner = concat("k*", inner_, "+", is_inner_first ? first : second);
    const std::string& outer = is_inner_first ? second : first;
    std::string value =
        concat(from, "^{", types_.factor, ",g}_{", is_left ? outer : inner, ",", is_left ? inner : outer, "}");
    if (row != used || extent != all) {
      value = concat("if_then_else(", second, "<", used, "&", outer, "<", all, ",", value, ",0)");
    }
    const std::string guard = iterations * threads_ == total ? std::string() : concat("?{", number, "<", total, "}");
    return concat("B^{", threads_, "}_{tx=0}L^{", iterations, "}_{a=0}", guard, "[", name, "^{", types_.factor, ",",
                  scope_, "}_{", first, ",", second, "}=", value, ";];");
  }

  Random random_;
  const Types& types_;
  std::int64_t rows_ = 0, columns_ = 0, inner_ = 0, rounds_ = 0, threads_ = 0;
  std::int64_t lacking_rows_ = 0, lacking_columns_ = 0;
  std::string scope_;
};

TEST(MatrixNests, DrawnContractionsAgreeWithTheOracle) {
  Emulated emulated("drawn");
  std::vector<Judged> programs;
  const auto count = static_cast<std::size_t>(soaked(24));
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = Drawn(soak_seed(1) * 1000 + i).text();
    const Document document = read_document("drawn", text);
    ASSERT_TRUE(document.ok) << text;
    const auto made = judged(text, document.program);
    if (!made) continue;
    const auto lowered = cuda::lower(made->program);
    ASSERT_TRUE(lowered.ok()) << text << lowered.error().message;
    emulated.add(lowered->text);
    programs.push_back(*made);
  }
  ASSERT_GT(programs.size(), count / 3);
  ASSERT_TRUE(emulated.build());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const double tolerance = programs[i].name.find("@output D f16") == std::string::npos ? 2e-5 : 0.03;
    for (const bool reversed : {false, true}) {
      const Comparison found = compare_outputs(emulated.run(i, programs[i], reversed), programs[i].outputs, tolerance);
      EXPECT_EQ(found.first, "") << programs[i].name << (reversed ? " reversed" : "");
    }
  }
  std::printf("%zu of %zu programs\n", programs.size(), count);
}

}  // namespace
}  // namespace steptp::testing
