// The road of a proof (docs/decisions/0011, 0039, 0040). Both programs are written into one arena and their outputs
// compared: first as they are written, which is what `safe` asks; then by the order of sums and products, then by all
// laws. Each attempt cuts at value numbers, first at all that there are, then at those that both programs share. Where
// normal forms differ under all laws, outputs are compared cell by cell. Limits count work, so that answers do not
// depend on the machine.
#include "steptp/prove/prove.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "steptp/prove/cells.h"
#include "steptp/prove/give_up.h"
#include "steptp/prove/value_numbers.h"
#include "steptp/prove/write_down.h"

namespace steptp {

namespace {

using namespace forms;  // NOLINT(google-build-using-namespace): this file is the layer's face

/// One attempt, with whatever numbers the two flows have; empty where all outputs agree.
std::optional<std::string> compare_outputs(Shared& shared, Flow& before, Flow& after) {
  for (const Variable& variable : shared.signature.variables) {
    if (variable.role != Role::output) continue;
    const std::vector<Affine> element = shared.subscripts(variable.shape);
    try {
      const Value left = before.output(variable.name, element);
      const Value right = after.output(variable.name, element);
      if (!is_same(left, right)) return "the normal forms of " + variable.name + " differ";
      if (!includes_hazards(shared.arena, left, right)) {
        return "after may have no value in " + variable.name + " where before has one";
      }
    } catch (const GiveUp& given_up) {
      return given_up.reason;
    }
  }
  return std::nullopt;
}

void add_same_tensors(const Flow& before, const Numbering& left, const Flow& after, const Numbering& right,
                      std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [version, number] : left) {
    if (!before.writers().is_last(version)) continue;
    for (const auto& [same, own] : right) {
      if (own == number && after.writers().is_last(same)) out.emplace_back(version.tensor, same.tensor);
    }
  }
}

/// Shows what normal forms do not: every output cell by cell. The cells of each output, where that was so.
std::vector<std::vector<Cell>> compare_cells(Shared& shared, Flow& before, Flow& after, const ProofOptions& options,
                                             Proof& proof) {
  // Of programs that differ all this is in vain, and most that do not need few cells.
  constexpr std::uint64_t kMostWork = 150'000;
  shared.arena.budget.limit_work(kMostWork);
  CellComparison comparison(shared, before, after, options.seed, options.keep_forms);
  double chance = 0;
  std::vector<std::vector<Cell>> covers;
  for (const Variable& variable : shared.signature.variables) {
    if (variable.role != Role::output) continue;
    const CellAnswer answer = comparison.compare(variable);
    if (!answer.agrees) {
      proof.reason = answer.reason;
      proof.before_form = answer.before_form;
      proof.after_form = answer.after_form;
      return {};
    }
    proof.cells += answer.cells;
    covers.push_back(answer.cover);
    chance += std::exp2(answer.bound_log2);
  }
  constexpr double kMostChance = 0x1p-40;
  if (chance > kMostChance) {
    proof.reason = "residues agree, but their bound is above 2^-40";
    return {};
  }
  proof.shown = true;
  proof.bound_log2 = std::log2(chance);
  return covers;
}

/// How far definitions are looked into: first each stands for itself, then those that both programs have, or none does.
enum class Depth : std::uint8_t { shared, whole };

struct Manner {
  Laws laws = Laws::order;
  Depth depth = Depth::shared;
  bool unrolls = false;             ///< see Flow
  bool overestimates_sums = false;  ///< of the second program, see Flow
  bool keeps_order = false;         ///< of sums that are done once, see Flow
};

/// Two programs in one arena, and what has been shown of them.
class Attempt {
 public:
  Attempt(Arena& arena, const Program& before, const Program& after, const Manner& manner, const ProofOptions& options)
      : options_(options),
        manner_(manner),
        shared_(arena, before.signature),
        left_(shared_, before, manner.unrolls),
        right_(shared_, after, manner.unrolls),
        numbers_(shared_) {}

  /// Whether this manner can say anything that others do not.
  [[nodiscard]] bool is_worthwhile() {
    if (manner_.overestimates_sums) right_.overestimate_sums();
    if (manner_.keeps_order) {
      if (!left_.writers().has_sums_done_once() && !right_.writers().has_sums_done_once()) return false;
      left_.keep_order_of_sums();
      right_.keep_order_of_sums();
    }
    return !manner_.unrolls || left_.has_roundabouts() || right_.has_roundabouts();
  }

