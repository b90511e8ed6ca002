// Each derivation target is the end of a plan: testing/data/derivations/targets.jsonl holds vanilla programs, plans as
// lists of moves, and the forms that they are to lead to. An end is proved equal to its target and has its structure:
// the same kernels, blocks, threads and rounds, the same data staged and summed in the same scopes. Texts that were
// written by hand use a register for several values one after the other, so that what only goes from register to
// register is not compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "source_dir.h"
#include "steptp/base/file.h"
#include "steptp/base/text.h"
#include "steptp/plans/plan.h"
#include "steptp/safety/check.h"
#include "steptp/strategies/view.h"
#include "steptp/text/document.h"
#include "steptp/text/printer.h"
#include "steptp/verify/verify.h"
#include "testing/judge_support.h"

namespace steptp::testing {
namespace {

/// A loop in which all threads of a block walk together, with more than one item inside.
bool is_around_threads(const Nest& nest) {
  return nest.items.size() > 1 && std::any_of(nest.items.begin(), nest.items.end(), [](const Item& item) {
           const auto* inner = std::get_if<NestPtr>(&item);
           return inner && std::any_of((*inner)->loops.begin(), (*inner)->loops.end(),
                                       [](const Loop& loop) { return loop.kind == LoopKind::bound; });
         });
}

/// Who runs an equation and how often.
std::string runs_of(const Statement& statement) {
  std::int64_t blocks = 1;
  std::int64_t rounds = 1;
  std::int64_t iterations = 1;
  std::vector<std::string> threads;
  for (const Nest* nest : statement.nests) {
    for (const Loop& loop : nest->loops) {
      const auto axis = loop.kind == LoopKind::bound ? axis_of(loop.index) : std::nullopt;
      if (axis && !is_thread_axis(*axis)) {
        blocks *= loop.extent;
      } else if (axis && loop.extent > 1) {
        threads.push_back(concat(name_of(*axis), loop.extent));
      } else if (!axis) {
        (is_around_threads(*nest) ? rounds : iterations) *= loop.extent;
      }
    }
  }
  std::sort(threads.begin(), threads.end());
  return concat(blocks, " blocks, ", join(threads, " ", [](const std::string& one) { return one; }), ", ", rounds,
                " rounds, ", iterations, " times");
}

/// Whether several iterations of a thread in one round fold into one element.
bool sums_up(const Statement& statement) {
  if (!statement.accumulates) return false;
  std::set<std::string> kept;
  for (const Index& subscript : statement.equation->left->subscripts) {
    for_each_variable(subscript, [&](const std::string& name) { kept.insert(name); });
  }
  return std::any_of(statement.nests.begin(), statement.nests.end(), [&](const Nest* nest) {
    return !is_around_threads(*nest) && std::any_of(nest->loops.begin(), nest->loops.end(), [&](const Loop& loop) {
      return loop.kind != LoopKind::bound && loop.extent > 1 && !kept.contains(loop.index);
    });
  });
}

/// A tensor in `s` or `l` by its size.
std::string place_of(View& view, const std::string& tensor) {
  const Scope scope = view.table().tensors.at(tensor).effective_scope();
  if (scope == Scope::global) return "g";
  std::int64_t elements = 1;
  for (const std::int64_t dimension : view.shape_of(tensor).dimensions) elements *= dimension;
  return concat(code(scope), elements);
}

/// A line for each equation that moves data between scopes or sums.
std::vector<std::string> structure_of(const Program& program) {
  View view(program);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < view.table().statements.size(); ++i) {
    const Statement& statement = view.table().statements[i];
    std::set<std::string> scopes;
    for (const Access& access : view.table().accesses) {
      if (access.statement != i || access.is_write || access.is_accumulator) continue;
      scopes.insert(std::string(1, code(view.table().tensors.at(access.ref->tensor).effective_scope())));
    }
    const std::string target = place_of(view, statement.equation->left->tensor);
    const bool is_local = target[0] == 'l' && !scopes.contains("s") && !scopes.contains("g");
    if (is_local && !sums_up(statement)) continue;
    out.push_back(concat("kernel ", statement.items[0], ": ", runs_of(statement), ": ", target,
                         statement.accumulates ? concat(" ", text_of(*statement.accumulates)) : std::string(), " of ",
                         join(scopes, " ", [](const std::string& one) { return one; })));
  }
  return out;
}

struct Target {
  std::string id;
  Program before;
  Program after;
  std::vector<PlannedMove> moves;
};

Program program_in(const Json& row, std::string_view key) {
  Json record;
  record.set("program", *row.find("id")->as_string())
      .set("signature", *row.find("signature"))
      .set("leir", *row.find(key));
  const Document document = read_document("target", record.dump());
  EXPECT_TRUE(document.ok) << *row.find("id")->as_string();
  return document.program;
}

std::vector<Json> rows_of(const std::string& path) {
  std::vector<Json> out;
  std::ifstream lines(path);
  for (std::string line; std::getline(lines, line);) out.push_back(*parse_json(line));
  return out;
}

std::vector<PlannedMove> moves_in(const Json& row) {
  std::vector<PlannedMove> out;
  for (const Json& move : *row.find("moves")->as_array()) {
    const auto choice = choice_from_json(*move.find("choice"));
    EXPECT_TRUE(choice.ok()) << *row.find("id")->as_string();
    out.push_back({*move.find("move")->as_string(), *choice});
  }
  return out;
}

std::vector<Target> targets() {
  std::vector<Target> out;
  for (const Json& row : rows_of(concat(STEPTP_SOURCE_DIR, "/testing/data/derivations/targets.jsonl"))) {
    out.push_back({*row.find("id")->as_string(), program_in(row, "before"), program_in(row, "after"), moves_in(row)});
  }
  return out;
}

Program end_of(const Program& before, const std::vector<PlannedMove>& moves) {
  const Plan plan = {root_hash(before), "nvidia-h200", moves};
  const auto moved = replay(before, plan);
  EXPECT_TRUE(moved.ok()) << to_text(moved.error(), plan);
  return moved ? moved->program : before;
}

std::string text_of(const std::vector<std::string>& lines) {
  return join(lines, "\n", [](const std::string& line) { return line; });
}

void expect_end(const std::string& id, const Program& before, const Program& after,
                const std::vector<PlannedMove>& moves) {
  const Program end = end_of(before, moves);
  EXPECT_EQ(text_of(structure_of(end)), text_of(structure_of(after))) << id << "\n" << print(end);
  EXPECT_EQ(check_program(end, {find_device("nvidia-h200")}).verdict, CheckReport::Verdict::ok) << id;
  for (const Program* other : {&after, &before}) {
    const Judgement judgement = verify(*other, end);
    EXPECT_TRUE(is_equal(judgement.verdict)) << id << ": " << describe(*other, end, judgement);
    EXPECT_TRUE(judgement.is_safe()) << id << ": " << describe(*other, end, judgement);
  }
  const OracleOpinion opinion = ask_oracle(after, end, 2);
  EXPECT_TRUE(opinion.compared) << id;
  EXPECT_FALSE(opinion.difference.has_value()) << id << ": " << *opinion.difference;
}

TEST(DerivationPlans, LeadToTheTargets) {
  const std::vector<Target> all = targets();
  EXPECT_EQ(all.size(), 9U);
  for (const Target& target : all) expect_end(target.id, target.before, target.after, target.moves);
}

/// The same plans on the pairs that the derivations were specified with.
TEST(DerivationPlans, LeadToThePublishedTargets) {
  const std::vector<Json> rows = rows_of(concat(STEPTP_SOURCE_DIR, "/../shared/data/derivation_targets.jsonl"));
  if (rows.empty()) GTEST_SKIP() << "no published targets here";
  const std::vector<Target> all = targets();
  for (const Json& row : rows) {
    const std::string& id = *row.find("id")->as_string();
    const auto plan = std::find_if(all.begin(), all.end(), [&](const Target& target) { return target.id == id; });
    ASSERT_NE(plan, all.end()) << id;
    expect_end(id, program_in(row, "before"), program_in(row, "after"), plan->moves);
  }
}

/// What is moved and summed between which scopes by whom, whatever the sizes: a vector may have a rest beside it.
std::set<std::string> form_of(const Program& program) {
  std::set<std::string> out;
  for (const std::string& line : structure_of(program)) {
    std::string form;
    for (const char c : line) {
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit || form.empty() || form.back() != '#') form += is_digit ? '#' : c;
    }
    out.insert(std::move(form));
  }
  return out;
}

