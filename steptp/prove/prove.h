#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/prove/record.h"

namespace steptp {

struct ProofOptions {
  /// Nodes made and visited; answers do not depend on the machine.
  std::uint64_t work = 3'000'000;
  /// Gives up once it is raised.
  const std::atomic<bool>* stop = nullptr;
  /// Whether a proof is also written down (Proof::record).
  bool keep_record = false;
};

/// Whether two programs have one normal form.
struct Proof {
  bool proved = false;
  /// Both programs do the same operations on the same values in the same types, rounds of accumulations in any order:
  /// no overflow, no other branch and no loss of digits is new.
  bool is_as_written = false;
  std::string reason;  ///< where not proved: what stood in the way, of the widest attempt
  std::uint64_t work = 0;
  /// The normal forms of the first output that differs, of the widest attempt that made both.
  std::string before_form;
  std::string after_form;
  ProofRecord record;  ///< where it was asked for
  /// Where not proved: tensors of `before` and of `after` that hold the same in the end, by proof.
  std::vector<std::pair<std::string, std::string>> same_tensors;
};

/// Writes every output element of both programs as a function of symbolic indices and compares. Costs do not depend on
/// extents. Both programs have the same signature, and `check` calls both ok; a proof holds for every input.
[[nodiscard]] Proof prove(const Program& before, const Program& after, const ProofOptions& options = {});

/// Which known variables the outputs of a program can depend on, read off their normal forms.
struct Dependence {
  bool is_known = false;     ///< a normal form was found
  bool is_constant = false;  ///< no variable of role input occurs in any output
  std::vector<std::string> independent_of;
  std::uint64_t work = 0;
};
[[nodiscard]] Dependence depends_on(const Program& program, const ProofOptions& options = {});

}  // namespace steptp
