// Maps of subscripts, their inverses, injectivity and images, against all points of small boxes.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "steptp/analysis/index_map.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "testing/enumerate.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

/// Draws maps: mixed radix sums, quotients and remainders of sums, reversed and shifted variables.
class MapDraw {
 public:
  explicit MapDraw(Random& random) : random_(random) {}

  IndexMap draw() {
    IndexMap map;
    const char* const names[] = {"a", "c", "d"};
    const std::size_t variables = 1 + random_.below(3);
    for (std::size_t i = 0; i < variables; ++i) map.box.push_back({names[i], random_.between(1, 6)});
    const std::size_t rank = 1 + random_.below(3);
    for (std::size_t i = 0; i < rank; ++i) map.subscripts.push_back(subscript(map, 1));
    if (random_.chance(1, 3)) {  // a whole space taken apart
      const Index sum = mixed_radix(map);
      const Index by = Index::constant(random_.between(2, 5));
      map.subscripts = {*Index::floor_divide(sum, by), *Index::modulo(sum, by)};
    }
    return map;
  }

 private:
  Index variable(const IndexMap& map) { return Index::variable(map.box[random_.below(map.box.size())].name); }

  static Index mixed_radix(const IndexMap& map) {
    Index sum;
    std::int64_t scale = 1;
    for (const BoxVariable& variable : map.box) {
      sum = *Index::add(sum, *Index::multiply(Index::constant(scale), Index::variable(variable.name)));
      scale *= variable.extent;
    }
    return sum;
  }

  Index subscript(const IndexMap& map, int depth) {
    switch (random_.below(depth > 0 ? 8 : 5)) {
      case 0: return *Index::add(variable(map), Index::constant(random_.between(-3, 3)));
      case 1: return *Index::subtract(Index::constant(random_.between(0, 6)), variable(map));
      case 2:
        return *Index::add(*Index::multiply(Index::constant(random_.between(-8, 8)), variable(map)), variable(map));
      case 3: return mixed_radix(map);
      case 4: return variable(map);
      case 5: return *Index::floor_divide(subscript(map, 0), Index::constant(random_.between(2, 5)));
      case 6: return *Index::modulo(subscript(map, 0), Index::constant(random_.between(2, 5)));
      default:
        return *Index::add(*Index::multiply(Index::constant(random_.between(2, 7)), subscript(map, 0)),
                           *Index::modulo(variable(map), Index::constant(random_.between(2, 4))));
    }
  }
  Random& random_;
};

std::vector<Environment> points_of(const std::vector<BoxVariable>& box) {
  std::vector<Environment> points{{}};
  for (const BoxVariable& variable : box) {
    std::vector<Environment> more;
    for (const Environment& point : points) {
      for (std::int64_t i = 0; i < variable.extent; ++i) {
        more.push_back(point);
        more.back()[variable.name] = i;
      }
    }
    points = std::move(more);
  }
  return points;
}

std::vector<std::int64_t> tuple_at(const IndexMap& map, const Environment& point) {
  std::vector<std::int64_t> tuple;
  for (const Index& subscript : map.subscripts) tuple.push_back(evaluate(subscript, point));
  return tuple;
}

struct Counts {
  int inverted = 0;
  int injective = 0;
  int dense = 0;
};

void judge(const IndexMap& map, std::uint64_t seed, Presburger& isl, Counts& counts) {
  const std::vector<Environment> points = points_of(map.box);
  std::map<std::vector<std::int64_t>, int> images;
  for (const Environment& point : points) ++images[tuple_at(map, point)];
  const bool injective = images.size() == points.size();

  const Truth answer = is_injective(map, isl);
  ASSERT_EQ(answer, injective ? Truth::yes : Truth::no) << "seed " << seed;
  counts.injective += injective ? 1 : 0;

  std::vector<std::string> names;
  for (std::size_t i = 0; i < map.subscripts.size(); ++i) names.push_back(concat("t", i));
  if (const auto inverted = inverse(map, names)) {
    ASSERT_TRUE(injective) << "seed " << seed;
    ++counts.inverted;
    for (const Environment& point : points) {
      const std::vector<std::int64_t> tuple = tuple_at(map, point);
      Environment at;
      for (std::size_t i = 0; i < tuple.size(); ++i) at[names[i]] = tuple[i];
      for (std::size_t i = 0; i < map.box.size(); ++i) {
        ASSERT_EQ(evaluate((*inverted)[i], at), point.at(map.box[i].name)) << "seed " << seed;
      }
    }
  }
  if (const auto image = dense_image(map)) {
    ++counts.dense;
    std::size_t size = 1;
    for (const Interval& side : *image) size *= static_cast<std::size_t>(side.high - side.low + 1);
    ASSERT_EQ(images.size(), size) << "seed " << seed;
    for (const auto& [tuple, count] : images) {
      for (std::size_t i = 0; i < tuple.size(); ++i) {
        ASSERT_TRUE((*image)[i].low <= tuple[i] && tuple[i] <= (*image)[i].high) << "seed " << seed;
      }
    }
  }
  for (const Index& subscript : map.subscripts) {
    const Index simple = simplified(subscript, map.box);
    for (const Environment& point : points) {
      ASSERT_EQ(evaluate(simple, point), evaluate(subscript, point)) << "seed " << seed;
    }
  }
}

