// Dependences, their levels, directions and distances, and live ranges, against an enumeration of all iterations.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "steptp/analysis/dependences.h"
#include "steptp/analysis/kernels.h"
#include "steptp/analysis/live_ranges.h"
#include "steptp/base/text.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "testing/enumerate.h"
#include "testing/generator.h"
#include "testing/small_kernels.h"
#include "testing/soak.h"

namespace steptp::testing {
namespace {

/// One execution of an access.
struct Event {
  std::size_t access;
  std::size_t step;  ///< executions of equations before
  std::vector<std::int64_t> loops;
};

using Storage = std::map<std::pair<std::string, std::vector<std::int64_t>>, std::vector<Event>>;

/// All accesses in the order of time, by tensor and element; which thread's or block's copy is part of the element.
Storage record(const Program& program, const AccessTable& table) {
  std::map<std::vector<std::uint32_t>, std::size_t> numbers;
  for (std::size_t i = 0; i < table.statements.size(); ++i) numbers[table.statements[i].items] = i;
  std::vector<std::vector<std::size_t>> accesses(table.statements.size());
  for (std::size_t i = 0; i < table.accesses.size(); ++i) accesses[table.accesses[i].statement].push_back(i);
  Storage storage;
  std::size_t step = 0;
  for_each_instance(program, [&](const auto& address, const auto& loops, const Environment& at) {
    ++step;
    for (const std::size_t number : accesses[numbers.at(address)]) {
      const Access& access = table.accesses[number];
      bool made = true;
      for (const PathCondition& item : access.conditions) made = made && holds(*item.condition, at) == item.holds;
      if (!made) continue;
      std::vector<std::int64_t> element;
      for (const Index& hidden : hidden_subscripts(table, access)) element.push_back(evaluate(hidden, at));
      for (const Index& subscript : access.ref->subscripts) element.push_back(evaluate(subscript, at));
      storage[{access.ref->tensor, element}].push_back({number, step, loops});
    }
  });
  return storage;
}

using Key = std::tuple<std::size_t, std::size_t, std::size_t>;  // earlier, later, level
using Distances = std::vector<std::set<std::int64_t>>;

std::map<Key, Distances> enumerated(const Program& program, const AccessTable& table) {
  std::map<Key, Distances> found;
  for (const auto& [element, events] : record(program, table)) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      for (std::size_t j = i + 1; j < events.size(); ++j) {
        const Access& a = table.accesses[events[i].access];
        const Access& b = table.accesses[events[j].access];
        if (!a.is_write && !b.is_write) continue;
        std::size_t shared = 0;
        const auto& one = table.statements[a.statement];
        const auto& other = table.statements[b.statement];
        for (std::size_t k = 0; k + 1 < std::min(one.items.size(), other.items.size()); ++k) {
          if (one.items[k] != other.items[k]) break;
          shared += one.nests[k]->loops.size();
        }
        std::size_t level = 0;
        while (level < shared && events[i].loops[level] == events[j].loops[level]) ++level;
        Distances& distances = found[{events[i].access, events[j].access, level}];
        distances.resize(shared);
        for (std::size_t k = 0; k < shared; ++k) distances[k].insert(events[j].loops[k] - events[i].loops[k]);
      }
    }
  }
  return found;
}

Distance summary(const std::set<std::int64_t>& values) {
  Distance distance{*values.begin() < 0, values.contains(0), *values.rbegin() > 0, std::nullopt};
  if (values.size() == 1) distance.constant = *values.begin();
  return distance;
}

std::string describe(const Program& program, const Key& key, const AccessTable& table) {
  return concat(print(program), "\nfrom ", to_text(table.accesses[std::get<0>(key)].site), " to ",
                to_text(table.accesses[std::get<1>(key)].site), ", level ", std::get<2>(key));
}

