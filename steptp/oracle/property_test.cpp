#include <algorithm>
#include <cmath>
#include <limits>

#include "steptp/base/random.h"
#include "steptp/ir/canonical.h"
#include "steptp/oracle/slice.h"
#include "testing/oracle_support.h"

namespace steptp::testing {
namespace {

/// A random chain of small nests over 5x6 matrices; each takes earlier results. Every step is legal for the machine
/// whatever came before, and the last one writes the output.
std::string random_program(Random& random) {
  std::string text =
      "@input A f32[5,6]\n@input C f32[5,6]\n@input N i32[5] [0,5)\n@output Z f32[5,6]\n@output Y f32[5,6]\n";
  std::vector<std::string> known = {"A", "C"};
  const auto at = [](const std::string& name, const std::string& subscripts) {
    return concat(name, "^{f32,g}_{", subscripts, "}");
  };
  const std::uint64_t steps = 3 + random.below(5);
  const char* kinds = "LPVU";
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::string name = step + 1 == steps   ? "Z"
                             : step + 2 == steps ? "Y"
                                                 : concat("X", static_cast<char>('a' + step));
    const std::string x = known[random.below(known.size())];
    const std::string y = known[random.below(known.size())];
    const std::string kind(1, kinds[random.below(4)]);
    const std::string bound =
        random.chance(1, 2) ? concat("B^{5}_{tx=0}", kind, "^{6}_{c=0}") : concat(kind, "^{6}_{c=0}B^{5}_{tx=0}");
    const std::string left = at(name, "tx,c");
    const std::string extra = concat("W", static_cast<char>('a' + step));
    switch (random.below(9)) {
      case 0: append(text, bound, "[", left, "=", at(x, "tx,c"), "*", at(y, "tx,c"), "+0.5;];"); break;
      case 1: append(text, bound, "[", left, "=", at(x, "4-tx,c"), "-", at(y, "(tx*2+c)%5,5-c"), ";];"); break;
      case 2:
        append(text, "B^{5}_{tx=0}L^{6}_{c=0}L^{5}_{d=0}[", left, "=", left, "+", at(x, "tx,d"), "*", at(y, "d,c"),
               ";];");
        break;
      case 3:
        append(text, "B^{5}_{tx=0}L^{6}_{c=0}[", extra, "^{f32,g}_{tx}=max(", extra, "^{f32,g}_{tx},", at(x, "tx,c"),
               ");];", bound, "[", left, "=", at(y, "tx,c"), "-", extra, "^{f32,g}_{tx};];");
        break;
      case 4:
        append(text, "B^{5}_{tx=0}L^{6}_{c=0}[", left, "=if_then_else(c-1<0,0,", at(name, "tx,c-1"), ")*0.5+",
               at(x, "tx,c"), ";];");
        break;
      case 5:
        append(text, "B^{5}_{tx=0}[L^{6}_{c=0}[", extra, "^{f32,l}=", extra, "^{f32,l}+", at(x, "tx,c"),
               ";];L^{6}_{c=0}[", left, "=", extra, "^{f32,l}*", at(y, "tx,c"), ";];];");
        break;
      case 6:
        append(text, "B^{5}_{bx=0}[B^{6}_{tx=0}[", extra, "^{f32,s}_{tx}=", at(x, "bx,tx"), ";];B^{6}_{tx=0}[",
               at(name, "bx,tx"), "=", extra, "^{f32,s}_{5-tx};];];");
        break;
      case 7: append(text, bound, "[", left, "=", at(x, "N^{i32,g}_{tx},c"), ";];"); break;
      case 8:
        append(text, bound, "[", left, "=", at(x, "tx,c"), ";];", bound, "?{c%2==tx%2}[", left, "=", left, "+",
               at(y, "tx,c"), ";];");
        break;
    }
    known.push_back(name);
  }
  return text;
}

NestPtr map_nest(const Nest& nest, const std::function<Loop(Loop)>& change) {
  std::vector<Loop> loops;
  for (const Loop& loop : nest.loops) loops.push_back(change(loop));
  std::vector<Item> items;
  for (const Item& item : nest.items) {
    const auto* inner = std::get_if<NestPtr>(&item);
    items.push_back(inner ? Item(map_nest(**inner, change)) : item);
  }
  return make_nest(std::move(loops), nest.guard, std::move(items));
}

TEST(MachineProperty, KindsAndNamesNeverChangeBytes) {
  Random random(11);
  for (int round = 0; round < 150; ++round) {
    const std::string text = random_program(random);
    const Program program = program_of(text);
    const RunResult expected = run_ok(program, {}, 7);
    ASSERT_EQ(expected.outputs.size(), 2u) << text;
    Program other = program;
    for (NestPtr& nest : other.nests) {
      nest = map_nest(*nest, [&random](Loop loop) {
        constexpr LoopKind kKinds[] = {LoopKind::serial, LoopKind::parallel, LoopKind::vectorized, LoopKind::unrolled};
        if (loop.kind != LoopKind::bound) loop.kind = kKinds[random.below(4)];
        return loop;
      });
    }
    EXPECT_EQ(run_ok(other, {}, 7).outputs, expected.outputs) << text;
    EXPECT_EQ(run_ok(canonical(program), {}, 7).outputs, expected.outputs) << text;
  }
}

TEST(MachineProperty, GlobalForLocalWhereThreadsReadTheirOwnWrites) {
  const std::string body =
      "@input A f32[4,3]\n@output D f32[4,3]\n"
      "B^{2}_{bx=0}B^{2}_{tx=0}[L^{3}_{a=0}[E^{f32,SCOPE}_{a}=A^{f32,g}_{bx*2+tx,a}*2;];L^{3}_{a=0}[D^{f32,g}_{bx*2+tx,"
      "a}=E^{f32,SCOPE}_{2-a};];];";
  std::vector<Tensors> outputs;
  for (const char* scope : {"g", "l", "s"}) {
    std::string text = body;
    for (std::size_t at = 0; (at = text.find("SCOPE")) != std::string::npos;) text.replace(at, 5, scope);
    outputs.push_back(run_ok(program_of(text)).outputs);
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  EXPECT_EQ(outputs[0], outputs[2]);
}

/// The chosen elements of both outputs are the bits of the whole run, and where rows are independent less is done.
TEST(MachineProperty, ChosenElementsAreTheBitsOfTheWholeRun) {
  Random random(23);
  double whole = 0;
  double sliced = 0;
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_program(random);
    const Program program = program_of(text);
    const RunResult expected = run_ok(program, {}, 3);
    RunOptions options;
    const std::uint64_t count = 1 + random.below(3);
    for (std::uint64_t i = 0; i < count; ++i) {
      options.elements.push_back({random.chance(1, 2) ? "Z" : "Y", {random.between(0, 4), random.between(0, 5)}});
    }
    const RunResult chosen = run_ok(program, {}, 3, options);
    ASSERT_EQ(chosen.elements.size(), options.elements.size()) << text;
    for (std::size_t i = 0; i < options.elements.size(); ++i) {
      const Element& element = options.elements[i];
      const auto offset = static_cast<std::size_t>(element.subscripts[0] * 6 + element.subscripts[1]) * 4;
      EXPECT_EQ(chosen.elements[i], load(DType::f32, expected.outputs.at(element.tensor).data.data() + offset)) << text;
    }
    whole += static_cast<double>(expected.operations);
    sliced += static_cast<double>(chosen.operations);
    EXPECT_LE(static_cast<double>(chosen.operations), estimate_work(program, options.elements)->operations);
    EXPECT_LE(static_cast<double>(expected.operations), estimate_work(program)->operations);
  }
  EXPECT_LT(sliced, 0.6 * whole);
}

TEST(Slice, OneElementOfALargeMatmul) {
  const Program program = program_of(
      "@input A f32[64,1000]\n@input C f32[1000,64]\n@output D f32[64,64]\n"
      "B^{64}_{tx=0}L^{1000}_{a=0}[E^{f32,g}_{tx,a}=A^{f32,g}_{tx,a}*2;];"
      "B^{64}_{tx=0}L^{64}_{a=0}L^{1000}_{d=0}[D^{f32,g}_{tx,a}=D^{f32,g}_{tx,a}+E^{f32,g}_{tx,d}*C^{f32,g}_{d,a};];"
      "L^{9}_{a=0}[F^{f32,g}_{a}=1;];");
  RunOptions options;
  options.elements = {{"D", {5, 7}}, {"D", {60, 7}}};
  const auto inputs = make_inputs(program.signature, 1);
  const auto result = run(program, *inputs, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->executions, 4000u);
  EXPECT_TRUE(result->outputs.empty());
  options.elements = {{"D", {5, 64}}};
  EXPECT_EQ(run(program, *inputs, options).error().kind, TrapKind::out_of_range);
  options.elements = {{"A", {5, 6}}};
  EXPECT_EQ(run(program, *inputs, options).error().kind, TrapKind::invalid);
}

TEST(Slice, AnElementOfAnOutputThatMemoryCouldNotHold) {
  const Program program = program_of(
      "@input A f32[100000]\n@output D "
      "f32[100000,100000]\nB^{100000}_{tx=0}L^{100000}_{a=0}[D^{f32,g}_{tx,a}=A^{f32,g}_{tx}*A^{f32,g}_{a};];");
  const auto inputs = make_inputs(program.signature, 1);
  EXPECT_EQ(run(program, *inputs).error().kind, TrapKind::budget);
  RunOptions options;
  options.elements = {{"D", {99999, 5}}};
  const auto result = run(program, *inputs, options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const Doubles a = numbers(inputs->at("A"));
  EXPECT_EQ(result->elements[0], Scalar::real(DType::f32, a[99999] * a[5]));
}

TEST(Slice, SelectionsStayDisjointAndSorted) {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    oracle::Selection selection;
    std::vector<bool> members(60);
    for (int i = 0; i < 12; ++i) {
      const std::int64_t low = random.between(0, 50);
      const std::int64_t high = low + random.between(0, 8);
      oracle::insert(selection, low, high);
      for (std::int64_t value = low; value <= high; ++value) members[static_cast<std::size_t>(value)] = true;
    }
    std::vector<bool> found(60);
    std::int64_t last = -2;
    for (const auto& [low, high] : selection) {
      EXPECT_GT(low, last + 1);
      last = high;
      for (std::int64_t value = low; value <= high; ++value) found[static_cast<std::size_t>(value)] = true;
    }
    EXPECT_EQ(found, members);
  }
}

TEST(Inputs, HonourDomainsInEveryDtype) {
  for (const DType dtype : kAllDTypes) {
    const auto draw = [&](Domain domain, const IndexRanges& ranges = {}) {
      Signature signature;
      signature.variables.push_back({"A", Role::input, dtype, {3000}, domain, {}});
      auto made = make_inputs(signature, 4, ranges);
      EXPECT_TRUE(made.ok());
      return numbers(made->at("A"));
    };
    const bool real = is_float(dtype);
    const bool boolean = dtype == DType::boolean;
    for (const double value : draw({})) {
      EXPECT_GE(value, real ? -1 : -8);
      EXPECT_TRUE(real ? value < 1 : value <= 16);
    }
    for (const double value : draw({Domain::Kind::positive, 0, 0})) EXPECT_TRUE(value > 0 && (!real || value <= 1));
    for (const double value : draw({Domain::Kind::nonzero, 0, 0})) EXPECT_NE(value, 0);
    if (real) {
      const Doubles masked = draw({Domain::Kind::masked, 0, 0});
      const auto hidden = std::count(masked.begin(), masked.end(), -std::numeric_limits<double>::infinity());
      EXPECT_TRUE(hidden > 500 && hidden < 1000);
      for (const double value : masked) EXPECT_TRUE(value < 1 && (value >= -1 || std::isinf(value)));
    }
    const double high = boolean ? 1 : 7;
    for (const double value : draw({Domain::Kind::range, 0, high})) EXPECT_TRUE(value >= 0 && value < high);
    if (!real && !boolean) {
      const Doubles values = draw({}, {{"A", {3, 6}}});
      EXPECT_EQ(*std::min_element(values.begin(), values.end()), 3);
      EXPECT_EQ(*std::max_element(values.begin(), values.end()), 5);
    }
  }
}

TEST(Inputs, DependOnSeedNameAndPositionOnly) {
  Signature one;
  one.variables.push_back({"A", Role::input, DType::f32, {8}, {}, {}});
  Signature two = one;
  two.variables.insert(two.variables.begin(), {"C", Role::input, DType::f32, {8}, {}, {}});
  EXPECT_EQ(make_inputs(one, 1)->at("A"), make_inputs(two, 1)->at("A"));
  EXPECT_NE(make_inputs(one, 1)->at("A"), make_inputs(one, 2)->at("A"));
  EXPECT_NE(make_inputs(two, 1)->at("A"), make_inputs(two, 1)->at("C"));
  one.variables[0].domain = {Domain::Kind::range, 5, 5};
  EXPECT_EQ(make_inputs(one, 1).error().kind, TrapKind::input_mismatch);
}

}  // namespace
}  // namespace steptp::testing
