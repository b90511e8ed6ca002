#include "steptp/ir/index.h"

#include <gtest/gtest.h>

#include <map>

#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/ir/ref.h"

namespace steptp {
namespace {

Index v(const char* name) { return Index::variable(name); }
Index n(std::int64_t value) { return Index::constant(value); }
Index operator+(const Index& a, const Index& b) { return Index::add(a, b).value(); }
Index operator-(const Index& a, const Index& b) { return Index::subtract(a, b).value(); }
Index operator*(const Index& a, const Index& b) { return Index::multiply(a, b).value(); }
Index operator/(const Index& a, const Index& b) { return Index::floor_divide(a, b).value(); }
Index operator%(const Index& a, const Index& b) { return Index::modulo(a, b).value(); }

TEST(Index, LikeTermsCombineAndVanish) {
  const Index a = v("a");
  const Index c = v("c");
  EXPECT_EQ(a + a, a * n(2));
  EXPECT_EQ(a - a, n(0));
  EXPECT_TRUE((a - a).is_constant());
  EXPECT_EQ((a + c) - c, a);
  EXPECT_EQ((a + n(3)) - n(3), a);
  EXPECT_EQ(a * n(0), n(0));
  EXPECT_NE(a, c);
  EXPECT_NE(a, a + n(1));
  EXPECT_NE(a, a * n(2));
}

TEST(Index, ProductsDistributeOverSums) {
  const Index a = v("a");
  const Index c = v("c");
  EXPECT_EQ((a + n(1)) * (c - n(2)), a * c - a * n(2) + c - n(2));
  EXPECT_EQ((a + c) * (a - c), a * a - c * c);
  EXPECT_EQ((a + c) * n(3), n(3) * c + n(3) * a);
  EXPECT_EQ(a * c, c * a);
  EXPECT_NE(a * c, a * a);
}

TEST(Index, OrderOfWritingShowsOnlyInTheTerms) {
  const Index one = v("a") + v("c") * n(2) + v("d");
  const Index other = v("d") + v("c") * n(2) + v("a");
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.hash(), other.hash());
  EXPECT_EQ(compare(one, other), 0);
  EXPECT_EQ(std::get<LoopVariable>(one.terms()[0].factors[0]).name, "a");
  EXPECT_EQ(std::get<LoopVariable>(other.terms()[0].factors[0]).name, "d");
  const Index first = one.sorted();
  const Index second = other.sorted();
  ASSERT_EQ(first.terms().size(), second.terms().size());
  for (std::size_t i = 0; i < first.terms().size(); ++i) {
    EXPECT_EQ(compare(first.terms()[i].factors[0], second.terms()[i].factors[0]), 0);
    EXPECT_EQ(first.terms()[i].coefficient, second.terms()[i].coefficient);
  }
  EXPECT_EQ(first, one);
}

TEST(Index, OrderInsideDivisionsAndReadsDoesNotMatterEither) {
  const auto ref = [](const Index& subscript) {
    return Index::read(make_ref("C", DType::i32, Scope::global, {subscript}));
  };
  const Index one = ref(v("a") + v("c")) + (v("c") + v("a")) / n(3) + (v("a") + v("c")) % n(5);
  const Index other = (v("c") + v("a")) % n(5) + ref(v("c") + v("a")) + (v("a") + v("c")) / n(3);
  EXPECT_EQ(one, other);
  EXPECT_EQ(one.hash(), other.hash());
  EXPECT_NE(ref(v("a")), ref(v("c")));
  EXPECT_NE(v("a") / n(3), v("a") / n(4));
  EXPECT_NE(v("a") / n(3), v("a") % n(3));
}

TEST(Index, APositiveTermIsShownFirst) {
  const Index index = n(0) - v("a") + v("c");
  EXPECT_EQ(std::get<LoopVariable>(index.terms()[0].factors[0]).name, "c");
  EXPECT_EQ(index, v("c") - v("a"));
}

TEST(Index, ConstantsFold) {
  EXPECT_EQ(n(7) / n(2), n(3));
  EXPECT_EQ(n(-7) / n(2), n(-4));
  EXPECT_EQ(n(7) / n(-2), n(-4));
  EXPECT_EQ(n(-7) % n(2), n(1));
  EXPECT_EQ(n(7) % n(-2), n(-1));
  EXPECT_EQ(v("a") / n(1), v("a"));
  EXPECT_EQ(v("a") % n(1), n(0));
  EXPECT_EQ(v("a") % n(-1), n(0));
}

TEST(Index, DivisionFloors) {
  for (std::int64_t a = -20; a <= 20; ++a) {
    for (std::int64_t b = -7; b <= 7; ++b) {
      if (b == 0) continue;
      const std::int64_t quotient = floor_quotient(a, b);
      const std::int64_t remainder = floor_remainder(a, b);
      EXPECT_EQ(quotient * b + remainder, a) << a << " " << b;
      EXPECT_TRUE(b > 0 ? remainder >= 0 && remainder < b : remainder <= 0 && remainder > b) << a << " " << b;
    }
  }
  EXPECT_EQ(floor_quotient(INT64_MAX, -1), -INT64_MAX);
}

TEST(Index, WhatDoesNotFitGivesNothing) {
  EXPECT_FALSE(Index::add(n(INT64_MAX), n(1)));
  EXPECT_FALSE(Index::subtract(n(-INT64_MAX), n(1)));  // the least integer has no text
  EXPECT_FALSE(Index::subtract(n(-INT64_MAX), n(2)));
  EXPECT_FALSE(Index::multiply(v("a") * n(INT64_MAX), n(2)));
  EXPECT_FALSE(Index::add(v("a") * n(INT64_MAX), v("a")));
  EXPECT_TRUE(Index::add(n(INT64_MAX - 1), n(1)));
  EXPECT_FALSE(Index::floor_divide(v("a"), n(0)));
  EXPECT_FALSE(Index::modulo(v("a"), n(0)));
  EXPECT_FALSE(Index::floor_divide(v("a"), v("a") - v("a")));
  Index power = v("a");
  for (int i = 1; i < 64; ++i) power = power * v("a");
  EXPECT_FALSE(Index::multiply(power, v("a")));
  Index deep = v("a");
  int depth = 0;
  for (; depth < 1000; ++depth) {
    const auto next = Index::floor_divide(deep, n(2));
    if (!next) break;
    deep = *next;
  }
  EXPECT_EQ(depth, Index::kMaxNesting);
  EXPECT_EQ(deep.nesting(), 2 * Index::kMaxNesting);
}

TEST(Index, LongSums) {
  std::vector<Index> parts;
  for (std::size_t i = 0; i < Index::kMaxTerms; ++i) parts.push_back(Index::variable(concat("a", i)));
  for (; parts.size() > 1; parts.resize(parts.size() / 2)) {
    for (std::size_t i = 0; i < parts.size() / 2; ++i) parts[i] = parts[i] + parts[parts.size() / 2 + i];
  }
  const Index sum = parts[0];
  EXPECT_EQ(sum.terms().size(), Index::kMaxTerms);
  EXPECT_FALSE(Index::add(sum, v("c")));
  EXPECT_TRUE(Index::add(sum, Index::variable("a17")));
  EXPECT_FALSE(Index::multiply(sum, v("a") + v("c")));
  EXPECT_EQ(sum - sum, n(0));
}

TEST(Index, AsVariable) {
  EXPECT_EQ(*v("tx").as_variable(), "tx");
  for (const Index& other : {n(3), v("a") + n(1), v("a") * n(2), v("a") * v("c"), v("a") / n(2), v("a") + v("c")}) {
    EXPECT_EQ(other.as_variable(), nullptr);
  }
}

TEST(Index, RewriteReplacesEverywhere) {
  const Index inner = Index::read(make_ref("C", DType::i32, Scope::global, {v("a") + v("c")}));
  const Index index = v("a") * v("a") + (v("a") + n(1)) / n(2) + inner;
  const IndexRewriter rewriter{
      [](const std::string& name) { return name == "a" ? std::optional(v("d") + n(1)) : std::nullopt; }, {}};
  const Index expected = v("d") * v("d") + v("d") * n(2) + n(1) + (v("d") + n(2)) / n(2) +
                         Index::read(make_ref("C", DType::i32, Scope::global, {v("d") + v("c") + n(1)}));
  EXPECT_EQ(rewrite(index, rewriter), expected);
  const RefPtr ref = make_ref("D", DType::f32, Scope::global, {v("c")});
  EXPECT_EQ(rewrite(ref, rewriter), ref) << "unchanged: the same object";
  const IndexRewriter huge{[](const std::string&) { return std::optional(n(INT64_MAX)); }, {}};
  EXPECT_FALSE(rewrite(index, huge));
  EXPECT_EQ(rewrite(make_ref("D", DType::f32, Scope::global, {index}), huge), nullptr);
  const IndexRewriter zero{[](const std::string&) { return std::optional(n(0)); }, {}};
  EXPECT_FALSE(rewrite(n(4) / v("a"), zero));
}

TEST(Index, VariablesAndReadsAreVisited) {
  const RefPtr deep = make_ref("D", DType::i32, Scope::global, {v("d")});
  const RefPtr outer = make_ref("C", DType::i32, Scope::global, {Index::read(deep) + v("c")});
  const Index index = v("a") + Index::read(outer) % n(7);
  std::string names;
  for_each_variable(index, [&names](const std::string& name) { names += name; });
  EXPECT_EQ(names, "adc");
  std::vector<RefPtr> reads;
  for_each_read(index, [&reads](const RefPtr& ref) { reads.push_back(ref); });
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(reads[0], outer);
  EXPECT_EQ(index.nesting(), 4);
}

/// A random expression, computed twice: as an Index, and directly at some points.
class RandomIndex {
 public:
  RandomIndex(Random& random, std::map<std::string, std::int64_t> point) : random_(random), point_(std::move(point)) {}