/// testing/data/derivations/shapes.jsonl has each target at two other shapes, one of them odd, with sizes of its plan
/// that fit them.
TEST(DerivationPlans, LeadToTheTargetsAtOtherShapes) {
  const std::vector<Target> all = targets();
  std::map<std::string, int> shapes;
  for (const Json& row : rows_of(concat(STEPTP_SOURCE_DIR, "/testing/data/derivations/shapes.jsonl"))) {
    const std::string& id = *row.find("id")->as_string();
    const auto target = std::find_if(all.begin(), all.end(), [&](const Target& one) { return one.id == id; });
    ASSERT_NE(target, all.end()) << id;
    const Program before = program_in(row, "before");
    const Program end = end_of(before, moves_in(row));
    EXPECT_EQ(form_of(end), form_of(target->after)) << id << "\n" << print(end);
    EXPECT_EQ(check_program(end, {find_device("nvidia-h200")}).verdict, CheckReport::Verdict::ok) << id;
    const Judgement judgement = verify(before, end);
    EXPECT_TRUE(is_equal(judgement.verdict)) << id << ": " << describe(before, end, judgement);
    EXPECT_TRUE(judgement.is_safe()) << id << ": " << describe(before, end, judgement);
    const OracleOpinion opinion = ask_oracle(before, end, 2);
    EXPECT_TRUE(opinion.compared) << id;
    EXPECT_FALSE(opinion.difference.has_value()) << id << ": " << *opinion.difference;
    ++shapes[id];
  }
  EXPECT_EQ(shapes.size(), all.size());
  for (const auto& [id, count] : shapes) EXPECT_EQ(count, 2) << id;
}

/// Other threads, other registers, other rounds and other scopes are other structures.
TEST(DerivationPlans, SeeOtherStructures) {
  const std::vector<Target> all = targets();
  const Target& matmul = all[0];
  ASSERT_EQ(matmul.id, "matmul_tiled");
  for (const auto& [parameter, value] : {std::pair<std::string, std::int64_t>{"thread_rows", 1},
                                         {"rows", 1},
                                         {"thread_columns", 4},
                                         {"columns", 4},
                                         {"depth", 1}}) {
    std::vector<PlannedMove> moves = matmul.moves;
    for (auto& [name, old] : moves[0].choice.values) {
      if (name == parameter) old = value;
      if (name == "vector") old = 1;
    }
    EXPECT_NE(structure_of(end_of(matmul.before, moves)), structure_of(matmul.after)) << parameter;
  }
  EXPECT_NE(structure_of(matmul.before), structure_of(matmul.after));
  const std::string text = print(matmul.after);
  std::string elsewhere = text;
  for (std::size_t at = 0; (at = elsewhere.find("^{f32,s}", at)) != std::string::npos;) elsewhere[at + 6] = 'l';
  EXPECT_NE(structure_of(read_document("other", elsewhere).program), structure_of(read_document("same", text).program));
}

}  // namespace
}  // namespace steptp::testing