/// The number of dependences.
std::size_t compare(const Program& program) {
  const AccessTable table = collect_accesses(program);
  const ValueFacts facts = derive_value_facts(table);
  DependenceAnalysis analysis(table, facts);
  std::map<Key, Dependence> claimed;
  for (const Dependence& item : analysis.all()) claimed[{item.earlier, item.later, item.level}] = item;
  const std::map<Key, Distances> truth = enumerated(program, table);
  for (const auto& [key, distances] : truth) {
    const auto at = claimed.find(key);
    EXPECT_NE(at, claimed.end()) << "missed: " << describe(program, key, table);
    if (at == claimed.end()) return 0;
    EXPECT_TRUE(at->second.certain) << describe(program, key, table);
    const bool later_writes = table.accesses[std::get<1>(key)].is_write;
    const bool earlier_writes = table.accesses[std::get<0>(key)].is_write;
    EXPECT_EQ(at->second.kind, !later_writes     ? DependenceKind::flow
                               : !earlier_writes ? DependenceKind::anti
                                                 : DependenceKind::output);
    for (std::size_t i = 0; i < distances.size(); ++i) {
      EXPECT_EQ(at->second.distances[i], summary(distances[i])) << describe(program, key, table) << ", loop " << i;
    }
  }
  for (const auto& [key, item] : claimed) {
    EXPECT_TRUE(truth.contains(key)) << "there is none: " << describe(program, key, table);
  }
  return truth.size();
}

TEST(DependencesBruteForce, SmallKernels) {
  Signature signature;
  signature.variables.push_back({"D", Role::output, DType::f32, {20, 20}, {}, {}});
  std::size_t dependences = 0;
  for (std::uint64_t seed = 0; seed < soaked(700) && !::testing::Test::HasFailure(); ++seed) {
    Random random(seed);
    const std::string text = small_kernel(random);
    const Document document = read_program_text("text", text, signature);
    ASSERT_TRUE(document.ok) << text;
    dependences += compare(document.program);
  }
  EXPECT_GE(dependences, soaked(700) * 5);
  RecordProperty("dependences", static_cast<int>(dependences));
}

TEST(DependencesBruteForce, GeneratedPrograms) {
  std::size_t dependences = 0;
  for (std::uint64_t seed = 0; seed < soaked(150) && !::testing::Test::HasFailure(); ++seed) {
    Random random(seed);
    const Program program = generate_program(random, {.affine_only = true, .max_operations = 1500});
    bool on_data = false;
    const AccessTable table = collect_accesses(program);
    for (const Access& access : table.accesses) {
      for (const PathCondition& item : access.conditions) on_data = on_data || !is_index_condition(*item.condition);
    }
    if (!on_data) dependences += compare(program);
  }
  EXPECT_GE(dependences, soaked(150));
  RecordProperty("dependences", static_cast<int>(dependences));
}

Program read(const std::string& text) {
  Document document = read_document("text", text);
  EXPECT_TRUE(document.ok) << text << render(document.diagnostics, *document.source);
  return document.program;
}

TEST(Dependences, DirectionsAsText) {
  EXPECT_EQ(direction({false, false, true, 1}), "<");
  EXPECT_EQ(direction({false, true, false, 0}), "=");
  EXPECT_EQ(direction({true, false, false, {}}), ">");
  EXPECT_EQ(direction({false, true, true, {}}), "<=");
  EXPECT_EQ(direction({true, true, false, {}}), ">=");
  EXPECT_EQ(direction(Distance::any()), "*");
}

TEST(Dependences, DataIsNotCertain) {
  const Program program = read("@input C i64[4] [0,4)\n@output D f32[4]\na4 D(a)=0;a4 D(C^i64(a))=a;");
  const AccessTable table = collect_accesses(program);
  const ValueFacts facts = derive_value_facts(table);
  DependenceAnalysis analysis(table, facts);
  const std::size_t scatter = table.tensors.at("D").writes[1];
  const auto found = analysis.between(scatter, scatter);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].certain);
  EXPECT_EQ(role_of_loop(table, analysis, 1, 0), LoopRole::unknown);
  EXPECT_EQ(role_of_loop(table, analysis, 0, 0), LoopRole::independent);
}