  std::pair<Index, std::int64_t> draw(int depth) {
    if (depth == 0 || random_.chance(1, 5)) {
      if (random_.chance(1, 3)) {
        const std::int64_t value = random_.between(-9, 9);
        return {n(value), value};
      }
      const auto at = std::next(point_.begin(), static_cast<std::ptrdiff_t>(random_.below(point_.size())));
      return {Index::variable(at->first), at->second};
    }
    const auto [left, a] = draw(depth - 1);
    auto [right, b] = draw(depth - 1);
    switch (random_.below(5)) {
      case 0: return {left + right, a + b};
      case 1: return {left - right, a - b};
      case 2: return {left * right, a * b};
      default: break;
    }
    const std::int64_t divisor = random_.chance(1, 4) ? random_.between(-6, -1) : random_.between(1, 6);
    const bool quotient = random_.chance(1, 2);
    if (quotient) return {left / n(divisor), floor_quotient(a, divisor)};
    return {left % n(divisor), floor_remainder(a, divisor)};
  }

 private:
  Random& random_;
  std::map<std::string, std::int64_t> point_;
};

std::int64_t value_at(const Index& index, const std::map<std::string, std::int64_t>& point) {
  const auto at_point =
      rewrite(index, {[&point](const std::string& name) { return std::optional(n(point.at(name))); }, {}});
  EXPECT_TRUE(at_point && at_point->is_constant());
  return at_point->constant_term();
}

TEST(Index, NormalFormKeepsValues) {
  std::size_t equal_pairs = 0;
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    const std::map<std::string, std::int64_t> point = {
        {"a", random.between(-5, 5)}, {"c", random.between(-5, 5)}, {"tx", random.between(0, 9)}};
    RandomIndex source(random, point);
    const auto [index, value] = source.draw(3);
    ASSERT_EQ(value_at(index, point), value) << seed;
    ASSERT_EQ(value_at(index.sorted(), point), value) << seed;
    ASSERT_EQ(index.sorted(), index);
    ASSERT_EQ(index.sorted().hash(), index.hash());
    // The same things added in another order are the same index.
    const auto [other, unused] = source.draw(2);
    ASSERT_EQ(index + other, other + index);
    ASSERT_EQ((index + other).hash(), (other + index).hash());
    ASSERT_EQ((index + other) - other, index);
    ASSERT_EQ(compare(index, other), -compare(other, index));
    ASSERT_EQ(index == other, compare(index, other) == 0);
    equal_pairs += index == other ? 1 : 0;
  }
  EXPECT_GT(equal_pairs, 0u);
}

}  // namespace
}  // namespace steptp
