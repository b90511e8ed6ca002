// What structures offer, against brute force.
#include "steptp/cursor/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "steptp/base/text.h"
#include "steptp/cursor/forms.h"
#include "steptp/cursor/run_structures.h"
#include "steptp/cursor/tile_structure.h"
#include "steptp/planner/section.h"
#include "steptp/safety/check.h"
#include "steptp/text/document.h"
#include "testing/shorthand.h"

namespace steptp::cursor {
namespace {

using Choices = std::set<std::vector<Token>>;

/// Every complete choice that a structure offers.
Choices offered(const Structure& structure, std::vector<Token> chosen = {}) {
  if (chosen.size() == structure.opcodes().size()) return {std::move(chosen)};
  std::vector<Token> legal;
  structure.legal(chosen, legal);
  EXPECT_FALSE(legal.empty()) << "a value was offered that has no completion";
  EXPECT_TRUE(std::is_sorted(legal.begin(), legal.end()));
  Choices out;
  for (const Token value : legal) {
    chosen.push_back(value);
    out.merge(offered(structure, chosen));
    chosen.pop_back();
  }
  return out;
}

PlanTarget target_named(std::string_view device) { return plan_target(*find_rates(device)); }

bool works(const Program& program, const Candidate& candidate, const PlanTarget& target) {
  const auto made = replay(program, Plan{{}, {}, candidate.moves}, Tracking::off);
  return made && (candidate.kernels == 0 || made->program.nests.size() == candidate.kernels) &&
         check_program(made->program, {target.device}).verdict == CheckReport::Verdict::ok;
}

/// Each choice of each list is tried by itself: what works is offered, and nothing else.
void expect_brute_force(const Program& program, std::string_view device) {
  const PlanTarget target = target_named(device);
  View view(program);
  std::vector<Proposal> proposals;
  const auto count = static_cast<std::uint32_t>(program.nests.size());
  for (Proposal& proposal : proposals_for(view, target)) {
    if (proposal.first == 0 && proposal.expressions == count) proposals.push_back(std::move(proposal));
  }
  RunStructures run(program, 0, count, program, proposals, target);
  std::size_t tried = 0;
  for (const CandidateList& list : candidates_of(view, count, proposals, target)) {
    Choices wanted;
    for (const Candidate& candidate : list.candidates) {
      std::vector<Token> tokens;
      for (const auto& [name, value] : candidate.values) {
        if (const auto token = value_token(value)) tokens.push_back(*token);
      }
      if (tokens.size() != list.parameters.size()) continue;
      ++tried;
      if (works(program, candidate, target)) wanted.insert(std::move(tokens));
    }
    const Structure* structure = run.structure(token_of(list.kind));
    EXPECT_EQ(structure != nullptr, !wanted.empty()) << list.kind;
    if (!structure) continue;
    EXPECT_EQ(offered(*structure), wanted) << list.kind << " of " << print_document(program, Profile::paper);
  }
  EXPECT_GT(tried, 5U);
}

Program program_of(std::string_view text) { return testing::shorthand_program(text, {{"T", "f32"}}); }

TEST(Structure, OffersExactlyWhatWorks) {
  for (const char* text : {
           "@input A f32[24,40]\n@output C f32[24,40]\nB(tx,24)L(a,40)[C[tx,a]=exp(A[tx,a]);];\n",
           "@input A f32[33,64]\n@output C f32[33]\nB(tx,33)L(a,64)[C[tx]=C[tx]+A[tx,a];];\n",
           "@input A f32[2,1024]\n@output C f32[2]\nB(tx,2)L(a,1024)[C[tx]=max(C[tx],A[tx,a]);];\n",
           "@input A f32[48,96]\n@output C f32[48,96]\n"
           "B(tx,48)L(a,96)[D[tx]=max(D[tx],A[tx,a]);];B(tx,48)L(a,96)[C[tx,a]=A[tx,a]-D[tx];];\n",
           "@input A f32[12,20]\n@input D f32[20,9]\n@output C f32[12,9]\n"
           "B(tx,12)L(a,9)L(c,20)[E[tx,a]=E[tx,a]+A[tx,c]*D[c,a];];B(tx,12)L(a,9)[C[tx,a]=tanh(E[tx,a]);];\n",
       }) {
    expect_brute_force(program_of(text), "nvidia-h200");
    expect_brute_force(program_of(text), "plain-cpu");
  }
}

TEST(Structure, OffersExactlyTheMatrixTilesThatWork) {
  const Program program = testing::shorthand_program(
      "@input A f64[16,12]\n@input D f64[12,20]\n@output C f64[16,20]\n"
      "B(tx,16)L(a,20)L(c,12)[C[tx,a]=C[tx,a]+A[tx,c]*D[c,a];];\n",
      {{"T", "f64"}});
  const PlanTarget target = target_named("nvidia-h200");
  RunStructures run(program, 0, 1, program, {}, target);
  ASSERT_NE(run.structure(token_of("matrix")), nullptr);
  expect_brute_force(program, "nvidia-h200");
  // A CPU has no such instructions.
  RunStructures on_cpu(program, 0, 1, program, {}, target_named("plain-cpu"));
  EXPECT_EQ(on_cpu.structure(token_of("matrix")), nullptr);
}

bool is_power_of_two(std::int64_t number) { return (number & (number - 1)) == 0; }

/// The limits once more, in the plainest words.
bool is_tile(const TileLimits& limits, const std::vector<std::int64_t>& sizes, std::int64_t fewest) {
  const auto [tr, tc, r, c, d, v, p] = std::tuple(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], sizes[6]);
  if (tr * tc < fewest || tr * tc > 1024 || tr * r >= 2 * limits.rows || tc * c >= 2 * limits.columns) return false;
  if (d >= 2 * limits.depth || c % v != 0 || v > limits.widest || r > 16 || c > 16 || d > 128) return false;
  const std::int64_t shared = (tr * r + p) * d * limits.bytes.left + (tc * c + p) * d * limits.bytes.right;
  const std::int64_t registers = (r * c + r + c) * limits.bytes.sum / 4;
  if (shared > std::min<std::int64_t>(limits.shared_bytes, 227 * 1024) || registers > 200 ||
      registers * tr * tc > 65536)
    return false;
  if (v == 1 && p == 0) return true;
  return std::all_of(sizes.begin(), sizes.end() - 1, is_power_of_two);
}

/// All choices of seven numbers, one after the other; sizes from 1 on, the padding from 0.
template <class Visit>
void for_all_sizes(const TileLimits& limits, std::vector<std::int64_t>& sizes, const Visit& visit) {
  if (sizes.size() == 7) return visit(sizes);
  for (const std::int64_t number : decision_numbers()) {
    const std::size_t at = sizes.size();
    const bool is_padding = at == 6;
    const std::int64_t most[] = {
        2 * limits.rows, 2 * limits.columns, 2 * limits.rows, 2 * limits.columns, 2 * limits.depth, 16, 8};
    if (number > most[at] || (number == 0 && !is_padding)) continue;
    if ((at == 5 || is_padding) && !is_power_of_two(number)) continue;
    sizes.push_back(number);
    for_all_sizes(limits, sizes, visit);
    sizes.pop_back();
  }
}

TEST(TileStructure, OffersExactlyWhatTheLimitsAllow) {
  for (const std::int64_t fewest : {1, 32}) {
    for (const auto& [rows, columns, depth] : {std::tuple(5, 7, 3), std::tuple(8, 4, 2), std::tuple(3, 12, 1)}) {
      TileLimits limits = {rows, columns, depth, {4, 4, 4}, fewest, 4, true};
      if (depth == 2) limits.shared_bytes = 96;
      const TileStructure structure(limits, 0);
      // Where there are not so many elements, the largest number of threads is wanted.
      std::int64_t most = 1;
      Choices all;
      std::vector<std::int64_t> sizes;
      for_all_sizes(limits, sizes, [&](const auto& now) {
        if (is_tile(limits, now, 1)) most = std::max(most, now[0] * now[1]);
      });
      for_all_sizes(limits, sizes, [&](const auto& now) {
        if (!is_tile(limits, now, std::min(fewest, most))) return;
        std::vector<Token> tokens;
        for (const std::int64_t size : now) tokens.push_back(*number_token(size));
        all.insert(std::move(tokens));
      });
      EXPECT_EQ(offered(structure), all) << rows << " " << columns << " " << depth << " " << fewest;
      EXPECT_FALSE(all.empty());
    }
  }
}

TEST(TileStructure, HasAVastSpaceForAnOrdinaryMatmul) {
  const TileStructure structure({512, 512, 512, {4, 4, 4}, 32, 4}, 0);
  double programs = 0;
  // Vectors and paddings apart, which are few: all the rest is counted.
  std::vector<Token> chosen;
  const auto count = [&](const auto& self) -> void {
    std::vector<Token> legal;
    structure.legal(chosen, legal);
    if (chosen.size() == 4) {
      programs += static_cast<double>(legal.size());
      return;
    }
    for (const Token value : legal) {
      chosen.push_back(value);
      self(self);
      chosen.pop_back();
    }
  };
  count(count);
  EXPECT_GT(programs, 1e5);
}

TEST(Values, AreNumbersAndWordsOfTheVocabulary) {
  EXPECT_EQ(value_token(Json(16)), token_of("v16"));
  EXPECT_EQ(value_token(Json("halo")), token_of("halo"));
  EXPECT_FALSE(value_token(Json(9)));
  EXPECT_FALSE(value_token(Json("nothing")));
  EXPECT_FALSE(value_token(Json(0.5)));
}

}  // namespace
}  // namespace steptp::cursor
