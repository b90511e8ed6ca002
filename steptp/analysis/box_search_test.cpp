// Ranges, searches and inferred shapes against plain enumeration of small nests.
#include "steptp/analysis/box_search.h"

#include <gtest/gtest.h>

#include "steptp/analysis/shapes.h"
#include "steptp/base/random.h"
#include "steptp/text/document.h"

namespace steptp {
namespace {

const std::vector<std::string> kNames = {"a", "c", "tx"};

/// The independent half: an index and a condition as closures, built beside the trees.
struct Sum1 {
  Index index;
  std::function<std::int64_t(const Point&)> value;
};
struct Condition {
  ExprPtr expr;
  std::function<bool(const Point&)> holds;
};

class Source {
 public:
  explicit Source(Random& random) : random_(random) {}

  /// Quasi-affine: coefficients of either sign, // and % by constants, nested once.
  Sum1 index(int depth) {
    const std::int64_t constant = random_.between(-4, 6);
    Sum1 sum{Index::constant(constant), [constant](const Point&) { return constant; }};
    for (const std::string& name : kNames) {
      if (random_.chance(1, 3)) continue;
      const std::int64_t scale = random_.between(-4, 4);
      add(sum, scale, {Index::variable(name), [name](const Point& point) { return point.at(name); }});
    }
    if (depth > 0 && random_.chance(1, 2)) {
      const Sum1 inner = index(depth - 1);
      const std::int64_t by = random_.chance(1, 5) ? random_.between(-5, -2) : random_.between(2, 6);
      const bool quotient = random_.chance(1, 2);
      const Index by_index = Index::constant(by);
      Sum1 divided{quotient ? *Index::floor_divide(inner.index, by_index) : *Index::modulo(inner.index, by_index),
                   [inner, by, quotient](const Point& point) {
                     const std::int64_t x = inner.value(point);
                     return quotient ? floor_quotient(x, by) : floor_remainder(x, by);
                   }};
      add(sum, random_.between(-3, 3), std::move(divided));
    }
    return sum;
  }

  Condition condition(int depth) {
    if (depth > 0 && random_.chance(1, 2)) {
      const Condition left = condition(depth - 1);
      const Condition right = condition(depth - 1);
      const bool both = random_.chance(1, 2);
      return {make_expr(Logic{both ? LogicOp::conjunction : LogicOp::disjunction, {left.expr, right.expr}}),
              [left, right, both](const Point& point) {
                return both ? left.holds(point) && right.holds(point) : left.holds(point) || right.holds(point);
              }};
    }
    const auto op = kAllCompareOps[random_.below(kAllCompareOps.size())];
    const auto [left_expr, left] = value(1);
    const auto [right_expr, right] = value(0);
    return {make_expr(Compare{{left_expr, right_expr}, {op}}), [op, left, right](const Point& point) {
              const std::int64_t x = left(point);
              const std::int64_t y = right(point);
              switch (op) {
                case CompareOp::less: return x < y;
                case CompareOp::less_equal: return x <= y;
                case CompareOp::greater: return x > y;
                case CompareOp::greater_equal: return x >= y;
                case CompareOp::equal: return x == y;
                case CompareOp::not_equal: return x != y;
              }
              return false;
            }};
  }

 private:
  static void add(Sum1& sum, std::int64_t scale, Sum1 part) {
    sum.index = *Index::add(sum.index, *Index::multiply(part.index, Index::constant(scale)));
    sum.value = [before = sum.value, scale, value = std::move(part.value)](const Point& point) {
      return before(point) + scale * value(point);
    };
  }

  std::pair<ExprPtr, std::function<std::int64_t(const Point&)>> value(int depth) {
    if (depth == 0) {
      const std::int64_t constant = random_.between(-3, 8);
      return {integer_literal(constant), [constant](const Point&) { return constant; }};
    }
    const std::string name = kNames[random_.below(kNames.size())];
    const std::string other = kNames[random_.below(kNames.size())];
    const std::int64_t scale = random_.between(-3, 3);
    const std::int64_t by = random_.between(2, 5);
    ExprPtr expr = make_product(make_expr(IndexValue{name}), ArithmeticOp::multiply, integer_literal(scale));
    expr = make_sum(expr, ArithmeticOp::add, make_expr(IndexValue{other}));
    switch (random_.below(3)) {
      case 0: return {expr, [=](const Point& p) { return p.at(name) * scale + p.at(other); }};
      case 1:
        return {make_product(expr, ArithmeticOp::floor_divide, integer_literal(by)),
                [=](const Point& p) { return floor_quotient(p.at(name) * scale + p.at(other), by); }};
      default:
        return {make_product(expr, ArithmeticOp::modulo, integer_literal(by)),
                [=](const Point& p) { return floor_remainder(p.at(name) * scale + p.at(other), by); }};
    }
  }

