#pragma once

#include <string>

#include "steptp/ir/program.h"
#include "steptp/text/profile.h"

namespace steptp {

/// The canonical text of the nests: no blanks beyond those a profile wants, no superfluous brackets. Reading it back
/// gives the same tree.
[[nodiscard]] std::string print(const Program& program, Profile profile = Profile::paper);

/// Parts, in the paper profile: for messages.
[[nodiscard]] std::string print(const Index& index);
[[nodiscard]] std::string print(const Ref& ref);
[[nodiscard]] std::string print(const Expr& expr);
[[nodiscard]] std::string print(const Equation& equation);
[[nodiscard]] std::string print(const Loop& loop);

}  // namespace steptp
