#pragma once

// What is worth trying on a program for a device: moves with parameters for runs of neighbouring expressions.

#include <cstdint>
#include <string>
#include <vector>

#include "steptp/analysis/device.h"
#include "steptp/estimate/rates.h"
#include "steptp/lowering/target.h"
#include "steptp/plans/plan.h"
#include "steptp/strategies/view.h"

namespace steptp {

/// What a plan is made for.
struct PlanTarget {
  const Device* device = nullptr;
  DeviceKind kind = DeviceKind::cuda;

  [[nodiscard]] bool is_cpu() const { return kind == DeviceKind::cpu; }
};

/// What plans are made for: the launch limits that go with a table of rates, its own or those of its kind.
[[nodiscard]] PlanTarget plan_target(const DeviceRates& rates);

/// Moves that make something of a run of expressions; their places are counted from the first of these.
struct Proposal {
  std::uint32_t first = 0;
  std::uint32_t expressions = 1;
  std::vector<PlannedMove> moves;
};

/// Collects the proposals of one program.
class ProposalList {
 public:
  explicit ProposalList(PlanTarget target) : target_(target) {}

  [[nodiscard]] const PlanTarget& target() const { return target_; }
  /// One move at the first of so many expressions.
  void add(std::string_view move, std::uint32_t first, std::uint32_t expressions, Values values);
  void add(Proposal proposal) { all_.push_back(std::move(proposal)); }
  [[nodiscard]] std::vector<Proposal> take() { return std::move(all_); }

 private:
  PlanTarget target_;
  std::vector<Proposal> all_;
};

/// A move with a place and parameters.
[[nodiscard]] PlannedMove planned_move(std::string_view move, std::uint32_t expression, Values values);

/// Everything that is proposed, in the order of the expressions, the likely best first. Nothing is applied to find
/// them: some will be refused.
[[nodiscard]] std::vector<Proposal> proposals_for(View& view, const PlanTarget& target);

// One function for each family of moves; all of them look at the expression where a run begins (attention: where it
// ends).
void propose_maps(View& view, std::uint32_t expression, ProposalList& list);
void propose_rows(View& view, std::uint32_t expression, ProposalList& list);
void propose_stages(View& view, std::uint32_t expression, ProposalList& list);
void propose_matrix(View& view, std::uint32_t expression, ProposalList& list);
void propose_tiles(View& view, std::uint32_t expression, ProposalList& list);
/// The product `product` of parts of `length` of the sums of a contraction, folded by a second kernel with up to
/// `following` of the expressions behind it.
void propose_parts(View& view, std::uint32_t expression, std::int64_t length, std::int64_t following,
                   const PlannedMove& product, ProposalList& list);
void propose_windows(View& view, std::uint32_t expression, ProposalList& list);
void propose_attention(View& view, std::uint32_t expression, ProposalList& list);
void propose_scans(View& view, std::uint32_t expression, ProposalList& list);
void propose_joins(View& view, std::uint32_t expression, ProposalList& list);

}  // namespace steptp
