#pragma once

// A cursor over all plans of a program for a target: what is decided next, which values have a legal completion, and
// what comes of it. docs/cursor.md has one worked example.
//
//   auto space = open_space(program, *find_target("nvidia-h200"));
//   Cursor cursor(*space);
//   while (!cursor.is_complete()) (void)cursor.put(choose(cursor.next(), cursor.legal()));
//   auto finished = cursor.finish();

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "steptp/base/result.h"
#include "steptp/cursor/vocabulary.h"
#include "steptp/estimate/estimate.h"
#include "steptp/estimate/rates.h"
#include "steptp/estimate/summary.h"
#include "steptp/planner/proposals.h"
#include "steptp/plans/plan.h"

namespace steptp::cursor {

/// What the decisions of a sentence mean, and in which order they come. Weights name the version that they were trained
/// with, and others are refused. More values for a decision keep the version: masks say which are legal. A new
/// decision, another order or another meaning makes a new one.
inline constexpr int kSpaceVersion = 1;

/// A device of the table with its limits and rates.
struct Target {
  PlanTarget limits;
  DeviceRates rates;
};
/// By a name of the table of devices: "nvidia-h200", "cpu", ... The error says which names there are.
[[nodiscard]] Result<Target, std::string> find_target(std::string_view name);

/// All plans of one program for one target. Shared by its cursors, and safe to use from several threads: what it finds
/// out about the program it remembers, and the answers do not depend on the order of questions.
class Space;
class Structure;
using SpacePtr = std::shared_ptr<const Space>;

/// The error says why the program has no plans at all, or is beyond what a sentence can say.
[[nodiscard]] Result<SpacePtr, std::string> open_space(const Program& program, const Target& target);

[[nodiscard]] const Program& program_of(const Space& space);
[[nodiscard]] const Target& target_of(const Space& space);

/// What is to be decided: `opcode` is what ("op:group", "op:structure", "op:threads"), `object` about which expression
/// ("e0").
struct Question {
  Token opcode = 0;
  Token object = 0;
};
struct Decision {
  Question question;
  Token value = 0;
  bool operator==(const Decision& other) const {
    return question.opcode == other.question.opcode && question.object == other.question.object && value == other.value;
  }
};

/// What a finished cursor makes: the plan replays on the program to the same bytes. `moved` has its program and recipe.
struct Finished {
  Plan plan;
  Moved moved;
};

/// A group of a plan and what its kernels ask of a device.
struct GroupFacts {
  std::uint32_t first = 0;  ///< in the program with everything inlined
  std::uint32_t expressions = 1;
  Token structure = 0;
  estimation::ProgramSummary summary;
  double seconds = 0;  ///< expected, by the analytic model
};

/// Small: copying it is `fork`, and costs a few hundred bytes. One cursor belongs to one thread at a time.
class Cursor {
 public:
  explicit Cursor(SpacePtr space);

  [[nodiscard]] const Space& space() const { return *space_; }
  [[nodiscard]] const SpacePtr& space_ptr() const { return space_; }
  [[nodiscard]] bool is_complete() const;
  /// The next decision; of a complete cursor there is none.
  [[nodiscard]] Question next() const;
  /// Its values that have a legal completion, ascending by token; never empty where the cursor is not complete.
  [[nodiscard]] std::span<const Token> legal() const;
  /// The error says why it is no legal value; the cursor is as it was.
  [[nodiscard]] Result<bool, std::string> put(Token value);
  [[nodiscard]] Cursor fork() const { return *this; }

  [[nodiscard]] const std::vector<Decision>& decisions() const { return decisions_; }
  /// "group e2=v3 structure e0=rows threads e0=v128 ...", for people.
  [[nodiscard]] std::string text() const;
  /// The groups that are decided, in the order of the program, made by themselves and without the rest.
  [[nodiscard]] Result<std::vector<GroupFacts>, std::string> facts() const;
  /// Of a complete cursor: the plan, what it makes, and the recipe.
  [[nodiscard]] Result<Finished, std::string> finish() const;

 private:
  enum class Stage : std::uint8_t { group, structure, parameters, done };
  void advance();

  SpacePtr space_;
  std::vector<Decision> decisions_;
  std::vector<Token> legal_;
  const Structure* structure_ = nullptr;  ///< of the group in hand; it lives as long as the space
  std::size_t chosen_ = 0;                ///< parameters of it
  std::uint32_t end_ = 0;                 ///< expressions from here on are decided, or in the group in hand
  std::uint32_t first_ = 0;               ///< of the group in hand
  Stage stage_ = Stage::group;
};

/// A complete cursor with each value drawn evenly from the legal ones: a function of space, seed and number.
[[nodiscard]] Cursor drawn_cursor(const SpacePtr& space, std::uint64_t seed, std::uint64_t number);

}  // namespace steptp::cursor
