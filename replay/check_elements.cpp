// Exact verdicts: the cover is gone through by the replayer's own means.
#include <cmath>

#include "replay/boxes.h"
#include "replay/check.h"
#include "replay/climb.h"
#include "replay/turns.h"
#include "replay/whole.h"
#include "steptp/base/random.h"
#include "steptp/base/text.h"

namespace steptp::replayer {

namespace {

/// Every element of every output, whatever the certificate lists.
void check_every_element(Context& context, const Cover& cover) {
  constexpr std::int64_t kFewElements = 8;
  constexpr std::uint64_t kMostTurnSteps = 400'000;
  std::uint64_t count = 0;
  for (const Variable& variable : context.certificate.before.signature.variables) {
    if (variable.role == Role::output) count += static_cast<std::uint64_t>(*element_count(variable.shape));
  }
  if (count != cover.count) {
    throw Refused{concat("the cover has ", cover.count, " elements, and the outputs have ", count)};
  }
  WholeCheck whole(context);
  TurnSearch turns(context.certificate, whole, combine(context.seed, 4711));
  ConditionClimb climb(context.certificate, whole, combine(context.seed, 4711));
  std::uint64_t trial = 0;
  for (const Variable& variable : context.certificate.before.signature.variables) {
    if (variable.role != Role::output) continue;
    const std::int64_t size = *element_count(variable.shape);
    std::vector<std::vector<std::int64_t>> few;
    for (std::int64_t position = 0; position < size; ++position) {
      std::vector<std::int64_t> element(variable.shape.size());
      std::int64_t rest = position;
      for (std::size_t d = element.size(); d-- > 0; rest /= variable.shape[d]) element[d] = rest % variable.shape[d];
      bool is_said = false;
      if (position < kFewElements || position == size - 1) few.push_back(element);
      for (const Kind kind : kAllKinds) {
        const auto said = whole.look({variable.name, element, kind, combine(context.seed, ++trial)}, context.budget);
        is_said = is_said || said != WholeCheck::Said::undecided;
      }
      if (!is_said) throw Undecided{concat("no draw says anything of ", variable.name, subscripts(element))};
    }
    turns.run(variable, few, kMostTurnSteps);
    climb.run(variable, few, kMostTurnSteps);
  }
  whole.check_that_all_was_met();
  context.report.retested.push_back(concat("every one of ", count, " elements: ", whole.tally().agrees,
                                           " values agree, before has none or NaN at ", whole.tally().exempt));
}

/// What the certificate says of chance: something where forms on a cell are not the same, and then no less than two
/// points modulo primes of 61 bits allow, for a difference of degree one on every such cell.
void check_bound(const Context& context, const Cover& cover) {
  std::uint64_t compared = 0;
  bool may_be_told_apart = false;  // by where before is NaN or has no value, which takes no chance
  for (const Claim& claim : context.certificate.outputs) {
    for (const Region& region : claim.regions) {
      if (!region.after || is_same_form(*region.form, *region.after)) continue;
      compared += 1;
      may_be_told_apart |= region.no_value_before != nullptr;
      for_each_node(region.form, [&](const Form& node) { may_be_told_apart |= node.kind == Form::Kind::infinity; });
    }
  }
  if (compared == 0) return;
  constexpr double kPoints = 2;
  constexpr double kBits = 61;
  if (!cover.bound_log2 && !may_be_told_apart) throw Refused{"the forms of a cell differ, and no chance is stated"};
  if (cover.bound_log2 && !may_be_told_apart &&
      *cover.bound_log2 < std::log2(static_cast<double>(compared)) - kPoints * kBits) {
    throw Refused{"the chance of an error is said to be less than residues can show"};
  }
}

}  // namespace

void check_exact(Context& context) {
  const auto& cover = context.certificate.cover;
  if (!cover) throw Refused{"the cover is not in it"};
  constexpr double kMostBound = -40;
  if (cover->bound_log2 && !(*cover->bound_log2 <= kMostBound)) {
    throw Refused{"the chance of an error is said to be above 2^-40"};
  }
  if (cover->by == "cells") {
    std::uint64_t cells = 0;
    for (const Claim& claim : context.certificate.outputs) cells += claim.regions.size();
    check_bound(context, *cover);
    if (cells != cover->count)
      throw Refused{concat("the cover has ", cover->count, " cells, and ", cells, " are listed")};
    check_proof(context);
  } else if (cover->by == "elements") {
    check_no_loss(context);
    check_every_element(context, *cover);
    check_evaluation(context);
  } else {
    throw Refused{concat("an unknown cover by '", cover->by, "'")};
  }
}

}  // namespace steptp::replayer
