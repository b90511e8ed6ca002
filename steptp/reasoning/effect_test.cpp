// What traces say that a step saves and costs is counted anew, from the programs themselves.
#include "steptp/reasoning/effect.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>

#include "steptp/base/text.h"
#include "steptp/lowering/arrangement.h"
#include "steptp/lowering/units.h"
#include "steptp/reasoning/trace.h"
#include "steptp/text/document.h"
#include "testing/soak.h"
#include "testing/trace_rows.h"

namespace steptp::testing {
namespace {

/// Totals over a whole program, by walking its nests, with both branches of conditions. Nothing under a guard.
struct Totals {
  std::int64_t operations = 0;
  std::int64_t accesses = 0;
  bool is_guarded = false;
  bool has_branches = false;
};

void count_refs(const Expr& expr, std::int64_t iterations, Totals& totals) {
  for_each_ref(expr, [&](const RefPtr& ref) {
    if (ref->scope.scope == Scope::global) totals.accesses += iterations;
  });
}

void count_expr(const Expr& expr, std::int64_t iterations, Totals& totals) {
  bool reads = false;
  for_each_ref(expr, [&reads](const RefPtr&) { reads = true; });
  const bool is_of_indices = is_condition(expr) && !reads;
  if (is_of_indices) return;
  const bool is_select = std::holds_alternative<Select>(expr.node);
  totals.has_branches = totals.has_branches || is_select;
  const bool is_leaf = child_count(expr) == 0 || is_select;
  const bool is_unary = std::holds_alternative<Call>(expr.node);
  if (!is_leaf) totals.operations += iterations * (is_unary ? 1 : static_cast<std::int64_t>(child_count(expr)) - 1);
  for (const ExprPtr* part : children(expr)) count_expr(**part, iterations, totals);
}

void count_nest(const Nest& nest, std::int64_t iterations, Totals& totals) {
  for (const Loop& loop : nest.loops) iterations *= loop.extent;
  if (nest.guard) totals.is_guarded = true;
  for (const Item& item : nest.items) {
    if (const auto* inner = std::get_if<NestPtr>(&item)) {
      count_nest(**inner, iterations, totals);
      continue;
    }
    const Equation& equation = *std::get<EquationPtr>(item);
    count_expr(*equation.right, iterations, totals);
    count_refs(*equation.right, iterations, totals);
    for_each_ref(equation.left, [&](const RefPtr& ref) {
      if (ref->scope.scope == Scope::global) totals.accesses += iterations;
    });
  }
}

Totals totals_of(const Program& program) {
  Totals out;
  for (const NestPtr& nest : program.nests) count_nest(*nest, 1, out);
  return out;
}

struct Launched {
  std::int64_t launches = 0;
  std::int64_t bytes = 0;
  std::int64_t threads = 1;
  std::size_t kernels = 0;
};

/// As back ends see it.
std::optional<Launched> launched(const Program& program) {
  const auto arrangement = lowering::arrangement_of(program);
  if (!arrangement) return std::nullopt;
  Launched out;
  for (const lowering::ArrangedKernel& kernel : arrangement->kernels) {
    std::int64_t launches = 1;
    for (const Loop& loop : kernel.host_loops) launches *= loop.extent;
    out.launches += launches;
    std::int64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) threads *= kernel.extents[i];
    for (const std::int64_t extent : lowering::block_of(*arrangement, kernel)) threads *= extent;
    out.threads = std::max(out.threads, threads);
    ++out.kernels;
  }
  for (const auto& [name, buffer] : arrangement->buffers) {
    if (buffer.is_workspace() && name.find('.') == std::string::npos) out.bytes += buffer.bytes;
  }
  return out;
}

/// The numbers of a sentence that holds these words.
std::vector<std::int64_t> numbers_in(const std::string& text, const std::string& words) {
  std::vector<std::int64_t> out;
  const std::size_t at = text.rfind(words);
  if (at == std::string::npos) return out;
  std::size_t begin = text.rfind(". ", at);
  begin = begin == std::string::npos ? 0 : begin + 2;
  std::string sentence = text.substr(begin, text.find('.', at) - begin);
  std::erase(sentence, ',');  // of thousands, and of the sentence
  const std::regex number("\\d+|\\bone\\b");
  for (std::sregex_iterator one(sentence.begin(), sentence.end(), number), end; one != end; ++one) {
    out.push_back(one->str() == "one" ? 1 : std::stoll(one->str()));
  }
  return out;
}

bool has(const std::vector<std::int64_t>& numbers, std::int64_t value) {
  return std::find(numbers.begin(), numbers.end(), value) != numbers.end();
}

/// How often each kind of claim was met.
std::map<std::string_view, int> compared;

void compare_launches(const TraceRow& row, const std::string& text, const Effect& effect) {
  const auto was = launched(row.before);
  const auto is = launched(row.applied.program);
  if (!was || !is) return;
  EXPECT_EQ(effect.counts[Effect::kLaunches], std::pair(was->launches, is->launches));
  if (was->kernels == is->kernels) {
    EXPECT_EQ(effect.counts[Effect::kThreads], std::pair(was->threads, is->threads));
  }
  const auto& bytes = effect.counts[Effect::kBytes];
  if (bytes.first != bytes.second) {
    EXPECT_EQ(bytes, std::pair(was->bytes, is->bytes));
    ++compared["bytes"];
  }
  const std::vector<std::int64_t> said = numbers_in(text, "launches");
  if (said.empty() || text.find("widest launch") != std::string::npos) return;
  const bool says_both = has(said, was->launches) && has(said, is->launches);
  const bool says_change = has(said, std::abs(is->launches - was->launches)) && has(said, is->launches);
  EXPECT_TRUE(says_both || says_change) << was->launches << " " << is->launches;
  ++compared["launches"];
}

void compare_work(const TraceRow& row, const std::string& text, const Effect& effect) {
  const Totals was = totals_of(row.before);
  const Totals is = totals_of(row.applied.program);
  if (was.is_guarded || is.is_guarded) return;
  const auto change = [&](std::size_t kind) { return effect.counts[kind].second - effect.counts[kind].first; };
  EXPECT_EQ(change(Effect::kOperations), is.operations - was.operations);
  if (change(Effect::kAccesses) != 0) {
    EXPECT_EQ(change(Effect::kAccesses), is.accesses - was.accesses);
    ++compared["accesses"];
  }
  const std::vector<std::int64_t> said = numbers_in(text, "scalar operations");
  if (said.empty()) return;
  const bool is_change = said.size() == 1;
  const auto& both = effect.counts[Effect::kOperations];
  EXPECT_TRUE(is_change ? has(said, std::abs(change(Effect::kOperations)))
                        : has(said, both.first) && has(said, both.second));
  ++compared["operations"];
}

TEST(Effects, WhatIsSaidIsCountedAnew) {
  compared.clear();
  TraceRows rows;
  rows.seed = soak_seed(11);
  rows.stride = soaked(1) > 1 ? 1 : 9;
  const auto look = [&](const TraceRow& row) {
    const Trace trace = make_trace(*row.strategy, row.before, row.choice, row.applied, row.seed);
    const std::string text = render(trace, row.before, row.applied.program, Profile::paper);
    SCOPED_TRACE(concat(row.type, " ", row.strategy->name, " ", row.choice.to_json().dump(), "\n", text));
    const Effect effect = effect_of(row.before, row.applied.program);
    compare_launches(row, text, effect);
    compare_work(row, text, effect);
  };
  for_each_example(look);
  for_each_row(rows, look);
  for (const char* kind : {"launches", "bytes", "operations", "accesses"}) EXPECT_GE(compared[kind], 20) << kind;
}

/// What one step does to a kind of count.
std::pair<std::int64_t, std::int64_t> counted_of(const std::string& before, const std::string& after,
                                                 std::size_t kind) {
  const Document was = read_document("before", before);
  const Document is = read_document("after", after);
  EXPECT_TRUE(was.ok && is.ok);
  return effect_of(was.program, is.program).counts[kind];
}

TEST(Effects, GuardsAreCountedAndBranchesToo) {
  const std::string head = "@input A f32[50]\n@output D f32[50]\n";
  const auto guarded = [&](const std::string& value) {
    return concat(head, "B^{2}_{bx=0}B^{32}_{tx=0}?{bx*32+tx<50}[D^{f32,g}_{bx*32+tx}=", value, ";];\n");
  };
  const std::string once = guarded("A^{f32,g}_{bx*32+tx}+1");
  const std::string twice = guarded("A^{f32,g}_{bx*32+tx}+A^{f32,g}_{bx*32+tx}*2");
  EXPECT_EQ(counted_of(once, twice, Effect::kOperations), std::pair(std::int64_t{50}, std::int64_t{100}));
  EXPECT_EQ(counted_of(once, twice, Effect::kAccesses), std::pair(std::int64_t{100}, std::int64_t{150}));
  const auto chosen = [&](const std::string& value) {
    return concat(head, "B^{50}_{tx=0}[D^{f32,g}_{tx}=if_then_else(tx<=7,", value, ",0);];\n");
  };
  const Effect effect = effect_of(read_document("a", chosen("A^{f32,g}_{tx}")).program,
                                  read_document("b", chosen("A^{f32,g}_{tx}*3")).program);
  EXPECT_TRUE(effect.has_branches);
  EXPECT_EQ(effect.counts[Effect::kOperations], std::pair(std::int64_t{0}, std::int64_t{50}));
}

TEST(Effects, LongNumbersAreGrouped) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(9831), "9,831");
  EXPECT_EQ(grouped(200406), "200,406");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(Effects, BytesAreSaidInUnits) {
  EXPECT_EQ(bytes_words(1), "one byte");
  EXPECT_EQ(bytes_words(1000), "1000 bytes");
  EXPECT_EQ(bytes_words(2048), "2 KiB");
  EXPECT_EQ(bytes_words(1234567), "about 1.18 MiB");
  EXPECT_EQ(bytes_words(1048576 * 3 / 2 * 10), "15 MiB");
  EXPECT_EQ(bytes_words(130'000'000), "about 124 MiB");
}

}  // namespace
}  // namespace steptp::testing
