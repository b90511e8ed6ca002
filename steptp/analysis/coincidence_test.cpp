#include "steptp/analysis/coincidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "steptp/analysis/index_map.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/enumerate.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

Program read(const std::string& text) {
  const Document document = read_document("test", text);
  EXPECT_TRUE(document.ok) << text;
  return document.program;
}

Coincidence itself(const AccessTable& table) {
  const Access& write = table.accesses[table.tensors.at("D").writes[0]];
  const Statement& statement = table.statements[0];
  return coincide(table, write, write, pair_loops(statement, statement, 0));
}

/// Of two iterations of an expression that write one element: which loops are surely in the same one.
std::string agreeing(const std::string& text) {
  const Program program = read(text);
  const AccessTable table = collect_accesses(program);
  std::string out;
  for (const LoopPair& pair : itself(table).pairs) out += pair.equal ? '1' : '0';
  return out;
}

TEST(Coincidence, DigitsOfOneNumber) {
  EXPECT_EQ(agreeing("L^{7}_{a=0}L^{8}_{c=0}[D^{f32,g}_{(a*8+c)//10,(a*8+c)%10}=1;];"), "11");
  EXPECT_EQ(agreeing("L^{9}_{a=0}L^{8}_{c=0}[D^{f32,g}_{(a*8+c)//30,(a*8+c)//5%6,(a*8+c)%5}=1;];"), "11");
}

// The lowest loop is left out of a quotient whose divisor it divides: the digits are those of two numbers.
TEST(Coincidence, DigitsInShortForm) {
  EXPECT_EQ(agreeing("L^{27}_{a=0}L^{4}_{c=0}[D^{f32,g}_{a//9,(a*4+c)//6%6,(a*4+c)%6}=1;];"), "11");
  EXPECT_EQ(agreeing("L^{27}_{a=0}L^{4}_{c=0}[D^{f32,g}_{a//9,(a*4+c)//6%6,(a*4+c)%5}=1;];"), "00");
  EXPECT_EQ(agreeing("L^{27}_{a=0}L^{4}_{c=0}[D^{f32,g}_{a//10,(a*4+c)//6%6,(a*4+c)%6}=1;];"), "00");
  EXPECT_EQ(agreeing("L^{27}_{a=0}L^{5}_{c=0}[D^{f32,g}_{a//9,(a*4+c)//6%6,(a*4+c)%6}=1;];"), "00");
}

// Digits in a sum are found one after the other, and joined with those of other subscripts.
TEST(Coincidence, DigitsInSums) {
  EXPECT_EQ(agreeing("L^{60}_{a=0}L^{4}_{c=0}[D^{f32,g}_{a//30,(a//3%10)*2+(a*4+c)//6%2,(a*4+c)%6}=1;];"), "11");
  EXPECT_EQ(agreeing("L^{60}_{a=0}L^{4}_{c=0}[D^{f32,g}_{a//30,(a//3%10)*2+(a*4+c)//6%3,(a*4+c)%6}=1;];"), "00");
  EXPECT_EQ(agreeing("L^{64}_{k=0}L^{8}_{a=0}[D^{f32,g}_{k//32,(k//16%2)*8+a,k%16}=1;];"), "11");
  EXPECT_EQ(agreeing("L^{64}_{k=0}L^{9}_{a=0}[D^{f32,g}_{k//32,(k//16%2)*8+a,k%16}=1;];"), "00");
}

/// An expression whose loops make a number, with the digits of it as subscripts: some in short form, some in sums of
/// two, and sometimes one of them is missing or has another divisor, so that elements are written twice.
std::string drawn_expression(Random& random) {
  std::vector<BoxVariable> box;
  Index number;
  std::int64_t weight = 1;
  for (const char* name : {"f", "d", "c", "a"}) {
    if (box.size() > 1 && random.below(2) == 0) continue;
    box.push_back({name, static_cast<std::int64_t>(2 + random.below(6))});
  }
  for (auto one = box.rbegin(); one != box.rend(); ++one) {
    number = *Index::add(number, *Index::multiply(Index::variable(one->name), Index::constant(weight)));
    weight *= random.below(8) == 0 ? std::max<std::int64_t>(2, one->extent - 1) : one->extent;
  }
  std::vector<Index> digits;
  std::int64_t by = 1;
  while (by < weight && digits.size() < 4) {
    const auto base = static_cast<std::int64_t>(2 + random.below(7));
    Index digit = *Index::floor_divide(number, Index::constant(by));
    const bool is_last = digits.size() == 3 || by * base >= weight;
    if (!is_last) digit = *Index::modulo(digit, Index::constant(random.below(8) == 0 ? base + 1 : base));
    digits.push_back(random.below(4) > 0 ? simplified(digit, box) : digit);
    if (!is_last && random.below(4) == 0 && digits.size() > 1) {
      const Index low = digits[digits.size() - 2];
      digits.pop_back();
      digits.back() = *Index::add(*Index::multiply(digit, Index::constant(9)), low);
    }
    by *= base;
  }
  if (digits.size() > 1 && random.below(6) == 0)
    digits.erase(digits.begin() + static_cast<std::ptrdiff_t>(random.below(digits.size())));
  std::string header;
  for (const BoxVariable& one : box) append(header, "L^{", one.extent, "}_{", one.name, "=0}");
  return concat(header, "[D^{f32,g}_{", join(digits, ",", [](const Index& digit) { return print(digit); }), "}=1;];");
}

/// Compared with all pairs of iterations that write one element.
TEST(Coincidence, AgreesWithAllIterations) {
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= soaked(400); ++seed) {
    Random random(soak_seed(seed));
    const std::string text = drawn_expression(random);
    const Program program = read(text);
    const AccessTable table = collect_accesses(program);
    const Coincidence meet = itself(table);
    ASSERT_FALSE(meet.impossible) << text;
    std::map<std::vector<std::int64_t>, std::vector<std::vector<std::int64_t>>> written;
    for_each_instance(program, [&](const auto&, const std::vector<std::int64_t>& loops, const Environment& at) {
      std::vector<std::int64_t> element;
      for (const Index& subscript : table.statements[0].equation->left->subscripts) {
        element.push_back(evaluate(subscript, at));
      }
      written[element].push_back(loops);
    });
    for (const LoopPair& pair : meet.pairs) {
      if (!pair.equal) continue;
      ++found;
      for (const auto& [element, all] : written) {
        for (const auto& loops : all) ASSERT_EQ(loops[pair.first], all[0][pair.first]) << text;
      }
    }
  }
  EXPECT_GT(found, soaked(400));
}

}  // namespace
}  // namespace steptp::testing