  void run(Proof& proof) {
    if (manner_.depth == Depth::shared) {
      left_numbers_ = numbers_.number(left_, ValueNumbers::Whose::before);
      right_numbers_ = numbers_.number(right_, ValueNumbers::Whose::after);
    }
    std::optional<std::string> difference = compare_outputs(shared_, left_, right_);
    if (difference && manner_.depth == Depth::shared) {
      add_same_tensors(left_, left_numbers_, right_, right_numbers_, proof.same_tensors);
      std::tie(left_numbers_, right_numbers_) = numbers_.number_together(left_, right_);
      add_same_tensors(left_, left_numbers_, right_, right_numbers_, proof.same_tensors);
      difference = compare_outputs(shared_, left_, right_);
    }
    proof.proved = !difference;
    if (difference) proof.reason = *difference;
    if (difference && manner_.laws == Laws::all) covers_ = compare_cells(shared_, left_, right_, options_, proof);
  }

  [[nodiscard]] ProofRecord record(bool is_proved, const std::set<Need>& needs) {
    const ProofSource source{shared_, left_, right_, numbers_.forms(), left_numbers_, right_numbers_, needs};
    return is_proved ? write_down(source) : write_down(source, covers_);
  }

 private:
  const ProofOptions& options_;
  const Manner& manner_;
  Shared shared_;
  Flow left_;
  Flow right_;
  ValueNumbers numbers_;
  Numbering left_numbers_;
  Numbering right_numbers_;
  std::vector<std::vector<Cell>> covers_;
};

/// One proof in one arena.
Proof attempt(const Program& before, const Program& after, std::uint64_t work, const Manner& manner,
              const ProofOptions& options) {
  constexpr std::uint64_t kLeastWork = 16;  // of an arena with nothing in it
  Proof proof;
  Arena arena(std::max(work, kLeastWork), manner.laws);
  std::set<Need> needs;
  arena.budget.stop = options.stop;
  if (options.keep_record) arena.needs = &needs;
  try {
    Attempt both(arena, before, after, manner, options);
    if (!both.is_worthwhile()) return proof;
    both.run(proof);
    proof.work = arena.budget.work();
    if ((proof.proved || proof.shown) && options.keep_record) {
      proof.record = {{}, {}, {}, {}, true};  // unless it can be written down
      proof.record = both.record(proof.proved, needs);
      return proof;
    }
  } catch (const GiveUp& given_up) {
    proof.reason = given_up.reason;
  }
  proof.work = arena.budget.work();
  return proof;
}

/// By the order of sums and products alone where that is enough, because it costs less; otherwise by all laws.
template <typename ProofWith>
Proof proof_by_laws(const ProofWith& proof_with, const ProofOptions& options) {
  constexpr std::uint64_t kUnrolling = 300'000;
  // Whole programs are large, and what needs a look into all of them is seldom equal.
  constexpr std::uint64_t kPlainWhole = 400'000;
  constexpr std::uint64_t kWhole = 1'000'000;
  constexpr std::uint64_t kPlain = 600'000;
  if (Proof plain = proof_with({}, std::min(options.work / 2, kPlain)); plain.proved) return plain;
  Proof proof = proof_with({.laws = Laws::all}, options.work / 2);
  if (proof.proved || proof.shown) return proof;
  if (Proof plain = proof_with({.unrolls = true}, std::min(options.work, kUnrolling)); plain.proved) return plain;
  if (Proof plain = proof_with({.depth = Depth::whole}, std::min(options.work / 2, kPlainWhole)); plain.proved)
    return plain;
  if (proof.shown) return proof;
  Proof whole = proof_with({.laws = Laws::all, .depth = Depth::whole}, std::min(options.work, kWhole));
  whole.same_tensors = std::move(proof.same_tensors);
  return whole;
}

}  // namespace

Proof prove(const Program& before, const Program& after, const ProofOptions& options) {
  constexpr std::uint64_t kSecondLook = 50'000;
  std::uint64_t spent = 0;
  const auto proof_with = [&](const Manner& manner, std::uint64_t work) {
    Proof proof = attempt(before, after, work, manner, options);
    proof.is_as_written = proof.proved && manner.laws == Laws::as_written;
    proof.work = spent += proof.work;
    return proof;
  };
  constexpr std::uint64_t kAsWritten = 400'000;
  const std::uint64_t first_look = std::min(options.work / 2, kAsWritten);
  if (Proof written = proof_with({.laws = Laws::as_written}, first_look); written.proved) return written;
  Proof proof = proof_by_laws(proof_with, options);
  if (!proof.proved) return proof;
  // Equal, but are the operations the same, or is the bound of their errors no greater?
  const std::uint64_t second_look = std::min(options.work, kSecondLook);
  const Manner manners[] = {{.laws = Laws::as_written, .overestimates_sums = true},
                            {.laws = Laws::as_written, .unrolls = true},
                            {.laws = Laws::as_written, .keeps_order = true},
                            {.laws = Laws::as_written, .depth = Depth::whole},
                            {.laws = Laws::as_written, .depth = Depth::whole, .keeps_order = true},
                            {.laws = Laws::as_written, .depth = Depth::whole, .overestimates_sums = true}};
  for (const Manner& manner : manners) {
    if (Proof written = proof_with(manner, second_look); written.proved) return written;
  }
  proof.work = spent;
  return proof;
}

}  // namespace steptp
