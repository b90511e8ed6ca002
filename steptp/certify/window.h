#pragma once

#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "steptp/certify/inputs.h"
#include "steptp/ir/signature.h"
#include "steptp/machine/code.h"

namespace steptp::certify {

/// The changed part of two programs. What is the same in both and comes before it is cut off and becomes an input of
/// its own, one value per iteration; what follows identically is left out, and the last tensors that do not are the
/// outputs. If the two windows are equal for all values of their inputs, so are the programs, because the values that
/// the cut statements really have are among them. If they differ, that says nothing: a step may use a fact about those
/// values, or how they depend on each other.
struct Window {
  bool is_cut = false;              ///< something was left out
  bool is_usable = true;            ///< false where equal windows would not show that the programs are
  bool has_hazards = false;         ///< `after` may leave a domain: equal windows show it only in every way
  bool needs_same_hazards = false;  ///< what follows makes numbers of NaN: both have to be NaN at the same places
  Signature signature;              ///< the outputs
  std::deque<Variable> variables;   ///< the inputs that were made
  std::set<std::string> inputs;     ///< all that statements inside read, made ones included
};

using SameTensors = std::vector<std::pair<std::string, std::string>>;

/// Turns two compiled programs into windows. `kept`: how many layers of shared statements around the change are
/// evaluated rather than cut and drawn freely. `same_tensors`: pairs of tensors, one of each program, that are known to
/// hold the same in the end.
[[nodiscard]] Window cut_window(Code& before, Code& after, InputModel& model, const Signature& signature,
                                const SameTensors& same_tensors, int kept);

/// The same of programs that are known to be equal, to compare how good they are: it may end with anything.
[[nodiscard]] Window cut_equal(Code& before, Code& after, InputModel& model, const Signature& signature);

/// Only the outputs of such a window, with nothing cut off before them: the tensors up to which the programs differ,
/// added to both codes under new names.
[[nodiscard]] Signature find_goals(Code& before, Code& after, const Signature& signature);

}  // namespace steptp::certify
