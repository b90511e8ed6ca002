#pragma once

// A plan: moves with their parameters, one after the other, for one program. As a file:
//   {"version":1,"root":"sha256 of the
//   program","target":"cuda","moves":[{"move":"inline","choice":{"at":"1",...}},...]}
// A place is an address in the program as it is when the move is made.

#include <string>
#include <vector>

#include "steptp/base/json.h"
#include "steptp/base/result.h"
#include "steptp/moves/move.h"

namespace steptp {

struct PlannedMove {
  std::string move;
  Choice choice;
};

struct Plan {
  static constexpr std::int64_t kVersion = 1;
  std::string root;    ///< root_hash of the program that it is for
  std::string target;  ///< the device that it was made for; empty where it is for any
  std::vector<PlannedMove> moves;
};

/// The same for programs with equal nests and signatures, whatever they are called.
[[nodiscard]] std::string root_hash(const Program& program);

[[nodiscard]] Json to_json(const PlannedMove& move);
[[nodiscard]] Json to_json(const Plan& plan);
/// The text says what is wrong with another version, a damaged file, an unknown move.
[[nodiscard]] Result<Plan, std::string> plan_from_json(const Json& json);

/// Why the plan is none for this program; empty where it is one.
[[nodiscard]] std::string other_root(const Program& program, const Plan& plan);

/// Why a plan stops: the number of the move, counted from 1, and its refusal.
struct PlanStopped {
  std::size_t move = 0;
  MoveRefusal refusal;
};
[[nodiscard]] std::string to_text(const PlanStopped& stopped, const Plan& plan);

/// All moves, one after the other. The program is the plan's: `other_root` has been asked.
[[nodiscard]] Result<Moved, PlanStopped> replay(const Program& root, const Plan& plan,
                                                Tracking tracking = Tracking::on);

/// The plan with other parameters for one of its moves, counted from 1; what follows it stays as it is. The text says
/// why there is no such plan.
[[nodiscard]] Result<Plan, std::string> retuned(const Plan& plan, std::size_t move, const Choice& choice);

}  // namespace steptp
