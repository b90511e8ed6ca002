#pragma once

#include <string>
#include <vector>

#include "replay/certificate.h"
#include "steptp/base/json.h"

namespace steptp::replayer {

/// Reads one line of what is assumed, and throws BadFile where it is none of the two that there are, or speaks of
/// something that the programs do not have.
[[nodiscard]] Assumption read_assumption(const std::string& text, const Program& before, const Program& after);
/// Of each known variable: its domain, or what is assumed of it.
[[nodiscard]] std::map<std::string, Domain, std::less<>> domains_of(const Signature& signature,
                                                                    const std::vector<Assumption>& assumes);
/// From what inputs were drawn: one rule for each known variable, in their order, and none that leaves its domain.
[[nodiscard]] std::vector<InputRule> read_input_rules(const Json& list, const Program& before);
/// The literals that occur in either program, in order.
[[nodiscard]] std::vector<double> literals_of(const Program& before, const Program& after);

}  // namespace steptp::replayer