TEST(IndexMapBruteForce, DrawnMaps) {
  Presburger isl;
  Counts counts;
  const std::uint64_t seeds = soaked(6000);
  for (std::uint64_t seed = 0; seed < seeds && !HasFatalFailure(); ++seed) {
    Random random(seed);
    judge(MapDraw(random).draw(), seed, isl, counts);
  }
  EXPECT_GE(counts.inverted, static_cast<int>(seeds) / 4);
  EXPECT_GE(counts.dense, static_cast<int>(seeds) / 10);
  // Most injective maps have an inverse in mixed radix.
  EXPECT_GE(counts.inverted, counts.injective * 3 / 4);
  RecordProperty("inverted", counts.inverted);
  RecordProperty("injective", counts.injective);
  RecordProperty("dense", counts.dense);
}

TEST(IndexMap, InversesInMixedRadix) {
  const Index a = Index::variable("a");
  const Index c = Index::variable("c");
  const Index t = Index::variable("t");
  const Index u = Index::variable("u");
  const Index sum = *Index::add(*Index::multiply(Index::constant(8), a), c);
  const auto fused = inverse({{{"a", 5}, {"c", 8}}, {sum}}, {"t"});
  ASSERT_TRUE(fused);
  EXPECT_EQ((*fused)[0], *Index::floor_divide(t, Index::constant(8)));
  EXPECT_EQ((*fused)[1], *Index::modulo(t, Index::constant(8)));
  const Index four = Index::constant(4);
  const auto split = inverse({{{"a", 12}}, {*Index::floor_divide(a, four), *Index::modulo(a, four)}}, {"t", "u"});
  ASSERT_TRUE(split);
  EXPECT_EQ((*split)[0], *Index::add(*Index::multiply(four, t), u));
  EXPECT_FALSE(inverse({{{"a", 5}, {"c", 9}}, {sum}}, {"t"}));
}

TEST(IndexMap, SimplifiedOverItsBox) {
  const Index a = Index::variable("a");
  const Index c = Index::variable("c");
  const Index four = Index::constant(4);
  const Index sum = *Index::add(*Index::multiply(four, a), c);
  const std::vector<BoxVariable> box{{"a", 3}, {"c", 4}};
  EXPECT_EQ(simplified(*Index::floor_divide(sum, four), box), a);
  EXPECT_EQ(simplified(*Index::modulo(sum, four), box), c);
  const std::vector<BoxVariable> wider{{"a", 3}, {"c", 5}};
  EXPECT_EQ(simplified(*Index::modulo(sum, four), wider), *Index::modulo(c, four));
}

TEST(IndexMap, DivisorsThatShareAFactor) {
  const Index a = Index::variable("a");
  const Index c = Index::variable("c");
  const auto n = [](std::int64_t value) { return Index::constant(value); };
  const Index sum = *Index::add(*Index::add(*Index::multiply(n(4), a), c), n(8));
  const std::vector<BoxVariable> box{{"a", 30}, {"c", 4}};
  const Index two_on = *Index::add(a, n(2));
  EXPECT_EQ(simplified(*Index::floor_divide(sum, n(12)), box), *Index::floor_divide(two_on, n(3)));
  EXPECT_EQ(simplified(*Index::modulo(sum, n(12)), box),
            *Index::add(*Index::multiply(n(4), *Index::modulo(two_on, n(3))), c));
  // With c up to 4 the sum carries.
  const std::vector<BoxVariable> wider{{"a", 30}, {"c", 5}};
  EXPECT_EQ(simplified(*Index::floor_divide(sum, n(12)), wider), *Index::floor_divide(sum, n(12)));
  const Index twice = *Index::floor_divide(*Index::floor_divide(sum, n(5)), n(7));
  EXPECT_EQ(simplified(twice, box), *Index::floor_divide(sum, n(35)));
}

// All values, compared one by one: // and % floor, also below zero.
TEST(IndexMap, SimplifiedIsTheSameValue) {
  const Index a = Index::variable("a");
  const Index c = Index::variable("c");
  const auto value = [](const Index& index, std::int64_t at_a, std::int64_t at_c) {
    IndexRewriter rewriter;
    rewriter.variable = [&](const std::string& name) { return Index::constant(name == "a" ? at_a : at_c); };
    return rewrite(index, rewriter)->constant_term();
  };
  const std::vector<BoxVariable> box{{"a", 7}, {"c", 3}};
  for (const std::int64_t scale : {-6, -3, 2, 3, 4, 6}) {
    for (const std::int64_t constant : {-7, -4, 0, 1, 5}) {
      for (const std::int64_t by : {2, 6, 12, 15}) {
        const Index sum =
            *Index::add(*Index::add(*Index::multiply(Index::constant(scale), a), c), Index::constant(constant));
        for (const Index& index :
             {*Index::floor_divide(sum, Index::constant(by)), *Index::modulo(sum, Index::constant(by)),
              *Index::floor_divide(*Index::floor_divide(sum, Index::constant(2)), Index::constant(by))}) {
          const Index simple = simplified(index, box);
          for (std::int64_t i = 0; i < 7; ++i) {
            for (std::int64_t k = 0; k < 3; ++k) ASSERT_EQ(value(simple, i, k), value(index, i, k));
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace steptp::testing