  Random& random_;
};

void for_each_point(const std::vector<std::int64_t>& extents, const std::function<void(const Point&)>& visit) {
  Point point;
  const std::function<void(std::size_t)> loop = [&](std::size_t number) {
    if (number == extents.size()) return visit(point);
    for (std::int64_t i = 0; i < extents[number]; ++i) {
      point[kNames[number]] = i;
      loop(number + 1);
    }
  };
  loop(0);
}

struct Drawn {
  std::vector<std::int64_t> extents;
  Sum1 target;
  std::vector<Condition> conditions;
  std::vector<bool> holds;
  SearchProblem problem;
};

Drawn draw(std::uint64_t seed) {
  Random random(seed);
  Source source(random);
  Drawn drawn{{random.between(1, 7), random.between(1, 6), random.between(1, 5)}, source.index(2), {}, {}, {}};
  for (std::size_t i = random.below(3); i-- > 0;) {
    drawn.conditions.push_back(source.condition(2));
    drawn.holds.push_back(random.chance(2, 3));
  }
  for (std::size_t i = 0; i < kNames.size(); ++i) drawn.problem.ranges.variables[kNames[i]] = {0, drawn.extents[i] - 1};
  for (std::size_t i = 0; i < drawn.conditions.size(); ++i)
    drawn.problem.conditions.push_back({drawn.conditions[i].expr, drawn.holds[i]});
  return drawn;
}

bool reached(const Drawn& drawn, const Point& point) {
  for (std::size_t i = 0; i < drawn.conditions.size(); ++i) {
    if (drawn.conditions[i].holds(point) != drawn.holds[i]) return false;
  }
  return true;
}

TEST(BoxSearch, ExactRangeIsTheEnumeratedOne) {
  std::size_t conditional = 0;
  std::size_t empty = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Drawn drawn = draw(seed);
    drawn.problem.target = &drawn.target.index;
    std::optional<Interval> expected;
    for_each_point(drawn.extents, [&](const Point& point) {
      if (!reached(drawn, point)) return;
      const Wide value = drawn.target.value(point);
      expected = expected ? hull(*expected, {value, value}) : Interval{value, value};
    });
    const auto found = exact_range(drawn.problem, 100'000);
    ASSERT_EQ(found.has_value(), expected.has_value()) << "seed " << seed;
    if (!expected) ++empty;
    if (!expected) continue;
    conditional += drawn.conditions.empty() ? 0 : 1;
    ASSERT_TRUE(*found == *expected) << "seed " << seed;
    // The interval alone is a superset.
    ASSERT_TRUE(range_of(drawn.target.index, drawn.problem.ranges).contains(*expected)) << "seed " << seed;
  }
  EXPECT_GT(conditional, 1000u);
  EXPECT_GT(empty, 100u);
}

TEST(BoxSearch, FindOutsideIsRightAndItsWitnessHolds) {
  std::size_t found_count = 0;
  std::size_t none_count = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Drawn drawn = draw(seed);
    Random random = Random(seed).fork(1);
    drawn.problem.target = &drawn.target.index;
    const std::int64_t low = random.between(-12, 2);
    drawn.problem.interval = {low, low + random.between(0, 30)};
    const auto outside = [&](const Point& point) {
      const Wide value = drawn.target.value(point);
      return reached(drawn, point) && (value < drawn.problem.interval.low || value > drawn.problem.interval.high);
    };
    bool expected = false;
    for_each_point(drawn.extents, [&](const Point& point) { expected = expected || outside(point); });
    const SearchAnswer answer = find_outside(drawn.problem, 100'000);
    ASSERT_EQ(answer.kind, expected ? SearchAnswer::Kind::found : SearchAnswer::Kind::none) << "seed " << seed;
    ++(expected ? found_count : none_count);
    if (!expected) continue;
    ASSERT_TRUE(outside(answer.point)) << "seed " << seed;
    ASSERT_TRUE(answer.value == drawn.target.value(answer.point)) << "seed " << seed;
  }
  EXPECT_GT(found_count, 500u);
  EXPECT_GT(none_count, 500u);
}

/// scale*(a + c) + offset as a value.
ExprPtr sum_of_two(std::int64_t scale, std::int64_t offset) {
  const ExprPtr sum = make_sum(make_expr(IndexValue{"a"}), ArithmeticOp::add, make_expr(IndexValue{"c"}));
  return make_sum(make_product(sum, ArithmeticOp::multiply, integer_literal(scale)), ArithmeticOp::add,
                  integer_literal(offset));
}

/// The target a+c under scale*(a+c)+offset < limit or >= limit: the condition cancels against the target.
TEST(BoxSearch, ConditionsOnTheTargetItselfAreRight) {
  std::map<SearchAnswer::Kind, int> kinds;
  const Index target = *Index::add(Index::variable("a"), Index::variable("c"));
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const std::int64_t scale = random.chance(1, 2) ? 1 : random.between(-2, 2);
    const std::int64_t offset = random.between(-2, 2);
    const std::int64_t limit = random.between(-2, 10);
    const bool holds = random.chance(1, 2);
    const std::vector<std::int64_t> extents = {random.between(1, 7), random.between(1, 6), 1};
    SearchProblem problem;
    for (std::size_t i = 0; i < kNames.size(); ++i) problem.ranges.variables[kNames[i]] = {0, extents[i] - 1};
    problem.target = &target;
    const std::int64_t low = random.between(-2, 4);
    problem.interval = {low, low + random.between(0, 8)};
    problem.conditions.push_back(
        {make_expr(Compare{{sum_of_two(scale, offset), integer_literal(limit)}, {CompareOp::less}}), holds});
    bool expected = false;
    for_each_point(extents, [&](const Point& point) {
      const std::int64_t value = point.at("a") + point.at("c");
      if ((scale * value + offset < limit) != holds) return;
      expected = expected || value < problem.interval.low || value > problem.interval.high;
    });
    const SearchAnswer answer = find_outside(problem, 100'000);
    ASSERT_EQ(answer.kind, expected ? SearchAnswer::Kind::found : SearchAnswer::Kind::none) << "seed " << seed;
    ++kinds[answer.kind];
  }
  EXPECT_GT(kinds[SearchAnswer::Kind::found], 300);
  EXPECT_GT(kinds[SearchAnswer::Kind::none], 300);
}

TEST(BoxSearch, AConditionOnTheTargetDecidesAtAnyExtent) {
  const Index target = *Index::add(*Index::add(Index::variable("a"), Index::variable("c")), Index::constant(-1));
  for (const std::int64_t extent : {std::int64_t{8}, std::int64_t{1} << 40}) {
    SearchProblem problem;
    problem.ranges.variables = {{"a", {0, extent - 1}}, {"c", {0, 2}}};
    problem.target = &target;
    problem.interval = {0, extent - 1};
    problem.conditions.push_back({make_expr(Compare{{integer_literal(1), sum_of_two(1, 0), integer_literal(extent)},
                                                    {CompareOp::less_equal, CompareOp::less_equal}}),
                                  true});
    EXPECT_EQ(find_outside(problem, 0).kind, SearchAnswer::Kind::none) << extent;
    problem.interval = {0, extent - 2};
    EXPECT_EQ(find_outside(problem, 1000).kind, SearchAnswer::Kind::found) << extent;
  }
}

TEST(BoxSearch, GivesUpWithinItsBudget) {
  SearchProblem problem;
  for (const std::string& name : kNames) problem.ranges.variables[name] = {0, 1'000'000'000};
  const Index product = *Index::multiply(Index::variable("a"), Index::variable("c"));
  problem.target = &product;
  problem.interval = {0, kWideLimit};
  const ExprPtr twisted = make_expr(
      Compare{{make_product(make_expr(IndexValue{"a"}), ArithmeticOp::modulo, integer_literal(7)), integer_literal(9)},
              {CompareOp::equal}});
  problem.conditions.push_back({twisted, true});
  problem.interval = {1, 2};
  EXPECT_EQ(find_outside(problem, 0).kind, SearchAnswer::Kind::gave_up);
  // An index that no loop binds cannot be searched.
  problem.ranges.variables.erase("a");
  EXPECT_EQ(find_outside(problem, 100).kind, SearchAnswer::Kind::gave_up);
  EXPECT_FALSE(exact_range(problem, 100));
}

TEST(BoxSearch, DataMakesAnAnswerPossibleOnly) {
  const Index read = Index::read(make_ref("C", DType::u8, Scope::global, {Index::variable("a")}));
  SearchProblem problem;
  problem.ranges.variables["a"] = {0, 3};
  problem.target = &read;
  problem.interval = {0, 10};
  EXPECT_EQ(find_outside(problem, 100).kind, SearchAnswer::Kind::possible);
  problem.ranges.tensors["C"] = {0, 10};
  EXPECT_EQ(find_outside(problem, 100).kind, SearchAnswer::Kind::none);
  problem.ranges.tensors.clear();
  problem.interval = {0, 255};
  EXPECT_EQ(find_outside(problem, 100).kind, SearchAnswer::Kind::none) << "the dtype bounds it";
}

TEST(Shapes, InferredFromAllWriters) {
  std::size_t exact_count = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    Source source(random);
    Program program;
    std::int64_t greatest[2] = {0, 0};
    for (std::size_t writer = 1 + random.below(3); writer-- > 0;) {
      const std::vector<std::int64_t> extents = {random.between(1, 6), random.between(1, 5), random.between(1, 4)};
      const Sum1 subscripts[2] = {source.index(2), source.index(1)};
      const bool guarded = random.chance(1, 2);
      const Condition guard = source.condition(2);
      std::vector<Loop> loops;
      for (std::size_t i = 0; i < kNames.size(); ++i) {
        loops.push_back({kNames[i] == "tx" ? LoopKind::bound : LoopKind::serial, extents[i], kNames[i]});
      }
      const RefPtr left = make_ref("E", DType::f32, Scope::global, {subscripts[0].index, subscripts[1].index});
      program.nests.push_back(
          make_nest(loops, guarded ? guard.expr : nullptr, {make_equation(left, integer_literal(1))}));
      for_each_point(extents, [&](const Point& point) {
        if (guarded && !guard.holds(point)) return;
        for (int d = 0; d < 2; ++d) greatest[d] = std::max(greatest[d], subscripts[d].value(point));
      });
    }
    const InferredShape shape = infer_shapes(collect_accesses(program)).at("E");
    ASSERT_EQ(shape.dimensions.size(), 2u);
    exact_count += shape.exact ? 1 : 0;
    for (std::size_t d = 0; d < 2; ++d) {
      if (shape.exact) {
        ASSERT_EQ(shape.dimensions[d], greatest[d] + 1) << "seed " << seed;
      } else {
        ASSERT_GE(shape.dimensions[d], greatest[d] + 1) << "seed " << seed;
      }
    }
  }
  EXPECT_EQ(exact_count, 1500u);
}

TEST(Shapes, AWriterWhoseGuardLetsNothingThroughCountsForNothing) {
  const auto dimensions = [](const std::string& program) {
    const Document document = read_document("shapes", program);
    return infer_shapes(collect_accesses(document.program)).at("E").dimensions;
  };
  const std::string main = "a16 c2 ?(a*2+1<30) E(a*2+c)=1;";
  EXPECT_EQ(dimensions(main + "a16 c2 ?(a*2+1>=30&a*2+c<30) E(a*2+c)=1;"), std::vector<std::int64_t>{30});
  EXPECT_EQ(dimensions(main + "a16 c2 ?(a*2+1>=30&a*2+c<31) E(a*2+c)=1;"), std::vector<std::int64_t>{31});
  EXPECT_EQ(dimensions("a16 ?(a<0) E(a)=1;"), std::vector<std::int64_t>{1});
}

TEST(Shapes, KnownVariablesAsDeclaredAndDataAsABound) {
  Program program;
  program.signature.variables.push_back({"D", Role::output, DType::f32, {9}, {}, {}});
  const Index read = Index::read(make_ref("C", DType::u8, Scope::global, {Index::variable("a")}));
  program.nests.push_back(
      make_nest({{LoopKind::serial, 4, "a"}}, nullptr,
                {make_equation(make_ref("D", DType::f32, Scope::global, {Index::variable("a")}), integer_literal(1)),
                 make_equation(make_ref("E", DType::f32, Scope::global, {read}), integer_literal(1))}));
  const auto shapes = infer_shapes(collect_accesses(program));
  EXPECT_EQ(shapes.at("D").dimensions, std::vector<std::int64_t>{9});
  EXPECT_EQ(shapes.at("E").dimensions, std::vector<std::int64_t>{256});
  EXPECT_FALSE(shapes.at("E").exact);
  EXPECT_EQ(shapes.at("C").dimensions, std::vector<std::int64_t>{1}) << "nothing writes it";
}

TEST(Interval, ArithmeticContainsEveryValue) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    const auto draw_interval = [&random] {
      const std::int64_t low = random.between(-9, 9);
      return Interval{low, low + random.between(0, 6)};
    };
    const Interval a = draw_interval();
    const Interval b = draw_interval();
    const bool divides = b.low > 0 || b.high < 0;
    for (Wide x = a.low; x <= a.high; ++x) {
      for (Wide y = b.low; y <= b.high; ++y) {
        const auto inside = [](const Interval& interval, Wide value) { return interval.contains({value, value}); };
        ASSERT_TRUE(inside(a + b, x + y) && inside(a - b, x - y) && inside(a * b, x * y)) << seed;
        if (!divides) continue;
        const auto small_x = static_cast<std::int64_t>(x);
        const auto small_y = static_cast<std::int64_t>(y);
        ASSERT_TRUE(inside(floor_quotient(a, b), floor_quotient(small_x, small_y))) << seed;
        ASSERT_TRUE(inside(floor_remainder(a, b), floor_remainder(small_x, small_y))) << seed;
      }
    }
    if (!divides) {
      ASSERT_TRUE(floor_quotient(a, b) == Interval::everything());
    }
  }
  const Interval huge{-kWideLimit, kWideLimit};
  EXPECT_TRUE(huge * huge == huge);
  EXPECT_TRUE(huge + huge == huge);
}

}  // namespace
}  // namespace steptp
