#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steptp/ir/program.h"
#include "steptp/prove/record.h"

namespace steptp {

struct ProofOptions {
  /// Of the points at which residues are compared, where normal forms differ.
  std::uint64_t seed = 1;
  /// Nodes made and visited; answers do not depend on the machine.
  std::uint64_t work = 3'000'000;
  /// Gives up once it is raised.
  const std::atomic<bool>* stop = nullptr;
  /// Whether a proof is also written down (Proof::record).
  bool keep_record = false;
  /// Whether forms that differ are written out (Proof::before_form), for whoever works on the prover.
  bool keep_forms = false;
};

/// Whether two programs have one normal form.
struct Proof {
  bool proved = false;
  /// Both programs do the same operations on the same values in the same types, rounds of accumulations in any order:
  /// no overflow, no other branch and no loss of digits is new.
  bool is_as_written = false;
  /// Not one normal form, but shown cell by cell: on every cell of every output the programs are one expression, except
  /// with the chance 2^bound_log2 (prove/cells.h).
  bool shown = false;
  double bound_log2 = 0;
  std::size_t cells = 0;
  std::string reason;  ///< where not proved: what stood in the way, of the widest attempt
  std::uint64_t work = 0;
  /// Where it was asked for: the forms of the first cell on which the programs differ.
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
  /// Outputs, or regions of them ("D where ge0(i0-5)"), that are NaN or have no value at every input.
  std::vector<std::string> vacuous;
  std::uint64_t work = 0;
};
[[nodiscard]] Dependence depends_on(const Program& program, const ProofOptions& options = {});

/// A region that is vacuous in `before` and not shown to be so in `after`; one of its elements, where one was found.
struct PerhapsFilled {
  std::string output;
  std::optional<std::vector<std::int64_t>> element;
};
[[nodiscard]] std::vector<PerhapsFilled> perhaps_filled(const Program& before, const Program& after,
                                                        const ProofOptions& options = {});

}  // namespace steptp