TEST(Dependences, RolesOfLoops) {
  const Program program = read(
      "@input A f32[4,8]\n@output D f32[4]\n@output F f32[4,8]\n@output G f32\n"
      "tx4 a8 D(tx)+=A(tx,a);tx4 a8 F(tx,a)=where(a<1,0,F(tx,a-1))+A(tx,a);a8 G=a;");
  const AccessTable table = collect_accesses(program);
  const ValueFacts facts = derive_value_facts(table);
  DependenceAnalysis analysis(table, facts);
  EXPECT_EQ(role_of_loop(table, analysis, 0, 0), LoopRole::independent);
  EXPECT_EQ(role_of_loop(table, analysis, 0, 1), LoopRole::reduction);
  EXPECT_EQ(role_of_loop(table, analysis, 1, 0), LoopRole::independent);
  EXPECT_EQ(role_of_loop(table, analysis, 1, 1), LoopRole::recurrence);
  EXPECT_EQ(role_of_loop(table, analysis, 2, 0), LoopRole::reuse);
  EXPECT_EQ(reduction_axes(table.statements[0]), std::vector<std::size_t>{1});
  EXPECT_TRUE(reduction_axes(table.statements[1]).empty());
}

TEST(Kernels, BoundariesLaunchDimensionsAndOwners) {
  const Program program = read(
      "@input A f32[6,4]\n@output D f32[6,4]\n"
      "a6{bx1{tx2 E^s(tx)=A(a,tx);F^s=E(0);tx4{G^l=F;D(a,tx)=G;}}}tx4 D(0,tx)=0;");
  const AccessTable table = collect_accesses(program);
  const auto kernels = collect_kernels(table);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel.host_loops, 1u);
  EXPECT_EQ(kernels[0].statements, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(kernels[0].extents, (std::array<std::int64_t, 6>{1, 1, 1, 4, 1, 1}));
  EXPECT_EQ(to_text(*kernels[0].widest[3]), "0/0/2:loop[0]");
  EXPECT_EQ(kernels[0].shared, (std::vector<std::string>{"E", "F"}));
  EXPECT_EQ(kernels[0].local, std::vector<std::string>{"G"});
  EXPECT_EQ(kernels[1].statements, std::vector<std::size_t>{4});
  const auto tx = static_cast<std::size_t>(Axis::tx);
  EXPECT_EQ(owner_of(table.statements[0]).position[tx], Index::variable("tx"));
  EXPECT_EQ(owner_of(table.statements[1]).position[tx], Index());
}

/// Every value that is read was live from its write to its read.
TEST(LiveRanges, HoldEveryValueThatIsRead) {
  for (std::uint64_t seed = 0; seed < soaked(200); ++seed) {
    Random random(seed);
    const Program program = generate_program(random, {.affine_only = true, .max_operations = 2000});
    const AccessTable table = collect_accesses(program);
    const auto ranges = live_ranges(table);
    for (const Access& access : table.accesses) {
      const LiveRange& range = ranges.at(access.ref->tensor);
      ASSERT_LE(range.first, access.statement) << print(program);
      ASSERT_GE(range.last, access.statement) << print(program);
    }
  }
}

TEST(LiveRanges, WholeLoopsWhereAValueMayGoAround) {
  const Program program = read(
      "@input A f32[4]\n@output D f32[4]\n"
      "tx4{H^l=0;a4{G^l=A(a);F^l=G;H+=F;E^l=H;}D(tx)=H+E;}");
  const AccessTable table = collect_accesses(program);
  const auto ranges = live_ranges(table);
  EXPECT_EQ(ranges.at("G").first, 1u);
  EXPECT_EQ(ranges.at("G").last, 2u);
  EXPECT_FALSE(ranges.at("G").overlaps(ranges.at("E")));
  EXPECT_TRUE(ranges.at("F").overlaps(ranges.at("G")));
  EXPECT_EQ(ranges.at("H").first, 0u);
  EXPECT_EQ(ranges.at("H").last, 5u);
  EXPECT_TRUE(ranges.at("D").to_end);
  EXPECT_TRUE(ranges.at("A").from_start);
}

}  // namespace
}  // namespace steptp::testing
